"""A notebook is run within its limits, again if its process dies, and every fault is told once."""

from __future__ import annotations

import textwrap

import pytest
import sandboxes
from sandboxes import LIMITS, ran, student_with, texts, zygote_with

from autograder.course.model import Verdict
from autograder.engine.running import Cell, StudentStopped
from autograder.engine.student import Student
from autograder.sandbox.process import Zygote

zygote = sandboxes.zygote


def test_wall_time_of_a_call() -> None:
    cell = "import time\ndef f():\n    time.sleep(60)\ndef g():\n    return 1"
    with zygote_with("portable", call_seconds=0.5) as zygote, student_with(zygote, cell) as student:
        with pytest.raises(StudentStopped, match="0.5 seconds of wall time") as stopped:
            student.f()
        assert stopped.value.verdict is Verdict.TIMED_OUT
        zygote.limits = LIMITS  # what can be answered has the time that it needs
        assert student.g() == 1  # in a process of its own


def test_what_an_earlier_call_has_left_behind_ends_no_later_one(zygote: Zygote) -> None:
    cell = """
        import os
        left = []
        def f():
            left.append(1)
        def g():
            if left: os._exit(3)
            return 2
        def h():
            os._exit(3)
    """
    with student_with(zygote, textwrap.dedent(cell)) as student:
        student.f()
        assert student.g() == 2  # in a process of its own
        with pytest.raises(StudentStopped, match="ended itself with exit code 3") as stopped:
            student.h()
        assert stopped.value.verdict is Verdict.CRASHED


def test_when_cells_run_again_after_a_hidden_call_their_faults_tell_nothing(zygote: Zygote) -> None:
    with ran(zygote, "import os", "def f(): os._exit(1)\ndef g(): return 1") as finished:
        # What the clock could have told the same cell to do.
        finished.cells[0] = Cell("cell-0", "import os\nos._exit(94)")
        with pytest.raises(StudentStopped):
            Student(finished).f()
        with pytest.raises(NameError):  # nothing that the first cell should have imported is there; `g` is
            Student(finished).f()
        assert Student(finished).g() == 1
        assert texts(finished.faults) == ["the notebook did not run to its end when it was started once more"]


def test_wall_time_of_a_submission() -> None:
    cells = ["import time\ntime.sleep(0.6)", "def f(): return 1"]
    with zygote_with("portable", submission_seconds=0.5) as zygote, student_with(zygote, *cells) as student:
        with pytest.raises(StudentStopped, match="used up its 0.5 seconds") as stopped:
            student.f()
        assert stopped.value.verdict is Verdict.TIMED_OUT


def test_wall_time_of_a_submission_bounds_many_short_cells_too() -> None:
    cells = ["import time", *["time.sleep(0.05)"] * 100]  # together longer than allowed, on any machine
    with zygote_with("portable", submission_seconds=1) as zygote, ran(zygote, *cells) as finished:
        assert [report.id for report in finished.reports] == [f"cell-{number}" for number in range(101)]
        late = [report for report in finished.reports if report.error]
        assert late == finished.reports[-len(late) :]
        assert {report.error["text"] for report in late if report.error} == {"the submission used up its 1 seconds"}
        *before, last = texts(finished.faults)
        assert last == f"cell '{late[0].id}' and those after it were not run: the submission used up its 1 seconds"
        assert all("timed out" in fault for fault in before) and len(before) <= 1  # one may run when the time is over


def test_memory_is_a_verdict(zygote: Zygote) -> None:
    with (
        student_with(zygote, "def f(): return bytearray(1 << 40)") as student,
        pytest.raises(StudentStopped) as stopped,
    ):
        student.f()
    assert stopped.value.verdict is Verdict.OUT_OF_MEMORY


def test_output_is_noted_but_no_fault(zygote: Zygote) -> None:
    with ran(zygote, Cell("loud", "print('ä\\N{PILE OF POO}\\x00' * 1_000_000)")) as finished:
        assert finished.faults == []
        assert texts(finished.notes) == ["cell 'loud' printed too much; the rest was dropped"]


def test_output_of_all_cells_together() -> None:
    cells = ["print('x' * 30_000)"] * 10
    with zygote_with("portable", outputs_bytes=100_000) as zygote, ran(zygote, *cells) as finished:
        assert sum(bool(report.outputs) for report in finished.reports) == 3


def test_output_that_is_no_text_takes_room_too() -> None:
    forge = "import sys\nsys.modules['autograder.sandbox.child']._Output.take = lambda self: [{'a': bytes(400_000)}]"
    with zygote_with("portable", outputs_bytes=1_000_000) as zygote, ran(zygote, forge, *["1"] * 5) as finished:
        assert sum(bool(report.outputs) for report in finished.reports) == 2


def test_size_of_a_reply(zygote: Zygote) -> None:
    cell = f"import numpy as np\ndef f(): return np.zeros({zygote.limits.reply_bytes // 8 + 1})"
    words = f"larger than {zygote.limits.reply_bytes} bytes"
    with student_with(zygote, cell) as student, pytest.raises(StudentStopped, match=words) as stopped:
        student.f()
    assert stopped.value.verdict is Verdict.CRASHED


def test_nesting_of_a_reply(zygote: Zygote) -> None:
    cell = "def f():\n    x = []\n    for _ in range(100): x = [x]\n    return x"
    with (
        student_with(zygote, cell) as student,
        pytest.raises(StudentStopped, match="nested more than 32 deep") as stopped,
    ):
        student.f()
    assert stopped.value.verdict is Verdict.CRASHED


def test_cells_that_end_their_process_are_skipped(zygote: Zygote) -> None:
    exits = "import os\nos._exit(3)"
    with ran(zygote, Cell("a", "x = 1"), Cell("same", exits), Cell("same", "y = x + 1"), Cell("c", exits)) as finished:
        assert Student(finished)["y"] == 2  # a cell with the same id as a deadly one is another cell
        assert texts(finished.faults) == [
            f"cell '{name}' crashed: the process ended itself with exit code 3" for name in ("same", "c")
        ]
        assert [report.id for report in finished.reports] == ["a", "same", "same", "c"]


def test_what_comes_back_is_not_hoarded(zygote: Zygote) -> None:
    large = zygote.limits.reply_bytes // 8 - 100_000
    cell = "import numpy as np\ndef f(n): return np.zeros(n)\ndef g(): return ['x' * 400_000] * 4"
    with ran(zygote, cell) as finished:
        student = Student(finished)
        assert [student.f(n).size for n in (3, large, large, 4)] == [3, large, large, 4]  # a check sees all of it
        student.g()
        kept = [call.value for call in finished.calls]
        assert [kept[0].size, kept[1].size, kept[3].size] == [3, large, 4]
        assert repr(kept[2]) == f"<ndarray of {8 * large + 64} bytes>" and "list of" in repr(kept[4])
