"""Processes that somebody else ends, at any moment: nobody loses marks, and who cannot be graded is named."""

from __future__ import annotations

import csv
import json
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from faulty import QUESTIONS, Count, FaultyClass, Kill, marks
from sample_class import STEM, hand_in, source_of, work

STUDENTS = [f"{kind}-{number}" for kind, size in (("right", 4), ("wrong", 8)) for number in range(size)]
ISOLATIONS = ["strong", "portable"]
NUMBERS = {"cell": 12, "call": 24, "probes": 1, "refer": 2}  # of the questions of a kind, about
TIMES = [1, 1, 1, 2, 3, 4, 6]
FOR_EVER = 1000
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(scope="module")
def submitted(faulty: FaultyClass) -> Path:
    return faulty.hand_in(STUDENTS)


@pytest.fixture(scope="module")
def undisturbed(faulty: FaultyClass, submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What everybody gets from a machine that is well, in each isolation."""
    found = {}
    for isolation in ISOLATIONS:
        out = tmp_path_factory.mktemp("undisturbed") / "out"
        done = faulty.run("grade", submitted, "--out", out, "--isolation", isolation)
        assert (done.code, done.left) == (0, ())
        found[isolation] = marks(out)
        scores = {student.partition("-")[0]: document["score"] for student, document in found[isolation].items()}
        assert scores == {"right": 20, "wrong": 17}
    return found


def drawn(draws: random.Random, student: str) -> Kill:
    """What happens to somebody."""
    question = draws.choice(QUESTIONS[student.partition("-")[0]])
    victim = draws.choice(["student"] * 6 + ["worker", "sandbox"])
    ended_by = draws.choice(SIGNALS) if victim == "student" else signal.SIGKILL
    return Kill(question, draws.randint(1, NUMBERS[question]), draws.choice(TIMES), victim, ended_by)


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_processes_that_are_ended_from_outside_cost_no_marks(
    faulty: FaultyClass,
    submitted: Path,
    undisturbed: dict[str, Any],
    tmp_path: Path,
    count: Count,
    isolation: str,
    draw: int,
) -> None:
    draws = random.Random(f"kills {isolation} {draw}")
    plan = {student: drawn(draws, student) for student in STUDENTS}
    plan["right-0"] = Kill("call", 3, FOR_EVER)  # somebody whom this machine cannot grade today
    faulty.plan(plan)
    expected, out = undisturbed[isolation], tmp_path / "out"
    command = ("grade", submitted, "--out", out, "--isolation", isolation, "--workers", "2")
    done, kills = faulty.run(*command), faulty.kills()

    found = marks(out)
    ungraded = {student for student, document in found.items() if document["ungraded_by"] == "machine"}
    wrong = [student for student in found if student not in ungraded and found[student] != expected[student]]
    unsaid = [student for student in STUDENTS if student not in found]
    unsaid += [student for student in ungraded if f"ungraded {student} {STEM}: the machine failed: " not in done.words]
    with (out / "grades.csv").open(newline="") as file:
        rows = {row["student"]: (row["score"], row["status"]) for row in csv.DictReader(file)}
    unsaid += [student for student in ungraded if rows.get(student) != ("", "ungraded")]
    assert "right-0" in ungraded
    assert done.code == 1
    count(f"ended from outside ({isolation})", kills, wrong=len(wrong), silent=len(unsaid), left=len(done.left))

    faulty.plan({})
    again = faulty.run(*command)
    assert (again.code, again.left, marks(out)) == (0, (), expected)
    documents = [json.loads(path.read_text()) for path in out.glob("results/*/*.json")]
    assert {document["pressure"] for document in documents} == {""}  # what was reached under pressure was graded again


ENDS_ITSELF = {
    "kills itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "ends itself": "os.kill(os.getpid(), signal.SIGTERM)",
    "shortens its own time": "resource.setrlimit(0, (1, 1))\n    while True: pass",
    "shortens the time of its number": "resource.prlimit(os.getpid(), 0, (1, 1))\n    while True: pass",
    "leaves": "os._exit(70)",
}


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_who_ends_itself_is_not_taken_for_a_victim(faulty: FaultyClass, tmp_path: Path, isolation: str) -> None:
    for name, code in ENDS_ITSELF.items():
        answer = f"import os, resource, signal\ndef posterior(prior, likelihood):\n    {code}"
        hand_in(tmp_path / "in", name, work(bayes_binary=None, posterior=answer).notebook(source_of(faulty.course)))
    done = faulty.run("grade", tmp_path / "in", "--out", tmp_path / "out", "--isolation", isolation)
    assert (done.code, done.left) == (0, ())
    for name, document in marks(tmp_path / "out").items():
        assert (document["ungraded"], document["score"]) == (None, 3), name
