"""What a result depends on besides the course's own files: our code and the packages that run a notebook."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import packages_distributions, version
from pathlib import Path

from autograder import __version__
from autograder.course.errors import GraderError

ENGINE = ("course", "sandbox", "engine")  # the packages that turn a submission into a result
_AUTOGRADER = Path(__file__).resolve().parents[1]


def fingerprint(allowed: Sequence[str] = ()) -> dict[str, str]:
    """The versions that matter, by name; two machines on which it is the same give the same marks.

    Packages that are `allowed` matter, too: answers may be made with them.
    """
    return {
        "autograder": f"{__version__} ({hash_of_packages(ENGINE)[:16]})",
        "Python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "ipython", "matplotlib")},
        **{f"allowed {name}": _version_of_package(name) for name in allowed},
    }


def _version_of_package(name: str) -> str:
    """The version of what a package was installed with, whose name may be another one: sklearn is in scikit-learn."""
    return ", ".join(sorted({version(one) for one in packages_distributions().get(name, ())})) or "none"


def hash_of_packages(names: Iterable[str], root: Path = _AUTOGRADER) -> str:
    """One hash of all Python files in packages of `root`; editing, renaming, moving or removing a file changes it."""
    lines = [hash_of(path, root) for name in names for path in package_files(name, root)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def package_files(name: str, root: Path = _AUTOGRADER) -> list[Path]:
    """The Python files of a package in `root`, sorted; a package without any is an error, never an empty list."""
    found = sorted((root / name).rglob("*.py"))
    if not found:
        raise GraderError(f"There is no package {name} in {root}. Install autograder again.")
    return found


def hash_of(path: Path, root: Path) -> str:
    """The path of a file in `root`, and the hash of its content."""
    return f"{path.relative_to(root).as_posix()} {hashlib.sha256(_plain(path.read_bytes())).hexdigest()}"


def _plain(content: bytes) -> bytes:
    """The content with the line ends that the repository has: git may have changed them when it checked out a text."""
    return content if b"\0" in content else content.replace(b"\r\n", b"\n")
