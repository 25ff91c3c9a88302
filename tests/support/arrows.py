"""The packages of the house and the arrows between them: read from the code, drawn for docs/architecture.md.

`python tests/support/arrows.py` brings the picture there up to date; a test fails while it is not.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import autograder

PACKAGE = Path(autograder.__file__).parent
PAGE = PACKAGE.parent / "docs" / "architecture.md"
SECRETS = {"suites", "misconceptions"}  # folders of files that are loaded by path
_DRAWN = re.compile(r"(?<=<!-- arrows -->\n).*(?=<!-- end of arrows -->)", re.DOTALL)


def listed() -> list[str]:
    """The packages in the order in which the docstring of `autograder` lists them, from the top down."""
    return re.findall(r"^ {4}(\w+) {2,}", autograder.__doc__ or "", re.MULTILINE)


def packages() -> set[str]:
    """The packages on disk."""
    return {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def imports() -> dict[tuple[str, str], list[str]]:
    """For every two packages of which the first imports the second, where it does so."""
    found: dict[tuple[str, str], list[str]] = {}
    for package in packages():
        for path in sorted((PACKAGE / package).rglob("*.py")):
            for used in _imported(path) - {package}:
                found.setdefault((package, used), []).append(f"{package}/{path.name}")
    return found


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "autograder":
            names |= {f"autograder.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or "")
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    parts = [name.split(".") for name in names]
    return {part[1] for part in parts if part[0] == "autograder" and len(part) > 1 and part[1] in packages()}


def picture() -> str:
    """The arrows as a Mermaid diagram; one that follows from others is left out, and everybody uses `course`."""
    direct = {(one, other) for one, other in imports() if other != "course"}
    reachable = {one: _below(one, direct) for one in packages()}
    kept = [
        (one, other)
        for one, other in direct
        if not any(other in reachable[between] for first, between in direct if first == one and between != other)
    ]
    order = listed()
    lines = [f"    {one} --> {other}" for one, other in sorted(kept, key=lambda arrow: [order.index(n) for n in arrow])]
    lowest = [name for name in order if name != "course" and not any(one == name for one, _ in kept)]
    lines += [f"    {name} --> course" for name in lowest]
    return "```mermaid\ngraph TD\n" + "\n".join(lines) + "\n```\n"


def _below(package: str, arrows: set[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    waiting = [package]
    while waiting:
        one = waiting.pop()
        new = {other for first, other in arrows if first == one} - found
        found |= new
        waiting += new
    return found


def drawn() -> str:
    """The picture that the page shows."""
    found = _DRAWN.search(PAGE.read_text(encoding="utf-8"))
    return found[0] if found else ""


if __name__ == "__main__":
    PAGE.write_text(_DRAWN.sub(lambda _: picture(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
