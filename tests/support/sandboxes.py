"""Student processes to try things in: a zygote in each mode, cells that run there, and what came of them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest
from sample_class import REPOSITORY, SHORT, need

from autograder.course.model import Fault
from autograder.engine.running import Cell, NotebookRun
from autograder.engine.student import Student
from autograder.sandbox import seccomp
from autograder.sandbox.process import Process, ProcessGone, Zygote

MODES = ["strong", "portable"]


class Places(TypedDict):
    """What every zygote is told of a course."""

    checks: Path
    data: Path


PLACES: Places = {"checks": REPOSITORY.checks, "data": REPOSITORY.data}


LIMITS = replace(SHORT, call_seconds=60.0, cell_seconds=60.0, submission_seconds=600.0)


PATIENT = 300.0  # seconds until a test gives up on something that should happen at once


on_linux = pytest.mark.skipif(sys.platform != "linux" or not seccomp.supported(), reason="the layers are Linux's")


@pytest.fixture(scope="module", params=MODES)
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    zygote = Zygote(need(request.param), **PLACES, limits=LIMITS)
    yield zygote
    zygote.close()


@pytest.fixture
def process(zygote: Zygote) -> Iterator[Process]:
    process = zygote.spawn()
    yield process
    process.end()


def run(process: Process, source: str, seconds: float = PATIENT) -> dict[str, Any]:
    return process.ask({"do": "cell", "id": "cell", "source": textwrap.dedent(source)}, seconds)


def printed(process: Process, expression: str) -> str:
    """What an expression is in the student's process, as text."""
    reply = run(process, f"print({expression})")
    assert reply["error"] is None, reply["error"]
    return "".join(output["text"] for output in reply["outputs"]).strip()


def error_of(process: Process, source: str) -> str:
    """The kind and the text of the error that a cell ends with."""
    error = run(process, source)["error"]
    assert error is not None, "nothing was raised"
    return f"{error['kind']}: {error['text']}"


def ended(process: Process, source: str, seconds: float = PATIENT) -> str:
    """Why a process was ended while it ran a cell."""
    with pytest.raises(ProcessGone) as gone:
        run(process, source, seconds)
    assert not process.alive
    return f"{gone.value.reason}: {gone.value}"


@contextmanager
def zygote_with(mode: str, **settings: Any) -> Iterator[Zygote]:
    """A zygote with limits of its own."""
    zygote = Zygote(need(mode), **PLACES, limits=replace(LIMITS, **settings), figures=True)
    try:
        yield zygote
    finally:
        zygote.close()


@contextmanager
def ran(zygote: Zygote, *cells: str | Cell) -> Iterator[NotebookRun]:
    """A notebook that has been run."""
    named = [cell if isinstance(cell, Cell) else Cell(f"cell-{number}", cell) for number, cell in enumerate(cells)]
    run = NotebookRun(zygote, named)
    try:
        run.start()
        yield run
    finally:
        run.close()


def texts(faults: list[Fault]) -> list[str]:
    """What a student reads of each fault."""
    return [fault.text for fault in faults]


@contextmanager
def student_with(zygote: Zygote, *cells: str) -> Iterator[Student]:
    """The student of a notebook that has been run."""
    with ran(zygote, *cells) as finished:
        yield Student(finished)


def alone(setup: str, attempt: str, tmp_path: Path) -> str:
    """What an attempt says in a process that has only one of the layers."""
    script = textwrap.dedent(
        """
        import os, sys
        from autograder.sandbox import kernel, seccomp
        exec(sys.argv[1])
        try:
            exec(f"print({sys.argv[2]})")
        except BaseException as error:
            print(type(error).__name__)
        """
    )
    command = [sys.executable, "-c", script, setup, attempt]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    return done.stdout.strip() or f"ended by {-done.returncode}: {done.stderr}"
