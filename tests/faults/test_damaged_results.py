"""Results that something damaged: every verb that reads them names them, and no sum without them looks complete.

A class is graded, each of its students is given a damage of their own in one of two results, and every verb is run
once about the whole class. So it is also found out whether one damage hides another, and whether the rest goes on.
"""

from __future__ import annotations

import csv
import html
import json
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from faulty import Count, Done
from ordinary_user import NOBODY, folder_of_nobody
from sample_class import Work, copy_course, hand_in, source_of

from autograder.cli.command import main
from autograder.course import Course, sources

ONE, TWO = "01_bayes_rule", "02_maximum_likelihood"
Damage = Callable[[Path], None]


# --- Damages ----------------------------------------------------------------------------------------------------------


def cut(share: float) -> Damage:
    def damage(path: Path) -> None:
        content = path.read_bytes().rstrip()
        path.write_bytes(content[: int(len(content) * share)])

    return damage


def content(change: Callable[[bytes], bytes]) -> Damage:
    def damage(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return damage


def values(change: Callable[[dict[str, Any]], object]) -> Damage:
    """Changes what the document says; Python writes NaN and infinity as words, as hand-edited documents have them."""

    def damage(path: Path) -> None:
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))

    return damage


def score(value: object) -> Damage:
    return values(lambda document: document["exercises"][0].update(score=value))


def exercise(**fields: object) -> Damage:
    return values(lambda document: document["exercises"][0].update(fields))


def top(**fields: object) -> Damage:
    return values(lambda document: document.update(fields))


def without(name: str) -> Damage:
    return values(lambda document: document.pop(name))


def instead(make: Callable[[Path], object]) -> Damage:
    """Puts something else in the place of the document."""

    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def instead_of_the_folder(make: Callable[[Path], object]) -> Damage:
    """Puts something else in the place of all that the student has."""

    def damage(path: Path) -> None:
        shutil.rmtree(path.parent)
        make(path.parent)

    return damage


def literal(text: str) -> Damage:
    """Puts this in the place of a score, as it stands."""
    return content(lambda old: re.sub(rb'"score": [0-9.]+', b'"score": ' + text.encode(), old, count=2))


def listening(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the whole path may be longer than a socket's name
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


def huge(path: Path) -> None:
    os.truncate(path, 1 << 34)


def twice(document: dict[str, Any]) -> None:
    document["exercises"].append(document["exercises"][0])


def reply(**fields: object) -> Damage:
    return exercise(reply={"question": "", "comment": "", "points": None, "earned": 0.0, **fields})


def checks(change: Callable[[dict[str, Any]], object]) -> Damage:
    return values(lambda document: change(document["exercises"][0]))


NOT_WRITTEN_BY_US = "not as `grade` writes it"
NOT_JSON = "is not JSON"
BREAKS_OFF = "breaks off in the middle"

# A name, which the student has as well; the words that say what is wrong; and the damage.
DAMAGES: dict[str, tuple[str, Damage]] = {
    **{f"cut-at-{share}": (BREAKS_OFF, cut(share / 1000)) for share in (1, 100, 300, 500, 700, 900, 999)},
    "empty": ("it is empty", content(lambda old: b"")),
    "blank": ("it is empty", content(lambda old: b" \n" * 50)),
    "zeros": (NOT_JSON, content(lambda old: b"\0" * len(old))),
    "not-utf8": (NOT_JSON, content(lambda old: old.replace(b'"student": "', b'"student": "\xff'))),
    "utf16": (NOT_JSON, content(lambda old: old.decode().encode("utf-16"))),
    "conflict": (NOT_JSON, content(lambda old: b"<<<<<<< HEAD\n" + old)),
    "two-in-one": (NOT_JSON, content(lambda old: old + old)),
    "brackets": ("nested too deeply", content(lambda old: b'{"a": ' + b"[" * 100_000)),
    "nested": ("nested too deeply", content(lambda old: b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")),
    "null": (NOT_WRITTEN_BY_US, content(lambda old: b"null")),
    "a-list": (NOT_WRITTEN_BY_US, content(lambda old: b"[" + old + b"]")),
    "a-number": (NOT_WRITTEN_BY_US, content(lambda old: b"7")),
    "no-fields": ("", content(lambda old: b"{}")),
    "huge": ("more than 16 MB", huge),
    "nan": (NOT_JSON, literal("NaN")),
    "infinity": (NOT_JSON, literal("Infinity")),
    "minus-infinity": (NOT_JSON, literal("-Infinity")),
    "out-of-range": (NOT_WRITTEN_BY_US, literal("1e400")),
    "many-digits": (NOT_WRITTEN_BY_US, literal("9" * 5000)),
    "hundreds-of-digits": (NOT_WRITTEN_BY_US, literal("9" * 400)),
    "score-above": ("of 3 points", score(3.5)),
    "score-below": ("of 3 points", score(-1)),
    "score-a-text": (NOT_WRITTEN_BY_US, score("3")),
    "score-null": (NOT_WRITTEN_BY_US, score(None)),
    "score-a-list": (NOT_WRITTEN_BY_US, score([3])),
    "score-true": (NOT_WRITTEN_BY_US, score(True)),
    "score-lower": ("its exercises make", score(1)),
    "points-huge": ("is worth 999", exercise(points=int("9" * 400))),
    "points-none": ("is worth 0 points", exercise(points=0, score=0)),
    "points-below": ("is worth -3 points", exercise(points=-3, score=-3)),
    "points-a-part": (NOT_WRITTEN_BY_US, exercise(points=2.5)),
    "points-higher": ("its max_score is 20", exercise(points=30)),
    "exercises-an-object": (NOT_WRITTEN_BY_US, top(exercises={"name": "x"})),
    "exercises-null": (NOT_WRITTEN_BY_US, top(exercises=None)),
    "exercises-empty": ("its exercises make 0", top(exercises=[])),
    "exercises-missing": (NOT_WRITTEN_BY_US, without("exercises")),
    "exercise-missing": ("its exercises make", values(lambda document: document["exercises"].pop())),
    "exercise-twice": ("has an exercise twice", values(twice)),
    "exercise-a-text": (NOT_WRITTEN_BY_US, top(exercises=["likelihood"])),
    "verdict-unknown": (NOT_WRITTEN_BY_US, exercise(verdict="excellent")),
    "verdict-missing": (NOT_WRITTEN_BY_US, values(lambda document: document["exercises"][0].pop("verdict"))),
    "reply-above": ("of 3 points", reply(points=300.0)),
    "reply-a-text": (NOT_WRITTEN_BY_US, exercise(reply="well done")),
    "total-higher": ("its score is 99", top(score=99)),
    "total-a-text": ("its score is '20'", top(score="20")),
    "total-missing": ("its score is None", without("score")),
    "most-lower": ("its max_score is 3", top(max_score=3)),
    "status-other": ("its status is 'ungraded'", top(status="ungraded")),
    "ungraded-silent": ("does not say why", top(ungraded="")),
    "ungraded-number": (NOT_WRITTEN_BY_US, top(ungraded=0)),
    "student-other": ("it is the result of another submission ('ada'", top(student="ada")),
    "student-outside": ("it is the result of another submission", top(student="../../ada")),
    "student-missing": (NOT_WRITTEN_BY_US, without("student")),
    "student-a-number": (NOT_WRITTEN_BY_US, top(student=7)),
    "assignment-other": ("it is the result of another submission", top(assignment=ONE)),
    "isolation-null": (NOT_WRITTEN_BY_US, top(isolation=None)),
    "version-later": ("it is of version 3", top(version=3)),
    "version-a-list": ("it is of version", top(version=[2])),
    "checks-missing": (NOT_WRITTEN_BY_US, checks(lambda one: one.pop("checks"))),
    "checks-an-object": (NOT_WRITTEN_BY_US, checks(lambda one: one.update(checks={}))),
    "checks-a-text": (NOT_WRITTEN_BY_US, checks(lambda one: one.update(checks=["passed"]))),
    "check-of-no-fault": ("names a fault", checks(lambda one: one["checks"][0].update(fault=10**300))),
    "faults-without-kinds": ("do not belong together", top(faults=["it fell"])),
    "folder": ("it is not a file", instead(Path.mkdir)),
    "pipe": ("it is not a file", instead(os.mkfifo)),
    "socket": ("the system says", instead(listening)),
    "dangling-link": ("it is a link to nothing", instead(lambda path: path.symlink_to("nowhere.json"))),
    "looping-link": ("the system says", instead(lambda path: path.symlink_to(path.name))),
    "link-to-a-device": ("it is not a file", instead(lambda path: path.symlink_to("/dev/zero"))),
    "link-to-another": (
        "it is the result of another submission ('ada'",
        instead(lambda path: path.symlink_to(f"../ada/{TWO}.json")),
    ),
    "all-a-file": ("it is not the folder of a student", instead_of_the_folder(Path.touch)),
    "all-a-pipe": ("it is not the folder of a student", instead_of_the_folder(os.mkfifo)),
    "all-dangling": ("it is a link to nothing", instead_of_the_folder(lambda path: path.symlink_to("nowhere"))),
    "all-looping": ("the system says", instead_of_the_folder(lambda path: path.symlink_to(path.name))),
}
# What is wrong with the checks alone is of no concern to those who read no checks.
WITHIN_CHECKS = {"checks-missing", "checks-an-object", "checks-a-text", "check-of-no-fault", "faults-without-kinds"}
OF_ALL = {name for name in DAMAGES if name.startswith("all-")}
WELL = ("ada", "bob", "kim")


def damaged_path(folder: Path, name: str) -> Path:
    """What a message about the damage has to name."""
    return folder / "results" / name if name in OF_ALL else folder / "results" / name / f"{TWO}.json"


# --- The class --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("damaged") / "course", (ONE, TWO))


@pytest.fixture(scope="module")
def submitted(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("submitted")
    right: dict[str, dict[str, str | None]] = {
        stem: dict.fromkeys(sources.stubs(source_of(course, stem))) for stem in (ONE, TWO)
    }
    for student in WELL:
        for stem in (ONE, TWO):
            wrong = {"posterior": POSTERIOR} if (student, stem) in (("bob", ONE), ("kim", ONE)) else {}
            hand_in(folder, student, Work({**right[stem], **wrong}, {}).notebook(source_of(course, stem)), stem)
    return folder


POSTERIOR = "def posterior(prior, likelihood):\n    return np.asarray(likelihood) / np.sum(likelihood)"


@pytest.fixture(scope="module")
def graded(course: Course, submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a class, as `grade` writes them."""
    out = tmp_path_factory.mktemp("graded") / "out"
    assert main(["grade", str(submitted), "--out", str(out)], course) == 0
    return out


@pytest.fixture(scope="module")
def whole(graded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A larger class: everybody who is to be damaged has what Ada has."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    shutil.copytree(graded, folder)
    for name in DAMAGES:
        for stem in (ONE, TWO):
            document = json.loads((graded / "results" / "ada" / f"{stem}.json").read_text()) | {"student": name}
            path = folder / "results" / name / f"{stem}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(document, ensure_ascii=False))
    return folder


@pytest.fixture(scope="module")
def damaged(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "out"
    shutil.copytree(whole, folder)
    for name, (_, damage) in DAMAGES.items():
        damage(folder / "results" / name / f"{TWO}.json")
    return folder


class Verbs:
    """Every verb that reads results, run once about the damaged class."""

    def __init__(self, course: Course, damaged: Path, made: Path) -> None:
        self.course, self.damaged, self.made = course, damaged, made
        self._done: dict[str, Done] = {}

    def done(self, verb: str, capsys: pytest.CaptureFixture[str]) -> Done:
        for one in () if self._done else COMMANDS:  # always in this order: a reply changes what comes after it
            code = main([argument.format(out=self.made) for argument in self.command(one)], self.course)
            said = capsys.readouterr()
            self._done[one] = Done(code, said.out, said.err)
        return self._done[verb]

    def command(self, verb: str) -> list[str]:
        name, *options = COMMANDS[verb]
        return [name, str(self.damaged), *options]


COMMANDS = {
    "marks": ["marks"],
    "canvas": ["marks", "--format", "canvas"],
    "gradescope": ["marks", "--format", "gradescope", "--out", "{out}/gradescope"],
    "report": ["report", "--out", "{out}/report.html"],
    "feedback": ["feedback", "--out", "{out}/feedback"],
    "groups": ["groups"],
    "groups as JSON": ["groups", "--json"],
    "reply": ["groups", "--reply", "{out}/replies.toml"],
    "learn": ["learn"],
}
READ_NO_CHECKS = {"groups", "groups as JSON", "reply", "learn"}


@pytest.fixture(scope="module")
def verbs(course: Course, damaged: Path, tmp_path_factory: pytest.TempPathFactory) -> Verbs:
    made = tmp_path_factory.mktemp("made")
    document = json.loads((damaged / "results" / "bob" / f"{ONE}.json").read_text())
    group = next(one["behaviour"] for one in document["exercises"] if one["name"] == "posterior")
    (made / "replies.toml").write_text(reply_to(group))
    return Verbs(course, damaged, made)


def reply_to(group: str) -> str:
    return (
        f'[[reply]]\nassignment = "{ONE}"\nexercise = "posterior"\ngroup = "{group}"\n'
        'comment = "Look at the prior."\npoints = 1\n'
    )


def rows_of(page: str, student: str) -> list[str]:
    """What the tables of a report have about a student, a line for each table."""
    rows = re.findall(r"<tr>.*?</tr>", page, re.DOTALL)
    found = (re.sub(r"<[^>]+>", "|", row) for row in rows if re.search(rf"<th scope=row>{student}</th>", row))
    return [" ".join(html.unescape(row).split()) for row in found]


def looks_complete(verbs: Verbs, verb: str, done: Done, name: str) -> bool:
    """Whether what a verb gives about a student could be taken for the whole."""
    if verb == "marks":
        row = next(row for row in csv.DictReader(done.out.splitlines()) if row["student"] == name)
        return bool(row["total"] or row[TWO]) or not row["status"].startswith("incomplete")
    if verb == "canvas":
        row = next(row for row in csv.DictReader(done.out.splitlines()) if row["SIS Login ID"] == name)
        return bool(row[TWO])
    if verb == "gradescope":
        return (verbs.made / "gradescope" / name / TWO).exists()
    if verb == "feedback":
        return (verbs.made / "feedback" / name / TWO).exists() or "cannot be read: no new page for them" not in done.out
    if verb == "report":
        page = (verbs.made / "report.html").read_text()
        rows = rows_of(page, name)
        said = "This report is not complete." in page and f"/{name}" in page.replace("<wbr>", "")
        return not said or "result cannot be read" not in " ".join(rows) or "incomplete" not in rows[-1]
    if verb == "groups as JSON":
        return name not in [one["student"] for one in json.loads(done.out)["unreadable"]]
    return "This is not complete: " not in done.out


CASES = [
    (verb, name) for verb in COMMANDS for name in DAMAGES if not (verb in READ_NO_CHECKS and name in WITHIN_CHECKS)
]


@pytest.mark.parametrize(("verb", "name"), CASES)
def test_what_cannot_be_read_is_named_and_not_summed(
    verbs: Verbs, capsys: pytest.CaptureFixture[str], count: Count, verb: str, name: str
) -> None:
    done = verbs.done(verb, capsys)
    lines = [line for line in done.err.splitlines() if f"{damaged_path(verbs.damaged, name)} cannot be read" in line]
    assert done.code == 1
    assert "Traceback" not in done.out + done.err
    assert len(lines) == 1
    assert DAMAGES[name][0] in lines[0]
    assert f"autograder grade SUBMISSIONS --out {verbs.damaged}" in done.err
    count(f"damaged results ({verb})", 1, wrong=looks_complete(verbs, verb, done, name), silent=len(lines) != 1)


def test_whoever_is_not_damaged_gets_everything(verbs: Verbs, capsys: pytest.CaptureFixture[str]) -> None:
    found = {verb: verbs.done(verb, capsys) for verb in COMMANDS}
    marks = {row["student"]: row for row in csv.DictReader(found["marks"].out.splitlines())}
    assert [(marks[who]["total"], marks[who]["status"]) for who in WELL] == [
        ("40", "complete"),
        ("37", "complete"),
        ("37", "complete"),
    ]
    assert marks.keys() == {*WELL, *DAMAGES}
    assert all(looks_complete(verbs, verb, found[verb], "ada") for verb in ("marks", "canvas", "gradescope"))
    pages = {str(path.parent.relative_to(verbs.made / "feedback")) for path in verbs.made.glob("feedback/*/*/*.html")}
    of_one = {f"{name}/{ONE}" for name in DAMAGES if name not in OF_ALL}
    assert pages == {f"{who}/{stem}" for who in WELL for stem in (ONE, TWO)} | of_one
    assert "comment and 1 point for 2 students" in found["reply"].out
    assert "posterior: 2 wrong answers in 1 group" in " ".join(found["groups"].out.split())
    assert "|40|" in rows_of((verbs.made / "report.html").read_text(), "ada")[-1].replace(" ", "")


@pytest.mark.parametrize("name", DAMAGES)
def test_a_single_damage_is_enough_for_exit_code_1(
    course: Course, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    for student in ("ada", name):
        shutil.copytree(whole / "results" / student, tmp_path / "results" / student)
    DAMAGES[name][1](tmp_path / "results" / name / f"{TWO}.json")
    assert main(["marks", str(tmp_path)], course) == 1
    said = capsys.readouterr()
    marks = {row["student"]: row for row in csv.DictReader(said.out.splitlines())}
    assert (marks["ada"]["total"], marks[name]["total"]) == ("40", "")
    assert said.err.count("cannot be read as a result: ") == 1


def test_when_nothing_can_be_read_every_verb_still_says_so(
    course: Course, graded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for student in ("ada", "bob"):
        path = tmp_path / "out" / "results" / student / f"{TWO}.json"
        path.parent.mkdir(parents=True)
        path.write_text("{")
    for command in COMMANDS.values():
        if "--reply" in command or "gradescope" in command:
            continue
        name, *options = [part.format(out=tmp_path) for part in command]
        assert main([name, str(tmp_path / "out"), *options], course) == 1, command
        said = capsys.readouterr()
        assert said.err.count("breaks off in the middle") == 2 and "2 results cannot be read" in said.err
    page = (tmp_path / "report.html").read_text()
    assert "0 submissions, none graded" in page and page.count("result cannot be read") == 2


def test_what_systems_and_editors_leave_is_no_result(
    course: Course, graded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(graded, tmp_path / "out")
    results = tmp_path / "out" / "results"
    for stray in (".DS_Store", f"ada/._{TWO}.json", f"ada/.{TWO}.json.1.x.part", "ada/notes.txt"):
        (results / stray).write_text("{")
    assert main(["marks", str(tmp_path / "out")], course) == 0
    assert [row["total"] for row in csv.DictReader(capsys.readouterr().out.splitlines())] == ["40", "37", "37"]


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Without the rights of root, as far as files go; nothing to do for anybody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("verb", ["marks", "groups", "learn"])
@pytest.mark.parametrize("closed", [f"ada/{TWO}.json", "ada"])
def test_what_may_not_be_read_is_named(
    course: Course, graded: Path, capsys: pytest.CaptureFixture[str], verb: str, closed: str
) -> None:
    assert main([verb, str(graded)], course) == 0  # it imports what it needs, with the rights of whoever runs the tests
    capsys.readouterr()
    with folder_of_nobody() as folder:
        shutil.copytree(graded, folder / "out")
        for path in (folder / "out").rglob("*"):
            os.chown(path, NOBODY, NOBODY)
        (folder / "out" / "results" / closed).chmod(0)
        copied = Course(folder / "course")
        with as_ordinary_user():
            code = main([verb, str(folder / "out")], copied if verb == "marks" else course)
    said = capsys.readouterr()
    assert code == 1
    assert f"results/{closed} cannot be read as a result: the system says “Permission denied”." in said.err


# --- Who is not graded ------------------------------------------------------------------------------------------------


def test_whoever_is_not_graded_has_no_total_either(
    course: Course, graded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(graded, tmp_path / "out")
    path = tmp_path / "out" / "results" / "bob" / f"{TWO}.json"
    nothing = {"score": 0.0, "max_score": 0, "exercises": [], "status": "ungraded", "ungraded": "the machine failed"}
    path.write_text(json.dumps(json.loads(path.read_text()) | nothing))
    assert main(["marks", str(tmp_path / "out")], course) == 0
    said = capsys.readouterr()
    marks = {row["student"]: row for row in csv.DictReader(said.out.splitlines())}
    assert (marks["bob"]["total"], marks["bob"]["status"]) == ("", f"incomplete ({TWO} not graded)")
    assert f"bob/{TWO} has no mark: the machine failed" in said.err
    assert main(["report", str(tmp_path / "out"), "--out", str(tmp_path / "report.html")], course) == 0
    page = (tmp_path / "report.html").read_text()
    assert "incomplete" in rows_of(page, "bob")[-1] and "not graded" in rows_of(page, "bob")[-1]
    assert "1 submission not graded: no number counts it." in " ".join(page.split())


# --- What is kept beside the results ----------------------------------------------------------------------------------


def points(text: str) -> Damage:
    return content(lambda old: re.sub(rb"points = [0-9.]+", b"points = " + text.encode(), old))


BESIDE: dict[str, Damage] = {
    "empty": content(lambda old: b""),
    "not-utf8": content(lambda old: old + b"\xff\xfe"),
    "folder": instead(Path.mkdir),
    "pipe": instead(os.mkfifo),
    "dangling-link": instead(lambda path: path.symlink_to("nowhere")),
    "looping-link": instead(lambda path: path.symlink_to(path.name)),
    "huge": huge,
}
REPLIES: dict[str, Damage] = {
    **BESIDE,
    "cut": cut(0.8),
    "nested": content(lambda old: old + b"x = " + b"[" * 100_000),
    "many-digits": points("9" * 5000),
    "nan": points("nan"),
    "infinity": points("inf"),
    "below": points("-1"),
    "a-text": points('"1"'),
}
TABLES: dict[str, Damage] = {
    **BESIDE,
    "cut": cut(0.8),
    "nothing-but-words": content(lambda old: b"to be done\n"),
    "an-endless-cell": content(lambda old: old + b"x" * 200_000 + b"\n"),
}


@pytest.fixture(scope="module")
def replied(course: Course, graded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with a reply in them."""
    folder = tmp_path_factory.mktemp("replied") / "out"
    shutil.copytree(graded, folder)
    group = json.loads((graded / "results" / "bob" / f"{ONE}.json").read_text())["exercises"]
    name = next(one["behaviour"] for one in group if one["name"] == "posterior")
    (folder.parent / "given.toml").write_text(reply_to(name))
    assert main(["groups", str(folder), "--reply", str(folder.parent / "given.toml")], course) == 0
    return folder


@pytest.mark.parametrize("verb", ["groups", "grade"])
@pytest.mark.parametrize("name", REPLIES)
def test_replies_that_cannot_be_read_change_nothing(
    course: Course,
    replied: Path,
    submitted: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    count: Count,
    verb: str,
    name: str,
) -> None:
    shutil.copytree(replied, tmp_path / "out")
    REPLIES[name](tmp_path / "out" / "replies.toml")
    call = ["groups", str(tmp_path / "out")] if verb == "groups" else ["grade", str(submitted), "--out"]
    code = main(call if verb == "groups" else [*call, str(tmp_path / "out")], course)
    said = capsys.readouterr()
    assert code in (1, 2)
    before, after = (
        {path.relative_to(folder): path.read_bytes() for path in folder.glob("results/*/*.json")}
        for folder in (replied, tmp_path / "out")
    )
    silent = str(tmp_path / "out" / "replies.toml") not in said.err
    count("damaged replies", 1, wrong=before != after, silent=silent)


def as_it_is(path: Path) -> tuple[int, ...]:
    found = os.lstat(path)
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_marks_that_cannot_be_brought_up_to_date_is_named(
    course: Course, replied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], count: Count, name: str
) -> None:
    shutil.copytree(replied, tmp_path / "out")
    group = re.findall(r'group = "(.*)"', (replied.parent / "given.toml").read_text())[0]
    table = tmp_path / "out" / "grades.csv"
    TABLES[name](table)
    there = as_it_is(table)
    code = main(["groups", str(tmp_path / "out"), "--forget", group], course)
    said = capsys.readouterr()
    assert code == 1 and as_it_is(table) == there
    assert "2 results changed" in said.out
    count("damaged tables of marks", 1, silent=f"{table} is not as `grade` wrote it" not in said.out)


# --- The next run of grade --------------------------------------------------------------------------------------------


def test_grading_again_makes_anew_what_is_damaged_and_says_so(
    course: Course,
    damaged: Path,
    submitted: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    count: Count,
) -> None:
    shutil.copytree(damaged / "results" / "ada", tmp_path / "out" / "results" / "ada")
    shutil.copytree(submitted / "ada", tmp_path / "in" / "ada")
    for name in REPAIRED:
        shutil.copytree(submitted / "ada" / TWO, tmp_path / "in" / name / TWO)
        path = tmp_path / "out" / "results" / name / f"{TWO}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text((tmp_path / "out" / "results" / "ada" / path.name).read_text().replace('"ada"', f'"{name}"'))
        DAMAGES[name][1](path)
    before = (tmp_path / "out" / "results" / "ada" / f"{TWO}.json").read_bytes()
    main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out")], course)
    said = capsys.readouterr()
    shown = " ".join(f"{said.out} {said.err}".split())
    assert "Traceback" not in shown

    blocked = [name for name in REPAIRED if name in BLOCKED]
    for name in blocked:  # nothing of it is ours to remove
        assert f"{damaged_path(tmp_path / 'out', name)}" in shown and "its result cannot be written" in shown
    anew = [name for name in REPAIRED if name not in BLOCKED]
    unsaid = [name for name in anew if not re.search(rf"/{name}/{TWO}\.json cannot be read as a result: ", said.err)]
    scores = {name: json.loads((tmp_path / "out" / "results" / name / f"{TWO}.json").read_text()) for name in anew}
    wrong = [name for name, document in scores.items() if (document["student"], document["score"]) != (name, 20)]
    assert (tmp_path / "out" / "results" / "ada" / f"{TWO}.json").read_bytes() == before
    count("damaged results (grade)", len(REPAIRED), wrong=len(wrong), silent=len(unsaid))


BLOCKED = {"folder", "all-a-file", "all-a-pipe", "all-dangling", "all-looping"}
REPAIRED = [
    *("cut-at-1", "cut-at-700", "empty", "not-utf8", "huge", "nan", "brackets", "score-above", "exercises-null"),
    *("student-other", "version-later", "checks-missing", "pipe", "socket", "dangling-link", "looping-link"),
    *("link-to-another", "folder", "all-a-file", "all-dangling"),
]


def test_grading_without_the_replies_that_results_have_says_whose_are_gone(
    course: Course, replied: Path, submitted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(replied, tmp_path / "out")
    (tmp_path / "out" / "replies.toml").write_text("# cut where a reply began\n")
    assert main(["grade", str(submitted), "--out", str(tmp_path / "out")], course) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"replies.toml has no reply any more to answers of bob ({ONE}), kim ({ONE})" in said
    assert main(["grade", str(submitted), "--out", str(tmp_path / "out")], course) == 0
    assert "no reply any more" not in capsys.readouterr().out


def test_explaining_says_that_a_result_of_the_same_code_may_be_among_those_that_cannot_be_read(
    course: Course, graded: Path, submitted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(graded, tmp_path / "out")
    (tmp_path / "out" / "results" / "bob" / f"{TWO}.json").write_text("{")
    shutil.copytree(submitted / "ada" / TWO, tmp_path / "in" / "stranger" / TWO)
    notebook = tmp_path / "in" / "stranger" / TWO / f"{TWO}.ipynb"
    notebook.write_text(notebook.read_text().replace("import numpy", "ours = 1\\nimport numpy", 1))
    main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--explain"], course)
    said = " ".join(capsys.readouterr().out.split())
    assert "has no result of this code" in said
    assert "1 result cannot be read, and may be of this code, too." in said
