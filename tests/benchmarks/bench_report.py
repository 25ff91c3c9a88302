"""How long the report of a large class takes, and how soon its page is shown: `tests/benchmarks/bench_report.py`.

The class answers every exercise of a notebook with one of the known answers, the reference or nothing; everybody adds a
function of their own; every hundredth student hands in a copy with other names. Nothing is graded: the results are made
up.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import tempfile
import time
from pathlib import Path

from nbformat.v4 import new_code_cell

from autograder.course import Course, catalogue, notebook, sources
from autograder.course.model import CheckResult, ExerciseResult, Result, Verdict
from autograder.grading import store
from autograder.pages import report
from autograder.validity import samples

COURSE = Course.default()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=1000)
    parser.add_argument("--stem", default=COURSE.stems()[0])
    parser.add_argument("--keep", type=Path, help="a folder for the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        copies = build(root, options.stem, options.students)
        out = (options.keep or root) / "report.html"
        wall, processor = time.perf_counter(), time.process_time()
        told = report.write(root / "graded", COURSE, out, root / "submitted")
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        print(told.words)
        shown = out.read_text(encoding="utf-8")
        found = set(re.findall(r"<strong>([\w-]+)</strong> and <strong>([\w-]+)</strong>", shown))
        print(f"copies found: {len(found & copies)} of {len(copies)}; other pairs: {len(found - copies)}")
        print(f"written in {wall:.1f} s ({processor:.1f} s of processor time), load {os.getloadavg()[0]:.1f}")
        print(
            f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB; page "
            f"{len(shown) / 1e6:.2f} MB"
        )
        open_in_browser(out)


def build(root: Path, stem: str, size: int) -> set[tuple[str, str]]:
    """Write the class and its results; the pairs that are copies."""
    chance = random.Random(1)
    source = sources.read(COURSE.source(stem))
    stubs = sources.stubs(source)
    known = catalogue.read(COURSE.misconceptions(stem)).answers
    options = {
        name: [samples.reference_code(source, name)] * 4
        + [stub] * 2
        + [answer.source() for answer in known if answer.function == name]
        for name, stub in stubs.items()
    }
    copies: set[tuple[str, str]] = set()
    before: tuple[str, dict[str, str], str] = ("", {}, "")
    for place in range(size):
        student = f"student-{place:04}"
        answers, own = {name: chance.choice(options[name]) for name in stubs}, _own(chance)
        if place % 100 == 99:
            copies.add((before[0], student))
            answers, own = ({name: _renamed(code) for name, code in before[1].items()}, _renamed(before[2]))
        before = (student, answers, own)
        work = samples.answered(source, answers)
        work.cells.append(new_code_cell(own))
        notebook.write(work, root / "submitted" / student / stem / f"{stem}.ipynb")
        store.write(root / "graded", _result(chance, student, stem, source))
    return copies


def _own(chance: random.Random) -> str:
    """A function that nobody else writes."""
    lines = ["def explore(values, other):"]
    operators = ("+", "-", "*", "/", "//", "%", "**")
    calls = (
        "np.mean({})",
        "sum({})",
        "abs({})",
        "np.log({} + 1)",
        "max({}, key=len)",
        "[x for x in {} if x]",
        "sorted({})[0]",
        "len({})",
    )
    for step in range(12):
        left, right = (
            chance.choice(calls).format(chance.choice(("values", "other", f"v{step - 1}"))) for _ in range(2)
        )
        lines.append(
            f"    v{step} = {left} {chance.choice(operators)} {right}"
            + (f" {chance.choice(operators)} {chance.randrange(99)}" if chance.random() < 0.5 else "")
        )
    return "\n".join(lines)


def _renamed(code: str) -> str:
    return re.sub(r"(?m)^(\s+)(\w+)(?= = )", r"\1mine_\2", code)


def _result(chance: random.Random, student: str, stem: str, source: object) -> Result:
    exercises = []
    for exercise in sources.exercises(source):  # type: ignore[arg-type]
        passed = chance.random() < 0.7
        verdict = Verdict.PASSED if passed else Verdict.FAILED
        checks = tuple(CheckResult(f"test_{number}", verdict, "A law.") for number in range(6))
        belief = None if passed or chance.random() < 0.5 else f"belief_{chance.randrange(6)}"
        exercises.append(
            ExerciseResult(
                exercise.name,
                exercise.points * passed,
                exercise.points,
                verdict,
                checks,
                belief,
                "Why?" if belief else None,
            )
        )
    return Result(student, stem, "strong", tuple(exercises))


def open_in_browser(out: Path) -> None:
    """Say when the page was first painted, and when it was complete."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("chromium is not installed: the page was not opened")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1200, "height": 900})
        page.goto(out.as_uri())
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
        painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        complete = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
        print(f"first paint after {painted / 1000:.2f} s, complete after {complete / 1000:.2f} s")
        chromium.close()


if __name__ == "__main__":
    main()
