"""The verb `doctor`: say what this machine offers to contain student code, and what to do about the rest."""

from __future__ import annotations

import argparse

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Tell what this machine offers to contain student code."
    add_verb(verbs, "doctor", run, purpose, example="autograder doctor")


def run(options: argparse.Namespace, course: Course) -> int:
    """Print a line per layer, and what `grade` will do."""
    from autograder.cli import machine

    findings = machine.examine(course)
    for finding in findings:
        print(f"{'ok ' if finding.good else 'NO '} {finding.layer}: {finding.words}")
        if finding.remedy:
            print(f"    {finding.remedy}")
    print(machine.verdict(findings))
    return 0
