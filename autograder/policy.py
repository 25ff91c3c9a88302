"""What an instructor may set for a whole course, in one file: `course.toml`."""

from __future__ import annotations

import dataclasses
import tomllib

from autograder.course import Course
from autograder.engine.limits import Limits
from autograder.errors import AuthorError


def limits(course: Course) -> Limits:
    """The limits of the table `[limits]` in course.toml; what it does not name stays as it is, as does all without it."""
    path = course.root / "course.toml"
    if not path.exists():
        return Limits()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("limits", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AuthorError(f"{path} is no TOML file: {error}") from None
    known = {field.name: field for field in dataclasses.fields(Limits)}
    for name, value in table.items():
        if name not in known:
            raise AuthorError(f"{path} sets the limit {name!r}, which there is not. Known are: {', '.join(known)}.")
        whole = isinstance(known[name].default, int)
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or value <= 0:
            kind = "a whole number" if whole else "a number"
            raise AuthorError(f"{path}: the limit {name} is {value!r}; it must be {kind} above zero.")
    return dataclasses.replace(Limits(), **table)
