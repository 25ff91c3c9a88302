"""What was asked before: the seeds of results, found again by the code that was handed in."""

from __future__ import annotations

from pathlib import Path

from autograder.course import Course
from autograder.course.errors import UsageError
from autograder.course.model import Result
from autograder.grading import reading, store
from autograder.grading.reading import Unreadable, counted
from autograder.grading.seeds import secret
from autograder.grading.seeds.seeding import Seed, Seeds


class Appeals:
    """Finds out what submissions were asked whose results are in a folder; `cautions` say where that is not known.

    Only where nothing fits does it take the seeds that the course's secret gives today.
    """

    def __init__(self, folder: Path, seeds: Seeds) -> None:
        self._folder, self._seeds = folder, seeds
        self.cautions: list[str] = []

    def asked(self, student: str, assignment: str, content: bytes) -> tuple[str, Seed]:
        """Whose submission it is according to the results, and the seed that it was asked with.

        A file that lies somewhere else, or has another name, is known by its code.
        """
        attempt = self._seeds.attempt(content)
        path = store.path_of(self._folder, student, assignment)
        recorded = reading.read(path)
        if isinstance(recorded, Unreadable):  # whoever else handed in this code was asked something else
            self.cautions.append(f"{student}, {assignment}: {_unreadable(recorded)}")
            recorded = None
        elif recorded is None or recorded.attempt != attempt:
            alike, unreadable = self._alike(assignment, attempt)
            recorded = alike[0] if len(alike) == 1 else None
            words = self._words(student, [one.student for one in alike])
            doubt = f" {counted(unreadable)}, and may be of this code, too." if unreadable else ""
            self.cautions.append(f"{student}, {assignment}: {words}{doubt}")
        if recorded is None:
            return student, self._seeds.seed(student, assignment, content)
        return recorded.student, Seed(recorded.seed, attempt, recorded.secret)

    def _alike(self, assignment: str, attempt: str) -> tuple[list[Result], list[Unreadable]]:
        """The results of the very same code, whoever handed it in, and what cannot be read of the assignment."""
        results, unreadable = reading.in_folder(self._folder, assignment).apart()
        return [result for result in results if result.attempt == attempt], list(unreadable)

    def _words(self, student: str, owners: list[str]) -> str:
        if len(owners) == 1:
            return f"this is the code of {owners[0]}, who was asked again."
        if owners:
            return (
                f"this is the code of {', '.join(owners)}. It was asked with numbers for {student}; to see what one of "
                "them was asked, put it into a folder with the name of that student."
            )
        return (
            f"{self._folder} has no result of this code. It was asked with the numbers that {student} would get now; "
            "to see what somebody was asked before, take the file that was graded then."
        )


def _unreadable(one: Unreadable) -> str:
    return (
        f"the result in {one.where} cannot be read: {one.reason}. It was asked with the numbers that it would get now; "
        "put the result back from your copy to see what was asked before."
    )


def refuse_lost_secret(course: Course, folder: Path) -> None:
    """Raise where the results in a folder were drawn with a secret, and the course has none: a new one is no help."""
    if secret.in_ci() or secret.find(course) is not None:
        return
    results, _ = reading.in_folder(folder).apart()  # what cannot be read is graded anew, and named then
    known = next((result.secret for result in results if result.secret), None)
    if known is not None:
        raise UsageError(
            f"The results in {folder} were drawn with the secret of fingerprint {known}, and the course has no secret "
            f"now. Put {secret.place(course)} back from your copy, or set {secret.VARIABLE} to it. With --force, a new "
            "one is made, and everybody is asked with other numbers."
        )
