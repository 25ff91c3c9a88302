"""Submissions that work together: what one learns while it is graded is of no use to another.

Most of these run without isolation, where two processes can talk as much as they like: the walls between them have
tests of their own (tests/sandbox/test_channels.py). What is tried here is that there is nobody to talk to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sample_class import SHORT, copy_course, hand_in, need, source_of, work
from test_hostile import HIDDEN_NUMBER, MARKED_CHECKS, texts

from autograder.course import Course, notebook
from autograder.course.policy import Policy
from autograder.grading.grade import Options, grade
from autograder.nbgrader_bridge import examiner
from autograder.pages import feedback
from autograder.validity import samples

FIRST, SECOND = "01_bayes_rule", "02_maximum_likelihood"

# Tells by the reference's answer that it runs for the second time, and then looks for others who are graded.
MEETS = """
import os, pathlib

HERE = pathlib.Path({folder!r})
(HERE / f"{{os.getpid()}}").touch()


def others():
    for path in HERE.iterdir():
        if path.name.isdigit() and int(path.name) != os.getpid():
            try:
                os.kill(int(path.name), 0)
            except ProcessLookupError:
                continue
            yield path.name


def posterior(prior, likelihood):
    return [0.0 if p == 0.5 else -p for p in prior]
"""
LOOKS = """
def sequential_posterior(prior, likelihoods):
    if any(posterior([0.5, 0.5], [0.2, 0.8])):
        (HERE / "second").touch()
        for name in others():
            (HERE / f"met {name}").touch()
    rows = [np.asarray(prior, dtype=float) / np.sum(prior)]
    for likelihood in likelihoods:
        rows.append(posterior(rows[-1], likelihood))
    return np.array(rows)
"""


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_nobody_is_graded_beside_a_process_that_may_ask_the_reference(tmp_path: Path, executor: str) -> None:
    if executor == "dask":
        pytest.importorskip("distributed")
    course, met = copy_course(tmp_path / "course"), tmp_path / "met"
    met.mkdir()
    for number in range(6):
        some = work(posterior=MEETS.format(folder=str(met)), sequential_posterior=LOOKS)
        hand_in(tmp_path / "in", f"student-{number:02}", some.notebook(source_of(course)))
    options = Options(tmp_path / "out", workers=2, isolation="none", limits=SHORT, executor=executor)
    run = grade(course, tmp_path / "in", options)
    followed = [e.name for result in run.results for e in result.exercises if e.followed_through]
    assert followed == ["sequential_posterior"] * 6
    assert (met / "second").exists()
    assert not list(met.glob("met *"))


# One student hands in two notebooks: the first writes down what it is asked, the second reads it to a visible check.
LISTENS = """
import os, pathlib

HEARD = pathlib.Path({heard!r})


def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):
    try:
        with HEARD.open("a") as file:
            file.write(f"{{p_a}} ")
    except OSError:
        pass
    joint = np.asarray(p_b_given_a, float) * p_a
    return joint / (joint + np.asarray(p_b_given_not_a, float) * (1 - np.asarray(p_a, float)))
"""
TELLS = """
import pathlib


def heard():
    try:
        return "I heard " + pathlib.Path({heard!r}).read_text()
    except OSError:
        return "I heard nothing"


def bernoulli_pmf(x, theta):
    raise ValueError(heard())


def likelihood(theta, x):
    return heard()


print(heard())
raise ValueError(heard())
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = copy_course(tmp_path_factory.mktemp("both") / "course", (FIRST, SECOND))
    with course.suite(FIRST).open("a") as suite:
        suite.write(MARKED_CHECKS)
    return course


def hand_in_both(course: Course, place: Path, heard: Path) -> None:
    """A student's two notebooks, of which the first listens and the second tells."""
    answers = {"bayes_binary": LISTENS.format(heard=str(heard)), "bernoulli_pmf": TELLS.format(heard=str(heard))}
    for stem in (FIRST, SECOND):
        some = samples.untouched(source_of(course, stem), answers)
        path = place / "eve" / stem / f"{stem}.ipynb"
        path.parent.mkdir(parents=True)
        notebook.write(some, path)


def pages_of(course: Course, out: Path) -> Iterator[str]:
    """Everything that a student or an instructor may be shown, but for the details that instructors alone read."""
    for path in out.rglob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        for exercise in document["exercises"]:
            for check in exercise["checks"]:
                del check["detail"]
        yield json.dumps(document)
    feedback.write(out, course)
    for pattern in ("*.ipynb", "*.html"):
        yield from (path.read_text(encoding="utf-8") for path in out.rglob(pattern))


@pytest.mark.parametrize(("mode", "full"), [("none", False), ("none", True), ("portable", False), ("strong", False)])
def test_what_one_notebook_is_asked_is_not_quoted_from_another_of_the_same_student(
    both: Course, tmp_path: Path, mode: str, full: bool
) -> None:
    isolation, heard = mode if mode == "none" else need(mode), tmp_path / "heard"
    hand_in_both(both, tmp_path / "in", heard)
    # One worker: whatever is not graded together comes one after the other, and the second could tell all.
    run = grade(
        both, tmp_path / "in", Options(tmp_path / "out", workers=1, isolation=isolation, limits=SHORT, full=full)
    )
    assert [result.ungraded for result in run.results] == [None, None]
    assert heard.exists() is (mode == "none")
    assert mode != "none" or HIDDEN_NUMBER in heard.read_text()  # the attack did listen
    shown = list(pages_of(both, tmp_path / "out"))
    assert any("I heard" in page for page in shown)  # and what it had to tell is quoted
    assert not [page for page in shown if HIDDEN_NUMBER in page]


def test_nbgrader_shows_no_quote_from_a_second_notebook_of_a_student(both: Course, tmp_path: Path) -> None:
    hand_in_both(both, tmp_path / "in", tmp_path / "heard")

    def quotes(student: str, stem: str) -> bool:
        content = (tmp_path / "in" / "eve" / stem / f"{stem}.ipynb").read_bytes()
        outcome = examiner.examine(both, student, stem, content, wanted="none", full=False, rules=Policy(limits=SHORT))
        checks = [check for exercise in outcome.result.exercises for check in exercise.checks]
        shown = [*(check.message for check in checks), *(line for check in checks for line in check.traceback)]
        return any("I heard" in text for text in [*shown, *map(str, outcome.result.faults)])

    assert quotes("ann", SECOND)  # nothing of hers was graded before
    assert not quotes("eve", FIRST)
    assert not quotes("eve", SECOND)


# Kills the zygote that it was forked from, once: what comes after is quoted no more.
KILLS = """
import os, pathlib, signal

def prob(joint, event, given=None):
    if not pathlib.Path({heard!r}).with_suffix(".killed").exists():
        pathlib.Path({heard!r}).with_suffix(".killed").touch()
        os.kill(os.getppid(), signal.SIGKILL)
    return 0.5
"""


def test_what_is_graded_again_after_a_fault_quotes_nothing(both: Course, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    hand_in_both(both, tmp_path / "in", heard)
    path = tmp_path / "in" / "eve" / FIRST / f"{FIRST}.ipynb"
    answers = {
        "bayes_binary": LISTENS.format(heard=str(heard)) + TELLS.format(heard=str(heard)).partition("def bern")[0]
    }
    answers["posterior"] = (
        "def posterior(prior, likelihood):\n    raise ValueError(heard())\n\n\nraise ValueError(heard())"
    )
    answers["prob"] = KILLS.format(heard=str(heard))
    notebook.write(samples.untouched(source_of(both, FIRST), answers), path)
    run = grade(both, tmp_path / "in", Options(tmp_path / "out", workers=2, isolation="none", limits=SHORT, full=True))
    assert heard.with_suffix(".killed").exists()
    assert [result.ungraded for result in run.results] == [None, None]
    assert not [page for page in pages_of(both, tmp_path / "out") if HIDDEN_NUMBER in page]


def test_a_visible_check_quotes_a_few_hundred_characters(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    long = "def posterior(prior, likelihood):\n    raise ValueError('y' * 100_000)"
    text = "def conditional(joint, axis):\n    return 'x' * 100_000"
    many = "def prob(joint, event, given=None):\n    return {str(n): 'z' * 100 for n in range(1000)}"
    hand_in(tmp_path / "in", "eve", work(posterior=long, conditional=text, prob=many).notebook(source_of(course)))
    options = Options(tmp_path / "out", workers=1, isolation=need("portable"), limits=SHORT)
    grade(course, tmp_path / "in", options)
    document = json.loads((tmp_path / "out" / "results" / "eve" / f"{FIRST}.json").read_text())
    for exercise in document["exercises"]:
        for check in exercise["checks"]:
            del check["detail"]
    for letter in "xyz":
        longest = max(text.count(letter) for text in texts(document))
        assert 50 < longest <= 500, letter
    feedback.write(tmp_path / "out", course)
    (page,) = (tmp_path / "out" / "feedback").rglob("*.html")
    assert all(page.read_text(encoding="utf-8").count(20 * letter) <= 100 for letter in "xyz")
