"""Machines that are short of memory: the kernel ends processes, and nobody loses marks for that."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faulty import KINDS, Count, FaultyClass, marks
from sample_class import STEM, Work, hand_in, source_of

from autograder.course.limits import MIB

HUNGRY = "STORE = np.ones(15_000_000)"  # 120 MB, well within what a student may have
CLASS = [f"hungry-{number}" for number in range(8)]

Bounded = Callable[[int], str]  # takes bytes; returns what a command executes first, to be bounded by them


@pytest.fixture
def bounded() -> Iterator[Bounded]:
    """Makes control groups that bound memory, where this machine lets the tests do that."""
    first = Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"
    second = Path("/sys/fs/cgroup"), "memory.max"
    made: list[Path] = []
    names = itertools.count()

    def bound(size: int) -> str:
        for top, limit in (first, second):
            group = top / f"test-{os.getpid()}-{next(names)}"
            try:
                group.mkdir()
            except OSError:
                continue
            made.append(group)
            with contextlib.suppress(OSError):
                (group / limit).write_text(str(size))
                with contextlib.suppress(OSError):
                    (group / "memory.swap.max").write_text("0")
                return f"open({str(group / 'cgroup.procs')!r}, 'w').write('0')\n"
        pytest.skip("no control group that bounds memory can be made here")

    yield bound
    for group in made:
        with contextlib.suppress(OSError):
            group.rmdir()


@pytest.fixture(scope="module")
def hungry(faulty: FaultyClass, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class, all of it right, in which each notebook keeps much in memory."""
    place = tmp_path_factory.mktemp("hungry")
    some = Work(KINDS["right"], {"setup": [HUNGRY]}).notebook(source_of(faulty.course))
    for student in CLASS:
        hand_in(place, student, some)
    return place


def checked(found: dict[str, dict[str, Any]], words: str) -> tuple[list[str], list[str]]:
    """Who has a wrong mark, and whom nobody has been told about."""
    ungraded = [student for student in found if found[student]["ungraded_by"] == "machine"]
    wrong = [student for student in found if student not in ungraded and found[student]["score"] != 20]
    unsaid = [student for student in CLASS if student not in found]
    return wrong, unsaid + [
        student for student in ungraded if f"ungraded {student} {STEM}: the machine failed" not in words
    ]


@pytest.mark.parametrize("size", [360 * MIB, 300 * MIB], ids=["room for one", "hardly for one"])
def test_too_little_memory_costs_no_marks(
    faulty: FaultyClass, hungry: Path, bounded: Bounded, tmp_path: Path, count: Count, size: int
) -> None:
    faulty.plan({})
    command = ("grade", hungry, "--out", tmp_path / "out", "--workers", "2", "--isolation", "strong")
    done = faulty.run(*command, first=bounded(size))
    found = marks(tmp_path / "out")
    wrong, unsaid = checked(found, done.words)
    assert done.code == int(any(document["ungraded"] for document in found.values()))
    count("short of memory", len(CLASS), wrong=len(wrong), silent=len(unsaid), left=len(done.left))

    again = faulty.run(*command)
    assert (again.code, again.left) == (0, ())
    assert {document["score"] for document in marks(tmp_path / "out").values()} == {20}


def test_who_finds_no_memory_at_all_is_ungraded_until_there_is_some(
    faulty: FaultyClass, hungry: Path, bounded: Bounded, tmp_path: Path, count: Count
) -> None:
    faulty.plan({})
    command = ("grade", hungry / CLASS[0], "--out", tmp_path / "out", "--isolation", "strong")
    done = faulty.run(*command, first=bounded(220 * MIB))
    (document,) = marks(tmp_path / "out").values()
    assert done.code == 1
    assert (document["ungraded_by"], document["score"]) == ("machine", 0)
    assert "because the machine was out of memory" in document["ungraded"]
    count("no memory", 1, left=len(done.left))

    again = faulty.run(*command)
    (document,) = marks(tmp_path / "out").values()
    assert (again.code, document["ungraded"], document["score"]) == (0, None, 20)
