"""`autograder report`: what the page says about a class, that it needs nothing else, and that a browser opens it at once."""

from __future__ import annotations

import random
import re
import shutil
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from autograder import marks, policy, report, results
from autograder.cli import main
from autograder.model import CheckResult, ExerciseResult, Result, Verdict
from autograder.nbgrader_bridge.gradebook import Entry

STEM = "01_bayes_rule"
PASSED, FAILED = Verdict.PASSED, Verdict.FAILED


def exercise(name: str, score: float, *checks: tuple[str, Verdict], belief: str | None = None) -> ExerciseResult:
    told = tuple(CheckResult(check, verdict, "A law.") for check, verdict in checks)
    question = "Does your answer move?" if belief else None
    return ExerciseResult(name, score, 4, PASSED if score == 4 else FAILED, told, belief, question)


def result(student: str, *exercises: ExerciseResult, **more: object) -> Result:
    return Result(student, STEM, "strong", exercises, **more)  # type: ignore[arg-type]


CLASS = [
    result("ada", exercise("posterior", 4, ("test_a", PASSED), ("test_b", PASSED)), exercise("prob", 4, ("test_c", FAILED))),
    result("bob", exercise("posterior", 0, ("test_a", PASSED), ("test_b", FAILED), belief="forgets_the_prior"), exercise("prob", 0)),
    result("<b>eve", exercise("posterior", 0, ("test_a", PASSED), ("test_b", FAILED), belief="forgets_the_prior"), exercise("prob", 4)),
    result("dan", exercise("posterior", 4), exercise("prob", 4), faults=("cell 'x' raised NameError: y",), repairs=("cells are missing",)),
    result("kim", exercise("posterior", 4), exercise("prob", 0), faults=("cell 'posterior-check' raised CheckFailed: not yet",)),
    result("lost", ungraded="it is not JSON"),
]


def big_class(size: int) -> list[Result]:
    chance = random.Random(1)
    return [
        result(
            f"student-{number:04}",
            *(exercise(f"exercise_{k}", chance.choice([0, 2, 4]), ("test_a", PASSED), belief=chance.choice([None, "guesses"])) for k in range(6)),
        )
        for number in range(size)
    ]


def test_a_hard_exercise_has_a_low_mean_share() -> None:
    shares = {item.name: item.share for item in report.items(CLASS)}
    assert shares == {"posterior": 0.6, "prob": 0.6}


def test_discrimination_is_the_correlation_with_the_rest() -> None:
    found = {item.name: item.discrimination for item in report.items(CLASS)}
    assert found["posterior"] == pytest.approx(1 / 6)
    assert report.correlation([1, 2, 3, 4], [1, 2, 3, 4]) is None
    assert report.correlation([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]) is None
    assert report.correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]) == pytest.approx(1)


def test_checks_that_tell_nobody_apart_are_listed() -> None:
    always, never = report.unanimous(CLASS)
    assert always == ["posterior: test_a (asked 3 times)"]
    assert never == ["prob: test_c (asked 1 times)"]


def test_misconceptions_come_by_frequency_with_the_students() -> None:
    assert report.misconceptions(CLASS) == [("posterior", "forgets_the_prior", "Does your answer move?", ["bob", "<b>eve"])]


def test_the_page_says_all_of_it_and_escapes_names() -> None:
    page = report.page(CLASS)
    for words in ("forgets the prior", "Does your answer move?", "lost: it is not JSON", "raised NameError", "cells are missing"):
        assert words in page
    assert "&lt;b&gt;eve" in page and "<b>eve" not in page
    assert "CheckFailed" not in page  # a check that does not pass is no fault of a cell


def test_the_page_needs_no_network_and_no_script() -> None:
    page = report.page(CLASS)
    assert "<script" not in page and "http" not in page and "url(" not in page and "@import" not in page


def test_every_plot_has_a_text_alternative_with_its_numbers() -> None:
    alternatives = re.findall(r'<svg[^>]*role="img" aria-label="([^"]*)"', report.page(CLASS))
    assert len(alternatives) == report.page(CLASS).count("<svg") == 2
    assert "posterior: 60%; prob: 60%." in alternatives[1]
    assert alternatives[0].endswith("3 to 4: 0; 4 to 5: 2; 5 to 6: 0; 6 to 7: 0; 7 to 8: 2.")


def test_late_work_and_final_marks_are_shown_where_they_are_known() -> None:
    due = datetime(2026, 10, 12, 22, tzinfo=UTC)
    rules = policy.Policy(due={STEM: due}, late=policy.Late(percent=Decimal(10)))
    entries = [Entry("ada", STEM, Decimal(8), Decimal(8), due + timedelta(hours=30), False), Entry("bob", STEM, Decimal(0), Decimal(8), None, False)]
    page = report.page(CLASS, marks.compute(entries, rules, {STEM: Decimal(8)}, {}))
    assert "<th scope=row>ada</th><td>1 d 6 h</td><td class=number>1.6</td>" in page
    assert "Time of handing in unknown (1)" in page and "Due 2026-10-12 22:00 UTC" in page
    assert "<td class=number>6.4</td>" in page


def test_grading_without_isolation_is_written_on_the_page() -> None:
    assert "WITHOUT isolation" in report.page([Result("ada", STEM, "none", (exercise("prob", 4),))])


def test_the_command_writes_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for one in CLASS[:2]:
        results.write(tmp_path / "graded", one)
    assert main(["report", str(tmp_path / "graded"), "--out", str(tmp_path / "report.html")]) == 0
    assert "2 submissions of 2 students" in capsys.readouterr().out
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "other.html")]) == 2
    assert not (tmp_path / "other.html").exists()


def test_a_thousand_students_open_at_once(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("chromium is not installed")
    path = tmp_path / "report.html"
    started = time.process_time()
    path.write_text(report.page(big_class(1000)))
    assert time.process_time() - started < 5
    assert path.stat().st_size < 2_000_000
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        try:
            page = chromium.new_page(viewport={"width": 1100, "height": 900})
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            page.goto(path.as_uri())
            assert page.locator("tbody tr").count() > 1000
            # Milliseconds of work in the page itself, so that a busy machine does not fail it.
            used = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
            assert used < 10_000
            assert [url for url in asked if not url.startswith("file:")] == []
            assert page.get_by_role("img", name="Number of students by score").count() == 1
            assert page.get_by_role("heading", name="Misconceptions").count() == 1
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        finally:
            chromium.close()
