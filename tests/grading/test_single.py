"""One grading process that gets its jobs one at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_class import SHORT, STEM, copy_course, need

from autograder.course.errors import AuthorError, GraderError
from autograder.engine.jobs import Job, Settings
from autograder.grading.local import zygote_for
from autograder.grading.single import SingleWorker


def test_after_an_error_of_the_course_the_next_job_is_refused_in_words(tmp_path: Path) -> None:
    need("portable")
    course = copy_course(tmp_path / "course")
    course.suite(STEM).write_text("this is not Python")
    settings = Settings(course.root, "portable", SHORT)
    worker = SingleWorker(settings, [STEM])
    try:
        worker.isolate(zygote_for(settings))
        with pytest.raises(AuthorError):
            worker.grade((Job("ada", STEM, b"{}"),))
        with pytest.raises(GraderError, match="the grading process has ended"):
            worker.grade((Job("bob", STEM, b"{}"),))
    finally:
        worker.close()
