"""What is found in a folder, a notebook or a zip, and what is said about the rest."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from autograder.course.errors import SubmissionError, UsageError
from autograder.grading.submissions import HandedIn, find

STEMS = ("01_bayes_rule", "02_maximum_likelihood")
LIMIT = 1 << 20


def notebook(stem: str | None = None) -> bytes:
    metadata = {} if stem is None else {"course": {"stem": stem}}
    cell: dict[str, object] = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": "1",
        "outputs": [],
        "execution_count": None,
    }
    return json.dumps({"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def put(path: Path, content: bytes | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook() if content is None else content)
    return path


def owners(found: HandedIn) -> list[tuple[str, str]]:
    return [(submission.student, submission.assignment) for submission in found.submissions]


def reasons(found: HandedIn) -> str:
    return "\n".join(f"{entry.where}: {entry.reason}" for entry in found.skipped)


def test_nbgraders_layout_names_student_and_assignment(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule.ipynb")
    put(tmp_path / "bob" / "02_maximum_likelihood" / "02_maximum_likelihood.ipynb")
    assert owners(find(tmp_path, STEMS, limit=LIMIT)) == [("ada", "01_bayes_rule"), ("bob", "02_maximum_likelihood")]


def test_a_flat_folder_takes_the_student_from_the_file_name(tmp_path: Path) -> None:
    put(tmp_path / "ada_01_bayes_rule.ipynb")
    put(tmp_path / "02_maximum_likelihood - bob.ipynb")
    assert owners(find(tmp_path, STEMS, limit=LIMIT)) == [("ada", "01_bayes_rule"), ("bob", "02_maximum_likelihood")]


def test_a_renamed_notebook_is_recognised_by_its_metadata(tmp_path: Path) -> None:
    put(tmp_path / "ada.ipynb", notebook("01_bayes_rule"))
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert owners(found) == [("ada", "01_bayes_rule")]
    assert "recognised as 01_bayes_rule by its content" in found.submissions[0].repairs[0]


def test_a_renamed_notebook_in_the_assignments_folder_is_taken(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "01_bayes_rule" / "final version.ipynb")
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert owners(found) == [("ada", "01_bayes_rule")]
    assert "was taken for 01_bayes_rule.ipynb" in found.submissions[0].repairs[0]


def test_the_rightly_named_file_wins_over_a_copy(tmp_path: Path) -> None:
    right = put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule.ipynb")
    put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule-Copy1.ipynb")
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert [submission.where for submission in found.submissions] == [str(right)]
    assert "handed in 01_bayes_rule twice" in reasons(found)


def test_a_single_notebook_in_its_place_belongs_to_the_student_of_the_folder(tmp_path: Path) -> None:
    path = put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule.ipynb")
    assert owners(find(path, STEMS, limit=LIMIT)) == [("ada", "01_bayes_rule")]


def test_a_zip_is_read_like_a_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("ada/01_bayes_rule/01_bayes_rule.ipynb", notebook())
        archive.writestr("__MACOSX/ada/01_bayes_rule/._01_bayes_rule.ipynb", b"junk")
    found = find(tmp_path / "class.zip", STEMS, limit=LIMIT)
    assert owners(found) == [("ada", "01_bayes_rule")]
    assert found.submissions[0].read() == notebook()


def test_a_zip_entry_that_leads_out_is_skipped(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("../ada/01_bayes_rule/01_bayes_rule.ipynb", notebook())
    found = find(tmp_path / "class.zip", STEMS, limit=LIMIT)
    assert not found.submissions
    assert "leads out of the zip" in reasons(found)


def test_a_zip_entry_never_unpacks_to_more_than_the_limit(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/01_bayes_rule/01_bayes_rule.ipynb", b" " * (LIMIT * 50))
    submission = find(tmp_path / "class.zip", STEMS, limit=LIMIT).submissions[0]
    with pytest.raises(SubmissionError, match="larger than 1 MiB. Clear the outputs"):
        submission.read()


def test_a_student_without_a_notebook_is_missing(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule.ipynb")
    (tmp_path / "bob" / "01_bayes_rule").mkdir(parents=True)
    (tmp_path / "eve").mkdir()
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert found.missing == (("bob", "01_bayes_rule"),)
    assert "eve: this student's folder holds no notebook" in reasons(found)


def test_a_notebook_of_another_course_is_skipped_with_advice(tmp_path: Path) -> None:
    put(tmp_path / "ada.ipynb")
    put(tmp_path / "bob_01_bayes_rule.ipynb")
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert owners(found) == [("bob", "01_bayes_rule")]
    assert "belongs to no known assignment (01_bayes_rule, 02_maximum_likelihood). Rename it" in reasons(found)


def test_broken_json_under_an_unknown_name_does_not_stop_the_others(tmp_path: Path) -> None:
    put(tmp_path / "ada.ipynb", b"{")
    put(tmp_path / "bob_01_bayes_rule.ipynb")
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert owners(found) == [("bob", "01_bayes_rule")]
    assert "is not JSON" in reasons(found)


def test_a_file_that_is_no_notebook_is_listed(tmp_path: Path) -> None:
    put(tmp_path / "bob_01_bayes_rule.ipynb")
    put(tmp_path / "essay.docx", b"...")
    assert "essay.docx: it is not a notebook" in reasons(find(tmp_path, STEMS, limit=LIMIT))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no symbolic links")
def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt", b"not for grading")
    link = tmp_path / "class" / "ada_01_bayes_rule.ipynb"
    link.parent.mkdir()
    link.symlink_to(secret)
    submission = find(link.parent, STEMS, limit=LIMIT).submissions[0]
    with pytest.raises(SubmissionError, match="it is a symbolic link. Put the file itself there"):
        submission.read()


def test_a_place_that_does_not_exist_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is nothing at .*nowhere. Name a folder"):
        find(tmp_path / "nowhere", STEMS, limit=LIMIT)


def test_an_empty_folder_is_a_wrong_call_that_shows_the_layout(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no notebook in .*<student>/<assignment>/<assignment>.ipynb"):
        find(tmp_path, STEMS, limit=LIMIT)


def test_a_file_of_another_kind_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a folder, nor a notebook"):
        find(put(tmp_path / "essay.txt", b"hello"), STEMS, limit=LIMIT)


def test_a_name_that_would_leave_the_output_folder_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("ok\\..\\up_01_bayes_rule.ipynb", notebook())
    found = find(tmp_path / "class.zip", STEMS, limit=LIMIT)
    assert all("\\" not in student and "/" not in student for student, _ in owners(found))


MOODLE = "Ada Lovelace_657737_assignsubmission_file_"


@pytest.mark.parametrize(
    ("path", "student"),
    [
        (f"{MOODLE}/01_bayes_rule.ipynb", "Ada_Lovelace"),
        (f"{MOODLE}/01_bayes_rule/01_bayes_rule.ipynb", "Ada_Lovelace"),
        (f"{MOODLE}01_bayes_rule.ipynb", "Ada_Lovelace"),
        ("lovelaceada_4711_99001_01_bayes_rule-2.ipynb", "lovelaceada"),
        ("al815+01_bayes_rule+2026-10-12 18:00:00.000001 UTC+c2VjcmV0/01_bayes_rule.ipynb", "al815"),
        ("downloaded/01_bayes_rule/archive/ps1_al815_attempt_2026-10-12-15-00-00_01_bayes_rule.ipynb", "al815"),
    ],
)
def test_a_platforms_names_are_understood(tmp_path: Path, path: str, student: str) -> None:
    put(tmp_path / path)
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert owners(found) == [(student, "01_bayes_rule")] and not found.skipped and not found.missing


def test_a_student_who_is_told_by_a_platforms_name_is_a_repair(tmp_path: Path) -> None:
    put(tmp_path / MOODLE / "01_bayes_rule.ipynb")
    [submission] = find(tmp_path, STEMS, limit=LIMIT).submissions
    assert submission.repairs == ("the student is 'Ada_Lovelace' by the platform's name; there is no roster",)


def test_of_what_was_handed_in_twice_the_later_one_is_graded(tmp_path: Path) -> None:
    for day in (11, 12, 10):
        put(tmp_path / f"ada+01_bayes_rule+2026-10-{day} 20:00:00 UTC" / "01_bayes_rule.ipynb")
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert [submission.where.count("2026-10-12") for submission in found.submissions] == [1]
    assert reasons(found).count("ada has handed in 01_bayes_rule twice") == 2


def test_two_people_of_one_name_are_told(tmp_path: Path) -> None:
    put(tmp_path / MOODLE / "01_bayes_rule.ipynb")
    put(tmp_path / MOODLE.replace("657737", "657738") / "01_bayes_rule.ipynb")
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert len(found.submissions) == 1
    assert "two people called 'Ada Lovelace' (numbers 657737 and 657738)" in reasons(found)


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("group_1_2_a/01_bayes_rule/01_bayes_rule.ipynb", "group_1_2_a"),
        ("group_1_2_a/01_bayes_rule.ipynb", "group_1_2_a"),
        ("ada/01_bayes_rule/hoppergrace_4712_99_01_bayes_rule.ipynb", "ada"),
        ("ada/01_bayes_rule/Grace Hopper_1_assignsubmission_file_01_bayes_rule.ipynb", "ada"),
        ("ada/01_bayes_rule/x_grace_attempt_2026-10-12-15-00-00.ipynb", "ada"),
        ("01_bayes_rule_group-2.ipynb", "group-2"),
        ("01_bayes_rule (2).ipynb", "2"),
        ("01_bayes_rule.ipynb", "student"),
        ("01_bayes_rule/01_bayes_rule.ipynb", "01_bayes_rule"),
        ("submitted/01_bayes_rule.ipynb", "submitted"),
    ],
)
def test_where_nobody_is_asked_a_name_is_taken_as_it_is(tmp_path: Path, path: str, student: str) -> None:
    put(tmp_path / path)
    assert owners(find(tmp_path, STEMS, limit=LIMIT)) == [(student, "01_bayes_rule")]


def test_a_name_in_somebody_elses_folder_does_not_replace_their_own_work(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "zoe+01_bayes_rule+2030-01-01 00:00:00 UTC" / "01_bayes_rule.ipynb")
    own = put(tmp_path / "zoe" / "01_bayes_rule.ipynb")
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert [(one.student, one.where) for one in found.submissions] == [("zoe", str(own))]


def test_a_folder_of_flat_files_is_not_a_student_without_notebook(tmp_path: Path) -> None:
    put(tmp_path / "week 1" / "ada_01_bayes_rule.ipynb")
    found = find(tmp_path, STEMS, limit=LIMIT)
    assert owners(found) == [("ada", "01_bayes_rule")] and not found.skipped
