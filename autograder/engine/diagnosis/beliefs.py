"""The belief of the catalogue that explains an answer: it alone is wrong in the same way, on all probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from autograder.course.catalogue import Answer
from autograder.engine.diagnosis.comparison import ordinary
from autograder.engine.diagnosis.difference import Difference
from autograder.engine.diagnosis.survey import Survey
from autograder.engine.probing.behaviour import Fit
from autograder.engine.probing.probes import Reply
from autograder.engine.probing.values import same


def belief_behind(survey: Survey, student: Difference) -> tuple[Answer, bool] | None:
    """The one belief that explains how a function differs, and whether there is more; None if none does, or several."""
    known = [
        (answer, difference) for answer, difference in _known(survey) if answer.function == student.survey.function
    ]
    matching = [(answer, belief) for answer, belief in known if belief.layer == student.layer]
    fitting = [answer for answer, belief in matching if _FITS[student.layer](student, belief)]
    if fitting:
        return (fitting[0], False) if len(fitting) == 1 else None
    return _most_of_it(student, known)


def _known(survey: Survey) -> Sequence[tuple[Answer, Difference]]:
    """The beliefs, each with where it differs: the same for all students, so it is worked out once."""
    if survey not in _DIFFERENCES:
        _DIFFERENCES[survey] = [
            (answer, Difference(survey.functions[answer.function], behaviour, None))
            for answer, behaviour in survey.beliefs
        ]
    return _DIFFERENCES[survey]


_DIFFERENCES: WeakKeyDictionary[Survey, Sequence[tuple[Answer, Difference]]] = WeakKeyDictionary()


def _fits_values(student: Difference, belief: Difference) -> bool:
    """Whether both are wrong in the same places, in the same way; what the student refuses says nothing.

    That two functions stop with an error says little: it does only where most other replies are right.
    """
    layout = student.survey.layout
    refused = student.behaviour.fits == Fit.REFUSED
    equal = layout.same(student.behaviour, belief.behaviour)
    differing = student.values | belief.values
    agreeing = equal & belief.values
    told = agreeing & (student.behaviour.fits <= Fit.OTHER)
    plain = ordinary(layout)
    mostly_right = 2 * int(student.values[plain].sum()) < len(plain)
    return bool((equal | refused | ~differing).all() and (told.any() or (mostly_right and agreeing.any())))


def _fits_shapes(student: Difference, belief: Difference) -> bool:
    return bool((student.shapes == belief.shapes).all())


def _fits_refusals(student: Difference, belief: Difference) -> bool:
    """Whether both take the same arguments that are to be refused, and give the same for them."""
    return student.refusals == belief.refusals and all(
        _alike(student.behaviour.replies[at], belief.behaviour.replies[at]) for at in student.refusals
    )


def _alike(one: Reply, other: Reply) -> bool:
    if one.error is not None or other.error is not None:
        return (one.error is None) == (other.error is None)
    return same(one.value, other.value)


def _fits_types(student: Difference, belief: Difference) -> bool:
    return student.types == belief.types


def _fits_changes(student: Difference, belief: Difference) -> bool:
    pairs = zip(student.behaviour.replies, belief.behaviour.replies, strict=True)
    return all(one.changed == other.changed for one, other in pairs)


_FITS = {
    "values": _fits_values,
    "shapes": _fits_shapes,
    "refusals": _fits_refusals,
    "types": _fits_types,
    "changed": _fits_changes,
}


def _most_of_it(student: Difference, known: Sequence[tuple[Answer, Difference]]) -> tuple[Answer, bool] | None:
    """The belief that explains most of what is wrong, where two things are, and whether other values are wrong as well.

    Wherever that belief gives a wrong value, the student gives the same one, or none at all: an error hides it.
    """
    layout = student.survey.layout
    hidden = student.behaviour.fits >= Fit.REFUSED
    plain = np.zeros(len(layout.slots), dtype=bool)
    plain[ordinary(layout)] = True
    found: list[tuple[int, bool, Answer]] = []
    for answer, belief in known:
        if not belief.values.any():
            continue
        explained = layout.same(student.behaviour, belief.behaviour) & belief.values & student.values & ~hidden
        rest = student.values & ~explained & ~hidden
        if not (explained | hidden | ~belief.values).all() or (rest & plain).any():
            continue
        count = int(explained.sum())
        if count >= _LEAST and 2 * count >= int(student.values.sum()):
            found.append((count, int(rest.sum()) >= _LEAST, answer))
    if not found:
        return None
    most = max(count for count, _, _ in found)
    best = [(answer, more) for count, more, answer in found if count == most]
    return best[0] if len(best) == 1 else None


_LEAST = 3  # slots that a belief must explain where it does not explain all; as many others show that there is more


def same_words(survey: Survey, replies: Mapping[str, list[Reply]]) -> Answer | None:
    """The one known answer that says the same, where answers are words and not numbers."""
    fitting = [
        answer
        for answer, belief in survey.beliefs
        if answer.function in replies and not survey.functions[answer.function].layout.slots
        if all(map(_alike, replies[answer.function], belief.replies))
    ]
    return fitting[0] if len(fitting) == 1 else None
