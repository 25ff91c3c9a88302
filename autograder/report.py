"""The verb `report`: one page about a class, for instructors; a single HTML file that needs no network and no script."""

from __future__ import annotations

import html
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder import files, results
from autograder.course import Course
from autograder.errors import UsageError
from autograder.marks import Marks, number
from autograder.marks import read as read_marks
from autograder.model import ExerciseResult, Result, Verdict
from autograder.nbgrader_bridge.folder import CONFIG

_ASKED = (Verdict.PASSED, Verdict.FAILED, Verdict.TIMED_OUT, Verdict.OUT_OF_MEMORY, Verdict.CRASHED)
_FEW = 5  # students, below which a correlation says nothing


@dataclass(frozen=True)
class Item:
    """How an exercise did: the mean share of its points, and how well it goes along with the rest of the notebook."""

    name: str
    points: int
    share: float
    discrimination: float | None
    verdicts: Counter[Verdict]


def write(place: Path, course: Course, out: Path) -> str:
    """Write the page about the results in a folder, or in an nbgrader course; in words, what was done."""
    marks = read_marks(place, course)
    graded = place / "graded" if (place / CONFIG).exists() else place
    found = results.in_folder(graded)
    if not found:
        raise UsageError(f"There are no results in {graded}: run `autograder grade` first.")
    files.replace(out, page(found, marks).encode())
    return f"wrote {out}: {len(found)} submissions of {len({result.student for result in found})} students"


def page(found: Sequence[Result], marks: Marks | None = None) -> str:
    """The page about some results. With marks, it shows late work and final marks, too."""
    assignments = sorted({result.assignment for result in found})
    links = "".join(f'<li><a href="#{_anchor(name)}">{_text(name)}</a></li>' for name in assignments)
    isolation = "none" if any(result.isolation == "none" for result in found) else ""
    warning = "<p class=warning>Some results were graded WITHOUT isolation: student code could have changed them.</p>" if isolation else ""
    body = "".join(_assignment(name, [r for r in found if r.assignment == name], marks) for name in assignments)
    students = len({result.student for result in found})
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Class report</title><style>{_STYLE}</style></head><body>"
        f"<header><h1>Class report</h1><p>{len(found)} submissions by {students} students. For instructors only: it names "
        f"students, and hidden checks.</p>{warning}<nav aria-label=\"Assignments\"><ul>{links}</ul></nav></header>"
        f"<main>{body}</main></body></html>\n"
    )


def items(found: Sequence[Result]) -> list[Item]:
    """The exercises of an assignment, in order, with difficulty and discrimination."""
    graded = [result for result in found if result.ungraded is None]
    by_name: dict[str, list[tuple[ExerciseResult, float]]] = defaultdict(list)
    for result in graded:
        for exercise in result.exercises:
            by_name[exercise.name].append((exercise, result.score - exercise.score))
    return [
        Item(
            name,
            pairs[0][0].points,
            statistics.fmean(exercise.score / exercise.points for exercise, _ in pairs),
            correlation([exercise.score for exercise, _ in pairs], [rest for _, rest in pairs]),
            Counter(exercise.verdict for exercise, _ in pairs),
        )
        for name, pairs in by_name.items()
    ]


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's correlation; None for fewer than five students, and where one of the two does not vary."""
    if len(one) < _FEW or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(one, other)


def unanimous(found: Sequence[Result]) -> tuple[list[str], list[str]]:
    """The hidden checks that nobody fails, and those that nobody passes, among the students who were asked them."""
    verdicts: dict[str, Counter[bool]] = defaultdict(Counter)
    for result in found:
        for exercise in result.exercises:
            for check in exercise.checks:
                if check.verdict in _ASKED and not check.name.startswith("visible:"):
                    verdicts[f"{exercise.name}: {check.name}"][check.verdict is Verdict.PASSED] += 1
    always = [f"{name} (asked {counts.total()} times)" for name, counts in verdicts.items() if not counts[False]]
    never = [f"{name} (asked {counts.total()} times)" for name, counts in verdicts.items() if not counts[True]]
    return always, never


def misconceptions(found: Iterable[Result]) -> list[tuple[str, str, str, list[str]]]:
    """Exercise, misconception, question and students, the most frequent first."""
    students: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for result in found:
        for exercise in result.exercises:
            if exercise.misconception:
                students[exercise.name, exercise.misconception, exercise.question or ""].append(result.student)
    ranked = sorted(students.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [(*key, names) for key, names in ranked]


# --- The parts of the page --------------------------------------------------------------------------------------------


def _assignment(name: str, found: list[Result], marks: Marks | None) -> str:
    graded = [result for result in found if result.ungraded is None]
    parts = [
        f'<section aria-labelledby="{_anchor(name)}"><h2 id="{_anchor(name)}">{_text(name)}</h2>',
        _overview(found, graded),
        *([_exercises(graded), _checks(graded), _beliefs(graded)] if graded else []),
        _faults(found),
        _late(name, marks),
        _students(name, found, marks),
        "</section>",
    ]
    return "".join(parts)


def _overview(found: list[Result], graded: list[Result]) -> str:
    if not graded:
        return f"<p>{len(found)} submissions, none graded.</p>"
    scores = [result.score for result in graded]
    most = max(result.max_score for result in graded)
    middle, mean = statistics.median(scores), statistics.fmean(scores)
    words = f"{len(graded)} graded of {len(found)}; median {middle:g}, mean {mean:.1f}, lowest {min(scores):g}, highest {max(scores):g} of {most}."
    return f"<h3>Marks</h3><p>{words}</p>{_histogram(scores, most)}"


def _histogram(scores: list[float], most: int) -> str:
    bins = min(10, most) or 1
    counts = [0] * bins
    for score in scores:
        counts[min(int(score * bins / most), bins - 1) if most else 0] += 1
    edges = [(number * most / bins, (number + 1) * most / bins) for number in range(bins)]
    words = "; ".join(f"{low:g} to {high:g}: {count}" for (low, high), count in zip(edges, counts, strict=True))
    width, height, tallest = 560, 180, max(counts)
    step = width / bins
    bars = []
    for number, count in enumerate(counts):
        tall = 120 * count / tallest
        x = number * step
        bars.append(f'<rect x="{x + 3:.1f}" y="{140 - tall:.1f}" width="{step - 6:.1f}" height="{tall:.1f}"/>')
        bars.append(f'<text x="{x + step / 2:.1f}" y="{132 - tall:.1f}">{count}</text>')
        bars.append(f'<text x="{x + step / 2:.1f}" y="158">{edges[number][0]:g}–{edges[number][1]:g}</text>')
    label = f"Number of students by score. {words}."
    return (
        f'<figure><svg viewBox="0 0 {width} {height}" role="img" aria-label="{_text(label)}">'
        f'{"".join(bars)}<line x1="0" y1="140" x2="{width}" y2="140"/><text x="{width / 2}" y="176">score</text></svg>'
        "<figcaption>How many students reached which score. The upper bound belongs to the next bar, except for the last.</figcaption></figure>"
    )


def _exercises(graded: list[Result]) -> str:
    rows = []
    every = items(graded)
    for item in every:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in item.verdicts.most_common())
        along = "–" if item.discrimination is None else f"{item.discrimination:.2f}"
        rows.append([_text(item.name), str(item.points), f"{item.share:.0%}", along, _text(verdicts)])
    head = ["exercise", "points", "mean share", "discrimination", "verdicts"]
    return (
        f"<h3>Exercises</h3>{_bars(every)}{_table(head, rows, 'Exercises of this notebook', numbers=(1, 2, 3))}"
        "<p class=note>Mean share: how much of its points an exercise brought on average; low is hard. Discrimination: the correlation between "
        "an exercise and the rest of the notebook; near zero or below, strong students do no better in it than weak ones, so look at it. "
        f"It is not shown for fewer than {_FEW} students, or where everybody has the same.</p>"
    )


def _bars(every: list[Item]) -> str:
    height = 26 * len(every) + 4
    rows = []
    for number, item in enumerate(every):
        y = 26 * number + 4
        rows.append(f'<text class=name x="190" y="{y + 14}">{_text(item.name)}</text>')
        rows.append(f'<rect x="200" y="{y}" width="{300 * item.share:.1f}" height="18"/>')
        rows.append(f'<text class=value x="{206 + 300 * item.share:.1f}" y="{y + 14}">{item.share:.0%}</text>')
    words = "Mean share of the points, by exercise. " + "; ".join(f"{item.name}: {item.share:.0%}" for item in every) + "."
    return f'<figure><svg viewBox="0 0 560 {height}" role="img" aria-label="{_text(words)}">{"".join(rows)}</svg></figure>'


def _checks(graded: list[Result]) -> str:
    always, never = unanimous(graded)
    return (
        "<h3>Hidden checks that tell nobody apart</h3>"
        f"{_folded('Nobody passes', never, 'Every hidden check is passed by somebody.')}"
        f"{_folded('Nobody fails', always, 'Every hidden check is failed by somebody.')}"
    )


def _beliefs(graded: list[Result]) -> str:
    ranked = misconceptions(graded)
    if not ranked:
        return "<h3>Misconceptions</h3><p>No known misconception was recognised.</p>"
    rows = [
        [_text(exercise), _text(name.replace("_", " ")), str(len(students)), _text(question), _names(students)]
        for exercise, name, question, students in ranked
    ]
    head = ["exercise", "misconception", "students", "question to ask", "who"]
    return f"<h3>Misconceptions</h3>{_table(head, rows, 'Misconceptions, the most frequent first', numbers=(2,))}"


def _faults(found: list[Result]) -> str:
    ungraded = [f"{result.student}: {result.ungraded}" for result in found if result.ungraded]
    faults = [f"{result.student}: {fault}" for result in found for fault in result.faults if "CheckFailed" not in fault]
    repairs = [f"{result.student}: {repair}" for result in found for repair in result.repairs]
    return (
        "<h3>Faults and repairs</h3>"
        f"{_folded('Not graded', ungraded, 'Everything could be graded.')}"
        f"{_folded('Cells that failed', faults, 'Every cell ran.')}"
        f"{_folded('Repaired', repairs, 'Nothing had to be repaired.')}"
    )


def _late(name: str, marks: Marks | None) -> str:
    if marks is None or name not in marks.rules.due:
        return ""
    late = [mark for (_, assignment), mark in sorted(marks.marks.items()) if assignment == name and mark.late_by]
    unknown = [mark.entry.student for (_, assignment), mark in sorted(marks.marks.items()) if assignment == name and mark.entry.handed_in is None]
    rows = [[_text(mark.entry.student), _duration(mark.late_by.total_seconds()), number(mark.penalty)] for mark in late]
    listed = _table(["student", "late by", "points taken off"], rows, "Late work", numbers=(2,)) if late else "<p>Nobody is late.</p>"
    due = f"<p>Due {marks.rules.due[name]:%Y-%m-%d %H:%M} UTC, extensions apart.</p>"
    return f"<h3>Late work</h3>{due}{listed}{_folded('Time of handing in unknown', unknown, '')}"


def _students(name: str, found: list[Result], marks: Marks | None) -> str:
    names = list(dict.fromkeys(exercise.name for result in found for exercise in result.exercises))
    final = marks is not None
    rows = []
    for result in sorted(found, key=lambda result: result.student):
        scores = {exercise.name: f"{exercise.score:g}" for exercise in result.exercises}
        mark = marks.of(result.student, name) if marks is not None else None
        total = "–" if result.ungraded else f"{result.score:g}"
        ending = ["–" if mark is None else number(mark)] if final else []
        rows.append([_text(result.student), total, *ending, *(scores.get(exercise, "") for exercise in names)])
    head = ["student", "score", *(["final mark"] if final else []), *names]
    note = "<p class=note>The final mark includes manual scores, lateness and rounding.</p>" if final else ""
    numbers = tuple(range(1, len(head)))
    return f"<h3>Students</h3>{note}{_table(head, rows, f'Marks of {name} by student', numbers=numbers)}"


# --- Words and tables -------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, *, numbers: tuple[int, ...] = ()) -> str:
    """A table of cells that are HTML already; the first cell of a row is its head."""
    top = "".join(f"<th scope=col{' class=number' if column in numbers else ''}>{_text(cell)}</th>" for column, cell in enumerate(head))
    body = "".join(
        "<tr>"
        + "".join(
            f"<th scope=row>{cell}</th>" if column == 0 else f"<td class=number>{cell}</td>" if column in numbers else f"<td>{cell}</td>"
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
    listed = "".join(f"<li>{_text(line)}</li>" for line in lines)
    return f"<details><summary>{_text(title)} ({len(lines)})</summary><ul>{listed}</ul></details>"


def _names(students: Sequence[str]) -> str:
    shown = ", ".join(_text(student) for student in students[:10])
    if len(students) <= 10:
        return shown
    return f"<details><summary>{shown} and {len(students) - 10} more</summary>{', '.join(map(_text, students[10:]))}</details>"


def _duration(seconds: float) -> str:
    hours = math.ceil(seconds / 3600)
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if days else f"{hours} h"


def _anchor(name: str) -> str:
    return f"of-{_text(name)}"


def _text(value: str) -> str:
    return html.escape(str(value), quote=True)


_STYLE = """
:root{color-scheme:light;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--bar:#2f5d8a}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:#fff;max-width:70rem;margin:0 auto;padding:1rem 1.5rem}
h1{font-size:1.8rem;margin:.5rem 0}h2{font-size:1.4rem;margin:2.5rem 0 .5rem;border-bottom:2px solid var(--line)}h3{font-size:1.1rem;margin:1.6rem 0 .4rem}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;list-style:none}a{color:#0550ae}
.note,figcaption,caption{color:var(--soft);font-size:.9rem}.warning{border:2px solid #b3261e;padding:.5rem 1rem}
figure{margin:.5rem 0}svg{width:100%;max-width:560px;height:auto}svg rect{fill:var(--bar)}svg line{stroke:var(--ink)}
svg text{font:12px system-ui,sans-serif;fill:var(--ink);text-anchor:middle}svg .name{text-anchor:end}svg .value{text-anchor:start}
.wide{overflow-x:auto;max-height:40rem;border:1px solid var(--line)}table{border-collapse:collapse;width:100%;font-size:.92rem}
caption{text-align:left;padding:.3rem .6rem}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
thead th{position:sticky;top:0;background:#f0f3f6}tbody th{font-weight:500}.number{text-align:right;font-variant-numeric:tabular-nums}
details{margin:.3rem 0}summary{cursor:pointer}section{content-visibility:auto;contain-intrinsic-size:auto 2000px}
@media print{body{max-width:none;font-size:11px}.wide{max-height:none;overflow:visible;border:0}nav{display:none}h2{break-before:page}
h3{break-after:avoid}tr,figure{break-inside:avoid}thead{display:table-header-group}section{content-visibility:visible}details::details-content{display:block}}
"""
