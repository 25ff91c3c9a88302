"""Notebooks that can be read without seeing them: text for every figure, headings in order, colours that stand out."""

import ast
import re

import matplotlib
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from matplotlib.colors import to_rgb

from autograder import notebook
from autograder.course import Course

COURSE = Course.default()
STEMS = COURSE.select(None, tours=True)
SHORTEST = 20  # characters; less than that does not say what one would see


def headings(source):
    """The level and the text of every heading, in order; code in fences does not count."""
    found = []
    for cell in source.cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"^(```|~~~).*?^\1", "", cell.source, flags=re.MULTILINE | re.DOTALL)
            found += [(len(signs), text) for signs, text in re.findall(r"^(#{1,6}) +(.+)$", prose, re.MULTILINE)]
    return found


def out_of_order(levels):
    """The places at which a heading skips a level, or a second title begins."""
    return [
        place
        for place, level in enumerate(levels)
        if level > (levels[place - 1] + 1 if place else 1) or (place and level == 1)
    ]


def figures_without_words(code):
    """The lines that show a figure without an alternative in words."""
    lines = []
    for node in ast.walk(ast.parse(TransformerManager().transform_cell(code))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "show":
            given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "alt")]
            text = "".join(part.value for some in given for part in ast.walk(some) if isinstance(part, ast.Constant) and isinstance(part.value, str))
            computed = any(not isinstance(some, ast.Constant) for some in given)
            if not given or (len(text) < SHORTEST and not computed):
                lines.append(node.lineno)
    return lines


def pictures_without_words(text):
    """The pictures in a markdown text that have no alternative in words."""
    tags = [tag for tag in re.findall(r"<img\b[^>]*>", text) if not re.search(r"""\balt=["'][^"']{5,}""", tag)]
    return tags + re.findall(r"!\[\s*\]\([^)]*\)", text)


def contrast(first, second):
    """The contrast of two colours, from 1 to 21, as WCAG defines it."""

    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, bright = sorted([luminance(first), luminance(second)])
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("stem", STEMS)
def test_every_figure_is_told_in_words(stem):
    source = notebook.read_source(COURSE.source(stem))
    silent = {cell: figures_without_words(code) for cell, code in notebook.code_cells(source)}
    assert {cell: lines for cell, lines in silent.items() if lines} == {}


@pytest.mark.parametrize("stem", STEMS)
def test_every_stored_picture_carries_its_words(stem):
    for cell in notebook.read_source(COURSE.source(stem)).cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                assert len(output.metadata.get("image/png", {}).get("alt", "")) >= SHORTEST, cell.id


@pytest.mark.parametrize("stem", STEMS)
def test_every_picture_in_the_text_is_told_in_words(stem):
    for cell in notebook.read_source(COURSE.source(stem)).cells:
        if cell.cell_type == "markdown":
            assert pictures_without_words(cell.source) == [], cell.id


@pytest.mark.parametrize("stem", STEMS)
def test_headings_begin_with_one_title_and_skip_no_level(stem):
    found = headings(notebook.read_source(COURSE.source(stem)))
    assert found and [found[place] for place in out_of_order([level for level, _ in found])] == []


def test_lines_and_words_in_figures_stand_out_from_the_ground():
    style = matplotlib.rc_params_from_file(COURSE.notebooks / "matplotlibrc", use_default_template=True)
    ground = style["figure.facecolor"]
    lines = [entry["color"] for entry in style["axes.prop_cycle"]]
    assert [contrast(f"#{line.lstrip('#')}", ground) >= 3 for line in lines[:4]] == [True] * 4
    for words in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color"):
        assert contrast(style[words], ground) >= 4.5


def test_the_tour_leads_to_every_notebook():
    [tour] = COURSE.tours()
    text = "\n".join(cell.source for cell in notebook.read_source(COURSE.source(tour)).cells if cell.cell_type == "markdown")
    assert tuple(dict.fromkeys(re.findall(r"\]\((\w+)\.ipynb\)", text))) == COURSE.stems()


# --- That these tests can fail ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("show(fig)", [1]),
        ("x = 1\nshow(fig, '')", [2]),
        ("show(fig, 'a line')", [1]),
        ("plt.show()", [1]),
        ("show(fig, 'A line that rises from 0 to 1.')", []),
        ("show(fig, f'From {a}')", []),
        ("show(fig, alt='A line that rises from 0 to 1.')", []),
    ],
)
def test_a_figure_without_words_is_found(code, lines):
    assert figures_without_words(code) == lines


@pytest.mark.parametrize(("levels", "places"), [([1, 2, 3, 2, 3], []), ([2], [0]), ([1, 3], [1]), ([1, 2, 4], [2]), ([1, 2, 1], [2])])
def test_a_heading_out_of_order_is_found(levels, places):
    assert out_of_order(levels) == places


@pytest.mark.parametrize("text", ["![](a.png)", "![ ](a.png)", '<img src="a.png">', '<img alt="" src="a.png">'])
def test_a_picture_without_words_is_found(text):
    assert pictures_without_words(text)
    assert not pictures_without_words('![A map](a.png) <img alt="A map of it">')


def test_contrast_is_the_one_of_wcag():
    assert contrast("white", "black") == pytest.approx(21)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.01)
