"""Handing in where there is no room, no temporary folder, no proper file, or an exchange that fails."""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from faulty import Count
from faulty_hand_in import ANSWER, SETUP, STEM, Desk, in_a_small_place

KIND = "hand-in faults"


# --- No room ----------------------------------------------------------------------------------------------------------

# Hands in from a folder whose `hand_in` is a small disk, with so many pages free, and tells what is there then.
SMALL = """
import hashlib, json, os, subprocess, sys
from pathlib import Path
folder, stem, free, how = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
shelf = folder / "hand_in"
before = {path.name: path.read_bytes() for path in shelf.iterdir()}
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(shelf)], check=True)
for name, data in before.items():
    (shelf / name).write_bytes(data)
page = os.statvfs(shelf).f_bsize
with open(shelf / "filler", "wb") as filler:
    filler.write(bytes(page) * (os.statvfs(shelf).f_bfree - free))
if how == "ro":
    subprocess.run(["mount", "-o", "remount,ro", str(shelf)], check=True)
command = [sys.executable, "-m", "checks", "hand-in", f"{stem}.ipynb"]
done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
copy = shelf / f"{stem}.ipynb"
receipt = json.loads((shelf / f"{stem}.receipt.json").read_text())
print(json.dumps({
    "code": done.returncode, "words": " ".join((done.stdout + done.stderr).split()),
    "copy": hashlib.sha256(copy.read_bytes()).hexdigest(), "receipt": receipt["sha256"],
    "left": sorted({path.name for path in shelf.iterdir()} - {"filler", *before}),
}))
"""


@pytest.mark.parametrize(
    ("free", "how"), [(0, "rw"), (1, "rw"), (2, "rw"), (3, "rw"), (20, "rw"), (35, "rw"), (9, "ro")]
)
def test_a_disk_that_is_full_or_read_only_keeps_what_is_there(
    tmp_path: Path, count: Count, free: int, how: str
) -> None:
    desk = Desk(tmp_path)
    earlier = desk.work(note="earlier")
    assert desk.hand_in().code == 0
    desk.work(note="x" * 100_000)  # 25 pages
    told = in_a_small_place(SMALL, str(desk.folder), STEM, str(free), how)
    if told is None:
        pytest.skip("no file system can be mounted here")
    whole = told["copy"] == told["receipt"]
    if told["code"] == 0:
        said = "nbgrader could not be asked to send it (No space left on device), so nothing was sent." in told["words"]
        right = whole and free == 35  # enough for the file, not for what nbgrader is given
    else:
        why = "Read-only file system" if how == "ro" else "No space left on device"
        next_step = "a place of your own." if how == "ro" else "make room on the disk, then hand in again."
        said = f"hand_in cannot be written to ({why}). What was handed in before is still there." in told["words"]
        said = said and told["words"].endswith(next_step) and "Traceback" not in told["words"]
        right = whole and told["copy"] == hashlib.sha256(earlier).hexdigest()
    count(KIND, 1, wrong=not right, silent=not said, left=len(told["left"]))


def test_a_file_that_may_not_be_so_large_leaves_nothing(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    desk.work(note="x" * 100_000)
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
    done = desk.hand_in(first=limited)
    said = "hand_in cannot be written to (File too large). Your notebook is unharmed:" in done.words
    assert done.code == 1
    count(KIND, 1, wrong=not desk.is_whole(None), silent=not said, left=len(desk.left()))


def test_somebody_else_at_work_in_the_folder_is_told_of(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    earlier = desk.work(note="earlier")
    assert desk.hand_in().code == 0
    desk.work(note="new")
    (desk.shelf / ".theirs.part").mkdir()
    (desk.shelf / f".{STEM}.ipynb.part").write_text("as an earlier version of the course left it")
    with open(desk.shelf / ".lock.part", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        impatient = "from checks import keeping\nkeeping.alone_in.__wrapped__.__defaults__ = (0.0,)\n"
        done = desk.hand_in(first=impatient)
        theirs = (desk.shelf / ".theirs.part").exists()
    assert (done.code, theirs) == (1, True)
    said = "another hand-in is at work in " in done.words and "When it has ended, hand in again." in done.words
    right = desk.is_whole(earlier)
    assert desk.hand_in().code == 0  # the lock has ended with whoever held it
    count(KIND, 1, wrong=not right, silent=not said, left=len(desk.left()))


# --- No temporary space -----------------------------------------------------------------------------------------------

NOWHERE = "import tempfile\ntempfile._candidate_tempdir_list = lambda: ['/proc']\n"


@pytest.mark.parametrize("place", ["/nowhere/at/all", "/proc", __file__])
def test_a_hand_in_needs_no_temporary_space(tmp_path: Path, count: Count, place: str) -> None:
    desk = Desk(tmp_path)
    data = desk.work()
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(NOWHERE)
    done = desk.hand_in(PYTHONPATH=str(tmp_path / "hook"), TMPDIR=place, HOME=place)
    said = "1 of 6 exercises pass" in done.words and "stops with an error" not in done.words
    assert done.code == 0, done.words
    count(KIND, 1, wrong=not desk.is_whole(data), silent=not said, left=len(desk.left()))


def test_magics_find_a_place_to_remember_things_and_leave_none(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    data = desk.work(SETUP, ANSWER, "%cd checks\n%cd ..", "get_ipython().db['x'] = 1", "%bookmark here")
    done = desk.hand_in()
    count(KIND, 1, wrong=not desk.is_whole(data), silent="stops with" in done.words, left=len(desk.left()))


# --- No proper file ---------------------------------------------------------------------------------------------------


def a_pipe(path: Path, data: bytes) -> None:
    path.unlink()
    os.mkfifo(path)


def a_folder(path: Path, data: bytes) -> None:
    path.unlink()
    path.mkdir()


SPOILT: dict[str, tuple[Callable[[Path, bytes], object], str]] = {
    "UTF-16": (lambda path, data: path.write_bytes(data.decode().encode("utf-16")), "is UTF-16 text"),
    "empty": (lambda path, data: path.write_bytes(b""), "the file on disk has no bytes"),
    "half": (lambda path, data: path.write_bytes(data[: len(data) // 2]), "is not JSON"),
    "format 99": (
        lambda path, data: path.write_bytes(data.replace(b'"nbformat": 4', b'"nbformat": 99')),
        "has the notebook format 99",
    ),
    "deep": (lambda path, data: path.write_bytes(b"[" * 100_000), "is nested too deeply"),
    "a pipe": (a_pipe, "is not a file"),
    "a folder": (a_folder, "Is a directory"),
    "another's name": (
        lambda path, data: path.write_bytes(data.replace(b"01_bayes_rule", b"08_softmax")),
        "01_bayes_rule.ipynb is the notebook 08_softmax by what is in it. Hand in the right file, or rename this one",
    ),
    "no exercise": (
        lambda path, data: path.write_bytes(data.replace(b"def bayes_binary", b"def another")),
        "no exercise of 01_bayes_rule.ipynb has been attempted",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_file_that_grading_would_refuse_is_refused(tmp_path: Path, count: Count, name: str) -> None:
    desk, (spoil, words) = Desk(tmp_path), SPOILT[name]
    earlier = desk.work(note="earlier")
    assert desk.hand_in().code == 0
    spoil(desk.folder / f"{STEM}.ipynb", desk.work(note="new"))
    done = desk.hand_in()
    assert done.code == 1
    said = "Not handed in: " in done.words and words in done.words and "Traceback" not in done.words
    count(KIND, 1, wrong=not desk.is_whole(earlier), silent=not said, left=len(desk.left()))


def test_a_mark_of_byte_order_is_handed_in_as_it_is(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    data = b"\xef\xbb\xbf" + desk.work(SETUP, ANSWER, "print(forgotten)")
    (desk.folder / f"{STEM}.ipynb").write_bytes(data)
    done = desk.hand_in()
    said = "1 of 6 exercises pass" in done.words and "cell 3 (`print(forgotten)`) stops with an error" in done.words
    count(KIND, 1, wrong=not desk.is_whole(data), silent=not said, left=len(desk.left()))


def test_another_course_in_the_metadata_is_told_and_handed_in_all_the_same(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    data = desk.work().replace(b'"stem": "01_bayes_rule"', b'"stem": "99_free_marks"')
    (desk.folder / f"{STEM}.ipynb").write_bytes(data)
    done = desk.hand_in()
    said = "By its metadata, the file is the notebook '99_free_marks', not 01_bayes_rule." in done.words
    count(KIND, 1, wrong=not desk.is_whole(data), silent=not said, left=len(desk.left()))


def test_half_a_character_in_an_error_is_told_and_received(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    data = desk.work(SETUP, ANSWER, "raise ValueError(chr(0xd800))")
    done = desk.hand_in()
    said = done.code == 0 and "stops with an error from a fresh start: ValueError: ?" in done.words
    count(KIND, 1, wrong=not desk.is_whole(data), silent=not said, left=len(desk.left()))


# --- nbgrader's exchange ----------------------------------------------------------------------------------------------

# In the process that sends, at the first step of a kind in a place.
WHILE_SENDING = """
import errno, os, signal, sys
def _parent(pid):
    with open(f"/proc/{{pid}}/stat") as about:
        return int(about.read().rpartition(")")[2].split()[1])
def _look(event, args, done=[]):
    named = [one for one in args if isinstance(one, str)]
    if event == {event!r} and any({place!r} in one for one in named) and not done:
        done.append(event)
        do = {do!r}
        if do == "fails":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), named[-1])
        os.kill(os.getpid() if do == "itself" else _parent(os.getppid()), {number})
        signal.pause()
if "checks.exchange" in sys.orig_argv:
    sys.addaudithook(_look)
"""
SENDING = {
    "the copy fails": ("open", "inbound/.", "fails", 0),
    "the last step fails": ("os.rename", "inbound/.", "fails", 0),
    "the cache fails": ("os.mkdir", "cache/bayes", "fails", 0),
    "the hand-in is killed": ("open", "inbound/.", "hand-in", int(signal.SIGKILL)),
    "the hand-in is interrupted": ("open", "inbound/.", "hand-in", int(signal.SIGINT)),
    "the sender is killed": ("open", "inbound/.", "itself", int(signal.SIGKILL)),
}


@pytest.fixture
def exchange(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """The exchange of a course, and the environment of a student whose nbgrader knows of it."""
    root, settings = tmp_path / "exchange", tmp_path / "settings"
    (root / "bayes" / "inbound").mkdir(parents=True)
    (root / "bayes" / "outbound" / STEM).mkdir(parents=True)
    (root / "bayes" / "outbound" / STEM / f"{STEM}.ipynb").write_text("{}")
    settings.mkdir()
    (settings / "nbgrader_config.py").write_text(
        f'c = get_config()\nc.CourseDirectory.course_id = "bayes"\nc.Exchange.root = {str(root)!r}\n'
        f"c.Exchange.cache = {str(tmp_path / 'cache')!r}\n"
    )
    root.chmod(0o777)
    return root / "bayes" / "inbound", {"JUPYTER_CONFIG_DIR": str(settings)}


@pytest.mark.parametrize("name", SENDING)
def test_nothing_arrives_in_the_exchange_but_as_a_whole(
    tmp_path: Path, exchange: tuple[Path, dict[str, str]], count: Count, name: str
) -> None:
    desk, (inbound, environment), (event, place, do, number) = Desk(tmp_path), exchange, SENDING[name]
    data, cache = desk.work(), tmp_path / "cache" / "bayes"
    (tmp_path / "hook").mkdir()
    hook = WHILE_SENDING.format(event=event, place=place, do=do, number=number)
    (tmp_path / "hook" / "sitecustomize.py").write_text(hook)
    done = desk.hand_in(PYTHONPATH=str(tmp_path / "hook"), **environment)
    running = [str(process) for process in desk.running()]
    said = {
        "fails": "nbgrader could not send it: " in done.words and "No space left on device. The file to" in done.words,
        "itself": "nbgrader did not answer, so nothing was sent. The file to upload is" in done.words,
        "hand-in": "Then it was interrupted. The file to upload is" in done.words or number == signal.SIGKILL,
    }[do]
    print(done)  # for whoever has to look into it
    assert done.code == (-number if number == signal.SIGKILL and do == "hand-in" else 0)
    hidden = [path for path in inbound.iterdir() if path.name.startswith(".")]
    assert [path for path in inbound.iterdir() if path not in hidden] == []
    right = desk.is_whole(data)
    sent = desk.hand_in(**environment)  # and what a killed one has left is removed
    [arrived] = [path for path in inbound.iterdir() if path not in hidden]
    right = right and (arrived / f"{STEM}.ipynb").read_bytes() == data and "Sent to the course bayes" in sent.words
    left = [path for path in cache.iterdir() if path.name.startswith(".") or path.name not in arrived.name]
    if do == "itself":  # nobody may list what is inbound: there it stays, under a name that nobody collects
        hidden = left = []
    files = [name for name in desk.left() if name not in ("cache", "exchange", "settings", "hook", "notebooks")]
    count(KIND, 1, wrong=not right, silent=not said, left=len(hidden) + len(left) + len(files) + len(running))
