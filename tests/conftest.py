"""What every test may rely on."""

from __future__ import annotations

import os
import sys

import pytest

# nbgrader calls `alembic` by bare name: it must be found also when pytest was not started by `make`.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
# As in grading: results do not depend on the number of cores, and threads do not fight over them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(optionalhook=True)  # where students run the checks, there is no xdist
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, up to four: many tests wait for a browser, a cluster or a time limit."""
    return min((os.cpu_count() or 1) + 1, 4)
