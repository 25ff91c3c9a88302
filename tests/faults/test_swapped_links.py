"""Folders and files of students that are swapped for links at any moment: nothing outside of them is ever read."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import pytest
from faulty import Count, FaultyClass, marks
from sample_class import STEM, source_of, work

from autograder.classroom import zips
from autograder.cli import command, console
from autograder.course import files, notebook
from autograder.course.errors import SubmissionError
from autograder.grading import places
from autograder.grading.places import NotebookFile, Skipped
from autograder.nbgrader_bridge.folder import read_timestamp

STUDENTS = [f"kim-{number:02}" for number in range(15)]
READ_BEFORE = 3  # submissions that one worker's queue has read when the first result is there
WANTED = "2026-12-24 12:00:00.000000 UTC"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """What a link could lead to: a folder like a student's, with better work and another moment."""
    folder = tmp_path / "elsewhere"
    (folder / STEM).mkdir(parents=True)
    (folder / STEM / "timestamp.txt").write_text(WANTED)
    with zipfile.ZipFile(folder / "work.zip", "w") as archive:
        archive.writestr(f"{STEM}.ipynb", b"somebody else's")
    (folder / STEM / f"{STEM}.ipynb").write_bytes(b"somebody else's")
    return folder


def swapped(path: Path, target: str | Path) -> None:
    """Put a link where a file or a folder is."""
    path.rename(path.with_name(f".{path.name}-before"))
    path.symlink_to(target)


def chained(path: Path, target: Path) -> None:
    path.with_name(".chain").symlink_to(target)
    swapped(path, ".chain")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


SWAPS: dict[str, Callable[[Path, str, Path], None]] = {
    "student": lambda place, who, elsewhere: swapped(place / who, elsewhere),
    "student, relative": lambda place, who, elsewhere: swapped(place / who, "../elsewhere"),
    "student, a classmate": lambda place, who, elsewhere: swapped(place / who, STUDENTS[0]),
    "student, a chain": lambda place, who, elsewhere: chained(place / who, elsewhere),
    "student, in a circle": lambda place, who, elsewhere: swapped(place / who, who),
    "assignment": lambda place, who, elsewhere: swapped(place / who / STEM, elsewhere / STEM),
    "assignment, a classmate's": lambda place, who, elsewhere: swapped(
        place / who / STEM, Path("..", STUDENTS[0], STEM)
    ),
    "assignment, to nowhere": lambda place, who, elsewhere: swapped(place / who / STEM, "nowhere"),
    "file": lambda place, who, elsewhere: swapped(of(place, who), elsewhere / STEM / f"{STEM}.ipynb"),
    "file, a device": lambda place, who, elsewhere: swapped(of(place, who), "/dev/zero"),
    "file, its own past": lambda place, who, elsewhere: swapped(of(place, who), f".{STEM}.ipynb-before"),
    "a pipe": lambda place, who, elsewhere: pipe(of(place, who)),
}


def of(place: Path, who: str) -> Path:
    return place / who / STEM / f"{STEM}.ipynb"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> FaultyClass:
    return FaultyClass(tmp_path_factory.mktemp("links"))


@pytest.fixture
def place(made: FaultyClass, tmp_path: Path) -> Path:
    """A class of which everybody has answered one exercise."""
    content = notebook.dumps(work(bayes_binary=None).notebook(source_of(made.course)))
    for student in STUDENTS:
        of(tmp_path / "in", student).parent.mkdir(parents=True)
        of(tmp_path / "in", student).write_bytes(content)
    return tmp_path / "in"


def test_what_is_swapped_after_it_was_found_is_not_followed(
    made: FaultyClass,
    place: Path,
    elsewhere: Path,
    tmp_path: Path,
    count: Count,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    better = work(bayes_binary=None, posterior=None).notebook(source_of(made.course))
    of(elsewhere.parent, "elsewhere").write_bytes(notebook.dumps(better))
    victims = dict(zip(STUDENTS[READ_BEFORE:], SWAPS.values(), strict=True))
    show, swaps = console.Bar.show, list[str]()

    def disturbed(self: console.Bar, done: int, total: int) -> None:
        if done == 1 and not swaps:
            for who, swap in victims.items():
                swap(place, who, elsewhere)
                swaps.append(who)
        show(self, done, total)

    monkeypatch.setattr(console.Bar, "show", disturbed)
    out = tmp_path / "out"
    code = command.main(
        ["grade", str(place), "--out", str(out), "--workers", "1", "--isolation", "portable"], made.course
    )
    said, found = " ".join(capsys.readouterr().out.split()), marks(out)
    followed = [who for who in swaps if found[who]["ungraded_by"] != "machine"]
    wrong = [who for who in STUDENTS if who not in swaps and found[who]["score"] != 3]
    table = (out / "grades.csv").read_text()
    silent = [who for who in swaps if f"{who},{STEM},,,ungraded," not in table]
    silent += [who for who in swaps if f"skipped {of(place, who)}: " not in said]
    assert followed == [] and found.keys() == set(STUDENTS)
    assert code == 1 and "problem 12 submissions could not be graded, which is not the students' fault" in said
    assert "has become a symbolic link since this run began. Put the folder itself there" in said
    assert "It was a file when this run began, and is a symbolic link now." in said
    count("swapped links", len(swaps), wrong=len(wrong), silent=len(silent))


def names(found: list[NotebookFile]) -> list[str]:
    return [file.path.parts[0] for file in found]


@pytest.mark.parametrize("what", [what for what in SWAPS if what.startswith(("student", "assignment"))])
def test_what_is_swapped_while_a_place_is_looked_through_is_not_gone_into(
    place: Path, elsewhere: Path, count: Count, what: str
) -> None:
    """`kim-01` is swapped when it is known that it is a folder, and before anybody has looked into it."""
    skipped: list[Skipped] = []
    looking = places.notebooks(place, skipped, limit=1 << 24)
    found = [next(looking)]
    before = of(place, "kim-02").read_bytes()
    if what.startswith("student"):
        SWAPS[what](place, "kim-01", elsewhere)
    found += looking if what.startswith("student") else swapped_on_the_way(looking, place, elsewhere, what)
    contents = {file.path.parts[0]: outcome(file) for file in found}
    others = set(STUDENTS) - {"kim-01"}
    assert {who for who, content in contents.items() if content == before} == others
    told = [entry for entry in skipped if entry.ours and "kim-01" in entry.where]
    silent = not told and contents.get("kim-01", b"") != b""
    count("swapped links", 1, wrong=int(contents.get("kim-01", b"") != b""), silent=int(silent))
    assert told or "kim-01" in contents


def swapped_on_the_way(
    looking: Iterator[NotebookFile], place: Path, elsewhere: Path, what: str
) -> Iterator[NotebookFile]:
    """The rest of what is found; the folder of an assignment is swapped when its file has just been found."""
    for file in looking:
        if file.path.parts[0] == "kim-01":
            SWAPS[what](place, "kim-01", elsewhere)
        yield file


def outcome(file: NotebookFile) -> bytes:
    try:
        return file.read()
    except SubmissionError:
        return b""


def test_a_zip_is_not_looked_for_where_a_link_leads(place: Path, elsewhere: Path, tmp_path: Path, count: Count) -> None:
    victims = STUDENTS[:4]
    for who in STUDENTS:
        of(place, who).unlink()
        with zipfile.ZipFile(place / who / "work.zip", "w") as archive:
            archive.writestr(f"{STEM}.ipynb", b"their own")
    skipped: list[Skipped] = []
    looking = zips.notebooks(place, 1 << 20, [STEM], tmp_path, list[PurePosixPath](), skipped)
    first = next(looking)
    contents = [first.read()]
    for who, swap in zip(STUDENTS[1:5], list(SWAPS.values())[:4], strict=True):
        swap(place, who, elsewhere)
    contents += [file.read() for file in looking]
    assert contents == [b"their own"] * (len(STUDENTS) - len(victims))
    told = [entry for entry in skipped if entry.reason == "it cannot be read: it is a symbolic link"]
    count("swapped links", len(victims), silent=len(victims) - len(told))


def test_collect_takes_nothing_through_a_link_and_says_so(
    made: FaultyClass,
    place: Path,
    elsewhere: Path,
    tmp_path: Path,
    count: Count,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root, looking = tmp_path / "autumn", zips.notebooks
    root.mkdir()
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    victims = dict(zip(STUDENTS[1:6], [swap for what, swap in SWAPS.items() if "student" in what], strict=True))

    def disturbed(
        where: Path, limit: int, stems: Sequence[str], folder: Path, seen: list[PurePosixPath], skipped: list[Skipped]
    ) -> Iterator[NotebookFile]:
        for number, file in enumerate(looking(where, limit, stems, folder, seen, skipped)):
            if number == 0:
                for who, swap in victims.items():
                    swap(place, who, elsewhere)
            yield file

    monkeypatch.setattr(zips, "notebooks", disturbed)
    code = command.main(["collect", str(place), "--course", str(root), "--yes"], made.course)
    said = capsys.readouterr().out
    collected = {path.name for path in (root / "submitted").iterdir()}
    silent = [who for who in victims if f"{place / who}: it cannot be read: it is a symbolic link" not in said]
    assert code == 1 and collected >= set(STUDENTS) - victims.keys()
    count("swapped links", len(victims), wrong=len(collected & victims.keys()), silent=len(silent))


@pytest.mark.parametrize("what", [what for what in SWAPS if what.startswith(("student", "assignment"))])
def test_the_moment_of_handing_in_is_not_read_through_a_link(
    place: Path, elsewhere: Path, count: Count, what: str
) -> None:
    for who in STUDENTS[:2]:
        of(place, who).with_name("timestamp.txt").write_text(WANTED)
    path = of(place, "kim-01").with_name("timestamp.txt")
    assert read_timestamp(path, place) is not None
    SWAPS[what](place, "kim-01", elsewhere)
    count("swapped links", 1, wrong=int(read_timestamp(path, place) is not None))
    assert read_timestamp(of(place, "kim-00").with_name("timestamp.txt"), place) is not None


# --- The opening itself -----------------------------------------------------------------------------------------------


def test_the_way_to_the_place_itself_may_have_links(place: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(tmp_path)
    (tmp_path / "class").symlink_to("way/in")
    for chosen in (tmp_path / "class", tmp_path / "way" / "in"):
        found = list(places.notebooks(chosen, [], limit=1 << 24))
        assert names(found) == STUDENTS and found[0].read() == of(place, "kim-00").read_bytes()
        with files.open_regular(of(chosen, "kim-00"), below=chosen) as file:
            assert file.read() == found[0].read()


def test_nothing_above_the_place_can_be_named(place: Path, elsewhere: Path) -> None:
    for path in (place / ".." / "elsewhere" / "work.zip", place / "kim-00" / ".." / ".." / "elsewhere" / "work.zip"):
        with pytest.raises(OSError, match="it leads out of the folder"):
            files.open_regular(path, below=place)
    with pytest.raises(ValueError, match="is not in the subpath"):
        files.open_regular(elsewhere / "work.zip", below=place)


def test_a_folder_that_was_handed_in_as_a_link_is_told_to_its_student(
    place: Path, elsewhere: Path, tmp_path: Path
) -> None:
    """What was a link from the beginning is what was handed in, and not a fault of this run."""
    swapped(place / "kim-01", elsewhere)
    skipped: list[Skipped] = []
    assert len(list(places.notebooks(place, skipped, limit=1 << 24))) == len(STUDENTS) - 1
    assert [(entry.reason, entry.ours) for entry in skipped] == [
        ("it is a symbolic link; put the folder itself there", False)
    ]


def test_no_descriptor_is_left_open(place: Path, elsewhere: Path) -> None:
    SWAPS["student"](place, "kim-01", elsewhere)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        found = list(places.notebooks(place, [], limit=1 << 24))
        with pytest.raises(files.NotAFileError):
            files.open_regular(place / "kim-02", below=place)
        assert all(outcome(file) for file in found)
        with pytest.raises(files.LinkError):
            files.open_regular(of(place, "kim-01"), below=place)
    assert len(os.listdir("/proc/self/fd")) == before
