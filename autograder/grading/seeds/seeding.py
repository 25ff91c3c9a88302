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
from autograder.course.model import FIXED
from autograder.grading.seeds import attempts, secret
from autograder.grading.seeds.secret import VARIABLE, Secret

NO_SECRET = f"hidden numbers are fixed: no secret in CI. To draw them for each submission, set {VARIABLE}."
SAMPLE = "hidden numbers are fixed: this is a sample class."
NONE_LEFT = "hidden numbers are fixed: the course has no secret now."


@dataclass(frozen=True)
class Seed:
    """What the hidden numbers of a submission are drawn from, and what it was made of."""

    text: str
    attempt: str
    secret: str = ""
    """The fingerprint of the secret; empty where the seed is fixed."""


class Seeds:
    """Makes seeds for the submissions of a course; `tell` is called with what whoever grades should know, once.

    With `fixed`, there is no secret, and none is made: everybody is asked with the same numbers. Without `make`, a
    secret is used where there is one, and none is made.
    """

    def __init__(
        self,
        course: Course,
        *,
        limit: int | None = None,
        fixed: bool = False,
        make: bool = True,
        tell: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._course, self._limit, self._fixed, self._make, self._tell = course, limit, fixed, make, tell

    @cached_property
    def secret(self) -> Secret | None:
        """The course's secret; None where seeds are fixed."""
        find = secret.find_or_make if self._make else secret.find
        found = None if self._fixed else find(self._course)
        if found is None:
            self._tell(SAMPLE if self._fixed else NO_SECRET if self._make else NONE_LEFT)
        elif found.remark:
            self._tell(found.remark)
        return found

    @property
    def probes(self) -> str:
        """What the numbers of the probes are drawn from: one seed for the whole class."""
        return FIXED if self.secret is None else self.secret.code(json.dumps(["probes"]))

    def attempt(self, content: bytes) -> str:
        """What tells the attempt apart from others."""
        return attempts.digest(content, limit=self._limit)

    def seed(self, student: str, assignment: str, content: bytes) -> Seed:
        """The seed of a submission."""
        return _seed(self.secret, student, assignment, self.attempt(content))


def _seed(key: Secret | None, student: str, assignment: str, attempt: str) -> Seed:
    if key is None:
        return Seed(FIXED, attempt)
    # One name has several spellings in Unicode, and file systems change one into another.
    text = json.dumps(["seed", unicodedata.normalize("NFC", student), assignment, attempt])
    return Seed(key.code(text), attempt, key.fingerprint)
