"""The hidden suites accept what is right and reject what is wrong: known answers, graded by the real engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autograder.course import Course, sources
from autograder.sandbox import isolation
from autograder.validity import criteria, luck, page, proof
from autograder.validity.record import UNKNOWN, ExerciseRecord, Record
from autograder.validity.validate import validate

COURSE = Course.default()
STEMS = COURSE.stems()


@pytest.fixture(scope="module")
def found() -> dict[str, Record]:
    """What validation finds now, all notebooks in one run, with the numbers of two seeds."""
    mode = isolation.choose(isolation.AUTO, checks=COURSE.checks, data=COURSE.data, suites=COURSE.suites)
    return {
        record.stem: record for record in validate(COURSE, STEMS, isolation=mode, seeds=luck.TRIED, diagnosis=False)
    }


@pytest.mark.parametrize("stem", STEMS)
def test_every_known_answer_gets_what_it_deserves(stem: str, found: dict[str, Record]) -> None:
    assert found[stem].problems == ()


@pytest.mark.parametrize("stem", STEMS)
def test_the_record_says_what_validation_finds(stem: str, found: dict[str, Record]) -> None:
    recorded = proof.read(COURSE)[stem]
    assert recorded.seeds == luck.RECORDED
    assert [_alike(one) for one in recorded.exercises] == [_alike(one) for one in found[stem].exercises]


def _alike(record: ExerciseRecord) -> ExerciseRecord:
    """A record without what depends on the number of seeds, and without what the diagnosis makes of answers."""
    return replace(record, median=0.0, most=0.0, kept=(), luck=0.0, lucky=(), spared=(), killed=0, recognised=UNKNOWN)


def test_the_record_says_what_the_diagnosis_finds() -> None:
    stem = "05_logistic_derivation"
    mode = isolation.choose(isolation.AUTO, checks=COURSE.checks, data=COURSE.data, suites=COURSE.suites)
    [now] = validate(COURSE, [stem], isolation=mode, seeds=1)
    recorded = proof.read(COURSE)[stem]
    assert [one.recognised for one in now.exercises] == [one.recognised for one in recorded.exercises]


def test_no_record_is_missing_stale_or_red() -> None:
    assert proof.doubts(COURSE, STEMS) == {}, "run `autograder validate`"


def test_most_mistakes_that_nobody_has_foreseen_get_a_true_question() -> None:
    found = [exercise.recognised for record in proof.read(COURSE).values() for exercise in record.exercises]
    asked, false = sum(one.asked for one in found), sum(len(one.false) for one in found)
    assert asked - false >= criteria.ASKED * sum(one.strangers for one in found)
    of_mutants, false_of_mutants = sum(one.mutants_asked for one in found), sum(one.mutants_false for one in found)
    assert false + false_of_mutants <= criteria.FALSE * (asked + of_mutants)


def test_the_page_shows_the_records() -> None:
    records = proof.read(COURSE)
    written = proof.document_file(COURSE).read_text(encoding="utf-8")
    assert written == page.document([records[stem] for stem in STEMS]), "run `autograder validate`"


@pytest.mark.parametrize("stem", STEMS)
def test_a_notebook_is_worth_twenty_points(stem: str) -> None:
    assert sum(exercise.points for exercise in sources.exercises(sources.read(COURSE.source(stem)))) == 20


@pytest.mark.parametrize("stem", STEMS)
def test_students_are_told_that_hidden_checks_follow_and_of_which_kind(stem: str) -> None:
    source = sources.read(COURSE.source(stem))
    prose = {cell.id: cell.source for cell in source.cells if cell.cell_type == "markdown"}
    assert "hidden checks" in prose["how-it-works"].lower().replace("*", "")
    tasks = {exercise.name: prose[f"{exercise.name.replace('_', '-')}-task"] for exercise in sources.exercises(source)}
    assert [name for name, text in tasks.items() if "*Hidden checks look at:*" not in text] == []
