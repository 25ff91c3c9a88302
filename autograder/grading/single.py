"""One grading process that gets its jobs one at a time and stays warm in between."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from autograder.course.errors import GraderError
from autograder.engine.jobs import Job, Outcome, Settings
from autograder.grading.local import Workers
from autograder.sandbox.process import Zygote


class SingleWorker:
    """Grades whatever it is given, when it is given; a process that dies is replaced as in any other run."""

    def __init__(
        self,
        settings: Settings,
        stems: Sequence[str],
        *,
        number: int = 0,
        tell: Callable[[str], None] = lambda words: None,
    ) -> None:
        """`number` chooses the processor and the user that student code gets; `tell` is called when a process died."""
        self._workers = Workers(settings, workers=1, stems=stems, first=number, tell=tell)
        self._waiting: deque[Job] = deque()
        self._outcomes = self._workers.grade(iter(self._waiting.popleft, None))

    def isolate(self, zygote: Zygote) -> None:
        """Give the process a copy of the zygote, which ends with the process."""
        self._workers.isolate(zygote)

    def grade(self, job: Job) -> Outcome:
        """The outcome of a job."""
        self._waiting.append(job)  # asked for as soon as the next outcome is
        outcome = next(self._outcomes, None)
        if outcome is None:  # an earlier job ended it with an error
            raise GraderError("the grading process has ended")
        return outcome

    def stop(self) -> None:
        """End the process in the middle of a job, from another thread: `grade` then raises."""
        self._workers.stop()

    def close(self) -> None:
        """End the process."""
        self._workers.close()
