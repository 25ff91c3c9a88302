"""A class and its instructor: the nbgrader course, what was handed in, final marks, and a sample class."""
