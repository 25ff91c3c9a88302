"""A course to teach in tests: a copy of this one with its first notebook only, which a test may change at will."""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.course import Course

STEM = "01_bayes_rule"
REPOSITORY = Course.default()

# Honest notebooks need a small part of this; what loops or crashes should not keep us waiting.
LIMITS = "[limits]\ncall_seconds = 3.0\ncell_seconds = 6.0\nmemory_bytes = 268435456\n"


def copy_course(root: Path) -> Course:
    """The course of this repository in another folder, with one notebook and short limits."""
    course = Course(root)
    caches = shutil.ignore_patterns("__pycache__", "[0-9]*.py", "build.py", "practice")
    shutil.copytree(REPOSITORY.checks, course.checks, ignore=caches)
    shutil.copytree(REPOSITORY.data, course.data, ignore=caches)
    shutil.copy(REPOSITORY.notebooks / "matplotlibrc", course.notebooks)
    visible = Path("notebooks", "checks", "exercises", f"{STEM}.py")
    places = [
        REPOSITORY.source(STEM),
        REPOSITORY.suite(STEM),
        REPOSITORY.misconceptions(STEM),
        REPOSITORY.root / visible,
    ]
    for path in places:
        target = root / path.relative_to(REPOSITORY.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (root / "course.toml").write_text(LIMITS)
    return course
