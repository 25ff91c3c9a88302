"""The reader of derivations: what it accepts, what it refuses and why, and that no text can make it run or hang."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
if str(NOTEBOOKS) not in sys.path:
    sys.path.insert(0, str(NOTEBOOKS))

from checks import derivation  # noqa: E402
from checks.derivation import (  # noqa: E402
    Refused,
    Step,
    explain,
    first_problem,
    is_derivative,
    is_result,
    middle,
    points,
    read,
    shows_both_logarithms,
    steps,
    value,
)

FIRST = "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x"
WAY = "(y*(1 - p) - (1 - y)*p) * x"
RESULT = "(y - p)*x"


def test_the_target_is_the_derivative_of_the_log_likelihood() -> None:
    at, h = points(seed=1), 1e-6
    z = np.log(at["p"] / (1 - at["p"]))

    def log_likelihood(change: float) -> np.ndarray:  # of w_j, which moves z by x_j times as much
        p = 1 / (1 + np.exp(-(z + change * at["x"])))
        return np.asarray(at["y"] * np.log(p) + (1 - at["y"]) * np.log(1 - p))

    measured = (log_likelihood(h) - log_likelihood(-h)) / (2 * h)
    assert np.allclose(derivation.derivative(at), measured, rtol=1e-6, atol=1e-7)


def test_points_cover_both_labels_and_both_signs_and_stay_away_from_poles() -> None:
    for seed in (0, 7):
        at = points(seed)
        assert set(at["y"]) == {0, 1} and at["y"].mean() == 0.5
        assert at["p"].min() >= 0.05 and at["p"].max() <= 0.95 and at["p"].min() < 0.1 < 0.9 < at["p"].max()
        assert at["x"].min() < -1 and at["x"].max() > 1 and np.abs(at["x"]).min() >= 0.3
    assert not np.array_equal(points(0)["p"], points(7)["p"])
    assert np.array_equal(points(7)["p"], points(7)["p"])


# --- what is right ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        FIRST,
        "y/p * p*(1 - p)*x - (1 - y)/(1 - p) * p*(1 - p)*x",
        "y*(1/p)*(p*(1-p)*x) - (1-y)*(1/(1-p))*(p*(1-p)*x)",
        "y*(1/p)*(p*(1-p)*x) + (1-y)*(1/(1-p))*(-(p*(1-p)*x))",
        "y*p*(1-p)*x/p + (1-y)*p*(1-p)*x/(p-1)",
        "y*p**-1*(p - p**2)*x - (1-y)*(1-p)**-1*(p - p**2)*x",
        "x*(1-p)*p*(y/p + (1-y)/(-(1-p)))",
        "(y/p)*x*p*(1-p) - p*(1-p)*x*((1-y)/(1-p))",
    ],
)
def test_a_first_line_may_be_written_in_many_ways(line: str) -> None:
    tree = read(line)
    assert is_derivative(tree) and shows_both_logarithms(tree) and not is_result(tree)


@pytest.mark.parametrize(
    "line",
    [
        RESULT,
        "y*(1 - p)*x - (1 - y)*p*x",
        "(y - p)/(p*(1 - p)) * p*(1 - p)*x",
        "y/p*p*(1 - p)*x - (1 - y)*p*x",
        "y*(1 - p)*x - (1 - y)/(1 - p)*p*(1 - p)*x",
        "(y - p)*x + 0*(y/p - (1 - y)/(1 - p))",
        "(y - p)*x + (1/p - 1/p) + (1/(1 - p) - 1/(1 - p))",
    ],
)
def test_a_line_in_which_something_has_cancelled_shows_no_logarithms(line: str) -> None:
    tree = read(line)
    assert is_derivative(tree) and not shows_both_logarithms(tree)


@pytest.mark.parametrize("line", [RESULT, "x*(y - p)", "y*x - p*x", "-(p - y)*x", "-1*(p - y)*x", "  ( y-p )*x "])
def test_a_result_may_be_written_in_many_ways(line: str) -> None:
    assert is_result(read(line))


@pytest.mark.parametrize(
    "line",
    [FIRST, WAY, "(y - p)*x*p/p", "(y - p)*x*p**0*p**-1*p", "(y - y*p - p + y*p)*x", "(p - y)*x", "(y - p)", "y - p*x"],
)
def test_what_can_be_simplified_or_is_something_else_is_no_result(line: str) -> None:
    assert not is_result(read(line))


def test_labels_are_zero_and_one_so_that_a_square_of_a_label_is_the_label() -> None:
    assert is_derivative(read("(y**2 - p)*x"))
    assert not is_derivative(read("(y - p**2)*x"))


# --- line by line -----------------------------------------------------------------------------------------------------


def test_a_complete_derivation_has_no_problem() -> None:
    for lines in ([FIRST, WAY, RESULT], (FIRST, WAY, RESULT), np.array([FIRST, WAY, RESULT])):
        assert first_problem(lines) == ""
        assert explain(lines).endswith("Every line follows, from the two logarithms to the result.")


def test_the_first_line_that_does_not_follow_is_named_with_a_point_where_one_sees_it() -> None:
    said = first_problem([FIRST, WAY, "(y - y*p - p - y*p)*x", RESULT])
    assert said.startswith("line 3 does not follow from line 2: at y = 1, p = ")
    assert " it is " in said and "and the derivative is " in said


def test_a_wrong_start_and_what_carries_it_on_are_told_apart() -> None:
    start, carried, other, end = steps(["y*x", "x*y", "p*x", RESULT])
    assert start.problem.startswith("line 1 is not the derivative:")
    assert carried.problem.startswith("line 2 carries on what went wrong before, in line 1:")
    assert other.problem.startswith("line 3 is not the derivative either:")
    assert end.follows


def test_a_line_without_a_value_is_named() -> None:
    assert "it has no value" in first_problem([FIRST, "(y - p)*x*y/y", RESULT])
    assert "it has no value" in first_problem(["((x**4)**4)**4*((1000**4)**4)**4*((1000**4)**4)**4", RESULT])


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([WAY, "(y - y*p - p + y*p)*x", RESULT], "The first line should still show both logarithms"),
        ([FIRST, WAY], "The last line can be simplified further"),
        ([FIRST, RESULT], "show at least one line of the way"),
        ([FIRST, "( y/p-(1-y)/(1-p) )*p*(1-p)*x", RESULT], "show at least one line of the way"),
        ([FIRST, "x*(y - p)", RESULT], "show at least one line of the way"),
        ([RESULT], "The first line should still show both logarithms"),
        ("(y - p)*x", "A derivation is a list of lines"),
        (None, "A derivation is a list of lines; this is of type NoneType"),
        (3.5, "this is of type float"),
        ({"y": 1}, "this is of type dict"),
        ([], "The derivation has no lines"),
        ([RESULT] * 31, "The derivation has 31 lines"),
        (np.zeros((2, 2)), "line 1 cannot be read: a line is text in quotes; this is of type list"),
    ],
)
def test_what_a_derivation_lacks_is_said(lines: Any, said: str) -> None:
    assert said in first_problem(lines)
    assert said.removeprefix("line 1 ") in explain(lines)


def test_a_plus_in_front_says_nothing() -> None:
    assert read("+y/p*x**+2") == read("y/p*x**2")
    assert first_problem(["+y/p*p*(1-p)*x - (1-y)/(1-p)*p*(1-p)*x", "+y*(1-p)*x - +p*(1-y)*x", "+(+y - p)*x"]) == ""


def test_lines_in_between_count_if_they_hold_and_say_something_new() -> None:
    found = steps([FIRST, FIRST, "y*x", "x*(y - p)", WAY, RESULT])
    assert [step.number for step in middle(found)] == [5]
    found = steps([FIRST, "y*x - p*x", RESULT])  # the only step is to take x out of the difference
    assert [step.number for step in middle(found)] == [2] and "Every line follows" in explain(
        [FIRST, "y*x - p*x", RESULT]
    )


# --- what is a step ---------------------------------------------------------------------------------------------------

FIRST_LINES = [
    FIRST,
    "y/p * p*(1 - p)*x - (1 - y)/(1 - p) * p*(1 - p)*x",
    "y*(1/p)*(p*(1-p)*x) + (1-y)*(1/(1-p))*(-(p*(1-p)*x))",
    "y*p**-1*(p - p**2)*x + (1-y)/(p-1)*(p - p**2)*x",
    "(y/p + (1 - y)*(-1)/(1 - p)) * p*(1 - p)*x",
]
RESULTS = [RESULT, "x*(y - p)", "-(p - y)*x", "y*x - p*x"]
HONEST = [
    WAY,
    "y*(1 - p)*x - (1 - y)*p*x",
    "+y*(1 - p)*x + (-1)*(1 - y)*p*x",
    "y/p*p*(1 - p)*x - (1 - y)*p*x",
    "y*(1 - p)*x - (1 - y)/(1 - p)*p*(1 - p)*x",
    "(y*(1 - p) - (1 - y)*p) / (p*(1 - p)) * p*(1 - p)*x",
    "(y - p)/(p*(1 - p)) * p*(1 - p)*x",
    "(y - p)/(p*(1 - p)) * (p - p**2)*x",
    "(y - p)*p*(1 - p)*x / (p*(1 - p))",
    "(y - y*p - p + y*p)/(p - p**2) * (p - p**2)*x",
    "(y*p*(1 - p)**2 - (1 - y)*p**2*(1 - p))/(p*(1 - p))*x",
    "(y*p - y*p**2)/p*x - (p - p**2 - y*p + y*p**2)/(1 - p)*x",
    "(y - y*p - (1 - y)*p)*x",
    "(y - y*p - p + y*p)*x",
    "(y*p - y*p + y - p)*x",
    "(y*1 - y*p - 1*p + y*p)*x",
    "((y - y*p) - (p - y*p))*x",
    "x*(y*(1 - p) + (y - 1)*p)",
    "-(p*(1 - y) - y*(1 - p))*x",
    "y*x*(1 - p) - p*x + y*p*x",
    "y*x - y*p*x - p*x + y*p*x",
    "x*y - x*p + x*y*p - x*y*p",
    "y*x - y*p*x + (y*p*x - p*x)",
    "(y - p*(y + 1 - y))*x",
    "(y - p*(y + (1 - y)))*x",
    "(y*((1 - p) + p) - p)*x",
    "(y*(1 - p) + y*p - p)*x",
    "(y/p*p*(1 - p) - (1 - y)*p)*x",
]
THE_RESULT_IN_DISGUISE = [
    "x*(y - p)",
    "((y - p))*(x)",
    "-(p - y)*x",
    "-1*(p - y)*x",
    "(-p + y)*x",
    "(y - p)*x*1",
    "(y - p)*x**1*p**0",
    "(y - p)*x/1",
    "(y - p)*x + 0",
    "(y - p + 0)*x",
    "(y - 1*p)*x",
    "(y**2 - p)*x",
    "(y - p)*x*p/p",
    "(y - p)*x*(1 - p)/(1 - p)",
    "(y - p)*x*(p - 1)/(1 - p)*(-1)",
    "(y - p)*x*x/x",
    "2*(y - p)*x/2",
    "(0.1*y - 0.1*p)*x*10",
    "(y - p)*x/2 + (y - p)*x/2",
    "(y*p/p - p)*x",
    "(y - p)**2/(y - p)*x",
    "(y**2 - p**2)/(y + p)*x",
    "1/(1/((y - p)*x))",
    "(y - p)*(p + 1 - p)*x",
    "(y - p)*x*(y + (1 - y))",
    "(y - p*(x + 1 - x))*x",
    "(y - p)*x*(p/p + (1 - p)/(1 - p))/2",
    "(y - p)*p*x + (y - p)*(1 - p)*x",
    "(y - p)*x + y*x - y*x",
    "(y - p)*x + y*p*x - y*p*x",
    "(y - p)*x + y*p - y*p",
    "(y - p)*x + y*(1 - y)",
    "(y - p)*x + (p*(1 - p) - p + p**2)",
    "(y - p)*x + 0*(y/p)",
    "(y - p)*x*(y/p - (1 - y)/(1 - p))/(y/p - (1 - y)/(1 - p))",
]
THE_FIRST_LINE_IN_DISGUISE = [
    FIRST,
    "p*(1 - p)*x*(y/p - (1 - y)/(1 - p))",
    "((y)/(p) - ((1 - y))/(1 - p))*(p*((1 - p)*x))",
    "(-(1 - y)/(1 - p) + y/p)*p*(1 - p)*x",
    "(y/p + (y - 1)/(1 - p))*p*(1 - p)*x",
    "(y*p**-1 - (1 - y)*(1 - p)**-1)*(1 - p)*p*x",
    "(y/p - (1 - y)/(1 - p))*(p - p**2)*x",
    "(y/p - (1 - y)/(1 - p))*p*(1 - p)*x + 0",
    "(y/p - (1 - y)/(1 - p))*p*(1 - p)*x*p/p",
    "(y/p - (1 - y)/(1 - p))*p*(1 - p)*x*p*(1 - p)/(p*(1 - p))",
    "(y/p - (1 - y)/(1 - p))*p*(1 - p)*x + (y - p)*x - (y - p)*x",
    "(2*y/2/p - (1 - y)/(1 - p))*p*(1 - p)*x",
    "(y/p - (1 - y)/(1 - p))*p*(1 - p)*x*(p + 1 - p)",
    "(y/p - (1 - y)/(1 - p))*p*(1 - p)*x*(y + 1 - y)**2",
]


@pytest.mark.parametrize("first", FIRST_LINES)
def test_every_honest_line_is_a_step(first: str) -> None:
    for result in RESULTS:
        assert [line for line in HONEST if first_problem([first, line, result])] == []


@pytest.mark.parametrize("first", FIRST_LINES)
def test_the_result_in_disguise_is_no_step(first: str) -> None:
    for line in THE_RESULT_IN_DISGUISE:
        found = steps([first, line, RESULT])
        assert all(step.follows for step in found) and middle(found) == [], line


def test_the_first_line_in_disguise_is_no_step() -> None:
    for line in THE_FIRST_LINE_IN_DISGUISE:
        found = steps([FIRST, line, RESULT])
        assert all(step.follows for step in found) and middle(found) == [], line


def test_lines_that_are_no_steps_may_stand_beside_those_that_are() -> None:
    lines = [FIRST, *THE_FIRST_LINE_IN_DISGUISE[:6], WAY, WAY, *THE_RESULT_IN_DISGUISE[:12], RESULT]
    assert first_problem(lines) == ""
    assert [step.number for step in middle(steps(lines))] == [8, 9]
    assert "is no step" in first_problem([FIRST, *THE_FIRST_LINE_IN_DISGUISE, *THE_RESULT_IN_DISGUISE[:12], RESULT])


def test_what_is_no_step_is_none_where_the_result_is_missing_or_cannot_be_read() -> None:
    for end in ("(y - p)^1*x", WAY, "y*x"):
        assert middle(steps([FIRST, "(y - p)*x*p/p", end])) == []


@pytest.mark.parametrize(
    "first",
    [
        "(y - p)*x*(y/p - (1 - y)/(1 - p))/(y/p - (1 - y)/(1 - p))",
        "(y - p)*x + 0*(y/p - (1 - y)/(1 - p))*p*(1 - p)*x",
        "(y - p)*x + (y/p - (1 - y)/(1 - p)) - (y/p - (1 - y)/(1 - p))",
        "(y - p)*x + y/p - y/p + (1 - y)/(1 - p) - (1 - y)/(1 - p)",
        "(y - p)*x*p*(1 - p)/(p*(1 - p))",
        "((y - p)*x*p*(1 - p)/p)/(1 - p)",
        "(y/p*p - (1 - y)/(1 - p)*(1 - p) + 1 - y - p)*x",
        "(y - p)*x*(y/p*p + (1 - y)/(1 - p)*(1 - p))",
        "(y - p)*x*((y/p - (1 - y)/(1 - p))*p*(1 - p) - (y - p) + 1)",
        "(y*(1 - p) - (1 - y)*p)/(p*(1 - p))*p*(1 - p)*x",
        "(y - p)*x*((y/p - (1 - y)/(1 - p))*p*(1 - p)*x)/((y - p)*x)",
    ],
)
def test_a_first_line_invented_from_the_result_shows_no_logarithms(first: str) -> None:
    tree = read(first)
    assert is_derivative(tree) and not shows_both_logarithms(tree)
    assert first_problem([first, WAY, RESULT]).startswith("The first line should still show both logarithms")


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "it is empty"),
        ("   ", "it is empty"),
        (None, "this is of type NoneType"),
        (3, "this is of type int"),
        (b"y", "this is of type bytes"),
        (["y"], "this is of type list"),
        ("q*x", "it uses the name q, and only y, p and x are allowed"),
        ("px", "did you mean p*x?"),
        ("Y - p", "it uses the name Y"),
        ("sigma", "it uses the name sigma"),
        ("p(1 - p)*x", "a * is missing in front of a parenthesis"),
        ("log(p)", "it calls a function"),
        ("__import__('os').system('true')", "it calls a function"),
        ("().__class__", "it is more than numbers"),
        ("y.real", "it is more than numbers"),
        ("y[0]", "it is more than numbers"),
        ("y if p else x", "it is more than numbers"),
        ("y < p", "it is more than numbers"),
        ("y and p", "it is more than numbers"),
        ("not y", "it is more than numbers"),
        ("~y", "it is more than numbers"),
        ("y @ p", "it is more than numbers"),
        ("y // p", "it is more than numbers"),
        ("y % p", "it is more than numbers"),
        ("y << p", "it is more than numbers"),
        ("y, p", "it is more than numbers"),
        ("[y for y in p]", "it is more than numbers"),
        ("{y}", "it is more than numbers"),
        ("lambda: y", "it is more than numbers"),
        ("lambda y, p=9**9**9: y", "leave the equals sign out"),
        ("f'{y}'", "it is more than numbers"),
        ("f'{__import__(\"os\")}'", "it is more than numbers"),
        ("'y'", "it is more than numbers"),
        ("b'y'", "it is more than numbers"),
        ("True", "it is more than numbers"),
        ("None", "it is more than numbers"),
        ("...", "it is more than numbers"),
        ("1j", "it is more than numbers"),
        ("await y", "it is more than numbers"),
        ("(yield y)", "it is more than numbers"),
        ("(y := 1)", "leave the equals sign out"),
        ("y = p", "leave the equals sign out"),
        ("= y", "leave the equals sign out"),
        ("y == p", "leave the equals sign out"),
        ("p^2", "write ** for a power, not ^"),
        ("9**9**9", "an exponent is a whole number up to 4"),
        ("y**5", "an exponent is a whole number up to 4"),
        ("y**p", "an exponent is a whole number up to 4"),
        ("y**0.5", "an exponent is a whole number up to 4"),
        ("y**True", "an exponent is a whole number up to 4"),
        ("y**-5", "an exponent is a whole number up to 4"),
        ("y**--2", "an exponent is a whole number up to 4"),
        ("y**+5", "an exponent is a whole number up to 4"),
        ("1001*y", "a number beyond 1000"),
        ("1e400", "a number beyond 1000"),
        ("-1e400*y", "a number beyond 1000"),
        ("9" * 299, "a number beyond 1000"),
        ("y -", "Python cannot read it"),
        ("(y", "Python cannot read it"),
        ("y; p", "Python cannot read it"),
        ("*y", "Python cannot read it"),
        ("2x", "Python cannot read it"),
        ("2if x else y", "it is more than numbers"),
        ("import os", "Python cannot read it"),
        ("y\np", "a tab or a line break"),
        ("y\tp", "a tab or a line break"),
        ("y\x00p", "it contains a character that Python's algebra does not know (U+0000)"),
        ("y − p", "it contains the character −; write -"),
        ("p·x", "it contains the character ·; write *"),
        ("p²", "it contains the character ²; write **2"),
        ("у - p", "CYRILLIC SMALL LETTER U"),
        ("ｙ - p", "FULLWIDTH LATIN SMALL LETTER Y"),
        ("y\ud800", "U+D800"),
        ("σ", "GREEK SMALL LETTER SIGMA"),
        ("(" * 10_000 + "y" + ")" * 10_000, "it has 20001 characters"),
        ("-" * 299 + "y", "nested too deeply"),
        ("y" + "+y" * 149, "nested too deeply"),
        ("y**" * 99 + "2", "an exponent is a whole number up to 4"),
        ("y" + "*y" * 1_000_000, "it has 2000001 characters"),
    ],
)
def test_everything_but_plain_algebra_is_refused_with_the_reason(line: Any, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        read(line)
    assert reason in str(refused.value)


def test_parentheses_and_comments_by_themselves_say_nothing() -> None:
    assert read("(" * 90 + "y" + ")" * 90) == read("y  # the label") == ("symbol", "y")


def test_no_text_raises_anything_but_refused() -> None:
    rng = np.random.default_rng(0)
    alphabet = list("ypx0123456789.eE+-*/() _'\"[]{}=:,;#@\\^~<>!&|fjlambdu\n\té−")
    texts = ["".join(rng.choice(alphabet, size=rng.integers(1, 60))) for _ in range(3000)]
    operands, operators = ["y", "p", "x", "2", "(1 - p)", "p**-1", "-y", "(y/p)"], list("+-*/")
    for _ in range(500):
        chosen = rng.choice(operands, size=20), rng.choice(operators, size=20)
        texts.append("".join(part for pair in zip(*chosen) for part in pair) + "x")
    readable = 0
    for text in texts:
        try:
            tree = read(text)
        except Refused:
            continue
        readable += 1
        assert value(tree, points()).shape == (200,)
        assert shows_both_logarithms(tree) in (True, False) and is_result(tree) in (True, False)
        step = Step(2, text, tree, "")
        assert middle([Step(1, text, tree, ""), step, Step(3, text, tree, "")]) == []
        assert middle([Step(1, FIRST, read(FIRST), ""), step, Step(3, RESULT, read(RESULT), "")]) in ([], [step])
    assert readable >= 500


def test_the_largest_line_that_is_read_can_be_evaluated() -> None:
    line = "(" * 19 + "y" + "/(p-x))**4" * 19
    assert 200 < len(line) <= 300
    tree = read(line)
    assert not shows_both_logarithms(tree) and not is_result(tree)
    assert "line 1" in first_problem([line] * 30)


@pytest.mark.parametrize(
    "nothing",
    [
        "y+(" * 53 + "p" + ")" * 53,
        "y-(" * 53 + "p" + ")" * 53,
        "1+p*(" * 26 + "p" + ")" * 26,
        "1+1/(" * 26 + "p" + ")" * 26,
        "(" * 26 + "y" + "+p)*x" * 26,
        "(" * 50 + "y" + "+p)" * 50,
        "(" * 18 + "y" + "/(p-x))**4" * 18,
        "(" * 45 + "1000" + "**4)" * 45,
        "(" * 26 + "y+p)**4*(" + "p+x)**4*(" * 20 + "y" + ")" * 26,
        "*".join(f"(y+{n}*p)**4" for n in range(2, 22)),
        "+".join(f"x**{n}*p**{m}*(y+{n})**4*(p+{m})**4" for n in range(1, 4) for m in range(1, 4)),
        "(p+x)**4*" * 28 + "(p+x)**4",
    ],
)
def test_no_line_makes_its_normal_form_large(nothing: str) -> None:
    """Each of these lines would have up to 4**50 terms if it were multiplied out."""
    line = f"(y-p)*x+0*({nothing})"
    assert len(line) <= 300
    assert middle(steps([line, *[line] * 8, RESULT])) == []


def test_a_line_is_never_run() -> None:
    """Neither eval nor exec nor compile is called; `ast.parse` only builds a tree."""
    modules = sorted(Path(inspect.getfile(derivation)).parent.glob("*.py"))
    nodes = [node for path in modules for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"eval", "exec", "compile", "__import__", "getattr", "open"}
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    assert imported == {"ast", "unicodedata", "warnings", "numpy"}
    others = {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    plain = {"__future__", "collections.abc", "dataclasses", "fractions", "functools", "hashlib", "typing"}
    assert others - plain == {f"checks.derivation.{path.stem}" for path in modules if path.stem != "__init__"}


def test_warnings_of_the_parser_do_not_reach_the_student(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(Refused):
        read("1if y else 2")
    assert not recwarn.list
