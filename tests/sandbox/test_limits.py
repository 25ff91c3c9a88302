"""Every limit of a student process holds, and reaching it has a reason that names it."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
import sandboxes
from sample_class import need
from sandboxes import PATIENT, ended, error_of, printed, run, zygote_with

from autograder.course.limits import MIB, Limits
from autograder.sandbox.process import Process, ProcessGone, Zygote

zygote, process = sandboxes.zygote, sandboxes.process


def test_wall_time_of_a_cell(process: Process) -> None:
    assert ended(process, "while True: pass", 0.5) == "timed out: no answer within 0.5 seconds of wall time"


@pytest.mark.parametrize("threads", [0, 3])
def test_processor_time_of_all_threads_together(threads: int) -> None:
    spin = f"""
    import threading
    def spin():
        while True: pass
    for _ in range({threads}): threading.Thread(target=spin).start()
    spin()
    """
    with zygote_with("portable", cpu_seconds=1) as zygote:
        assert ended(zygote.spawn(), spin) == "timed out: more than 1 seconds of processor time"


def test_memory(process: Process) -> None:
    assert "MemoryError" in error_of(process, "bytearray(300 << 20)")
    assert printed(process, "1") == "1"  # nothing else is lost


def test_memory_when_nothing_is_left_to_say_so(process: Process) -> None:
    hoard = """
    hoard = []
    for size in (1 << 20, 1 << 10, 1):
        try:
            while True: hoard.append(bytearray(size))
        except MemoryError: pass
    raise MemoryError
    """
    try:
        told = error_of(process, hoard)
    except ProcessGone as gone:
        told = gone.reason
    assert told.startswith(("MemoryError", "out of memory"))


def test_output(process: Process, zygote: Zygote) -> None:
    reply = run(process, "print('x' * 1_000_000)")
    assert reply["dropped"] == 1_000_001 - zygote.limits.output_bytes
    assert len(reply["outputs"][0]["text"]) == zygote.limits.output_bytes


def test_size_of_a_file(process: Process) -> None:
    assert "File too large" in error_of(process, "open('x', 'wb').write(bytes(5 << 20))")


def test_size_of_all_files(process: Process, zygote: Zygote) -> None:
    fill = "import signal\nfor number in range(20): open(f'{number}', 'wb').write(bytes(2 << 20))\nsignal.pause()"
    if zygote.mode == "strong":
        assert "No space left" in error_of(process, fill)
    else:
        assert ended(process, fill).startswith("disk full: more than")


def test_number_of_files(process: Process, zygote: Zygote) -> None:
    fill = "for number in range(10_000):\n    open(f'{number}', 'w').close()"
    if zygote.mode == "strong":
        assert "No space left" in error_of(process, fill)
    else:
        assert ended(process, fill).endswith("or too many files")


def test_open_files(process: Process) -> None:
    assert "Too many open files" in error_of(process, "kept = [open('/dev/null') for _ in range(1000)]")


def test_threads(process: Process) -> None:
    many = """
    import threading
    end = threading.Event()
    for _ in range(3000): threading.Thread(target=end.wait, daemon=True).start()
    """
    assert "can't start new thread" in error_of(process, many)


def test_limits_never_exceed_what_the_grader_itself_may() -> None:
    script = f"""
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    from autograder.course import Course
    from autograder.course.limits import Limits
    from autograder.sandbox.process import Zygote
    course = Course.default()
    zygote = Zygote({need("portable")!r}, checks=course.checks, data=course.data, limits=Limits())
    process = zygote.spawn()
    source = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    print(process.ask({{"do": "cell", "id": "x", "source": source}}, {PATIENT})["outputs"][0]["text"])
    process.end()
    zygote.close()
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.strip() == "(40, 40)", done.stderr


def test_the_default_limits_bound_everything() -> None:
    limits = Limits()
    assert limits.call_seconds < limits.cell_seconds < limits.submission_seconds < limits.worker_seconds
    assert limits.file_bytes <= limits.disk_bytes <= limits.memory_bytes <= 2048 * MIB
