"""Faults of our own cost nobody marks: processes that die or hang are replaced, broken suites stop a run."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from sample_class import SHORT, STEM, copy_course, hand_in, source_of, work
from whole_class import BODY, RIGHT, result_of, run

from autograder.course import Course
from autograder.course.errors import AuthorError
from autograder.course.model import Result, Verdict
from autograder.grading.grade import Run
from autograder.sandbox.machine import Memory

# A check that disturbs the grader, once or always; who is graded tells how.
DISTURBING_CHECK = '''
import os, signal
from pathlib import Path
import psutil

JOINT = np.array([[0.10, 0.05, 0.20], [0.15, 0.30, 0.20]])
LOWER_ROW = np.array([[False, False, False], [True, True, True]])


def first_time(name):
    """True once, whichever process asks."""
    try:
        Path({folder!r}, name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def sandboxes():
    """The zygote of this run, its copies and students, in this order, or what has replaced them; only what runs."""
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
    "always an error": "the grader failed: OSError('ours')",
    "always killed": "the machine failed: it ended the grading process 5 times",
    "always without sandbox": "the machine failed: the sandbox process",
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
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "course")


class Clock:
    """Stands still, but for one leap when a file appears: only the worker that hangs at that moment is late."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def monotonic(self) -> float:
        return 1e6 if self._file.exists() else 0.0


@pytest.fixture(scope="module")
def faults(course: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run, Path]:
    """A class whose grader is disturbed again and again; the same class undisturbed; the folder of the first."""
    root = tmp_path_factory.mktemp("faults")
    for name in (*ONCE, *ALWAYS):
        answers = dict.fromkeys(("bayes_binary", "prob"))
        hand_in(root / "in", name, work({"setup": [f"WHO = {name!r}"]}, **answers).notebook(source_of(course)))
    sick, well = (with_check(course, root / name, healthy=name == "well") for name in ("sick", "well"))
    limits = replace(SHORT, worker_seconds=1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.grading.local.process.time", Clock(root / "sick" / "flags" / "worker hangs"))
        patch.setattr("autograder.grading.local.tasks.PAUSES", (0.0, 0.0, 0.0))
        first = run(sick, root / "in", root / "out", limits=limits)
    shutil.copytree(root / "out", root / "kept")
    return first, run(well, root / "in", root / "out"), root / "kept"


def without_key(result: Result) -> Result:
    return replace(result, key="", pressure="")


@pytest.mark.parametrize("name", ONCE)
def test_a_fault_of_ours_is_made_good(faults: tuple[Run, Run, Path], name: str) -> None:
    assert without_key(result_of(faults[0], name)) == without_key(result_of(faults[1], name))
    assert result_of(faults[0], name).score == 7


def test_a_result_whose_process_was_ended_from_outside_says_so(faults: tuple[Run, Run, Path]) -> None:
    told = {name: result_of(faults[0], name).pressure for name in ONCE}
    assert told.pop("student killed") == "the process was ended by SIGKILL from outside, once"
    assert set(told.values()) == {""}  # what was begun anew in a new process was not disturbed


@pytest.mark.parametrize("name", ALWAYS)
def test_a_fault_of_ours_that_stays_leaves_a_submission_ungraded(faults: tuple[Run, Run, Path], name: str) -> None:
    told = result_of(faults[0], name).ungraded
    assert told is not None and told.startswith(ALWAYS[name])
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
    return np.array([[0.10, 0.05, 0.20], [0.15, 0.30, 0.20]])


@exercise("prob")
@pytest.mark.parametrize("expected", [0.65, 0.2])
def test_parameters(student, joint, expected):
    """A check may be a pytest function of any kind."""
    assert_matches(student.prob(joint, np.indices((2, 3))[0] == 1), expected)
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


class Shrinking:
    """The memory of a machine: as much as anybody needs until a file appears, then next to nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(self) -> Memory:
        return Memory(8 << 30, 1 << 20 if self._file.exists() else 4 << 30)


def test_workers_rest_while_the_machine_is_short_of_memory(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the second check on: whoever has begun something then, but one, leaves it to the one who goes on."""
    for number in range(6):
        answers = dict.fromkeys(("bayes_binary", "prob"))
        some = work({"setup": ["WHO = 'nobody'"]}, **answers).notebook(source_of(course))
        hand_in(tmp_path / "in", f"student-{number}", some)
    watched = with_check(course, tmp_path, healthy=True)
    with watched.suite(STEM).open("a") as suite:
        suite.write(f"Path({str(tmp_path / 'short')!r}).touch()\n")
    monkeypatch.setattr("autograder.sandbox.machine.memory", Shrinking(tmp_path / "short"))
    told: list[str] = []
    done = run(watched, tmp_path / "in", tmp_path / "out", workers=3, tell=told.append)
    assert {result.score for result in done.results} == {7}
    assert len(done.results) == 6
    words = "short of memory (1 MiB are left): not more than"
    assert len([said for said in told if words in said]) == 1


def test_who_begins_without_memory_begins_with_one_worker(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        hand_in(tmp_path / "in", f"student-{number}", RIGHT.notebook(source_of(course)))
    monkeypatch.setattr("autograder.sandbox.machine.memory", lambda: Memory(8 << 30, 1 << 20))
    told: list[str] = []
    done = run(course, tmp_path / "in", tmp_path / "out", workers=3, tell=told.append)
    assert {result.score for result in done.results} == {20}
    assert any("not more than 1 of 3 workers are at work until there is more" in said for said in told)
