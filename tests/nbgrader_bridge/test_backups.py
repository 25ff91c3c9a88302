"""Copies of a gradebook: when one is made, what it is called, who can read it, and which ones stay."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from small_gradebook import give, make, scores

from autograder.nbgrader_bridge import backups, copies


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("first") / "gradebook.db")


@pytest.fixture
def book(first: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(first, tmp_path))


def keep(book: Path, **more: object) -> str:
    return backups.keep(f"sqlite:///{book}", **more)  # type: ignore[arg-type]


def test_a_copy_has_all_marks_a_date_and_one_reader(book: Path) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    words = keep(book)
    (copy,) = (book.parent / "backups").iterdir()
    assert words == f"The gradebook as it was before is in {copy}."
    assert scores(copy) == [3, 2] == scores(book)
    assert copies.path(book, before) <= copy <= copies.path(book, datetime.now(UTC))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600 and stat.S_IMODE(copy.parent.stat().st_mode) == 0o700


def test_what_has_not_changed_is_not_copied_again(book: Path) -> None:
    assert keep(book) == keep(book)
    give(book, 1)
    keep(book)
    assert [scores(copy) for copy in copies.existing(book)] == [[1, 1], [3, 2]]


def test_ten_copies_stay_and_what_is_not_ours_is_left_alone(book: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    elsewhere = Path(shutil.copy(book, tmp_path / "elsewhere.db"))
    (folder / "gradebook-2020-01-01T00-00-00.000Z.db").symlink_to(elsewhere)
    (folder / "gradebook-2020-01-02T00-00-00.000Z.db").mkdir()
    for name in ("gradebook-before-the-exam.db", "gradebook-2020-01-01T00-00-00.000Z.db.gz", "notes.txt", ".hidden"):
        (folder / name).write_text("mine")
    shutil.copy(book, folder / "other-2020-01-01T00-00-00.000Z.db")
    foreign = set(folder.iterdir())
    for number in range(13):
        give(book, number / 4)
        keep(book)
    assert [scores(copy)[0] * 4 for copy in copies.existing(book)] == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]
    assert set(folder.iterdir()) == foreign | set(copies.existing(book))
    assert scores(elsewhere) == [3, 2]


def test_a_copy_is_kept_although_the_clock_goes_wrong(book: Path) -> None:
    (book.parent / "backups").mkdir()
    for day in range(10, 22):
        give(book, day)
        shutil.copy(book, book.parent / "backups" / f"gradebook-2999-01-{day}T00-00-00.000Z.db")
    give(book, 3.5)
    words = keep(book)
    (made,) = [copy for copy in copies.existing(book) if "-2999-" not in copy.name]
    assert str(made) in words and len(copies.existing(book)) == 10


def test_copies_of_one_moment_have_names_of_their_own(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime(2026, 11, 19, 4, 30, 12, 999_500, tzinfo=UTC)

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return now

    monkeypatch.setattr(backups, "datetime", Stopped)
    for number in range(3):
        give(book, number)
        keep(book)
    names = [f"gradebook-2026-11-19T04-30-{end}Z.db" for end in ("13.001", "13.000", "12.999")]
    assert [copy.name for copy in copies.existing(book)] == names
    assert [scores(copy)[0] for copy in copies.existing(book)] == [2, 1, 0]


def test_where_there_are_no_marks_there_is_nothing_to_keep(tmp_path: Path) -> None:
    book = make(tmp_path / "gradebook.db", scores=())
    assert keep(book) == "" and keep(tmp_path / "none.db") == ""
    assert {path.name for path in tmp_path.iterdir()} == {"gradebook.db"}
    assert "backups" in keep(book, of=backups.PEOPLE)


def test_single_submissions_do_not_push_out_the_copies_of_last_week(book: Path) -> None:
    hour = timedelta(hours=1)
    assert keep(book, every=hour)
    for number in range(5):
        give(book, number)
        assert keep(book, every=hour) == ""
    assert len(copies.existing(book)) == 1
    (copy,) = copies.existing(book)
    copy.rename(copies.path(book, datetime.now(UTC) - 2 * hour))
    assert keep(book, every=hour)


def test_marks_that_are_not_in_the_main_file_yet_are_copied(book: Path) -> None:
    with closing(sqlite3.connect(book)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("UPDATE grade SET auto_score = 1.5")
        writer.commit()
        keep(book)
        (copy,) = copies.existing(book)
        assert scores(copy) == [1.5, 1.5]
        assert {path.name for path in copy.parent.iterdir()} <= {copy.name, f"{copy.name}-wal", f"{copy.name}-shm"}


def test_a_file_system_without_hard_links_has_copies_too(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    for number in range(3):
        give(book, number)
        keep(book)
    assert [scores(copy)[0] for copy in copies.existing(book)] == [2, 1, 0]
    assert len(list((book.parent / "backups").iterdir())) == 3


def test_a_gradebook_on_a_server_is_not_said_to_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.nbgrader_bridge.connecting.holds", lambda url, tables: True)
    assert "No copy of the gradebook is made" in backups.keep("postgresql+psycopg://ada@host/grades")
