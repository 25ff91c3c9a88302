"""A survey of one exercise: its probes, and how the reference, the catalogue and close relatives of both reply."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from autograder.course.catalogue import Answer
from autograder.course.errors import GraderError
from autograder.course.model import Exercise
from autograder.engine.assignment import Assignment
from autograder.engine.diagnosis import slips, steps
from autograder.engine.probing import changes, drawing
from autograder.engine.probing.behaviour import Behaviour, Layout, parts
from autograder.engine.probing.changes import Changes
from autograder.engine.probing.probes import Probe, Questions, Reply, ask, ask_ours, ask_several, with_argument
from autograder.engine.probing.values import is_code
from autograder.engine.running import Cell, NotebookRun
from autograder.engine.session import SuiteSession
from autograder.sandbox.process import Spawner


@dataclass(frozen=True)
class Relative:
    """A function that is close to the right one, by a name and by what it is to it."""

    name: str
    relation: str
    behaviour: Behaviour


class FunctionSurvey:
    """What is known of one function of an exercise."""

    def __init__(self, questions: Questions, replies: Sequence[Reply], reference: Reference, assignment: Assignment):
        self.questions, self.replies = questions, replies
        self._reference, self._assignment = reference, assignment
        self.layout = Layout(questions.probes, replies)

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.questions.function

    @cached_property
    def refusals(self) -> list[int]:
        """The probes that are to be refused."""
        return [at for at, reply in enumerate(self.replies) if reply.refused]

    def behaviour_of(self, answer: Answer) -> Behaviour:
        """How a known answer behaves."""
        return self.layout.align(ask_ours(answer.implementation, self.questions))

    @cached_property
    def varied(self) -> Changes:
        """The probes with other arguments: they show which ones are ignored."""
        return Changes.of(self.questions, changes.varied(self.questions, self.replies), self._ask)

    @cached_property
    def simplified(self) -> Changes:
        """The probes with simpler arguments: they show where somebody is right."""
        return Changes.of(self.questions, changes.simplified(self.questions, self.replies), self._ask)

    def _ask(self, questions: Questions) -> list[Reply] | None:
        return ask(self._reference.run, questions)

    @cached_property
    def relatives(self) -> Relatives:
        """The functions that are close to the right one."""
        return Relatives(self, self._reference, self._assignment)


class Relatives:
    """Functions that are close to the right one: the reference with other arguments, with a slip, on its way.

    They are asked some of the ordinary probes only: that is enough to tell them apart, and there are many of them.
    """

    def __init__(self, survey: FunctionSurvey, reference: Reference, assignment: Assignment) -> None:
        self._reference, self._assignment = reference, assignment
        self.probes = [
            at
            for at, (probe, reply) in enumerate(zip(survey.questions.probes, survey.replies, strict=True))
            if probe.kind in drawing.ORDINARY and reply.error is None
        ][:MOST_PROBES]
        self.questions = replace(survey.questions, probes=tuple(survey.questions.probes[at] for at in self.probes))
        self.layout = Layout(self.questions.probes, [survey.replies[at] for at in self.probes])
        self.slots = [at for at, slot in enumerate(survey.layout.slots) if slot.probe in set(self.probes)]

    @cached_property
    def other_arguments(self) -> list[Relative]:
        """The reference with two arguments exchanged, or with one that is taken for something else."""
        return [*self._exchanged(), *self._misread()]

    @cached_property
    def other_exercises(self) -> list[Relative]:
        """The answers to other exercises of the notebook, where they take the same arguments."""
        names = [name for name in self._assignment.answers if name != self.questions.function]
        return self._known([(name, f"answers another: {name}") for name in names], names)

    @cached_property
    def slips(self) -> list[Relative]:
        """The reference with one small change."""
        function = self.questions.function
        changed = slips.slips(function, self._assignment.answers[function])[:MOST_SLIPS]
        self._reference.define(f"slips of {function}", slips.defining(function, [one.source for one in changed]))
        names = [f"{slips.SLIP}{number}_{function}" for number in range(len(changed))]
        return self._known([(one.change, f"slip: {one.slip}") for one in changed], names)

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """What the reference calculates on its way to the answer, probe by probe: values by the number of the step."""
        function = self.questions.function
        code = steps.telling(function, self._assignment.answers[function])
        self._reference.define(f"steps of {function}", code)
        told = ask_several(self._reference.run, self.questions, [f"{steps.STEPS}{function}"])
        return [dict(parts(reply.value)) if reply.error is None else {} for replies in told for reply in replies]

    def _known(self, known: Sequence[tuple[str, str]], names: Sequence[str]) -> list[Relative]:
        """Functions of the reference's process by these names, as relatives called like that."""
        told = ask_several(self._reference.run, self.questions, names, PATIENCE) if names else []
        behaviours = [self.layout.align(replies) for replies in told]
        return [
            Relative(name, relation, behaviour)
            for (name, relation), behaviour in zip(known, behaviours, strict=bool(told))
            if self._differs(behaviour)
        ]

    def _exchanged(self) -> Iterator[Relative]:
        names = self.questions.parameters
        for one, other in combinations(range(len(names)), 2):
            probes = [_exchanged(probe, one, other) for probe in self.questions.probes]
            yield from self._asked(f"exchanged: {names[one]}, {names[other]}", probes)

    def _misread(self) -> Iterator[Relative]:
        for name in self.questions.parameters:
            for how, read in _READINGS.items():
                probes = [_with(self.questions, probe, name, read) for probe in self.questions.probes]
                yield from self._asked(f"{how}: {name}", probes)

    def _asked(self, relation: str, probes: Sequence[Probe | None]) -> Iterator[Relative]:
        """The reference's replies to other probes, if there are any."""
        changed = [probe or own for probe, own in zip(probes, self.questions.probes, strict=True)]
        if not any(probes):
            return
        asked = replace(self.questions, probes=tuple(changed))
        for replies in ask_several(self._reference.run, asked, [asked.function], IMPATIENCE):
            behaviour = self.layout.align(replies)
            if self._differs(behaviour):
                yield Relative(relation, relation, behaviour)

    def _differs(self, behaviour: Behaviour) -> bool:
        return not self.layout.same(behaviour, self.layout.ours).all()


MOST_PROBES, MOST_SLIPS = 8, 120
PATIENCE, IMPATIENCE = 60.0, 1.0
"""Seconds for functions of ours that are known to end, and for one with arguments that it was not made for."""


class Survey:
    """What is known of an exercise, function by function; known answers and relatives are asked when first needed."""

    def __init__(
        self,
        assignment: Assignment,
        exercise: Exercise,
        functions: Mapping[str, FunctionSurvey],
        answers: Sequence[Answer],
        wording: Mapping[tuple[str, str], str],
    ) -> None:
        self.assignment, self.exercise, self.functions = assignment, exercise, functions
        self.answers, self.wording = answers, wording

    @cached_property
    def beliefs(self) -> list[tuple[Answer, Behaviour]]:
        """The wrong answers of the catalogue, each with how it behaves."""
        return [
            (answer, self.functions[answer.function].behaviour_of(answer))
            for answer in self.answers
            if not answer.is_right and answer.function in self.functions
        ]

    def without(self, names: Collection[str]) -> Survey:
        """The same survey, as if these answers were not in the catalogue."""
        kept = [answer for answer in self.answers if answer.name not in names]
        other = Survey(self.assignment, self.exercise, self.functions, kept, self.wording)
        other.__dict__["beliefs"] = [pair for pair in self.beliefs if pair[0].name not in names]
        return other


class Surveys:
    """The surveys of the notebooks that one grader has to do with. `seed` is the class's: all are asked the same."""

    def __init__(self, session: SuiteSession, seed: str) -> None:
        self._session, self._seed = session, f"probes {seed}"
        self._references: dict[str, Reference] = {}
        self._found: dict[tuple[str, str], Survey | None] = {}

    def of(self, assignment: Assignment, exercise: Exercise, zygote: Spawner) -> Survey:
        """The survey of an exercise; the reference is run once for a notebook, by the zygote that is there then."""
        key = assignment.stem, exercise.name
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._survey(assignment, exercise, zygote)
        return found

    def close(self) -> None:
        """End the references' processes; what was found out is kept, and what is still to be found out starts anew."""
        references, self._references = self._references, {}
        self._found = {}
        for reference in references.values():
            reference.close()

    def reference(self, assignment: Assignment, zygote: Spawner) -> Reference:
        """The process of a notebook's reference, which is started when it is first needed."""
        if assignment.stem not in self._references:
            self._references[assignment.stem] = Reference(assignment, zygote)
        return self._references[assignment.stem]

    def _survey(self, assignment: Assignment, exercise: Exercise, zygote: Spawner) -> Survey:
        stem = assignment.stem
        reference = self.reference(assignment, zygote)
        checks = [check for check in self._session.checks.get(stem, []) if check.exercise == exercise.name]
        parameters = {name: _parameters(name, assignment.answers[name]) for name in exercise.functions}
        drawn = drawing.draw(self._session, checks, exercise, reference.run, self._seed, parameters)
        functions = {
            name: FunctionSurvey(questions, replies, reference, assignment)
            for name, (questions, replies) in drawn.items()
        }
        answers = [answer for answer in assignment.catalogue.answers if answer.exercise == exercise.name]
        return Survey(assignment, exercise, functions, answers, assignment.catalogue.questions)


class Reference:
    """The source's own functions in a process of their own, like a student's."""

    def __init__(self, assignment: Assignment, zygote: Spawner) -> None:
        cells = assignment.without_optional([*assignment.reference])
        self._assignment, self._zygote, self._cells = assignment, zygote, cells
        self.run = NotebookRun(zygote, cells, _FOR_EVER)
        self.run.start()
        if self.run.faults:
            raise GraderError(f"the reference of {assignment.stem} does not run: {self.run.faults[0].text}")

    def define(self, id: str, code: str) -> None:
        """Define more functions beside its own, by code of ours; a process that is started anew has them, too."""
        self.run.add(Cell(id, code))

    def close(self) -> None:
        """End the process."""
        self.run.close()


_FOR_EVER = float("inf")


def _parameters(function: str, code: str) -> tuple[str, ...]:
    """The names of a function's parameters, in order."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return tuple(argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    return ()


def _exchanged(probe: Probe, one: int, other: int) -> Probe | None:
    if max(one, other) >= len(probe.args) or is_code(probe.args[one]) or is_code(probe.args[other]):
        return None
    args = list(probe.args)
    args[one], args[other] = args[other], args[one]
    return replace(probe, args=tuple(args))


def _with(questions: Questions, probe: Probe, name: str, read: Any) -> Probe | None:
    """The probe with one of its arguments taken for something else; None where it cannot be, or is not given."""
    for place, value in enumerate((*probe.args, *probe.kwargs.values())):
        if questions.name_of(probe, place) == name:
            other = None if is_code(value) else read(value)
            return None if other is None else with_argument(probe, place, other)
    return None


def _floats(value: Any) -> np.ndarray[Any, Any] | None:
    """The argument as an array of floats; None for what is none: labels, sizes and masks are whole numbers."""
    if isinstance(value, float):
        return np.asarray(value)
    return value if isinstance(value, np.ndarray) and value.dtype.kind == "f" else None


def _reading(change: Any) -> Any:
    def read(value: Any) -> Any:
        floats = _floats(value)
        if floats is None:
            return None
        with np.errstate(all="ignore"):
            changed = change(floats)
        return None if changed is None else float(changed) if isinstance(value, float) else changed

    return read


def _shares(floats: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    return floats / floats.sum() if floats.ndim else None


def _bits(value: Any) -> Any:
    """Labels and masks the other way round."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "b":
        return ~value
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size and set(np.unique(value)) <= {0, 1}:
        return 1 - value
    return None


def _plus_minus(value: Any) -> Any:
    bits = _bits(value)
    return None if bits is None or bits.dtype.kind == "b" else 1 - 2 * bits


def _turned(value: Any) -> Any:
    return value.T if isinstance(value, np.ndarray) and value.ndim == 2 else None


_READINGS = {
    "complement of": _reading(lambda floats: 1 - floats),
    "negative of": _reading(np.negative),
    "exponential of": _reading(np.exp),
    "logarithm of": _reading(np.log),
    "square of": _reading(np.square),
    "double of": _reading(lambda floats: 2 * floats),
    "half of": _reading(lambda floats: floats / 2),
    "root of": _reading(np.sqrt),
    "shares of": _reading(_shares),
    "opposite of": _bits,
    "plus and minus for": _plus_minus,
    "transpose of": _turned,
    "all but the first of": _reading(lambda floats: np.where(_first(floats), 0.0, floats) if floats.ndim else None),
}
"""What an argument can be taken for; the names are those of relations."""


def _first(floats: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where the first entry of every row is."""
    mask = np.zeros(floats.shape, dtype=bool)
    mask[..., :1] = True
    return mask
