"""What is found in a folder, a notebook or a zip, and what is said about the rest."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from autograder.course.errors import SubmissionError, UsageError
from autograder.grading.submissions import Collected, collect

STEMS = ("01_bayes_rule", "02_maximum_likelihood")
LIMIT = 1 << 20


def notebook(stem: str | None = None) -> bytes:
    metadata = {} if stem is None else {"course": {"stem": stem}}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": [], "execution_count": None}
    return json.dumps({"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def put(path: Path, content: bytes | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook() if content is None else content)
    return path


def owners(collected: Collected) -> list[tuple[str, str]]:
    return [(submission.student, submission.assignment) for submission in collected.submissions]


def reasons(collected: Collected) -> str:
    return "\n".join(f"{entry.where}: {entry.reason}" for entry in collected.skipped)


def test_nbgraders_layout_names_student_and_assignment(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule.ipynb")
    put(tmp_path / "bob" / "02_maximum_likelihood" / "02_maximum_likelihood.ipynb")
    assert owners(collect(tmp_path, STEMS, limit=LIMIT)) == [("ada", "01_bayes_rule"), ("bob", "02_maximum_likelihood")]


def test_a_flat_folder_takes_the_student_from_the_file_name(tmp_path: Path) -> None:
    put(tmp_path / "ada_01_bayes_rule.ipynb")
    put(tmp_path / "02_maximum_likelihood - bob.ipynb")
    assert owners(collect(tmp_path, STEMS, limit=LIMIT)) == [("ada", "01_bayes_rule"), ("bob", "02_maximum_likelihood")]


def test_a_renamed_notebook_is_recognised_by_its_metadata(tmp_path: Path) -> None:
    put(tmp_path / "ada.ipynb", notebook("01_bayes_rule"))
    collected = collect(tmp_path, STEMS, limit=LIMIT)
    assert owners(collected) == [("ada", "01_bayes_rule")]
    assert "recognised as 01_bayes_rule by its content" in collected.submissions[0].repairs[0]


def test_a_renamed_notebook_in_the_assignments_folder_is_taken(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "01_bayes_rule" / "final version.ipynb")
    collected = collect(tmp_path, STEMS, limit=LIMIT)
    assert owners(collected) == [("ada", "01_bayes_rule")]
    assert "was taken for 01_bayes_rule.ipynb" in collected.submissions[0].repairs[0]


def test_the_rightly_named_file_wins_over_a_copy(tmp_path: Path) -> None:
    right = put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule.ipynb")
    put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule-Copy1.ipynb")
    collected = collect(tmp_path, STEMS, limit=LIMIT)
    assert [submission.where for submission in collected.submissions] == [str(right)]
    assert "handed in 01_bayes_rule twice" in reasons(collected)


def test_a_single_notebook_in_its_place_belongs_to_the_student_of_the_folder(tmp_path: Path) -> None:
    path = put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule.ipynb")
    assert owners(collect(path, STEMS, limit=LIMIT)) == [("ada", "01_bayes_rule")]


def test_a_zip_is_read_like_a_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("ada/01_bayes_rule/01_bayes_rule.ipynb", notebook())
        archive.writestr("__MACOSX/ada/01_bayes_rule/._01_bayes_rule.ipynb", b"junk")
    collected = collect(tmp_path / "class.zip", STEMS, limit=LIMIT)
    assert owners(collected) == [("ada", "01_bayes_rule")]
    assert collected.submissions[0].read() == notebook()


def test_a_zip_entry_that_leads_out_is_skipped(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("../ada/01_bayes_rule/01_bayes_rule.ipynb", notebook())
    collected = collect(tmp_path / "class.zip", STEMS, limit=LIMIT)
    assert not collected.submissions
    assert "leads out of the zip" in reasons(collected)


def test_a_zip_entry_never_unpacks_to_more_than_the_limit(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/01_bayes_rule/01_bayes_rule.ipynb", b" " * (LIMIT * 50))
    submission = collect(tmp_path / "class.zip", STEMS, limit=LIMIT).submissions[0]
    with pytest.raises(SubmissionError, match="larger than 1 MiB. Clear the outputs"):
        submission.read()


def test_a_student_without_a_notebook_is_missing(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "01_bayes_rule" / "01_bayes_rule.ipynb")
    (tmp_path / "bob" / "01_bayes_rule").mkdir(parents=True)
    (tmp_path / "eve").mkdir()
    collected = collect(tmp_path, STEMS, limit=LIMIT)
    assert collected.missing == (("bob", "01_bayes_rule"),)
    assert "eve: this student's folder holds no notebook" in reasons(collected)


def test_a_notebook_of_another_course_is_skipped_with_advice(tmp_path: Path) -> None:
    put(tmp_path / "ada.ipynb")
    put(tmp_path / "bob_01_bayes_rule.ipynb")
    collected = collect(tmp_path, STEMS, limit=LIMIT)
    assert owners(collected) == [("bob", "01_bayes_rule")]
    assert "belongs to no known assignment (01_bayes_rule, 02_maximum_likelihood). Rename it" in reasons(collected)


def test_broken_json_under_an_unknown_name_does_not_stop_the_others(tmp_path: Path) -> None:
    put(tmp_path / "ada.ipynb", b"{")
    put(tmp_path / "bob_01_bayes_rule.ipynb")
    collected = collect(tmp_path, STEMS, limit=LIMIT)
    assert owners(collected) == [("bob", "01_bayes_rule")]
    assert "is not JSON" in reasons(collected)


def test_a_file_that_is_no_notebook_is_listed(tmp_path: Path) -> None:
    put(tmp_path / "bob_01_bayes_rule.ipynb")
    put(tmp_path / "essay.docx", b"...")
    assert "essay.docx: it is no notebook" in reasons(collect(tmp_path, STEMS, limit=LIMIT))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no symbolic links")
def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt", b"not for grading")
    link = tmp_path / "class" / "ada_01_bayes_rule.ipynb"
    link.parent.mkdir()
    link.symlink_to(secret)
    submission = collect(link.parent, STEMS, limit=LIMIT).submissions[0]
    with pytest.raises(SubmissionError, match="it is a symbolic link. Put the file itself there"):
        submission.read()


def test_a_place_that_does_not_exist_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is nothing at .*nowhere. Name a folder"):
        collect(tmp_path / "nowhere", STEMS, limit=LIMIT)


def test_an_empty_folder_is_a_wrong_call_that_shows_the_layout(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no notebook in .*<student>/<assignment>/<assignment>.ipynb"):
        collect(tmp_path, STEMS, limit=LIMIT)


def test_a_file_of_another_kind_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a folder, nor a notebook"):
        collect(put(tmp_path / "essay.txt", b"hello"), STEMS, limit=LIMIT)


def test_a_name_that_would_leave_the_output_folder_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("ok\\..\\up_01_bayes_rule.ipynb", notebook())
    collected = collect(tmp_path / "class.zip", STEMS, limit=LIMIT)
    assert all("\\" not in student and "/" not in student for student, _ in owners(collected))
