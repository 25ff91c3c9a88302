"""`python -m autograder` is the command `autograder`."""

import sys

from autograder.cli.command import main

sys.exit(main())
