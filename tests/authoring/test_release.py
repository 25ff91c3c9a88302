"""Released notebooks come from nbgrader's pipeline, byte for byte the same."""

from __future__ import annotations

import zipfile
from pathlib import Path

import minicourse
import pytest
from releasing import SOLUTION, built, bundle, plant, write

from autograder import cli, nbgrader_bridge
from autograder.authoring import leaks, release
from autograder.course import Course, notebook, sources
from autograder.course.errors import SourceError, UsageError

COURSE = Course.default()


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return minicourse.make(tmp_path / "course")


def test_the_course_has_notebooks_to_release() -> None:
    assert COURSE.stems() and COURSE.tours() == ("00_start_here",)


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_released_notebooks_are_in_sync_with_their_sources(stem: str) -> None:
    assert COURSE.released(stem).is_file(), "run `autograder release`"
    assert COURSE.released(stem).read_bytes() == built()[stem], "run `autograder release`"


def test_a_release_has_stubs_instead_of_solutions(course: Course) -> None:
    assert write(course) == ["01_mini.ipynb", "02_more.ipynb"]
    released = notebook.read(course.released("01_mini"))
    cells = {cell.id: cell for cell in released.cells}
    assert list(cells) == [cell.id for cell in sources.read(course.source("01_mini")).cells]
    assert cells["weighted-mean"].source.endswith('"""\n    # YOUR CODE HERE\n    raise NotImplementedError()')
    assert cells["weighted-mean"].source.startswith("def weighted_mean(values, weights):\n")
    assert cells["weighted-mean-check"].source == 'check("weighted_mean")'
    assert cells["reflect-1-answer"].source == "YOUR ANSWER HERE"
    assert all(
        cell.outputs == [] and cell.execution_count is None for cell in released.cells if cell.cell_type == "code"
    )


def test_a_release_carries_nbgraders_own_marks(course: Course) -> None:
    write(course)
    cells = {cell.id: cell for cell in notebook.read(course.released("01_mini")).cells}
    for name in ("weighted-mean", "weighted-mean-check", "reflect-1-answer"):
        assert len(cells[name].metadata.nbgrader.checksum) == 32
        assert cells[name].metadata.deletable is False
    assert cells["weighted-mean-check"].metadata.editable is False
    assert cells["weighted-mean-check"].metadata.nbgrader.points == 3


def test_run_all_goes_past_checks_and_demonstrations_but_stops_at_an_answer_or_before_the_first_exercise(
    course: Course,
) -> None:
    minicourse.edit(course, "01_mini", example={"metadata": {}}, figure={"metadata": {"tags": ["demo"]}})
    write(course)
    goes_on = {cell.id: cell.metadata.get("tags", []) for cell in notebook.read(course.released("01_mini")).cells}
    assert goes_on["weighted-mean-check"] == goes_on["example"] == ["raises-exception"]
    assert goes_on["figure"] == ["demo", "raises-exception"]
    assert goes_on["setup"] == goes_on["weighted-mean"] == []


@pytest.mark.parametrize(
    ("answer", "failed"), [("raise NotImplementedError()", ["weighted-mean-check"]), ("return 2.0", [])]
)
def test_nbgraders_validate_still_sees_a_check_that_fails(course: Course, answer: str, failed: list[str]) -> None:
    from nbgrader.validator import Validator

    write(course, ["01_mini"])
    released = notebook.read(course.released("01_mini"))
    for cell in released.cells:
        cell.source = cell.source.replace("raise NotImplementedError()", answer)
    notebook.write(released, course.released("01_mini"))
    found = Validator().validate(str(course.released("01_mini")))
    assert [cell["source"] for cell in found.get("failed", [])] == ['check("weighted_mean")' for _ in failed]


def test_a_release_says_what_it_is_and_for_which_kernel(course: Course) -> None:
    minicourse.edit(
        course, "01_mini", example={"metadata": {"execution": {"iopub.status.busy": "2024-01-01"}, "tags": ["demo"]}}
    )
    write(course)
    released = notebook.read(course.released("01_mini"))
    assert notebook.stem_of(released) == "01_mini"
    assert released.metadata.kernelspec.name == "python3"
    assert released.metadata.language_info == notebook.LANGUAGE
    assert b"2024" not in course.released("01_mini").read_bytes()


def test_a_second_release_changes_no_byte(course: Course) -> None:
    write(course)
    first = {stem: course.released(stem).read_bytes() for stem in course.stems()}
    assert write(course) == []
    assert release.build(course) == first


def test_one_stem_is_released_alone(course: Course) -> None:
    assert write(course, ["02_more"]) == ["02_more.ipynb"]
    assert not course.released("01_mini").exists()


def test_a_tour_is_released_and_bundled_first_and_its_answer_is_no_secret(course: Course, tmp_path: Path) -> None:
    answer = "    centre = 2 * sum(values) / len(values)\n    return centre - values[0] * 7\n"
    cells = [
        minicourse.markdown("title", f"# Welcome\n\nTry this:\n\n{answer}"),
        minicourse.solution("tour", f"def tour(values):\n    ### BEGIN SOLUTION\n{answer}    ### END SOLUTION"),
        minicourse.check("tour", 0),
    ]
    notebook.write(minicourse.make_notebook("00_start", cells), course.solutions / "00_start.ipynb")
    assert course.tours() == ("00_start",) and course.stems() == ("01_mini", "02_more")
    assert write(course) == ["00_start.ipynb", "01_mini.ipynb", "02_more.ipynb"]
    assert "raise NotImplementedError()" in notebook.read(course.released("00_start")).cells[1].source
    bundle(course, tmp_path / "course.zip")
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        assert "jupyter lab notebooks/00_start.ipynb" in archive.read("README.md").decode()


def test_a_tour_with_points_is_refused(course: Course) -> None:
    cells = [minicourse.solution("spread", minicourse.SPREAD), minicourse.check("spread", 2)]
    notebook.write(minicourse.make_notebook("00_start", cells), course.solutions / "00_start.ipynb")
    with pytest.raises(SourceError, match="00_start, cell spread-check: the points are 2. In a tour they are 0"):
        write(course)


def test_what_an_instructor_handed_in_to_try_it_out_stays_at_home(course: Course) -> None:
    (course.notebooks / "hand_in").mkdir()
    (course.notebooks / "hand_in" / "01_mini.ipynb").write_text(SOLUTION)
    assert write(course, ["01_mini"])
    assert not leaks.belongs("notebooks/hand_in/01_mini.ipynb", course.stems())


def test_a_release_needs_no_program_on_the_path(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert write(course, ["01_mini"]) == ["01_mini.ipynb"]


def test_what_nbgrader_refuses_is_the_authors_mistake() -> None:
    source = minicourse.make_notebook("01_mini", [minicourse.markdown("intro", "### BEGIN SOLUTION\n### END SOLUTION")])
    with pytest.raises(SourceError, match="It says:\nSolution region detected in a non-solution cell"):
        nbgrader_bridge.generate_assignments({"01_mini": notebook.dumps(source)})


def test_a_source_that_breaks_a_rule_is_not_released(course: Course) -> None:
    minicourse.edit(course, "01_mini", weighted_mean_check={"source": "check('weighted_mean')"})
    with pytest.raises(SourceError, match='a check cell contains exactly check\\("name"\\)'):
        write(course)
    assert not course.released("02_more").exists()


# --- The command ------------------------------------------------------------------------------------------------------


def test_the_command_releases_and_bundles(course: Course, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["release", "--unvalidated", "--bundle", str(tmp_path / "course.zip")], course) == 0
    printed = capsys.readouterr()
    assert printed.out == (
        f"wrote notebooks/01_mini.ipynb\nwrote notebooks/02_more.ipynb\nwrote {tmp_path / 'course.zip'} (8 files)\n"
    )
    assert printed.err == "Building 01_mini, 02_more ...\n"
    assert cli.run(["release", "--unvalidated", "01_mini"], course) == 0
    assert capsys.readouterr().out == "notebooks/ is up to date.\n"


def test_the_command_lists_what_drifted(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["release", "--check"], course) == 1
    assert capsys.readouterr().out == "notebooks/01_mini.ipynb is missing\nnotebooks/02_more.ipynb is missing\n"
    cli.run(["release", "--unvalidated"], course)
    assert cli.run(["release", "--check"], course) == 0
    plant(course, "Something new.")
    course.released("02_more").write_text("{")
    capsys.readouterr()
    assert cli.run(["release", "--check"], course) == 1
    assert capsys.readouterr().out == (
        "notebooks/01_mini.ipynb differs in cell planted\nnotebooks/02_more.ipynb is not a notebook\n"
    )
    assert "planted" not in course.released("01_mini").read_text()


def test_the_command_refuses_what_makes_no_sense(course: Course) -> None:
    with pytest.raises(UsageError, match="--check writes nothing"):
        cli.run(["release", "--check", "--bundle", "x.zip"], course)
    with pytest.raises(UsageError, match=r"Known are: 01_mini, 02_more"):
        cli.run(["release", "01_min"], course)
