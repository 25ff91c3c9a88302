"""Notebooks as the pages that formgrader and nbgrader's feedback show: nothing of a student acts in them, and nothing needs the network.

A course uses it through three lines in its nbgrader_config.py:

    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.filters = pages.FILTERS
    c.HTMLExporter.extra_template_basedirs = pages.TEMPLATES
"""

from __future__ import annotations

import html
import re
import secrets
from pathlib import Path
from typing import Any

import bleach
import nbgrader
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.course.mathematics import shown

# Ours come first, and there is one only: the template that would load MathJax.
_THEIRS = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader" / "templates"
TEMPLATES = [str(Path(__file__).parent / "templates"), str(_THEIRS)]
FILTERS = {"markdown2html": f"{__name__}.markdown_to_html", "clean_html": f"{__name__}.cleaned"}

_TAGS = frozenset(
    [
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
        "var",
    ]
)
_PICTURE = re.compile(
    r"data:image/(?:png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=\s]*|[\w-][\w ./%-]*"
)  # in the notebook, or beside it
_LINK = re.compile(r"https?://|mailto:|[^:]*\Z")  # to the web, or to a place nearby
_MARK = f"formula-{secrets.token_hex(16)}"  # nobody can have written it
_LONGEST = 20_000
_COLOURED = re.compile(r"highlight|[a-z]{1,3}[0-9]?|latex")  # what Pygments calls the parts of code


def cleaned(page: Any) -> str:
    """HTML of which everything that could act is shown as text: scripts, handlers, forms, frames, styles, pictures from elsewhere.

    Names are dropped as well: formgrader finds its own fields by them.
    """
    text = page.decode() if isinstance(page, bytes) else str(page)
    return str(bleach.clean(text, tags=_TAGS, attributes=_may_stay, protocols=("http", "https", "mailto", "data")))


def _may_stay(tag: str, name: str, value: str) -> bool:
    if _MARK in value:  # a formula in an alternative text: elements have no place in there
        return False
    if (tag, name) == ("img", "src"):
        return _PICTURE.fullmatch(value) is not None
    if (tag, name) == ("a", "href"):
        return _LINK.match(value) is not None
    if name == "class":
        return _COLOURED.fullmatch(value) is not None
    return name in ("alt", "title", "colspan", "rowspan", "open", "start")


@pass_context
def markdown_to_html(context: Context, source: str) -> str:
    """Markdown as clean HTML, with its mathematics as MathML."""
    if len(source) > _LONGEST:  # some texts take time that grows with the square of their length
        return f"<pre>{html.escape(source)}</pre>"
    cell = context.get("cell") or {}
    renderer = _Renderer(cell.get("attachments") or {})
    return renderer.with_formulas(cleaned(MarkdownWithMath(renderer=renderer).render(source)))


class _Renderer(IPythonRenderer):  # type: ignore[misc]
    """Markdown as nbconvert has it, with marks where the formulas belong: MathML of ours need not be cleaned."""

    def __init__(self, attachments: dict[str, dict[str, str]]) -> None:
        super().__init__(escape=False, exclude_anchor_links=True, attachments=attachments)
        self._formulas: list[str] = []

    def with_formulas(self, page: str) -> str:
        """The page with its formulas in their places."""
        return re.sub(rf"{_MARK}-(\d+);", lambda found: self._formulas[int(found[1])], page)

    def block_math(self, body: str) -> str:
        """Mathematics on a line of its own."""
        return self._formula(body, display=True)

    def inline_math(self, body: str) -> str:
        """Mathematics within a line."""
        return self._formula(body, display=False)

    def latex_environment(self, name: str, body: str) -> str:
        """Mathematics between \\begin and \\end."""
        return self._formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", display=True)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture; one that is not in the notebook is left out, and stops nothing."""
        if url.startswith("attachment:") and not self.attachments.get(url.removeprefix("attachment:")):
            url = ""
        return str(super().image(text, url, title))

    def _formula(self, latex: str, *, display: bool) -> str:
        self._formulas.append(shown(latex, block=display))
        return f"{_MARK}-{len(self._formulas) - 1};"
