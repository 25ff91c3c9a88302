"""The scale of prices: all shares of an exercise are 1 together, and students read the same prices as are charged."""

from __future__ import annotations

import itertools
import sys

import pytest

from autograder.course import Course, kinds
from autograder.course.kinds import Kind, Place, plain_percent, shares

GATE = Place(gate=True)
PLACES = [GATE, *(Place(kind) for kind in Kind), Place(Kind.STABILITY, stressed=True), Place(stressed=True)]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_shares_of_an_exercise_are_one_together(size: int) -> None:
    for places in itertools.combinations_with_replacement(PLACES, size):
        found = shares(places)
        assert len(found) == size and min(found) > 0
        assert sum(found) == pytest.approx(1)


def test_all_kinds_together_leave_something_for_the_plain_numbers() -> None:
    places = [GATE, *(Place(kind) for kind in Kind)]
    assert plain_percent(places) == 100 - sum(kinds.PRICES.values()) > 0
    assert sum(shares(places)[:2]) == pytest.approx(plain_percent(places) / 100)


def test_checks_of_a_kind_share_its_price_evenly() -> None:
    found = shares([GATE, Place(Kind.EDGE), Place(Kind.EDGE), Place(Kind.SPEED)])
    assert found == pytest.approx([0.8, 0.05, 0.05, 0.1])


def test_what_a_task_stresses_has_a_price_of_its_own_whatever_its_kind() -> None:
    found = shares([GATE, Place(), Place(Kind.STABILITY, stressed=True), Place(Kind.EDGE, stressed=True)])
    assert found == pytest.approx([0.35, 0.35, 0.15, 0.15])


def test_without_plain_numbers_the_other_kinds_share_everything() -> None:
    assert shares([Place(Kind.EDGE), Place(Kind.STABILITY)]) == pytest.approx([1 / 3, 2 / 3])


def test_students_read_the_prices_that_are_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Course.default().notebooks))
    monkeypatch.delitem(sys.modules, "checks", raising=False)
    from checks import costs

    assert {kind.value: price for kind, price in kinds.PRICES.items()} == costs.PRICES
    assert kinds.STRESSED == costs.STRESSED
    named = {costs.PLAIN, costs.SIZES, costs.EDGE, costs.REFUSAL}
    assert named | {costs.STABILITY, costs.SPEED, costs.SIDE_EFFECT, costs.TYPE} == {kind.value for kind in Kind}
    assert f"{kinds.PRICES[Kind.EDGE]} %" in costs.in_words(costs.EDGE)
    assert f"{kinds.STRESSED} %" in costs.in_words(costs.EDGE, stressed=True)
