"""An nbgrader course on disk: where its parts are, as nbgrader's own configuration says."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.course import files
from autograder.course.errors import UsageError

CONFIG = "nbgrader_config.py"
_MOST_BESIDE = 1000  # bytes: a moment, or a secret of nbgrader's
_LOG = logging.getLogger("autograder.nbgrader")


@dataclass(frozen=True)
class CourseFolder:
    """A course that nbgrader works in: its folders, its name, and the address of its gradebook."""

    root: Path
    course_id: str
    gradebook: str
    coursedir: Any

    @classmethod
    def at(cls, root: Path) -> CourseFolder:
        """The course in a folder; what its nbgrader_config.py sets, such as another gradebook, holds here, too."""
        from nbgrader.coursedir import CourseDirectory
        from traitlets.config.loader import Config, PyFileConfigLoader

        root = root.resolve()
        if not (root / CONFIG).is_file():
            raise UsageError(
                f"{root} is not an nbgrader course: it has no {CONFIG}. `autograder course {root}` makes one."
            )
        try:
            config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
        except Exception as error:  # noqa: BLE001 - the file is a program, and may fail in any way
            raise UsageError(f"{root / CONFIG} cannot be used: {type(error).__name__}: {error}") from None
        own = Config({"CourseDirectory": config.get("CourseDirectory", {})})
        coursedir = CourseDirectory(config=own, log=_LOG)
        if not own.CourseDirectory.get("root"):
            coursedir.root = str(root)
        return cls(Path(coursedir.root), coursedir.course_id, coursedir.db_url, coursedir)

    @property
    def submitted(self) -> Path:
        """What students handed in, in folders `<student>/<assignment>`."""
        return submitted_in(self.coursedir)

    @property
    def graded(self) -> Path:
        """Where our own results are, one document per submission. nbgrader never looks there, students never see it."""
        return self.root / "graded"

    @property
    def policy(self) -> Path:
        """The file with due dates and other rules."""
        return self.root / "course.toml"

    def source(self, stem: str) -> Path:
        """The folder with the instructor's version of an assignment."""
        return self._step(self.coursedir.source_directory, ".", stem)

    def release(self, stem: str) -> Path:
        """The folder with what students get."""
        return self._step(self.coursedir.release_directory, ".", stem)

    def submission(self, stem: str, student: str) -> Path:
        """The folder that a student handed in."""
        return self._step(self.coursedir.submitted_directory, student, stem)

    def autograded(self, stem: str, student: str) -> Path:
        """The folder with the autograded notebook, which formgrader shows."""
        return self._step(self.coursedir.autograded_directory, student, stem)

    def handed_in(self, stem: str, student: str) -> datetime | None:
        """When a submission was handed in, as the timestamp.txt beside it says; None when it does not."""
        return read_timestamp(self.submission(stem, student) / "timestamp.txt", self.submitted)

    def _step(self, step: str, student: str, stem: str) -> Path:
        return Path(self.coursedir.format_path(step, student, stem))


def submitted_in(coursedir: Any) -> Path:
    """Where nbgrader's configuration says that students' folders are."""
    return Path(coursedir.root, str(coursedir.submitted_directory))


def read_timestamp(path: Path, below: Path) -> datetime | None:
    """The moment in one of nbgrader's timestamp.txt; None when there is none that can be read. For `below`, see there.

    It is that of `read_beside`.
    """
    try:
        return moment(read_beside(path, below))
    except (OSError, ValueError):
        return None


def moment(timestamp: bytes) -> datetime | None:
    """The moment that a timestamp.txt says; None when it says none."""
    from nbgrader.utils import parse_utc

    try:
        text = timestamp.decode("utf-8").strip()
        return parse_utc(text).replace(tzinfo=UTC) if text else None
    except Exception:  # noqa: BLE001 - a student may have written it, and nbgrader's reader fails in any way on nonsense
        return None


def read_beside(path: Path, below: Path) -> bytes:
    """The bytes of a small file beside a submission, `below` the folder that all students' are in.

    OSError for a link, or one on the way to it, for a pipe, or for more than a few lines.
    """
    with files.open_regular(path, below=below) as file:
        content = file.read(_MOST_BESIDE + 1)
    if len(content) > _MOST_BESIDE:
        raise OSError(f"{path} is too large")
    return content
