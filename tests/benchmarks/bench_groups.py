"""How long it takes to group the answers of a large class, and to reply to one: `tests/benchmarks/bench_groups.py`.

Nothing is graded: the results are made up, as large as those of the first notebook, with one to three wrong answers
each, in groups of all sizes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.classroom import replying
from autograder.course import Course
from autograder.course.model import CheckResult, ExerciseResult, Result, Verdict
from autograder.grading import store
from autograder.pages import report

STEM = "01_bayes_rule"
CHECKS = 14  # of an exercise, as the first notebook has them


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=5000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        chance = random.Random(1)
        results = [_result(chance, f"student-{number:05}") for number in range(options.students)]
        for result in results:
            store.write(root, result)
        (root / "grades.csv").write_text(store.table(results))
        size = sum(path.stat().st_size for path in root.rglob("*.json")) / 1e6
        print(f"{options.students} results, {size:.0f} MB; load {os.getloadavg()[0]:.1f}")
        with _timed("read and grouped"):
            found = replying.look(root).groups
        print(
            f"  {sum(group.size for group in found)} wrong answers in {len(found)} groups, {found[0].size} in the first"
        )
        given = root / "given.toml"
        given.write_text(
            f'[[reply]]\nassignment = "{STEM}"\nexercise = "{found[0].exercise}"\ngroup = "{found[0].name}"\n'
            'comment = "Look at the prior."\npoints = 1\n'
        )
        with _timed("replied to the largest"):
            changed = replying.reply(root, Course.default(), given).changed
        print(f"  {changed} results written")
        with _timed("report written"):
            report.write(root, Course.default(), root / "report.html")
        print(f"  page {(root / 'report.html').stat().st_size / 1e6:.2f} MB")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB", file=sys.stderr)


@contextmanager
def _timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{what} in {time.perf_counter() - start:.2f} s")


def _result(chance: random.Random, student: str) -> Result:
    wrong = set(chance.sample(range(6), chance.randint(1, 3)))
    return Result(student, STEM, "strong", tuple(_exercise(chance, number, number in wrong) for number in range(6)))


def _exercise(chance: random.Random, number: int, wrong: bool) -> ExerciseResult:
    verdict = Verdict.FAILED if wrong else Verdict.PASSED
    checks = tuple(
        CheckResult(f"test_{place}", verdict, "A law that holds for all numbers. " * 4, "detail " * 8, worth=0.2)
        for place in range(CHECKS)
    )
    if not wrong:
        return ExerciseResult(f"exercise_{number}", 3.0, 3, verdict, checks)
    kind = int(chance.paretovariate(0.7))  # some mistakes are frequent, most are rare
    code = f"def exercise_{number}(prior, likelihood):\n" + "    joint = prior * likelihood\n" * chance.randint(1, 9)
    behaviour = hashlib.sha256(f"{number} {kind}".encode()).hexdigest()[:16]
    belief = f"belief_{kind}" if kind % 2 else None
    return ExerciseResult(f"exercise_{number}", 0.0, 3, verdict, checks, belief, "Why?", behaviour=behaviour, code=code)


if __name__ == "__main__":
    main()
