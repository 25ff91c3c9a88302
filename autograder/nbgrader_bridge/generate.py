"""What nbgrader's own generate_assignment makes of source notebooks."""

from __future__ import annotations

import logging
import os
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from autograder.course.errors import SourceError
from autograder.sandbox import temporary

_LOG = logging.getLogger("autograder.nbgrader")


def generate_assignments(sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """What nbgrader's own generate_assignment makes of source notebooks, by stem.

    It works on a course folder and a gradebook that exist for this call only: the instructor's are not touched.
    """
    with temporary.folder("release") as folder:
        root = folder.resolve()
        for stem, content in sources.items():
            path = root / "source" / stem / f"{stem}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_bytes(content)
        _generate(root)
        return {stem: (root / "release" / stem / f"{stem}.ipynb").read_bytes() for stem in sources}


def generate_into(coursedir: Any, stem: str) -> None:
    """Let nbgrader generate an assignment in an instructor's course: its release, and its cells in the gradebook."""
    coursedir.assignment_id = stem
    _run(coursedir, force=True)


def _generate(root: Path) -> None:
    from nbgrader.coursedir import CourseDirectory

    _run(CourseDirectory(root=str(root), assignment_id="*", db_url=_gradebook(root), log=_LOG))


def _run(place: Any, *, force: bool = False) -> None:
    with _quiet() as problems:
        from nbgrader.converters import GenerateAssignment
        from nbgrader.converters.base import NbGraderException

        try:
            GenerateAssignment(coursedir=place, log=_LOG, force=force).start()
        except NbGraderException as problem:
            told = (problems or [str(problem)])[0].replace(f"{place.root}{os.sep}", "")
            raise SourceError(f"nbgrader cannot turn a source notebook into an assignment. It says:\n{told}") from None


def _gradebook(root: Path) -> str:
    """The address of a new gradebook that is thrown away with `root`.

    Its version is left open. Where a gradebook has no table at all, nbgrader asks the program `alembic` for the
    newest version: that takes seconds, and fails where the environment's programs are not on the PATH.
    """
    path = root / "gradebook.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        database.commit()
    return f"sqlite:///{path}"


@contextmanager
def _quiet() -> Iterator[list[str]]:
    """The errors that nbgrader logs meanwhile; nothing of them, nor of its warnings, reaches the terminal."""
    problems: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: problems.append(record.getMessage())  # type: ignore[method-assign]
    _LOG.propagate = False
    _LOG.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield problems
    finally:
        _LOG.removeHandler(handler)
