"""Everything that this package asks of nbgrader. No other module imports it.

generate        what nbgrader's generate_assignment makes of source notebooks
folder          an nbgrader course on disk: its folders, its configuration, the address of its gradebook
gradebook       reading the gradebook, and writing one submission to it in one transaction
preprocessors   what nbgrader's autograde calls: our engine in the place of a kernel, our policy for late work
"""

from __future__ import annotations

from autograder.nbgrader_bridge.generate import generate_assignments

__all__ = ["generate_assignments"]
