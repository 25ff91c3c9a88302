"""The bridge to nbgrader, in both directions; no other package imports nbgrader.

generate        what nbgrader's generate_assignment makes of source notebooks
folder          an nbgrader course on disk: its folders, its configuration, the address of its gradebook
connecting      a gradebook by its address: whether anything is in it, its version, its errors in words
copies          the dated copies of a gradebook, and how one is put back
backups         making one before the gradebook changes
lost            a gradebook that is gone, refused before anything makes an empty one
gradebook       reading the gradebook, and writing one submission to it in one transaction
by_hand         what was replied to a group, as manual scores and comments; whatever a person typed stays
autograded      the autograded notebook, from which nbgrader reads the marks
hidden_tests    hidden tests of other courses, taken out of what students read
examiner        our engine for one notebook after another, as nbgrader hands them over
preprocessors   what nbgrader's autograde calls: our engine in the place of a kernel, our policy for late work
pages           notebooks as the pages that formgrader and nbgrader's feedback show

The nbgrader_config.py of every course imports `preprocessors` and `pages` from here: these names stay.
"""

from __future__ import annotations

from autograder.nbgrader_bridge.generate import generate_assignments

__all__ = ["generate_assignments"]
