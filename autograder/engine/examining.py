"""All checks of one submission, asked exercise by exercise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from autograder.course.errors import GraderError
from autograder.course.model import VISIBLE, CheckResult, Exercise, ExerciseResult, Verdict
from autograder.engine import scoring
from autograder.engine.assignment import Assignment, VisibleCheck
from autograder.engine.judging import ENDED_PROCESS, Judgement, judge
from autograder.engine.recording import Recorded, recorded
from autograder.engine.session import HiddenCheck, SuiteSession
from autograder.engine.student import Call, Sitting, Student, StudentRaised


class Examination:
    """All checks of one submission, exercise by exercise.

    What a visible check says may quote what came back. So the visible checks of all exercises come before the first
    hidden one: no process that has seen a hidden number is ever asked anything whose answer is shown. With `quoting=False`
    the results say of every check what it is about and how it ended, and nothing that depends on what came back.
    `brief`, an exercise ends at the first check that does not pass, and nobody asks which belief is behind it.
    """

    def __init__(
        self,
        assignment: Assignment,
        session: SuiteSession,
        sitting: Sitting,
        *,
        explain: bool,
        quoting: bool = True,
        brief: bool = False,
        record: bool = False,
    ) -> None:
        self._assignment, self._session, self._sitting = assignment, session, sitting
        self._student = Student(sitting)
        self._explain, self._quoting, self._brief, self._record = explain, quoting, brief, record
        self.explanation: list[str] = []
        self.calls: list[Recorded] = []
        self.called: dict[str, set[str]] = {}

    def results(self, exercises: Sequence[Exercise]) -> tuple[ExerciseResult, ...]:
        """The results of some exercises of the assignment; `called` then has the functions that each one's checks called."""
        begun = [self._ask_visible(exercise) for exercise in exercises]
        results = tuple(self._ask_hidden(progress) for progress in begun)
        self.called |= {progress.exercise.name: {call.function for call in progress.calls} for progress in begun}
        return results

    def _ask_visible(self, exercise: Exercise) -> _Progress:
        progress = _Progress(exercise)
        for check in (check for check in self._assignment.visible if check.exercise == exercise.name):
            enough = _NOT_PASSED if self._brief else ENDED_PROCESS
            ended = next((w.result for w in progress.weighed if w.result.verdict in enough), None)
            if ended is not None:  # it would most likely end the next process, too, and take as long
                result = replace(_blocked(check, ended), name=f"{VISIBLE}{check.name}")
            else:
                judgement, error = self._judge(check, progress, partial(_run_visible, check, self._student))
                told = check.description if not self._quoting else _visible_message(check, judgement, error)
                result = self._result(f"{VISIBLE}{check.name}", judgement, told)
                if self._quoting and isinstance(error, StudentRaised) and judgement.verdict is Verdict.FAILED:
                    result = replace(result, traceback=_traceback(error))
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
            result = self._result(
                check.name, judgement, check.description if not self._quoting else _message(check, judgement)
            )
            weighed.append(scoring.Weighed(result, check.weight))
            deaths += judgement.verdict in ENDED_PROCESS
            passed = judgement.verdict is Verdict.PASSED
            if ((check.gate or self._brief) and not passed) or deaths >= self._sitting.zygote.limits.deaths:
                stopped = result
        scored = scoring.score(exercise, weighed)
        if scored.verdict is Verdict.PASSED or self._brief or not self._quoting:
            return scored
        found = self._assignment.diagnosis.find(exercise.name, progress.calls)
        return scored if found is None else replace(scored, misconception=found.name, question=found.hint)

    def _result(self, name: str, judgement: Judgement, message: str) -> CheckResult:
        return CheckResult(name, judgement.verdict, message, _bounded(judgement.detail) if self._quoting else "")

    def _judge(
        self, check: VisibleCheck | HiddenCheck, progress: _Progress, run: Callable[[], BaseException | None]
    ) -> tuple[Judgement, BaseException | None]:
        first_call, answers = len(self._sitting.calls), self._sitting.answers
        error = run()
        calls = self._sitting.calls[first_call:]
        why = next(iter(self._sitting.faults), "")
        judgement = judge(error, answers=self._sitting.answers - answers, undefined=why)
        progress.calls += calls
        if self._record:
            visible = not isinstance(check, HiddenCheck)
            self.calls += recorded(f"{VISIBLE}{check.name}" if visible else check.name, calls)
        if self._explain:
            self.explanation += _explain(progress.exercise, check.name, judgement, calls)
        return judgement, error


_NOT_PASSED = tuple(verdict for verdict in Verdict if verdict is not Verdict.PASSED)


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


def _visible_message(check: VisibleCheck, judgement: Judgement, error: BaseException | None) -> str:
    if judgement.verdict is Verdict.PASSED:
        return check.description
    # These numbers are no secret, so the student may read them all.
    told = (
        f" {judgement.remark}"
        if isinstance(error, BaseException) and not isinstance(error, AssertionError)
        else f"\n{error}"
    )
    return _bounded(f"{check.description}{told}".strip())


def _traceback(error: StudentRaised) -> tuple[str, ...]:
    """The lines of the student's own cells that an error went through, and what it said."""
    return (*error.lines, _bounded(f"{error.type_name}: {error.args[0]}")) if error.lines else ()


def _bounded(text: str) -> str:
    """A text that says something about what came back, and may quote all of it."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


_LONGEST = 4000


def _message(check: HiddenCheck, judgement: Judgement) -> str:
    return (
        check.description if judgement.verdict is Verdict.PASSED else f"{check.description} {judgement.remark}".strip()
    )


def _blocked(check: VisibleCheck | HiddenCheck, by: CheckResult) -> CheckResult:
    verdict = Verdict.NOT_ATTEMPTED if by.verdict is Verdict.NOT_ATTEMPTED else Verdict.BLOCKED
    return CheckResult(check.name, verdict, f"{check.description} Not asked, because “{by.name}” did not pass.")


def _explain(exercise: Exercise, check: str, judgement: Judgement, calls: Sequence[Call]) -> list[str]:
    lines = [
        f"{exercise.name} · {check}: {judgement.verdict}"
        + (f" ({judgement.detail.splitlines()[0]})" if judgement.detail else "")
    ]
    for call in calls:
        given = [
            *(_short(value) for value in call.args),
            *(f"{name}={_short(value)}" for name, value in call.kwargs.items()),
        ]
        came = call.error or _short(call.value)
        lines.append(f"    {call.function}({', '.join(given)}) -> {came}   [{1000 * call.seconds:.1f} ms]")
    return lines


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else text[:97] + "..."
