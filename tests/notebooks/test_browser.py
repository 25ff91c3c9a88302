"""A student's way through a notebook, in a real browser; and what assistive technology finds on it.

Skipped where no browser is installed. Steps wait for what the student would wait for: a text, an idle kernel.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import browsing
import minicourse
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from autograder.authoring import release, site
from autograder.course import Course

COURSE = Course.default()
if str(COURSE.notebooks) not in sys.path:
    sys.path.insert(0, str(COURSE.notebooks))

from checks import checking, handing_in, reading, rendering, running  # noqa: E402

THEMES = ["JupyterLab Dark", "JupyterLab Dark High Contrast", "JupyterLab Light"]
STEM = "01_bayes_rule"
WRONG = "def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):\n    return p_b_given_a"
RIGHT = """def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):
    p_a = np.asarray(p_a)
    return p_b_given_a * p_a / (p_b_given_a * p_a + p_b_given_not_a * (1 - p_a))"""


Scheme = Literal["light", "dark"]

CODE = """# every kind of word
import numpy as np
class Thing(ValueError):
    @property
    def half(self, x: int = 0x7) -> float:
        \'\'\'Half of it.\'\'\'
        return None if x not in [1.5, "a\\n"] and True else f"{x:>3}" @ print(-x) ** 2
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing.chromium() as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browsing.opened(browser) as page:
        yield page


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a JupyterLab in a folder with what students get, and that folder."""
    folder = tmp_path_factory.mktemp("student")
    for name, data in release.contents(COURSE, {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    with browsing.jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        yield f"{address}/lab/tree", folder


class Student:
    """Somebody at the keyboard, with the notebook open."""

    def __init__(self, page: Page, shots: Path) -> None:
        self.page, self.shots = page, shots

    def open(self, address: str) -> None:
        self.page.goto(f"{address}?reset", wait_until="domcontentloaded")  # without what was open here before
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_function(
            """path => {
                const shown = window.jupyterapp.shell.currentWidget;
                return shown?.context?.path === path && shown.context.isReady && shown.content.widgets.length > 0;
            }""",
            arg=address.split("/tree/")[1],
        )
        self.page.keyboard.press("Control+b")
        self.idle()

    def idle(self) -> None:
        """Wait until the status bar says that the kernel has nothing to do."""
        self.page.wait_for_function("document.querySelector('#jp-main-statusbar')?.innerText.includes('| Idle')")

    def go(self, cell: str) -> None:
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

    def type(self, cell: str, text: str) -> None:
        """Replace the content of a cell, and run it."""
        self.go(cell)
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        self.run(cell)

    def run(self, cell: str) -> None:
        self.go(cell)
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function("name => /\\[\\d+\\]/.test(window.cellOf(name).innerText)", arg=cell)
        self.idle()

    def reads(self, cell: str, words: str) -> None:
        """Wait until words appear in a cell."""
        self.page.wait_for_function(
            "([name, words]) => window.cellOf(name).innerText.includes(words)", arg=[cell, words]
        )

    def shot(self, name: str) -> None:
        self.page.screenshot(path=self.shots / f"{name}.png")


def test_a_student_runs_fails_reads_mends_passes_moves_a_slider_and_hands_in(
    page: Page, lab: tuple[str, Path], tmp_path: Path
) -> None:
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


def test_run_all_reaches_the_last_cell_and_a_check_reads_well_in_every_theme_and_untrusted(
    page: Page, lab: tuple[str, Path], tmp_path: Path
) -> None:
    address, folder = lab
    student = Student(page, tmp_path)
    student.open(f"{address}/notebooks/00_start_here.ipynb")
    student.go("percent-check")
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    student.reads("percent-check", "CheckFailed: percent: not attempted yet")
    student.reads("progress", "0 of 1 exercises pass their visible checks")
    student.reads("go-on", "Go on with notebook 1")

    student.type("percent", "def percent(part, whole):\n    return part / whole")
    student.run("percent-check")
    student.reads("percent-check", "Is a quarter 0.25 percent, or is it more?")
    for theme in THEMES:
        page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)
        student.go("percent-check")
        student.shot(theme.replace(" ", "-"))
        page.evaluate("window.cellOf('percent-check').querySelector('.jp-RenderedHTMLCommon').id = 'said'")
        found = Axe().run(page, context="#said")
        assert found.violations_count == 0, f"{theme}: {found.generate_report()}"

    page.keyboard.press("Control+s")
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    shown = (folder / "notebooks" / "00_start_here.ipynb").read_text()
    (folder / "notebooks" / "copied.ipynb").write_text(
        shown.replace("Good to know", "Nice to know")
    )  # signed by nobody
    student.open(f"{address.replace('/lab/', '/lab/workspaces/other/')}/notebooks/copied.ipynb")
    student.go("percent-check")
    said = "window.jupyterapp.shell.currentWidget.content.activeCell.model"
    assert page.evaluate(f"[{said}.id, {said}.trusted]") == ["percent-check", False]
    student.reads("percent-check", "percent: not right yet")
    student.reads("percent-check", "came back: 0.25\nexpected: 25")
    student.reads("percent-check", "Is a quarter 0.25 percent, or is it more?")
    student.shot("untrusted")


def reports() -> Iterator[rendering.Report | rendering.InWords]:
    """What checks show: everything right, wrong with a question, an error, a stub, the progress, a hand-in."""

    def stub(prior: object, likelihood: object) -> None:
        raise NotImplementedError

    answers = [lambda p, q: p * q / (p * q).sum(), lambda p, q: q, lambda p, q: p["x"], stub]
    asked = [check for check in checking.load(STEM) if check.exercise == "posterior"]
    for answer in answers:
        outcomes = tuple(running.examine(check, {"posterior": answer}) for check in asked)
        yield rendering.report_on("posterior", outcomes)
        yield rendering.progress({"posterior": outcomes}, {"posterior": 3})
    notebook = reading.Notebook(Path("x"), b"", STEM, (), {"posterior": 3})
    yield rendering.InWords("A line that rises.")
    yield handing_in.HandedIn(
        notebook, handing_in.FreshStart({"posterior": "not right yet"}), Path("y"), ("Sent.",)
    ).report()


@pytest.mark.parametrize("colours", ["background: white; color: black", "background: #111; color: white"])
def test_axe_finds_no_fault_in_what_checks_show(page: Page, colours: str) -> None:
    shown = "".join(report._repr_html_() for report in reports())
    page.set_content(
        f'<!doctype html><html lang="en"><head><title>Checks</title></head><body style="{colours}">'
        f"<main><h1>Checks</h1>{shown}</main></body></html>"
    )
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_the_pages_of_the_site(browser: Browser, scheme: Scheme, tmp_path: Path) -> None:
    course = minicourse.make(tmp_path / "course")
    more = minicourse.code("more", CODE)
    minicourse.edit(course, "01_mini", new=more)
    release.release(course, unvalidated=True)
    (tmp_path / "mathjax.js").write_text("")
    page = browser.new_page(color_scheme=scheme)
    for name in site.build(course, tmp_path / "site", mathjax=tmp_path / "mathjax.js")[:2]:
        page.goto((tmp_path / "site" / name).as_uri())
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    page.close()


def test_axe_does_find_faults(page: Page) -> None:
    page.set_content('<html><body><p style="color: #ccc; background: white">pale</p><img src="x.png"></body></html>')
    assert {"image-alt", "color-contrast"} <= {fault["id"] for fault in Axe().run(page).response["violations"]}
