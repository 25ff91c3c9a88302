"""The autograded notebook: a submission with its graded cells in order again, and what the checks said as their output.

nbgrader reads the marks from it: a number as the result of a check cell is partial credit. Whatever else a check cell
shows comes from us; text of a student is escaped, because an instructor's browser will show it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode

from autograder.course.model import CheckResult, ExerciseResult, Remark, Result, Unasked, Verdict
from autograder.course.notebook import KERNEL, LANGUAGE

_CHECK, _SOLUTION, _ANSWER = "check", "solution", "answer"


@dataclass(frozen=True)
class Original:
    """A cell that nbgrader knows: as it was released, with the metadata that it must have."""

    grade_id: str
    cell_id: str
    cell_type: str
    source: str
    metadata: Mapping[str, Any]

    @property
    def role(self) -> str:
        """Whether it holds checks, a solution, or an answer that a person reads."""
        graded, solution = self.metadata["nbgrader"]["grade"], self.metadata["nbgrader"]["solution"]
        return _ANSWER if graded and solution else _CHECK if graded else _SOLUTION


def grade_ids(some: NotebookNode) -> set[str]:
    """The grade ids of the cells that nbgrader keeps: graded ones, solutions and locked ones."""
    told = [cell.metadata.get("nbgrader", {}) for cell in some.cells]
    return {
        one["grade_id"] for one in told if "grade_id" in one and (one["grade"] or one["solution"] or one.get("locked"))
    }


def restored(submission: NotebookNode, originals: Sequence[Original]) -> NotebookNode:
    """The submission with every cell that nbgrader knows in its place: changed in place, and returned.

    A cell is recognised by its grade_id, by its id, or by its text. Check cells and answers that are missing are put
    back, so that nobody loses marks with a deleted cell; a check cell that was edited stays as an ordinary cell above a
    fresh one. Solution cells are never put back: an empty stub would replace the answer.
    """
    found = _recognised(submission.cells, originals)
    for number, cell in enumerate(submission.cells):
        if number not in found.values():
            for key in ("nbgrader", "deletable", "editable"):
                cell.metadata.pop(key, None)
    for original in originals:
        if original.grade_id in found:
            _relabel(submission.cells[found[original.grade_id]], original)
    anchors = {name: submission.cells[number] for name, number in found.items()}
    for original in originals:
        if original.grade_id not in found and original.role != _SOLUTION:
            new = _fresh(original, {cell.id for cell in submission.cells})
            submission.cells.insert(_place(submission.cells, originals, anchors, original), new)
            anchors[original.grade_id] = new
    submission.metadata.update(kernelspec=dict(KERNEL), language_info=dict(LANGUAGE))
    return submission


def with_verdicts(submission: NotebookNode, result: Result) -> NotebookNode:
    """The restored submission, its check cells showing the marks and what every check said: changed in place."""
    by_name = {f"{exercise.name}-check": exercise for exercise in result.exercises}
    for cell in submission.cells:
        exercise = by_name.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if exercise is not None and cell.cell_type == "code":
            cell.outputs = outputs(exercise)
            cell.execution_count = None
    return submission


def without_outputs(submission: NotebookNode) -> NotebookNode:
    """The submission without any output that it came with: changed in place, and returned."""
    for cell in submission.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return submission


def outputs(exercise: ExerciseResult) -> list[NotebookNode]:
    """What a check cell shows: the verdict in words, each check, and the marks as the number that nbgrader reads.

    They are what the checks gave; a mark given by hand goes into the gradebook beside them (`by_hand`).
    """
    report = {"text/html": as_html(exercise), "text/plain": as_text(exercise)}
    marks = {"text/plain": f"{exercise.earned:g}"}
    return [
        _node({"output_type": "display_data", "data": report, "metadata": {}}),
        _node({"output_type": "execute_result", "data": marks, "metadata": {}, "execution_count": None}),
    ]


def as_text(exercise: ExerciseResult) -> str:
    """What a student may read about an exercise, as plain text."""
    lines = [_heading(exercise)]
    lines += [
        f"  {check.verdict}: {check.message}".replace("\n", "\n    ") for check in exercise.checks if _is_listed(check)
    ]
    lines += [f"  {words}" for words in _rest(exercise)]
    if exercise.question:
        lines.append(f"  A question: {_question(exercise)}")
    return "\n".join(lines)


def as_html(exercise: ExerciseResult) -> str:
    """The same as HTML, escaped; the words carry the verdict, because styles may be stripped."""
    items = [
        f"<strong>{html.escape(check.verdict)}</strong>: {html.escape(check.message).replace(chr(10), '<br>')}"
        for check in exercise.checks
        if _is_listed(check)
    ]
    listed = "".join(f"<li>{item}</li>" for item in [*items, *_rest(exercise)])
    question = f"<p><strong>A question</strong>: {html.escape(_question(exercise))}</p>" if exercise.question else ""
    return f"<div><p><strong>{html.escape(_heading(exercise))}</strong></p><ul>{listed}</ul>{question}</div>"


def _is_listed(check: CheckResult) -> bool:
    """Whether a check has a line of its own: one that was not asked has none, unless a failed cell is the cause."""
    return check.was_asked or check.verdict is Verdict.FAILED


def _question(exercise: ExerciseResult) -> str:
    more = " (This is about one thing only: something else is not right yet, too.)" if exercise.more else ""
    return f"{exercise.question}{more}"


_UNASKED = {
    Unasked.GATE: ("was not asked: it counts", "were not asked: they count", " only once the plain numbers are right."),
    Unasked.STOPPED: ("was not asked", "were not asked", ", because an earlier one did not come to its end."),
    Unasked.EMPTY: ("had", "had", " nothing to look at."),
}
"""Why checks were not asked: of one, of several, and how both go on."""


def _rest(exercise: ExerciseResult) -> list[str]:
    """A line for the checks that were not asked, which would all say the same, and for how it was graded."""
    more = " more" if any(map(_is_listed, exercise.checks)) else ""
    words = []
    for reason, checks in exercise.unasked.items():
        others = [check for check in checks if not _is_listed(check)]
        remarks = [check.remark_text for check in others if check.remark in (Remark.NOT_FILLED_IN, Remark.NOT_DEFINED)]
        one, several, on = _UNASKED[reason]
        told = f"{len(others)}{more} check{'s' if len(others) > 1 else ''} {several if len(others) > 1 else one}{on}"
        words += [" ".join([*dict.fromkeys(remarks), told])] if others else []
    if exercise.followed_through:
        words.append(
            "Followed through: graded with a right answer to an earlier exercise that this one may use, "
            "so that a mistake there costs once."
        )
    return words


def _heading(exercise: ExerciseResult) -> str:
    return f"{exercise.name}: {exercise.verdict}, {exercise.earned:g} of {exercise.points} points ({_count(exercise)})"


def _count(exercise: ExerciseResult) -> str:
    """How many of the checks pass, of those that were asked."""
    asked, others = len(exercise.asked), bool(exercise.unasked)
    passed = sum(check.verdict is Verdict.PASSED for check in exercise.asked)
    if not asked:
        return "no check was asked"
    if asked == 1:
        return (
            f"{'the one check that was asked' if others else 'its one check'} {'passes' if passed else 'does not pass'}"
        )
    return f"{passed} of {asked} checks{' that were asked' if others else ''} {'passes' if passed == 1 else 'pass'}"


def _recognised(cells: Sequence[NotebookNode], originals: Sequence[Original]) -> dict[str, int]:
    """The number of the cell that each original is, if it is there; of copies, the last one, as nbgrader has it."""
    found: dict[str, int] = {}
    for test in (_by_grade_id, _by_id, _by_content):
        for original in originals:
            if original.grade_id in found:
                continue
            fitting = [n for n, cell in enumerate(cells) if n not in found.values() and test(cell, original)]
            if fitting:
                found[original.grade_id] = fitting[-1]
    return found


def _by_grade_id(cell: NotebookNode, original: Original) -> bool:
    told = cell.metadata.get("nbgrader")
    return isinstance(told, dict) and told.get("grade_id") == original.grade_id and _may_be(cell, original)


def _by_id(cell: NotebookNode, original: Original) -> bool:
    return bool(cell.id == original.cell_id) and _may_be(cell, original)


def _by_content(cell: NotebookNode, original: Original) -> bool:
    if original.role == _CHECK:
        return _may_be(cell, original)
    if original.role == _SOLUTION and cell.cell_type == "code":
        return re.search(rf"^(?:def|class) {re.escape(original.grade_id)}\b", cell.source, re.MULTILINE) is not None
    return False


def _may_be(cell: NotebookNode, original: Original) -> bool:
    if original.role != _CHECK:
        return True
    return bool(cell.cell_type == original.cell_type and cell.source.strip() == original.source.strip())


def _relabel(cell: NotebookNode, original: Original) -> None:
    if cell.cell_type != original.cell_type:
        cell.cell_type = original.cell_type
        if original.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.pop("attachments", None)
        else:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    if original.role == _CHECK:
        cell.source = original.source
    cell.metadata = _node({**cell.metadata, **original.metadata})


def _place(
    cells: Sequence[NotebookNode], originals: Sequence[Original], anchors: Mapping[str, NotebookNode], wanted: Original
) -> int:
    """Where a cell belongs: after the nearest known one before it, before the nearest one after it, or at the end."""
    order = [original.grade_id for original in originals]
    at = order.index(wanted.grade_id)
    before = next((anchors[name] for name in reversed(order[:at]) if name in anchors), None)
    after = next((anchors[name] for name in order[at + 1 :] if name in anchors), None)
    if before is not None:
        return _index(cells, before) + 1
    return len(cells) if after is None else _index(cells, after)


def _index(cells: Sequence[NotebookNode], wanted: NotebookNode) -> int:
    return next(number for number, cell in enumerate(cells) if cell is wanted)


def _fresh(original: Original, taken: set[str]) -> NotebookNode:
    identity, number = original.cell_id, 1
    while identity in taken:
        identity, number = f"{original.cell_id}-{number}", number + 1
    cell: dict[str, Any] = {"cell_type": original.cell_type, "id": identity, "source": original.source}
    cell["metadata"] = _node(dict(original.metadata))
    if original.cell_type == "code":
        cell |= {"outputs": [], "execution_count": None}
    return NotebookNode(cell)


def _node(value: Any) -> Any:
    if isinstance(value, Mapping):
        return NotebookNode({key: _node(item) for key, item in value.items()})
    return [_node(item) for item in value] if isinstance(value, list) else value
