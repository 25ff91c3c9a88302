"""The command itself: finds the verb, runs it, and says errors in words. Results go to stdout, progress to stderr."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence

from autograder import __version__
from autograder.cli import (
    check,
    collect,
    course,
    demo,
    doctor,
    feedback,
    grade,
    groups,
    learn,
    marks,
    refresh,
    release,
    report,
    site,
    validate,
)
from autograder.course import Course
from autograder.course.errors import AutograderError, UsageError
from autograder.sandbox import temporary
from autograder.sandbox.permissions import on_the_way

_VERBS = (
    *(refresh, release, site, course, collect),
    *(grade, check, groups, marks, feedback, report),
    *(demo, learn, validate, doctor),
)

_ADVICE = {
    errno.ENOSPC: "Make room there, then run the same command again: what was finished is kept.",
    errno.EDQUOT: "Make room there, then run the same command again: what was finished is kept.",
    errno.EACCES: "Choose another place, or ask for permission to use this one.",
    errno.EPERM: "Choose another place, or ask for permission to use this one.",
    errno.EROFS: "Choose another place: nothing can be written to this one.",
    errno.ENOENT: "Choose another place.",
    errno.ENOTDIR: "Choose another place: a part of this path is a file.",
    errno.EEXIST: "Choose another place: a part of this path is a file.",
    errno.EISDIR: "Name a file: this is a folder.",
}


def main(arguments: Sequence[str] | None = None, course: Course | None = None) -> int:
    """The exit code of the command. 0: it did its work; 1: it could not; 2: it was called wrongly."""
    try:
        return run(arguments, course)
    except UsageError as error:
        return _fail(str(error), 2)
    except AutograderError as error:
        return _fail(str(error), 1)
    except OSError as error:
        return _fail(_in_words(error), 1)
    except KeyboardInterrupt:
        return _fail("interrupted; what was finished is kept, and the same command continues from there.", 1)


def run(arguments: Sequence[str] | None = None, course: Course | None = None) -> int:
    """The exit code of a verb, run for a course, or for the one that contains this package; errors are raised."""
    options = _parser().parse_args(arguments)
    temporary.place()
    return int(options.command(options, course or Course.default()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="autograder", description="Release, grade and validate the course's notebooks."
    )
    parser.add_argument("--version", action="version", version=__version__)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for verb in _VERBS:
        verb.add_parser(verbs)
    return parser


def _fail(words: str, code: int) -> int:
    print(f"autograder: {words}", file=sys.stderr)
    return code


def _in_words(error: OSError) -> str:
    """What the system said, where, and what to do next."""
    said = f"{error.strerror or error}: {error.filename or ''}".rstrip(": ")
    if error.errno == errno.EACCES and (obstacle := on_the_way(os.fsdecode(error.filename or "."))):
        return f"{said}. {obstacle}. Run this as {obstacle.owner}, ask for permission, or choose another place."
    if error.errno in (errno.ENOSPC, errno.EDQUOT) and temporary.is_there(os.fsdecode(error.filename or "")):
        room = temporary.lack_of_room() or f"{said}. Free some there, or set TMPDIR to a folder on another disk"
        return f"{room}; then run the same command again: what was finished is kept."
    advice = _ADVICE.get(error.errno or 0, "")
    return f"{said}. {advice}" if advice else said
