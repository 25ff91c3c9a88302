"""The course's secret, which the seeds of all submissions are keyed with.

It lies with whoever grades: in an environment variable, or in a file that git ignores and only its owner can read.
Grading processes, clusters and student code get seeds, and never the secret itself.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course import Course, files
from autograder.course.errors import AuthorError, UsageError
from autograder.course.files import NotAFileError

VARIABLE = "AUTOGRADER_SECRET"
FOLDER, FILE = ".autograder", "secret"
_SHORTEST, _LONGEST = 16, 1000  # characters
_OTHERS = 0o077  # what a file's group and everybody may do with it


@dataclass(frozen=True)
class Secret:
    """The secret itself, where it was found, and what whoever grades should be told about that."""

    key: bytes = field(repr=False)
    where: str
    remark: str = ""

    @property
    def fingerprint(self) -> str:
        """What a secret is known by: it tells two of them apart, and nothing about either."""
        return self.code("fingerprint")[:12]

    def code(self, text: str) -> str:
        """A code for the text that nobody can guess without the secret."""
        return hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()


def folder(course: Course) -> Path:
    """The folder of the secret, which may be closed to us: what student code must not see."""
    return course.root / FOLDER


def place(course: Course) -> Path:
    """Where the secret lies that was made for a course."""
    return folder(course) / FILE


def find(course: Course) -> Secret | None:
    """The secret of a course, if it has one already."""
    given = os.environ.get(VARIABLE, "").strip()
    if given:  # empty is how CI systems hand on a secret that they do not have
        if problem := _problem(given):
            raise UsageError(
                f"{VARIABLE} in the environment is not a secret: {problem}. Set it to a text of at least {_SHORTEST} "
                f"characters that nobody can guess, or unset it: then {FOLDER}/{FILE} is used."
            )
        return Secret(given.encode(), VARIABLE)
    return _read(place(course))


def find_or_make(course: Course) -> Secret | None:
    """The secret of a course, which is made where there is none; None in CI, where it would be lost right away."""
    found = find(course)
    return found if found is not None or in_ci() else _make(place(course))


def in_ci() -> bool:
    """Whether a machine runs this, and not a person: CI systems say so in the environment."""
    return os.environ.get("CI", "").lower() not in ("", "false", "0")


def environment_without() -> dict[str, str]:
    """This process's environment as other processes may have it."""
    return {name: value for name, value in os.environ.items() if name != VARIABLE}


def _problem(text: str) -> str:
    """Why a text cannot be a secret; empty when it can."""
    if not text:
        return "it is empty"
    if len(text) < _SHORTEST:
        return f"it has {len(text)} characters, and at least {_SHORTEST} are needed"
    if not text.isprintable():
        return "it is not one line of text"
    if len(text) > _LONGEST:
        return f"it has more than {_LONGEST} characters"
    return ""


def _read(path: Path) -> Secret | None:
    try:
        with files.open_regular(path, links=True) as file:
            remark = _keep_from_others(path, os.fstat(file.fileno()))
            content = file.read(4 * _LONGEST + 2)  # a character has up to four bytes
    except (FileNotFoundError, NotADirectoryError):
        return None
    except NotAFileError:
        raise AuthorError(
            f"{path} is not a file, and the course's secret should be there. Move it away, and put the secret back."
        ) from None
    except OSError as error:
        raise AuthorError(
            f"The course's secret in {path} cannot be read: {error.strerror}. Grade as the user that it belongs to, "
            f"or set {VARIABLE} to the secret."
        ) from None
    try:
        text = content.decode().strip()
        problem = _problem(text)
    except UnicodeDecodeError:
        problem = "it is not text"
    if problem:
        raise AuthorError(
            f"{path} does not hold the course's secret: {problem}. Put it back from your copy. If there is none, "
            "delete the file: a new secret is made, and with it all hidden numbers change."
        )
    return Secret(text.encode(), str(path), remark)


def _keep_from_others(path: Path, status: os.stat_result) -> str:
    """What to say if others could read the file: they cannot any more."""
    if os.name != "posix" or not status.st_mode & _OTHERS:
        return ""
    try:
        path.chmod(0o600)
    except OSError:
        raise AuthorError(
            f"Others can read the course's secret in {path}, and it is not yours to change that. Let its owner run "
            f"`chmod 600 {path}`, or set {VARIABLE} to a secret of your own."
        ) from None
    return (
        f"others could read the course's secret in {path}: now only you can. If somebody may have read it, delete it "
        "before the next assignment: a new one is made."
    )


def _make(path: Path) -> Secret:
    if path.parent.exists() and not path.parent.is_dir():
        raise UsageError(
            f"{path.parent} is not a folder, and the course's secret has its place there. Move it away, or set "
            f"{VARIABLE} to a text of at least {_SHORTEST} characters that nobody can guess."
        )
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.parent.chmod(0o700)
        _write_once(path.parent / ".gitignore", "*\n")
        made = _write_once(path, f"{secrets.token_hex(32)}\n")
    except OSError as error:
        raise UsageError(
            f"The course's secret, which hidden numbers are drawn with, cannot be written to {path}: {error.strerror}. "
            f"Set {VARIABLE} to a text of at least {_SHORTEST} characters that nobody can guess, or let yourself write "
            f"to {path.parent.parent}."
        ) from None
    found = _read(path)
    if found is None:  # a link that leads nowhere, or somebody deletes it at this moment
        raise AuthorError(f"The course's secret in {path} is gone. Delete what is left there, and try again.")
    remark = (
        f"made the course's secret in {path}, which hidden numbers are drawn with. Keep a copy, and share it with "
        "those who grade the same class."
    )
    return Secret(found.key, found.where, remark) if made else found


def _write_once(path: Path, text: str) -> bool:
    """Whether this wrote the file; if it is there already, or somebody else writes it right now, theirs stays."""
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)  # for this user alone
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _link(Path(part), path)
    except FileExistsError:
        return False
    finally:
        os.unlink(part)
    return True


def _link(part: Path, path: Path) -> None:
    """Give a file its name; unlike a renaming, this replaces nothing. FileExistsError if somebody was first."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # some file systems, such as those of memory sticks, have no links
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(part.read_bytes())
