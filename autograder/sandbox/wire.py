"""Messages between the grader and a student process: a bounded JSON header and raw array buffers, nothing that runs.

A frame is `<header length> <number of buffers> <buffer lengths...> <header> <buffers...>`. The header holds the
message as JSON; what JSON cannot say is a one-key object (`{"t": [...]}` is a tuple). Arrays name a dtype of a
closed list, their bytes must fit their shape, and each buffer is used once, in order: a reply never takes much more
memory here than was sent. Decoding yields builtin types and plain `ndarray`s only.
"""

from __future__ import annotations

import itertools
import json
import math
import numbers
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.course.errors import WireError

MAX_HEADER = 1 << 20
MAX_BUFFERS = 1024
MAX_KEYS = 10_000
MAX_INTEGER_DIGITS = 1300
MAX_DIMENSIONS = 16
MAX_EMPTY = 1 << 20
LONG_TEXT, MAX_TEXT = 1000, 4 << 20
EXIT_FAILED, EXIT_OUT_OF_MEMORY = 70, 71  # what a student process that can no longer answer says with its exit code
_LENGTHS = struct.Struct("<II")
_DTYPES = frozenset(["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"])


class Handle:
    """An object that stays in the student's process and is known here by a number only."""

    def __init__(self, number: int, type_name: str) -> None:
        self.number = number
        self.type_name = type_name

    def __repr__(self) -> str:
        return f"<{self.type_name} in the student's process>"


class Expression:
    """Source text that the student's process evaluates into an argument."""

    def __init__(self, text: str) -> None:
        self.text = text


def encode(message: Any, *, nesting: int = 32, handles: list[Any] | None = None) -> bytes:
    """The frame of a message. Objects that are not data are kept in `handles` if given, and refused otherwise."""
    buffers: list[bytes] = []

    def buffer(data: bytes) -> int:
        buffers.append(data)
        return len(buffers) - 1

    def plain(value: Any, depth: int) -> Any:
        if depth > nesting:
            raise WireError(f"lists are nested more than {nesting} deep")
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            if len(value) > MAX_TEXT:
                raise WireError(f"a text is longer than {MAX_TEXT} characters")
            return value if len(value) <= LONG_TEXT else {"u": buffer(value.encode("utf-8", "surrogatepass"))}
        if kind is float:
            return value if math.isfinite(value) else {"f": repr(value)}
        if kind is int:
            if abs(value) < 2**53:
                return value
            if value.bit_length() > MAX_INTEGER_DIGITS * 3:
                raise WireError("an integer has too many digits")
            return {"i": str(value)}
        if kind is list:
            return [plain(item, depth + 1) for item in value]
        if kind is tuple:
            return {"t": [plain(item, depth + 1) for item in value]}
        if kind is dict:
            return {"m": [[plain(k, depth + 1), plain(v, depth + 1)] for k, v in value.items()]}
        if kind is bytes:
            return {"b": buffer(value)}
        if kind is complex:
            return {"c": [plain(value.real, depth), plain(value.imag, depth)]}
        if isinstance(value, np.ndarray):
            return array(np.asarray(value), depth)
        if isinstance(value, np.generic):
            number = {"b": bool, "i": int, "u": int, "f": float, "c": complex}.get(value.dtype.kind)
            return plain(value.item() if number is None else number(value), depth + 1)
        if kind is Handle:
            return {"h": value.number, "type": value.type_name}
        if kind is Expression:
            return {"e": value.text}
        return converted(value, depth)

    def array(value: np.ndarray, depth: int) -> Any:
        if value.dtype.kind not in "biufc" or value.dtype.itemsize > 16:
            return plain(value.tolist(), depth + 1)
        little = value.astype(value.dtype.newbyteorder("<"), copy=False)
        if little.dtype.str not in _DTYPES:
            return plain(value.astype(float), depth + 1)
        return {"a": buffer(little.tobytes()), "d": little.dtype.str, "s": list(value.shape)}

    def converted(value: Any, depth: int) -> Any:
        # Only ever reached with a student's own objects, in the student's own process.
        if isinstance(value, bool | int | float | str | list | tuple | dict):
            builtins: tuple[Any, ...] = (int, float, str, list, tuple, dict)
            for builtin in builtins:
                if isinstance(value, builtin):
                    return plain(builtin(value), depth + 1)
        if isinstance(value, numbers.Real):
            return plain(float(value), depth + 1)
        if isinstance(value, range | set | frozenset):
            return plain(list(value), depth + 1)
        if handles is None:
            raise WireError(f"an object of type {type(value).__name__} is not plain data")
        handles.append(value)
        return {"h": len(handles) - 1, "type": type(value).__name__[:60]}

    try:
        header = json.dumps(plain(message, 0), separators=(",", ":"), allow_nan=False).encode()
    except RecursionError:
        raise WireError("lists are nested without end") from None
    if len(header) > MAX_HEADER or len(buffers) > MAX_BUFFERS:
        raise WireError(f"the data are too long: at most {MAX_HEADER} bytes outside arrays, {MAX_BUFFERS} arrays")
    lengths = struct.pack(f"<{len(buffers)}Q", *map(len, buffers))
    return b"".join([_LENGTHS.pack(len(header), len(buffers)), lengths, header, *buffers])


def decode(
    header: bytes | bytearray, buffers: Sequence[bytes | bytearray], *, nesting: int = 32, expressions: bool = False
) -> Any:
    """The message of a frame, in builtin types and plain arrays; WireError for everything that breaks the rules.

    Only a student's process accepts `expressions`.
    """
    used = itertools.count()

    def buffer(at: int) -> bytes | bytearray:
        if at != next(used):
            raise WireError("buffers are used once, in order")
        return buffers[at]

    def value(item: Any, depth: int) -> Any:
        if depth > 2 * nesting:
            raise WireError("too deep")
        if type(item) is list:
            return [value(part, depth + 1) for part in item]
        if type(item) is str:
            return item if item.isascii() else _whole_characters(item)
        if type(item) is not dict:
            if type(item) is int and not -(2**53) < item < 2**53:
                raise WireError("integer out of range")
            return item
        return tagged(item, depth)

    def tagged(item: dict[str, Any], depth: int) -> Any:
        match item:
            case {"a": int(at), "d": str(dtype), "s": list(shape)} if len(item) == 3:
                return array(at, dtype, shape)
            case {"t": list(parts)} if len(item) == 1:
                return tuple(value(part, depth + 1) for part in parts)
            case {"m": list(pairs)} if len(item) == 1 and len(pairs) <= MAX_KEYS:
                return {key(k): value(v, depth + 1) for k, v in pairs}
            case {"f": "nan" | "inf" | "-inf" as word} if len(item) == 1:
                return float(word)
            case {"i": str(digits)} if len(item) == 1 and len(digits) <= MAX_INTEGER_DIGITS:
                return int(digits)
            case {"c": [real, imaginary]} if len(item) == 1:
                return complex(number(real), number(imaginary))
            case {"b": int(at)} if len(item) == 1:
                return bytes(buffer(at))
            case {"u": int(at)} if len(item) == 1:
                return text(buffer(at))
            case {"h": int(handle), "type": str(name)} if len(item) == 2 and 0 <= handle < 2**31:
                return Handle(handle, _whole_characters(name[:60]))
            case {"e": str(source)} if len(item) == 1 and expressions:
                return Expression(source)
        raise WireError("unknown tag")

    def text(data: bytes | bytearray) -> str:
        if len(data) > 4 * MAX_TEXT:
            raise WireError("a text is too long")
        return data.decode("utf-8", "replace")

    def number(item: Any) -> float:
        decoded = value(item, 0)
        if type(decoded) not in (int, float):
            raise WireError("not a number")
        return float(decoded)

    def key(item: Any) -> Any:
        decoded = value(item, 0)
        if type(decoded) in (str, bool, float) or decoded is None:
            return decoded
        if type(decoded) is int and -(2**63) <= decoded < 2**63:
            return decoded
        raise WireError("a key must be text or a number")

    def array(at: int, dtype: str, shape: list[Any]) -> np.ndarray:
        if dtype not in _DTYPES or len(shape) > MAX_DIMENSIONS:
            raise WireError("not an array of numbers")
        if any(type(side) is not int or side < 0 for side in shape):
            raise WireError("not a shape")
        data, kind = buffer(at), np.dtype(dtype)
        if math.prod(shape) * kind.itemsize != len(data):
            raise WireError("the shape does not fit the bytes")
        if 0 in shape and math.prod(side for side in shape if side) > MAX_EMPTY:
            # The sum along the empty side would not be small.
            raise WireError("an empty array has sides that are too long")
        writable = data if type(data) is bytearray else bytearray(data)
        return np.frombuffer(writable, kind).reshape(shape)

    try:
        return value(json.loads(header), 0)
    except WireError:
        raise
    except (ValueError, TypeError, IndexError, KeyError, RecursionError, OverflowError) as error:
        raise WireError(f"malformed message ({type(error).__name__})") from None


def parse(frame: bytes, *, expressions: bool = False) -> Any:
    """The message of a whole frame."""
    header_length, count = _LENGTHS.unpack_from(frame)
    lengths = struct.unpack_from(f"<{count}Q", frame, _LENGTHS.size)
    ends = list(itertools.accumulate([header_length, *lengths], initial=_LENGTHS.size + 8 * count))
    header, *buffers = (frame[start:end] for start, end in itertools.pairwise(ends))
    return decode(header, buffers, expressions=expressions)


def _whole_characters(text: str) -> str:
    """The text with � for every half of a character, which no file could hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def send(channel: socket.socket, frame: bytes, deadline: float | None = None) -> None:
    """Send a frame; TimeoutError when the other side does not take it before the deadline (monotonic clock)."""
    channel.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))
    channel.sendall(frame)


def receive(
    channel: socket.socket,
    *,
    limit: int,
    nesting: int = 32,
    expressions: bool = False,
    deadline: float | None = None,
    tick: Callable[[], None] | None = None,
) -> Any:
    """The next message. EOFError when the other side is gone, TimeoutError after the deadline.

    `tick`, if given, is called about four times a second while waiting, and may raise.
    """
    channel.setblocking(deadline is None)
    sizes = _read(channel, _LENGTHS.size, deadline, tick)
    header_length, count = _LENGTHS.unpack(sizes)
    if header_length > MAX_HEADER or count > MAX_BUFFERS:
        raise WireError("the header is too long")
    lengths = struct.unpack(f"<{count}Q", _read(channel, 8 * count, deadline, tick))
    if sum(lengths) > limit:
        raise WireError(f"the reply is larger than {limit} bytes")
    header = _read(channel, header_length, deadline, tick)
    buffers = [_read(channel, length, deadline, tick) for length in lengths]
    return decode(header, buffers, nesting=nesting, expressions=expressions)


def _read(channel: socket.socket, size: int, deadline: float | None, tick: Callable[[], None] | None) -> bytearray:
    data = bytearray()
    while len(data) < size:
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeoutError
        try:
            part = channel.recv(min(size - len(data), 1 << 18))
        except BlockingIOError:
            assert deadline is not None  # without one the channel blocks
            _wait(channel, deadline, tick)
            continue
        if not part:
            raise EOFError("the other side closed the connection")
        data += part
    return data


def _wait(channel: socket.socket, deadline: float, tick: Callable[[], None] | None) -> None:
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if poll.poll(1000 * (left if tick is None else min(left, 0.25))):
            return
        if tick is not None:
            tick()
