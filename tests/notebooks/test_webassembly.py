"""The visible checks in WebAssembly, as in a browser: integers of 32 bits, no warning of an overflow, no processes.

`make wasm` fetches two Pythons that Node runs: a CPython with NumPy, and Pyodide, which the course's JupyterLite uses,
without. Skipped where they or Node are missing.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Course, catalogue, notebook, sources

COURSE = Course.default()
BUILD = COURSE.root / "build" / "wasm"
PROGRAMS = Path(__file__).with_name("webassembly")
STEMS = COURSE.stems()

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed"),
    pytest.mark.skipif(
        not (BUILD / ".ready").exists(), reason="no Python for WebAssembly in build/wasm: run `make wasm`"
    ),
]


def run(command: list[str | Path]) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


def asked(stem: str) -> dict[str, Any]:
    """What a notebook's session holds before the checks, and every known answer to its exercises."""
    source = sources.read(COURSE.source(stem))
    skipped = sources.demo_cells(source) | sources.check_cells(source)
    codes = [code for _, code in notebook.code_cells(source) if code.strip() not in skipped]
    cells = ["\n".join(line for line in code.splitlines() if not line.startswith("%")) for code in codes]
    answers = {
        answer.name: [answer.exercise, answer.source()]
        for answer in catalogue.read(COURSE.misconceptions(stem)).answers
    }
    return {"cells": cells, "answers": answers}


@pytest.fixture(scope="module")
def here_and_there(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the checks say about every known answer, in this Python and in the one for WebAssembly."""
    folder = tmp_path_factory.mktemp("answers")
    task, here, there = folder / "asked.json", folder / "here.json", folder / "there.json"
    task.write_text(json.dumps({"notebooks": str(COURSE.notebooks), "stems": {stem: asked(stem) for stem in STEMS}}))
    script = PROGRAMS / "examine.py"
    commands = [[sys.executable, script, task, here], ["node", PROGRAMS / "numpy.cjs", BUILD, script, task, there]]
    with ThreadPoolExecutor() as pool:
        list(pool.map(run, commands))
    return json.loads(here.read_text()), json.loads(there.read_text())


def test_the_other_python_is_as_different_as_a_browser(here_and_there: tuple[dict[str, Any], ...]) -> None:
    here, there = (found["python"] for found in here_and_there)
    assert (here["integers"], here["notices_overflow"]) == ("int64", True)
    assert (there["integers"], there["notices_overflow"]) == ("int32", False)
    assert there["platform"] != here["platform"]


@pytest.mark.parametrize("stem", STEMS)
def test_the_reference_passes_each_visible_check_there(stem: str, here_and_there: tuple[dict[str, Any], ...]) -> None:
    found = here_and_there[1]["verdicts"][stem]["reference"]
    assert found and {check for check, verdict in found.items() if verdict != "passes"} == set()


@pytest.mark.parametrize("stem", STEMS)
def test_visible_checks_pass_and_fail_on_the_same_answers_there(
    stem: str, here_and_there: tuple[dict[str, Any], ...]
) -> None:
    """Why one fails may differ: a singular matrix is an error on one processor and a wrong number on the other."""
    here, there = (
        {
            (name, check): verdict == "passes"
            for name, some in found["verdicts"][stem].items()
            for check, verdict in some.items()
        }
        for found in here_and_there
    )
    assert {case: passes for case, passes in there.items() if here[case] != passes} == {}
    assert here.keys() == there.keys() and set(here.values()) == {True, False}


# --- Pyodide ----------------------------------------------------------------------------------------------------------


IN_PYODIDE = """
import json, sys, types
sys.path.insert(0, "/notebooks")

class Absent(types.ModuleType):  # Pyodide's own NumPy comes from the network; what is run here only names parts of it
    def __getattr__(self, name):
        return object

sys.modules["numpy"] = Absent("numpy")
import checks
from checks import derivation

said = {"platform": sys.platform, "stems": checks.stems(), "data": str(checks.data("penguins.csv"))}
said["algebra"] = derivation.read("(y - p)*x")
check = checks.start("00_start_here")
check()
try:
    checks.hand_in()
except checks.NotHandedIn as told:
    said["hand_in"] = str(told)
json.dumps(said)
"""


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the package `checks` says in Pyodide."""
    folder = tmp_path_factory.mktemp("pyodide")
    (folder / "program.py").write_text(IN_PYODIDE)
    run(["node", PROGRAMS / "pyodide.mjs", BUILD, COURSE.root, folder / "program.py", folder / "said.json"])
    said: dict[str, Any] = json.loads((folder / "said.json").read_text())
    return said


def test_pyodide_finds_checks_and_data(pyodide: dict[str, Any]) -> None:
    assert pyodide["platform"] == "emscripten"
    assert pyodide["stems"] == list(COURSE.select(None, tours=True))
    assert pyodide["data"] == "/data/penguins.csv"


def test_pyodide_reads_algebra_and_shows_the_progress(pyodide: dict[str, Any]) -> None:
    assert pyodide["algebra"] == ["*", ["-", ["symbol", "y"], ["symbol", "p"]], ["symbol", "x"]]
    assert pyodide["printed"].startswith(
        "0 of 1 exercises pass their visible checks\n  percent: cannot be checked yet\n"
    )


def test_pyodide_says_how_to_hand_in_from_a_browser(pyodide: dict[str, Any]) -> None:
    assert pyodide["hand_in"] == "in the browser, choose File > Download, and hand in the file that you get."
