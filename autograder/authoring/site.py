"""The course as a static site: every released notebook as a page, with mathematics that needs no network.

With JupyterLite, a copy of the course that runs in the browser is beside the pages, in `lite/`.
"""

from __future__ import annotations

import html
import re
import shutil
import string
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from nbformat import NotebookNode

from autograder.authoring import leaks, release
from autograder.course import Course, files, notebook
from autograder.course.errors import AuthorError, UsageError
from autograder.sandbox import temporary

_TEMPLATES = Path(__file__).parent / "templates"
_LINK = re.compile(r"\]\((\d\d_\w+)\.ipynb\)")
_MATHJAX = """<script>
MathJax = {
  tex: { inlineMath: [["$", "$"], ["\\\\(", "\\\\)"]], processEscapes: true },
  options: { processHtmlClass: "text_cell_render", ignoreHtmlClass: "code_cell", enableMenu: false },
};
</script>
<script async src="mathjax.js"></script>
"""


def build(course: Course, out: Path, *, mathjax: Path, jupyterlite: Path | None = None) -> list[str]:
    """Write the site to the folder `out`; the names of its pages, the list of contents first.

    The pages are made of the notebooks that are released, and of nothing else: what students must not see is refused.
    """
    stems = course.select(None, tours=True)
    missing = [stem for stem in stems if not course.released(stem).is_file()]
    if missing:
        raise AuthorError(f"Not released yet: {', '.join(missing)}. Run `autograder release` first.")
    if not mathjax.is_file():
        raise UsageError(f"There is no MathJax at {mathjax}. Run `make site`, which fetches it.")
    contents = release.contents(course, {})
    leaks.refuse_leaks(course, contents)
    pages = _pages(course, stems, with_lab=jupyterlite is not None)
    written = {out / name: text.encode() for name, text in pages.items()}
    style = (_TEMPLATES / "page.css").read_text(encoding="utf-8") + _highlighting()
    files.replace_all(written | {out / "style.css": style.encode(), out / "mathjax.js": mathjax.read_bytes()})
    if jupyterlite is not None:
        _build_lab(jupyterlite, contents, out / "lite")
    return list(pages)


def _pages(course: Course, stems: Sequence[str], *, with_lab: bool) -> dict[str, str]:
    """The pages by file name: the list of contents, then the notebooks."""
    released = {stem: notebook.read(course.released(stem), error=AuthorError) for stem in stems}
    titles = {stem: release.title(some, stem) for stem, some in released.items()}
    pages = {"index.html": _page("From Bayes to Softmax", _contents(titles, with_lab=with_lab), {})}
    for number, (stem, some) in enumerate(released.items()):
        links = {"index.html": "Contents"}
        if number:
            links[f"{stems[number - 1]}.html"] = f"Before: {titles[stems[number - 1]]}"
        if number + 1 < len(stems):
            links[f"{stems[number + 1]}.html"] = f"Next: {titles[stems[number + 1]]}"
        pages[f"{stem}.html"] = _page(titles[stem], _content(some), links, scripts=_MATHJAX)
    return pages


def _page(title: str, content: str, links: Mapping[str, str], scripts: str = "") -> str:
    template = string.Template((_TEMPLATES / "page.html").read_text(encoding="utf-8"))
    listed = "\n".join(f'<a href="{target}">{html.escape(words)}</a>' for target, words in links.items())
    return template.substitute(
        title=html.escape(title), content=content, links=listed or "From Bayes to Softmax", scripts=scripts
    )


def _contents(titles: Mapping[str, str], *, with_lab: bool) -> str:
    items = "\n".join(f'<li><a href="{stem}.html">{html.escape(title)}</a></li>' for stem, title in titles.items())
    lab = string.Template((_TEMPLATES / "in_the_browser.html").read_text(encoding="utf-8")).substitute(
        first=next(iter(titles))
    )
    return f"<h1>From Bayes to Softmax</h1>\n<h2>Read</h2>\n<ul>\n{items}\n</ul>\n{lab if with_lab else ''}"


def _content(released: NotebookNode) -> str:
    """The cells of a notebook as HTML; links to notebooks become links to pages."""
    from nbconvert.exporters import HTMLExporter

    for cell in released.cells:
        if cell.cell_type == "markdown":
            cell.source = _LINK.sub(r"](\1.html)", cell.source)
    body, _ = HTMLExporter(template_name="basic", anchor_link_text="").from_notebook_node(released)
    return body.replace("<pre>", '<pre tabindex="0">')  # what scrolls can be reached with the keyboard


def _highlighting() -> str:
    """The colours of code, for light and for dark pages."""
    from pygments.formatters import HtmlFormatter

    light, dark = (
        HtmlFormatter(style=name, nobackground=True).get_style_defs(".highlight") for name in ("default", "github-dark")
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def _build_lab(program: Path, contents: Mapping[str, bytes], out: Path) -> None:
    """A JupyterLite of the course: its notebooks at the top, `checks` and `data` beside them."""
    with temporary.folder("site") as folder:
        for name, data in contents.items():
            path = Path(folder, "files", name.removeprefix("notebooks/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        shutil.rmtree(out, ignore_errors=True)
        command = [str(program.absolute()), "lite", "build", "--contents", "files", "--output-dir", str(out.absolute())]
        line = temporary.inherited()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, pass_fds=line)
    if done.returncode:
        raise AuthorError(f"JupyterLite could not be built:\n{(done.stdout + done.stderr)[-2000:]}")
