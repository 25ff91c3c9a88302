"""Notebooks as the pages that formgrader and nbgrader's feedback show.

Nothing that a student wrote acts in them, and nothing needs the network.

A course uses it through three lines in its nbgrader_config.py:

    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.filters = pages.FILTERS
    c.HTMLExporter.extra_template_basedirs = pages.TEMPLATES
"""

from __future__ import annotations

import html
import re
import secrets
from collections import Counter
from pathlib import Path
from typing import Any

import nbgrader
import nh3
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.filters.ansi import ansi2html, strip_ansi
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.course.mathematics import shown

# Ours come first, and there is one only: the template that would load MathJax.
_THEIRS = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader" / "templates"
TEMPLATES = [str(Path(__file__).parent / "templates"), str(_THEIRS)]
FILTERS = {
    "markdown2html": f"{__name__}.markdown_to_html",
    "clean_html": f"{__name__}.cleaned",
    "highlight_code": f"{__name__}.highlighted",
    "ansi2html": f"{__name__}.coloured",
}

_TAGS = frozenset(
    "a abbr b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img kbd li mark ol p pre q "
    "s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var".split()
)
_ATTRIBUTES = {
    "*": {"alt", "class", "title", "colspan", "rowspan", "open", "start"},
    "a": {"href"},
    "img": {"src"},
}
_SCHEMES = {"http", "https", "mailto", "data"}
_ENDED_BY_OTHERS = frozenset("br caption dd dt hr img li p tbody td tfoot th thead tr".split())
_DEEPEST = 50  # elements of one name in each other
# HTML opens these anew in every paragraph until they are closed: a text of 20 kB can become a page of 30 MB.
_OPENED_ANEW = frozenset("a b code em i s small strong u".split())
_MOST_OPEN = 20
_TAG = re.compile(rf"</?({'|'.join(sorted(_TAGS))})(?=[\s/>])", re.IGNORECASE)
# Attributes as HTML reads them; what looks otherwise is shown as text. Possessive: no text is tried in two ways.
_INSIDE_TAG = re.compile(r"""(?:[\s/]++|[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>`]++))?+)*+""")
_ODD_COMMENT = re.compile(r"-?>|.*?--!>", re.DOTALL)  # HTML ends these before their end mark
# In the notebook, or beside it.
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=\s]*|[\w-][\w ./%-]*")
_LINK = re.compile(r"https?://|mailto:|[^:]*\Z")  # to the web, or to a place nearby
_MARK = f"formula-{secrets.token_hex(16)}"  # nobody can have written it
# Some texts take time that grows with the square of their length, or of a line's. These are in characters: of a cell,
# of a line, and of all texts of one kind on a page. What is longer is shown as it was written.
_LONGEST, _LONGEST_LINE, _MOST_MARKDOWN, _MOST_CODE = 20_000, 1000, 200_000, 300_000
_SPACES = re.compile(r"[ \t]{1000}")
_UNNATURAL = re.compile(rf"\s{{300}}|[^\n]{{{_LONGEST_LINE}}}")
_MOST_COLOURS, _LONGEST_COLOUR = 2000, 40  # of one output
_COLOURED = re.compile(r"highlight|[a-z]{1,3}[0-9]?|latex")  # what Pygments calls the parts of code


def cleaned(page: Any) -> str:
    """HTML in which nothing acts: no scripts, handlers, forms, frames, styles or pictures from elsewhere.

    Elements that must not stay are shown as the text that the student wrote, so that an instructor misses nothing.
    Attributes that must not stay are dropped, names among them: formgrader finds its own fields by them. So are
    comments, which nobody sees in a notebook either.
    """
    data = page if isinstance(page, bytes) else str(page).encode("utf-8", "replace")
    text = data.decode("utf-8", "replace")  # half a character stops no page
    prepared = _others_as_text(text)
    if prepared is None:
        return _as_written(text)
    made = nh3.clean(
        prepared,
        tags=set(_TAGS),
        clean_content_tags=set(),  # nh3 drops no text
        attributes=_ATTRIBUTES,
        attribute_filter=_filtered,
        url_schemes=_SCHEMES,
    )
    return made if len(made) <= 8 * len(text) + _LONGEST else _as_written(text)


def _as_written(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"


def _others_as_text(page: str) -> str | None:
    """The page with `&lt;` for each `<` that does not begin a tag that may stay, and without its comments.

    None when elements are nested so deeply that reading them takes the square of their number. That nothing acts does
    not depend on this function, but on nh3, which reads the result as a browser does.
    """
    parts: list[str] = []
    opened: Counter[str] = Counter()
    done, has_comments = 0, True
    while (at := page.find("<", done)) >= 0:
        parts.append(page[done:at])
        done = at + 1
        if has_comments and page.startswith("<!--", at):
            end = page.find("-->", at + 4)
            has_comments = end >= 0  # a page may open a million and close none
            if has_comments:
                done = end + 3
                if _ODD_COMMENT.match(page, at + 4, end):
                    parts.append(page[at:done].replace("<", "&lt;"))
                continue
        if (found := _TAG.match(page, at)) is None:
            parts.append("&lt;")
            continue
        done = _INSIDE_TAG.match(page, found.end()).end()  # type: ignore[union-attr]  # it matches nothing, too
        tag, name = page[at:done], found[1].lower()
        is_whole = page.startswith(">", done)
        parts.append(tag if is_whole else tag.replace("<", "&lt;"))
        if is_whole and name not in _ENDED_BY_OTHERS:
            opened[name] = max(0, opened[name] + (-1 if tag.startswith("</") else 1))
            if opened[name] > _DEEPEST or sum(opened[name] for name in _OPENED_ANEW) > _MOST_OPEN:
                return None
    return "".join([*parts, page[done:]])


def _filtered(tag: str, name: str, value: str) -> str | None:
    return value if _may_stay(tag, name, value) else None


def _may_stay(tag: str, name: str, value: str) -> bool:
    if _MARK in value:  # a formula in an alternative text: elements have no place in there
        return False
    if name == "src":
        return _PICTURE.fullmatch(value) is not None
    if name == "href":
        return _LINK.match(value) is not None
    return name != "class" or _COLOURED.fullmatch(value) is not None


def _has_room(context: Context, kind: str, length: int, most: int) -> bool:
    """Whether a page can take that much more of a kind of text; what is taken is counted with the page."""
    page = context.get("resources")
    if not isinstance(page, dict):
        return True
    taken = page.get(f"autograder_{kind}", 0) + length
    page[f"autograder_{kind}"] = taken
    return bool(taken <= most)


@pass_context
def highlighted(context: Context, source: str, language: str | None = None, metadata: Any = None) -> str:
    """Code in the colours of Python, whatever language the notebook and the cell say that they are in."""
    if len(source) > _LONGEST or _UNNATURAL.search(source) or not _has_room(context, "code", len(source), _MOST_CODE):
        return f'<div class="highlight">{_as_written(source)}</div>'
    return str(_in_colours(source))


_in_colours = Highlight2HTML(pygments_lexer="ipython3")


def coloured(text: Any) -> str:
    """What a cell printed, in the colours that it asked for; without them if it asked too often."""
    shown = str(text)
    codes = [len(code) for code in _COLOUR.findall(shown)]
    if len(codes) > _MOST_COLOURS or max(codes, default=0) > _LONGEST_COLOUR:
        shown = strip_ansi(shown)
    return str(ansi2html(shown))


_COLOUR = re.compile("\x1b\\[[^@-~\n]*")


@pass_context
def markdown_to_html(context: Context, source: str) -> str:
    """Markdown as clean HTML, with its mathematics as MathML."""
    if (
        len(source) > _LONGEST
        or _SPACES.search(source)
        or not _has_room(context, "markdown", len(source), _MOST_MARKDOWN)
    ):
        return _as_written(source)
    cell = context.get("cell") or {}
    renderer = _Renderer(cell.get("attachments") or {})
    return renderer.with_formulas(cleaned(MarkdownWithMath(renderer=renderer).render(source)))


class _Renderer(IPythonRenderer):
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
