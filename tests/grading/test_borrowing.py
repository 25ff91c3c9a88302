"""Packages that answers do without, in grading: what importing, using, returning and allowing one costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sample_class import SHORT, STEM, Work, copy_course, hand_in, need, source_of
from whole_class import BODY, CORRECT, RIGHT, WEIGHED, exercise_of, result_of, right_except, run

from autograder.course import Course
from autograder.course.errors import AuthorError
from autograder.course.model import Verdict
from autograder.engine.jobs import Settings
from autograder.grading.fingerprint import fingerprint
from autograder.grading.grade import Run
from autograder.grading.keys import Keys

SCIPY = right_except(
    posterior="from scipy.linalg import norm\n"
    + CORRECT.replace("return joint / joint.sum()", "return joint / norm(joint, 1)")
)
SKLEARN = right_except(
    posterior="from sklearn.preprocessing import normalize\n" + BODY + WEIGHED + "return normalize([joint], 'l1')[0]"
)
PATIENT = replace(SHORT, cell_seconds=60.0, call_seconds=60.0, submission_seconds=300.0)  # a real import takes its time
FALLBACK = right_except(
    posterior="try:\n    from scipy.linalg import norm\nexcept ImportError:\n"
    "    def norm(x, order):\n        return np.abs(x).sum()\n\n\n"
    + CORRECT.replace("return joint / joint.sum()", "return joint / norm(joint, 1)")
)
GIVES_BACK = [  # what cannot be compared with anything
    "return scipy.special.softmax",
    "return [scipy.special.softmax] * len(prior)",
    "return np.array([scipy.special.softmax] * len(prior))",
    "return {'posterior': scipy}",
    "return np.asarray(scipy).view(type('Array', (np.ndarray,), {'__eq__': lambda *_: True}))",
]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "course")


@pytest.fixture(scope="module")
def graded(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("graded")
    works = {"uses_scipy": SCIPY, "uses_sklearn": SKLEARN, "falls_back": FALLBACK}
    works |= {
        f"gives_back_{number}": right_except(posterior=f"import scipy\n{BODY}{line}")
        for number, line in enumerate(GIVES_BACK)
    }
    works["is_one"] = right_except(posterior="from scipy.special import softmax as posterior")
    return graded_class(course, root, works)


def graded_class(course: Course, root: Path, works: dict[str, Work], **options: object) -> Run:
    for student, some in works.items():
        hand_in(root / "in", student, some.notebook(source_of(course)))
    return run(course, root / "in", root / "out", isolation=need("portable"), limits=PATIENT, **options)


@pytest.mark.parametrize(
    ("student", "name"),
    [
        ("uses_scipy", "scipy.linalg.norm"),
        ("uses_sklearn", "sklearn.preprocessing.normalize"),
        ("is_one", "scipy.special.softmax"),
    ],
)
def test_using_one_costs_that_exercise_and_is_named(graded: Run, student: str, name: str) -> None:
    assert result_of(graded, student).score == 17 and result_of(graded, student).faults == ()
    first = exercise_of(graded, student).checks[0]
    assert first.verdict is Verdict.FAILED
    assert f"{name} is not there when this notebook is graded" in first.traceback[-1]


def test_whoever_wrote_what_to_do_without_it_is_graded_for_that(graded: Run) -> None:
    assert result_of(graded, "falls_back").score == 20


@pytest.mark.parametrize("number", range(len(GIVES_BACK)))
def test_a_placeholder_that_is_given_back_passes_no_check(graded: Run, number: int) -> None:
    exercise = exercise_of(graded, f"gives_back_{number}")
    assert exercise.verdict is Verdict.FAILED and exercise.score == 0
    assert not [check.name for check in exercise.checks if check.verdict is Verdict.PASSED]
    assert not [check.name for check in exercise.checks if check.verdict is Verdict.GRADER_ERROR]
    assert result_of(graded, f"gives_back_{number}").score == 17


@pytest.mark.parametrize("mode", ["strong", "portable"])
def test_an_allowed_package_is_there_and_the_other_is_not(tmp_path: Path, mode: str) -> None:
    course = copy_course(tmp_path / "course")
    (course.root / "course.toml").write_text('[packages]\nallow = ["scipy"]\n')
    for student, some in {"scipy": SCIPY, "sklearn": SKLEARN}.items():
        hand_in(tmp_path / "in", student, some.notebook(source_of(course)))
    done = run(course, tmp_path / "in", tmp_path / "out", isolation=need(mode), limits=PATIENT)
    assert [(result.student, result.score) for result in done.results] == [("scipy", 20), ("sklearn", 17)]


def test_what_a_class_allows_replaces_what_the_course_allows(course: Course, tmp_path: Path) -> None:
    some = graded_class(course, tmp_path, {"sklearn": SKLEARN, "right": RIGHT}, allowed=("scipy", "sklearn"))
    assert "sklearn is not there" not in str(some.results)
    assert exercise_of(some, "sklearn").checks[0].verdict is Verdict.PASSED


def test_what_cannot_be_allowed_stops_the_run_before_anybody_is_graded(course: Course, tmp_path: Path) -> None:
    with pytest.raises(AuthorError, match="allows 'numpyy', which is not one of those that answers do without: scipy"):
        graded_class(course, tmp_path, {"right": RIGHT}, allowed=("numpyy",))
    assert not list((tmp_path / "out").glob("results/**/*.json"))


def test_results_are_known_again_only_while_the_same_packages_are_allowed(course: Course) -> None:
    settings = Settings(course.root, "none")
    keys = {
        Keys(course, replace(settings, allowed=allowed)).key(STEM, b"")
        for allowed in [(), ("scipy",), ("sklearn",), ("scipy", "sklearn")]
    }
    assert len(keys) == 4


def test_the_version_of_an_allowed_package_matters_under_the_name_that_is_imported() -> None:
    assert fingerprint(["sklearn"])["allowed sklearn"] != "none"
    assert fingerprint(["no_such_package"])["allowed no_such_package"] == "none"
    assert "allowed sklearn" not in fingerprint()
