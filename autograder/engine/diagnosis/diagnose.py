"""One exercise that failed: probe its functions, and say what is known about the mistake."""

from __future__ import annotations

from autograder.course.kinds import Kind
from autograder.course.model import CheckResult, Exercise, ExerciseResult, Verdict
from autograder.engine.assignment import Assignment
from autograder.engine.diagnosis.finding import Failed, Finding, find
from autograder.engine.diagnosis.probes import ask
from autograder.engine.diagnosis.survey import Surveys
from autograder.engine.judging import ENDED_PROCESS
from autograder.engine.running import NotebookRun

_FAILED = (Verdict.FAILED, *ENDED_PROCESS)


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
    failed = Failed({check.name: check.kind for check in result.checks if _counts(check)})
    if ended:
        return find(survey, {}, failed)
    replies = {name: ask(run, one.questions) for name, one in survey.functions.items()}
    known = {name: told for name, told in replies.items() if told is not None}
    return find(survey, known, failed) if len(known) == len(replies) else Finding()


def _counts(check: CheckResult) -> bool:
    """Whether a check says something about the answer: one that failed, or was not asked because of that."""
    return check.verdict in _FAILED or check.verdict is Verdict.BLOCKED
