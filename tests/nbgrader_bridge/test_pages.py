"""What a student wrote, on an instructor's page: nothing acts, and nothing that was written is lost without a word."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.nbgrader_bridge.pages import FILTERS, cleaned, coloured

# Attempts that fooled sanitisers: what one parser takes for text becomes markup when a browser reads the result again.
VECTORS = [
    "<script>alert(1)</script>",
    "<ScRiPt\n>alert(1)</sCrIpT >",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src='x' onerror='alert(1)'/>",
    "<img/src/onerror=alert(1)>",
    "<img src=x` onerror=alert(1)>",
    "<a b'><script>alert(1)</script>'>",
    '<p title="</p><script>alert(1)</script>">x</p>',
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' java\nscript:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<img src='data:text/html;base64,PHNjcmlwdD4='>",
    "<img src='//example.org/x.png'><img src='http://example.org/x.png'>",
    "<svg onload=alert(1)>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<svg><p><style><g title='</style><img src=x onerror=alert(1)>'>",
    "<svg><desc><noscript></desc><style><img title='</style><img src onerror=alert(1)>'>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<math><mi><mglyph><svg><mtext><textarea><path id='</textarea><img onerror=alert(1) src=1>'>",
    "<form><math><mtext></form><form><mglyph><svg><mtext><style><path id='</style><img onerror=alert(1) src>'>",
    "<math><annotation-xml encoding='text/html'><style><img src=x onerror=alert(1)></style></annotation-xml></math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<noembed><p title='</noembed><img src=x onerror=alert(1)>'>",
    "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>",
    "<title><p title='</title><img src=x onerror=alert(1)>'>",
    "<textarea><img title='</textarea><img src=x onerror=alert(1)>'></textarea>",
    "<template><script>alert(1)</script></template>",
    "<template><s><template><s><img src=x onerror=alert(1)>@</s></template></s></template>",
    "<select><style><img src=x onerror=alert(1)></style></select>",
    "<select><template><style><!--</style><a rel='--></style></template></select><img src=x onerror=alert(1)>'>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!---><img src=x onerror=alert(1)>-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<!-- a --><!-- b --!><script>alert(1)</script>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "<!DOCTYPE html [<!ENTITY x '<script>alert(1)</script>'>]>&x;",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='data:text/html,x'></object><embed src='x'><base href='//example.org'>",
    "<link rel=stylesheet href='//example.org/x.css'><meta http-equiv=refresh content='0;url=//example.org'>",
    "<style>@import '//example.org/x.css';</style><p style='background:url(//example.org)'>x</p>",
    "<form action='//example.org' id=score name=score><input name=score value=20><button>ok</button></form>",
    "<div id=submit name=submit class='btn-danger'>x</div>",
    "<details open ontoggle=alert(1)>x</details>",
    "<table><td><svg><style></table><img src=x onerror=alert(1)>",
    "<a><table><a><script>alert(1)</script></table></a>",
    "<p>" * 300 + "<b>" * 40 + "<script>alert(1)</script>",
    "<div>" * 5000 + "<script>alert(1)</script>",
    "</div>" * 1000 + "<div>" * 1000 + "<img src=x onerror=alert(1)>",
    "<\0script>alert(1)</script>",
    "<a\u00a0href='javascript:alert(1)'>x</a>",
]
MAY_STAY = {"alt", "class", "colspan", "href", "open", "rel", "rowspan", "src", "start", "title"}


class Reader(HTMLParser):
    """The elements with their attributes, comments and declarations of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.others: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def acting(page: str) -> list[str]:
    """What could act in a page: elements, attributes and addresses that have no place there."""
    reader, found = read(page), []
    dangerous = re.compile(
        r"script|svg|math|style|form|input|button|iframe|object|embed|base|link|meta|template|select"
    )
    for tag, attributes in reader.elements:
        found += [tag] if dangerous.fullmatch(tag) else []
        found += [f"{tag} {name}" for name in attributes if name not in MAY_STAY]
        found += [str(link) for link in [attributes.get("href")] if re.match(r"\W*(java|vb|data)", link or "", re.I)]
        found += [str(src) for src in [attributes.get("src")] if re.match(r"https?:|//|data:(?!image/)", src or "")]
    return found + reader.others


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_nothing_acts_and_no_text_becomes_markup_when_the_page_is_read_again(vector: str) -> None:
    page = cleaned(vector)
    again = cleaned(page)
    assert acting(page) == acting(again) == []
    assert read(page).text == read(again).text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("<style>p {}</style>", "&lt;style&gt;p {}&lt;/style&gt;"),
        ("List<int> and 1 < 2", "List&lt;int&gt; and 1 &lt; 2"),
        ("if a <b then", "if a &lt;b then"),
        ("<svg><b>x</b></svg>", "&lt;svg&gt;<b>x</b>&lt;/svg&gt;"),
        ("<!--> hidden? -->", "&lt;!--&gt; hidden? --&gt;"),
        ("<!-- never closed <b>x</b>", "&lt;!-- never closed <b>x</b>"),
        ("a<!-- note -->b", "ab"),
        ("<B CLASS=k>x</B >", '<b class="k">x</b>'),
    ],
)
def test_what_must_not_stay_is_shown_as_it_was_written(written: str, shown: str) -> None:
    assert cleaned(written) == shown


@pytest.mark.parametrize(
    "page",
    [
        '<p>x<img src="data:image/png;base64,AAAA" alt="a plot"></p>',
        '<div class="highlight"><pre><span class="k">def</span></pre></div>',
        '<table><thead><tr><th colspan="2">x</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
        '<a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer">x</a>',
        '<ol start="3"><li>x</li></ol><details open=""><summary>s</summary>t</details>',
    ],
)
def test_what_people_write_stays(page: str) -> None:
    assert cleaned(page) == page


def test_elements_nested_without_end_are_shown_as_text() -> None:
    assert cleaned("<div>" * 1000) == "<pre>" + "&lt;div&gt;" * 1000 + "</pre>"


def test_bytes_are_read_as_text() -> None:
    assert cleaned("<i>ü</i>".encode()) == "<i>ü</i>"


def test_half_a_character_stops_no_page() -> None:
    assert cleaned("<i>\ud800</i>") == "<i>?</i>"
    assert cleaned(b"<i>\xff</i>") == "<i>\N{REPLACEMENT CHARACTER}</i>"


# --- What would take long is shown as it was written ------------------------------------------------------------------

FORMATTING = ["a", "b", "code", "em", "i", "s", "small", "strong", "u"]


def test_a_short_text_does_not_become_a_long_page() -> None:
    # HTML opens in every paragraph anew what was never closed.
    many = "<p>" + "".join(f"<{name} title={n}>" for name in FORMATTING for n in range(49)) + "<p>x" * 3000
    long = "<p>" + f"<b title='{'x' * 5000}'>" * 2 + "<p>x" * 2500
    for text in (many, long):
        assert cleaned(text) == f"<pre>{html.escape(text)}</pre>"


def page_of(*cells: Any, **metadata: Any) -> str:
    exporter = HTMLExporter(template_name="classic", filters=FILTERS, sanitize_html=True)
    return str(exporter.from_notebook_node(new_notebook(cells=list(cells), metadata=metadata))[0])


@pytest.mark.parametrize("code", ["x" * 30_000, "f(" * 600, "x = 1" + " " * 400 + "# a", "." * 1500])
def test_code_that_would_take_long_to_colour_is_shown_without_colours(code: str) -> None:
    page = page_of(new_code_cell(code), new_code_cell("import math"))
    assert f"<pre>{code}</pre>" in page
    assert '<span class="kn">import</span>' in page


def test_only_so_much_of_a_page_is_coloured_and_rendered() -> None:
    code, text = "import math\n" * 1600, "*nice* " * 2800
    page = page_of(*(new_code_cell(code) for _ in range(20)), *(new_markdown_cell(text) for _ in range(20)))
    assert 15 <= page.count('<span class="kn">import</span>') // 1600 < 20
    assert page.count(f"<pre>{code}</pre>") == 20 - page.count('<span class="kn">import</span>') // 1600
    assert page.count(f"<pre>{text}</pre>") == 20 - page.count("<em>nice</em>") // 2800 > 0


def test_a_notebook_does_not_choose_who_reads_its_code() -> None:
    cell = new_code_cell("import math", metadata={"magics_language": "perl"})
    page = page_of(cell, language_info={"name": "perl", "pygments_lexer": "perl"})
    assert '<span class="kn">import</span>' in page


@pytest.mark.parametrize("codes", ["\x1b[m" * 3000, "\x1b[" + "0;" * 5000 + "m", "\x1b[" + "9" * 5000 + "m"])
def test_an_output_with_too_many_colours_is_shown_without_them(codes: str) -> None:
    assert coloured(f"<\x1b[31mred\x1b[0m{codes}>") == "&lt;red&gt;"


def test_colours_of_outputs_stay() -> None:
    output = new_output("stream", name="stdout", text="\x1b[31mred\x1b[0m <b>")
    page = page_of(new_code_cell("print()", outputs=[output]))
    assert '<span class="ansi-red-fg">red</span> &lt;b&gt;' in page
