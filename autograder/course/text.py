"""Texts of anybody's, made fit to be shown: without what steers a terminal or turns the direction of reading."""

from __future__ import annotations

import re

STEERING = r"\x7f-\x9f\u202a-\u202e\u2066-\u2069"  # part of a character class; what stands below a space comes on top
_IN_TEXT = re.compile(rf"[\x00-\x08\x0b-\x1f{STEERING}]")
_IN_LINE = re.compile(rf"[\x00-\x1f{STEERING}]")
_LONGEST_LINE = 1000  # characters


def printable(text: str) -> str:
    """The text, which may have several lines, with � for every character that steers."""
    return _IN_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """The text as a single line, with � for every character that steers, line ends included."""
    return _IN_LINE.sub("\N{REPLACEMENT CHARACTER}", text)


def short_line(text: str) -> str:
    """The text as a single line that is not endless."""
    return one_line(bounded(text, _LONGEST_LINE))


def bounded(text: str, longest: int) -> str:
    """The text, cut and marked as cut when it has more than `longest` characters."""
    return text if len(text) <= longest else f"{text[:longest]} ..."
