"""One stem in its places, secrets in their folders, and arrows that point one way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from autograder.course import Course, sources

COURSE = Course.default()
STEMS = COURSE.stems()
PACKAGE = COURSE.root / "autograder"

# From the top down: a module may import what stands in a later row, or in its own.
LAYERS = [
    {"cli", "__main__"},
    {"classroom", "collecting", "marks", "report", "report_page", "report_plots", "feedback"},
    {"site"},
    {"release", "refresh", "demo", "doctor", "validate", "summary"},
    {"grade"},
    {"nbgrader_bridge", "leaks", "confidential", "engine", "keys", "policy"},
    {"standing"},
    {
        *{"samples", "diagnosis", "submissions", "results", "scoring", "autograded", "feedback_page", "prose"},
        *{"validity", "mutants", "hard_coder", "held_out", "similarity", "report_numbers"},
    },
    {"suite", "catalogue", "notebook", "course", "mathematics"},
    {"files", "model", "errors"},
]


@pytest.mark.parametrize("stem", STEMS)
def test_one_stem_stands_in_all_its_places(stem: str) -> None:
    places = [COURSE.source(stem), COURSE.released(stem), COURSE.suite(stem), COURSE.misconceptions(stem)]
    visible = COURSE.checks / "exercises" / f"{stem}.py"
    assert [str(path) for path in [*places, visible] if not path.exists()] == []


def test_no_suite_or_catalogue_is_without_its_notebook() -> None:
    suites = {path.stem.removeprefix("test_") for path in COURSE.suites.glob("test_*.py")}
    catalogues = {path.stem for path in COURSE.catalogue.glob("[0-9]*.py")}
    assert suites == catalogues == set(STEMS)


def test_arrows_point_down_only() -> None:
    upward = []
    packages = [path for name in ("engine", "nbgrader_bridge") for path in sorted((PACKAGE / name).glob("*.py"))]
    for path in sorted(PACKAGE.glob("*.py")) + packages:
        name = path.stem if path.parent == PACKAGE else path.parent.name
        if name == "__init__":
            continue
        upward += [f"{path.name} imports {used}" for used in _imports(path) if _row(used) < _row(name)]
    assert upward == []


@pytest.mark.parametrize("stem", STEMS)
def test_demonstrations_define_nothing_that_graded_cells_use(stem: str) -> None:
    source = sources.read(COURSE.source(stem))
    demos = sources.demo_cells(source)
    cells = [cell.source for cell in source.cells if cell.cell_type == "code"]
    defined = set().union(*(_stored(code) for code in cells if code.strip() in demos))
    used = set().union(*(_needed(code) for code in cells if code.strip() not in demos))
    assert defined & used == set()


def _row(name: str) -> int:
    return next(row for row, names in enumerate(LAYERS) if name in names)


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "autograder":
            found |= {alias.name for alias in node.names if not alias.name.startswith("__")}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder."):
            found.add((node.module or "").split(".")[1])
    return found


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
