"""The verb `feedback`: a page for each student and notebook, from the results that `grade` has written."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.authoring import release
from autograder.classroom.marks import Marks
from autograder.classroom.marks import read as read_marks
from autograder.course import Course, files, sources
from autograder.course.errors import AutograderError, UsageError
from autograder.course.model import Result
from autograder.grading import reading
from autograder.grading.reading import Unreadable, counted
from autograder.nbgrader_bridge.folder import CONFIG
from autograder.pages import prose
from autograder.pages.feedback_exercise import Task
from autograder.pages.feedback_page import Ending, page
from autograder.pages.highlighting.highlighter import Highlighter


@dataclass(frozen=True)
class Written:
    """What a run of `feedback` did: how many pages there are, how many changed, and what prevented others."""

    out: Path
    pages: int
    changed: int
    problems: tuple[str, ...]
    unreadable: tuple[Unreadable, ...]
    """The results that have no page, because they cannot be read."""


def write(
    place: Path,
    course: Course,
    out: Path | None = None,
    *,
    students: Sequence[str] = (),
    assignments: Sequence[str] = (),
) -> Written:
    """Write the pages about the results in a folder, or in an nbgrader course.

    They go to `<out>/<student>/<assignment>/<assignment>.html`, which is where nbgrader keeps feedback, so its own
    commands hand these pages out. A result that cannot be used is reported, and the others get their pages all the
    same. A page that has not changed is not written again.
    """
    graded = place / "graded" if (place / CONFIG).exists() else place
    found = reading.in_folder(graded)
    if not found:
        raise UsageError(f"There are no results in {graded}: name a folder that `autograder grade` has written.")
    results, unreadable = found.apart()
    _require_known(students, {student for student, _ in found.keys}, "result of a student")
    _require_known(assignments, {name for _, name in found.keys if name}, "result for an assignment")
    pages = _Pages(course, read_marks(place, course, results=found))
    target = out or place / "feedback"
    chosen = [one for one in results if _is_chosen(one.student, one.assignment, students, assignments)]
    damaged = tuple(one for one in unreadable if _is_chosen(one.student, one.assignment, students, assignments))
    changed, problems = 0, list[str]()
    with Highlighter() as highlighter:
        for result in sorted(chosen, key=lambda result: (result.student, result.assignment)):
            try:
                text = pages.of(result, highlighter).encode()
            except AutograderError as error:
                problems.append(str(error))
                continue
            at = target / result.student / result.assignment / f"{result.assignment}.html"
            if not at.is_file() or at.read_bytes() != text:
                files.replace(at, text)
                changed += 1
    return Written(target, len(chosen) - len(problems), changed, (*problems, *pages.remarks), damaged)


def told(written: Written) -> str:
    """What was done, in words."""
    pages = "1 page" if written.pages == 1 else f"{written.pages} pages"
    unchanged = written.pages - written.changed
    words = f"{pages} of feedback in {written.out}" + (f" ({unchanged} unchanged)" if unchanged else "")
    if not written.unreadable:
        return words
    return f"{words}; {counted(written.unreadable)}: no new page for {'it' if len(written.unreadable) == 1 else 'them'}"


def _require_known(names: Sequence[str], known: set[str], what: str) -> None:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), n=3)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise UsageError(f"There is no {what} called {name!r}.{hint}")


def _is_chosen(student: str, assignment: str | None, students: Sequence[str], assignments: Sequence[str]) -> bool:
    """Whether a result is of a student, or assignment, that was named, or none was; without one, it may be of any."""
    return (not students or student in students) and (
        not assignments or assignment is None or assignment in assignments
    )


@dataclass(frozen=True)
class _Notebook:
    """What all students of a notebook have in common: its title, what was asked, and how the stubs' cells begin."""

    title: str
    tasks: dict[str, Task]
    given: Sequence[str]


class _Pages:
    """Makes pages; what the students of a notebook have in common is rendered once."""

    def __init__(self, course: Course, marks: Marks) -> None:
        self._course, self._marks = course, marks
        self._notebooks: dict[str, _Notebook] = {}
        self.remarks: list[str] = []

    def of(self, result: Result, highlighter: Highlighter) -> str:
        """The page for a result; an error says why there is no page."""
        about = self._notebook(result.assignment)
        coloured = partial(highlighter.shown, given=about.given)
        return page(result, about.title, about.tasks, self._ending(result), coloured)

    def _notebook(self, stem: str) -> _Notebook:
        if stem not in self._notebooks:
            source = sources.read(self._course.source(stem))
            tasks = {name: self._task(f"{stem}, {name}", text) for name, text in sources.tasks(source).items()}
            given = [stub.partition("# YOUR CODE HERE")[0].rstrip() for stub in sources.stubs(source).values()]
            self._notebooks[stem] = _Notebook(release.title(source, stem), tasks, given)
        return self._notebooks[stem]

    def _task(self, where: str, markdown: str) -> Task:
        heading, text = prose.split_heading(markdown)
        parts = prose.render_line(heading), prose.render(text, below=2)
        self.remarks += [
            f"{where}: {problem} It is shown as it was written." for part in parts for problem in part.problems
        ]
        return Task(parts[0].html, parts[1].html)

    def _ending(self, result: Result) -> Ending | None:
        """What people, lateness and rounding made of the score; None when there is no mark."""
        mark = self._marks.marks.get((result.student, result.assignment))
        final = self._marks.of(result.student, result.assignment)
        due = self._marks.rules.due_for(result.student, result.assignment)
        if mark is None or final is None:
            return None
        return Ending(
            mark.entry.score,
            final,
            float(mark.entry.score) != result.score,
            due and due.astimezone(self._marks.rules.zone),
            None if mark.entry.handed_in is None else mark.late_by,
            mark.penalty,
        )
