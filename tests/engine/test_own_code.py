"""The student's own code in a result: the cells that count when they are run, and no more of them than is kept."""

from __future__ import annotations

import pytest
from sample_class import REPOSITORY, SHORT, STEM, need, source_of

from autograder.course import notebook, sources
from autograder.course.catalogue import Catalogue
from autograder.course.model import NEXT_CELL, Exercise, ExerciseResult, Verdict
from autograder.engine.assignment import Assignment
from autograder.engine.jobs import Job, Settings
from autograder.engine.own_code import LONGEST, with_code
from autograder.engine.running import Cell, CellReport
from autograder.grading.local import grade_locally
from autograder.validity import samples

STUBS = {name: f"def {name}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()" for name in ("mean", "spread")}
CHECK = 'check("mean")'


def code_of(*cells: str, functions: tuple[str, ...] = ("mean",), broken: dict[str, str] | None = None) -> str:
    """The code that is kept of a notebook with these cells; `broken` are texts of cells that failed, with the error."""
    exercise = Exercise("mean", 4, functions)
    assignment = Assignment(
        "77_x",
        (exercise,),
        frozenset({CHECK}),
        frozenset(),
        (),
        Catalogue(),
        (),
        {},
        {name: STUBS[name] for name in functions},
    )
    made = [Cell(f"cell-{number}" if "stand-in" not in text else "mean", text) for number, text in enumerate(cells)]
    reports = [
        CellReport(cell.id, [], {"kind": kind})
        for cell in made
        for text, kind in (broken or {}).items()
        if text in cell.source
    ]
    (found,) = with_code([ExerciseResult("mean", 0, 4, Verdict.FAILED, ())], assignment, made, reports)
    return found.code


ONE, TWO = "def mean(x):\n    return sum(x)", "def mean(x):\n    return sum(x) / len(x)"
SPREAD = "def spread(x):\n    return max(x)"


def test_the_definition_that_counts_is_the_last_one() -> None:
    assert code_of("import numpy", ONE, CHECK, TWO, "mean([1])") == TWO


@pytest.mark.parametrize("kind", ["SyntaxError", ""])
def test_a_cell_that_did_not_run_defines_nothing_unless_there_is_no_other(kind: str) -> None:
    wrong = "def mean(x:\n    return 1"
    assert code_of(ONE, wrong, broken={wrong: kind}) == ONE
    assert code_of("a = 1", wrong, broken={wrong: kind}) == wrong


def test_a_cell_that_ended_with_an_error_may_have_defined_it() -> None:
    assert code_of(ONE, f"{TWO}\nmean([])", broken={"mean([])": "ZeroDivisionError"}) == f"{TWO}\nmean([])"


def test_several_functions_are_kept_in_the_order_of_their_cells_each_once() -> None:
    both = f"{ONE}\n\n{SPREAD}"
    assert code_of(SPREAD, TWO, functions=("mean", "spread")) == f"{SPREAD}{NEXT_CELL}{TWO}"
    assert code_of(ONE, both, functions=("mean", "spread")) == both
    assert code_of(ONE, functions=("mean", "spread")) == ONE


@pytest.mark.parametrize(
    "text",
    [
        "async def mean(x):\n    return 1",
        "@cache\ndef mean(x):\n    return 1",
        "if True:\n    def mean(x):\n        return 1\nelse:\n    mean = None",
        "class mean:\n    pass",
        "mean = lambda x: 1",
        "mean: object = print",
        '"""\nA text.\n"""\ndef mean(x):\n    return 1',
        "%time\n\ndef mean (x): return 1",
    ],
)
def test_every_way_to_define_a_function_counts(text: str) -> None:
    assert code_of(ONE, text, "z = 1") == text


@pytest.mark.parametrize(
    "text",
    [
        "def outer(x):\n    def mean(y):\n        return y\n    return mean",
        "class A:\n    def mean(self):\n        return 1",
        "# def mean(x):",
        "plot(\n    mean=mean(x))",
        "mean == 3",
        '"""\ndef mean(x):\n"""',
        "print('def mean(x)')",
        "def outer():\n    '''\nmean = 3\n    '''",
    ],
)
def test_what_defines_something_else_does_not(text: str) -> None:
    assert code_of(ONE, text) == ONE


def test_a_name_for_another_function_comes_with_that_function() -> None:
    helper = "def my_mean(x):\n    return 0"
    assert code_of(helper, "z = 1", "mean = my_mean") == f"{helper}{NEXT_CELL}mean = my_mean"
    assert code_of(ONE, "mean = np.vectorize(mean)") == f"{ONE}{NEXT_CELL}mean = np.vectorize(mean)"


def test_a_stub_as_it_was_handed_out_is_nobodys_code() -> None:
    assert code_of(STUBS["mean"]) == ""
    assert code_of(STUBS["mean"] + "\n", SPREAD, functions=("mean", "spread")) == SPREAD
    assert code_of(STUBS["mean"].replace("# YOUR", "y = 1  # YOUR")) != ""


def test_where_nothing_is_defined_the_cell_in_the_place_of_the_stub_is_kept() -> None:
    assert (
        code_of("a = 1", "def meen(x):  # stand-in\n    return 1", "b = 2") == "def meen(x):  # stand-in\n    return 1"
    )
    assert code_of("a = 1", "b = 2") == ""


def test_no_more_is_kept_than_is_shown_and_the_cut_is_said() -> None:
    kept = code_of(f"def mean(x):\n    return {'x + ' * LONGEST}")
    assert len(kept) < LONGEST + 20 and kept.endswith("\n# … cut")


@pytest.mark.parametrize(
    "text",
    [" def mean" * 50_000, "\n def mean(x):" * 40_000, "mean" * 100_000, '"""' * 100_000, "mean" + " " * 400_000 + "="],
)
def test_long_texts_that_define_nothing_are_looked_through_like_any_other(text: str) -> None:
    assert code_of(*["def outer():\n" + text] * 5) == ""


# --- In a whole notebook ----------------------------------------------------------------------------------------------


def test_results_have_the_code_also_of_what_was_followed_through() -> None:
    wrong = "def posterior(prior, likelihood):\n    return np.asarray(likelihood) * 1.0"
    built = (
        "def sequential_posterior(prior, likelihoods):\n    rows = [np.asarray(prior, dtype=float) / np.sum(prior)]\n"
        "    for likelihood in likelihoods:\n        rows.append(posterior(rows[-1], likelihood))\n"
        "    return np.array(rows)"
    )
    source = source_of(REPOSITORY)
    answers = {**sources.stubs(source), "posterior": wrong, "sequential_posterior": built}
    content = notebook.dumps(samples.answered(source, answers))
    (outcome,) = grade_locally(
        [Job("ada", STEM, content)], Settings(REPOSITORY.root, need("portable"), SHORT), workers=1, stems=[STEM]
    )
    code = {one.name: (one.code, one.followed_through) for one in outcome.result.exercises}
    assert code["posterior"] == (wrong, False)
    assert code["sequential_posterior"] == (built, True)
    assert code["bayes_binary"] == ("", False), "it is as it was handed out"
