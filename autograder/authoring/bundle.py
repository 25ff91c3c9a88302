"""The zip file that students get: the course with a README and a manifest, the same bytes on every machine."""

from __future__ import annotations

import hashlib
import io
import json
import string
import zipfile
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

from autograder import __version__
from autograder.course.errors import AuthorError

TEMPLATE = Path(__file__).parent / "templates" / "student_readme.md"
LICENCE = "LICENSE"  # how the names of the files with licences begin, at the top of the repository and of the bundle
ALLOWED = "notebooks/checks/allowed.txt"  # what handing in has to know of course.toml, which students do not get
_NEEDED = ("notebooks/matplotlibrc", "notebooks/requirements.txt", "notebooks/checks/__init__.py")
_VERSIONS = ("ipywidgets", "jupyterlab", "matplotlib", "nbgrader", "numpy")


def with_readme(contents: Mapping[str, bytes], titles: Mapping[str, str]) -> dict[str, bytes]:
    """The contents by path, and a README that lists the notebooks (stem to title); AuthorError if a part is missing."""
    for name in _NEEDED:
        if name not in contents:
            raise AuthorError(f"The bundle needs {name}, which is missing. Restore it, or write it.")
    licences = sorted(path for path in contents if path.startswith(LICENCE))
    return {**contents, "README.md": readme(titles, licences)}


def readme(titles: Mapping[str, str], licences: Iterable[str] = ()) -> bytes:
    """The README of the bundle: how to start, check and hand in, and where the licences are."""
    stems = sorted(titles)
    listed = "\n".join(f"- `notebooks/{stem}.ipynb`: {titles[stem]}" for stem in stems)
    named = " and ".join(f"`{name}`" for name in licences)
    terms = f"\n## Licence\n\nWhat you may do with this course is written in {named}.\n" if named else ""
    template = string.Template(TEMPLATE.read_text(encoding="utf-8"))
    return template.substitute(notebooks=listed, first=f"{stems[0]}.ipynb", licences=terms).encode()


def allowed_file(names: Iterable[str]) -> bytes:
    """The file that tells a student's copy of the checks which packages are there when a notebook is graded."""
    return "".join(f"{name}\n" for name in names).encode()


def checksums(contents: Mapping[str, bytes]) -> dict[str, str]:
    """The checksum of each file, by path."""
    return {path: hashlib.sha256(data).hexdigest() for path, data in sorted(contents.items())}


def manifest(sums: Mapping[str, str], stems: Iterable[str], unvalidated: Iterable[str]) -> bytes:
    """What is in the bundle, which notebooks are graded, and whose hidden checks are not known to be right, as JSON."""
    content = {
        "files": dict(sums),
        "stems": list(stems),
        "unvalidated": list(unvalidated),
        "versions": {name: metadata.version(name) for name in _VERSIONS} | {"course": __version__},
    }
    return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()


def pack(contents: Mapping[str, bytes]) -> bytes:
    """A zip file with fixed dates, order and permissions; not compressed, since that depends on the library."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(contents):
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, contents[path])
    return target.getvalue()


def unpack(packed: bytes) -> dict[str, bytes]:
    """What a zip file holds, by path."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
