"""Released notebooks come from nbgrader's pipeline, byte for byte the same, and never with a secret in them."""

import base64
import io
import json
import zipfile

import minicourse
import pytest

from autograder import cli, nbgrader_bridge
from autograder.authoring import leaks, release, secret_texts
from autograder.course import Course, notebook, sources
from autograder.course.errors import AuthorError, LeakError, SourceError, SuiteError, UsageError

COURSE = Course.default()
SOLUTION = "result = sum(value * weight for value, weight in zip(values, weights))"


@pytest.fixture
def course(tmp_path):
    return minicourse.make(tmp_path)


@pytest.fixture(scope="session")
def built():
    """The real course as a release would write it."""
    return release.build(COURSE)


def plant(course, text="Read this.", stem="01_mini", **metadata):
    """Add a markdown cell to a source."""
    minicourse.edit(course, stem, new=minicourse.markdown("planted", text, **metadata))


def refused(course, stems=("01_mini",)):
    """The message with which a release is refused, after making sure that nothing was written."""
    before = {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
    with pytest.raises(LeakError) as caught:
        release.release(course, stems)
    assert {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()} == before
    return str(caught.value)


# --- What is released -------------------------------------------------------------------------------------------------


def test_the_course_has_notebooks_to_release():
    assert COURSE.stems() and COURSE.tours() == ("00_start_here",)


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_released_notebooks_are_in_sync_with_their_sources(stem, built):
    assert COURSE.released(stem).is_file(), "run `autograder release`"
    assert COURSE.released(stem).read_bytes() == built[stem], "run `autograder release`"


def test_nothing_confidential_is_in_what_students_of_the_real_course_get(built):
    contents = release.contents(COURSE, built)
    assert leaks.scan(COURSE, contents) == []
    assert {f"notebooks/{stem}.ipynb" for stem in COURSE.select(None, tours=True)} < set(contents)


def test_every_exercise_of_the_real_course_is_guarded():
    """A solution that is too plain to be found would make the scan vacuous for that exercise."""
    guarded = {secret.origin for secret in secret_texts.secrets(COURSE) if secret.kind == secret_texts.SOLUTION}
    for stem in COURSE.stems():
        for exercise in sources.exercises(sources.read(COURSE.source(stem))):
            for function in exercise.functions:
                assert f"solutions/{stem}.ipynb, {function}" in guarded


@pytest.mark.parametrize("stem", COURSE.stems())
def test_a_solution_of_the_real_course_is_found_in_a_released_notebook(stem, built):
    found = release.contents(COURSE, built)
    source = sources.read(COURSE.source(stem))
    released = notebook.parse(found[f"notebooks/{stem}.ipynb"], stem)
    regions = dict(sources.solution_regions(source))
    released.cells[0].metadata.update(regions)
    places = {leak.place for leak in leaks.scan(COURSE, {f"notebooks/{stem}.ipynb": notebook.dumps(released)})}
    assert {f"notebooks/{stem}.ipynb, cell {released.cells[0].id}, metadata.{name}" for name in regions} <= places


def test_a_release_has_stubs_instead_of_solutions(course):
    assert release.release(course) == ["01_mini.ipynb", "02_more.ipynb"]
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


def test_a_release_carries_nbgraders_own_marks(course):
    release.release(course)
    cells = {cell.id: cell for cell in notebook.read(course.released("01_mini")).cells}
    for name in ("weighted-mean", "weighted-mean-check", "reflect-1-answer"):
        assert len(cells[name].metadata.nbgrader.checksum) == 32
        assert cells[name].metadata.deletable is False
    assert cells["weighted-mean-check"].metadata.editable is False
    assert cells["weighted-mean-check"].metadata.nbgrader.points == 3


def test_run_all_goes_past_checks_and_demonstrations_but_stops_at_an_answer_or_before_the_first_exercise(course):
    minicourse.edit(course, "01_mini", example={"metadata": {}}, figure={"metadata": {"tags": ["demo"]}})
    release.release(course)
    goes_on = {cell.id: cell.metadata.get("tags", []) for cell in notebook.read(course.released("01_mini")).cells}
    assert goes_on["weighted-mean-check"] == goes_on["example"] == ["raises-exception"]
    assert goes_on["figure"] == ["demo", "raises-exception"]
    assert goes_on["setup"] == goes_on["weighted-mean"] == []


@pytest.mark.parametrize(
    ("answer", "failed"), [("raise NotImplementedError()", ["weighted-mean-check"]), ("return 2.0", [])]
)
def test_nbgraders_validate_still_sees_a_check_that_fails(course, answer, failed):
    from nbgrader.validator import Validator

    release.release(course, ["01_mini"])
    released = notebook.read(course.released("01_mini"))
    for cell in released.cells:
        cell.source = cell.source.replace("raise NotImplementedError()", answer)
    notebook.write(released, course.released("01_mini"))
    found = Validator().validate(str(course.released("01_mini")))
    assert [cell["source"] for cell in found.get("failed", [])] == ['check("weighted_mean")' for _ in failed]


def test_a_release_says_what_it_is_and_for_which_kernel(course):
    minicourse.edit(
        course, "01_mini", example={"metadata": {"execution": {"iopub.status.busy": "2024-01-01"}, "tags": ["demo"]}}
    )
    release.release(course)
    released = notebook.read(course.released("01_mini"))
    assert notebook.stem_of(released) == "01_mini"
    assert released.metadata.kernelspec.name == "python3"
    assert released.metadata.language_info == notebook.LANGUAGE
    assert b"2024" not in course.released("01_mini").read_bytes()


def test_a_second_release_changes_no_byte(course):
    release.release(course)
    first = {stem: course.released(stem).read_bytes() for stem in course.stems()}
    assert release.release(course) == []
    assert release.build(course) == first


def test_one_stem_is_released_alone(course):
    assert release.release(course, ["02_more"]) == ["02_more.ipynb"]
    assert not course.released("01_mini").exists()


def test_a_tour_is_released_and_bundled_first_and_its_answer_is_no_secret(course, tmp_path):
    answer = "    centre = 2 * sum(values) / len(values)\n    return centre - values[0] * 7\n"
    cells = [
        minicourse.markdown("title", f"# Welcome\n\nTry this:\n\n{answer}"),
        minicourse.solution("tour", f"def tour(values):\n    ### BEGIN SOLUTION\n{answer}    ### END SOLUTION"),
        minicourse.check("tour", 0),
    ]
    notebook.write(minicourse.make_notebook("00_start", cells), course.solutions / "00_start.ipynb")
    assert course.tours() == ("00_start",) and course.stems() == ("01_mini", "02_more")
    assert release.release(course) == ["00_start.ipynb", "01_mini.ipynb", "02_more.ipynb"]
    assert "raise NotImplementedError()" in notebook.read(course.released("00_start")).cells[1].source
    release.bundle(course, tmp_path / "course.zip")
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        assert "jupyter lab notebooks/00_start.ipynb" in archive.read("README.md").decode()


def test_a_tour_with_points_is_refused(course):
    cells = [minicourse.solution("spread", minicourse.SPREAD), minicourse.check("spread", 2)]
    notebook.write(minicourse.make_notebook("00_start", cells), course.solutions / "00_start.ipynb")
    with pytest.raises(SourceError, match="00_start, cell spread-check: the points are 2. In a tour they are 0"):
        release.release(course)


def test_what_an_instructor_handed_in_to_try_it_out_stays_at_home(course):
    (course.notebooks / "hand_in").mkdir()
    (course.notebooks / "hand_in" / "01_mini.ipynb").write_text(SOLUTION)
    assert release.release(course, ["01_mini"])
    assert not leaks.belongs("notebooks/hand_in/01_mini.ipynb", course.stems())


def test_a_release_needs_no_program_on_the_path(course, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert release.release(course, ["01_mini"]) == ["01_mini.ipynb"]


def test_what_nbgrader_refuses_is_the_authors_mistake():
    source = minicourse.make_notebook("01_mini", [minicourse.markdown("intro", "### BEGIN SOLUTION\n### END SOLUTION")])
    with pytest.raises(SourceError, match="It says:\nSolution region detected in a non-solution cell"):
        nbgrader_bridge.generate_assignments({"01_mini": notebook.dumps(source)})


def test_a_source_that_breaks_a_rule_is_not_released(course):
    minicourse.edit(course, "01_mini", weighted_mean_check={"source": "check('weighted_mean')"})
    with pytest.raises(SourceError, match='a check cell contains exactly check\\("name"\\)'):
        release.release(course)
    assert not course.released("02_more").exists()


# --- Leaks ------------------------------------------------------------------------------------------------------------


def test_a_solution_line_in_the_text_is_refused(course):
    plant(course, f"You could write `{SOLUTION}` here.")
    message = refused(course)
    assert (
        "notebooks/01_mini.ipynb, cell planted: solution line from solutions/01_mini.ipynb, weighted_mean: result = "
        in message
    )
    assert "Nothing was written" in message


def test_a_refused_release_leaves_the_old_one(course):
    release.release(course)
    minicourse.edit(course, "02_more", setup={"source": "import checks\ncheck = checks.start('02_more')"})
    plant(course, SOLUTION)
    assert "cell planted: solution line" in refused(course, None)


@pytest.mark.parametrize(
    "text",
    [
        f"    {SOLUTION}   # in a comment or not",
        "RESULT = sum( value*weight\n  for value,weight in\n  zip(values,weights) )",
        "mean = sum(value * weight for value, weight in zip(values, weights)) / 2",
        "```python\nif sum(weights) &lt;= 0:\n```",
        "x = 1\n\nresult / sum(weights) return result / sum(weights)",
        f"[data](data:text/plain;base64,{base64.b64encode(SOLUTION.encode()).decode()})",
        f"[data](data:text/plain,{SOLUTION.replace(' ', '%20')})",
        json.dumps({"cells": [{"source": [SOLUTION + "\n", "return"]}]}),
        json.dumps(json.dumps({"a": f"\n{SOLUTION}\n"})),
        SOLUTION.replace("value", "\\u0076alue"),
    ],
)
def test_a_solution_line_is_found_however_it_is_written(course, text):
    plant(course, text)
    assert "cell planted: solution line" in refused(course)


def test_a_solution_line_is_found_in_given_code(course):
    minicourse.edit(course, "01_mini", setup={"source": f"import checks\n\n# {SOLUTION}"})
    assert "cell setup: solution line" in refused(course)


@pytest.mark.parametrize(
    "metadata",
    [
        {"note": SOLUTION},
        {"nested": [{"deep": [1, {SOLUTION: 0}]}]},
        {"lines": ["result = sum(value * weight", "for value, weight in zip(values, weights))"]},
        {"blob": base64.encodebytes(f"def weighted_mean(values, weights):\n    {SOLUTION}\n".encode() * 3).decode()},
        {"twice": base64.b64encode(base64.b64encode(SOLUTION.encode())).decode()},
        {"json": json.dumps({"answer": SOLUTION})},
    ],
)
def test_a_solution_line_is_found_in_the_metadata(course, metadata):
    plant(course, **metadata)
    assert f"cell planted, metadata.{next(iter(metadata))}" in refused(course)


def test_a_solution_line_is_found_in_the_metadata_of_the_notebook(course):
    source = sources.read(course.source("01_mini"))
    source.metadata.course["answers"] = {"1": SOLUTION}
    notebook.write(source, course.source("01_mini"))
    assert "notebooks/01_mini.ipynb, metadata.course.answers.1: solution line" in refused(course)


def test_a_solution_line_is_found_in_an_attachment(course):
    attached = {"answer.txt": {"text/plain": base64.b64encode(SOLUTION.encode()).decode()}}
    minicourse.edit(course, "01_mini", intro={"attachments": attached})
    assert "cell intro, attachments.answer.txt.text/plain: solution line" in refused(course)


def test_a_solution_line_is_found_in_the_checks_with_its_line(course):
    (course.checks / "exercises.py").write_text(f"# one\n# two\n{SOLUTION}\n")
    assert "notebooks/checks/exercises.py, line 3: solution line" in refused(course)


@pytest.mark.parametrize(
    "name", ["notebooks/matplotlibrc", "notebooks/requirements.txt", "data/README.md", "data/numbers.csv"]
)
def test_a_solution_line_is_found_in_every_file_that_students_get(course, name):
    (course.root / name).write_text(f"# {SOLUTION}\n")
    assert f"{name}, line 1: solution line" in refused(course)


def test_a_solution_line_is_found_inside_an_archive(course):
    with zipfile.ZipFile(course.data / "arrays.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x00" + SOLUTION.encode())
    assert "data/arrays.npz, X.npy: solution line" in refused(course)


def test_a_solution_line_of_another_notebook_is_found(course):
    plant(course, "centre = sum(values) / len(values)")
    assert "notebooks/01_mini.ipynb, cell planted: solution line from solutions/02_more.ipynb, spread" in refused(
        course
    )


def test_all_released_notebooks_are_looked_at_together(course):
    release.release(course)
    stale = notebook.read(course.released("02_more"))
    stale.cells[0].source += f"\n# {SOLUTION}"
    notebook.write(stale, course.released("02_more"))
    assert "notebooks/02_more.ipynb, cell setup: solution line from solutions/01_mini.ipynb" in refused(course)


def test_a_line_marked_as_given_may_be_seen(course):
    marked = minicourse.WEIGHTED_MEAN.replace("# the heavier, the more", "# given")
    minicourse.edit(course, "01_mini", weighted_mean={"source": marked})
    plant(course, SOLUTION)
    assert release.release(course, ["01_mini"])


@pytest.mark.parametrize(
    "text",
    [
        "result = 0",
        "return result",
        "raise ValueError('no weight')",
        "for value, weight in zip(values, weights):",
        "3.5",
    ],
)
def test_plain_lines_are_no_secret(course, text):
    plant(course, text)
    assert release.release(course, ["01_mini"])


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return result", False),
        ("x = np.asarray(x, dtype=float)", False),
        ("n, d = X.shape", False),
        ("for k in range(len(counts)):", False),
        ("total = counts.sum()", False),
        ("axis = -1", False),
        ("import numpy as np", False),
        ("return 1 / (1 + np.exp(-z))", True),
        ("return X.T @ (y - p)", True),
        ("return joint / joint.sum()", True),
        ("evidence = prior @ likelihood", True),
        ("return np.log(theta)[x].sum()", True),
    ],
)
def test_a_line_is_secret_when_it_says_how_the_answer_works(code, expected):
    assert secret_texts.says_something(code) is expected


def test_a_sample_answer_is_refused(course):
    plant(course, "Think: a weight of **zero** simply takes the value\nout of the game, does it not?")
    assert "cell planted: sample answer from solutions/01_mini.ipynb, reflect-1-answer" in refused(course)


@pytest.mark.parametrize(
    "text",
    [
        "See test_heavier_values_pull_the_mean.",
        "*The mean lies closer to the value that weighs more!*",
        "assert_matches(student.weighted_mean([10.0, 20.0], [1, 4]), 18.0)",
        "VALUES = [3.25, 8.5, 9.75]",
    ],
)
def test_hidden_checks_are_refused(course, text):
    (course.checks / "exercises.py").write_text(f'"""{text}"""\n')
    assert "notebooks/checks/exercises.py, line 1: hidden check from suites/test_01_mini.py" in refused(course)


@pytest.mark.parametrize(
    "text",
    [
        "forgets_the_weights",
        "Double one of the weights; does your answer move at all?",
        "Every value counts alike, whatever it weighs on paper.",
        "return sum(values) / max(len(values), 1)",
        "with_a_running_total",
        "Numerator and denominator grow side by side in a loop.",
    ],
)
def test_known_answers_are_refused(course, text):
    plant(course, text)
    assert "cell planted: known answer from misconceptions/01_mini.py" in refused(course)


def test_printed_output_is_refused_where_nobody_reads_it(course):
    plant(course, note="weighted, the mean is 3.5")
    assert "cell planted, metadata.note: solution output from solutions/01_mini.ipynb, cell example" in refused(course)


def test_printed_output_may_stand_in_the_text(course):
    plant(course, "So, weighted, the mean is 3.5.")
    assert release.release(course, ["01_mini"])


def test_a_picture_that_the_solution_draws_is_refused(course):
    minicourse.edit(course, "01_mini", intro={"attachments": {"figure.png": {"image/png": minicourse.PICTURE}}})
    message = refused(course)
    assert (
        "cell intro, attachments.figure.png.image/png: solution output from solutions/01_mini.ipynb, cell figure"
        in message
    )


def test_outputs_in_a_released_notebook_are_refused(course):
    executed = notebook.read(course.source("01_mini"))
    course.released("02_more").parent.mkdir(exist_ok=True)
    executed.cells = [cell for cell in executed.cells if cell.id == "example"]
    notebook.write(executed, course.released("02_more"))
    assert "notebooks/02_more.ipynb, cell example: solution output: a released notebook has no outputs" in refused(
        course
    )


def test_a_solution_marker_is_refused(course):
    plant(course, note="### BEGIN SOLUTION")
    assert "cell planted, metadata.note: solution line: the marker BEGIN SOLUTION" in refused(course)


@pytest.mark.parametrize(
    "name",
    [
        "notebooks/01_mini_solution.ipynb",
        "notebooks/gradebook.db",
        "notebooks/test_01_mini.py",
        "notebooks/checks/weighted_mean.pyc",
        "notebooks/checks/answers.ipynb",
        "notebooks/solutions/01_mini.ipynb",
        "data/suite.py",
        "data/more/numbers.csv",
    ],
)
def test_a_file_that_does_not_belong_is_refused(course, name):
    (course.root / name).parent.mkdir(exist_ok=True, parents=True)
    (course.root / name).write_bytes(b"{}")
    assert f"{name}: file that does not belong" in refused(course)


@pytest.mark.parametrize(
    "name",
    [
        "notebooks/.ipynb_checkpoints/01_mini-checkpoint.ipynb",
        "notebooks/checks/__pycache__/x.cpython-311.pyc",
        "data/.DS_Store",
    ],
)
def test_caches_stay_at_home_and_are_refused_in_a_bundle(course, name):
    (course.root / name).parent.mkdir(exist_ok=True, parents=True)
    (course.root / name).write_text(SOLUTION)
    assert name not in release.contents(course, {})
    assert not leaks.belongs(name, course.stems())
    assert release.release(course, ["01_mini"])


def test_every_leak_is_listed_up_to_a_point(course):
    plant(course, "\n\n".join(["forgets_the_weights", SOLUTION, "test_heavier_values_pull_the_mean"]))
    message = refused(course)
    assert "(3 places)" in message
    for number in range(30):
        minicourse.edit(course, "01_mini", new=minicourse.markdown(f"more-{number}", SOLUTION))
    message = refused(course)
    assert message.count("solution line") <= 21
    assert "and 13 more" in message


def test_a_suite_that_cannot_be_read_stops_the_release(course):
    course.suite("01_mini").write_text("def test_broken(:\n")
    with pytest.raises(SuiteError, match=r"suites/test_01_mini\.py, line 1"):
        release.release(course)


# --- The bundle -------------------------------------------------------------------------------------------------------


def test_the_bundle_holds_what_students_need_and_nothing_else(course, tmp_path):
    release.release(course)
    sums = release.bundle(course, tmp_path / "out" / "course.zip")
    with zipfile.ZipFile(tmp_path / "out" / "course.zip") as archive:
        assert archive.namelist() == [
            "README.md",
            "data/README.md",
            "data/numbers.csv",
            "manifest.json",
            "notebooks/01_mini.ipynb",
            "notebooks/02_more.ipynb",
            "notebooks/checks/__init__.py",
            "notebooks/matplotlibrc",
            "notebooks/requirements.txt",
        ]
        assert archive.read("notebooks/01_mini.ipynb") == course.released("01_mini").read_bytes()
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest["files"] == sums
        assert manifest["stems"] == ["01_mini", "02_more"]
        assert manifest["versions"]["numpy"]
        readme = archive.read("README.md").decode()
    for line in (
        ".venv\\Scripts\\python -m pip install -r notebooks\\requirements.txt",
        ".venv/bin/python -m pip install -r notebooks/requirements.txt",
        "- `notebooks/01_mini.ipynb`: Means",
        "- `notebooks/02_more.ipynb`: more",
    ):
        assert line in readme
    assert "$" not in readme


def test_two_bundles_are_the_same_bytes(course, tmp_path):
    release.release(course)
    release.bundle(course, tmp_path / "a.zip")
    (course.data / "numbers.csv").touch()
    (course.data / "numbers.csv").chmod(0o600)
    release.bundle(course, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_bundle_is_scanned_too(course, tmp_path, monkeypatch):
    release.release(course)
    (tmp_path / "template.md").write_text(f"$notebooks\n$first\n{SOLUTION}\n")
    monkeypatch.setattr(release, "_TEMPLATE", tmp_path / "template.md")
    with pytest.raises(LeakError, match=r"README\.md, line 4: solution line"):
        release.bundle(course, tmp_path / "course.zip")
    assert not (tmp_path / "course.zip").exists()


def test_what_is_scanned_is_the_zip_file_itself(course, tmp_path, monkeypatch):
    release.release(course)
    honest = release._zip

    def careless(inside):
        target = io.BytesIO(honest(inside))
        with zipfile.ZipFile(target, "a") as archive:
            archive.writestr("notebooks/.ipynb_checkpoints/01_mini-checkpoint.ipynb", "{}")
        return target.getvalue()

    monkeypatch.setattr(release, "_zip", careless)
    with pytest.raises(LeakError, match=r"\.ipynb_checkpoints/01_mini-checkpoint\.ipynb: file that does not belong"):
        release.bundle(course, tmp_path / "course.zip")
    assert not (tmp_path / "course.zip").exists()


def test_a_bundle_of_stale_notebooks_is_refused(course, tmp_path):
    release.release(course)
    plant(course, "Something new.")
    with pytest.raises(
        AuthorError, match="(?s)run `autograder release`.*notebooks/01_mini.ipynb differs in cell planted"
    ):
        release.bundle(course, tmp_path / "course.zip")


@pytest.mark.parametrize("name", ["matplotlibrc", "requirements.txt", "checks/__init__.py"])
def test_a_bundle_without_a_part_is_refused(course, tmp_path, name):
    release.release(course)
    (course.notebooks / name).unlink()
    with pytest.raises(AuthorError, match=f"The bundle needs notebooks/{name}"):
        release.bundle(course, tmp_path / "course.zip")


# --- The command ------------------------------------------------------------------------------------------------------


def call(course, *words):
    return cli.run(["release", *map(str, words)], course)


def test_the_command_releases_and_bundles(course, tmp_path, capsys):
    assert call(course, "--unvalidated", "--bundle", tmp_path / "course.zip") == 0
    printed = capsys.readouterr()
    assert printed.out == (
        f"wrote notebooks/01_mini.ipynb\nwrote notebooks/02_more.ipynb\nwrote {tmp_path / 'course.zip'} (8 files)\n"
    )
    assert printed.err == "Building 01_mini, 02_more ...\n"
    assert call(course, "--unvalidated", "01_mini") == 0
    assert capsys.readouterr().out == "notebooks/ is up to date.\n"


def test_the_command_lists_what_drifted(course, capsys):
    assert call(course, "--check") == 1
    assert capsys.readouterr().out == "notebooks/01_mini.ipynb is missing\nnotebooks/02_more.ipynb is missing\n"
    call(course, "--unvalidated")
    assert call(course, "--check") == 0
    plant(course, "Something new.")
    course.released("02_more").write_text("{")
    capsys.readouterr()
    assert call(course, "--check") == 1
    assert capsys.readouterr().out == (
        "notebooks/01_mini.ipynb differs in cell planted\nnotebooks/02_more.ipynb is not a notebook\n"
    )
    assert "planted" not in course.released("01_mini").read_text()


def test_the_command_refuses_what_makes_no_sense(course):
    with pytest.raises(UsageError, match="--check writes nothing"):
        call(course, "--check", "--bundle", "x.zip")
    with pytest.raises(UsageError, match=r"Known are: 01_mini, 02_more"):
        call(course, "01_min")
