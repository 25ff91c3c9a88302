"""The other numbers that students practise with: what is drawn for them, what stays hidden, and where it goes."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import minicourse
import numpy as np
import pytest
from releasing import bundle, refused, write

from autograder import cli
from autograder.authoring import leaks, practice, release
from autograder.course import Course
from autograder.course.draw import Draw
from autograder.course.errors import SuiteError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "notebooks"))

from checks.practice import decoded

COURSE = Course.default()

SUITE = '''
"""Hidden suite of the mini course."""
import checks
import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import Code, assert_matches, exercise


@exercise("weighted_mean", gate=True)
def test_heavier_values_pull_the_mean(student, draw):
    """The mean lies closer to the value that weighs more."""
    assert_matches(student.weighted_mean([10.0, 20.0], [1, 4]), 18.0)
    values, weights = draw.numbers(3), draw.wholes(3, 1, 9)
    assert_matches(student.weighted_mean(values, weights), np.average(values, weights=weights))
    many = draw.numbers(3000)
    assert_matches(student.weighted_mean(many, np.ones(3000)), many.mean())


@exercise("weighted_mean", Kind.SIZES)
def test_a_single_value_is_its_own_mean(student, draw):
    """A single value is its own mean."""
    assert_matches(student.weighted_mean([draw.number(3, 4)], [2]), 0)
'''

SPREAD = '''
"""Hidden suite of the second notebook."""
from autograder.course.suite import assert_matches, exercise


@exercise("spread", gate=True)
def test_the_farthest_value_decides(student, draw):
    """The value that is farthest from the mean decides."""
    assert_matches(student.spread([1.0, 2.0, 6.0]), 3.0)
'''


@pytest.fixture
def course(tmp_path: Path) -> Course:
    made = minicourse.make(tmp_path / "course")
    made.suite("01_mini").write_text(SUITE)
    made.suite("02_more").write_text(SPREAD)
    return made


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The practice files of the mini course, made once."""
    made = minicourse.make(tmp_path_factory.mktemp("practice") / "course")
    made.suite("01_mini").write_text(SUITE)
    made.suite("02_more").write_text(SPREAD)
    return practice.build(made)


@pytest.fixture(scope="module")
def found(built: dict[str, bytes]) -> Any:
    """What is in the practice file of the first notebook."""
    return json.loads(built["01_mini"])


def test_the_gate_is_asked_with_ten_seeds_and_the_reference_answers(found: Any) -> None:
    assert list(found) == ["weighted_mean"] and len(found["weighted_mean"]) == 10
    for question in found["weighted_mean"]:
        assert [call["function"] for call in question] == ["weighted_mean"]
        values, weights = map(decoded, question[0]["args"])
        assert values.dtype == float and weights.dtype == int and values.shape == weights.shape == (3,)
        assert decoded(question[0]["value"]) == pytest.approx(np.average(values, weights=weights), rel=1e-9)


def test_the_seeds_are_none_that_a_submission_could_have(found: Any) -> None:
    assert all(" " in seed for seed in practice.SEEDS) and len(set(practice.SEEDS)) == 10
    first = decoded(found["weighted_mean"][0][0]["args"][0])
    drawn = Draw("practice 0", "test_heavier_values_pull_the_mean").numbers(3)
    assert first == pytest.approx(drawn, rel=1e-9)
    assert first != pytest.approx(Draw("fixed", "test_heavier_values_pull_the_mean").numbers(3))


def test_numbers_that_are_not_drawn_stay_hidden_and_large_calls_are_left_out(found: Any) -> None:
    for question in found["weighted_mean"]:
        sizes = [len(decoded(call["args"][0])) for call in question]
        assert sizes == [3], "neither the two fixed values nor the 3000"


def test_a_notebook_whose_gates_draw_no_numbers_has_no_file(built: dict[str, bytes]) -> None:
    assert list(built) == ["01_mini"]


def test_the_same_bytes_are_drawn_every_time(course: Course, built: dict[str, bytes]) -> None:
    assert practice.build(course, ["01_mini"]) == built


def test_a_reference_that_fails_a_gate_is_told_with_the_seed(course: Course) -> None:
    course.suite("01_mini").write_text(SUITE.replace("many.mean()", "many.mean() + 1"))
    with pytest.raises(SuiteError, match="does not pass this gate with the seed 'practice 0'"):
        practice.build(course)


def test_digits_that_depend_on_the_machine_make_no_difference() -> None:
    assert practice.same(b'{"a":[[{"value":0.1234567891}]]}', b'{"a":[[{"value":0.1234567892}]]}')
    assert not practice.same(b'{"a":[[{"value":0.123456}]]}', b'{"a":[[{"value":0.123457}]]}')
    assert not practice.same(b'{"a":[[{"value":1}]]}', b'{"a":[[{"value":1.0}]]}')
    assert not practice.same(b"{", b'{"a":[]}')


def test_a_release_writes_the_file_once_and_removes_it_when_nothing_is_drawn_any_more(
    course: Course, built: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["release", "--unvalidated"], course) == 0
    assert "wrote notebooks/checks/practice/01_mini.json\n" in capsys.readouterr().out
    assert course.practice("01_mini").read_bytes() == built["01_mini"]
    assert cli.run(["release", "--unvalidated"], course) == 0
    assert capsys.readouterr().out == "notebooks/ is up to date.\n"
    course.suite("01_mini").write_text(minicourse.SUITE)
    assert cli.run(["release", "--check"], course) == 1
    assert "practice/01_mini.json holds other questions than a release draws" in capsys.readouterr().out
    assert cli.run(["release", "--unvalidated"], course) == 0
    assert capsys.readouterr().out == "removed notebooks/checks/practice/01_mini.json\n"
    assert not course.practice("01_mini").exists()


def test_the_bundle_and_the_site_hold_the_file_and_no_name_of_a_check(course: Course, tmp_path: Path) -> None:
    bundle(course, tmp_path / "course.zip")
    name = "notebooks/checks/practice/01_mini.json"
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        text = archive.read(name).decode()
    assert release.contents(course, {})[name].decode() == text, "of this the site is made"
    assert "test_" not in text and "Hidden" not in text and "practice" not in text
    assert not leaks.belongs("notebooks/checks/practice/03_other.json", course.stems())


def test_what_is_hidden_is_found_in_a_practice_file(course: Course) -> None:
    write(course)
    course.practice("01_mini").write_text('{"weighted_mean":[["test_a_single_value_is_its_own_mean"]]}')
    message = str(leaks.scan(course, release.contents(course, {})))
    assert "practice/01_mini.json" in message and "test_a_single_value_is_its_own_mean" in message
    course.practice("03_other").write_text("{}")
    assert "practice/03_other.json: file that does not belong" in refused(course)


def test_the_practice_files_of_the_course_are_in_sync_with_its_suites() -> None:
    drawn = release.practised(COURSE, COURSE.stems())
    for stem, data in drawn.items():
        path = COURSE.practice(stem)
        assert (path.read_bytes() if path.is_file() else None) == data, f"{stem}: run `autograder release`"
