"""A survey of one exercise: its probes, and how the reference, the catalogue and close relatives of both reply."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from autograder.course.catalogue import Answer
from autograder.course.errors import GraderError
from autograder.course.model import Exercise
from autograder.engine.assignment import Assignment
from autograder.engine.diagnosis import drawing, slips, steps
from autograder.engine.diagnosis.behaviour import Behaviour, Layout, parts
from autograder.engine.diagnosis.probes import Probe, Questions, Reply, ask, ask_ours
from autograder.engine.diagnosis.values import is_code
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

    def __init__(self, questions: Questions, replies: Sequence[Reply], reference: _Reference, assignment: Assignment):
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
    def relatives(self) -> list[Relative]:
        """Functions that are close to the right one, those first that say most about a mistake."""
        return [*self._exchanged(), *self._misread(), *self._others()]

    @cached_property
    def slips(self) -> list[Relative]:
        """The reference with one small change."""
        code = self._assignment.answers[self.function]
        changed = slips.slips(self.function, code)
        run = self._reference.with_cell(f"slips of {self.function}", slips.defining(self.function, changed))
        found = []
        for number, mutant in enumerate(changed):
            replies = ask(run, self.questions, f"{slips.SLIP}{number}_{self.function}")
            if replies is not None:
                found.append(Relative(mutant.change, f"slip: {mutant.slip}", self.layout.align(replies)))
        return found

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """What the reference calculates on its way to the answer, probe by probe: values by the number of the step."""
        code = steps.telling(self.function, self._assignment.answers[self.function])
        run = self._reference.with_cell(f"steps of {self.function}", code)
        replies = ask(run, self.questions, f"{steps.STEPS}{self.function}")
        return [dict(parts(reply.value)) if reply.error is None else {} for reply in replies or ()]

    def _exchanged(self) -> Iterator[Relative]:
        """The reference with two of its arguments exchanged."""
        names = self.questions.parameters
        for one, other in combinations(range(len(names)), 2):
            probes = [_exchanged(probe, one, other) for probe in self.questions.probes]
            relation = f"exchanged: {names[one]}, {names[other]}"
            yield from self._relative(relation, relation, probes)

    def _misread(self) -> Iterator[Relative]:
        """The reference with one of its arguments read as something else."""
        for place, name in enumerate(self.questions.parameters):
            for how, read in _READINGS.items():
                probes = [_with(probe, place, read) for probe in self.questions.probes]
                yield from self._relative(f"{name} {how}", f"{how}: {name}", probes)

    def _others(self) -> Iterator[Relative]:
        """The answers to other exercises of the notebook, where they take the same arguments."""
        for name in self._assignment.answers:
            if name != self.function:
                replies = ask(self._reference.run, self.questions, name)
                yield from self._telling(name, f"answers another: {name}", replies)

    def _relative(self, name: str, relation: str, probes: Sequence[Probe | None]) -> Iterator[Relative]:
        """The reference's replies to other probes, if there are any."""
        changed = [probe or own for probe, own in zip(probes, self.questions.probes, strict=True)]
        if all(probe is own for probe, own in zip(changed, self.questions.probes, strict=True)):
            return
        yield from self._telling(
            name, relation, ask(self._reference.run, replace(self.questions, probes=tuple(changed)))
        )

    def _telling(self, name: str, relation: str, replies: list[Reply] | None) -> Iterator[Relative]:
        if replies is None:
            return
        behaviour = self.layout.align(replies)
        if not self.layout.same(behaviour, self.layout.ours).all():
            yield Relative(name, relation, behaviour)


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


class Surveys:
    """The surveys of the notebooks that one grader has to do with. `seed` is the class's: all are asked the same."""

    def __init__(self, session: SuiteSession, seed: str) -> None:
        self._session, self._seed = session, f"probes {seed}"
        self._references: dict[str, _Reference] = {}
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

    def _survey(self, assignment: Assignment, exercise: Exercise, zygote: Spawner) -> Survey:
        stem = assignment.stem
        if stem not in self._references:
            self._references[stem] = _Reference(assignment, zygote)
        reference = self._references[stem]
        checks = [check for check in self._session.checks.get(stem, []) if check.exercise == exercise.name]
        parameters = {name: _parameters(name, assignment.answers[name]) for name in exercise.functions}
        drawn = drawing.draw(self._session, checks, exercise, reference.run, self._seed, parameters)
        functions = {
            name: FunctionSurvey(questions, replies, reference, assignment)
            for name, (questions, replies) in drawn.items()
        }
        answers = [answer for answer in assignment.catalogue.answers if answer.exercise == exercise.name]
        return Survey(assignment, exercise, functions, answers, assignment.catalogue.questions)


class _Reference:
    """The source's own functions in a process of their own, like a student's."""

    def __init__(self, assignment: Assignment, zygote: Spawner) -> None:
        cells = assignment.without_optional([*assignment.reference])
        self._assignment, self._zygote, self._cells = assignment, zygote, cells
        self.run = NotebookRun(zygote, cells, _FOR_EVER)
        self.run.start()
        if self.run.faults:
            raise GraderError(f"the reference of {assignment.stem} does not run: {self.run.faults[0].text}")

    def with_cell(self, id: str, source: str) -> NotebookRun:
        """The run with one more cell, which is run now; a process that has to be started anew runs it, too."""
        self.run.add(Cell(id, source))
        return self.run

    def close(self) -> None:
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


def _with(probe: Probe, place: int, read: Any) -> Probe | None:
    if place >= len(probe.args):
        return None
    value = read(probe.args[place])
    if value is None:
        return None
    return replace(probe, args=(*probe.args[:place], value, *probe.args[place + 1 :]))


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
