"""What must be true of a hidden suite: the targets, and the record of how the known answers fared against them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from autograder.course import kinds
from autograder.course.catalogue import Answer, Survivor
from autograder.course.kinds import Kind
from autograder.course.model import CheckResult, Exercise, ExerciseResult, Verdict
from autograder.engine.diagnosis.mutants import Mutant
from autograder.engine.recording import Recorded
from autograder.validity import left_alone, promises
from autograder.validity.luck import RECORDED, Graded
from autograder.validity.record import UNKNOWN, ExerciseRecord, Kept, Lucky, Recognised, Record, Spared
from autograder.validity.wires import Wire

MEDIAN = 0.25  # of the exercise's points: what answers that are wrong on plain numbers may keep at the median
BY_HEART = 0.25  # of the exercise's points: what knowing the visible answers by heart may be worth
EXPLAINED = 0.5  # of the exercise's points: an answer that is wrong on plain numbers and keeps more needs a reason
SPREAD = 0.02  # of the exercise's points: the standard deviation over seeds of what a wrong answer may get
NAMED = 0.95  # of the seeds: how often the check that a wrong answer names must catch it
WIRED = 0.25  # of the exercise's points: what passing on an earlier exercise may be worth
KILLED = 0.95  # of the mutants that are not equivalent
ASKED, FALSE = 0.8, 0.01  # of the wrong answers that nobody knows: how many get a question, of these how many a false
RIGHT, WRONG = 3, 3  # answers to each exercise that the catalogue must know
WRONG_ON_AVERAGE = 6


@dataclass(frozen=True)
class Rejected:
    """A wrong answer with its marks."""

    answer: Answer
    graded: Graded

    @property
    def share(self) -> float:
        """The share of the points that it keeps, on average over the seeds."""
        return round(fmean(self.graded.shares), 4)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of checks that it fails, with any numbers."""
        failed = set().union(*self.graded.failed)
        found = {check.kind for check in self.graded.result.checks if check.name in failed}
        return tuple(kind for kind in Kind if kind in found)


@dataclass(frozen=True)
class Evidence:
    """What the known answers to one exercise were given; `right` names the answers that each result is about."""

    exercise: Exercise
    reference: Graded
    stub: Graded
    by_heart: Graded | None
    right: Sequence[tuple[tuple[str, ...], Graded]]
    wrong: Sequence[Rejected]
    mutants: Sequence[tuple[Mutant, Graded]]
    survivors: Sequence[Survivor]
    wired: Sequence[tuple[Wire, ExerciseResult]]
    promised: Sequence[str] = ()
    kept: Mapping[str, promises.Kept] = field(default_factory=dict)
    calls: Sequence[Recorded] = ()
    """What the reference was asked."""
    recognised: Recognised = UNKNOWN


def record(stem: str, fingerprint: str, evidence: Iterable[Evidence], wired: float, seeds: int) -> Record:
    """The record of a notebook: of its exercises, of the catalogue as a whole, and of what passing on is worth."""
    exercises = tuple(map(judge, evidence))
    wrong = sum(exercise.wrong for exercise in exercises)
    overall = []
    if wrong < WRONG_ON_AVERAGE * len(exercises):
        asked = f"add some, {WRONG_ON_AVERAGE} per exercise on average are asked for"
        overall.append(f"the catalogue knows {wrong} wrong answers; {asked}")
    if wired:
        overall.append(
            f"a notebook in which nothing is solved earns {wired:g} points by passing on what exercises may use; "
            "declare less in may_use, or let a gate ask for what such answers fail"
        )
    return Record(stem, fingerprint, exercises, seeds, wired, tuple(overall))


def judge(evidence: Evidence) -> ExerciseRecord:
    """The record of an exercise; a problem in it says what is off, where, and what to do next."""
    exercise, wrong = evidence.exercise, evidence.wrong
    plainly = [found.share for found in wrong if Kind.PLAIN in found.kinds]
    listed = {known_as(survivor): survivor for survivor in evidence.survivors}
    alive = [mutant for mutant, graded in evidence.mutants if max(graded.shares) == 1]
    spared = [Spared(key, listed[key].because, listed[key].kind) for key in map(known_as, alive) if key in listed]
    prices = _prices(evidence.reference.result)
    record = ExerciseRecord(
        exercise=exercise.name,
        points=exercise.points,
        reference=min(evidence.reference.shares),
        stub=max(evidence.stub.shares),
        by_heart=None if evidence.by_heart is None else max(evidence.by_heart.shares),
        right=sum(len(names) for names, _ in evidence.right),
        accepted=sum(len(names) for names, graded in evidence.right if graded.is_accepted()),
        wrong=len(wrong),
        rejected=sum(not _escape(found) for found in wrong),
        median=median(plainly) if plainly else 0.0,
        most=max((found.share for found in wrong), default=0.0),
        kept=tuple(
            Kept(found.answer.name, found.share, found.answer.fair or f"fails {', '.join(found.kinds)}")
            for found in wrong
            if found.share > EXPLAINED
        ),
        mutants=len(evidence.mutants),
        killed=len(evidence.mutants) - len(alive),
        spared=tuple(spared),
        wired=max((_share(result) for _, result in evidence.wired), default=None),
        problems=(),
        luck=max((found.graded.spread for found in wrong), default=0.0),
        lucky=tuple(
            Lucky(found.answer.name, found.graded.spread, found.answer.luck)
            for found in wrong
            if found.answer.luck is not None
        ),
        recognised=evidence.recognised,
        plain=prices.pop(Kind.PLAIN, 0.0),
        prices=tuple((kind.value, price) for kind, price in prices.items()),
    )
    problems = [
        *_problems_of_the_whole(evidence, record),
        *_problems_of_prices(evidence.reference.result, record),
        *left_alone.problems(exercise.functions, evidence.calls, _asking(evidence.reference.result)),
        *promises.problems(evidence.promised, evidence.kept, (c.name for c in evidence.reference.result.checks)),
        *(problem for found in wrong for problem in problems_of(found)),
        *_problems_of_mutants(alive, evidence.survivors, record),
        *_problems_of_names(evidence),
    ]
    return dataclasses.replace(record, problems=tuple(f"{exercise.name}: {problem}" for problem in problems))


def _asking(result: ExerciseResult) -> set[str]:
    return {check.name for check in result.checks if check.kind is Kind.SIDE_EFFECT}


def _prices(result: ExerciseResult) -> dict[Kind, float]:
    """The share of the points that the checks of each kind are worth."""
    return {
        kind: round(sum(check.worth for check in result.checks if check.kind is kind) / result.points, 2)
        for kind in Kind
        if any(check.kind is kind for check in result.checks)
    }


def _problems_of_prices(reference: ExerciseResult, record: ExerciseRecord) -> Iterable[str]:
    gates = [check.name for check in reference.checks if check.gate]
    if len(gates) != 1:
        yield f"it has {len(gates)} gates; let the plainest numbers be the one gate, and give the others a kind"
    if record.plain < kinds.LEAST / 100:
        yield (
            f"plain numbers are worth {record.plain:.0%}, less than {kinds.LEAST} %; "
            "ask for fewer other kinds, or stress nothing"
        )
    for kind, price in record.prices:
        if price > EXPLAINED:
            yield f"the checks of the kind {kind} are worth {price:.0%}; no single kind may cost more than half"


def _share(result: ExerciseResult) -> float:
    return round(result.score / result.points, 4)


def known_as(mutant: Mutant | Survivor) -> str:
    """What a mutant is called, by us and in the catalogue."""
    return f"{mutant.function}: {mutant.change}"


def _problems_of_the_whole(evidence: Evidence, record: ExerciseRecord) -> Iterable[str]:
    name = record.exercise
    if record.reference != 1:
        failure = _first_failure(evidence.reference)
        yield f"the reference gets {record.reference:.0%}, {failure}; correct the check or the source"
    verdict = evidence.stub.result.verdict
    if record.stub or verdict is not Verdict.NOT_ATTEMPTED:
        yield f"the untouched stub gets {record.stub:.0%} and is called {verdict}; a check asks nothing of {name}"
    if record.by_heart is not None and record.by_heart > BY_HEART:
        yield (
            f"who knows the visible answers by heart gets {record.by_heart:.0%}, more than {BY_HEART:.0%}; "
            "let the gate ask with other numbers than the visible checks"
        )
    for wire, result in evidence.wired:
        if _share(result) > WIRED:
            yield (
                f"an answer that only passes on {wire.through} ({wire.how}) gets {_share(result):.0%}, "
                f"more than {WIRED:.0%}; take {wire.through} out of may_use"
            )
    for names, graded in evidence.right:
        if not graded.is_accepted():
            who = f"the right answer {' with '.join(names)}" if names else "the reference, beside other right answers,"
            yield f"{who} gets {min(graded.shares):.0%}, {_first_failure(graded)}; ask no more than the contract"
    if record.right < RIGHT:
        yield f"the catalogue knows {record.right} right answers; add some, {RIGHT} are asked for"
    if record.wrong < WRONG:
        yield f"the catalogue knows {record.wrong} wrong answers; add some, {WRONG} are asked for"
    if record.median > MEDIAN:
        yield (
            f"at the median its answers that are wrong on plain numbers keep {record.median:.0%}, more than "
            f"{MEDIAN:.0%}; let the gate reject them"
        )


def problems_of(found: Rejected) -> Iterable[str]:
    """What is off with one wrong answer, as it was graded, and what to do about it."""
    name, share, answer = found.answer.name, found.share, found.answer
    escape = _escape(found)
    needs_reason = share > EXPLAINED and Kind.PLAIN in found.kinds
    if escape:
        yield f"the wrong answer {name} {escape}"
    elif needs_reason and not answer.fair:
        yield (
            f"the wrong answer {name} is wrong on plain numbers and keeps {share:.0%}; let the gate reject it, "
            "or say with fair=... why that is fair"
        )
    elif answer.fair and not needs_reason:
        yield f"the wrong answer {name} pays the price of {', '.join(found.kinds)}; remove fair=..."
    if found.graded.spread > SPREAD and not answer.luck:
        shares = found.graded.shares
        yield (
            f"the wrong answer {name} gets between {min(shares):.0%} and {max(shares):.0%}, as luck has it "
            f"(standard deviation {found.graded.spread:.1%}); draw numbers that show the mistake every time, "
            "or say with luck=... why that is fair"
        )
    elif answer.luck and found.graded.spread <= SPREAD and len(found.graded.shares) >= RECORDED:
        yield f"the wrong answer {name} gets the same with all numbers; remove luck=..."
    if not found.graded.result.score and not any(check.visible for check in _failures(found)):
        yield (
            f"the wrong answer {name} passes all visible checks and gets nothing; "
            "change the numbers of a visible check so that it shows the mistake"
        )


def _problems_of_names(evidence: Evidence) -> Iterable[str]:
    graded = [(found.answer.name, found.graded.result.misconception) for found in evidence.wrong]
    named = {(name, other) for name, other in graded if other not in (None, name)} | set(evidence.recognised.misnamed)
    for name, other in sorted(named):
        yield f"the wrong answer {name} is taken for {other}; make a check ask for what tells them apart"


def _failures(found: Rejected) -> list[CheckResult]:
    return [check for check in found.graded.result.checks if check.verdict not in (Verdict.PASSED, Verdict.BLOCKED)]


def _escape(found: Rejected) -> str:
    """Why a wrong answer does not count as rejected by the check that it names; empty when it does."""
    named, graded = found.answer.caught_by, found.graded
    perfect = sum(share == 1 for share in graded.shares)
    if perfect:
        return f"gets full marks with {perfect} of {len(graded.shares)} seeds; add a check that rejects it with all"
    visible = {check.name for check in graded.result.checks if check.visible}
    if named == "visible":
        return "" if visible & graded.failed[0] else "passes all visible checks, one of which should catch it"
    if named not in {check.name for check in graded.result.checks}:
        return f"names the check {named}, which does not exist"
    times = sum(named in failed for failed in graded.failed)
    if times < NAMED * len(graded.failed):
        others = ", ".join(sorted(set().union(*graded.failed) - {named})) or "nothing"
        return f"is caught by {named} with {times} of {len(graded.failed)} seeds, and else by {others}; name that"
    return ""


def _problems_of_mutants(
    alive: Sequence[Mutant], survivors: Sequence[Survivor], record: ExerciseRecord
) -> Iterable[str]:
    listed = {known_as(survivor) for survivor in survivors}
    living = {known_as(mutant) for mutant in alive}
    for change in sorted(living - listed):
        yield f"the mutant “{change}” lives; add a check that rejects it, or list it in SURVIVORS with the reason"
    for change in sorted(listed - living):
        yield f"SURVIVORS lists “{change}”, but no living mutant is called that; remove it"
    if record.killed < min(KILLED * record.mortal, record.mortal - 1):  # of fewer than twenty, one may live
        yield (
            f"{record.killed} of {record.mortal} mutants that matter are killed, less than {KILLED:.0%}; "
            "sharpen the checks"
        )


def _first_failure(graded: Graded) -> str:
    for check in graded.result.checks:
        if check.verdict is not Verdict.PASSED:
            return f"{check.name} {check.verdict} ({check.detail})"
    for number, failed in enumerate(graded.failed):
        if failed:
            return f"{', '.join(sorted(failed))} failed with the numbers of seed {number}"
    return "and nothing failed"
