"""The command `autograder`: a small module per verb, arguments in, words out."""

from autograder.cli.main import main

__all__ = ["main"]
