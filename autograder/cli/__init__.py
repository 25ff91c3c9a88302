"""The command `autograder`: a small module per verb, arguments in, words out."""

from autograder.cli.command import main, run

__all__ = ["main", "run"]
