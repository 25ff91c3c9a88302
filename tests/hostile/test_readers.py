"""What students wrote is read within bounds: by every reader on the grader's side, and whatever it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import readers
import sample_class
from sample_class import Work, copy_course, hand_in, need, source_of

from autograder.course import Course
from autograder.course.model import Result
from autograder.grading import reading

# 20,000 texts that are made from the corpus in `readers`; every text of the corpus is read as it is, too.
CASES = {"code": 6000, "pages": 7000, "files": 7000}


@pytest.mark.parametrize("group", CASES)
def test_every_reader_ends_with_a_value_or_one_of_our_errors(group: str, tmp_path: Path) -> None:
    at_work = tmp_path / "at work"
    command = [sys.executable, readers.__file__, group, str(CASES[group]), str(at_work)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{at_work.read_text().strip()}: {done.returncode}, {done.stderr[-2000:]}"
    told = json.loads(done.stdout)
    assert told["wrong"] == []
    assert told["grown"] < 512 << 20  # bytes
    assert told["cases"] >= CASES[group] + len(readers.corpus(group))


# --- The grader's memory, when it grades such a submission ------------------------------------------------------------

FORGETS_THE_PRIOR = "def posterior(prior, likelihood):\n    return np.asarray(likelihood) / np.sum(likelihood)"
BUILDS_ON_IT = (
    "def sequential_posterior(prior, likelihoods):\n"
    "    rows = [posterior(prior, np.ones(len(prior)))]\n"
    "    for likelihood in likelihoods:\n"
    "        rows.append(posterior(rows[-1], likelihood))\n"
    "    return np.array(rows)"
)
RIGHT = ["bayes_binary", "prob", "conditional", "bayes_classifier"]
GRADE = """
import re, resource, sys
from pathlib import Path
from autograder.course import Course
from autograder.grading.grade import Options, grade
from sample_class import SHORT

course, place, out, mode = sys.argv[1:]
grade(Course(Path(course)), Path(place), Options(Path(out), workers=1, isolation=mode, limits=SHORT))
# What getrusage says of this process includes whoever started it.
own = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(max(int(own), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""


def graded(course: Course, place: Path, out: Path, mode: str) -> tuple[dict[str, Result], int]:
    """The results of a place, and the largest memory in bytes that any process had meanwhile."""
    command = [sys.executable, "-c", GRADE, str(course.root), str(place), str(out), mode]
    support = Path(sample_class.__file__).parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(readers.REPOSITORY), str(support)])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return {result.student: result for result in reading.in_folder(out).apart()[0]}, int(done.stdout) * 1024


@pytest.mark.parametrize("mode", ["strong", "portable"])
def test_a_submission_that_takes_gigabytes_to_parse_costs_nobody_anything(mode: str, tmp_path: Path) -> None:
    need(mode)
    course = copy_course(tmp_path / "course")
    answers: dict[str, str | None] = dict.fromkeys(RIGHT)
    answers |= {"posterior": FORGETS_THE_PRIOR, "sequential_posterior": BUILDS_ON_IT}
    hostile = Work(answers, {"setup": [readers.CODE["dotted import"]]}).notebook(source_of(course))
    neighbour = Work(answers, {}).notebook(source_of(course))
    hand_in(tmp_path / "alone", "berta", neighbour)
    hand_in(tmp_path / "together", "anna", hostile)
    hand_in(tmp_path / "together", "berta", neighbour)
    alone, _ = graded(course, tmp_path / "alone", tmp_path / "graded-alone", mode)
    together, largest = graded(course, tmp_path / "together", tmp_path / "graded", mode)
    assert largest < 1 << 30
    assert together["berta"] == alone["berta"]
    assert together["anna"].ungraded is None
    full = {exercise.name for exercise in together["anna"].exercises if exercise.score == exercise.points}
    assert full >= set(RIGHT)
