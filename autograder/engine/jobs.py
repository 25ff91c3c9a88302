"""What an executor moves: jobs, settings and outcomes. They travel as JSON, through the codec."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from autograder.course.draw import FIXED
from autograder.course.limits import Limits
from autograder.course.model import CheckResult, Fault, Result, Whose


@dataclass(frozen=True)
class Captured:
    """What may be quoted of a submission: it was said before the first hidden question to anything of its student's."""

    visible: tuple[tuple[CheckResult, ...], ...]
    """The results of the visible checks, exercise by exercise."""
    faults: tuple[Fault, ...]
    notes: tuple[Fault, ...]


@dataclass(frozen=True)
class Job:
    """A submission on its way to a grader: who handed in what, as the bytes of the file.

    With `quoting=False`, hidden questions have been asked of it before: nothing of what its code says now is shown, but
    only what was `captured` then, if anything was.
    Hidden checks draw their numbers from `seed`; `attempt` and `secret` say what it was made of.
    The last five are for known answers: examine one exercise only; stop at the first check that does not pass, and do
    not ask which belief is behind it; keep the calls that were made; wait for a call no longer than so many seconds;
    ask the hidden checks again with the numbers of other seeds, in the same process.
    """

    student: str
    assignment: str
    content: bytes
    key: str = ""
    repairs: tuple[str, ...] = ()
    quoting: bool = True
    captured: Captured | None = None
    seed: str = FIXED
    attempt: str = ""
    secret: str = ""
    only: str | None = None
    brief: bool = False
    record: bool = False
    patience: float | None = None
    other_seeds: tuple[str, ...] = ()


Portfolio = tuple[Job, ...]
"""What one student handed in, graded together: all of it is run and asked the visible checks before the first hidden
question, so that nothing that is shown of one notebook can come from the hidden checks of another."""


def portfolios(jobs: Iterable[Job]) -> Iterator[Portfolio]:
    """The jobs by student; those of one student must follow one another."""
    for _, together in groupby(jobs, key=lambda job: job.student):
        yield tuple(together)


def with_captured(portfolio: Portfolio, captured: Sequence[Captured | None]) -> Portfolio:
    """The jobs for one more attempt: if anything was captured, hidden questions may have been asked since."""
    if not captured:
        return portfolio
    found = [job.captured or one for job, one in zip(portfolio, captured, strict=True)]
    return tuple(replace(job, quoting=False, captured=one) for job, one in zip(portfolio, found, strict=True))


@dataclass(frozen=True)
class Settings:
    """How to grade: the same for every submission of a run."""

    course: Path
    isolation: str
    limits: Limits = field(default_factory=Limits)
    full: bool = False
    explain: bool = False
    allowed: tuple[str, ...] = ()
    """The packages that can be imported although the course does without them."""
    probes: str = FIXED
    """What the numbers of the probes are drawn from: the same for a whole class, so that answers can be compared."""


@dataclass(frozen=True)
class Mark:
    """What an exercise earned with the numbers of one seed: the marks, and the checks that did not pass."""

    exercise: str
    score: float
    failed: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """A result, and what else is worth keeping: the notebook with its outputs, where the time went, the calls made."""

    result: Result
    notebook: bytes | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    explanation: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    """The calls that were made, as `recording.pack` packs them."""
    asked: int = 0
    """How often the reference was asked in place of an answer that failed."""
    others: tuple[tuple[Mark, ...], ...] = ()
    """What it earned with the numbers of each of the job's other seeds."""


def ungraded(job: Job, isolation: str, reason: str, whose: Whose) -> Outcome:
    """The outcome of a submission that could not be graded, with the reason and whose fault it is."""
    return Outcome(
        Result(
            job.student,
            job.assignment,
            isolation,
            (),
            repairs=job.repairs,
            key=job.key,
            ungraded=reason,
            ungraded_by=whose,
            seed=job.seed,
            attempt=job.attempt,
            secret=job.secret,
        )
    )


@dataclass(frozen=True)
class Start:
    """What a grading process is told first."""

    settings: Settings
    stems: tuple[str, ...]
    number: int


@dataclass(frozen=True)
class Isolated:
    """What it is told next: the isolation that was found to hold."""

    isolation: str


@dataclass(frozen=True)
class Reply:
    """What it says: the outcomes of a portfolio, what is wrong with the course's own material, or that it waits."""

    outcomes: tuple[Outcome, ...] = ()
    failure: str = ""
    waiting: bool | None = None
    """Whether it waits for other grading processes now; None when this is not what it says."""
    captured: tuple[Captured | None, ...] = ()
    """For each submission of the portfolio, what may be quoted of it; from now on, hidden questions are asked."""
