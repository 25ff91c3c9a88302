"""A student's text in an instructor's browser: no page of an autograded notebook asks anything of another machine.

Skipped where no browser is installed.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import browsing
import loading
import pytest
from loading import Listener
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell
from playwright.sync_api import Browser, Page
from sample_course import LIMITS, REPOSITORY, STEM, copy_course

from autograder.classroom import nbgrader_course
from autograder.course import notebook, sources
from autograder.grading.grade import Options, grade
from autograder.validity import samples

LAST = "The last of them: $x^2$"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing.chromium() as started:
        yield started


@pytest.fixture
def listener() -> Iterator[Listener]:
    with loading.listening() as started:
        yield started


def hostile_cells(listener: Listener) -> list[object]:
    texts = [f"Vector {number}\n\n{text}" for number, text in enumerate(loading.vectors(listener.host))]
    raw = new_raw_cell(
        f"<img src='http://{listener.host}/vector-{len(texts)}-a.png'>", metadata={"raw_mimetype": "text/html"}
    )
    return [*map(new_markdown_cell, texts), raw, new_markdown_cell(LAST)]


@pytest.fixture
def autumn(browser: Browser, listener: Listener, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of nbgrader with eve's submission, graded by nbgrader; what `grade --full` makes of it is in `full`."""
    course = copy_course(tmp_path_factory.mktemp("course") / "repository")
    root = tmp_path_factory.mktemp("nbgrader") / "autumn"
    nbgrader_course.build(course, root)
    with (root / "course.toml").open("a") as policy:
        policy.write(LIMITS)
    eve = samples.untouched(sources.read(course.source(STEM)))
    eve.cells[:0] = hostile_cells(listener)
    eve.metadata.widgets = {"application/vnd.jupyter.widget-state+json": {"state": {}, "version_major": 2}}
    notebook.write(eve, root / "submitted" / "eve" / STEM / f"{STEM}.ipynb")
    grade(course, root / "submitted", Options(out=root / "full", full=True))
    autograde(root, STEM)
    return root


@pytest.fixture
def other(browser: Browser, listener: Listener, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of somebody else, set up as the guide says, with eve's submission, graded by nbgrader."""
    root = tmp_path_factory.mktemp("other") / "course"
    guide = (REPOSITORY.root / "docs" / "instructors.md").read_text(encoding="utf-8")
    lines = guide.split("```python\n", 1)[1].split("```", 1)[0]  # as an instructor would copy them
    told = {"schema_version": 3, "locked": True, "task": False, "grade": True, "solution": False}
    test = new_code_cell("assert True", metadata={"nbgrader": {**told, "points": 1, "grade_id": "test"}})
    (root / "source" / "ps1").mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(f'c = get_config()\nc.CourseDirectory.course_id = "other"\n{lines}')
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook.write(new_notebook(cells=[test], metadata=metadata), root / "source" / "ps1" / "ps1.ipynb")
    nbgrader(root, "generate_assignment", "ps1")
    eve = notebook.read(root / "release" / "ps1" / "ps1.ipynb")
    eve.cells[:0] = hostile_cells(listener)
    notebook.write(eve, root / "submitted" / "eve" / "ps1" / "ps1.ipynb")
    autograde(root, "ps1")
    return root


def autograde(root: Path, assignment: str) -> None:
    nbgrader(root, "autograde", assignment)


def nbgrader(root: Path, *arguments: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "JUPYTER_CONFIG_DIR": str(root / ".jupyter")}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@contextmanager
def whole_notebooks(folder: Path, home: Path) -> Iterator[str]:
    """The address of a JupyterLab that renders every cell at once, as if somebody had scrolled through all of them."""
    settings = home / "jupyter" / "lab" / "user-settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')
    with browsing.jupyterlab(folder, home) as address:
        yield address


class Visitor:
    """Somebody who opens a notebook, and the addresses that its page asked for."""

    def __init__(self, browser: Browser, lab: str) -> None:
        self.lab = lab
        self.asked: list[str] = []
        self.page: Page = browser.new_page(viewport={"width": 1280, "height": 4000})
        self.page.set_default_timeout(browsing.SECONDS * 1000)
        self.page.on("request", lambda request: self.asked.append(request.url))

    def open_in_jupyterlab(self, file: str) -> None:
        self.page.goto(f"{self.lab}/lab/tree/{file}", wait_until="domcontentloaded")
        self.page.locator(".jp-MarkdownCell", has_text="The last of them").locator("mjx-container").first.wait_for(
            state="attached"
        )
        self.settle()

    def open_in_formgrader(self, root: Path) -> None:
        with closing(sqlite3.connect(root / "gradebook.db")) as book:
            ((name,),) = book.execute("SELECT id FROM submitted_notebook").fetchall()
        self.page.goto(f"{self.lab}/formgrader/submissions/{name}/", wait_until="load")
        self.page.get_by_text("The last of them").first.wait_for()
        self.settle()

    def settle(self) -> None:
        """Wait until the page has nothing more to do: what it wanted to load, it has asked for."""
        self.page.evaluate("() => new Promise(done => requestIdleCallback(() => requestIdleCallback(done)))")

    def elsewhere(self) -> list[str]:
        return [url for url in self.asked if not url.startswith((self.lab, "data:", "blob:"))]


def test_no_page_of_this_course_asks_anything_of_another_machine(
    browser: Browser, listener: Listener, autumn: Path, tmp_path: Path
) -> None:
    with whole_notebooks(autumn, tmp_path) as lab:
        for file in (f"full/autograded/eve/{STEM}/{STEM}.ipynb", f"autograded/eve/{STEM}/{STEM}.ipynb"):
            assert (autumn / file).is_file()
            visitor = Visitor(browser, lab)
            visitor.open_in_jupyterlab(file)
            visitor.page.screenshot(path=tmp_path / f"{file.split('/', 1)[0]}.png")
            assert visitor.elsewhere() == []
        visitor = Visitor(browser, lab)
        visitor.open_in_formgrader(autumn)
        visitor.page.screenshot(path=tmp_path / "formgrader.png")
        assert visitor.elsewhere() == [] and listener.asked == []

        visitor = Visitor(browser, lab)  # as it was handed in, so that we know that the vectors are alive
        visitor.page.goto(f"{lab}/lab/tree/submitted/eve/{STEM}/{STEM}.ipynb", wait_until="domcontentloaded")
        while len(listener.numbers) <= 25:
            visitor.page.wait_for_event("request")


def test_no_page_of_another_course_asks_anything_of_another_machine(
    browser: Browser, listener: Listener, other: Path, tmp_path: Path
) -> None:
    with whole_notebooks(other, tmp_path) as lab:
        visitor = Visitor(browser, lab)
        visitor.open_in_jupyterlab("autograded/eve/ps1/ps1.ipynb")
        visitor.open_in_formgrader(other)
        visitor.page.screenshot(path=tmp_path / "formgrader.png")
        assert visitor.elsewhere() == [] and listener.asked == []
