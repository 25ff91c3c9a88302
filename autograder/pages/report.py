"""The verb `report`: a page about a class, for instructors; one HTML file that needs no network and no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.marks import read as read_marks
from autograder.course import Course, files, policy
from autograder.course.errors import UsageError
from autograder.course.limits import Limits
from autograder.course.model import Result
from autograder.grading import reading, submissions
from autograder.grading.reading import Unreadable, counted
from autograder.nbgrader_bridge.folder import CONFIG, CourseFolder
from autograder.pages.highlighting.highlighter import Highlighter
from autograder.pages.report_page import page
from autograder.pages.similarity import Comparison, compare


@dataclass(frozen=True)
class Written:
    """What was done, in words, and what is not on the page because it cannot be read."""

    words: str
    unreadable: tuple[Unreadable, ...]


def write(place: Path, course: Course, out: Path, handed_in: Path | None = None) -> Written:
    """Write the page about the results in a folder, or in an nbgrader course.

    `handed_in` is the place that was graded. With it, and always in an nbgrader course, similar pairs are looked for.
    """
    folder = CourseFolder.at(place) if (place / CONFIG).exists() else None
    graded = folder.graded if folder else place
    found = reading.in_folder(graded)
    marks = read_marks(place, course, results=found)
    if not found:
        raise UsageError(f"There are no results in {graded}: run `autograder grade` first.")
    results, unreadable = found.apart()
    if folder and handed_in is None and folder.submitted.is_dir():
        handed_in = folder.submitted
    limits = marks.rules.limits or (policy.limits(course) if folder else Limits())
    keys = {(student, assignment) for student, assignment in found.keys if assignment is not None}
    similar = _similar(course, folder, keys, handed_in, limits) if handed_in else {}
    with Highlighter() as highlighter:
        files.replace(out, page(results, marks, similar, highlighter.shown, unreadable).encode())
    return Written(_told(out, results, unreadable, similar), unreadable)


def _told(
    out: Path, results: Sequence[Result], unreadable: Sequence[Unreadable], similar: dict[str, Comparison]
) -> str:
    told = f"wrote {out}: {len(results)} submissions of {len({result.student for result in results})} students"
    if ungraded := sum(result.ungraded is not None for result in results):
        told += f", {ungraded} of them not graded"
    if unreadable:
        told += f", which is not all: {counted(unreadable)}"
    pairs = sum(len(comparison.pairs) for comparison in similar.values())
    return (
        f"{told}; {pairs} similar pair{'' if pairs == 1 else 's'}"
        if similar
        else f"{told}. Similar pairs need --submissions."
    )


def _similar(
    course: Course, folder: CourseFolder | None, graded: set[tuple[str, str]], place: Path, limits: Limits
) -> dict[str, Comparison]:
    """The similar pairs of each assignment, among the submissions that have a result, readable or not."""
    handed_in = submissions.find(place, course.stems(), limit=limits.notebook_bytes)
    ours = [one for one in handed_in.submissions if (one.student, one.assignment) in graded]
    if not ours:
        raise UsageError(f"Nothing in {place} belongs to these results. Name what was graded with --submissions.")
    compared = {}
    for stem in sorted({assignment for _, assignment in graded} & set(course.stems())):
        releases = [folder.release(stem) / f"{stem}.ipynb"] if folder else []
        compared[stem] = compare(course, stem, [one for one in ours if one.assignment == stem], releases)
    return compared
