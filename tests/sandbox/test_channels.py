"""Two submissions that are graded at the same time cannot talk: a sender and a receiver try, round by round.

Each round, the sender does something or leaves it, and the receiver looks. Where a channel is closed, the receiver sees
the same in every round, be it an error. Nothing here depends on the clock; channels that do, and cannot be closed, are
measured by `make bench-channels`.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import sandboxes
from sample_class import REPOSITORY, need
from sandboxes import LIMITS, MODES, on_linux, printed, run

from autograder.sandbox import seccomp
from autograder.sandbox.process import Process, Spawner, Zygote, control_sockets

process, zygote = sandboxes.process, sandboxes.zygote

pytestmark = on_linux

MESSAGE = (1, 0, 1, 1, 0, 0, 1, 0)

# What both sides know: the numbers of system calls, a file, and an address in a library that both have mapped.
PRELUDE = """
import contextlib, ctypes, fcntl, mmap, os, struct, threading, time

numbers = {numbers}
library = ctypes.CDLL(None, use_errno=True)
library.mmap.restype = ctypes.c_void_p

def call(name, *arguments):
    result = library.syscall(numbers[name], *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result

file = open({file!r}, "rb", buffering=0)
address = ctypes.cast(library.getpid, ctypes.c_void_p).value & ~3
word = ctypes.c_void_p(address)
value = ctypes.c_uint32.from_address(address).value
WAIT, WAKE, LOCK_PI, PRIVATE = 0, 1, 6, 128
threads, stop = [], threading.Event()

def within(seconds, nanoseconds=0):
    return ctypes.byref((ctypes.c_long * 2)(seconds, nanoseconds))

def start(function):
    def quietly():
        with contextlib.suppress(OSError):
            function()

    threads.append(threading.Thread(target=quietly, daemon=True))
    threads[-1].start()

def have_threads(wanted):
    if wanted:
        stop.clear()
        for _ in range(8):
            start(stop.wait)
    else:
        stop.set()
        while threads:
            threads.pop().join()

def lock(command, kind):
    return fcntl.fcntl(file, command, struct.pack("hhqqi4x", kind, 0, 0, 1, 0))

def before():
    pass

def hint():  # what a receiver may well know of the sender
    return os.getpid()
"""


@dataclass(frozen=True)
class Channel:
    """How a bit would get across: `send(bit)`, then `look(hint)`, which follows `before()` if the receiver prepares.

    `fresh`: nothing of the file is in memory when a round begins.
    """

    code: str
    modes: tuple[str, ...] = ("strong", "portable")
    fresh: bool = False


CHANNELS = {
    "a lock on a file": Channel(
        """
        def send(bit):
            fcntl.flock(file, fcntl.LOCK_EX if bit else fcntl.LOCK_UN)

        def look(hint):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(file, fcntl.LOCK_UN)
        """
    ),
    "a lock on a part of a file": Channel(
        """
        def send(bit):
            lock(fcntl.F_SETLK, fcntl.F_RDLCK if bit else fcntl.F_UNLCK)

        def look(hint):
            return lock(fcntl.F_GETLK, fcntl.F_WRLCK)
        """
    ),
    "a lock that belongs to a descriptor": Channel(
        """
        def send(bit):
            lock(37, fcntl.F_RDLCK if bit else fcntl.F_UNLCK)

        def look(hint):
            return lock(36, fcntl.F_WRLCK)
        """
    ),
    # Whoever wakes is told how many were waiting. A thread needs a moment until it waits, so look more than once.
    "a futex in a library that both have mapped": Channel(
        """
        def send(bit):
            if bit:
                start(lambda: call("futex", word, WAIT, value, within(60)))

        def look(hint):
            return max(call("futex", word, WAKE, 1000) for _ in range(20000))
        """
    ),
    "the wake-up when a thread ends": Channel(
        """
        def before():
            woken.clear()
            start(wait)

        def wait():
            try:
                woken.append(call("futex", word, WAIT, value, within(5)))
            except OSError as error:
                woken.append(error.errno)

        woken = []

        def send(bit):
            start(lambda: bit and call("set_tid_address", word))
            threads.pop().join()

        def look(hint):
            threads[-1].join()
            return woken
        """
    ),
    # Waiting for a lock that another thread seems to hold fails at once if there is no such thread.
    "whether a thread of the other exists": Channel(
        """
        def send(bit):
            have_threads(False)
            start(stop.wait)
            tids.append(threads[-1].native_id)
            have_threads(bit)

        tids = []

        def hint():
            return tids[-1]

        def look(hint):
            held = ctypes.c_uint32(hint)
            call("futex", ctypes.byref(held), LOCK_PI | PRIVATE, 0, within(0))
        """,
        modes=("portable",),
    ),
    "the number of threads on the machine": Channel(
        """
        def send(bit):
            have_threads(bit)

        def look(hint):
            everything = ctypes.create_string_buffer(256)
            call("sysinfo", everything)
            return struct.unpack_from("H", everything, 80)
        """
    ),
    "the free space of the disk": Channel(
        """
        def send(bit):
            if bit:
                with open(str(time.monotonic_ns()), "wb") as mine:
                    mine.write(bytes(1 << 20))

        def look(hint):
            return os.statvfs(file.name).f_bfree
        """
    ),
    "the free space of an open file's disk": Channel(
        """
        def send(bit):
            if bit:
                with open(str(time.monotonic_ns()), "wb") as mine:
                    mine.write(bytes(1 << 20))

        def look(hint):
            return os.fstatvfs(file.fileno()).f_bfree
        """
    ),
    "pages in memory, asked for without waiting": Channel(
        """
        def send(bit):
            os.pread(file.fileno(), bit, 0)

        def look(hint):
            return os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
        """,
        fresh=True,
    ),
    "pages in memory, asked for by address": Channel(
        """
        def send(bit):
            os.pread(file.fileno(), bit, 0)

        def look(hint):
            resident = ctypes.create_string_buffer(1)
            mapped = library.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE, file.fileno(), 0)
            call("mincore", ctypes.c_void_p(mapped), 4096, resident)
            return resident.raw
        """,
        fresh=True,
    ),
    "pages in memory, asked for by file": Channel(
        """
        def send(bit):
            os.pread(file.fileno(), bit, 0)

        def look(hint):
            where, counts = (ctypes.c_uint64 * 2)(0, 4096), (ctypes.c_uint64 * 5)()
            call("cachestat", file.fileno(), where, counts, 0)
            return list(counts)
        """,
        fresh=True,
    ),
    "the processor time of the other": Channel(
        """
        def send(bit):
            sum(range(10**6 if bit else 10**4))

        def look(hint):
            return time.clock_gettime(~hint << 3 | 2)
        """,
        modes=("portable",),
    ),
    "when a file was read": Channel(
        """
        def send(bit):
            os.pread(file.fileno(), bit, 0)
            if bit:
                os.listdir(os.path.dirname(file.name))

        def look(hint):
            return os.stat(file.name).st_atime_ns, os.stat(os.path.dirname(file.name)).st_atime_ns
        """,
        modes=("strong",),
    ),
}


def is_in_memory(path: Path) -> bool:
    """Whether the first page of a file is in memory, as the kernel tells whoever owns it."""
    library, resident = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(1)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    with path.open("rb") as file:
        address = library.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE, file.fileno(), 0)
        known = library.mincore(ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE), resident)
        library.munmap(ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE))
    assert known == 0, os.strerror(ctypes.get_errno())
    return resident.raw != b"\0"


def evict(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that both may read, on the disk that tests use; nobody has read it for long."""
    folder = tmp_path_factory.mktemp("data")
    folder.chmod(0o755)
    path = folder / "numbers.bin"
    path.write_bytes(os.urandom(1 << 20))
    for place in (path, folder):
        os.utime(place, (10**9, 10**9))
    return path


@pytest.fixture(scope="module", params=MODES)
def with_file(request: pytest.FixtureRequest, file: Path) -> Iterator[Zygote]:
    """A zygote whose data folder holds the file."""
    zygote = Zygote(need(request.param), checks=REPOSITORY.checks, data=file.parent, limits=LIMITS)
    yield zygote
    zygote.close()


@pytest.fixture
def two(with_file: Zygote) -> Iterator[tuple[Process, Process]]:
    """Two students' processes at the same time."""
    processes = with_file.spawn(), with_file.spawn()
    yield processes
    for process in processes:
        process.end()


def numbers() -> dict[str, int]:
    """The numbers of system calls, also of some that the filter does not name."""
    named = {name: number for name, number in seccomp.numbers(platform.machine()).items() if number is not None}
    return {**named, "cachestat": 451}


def must(process: Process, source: str) -> str:
    """What a cell prints that must not fail."""
    reply = run(process, source)
    assert reply["error"] is None, reply["error"]
    return "".join(output["text"] for output in reply["outputs"]).strip()


@pytest.mark.parametrize("name", CHANNELS)
def test_nothing_arrives(name: str, file: Path, two: tuple[Process, Process], with_file: Zygote) -> None:
    channel = CHANNELS[name]
    if with_file.mode not in channel.modes:
        pytest.skip("another process has no number in a namespace of one's own")
    sender, receiver = two
    for process in two:
        must(process, PRELUDE.format(numbers=numbers(), file=str(file)) + textwrap.dedent(channel.code))
    seen = []
    for bit in MESSAGE:
        if channel.fresh:
            evict(file)
            if is_in_memory(file):
                pytest.skip(f"the file system of {file} keeps everything in memory")
        must(receiver, "before()")
        hint = must(sender, f"with contextlib.suppress(OSError):\n    send({bit})\nprint(hint())")
        seen.append(
            must(
                receiver,
                f"""
                try:
                    print(look({hint}))
                except OSError as error:
                    print("refused:", error.errno)
                """,
            )
        )
    assert len(set(seen)) == 1, list(zip(MESSAGE, seen, strict=True))


EVICTING = {
    "advice about a file": "os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)",
    "advice about memory": """
        mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        for advice in (9, 20, 21):  # remove, cold, page out
            with contextlib.suppress(OSError):
                mapped.madvise(advice)
    """,
}


@pytest.mark.parametrize("name", EVICTING)
def test_nobody_can_take_a_page_out_of_memory(name: str, file: Path, two: tuple[Process, Process]) -> None:
    evict(file)
    if is_in_memory(file):
        pytest.skip(f"the file system of {file} keeps everything in memory")
    file.read_bytes()
    assert is_in_memory(file)
    must(two[0], PRELUDE.format(numbers=numbers(), file=str(file)))
    run(two[0], EVICTING[name])
    assert is_in_memory(file)


# --- Honest code, which uses some of the same calls -------------------------------------------------------------------

HONEST = {
    "a thread that is joined": """
        import threading
        done = []
        threads = [threading.Thread(target=done.append, args=(number,)) for number in range(20)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert sorted(done) == list(range(20))
    """,
    "a thread that the C library joins": """
        import ctypes, time
        library, done, thread = ctypes.CDLL(None), [], ctypes.c_ulong()
        @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
        def routine(_):
            time.sleep(0.05)
            done.append(1)
        for _ in range(3):
            assert library.pthread_create(ctypes.byref(thread), None, routine, None) == 0
            assert library.pthread_join(thread, None) == 0
        assert done == [1, 1, 1]
    """,
    "pools, queues, locks and conditions": """
        import queue, threading
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda n: n * n, range(50))) == [n * n for n in range(50)]
        asked, answered = queue.Queue(), queue.Queue()
        threading.Thread(target=lambda: answered.put(asked.get(timeout=30) + 1)).start()
        asked.put(1)
        assert answered.get(timeout=30) == 2
        barrier = threading.Barrier(3)
        threads = [threading.Thread(target=barrier.wait) for _ in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert threading.Event().wait(0.001) is False
    """,
    "coroutines and their threads": """
        import asyncio
        async def main():
            await asyncio.gather(*[asyncio.sleep(0.001) for _ in range(20)])
            return await asyncio.to_thread(sum, [1, 2])
        assert asyncio.run(main()) == 3
    """,
    "clocks": """
        import resource, time, timeit
        for clock in (time.time, time.monotonic, time.perf_counter, time.process_time, time.thread_time):
            clock()
        for name in ("CLOCK_MONOTONIC", "CLOCK_PROCESS_CPUTIME_ID", "CLOCK_THREAD_CPUTIME_ID"):
            time.clock_gettime(getattr(time, name)), time.clock_getres(getattr(time, name))
        timeit.timeit("1", number=10), time.sleep(0.001), resource.getrusage(resource.RUSAGE_SELF)
    """,
    "a cell that is timed": "%time sum(range(10))",
    "files that are flushed": """
        import os, numpy as np
        with open("flushed", "wb") as file:
            file.write(b"x"); file.flush(); os.fsync(file.fileno()); os.fdatasync(file.fileno())
        table = np.memmap("table", dtype=float, mode="w+", shape=(8,))
        table[:] = 3
        table.flush()
        assert np.load is not None and np.fromfile("table").sum() == 24
    """,
    "temporary files": """
        import tempfile
        with tempfile.NamedTemporaryFile("w+") as file, tempfile.TemporaryFile() as other:
            file.write("x"); other.write(b"x")
    """,
    "large arrays": """
        import numpy as np
        big = np.ones((2000, 2000))
        assert (big @ big)[0, 0] == 2000
        del big
    """,
    "figures": """
        import matplotlib.pyplot as plt, numpy as np
        figure, axes = plt.subplots(1, 2)
        axes[0].imshow(np.eye(20)); axes[1].hist(np.arange(100)); figure.savefig("figure.png")
    """,
    "a database": """
        import sqlite3
        with sqlite3.connect(":memory:") as base:
            base.execute("create table a (b)"); base.execute("insert into a values (1)")
            assert base.execute("select b from a").fetchall() == [(1,)]
    """,
    "logging": "import logging; logging.basicConfig(filename='log'); logging.warning('x')",
    "signals to oneself": """
        import os, signal
        caught = []
        signal.signal(signal.SIGUSR1, lambda *_: caught.append(1))
        os.kill(os.getpid(), signal.SIGUSR1), signal.raise_signal(signal.SIGUSR1)
        assert caught == [1, 1]
    """,
    "what one asks about oneself": """
        import os
        os.getsid(0), os.getpgid(0), os.getpgid(os.getpid()), os.sched_getaffinity(0), os.cpu_count()
        os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), os.times(), os.uname()
    """,
    "reading in several ways": """
        import mmap, os
        path = os.__file__
        with open(path, "rb") as file:
            os.preadv(file.fileno(), [bytearray(10)], 0)
            mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:10]
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
    """,
    "pairs of sockets": """
        import socket
        one, other = socket.socketpair()
        one.sendall(b"x")
        assert other.recv(1) == b"x" and one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
        one.setblocking(False)
    """,
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_code_notices_nothing_of_it(process: Process, name: str) -> None:
    assert run(process, HONEST[name])["error"] is None


def test_threads_of_one_submission_are_not_counted_with_those_of_another(zygote: Zygote) -> None:
    if os.getuid() == 0 or zygote.mode != "strong":
        pytest.skip("root's workers have a user each; in portable, everything belongs to one (make bench-channels)")
    many = """
    import threading
    threading.stack_size(64 << 10)
    stop, count = threading.Event(), 0
    try:
        while True:
            threading.Thread(target=stop.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    """
    with ExitStack() as stack:
        counts = []
        for number in (0, 1):  # as two workers
            ours, theirs = control_sockets()
            zygote.fork(theirs, number)
            theirs.close()
            copy = Spawner(ours, zygote.mode, limits=LIMITS, figures=False)
            stack.callback(copy.close)
            process = copy.spawn()
            stack.callback(process.end)
            must(process, many)
            counts.append(int(printed(process, "count")))
    assert counts[0] == counts[1] > 8
