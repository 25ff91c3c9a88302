"""Ways to draw a figure without most of what matplotlib does more than once.

Nearly all of the time of `--full` is matplotlib's, and much of that is spent on ticks: in one drawing it builds each of
them from nothing, finds their places and lays their labels out several times, and measures them for axis labels that
are empty. `tests/sandbox/test_drawing.py` compares the pictures, pixel by pixel, with those of a matplotlib that is
left alone.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis, YAxis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.cbook import CallbackRegistry
from matplotlib.text import Text

from autograder.sandbox import matplotlib_version


@contextlib.contextmanager
def shortcuts() -> Iterator[None]:
    """Within, matplotlib's methods do their work once.

    Only during a drawing: neither a student's call of `savefig` nor the next figure, which may have other fonts,
    sees any of it. Most of the methods are private to matplotlib: on a version that was not tried, all stay as they
    are.
    """
    if not matplotlib_version.was_tried():
        yield
        return
    made: list[tuple[Any, str, Callable[[Any], Any]]] = [
        (Text, "_get_layout", _laid_out_once),
        (Axis, "get_major_ticks", _copying("majorTicks")),
        (Axis, "get_minor_ticks", _copying("minorTicks")),
        (Axis, "_update_ticks", _placed_once),
        (Axis, "draw", _drawn_without_empty_label),
        (Axes, "_update_title_position", _placed_beside_the_offset),
        (RendererAgg, "_prepare_font", _remembering),
    ]
    own = [(kind, name, getattr(kind, name), make) for kind, name, make in made]
    collects = gc.isenabled()
    gc.disable()  # all of a figure is needed until it is drawn
    try:
        for kind, name, method, make in own:
            setattr(kind, name, make(method))
        yield
    finally:
        for kind, name, method, _ in own:
            setattr(kind, name, method)
        if collects:
            gc.enable()


def _laid_out_once(lay_out: Any) -> Any:
    """Of equal texts, the lines and their sizes are found out once."""
    known: dict[tuple[Any, ...], Any] = {}

    def method(text: Any, renderer: Any) -> Any:
        if text.get_wrap() or text.get_transform_rotates_text():
            return lay_out(text, renderer)  # it depends on where the text is
        key = (
            *(text.get_text(), hash(text.get_fontproperties()), text.get_figure(root=True).dpi, text._linespacing),
            *(text.get_rotation(), text.get_rotation_mode(), text.get_usetex(), text.get_parse_math()),
            *(text.get_horizontalalignment(), text.get_verticalalignment(), text._multialignment),
        )
        if key not in known:
            known[key] = lay_out(text, renderer)
        return known[key]

    return method


_PLAIN = (XAxis, YAxis)  # those of polar and three-dimensional axes have ways of their own


def _copying(place: str) -> Callable[[Any], Any]:
    """New ticks of an axis are all alike until they are placed: matplotlib makes the first, the others are copies."""

    def make(get: Any) -> Any:
        def method(axis: Any, number: int | None = None) -> Any:
            if number is not None and type(axis) in _PLAIN and number > len(getattr(axis, place)) + 1:
                get(axis, len(getattr(axis, place)) + 1)
                ticks = getattr(axis, place)
                ticks += [_copied_tick(ticks[-1]) for _ in range(number - len(ticks))]
            return get(axis, number)

        return method

    return make


def _copied_tick(tick: Any) -> Any:
    copy = _copied(tick)
    for name in ("tick1line", "tick2line", "gridline", "label1", "label2"):
        setattr(copy, name, _copied(getattr(tick, name)))
    return copy


def _copied(artist: Any) -> Any:
    """An artist that shares with the other only what is replaced as a whole when it changes."""
    copy = object.__new__(type(artist))
    copy.__dict__.update(artist.__dict__)
    copy._callbacks = CallbackRegistry(signals=["pchanged"])
    if isinstance(artist, Text):
        copy._fontproperties = artist.get_fontproperties().copy()
    return copy


def _placed_once(place: Any) -> Any:
    """As long as an axis keeps its length and its limits, its ticks stay where they are."""
    known: dict[tuple[Any, ...], Any] = {}

    def method(axis: Any) -> Any:
        if type(axis) not in _PLAIN or len(axis._get_shared_axes()) > 1:  # the length that counts may be another axis'
            return place(axis)
        key = (axis, *axis.get_view_interval(), *axis.axes.bbox.bounds)
        if key not in known:
            known[key] = place(axis)
        return known[key]

    return method


def _drawn_without_empty_label(draw: Any) -> Any:
    """To find the place of an axis label, every tick label is measured again: not for a label without text."""

    def method(axis: Any, renderer: Any) -> None:
        automatic = axis._autolabelpos
        axis._autolabelpos = automatic and bool(axis.label.get_text())
        try:
            draw(axis, renderer)
        finally:
            axis._autolabelpos = automatic

    return method


def _placed_beside_the_offset(place: Any) -> Any:
    """A title keeps clear of the y axis' offset, such as 1e6: without one, the axis need not be measured."""
    measure: Any = Axis.get_tightbbox

    def measure_offset(axis: Any, renderer: Any) -> Any:
        if axis.axis_name != "y":
            return measure(axis, renderer)
        if axis.get_visible():
            axis._update_ticks()
            axis.offsetText.set_text(axis.get_major_formatter().get_offset())
            if axis.offsetText.get_text():
                measure(axis, renderer)
        return None  # of a y axis, nobody asks for more

    def method(axes: Any, renderer: Any) -> None:
        Axis.get_tightbbox = measure_offset  # type: ignore[method-assign, assignment]
        try:
            place(axes, renderer)
        finally:
            Axis.get_tightbbox = measure  # type: ignore[method-assign]

    return method


def _remembering(prepare: Any) -> Any:
    """A font that looks every text up before it asks FreeType, which hints each letter again."""

    def method(renderer: Any, properties: Any) -> Any:
        return _Font(prepare(renderer, properties), properties.get_size_in_points(), renderer.dpi)

    return method


class _Font:
    """As much of a prepared font as drawing and measuring need."""

    _known: ClassVar[dict[tuple[Any, ...], Any]] = {}  # from one figure to the next: what counts is in the key

    def __init__(self, *identity: Any) -> None:
        self._font, self._identity = identity[0], identity
        self._size: Any = None

    def _layout(self, text: str, **how: Any) -> Any:
        return self._find(("letters", text, repr(how)), lambda: self._font._layout(text, **how))

    def set_text(self, text: str, angle: float, **how: Any) -> None:
        def measured() -> Any:
            self._font.set_text(text, angle, **how)
            return self._font.get_width_height(), self._font.get_descent()

        self._size = self._find(("size", text, angle, repr(how)), measured)

    def get_width_height(self) -> Any:
        return self._size[0]

    def get_descent(self) -> Any:
        return self._size[1]

    def _find(self, what: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
        key = (*self._identity, *what)
        if key not in self._known:
            if len(self._known) >= 4096:
                self._known.clear()
            self._known[key] = compute()
        return self._known[key]
