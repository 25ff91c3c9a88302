"""Wrong answers that behave alike, as a class report shows them: the largest groups, and how many are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from autograder.course.model import Result
from autograder.course.text import bounded
from autograder.grading.groups import replies
from autograder.grading.groups.grouping import Group, groups
from autograder.pages.highlighting.highlighter import Shown

Show = Callable[[str], Shown]  # code as lines, in colours or in one
_SHOWN = 12  # groups of an exercise
_LINES, _LINE = 60, 200  # of code that are shown, and characters of a line


@dataclass(frozen=True)
class GroupView:
    """A group, the shortest of its answers if it was kept, and a stanza to copy."""

    group: Group
    code: Shown | None
    more_lines: int
    stanza: str


@dataclass(frozen=True)
class ExerciseGroups:
    """The wrong answers to one exercise: the groups that are shown, and what is left out."""

    name: str
    answers: int
    count: int
    """How many groups there are, those of one answer included."""
    shown: Sequence[GroupView]
    left_out: int
    """How many groups of several answers are not shown."""
    alone: int
    """How many answers behave like no other."""


def exercise_groups(found: Iterable[Result], show: Show) -> list[ExerciseGroups]:
    """The groups of the results of one assignment, by exercise."""
    return [
        _exercise(name, list(some), show) for name, some in groupby(groups(found), key=lambda group: group.exercise)
    ]


def _exercise(name: str, some: Sequence[Group], show: Show) -> ExerciseGroups:
    several = [group for group in some if group.size > 1 or group.reply is not None]
    return ExerciseGroups(
        name,
        sum(group.size for group in some),
        len(some),
        [_view(group, show) for group in several[:_SHOWN]],
        len(several[_SHOWN:]),
        len(some) - len(several),
    )


def _view(group: Group, show: Show) -> GroupView:
    lines = group.code.expandtabs(4).strip("\n").split("\n")
    kept = "\n".join(bounded(line, _LINE) for line in lines[:_LINES])
    return GroupView(group, show(kept) if kept else None, max(len(lines) - _LINES, 0), replies.template(group))
