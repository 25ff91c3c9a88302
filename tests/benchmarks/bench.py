"""How fast grading is, against nbgrader and otter on the same machine in the same run: `make bench`.

Prints submissions per second, ratios, peak memory and where our own time goes, then how cost grows with the class.
The peers grade the first part of the same class, since they take long and cost the same for each submission; rates
are compared. nbgrader and we take turns for several rounds, so that a machine that is slow for some minutes is slow for
both. Everything happens in a temporary folder; otter, for which there is no target, is measured once, in a throw-away
environment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import material
import memory

from autograder.course import Course

STEM = material.STEM
CHECKS = Course.default().checks
OTTER = "otter-grader==7.0.0"

OURS = """
import time
begun = time.monotonic()
import json, sys
from pathlib import Path
from autograder.course import Course
from autograder.grading.grade import Options, grade
root, place, out, full = sys.argv[1:]
known = []
options = Options(Path(out), full=full == "full")
run = grade(Course(Path(root)), Path(place), options, lambda *_: known or known.append(time.monotonic()))
wrong = [r.student for r in run.results if r.score != 20]
told = {"graded": len(run.results), "wrong": wrong[:3], "seconds": run.seconds, "isolation": run.isolation}
print(json.dumps({**told, "first": known[0] - begun}))
"""


@dataclass(frozen=True)
class Measured:
    """What one run took."""

    name: str
    submissions: int
    seconds: float
    peak: int
    detail: dict[str, Any]

    @property
    def rate(self) -> float:
        """Submissions per second."""
        return self.submissions / self.seconds


OURS_AND_TARGETS = {  # our three ways of grading: whether demonstrations are marked, and so skipped, or figures written
    "ours, demonstrations skipped": (True, False, 100),
    "ours, every cell run": (False, False, 20),
    "ours, --full (figures written)": (True, True, 8),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--submissions", type=int, default=400, metavar="N", help="class size for the comparison (default: 400)"
    )
    parser.add_argument(
        "--peers", type=int, default=40, metavar="N", help="how many of these the peers grade (default: 40)"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, metavar="N", help="how often nbgrader and we take turns (default: 3)"
    )
    parser.add_argument(
        "--growth",
        type=int,
        nargs="*",
        default=[100, 1000, 5000],
        metavar="N",
        help="class sizes for the growth of cost",
    )
    parser.add_argument("--without-otter", action="store_true", help="compare with nbgrader only")
    parser.add_argument("--without-peers", action="store_true", help="measure only our own engine")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        share = min(options.peers, options.submissions)
        print(
            f"{os.cpu_count()} cores, {options.submissions} submissions of a notebook with 8 figures, a "
            "training loop and 4 exercises"
        )
        if not options.without_peers:
            print(
                f"(nbgrader and otter grade the first {share} of them; nbgrader and we take turns, "
                f"{options.rounds} rounds)"
            )
        print()
        nbgrader, ours = list[Measured](), list[list[Measured]]()
        for number in range(options.rounds):
            place = folder / f"round-{number}"
            if not options.without_peers:
                nbgrader.append(_nbgrader(place, share))
            ours.append(
                [
                    _ours(place, name, options.submissions, demo=demo, full=full)
                    for name, (demo, full, _) in OURS_AND_TARGETS.items()
                ]
            )
        otter = [] if options.without_peers or options.without_otter else _otter(folder, share)
        total = [_together(rows) for rows in zip(*ours, strict=True)]
        _tell([*([_together(nbgrader)] if nbgrader else []), *otter], total)
        _tell_targets(nbgrader, ours)
        _tell_checks()
        _tell_overhead(total[0])
        _tell_growth([_ours(folder, f"{size} submissions", size, demo=True, full=False) for size in options.growth])


def _together(rows: Sequence[Measured]) -> Measured:
    """The rounds of one grader as one measurement."""
    detail = dict(rows[0].detail)
    if detail:
        detail["seconds"] = sum((Counter(row.detail["seconds"]) for row in rows), Counter())
        detail["first"] = max(row.detail["first"] for row in rows)
    submissions, seconds = sum(row.submissions for row in rows), sum(row.seconds for row in rows)
    return Measured(rows[0].name, submissions, seconds, max(row.peak for row in rows), detail)


def _ours(folder: Path, name: str, count: int, *, demo: bool, full: bool) -> Measured:
    root = material.course(folder / name / "course", CHECKS, demo=demo)
    for student in range(count):
        path = folder / name / "in" / f"student-{student:05}" / STEM / f"{STEM}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(material.answered("ours", student, demo=demo))
    command = [sys.executable, "-c", OURS, root, folder / name / "in", folder / name / "out", "full" if full else ""]
    seconds, peak, output = _measure(command, folder)
    detail = json.loads(output)
    if detail["graded"] != count or detail["wrong"]:
        raise SystemExit(f"{name}: not everybody got full marks: {detail}")
    return Measured(name, count, seconds, peak, detail)


def _nbgrader(folder: Path, count: int) -> Measured:
    import nbformat

    course = folder / "nbgrader"
    source = course / "source" / STEM / f"{STEM}.ipynb"
    source.parent.mkdir(parents=True)
    nbformat.write(material.notebook("nbgrader"), source)
    (course / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.course_id = 'bench'\nc.CourseDirectory.root = {str(course)!r}\n"
    )
    _run(["nbgrader", "generate_assignment", STEM], course)
    for student in range(count):
        path = course / "submitted" / f"student-{student:05}" / STEM / f"{STEM}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(material.answered("nbgrader", student))
    seconds, peak, _ = _measure(["nbgrader", "autograde", STEM], course)
    done = len(list((course / "autograded").glob(f"*/{STEM}/{STEM}.ipynb")))
    if done != count:
        raise SystemExit(f"nbgrader graded {done} of {count}")
    return Measured("nbgrader autograde", count, seconds, peak, {})


def _otter(folder: Path, count: int) -> list[Measured]:
    course = folder / "otter"
    course.mkdir()
    try:
        _run([sys.executable, "-m", "venv", "env"], course)
        _run([course / "env" / "bin" / "pip", "install", "--quiet", OTTER, "matplotlib", "numpy", "ipykernel"], course)
    except subprocess.CalledProcessError as error:
        print(f"otter could not be installed, so it is not measured: {error}\n")
        return []
    otter = course / "env" / "bin" / "otter"
    material.otter_tests(course / "tests")
    (course / "requirements.txt").write_text("")
    _run([otter, "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"], course)
    for student in range(count):
        (course / f"student-{student:05}.ipynb").write_text(material.answered("otter", student))
        (course / "results" / f"student-{student:05}").mkdir(parents=True)  # otter wants it to be there
    script = (
        f"set -e\nfor file in student-*.ipynb; do {otter} run -a autograder.zip -o results/${{file%.ipynb}} $file; done"
    )
    try:
        seconds, peak, _ = _measure(
            ["bash", "-c", script], course, {"PATH": f"{otter.parent}{os.pathsep}{os.environ['PATH']}"}
        )
    except SystemExit as error:
        print(f"otter did not grade the class, so it is not measured: {error}\n")
        return []
    marks = [json.loads(path.read_text())["tests"] for path in (course / "results").glob("*/results.json")]
    if [sum(test.get("score", 0) for test in tests) for tests in marks] != [20] * count:
        raise SystemExit(f"otter: not everybody of {count} got full marks")
    return [Measured("otter run", count, seconds, peak, {})]


def _tell(peers: list[Measured], ours: list[Measured]) -> None:
    print(
        f"{'':34} {'per second':>10} {'each':>9} {'peak':>9}"
        + "".join(f"{'× ' + peer.name.split()[0]:>13}" for peer in peers)
    )
    for row in [*peers, *ours]:
        ratios = "".join(f"{row.rate / peer.rate:13.1f}" for peer in peers)
        print(
            f"{row.name:34} {row.rate:10.2f} {1000 * row.seconds / row.submissions:6.0f} ms "
            f"{row.peak / 2**20:6.0f} MB{ratios}"
        )
    print()


def _tell_targets(nbgrader: list[Measured], ours: list[list[Measured]]) -> None:
    """Against nbgrader: all rounds together, which decides, and each by itself."""
    for way, (name, (_, _, target)) in enumerate(OURS_AND_TARGETS.items() if nbgrader else ()):
        rows = [round_[way] for round_ in ours]
        ratio = _together(rows).rate / _together(nbgrader).rate
        rounds = ", ".join(f"{row.rate / peer.rate:.3g}" for row, peer in zip(rows, nbgrader, strict=True))
        print(
            f"  {name}: {ratio:.3g} times nbgrader (rounds: {rounds}; target {target}: "
            f"{'reached' if ratio >= target else 'NOT reached'})"
        )
    print()


def _tell_overhead(measured: Measured) -> None:
    split = {part: 1000 * total / measured.submissions for part, total in measured.detail["seconds"].items()}
    own = sum(value for part, value in split.items() if part != "cells")
    print("where the time of one submission goes, in ms of one worker, isolation " + measured.detail["isolation"])
    split["checks"] = split.pop("calls")
    print(
        "  "
        + ", ".join(f"{part} {value:.1f}" for part, value in split.items())
        + f"; all but the cells {own:.1f} (target 30)"
    )
    print(
        f"  first result after {measured.detail['first']:.1f} s; peak memory {measured.peak / 2**20:.0f} "
        "MB (target: less than 600)\n"
    )


def _tell_checks() -> None:
    """How long a student waits for the slowest visible check of each notebook."""
    course = Course.default()
    sys.path[:0] = [str(course.notebooks), str(course.root / "tests" / "support")]
    from reference import functions

    from checks import checking, running

    print("the slowest visible check of each notebook (target: 100 ms)")
    for stem in course.stems():
        namespace = vars(functions(stem))
        slowest = max(
            (_seconds(partial(running.examine, check, namespace)), check.name) for check in checking.load(stem)
        )
        print(f"  {stem:26} {1000 * slowest[0]:6.1f} ms  {slowest[1]}")
    print()


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _tell_growth(rows: list[Measured]) -> None:
    print("how the cost grows with the class, demonstrations skipped")
    for row in rows:
        print(
            f"  {row.submissions:6} submissions: {row.seconds:7.1f} s, "
            f"{1000 * row.seconds / row.submissions:5.1f} ms each, peak {row.peak / 2**20:4.0f} MB"
        )


# --- Measuring --------------------------------------------------------------------------------------------------------


def _run(command: list[object], folder: Path) -> None:
    subprocess.run(
        [str(part) for part in command], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _measure(command: list[object], folder: Path, environment: dict[str, str] | None = None) -> tuple[float, int, str]:
    """Seconds, peak memory of all processes together (proportional set size), and standard output."""
    started = time.monotonic()
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    peak = 0
    finished = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not finished.wait(1.0):  # looking costs time, too
            peak = max(peak, memory.used([process.pid]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output = process.communicate()[0]
    seconds = time.monotonic() - started
    finished.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{command[0]} {command[1]} failed with exit code {process.returncode}")
    return seconds, peak, output


if __name__ == "__main__":
    main()
