"""Errors followed through: what builds on a failed exercise is graded once more with the reference in its place."""

from __future__ import annotations

import ast
import re
import symtable
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from autograder.course.errors import GraderError
from autograder.course.model import Exercise, ExerciseResult, Verdict
from autograder.engine.assignment import Assignment
from autograder.engine.examining import Examination
from autograder.engine.running import Cell, NotebookRun
from autograder.engine.session import SuiteSession
from autograder.engine.stand_ins import Reference

Uses = Mapping[str, list[set[str]]]


class Following:
    """The second runs of one submission, in what its first one has left of its time."""

    def __init__(self, assignment: Assignment, session: SuiteSession, first: NotebookRun, *, explain: bool) -> None:
        self._assignment, self._session, self._first, self._explain = assignment, session, first, explain
        deadly = set(first.deadly)
        self._cells = [cell for cell in assignment.without_optional(first.cells) if cell not in deadly]
        self.explanation: list[str] = []

    def results(self, first: Iterable[ExerciseResult], called: Mapping[str, set[str]]) -> tuple[ExerciseResult, ...]:
        """The results of all exercises, the better one of those that were graded twice.

        `called` has the functions that the checks of each exercise called.
        """
        results = list(first)
        verdicts = {result.verdict for result in results}
        if verdicts == {Verdict.PASSED} or Verdict.GRADER_ERROR in verdicts:
            return tuple(results)
        uses = names_used(self._cells)
        reference = Reference(
            self._first.zygote, self._assignment.without_optional([*self._assignment.reference]), self._first.deadline
        )
        try:
            for at, exercise in enumerate(self._assignment.exercises):
                names = self._failed_below(exercise, results[:at], results[at], uses, called.get(exercise.name, set()))
                if names and time.monotonic() < self._first.deadline:
                    second = self._again(exercise, names, reference)
                    if second.score > results[at].score:
                        results[at] = replace(second, followed_through=True)
        finally:
            reference.close()
        return tuple(results)

    def _failed_below(
        self, exercise: Exercise, before: list[ExerciseResult], own: ExerciseResult, uses: Uses, called: set[str]
    ) -> tuple[str, ...]:
        """The functions of earlier exercises that failed and that an exercise which failed, too, builds on."""
        if own.verdict is Verdict.PASSED:
            return ()
        start = set(exercise.functions) if own.verdict is Verdict.NOT_ATTEMPTED else {*exercise.functions, *called}
        reached = reachable(uses, start)
        failed = {result.name for result in before if result.verdict is not Verdict.PASSED}
        earlier = (one for one in self._assignment.exercises if one.name in failed)
        return tuple(name for one in earlier for name in one.functions if name in reached)

    def _again(self, exercise: Exercise, names: tuple[str, ...], reference: Reference) -> ExerciseResult:
        reference.start()
        run = NotebookRun(
            self._first.zygote,
            self._cells,
            self._first.deadline,
            stand_ins=names,
            call_back=partial(reference.answer, names),
        )
        examination = Examination(self._assignment, self._session, run, explain=self._explain, quoting=False)
        try:
            run.start()
            (result,) = examination.results([exercise])
        finally:
            run.close()
        if self._explain:
            told = ", ".join(names)
            self.explanation += [
                f"{exercise.name} · followed through, with the reference as {told}:",
                *examination.explanation,
            ]
        if any(check.verdict is Verdict.GRADER_ERROR for check in result.checks):
            raise GraderError(f"following {exercise.name} through failed")
        return result


# --- What builds on what ----------------------------------------------------------------------------------------------

_MOST_CHARACTERS = 300_000  # of a notebook that is read at all: ten times as much as people write
_LINE_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_CELL_MAGIC = re.compile(r"\s*%%(?!time\b|capture\b)")  # those two run the rest of their cell as Python


def names_used(cells: Iterable[Cell]) -> dict[str, list[set[str]]]:
    """For every name that the cells define, the names outside it that its code reads. Nothing is run for that.

    Names that one statement defines share one set: thousands of names may read thousands.

    It may say too much of statements outside functions, which costs a second run in vain, and no marks.
    """
    sources = [cell.source for cell in cells if not _CELL_MAGIC.match(cell.source)]
    uses: dict[str, list[set[str]]] = {}
    if sum(map(len, sources)) > _MOST_CHARACTERS:
        return uses
    for source in sources:
        for name, used in _definitions(_LINE_MAGIC.sub(r"\1pass", source)):
            uses.setdefault(name, []).append(used)
    return uses


def reachable(uses: Uses, start: Iterable[str]) -> set[str]:
    """The names that the code of `start` leads to, over any number of steps; `start` itself included."""
    found: set[str] = set()
    followed: set[int] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            new = [used for used in uses.get(name, ()) if id(used) not in followed]
            followed.update(map(id, new))
            waiting += [other for used in new for other in used]
    return found


def _definitions(source: str) -> list[tuple[str, set[str]]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
            tables = symtable.symtable(source, "cell", "exec").get_children()
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the parser's words for what is nested too deeply
        return []
    found = [(table.get_name(), _globals(table)) for table in tables]
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            around = [
                part for part in ast.iter_child_nodes(statement) if part not in statement.body
            ]  # decorators, defaults, bases
            found += [(statement.name, _read(part)) for part in around]
        else:
            read = _read(statement)
            found += [(name, read) for name in _bound(statement)]
    return found


def _globals(table: symtable.SymbolTable) -> set[str]:
    """The names that a function or class reads from the notebook, also in functions inside it."""
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return own.union(*map(_globals, table.get_children()))


def _read(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}


def _bound(node: ast.AST) -> set[str]:
    defined = {
        part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return defined | {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
