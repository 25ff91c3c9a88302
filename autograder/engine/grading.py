"""Grading one submission: run its notebook in a sandbox, ask every check, and sum up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
        try:
            submission = notebook.parse(
                job.content, f"{job.student}/{job.assignment}", limit=self._settings.limits.notebook_bytes
            )
            cells = _cells(submission, self._settings.limits)
        except SubmissionError as error:
            return self._ungraded(job, str(error))
        assignment = self._assignment(job.assignment)
        outcome = None
        for _ in range(2):
            try:
                outcome = self._attempt(job, assignment, submission, cells)
                if outcome.result.ungraded is None:
                    return outcome
            except (GraderError, OSError, EOFError) as error:
                outcome = self._ungraded(job, f"the grader failed: {error}")
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
            exercises = tuple(examination.exercise(exercise) for exercise in assignment.exercises)
        finally:
            sitting.close()
        errors = [c.detail for e in exercises for c in e.checks if c.verdict is Verdict.GRADER_ERROR]
        result = Result(
            student=job.student,
            assignment=job.assignment,
            isolation=self._settings.isolation,
            exercises=exercises,
            faults=tuple(sitting.faults),
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
    """All checks of one submission, exercise by exercise."""

    def __init__(self, assignment: Assignment, session: SuiteSession, sitting: Sitting, *, explain: bool) -> None:
        self._assignment, self._session, self._sitting = assignment, session, sitting
        self._student = Student(sitting)
        self._explain = explain
        self.explanation: list[str] = []

    def exercise(self, exercise: Exercise) -> ExerciseResult:
        """The result of an exercise: visible checks first, as a gate, then the hidden ones."""
        first_call = len(self._sitting.calls)
        visible = [check for check in self._assignment.visible if check.exercise == exercise.name]
        hidden = [c for c in self._session.checks.get(self._assignment.stem, []) if c.exercise == exercise.name]
        if not hidden:
            raise GraderError(f"the suite of {self._assignment.stem} has no check for {exercise.name!r}")
        weighed: list[scoring.Weighed] = []
        for check in visible:
            judgement = self._judge(check, exercise, self._run_visible(check))
            weighed.append(scoring.Weighed(_visible_result(check, judgement, self._last_error), 0))
        # A visible check that cannot even be asked for lack of time must not cost the others: they say so themselves.
        stopped = next((w.result for w in weighed if w.result.verdict is not Verdict.PASSED), None)
        deaths = sum(w.result.verdict in ENDED_PROCESS for w in weighed)
        for check in [*(c for c in hidden if c.gate), *(c for c in hidden if not c.gate)]:
            if stopped is not None:
                weighed.append(scoring.Weighed(_blocked(check, stopped), check.weight))
                continue
            judgement = self._judge(check, exercise, self._session.run(check, self._student))
            result = CheckResult(check.name, judgement.verdict, _message(check, judgement), judgement.detail)
            weighed.append(scoring.Weighed(result, check.weight))
            deaths += judgement.verdict in ENDED_PROCESS
            passed = judgement.verdict is Verdict.PASSED
            if (check.gate and not passed) or deaths >= self._sitting.zygote.limits.deaths:
                stopped = result
        scored = scoring.score(exercise, weighed)
        if scored.verdict is Verdict.PASSED:
            return scored
        found = self._assignment.diagnosis.find(exercise.name, self._sitting.calls[first_call:])
        return scored if found is None else replace(scored, misconception=found.name, question=found.hint)

    def _run_visible(self, check: VisibleCheck) -> BaseException | None:
        self._last_error: BaseException | None = None
        try:
            check.run(self._student)
        except BaseException as error:  # noqa: BLE001 - StudentStopped among them
            if isinstance(error, KeyboardInterrupt):
                raise
            self._last_error = error
        return self._last_error

    def _judge(self, check: VisibleCheck | HiddenCheck, exercise: Exercise, error: BaseException | None) -> Judgement:
        calls = self._sitting.calls[getattr(self, "_seen", 0) :]
        self._seen = len(self._sitting.calls)
        answered = sum(call.error is None for call in calls)
        why = next((fault for fault in self._sitting.faults), "")
        judgement = judge(error, exercise=exercise.name, calls=answered, undefined=why)
        if self._explain:
            self.explanation += _explain(exercise, check.name, judgement, calls)
        return judgement


def _cells(submission: NotebookNode, limits: Limits) -> list[Cell]:
    cells = [Cell(id, source) for id, source in notebook.code_cells(submission)]
    if not any(cell.source.strip() for cell in cells):
        raise SubmissionError("The notebook has no code. Ask for the file that the student worked in.")
    if len(cells) > limits.cells:
        raise SubmissionError(f"The notebook has {len(cells)} code cells; at most {limits.cells} are run.")
    return cells


def _visible_result(check: VisibleCheck, judgement: Judgement, error: BaseException | None) -> CheckResult:
    message = check.description
    if judgement.verdict is not Verdict.PASSED:  # these numbers are no secret, so the student may read them all
        told = judgement.remark if isinstance(error, BaseException) and not isinstance(error, AssertionError) else str(error)
        message = f"{check.description} {told}".strip()
    return CheckResult(f"visible: {check.name}", judgement.verdict, message, judgement.detail)


def _message(check: HiddenCheck, judgement: Judgement) -> str:
    return check.description if judgement.verdict is Verdict.PASSED else f"{check.description} {judgement.remark}".strip()


def _blocked(check: HiddenCheck, by: CheckResult) -> CheckResult:
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

