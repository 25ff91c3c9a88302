"""What a grading process draws is, pixel by pixel, what matplotlib draws when it is left alone."""

from __future__ import annotations

import gc
import importlib
import io
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import SimpleLineShadow
from matplotlib.text import Text
from PIL import Image

from autograder.sandbox import drawing, matplotlib_version

ROOT = Path(__file__).parents[2]
X = np.linspace(0.01, 3, 50)


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.use("Agg")
        matplotlib.rcdefaults()
        yield
        plt.close("all")


def labelled() -> Figure:
    figure, axes = plt.subplots()
    axes.plot(X, X**2, label="a square")
    axes.set(title="One title\nin two lines", xlabel="$x_1$ in mm", ylabel="two\nlines")
    axes.legend()
    return figure


def a_grid_without_labels() -> Figure:
    figure, grid = plt.subplots(2, 3)
    for number, axes in enumerate(grid.flat):
        axes.plot(X, 10.0**number * X)
        axes.set_title(f"panel {number}")
    return figure


def aligned_labels_of_different_width() -> Figure:
    figure, (upper, lower) = plt.subplots(2, 1, sharex=True)
    upper.plot(X, 1e6 * X)
    lower.plot(X, X)
    upper.set_ylabel("above")
    lower.set_ylabel("below")
    figure.align_ylabels()
    return figure


def an_empty_label_beside_an_aligned_one() -> Figure:
    figure = aligned_labels_of_different_width()
    figure.axes[0].set_ylabel("")
    return figure


def constrained() -> Figure:
    figure, grid = plt.subplots(2, 2, layout="constrained")
    for axes in grid.flat:
        picture = axes.imshow(np.outer(X, X))
        figure.colorbar(picture, ax=axes)
    grid[0, 0].set(title="left above", ylabel="rows")
    figure.suptitle("all four")
    return figure


def tight() -> Figure:
    figure, (left, right) = plt.subplots(1, 2, layout="tight")
    left.bar(["one", "a second one", "three"], [1, 2, 3])
    left.tick_params("x", rotation=40)
    right.barh(["one", "a second one", "three"], [1, 2, 3])
    right.set_xlabel("how many")
    return figure


def ticks_on_top() -> Figure:
    figure, axes = plt.subplots()
    axes.matshow(np.eye(4))
    axes.set(title="confusion", xlabel="said")
    axes.xaxis.set_label_position("top")
    return figure


def an_offset_beside_the_title() -> Figure:
    figure, axes = plt.subplots()
    axes.plot(X, 1e9 + X)
    axes.set_title("left", loc="left")
    axes.set_title("right", loc="right")
    axes.twinx().plot(X, 1e-9 * X)
    return figure


def twins_and_logarithms() -> Figure:
    figure, axes = plt.subplots()
    axes.loglog(X, X**3)
    axes.twinx().plot(X, -X)
    axes.secondary_yaxis(-0.2).set_ylabel("again")
    return figure


def texts_of_every_kind() -> Figure:
    figure, axes = plt.subplots()
    for number, (across, along) in enumerate(
        [("left", "top"), ("center", "center"), ("right", "bottom"), ("left", "baseline")]
    ):
        for angle in (0, 30, 90):
            axes.text(
                0.2 * number,
                0.3,
                "same\nwords",
                ha=across,
                va=along,
                rotation=angle,
                rotation_mode="anchor" if angle == 30 else None,
            )
    axes.text(0.1, 0.9, "same words, but larger", fontsize=20)
    axes.text(0.1, 0.8, "same words, but larger", fontsize=10, fontweight="bold")
    axes.text(0.1, 0.7, "$5 or $6", parse_math=False)
    axes.text(0.4, 0.7, "$5 or $6")
    axes.text(0.9, 0.5, "a line that is broken where the figure ends " * 3, wrap=True)
    axes.text(0.5, 0.5, "along the line", rotation=45, transform_rotates_text=True)
    axes.text(0.6, 0.9, "two\nlines", linespacing=3)
    axes.text(0.8, 0.9, "two\nlines", linespacing=1)
    axes.text(0.6, 0.1, "AVAVAVAVAV|", fontsize=20)
    axes.text(
        0.6,
        0.0,
        "AVAVAVAVAV|",
        fontsize=20,
        horizontalalignment="left",
        fontfeatures=["-kern"],
        backgroundcolor="yellow",
    )
    axes.annotate("here", (0.5, 0.5), (0.7, 0.2), arrowprops={"arrowstyle": "->"}, bbox={"boxstyle": "round"})
    return figure


def shared_axes_of_different_length() -> Figure:
    figure, grid = plt.subplots(2, 2, sharex=True, sharey=True, width_ratios=[1, 6], height_ratios=[1, 6])
    for axes in grid.flat:
        axes.plot(1e7 + 1e3 * X, 1e-7 * X)
        axes.tick_params(labelleft=True, labelbottom=True)
    grid[0, 0].set_title("small")
    figure.align_titles()
    return figure


def limits_that_follow_the_shape() -> Figure:
    figure, (left, right) = plt.subplots(1, 2, layout="constrained", width_ratios=[1, 3])
    for axes in (left, right):
        axes.plot(X, X**2)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set(xlabel="across", ylabel="along", title="equal")
    right.twinx().plot(X, 1e8 * X)
    return figure


def every_kind_of_tick() -> Figure:
    figure, (left, right) = plt.subplots(1, 2)
    left.plot(X, X)
    left.grid(color="red", linestyle=":")
    left.minorticks_on()
    left.tick_params("x", which="minor", length=9, color="blue", top=True)
    left.tick_params("y", direction="inout", pad=9, labelright=True, right=True, labelsize=7)
    left.xaxis.set_major_formatter(lambda value, place: f"{place}: {value:.1f}")
    first = right.xaxis.get_major_ticks(1)[0]  # what a tick passes on to new ones, and what it does not
    first.label1.set(color="green", horizontalalignment="right", fontsize=14, rotation=30, bbox={"boxstyle": "round"})
    first.tick1line.set(markersize=12, markeredgecolor="green")
    right.set_yscale("symlog", linthresh=0.5)
    right.plot(X, 100 * X)
    return figure


def more_texts_than_are_remembered() -> Figure:
    figure = plt.figure()
    for number in range(2500):
        figure.text(number % 50 / 50, number // 50 / 50, str(number), fontsize=4)
    plt.axes((0.4, 0.4, 0.2, 0.2))
    return figure


def a_table_and_a_pie() -> Figure:
    figure, (left, right) = plt.subplots(1, 2)
    left.table([["1", "2"], ["3", "4"]], colLabels=["a", "b"], loc="center")
    right.pie([1, 2, 3], labels=["one", "two", "three"], autopct="%d%%")
    return figure


def polar() -> Figure:
    figure, axes = plt.subplots(subplot_kw={"projection": "polar"})
    axes.plot(X, X)
    return figure


def in_three_dimensions() -> Figure:
    figure, axes = plt.subplots(subplot_kw={"projection": "3d"})
    axes.plot(X, X, X**2)
    axes.set_xlabel("x")
    return figure


def partly_transparent() -> Figure:
    figure, axes = plt.subplots(facecolor="none")
    axes.plot(X, X, alpha=0.5)
    return figure


def of_another_resolution() -> Figure:
    figure, axes = plt.subplots(dpi=57.5, figsize=(5, 2))
    axes.scatter(X, X**2, c=X)
    return figure


GALLERY = [
    *(
        labelled,
        a_grid_without_labels,
        aligned_labels_of_different_width,
        an_empty_label_beside_an_aligned_one,
        constrained,
        tight,
        ticks_on_top,
    ),
    *(
        an_offset_beside_the_title,
        twins_and_logarithms,
        texts_of_every_kind,
        a_table_and_a_pie,
        polar,
        in_three_dimensions,
    ),
    *(partly_transparent, of_another_resolution, more_texts_than_are_remembered, shared_axes_of_different_length),
    *(limits_that_follow_the_shape, every_kind_of_tick),
]


@pytest.mark.parametrize("build", GALLERY, ids=lambda build: build.__name__)
def test_the_picture_is_the_one_that_matplotlib_draws(build: Callable[[], Figure]) -> None:
    assert np.array_equal(ours(build()), matplotlibs(build()))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The course's package of this name, whichever course other tests have used in this process."""
    others = {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] == "checks"}
    monkeypatch.syspath_prepend(ROOT / "notebooks")
    yield importlib.import_module("checks")
    for name in [name for name in sys.modules if name.partition(".")[0] == "checks"]:
        del sys.modules[name]
    sys.modules.update(others)


@pytest.mark.parametrize("path", sorted((ROOT / "solutions").glob("0[1-8]_*.ipynb")), ids=lambda path: path.stem)
def test_every_figure_of_the_course_is_the_one_that_matplotlib_draws(
    path: Path, checks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "notebooks")
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # the figures beside the sliders are enough
    cells = [
        cell.source.replace("%matplotlib inline", "")
        for cell in nbformat.read(path, 4).cells
        if cell.cell_type == "code"
    ]
    matplotlib.rc_file("matplotlibrc")

    same: list[bool] = []

    def show(figure: Figure, alt: str) -> None:
        twin = pickle.loads(pickle.dumps(figure))  # noqa: S301  (drawing leaves traces in a figure: each way has its own)
        same.append(np.array_equal(ours(figure), matplotlibs(twin)))
        plt.close(figure)
        plt.close(twin)

    monkeypatch.setattr(checks, "show", show)
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        exec(cell, names)
    assert len(same) >= 4
    assert all(same)


def test_a_figure_that_was_drawn_can_be_labelled_and_drawn_again() -> None:
    again, once = a_grid_without_labels(), a_grid_without_labels()
    ours(again)
    for figure in (again, once):
        figure.axes[0].set(xlabel="now it has one", ylabel="and this, too")
    assert np.array_equal(ours(again), matplotlibs(once))


def test_ticks_of_a_figure_that_was_drawn_can_be_changed_one_by_one() -> None:
    again, once = labelled(), labelled()
    ours(again)
    matplotlibs(once)
    for figure in (again, once):
        _, second, third, fourth, *_ = figure.axes[0].xaxis.get_major_ticks()
        second.label1.set(fontsize=20, color="red")
        second.gridline.set(visible=True, linestyle="--", path_effects=[SimpleLineShadow()])
        third.tick1line.set(marker="o", markersize=9)
        fourth.label1.set(rotation=45, fontweight="bold")
        figure.axes[0].set_xlim(0, 3.6)
    assert np.array_equal(ours(again), matplotlibs(once))


def test_who_listens_to_one_tick_hears_of_no_other() -> None:
    figure = labelled()
    ours(figure)
    heard: list[Any] = []
    *_, one, another = figure.axes[0].get_xticklabels()
    one.add_callback(heard.append)
    another.set(color="red")
    assert heard == []
    one.set(color="red")
    assert heard == [one]


def test_axes_that_move_between_two_drawings_get_their_ticks_anew() -> None:
    again, once = labelled(), labelled()
    ours(again)
    for figure in (again, once):
        figure.axes[0].set(position=(0.2, 0.2, 0.2, 0.2), xlim=(0, 1000))
        figure.axes[0].yaxis.set_major_formatter("{x:.1f} m")
    assert np.array_equal(ours(again), matplotlibs(once))


REPLACED: list[tuple[Any, str]] = [
    *((Axis, name) for name in ("draw", "get_major_ticks", "get_minor_ticks", "_update_ticks")),
    *((Text, "_get_layout"), (Axes, "_update_title_position"), (RendererAgg, "_prepare_font")),
]


def test_matplotlib_is_itself_again_after_a_drawing_even_a_failed_one() -> None:
    methods = [*REPLACED, (Axis, "get_tightbbox")]
    own = [getattr(*method) for method in methods]
    ours(labelled())
    assert [getattr(*method) for method in methods] == own and gc.isenabled()
    figure = labelled()
    figure.axes[0].set_title("$\\nosuchcommand$")
    with pytest.raises(ValueError, match="nosuchcommand"):
        drawing.png(figure)
    assert [getattr(*method) for method in methods] == own and gc.isenabled()


def methods_while_drawing() -> list[Any]:
    """The methods of matplotlib that may be replaced, as they are during a drawing."""
    seen: list[Any] = []

    class Watcher(Artist):
        def draw(self, renderer: Any) -> None:
            seen.extend(getattr(*method) for method in REPLACED)

    figure = labelled()
    figure.add_artist(Watcher())
    ours(figure)
    return seen


def test_shortcuts_are_taken_with_a_version_that_was_tried() -> None:
    own = [getattr(*method) for method in REPLACED]
    assert all(during is not before for during, before in zip(methods_while_drawing(), own, strict=True))


def test_a_version_that_was_not_tried_is_left_alone_and_draws_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ours(labelled())
    monkeypatch.setattr(matplotlib_version, "TRIED", ("1.0",))
    assert methods_while_drawing() == [getattr(*method) for method in REPLACED]
    assert np.array_equal(ours(labelled()), quick)


def test_a_version_that_was_not_tried_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert matplotlib_version.remark() == ""
    monkeypatch.setattr(matplotlib_version, "TRIED", ("1.0", "1.1"))
    told = f"drawn without shortcuts: matplotlib {matplotlib.__version__} was not tried (tried: 1.0, 1.1)"
    assert matplotlib_version.remark() == told


def test_the_version_that_is_installed_with_the_course_was_tried() -> None:
    pinned = re.findall(r"^matplotlib==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert pinned and set(pinned) <= set(matplotlib_version.TRIED)


def test_of_an_empty_figure_there_is_no_picture() -> None:
    assert drawing.png(plt.figure()) is None


def ours(figure: Figure) -> Any:
    picture = drawing.png(figure)
    assert picture is not None
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGBA"))


def matplotlibs(figure: Figure) -> Any:
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())
