"""What others rely on: settings of courses made long ago, and that nbgrader is asked in one package only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.apps import NbGrader
from nbgrader.converters import Autograde
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties, NbGraderPreprocessor
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

import autograder
from autograder import nbgrader_bridge
from autograder.course.errors import SubmissionError
from autograder.nbgrader_bridge.folder import CourseFolder
from autograder.nbgrader_bridge.preprocessors import BoundedExporter

# As the first version wrote it into the folder of a course. Never change it: it is an instructor's file.
FIRST_VERSION = '''"""nbgrader's settings for this course."""

from autograder.nbgrader_bridge import pages, preprocessors

c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.course_id = "from_bayes_to_softmax"
# c.CourseDirectory.db_url = "postgresql+psycopg://user@host/name"    # default: gradebook.db in this folder

c.Autograde.sanitize_preprocessors = preprocessors.SANITIZE
c.Autograde.autograde_preprocessors = preprocessors.AUTOGRADE
c.AssignLatePenalties.plugin_class = preprocessors.CoursePolicy
c.Autograde.create_student = preprocessors.whoever_hands_in(__file__)

c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = pages.FILTERS
c.HTMLExporter.extra_template_basedirs = pages.TEMPLATES
c.Restore.repository = c.Examine.repository = c.Settle.repository = "/somewhere/else"
'''


@pytest.fixture
def settings(tmp_path: Path) -> Config:
    (tmp_path / "nbgrader_config.py").write_text(FIRST_VERSION)
    return PyFileConfigLoader("nbgrader_config.py", path=str(tmp_path)).load_config()


def test_settings_of_the_first_version_are_understood(settings: Config, tmp_path: Path) -> None:
    autograde = Autograde(config=settings, parent=NbGrader(config=settings))
    steps = [*autograde.sanitize_preprocessors, *autograde.autograde_preprocessors]
    ours = [step for step in steps if step.__module__ == "autograder.nbgrader_bridge.preprocessors"]
    assert [step.__name__ for step in ours] == ["Restore", "Examine", "Settle", "Show"]
    assert all(issubclass(step, NbGraderPreprocessor) for step in ours)
    assert [step(config=settings).repository for step in ours[:3]] == ["/somewhere/else"] * 3
    assert issubclass(AssignLatePenalties(config=settings).plugin_class, LateSubmissionPlugin)
    assert autograde.create_student is True
    assert CourseFolder.at(tmp_path).course_id == "from_bayes_to_softmax"


def test_who_is_not_on_the_roster_is_no_student_with_settings_of_the_first_version(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('students = "students.csv"\n')
    (tmp_path / "nbgrader_config.py").write_text(FIRST_VERSION)
    settings = PyFileConfigLoader("nbgrader_config.py", path=str(tmp_path)).load_config()
    assert settings.Autograde.create_student is False


def test_pages_are_cleaned_with_settings_of_the_first_version(settings: Config) -> None:
    exporter = HTMLExporter(config=settings)
    assert exporter.environment.filters["clean_html"]("<script>1</script>") == "&lt;script&gt;1&lt;/script&gt;"
    assert any((Path(folder) / "formgrade").is_dir() for folder in exporter.extra_template_basedirs)


def test_a_notebook_that_would_fill_the_memory_is_refused_before_nbgrader_reads_it(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.ipynb"
    numbers.write_bytes(b'{"nbformat":4,"nbformat_minor":5,"cells":[],"metadata":{"m":[' + b"0," * 2_000_000 + b"0]}}")
    large = tmp_path / "large.ipynb"
    with large.open("wb") as file:
        file.truncate(101 << 20)
    exporter: Any = BoundedExporter
    exporter = exporter(config=Config())
    for path, said in ((numbers, "1000000 values"), (large, "too large")):
        with pytest.raises(SubmissionError, match=said):
            exporter.from_filename(str(path))
    numbers.write_bytes(b'{"nbformat":4,"nbformat_minor":5,"cells":[],"metadata":{"m":[0]}}')
    assert '"m"' in exporter.from_filename(str(numbers))[0]


def test_no_other_package_imports_nbgrader() -> None:
    package = Path(autograder.__file__).parent
    asks = re.compile(r"^\s*(?:from|import) nbgrader\b", re.MULTILINE)
    asking = {path.parent.name for path in package.rglob("*.py") if asks.search(path.read_text(encoding="utf-8"))}
    assert asking == {"nbgrader_bridge"}


def test_the_first_page_of_the_bridge_lists_its_modules() -> None:
    modules = {path.stem for path in Path(nbgrader_bridge.__file__).parent.glob("*.py")} - {"__init__"}
    assert set(re.findall(r"^(\w+)  +\w", nbgrader_bridge.__doc__ or "", re.MULTILINE)) == modules
