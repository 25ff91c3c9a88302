"""From `solutions/` to what students get: the released notebooks and the bundle. Nothing that leaks is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from nbformat import NotebookNode

from autograder import nbgrader_bridge
from autograder.authoring import bundle, leaks, practice
from autograder.course import Course, files, notebook, policy, sources
from autograder.course.errors import AuthorError
from autograder.validity import proof

T = TypeVar("T")
GOES_ON = "raises-exception"  # what Jupyter calls the tag of a cell whose error does not stop the run


@dataclass(frozen=True)
class Released:
    """What a release wrote: the names of the notebooks that changed, and the checksums of what was bundled, by path.

    `practice` names the files with other numbers that changed, and `removed` those that nothing asks for any more.
    """

    notebooks: tuple[str, ...]
    bundled: Mapping[str, str]
    practice: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def release(
    course: Course, stems: Sequence[str] | None = None, *, zip_file: Path | None = None, unvalidated: bool = False
) -> Released:
    """Write the released notebooks of the given stems, or of all, with the numbers to practise with, and the bundle.

    There is a bundle if a file for it is named. The notebooks are built once, and scanned once, together with
    everything else that students get, before anything is written: if there is a bundle, what is scanned is the zip file
    itself. Suites that are not known to be right are an AuthorError; with `unvalidated` they are named in the bundle's
    manifest instead.
    """
    wanted = course.select(stems, tours=True)
    graded = course.stems() if zip_file else tuple(stem for stem in course.stems() if stem in wanted)
    doubts = {} if unvalidated and not zip_file else proof.doubts(course, graded)
    if not unvalidated:
        proof.refuse_doubts(doubts)
    built = build(course, None if zip_file else wanted)
    numbers = practised(course, built)
    _refuse_stale(course, _without(built, wanted), _without(numbers, wanted))
    inside = contents(course, built, numbers)
    changed = {course.released(stem): built[stem] for stem in wanted if _on_disk(course.released(stem)) != built[stem]}
    drawn = {
        course.practice(stem): numbers[stem] for stem in wanted if _on_disk(course.practice(stem)) != numbers[stem]
    }
    written = {**changed, **{path: data for path, data in drawn.items() if data is not None}}
    sums: dict[str, str] = {}
    if zip_file is None:
        leaks.refuse_leaks(course, inside)
    else:
        inside = bundle.with_readme(inside, {stem: title(notebook.parse(built[stem], stem), stem) for stem in built})
        sums = bundle.checksums(inside)
        packed = bundle.pack({**inside, "manifest.json": bundle.manifest(sums, course.stems(), doubts)})
        leaks.refuse_leaks(course, bundle.unpack(packed))
        written[zip_file] = packed
    files.replace_all(written)
    removed = [path for path, data in drawn.items() if data is None]
    for path in removed:
        path.unlink()
    return Released(
        tuple(path.name for path in changed),
        sums,
        practice=tuple(path.name for path in drawn if path not in removed),
        removed=tuple(path.name for path in removed),
    )


def drift(course: Course, stems: Sequence[str] | None = None) -> list[str]:
    """How what is released differs from what a release would write, in words; empty when it does not."""
    built = build(course, stems)
    numbers = practised(course, built)
    leaks.refuse_leaks(course, contents(course, built, numbers))
    return _differences(course, built, numbers)


def practised(course: Course, stems: Collection[str]) -> dict[str, bytes | None]:
    """The files with other numbers to practise with, by stem; None where a notebook has none.

    A file on disk that differs only in digits that depend on the machine is up to date.
    """
    graded = [stem for stem in course.stems() if stem in stems]
    drawn = practice.build(course, graded) if graded else {}
    found: dict[str, bytes | None] = {**dict.fromkeys(stems), **drawn}
    for stem, data in drawn.items():
        old = _on_disk(course.practice(stem))
        found[stem] = old if old is not None and practice.same(old, data) else data
    return found


def build(course: Course, stems: Sequence[str] | None = None) -> dict[str, bytes]:
    """The released notebooks of the given stems, or of all, as the bytes to write."""
    found = {stem: sources.read(course.source(stem)) for stem in course.select(stems, tours=True)}
    for source in found.values():
        sources.exercises(source)  # raises where one breaks a rule
    generated = nbgrader_bridge.generate_assignments({stem: notebook.dumps(source) for stem, source in found.items()})
    return {
        stem: notebook.dumps(normalised(unstoppable(notebook.parse(data, stem)))) for stem, data in generated.items()
    }


def unstoppable(released: NotebookNode) -> NotebookNode:
    """The notebook with cells that "Run All" goes past when they fail, from the first exercise on.

    Those are the checks, and the demonstrations that need what is not written yet. A student's own cell stops the run
    as usual. In the sources nothing is tagged so: there a cell that fails is a mistake.
    """
    begun = False
    for cell in released.cells:
        function = sources.function_of(cell)
        begun = begun or function is not None
        if begun and function is None and cell.cell_type == "code":
            cell.metadata["tags"] = sorted({*cell.metadata.get("tags", []), GOES_ON})
    return released


def normalised(released: NotebookNode) -> NotebookNode:
    """The notebook without outputs, counts, and whatever else differs between two runs or two editors."""
    for cell in released.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook.tidy(released)


def contents(
    course: Course, built: Mapping[str, bytes], numbers: Mapping[str, bytes | None] | None = None
) -> dict[str, bytes]:
    """Notebooks, checks, data and licences: all that students get besides README and manifest, by path in the bundle.

    Of `notebooks/` that is everything but hidden files, caches and what somebody handed in there to try it out:
    what does not belong there is found, not skipped.
    Notebooks in `built` take the place of those on disk, and so do the `numbers` to practise with. The script that
    makes the data stays here. If the course allows packages that it otherwise does without, there is a file with their
    names.
    """
    licences = [path for path in sorted(course.root.glob(f"{bundle.LICENCE}*")) if path.is_file()]
    found = {path.name: path.read_bytes() for path in licences}
    for folder in (course.notebooks, course.data):
        for path in sorted(folder.rglob("*")):
            parts = path.relative_to(course.root).parts
            hidden = any(part.startswith(".") or part in ("__pycache__", "hand_in") for part in parts)
            if path.is_file() and not hidden and path != course.data / "build.py":
                found["/".join(parts)] = path.read_bytes()
    for stem, drawn in (numbers or {}).items():
        name = course.practice(stem).relative_to(course.root).as_posix()
        found.pop(name, None)
        if drawn is not None:
            found[name] = drawn
    if allowed := policy.allowed_names(course):
        found[bundle.ALLOWED] = bundle.allowed_file(allowed)
    return found | {f"notebooks/{stem}.ipynb": data for stem, data in built.items()}


def _without(some: Mapping[str, T], stems: Collection[str]) -> dict[str, T]:
    return {stem: value for stem, value in some.items() if stem not in stems}


def _refuse_stale(course: Course, built: Mapping[str, bytes], numbers: Mapping[str, bytes | None]) -> None:
    stale = _differences(course, built, numbers)
    if stale:
        raise AuthorError(
            "The released notebooks are not up to date; run `autograder release`:\n  " + "\n  ".join(stale)
        )


def _differences(course: Course, built: Mapping[str, bytes], numbers: Mapping[str, bytes | None]) -> list[str]:
    changed = [stem for stem, data in built.items() if _on_disk(course.released(stem)) != data]
    drawn = [stem for stem, data in numbers.items() if _on_disk(course.practice(stem)) != data]
    return [
        *(_difference(course, stem, built[stem]) for stem in changed),
        *(f"notebooks/checks/practice/{stem}.json holds other questions than a release draws" for stem in drawn),
    ]


def _on_disk(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _difference(course: Course, stem: str, data: bytes) -> str:
    """What is different in one released notebook, in words."""
    old = _on_disk(course.released(stem))
    name = f"notebooks/{stem}.ipynb"
    if old is None:
        return f"{name} is missing"
    try:
        before = {cell.id: cell for cell in notebook.parse(old, name, error=AuthorError).cells}
    except AuthorError:
        return f"{name} is not a notebook"
    after = {cell.id: cell for cell in notebook.parse(data, name).cells}
    cells = [cell for cell in {**after, **before} if before.get(cell) != after.get(cell)]
    where = f"cell {', '.join(cells)}" if cells else "the order of its cells, its metadata or its layout"
    return f"{name} differs in {where}"


def title(released: NotebookNode, stem: str) -> str:
    """The heading of a notebook, or the words of its stem if it has none."""
    for cell in released.cells:
        for line in cell.source.splitlines():
            if cell.cell_type == "markdown" and line.startswith("# "):
                return str(line).removeprefix("# ").strip()
    return stem[3:].replace("_", " ")
