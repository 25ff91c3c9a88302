"""What changed calls show: arguments that are ignored, the simpler case that is right, laws that are not obeyed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from autograder.engine.diagnosis.comparison import Values
from autograder.engine.probing.behaviour import Array, Behaviour, as_numbers, near
from autograder.engine.probing.changes import SIMPLER, Changes

LEAST, LEAST_IN_PART = 3, 4
"""How many calls must agree."""


def of_arguments(values: Values) -> Iterator[str]:
    """The arguments, or parts of them, that the student's answer does not depend on, though the right one does."""
    changed = _Changed(values, values.survey.varied)
    kept: dict[str, list[bool]] = {}
    for at, base in changed.slots:
        right, after = values.want(base), changed.want(at)
        if right.shape == after.shape and near(right, after):
            continue
        before, now = values.got(base), changed.got(at)
        if before is not None and now is not None:
            kept.setdefault(changed.name(at), []).append(before.shape == now.shape and near(before, now))
    ignored = [name for name, same in kept.items() if len(same) >= LEAST and all(same)]
    by_argument: dict[str, list[str]] = {}
    for name in kept:
        by_argument.setdefault(name.rpartition(": ")[2], []).append(name)
    # Who gives the same for entries in another order may still look at all of them: every change must be ignored.
    whole = [
        name
        for name, changes in by_argument.items()
        if all(all(kept[change]) for change in changes) and sum(len(kept[change]) for change in changes) >= LEAST
    ]
    if len(whole) == len(by_argument):  # who ignores everything has not begun
        return
    yield from (f"argument ignored: {name}" for name in whole)
    for name in ignored:
        argument = name.partition(": ")[2]
        # An answer that does not always follow the whole argument is coarse, and may miss a part of it by chance.
        if (
            argument
            and argument not in whole
            and len(kept[name]) >= LEAST_IN_PART
            and not any(kept.get(argument, [True]))
        ):
            yield f"part ignored: {name}"


def of_simpler(values: Values) -> Iterator[str]:
    """The simpler calls in which the student is right, and the changes that their answers do not follow."""
    changed = _Changed(values, values.survey.simplified)
    by_name: dict[str, list[tuple[int, int]]] = {}
    for at, base in changed.slots:
        if not values.right[base]:
            by_name.setdefault(changed.name(at), []).append((at, base))
    order = {name: at for at, name in enumerate(SIMPLER)}
    for name, pairs in sorted(by_name.items(), key=lambda one: order.get(one[0].partition(":")[0], len(order))):
        if len(pairs) <= LEAST:
            continue
        if name.partition(":")[0] in SIMPLER:
            if all(changed.right[at] and changed.tells(at) for at, _ in pairs):
                yield f"simple: {name}"
        elif _breaks_a_law(values, changed, pairs):
            yield f"reaction: {name}"


def _breaks_a_law(values: Values, changed: _Changed, pairs: list[tuple[int, int]]) -> bool:
    """Whether right answers always become the same thing after a change, and the student's never do."""
    usual = [law for law in _LAWS if all(law(values.want(base), changed.want(at)) for at, base in pairs)]
    if len(usual) != 1:
        return False
    own = [(values.got(base), changed.got(at)) for at, base in pairs]
    return all(
        before is not None
        and after is not None
        and before.shape == after.shape
        and bool(np.isfinite(before).all() and np.isfinite(after).all())
        and not usual[0](before, after)
        for before, after in own
    )


class _Changed:
    """The student's replies to changed calls, for one part of the answers."""

    def __init__(self, values: Values, changes: Changes) -> None:
        self._changes, self._layout = changes, changes.layout
        part = values.part
        bases = {slot.probe: at for at, slot in enumerate(values.layout.slots) if slot.part == part}
        told = values.asking(changes.questions) if changes.questions.probes else None
        self._behaviour: Behaviour | None = None if told is None else self._layout.align(told)
        self.slots: list[tuple[int, int]] = []
        """The slots of the changed calls, each with that of the call that was changed."""
        if self._behaviour is not None:
            self.right = self._layout.same(self._behaviour, self._layout.ours)
            self.slots = [
                (at, bases[base])
                for at, slot in enumerate(self._layout.slots)
                if slot.part == part and (base := self._layout.probes[slot.probe].base) in bases and base is not None
            ]

    def name(self, at: int) -> str:
        """What was changed in a slot's call."""
        return self._layout.probes[self._layout.slots[at].probe].change

    def got(self, at: int) -> Array | None:
        """What the student gave."""
        assert self._behaviour is not None
        return as_numbers(self._behaviour.value(at, self._layout))

    def want(self, at: int) -> Array:
        """What is right."""
        return self._layout.slots[at].want

    def tells(self, at: int) -> bool:
        """Whether a right answer to a simpler call says anything: it is neither all the same nor what was put in."""
        slot = self._layout.slots[at]
        if not np.isfinite(slot.want).any() or (slot.want.size > 1 and (slot.want == slot.want.flat[0]).all()):
            return False
        given = self._changes.questions.numbers_of(self._layout.probes[slot.probe])
        return not any(np.isin(slot.want, array).all() for _, array in given)


def _becomes(change: Callable[[Array], Array]) -> Callable[[Array, Array], bool]:
    return lambda before, after: before.shape == after.shape and near(after, change(before))


_LAWS = (
    _becomes(lambda before: before),
    _becomes(lambda before: 2 * before),
    _becomes(lambda before: before / 2),
    _becomes(lambda before: 4 * before),
    _becomes(lambda before: before / 4),
    _becomes(lambda before: 1 - before),
    _becomes(lambda before: before + 1),
)
"""What can become of a right answer when an argument is doubled, raised by one, or turned round."""
