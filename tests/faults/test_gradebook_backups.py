"""A gradebook that is copied while the machine fails, that is damaged, or gone: good copies stay, all is told."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from faulty import PATIENT, Count, run
from sample_class import hand_in, source_of, work
from sample_course import LIMITS, STEM, copy_course
from small_gradebook import give, make, scores

from autograder.classroom import nbgrader_course, replying
from autograder.cli import command
from autograder.course import Course, notebook, sources
from autograder.course.errors import GradebookError
from autograder.grading.grade import Options
from autograder.nbgrader_bridge import backups, copies
from autograder.sandbox import kernel

NOW = [1.0, 1.0]  # what everybody has when a copy is made; the copies that are there have something else
FOREIGN = "gradebook-before-the-exam.db"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook with ten copies of earlier days beside it, and one that somebody made by hand."""
    book = make(tmp_path_factory.mktemp("first") / "gradebook.db")
    (book.parent / "backups").mkdir()
    for day in range(10, 20):
        give(book, day)
        shutil.copy(book, book.parent / "backups" / f"gradebook-2026-01-{day}T00-00-00.000Z.db")
    (book.parent / "backups" / FOREIGN).write_text("mine")
    give(book, NOW[0])
    return book


@pytest.fixture
def book(first: Path, tmp_path: Path) -> Path:
    shutil.copytree(first.parent, tmp_path / "course")
    return tmp_path / "course" / "gradebook.db"


def keep(book: Path) -> str:
    return backups.keep(f"sqlite:///{book}")


def earlier(book: Path) -> list[float]:
    """The scores of all copies, the newest one first; each has to be in order."""
    return [scores(copy)[0] for copy in copies.existing(book)]


TEN = [float(day) for day in range(19, 9, -1)]

# --- Ended while a copy is made ---------------------------------------------------------------------------------------

# The `number`-th of these calls is the last one: the process is ended right before it, right after it, or in it.
WATCHED = """
import os, signal, sqlite3, sys, tempfile
from autograder.nbgrader_bridge import backups, connecting
url, number, moment = sys.argv[1], int(sys.argv[2]), sys.argv[3]
connecting.holds(url, backups.MARKS)  # what is imported late does not count
calls = 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def watch(module, name):
    real = getattr(module, name)
    def call(*given, **named):
        global calls
        calls += 1
        mine = calls == number
        if mine and moment == "before":
            die()
        done = real(*given, **named)
        if mine and moment == "after":
            die()
        return done
    setattr(module, name, call)

class Dying(sqlite3.Connection):
    def backup(self, target):
        global calls
        calls += 1
        if calls == number:
            super().backup(target, pages=3, progress=lambda *_: die())
        super().backup(target)

connect = sqlite3.connect
def connected(*given, **named):
    return connect(*given, factory=Dying, **named) if named.get("uri") else connect(*given, **named)
sqlite3.connect = connected
for module, name in ((tempfile, "mkstemp"), (os, "fsync"), (os, "link"), (os, "unlink")):
    watch(module, name)
backups.keep(url)
print(calls)
"""


def ended(book: Path, number: int, moment: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-P", "-c", WATCHED, f"sqlite:///{book}", str(number), moment]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENT, check=False)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_whoever_is_ended_while_copying_leaves_the_gradebook_and_the_copies_in_order(
    first: Path, tmp_path: Path, count: Count, moment: str
) -> None:
    injected = wrong = left = 0
    for number in range(1, 20):
        shutil.copytree(first.parent, tmp_path / str(number))
        book = tmp_path / str(number) / "gradebook.db"
        done = ended(book, number, moment)
        if done.returncode == 0:
            assert int(done.stdout) == number - 1
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        injected += 1
        found = earlier(book)  # fails where a half one counts as a copy
        wrong += scores(book) != NOW or found not in (TEN, [NOW[0], *TEN], [NOW[0], *TEN[:-1]])
        keep(book)
        wrong += earlier(book) != [NOW[0], *TEN[:-1]]
        left += {path.name for path in (book.parent / "backups").iterdir()} != {
            FOREIGN,
            *(copy.name for copy in copies.existing(book)),
        }
        left += {path.name for path in book.parent.iterdir()} != {"gradebook.db", "backups"}
    assert injected >= 6
    count("gradebook faults", injected, wrong=wrong, left=left)


def test_what_an_ended_program_has_half_written_is_in_no_copy(book: Path, count: Count) -> None:
    half = (
        "import os, signal, sqlite3, sys\n"
        "book = sqlite3.connect(sys.argv[1])\n"
        "book.execute('PRAGMA cache_size = 1')\n"
        "book.execute('CREATE TABLE large (text)')\n"
        "book.execute('UPDATE grade SET auto_score = 4')\n"
        "book.executemany('INSERT INTO large VALUES (?)', [('x' * 4000,)] * 50)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", half, str(book)], timeout=PATIENT, check=False)
    assert book.with_name("gradebook.db-journal").exists()
    keep(book)
    wrong = (earlier(book)[0] != NOW[0]) + (scores(book) != NOW)
    count("gradebook faults", 1, wrong=wrong)


# --- No room, no right, no folder -------------------------------------------------------------------------------------


def refused(book: Path) -> str:
    """What is said when no copy can be made; nothing may have changed then, and nothing may be left."""
    names = sorted(path.name for path in (book.parent / "backups").iterdir())
    with pytest.raises(GradebookError) as told:
        keep(book)
    assert sorted(path.name for path in (book.parent / "backups").iterdir()) == names
    return str(told.value)


def test_a_full_disk_refuses_and_pushes_no_copy_out(book: Path, count: Count, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import resource, sys\n"
        "from autograder.course.errors import GradebookError\n"
        "from autograder.nbgrader_bridge import backups\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)\n"
        "try:\n    backups.keep(sys.argv[1])\nexcept GradebookError as error:\n    sys.exit(str(error))\n"
    )
    silent = left = 0
    sizes = [0, 4096, book.stat().st_size // 2, book.stat().st_size - 1]
    for size in sizes:
        arguments = [sys.executable, "-P", "-c", program, f"sqlite:///{book}", str(size)]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENT, check=False)
        silent += done.returncode != 1 or "No copy of the gradebook" not in done.stderr
        left += len(list((book.parent / "backups").iterdir())) != 11

    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    for name in ("fsync", "link"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            words = refused(book)
            silent += f"{os.strerror(28)}. The gradebook was not changed" not in words or "Make room" not in words
    assert earlier(book) == TEN
    count("gradebook faults", len(sizes) + 2, wrong=scores(book) != NOW, silent=silent, left=left)


@pytest.mark.parametrize("size", ["16k", "64k"])
def test_a_disk_without_room_refuses_in_words(first: Path, tmp_path: Path, count: Count, size: str) -> None:
    if os.getuid() != 0 or sys.platform != "linux":
        pytest.skip("only root can make a file system that is full")
    book = Path(shutil.copy(first, tmp_path))
    (tmp_path / "backups").mkdir()
    try:
        kernel.mount("tmpfs", str(tmp_path / "backups"), "tmpfs", kernel.MS_NOSUID, f"size={size}")
    except OSError as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    try:
        words = refused(book)
    finally:
        kernel.unmount(str(tmp_path / "backups"))
    silent = "is full" not in words or "Make room" not in words
    count("gradebook faults", 1, wrong=scores(book) != NOW, silent=silent)


def test_no_link_is_followed_to_where_copies_would_be_seen(book: Path, tmp_path: Path, count: Count) -> None:
    (tmp_path / "public").mkdir()
    (book.parent / "backups").rename(tmp_path / "before")
    (book.parent / "backups").symlink_to(tmp_path / "public")
    assert "it must be a folder, and not a link to one" in refused(book)
    (book.parent / "backups").unlink()
    (book.parent / "backups").write_text("a file")
    with pytest.raises(GradebookError, match="it must be a folder"):
        keep(book)
    count("gradebook faults", 2, wrong=scores(book) != NOW, left=len(list((tmp_path / "public").iterdir())))


# --- A gradebook that is damaged --------------------------------------------------------------------------------------


def damages(book: Path) -> Iterator[bytes]:
    """The gradebook with a page of it lost, for several pages; and cut off."""
    whole = book.read_bytes()
    for page in range(1, len(whole) // 4096, 5):
        yield whole[: page * 4096] + bytes(4096) + whole[(page + 1) * 4096 :]
    for size in (len(whole) // 2, len(whole) - 4096, 4096 * 3):
        yield whole[:size]


def test_a_damaged_gradebook_pushes_no_good_copy_out_and_the_way_back_is_told(book: Path, count: Count) -> None:
    injected = wrong = silent = 0
    for damaged in damages(book):
        book.write_bytes(damaged)
        words = refused(book)
        injected += 1
        silent += "damaged" not in words or str(copies.existing(book)[0]) not in words
        wrong += earlier(book) != TEN
        subprocess.run(["bash", "-c", words.splitlines()[-1]], check=True, timeout=PATIENT)
        wrong += scores(book)[0] != TEN[0]
    assert len(list(book.parent.glob("put-aside*/gradebook.db"))) == injected > 6
    count("gradebook faults", injected, wrong=wrong, silent=silent)


def test_a_copy_that_is_damaged_is_not_the_one_to_put_back(book: Path, count: Count) -> None:
    newest, second, *_ = copies.existing(book)
    newest.write_bytes(newest.read_bytes()[: 4096 * 5])
    book.unlink()
    words = copies.how_to_put_back(book)
    count("gradebook faults", 1, silent=str(second) not in words or str(newest) in words)


# --- A gradebook that is gone -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "repository")


@pytest.fixture(scope="module")
def graded(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded course, with a score that was given by hand and a copy that has it."""
    root = tmp_path_factory.mktemp("nbgrader") / "autumn"
    nbgrader_course.build(course, root)
    with (root / "course.toml").open("a") as policy:
        policy.write(LIMITS)
    wrong = work(posterior="def posterior(prior, likelihood):\n    return np.asarray(likelihood) / np.sum(likelihood)")
    for student in ("ada", "bob"):
        hand_in(root / "submitted", student, wrong.notebook(source_of(course)))
    nbgrader_course.grade_class(course, root, STEM, Options(root / "graded", workers=1))
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        book.execute("UPDATE grade SET manual_score = 2.5 WHERE id = (SELECT min(id) FROM grade WHERE auto_score = 0)")
        book.commit()
    keep(root / "gradebook.db")
    group = next(iter(replying.look(root).groups))
    (root / "reply.toml").write_text(
        f'[[reply]]\nassignment = "{STEM}"\nexercise = "posterior"\ngroup = "{group.name}"\npoints = 1\n'
    )
    return root


@pytest.fixture
def autumn(graded: Path, tmp_path: Path) -> Path:
    shutil.copytree(graded, tmp_path / "autumn")
    return tmp_path / "autumn"


def given(root: Path) -> list[float]:
    """The scores that were given by hand."""
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        return [score for (score,) in book.execute("SELECT manual_score FROM grade WHERE manual_score IS NOT NULL")]


def emptied_by_nbgrader(book: Path) -> None:
    """What is there after somebody has deleted it and opened formgrader."""
    from nbgrader.api import Gradebook

    book.unlink()
    with Gradebook(f"sqlite:///{book}"):
        pass


LOSSES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "without a byte": lambda book: book.write_bytes(b""),
    "made anew by nbgrader": emptied_by_nbgrader,
}
VERBS = {
    "course": ("course", "{root}"),
    "grade": ("grade", "--course", "{root}", STEM),
    "marks": ("marks", "{root}"),
    "report": ("report", "{root}", "--out", "{root}/report.html"),
    "feedback": ("feedback", "{root}"),
    "groups": ("groups", "{root}", "--reply", "{root}/reply.toml"),
}


def asked(course: Course, root: Path, verb: str, *more: str) -> int:
    return command.main([*(part.format(root=root) for part in VERBS[verb]), *more], course)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_lost_gradebook_is_told_by_every_verb_and_comes_back_with_what_was_given_by_hand(
    course: Course, autumn: Path, capsys: pytest.CaptureFixture[str], count: Count, loss: str
) -> None:
    book = autumn / "gradebook.db"
    assert asked(course, autumn, "marks") == 0
    marks = capsys.readouterr().out
    LOSSES[loss](book)
    silent = wrong = left = 0
    before = sorted(path for path in autumn.rglob("*"))
    for verb in VERBS:
        code = asked(course, autumn, verb)
        words = capsys.readouterr().err
        silent += code != 1 or "The grades in it are missing" not in words or f"{STEM} --new-gradebook`" not in words
        silent += str(copies.existing(book)[0]) not in words
        left += sorted(path for path in autumn.rglob("*")) != before
    subprocess.run(["bash", "-c", words.splitlines()[-1]], check=True, timeout=PATIENT)
    wrong += given(autumn) != [2.5]
    wrong += asked(course, autumn, "course") != 0
    capsys.readouterr()
    wrong += asked(course, autumn, "marks") != 0 or capsys.readouterr().out != marks
    count("gradebook faults", len(VERBS), wrong=wrong, silent=silent, left=left)


def test_nbgraders_own_autograde_makes_no_empty_gradebook_either(autumn: Path, count: Count) -> None:
    (autumn / "gradebook.db").unlink()
    done = autograde(autumn)
    silent = done.returncode == 0 or "The grades in it are missing" not in done.stderr
    kept = (autumn / "autograded" / "ada" / STEM / f"{STEM}.ipynb").exists()
    count("gradebook faults", 1, silent=silent, left=(autumn / "gradebook.db").exists(), wrong=not kept)


def test_nbgraders_own_autograde_makes_one_copy_for_a_class_and_few_for_single_submissions(autumn: Path) -> None:
    def after(*which: str) -> list[list[float]]:
        with closing(sqlite3.connect(autumn / "gradebook.db")) as book:
            book.execute("UPDATE grade SET extra_credit = coalesce(extra_credit, 0) + 1 WHERE manual_score IS NULL")
            book.commit()
        done = autograde(autumn, *which)
        assert done.returncode == 0, done.stderr
        assert ("The gradebook as it was before is in " in done.stderr) == (not which)
        return [extra_credit(copy) for copy in copies.existing(autumn / "gradebook.db")]

    assert after() == [[1], []]
    assert after("--student=ada") == [[1], []]


def extra_credit(book: Path) -> list[float]:
    with closing(sqlite3.connect(book)) as read:
        rows = read.execute("SELECT DISTINCT extra_credit FROM grade WHERE extra_credit IS NOT NULL")
        return [credit for (credit,) in rows]


def autograde(root: Path, *which: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", STEM, "--force", *which],
        env={**os.environ, "JUPYTER_CONFIG_DIR": os.devnull},
        cwd=root,
        capture_output=True,
        text=True,
        timeout=PATIENT,
        check=False,
    )


def test_a_new_gradebook_is_made_where_one_is_wanted_or_none_was_lost(
    course: Course, autumn: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (autumn / "gradebook.db").unlink()
    assert asked(course, autumn, "course", "--new-gradebook") == 0
    assert asked(course, autumn, "grade") == 0
    assert given(autumn) == []
    for folder in ("graded", "autograded", "backups"):
        shutil.rmtree(autumn / folder)
    (autumn / "gradebook.db").unlink()
    capsys.readouterr()
    assert asked(course, autumn, "marks") == 1
    words = capsys.readouterr().err
    assert "There is no gradebook" in words and "missing" not in words
    assert f"`autograder course {shlex.quote(str(autumn))}` makes one" in words
    assert asked(course, autumn, "course") == 0


# --- What changes a gradebook that cannot be copied -------------------------------------------------------------------


def test_no_verb_changes_a_gradebook_that_cannot_be_copied(
    course: Course, autumn: Path, capsys: pytest.CaptureFixture[str], count: Count
) -> None:
    shutil.rmtree(autumn / "backups")
    (autumn / "backups").write_text("in the way")
    (autumn / "course.toml").write_text(f"[due]\n{STEM} = 2026-10-12T23:59:00Z\n{LIMITS}")
    before = (autumn / "gradebook.db").read_bytes()
    documents = {path: path.read_bytes() for path in (autumn / "graded").rglob("*") if path.is_file()}
    silent = wrong = 0
    for verb in ("course", "grade", "groups"):
        code = asked(course, autumn, verb)
        silent += code != 1 or "No copy of the gradebook" not in capsys.readouterr().err
        wrong += (autumn / "gradebook.db").read_bytes() != before
    done = autograde(autumn)
    silent += done.returncode == 0 or "No copy of the gradebook" not in done.stderr
    wrong += (autumn / "gradebook.db").read_bytes() != before
    wrong += documents != {path: path.read_bytes() for path in (autumn / "graded").rglob("*") if path.is_file()}
    wrong += asked(course, autumn, "marks")  # what only reads needs no copy
    count("gradebook faults", 4, wrong=wrong, silent=silent)


# --- Ended while `course` changes it ----------------------------------------------------------------------------------

ENDS = """
import os, signal
from {module} import {owner} as owner
real = owner.{name}
def ended(*given, **named):
    done = {before} or real(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
owner.{name} = ended
"""
BRIDGE = "autograder.nbgrader_bridge"
PLACES = (
    (f"{BRIDGE}", "backups", "keep"),
    ("autograder.classroom", "nbgrader_course", "generate_into"),
    (f"{BRIDGE}.gradebook", "Book", "_apply"),
)


def structure(root: Path) -> list[list[tuple[object, ...]]]:
    """What the gradebook has of assignments, cells and marks, and what students get."""
    queries = (
        "SELECT name, duedate FROM assignment",
        "SELECT name, source, checksum FROM source_cell ORDER BY name",
        "SELECT auto_score, manual_score FROM grade ORDER BY id",
        "SELECT late_submission_penalty FROM submitted_notebook ORDER BY id",
    )
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        found = [book.execute(query).fetchall() for query in queries]
    files = [path for folder in ("source", "release") for path in (root / folder).rglob("*") if path.is_file()]
    return [*found, sorted((str(path.relative_to(root)), path.read_bytes()) for path in files)]


def test_who_is_ended_while_a_course_changes_runs_it_again_and_nothing_is_lost(
    course: Course, autumn: Path, tmp_path: Path, count: Count
) -> None:
    newer = Course(tmp_path / "newer")
    shutil.copytree(course.root, newer.root)
    source = sources.read(newer.source(STEM))
    next(cell for cell in source.cells if cell.id == "reflect-1-answer").source += "\n\nIn two sentences."
    notebook.write(source, newer.source(STEM))
    (autumn / "course.toml").write_text(f"[due]\n{STEM} = 2026-10-12T23:59:00Z\n{LIMITS}")
    old, told = structure(autumn), list[str]()
    shutil.copytree(autumn, tmp_path / "undisturbed")
    nbgrader_course.build(newer, tmp_path / "undisturbed", tell=told.append)
    new = structure(tmp_path / "undisturbed")
    assert [before == after for before, after in zip(old, new, strict=True)] == [False, False, True, True, False]
    assert len(told) == 1 and str(tmp_path / "undisturbed" / "backups") in told[0]
    (tmp_path / "temporary").mkdir()
    injected = wrong = left = 0
    for module, owner, name in PLACES:
        root = tmp_path / name
        shutil.copytree(autumn, root)
        first = ENDS.format(module=module, owner=owner, name=name, before=name == "generate_into")
        done = run(newer, "course", root, temporary=tmp_path / "temporary", first=first)
        assert done.code == -signal.SIGKILL, done.words
        injected += 1
        wrong += structure(root)[2:4] != old[2:4]
        (copy,) = copies.existing(root / "gradebook.db")
        wrong += bool(copies.problem(copy))
        nbgrader_course.build(newer, root)
        wrong += structure(root) != new
        left += any(path.suffix == ".part" for path in root.rglob("*"))
    count("gradebook faults", injected, wrong=wrong, left=left)
