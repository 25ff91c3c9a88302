"""The notebook that the benchmark grades, in the three forms that the three graders want: ours, nbgrader's and otter's.

It is what a notebook of a statistics course looks like: eight figures, a training loop, four exercises. Ours has twenty
hidden checks; the peers get the same comparisons as assertions in the notebook, which is how they grade.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

STEM = "01_benchmark"

SETUP = """%matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(0)
X = np.column_stack([np.ones(400), rng.normal(size=(400, 3))])
y = (X @ np.array([0.5, 2.0, -1.0, 0.5]) + rng.normal(size=400) > 0).astype(float)"""

CHECKS_SETUP = """

import checks

check = checks.start("01_benchmark")"""

SOLUTIONS = {
    "sigmoid": (
        "def sigmoid(z):\n    ### BEGIN SOLUTION\n    return 1 / (1 + np.exp(-np.asarray(z, dtype=float)))\n"
        "    ### END SOLUTION"
    ),
    "log_likelihood": (
        "def log_likelihood(w, X, y):\n    ### BEGIN SOLUTION\n    z = np.asarray(X) @ np.asarray(w)\n"
        "    return float(np.sum(np.asarray(y) * z - np.logaddexp(0, z)))\n    ### END SOLUTION"
    ),
    "gradient": (
        "def gradient(w, X, y):\n    ### BEGIN SOLUTION\n    X = np.asarray(X)\n"
        "    return X.T @ (np.asarray(y) - sigmoid(X @ np.asarray(w)))\n"
        "    ### END SOLUTION"
    ),
    "fit": (
        "def fit(X, y, eta, steps):\n    ### BEGIN SOLUTION\n    w = np.zeros(np.shape(X)[1])\n"
        "    for _ in range(steps):\n"
        "        w = w + eta * gradient(w, X, y)\n    return w\n    ### END SOLUTION"
    ),
}

FIGURES = [
    (
        "fig, ax = plt.subplots()\nax.plot(np.linspace(-6, 6, 300), 1 / (1 + np.exp(-np.linspace(-6, 6, 300))))\n"
        "ax.set(title='a sigmoid', xlabel='z')\nplt.show()"
    ),
    (
        "fig, axes = plt.subplots(1, 2)\nfor ax, column in zip(axes, (1, 2)):\n"
        "    ax.hist(X[:, column], bins=30)\nplt.show()"
    ),
    (
        "fig, ax = plt.subplots()\nax.scatter(X[:, 1], X[:, 2], c=y, s=9)\n"
        "ax.set(xlabel='first', ylabel='second', title='two classes')\nplt.show()"
    ),
    (
        "grid = np.linspace(-3, 3, 80)\na, b = np.meshgrid(grid, grid)\nfig, ax = plt.subplots()\n"
        "ax.contourf(a, b, 1 / (1 + np.exp(-(a - 2 * b))), levels=20)\nplt.show()"
    ),
    (
        "fig, axes = plt.subplots(2, 2)\nfor ax, k in zip(axes.flat, range(4)):\n"
        "    ax.plot(np.cumsum(rng.normal(size=200)))\n    ax.set_title(f'path {k}')\nplt.show()"
    ),
    (
        "fig, ax = plt.subplots()\nax.bar(range(4), np.abs(X).mean(axis=0))\n"
        "ax.set_title('mean size of a feature')\nplt.show()"
    ),
    "fig, ax = plt.subplots()\nax.imshow(np.corrcoef(X[:, 1:].T))\nax.set_title('correlations')\nplt.show()",
    (
        "fig, ax = plt.subplots()\nax.plot(history)\n"
        "ax.set(title='training', xlabel='step', ylabel='log-likelihood')\nplt.show()"
    ),
]

TRAINING = """trained = np.zeros(4)
history = []
for step in range(600):
    p = 1 / (1 + np.exp(-(X @ trained)))
    trained = trained + 0.002 * X.T @ (y - p)
    history.append(float(np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))))"""

PROBLEMS = [[0.5, -1.0], [1.5, 2.0], [-0.5, 0.25], [2.0, -2.0], [0.0, 3.0]]


def cells(kind: str, *, demo: bool = True) -> list[Any]:
    """The cells of the solved notebook for one of the graders: "ours", "nbgrader" or "otter"."""
    tags = {"tags": ["demo"]} if demo and kind == "ours" else {}
    setup = SETUP + (
        CHECKS_SETUP if kind == "ours" else "\n\nimport otter\ngrader = otter.Notebook()" if kind == "otter" else ""
    )
    made = [_code("setup", setup), _code("training", TRAINING, dict(tags))]
    made += [_code(f"figure-{number}", code, dict(tags)) for number, code in enumerate(FIGURES)]
    for name, code in SOLUTIONS.items():
        made.append(new_markdown_cell(f"### `{name}`", id=f"{name.replace('_', '-')}-task"))
        solution = {
            "grade": False,
            "grade_id": name,
            "locked": False,
            "schema_version": 3,
            "solution": True,
            "task": False,
        }
        made.append(_code(name.replace("_", "-"), code, {"nbgrader": solution}))
        grade = {**solution, "grade": True, "grade_id": f"{name}-check", "locked": True, "solution": False, "points": 5}
        test = {"ours": f'check("{name}")', "nbgrader": _assertions(name), "otter": f'grader.check("{name}")'}[kind]
        made.append(_code(f"{name.replace('_', '-')}-check", test, {"nbgrader": grade}))
    return made


def notebook(kind: str, *, demo: bool = True) -> Any:
    """The solved notebook for one of the graders."""
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return new_notebook(cells=cells(kind, demo=demo), metadata={"kernelspec": kernel, "course": {"stem": STEM}})


def answered(kind: str, student: int, *, demo: bool = True) -> str:
    """The file that a student hands in; each is a little different, so that nothing can be remembered."""
    made = notebook(kind, demo=demo)
    made.cells.append(_code("own", f"student = {student}"))
    written: str = nbformat.writes(made)
    return written


def course(root: Path, checks: Path, *, demo: bool) -> Path:
    """A course of this one notebook, with its visible checks and its hidden suite of twenty checks."""
    for folder in ("solutions", "data", "autograder/suites", "autograder/misconceptions"):
        (root / folder).mkdir(parents=True)
    shutil.copytree(checks, root / "notebooks" / "checks", ignore=shutil.ignore_patterns("0*.py", "__pycache__"))
    (root / "notebooks" / "checks" / "exercises" / f"{STEM}.py").write_text(VISIBLE)
    nbformat.write(notebook("ours", demo=demo), root / "solutions" / f"{STEM}.ipynb")
    (root / "autograder" / "suites" / f"test_{STEM}.py").write_text(_suite())
    return root


VISIBLE = '''"""Visible checks of the benchmark."""
import numpy as np
from checks.checking import exercise, expect

X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
Y = np.array([0.0, 1.0, 0.0, 1.0])

@exercise("sigmoid")
def half(student):
    """Half at zero."""
    expect(student.sigmoid(0.0), equals=0.5)

@exercise("log_likelihood")
def at_zero(student):
    """Four coins."""
    expect(student.log_likelihood(np.zeros(2), X, Y), equals=-4 * np.log(2))

@exercise("gradient")
def at_the_start(student):
    """The first gradient."""
    expect(student.gradient(np.zeros(2), X, Y), equals=[0.0, 1.0])

@exercise("fit")
def one_step(student):
    """One step."""
    expect(student.fit(X, Y, 0.1, 1), equals=[0.0, 0.1])
'''


def _suite() -> str:
    """Five checks an exercise, each with numbers drawn for it, against formulas that are written differently."""
    head = (
        '"""Hidden suite of the benchmark."""\nimport numpy as np\n'
        "from autograder.course.suite import assert_matches, exercise\n\n"
        "def problem(draw):\n    X = np.column_stack([np.ones(5), draw.numbers(5)])\n"
        "    return draw.coefficients(2), X, draw.labels(5).astype(float)\n\n"
        "def p(w, X):\n    return 0.5 * (1 + np.tanh(X @ w / 2))\n"
    )
    bodies = {
        "sigmoid": "    assert_matches(student.sigmoid(w), 0.5 * (1 + np.tanh(w / 2)))",
        "log_likelihood": (
            "    assert_matches(student.log_likelihood(w, X, y), np.log(np.where(y == 1, p(w, X), 1 - p(w, X))).sum())"
        ),
        "gradient": "    assert_matches(student.gradient(w, X, y), (y - p(w, X)) @ X)",
        "fit": "    got = student.fit(X, y, 0.01 * abs(w[0]) + 0.01, 20)\n    assert_matches(np.shape(got), [2])",
    }
    tests = [
        f'\n\n@exercise("{name}", gate=False)\ndef test_{name}_{number}(student, draw):\n'
        f'    """It agrees with another formula."""\n    w, X, y = problem(draw)\n{body}\n'
        for name, body in bodies.items()
        for number in range(len(PROBLEMS))
    ]
    return head + "".join(tests)


def _assertions(name: str) -> str:
    lines = {
        "sigmoid": "assert np.allclose(sigmoid(np.array(w)), 0.5 * (1 + np.tanh(np.array(w) / 2)))",
        "log_likelihood": (
            "assert np.isclose(log_likelihood(np.array(w), A, b), np.log(np.where(b == 1, q(w), 1 - q(w))).sum())"
        ),
        "gradient": "assert np.allclose(gradient(np.array(w), A, b), (b - q(w)) @ A)",
        "fit": "assert np.shape(fit(A, b, 0.01 * abs(w[0]) + 0.01, 20)) == (2,)",
    }
    return (
        "A = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, -2.0]])\n"
        "b = np.array([0.0, 1.0, 0.0, 1.0, 0.0])\n"
        "def q(w):\n    return 0.5 * (1 + np.tanh(A @ np.array(w) / 2))\n"
        f"### BEGIN HIDDEN TESTS\nfor w in {PROBLEMS}:\n    {lines[name]}\n### END HIDDEN TESTS"
    )


def otter_tests(folder: Path) -> None:
    """The tests of the four exercises as files of otter's."""
    folder.mkdir(parents=True)
    for name in SOLUTIONS:
        code = "".join(
            f">>> {line}\n" if not line.startswith(" ") and not line.startswith("return") else f"... {line}\n"
            for line in _assertions(name).splitlines()
            if not line.startswith("###")
        )
        test = {
            "name": name,
            "points": 5,
            "suites": [{"cases": [{"code": code}], "scored": True, "setup": "", "teardown": "", "type": "doctest"}],
        }
        (folder / f"{name}.py").write_text(f"OK_FORMAT = True\ntest = {test!r}\n")


def _code(id: str, source: str, metadata: dict[str, Any] | None = None) -> Any:
    return new_code_cell(source, id=id, metadata=metadata or {})
