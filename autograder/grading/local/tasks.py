"""What is to be graded, in which order: what failed a moment ago, what is new, what needs the machine for itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autograder.engine.jobs import Portfolio

AT_ONCE = 2
"""How often a submission is tried beside others. What the machine has kept from being graded is tried again, alone."""
PAUSES = (0.5, 2.0, 8.0)  # seconds before each further attempt: what there was too little of may be there again
_PATIENCE = 60.0  # seconds of pauses in all: a machine that never recovers must not keep a class waiting


@dataclass(frozen=True)
class Task:
    """A portfolio, how often it has been tried, and for how many seconds to wait before it is tried again."""

    jobs: Portfolio
    tries: int = 0
    pause: float = 0.0


class Tasks:
    """Hands out tasks. With `single`, only one is under way at a time, so none has to wait for others to end."""

    def __init__(self, portfolios: Iterable[Portfolio], *, single: bool) -> None:
        self._new, self._single = iter(portfolios), single
        self._again: list[Task] = []
        self._alone: list[Task] = []
        self._patience = _PATIENCE

    def again(self, tasks: Iterable[Task]) -> None:
        """Hand these out next, in this order."""
        self._again += reversed(list(tasks))

    def later(self, task: Task) -> bool:
        """Keep a task that the machine has let down for when nothing else is under way; whether there is a try left."""
        number = max(task.tries - AT_ONCE, 0)
        if number >= len(PAUSES) or self._patience <= 0:
            return False
        pause = min(PAUSES[number], self._patience)
        self._patience -= pause
        self._alone.append(Task(task.jobs, max(task.tries, AT_ONCE), pause))
        return True

    def next(self, *, alone: bool) -> Task | None:
        """The next task, None if there is none at the moment. `alone` says that nothing else is under way."""
        if self._again:
            return self._again.pop()
        if self._single and self._alone:
            return self._alone.pop(0)
        jobs = next(self._new, ())
        if jobs:
            return Task(jobs)
        return self._alone.pop(0) if alone and self._alone else None
