"""Running visible checks on known answers, in any Python that has NumPy: `examine(ASKED, FOUND)`, two files of JSON.

ASKED says where the package `checks` is and, for each notebook, what its cells hold and which answers to try:
{"notebooks": FOLDER, "stems": {STEM: {"cells": [SOURCE, ...], "answers": {NAME: [EXERCISE, SOURCE]}}}}.
FOUND gets a verdict for each of them: {"python": {...}, "verdicts": {STEM: {NAME: {CHECK: VERDICT}}}}.
"""

import contextlib
import io
import json
import sys
import types
import warnings


def examine(asked, found):
    """Write the verdicts to the file `found`."""
    with open(asked) as file:
        task = json.load(file)
    sys.path.insert(0, task["notebooks"])
    for name in ("matplotlib", "matplotlib.pyplot"):  # the notebooks import it first thing; no check draws
        sys.modules[name] = types.ModuleType(name)
    answer = {
        "python": surroundings(),
        "verdicts": {stem: verdicts(stem, **content) for stem, content in task["stems"].items()},
    }
    with open(found, "w") as file:
        json.dump(answer, file)


def surroundings():
    """What differs between processors: the size of whole numbers, and whether NumPy notices an overflow."""
    import numpy as np

    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        np.exp(np.array([1000.0]))
    return {"platform": sys.platform, "integers": str(np.arange(1).dtype), "notices_overflow": bool(noticed)}


def verdicts(stem, cells, answers):
    """By answer and check, what the notebook says; the reference is the notebook's own answers."""
    from checks import checking, running

    names = {}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cell in cells:
            exec(cell, names)
        known = checking.load(stem)
        found = {"reference": {check.name: running.examine(check, names).verdict.value for check in known}}
        own = dict(names)
        for name, (exercise, source) in answers.items():
            exec(source, names)
            asked = [check for check in known if check.exercise == exercise]
            found[name] = {check.name: running.examine(check, names).verdict.value for check in asked}
            names.clear()
            names.update(own)
    return found


if __name__ == "__main__":
    examine(*sys.argv[1:])
