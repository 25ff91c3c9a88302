"""Run a hidden suite by hand on one submission.

Example: `pytest autograder/suites/test_01_bayes_rule.py --submission one.ipynb --seed 7`
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course import Course, notebook, policy, sources
from autograder.course.draw import FIXED, Draw
from autograder.engine.running import Cell, NotebookRun
from autograder.engine.student import Student
from autograder.sandbox import isolation
from autograder.sandbox.process import Zygote

COURSE = Course.default()
sys.path.insert(0, str(COURSE.notebooks))  # some suites use what students have, too


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--submission", type=Path, metavar="NOTEBOOK", help="the notebook that the hidden checks look at")
    parser.addoption(
        "--seed", default=FIXED, metavar="N", help="what the hidden numbers are drawn from (default: fixed)"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "exercise(name, place): the exercise that a check belongs to")


@pytest.fixture(scope="session")
def run(request: pytest.FixtureRequest) -> Iterator[NotebookRun]:
    """The submission, run in the same sandbox as when it is graded."""
    path = request.config.getoption("--submission")
    if path is None:
        pytest.skip("say which notebook to look at: --submission one.ipynb")
    cells = [Cell(id, source) for id, source in notebook.code_cells(notebook.read(path))]
    source = sources.read(COURSE.source(request.node.items[0].path.stem.removeprefix("test_")))
    skipped = sources.demo_cells(source) | sources.check_cells(source)
    mode = isolation.choose(isolation.AUTO, checks=COURSE.checks, data=COURSE.data, suites=COURSE.suites)
    rules = {"limits": policy.limits(COURSE), "allowed": policy.allowed(COURSE)}
    zygote = Zygote(mode, checks=COURSE.checks, data=COURSE.data, **rules)
    run = NotebookRun(zygote, [cell for cell in cells if cell.source.strip() not in skipped])
    try:
        run.start()
        yield run
    finally:
        run.close()
        zygote.close()


@pytest.fixture
def student(run: NotebookRun) -> Student:
    """The student whose submission is being looked at."""
    return Student(run)


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> Draw:
    """Numbers for this check, drawn from the seed of the command line."""
    return Draw(request.config.getoption("--seed"), request.node.name)
