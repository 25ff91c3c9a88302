"""The trusted side of a call back: a student's process asks for the value of a function that its notebook got wrong.

The reference answers in a process of its own, in the same sandbox as a student's: neither the student's process nor
this one ever holds or runs its code. Only plain data pass, in both directions.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection
from typing import Any

from autograder.course.errors import WireError
from autograder.course.model import Verdict
from autograder.engine.running import Cell, NotebookRun, StudentStopped, size_of
from autograder.sandbox.process import Spawner


class Reference:
    """The source's own functions in a process of their own, and the account of how much they have been called."""

    def __init__(self, zygote: Spawner, cells: list[Cell], until: float) -> None:
        self._run = NotebookRun(zygote, cells, until)
        self._calls, self._bytes = zygote.limits.stand_in_calls, zygote.limits.stand_in_bytes
        self.asked = 0

    def start(self) -> None:
        """Run the cells, unless that has been done."""
        if not self._run.reports:
            self._run.start()

    def answer(self, granted: Collection[str], question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """What the reference returns, or the builtin kind of what it raises.

        WireError for a question that is malformed, names what was not granted, or is one too many; TimeoutError when
        the reference is not done in time. Both cost the process that asked its verdict, and nobody anything else.
        """
        name, args, kwargs = question.get("stand_in"), question.get("args"), question.get("kwargs")
        if type(name) is not str or name not in granted:
            raise WireError("it calls a function that was not granted")
        if type(args) is not list or type(kwargs) is not dict or any(type(key) is not str for key in kwargs):
            raise WireError("a call back without arguments")
        self._calls -= 1
        self.asked += 1
        self._pay([args, kwargs])
        try:
            reply = self._run.ask({"do": "refer", "name": name, "args": args, "kwargs": kwargs}, seconds)
        except StudentStopped as stopped:
            if stopped.verdict is Verdict.TIMED_OUT:
                raise TimeoutError from None
            raise WireError(f"{name} cannot be called like this: {stopped}") from None
        if reply.get("error") is not None:
            return {"value": None, "error": _kind(reply["error"])}
        self._pay(reply.get("value"))
        return {"value": reply.get("value"), "error": None}

    def _pay(self, value: Any) -> None:
        self._bytes -= size_of(value, objects=False)
        if self._calls < 0 or self._bytes < 0:
            raise WireError("it calls back too often, or with too much")

    def close(self) -> None:
        """End the process."""
        self._run.close()


def _kind(error: Any) -> str:
    """The name of a builtin exception that the reference raised; its text stays here."""
    kind = error.get("kind") if type(error) is dict else None
    found = getattr(builtins, kind, None) if type(kind) is str else None
    return found.__name__ if isinstance(found, type) and issubclass(found, Exception) else "Exception"
