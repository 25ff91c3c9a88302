"""`autograder feedback`: what a student reads, what must not be there, and that every browser and reader can use it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

import browsing
import pytest
import secrecy
from axe_playwright_python.sync_playwright import Axe
from markupsafe import Markup
from nbformat import NotebookNode
from sample_course import REPOSITORY, STEM, copy_course

from autograder.cli import main
from autograder.course import Course, files, notebook, sources
from autograder.course.kinds import Kind
from autograder.course.model import (
    NEXT_CELL,
    CheckResult,
    ExerciseResult,
    Fault,
    FaultKind,
    Remark,
    Result,
    Verdict,
    Whose,
)
from autograder.grading import store
from autograder.grading.grade import Options, grade
from autograder.pages import feedback, wording
from autograder.pages.feedback_exercise import Task
from autograder.pages.feedback_page import Ending, page
from autograder.pages.highlighting.highlighter import Highlighter
from autograder.validity import samples

PASSED, FAILED, BLOCKED, NOT_ATTEMPTED = Verdict.PASSED, Verdict.FAILED, Verdict.BLOCKED, Verdict.NOT_ATTEMPTED
TASKS = {"posterior": Task(Markup("Exercise 1.2: <code>posterior</code>"), Markup("<p>Given the priors.</p>"))}


def check(verdict: Verdict, message: str = "A law.", *, visible: bool = False, **more: Any) -> CheckResult:
    name = "visible: one_cough" if visible else "test_of_a_law"
    return CheckResult(name, verdict, message, "DETAIL", visible=visible, **more)


def remarked(verdict: Verdict, remark: Remark, text: str, **more: Any) -> CheckResult:
    """A check with a remark, as the engine makes it."""
    return check(verdict, f"A law. {text}", description="A law.", remark=remark, remark_text=text, **more)


STUB = remarked(NOT_ATTEMPTED, Remark.NOT_FILLED_IN, "The stub has not been filled in.")
SLOW = remarked(Verdict.TIMED_OUT, Remark.STOPPED, "It took too long and was stopped.")
UNDEFINED = remarked(NOT_ATTEMPTED, Remark.NOT_DEFINED, "The notebook defines no `f`.")


def exercise(*checks: CheckResult, score: float = 0, verdict: Verdict = FAILED, **more: Any) -> ExerciseResult:
    return ExerciseResult("posterior", score, 4, verdict, checks, **more)


def result(*exercises: ExerciseResult, student: str = "ada", **more: Any) -> Result:
    return Result(student, STEM, "strong", exercises, **more)


def shown(some: Result, **more: Any) -> str:
    return page(some, "1. Bayes' rule", TASKS, **more)


class Reader(HTMLParser):
    """What somebody meets who goes through a page: tags, attributes, headings, text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def levels(self) -> list[int]:
        return [int(tag[1]) for tag in self.tags if re.fullmatch(r"h[1-6]", tag)]


# --- What the page says -----------------------------------------------------------------------------------------------


def test_marks_come_first_in_words_and_numbers() -> None:
    text = secrecy.text(shown(result(exercise(check(PASSED), score=4, verdict=PASSED), exercise(check(FAILED)))))
    told = " ".join(text.split())
    assert (
        told.index("4 of 8 points")
        < told.index("Of the two exercises, one is right and one is not right yet.")
        < told.index("Exercise 1.2")
    )


@pytest.mark.parametrize(
    ("some", "words"),
    [
        (exercise(check(PASSED), score=4, verdict=PASSED), "Right : 4 of 4 points. Its one check passes."),
        (exercise(check(PASSED), check(PASSED), score=4, verdict=PASSED), "4 of 4 points. Both checks pass."),
        (exercise(check(PASSED), check(FAILED), score=1.5), "Partly right : 1.5 of 4 points. 1 of 2 checks passes."),
        (
            exercise(check(FAILED), check(BLOCKED)),
            "Not right yet : 0 of 4 points. The one check that was asked does not",
        ),
        (exercise(), "There was nothing to check."),
        (
            exercise(STUB, STUB, verdict=NOT_ATTEMPTED),
            "Not attempted : 0 of 4 points. The stub has not been filled in. What was asked",
        ),
        (
            exercise(check(PASSED), UNDEFINED, verdict=NOT_ATTEMPTED),
            "Not attempted : 0 of 4 points. The one check that was asked passes. The notebook defines no f . "
            "One more check had nothing to look at.",
        ),
        (
            exercise(SLOW, check(BLOCKED), verdict=SLOW.verdict),
            "Stopped because it took too long : 0 of 4 points. The one",
        ),
        (
            exercise(SLOW, check(FAILED), check(PASSED), verdict=SLOW.verdict),
            "Stopped because it took too long : 0 of 4 points. 1 of 3 checks passes. "
            "One was stopped because it took too long.",
        ),
        (
            exercise(SLOW, SLOW, check(PASSED), check(PASSED), score=1, verdict=SLOW.verdict),
            "Partly right : 1 of 4 points. 2 of 4 checks pass. Two were stopped because they took too long.",
        ),
        (
            exercise(check(Verdict.OUT_OF_MEMORY), verdict=Verdict.OUT_OF_MEMORY),
            "Stopped because it used too much memory : 0 of 4",
        ),
        (exercise(check(Verdict.CRASHED), verdict=Verdict.CRASHED), "Ended in a crash : 0 of 4"),
    ],
)
def test_every_verdict_is_said_in_words(some: ExerciseResult, words: str) -> None:
    assert words in " ".join(secrecy.text(shown(result(some))).split())


def test_an_exercise_says_what_was_asked_right_wrong_and_worth_a_thought() -> None:
    some = exercise(
        check(PASSED, "Sums to one."),
        check(FAILED, "Order does not matter."),
        check(BLOCKED),
        question="What if `x` is 0?",
    )
    text = shown(result(some))
    asked, wrong, question, right = map(
        text.index, ("Given the priors.", "Order does not matter.", "What if <code>x</code> is 0?", "Sums to one.")
    )
    assert (
        asked < text.index("What is not right yet") < wrong < text.index("A question to think about") < question < right
    )
    assert (
        "One more check was not asked" in text and "something else" not in text and "What is right\n(1 check)" in text
    )


def test_a_question_that_explains_only_a_part_says_so() -> None:
    text = shown(result(exercise(check(FAILED), question="Why?", more=True)))
    assert text.index("Why?") < text.index("something else is not right yet, too.")


def test_a_question_is_asked_once_however_many_checks_lead_to_it() -> None:
    asking = check(FAILED, "A law.", visible=True, question="Why?")
    assert shown(result(exercise(asking, asking))).count("Why?") == 1
    text = shown(result(exercise(asking, check(FAILED), question="Why?")))
    assert text.count("Why?") == 1 and text.index("A question to think about") < text.index("Why?")


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ([(0.0, FAILED)] * 2, "Neither of the two exercises is right yet."),
        ([(0.0, FAILED)], "The exercise is not right yet."),
        ([(4.0, PASSED)], "The exercise is right. Well done!"),
        ([(4.0, PASSED)] * 3, "All three exercises are right. Well done!"),
        ([(0.0, Verdict.TIMED_OUT)] * 2, "Both exercises were stopped because they took too long."),
        (
            [(4.0, PASSED), (1.0, FAILED), (0.0, Verdict.CRASHED), (0.0, NOT_ATTEMPTED)],
            "Of the four exercises, one is right, one is partly right, one was not attempted and one ended in a crash.",
        ),
        ([], "0 of 0 points"),
    ],
)
def test_one_sentence_sums_all_exercises_up(outcomes: list[tuple[float, Verdict]], words: str) -> None:
    some = [exercise(check(PASSED), score=score, verdict=verdict) for score, verdict in outcomes]
    assert words in " ".join(secrecy.text(shown(result(*some))).split())


def test_what_came_back_in_a_visible_check_and_its_question_are_shown() -> None:
    rows = (("called", "posterior([1])"), ("came back", "0.8"), ("expected", "0.5"))
    asks, question = "The flu of the text.", "Is this P(B | A)?"
    some = check(FAILED, "ALL IN ONE", visible=True, description=asks, rows=rows, question=question)
    text = shown(result(exercise(some)))
    assert "ALL IN ONE" not in text
    assert "Visible check:</span> The flu of the text." in text
    assert "<pre>called: posterior([1])\ncame back: 0.8\nexpected: 0.5</pre>" in text
    assert '<p class="question">Is this P(B | A)?</p>' in text


def test_a_check_that_did_not_pass_says_its_kind_and_what_it_cost() -> None:
    plain = check(PASSED, worth=1.0, gate=True)
    edge = check(FAILED, "An empty cell.", kind=Kind.EDGE, worth=0.4)
    tiny = check(FAILED, "A list.", kind=Kind.TYPE, worth=0.004)
    whole = check(FAILED, "A longer one.", visible=True, kind=Kind.SIZES, worth=1.0)
    text = shown(result(exercise(plain, edge, tiny, whole, score=2.6)))
    assert text.index("An empty cell.") < text.index("Edge case: costs 0.4 points.") < text.index("A list.")
    assert "Type: costs less than 0.01 points." in text and "Other sizes and shapes: costs 1 point." in text
    assert "Plain numbers" not in text, "what is right costs nothing"


def test_a_gate_that_failed_costs_all_points_and_nothing_else_costs_more() -> None:
    gate = check(FAILED, "The plain numbers.", worth=1.3, gate=True)
    far = check(FAILED, "Far out.", visible=True, kind=Kind.STABILITY, worth=0.8)
    flu = check(FAILED, "The flu.", visible=True, worth=0.4)
    text = shown(result(exercise(flu, far, gate, check(BLOCKED, worth=0.9))))
    assert "Plain numbers: costs all 4 points, because the rest counts only once they are right." in text
    assert "Stability: costs nothing more, since the plain numbers are not right." in text
    assert "Plain numbers: on them all 4 points depend." in text
    assert "One more check was not asked: it counts only once the plain numbers are right.</li>" in text


def test_checks_that_were_not_asked_for_another_reason_cost_what_they_are_worth() -> None:
    passed = check(PASSED, worth=2.0, gate=True)
    loops = check(Verdict.TIMED_OUT, worth=0.5, kind=Kind.SPEED)
    text = shown(result(exercise(passed, loops, check(BLOCKED, worth=0.75), check(BLOCKED, worth=0.75), score=2)))
    assert "Speed: costs 0.5 points." in text
    assert (
        "Two more checks were not asked, because one before them did not come to its end; that costs 1.5 points.</li>"
        in text
    )


def test_results_from_before_there_were_prices_say_nothing_about_them() -> None:
    assert "cost" not in secrecy.text(shown(result(exercise(check(FAILED))))).partition("Visible checks are those")[0]


def test_a_traceback_is_shown_once_in_lines_of_the_student() -> None:
    lines = ("posterior, line 3: d['x']", "KeyError: 'x'")
    raised = remarked(FAILED, Remark.RAISED, "Your code raised KeyError.", visible=True, traceback=lines)
    text = shown(result(exercise(raised, raised)))
    assert text.count("<pre>posterior, line 3: d[&#39;x&#39;]\nKeyError: &#39;x&#39;</pre>") == 1
    assert text.count("<p>In the same lines as above: KeyError: &#39;x&#39;</p>") == 1


def test_a_cell_that_failed_is_told_once_and_in_plain_words() -> None:
    cell = "cell 'posterior' raised SyntaxError: '(' was never closed (line 1)"
    said = "The notebook defines no `posterior`."
    failed = remarked(FAILED, Remark.NOT_DEFINED, said, visible=True, fault=1)
    faults = (Fault("cell 'x-check' failed", FaultKind.CHECK_CELL), Fault(cell, FaultKind.RAISED))
    some = result(exercise(failed, failed), faults=faults, repairs=("a cell was missing",))
    text = " ".join(secrecy.text(shown(some)).split())
    assert text.count("SyntaxError") == 1 and text.count("defines no") == 1
    assert "The notebook defines no posterior . One of your cells failed, see “Cells that failed” above." in text
    assert "x-check" not in text and "a cell was missing" in text


def test_a_check_cell_that_explains_what_is_missing_is_told_where_it_is_missing() -> None:
    failed = remarked(FAILED, Remark.NOT_DEFINED, "The notebook defines no `f`.", fault=0)
    text = shown(result(exercise(failed), faults=(Fault("cell 'x-check' failed", FaultKind.CHECK_CELL),)))
    assert "<code>f</code>. cell &#39;x-check&#39; failed" in text and "Cells that failed" not in text


def test_an_error_that_was_followed_through_is_said() -> None:
    some = exercise(check(PASSED), score=4, verdict=PASSED, followed_through=True)
    assert "Followed through." in shown(result(some)) and "Followed through." not in shown(
        result(exercise(check(FAILED)))
    )


def test_late_work_and_final_marks_are_explained() -> None:
    text = shown(
        result(exercise(score=3)),
        ending=Ending(Decimal(3), Decimal("1.5"), late_by=timedelta(days=1), penalty=Decimal(1)),
    )
    assert '<p class="total">1.5 <small>of 4 points</small>' in text
    assert "Being late costs 1 of your 3 points, which leaves 2." in text and "The mark is rounded to 1.5." in text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (40, "1 minute"),
        (3540, "59 minutes"),
        (3600, "1 hour"),
        (86400, "1 day"),
        (125_000, "1 day and 11 hours"),
        (172_801, "2 days and 1 hour"),
    ],
)
def test_a_length_of_time_is_said_as_people_say_it(seconds: float, words: str) -> None:
    assert wording.duration(seconds) == words


def test_a_fault_of_ours_is_not_explained_to_the_student_and_theirs_is() -> None:
    ours = shown(result(ungraded="ValueError('expected [0.7, 0.2]')", ungraded_by=Whose.GRADER))
    nobodys = shown(result(ungraded="ValueError('expected [0.7, 0.2]')"))
    theirs = shown(result(ungraded=f"ada/{STEM} is not JSON. Save it again.", ungraded_by=Whose.STUDENT))
    assert "Not graded yet" in ours and "it costs no marks" in ours and "0.7" not in ours
    assert "0.7" not in nobodys
    assert "is not JSON" in theirs


def test_grading_without_isolation_is_said() -> None:
    assert "graded without a sandbox" in shown(replace(result(exercise()), isolation="none"))


# --- The student's own code -------------------------------------------------------------------------------------------


def test_the_students_code_is_on_the_page_folded_line_by_line() -> None:
    text = shown(result(exercise(check(FAILED), code=f"a = 1\n\nb = 2{NEXT_CELL}c = '<b>'")))
    assert "<summary>Your code (4 lines)</summary>" in text
    assert (
        '<pre class="code"><span class="line" data-at="1">a = 1\n</span><span class="line" data-at="2">\n</span>'
        in text
    )
    assert text.count('<pre class="code">') == 2 and "&lt;b&gt;" in text and "# %%" not in text
    assert "Your code" not in shown(result(exercise(STUB, verdict=NOT_ATTEMPTED)))


def test_code_in_colours_says_what_is_what() -> None:
    with Highlighter() as highlighter:
        shown_code = highlighter.shown("def f(x):\n    return 'a\\n' # b\n")
        text = shown(result(exercise(check(FAILED), code="def f(x): return 1")), coloured=highlighter.shown)
    kinds = [(part.text.strip(), part.kind) for line in shown_code.cells[0] for part in line.parts if part.kind]
    assert kinds == [("def", "keyword"), ("f", "name"), ("return", "keyword"), ("'a\\n'", "text"), ("# b", "comment")]
    assert (
        '<span class="keyword">def</span> <span class="name">f</span>(x): <span class="keyword">return</span>' in text
    )


def test_the_description_that_a_cell_was_given_with_is_left_out() -> None:
    head = 'def f(x,\n      y):\n    """What it does.\n\n    In words.\n    """'
    with Highlighter() as highlighter:
        found = highlighter.shown(f"{head}\n    return x{NEXT_CELL}{head[:-3]} else.", given=["", head])
        text = shown(result(exercise(check(FAILED), code=f"{head}\n    pass")), coloured=lambda code: found)
    assert [line.number for line in found.cells[0]] == [1, 2, 7] and found.cells[0][2].text == "    return x"
    assert len(found.cells[1]) == 6 and found.count == 13
    assert text.count("as it was given") == 1 and '<span class="line" data-at="7">' in text


@pytest.mark.parametrize(
    "code",
    ["\n " * 4000, "def f(:\n\x00\ud800 é" * 9, "'" * 8001, "\r\n\x0c\u2028x" * 900, "x = 1\n" * 2000, "", "1+" * 4000],
)
def test_no_code_stops_the_colours_and_all_of_it_that_is_shown_is_as_it_was_written(code: str) -> None:
    with Highlighter() as highlighter:
        for some in (code, "x = 1"):
            found = highlighter.shown(some)
            lines = [line.text for line in found.cells[0]]
            assert some.startswith("\n".join(lines)) and found.cut == (len(lines) < some.count("\n") + 1)
    assert [part.kind for part in found.cells[0][0].parts] == ["", "figure"], "what came before has spoilt nothing"


def test_code_that_is_endless_is_cut_and_the_page_says_so() -> None:
    text = shown(result(exercise(check(FAILED), code="x = 1\n" * 2000)))
    assert "The rest is left out here." in text and len(text) < 60_000


# --- What the page is -------------------------------------------------------------------------------------------------


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e\x00"
HUGE = "<b>" * 100_000


@pytest.mark.parametrize("text", [HOSTILE, HUGE])
def test_nothing_that_a_student_chose_becomes_a_part_of_the_page(text: str) -> None:
    def page_with(text: str) -> str:
        checks = (
            check(FAILED, text, visible=True, traceback=(text, text)),
            check(FAILED, text, visible=True, rows=(("called", text), (text, text)), question=text),
            remarked(FAILED, Remark.RAISED, text),
            check(PASSED, text),
        )
        some = ExerciseResult(text, 0, 4, FAILED, checks, None, text, code=text)
        faults = (Fault(text, FaultKind.RAISED),) * 50
        return page(result(some, student=text, faults=faults, repairs=(text,)), text, {})

    made, plain = page_with(text), page_with("x")
    assert set(Reader(made).tags) <= set(Reader(plain).tags) | {"wbr"}
    assert not any(name.startswith("on") for name, _ in Reader(made).attributes)
    assert "\x00" not in made and "\u202e" not in made
    assert len(made) < 80_000


def test_a_page_asks_for_nothing_and_runs_nothing() -> None:
    made = shown(result(exercise(check(FAILED))))
    assert "default-src 'none'; style-src 'sha256-" in made
    for word in ("<script", "http:", "https:", "url(", "@import", "src=", "style="):
        assert word not in made


def test_headings_are_in_order_and_landmarks_are_there() -> None:
    reader = Reader(
        shown(result(exercise(check(FAILED), question="Why?"), faults=(Fault("a", FaultKind.RAISED),), repairs=("b",)))
    )
    assert reader.levels == [1, 2, 3, 3, 2, 3, 3]
    assert [tag for tag in reader.tags if tag in ("header", "main", "footer")] == ["header", "main", "footer"]
    assert ("lang", "en") in reader.attributes


def test_a_task_that_is_not_trusted_markup_is_escaped() -> None:
    task = Task("<i>heading</i>", "<script>")  # type: ignore[arg-type]
    made = page(result(exercise(check(FAILED))), "x", {"posterior": task})
    assert "<script" not in made and "&lt;i&gt;heading" in made


def test_two_students_with_one_result_get_the_same_section_and_their_own_name() -> None:
    some = exercise(check(FAILED, "Order does not matter."))
    ada, bob = (shown(result(some, student=student)) for student in ("ada", "bob"))
    assert ada.replace("<bdi>ada</bdi>", "<bdi>bob</bdi>") == bob


# --- The verb ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    for student in ("ada", "bob", "<script>x"):
        store.write(tmp_path, result(exercise(check(FAILED)), student=student))
    return tmp_path


def pages(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_student_gets_a_page_and_a_second_run_changes_none(
    graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["feedback", str(graded)]) == 0
    assert capsys.readouterr().out == f"3 pages of feedback in {graded / 'feedback'}\n"
    first = pages(graded / "feedback")
    assert list(first) == [f"{student}/{STEM}/{STEM}.html" for student in ("<script>x", "ada", "bob")]
    times = {path: path.stat().st_mtime_ns for path in (graded / "feedback").rglob("*.html")}
    assert main(["feedback", str(graded)]) == 0
    assert "(3 unchanged)" in capsys.readouterr().out
    assert pages(graded / "feedback") == first
    assert {path: path.stat().st_mtime_ns for path in (graded / "feedback").rglob("*.html")} == times


def test_students_notebooks_and_the_folder_can_be_chosen(
    graded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sent"
    assert main(["feedback", str(graded), "--out", str(out), "--student", "bob", "--assignment", STEM]) == 0
    assert list(pages(out)) == [f"bob/{STEM}/{STEM}.html"]
    assert main(["feedback", str(graded), "--student", "bobb"]) == 2
    assert "There is no result of a student called 'bobb'. Did you mean 'bob'?" in capsys.readouterr().err
    assert main(["feedback", str(graded), "--assignment", "09_more"]) == 2


def test_a_folder_without_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feedback", str(tmp_path)]) == 2
    assert "There are no results in" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_used_is_named_and_the_rest_gets_its_pages(
    graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (graded / "results" / "bob" / f"{STEM}.json").write_text('{"student": "bob"')
    store.write(graded, replace(result(exercise()), assignment="77_unknown"))
    moved = json.loads((graded / "results" / "ada" / f"{STEM}.json").read_text()) | {"student": "../../eve"}
    (graded / "results" / "eve").mkdir()
    (graded / "results" / "eve" / f"{STEM}.json").write_text(json.dumps(moved))
    assert main(["feedback", str(graded)]) == 1
    said = capsys.readouterr()
    assert "2 pages of feedback" in said.out
    for words in (
        f"bob/{STEM}.json cannot be read as a result",
        "There is no notebook '77_unknown'",
        "it is the result of another submission ('../../eve'",
    ):
        assert words in said.err
    assert list(pages(graded / "feedback")) == [f"{student}/{STEM}/{STEM}.html" for student in ("<script>x", "ada")]
    assert not (graded.parent / "eve").exists()


@pytest.mark.parametrize("verb", ["feedback", "report"])
def test_every_result_is_read_once(graded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    asked: list[Path] = []
    opened = files.open_regular

    def counting(path: Path, *, links: bool = False) -> BinaryIO:
        asked.append(path)
        return opened(path, links=links)

    monkeypatch.setattr(files, "open_regular", counting)
    assert main([verb, str(graded), "--out", str(tmp_path / "out")]) == 0
    read = [path for path in asked if path.is_relative_to(graded)]
    assert sorted(read) == sorted((graded / "results").glob("*/*.json"))


def test_lateness_extensions_and_rounding_are_told_on_the_page(
    graded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from autograder.classroom import marks
    from autograder.course import policy
    from autograder.nbgrader_bridge.gradebook import Entry

    due = datetime(2026, 10, 12, 22, tzinfo=UTC)
    rules = policy.Policy(due={STEM: due}, late=policy.Late(percent=Decimal(10)), round_to=Decimal("0.5"))
    entries = [
        Entry("ada", STEM, Decimal("3.8"), Decimal(4), due.replace(day=14), False),
        Entry("bob", STEM, Decimal(0), Decimal(4), None, False),
    ]
    monkeypatch.setattr(
        feedback, "read_marks", lambda place, course, results: marks.compute(entries, rules, {STEM: Decimal(4)}, {})
    )
    feedback.write(graded, Course.default(), tmp_path / "out")
    late = secrecy.text((tmp_path / "out" / "ada" / STEM / f"{STEM}.html").read_text())
    for words in (
        "The checks gave 0 points; your instructor made it 3.8.",
        "It was due on 12 October 2026 at 22:00 UTC, and handed in 2 days later.",
        "Being late costs 0.8 of your 3.8 points, which leaves 3.",
        "3  of 4 points",
    ):
        assert words in late
    assert (
        "When it was handed in is not known, so nothing was taken off."
        in (tmp_path / "out" / "bob" / STEM / f"{STEM}.html").read_text()
    )

    rules = policy.Policy(due={STEM: due}, zone=ZoneInfo("Europe/Vienna"))
    feedback.write(graded, Course.default(), tmp_path / "vienna")
    assert (
        "It was due on 13 October 2026 at 00:00 CEST"
        in (tmp_path / "vienna" / "ada" / STEM / f"{STEM}.html").read_text()
    )


def test_a_formula_that_cannot_be_rendered_is_told_and_shown_as_written(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    source = sources.read(course.source(STEM))
    task = next(cell for cell in source.cells if cell.id == "posterior-task")
    task.source += r" So $\unheardof$."
    notebook.write(source, course.source(STEM))
    store.write(tmp_path, result(exercise(check(FAILED))))
    written = feedback.write(tmp_path, course)
    assert written.problems == (
        rf"{STEM}, posterior: The formula “\unheardof” cannot be rendered: \unheardof is not understood. "
        "It is shown as it was written.",
    )
    assert r"<code>\unheardof</code>" in (tmp_path / "feedback" / "ada" / STEM / f"{STEM}.html").read_text()


# --- The demo class: nothing secret on any page -----------------------------------------------------------------------


@dataclass(frozen=True)
class Class:
    """A graded class with its pages."""

    course: Course
    submitted: Path
    graded: Path

    def page(self, student: str) -> str:
        return (self.graded / "feedback" / student / STEM / f"{STEM}.html").read_text()


def tell_all(source: NotebookNode, calls: list[str]) -> NotebookNode:
    """Answers that pass every visible check, then print, raise and return whatever they are asked."""
    codes = {}
    for name in dict.fromkeys(calls):
        right = samples.reference_code(source, name)
        codes[name] = (
            f"{right}\nright_{name} = {name}\nseen_{name} = []\n"
            f"def {name}(*args, **kwargs):\n    seen_{name}.append(repr((args, kwargs)))\n    print(seen_{name})\n"
            f"    if len(seen_{name}) <= {calls.count(name)}:\n        return right_{name}(*args, **kwargs)\n"
            f"    if len(seen_{name}) % 2:\n        return seen_{name}\n    raise ValueError(' '.join(seen_{name}))"
        )
    return samples.answered(source, codes)


@pytest.fixture(scope="module")
def demo_class(tmp_path_factory: pytest.TempPathFactory) -> Class:
    root = tmp_path_factory.mktemp("feedback")
    course = copy_course(root / "course")
    shutil.copy(REPOSITORY.released(STEM), course.notebooks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Course, "default", classmethod(lambda cls: course))
        assert main(["demo", "--out", str(root / "demo")]) == 0
    source = sources.read(course.source(STEM))
    asked = [name for name, _ in secrecy.visible_calls(course, STEM) if not name.endswith(" gives")]
    raises = {"posterior": "def posterior(prior, likelihood):\n    table = {}\n    return table[len(prior)]"}
    pages_of_the_demo = list((root / "demo" / "graded" / "feedback").rglob("*.html"))
    assert len(pages_of_the_demo) == len(list((root / "demo" / "submitted").iterdir())) > 100
    for student, work in {"tells-all": tell_all(source, asked), "raises": samples.answered(source, raises)}.items():
        notebook.write(work, root / "demo" / "submitted" / student / STEM / f"{STEM}.ipynb")
    made = Class(course, root / "demo" / "submitted", root / "demo" / "graded")
    grade(course, made.submitted, Options(made.graded, fixed=True))  # the two that are new, with the demo's numbers
    feedback.write(made.graded, course)
    return made


@pytest.fixture(scope="module")
def secrets(demo_class: Class) -> secrecy.Secrets:
    return secrecy.Secrets(demo_class.course, STEM)


def test_no_page_of_the_demo_class_shows_anything_secret(demo_class: Class, secrets: secrecy.Secrets) -> None:
    released = notebook.read(demo_class.course.released(STEM))
    found = {}
    everybody = sorted((demo_class.graded / "results").glob(f"*/{STEM}.json"))
    assert len(everybody) > 100
    for path in everybody:
        student = path.parent.name
        submission = notebook.read(demo_class.submitted / student / STEM / f"{STEM}.ipynb")
        page_without_prices = re.sub(r'<p class="cost">.*?</p>', "", demo_class.page(student))  # numbers of our own
        if leaks := secrets.found(page_without_prices, secrecy.own_words(released, submission)):
            found[student] = leaks
    assert found == {}


@pytest.mark.parametrize(
    "planted",
    [
        "prior was [{0!r} {1!r} {2!r}]",  # a hidden input, as NumPy prints it
        "bayes_binary({0!r}, {1!r}, {2!r})",  # a hidden call
        "got {3:.6g}",  # an expected value, to six digits
        "got {3:.9g}",
        "“test_a_rare_cause_stays_unlikely_after_one_sign” did not pass",
        "assert_matches(student.bayes_binary(*numbers), by_odds(*numbers))",
        "<code>p_b = p_a_and_b + p_b_given_not_a * (1 - p_a)</code>",
        "other = np.subtract(1, p_a) * p_b_given_not_a",
        "P(A|B) and P(B|A) are the same thing said in two ways.",
        "commits_the_prosecutors_fallacy",
    ],
)
def test_the_search_does_find_what_is_secret(demo_class: Class, secrets: secrecy.Secrets, planted: str) -> None:
    clean = demo_class.page("untouched")
    assert secrets.found(clean) == []
    asked, answered = (numbers for _, numbers in secrecy.hidden_calls(REPOSITORY, STEM)[:2])
    text = planted.format(*asked, *answered)
    assert len(secrets.found(clean.replace("</main>", f"<p>{text}</p></main>"))) >= 1


def test_who_tells_all_has_seen_hidden_numbers_and_the_page_shows_none(demo_class: Class) -> None:
    document = (demo_class.graded / "results" / "tells-all" / f"{STEM}.json").read_text()
    asked = ", ".join(map(repr, secrecy.hidden_calls(REPOSITORY, STEM)[0][1]))
    assert f"({asked})" in document  # for instructors
    assert asked not in secrecy.text(demo_class.page("tells-all"))


def test_a_students_own_traceback_is_on_the_page(demo_class: Class) -> None:
    assert "<pre>posterior, line 3: return table[len(prior)]\nKeyError: 2</pre>" in demo_class.page("raises")
    assert "/" not in re.findall(r"<pre>(posterior, line 3.*?)</pre>", demo_class.page("raises"), re.DOTALL)[0]


def test_a_page_of_the_demo_class_is_small_and_says_the_marks(demo_class: Class) -> None:
    for path in sorted((demo_class.graded / "feedback").glob("*/*/*.html")):
        assert path.stat().st_size < 50_000, path
    assert "20  of 20 points" in secrecy.text(demo_class.page("perfect"))
    assert "All six exercises are right. Well done!" in demo_class.page("perfect")
    assert "None of the six exercises was attempted." in demo_class.page("untouched")
    wrong = demo_class.page("wrong-bayes_binary-commits-the-prosecutors-fallacy")
    assert '<p class="question">If you change only how common A is, does your answer move?</p>' in wrong
    assert "fallacy" not in wrong.replace("wrong-bayes_binary-commits-the-prosecutors-fallacy", "")


# --- In a browser -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing.chromium() as started:
        yield started


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 1100), ("light", 320)])
def test_axe_finds_no_fault_and_nothing_is_cut_off(demo_class: Class, browser: Any, scheme: str, width: int) -> None:
    tab = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    for student in ("has-a-syntax-error", "wrong-bayes_binary-refuses-certainty") if width > 500 else ("raises",):
        tab.goto((demo_class.graded / "feedback" / student / STEM / f"{STEM}.html").as_uri())
        tab.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true })")
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), student
        assert tab.evaluate("document.querySelector('math').getBoundingClientRect().width") > 5
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
    assert [url for url in asked if not url.startswith("file:")] == []
    assert said == []  # the page keeps to its own security policy
    tab.close()


def test_on_paper_everything_is_open(demo_class: Class, browser: Any) -> None:
    with browsing.opened(browser) as tab:
        tab.goto((demo_class.graded / "feedback" / "perfect" / STEM / f"{STEM}.html").as_uri())
        inside = "document.querySelector('details ul')"
        height = f"{inside}.checkVisibility() && {inside}.offsetHeight"
        assert not tab.evaluate(height)
        tab.emulate_media(media="print")
        tab.wait_for_function(f"{height} > 50")  # the content is laid out with the next frame, not with the new style
