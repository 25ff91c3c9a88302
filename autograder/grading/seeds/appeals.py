"""What was asked before: the seeds of results, found again by the code that was handed in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from autograder.course.model import Result
from autograder.grading import store
from autograder.grading.seeds.seeding import Seed, Seeds


class Appeals:
    """Finds out what submissions were asked whose results are in a folder; `tell` is called with what is not as it was.

    Only where nothing fits does it take the seeds that the course's secret gives today.
    """

    def __init__(self, folder: Path, seeds: Seeds, tell: Callable[[str], None]) -> None:
        self._folder, self._seeds, self._tell = folder, seeds, tell

    def asked(self, student: str, assignment: str, content: bytes) -> tuple[str, Seed]:
        """Whose submission it is according to the results, and the seed that it was asked with.

        A file that lies somewhere else, or has another name, is known by its code.
        """
        attempt = self._seeds.attempt(content)
        recorded = store.read(store.path_of(self._folder, student, assignment))
        if recorded is None or recorded.attempt != attempt:
            alike = self._alike(assignment, attempt)
            recorded = alike[0] if len(alike) == 1 else None
            self._tell(self._words(student, assignment, [result.student for result in alike]))
        if recorded is None:
            return student, self._seeds.seed(student, assignment, content)
        return recorded.student, Seed(recorded.seed, attempt, recorded.secret)

    def _alike(self, assignment: str, attempt: str) -> list[Result]:
        """The results of the very same code, whoever handed it in."""
        found = (store.read(path) for path in sorted((self._folder / "results").glob(f"*/{assignment}.json")))
        return [result for result in found if result is not None and result.attempt == attempt]

    def _words(self, student: str, assignment: str, owners: list[str]) -> str:
        if len(owners) == 1:
            return f"{student}, {assignment}: this is the code of {owners[0]}, who is asked again."
        fresh = "These are not the numbers that were asked."
        if owners:
            return (
                f"{student}, {assignment}: this is the code of {', '.join(owners)}. {fresh} Name the notebook in the "
                "folder of the student that you mean."
            )
        return f"{student}, {assignment}: {self._folder} has no result of this code. {fresh}"
