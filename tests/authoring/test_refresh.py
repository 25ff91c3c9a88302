"""Source notebooks run from a fresh kernel, and their stored outputs are the same on every run."""

from __future__ import annotations

from pathlib import Path

import minicourse
import pytest

from autograder import cli
from autograder.authoring import refresh
from autograder.course import Course, notebook, sources
from autograder.course.errors import SourceError

COURSE = Course.default()

RESTLESS = """
import sys
import time
print("first", flush=True)
time.sleep(0.1)
print("second")
print("a warning", file=sys.stderr)
"""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return minicourse.make(tmp_path)


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_what_the_real_course_stores_is_normalised(stem: str) -> None:
    source = sources.read(COURSE.source(stem))
    assert notebook.dumps(refresh.normalised(source)) == COURSE.source(stem).read_bytes(), "run `autograder refresh`"


@pytest.mark.parametrize("stem", COURSE.select(None, tours=True))
def test_what_the_real_course_stores_names_no_place_on_a_machine(stem: str) -> None:
    for cell, text in sources.text_outputs(sources.read(COURSE.source(stem))):
        for place in ("/home/", "/root/", "/tmp/", "/Users/", "C:\\", "site-packages", "ipykernel_"):
            assert place not in text, cell


def test_outputs_are_made_anew_and_a_second_run_changes_no_byte(course: Course) -> None:
    extra = [
        minicourse.code("restless", RESTLESS),
        minicourse.code("address", "object()"),
        minicourse.code("empty", ""),
        minicourse.code("raises", "1 / 0", tags=["raises-exception"]),
        minicourse.code(
            "configured", "import matplotlib\nmatplotlib.rcParams['figure.dpi'], matplotlib.rcParams['axes.grid']"
        ),
        minicourse.code("drawn", "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);"),
        minicourse.code("slider", "import ipywidgets\nipywidgets.IntSlider()", scrolled=True),
    ]
    (course.notebooks / "matplotlibrc").write_text("figure.dpi: 33\naxes.grid: True\n")
    path = course.source("01_mini")
    notebook.write(minicourse.make_notebook("01_mini", minicourse.cells_of_01() + extra), path)

    assert refresh.refresh(course, ["01_mini"]) == ["01_mini.ipynb"]
    first = path.read_bytes()
    assert refresh.refresh(course, ["01_mini"]) == []
    assert path.read_bytes() == first

    cells = {cell.id: cell for cell in sources.read(path).cells}
    assert cells["example"].outputs[0].text == "weighted, the mean is 3.5\n"
    assert cells["weighted-mean-check"].outputs[0].text == "weighted_mean: passes\n"
    assert cells["figure"].outputs == []
    assert [output.text for output in cells["restless"].outputs] == ["first\nsecond\n", "a warning\n"]
    assert cells["address"].outputs[0].data["text/plain"] == "<object at 0x0>"
    assert cells["raises"].outputs[0].traceback == ["ZeroDivisionError: division by zero"]
    assert cells["configured"].outputs[0].data["text/plain"] == "(33.0, True)"
    assert "image/png" in cells["drawn"].outputs[-1].data
    assert set(cells["slider"].outputs[0].data) == {"text/plain"}
    assert cells["slider"].metadata == {}
    counts = [cell.execution_count for cell in cells.values() if cell.cell_type == "code"]
    assert counts == [1, 2, 3, 4, 5, 6, 7, None, 8, 9, 10, 11]
    assert cells["address"].outputs[0].execution_count == cells["address"].execution_count
    stored = sources.read(path).metadata
    assert set(stored) == {"course", "kernelspec", "language_info"}
    assert stored.language_info == notebook.LANGUAGE


def test_an_error_names_the_cell_and_leaves_the_file_alone(course: Course) -> None:
    minicourse.edit(course, "01_mini", example={"source": "weighted_mean([1], [0])"})
    before = course.source("01_mini").read_bytes()
    with pytest.raises(SourceError, match="01_mini, cell example: ValueError: no weight"):
        refresh.refresh(course, ["01_mini"])
    assert course.source("01_mini").read_bytes() == before


def test_a_cell_that_does_not_end_is_stopped(course: Course) -> None:
    minicourse.edit(course, "01_mini", example={"source": "while True: pass"})
    source = sources.read(course.source("01_mini"))
    source.cells = [cell for cell in source.cells if cell.id == "example"]  # no other cell may take long, either
    with pytest.raises(SourceError, match="01_mini, cell example: still running after 2 seconds"):
        refresh.run(source, course.notebooks, seconds_per_cell=2)


def test_a_kernel_that_dies_is_reported(course: Course) -> None:
    minicourse.edit(course, "01_mini", example={"source": "import os\nos._exit(1)"})
    with pytest.raises(SourceError, match="01_mini, cell example: the kernel died"):
        refresh.refresh(course, ["01_mini"])


def test_an_output_that_names_a_folder_of_this_machine_is_refused(course: Course) -> None:
    minicourse.edit(course, "01_mini", example={"source": "import sys\nprint(sys.prefix)"})
    with pytest.raises(SourceError, match="cell example: the output names .*, a folder of this machine"):
        refresh.refresh(course, ["01_mini"])


def test_the_command_says_what_it_wrote(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["refresh", "02_more"], course) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("wrote solutions/02_more.ipynb\n", "Running 02_more ...\n")
    assert cli.run(["refresh", "02_more"], course) == 0
    assert capsys.readouterr().out == "All outputs are up to date.\n"
