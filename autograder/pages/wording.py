"""Numbers and lengths of time as people say them."""

from __future__ import annotations

import math

_NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def in_words(count: int) -> str:
    """A small number as a word, a larger one in digits."""
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def counted(count: int, what: str) -> str:
    """A number of things, in the singular where it is one."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def short(value: float) -> str:
    """A number with no more digits than it needs."""
    return f"{value:g}"


def points(value: float) -> str:
    """A number of points, to two decimals; what is not nothing is never called 0."""
    shown = round(value, 2)
    if value and not shown:
        return "less than 0.01 points"
    return f"{shown:g} {'point' if shown == 1 else 'points'}"


def percent(share: float) -> str:
    """A share between 0 and 1 in whole percent."""
    return f"{share:.0%}"


def tenths(value: float) -> str:
    """A number with one digit behind the point."""
    return f"{value:.1f}"


def duration(seconds: float) -> str:
    """A length of time in a sentence: in days and hours begun, or in minutes below one hour."""
    minutes = math.ceil(seconds / 60)
    if minutes < 60:
        return counted(minutes, "minute")
    days, hours = divmod(math.ceil(minutes / 60), 24)
    return " and ".join(counted(count, unit) for count, unit in ((days, "day"), (hours, "hour")) if count)


def short_duration(seconds: float) -> str:
    """A length of time in a table: in days and hours begun, or in minutes below one hour."""
    if seconds < 3600:
        return f"{math.ceil(seconds / 60)} min"
    days, hours = divmod(math.ceil(seconds / 3600), 24)
    return f"{days} d {hours} h" if days else f"{hours} h"
