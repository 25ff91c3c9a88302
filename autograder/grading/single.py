"""One grading process that gets its jobs one at a time and stays warm in between."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence

from autograder.course.errors import GraderError
from autograder.engine.jobs import Outcome, Portfolio, Settings
from autograder.grading.local import Workers
from autograder.sandbox.process import Zygote
from autograder.sandbox.rooms import RoomFile


class SingleWorker:
    """Grades whatever it is given, when it is given; a process that dies is replaced as in any other run."""

    def __init__(
        self,
        settings: Settings,
        stems: Sequence[str],
        *,
        number: int = 0,
        tell: Callable[[str], None] = lambda words: None,
        rooms: RoomFile | None = None,
    ) -> None:
        """`number` chooses the processor and the user that student code gets; `tell` is called when a process died.

        `rooms` are shared with other grading processes.
        """
        self._workers = Workers(settings, workers=1, stems=stems, first=number, tell=tell, rooms=rooms)
        self._waiting: deque[Portfolio] = deque()
        self._outcomes = self._workers.grade(iter(self._waiting.popleft, None))

    def isolate(self, zygote: Zygote) -> None:
        """Give the process a copy of the zygote, which ends with the process."""
        self._workers.isolate(zygote)

    def grade(self, portfolio: Portfolio) -> list[Outcome]:
        """The outcomes of what one student handed in, in any order."""
        self._waiting.append(portfolio)  # asked for as soon as the next outcome is
        outcomes = list(itertools.islice(self._outcomes, len(portfolio)))
        if len(outcomes) < len(portfolio):  # an earlier job ended it with an error
            raise GraderError("the grading process has ended")
        return outcomes

    def stop(self) -> None:
        """End the process in the middle of a job, from another thread: `grade` then raises."""
        self._workers.stop()

    def close(self) -> None:
        """End the process."""
        self._workers.close()
