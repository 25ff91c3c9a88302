"""Every source notebook still gives the outputs that it shows, and every released one runs as a student would run it.

nbval passes a notebook whose outputs were stripped, and a cell that should raise and does not. `gaps` closes that:
it lists the cells whose success would prove nothing.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import minicourse
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from autograder.authoring import refresh, release
from autograder.course import Course, notebook, sources

COURSE = Course.default()
SANITIZE = Path(__file__).with_name("nbval_sanitize.cfg")
STUB = r"raise NotImplementedError\(\)|this cell needs `\w+`, which is not attempted yet"
SPEAKS = {"check", "display", "print", "show"}


def nbval(course: Course, stem: str, folder: Path, seconds_per_cell: int = 120) -> tuple[int, str]:
    """The number of cells that nbval passes, and what it says about the others."""
    report = folder / "nbval.xml"
    command: list[str | Path] = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", folder]
    command += ["--nbval", "--nbval-current-env", f"--nbval-cell-timeout={seconds_per_cell}"]
    command += ["--nbval-sanitize-with", SANITIZE, "--junitxml", report]
    command += ["-p", "no:cacheprovider", "--color=no", "-q", course.source(stem)]
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    environment |= {
        "PYTHONPATH": str(course.notebooks),
        "MATPLOTLIBRC": str(course.notebooks),
        "IPYTHONDIR": str(folder),
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    cases = list(ElementTree.parse(report).iter("testcase"))
    return sum(len(case) == 0 for case in cases), done.stdout + done.stderr


def gaps(source: NotebookNode) -> list[str]:
    """The cells of a source notebook that nbval would pass without having seen anything, in words."""
    found = []
    for cell in source.cells:
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        tags = cell.metadata.get("tags", [])
        kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
        raised = any(output.output_type == "error" for output in cell.outputs)
        says = _calls(cell.source) & SPEAKS
        if cell.execution_count is None:
            found.append(f"{cell.id} was never run")
        if says and not cell.outputs:
            found.append(f"{cell.id} calls {min(says)} and shows nothing")
        if "show" in says and "image/png" not in kinds:
            found.append(f"{cell.id} draws and shows no picture")
        if ("raises-exception" in tags) != raised:
            found.append(f"{cell.id} {'raises' if raised else 'does not raise'}, which its tags do not say")
        if "nbval-skip" in tags or "NBVAL" in cell.source or "PYTEST_VALIDATE" in cell.source:
            found.append(f"{cell.id} keeps nbval out")
        if "nbval-ignore-output" in tags and "interact" not in cell.source:
            found.append(f"{cell.id} hides its output from nbval")
    return found


def _calls(source: str) -> set[str]:
    """The names of the functions that a cell itself calls, not counting what it only defines."""
    names: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(TransformerManager().transform_cell(source))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names.add(node.func.id)
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return names


def complaints(executed: NotebookNode) -> list[str]:
    """What a released notebook does that a student who has typed nothing should not see, in words."""
    found = []
    for cell in executed.cells:
        errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
        names = [error.ename for error in errors]
        if cell.id.endswith("-check"):
            if names != ["CheckFailed"]:
                found.append(f"{cell.id}: {names or 'no error'} instead of one CheckFailed")
        elif names and (names != ["NotImplementedError"] or not re.search(STUB, _plain(errors[0]))):
            found.append(f"{cell.id}: {errors[0].ename}: {errors[0].evalue}")
    return found


def _plain(error: NotebookNode) -> str:
    """The traceback without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback))


# --- The real course --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def handed_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What students of the real course get, in a folder of their own."""
    folder = tmp_path_factory.mktemp("student")
    for name, data in release.contents(COURSE, release.build(COURSE)).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_a_source_still_gives_the_outputs_that_it_shows(stem: str, tmp_path: Path) -> None:
    source = sources.read(COURSE.source(stem))
    assert gaps(source) == []
    passed, said = nbval(COURSE, stem, tmp_path)
    assert passed == len(notebook.code_cells(source)) > 0, said


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_a_released_notebook_runs_to_its_end_with_no_error_but_those_of_stubs_and_checks(
    stem: str, handed_out: Path
) -> None:
    released = notebook.read(handed_out / "notebooks" / f"{stem}.ipynb")
    executed = refresh.run(released, handed_out / "notebooks")  # stops, as "Run All" does, where a cell is not tagged
    assert complaints(executed) == []
    by_line = [cell for cell in executed.cells if "interact(" not in cell.source]  # a slider has its own way
    told = [
        len(output.traceback) for cell in by_line for output in cell.get("outputs", []) if output.output_type == "error"
    ]
    assert set(told) == {1}, "an error that a student meets without having made a mistake takes one line"
    checked = [cell.id for cell in executed.cells if cell.id.endswith("-check")]
    assert len(checked) == len(sources.exercises(sources.read(COURSE.source(stem)))) > 0


# --- That these tests can fail ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The mini course with outputs, among them an error that is meant and an address."""
    course = minicourse.make(tmp_path_factory.mktemp("executed"))
    minicourse.edit(course, "01_mini", new=minicourse.code("meant", "int('x')", tags=["raises-exception"]))
    minicourse.edit(course, "01_mini", new=minicourse.code("address", "object()"))
    refresh.refresh(course, ["01_mini"])
    return course


@pytest.fixture
def course(executed: Course, tmp_path: Path) -> Course:
    """A copy of it to change: only the source differs, the checks are shared."""
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "01_mini.ipynb").write_bytes(executed.source("01_mini").read_bytes())
    (tmp_path / "notebooks").symlink_to(executed.notebooks)
    return Course(tmp_path)


def test_a_sound_notebook_passes(course: Course, tmp_path: Path) -> None:
    source = sources.read(course.source("01_mini"))
    assert gaps(source) == []
    passed, said = nbval(course, "01_mini", tmp_path)
    assert passed == len(notebook.code_cells(source)) == 7, said


@pytest.mark.parametrize(
    ("cell", "changed"),
    [
        ("example", "print('weighted, the mean is 3.6')"),
        ("meant", "int('7')"),
        ("weighted_mean", minicourse.WEIGHTED_MEAN.replace("value * weight", "value")),
        ("figure", "import os\nos._exit(1)"),
    ],
)
def test_a_notebook_that_no_longer_gives_its_outputs_fails(
    course: Course, tmp_path: Path, cell: str, changed: str
) -> None:
    minicourse.edit(course, "01_mini", **{cell: {"source": changed}})
    passed, said = nbval(course, "01_mini", tmp_path, seconds_per_cell=4)
    assert passed < 7, said
    assert "Cell" in said


def test_a_stripped_notebook_passes_nbval_but_not_us(course: Course, tmp_path: Path) -> None:
    source = sources.read(course.source("01_mini"))
    for cell in source.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.write(source, course.source("01_mini"))
    assert nbval(course, "01_mini", tmp_path)[0] == 7
    assert gaps(source) == [
        "address was never run",
        "meant was never run",
        "meant does not raise, which its tags do not say",
        "setup was never run",
        "weighted-mean was never run",
        "weighted-mean-check was never run",
        "weighted-mean-check calls check and shows nothing",
        "example was never run",
        "example calls print and shows nothing",
        "figure was never run",
    ]


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        (
            minicourse.code("a", "show(figure, 'text')", minicourse.cells_of_01()[4].outputs),
            "a draws and shows no picture",
        ),
        (minicourse.code("a", "for x in 'ab':\n    print(x)"), "a calls print and shows nothing"),
        (minicourse.code("a", "%matplotlib inline\nprint(1)"), "a calls print and shows nothing"),
        (minicourse.code("a", "x = 1  # NBVAL_SKIP"), "a keeps nbval out"),
        (minicourse.code("a", "x = 1", tags=["nbval-skip"]), "a keeps nbval out"),
        (minicourse.code("a", "x = 1", tags=["nbval-ignore-output"]), "a hides its output from nbval"),
        (minicourse.code("a", "x = 1", tags=["raises-exception"]), "a does not raise, which its tags do not say"),
    ],
)
def test_what_would_prove_nothing_is_listed(cell: NotebookNode, complaint: str) -> None:
    cell = minicourse.make_notebook("01_mini", [cell]).cells[0]
    cell.execution_count = 1
    assert complaint in gaps(minicourse.make_notebook("01_mini", [cell]))


@pytest.mark.parametrize("source", ["def f():\n    print(1)", "x = 1", "", "draw = lambda: show(1, 2)"])
def test_what_only_defines_need_not_show_anything(source: str) -> None:
    cell = minicourse.make_notebook("01_mini", [minicourse.code("a", source)]).cells[0]
    cell.execution_count = 1
    assert gaps(minicourse.make_notebook("01_mini", [cell])) == []


def test_a_released_notebook_that_does_something_else_is_noticed(tmp_path: Path) -> None:
    course = minicourse.make(tmp_path)
    minicourse.edit(course, "01_mini", figure={"source": "print(mean_of_example)", "outputs": []})
    minicourse.edit(course, "01_mini", setup={"source": "import checks\n\ncheck = print"})
    release.release(course, ["01_mini"], unvalidated=True)
    executed = refresh.run(notebook.read(course.released("01_mini")), course.notebooks, keep_going=True)
    assert complaints(executed) == [
        "weighted-mean-check: no error instead of one CheckFailed",
        "figure: NameError: name 'mean_of_example' is not defined",
    ]
    assert executed.cells[4].outputs[0].ename == "NotImplementedError"


def test_an_untouched_released_notebook_raises_no_complaint(tmp_path: Path) -> None:
    course = minicourse.make(tmp_path)
    release.release(course, ["01_mini"], unvalidated=True)
    executed = refresh.run(notebook.read(course.released("01_mini")), course.notebooks, keep_going=True)
    assert complaints(executed) == []
