"""A process that does not answer says why, and so does a zygote that cannot start."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest
import sandboxes
from sample_class import need
from sandboxes import LIMITS, PATIENT, PLACES, ended, run

from autograder.course.errors import GraderError, IsolationError
from autograder.course.limits import Limits
from autograder.sandbox import wire
from autograder.sandbox.process import Process, Zygote

zygote, process = sandboxes.zygote, sandboxes.process


def test_a_process_that_hangs_up_may_still_say_why(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.process.LAST_WORDS_SECONDS", PATIENT)
    last_words = f"import os, time\nos.close(3)\ntime.sleep(0.05)\nos._exit({wire.EXIT_OUT_OF_MEMORY})"
    assert ended(process, last_words).startswith("out of memory")


def test_a_killed_zygote_is_an_error_of_ours() -> None:
    zygote = Zygote(need("portable"), **PLACES, limits=LIMITS)
    process = zygote.spawn()
    os.kill(zygote.pid, signal.SIGKILL)
    os.waitid(os.P_PID, zygote.pid, os.WEXITED | os.WNOWAIT)  # its students have got their signal then
    with pytest.raises(GraderError, match="sandbox process"):
        run(process, "1")
    zygote.close()


def test_a_zygote_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mode = need("strong")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(
        IsolationError, match="strong isolation cannot be set up here: .*No such file or directory.*gone"
    ):
        Zygote(mode, **PLACES, limits=LIMITS)


def test_an_unknown_isolation_is_refused() -> None:
    with pytest.raises(IsolationError, match="choose one of strong, portable, none"):
        Zygote("perfect", **PLACES, limits=Limits())
