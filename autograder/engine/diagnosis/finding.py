"""From behaviour to a question: the belief that explains an answer, or else how it relates to the right one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from autograder.course.catalogue import Answer
from autograder.course.kinds import Kind
from autograder.engine.diagnosis import wording
from autograder.engine.diagnosis.behaviour import Behaviour, Fit, digest, parts
from autograder.engine.diagnosis.exceptions import SPECIAL, Features, kind_in_common
from autograder.engine.diagnosis.probes import Reply
from autograder.engine.diagnosis.relations import Values, of_values, ordinary
from autograder.engine.diagnosis.survey import FunctionSurvey, Survey
from autograder.engine.diagnosis.values import same


@dataclass(frozen=True)
class Finding:
    """What is known about a wrong answer: a belief or a relation, the question that goes with it, and its behaviour."""

    belief: str | None = None
    relation: str | None = None
    question: str | None = None
    more: bool = False
    """Whether something is wrong beyond that."""
    behaviour: str = ""


@dataclass(frozen=True)
class Failed:
    """The hidden checks that an answer did not pass, with their kinds."""

    checks: Mapping[str, Kind]

    @property
    def kinds(self) -> set[Kind]:
        """The kinds of all of them."""
        return set(self.checks.values())


class _Difference:
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


def find(survey: Survey, replies: Mapping[str, list[Reply]], failed: Failed, *, slips: bool = True) -> Finding:
    """What went wrong with an exercise, given the replies of its functions and the checks that did not pass.

    Without `slips`, nobody looks whether one small change of the reference explains it.
    """
    differences = [
        _Difference(survey.functions[name], survey.functions[name].layout.align(told), failed)
        for name, told in replies.items()
    ]
    behaviour = _digest(differences, failed)
    wrong = [difference for difference in differences if difference.layer]
    if not wrong:
        return _finding(survey, _by_kind(failed), behaviour, more=False)
    several = len(wrong) > 1
    for difference in wrong:
        named = _belief(survey, difference)
        if named is not None:
            answer, more = named
            return Finding(answer.name, None, answer.hint, more or several, behaviour)
    for difference in wrong:
        for relation, more in _relations(difference, slips=slips):
            found = _finding(survey, relation, behaviour, more=more or several)
            if found.question:
                return found
    return Finding(behaviour=behaviour)


def _by_kind(failed: Failed) -> str | None:
    """What the checks alone tell, where no probe shows it: such inputs are too large, or were drawn by nobody else."""
    if len(failed.kinds) != 1:
        return None
    (kind,) = failed.kinds
    if kind is Kind.SPEED:
        return "slow"
    return f"except: {kind.value}" if kind in SPECIAL else None


def _finding(survey: Survey, relation: str | None, behaviour: str, *, more: bool) -> Finding:
    if relation is None:
        return Finding(behaviour=behaviour)
    from checks import relations  # the course's own package: whoever grades has put notebooks/ on the path

    question = wording.question(survey.exercise.name, relation, survey.wording, relations.QUESTIONS)
    return Finding(None, relation, question, more and question is not None, behaviour)


def _digest(differences: Iterable[_Difference], failed: Failed) -> str:
    """One digest for all functions; where no probe shows a difference, the checks that failed tell answers apart."""
    found = list(differences)
    if not any(difference.layer for difference in found):
        also = sorted(failed.checks)
    else:
        also = ["slow"] if Kind.SPEED in failed.kinds else []
    texts = [digest(difference.survey.layout, difference.behaviour, [*also, *difference.types]) for difference in found]
    return texts[0] if len(texts) == 1 else "-".join(text[:8] for text in texts)


# --- Beliefs ----------------------------------------------------------------------------------------------------------


def _belief(survey: Survey, student: _Difference) -> tuple[Answer, bool] | None:
    """The one belief that explains how a function differs, and whether there is more; None if none does, or several."""
    known = [
        (answer, difference) for answer, difference in _known(survey) if answer.function == student.survey.function
    ]
    matching = [(answer, belief) for answer, belief in known if belief.layer == student.layer]
    fitting = [answer for answer, belief in matching if _FITS[student.layer](student, belief)]
    if fitting:
        return (fitting[0], False) if len(fitting) == 1 else None
    return _most_of_it(student, known)


def _known(survey: Survey) -> Sequence[tuple[Answer, _Difference]]:
    """The beliefs, each with where it differs: the same for all students, so it is worked out once."""
    if survey not in _DIFFERENCES:
        _DIFFERENCES[survey] = [
            (answer, _Difference(survey.functions[answer.function], behaviour, None))
            for answer, behaviour in survey.beliefs
        ]
    return _DIFFERENCES[survey]


_DIFFERENCES: WeakKeyDictionary[Survey, Sequence[tuple[Answer, _Difference]]] = WeakKeyDictionary()


def _fits_values(student: _Difference, belief: _Difference) -> bool:
    """Whether both are wrong in the same places, in the same way; what the student refuses says nothing."""
    refused = student.behaviour.fits == Fit.REFUSED
    equal = student.survey.layout.same(student.behaviour, belief.behaviour)
    differing = student.values | belief.values
    return bool((equal | refused | ~differing).all() and (equal & belief.values).any())


def _fits_shapes(student: _Difference, belief: _Difference) -> bool:
    return bool((student.shapes == belief.shapes).all())


def _fits_refusals(student: _Difference, belief: _Difference) -> bool:
    """Whether both take the same arguments that are to be refused, and give the same for them."""
    return student.refusals == belief.refusals and all(
        _alike(student.behaviour.replies[at], belief.behaviour.replies[at]) for at in student.refusals
    )


def _alike(one: Reply, other: Reply) -> bool:
    if one.error is not None or other.error is not None:
        return (one.error is None) == (other.error is None)
    return same(one.value, other.value)


def _fits_types(student: _Difference, belief: _Difference) -> bool:
    return student.types == belief.types


def _fits_changes(student: _Difference, belief: _Difference) -> bool:
    pairs = zip(student.behaviour.replies, belief.behaviour.replies, strict=True)
    return all(one.changed == other.changed for one, other in pairs)


_FITS = {
    "values": _fits_values,
    "shapes": _fits_shapes,
    "refusals": _fits_refusals,
    "types": _fits_types,
    "changed": _fits_changes,
}


def _most_of_it(student: _Difference, known: Sequence[tuple[Answer, _Difference]]) -> tuple[Answer, bool] | None:
    """The belief that explains most of what is wrong, where two things are.

    Wherever that belief gives a wrong value, the student gives the same one, or none at all: an error hides it.
    """
    layout = student.survey.layout
    hidden = student.behaviour.fits >= Fit.REFUSED
    plain = np.zeros(len(layout.slots), dtype=bool)
    plain[ordinary(layout)] = True
    found: list[tuple[int, Answer]] = []
    for answer, belief in known:
        if not belief.values.any():
            continue
        explained = layout.same(student.behaviour, belief.behaviour) & belief.values & student.values
        if not (explained | hidden | ~belief.values).all() or (student.values & plain & ~explained & ~hidden).any():
            continue
        count = int(explained.sum())
        if count >= _LEAST and 2 * count >= int(student.values.sum()):
            found.append((count, answer))
    if not found:
        return None
    most = max(count for count, _ in found)
    best = [answer for count, answer in found if count == most]
    return (best[0], True) if len(best) == 1 else None


_LEAST = 3  # slots that a belief must explain where it does not explain all


# --- Relations --------------------------------------------------------------------------------------------------------


def _relations(student: _Difference, *, slips: bool) -> Iterator[tuple[str, bool]]:
    """The relations that hold, each with whether there is more; those that say most come first."""
    survey, replies, layer = student.survey, student.behaviour.replies, student.layer
    beyond = sum(bool(np.any(getattr(student, name))) for name in _LAYERS if name != "types") > 1
    if layer == "shapes":
        yield "shape", beyond
    elif layer == "refusals":
        others = [at for at in student.refusals if replies[at].error is not None]
        yield ("another error" if len(others) == len(student.refusals) else "accepts too much"), beyond
    elif layer == "types":
        yield "type", beyond
    elif layer == "changed":
        probe = next(probe for probe, reply in zip(survey.questions.probes, replies, strict=True) if reply.changed)
        place = next(reply.changed[0] for reply in replies if reply.changed)
        yield f"changes its arguments: {survey.questions.name_of(probe, place)}", beyond
    else:
        yield from _of_wrong_values(student, beyond, slips=slips)


def _of_wrong_values(student: _Difference, beyond: bool, *, slips: bool) -> Iterator[tuple[str, bool]]:
    layout, behaviour = student.survey.layout, student.behaviour
    plain = ordinary(layout)
    wrong = [at for at in plain if student.values[at]]
    if not wrong:
        yield from ((relation, beyond) for relation in _exceptions(student))
        return
    without = [at for at in wrong if behaviour.fits[at] > Fit.OTHER]
    if not without and all(behaviour.replies[layout.slots[at].probe].value is None for at in wrong):
        yield "nothing returned", beyond
        return
    if without and 2 * len(without) >= len(plain):
        yield "stops", beyond or len(without) < len(wrong)
        return
    if len(without) == len(wrong):
        yield from ((relation, beyond) for relation in _exceptions(student))
        yield "stops sometimes", beyond
        return
    named = list(dict.fromkeys(layout.slots[at].part for at in wrong))
    by_part = {part: [at for at in plain if layout.slots[at].part == part] for part in named}
    values = {part: Values(student.survey, behaviour, student.right, slots) for part, slots in by_part.items()}
    special = [at for at in range(len(layout.slots)) if at not in set(plain)]
    more = beyond or any(len(one.slots) < len(by_part[part]) for part, one in values.items())
    for part in named:
        for relation in of_values(values[part], slips=slips):
            rest = [other for other in named if other != part]
            everywhere = all(relation in set(of_values(values[other], slips=slips)) for other in rest)
            yield relation, more or not everywhere or _is_new(student, special)
            break
    yield from ((relation, True) for relation in _exceptions(student))
    if len({slot.part for slot in layout.slots}) > 1 and len(named) == 1:
        yield f"one part: {named[0]}", more
    if all(behaviour.fits[at] == Fit.OTHER for at in wrong) and len(wrong) >= _LEAST:
        yield "other form", more


def _is_new(student: _Difference, special: Sequence[int]) -> bool:
    """Whether special cases fail in a way of their own: with an error, where ordinary numbers gave a value."""
    return any(student.behaviour.fits[at] >= Fit.REFUSED for at in special)


def _exceptions(student: _Difference) -> Iterator[str]:
    """The sort of input that the wrong answers have in common, where most others are right."""
    layout = student.survey.layout
    wrong = sorted({layout.slots[at].probe for at in np.flatnonzero(student.values)})
    right = sorted({slot.probe for slot in layout.slots} - set(wrong))
    feature = Features(student.survey.questions).telling(wrong, right)
    if feature is not None:
        yield f"except: {feature}"
    refused = [at for at in wrong if student.behaviour.replies[at].refused]
    if len(refused) == len(wrong) and len(right) > len(wrong):
        yield "except: refused"
    kind = kind_in_common([layout.probes[at] for at in wrong])
    if kind is not None and len(right) > len(wrong):
        yield f"except: {kind.value}"
