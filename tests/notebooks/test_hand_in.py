"""Handing in: what is in the way is said, what would fail is told, and what was handed in is the file on disk."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEM = "01_bayes_rule"
PASSES = "all visible checks pass"

SETUP = f'%matplotlib inline\nimport numpy as np\nimport checks\n\ncheck = checks.start("{STEM}")'
BINARY = (
    "def bayes_binary(p_a, hit, alarm):\n    p_a = np.asarray(p_a)\n"
    "    return hit * p_a / (hit * p_a + alarm * (1 - p_a))"
)
POSTERIOR = (
    "def posterior(prior, likelihood):\n    joint = np.multiply(prior, likelihood)\n    return joint / joint.sum()"
)
STUB = "def posterior(prior, likelihood):\n    # YOUR CODE HERE\n    raise NotImplementedError()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A student's folder of notebooks, with the checks but without any notebook yet."""
    shutil.copytree(
        ROOT / "notebooks" / "checks", tmp_path / "notebooks" / "checks", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path / "notebooks"


def cell(source: str, **metadata: Any) -> dict[str, Any]:
    kind = "markdown" if source.startswith("#") else "code"
    extra: dict[str, Any] = {} if kind == "markdown" else {"outputs": [], "execution_count": None}
    return {
        "cell_type": kind,
        "id": hashlib.md5(source.encode()).hexdigest()[:8],
        "metadata": metadata,
        "source": source,
        **extra,
    }


def check_cell(name: str, points: int = 3) -> dict[str, Any]:
    return cell(
        f'check("{name}")', nbgrader={"grade": True, "solution": False, "grade_id": f"{name}-check", "points": points}
    )


def write(path: Path, *cells: str | dict[str, Any], stem: str | None = STEM) -> Path:
    """A notebook of the given cells; of their sources where they are text."""
    made = [cell(one) if isinstance(one, str) else one for one in cells]
    metadata = {"course": {"stem": stem}} if stem else {}
    path.write_text(json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))
    return path


def terminal(folder: Path, *words: object, **environment: str) -> tuple[int, str, str]:
    """`python -m checks hand-in ...` in the folder: its exit code, what it prints, and what it complains about."""
    nowhere = {
        "JUPYTER_CONFIG_DIR": str(folder / "none"),
        "JUPYTER_CONFIG_PATH": str(folder / "none"),
        "HOME": str(folder.parent),
    }
    done = subprocess.run(
        [sys.executable, "-m", "checks", "hand-in", *map(str, words)],
        cwd=folder, env=os.environ | nowhere | environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def refused(folder: Path, *words: object) -> str:
    """The reason why a notebook is not handed in, after making sure that nothing was written."""
    before = sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    code, printed, complaint = terminal(folder, *words)
    assert (code, printed) == (1, "")
    assert sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts) == before
    return complaint.split("Not handed in: ")[1]


SESSION = """
import os, sys
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
shell.register_magic_function(lambda line: None, "line", "matplotlib")
for source in CELLS:
    result = shell.run_cell(source)
"""


def session(folder: Path, *cells: str, **environment: str) -> str:
    """What a notebook session says that runs the given cells, one after the other."""
    environment = {
        "JUPYTER_CONFIG_DIR": str(folder / "none"),
        "HOME": str(folder.parent),
        "IPYTHONDIR": str(folder.parent),
    } | environment
    code = f"CELLS = {list(cells)!r}\n{SESSION}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)


# --- A file that can be handed in -------------------------------------------------------------------------------------


def test_a_notebook_is_copied_with_a_receipt_that_names_its_checksum(folder: Path) -> None:
    path = write(
        folder / f"{STEM}.ipynb", "# Title", SETUP, BINARY, check_cell("bayes_binary"), STUB, check_cell("posterior", 4)
    )
    before = path.read_bytes()
    os.utime(path, (0, datetime(2026, 10, 5, 23, 41, 9).timestamp()))
    code, printed, complaint = terminal(folder, path.name)
    assert (code, complaint) == (0, f"Running {STEM}.ipynb from a fresh start ...\n")
    assert printed.startswith(f"{STEM}: handed in; 1 of 6 exercises pass their visible checks from a fresh start\n")
    assert f"  bayes_binary (3 points): {PASSES}\n  posterior (4 points): not attempted yet\n" in printed
    assert "  prob: cannot be checked yet\n" in printed
    assert f"The file to upload is {folder / 'hand_in' / path.name}." in printed
    assert "The file was last saved at 23:41:09. If you have typed anything since, save and hand in again." in printed
    assert "Hidden checks with other numbers follow when the notebook is graded." in printed
    assert (folder / "hand_in" / path.name).read_bytes() == path.read_bytes() == before
    assert sorted(file.name for file in (folder / "hand_in").iterdir()) == [f"{STEM}.ipynb", f"{STEM}.receipt.json"]

    receipt = json.loads((folder / "hand_in" / f"{STEM}.receipt.json").read_text())
    assert datetime.fromisoformat(receipt.pop("handed_in")).utcoffset() == timedelta(0)
    assert receipt.pop("exercises")[:2] == [
        {"name": "bayes_binary", "visible_checks": PASSES},
        {"name": "posterior", "visible_checks": "not attempted yet"},
    ]
    sha256 = hashlib.sha256(before).hexdigest()
    assert receipt == {"notebook": f"{STEM}.ipynb", "stem": STEM, "sha256": sha256, "errors": [], "stopped": ""}


def test_a_renamed_notebook_is_handed_in_under_its_own_name(folder: Path) -> None:
    write(folder / "final version (2).ipynb", SETUP, BINARY, stem=None)
    assert terminal(folder, "final version (2).ipynb")[0] == 0
    assert (folder / "hand_in" / f"{STEM}.ipynb").exists()


def test_handing_in_again_replaces_what_was_handed_in(folder: Path) -> None:
    path = write(folder / f"{STEM}.ipynb", SETUP, BINARY)
    terminal(folder, path.name)
    path = write(folder / f"{STEM}.ipynb", SETUP, BINARY, POSTERIOR)
    assert "2 of 6 exercises" in terminal(folder, path.name)[1]
    assert (folder / "hand_in" / path.name).read_bytes() == path.read_bytes()


def test_a_hand_in_cell_of_the_notebook_does_not_hand_in_the_fresh_start(folder: Path) -> None:
    path = write(folder / f"{STEM}.ipynb", SETUP, BINARY, "checks.hand_in()")
    assert "stops with an error" not in terminal(folder, path.name)[1]


# --- What a fresh start tells -----------------------------------------------------------------------------------------


def test_cells_that_raise_are_named_and_stubs_and_checks_are_not(folder: Path) -> None:
    cells: list[str | dict[str, Any]] = [
        "# Title",
        SETUP,
        BINARY,
        STUB,
        check_cell("posterior"),
        "\nposterior(1, 2)",
        "print(forgotten)",
        "def broken(:",
    ]
    write(folder / f"{STEM}.ipynb", *cells)
    printed = terminal(folder, f"{STEM}.ipynb")[1]
    assert printed.count("stops with an error from a fresh start") == 2
    assert (
        "cell 7 (`print(forgotten)`) stops with an error from a fresh start: NameError: name 'forgotten' is not def"
        in printed
    )
    assert "cell 8 (`def broken(:`) stops with an error from a fresh start: SyntaxError: invalid syntax" in printed


def test_packages_that_grading_does_without_are_told(folder: Path) -> None:
    borrowed = (
        "from scipy.special import softmax\n\n\ndef posterior(prior, likelihood):\n    return softmax(likelihood)"
    )
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, "import sklearn.naive_bayes", borrowed, "posterior([1], [1])")
    printed = terminal(folder, f"{STEM}.ipynb")[1]
    assert printed.count("stops with an error") == 1  # where it is used, not where it is imported
    assert "cell 5 (`posterior([1], [1])`) stops with an error from a fresh start: ModuleNotFoundError: " in printed
    assert "ModuleNotFoundError: scipy.special.softmax is not there when this notebook is graded" in printed
    assert "  posterior: not right yet\n" in printed


def test_packages_that_the_course_allows_are_there(folder: Path) -> None:
    (folder / "checks" / "allowed.txt").write_text("scipy\n")
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, "import scipy.special\nscipy.special.expit(0)")
    assert "stops with an error" not in terminal(folder, f"{STEM}.ipynb")[1]


def test_a_slip_in_the_grammar_is_told_with_its_line(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, "def posterior(prior, likelihood):\n    return (prior")
    assert re.search(r"SyntaxError: [^<>]+ \(line 2 of the cell\)\n", terminal(folder, f"{STEM}.ipynb")[1])


def test_the_end_of_python_is_told_with_the_cell(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, "import os\nos._exit(3)", POSTERIOR)
    printed = terminal(folder, f"{STEM}.ipynb")[1]
    assert printed.startswith(f"{STEM}: handed in; 0 of 6 exercises pass")
    assert "  bayes_binary: not reached\n" in printed
    assert (
        "At cell 3 (`import os`), running the notebook afresh came to an end: Python ended in the middle of it."
        in printed
    )


def test_a_cell_that_never_ends_is_told(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, "while True: pass")
    code = f"""
        from pathlib import Path
        from checks import handing_in, reading
        notebook = reading.read(Path("{STEM}.ipynb"), ["{STEM}"])
        for seconds in (5, 50, 500):  # where Python itself takes long to start, the loop is reached later
            said = handing_in.run_afresh(notebook, seconds=seconds).stopped
            if said.startswith("At cell 3"):
                break
        print(seconds, said)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=folder, capture_output=True, text=True, timeout=600
    )
    seconds, _, said = done.stdout.partition(" ")
    assert said == (
        "At cell 3 (`while True: pass`), running the notebook afresh came to an end: "
        f"it was still running after {seconds} seconds.\n"
    ), done.stderr


def test_a_question_to_the_keyboard_does_not_wait_for_an_answer(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, "input()")
    assert "cell 3 (`input()`) stops with an error" in terminal(folder, f"{STEM}.ipynb")[1]


def test_a_fresh_start_needs_no_ipython(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, "print(forgotten)")
    code = f"""
        import sys
        sys.modules["IPython"] = sys.modules["IPython.core.interactiveshell"] = None
        import json
        from checks import fresh, reading
        notebook = reading.parse(open("{STEM}.ipynb", "rb").read(), "{STEM}.ipynb")
        cells = [(number, cell["source"]) for number, cell in enumerate(notebook["cells"], start=1)]
        fresh.examine("{STEM}", cells, lambda **event: print(json.dumps(event), file=open("found", "a")))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=folder, capture_output=True, text=True, timeout=600
    )
    found = [json.loads(line) for line in (folder / "found").read_text().splitlines()]
    assert found[-1]["states"]["bayes_binary"] == PASSES, done.stderr
    assert {"cell": 3, "error": "NameError: name 'forgotten' is not defined"} in found


# --- What is in the way -----------------------------------------------------------------------------------------------


def test_an_untouched_notebook_is_refused(folder: Path) -> None:
    shutil.copy(ROOT / "notebooks" / f"{STEM}.ipynb", folder)
    reason = refused(folder, f"{STEM}.ipynb")
    assert reason.startswith(f"no exercise of {STEM}.ipynb has been attempted in the file on disk.")
    assert "Save the notebook (Ctrl+S, on a Mac Cmd+S), then hand in again." in reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", f"{STEM}.ipynb is empty: the file on disk has no bytes."),
        ('{"cells": [{', f"{STEM}.ipynb is damaged: it is not JSON ("),
        ("[1, 2]", f"{STEM}.ipynb is JSON, but not a notebook: it has no cells."),
        ('{"cells": [], "nbformat": 4}', f"{STEM}.ipynb is empty: there is no code in the file on disk."),
        ('{"cells": [{"cell_type": "code", "source": [" "]}], "nbformat": 4}', f"{STEM}.ipynb is empty"),
        ('{"cells": [{"cell_type": "code", "source": "1"}], "nbformat": 4}', "no exercise of"),
    ],
)
def test_a_file_that_is_no_notebook_of_the_course_is_refused(folder: Path, content: str, reason: str) -> None:
    (folder / f"{STEM}.ipynb").write_text(content)
    assert refused(folder, f"{STEM}.ipynb").startswith(reason)


def test_a_file_that_is_not_there_is_refused(folder: Path) -> None:
    reason = refused(folder, "02.ipynb")
    assert reason.startswith(f"there is no notebook 02.ipynb to be read in {folder} (No such file or directory).")
    assert reason.endswith("or name the file: python -m checks hand-in name.ipynb.\n")
    assert 'or name the file: checks.hand_in("name.ipynb").' in session(folder, SETUP, "checks.hand_in()")


def test_a_python_that_the_course_is_not_installed_for_hands_nothing_in(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, BINARY)
    without_packages = [sys.executable, "-S", "-m", "checks", "hand-in", f"{STEM}.ipynb"]
    reason = (
        "Not handed in: this Python has no numpy and no matplotlib, so it cannot run the notebook. "
        "Use the Python that you installed the course for"
    )
    for installed in [None, folder.parent / ".venv" / "bin" / "python"]:
        if installed:
            installed.parent.mkdir(parents=True)
            installed.touch()
        done = subprocess.run(without_packages, cwd=folder, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (1, "") and not (folder / "hand_in").exists()
        assert (
            done.stderr
            == f"{reason}{f', {installed}' if installed else ''}, or run checks.hand_in() in a cell of the notebook.\n"
        )


def test_a_folder_that_cannot_be_written_to_leaves_the_notebook_alone(folder: Path) -> None:
    path = write(folder / f"{STEM}.ipynb", SETUP, BINARY)
    (folder / "hand_in").write_text("in the way")
    code, printed, complaint = terminal(folder, path.name)
    assert (code, printed) == (1, "")
    assert "hand_in cannot be written to (File exists). Your notebook is unharmed: hand in " in complaint
    assert path.exists()


def test_the_terminal_asks_for_a_notebook(folder: Path) -> None:
    code, _, complaint = terminal(folder)
    assert code == 2 and "NOTEBOOK" in complaint


# --- A session in a notebook ------------------------------------------------------------------------------------------


def test_a_saved_notebook_is_handed_in_from_its_session(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, POSTERIOR)
    said = session(folder, SETUP, BINARY, POSTERIOR, "checks.hand_in()")
    assert f"{STEM}: handed in; 2 of 6 exercises pass" in said
    assert (folder / "hand_in" / f"{STEM}.ipynb").exists()


def test_an_answer_that_is_not_saved_is_noticed(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, STUB)
    said = session(folder, SETUP, BINARY, POSTERIOR, "checks.hand_in()").strip()
    assert said == (
        f"NotHandedIn: what ran here as `posterior` is not what {STEM}.ipynb holds on disk. Save the notebook "
        "(Ctrl+S, on a Mac Cmd+S), run the cell of `posterior`, then this one again."
    )
    assert not (folder / "hand_in").exists()


def test_a_helper_that_is_not_saved_is_noticed(folder: Path) -> None:
    write(folder / f"{STEM}.ipynb", SETUP, "def half(x):\n    return x / 2", BINARY)
    assert "what ran here as `half` is not" in session(
        folder, SETUP, "def half(x):\n    return 0.5 * x", BINARY, "checks.hand_in()"
    )


def test_an_answer_that_lives_in_the_session_only_is_told(folder: Path) -> None:
    uses_it = BINARY.replace("hit * p_a / ", "one * hit * p_a / ")
    write(folder / f"{STEM}.ipynb", SETUP, uses_it, POSTERIOR)
    said = session(folder, SETUP, "one = 1", uses_it, POSTERIOR, "checks.hand_in()")
    assert "`bayes_binary` passes in this session, but not from a fresh start" in said
    assert "1 of 6 exercises" in said


def test_another_notebook_than_the_one_of_the_session_is_refused(folder: Path) -> None:
    write(folder / "other.ipynb", SETUP.replace(STEM, "02_maximum_likelihood"), stem="02_maximum_likelihood")
    said = session(folder, SETUP, "checks.hand_in('other.ipynb')")
    assert f"other.ipynb is the notebook 02_maximum_likelihood, but this session works on {STEM}." in said


def test_the_file_is_the_one_that_jupyter_has_opened(folder: Path) -> None:
    write(folder / "copy.ipynb", SETUP, BINARY)
    said = session(folder, SETUP, BINARY, "checks.hand_in()", JPY_SESSION_NAME=str(folder / "copy.ipynb"))
    assert "1 of 6 exercises" in said


def test_a_notebook_that_was_never_started_says_what_to_run(folder: Path) -> None:
    said = session(folder, "import checks\nchecks.hand_in()").strip()
    assert said == "NotHandedIn: run the first code cell of the notebook, then this one again."


def test_in_a_browser_without_processes_or_locks_it_says_what_to_do(folder: Path) -> None:
    code = f"""
        import sys
        import numpy, matplotlib
        for name in ("fcntl", "msvcrt", "ctypes", "_posixsubprocess", "nbformat", "nbgrader", "IPython"):
            sys.modules[name] = None
        sys.platform = "emscripten"
        import checks
        checks.start("{STEM}")
        try:
            checks.hand_in()
        except checks.NotHandedIn as reason:
            print(reason)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert done.stdout == "in the browser, choose File > Download, and hand in the file that you get.\n", done.stderr


def test_an_interrupt_of_the_kernel_ends_the_hand_in_in_one_line(folder: Path) -> None:
    interrupts = "import os, signal\nos.kill(int(os.environ['KERNEL']), signal.SIGINT)\nwhile True: pass"
    write(folder / f"{STEM}.ipynb", SETUP, BINARY, interrupts)
    kernel = "import os\nos.environ['KERNEL'] = str(os.getpid())"
    said = session(folder, SETUP, BINARY, kernel, "checks.hand_in()", "print('and on it goes')").strip()
    assert said == (
        "NotHandedIn: it was interrupted. What was handed in before, if anything, is as it was; "
        "to hand in, run it again.\nand on it goes"
    )
    assert not (folder / "hand_in").exists()


# --- nbgrader's exchange ----------------------------------------------------------------------------------------------


@pytest.fixture
def exchange(folder: Path, tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """An exchange of the course `bayes`, and the environment of a student whose nbgrader knows of it."""
    root = tmp_path / "exchange"
    (root / "bayes" / "inbound").mkdir(parents=True)
    (root / "bayes" / "outbound" / STEM).mkdir(parents=True)
    (root / "bayes" / "outbound" / STEM / f"{STEM}.ipynb").write_text("{}")
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "nbgrader_config.py").write_text(
        f'c = get_config()\nc.CourseDirectory.course_id = "bayes"\nc.Exchange.root = {str(root)!r}\n'
        f"c.Exchange.cache = {str(tmp_path / 'cache')!r}\n"
    )
    os.chmod(root, 0o777)
    return root, {"JUPYTER_CONFIG_DIR": str(settings)}


def test_where_there_is_an_exchange_the_notebook_is_sent_through_it(
    folder: Path, exchange: tuple[Path, dict[str, str]]
) -> None:
    root, environment = exchange
    path = write(folder / f"{STEM}.ipynb", SETUP, BINARY)
    code, printed, _ = terminal(folder, path.name, **environment)
    assert code == 0
    assert "Sent to the course bayes through nbgrader at " in printed
    [submitted] = (root / "bayes" / "inbound").iterdir()
    assert (submitted / path.name).read_bytes() == path.read_bytes()
    assert (submitted / f"{STEM}.receipt.json").exists()
    assert (folder / "hand_in" / path.name).exists()


def test_what_the_exchange_refuses_is_told_and_kept_as_a_file_to_upload(
    folder: Path, exchange: tuple[Path, dict[str, str]]
) -> None:
    root, environment = exchange
    shutil.rmtree(root / "bayes" / "outbound" / STEM)
    path = write(folder / f"{STEM}.ipynb", SETUP, BINARY)
    code, printed, _ = terminal(folder, path.name, **environment)
    assert code == 0
    assert "nbgrader could not send it: Assignment not found: " in printed
    assert f"The file to upload is {folder / 'hand_in' / path.name}." in printed
