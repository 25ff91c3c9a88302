"""What every test may rely on."""

from __future__ import annotations

import os
import sys

# nbgrader calls `alembic` by bare name: it must be found also when pytest was not started by `make`.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
