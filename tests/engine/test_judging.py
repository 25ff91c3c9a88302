"""An error in a check is the student's or ours, and the verdict says whose."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.course.model import Verdict
from autograder.engine.judging import judge


def test_a_check_that_needs_memory_without_end_for_what_came_back_fails() -> None:
    with pytest.raises(MemoryError) as huge:
        np.empty(1 << 45)
    assert judge(huge.value, answers=1).verdict is Verdict.FAILED
    assert judge(huge.value, answers=0).verdict is Verdict.GRADER_ERROR
    assert judge(MemoryError(), answers=1).verdict is Verdict.GRADER_ERROR
