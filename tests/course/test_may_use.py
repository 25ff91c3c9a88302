"""An exercise may build on the earlier ones that its author declares: in metadata for us, in words for students."""

from __future__ import annotations

import ast
from typing import Any

import minicourse
import pytest
from nbformat import NotebookNode

from autograder.course import Course, sources
from autograder.course.errors import SourceError

COURSE = Course.default()
STEMS = COURSE.stems()

# What each exercise may use. A pair in which the earlier one answers the later one is missing on purpose: an alias, a
# special case, a derivative by differences, a loop that only repeats.
DECLARED: dict[str, dict[str, tuple[str, ...]]] = {
    "01_bayes_rule": {"sequential_posterior": ("posterior",), "bayes_classifier": ("conditional",)},
    "02_maximum_likelihood": {"likelihood": ("bernoulli_pmf",), "log_likelihood": ("bernoulli_pmf",)},
    "03_naive_bayes": {"fit_bernoulli_nb": ("conditional_tables",)},
    "04_smoothing": {
        "fit_bernoulli_nb_smoothed": ("laplace",),
        "choose_k": ("laplace", "fit_bernoulli_nb_smoothed"),
    },
    "05_logistic_derivation": {
        "predict_proba": ("sigmoid",),
        "log_likelihood": ("sigmoid",),
        "chain_rule_terms": ("sigmoid",),
        "gradient": ("sigmoid",),
    },
    "06_gradient_ascent": {"gradient_ascent": ("batch_step",)},
    "07_newton_raphson": {"newton_step": ("hessian",), "newton_fit": ("hessian", "newton_step")},
    "08_softmax": {
        "log_likelihood": ("softmax", "one_hot"),
        "gradient": ("softmax", "one_hot"),
        "fit_softmax": ("softmax", "one_hot", "gradient"),
        "to_reference": ("softmax",),
    },
}


# --- The rules --------------------------------------------------------------------------------------------------------


def three(course: Any = None, text: str = "", *, first: Any = None) -> NotebookNode:
    """A source with the exercises `one`, `two` and `three`; what the check cell and the text of `two` say."""
    cells = []
    for name, declared, words in (("one", first, ""), ("two", course, text), ("three", None, "")):
        body = f"def {name}(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION"
        metadata = {} if declared is None else {"course": declared}
        cells += [minicourse.markdown(f"{name}-task", f"### Exercise: `{name}`\n\n{words}")]
        cells += [minicourse.solution(name, body), minicourse.check(name, **metadata)]
    return minicourse.make_notebook("01_mini", cells)


LINE = "*May use:* your `one`."


def test_an_exercise_may_use_what_its_check_cell_declares_and_its_text_says() -> None:
    source = three({"may_use": ["one"]}, f"What is asked.\n\n{LINE}\n\nAnd more.")
    assert [exercise.may_use for exercise in sources.exercises(source)] == [(), ("one",), ()]
    assert LINE in sources.tasks(source)["two"]


@pytest.mark.parametrize("nothing", [None, {}, {"may_use": []}])
def test_an_exercise_that_declares_nothing_may_use_nothing(nothing: Any) -> None:
    assert all(exercise.may_use == () for exercise in sources.exercises(three(nothing)))


def test_names_are_listed_as_in_a_sentence() -> None:
    assert sources.may_use_line(["one"]) == LINE
    assert sources.may_use_line(["one", "two"]) == "*May use:* your `one` and `two`."
    assert sources.may_use_line(["one", "two", "three"]) == "*May use:* your `one`, `two` and `three`."


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("one", "its metadata say \"course\": 'one'"),
        (["one"], "its metadata say \"course\": ['one']"),
        ({"may_use": "one"}, 'Write "course": {"may_use": ["name", ...]}'),
        ({"may_use": ["one", 1]}, 'Write "course": {"may_use": ["name", ...]}'),
        ({"mayuse": ["one"]}, 'Write "course": {"may_use": ["name", ...]}'),
        ({"may_use": ["one", "one"]}, "the name in may_use 'one' occurs more than once"),
        ({"may_use": ["two"]}, "may_use names 'two', which is not an exercise above this one. Those are: one."),
        ({"may_use": ["three"]}, "may_use names 'three', which is not an exercise above this one"),
        ({"may_use": ["unheard_of"]}, "may_use names 'unheard_of', which is not an exercise above this one"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(declared: Any, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        sources.exercises(three(declared, LINE))
    assert str(caught.value).startswith("01_mini, cell two-check: ") and message in str(caught.value)


def test_the_first_exercise_has_nothing_to_build_on() -> None:
    with pytest.raises(SourceError, match=r"cell one-check: may_use names 'one', .* Those are: none\."):
        sources.exercises(three(first={"may_use": ["one"]}))


def test_what_is_used_brings_along_what_it_may_use_itself() -> None:
    source = three({"may_use": ["one"]}, LINE)
    task, check = source.cells[-3], source.cells[-1]
    check.metadata["course"] = {"may_use": ["two"]}
    task.source = sources.may_use_line(["two"])
    with pytest.raises(
        SourceError, match="cell three-check: may_use names 'two', which may itself use 'one'.*add 'one'"
    ):
        sources.exercises(source)
    check.metadata["course"] = {"may_use": ["one", "two"]}
    task.source = sources.may_use_line(["one", "two"])
    assert sources.exercises(source)[2].may_use == ("one", "two")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "It has nothing like that."),
        ("You may use your `one`.", "It has nothing like that."),
        ("May use: `one`.", "It has ['May use: `one`.']."),
        ("*May use:* your `three`.", "It has ['*May use:* your `three`.']."),
        (f"{LINE}\n\n{LINE}", f"It has ['{LINE}', '{LINE}']."),
        (f"{LINE} And more.", f"It has ['{LINE} And more.']."),
    ],
)
def test_a_text_that_does_not_say_what_is_declared_is_refused(text: str, said: str) -> None:
    with pytest.raises(SourceError) as caught:
        sources.exercises(three({"may_use": ["one"]}, text))
    assert str(caught.value).startswith("01_mini, cell two-task: by its check cell's metadata `two` may use")
    assert f"in a line of its own: {LINE} {said}" in str(caught.value)


def test_a_declaration_without_any_text_above_is_refused() -> None:
    source = three({"may_use": ["one"]})
    source.cells = [cell for cell in source.cells if cell.cell_type == "code"]
    with pytest.raises(SourceError, match="01_mini, cell two: by its check cell's metadata `two` may use"):
        sources.exercises(source)


def test_a_text_that_says_more_than_is_declared_is_refused() -> None:
    with pytest.raises(SourceError, match=r"cell two-task: the text above `two` says '\*May use.* or remove the line"):
        sources.exercises(three(None, LINE))


def test_words_and_metadata_in_the_wrong_place_are_refused() -> None:
    stray = three({"may_use": ["one"]}, LINE)
    stray.cells.insert(0, minicourse.markdown("intro", f"# Title\n\n{LINE}"))
    with pytest.raises(SourceError, match="cell intro: .* does not stand in the text of an exercise"):
        sources.exercises(stray)
    misplaced = three()
    misplaced.cells[4].metadata["course"] = {"may_use": ["one"]}
    with pytest.raises(SourceError, match='cell two: "course" belongs to the metadata of a check cell'):
        sources.exercises(misplaced)


# --- This course ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", STEMS)
def test_the_notebooks_declare_what_helps_and_does_not_answer(stem: str) -> None:
    found = sources.exercises(sources.read(COURSE.source(stem)))
    assert {exercise.name: exercise.may_use for exercise in found if exercise.may_use} == DECLARED[stem]


def calls_of_others(checks: str, owner: dict[str, str]) -> set[tuple[str, str]]:
    """The checks in a file that call functions of another exercise than theirs, themselves or through a helper."""
    functions = {node.name: node for node in ast.parse(checks).body if isinstance(node, ast.FunctionDef)}

    def called(name: str, seen: frozenset[str] = frozenset()) -> set[str]:
        nodes = list(ast.walk(functions[name]))
        helpers = {node.id for node in nodes if isinstance(node, ast.Name) and node.id in functions} - seen - {name}
        own = {node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr in owner}
        return own.union(*(called(helper, seen | {name}) for helper in helpers))

    return {
        (name, function)
        for name, node in functions.items()
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.args[0], ast.Constant)
        for function in called(name)
        if owner[function] != mark.args[0].value
    }


@pytest.mark.parametrize("stem", STEMS)
def test_no_check_asks_another_exercise(stem: str) -> None:
    found = sources.exercises(sources.read(COURSE.source(stem)))
    owner = {function: exercise.name for exercise in found for function in exercise.functions}
    for path in (COURSE.suite(stem), COURSE.checks / "exercises" / f"{stem}.py"):
        assert calls_of_others(path.read_text(encoding="utf-8"), owner) == set()


def test_a_check_that_asks_another_exercise_is_found() -> None:
    checks = (
        '@exercise("two")\ndef test_a(student):\n    helper(student)\n\n'
        "def helper(student):\n    return student.one(1)\n\n"
        '@exercise("one")\ndef test_b(student):\n    helper(student)\n'
    )
    assert calls_of_others(checks, {"one": "one", "two": "two"}) == {("test_a", "one")}
