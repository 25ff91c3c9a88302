"""The autograded notebook: nothing in it loads when somebody opens it, and what honest people wrote stays as it was."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser

import mistune
import pytest
from loading import PNG, VECTORS, vectors
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from autograder.course import Course, notebook
from autograder.engine.outputs import harmless, harmless_text

COURSE = Course.default()
LOADING = {"background", "cite", "data", "href", "longdesc", "ping", "poster", "src", "srcset", "style", "xlink:href"}
PLAIN_STYLE = re.compile(r"((background-color|color|font-size|text-align): ?[\w#%.]+;? ?)*", re.ASCII)
ALT = r"[^\[\]()<>!`$@]*"
OWN_PICTURE = re.compile(r"(data:image/|attachment:)\S*|\w[\w/-]*\.(png|jpg|jpeg|gif|svg)")


class Reader(HTMLParser):
    """The attributes of a page that could load something, and the elements that could act."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("base", "embed", "iframe", "link", "meta", "object", "script", "style", "svg", "video", "audio"):
            self.found.append(tag)
        for name, value in attrs:
            plain = (tag == "img" and name == "src" and OWN_PICTURE.fullmatch(value or "")) or (
                name == "style" and PLAIN_STYLE.fullmatch(value or "")
            )
            if (name in LOADING or name.startswith("on")) and not plain:
                self.found.append(f"{tag} {name}={value}")


def loading(text: str) -> list[str]:
    """What two readers of Markdown, and one who takes the text for HTML, would load of it."""
    pages = [
        text,
        str(mistune.create_markdown(escape=False, plugins=["url", "table", "footnotes"])(text)),
        MarkdownWithMath(renderer=IPythonRenderer(escape=False)).render(text),
    ]
    found = []
    for page in pages:
        reader = Reader()
        reader.feed(page)
        found += reader.found
    links = r"a href=(#|mailto:)"  # to a place in the page, and what becomes of a name with an @
    return [what for what in found if not re.match(links, what)]


@pytest.mark.parametrize("vector", vectors("127.0.0.1:9"), ids=range(len(VECTORS)))
def test_nothing_of_a_text_is_loaded_or_can_be_clicked(vector: str) -> None:
    assert loading(harmless_text(vector)) == []


def test_the_vectors_load_something_if_nobody_stops_them() -> None:
    assert sum(loading(vector) != [] for vector in vectors("127.0.0.1:9")) > 40


def test_no_mixture_of_vectors_loads_anything() -> None:
    rng = random.Random("mixtures")
    pieces = [
        *vectors("127.0.0.1:9"),
        "`",
        "```",
        "~~~",
        "$",
        "$$",
        "<!--",
        "-->",
        "<",
        ">",
        "![",
        "](",
        "\\",
        "\n",
        "\0",
    ]
    pieces += [
        "![a](attachment:b.png)",
        f"![a](data:image/png;base64,{PNG})",
        "\ue000" + "0\ue001",
        "<div>",
        "    ",
        "> ",
    ]
    own = r"attachment:|data:image/|\w[\w/-]*\.(png|jpe?g|gif|svg)\)"
    loads = "|".join(
        [
            r"<(img|a|video|audio|iframe|svg|style|script|link|object|embed)\b",
            rf"!\[(?!{ALT}\]\(({own}))",
            r"(```|~~~)[^\w\n`~]*+mermaid",
            r"\\(href|url|unicode|bbox|style|require)\b",
        ]
    )
    for _ in range(3000):
        text = "".join(rng.choices(pieces, k=rng.randint(2, 8)))
        cut = "".join(rng.sample([text[: len(text) // 2], text[len(text) // 3 :]], k=2))
        for written in (text, cut):
            found = re.search(loads, harmless_text(written), re.IGNORECASE)
            assert found is None, f"{found} in {written!r}"


@pytest.mark.parametrize("stem", COURSE.stems())
def test_the_text_of_the_course_stays_as_it_is(stem: str) -> None:
    texts = [cell.source for cell in notebook.read(COURSE.released(stem)).cells if cell.cell_type == "markdown"]
    assert len(texts) > 20
    assert [text for text in texts if harmless_text(text) != text] == []


@pytest.mark.parametrize(
    "text",
    [
        "Because $a < b$, **and** $p(x|y) \\propto p(y|x)\\,p(x)$: `x[0]` is *small*.\n\n1. one\n2. two",
        "I used <b>bold</b>, x<sub>1</sub>, a<br>break, <font color='red'>red</font> and <!-- a note -->.",
        '<div class="alert alert-info">\nMind this.\n</div>\n\n<span style="color: red">so</span>',
        "$\\color{red}{x} + \\textcolor{#00ff00}{y} + \\colorbox{yellow}{z} + \\fcolorbox{red}{white}{w}$",
        "```python\nif a < b and d[k] == 1:\n    print('x')\n```",
        "![image.png](attachment:0f3a.png) and ![a plot](plots/one.png)",
        f"![](data:image/png;base64,{PNG})",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- [ ] not yet\n\n[1] A book. [sic]: yes! [see (b)]",
    ],
)
def test_what_honest_people_write_stays_as_it_is(text: str) -> None:
    assert harmless_text(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![a map](http://example.invalid/a.png)", "a map (picture: `http://example.invalid/a.png`)"),
        ("![](//example.invalid/a.png)", "(picture: `//example.invalid/a.png`)"),
        ("![up](../../other/a.png)", "up (picture: `../../other/a.png`)"),
        ("See [the book](https://example.org/b?c=1 'title').", "See the book (`https://example.org/b?c=1`)."),
        ("[https://example.org](https://example.org)", "`https://example.org`"),
        ("(See https://example.org/a_(b), or not.)", "(See `https://example.org/a_(b)`, or not.)"),
        ("(https://example.org/a) <mailto:a@example.org>", "(`https://example.org/a`) `mailto:a@example.org`"),
        ("[a](javascript:alert(1))", "a (`javascript:alert(1)`)"),
        ("[a][1]\n\n[1]: http://example.invalid", "[a][1]\n\n[1] : `http://example.invalid`"),
        ("<img src='http://example.invalid/a.png'>", "< img src='`http://example.invalid/a.png`'>"),
        ('<img src="attachment:a.png" width="300"/>', "![picture](attachment:a.png)"),
        ("$\\href{x}{y}$", "$\\ href{x}{y}$"),
        ("```mermaid\ngraph TD\n```", "```text\ngraph TD\n```"),
        ("`[a](b)` and `List<int>`", "`[a] (b)` and `List< int>`"),
        ("a\r\nb\x00c", "a\nb\N{REPLACEMENT CHARACTER}c"),
    ],
)  # fmt: skip
def test_what_would_load_is_words_and_an_address(text: str, shown: str) -> None:
    assert harmless_text(text) == shown
    assert harmless_text(shown) == shown


@pytest.mark.parametrize("piece", ["[", "![a](", "`a``", "<div ", "\\color{", "[a]: b\n", "```\n", "<img src=data:,"])
def test_a_text_of_great_length_is_shown_as_it_was_typed(piece: str) -> None:
    shown = harmless_text(piece * 30_000)  # as Markdown, some of these take minutes
    first, *_, last = shown.split("\n")
    assert first == last == "`" * len(first) and first not in shown[len(first) : -len(last)]
    assert loading(harmless_text(piece * 100)) == []


def test_a_large_picture_in_a_text_is_no_reason_to_show_it_as_code() -> None:
    text = f"As **drawn** by hand:\n\n![](data:image/png;base64,{'A' * 300_000})"
    assert harmless_text(text) == text


def test_metadata_attachments_and_raw_cells_load_nothing_and_code_stays() -> None:
    told = {"nbgrader": {"grade_id": "f"}, "tags": ["optional"], "jupyter": {"source_hidden": True}, "editable": False}
    code = new_code_cell("'<img src=http://example.invalid>'  # ![x](http://example.invalid)", metadata=told)
    text = new_markdown_cell("![a](attachment:a.png)", metadata={"widgets": {"x": 1}, "trusted": True})
    pictures = {"image/png": PNG, "image/png;,x": PNG, "text/html": "<img src=http://example.invalid>"}
    text.attachments = {"a.png": pictures, "b.png": {"image/png": "x' onerror='y"}}
    raw = new_raw_cell("<img src=http://example.invalid/a.png>", metadata={"raw_mimetype": "text/html"})
    metadata = {
        "widgets": {"state": {}},
        "kernelspec": {"name": "evil", "display_name": "evil"},
        "course": {"stem": "01_x", "more": 1},
    }
    shown = harmless(new_notebook(cells=[code, text, raw], metadata=metadata))
    assert shown.cells[0].source == code.source and shown.cells[0].metadata == told
    assert shown.cells[1].metadata == shown.cells[2].metadata == {}
    assert shown.cells[1].attachments == {"a.png": {"image/png": PNG}, "b.png": {}}
    assert shown.cells[2].source == "< img src=`http://example.invalid/a.png`>"
    assert shown.metadata == NotebookNode(
        kernelspec=notebook.KERNEL, language_info=notebook.LANGUAGE, course={"stem": "01_x"}
    )
