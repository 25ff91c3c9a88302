"""The page of a class report: one HTML document without script, from results, marks and similar pairs.

Words and markup are in `templates/report.html`.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from jinja2 import Environment
from markupsafe import Markup

from autograder.classroom.marks import Mark, Marks, number
from autograder.course.model import Result
from autograder.course.text import one_line
from autograder.grading.reading import Unreadable
from autograder.pages import report_plots, templating, wording
from autograder.pages.feedback_exercise import is_listed
from autograder.pages.highlighting.highlighter import plain
from autograder.pages.prose import render, render_line
from autograder.pages.report_groups import ExerciseGroups, Show, exercise_groups
from autograder.pages.report_numbers import FEW, Asked, Item, Recognised, items, misconceptions, unanimous
from autograder.pages.report_students import FinalMarks, StudentTable, final_marks, names_of, student_table
from autograder.pages.shared_code import PairView, pair_view
from autograder.pages.similarity import Comparison

_PAIRS = 200  # that are listed


@dataclass(frozen=True)
class Overview:
    """The marks of an assignment in a few numbers and a plot."""

    median: float
    mean: float
    lowest: float
    highest: float
    most: int
    plot: report_plots.Histogram


@dataclass(frozen=True)
class Late:
    """Late work: when it was due, who is late, and of whom nobody knows."""

    due: datetime
    late: Sequence[Mark]
    unknown: Sequence[str]


@dataclass(frozen=True)
class Similar:
    """The similar pairs that are shown, and how many more there are."""

    compared: int
    count: int
    pairs: Sequence[PairView]
    notes: Sequence[str]

    @property
    def more(self) -> int:
        """How many pairs are not shown."""
        return self.count - len(self.pairs)


@dataclass(frozen=True)
class AssignmentView:
    """Everything about one assignment."""

    name: str
    submissions: int
    graded: int
    overview: Overview | None
    items: Sequence[Item]
    shares: report_plots.Shares
    always: Sequence[Asked]
    never: Sequence[Asked]
    misconceptions: Sequence[Recognised]
    groups: Sequence[ExerciseGroups]
    unreadable: Sequence[str]
    """The students whose result cannot be read: no number counts them."""
    ungraded: Sequence[tuple[str, str]]
    faults: Sequence[tuple[str, str]]
    repairs: Sequence[tuple[str, str]]
    late: Late | None
    similar: Similar | None
    students: StudentTable

    @property
    def follows(self) -> bool:
        """Whether anything was followed through."""
        return any(item.followed_through for item in self.items)


@dataclass(frozen=True)
class ReportView:
    """What the template shows."""

    submissions: int
    students: int
    without_isolation: bool
    assignments: Sequence[AssignmentView]
    final_marks: FinalMarks | None
    names: Mapping[str, str]
    """Of the students whose names are known."""
    unreadable: Sequence[Unreadable]
    few: int = FEW


def page(
    found: Sequence[Result],
    marks: Marks | None = None,
    similar: Mapping[str, Comparison] | None = None,
    show: Show = plain,
    unreadable: Sequence[Unreadable] = (),
) -> str:
    """The page about some results: with late work and final marks where there are marks, and similar pairs if any.

    `show` makes lines of the code of a group, in colours if it can. What is `unreadable` is named, and in no number.
    """
    damaged = {one.assignment for one in unreadable if one.assignment is not None}
    assignments = sorted({result.assignment for result in found} | damaged)
    view = ReportView(
        submissions=len(found),
        students=len({result.student for result in found}),
        without_isolation=any(result.isolation == "none" for result in found),
        assignments=[
            _assignment(
                name,
                [one for one in found if one.assignment == name],
                marks,
                (similar or {}).get(name),
                show,
                [one.student for one in unreadable if one.assignment in (None, name)],
            )
            for name in assignments
        ],
        final_marks=final_marks(marks) if marks is not None and len(marks.points) > 1 else None,
        names=names_of(marks),
        unreadable=unreadable,
    )
    return _templates().get_template("report.html").render(report=view)


def _assignment(
    name: str,
    found: Sequence[Result],
    marks: Marks | None,
    similar: Comparison | None,
    show: Show,
    unreadable: Sequence[str],
) -> AssignmentView:
    graded = [result for result in found if result.ungraded is None]
    every = items(graded)
    always, never = unanimous(graded)
    return AssignmentView(
        name=name,
        submissions=len(found),
        graded=len(graded),
        overview=_overview(graded) if graded else None,
        items=every,
        shares=report_plots.shares([(item.name, item.share) for item in every]),
        always=always,
        never=never,
        misconceptions=misconceptions(graded),
        groups=exercise_groups(graded, show),
        unreadable=unreadable,
        ungraded=[(result.student, result.ungraded) for result in found if result.ungraded],
        faults=[(result.student, fault.text) for result in found for fault in result.faults if is_listed(fault)],
        repairs=[(result.student, repair) for result in found for repair in result.repairs],
        late=_late(name, marks) if marks is not None and name in marks.rules.due else None,
        similar=None if similar is None else _similar(similar),
        students=student_table(name, found, marks, unreadable),
    )


def _overview(graded: Sequence[Result]) -> Overview:
    scores = [result.score for result in graded]
    most = max(result.max_score for result in graded)
    return Overview(
        statistics.median(scores),
        statistics.fmean(scores),
        min(scores),
        max(scores),
        most,
        report_plots.histogram(scores, most),
    )


def _late(name: str, marks: Marks) -> Late:
    ours = [mark for (_, assignment), mark in sorted(marks.marks.items()) if assignment == name]
    gaps = [student for student, assignment in marks.gaps if assignment == name]
    return Late(
        marks.rules.due[name].astimezone(marks.rules.zone),
        [mark for mark in ours if mark.late_by],
        sorted([*(mark.entry.student for mark in ours if mark.entry.handed_in is None), *gaps]),
    )


def _similar(similar: Comparison) -> Similar:
    shown = [pair_view(pair) for pair in similar.pairs[:_PAIRS]]
    return Similar(similar.compared, len(similar.pairs), shown, similar.notes)


@cache
def _templates() -> Environment:
    def clean(text: str) -> str:
        """A text of any origin; characters that hide or reorder others are seen, for code is compared by eye here."""
        return "\n".join(map(one_line, text.expandtabs(4).splitlines()))

    def question(markdown: str) -> Markup:
        return render_line(markdown).html

    return templating.environment(
        "report",
        clean,
        {
            "counted": wording.counted,
            "duration": wording.short_duration,
            "number": number,
            "percent": wording.percent,
            "prose": lambda markdown: render(markdown, below=4).html,
            "question": question,
            "short": wording.short,
            "tenths": wording.tenths,
        },
    )
