"""The copies of a gradebook: where they are, which of them are in order, and how one is put back.

They lie in `backups/` beside the gradebook, dated, and can be read by their owner alone. Files with other names are
nobody's business.
"""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

_BESIDE = ("", "-journal", "-wal", "-shm")  # a database, and what SQLite keeps beside it: they belong together
_WRITTEN = "%Y-%m-%dT%H-%M-%S"
_DATE = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z"


def folder(file: Path) -> Path:
    """Where the copies of a gradebook are."""
    return file.parent / "backups"


def path(file: Path, moment: datetime) -> Path:
    """Where the copy of a moment is; sorted by name, copies are sorted by time."""
    date = f"{moment.strftime(_WRITTEN)}.{moment.microsecond // 1000:03d}Z"
    return folder(file) / f"{file.stem}-{date}{file.suffix}"


def existing(file: Path) -> list[Path]:
    """The copies of a gradebook, the newest one first; whatever has another name, or is no file, is none of them."""
    name = re.compile(re.escape(file.stem) + "-" + _DATE + re.escape(file.suffix), re.ASCII)
    try:
        found = [copy for copy in folder(file).iterdir() if name.fullmatch(copy.name) and _is_file(copy)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found, reverse=True)


def one_since(file: Path, moment: datetime) -> bool:
    """Whether a copy has been made since a moment; dates in the future do not count."""
    return any(path(file, moment) <= copy <= path(file, datetime.now(UTC)) for copy in existing(file))


def problem(copy: Path) -> str:
    """What is wrong with a copy that nobody writes to; empty if it is in order."""
    try:
        with closing(opened(copy, "mode=ro&immutable=1")) as database:
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchall():
                return "it is not a gradebook of nbgrader"
            said = [str(line) for (line,) in database.execute("PRAGMA integrity_check(1)")]
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if said == ["ok"] else " ".join("; ".join(said).split())


def opened(file: Path, how: str) -> sqlite3.Connection:
    """A database that is there; it is not made."""
    return sqlite3.connect(f"file:{quote(str(file.absolute()))}?{how}", uri=True)


def how_to_put_back(file: Path) -> str:
    """Which copy is the newest one in order, and in a line of its own the command that puts it in its place."""
    whole = next((copy for copy in existing(file) if not problem(copy)), None)
    if whole is None:
        return f"There is no copy of it in {folder(file)}: look where you keep copies of the course."
    commands = []
    beside = [there for there in (file.with_name(file.name + more) for more in _BESIDE) if os.path.lexists(there)]
    if beside:
        aside = _free(file.with_name("put-aside"))
        commands = [["mkdir", str(aside)], ["mv", *map(str, beside), str(aside)]]
    commands.append(["cp", "-p", str(whole), str(file)])
    return f"The newest copy of it is {whole}. This puts it back:\n  {' && '.join(map(shlex.join, commands))}"


def _free(wanted: Path) -> Path:
    taken, number = wanted, 1
    while os.path.lexists(taken):
        number += 1
        taken = wanted.with_name(f"{wanted.name}-{number}")
    return taken


def _is_file(copy: Path) -> bool:
    try:
        return stat.S_ISREG(copy.lstat().st_mode)
    except FileNotFoundError:
        return False
