"""Getting at a gradebook by its address: whether anything is in it, its version, and what keeps it from being used.

Nothing here makes a gradebook where there is none, but `prepare`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from autograder.course.errors import GradebookError
from autograder.nbgrader_bridge import copies


def file_of(url: str) -> Path | None:
    """The file that a gradebook is kept in; None where it is kept elsewhere, such as on a server."""
    from sqlalchemy.engine import make_url

    parts = make_url(url)
    name = parts.database or ""
    is_file = parts.get_backend_name() == "sqlite" and name not in ("", ":memory:") and not name.startswith("file:")
    return Path(name) if is_file else None


def named(url: str) -> str:
    """A gradebook in words, without any password."""
    from sqlalchemy.engine import make_url

    parts = make_url(url)
    is_file = parts.drivername.startswith("sqlite")
    return f"The gradebook {parts.database if is_file else parts.render_as_string(hide_password=True)}"


def holds(url: str, tables: Sequence[str]) -> bool:
    """Whether there is a gradebook, and anything in one of these tables."""
    from sqlalchemy import create_engine, inspect, text

    file = file_of(url)
    if file is not None and not file.exists():  # connecting would make it
        return False
    with in_words(url):
        engine = create_engine(url)
        try:
            with engine.connect() as connection:
                there = set(inspect(connection).get_table_names())
                queries = [text(f"SELECT 1 FROM {table} LIMIT 1") for table in tables if table in there]  # noqa: S608
                return any(connection.execute(query).first() is not None for query in queries)
        finally:
            engine.dispose()


@contextmanager
def in_words(url: str) -> Iterator[None]:
    """What databases and their drivers raise meanwhile becomes a GradebookError that says what to do."""
    from sqlalchemy.exc import DatabaseError, OperationalError

    where = named(url)
    try:
        yield
    except (OperationalError, sqlite3.OperationalError) as error:
        said = getattr(error, "orig", error)
        if "locked" in str(said) or "lock timeout" in str(said):
            raise GradebookError(
                f"{where} is locked: another program is writing to it, or has not finished. "
                "Let it finish, or close it, then run the same command again; what was not written is written then."
            ) from None
        raise GradebookError(f"{where} cannot be used: {said}") from None
    except (DatabaseError, sqlite3.DatabaseError) as error:
        said = getattr(error, "orig", error)
        raise GradebookError(f"{where} is not a gradebook of nbgrader: {said}.{_if_damaged(url)}") from None
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("psycopg"):
            raise
        raise GradebookError(
            f"{where} needs the package {error.name}: pip install 'psycopg[binary]' installs PostgreSQL's."
        ) from None


def _if_damaged(url: str) -> str:
    file = file_of(url)
    return "" if file is None else f" If it is damaged, put back a copy. {copies.how_to_put_back(file)}"


def prepare(url: str) -> None:
    """Mark a new gradebook with nbgrader's version, and refuse one of another version; call it within `in_words`.

    nbgrader would ask the program `alembic` for the version: that takes seconds, and fails where the environment's
    programs are not on the PATH.
    """
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR
    from sqlalchemy import create_engine, inspect, text

    newest = ScriptDirectory(ALEMBIC_DIR).get_current_head()
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            tables = inspect(connection).get_table_names()
            if not tables:
                connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
                connection.execute(text("INSERT INTO alembic_version (version_num) VALUES (:it)"), {"it": newest})
                return
            has_version = "alembic_version" in tables
            version = (
                connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if has_version else None
            )
    finally:
        engine.dispose()
    if version != newest:
        raise GradebookError(
            f"{named(url)} has version {version or 'unknown'}, and the installed nbgrader needs {newest}. "
            "Back it up, then run `nbgrader db upgrade` in the course's folder."
        )
