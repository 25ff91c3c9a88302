"""A class of twenty-seven students, each with a fault or a habit of their own, and how tests grade it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from sample_class import SHORT, STEM, Work, hand_in, source_of, work

from autograder.course import Course
from autograder.course.model import ExerciseResult, Result, Verdict
from autograder.grading.grade import Options, Run, grade

EXERCISES = ["bayes_binary", "posterior", "sequential_posterior", "prob", "conditional", "bayes_classifier"]
RIGHT = work(**dict.fromkeys(EXERCISES))


def run(course: Course, submitted: Path, graded: Path, **options: object) -> Run:
    return grade(course, submitted, Options(graded, **{"workers": 1, "limits": SHORT, **options}))  # type: ignore[arg-type]


def right_except(inserted: Mapping[str, list[str]] | None = None, **answers: str) -> Work:
    return work(inserted, **{**RIGHT.answers, **answers})


def result_of(some: Run, student: str, assignment: str = STEM) -> Result:
    return next(result for result in some.results if (result.student, result.assignment) == (student, assignment))


def exercise_of(some: Run, student: str, name: str = "posterior") -> ExerciseResult:
    return next(exercise for exercise in result_of(some, student).exercises if exercise.name == name)


BODY = "def posterior(prior, likelihood):\n    "
WEIGHED = "joint = np.asarray(prior, float) * np.asarray(likelihood, float)\n    "
CORRECT = BODY + WEIGHED + "if joint.sum() == 0:\n        raise ValueError\n    return joint / joint.sum()"


def without(*identities: str) -> Callable[[NotebookNode], None]:
    def change(some: NotebookNode) -> None:
        some.cells = [cell for cell in some.cells if cell.id not in identities]

    return change


def retyped(some: NotebookNode) -> None:
    """The answer in a new cell at the end of the exercise, the stub thrown away."""
    at = next(number for number, cell in enumerate(some.cells) if cell.id == "posterior")
    some.cells[at] = new_code_cell(CORRECT, id="untitled")


def doubled(some: NotebookNode) -> None:
    """A first try above the answer, both with the same id."""
    at = next(number for number, cell in enumerate(some.cells) if cell.id == "posterior")
    some.cells.insert(at, new_code_cell(BODY + "return prior", id="posterior"))


def stripped(some: NotebookNode) -> None:
    """No metadata, no ids, as other editors leave it."""
    some.metadata.clear()
    for number, cell in enumerate(some.cells):
        cell.metadata.clear()
        cell.id = f"n{number}"


def turned_to_text(some: NotebookNode) -> None:
    cell = next(cell for cell in some.cells if cell.id == "posterior")
    cell.cell_type = "raw"
    del cell["outputs"], cell["execution_count"]


NOISE = """
import logging, sys, warnings
print("starting"); print("careful", file=sys.stderr)
warnings.warn("this is old"); logging.warning("odd"); logging.getLogger().error("worse")
np.log(0); np.float64(1) / 0
sys.stderr.write("written"); sys.stdout.write("written")
"""
NOISY = (
    BODY + "print(prior); np.log(np.zeros(1)); import warnings; warnings.warn('x')\n" + CORRECT.removeprefix(BODY[:-4])
)

# Who hands in what, the verdict on `posterior`, and the marks for all exercises.
CLASS: dict[str, tuple[Work, Callable[[NotebookNode], None] | None, Verdict, float]] = {
    "right": (RIGHT, None, Verdict.PASSED, 20),
    "untouched": (work(), None, Verdict.NOT_ATTEMPTED, 0),
    "one_stub": (right_except(posterior=BODY + "raise NotImplementedError()"), None, Verdict.NOT_ATTEMPTED, 17),
    "wrong": (
        right_except(posterior=BODY + "return np.asarray(likelihood) / np.sum(likelihood)"),
        None,
        Verdict.FAILED,
        17,
    ),
    "raises": (right_except(posterior=BODY + "return 1 / 0"), None, Verdict.FAILED, 17),
    "singular": (right_except(posterior=BODY + "return np.linalg.inv(np.zeros((2, 2)))"), None, Verdict.FAILED, 17),
    "wrong_form": (right_except(posterior=BODY + "return 'the posterior'"), None, Verdict.FAILED, 17),
    "loops": (right_except(posterior=BODY + "while True: pass"), None, Verdict.TIMED_OUT, 17),
    "hoards": (right_except(posterior=BODY + "return np.ones(10**11)"), None, Verdict.OUT_OF_MEMORY, 17),
    "crashes": (right_except(posterior=BODY + "import os; os._exit(1)"), None, Verdict.CRASHED, 17),
    "misspelt": (
        right_except(posterior=CORRECT.replace("def posterior", "def posteriour")),
        None,
        Verdict.NOT_ATTEMPTED,
        17,
    ),
    "syntax_error": (right_except(posterior=BODY + "return prior *"), None, Verdict.FAILED, 17),
    "cell_fails": (right_except(posterior="import nothing_of_this_name\n" + CORRECT), None, Verdict.FAILED, 17),
    "borrows": (
        right_except(posterior="from scipy.special import softmax\n" + BODY + "return softmax(np.log(likelihood))"),
        None,
        Verdict.FAILED,
        17,
    ),
    "imports_too_much": (
        right_except(
            {"setup": ["import scipy.stats as st\nprint(st.__name__)"]},
            posterior="import sklearn\nfrom scipy.special import softmax\nnorm = st.norm\n" + CORRECT,
        ),
        None,
        Verdict.PASSED,
        20,
    ),
    "no_function": (right_except(posterior="posterior = 5"), None, Verdict.FAILED, 17),
    "cell_deleted": (RIGHT, without("posterior"), Verdict.NOT_ATTEMPTED, 17),
    "cell_turned_to_text": (RIGHT, turned_to_text, Verdict.NOT_ATTEMPTED, 17),
    "checks_deleted": (RIGHT, without("posterior-check", "prob-check", "setup-check", "progress"), Verdict.PASSED, 20),
    "retyped": (RIGHT, retyped, Verdict.PASSED, 20),
    "doubled": (RIGHT, doubled, Verdict.PASSED, 20),
    "stripped": (RIGHT, stripped, Verdict.PASSED, 20),
    "written_differently": (right_except(posterior=CORRECT), None, Verdict.PASSED, 20),
    "noisy": (right_except({"setup": [NOISE]}, posterior=NOISY), None, Verdict.PASSED, 20),
    "other_cells_fail": (
        right_except({"setup": ["1 / 0", "undefined", "def", "raise SystemExit"]}),
        None,
        Verdict.PASSED,
        20,
    ),
    "a_loop_in_a_cell": (right_except({"setup": ["while True: pass"]}), None, Verdict.PASSED, 20),
    "partly": (right_except(posterior=BODY + WEIGHED + "return joint / joint.sum()"), None, Verdict.FAILED, 19.7),
}

# Those who do not make us wait.
QUICK = ["right", "untouched", "wrong", "crashes", "syntax_error", "noisy", "partly"]


def hand_in_class(course: Course, folder: Path, students: Iterable[str]) -> Path:
    """The folder, in which these students have handed in."""
    for student in students:
        some, change, _, _ = CLASS[student]
        submission = some.notebook(source_of(course))
        if change is not None:
            change(submission)
        hand_in(folder, student, submission)
    return folder
