"""The grading processes of a run: each replaced when it dies, and no more of them than the machine has memory for."""

from __future__ import annotations

import itertools
import math
import selectors
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from autograder.course import Course
from autograder.course.errors import AuthorError, GraderError
from autograder.course.limits import MIB
from autograder.course.model import Whose
from autograder.engine.jobs import Job, Outcome, Portfolio, Settings, ungraded
from autograder.grading.local.process import Finished, GradingProcess
from autograder.grading.local.tasks import AT_ONCE, Task, Tasks
from autograder.sandbox import machine
from autograder.sandbox.machine import Memory
from autograder.sandbox.process import Zygote
from autograder.sandbox.rooms import RoomFile

_ROOM = 256 * MIB  # that must be free for one more process to be at work beside others
_LOOK_SECONDS = 0.25  # between two looks at the memory while several are at work
_FREEING_SECONDS = 1.0  # that the memory of a process which was ended may take to be there
_REST_SECONDS = 5.0  # that pass before a process that memory was too short for may come back


def grade_locally(jobs: Iterable[Job], settings: Settings, *, workers: int, stems: Sequence[str]) -> Iterator[Outcome]:
    """The outcomes of all jobs, as they come, each graded by itself under the isolation that the settings name.

    A worker's next job is asked for only after the outcome of its last one has been taken.
    """
    waiting = ((job,) for job in jobs)
    first = list(itertools.islice(waiting, workers))
    if not first:
        return
    with Workers(settings, workers=len(first), stems=stems) as processes:
        processes.isolate(zygote_for(settings))
        yield from processes.grade(itertools.chain(first, waiting))


def zygote_for(settings: Settings) -> Zygote:
    """A zygote in the isolation that the settings name, which has been tried before."""
    course = Course(settings.course)
    return Zygote(
        settings.isolation,
        checks=course.checks,
        data=course.data,
        limits=settings.limits,
        allowed=settings.allowed,
        figures=settings.full,
    )


class Workers:
    """Grading processes that collect the suites while a zygote is warmed up and tried, then grade with copies of it.

    Of several, some rest while the machine is short of memory, before the kernel chooses whom to end.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        workers: int,
        stems: Sequence[str],
        first: int = 0,
        tell: Callable[[str], None] = lambda words: None,
        rooms: RoomFile | None = None,
    ) -> None:
        """Processes are numbered from `first` on; `tell` is called, with words, when the machine lets one down.

        `rooms`, if given, are shared with processes that others have started, and stay open.
        """
        self._settings, self._stems, self._tell = settings, stems, tell
        self._stopped = threading.Event()
        self._rooms, self._rooms_are_shared = rooms or RoomFile(), rooms is not None
        self._selector = selectors.DefaultSelector()
        self._zygote: Zygote | None = None
        self._workers: list[GradingProcess] = []
        self._count, self._single = workers, workers == 1
        self._rested = self._looked = -math.inf
        self._left: Memory | None = None
        self._told_of_rest = False
        self._resting = list(reversed(range(first, first + workers)))  # the numbers of those who are not at work
        for _ in range(self._affordable()):
            self._start(self._resting.pop())

    def _affordable(self) -> int:
        """With how many workers to begin."""
        left = None if self._single else self._memory()
        if left is None or left.available >= self._count * _ROOM:
            return self._count
        at_work = max(1, left.available // _ROOM)
        self._note_rest(left, at_work)
        return at_work

    def _start(self, number: int) -> GradingProcess:
        worker = GradingProcess(self._settings, self._stems, number, self._rooms)
        self._workers.append(worker)
        return worker

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes, and the zygote."""
        while self._workers:  # still there only when there was nothing to do, or the run is being given up
            self._workers.pop().close(at_once=True)
        self._selector.close()
        if self._zygote is not None:
            self._zygote.close()
        if not self._rooms_are_shared:
            self._rooms.close()

    def isolate(self, zygote: Zygote) -> None:
        """Give every process a copy of the zygote, which ends with the processes."""
        self._zygote = zygote
        for worker in self._workers:
            worker.isolate(zygote)

    def stop(self) -> None:
        """End all processes in the middle of their jobs, from another thread: `grade` then raises."""
        self._stopped.set()
        for worker in list(self._workers):
            worker.relieve()

    def grade(self, portfolios: Iterable[Portfolio], *, ahead: bool = False) -> Iterator[Outcome]:
        """The outcomes of all jobs, as they come. At most one portfolio per worker is in memory at a time.

        A worker that dies, or does not finish in time, is replaced and its jobs graded again, each by itself. What the
        machine has kept from being graded is tried again when nobody else is at work, after a pause; what cannot be
        graded even then is ungraded. With `ahead`, a worker gets its next portfolio before the outcomes of its last one
        are handed over, so that it works on while they are being written; then `portfolios` must not depend on what has
        come out so far.
        """
        tasks = Tasks(portfolios, single=self._single)
        for worker in list(self._workers):
            self._selector.register(worker.channel, selectors.EVENT_READ, worker)
            self._give_task(worker, tasks)
        while self._workers:
            for key, _ in self._selector.select(self._end_overdue()):
                worker = key.data
                finished, lives = worker.receive()
                outcomes = list(self._settled(finished, tasks))
                if not ahead:
                    yield from outcomes
                    outcomes = []
                if not lives:
                    outcomes += self._bury(worker, tasks)
                    if worker.relieved and self._workers:
                        continue
                    worker = self._replacement(self._resting.pop())
                if worker.task is None:
                    self._give_task(worker, tasks)
                yield from outcomes
            self._mind_memory(tasks)

    def _settled(self, finished: Iterable[Finished], tasks: Tasks) -> Iterator[Outcome]:
        """The outcomes that stand; what the machine has kept from being graded is tried again."""
        for one in finished:
            if one.outcome.result.ungraded_by is not Whose.MACHINE or not tasks.later(one.again):
                yield one.outcome

    def _bury(self, worker: GradingProcess, tasks: Tasks) -> list[Outcome]:
        """Remove a worker that has died, and have its jobs graded again; the outcomes of those that none can grade."""
        if self._stopped.is_set():
            raise GraderError("the run has ended")
        self._remove(worker)
        if worker.failure:
            raise AuthorError(worker.failure)
        self._resting.append(worker.number)
        if worker.relieved:
            tasks.again([worker.whole()] if worker.task is not None else [])
            return []
        again = worker.one_by_one()
        for task in again:
            (job,) = task.jobs
            self._tell(f"a grading process died ({worker.last_words}) on {job.student}'s {job.assignment}")
        if all(task.tries < AT_ONCE for task in again):
            tasks.again(again)
            return []
        left = [task for task in again if not (worker.ended_from_outside and tasks.later(task))]
        return [_given_up(task, worker) for task in left]

    def _give_task(self, worker: GradingProcess, tasks: Tasks) -> None:
        """Give a worker its next task; let it rest if there is no memory for it, or end if there is nothing to do."""
        alone = not any(other.task is not None for other in self._workers)
        if not alone and (left := self._memory()) is not None and left.available < _ROOM:
            self._rest(worker, left)
            return
        task = tasks.next(alone=alone)
        if task is None:
            self._remove(worker)
            return
        if self._stopped.wait(task.pause):
            raise GraderError("the run has ended")
        worker.send(task)

    def _replacement(self, number: int) -> GradingProcess:
        assert self._zygote is not None
        if self._stopped.is_set():  # from another thread, which cannot know of this one
            raise GraderError("the run has ended")
        worker = self._start(number)
        worker.isolate(self._zygote)
        self._selector.register(worker.channel, selectors.EVENT_READ, worker)
        return worker

    def _remove(self, worker: GradingProcess) -> None:
        self._selector.unregister(worker.channel)
        self._workers.remove(worker)
        worker.close()

    def _end_overdue(self) -> float:
        """How many seconds to wait before looking again; workers whose time is over are killed."""
        for worker in self._workers:
            if worker.seconds_left() <= 0:
                worker.give_up()
        wait = min(60.0, max(0.1, min(worker.seconds_left() for worker in self._workers)))
        return wait if self._single else min(wait, _LOOK_SECONDS)

    # --- Memory -------------------------------------------------------------------------------------------------------

    def _mind_memory(self, tasks: Tasks) -> None:
        """Let the worker that began last rest where memory runs out, and call one back where there is enough again."""
        if self._single or not self._workers:
            return
        left, since = self._memory(), time.monotonic() - self._rested
        if left is None:
            return
        if len(self._workers) > 1 and left.available < _least(left.total) and since >= _FREEING_SECONDS:
            last = max(self._workers, key=lambda worker: worker.since)
            last.relieve()  # what it was doing is graded again
            self._note_rest(left, len(self._workers) - 1)
        elif self._resting and left.available >= 2 * _ROOM and since >= _REST_SECONDS:
            self._give_task(self._replacement(self._resting.pop()), tasks)

    def _rest(self, worker: GradingProcess, left: Memory) -> None:
        """Let a worker without a task rest."""
        self._remove(worker)
        self._resting.append(worker.number)
        self._note_rest(left, len(self._workers))

    def _note_rest(self, left: Memory, at_work: int) -> None:
        self._rested = time.monotonic()
        if not self._told_of_rest:
            self._told_of_rest = True
            self._tell(
                f"the machine is short of memory ({left.available >> 20} MiB are left): not more than {at_work} of "
                f"{self._count} workers are at work until there is more"
            )

    def _memory(self) -> Memory | None:
        """The memory that is left, as it was a moment ago."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked, self._left = now, machine.memory()
        return self._left


def _least(total: int) -> int:
    """How many bytes must be left while several are at work: with fewer, the kernel might soon choose whom to end."""
    return min(max(64 * MIB, total // 32), _ROOM)


def _given_up(task: Task, worker: GradingProcess) -> Outcome:
    """The outcome of a job that no attempt could grade, because its grading process died each time."""
    (job,) = task.jobs
    if worker.ended_from_outside:
        reason = f"the machine failed: it ended the grading process {task.tries} times ({worker.last_words})"
        return ungraded(job, worker.isolation, reason, Whose.MACHINE)
    reason = f"the grader failed: its process died {task.tries} times on this submission ({worker.last_words})"
    return ungraded(job, worker.isolation, reason, Whose.GRADER)
