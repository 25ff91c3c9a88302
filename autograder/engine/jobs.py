"""What an executor moves: jobs, settings and outcomes, and how they travel as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from autograder.course import codec
from autograder.course.limits import Limits
from autograder.course.model import Result, Whose


@dataclass(frozen=True)
class Job:
    """A submission on its way to a grader: who handed in what, as the bytes of the file.

    The last four are for known answers: examine one exercise only; stop at the first check that does not pass, and do
    not ask which belief is behind it; keep the calls that were made; wait for a call no longer than so many seconds.
    """

    student: str
    assignment: str
    content: bytes
    key: str = ""
    repairs: tuple[str, ...] = ()
    only: str | None = None
    brief: bool = False
    record: bool = False
    patience: float | None = None


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
    calls: tuple[str, ...] = ()
    """The calls that were made, as `recording.pack` packs them."""


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
        )
    )


def settings_to_json(settings: Settings) -> dict[str, Any]:
    """Settings as plain data."""
    return cast(dict[str, Any], codec.to_plain(settings))


def settings_from_json(values: dict[str, Any]) -> Settings:
    """Settings that came as plain data."""
    return codec.from_plain(values, Settings)


def job_to_json(job: Job) -> dict[str, Any]:
    """A job as plain data."""
    return cast(dict[str, Any], codec.to_plain(job))


def job_from_json(values: dict[str, Any]) -> Job:
    """A job that came as plain data."""
    return codec.from_plain(values, Job)


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data."""
    return cast(dict[str, Any], codec.to_plain(outcome))


def outcome_from_json(values: dict[str, Any]) -> Outcome:
    """An outcome that came as plain data."""
    return codec.from_plain(values, Outcome)
