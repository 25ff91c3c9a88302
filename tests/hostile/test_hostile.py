"""Hostile submissions, honest ones among them, graded in one class: nobody gets more, or less, than they earned."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from corpus import ESCAPED, HONEST, ONLY, Attack, attacks
from sample_class import REPOSITORY, SHORT, STEM, copy_course, hand_in, need, source_of, work

from autograder.course import Course
from autograder.course.model import Result
from autograder.grading import store
from autograder.grading.grade import Options, Run, grade
from autograder.grading.seeds import secret

CANARY = "canary-7d1f0c52"
HIDDEN_NUMBER = "0.42424242"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # what a terminal would obey

# Checks whose numbers are easily found again, wherever they might turn up.
MARKED_CHECKS = f'''

CANARY = "{CANARY}"


@exercise("bayes_binary", gate=True)
def test_marked_numbers_for_two(student):
    """One number more."""
    assert_matches(student.bayes_binary({HIDDEN_NUMBER}, 0.5, 0.5), {HIDDEN_NUMBER})


@exercise("posterior", gate=True)
def test_marked_numbers_for_many(student):
    """Some numbers more."""
    shares = [{HIDDEN_NUMBER}, 1 - {HIDDEN_NUMBER}]
    assert_matches(student.posterior(shares, [1, 1]), shares)
'''

EXERCISES = ["bayes_binary", "posterior", "sequential_posterior", "prob", "conditional", "bayes_classifier"]
FORGETS_THE_PRIOR = "def posterior(prior, likelihood):\n    return np.asarray(likelihood) / np.sum(likelihood)"
HONEST_CLASS = {
    "reference": work(**dict.fromkeys(EXERCISES)),
    "stub": work(),
    "half": work(bayes_binary=None, prob=None),
    "wrong": work(posterior=FORGETS_THE_PRIOR, conditional=None),
    "noisy": work({"setup": ["print('x' * 100)\nimport warnings\nwarnings.warn('careful')"]}, prob=None),
}


@dataclass(frozen=True)
class Class:
    """A graded class: what came out, with and without the attackers, and what it left behind."""

    alone: Mapping[str, bytes]
    together: Mapping[str, bytes]
    results: Mapping[str, Result]
    run: Run
    left_over: tuple[str, ...]
    changed: tuple[str, ...]
    processes: tuple[str, ...]
    calls_home: tuple[str, ...]


@pytest.fixture(scope="module", params=["strong", "portable"])
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    mode = need(request.param)
    root = tmp_path_factory.mktemp(mode)
    with ExitStack() as stack:
        yield grade_class(mode, root, stack)


def _is_ours(path: Path) -> bool:
    """Whether a path is that of the list of fonts, which the grader keeps in its user's home."""
    return ".cache" in path.parts


def grade_class(mode: str, root: Path, stack: ExitStack) -> Class:
    """Grade the honest students alone, then together with all attackers."""
    course = copy_course(root / "course")
    with course.suite(STEM).open("a") as suite:
        suite.write(MARKED_CHECKS)
    (course.suites / "canary.txt").write_text(CANARY)
    source = source_of(course)
    folders = {
        name: root / name for name in ("home", "temporary", "left", "alone", "together", "graded-alone", "graded")
    }
    for folder in folders.values():
        folder.mkdir()
    _change(
        stack,
        HOME=str(folders["home"]),
        TMPDIR=str(folders["temporary"]),
        CANARY=CANARY,
        AUTOGRADER_SECRET=f"{CANARY} in the secret",
        PYTHONDONTWRITEBYTECODE="1",
    )
    secret.place(course).parent.mkdir()
    secret.place(course).write_text(f"{CANARY} in the file of the secret")
    for number, (name, honest) in enumerate(HONEST_CLASS.items()):
        hand_in(folders["alone"], name, honest.notebook(source))
        # Names decide the order: each honest student comes between attackers.
        hand_in(
            folders["together"],
            f"{number * len(attacks()) // len(HONEST_CLASS):03}_honest_{name}",
            honest.notebook(source),
        )
    listeners = _listen(stack, root / "socket")
    known = _known(course, folders, listeners)
    for number, attack in enumerate(attacks()):
        hand_in(folders["together"], f"{number:03}_{attack.name}", attack.submission(source, known))
    # The same numbers for everybody: whoever has another name here than alone has the same results all the same.
    how = Options(folders["graded-alone"], workers=2, isolation=mode, limits=SHORT, fixed=True)
    grade(course, folders["alone"], how)
    victim = folders["graded"] / "results" / "victim" / f"{STEM}.json"
    victim.parent.mkdir(parents=True)
    victim.write_text("a classmate's marks")
    watched = [course.root, folders["together"], folders["home"], victim, *_installed()]
    before = {str(place): _fingerprint(place) for place in watched}
    _adopt_orphans()
    run = grade(course, folders["together"], replace(how, out=folders["graded"]))
    processes = tuple(str(child.cmdline()) for child in psutil.Process().children(recursive=True))
    return Class(
        _documents(folders["graded-alone"]),
        {
            name.partition("_honest_")[2]: text
            for name, text in _documents(folders["graded"]).items()
            if "_honest_" in name
        },
        {result.student: result for result in run.results},
        run,
        tuple(
            str(path)
            for place in ("temporary", "left", "home")
            for path in folders[place].rglob("*")
            if not _is_ours(path)
        ),
        tuple(place for place in before if _fingerprint(Path(place)) != before[place]),
        processes,
        tuple(_heard(listeners)),
    )


# --- What an attacker gets --------------------------------------------------------------------------------------------


def each_attack() -> list[Any]:
    return [pytest.param(number, attack, id=attack.name) for number, attack in enumerate(attacks())]


@pytest.mark.parametrize(("number", "attack"), each_attack())
def test_an_attack_gets_what_is_right_and_nothing_else(graded: Class, number: int, attack: Attack) -> None:
    result = graded.results[f"{number:03}_{attack.name}"]
    assert result.ungraded is None
    for exercise in result.exercises:
        assert exercise.score <= HONEST.get(exercise.name, 0)
        if exercise.name in attack.verdicts:
            assert str(exercise.verdict) in attack.verdicts[exercise.name], exercise.checks
    if not attack.costs_itself:
        assert {exercise.name: exercise.score for exercise in result.exercises if exercise.score} == HONEST, result


@pytest.mark.parametrize(("number", "attack"), each_attack())
def test_an_attack_does_not_get_through(graded: Class, number: int, attack: Attack) -> None:
    result = graded.results[f"{number:03}_{attack.name}"]
    said = json.dumps(store.to_json(result))
    assert ESCAPED not in said
    assert CANARY not in said
    assert not [text for text in texts(store.to_json(result)) if STEERING.search(text)]
    for fault in attack.faults:
        assert any(fault in told.text for told in result.faults), result.faults


def texts(value: Any) -> Iterator[str]:
    """All texts in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


@pytest.mark.skipif(ONLY in os.environ, reason="only some attacks were asked for")
def test_every_class_of_threat_is_tried() -> None:
    tried = {attack.threat for attack in attacks()} | {"o"}  # o, edited cells, is a matter of files: see test_files.py
    assert tried >= set("abcdefghijklmnopqr")


# --- What everybody else gets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HONEST_CLASS)
def test_honest_students_get_the_same_bytes_as_without_attackers(graded: Class, name: str) -> None:
    alone, together = json.loads(graded.alone[name]), json.loads(graded.together[name])
    assert together.pop("student").endswith(alone.pop("student"))
    assert json.dumps(together) == json.dumps(alone)
    assert alone["score"] == {"reference": 20, "stub": 0, "half": 7, "wrong": 3, "noisy": 4}[name]


def test_nothing_is_left_behind(graded: Class) -> None:
    assert graded.left_over == ()
    assert graded.processes == ()


def test_nothing_is_changed(graded: Class) -> None:
    assert graded.changed == ()


def test_nobody_calls_home(graded: Class) -> None:
    assert graded.calls_home == ()


def test_no_student_reads_a_hidden_number(graded: Class) -> None:
    for result in graded.results.values():
        document = store.to_json(result)
        for exercise in document["exercises"]:
            for check in exercise["checks"]:
                del check["detail"]  # for instructors only
        assert HIDDEN_NUMBER not in json.dumps(document), result.student


# --- The notebooks that instructors open ------------------------------------------------------------------------------


@pytest.mark.skipif(ONLY in os.environ, reason="only some attacks were asked for")
def test_a_notebook_with_outputs_holds_little_and_nothing_that_runs(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    with course.suite(STEM).open("a") as suite:
        suite.write(MARKED_CHECKS)
    loud = [
        attack
        for attack in attacks()
        if attack.name.startswith(("k_", "leaks_by_visible", "reply_halves", "follow_tells"))
    ]
    known = dict.fromkeys(["TEMPORARY", "LEFT"], tmp_path)
    for attack in loud:
        hand_in(tmp_path / "in", attack.name, attack.submission(source_of(course), known))
    options = Options(tmp_path / "out", workers=2, isolation=need("portable"), limits=SHORT, full=True)
    grade(course, tmp_path / "in", options)
    paths = sorted((tmp_path / "out" / "autograded").rglob("*.ipynb"))
    assert len(paths) == len(loud) >= 6
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert len(text) < 3 * SHORT.outputs_bytes
        assert HIDDEN_NUMBER not in text
        shown = [output for cell in json.loads(text)["cells"] for output in cell.get("outputs", [])]
        assert ESCAPED not in json.dumps(shown)
        kinds = {kind for output in shown for kind in output.get("data", {})}
        assert kinds <= {"text/plain", "text/html", "image/png"}
        pages = [page for output in shown if "text/html" in (page := output.get("data", {}))]
        assert not [page for page in pages if "<script" in "".join(page["text/html"])]


# --- The surroundings -------------------------------------------------------------------------------------------------


def _known(course: Course, folders: Mapping[str, Path], listeners: Mapping[str, socket.socket]) -> dict[str, object]:
    """What a well-informed student would know."""
    victim = folders["together"] / "000_honest_reference" / STEM / f"{STEM}.ipynb"
    return {
        "SUITES": course.suites,
        "SOLUTIONS": course.solutions,
        "CATALOGUE": course.catalogue,
        "DATA": course.data,
        "SECRET": secret.place(course),
        "REPOSITORY": REPOSITORY.root,
        "SUBMISSIONS": folders["together"],
        "VICTIM": victim,
        "RESULTS": folders["graded"],
        "VICTIM_RESULT": folders["graded"] / "results" / "victim" / f"{STEM}.json",
        "HOME": folders["home"],
        "TEMPORARY": folders["temporary"],
        "LEFT": folders["left"],
        "GRADER": os.getpid(),
        "GRADER_GROUP": os.getpgrp(),
        "TCP": listeners["tcp"].getsockname()[1],
        "UDP": listeners["udp"].getsockname()[1],
        "UNIX": listeners["unix"].getsockname(),
        "ABSTRACT": listeners["abstract"].getsockname()[1:].decode(),
    }


def _change(stack: ExitStack, **variables: str) -> None:
    """Set variables of the environment until the stack is closed."""
    patch = pytest.MonkeyPatch()
    stack.callback(patch.undo)
    for name, value in variables.items():
        patch.setenv(name, value)
    patch.setattr(tempfile, "tempdir", variables["TMPDIR"])


def _listen(stack: ExitStack, path: Path) -> dict[str, socket.socket]:
    """Somebody to call: sockets of four kinds, on this machine only."""
    short = Path(tempfile.mkdtemp(prefix="s", dir="/tmp"), "socket")  # a socket's path has little room
    stack.callback(short.parent.rmdir)
    stack.callback(short.unlink, missing_ok=True)
    listeners = {
        "tcp": socket.create_server(("127.0.0.1", 0)),
        "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "unix": socket.socket(socket.AF_UNIX),
        "abstract": socket.socket(socket.AF_UNIX),
    }
    listeners["udp"].bind(("127.0.0.1", 0))
    listeners["unix"].bind(str(short))
    listeners["abstract"].bind(f"\0autograder-test-{os.getpid()}")
    for name, listener in listeners.items():
        stack.callback(listener.close)
        listener.setblocking(False)
        if name in ("unix", "abstract"):
            listener.listen()
    return listeners


def _heard(listeners: Mapping[str, socket.socket]) -> Iterator[str]:
    for name, listener in listeners.items():
        try:
            listener.recv(1) if name == "udp" else listener.accept()
        except BlockingIOError:
            continue
        yield name


def _adopt_orphans() -> None:
    """Become the parent of every process that loses its own, so that none can hide."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def _installed() -> list[Path]:
    """What an attacker might change for good in the environment."""
    import IPython
    import numpy

    packages = Path(numpy.__file__).parents[1]
    return [Path(numpy.__file__).parent, Path(IPython.__file__).parent, *packages.glob("*.pth")]


def _fingerprint(place: Path) -> str:
    """A hash of names, modes, times and contents below a place."""
    digest = hashlib.sha256()
    for path in sorted([place, *place.rglob("*")]):
        if "__pycache__" in path.parts:
            continue
        status = path.lstat()
        digest.update(f"{path} {status.st_mode} {status.st_mtime_ns} {status.st_uid}".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _documents(folder: Path) -> dict[str, bytes]:
    paths = (folder / "results").glob(f"*/{STEM}.json")
    return {path.parent.name: path.read_bytes() for path in paths if path.parent.name != "victim"}
