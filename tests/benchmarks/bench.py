"""How fast grading is, against nbgrader and otter on the same machine in the same run: `make bench`.

Prints submissions per second, ratios, peak memory and where our own time goes, then how cost grows with the class.
Everything happens in a temporary folder; otter gets a throw-away environment of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import material  # noqa: E402

from autograder.course import Course  # noqa: E402

STEM = material.STEM
CHECKS = Course.default().checks
OTTER = "otter-grader==7.0.0"

OURS = """
import json, sys
from pathlib import Path
from autograder.course import Course
from autograder.grade import Options, grade
root, place, out, full = sys.argv[1:]
run = grade(Course(Path(root)), Path(place), Options(Path(out), full=full == "full"))
wrong = [r.student for r in run.results if r.score != 20]
print(json.dumps({"graded": len(run.results), "wrong": wrong[:3], "seconds": run.seconds, "isolation": run.isolation}))
"""


@dataclass(frozen=True)
class Measured:
    """What one run took."""

    name: str
    submissions: int
    seconds: float
    peak: int
    detail: dict

    @property
    def rate(self) -> float:
        """Submissions per second."""
        return self.submissions / self.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=40, metavar="N", help="class size for the comparison (default: 40)")
    parser.add_argument("--growth", type=int, nargs="*", default=[100, 1000, 5000], metavar="N", help="class sizes for the growth of cost")
    parser.add_argument("--without-otter", action="store_true", help="compare with nbgrader only")
    parser.add_argument("--without-peers", action="store_true", help="measure only our own engine")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        print(f"{os.cpu_count()} cores, {options.submissions} submissions of a notebook with 8 figures, a training loop and 4 exercises\n")
        peers = [] if options.without_peers else [*_nbgrader(folder, options.submissions)]
        if peers and not options.without_otter:
            peers += _otter(folder, options.submissions)
        ours = [
            _ours(folder, "ours, demonstrations skipped", options.submissions, demo=True, full=False),
            _ours(folder, "ours, every cell run", options.submissions, demo=False, full=False),
            _ours(folder, "ours, --full (figures written)", options.submissions, demo=True, full=True),
        ]
        _tell(peers, ours)
        _tell_checks()
        _tell_overhead(ours[0])
        _tell_growth([_ours(folder, f"{size} submissions", size, demo=True, full=False) for size in options.growth])


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


def _nbgrader(folder: Path, count: int) -> Iterator[Measured]:
    import nbformat

    course = folder / "nbgrader"
    source = course / "source" / STEM / f"{STEM}.ipynb"
    source.parent.mkdir(parents=True)
    nbformat.write(material.notebook("nbgrader"), source)
    (course / "nbgrader_config.py").write_text(f"c = get_config()\nc.CourseDirectory.course_id = 'bench'\nc.CourseDirectory.root = {str(course)!r}\n")
    _run(["nbgrader", "generate_assignment", STEM], course)
    for student in range(count):
        path = course / "submitted" / f"student-{student:05}" / STEM / f"{STEM}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(material.answered("nbgrader", student))
    seconds, peak, _ = _measure(["nbgrader", "autograde", STEM], course)
    done = len(list((course / "autograded").glob(f"*/{STEM}/{STEM}.ipynb")))
    if done != count:
        raise SystemExit(f"nbgrader graded {done} of {count}")
    yield Measured("nbgrader autograde", count, seconds, peak, {})


def _otter(folder: Path, count: int) -> Iterator[Measured]:
    course = folder / "otter"
    course.mkdir()
    try:
        _run([sys.executable, "-m", "venv", "env"], course)
        _run([course / "env" / "bin" / "pip", "install", "--quiet", OTTER, "matplotlib", "numpy", "ipykernel"], course)
    except subprocess.CalledProcessError as error:
        print(f"otter could not be installed, so it is not measured: {error}\n")
        return
    otter = course / "env" / "bin" / "otter"
    material.otter_tests(course / "tests")
    (course / "requirements.txt").write_text("")
    _run([otter, "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"], course)
    for student in range(count):
        (course / f"student-{student:05}.ipynb").write_text(material.answered("otter", student))
    script = f"set -e\nfor file in student-*.ipynb; do {otter} run -a autograder.zip -o results/$file $file; done"
    try:
        seconds, peak, _ = _measure(["bash", "-c", script], course, {"PATH": f"{otter.parent}{os.pathsep}{os.environ['PATH']}"})
    except SystemExit as error:
        print(f"otter did not grade the class, so it is not measured: {error}\n")
        return
    yield Measured("otter run", count, seconds, peak, {})


def _tell(peers: list[Measured], ours: list[Measured]) -> None:
    base = peers[0] if peers else None
    print(f"{'':34} {'per second':>10} {'each':>9} {'peak':>9}" + "".join(f"{'× ' + peer.name.split()[0]:>13}" for peer in peers))
    for row in [*peers, *ours]:
        ratios = "".join(f"{row.rate / peer.rate:13.1f}" for peer in peers)
        print(f"{row.name:34} {row.rate:10.2f} {1000 * row.seconds / row.submissions:6.0f} ms {row.peak / 2**20:6.0f} MB{ratios}")
    print()
    if base is not None:
        for row, target in zip(ours, (100, 20, 8), strict=True):
            ratio = row.rate / base.rate
            print(f"  {row.name}: {ratio:.0f} times nbgrader (target {target}: {'reached' if ratio >= target else 'NOT reached'})")
        print()


def _tell_overhead(measured: Measured) -> None:
    split = {part: 1000 * total / measured.submissions for part, total in measured.detail["seconds"].items()}
    own = sum(value for part, value in split.items() if part != "cells")
    print("where the time of one submission goes, in ms of one worker, isolation " + measured.detail["isolation"])
    print("  " + ", ".join(f"{part} {value:.1f}" for part, value in split.items()) + f"; all but the cells {own:.1f} (target 30)\n")


def _tell_checks() -> None:
    """How long a student waits for the slowest visible check of each notebook."""
    course = Course.default()
    sys.path[:0] = [str(course.notebooks), str(course.root / "tests")]
    from checks import checking, running
    from reference import functions

    print("the slowest visible check of each notebook (target: 100 ms)")
    for stem in course.stems():
        namespace = vars(functions(stem))
        slowest = max((_seconds(lambda check=check: running.examine(check, namespace)), check.name) for check in checking.load(stem))
        print(f"  {stem:26} {1000 * slowest[0]:6.1f} ms  {slowest[1]}")
    print()


def _seconds(work: object) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _tell_growth(rows: list[Measured]) -> None:
    for row in rows:
        print(f"  {row.submissions:6} submissions: {row.seconds:7.1f} s, {1000 * row.seconds / row.submissions:5.1f} ms each, peak {row.peak / 2**20:4.0f} MB")


# --- Measuring --------------------------------------------------------------------------------------------------------


def _run(command: list, folder: Path) -> None:
    subprocess.run([str(part) for part in command], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _measure(command: list, folder: Path, environment: dict[str, str] | None = None) -> tuple[float, int, str]:
    """Seconds, peak memory of all processes together (proportional set size), and standard output."""
    started = time.monotonic()
    process = subprocess.Popen(
        [str(part) for part in command], cwd=folder, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    peak = 0
    finished = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not finished.wait(0.5):
            peak = max(peak, _memory(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output = process.communicate()[0]
    seconds = time.monotonic() - started
    finished.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{command[0]} {command[1]} failed with exit code {process.returncode}")
    return seconds, peak, output


def _memory(root: int) -> int:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    total, todo = 0, [root]
    while todo:
        pid = todo.pop()
        todo += children.get(pid, [])
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += 1024 * int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return total


if __name__ == "__main__":
    main()
