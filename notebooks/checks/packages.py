"""Packages that answers do without: they solve what the course teaches to write."""

from __future__ import annotations

import sys

WITHOUT = ("scipy", "sklearn")


class _Missing:
    """Says of these packages that they are not there, wherever they are installed."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in WITHOUT:
            raise ModuleNotFoundError(
                f"{name} is not there when this notebook is graded: answers need Python and NumPy alone", name=name
            )


def hide() -> None:
    """From now on, importing one of them fails in this process, as it does when a notebook is graded."""
    sys.meta_path.insert(0, _Missing())
