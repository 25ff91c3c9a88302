"""What the machine says of its memory, and of the processes that it ended: read from trees like /proc and /sys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from autograder.sandbox import machine
from autograder.sandbox.machine import Memory

GIB = 1 << 30
MACHINE = {
    "proc/meminfo": "MemTotal:       8388608 kB\nMemFree:         100 kB\nMemAvailable:    4194304 kB\n",
    "proc/vmstat": "nr_free_pages 12\noom_kill 3\n",
    "proc/pressure/memory": "some avg10=0.00 total=7000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n",
}
OUTER, INNER = "sys/fs/cgroup/jobs", "sys/fs/cgroup/jobs/grading"
SECOND_VERSION = {
    **MACHINE,
    "proc/self/cgroup": "0::/jobs/grading\n",
    f"{OUTER}/memory.max": f"{GIB}\n",
    f"{OUTER}/memory.current": f"{GIB // 2}\n",
    f"{OUTER}/memory.stat": f"anon 5\ninactive_file {GIB // 4}\n",
    f"{OUTER}/memory.events": "low 0\noom 2\noom_kill 1\n",
    f"{OUTER}/memory.pressure": "some total=1\nfull avg10=0.00 total=9000000\n",
    f"{INNER}/memory.max": "max\n",
    f"{INNER}/memory.current": "5\n",
    f"{INNER}/memory.events": "oom_kill 1\n",
}
FIRST_VERSION = {
    **MACHINE,
    "proc/self/cgroup": "5:cpu:/\n4:cpu,memory:/jobs\n",
    "sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": f"{GIB}\n",
    "sys/fs/cgroup/memory/jobs/memory.usage_in_bytes": f"{GIB}\n",
    "sys/fs/cgroup/memory/jobs/memory.stat": f"cache 9\ntotal_inactive_file {GIB // 8}\n",
    "sys/fs/cgroup/memory/jobs/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n",
}


def tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_without_a_container_the_machine_counts(tmp_path: Path) -> None:
    root = tree(tmp_path, MACHINE)
    assert machine.memory(root) == Memory(8 * GIB, 4 * GIB)
    assert (machine.memory_kills(root), machine.stalled(root)) == (3, 2.5)


def test_the_tightest_container_around_counts(tmp_path: Path) -> None:
    """Its page cache is not used up: the kernel gives it back."""
    root = tree(tmp_path, SECOND_VERSION)
    assert machine.memory(root) == Memory(GIB, 3 * GIB // 4)
    assert (machine.memory_kills(root), machine.stalled(root)) == (5, 9.0)


def test_containers_of_the_first_version_count_as_well(tmp_path: Path) -> None:
    root = tree(tmp_path, FIRST_VERSION)
    assert machine.memory(root) == Memory(GIB, GIB // 8)
    assert machine.memory_kills(root) == 7


def test_a_bound_above_what_the_machine_has_is_none(tmp_path: Path) -> None:
    root = tree(tmp_path, {**SECOND_VERSION, f"{OUTER}/memory.max": f"{9 * GIB}\n"})
    assert machine.memory(root) == Memory(8 * GIB, 4 * GIB)


def test_a_machine_that_does_not_tell_is_not_guessed_at(tmp_path: Path) -> None:
    for files in ({}, {"proc/meminfo": "nonsense"}, {"proc/self/cgroup": "0::/nowhere"}):
        root = tree(tmp_path, files)
        assert (machine.memory(root), machine.memory_kills(root), machine.stalled(root)) == (None, 0, 0.0)
