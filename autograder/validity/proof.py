"""Whether a suite is known to be right as it stands now: the records that `validate` left, and what makes them stale."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.course import Course, files, sources
from autograder.course.errors import AuthorError
from autograder.validity import criteria
from autograder.validity.criteria import Record

_PACKAGE = Path(__file__).resolve().parents[1]
_JUDGING = (
    *(
        "course/suite.py",
        "course/catalogue.py",
        "engine/scoring.py",
        "engine/diagnosis.py",
        "engine/judging.py",
        "engine/examining.py",
    ),
    *(
        "validity/samples.py",
        "validity/mutants.py",
        "validity/by_heart.py",
        "validity/unseen.py",
        "validity/criteria.py",
        "validity/validate.py",
    ),
)
_VISIBLE = ("checking.py", "derivation.py")


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
        return {
            stem: criteria.from_json(values) for stem, values in json.loads(path.read_text(encoding="utf-8")).items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AuthorError(f"{path} cannot be read ({error}); delete it and run `autograder validate`.") from None


def contents(course: Course, records: Iterable[Record]) -> dict[Path, bytes]:
    """What the two files say after these records were added to those on file; stems that are gone are left out."""
    known = {**read(course), **{record.stem: record for record in records}}
    kept = [known[stem] for stem in course.stems() if stem in known]
    document = json.dumps({record.stem: criteria.to_json(record) for record in kept}, indent=1, ensure_ascii=False)
    return {records_file(course): f"{document}\n".encode(), document_file(course): criteria.document(kept).encode()}


def write(course: Course, records: Iterable[Record]) -> None:
    """Put records on file."""
    files.replace_all(contents(course, records))


def doubts(course: Course, stems: Sequence[str]) -> dict[str, str]:
    """The stems whose suites are not known to be right as they are now, each with the reason in words."""
    records = read(course)
    found = {}
    for stem in stems:
        record = records.get(stem)
        if record is None:
            found[stem] = "its hidden checks have never been validated"
        elif record.fingerprint != fingerprint(course, stem):
            found[stem] = "its hidden checks, or what they depend on, have changed since they were validated"
        elif record.problems:
            found[stem] = f"its hidden checks are off: {record.problems[0]}"
    return found


def refuse_doubts(course: Course, stems: Sequence[str]) -> None:
    """AuthorError unless the suites of all these stems are known to be right."""
    found = doubts(course, stems)
    if found:
        reasons = "".join(f"\n  {stem}: {reason}" for stem, reason in found.items())
        raise AuthorError(
            f"Not released, for nobody knows whether these would be graded rightly:{reasons}\n"
            f"Run `autograder validate {' '.join(found)}`, and correct what it finds; --unvalidated releases them all the same."
        )


def fingerprint(course: Course, stem: str) -> str:
    """A hash of everything that the verdict on a suite depends on: what is asked, what is checked, and who judges."""
    source = sources.read(course.source(stem))
    code = [(cell.id, cell.source, cell.metadata.get("nbgrader")) for cell in source.cells if cell.cell_type == "code"]
    demos = sources.demo_cells(source)
    asked = json.dumps([cell for cell in code if cell[1].strip() not in demos], sort_keys=True)
    visible = [course.checks / name for name in (*_VISIBLE, f"exercises/{stem}.py")]
    own = [course.suite(stem), course.misconceptions(stem), *visible]
    texts = asked + "".join(path.read_text(encoding="utf-8") for path in own if path.exists())
    data = [path for path in sorted(course.data.glob("*")) if path.name in texts]
    parts = [
        asked.encode(),
        *(path.read_bytes() for path in [*own, *data, *(_PACKAGE / name for name in _JUDGING)] if path.exists()),
    ]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
