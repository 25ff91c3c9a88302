"""What nbgrader calls: our engine in the place of a kernel, our policy for late work, feedback without hidden tests.

A course uses them through five lines in its nbgrader_config.py:

    c.Autograde.exporter_class = preprocessors.BoundedExporter
    c.Autograde.sanitize_preprocessors = preprocessors.SANITIZE
    c.Autograde.autograde_preprocessors = preprocessors.AUTOGRADE
    c.GenerateFeedback.preprocessors = preprocessors.FEEDBACK
    c.AssignLatePenalties.plugin_class = preprocessors.CoursePolicy
"""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbgrader import preprocessors as theirs
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Bool, Unicode

from autograder.course import Course, files, notebook, policy, sources
from autograder.course.errors import GradebookError, GraderError, SubmissionError
from autograder.course.limits import MIB
from autograder.engine.outputs import harmless
from autograder.grading import reading, store
from autograder.grading.groups import replies
from autograder.grading.reading import Unreadable
from autograder.nbgrader_bridge import backups, by_hand, examiner, lost
from autograder.nbgrader_bridge.autograded import restored
from autograder.nbgrader_bridge.folder import CourseFolder, read_timestamp, submitted_in
from autograder.nbgrader_bridge.gradebook import Book
from autograder.nbgrader_bridge.hidden_tests import without_hidden_tests

Resources = dict[str, Any]

# Told once in a run that grades a notebook of another course.
PROMISES_END = (
    "%s has tests of its own, which run in the student's process, as with nbgrader itself. The sandbox protects your "
    "machine and other submissions, but not these marks: whoever tries can read the hidden tests and make them pass. "
    "Of five known cheats, four got all marks this way. The way out is to move the checks into a suite, which runs in "
    "a process of its own: see `Your other courses` in docs/instructors.md, and CONTRIBUTING.md."
)
TESTS_LEFT_OUT = (
    "Hidden tests of %s are left out of the autograded notebooks, because nbgrader's feedback would show them. To see "
    "them in formgrader, add this line to nbgrader_config.py: c.GenerateFeedback.preprocessors = preprocessors.FEEDBACK"
)
_TOLD: WeakSet[Any] = WeakSet()  # the runs, which are nbgrader's converters, that have said so
_SAID: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()  # what else they have said
_ONCE_IN_A_WHILE = timedelta(hours=1)  # ten copies of single submissions would be ten of one afternoon
_LARGEST = 100 * MIB  # that nbgrader reads at all; `Examine` knows what the course allows


class BoundedExporter(NotebookExporter):
    """What nbgrader reads submissions with: one that would fill the memory is refused before it is read.

    nbgrader makes it when it begins, before it opens the gradebook: so this is where a lost gradebook is refused, and a
    copy made of one that is there.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)  # type: ignore[no-untyped-call]
        coursedir = getattr(self.parent, "coursedir", None)
        if coursedir is not None:
            self._keep_copy(coursedir)

    def _keep_copy(self, coursedir: Any) -> None:
        """Before each run for a class; for a single submission, as from formgrader's button, once in a while."""
        every = None if "*" in coursedir.student_id else _ONCE_IN_A_WHILE
        try:
            lost.refuse_lost(CourseFolder(Path(coursedir.root), coursedir.course_id, coursedir.db_url, coursedir))
            if words := backups.keep(coursedir.db_url, every=every):
                self.log.info("%s", words)
        except GradebookError as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from None

    def from_filename(self, filename: str, resources: Resources | None = None, **kw: Any) -> tuple[Any, Resources]:
        """The converted notebook; SubmissionError, which nbgrader reports and goes on, for a file that is too large."""
        with files.open_regular(Path(filename), links=True) as file:
            notebook.check_size(file.read(_LARGEST + 1), filename, limit=_LARGEST)
        converted: tuple[Any, Resources] = super().from_filename(filename, resources, **kw)
        return converted


class _OfTheCourse(theirs.NbGraderPreprocessor):  # type: ignore[misc]
    """What both preprocessors need: the course that a notebook may belong to, and the folder that nbgrader works in."""

    repository = Unicode(
        "", help="Folder with the course's solutions/ and hidden suites; the installed one by default."
    ).tag(config=True)

    def course(self) -> Course:
        return Course(Path(self.repository)) if self.repository else Course.default()

    def is_ours(self, resources: Resources) -> bool:
        told = resources["nbgrader"]
        return told["notebook"] == told["assignment"] and told["notebook"] in self.course().stems()

    def coursedir(self) -> Any:
        return self.parent.parent.coursedir  # an exporter stands between a preprocessor and nbgrader's converter

    def folder(self, step: str, resources: Resources) -> Path:
        told = resources["nbgrader"]
        return Path(self.coursedir().format_path(step, told["student"], told["assignment"]))

    def results(self) -> Path:
        """Where our own results are, and what was replied to groups of them."""
        return Path(self.coursedir().root, "graded")

    def originals(self, resources: Resources) -> tuple[Any, ...]:
        told = resources["nbgrader"]
        with Gradebook(told["db_url"]) as gradebook:
            source = sources.read(self.course().source(told["notebook"]))
            return Book(gradebook, told["db_url"]).originals(source, told["notebook"])


class Restore(_OfTheCourse):
    """Puts back what a submission of this course lost: metadata, check cells, answers; leaves other notebooks alone."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """The notebook as nbgrader's own steps expect it."""
        if self.is_ours(resources):
            tolerant = notebook.parse(notebook.dumps(nb), resources["nbgrader"]["student"])
            nb = restored(tolerant, self.originals(resources))
        return nb, resources


class Examine(_OfTheCourse):
    """Replaces Execute: grades a notebook of this course with its hidden suite, and runs any other in the sandbox."""

    isolation = Unicode("auto", help="How student code is contained: auto, strong, portable or none.").tag(config=True)
    full = Bool(True, help="Run every cell and keep its outputs; without, only the checks' outputs are there.").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """The notebook with outputs from which nbgrader reads the marks."""
        rules = policy.load(Path(self.coursedir().root, policy.FILE), self.course().stems())
        submitted = self.folder(self.coursedir().submitted_directory, resources)
        for path in (submitted.parent, submitted, *submitted.rglob("*")):
            if path.is_symlink():  # nbgrader has followed it already, with the rights of whoever grades
                raise SubmissionError(f"{path} is a symbolic link. Hand in the file itself.")
        if self.is_ours(resources):
            return self._examined(submitted, resources, rules), resources
        self._say_where_promises_end(resources)
        files = self.folder(self.coursedir().autograded_directory, resources)
        return examiner.run(nb, files, course=self.course(), wanted=self.isolation, limits=rules.limits), resources

    def _say_where_promises_end(self, resources: Resources) -> None:
        run = self.parent.parent
        if run not in _TOLD:
            _TOLD.add(run)
            self.log.warning(PROMISES_END, resources["nbgrader"]["assignment"])
            if not _feedback_hides_tests(self.config):
                self.log.warning(TESTS_LEFT_OUT, resources["nbgrader"]["assignment"])

    def _tell_once(self, words: str) -> None:
        said = _SAID.setdefault(self.parent.parent, set())
        if words not in said:
            said.add(words)
            self.log.warning("%s", words)

    def _examined(self, submitted: Path, resources: Resources, rules: policy.Policy) -> NotebookNode:
        stem, student = resources["nbgrader"]["notebook"], resources["nbgrader"]["student"]
        # As it was handed in: what nbgrader has put right meanwhile must not change the marks.
        path = submitted / f"{stem}.ipynb"
        with files.open_regular(path, below=submitted_in(self.coursedir())) as file:
            content = file.read(_LARGEST + 1)
        notebook.check_size(content, str(path), limit=_LARGEST)
        outcome = examiner.examine(
            self.course(),
            student,
            stem,
            content,
            wanted=self.isolation,
            full=self.full,
            rules=rules,
            tell=self._tell_once,
        )
        for words in (*outcome.result.repairs, *outcome.result.faults):
            self.log.warning("%s: %s", student, words)
        folder = self.results()
        store.write(folder, replies.load(folder).settle(outcome.result))
        return examiner.graded_notebook(outcome, content, self.originals(resources))


class Settle(_OfTheCourse):
    """Runs after nbgrader has saved the marks of a notebook of this course: answers without points wait for nobody.

    What was replied to all who answered like this is put in, too.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """The notebook as it is."""
        if self.is_ours(resources):
            told = resources["nbgrader"]
            stem, student = told["assignment"], told["student"]
            result = reading.read(store.path_of(self.results(), student, stem))
            if isinstance(result, Unreadable):  # what was replied to answers like this would be left out
                raise GraderError(f"{result.words} Run nbgrader autograde for {student} again: it is made anew.")
            exercises = sources.exercises(sources.read(self.course().source(stem)))
            given = by_hand.given(result, exercises) if result is not None else ()
            with Gradebook(told["db_url"]) as gradebook:
                Book(gradebook, told["db_url"]).settle(stem, student, given)
        return nb, resources


class HideTests(theirs.NbGraderPreprocessor):  # type: ignore[misc]
    """Takes the hidden tests of other courses out of a notebook, and what its outputs quote of them."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """The notebook with a sentence where hidden tests were."""
        clearing = theirs.ClearHiddenTests(parent=self.parent)  # it knows the markers that this course uses
        return without_hidden_tests(nb, clearing.begin_test_delimeter, clearing.end_test_delimeter), resources


class Show(HideTests):
    """Runs when marks are saved: makes the autograded notebook fit to be opened, and to be turned into feedback."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """The notebook with texts that load nothing; without hidden tests, if feedback would show them."""
        if not _feedback_hides_tests(self.config):
            nb, resources = super().preprocess(nb, resources)
        return harmless(nb), resources


def _feedback_hides_tests(config: Any) -> bool:
    return any(step is HideTests for step in config.GenerateFeedback.get("preprocessors", ()))


def whoever_hands_in(config: str) -> bool:
    """Whether everybody who hands in is a student: when the course.toml beside a course's settings names no roster."""
    try:
        return "students" not in tomllib.loads(Path(config).with_name(policy.FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return True  # what is wrong with it is told when it is used


class CoursePolicy(LateSubmissionPlugin):  # type: ignore[misc]
    """Late penalties as course.toml says, for nbgrader."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """What is taken off. nbgrader asks only about work that is late by the due date in the gradebook."""
        asking = self.parent
        coursedir = asking.parent.parent.coursedir
        stem = asking.assignment_id
        known = [str(assignment.name) for assignment in asking.gradebook.assignments]
        rules = policy.load(Path(coursedir.root, policy.FILE), known)
        folder = Path(coursedir.format_path(coursedir.submitted_directory, student_id, stem))
        late_by = rules.lateness(student_id, stem, self._handed_in(folder, stem, student_id))
        points = asking.gradebook.find_submission_notebook(asking.notebook_id, stem, student_id).max_score
        penalty = rules.penalty(late_by, Decimal(str(round(score, 6))), Decimal(str(points)))
        return float(penalty) if late_by else None

    def _handed_in(self, folder: Path, stem: str, student: str) -> datetime | None:
        written: datetime | None = self.parent.gradebook.find_submission(stem, student).timestamp
        return (
            written.replace(tzinfo=UTC)
            if written is not None
            else read_timestamp(folder / "timestamp.txt", submitted_in(self.parent.parent.parent.coursedir))
        )


SANITIZE = [
    theirs.ClearOutput,
    Restore,
    theirs.DeduplicateIds,
    theirs.OverwriteKernelspec,
    theirs.OverwriteCells,
    theirs.CheckCellMetadata,
]
AUTOGRADE = [
    Examine,
    theirs.IgnorePattern,
    ClearMetadataPreprocessor,
    theirs.LimitOutput,
    theirs.SaveAutoGrades,
    Settle,
    theirs.AssignLatePenalties,
    Show,
    theirs.CheckCellMetadata,
]
FEEDBACK = [HideTests, theirs.GetGrades, CSSHTMLHeaderPreprocessor]
