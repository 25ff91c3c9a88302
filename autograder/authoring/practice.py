"""Other numbers to practise with: the questions, with their right answers, that `check("name", another=True)` asks.

Students have no reference, so each question comes with its answer. A question is what the gate of an exercise asks,
with numbers that are drawn from a seed of its own kind: no submission is ever graded with one of these. Nothing of the
suite gets into the file but calls: the name of a function, what it was given, and what the reference gave back.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course import Course, notebook, policy, sources
from autograder.course.errors import AutograderError, SourceError, SuiteError
from autograder.course.model import Exercise
from autograder.engine.probing.values import is_code
from autograder.engine.running import Call, Cell, NotebookRun
from autograder.engine.session import HiddenCheck, SuiteSession
from autograder.engine.student import Student, StudentRaised
from autograder.sandbox.process import Zygote

SEEDS = tuple(f"practice {number}" for number in range(10))
"""Seeds of submissions are hashes, or "fixed": none of them has a space in it."""
MOST_NUMBERS, MOST_CALLS = 2000, 4  # of a call, to keep files small; of a question, since one is read by a person
DIGITS = 10
"""Significant digits of what is asked and of what is expected: the last ones depend on the machine."""


def build(course: Course, stems: Sequence[str] | None = None) -> dict[str, bytes]:
    """The practice files of the given stems, or of all; a notebook whose gates draw no numbers has none."""
    wanted = [stem for stem in course.select(stems) if _may_draw(course.suite(stem))]
    if not wanted:
        return {}
    # In a process of its own: pytest, which collects the suites, leaves them in the process that it ran in.
    command = [sys.executable, "-m", "autograder.authoring.practice", str(course.root.resolve()), *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SuiteError(done.stderr.strip() or "The questions to practise with could not be drawn.")
    return {stem: text.encode() for stem, text in json.loads(done.stdout).items()}


def same(some: bytes, others: bytes) -> bool:
    """Whether two practice files are the same, up to digits that depend on the machine."""
    try:
        return some == others or _same(json.loads(some), json.loads(others))
    except ValueError:
        return False


def _may_draw(suite: Path) -> bool:
    return suite.is_file() and "draw" in suite.read_text(encoding="utf-8")


def _same(some: Any, other: Any) -> bool:
    if type(some) is not type(other):
        return False
    if isinstance(some, float):
        return math.isclose(some, other, rel_tol=1e-8, abs_tol=1e-12)
    if isinstance(some, list):
        return len(some) == len(other) and all(map(_same, some, other))
    if isinstance(some, dict):
        return some.keys() == other.keys() and all(_same(some[key], other[key]) for key in some)
    return bool(some == other)


# --- Asking the reference ---------------------------------------------------------------------------------------------


def main(root: str, *stems: str) -> int:
    """Print the practice files of the stems as JSON, by stem; 1 when one cannot be made, for the reason given."""
    course, found = Course(Path(root)), dict[str, str]()
    sys.path.insert(0, str(course.notebooks))  # a suite may use what is in the students' package

    def work(session: SuiteSession) -> None:
        zygote: Zygote | None = None
        try:
            for stem in stems:
                gates = [check for check in session.checks.get(stem, []) if check.gate and check.draws]
                if not gates:
                    continue
                if zygote is None:  # what runs in it is our own: it needs no walls
                    zygote = Zygote("none", checks=course.checks, data=course.data, limits=policy.limits(course))
                questions = dict(_by_exercise(course, stem, session, zygote, gates))
                if questions:
                    found[stem] = _file(questions)
        finally:
            if zygote is not None:
                zygote.close()

    try:
        SuiteSession(work).main([course.suite(stem) for stem in stems])
    except AutograderError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(found))
    return 0


def _by_exercise(
    course: Course, stem: str, session: SuiteSession, zygote: Zygote, gates: Sequence[HiddenCheck]
) -> Iterator[tuple[str, list[Any]]]:
    """The questions about each exercise that there are other numbers for."""
    source = sources.read(course.source(stem))
    skipped = sources.demo_cells(source) | sources.check_cells(source)
    run = NotebookRun(zygote, [Cell(*cell) for cell in notebook.code_cells(source) if cell[1].strip() not in skipped])
    run.start()
    try:
        if run.faults:
            raise SourceError(f"{stem}: the reference does not run: {run.faults[0].text}")
        reference = Student(run)
        for exercise in sources.exercises(source):
            own = [gate for gate in gates if gate.exercise == exercise.name]
            asked = [list(_calls(exercise, own, session, run, seed)) for seed in SEEDS]
            questions = [_question(calls, reference) for calls in _telling(asked)]
            distinct = {_dumps(question): question for question in questions if question}
            if distinct:
                yield exercise.name, list(distinct.values())
    finally:
        run.close()


def _calls(
    exercise: Exercise, gates: Iterable[HiddenCheck], session: SuiteSession, run: NotebookRun, seed: str
) -> Iterator[Call]:
    """The calls of the exercise's own functions that its gates make with the numbers of a seed."""
    for gate in gates:
        before = len(run.calls)
        error = session.run(gate, Student(run), seed)
        if error is not None:
            raise SuiteError(f"{gate.name}: the reference does not pass this gate with the seed {seed!r}: {error}")
        yield from (call for call in run.calls[before:] if call.function in exercise.functions and call.error is None)


def _telling(asked: Sequence[Sequence[Call]]) -> Iterator[list[Call]]:
    """The calls without those that every seed makes: their numbers are not drawn, so they stay hidden."""
    keys = [[_key(call) for call in calls] for calls in asked]
    fixed = set.intersection(*map(set, keys))
    for calls, own in zip(asked, keys, strict=True):
        yield [call for call, key in zip(calls, own, strict=True) if key is not None and key not in fixed]


def _key(call: Call) -> str | None:
    """What tells one call from another; None for one that no file can hold."""
    try:
        return _dumps([call.function, encoded(call.args), encoded(call.kwargs)])
    except TypeError:
        return None


def _question(calls: Sequence[Call], reference: Student) -> list[dict[str, Any]]:
    found = (_asked(call, reference) for call in calls)
    return [one for one in found if one is not None][:MOST_CALLS]


def _asked(call: Call, reference: Student) -> dict[str, Any] | None:
    """A call as the file holds it; None where it is too large.

    The reference is asked once more, with as many digits as the file has. Where it refuses those, because a sum is not
    1 any more, all digits are kept.
    """
    args, kwargs = _rounded(call.args), _rounded(call.kwargs)
    if _numbers(args) + _numbers(kwargs) > MOST_NUMBERS:
        return None
    function = getattr(reference, call.function)
    try:
        value = function(*args, **kwargs)
    except StudentRaised:
        args, kwargs = call.args, call.kwargs
        value = function(*args, **kwargs)
    if _numbers(args) + _numbers(kwargs) + _numbers(value) > MOST_NUMBERS:
        return None
    try:
        return {
            "function": call.function,
            "args": [encoded(arg) for arg in args],
            "kwargs": {name: encoded(arg) for name, arg in kwargs.items()},
            "value": encoded(_rounded(value)),
        }
    except TypeError:  # an object that stays in the student's process
        return None


# --- Values as JSON, which `checks.practice` reads --------------------------------------------------------------------


def _file(questions: Mapping[str, Sequence[Any]]) -> str:
    """The text of a practice file: one question in a line."""
    parts = [f"{json.dumps(name)}:[\n" + ",\n".join(map(_dumps, questions[name])) + "\n]" for name in sorted(questions)]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _dumps(plain: Any) -> str:
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)


def encoded(value: Any) -> Any:
    """A value as JSON that keeps its type, and the type and shape of an array; TypeError for what is not data."""
    if is_code(value):
        return {"code": str(value)}
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind not in "biufU":
            raise TypeError(f"no file holds an array of {value.dtype}")
        items = np.asarray(value).ravel().tolist()
        return {"dtype": value.dtype.str, "shape": list(value.shape), "values": [_finite(item) for item in items]}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, tuple):
        return {"tuple": [encoded(item) for item in value]}
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[encoded(key), encoded(item)] for key, item in value.items()]}
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"no file holds a {type(value).__name__}")


def _finite(item: Any) -> Any:
    return str(item) if isinstance(item, float) and not math.isfinite(item) else item


def _rounded(value: Any) -> Any:
    """The value with as many digits as the file has."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.array([_rounded(item) for item in value.ravel().tolist()], dtype=value.dtype).reshape(value.shape)
    if isinstance(value, np.floating):
        return value.dtype.type(_rounded(float(value)))
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if type(value) in (tuple, list):
        return type(value)(_rounded(item) for item in value)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return value


def _numbers(value: Any) -> int:
    """How many numbers a value consists of."""
    if isinstance(value, tuple | list):
        return sum(map(_numbers, value))
    if isinstance(value, dict):
        return sum(map(_numbers, value.values()))
    return int(np.size(value)) if isinstance(value, np.ndarray) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
