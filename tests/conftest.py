"""What every test may rely on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from faulty import Count, FaultyClass
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


# --- For the tests of faults ------------------------------------------------------------------------------------------

COLUMNS = ("injected", "wrong marks", "silent omissions", "files left")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fault-draws", type=int, default=1, help="how often the tests of faults draw which ones to inject"
    )
    parser.addoption("--fault-table", action="store_true", help="show what the injected faults came to")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `draw` is repeated, with other faults each time."""
    if "draw" in metafunc.fixturenames and "faults" in Path(str(metafunc.definition.path)).parts:
        metafunc.parametrize("draw", range(metafunc.config.getoption("--fault-draws")))


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> FaultyClass:
    """A class whose processes can be ended at chosen moments."""
    from faulty import FaultyClass

    return FaultyClass(tmp_path_factory.mktemp("faulty"))


@pytest.fixture
def count(record_property: Callable[[str, object], None]) -> Count:
    """Puts what was found into the table; none of the injected faults may have done any harm."""

    def counted(kind: str, injected: int, *, wrong: int = 0, silent: int = 0, left: int = 0) -> None:
        record_property("faults", (kind, injected, wrong, silent, left))
        assert injected > 0
        assert (wrong, silent, left) == (0, 0, 0)

    return counted


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the injected faults came to, by kind: where there were any, and with `make faults`."""
    reports = [
        report
        for some in terminalreporter.stats.values()
        for report in some
        if getattr(report, "when", None) == "call"  # its properties are in the report of its teardown, too
    ]
    found = [value for report in reports for name, value in report.user_properties if name == "faults"]
    if not found or not terminalreporter.config.getoption("--fault-table"):
        return
    kinds = dict.fromkeys(kind for kind, *_ in found)
    rows = {
        kind: [sum(numbers) for numbers in zip(*(n for k, *n in found if k == kind), strict=True)] for kind in kinds
    }
    rows["in all"] = [sum(numbers) for numbers in zip(*rows.values(), strict=True)]
    terminalreporter.section("injected faults")
    terminalreporter.write_line(f"{'':36}" + "".join(f"{column:>18}" for column in COLUMNS))
    for kind, numbers in rows.items():
        terminalreporter.write_line(f"{kind:36}" + "".join(f"{number:18}" for number in numbers))


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
