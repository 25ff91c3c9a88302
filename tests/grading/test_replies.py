"""One reply to all who answered alike: what a file may say, what it does to results and marks, and what undoes it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sample_class import SHORT, copy_course, documents, hand_in, source_of
from whole_class import BODY, right_except

from autograder.classroom import replying
from autograder.course import Course, notebook
from autograder.course.errors import AuthorError, UsageError
from autograder.course.model import ExerciseResult, Reply, Result, Verdict
from autograder.grading import reading, store
from autograder.grading.grade import Options, Run, grade
from autograder.grading.groups import replies
from autograder.grading.groups.grouping import groups
from autograder.grading.groups.replies import Replies, Stanza

STEM = "01_bayes_rule"
HERE, ALIKE, OTHERWISE = "posterior", "3fa9c1d2e4b5a697", "77aa77aa77aa77aa"
STANZA = Stanza(STEM, HERE, ALIKE, "Why?", "Look at the *prior*.", 1.5)
HEAD = f'[[reply]]\nassignment = "{STEM}"\nexercise = "{HERE}"\ngroup = "{ALIKE}"\n'


def answer(behaviour: str, score: float = 0.5, **more: object) -> ExerciseResult:
    wrong = ExerciseResult(HERE, score, 3, Verdict.FAILED, (), behaviour=behaviour, question="Does it move?")
    return replace(wrong, **more)  # type: ignore[arg-type]


def result(student: str, *exercises: ExerciseResult, stem: str = STEM) -> Result:
    return Result(student, stem, "strong", exercises)


def file(folder: Path, text: str) -> Path:
    path = folder / "given.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results of two who answered alike, one who did not, and one who handed in nothing."""
    some = [result("ada", answer(ALIKE)), result("=bob", answer(ALIKE, 0.0)), result("eve", answer(OTHERWISE))]
    for one in some:
        store.write(tmp_path, one)
    (tmp_path / "grades.csv").write_text(store.table(some[1:], [("kim", STEM)], earlier=some[:1]))
    return tmp_path


def scores(folder: Path) -> dict[str, float]:
    return {one.student: one.score for one in reading.in_folder(folder).apart()[0]}


# --- What a reply does ------------------------------------------------------------------------------------------------


def test_a_reply_goes_to_all_who_answered_alike_and_to_nobody_else(folder: Path) -> None:
    untouched = store.path_of(folder, "eve", STEM).read_bytes()
    done = replying.reply(folder, Course(folder), file(folder, HEAD + 'comment = "Look."\npoints = 1.5\n'))
    assert scores(folder) == {"=bob": 1.5, "ada": 1.5, "eve": 0.5}
    ada = reading.in_folder(folder).apart()[0][1].exercises[0]
    assert (ada.reply, ada.question) == (Reply("", "Look.", 1.5, 0.5), "Does it move?")
    assert store.path_of(folder, "eve", STEM).read_bytes() == untouched
    assert [(count, done.changed) for _, count in done.concerned] == [(2, 2)]


def test_a_mark_by_hand_is_in_the_table_and_who_is_missing_stays_there(folder: Path) -> None:
    before = (folder / "grades.csv").read_text().splitlines()
    replying.reply(folder, Course(folder), file(folder, HEAD + "points = 2\n"))
    after = (folder / "grades.csv").read_text().splitlines()
    assert after[1] == f"'=bob,{STEM},2,3,graded,2,yes" and after[2] == f"ada,{STEM},2,3,graded,2,no"
    assert (after[0], after[3:]) == (before[0], before[3:])
    assert list(csv.reader(after))[4][4] == "missing"


def test_a_table_that_somebody_has_changed_is_left_alone_and_named(folder: Path) -> None:
    (folder / "grades.csv").write_text("name;mark\n")
    done = replying.reply(folder, Course(folder), file(folder, HEAD + "points = 2\n"))
    assert (folder / "grades.csv").read_text() == "name;mark\n"
    assert done.remarks == [f"{folder / 'grades.csv'} is not as `grade` wrote it, and has none of this: grade again."]


def test_a_reply_without_points_changes_no_mark(folder: Path) -> None:
    table = (folder / "grades.csv").read_bytes()
    replying.reply(folder, Course(folder), file(folder, HEAD + 'question = "Why?"\n'))
    assert scores(folder) == {"=bob": 0.0, "ada": 0.5, "eve": 0.5}
    assert (folder / "grades.csv").read_bytes() == table


def test_a_later_reply_to_a_group_replaces_the_earlier_one(folder: Path) -> None:
    replying.reply(folder, Course(folder), file(folder, HEAD + 'comment = "One."\npoints = 3\n'))
    replying.reply(folder, Course(folder), file(folder, HEAD + 'comment = "Two."\n'))
    assert scores(folder) == {"=bob": 0.0, "ada": 0.5, "eve": 0.5}
    assert [stanza.comment for stanza in replies.load(folder)] == ["Two."]
    assert reading.in_folder(folder).apart()[0][1].exercises[0].reply == Reply("", "Two.", None, 0.5)


def test_a_reply_that_is_taken_back_leaves_no_trace(folder: Path) -> None:
    before = {name: data for name, data in documents(folder).items() if name != "given.toml"}
    replying.reply(folder, Course(folder), file(folder, HEAD + 'comment = "Look."\npoints = 3\n'))
    done = replying.take_back(folder, Course(folder), ALIKE)
    assert done.changed == 2 and [stanza.group for stanza, _ in done.concerned] == [ALIKE]
    after = documents(folder)
    assert b"[[reply]]" not in after.pop(replies.FILE)
    after.pop("given.toml")
    assert after == before


def test_replying_twice_writes_nothing_again(folder: Path) -> None:
    given = file(folder, HEAD + "points = 1\n")
    replying.reply(folder, Course(folder), given)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.json")}
    assert replying.reply(folder, Course(folder), given).changed == 0
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.json")} == before


def test_a_run_that_was_killed_before_the_table_was_written_is_put_right_by_the_next_one(folder: Path) -> None:
    stale = (folder / "grades.csv").read_text()
    given = file(folder, HEAD + "points = 1\n")
    replying.reply(folder, Course(folder), given)
    wanted = (folder / "grades.csv").read_text()
    (folder / "grades.csv").write_text(stale)
    replying.reply(folder, Course(folder), given)
    assert (folder / "grades.csv").read_text() == wanted != stale


def test_a_reply_to_a_group_that_nobody_is_in_any_more_is_kept_and_named(folder: Path) -> None:
    replying.reply(folder, Course(folder), file(folder, HEAD + "points = 1\n"))
    for student in ("ada", "=bob"):
        store.write(folder, result(student, answer(OTHERWISE)))
    assert [stanza.group for stanza in replying.look(folder).left] == [ALIKE]
    kept = replying.reply(folder, Course(folder), folder / replies.FILE)  # it may be edited, and read again
    assert [count for _, count in kept.concerned] == [0]


@pytest.mark.parametrize(
    "other",
    [
        result("ada", answer(OTHERWISE)),
        result("ada", answer(ALIKE), stem="02_other"),
        result("ada", answer(ALIKE, name="prob")),
        result("ada", answer(ALIKE, verdict=Verdict.PASSED)),
        result("ada", answer("")),
    ],
)
def test_a_reply_needs_the_same_assignment_exercise_and_behaviour(other: Result) -> None:
    assert Replies([STANZA]).settle(other) is other


def test_who_behaves_differently_now_gets_back_what_the_checks_gave() -> None:
    settled = Replies([STANZA]).settle(result("ada", answer(ALIKE)))
    moved = replace(settled, exercises=(replace(settled.exercises[0], behaviour=OTHERWISE),))
    assert settled.score == 1.5
    assert Replies([STANZA]).settle(moved) == result("ada", answer(OTHERWISE))


def test_what_the_checks_gave_survives_any_number_of_replies() -> None:
    one = result("ada", answer(ALIKE))
    twice = Replies([replace(STANZA, points=3.0)]).settle(Replies([STANZA]).settle(one))
    assert (twice.score, twice.earned) == (3.0, 0.5)
    assert Replies().settle(twice) == one


def test_no_mark_by_hand_is_above_what_an_exercise_is_worth_now() -> None:
    worth_less = result("ada", answer(ALIKE, points=1))
    assert Replies([STANZA]).settle(worth_less).score == 1.0


# --- What a file may say ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[reply", "is not a TOML file: "),
        ("", "given.toml holds no reply. Start each with a line [[reply]]."),
        ("[replies]\n", "'replies' is not known. Start each reply with a line [[reply]]."),
        ("reply = 3\n", "write each reply as a table of its own that starts with [[reply]]."),
        ("reply = [3]\n", "reply 1: there is 3 where [[reply]] should be; it must be a table."),
        ('[[reply]]\ngroup = "x"\n', "reply 1: each [[reply]] needs assignment and exercise and group."),
        (HEAD, "given.toml, reply 1 says nothing. Give it a question, a comment, or points."),
        (HEAD + 'comment = " "\nquestion = ""\n', "given.toml, reply 1 says nothing."),
        (HEAD + "mark = 3\n", "'mark' in [[reply]] is not known. Known are: assignment, exercise, group, "),
        (HEAD + 'points = "3"\n', "points in [[reply]] is '3'; it must be a number from 0 to 100000."),
        (HEAD + "points = -1\n", "points in [[reply]] is -1; it must be a number from 0"),
        (HEAD + "points = nan\n", "points in [[reply]] is nan; it must be a number from 0"),
        (HEAD + "points = true\n", "points in [[reply]] is True; it must be a number from 0"),
        (HEAD + "points = 3.5\n", "given.toml, reply 1 gives 3.5 points, and posterior is worth 3. Give 0 to 3."),
        (HEAD + "comment = 3\n", "comment in [[reply]] is 3; it must be a text in quotes, of 4000"),
        (HEAD + f'comment = "{"x" * 4001}"\n', "it must be a text in quotes, of 4000 characters at most."),
        (HEAD + "points = 1\n" + HEAD + "points = 2\n", "replies 1 and 2 are to the same group (01_bayes_rule"),
        (
            (HEAD + "points = 1\n").replace(STEM, "01_bayes"),
            "given.toml, reply 1 is to nobody: there are no groups of '01_bayes'. Did you mean '01_bayes_rule'?",
        ),
        (
            (HEAD + "points = 1\n").replace(HERE, "posteriour"),
            "01_bayes_rule has no groups of 'posteriour'. Did you mean 'posterior'?",
        ),
        (
            (HEAD + "points = 1\n").replace("3fa9c1", "3fa9c2"),
            "no answer to posterior is in a group '3fa9c2d2e4b5a697'. Did you mean '3fa9c1d2e4b5a697'?",
        ),
        (
            (HEAD + "points = 1\n").replace(ALIKE, "x"),
            "no answer to posterior is in a group 'x'. Known are: 3fa9c1d2e4b5a697, 77aa77aa77aa77aa.",
        ),
    ],
)
def test_a_file_with_a_mistake_is_refused_whole(text: str, said: str, folder: Path) -> None:
    good = (HEAD + "points = 1\n").replace(ALIKE, OTHERWISE)
    whole = text if text in ("", "[[reply", "reply = 3\n", "reply = [3]\n") else text + good
    given = file(folder, whole)
    before = documents(folder)
    with pytest.raises(AuthorError) as refused:
        replying.reply(folder, Course(folder), given)
    assert said in str(refused.value) and "given.toml" in str(refused.value)
    assert documents(folder) == before


def test_a_file_that_is_not_there_says_where_groups_are_shown(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no file .*x\.toml\. `autograder groups` shows the groups"):
        replying.reply(folder, Course(folder), folder / "x.toml")


def test_taking_back_names_what_was_replied_to(folder: Path) -> None:
    course = Course(folder)
    with pytest.raises(UsageError, match="There is no reply to take back: nothing was replied to any group"):
        replying.take_back(folder, course, ALIKE)
    replying.reply(folder, course, file(folder, HEAD + "points = 1\n"))
    with pytest.raises(UsageError, match="Nothing was replied to a group '3fa9'. Known are: 3fa9c1d2e4b5a697"):
        replying.take_back(folder, course, "3fa9")
    with pytest.raises(UsageError, match="nothing was replied to any group of 02_other"):
        replying.take_back(folder, course, ALIKE, "02_other")


def test_a_group_whose_name_two_exercises_share_is_named_with_its_exercise(tmp_path: Path) -> None:
    both = answer("timed out"), answer("timed out", name="prob")
    store.write(tmp_path, result("ada", *both))
    head = HEAD.replace(ALIKE, "timed out") + "points = 1\n"
    given = file(tmp_path, head + head.replace(HERE, "prob"))
    replying.reply(tmp_path, Course(tmp_path), given)
    with pytest.raises(UsageError, match="There are 2 replies to a group 'timed out'. Name one, and its notebook"):
        replying.take_back(tmp_path, Course(tmp_path), "timed out")
    replying.take_back(tmp_path, Course(tmp_path), "prob:timed out", STEM)
    assert [stanza.exercise for stanza in replies.load(tmp_path)] == [HERE]


HOSTILE = 'a "quoted" \\ back\nslash \x7f\x1b[31m \u202e �\t[[reply]]'


def test_what_is_kept_is_read_again_as_it_was(tmp_path: Path) -> None:
    some = [replace(STANZA, comment=HOSTILE), Stanza(STEM, HERE, "x", points=0.0), Stanza(STEM, "a", "x", HOSTILE)]
    replies.write(tmp_path, Replies(some))
    assert sorted(replies.load(tmp_path), key=lambda one: one.key) == sorted(some, key=lambda one: one.key)


def test_a_template_says_nothing_until_it_is_filled_in_and_then_what_was_replied(tmp_path: Path) -> None:
    (group,) = groups([result("ada", answer(ALIKE))])
    with pytest.raises(AuthorError, match="says nothing"):
        replies.read(file(tmp_path, replies.template(group)))
    filled = replies.template(group).replace('comment = ""', 'comment = "Look."').replace("# points = 0", "points = 1")
    assert replies.read(file(tmp_path, filled)) == [Stanza(STEM, HERE, ALIKE, "", "Look.", 1)]
    (answered,) = groups([Replies([STANZA]).settle(result("ada", answer(ALIKE)))])
    assert replies.read(file(tmp_path, replies.template(answered))) == [STANZA]


# --- A class that is graded, and graded again -------------------------------------------------------------------------

WRONG = BODY + "return np.asarray(likelihood) / np.sum(likelihood)"
THE_SAME = BODY + "total = np.sum(likelihood)\n    return np.asarray(likelihood) / total"
OTHER = BODY + "return np.asarray(prior, float)"


@pytest.fixture(scope="module")
def class_of_three(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, Path]:
    """A course, and the folder with what three students handed in: two of them made the same mistake."""
    root = tmp_path_factory.mktemp("alike")
    course = copy_course(root / "course")
    for student, text in (("ada", WRONG), ("bob", THE_SAME), ("eve", OTHER)):
        hand_in(root / "in", student, right_except(posterior=text).notebook(source_of(course)))
    return course, root / "in"


def run(course: Course, submitted: Path, out: Path, **options: object) -> Run:
    return grade(course, submitted, Options(out, **{"workers": 1, "limits": SHORT, **options}))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def graded(class_of_three: tuple[Course, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("graded")
    run(*class_of_three, out)
    return out


def largest(out: Path) -> str:
    return replying.look(out).groups[0].name


def replied(course: Course, out: Path, points: float = 1.25) -> Path:
    text = HEAD.replace(ALIKE, largest(out)) + f'comment = "Look."\npoints = {points}\n'
    replying.reply(out, course, file(out, text))
    return out


def copied(graded: Path, target: Path) -> Path:
    for name, data in documents(graded).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(data)
    return target


def students_of(out: Path) -> Sequence[Sequence[str]]:
    return [group.students for group in replying.look(out).groups]


def test_two_who_wrote_the_same_mistake_differently_are_one_group(graded: Path) -> None:
    assert students_of(graded) == [("ada", "bob"), ("eve",)]


def test_a_reply_survives_a_regrade_and_one_that_is_forced(
    class_of_three: tuple[Course, Path], graded: Path, tmp_path: Path
) -> None:
    out = replied(class_of_three[0], copied(graded, tmp_path / "out"))
    before = documents(out)
    for force in (False, True):
        again = run(*class_of_three, out, force=force)
        assert {one.student: one.score for one in again.results} == {"ada": 18.25, "bob": 18.25, "eve": 17.0}
        assert again.changes == ()
        assert documents(out) == before


def test_a_reply_survives_a_look_at_changes_and_the_run_that_takes_them_over(
    class_of_three: tuple[Course, Path], graded: Path, tmp_path: Path
) -> None:
    course, submitted = class_of_three
    out = replied(course, copied(graded, tmp_path / "out"))
    before = documents(out)
    assert run(course, submitted, out, changes=True, force=True).changes == ()
    assert {name: data for name, data in documents(out).items() if ".pending" not in name} == before
    replied(course, out, points=3)  # another mark, between the look and the run
    assert {one.student: one.score for one in run(course, submitted, out).results}["ada"] == 20.0
    assert scores(out) == {"ada": 20.0, "bob": 20.0, "eve": 17.0}


def test_explaining_leaves_a_mark_by_hand_alone_and_takes_it_for_no_difference(
    class_of_three: tuple[Course, Path], graded: Path, tmp_path: Path
) -> None:
    course, submitted = class_of_three
    out = replied(course, copied(graded, tmp_path / "out"))
    before = documents(out)
    explained = run(course, submitted, out, explain=True)
    assert explained.changes == () and documents(out) == before


def test_a_result_that_a_killed_run_left_without_its_reply_gets_it_when_it_is_taken_over(
    class_of_three: tuple[Course, Path], graded: Path, tmp_path: Path
) -> None:
    course, submitted = class_of_three
    out = replied(course, copied(graded, tmp_path / "out"))
    store.path_of(out, "ada", STEM).write_bytes(store.path_of(graded, "ada", STEM).read_bytes())
    assert [(one.student, one.after) for one in run(course, submitted, out, changes=True).changes] == [("ada", 18.25)]
    assert scores(out)["ada"] == 17.0
    assert run(course, submitted, out).unchanged == 3
    assert scores(out)["ada"] == 18.25


def test_who_hands_in_another_answer_has_nothing_of_the_reply_any_more(
    class_of_three: tuple[Course, Path], graded: Path, tmp_path: Path
) -> None:
    course, submitted = class_of_three
    out = replied(course, copied(graded, tmp_path / "out"))
    again = copied(submitted, tmp_path / "in")
    changed = right_except(posterior=OTHER).notebook(source_of(course))
    (again / "bob" / STEM / f"{STEM}.ipynb").write_bytes(notebook.dumps(changed))
    run(course, again, out)
    assert scores(out) == {"ada": 18.25, "bob": 17.0, "eve": 17.0}
    assert students_of(out) == [("bob", "eve"), ("ada",)]
    bob = next(one for one in reading.in_folder(out).apart()[0] if one.student == "bob")
    assert all(exercise.reply is None for exercise in bob.exercises)


def test_a_file_of_replies_that_cannot_be_read_stops_grading_before_anything_is_written(
    class_of_three: tuple[Course, Path], graded: Path, tmp_path: Path
) -> None:
    out = copied(graded, tmp_path / "out")
    (out / replies.FILE).write_text(HEAD)
    before = documents(out)
    with pytest.raises(AuthorError, match=r"replies\.toml, reply 1 says nothing"):
        run(*class_of_three, out, force=True)
    assert documents(out) == before
