"""A student's ordinary replies beside the reference's: the values that relations are looked for in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.engine.diagnosis.survey import FunctionSurvey
from autograder.engine.probing.behaviour import Array, Behaviour, Fit, Layout, as_numbers
from autograder.engine.probing.changes import Asking
from autograder.engine.probing.drawing import ORDINARY
from autograder.engine.probing.probes import Probe

LEAST = 6
"""Probes that a relation must tell something about: fewer could agree by chance."""


class Values:
    """One part of a student's ordinary replies beside the reference's: only where a value came back."""

    def __init__(
        self, survey: FunctionSurvey, behaviour: Behaviour, right: Array, slots: Sequence[int], asking: Asking
    ) -> None:
        self.survey, self.layout, self.behaviour, self.right = survey, survey.layout, behaviour, right
        self.asking = asking
        self.part = self.layout.slots[slots[0]].part
        self.slots = [at for at in slots if behaviour.fits[at] <= Fit.OTHER]
        self.wrong = [at for at in self.slots if not right[at] or behaviour.fits[at] == Fit.RESHAPED]
        self.fine = [at for at in self.slots if right[at] and behaviour.fits[at] == Fit.EXACT]

    def got(self, at: int) -> Array | None:
        """What came back in a slot, as numbers."""
        return as_numbers(self.behaviour.value(at, self.layout))

    def want(self, at: int) -> Array:
        """What is right there."""
        return self.layout.slots[at].want

    def probe(self, at: int) -> Probe:
        """What was asked there."""
        return self.layout.probes[self.layout.slots[at].probe]

    def pairs(self) -> Iterator[tuple[Array, Array]]:
        """What came back and what is right, where the two have the same shape."""
        for at in self.wrong:
            got = self.got(at)
            if got is not None and got.shape == self.want(at).shape:
                yield got, self.want(at)

    def all_have_the_right_shape(self) -> bool:
        """Whether every wrong value can be compared with the right one number by number."""
        return all(self.behaviour.fits[at] == Fit.EXACT for at in self.wrong)


def ordinary(layout: Layout) -> list[int]:
    """The slots of probes with ordinary numbers."""
    return [at for at, kind in enumerate(layout.kinds) if kind in ORDINARY]
