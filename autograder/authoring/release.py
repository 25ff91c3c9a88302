"""From `solutions/` to what students get: the released notebooks and the bundle. Nothing is written where it leaks."""

from __future__ import annotations

import hashlib
import io
import json
import string
import zipfile
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from nbformat import NotebookNode

from autograder import __version__, nbgrader_bridge
from autograder.authoring import leaks
from autograder.course import Course, files, notebook, sources
from autograder.course.errors import AuthorError
from autograder.validity import proof

_TEMPLATE = Path(__file__).parent / "templates" / "student_readme.md"
GOES_ON = "raises-exception"  # what Jupyter calls the tag of a cell whose error does not stop the run
_VERSIONS = ("ipywidgets", "jupyterlab", "matplotlib", "nbgrader", "numpy")


def release(course: Course, stems: Sequence[str] | None = None) -> list[str]:
    """Write the released notebooks of the given stems, or of all; the names of those that changed.

    All of them are built and scanned together with everything else that students get before one is replaced.
    """
    built = build(course, stems)
    leaks.refuse_leaks(course, contents(course, built))
    changed = {course.released(stem): data for stem, data in built.items() if _on_disk(course, stem) != data}
    files.replace_all(changed)
    return [path.name for path in changed]


def drift(course: Course, stems: Sequence[str] | None = None) -> list[str]:
    """How the released notebooks differ from what a release would write, in words; empty when they do not."""
    built = build(course, stems)
    leaks.refuse_leaks(course, contents(course, built))
    return [_difference(course, stem, data) for stem, data in built.items() if _on_disk(course, stem) != data]


def bundle(course: Course, file: Path) -> dict[str, str]:
    """Write the zip file that students get; the path and the checksum of everything in it.

    Its manifest names the notebooks whose hidden checks are not known to be right.
    Byte for byte the same on every machine: fixed dates, order and permissions, and no compression, whose
    result depends on the library. What is scanned for leaks is the zip file itself.
    """
    built = build(course)
    stale = [_difference(course, stem, data) for stem, data in built.items() if _on_disk(course, stem) != data]
    if stale:
        raise AuthorError(
            "The released notebooks are not up to date; run `autograder release`:\n  " + "\n  ".join(stale)
        )
    inside = contents(course, built)
    for needed in ("notebooks/matplotlibrc", "notebooks/requirements.txt", "notebooks/checks/__init__.py"):
        if needed not in inside:
            raise AuthorError(f"The bundle needs {needed}, which is not there.")
    inside["README.md"] = student_readme(course, built)
    sums = {path: hashlib.sha256(data).hexdigest() for path, data in sorted(inside.items())}
    inside["manifest.json"] = _manifest(course, sums)
    packed = _zip(inside)
    leaks.refuse_leaks(course, _unzip(packed))
    files.replace(file, packed)
    return sums


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
    """Everything that students get besides the README: by path in the bundle.

    Of `notebooks/` that is everything but hidden files, caches and what was handed in there by trying it out:
    what does not belong there is found, not skipped.
    Notebooks in `built` take the place of those on disk. The script that makes the data stays here.
    """
    found: dict[str, bytes] = {}
    for folder in (course.notebooks, course.data):
        for path in sorted(folder.rglob("*")):
            parts = path.relative_to(course.root).parts
            hidden = any(part.startswith(".") or part in ("__pycache__", "hand_in") for part in parts)
            if path.is_file() and not hidden and path != course.data / "build.py":
                found["/".join(parts)] = path.read_bytes()
    return found | {f"notebooks/{stem}.ipynb": data for stem, data in built.items()}


def student_readme(course: Course, built: Mapping[str, bytes]) -> bytes:
    """The README of the bundle: how to start, check and hand in."""
    names = sorted(built)
    titles = [f"- `notebooks/{stem}.ipynb`: {title(notebook.parse(built[stem], stem), stem)}" for stem in names]
    template = string.Template(_TEMPLATE.read_text(encoding="utf-8"))
    return template.substitute(notebooks="\n".join(titles), first=f"{names[0]}.ipynb").encode()


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
    return f"{name} differs in {'cell ' + ', '.join(cells) if cells else 'the order of its cells, its metadata or its layout'}"


def title(released: NotebookNode, stem: str) -> str:
    """The heading of a notebook; what its stem says where it has none."""
    for cell in released.cells:
        for line in cell.source.splitlines():
            if cell.cell_type == "markdown" and line.startswith("# "):
                return line.removeprefix("# ").strip()
    return stem[3:].replace("_", " ")


def _manifest(course: Course, sums: Mapping[str, str]) -> bytes:
    versions = {name: metadata.version(name) for name in _VERSIONS} | {"course": __version__}
    unvalidated = list(proof.doubts(course, course.stems()))
    content = {"files": dict(sums), "stems": list(course.stems()), "unvalidated": unvalidated, "versions": versions}
    return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()


def _zip(inside: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(inside):
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, inside[path])
    return target.getvalue()


def _unzip(packed: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
