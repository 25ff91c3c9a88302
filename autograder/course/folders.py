"""Where everything of the course is: one stem, four places."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import AuthorError, UsageError
from autograder.course.model import TOUR

STEM = re.compile(r"\d\d_[a-z0-9]+(?:_[a-z0-9]+)*")


@dataclass(frozen=True)
class Course:
    """The course in the folder `root`. Building one touches no file; only `default` and the listings look."""

    root: Path

    @classmethod
    def default(cls) -> Course:
        """The course of the repository that contains this package."""
        root = Path(__file__).resolve().parents[2]
        if not (root / "solutions").is_dir():
            raise AuthorError(
                f"There is no folder solutions/ in {root}, where this package is installed. "
                "Run `make setup` in the course's repository and use its .venv."
            )
        return cls(root)

    @property
    def solutions(self) -> Path:
        """The source notebooks, the only ones that are edited."""
        return self.root / "solutions"

    @property
    def notebooks(self) -> Path:
        """The released notebooks and what stands beside them."""
        return self.root / "notebooks"

    @property
    def checks(self) -> Path:
        """The package of visible checks that the released notebooks import."""
        return self.notebooks / "checks"

    @property
    def data(self) -> Path:
        """The data files, and the script that rebuilds them."""
        return self.root / "data"

    @property
    def suites(self) -> Path:
        """The hidden suites."""
        return self.root / "autograder" / "suites"

    @property
    def catalogue(self) -> Path:
        """The known answers, wrong ones and right ones."""
        return self.root / "autograder" / "misconceptions"

    def stems(self) -> tuple[str, ...]:
        """The stems of the notebooks that are graded, in order."""
        return tuple(stem for stem in self._sources() if not stem.startswith(TOUR))

    def tours(self) -> tuple[str, ...]:
        """The stems of the notebooks that students get, too, but that nobody grades."""
        return tuple(stem for stem in self._sources() if stem.startswith(TOUR))

    def _sources(self) -> list[str]:
        if not self.solutions.is_dir():
            return []
        names = (
            self.solutions.iterdir()
        )  # unlike `glob`, it does not take a folder that is closed to us for an empty one
        return sorted(path.stem for path in names if path.suffix == ".ipynb" and STEM.fullmatch(path.stem))

    def select(self, stems: Sequence[str] | None, *, tours: bool = False) -> tuple[str, ...]:
        """The given stems, in order and each known; without any, all that are graded, after the tours if asked for."""
        if not stems:
            if not self.stems():
                raise AuthorError(
                    f"There is no source notebook in {self.solutions}: expected files such as 01_name.ipynb."
                )
            return (*self.tours(), *self.stems()) if tours else self.stems()
        return tuple(sorted({self.source(stem).stem for stem in stems}))

    def source(self, stem: str) -> Path:
        """The source notebook of a stem that exists."""
        known = self._sources()
        if stem not in known:
            near = difflib.get_close_matches(stem, known, n=len(known) or 1, cutoff=0.4)
            names = ", ".join([*near, *(name for name in known if name not in near)]) or "none yet"
            raise UsageError(f"There is no notebook {stem!r} in {self.solutions}. Known are: {names}.")
        return self.solutions / f"{stem}.ipynb"

    def released(self, stem: str) -> Path:
        """The released notebook of a stem."""
        return self.notebooks / f"{stem}.ipynb"

    def practice(self, stem: str) -> Path:
        """The other numbers that students may practise with in the notebook of a stem."""
        return self.checks / "practice" / f"{stem}.json"

    def suite(self, stem: str) -> Path:
        """The hidden suite of a stem."""
        return self.suites / f"test_{stem}.py"

    def misconceptions(self, stem: str) -> Path:
        """The known answers of a stem."""
        return self.catalogue / f"{stem}.py"
