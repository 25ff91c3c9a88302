"""Our engine for one notebook after another, as nbgrader passes them on."""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from autograder.course import Course, notebook, policy
from autograder.course.errors import GraderError
from autograder.course.limits import Limits
from autograder.course.policy import Policy
from autograder.engine.jobs import Job, Outcome, Settings
from autograder.engine.outputs import with_outputs
from autograder.engine.running import Cell, NotebookRun
from autograder.grading.keys import Keys
from autograder.grading.local import zygote_for
from autograder.grading.seeds import secret
from autograder.grading.seeds.seeding import Seeds
from autograder.grading.single import SingleWorker
from autograder.nbgrader_bridge import autograded
from autograder.sandbox import isolation, temporary
from autograder.sandbox.process import Zygote

_WORKERS: dict[tuple[Path, str], tuple[str, SingleWorker]] = {}
_GRADED: dict[tuple[Path, str], set[str]] = {}  # the notebooks that this process has graded, by course and student


def examine(
    course: Course,
    student: str,
    stem: str,
    content: bytes,
    *,
    wanted: str,
    full: bool,
    rules: Policy,
    tell: Callable[[str], None] = lambda words: None,
) -> Outcome:
    """The outcome of a submission; a failure of our own is a GraderError, and costs nobody marks.

    The grading process is kept for the next submission, until suite, source or rules change. If another notebook of
    this student was graded before, nothing that the code of this one says is quoted: it could be what that one was
    asked. `tell` is called with what whoever grades should know about the hidden numbers.
    """
    limits = rules.limits or policy.limits(course)
    seeds = Seeds(course, limit=limits.notebook_bytes, tell=tell)
    settings = Settings(
        course.root,
        _isolation(course, wanted),
        limits,
        full=full,
        allowed=policy.allowed(course, rules.allowed),
        probes=seeds.probes,
    )
    keys = Keys(course, settings)
    place = course.root, stem
    try:
        worker = _worker(place, settings, version=keys.key(stem, b""))
        graded = _GRADED.setdefault((course.root, student), set())
        graded.add(stem)
        seed = seeds.seed(student, stem, content)
        job = Job(
            student,
            stem,
            content,
            keys.key(stem, content, seed=seed.text),
            quoting=graded == {stem},
            seed=seed.text,
            attempt=seed.attempt,
            secret=seed.secret,
        )
        (outcome,) = worker.grade((job,))
        if outcome.result.ungraded is not None:
            raise GraderError(f"{stem} of {student} was not graded: {outcome.result.ungraded}")
    except BaseException:
        _end(place)  # whatever it was, the next submission starts from a fresh process
        raise
    return outcome


def _worker(place: tuple[Path, str], settings: Settings, *, version: str) -> SingleWorker:
    """The grading process for a notebook as it is now, which may be warm already."""
    if place not in _WORKERS or _WORKERS[place][0] != version:
        _end(place)
        worker = SingleWorker(settings, [place[1]])
        _WORKERS[place] = version, worker
        worker.isolate(zygote_for(settings))
    return _WORKERS[place][1]


def _end(place: tuple[Path, str]) -> None:
    if place in _WORKERS:
        _WORKERS.pop(place)[1].close()


@atexit.register
def _end_all() -> None:
    for place in list(_WORKERS):
        _end(place)


@cache
def _isolation(course: Course, wanted: str) -> str:
    hidden = (course.solutions, course.catalogue, secret.folder(course))
    return isolation.choose(wanted, checks=course.checks, data=course.data, suites=course.suites, hidden=hidden)


def run(
    some: NotebookNode, files: Path | None, *, course: Course, wanted: str, limits: Limits | None = None
) -> NotebookNode:
    """A notebook with tests of its own after a run in the sandbox; nbgrader reads the marks from the outputs.

    `files` is a folder whose files, except notebooks, the code finds in its working folder. A cell that was not run
    ends with an error: nbgrader would take silence for success.
    """
    limits = limits or policy.limits(course)
    parsed = notebook.parse(notebook.dumps(some), "the notebook", limit=limits.notebook_bytes)
    names = [cell.id for cell in parsed.cells]
    for number, cell in enumerate(parsed.cells):  # a copied id must not bring one cell the outputs of another
        cell.id = f"cell-{number}"
    cells = [Cell(identity, source) for identity, source in notebook.code_cells(parsed)]
    with temporary.folder("files") as folder:
        stage = folder / "files"
        if files is not None:
            shutil.copytree(files, stage, ignore=shutil.ignore_patterns("*.ipynb", ".*", "__pycache__"))
        stage.mkdir(exist_ok=True)
        for path in (folder, stage, *stage.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        mode = _isolation(course, wanted)
        zygote = Zygote(mode, checks=stage, data=stage, limits=limits, figures=True)
        running = NotebookRun(zygote, [Cell(_COPYING, _COPY.format(folder=str(stage))), *cells])
        try:
            running.start()
            if running.reports and running.reports[0].error is not None:
                raise GraderError(f"the assignment's files could not be copied: {running.reports[0].error['text']}")
            finished = with_outputs(parsed, running.reports)
        finally:
            running.close()
            zygote.close()
    ran = {report.id for report in running.reports}
    for cell, name in zip(finished.cells, names, strict=True):
        if cell.cell_type == "code" and cell.source.strip() and cell.id not in ran:
            words = "; ".join(map(str, running.faults)) or "the notebook was given up"
            cell.outputs = [
                NotebookNode(output_type="error", ename="NotRun", evalue=words, traceback=[f"NotRun: {words}"])
            ]
        cell.id = name
    return finished


_COPYING = "copy-files"
_COPY = """def _copy(folder):
    import importlib, os, shutil, sys
    for here, folders, names in os.walk(folder):
        there = os.path.relpath(here, folder)
        os.makedirs(there, exist_ok=True)
        for name in names:
            shutil.copyfile(os.path.join(here, name), os.path.join(there, name))
    sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
_copy({folder!r})
del _copy
"""


def graded_notebook(outcome: Outcome, content: bytes, originals: tuple[autograded.Original, ...]) -> NotebookNode:
    """The autograded notebook of an outcome: with all outputs if every cell was run, otherwise with those of checks.

    Its texts are as the student wrote them, for nbgrader to read; `harmless` makes them fit to be shown.
    """
    where = f"{outcome.result.student}/{outcome.result.assignment}"
    submission = autograded.without_outputs(notebook.parse(content, where))
    if outcome.notebook is not None:  # its texts are no longer the student's: nbgrader could not compare them
        for cell, ran in zip(submission.cells, notebook.parse(outcome.notebook, where).cells, strict=True):
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    return autograded.with_verdicts(autograded.restored(submission, originals), outcome.result)
