"""The hidden suites accept what is right and reject what is wrong: every known answer, graded by the real engine."""

from __future__ import annotations

from collections import Counter
from functools import cache
from statistics import median

import pytest

from autograder import notebook
from autograder.course import Course
from autograder.engine import isolation
from autograder.validate import Case, validate

COURSE = Course.default()
STEMS = COURSE.stems()


@cache
def cases_of(stem: str) -> list[Case]:
    mode = isolation.choose(isolation.AUTO, checks=COURSE.checks, data=COURSE.data, suites=COURSE.suites)
    return validate(COURSE, stem, isolation=mode)


def of_kind(stem: str, kind: str) -> list[Case]:
    cases = [case for case in cases_of(stem) if case.kind == kind]
    assert cases, f"{stem} has no case of the kind {kind!r}"
    return cases


def told(cases: list[Case]) -> list[str]:
    return [f"{case.exercise}, {case.name}: {case.problem}" for case in cases if case.problem]


@pytest.mark.parametrize("stem", STEMS)
def test_a_notebook_is_worth_twenty_points(stem: str) -> None:
    assert sum(exercise.points for exercise in notebook.exercises(notebook.read_source(COURSE.source(stem)))) == 20


@pytest.mark.parametrize("stem", STEMS)
def test_the_reference_gets_full_marks(stem: str) -> None:
    assert told(of_kind(stem, "reference")) == []


@pytest.mark.parametrize("stem", STEMS)
def test_the_untouched_stub_gets_nothing(stem: str) -> None:
    assert told(of_kind(stem, "stub")) == []
    assert {case.score for case in of_kind(stem, "stub")} == {0}


@pytest.mark.parametrize("stem", STEMS)
def test_right_answers_written_differently_get_full_marks(stem: str) -> None:
    assert told(of_kind(stem, "right")) == []


@pytest.mark.parametrize("stem", STEMS)
def test_each_misconception_is_rejected_by_the_check_that_it_names(stem: str) -> None:
    assert told(of_kind(stem, "misconception")) == []


@pytest.mark.parametrize("stem", STEMS)
def test_a_misconception_earns_at_most_a_quarter_at_the_median(stem: str) -> None:
    assert median(case.share for case in of_kind(stem, "misconception")) <= 0.25


@pytest.mark.parametrize("stem", STEMS)
def test_no_answer_is_taken_for_a_misconception_that_it_is_not(stem: str) -> None:
    mistaken = [case.name for case in cases_of(stem) if case.diagnosis not in (None, case.name)]
    assert mistaken == []


@pytest.mark.parametrize("stem", STEMS)
def test_the_catalogue_knows_three_right_and_on_average_six_wrong_answers(stem: str) -> None:
    names = {exercise.name for exercise in notebook.exercises(notebook.read_source(COURSE.source(stem)))}
    right = Counter(case.exercise for case in of_kind(stem, "right"))
    wrong = of_kind(stem, "misconception")
    assert {name for name in names if right[name] < 3} == set()
    assert len(wrong) >= 6 * len(names)
    assert {case.exercise for case in wrong} == names
