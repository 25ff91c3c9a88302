"""The corpus: every attack as a submission, with what it may earn and what must be said about it.

An attack is a file of `attacks/`. Its docstring says what it tries; comments below say the class of threat, the verdict
that each exercise must get, and what must be said about a cell that was stopped. Cells follow after `# %%`; a cell with
a name is the answer to that exercise, the others come right after the notebook's first cell. What is not answered is a
stub, except for two exercises that are right: they show that the attack neither gains nor costs more than it should.

An attack that gets what it wanted calls `won(...)`, which raises an error that is found again in the result.
Names between @ characters are what a well-informed student would know: paths, ports and process ids.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from nbformat import NotebookNode
from sample_class import Work

ATTACKS = Path(__file__).parent / "attacks"
HONEST = {"bayes_binary": 3, "prob": 4}
ESCAPED = "ESCAPED"

_PRELUDE = f"""
WON = []


class Escaped(Exception):
    pass


def won(what):
    WON.append("{ESCAPED}: " + what)
    raise Escaped(WON[-1])
"""
_EPILOGUE = "assert not WON, WON"


@dataclass(frozen=True)
class Attack:
    """One attack: its name, what it must not exceed, and the text that makes a submission of it."""

    name: str
    threat: str | None
    verdicts: Mapping[str, tuple[str, ...]]
    faults: tuple[str, ...]
    costs_itself: bool
    cells: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)

    def submission(self, source: NotebookNode, known: Mapping[str, object]) -> NotebookNode:
        """The notebook that is handed in."""

        def informed(text: str) -> str:
            return re.sub(r"@([A-Z0-9_]+)@", lambda match: str(known[match[1]]), text)

        own = {name: informed(text) for name, text in self.answers.items()}
        answers: dict[str, str | None] = {**dict.fromkeys(HONEST), **own}
        first = [_PRELUDE, *map(informed, self.cells)]
        last = source.cells[-1].id
        return Work(answers, {"setup": first, last: [_EPILOGUE]}).notebook(source)


ONLY = "AUTOGRADER_TEST_ATTACKS"


@cache
def attacks() -> tuple[Attack, ...]:
    """All attacks of the folder; the variable `ONLY` of the environment can choose some by how their names begin."""
    chosen = tuple(os.environ.get(ONLY, "").split(","))
    return tuple(_read(path) for path in sorted(ATTACKS.glob("*.py")) if path.name.startswith(chosen))


def _read(path: Path) -> Attack:
    head, *parts = re.split(r"^# %%", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    said = [line.removeprefix("# ") for line in head.splitlines() if line.startswith("# ")]
    verdicts, faults, threat, costs_itself = {}, [], None, False
    for line in said:
        name, _, rest = line.partition(": ")
        if line.startswith("class "):
            threat = line.removeprefix("class ")
        elif line == f"earns at most {sum(HONEST.values())}":
            costs_itself = True
        elif name == "fault":
            faults.append(rest)
        else:
            verdicts[name] = tuple(rest.split(", "))
    cells, answers = [], {}
    for part in parts:
        name, _, text = part.partition("\n")
        if name.strip():
            answers[name.strip()] = text
        else:
            cells.append(text)
    return Attack(path.stem, threat, verdicts, tuple(faults), costs_itself, tuple(cells), answers)
