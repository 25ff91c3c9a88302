"""Hidden tests of other courses, which stand in the cells of their notebooks: taking them out of what students read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nbformat import NotebookNode
from nbgrader.utils import is_locked

from autograder.sandbox.process import CRASHED, DISK_FULL, OUT_OF_MEMORY, TIMED_OUT

INSTEAD = "# Hidden tests were run here."
NOT_SHOWN = "(a line of the hidden tests is not shown)"
HELD_BACK = "A hidden test did not pass, or something after it. What it said is not shown."

_SHORTEST = 8  # characters of a line that gives something away; a bare `x = 1` may stand anywhere
_FIRST_FRAME = re.compile(r"<[^<>]*>, line ([0-9]+): ")  # as the sandbox tells where in the cell an error arose
_OURS = (TIMED_OUT, CRASHED, OUT_OF_MEMORY, DISK_FULL, "NotRun")  # errors that have nothing of a test in them


def without_hidden_tests(some: NotebookNode, begin: str, end: str) -> NotebookNode:
    """The notebook, changed in place, with a sentence instead of each region between two markers.

    Only locked cells are looked at: a student's own code must not vanish from what an instructor reads. Lines of these
    regions are taken out of all outputs. Of a cell with such a region, outputs stay only if it ended above the region;
    otherwise a number stays, which is partial credit, and the fact that something did not pass.
    """
    secrets: set[str] = set()
    starts: dict[int, int] = {}
    for number, cell in enumerate(some.cells):
        if cell.cell_type == "code" and is_locked(cell) and begin in cell.source:
            cell.source, starts[number], hidden = _cut(cell.source.split("\n"), begin, end)
            secrets |= {line for line in map(str.strip, hidden) if len(line) >= _SHORTEST}
    for number, cell in enumerate(some.cells):
        if cell.cell_type == "code" and starts:
            seen = cell.outputs if number not in starts else _before(cell.outputs, starts[number])
            cell.outputs = [_without_lines(output, secrets) for output in seen]
    return some


def _cut(lines: list[str], begin: str, end: str) -> tuple[str, int, list[str]]:
    """The source without its hidden regions, the number of the line that opens the first, and what was in them."""
    kept, hidden, first, inside = [], [], 0, False
    for number, line in enumerate(lines, start=1):
        if begin in line and not inside:
            inside, first = True, first or number
            kept.append(line[: len(line) - len(line.lstrip())] + INSTEAD)
        elif end in line:
            inside = False
        elif inside:
            hidden.append(line)
        else:
            kept.append(line)
    return "\n".join(kept), first, hidden


def _before(outputs: Iterable[NotebookNode], first: int) -> list[NotebookNode]:
    """What may be shown of a cell whose hidden tests begin in the line `first`."""
    outputs = list(outputs)
    errors = [output for output in outputs if output.output_type == "error"]
    if errors and all(error.ename in _OURS and len(error.traceback) == 1 for error in errors):
        return errors
    if errors and all(_line(error) < first for error in errors):
        return outputs  # nothing hidden was run
    kept = [output for output in outputs if _is_number(output)]
    if errors:
        kept.append(NotebookNode(output_type="error", ename="HiddenTest", evalue=HELD_BACK, traceback=[HELD_BACK]))
    return kept


def _line(error: NotebookNode) -> float:
    """The line of the cell in which an error arose; infinity where nobody knows."""
    found = _FIRST_FRAME.match(error.traceback[0]) if error.traceback else None
    return float(found[1]) if found else float("inf")


def _is_number(output: NotebookNode) -> bool:
    if output.output_type != "execute_result" or list(output.data) != ["text/plain"]:
        return False
    return re.fullmatch(r"-?[0-9.]{1,12}", output.data["text/plain"]) is not None


def _without_lines(output: NotebookNode, secrets: set[str]) -> NotebookNode:
    """The output without lines that quote one of the secrets."""

    def clean(text: str) -> str:
        lines = text.split("\n")
        return "\n".join(NOT_SHOWN if any(secret in line for secret in secrets) else line for line in lines)

    if output.output_type == "stream":
        output.text = clean(output.text)
    elif output.output_type == "error":
        output.evalue, output.traceback = clean(output.evalue), [clean(line) for line in output.traceback]
    elif "text/plain" in output.data:
        output.data["text/plain"] = clean(output.data["text/plain"])
    return output
