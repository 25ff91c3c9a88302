"""Templates of pages, compiled once: each text that one shows is cleaned and escaped, unless it is our own markup."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

_FOLDER = Path(__file__).parent / "templates"
_CODE = re.compile(r"`([^`]+)`")


def trusted(html: str) -> Markup:
    """HTML that this package wrote itself, which templates show as it is; nothing else may come here."""
    return Markup(html)  # noqa: S704


def environment(style: str, clean: Callable[[str], str], filters: Mapping[str, Callable[..., Any]]) -> Environment:
    """The templates of a kind of page, with the style `<style>.css`; make it once, since compiling takes a while.

    `clean` goes over each text before it is escaped, wherever in the template it stands, so none can be forgotten.
    Besides `filters`, a template has `words`, for a sentence with code between backticks, and `breakable`, for names
    in which a line may end after an underscore.
    """

    def shown(value: object) -> object:
        return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    def words(value: str) -> Markup:
        return trusted(_CODE.sub(r"<code>\1</code>", str(escape(clean(value)))))

    def breakable(value: str) -> Markup:
        return trusted(str(escape(clean(value))).replace("_", "_<wbr>"))

    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=shown,
    )
    made.filters.update({"words": words, "breakable": breakable, **filters})
    css = (_FOLDER / f"{style}.css").read_text(encoding="utf-8")
    made.globals.update({"style": trusted(css), "policy": trusted(_policy(css))})
    return made


def _policy(style: str) -> str:
    """What a browser grants the page: its own style, and nothing else: no script, no picture, no network."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
