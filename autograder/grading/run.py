"""What is asked of a run of `grade`, and what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.limits import Limits
from autograder.course.model import Result
from autograder.grading.cluster.status import ClusterStatus
from autograder.grading.places import Skipped
from autograder.sandbox import isolation

Progress = Callable[[int, int], None]  # is told how many submissions are done, and how many there are


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    out: Path
    workers: int = 0
    isolation: str = isolation.AUTO
    full: bool = False
    force: bool = False
    explain: bool = False
    changes: bool = False
    limits: Limits | None = None
    allowed: tuple[str, ...] | None = None
    """The packages that a class allows; None where the course decides. As for limits."""
    executor: str = "local"
    scheduler: str | None = None
    fixed: bool = False  # the same hidden numbers for everybody, and no secret
    tell: Callable[[str], None] = lambda words: None  # is told what whoever grades should know
    watch: Callable[[ClusterStatus], None] = lambda status: None  # is told how a cluster is doing


@dataclass(frozen=True)
class Change:
    """A score that differs from that of the previous run."""

    student: str
    assignment: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Run:
    """What a run of `grade` did."""

    results: tuple[Result, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[tuple[str, str], ...]
    unchanged: int
    isolation: str
    explanation: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    written: bool = True
    """Whether the output folder has these results now; otherwise it is as it was."""
    cautions: tuple[str, ...] = ()
    """Where it is not known, or not as one would think, what a submission was asked before."""
    kept: tuple[tuple[str, str], ...] = ()
    """The students and assignments with results of earlier runs only: this run has read no submission of theirs."""
    problems: tuple[str, ...] = ()
    """What keeps the output folder from having all that this run found out, in words."""

    @property
    def is_complete(self) -> bool:
        """Whether something was graded, and nothing failed to be for reasons that are not the students'."""
        ours = any(result.our_fault for result in self.results)
        skipped = any(entry.ours for entry in self.skipped)
        graded = any(result.ungraded is None for result in self.results)
        return graded and not (ours or skipped or self.problems)
