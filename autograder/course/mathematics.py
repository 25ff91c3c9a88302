"""LaTeX to MathML, which browsers draw and screen readers read aloud without any script."""

from __future__ import annotations

import html
import re
from itertools import pairwise
from xml.etree import ElementTree

from latex2mathml.converter import convert_to_element

from autograder.course.errors import SourceError

# What the library writes, and a browser understands. Anything else is a sign that it did not understand the formula.
_CHILDREN = {"mfrac": 2, "mover": 2, "msub": 2, "msup": 2, "munder": 2, "msubsup": 3, "munderover": 3}
_ELEMENTS = {*_CHILDREN, *"math mi mn mo mroot mrow mspace msqrt mstyle mtable mtd mtext mtr".split()}
_ATTRIBUTES = set(
    "accent columnalign display displaystyle fence form mathvariant maxsize minsize movablelimits scriptlevel stretchy "
    "width".split()
)

# What it does not know, or browsers no longer do, in words that all of them know.
_LATEX = [
    (re.compile(r"\\arg\s*\\(max|min)(?![A-Za-z])"), r"\\arg\1"),
    (re.compile(r"\\mathrm(?![A-Za-z])"), r"\\text"),
]
_LONGEST = 4000  # characters of one formula; ours have at most a few hundred
_WIDTHS = {"negativethinmathspace": "-0.167em"}


def mathml(latex: str, *, block: bool = False) -> str:
    """The formula as MathML, on a line of its own if `block`; a SourceError says which part cannot be rendered."""
    text = latex.strip()
    for pattern, known in _LATEX:
        text = pattern.sub(known, text)
    try:
        tree = convert_to_element(text, xmlns="", display="block" if block else "inline")
    except Exception as error:  # noqa: BLE001 - its errors have no common base, and a formula may break it in any way
        raise _unrenderable(latex, type(error).__name__) from None
    del tree.attrib["xmlns"]  # HTML needs none
    for element in tree.iter():
        _mend(element, latex)
    for row in tree.iter():
        _mark_signs(row)
    return ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False)


def shown(latex: str, *, block: bool = False) -> str:
    """The formula as MathML, whoever wrote it; what cannot be rendered is shown as it was written."""
    try:
        if len(latex) <= _LONGEST:
            return mathml(latex, block=block)
    except SourceError:
        pass
    return f'<code class="latex">{html.escape(latex.strip())}</code>'


def _mend(element: ElementTree.Element, latex: str) -> None:
    """Make an element fit to be read: plain text instead of entities, known attributes, nothing left of LaTeX."""
    text = element.text or ""
    if element.tag != "mtext" and ("\\" in text or (element.tag == "mi" and text in ("&", "{", "}"))):
        raise _unrenderable(latex, f"{text} is not understood")
    if element.tag not in _ELEMENTS or len(element) != _CHILDREN.get(element.tag, len(element)):
        raise _unrenderable(latex, "something is missing in it")
    for name, value in list(element.attrib.items()):
        if name not in _ATTRIBUTES:
            raise _unrenderable(latex, f"{name} is not understood")
        element.set(name, _WIDTHS.get(value, value))
    element.text = html.unescape(text)


def _mark_signs(row: ElementTree.Element) -> None:
    """Tell the minus of a negative number from that of a difference, which stands further away from it."""
    for before, sign in pairwise(row):
        after_operator = before.tag == "mo" and before.text not in _CLOSING
        if after_operator and sign.tag == "mo" and sign.text in _SIGNS:
            sign.set("form", "prefix")


_SIGNS, _CLOSING = ("−", "+", "±"), (")", "]", "}", "|", "∣", "!", "′")


def _unrenderable(latex: str, why: str) -> SourceError:
    return SourceError(f"The formula “{latex.strip()}” cannot be rendered: {why}.")
