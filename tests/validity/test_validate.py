"""What validation finds in a tiny course: nothing while all is well, and everything that somebody planted."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import minicourse
import numpy as np
import pytest

from autograder.authoring import release
from autograder.cli import main
from autograder.course import Course, notebook
from autograder.course.errors import AuthorError
from autograder.course.suite import Code
from autograder.engine.diagnosis.mutants import mutants
from autograder.engine.recording import Recorded, pack, unpack
from autograder.validity import by_heart, proof
from autograder.validity.record import Record

STEM = "01_mini"
REAL = Course.default()

VISIBLE = '''
from checks.checking import exercise, expect


@exercise("weighted_mean")
def the_heavier_one_counts_more(student):
    """Three times the weight counts three times."""
    expect(student.weighted_mean([1.0, 3.0], [1, 3]), equals=2.5)
'''

WEAK_VISIBLE = VISIBLE.replace("[1, 3]), equals=2.5", "[1, 1]), equals=2.0")

SUITE = '''
from autograder.course.kinds import Kind
from autograder.course.suite import assert_matches, assert_raises, exercise, leaves_alone


@exercise("weighted_mean", gate=True)
def test_heavier_values_pull_the_mean(student, draw):
    """The mean lies closer to the value that weighs more."""
    values, weights = draw.numbers(3, 1.0, 60.0).tolist(), draw.wholes(3, 2, 9).tolist()
    expected = sum(value * weight for value, weight in zip(values, weights)) / sum(weights)
    assert_matches(student.weighted_mean(values, weights), expected)


@exercise("weighted_mean", Kind.SIDE_EFFECT)
def test_values_and_weights_are_left_alone(student, draw):
    """The caller's values and weights are as they were."""
    leaves_alone(student.weighted_mean, draw.numbers(3, 1.0, 9.0), draw.wholes(3, 2, 9))


@exercise("weighted_mean", Kind.REFUSAL)
def test_weights_need_not_be_positive_but_their_sum(student):
    """Without any weight there is no mean: that is a ValueError."""
    assert_raises(ValueError, student.weighted_mean, [1.0, 2.0], [0, 0])
    assert_raises(ValueError, student.weighted_mean, [1.0, 2.0], [1, -2])
    assert_matches(student.weighted_mean([1.0, 2.0], [0.25, 0.25]), 1.5)
'''

CATALOGUE = '''
from autograder.course.catalogue import equivalent, misconception, right

SURVIVORS = [
    equivalent("weighted_mean", "zip(values, weights) → zip(weights, values)", because="A product has no order.")
]


@misconception("weighted_mean", caught_by="test_heavier_values_pull_the_mean",
               hint="Double a weight: does your answer move?")
def forgets_the_weights(values, weights):
    """Every value counts alike."""
    return sum(values) / len(values)


@misconception("weighted_mean", caught_by="visible", hint="What do your weights add up to?")
def forgets_to_divide(values, weights):
    """Weighing is all there is to it."""
    return sum(v * w for v, w in zip(values, weights))


@misconception("weighted_mean", caught_by="test_heavier_values_pull_the_mean", hint="What if there are three values?")
def divides_by_the_number_of_values(values, weights):
    """A mean divides by how many there are."""
    return sum(v * w for v, w in zip(values, weights)) / len(values)


@misconception("weighted_mean", caught_by="test_heavier_values_pull_the_mean", hint="Does the last value count?")
def leaves_the_last_one_out(values, weights):
    """Ranges end before their end."""
    return sum(values[i] * weights[i] for i in range(len(values) - 1)) / sum(weights[:-1])


@misconception("weighted_mean", caught_by="test_heavier_values_pull_the_mean",
               hint="Which of the values is the heaviest?")
def takes_the_heaviest(values, weights):
    """The heaviest value decides."""
    return max(zip(weights, values))[1]


@misconception("weighted_mean", caught_by="test_weights_need_not_be_positive_but_their_sum",
               hint="What is the mean of nothing?")
def answers_zero_for_no_weight(values, weights):
    """The mean of nothing is nothing."""
    return sum(v * w for v, w in zip(values, weights)) / sum(weights) if sum(weights) > 0 else 0.0


@right("weighted_mean")
def with_a_running_total(values, weights):
    """Numerator and denominator grow side by side."""
    numerator = denominator = 0.0
    for value, weight in zip(values, weights):
        numerator, denominator = numerator + weight * value, denominator + weight
    if denominator <= 0:
        raise ValueError("no weight")
    return numerator / denominator


@right("weighted_mean")
def with_arrays(values, weights):
    """One product of vectors."""
    import numpy as np
    if np.sum(weights) <= 0:
        raise ValueError("no weight")
    return np.dot(values, weights) / np.sum(weights)


@right("weighted_mean")
def with_exact_fractions(values, weights):
    """Exact arithmetic, until the end."""
    from fractions import Fraction
    total = sum(map(Fraction, weights))
    if total <= 0:
        raise ValueError("no weight")
    return float(sum(Fraction(v) * Fraction(w) for v, w in zip(values, weights)) / total)
'''


PLANTED, LUCKY = "02_planted", "03_lucky"


def put(course: Course, stem: str, suite: str, catalogue: str, visible: str = VISIBLE) -> None:
    """A notebook with one exercise, checked in the real course's way."""
    course.suite(stem).write_text(suite)
    course.misconceptions(stem).write_text(catalogue)
    (course.checks / "exercises" / f"{stem}.py").write_text(visible)
    notebook.write(minicourse.make_notebook(stem, minicourse.cells_of_01()), course.solutions / f"{stem}.ipynb")


@dataclass(frozen=True)
class Found:
    course: Course
    records: dict[str, Record]
    exit_code: int
    printed: str


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What the command finds about a sound notebook and about one in which a lot is off."""
    course = minicourse.make(tmp_path_factory.mktemp("course"))
    course.source("02_more").unlink()
    shutil.rmtree(course.checks)
    shutil.copytree(REAL.checks, course.checks, ignore=shutil.ignore_patterns("0*.py", "__pycache__", "practice"))
    put(course, STEM, SUITE, CATALOGUE)
    put(course, PLANTED, *planted(), WEAK_VISIBLE)
    put(course, LUCKY, *lucky(), WEAK_VISIBLE)
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as printed:
        patch.setattr(Course, "default", staticmethod(lambda: course))
        exit_code = main(["validate", "--workers", "2"])
    return Found(course, proof.read(course), exit_code, printed.getvalue())


def planted() -> tuple[str, str]:
    weak = SUITE.replace("draw.numbers(3, 1.0, 60.0).tolist(), draw.wholes(3, 2, 9).tolist()", "[1.0, 3.0], [1, 1]")
    weak = weak.replace("    assert_matches(student.weighted_mean([1.0, 2.0], [0.25, 0.25]), 1.5)\n", "")
    catalogue = CATALOGUE.replace("zip(values, weights) → zip(weights, values)", "1 → 2")
    for old, new in (
        ('caught_by="test_heavier_values_pull_the_mean", hint="Does', 'caught_by="test_of_yesterday", hint="Does'),
        (
            'hint="What is the mean of nothing?")',
            'hint="What is the mean of nothing?", fair="Every mean is right.", luck="It depends on the weather.")',
        ),
        ('    if denominator <= 0:\n        raise ValueError("no weight")\n', ""),
    ):
        assert old in catalogue
        catalogue = catalogue.replace(old, new)
    return weak, catalogue


def lucky() -> tuple[str, str]:
    """A suite that shows a mistake with some numbers only, and one whose visible check shows it with none."""
    balanced = "[1.0, 2.0, 4.0], [2, 2, 2 + int(draw.rng.random() < 0.5)]"
    suite = SUITE.replace("draw.numbers(3, 1.0, 60.0).tolist(), draw.wholes(3, 2, 9).tolist()", balanced)
    plain = suite.replace("leaves_alone(student.weighted_mean, ", "student.weighted_mean(*")
    plain = plain.replace("(*draw.numbers(3, 1.0, 9.0), draw.wholes(3, 2, 9))", "([2], [1])")
    plain = plain.replace("Kind.REFUSAL", "Kind.PLAIN")
    return plain + 'PROMISES = {"weighted_mean": {"that pigs fly": "test_pigs"}}\n', CATALOGUE


def test_a_sound_suite_is_found_sound(found: Found) -> None:
    record = found.records[STEM]
    assert record.problems == ()
    [exercise] = record.exercises
    assert (exercise.reference, exercise.stub, exercise.by_heart) == (1, 0, 0)
    assert (exercise.right, exercise.accepted, exercise.wrong, exercise.rejected) == (3, 3, 6, 6)
    assert (exercise.median, exercise.most, exercise.recognised.named, exercise.recognised.misnamed) == (0, 0.9, 6, ())
    assert (record.seeds, exercise.luck, exercise.plain, exercise.prices) == (
        20,
        0,
        0.85,
        (("refusal", 0.1), ("side effect", 0.05)),
    )
    assert exercise.killed == exercise.mortal == exercise.mutants - 1 > 5
    assert [(kept.name, kept.because) for kept in exercise.kept] == [("answers_zero_for_no_weight", "fails refusal")]


@pytest.mark.parametrize(
    "told",
    [
        "weighted_mean: who knows the visible answers by heart gets 95%, more than 25%; let the gate ask",
        "the right answer with_a_running_total gets 90%, test_weights_need_not_be_positive_but_their_sum failed",
        "the wrong answer answers_zero_for_no_weight pays the price of refusal; remove fair=...",
        "the wrong answer answers_zero_for_no_weight gets the same with all numbers; remove luck=...",
        "the wrong answer forgets_the_weights is caught by test_heavier_values_pull_the_mean with 0 of 20 seeds, "
        "and else by test_weights_need",
        "the wrong answer leaves_the_last_one_out names the check test_of_yesterday, which does not exist",
        "value * weight → value” lives; add a check that rejects it, or list it in SURVIVORS with the reason",
        "SURVIVORS lists “weighted_mean: 1 → 2”, but no living mutant is called that; remove it",
        "mutants that matter are killed, less than 95%; sharpen the checks",
    ],
)
def test_what_is_off_is_told_with_what_to_do(found: Found, told: str) -> None:
    assert told in "\n".join(found.records[PLANTED].problems)


@pytest.mark.parametrize(
    "told",
    [
        "the wrong answer forgets_the_weights gets between 0% and 76%, as luck has it (standard deviation ",
        "the wrong answer answers_zero_for_no_weight is wrong on plain numbers and keeps 76%; let the gate reject it",
        "the wrong answer divides_by_the_number_of_values passes all visible checks and gets nothing; change the",
        "no check of the kind side effect gives argument 0 of weighted_mean as array of floats; let one",
        "PROMISES lists “that pigs fly”, which neither the task nor the docstring says; remove it",
        "PROMISES names the check test_pigs for “that pigs fly”, which does not exist",
    ],
)
def test_luck_and_blind_spots_are_told(found: Found, told: str) -> None:
    assert told in "\n".join(found.records[LUCKY].problems)


def test_the_command_shows_a_line_per_exercise_and_fails_while_anything_is_off(found: Found) -> None:
    assert found.exit_code == 1
    row = r"weighted_mean .* 100% .* 0% .* 0% .* 3/3 .* 6/6 .* 0% .* 90% .* 0.0% .* 6/6 .* ok"
    assert re.search(row, found.printed)
    assert "OFF  02_planted, weighted_mean: who knows the visible answers by heart gets 95%" in found.printed
    assert f"OFF  {STEM}" not in found.printed


def validated(course: Course, *arguments: str) -> tuple[int, str]:
    """The exit code of the command and all that it says."""
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(io.StringIO()) as said,
        contextlib.redirect_stderr(said),
    ):
        patch.setattr(Course, "default", staticmethod(lambda: course))
        return main(["validate", *arguments]), said.getvalue()


def test_a_reason_for_luck_is_not_asked_back_by_a_few_seeds(found: Found) -> None:
    exit_code, said = validated(found.course, PLANTED, "--seeds", "2", "--check")
    assert exit_code == 1 and "remove fair=..." in said
    assert "remove luck=..." not in said


def test_an_exercise_that_does_not_exist_is_named_beside_those_that_do(found: Found) -> None:
    exit_code, said = validated(found.course, STEM, "--exercise", "wieghted_mean")
    assert exit_code == 2
    assert f"{STEM} has no exercise 'wieghted_mean'. It has: weighted_mean." in said


def test_a_visible_check_of_an_unknown_kind_is_named_beside_the_kinds(course: Course) -> None:
    visible = VISIBLE.replace('@exercise("weighted_mean")', '@exercise("weighted_mean", "fancy")')
    (course.checks / "exercises" / f"{STEM}.py").write_text(visible)
    exit_code, said = validated(course, STEM, "--seeds", "1", "--check")
    assert exit_code == 1
    assert f"The visible check 'the_heavier_one_counts_more' of {STEM} is of the kind 'fancy'. Kinds are: plain" in said


# --- What is on record ------------------------------------------------------------------------------------------------


@pytest.fixture
def course(found: Found, tmp_path: Path) -> Course:
    """A course of one's own: the sound notebook, validated and on record."""
    copy = Course(tmp_path / "course")
    shutil.copytree(found.course.root, copy.root)
    copy.source(PLANTED).unlink()
    copy.source(LUCKY).unlink()
    proof.write(copy, [])
    return copy


def manifest(bundle: Path) -> dict[str, Any]:
    with zipfile.ZipFile(bundle) as archive:
        return dict(json.loads(archive.read("manifest.json")))


def test_what_was_found_right_is_released(course: Course, tmp_path: Path) -> None:
    release.release(course, zip_file=tmp_path / "course.zip")
    assert manifest(tmp_path / "course.zip")["unvalidated"] == []


def test_what_was_never_validated_is_released_only_on_demand_and_the_bundle_says_so(
    course: Course, tmp_path: Path
) -> None:
    proof.records_file(course).unlink()
    with pytest.raises(
        AuthorError, match=r"(?s)01_mini: .*never been validated.*`autograder validate 01_mini`.*--unvalidated"
    ):
        release.release(course)
    assert not course.released(STEM).exists()
    release.release(course, zip_file=tmp_path / "course.zip", unvalidated=True)
    assert manifest(tmp_path / "course.zip")["unvalidated"] == [STEM]


def test_what_was_found_wrong_is_not_released(course: Course) -> None:
    values = json.loads(proof.records_file(course).read_text())
    values[STEM]["exercises"][0]["problems"] = ["weighted_mean: the stub gets full marks"]
    proof.records_file(course).write_text(json.dumps(values))
    with pytest.raises(
        AuthorError, match="01_mini: its hidden checks are off: weighted_mean: the stub gets full marks"
    ):
        release.release(course, [STEM])


@pytest.mark.parametrize(
    "part",
    [
        "autograder/suites/test_01_mini.py",
        "autograder/misconceptions/01_mini.py",
        "notebooks/checks/exercises/01_mini.py",
    ],
)
def test_a_record_is_stale_after_a_change_of_what_it_is_about(course: Course, part: str) -> None:
    with (course.root / part).open("a") as file:
        file.write("\n# changed\n")
    with pytest.raises(AuthorError, match="01_mini: its hidden checks, or what they depend on, have changed since"):
        release.release(course)


def test_a_record_is_stale_after_a_change_of_the_code_but_not_of_the_prose(course: Course) -> None:
    minicourse.edit(course, STEM, intro={"source": "# Means\n\nOther words."})
    assert proof.doubts(course, [STEM]) == {}
    minicourse.edit(course, STEM, weighted_mean={"source": minicourse.WEIGHTED_MEAN.replace("<= 0", "< 0")})
    assert list(proof.doubts(course, [STEM])) == [STEM]


def test_the_page_shows_what_is_on_record_and_nothing_of_notebooks_that_are_gone(course: Course) -> None:
    assert list(proof.read(course)) == [STEM]
    page = proof.document_file(course).read_text()
    assert "| weighted_mean | 100% | 0% | 0% | – | 3/3 | 6/6 | 0% | 90% | 0.0% |" in page
    assert PLANTED not in page
    assert "- weighted_mean, `answers_zero_for_no_weight`, 90%: fails refusal" in page
    assert "- weighted_mean: plain numbers 85%, refusal 10%, side effect 5%" in page


def test_a_damaged_record_names_its_file_and_the_remedy(course: Course) -> None:
    proof.records_file(course).write_text("{")
    with pytest.raises(AuthorError, match=r"validity\.json cannot be read .*run `autograder validate`"):
        release.release(course)


# --- The parts --------------------------------------------------------------------------------------------------------


def test_mutants_change_one_thing_each_and_never_a_word() -> None:
    code = '''def f(x: int | None, axis: int = 0) -> float:
    """Two words: 1 + 1."""
    if x is None or x < 1:
        raise ValueError("no number")
    return -np.sum(x[1:], axis=axis) / (x - 0.5)
'''
    changes = {mutant.change for mutant in mutants("f", code)}
    assert {
        "x < 1 → x <= 1",
        "x is None or x < 1 → x is None and x < 1",
        "0.5 → 1.0",
        "1 → 2",
        "x - 0.5 → x + 0.5",
        "x - 0.5 → x",
        "x[1:] → x",
        "np.sum(x[1:], axis=axis) → np.sum(x[1:])",
    } <= changes
    assert not any("int" in change.split("→")[0] or "words" in change for change in changes)
    sources = [mutant.source for mutant in mutants("f", code)]
    assert len(set(sources)) == len(sources)


def test_algebra_in_a_text_has_mutants_and_a_message_has_none() -> None:
    code = 'def derivation():\n    print("no number")\n    return ["(y - p)*x"]\n'
    assert {mutant.change for mutant in mutants("derivation", code)} >= {
        "'(y - p)*x' → '(y + p) * x'",
        "'(y - p)*x' → 'y - p'",
    }
    assert all("no number" not in mutant.change for mutant in mutants("derivation", code))


def asked(function: str, *args: Any, value: Any = None, error: str | None = None, **kwargs: Any) -> Recorded:
    return Recorded("visible: first", True, function, args, kwargs, value, error)


def test_who_knows_by_heart_answers_what_was_seen_and_refuses_the_rest() -> None:
    calls = [
        asked("f", [0.5, 0.5], 2, value=np.array([[1.5], [np.nan]])),
        asked("f", Code("lambda w: w"), k=None, value=(1, {"a": [float("inf")]})),
        asked("f", -1, error="IndexError"),
    ]
    names: dict[str, Any] = {}
    exec(by_heart.answers(["f"], calls)["f"], names)
    np.testing.assert_array_equal(names["f"]((0.5, 0.5), 2), [[1.5], [np.nan]])
    assert names["f"](lambda w: w, k=None) == (1, {"a": [float("inf")]})
    with pytest.raises(IndexError):
        names["f"](-1)
    with pytest.raises(ValueError, match="never seen"):
        names["f"]([0.5, 0.25], 2)
    assert by_heart.takes_input(calls) and not by_heart.takes_input([asked("derivation", value=["x"])])


def test_a_recorded_call_comes_back_as_it_went() -> None:
    call = unpack(pack(asked("f", np.arange(3.0), Code("lambda w: w"), value=(1, "a"), k=None)))
    np.testing.assert_array_equal(call.args[0], [0, 1, 2])
    assert isinstance(call.args[1], Code)
    assert (call.check, call.function, call.kwargs, call.value, call.error) == (
        "visible: first",
        "f",
        {"k": None},
        (1, "a"),
        None,
    )
