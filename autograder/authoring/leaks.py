"""The leak scan: is anything secret in what students get?

It looks into metadata, attachments and zip files, and through base64, escapes and entities.
"""

from __future__ import annotations

import base64
import binascii
import html
import io
import json
import re
import urllib.parse
import zipfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from autograder.authoring import bundle, secret_texts
from autograder.authoring.secret_texts import OUTPUT, SOLUTION, STRAY, Secret
from autograder.course import Course
from autograder.course.errors import LeakError

_READABLE = re.compile(rb"[\x20-\x7e\s]{8,}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrt\"'\\/]))")
_MARKERS = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS", "END HIDDEN TESTS", "BEGIN MARK SCHEME")
_DATA_SUFFIXES = {".csv", ".json", ".md", ".npy", ".npz", ".tsv", ".txt"}
_LONGEST_LIST = 20


@dataclass(frozen=True)
class Leak:
    """Something secret, and where a student would find it."""

    place: str
    kind: str
    text: str
    origin: str = ""

    def __str__(self) -> str:
        text = " ".join(self.text.split())
        shown = text if len(text) <= 70 else f"{text[:67]}..."
        return f"{self.place}: {self.kind}{f' from {self.origin}' if self.origin else ''}: {shown}"


@dataclass(frozen=True)
class Text:
    """A text that students get: the place to name in a message, and whether a person would read it there."""

    place: str
    content: str
    read: bool = True
    numbered: bool = False


def refuse_leaks(course: Course, contents: Mapping[str, bytes]) -> None:
    """Raise a LeakError that lists every leak in the files that students get, given by path and content."""
    leaks = scan(course, contents)
    if leaks:
        listed = "\n".join(f"  {leak}" for leak in leaks[:_LONGEST_LIST])
        more = f"\n  and {len(leaks) - _LONGEST_LIST} more" if len(leaks) > _LONGEST_LIST else ""
        raise LeakError(
            f"Students would see what they must not see ({len(leaks)} {'place' if len(leaks) == 1 else 'places'}):\n"
            f"{listed}{more}\n"
            "Nothing was written. Remove or reword what is named. If students may see a line although it is part of a "
            "solution, end it there with the comment `# given`."
        )


def scan(course: Course, contents: Mapping[str, bytes]) -> list[Leak]:
    """The leaks in the files that students get, in the order of the files."""
    finder = Finder(secret_texts.secrets(course))
    drawn = secret_texts.pictures(course)
    stems = (*course.tours(), *course.stems())
    leaks: list[Leak] = []
    for path, data in sorted(contents.items()):
        if not belongs(path, stems):
            leaks.append(
                Leak(path, STRAY, "students get notebooks, checks, data, licences and a README; delete or move it")
            )
        leaks += _outputs(path, data)
        for text in _texts(path, data):
            leaks += _leaks_in(text, finder, drawn)
    return list(dict.fromkeys(leaks))


def belongs(path: str, stems: Iterable[str]) -> bool:
    """Whether a file, named by its path in the bundle, is one that students should get."""
    parts = PurePosixPath(path).parts
    suffix = PurePosixPath(path).suffix
    if any(part.startswith(".") or part == "__pycache__" for part in parts):
        return False
    match parts:
        case ("README.md",) | ("manifest.json",) | ("notebooks", "matplotlibrc") | ("notebooks", "requirements.txt"):
            return True
        case (name,):
            return name.startswith(bundle.LICENCE)
        case ("notebooks", name):
            return name in {f"{stem}.ipynb" for stem in stems}
        case ("notebooks", "checks", "practice", name):
            return name in {f"{stem}.json" for stem in stems}
        case ("notebooks", "checks", *_):
            return suffix == ".py" or path == bundle.ALLOWED
        case ("data", _):
            return suffix in _DATA_SUFFIXES
    return False


# --- Looking for secrets ----------------------------------------------------------------------------------------------


class Finder:
    """Finds secrets in a text in one pass, however many there are: they are filed under their first tokens."""

    def __init__(self, secrets: Iterable[Secret]):
        self._by_start: dict[bool, dict[tuple[str, ...], list[Secret]]] = {
            True: defaultdict(list),
            False: defaultdict(list),
        }
        for secret in secrets:
            if secret.tokens:
                self._by_start[secret.prose][secret.tokens[:3]].append(secret)

    def find(self, content: str, *, read: bool) -> list[Secret]:
        """The secrets in a text, the longest where they overlap."""
        found: list[Secret] = []
        for prose, split in ((False, secret_texts.code_tokens), (True, secret_texts.words)):
            tokens = tuple(split(content))
            spans = [
                (start, start + len(secret.tokens), secret)
                for start in range(len(tokens))
                for length in (1, 2, 3)
                for secret in self._by_start[prose].get(tokens[start : start + length], ())
                if len(secret.tokens[:3]) == length and tokens[start : start + len(secret.tokens)] == secret.tokens
                if not (secret.quoted and read)
            ]
            found += _longest(spans)
        return found


def _longest(spans: list[tuple[int, int, Secret]]) -> list[Secret]:
    """Of finds that overlap only the longest, in the order of the text."""
    kept: list[tuple[int, int, Secret]] = []
    for start, end, secret in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= other_start or start >= other_end for other_start, other_end, _ in kept):
            kept.append((start, end, secret))
    return [secret for _, _, secret in sorted(kept, key=lambda span: span[:2])]


def _leaks_in(text: Text, finder: Finder, drawn: list[tuple[str, str]]) -> Iterator[Leak]:
    seen: set[Secret] = set()
    for view in _views(text.content):
        for secret in finder.find(view, read=text.read):
            if secret not in seen:
                seen.add(secret)
                yield Leak(_place(text, secret), secret.kind, secret.text, secret.origin)
        for marker in _MARKERS:
            if marker in view:
                yield Leak(text.place, SOLUTION, f"the marker {marker}")
    compact = "".join(text.content.split()) if len(text.content) > 80 else ""
    for origin, stretch in drawn:
        if stretch in compact:
            yield Leak(text.place, OUTPUT, "a picture that the solution draws", origin)


def _place(text: Text, secret: Secret) -> str:
    """Where the secret is, with the number of the line in a file that has lines."""
    if not text.numbered:
        return text.place
    starts: list[int] = []
    tokens: list[str] = []
    split = secret_texts.words if secret.prose else secret_texts.code_tokens
    for row in text.content.splitlines():
        starts.append(len(tokens))
        tokens += split(row)
    size = len(secret.tokens)
    for start in range(len(tokens)):
        if tuple(tokens[start : start + size]) == secret.tokens:
            return f"{text.place}, line {bisect_right(starts, start)}"
    return text.place


# --- Looking into files -----------------------------------------------------------------------------------------------


def _texts(path: str, data: bytes) -> Iterator[Text]:
    """Every text in a file: of a notebook cell by cell, of a zip file member by member."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield from _texts(f"{path}, {name}", archive.read(name))
    elif notebook := _notebook(path, data):
        yield from _texts_of_notebook(path, notebook)
    elif _is_text(data):
        yield Text(path, data.decode("utf-8"), numbered=True)
    else:
        yield Text(path, "\n".join(run.decode("ascii") for run in _READABLE.findall(data)))


def _is_text(data: bytes) -> bool:
    try:
        return b"\0" not in data and data.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False


def _texts_of_notebook(path: str, content: dict[str, Any]) -> Iterator[Text]:
    for number, cell in enumerate(content.get("cells", []), start=1):
        place = f"{path}, cell {cell.get('id', number)}"
        for field, value in cell.items():
            if field == "source":
                yield Text(place, "".join(value))
            else:
                yield from _leaves(f"{place}, {field}", value)
    for field, value in content.items():
        if field != "cells":
            yield from _leaves(f"{path}, {field}", value)


def _leaves(place: str, value: Any) -> Iterator[Text]:
    """The texts in a piece of JSON, keys included. Strings that follow each other are also read together."""
    if isinstance(value, str):
        yield Text(place, value, read=False)
    elif isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            yield Text(place, "".join(value), read=False)
            yield Text(place, "\n".join(value), read=False)
        for item in value:
            yield from _leaves(place, item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield Text(place, key, read=False)
            yield from _leaves(f"{place}.{key[:30]}", item)


def _notebook(path: str, data: bytes) -> dict[str, Any] | None:
    """The content of a notebook, or None if the file is not one; a broken notebook is read as plain text."""
    try:
        content = json.loads(data) if path.endswith(".ipynb") else None
    except ValueError:
        return None
    return content if isinstance(content, dict) and isinstance(content.get("cells"), list) else None


def _outputs(path: str, data: bytes) -> Iterator[Leak]:
    for cell in (_notebook(path, data) or {}).get("cells", []):
        if cell.get("outputs"):
            yield Leak(f"{path}, cell {cell.get('id')}", OUTPUT, "a released notebook has no outputs at all")


def _views(content: str) -> list[str]:
    """A text as it is, and as it reads once escapes, entities and base64 are undone, also where they are nested."""
    views = latest = {content: None}
    for _ in range(3):
        latest = {view: None for known in latest for view in _plainer(known) if view not in views}
        views = {**views, **latest}
    return list(views)


def _plainer(content: str) -> list[str]:
    return [html.unescape(content), _ESCAPE.sub(_unescaped, content), urllib.parse.unquote(content), *_decoded(content)]


def _unescaped(match: re.Match[str]) -> str:
    code, byte, letter = match.groups()
    return chr(int(code or byte, 16)) if code or byte else {"n": "\n", "r": "\r", "t": "\t"}.get(letter, letter)


def _decoded(content: str) -> list[str]:
    """The texts that are encoded as base64 in a text, in one piece or wrapped over lines."""
    candidates = set(_BASE64.findall(content)) | set(_BASE64.findall("".join(content.split())))
    found = []
    for candidate in sorted(candidates):
        plain = candidate.rstrip("=").translate(str.maketrans("-_", "+/"))
        plain = plain[:-1] if len(plain) % 4 == 1 else plain
        try:
            text = base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if sum(character.isprintable() or character.isspace() for character in text) == len(text):
            found.append(text)
    return found
