"""Verdicts on a whole class: told apart, fairly priced, and the same in whatever company."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sample_class import SHORT, STEM, assert_same, copy_course, documents, hand_in, source_of
from whole_class import CLASS, QUICK, RIGHT, exercise_of, hand_in_class, result_of, run

from autograder.course import Course
from autograder.course.model import CheckResult, ExerciseResult, Verdict
from autograder.grading.grade import Run


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "course")


@pytest.fixture(scope="module")
def graded(course: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    submitted, folder = (
        hand_in_class(course, tmp_path_factory.mktemp("submitted"), CLASS),
        tmp_path_factory.mktemp("out"),
    )
    return run(course, submitted, folder, workers=2), folder


@pytest.mark.parametrize("student", CLASS)
def test_verdicts_are_told_apart_and_cost_no_more_than_they_should(graded: tuple[Run, Path], student: str) -> None:
    _, _, verdict, score = CLASS[student]
    assert exercise_of(graded[0], student).verdict is verdict
    assert result_of(graded[0], student).score == score
    assert result_of(graded[0], student).ungraded is None


def check_of(exercise: ExerciseResult, name: str) -> CheckResult:
    return next(check for check in exercise.checks if name in check.name)


def test_a_failing_gate_blocks_the_other_hidden_checks(graded: tuple[Run, Path]) -> None:
    checks = exercise_of(graded[0], "wrong").checks
    [gate] = [check for check in checks if check.gate]
    others = [check for check in checks if not check.visible and not check.gate]
    assert gate.verdict is Verdict.FAILED and {check.verdict for check in others} == {Verdict.BLOCKED}
    assert all(f"Not asked, because “{gate.asks}” did not pass." in check.message for check in others)


def test_a_failing_visible_check_costs_what_it_is_worth_and_blocks_nothing(graded: tuple[Run, Path]) -> None:
    partly = exercise_of(graded[0], "partly")
    lost = sum(check.worth for check in partly.checks if check.verdict is not Verdict.PASSED)
    assert partly.score == pytest.approx(partly.points - lost, abs=0.01)
    assert not any(check.verdict is Verdict.BLOCKED for check in partly.checks)


@pytest.mark.parametrize(
    ("student", "words"),
    [
        ("wrong", "came back"),
        ("raises", "raised ZeroDivisionError"),
        ("loops", "took too long"),
        ("hoards", "more memory than allowed"),
        ("crashes", "ended the Python process"),
        ("misspelt", "defines no `posterior`"),
        ("syntax_error", "SyntaxError"),
        ("cell_fails", "ModuleNotFoundError"),
        ("one_stub", "has not been filled in"),
    ],
)
def test_a_message_says_what_happened(graded: tuple[Run, Path], student: str, words: str) -> None:
    assert words in exercise_of(graded[0], student).checks[0].message


def test_an_error_keeps_the_name_that_the_student_saw(graded: tuple[Run, Path]) -> None:
    first = exercise_of(graded[0], "singular").checks[0]
    assert first.traceback[-1] == "LinAlgError: Singular matrix"


def test_what_went_wrong_in_cells_is_listed(graded: tuple[Run, Path]) -> None:
    faults = result_of(graded[0], "other_cells_fail").faults
    assert [
        word for word in ("ZeroDivisionError", "NameError", "SyntaxError", "SystemExit") if word in str(faults)
    ] == [
        "ZeroDivisionError",
        "NameError",
        "SyntaxError",
        "SystemExit",
    ]
    assert f"timed out: no answer within {SHORT.cell_seconds:g} seconds" in str(
        result_of(graded[0], "a_loop_in_a_cell").faults
    )
    assert result_of(graded[0], "noisy").faults == ()


def test_a_package_that_solves_the_exercises_is_missing_where_it_is_used(graded: tuple[Run, Path]) -> None:
    assert result_of(graded[0], "borrows").faults == result_of(graded[0], "imports_too_much").faults == ()
    assert exercise_of(graded[0], "borrows").checks[0].traceback[-1] == (
        "ModuleNotFoundError: scipy.special.softmax is not there when this notebook is graded: "
        "answers need Python and NumPy alone"
    )


def test_missing_cells_are_listed_as_repairs(graded: tuple[Run, Path]) -> None:
    assert "posterior" in str(result_of(graded[0], "cell_deleted").repairs)
    assert result_of(graded[0], "right").repairs == ()


def test_grading_without_isolation_marks_every_result(course: Course, tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "ada", RIGHT.notebook(source_of(course)))
    some = run(course, tmp_path / "in", tmp_path / "out", isolation="none")
    assert (some.isolation, result_of(some, "ada").isolation, result_of(some, "ada").score) == ("none", "none", 20)
    assert json.loads((tmp_path / "out" / "results" / "ada" / f"{STEM}.json").read_text())["isolation"] == "none"


# --- The same result, always ------------------------------------------------------------------------------------------


@pytest.fixture
def small(course: Course, tmp_path: Path) -> Path:
    """A class without those who make us wait."""
    return hand_in_class(course, tmp_path / "in", QUICK)


@pytest.fixture
def expected(graded: tuple[Run, Path]) -> dict[str, bytes]:
    """What the small class gets as a part of the whole one."""
    return {path: text for path, text in documents(graded[1] / "results").items() if Path(path).parts[0] in QUICK}


def test_the_number_of_workers_changes_no_byte(
    course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    tables = set()
    for workers in (1, 3):  # elsewhere: 2
        run(course, small, tmp_path / f"out-{workers}", workers=workers)
        assert_same(documents(tmp_path / f"out-{workers}" / "results"), expected)
        tables.add((tmp_path / f"out-{workers}" / "grades.csv").read_bytes())
    assert len(tables) == 1


def test_the_order_of_the_class_changes_no_byte(course: Course, small: Path, tmp_path: Path) -> None:
    run(course, small, tmp_path / "before", fixed=True)  # with other names they would be asked with other numbers
    expected = documents(tmp_path / "before" / "results")
    students = sorted(path.name for path in small.iterdir())
    for place, student in enumerate(reversed(students)):
        (small / student).rename(small / f"{place}_{student}")
    run(course, small, tmp_path / "out", fixed=True)
    for place, student in enumerate(reversed(students)):
        name = f"{place}_{student}"
        document = (tmp_path / "out" / "results" / name / f"{STEM}.json").read_text()
        assert document.replace(name, student).encode() == expected[f"{student}/{STEM}.json"]
