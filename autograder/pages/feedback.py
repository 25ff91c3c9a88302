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
from autograder.grading import store
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
    documents = {path: store.read(path) for path in sorted((graded / "results").glob("*/*.json"))}
    if not documents:
        raise UsageError(f"There are no results in {graded}: name a folder that `autograder grade` has written.")
    chosen = _chosen(list(documents), students, 0, "result of a student")
    chosen = _chosen(chosen, assignments, 1, "result for an assignment")
    results = [result for result in documents.values() if result is not None]
    pages = _Pages(course, read_marks(place, course, results=results))
    target = out or place / "feedback"
    changed, problems = 0, list[str]()
    with Highlighter() as highlighter:
        for path in chosen:
            try:
                text = pages.of(path, documents[path], highlighter).encode()
            except AutograderError as error:
                problems.append(str(error))
                continue
            student, assignment = path.parent.name, path.stem
            at = target / student / assignment / f"{assignment}.html"
            if not at.is_file() or at.read_bytes() != text:
                files.replace(at, text)
                changed += 1
    return Written(target, len(chosen) - len(problems), changed, (*problems, *pages.remarks))


def told(written: Written) -> str:
    """What was done, in words."""
    pages = "1 page" if written.pages == 1 else f"{written.pages} pages"
    unchanged = written.pages - written.changed
    return f"{pages} of feedback in {written.out}" + (f" ({unchanged} unchanged)" if unchanged else "")


def _chosen(found: list[Path], names: Sequence[str], part: int, what: str) -> list[Path]:
    """The results of the students, or assignments, that were named; all of them when none was."""
    known = sorted({(path.parent.name, path.stem)[part] for path in found})
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise UsageError(f"There is no {what} called {name!r}.{hint}")
    return [path for path in found if not names or (path.parent.name, path.stem)[part] in names]


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

    def of(self, path: Path, result: Result | None, highlighter: Highlighter) -> str:
        """The page for the result in a file, None if it cannot be read; an error says why there is no page."""
        if result is None:
            raise UsageError(f"{path} cannot be read as a result: grade this submission again.")
        if (result.student, result.assignment) != (path.parent.name, path.stem):
            raise UsageError(
                f"{path} is in the wrong place: it is the result of another submission "
                f"({result.student!r}, {result.assignment!r})."
            )
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
