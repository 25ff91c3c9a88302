"""The one rule that says whose a notebook is: what names say, and where the roster and content come in."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import pytest

from autograder.course.errors import SubmissionError
from autograder.course.roster import Person
from autograder.grading.ownership import Owner, Rule

STEMS = ("01_bayes_rule", "02_maximum_likelihood")
CLASS = (Person("al815", "Ada", "Lovelace", lms_user_id="4711"), Person("gh906", "Grace", "Hopper", lms_user_id="4712"))
MOODLE = "Ada Lovelace_4712_assignsubmission_file_"


def work(stem: str | None = None) -> bytes:
    metadata = {} if stem is None else {"course": {"stem": stem}}
    return json.dumps({"cells": [], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def owner(path: str, rule: Rule, stem: str | None = None) -> Owner:
    return rule.owner(PurePosixPath(path), lambda: work(stem))


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("al815/01_bayes_rule/01_bayes_rule.ipynb", "al815"),
        ("week/al815/01_bayes_rule/01_bayes_rule.ipynb", "al815"),
        ("al815_01_bayes_rule.ipynb", "al815"),
        ("al815/01_bayes_rule.ipynb", "al815"),
        (f"{MOODLE}/01_bayes_rule.ipynb", "al815"),
        ("lovelaceada_4711_99001_01_bayes_rule.ipynb", "al815"),
        ("anyone_LATE_4711_99001_01_bayes_rule.ipynb", "al815"),
        ("al815+01_bayes_rule+2026-10-12 18:00:00 UTC/01_bayes_rule.ipynb", "al815"),
        ("archive/ps1_al815_attempt_2026-10-12-15-00-00_01_bayes_rule.ipynb", "al815"),
    ],
)
def test_grading_and_collecting_read_the_same_names_alike(path: str, student: str, asks: bool) -> None:
    found = owner(path, Rule(STEMS, CLASS, asks=asks))
    assert (found.student, found.assignment) == (student, "01_bayes_rule")


@pytest.mark.parametrize("asks", [False, True])
def test_a_number_of_moodle_is_nobodys_on_the_roster(asks: bool) -> None:
    # 4712 is Grace's on the roster, and Moodle's for this one submission of Ada's.
    assert owner(f"{MOODLE}/01_bayes_rule.ipynb", Rule(STEMS, CLASS, asks=asks)).student == "al815"


def test_content_outweighs_the_place_only_where_a_person_confirms_it() -> None:
    path = "al815/01_bayes_rule/mine.ipynb"
    found = owner(path, Rule(STEMS, asks=True), "02_maximum_likelihood")
    assert found.assignment == "02_maximum_likelihood"
    assert found.inferred == ("it lies where 01_bayes_rule should be, but is 02_maximum_likelihood by its content",)
    with pytest.raises(SubmissionError, match="the notebook '02_maximum_likelihood', but lies in the folder of 01_"):
        owner(path, Rule(STEMS), "02_maximum_likelihood")


def test_a_well_named_notebook_is_not_read_where_nobody_is_asked() -> None:
    def unread() -> bytes:
        raise AssertionError

    assert Rule(STEMS).owner(PurePosixPath("ada/01_bayes_rule/01_bayes_rule.ipynb"), unread).student == "ada"


@pytest.mark.parametrize("asks", [False, True])
def test_whose_a_name_may_be_several_peoples_is_refused(asks: bool) -> None:
    twins = (Person("a1", "Ada", "Lovelace"), Person("a2", "Ada", "Lovelace"))
    with pytest.raises(SubmissionError, match="'Ada Lovelace' may be any of a1, a2. Rename it to <id>_01_bayes_rule"):
        owner(f"{MOODLE}/01_bayes_rule.ipynb", Rule(STEMS, twins, asks=asks))


def test_a_student_folder_that_looks_like_a_file_of_canvas_is_taken_as_it_is() -> None:
    path = "group_1_2_a/01_bayes_rule/01_bayes_rule.ipynb"
    assert {owner(path, Rule(STEMS, asks=asks)).student for asks in (False, True)} == {"group_1_2_a"}


def test_a_zip_that_canvas_named_may_hold_the_assignments_folder() -> None:
    path = "hoppergrace_4712_99002_work.zip/01_bayes_rule/01_bayes_rule.ipynb"
    assert owner(path, Rule(STEMS, CLASS, asks=True)).student == "gh906"
