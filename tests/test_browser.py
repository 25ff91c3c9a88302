"""A student's way through a notebook, in a real browser; and what assistive technology finds on it.

Skipped where no browser is installed. Steps wait for what the student would wait for: a text, an idle kernel.
"""

import contextlib
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import minicourse
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, sync_playwright

from autograder import release, site
from autograder.course import Course

COURSE = Course.default()
if str(COURSE.notebooks) not in sys.path:
    sys.path.insert(0, str(COURSE.notebooks))

from checks import checking, handing_in, rendering, running  # noqa: E402

QUIET = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()
QUIET += ["--disable-component-update", "--disable-sync"]
SECONDS = 60
STEM = "01_bayes_rule"
WRONG = "def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):\n    return p_b_given_a"
RIGHT = """def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):
    p_a = np.asarray(p_a)
    return p_b_given_a * p_a / (p_b_given_a * p_a + p_b_given_not_a * (1 - p_a))"""


CODE = """# every kind of word
import numpy as np
class Thing(ValueError):
    @property
    def half(self, x: int = 0x7) -> float:
        \'\'\'Half of it.\'\'\'
        return None if x not in [1.5, "a\\n"] and True else f"{x:>3}" @ print(-x) ** 2
"""


@pytest.fixture(scope="module")
def browser():
    """Chromium, Debian's or Playwright's own, with a new and empty profile."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=found, args=QUIET)
        except Error as reason:
            pytest.skip(f"no browser is installed: {str(reason).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(SECONDS * 1000)
    yield page
    page.close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab in a folder with what students get, and that folder."""
    folder = tmp_path_factory.mktemp("student")
    for name, data in release.contents(COURSE, {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0"]
    command += [f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True"]
    environment = os.environ | {"HOME": str(home), "JUPYTER_CONFIG_DIR": str(home / "jupyter"), "IPYTHONDIR": str(home)}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", server, home / "log")
        yield f"http://127.0.0.1:{port}/lab/tree", folder
    finally:
        server.terminate()
        server.wait(SECONDS)


def _wait_for(address, server, log):
    """Ask until JupyterLab answers; between two questions, wait for it to break down."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            return urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(0.2)
                break
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")


class Student:
    """Somebody at the keyboard, with the notebook open."""

    def __init__(self, page, shots):
        self.page, self.shots = page, shots

    def open(self, address):
        self.page.goto(address, wait_until="domcontentloaded")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.keyboard.press("Control+b")
        self.idle()

    def idle(self):
        """Wait until the status bar says that the kernel has nothing to do."""
        self.page.wait_for_function("document.querySelector('#jp-main-statusbar')?.innerText.includes('| Idle')")

    def go(self, cell):
        """Select a cell by its name, and see it."""
        self.page.evaluate(
            """async name => {
                const book = window.jupyterapp.shell.currentWidget.content;
                const index = [...book.model.cells].findIndex(cell => cell.id === name);
                book.mode = 'command';
                book.activeCellIndex = index;
                await book.scrollToItem(index, 'center');
                book.activate();
                window.cellOf = name => book.widgets[[...book.model.cells].findIndex(cell => cell.id === name)].node;
            }""",
            cell,
        )
        self.page.wait_for_function("name => window.cellOf(name).classList.contains('jp-mod-active')", arg=cell)

    def type(self, cell, text):
        """Replace the content of a cell, and run it."""
        self.go(cell)
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        self.run(cell)

    def run(self, cell):
        self.go(cell)
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function("name => /\\[\\d+\\]/.test(window.cellOf(name).innerText)", arg=cell)
        self.idle()

    def reads(self, cell, words):
        """Wait until words appear in a cell."""
        self.page.wait_for_function("([name, words]) => window.cellOf(name).innerText.includes(words)", arg=[cell, words])

    def shot(self, name):
        self.page.screenshot(path=self.shots / f"{name}.png")


def test_a_student_runs_fails_reads_mends_passes_moves_a_slider_and_hands_in(page, lab, tmp_path):
    address, folder = lab
    student = Student(page, tmp_path)
    student.open(f"{address}/notebooks/{STEM}.ipynb")
    student.run("setup")
    student.shot("1-open")

    student.run("bayes-binary")
    student.run("bayes-binary-check")
    student.reads("bayes-binary-check", "bayes_binary: not attempted yet")
    student.type("bayes-binary", WRONG)
    student.run("bayes-binary-check")
    student.reads("bayes-binary-check", "Is this P(B | A) or P(A | B)?")
    student.reads("bayes-binary-check", "expected: 0.173913")
    student.shot("2-fails")

    student.type("bayes-binary", RIGHT)
    student.run("bayes-binary-check")
    student.reads("bayes-binary-check", "bayes_binary: all visible checks pass")
    student.shot("3-passes")

    student.run("prior-curves")
    student.run("prior-slider")
    slider = page.locator(".widget-inline-hbox", has=page.locator("label", has_text="prior"))
    slider.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    slider.get_by_text("0.06").wait_for()
    words = page.locator("details", has_text="A likelihood ratio of 4 takes the prior 0.06 to the posterior 0.203.")
    words.get_by_text("Figure in words").click()
    words.locator("p").wait_for()
    student.shot("4-slider")

    student.go("progress")
    page.keyboard.press("b")
    page.wait_for_function("window.jupyterapp.shell.currentWidget.content.activeCell.model.id !== 'progress'")
    last = page.evaluate("window.jupyterapp.shell.currentWidget.content.activeCell.model.id")
    student.type(last, "checks.hand_in()")
    student.reads(last, "NotHandedIn: what ran here as `bayes_binary` is not what 01_bayes_rule.ipynb holds on disk.")
    student.reads(last, "Save the notebook (Ctrl+S")
    student.shot("5-not-saved")
    assert not (folder / "notebooks" / "hand_in").exists()

    page.keyboard.press("Control+s")
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    student.run(last)
    student.reads(last, f"{STEM}: handed in; 1 of 6 exercises pass")
    student.shot("6-handed-in")
    copy = folder / "notebooks" / "hand_in" / f"{STEM}.ipynb"
    receipt = json.loads(copy.with_suffix(".receipt.json").read_text())
    assert receipt["sha256"] == hashlib.sha256(copy.read_bytes()).hexdigest()
    assert RIGHT in "".join("".join(cell["source"]) for cell in json.loads(copy.read_text())["cells"])


def reports():
    """What checks show: everything right, wrong with a question, an error, a stub, the progress, a hand-in."""

    def stub(prior, likelihood):
        raise NotImplementedError

    answers = [lambda p, q: p * q / (p * q).sum(), lambda p, q: q, lambda p, q: p["x"], stub]
    asked = [check for check in checking.load(STEM) if check.exercise == "posterior"]
    for answer in answers:
        outcomes = tuple(running.examine(check, {"posterior": answer}) for check in asked)
        yield rendering.report_on("posterior", outcomes)
        yield rendering.progress({"posterior": outcomes}, {"posterior": 3})
    notebook = handing_in.Notebook(Path("x"), b"", STEM, (), {"posterior": 3})
    yield rendering.InWords("A line that rises.")
    yield handing_in.HandedIn(notebook, handing_in.FreshStart({"posterior": "not right yet"}), Path("y"), ("Sent.",)).report()


@pytest.mark.parametrize("colours", ["background: white; color: black", "background: #111; color: white"])
def test_axe_finds_no_fault_in_what_checks_show(page, colours):
    shown = "".join(report._repr_html_() for report in reports())
    page.set_content(
        f'<!doctype html><html lang="en"><head><title>Checks</title></head><body style="{colours}">'
        f"<main><h1>Checks</h1>{shown}</main></body></html>"
    )
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_the_pages_of_the_site(browser, scheme, tmp_path):
    course = minicourse.make(tmp_path / "course")
    more = minicourse.code("more", CODE)
    minicourse.edit(course, "01_mini", new=more)
    release.release(course)
    (tmp_path / "mathjax.js").write_text("")
    page = browser.new_page(color_scheme=scheme)
    for name in site.build(course, tmp_path / "site", mathjax=tmp_path / "mathjax.js")[:2]:
        page.goto((tmp_path / "site" / name).as_uri())
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    page.close()


def test_axe_does_find_faults(page):
    page.set_content('<html><body><p style="color: #ccc; background: white">pale</p><img src="x.png"></body></html>')
    assert {"image-alt", "color-contrast"} <= {fault["id"] for fault in Axe().run(page).response["violations"]}
