"""Every limit that grading observes, in one place."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a submission may use. Reaching a limit gives a verdict that names it; none costs the next submission."""

    cell_seconds: float = 20.0
    """Wall time of one cell."""
    call_seconds: float = 10.0
    """Wall time of one call of a student's function."""
    submission_seconds: float = 120.0
    """Wall time of a whole submission, all its cells and calls together."""
    worker_seconds: float = 600.0
    """Wall time after which a grading process that has not finished a submission, retries included, is replaced."""
    cpu_seconds: int = 90
    """Processor time of one student process, all its threads together."""
    memory_bytes: int = 1024 * MIB
    """Address space of a student process beyond what the warm interpreter itself takes."""
    threads: int = 64
    """Threads of a student process; other processes cannot be started at all."""
    file_bytes: int = 16 * MIB
    """Size of one file that is written."""
    disk_bytes: int = 64 * MIB
    """Size of all files that are written."""
    open_files: int = 128
    """Files that are open at once."""
    output_bytes: int = 256 * 1024
    """What is kept of the text that one cell prints; the rest is counted and dropped."""
    figure_bytes: int = 4 * MIB
    """What is kept of the figures of one cell."""
    outputs_bytes: int = 64 * MIB
    """What is kept of the output of all cells together."""
    reply_bytes: int = 64 * MIB
    """Size of one reply from the student process."""
    nesting: int = 32
    """Depth of lists in lists in a reply."""
    stand_in_calls: int = 50_000
    """How often a submission may call the reference in place of functions that failed."""
    stand_in_bytes: int = 2048 * MIB
    """Size of all arguments and values of these calls together."""
    deadly_cells: int = 6
    """How many cells may time out or crash, each skipped from then on, before the notebook is given up."""
    deaths: int = 2
    """How often a process may time out or crash within one exercise before the rest of it is given up."""
    notebook_bytes: int = 20 * MIB
    """Size of a submitted file."""
    cells: int = 2000
    """Code cells of a submitted notebook."""
    cell_characters: int = 500_000
    """Length of one code cell."""
