"""What a machine without the course's repository needs for grading: one archive, known by its hash."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.course import Course
from autograder.course.errors import GraderError

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same files make the same bytes, whenever they were written


@dataclass(frozen=True)
class Archive:
    """The bytes of a zip file and the hash that they must have."""

    data: bytes
    digest: str


def pack(course: Course, stems: Sequence[str]) -> Archive:
    """What grading these notebooks needs of the course: sources, suites, known answers, visible checks, data."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for path in sorted(set(_needed(course, stems))):
            target.writestr(zipfile.ZipInfo(path.relative_to(course.root).as_posix(), _LONG_AGO), path.read_bytes())
    data = packed.getvalue()
    return Archive(data, hashlib.sha256(data).hexdigest())


def unpack(archive: Archive, folder: Path) -> Course:
    """The course in an archive, unpacked into a folder; nothing is written if the archive is not what was sent."""
    if hashlib.sha256(archive.data).hexdigest() != archive.digest:
        raise GraderError("the course's files arrived damaged: their hash is not the one that was announced")
    with zipfile.ZipFile(io.BytesIO(archive.data)) as packed:
        names = [PurePosixPath(name) for name in packed.namelist()]
        if any(name.is_absolute() or ".." in name.parts for name in names):
            raise GraderError("the course's files arrived with paths that lead out of their folder")
        for name in names:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(packed.read(str(name)))
    course = Course(folder)
    for place in (course.data, course.checks):  # a course may have no data; the sandbox wants the folder all the same
        place.mkdir(parents=True, exist_ok=True)
    for path in (folder, *folder.rglob("*")):  # whatever the umask is: student code, another user, reads some of it
        path.chmod(0o755 if path.is_dir() else 0o644)
    return course


def _needed(course: Course, stems: Sequence[str]) -> Iterator[Path]:
    for stem in stems:
        yield course.source(stem)
        yield course.suite(stem)
        yield from (path for path in (course.misconceptions(stem), course.practice(stem)) if path.exists())
    style = course.notebooks / "matplotlibrc"
    if style.exists():
        yield style
    yield from (path for path in course.checks.rglob("*.py") if path.is_file())
    if course.data.is_dir():
        yield from (
            path
            for path in course.data.rglob("*")
            if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
        )
