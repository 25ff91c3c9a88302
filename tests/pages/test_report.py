"""`autograder report`: what the page says about a class, that it needs nothing else, and how it looks in a browser."""

from __future__ import annotations

import html
import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import browsing
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from autograder.classroom import marks
from autograder.cli import main
from autograder.course import Course, policy
from autograder.course.model import NEXT_CELL, CheckResult, ExerciseResult, Fault, FaultKind, Reply, Result, Verdict
from autograder.course.roster import Person
from autograder.grading import store
from autograder.grading.groups import replies
from autograder.grading.groups.replies import Stanza
from autograder.nbgrader_bridge.gradebook import Entry
from autograder.pages import report
from autograder.pages.report_numbers import Asked, Recognised, correlation, items, misconceptions, unanimous
from autograder.pages.report_page import page as page_about
from autograder.pages.similarity import Comparison, Pair, Passage

STEM = "01_bayes_rule"
PASSED, FAILED = Verdict.PASSED, Verdict.FAILED


def exercise(name: str, score: float, *checks: tuple[str, Verdict], belief: str | None = None) -> ExerciseResult:
    told = tuple(CheckResult(check, verdict, "A law.") for check, verdict in checks)
    question = "Does your answer move?" if belief else None
    return ExerciseResult(name, score, 4, PASSED if score == 4 else FAILED, told, belief, question)


def result(student: str, *exercises: ExerciseResult, **more: object) -> Result:
    return Result(student, STEM, "strong", exercises, **more)  # type: ignore[arg-type]


CLASS = [
    result(
        "ada", exercise("posterior", 4, ("test_a", PASSED), ("test_b", PASSED)), exercise("prob", 4, ("test_c", FAILED))
    ),
    result(
        "bob",
        exercise("posterior", 0, ("test_a", PASSED), ("test_b", FAILED), belief="forgets_the_prior"),
        exercise("prob", 0),
    ),
    result(
        "<b>eve",
        exercise("posterior", 0, ("test_a", PASSED), ("test_b", FAILED), belief="forgets_the_prior"),
        exercise("prob", 4),
    ),
    result(
        "dan",
        exercise("posterior", 4),
        exercise("prob", 4),
        faults=(Fault("cell 'x' raised NameError: y", FaultKind.RAISED),),
        repairs=("cells are missing",),
    ),
    result(
        "kim",
        exercise("posterior", 4),
        exercise("prob", 0),
        faults=(Fault("cell 'posterior-check' raised CheckFailed: not yet", FaultKind.CHECK_CELL),),
    ),
    result("lost", ungraded="it is not JSON"),
]


def big_class(size: int) -> list[Result]:
    chance = random.Random(1)
    return [
        result(
            f"student-{number:04}",
            *(
                exercise(
                    f"exercise_{k}",
                    chance.choice([0, 2, 4]),
                    ("test_a", PASSED),
                    belief=chance.choice([None, "guesses"]),
                )
                for k in range(6)
            ),
        )
        for number in range(size)
    ]


def test_a_hard_exercise_has_a_low_mean_share() -> None:
    shares = {item.name: item.share for item in items(CLASS)}
    assert shares == {"posterior": 0.6, "prob": 0.6}


def test_discrimination_is_the_correlation_with_the_rest() -> None:
    found = {item.name: item.discrimination for item in items(CLASS)}
    assert found["posterior"] == pytest.approx(1 / 6)
    assert correlation([1, 2, 3, 4], [1, 2, 3, 4]) is None
    assert correlation([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]) is None
    assert correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]) == pytest.approx(1)


def test_checks_that_tell_nobody_apart_are_listed() -> None:
    always, never = unanimous(CLASS)
    assert always == [Asked("posterior", "test_a", 3)]
    assert never == [Asked("prob", "test_c", 1)]


def test_misconceptions_come_by_frequency_with_the_students() -> None:
    assert misconceptions(CLASS) == [
        Recognised("posterior", "forgets_the_prior", "Does your answer move?", ("bob", "<b>eve"))
    ]


def test_the_page_says_all_of_it_and_escapes_names() -> None:
    page = page_about(CLASS)
    for words in (
        "forgets the prior",
        "Does your answer move?",
        "lost: it is not JSON",
        "raised NameError",
        "cells are missing",
        "prob: test_<wbr>c (asked 1 time)",
    ):
        assert words in page
    assert "&lt;b&gt;eve" in page and "<b>eve" not in page
    assert "CheckFailed" not in page  # a check that does not pass is not a fault of a cell


def test_the_page_shows_no_character_that_hides_or_reorders_others() -> None:
    code = ("if x:\r", True), ("\treturn 1  # \u202egro \u2066 \x1b[31m \x9b", True)
    similar = {STEM: Comparison(2, (Pair(("ada", "\u202ebob"), 0.7, (0.8, 0.9), (Passage(code, code),)),), ())}
    page = page_about(
        [*CLASS, result("kim", faults=(Fault("cell 'x' raised KeyError: \u202e\x1b\nand more", FaultKind.RAISED),))],
        similar=similar,
    )
    assert not [one for one in page if one != "\n" and unicodedata.category(one) in ("Cc", "Cf")]
    assert "<mark>if x:</mark>\n<mark>    return 1  # \ufffdgro \ufffd \ufffd[31m \ufffd</mark>" in page
    assert "KeyError: \ufffd\ufffd\nand more" in page


def test_the_page_needs_no_network_and_no_script() -> None:
    page = page_about(CLASS)
    assert (
        "<script" not in page
        and "http" not in page.replace("http-equiv", "")
        and "url(" not in page
        and "@import" not in page
    )
    assert """http-equiv="Content-Security-Policy" content="default-src 'none';""" in page


def test_every_plot_has_a_text_alternative_with_its_numbers() -> None:
    alternatives = re.findall(r'<svg[^>]*role="img" aria-label="([^"]*)"', page_about(CLASS))
    assert len(alternatives) == page_about(CLASS).count("<svg") == 2
    assert "posterior: 60%; prob: 60%." in alternatives[1]
    assert alternatives[0].endswith("3 to 4: 0; 4 to 5: 2; 5 to 6: 0; 6 to 7: 0; 7 to 8: 2.")


def test_late_work_and_final_marks_are_shown_where_they_are_known() -> None:
    due = datetime(2026, 10, 12, 22, tzinfo=UTC)
    rules = policy.Policy(due={STEM: due}, late=policy.Late(percent=Decimal(10)))
    entries = [
        Entry("ada", STEM, Decimal(8), Decimal(8), due + timedelta(hours=30), False),
        Entry("bob", STEM, Decimal(0), Decimal(8), None, False),
    ]
    page = page_about(CLASS, marks.compute(entries, rules, {STEM: Decimal(8)}, {}))
    assert "<th scope=row>ada</th><td>1 d 6 h</td><td class=number>1.6</td>" in page
    assert "Time of handing in unknown (1)" in page and "Due 2026-10-12 22:00 UTC" in page
    assert "<td class=number>6.4</td>" in page


def test_people_have_names_and_whoever_handed_in_nothing_is_in_the_table() -> None:
    people = {
        "ada": Person("ada", "Ada", "Lovelace"),
        "bob": Person("bob", "Bob", "<i>"),
        "zoe": Person("zoe", "Zoë", "O'Neil"),
    }
    entries = [
        Entry("ada", STEM, Decimal(8), Decimal(8), None, False),
        Entry("bob", STEM, Decimal(0), Decimal(8), None, False),
    ]
    page = page_about(CLASS[:2], marks.compute(entries, policy.Policy(), {STEM: Decimal(8)}, people))
    assert "<th scope=row>ada</th><td>Ada Lovelace</td><td class=number>8</td><td class=number>8</td>" in page
    assert "<th scope=row>zoe</th><td>Zoë O&#39;Neil</td><td class=number>–</td><td class=number>–</td>" in page
    assert "<td>nothing handed in</td>" in page
    assert "<td>Bob &lt;i&gt; (bob)</td>" in page  # beside the misconception
    assert "All notebooks" not in page  # there is but one


def test_final_marks_of_all_notebooks_stand_in_one_table() -> None:
    second = "02_maximum_likelihood"
    scores = {("ada", STEM): 8, ("ada", second): 4, ("bob", second): 6}
    entries = [
        Entry(student, name, Decimal(score), Decimal(8), None, False) for (student, name), score in scores.items()
    ]
    points = {STEM: Decimal(8), second: Decimal(8)}
    table = page_about(CLASS[:2], marks.compute(entries, policy.Policy(drop_lowest=1), points, {})).partition(
        "All notebooks</h2>"
    )[2]
    assert "What is in brackets does not count" in table and "total of 8</th>" in table
    assert "<th scope=row>ada</th><td class=number>8</td><td class=number>(4)</td><td class=number>8</td>" in table
    assert "<th scope=row>bob</th><td class=number>(–)</td><td class=number>6</td><td class=number>6</td>" in table


def test_times_are_told_in_the_zone_of_the_course_and_minutes_as_minutes() -> None:
    due = datetime(2026, 10, 12, 21, 59, tzinfo=UTC)
    rules = policy.Policy(due={STEM: due}, zone=ZoneInfo("Europe/Vienna"))
    entries = [Entry("ada", STEM, Decimal(8), Decimal(8), due + timedelta(minutes=13, seconds=1), False)]
    page = page_about(CLASS, marks.compute(entries, rules, {STEM: Decimal(8)}, {}))
    assert "Due 2026-10-12 23:59 CEST" in page
    assert "<th scope=row>ada</th><td>14 min</td>" in page


def test_code_in_a_question_is_shown_as_code() -> None:
    asked = replace(exercise("prob", 0, belief="guesses"), question="What is `0 <= x` for <b>?")
    assert "<td>What is <code>0 &lt;= x</code> for &lt;b&gt;?</td>" in page_about([result("ada", asked)])


def test_grading_without_isolation_is_written_on_the_page() -> None:
    assert "WITHOUT isolation" in page_about([Result("ada", STEM, "none", (exercise("prob", 4),))])


def test_the_command_writes_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for one in CLASS[:2]:
        store.write(tmp_path / "graded", one)
    assert main(["report", str(tmp_path / "graded"), "--out", str(tmp_path / "report.html")]) == 0
    assert "2 submissions of 2 students" in capsys.readouterr().out
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "other.html")]) == 2
    assert not (tmp_path / "other.html").exists()


def test_an_error_that_was_followed_through_is_shown() -> None:
    through = replace(exercise("prob", 2), followed_through=True)
    page = page_about(
        [result("ada", exercise("posterior", 0), through), result("bob", exercise("posterior", 4), exercise("prob", 4))]
    )
    assert "<th scope=col class=number>followed through</th>" in page
    assert "<td>followed through: prob</td>" in page
    assert "followed through" not in page_about(CLASS)


def test_the_table_of_students_says_what_to_note() -> None:
    rows = re.findall(
        r"<tr><th scope=row>(\w+)</th>[^\n]*?<td>([^<]*)</td></tr>", page_about(CLASS).partition("Students</h3>")[2]
    )
    assert ("bob", "posterior: forgets the prior") in rows
    assert ("lost", "not graded") in rows
    assert "to note" not in page_about(CLASS[:1])


def test_a_class_without_due_date_is_told_so() -> None:
    assert "No due date is set" in page_about(CLASS)


# --- Answers that behave alike ----------------------------------------------------------------------------------------


def wrong(behaviour: str, code: str = "", score: float = 0, reply: Reply | None = None) -> ExerciseResult:
    """A wrong answer to the exercise `posterior`."""
    some = exercise("posterior", score, belief="forgets_the_prior")
    return replace(some, behaviour=behaviour, code=code, reply=reply)


def alike(page: str) -> str:
    """The section about groups, its markup left out and its spaces made one."""
    section = page.partition("Answers that behave alike</h3>")[2].partition("<h3>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", section)).split())


def test_groups_come_by_size_with_all_that_is_known_of_them() -> None:
    some = [result(name, wrong("a", "def posterior(): return 1", 1)) for name in ("bob", "eve", "kim")]
    told = alike(page_about([*some[:2], result("ada", wrong("b", "x")), result("zoe", wrong("b", "xy", 2)), some[2]]))
    assert "5 wrong answers in 2 groups." in told
    first = told.index("3 students , recognised: forgets the prior. Each of them has 1 of 4 points.")
    assert first < told.index("2 students , recognised: forgets the prior. 1 has 0, 1 has 2 of 4 points.")
    assert "Does your answer move? bob, eve, kim The shortest of these answers def posterior(): return 1" in told


def test_what_nobody_else_answered_is_counted_and_large_numbers_of_groups_are_cut() -> None:
    some = [result(f"{letter}{number}", wrong(letter)) for letter in "abcdefghijklmno" for number in range(2)]
    told = alike(page_about([*some, result("one", wrong("x")), result("two", wrong("y"))]))
    assert "32 wrong answers in 17 groups." in told
    assert told.count("2 students") == 12
    assert "And 3 smaller groups; autograder groups shows them." in told
    assert "2 answers behave like no other; autograder groups shows them." in told
    assert "No wrong answer was looked at." in alike(page_about(CLASS))


def test_students_in_groups_have_their_names() -> None:
    people = {name: Person(name, name.title(), "Noether") for name in ("ada", "bob")}
    known = marks.compute([], policy.Policy(), {STEM: Decimal(8)}, people)
    told = alike(page_about([result("ada", wrong("a")), result("bob", wrong("a"))], known))
    assert "Ada Noether (ada), Bob Noether (bob)" in told


def stanza(page: str) -> str:
    return html.unescape(re.findall(r'aria-label="Stanza for group [^"]*">([^<]*)</pre>', page)[0])


def test_the_stanza_of_a_group_can_be_filled_in_and_read(tmp_path: Path) -> None:
    page = page_about([result("ada", wrong("a")), result("bob", wrong("a"))])
    (tmp_path / "given.toml").write_text(stanza(page).replace('comment = ""', 'comment = "Look."'))
    assert replies.read(tmp_path / "given.toml") == [Stanza(STEM, "posterior", "a", "", "Look.")]


def test_what_was_replied_is_shown_and_a_mark_is_named_as_given_by_hand(tmp_path: Path) -> None:
    given = Reply("Why $x$?", "One.\n\n<b>Two.</b>", 1.5, 0)
    page = page_about([result("ada", wrong("a", score=1.5, reply=given)), result("bob", wrong("b"))])
    assert "Replied with 1.5 points, given by hand: One. <b>Two.</b> Why" in alike(page)
    assert "<math" in page and "<b>Two" not in page
    assert "1 student , recognised: forgets the prior. Mark: 1.5 of 4 points." in alike(page)
    (tmp_path / "given.toml").write_text(stanza(page))
    assert replies.read(tmp_path / "given.toml") == [
        Stanza(STEM, "posterior", "a", given.question, given.comment, given.points)
    ]
    notes = page.partition("Students</h3>")[2]
    assert "posterior: 1.5 given by hand; posterior: forgets the prior" in notes


def test_code_of_a_group_is_in_colours_and_its_spaces_are_kept(tmp_path: Path) -> None:
    code = 'def posterior(p):\n\treturn "a"  # <b>' + NEXT_CELL + "posterior = 1"
    for student in ("ada", "bob"):
        store.write(tmp_path, result(student, wrong("a", code)))
    report.write(tmp_path, Course.default(), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert (
        "<span class=keyword>def</span> <span class=name>posterior</span>(p):\n    <span class=keyword>return" in page
    )
    assert "<span class=comment># &lt;b&gt;</span></pre>" in page and "posterior = <span class=figure>1</span>" in page


def test_code_of_a_group_is_bounded_and_does_nothing() -> None:
    hostile = "</pre><script>1</script>\x1b[31m\u202e" + "y" * 10_000 + "\n" + "\n".join("z" * 1499) + "\x00"
    page = page_about([result("ada", wrong("a", hostile)), result("bob", wrong("a", hostile + " "))])
    assert "<script" not in page and "&lt;/pre&gt;&lt;script&gt;" in page
    assert not [one for one in page if one != "\n" and unicodedata.category(one) in ("Cc", "Cf")]
    assert "y" * 201 not in page and "1440 more lines left out here." in page


# --- In a browser -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browsing.chromium() as started:
        yield started


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page about the small class, with a similar pair and late work."""
    passage = Passage(
        (("def mean(x):", True), ("    return x.mean() * " + "1" * 150, False)), (("def mean(values):", True),)
    )
    similar = {
        STEM: Comparison(
            5, (Pair(("ada", "bob"), 0.7, (0.8, 0.9), (passage,)),), ("lost could not be compared: it is not JSON",)
        )
    }
    due = datetime(2026, 10, 12, 22, tzinfo=UTC)
    rules = policy.Policy(due={STEM: due}, late=policy.Late(percent=Decimal(10)))
    entries = [Entry("ada", STEM, Decimal(8), Decimal(8), due + timedelta(hours=30), False)]
    path = tmp_path_factory.mktemp("small") / "report.html"
    code = "def posterior(prior):\n    return " + " + ".join(["prior"] * 50)
    replied = Reply("Why $x$?", "Look at $$\\sum_k p_k$$ first.", 1.5, 0)
    groups = [result(name, wrong("a", code, 1.5, replied)) for name in ("max", "mia")]
    groups += [result(name, wrong("b", code)) for name in ("lea", "leo")]
    found = [*CLASS, *groups]
    path.write_text(page_about(found, marks.compute(entries, rules, {STEM: Decimal(8)}, {}), similar), encoding="utf-8")
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 400)])
def test_axe_finds_no_fault_and_nothing_sticks_out(chromium: Browser, small: Path, scheme: str, width: int) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(small.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()


def test_in_print_everything_is_unfolded(chromium: Browser, small: Path) -> None:
    with browsing.opened(chromium) as page:
        page.goto(small.as_uri())
        shared = page.get_by_text("def mean(values):")
        assert not shared.is_visible()
        page.emulate_media(media="print")
        shared.wait_for()  # it is laid out with the next frame, not with the new style
        assert page.locator(".wide").first.evaluate("one => getComputedStyle(one).overflow") == "visible"


def test_on_paper_no_table_is_wider_than_the_page(chromium: Browser, tmp_path: Path) -> None:
    names = [
        "parameter_counts",
        "conditional_tables",
        "fit_bernoulli_nb",
        "joint_log_likelihood",
        "predict_proba",
        "fit_gaussian_nb",
        "gnb_linear_weights",
    ]
    one = result(
        "student-0001", *(exercise(name, 0, belief="takes_the_whole_table_for_one_distribution") for name in names)
    )
    people = {"student-0001": Person("student-0001", "Grace Brewster", "García Márquez")}
    entries = [Entry("student-0001", STEM, Decimal(0), Decimal(28), None, False)]
    path = tmp_path / "report.html"
    path.write_text(
        page_about([one], marks.compute(entries, policy.Policy(), {STEM: Decimal(28)}, people)), encoding="utf-8"
    )
    page = chromium.new_page(viewport={"width": 680, "height": 1000})  # A4 within its margins
    page.emulate_media(media="print")
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()


def test_a_thousand_students_are_on_the_page_at_once(chromium: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(page_about(big_class(1000)), encoding="utf-8")
    assert path.stat().st_size < 1_000_000
    page = chromium.new_page(viewport={"width": 1100, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert page.locator("tbody tr").count() > 1000
    assert asked == [path.as_uri()]
    assert page.get_by_role("img", name="Number of students by score").count() == 1
    assert page.get_by_role("heading", name="Misconceptions").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()
