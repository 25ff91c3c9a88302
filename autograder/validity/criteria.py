"""What must be true of a hidden suite, and what was found: targets, records, the table and the document that show them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from autograder.course.catalogue import EQUIVALENT, TOLERATED, UNGRADED, Answer, Survivor
from autograder.course.model import VISIBLE, CheckResult, Exercise, ExerciseResult, Verdict
from autograder.validity.mutants import Mutant

MEDIAN = 0.25  # of the exercise's points: what the wrong answers to it may keep at the median
HARD_CODER = 0.25  # of the exercise's points: what knowing the visible answers by heart may be worth
EXPLAINED = 0.5  # of the exercise's points: a wrong answer that keeps more needs a reason
KILLED = 0.95  # of the mutants that are not equivalent
RIGHT, WRONG = 3, 3  # answers to each exercise that the catalogue must know
WRONG_ON_AVERAGE = 6


@dataclass(frozen=True)
class Rejected:
    """A wrong answer with its marks, and what it was diagnosed as: when graded, with other numbers, and as a stranger.

    A stranger is an answer that is not in the catalogue. Another name for it means: what was asked does not tell the two apart.
    As both are in the catalogue, neither is named.
    """

    answer: Answer
    result: ExerciseResult
    diagnosed: str | None
    held_out: str | None
    mistaken_for: str | None


@dataclass(frozen=True)
class Evidence:
    """What the known answers to one exercise were given. `right` has the names of the answers that each result is about."""

    exercise: Exercise
    reference: ExerciseResult
    stub: ExerciseResult
    hard_coder: ExerciseResult | None
    right: Sequence[tuple[tuple[str, ...], ExerciseResult]]
    wrong: Sequence[Rejected]
    mutants: Sequence[tuple[Mutant, bool]]
    survivors: Sequence[Survivor]


@dataclass(frozen=True)
class Kept:
    """A wrong answer that keeps more than half of the points, and why that is fair."""

    name: str
    share: float
    because: str


@dataclass(frozen=True)
class Spared:
    """A mutant that lives, and why it may."""

    change: str
    because: str
    kind: str


@dataclass(frozen=True)
class ExerciseRecord:
    """What is known about the checks of one exercise. Shares are parts of its points."""

    exercise: str
    points: int
    reference: float
    stub: float
    hard_coder: float | None
    right: int
    accepted: int
    wrong: int
    rejected: int
    median: float
    most: float
    kept: tuple[Kept, ...]
    mutants: int
    killed: int
    spared: tuple[Spared, ...]
    named: int
    misnamed: int
    alike: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]

    @property
    def mortal(self) -> int:
        """The mutants that a check should reject: all but those that cannot be told from the reference where it matters."""
        return self.mutants - sum(mutant.kind in (EQUIVALENT, UNGRADED) for mutant in self.spared)


@dataclass(frozen=True)
class Record:
    """What is known about the suite of one notebook, and the fingerprint of all that it depends on."""

    stem: str
    fingerprint: str
    exercises: tuple[ExerciseRecord, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """What is off, each with where and what to do next; empty when all targets are met."""
        wrong = sum(exercise.wrong for exercise in self.exercises)
        few = wrong < WRONG_ON_AVERAGE * len(self.exercises)
        scarce = f"the catalogue knows {wrong} wrong answers; add some, {WRONG_ON_AVERAGE} per exercise on average are asked for"
        return (*(problem for exercise in self.exercises for problem in exercise.problems), *([scarce] if few else []))


# --- From evidence to a record ----------------------------------------------------------------------------------------


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
        hard_coder=None if evidence.hard_coder is None else _share(evidence.hard_coder),
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
        named=sum(found.held_out == found.answer.name for found in evidence.wrong),
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
        yield f"the reference gets {record.reference:.0%}, {_first_failure(evidence.reference.checks)}; correct the check or the source"
    if record.stub or evidence.stub.verdict is not Verdict.NOT_ATTEMPTED:
        yield f"the untouched stub gets {record.stub:.0%} and is called {evidence.stub.verdict}; a check asks nothing of {name}"
    if record.hard_coder is not None and record.hard_coder > HARD_CODER:
        yield (
            f"who knows the visible answers by heart gets {record.hard_coder:.0%}, more than {HARD_CODER:.0%}; "
            "use other numbers in the hidden checks, or weigh those more that do"
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
        yield f"at the median its wrong answers keep {record.median:.0%}, more than {MEDIAN:.0%}; weigh the check more that they fail"


def _problems_of(found: Rejected) -> Iterable[str]:
    name, share = found.answer.name, _share(found.result)
    escape = _escape(found)
    if escape:
        yield f"the wrong answer {name} {escape}"
    elif share > EXPLAINED and not found.answer.fair:
        yield f"the wrong answer {name} keeps {share:.0%}; weigh {found.answer.caught_by} more, or say with fair=... why that is fair"
    elif share <= EXPLAINED and found.answer.fair:
        yield f"the wrong answer {name} keeps {share:.0%} only; take the reason why more is fair away"
    for other in _misnamings(found):
        yield f"the wrong answer {name} is taken for {other}; make a check ask for what tells them apart"


def _misnamings(found: Rejected) -> list[str]:
    return [name for name in (found.diagnosed, found.held_out) if name is not None and name != found.answer.name]


def _escape(found: Rejected) -> str:
    """Why a wrong answer does not count as rejected by the check that it names; empty when it does."""
    checks, named = found.result.checks, found.answer.caught_by
    failed = {check.name for check in checks if check.verdict not in (Verdict.PASSED, Verdict.BLOCKED)}
    visible = any(name.startswith(VISIBLE) for name in failed)
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
        yield f"SURVIVORS lists “{change}”, which no living mutant is called; take it away"
    if record.killed < min(KILLED * record.mortal, record.mortal - 1):  # of less than twenty, one may live
        yield f"{record.killed} of {record.mortal} mutants that matter are killed, less than {KILLED:.0%}; sharpen the checks"


def _first_failure(checks: Sequence[CheckResult]) -> str:
    for check in checks:
        if check.verdict is not Verdict.PASSED:
            return f"{check.name} {check.verdict} ({check.detail})"
    return "and nothing failed"


# --- To JSON and back -------------------------------------------------------------------------------------------------


def to_json(record: Record) -> dict[str, Any]:
    """A record as plain data."""
    return dataclasses.asdict(record)


def from_json(values: Mapping[str, Any]) -> Record:
    """A record that came as plain data."""
    return Record(values["stem"], values["fingerprint"], tuple(map(_exercise_from_json, values["exercises"])))


def _exercise_from_json(values: Mapping[str, Any]) -> ExerciseRecord:
    parts = {
        "kept": tuple(Kept(**kept) for kept in values["kept"]),
        "spared": tuple(Spared(**spared) for spared in values["spared"]),
        "alike": tuple((one, other) for one, other in values["alike"]),
        "problems": tuple(values["problems"]),
    }
    return ExerciseRecord(**{**values, **parts})


# --- For people -------------------------------------------------------------------------------------------------------

COLUMNS = ("exercise", "reference", "stub", "hard-coder", "right", "wrong", "median", "most", "mutants", "named", "")


def rows(record: Record) -> list[tuple[str, ...]]:
    """The cells of the table: a row per exercise, in the order of COLUMNS."""
    return [
        (
            exercise.exercise,
            f"{exercise.reference:.0%}",
            f"{exercise.stub:.0%}",
            "–" if exercise.hard_coder is None else f"{exercise.hard_coder:.0%}",
            f"{exercise.accepted}/{exercise.right}",
            f"{exercise.rejected}/{exercise.wrong}",
            f"{exercise.median:.0%}",
            f"{exercise.most:.0%}",
            f"{exercise.killed}/{exercise.mortal}",
            f"{exercise.named}/{exercise.wrong}" + (f", {exercise.misnamed} wrongly" if exercise.misnamed else ""),
            "OFF" if exercise.problems else "ok",
        )
        for exercise in record.exercises
    ]


def table(record: Record) -> Table:
    """A record for a terminal."""
    shown = Table(title=record.stem, title_justify="left")
    for column in COLUMNS:
        shown.add_column(column, justify="left" if column in ("exercise", "") else "right", no_wrap=True)
    for row in rows(record):
        shown.add_row(*row)
    return shown


def document(records: Sequence[Record]) -> str:
    """All records as a page of Markdown. It holds nothing that changes from one run to the next."""
    mutants = sum(exercise.mortal for record in records for exercise in record.exercises)
    killed = sum(exercise.killed for record in records for exercise in record.exercises)
    right = sum(exercise.right for record in records for exercise in record.exercises)
    wrong = sum(exercise.wrong for record in records for exercise in record.exercises)
    named = sum(exercise.named for record in records for exercise in record.exercises)
    misnamed = sum(exercise.misnamed for record in records for exercise in record.exercises)
    summary = (
        f"{len(records)} notebooks, {sum(len(record.exercises) for record in records)} exercises, {right} right answers, {wrong} wrong "
        f"ones, {killed} of {mutants} mutants killed ({_percent(killed, mutants)}), {named} beliefs named ({_percent(named, wrong)}; "
        f"of the names given, {_percent(named, named + misnamed)} were right)."
    )
    return "\n".join([_OPENING, summary, *(line for record in records for line in _chapter(record))]) + "\n"


_OPENING = f"""# Who grades the grader

Written by `autograder validate`; do not edit. Every known answer is graded by the real engine, and must get what it deserves.
A release is refused while anything here is off, or out of date.

| column | says | target |
|---|---|---|
| reference | the share of the points that our own answer gets | 100% |
| stub | the same for the untouched stub | 0% |
| hard-coder | the same for a function that gives the right answer to the inputs of the visible checks, and to no others (–: takes no input) | at most {HARD_CODER:.0%} |
| right | answers written differently that get full marks | all, at least {RIGHT} |
| wrong | wrong answers rejected by the check that they name, or by a visible one | all, {WRONG_ON_AVERAGE} per exercise on average |
| median, most | what the wrong answers keep of the points | median at most {MEDIAN:.0%}; above {EXPLAINED:.0%} with a reason |
| mutants | small changes of the reference that are rejected, of those that change anything that is graded | at least {KILLED:.0%}, or all but one; each other one with a reason |
| named | wrong answers whose belief is found from calls with numbers that were kept aside | never another's |

A belief is named only if it alone fits all calls. To find out how easily one is taken for another, each wrong answer is also looked at as if it were not in the catalogue.
"""


_SPARED = {
    EQUIVALENT: "Mutants that give what the reference gives:",
    UNGRADED: "Mutants that give something else only where the notebook says that nothing is graded:",
    TOLERATED: "Mutants that live, though they give something else:",
}


def _chapter(record: Record) -> Iterable[str]:
    yield f"\n## {record.stem}\n"
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|---|" + "---:|" * (len(COLUMNS) - 2) + "---|"
    yield from ("| " + " | ".join(row) + " |" for row in rows(record))
    if record.problems:
        yield "\nOff:\n"
        yield from (f"- {problem}" for problem in record.problems)
    kept = [(exercise.exercise, kept) for exercise in record.exercises for kept in exercise.kept]
    if kept:
        yield "\nWrong answers that keep more than half of the points:\n"
        yield from (
            f"- {exercise}, `{found.name}`, {found.share:.0%}: {found.because or 'no reason given'}"
            for exercise, found in kept
        )
    alike = [(exercise.exercise, *pair) for exercise in record.exercises for pair in exercise.alike]
    if alike:
        yield "\nWrong answers that give, as far as they are asked, what another one gives (so neither is named):\n"
        yield from (f"- {exercise}: `{one}` looks like `{other}`" for exercise, one, other in alike)
    for kind, title in _SPARED.items():
        spared = [found for exercise in record.exercises for found in exercise.spared if found.kind == kind]
        if spared:
            yield f"\n{title}\n"
            yield from (f"- {_code(found.change)}: {found.because}" for found in spared)


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "–"
