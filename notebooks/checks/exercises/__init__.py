"""The visible checks, one module for each notebook."""
