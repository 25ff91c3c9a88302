"""Errors followed through: what may use a failed exercise is graded once more with the reference in its place."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from autograder.course.errors import GraderError
from autograder.course.model import Exercise, ExerciseResult, Verdict
from autograder.engine.assignment import Assignment
from autograder.engine.examining import Examination, Shown
from autograder.engine.following.reading import names_used, reachable
from autograder.engine.following.stand_ins import Reference
from autograder.engine.running import NotebookRun
from autograder.engine.session import SuiteSession
from autograder.sandbox.process import Spawner

Granted = dict[tuple[str, ...], list[Exercise]]


class Following:
    """The second runs of one submission.

    What is granted is what the author declared (`Exercise.may_use`) and the student attempted: see `earnest`. Their own
    time is at most what the first run took; the reference's is bounded by a budget of questions.
    """

    def __init__(
        self,
        assignment: Assignment,
        session: SuiteSession,
        zygote: Spawner,
        first: NotebookRun,
        *,
        explain: bool,
        seed: str,
    ) -> None:
        self._assignment, self._session, self._zygote = assignment, session, zygote
        self._explain, self._seed = explain, seed
        deadly = set(first.deadly)
        self._cells = [cell for cell in assignment.without_optional(first.cells) if cell not in deadly]
        # An honest run is shorter than the first one, but must not be cut off on a busy machine either.
        self._left = max(zygote.limits.following_seconds, sum(first.seconds.values()))
        self.asked = 0
        self.explanation: list[str] = []
        self.interruptions: list[str] = []
        """How processes of the second runs were ended from outside."""

    def results(self, first: Sequence[ExerciseResult], granted: Granted) -> tuple[ExerciseResult, ...]:
        """The results of all exercises, the better one of those that were graded twice."""
        better = {result.name: result for result in first}
        cells = self._assignment.without_optional([*self._assignment.reference])
        reference = Reference(self._zygote, cells, time.monotonic() + self._zygote.limits.submission_seconds)
        try:
            for names, exercises in granted.items():
                if self._left > 0:
                    for second in self._again(exercises, names, reference):
                        if second.score > better[second.name].score:
                            better[second.name] = replace(second, followed_through=True)
        finally:
            reference.close()
            self.asked += reference.asked
        return tuple(better[result.name] for result in first)

    def granted(self, first: Sequence[ExerciseResult], attempted: Collection[str]) -> Granted:
        """The exercises to grade once more, by the functions that the reference stands in for.

        `attempted` are the functions that failed although somebody tried to write them.
        """
        wanted = declared(self._assignment.exercises, first)
        if not attempted or not wanted:
            return {}
        functions = {exercise.name: exercise.functions for exercise in self._assignment.exercises}
        uses = names_used(self._zygote, self._cells)
        found: Granted = {}
        for exercise, failed in wanted.items():
            reached = reachable(uses, exercise.functions)
            names = tuple(n for one in failed for n in functions[one] if n in reached and n in attempted)
            if names:
                found.setdefault(names, []).append(exercise)
        return found

    def _again(
        self, exercises: Sequence[Exercise], names: tuple[str, ...], reference: Reference
    ) -> tuple[ExerciseResult, ...]:
        reference.start()
        run = NotebookRun(self._zygote, self._cells, time.monotonic() + self._left, stand_ins=names)

        def answer(question: dict[str, Any], seconds: float) -> dict[str, Any]:
            asked = time.monotonic()
            try:
                return reference.answer(names, question, seconds)
            finally:
                run.deadline += 2 * (time.monotonic() - asked)  # the way there and back is not its own time either

        run.call_back = answer
        examination = Examination(
            self._assignment, self._session, run, explain=self._explain, shown=Shown.VERDICTS, seed=self._seed
        )
        try:
            run.start()
            examination.ask_visible(exercises)
            results = examination.results()
        finally:
            run.close()
            self.interruptions += run.interruptions
            self._left = run.deadline - time.monotonic()
        if self._explain:
            told = ", ".join(exercise.name for exercise in exercises)
            self.explanation += [
                f"{told} · followed through, with the reference as {', '.join(names)}:",
                *examination.explanation,
            ]
        if any(check.verdict is Verdict.GRADER_ERROR for result in results for check in result.checks):
            raise GraderError(f"following {exercises[0].name} through failed")
        return results


def declared(exercises: Sequence[Exercise], results: Sequence[ExerciseResult]) -> dict[Exercise, tuple[str, ...]]:
    """The exercises that failed and may use others that failed, too, each with these."""
    verdicts = {result.name: result.verdict for result in results}
    failed = {name for name, verdict in verdicts.items() if verdict is not Verdict.PASSED}
    if Verdict.GRADER_ERROR in verdicts.values():
        return {}
    below = {one: tuple(name for name in one.may_use if name in failed) for one in exercises if one.name in failed}
    return {exercise: names for exercise, names in below.items() if names}
