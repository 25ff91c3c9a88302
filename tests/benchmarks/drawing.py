"""What drawing fresh numbers costs: `make bench-draw`.

Asks the reference of each notebook all its hidden checks with several seeds, and prints the processor time that a
submission spends on drawing, beside the time that all of its hidden checks take on the grading side.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import wraps
from statistics import median
from typing import Any

import numpy as np

from autograder.course import Course, notebook, policy, sources
from autograder.course.draw import Draw
from autograder.engine.running import Cell, NotebookRun
from autograder.engine.session import SuiteSession
from autograder.engine.student import Student
from autograder.sandbox.process import Zygote

SEEDS = 10
COURSE = Course.default()


class Clock:
    """Adds up the processor time of calls that are not part of another one that it times."""

    def __init__(self) -> None:
        self.seconds, self.inside = 0.0, False

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, timed."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.inside:
                return function(*args, **kwargs)
            self.inside, started = True, time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds, self.inside = self.seconds + time.process_time() - started, False

        return call


class TimedGenerator:
    """A generator whose methods are timed: checks may call it without a helper."""

    def __init__(self, generator: np.random.Generator, clock: Clock) -> None:
        self._generator, self._clock = generator, clock

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._generator, name)
        if self._clock.inside or not callable(value):  # a helper draws, and is timed as a whole
            return value
        return self._clock.timed(value)


def time_draws(clock: Clock) -> None:
    """Let the clock see every draw from now on."""
    for name, member in list(vars(Draw).items()):
        if callable(member) and not name.startswith("_"):
            setattr(Draw, name, clock.timed(member))
    make = Draw.__dict__["rng"].func

    def rng(self: Draw) -> Any:
        if "timed" not in self.__dict__:
            self.__dict__["timed"] = TimedGenerator(clock.timed(make)(self), clock)
        return self.__dict__["timed"]

    Draw.rng = property(rng)  # type: ignore[assignment, method-assign]


def main() -> None:
    """Print a row for each notebook."""
    sys.path.insert(0, str(COURSE.notebooks))
    clock, rows = Clock(), list[str]()
    time_draws(clock)

    def work(session: SuiteSession) -> None:
        zygote = Zygote("none", checks=COURSE.checks, data=COURSE.data, limits=policy.limits(COURSE))
        rows.append(f"{'notebook':28} checks   drawing, ms (median of {SEEDS} seeds, most)   all hidden checks, ms")
        try:
            for stem in COURSE.stems():
                source = sources.read(COURSE.source(stem))
                skipped = sources.demo_cells(source)
                cells = [Cell(*cell) for cell in notebook.code_cells(source) if cell[1].strip() not in skipped]
                run = NotebookRun(zygote, cells)
                run.start()
                drawing, everything = [], []
                for seed in range(SEEDS):
                    clock.seconds, started = 0.0, time.process_time()
                    for check in session.checks[stem]:
                        error = session.run(check, Student(run), f"bench {seed}")
                        assert error is None, f"{stem}, {check.name}: {error!r}"
                    drawing.append(1000 * clock.seconds)
                    everything.append(1000 * (time.process_time() - started))
                run.close()
                count = len(session.checks[stem])
                rows.append(
                    f"{stem:28} {count:6}   {median(drawing):6.2f}  {max(drawing):6.2f}   {median(everything):12.1f}"
                )
        finally:
            zygote.close()

    SuiteSession(work).main([COURSE.suite(stem) for stem in COURSE.stems()])
    print("\n".join(rows))  # at the end: pytest keeps to itself what is said while it runs


if __name__ == "__main__":
    main()
