"""The proof that a suite is right as it is now: the records that `validate` left, and what makes them stale."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autograder.course import Course, codec, files, sources
from autograder.course.errors import AuthorError
from autograder.course.folders import STEM
from autograder.grading import fingerprint
from autograder.validity import page
from autograder.validity.record import Record

AUTOGRADER = Path(__file__).resolve().parents[1]
# Every package that a verdict of `validate` passes through. In `grading` no verdict is reached, but its executor
# carries each known answer to the engine and the outcome back: a mistake there could give one the marks of another.
JUDGING = (*fingerprint.ENGINE, "grading", "validity")


def document_file(course: Course) -> Path:
    """The page for people."""
    return course.root / "docs" / "validity.md"


def records_file(course: Course) -> Path:
    """The records, for `release` and for the tests."""
    return course.root / "docs" / "validity.json"


def read(course: Course) -> dict[str, Record]:
    """The records on file, by stem."""
    path = records_file(course)
    if not path.exists():
        return {}
    try:
        return codec.decode(path.read_bytes(), dict[str, Record])
    except codec.CodecError as error:
        raise AuthorError(f"{path} cannot be read ({error}); delete it and run `autograder validate`.") from None


def contents(course: Course, records: Iterable[Record]) -> dict[Path, bytes]:
    """What the two files say once these records are added to those on file; stems that no longer exist are left out."""
    known = {**read(course), **{record.stem: record for record in records}}
    kept = [known[stem] for stem in course.stems() if stem in known]
    records_in_json = json.dumps({record.stem: codec.to_plain(record) for record in kept}, indent=1, ensure_ascii=False)
    return {
        records_file(course): f"{records_in_json}\n".encode(),
        document_file(course): page.document(kept).encode(),
    }


def write(course: Course, records: Iterable[Record]) -> None:
    """Put records on file."""
    files.replace_all(contents(course, records))


def doubts(course: Course, stems: Sequence[str]) -> dict[str, str]:
    """The stems whose suites are not known to be right as they are now, each with the reason in words."""
    records = read(course)
    now = fingerprints(course, [stem for stem in stems if stem in records])
    found = {}
    for stem in stems:
        if stem not in records:
            found[stem] = "its hidden checks have never been validated"
        elif records[stem].fingerprint != now[stem]:
            found[stem] = "its hidden checks, or what they depend on, have changed since they were validated"
        elif records[stem].problems:
            found[stem] = f"its hidden checks are off: {records[stem].problems[0]}"
    return found


def refuse_doubts(found: Mapping[str, str]) -> None:
    """AuthorError if there is any doubt: a stem whose suite is not known to be right, with the reason."""
    if found:
        reasons = "".join(f"\n  {stem}: {reason}" for stem, reason in found.items())
        raise AuthorError(
            f"Not released, because it is not known whether these would be graded correctly:{reasons}\n"
            f"Run `autograder validate {' '.join(found)}` and correct what it finds; "
            "--unvalidated releases them all the same."
        )


def fingerprints(course: Course, stems: Iterable[str]) -> dict[str, str]:
    """For each stem, a hash of everything that the verdict on its suite depends on: what is asked, checked, by whom.

    The code that judges is hashed once for all of them. A missing file is an AuthorError, not a file without changes.
    """
    judges = fingerprint.hash_of_packages(JUDGING, AUTOGRADER)
    return {stem: _fingerprint(course, stem, judges) for stem in stems}


def _fingerprint(course: Course, stem: str, judges: str) -> str:
    asked = _asked(course, stem)
    own = _own(course, stem)
    texts = asked + "".join(path.read_text(encoding="utf-8") for path in own)
    data = [path for path in sorted(course.data.glob("*")) if path.name in texts]
    parts = [judges, asked, *(fingerprint.hash_of(path, course.root) for path in [*own, *data])]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _asked(course: Course, stem: str) -> str:
    """The code cells of the source that are graded, with what nbgrader is told about them."""
    source = sources.read(course.source(stem))
    code = [(cell.id, cell.source, cell.metadata.get("nbgrader")) for cell in source.cells if cell.cell_type == "code"]
    demos = sources.demo_cells(source)
    return json.dumps([cell for cell in code if cell[1].strip() not in demos], sort_keys=True)


def _own(course: Course, stem: str) -> list[Path]:
    """The suite, the known answers if there are any, the visible checks, and the framework they are written in."""
    visible = course.checks / "exercises" / f"{stem}.py"
    others = [path for path in visible.parent.glob("*.py") if STEM.fullmatch(path.stem) and path != visible]
    framework = [path for path in sorted(course.checks.rglob("*.py")) if path not in (visible, *others)]
    for path in (course.suite(stem), visible, course.checks / "__init__.py"):
        if not path.is_file():
            raise AuthorError(
                f"{path.relative_to(course.root)} is missing, on which the checks of {stem} depend. "
                f"Restore it, or write it and run `autograder validate {stem}`."
            )
    known = [path for path in [course.misconceptions(stem)] if path.exists()]
    return [course.suite(stem), *known, visible, *framework]
