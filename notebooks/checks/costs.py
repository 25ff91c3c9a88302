"""What a check costs when it fails, by its kind: the same scale for visible and hidden checks of all exercises."""

from __future__ import annotations

from collections.abc import Iterable

PLAIN, SIZES, EDGE, REFUSAL = "plain numbers", "other sizes and shapes", "edge case", "refusal"
STABILITY, SPEED, SIDE_EFFECT, TYPE = "stability", "speed", "side effect", "type"

# Percent of an exercise's points, for all checks of that kind together; the plain numbers are worth the rest.
PRICES = {SIZES: 15, EDGE: 10, REFUSAL: 10, STABILITY: 20, SPEED: 10, SIDE_EFFECT: 5, TYPE: 5}
STRESSED = 30  # percent, for all checks of what the task stresses in words


def in_words(kind: str, *, stressed: bool = False) -> str:
    """What a check of this kind costs when it fails, for somebody who reads beside it what is at stake."""
    if kind == PLAIN and not stressed:  # the gate asks for these, too: who gets them wrong most likely fails there
        return f"up to 100 % of the points ({PLAIN}: without them nothing else counts)"
    return at_stake([(kind, stressed)])


def at_stake(failed: Iterable[tuple[str, bool]]) -> str:
    """What checks that fail cost together, in few words; each is given by its kind and whether the task stresses it."""
    failed = list(dict.fromkeys(failed))
    if (PLAIN, False) in failed:
        return f"up to 100 % of the points ({PLAIN})"
    others = [kind for kind, stressed in failed if not stressed]
    most = [kind for kind, stressed in failed if stressed]
    percent = sum(PRICES[kind] for kind in others) + (STRESSED if most else 0)
    named = [", ".join(others), f"{', '.join(most)}, which the task stresses" if most else ""]
    return f"up to {percent} % of the points ({'; '.join(filter(None, named))})"
