"""An instructor's way through formgrader, in a real browser: grade, look, mark and comment by hand, make feedback.

Skipped where no browser is installed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import browsing
import pytest
from playwright.sync_api import Browser, Frame, Locator, Page
from sample_course import LIMITS, STEM, copy_course

from autograder.classroom import nbgrader_course, replying
from autograder.course import Course, catalogue, notebook, sources
from autograder.validity import samples

ELSEWHERE = "http://192.0.2.1"  # an address that is nobody's
HOSTILE = f"""Because **priors** matter: $a < \\text{{<img src=x onerror="window.hacked = 1">}}$

<script>window.hacked = 2</script> <img src="x" onerror="window.hacked = 3"> <svg onload="window.hacked = 4"></svg>

<img src="{ELSEWHERE}/counted.png"> ![](//192.0.2.1/counted.png) <iframe src="{ELSEWHERE}"></iframe>

<a href="javascript:window.hacked = 5" id="posterior-check">a link</a> <style>body {{ display: none }}</style>
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing.chromium() as started:
        yield started


@pytest.fixture(scope="module")
def course(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "repository")


@pytest.fixture(scope="module")
def autumn(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of nbgrader: bob and kim handed in known mistakes, eve a text that tries to act."""
    root = tmp_path_factory.mktemp("nbgrader") / "autumn"
    nbgrader_course.build(course, root)
    with (root / "course.toml").open("a") as policy:
        policy.write(LIMITS)
    source = sources.read(course.source(STEM))
    answers = {answer.name: answer for answer in catalogue.read(course.misconceptions(STEM)).answers}
    eve = samples.untouched(source)
    next(cell for cell in eve.cells if cell.id == "reflect-1-answer").source = HOSTILE
    works = {
        "bob": samples.with_answer(source, answers["adds_a_small_constant_against_zero"]),
        "eve": eve,
        "kim": samples.with_answer(source, answers["forgets_the_prior"]),
    }
    for student, work in works.items():
        notebook.write(work, root / "submitted" / student / STEM / f"{STEM}.ipynb")
    return root


@pytest.fixture(scope="module")
def lab(autumn: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with browsing.jupyterlab(autumn, tmp_path_factory.mktemp("home")) as address:
        yield address


class Instructor:
    """Somebody with formgrader open in JupyterLab."""

    def __init__(self, page: Page, address: str, shots: Path) -> None:
        self.page, self.address, self.shots = page, address, shots
        self.asked: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self) -> None:
        """Open formgrader as one does, from JupyterLab's menu."""
        self.page.goto(f"{self.address}/lab", wait_until="domcontentloaded")
        self.page.get_by_role("menuitem", name="Nbgrader").click()
        self.page.get_by_role("menuitem", name="Formgrader", exact=True).click()
        self.see("Manage Assignments")

    def see(self, words: str) -> None:
        """Wait until words are on the screen."""
        self.find(f":text({words!r}) >> visible=true").first.wait_for()

    def find(self, what: str) -> Locator:
        return self.page.frame_locator("#formgrader-iframe iframe").locator(what)

    def submissions(self) -> None:
        """Go to the table of what was handed in."""
        if self.find(".breadcrumb a:text('Manual Grading')").count():  # the page of a submission has no other way out
            self.find(".breadcrumb a:text('Manual Grading')").click()
        self.find("a:text('Manage Assignments')").click()
        self.find(f"tr:has-text('{STEM}') .num-submissions a").click()
        self.find("tr:has-text('bob') .autograde a").wait_for()

    def press(self, student: str, button: str, answer: str) -> None:
        """Press a button in a student's row, and wait for the answer."""
        self.find(f"tr:has-text('{student}') .{button} a").click()
        self.see(answer)
        self.find(".modal-footer button").click()
        self.find(".modal").wait_for(state="detached")
        self.find(f"tr:has-text('{student}') .{button} a").wait_for()

    def row(self, student: str) -> str:
        return self.find(f"tr:has-text('{student}')").inner_text()

    def look_at(self, student: str) -> Frame:
        """Open a student's submission; its page."""
        self.submissions()
        self.find(f"tr:has-text('{student}') .student-name a").click()
        self.find(f"#main-table a:text('{STEM}')").click()
        self.find(".panel-title").first.wait_for()
        shown = next(frame for frame in self.page.frames if "/formgrader/submissions/" in frame.url)
        shown.wait_for_function("formgrader.loaded && formgrader.grades.loaded && formgrader.comments.loaded")
        return shown

    def write(self, field: str, text: str, saved_as: str) -> None:
        """Fill in a field, leave it, and wait until it is saved."""
        with self.page.expect_response(
            lambda answer: saved_as in answer.url and answer.request.method == "PUT"
        ) as saving:
            self.find(field).fill(text)
            self.find(field).blur()
        assert saving.value.ok

    def page_of(self, file: Path) -> Page:
        """A file in a window of its own."""
        assert self.page.context.browser is not None
        page = self.page.context.browser.new_page()
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(file.as_uri())
        return page

    def shot(self, name: str) -> None:
        self.page.screenshot(path=self.shots / f"{name}.png")


@pytest.fixture(scope="module")
def at_work(browser: Browser, lab: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instructor]:
    with browsing.opened(browser) as page:
        someone = Instructor(page, lab, tmp_path_factory.mktemp("shots"))
        someone.open()
        yield someone


@pytest.fixture
def instructor(at_work: Instructor) -> Iterator[Instructor]:
    """An instructor on whose pages nothing breaks, and from whose machine nothing is asked of another."""
    yield at_work
    assert at_work.errors == []
    assert [url for url in at_work.asked if not url.startswith((at_work.address, "file:", "data:", "blob:"))] == []
    assert any("/formgrader/" in url for url in at_work.asked)


def test_an_instructor_grades_looks_gives_marks_by_hand_and_makes_feedback(
    instructor: Instructor, autumn: Path
) -> None:
    instructor.see(STEM)
    instructor.shot("1-assignments")
    instructor.submissions()
    assert "needs autograding" in instructor.row("bob")
    instructor.press("bob", "autograde", f"Successfully autograded '{STEM}' for student 'bob'")
    assert (
        "graded" in instructor.row("bob")
        and "needs" not in instructor.row("bob")
        and "19.1 / 20" in instructor.row("bob")
    )
    instructor.shot("2-autograded")

    instructor.look_at("bob")
    instructor.see("posterior: failed, 2.1 of 3 points")
    instructor.see("A question")
    assert instructor.find("#posterior-check").get_attribute("placeholder") == "2.1"
    instructor.find("#posterior-check").scroll_into_view_if_needed()
    instructor.shot("3-submission")
    instructor.write("#posterior-check", "2.75", "/api/grade/")
    instructor.write("#posterior-comment", "What if $P(x) = 0$?", "/api/comment/")
    instructor.shot("4-by-hand")

    instructor.submissions()
    assert "19.75 / 20" in instructor.row("bob")
    instructor.press("bob", "generate-feedback", f"Successfully generated feedback for '{STEM}' for student 'bob'")

    feedback = instructor.page_of(autumn / "feedback" / "bob" / STEM / f"{STEM}.html")
    feedback.get_by_text("A question").first.wait_for()
    feedback.get_by_text("Score: 2.75 / 3.0").first.wait_for()
    feedback.locator(".panel-footer math").first.scroll_into_view_if_needed()  # the comment, with its formula
    feedback.screenshot(path=instructor.shots / "5-feedback.png")
    feedback.close()
    with closing(sqlite3.connect(autumn / "gradebook.db")) as book:
        assert book.execute("SELECT manual_score FROM grade WHERE manual_score IS NOT NULL").fetchall() == [(2.75,)]


def test_what_a_student_wrote_is_shown_and_never_acts(instructor: Instructor, autumn: Path) -> None:
    instructor.submissions()
    instructor.press("eve", "autograde", f"Successfully autograded '{STEM}' for student 'eve'")
    instructor.press("eve", "generate-feedback", f"Successfully generated feedback for '{STEM}' for student 'eve'")
    shown = instructor.look_at("eve")
    shown.locator("div.text_cell", has_text="matter:").screenshot(path=instructor.shots / "6-hostile.png")
    feedback = instructor.page_of(autumn / "feedback" / "eve" / STEM / f"{STEM}.html")
    for place in (shown, feedback.main_frame):
        text = place.locator("div.text_cell_render", has_text="matter:")
        assert "< script>window.hacked = 2< /script>" in text.inner_text()
        assert text.locator("math").count() == 1 and text.locator("strong", has_text="priors").count() == 1
        assert text.locator("script, svg, iframe, style, [onerror], [style], a[id], a[href^=javascript]").count() == 0
        assert place.evaluate("window.hacked") is None
        assert place.locator("math").count() > 50  # the mathematics of the notebook, without any script
    feedback.close()


def test_what_a_group_was_given_is_shown_and_what_is_typed_comes_in_its_place(
    instructor: Instructor, autumn: Path, course: Course, tmp_path: Path
) -> None:
    instructor.submissions()
    instructor.press("kim", "autograde", f"Successfully autograded '{STEM}' for student 'kim'")
    group = next(group for group in replying.look(autumn).groups if "kim" in group.students)
    head = f'[[reply]]\nassignment = "{STEM}"\nexercise = "posterior"\ngroup = "{group.name}"\n'
    (tmp_path / "given.toml").write_text(head + 'comment = "Where is $p(k)$?"\npoints = 1.25\n')
    replying.reply(autumn, course, tmp_path / "given.toml")
    instructor.look_at("kim")
    assert instructor.find("#posterior-check").input_value() == "1.25"
    shown = instructor.find("#posterior-comment")
    assert shown.get_attribute("placeholder") == "To everybody who answered like this: Where is $p(k)$?"
    instructor.see("posterior: failed, 0 of 3 points")
    shown.scroll_into_view_if_needed()
    instructor.shot("7-given-to-a-group")

    instructor.write("#posterior-comment", "Come and see me.", "/api/comment/")
    instructor.submissions()
    assert "18.25 / 20" in instructor.row("kim") and "needs" not in instructor.row("kim")
    instructor.press("kim", "autograde", f"Successfully autograded '{STEM}' for student 'kim'")
    assert "18.25 / 20" in instructor.row("kim") and "needs" not in instructor.row("kim")
    instructor.look_at("kim")
    assert instructor.find("#posterior-comment").input_value() == "Come and see me."
    assert instructor.find("#posterior-check").input_value() == "1.25"
