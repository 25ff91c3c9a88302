"""The verb `check`: one notebook, the numbers of a seed, everything that an instructor may know, and no file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from sample_class import STEM, copy_course, source_of, work
from whole_class import CORRECT

from autograder.cli import run
from autograder.course import Course, notebook
from autograder.course.errors import SubmissionError, UsageError

BORROWED = "from scipy.linalg import norm\n" + CORRECT.replace("/ joint.sum()", "/ norm(joint, 1)")

# Passes with even seeds only.
OF_THE_SEED = '''

@exercise("prob")
def test_even(student, draw):
    """The seed is even."""
    student.prob([True], [True])
    assert int(draw._seed) % 2 == 0, f"the seed is {draw._seed}"
'''


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    made = copy_course(tmp_path_factory.mktemp("check") / "course")
    with made.suite(STEM).open("a") as suite:
        suite.write(OF_THE_SEED)
    return made


@pytest.fixture
def one(course: Course, tmp_path: Path) -> Path:
    path = tmp_path / "one.ipynb"
    path.write_bytes(notebook.dumps(work(prob=None).notebook(source_of(course))))
    return path


def test_marks_and_every_check_that_did_not_pass_are_shown(
    course: Course, one: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path for place in (course.root, one.parent) for path in place.rglob("*") if "__py" not in str(path))
    assert run(["check", str(one), "--seed", "7"], course) == 0
    said = capsys.readouterr().out
    assert f"{STEM}, numbers of seed 7: " in said
    assert "bayes_binary: 0 of 3 (not attempted)" in said
    assert "  test_even: failed\n    the seed is 7" in said
    assert run(["check", str(one), "--seed", "8"], course) == 0
    said = capsys.readouterr().out
    assert "prob: 4 of 4 (passed)" in said and "test_even" not in said
    after = sorted(path for place in (course.root, one.parent) for path in place.rglob("*") if "__py" not in str(path))
    assert after == before


def test_several_seeds_make_a_table_or_json(course: Course, one: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(one), "--seeds", "6-8"], course) == 0
    said = capsys.readouterr().out
    assert f"{STEM}, 3 seeds" in said and "prob · test_even: failed with 1 of 3 seeds" in said
    assert run(["check", str(one), "--seeds", "6-7", "--json"], course) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["seed"], second["seed"]) == ("6", "7") and first["score"] == 4 > second["score"] > 0


def test_a_seed_is_the_same_with_zeros_before_it(course: Course, one: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(one), "--seed", "007"], course) == 0
    assert f"{STEM}, numbers of seed 7: " in capsys.readouterr().out


def test_what_is_said_in_several_lines_is_shown_in_several_lines(
    course: Course, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.ipynb"
    wrong = "def prob(joint, event, given=None):\n    raise RuntimeError('first line\\nsecond\\x1b[31m line')"
    path.write_bytes(notebook.dumps(work(prob=wrong).notebook(source_of(course))))
    assert run(["check", str(path), "--seed", "8"], course) == 0
    said = capsys.readouterr().out
    assert "first line\n    second\N{REPLACEMENT CHARACTER}[31m line" in said
    assert " more not asked\n" in said and ": blocked" not in said


def test_packages_that_the_course_allows_may_be_used_here_as_in_grading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = copy_course(tmp_path / "course")
    path = tmp_path / "one.ipynb"
    path.write_bytes(notebook.dumps(work(posterior=BORROWED).notebook(source_of(course))))

    def scores() -> list[float]:
        """The marks, by `check` and by `grade`."""
        run(["check", str(path), "--json"], course)
        checked = json.loads(capsys.readouterr().out)
        run(["grade", str(path), "--out", str(tmp_path / "out"), "--json"], course)
        graded = json.loads(capsys.readouterr().out)["results"]
        return [result["score"] for result in (*checked, *graded)]

    assert scores() == [0, 0]
    (course.root / "course.toml").write_text('[packages]\nallow = ["scipy"]\n')
    assert scores() == [3, 3]


def test_what_cannot_be_checked_is_said_in_words(
    course: Course, one: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="is not a file. Name one notebook; `autograder grade` grades a folder"):
        run(["check", str(tmp_path)], course)
    for seeds in ("3", "5-3", "1-99999"):
        with pytest.raises(SystemExit):
            run(["check", str(one), "--seeds", seeds], course)
        assert "is no range, upwards, of at most 1000 seeds, such as 1-20" in capsys.readouterr().err
    for seed in ("-1", "seven", "1" * 10, "a" * 63):
        with pytest.raises(SystemExit):
            run(["check", str(one), f"--seed={seed}"], course)
        assert "is no seed: give a number of at most 9 digits, or the whole seed" in capsys.readouterr().err
    with zipfile.ZipFile(several := tmp_path / "several.zip", "w") as archive:
        for student in ("ada", "bob"):
            archive.write(one, f"{student}/{STEM}/{STEM}.ipynb")
    with pytest.raises(UsageError, match="several.zip holds several notebooks: .*ada.*bob.* name one of them"):
        run(["check", str(several)], course)
    one.rename(broken := tmp_path / f"{STEM}.ipynb")
    broken.write_text("{")
    with pytest.raises(SubmissionError, match="was not graded: .* is not JSON"):
        run(["check", str(broken)], course)
