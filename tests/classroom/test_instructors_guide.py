"""docs/instructors.md, run from top to bottom: every command in it works, and says what the guide shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import postgresql
import pytest
from sample_course import STEM

from autograder.classroom import replying
from autograder.course import Course, catalogue, notebook, sources
from autograder.validity import samples

COURSE = Course.default()
GUIDE = COURSE.root / "docs" / "instructors.md"
SERVER = "db.example.org"
GROUP = "3fa9c1d2e4b5a697"  # its real name depends on the secret
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z")  # of a copy of the gradebook
BLOCK = re.compile(r"^```(console|toml|csv)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps() -> Iterator[tuple[str, str, list[str]]]:
    """The kind of each step, its text, and the lines that it shows: commands one by one, files as a whole."""
    for kind, text in BLOCK.findall(GUIDE.read_text(encoding="utf-8")):
        if kind != "console":
            yield kind, text, []
            continue
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield kind, command, [line.rstrip() for line in shown if line.strip()]


@pytest.fixture
def moodle(tmp_path: Path) -> Path:
    """The download that the guide speaks of: three students, one of whom has renamed the file and forgets the prior."""
    source = sources.read(COURSE.source(STEM))
    wrong = next(
        answer
        for answer in catalogue.read(COURSE.misconceptions(STEM)).answers
        if not answer.is_right and answer.exercise == "posterior"
    )
    works = {
        f"Ada Lovelace_101_assignsubmission_file_/{STEM}.ipynb": samples.reference(source),
        f"Grace Hopper_102_assignsubmission_file_/{STEM}.ipynb": samples.untouched(source),
        "John Tukey_103_assignsubmission_file_/homework final.ipynb": samples.with_answer(source, wrong),
    }
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as packed:
        for name, work in works.items():
            packed.writestr(name, notebook.dumps(work))
    return tmp_path


def run(command: str, folder: Path, **more: str) -> list[str]:
    """What a command says in a folder; it must succeed."""
    programs = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    environment = {**os.environ, "PATH": programs, "JUPYTER_CONFIG_DIR": os.devnull, **more}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    said = [line.rstrip() for line in done.stdout.replace("isolation: portable", "isolation: strong").splitlines()]
    return [line for line in said if line]


def test_the_guide_works_from_top_to_bottom(moodle: Path) -> None:
    commands = 0
    for kind, text, shown in steps():
        if GROUP in text or any(GROUP in line for line in shown):
            (group,) = replying.look(moodle / "autumn").groups
            text, shown = text.replace(GROUP, group.name), [line.replace(GROUP, group.name) for line in shown]
        if MOMENT.search(text) or MOMENT.search(" ".join(shown)):
            (copy,) = (moodle / "autumn" / "backups").iterdir()
            (moment,) = MOMENT.findall(copy.name)
            text, shown = MOMENT.sub(moment, text), [MOMENT.sub(moment, line) for line in shown]
        if "[[reply]]" in text:
            (moodle / "replies.toml").write_text(text)
        elif kind == "toml":
            (moodle / "autumn" / "course.toml").write_text(text)
        elif kind == "csv":
            (moodle / "autumn" / "students.csv").write_text(text)
        elif SERVER not in text:
            assert run(text, moodle) == shown, text
            commands += 1
    assert commands >= 12
    assert (
        (moodle / "report.html").exists()
        and (moodle / "canvas.csv").exists()
        and (moodle / "autumn" / "marks.csv").exists()
    )


def test_the_guides_course_on_postgresql_can_be_made(tmp_path: Path) -> None:
    found = [(text, shown) for _, text, shown in steps() if SERVER in text]
    with postgresql.started() as server:
        server.create("winter")
        for text, shown in found:
            assert (
                run(text.replace(SERVER, f"127.0.0.1:{server.port}"), tmp_path, PGPASSFILE=str(server.passfile))
                == shown
            )
    assert found and "postgresql+psycopg://teacher@" in (tmp_path / "winter" / "nbgrader_config.py").read_text()
