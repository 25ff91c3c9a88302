"""What a call changes in the student's process ends with the call."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
import sandboxes
from sandboxes import student_with

from autograder.sandbox.process import Zygote

zygote = sandboxes.zygote


@pytest.mark.parametrize("timer", ["ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF"])
def test_a_timer_ends_with_the_call_that_set_it(zygote: Zygote, timer: str) -> None:
    cell = f"""
        import signal
        def f():
            signal.setitimer(signal.{timer}, 60, 60)
        def g():
            return signal.getitimer(signal.{timer})
    """
    with student_with(zygote, textwrap.dedent(cell)) as student:
        student.f()
        assert student.g() == (0, 0)


def test_settings_that_a_call_has_changed_end_with_it(zygote: Zygote) -> None:
    cell = """
        import warnings
        import numpy as np
        def f():
            np.seterr(all="raise")
            warnings.simplefilter("error")
        def g():
            warnings.warn("careful")
            return float(np.log(np.zeros(1))[0])
    """
    with student_with(zygote, textwrap.dedent(cell)) as student:
        student.f()
        assert student.g() == -np.inf
