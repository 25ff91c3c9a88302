"""`course.toml`: its tables as typed values, and words for what does not fit. What they mean is in `policy`."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

from msgspec import Meta

from autograder.course import codec
from autograder.course.codec import CodecError
from autograder.course.errors import AuthorError
from autograder.course.limits import Limits

NAME = "course.toml"
Text = Annotated[str, Meta(description="a text in quotes")]
Amount = Annotated[float, Meta(ge=0, le=100_000, description="a number from 0 to 100000")]
Percent = Annotated[float, Meta(ge=0, le=100, description="a number from 0 to 100")]
Step = Annotated[float, Meta(ge=0.001, le=100_000, description="a number from 0.001 to 100000")]
Few = Annotated[int, Meta(ge=0, description="a whole number, 0 or more")]
Names = Annotated[tuple[str, ...], Meta(description='a list of names, such as ["scipy"]')]
Half = Annotated[Literal["up", "even", "down"], Meta(description='"up", "even" or "down"')]
Table = TypeVar("Table")


@dataclass(frozen=True)
class LateTable:
    """What being late costs."""

    percent_per_day: Percent = 0
    grace_minutes: Amount = 0
    cutoff_days: Amount | None = None


@dataclass(frozen=True)
class ExtensionTable:
    """More time for one student: `days` more, or `until` a moment."""

    student: Text
    assignment: Text
    days: Amount | None = None
    until: Any = None


@dataclass(frozen=True)
class MarksTable:
    """How final marks are made."""

    drop_lowest: Few = 0
    round_to: Step | None = None
    round_half: Half = "up"


@dataclass(frozen=True)
class PackagesTable:
    """Packages that answers may use although the course does without them."""

    allow: Names = ()


@dataclass(frozen=True)
class CourseFile:
    """The whole file. Moments are as TOML has them: `policy` has words of its own for what is wrong with one."""

    timezone: Text | None = None
    students: Text | None = None
    due: Mapping[str, Any] = field(default_factory=dict)
    late: LateTable = field(default_factory=LateTable)
    extension: tuple[ExtensionTable, ...] = ()
    marks: MarksTable = field(default_factory=MarksTable)
    limits: Limits | None = None
    packages: PackagesTable | None = None


def read(path: Path) -> CourseFile:
    """What the file says; everything as it is by default where there is no file. An AuthorError names what is wrong."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AuthorError(f"{path} is not a TOML file: {error}") from None
    tables: dict[str, Any] = {}
    for name, kind in (("late", LateTable), ("marks", MarksTable), ("limits", Limits), ("packages", PackagesTable)):
        if name in content:
            tables[name] = table(path, content[name], kind, f"[{name}]")
    if "extension" in content:
        entries = content["extension"]
        if not isinstance(entries, list):
            raise AuthorError(f"{path}: write each extension as a table of its own that starts with [[extension]].")
        tables["extension"] = tuple(table(path, entry, ExtensionTable, "[[extension]]") for entry in entries)
    if not isinstance(content.get("due", {}), dict):
        raise AuthorError(f"{path}: due is {content['due']!r}; it must be a table, [due].")
    rest = {name: value for name, value in content.items() if name not in tables}
    return dataclasses.replace(table(path, rest, CourseFile, "the file"), **tables)


def table(path: Path | str, entry: Any, kind: type[Table], where: str) -> Table:
    """A table of a TOML file as a dataclass, every value of the type that its field has.

    `path` and `where` are what messages call the file and the table; the types say what a value must be.
    """
    if not isinstance(entry, dict):
        raise AuthorError(f"{path}: there is {entry!r} where {where} should be; it must be a table.")
    types = get_type_hints(kind, include_extras=True)
    for name, value in entry.items():
        if name not in types:
            raise AuthorError(f"{path}: {name!r} in {where} is not known. Known are: {', '.join(types)}.")
        try:
            codec.from_plain(value, types[name])
        except CodecError:
            must_be = _described(types[name])
            raise AuthorError(f"{path}: {name} in {where} is {value!r}; it must be {must_be}.") from None
    needed = [one.name for one in dataclasses.fields(kind) if _is_needed(one)]  # type: ignore[arg-type]
    if any(name not in entry for name in needed):
        raise AuthorError(f"{path}: each {where} needs {' and '.join(needed)}.")
    return kind(**entry)


def _is_needed(one: dataclasses.Field[Any]) -> bool:
    return one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING


def _described(hint: Any) -> str:
    """What a value must be, in the words that its type carries."""
    for part in (hint, *get_args(hint)):
        for about in getattr(part, "__metadata__", ()):
            return str(about.description)
    return "something else"
