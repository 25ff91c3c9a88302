"""Nothing that is secret gets into what students get, wherever and however it is written there."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import minicourse
import pytest
from releasing import SOLUTION, built, plant, refused, write

from autograder.authoring import leaks, release, secret_texts
from autograder.course import Course, notebook, sources
from autograder.course.errors import SuiteError

COURSE = Course.default()


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return minicourse.make(tmp_path / "course")


def test_nothing_secret_is_in_what_students_of_the_real_course_get() -> None:
    contents = release.contents(COURSE, built())
    assert leaks.scan(COURSE, contents) == []
    assert {f"notebooks/{stem}.ipynb" for stem in COURSE.select(None, tours=True)} < set(contents)


def test_every_exercise_of_the_real_course_is_guarded() -> None:
    """A solution that is too plain to be found would make the scan vacuous for that exercise."""
    guarded = {secret.origin for secret in secret_texts.secrets(COURSE) if secret.kind == secret_texts.SOLUTION}
    for stem in COURSE.stems():
        for exercise in sources.exercises(sources.read(COURSE.source(stem))):
            for function in exercise.functions:
                assert f"solutions/{stem}.ipynb, {function}" in guarded


@pytest.mark.parametrize("stem", COURSE.stems())
def test_a_solution_of_the_real_course_is_found_in_a_released_notebook(stem: str) -> None:
    found = release.contents(COURSE, built())
    source = sources.read(COURSE.source(stem))
    released = notebook.parse(found[f"notebooks/{stem}.ipynb"], stem)
    regions = dict(sources.solution_regions(source))
    released.cells[0].metadata.update(regions)
    places = {leak.place for leak in leaks.scan(COURSE, {f"notebooks/{stem}.ipynb": notebook.dumps(released)})}
    assert {f"notebooks/{stem}.ipynb, cell {released.cells[0].id}, metadata.{name}" for name in regions} <= places


def test_a_solution_line_in_the_text_is_refused(course: Course) -> None:
    plant(course, f"You could write `{SOLUTION}` here.")
    message = refused(course)
    assert (
        "notebooks/01_mini.ipynb, cell planted: solution line from solutions/01_mini.ipynb, weighted_mean: result = "
        in message
    )
    assert "Nothing was written" in message


def test_a_refused_release_leaves_the_old_one(course: Course) -> None:
    write(course)
    minicourse.edit(course, "02_more", setup={"source": "import checks\ncheck = checks.start('02_more')"})
    plant(course, SOLUTION)
    assert "cell planted: solution line" in refused(course, None)


@pytest.mark.parametrize(
    "text",
    [
        f"    {SOLUTION}   # in a comment or not",
        "RESULT = sum( value*weight\n  for value,weight in\n  zip(values,weights) )",
        "mean = sum(value * weight for value, weight in zip(values, weights)) / 2",
        "```python\nif sum(weights) &lt;= 0:\n```",
        "x = 1\n\nresult / sum(weights) return result / sum(weights)",
        f"[data](data:text/plain;base64,{base64.b64encode(SOLUTION.encode()).decode()})",
        f"[data](data:text/plain,{SOLUTION.replace(' ', '%20')})",
        json.dumps({"cells": [{"source": [SOLUTION + "\n", "return"]}]}),
        json.dumps(json.dumps({"a": f"\n{SOLUTION}\n"})),
        SOLUTION.replace("value", "\\u0076alue"),
    ],
)
def test_a_solution_line_is_found_however_it_is_written(course: Course, text: str) -> None:
    plant(course, text)
    assert "cell planted: solution line" in refused(course)


def test_a_solution_line_is_found_in_given_code(course: Course) -> None:
    minicourse.edit(course, "01_mini", setup={"source": f"import checks\n\n# {SOLUTION}"})
    assert "cell setup: solution line" in refused(course)


@pytest.mark.parametrize(
    "metadata",
    [
        {"note": SOLUTION},
        {"nested": [{"deep": [1, {SOLUTION: 0}]}]},
        {"lines": ["result = sum(value * weight", "for value, weight in zip(values, weights))"]},
        {"blob": base64.encodebytes(f"def weighted_mean(values, weights):\n    {SOLUTION}\n".encode() * 3).decode()},
        {"twice": base64.b64encode(base64.b64encode(SOLUTION.encode())).decode()},
        {"json": json.dumps({"answer": SOLUTION})},
    ],
)
def test_a_solution_line_is_found_in_the_metadata(course: Course, metadata: dict[str, Any]) -> None:
    plant(course, **metadata)
    assert f"cell planted, metadata.{next(iter(metadata))}" in refused(course)


def test_a_solution_line_is_found_in_the_metadata_of_the_notebook(course: Course) -> None:
    source = sources.read(course.source("01_mini"))
    source.metadata.course["answers"] = {"1": SOLUTION}
    notebook.write(source, course.source("01_mini"))
    assert "notebooks/01_mini.ipynb, metadata.course.answers.1: solution line" in refused(course)


def test_a_solution_line_is_found_in_an_attachment(course: Course) -> None:
    attached = {"answer.txt": {"text/plain": base64.b64encode(SOLUTION.encode()).decode()}}
    minicourse.edit(course, "01_mini", intro={"attachments": attached})
    assert "cell intro, attachments.answer.txt.text/plain: solution line" in refused(course)


def test_a_solution_line_is_found_in_the_checks_with_its_line(course: Course) -> None:
    (course.checks / "exercises.py").write_text(f"# one\n# two\n{SOLUTION}\n")
    assert "notebooks/checks/exercises.py, line 3: solution line" in refused(course)


@pytest.mark.parametrize(
    "name", ["notebooks/matplotlibrc", "notebooks/requirements.txt", "data/README.md", "data/numbers.csv"]
)
def test_a_solution_line_is_found_in_every_file_that_students_get(course: Course, name: str) -> None:
    (course.root / name).write_text(f"# {SOLUTION}\n")
    assert f"{name}, line 1: solution line" in refused(course)


def test_a_solution_line_is_found_inside_an_archive(course: Course) -> None:
    with zipfile.ZipFile(course.data / "arrays.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x00" + SOLUTION.encode())
    assert "data/arrays.npz, X.npy: solution line" in refused(course)


def test_a_solution_line_of_another_notebook_is_found(course: Course) -> None:
    plant(course, "centre = sum(values) / len(values)")
    assert "notebooks/01_mini.ipynb, cell planted: solution line from solutions/02_more.ipynb, spread" in refused(
        course
    )


def test_all_released_notebooks_are_looked_at_together(course: Course) -> None:
    write(course)
    stale = notebook.read(course.released("02_more"))
    stale.cells[0].source += f"\n# {SOLUTION}"
    notebook.write(stale, course.released("02_more"))
    assert "notebooks/02_more.ipynb, cell setup: solution line from solutions/01_mini.ipynb" in refused(course)


def test_a_line_marked_as_given_may_be_seen(course: Course) -> None:
    marked = minicourse.WEIGHTED_MEAN.replace("# the heavier, the more", "# given")
    minicourse.edit(course, "01_mini", weighted_mean={"source": marked})
    plant(course, SOLUTION)
    assert write(course, ["01_mini"])


@pytest.mark.parametrize(
    "text",
    [
        "result = 0",
        "return result",
        "raise ValueError('no weight')",
        "for value, weight in zip(values, weights):",
        "3.5",
    ],
)
def test_plain_lines_are_no_secret(course: Course, text: str) -> None:
    plant(course, text)
    assert write(course, ["01_mini"])


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return result", False),
        ("x = np.asarray(x, dtype=float)", False),
        ("n, d = X.shape", False),
        ("for k in range(len(counts)):", False),
        ("total = counts.sum()", False),
        ("axis = -1", False),
        ("import numpy as np", False),
        ("return 1 / (1 + np.exp(-z))", True),
        ("return X.T @ (y - p)", True),
        ("return joint / joint.sum()", True),
        ("evidence = prior @ likelihood", True),
        ("return np.log(theta)[x].sum()", True),
    ],
)
def test_a_line_is_secret_when_it_says_how_the_answer_works(code: str, expected: bool) -> None:
    assert secret_texts.says_something(code) is expected


def test_a_sample_answer_is_refused(course: Course) -> None:
    plant(course, "Think: a weight of **zero** simply takes the value\nout of the game, does it not?")
    assert "cell planted: sample answer from solutions/01_mini.ipynb, reflect-1-answer" in refused(course)


@pytest.mark.parametrize(
    "text",
    [
        "See test_heavier_values_pull_the_mean.",
        "*The mean lies closer to the value that weighs more!*",
        "assert_matches(student.weighted_mean([10.0, 20.0], [1, 4]), 18.0)",
        "VALUES = [3.25, 8.5, 9.75]",
    ],
)
def test_hidden_checks_are_refused(course: Course, text: str) -> None:
    (course.checks / "exercises.py").write_text(f'"""{text}"""\n')
    assert "notebooks/checks/exercises.py, line 1: hidden check from suites/test_01_mini.py" in refused(course)


@pytest.mark.parametrize(
    "text",
    [
        "forgets_the_weights",
        "Double one of the weights; does your answer move at all?",
        "Every value counts alike, whatever it weighs on paper.",
        "return sum(values) / max(len(values), 1)",
        "with_a_running_total",
        "Numerator and denominator grow side by side in a loop.",
    ],
)
def test_known_answers_are_refused(course: Course, text: str) -> None:
    plant(course, text)
    assert "cell planted: known answer from misconceptions/01_mini.py" in refused(course)


def test_printed_output_is_refused_where_nobody_reads_it(course: Course) -> None:
    plant(course, note="weighted, the mean is 3.5")
    assert "cell planted, metadata.note: solution output from solutions/01_mini.ipynb, cell example" in refused(course)


def test_printed_output_may_stand_in_the_text(course: Course) -> None:
    plant(course, "So, weighted, the mean is 3.5.")
    assert write(course, ["01_mini"])


def test_a_picture_that_the_solution_draws_is_refused(course: Course) -> None:
    minicourse.edit(course, "01_mini", intro={"attachments": {"figure.png": {"image/png": minicourse.PICTURE}}})
    message = refused(course)
    assert (
        "cell intro, attachments.figure.png.image/png: solution output from solutions/01_mini.ipynb, cell figure"
        in message
    )


def test_outputs_in_a_released_notebook_are_refused(course: Course) -> None:
    executed = notebook.read(course.source("01_mini"))
    course.released("02_more").parent.mkdir(exist_ok=True)
    executed.cells = [cell for cell in executed.cells if cell.id == "example"]
    notebook.write(executed, course.released("02_more"))
    assert "notebooks/02_more.ipynb, cell example: solution output: a released notebook has no outputs" in refused(
        course
    )


def test_a_solution_marker_is_refused(course: Course) -> None:
    plant(course, note="### BEGIN SOLUTION")
    assert "cell planted, metadata.note: solution line: the marker BEGIN SOLUTION" in refused(course)


@pytest.mark.parametrize(
    "name",
    [
        "notebooks/01_mini_solution.ipynb",
        "notebooks/gradebook.db",
        "notebooks/test_01_mini.py",
        "notebooks/checks/weighted_mean.pyc",
        "notebooks/checks/answers.ipynb",
        "notebooks/solutions/01_mini.ipynb",
        "data/suite.py",
        "data/more/numbers.csv",
    ],
)
def test_a_file_that_does_not_belong_is_refused(course: Course, name: str) -> None:
    (course.root / name).parent.mkdir(exist_ok=True, parents=True)
    (course.root / name).write_bytes(b"{}")
    assert f"{name}: file that does not belong" in refused(course)


@pytest.mark.parametrize(
    "name",
    [
        "notebooks/.ipynb_checkpoints/01_mini-checkpoint.ipynb",
        "notebooks/checks/__pycache__/x.cpython-311.pyc",
        "data/.DS_Store",
    ],
)
def test_caches_stay_at_home_and_are_refused_in_a_bundle(course: Course, name: str) -> None:
    (course.root / name).parent.mkdir(exist_ok=True, parents=True)
    (course.root / name).write_text(SOLUTION)
    assert name not in release.contents(course, {})
    assert not leaks.belongs(name, course.stems())
    assert write(course, ["01_mini"])


def test_every_leak_is_listed_up_to_a_point(course: Course) -> None:
    plant(course, "\n\n".join(["forgets_the_weights", SOLUTION, "test_heavier_values_pull_the_mean"]))
    message = refused(course)
    assert "(3 places)" in message
    for number in range(30):
        minicourse.edit(course, "01_mini", new=minicourse.markdown(f"more-{number}", SOLUTION))
    message = refused(course)
    assert message.count("solution line") <= 21
    assert "and 13 more" in message


def test_a_suite_that_cannot_be_read_stops_the_release(course: Course) -> None:
    course.suite("01_mini").write_text("def test_broken(:\n")
    with pytest.raises(SuiteError, match=r"suites/test_01_mini\.py, line 1"):
        write(course)
