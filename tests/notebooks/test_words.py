"""Decisions about the words of the notebooks that are easily forgotten when one of them is edited."""

from __future__ import annotations

import re

import pytest

from autograder.course import Course, sources

COURSE = Course.default()
STEMS = COURSE.stems()
LONGEST = 230  # words in a cell, a formula being one word and tables none: more has to be scrolled
HOURS = {2: "two hours", 2.5: "two and a half hours", 3: "three hours"}


def texts(stem: str) -> dict[str, str]:
    """The markdown cells of a source notebook by name, in order; sample answers left out."""
    cells = sources.read(COURSE.source(stem)).cells
    return {cell.id: cell.source for cell in cells if cell.cell_type == "markdown" and not cell.id.endswith("-answer")}


def words(text: str) -> int:
    """The number of words in a cell."""
    prose = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    return len(re.sub(r"\$\$.*?\$\$|\$[^$]*\$", "formula", prose, flags=re.DOTALL).split())


def plan(stem: str) -> list[list[str]]:
    """The rows of the table of contents: section, exercises, points, minutes."""
    rows = [
        [part.strip() for part in line.strip("|").split("|")]
        for line in texts(stem)["plan"].splitlines()
        if line.startswith("| ")
    ]
    return rows[1:]


def rows_of_sections(stem: str) -> list[tuple[str, list[str]]]:
    """The sections of a notebook, each with the functions that its exercises ask for."""
    found: list[tuple[str, list[str]]] = []
    for text in texts(stem).values():
        for line in text.splitlines():
            if re.match(r"## \d", line):
                found.append((line.removeprefix("## "), []))
            elif line.startswith("### Exercise"):
                found[-1][1].extend(re.findall(r"`(\w+)`", line))
    return found


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_no_cell_is_too_long(stem: str) -> None:
    assert {name: words(text) for name, text in texts(stem).items() if words(text) > LONGEST} == {}


@pytest.mark.parametrize("stem", STEMS)
def test_every_exercise_says_once_what_hidden_checks_look_at(stem: str) -> None:
    tasks = {
        name: text.count("*Hidden checks look at:*") for name, text in texts(stem).items() if "### Exercise" in text
    }
    assert tasks and set(tasks.values()) == {1}, tasks


@pytest.mark.parametrize("stem", STEMS)
def test_the_beginning_says_that_hidden_checks_follow_when_the_notebook_is_graded_and_how_to_hand_in(stem: str) -> None:
    text = texts(stem)["how-it-works"]
    assert "hen the notebook is graded, *hidden checks*" in text
    assert "To hand in, save, and run `checks.hand_in()` in a new cell at the end" in text
    if stem != STEMS[0]:
        assert text.startswith(texts(STEMS[1])["how-it-works"]), "from notebook 2 on it is the same text"


@pytest.mark.parametrize("stem", STEMS)
def test_the_beginning_says_what_may_be_used_and_that_a_mistake_there_costs_once(stem: str) -> None:
    text = texts(stem)["how-it-works"]
    assert "An exercise may build on the earlier ones that it names after *May use*." in text
    assert "what builds on it is graded with a right one in its place: the mistake costs once." in text
    assert "Mistakes in any other function that you call count again." in text


def test_the_tour_and_the_readme_say_what_may_be_used_and_what_is_no_try() -> None:
    [tour] = COURSE.tours()
    readme = " ".join((COURSE.root / "README.md").read_text(encoding="utf-8").split())
    assert "Some exercises build on earlier ones, and name them after **May use**." in texts(tour)["progress-text"]
    assert "And a stub left empty, or an answer that is always the same, is not a try." in texts(tour)["progress-text"]
    assert 'Some exercises build on earlier ones, and name them after "May use".' in readme
    for text in (texts(tour)["progress-text"], readme):
        assert "what builds on it is graded with a right one in its place: a mistake costs once." in text


@pytest.mark.parametrize("stem", STEMS)
def test_what_may_be_used_stands_before_what_hidden_checks_look_at(stem: str) -> None:
    lines = [text.partition("*Hidden checks look at:*")[0] for text in texts(stem).values() if "*May use:*" in text]
    assert lines and all(re.search(r"^\*May use:\* your `.*`\.\n\n\Z", text, re.MULTILINE) for text in lines)


@pytest.mark.parametrize("stem", STEMS)
def test_the_plan_agrees_with_sections_exercises_and_points(stem: str) -> None:
    assert [(row[0], re.findall(r"`(\w+)`", row[1])) for row in plan(stem)] == rows_of_sections(stem)
    points = {
        function: exercise.points
        for exercise in sources.exercises(sources.read(COURSE.source(stem)))
        for function in exercise.functions[:1]
    }
    for _, exercises, worth, _ in plan(stem):
        assert sum(points.get(name, 0) for name in re.findall(r"`(\w+)`", exercises)) == int(worth or 0)


@pytest.mark.parametrize("stem", STEMS)
def test_the_plan_says_how_long_it_takes(stem: str) -> None:
    minutes = sum(int(row[3]) for row in plan(stem))
    assert (
        f"That is about {HOURS[round(minutes / 30) / 2]}; each section is a good place for a break."
        in texts(stem)["plan"]
    )


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_one_spelling_and_no_talk_about_what_we_did_not_have(stem: str) -> None:
    prose = "\n".join(texts(stem).values())
    assert re.findall(r"\blearnt\b|\bour cop(?:y|ies)\b|\bAdélie", prose) == []  # Adelie, as the data have it


def test_the_first_screen_of_the_tour_says_that_nothing_is_graded_and_maps_the_course() -> None:
    [tour] = COURSE.tours()
    title, course_map, *_ = texts(tour).values()
    assert "**Nothing in it is graded.**" in title and words(title) < 60
    assert tuple(re.findall(r"^\| \[[^]]+\]\((\w+)\.ipynb\)", course_map, re.MULTILINE)) == STEMS


def test_what_the_tour_quotes_is_what_checks_say() -> None:
    [tour] = COURSE.tours()
    assert '"not attempted yet"' in texts(tour)["check-text"]
    assert "goes on past what is not finished" in texts(tour)["check-text"]


@pytest.mark.parametrize("stem", STEMS)
def test_where_a_slider_cannot_be_a_line_says_so(stem: str) -> None:
    cells = [cell.source for cell in sources.read(COURSE.source(stem)).cells if "from ipywidgets import" in cell.source]
    assert all(
        'except ImportError:\n    print("ipywidgets is not installed: no slider here, but the figure above shows '
        in code
        for code in cells
    )


# --- That these tests can fail ----------------------------------------------------------------------------------------


def test_words_are_counted_without_tables_and_with_a_formula_as_one() -> None:
    assert words("Two $a + b$ words\n\n| a | table |\n|---|---|\n\n$$x\n= 1$$ end") == 5
