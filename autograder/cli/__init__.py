"""The command `autograder`: a small module per verb, arguments in, words out."""

from autograder.cli.command import main

__all__ = ["main"]
