"""The questions of visible checks about wrong values: each is reached, and true for every belief that leads to it."""

import importlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference

from autograder.course import catalogue
from autograder.course.catalogue import Answer

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
if str(NOTEBOOKS) not in sys.path:
    sys.path.insert(0, str(NOTEBOOKS))

from checks import checking, practice, relations, running  # noqa: E402
from checks.checking import Check, Mismatch, expect  # noqa: E402

STEMS = sorted(path.stem for path in (NOTEBOOKS / "checks" / "exercises").glob("[0-9]*.py"))
GRADED = [stem for stem in STEMS if not stem.startswith("00_")]
Entries = list[tuple[Any, str]]


# --------------------------------------------------------------------------------------- values that are listed


@pytest.mark.parametrize("stem", STEMS)
def test_every_listed_mistake_is_wrong_and_reached_and_asked_about(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    comparisons = listed(stem, monkeypatch)
    assert any(entries for _, _, entries, _ in comparisons)
    for check, equals, entries, options in comparisons:
        for place, (wrong, question) in enumerate(entries):
            assert question.endswith("?"), "a question, not the answer"
            with pytest.raises(Mismatch) as refused:  # a known mistake that is not refused would be a right answer
                expect(wrong, equals=equals, mistakes=entries, **options)
            assert refused.value.question == question
            with pytest.raises(Mismatch) as before:
                expect(wrong, equals=equals, mistakes=entries[:place], **options)
            assert before.value.question is None, f"{check.name}: another entry comes before {question!r}"


SHARED = {
    "Is this P(B | A) or P(A | B)? Would your answer change if the flu were ten": "none of them looks at the prior",
    "Where does this answer look at the third argument, P(B | not A)?": "none of them looks at it",
    "This equals P(A and B). Among whom do we count:": "whoever divides by 0.8 + 0.2 counts among everybody",
    "This is the answer for somebody who does not cough. Which": "here both likelihoods are exchanged by both",
    "These two numbers do not sum to 1. What do they sum to, and": "it is the evidence, whatever was divided by",
    "After three coughs you believe what you believed after one. What does": "it adds nothing in an average either",
    "Rows sum to 1 here. Along which axis should the sums be 1?": "the rows do",
    "Did you multiply first and take the logarithm afterwards?": "both do, all at once or in a loop",
    "These numbers do not sum to 1. What should the counts be divided by?": "both divide by something else",
    "The unbiased variance is 0/0 here. Does one observation tell anything about the": "both say that it is 0",
    "Are the two variances the same? By what does each divide?": "both give one variance twice",
    "Where is the boundary, w0 + w x = 0? Is it halfway between the means?": "it is not",
    "`full` and `naive` describe the features given the class. Which": "both count one more, that of the classes",
    "What do these two sum to? How many balls were imagined in all?": "both add one ball below",
    "What do these sum to? How many observations were imagined in all?": "both add one observation below",
    "What do these sum to? How many outcomes are there?": "none of them counts all outcomes",
    "What do these sum to? How many possible outcomes are there, and how many did you count?": "both count two",
    "Is this k = 1/2, or k = 1?": "it is k = 1 for both",
    "These are the shares of the balls. Where does k enter?": "it enters nowhere, or as k - 1 = 0",
    "Work out the first email by hand: which prior does your": "one of the two is another one for each of them",
    "Do more hours make passing less probable? Which weight goes with the ones, and which": "it asks about both",
    "If p grows, does log(1 - p) grow or shrink? Do you differentiate the log-likelihood, or": "it asks about both",
    "Almost. Do you step to both sides, and is an entry back in its place before the next one": "it asks about both",
    "This is z, or z over a single weight. How long is the vector (1, 1)?": "it says both",
    "How long is the vector (1, 1)?": "both take it for 2",
    "Is this the sum over the four examples, or their mean? And is each term an error times": "it asks about both",
    "Which w does the second example meet: the start, or what the first one left? And is its": "it asks about both",
    "The same as from top to bottom. Does it matter to your answer which row of": "it matters to none of them",
    "Which of the three eigenvalues is this? In which order do they come?": "none of them has the largest",
    "What is the derivative of half a square, and how large is it at -0.5?": "both have 1 there",
    "What is the derivative of half a square?": "both have another factor",
    "Where does `lam` enter, and for which of the two weights?": "nowhere, or for the other one",
    "Which weights are squared, and is the half there?": "it asks about both",
    "Is the half there, and is it the square of the weight or its size?": "it asks about both",
    "There are more heads than tails, so the slope at 0.5 is positive. Did": "none of them did, and heads are named",
    "Half of the step. Do you go all the way, and which weights do the examples have when p": "it asks about both",
    "A quarter. Are gradient and Hessian both sums, and which weights do the examples have": "it asks about both",
    "How often does the product occur?": "it occurs twice, added up or side by side",
    "Which is the first class, 0 or 1? And does each row belong to an example?": "it asks about both",
    "How often do you subtract the normaliser of one example?": "both do so more than once",
    "Your default step is a longer one. Which curvature is its bound for: of a sigmoid, or of": "it asks about both",
}
"""How questions begin that answers with different beliefs lead to, and why each is true for all of them."""


@pytest.mark.parametrize("stem", GRADED)
def test_a_question_that_several_beliefs_lead_to_is_true_for_all_of_them(
    stem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {(check.name, question) for check, _, entries, _ in listed(stem, monkeypatch) for _, question in entries}
    answers: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for answer, check in wrong_answers(stem):
        outcome = running.examine(check, names_with(stem, answer))
        if outcome.verdict is running.Verdict.DIFFERS and (check.name, outcome.advice) in known:
            answers[check.name, outcome.advice].append(f"{answer.name}: {answer.belief}")
    doubtful = [
        "\n  ".join([f"{check}: {question}", *found])
        for (check, question), found in answers.items()
        if len(found) > 1 and not str(question).startswith(tuple(SHARED))
    ]
    # Change the numbers or the words, or say in SHARED why the question is true for each of the beliefs.
    assert not doubtful, "\n".join(doubtful)


def test_every_question_that_was_found_true_is_still_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {question for stem in GRADED for _, _, entries, _ in listed(stem, monkeypatch) for _, question in entries}
    assert [begins for begins in SHARED if not any(question.startswith(begins) for question in asked)] == []


def test_whoever_reads_a_false_positive_rate_as_a_specificity_is_not_told_to_look_at_the_cough() -> None:
    def bayes_binary(p: Any, hit: Any, specificity: Any) -> Any:
        return p * hit / (p * hit + (1 - p) * (1 - specificity))

    one_cough = checking.load("01_bayes_rule")[0]
    outcome = running.examine(one_cough, {"bayes_binary": bayes_binary})
    assert ("came back", "0.05") in outcome.rows, "the prior, for 0.8 + 0.2 = 1"
    assert outcome.advice is not None and "of what is 0.2?" in outcome.advice


def listed(stem: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Check, Any, Entries, dict[str, Any]]]:
    """The comparisons of the checks of a notebook: check, expected value, known mistakes, other options."""
    module = importlib.import_module(f"checks.exercises.{stem}")
    found: list[tuple[Check, Any, Entries, dict[str, Any]]] = []
    with monkeypatch.context() as patched:
        for check in checking.load(stem):

            def remember(actual: Any, *, equals: Any, mistakes: Any = (), check: Check = check, **options: Any) -> None:
                entries = list(mistakes.items() if hasattr(mistakes, "items") else mistakes)
                found.append((check, equals, entries, options))

            patched.setattr(module, "expect", remember)
            check.run(running.Student(reference.names(stem)))
    return found


# -------------------------------------------------------------------------------------------------- relations


@pytest.mark.parametrize("stem", GRADED)
def test_a_relation_that_is_asked_about_holds_with_other_numbers_too(stem: str) -> None:
    checks: dict[Answer, list[Check]] = defaultdict(list)
    for answer, check in wrong_answers(stem):
        checks[answer].append(check)
    asked = 0
    for answer, some in checks.items():
        outcomes = running.examine_all(some, names_with(stem, answer))
        advice = {outcome.advice for outcome in outcomes}
        names = {name for name, question in relations.QUESTIONS.items() if question in advice}
        asked += bool(names)
        for got, want in practised(stem, answer) if names else ():
            ways = relations.between(got, want) or ()
            assert names & {relations.name_of(way) for way in ways}, answer.name
    assert asked


@pytest.mark.parametrize(
    ("pairs", "name"),
    [
        ([(0.25, 0.75), (0.4, 0.6)], "complement"),
        ([(0.25, 0.75)], None),  # a single number proves nothing
        ([(0.25, 0.75), ([0.25, 0.25], [0.75, 0.75])], None),  # nor does the same one, asked for again
        ([([0.2, 0.8], [0.8, 0.2]), ([0.3, 0.7], [0.7, 0.3])], None),  # the complement, or reversed?
        ([([0.2, 0.8], [0.8, 0.2]), ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])], "reversed"),
        ([([1.5, 2.5, -3.5], [-1.5, -2.5, 3.5])], "negative"),
        ([(1.5, -1.5), (2.5, -2.5)], "negative"),  # as large as it should be, and positive: the same to a reader
        ([(1.5, -1.5), (-2.5, 2.5), (3, 4)], None),  # the last one contradicts
        ([(1.5, -1.5), (-2.5, 2.5), ("text", 4)], None),
        ([([0.0, 1.0, 0.0, 1.0], [0.3, 0.7, 0.1, 0.9])], None),  # decisions are not rounded probabilities
        ([([0.33, 0.67, 0.14], [1 / 3, 2 / 3, 1 / 7])], "rounded"),
        ([(1, 0.75), (1, 0.6), (1, 0.3)], None),  # who always answers 1 cuts nothing off
        ([([1, 0, 2], [1.75, 0.6, 2.4])], "cut to whole numbers"),
        ([(1.25, 0.25), (1.5, 0.5)], None),  # shares are not counted
        ([([1, 2], [0, 1]), (5, 4)], "counted from one"),
        ([([0.5], 0.5)], "shape"),
        ([], None),
    ],
)
def test_a_relation_is_asked_about_if_enough_numbers_prove_it(pairs: list[tuple[Any, Any]], name: str | None) -> None:
    assert relations.question(pairs) == (None if name is None else relations.QUESTIONS[name])


def test_values_are_compared_part_by_part() -> None:
    with pytest.raises(Mismatch) as refused:
        expect((0.5, {"a": np.array([1.0, 2.0]), "b": 3.0}), equals=(0.5, {"a": [1.0, 4.0], "b": 5.0}))
    [(got, want), pair] = refused.value.compared
    assert got.tolist() == [1.0, 2.0] and want == [1.0, 4.0] and pair == (3.0, 5.0)
    with pytest.raises(Mismatch) as refused:
        expect((1.0,), equals=(1.0, 2.0))
    assert refused.value.compared == (((1.0,), (1.0, 2.0)),)


def wrong_answers(stem: str) -> Iterator[tuple[Answer, Check]]:
    """Every wrong answer of the catalogue with each visible check of its exercise."""
    for answer in catalogue.read(ROOT / "autograder" / "misconceptions" / f"{stem}.py").answers:
        if not answer.is_right:
            yield from ((answer, check) for check in checking.load(stem) if check.exercise == answer.exercise)


def names_with(stem: str, answer: Answer) -> dict[str, Any]:
    """The names of a notebook that is right except for one answer."""
    return {**reference.names(stem), answer.function: answer.implementation}


def practised(stem: str, answer: Answer) -> Iterator[tuple[Any, Any]]:
    """What an answer gives for the numbers to practise with, where that is wrong, and what is right."""
    questions = json.loads((NOTEBOOKS / "checks" / "practice" / f"{stem}.json").read_text())
    student = running.Student(names_with(stem, answer))
    for call in (call for question in questions.get(answer.exercise, ()) for call in question):
        if call["function"] == answer.function:
            args, kwargs = practice.decoded(call["args"]), {k: practice.decoded(v) for k, v in call["kwargs"].items()}
            try:
                expect(getattr(student, answer.function)(*args, **kwargs), equals=practice.decoded(call["value"]))
            except Mismatch as mismatch:
                yield from mismatch.compared
