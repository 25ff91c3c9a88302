"""Answers that only pass on others: they earn nothing here, and would be found where too much was declared."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from sample_class import REPOSITORY, copy_course, need

from autograder.course import Course, notebook, sources
from autograder.engine.jobs import Job, Settings
from autograder.grading.local import grade_locally
from autograder.validity import proof, samples, wires
from autograder.validity.criteria import WIRED

# What must not be declared, and how it would be found out: an alias, and a derivative by differences.
TOO_MUCH = [
    ("07_newton_raphson", "irls_step", ("hessian", "newton_step"), "newton_step, in order"),
    ("05_logistic_derivation", "gradient", ("sigmoid", "log_likelihood"), "log_likelihood, slope in w"),
]


def declare(course: Course, stem: str, name: str, below: tuple[str, ...]) -> None:
    """Let an exercise use one that it must not: in the metadata, and in the words."""
    source = notebook.read(course.source(stem))
    task = sources.tasks(source)[name]
    check = next(cell for cell in source.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == f"{name}-check")
    check.metadata["course"] = {"may_use": list(below)}
    for cell in source.cells:
        if cell.source == task:
            lines = [line for line in task.split("\n") if not line.startswith("*May use:*")]
            cell.source = "\n".join([*lines, "", sources.may_use_line(below)])
    notebook.write(source, course.source(stem))


@cache
def earned(root: Path, stem: str, name: str) -> dict[str, float]:
    """The share of the points for each way to pass on, by how it is done."""
    course = Course(root)
    source = sources.read(course.source(stem))
    exercise = next(one for one in sources.exercises(source) if one.name == name)
    jobs = []
    for wire in wires.wires(source, exercise):
        answers = {**wires.attempts(source), **wire.answers}
        jobs.append(Job(wire.how, stem, notebook.dumps(samples.answered(source, answers)), patience=4.0))
    found = {}
    for outcome in grade_locally(jobs, Settings(course.root, need("portable")), workers=2, stems=[stem]):
        result = next(one for one in outcome.result.exercises if one.name == name)
        found[outcome.result.student] = result.score / result.points
    return found


@pytest.mark.parametrize(("stem", "name", "below", "how"), TOO_MUCH)
def test_a_pair_in_which_one_answers_the_other_is_found(
    tmp_path: Path, stem: str, name: str, below: tuple[str, ...], how: str
) -> None:
    course = copy_course(tmp_path / "course", (stem,))
    declare(course, stem, name, below)
    shares = earned(course.root, stem, name)
    assert shares.get(how, 0) > WIRED, shares


def test_every_function_of_an_exercise_is_passed_on_to() -> None:
    source = sources.read(REPOSITORY.source("08_softmax"))
    exercise = next(one for one in sources.exercises(source) if one.name == "to_reference")
    passed_on = {name for wire in wires.wires(source, exercise) for name in wire.answers}
    assert passed_on == set(exercise.functions)


def test_an_exercise_that_may_use_nothing_has_nothing_to_pass_on() -> None:
    source = sources.read(REPOSITORY.source("01_bayes_rule"))
    assert not [wire for one in sources.exercises(source) if not one.may_use for wire in wires.wires(source, one)]


def test_on_record_no_notebook_earns_anything_by_passing_on() -> None:
    records = proof.read(REPOSITORY)
    declared = {
        (stem, exercise.name)
        for stem in REPOSITORY.stems()
        for exercise in sources.exercises(sources.read(REPOSITORY.source(stem)))
        if exercise.may_use
    }
    tried = {(stem, one.exercise) for stem in records for one in records[stem].exercises if one.wired is not None}
    assert tried == declared
    assert {record.wired for record in records.values()} == {0}
