"""The words that every other module speaks: verdicts, exercises, checks and results."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from autograder.course.kinds import Kind

FIXED = "fixed"  # the seed where there is no secret: the same hidden numbers for everybody
TOUR = "00_"  # how the stem of a notebook begins that is released, but not graded
VISIBLE = "visible: "  # how the name of a check begins that students have, too
NEXT_CELL = "\n\n# %%\n"  # between two cells of the code that is kept: a comment that editors know as such


class Verdict(StrEnum):
    """What is known about one check, or one exercise, after grading."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ATTEMPTED = "not attempted"
    BLOCKED = "blocked"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    CRASHED = "crashed"
    GRADER_ERROR = "grader error"


class Remark(StrEnum):
    """What kind of remark a check's result carries, beyond a value that is not the expected one."""

    NOT_FILLED_IN = "not filled in"
    NOT_DEFINED = "not defined"
    RAISED = "raised"
    STOPPED = "stopped"
    OTHER_FORM = "other form"
    GRADER_FAILED = "grader failed"
    NOT_ASKED = "not asked"


class Unasked(StrEnum):
    """Why a check was not asked."""

    GATE = "gate"
    """The gate did not pass, and nothing counts without it."""
    STOPPED = "stopped"
    """A check before it took too long, crashed, or ran out of memory: this one would most likely do the same."""
    EMPTY = "empty"
    """There is nothing to ask: what it is about was not filled in, or is not defined."""


class FaultKind(StrEnum):
    """What went wrong when a notebook was run."""

    CHECK_CELL = "check cell"
    """A check cell that failed: the checks say the same, and say it better."""
    RAISED = "raised"
    """A cell that ended with an error."""
    STOPPED = "stopped"
    """A cell that took too long, crashed, or ran out of memory or disk."""
    NOT_RUN = "not run"
    """Cells that were not run, because of those before them."""
    CUT = "cut"
    """Output that was too long to be kept."""


class Whose(StrEnum):
    """Whose fault it is that a submission could not be graded."""

    STUDENT = "student"
    GRADER = "grader"
    MACHINE = "machine"
    """It ended processes that grading needs, or had no memory left for them: another time it may have."""


@dataclass(frozen=True)
class Fault:
    """Something that went wrong when a notebook was run, in words that its student may read."""

    text: str
    kind: FaultKind

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Exercise:
    """One thing that is asked: its name, its points, and the functions that answer it."""

    name: str
    points: int
    functions: tuple[str, ...]
    may_use: tuple[str, ...] = ()
    """Earlier exercises that an answer may build on: if one of these failed, this one is followed through."""


@dataclass(frozen=True)
class CheckResult:
    """What one check said. `detail` and a hidden check's name are for instructors only; students may read the rest."""

    name: str
    verdict: Verdict
    message: str
    """Everything below as one text."""
    detail: str = ""
    traceback: tuple[str, ...] = ()
    """The lines of the student's own cells that an error of a visible check went through, and what it said."""
    visible: bool = False
    """Whether students have the check, too."""
    description: str = ""
    """What the check asks; empty where the message says no more than that."""
    remark: Remark | None = None
    remark_text: str = ""
    """The remark as a sentence."""
    fault: int | None = None
    """Which of the notebook's faults explains the remark, as a place in `Result.faults`."""
    rows: tuple[tuple[str, str], ...] = ()
    """What a visible check called, what came back, what was expected: label and value."""
    question: str | None = None
    """What a visible check asks somebody who made this mistake."""
    kind: Kind = Kind.PLAIN
    """What the check asks for; the price of its kind is shared by all checks of that kind."""
    gate: bool = False
    """Whether the whole exercise is lost if it fails."""
    worth: float = 0.0
    """The points that are lost if it fails; where the gate fails, all points of the exercise are."""

    @property
    def asks(self) -> str:
        """What the check asks, in a sentence."""
        return self.description or self.message

    @property
    def was_asked(self) -> bool:
        """Whether there was something to ask, and it was asked."""
        return self.verdict not in (Verdict.BLOCKED, Verdict.NOT_ATTEMPTED) and self.remark is not Remark.NOT_DEFINED


@dataclass(frozen=True)
class Reply:
    """What an instructor answers everybody whose answer to an exercise behaves alike; the texts are Markdown."""

    question: str = ""
    comment: str = ""
    points: float | None = None
    """The mark that was given by hand, if there is one."""
    earned: float = 0.0
    """What the checks gave, so that a reply can be taken back."""


@dataclass(frozen=True)
class ExerciseResult:
    """The marks of one exercise, and the checks that they come from."""

    name: str
    score: float
    points: int
    verdict: Verdict
    checks: tuple[CheckResult, ...]
    misconception: str | None = None
    question: str | None = None
    followed_through: bool = False
    """Whether it was graded with the reference in place of earlier answers that failed, so that these cost once."""
    relation: str | None = None
    """How what came back relates to the right values, where no belief was recognised: a name, for instructors."""
    more: bool = False
    """Whether something is wrong beyond what the question is about."""
    behaviour: str = ""
    """A digest of the answers to the probes: who has the same one behaves alike. Empty where nobody was probed."""
    code: str = ""
    """The student's own cells that define the functions of the exercise, as far as they are kept: see `NEXT_CELL`."""
    reply: Reply | None = None
    """What an instructor answered everybody who answered like this; a mark in it is the score."""

    @property
    def earned(self) -> float:
        """What the checks gave, whatever mark was given by hand."""
        return self.score if self.reply is None else self.reply.earned

    @property
    def group(self) -> str:
        """The behaviour that this answer shares with others, if it is wrong and was looked at; otherwise empty."""
        return "" if self.verdict in _IN_NO_GROUP else self.behaviour

    @property
    def asked(self) -> tuple[CheckResult, ...]:
        """The checks that were asked."""
        return tuple(check for check in self.checks if check.was_asked)

    @property
    def unasked(self) -> dict[Unasked, tuple[CheckResult, ...]]:
        """The checks that were not asked, by the reason why."""
        found: dict[Unasked, list[CheckResult]] = {}
        for check in self.checks:
            if not check.was_asked:
                found.setdefault(self._reason(check), []).append(check)
        return {reason: tuple(found[reason]) for reason in Unasked if reason in found}

    def _reason(self, check: CheckResult) -> Unasked:
        if check.verdict is not Verdict.BLOCKED:
            return Unasked.EMPTY
        if check.visible:  # only what ended its process keeps another visible check from being asked
            return Unasked.STOPPED
        gates = [one for one in self.checks if one.gate and one.verdict not in (Verdict.PASSED, Verdict.BLOCKED)]
        if not gates:
            return Unasked.STOPPED
        return Unasked.GATE if any(gate.was_asked for gate in gates) else Unasked.EMPTY


_IN_NO_GROUP = (Verdict.PASSED, Verdict.NOT_ATTEMPTED)


@dataclass(frozen=True)
class Result:
    """Everything that grading one submission found out."""

    student: str
    assignment: str
    isolation: str
    exercises: tuple[ExerciseResult, ...]
    faults: tuple[Fault, ...] = ()
    repairs: tuple[str, ...] = ()
    key: str = ""
    ungraded: str | None = None
    """Why it could not be graded, in words; None when it was."""
    ungraded_by: Whose | None = None
    seed: str = FIXED
    """What the numbers of the hidden checks were drawn from: with it, the same questions can be asked again."""
    attempt: str = ""
    """A digest of the code that was handed in: who hands in the same again is asked with the same numbers."""
    secret: str = ""
    """Which of the course's secrets the seed was made with, as a fingerprint; empty where it was none."""
    pressure: str = ""
    """What the machine did meanwhile, in words: the result stands, and the next run grades it again."""
    isolation_reason: str = ""
    """Why student code did not get the strongest isolation, where nobody had asked for a weaker one."""

    @property
    def our_fault(self) -> bool:
        """Whether it was not graded, and not because of its student: another attempt may grade it."""
        return self.ungraded_by in (Whose.GRADER, Whose.MACHINE)

    @property
    def score(self) -> float:
        """The sum of the exercises' marks."""
        return round(sum(exercise.score for exercise in self.exercises), 2)

    @property
    def earned(self) -> float:
        """The sum of what the checks gave."""
        return round(sum(exercise.earned for exercise in self.exercises), 2)

    @property
    def max_score(self) -> int:
        """The sum of the exercises' points."""
        return sum(exercise.points for exercise in self.exercises)
