"""A sample class, made from the course itself: every kind of submission that an instructor will meet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from autograder.course import Course, catalogue, notebook, sources
from autograder.course.errors import UsageError
from autograder.validity import samples

_MARK = ".autograder-demo"


def build(course: Course, out: Path, stem: str | None = None) -> Path:
    """Write the class to `out/submitted` in nbgrader's layout, and return that folder.

    Only a folder that an earlier demo made is ever replaced.
    """
    stem = stem or course.select(None)[0]
    source = sources.read(course.source(stem))
    if out.exists() and any(out.iterdir()) and not (out / _MARK).exists():
        raise UsageError(f"{out} is not empty and was not made by a demo. Name another folder with --out.")
    shutil.rmtree(out, ignore_errors=True)
    (out / "submitted").mkdir(parents=True)
    (out / _MARK).touch()
    for student, submission in _class(course, stem, source):
        notebook.write(submission, out / "submitted" / student / stem / f"{stem}.ipynb")
    return out / "submitted"


def _class(course: Course, stem: str, source: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    exercises = sources.exercises(source)
    solved = {e.name: {f: samples.reference_code(source, f) for f in e.functions} for e in exercises}
    first, last = exercises[0], exercises[-1]
    half = {f: code for e in exercises[: len(exercises) // 2] for f, code in solved[e.name].items()}
    yield "perfect", samples.reference(source)
    yield "perfect-but-noisy", samples.answered(source, {f: _noisy(code) for f, code in solved[first.name].items()})
    yield "perfect-with-cells-deleted", _without_checks(samples.reference(source))
    yield "half-done", samples.untouched(source, half)
    for exercise in exercises:
        yield f"only-{exercise.name}", samples.untouched(source, solved[exercise.name])
    yield "untouched", samples.untouched(source)
    yield "crashes", samples.answered(source, {first.name: _crash(first.name)})
    yield "loops-forever", samples.answered(source, {last.name: _loop(last.name)})
    yield "eats-memory", samples.answered(source, {first.name: _greed(first.name)})
    yield "has-a-syntax-error", samples.answered(source, {first.name: f"def {first.name}(*args:\n    return 1"})
    yield "cheats-by-reading-the-suite", samples.answered(source, {first.name: _spy(first.name)})
    yield "cheats-with-a-lying-object", samples.answered(source, {first.name: _liar(first.name)})
    yield "cheats-by-patching-numpy", samples.answered(source, {first.name: _patcher(first.name)})
    for answer in catalogue.read(course.misconceptions(stem)).answers:
        kind = "right" if answer.is_right else "wrong"
        yield f"{kind}-{answer.exercise}-{answer.name.replace('_', '-')}", samples.with_answer(source, answer)


def _noisy(code: str) -> str:
    return f'import sys, warnings\nprint("hello")\nprint("oops", file=sys.stderr)\nwarnings.warn("careful")\n{code}'


def _without_checks(submission: NotebookNode) -> NotebookNode:
    checks = sources.check_cells(submission)
    submission.cells = [cell for cell in submission.cells if cell.source.strip() not in checks]
    return submission


def _crash(name: str) -> str:
    return f"import os\ndef {name}(*args, **kwargs):\n    os._exit(0)"


def _loop(name: str) -> str:
    return (
        f"def {name}(*args, **kwargs):\n    while True:\n"
        "        try:\n            pass\n        except BaseException:\n            pass"
    )


def _greed(name: str) -> str:
    return f"def {name}(*args, **kwargs):\n    return np.ones((1 << 30,))"


def _spy(name: str) -> str:
    return (
        f"import glob\ndef {name}(*args, **kwargs):\n"
        "    found = glob.glob('/**/test_*.py', recursive=True)\n"
        "    exec(next(open(path).read() for path in found if 'exercise(' in open(path).read()))"
    )


def _liar(name: str) -> str:
    return (
        "class Liar(np.ndarray):\n    __eq__ = __le__ = __ge__ = lambda self, other: True\n"
        "    def __array_ufunc__(self, *args, **kwargs):\n        return True\n"
        f"def {name}(*args, **kwargs):\n    return np.zeros(1).view(Liar)"
    )


def _patcher(name: str) -> str:
    return (
        "np.isclose = np.allclose = np.array_equal = lambda *args, **kwargs: np.True_\n"
        f"def {name}(*args, **kwargs):\n    return 0.5"
    )
