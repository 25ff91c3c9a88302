"""A figure as a picture, for the notebooks that `--full` writes."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from autograder.sandbox.shortcuts import shortcuts


def png(figure: Any) -> bytes | None:
    """The figure as a picture, unless it is empty."""
    if not figure.axes and not figure.lines:
        return None
    canvas: Any = FigureCanvasAgg(figure)
    with shortcuts():
        canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba()))
    if picture.getchannel("A").getextrema() == (255, 255):
        picture = picture.convert("RGB")  # a quarter less to compress
    stored = io.BytesIO()
    picture.save(stored, "png", compress_level=1)  # a stronger one takes much longer and saves little
    return stored.getvalue()
