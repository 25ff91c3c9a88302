"""Typed values as JSON and back: what does not fit its type is refused, with the place where it does not.

msgspec takes the dataclasses that modules pass to each other as they are, checks every type on the way in, and needs
no other package: cattrs would want one for the JSON itself, pydantic would want classes of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class CodecError(ValueError):
    """Data that does not have the form of the type that was asked for; its text says what, and where."""


def encode(value: Any) -> bytes:
    """The value as JSON in one line; bytes stand in it as base64."""
    return _encoder.encode(value)


def decode(data: bytes | str, kind: type[T]) -> T:
    """The value of this type in JSON; CodecError where it is something else."""
    read: Callable[[Any], T] = _decoder(kind).decode
    return _checked(read, data)


def to_plain(value: Any) -> Any:
    """The value as dictionaries, lists, texts and numbers."""
    return msgspec.to_builtins(value, enc_hook=_sent)


def from_plain(data: Any, kind: type[T]) -> T:
    """The value of this type in plain data; CodecError where it is something else."""
    return _checked(lambda plain: msgspec.convert(plain, kind, dec_hook=_received), data)


def _checked(read: Callable[[Any], T], data: Any) -> T:
    try:
        return read(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CodecError("it is nested too deeply" if isinstance(error, RecursionError) else str(error)) from None


def _sent(value: Any) -> Any:
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")


def _received(kind: type, value: Any) -> Any:
    if issubclass(kind, PurePath) and isinstance(value, str):
        return kind(value)
    raise ValueError(f"a {kind.__name__} cannot be read from JSON")


def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    if kind not in _decoders:
        _decoders[kind] = msgspec.json.Decoder(kind, dec_hook=_received)
    return _decoders[kind]


_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_encoder = msgspec.json.Encoder(enc_hook=_sent)
