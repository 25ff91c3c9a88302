"""What an exception during a check means: the student's mistake, the student's process, or our own side."""

from __future__ import annotations

import math
from dataclasses import dataclass

from autograder.course.errors import GraderError
from autograder.course.model import Remark, Verdict
from autograder.engine.running import StudentStopped
from autograder.engine.student import StudentRaised

ENDED_PROCESS = (Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY)


@dataclass(frozen=True)
class Judgement:
    """A verdict, a remark that the student may read, and a detail that only instructors may."""

    verdict: Verdict
    remark: Remark | None = None
    remark_text: str = ""
    detail: str = ""
    fault: int | None = None
    """Which of the notebook's faults explains the remark."""


PASSED = Judgement(Verdict.PASSED)


def judge(error: BaseException | None, *, answers: int, faulty: bool = False) -> Judgement:
    """The judgement on a check that ended with `error`, after `answers` questions were answered with a value.

    A `faulty` notebook may lack names because a cell failed. Remarks quote nothing that a student's code can choose
    freely during a hidden call: it could choose the hidden numbers.
    """
    if error is None:
        return PASSED
    if isinstance(error, StudentStopped):
        return Judgement(error.verdict, Remark.STOPPED, _STOPPED.get(error.verdict, ""), str(error))
    if isinstance(error, StudentRaised):
        return _raised(error, faulty=faulty)
    if isinstance(error, AssertionError):
        return Judgement(Verdict.FAILED, detail=str(error))
    ours = isinstance(error, GraderError | OSError | MemoryError) and not _is_for_a_huge_array(error)
    if answers and isinstance(error, Exception) and not ours:
        # The reference passes this check, so what differs is what came back.
        text = "What your function gave back has another form than asked."
        return Judgement(Verdict.FAILED, Remark.OTHER_FORM, text, repr(error))
    text = "The grader failed here; this costs no marks."
    return Judgement(Verdict.GRADER_ERROR, Remark.GRADER_FAILED, text, repr(error))


def _is_for_a_huge_array(error: BaseException) -> bool:
    """Whether memory was asked for an array that no right answer leads to: a student's column plus a row is a table."""
    shape, dtype = (
        getattr(error, "shape", None),
        getattr(error, "dtype", None),
    )  # NumPy's own kind of MemoryError has them
    if not isinstance(error, MemoryError) or not isinstance(shape, tuple):
        return False
    return math.prod(shape) * getattr(dtype, "itemsize", 1) > _HUGE


_HUGE = 64 << 20  # bytes; checks work with a small part of that

_STOPPED = {
    Verdict.TIMED_OUT: "It took too long and was stopped.",
    Verdict.OUT_OF_MEMORY: "It used more memory than allowed and was stopped.",
    Verdict.CRASHED: "It ended the Python process, or answered in a way that cannot be read.",
}


# The kind of an error helps, but its choice can carry a message: only the commonest are named.
_NAMED = ("AttributeError", "IndexError", "KeyError", "NameError", "TypeError", "ValueError", "ZeroDivisionError")


def _raised(error: StudentRaised, *, faulty: bool) -> Judgement:
    detail = f"{error.kind}: {error}" + "".join(f"\n  {line}" for line in error.lines)
    if isinstance(error, NotImplementedError):
        return Judgement(Verdict.NOT_ATTEMPTED, Remark.NOT_FILLED_IN, "The stub has not been filled in.", detail)
    if isinstance(error, NameError) and error.about:  # the name that the check asked for is not there
        text = f"The notebook defines no `{error.about}`."
        if faulty:
            return Judgement(Verdict.FAILED, Remark.NOT_DEFINED, text, detail, fault=0)
        return Judgement(Verdict.NOT_ATTEMPTED, Remark.NOT_DEFINED, text, detail)
    text = f"Your code raised {error.kind if error.kind in _NAMED else 'an error'}."
    return Judgement(Verdict.FAILED, Remark.RAISED, text, detail)
