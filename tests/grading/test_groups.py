"""Wrong answers that behave alike stand together: which ones, in which order, and what is said about them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course.errors import UsageError
from autograder.course.model import ExerciseResult, Reply, Result, Verdict
from autograder.grading import store
from autograder.grading.groups.applying import results_in
from autograder.grading.groups.grouping import groups, relation_in_words

STEM = "01_bayes_rule"


def answer(behaviour: str, *, name: str = "posterior", code: str = "", **more: object) -> ExerciseResult:
    """A wrong answer to an exercise, of three points."""
    wrong = ExerciseResult(name, 0.0, 3, Verdict.FAILED, (), behaviour=behaviour, code=code)
    return replace(wrong, **more)  # type: ignore[arg-type]


def result(student: str, *exercises: ExerciseResult, stem: str = STEM) -> Result:
    return Result(student, stem, "strong", exercises)


def test_answers_of_the_same_behaviour_are_one_group_and_the_largest_comes_first() -> None:
    found = groups([result("ada", answer("b")), result("bob", answer("a")), result("eve", answer("a"))])
    assert [(group.name, group.students) for group in found] == [("a", ("bob", "eve")), ("b", ("ada",))]


def test_groups_of_the_same_size_come_in_an_order_that_does_not_depend_on_who_is_read_first() -> None:
    some = [result(student, answer(behaviour)) for student, behaviour in zip("abcdef", "zyxzyx", strict=True)]
    shuffled = random.Random(1).sample(some, len(some))
    assert [group.name for group in groups(some)] == ["x", "y", "z"]
    assert groups(shuffled) == groups(some)


def test_exercises_come_as_the_notebook_has_them() -> None:
    both = answer("a", name="prob"), answer("a", name="bayes")
    found = groups([result("ada", *both), result("bob", *both, stem="00_other")])
    assert [(group.assignment, group.exercise) for group in found] == [
        ("00_other", "prob"),
        ("00_other", "bayes"),
        (STEM, "prob"),
        (STEM, "bayes"),
    ]


def test_the_same_behaviour_in_another_exercise_is_another_group() -> None:
    found = groups([result("ada", answer("timed out"), answer("timed out", name="prob"))])
    assert [(group.exercise, group.size) for group in found] == [("posterior", 1), ("prob", 1)]


@pytest.mark.parametrize(
    "exercise",
    [answer(""), answer("a", verdict=Verdict.PASSED), answer("a", verdict=Verdict.NOT_ATTEMPTED)],
)
def test_what_is_right_or_empty_or_was_not_looked_at_is_in_no_group(exercise: ExerciseResult) -> None:
    assert groups([result("ada", exercise)]) == []


def test_a_submission_that_could_not_be_graded_is_in_no_group() -> None:
    assert groups([replace(result("ada", answer("a")), ungraded="it is not JSON")]) == []


def test_the_shortest_code_stands_for_the_group() -> None:
    codes = ["def posterior():\n    return 1", "", "posterior = 1", "posterior = 0"]
    (group,) = groups([result(f"s{number}", answer("a", code=code)) for number, code in enumerate(codes)])
    assert group.code == "posterior = 0"


def test_a_group_says_what_its_students_have_and_what_the_checks_gave() -> None:
    by_hand = answer("a", score=2.0, reply=Reply(points=2.0, earned=0.5))
    (group,) = groups([result("ada", by_hand), result("bob", answer("a", score=0.5)), result("eve", by_hand)])
    assert group.scores == (2.0, 0.5, 2.0) and group.earned == (0.5, 0.5, 0.5)
    assert group.marks == [(2.0, 2), (0.5, 1)]
    assert group.reply == Reply(points=2.0, earned=0.5)


def test_what_most_of_a_group_are_told_is_what_it_is_known_as() -> None:
    belief = answer("a", misconception="forgets_the_prior", question="Does it move?")
    (group,) = groups([result("ada", answer("a")), result("bob", belief), result("eve", belief)])
    assert (group.known_as, group.question) == ("forgets the prior", "Does it move?")


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("negative", "negative"),
        ("slip: sign", "a slip: sign"),
        ("slip", "slip"),
        ("except: zeros: prior", "right except for zeros (prior)"),
        ("except: a list", "right except for a list"),
        ("negative of: prior", "negative of: prior"),
        ("simple: zero: lam", "right where lam is 0"),
        ("simple: one example", "right for a single example"),
        ("part ignored: last row: X", "ignores the last row of X"),
        ("way: negative: w", "in what it adds to w: negative"),
    ],
)
def test_a_relation_is_said_in_words(relation: str, words: str) -> None:
    (group,) = groups([result("ada", answer("a", relation=relation))])
    assert relation_in_words(relation) == group.known_as == words


def test_results_are_read_without_their_checks_and_all_that_groups_need(tmp_path: Path) -> None:
    whole = result("ada", answer("a", code="x = 1", relation="negative", reply=Reply("Why?", earned=0.0)))
    store.write(tmp_path, whole)
    (tmp_path / "results" / "bob").mkdir()
    (tmp_path / "results" / "bob" / f"{STEM}.json").write_text("{")
    (tmp_path / "results" / "eve").mkdir()
    moved = store.path_of(tmp_path, "eve", STEM)
    moved.write_bytes(store.path_of(tmp_path, "ada", STEM).read_bytes())
    results, unreadable = results_in(tmp_path).apart()
    assert results == (whole,)
    assert [(one.student, one.reason) for one in unreadable] == [
        ("bob", "it breaks off in the middle"),
        ("eve", f"it is the result of another submission ('ada', '{STEM}')"),
    ]


def test_a_folder_without_results_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There are no results in .*: name a folder that `autograder grade`"):
        results_in(tmp_path)


def test_a_document_without_groups_and_replies_is_still_read(tmp_path: Path) -> None:
    document = store.to_json(result("ada", answer("a")))
    for name in ("behaviour", "code", "reply", "relation", "more"):
        del document["exercises"][0][name]
    assert store.from_json(document).exercises[0].reply is None
    assert groups([store.from_json(document)]) == []
