"""What was read of submissions while they were graded, for whoever records them: the very bytes."""

from __future__ import annotations

import contextlib
import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from autograder.course.errors import UnreadError
from autograder.grading.submissions import HandedIn, Submission
from autograder.nbgrader_bridge.folder import CourseFolder, read_beside

TIMESTAMP = "timestamp.txt"
_BESIDE = (TIMESTAMP, "submission_secret.txt")  # without the second, the exchange cannot hand feedback out


@dataclass(frozen=True)
class Read:
    """A notebook as it was read, and what lay beside it at that moment: nbgrader's own small files, by name."""

    content: bytes
    beside: Mapping[str, bytes]


class Kept:
    """Keeps the submissions of an assignment as they are read, on disk: a class may be larger than the memory.

    The file has no name, so nothing is left of it, however the run ends.
    """

    def __init__(self, place: CourseFolder, stem: str, folder: Path) -> None:
        """`folder` is where there is room, and students cannot look; it must be there when the first one is read."""
        self._place, self._stem, self._folder = place, stem, folder
        self._file: BinaryIO | None = None
        self._found: dict[str, tuple[int, int, Mapping[str, bytes]]] = {}

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def watched(self, handed_in: HandedIn) -> HandedIn:
        """The same submissions; what is read of them is kept."""
        watched = (replace(one, read=partial(self._read, one)) for one in handed_in.submissions)
        return replace(handed_in, submissions=tuple(watched))

    def of(self, student: str) -> Read:
        """What was read last of a student's submission."""
        start, length, beside = self._found[student]
        assert self._file is not None
        self._file.seek(start)
        return Read(zlib.decompress(self._file.read(length)), beside)

    def _read(self, submission: Submission) -> bytes:
        beside = self._beside(submission.student)
        content = submission.read()
        if self._beside(submission.student) != beside:
            raise UnreadError("It was handed in again while it was being read. Run the same command again.")
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed when this is left
        packed = zlib.compress(content, 1)
        start = self._file.seek(0, os.SEEK_END)
        self._file.write(packed)
        self._found[submission.student] = start, len(packed), beside
        return content

    def _beside(self, student: str) -> dict[str, bytes]:
        folder, found = self._place.submission(self._stem, student), {}
        for name in _BESIDE:
            with contextlib.suppress(OSError, ValueError):  # a student may have put anything there
                found[name] = read_beside(folder / name, self._place.submitted)
        return found
