"""The console: tables on standard output, a bar that moves on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from autograder.grading.cluster.status import ClusterStatus
from autograder.grading.reading import Unreadable, told


class Bar:
    """Shows how far the work has come; of a cluster also its pace, beside the bar, and each fault once, above it."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task, self._shown = progress, task, 0

    def show(self, done: int, total: int) -> None:
        """Move the bar."""
        self._progress.update(self._task, completed=done, total=total)

    def tell(self, words: str) -> None:
        """Say something above the bar."""
        self._progress.console.print(words, markup=False)

    def show_cluster(self, status: ClusterStatus) -> None:
        """Show the pace, and the faults that are new."""
        for words in status.faults[self._shown :]:
            self._progress.console.print(f"worker {words}", markup=False)
        self._shown = len(status.faults)
        waiting = f"; waiting for {', '.join(status.stragglers[:2])}" if status.stragglers else ""
        words = f"{status.rate:.1f}/s on {status.able} of {status.workers} workers{waiting}"
        self._progress.update(self._task, cluster=words)


@contextmanager
def bar(what: str) -> Iterator[Bar]:
    """A bar on standard error, which goes when the work is done."""
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[cluster]}"),
    )
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    with Progress(*columns, console=console, transient=True) as progress:
        yield Bar(progress, progress.add_task(what, total=None, cluster=""))


def standard_output() -> Console:
    """Standard output. Nobody watches a pipe or a file: there a table takes the width that it needs."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def say_unreadable(unreadable: Sequence[Unreadable], place: Path) -> int:
    """Name on standard error what could not be read in a place, and what to do next; the exit code that this makes."""
    from autograder.nbgrader_bridge.folder import CONFIG

    again = f"ASSIGNMENT --course {place}" if (place / CONFIG).exists() else f"SUBMISSIONS --out {place}"
    for words in told(unreadable, f"autograder grade {again}"):
        print(words, file=sys.stderr)
    return int(bool(unreadable))
