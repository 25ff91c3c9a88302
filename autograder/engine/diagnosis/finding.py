"""From behaviour to a question: the belief that explains an answer, or else how it relates to the right one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.course.kinds import Kind
from autograder.engine.diagnosis import wording
from autograder.engine.diagnosis.beliefs import belief_behind, same_words
from autograder.engine.diagnosis.comparison import Values, ordinary
from autograder.engine.diagnosis.difference import Difference, Failed
from autograder.engine.diagnosis.exceptions import SPECIAL, Features, kind_in_common
from autograder.engine.diagnosis.experiments import of_simpler
from autograder.engine.diagnosis.relations import of_values
from autograder.engine.diagnosis.survey import Survey
from autograder.engine.probing.behaviour import Fit, as_numbers, digest, parts
from autograder.engine.probing.changes import Asking
from autograder.engine.probing.probes import Questions, Reply
from autograder.engine.probing.values import same


@dataclass(frozen=True)
class Finding:
    """What is known about a wrong answer: a belief or a relation, the question that goes with it, and its behaviour."""

    belief: str | None = None
    relation: str | None = None
    question: str | None = None
    more: bool = False
    """Whether something is wrong beyond that."""
    behaviour: str = ""


def find(
    survey: Survey, replies: Mapping[str, list[Reply]], failed: Failed, asking: Asking, *, slips: bool = True
) -> Finding:
    """What went wrong with an exercise, given the replies of its functions and the checks that did not pass.

    `asking` asks more, where the replies alone do not tell. Without `slips`, nobody looks whether one small change of
    the reference explains it.
    """
    asking = _once(asking)
    differences = [
        Difference(survey.functions[name], survey.functions[name].layout.align(told), failed)
        for name, told in replies.items()
    ]
    behaviour = _digest(differences, failed)
    wrong = [difference for difference in differences if difference.layer]
    if not wrong:
        answer = same_words(survey, replies)
        if answer is not None:
            return Finding(answer.name, None, answer.hint, False, behaviour)
        return _finding(survey, _by_kind(failed), behaviour, more=False)
    several = len(wrong) > 1
    for difference in wrong:
        named = belief_behind(survey, difference)
        if named is not None:
            answer, more = named
            return Finding(answer.name, None, answer.hint, more or several, behaviour)
    for difference in wrong:
        for one in _relations(difference, asking, failed, slips=slips):
            found = _finding(survey, one.relation, behaviour, part=one.part, more=several)
            if found.question:
                return found
    return _finding(survey, _by_kind(failed), behaviour, more=False)


def holding(
    survey: Survey, replies: Mapping[str, list[Reply]], failed: Failed, asking: Asking, *, slips: bool = True
) -> Iterator[str]:
    """The names of all relations that hold, and not only of the first."""
    asking = _once(asking)
    for name, told in replies.items():
        function = survey.functions[name]
        difference = Difference(function, function.layout.align(told), failed)
        if difference.layer:
            yield from (one.relation for one in _relations(difference, asking, failed, slips=slips))


def _once(asking: Asking) -> Asking:
    """The same, asked once: every part of an answer looks at the same replies."""
    known: dict[int, list[Reply] | None] = {}

    def ask(questions: Questions) -> list[Reply] | None:
        if id(questions) not in known:
            known[id(questions)] = asking(questions)
        return known[id(questions)]

    return ask


def _by_kind(failed: Failed) -> str | None:
    """What the checks alone tell of an answer that is right on ordinary numbers: the sort of input where it is not."""
    if Kind.PLAIN in failed.kinds:
        return None
    if failed.kinds == {Kind.SPEED}:
        return "slow"
    special = [kind for kind in SPECIAL if kind in failed.kinds]
    if len(special) > 1:
        return None
    return f"except: {special[0].value}" if special else "accepts too much" if Kind.REFUSAL in failed.kinds else None


def _finding(survey: Survey, relation: str | None, behaviour: str, *, more: bool, part: str = "") -> Finding:
    if relation is None:
        return Finding(behaviour=behaviour)
    from checks import relations  # the course's own package: whoever grades has put notebooks/ on the path

    question = wording.question(survey.exercise.name, relation, survey.wording, relations.QUESTIONS, part=part)
    return Finding(None, relation, question, more and question is not None, behaviour)


def _digest(differences: Iterable[Difference], failed: Failed) -> str:
    """One digest for all functions; where no probe shows a difference, the checks that failed tell answers apart."""
    found = list(differences)
    if not any(difference.layer for difference in found):
        also = sorted(failed.checks)
    else:
        also = ["slow"] if Kind.SPEED in failed.kinds else []
    texts = [digest(difference.survey.layout, difference.behaviour, [*also, *difference.types]) for difference in found]
    return texts[0] if len(texts) == 1 else "-".join(text[:8] for text in texts)


# --- Relations --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """A relation that holds: of one part of the answers, if it is not true of the whole."""

    relation: str
    part: str = ""


def _relations(student: Difference, asking: Asking, failed: Failed, *, slips: bool) -> Iterator[_Found]:
    """The relations that hold; those that say most come first."""
    survey, replies, layer = student.survey, student.behaviour.replies, student.layer
    if layer == "shapes":
        yield _Found("shape")
    elif layer == "refusals":
        others = [at for at in student.refusals if replies[at].error is not None]
        yield _Found("another error" if len(others) == len(student.refusals) else "accepts too much")
    elif layer == "types":
        yield _Found("type")
    elif layer == "changed":
        probe = next(probe for probe, reply in zip(survey.questions.probes, replies, strict=True) if reply.changed)
        place = next(reply.changed[0] for reply in replies if reply.changed)
        yield _Found(f"changes its arguments: {survey.questions.name_of(probe, place)}")
    else:
        yield from _of_wrong_values(student, asking, failed, slips=slips)


def _of_wrong_values(student: Difference, asking: Asking, failed: Failed, *, slips: bool) -> Iterator[_Found]:
    layout, behaviour = student.survey.layout, student.behaviour
    plain = ordinary(layout)
    wrong = [at for at in plain if student.values[at]]
    if not wrong:
        yield from _exceptions(student, failed)
        return
    without = [at for at in wrong if behaviour.fits[at] > Fit.OTHER]
    replies = [behaviour.replies[layout.slots[at].probe] for at in wrong]
    if not without and all(reply.value is None and reply.error is None for reply in replies):
        yield _Found("nothing returned")
        return
    if without and 2 * len(without) >= len(plain):
        yield _Found("stops")
        return
    if len(without) == len(wrong):
        yield from _exceptions(student, failed)
        yield _Found("stops sometimes")
        return
    by_part: dict[str, list[int]] = {}
    for at in plain:
        by_part.setdefault(layout.slots[at].part, []).append(at)
    named = list(dict.fromkeys(layout.slots[at].part for at in wrong))
    if _are_exchanged(student, wrong):
        yield _Found("parts exchanged")
    values = {part: Values(student.survey, behaviour, student.right, by_part[part], asking) for part in named}
    looks = {part: of_values(values[part], slips=slips) for part in named}
    first = [(*found, part) for part, look in looks.items() if (found := next(look, None)) is not None]
    for _, relation, part in sorted(first):
        everywhere = all(relation in (name for _, name in of_values(values[other], slips=slips)) for other in named)
        yield _Found(relation, "" if everywhere and len(named) == len(by_part) else part)
    yield from (_Found(relation, part) for part, look in looks.items() for _, relation in look)
    yield from _exceptions(student, failed)
    for part in named:
        own = "" if len(by_part) == 1 else part
        yield from (_Found(relation, own) for relation in of_simpler(values[part]))
    if len(by_part) > 1 and len({layout.slots[at].part for at in np.flatnonzero(student.values)}) == 1:
        yield _Found(f"one part: {named[0]}")
    if all(behaviour.fits[at] == Fit.OTHER for at in wrong) and len(wrong) >= _LEAST:
        arrays = all(as_numbers(behaviour.value(at, layout)) is not None for at in wrong)
        yield _Found("other shape" if arrays else "other form")


_LEAST = 3  # slots that must be wrong to say anything about their form


def _are_exchanged(student: Difference, wrong: Sequence[int]) -> bool:
    """Whether the student gives back what is right, each part in the place of another one."""
    layout = student.survey.layout
    probes = {layout.slots[at].probe for at in wrong}
    for probe in probes:
        right = [(slot.part, slot.want) for slot in layout.slots if slot.probe == probe]
        given = dict(parts(student.behaviour.replies[probe].value))
        own = [as_numbers(given.get(part)) for part, _ in right]
        order = [
            next((at for at, (_, want) in enumerate(right) if one is not None and same(one, want)), None) for one in own
        ]
        if None in order or len(set(order)) < len(right) or len(right) < 2:
            return False
    return True


def _exceptions(student: Difference, failed: Failed) -> Iterator[_Found]:
    """The sort of input that the wrong answers have in common, where most others are right."""
    layout = student.survey.layout
    wrong = sorted({layout.slots[at].probe for at in np.flatnonzero(student.values)})
    right = sorted({slot.probe for slot in layout.slots} - set(wrong))
    refused = [at for at in wrong if student.behaviour.replies[at].refused]
    if len(refused) == len(wrong) and len(right) > len(wrong):
        yield _Found("except: refused")
    features = Features(student.survey.questions)
    feature = features.telling(wrong, right)
    if feature is not None:
        yield _Found(f"except: {feature}")
    argument = features.simpler(wrong, right)
    if argument is not None:
        yield _Found(f"simple: zero: {argument}")
    kind = kind_in_common([layout.probes[at] for at in wrong])
    if kind is not None and len(right) > len(wrong) and Kind.PLAIN not in failed.kinds:
        yield _Found(f"except: {kind.value}")
