"""Check your answers as you go: `check = checks.start("01_bayes_rule")`, then `check("posterior")`.

What runs here are the visible checks. Hidden checks, with other numbers, follow when the notebook is graded.
`check("posterior", another=True)` asks with other numbers, too. `checks.hand_in()` hands the notebook in.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

_begun_in_a_terminal = sys.argv[:1] == ["-m"]  # as it is while `python -m checks` looks for the package
_lacking = [name for name in ("numpy", "matplotlib") if _begun_in_a_terminal and importlib.util.find_spec(name) is None]
if _lacking:  # another Python than the one of the course
    _usual = [HERE.parent.parent / ".venv" / place for place in ("bin/python", "Scripts/python.exe")]  # by the README
    _made = next((f", {path}" for path in _usual if path.exists()), "")
    sys.exit(
        f"Not handed in: this Python has no {' and no '.join(_lacking)}, so it cannot run the notebook. "
        f"Use the Python that you installed the course for{_made}, or run checks.hand_in() in a cell of the notebook."
    )

from checks import handing_in, practice, reading, rendering, running  # noqa: E402
from checks.checking import Check, Code, load  # noqa: E402
from checks.reading import NotHandedIn  # noqa: E402

__all__ = ["CheckFailed", "Code", "NotHandedIn", "data", "hand_in", "show", "start"]

TOUR = "00_"  # how the stem of a notebook begins that nobody grades
_started: list[str] = []  # the stems of the notebooks that this session works on; there should be one


class CheckFailed(Exception):
    """An exercise that does not pass its visible checks yet. The notebook shows one line of it, no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


def start(stem: str) -> Callable[..., None]:
    """The function `check` of one notebook: `check("posterior")` for an exercise, `check()` for all of them.

    `check("posterior", another=True)` asks for the same with other numbers.
    """
    known = stems()
    if stem not in known:
        raise LookupError(f"There is no notebook {stem!r}{_nearest(stem, known)} Known are: {', '.join(known)}.")
    by_exercise = _by_exercise(stem)
    others = practice.Practice(HERE / "practice" / f"{stem}.json")
    _started.append(stem)
    _say_stubs_in_one_line(_shell())

    def check(exercise: str | None = None, another: bool = False) -> None:
        """Run the visible checks of an exercise on this notebook's names; without a name, show the progress.

        With `another=True`, ask for the same with other numbers. That counts nowhere; it is for practice.
        """
        namespace = sys._getframe(1).f_globals
        names = list(by_exercise)
        if exercise is None and not another:
            found = {name: running.examine_all(by_exercise[name], namespace) for name in by_exercise}
            _display(
                rendering.progress(found, reading.points_beside([HERE.parent, HERE.parent.parent / "solutions"], stem))
            )
            return
        if exercise is None:
            raise CheckFailed(f'name the exercise: check("{names[0]}", another=True). They are: {", ".join(names)}.')
        if exercise not in by_exercise:
            nearest = _nearest(exercise, names)
            raise CheckFailed(
                f"there is no exercise {exercise!r} in {stem}{nearest} The exercises are: {', '.join(names)}."
            )
        if another:
            report, right = others.ask(exercise, namespace)
            _display(report)
            if not right:
                raise CheckFailed(report.heading)
            return
        outcomes = running.examine_all(by_exercise[exercise], namespace)
        report = rendering.report_on(exercise, outcomes, graded=not stem.startswith(TOUR))
        _display(report)
        passed = sum(outcome.verdict is running.Verdict.PASSES for outcome in outcomes)
        if passed < len(outcomes):
            raise CheckFailed(f"{report.heading} ({passed} of {len(outcomes)} visible checks pass)")

    return check


def hand_in(notebook: str | os.PathLike[str] | None = None) -> None:
    """Run the saved notebook from a fresh start, tell what would fail, and put it where the course wants it.

    Without a file name, it is the notebook that this cell is part of.
    """
    if handing_in.FRESH in os.environ:
        return
    namespace = sys._getframe(1).f_globals

    def here(stem: str) -> dict[str, str]:
        return {
            name: rendering.verdict_on(running.examine_all(some, namespace))
            for name, some in _by_exercise(stem).items()
        }

    _display(handing_in.hand_in(_started[-1] if _started else None, notebook, stems(), here).report())


def stems() -> list[str]:
    """The notebooks that there are visible checks for."""
    return sorted(path.stem for path in (HERE / "exercises").glob("[0-9]*.py"))


def _by_exercise(stem: str) -> dict[str, list[Check]]:
    found: dict[str, list[Check]] = {}
    for one in load(stem):
        found.setdefault(one.exercise, []).append(one)
    return found


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(str(name), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else "."


def _shell() -> Any:
    """The running IPython shell, or None; where there is one, IPython has been imported already."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _say_stubs_in_one_line(shell: Any) -> None:
    """Let a cell that calls an untouched stub end in one line that names it; other errors keep their traceback."""

    def tell(
        shell: Any, kind: type[BaseException], error: BaseException, traceback: Any, tb_offset: Any = None
    ) -> None:
        where = running.own_line(traceback, shell.user_ns)
        if (
            where is None or where[0].startswith("<") or str(error)
        ):  # not a stub's: raised by a library, a lambda, with a message
            shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)
        else:
            shell._showtraceback(
                kind, error, [f"{kind.__name__}: this cell needs `{where[0]}`, which is not attempted yet."]
            )

    if shell is not None:
        shell.set_custom_exc((NotImplementedError,), tell)


def _display(report: rendering.Report) -> None:
    if _shell() is None:
        print(report)
    else:
        from IPython.display import display

        display(report)


def data(name: str) -> Path:
    """The path of a data file of the course, such as data("penguins.csv")."""
    folders = [HERE.parent / "data", HERE.parent.parent / "data"]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    looked = " and ".join(str(folder) for folder in folders)
    raise FileNotFoundError(
        f"The data file {name!r} is not there. Looked in {looked}. "
        "Copy the course's folder `data` beside the notebook, or into the folder above it."
    )


def show(fig: Any, alt: str) -> None:
    """Display a figure together with its text alternative, then close it.

    JupyterLab does not hand the alternative on to those who cannot see the picture, so it stands below as text, too.
    """
    if _shell() is not None:
        from IPython.display import display

        display(fig, metadata={"image/png": {"alt": alt}})
        display(rendering.InWords(alt))
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(fig)
