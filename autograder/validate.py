"""Who grades the grader: every known answer is graded by the real engine, and must get what it deserves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from autograder import notebook, samples
from autograder.catalogue import Answer
from autograder.course import Course
from autograder.diagnosis import load_catalogue
from autograder.engine.grading import Job, Settings
from autograder.engine.local import grade_locally
from autograder.model import CheckResult, ExerciseResult, Result, Verdict


@dataclass(frozen=True)
class Case:
    """A known answer with what it was given, and what is wrong with that, if anything."""

    exercise: str
    kind: str
    name: str
    score: float
    points: int
    diagnosis: str | None
    problem: str

    @property
    def share(self) -> float:
        """The part of the exercise's points that the answer earned."""
        return self.score / self.points


def validate(course: Course, stem: str, *, isolation: str, workers: int = 2) -> list[Case]:
    """All cases of a notebook: the reference, the untouched stub, and every answer of the catalogue."""
    source = notebook.read_source(course.source(stem))
    answers = load_catalogue(course.misconceptions(stem))
    jobs = [
        Job("reference", stem, notebook.dumps(samples.reference(source))),
        Job("stub", stem, notebook.dumps(samples.untouched(source))),
        *(Job(answer.name, stem, notebook.dumps(samples.with_answer(source, answer))) for answer in answers),
    ]
    outcomes = grade_locally(jobs, Settings(course.root, isolation), workers=workers, stems=[stem])
    by_name = {outcome.result.student: outcome.result for outcome in outcomes}
    cases = [*_whole(by_name["reference"], "reference"), *_whole(by_name["stub"], "stub")]
    return [*cases, *(_answer(answer, by_name[answer.name]) for answer in answers)]


def problems(cases: Iterable[Case]) -> list[str]:
    """What is off, in words; empty when every case got what it deserves."""
    return [f"{case.exercise}, {case.kind} {case.name}: {case.problem}" for case in cases if case.problem]


def table(cases: Sequence[Case]) -> str:
    """A line per exercise: what was accepted, what was rejected, and what the wrong answers still earned."""
    lines = [f"  {'exercise':<32} reference  stub  right  wrong  median  most  diagnosed"]
    for exercise in dict.fromkeys(case.exercise for case in cases):
        own = [case for case in cases if case.exercise == exercise]
        wrong = [case for case in own if case.kind == "misconception"]
        shares = [case.share for case in wrong] or [0.0]
        good = {kind: _good(own, kind) for kind in ("reference", "stub", "right", "misconception")}
        named = sum(case.diagnosis == case.name for case in wrong)
        lines.append(
            f"  {exercise:<32} {good['reference']:>9}  {good['stub']:>4}  {good['right']:>5}  {good['misconception']:>5}"
            f"  {median(shares):>6.0%}  {max(shares):>4.0%}  {named:>3} of {len(wrong)}"
        )
    return "\n".join(lines)


def _good(cases: Sequence[Case], kind: str) -> str:
    own = [case for case in cases if case.kind == kind]
    return f"{sum(not case.problem for case in own)}/{len(own)}"


def _whole(result: Result, kind: str) -> Iterator[Case]:
    if result.ungraded is not None:
        yield Case("all", kind, kind, 0, 1, None, result.ungraded)
    for exercise in result.exercises:
        problem = ""
        if kind == "reference" and exercise.score != exercise.points:
            problem = f"got {exercise.score:g} of {exercise.points}: {_first_failure(exercise.checks)}"
        if kind == "stub" and (exercise.score or exercise.verdict is not Verdict.NOT_ATTEMPTED):
            problem = f"got {exercise.score:g} points and the verdict {exercise.verdict}"
        yield Case(exercise.name, kind, kind, exercise.score, exercise.points, exercise.misconception, problem)


def _answer(answer: Answer, result: Result) -> Case:
    kind = "right" if answer.is_right else "misconception"
    if result.ungraded is not None:
        return Case(answer.exercise, kind, answer.name, 0, 1, None, result.ungraded)
    exercise = next(e for e in result.exercises if e.name == answer.exercise)
    others = [e for e in result.exercises if e.name != answer.exercise and e.score != e.points]
    problem = _problem(answer, exercise)
    if others and not problem:
        problem = f"it costs marks in {others[0].name} as well: {_first_failure(others[0].checks)}"
    return Case(answer.exercise, kind, answer.name, exercise.score, exercise.points, exercise.misconception, problem)


def _problem(answer: Answer, exercise: ExerciseResult) -> str:
    failed = {check.name for check in exercise.checks if check.verdict not in (Verdict.PASSED, Verdict.BLOCKED)}
    visible = any(name.startswith("visible: ") for name in failed)
    if answer.is_right:
        missed = exercise.score != exercise.points
        return f"got {exercise.score:g} of {exercise.points}: {_first_failure(exercise.checks)}" if missed else ""
    if exercise.score == exercise.points:
        return "got full marks"
    if answer.caught_by == "visible":
        return "" if visible else "no visible check rejects it"
    if answer.caught_by not in {check.name for check in exercise.checks}:
        return f"names the check {answer.caught_by}, which does not exist"
    if answer.caught_by not in failed and not visible:
        return f"was not caught by {answer.caught_by}, but by {', '.join(sorted(failed)) or 'nothing'}"
    if exercise.misconception not in (None, answer.name):
        return f"was taken for {exercise.misconception}"
    return ""


def _first_failure(checks: Sequence[CheckResult]) -> str:
    for check in checks:
        if check.verdict is not Verdict.PASSED:
            return f"{check.name} {check.verdict} ({check.detail})"
    return "nothing failed"
