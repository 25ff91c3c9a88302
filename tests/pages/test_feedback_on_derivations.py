"""What the notebook's own explanation of a derivation says stands on the feedback page, too."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest
from sample_class import REPOSITORY, hand_in, source_of, work

from autograder.cli import main
from autograder.grading import reading
from autograder.grading.grade import Options, grade

STEM = "05_logistic_derivation"
FIRST = "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x"
WAY = "(y*(1 - p) - (1 - y)*p) * x"
RESULT = "(y - p)*x"
LONG = "(y - p)*x" + " " * 200 + "* 1 # " + "p" * 80

# What students return: what must be said, and what they may earn of the three points, at least and at most.
DERIVATIONS = {
    "all is right": ([FIRST, WAY, RESULT], [], 3, 3),
    "a caret in between": (
        [FIRST, WAY, "(y - y*p^1 - p + y*p)*x", RESULT],
        ["line 3: '(y - y*p^1 - p + y*p)*x'  <-- cannot be read: write ** for a power, not ^"],
        1.5,
        2.5,
    ),
    "a caret at the end": (
        [FIRST, WAY, "(y - p)^1*x"],
        ["line 3:", "cannot be read: write ** for a power, not ^"],
        0,
        0,
    ),
    "a name": ([FIRST, "px*y", RESULT], ["line 2:", "it uses the name px, and only y, p and x are allowed"], 0, 1.49),
    "an equals sign": ([FIRST, "= " + WAY, RESULT], ["line 2:", "leave the equals sign out"], 0, 1.49),
    "no star": ([FIRST, "y(1 - p)*x", RESULT], ["line 2:", "a * is missing in front of a parenthesis"], 0, 1.49),
    "an empty line": ([FIRST, "", WAY, RESULT], ["line 2: ''  <-- cannot be read: it is empty"], 1.5, 2.5),
    "another minus": ([FIRST, WAY.replace("-", "−"), RESULT], ["it contains the character −; write -"], 0, 1.49),
    "a long line": ([FIRST, LONG[:299] + "^", WAY, RESULT], [], 3, 3),  # what follows # is a comment
    "a longer line": ([FIRST, LONG + "p" * 80, WAY, RESULT], ["line 2:", "300 are more than enough"], 1.5, 2.5),
    "a slip": (
        [FIRST, WAY, "(y - y*p - p - y*p)*x", RESULT],
        ["line 3:", "does not follow from line 2: at y = 1, p = ", "and the derivative is"],
        1.5,
        2.5,
    ),
    "many slips": (
        [FIRST, *[f"(y - p)*x + {n}" for n in range(1, 29)], RESULT],
        ["line 2:", "line 3:", "26 more", "p/p, is no step"],
        0,
        1.49,
    ),
    "not the derivative": (["y/p*x", WAY, RESULT], ["line 1: 'y/p*x'  <-- is not the derivative: at y"], 0, 0),
    "no step": ([FIRST, RESULT + "*p/p", RESULT], ["show at least one line of the way", "p/p, is no step"], 0, 1.49),
    "no way": ([FIRST, RESULT], ["show at least one line of the way"], 0, 1.49),
    "no start": ([WAY, "y*x - p*x", RESULT], ["The first line should still show both logarithms"], 0, 1.49),
    "backwards": (
        [RESULT + "*(y/p - (1 - y)/(1 - p))/(y/p - (1 - y)/(1 - p))", WAY, RESULT],
        ["The first line should still show both logarithms"],
        0,
        1.49,
    ),
    "neither start nor way nor end": (
        ["y*(1 - p)*x - (1 - y)*p*x", "y*x - p*x*p/p", "(2*y - y - p)*x"],
        ["The first line should still show both", "The last line can be simplified further"],
        0,
        0,
    ),
    "no end": ([FIRST, WAY], ["The last line can be simplified further"], 0, 0),
    "one text": (RESULT, ["A derivation is a list of lines, one text for each of them; this is a single text."], 0, 0),
    "no lines": ([], ["The derivation has no lines."], 0, 0),
    "too many lines": ([FIRST] * 31, ["The derivation has 31 lines"], 0, 0),
    "numbers": ([1.5, 2], ["line 1:", "line 2:", "cannot be read: a line is text in quotes; this is of type"], 0, 0),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("derivations")
    source = source_of(REPOSITORY, STEM)
    for name, (lines, *_) in DERIVATIONS.items():
        code = f"def derivation():\n    return {json.dumps(lines)}\n"
        hand_in(folder / "in", name.replace(" ", "-"), work(derivation=code).notebook(source), STEM)
    grade(REPOSITORY, folder / "in", Options(folder / "out", workers=1))
    assert main(["feedback", str(folder / "out")]) == 0
    return folder / "out"


@pytest.mark.parametrize("name", DERIVATIONS)
def test_the_page_says_what_the_explanation_says(name: str, graded: Path) -> None:
    _, words, least, most = DERIVATIONS[name]
    student = name.replace(" ", "-")
    page = html.unescape((graded / "feedback" / student / STEM / f"{STEM}.html").read_text())
    assert [word for word in words if word not in page] == []
    (result,) = (result for result in reading.in_folder(graded).apart()[0] if result.student == student)
    (derivation,) = (exercise for exercise in result.exercises if exercise.name == "derivation")
    assert least <= derivation.score <= most
