"""What the tests of clusters share. Dask is imported where it is used: the other tests here do without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from machines import Machines


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
