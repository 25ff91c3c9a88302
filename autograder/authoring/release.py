"""From `solutions/` to what students get: the released notebooks and the bundle. Nothing that leaks is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from autograder import nbgrader_bridge
from autograder.authoring import bundle, leaks
from autograder.course import Course, files, notebook, sources
from autograder.course.errors import AuthorError
from autograder.validity import proof

GOES_ON = "raises-exception"  # what Jupyter calls the tag of a cell whose error does not stop the run


@dataclass(frozen=True)
class Released:
    """What a release wrote: the names of the notebooks that changed, and the checksums of what was bundled, by path."""

    notebooks: tuple[str, ...]
    bundled: Mapping[str, str]


def release(
    course: Course, stems: Sequence[str] | None = None, *, zip_file: Path | None = None, unvalidated: bool = False
) -> Released:
    """Write the released notebooks of the given stems, or of all, and the bundle if a file for it is named.

    The notebooks are built once, and scanned once, together with everything else that students get, before anything is
    written: if there is a bundle, what is scanned is the zip file itself. Suites that are not known to be right are an
    AuthorError; with `unvalidated` they are named in the bundle's manifest instead.
    """
    wanted = course.select(stems, tours=True)
    graded = course.stems() if zip_file else tuple(stem for stem in course.stems() if stem in wanted)
    doubts = {} if unvalidated and not zip_file else proof.doubts(course, graded)
    if not unvalidated:
        proof.refuse_doubts(doubts)
    built = build(course, None if zip_file else wanted)
    _refuse_stale(course, {stem: data for stem, data in built.items() if stem not in wanted})
    inside = contents(course, built)
    changed = {course.released(stem): built[stem] for stem in wanted if _on_disk(course, stem) != built[stem]}
    if zip_file is None:
        leaks.refuse_leaks(course, inside)
        files.replace_all(changed)
        return Released(tuple(path.name for path in changed), {})
    inside = bundle.with_readme(inside, {stem: title(notebook.parse(built[stem], stem), stem) for stem in built})
    sums = bundle.checksums(inside)
    packed = bundle.pack({**inside, "manifest.json": bundle.manifest(sums, course.stems(), doubts)})
    leaks.refuse_leaks(course, bundle.unpack(packed))
    files.replace_all({**changed, zip_file: packed})
    return Released(tuple(path.name for path in changed), sums)


def drift(course: Course, stems: Sequence[str] | None = None) -> list[str]:
    """How the released notebooks differ from what a release would write, in words; empty when they do not."""
    built = build(course, stems)
    leaks.refuse_leaks(course, contents(course, built))
    return _differences(course, built)


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


def contents(course: Course, built: Mapping[str, bytes]) -> dict[str, bytes]:
    """Notebooks, checks, data and licences: all that students get besides README and manifest, by path in the bundle.

    Of `notebooks/` that is everything but hidden files, caches and what somebody handed in there to try it out:
    what does not belong there is found, not skipped.
    Notebooks in `built` take the place of those on disk. The script that makes the data stays here.
    """
    licences = [path for path in sorted(course.root.glob(f"{bundle.LICENCE}*")) if path.is_file()]
    found = {path.name: path.read_bytes() for path in licences}
    for folder in (course.notebooks, course.data):
        for path in sorted(folder.rglob("*")):
            parts = path.relative_to(course.root).parts
            hidden = any(part.startswith(".") or part in ("__pycache__", "hand_in") for part in parts)
            if path.is_file() and not hidden and path != course.data / "build.py":
                found["/".join(parts)] = path.read_bytes()
    return found | {f"notebooks/{stem}.ipynb": data for stem, data in built.items()}


def _refuse_stale(course: Course, built: Mapping[str, bytes]) -> None:
    stale = _differences(course, built)
    if stale:
        raise AuthorError(
            "The released notebooks are not up to date; run `autograder release`:\n  " + "\n  ".join(stale)
        )


def _differences(course: Course, built: Mapping[str, bytes]) -> list[str]:
    return [_difference(course, stem, data) for stem, data in built.items() if _on_disk(course, stem) != data]


def _on_disk(course: Course, stem: str) -> bytes | None:
    path = course.released(stem)
    return path.read_bytes() if path.is_file() else None


def _difference(course: Course, stem: str, data: bytes) -> str:
    """What is different in one released notebook, in words."""
    old = _on_disk(course, stem)
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
