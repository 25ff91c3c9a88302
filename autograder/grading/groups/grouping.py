"""From results to groups: the wrong answers to an exercise that behave alike on the probes stand together.

Every answer has a digest of its behaviour, so a class is gone through once, and no two answers are ever compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.course.model import ExerciseResult, Reply, Result


@dataclass(frozen=True)
class Group:
    """Wrong answers to one exercise that behave alike."""

    assignment: str
    exercise: str
    points: int
    """What the exercise is worth."""
    name: str
    """The digest of their behaviour, by which a reply names the group."""
    students: tuple[str, ...]
    scores: tuple[float, ...]
    """What each of the students has, a mark given by hand included."""
    earned: tuple[float, ...]
    """What the checks gave each of them."""
    code: str
    """The shortest of their answers; empty where none was kept."""
    misconception: str | None
    relation: str | None
    question: str | None
    more: bool
    reply: Reply | None

    @property
    def size(self) -> int:
        """How many students answered like this."""
        return len(self.students)

    @property
    def marks(self) -> list[tuple[float, int]]:
        """What they have, and how many have it: the most frequent first."""
        return sorted(Counter(self.scores).items(), key=lambda entry: (-entry[1], entry[0]))

    @property
    def known_as(self) -> str:
        """The belief or the relation in words; empty where neither was recognised."""
        if self.misconception:
            return self.misconception.replace("_", " ")
        return "" if self.relation is None else relation_in_words(self.relation)


def relation_in_words(relation: str) -> str:
    """The name of a relation as people say it, such as "right except for zeros (prior)"."""
    kind, _, rest = relation.partition(": ")
    what, _, argument = rest.partition(": ")
    for name in (f"{kind}: {what}", kind):
        if rest and name in _WORDS:
            return _WORDS[name].format(what=what, argument=argument, rest=rest)
    if kind == "except":
        return f"right except for {what} ({argument})" if argument else f"right except for {what}"
    return relation


_WORDS = {
    "slip": "a slip: {rest}",
    "simple: zero": "right where {argument} is 0",
    "simple: one": "right where {argument} is 1",
    "simple: all zero": "right where {argument} is zero everywhere",
    "simple: one example": "right for a single example",
    "reaction: doubled": "does not follow when {argument} is doubled",
    "reaction: raised": "does not follow when {argument} is raised by 1",
    "reaction: turned": "does not follow when {argument} is turned round",
    "law": "does not obey a law: {rest}",
    "argument ignored": "ignores {rest}",
    "part ignored": "ignores the {what} of {argument}",
    "way": "in what it adds to {argument}: {what}",
    "off by": "off by {rest}, as a term or a factor",
    "factor of": "off by a factor that {rest} decides",
    "size": "off by the length of an axis of {rest}",
    "answers another": "what {rest} answers",
    "another part": "what is asked for as {rest}",
    "one part": "right but for one part ({rest})",
    "changes its arguments": "changes {rest}",
}


def groups(results: Iterable[Result]) -> list[Group]:
    """The groups of some results: by assignment, by exercise as the notebook has them, the largest first.

    What is right, was not attempted or could not be looked at is in none.
    """
    places: dict[tuple[str, str], int] = {}
    members: dict[tuple[str, str, str], list[tuple[str, ExerciseResult]]] = {}
    for result in results:
        for exercise in result.exercises if result.ungraded is None else ():
            places.setdefault((result.assignment, exercise.name), len(places))
            if exercise.group:
                key = result.assignment, exercise.name, exercise.group
                members.setdefault(key, []).append((result.student, exercise))
    found = [_group(key, sorted(answers, key=lambda answer: answer[0])) for key, answers in members.items()]
    return sorted(
        found,
        key=lambda group: (group.assignment, places[group.assignment, group.exercise], -group.size, group.name),
    )


def _group(key: tuple[str, str, str], answers: list[tuple[str, ExerciseResult]]) -> Group:
    assignment, name, behaviour = key
    exercises = [exercise for _, exercise in answers]
    told = Counter((one.misconception, one.relation, one.question, one.more) for one in exercises)
    ((misconception, relation, question, more), _) = told.most_common(1)[0]
    return Group(
        assignment,
        name,
        exercises[0].points,
        behaviour,
        tuple(student for student, _ in answers),
        tuple(exercise.score for exercise in exercises),
        tuple(exercise.earned for exercise in exercises),
        min((exercise.code for exercise in exercises if exercise.code), key=lambda code: (len(code), code), default=""),
        misconception,
        relation,
        question,
        more,
        next((exercise.reply for exercise in exercises if exercise.reply is not None), None),
    )
