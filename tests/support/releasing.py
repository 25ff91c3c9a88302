"""The real course as a release would write it, and releases of mini courses, which nobody has validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import minicourse
import pytest

from autograder.authoring import release
from autograder.course import Course
from autograder.course.errors import LeakError

SOLUTION = "result = sum(value * weight for value, weight in zip(values, weights))"


@cache
def built() -> Mapping[str, bytes]:
    """The real course as a release would write it, made once."""
    return release.build(Course.default())


def write(course: Course, stems: Sequence[str] | None = None) -> list[str]:
    """Release notebooks, validated or not; the names of those that changed."""
    return list(release.release(course, stems, unvalidated=True).notebooks)


def bundle(course: Course, zip_file: Path, stems: Sequence[str] | None = None) -> dict[str, str]:
    """Release notebooks, validated or not, with the bundle; the checksums of what is in it."""
    return dict(release.release(course, stems, zip_file=zip_file, unvalidated=True).bundled)


def plant(course: Course, text: str = "Read this.", stem: str = "01_mini", **metadata: Any) -> None:
    """Add a markdown cell to a source."""
    minicourse.edit(course, stem, new=minicourse.markdown("planted", text, **metadata))


def refused(course: Course, stems: Sequence[str] | None = ("01_mini",)) -> str:
    """The message with which a release is refused, after making sure that nothing was written."""
    before = _files(course)
    with pytest.raises(LeakError) as caught:
        write(course, stems)
    assert _files(course) == before
    return str(caught.value)


def _files(course: Course) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
