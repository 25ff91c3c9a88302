"""Every limit that grading observes, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

MIB = 1 << 20
Seconds = Annotated[float, Meta(gt=0, le=1e9, description="a number above zero")]
Count = Annotated[int, Meta(gt=0, description="a whole number above zero")]


@dataclass(frozen=True)
class Limits:
    """What a submission may use. Reaching a limit gives a verdict that names it; none costs the next submission."""

    cell_seconds: Seconds = 20.0
    """Wall time of one cell."""
    call_seconds: Seconds = 10.0
    """Wall time of one call of a student's function."""
    submission_seconds: Seconds = 120.0
    """Wall time of a whole submission, all its cells and calls together."""
    worker_seconds: Seconds = 600.0
    """Wall time after which a grading process that has not finished a submission, retries included, is replaced."""
    cpu_seconds: Count = 90
    """Processor time of one student process, all its threads together."""
    memory_bytes: Count = 1024 * MIB
    """Address space of a student process beyond what the warm interpreter itself takes."""
    threads: Count = 64
    """Threads of a student process; other processes cannot be started at all."""
    file_bytes: Count = 16 * MIB
    """Size of one file that is written."""
    disk_bytes: Count = 64 * MIB
    """Size of all files that are written."""
    open_files: Count = 128
    """Files that are open at once."""
    output_bytes: Count = 256 * 1024
    """What is kept of the text that one cell prints; the rest is counted and dropped."""
    figure_bytes: Count = 4 * MIB
    """What is kept of the figures of one cell."""
    outputs_bytes: Count = 64 * MIB
    """What is kept of the output of all cells together."""
    reply_bytes: Count = 64 * MIB
    """Size of one reply from the student process."""
    nesting: Count = 32
    """Depth of lists in lists in a reply."""
    stand_in_calls: Count = 20_000
    """How often a submission may ask the reference in place of functions that failed: honest answers need 5,000."""
    stand_in_bytes: Count = 2048 * MIB
    """Size of all arguments and values of these calls together."""
    following_seconds: Seconds = 10.0
    """Wall time, without the reference's, that grading once more may take even if the first time took less."""
    deadly_cells: Count = 6
    """How many cells may time out or crash, each skipped from then on, before the notebook is given up."""
    deaths: Count = 2
    """How often a process may time out or crash within one exercise before the rest of it is given up."""
    notebook_bytes: Count = 20 * MIB
    """Size of a submitted file."""
    cells: Count = 2000
    """Code cells of a submitted notebook."""
    cell_characters: Count = 500_000
    """Length of one code cell."""
