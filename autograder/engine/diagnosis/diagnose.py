"""One exercise that failed: probe its functions, and say what is known about the mistake."""

from __future__ import annotations

from functools import partial

from autograder.course.kinds import Kind
from autograder.course.model import Exercise, ExerciseResult, Verdict
from autograder.engine.assignment import Assignment
from autograder.engine.diagnosis.difference import Failed
from autograder.engine.diagnosis.finding import Finding, find
from autograder.engine.diagnosis.survey import Surveys
from autograder.engine.judging import ENDED_PROCESS
from autograder.engine.probing.probes import ask
from autograder.engine.running import NotebookRun

_NOT_PASSED = (Verdict.FAILED, *ENDED_PROCESS, Verdict.BLOCKED)


def diagnose(
    surveys: Surveys, assignment: Assignment, exercise: Exercise, result: ExerciseResult, run: NotebookRun
) -> Finding:
    """What is known about an answer that failed, after all its checks have been asked.

    What ended its process is not asked anything more: that it did is its behaviour. Only an answer that is too slow
    for a check of speed, and right otherwise, gets the question that goes with that.
    """
    ended = [check for check in result.checks if check.verdict in ENDED_PROCESS]
    if ended and any(check.kind is not Kind.SPEED for check in ended):
        return Finding(behaviour=ended[0].verdict.value)
    survey = surveys.of(assignment, exercise, run.zygote)
    not_passed = Failed(failed(result))
    if ended:
        return find(survey, {}, not_passed, partial(ask, run))
    replies = {name: ask(run, one.questions) for name, one in survey.functions.items()}
    known = {name: told for name, told in replies.items() if told is not None}
    return find(survey, known, not_passed, partial(ask, run)) if len(known) == len(replies) else Finding()


def failed(result: ExerciseResult) -> dict[str, Kind]:
    """The checks that say something is wrong, with their kinds: they failed, or were not asked because one had."""
    return {check.name: check.kind for check in result.checks if check.verdict in _NOT_PASSED}
