"""Probes: calls that carry no marks, drawn once for a class, and how functions behave when they are asked."""
