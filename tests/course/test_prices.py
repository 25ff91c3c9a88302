"""What each kind of check costs is said where people read it: in the checks of students, and in the README."""

from __future__ import annotations

import re
import sys

from autograder.course import Course, kinds
from autograder.course.kinds import Kind

COURSE = Course.default()
sys.path.insert(0, str(COURSE.notebooks))

from checks import costs  # noqa: E402


def test_students_read_the_prices_that_are_charged() -> None:
    assert {kind.value: price for kind, price in kinds.PRICES.items()} == costs.PRICES
    assert (kinds.STRESSED, Kind.PLAIN.value) == (costs.STRESSED, costs.PLAIN)
    assert {*costs.PRICES, costs.PLAIN} == {kind.value for kind in Kind}


def test_the_table_in_the_readme_is_the_scale_of_prices() -> None:
    marks = (
        (COURSE.root / "README.md").read_text(encoding="utf-8").partition("**Marks.**")[2].partition("**Trust.**")[0]
    )
    rows = dict(re.findall(r"^\| ([^|]+?) \| (?:[^|]*\|)? *([^|]+?) \|$", marks, re.MULTILINE))
    told = {name: value for name, value in rows.items() if name in {kind.value for kind in Kind}}
    assert told == {
        Kind.PLAIN.value: f"the rest, at least {kinds.LEAST} %",
        **{kind.value: f"{price} %" for kind, price in kinds.PRICES.items()},
    }
    assert rows["what the task stresses, of any kind"] == f"{kinds.STRESSED} %"
