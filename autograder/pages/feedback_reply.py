"""What an instructor replied to everybody who answered like a student, as the feedback page shows it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from autograder.course.model import ExerciseResult
from autograder.pages import prose


@dataclass(frozen=True)
class ReplyView:
    """A reply to an exercise: texts as HTML, and the mark if one was given by hand."""

    comment: Markup
    question: Markup
    by_hand: bool
    score: float
    points: int
    """What the exercise is worth."""
    earned: float
    """What the checks gave."""

    @classmethod
    def of(cls, exercise: ExerciseResult) -> ReplyView | None:
        """The reply to an exercise; None where there is none."""
        reply = exercise.reply
        if reply is None:
            return None
        comment, question = reply.comment.strip(), reply.question.strip()
        return cls(
            prose.render(comment, below=3).html if comment else Markup(),
            prose.render(question, below=3).html if question else Markup(),
            reply.points is not None,
            exercise.score,
            exercise.points,
            exercise.earned,
        )


def without_our_question(exercise: ExerciseResult) -> ExerciseResult:
    """The exercise without the question that was found for it, where the instructor asks another one."""
    asks = exercise.reply is not None and exercise.reply.question.strip()
    return replace(exercise, question=None) if asks else exercise
