"""Who grades the grader: every known answer is graded by the real engine, and what it gets is put on record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nbformat import NotebookNode

from autograder.course import Course, catalogue, notebook, policy, sources
from autograder.course.catalogue import Answer
from autograder.course.errors import GraderError, UsageError
from autograder.course.model import Exercise
from autograder.engine.diagnosis import mutants
from autograder.engine.diagnosis.diagnose import failed
from autograder.engine.jobs import Job, Outcome, Settings
from autograder.engine.judging import ENDED_PROCESS
from autograder.engine.recording import Recorded, unpack
from autograder.grading.local import grade_locally
from autograder.validity import by_heart, criteria, luck, promises, proof, recognising, samples, wires
from autograder.validity.criteria import Evidence, Rejected
from autograder.validity.luck import Graded
from autograder.validity.recognising import Mutated, Task
from autograder.validity.record import UNKNOWN, Recognised, Record

Progress = Callable[[int, int], None]
# Seconds for a call of an answer that should fail: some loop forever, and what is too slow has to be too slow on a
# machine that is twice as fast as this one, too.
_PATIENCE = 4.0
_SLOWER = 4  # how much longer than in grading a right answer may take: this machine may be busy with something else


def validate(
    course: Course,
    stems: Sequence[str],
    *,
    isolation: str,
    workers: int = 2,
    seeds: int = luck.RECORDED,
    only: str | None = None,
    diagnosis: bool = True,
    progress: Progress = lambda done, total: None,
) -> list[Record]:
    """The record of each stem, with the numbers of so many seeds; with `only`, of this exercise alone.

    The references come first: the answers known by heart are made of theirs.
    The notebook that passes on as much as it can comes last: it is made of the answers that earned most by that.

    Without `diagnosis`, nobody finds out what it makes of strangers and mutants: that takes a few minutes.
    """
    fingerprints = proof.fingerprints(course, stems)  # of what is about to be tried, not of what is edited meanwhile
    usual = policy.limits(course)
    cases = {stem: _Cases(course, stem, luck.seeds(seeds), only) for stem in stems}
    slow = replace(
        usual, call_seconds=_SLOWER * usual.call_seconds, submission_seconds=_SLOWER * usual.submission_seconds
    )
    settings = Settings(course.root, isolation, slow, allowed=policy.allowed(course))
    for part in (_Cases.whole_jobs, _Cases.other_jobs, _Cases.wired_jobs):
        jobs = [job for case in cases.values() for job in part(case)]
        for done, outcome in enumerate(grade_locally(jobs, settings, workers=workers, stems=stems), 1):
            cases[outcome.result.assignment].take(outcome)
            progress(done, len(jobs))
    tasks = {stem: case.tasks() for stem, case in cases.items()} if diagnosis else {}
    recognised = recognising.recognise(course, tasks, workers=workers)
    return [
        criteria.record(stem, fingerprints[stem], case.evidence(recognised.get(stem, {})), case.wired(), seeds)
        for stem, case in cases.items()
    ]


class _Cases:
    """The known answers to one notebook: as jobs for the engine, and as evidence after they were graded."""

    def __init__(self, course: Course, stem: str, seeds: tuple[str, ...], only: str | None) -> None:
        self._stem = stem
        self._seed, self._other_seeds = seeds[0], seeds[1:]
        self._source = sources.read(course.source(stem))
        self._all = sources.exercises(self._source)
        self._exercises = [exercise for exercise in self._all if only in (None, exercise.name)]
        if not self._exercises:
            raise UsageError(f"{stem} has no exercise {only!r}. It has: {', '.join(one.name for one in self._all)}.")
        self._lean = _graded_cells(self._source)
        module = catalogue.load(course.misconceptions(stem)) if course.misconceptions(stem).exists() else None
        answers = [answer for answer in catalogue.answers(module) if only in (None, answer.exercise)]
        self._wrong = {answer.name: answer for answer in answers if not answer.is_right}
        self._rows = _rows([answer for answer in answers if answer.is_right])
        self._survivors = catalogue.survivors(module)
        self._kept = promises.kept(course.suite(stem))
        self._mutants = [
            (exercise, mutant)
            for exercise in self._exercises
            for function in exercise.functions
            for mutant in mutants.mutants(function, samples.reference_code(self._source, function))
        ]
        self._attempts = wires.attempts(self._source)
        self._wires = [wire for exercise in self._exercises for wire in wires.wires(self._source, exercise)]
        self._known: dict[str, list[Recorded]] = {}
        self._graded: dict[str, dict[str, Graded]] = {}
        self._rejected: dict[str, Rejected] = {}

    def whole_jobs(self) -> Iterator[Job]:
        """The reference and the stub, as whole as students hand them in."""
        reference, stub = samples.reference(self._source), samples.untouched(self._source)
        yield Job("reference", self._stem, notebook.dumps(reference), record=True, **self._seeds())
        yield Job("stub", self._stem, notebook.dumps(stub), seed=self._seed)

    def other_jobs(self) -> Iterator[Job]:
        """All other answers. Of a wrong one, only the exercise that it answers is examined; mutants until they fail."""
        for name, answer in self._wrong.items():
            how = {"only": answer.exercise, "patience": _PATIENCE}
            yield self._job(f"wrong {name}", {answer.function: answer.source()}, **how, **self._seeds())
        for number, row in enumerate(self._rows):
            answers = {answer.function: answer.source() for answer in row}
            yield self._job(f"right {number}", answers, **self._seeds())
        for number, wire in enumerate(self._wires):
            yield self._passing_on(f"wired {number}", {wire.through, wire.exercise}, wire.answers)
        for exercise in self._exercises:
            calls = [call for call in self._known[exercise.name] if call.visible]
            if by_heart.takes_input(calls):
                answers = by_heart.answers(exercise.functions, calls)
                yield self._job(f"by-heart {exercise.name}", answers, only=exercise.name, **self._seeds())
        expected = {criteria.known_as(survivor) for survivor in self._survivors}
        for number, (exercise, mutant) in enumerate(self._mutants):
            patience = None if criteria.known_as(mutant) in expected else _PATIENCE
            how = {"only": exercise.name, "brief": True, "patience": patience}
            yield self._job(f"mutant {number}", {mutant.function: mutant.source}, **how, **self._seeds())

    def wired_jobs(self) -> Iterator[Job]:
        """The notebook in which every exercise passes on what it may use, in the way that earned most."""
        best: dict[str, str] = {}
        for exercise in self._exercises:
            ways = [(self._earned(n), wire) for n, wire in enumerate(self._wires) if wire.exercise == exercise.name]
            if ways:
                best |= max(ways, key=lambda way: way[0])[1].answers
        yield self._passing_on("all wired", {exercise.name for exercise in self._exercises}, best)

    def wired(self) -> float:
        """The marks of that notebook, in which nothing was solved."""
        return round(sum(graded.result.score for graded in self._graded["all wired"].values()), 2)

    def take(self, outcome: Outcome) -> None:
        """Keep what an answer was given; calls are looked at now, because there are many."""
        result = outcome.result
        if result.ungraded is not None:
            raise GraderError(f"{self._stem}: the answer {result.student!r} could not be graded: {result.ungraded}")
        others = {
            exercise.name: tuple(mark for marks in outcome.others for mark in marks if mark.exercise == exercise.name)
            for exercise in result.exercises
        }
        self._graded[result.student] = {
            exercise.name: Graded(exercise, others[exercise.name]) for exercise in result.exercises
        }
        kind, _, name = result.student.partition(" ")
        if kind == "reference":
            self._known = {
                exercise.name: _calls_of(exercise, map(unpack, outcome.calls)) for exercise in self._exercises
            }
        elif kind == "wrong":
            self._rejected[name] = self._rejection(self._wrong[name], outcome)

    def tasks(self) -> dict[str, Task]:
        """What the diagnosis is to recognise, by exercise: wrong answers and mutants that were rejected."""
        found = {}
        for exercise in self._exercises:
            wrong = {
                name: one.graded.result for name, one in self._rejected.items() if one.answer.exercise == exercise.name
            }
            rejected = [
                (mutant, self._graded[f"mutant {number}"][exercise.name].result)
                for number, (own, mutant) in enumerate(self._mutants)
                if own is exercise
            ]
            found[exercise.name] = Task(
                {name: failed(result) for name, result in wrong.items() if failed(result)},
                tuple(
                    Mutated(mutant.function, mutant.source, failed(result))
                    for mutant, result in rejected
                    if failed(result) and not any(check.verdict in ENDED_PROCESS for check in result.checks)
                ),
            )
        return found

    def evidence(self, recognised: Mapping[str, Recognised]) -> Iterator[Evidence]:
        """What was found, exercise by exercise."""
        for exercise in self._exercises:
            name = exercise.name
            rows = [
                (tuple(answer.name for answer in row if answer.exercise == name), self._graded[f"right {number}"][name])
                for number, row in enumerate(self._rows)
            ]
            yield Evidence(
                exercise,
                self._graded["reference"][name],
                self._graded["stub"][name],
                self._graded.get(f"by-heart {name}", {}).get(name),
                rows,
                [self._rejected[wrong] for wrong, answer in self._wrong.items() if answer.exercise == name],
                [
                    (mutant, self._graded[f"mutant {number}"][name])
                    for number, (own, mutant) in enumerate(self._mutants)
                    if own is exercise
                ],
                [survivor for survivor in self._survivors if survivor.function in exercise.functions],
                [
                    (wire, self._graded[f"wired {number}"][name].result)
                    for number, wire in enumerate(self._wires)
                    if wire.exercise == name
                ],
                promises.made(self._source, exercise),
                self._kept.get(name, {}),
                self._known[name],
                recognised.get(name, UNKNOWN),
            )

    def _passing_on(self, name: str, attempted: set[str], answers: Mapping[str, str]) -> Job:
        """A notebook in which some exercises were attempted in vain and some pass on others; the rest are stubs."""
        functions = [f for exercise in self._all if exercise.name in attempted for f in exercise.functions]
        tried = {function: self._attempts[function] for function in functions}
        return self._job(name, {**sources.stubs(self._source), **tried, **answers}, patience=_PATIENCE, seed=self._seed)

    def _earned(self, number: int) -> float:
        wire = self._wires[number]
        return self._graded[f"wired {number}"][wire.exercise].result.score

    def _seeds(self) -> dict[str, Any]:
        return {"seed": self._seed, "other_seeds": self._other_seeds}

    def _job(self, name: str, answers: Mapping[str, str], **how: Any) -> Job:
        return Job(name, self._stem, notebook.dumps(samples.answered(self._lean, answers)), **how)

    def _rejection(self, answer: Answer, outcome: Outcome) -> Rejected:
        return Rejected(answer, self._graded[outcome.result.student][answer.exercise])


def _calls_of(exercise: Exercise, calls: Iterable[Recorded]) -> list[Recorded]:
    return [call for call in calls if call.function in exercise.functions]


def _graded_cells(source: NotebookNode) -> NotebookNode:
    """The source without what grading skips and without magics, which only say how figures are shown.

    It is run hundreds of times.
    """
    lean = samples.reference(source)
    skipped = sources.demo_cells(source) | sources.check_cells(source)
    lean.cells = [cell for cell in lean.cells if cell.cell_type == "code" and cell.source.strip() not in skipped]
    for cell in lean.cells:
        cell.source = "\n".join(line for line in cell.source.splitlines() if not line.startswith("%"))
    return lean


def _rows(right: Sequence[Answer]) -> list[list[Answer]]:
    """The right answers in rows, none of which has two for the same function: a row fills a whole notebook."""
    rows: list[list[Answer]] = []
    for answer in right:
        row = next((row for row in rows if all(other.function != answer.function for other in row)), None)
        if row is None:
            rows.append([answer])
        else:
            row.append(answer)
    return rows
