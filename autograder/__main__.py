"""`python -m autograder` is the command `autograder`."""

import sys

from autograder.cli.main import main

sys.exit(main())
