"""All checks of one submission, asked exercise by exercise."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Any

from autograder.course.draw import FIXED
from autograder.course.errors import GraderError
from autograder.course.kinds import Kind, Place
from autograder.course.model import VISIBLE, CheckResult, Exercise, ExerciseResult, Remark, Verdict
from autograder.course.text import bounded
from autograder.engine import scoring
from autograder.engine.assignment import Assignment, VisibleCheck
from autograder.engine.diagnosis.diagnose import diagnose
from autograder.engine.diagnosis.survey import Surveys
from autograder.engine.following.earnest import in_earnest
from autograder.engine.jobs import Mark
from autograder.engine.judging import ENDED_PROCESS, Judgement, judge
from autograder.engine.recording import Recorded, recorded
from autograder.engine.running import Call, NotebookRun
from autograder.engine.session import HiddenCheck, SuiteSession
from autograder.engine.student import Student, StudentRaised


class Shown(Enum):
    """How much of what student code says gets into the results."""

    QUOTES = "quotes"
    """What came back in a visible check."""
    REMARKS = "remarks"
    """Sentences of ours, one of a few: after the first hidden question, code could say anything."""
    VERDICTS = "verdicts"
    """How each check ended, and no more: this is what code that may ask the reference gets."""


class Examination:
    """All checks of one submission: `ask_visible`, then `results`.

    What a visible check says may quote what came back. So the visible checks of all exercises come before the first
    hidden one: no process that has seen a hidden number is ever asked anything whose answer is shown.
    With `brief`, an exercise ends at the first check that does not pass. What is wrong with an answer is asked where
    there are `surveys`, and only when all marks are known: no answer to that can change one.
    """

    def __init__(
        self,
        assignment: Assignment,
        session: SuiteSession,
        run: NotebookRun,
        *,
        explain: bool,
        shown: Shown = Shown.QUOTES,
        brief: bool = False,
        record: bool = False,
        seed: str = FIXED,
        surveys: Surveys | None = None,
    ) -> None:
        self._assignment, self._session, self._run, self._seed = assignment, session, run, seed
        self._surveys = surveys
        self._student = Student(run)
        self._explain, self._shown, self._brief, self._record = explain, shown, brief, record
        self._begun: list[_Progress] = []
        self._suspects: set[str] = set()  # what failed with other numbers: whoever stops at a failure asks these first
        self._known: dict[str, CheckResult] = {}  # from another seed: for checks that draw nothing, or take long
        self.explanation: list[str] = []
        self.calls: list[Recorded] = []

    def ask_visible(self, exercises: Sequence[Exercise]) -> None:
        """Ask the visible checks of all exercises that are to be examined."""
        self._begun = [self._ask_visible(exercise) for exercise in exercises]

    def visible(self) -> tuple[tuple[CheckResult, ...], ...]:
        """The results of the visible checks, exercise by exercise."""
        return tuple(tuple(weighed.result for weighed in progress.weighed) for progress in self._begun)

    def recall(self, visible: Sequence[Sequence[CheckResult]]) -> None:
        """Let results of the visible checks that were captured earlier count instead of these."""
        for progress, results in zip(self._begun, visible, strict=True):
            places = [weighed.place for weighed in progress.weighed]
            progress.weighed = [scoring.Weighed(*pair) for pair in zip(results, places, strict=True)]

    def results(self) -> tuple[ExerciseResult, ...]:
        """The results of these exercises, after their hidden checks."""
        found = [self._ask_hidden(progress) for progress in self._begun]
        if self._surveys is None or self._brief or self._shown is Shown.VERDICTS:
            return tuple(found)
        return tuple(self._diagnosed(progress.exercise, result) for progress, result in zip(self._begun, found))

    def marks(self, seed: str) -> tuple[Mark, ...]:
        """What the exercises earn with the numbers of another seed; nothing is recorded, explained or diagnosed."""
        again = copy.copy(self)
        again._seed, again._explain, again._record, again._shown = seed, False, False, Shown.VERDICTS
        again._surveys = None
        again._suspects = {
            w.result.name for progress in self._begun for w in progress.weighed if w.result.verdict in _ASKED_IN_VAIN
        }
        again._known = {w.result.name: w.result for progress in self._begun for w in progress.weighed}
        again._begun = [progress.after_visible() for progress in self._begun]
        return tuple(
            Mark(one.name, one.score, tuple(check.name for check in one.checks if check.verdict in _ASKED_IN_VAIN))
            for one in again.results()
        )

    def attempted(self, names: Collection[str]) -> set[str]:
        """The functions of some exercises that somebody has tried to write, as their gates show.

        The gate is asked for that even where a visible check has failed before; nothing is marked by it.
        """
        found: set[str] = set()
        for progress in (progress for progress in self._begun if progress.exercise.name in names):
            if not any(weighed.result.verdict in ENDED_PROCESS for weighed in progress.weighed):
                self._ask_gates(progress)
            functions = progress.exercise.functions
            found |= {name for name in functions if in_earnest([c for c in progress.calls if c.function == name])}
        return found

    def _ask_gates(self, progress: _Progress) -> None:
        asked = {weighed.result.name for weighed in progress.weighed if weighed.result.verdict not in _NOT_ASKED}
        for check in self._hidden(progress.exercise):
            if check.gate and check.name not in asked:
                self._judge(check, progress, partial(self._session.run, check, self._student, self._seed))

    def _hidden(self, exercise: Exercise) -> list[HiddenCheck]:
        return [
            check for check in self._session.checks.get(self._assignment.stem, []) if check.exercise == exercise.name
        ]

    def _ask_visible(self, exercise: Exercise) -> _Progress:
        progress = _Progress(exercise)
        for check in (check for check in self._assignment.visible if check.exercise == exercise.name):
            enough = _NOT_PASSED if self._brief else ENDED_PROCESS
            ended = next((w.result for w in progress.weighed if w.result.verdict in enough), None)
            if ended is not None:  # it would most likely end the next process, too, and take as long
                result = _blocked(check, ended)
            else:
                judgement, error = self._judge(check, progress, partial(_run_visible, check, self._student))
                result = self._visible_result(check, judgement, error)
            progress.weighed.append(scoring.Weighed(result, Place(Kind(check.kind), stressed=check.stressed)))
        return progress

    def _ask_hidden(self, progress: _Progress) -> ExerciseResult:
        exercise, weighed = progress.exercise, progress.weighed
        hidden = self._hidden(exercise)
        if not hidden:
            raise GraderError(f"the suite of {self._assignment.stem} has no check for {exercise.name!r}")
        # A visible check that failed costs what it is worth; only the gate keeps the others from being asked.
        failed = (w.result for w in weighed if w.result.verdict is not Verdict.PASSED)
        stopped = next(failed, None) if self._brief else None
        deaths = sum(w.result.verdict in ENDED_PROCESS for w in weighed)
        for check in self._in_order(hidden):
            if stopped is not None:
                weighed.append(scoring.Weighed(_blocked(check, stopped), check.place))
                continue
            result = self._known.get(check.name) if not check.draws or check.place.kind is Kind.SPEED else None
            if result is None or result.verdict in _NOT_ASKED:
                ask = partial(self._session.run, check, self._student, self._seed)
                result = self._result(check, self._judge(check, progress, ask)[0])
            weighed.append(scoring.Weighed(result, check.place))
            deaths += result.verdict in ENDED_PROCESS
            passed = result.verdict is Verdict.PASSED
            if ((check.gate or self._brief) and not passed) or deaths >= self._run.zygote.limits.deaths:
                stopped = result
        return scoring.score(exercise, weighed)

    def _diagnosed(self, exercise: Exercise, result: ExerciseResult) -> ExerciseResult:
        """The result with what is known about the mistake: a belief or a relation, a question, how it behaves."""
        assert self._surveys is not None
        if result.verdict in (Verdict.PASSED, Verdict.NOT_ATTEMPTED, Verdict.GRADER_ERROR):
            return result
        found = diagnose(self._surveys, self._assignment, exercise, result, self._run)
        return replace(
            result,
            misconception=found.belief,
            relation=found.relation,
            question=found.question,
            more=found.more,
            behaviour=found.behaviour,
        )

    def _in_order(self, hidden: Sequence[HiddenCheck]) -> list[HiddenCheck]:
        first = self._suspects if self._brief else set()
        return sorted(hidden, key=lambda check: (check.name not in first, not check.gate))

    def _result(self, check: VisibleCheck | HiddenCheck, judgement: Judgement) -> CheckResult:
        """The result of a check with the remark on it, unless nothing may depend on what came back."""
        plain = CheckResult(
            _name(check), judgement.verdict, check.description, visible=not isinstance(check, HiddenCheck)
        )
        if self._shown is Shown.VERDICTS:
            return plain
        told = replace(plain, detail=_bounded(judgement.detail))
        if judgement.remark is None:
            return told
        return replace(
            told,
            message=_bounded(f"{check.description} {self._remark(judgement)}"),
            description=check.description,
            remark=judgement.remark,
            remark_text=_bounded(judgement.remark_text),
            fault=judgement.fault,
        )

    def _remark(self, judgement: Judgement) -> str:
        """The remark with the fault that explains it, if there is one."""
        if judgement.fault is None:
            return judgement.remark_text
        return f"{judgement.remark_text.removesuffix('.')}: {self._run.faults[judgement.fault]}"

    def _visible_result(self, check: VisibleCheck, judgement: Judgement, error: BaseException | None) -> CheckResult:
        """The result of a visible check: its numbers are not secret, so the student may read them all."""
        result = self._result(check, judgement)
        if self._shown is not Shown.QUOTES or judgement.verdict is Verdict.PASSED:
            return result
        if isinstance(error, StudentRaised):
            return replace(result, traceback=_traceback(error)) if judgement.verdict is Verdict.FAILED else result
        if not isinstance(error, AssertionError):
            return result
        rows = tuple(
            (label, _quoted(value)) for label, value in getattr(error, "rows", ())
        )  # as checks.checking has them
        question = getattr(error, "question", None)
        said = [f"{label}: {value}" for label, value in rows] or [_quoted(str(error))]
        message = "\n".join(filter(None, [check.description, *said, question]))
        return replace(result, message=message, description=check.description, rows=rows, question=question)

    def _judge(
        self, check: VisibleCheck | HiddenCheck, progress: _Progress, ask: Callable[[], BaseException | None]
    ) -> tuple[Judgement, BaseException | None]:
        first_call, answers = len(self._run.calls), self._run.answers
        error = ask()
        if self._run.failure is not None:  # whatever the check made of it
            raise self._run.failure
        calls = self._run.calls[first_call:]
        judgement = judge(error, answers=self._run.answers - answers, faulty=bool(self._run.faults))
        progress.calls += calls
        if self._record:
            self.calls += recorded(check.name, calls, visible=not isinstance(check, HiddenCheck))
        if self._explain:
            self.explanation += _explain(progress.exercise, check.name, judgement, calls)
        return judgement, error


_NOT_ASKED = (Verdict.BLOCKED, Verdict.NOT_ATTEMPTED)
_NOT_PASSED = tuple(verdict for verdict in Verdict if verdict is not Verdict.PASSED)
_ASKED_IN_VAIN = tuple(verdict for verdict in _NOT_PASSED if verdict not in _NOT_ASKED)


@dataclass
class _Progress:
    """How far the examination of one exercise has come."""

    exercise: Exercise
    weighed: list[scoring.Weighed] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def after_visible(self) -> _Progress:
        """How far it was when only the visible checks had been asked."""
        return _Progress(self.exercise, [weighed for weighed in self.weighed if weighed.result.visible])


def _run_visible(check: VisibleCheck, student: Student) -> BaseException | None:
    try:
        check.run(student)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - StudentStopped among them
        return error
    return None


def _traceback(error: StudentRaised) -> tuple[str, ...]:
    """The lines of the student's own cells that an error went through, and what it said."""
    said = _quoted(f"{error.type_name}: {error.args[0]}")
    lines = error.lines if len(error.lines) <= _MOST_LINES else (error.lines[0], *error.lines[1 - _MOST_LINES :])
    # Without a line it is mostly about the call, which the check shows; or the answer itself comes from a package that
    # is not there, and then only the error says so.
    if not lines and error.kind != "ModuleNotFoundError":
        return ()
    return (*(bounded(line, _LONGEST_LINE) for line in lines), said)


# A person learns nothing from more of a student's own text than this, and more could carry what is not theirs.
_LONGEST_QUOTE = 400
_LONGEST_LINE, _MOST_LINES = 120, 4
_LONGEST = 4000  # characters of a detail, which only instructors read


def _quoted(text: str) -> str:
    """The text, or as much of it as ends between two words, numbers or lines."""
    if len(text) <= _LONGEST_QUOTE:
        return text
    end = max(text.rfind(mark, _LONGEST_QUOTE // 2, _LONGEST_QUOTE) for mark in (" ", "\n"))
    return bounded(text, end if end > 0 else _LONGEST_QUOTE)


def _bounded(text: str) -> str:
    return bounded(text, _LONGEST)


def _name(check: VisibleCheck | HiddenCheck) -> str:
    return check.name if isinstance(check, HiddenCheck) else f"{VISIBLE}{check.name}"


def _blocked(check: VisibleCheck | HiddenCheck, by: CheckResult) -> CheckResult:
    verdict = Verdict.NOT_ATTEMPTED if by.verdict is Verdict.NOT_ATTEMPTED else Verdict.BLOCKED
    text = f"Not asked, because “{by.asks}” did not pass."
    return CheckResult(
        _name(check),
        verdict,
        f"{check.description} {text}",
        visible=not isinstance(check, HiddenCheck),
        description=check.description,
        remark=Remark.NOT_ASKED,
        remark_text=text,
    )


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
