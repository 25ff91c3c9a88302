"""Similar pairs: which submissions of an assignment share code that few others have."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from copydetect import utils
from nbformat import NotebookNode

from autograder.course import Course, catalogue, notebook, sources
from autograder.course.errors import SubmissionError
from autograder.grading.submissions import Submission
from autograder.validity import samples

# A fragment is this many characters of code in a row, with names reduced to one letter, and without layout and
# comments: a line or two. All of them are kept. Thinned out, they would depend on Python's hashes, which differ from
# run to run.
_LENGTH = 25
_COMMON = 15  # at least so many have a fragment that counts nothing; in a larger class, all of it
_SIMILAR = 0.4  # the share of two students' own fragments that both have, each weighed by how rare it is
_LEAST = 80  # fragments: about six lines; less than that is shared by chance
_LONGEST = 40_000  # characters of one student's own code
_UNNATURAL = re.compile(r"\s{300}|[^\n]{5000}")  # nobody writes so, and the tokeniser would take minutes
_UNIT = 1000  # the weight of a fragment that two students have
_SHOWN = 25  # pairs with their code side by side

Marked = tuple[tuple[str, bool], ...]
Fragments = frozenset[int]


@dataclass(frozen=True)
class Passage:
    """Two cells that share code, line by line; each line with whether it is shared."""

    one: Marked
    other: Marked


@dataclass(frozen=True)
class Pair:
    """Two students whose code is similar: a measure from 0 to 1, and how much of each one's own code the other has."""

    students: tuple[str, str]
    measure: float
    shares: tuple[float, float]
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class Comparison:
    """What comparing a class found: the pairs, the most similar first, and what could not be compared."""

    compared: int
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Work:
    """What one student wrote: the text of each cell, from which character on it is the student's, and its fragments."""

    student: str
    cells: tuple[tuple[str, int], ...]
    fragments: Fragments


def compare(course: Course, stem: str, handed_in: Iterable[Submission], releases: Sequence[Path] = ()) -> Comparison:
    """The similar pairs among the submissions of an assignment. What the course gives to students does not count.

    `releases` are further notebooks that the class was given, an older release perhaps.
    """
    source = sources.read(course.source(stem))
    given = _Given(source, [path for path in (course.released(stem), *releases) if path.is_file()])
    works, notes = [], []
    for submission in sorted(handed_in, key=lambda submission: submission.student):
        try:
            cells = notebook.code_cells(notebook.parse(submission.read(), submission.where))
        except SubmissionError as error:
            notes.append(f"{submission.student} could not be compared: {error}")
            continue
        own, cut = given.own(code for _, code in cells)
        if cut:
            notes.append(f"Of {submission.student}, only a part was compared: some cells are too long.")
        works.append(_Work(submission.student, own, _all_fragments(own) - given.fragments))
    return Comparison(len(works), tuple(_pairs(works, _known(course, source, stem))), tuple(notes))


class _Given:
    """What students were given: whole cells, the heads of stubs, and all fragments of it."""

    def __init__(self, source: NotebookNode, releases: Sequence[Path]) -> None:
        stubs = list(sources.stubs(source).values())
        cells = [cell.source for cell in source.cells if cell.cell_type == "code" and sources.function_of(cell) is None]
        for path in releases:
            cells += [code for _, code in notebook.code_cells(notebook.read(path))]
        self._cells = {code.strip() for code in (*cells, *stubs)}
        self._heads = sorted((stub.partition("# YOUR CODE HERE")[0].rstrip() for stub in stubs), key=len, reverse=True)
        self.fragments = _all_fragments([(code, 0) for code in (*cells, *stubs)])

    def own(self, cells: Iterable[str]) -> tuple[tuple[tuple[str, int], ...], bool]:
        """The student's cells, each with the place at which their part begins, and whether some cells were left out."""
        found: list[tuple[str, int]] = []
        length, cut = 0, False
        for code in cells:
            if not code.strip() or code.strip() in self._cells:
                continue
            start = next((len(head) for head in self._heads if head and code.startswith(head)), 0)
            if length + len(code) - start > _LONGEST or _UNNATURAL.search(code):
                cut = True
                continue
            length += len(code) - start
            found.append((code, start))
        return tuple(found), cut


def _known(course: Course, source: NotebookNode, stem: str) -> tuple[Fragments, Fragments]:
    """The fragments of the reference, and those of the catalogue: what anybody may write who does the exercise."""
    reference = [(samples.reference_code(source, function), 0) for function in sources.stubs(source)]
    known = [(answer.source(), 0) for answer in catalogue.read(course.misconceptions(stem)).answers]
    return _all_fragments(reference), _all_fragments(known)


def _pairs(works: Sequence[_Work], known: Sequence[Fragments]) -> Iterator[Pair]:
    """The similar pairs, the most similar first. It takes time for fragments that are shared, not for all pairs."""
    holders: dict[int, list[int]] = defaultdict(list)
    for number, work in enumerate(works):
        for fragment in work.fragments:
            holders[fragment].append(number)
    common = max(_COMMON, len(works))
    rare: set[int] = set()
    together: Counter[tuple[int, tuple[int, ...]]] = (
        Counter()
    )  # a copied function is many fragments with the same holders
    for fragment, students in holders.items():
        having = len(students) + sum(fragment in some for some in known)
        if len(students) > 1 and having < common:
            rare.add(fragment)
            together[having, tuple(students)] += 1
    # Whole numbers, so that the sums are the same in whatever order the hashes come.
    shared = np.zeros((len(works), len(works)), dtype=np.int64)
    for (having, group), count in together.items():
        shared[np.ix_(group, group)] += count * _weight(having, common)
    sizes = np.array([len(work.fragments) for work in works])
    measures = shared / _UNIT / np.maximum(np.add.outer(sizes, sizes) / 2, 1)
    found = np.argwhere(np.triu((shared >= _LEAST * _UNIT) & (measures >= _SIMILAR), 1))
    ranked = sorted(
        ((float(measures[a, b]), int(a), int(b)) for a, b in found), key=lambda entry: (-entry[0], entry[1:])
    )
    for place, (measure, a, b) in enumerate(ranked):
        both = works[a].fragments & works[b].fragments
        passages = _passages(works[a], works[b], both & rare) if place < _SHOWN else ()
        shares = (len(both) / len(works[a].fragments), len(both) / len(works[b].fragments))
        yield Pair((works[a].student, works[b].student), measure, shares, passages)


def _weight(having: int, common: float) -> int:
    """What a fragment counts: _UNIT where two have it, and less the more do."""
    return round(_UNIT * math.log(common / having) / math.log(common / 2))


# --- Fragments, with copydetect's tokens and fingerprints -------------------------------------------------------------


@lru_cache(maxsize=1 << 15)
def _fragments(code: str) -> Fragments:
    found, _ = utils.get_document_fingerprints(_filtered(code)[0], _LENGTH, 1)
    return frozenset(int(fragment) for fragment in found)


def _filtered(code: str) -> tuple[str, np.ndarray]:
    """The code with names reduced to a letter, and for places in it how many characters were left out before them."""
    text, offsets = utils.filter_code(code, "cell.py", "python")
    # The library writes a wrong, smaller number at the name of a class.
    return text, np.column_stack([offsets[:, 0], np.maximum.accumulate(offsets[:, 1])])


def _all_fragments(cells: Iterable[tuple[str, int]]) -> Fragments:
    return frozenset().union(*(_fragments(code[start:]) for code, start in cells))


# --- Code side by side ------------------------------------------------------------------------------------------------


def _passages(one: _Work, other: _Work, rare: Fragments) -> tuple[Passage, ...]:
    """The cells that share fragments, each beside the one of the other student that it shares most with."""
    found = []
    for code, start in one.cells:
        mine = _fragments(code[start:]) & rare
        best = max(other.cells, key=lambda cell: len(mine & _fragments(cell[0][cell[1] :])), default=None)
        both = mine & _fragments(best[0][best[1] :]) if best else frozenset()
        if best and both:
            found.append(Passage(_marked(code, start, both), _marked(*best, both)))
    return tuple(found)


def _marked(code: str, start: int, shared: Fragments) -> Marked:
    """The lines of the student's part of a cell, each with whether it holds a shared fragment."""
    text, offsets = _filtered(code[start:])
    _, places = utils.get_document_fingerprints(text, _LENGTH, 1)
    chosen = [place for fragment, where in places.items() if int(fragment) in shared for place in where]
    slices = utils.get_copied_slices(np.array(chosen), _LENGTH)
    marked: set[int] = set()
    for first, last in slices.T.astype(int):
        begin, end = (_original(offsets, place) for place in (first, last - 1))
        marked |= set(range(code.count("\n", 0, start + begin), code.count("\n", 0, start + end) + 1))
    head = code.count("\n", 0, start + 1)
    return tuple((line, number in marked) for number, line in enumerate(code.split("\n")) if number >= head)


def _original(offsets: np.ndarray, place: int) -> int:
    """The place in the original code of a place in the filtered code."""
    entry = max(int(np.searchsorted(offsets[:, 0], place, side="left")) - 1, 0)
    return place + int(offsets[entry, 1])
