"""Result documents of the first version, brought to the form of today.

They say in sentences what is data now. This is the only module that reads those sentences.
"""

from __future__ import annotations

import re
from typing import Any

from autograder.course.codec import CodecError
from autograder.course.model import VISIBLE, FaultKind, Remark, Whose

_CELL_STOPPED = re.compile(r"cell '[^']*' (?:timed out|crashed|out of memory|disk full): ")
_REMARK = re.compile(
    r"\s(?P<text>(?P<empty>The stub has not been filled in\.)|(?P<undefined>The notebook defines no `\w+`(?:\.|: .*))"
    r"|(?P<raised>Your code raised \w+(?: \w+)?\.)|(?P<form>What your function gave back has another form than asked\.)"
    r"|(?P<stopped>It (?:took too long|used more memory than allowed) and was stopped\.|It ended the Python .*)"
    r"|(?P<blocked>Not asked, because “[^”]*” did not pass\.))$",
    re.DOTALL,
)
_KINDS = {
    "empty": Remark.NOT_FILLED_IN,
    "undefined": Remark.NOT_DEFINED,
    "raised": Remark.RAISED,
    "form": Remark.OTHER_FORM,
    "stopped": Remark.STOPPED,
    "blocked": Remark.NOT_ASKED,
}


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """The same result as data of today; CodecError where it is not a result at all."""
    try:
        faults = [str(fault) for fault in document["faults"]]
        exercises = [
            {**exercise, "checks": [_check(check, faults) for check in exercise["checks"]]}
            for exercise in document["exercises"]
        ]
        return {
            **document,
            "exercises": exercises,
            "faults": faults,
            "fault_kinds": [_kind(fault).value for fault in faults],
            "ungraded_by": _whose(document),
        }
    except (KeyError, TypeError, AttributeError):
        raise CodecError("it is not a result: what every result has is not there, or of another kind") from None


def _check(check: dict[str, Any], faults: list[str]) -> dict[str, Any]:
    visible = check["name"].startswith(VISIBLE)
    first, *lines = check["message"].split("\n") if visible else [check["message"]]
    if lines:
        question = lines.pop() if lines[-1].endswith("?") and ": " not in lines[-1] else None
        return {**check, "visible": True, "description": first, "rows": _rows(lines), "question": question}
    found = _REMARK.search(check["message"])
    if found is None:
        return {**check, "visible": visible}
    text = found["text"]
    fault = next((place for place, fault in enumerate(faults) if text.endswith(f": {fault}")), None)
    if fault is not None:
        text = f"{text.removesuffix(f': {faults[fault]}')}."
    return {
        **check,
        "visible": visible,
        "description": check["message"][: found.start()],
        "remark": next(kind for name, kind in _KINDS.items() if found[name]).value,
        "remark_text": text,
        "fault": fault,
    }


def _rows(lines: list[str]) -> list[tuple[str, str]]:
    """Label and value of each row; a line without a label goes on with the value above it."""
    rows: list[tuple[str, str]] = []
    for line in lines:
        label, colon, value = line.partition(": ")
        if colon and label in ("called", "came back", "expected", "difference", "instead", "raised"):
            rows.append((label, value))
        elif rows:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]}\n{line}")
        else:
            rows.append(("", line))
    return rows


def _kind(fault: str) -> FaultKind:
    if "raised CheckFailed" in fault:
        return FaultKind.CHECK_CELL
    if fault.endswith("printed too much; the rest was dropped"):
        return FaultKind.CUT
    if _CELL_STOPPED.match(fault):
        return FaultKind.STOPPED
    return FaultKind.RAISED if " raised " in fault else FaultKind.NOT_RUN


def _whose(document: dict[str, Any]) -> str | None:
    """Whose fault an ungraded result is: what the first version said about the file itself began with these words."""
    reason = document["ungraded"]
    if reason is None:
        return None
    file = f"{document['student']}/{document['assignment']}"
    theirs = (f"{file} ", f"{file}: ", "The notebook ", "the notebook ", "A cell of the notebook ")
    return Whose.STUDENT.value if reason.startswith(theirs) else Whose.GRADER.value
