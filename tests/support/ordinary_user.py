"""A user without any rights, for tests that run as root: a Python that this user may run, and commands run by it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

NOBODY = 65534


def readable_by_anyone(path: Path) -> bool:
    path = path.resolve()
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (path, *path.parents))


@contextmanager
def folder_of_nobody() -> Iterator[Path]:
    """A folder that belongs to the user without rights; pytest's own are closed to others."""
    path = Path("/tmp", f"ordinary-user-{os.getpid()}")
    path.mkdir(mode=0o755)
    os.chown(path, NOBODY, NOBODY)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def python_for_anyone(folder: Path) -> Path:
    """An interpreter with our packages that others may run: this one, or one in an environment made in the folder."""
    if readable_by_anyone(Path(sys.prefix)) and readable_by_anyone(Path(sys.base_prefix)):
        return Path(sys.executable)
    return environment_for_anyone(folder) / "bin" / "python"


def environment_for_anyone(folder: Path) -> Path:
    """An environment in the folder whose Python is one that others may run; its packages are links to ours."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix, "bin", version)
    if not readable_by_anyone(base):
        base = Path("/usr/bin", version)
    if not base.exists():
        pytest.skip(f"only root can run this Python, and there is no {base}")
    made = folder / "environment"
    subprocess.run([base, "-m", "venv", "--without-pip", made], check=True)
    packages = Path(np.__file__).parents[1]
    shutil.copytree(packages, made / "lib" / version / "site-packages", copy_function=os.link, dirs_exist_ok=True)
    return made


def run_as_nobody(
    command: Sequence[str | Path], folder: Path, *, cwd: Path, seconds: float = 600.0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What a command of that user came to; its home and its temporary files are in the folder."""
    basic = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"}
    basic["AUTOGRADER_SECRET"] = os.environ["AUTOGRADER_SECRET"]  # the course may be one that they cannot write to
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**basic, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        start_new_session=True,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
