"""Workers of a cluster that must not grade, or cannot: they take no work, say why, and cost nobody anything."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

from machines import Machines, Watch, run, slow_class  # noqa: E402
from sample_class import REPOSITORY, assert_same, copy_course, documents, need  # noqa: E402

from autograder.course import Course  # noqa: E402
from autograder.course.errors import ClusterError  # noqa: E402
from autograder.course.model import Whose  # noqa: E402

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux"),
    pytest.mark.usefixtures("patient"),
]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course"))


WITHOUT_CALLS = """
import errno, platform, struct, sys
from autograder.sandbox import kernel
from distributed.cli.dask_worker import main

column = ["x86_64", "aarch64"].index(platform.machine())
code = [(0x20, 0, 0, 0)]
for numbers in CALLS:
    code += [(0x15, 0, 1, numbers[column]), (0x06, 0, 0, 0x00050000 | errno.EPERM)]
code.append((0x06, 0, 0, 0x7FFF0000))
kernel.forbid_new_privileges()
kernel.load_filter(b"".join(struct.pack("HBBI", *instruction) for instruction in code))
main()
"""
UNSHARE, LANDLOCK = (272, 97), (444, 444)  # their numbers on both kinds of processor


def without(*calls: tuple[int, int]) -> tuple[str, str, str]:
    """The beginning of a worker's command, on a kernel that refuses some calls."""
    return sys.executable, "-c", WITHOUT_CALLS.replace("CALLS", repr(calls))


def test_a_worker_that_cannot_isolate_or_has_another_version_takes_no_work(
    course: Course, lonely: Machines, tmp_path: Path
) -> None:
    need("portable")
    other = tmp_path / "elsewhere"
    shutil.copytree(REPOSITORY.root / "autograder", other / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    (other / "autograder" / "__init__.py").write_text('"""Another version."""\n\n__version__ = "0.0.1"\n')
    able, weak, stranger = lonely.add(), lonely.add(*without(UNSHARE, LANDLOCK)), lonely.add(PYTHONPATH=str(other))
    submitted, here, there, watch = (
        slow_class(course, tmp_path / "submitted", 2),
        tmp_path / "here",
        tmp_path / "there",
        Watch(),
    )
    run(course, submitted, here, isolation="auto")
    run(course, submitted, there, isolation="auto", executor="dask", scheduler=lonely.address, watch=watch)
    assert_same(documents(there), documents(here))
    assert watch.faults(able) == [] and (watch.last.able, watch.last.workers) == (1, 3)
    (weakness,), (strangeness,) = watch.faults(weak), watch.faults(stranger)
    assert weakness.startswith("takes no work: This machine cannot contain untrusted code as asked")
    assert "unshare" in weakness and "landlock: this kernel does not offer it" in weakness
    assert strangeness.startswith("takes no work: other versions than the instructor's: autograder 0.0.1 (")
    able.end()
    with pytest.raises(
        ClusterError, match=f"No worker of the cluster can grade:\n(.*\n)*  {stranger.address}: other versions"
    ):
        run(course, submitted, there, force=True, isolation="auto", executor="dask", scheduler=lonely.address)


def test_all_grade_under_one_isolation_and_who_offers_another_says_so(
    course: Course, lonely: Machines, tmp_path: Path
) -> None:
    need("strong")
    need("portable")
    strong, portable = lonely.add(), lonely.add(*without(UNSHARE))
    watch = Watch()
    options = {"isolation": "auto", "executor": "dask", "scheduler": lonely.address, "watch": watch}
    done = run(course, slow_class(course, tmp_path / "submitted", 3), tmp_path / "out", **options)
    assert {result.isolation for result in done.results} == {"strong"} and len(done.results) == 3
    assert watch.faults(strong) == []
    (words,) = watch.faults(portable)
    assert words.startswith("takes no work: it offers portable isolation (strong is not possible: strong isolation")
    assert words.endswith("unshare: Operation not permitted), and this run has strong")
    assert (watch.last.able, watch.last.workers) == (1, 2)


WITHOUT_SPACE = """
from autograder.grading.cluster.pool import Pool
from distributed.cli.dask_worker import main

def grade(pool, jobs):
    raise OSError(28, "No space left on device")

Pool.grade = grade
main()
"""


def test_a_worker_that_fails_at_a_batch_is_expelled_and_costs_nobody_anything(
    course: Course, lonely: Machines, tmp_path: Path
) -> None:
    well, ill = lonely.add(), lonely.add(sys.executable, "-c", WITHOUT_SPACE)
    submitted, here, there, watch = (
        slow_class(course, tmp_path / "submitted", 6),
        tmp_path / "here",
        tmp_path / "there",
        Watch(),
    )
    run(course, submitted, here)
    run(course, submitted, there, executor="dask", scheduler=lonely.address, watch=watch)
    assert_same(documents(there), documents(here))
    assert (
        watch.faults(ill)[0] == "could not grade a batch and is expelled: OSError: [Errno 28] No space left on device"
    )
    assert watch.faults(well) == []


def test_a_submission_that_fails_on_every_worker_is_ungraded_and_says_why(
    course: Course, lonely: Machines, tmp_path: Path
) -> None:
    for _ in range(3):
        lonely.add(sys.executable, "-c", WITHOUT_SPACE)
    done = run(
        course,
        slow_class(course, tmp_path / "submitted", 1),
        tmp_path / "out",
        executor="dask",
        scheduler=lonely.address,
    )
    (result,) = done.results
    assert result.ungraded == "the machine failed: OSError: [Errno 28] No space left on device (3 times)"
    assert result.ungraded_by is Whose.MACHINE
