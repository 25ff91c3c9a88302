"""The worker's side of a cluster: a plugin that makes a Dask worker ready to grade, or says why it cannot.

The plugin brings the course's files with it. They are in a private folder, which is removed when the run ends, when the
instructor's side is gone, or when the worker dies. What travels is plain JSON, as bytes; nothing here hands a Python
object to the other side.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace

from distributed import Worker, WorkerPlugin, get_worker

from autograder.course import Course, codec
from autograder.course.errors import AuthorError, AutograderError, GraderError, MachineError
from autograder.engine.jobs import Outcome, Portfolio, Settings
from autograder.grading.cluster.archive import Archive, unpack
from autograder.grading.cluster.batches import BatchReply, packed, portfolios_in
from autograder.grading.cluster.pool import Pool
from autograder.grading.fingerprint import fingerprint
from autograder.sandbox import isolation, temporary


def resource(run: str, mode: str) -> str:
    """The name of what a worker that may grade for a run under an isolation offers to Dask's scheduler."""
    return f"{run}-{mode}"


class Grading(WorkerPlugin):
    """Makes a worker ready for one run, offers its threads to the scheduler, and keeps its grading processes.

    Reports go to the topic with the run's name: `isolation` when the worker is ready, `problem` when it takes no work,
    `fault` when something went wrong that was dealt with.
    """

    def __init__(
        self, run: str, archive: Archive, settings: bytes, stems: Sequence[str], versions: dict[str, str]
    ) -> None:
        self.name = run
        self._archive, self._settings, self._stems, self._versions = archive, settings, list(stems), versions

    async def setup(self, worker: Worker) -> None:
        """Begin to get ready, and let the worker go on meanwhile."""
        self._worker, self._lock = worker, threading.Lock()
        self._pool: Pool | None = None
        self._folder: temporary.Kept | None = None
        self._over = False
        worker.loop.add_callback(self._get_ready)

    async def teardown(self, worker: Worker) -> None:
        """End the grading processes, and remove the course's files."""
        await asyncio.to_thread(self._end)

    def grade(self, portfolios: Sequence[Portfolio]) -> list[Outcome]:
        """The outcomes of a batch, in this thread."""
        if self._pool is None:
            raise GraderError("this worker is not ready")
        return self._pool.grade(portfolios)

    async def _get_ready(self) -> None:
        try:
            mode, reason = await asyncio.to_thread(self._examine)
        except Exception as error:  # noqa: BLE001 - whatever it is, this worker says so, takes no work, keeps nothing
            self._report(
                problem=str(error) if isinstance(error, AutograderError) else f"{type(error).__name__}: {error}"
            )
            await asyncio.to_thread(self._end)
        else:
            if not self._over:
                await self._worker.set_resources(**{resource(self.name, mode): self._worker.state.nthreads})
                self._report(isolation=mode, reason=reason)

    def _examine(self) -> tuple[str, str]:
        """The isolation that holds here, and why not a stronger one; an error in words if it must not grade."""
        told = codec.decode(self._settings, Settings)
        _compare(self._versions, fingerprint(told.allowed))
        with self._lock:
            if self._over:
                raise GraderError("the run has ended")
            course = self._unpack()
            settings = replace(told, course=course.root)
            # They get ready while the isolation is tried.
            self._pool = Pool(
                settings,
                self._stems,
                self._worker.state.nthreads,
                lambda words: self._report(fault=words),
                run=self.name,
            )
        hidden = (course.solutions, course.catalogue)
        zygote = isolation.start(
            settings.isolation,
            checks=course.checks,
            data=course.data,
            suites=course.suites,
            hidden=hidden,
            limits=settings.limits,
            allowed=settings.allowed,
            figures=settings.full,
            tell=lambda words: None,  # it is in the report
        )
        with self._lock:
            if self._over:
                zygote.close()
                raise GraderError("the run has ended")
            self._pool.isolate(zygote)
        return zygote.mode, zygote.reason

    def _unpack(self) -> Course:
        self._folder = temporary.Kept("course", inside=self._worker.local_directory)
        inside = self._folder.path / "course"
        inside.mkdir()
        return unpack(self._archive, inside)

    def _end(self) -> None:
        with self._lock:
            self._over = True
            pool, folder, self._folder = self._pool, self._folder, None
        if pool is not None:
            pool.close()
        if folder is not None:
            folder.close()

    def _report(self, **words: str) -> None:
        self._worker.log_event(self.name, {"worker": self._worker.address, **words})


def _compare(wanted: dict[str, str], found: dict[str, str]) -> None:
    other = [
        f"{name} {found.get(name, 'none')} instead of {version}"
        for name, version in wanted.items()
        if found.get(name) != version
    ]
    if other:
        raise GraderError(f"other versions than the instructor's: {', '.join(other)}")


def grade_batch(run: str, payload: bytes) -> bytes:
    """The reply to a batch of jobs, packed."""
    plugin = get_worker().plugins[run]
    assert isinstance(plugin, Grading)
    here = get_worker().address
    try:
        reply = BatchReply(here, tuple(plugin.grade(portfolios_in(payload))))
    except AuthorError as error:
        reply = BatchReply(here, failure=str(error))
    except Exception as error:  # noqa: BLE001 - said in words: an error object would travel as a pickle
        by_machine = isinstance(error, MachineError | OSError)
        reply = BatchReply(here, error=f"{type(error).__name__}: {error}", by_machine=by_machine)
    return packed(reply)
