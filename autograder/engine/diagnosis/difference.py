"""Where a function's behaviour differs from the reference's, layer by layer: values, shapes, refusals, types, changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.course.kinds import Kind
from autograder.engine.diagnosis.survey import FunctionSurvey
from autograder.engine.probing.behaviour import Behaviour, Fit, parts
from autograder.engine.probing.probes import Reply


@dataclass(frozen=True)
class Failed:
    """The hidden checks that an answer did not pass, with their kinds."""

    checks: Mapping[str, Kind]

    @property
    def kinds(self) -> set[Kind]:
        """The kinds of all of them."""
        return set(self.checks.values())


class Difference:
    """Where a function's behaviour differs from the reference's, layer by layer: values, shapes, refusals, ..."""

    def __init__(self, survey: FunctionSurvey, behaviour: Behaviour, failed: Failed | None) -> None:
        layout, replies = survey.layout, behaviour.replies
        self.survey, self.behaviour = survey, behaviour
        self.right = layout.same(behaviour, layout.ours)
        refused = behaviour.fits == Fit.REFUSED
        if failed is not None and refused.any():  # a check that passed allows to refuse what it asks
            checks = [layout.probes[slot.probe].check for slot in layout.slots]
            self.right |= refused & np.array([check not in failed.checks for check in checks], dtype=bool)
        self.values = ~self.right
        self.shapes = self.right & (behaviour.fits == Fit.RESHAPED)
        self.refusals = [at for at in survey.refusals if not replies[at].refused]
        self.changed = sorted({place for reply in replies for place in reply.changed})
        self.types = [] if self.values.any() else _types(survey, replies)

    @property
    def layer(self) -> str:
        """The first layer in which the two differ; empty if they do not."""
        for name in _LAYERS:
            if np.any(getattr(self, name)) if isinstance(getattr(self, name), np.ndarray) else getattr(self, name):
                return name
        return ""


_LAYERS = ("values", "shapes", "refusals", "types", "changed")


def _types(survey: FunctionSurvey, replies: Sequence[Reply]) -> list[str]:
    """The types of all parts where they are not the reference's."""
    found = []
    for slot in survey.layout.slots:
        reply = replies[slot.probe]
        if reply.error is None:
            own = _type(dict(parts(reply.value)).get(slot.part))
            ours = _type(dict(parts(survey.replies[slot.probe].value)).get(slot.part))
            if own != ours:
                found.append(f"{slot.probe} {slot.part} {own}")
    return found


def _type(leaf: object) -> str:
    kind = leaf.dtype.kind if isinstance(leaf, np.ndarray) else np.asarray(leaf).dtype.kind
    return "i" if kind == "u" else kind
