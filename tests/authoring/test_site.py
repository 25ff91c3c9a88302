"""The static site: the released notebooks as pages that ask nothing of the network, and nothing that is secret."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import minicourse
import pytest

from autograder import cli
from autograder.authoring import leaks, release, site
from autograder.course import Course, notebook
from autograder.course.errors import AuthorError, LeakError, UsageError

# Stands in for JupyterLite: writes down what it was called with and what it was given.
PROGRAM = """#!{python}
import pathlib, sys
out = pathlib.Path(sys.argv[sys.argv.index("--output-dir") + 1])
given = pathlib.Path(sys.argv[sys.argv.index("--contents") + 1])
if (given / "refuse.txt").exists():
    sys.exit("the builder says no")
out.mkdir(parents=True)
(out / "given.txt").write_text("\\n".join(sorted(str(p.relative_to(given)) for p in given.rglob("*") if p.is_file())))
"""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """The mini course with a tour that links to its notebooks, released."""
    course = minicourse.make(tmp_path / "course")
    tour = minicourse.markdown("title", "# Welcome & hello\n\nGo on with [means](01_mini.ipynb): $a < b$.")
    notebook.write(minicourse.make_notebook("00_start", [tour]), course.solutions / "00_start.ipynb")
    release.release(course, unvalidated=True)
    return course


@pytest.fixture
def mathjax(tmp_path: Path) -> Path:
    (tmp_path / "mathjax.js").write_text("// mathematics")
    return tmp_path / "mathjax.js"


@pytest.fixture
def jupyter(tmp_path: Path) -> Path:
    program = tmp_path / "jupyter"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    return program


def test_every_released_notebook_is_a_page(course: Course, mathjax: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    assert site.build(course, out, mathjax=mathjax) == ["index.html", "00_start.html", "01_mini.html", "02_more.html"]
    assert sorted(path.name for path in out.iterdir()) == [
        "00_start.html", "01_mini.html", "02_more.html", "index.html", "mathjax.js", "style.css",
    ]  # fmt: skip
    page = (out / "01_mini.html").read_text()
    assert "<title>Means</title>" in page and "<h1" in page
    assert "NotImplementedError" in page and "the heavier, the more" not in page


def test_pages_ask_nothing_of_the_network(course: Course, mathjax: Path, tmp_path: Path) -> None:
    site.build(course, tmp_path / "site", mathjax=mathjax)
    for path in (tmp_path / "site").glob("*.html"):
        wanted = re.findall(r'(?:src|href)="([^"#]+)"', path.read_text())
        assert wanted and all((tmp_path / "site" / name).is_file() for name in wanted), path.name
    assert not re.search(r"url\(|@import|https?:", (tmp_path / "site" / "style.css").read_text())


def test_pages_link_to_each_other_and_notebooks_to_pages(course: Course, mathjax: Path, tmp_path: Path) -> None:
    site.build(course, tmp_path / "site", mathjax=mathjax)
    tour = (tmp_path / "site" / "00_start.html").read_text()
    assert '<a href="01_mini.html">means</a>' in tour
    assert '<a href="index.html">Contents</a>\n<a href="01_mini.html">Next: Means</a></nav>' in tour
    assert "<title>Welcome &amp; hello</title>" in tour and "$a &lt; b$" in tour
    assert '<a href="00_start.html">Before: Welcome &amp; hello</a>' in (tmp_path / "site" / "01_mini.html").read_text()
    index = (tmp_path / "site" / "index.html").read_text()
    assert index.index("00_start.html") < index.index("01_mini.html") < index.index("02_more.html")
    assert "lite/" not in index


def test_jupyterlite_gets_the_notebooks_with_checks_and_data_beside_them(
    course: Course, mathjax: Path, jupyter: Path, tmp_path: Path
) -> None:
    site.build(course, tmp_path / "site", mathjax=mathjax, jupyterlite=jupyter)
    assert (tmp_path / "site" / "lite" / "given.txt").read_text().splitlines() == [
        "00_start.ipynb", "01_mini.ipynb", "02_more.ipynb", "checks/__init__.py", "data/README.md", "data/numbers.csv",
        "matplotlibrc", "requirements.txt",
    ]  # fmt: skip
    index = (tmp_path / "site" / "index.html").read_text()
    assert 'href="lite/lab/index.html?path=00_start.ipynb"' in index
    assert "Sliders do not" in index and "File &gt; Download" in index


def test_what_jupyterlite_complains_about_is_passed_on(
    course: Course, mathjax: Path, jupyter: Path, tmp_path: Path
) -> None:
    (course.data / "refuse.txt").touch()
    jupyter.write_text(jupyter.read_text().replace('given / "refuse.txt"', 'given / "data" / "refuse.txt"'))
    with pytest.raises(AuthorError, match="(?s)JupyterLite could not be built:.*the builder says no"):
        site.build(course, tmp_path / "site", mathjax=mathjax, jupyterlite=jupyter)


def test_a_secret_in_a_released_notebook_is_refused(course: Course, mathjax: Path, tmp_path: Path) -> None:
    released = notebook.read(course.released("02_more"))
    released.cells[0].source += "\n# centre = sum(values) / len(values)"
    notebook.write(released, course.released("02_more"))
    with pytest.raises(LeakError, match="notebooks/02_more.ipynb, cell setup: solution line"):
        site.build(course, tmp_path / "site", mathjax=mathjax)
    assert not (tmp_path / "site").exists()


def test_a_notebook_that_is_not_released_is_named(course: Course, mathjax: Path, tmp_path: Path) -> None:
    course.released("02_more").unlink()
    with pytest.raises(AuthorError, match="Not released yet: 02_more. Run `autograder release` first."):
        site.build(course, tmp_path / "site", mathjax=mathjax)


def test_a_missing_mathjax_is_named(course: Course, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no MathJax at nowhere.js. Run `make site`, which fetches it."):
        site.build(course, tmp_path / "site", mathjax=Path("nowhere.js"))


def test_the_site_is_scanned_once(
    course: Course, mathjax: Path, jupyter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned: list[int] = []
    honest = leaks.scan

    def counted(course: Course, contents: Mapping[str, bytes]) -> list[leaks.Leak]:
        scanned.append(len(contents))
        return honest(course, contents)

    monkeypatch.setattr(leaks, "scan", counted)
    site.build(course, tmp_path / "site", mathjax=mathjax, jupyterlite=jupyter)
    assert scanned == [8]


def test_the_command_says_what_it_wrote(
    course: Course, mathjax: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["site", "--out", str(tmp_path / "site"), "--mathjax", str(mathjax)], course) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path / 'site' / 'index.html'} and 3 notebooks\n"
