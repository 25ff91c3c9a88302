"""What grading on a Dask cluster costs against this machine, and what a very large class needs: `make bench-scale`.

Rounds of the two executors alternate, with the same number of grading processes, so that whatever else the machine does
hits both. Then one large class is graded on the cluster while the memory of every process is looked at. From these
figures follows what 100,000 submissions in an hour need. `--write` puts the figures into docs/scale.md.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import material
import memory

from autograder.course import Course

CLASS = 100_000
DOCUMENT = Course.default().root / "docs" / "scale.md"
BEGIN, END = "<!-- figures: begin (make bench-scale BENCH_FLAGS=--write) -->", "<!-- figures: end -->"
QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__SCHEDULER__ACTIVE_MEMORY_MANAGER__START": "False",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}

# A process of its own, as an instructor would have; it notes when each result was written.
INSTRUCTOR = """
import json, resource, sys, time
from pathlib import Path
from autograder.course import Course
from autograder.grading.grade import Options, grade

def main():
    root, place, out, executor, workers, scheduler = sys.argv[1:]
    times = []
    started = time.perf_counter()
    cpu = time.process_time()
    options = Options(Path(out), workers=int(workers), executor=executor, scheduler=scheduler or None)
    course = Course(Path(root))
    run = grade(course, Path(place), options, lambda done, total: times.append(time.perf_counter() - started))
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({
        "times": times[:-1], "seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu, "peak": peak,
        "graded": len(run.results), "wrong": sum(result.score != 20 for result in run.results),
        "isolation": run.isolation,
    }))

if __name__ == "__main__":
    main()
"""


@dataclass(frozen=True)
class Measured:
    """One run: when each result was there, and what the instructor's process used."""

    times: list[float]
    seconds: float
    cpu: float
    peak: int
    isolation: str

    @property
    def each(self) -> float:
        """Seconds per submission once everybody is at work: from the first tenth of the class to the last."""
        begin, end = len(self.times) // 10, len(self.times) - 1 - len(self.times) // 10
        return (self.times[end] - self.times[begin]) / (end - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--submissions", type=int, default=400, metavar="N", help="class size of a round (default: 400)"
    )
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="rounds of each executor (default: 15)")
    parser.add_argument(
        "--total", type=int, default=10_000, metavar="N", help="size of the large class; 0: none (default: 10000)"
    )
    parser.add_argument("--write", action="store_true", help="write the figures into docs/scale.md")
    options = parser.parse_args()
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="scale-") as name, _cluster(Path(name), workers) as (address, processes):
        folder = Path(name)
        course = material.course(folder / "course", Course.default().checks, demo=True)
        lines = [*_rounds(folder, course, address, workers, options.submissions, options.rounds)]
        if options.total:
            lines += _large(folder, course, address, processes, workers, options.total)
    print("\n".join(lines))
    if options.write:
        text = DOCUMENT.read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        DOCUMENT.write_text(
            f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{rest.split(END)[1]}", encoding="utf-8"
        )


def _rounds(folder: Path, course: Path, address: str, workers: int, size: int, rounds: int) -> Iterator[str]:
    place = _class(folder, size)
    pairs: list[tuple[Measured, Measured]] = []
    for number in range(rounds):
        order = [("local", ""), ("dask", address)]
        made = {
            kind: _instructor(course, place, folder / "out", kind, workers, scheduler)
            for kind, scheduler in (order if number % 2 else order[::-1])
        }
        pairs.append((made["local"], made["dask"]))
        print(
            f"round {number + 1}: local {1000 * made['local'].each:.1f} ms, dask "
            f"{1000 * made['dask'].each:.1f} ms each",
            file=sys.stderr,
        )
    here, there = (1000 * statistics.median(pair[side].each for pair in pairs) for side in (0, 1))
    # A grading process is busy `workers` times as long as the class advances: that is what a submission costs.
    overheads = [1000 * workers * (dask.each - local.each) for local, dask in pairs]
    ratios = [local.each / dask.each for local, dask in pairs]
    isolation = pairs[0][1].isolation
    machine = f"{workers} cores, {platform.system()}, Python {platform.python_version()}, isolation {isolation}"
    yield f"Measured with {rounds} alternating rounds of {size} submissions ({machine}):"
    yield ""
    yield "| | `local` | `dask` |"
    yield "|---|---|---|"
    yield f"| submissions per second, median | {1000 / here:.1f} | {1000 / there:.1f} |"
    yield f"| work of one core per submission, median | {workers * here:.1f} ms | {workers * there:.1f} ms |"
    yield ""
    # Two ways to compare, since rounds differ more than the executors do: a target is reached if both ways say so.
    overhead, ratio = statistics.median(overheads), statistics.median(ratios)
    cost, share = workers * (there - here), here / there
    yield (
        f"Dask costs {overhead:.1f} ms per submission at the median of the rounds ({min(overheads):.1f} to "
        f"{max(overheads):.1f}), and {cost:.1f} ms by the medians above"
    )
    yield (
        f"(target: under 10, {_word(max(overhead, cost) < 10)}). It gives {100 * ratio:.0f} % of the "
        "throughput of `local` at the median of the rounds"
    )
    yield (
        f"({100 * min(ratios):.0f} to {100 * max(ratios):.0f}), and {100 * share:.0f} % by the medians above "
        f"(target: over 90, {_word(min(ratio, share) > 0.9)})."
    )


def _large(folder: Path, course: Path, address: str, processes: list[int], workers: int, total: int) -> Iterator[str]:
    shutil.rmtree(folder / "class", ignore_errors=True)
    place = _class(folder, total)
    size = sum(path.stat().st_size for path in place.rglob("*.ipynb")) / total
    network = _traffic()
    with _watching(processes) as samples:
        run = _instructor(course, place, folder / "out", "dask", workers, address, samples)
    sent = (_traffic() - network) / total
    tenths = [samples["instructor"][len(samples["instructor"]) * tenth // 10] for tenth in (2, 4, 6, 8)]
    tenths.append(samples["instructor"][-1])
    graders = max(samples["cluster"]) / workers
    each = workers * run.each
    cores = each * CLASS / 3600
    spare = -(-cores // 0.7)  # three in ten for what takes longer than it should
    yield ""
    yield (
        f"{total:,} submissions from end to end on that cluster took {run.seconds:.0f} s "
        f"({total / run.seconds:.1f} a second, starting up included), all with the marks"
    )
    yield (
        "that they deserve. The instructor's process had "
        f"{', '.join(f'{value / 2**20:.0f}' for value in tenths)} MB at 20, 40, 60, 80 and 100 % of the way"
    )
    yield f"(peak {run.peak / 2**20:.0f} MB) and used {1000 * run.cpu / total:.1f} ms of processor time per submission."
    yield ""
    yield f"From this follows what {CLASS:,} submissions like these in one hour need ({CLASS / 3600:.1f} a second):"
    yield ""
    yield "| | calculation | need |"
    yield "|---|---|---|"
    yield (
        f"| cores that grade | {1000 * each:.1f} ms × {CLASS:,} / 3600 s = {cores:.1f}, at most 70 % busy | "
        f"{spare:.0f} |"
    )
    yield (
        f"| memory of the workers | {graders / 2**20:.0f} MB per core, scheduler included | "
        f"{spare * graders / 2**30:.1f} GB |"
    )
    yield (
        f"| instructor's processor | {1000 * run.cpu / total:.1f} ms × {CLASS / 3600:.1f} a second | "
        f"{100 * run.cpu / total * CLASS / 3600:.0f} % of a core |"
    )
    yield (
        f"| network, all links together | {sent / 1024:.0f} kB per submission (the notebook has "
        f"{size / 1024:.0f} kB) | {8 * sent * CLASS / 3600 / 1e6:.1f} Mbit/s |"
    )


def _word(reached: bool) -> str:
    return "reached" if reached else "NOT reached"


# --- Parts of the experiment ------------------------------------------------------------------------------------------


def _class(folder: Path, size: int) -> Path:
    for student in range(size):
        path = folder / "class" / f"student-{student:05}" / material.STEM / f"{material.STEM}.ipynb"
        if not path.exists():
            path.parent.mkdir(parents=True)
            path.write_text(material.answered("ours", student))
    return folder / "class"


def _instructor(
    course: Path,
    place: Path,
    out: Path,
    executor: str,
    workers: int,
    scheduler: str,
    samples: dict[str, list[int]] | None = None,
) -> Measured:
    shutil.rmtree(out, ignore_errors=True)
    arguments = [course, place, out, executor, 0 if scheduler else workers, scheduler]
    process = subprocess.Popen(
        [sys.executable, "-c", INSTRUCTOR, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )
    if samples is not None:
        samples["pid"] = [process.pid]
    told = json.loads(process.communicate()[0])
    if told["wrong"] or told["graded"] != len(told["times"]):
        raise SystemExit(
            f"{executor}: not everybody was graded with full marks: {told['wrong']} wrong, {told['graded']} graded"
        )
    return Measured(told["times"], told["seconds"], told["cpu"], told["peak"], told["isolation"])


@contextlib.contextmanager
def _cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[int]]]:
    """The address and the processes of a cluster on this machine, as one on many would be: a worker per core."""
    python, started = [sys.executable, "-m"], []
    environment = {**os.environ, **QUIET}
    try:
        command = [
            *python,
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(folder / "scheduler"),
        ]
        started.append(subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL))
        while not (folder / "scheduler").exists() or not (folder / "scheduler").read_text().strip():
            time.sleep(0.05)
        address = json.loads((folder / "scheduler").read_text())["address"]
        for number in range(workers):
            command = [
                *python,
                "distributed.cli.dask_worker",
                address,
                "--nthreads",
                "1",
                "--no-nanny",
                "--no-dashboard",
                "--memory-limit",
                "0",
            ]
            command += ["--local-directory", str(folder / f"worker-{number}")]
            started.append(subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL))
        yield address, [process.pid for process in started]
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


@contextlib.contextmanager
def _watching(processes: list[int]) -> Iterator[dict[str, list[int]]]:
    """Samples of memory (proportional set size) twice a second: the instructor's process, and all of the cluster's."""
    samples: dict[str, list[int]] = {"instructor": [], "cluster": [], "pid": []}
    finished = threading.Event()

    def watch() -> None:
        while not finished.wait(0.5):
            if samples["pid"]:
                instructor = memory.used(samples["pid"], family=False)
                if instructor:
                    samples["instructor"].append(instructor)
                    samples["cluster"].append(memory.used(processes, family=True))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield samples
    finally:
        finished.set()
        watcher.join()


def _traffic() -> int:
    """Bytes that have gone over the loopback device so far; on a cluster of machines they would go over cables."""
    row = next(line for line in Path("/proc/net/dev").read_text().splitlines() if line.strip().startswith("lo:"))
    return int(row.split(":")[1].split()[0])


if __name__ == "__main__":
    main()
