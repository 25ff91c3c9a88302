"""Runs source notebooks from a fresh kernel, and stores outputs that are the same on every run."""

from __future__ import annotations

import copy
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.course import Course, files, notebook, sources
from autograder.course.errors import SourceError
from autograder.grading.seeds.secret import VARIABLE
from autograder.sandbox import temporary

SECONDS_PER_CELL = 300
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_WIDGET = "application/vnd.jupyter.widget-view+json"


def refresh(course: Course, stems: Sequence[str] | None = None) -> list[str]:
    """Run the given sources, or all, and store their outputs; the names of those that changed."""
    changed = []
    for stem in course.select(stems, tours=True):
        path = course.source(stem)
        data = notebook.dumps(refreshed(course, stem))
        if data != path.read_bytes():
            files.replace(path, data)
            changed.append(path.name)
    return changed


def refreshed(course: Course, stem: str) -> NotebookNode:
    """A source notebook with the outputs of a run from top to bottom; the file itself is left alone."""
    source = sources.read(course.source(stem))
    executed = normalised(run(source, course.notebooks))
    for cell, text in sources.text_outputs(executed):
        for path in {str(course.root), sys.prefix, str(Path.home())} - {os.sep}:
            if path in text:
                raise SourceError(
                    f"{stem}, cell {cell}: the output names {path}, a folder of this machine. "
                    "Print something that is the same everywhere, or silence the warning that contains it."
                )
    return executed


def run(
    source: NotebookNode, folder: Path, *, keep_going: bool = False, seconds_per_cell: int = SECONDS_PER_CELL
) -> NotebookNode:
    """A copy of the notebook after a run in a fresh kernel of this Python, started in `folder`.

    An error ends the run with a SourceError that names the cell. With `keep_going` it becomes an output instead.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    executed = _cleared(source)
    place = [notebook.stem_of(executed) or "the notebook"]
    client = NotebookClient(
        executed,
        timeout=seconds_per_cell,
        allow_errors=keep_going,
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        kernel_manager_class=_kernel_of_this_python(),
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=lambda cell, cell_index: place.append(f"cell {cell.id}"),
    )
    # Keeping widgets in step with the kernel can wait forever for an answer; nothing here needs their state.
    client.comm_open_handlers = {"jupyter.widget": lambda message: None}
    with temporary.folder("ipython") as profile:
        # Its place in the user's own folder would be left behind by a run that is killed.
        client.create_kernel_manager().connection_file = str(profile / "connection.json")
        try:
            client.execute(env=_environment(str(profile)), pass_fds=temporary.inherited())
        except CellExecutionError as problem:
            raise SourceError(f"{place[0]}, {place[-1]}: {problem.ename}: {problem.evalue}") from None
        except CellTimeoutError:
            raise SourceError(f"{place[0]}, {place[-1]}: still running after {seconds_per_cell} seconds.") from None
        except DeadKernelError:
            raise SourceError(f"{place[0]}, {place[-1]}: the kernel died.") from None
    return executed


def normalised(executed: NotebookNode) -> NotebookNode:
    """The notebook with outputs that do not depend on time, place or memory; ids stay as they are."""
    count = 0
    for cell in executed.cells:
        if cell.cell_type == "code":
            count += bool(cell.source.strip())
            cell.execution_count = count if cell.source.strip() else None
            cell.outputs = [_normalised(output, count) for output in _merged(cell.outputs)]
    return notebook.tidy(executed)


def _merged(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs with consecutive pieces of one stream in one: where they are cut depends on the clock."""
    merged: list[NotebookNode] = []
    for output in outputs:
        if merged and output.output_type == "stream" and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
        else:
            merged.append(output)
    return merged


def _normalised(output: NotebookNode, count: int) -> NotebookNode:
    if output.output_type == "execute_result":
        output.execution_count = count
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
    output.get("data", {}).pop(_WIDGET, None)
    normal: NotebookNode = _without_addresses(output)
    return normal


def _without_addresses(value: Any) -> Any:
    if isinstance(value, str) and len(value) < 100_000:
        return _ADDRESS.sub("0x0", value)
    if isinstance(value, list):
        return [_without_addresses(item) for item in value]
    if isinstance(value, dict):
        for key, item in value.items():
            if not key.startswith("image/"):
                value[key] = _without_addresses(item)
    return value


def _cleared(source: NotebookNode) -> NotebookNode:
    clear = copy.deepcopy(source)
    for cell in clear.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return clear


def _environment(profile: str) -> dict[str, str]:
    """The environment of a kernel that knows neither the user's IPython start-up files nor other figure settings."""
    kept = {name: value for name, value in os.environ.items() if name not in ("MPLBACKEND", "MATPLOTLIBRC", VARIABLE)}
    # One thread, as in grading: outputs then do not depend on the number of cores, nor do threads fight over them.
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return kept | threads | {"IPYTHONDIR": profile, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


# What a kernel executes first. It looks itself whether we are still there, but not before it is ready, and what was
# orphaned until then it takes for its parent.
_ENDS_WITH_US = """
import os, runpy, threading, time
def watch():
    while os.getppid() == int(os.environ["JPY_PARENT_PID"]):
        time.sleep(0.5)
    os._exit(1)
threading.Thread(target=watch, daemon=True).start()
runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
"""


def _kernel_of_this_python() -> type:
    """A kernel manager for this interpreter, whatever kernels are installed under the name python3."""
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    class KernelOfThisPython(AsyncKernelManager):
        @property
        def kernel_spec(self) -> KernelSpec:
            found = get_kernel_dict()
            at = found["argv"].index("-m")  # ipykernel_launcher, and what it is given
            argv = [*found["argv"][:at], "-c", _ENDS_WITH_US, *found["argv"][at + 2 :]]
            return KernelSpec(resource_dir="", **{**found, "argv": argv})

    return KernelOfThisPython
