"""What becomes of proposed answers when the real engine grades them, in the sandbox, with the numbers of some seeds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.authoring.learning.proposal import Proposal
from autograder.course import Course, notebook, policy, sources
from autograder.course.catalogue import Answer
from autograder.course.errors import GraderError
from autograder.course.model import FIXED, ExerciseResult
from autograder.engine.jobs import Job, Settings
from autograder.engine.judging import ENDED_PROCESS
from autograder.grading.local import grade_locally
from autograder.grading.seeds import secret
from autograder.grading.seeds.seeding import Seeds
from autograder.sandbox import isolation
from autograder.validity import criteria, luck, samples
from autograder.validity.criteria import Rejected
from autograder.validity.luck import Graded

SEEDS = 5


@dataclass(frozen=True)
class Probes:
    """What answers are compared with: the probes of the class, or those of nobody where these cannot be drawn now."""

    seed: str = FIXED
    same: bool = True
    """Whether they are those that the class was asked."""


@dataclass(frozen=True)
class Trial:
    """How a proposed answer fared."""

    proposal: Proposal
    graded: Graded
    comparable: bool

    @property
    def result(self) -> ExerciseResult:
        """What the first seed gave."""
        return self.graded.result

    @property
    def is_alike(self) -> bool:
        """Whether it behaves like those whose code it is."""
        return self.comparable and self.result.behaviour == self.proposal.group

    @property
    def ended(self) -> bool:
        """Whether it took too long, crashed, or used too much memory."""
        return any(check.verdict in ENDED_PROCESS for check in self.result.checks)

    @property
    def problems(self) -> list[str]:
        """What keeps it from being an entry of the catalogue."""
        found = [f"it was stopped: {self.result.verdict}"] if self.ended else []
        found += criteria.problems_of(Rejected(_answer(self.proposal), self.graded))
        known = self.result.misconception
        if known is not None:
            found.append(f"it is taken for {known}, which is in the catalogue")
        return found

    @property
    def remarks(self) -> list[str]:
        """What was found out, in words."""
        shares = self.graded.shares
        caught = sum(self.proposal.caught_by in failed for failed in self.graded.failed)
        visible = any(check.visible and check.name in self.graded.failed[0] for check in self.result.checks)
        told = [
            f"a visible check {'rejects' if visible else 'does not reject'} it"
            if self.proposal.caught_by == "visible"
            else f"{self.proposal.caught_by} rejects it with {caught} of {len(shares)} seeds",
            f"it keeps {sum(shares) / len(shares):.0%} of the points",
        ]
        if not self.comparable:
            told.append("whether it behaves like the group is not known: results were drawn with another secret")
        else:
            told.append(f"it {'behaves' if self.is_alike else 'does NOT behave'} like the group")
        if self.result.relation is not None:
            told.append(f"students are asked about it already, since a relation explains it: {self.result.relation}")
        return [*told, *self.problems]


def probes_of(course: Course, fingerprint: str) -> Probes:
    """What a class was probed with whose results say that they were drawn with this secret."""
    if not fingerprint:
        return Probes()
    seeds = Seeds(course, make=False)
    if seeds.secret is not None and seeds.secret.fingerprint == fingerprint:
        return Probes(seeds.probes)
    return Probes(same=False)


def try_out(
    course: Course, proposals: Sequence[Proposal], probes: Probes, *, hidden: Path, seeds: int = SEEDS, workers: int = 0
) -> list[Trial]:
    """How proposed answers to one exercise fare, in order. `hidden` is a folder that they must not see."""
    stem = proposals[0].stem
    source = sources.read(course.source(stem))
    mode = isolation.choose(
        isolation.AUTO,
        checks=course.checks,
        data=course.data,
        suites=course.suites,
        hidden=(course.solutions, course.catalogue, secret.folder(course), hidden),
    )
    settings = Settings(course.root, mode, policy.limits(course), allowed=policy.allowed(course), probes=probes.seed)
    first, *others = luck.seeds(seeds)
    how: dict[str, Any] = {"seed": first, "other_seeds": tuple(others)}
    jobs = [
        Job(
            str(number),
            stem,
            notebook.dumps(samples.answered(source, {one.function: one.code})),
            only=one.exercise,
            **how,
        )
        for number, one in enumerate(proposals)
    ]
    count = min(workers or os.cpu_count() or 1, len(jobs))
    found: dict[int, Trial] = {}
    for outcome in grade_locally(jobs, settings, workers=count, stems=[stem]):
        result = outcome.result
        if result.ungraded is not None:
            raise GraderError(f"The proposed answer could not be graded: {result.ungraded}. Try again.")
        marks = tuple(mark for marks in outcome.others for mark in marks)
        number = int(result.student)
        found[number] = Trial(proposals[number], Graded(result.exercises[0], marks), probes.same)
    return [found[number] for number in range(len(proposals))]


def _answer(proposal: Proposal) -> Answer:
    def nobody_calls_it(*args: object) -> None:
        raise NotImplementedError

    return Answer(
        proposal.exercise,
        proposal.name,
        proposal.belief,
        proposal.function,
        nobody_calls_it,
        proposal.caught_by,
        proposal.hint,
        proposal.fair,
        proposal.luck,
    )
