"""What each kind of check costs: one scale for all exercises, visible checks included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a check asks for."""

    PLAIN = "plain numbers"
    SIZES = "other sizes and shapes"
    EDGE = "edge case"
    REFUSAL = "refusal"
    STABILITY = "stability"
    SPEED = "speed"
    SIDE_EFFECT = "side effect"
    TYPE = "type"


# Percent of an exercise's points, for all checks of that kind together; what is left is for the plain numbers.
PRICES = {
    Kind.SIZES: 15,
    Kind.EDGE: 10,
    Kind.REFUSAL: 10,
    Kind.STABILITY: 20,
    Kind.SPEED: 10,
    Kind.SIDE_EFFECT: 5,
    Kind.TYPE: 5,
}
STRESSED = 30
"""Percent for all checks of what a task stresses in words, whatever their kind."""
LEAST = 30
"""Percent that the plain numbers keep at least: an exercise that asks for so much that less is left is refused."""


@dataclass(frozen=True)
class Place:
    """A check's place in the marks of its exercise."""

    kind: Kind = Kind.PLAIN
    gate: bool = False
    stressed: bool = False


def shares(places: Sequence[Place]) -> list[float]:
    """The share of an exercise's points that each of its checks is worth; together they are 1.

    The checks of a kind share its price evenly. What no price is set for is earned by plain numbers: half of it by the
    gate, the other half by the other plain checks.
    """
    groups = [_group(place) for place in places]
    sizes = Counter(groups)
    prices: dict[str, float] = {group: _price(group) for group in sizes if group not in _REST}
    rest = 100 - sum(prices.values())
    if not any(group in sizes for group in _REST):
        prices = {group: price * 100 / (100 - rest) for group, price in prices.items()}
    elif len(_REST & sizes.keys()) == 2:
        prices |= dict.fromkeys(_REST, rest / 2)
    else:
        prices |= dict.fromkeys(_REST, rest)
    return [prices[group] / sizes[group] / 100 for group in groups]


def plain_percent(places: Sequence[Place]) -> int:
    """The percent of an exercise's points that its plain numbers are worth."""
    return 100 - sum(_price(group) for group in {_group(place) for place in places} - _REST)


_GATE, _PLAIN, _STRESSED = "gate", "plain", "stressed"
_REST = frozenset({_GATE, _PLAIN})


def _group(place: Place) -> str:
    """The name of the checks that a check shares a price with."""
    if place.gate:
        return _GATE
    if place.stressed:
        return _STRESSED
    return _PLAIN if place.kind is Kind.PLAIN else place.kind.value


def _price(group: str) -> int:
    return STRESSED if group == _STRESSED else PRICES[Kind(group)]
