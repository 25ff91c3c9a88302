"""The student's process: runs cells and serves calls. Nothing in here is trusted by the other side."""

from __future__ import annotations

import base64
import builtins
import copy
import io
import itertools
import linecache
import random
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.course.errors import WireError
from autograder.course.limits import Limits
from autograder.sandbox import python_names, wire


def serve(channel: socket.socket, shell: Any, limits: Limits) -> None:
    """Answer the grader's requests until it hangs up."""
    process = _Process(channel, shell, limits)
    random.seed(0)
    np.random.seed(0)
    while True:
        try:
            request = wire.receive(channel, limit=limits.reply_bytes, expressions=True)
        except EOFError:
            return
        process.answer(request)


class _Process:
    def __init__(self, channel: socket.socket, shell: Any, limits: Limits) -> None:
        self._channel = channel
        self._shell = shell
        self._limits = limits
        self._handles: list[Any] = []
        self._number = 0
        self._turn = threading.Lock()
        self._output = _Output(limits)
        self._output.install(shell)

    def answer(self, request: dict[str, Any]) -> None:
        answers: dict[str, Callable[..., dict[str, Any]]] = {
            "cell": self._cell,
            "call": self._call,
            "get": self._get,
            "refer": self._refer,
            "names": self._names,
            "probes": self._probes,
        }
        number = self._number = request.pop("number")
        operation = answers[request.pop("do")]
        try:
            try:
                reply = operation(**request)
            finally:
                _stop_timers()
        except BaseException as error:  # noqa: BLE001 - SystemExit and KeyboardInterrupt are a student's doing, too
            reply = {"error": self._describe(error)}
        try:
            frame = wire.encode({"number": number, **reply}, nesting=self._limits.nesting, handles=self._handles)
        except BaseException as error:  # noqa: BLE001 - a returned object may refuse to be read
            frame = wire.encode({"number": number, "error": {**self._describe(error), "unreadable": True}})
        self._output.forget()
        wire.send(self._channel, frame)

    def _cell(self, id: str, source: str, stand_ins: tuple[str, ...] = ()) -> dict[str, Any]:
        result = self._shell.run_cell(source, store_history=False, cell_id=id)
        for name in stand_ins:  # after every cell: whichever defines the name, the next ones find this
            self._shell.user_ns[name] = self._stand_in(name)
        error = result.error_before_exec or result.error_in_exec
        outputs = self._output.take()
        _close_figures()
        described = None if error is None else self._describe(error)
        return {"error": described, "outputs": outputs, "dropped": self._output.dropped}

    def _call(
        self, target: Any, attribute: str | None, args: list[Any], kwargs: dict[str, Any], echo: bool
    ) -> dict[str, Any]:
        function = self._handles[target.number] if isinstance(target, wire.Handle) else self._name(target)
        if attribute is not None:
            function = getattr(function, attribute)
        args = [self._argument(value) for value in args]
        kwargs = {name: self._argument(value) for name, value in kwargs.items()}
        with np.errstate(), warnings.catch_warnings():  # what a call changes there ends with it
            value = function(*args, **kwargs)
        return {"value": value, "after": [*args, *kwargs.values()] if echo else None}

    def _probes(self, names: list[str], frame: bytes, most: int) -> dict[str, Any]:
        """What functions reply to many calls: for each its value as a frame of its own, or the kind of an error.

        Of a value there are also the places of the arguments that are not any more what they were.
        """
        with np.errstate(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {"value": [self._probed(self._name(name), frame, most) for name in names]}

    def _probed(self, function: Any, frame: bytes, most: int) -> list[Any]:
        told: list[Any] = []
        for args, kwargs in wire.parse(frame, expressions=True):
            given = [self._argument(value) for value in args]
            named = {key: self._argument(value) for key, value in kwargs.items()}
            before = [_copied(value) for value in (*given, *named.values())]
            try:
                returned = function(*given, **named)
            except BaseException as error:  # noqa: BLE001 - whatever it is, the next call is a question of its own
                told.append([None, self._describe(error)["kind"], None])
                continue
            try:
                value = wire.encode(returned, nesting=self._limits.nesting)
            except BaseException:  # noqa: BLE001 - a returned object may refuse to be read
                told.append([None, "unreadable", None])
                continue
            pairs = zip((*given, *named.values()), before, strict=True)
            changed = [at for at, pair in enumerate(pairs) if not _alike(*pair)]
            told.append([value, None, changed] if len(value) <= most else [None, "unreadable", None])
        return told

    def _refer(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The outcome of a call that came from another process; only the reference's process is ever asked for it."""
        return {"value": _packed(self._name(name)(*_unpacked(args), **_unpacked(kwargs)))}

    def _names(self, text: bytes, lengths: list[int], seconds: int) -> dict[str, Any]:
        """What cells define and read; `text` has all of them, and `lengths` says how many bytes each one has.

        Only a process that has run no cell is ever asked: a notebook could answer this for itself.
        """
        signal.setitimer(signal.ITIMER_PROF, seconds)  # of processor time: it ends the process
        ends = list(itertools.accumulate(lengths, initial=0))
        cells = [text[start:end].decode("utf-8", "replace") for start, end in itertools.pairwise(ends)]
        return {"value": python_names.statements(cells)}

    def _stand_in(self, name: str) -> Callable[..., Any]:
        """A function that asks the grader what the reference would return."""

        def stand_in(*args: Any, **kwargs: Any) -> Any:
            call = {"stand_in": name, "args": _packed(list(args)), "kwargs": _packed(kwargs)}
            try:
                frame = wire.encode({"number": self._number, **call}, nesting=self._limits.nesting)
            except WireError as error:
                raise TypeError(f"{name}: {error}") from None
            with self._turn:  # threads of the notebook take turns
                wire.send(self._channel, frame)
                answer = wire.receive(self._channel, limit=self._limits.reply_bytes)
            if answer["error"] is not None:
                raise getattr(builtins, answer["error"])(f"{name} does not take these arguments")
            return _unpacked(answer["value"])

        stand_in.__name__ = stand_in.__qualname__ = name
        return stand_in

    def _get(self, name: str) -> dict[str, Any]:
        return {"value": self._name(name)}

    def _name(self, name: str) -> Any:
        try:
            return self._shell.user_ns[name]
        except KeyError:
            raise NameError(f"name {name!r} is not defined", name=name) from None

    def _argument(self, value: Any) -> Any:
        if isinstance(value, wire.Handle):
            return self._handles[value.number]
        if isinstance(value, wire.Expression):
            return eval(value.text, {"np": np})  # noqa: S307 - the suite's text, in the student's process
        return value

    def _describe(self, error: BaseException) -> dict[str, Any]:
        """What the grader may know of an exception, in plain data."""
        kinds = [kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind]
        known = next(name for name in kinds if not name.startswith("_"))  # 3.13 has an _IncompleteInputError
        try:
            text = str(error)
        except BaseException:  # noqa: BLE001
            text = ""
        name = error.name if isinstance(error, NameError) and isinstance(error.name, str) else None
        return {
            "kind": known,
            "type": known if type(error).__name__ in kinds else type(error).__name__[:80],
            "text": text[:2000],
            "name": None if name is None else name[:80],
            "lines": _own_lines(error),
        }


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else copy.deepcopy(value) if isinstance(value, list) else value


def _alike(now: Any, before: Any) -> bool:
    """Whether an argument is what it was before the call; functions have nothing to modify."""
    if isinstance(before, np.ndarray):
        return type(now) is np.ndarray and now.tobytes() == before.tobytes()
    return bool(now == before)


def _packed(value: Any) -> Any:
    """The value with NumPy's numbers as arrays without axes: a plain message would make Python's numbers of them."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return np.asarray(value)
    if type(value) in (list, tuple):
        return type(value)(map(_packed, value))
    return {key: _packed(item) for key, item in value.items()} if type(value) is dict else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, np.ndarray) and not value.ndim:
        return value[()]
    if type(value) in (list, tuple):
        return type(value)(map(_unpacked, value))
    return {key: _unpacked(item) for key, item in value.items()} if type(value) is dict else value


def _own_lines(error: BaseException) -> list[str]:
    """The lines of the student's own cells that an exception went through, innermost last."""
    lines: list[str] = []
    traceback = error.__traceback__
    while traceback is not None and len(lines) < 20:
        file, number = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        if file.startswith("<ipython-input") or "ipykernel_" in file:
            where = traceback.tb_frame.f_code.co_name
            text = linecache.getline(file, number).strip()[:200]
            lines.append(f"{where}, line {number}: {text}")
        traceback = traceback.tb_next
    if isinstance(error, SyntaxError) and error.lineno is not None:
        lines.append(f"line {error.lineno}: {(error.text or '').strip()[:200]}")
    return lines


def _stop_timers() -> None:
    """Stop what would otherwise interrupt the next request, which may be about another exercise."""
    waiting = [signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF]
    while waiting:
        try:
            signal.setitimer(waiting[-1], 0)
            waiting.pop()
        except BaseException:  # noqa: BLE001, S112 - the student's own handler, interrupting even this
            continue


def _close_figures() -> None:
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


class _Output:
    """What a cell prints and displays, up to a bound; the rest is counted and dropped."""

    def __init__(self, limits: Limits) -> None:
        self._text_room = self._text_limit = limits.output_bytes
        self._figure_room = self._figure_limit = limits.figure_bytes
        self._outputs: list[dict[str, Any]] = []
        self.dropped = 0

    def install(self, shell: Any) -> None:
        sys.stdout, sys.stderr = _Stream(self, "stdout"), _Stream(self, "stderr")
        output = self

        def publish(data: dict[str, Any], metadata: Any = None, **_: Any) -> None:
            output.display("display_data", data, metadata)

        shell.display_pub.publish = publish

        def write_format_data(data: dict[str, Any], metadata: Any = None) -> None:
            output.display("execute_result", data, metadata)

        hook = shell.displayhook
        hook.write_output_prompt = hook.finish_displayhook = lambda: None
        hook.write_format_data = write_format_data

    def text(self, stream: str, text: str) -> None:
        kept = text[: max(self._text_room, 0)]
        self._text_room -= len(kept)
        self.dropped += len(text) - len(kept)
        if not kept:
            return
        if self._outputs and self._outputs[-1].get("name") == stream:
            self._outputs[-1]["parts"].append(kept)
        else:
            self._outputs.append({"output_type": "stream", "name": stream, "parts": [kept]})

    def display(self, kind: str, data: dict[str, Any], metadata: Any) -> None:
        kept: dict[str, str] = {}
        for mime, value in data.items():
            if mime == "image/png":
                encoded = value if isinstance(value, str) else base64.b64encode(value).decode()
                if len(encoded) <= self._figure_room:
                    self._figure_room -= len(encoded)
                    kept[mime] = encoded
            elif mime == "text/plain" and len(value) <= self._text_room:
                self._text_room -= len(value)
                kept[mime] = value
        alt = (metadata or {}).get("image/png", {}).get("alt") if isinstance(metadata, dict) else None
        if kept:
            described = {"image/png": {"alt": str(alt)[:2000]}} if alt and "image/png" in kept else {}
            self._outputs.append({"output_type": kind, "data": kept, "metadata": described})

    def take(self) -> list[dict[str, Any]]:
        """What has been kept since the last time, in nbformat's words; the bounds start anew."""
        taken = [
            {**{k: v for k, v in output.items() if k != "parts"}, "text": "".join(output["parts"])}
            if "parts" in output
            else output
            for output in self._outputs
        ]
        self._outputs = []
        self._text_room, self._figure_room = self._text_limit, self._figure_limit
        return taken

    def forget(self) -> None:
        """Drop what was printed during a call: it could show the student hidden numbers."""
        self.take()
        self.dropped = 0


class _Stream(io.TextIOBase):
    def __init__(self, output: _Output, name: str) -> None:
        self._output = output
        self._stream = name

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        self._output.text(self._stream, text)
        return len(text)

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")
