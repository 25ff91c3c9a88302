"""Grading one submission: run its notebook in a sandbox, ask every check, follow errors through, and sum up."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from socket import socket

from nbformat import NotebookNode

from autograder.course import Course, notebook
from autograder.course.errors import GraderError, MachineError, SubmissionError
from autograder.course.limits import Limits
from autograder.course.model import ExerciseResult, Result, Verdict, Whose
from autograder.engine.assignment import Assignment, load_assignment
from autograder.engine.diagnosis.survey import Surveys
from autograder.engine.examining import Examination, Shown
from autograder.engine.following.second_runs import Following, declared
from autograder.engine.jobs import Captured, Job, Mark, Outcome, Portfolio, Settings, ungraded, with_captured
from autograder.engine.judging import ENDED_PROCESS
from autograder.engine.outputs import harmless, with_outputs
from autograder.engine.own_code import with_code
from autograder.engine.recording import pack
from autograder.engine.running import Cell, NotebookRun
from autograder.engine.session import SuiteSession
from autograder.sandbox import machine
from autograder.sandbox.process import Spawner, Zygote
from autograder.sandbox.rooms import Rooms


@dataclass
class _Work:
    """One submission while it is being graded, step by step."""

    job: Job
    assignment: Assignment
    submission: NotebookNode
    cells: list[Cell]
    run: NotebookRun | None = None
    examination: Examination | None = None
    exercises: tuple[ExerciseResult, ...] = ()
    attempted: set[str] = field(default_factory=set)
    explanation: list[str] = field(default_factory=list)
    asked: int = 0
    others: tuple[tuple[Mark, ...], ...] = ()
    interruptions: list[str] = field(default_factory=list)
    """How processes of this submission were ended from outside."""


class Grader:
    """Grades submissions with a zygote of its own; a zygote that fails is replaced once.

    `control`, if given, leads to a copy that has been forked for this grader and is its first zygote. `rooms` say who
    is graded beside whom. `tell` is called with what may be quoted, before the first hidden question.
    """

    def __init__(
        self,
        settings: Settings,
        session: SuiteSession,
        number: int = 0,
        control: socket | None = None,
        rooms: Rooms | None = None,
        tell: Callable[[tuple[Captured | None, ...]], None] = lambda captured: None,
    ) -> None:
        self._settings, self._session, self._number, self._control = settings, session, number, control
        self._rooms, self._tell = rooms or Rooms(), tell
        self._course = Course(settings.course)
        self._assignments: dict[str, Assignment] = {}
        self._surveys = Surveys(session, settings.probes)
        self._zygote: Spawner | None = None
        self._captured: list[Captured | None] = []
        self._size = 0  # of the portfolio

    def grade(self, portfolio: Portfolio) -> tuple[Outcome, ...]:
        """The outcomes of what one student handed in, in order.

        A failure of our own is retried once, then reported as ungraded. If hidden questions have been asked by then,
        the second attempt quotes what the first one did.
        """
        self._captured, self._size = [], len(portfolio)
        outcomes = self._attempt(dict(enumerate(portfolio)))
        failed = [at for at, outcome in outcomes.items() if outcome.result.our_fault]
        if failed:
            self.close()  # whatever it was, the next attempt starts from a fresh zygote
            again = with_captured(portfolio, self._captured)
            outcomes |= self._attempt({at: again[at] for at in failed})
        if any(outcome.result.our_fault for outcome in outcomes.values()):
            self.close()
        return tuple(outcomes[at] for at in range(len(portfolio)))

    def close(self) -> None:
        """End the zygote, and what runs in its processes."""
        self._surveys.close()
        if self._zygote is not None:
            zygote, self._zygote = self._zygote, None
            zygote.close()

    def _attempt(self, jobs: dict[int, Job]) -> dict[int, Outcome]:
        """The outcomes of some submissions of one student, by their places in the portfolio.

        Whatever may be quoted of any of them comes first.
        """
        started, stalled = time.monotonic(), machine.stalled()
        works = {at: self._read(job) for at, job in jobs.items()}
        with self._rooms.beside_others(job.assignment for job in jobs.values()):
            try:
                works = {at: self._after(self._begin, work) for at, work in works.items()}
                if any(isinstance(work, _Work) for work in works.values()):  # else no hidden question will be asked
                    self._capture(works)
                works = {at: self._after(self._examine, work) for at, work in works.items()}
            finally:
                for work in works.values():
                    _end(work)
        works = {at: self._after(self._follow, work) for at, work in works.items()}
        waited = machine.stalled() - stalled
        short = waited > max(_STALLED_SECONDS, _STALLED_SHARE * (time.monotonic() - started))
        return {
            at: work if isinstance(work, Outcome) else self._outcome(work, short=short) for at, work in works.items()
        }

    def _capture(self, works: dict[int, _Work | Outcome]) -> None:
        """Keep, and tell, what may be quoted of each submission of the portfolio."""
        found = self._captured or [None] * self._size
        for at, work in works.items():
            found[at] = _captured(work) or found[at]
        self._captured = found
        self._tell(tuple(found))

    def _after(self, step: Callable[[_Work], None], work: _Work | Outcome) -> _Work | Outcome:
        """A submission after the next step; as soon as one fails, its outcome instead."""
        if isinstance(work, Outcome):
            return work
        try:
            step(work)
        except Exception as error:  # noqa: BLE001 - ours, whatever it is: no marks are lost, no class is stopped
            _end(work)
            if isinstance(error, MachineError):
                return self._ungraded(work.job, f"the machine failed: {error}", Whose.MACHINE)
            reason = f"the grader failed: {str(error) or type(error).__name__}"
            return self._ungraded(work.job, reason, Whose.GRADER)
        return work

    def _read(self, job: Job) -> _Work | Outcome:
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
        return _Work(job, assignment, submission, cells)

    def _begin(self, work: _Work) -> None:
        """Run the notebook, and ask the visible checks of all its exercises."""
        job, assignment = work.job, work.assignment
        to_run = work.cells if self._settings.full else assignment.without_optional(work.cells)
        work.run = NotebookRun(self._spawner(), to_run, patience=job.patience, quoting=job.quoting)
        work.examination = Examination(
            assignment,
            self._session,
            work.run,
            explain=self._settings.explain,
            shown=Shown.QUOTES if job.quoting else Shown.REMARKS,
            brief=job.brief,
            record=job.record,
            seed=job.seed,
            surveys=None if job.brief else self._surveys,
        )
        work.run.start()
        work.examination.ask_visible([one for one in assignment.exercises if job.only in (None, one.name)])
        if job.captured is not None:
            work.examination.recall(job.captured.visible)
            work.run.faults, work.run.notes = list(job.captured.faults), list(job.captured.notes)
        work.run.pause()

    def _examine(self, work: _Work) -> None:
        """Ask the hidden checks, and find out which answers that others may use were attempted."""
        assert work.run is not None and work.examination is not None
        work.run.resume()
        if self._settings.explain:
            work.explanation.append(
                f"{work.job.student} · {work.job.assignment}: hidden numbers of the seed {work.job.seed}"
            )
        work.exercises = work.examination.results()
        below = [name for names in declared(work.assignment.exercises, work.exercises).values() for name in names]
        work.attempted = work.examination.attempted(below)
        work.explanation += work.examination.explanation
        if not any(check.verdict in ENDED_PROCESS for one in work.exercises for check in one.checks):
            work.others = tuple(work.examination.marks(seed) for seed in work.job.other_seeds)
        work.run.close()

    def _follow(self, work: _Work) -> None:
        """Grade once more what may use an exercise that failed, while nobody else has this notebook."""
        assert work.run is not None and work.examination is not None
        started = time.monotonic()
        for again in (True, False):
            try:
                zygote, explain = self._spawner(), self._settings.explain
                following = Following(
                    work.assignment, self._session, zygote, work.run, explain=explain, seed=work.job.seed
                )
                granted = following.granted(work.exercises, work.attempted)
                if granted:
                    with self._rooms.alone(work.assignment.stem):
                        work.exercises = following.results(work.exercises, granted)
            except Exception as error:  # ours: without this, mistakes would count that another day are followed through
                self.close()
                if isinstance(error, MachineError) or not again:
                    raise
            else:
                work.interruptions = following.interruptions
                work.explanation += following.explanation
                work.asked = following.asked
                break
        work.run.seconds["following"] = time.monotonic() - started

    def _outcome(self, work: _Work, *, short: bool) -> Outcome:
        job, run, examination = work.job, work.run, work.examination
        assert run is not None and examination is not None
        errors = [c.detail for e in work.exercises for c in e.checks if c.verdict is Verdict.GRADER_ERROR]
        result = Result(
            student=job.student,
            assignment=job.assignment,
            isolation=self._settings.isolation,
            exercises=with_code(work.exercises, work.assignment, work.cells, run.reports),
            faults=(*run.faults, *run.notes),
            repairs=(*job.repairs, *_repairs(work.submission, work.assignment)),
            key=job.key,
            ungraded=f"the grader failed: {errors[0]}" if errors else None,
            ungraded_by=Whose.GRADER if errors else None,
            seed=job.seed,
            attempt=job.attempt,
            secret=job.secret,
            pressure=_pressure([*run.interruptions, *work.interruptions], short=short),
        )
        # Where nothing is quoted, there is no notebook with outputs either: the next run makes it.
        executed = None
        if self._settings.full and job.quoting:
            executed = notebook.dumps(harmless(with_outputs(work.submission, run.reports)))
        calls = tuple(map(pack, examination.calls))
        return Outcome(result, executed, run.seconds, tuple(work.explanation), calls, work.asked, work.others)

    def _assignment(self, stem: str) -> Assignment:
        if stem not in self._assignments:
            self._assignments[stem] = load_assignment(self._course, stem)
        return self._assignments[stem]

    def _spawner(self) -> Spawner:
        if self._zygote is None:
            self._zygote = self._new_zygote()
        return self._zygote

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
            allowed=settings.allowed,
            figures=settings.full,
            number=self._number,
        )

    def _ungraded(self, job: Job, reason: str, whose: Whose) -> Outcome:
        return ungraded(job, self._settings.isolation, reason, whose)


# Of the time of an attempt: with more of it spent waiting for memory, time limits say little about the code.
_STALLED_SECONDS, _STALLED_SHARE = 1.0, 0.1


def _pressure(interruptions: list[str], *, short: bool) -> str:
    """What the machine did while a submission was graded; nothing where it let it be."""
    told = ["the machine was short of memory"] if short else []
    if interruptions:
        times = "once" if len(interruptions) == 1 else f"{len(interruptions)} times"
        told.insert(0, f"{interruptions[-1]}, {times}")
    return "; ".join(told)


def _captured(work: _Work | Outcome) -> Captured | None:
    """What may be quoted of a submission so far; None where nothing can be."""
    if isinstance(work, Outcome) or work.run is None or work.examination is None:
        return None
    return Captured(work.examination.visible(), tuple(work.run.faults), tuple(work.run.notes))


def _end(work: _Work | Outcome) -> None:
    """End the process of a submission, if it has one."""
    if isinstance(work, _Work) and work.run is not None:
        work.run.close()


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
