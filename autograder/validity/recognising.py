"""How well mistakes are recognised: known wrong answers, each as a stranger, and mutants that no rule was made for.

A question is true if what it is about can be seen again: the same belief, or the same relation, is found with probes
that were drawn anew.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from autograder.course import Course, codec, policy
from autograder.course.catalogue import Answer
from autograder.course.errors import AutograderError, GraderError
from autograder.course.kinds import Kind
from autograder.course.model import Exercise
from autograder.engine.assignment import Assignment, load_assignment
from autograder.engine.diagnosis.difference import Failed
from autograder.engine.diagnosis.finding import Finding, find, holding
from autograder.engine.diagnosis.slips import SLIP, defining, is_bounded
from autograder.engine.diagnosis.survey import PATIENCE, Survey, Surveys
from autograder.engine.probing.changes import Asking
from autograder.engine.probing.probes import Questions, Reply, ask_ours, ask_several
from autograder.engine.running import NotebookRun
from autograder.engine.session import SuiteSession
from autograder.sandbox.process import Spawner, Zygote
from autograder.validity.record import Recognised

SEEDS = ("recognising 0", "recognising 1")
"""What probes are drawn from: a name is given with the first, and has to be given again with the second."""
ASIDE = 10  # one in so many wrong answers is kept aside: what is found out about it, is found out without any of them
_TOGETHER = 20  # mutants that are asked in one go


@dataclass(frozen=True)
class Mutated:
    """A mutant that is rejected: the function, its code, and the checks that it does not pass."""

    function: str
    code: str
    failed: dict[str, Kind]


@dataclass(frozen=True)
class Task:
    """What is to be recognised in one exercise: wrong answers by name, with the checks that they fail, and mutants."""

    failed: dict[str, dict[str, Kind]]
    mutants: tuple[Mutated, ...]


def recognise(
    course: Course, tasks: Mapping[str, Mapping[str, Task]], *, workers: int = 2
) -> dict[str, dict[str, Recognised]]:
    """What is recognised, by notebook and exercise."""
    with ThreadPoolExecutor(workers) as pool:
        return dict(zip(tasks, pool.map(partial(_recognise, course), tasks.items()), strict=True))


def _recognise(course: Course, given: tuple[str, Mapping[str, Task]]) -> dict[str, Recognised]:
    # In a process of its own: pytest, which collects the suites, leaves them in the process that it ran in.
    stem, tasks = given
    command = [sys.executable, "-m", "autograder.validity.recognising", str(course.root.resolve()), stem]
    sent = json.dumps({name: codec.to_plain(task) for name, task in tasks.items()})
    done = subprocess.run(command, input=sent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise GraderError(f"what is recognised in {stem} could not be found out: {done.stderr.strip()}")
    return codec.decode(done.stdout.encode(), dict[str, Recognised])


def main(root: str, stem: str) -> int:
    """Print what is recognised in a notebook as JSON; the tasks come from standard input."""
    course = Course(Path(root))
    tasks = codec.decode(sys.stdin.buffer.read(), dict[str, Task])
    sys.path.insert(0, str(course.notebooks))
    found: dict[str, Any] = {}

    def work(session: SuiteSession) -> None:
        # What runs in it is our own: it needs no walls.
        zygote = Zygote("none", checks=course.checks, data=course.data, limits=policy.limits(course))
        surveys = [Surveys(session, seed) for seed in SEEDS]
        try:
            assignment = load_assignment(course, stem)
            for exercise in assignment.exercises:
                if exercise.name in tasks:
                    one = _Exercise(surveys, assignment, exercise, zygote, tasks[exercise.name])
                    found[exercise.name] = codec.to_plain(one.recognised())
        finally:
            for survey in surveys:
                survey.close()
            zygote.close()

    try:
        SuiteSession(work).main([course.suite(stem)])
    except AutograderError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(found))
    return 0


class _Exercise:
    """One exercise, asked with both draws."""

    def __init__(
        self, surveys: Sequence[Surveys], assignment: Assignment, exercise: Exercise, zygote: Spawner, task: Task
    ) -> None:
        self._surveys = [one.of(assignment, exercise, zygote) for one in surveys]
        self._runs = [one.reference(assignment, zygote) for one in surveys]
        self._exercise, self._task = exercise, task
        self._wrong = [
            answer
            for answer in assignment.catalogue.answers
            if answer.exercise == exercise.name and not answer.is_right and answer.name in task.failed
        ]

    def recognised(self) -> Recognised:
        """What becomes of all wrong answers to it."""
        own = [(answer, self._found(answer, self._surveys)) for answer in self._wrong]
        strangers = [(answer, self._found(answer, self._without([answer]))) for answer in self._wrong]
        hidden = [answer for answer in self._wrong if is_aside(answer)]
        unseen = self._without(hidden)
        aside = [self._found(answer, unseen) for answer in hidden]
        mutants = list(self._of_mutants())
        return Recognised(
            named=sum(all(one.finding.belief == answer.name for one in both) for answer, both in own),
            misnamed=tuple(
                (answer.name, one.finding.belief)
                for answer, (one, _) in own
                if one.finding.belief is not None and one.finding.belief != answer.name
            ),
            alike=tuple(
                (answer.name, one.finding.belief)
                for answer, (one, other) in strangers
                if one.finding.belief is not None and _is_true(one, other)
            ),
            strangers=len(strangers),
            asked=sum(one.finding.question is not None for _, (one, _) in strangers),
            false=tuple(answer.name for answer, both in strangers if not _is_true(*both)),
            aside=len(aside),
            aside_asked=sum(one.finding.question is not None and _is_true(one, other) for one, other in aside),
            mutants=len(mutants),
            mutants_asked=sum(one.finding.question is not None for one, _ in mutants),
            mutants_false=sum(not _is_true(*both) for both in mutants),
        )

    def _without(self, answers: Sequence[Answer]) -> list[Survey]:
        return [survey.without({answer.name for answer in answers}) for survey in self._surveys]

    def _found(self, answer: Answer, surveys: Sequence[Survey]) -> list[_Answered]:
        """What is found behind a wrong answer, with both draws; its other functions are right."""
        failed = Failed(self._task.failed[answer.name])
        found = []
        for survey in surveys:
            replies: dict[str, list[Reply]] = {name: list(one.replies) for name, one in survey.functions.items()}
            if answer.function in replies:
                replies[answer.function] = ask_ours(answer.implementation, survey.functions[answer.function].questions)
            found.append(_Answered(survey, replies, failed, partial(ask_ours, answer.implementation)))
        return found

    def _of_mutants(self) -> Iterator[list[_Answered]]:
        """What is found behind each mutant, without the rule that knows small changes."""
        surveys = self._without(self._wrong)
        for function in self._exercise.functions:
            own = [one for one in self._task.mutants if one.function == function and is_bounded(one.code)]
            told = [self._replies(at, function, [one.code for one in own]) for at in range(len(SEEDS))]
            for number, (mutant, *replies) in enumerate(zip(own, *told, strict=True)):
                name = _mutant(function, number)
                known = [
                    _Answered(
                        survey,
                        self._with(survey, function, replied),
                        Failed(mutant.failed),
                        partial(_ask, run.run, name),
                        slips=False,
                    )
                    for survey, run, replied in zip(surveys, self._runs, replies, strict=True)
                    if replied is not None
                ]
                if len(known) == len(SEEDS):
                    yield known

    def _replies(self, at: int, function: str, codes: Sequence[str]) -> list[list[Reply] | None]:
        """What functions with these codes reply, in the reference's process; None for what does not live to tell."""
        survey, run = self._surveys[at].functions[function], self._runs[at]
        run.define(f"mutants of {function}", defining(function, codes))
        names = [_mutant(function, number) for number in range(len(codes))]
        found: list[list[Reply] | None] = []
        for start in range(0, len(names), _TOGETHER):
            some = names[start : start + _TOGETHER]
            found += ask_several(run.run, survey.questions, some, PATIENCE) or [
                _ask(run.run, name, survey.questions) for name in some
            ]
        return found

    def _with(self, survey: Survey, function: str, replies: list[Reply]) -> dict[str, list[Reply]]:
        return {**{name: list(one.replies) for name, one in survey.functions.items()}, function: replies}


def _mutant(function: str, number: int) -> str:
    return f"{SLIP}{number}_{function}"


def _ask(run: NotebookRun, name: str, questions: Questions) -> list[Reply] | None:
    return next(iter(ask_several(run, questions, [name])), None)


def is_aside(answer: Answer) -> bool:
    """Whether a wrong answer is kept aside; a hash decides, so nobody can choose."""
    return hashlib.sha256(answer.name.encode()).digest()[0] % ASIDE == 0


@dataclass(frozen=True)
class _Answered:
    """The replies of a wrong answer to one draw of probes, and what they show."""

    survey: Survey
    replies: Mapping[str, list[Reply]]
    failed: Failed
    asking: Asking
    slips: bool = True

    @cached_property
    def finding(self) -> Finding:
        """What a student would be told."""
        return find(self.survey, self.replies, self.failed, self.asking, slips=self.slips)

    def shows(self, relation: str | None) -> bool:
        """Whether a relation holds, be it the first that is found or not."""
        names = holding(self.survey, self.replies, self.failed, self.asking, slips=self.slips)
        return relation == self.finding.relation or any(relation == name for name in names)


def _is_true(one: _Answered, other: _Answered) -> bool:
    """Whether what is found with one draw holds with the other, too; who says nothing says nothing false.

    An exception may be named by the sort of its input with one draw, and by the kind of its check with the other.
    """
    found, again = one.finding, other.finding
    if found.question is None:
        return True
    if found.belief is not None or again.belief is not None:
        return found.belief == again.belief
    names = {found.relation or "", again.relation or ""}
    if all(name.startswith("except: ") for name in names) and names & {f"except: {kind.value}" for kind in Kind}:
        return True
    return other.shows(found.relation)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
