"""Practising in a notebook that is handed in: a cell with `check("posterior", another=True)` changes no mark."""

from __future__ import annotations

import json
from pathlib import Path

from sample_class import STEM, copy_course, hand_in, source_of
from whole_class import BODY, result_of, right_except, run

from autograder.course.model import FaultKind
from autograder.engine.jobs import Settings
from autograder.grading.cluster import archive
from autograder.grading.keys import Keys

QUESTION = {"function": "posterior", "args": [[0.5, 0.5], [0.2, 0.6]], "kwargs": {}, "value": [0.25, 0.75]}
ASK = 'check("posterior", another=True)'


def test_cells_that_ask_for_other_numbers_change_no_mark(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    course.practice(STEM).parent.mkdir(exist_ok=True)
    course.practice(STEM).write_text(json.dumps({"posterior": [[QUESTION]]}))
    submitted, source = tmp_path / "submitted", source_of(course)
    asking = {"posterior-check": [ASK, ASK, ASK]}
    wrong = BODY + "return prior"
    hand_in(submitted, "right", right_except().notebook(source))
    hand_in(submitted, "practises", right_except({"posterior-check": [ASK, ASK]}).notebook(source))
    hand_in(submitted, "wrong", right_except(posterior=wrong).notebook(source))
    hand_in(submitted, "tries", right_except(asking, posterior=wrong).notebook(source))
    graded = run(course, submitted, tmp_path / "graded", fixed=True)  # whoever is asked, with the same numbers
    assert result_of(graded, "practises").exercises == result_of(graded, "right").exercises
    assert result_of(graded, "practises").faults == ()
    assert result_of(graded, "tries").exercises == result_of(graded, "wrong").exercises
    raised = [fault for fault in result_of(graded, "tries").faults if "added" in fault.text]
    assert [fault.kind for fault in raised] == [FaultKind.CHECK_CELL] * 3
    assert "posterior with other numbers, question 1 of 1: not right yet" in raised[0].text


def test_other_machines_get_the_numbers_too_and_a_result_depends_on_them(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    settings = Settings(course.root, "none")
    before = Keys(course, settings).key(STEM, b"")
    course.practice(STEM).parent.mkdir(exist_ok=True)
    course.practice(STEM).write_text(json.dumps({"posterior": [[QUESTION]]}))
    assert Keys(course, settings).key(STEM, b"") != before
    unpacked = archive.unpack(archive.pack(course, [STEM]), tmp_path / "elsewhere")
    assert unpacked.practice(STEM).read_bytes() == course.practice(STEM).read_bytes()
