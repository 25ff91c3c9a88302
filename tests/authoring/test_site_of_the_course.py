"""The static site of this course, built once: its pages, and the JupyterLite in which it runs.

MathJax and JupyterLite are used where `make site` has fetched them; the tests that need them are skipped elsewhere.
"""

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

import browsing
import pytest
from axe_playwright_python.sync_playwright import Axe

from autograder.authoring import release, site
from autograder.course import Course

COURSE = Course.default()
JUPYTER = COURSE.root / "build" / "lite" / "bin" / "jupyter"
MATHJAX = COURSE.root / "build" / "mathjax.js"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the real course, with as much of MathJax and JupyterLite as there is."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "mathjax.js").touch()
    mathjax = MATHJAX if MATHJAX.is_file() else folder / "mathjax.js"
    site.build(COURSE, folder / "out", mathjax=mathjax, jupyterlite=JUPYTER if JUPYTER.is_file() else None)
    return folder / "out"


@pytest.fixture(scope="module")
def pages(built: Path) -> dict[str, str]:
    """The pages, by name."""
    return {path.name: path.read_text() for path in sorted(built.glob("*.html"))}


@pytest.fixture(scope="module")
def lite(built: Path) -> Path:
    """The course in the real JupyterLite."""
    if not JUPYTER.is_file():
        pytest.skip("no JupyterLite in build/lite: run `make site`")
    return built / "lite"


def test_every_link_of_the_real_course_leads_to_a_page_or_to_the_web(built: Path, pages: dict[str, str]) -> None:
    for name, page in pages.items():
        wanted = set(re.findall(r'(?:src|href)="([^"#?]+)', page))
        assert [link for link in wanted if not link.startswith("https://") and not (built / link).is_file()] == [], name
        assert not re.findall(r'(?:src=|rel="stylesheet" href=)"https?:', page), name


def test_every_page_of_the_real_course_has_a_title_of_its_own_and_one_main_heading(pages: dict[str, str]) -> None:
    titles = [re.findall("<title>(.*)</title>", page)[0] for page in pages.values()]
    assert len(set(titles)) == len(pages) == 10
    assert {name: len(re.findall("<h1", page)) for name, page in pages.items()} == dict.fromkeys(pages, 1)


def test_jupyterlite_holds_every_file_that_students_get_and_lists_it(lite: Path) -> None:
    given = {name.removeprefix("notebooks/"): data for name, data in release.contents(COURSE, {}).items()}
    found = {
        str(path.relative_to(lite / "files")): path.read_bytes()
        for path in (lite / "files").rglob("*")
        if path.is_file()
    }
    assert found == given and {"01_bayes_rule.ipynb", "checks/running.py", "data/penguins.csv", "matplotlibrc"} <= set(
        found
    )
    listed = [json.loads(path.read_text())["content"] for path in (lite / "api" / "contents").rglob("all.json")]
    assert {entry["path"] for entries in listed for entry in entries if entry["type"] != "directory"} == set(given)


def test_jupyterlite_loads_the_pyodide_that_the_checks_are_tested_with(lite: Path) -> None:
    [tested] = re.findall(r"pyodide@(\S+)", (COURSE.root / "Makefile").read_text())
    loaded = {
        version
        for path in (lite / "extensions").rglob("*.js")
        for version in re.findall(r"pyodide/v([\d.]+)/", path.read_text())
    }
    assert loaded == {tested}


class Quiet(SimpleHTTPRequestHandler):
    """A web server that keeps no log."""

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder on the web of this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_jupyterlite_opens_a_notebook_of_the_course_in_a_browser(lite: Path, tmp_path: Path) -> None:
    with browsing.chromium() as browser, browsing.opened(browser) as page, served(lite) as address:
        page.route(
            lambda url: not url.startswith(address), lambda route: route.abort()
        )  # only what we built, no runtime
        page.goto(f"{address}/lab/index.html?path=01_bayes_rule.ipynb", wait_until="domcontentloaded")
        page.get_by_role("heading", name="Bayes' rule").first.wait_for()
        page.locator(".jp-CodeCell", has_text="from checks").first.wait_for()
        page.locator(".jp-DirListing-item", has_text="08_softmax").wait_for()
        page.screenshot(path=tmp_path / "lite.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_the_course_is_complete_without_a_network_and_axe_finds_no_fault_in_it(
    built: Path, scheme: Literal["light", "dark"]
) -> None:
    if not MATHJAX.is_file():
        pytest.skip("no MathJax in build: run `make site`")
    with browsing.chromium() as browser, browser.new_context(color_scheme=scheme, offline=True) as context:
        page, missed = context.new_page(), []
        page.on("requestfailed", lambda request: missed.append(request.url))
        page.on("pageerror", lambda error: missed.append(str(error)))
        page.goto((built / "05_logistic_derivation.html").as_uri())
        page.wait_for_function("window.MathJax?.startup?.promise")
        page.evaluate("MathJax.startup.promise")
        formulas = page.locator("mjx-container")
        assert formulas.count() > 100 and page.locator("[data-mml-node=merror]").count() == 0
        assert "$$" not in page.locator("main").inner_text() and missed == []
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
