"""The feedback page of one submission: from a result to HTML that needs no network and no script.

Students read it. So it shows what a result marks as fit for students, and nothing else: no name of a hidden check, no
detail that is meant for instructors. Whatever a student wrote, names included, is escaped. Words and markup are in
`templates/feedback.html`, `templates/feedback_exercise.html` and `templates/feedback_code.html`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache

from jinja2 import Environment
from markupsafe import Markup

from autograder.classroom.marks import number
from autograder.course.model import ExerciseResult, Fault, Result, Whose
from autograder.course.text import bounded, printable
from autograder.pages import feedback_reply, templating, wording
from autograder.pages.feedback_exercise import ExerciseView, Outcome, Task, is_listed
from autograder.pages.highlighting.highlighter import Shown, plain

_LONGEST, _MOST = 700, 8  # characters of one text, and faults or repairs that are listed


@dataclass(frozen=True)
class Ending:
    """What became of the score in the end: what people, lateness and rounding made of it."""

    score: Decimal
    """Before lateness and rounding; an instructor may have changed what the checks gave."""
    mark: Decimal
    changed_by_hand: bool = False
    due: datetime | None = None
    """In the time zone of the course."""
    late_by: timedelta | None = None
    """None when it is not known when the work was handed in."""
    penalty: Decimal = Decimal(0)

    @property
    def left(self) -> Decimal:
        """What lateness left of the score."""
        return self.score - self.penalty


@dataclass(frozen=True)
class PageView:
    """What the template shows."""

    title: str
    student: str
    graded: bool
    reason: str
    """Why it was not graded; empty when the reason is ours and not the student's to read."""
    provisional: bool
    score: float
    earned: float
    """What the checks gave, without marks that were given by hand."""
    max_score: int
    ending: Ending | None
    outcomes: Sequence[tuple[Outcome, int]]
    exercises: Sequence[ExerciseView]
    sections: Sequence[Markup]
    """The exercises in full."""
    codes: Sequence[Markup]
    """What the student wrote for each of them; empty where there is nothing."""
    faults: Sequence[str]
    repairs: Sequence[str]
    most: int = _MOST


def page(
    result: Result,
    title: str,
    tasks: Mapping[str, Task],
    ending: Ending | None = None,
    coloured: Callable[[str], Shown] = plain,
) -> str:
    """The page about a result. `tasks` says what the exercises asked; without an `ending`, the score is the mark.

    `coloured` makes the student's code ready to be shown.
    """
    graded = result.exercises if result.ungraded is None else ()
    told = [
        _exercise(replace(exercise, code=""), tasks.get(exercise.name), _explaining(exercise, result))
        for exercise in graded
    ]
    counts = Counter(view.outcome for view, _ in told)
    view = PageView(
        title=title,
        student=result.student,
        graded=result.ungraded is None,
        reason=result.ungraded or "" if result.ungraded_by is Whose.STUDENT else "",
        provisional=result.isolation == "none",
        score=result.score,
        earned=result.earned,
        max_score=result.max_score,
        ending=ending,
        outcomes=[(outcome, counts[outcome]) for outcome in Outcome if counts[outcome]],
        exercises=[view for view, _ in told],
        sections=[section for _, section in told],
        codes=[_code(coloured(exercise.code)) if exercise.code else Markup() for exercise in graded],
        faults=[fault.text for fault in result.faults if is_listed(fault)],
        repairs=result.repairs,
    )
    return _templates().get_template("feedback.html").render(page=view)


def _explaining(exercise: ExerciseResult, result: Result) -> tuple[Fault, ...]:
    """The faults of a notebook, when one of them explains a check of the exercise."""
    return result.faults if any(check.fault is not None for check in exercise.checks) else ()


@lru_cache(maxsize=1000)
def _exercise(exercise: ExerciseResult, task: Task | None, faults: tuple[Fault, ...]) -> tuple[ExerciseView, Markup]:
    """An exercise, and the section about it; kept, because many students have the same result."""
    view = ExerciseView.of(feedback_reply.without_our_question(exercise), task, faults)
    reply = feedback_reply.ReplyView.of(exercise)
    section = _templates().get_template("feedback_exercise.html").render(exercise=view, reply=reply)
    return view, templating.trusted(section)


def _code(shown: Shown) -> Markup:
    return templating.trusted(_templates().get_template("feedback_code.html").render(code=shown))


@cache
def _templates() -> Environment:
    def clean(text: str) -> str:
        """A text of any origin: bounded, and without what could steer a reader's screen."""
        return printable(bounded(text, _LONGEST))

    return templating.environment(
        "feedback",
        clean,
        {
            "counted": wording.counted,
            "duration": wording.duration,
            "in_words": wording.in_words,
            "number": number,
            "points": wording.points,
            "short": wording.short,
        },
    )
