"""The verb `site`: write the course as a static site."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Write every released notebook as a page of a static site that needs no network."
    example = "autograder site --out out/site --mathjax build/mathjax.js"
    verb = add_verb(verbs, "site", run, purpose, example=example)
    verb.add_argument(
        "--out", type=Path, default=Path("out/site"), metavar="DIR", help="where the site goes (default: out/site)"
    )
    verb.add_argument(
        "--mathjax",
        type=Path,
        default=Path("build/mathjax.js"),
        metavar="FILE",
        help="the file tex-svg.js of MathJax 3 (default: build/mathjax.js)",
    )
    verb.add_argument(
        "--jupyterlite",
        type=Path,
        metavar="PROGRAM",
        help="a `jupyter` with JupyterLite: also build the course for the browser",
    )


def run(options: argparse.Namespace, course: Course) -> int:
    """Name what was written."""
    from autograder.authoring import site

    print("Building the site ...", file=sys.stderr)
    pages = site.build(course, options.out, mathjax=options.mathjax, jupyterlite=options.jupyterlite)
    lab = ", and lite/" if options.jupyterlite else ""
    print(f"wrote {options.out / 'index.html'} and {len(pages) - 1} notebooks{lab}")
    return 0
