"""The local executor: grading processes on this machine, each replaced when it dies, as many as its memory allows."""

from autograder.grading.local.workers import Workers, grade_locally, zygote_for

__all__ = ["Workers", "grade_locally", "zygote_for"]
