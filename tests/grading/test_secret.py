"""The course's secret: where it is looked for, how it is made, and who can see it."""

from __future__ import annotations

import os
import subprocess
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import minicourse
import pytest
from releasing import bundle
from sample_class import copy_course

from autograder.authoring import leaks, release
from autograder.cli import machine
from autograder.course import Course
from autograder.course.errors import AuthorError, UsageError
from autograder.grading.cluster import archive
from autograder.grading.seeds import secret

GIVEN = "a text that nobody can guess"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course without a secret, of which the environment says nothing either."""
    monkeypatch.delenv(secret.VARIABLE, raising=False)
    monkeypatch.delenv("CI", raising=False)
    return Course(tmp_path)


def put(course: Course, content: bytes, mode: int = 0o600) -> Path:
    path = secret.place(course)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_the_environment_comes_first_then_the_file(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    put(course, b"another text that nobody can guess\n")
    assert secret.find(course) == secret.Secret(b"another text that nobody can guess", str(secret.place(course)))
    monkeypatch.setenv(secret.VARIABLE, f"{GIVEN}\n")
    assert secret.find_or_make(course) == secret.Secret(GIVEN.encode(), secret.VARIABLE)


def test_a_secret_in_the_environment_that_is_too_short_is_refused(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(secret.VARIABLE, "123")
    with pytest.raises(UsageError, match="AUTOGRADER_SECRET in the environment is not a secret: it has 3 characters"):
        secret.find(course)
    monkeypatch.setenv(secret.VARIABLE, "one line of text\nand another one")
    with pytest.raises(UsageError, match="it is not one line of text. Set it to a text of at least 16 characters"):
        secret.find(course)


def test_an_empty_variable_is_none(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(secret.VARIABLE, "")
    assert secret.find(course) is None


@pytest.mark.parametrize("said", ["true", "1", "yes"])
def test_in_ci_none_is_made_and_one_that_is_there_is_used(
    course: Course, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("CI", said)
    assert secret.find_or_make(course) is None and not secret.place(course).parent.exists()
    put(course, GIVEN.encode())
    found = secret.find_or_make(course)
    assert found is not None and found.key == GIVEN.encode()


@pytest.mark.parametrize("said", ["", "false", "0"])
def test_where_a_person_grades_one_is_made_for_this_user_alone(
    course: Course, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("CI", said)
    made = secret.find_or_make(course)
    path = secret.place(course)
    assert made is not None and len(made.key) == 64 and made.where == str(path)
    assert f"made the course's secret in {path}" in made.remark and "Keep a copy" in made.remark
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    again = secret.find_or_make(course)
    assert again == secret.Secret(made.key, made.where)
    assert sorted(entry.name for entry in path.parent.iterdir()) == [".gitignore", "secret"]


def test_git_never_takes_it(course: Course) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=course.root, check=True)
    secret.find_or_make(course)
    (course.root / "README.md").write_text("x")
    subprocess.run(["git", "add", "--all"], cwd=course.root, check=True)
    listed = subprocess.run(["git", "ls-files"], cwd=course.root, check=True, capture_output=True, text=True)
    assert listed.stdout == "README.md\n"
    assert ".autograder/" in (Course.default().root / ".gitignore").read_text().splitlines()


def test_all_who_make_it_at_once_get_the_same(course: Course) -> None:
    count = 12
    together = threading.Barrier(count)

    def make(_: int) -> secret.Secret | None:
        together.wait()
        return secret.find_or_make(course)

    with ThreadPoolExecutor(count) as threads:
        found = list(threads.map(make, range(count)))
    assert len({one.key for one in found if one is not None}) == 1 and None not in found
    assert sum(bool(one.remark) for one in found if one is not None) == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it is empty"),
        (b"\n", "it is empty"),
        (b"123456789012345", "it has 15 characters, and at least 16 are needed"),
        (b"\xff\xfe" * 20, "it is not text"),
        (b"one line of text\nand another", "it is not one line of text"),
        (b"x" * 5000, "it has more than 1000 characters"),
    ],
)
def test_a_file_that_holds_no_secret_is_refused_and_left_alone(course: Course, content: bytes, problem: str) -> None:
    path = put(course, content)
    with pytest.raises(AuthorError, match=f"does not hold the course's secret: {problem}. Put it back from your copy"):
        secret.find_or_make(course)
    assert path.read_bytes() == content


def test_what_others_can_read_is_closed_to_them_and_said(course: Course) -> None:
    path = put(course, GIVEN.encode(), 0o644)
    found = secret.find(course)
    assert found is not None and "others could read the course's secret" in found.remark
    assert path.stat().st_mode & 0o777 == 0o600
    assert secret.find(course) == secret.Secret(GIVEN.encode(), str(path))


def test_a_file_system_without_links_holds_one_too(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    made = secret.find_or_make(course)
    assert made is not None and secret.find_or_make(course) == secret.Secret(made.key, made.where)
    assert secret.place(course).stat().st_mode & 0o777 == 0o600


def test_as_many_characters_as_allowed_may_have_several_bytes_each(course: Course) -> None:
    put(course, ("ü" * 1000).encode())
    found = secret.find(course)
    assert found is not None and found.key.decode() == "ü" * 1000


def test_where_nothing_can_be_written_the_words_say_what_to_do(course: Course) -> None:
    (course.root / secret.FOLDER).write_text("a file, where the folder should be")
    with pytest.raises(UsageError, match="is not a folder, .* Move it away, or set AUTOGRADER_SECRET to a text"):
        secret.find_or_make(course)


def test_a_folder_in_its_place_is_an_error_in_words(course: Course) -> None:
    secret.place(course).mkdir(parents=True)
    with pytest.raises(AuthorError, match="is not a file, and the course's secret should be there. Move it away"):
        secret.find(course)


def test_a_fingerprint_tells_secrets_apart_and_nothing_shows_one(course: Course) -> None:
    one, other = secret.Secret(b"1" * 16, "here"), secret.Secret(b"2" * 16, "here")
    assert len(one.fingerprint) == 12 and one.fingerprint != other.fingerprint
    assert "1111" not in repr(one) and "1111" not in one.fingerprint


def test_the_doctor_says_where_it_is_and_not_what_it_is(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> tuple[bool, str]:
        [finding] = [one for one in machine.examine(course) if one.layer == "secret"]
        return finding.good, f"{finding.words} {finding.remedy}"

    monkeypatch.setattr("sys.platform", "elsewhere")  # there, no isolation is tried
    assert said() == (True, f"none yet: the first `autograder grade` makes one in {secret.place(course)} ")
    put(course, GIVEN.encode())
    good, words = said()
    assert good and words.startswith(f"in {secret.place(course)}, fingerprint ") and GIVEN not in words
    put(course, GIVEN.encode(), 0o644)
    good, words = said()
    assert good and "others could read the course's secret" in words
    put(course, b"short")
    assert machine.verdict(machine.examine(course)).startswith("`autograder grade` will refuse until the secret can be")
    good, words = said()
    assert not good and "it has 5 characters" in words
    secret.place(course).unlink()
    monkeypatch.setenv("CI", "true")
    assert said()[1].startswith("none, and in CI none is made: hidden numbers are fixed")


# --- It leaves this side in no way ------------------------------------------------------------------------------------


@pytest.fixture
def with_secret(course: Course) -> Course:
    made = minicourse.make(course.root / "course")
    put(made, GIVEN.encode())
    return made


def test_no_release_bundle_or_archive_holds_it(with_secret: Course, tmp_path: Path) -> None:
    bundle(with_secret, tmp_path / "bundle.zip")
    with zipfile.ZipFile(tmp_path / "bundle.zip") as opened:
        packed = {name: opened.read(name) for name in opened.namelist()}
    copied = copy_course(tmp_path / "copy")
    put(copied, GIVEN.encode())
    sent = archive.pack(copied, copied.stems())
    contents = release.contents(with_secret, {})
    assert not any(secret.FOLDER in name for name in [*packed, *contents])
    everything = b"".join([*packed.values(), *contents.values(), sent.data])
    assert GIVEN.encode() not in everything and secret.FOLDER.encode() not in everything


def test_the_leak_scan_knows_it_and_does_not_show_it(with_secret: Course) -> None:
    found = leaks.scan(with_secret, {"data/README.md": f"It is {GIVEN}!".encode()})
    assert [leak.kind for leak in found] == ["the course's own secret"]
    assert GIVEN not in str(found[0])
