"""Typed values as JSON and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.course import codec
from autograder.course.codec import CodecError
from autograder.course.limits import Limits
from autograder.course.model import Verdict


@dataclass(frozen=True)
class Box:
    """One value of each kind that modules pass on."""

    place: Path
    limits: Limits
    verdict: Verdict
    content: bytes | None = None
    names: tuple[str, ...] = ()


BOX = Box(Path("a/b"), Limits(cells=7), Verdict.TIMED_OUT, b"\x00\xff", ("x", "y"))


def test_a_value_survives_the_way_through_json() -> None:
    assert codec.decode(codec.encode(BOX), Box) == BOX


def test_a_value_survives_the_way_through_plain_data() -> None:
    plain = codec.to_plain(BOX)
    assert plain["place"] == "a/b" and plain["verdict"] == "timed out"
    assert codec.from_plain(plain, Box) == BOX


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"verdict": "brilliant"}, r"verdict"),
        ({"limits": {"cells": "many"}}, r"Expected `int`, got `str` - at `\$\.limits\.cells`"),
        ({"names": "x"}, r"at `\$\.names`"),
        ({"place": 3}, r"at `\$\.place`"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(change: dict[str, object], told: str) -> None:
    with pytest.raises(CodecError, match=told):
        codec.from_plain({**codec.to_plain(BOX), **change}, Box)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[1]", b"NaN", b"[" * 100_000])
def test_what_is_not_json_of_the_type_is_an_error_and_nothing_worse(data: bytes) -> None:
    with pytest.raises(CodecError):
        codec.decode(data, Box)


def test_what_has_no_form_in_json_is_not_written() -> None:
    with pytest.raises(TypeError, match="a complex cannot be written as JSON"):
        codec.encode({"value": 1j})
