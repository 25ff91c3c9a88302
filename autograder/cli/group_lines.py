"""What `groups` shows: to a person the groups with their code, to a machine all that is known of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from autograder.classroom.replying import Groups, Replied
from autograder.course.model import Reply
from autograder.course.text import bounded, one_line, short_line
from autograder.grading.groups.grouping import Group
from autograder.grading.groups.replies import FILE, Stanza
from autograder.grading.reading import Unreadable, counted

_NAMES, _LINES, _LINE = 10, 30, 110  # students that are named, and what is shown of the code


def document(found: Groups) -> dict[str, Any]:
    """All groups as plain data."""
    return {
        "groups": [
            {
                "assignment": group.assignment,
                "exercise": group.exercise,
                "group": group.name,
                "points": group.points,
                "students": list(group.students),
                "scores": list(group.scores),
                "earned": list(group.earned),
                "misconception": group.misconception,
                "relation": group.relation,
                "question": group.question,
                "more": group.more,
                "code": group.code,
                "reply": _given(group.reply),
            }
            for group in found.groups
        ],
        "replies_to_nobody": [dataclasses.asdict(stanza) for stanza in found.left],
        "unreadable": _unreadable(found.unreadable),
    }


def document_of(done: Replied) -> dict[str, Any]:
    """What was replied as plain data."""
    return {
        "replies": [{**dataclasses.asdict(stanza), "students": count} for stanza, count in done.concerned],
        "results_changed": done.changed,
        "remarks": list(done.remarks),
        "unreadable": _unreadable(done.unreadable),
    }


def _unreadable(some: Sequence[Unreadable]) -> list[dict[str, Any]]:
    return [
        {"path": one.where, "student": one.student, "assignment": one.assignment, "reason": one.reason} for one in some
    ]


def lines(found: Groups, most: int) -> list[str]:
    """The groups for a person to read: of each exercise the largest, and how many more there are."""
    told: list[str] = []
    for (assignment, exercise), some in groupby(found.groups, key=lambda group: (group.assignment, group.exercise)):
        told += [*_exercise(f"{assignment}, {exercise}", list(some), most), ""]
    told = told or ["No wrong answer was looked at: there are no groups.", ""]
    told += [
        f"Nobody is left for the reply to {short_line(stanza.words)}: it is kept, see --forget."
        for stanza in found.left
    ]
    told = told if found.left else told[:-1]
    return [*told, "", f"This is not complete: {counted(found.unreadable)}."] if found.unreadable else told


def told(done: Replied, *, taken_back: bool) -> list[str]:
    """What was replied, for a person to read."""
    said = []
    for stanza, count in done.concerned:
        who = "1 student" if count == 1 else f"{count} students"
        what = "taken back from" if taken_back else f"{_what(stanza)} for"
        said.append(short_line(f"{stanza.words}: {what} {who}"))
    results = "1 result" if done.changed == 1 else f"{done.changed} results"
    if done.unreadable:
        said.append(f"This is not complete: {counted(done.unreadable)}, and may be an answer like these.")
    return [*said, *done.remarks, f"{results} changed; all replies are in {done.folder / FILE}."]


def _what(stanza: Stanza | Reply) -> str:
    parts = [name for name in ("question", "comment") if getattr(stanza, name).strip()]
    if stanza.points is not None:
        parts.append("1 point" if stanza.points == 1 else f"{stanza.points:g} points")
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _exercise(heading: str, some: Sequence[Group], most: int) -> list[str]:
    answers = sum(group.size for group in some)
    told = [short_line(f"{heading}: {_counted(answers, 'wrong answer')} in {_counted(len(some), 'group')}")]
    for group in some[:most]:
        told += ["", *_group(group)]
    if rest := some[most:]:
        left = sum(group.size for group in rest)
        told += ["", f"  and {_counted(left, 'answer')} in {_counted(len(rest), 'smaller group')}: --most shows more"]
    return told


def _group(group: Group) -> list[str]:
    names = ", ".join(group.students[:_NAMES])
    more = f" and {group.size - _NAMES} more" if group.size > _NAMES else ""
    about = [
        f"  group {group.name}: {_counted(group.size, 'student')}, {_marks(group)}",
        f"  who: {names}{more}",
    ]
    if group.known_as:
        about.append(f"  recognised: {group.known_as}{', and something else is wrong' if group.more else ''}")
    if group.question:
        about.append(f"  question: {group.question}")
    if group.reply is not None:
        about.append(f"  replied: {_what(group.reply)}")
    return [*map(short_line, about), *_code(group.code)]


def _marks(group: Group) -> str:
    """What the students of a group have, in words."""
    of = f"of {_counted(group.points, 'point')}"
    if len(group.marks) == 1:
        return f"{'each ' if group.size > 1 else ''}{group.scores[0]:g} {of}"
    return f"{', '.join(f'{count} with {mark:g}' for mark, count in group.marks[:5])} {of}"


def _code(code: str) -> list[str]:
    text = code.expandtabs(4).strip("\n").splitlines()
    shown = [f"    | {one_line(bounded(line, _LINE))}".rstrip() for line in text[:_LINES]]
    return [*shown, f"    | ... and {_counted(len(text) - _LINES, 'more line')}"] if len(text) > _LINES else shown


def _given(reply: Reply | None) -> dict[str, Any] | None:
    if reply is None:
        return None
    return {"question": reply.question, "comment": reply.comment, "points": reply.points}


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
