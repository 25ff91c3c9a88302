"""What counts as an attempt: all code of a notebook, and nothing else of its file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from autograder.course import codec, notebook
from autograder.course.codec import CodecError
from autograder.course.errors import SubmissionError

_DIGITS = 32
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def digest(content: bytes, *, limit: int | None = None) -> str:
    """A digest of the code in a submission's file; of all its bytes where it cannot be read as a notebook.

    Outputs, metadata, text and empty cells make no difference: a notebook that is saved again is the same attempt. Nor
    does anything of the course's: whoever mends a demonstration changes nobody's hidden numbers.
    """
    try:
        cells = _code_of(content, limit)
    except SubmissionError:
        return _digest(b"file " + content)
    texts = (text.replace("\r\n", "\n").strip() for text in cells)
    return _digest(codec.encode([text for text in texts if text]))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


@dataclass(frozen=True, slots=True)  # there may be very many, if somebody wants that
class _Cell:
    cell_type: str
    source: str | list[str] = ""


@dataclass(frozen=True)
class _Notebook:
    nbformat: int
    cells: list[_Cell]


def _code_of(content: bytes, limit: int | None) -> list[str]:
    """The code cells' sources. Most files are read by msgspec, which skips the rest of them: ten times as fast."""
    if limit is not None and len(content) > limit:
        raise SubmissionError("The file is too large.")
    try:
        quick = codec.decode(content.removeprefix(_BYTE_ORDER_MARK), _Notebook)
    except CodecError:
        quick = None
    if quick is None or quick.nbformat != 4:  # an old format, or numbers that JSON does not have
        return [text for _, text in notebook.code_cells(notebook.parse(content, "the file", limit=limit))]
    return [_joined(cell.source) for cell in quick.cells if cell.cell_type == "code"]


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)
