"""What counts as an attempt: the code that marks can depend on, and nothing else of a notebook's file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.course import Course, codec, notebook, sources
from autograder.course.codec import CodecError
from autograder.course.errors import SourceError, SubmissionError

_DIGITS = 32
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Attempts:
    """Tells attempts apart; what a notebook had before anybody worked in it is read once."""

    def __init__(self, course: Course, *, limit: int | None = None) -> None:
        self._course, self._limit = course, limit
        self._given: dict[str, frozenset[str]] = {}

    def digest(self, stem: str, content: bytes) -> str:
        """A digest of the code in a submission's file; of all its bytes where it cannot be read as a notebook.

        Outputs, metadata, text, empty cells, and demonstrations and check cells that nobody changed make no difference:
        a notebook that is saved again is the same attempt.
        """
        if stem not in self._given:
            path = self._course.source(stem)
            status = path.stat()
            self._given[stem] = _given(path, status.st_mtime_ns, status.st_size)
        try:
            cells = _code_of(content, stem, self._limit)
        except SubmissionError:
            return _digest(b"file " + content)
        texts = (text.replace("\r\n", "\n").strip() for text in cells)
        return _digest(codec.encode([text for text in texts if text and text not in self._given[stem]]))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


@lru_cache(maxsize=32)
def _given(path: Path, changed: int, size: int) -> frozenset[str]:
    """The demonstrations and check cells of a source, as long as its file is the same."""
    source = notebook.read(path, error=SourceError)
    return frozenset(sources.demo_cells(source) | sources.check_cells(source))


@dataclass(frozen=True, slots=True)  # there may be very many, if somebody wants that
class _Cell:
    cell_type: str
    source: str | list[str] = ""


@dataclass(frozen=True)
class _Notebook:
    nbformat: int
    cells: list[_Cell]


def _code_of(content: bytes, where: str, limit: int | None) -> list[str]:
    """The code cells' sources. Most files are read by msgspec, which skips the rest of them: ten times as fast."""
    if limit is not None and len(content) > limit:
        raise SubmissionError(f"{where} is too large.")
    try:
        quick = codec.decode(content.removeprefix(_BYTE_ORDER_MARK), _Notebook)
    except CodecError:
        quick = None
    if quick is None or quick.nbformat != 4:  # an old format, or numbers that JSON does not have
        return [text for _, text in notebook.code_cells(notebook.parse(content, where, limit=limit))]
    return [_joined(cell.source) for cell in quick.cells if cell.cell_type == "code"]


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)
