"""What an instructor replied to a group, on the feedback pages of those who are in it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from autograder.course.model import CheckResult, ExerciseResult, Reply, Result, Verdict
from autograder.pages.feedback_page import page

STEM = "01_bayes_rule"
CHECK = CheckResult("test_of_a_law", Verdict.FAILED, "A law.")


def shown(reply: Reply | None, score: float = 0, **more: Any) -> str:
    """The page of somebody with one wrong answer, which our own question is about, too."""
    exercise = ExerciseResult("posterior", score, 4, Verdict.FAILED, (CHECK,), question="Ours?", reply=reply, **more)
    return page(Result("ada", STEM, "strong", (exercise,)), "1. Bayes' rule", {})


def text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_comment_is_shown_as_it_was_meant_and_our_question_stays() -> None:
    html = shown(Reply("", "Look at the **prior**.\n\nThen at $x$."))
    assert "To everybody who answered like this: Look at the prior . Then at x" in text(html)
    assert "<strong>prior</strong>" in html and "<math" in html
    assert "Ours?" in html and "by hand" not in html


def test_a_question_of_the_instructors_comes_in_the_place_of_ours() -> None:
    html = shown(Reply("What does `prior` sum to?"))
    assert "What does <code>prior</code> sum to?" in html and "Ours?" not in html


def test_a_mark_is_named_as_given_by_hand_and_what_the_checks_gave_is_said() -> None:
    html = shown(Reply("", "Look.", 1.5, 0.5), score=1.5)
    told = "1.5 of 4 points, given by hand to everybody who answered like this. The checks gave 0.5 points."
    assert told in text(html)
    assert '<p class="total">1.5 <small>of 4 points' in html


def test_all_points_by_hand_do_not_make_a_wrong_answer_right() -> None:
    told = text(shown(Reply("", "", 4.0, 0.0), score=4.0))
    assert "Not right yet : 4 of 4 points." in told and "given by hand" in told


def test_who_got_no_reply_reads_of_none() -> None:
    html = shown(None)
    assert "From your instructor" not in html and "Ours?" in html


HOSTILE = "<script>1</script> <img src=x onerror=1> [a](javascript:1) ![b](http://192.0.2.1/c.png)"


@pytest.mark.parametrize("reply", [Reply(question=HOSTILE), Reply(comment=HOSTILE)])
def test_nothing_that_is_in_a_reply_becomes_a_part_of_the_page(reply: Reply) -> None:
    html = shown(reply)
    assert "&lt;script&gt;" in html
    assert not re.search(r"<(?:script|img)|<a [^>]*javascript", html)


def test_headings_stay_in_order_with_a_heading_in_a_comment() -> None:
    levels = [int(level) for level in re.findall(r"<h([1-6])", shown(Reply("", "# First\n\nLook.")))]
    assert all(below <= above + 1 for above, below in pairwise(levels))
