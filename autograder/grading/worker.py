"""A grading process: reads jobs from a socket, one JSON line each, and writes an outcome for each."""

from __future__ import annotations

import os
import resource
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from autograder.course import Course, codec
from autograder.course.errors import AuthorError
from autograder.course.limits import Limits
from autograder.engine.grader import Grader
from autograder.engine.jobs import Isolated, Job, Outcome, Reply, Settings, Start
from autograder.engine.session import SuiteSession
from autograder.sandbox import kernel

_MEMORY = 4 << 30


def grade_all(
    jobs: Iterable[Job],
    settings: Settings,
    deliver: Callable[[Outcome], None],
    *,
    stems: Iterable[str],
    number: int = 0,
    isolated: Callable[[], tuple[str, socket.socket | None]] | None = None,
) -> None:
    """Grade jobs one after another in one pytest session, delivering each outcome as soon as it is known.

    `isolated`, if given, is called once the suites have been collected: it waits for the isolation that was chosen
    meanwhile, and for the control socket of a zygote.
    """
    course = Course(settings.course)
    sys.path.insert(0, str(course.notebooks))  # for the visible checks

    def work(session: SuiteSession) -> None:
        mode, control = (settings.isolation, None) if isolated is None else isolated()
        grader = Grader(replace(settings, isolation=mode), session, number, control)
        try:
            for job in jobs:
                deliver(grader.grade(job))
        finally:
            grader.close()

    SuiteSession(work).main(course.suite(stem) for stem in stems)


def main() -> None:
    """Serve the process that started this one until it hangs up."""
    if sys.platform == "linux":
        kernel.forbid_inspection()
    connection, control = (socket.socket(fileno=int(argument)) for argument in sys.argv[1:])
    channel = connection.makefile("rwb")
    start = codec.decode(channel.readline(), Start)
    _bound_memory(start.settings.limits)
    at_work = _Watch(connection)

    def tell(reply: Reply) -> None:
        channel.write(codec.encode(reply) + b"\n")
        channel.flush()

    def isolated() -> tuple[str, socket.socket]:
        line = channel.readline()
        if not line:
            os._exit(1)  # given up before it began
        return codec.decode(line, Isolated).isolation, control

    def jobs() -> Iterator[Job]:
        for line in channel:
            at_work.begin()
            yield codec.decode(line, Job)

    def deliver(outcome: Outcome) -> None:
        at_work.end()
        tell(Reply(outcome))

    try:
        grade_all(jobs(), start.settings, deliver, stems=start.stems, number=start.number, isolated=isolated)
    except (BrokenPipeError, ConnectionResetError):
        os._exit(1)
    except AuthorError as error:
        tell(Reply(failure=str(error)))


class _Watch:
    """Ends this process if the one that started it is gone in the middle of a job: nobody waits for the result."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._busy = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def begin(self) -> None:
        self._busy.set()

    def end(self) -> None:
        self._busy.clear()

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._connection, 0)  # only the end of the other side is of interest
        poll.poll()
        self._busy.wait()
        os._exit(1)  # the zygote sees it, and ends too


def _bound_memory(limits: Limits) -> None:
    """Bound the memory of this process: rather an error here than a machine without memory.

    A reply is small, but what a check calculates with it may not be.
    """
    if sys.platform != "linux":
        return
    bound = max(_MEMORY, 4 * limits.memory_bytes)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))


if __name__ == "__main__":
    main()
