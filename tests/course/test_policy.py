"""Due dates, lateness, extensions, drops, rounding: what course.toml may say and means, and how mistakes are named."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sample_class import copy_course
from sample_course import STEM

from autograder.classroom import marks
from autograder.course import Course, policy
from autograder.course.errors import AuthorError
from autograder.nbgrader_bridge.gradebook import Entry

STEMS = ("01_bayes_rule", "02_maximum_likelihood", "03_naive_bayes")
DUE = datetime(2026, 10, 12, 21, 59, tzinfo=UTC)


def load(folder: Path, text: str) -> policy.Policy:
    (folder / "course.toml").write_text(text)
    return policy.load(folder / "course.toml", STEMS)


def rules(folder: Path, late: str = "", more: str = "") -> policy.Policy:
    return load(folder, f"{more}\n[due]\n01_bayes_rule = 2026-10-12T23:59:00+02:00\n[late]\n{late}")


def taken_off(some: policy.Policy, late: timedelta, score: str = "18") -> Decimal:
    late_by = some.lateness("ada", "01_bayes_rule", DUE + late)
    return some.penalty(late_by, Decimal(score), Decimal(20))


def test_without_a_file_nothing_is_due_and_nothing_is_rounded(tmp_path: Path) -> None:
    none = policy.load(tmp_path / "course.toml", STEMS)
    assert none.due_for("ada", STEM) is None
    assert none.lateness("ada", STEM, DUE) == timedelta(0)
    assert none.rounded(Decimal("17.44")) == Decimal("17.44")


def test_a_due_date_is_a_moment_whichever_way_its_zone_is_given(tmp_path: Path) -> None:
    assert rules(tmp_path).due[STEM] == DUE
    zoned = load(tmp_path, 'timezone = "Europe/Vienna"\n[due]\n01_bayes_rule = 2026-10-12 23:59:00\n')
    assert zoned.due[STEM] == DUE


def test_summer_time_ends_when_the_zone_says(tmp_path: Path) -> None:
    zoned = load(tmp_path, 'timezone = "Europe/Vienna"\n[due]\n01_bayes_rule = 2026-10-26 23:59:00\n')
    assert zoned.due[STEM] == datetime(2026, 10, 26, 22, 59, tzinfo=UTC)


def test_without_a_late_policy_nothing_is_taken_off(tmp_path: Path) -> None:
    assert taken_off(rules(tmp_path), timedelta(days=30)) == 0


def test_every_day_begun_costs_a_share_of_the_points(tmp_path: Path) -> None:
    late = rules(tmp_path, "percent_per_day = 10")
    costs = {
        timedelta(0): 0,
        timedelta(seconds=1): 2,
        timedelta(days=1): 2,
        timedelta(days=1, seconds=1): 4,
        timedelta(days=99): 18,
    }
    assert {time: taken_off(late, time) for time in costs} == costs


def test_within_the_grace_period_nothing_is_taken_off_and_after_it_everything_counts(tmp_path: Path) -> None:
    late = rules(tmp_path, "percent_per_day = 10\ngrace_minutes = 15")
    assert taken_off(late, timedelta(minutes=15)) == 0
    assert taken_off(late, timedelta(minutes=16)) == 2


def test_after_the_cut_off_nothing_counts(tmp_path: Path) -> None:
    late = rules(tmp_path, "percent_per_day = 10\ncutoff_days = 2")
    assert taken_off(late, timedelta(days=2)) == 4
    assert taken_off(late, timedelta(days=2, seconds=1)) == 18


def test_an_extension_moves_one_students_date(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(
        "[due]\n01_bayes_rule = 2026-10-12T23:59:00+02:00\n"
        '[[extension]]\nstudent = "ada"\nassignment = "01_bayes_rule"\ndays = 3\n'
        '[[extension]]\nstudent = "bob"\nassignment = "01_bayes_rule"\nuntil = 2026-10-14T12:00:00Z\n'
    )
    found = policy.load(tmp_path / "course.toml", STEMS)
    assert found.due_for("ada", STEM) == DUE + timedelta(days=3)
    assert found.due_for("bob", STEM) == datetime(2026, 10, 14, 12, tzinfo=UTC)
    assert found.due_for("eve", STEM) == DUE


@pytest.mark.parametrize(("half", "expected"), [("up", "17.5"), ("even", "17"), ("down", "17")])
def test_a_half_is_rounded_as_the_file_says(tmp_path: Path, half: str, expected: str) -> None:
    rounding = load(tmp_path, f'[marks]\nround_to = 0.5\nround_half = "{half}"\n')
    assert rounding.rounded(Decimal("17.25")) == Decimal(expected)
    assert rounding.rounded(Decimal("17.26")) == Decimal("17.5")


def test_the_lowest_share_is_dropped_and_one_assignment_always_counts(tmp_path: Path) -> None:
    dropping = load(tmp_path, "[marks]\ndrop_lowest = 1\n")
    assert dropping.counted({"a": Decimal("0.2"), "b": Decimal("0.9"), "c": Decimal("0.5")}) == {"b", "c"}
    assert dropping.counted({"a": Decimal(0)}) == {"a"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "[due]\n01_bayes_rule = 2026-10-12 23:59:00",
            "the due date of 01_bayes_rule, 2026-10-12 23:59:00, has no time zone. Add the offset",
        ),
        (
            "[due]\n01_bayes_rule = 2026-10-12",
            "the due date of 01_bayes_rule is 2026-10-12; write date and time, such as 2026-10-12T23:59:00",
        ),
        ('[due]\n01_bayes_rule = "tomorrow"', "the due date of 01_bayes_rule is 'tomorrow'; write date and time"),
        (
            "[due]\n01_bayes = 2026-10-12T23:59:00Z",
            "due date for '01_bayes', which is not an assignment; did you mean '01_bayes_rule'?",
        ),
        ('timezone = "Vienna"', "there is no time zone 'Vienna'. Write it like"),
        ("[late]\nper_day = 10", "'per_day' in .late. is not known. Known are: percent_per_day"),
        ("[late]\npercent_per_day = -1", "percent_per_day in .late. is -1; it must be a number from 0 to 100"),
        ("[late]\npercent_per_day = 110", "percent_per_day in .late. is 110; it must be a number from 0 to 100"),
        ("[marks]\nround_to = 0", "round_to in .marks. is 0; it must be a number from 0.001 to 100000"),
        ('[marks]\nround_half = "often"', 'round_half in .marks. is \'often\'; it must be "up", "even" or "down"'),
        ("[marks]\ndrop_lowest = 1.5", "drop_lowest in .marks. is 1.5; it must be a whole number, 0 or more"),
        ("duedates = 1", "'duedates' in the file is not known. Known are: timezone, students"),
        ("due = 5", "due is 5; it must be a table"),
        ("packages = 5", "there is 5 where .packages. should be; it must be a table"),
        ('[packages]\nallow = "scipy"', "allow in .packages. is 'scipy'; it must be a list of names, such as"),
        ("[packages]\nforbid = []", "'forbid' in .packages. is not known. Known are: allow"),
        ("limits = 5", "there is 5 where .limits. should be; it must be a table"),
        ("[limits]\ncall_seconds = nan", "call_seconds in .limits. is nan; it must be a number above zero"),
        ("[limits]\ncall_seconds = inf", "call_seconds in .limits. is inf; it must be a number above zero"),
        (
            "[due]\n01_bayes_rule = 0001-01-01T00:00:00+14:00",
            "the due date of 01_bayes_rule is in the year 1. Correct the year",
        ),
        (
            "[due]\n01_bayes_rule = 9999-12-31T23:59:00-02:00",
            "the due date of 01_bayes_rule is in the year 9999. Correct the year",
        ),
        ("[late]\ngrace_minutes = 1e300", "grace_minutes in .late. is 1e.300; it must be a number from 0 to 100000"),
        ("[late]\ncutoff_days = inf", "cutoff_days in .late. is inf; it must be a number from 0 to 100000"),
        ("[marks]\nround_to = 1e-30", "round_to in .marks. is 1e-30; it must be a number from 0.001"),
        ("extension = [1]", "there is 1 where ..extension.. should be; it must be a table"),
        (
            "[due]\n01_bayes_rule = 2026-10-12T23:59:00Z\n"
            '[[extension]]\nstudent = "ada"\nassignment = "01_bayes_rule"\ndays = 1e9',
            "days in ..extension.. is 1000000000.0; it must be a number from 0 to 100000",
        ),
        ("[due", "is not a TOML file"),
        (
            '[[extension]]\nstudent = "ada"\nassignment = "01_bayes_rule"\ndays = 1',
            "extends nothing: 01_bayes_rule has no date in .due.",
        ),
        ('[[extension]]\nstudent = "ada"', "each ..extension.. needs student and assignment"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(AuthorError, match=words):
        load(tmp_path, text)


def course_that_allows(root: Path, *names: str) -> Course:
    course = copy_course(root / "course")
    (course.root / "course.toml").write_text(f"[packages]\nallow = {list(names)!r}\n")
    return course


def test_packages_are_allowed_by_the_course_unless_the_class_decides(tmp_path: Path) -> None:
    course = course_that_allows(tmp_path, "sklearn", "scipy")
    assert policy.allowed(course) == ("scipy", "sklearn")
    assert policy.allowed(course, load(tmp_path, "").allowed) == ("scipy", "sklearn")
    assert policy.allowed(course, load(tmp_path, "[packages]\nallow = []").allowed) == ()


def test_a_package_that_needs_no_permission_is_named(tmp_path: Path) -> None:
    with pytest.raises(AuthorError, match="allows 'scikit-learn', which is not one of those that answers do without: "):
        policy.allowed(course_that_allows(tmp_path, "scikit-learn"))


def test_a_package_that_is_allowed_and_not_installed_is_named(tmp_path: Path) -> None:
    course = course_that_allows(tmp_path, "no_such_package")
    (course.checks / "packages.py").write_text('WITHOUT = ("no_such_package",)\n')
    assert policy.allowed_names(course) == ("no_such_package",)
    with pytest.raises(AuthorError, match="allows no_such_package, which is not installed here"):
        policy.allowed(course)


def test_an_extension_for_an_unknown_student_is_named(tmp_path: Path) -> None:
    extended = rules(tmp_path, more="")
    extended = policy.Policy(due=extended.due, extensions={("adda", STEM): DUE})
    with pytest.raises(
        AuthorError,
        match=r"extension of 01_bayes_rule for 'adda', who is not a student of this course; did you mean 'ada'\? "
        "Correct",
    ):
        extended.check_students(["ada", "bob"])


def test_marks_are_rounded_once_and_after_everything_else(tmp_path: Path) -> None:
    half = load(tmp_path, "[marks]\nround_to = 0.5\n")
    entries = [Entry("ada", name, Decimal("17.2"), Decimal(20), None, False) for name in STEMS]
    found = marks.compute(entries, half, dict.fromkeys(STEMS, Decimal(20)), {})
    assert found.of("ada", STEM) == 17
    assert found.total("ada") == Decimal("51.5")  # 51.6, not three times 17
