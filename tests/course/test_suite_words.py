"""What a suite is written with refuses what would cost students marks unfairly."""

from __future__ import annotations

import pytest

from autograder.course.errors import SuiteError
from autograder.course.kinds import Kind
from autograder.course.suite import assert_matches, assert_type, exercise


@pytest.mark.parametrize("how", [{"kind": Kind.EDGE}, {"stressed": True}])
def test_a_gate_that_asks_for_more_than_plain_numbers_is_refused(how: dict[str, object]) -> None:
    with pytest.raises(SuiteError, match="only plain numbers may cost the whole exercise"):
        exercise("posterior", gate=True, **how)  # type: ignore[arg-type]


def test_numbers_that_look_alike_are_said_to_differ_in_precision() -> None:
    with pytest.raises(AssertionError, match="precision: they differ by a factor of up to"):
        assert_matches(1.00001, 1.0)


def test_types_are_asked_for_apart_from_numbers() -> None:
    assert_matches([True, False], [1.0, 0.0])
    with pytest.raises(AssertionError, match="bool instead of floating-point numbers"):
        assert_type([True, False], "f")
