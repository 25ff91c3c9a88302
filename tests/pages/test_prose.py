"""The text of notebooks as HTML: mathematics that a browser draws, and nothing that loads, runs or breaks a page."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from autograder.course import Course, sources
from autograder.course.errors import SourceError
from autograder.course.mathematics import mathml
from autograder.pages import prose

COURSE = Course.default()


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_every_formula_of_the_course_can_be_rendered(stem: str) -> None:
    formulas = 0
    for cell in sources.read(COURSE.source(stem)).cells:
        if cell.cell_type == "markdown":
            rendered = prose.render(cell.source)
            assert rendered.problems == (), cell.id
            assert "$" not in rendered.html.replace("<code>", "") or "`" in cell.source, cell.id
            formulas += rendered.html.count("<math")
    assert formulas > 50 or stem.startswith("00_")


@pytest.mark.parametrize("stem", COURSE.stems())
def test_every_exercise_says_what_it_asks(stem: str) -> None:
    source = sources.read(COURSE.source(stem))
    tasks = sources.tasks(source)
    assert list(tasks) == [exercise.name for exercise in sources.exercises(source)]
    for name, text in tasks.items():
        heading, below = prose.split_heading(text)
        assert f"`{name}`" in heading and len(below) > 100


def test_a_formula_is_drawn_by_the_browser_itself() -> None:
    tree = ElementTree.fromstring(mathml(r"P(A \mid B) = \frac{P(B \mid A)\,P(A)}{P(B)}", block=True))
    assert tree.tag == "math" and tree.get("display") == "block"
    fraction = tree.find(".//mfrac")
    assert fraction is not None and len(fraction) == 2
    assert "".join(tree.itertext()) == "P(A∣B)=P(B∣A)P(A)P(B)"


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"\frac{1}", "something is missing"),
        (r"\unheardof x", r"\unheardof is not understood"),
        (r"\begin{aligned} a &= b \end{aligned}", "& is not understood"),
        ("x^a^b", "DoubleSuperscripts"),
        (r"\href{javascript:alert(1)}{x}", "href is not understood"),
    ],
)
def test_what_cannot_be_rendered_is_named(latex: str, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        mathml(latex)
    assert latex in str(caught.value) and words in str(caught.value)
    shown = prose.render(f"So ${latex}$.")
    assert shown.problems == (str(caught.value),)
    assert "<code>" in shown.html and "<math" not in shown.html


@pytest.mark.parametrize(("latex", "signs"), [("f(-x) = -1", 2), ("(a) - b + c", 0), ("|a| - b", 0)])
def test_the_minus_of_a_negative_number_stands_beside_it(latex: str, signs: int) -> None:
    assert mathml(latex).count('form="prefix">−') == signs


def test_text_in_a_formula_is_text() -> None:
    assert mathml(r"\text{<script>}") == '<math display="inline"><mrow><mtext>&lt;script&gt;</mtext></mrow></math>'


def test_tags_are_shown_and_not_obeyed() -> None:
    shown = prose.render(
        "<script>alert(1)</script> <b>x</b>\n\n<div onclick=x>\ny\n</div>\n\n`<i>`\n\n```\n<u>\n```"
    ).html
    for tag in ("<script", "<b>", "<div", "<i>", "<u>"):
        assert tag not in shown
        assert tag.replace("<", "&lt;").rstrip(">") in shown


def test_pictures_are_words_and_links_lead_to_the_web_or_nowhere() -> None:
    shown = prose.render(
        "![a map](map.png) [other](02_more.ipynb) [bad](javascript:alert(1)) [paper](https://example.org/a?b=1&c=2)"
    ).html
    assert (
        shown == "<p><span>(a map)</span> other bad "
        '<a href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer">paper</a></p>'
    )


def test_headings_come_below_and_skip_no_level() -> None:
    assert prose.render("# A\n\n#### B\n\n# C", below=2).html == "<h3>A</h3><h4>B</h4><h3>C</h3>"
    assert prose.split_heading("### Exercise 1: `f` (2 points)\n\nDo it.\n") == ("Exercise 1: `f` (2 points)", "Do it.")
    assert prose.split_heading("Do it.") == ("", "Do it.")
    assert (
        prose.render_line("`f` and $x$").html
        == '<code>f</code> and <math display="inline"><mrow><mi>x</mi></mrow></math>'
    )
