"""How a function's values relate to the right ones: what holds for every ordinary probe, and tells something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograder.engine.diagnosis.amounts import of_factors, of_terms, of_ways
from autograder.engine.diagnosis.comparison import LEAST, Values
from autograder.engine.diagnosis.experiments import of_arguments
from autograder.engine.diagnosis.patterns import of_decisions, of_laws, of_laws_at_times, of_looks, of_places
from autograder.engine.diagnosis.survey import Relative
from autograder.engine.probing.behaviour import Fit, as_numbers, near


def of_values(values: Values, *, slips: bool = True) -> Iterator[tuple[int, str]]:
    """The relations that hold for all values, each with its rank: the most telling first."""
    if len(values.wrong) < LEAST:
        return
    for rank, look in enumerate(_LOOKS):
        if slips or look is not _of_slips:
            yield from ((rank, relation) for relation in look(values))


def _of_pairs(values: Values) -> Iterator[str]:
    """What each value alone shows beside the right one."""
    from checks import relations  # the course's own package: whoever grades has put notebooks/ on the path

    shared: frozenset[str] | None = None
    for at in values.wrong:
        got = values.got(at)
        ways = None if got is None else relations.between(got, values.want(at))
        if not ways:
            return
        shared = ways if shared is None else shared & ways
        if not shared:
            return
    holding = {
        relations.name_of(way)
        for way in shared or ()
        if all(relations.is_trivial(way, values.want(at)) for at in values.fine)
    }
    pairs = [(values.got(at), values.want(at)) for at in values.wrong]
    yield from (name for name in relations.QUESTIONS if name in holding and relations.fits(name, pairs))


def _of_steps(values: Values) -> Iterator[str]:
    """Whether what came back is what the reference calculates on its way."""
    relatives = values.survey.relatives
    noted = dict(zip(relatives.probes, relatives.steps, strict=False))
    pairs = [(at, noted[probe]) for at in values.wrong if (probe := values.layout.slots[at].probe) in noted]
    if len(pairs) < LEAST:
        return
    other = _other_part(values, [at for at, _ in pairs])
    if other is not None:
        yield f"another part: {other}"
        return
    for number in pairs[0][1]:
        if all(_is_step(values, at, told.get(number)) for at, told in pairs) and _tells(
            values, [at for at, _ in pairs]
        ):
            yield "step"
            return


def _other_part(values: Values, slots: Sequence[int]) -> str | None:
    """The part of the right answer that the student gives in the place of this one."""
    right = {(slot.probe, slot.part): slot.want for slot in values.layout.slots}
    for name in sorted({slot.part for slot in values.layout.slots} - {values.part}):
        wants = [(values.got(at), right.get((values.layout.slots[at].probe, name))) for at in slots]
        if all(
            got is not None and want is not None and got.shape == want.shape and near(got, want) for got, want in wants
        ):
            return name
    return None


def _tells(values: Values, slots: Sequence[int]) -> bool:
    """Whether the student's values say anything: some are not zero, and they are not an argument as it came."""
    given = [(values.got(at), dict(values.survey.questions.numbers_of(values.probe(at)))) for at in slots]
    own = [got for got, _ in given if got is not None]
    if not any(got.any() for got in own):
        return False
    return not any(
        all(got is not None and name in one and np.array_equal(got, one[name]) for got, one in given)
        for name in given[0][1]
    )


def _is_step(values: Values, at: int, step: Any) -> bool:
    """Whether a value is a step of the reference, or one that was repeated to fill the answer's shape."""
    got, want = values.got(at), as_numbers(step)
    if got is None or want is None or not want.size or want.ndim > got.ndim:
        return False
    try:
        return near(got, np.broadcast_to(want, got.shape))
    except ValueError:
        return False


def _of_other_arguments(values: Values) -> Iterator[str]:
    yield from _agreeing(values, values.survey.relatives.other_arguments)


def _of_other_exercises(values: Values) -> Iterator[str]:
    yield from _agreeing(values, values.survey.relatives.other_exercises)


def _of_slips(values: Values) -> Iterator[str]:
    """The sort of the one small change that explains all values; only that there is one, if several sorts do."""
    sorts = set(_agreeing(values, values.survey.relatives.slips))
    if sorts:
        yield sorts.pop() if len(sorts) == 1 else "slip"


def _agreeing(values: Values, known: Sequence[Relative]) -> Iterator[str]:
    """The relations of the relatives that reply as the student does wherever a value came back, in this part."""
    relatives = values.survey.relatives
    layout = relatives.layout
    part = values.part
    own = layout.align([values.behaviour.replies[at] for at in relatives.probes])
    at = np.array([n for n, slot in enumerate(layout.slots) if slot.part == part and own.fits[n] <= Fit.OTHER], int)
    wrong = ~layout.same(own, layout.ours)[at]
    if wrong.sum() < LEAST:
        return
    found = dict.fromkeys(one.relation for one in known if layout.same(own, one.behaviour)[at].all())
    yield from found


_LOOKS = (
    _of_pairs,
    of_factors,
    _of_steps,
    _of_other_arguments,
    _of_other_exercises,
    _of_slips,
    of_ways,
    of_terms,
    of_decisions,
    of_arguments,
    of_places,
    of_laws,
    of_looks,
    of_laws_at_times,
)
