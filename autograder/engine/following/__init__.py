"""Errors followed through: what is granted to whom, who answers in place of what failed, and the second runs."""
