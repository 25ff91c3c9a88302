"""A grading process: reads jobs from a socket, one JSON line each, and writes an outcome for each."""

from __future__ import annotations

import base64
import dataclasses
import json
import os
import socket
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from autograder import results
from autograder.course import Course
from autograder.engine.grading import Grader, Job, Outcome, Settings
from autograder.engine.limits import Limits
from autograder.engine.session import SuiteSession


def grade_all(
    jobs: Iterable[Job], settings: Settings, deliver: Callable[[Outcome], None], *, stems: Iterable[str], number: int = 0
) -> None:
    """Grade jobs one after another in one pytest session, delivering each outcome as soon as it is known."""
    course = Course(settings.course)
    sys.path.insert(0, str(course.notebooks))  # for the visible checks

    def work(session: SuiteSession) -> None:
        grader = Grader(settings, session, number)
        try:
            for job in jobs:
                deliver(grader.grade(job))
        finally:
            grader.close()

    SuiteSession(work).main(course.suite(stem) for stem in stems)


def main() -> None:
    """Serve the process that started this one until it hangs up."""
    channel = socket.socket(fileno=int(sys.argv[1])).makefile("rwb")
    start = json.loads(channel.readline())
    settings = settings_from_json(start["settings"])

    def deliver(outcome: Outcome) -> None:
        channel.write(json.dumps(outcome_to_json(outcome)).encode() + b"\n")
        channel.flush()

    jobs = (job_from_json(json.loads(line)) for line in channel)
    try:
        grade_all(jobs, settings, deliver, stems=start["stems"], number=start["number"])
    except (BrokenPipeError, ConnectionResetError):
        os._exit(1)


def settings_to_json(settings: Settings) -> dict[str, Any]:
    """Settings as plain data."""
    return {**dataclasses.asdict(settings), "course": str(settings.course)}


def settings_from_json(values: dict[str, Any]) -> Settings:
    """Settings that came as plain data."""
    return Settings(**{**values, "course": Path(values["course"]), "limits": Limits(**values["limits"])})


def job_to_json(job: Job) -> dict[str, Any]:
    """A job as plain data."""
    return {**dataclasses.asdict(job), "content": base64.b64encode(job.content).decode()}


def job_from_json(values: dict[str, Any]) -> Job:
    """A job that came as plain data."""
    return Job(**{**values, "content": base64.b64decode(values["content"]), "repairs": tuple(values["repairs"])})


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data."""
    return {
        "result": results.to_json(outcome.result),
        "notebook": None if outcome.notebook is None else outcome.notebook.decode(),
        "seconds": outcome.seconds,
        "explanation": list(outcome.explanation),
    }


def outcome_from_json(values: dict[str, Any]) -> Outcome:
    """An outcome that came as plain data."""
    return Outcome(
        results.from_json(values["result"]),
        None if values["notebook"] is None else values["notebook"].encode(),
        values["seconds"],
        tuple(values["explanation"]),
    )


if __name__ == "__main__":
    main()
