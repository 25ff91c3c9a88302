"""One stem in its places, secrets in their folders, and arrows that point one way."""

from __future__ import annotations

import ast
import re

import arrows
import pytest

from autograder.course import Course, sources

COURSE = Course.default()
STEMS = COURSE.stems()
MOST_MODULES = 17
MODULES_OF_THE_COMMAND = 21  # it has one per verb, and a few that verbs share


@pytest.mark.parametrize("stem", STEMS)
def test_one_stem_stands_in_all_its_places(stem: str) -> None:
    places = [COURSE.source(stem), COURSE.released(stem), COURSE.suite(stem), COURSE.misconceptions(stem)]
    visible = COURSE.checks / "exercises" / f"{stem}.py"
    assert [str(path) for path in [*places, visible] if not path.exists()] == []


def test_no_suite_or_catalogue_is_without_its_notebook() -> None:
    suites = {path.stem.removeprefix("test_") for path in COURSE.suites.glob("test_*.py")}
    catalogues = {path.stem for path in COURSE.catalogue.glob("[0-9]*.py")}
    assert suites == catalogues == set(STEMS)


def test_the_first_page_of_the_package_lists_every_room() -> None:
    assert sorted(arrows.listed()) == sorted(arrows.packages())
    inside = {path.name for path in arrows.PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert inside == arrows.packages() | arrows.SECRETS


def test_arrows_point_down_only() -> None:
    order = arrows.listed()
    upward = {
        f"{where} imports {used}"
        for (package, used), places in arrows.imports().items()
        for where in places
        if order.index(used) < order.index(package)
    }
    assert upward == set()


def test_the_picture_of_the_arrows_is_up_to_date() -> None:
    assert arrows.drawn() == arrows.picture(), "run `python tests/support/arrows.py`"


def test_the_stations_of_the_architecture_exist() -> None:
    page = arrows.PAGE.read_text(encoding="utf-8")
    stations = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`(?:[,\s]+\(([^)]*)\)|,\s+`(\w+)`\))?", page)
    assert len(stations) > 20
    missing = []
    for file, named, single in stations:
        code = (arrows.PACKAGE / file).read_text(encoding="utf-8") if (arrows.PACKAGE / file).is_file() else ""
        names = re.findall(r"`(\w+)`", named) + ([single] if single else [])
        missing += [file] if not code else [name for name in names if not re.search(rf"(?:def|class) {name}\b", code)]
    assert missing == []


def test_nobody_imports_a_secret() -> None:
    folders = "|".join(sorted(arrows.SECRETS))
    named = re.compile(rf"(?:from|import) autograder\.(?:{folders})|from autograder import .*\b(?:{folders})\b")
    files = [path for name in arrows.packages() for path in (arrows.PACKAGE / name).rglob("*.py")]
    assert [path.name for path in files if named.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("package", sorted(arrows.packages()))
def test_a_package_says_in_its_first_line_what_it_is_for_and_is_small(package: str) -> None:
    folder = arrows.PACKAGE / package
    sentence = (ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or "").splitlines()
    assert sentence and sentence[0].endswith(".")
    most = MODULES_OF_THE_COMMAND if package == "cli" else MOST_MODULES
    assert len(list(folder.glob("*.py"))) - 1 <= most


@pytest.mark.parametrize("package", sorted(arrows.packages()))
def test_the_tests_mirror_the_package(package: str) -> None:
    assert list((COURSE.root / "tests" / package).glob("test_*.py")) != []


@pytest.mark.parametrize("stem", STEMS)
def test_demonstrations_define_nothing_that_graded_cells_use(stem: str) -> None:
    source = sources.read(COURSE.source(stem))
    demos = sources.demo_cells(source)
    cells = [cell.source for cell in source.cells if cell.cell_type == "code"]
    defined = set().union(*(_stored(code) for code in cells if code.strip() in demos))
    used = set().union(*(_needed(code) for code in cells if code.strip() not in demos))
    assert defined & used == set()


def _python(code: str) -> ast.Module:
    return ast.parse("\n".join(line for line in code.splitlines() if not line.lstrip().startswith("%")))


def _stored(code: str) -> set[str]:
    """The names that a cell binds at its top level, loops and imports included."""
    names: set[str] = set()
    nodes: list[ast.AST] = list(_python(code).body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        nodes += ast.iter_child_nodes(node)
    return names


def _needed(code: str) -> set[str]:
    """The names that a cell takes from others: what it reads and does not bind, inside a function or outside."""
    tree = _python(code)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    rest = [node for node in tree.body if node not in functions]
    outside = set().union(*(_read(node) - _bound(node) for node in rest)) - _stored(code)
    return outside.union(*(_read(node) - _bound(node) for node in functions))


def _read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _bound(node: ast.AST) -> set[str]:
    arguments = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    return arguments | {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def test_every_attack_stands_in_the_page_on_security_with_the_test_that_tries_it() -> None:
    page = (COURSE.root / "docs" / "security.md").read_text(encoding="utf-8")
    table = page.partition("## Attack by attack")[2].partition("\n## ")[0]
    named = re.findall(r"`([^`]+)`", table)
    files = [name for name in named if name.endswith(".py")]
    assert [name for name in files if not (COURSE.root / name).is_file()] == []
    beginnings = tuple(name for name in named if name.endswith("_") and name != "_")
    attacks = [path.name for path in (COURSE.root / "tests" / "hostile" / "attacks").glob("*.py")]
    assert [name for name in attacks if not name.startswith(beginnings)] == []
    assert [name for name in beginnings if not any(attack.startswith(name) for attack in attacks)] == []
    tried = {f"tests/hostile/{path.name}" for path in (COURSE.root / "tests" / "hostile").glob("test_*.py")}
    assert tried - set(files) == set()
