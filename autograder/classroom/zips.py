"""Notebooks in the zips that lie in a download: zip_collect's archive, and what students packed themselves.

What one student packed must not use up what a class may have.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from autograder.course.errors import SubmissionError, UsageError
from autograder.grading import places
from autograder.grading.path_clues import is_a_platforms, is_canvas, may_be_somebodys, own_folder, read_path
from autograder.grading.places import NotebookFile, Skipped
from autograder.grading.submissions import unusable

_MOST_OF_ONE = 50  # notebooks in the zips of one student
_LARGEST_OF_ONE = 5  # times the size that one notebook may have


def notebooks(
    place: Path, limit: int, stems: Sequence[str], folder: Path, seen: list[PurePosixPath], skipped: list[Skipped]
) -> Iterator[NotebookFile]:
    """All notebooks in a place, also those in zips that lie there; their paths go to `seen`."""
    for file in chain(places.notebooks(place, skipped, limit=limit), _in_zips(place, limit, stems, folder, skipped)):
        seen.append(file.path)
        yield file


def _in_zips(
    place: Path, limit: int, stems: Sequence[str], folder: Path, skipped: list[Skipped]
) -> Iterator[NotebookFile]:
    """The notebooks in the zip files of a place; `folder` is for unpacking."""
    taken: dict[str, tuple[int, int]] = {}
    for number, path in enumerate(path for path in places.others(place) if path.suffix.lower() == ".zip"):
        where = places.name_of(place, path)
        inside: list[Skipped] = []
        try:
            with _opened(place, path, limit, folder / f"{number}.zip") as packed:
                if not zipfile.is_zipfile(packed):
                    raise SubmissionError("it is not a zip file")
                if _around(path, stems) or is_a_platforms(path):
                    owner = _owner(path, stems)
                    taken[owner] = _with_share(taken.get(owner, (0, 0)), packed, where, limit)
                for file in places.in_zip(packed, where, inside, limit=limit):
                    yield _unpacked(file, path, stems)
        except (SubmissionError, UsageError) as error:  # one student's broken zip does not stop the others
            skipped.append(unusable(where, error))
        skipped += inside


def _opened(place: Path, path: PurePosixPath, limit: int, unpacked: Path) -> BinaryIO:
    """A zip file in a place, open for reading; one that is in a zip itself is `unpacked` first."""
    if place.is_dir():
        return places.opened(place, path)
    unpacked.write_bytes(places.content(place, path, limit=limit))
    return unpacked.open("rb")


def _with_share(taken: tuple[int, int], packed: BinaryIO, where: str, limit: int) -> tuple[int, int]:
    """How many notebooks and bytes a student's zips have, with one more; SubmissionError when that is too much."""
    sizes = places.sizes(packed, where)
    count, size = taken[0] + len(sizes), taken[1] + sum(min(size, limit) for size in sizes)
    what_next = "Unpack it and keep those that count; if it is a whole class's, collect it by itself."
    if count > _MOST_OF_ONE:
        raise SubmissionError(
            f"with it, there are {count} notebooks in this student's zips, more than {_MOST_OF_ONE}. {what_next}"
        )
    if size > _LARGEST_OF_ONE * limit:
        most = f"{_LARGEST_OF_ONE * limit >> 20} MiB"
        raise SubmissionError(
            f"with it, the notebooks in this student's zips are larger than {most} together. {what_next}"
        )
    return count, size


def _around(packed: PurePosixPath, stems: Sequence[str]) -> list[str]:
    """The folders that a zip lies in and that may be somebody's."""
    return may_be_somebodys(packed.parent.parts, stems)


def _unpacked(file: NotebookFile, packed: PurePosixPath, stems: Sequence[str]) -> NotebookFile:
    """A notebook of a zip, with the path that tells whose it is.

    A zip in somebody's folder is theirs, whatever folders it holds.
    """
    around = _around(packed, stems)
    path = (packed if is_canvas(packed.name) else packed.with_suffix("")) / file.path
    if not around or is_a_platforms(path):
        return replace(file, path=path)
    own = own_folder(file.path.parts[:-1], stems)
    if own is None:
        return replace(file, path=packed.parent / file.path.name)
    doubt = f"the student is read from folders inside {packed.name!r}, which lies in the folder {'/'.join(around)!r}"
    return replace(file, path=path, doubt=doubt if file.path.parts[own - 1] not in around else "")


def without_notebook(
    place: Path, seen: Sequence[PurePosixPath], stems: Sequence[str], listed: set[str]
) -> list[Skipped]:
    """What those handed in of whom there is no notebook: nobody's work disappears without a word."""
    known = {_owner(path, stems) for path in seen}
    skipped = []
    for path in places.others(place):
        where, owner = places.name_of(place, path), _owner(path, stems)
        if owner not in known and not any(entry.startswith(where) for entry in listed):
            known.add(owner)
            held = "it holds no notebook" if path.suffix.lower() == ".zip" else "it is not a notebook"
            skipped.append(Skipped(where, f"{held} (.ipynb), and there is none of this student"))
    return skipped


def _owner(path: PurePosixPath, stems: Sequence[str]) -> str:
    return read_path(path, stems, asks=True).identity(path)
