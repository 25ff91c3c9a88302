"""Grading one submission: run its notebook in a sandbox, ask every check, follow errors through, and sum up."""

from __future__ import annotations

import contextlib
import time
from socket import socket

from nbformat import NotebookNode

from autograder.course import Course, notebook
from autograder.course.errors import GraderError, SubmissionError
from autograder.course.limits import Limits
from autograder.course.model import Result, Verdict, Whose
from autograder.engine.assignment import Assignment, load_assignment
from autograder.engine.examining import Examination
from autograder.engine.following import Following
from autograder.engine.jobs import Job, Outcome, Settings, ungraded
from autograder.engine.outputs import with_outputs
from autograder.engine.recording import pack
from autograder.engine.running import Cell, NotebookRun
from autograder.engine.session import SuiteSession
from autograder.sandbox.process import Spawner, Zygote


class Grader:
    """Grades submissions with a zygote of its own; a zygote that fails is replaced once.

    `control`, if given, leads to a copy that has been forked for this grader and is its first zygote.
    """

    def __init__(
        self, settings: Settings, session: SuiteSession, number: int = 0, control: socket | None = None
    ) -> None:
        self._settings, self._session, self._number, self._control = settings, session, number, control
        self._course = Course(settings.course)
        self._assignments: dict[str, Assignment] = {}
        self._zygote: Spawner | None = None

    def grade(self, job: Job) -> Outcome:
        """The outcome of a submission. A failure of our own is retried once, then reported as ungraded."""
        assignment = self._assignment(job.assignment)
        try:
            submission = notebook.parse(
                job.content, f"{job.student}/{job.assignment}", limit=self._settings.limits.notebook_bytes
            )
            cells = _cells(submission, self._settings.limits)
        except SubmissionError as error:
            return self._ungraded(job, str(error), Whose.STUDENT)
        except Exception as error:  # noqa: BLE001 - one strange file must not stop a class
            return self._ungraded(job, f"the notebook cannot be read ({type(error).__name__})", Whose.STUDENT)
        for again in (False, True):
            try:
                outcome = self._attempt(job, assignment, submission, cells, again=again)
                if outcome.result.ungraded is None:
                    return outcome
            except Exception as error:  # noqa: BLE001 - ours, whatever it is: no marks are lost, no class is stopped
                outcome = self._ungraded(job, f"the grader failed: {str(error) or type(error).__name__}", Whose.GRADER)
            self.close()  # whatever it was, the next attempt starts from a fresh zygote
        return outcome

    def close(self) -> None:
        """End the zygote."""
        if self._zygote is not None:
            zygote, self._zygote = self._zygote, None
            zygote.close()

    def _assignment(self, stem: str) -> Assignment:
        if stem not in self._assignments:
            self._assignments[stem] = load_assignment(self._course, stem)
        return self._assignments[stem]

    def _attempt(
        self, job: Job, assignment: Assignment, submission: NotebookNode, cells: list[Cell], *, again: bool
    ) -> Outcome:
        if self._zygote is None:
            self._zygote = self._new_zygote()
        to_run = cells if self._settings.full else assignment.without_optional(cells)
        run = NotebookRun(self._zygote, to_run, patience=job.patience)
        examination = Examination(
            assignment, self._session, run, explain=self._settings.explain, brief=job.brief, record=job.record
        )
        asked = [exercise for exercise in assignment.exercises if job.only in (None, exercise.name)]
        try:
            run.start()
            exercises = examination.results(asked)
        finally:
            run.close()
        explanation = examination.explanation
        if job.only is None:
            following = Following(assignment, self._session, run, explain=self._settings.explain)
            started = time.monotonic()
            try:
                exercises = following.results(exercises, examination.called)
            except Exception:
                if not again:
                    raise
                self.close()
            run.seconds["following"] = time.monotonic() - started
            explanation += following.explanation
        errors = [c.detail for e in exercises for c in e.checks if c.verdict is Verdict.GRADER_ERROR]
        result = Result(
            student=job.student,
            assignment=job.assignment,
            isolation=self._settings.isolation,
            exercises=exercises,
            faults=(*run.faults, *run.notes),
            repairs=(*job.repairs, *_repairs(submission, assignment)),
            key=job.key,
            ungraded=f"the grader failed: {errors[0]}" if errors else None,
            ungraded_by=Whose.GRADER if errors else None,
        )
        executed = with_outputs(submission, run.reports) if self._settings.full else None
        return Outcome(result, executed, run.seconds, tuple(explanation), tuple(map(pack, examination.calls)))

    def _new_zygote(self) -> Spawner:
        settings = self._settings
        control, self._control = self._control, None
        if control is not None:
            with contextlib.suppress(GraderError):  # whatever became of the copy, there are other zygotes
                return Spawner(control, settings.isolation, limits=settings.limits, figures=settings.full)
        return Zygote(
            settings.isolation,
            checks=self._course.checks,
            data=self._course.data,
            limits=settings.limits,
            figures=settings.full,
            number=self._number,
        )

    def _ungraded(self, job: Job, reason: str, whose: Whose) -> Outcome:
        return ungraded(job, self._settings.isolation, reason, whose)


def _cells(submission: NotebookNode, limits: Limits) -> list[Cell]:
    cells = [Cell(id, source) for id, source in notebook.code_cells(submission)]
    if not any(cell.source.strip() for cell in cells):
        raise SubmissionError("The notebook has no code. Ask for the file that the student worked in.")
    if len(cells) > limits.cells:
        raise SubmissionError(f"The notebook has {len(cells)} code cells; at most {limits.cells} are run.")
    if any(len(cell.source) > limits.cell_characters for cell in cells):
        raise SubmissionError(f"A cell of the notebook has more than {limits.cell_characters} characters.")
    return cells


def _repairs(submission: NotebookNode, assignment: Assignment) -> list[str]:
    told = notebook.stem_of(submission)
    if told not in (None, assignment.stem):
        return [
            f"by its metadata this is the notebook {told!r:.60}, not {assignment.stem}: was the wrong file handed in?"
        ]
    present = {cell.id for cell in submission.cells}
    missing = sorted(assignment.known_ids - present)
    if not missing:
        return []
    return [
        f"cells of the original notebook are missing or renamed: {', '.join(missing[:8])}"
        + (" ..." if len(missing) > 8 else "")
    ]
