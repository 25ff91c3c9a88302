"""In a terminal: `python -m checks hand-in 01_bayes_rule.ipynb` runs a notebook from a fresh start and hands it in."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

from checks import NotHandedIn, handing_in, stems


def main(arguments: list[str] | None = None) -> int:
    """0: handed in, whatever its checks say; 1: not handed in, for the reason given; 2: called wrongly."""
    parser = argparse.ArgumentParser(prog="python -m checks", description=__doc__)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("hand-in", help="run a notebook from a fresh start and hand it in")
    verb.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="such as 01_bayes_rule.ipynb")
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):  # a name, or what an error says, may have letters that a terminal has not
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    print(f"Running {options.notebook.name} from a fresh start ...", file=sys.stderr)
    try:
        print(handing_in.hand_in(None, options.notebook, stems(), None).report())
    except NotHandedIn as reason:
        print(f"Not handed in: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
