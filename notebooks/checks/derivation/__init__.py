"""Reads a derivation of the gradient, one line of algebra at a time, and says of each line whether it follows.

    print(explain(derivation()))

The derivation is that of one example's log-likelihood, y log p + (1 - y) log(1 - p) with p = sigma(w . x), by one
weight w_j. Its lines use three symbols: y (the label, 0 or 1), p, and x (short for the feature x_j).
"""

from checks.derivation.lines import Step, explain, findings, first_problem, middle, steps
from checks.derivation.reading import Refused, read, read_all
from checks.derivation.structure import is_result, shows_both_logarithms
from checks.derivation.values import derivative, is_derivative, points, value

__all__ = [
    "Refused",
    "Step",
    "derivative",
    "explain",
    "findings",
    "first_problem",
    "is_derivative",
    "is_result",
    "middle",
    "points",
    "read",
    "read_all",
    "shows_both_logarithms",
    "steps",
    "value",
]
