"""Experiments, where nothing else is known: calls in which the right answer is simpler, or follows from another one.

Whoever is right in the simpler case learns which part of the formula to look at; who answers otherwise than the right
answer would to a doubled argument has a law to think about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.kinds import Kind
from autograder.engine.diagnosis.behaviour import Array, Layout, as_numbers, near, parts
from autograder.engine.diagnosis.probes import Probe, Questions, Reply, with_argument
from autograder.engine.diagnosis.values import is_code

Ask = Callable[[Questions], list[Reply] | None]
BASES, LEAST = 8, 4
"""Probes that experiments are made with, and how many of these must agree."""


@dataclass(frozen=True)
class Experiments:
    """The calls of all experiments with a function, and the reference's replies."""

    questions: Questions
    replies: Sequence[Reply]
    layout: Layout


def prepared(questions: Questions, replies: Sequence[Reply], ask: Ask) -> Experiments:
    """The experiments that can be made with a function; `ask` asks the reference."""
    plain = [
        (at, probe)
        for at, (probe, reply) in enumerate(zip(questions.probes, replies, strict=True))
        if probe.kind is Kind.PLAIN and probe.base is None and reply.error is None
    ]
    probes = [
        replace(changed, base=at, varied=name)
        for at, probe in plain[:BASES]
        for name, changed in _changed(questions, probe)
    ]
    told = (ask(replace(questions, probes=tuple(probes))) or []) if probes else []
    kept = [(probe, reply) for probe, reply in zip(probes, told, strict=False) if reply.error is None]
    asked = replace(questions, probes=tuple(probe for probe, _ in kept))
    return Experiments(asked, [reply for _, reply in kept], Layout(asked.probes, [reply for _, reply in kept]))


def of_experiments(known: Experiments, layout: Layout, own: Sequence[Reply], part: str, ask: Ask) -> Iterator[str]:
    """What experiments show about one part of the answers, given the replies to the probes."""
    told = ask(known.questions) if known.questions.probes else None
    if told is None:
        return
    student = known.layout.align(told)
    right = known.layout.same(student, known.layout.ours)
    bases, before = layout.align(own), {slot.probe: at for at, slot in enumerate(layout.slots) if slot.part == part}
    wrong = ~layout.same(bases, layout.ours)
    by_name: dict[str, list[int]] = {}
    for at, slot in enumerate(known.layout.slots):
        probe = known.questions.probes[slot.probe]
        if slot.part == part and probe.base in before and wrong[before[probe.base]]:
            by_name.setdefault(probe.varied, []).append(at)
    for name, slots in by_name.items():
        if len(slots) < LEAST:
            continue
        if name.partition(":")[0] in _SIMPLER:
            if right[slots].all() and all(_tells(known, at) for at in slots):
                yield f"simple: {name}"
            continue
        pairs = [(before[known.questions.probes[known.layout.slots[at].probe].base], at) for at in slots]  # type: ignore[index]
        usual = {
            reaction
            for reaction, holds in _REACTIONS.items()
            if all(holds(layout.slots[base].want, known.layout.slots[at].want) for base, at in pairs)
        }
        if len(usual) != 1:
            continue
        holds = _REACTIONS[usual.pop()]
        ours = [(_numbers(own, layout, base), _numbers(told, known.layout, at)) for base, at in pairs]
        if all(
            one is not None and other is not None and one.shape == other.shape and not holds(one, other)
            for one, other in ours
        ):
            yield f"reaction: {name}"


def _numbers(replies: Sequence[Reply], layout: Layout, at: int) -> Array | None:
    slot = layout.slots[at]
    reply = replies[slot.probe]
    found = None if reply.error is not None else as_numbers(dict(parts(reply.value)).get(slot.part))
    return found if found is not None and np.isfinite(found).all() else None


def _tells(known: Experiments, at: int) -> bool:
    """Whether a right answer to a simpler case says anything: it is neither nothing nor what was put in."""
    slot = known.layout.slots[at]
    if not np.isfinite(slot.want).any() or not np.abs(slot.want).max() > 0:
        return False
    given = known.questions.numbers_of(known.questions.probes[slot.probe])
    return not any(np.isin(slot.want, array).all() for _, array in given)


# --- What is changed --------------------------------------------------------------------------------------------------


def _changed(questions: Questions, probe: Probe) -> Iterator[tuple[str, Probe]]:
    values = (*probe.args, *probe.kwargs.values())
    for place, value in enumerate(values):
        name = questions.name_of(probe, place)
        for change, make in _CHANGES.items():
            other = None if is_code(value) else make(value)
            if other is not None:
                yield f"{change}: {name}", with_argument(probe, place, other)
    yield from _with_one_example(probe, values)


def _with_one_example(probe: Probe, values: Sequence[Any]) -> Iterator[tuple[str, Probe]]:
    """The first example alone: all arguments as long as the first table are cut."""
    lengths = [len(value) for value in values if isinstance(value, np.ndarray) and value.ndim == 2]
    if not lengths or lengths[0] < 2:
        return
    changed = probe
    for place, value in enumerate(values):
        if isinstance(value, np.ndarray) and value.ndim and len(value) == lengths[0]:
            changed = with_argument(changed, place, value[:1])
    yield "one example", changed


def _number(change: Callable[[float], float]) -> Callable[[Any], Any]:
    def make(value: Any) -> Any:
        if type(value) not in (float, int):
            return None
        changed = type(value)(change(value))
        return None if changed == value else changed

    return make


def _array(change: Callable[[Array], Array]) -> Callable[[Any], Any]:
    def make(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not value.ndim or not value.size:
            return None
        with np.errstate(all="ignore"):
            changed = change(value)
        return None if np.array_equal(changed, value) else changed

    return make


_SIMPLER = ("zero", "one", "all zero", "all equal", "one example", "two columns")
_CHANGES: dict[str, Callable[[Any], Any]] = {
    "zero": _number(lambda value: 0),
    "one": _number(lambda value: 1),
    "all zero": _array(np.zeros_like),
    "all equal": _array(lambda array: np.full_like(array, array.mean())),
    "doubled": lambda value: _number(lambda one: 2 * one)(value) or _array(lambda array: 2 * array)(value),
    "raised": _array(lambda array: array + 1),
    "turned": lambda value: ~value if isinstance(value, np.ndarray) and value.dtype.kind == "b" else None,
}


def _becomes(change: Callable[[Array], Array]) -> Callable[[Array, Array], bool]:
    return lambda before, after: before.shape == after.shape and near(after, change(before))


_REACTIONS: dict[str, Callable[[Array, Array], bool]] = {
    "same": _becomes(lambda before: before),
    "doubled": _becomes(lambda before: 2 * before),
    "halved": _becomes(lambda before: before / 2),
    "four times": _becomes(lambda before: 4 * before),
    "a quarter": _becomes(lambda before: before / 4),
    "complement": _becomes(lambda before: 1 - before),
    "raised": _becomes(lambda before: before + 1),
}
