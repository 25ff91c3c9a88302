"""What every test may rely on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from machines import Machines

# nbgrader calls `alembic` by bare name: it must be found also when pytest was not started by `make`.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
# As in grading: results do not depend on the number of cores, and threads do not fight over them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Whoever runs them: results are the same, and no secret is made in the repository.
os.environ["AUTOGRADER_SECRET"] = "the same secret for all tests"


@pytest.hookimpl(optionalhook=True)  # where students run the checks, there is no xdist
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, up to four: many tests wait for a browser, a cluster or a time limit."""
    return min((os.cpu_count() or 1) + 1, 4)


# A file is run by one process, so the run ends when the longest file does: these begin first.
LONGEST_FIRST = (
    "validity/test_validity.py",
    "hostile/test_hostile.py",
    "notebooks/test_nbval.py",
    "notebooks/test_browser.py",
    "grading/test_cluster_losses.py",
    "grading/test_interrupted_runs.py",
    "classroom/test_nbgrader_course.py",
    "sandbox/test_drawing.py",
    "hostile/test_ordinary_user.py",
    "nbgrader_bridge/test_formgrader.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest in front, and leave the order within a file as it is."""
    tests = Path(__file__).parent
    ranks = {tests / name: rank for rank, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


# --- For the tests of clusters. Dask is imported where it is used: all others do without. -----------------------------


@pytest.fixture
def lonely(tmp_path: Path) -> Iterator[Machines]:
    """A scheduler without workers, for a test of its own."""
    from machines import Machines

    machines = Machines(tmp_path / "machines")
    try:
        yield machines
    finally:
        machines.end()


@pytest.fixture(scope="module")
def patient() -> Iterator[None]:
    """A worker may need long to get ready beside other tests."""
    import dask
    from machines import PATIENT

    with dask.config.set({"autograder.wait-seconds": PATIENT}):
        yield
