"""Python and the course in another user's home: who cannot read something there is told what, whose it is, and what to
do. Tried by a user without any rights, and by root, whose students have users of their own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from ordinary_user import NOBODY, environment_for_anyone, folder_of_nobody, run_as_nobody
from sample_class import REPOSITORY, STEM

from autograder.sandbox import permissions

SOMEBODY = 12345

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux"),
    pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as other users"),
]


@dataclass(frozen=True)
class Home:
    """The home of somebody who has the course and its environment there, and a folder of the user who grades."""

    path: Path
    mine: Path

    @property
    def packages(self) -> Path:
        return next((self.path / "environment" / "lib").glob("python*/site-packages"))

    @property
    def course(self) -> Path:
        return self.path / "course"

    def command(self, *arguments: str) -> list[str | Path]:
        return [self.path / "environment" / "bin" / "python", "-m", "autograder", *arguments]

    def try_as_nobody(self, *arguments: str) -> tuple[int, str]:
        """The exit code of our command and what it says, for a user without rights."""
        done = run_as_nobody(self.command(*arguments), self.mine, cwd=self.mine, PYTHONPATH=str(self.course))
        return done.returncode, done.stdout + done.stderr

    def try_as_root(self, *arguments: str) -> tuple[int, str]:
        environment = {name: os.environ[name] for name in ("PATH", "AUTOGRADER_SECRET")}
        environment |= {"HOME": str(self.mine), "PYTHONPATH": str(self.course)}
        done = subprocess.run(
            self.command(*arguments), cwd=self.mine, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    with folder_of_nobody() as mine:
        path = mine / "somebody"
        path.mkdir(mode=0o755)
        for name in ("autograder", "notebooks", "data", "solutions"):
            shutil.copytree(
                REPOSITORY.root / name, path / "course" / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for top, _, _ in os.walk(path):
            os.chmod(top, 0o755)
            os.chown(top, SOMEBODY, SOMEBODY)
        environment_for_anyone(path)
        submitted = mine / "submitted" / "ada" / STEM
        submitted.mkdir(parents=True)
        shutil.copy(REPOSITORY.released(STEM), submitted)
        yield Home(path, mine)


@contextmanager
def mode(path: Path, bits: int) -> Iterator[Path]:
    before = path.stat()
    os.chown(path, SOMEBODY, SOMEBODY)
    path.chmod(bits)
    try:
        yield path
    finally:
        path.chmod(before.st_mode & 0o777)
        os.chown(path, before.st_uid, before.st_gid)


GRADE = ("grade", "submitted", "--out", "graded", "--workers", "1", "--force")
ME = f"this user ({pwd.getpwuid(NOBODY).pw_name})"


def test_packages_that_an_ordinary_user_cannot_read_are_named_by_both_verbs(home: Home) -> None:
    with mode(home.packages / "matplotlib", 0o700) as closed:
        told = f"{closed} belongs to user {SOMEBODY} and has mode 700: {ME} may not look into it."
        remedy = f"Let user {SOMEBODY} run `chmod -R o+rX {closed}`, or install Python and the course where"
        code, said = home.try_as_nobody(*GRADE)
        assert code == 1 and f"{told} {remedy}" in said and "Traceback" not in said
        code, said = home.try_as_nobody("doctor")
        assert code == 0 and f"{told} {remedy}" in said and "namespaces:" not in said
        assert "`autograder grade` will refuse" in said


def test_checks_that_an_ordinary_user_cannot_read_are_named(home: Home) -> None:
    with mode(home.course / "notebooks" / "checks", 0o750) as closed:
        told = f"{closed} belongs to user {SOMEBODY} and has mode 750: {ME} may not look into it."
        code, said = home.try_as_nobody(*GRADE)
        assert code == 1 and told in said and "Traceback" not in said


@pytest.mark.parametrize("secret", ["solutions", "autograder/suites"])
def test_secrets_that_an_ordinary_user_cannot_read_are_named_and_nobody_is_told_to_open_them(
    home: Home, secret: str
) -> None:
    with mode(home.course / secret, 0o700) as closed:
        told = f"{closed} belongs to user {SOMEBODY} and has mode 700: {ME} may not "
        code, said = home.try_as_nobody(*GRADE)
        assert code == 1 and told in said and f"Run this as user {SOMEBODY}" in said
        assert "chmod" not in said and "Traceback" not in said
        code, said = home.try_as_nobody("doctor")
        assert told in said and f"Grade as user {SOMEBODY}, or with a copy" in said and "chmod" not in said
        assert "`autograder grade` cannot read all of the course." in said


def test_a_home_that_can_be_entered_but_not_listed_is_enough(home: Home) -> None:
    with mode(home.path, 0o711):
        code, said = home.try_as_nobody(*GRADE)
    assert code == 0 and "1 graded" in said, said


def test_root_is_told_what_the_users_of_students_cannot_read(home: Home) -> None:
    with mode(home.packages / "matplotlib", 0o700) as closed:
        told = (
            f"{closed} belongs to user {SOMEBODY} and has mode 700: student code, as user 64000, may not look into it"
        )
        for verb in (GRADE, ("doctor",)):
            said = home.try_as_root(*verb)[1]
            assert said.count(told) == 2  # once per kind of isolation
            assert f"`chmod -R o+rX {closed}`" in said


def test_the_outermost_folder_in_the_way_is_the_one_that_is_named(home: Home) -> None:
    with mode(home.course, 0o700), mode(home.course / "data", 0o700):
        obstacle = permissions.on_the_way(home.course / "data" / "penguins.csv", NOBODY)
    assert obstacle is not None and obstacle.path == str(home.course) and obstacle.lacking == "enter"
    assert obstacle.command == f"chmod o+x {home.course}"


def test_what_belongs_to_a_user_is_not_in_its_way(home: Home) -> None:
    with mode(home.course / "data", 0o700) as data:
        assert permissions.within(data, SOMEBODY) is None and permissions.within(data) is None  # root may read all
        assert str(permissions.within(home.course, NOBODY)).startswith(f"{data} belongs to user {SOMEBODY}")
