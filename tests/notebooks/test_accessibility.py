"""Notebooks that can be read without seeing them: text for every figure, headings in order, colours that stand out."""

import ast
import contextlib
import io
import re
from itertools import combinations
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from nbformat import NotebookNode

from autograder.course import Course, notebook, sources

COURSE = Course.default()
STEMS = COURSE.select(None, tours=True)
QUICK = [
    "01_bayes_rule",
    "02_maximum_likelihood",
    "03_naive_bayes",
    "05_logistic_derivation",
    "07_newton_raphson",
]  # run in seconds
SHORTEST = 20  # characters; less than that does not say what one would see


def headings(source: NotebookNode) -> list[tuple[int, str]]:
    """The level and the text of every heading, in order; code in fences does not count."""
    found = []
    for cell in source.cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"^(```|~~~).*?^\1", "", cell.source, flags=re.MULTILINE | re.DOTALL)
            found += [(len(signs), text) for signs, text in re.findall(r"^(#{1,6}) +(.+)$", prose, re.MULTILINE)]
    return found


def out_of_order(levels: list[int]) -> list[int]:
    """The places at which a heading skips a level, or a second title begins."""
    return [
        place
        for place, level in enumerate(levels)
        if level > (levels[place - 1] + 1 if place else 1) or (place and level == 1)
    ]


def figures_without_words(code: str) -> list[int]:
    """The lines that show a figure without an alternative in words."""
    lines = []
    for node in ast.walk(ast.parse(TransformerManager().transform_cell(code))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "show":
            given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "alt")]
            text = "".join(
                part.value
                for some in given
                for part in ast.walk(some)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )
            computed = any(not isinstance(some, ast.Constant) for some in given)
            if not given or (len(text) < SHORTEST and not computed):
                lines.append(node.lineno)
    return lines


def lines_of_many_colours(code: str) -> list[int]:
    """The lines of code that draw contours in the colours of a map: the pale ones do not stand out from white."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(TransformerManager().transform_cell(code)))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") == "contour"
        and not any(some.arg == "colors" for some in node.keywords)
    ]


def pictures_without_words(text: str) -> list[str]:
    """The pictures in a markdown text that have no alternative in words."""
    tags = [tag for tag in re.findall(r"<img\b[^>]*>", text) if not re.search(r"""\balt=["'][^"']{5,}""", tag)]
    return tags + re.findall(r"!\[\s*\]\([^)]*\)", text)


def light(colour: str) -> np.ndarray:
    """The red, green and blue light of a colour, without the curve of the screen."""
    shown = np.array(to_rgb(colour))
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)


def contrast(first: str, second: str) -> float:
    """The contrast of two colours, from 1 to 21, as WCAG defines it."""
    dark, bright = sorted(float(light(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (first, second))
    return (bright + 0.05) / (dark + 0.05)


# What is left of red, green and blue light for people without one kind of cone: Machado, Oliveira and Fernandes (2009).
EYES = {
    "all cones": np.eye(3),
    "no long": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no middle": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no short": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]


def difference(first: str, second: str, eyes: str) -> float:
    """How different two colours look to such eyes: their distance in CIELAB. Two is just noticed side by side."""

    def lab(colour: str) -> np.ndarray:
        x, y, z = TO_XYZ @ np.clip(np.asarray(EYES[eyes]) @ light(colour), 0, 1) / [0.95047, 1, 1.08883]
        fx, fy, fz = (np.cbrt(v) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
        return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])

    return float(np.linalg.norm(lab(first) - lab(second)))


def cycle() -> list[str]:
    """The colours that figures use one after the other."""
    style = matplotlib.rc_params_from_file(COURSE.notebooks / "matplotlibrc", use_default_template=True)
    return [f"#{entry['color'].lstrip('#')}" for entry in style["axes.prop_cycle"]]


Looks = dict[str, tuple[str, str, str]]  # by label: kind, traits, outline
Figures = dict[str, list[Looks]]  # by cell: the panels of the figure that it shows


def looks(ax: Axes) -> Looks:
    """What the legend of a panel tells apart, by label: everything but colour."""
    found = {}
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        one = getattr(handle, "patches", [handle])[0]  # of bars, the first
        traits = {
            name: getattr(one, f"get_{name}")()
            for name in ("linestyle", "marker", "fillstyle", "hatch", "sizes")
            if hasattr(one, f"get_{name}")
        }
        outline = [path.vertices.tolist() for path in one.get_paths()[:1]] if hasattr(one, "get_paths") else []
        found[label] = (type(one).__name__, str(traits), str(outline))
    return found


def drawn(stem: str) -> Figures:
    """The figures that a source notebook shows, by cell: for each panel, how its parts look without colour."""
    found: Figures = {}
    names: dict[str, Any] = {"__name__": "__main__"}

    def show(fig: Figure, alt: str) -> None:
        found[cell] = [looks(ax) for ax in fig.axes]
        plt.close(fig)

    source = sources.read(COURSE.source(stem))
    sliders = {cell.id for cell in source.cells if "nbval-ignore-output" in cell.metadata.get("tags", [])}
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(io.StringIO()),
        plt.rc_context(fname=COURSE.notebooks / "matplotlibrc"),
    ):
        patch.syspath_prepend(COURSE.notebooks)
        import checks

        patch.setattr(checks, "show", show)
        for cell, code in notebook.code_cells(source):
            if cell not in sliders:
                exec("\n".join(line for line in code.splitlines() if not line.startswith("%")), names)
    return found


@pytest.mark.parametrize("stem", STEMS)
def test_every_figure_is_told_in_words(stem: str) -> None:
    source = sources.read(COURSE.source(stem))
    silent = {cell: figures_without_words(code) for cell, code in notebook.code_cells(source)}
    assert {cell: lines for cell, lines in silent.items() if lines} == {}


@pytest.mark.parametrize("stem", STEMS)
def test_every_stored_picture_carries_its_words(stem: str) -> None:
    for cell in sources.read(COURSE.source(stem)).cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                assert len(output.metadata.get("image/png", {}).get("alt", "")) >= SHORTEST, cell.id


@pytest.mark.parametrize("stem", STEMS)
def test_every_picture_in_the_text_is_told_in_words(stem: str) -> None:
    for cell in sources.read(COURSE.source(stem)).cells:
        if cell.cell_type == "markdown":
            assert pictures_without_words(cell.source) == [], cell.id


@pytest.mark.parametrize("stem", STEMS)
def test_headings_begin_with_one_title_and_skip_no_level(stem: str) -> None:
    found = headings(sources.read(COURSE.source(stem)))
    assert found and [found[place] for place in out_of_order([level for level, _ in found])] == []


def test_lines_and_words_in_figures_stand_out_from_the_ground() -> None:
    style = matplotlib.rc_params_from_file(COURSE.notebooks / "matplotlibrc", use_default_template=True)
    ground = style["figure.facecolor"]
    assert {colour: contrast(colour, ground) for colour in cycle() if contrast(colour, ground) < 3} == {}
    for words in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color"):
        assert contrast(style[words], ground) >= 4.5


@pytest.mark.parametrize("stem", STEMS)
def test_contours_are_drawn_in_a_colour_that_stands_out(stem: str) -> None:
    cells = notebook.code_cells(sources.read(COURSE.source(stem)))
    assert {cell: lines for cell, code in cells if (lines := lines_of_many_colours(code))} == {}


@pytest.mark.parametrize("eyes", EYES)
def test_lines_in_figures_are_told_apart_by_eyes_of_every_kind(eyes: str) -> None:
    pairs = {pair: difference(*pair, eyes) for pair in combinations(cycle(), 2)}
    assert len(pairs) == 10 and {pair: apart for pair, apart in pairs.items() if apart < 15} == {}


@pytest.mark.parametrize("stem", QUICK)
def test_nothing_in_a_figure_is_told_apart_by_colour_alone(stem: str) -> None:
    figures = drawn(stem)
    alike = {
        cell: list(panel)
        for cell, panels in figures.items()
        for panel in panels
        if len(set(panel.values())) < len(panel)
    }
    assert figures and alike == {}


def test_the_tour_leads_to_every_notebook() -> None:
    [tour] = COURSE.tours()
    text = "\n".join(cell.source for cell in sources.read(COURSE.source(tour)).cells if cell.cell_type == "markdown")
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
def test_a_figure_without_words_is_found(code: str, lines: list[Any]) -> None:
    assert figures_without_words(code) == lines


def test_contours_in_the_colours_of_a_map_are_found() -> None:
    assert lines_of_many_colours(
        'ax.contour(x, y, z, cmap="viridis")\nax.contour(x, y, z)\nax.contour(x, y, z, colors="k")'
    ) == [1, 2]
    assert lines_of_many_colours('ax.contourf(x, y, z, cmap="viridis")') == []


@pytest.mark.parametrize(
    ("levels", "places"), [([1, 2, 3, 2, 3], []), ([2], [0]), ([1, 3], [1]), ([1, 2, 4], [2]), ([1, 2, 1], [2])]
)
def test_a_heading_out_of_order_is_found(levels: list[int], places: list[Any]) -> None:
    assert out_of_order(levels) == places


@pytest.mark.parametrize("text", ["![](a.png)", "![ ](a.png)", '<img src="a.png">', '<img alt="" src="a.png">'])
def test_a_picture_without_words_is_found(text: str) -> None:
    assert pictures_without_words(text)
    assert not pictures_without_words('![A map](a.png) <img alt="A map of it">')


def test_contrast_is_the_one_of_wcag() -> None:
    assert contrast("white", "black") == pytest.approx(21)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.01)


def test_colours_that_only_some_eyes_tell_apart_are_found() -> None:
    red, green = "#C00000", "#4F6A00"
    assert difference(red, green, "all cones") > 80 > 15 > difference(red, green, "no middle")
    assert difference("white", "black", "no short") == pytest.approx(100, abs=0.1)


def test_lines_that_differ_in_colour_alone_are_found() -> None:
    fig, axes = plt.subplots(1, 2)
    for ax, styles in zip(axes, [("-", "-"), ("-", "--")], strict=True):
        for style in styles:
            ax.plot([0, 1], [0, 1], style, label=f"line {len(ax.lines)}")
    assert [len(set(looks(ax).values())) for ax in axes] == [1, 2]
    plt.close(fig)
