"""What keeps a user from reading a file or a folder: where it is, whose it is, and which permission is missing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_RIGHTS = {"enter": os.X_OK, "look into": os.R_OK | os.X_OK, "read": os.R_OK}


@dataclass(frozen=True)
class Obstacle:
    """A file or folder that a user must not enter, look into or read."""

    path: str
    owner: str
    mode: int
    user: str
    lacking: str

    def __str__(self) -> str:
        return (
            f"{self.path} belongs to {self.owner} and has mode {self.mode:03o}: {self.user} may not {self.lacking} it"
        )

    @property
    def command(self) -> str:
        """What its owner can do about it."""
        return f"chmod o+x {self.path}" if self.lacking == "enter" else f"chmod -R o+rX {self.path}"


def on_the_way(path: str | Path, user: int | None = None) -> Obstacle | None:
    """The outermost obstacle on the way to a path, the path included, for our own user or another one.

    Another user is in nobody's group, like those that student code gets.
    """
    path = Path(os.path.abspath(path))
    return _first([*((str(folder), "enter") for folder in reversed(path.parents)), _itself(str(path))], user)


def within(path: str | Path, user: int | None = None) -> Obstacle | None:
    """The first obstacle among a path and all that is in it; a link counts for nothing, as it can be read by anyone."""
    return _first(_contents(os.path.abspath(path)), user)


def _contents(path: str) -> Iterator[tuple[str, str]]:
    yield _itself(path)
    for top, folders, names in os.walk(path):
        for name in (*folders, *names):
            entry = os.path.join(top, name)
            if not os.path.islink(entry):
                yield _itself(entry)


def _itself(path: str) -> tuple[str, str]:
    return path, "look into" if os.path.isdir(path) else "read"


def _first(places: Iterable[tuple[str, str]], user: int | None) -> Obstacle | None:
    """The first place that is there without the right that is named beside it."""
    for path, right in places:
        try:
            status = os.stat(path)
        except OSError:  # it is not there, or behind something that has been looked at before
            continue
        if user is None:
            allowed = os.access(path, _RIGHTS[right])
        else:
            bits = status.st_mode >> 6 if status.st_uid == user else status.st_mode
            allowed = bits & _RIGHTS[right] == _RIGHTS[right]
        if not allowed:
            whose = f"this user ({_name(os.getuid())})" if user is None else f"student code, as user {user},"
            return Obstacle(path, _name(status.st_uid), stat.S_IMODE(status.st_mode), whose, right)
    return None


def _name(user: int) -> str:
    """The name of a user, or the number of one without a name."""
    try:
        import pwd

        return pwd.getpwuid(user).pw_name
    except (ImportError, KeyError):
        return f"user {user}"
