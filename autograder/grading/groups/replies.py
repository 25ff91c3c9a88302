"""What an instructor replies to a group: read from a TOML file, checked, kept beside the results, put into them.

`replies.toml` in a folder of results holds all replies to its groups. Whenever a result is written, or taken over from
an earlier run, the replies that are meant for it go into it, and those that no longer are go out of it.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from autograder.course import course_file, files
from autograder.course.course_file import Amount
from autograder.course.errors import AuthorError, UsageError
from autograder.course.limits import MIB
from autograder.course.model import ExerciseResult, Reply, Result
from autograder.grading.groups.grouping import Group

FILE = "replies.toml"
_LONGEST = 4000  # characters of a text
_LARGEST = 16 * MIB  # of a file
_LISTED = 5  # names, where none is close
Name = Annotated[str, Meta(min_length=1, max_length=200, description="a name in quotes")]
Words = Annotated[str, Meta(max_length=_LONGEST, description=f"a text in quotes, of {_LONGEST} characters at most")]
Key = tuple[str, str, str]
_HEAD = """# What was replied to groups of answers; `autograder groups` writes it, and takes replies back with --forget.
"""


@dataclass(frozen=True)
class Stanza:
    """One reply, as it stands in a file: for whom, and what."""

    assignment: Name
    exercise: Name
    group: Name
    question: Words = ""
    comment: Words = ""
    points: Amount | None = None

    @property
    def key(self) -> Key:
        """What an answer must have in common with it."""
        return self.assignment, self.exercise, self.group

    @property
    def words(self) -> str:
        """For whom it is, in words."""
        return f"{self.assignment}, {self.exercise}, group {self.group}"


class Replies:
    """The replies to the groups of one folder."""

    def __init__(self, stanzas: Iterable[Stanza] = ()) -> None:
        self._by_key = {stanza.key: stanza for stanza in stanzas}

    def __iter__(self) -> Iterator[Stanza]:
        return iter(self._by_key.values())

    def __contains__(self, stanza: Stanza) -> bool:
        return self._by_key.get(stanza.key) == stanza

    def with_these(self, stanzas: Iterable[Stanza]) -> Replies:
        """These replies and others, which come in the place of what was replied to the same groups before."""
        return Replies([*self, *stanzas])

    def without(self, stanza: Stanza) -> Replies:
        """All replies but one."""
        return Replies(one for one in self if one.key != stanza.key)

    def settle(self, result: Result) -> Result:
        """The result with the replies that are meant for it, and no other: what the checks gave, where there is none.

        A reply is meant for an answer if assignment, exercise and behaviour are all the same.
        """
        settled = tuple(self._settled(result.assignment, exercise) for exercise in result.exercises)
        changed = any(new is not old for new, old in zip(settled, result.exercises, strict=True))
        return replace(result, exercises=settled) if changed else result

    def _settled(self, assignment: str, exercise: ExerciseResult) -> ExerciseResult:
        stanza = self._by_key.get((assignment, exercise.name, exercise.group))
        earned = exercise.earned
        if stanza is None:
            return exercise if exercise.reply is None else replace(exercise, score=earned, reply=None)
        # An exercise may be worth less than it was when the mark was given.
        points = None if stanza.points is None else min(stanza.points, float(exercise.points))
        reply = Reply(stanza.question, stanza.comment, points, earned)
        if reply == exercise.reply:
            return exercise
        return replace(exercise, score=earned if points is None else points, reply=reply)


def load(folder: Path) -> Replies:
    """The replies that are kept beside the results in a folder: none where there is no such file.

    A file that is empty is an AuthorError: we never write one, and all marks by hand would be taken back.
    """
    path = folder / FILE
    if not os.path.lexists(path):
        return Replies()
    stanzas = read(path)
    if not stanzas and not path.read_bytes().strip():
        raise AuthorError(
            f"{path} is empty, and has lost the replies that were in it. Put it back from your copy; or delete it, and "
            "every answer has what the checks gave."
        )
    return Replies(stanzas)


def write(folder: Path, replies: Replies) -> None:
    """Keep replies beside the results in a folder, by assignment and exercise; the file is whole at any moment."""
    stanzas = sorted(replies, key=lambda stanza: stanza.key)
    text = "\n".join([_HEAD, *map(to_toml, stanzas)])
    files.replace(folder / FILE, text.encode())


def read(path: Path) -> list[Stanza]:
    """The replies in a file, each of the right form; an AuthorError names the setting that is not."""
    try:
        with files.open_regular(path, links=True) as file:
            written = file.read(_LARGEST + 1)
        if len(written) > _LARGEST:
            raise AuthorError(f"{path} has more than {_LARGEST // MIB} MB. Name a file with replies, or shorten it.")
        content = tomllib.loads(written.decode())
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}. `autograder groups` shows the groups to reply to.") from None
    except files.NotAFileError:
        raise UsageError(f"{path} is not a file. `autograder groups` shows the groups to reply to.") from None
    except (ValueError, RecursionError) as error:  # of TOML, of UTF-8, of a number with thousands of digits
        raise AuthorError(f"{path} is not a TOML file: {error}") from None
    entries = content.pop("reply", [])
    if content:
        raise AuthorError(f"{path}: {next(iter(content))!r} is not known. Start each reply with a line [[reply]].")
    if not isinstance(entries, list):
        raise AuthorError(f"{path}: write each reply as a table of its own that starts with [[reply]].")
    found: dict[Key, int] = {}
    stanzas = []
    for number, entry in enumerate(entries, start=1):
        where = f"{path}, reply {number}"
        stanza = course_file.table(where, entry, Stanza, "[[reply]]")
        if not (stanza.question.strip() or stanza.comment.strip() or stanza.points is not None):
            raise AuthorError(f"{where} says nothing. Give it a question, a comment, or points.")
        if stanza.key in found:
            raise AuthorError(
                f"{path}: replies {found[stanza.key]} and {number} are to the same group ({stanza.words}). "
                "Keep one of them."
            )
        found[stanza.key] = number
        stanzas.append(stanza)
    return stanzas


def check(path: Path, stanzas: Sequence[Stanza], groups: Sequence[Group], known: Replies) -> None:
    """Raise where a reply is to no group, or gives a mark that the exercise does not have.

    What is among the `known` replies word by word stays, even if nobody answers like that any more.
    """
    if not stanzas:
        raise AuthorError(f"{path} holds no reply. Start each with a line [[reply]].")
    by_key = {(group.assignment, group.exercise, group.name): group for group in groups}
    for number, stanza in enumerate(stanzas, start=1):
        where = f"{path}, reply {number}"
        group = by_key.get(stanza.key)
        if group is not None:
            if stanza.points is not None and stanza.points > group.points:
                raise AuthorError(
                    f"{where} gives {stanza.points:g} points, and {stanza.exercise} is worth {group.points}. "
                    f"Give 0 to {group.points}."
                )
        elif stanza not in known:
            raise AuthorError(f"{where} is to nobody: {_unknown(stanza, list(by_key))}")


def _unknown(stanza: Stanza, keys: list[Key]) -> str:
    """What of a reply fits no group, and what is close to it."""
    if not any(key[0] == stanza.assignment for key in keys):
        return f"there are no groups of {stanza.assignment!r}{_near(stanza.assignment, {key[0] for key in keys})}"
    keys = [key for key in keys if key[0] == stanza.assignment]
    if not any(key[1] == stanza.exercise for key in keys):
        near = _near(stanza.exercise, {key[1] for key in keys})
        return f"{stanza.assignment} has no groups of {stanza.exercise!r}{near}"
    names = {key[2] for key in keys if key[1] == stanza.exercise}
    return f"no answer to {stanza.exercise} is in a group {stanza.group!r}{_near(stanza.group, names)}"


def _near(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    if near := difflib.get_close_matches(name, names, n=3):
        return f". Did you mean {' or '.join(map(repr, near))}?"
    more = ", ..." if len(names) > _LISTED else ""
    return f". Known are: {', '.join(names[:_LISTED])}{more}." if names else "."


def find(replies: Replies, named: str, assignment: str | None = None) -> Stanza:
    """The reply to a group that is named as GROUP or EXERCISE:GROUP; a UsageError when there is none, or several."""
    kept = [stanza for stanza in replies if assignment in (None, stanza.assignment)]
    fitting = [stanza for stanza in kept if named in (stanza.group, f"{stanza.exercise}:{stanza.group}")]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = " or ".join(f"{stanza.exercise}:{stanza.group} ({stanza.assignment})" for stanza in fitting)
        raise UsageError(f"There are {len(fitting)} replies to a group {named!r}. Name one, and its notebook: {names}.")
    if not kept:
        raise UsageError(f"There is no reply to take back: nothing was replied to any group{_of(assignment)}.")
    near = _near(named, {stanza.group for stanza in kept})
    raise UsageError(f"Nothing was replied to a group {named!r}{_of(assignment)}{near}")


def _of(assignment: str | None) -> str:
    return "" if assignment is None else f" of {assignment}"


def to_toml(stanza: Stanza) -> str:
    """The stanza as it stands in a file."""
    lines = _beginning(stanza.assignment, stanza.exercise, stanza.group)
    given = {"question": stanza.question, "comment": stanza.comment}
    lines += [f"{name} = {quoted(text)}" for name, text in given.items() if text]
    if stanza.points is not None:
        lines.append(f"points = {stanza.points!r}")
    return "\n".join(lines) + "\n"


def template(group: Group) -> str:
    """A stanza to fill in for a group, or what was replied to it; as long as nothing is filled in, it is refused."""
    if group.reply is not None:
        given = group.reply
        return to_toml(
            Stanza(group.assignment, group.exercise, group.name, given.question, given.comment, given.points)
        )
    lines = _beginning(group.assignment, group.exercise, group.name)
    return "\n".join([*lines, 'comment = ""', '# question = ""', f"# points = 0    # of {group.points}"]) + "\n"


def _beginning(assignment: str, exercise: str, group: str) -> list[str]:
    names = {"assignment": assignment, "exercise": exercise, "group": group}
    return ["[[reply]]", *(f"{name} = {quoted(text)}" for name, text in names.items())]


def quoted(text: str) -> str:
    """A text as TOML writes it, in one line."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
