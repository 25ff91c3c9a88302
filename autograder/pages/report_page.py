"""The page of a class report: one HTML document without script, from results, marks and similar pairs."""

from __future__ import annotations

import html
import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.classroom.marks import Marks, number
from autograder.course.model import FaultKind, Result
from autograder.course.text import one_line
from autograder.pages import report_plots
from autograder.pages.prose import render_line
from autograder.pages.report_numbers import FEW, items, misconceptions, unanimous
from autograder.pages.similarity import Comparison, Marked, Pair

_STYLE = Path(__file__).parent / "templates" / "report.css"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"  # names and code in it are students'
_AROUND = 2  # lines before and after shared ones
_LINES, _LINE = 80, 200  # of code that are shown of a cell, and characters of a line
_PAIRS = 200  # that are listed
_EVERYBODY = "all-notebooks"


def page(found: Sequence[Result], marks: Marks | None = None, similar: Mapping[str, Comparison] | None = None) -> str:
    """The page about some results. With marks, it shows late work and final marks, too; with comparisons, similar pairs."""
    assignments = sorted({result.assignment for result in found})
    links = "".join(f'<li><a href="#{_anchor(name)}">{_text(name)}</a></li>' for name in assignments)
    naked = any(result.isolation == "none" for result in found)
    warning = (
        "<p class=warning>Some results were graded WITHOUT isolation: student code could have changed them.</p>"
        if naked
        else ""
    )
    body = "".join(
        _assignment(name, [r for r in found if r.assignment == name], marks, (similar or {}).get(name))
        for name in assignments
    )
    if marks is not None and len(marks.points) > 1:
        links += f'<li><a href="#{_EVERYBODY}">All notebooks</a></li>'
        body += _everybody(marks)
    students = len({result.student for result in found})
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Class report</title><style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>"
        f"<header><h1>Class report</h1><p>{_count(len(found), 'submission')} by {_count(students, 'student')}. For instructors only: it names "
        f'students, and hidden checks.</p>{warning}<nav aria-label="Assignments"><ul>{links}</ul></nav></header>'
        f"<main>{body}</main></body></html>\n"
    )


def _assignment(name: str, found: list[Result], marks: Marks | None, similar: Comparison | None) -> str:
    graded = [result for result in found if result.ungraded is None]
    parts = [
        f'<section aria-labelledby="{_anchor(name)}"><h2 id="{_anchor(name)}">{_text(name)}</h2>',
        _overview(found, graded),
        *([_exercises(graded), _checks(graded), _beliefs(graded, marks)] if graded else []),
        _faults(found),
        _late(name, marks),
        _similar(similar),
        _students(name, found, marks),
        "</section>",
    ]
    return "".join(parts)


def _overview(found: list[Result], graded: list[Result]) -> str:
    if not graded:
        return f"<h3>Marks</h3><p>{_count(len(found), 'submission')}, none graded.</p>"
    scores = [result.score for result in graded]
    most = max(result.max_score for result in graded)
    middle, mean = statistics.median(scores), statistics.fmean(scores)
    words = f"{len(graded)} graded of {len(found)}; median {middle:g}, mean {mean:.1f}, lowest {min(scores):g}, highest {max(scores):g} of {most}."
    caption = "How many students reached which score. The upper bound belongs to the next bar, except for the last."
    return f"<h3>Marks</h3><p>{words}</p><figure>{report_plots.histogram(scores, most)}<figcaption>{caption}</figcaption></figure>"


def _exercises(graded: list[Result]) -> str:
    every = items(graded)
    follows = any(item.followed_through for item in every)
    rows = []
    for item in every:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in item.verdicts.most_common())
        along = "–" if item.discrimination is None else f"{item.discrimination:.2f}"
        followed = [str(item.followed_through)] if follows else []
        rows.append([_text(item.name), str(item.points), f"{item.share:.0%}", along, *followed, _text(verdicts)])
    head = [
        "exercise",
        "points",
        "mean share",
        "discrimination",
        *(["followed through"] if follows else []),
        "verdicts",
    ]
    numbers = tuple(range(1, len(head) - 1))
    through = (
        "Followed through: students whose answer was right given an earlier mistake of theirs. " if follows else ""
    )
    return (
        f"<h3>Exercises</h3><figure>{report_plots.shares([(item.name, item.share) for item in every])}"
        "<figcaption>Mean share of the points; a short bar is a hard exercise.</figcaption></figure>"
        f"{_table(head, rows, 'Exercises of this notebook', numbers=numbers)}"
        "<p class=note>Mean share: how much of its points an exercise brought on average; low is hard. Discrimination: the correlation between "
        "an exercise and the rest of the notebook; near zero or below, strong students do no better in it than weak ones, so look at it. "
        f"It is not shown for fewer than {FEW} students, or where everybody has the same. {through}</p>"
    )


def _checks(graded: list[Result]) -> str:
    always, never = unanimous(graded)
    return (
        "<h3>Hidden checks that tell nobody apart</h3>"
        f"{_folded('Nobody passes', never, 'Every hidden check is passed by somebody.')}"
        f"{_folded('Nobody fails', always, 'Every hidden check is failed by somebody.')}"
    )


def _beliefs(graded: list[Result], marks: Marks | None) -> str:
    ranked = misconceptions(graded)
    if not ranked:
        return "<h3>Misconceptions</h3><p>No known misconception was recognised.</p>"
    rows = [
        [
            _text(exercise),
            _text(name.replace("_", " ")),
            str(len(students)),
            render_line(question).html,
            _names(students, marks),
        ]
        for exercise, name, question, students in ranked
    ]
    head = ["exercise", "misconception", "students", "question to ask", "who"]
    return f"<h3>Misconceptions</h3>{_table(head, rows, 'Misconceptions, the most frequent first', numbers=(2,))}"


def _faults(found: list[Result]) -> str:
    ungraded = [f"{result.student}: {result.ungraded}" for result in found if result.ungraded]
    faults = [
        f"{result.student}: {fault}"
        for result in found
        for fault in result.faults
        if fault.kind is not FaultKind.CHECK_CELL
    ]
    repairs = [f"{result.student}: {repair}" for result in found for repair in result.repairs]
    return (
        "<h3>Faults and repairs</h3>"
        f"{_folded('Not graded', ungraded, 'Everything could be graded.')}"
        f"{_folded('Cells that failed', faults, 'Every cell ran.')}"
        f"{_folded('Repaired', repairs, 'Nothing had to be repaired.')}"
    )


def _late(name: str, marks: Marks | None) -> str:
    if marks is None or name not in marks.rules.due:
        return "<h3>Late work</h3><p>No due date is set in course.toml.</p>"
    ours = [mark for (_, assignment), mark in sorted(marks.marks.items()) if assignment == name]
    late = [mark for mark in ours if mark.late_by]
    unknown = [mark.entry.student for mark in ours if mark.entry.handed_in is None]
    rows = [[_text(mark.entry.student), _duration(mark.late_by.total_seconds()), number(mark.penalty)] for mark in late]
    nobody = "<p>Nobody is known to be late.</p>" if unknown else "<p>Nobody is late.</p>"
    listed = _table(["student", "late by", "points taken off"], rows, "Late work", numbers=(2,)) if late else nobody
    due = f"<p>Due {marks.rules.due[name].astimezone(marks.rules.zone):%Y-%m-%d %H:%M %Z}, extensions apart.</p>"
    return f"<h3>Late work</h3>{due}{listed}{_folded('Time of handing in unknown', unknown, '')}"


def _students(name: str, found: list[Result], marks: Marks | None) -> str:
    names = list(dict.fromkeys(exercise.name for result in found for exercise in result.exercises))
    final = marks is not None
    called = _called(marks)
    rows = {}
    for result in found:
        scores = {exercise.name: f"{exercise.score:g}" for exercise in result.exercises}
        mark = marks.of(result.student, name) if marks is not None else None
        total = "–" if result.ungraded else f"{result.score:g}"
        ending = ["–" if mark is None else number(mark)] if final else []
        rows[result.student] = [
            total,
            *ending,
            *(scores.get(exercise, "") for exercise in names),
            _breakable(_remarks(result, name, marks)),
        ]
    for student in marks.people if marks is not None else ():
        rows.setdefault(student, ["–", "–", *[""] * len(names), "nothing handed in"])
    head = ["score", *(["final mark"] if final else []), *names, "to note"]
    if not any(row[-1] for row in rows.values()):
        head, rows = head[:-1], {student: row[:-1] for student, row in rows.items()}
    named = [
        [_text(student), *([_text(called.get(student, ""))] if called else []), *row]
        for student, row in sorted(rows.items())
    ]
    note = "<p class=note>The final mark includes manual scores, lateness and rounding.</p>" if final else ""
    first = 2 if called else 1
    numbers = tuple(range(first, first + 1 + final + len(names)))
    table = _table(
        ["student", *(["name"] if called else []), *head], named, f"Marks of {name} by student", numbers=numbers
    )
    return f"<h3>Students</h3>{note}{table}"


def _everybody(marks: Marks) -> str:
    """The final marks of all students in all notebooks."""
    called, assignments = _called(marks), list(marks.points)
    rows = []
    for student in marks.people:
        dropped = marks.dropped(student) if marks.rules.drop_lowest else set()
        cells = []
        for name in assignments:
            mark = marks.of(student, name)
            words = "–" if mark is None else number(mark)
            cells.append(f"({words})" if name in dropped else words)
        rows.append(
            [
                _text(student),
                *([_text(called.get(student, ""))] if called else []),
                *cells,
                number(marks.total(student)),
            ]
        )
    head = ["student", *(["name"] if called else []), *assignments, f"total of {number(marks.possible())}"]
    first = 2 if called else 1
    brackets = " What is in brackets does not count: the lowest are dropped." if marks.rules.drop_lowest else ""
    note = f"<p class=note>Final marks, with manual scores, lateness and rounding.{brackets}</p>"
    table = _table(head, rows, "Final marks by student", numbers=tuple(range(first, len(head))))
    return f'<section aria-labelledby="{_EVERYBODY}"><h2 id="{_EVERYBODY}">All notebooks</h2>{note}{table}</section>'


def _called(marks: Marks | None) -> dict[str, str]:
    """The names of the students whose names are known."""
    people = marks.people.values() if marks is not None else ()
    names = {person.id: f"{person.first_name} {person.last_name}".strip() for person in people}
    return {student: name for student, name in names.items() if name}


def _remarks(result: Result, name: str, marks: Marks | None) -> str:
    mark = marks.marks.get((result.student, name)) if marks is not None else None
    followed = [exercise.name for exercise in result.exercises if exercise.followed_through]
    remarks = [
        "not graded" if result.ungraded else "",
        f"late by {_duration(mark.late_by.total_seconds())}" if mark and mark.late_by else "",
        f"followed through: {', '.join(followed)}" if followed else "",
        *(
            f"{exercise.name}: {exercise.misconception.replace('_', ' ')}"
            for exercise in result.exercises
            if exercise.misconception
        ),
    ]
    return "; ".join(filter(None, remarks))


# --- Similar pairs ----------------------------------------------------------------------------------------------------

_MEANING = (
    "<p class=note>What it means: two students stand here when much of what they wrote themselves is the same, and few others wrote it so. Names, comments, "
    "layout and the order of functions are set aside. Code that the course gives out is not counted, and a fragment counts the less, the more of the class have it. "
    "What it does not mean: it is no proof of copying. Two people who learnt together, asked the same tutor, read the same page or had the same "
    "idea stand here as well; and a copy that was reworked thoroughly does not. Read both, and talk with the students before you judge.</p>"
)


def _similar(similar: Comparison | None) -> str:
    if similar is None:
        how = "Name what was handed in, as for grading: <code>autograder report RESULTS --submissions PLACE</code>."
        return f"<h3>Similar pairs</h3><p>Not looked for. {how}</p>"
    compared = _count(similar.compared, "submission")
    notes = _folded("Not compared, or not in full", similar.notes, "")
    if not similar.pairs:
        return f"<h3>Similar pairs</h3><p>No two of the {compared} compared are unusually similar.</p>{_MEANING}{notes}"
    shown = "".join(map(_pair, similar.pairs[:_PAIRS]))
    more = f"<p>and {len(similar.pairs) - _PAIRS} more, less similar.</p>" if len(similar.pairs) > _PAIRS else ""
    words = f"{_count(len(similar.pairs), 'pair')} among {compared}, the most similar first."
    return f"<h3>Similar pairs</h3><p>{words}</p>{_MEANING}{shown}{more}{notes}"


def _pair(pair: Pair) -> str:
    one, other = pair.students
    share = sum(pair.shares) / 2
    strength = "nearly the same" if share >= 0.9 else "much the same" if share >= 0.6 else "partly the same"
    words = (
        f"<strong>{_text(one)}</strong> and <strong>{_text(other)}</strong>: {strength}. {pair.shares[0]:.0%} of what {_text(one)} wrote is also in the work of {_text(other)}, "
        f"{pair.shares[1]:.0%} the other way round; weighed by how rare it is, {pair.measure:.0%}."
    )
    if not pair.passages:
        return f"<p>{words}</p>"
    beside = "".join(
        f"<div class=beside><div><p>{_text(one)}</p>{_code(passage.one, one)}</div><div><p>{_text(other)}</p>{_code(passage.other, other)}</div></div>"
        for passage in pair.passages
    )
    return f"<details><summary>{words}</summary>{beside}</details>"


def _code(lines: Marked, student: str) -> str:
    """The shared lines, marked, with a few around them; the rest left out."""
    near = {place + step for place, (_, shared) in enumerate(lines) if shared for step in range(-_AROUND, _AROUND + 1)}
    shown: list[str] = []
    skipped = False
    for place, (line, shared) in enumerate(lines):
        if place not in near or len(shown) >= _LINES:
            skipped = True
            continue
        if skipped and shown:
            shown.append("…")
        skipped = False
        text = _text(line if len(line) <= _LINE else f"{line[:_LINE]}…")
        shown.append(f"<mark>{text}</mark>" if shared and text.strip() else text)
    if skipped and len(shown) >= _LINES:
        shown.append("…")
    inside = "\n".join(shown)
    return f'<pre tabindex=0 role=region aria-label="Code of {_text(student)}; what is shared is marked">{inside}</pre>'


# --- Words and tables -------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, *, numbers: tuple[int, ...] = ()) -> str:
    """A table of cells that are HTML already; the first cell of a row is its head."""
    top = "".join(
        f"<th scope=col{' class=number' if column in numbers else ''}>{_breakable(cell)}</th>"
        for column, cell in enumerate(head)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<th scope=row>{cell}</th>"
            if column == 0
            else f"<td class=number>{cell}</td>"
            if column in numbers
            else f"<td>{cell}</td>"
            for column, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    inside = f"<caption>{_text(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody>"
    return f'<div class=wide tabindex=0 role=region aria-label="{_text(caption)}"><table>{inside}</table></div>'


def _folded(title: str, lines: Sequence[str], otherwise: str) -> str:
    if not lines:
        return f"<p>{_text(otherwise)}</p>" if otherwise else ""
    listed = "".join(f"<li>{_breakable(line)}</li>" for line in lines)
    return f"<details><summary>{_text(title)} ({len(lines)})</summary><ul>{listed}</ul></details>"


def _names(students: Sequence[str], marks: Marks | None) -> str:
    called = _called(marks)
    named = [_text(f"{called[student]} ({student})" if student in called else student) for student in students]
    shown = ", ".join(named[:10])
    if len(students) <= 10:
        return shown
    return f"<details><summary>{shown} and {len(students) - 10} more</summary>{', '.join(named[10:])}</details>"


def _duration(seconds: float) -> str:
    if seconds < 3600:
        return f"{math.ceil(seconds / 60)} min"
    hours = math.ceil(seconds / 3600)
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if days else f"{hours} h"


def _anchor(name: str) -> str:
    return f"of-{_text(name)}"


def _text(value: str) -> str:
    """A text of anybody's as HTML. Signs that hide or reorder what follows are shown as such: code is compared by eye here."""
    lines = str(value).expandtabs(4).splitlines()
    return html.escape("\n".join(one_line(line) for line in lines), quote=True)


def _breakable(value: str) -> str:
    """A text in which a line may end after an underscore, for names of functions are long."""
    return _text(value).replace("_", "_<wbr>")


def _count(number_of: int, what: str) -> str:
    return f"{number_of} {what}{'' if number_of == 1 else 's'}"
