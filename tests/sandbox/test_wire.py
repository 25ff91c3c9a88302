"""The wire: data arrive as they were sent, and nothing that breaks the rules gets through, costs much, or runs."""

from __future__ import annotations

import contextlib
import json
import math
import random
import socket
import struct
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from autograder.course.errors import WireError
from autograder.sandbox import wire

LIMIT = 1 << 20
PATIENT = 300.0  # seconds until a test gives up on something that should happen at once


def passed_on(message: Any, **options: Any) -> Any:
    """The message after a trip through a socket."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender = threading.Thread(target=wire.send, args=(theirs, wire.encode(message)))
        sender.start()
        received = wire.receive(ours, limit=LIMIT, deadline=time.monotonic() + PATIENT, **options)
        sender.join()
    return received


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        alike = type(other) is np.ndarray and one.dtype == other.dtype and one.shape == other.shape
        return alike and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return type(other) is dict and same(list(one), list(other)) and same(list(one.values()), list(other.values()))
    if isinstance(one, float | complex):
        return type(other) is type(one) and repr(other) == repr(one)
    return type(one) is type(other) and one == other


def is_plain(value: Any) -> bool:
    """Whether there is nothing in a value but builtin types and plain arrays (and names of things elsewhere)."""
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    if type(value) is np.ndarray:
        return value.dtype.kind in "biufc" and value.flags.writeable
    return value is None or type(value) in (bool, int, float, complex, str, bytes, wire.Handle)


# --- What is sent arrives ---------------------------------------------------------------------------------------------

VALUES = [
    None,
    True,
    0,
    -1,
    2**53 - 1,
    2**53,
    -(2**63),
    10**300,
    0.1,
    -0.0,
    5e-324,
    math.inf,
    -math.inf,
    math.nan,
    1j,
    complex(math.nan, -math.inf),
    "",
    "αβγ \N{PILE OF POO} \x00 \n",
    "long " * 1000,
    "ä" * 100_000,
    b"",
    bytes(range(256)),
    [],
    (),
    {},
    [1, [2.5, ["x", None]]],
    (1, (2,)),
    {"a": {"b": [1, 2]}, 3: "c", 2.5: None, None: True, False: 0},
    [b"x", np.arange(3), "y" * 2000, np.array([]), b"z"],
]
ARRAYS = [
    *(
        np.array([0, 1, 1], dtype=kind)
        for kind in ["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]
    ),
    np.array([[1.5, np.nan], [np.inf, -0.0]]),
    np.array(3.5),
    np.empty((0, 3)),
    np.zeros((2, 0, 4), dtype=bool),
    np.arange(24.0).reshape(2, 3, 4),
]


@pytest.mark.parametrize("value", [*VALUES, *ARRAYS], ids=lambda value: repr(value)[:30])
def test_data_arrive_as_they_were_sent(value: Any) -> None:
    assert same(value, passed_on(value))


def test_arrays_arrive_in_one_order_whatever_their_layout() -> None:
    grid = np.arange(12.0).reshape(3, 4)
    for layout in (
        grid.T,
        grid[::-1, ::2],
        np.asfortranarray(grid),
        grid.astype(">f8"),
        np.broadcast_to(grid[0], (5, 4)),
    ):
        received = passed_on(layout)
        assert np.array_equal(received, layout) and received.dtype == np.dtype("<f8")


def test_numbers_of_numpy_arrive_as_numbers() -> None:
    assert passed_on([np.float64(0.5), np.int32(7), np.bool_(True), np.complex64(1j)]) == [0.5, 7, True, 1j]
    assert [type(item) for item in passed_on([np.float32(0.5), np.uint8(7), np.bool_(True)])] == [float, int, bool]


def test_what_is_like_data_arrives_as_data() -> None:
    class Number(float):
        pass

    class Text(str):
        pass

    class Row(list[Any]):
        pass

    class Grid(np.ndarray):
        pass

    sent = [Number(1.5), Text("x"), Row([1]), np.ones(2).view(Grid), range(3), {4}, Fraction(1, 2), np.float128(0.5)]
    received = passed_on(sent)
    assert is_plain(received)
    assert same(received, [1.5, "x", [1], np.ones(2), [0, 1, 2], [4], 0.5, 0.5])


def test_objects_stay_where_they_are() -> None:
    kept: list[Any] = []
    frame = wire.encode([print, object()], handles=kept)
    header_length, _ = struct.unpack_from("<II", frame)
    received = wire.decode(frame[8 : 8 + header_length], [])
    assert [handle.number for handle in received] == [0, 1] and kept[0] is print
    with pytest.raises(WireError, match="not plain data"):
        wire.encode(print)


def test_received_arrays_can_be_changed_and_share_nothing() -> None:
    sent = np.zeros(3)
    received = passed_on(sent)
    received += 1
    assert sent.sum() == 0


# --- What cannot be sent ----------------------------------------------------------------------------------------------


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def looped() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (nested(40), "nested more than 32"),
        (looped(), "nested more than 32"),
        (10**5000, "digits"),
        ("x" * 5_000_000, "longer than"),
        (["x"] * 400_000, "too long"),
        ([b""] * 2000, "too long"),
    ],
    ids=["deep", "endless", "integer", "text", "header", "buffers"],
)
def test_what_is_too_much_is_refused_where_it_is_sent(value: Any, reason: str) -> None:
    with pytest.raises(WireError, match=reason):
        wire.encode(value)


# --- What must not be accepted ----------------------------------------------------------------------------------------

ONE, TWO = bytes(8), bytes(16)
BROKEN: dict[str, tuple[Any, list[bytes]]] = {
    "unknown tag": ({"x": 1}, []),
    "no tag": ({}, []),
    "two tags": ({"t": [], "f": "nan"}, []),
    "expression in a reply": ({"e": "__import__('os').system('true')"}, []),
    "object array": ({"a": 0, "d": "|O", "s": [1]}, [ONE]),
    "void array": ({"a": 0, "d": "|V0", "s": [2**62]}, [b""]),
    "text array": ({"a": 0, "d": "<U2", "s": [1]}, [ONE]),
    "structured array": ({"a": 0, "d": "<f8,<f8", "s": [1]}, [TWO]),
    "big-endian array": ({"a": 0, "d": ">f8", "s": [1]}, [ONE]),
    "shape larger than the bytes": ({"a": 0, "d": "<f8", "s": [2]}, [ONE]),
    "shape smaller than the bytes": ({"a": 0, "d": "<f8", "s": [1]}, [TWO]),
    "shape without end": ({"a": 0, "d": "<f8", "s": [2**61]}, [ONE]),
    "shape that overflows": ({"a": 0, "d": "<f8", "s": [2**32, 2**32, 2]}, [b""]),
    "negative side": ({"a": 0, "d": "<f8", "s": [-1]}, [ONE]),
    "two negative sides": ({"a": 0, "d": "<f8", "s": [-1, -1]}, [ONE]),
    "side that is no number": ({"a": 0, "d": "<f8", "s": ["1"]}, [ONE]),
    "side that is true": ({"a": 0, "d": "<f8", "s": [True]}, [ONE]),
    "side that is a fraction": ({"a": 0, "d": "<f8", "s": [1.0]}, [ONE]),
    "empty along a side of a billion": ({"a": 0, "d": "<f8", "s": [0, 10**9]}, [b""]),
    "too many dimensions": ({"a": 0, "d": "<f8", "s": [1] * 65}, [ONE]),
    "buffer that is not there": ({"a": 1, "d": "<f8", "s": [1]}, [ONE]),
    "buffer before the first": ({"a": -1, "d": "<f8", "s": [1]}, [ONE]),
    "buffer used twice": ([{"a": 0, "d": "<f8", "s": [1]}] * 2, [ONE]),
    "bytes used twice": ([{"b": 0}] * 2, [ONE]),
    "buffers out of order": ([{"b": 1}, {"b": 0}], [ONE, ONE]),
    "number with a shape": ({"g": {"a": 0, "d": "<f8", "s": [1]}}, [ONE]),
    "float that is no float": ({"f": "1e5"}, []),
    "integer that is no integer": ({"i": "0x10"}, []),
    "integer with too many digits": ({"i": "9" * 5000}, []),
    "integer out of range": (2**53, []),
    "complex of text": ({"c": ["a", "b"]}, []),
    "complex of three": ({"c": [1, 2, 3]}, []),
    "key that is a list": ({"m": [[[1], 2]]}, []),
    "key that is an array": ({"m": [[{"a": 0, "d": "<f8", "s": [1]}, 2]]}, [ONE]),
    "key that is a tuple of tuples": ({"m": [[{"t": [{"t": []}]}, 2]]}, []),
    "pair of three": ({"m": [[1, 2, 3]]}, []),
    "pair of one": ({"m": [[1]]}, []),
    "pair that is a number": ({"m": [1]}, []),
    "too many keys": ({"m": [[number, 0] for number in range(20_000)]}, []),
    "table that is no list": ({"m": {"a": 1}}, []),
    "tuple that is no list": ({"t": 5}, []),
    "too deep": (nested(100), []),
    "negative handle": ({"h": -1, "type": "x"}, []),
    "handle without end": ({"h": 10**100, "type": "x"}, []),
    "handle without a type": ({"h": 1}, []),
    "text that is not there": ({"u": 0}, []),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_message_that_breaks_the_rules_is_refused(name: str) -> None:
    message, buffers = BROKEN[name]
    with pytest.raises(WireError):
        wire.decode(json.dumps(message).encode(), buffers)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{",
        b"nul",
        b'"\\ud8',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"t":' * 50_000,
        b"9" * 100_000,
        b"\x00" * 100,
        b"[1] [2]",
        b'{"a":1,"a":2}',
    ],
    ids=lambda header: repr(header[:12]),
)
def test_a_header_that_is_no_message_is_refused(header: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode(header, [])


def test_half_a_character_becomes_a_sign_that_a_file_can_hold() -> None:
    for text in ("\ud800", "a\udfffb", "\ud800" * 2000):
        received = passed_on([text, {text: 1}])
        json.dumps(received[0], ensure_ascii=False).encode()
        assert all(key.encode() for key in received[1])
    assert passed_on("\ud83d\ude00") == "\N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (struct.pack("<II", 1 << 31, 0), "header is too long"),
        (struct.pack("<II", 10, 1 << 31), "header is too long"),
        (struct.pack("<IIQ", 10, 1, 1 << 63), "larger than"),
        (struct.pack("<II2Q", 10, 2, LIMIT - 1, 2), "larger than"),
        (struct.pack("<II", 5, 0) + b"[1,2,", "malformed"),
    ],
    ids=["header", "buffers", "length", "sum", "half"],
)
def test_a_frame_that_announces_too_much_is_refused_at_once(frame: bytes, reason: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(frame)
        with pytest.raises(WireError, match=reason):  # waiting for more would end in a TimeoutError
            wire.receive(ours, limit=LIMIT, deadline=time.monotonic() + PATIENT)


@pytest.mark.parametrize("length", range(0, 30, 3))
def test_a_frame_that_breaks_off_is_an_end(length: int) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(wire.encode({"a": np.arange(3)})[:length])
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(EOFError):
            wire.receive(ours, limit=LIMIT, deadline=time.monotonic() + PATIENT)


def test_a_frame_that_trickles_ends_with_its_time() -> None:
    ours, theirs = socket.socketpair()
    stopped = threading.Event()

    def trickle() -> None:
        theirs.sendall(struct.pack("<II", 1000, 0))
        for _ in range(999):  # never all of it
            theirs.send(b" ")
            if stopped.wait(0.01):
                break

    thread = threading.Thread(target=trickle)
    with ours, theirs:
        thread.start()
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            wire.receive(ours, limit=LIMIT, deadline=started + 0.3)
        assert time.monotonic() >= started + 0.3
        stopped.set()
        thread.join()


def test_someone_who_does_not_listen_ends_with_their_time() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(TimeoutError):
        wire.send(ours, bytes(10_000_000), time.monotonic() + 0.2)


def test_the_wait_is_interrupted_now_and_then() -> None:
    class Enough(Exception):
        pass

    def tick() -> None:
        raise Enough

    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(Enough):
        wire.receive(ours, limit=LIMIT, deadline=time.monotonic() + PATIENT, tick=tick)


# --- What a message may cost ------------------------------------------------------------------------------------------

COSTLY = {
    "one buffer, many times": json.dumps([{"a": 0, "d": "|u1", "s": [LIMIT]}] * 20_000).encode(),
    "many empty lists": b"[" + b"[]," * 300_000 + b"[]]",
    "many tables": b"[" + b'{"m":[]},' * 100_000 + b'{"m":[]}]',
    "many texts": b"[" + b'"",' * 300_000 + b'""]',
    "keys that collide": json.dumps(
        [{"m": [[{"i": str(n << 48)}, 0] for n in range(1, 9_000)]} for _ in range(3)]
    ).encode(),
    "floats that collide": json.dumps(
        {"m": [[m * 2.0 ** (61 * e), 0] for m in range(1, 300) for e in range(-16, 16)]}
    ).encode(),
    "escapes": b'["' + b"\\u00e4" * 170_000 + b'"]',
    "halves of characters": b"[" + b'"\\ud800",' * 100_000 + b"1]",
    "deep and wide": b"[" * 60 + b"1," * 400_000 + b"1" + b"]" * 60,
}


@pytest.mark.parametrize("name", COSTLY)
def test_no_message_costs_much_more_than_it_weighs(name: str) -> None:
    header = COSTLY[name]
    assert len(header) <= wire.MAX_HEADER
    assert calls(lambda: decode_or_refuse(header)) < len(header)
    tracemalloc.start()
    try:
        decode_or_refuse(header)
        assert tracemalloc.get_traced_memory()[1] < 150 << 20
    finally:
        tracemalloc.stop()


def test_keys_that_collide_are_too_few_to_take_long() -> None:
    keys = [[number, 0] for number in range(wire.MAX_KEYS + 1)]
    wire.decode(json.dumps({"m": keys[1:]}).encode(), [])
    with pytest.raises(WireError, match="unknown tag"):
        wire.decode(json.dumps({"m": keys}).encode(), [])


def calls(work: Callable[[], object]) -> int:
    """How many functions are called: the same on every machine, however busy it is."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def decode_or_refuse(header: bytes) -> None:
    with contextlib.suppress(WireError):
        wire.decode(header, [bytearray(LIMIT)])


# --- Whatever comes ---------------------------------------------------------------------------------------------------


def frames(generator: random.Random) -> Iterator[bytes]:
    """Frames, sound at first, then with bytes changed, cut, doubled, or made of nothing but noise."""
    sound = [wire.encode(value) for value in VALUES + ARRAYS]
    sound += [
        _frame(json.dumps(message).encode(), buffers)
        for message, buffers in BROKEN.values()
        if len(str(message)) < 1000
    ]
    for _ in range(6000):
        frame = bytearray(generator.choice([one for one in sound if len(one) < 5000]))
        for _ in range(generator.randint(1, 4)):
            at = generator.randrange(len(frame)) if frame else 0
            match generator.randrange(5):
                case 0:
                    frame[at : at + 1] = bytes([generator.randrange(256)])
                case 1:
                    del frame[at : at + generator.randint(1, 8)]
                case 2:
                    frame[at:at] = generator.choice(
                        [b'"', b"[", b"{", b"}", b"]", b",", b"-", b"1e9", b'{"t":[', b"\\u", b"\xff"]
                    )
                case 3:
                    frame += frame[at : at + 40]
                case 4:
                    frame[:8] = struct.pack("<II", generator.randrange(2 * len(frame) + 1), generator.randrange(3))
        yield bytes(frame)
    for _ in range(500):
        yield generator.randbytes(generator.randrange(200))


def _frame(header: bytes, buffers: list[bytes]) -> bytes:
    return (
        struct.pack(f"<II{len(buffers)}Q", len(header), len(buffers), *map(len, buffers)) + header + b"".join(buffers)
    )


def test_whatever_comes_is_plain_data_or_an_error() -> None:
    generator = random.Random("whatever comes")
    outcomes: dict[str, int] = {}
    for frame in frames(generator):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(frame)
            theirs.shutdown(socket.SHUT_WR)
            try:
                value = wire.receive(ours, limit=LIMIT, deadline=time.monotonic() + PATIENT)
                assert is_plain(value), frame
                outcome = "accepted"
            except (WireError, EOFError) as error:
                outcome = type(error).__name__
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    assert min(outcomes["accepted"], outcomes["WireError"], outcomes["EOFError"]) > 100, outcomes
