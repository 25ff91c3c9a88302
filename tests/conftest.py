"""What every test may rely on."""

from __future__ import annotations

import os
import sys

# nbgrader calls `alembic` by bare name: it must be found also when pytest was not started by `make`.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
# As in grading: results do not depend on the number of cores, and threads do not fight over them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
