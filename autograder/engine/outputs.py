"""The autograded notebook: a submission with the outputs of its cells, in which nothing loads when somebody opens it.

Programs that show a student's text do not agree on what Markdown means: JupyterLab, nbconvert, MathJax, Mermaid. So no
parser decides here what is safe. The rules are about characters and hold however a text is read: no `<` stands before a
letter and no `!` before a bracket, unless all that follows is known to be harmless, and no formula calls a macro that
takes an address or a style. Code is told from prose only to make the result pleasant to read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbformat import NotebookNode

from autograder.course.notebook import KERNEL, LANGUAGE
from autograder.course.text import printable
from autograder.engine.running import CellReport


def with_outputs(submission: NotebookNode, reports: Sequence[CellReport]) -> NotebookNode:
    """The submission after its run, changed in place: its outputs are text and pictures only."""
    by_id = {report.id: report for report in reports}
    count = 0
    for cell in submission.cells:
        if cell.cell_type != "code":
            continue
        report = by_id.get(cell.id)
        count += report is not None
        cell.execution_count = count if report else None
        cell.outputs = [] if report is None else [*_outputs(report.outputs, count), *_error_output(report.error)]
    return submission


def harmless(some: NotebookNode) -> NotebookNode:
    """The notebook, changed in place, with texts, attachments and metadata that load nothing. Code stays as it is.

    nbgrader compares texts with their checksums: let it read the marks first.
    """
    about = some.metadata.get("course")
    some.metadata = NotebookNode(kernelspec=NotebookNode(KERNEL), language_info=NotebookNode(LANGUAGE))
    if isinstance(about, Mapping) and isinstance(about.get("stem"), str):
        some.metadata.course = NotebookNode(stem=about["stem"])
    for cell in some.cells:
        cell.metadata = NotebookNode(
            {key: value for key, value in cell.metadata.items() if key in _METADATA and _METADATA[key](value)}
        )
        if cell.cell_type != "code":
            cell.source = harmless_text(cell.source)
        if "attachments" in cell:
            cell.attachments = _pictures(cell.attachments)
    return some


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern; Python before 3.11.5 mistakes possessive repetitions, so there they are ordinary ones."""
    if sys.version_info < (3, 11, 5):
        pattern = re.sub(r"(?<=[*+?])\+", "", pattern)
    return re.compile(pattern, flags)


# --- Texts ------------------------------------------------------------------------------------------------------------

_LONGEST = 20_000  # characters of a text, pictures not counted; people write some hundreds

_DATA = r"data:image/(?:png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/]++={0,2}"
_BESIDE = r"\w[\w-]*+(?:/\w[\w-]*+)*+\.(?:png|jpe?g|gif|svg)"  # in the notebook's own folder, or below it
_OWN = rf"(?:attachment:[\w.%-]++|{_DATA}|{_BESIDE})"
_PICTURE = _compiled(rf"!\[[\w ,.;:'=+-]*+\]\({_OWN}\)", re.ASCII)
_PICTURE_TAG = _compiled(
    r"""<img(?:\s+(?:align|alt|height|style|title|width)=(?:"[^"<>]*+"|'[^'<>]*+'|[\w%]++))*+"""
    rf"""\s+src=(["']?)(?P<own>{_OWN})\1(?=[\s/>])[^<>]*+>""",
    re.ASCII | re.IGNORECASE,
)
_HOLE = "\ue000{}\ue001"  # where a picture stands in for itself, so that no other rule looks at it
_HOLES = _compiled("\ue000([0-9]+)\ue001")

# Tags and comments that load nothing, with the attributes that people use.
_TAG = _compiled(
    r"""</?(?:b|big|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|kbd|li|mark|ol|p|pre|s|samp|"""
    r"""small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)"""
    r"""(?:\s+(?:(?:align|border|color|colspan|height|rowspan|size|start|width)=(?:"[\w#%]*+"|'[\w#%]*+'|[\w#%]++)"""
    r"""|class="alert[a-z -]*+"|open"""
    r"""|style="(?:(?:background-color|color|font-size|text-align): ?[\w#%.]++;? ?)*+"))*+\s*+/?>"""
    r"""|<!--(?!-?>)(?:[^<>-]|-(?!-))*+-->|<(?=[A-Za-z/!?\ue000])""",
    re.ASCII | re.IGNORECASE,
)

# Macros of which MathJax makes addresses and styles, those that bring it more of them, and one that spells names.
# Colours may stay if they are colours.
_COLOUR = r"(?:\s*+\[\w*+\])?+\s*+\{[#\w.,!% -]*+\}"
_MACRO = _compiled(
    r"\\(?=(?:bbox|csname|cssId|href|includegraphics|mmlToken|require|style|unicode|url)(?![A-Za-z])"
    rf"|(?:color|colorbox|textcolor)(?![A-Za-z])(?!{_COLOUR})|fcolorbox(?!{_COLOUR}{_COLOUR})"
    rf"|definecolor(?!{_COLOUR}{_COLOUR}{_COLOUR}))",
    re.ASCII,
)
_DIAGRAM = _compiled(r"(```|~~~)[^\w\n`~]*+mermaid", re.IGNORECASE)  # the front end would draw it

_CODE = _compiled(
    r"^[ \t>]*+(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n(?:[^\n]*+\n)*?(?:[ \t>]*+(?P=fence)[`~]*+[ \t]*+$|[^\n]*+\Z)"
    r"|(?<!`)(?P<ticks>`++)(?:[^`\n]++|\n(?![ \t]*+\n)|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)(?!`)",
    re.MULTILINE,
)
_LINK = _compiled(
    r"(?P<picture>!?)\[(?P<words>[^\[\]]*+)\]\(\s*+"
    r"(?:<(?P<pointed>[^<>\n]*+)>|(?P<plain>[^\s()<>]*+(?:\([^\s()<>]*+\)[^\s()<>]*+)*+))"
    r"""(?:\s++(?:"[^"]*+"|'[^']*+'|\([^()]*+\)))?+\s*+\)"""
)
_ADDRESS = _compiled(
    r"<(?P<pointed>[A-Za-z][A-Za-z0-9+.-]*+:[^\s<>`]*+|[\w.+-]++@[\w.-]++)>"
    r"|(?<![\w/.`])(?P<plain>(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|www\.)[^\s<>`*|]++)"
)


def harmless_text(text: str) -> str:
    """A text in Markdown of which nothing is loaded, whoever shows it; a very long one is shown as it was typed.

    A picture that is neither in the notebook nor beside it becomes its words and its address. So does a link: an
    address can be read and copied, but not clicked by accident. Tags, formulas and diagrams that could load something
    are shown as they were typed, with a space in them.
    """
    text = printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    if "\ue000" in text:  # a letter that no language has
        text = text.replace("\ue000", "\N{REPLACEMENT CHARACTER}")
    pictures: list[str] = []
    if text.count("![") + text.count("<") <= _LONGEST:
        text = _PICTURE_TAG.sub(lambda tag: f"![picture]({tag['own']})", text)
        pictures = _PICTURE.findall(text)
        numbers = iter(range(len(pictures)))
        text = _PICTURE.sub(lambda _: _HOLE.format(next(numbers)), text)
    if len(text) > _LONGEST:
        fence = "`" * (3 + max(map(len, re.findall("`+", text)), default=0))
        text = f"{fence}\n{text}\n{fence}"
    else:
        for _ in range(3):  # a picture in a link; what is nested deeper is taken apart below
            text = _in_prose(text, lambda prose: _LINK.sub(_named, prose))
        text = _in_prose(text, lambda prose: _ADDRESS.sub(_quoted, prose))
    return _HOLES.sub(lambda hole: pictures[int(hole[1])], _apart(text))


def _in_prose(text: str, rule: Callable[[str], str]) -> str:
    """The text with a rule applied to all that is not code."""
    parts, done = [], 0
    for code in _CODE.finditer(text):
        parts += [rule(text[done : code.start()]), code[0]]
        done = code.end()
    return "".join([*parts, rule(text[done:])])


def _named(link: re.Match[str]) -> str:
    words = link["words"].strip()
    address = (link["plain"] if link["pointed"] is None else link["pointed"]).strip().replace("`", "%60")
    if not address or words == address:
        return f"`{address}`" if address else words
    kind = "picture: " if link["picture"] else ""
    return f"{words} ({kind}`{address}`)".lstrip()


def _quoted(found: re.Match[str]) -> str:
    if found["pointed"] is not None:
        return f"`{found['pointed']}`"
    address: str = found["plain"].rstrip(".,;:!?'\"]}")
    while address.endswith(")") and address.count("(") < address.count(")"):
        address = address[:-1]
    return f"`{address}`{found['plain'][len(address) :]}"


def _apart(text: str) -> str:
    """The text with a space in all that could load something, code included: others may not take it for code."""
    text = _TAG.sub(lambda found: "< " if found[0] == "<" else found[0], text)
    text = _MACRO.sub(r"\\ ", text)
    text = _DIAGRAM.sub(r"\1text", text)
    return re.sub(r"!(?=\[)|\](?=\()|\](?=:\s*+\S{0,40}[:/&\\])", r"\g<0> ", text)


# --- Attachments and metadata -----------------------------------------------------------------------------------------

_PICTURE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/svg+xml")
_METADATA: dict[str, Callable[[Any], bool]] = {
    "deletable": lambda value: type(value) is bool,
    "editable": lambda value: type(value) is bool,
    "jupyter": lambda value: isinstance(value, Mapping) and all(type(item) is bool for item in value.values()),
    "nbgrader": lambda value: isinstance(value, Mapping),
    "tags": lambda value: type(value) is list and all(type(item) is str for item in value),
}


def _pictures(attachments: Mapping[str, Any]) -> NotebookNode:
    """The attachments that are pictures; a front end puts type and data into an address, so both are checked."""
    return NotebookNode(
        {
            name: NotebookNode({kind: data for kind, data in bundle.items() if _is_picture(kind, data)})
            for name, bundle in attachments.items()
        }
    )


def _is_picture(kind: str, data: Any) -> bool:
    return kind in _PICTURE_TYPES and type(data) is str and _BASE64.fullmatch(data) is not None


# --- Outputs ----------------------------------------------------------------------------------------------------------

_BASE64 = _compiled(r"[A-Za-z0-9+/\s]*+={0,2}\s*")  # nothing is given back: a long text is read once
_PNG = "iVBORw0KGgo"  # how every PNG begins


def _outputs(told: list[dict[str, Any]], count: int) -> list[NotebookNode]:
    kept: list[dict[str, Any]] = []
    for output in told:
        kind, name, text, data = (output.get(key) for key in ("output_type", "name", "text", "data"))
        if type(kind) is not str:
            continue
        if kind == "stream" and type(name) is str and name in ("stdout", "stderr") and type(text) is str:
            kept.append({"output_type": "stream", "name": name, "text": text})
        elif kind in ("display_data", "execute_result") and type(data) is dict:
            safe = {mime: value for mime, value in data.items() if _is_safe(mime, value)}
            entry: dict[str, Any] = {"output_type": kind, "data": safe, "metadata": _alt(output.get("metadata"))}
            kept.append({**entry, "execution_count": count} if kind == "execute_result" else entry)
    return [NotebookNode(output) for output in kept]


def _is_safe(mime: Any, value: Any) -> bool:
    if type(value) is not str:
        return False
    if mime == "text/plain":
        return True
    return mime == "image/png" and value.startswith(_PNG) and _BASE64.fullmatch(value) is not None


def _alt(metadata: Any) -> dict[str, Any]:
    alt = metadata.get("image/png") if type(metadata) is dict else None
    text = alt.get("alt") if type(alt) is dict else None
    return {"image/png": {"alt": text}} if type(text) is str else {}


def _error_output(error: dict[str, Any] | None) -> list[NotebookNode]:
    if error is None:
        return []
    lines = [*error["lines"], f"{error['type']}: {error['text']}"]
    return [NotebookNode(output_type="error", ename=error["type"], evalue=error["text"], traceback=lines)]
