"""Grading one submission: run its notebook in a sandbox, ask every check, and sum up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from nbformat import NotebookNode

from autograder import notebook, scoring
from autograder.course import Course
from autograder.diagnosis import Diagnosis
from autograder.engine.executed import with_outputs
from autograder.engine.judging import ENDED_PROCESS, Judgement, judge
from autograder.engine.limits import Limits
from autograder.engine.sandbox import Zygote
from autograder.engine.session import HiddenCheck, SuiteSession
from autograder.engine.student import Call, Cell, Sitting, Student
from autograder.errors import GraderError, SubmissionError
from autograder.model import CheckResult, Exercise, ExerciseResult, Result, Verdict


@dataclass(frozen=True)
class Job:
    """A submission on its way to a grader: who handed in what, as the bytes of the file."""

    student: str
    assignment: str
    content: bytes
    key: str = ""
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """How to grade: the same for every submission of a run."""

    course: Path
    isolation: str
    limits: Limits = field(default_factory=Limits)
    full: bool = False
    explain: bool = False


@dataclass(frozen=True)
class Outcome:
    """A result, and what else is worth keeping: the notebook with its outputs, where the time went, the calls made."""

    result: Result
    notebook: bytes | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    explanation: tuple[str, ...] = ()


class VisibleCheck(Protocol):
    """A check that students have, too (`checks.checking.Check`)."""

    exercise: str
    name: str
    description: str

    def run(self, student: Any) -> None:
        """Raise an AssertionError when an answer is wrong."""


@dataclass(frozen=True)
class Assignment:
    """What a notebook asks, and everything that its answers are measured with."""

    stem: str
    exercises: tuple[Exercise, ...]
    skipped_cells: frozenset[str]
    known_ids: frozenset[str]
    visible: tuple[VisibleCheck, ...]
    diagnosis: Diagnosis


def load_assignment(course: Course, stem: str, *, full: bool) -> Assignment:
    """The assignment of a stem; an author's mistake in its source is an error here, before anything is graded."""
    from checks import checking  # the course's own package: whoever calls this has put notebooks/ on the path

    source = notebook.read_source(course.source(stem))
    skipped = set() if full else notebook.demo_cells(source) | notebook.check_cells(source)
    return Assignment(
        stem,
        notebook.exercises(source),
        frozenset(skipped),
        frozenset(cell.id for cell in source.cells),
        tuple(checking.load(stem)),
        Diagnosis.load(course.misconceptions(stem)),
    )


class Grader:
    """Grades submissions with a zygote of its own; a zygote that fails is replaced once."""

    def __init__(self, settings: Settings, session: SuiteSession, number: int = 0) -> None:
        self._settings, self._session, self._number = settings, session, number
        self._course = Course(settings.course)
        self._assignments: dict[str, Assignment] = {}
        self._zygote: Zygote | None = None

    def grade(self, job: Job) -> Outcome:
        """The outcome of a submission. A failure of our own is retried once, then reported as ungraded."""
        assignment = self._assignment(job.assignment)
        try:
            submission = notebook.parse(
                job.content, f"{job.student}/{job.assignment}", limit=self._settings.limits.notebook_bytes
            )
            cells = _cells(submission, self._settings.limits)
        except SubmissionError as error:
            return self._ungraded(job, str(error))
        except Exception as error:  # noqa: BLE001 - one strange file must not stop a class
            return self._ungraded(job, f"the notebook cannot be read ({type(error).__name__})")
        for _ in range(2):
            try:
                outcome = self._attempt(job, assignment, submission, cells)
                if outcome.result.ungraded is None:
                    return outcome
            except Exception as error:  # noqa: BLE001 - ours, whatever it is: no marks are lost, no class is stopped
                outcome = self._ungraded(job, f"the grader failed: {error or type(error).__name__}")
            self.close()  # whatever it was, the next attempt starts from a fresh zygote
        return outcome

    def close(self) -> None:
        """End the zygote."""
        if self._zygote is not None:
            zygote, self._zygote = self._zygote, None
            zygote.close()

    def _assignment(self, stem: str) -> Assignment:
        if stem not in self._assignments:
            self._assignments[stem] = load_assignment(self._course, stem, full=self._settings.full)
        return self._assignments[stem]

    def _attempt(self, job: Job, assignment: Assignment, submission: NotebookNode, cells: list[Cell]) -> Outcome:
        if self._zygote is None:
            self._zygote = Zygote(
                self._settings.isolation,
                checks=self._course.checks,
                data=self._course.data,
                limits=self._settings.limits,
                figures=self._settings.full,
                number=self._number,
            )
        to_run = [cell for cell in cells if cell.source.strip() not in assignment.skipped_cells]
        sitting = Sitting(self._zygote, to_run)
        examination = _Examination(assignment, self._session, sitting, explain=self._settings.explain)
        try:
            sitting.start()
            exercises = examination.results()
        finally:
            sitting.close()
        errors = [c.detail for e in exercises for c in e.checks if c.verdict is Verdict.GRADER_ERROR]
        result = Result(
            student=job.student,
            assignment=job.assignment,
            isolation=self._settings.isolation,
            exercises=exercises,
            faults=(*sitting.faults, *sitting.notes),
            repairs=(*job.repairs, *_repairs(submission, assignment)),
            key=job.key,
            ungraded=f"the grader failed: {errors[0]}" if errors else None,
        )
        executed = with_outputs(submission, sitting.reports) if self._settings.full else None
        return Outcome(result, executed, sitting.seconds, tuple(examination.explanation))

    def _ungraded(self, job: Job, reason: str) -> Outcome:
        return Outcome(
            Result(job.student, job.assignment, self._settings.isolation, (), repairs=job.repairs, key=job.key, ungraded=reason)
        )


class _Examination:
    """All checks of one submission, exercise by exercise.

    What a visible check says may quote what came back. So the visible checks of all exercises come before the first
    hidden one: no process that has seen a hidden number is ever asked anything whose answer is shown.
    """

    def __init__(self, assignment: Assignment, session: SuiteSession, sitting: Sitting, *, explain: bool) -> None:
        self._assignment, self._session, self._sitting = assignment, session, sitting
        self._student = Student(sitting)
        self._explain = explain
        self.explanation: list[str] = []

    def results(self) -> tuple[ExerciseResult, ...]:
        """The result of every exercise."""
        begun = [self._ask_visible(exercise) for exercise in self._assignment.exercises]
        return tuple(self._ask_hidden(progress) for progress in begun)

    def _ask_visible(self, exercise: Exercise) -> _Progress:
        progress = _Progress(exercise)
        for check in (check for check in self._assignment.visible if check.exercise == exercise.name):
            ended = next((w.result for w in progress.weighed if w.result.verdict in ENDED_PROCESS), None)
            if ended is not None:  # it would most likely end the next process, too, and take as long
                result = replace(_blocked(check, ended), name=f"visible: {check.name}")
            else:
                judgement, error = self._judge(check, progress, partial(_run_visible, check, self._student))
                result = _visible_result(check, judgement, error)
            progress.weighed.append(scoring.Weighed(result, 0))
        return progress

    def _ask_hidden(self, progress: _Progress) -> ExerciseResult:
        exercise, weighed = progress.exercise, progress.weighed
        hidden = [c for c in self._session.checks.get(self._assignment.stem, []) if c.exercise == exercise.name]
        if not hidden:
            raise GraderError(f"the suite of {self._assignment.stem} has no check for {exercise.name!r}")
        stopped = next((w.result for w in weighed if w.result.verdict is not Verdict.PASSED), None)
        deaths = sum(w.result.verdict in ENDED_PROCESS for w in weighed)
        for check in [*(c for c in hidden if c.gate), *(c for c in hidden if not c.gate)]:
            if stopped is not None:
                weighed.append(scoring.Weighed(_blocked(check, stopped), check.weight))
                continue
            judgement, _ = self._judge(check, progress, partial(self._session.run, check, self._student))
            result = CheckResult(check.name, judgement.verdict, _message(check, judgement), _bounded(judgement.detail))
            weighed.append(scoring.Weighed(result, check.weight))
            deaths += judgement.verdict in ENDED_PROCESS
            passed = judgement.verdict is Verdict.PASSED
            if (check.gate and not passed) or deaths >= self._sitting.zygote.limits.deaths:
                stopped = result
        scored = scoring.score(exercise, weighed)
        if scored.verdict is Verdict.PASSED:
            return scored
        found = self._assignment.diagnosis.find(exercise.name, progress.calls)
        return scored if found is None else replace(scored, misconception=found.name, question=found.hint)

    def _judge(
        self, check: VisibleCheck | HiddenCheck, progress: _Progress, run: Callable[[], BaseException | None]
    ) -> tuple[Judgement, BaseException | None]:
        first_call, answers = len(self._sitting.calls), self._sitting.answers
        error = run()
        calls = self._sitting.calls[first_call:]
        why = next(iter(self._sitting.faults), "")
        judgement = judge(error, answers=self._sitting.answers - answers, undefined=why)
        progress.calls += calls
        if self._explain:
            self.explanation += _explain(progress.exercise, check.name, judgement, calls)
        return judgement, error


@dataclass
class _Progress:
    """How far the examination of one exercise has come."""

    exercise: Exercise
    weighed: list[scoring.Weighed] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)


def _run_visible(check: VisibleCheck, student: Student) -> BaseException | None:
    try:
        check.run(student)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - StudentStopped among them
        return error
    return None


def _cells(submission: NotebookNode, limits: Limits) -> list[Cell]:
    cells = [Cell(id, source) for id, source in notebook.code_cells(submission)]
    if not any(cell.source.strip() for cell in cells):
        raise SubmissionError("The notebook has no code. Ask for the file that the student worked in.")
    if len(cells) > limits.cells:
        raise SubmissionError(f"The notebook has {len(cells)} code cells; at most {limits.cells} are run.")
    if any(len(cell.source) > limits.cell_characters for cell in cells):
        raise SubmissionError(f"A cell of the notebook has more than {limits.cell_characters} characters.")
    return cells


def _visible_result(check: VisibleCheck, judgement: Judgement, error: BaseException | None) -> CheckResult:
    message = check.description
    if judgement.verdict is not Verdict.PASSED:  # these numbers are no secret, so the student may read them all
        told = judgement.remark if isinstance(error, BaseException) and not isinstance(error, AssertionError) else str(error)
        message = f"{check.description} {told}".strip()
    return CheckResult(f"visible: {check.name}", judgement.verdict, _bounded(message), _bounded(judgement.detail))


def _bounded(text: str) -> str:
    """A text that says something about what came back, and may quote all of it."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


_LONGEST = 4000


def _message(check: HiddenCheck, judgement: Judgement) -> str:
    return check.description if judgement.verdict is Verdict.PASSED else f"{check.description} {judgement.remark}".strip()


def _blocked(check: VisibleCheck | HiddenCheck, by: CheckResult) -> CheckResult:
    verdict = Verdict.NOT_ATTEMPTED if by.verdict is Verdict.NOT_ATTEMPTED else Verdict.BLOCKED
    return CheckResult(check.name, verdict, f"{check.description} Not asked, because “{by.name}” did not pass.")


def _repairs(submission: NotebookNode, assignment: Assignment) -> list[str]:
    present = {cell.id for cell in submission.cells}
    missing = sorted(assignment.known_ids - present)
    if not missing:
        return []
    return [f"cells of the original notebook are missing or renamed: {', '.join(missing[:8])}" + (" ..." if len(missing) > 8 else "")]


def _explain(exercise: Exercise, check: str, judgement: Judgement, calls: Sequence[Call]) -> list[str]:
    lines = [f"{exercise.name} · {check}: {judgement.verdict}" + (f" ({judgement.detail.splitlines()[0]})" if judgement.detail else "")]
    for call in calls:
        given = [*(_short(value) for value in call.args), *(f"{name}={_short(value)}" for name, value in call.kwargs.items())]
        came = call.error or _short(call.value)
        lines.append(f"    {call.function}({', '.join(given)}) -> {came}   [{1000 * call.seconds:.1f} ms]")
    return lines


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else text[:97] + "..."

