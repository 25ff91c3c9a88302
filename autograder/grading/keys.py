"""The key of a result: a hash of everything that it depends on, so that the same thing is never graded twice."""

from __future__ import annotations

import dataclasses
import hashlib
import json

from autograder.course import Course
from autograder.course.model import FIXED
from autograder.engine.jobs import Settings
from autograder.grading.fingerprint import fingerprint, hash_of


class Keys:
    """Makes keys; what a class has in common is hashed once."""

    def __init__(self, course: Course, settings: Settings) -> None:
        self._course = course
        self._common = _digest(
            *(f"{name} {version}" for name, version in fingerprint(settings.allowed).items()),
            settings.isolation,
            str(settings.full),
            json.dumps(dataclasses.asdict(settings.limits)),
            *(hash_of(path, course.root) for path in sorted(course.checks.glob("*.py"))),
        )
        self._of_assignment: dict[str, str] = {}

    def key(self, assignment: str, content: bytes, repairs: tuple[str, ...] = (), *, seed: str = FIXED) -> str:
        """The key of a submission's result."""
        if assignment not in self._of_assignment:
            self._of_assignment[assignment] = self._assignment(assignment)
        return _digest(self._of_assignment[assignment], hashlib.sha256(content).hexdigest(), seed, *repairs)

    def _assignment(self, stem: str) -> str:
        course = self._course
        source, suite = course.source(stem), course.suite(stem)
        texts = source.read_text(encoding="utf-8") + suite.read_text(encoding="utf-8")
        data = [path for path in sorted(course.data.iterdir()) if path.name in texts]
        visible = course.checks / "exercises" / f"{stem}.py"
        practice = course.practice(stem)  # a cell of a submission may ask for it
        own = [path for path in (source, suite, course.misconceptions(stem), visible, practice, *data) if path.exists()]
        return _digest(self._common, *(hash_of(path, course.root) for path in own))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
