"""The records for people: a table for the terminal, and a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table

from autograder.course import kinds
from autograder.course.catalogue import EQUIVALENT, TOLERATED, UNGRADED
from autograder.validity.criteria import (
    ASKED,
    BY_HEART,
    EXPLAINED,
    FALSE,
    KILLED,
    MEDIAN,
    NAMED,
    RIGHT,
    SPREAD,
    WIRED,
    WRONG_ON_AVERAGE,
)
from autograder.validity.recognising import ASIDE
from autograder.validity.record import ExerciseRecord, Record

COLUMNS = (
    "exercise",
    "reference",
    "stub",
    "by heart",
    "wired",
    "right",
    "wrong",
    "median",
    "most",
    "luck",
    "mutants",
    "named",
    "asked",
    "altered",
    "",
)


def rows(record: Record) -> list[tuple[str, ...]]:
    """The cells of the table: a row per exercise, in the order of COLUMNS."""
    return [
        (
            exercise.exercise,
            f"{exercise.reference:.0%}",
            f"{exercise.stub:.0%}",
            "–" if exercise.by_heart is None else f"{exercise.by_heart:.0%}",
            "–" if exercise.wired is None else f"{exercise.wired:.0%}",
            f"{exercise.accepted}/{exercise.right}",
            f"{exercise.rejected}/{exercise.wrong}",
            f"{exercise.median:.0%}",
            f"{exercise.most:.0%}",
            f"{exercise.luck:.1%}",
            f"{exercise.killed}/{exercise.mortal}",
            _share(exercise.recognised.named, exercise.wrong, len(exercise.recognised.misnamed)),
            _share(exercise.recognised.asked, exercise.recognised.strangers, len(exercise.recognised.false)),
            _share(exercise.recognised.mutants_asked, exercise.recognised.mutants, exercise.recognised.mutants_false),
            "OFF" if exercise.problems else "ok",
        )
        for exercise in record.exercises
    ]


def _share(asked: int, of: int, false: int) -> str:
    return f"{asked}/{of}" + (f" !{false}" if false else "")


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
    return "\n".join([_opening(), _summary(records), *(line for record in records for line in _chapter(record))]) + "\n"


def _opening() -> str:
    explained = "\n".join(f"| {column} | {says} | {target} |" for column, says, target in _COLUMNS)
    return f"""# Who grades the grader

Written by `autograder validate`; do not edit. Every known answer is graded by the real engine, and must get what it
deserves. A release is refused while anything here is off or out of date.

| column | says | target |
|---|---|---|
{explained}

Hidden checks draw their numbers from a seed. Every answer is asked with the numbers of several seeds, the same ones
each time (`validate 0`, `validate 1`, …), in one process; one that ends its process, with the first alone. Checks of
speed, and notebooks that pass on others (wired), are asked with the first.

{_prices()}

Who fails is asked a question, if it is known what went wrong: a belief of the catalogue, or a relation to the right
answer. To find out what becomes of answers that nobody has foreseen, each wrong answer is also examined as a stranger,
as if it were not in the catalogue, and so are mutants, without the rule that looks for small changes. A question is
false if what it is about is not found again with probes that are drawn anew. One wrong answer in {ASIDE}, chosen by a
hash of its name, is kept aside, and examined as if no other of these were known either.
"""


def _prices() -> str:
    """The scale of prices as a table, and the rule in a sentence."""
    rows = "\n".join(f"| {kind} | {price} % |" for kind, price in kinds.PRICES.items())
    return f"""One check of each exercise, the gate, asks for plain numbers: without them it earns nothing. Every other
check, visible or hidden, belongs to a kind, and the checks of a kind share its price, the same in all exercises:

| kind | price |
|---|---:|
{rows}
| what the task stresses in words, of any kind | {kinds.STRESSED} % |
| plain numbers | the rest, at least {kinds.LEAST} % |"""


_COLUMNS = (
    ("reference", "the share of the points that our own answer gets", "100%"),
    ("stub", "the same for the untouched stub", "0%"),
    (
        "by heart",
        "the same for a function that gives the right answer to the inputs of the visible checks, and to no others "
        "(–: takes no input)",
        f"at most {BY_HEART:.0%}",
    ),
    (
        "wired",
        "the most for an answer that only passes on an earlier exercise that it may use, or its slope by differences "
        "(–: it may use none)",
        f"at most {WIRED:.0%}; a whole notebook of them: no points",
    ),
    ("right", "answers written differently that get full marks with every seed", f"all, at least {RIGHT}"),
    (
        "wrong",
        f"wrong answers rejected with every seed, with at least {NAMED:.0%} of them by the check that they name",
        f"all, {WRONG_ON_AVERAGE} per exercise on average",
    ),
    (
        "median, most",
        "what wrong answers keep of the points: those that are wrong on plain numbers at the median, any at most",
        f"median at most {MEDIAN:.0%}; above {EXPLAINED:.0%} by the price of what fails, or with a reason",
    ),
    (
        "luck",
        "what luck is worth: the largest standard deviation, over the seeds, of what a wrong answer gets",
        f"at most {SPREAD:.0%}; above with a reason",
    ),
    (
        "mutants",
        "small changes of the reference that are rejected with every seed, of those that change what is graded",
        f"at least {KILLED:.0%}, or all but one; each other one with a reason",
    ),
    ("named", "wrong answers whose own belief is found, with two draws of probes", "never another's"),
    ("asked", "wrong answers that get a question as strangers", f"at least {ASKED:.0%}, false at most {FALSE:.0%}"),
    ("altered", "the same for mutants; !2 says that two get a false one", f"false at most {FALSE:.0%}"),
)


def _summary(records: Sequence[Record]) -> str:
    exercises = [exercise for record in records for exercise in record.exercises]
    right, wrong = sum(exercise.right for exercise in exercises), sum(exercise.wrong for exercise in exercises)
    killed, mutants = sum(exercise.killed for exercise in exercises), sum(exercise.mortal for exercise in exercises)
    found = [exercise.recognised for exercise in exercises]
    named, misnamed = sum(one.named for one in found), sum(len(one.misnamed) for one in found)
    strangers, asked, false = (
        sum(one.strangers for one in found),
        sum(one.asked for one in found),
        sum(len(one.false) for one in found),
    )
    altered, altered_asked, altered_false = (
        sum(one.mutants for one in found),
        sum(one.mutants_asked for one in found),
        sum(one.mutants_false for one in found),
    )
    aside, aside_asked = sum(one.aside for one in found), sum(one.aside_asked for one in found)
    return (
        f"{len(records)} notebooks, {len(exercises)} exercises, {right} right answers, {wrong} wrong ones, "
        f"{killed} of {mutants} mutants killed ({_percent(killed, mutants)}), "
        f"{named} beliefs named ({_percent(named, wrong)}; "
        f"of the names given, {_percent(named, named + misnamed)} were right).\n\n"
        f"As strangers, {asked} of {strangers} wrong answers get a question ({_percent(asked, strangers)}), "
        f"{false} of these a false one ({_percent(false, asked)}); of {altered} mutants {altered_asked} do "
        f"({_percent(altered_asked, altered)}), {altered_false} falsely ({_percent(altered_false, altered_asked)}). "
        f"Of the {aside} answers that are kept aside, {aside_asked} get a true one ({_percent(aside_asked, aside)})."
    )


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
    yield f"\nAsked with the numbers of {record.seeds} seeds.\n"
    yield from (f"- {exercise.exercise}: {_worth(exercise)}" for exercise in record.exercises)
    points = sum(exercise.points for exercise in record.exercises)
    yield f"\nA notebook that passes on all it may and solves nothing earns {record.wired:g} of {points} points."
    if record.problems:
        yield "\nOff:\n"
        yield from (f"- {problem}" for problem in record.problems)
    kept = [(exercise.exercise, kept) for exercise in record.exercises for kept in exercise.kept]
    if kept:
        yield "\nWrong answers that keep more than half of the points, with what they fail or why that is fair:\n"
        yield from (
            f"- {exercise}, `{found.name}`, {found.share:.0%}: {found.because or 'no reason given'}"
            for exercise, found in kept
        )
    lucky = [(exercise.exercise, found) for exercise in record.exercises for found in exercise.lucky]
    if lucky:
        yield "\nWrong answers whose marks depend on the numbers drawn:\n"
        yield from (
            f"- {exercise}, `{found.name}`, standard deviation {found.spread:.1%}: {found.because}"
            for exercise, found in lucky
        )
    alike = [(exercise.exercise, *pair) for exercise in record.exercises for pair in exercise.recognised.alike]
    if alike:
        yield "\nWrong answers that give, as far as they are asked, what another one gives (so neither is named):\n"
        yield from (f"- {exercise}: `{one}` looks like `{other}`" for exercise, one, other in alike)
    false = [(exercise.exercise, name) for exercise in record.exercises for name in exercise.recognised.false]
    if false:
        yield "\nWrong answers that get a false question as strangers:\n"
        yield from (f"- {exercise}: `{name}`" for exercise, name in false)
    for kind, title in _SPARED.items():
        spared = [found for exercise in record.exercises for found in exercise.spared if found.kind == kind]
        if spared:
            yield f"\n{title}\n"
            yield from (f"- {_code(found.change)}: {found.because}" for found in spared)


def _worth(exercise: ExerciseRecord) -> str:
    """What the kinds of checks of an exercise are worth, with what differs from the scale."""
    usual = {kind.value: price / 100 for kind, price in kinds.PRICES.items()}
    shares = [
        f"{kind} {share:.0%}" + ("" if share == usual[kind] else " (stressed)") for kind, share in exercise.prices
    ]
    return ", ".join([f"plain numbers {exercise.plain:.0%}", *shares])


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "–"
