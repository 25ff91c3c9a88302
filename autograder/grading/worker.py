"""A grading process: reads portfolios from a socket, one JSON line each, and writes the outcomes of each."""

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
from autograder.engine.jobs import Captured, Isolated, Outcome, Portfolio, Reply, Settings, Start
from autograder.engine.session import SuiteSession
from autograder.sandbox import kernel, temporary
from autograder.sandbox.rooms import Rooms

_MEMORY = 4 << 30


def grade_all(
    portfolios: Iterable[Portfolio],
    settings: Settings,
    deliver: Callable[[tuple[Outcome, ...]], None],
    *,
    stems: Iterable[str],
    number: int = 0,
    isolated: Callable[[], tuple[str, socket.socket | None]] | None = None,
    rooms: Rooms | None = None,
    tell: Callable[[tuple[Captured | None, ...]], None] = lambda captured: None,
) -> None:
    """Grade portfolios one after another in one pytest session, delivering the outcomes of each as soon as it is done.

    `isolated`, if given, is called once the suites have been collected: it waits for the isolation that was chosen
    meanwhile, and for the control socket of a zygote. `tell` is called with what may be quoted of a portfolio, before
    the first hidden question.
    """
    course = Course(settings.course)
    sys.path.insert(0, str(course.notebooks))  # for the visible checks

    def work(session: SuiteSession) -> None:
        mode, control = (settings.isolation, None) if isolated is None else isolated()
        grader = Grader(replace(settings, isolation=mode), session, number, control, rooms, tell)
        try:
            for portfolio in portfolios:
                deliver(grader.grade(portfolio))
        finally:
            grader.close()

    SuiteSession(work).main(course.suite(stem) for stem in stems)


def main() -> None:
    """Serve the process that started this one until it hangs up."""
    if sys.platform == "linux":
        kernel.forbid_inspection()
    temporary.place()  # found without writing there: this process may end at any moment
    connection, control = (socket.socket(fileno=int(argument)) for argument in sys.argv[1:3])
    shared = int(sys.argv[3]) if len(sys.argv) > 3 else None
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

    def portfolios() -> Iterator[Portfolio]:
        for line in channel:
            at_work.begin()
            yield codec.decode(line, Portfolio)

    def deliver(outcomes: tuple[Outcome, ...]) -> None:
        at_work.end()
        tell(Reply(outcomes))

    try:
        grade_all(
            portfolios(),
            start.settings,
            deliver,
            stems=start.stems,
            number=start.number,
            isolated=isolated,
            rooms=Rooms(shared, lambda waiting: tell(Reply(waiting=waiting))),
            tell=lambda captured: tell(Reply(captured=captured)),
        )
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
