"""The text of a notebook as HTML that may stand in any page: mathematics as MathML, and nothing that loads or runs."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

import mistune
from markupsafe import Markup

from autograder.course.errors import SourceError
from autograder.course.mathematics import mathml
from autograder.pages.templating import trusted

_HEADING = re.compile(r"\A\s*#{1,6} +(.+?)\s*#*\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Prose:
    """A text as HTML, and what in it could not be rendered and stands there as it was written."""

    html: Markup
    problems: tuple[str, ...] = ()


def split_heading(markdown: str) -> tuple[str, str]:
    """The heading with which a text begins, without its marks, and the text below it; the heading may be empty."""
    found = _HEADING.match(markdown)
    return (found[1], markdown[found.end() :].strip()) if found else ("", markdown.strip())


def render(markdown: str, *, below: int = 1) -> Prose:
    """A text of one or more paragraphs. Its headings come below a heading of the level `below`, and skip none."""
    renderer = _Renderer(below)
    inside = str(_markdown(renderer)(markdown)).strip()
    return Prose(trusted(inside), tuple(renderer.problems))


def render_line(markdown: str) -> Prose:
    """A single line, such as a heading, without a paragraph around it."""
    renderer = _Renderer(below=1)
    inside = str(_markdown(renderer)(" ".join(markdown.split()))).strip()
    return Prose(trusted(inside.removeprefix("<p>").removesuffix("</p>")), tuple(renderer.problems))


def _markdown(renderer: _Renderer) -> mistune.Markdown:
    return mistune.create_markdown(renderer=renderer, plugins=["math", "table", _own_mathematics])


def _own_mathematics(md: mistune.Markdown) -> None:
    """Draw what the plugin `math` has found ourselves."""
    assert isinstance(md.renderer, _Renderer)
    md.renderer.register("inline_math", md.renderer.formula(block=False))
    md.renderer.register("block_math", md.renderer.formula(block=True))


class _Renderer(mistune.HTMLRenderer):
    """HTML in which tags of the text are shown, not obeyed, pictures are words, and links lead to the web only."""

    def __init__(self, below: int) -> None:
        super().__init__(escape=True)
        self.problems: list[str] = []
        self._below, self._deepest = below, below

    def formula(self, *, block: bool) -> Callable[[mistune.HTMLRenderer, str], str]:
        """How a formula is drawn; what cannot be drawn is shown as it was written."""

        def draw(_: mistune.HTMLRenderer, latex: str) -> str:
            try:
                drawn = mathml(latex, block=block)
            except SourceError as problem:
                self.problems.append(str(problem))
                drawn = f"<code>{html.escape(latex)}</code>"
            # What is wider than the page scrolls, and what scrolls can be reached with the keyboard.
            return (
                f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{drawn}</div>' if block else drawn
            )

        return draw

    def heading(self, text: str, level: int, **attrs: object) -> str:
        self._deepest = max(self._below + 1, min(self._below + level, self._deepest + 1, 6))
        return f"<h{self._deepest}>{text}</h{self._deepest}>"

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return f"<span>({text})</span>" if text else ""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        if not url.startswith(("https://", "http://")):
            return text  # a file beside the notebook, which is not beside the page
        return f'<a href="{html.escape(url)}" rel="noopener noreferrer">{text}</a>'

    def block_code(self, code: str, info: str | None = None) -> str:
        return f"<pre><code>{html.escape(code)}</code></pre>"
