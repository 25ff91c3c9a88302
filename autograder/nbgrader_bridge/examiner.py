"""Our engine for one notebook after another, as nbgrader hands them over."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from autograder.course import Course, notebook, policy
from autograder.course.errors import GraderError
from autograder.course.limits import Limits
from autograder.engine.jobs import Job, Outcome, Settings
from autograder.engine.outputs import with_outputs
from autograder.engine.running import Cell, NotebookRun
from autograder.grading.keys import Keys
from autograder.grading.local import grade_locally
from autograder.nbgrader_bridge import autograded
from autograder.sandbox import isolation
from autograder.sandbox.process import Zygote


class Examiner:
    """One grading process that stays warm between the submissions of an assignment."""

    def __init__(self, settings: Settings, keys: Keys, stem: str) -> None:
        self._keys = keys
        self._jobs: deque[Job] = deque()
        self._outcomes = grade_locally(self._waiting(), settings, workers=1, stems=[stem])
        atexit.register(self.close)

    def examine(self, student: str, stem: str, content: bytes) -> Outcome:
        """The outcome of a submission; a failure of our own is a GraderError, and costs nobody marks."""
        self._jobs.append(Job(student, stem, content, self._keys.key(stem, content)))
        outcome = next(self._outcomes)
        if outcome.result.ungraded is not None:
            raise GraderError(f"{stem} of {student} was not graded: {outcome.result.ungraded}")
        return outcome

    def close(self) -> None:
        """End the grading process."""
        atexit.unregister(self.close)
        self._outcomes.close()  # type: ignore[attr-defined]

    def _waiting(self) -> Iterator[Job]:
        while self._jobs:
            yield self._jobs.popleft()


_EXAMINERS: dict[tuple[Path, str], tuple[str, Examiner]] = {}


def examine(
    course: Course, student: str, stem: str, content: bytes, *, wanted: str, full: bool, limits: Limits | None
) -> Outcome:
    """The outcome of a submission. The grading process is kept for the next one, until suite, source or limits change."""
    settings = Settings(course.root, _isolation(course, wanted), limits or policy.limits(course), full=full)
    keys = Keys(course, settings)
    version, place = keys.key(stem, b""), (course.root, stem)
    if place in _EXAMINERS and _EXAMINERS[place][0] != version:
        _EXAMINERS.pop(place)[1].close()
    if place not in _EXAMINERS:
        _EXAMINERS[place] = (version, Examiner(settings, keys, stem))
    try:
        return _EXAMINERS[place][1].examine(student, stem, content)
    except BaseException:
        _EXAMINERS.pop(place)[1].close()  # whatever it was, the next submission starts from a fresh process
        raise


@cache
def _isolation(course: Course, wanted: str) -> str:
    hidden = (course.solutions, course.catalogue)
    return isolation.choose(wanted, checks=course.checks, data=course.data, suites=course.suites, hidden=hidden)


def run(
    some: NotebookNode, files: Path | None, *, course: Course, wanted: str, limits: Limits | None = None
) -> NotebookNode:
    """A notebook with tests of its own, run in the sandbox: the outputs are in its cells, from which nbgrader reads the marks.

    `files` is a folder whose files, notebooks excepted, the code finds in its working folder. A cell that was not run ends with an
    error: nbgrader would take silence for success.
    """
    limits = limits or policy.limits(course)
    parsed = notebook.parse(notebook.dumps(some), "the notebook", limit=limits.notebook_bytes)
    names = [cell.id for cell in parsed.cells]
    for number, cell in enumerate(parsed.cells):  # a copied id must not bring one cell the outputs of another
        cell.id = f"cell-{number}"
    cells = [Cell(identity, source) for identity, source in notebook.code_cells(parsed)]
    with tempfile.TemporaryDirectory(prefix="autograder-files-") as folder:
        stage = Path(folder, "files")
        if files is not None:
            shutil.copytree(files, stage, ignore=shutil.ignore_patterns("*.ipynb", ".*", "__pycache__"))
        stage.mkdir(exist_ok=True)
        for path in (Path(folder), stage, *stage.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        mode = _isolation(course, wanted)
        zygote = Zygote(mode, checks=stage, data=stage, limits=limits, figures=True)
        run = NotebookRun(zygote, [Cell(_BRINGING, _BRING.format(folder=str(stage))), *cells])
        try:
            run.start()
            if run.reports and run.reports[0].error is not None:
                raise GraderError(f"the assignment's files could not be brought: {run.reports[0].error['text']}")
            finished = notebook.parse(with_outputs(parsed, run.reports), "the notebook")
        finally:
            run.close()
            zygote.close()
    ran = {report.id for report in run.reports}
    for cell, name in zip(finished.cells, names, strict=True):
        if cell.cell_type == "code" and cell.source.strip() and cell.id not in ran:
            words = "; ".join(map(str, run.faults)) or "the notebook was given up"
            cell.outputs = [
                NotebookNode(output_type="error", ename="NotRun", evalue=words, traceback=[f"NotRun: {words}"])
            ]
        cell.id = name
    return finished


_BRINGING = "bring-files"
_BRING = """def _bring(folder):
    import importlib, os, shutil, sys
    for here, folders, names in os.walk(folder):
        there = os.path.relpath(here, folder)
        os.makedirs(there, exist_ok=True)
        for name in names:
            shutil.copyfile(os.path.join(here, name), os.path.join(there, name))
    sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
_bring({folder!r})
del _bring
"""


def graded_notebook(outcome: Outcome, content: bytes, originals: tuple[autograded.Original, ...]) -> NotebookNode:
    """The autograded notebook of an outcome: with all outputs where every cell was run, otherwise with those of the checks only."""
    where = f"{outcome.result.student}/{outcome.result.assignment}"
    if outcome.notebook is not None:
        submission = notebook.parse(outcome.notebook, where)
    else:
        submission = autograded.without_outputs(notebook.parse(content, where))
    return autograded.with_verdicts(autograded.restored(submission, originals), outcome.result)
