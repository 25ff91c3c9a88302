"""What a course is: its folders, notebooks, rules and known answers, and the words that all other packages speak."""

from autograder.course.folders import Course

__all__ = ["Course"]
