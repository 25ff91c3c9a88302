"""Release, grade and validate the notebooks of From Bayes to Softmax."""

__version__ = "0.1.0"
