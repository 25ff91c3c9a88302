"""docs/instructors.md, run from top to bottom: every command in it works, and says what the guide shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import notebook, samples
from autograder.course import Course
from autograder.diagnosis import load_catalogue
from semester import STEM

COURSE = Course.default()
GUIDE = COURSE.root / "docs" / "instructors.md"
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
    source = notebook.read_source(COURSE.source(STEM))
    wrong = next(answer for answer in load_catalogue(COURSE.misconceptions(STEM)) if not answer.is_right and answer.exercise == "posterior")
    works = {
        f"Ada Lovelace_101_assignsubmission_file_/{STEM}.ipynb": samples.reference(source),
        f"Grace Hopper_102_assignsubmission_file_/{STEM}.ipynb": samples.untouched(source),
        "John Tukey_103_assignsubmission_file_/homework final.ipynb": samples.with_answer(source, wrong),
    }
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as packed:
        for name, work in works.items():
            packed.writestr(name, notebook.dumps(work))
    return tmp_path


def test_the_guide_works_from_top_to_bottom(moodle: Path) -> None:
    programs = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    environment = {**os.environ, "PATH": programs, "JUPYTER_CONFIG_DIR": os.devnull}
    commands = 0
    for kind, text, shown in steps():
        if kind == "toml":
            (moodle / "autumn" / "course.toml").write_text(text)
        elif kind == "csv":
            (moodle / "autumn" / "students.csv").write_text(text)
        else:
            done = subprocess.run(["bash", "-c", text], cwd=moodle, env=environment, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, f"{text}\n{done.stderr}"
            said = [line.rstrip() for line in done.stdout.replace("isolation: portable", "isolation: strong").splitlines()]
            assert [line for line in said if line] == shown, text
            commands += 1
    assert commands >= 12
    assert (moodle / "report.html").exists() and (moodle / "canvas.csv").exists() and (moodle / "autumn" / "marks.csv").exists()
