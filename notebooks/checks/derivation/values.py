"""Computes lines at many random points: two of them are taken for equal if they agree at all of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from checks.derivation.reading import Tree


def points(seed: int = 0, count: int = 200) -> dict[str, np.ndarray]:
    """Random values for the symbols: labels 0 and 1, probabilities away from 0 and 1, features of both signs.

    1/p, 1/q and "any y" are there for a look at the structure: values that have nothing to do with p, or with labels.
    """
    rng = np.random.default_rng(seed)
    return {
        "y": rng.permutation(np.arange(count) % 2).astype(float),
        "p": rng.uniform(0.05, 0.95, count),
        "x": rng.uniform(0.3, 3, count) * rng.choice([-1, 1], count),
        "1/p": rng.uniform(2, 5, count),
        "1/q": rng.uniform(-5, -2, count),
        "any y": rng.uniform(-2, 2, count),
    }


def derivative(at: dict[str, np.ndarray]) -> np.ndarray:
    """The derivative of the log-likelihood by the weight, at the points: the result that the last line states."""
    return np.asarray((at["y"] - at["p"]) * at["x"])


def value(tree: Tree, at: dict[str, np.ndarray]) -> np.ndarray:
    """The value of a line at the points; inf or nan where it has none."""
    with np.errstate(all="ignore"):
        return np.asarray(_value(tree, at, marked=False) + np.zeros_like(at["y"]))


def marked_value(tree: Tree, at: dict[str, np.ndarray]) -> np.ndarray:
    """The value of a line in which any numbers stand for one over p and for one over 1 - p."""
    with np.errstate(all="ignore"):
        return np.asarray(_value(tree, at, marked=True) + np.zeros_like(at["y"]))


def is_derivative(tree: Tree, seed: int = 0) -> bool:
    """Whether a line equals the derivative at random points."""
    at = points(seed)
    return agree(value(tree, at), derivative(at))


def agree(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two lines have the same values, but for rounding."""
    return bool(np.isfinite(one).all() and np.isclose(one, other, rtol=1e-9, atol=1e-9).all())


def _value(tree: Tree, at: dict[str, np.ndarray], *, marked: bool) -> Any:
    """The value of a tree. `marked` computes with free values for one over p and for one over 1 - p."""
    kind, *parts = tree
    if kind == "number":
        return np.float64(parts[0])
    if kind == "symbol":
        return at[parts[0]]
    if kind == "minus":
        return -_value(parts[0], at, marked=marked)
    if kind == "**":
        base, exponent = parts
        inner = _value(base, at, marked=marked) if exponent >= 0 else _one_over(base, at, marked=marked)
        return inner ** abs(exponent)
    left = _value(parts[0], at, marked=marked)
    if kind == "/":
        return left * _one_over(parts[1], at, marked=marked)
    right = _value(parts[1], at, marked=marked)
    return left + right if kind == "+" else left - right if kind == "-" else left * right


def _one_over(tree: Tree, at: dict[str, np.ndarray], *, marked: bool) -> Any:
    if not marked:
        return np.float64(1) / _value(tree, at, marked=False)
    plain = value(tree, at)
    for denominator, free in ((at["p"], at["1/p"]), (1 - at["p"], at["1/q"])):
        for sign in (1, -1):
            if agree(plain, sign * denominator):
                return sign * free
    kind, *parts = tree
    if kind == "*":
        return _one_over(parts[0], at, marked=True) * _one_over(parts[1], at, marked=True)
    if kind == "minus":
        return -_one_over(parts[0], at, marked=True)
    return np.float64(1) / _value(tree, at, marked=True)
