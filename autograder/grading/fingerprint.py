"""What a result depends on besides the course's own files: our code and the packages that run a notebook."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

from autograder import __version__

_PACKAGE = Path(__file__).resolve().parents[1]
_ENGINE = ("course", "sandbox", "engine")


def fingerprint() -> dict[str, str]:
    """The versions that matter, by name; two machines on which it is the same give the same marks."""
    code = hashlib.sha256(
        "\n".join(hash_of(path) for name in _ENGINE for path in _python_files(_PACKAGE / name)).encode()
    )
    return {
        "autograder": f"{__version__} ({code.hexdigest()[:16]})",
        "Python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "ipython", "matplotlib")},
    }


def hash_of(path: Path) -> str:
    """The name of a file and the hash of its content."""
    return f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _python_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]
