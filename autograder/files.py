"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def replace(path: Path, data: bytes) -> None:
    """Put `data` where `path` is: the old content stays until the new one is complete."""
    replace_all({path: data})


def replace_all(contents: Mapping[Path, bytes]) -> None:
    """Write several files: all of them are complete on disk before the first old one is replaced."""
    staged: list[tuple[Path, Path]] = []
    try:
        for path, data in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
            staged.append((Path(name), path))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644)
        while staged:
            part, path = staged[0]
            os.replace(part, path)
            staged.pop(0)
    finally:
        for part, _ in staged:
            part.unlink(missing_ok=True)
