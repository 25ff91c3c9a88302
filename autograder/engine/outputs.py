"""The autograded notebook: a submission with the outputs that its cells gave in the sandbox."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from nbformat import NotebookNode

from autograder.course import notebook
from autograder.engine.running import CellReport


def with_outputs(submission: NotebookNode, reports: Sequence[CellReport]) -> bytes:
    """The file of the submission after its run; text and pictures only: an instructor's browser will show it."""
    by_id = {report.id: report for report in reports}
    count = 0
    for cell in submission.cells:
        if cell.cell_type != "code":
            continue
        report = by_id.get(cell.id)
        count += report is not None
        cell.execution_count = count if report else None
        cell.outputs = [] if report is None else [*_outputs(report.outputs, count), *_error_output(report.error)]
    return notebook.dumps(submission)


_BASE64 = re.compile(r"[A-Za-z0-9+/\s]*+={0,2}\s*")  # nothing is given back: a long text is read once
_PNG = "iVBORw0KGgo"  # how every PNG begins


def _outputs(told: list[dict[str, Any]], count: int) -> list[NotebookNode]:
    kept: list[dict[str, Any]] = []
    for output in told:
        kind, name, text, data = (output.get(key) for key in ("output_type", "name", "text", "data"))
        if type(kind) is not str:
            continue
        if kind == "stream" and type(name) is str and name in ("stdout", "stderr") and type(text) is str:
            kept.append({"output_type": "stream", "name": name, "text": text})
        elif kind in ("display_data", "execute_result") and type(data) is dict:
            safe = {mime: value for mime, value in data.items() if _is_safe(mime, value)}
            entry: dict[str, Any] = {"output_type": kind, "data": safe, "metadata": _alt(output.get("metadata"))}
            kept.append({**entry, "execution_count": count} if kind == "execute_result" else entry)
    return [NotebookNode(output) for output in kept]


def _is_safe(mime: Any, value: Any) -> bool:
    if type(value) is not str:
        return False
    if mime == "text/plain":
        return True
    return mime == "image/png" and value.startswith(_PNG) and _BASE64.fullmatch(value) is not None


def _alt(metadata: Any) -> dict[str, Any]:
    alt = metadata.get("image/png") if type(metadata) is dict else None
    text = alt.get("alt") if type(alt) is dict else None
    return {"image/png": {"alt": text}} if type(text) is str else {}


def _error_output(error: dict[str, Any] | None) -> list[NotebookNode]:
    if error is None:
        return []
    lines = [*error["lines"], f"{error['type']}: {error['text']}"]
    return [NotebookNode(output_type="error", ename=error["type"], evalue=error["text"], traceback=lines)]
