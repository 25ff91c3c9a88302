"""Grading from end to end: verdicts told apart, nothing lost, the same result however often and in whatever company."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from sample_class import SHORT, STEM, Work, assert_same, copy_course, documents, hand_in, source_of, work

from autograder.course import Course, notebook
from autograder.course.errors import AuthorError, UsageError
from autograder.course.model import CheckResult, ExerciseResult, Result, Verdict
from autograder.grading.grade import Options, Run, grade
from autograder.sandbox import kernel

EXERCISES = ["bayes_binary", "posterior", "sequential_posterior", "prob", "conditional", "bayes_classifier"]
RIGHT = work(**dict.fromkeys(EXERCISES))
OTHER = "02_maximum_likelihood"


def run(course: Course, submitted: Path, graded: Path, **options: object) -> Run:
    return grade(course, submitted, Options(graded, **{"workers": 1, "limits": SHORT, **options}))  # type: ignore[arg-type]


def right_except(inserted: Mapping[str, list[str]] | None = None, **answers: str) -> Work:
    return work(inserted, **{**RIGHT.answers, **answers})


def result_of(some: Run, student: str, assignment: str = STEM) -> Result:
    return next(result for result in some.results if (result.student, result.assignment) == (student, assignment))


def exercise_of(some: Run, student: str, name: str = "posterior") -> ExerciseResult:
    return next(exercise for exercise in result_of(some, student).exercises if exercise.name == name)


# --- Verdicts ---------------------------------------------------------------------------------------------------------

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
    "borrows": (right_except(posterior="from scipy.special import softmax\n" + CORRECT), None, Verdict.FAILED, 17),
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
    "partly": (right_except(posterior=BODY + WEIGHED + "return joint / joint.sum()"), None, Verdict.FAILED, 19.62),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "course")


@pytest.fixture(scope="module")
def submitted(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("submitted")
    for student, (some, change, _, _) in CLASS.items():
        submission = some.notebook(source_of(course))
        if change is not None:
            change(submission)
        hand_in(folder, student, submission)
    return folder


@pytest.fixture(scope="module")
def graded(course: Course, submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("graded")
    return run(course, submitted, folder, workers=2), folder


@pytest.mark.parametrize("student", CLASS)
def test_verdicts_are_told_apart_and_cost_no_more_than_they_should(graded: tuple[Run, Path], student: str) -> None:
    _, _, verdict, score = CLASS[student]
    assert exercise_of(graded[0], student).verdict is verdict
    assert result_of(graded[0], student).score == score
    assert result_of(graded[0], student).ungraded is None


def check_of(exercise: ExerciseResult, name: str) -> CheckResult:
    return next(check for check in exercise.checks if name in check.name)


def test_a_failing_visible_check_blocks_the_hidden_ones(graded: tuple[Run, Path]) -> None:
    checks = exercise_of(graded[0], "wrong").checks
    assert [check.verdict for check in checks if not check.name.startswith("visible")] == [Verdict.BLOCKED] * 11
    assert "Not asked, because “visible: " in check_of(exercise_of(graded[0], "wrong"), "test_").message


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


def test_packages_that_solve_the_exercises_are_missing(graded: tuple[Run, Path]) -> None:
    (fault,) = result_of(graded[0], "borrows").faults
    assert (
        "ModuleNotFoundError: scipy is not there when this notebook is graded: answers need Python and NumPy alone"
        in fault.text
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

QUICK = ["right", "untouched", "wrong", "crashes", "syntax_error", "noisy", "partly"]


@pytest.fixture
def small(course: Course, submitted: Path, tmp_path: Path) -> Path:
    """A class without those who make us wait."""
    for student in QUICK:
        shutil.copytree(submitted / student, tmp_path / "in" / student)
    return tmp_path / "in"


@pytest.fixture
def expected(graded: tuple[Run, Path]) -> dict[str, bytes]:
    """What the small class gets when nothing disturbs it."""
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


def test_the_order_of_the_class_changes_no_byte(
    course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    students = sorted(path.name for path in small.iterdir())
    for place, student in enumerate(reversed(students)):
        (small / student).rename(small / f"{place}_{student}")
    run(course, small, tmp_path / "out")
    for place, student in enumerate(reversed(students)):
        name = f"{place}_{student}"
        document = (tmp_path / "out" / "results" / name / f"{STEM}.json").read_text()
        assert document.replace(name, student).encode() == expected[f"{student}/{STEM}.json"]


# --- Nothing is graded twice, and nothing too seldom ------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_notebooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, Path, Path]:
    """A course of two notebooks, two students who handed in both, and their results."""
    root = tmp_path_factory.mktemp("two")
    course = copy_course(root / "course", [STEM, OTHER])
    for student in ("ada", "bob"):
        for stem in (STEM, OTHER):
            source = source_of(course, stem)
            hand_in(root / "in", student, work().notebook(source), stem)
    assert run(course, root / "in", root / "out").unchanged == 0
    return course, root / "in", root / "out"


def test_another_notebook_under_the_right_name_is_told(
    two_notebooks: tuple[Course, Path, Path], tmp_path: Path
) -> None:
    course, submitted, _ = two_notebooks
    target = tmp_path / "in" / "ada" / OTHER / f"{OTHER}.ipynb"
    target.parent.mkdir(parents=True)
    shutil.copy(submitted / "ada" / STEM / f"{STEM}.ipynb", target)
    [result] = run(course, tmp_path / "in", tmp_path / "out").results
    assert result.repairs == (
        f"by its metadata this is the notebook '{STEM}', not {OTHER}: was the wrong file handed in?",
    )


def test_what_has_not_changed_is_not_graded_again(two_notebooks: tuple[Course, Path, Path]) -> None:
    course, submitted, out = two_notebooks
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.json")}
    assert run(course, submitted, out).unchanged == 4
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.json")} == before
    assert run(course, submitted, out, force=True).unchanged == 0


def changed_file(path: Path) -> Callable[[], None]:
    """Append something that means nothing."""
    original = path.read_bytes()

    def restore() -> None:
        path.write_bytes(original)

    path.write_bytes(original + b"\n")
    return restore


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ("autograder/suites/test_01_bayes_rule.py", {STEM}),
        ("autograder/misconceptions/02_maximum_likelihood.py", {OTHER}),
        ("notebooks/checks/exercises/01_bayes_rule.py", {STEM}),
        ("notebooks/checks/checking.py", {STEM, OTHER}),
        ("data/adult_gender_hours_wealth.csv", {STEM}),
        ("data/digits.npz", set()),
        ("notebooks/unrelated.txt", set()),
    ],
)
def test_a_change_regrades_exactly_what_depends_on_it(
    two_notebooks: tuple[Course, Path, Path], change: str, again: set[str], tmp_path: Path
) -> None:
    course, submitted, out = two_notebooks
    shutil.copytree(out, tmp_path / "out")
    path = course.root / change
    if not path.exists():
        path.write_text("x")
    restore = changed_file(path)
    try:
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.json")}
        some = run(course, submitted, tmp_path / "out")
        done = {path.stem for path in before if path.stat().st_mtime_ns != before[path]}
        assert done == again and some.unchanged == 4 - 2 * len(again)
    finally:
        restore()


def test_a_limit_regrades_everything(two_notebooks: tuple[Course, Path, Path], tmp_path: Path) -> None:
    course, submitted, out = two_notebooks
    shutil.copytree(out, tmp_path / "out")
    assert (
        run(course, submitted, tmp_path / "out", limits=replace(SHORT, call_seconds=SHORT.call_seconds + 0.1)).unchanged
        == 0
    )


def test_a_changed_submission_is_graded_alone(two_notebooks: tuple[Course, Path, Path], tmp_path: Path) -> None:
    course, submitted, out = two_notebooks
    shutil.copytree(out, tmp_path / "out")
    shutil.copytree(submitted, tmp_path / "in")
    path = tmp_path / "in" / "ada" / STEM / f"{STEM}.ipynb"
    path.write_bytes(notebook.dumps(work(prob=None).notebook(source_of(course))))
    some = run(course, tmp_path / "in", tmp_path / "out")
    assert (some.unchanged, result_of(some, "ada").score) == (3, 4)


def test_a_damaged_result_is_graded_again(two_notebooks: tuple[Course, Path, Path], tmp_path: Path) -> None:
    course, submitted, out = two_notebooks
    shutil.copytree(out, tmp_path / "out")
    for path, damage in zip(
        sorted((tmp_path / "out").rglob("*.json")), [b"", b"{", b'{"student": "ada"}', b"\xff"], strict=True
    ):
        path.write_bytes(damage)
    assert run(course, submitted, tmp_path / "out").unchanged == 0
    assert_same(documents(tmp_path / "out"), documents(out))


def test_a_submission_that_changes_meanwhile_is_graded_again(course: Course, small: Path, tmp_path: Path) -> None:
    last = small / "wrong" / STEM / f"{STEM}.ipynb"

    def change(done: int, total: int) -> None:
        last.write_bytes(notebook.dumps(work(prob=None).notebook(source_of(course))))

    options = Options(tmp_path / "out", workers=1, limits=SHORT)
    first = grade(course, small, options, change)
    assert result_of(first, "wrong").score in (17, 4)
    second = run(course, small, tmp_path / "out")
    assert result_of(second, "wrong").score == 4 and second.unchanged >= len(QUICK) - 1


# --- Our own faults cost nobody marks ---------------------------------------------------------------------------------

# A check that disturbs the grader, once or always; who is graded tells how.
DISTURBING_CHECK = '''
import os, signal
from pathlib import Path
import psutil


def first_time(name):
    """True once, whichever process asks."""
    try:
        Path({folder!r}, name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def sandboxes():
    """The zygote of this run, its copies and students, in this order, or what has taken their place; only what still runs."""
    found = psutil.Process().parent().children(recursive=True)
    alive = [one for one in found if one.status() != "zombie" and "autograder.sandbox.zygote" in one.cmdline()]
    return sorted(alive, key=lambda one: one.create_time())


@exercise("prob")
def test_disturbed(student):
    """Nothing of this is the student's fault."""
    who = student["WHO"]
    family = sandboxes()
    if {healthy}:
        pass
    elif who == "zygote killed" and first_time(who):
        family[0].kill()
    elif who == "sandbox killed" and first_time(who):
        [one.kill() for one in family]
    elif who == "student killed" and first_time(who):
        family[-1].kill()
    elif who == "worker killed" and first_time(who):
        os.kill(os.getpid(), signal.SIGKILL)
    elif who == "worker hangs" and first_time(who):
        signal.pause()
    elif who == "no memory" and first_time(who):
        raise MemoryError
    elif who == "a disk is ill" and first_time(who):
        raise OSError(5, who)
    elif who == "always an error":
        raise OSError("ours")
    elif who == "always killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif who == "always without sandbox":
        [one.kill() for one in family]  # without its zygote alone, a student may still answer
    assert_matches(student.prob(JOINT, LOWER_ROW), 0.65)
'''
ONCE = [
    "zygote killed",
    "sandbox killed",
    "student killed",
    "worker killed",
    "worker hangs",
    "no memory",
    "a disk is ill",
]
ALWAYS = {
    "always an error": "OSError('ours')",
    "always killed": "its process died 2 times on this submission",
    "always without sandbox": "sandbox process",
}


def with_check(course: Course, root: Path, *, healthy: bool) -> Course:
    """A copy of the course with the check that disturbs, or could."""
    shutil.copytree(course.root, root / "course")
    (root / "flags").mkdir()
    copy = Course(root / "course")
    with copy.suite(STEM).open("a") as suite:
        suite.write(DISTURBING_CHECK.format(folder=str(root / "flags"), healthy=healthy))
    return copy


@pytest.fixture(scope="module")
def faults(course: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run, Path]:
    """A class whose grader is disturbed again and again; the same class with a grader who is well; the folder of the first."""
    root = tmp_path_factory.mktemp("faults")
    for name in (*ONCE, *ALWAYS):
        answers = dict.fromkeys(("bayes_binary", "prob"))
        hand_in(root / "in", name, work({"setup": [f"WHO = {name!r}"]}, **answers).notebook(source_of(course)))
    sick, well = (with_check(course, root / name, healthy=name == "well") for name in ("sick", "well"))
    limits = replace(SHORT, worker_seconds=40.0)
    first = run(sick, root / "in", root / "out", limits=limits)
    shutil.copytree(root / "out", root / "kept")
    return first, run(well, root / "in", root / "out", limits=limits), root / "kept"


def without_key(result: Result) -> Result:
    return replace(result, key="")


@pytest.mark.parametrize("name", ONCE)
def test_a_fault_of_ours_is_made_good(faults: tuple[Run, Run, Path], name: str) -> None:
    assert without_key(result_of(faults[0], name)) == without_key(result_of(faults[1], name))
    assert result_of(faults[0], name).score == 7


@pytest.mark.parametrize("name", ALWAYS)
def test_a_fault_of_ours_that_stays_leaves_a_submission_ungraded(faults: tuple[Run, Run, Path], name: str) -> None:
    told = result_of(faults[0], name).ungraded
    assert told is not None and told.startswith("the grader failed: ") and ALWAYS[name] in told
    rows = (faults[2] / "grades.csv").read_text().splitlines()
    assert [
        row for row in rows if row.startswith(f"{name},{STEM},,,ungraded")
    ]  # no marks, which is not the same as none
    assert result_of(faults[1], name).score == 7  # as soon as the grader is well


@pytest.mark.parametrize(
    ("text", "words"), [("def test_x(:", "test_01_bayes_rule"), ("def test_y(student): pass", "docstring")]
)
def test_a_broken_suite_stops_the_run_and_says_where(course: Course, tmp_path: Path, text: str, words: str) -> None:
    hand_in(tmp_path / "in", "ada", RIGHT.notebook(source_of(course)))
    broken = with_check(course, tmp_path, healthy=True)
    broken.suite(STEM).write_text(text)
    with pytest.raises(AuthorError, match=words):
        run(broken, tmp_path / "in", tmp_path / "out")


PARAMETERS_AND_FIXTURES = '''

import pytest


@pytest.fixture
def joint():
    return JOINT.copy()


@exercise("prob")
@pytest.mark.parametrize("expected", [0.65, 0.2])
def test_parameters(student, joint, expected):
    """A check may be a pytest function of any kind."""
    assert_matches(student.prob(joint, LOWER_ROW), expected)
'''


def test_a_check_may_have_parameters_and_fixtures(course: Course, tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "ada", RIGHT.notebook(source_of(course)))
    more = with_check(course, tmp_path, healthy=True)
    more.suite(STEM).write_text(course.suite(STEM).read_text() + PARAMETERS_AND_FIXTURES)
    graded = result_of(run(more, tmp_path / "in", tmp_path / "out"), "ada")
    verdicts = {check.name: check.verdict for exercise in graded.exercises for check in exercise.checks}
    assert verdicts["test_parameters[0.65]"] is Verdict.PASSED
    assert verdicts["test_parameters[0.2]"] is Verdict.FAILED


def test_a_student_cannot_pretend_that_the_suite_is_broken(course: Course, tmp_path: Path) -> None:
    pretends = work(posterior=BODY + "raise ValueError('SuiteError: SourceError: AuthorError')")
    hand_in(tmp_path / "in", "eve", pretends.notebook(source_of(course)))
    assert result_of(run(course, tmp_path / "in", tmp_path / "out"), "eve").score == 0


# --- Runs that are killed ---------------------------------------------------------------------------------------------

GRADE = """
import sys
from pathlib import Path
from autograder.course import Course
from autograder.course.limits import Limits
from autograder.grading.grade import Options, grade
course, submitted, out = map(Path, sys.argv[1:4])
grade(Course(course), submitted, Options(out, workers=2, limits=Limits(**eval(sys.argv[4]))))
"""


def start(
    course: Course, submitted: Path, out: Path, temporary: Path, cwd: Path | None = None, first: str = ""
) -> subprocess.Popen[bytes]:
    """A run in a process of its own, whose temporary files can be found again; `first` is what it does before it grades."""
    temporary.mkdir(exist_ok=True)
    settings = repr({name: getattr(SHORT, name) for name in SHORT.__dataclass_fields__})
    command = [sys.executable, "-P", "-c", first + GRADE, str(course.root), str(submitted), str(out), settings]
    return subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)}, cwd=cwd, stderr=subprocess.DEVNULL)


def wait_for(condition: Callable[[], bool], seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_a_run_that_is_killed_goes_on_where_it_stopped(
    course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    for wanted in (0, 2, 5):  # early, in the middle, late: as soon as a sandbox and so many results are there
        running = start(course, small, out, temporary)
        family: list[psutil.Process] = []
        wait_for(lambda: any(temporary.iterdir()) or running.poll() is not None)
        wait_for(lambda: len(list(out.rglob("*.json"))) >= wanted or running.poll() is not None)
        if running.poll() is None:
            family = psutil.Process(running.pid).children(recursive=True)
        running.kill()
        running.wait()
        assert psutil.wait_procs(family, timeout=120)[1] == []  # nobody works on for nobody
        for path in out.rglob("*.json"):
            assert expected[str(path.relative_to(out / "results"))] == path.read_bytes()  # whole, or not there
    finished = start(course, small, out, temporary)
    assert finished.wait(600) == 0
    assert_same(documents(out / "results"), expected)
    wait_for(lambda: list(temporary.iterdir()) == [])


KILLED_WHILE_IT_WRITES = """
import os, signal
calls = []
def fsync(file):
    calls.append(file)
    if len(calls) == 2:  # the first was the trial whether the folder can be written to
        os.kill(os.getpid(), signal.SIGKILL)
os.fsync = fsync
"""


def test_what_a_killed_run_left_half_written_is_cleared_away(
    course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    assert start(course, small, out, temporary, first=KILLED_WHILE_IT_WRITES).wait(600) == -signal.SIGKILL
    assert [path.suffix for path in (out / "results").rglob("*") if path.is_file()] == [".part"]
    assert start(course, small, out, temporary).wait(600) == 0
    assert_same(documents(out / "results"), expected)


WAITING_TRIAL = """
from autograder.sandbox import isolation
isolation.ESCAPES = {"waits": "import time; time.sleep(60)"}
"""


KILLED_AROUND_A_ZYGOTE = """
import os, signal, subprocess
begin = subprocess.Popen.__init__
def __init__(self, command, **rest):
    zygote = "autograder.sandbox.zygote" in command
    if zygote and {before}:
        os.kill(os.getpid(), signal.SIGKILL)
    begin(self, command, **rest)
    if zygote:
        os.kill(os.getpid(), signal.SIGKILL)
subprocess.Popen.__init__ = __init__
"""


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_run_that_is_killed_as_it_starts_a_zygote_leaves_nothing(
    course: Course, small: Path, tmp_path: Path, before: bool
) -> None:
    temporary = tmp_path / "temporary"
    running = start(course, small, tmp_path / "out", temporary, first=KILLED_AROUND_A_ZYGOTE.format(before=before))
    assert running.wait(300) == -signal.SIGKILL
    wait_for(
        lambda: (
            not any(str(temporary) in " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"]))
        )
    )
    assert list(temporary.iterdir()) == []


def test_a_run_that_is_killed_while_the_isolation_is_tried_leaves_nothing(
    course: Course, small: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    running = start(course, small, tmp_path / "out", temporary, first=WAITING_TRIAL)
    wait_for(lambda: list(temporary.glob("*/secret.txt")) != [] or running.poll() is not None)
    assert running.poll() is None
    family = psutil.Process(running.pid).children(recursive=True)
    running.kill()
    running.wait()
    assert psutil.wait_procs(family, timeout=120)[1] == []
    wait_for(lambda: list(temporary.iterdir()) == [])


def test_killing_workers_and_zygotes_at_random_loses_nothing(
    course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    generator = random.Random("killing workers and zygotes")
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    running = start(course, small, out, temporary)
    wait_for(lambda: any(temporary.iterdir()) or running.poll() is not None)
    for wanted in range(4):  # each time that one more result is there
        wait_for(lambda: len(list(out.rglob("*.json"))) >= wanted or running.poll() is not None)
        with contextlib.suppress(psutil.NoSuchProcess, IndexError):  # it, or all of them, may just have ended
            generator.choice(psutil.Process(running.pid).children(recursive=True)).kill()
    running.wait(600)
    finished = start(course, small, out, temporary)  # what was left ungraded, or a run that was stopped, is made good
    assert finished.wait(600) == 0
    assert_same(documents(out / "results"), expected)


def test_nothing_beside_the_submissions_is_imported(course: Course, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "in", "eve", work(prob=None).notebook(source_of(course))).parent
    (folder / "autograder").mkdir()
    for name in (
        "numpy.py",
        "json.py",
        "pytest.py",
        "sitecustomize.py",
        "conftest.py",
        "autograder/__init__.py",
        "checks.py",
    ):
        (folder / name).write_text(f"open({str(tmp_path / 'imported')!r}, 'w').close()\nraise SystemExit\n")
    started = start(
        course, tmp_path / "in", tmp_path / "out", tmp_path / "temporary", cwd=folder
    )  # where an instructor may stand
    assert started.wait(600) == 0
    assert json.loads((tmp_path / "out" / "results" / "eve" / f"{STEM}.json").read_text())["score"] == 4
    assert not (tmp_path / "imported").exists()


# --- Places that cannot be written ------------------------------------------------------------------------------------


@contextmanager
def tiny_disk(place: Path, options: str) -> Iterator[None]:
    """A file system of its own, which only root can make."""
    if os.getuid() != 0 or sys.platform != "linux":
        pytest.skip("only root can make a file system that is full or cannot be written to")
    place.mkdir()
    try:
        kernel.mount("tmpfs", str(place), "tmpfs", kernel.MS_NOSUID, options)
    except OSError as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    try:
        yield
    finally:
        kernel.unmount(str(place))


def test_an_output_folder_that_cannot_be_written_is_a_mistake_of_the_caller(
    course: Course, small: Path, tmp_path: Path
) -> None:
    with tiny_disk(tmp_path / "disk", "size=1m"):
        kernel.make_read_only(str(tmp_path / "disk"))
        with pytest.raises(UsageError, match="cannot be written.*--out"):
            run(course, small, tmp_path / "disk" / "out")


def test_an_output_folder_that_is_a_file_is_a_mistake_of_the_caller(
    course: Course, small: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        run(course, small, tmp_path / "out")


def test_a_full_disk_loses_nothing(course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    with tiny_disk(tmp_path / "disk", "size=64k"):
        out = tmp_path / "disk" / "out"
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            run(course, small, out)
        kept = documents(out / "results")
        assert kept and kept.items() <= expected.items()  # what is there is whole, and right
        kernel.mount(None, str(tmp_path / "disk"), None, 32, "size=10m")  # MS_REMOUNT
        second = run(course, small, out)
        assert second.unchanged == len(kept)
        assert_same(documents(out / "results"), expected)
