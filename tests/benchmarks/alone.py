"""What it costs that whoever may ask the reference is graded alone: `make bench-alone`.

Grades a class with the rooms that grading processes share and without them, in turn, and prints the ratio of the rates
for several shares of students whose error is followed through. Without rooms nothing else changes, so the ratio is what
waiting costs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from autograder.course import Course, notebook, sources
from autograder.validity import samples

STEM = "01_bayes_rule"
SIZE, ROUNDS = 80, 2
SHARES = (0.05, 0.2)
WRONG = {
    "posterior": "def posterior(prior, likelihood):\n    return np.asarray(likelihood) / np.sum(likelihood)",
    "sequential_posterior": """
def sequential_posterior(prior, likelihoods):
    rows = [np.asarray(prior, dtype=float) / np.sum(prior)]
    for likelihood in likelihoods:
        rows.append(posterior(rows[-1], likelihood))
    return np.array(rows)""",
}
GRADE = """
import json, sys, time
from pathlib import Path
from autograder.course import Course
from autograder.grading.grade import Options, grade
from autograder.sandbox.rooms import RoomFile
place, out, rooms = sys.argv[1:]
if rooms == "without":
    RoomFile.another = lambda self: None
known = []
how = Options(Path(out), workers=2, fixed=True)
run = grade(Course.default(), Path(place), how, lambda *_: known.append(time.monotonic()))
followed = sum(any(e.followed_through for e in result.exercises) for result in run.results)
print(json.dumps({"rate": (len(known) - 1) / (known[-1] - known[0]), "followed": followed}))
"""


def main() -> None:
    """Print a row for each share."""
    source = sources.read(Course.default().source(STEM))
    right, wrong = (notebook.dumps(samples.answered(source, answers)) for answers in ({}, WRONG))
    print(f"{SIZE} submissions of {STEM}, 2 workers, {ROUNDS} rounds in turn")
    print("followed through   with rooms / without (submissions a second)   ratio")
    for share in SHARES:
        with tempfile.TemporaryDirectory() as folder:
            every = round(1 / share) if share else SIZE + 1
            for number in range(SIZE):
                path = Path(folder, "in", f"student-{number:03}", STEM, f"{STEM}.ipynb")
                path.parent.mkdir(parents=True)
                path.write_bytes(wrong if number % every == every - 1 else right)
            rates: dict[str, list[float]] = {"with": [], "without": []}
            followed = 0
            for turn in range(ROUNDS):
                for rooms, found in rates.items():
                    told = _grade(Path(folder, "in"), Path(folder, f"out-{rooms}-{turn}"), rooms)
                    found.append(told["rate"])
                    followed = int(told["followed"])
        ratios = [one / other for one, other in zip(rates["with"], rates["without"], strict=True)]
        each = "  ".join(f"{one:.1f}/{other:.1f}" for one, other in zip(rates["with"], rates["without"], strict=True))
        print(f"{followed:3} of {SIZE}         {each}   {median(ratios):.2f}", flush=True)


def _grade(place: Path, out: Path, rooms: str) -> dict[str, float]:
    command = [sys.executable, "-c", GRADE, str(place), str(out), rooms]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


if __name__ == "__main__":
    main()
