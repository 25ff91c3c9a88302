"""How fast two submissions can talk through what cannot be closed: `make bench-channels`, a minute or two.

For each channel, two students' processes are started as two workers start them, one sends random bits and the other
receives. The first bits are known to the receiver, who learns from them what a 1 looks like; errors are counted in the
others. The rate is what a perfect code would get across: the bits per second times the capacity of a binary symmetric
channel with this rate of errors. Somebody who tries harder will get more: read the figures as "at least".

As root, it runs with priority over everything else, so what else the machine does matters little.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import platform
import random
import secrets
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from autograder.course import Course
from autograder.course.errors import GraderError
from autograder.course.limits import Limits
from autograder.sandbox.process import Process, ProcessGone, Spawner, Zygote, control_sockets

MODES = ("strong", "portable")
TRAINING = 0.25  # of all bits
COLD_FILES, SPACING = 512, 256 << 10  # one bit each; and the bytes between two pages that are not read in one go

PRELUDE = """
import ctypes, mmap, os, resource, socket, threading, time

library = ctypes.CDLL(None)
now = time.monotonic

def at(moment):
    while now() < moment:
        pass

def send_all(bits, begin, slot):
    for number, bit in enumerate(bits):
        at(begin + number * slot)
        send(bit, begin + (number + 1) * slot)

def receive_all(count, begin, slot, phase):
    seen = []
    for number in range(count):
        at(begin + (number + phase) * slot)
        seen.append(look(begin + (number + 1 - phase) * slot))
    return seen

def timed(function, *arguments):
    began = time.thread_time()
    value = function(*arguments)
    return [time.thread_time() - began, value]
"""


@dataclass(frozen=True)
class Channel:
    """A way to talk: the code of both sides, and what it needs.

    LASTING: the sender does all that it wants to say and ends; then the receiver is started, and looks.
    TURNS: both are there, one does something, then the other looks; what counts is the processor time that this takes,
    as if they knew without delay whose turn it is.
    CLOCK: both work at the same time and keep time by the clock. `slots` are the seconds per bit to try, and `phase` is
    when in a slot the receiver begins to look.
    """

    name: str
    kind: str
    code: str
    slots: tuple[float, ...] = ()
    phase: float = 0.1
    modes: tuple[str, ...] = MODES
    numbers: tuple[int, int] = (0, 1)
    bits: int = 200
    needs: Callable[[], bool] = lambda: True


LASTING, TURNS, CLOCK = "no", "both alive", "both working"

CHANNELS = (
    Channel(
        "pages of files that nobody has read yet",
        LASTING,
        """
        file = os.open(folder + "/cold", os.O_RDONLY)

        def send(number, bit):
            if bit:
                os.pread(file, 1, number * spacing)

        def look(number):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
            os.pread(file, 1, number * spacing)
            return resource.getrusage(resource.RUSAGE_SELF).ru_inblock - before
        """,
        bits=COLD_FILES,
    ),
    Channel(
        "names that were looked up",
        LASTING,
        """
        def names(number):
            return [f"/usr/lib/{secret}-{number}-{repeated}" for repeated in range(6)]

        def send(number, bit):
            if bit:
                for name in names(number):
                    os.path.exists(name)

        def look(number):
            wanted = names(number)
            begin = time.perf_counter_ns()
            for name in wanted:
                os.path.exists(name)
            return time.perf_counter_ns() - begin
        """,
        bits=2000,
    ),
    Channel(
        "when a file was last read",
        LASTING,
        """
        def send(number, bit):
            if bit:
                with open(f"{folder}/{number}", "rb") as file:
                    file.read(1)

        def look(number):
            return os.stat(f"{folder}/{number}").st_atime
        """,
        bits=COLD_FILES,
    ),
    Channel(
        "lines of the processor's cache",
        CLOCK,
        """
        code = bytes.fromhex("0faef0 0faee8 0f31 0faee8 89c6 8b0f 0faee8 0f31 0faee8 29f0 0fae3f c3")
        page = mmap.mmap(-1, 4096, prot=7)
        page.write(code)
        measure = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(
            ctypes.addressof(ctypes.c_char.from_buffer(page))
        )
        address = ctypes.cast(library.qecvt, ctypes.c_void_p).value & ~63
        word = ctypes.c_uint32.from_address(address)

        def send(bit, end):
            if bit:
                while now() < end:
                    word.value

        def look(end):
            measure(address)
            fastest = 10**6
            while now() < end:
                fastest = min(fastest, measure(address))
            return fastest
        """,
        slots=(0.00005, 0.0002, 0.001, 0.01),
        bits=4000,
        needs=lambda: platform.machine() == "x86_64",
    ),
    Channel(
        "memory bandwidth and caches, on another processor",
        CLOCK,
        """
        import numpy as np
        mine = np.ones(8 << 20)

        def send(bit, end):
            while bit and now() < end:
                mine[:1 << 20] += 1

        def look(end):
            count = 0
            while now() < end:
                mine[1 << 20:2 << 20].sum()
                count += 1
            return count
        """,
        slots=(0.004, 0.02),
        bits=400,
    ),
    Channel(
        "the load of a processor that two workers share",
        CLOCK,
        """
        def send(bit, end):
            if bit:
                at(end)
            else:
                time.sleep(max(0, end - now()))

        def look(end):
            count = 0
            while now() < end:
                count += 1
            return count
        """,
        slots=(0.01, 0.04),
        numbers=(0, os.cpu_count() or 1),
        bits=150,
    ),
    Channel(
        "numbers of pipes, which count up",
        TURNS,
        """
        def send(bit):
            for _ in range(1200 * bit):
                for end_of_pipe in os.pipe():
                    os.close(end_of_pipe)

        def look(other):
            global last
            highest = 0
            for _ in range(1100):
                ends = os.pipe()
                highest = max(highest, os.fstat(ends[0]).st_ino)
                for end_of_pipe in ends:
                    os.close(end_of_pipe)
            moved, last = highest - last, highest
            return moved

        last = 0
        """,
    ),
    Channel(
        "the number of open files, in /proc",
        TURNS,
        """
        mine = []

        def send(bit):
            while len(mine) < 32 * bit:
                mine.append(os.open("/dev/null", os.O_RDONLY))
            while len(mine) > 32 * bit:
                os.close(mine.pop())

        def look(other):
            return os.stat(f"/proc/{other}/fd").st_size
        """,
        modes=("portable",),
    ),
    Channel(
        "numbers of threads, which count up",
        TURNS,
        """
        def start_one():
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()
            return thread.native_id

        def send(bit):
            for _ in range(8 * bit):
                start_one()

        def look(other):
            global last
            moved, last = start_one() - last, start_one()
            return moved

        last = 0
        """,
        modes=("portable",),
    ),
    Channel(
        "numbers of files on a shared disk",
        TURNS,
        """
        made = 0

        def make_one():
            global made
            made += 1
            file = os.open(str(made), os.O_CREAT | os.O_RDONLY)
            number = os.fstat(file).st_ino
            os.close(file)
            return number

        def send(bit):
            if bit:
                make_one()

        def look(other):
            global last
            number = make_one()
            moved, last = number - last, number
            return moved

        last = 0
        """,
        modes=("portable",),
    ),
    Channel(
        "how many threads a user may still start",
        TURNS,
        """
        threading.stack_size(64 << 10)
        events = []

        def start_one():
            event = threading.Event()
            threading.Thread(target=event.wait, daemon=True).start()
            return event

        def send(bit):
            if bit:
                try:
                    while len(events) < 400:
                        events.append(start_one())
                except RuntimeError:
                    pass
            else:
                for _ in range(min(4, len(events))):
                    events.pop().set()

        def look(other):
            try:
                start_one().set()
            except RuntimeError:
                return 1
            return 0
        """,
        modes=("portable",),
        needs=lambda: os.getuid() != 0,
    ),
)


@dataclass(frozen=True)
class Measured:
    """What came across: the share of wrong bits, and the bits per second that remain after correcting them."""

    bits: int
    seconds: float
    errors: float

    @property
    def rate(self) -> float:
        """Bits per second, errors taken off; none if as many errors may well be chance."""
        chance = 2 * math.sqrt(0.25 / (self.bits * (1 - TRAINING)))
        return 0.0 if self.errors > 0.5 - chance else self.bits / self.seconds * capacity(self.errors)


def capacity(errors: float) -> float:
    """Bits that one use of a binary symmetric channel carries, which is wrong with this probability."""
    if errors in (0.0, 1.0):
        return 1.0
    return 1 + errors * math.log2(errors) + (1 - errors) * math.log2(1 - errors)


def wrong(bits: Sequence[int], seen: Sequence[float]) -> float:
    """The share of errors if the receiver decides as would have been best for the first bits; at most one half."""
    known = int(len(bits) * TRAINING)
    training, message = (list(zip(bits[part], seen[part], strict=True)) for part in (slice(known), slice(known, None)))

    def errors(pairs: list[tuple[int, float]], threshold: float, one_is_more: bool) -> int:
        return sum(bit != ((value > threshold) == one_is_more) for bit, value in pairs)

    rules = [(threshold, one_is_more) for threshold in sorted(set(seen[:known])) for one_is_more in (True, False)]
    best = min(rules, key=lambda rule: errors(training, *rule))
    return min(0.5, errors(message, *best) / len(message))


def ask(process: Process, source: str, seconds: float = 60.0) -> Any:
    """The value of the name `answer` after a cell, which must not fail."""
    reply = process.ask({"do": "cell", "id": "cell", "source": source}, seconds)
    if reply["error"] is not None:
        raise GraderError(f"a cell failed: {reply['error']}")
    return process.ask({"do": "get", "name": "answer"}, seconds)["value"]


@contextmanager
def worker(zygote: Zygote, number: int) -> Iterator[Process]:
    """A student's process as a worker gets it: with its own user, if there are several, and its processor."""
    ours, theirs = control_sockets()
    zygote.fork(theirs, number)
    theirs.close()
    copy = Spawner(ours, zygote.mode, limits=zygote.limits, figures=False)
    process = copy.spawn()
    try:
        ask(process, "answer = 0")  # once it answers, it is in its own session
        prefer(zygote)
        yield process
    finally:
        if process.alive:
            process.end()
        copy.close()


def measure(channel: Channel, zygote: Zygote, folder: Path, rng: random.Random) -> Measured:
    """What came across; the best, where there are several lengths of a slot to try."""
    if channel.kind == LASTING:
        return measure_what_lasts(channel, zygote, folder, rng)
    if channel.kind == TURNS:
        return measure_in_turns(channel, zygote, rng)
    return max((measure_by_the_clock(channel, zygote, slot, rng) for slot in channel.slots), key=lambda one: one.rate)


def measure_what_lasts(channel: Channel, zygote: Zygote, folder: Path, rng: random.Random) -> Measured:
    """One side does everything and ends; then the other is started, and looks."""
    bits = [rng.randrange(2) for _ in range(channel.bits)]
    known = f"folder, spacing, secret = {str(folder)!r}, {SPACING}, {secrets.token_hex(8)!r}\n"
    code = PRELUDE + known + textwrap.dedent(channel.code)
    timed = "began = now()\n{}\nanswer = [now() - began, seen]"
    with worker(zygote, channel.numbers[0]) as sender:
        sending = f"seen = [send(number, bit) for number, bit in enumerate({bits})]"
        sent, _ = ask(sender, code + timed.format(sending))
    with worker(zygote, channel.numbers[1]) as receiver:
        looking = f"seen = [look(number) for number in range({len(bits)})]"
        received, seen = ask(receiver, code + timed.format(looking))
    return Measured(len(bits), sent + received, wrong(bits, seen))


def measure_in_turns(channel: Channel, zygote: Zygote, rng: random.Random) -> Measured:
    """One does something and is done with it before the other looks."""
    bits = [rng.randrange(2) for _ in range(channel.bits)]
    code, spent, seen = PRELUDE + textwrap.dedent(channel.code), 0.0, []
    with worker(zygote, channel.numbers[0]) as sender, worker(zygote, channel.numbers[1]) as receiver:
        pid = ask(sender, code + "answer = os.getpid()")
        ask(receiver, code + f"answer = look({pid})")
        for bit in bits:
            spent += ask(sender, f"answer = timed(send, {bit})")[0]
            seconds, value = ask(receiver, f"answer = timed(look, {pid})")
            spent += seconds
            seen.append(value)
    return Measured(len(bits), spent, wrong(bits, seen))


def prefer(zygote: Zygote) -> None:
    """Let all that a zygote has started go before other sessions, each of which gets an equal share otherwise."""
    for process in psutil.Process(zygote.pid).children(recursive=True):
        with contextlib.suppress(OSError):  # only root may, and not every kernel groups by session
            Path(f"/proc/{process.pid}/autogroup").write_text("-20")


def measure_by_the_clock(channel: Channel, zygote: Zygote, slot: float, rng: random.Random) -> Measured:
    """Both work at the same time."""
    count = max(120, min(channel.bits, int(2 / slot)))
    bits = [rng.randrange(2) for _ in range(count)]
    code = PRELUDE + textwrap.dedent(channel.code) + "answer = 0"
    with worker(zygote, channel.numbers[0]) as sender, worker(zygote, channel.numbers[1]) as receiver:
        for process in (sender, receiver):
            ask(process, code)
        begin = time.monotonic() + 0.2
        with ThreadPoolExecutor(2) as pool:
            sending = pool.submit(ask, sender, f"send_all({bits}, {begin}, {slot})\nanswer = now() - {begin}")
            looking = f"answer = receive_all({count}, {begin}, {slot}, {channel.phase})"
            seen = pool.submit(ask, receiver, looking).result()
            took = max(sending.result(), count * slot)
    return Measured(count, took, wrong(bits, seen))


@contextmanager
def data() -> Iterator[Path]:
    """A folder of data with files that have not been read for long, and are not in memory."""
    with tempfile.TemporaryDirectory(prefix="channels-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def chill(folder: Path) -> None:
    """Put files into a folder, none of whose pages is in memory and whose times are old."""
    cold = folder / "cold"
    with cold.open("wb") as file:
        for _ in range(COLD_FILES):
            file.write(os.urandom(SPACING))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    for number in range(COLD_FILES):
        path = folder / str(number)
        path.write_bytes(b"x")
        os.utime(path, (10**9, 10**9))


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mode", choices=MODES, help="measure one kind of isolation only")
    parser.add_argument("--only", default="", help="only channels whose name contains this")
    options = parser.parse_args()
    course, rng, limits = Course.default(), random.Random(0), Limits()
    if os.getuid() == 0:
        os.nice(-20)  # against what runs in the same session
    user = "root" if os.getuid() == 0 else "an ordinary user"
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, Linux {platform.release()}, as {user}\n")
    print("| isolation | channel | at the same time | errors | bits per second |\n|---|---|---|---|---|")
    for mode in (options.mode,) if options.mode else MODES:
        with ExitStack() as stack:
            folder = stack.enter_context(data())
            try:
                zygote = Zygote(mode, checks=course.checks, data=folder, limits=limits)
            except GraderError as error:
                print(f"{mode}: {error}", file=sys.stderr)
                continue
            stack.callback(zygote.close)
            for channel in CHANNELS:
                if options.only not in channel.name or mode not in channel.modes or not channel.needs():
                    continue
                chill(folder)
                try:
                    found = measure(channel, zygote, folder, rng)
                except (GraderError, ProcessGone) as error:
                    print(f"{mode}, {channel.name}: {error}", file=sys.stderr)
                    continue
                print(
                    f"| {mode} | {channel.name} | {channel.kind} | {found.errors:.1%} | {found.rate:,.0f} |", flush=True
                )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
