"""What must be true of a hidden suite: the targets, and the record of how the known answers fared against them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from autograder.course.catalogue import Answer, Survivor
from autograder.course.model import CheckResult, Exercise, ExerciseResult, Verdict
from autograder.validity.mutants import Mutant
from autograder.validity.record import ExerciseRecord, Kept, Record, Spared
from autograder.validity.wires import Wire

MEDIAN = 0.25  # of the exercise's points: what the wrong answers to it may keep at the median
BY_HEART = 0.25  # of the exercise's points: what knowing the visible answers by heart may be worth
EXPLAINED = 0.5  # of the exercise's points: a wrong answer that keeps more needs a reason
WIRED = 0.25  # of the exercise's points: what passing on an earlier exercise may be worth
KILLED = 0.95  # of the mutants that are not equivalent
RIGHT, WRONG = 3, 3  # answers to each exercise that the catalogue must know
WRONG_ON_AVERAGE = 6


@dataclass(frozen=True)
class Rejected:
    """A wrong answer with its marks, and what it was diagnosed as: when graded, with other numbers, and as a stranger.

    A stranger is an answer that is not in the catalogue. Another name for it means that what was asked does not tell
    the two apart; as both are in the catalogue, neither is named.
    """

    answer: Answer
    result: ExerciseResult
    diagnosed: str | None
    unseen: str | None
    mistaken_for: str | None


@dataclass(frozen=True)
class Evidence:
    """What the known answers to one exercise were given; `right` names the answers that each result is about."""

    exercise: Exercise
    reference: ExerciseResult
    stub: ExerciseResult
    by_heart: ExerciseResult | None
    right: Sequence[tuple[tuple[str, ...], ExerciseResult]]
    wrong: Sequence[Rejected]
    mutants: Sequence[tuple[Mutant, bool]]
    survivors: Sequence[Survivor]
    wired: Sequence[tuple[Wire, ExerciseResult]]


def record(stem: str, fingerprint: str, evidence: Iterable[Evidence], wired: float) -> Record:
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
            "declare less in may_use, or give more weight to what such answers fail"
        )
    return Record(stem, fingerprint, exercises, wired, tuple(overall))


def judge(evidence: Evidence) -> ExerciseRecord:
    """The record of an exercise; a problem in it says what is off, where, and what to do next."""
    exercise = evidence.exercise
    shares = [_share(found.result) for found in evidence.wrong]
    listed = {known_as(survivor): survivor for survivor in evidence.survivors}
    alive = [mutant for mutant, killed in evidence.mutants if not killed]
    spared = [Spared(key, listed[key].because, listed[key].kind) for key in map(known_as, alive) if key in listed]
    wrong_problems = [problem for found in evidence.wrong for problem in _problems_of(found)]
    record = ExerciseRecord(
        exercise=exercise.name,
        points=exercise.points,
        reference=_share(evidence.reference),
        stub=_share(evidence.stub),
        by_heart=None if evidence.by_heart is None else _share(evidence.by_heart),
        right=sum(len(names) for names, _ in evidence.right),
        accepted=sum(len(names) for names, result in evidence.right if result.score == exercise.points),
        wrong=len(evidence.wrong),
        rejected=sum(not _escape(found) for found in evidence.wrong),
        median=median(shares) if shares else 0.0,
        most=max(shares, default=0.0),
        kept=tuple(
            Kept(found.answer.name, share, found.answer.fair or "")
            for found, share in zip(evidence.wrong, shares, strict=True)
            if share > EXPLAINED
        ),
        mutants=len(evidence.mutants),
        killed=sum(killed for _, killed in evidence.mutants),
        spared=tuple(spared),
        named=sum(found.unseen == found.answer.name for found in evidence.wrong),
        wired=max((_share(result) for _, result in evidence.wired), default=None),
        misnamed=sum(len(_misnamings(found)) for found in evidence.wrong),
        alike=tuple(
            (found.answer.name, found.mistaken_for) for found in evidence.wrong if found.mistaken_for is not None
        ),
        problems=(),
    )
    problems = [
        *_problems_of_the_whole(evidence, record),
        *wrong_problems,
        *_problems_of_mutants(alive, evidence.survivors, record),
    ]
    return dataclasses.replace(record, problems=tuple(f"{exercise.name}: {problem}" for problem in problems))


def _share(result: ExerciseResult) -> float:
    return round(result.score / result.points, 4)


def known_as(mutant: Mutant | Survivor) -> str:
    """What a mutant is called, by us and in the catalogue."""
    return f"{mutant.function}: {mutant.change}"


def _problems_of_the_whole(evidence: Evidence, record: ExerciseRecord) -> Iterable[str]:
    name = record.exercise
    if record.reference != 1:
        failure = _first_failure(evidence.reference.checks)
        yield f"the reference gets {record.reference:.0%}, {failure}; correct the check or the source"
    if record.stub or evidence.stub.verdict is not Verdict.NOT_ATTEMPTED:
        verdict = evidence.stub.verdict
        yield f"the untouched stub gets {record.stub:.0%} and is called {verdict}; a check asks nothing of {name}"
    if record.by_heart is not None and record.by_heart > BY_HEART:
        yield (
            f"who knows the visible answers by heart gets {record.by_heart:.0%}, more than {BY_HEART:.0%}; "
            "use other numbers in the hidden checks, or give more weight to those that do"
        )
    for wire, result in evidence.wired:
        if _share(result) > WIRED:
            yield (
                f"an answer that only passes on {wire.through} ({wire.how}) gets {_share(result):.0%}, "
                f"more than {WIRED:.0%}; take {wire.through} out of may_use"
            )
    for names, result in evidence.right:
        if result.score != result.points:
            who = f"the right answer {' with '.join(names)}" if names else "the reference, beside other right answers,"
            yield f"{who} gets {_share(result):.0%}, {_first_failure(result.checks)}; ask no more than the contract"
    if record.right < RIGHT:
        yield f"the catalogue knows {record.right} right answers; add some, {RIGHT} are asked for"
    if record.wrong < WRONG:
        yield f"the catalogue knows {record.wrong} wrong answers; add some, {WRONG} are asked for"
    if record.median > MEDIAN:
        yield (
            f"at the median its wrong answers keep {record.median:.0%}, more than {MEDIAN:.0%}; "
            "give more weight to the check that they fail"
        )


def _problems_of(found: Rejected) -> Iterable[str]:
    name, share = found.answer.name, _share(found.result)
    escape = _escape(found)
    if escape:
        yield f"the wrong answer {name} {escape}"
    elif share > EXPLAINED and not found.answer.fair:
        yield (
            f"the wrong answer {name} keeps {share:.0%}; give more weight to {found.answer.caught_by}, "
            "or say with fair=... why that is fair"
        )
    elif share <= EXPLAINED and found.answer.fair:
        yield f"the wrong answer {name} keeps only {share:.0%}; remove the reason why more is fair"
    for other in _misnamings(found):
        yield f"the wrong answer {name} is taken for {other}; make a check ask for what tells them apart"


def _misnamings(found: Rejected) -> list[str]:
    return [name for name in (found.diagnosed, found.unseen) if name is not None and name != found.answer.name]


def _escape(found: Rejected) -> str:
    """Why a wrong answer does not count as rejected by the check that it names; empty when it does."""
    checks, named = found.result.checks, found.answer.caught_by
    failures = [check for check in checks if check.verdict not in (Verdict.PASSED, Verdict.BLOCKED)]
    failed, visible = {check.name for check in failures}, any(check.visible for check in failures)
    if found.result.score == found.result.points:
        return "gets full marks; add a check that rejects it"
    if visible and found.result.score:
        return "gets marks, although a visible check rejects it; that must not be"
    if named == "visible":
        return "" if visible else "passes all visible checks, one of which should catch it"
    if named not in {check.name for check in checks}:
        return f"names the check {named}, which does not exist"
    if named not in failed and not visible:
        return f"is not caught by {named}, but by {', '.join(sorted(failed)) or 'nothing'}; name that"
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


def _first_failure(checks: Sequence[CheckResult]) -> str:
    for check in checks:
        if check.verdict is not Verdict.PASSED:
            return f"{check.name} {check.verdict} ({check.detail})"
    return "and nothing failed"
