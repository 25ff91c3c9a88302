"""The seeds of submissions: the same for the same student, assignment and attempt, wherever and whenever it is graded.

They are made where jobs are made, never where student code runs.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from autograder.course import Course
from autograder.course.model import FIXED, Result
from autograder.grading.seeds import secret
from autograder.grading.seeds.attempts import Attempts
from autograder.grading.seeds.secret import VARIABLE, Secret

NO_SECRET = f"hidden numbers are fixed: no secret in CI. To draw them for each submission, set {VARIABLE}."
SAMPLE = "hidden numbers are fixed: this is a sample class."


@dataclass(frozen=True)
class Seed:
    """What the hidden numbers of a submission are drawn from, and what it was made of."""

    text: str
    attempt: str
    secret: str = ""
    """The fingerprint of the secret; empty where the seed is fixed."""


class Seeds:
    """Makes seeds for the submissions of a course; `tell` is called with what whoever grades should know, once.

    With `fixed`, there is no secret, and none is made: everybody is asked with the same numbers.
    """

    def __init__(
        self,
        course: Course,
        *,
        limit: int | None = None,
        fixed: bool = False,
        tell: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._course, self._fixed, self._tell = course, fixed, tell
        self._attempts = Attempts(course, limit=limit)

    @cached_property
    def secret(self) -> Secret | None:
        """The course's secret, made if need be; None where seeds are fixed."""
        found = None if self._fixed else secret.find_or_make(self._course)
        if found is None:
            self._tell(SAMPLE if self._fixed else NO_SECRET)
        elif found.remark:
            self._tell(found.remark)
        return found

    def seed(self, student: str, assignment: str, content: bytes, recorded: Result | None = None) -> Seed:
        """The seed of a submission; that of a recorded result, if there is one and it is of the same attempt."""
        attempt = self._attempts.digest(assignment, content)
        if recorded is None or recorded.attempt != attempt:
            return _seed(self.secret, student, assignment, attempt)
        known = Seed(recorded.seed, attempt, recorded.secret)
        if known != _seed(None if self._fixed else secret.find(self._course), student, assignment, attempt):
            self._tell(
                f"{student}, {assignment}: asked again with the recorded numbers (seed {known.text:.16}), "
                "which are not those of today's secret."
            )
        return known


def _seed(key: Secret | None, student: str, assignment: str, attempt: str) -> Seed:
    if key is None:
        return Seed(FIXED, attempt)
    # One name has several spellings in Unicode, and file systems change one into another.
    text = json.dumps(["seed", unicodedata.normalize("NFC", student), assignment, attempt])
    return Seed(key.code(text), attempt, key.fingerprint)
