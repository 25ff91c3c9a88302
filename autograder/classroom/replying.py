"""The verb `groups`: who answered alike, and one reply to all of them, in results, marks and nbgrader's gradebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Course, policy, sources
from autograder.course.errors import AuthorError, UsageError
from autograder.course.model import Result
from autograder.grading.groups import applying, replies
from autograder.grading.groups.grouping import Group, groups
from autograder.grading.groups.replies import Replies, Stanza
from autograder.grading.reading import Unreadable, counted
from autograder.nbgrader_bridge import backups, by_hand, lost
from autograder.nbgrader_bridge.folder import CONFIG, CourseFolder
from autograder.nbgrader_bridge.gradebook import Book


@dataclass(frozen=True)
class Groups:
    """The groups of a class, and the replies to groups in which nobody is any more."""

    groups: Sequence[Group]
    left: Sequence[Stanza]
    unreadable: Sequence[Unreadable] = ()
    """What may belong to them as well."""


@dataclass(frozen=True)
class Replied:
    """What a reply, or taking one back, did."""

    folder: Path
    """Where the results and the replies are."""
    concerned: Sequence[tuple[Stanza, int]]
    """The replies that were given or taken back, and to how many students."""
    changed: int
    """How many results are others now."""
    remarks: Sequence[str]
    unreadable: Sequence[Unreadable] = ()
    """What may be an answer like these, and has no reply."""
    table_is_strange: bool = False
    """Whether the table of marks has none of it."""
    copy: str = ""
    """Where the gradebook is as it was before, in words; empty where there was nothing to lose."""


def look(place: Path, assignment: str | None = None) -> Groups:
    """The groups in a folder of results or an nbgrader course, of one notebook or of all of them."""
    folder, _ = _folders(place)
    results, unreadable = applying.results_in(folder).apart()
    unreadable = tuple(one for one in unreadable if assignment is None or one.assignment in (None, assignment))
    if not unreadable:
        _require(assignment, results, folder)
    found = groups(result for result in results if assignment in (None, result.assignment))
    keys = {(group.assignment, group.exercise, group.name) for group in found}
    kept = [stanza for stanza in replies.load(folder) if assignment in (None, stanza.assignment)]
    return Groups(found, [stanza for stanza in kept if stanza.key not in keys], unreadable)


def reply(place: Path, course: Course, file: Path) -> Replied:
    """Give the replies in a file, and keep them beside the results; nothing is done if anything is wrong with one.

    What was replied to the same groups before is replaced.
    """
    folder, of_nbgrader = _folders(place)
    stanzas = replies.read(file)
    known = replies.load(folder)
    results, unreadable = applying.results_in(folder).apart()
    before = groups(results)
    try:
        replies.check(file, stanzas, before, known)
    except AuthorError as error:
        if not unreadable:
            raise
        damaged = " ".join(one.words for one in unreadable)
        raise AuthorError(f"{error} {counted(unreadable)}, and may be of that group: {damaged}") from None
    return _change(course, folder, of_nbgrader, known.with_these(stanzas), stanzas, before)


def take_back(place: Path, course: Course, named: str, assignment: str | None = None) -> Replied:
    """Take the reply to a group back, named as GROUP or EXERCISE:GROUP: every answer has what the checks gave."""
    folder, of_nbgrader = _folders(place)
    known = replies.load(folder)
    stanza = replies.find(known, named, assignment)
    results, _ = applying.results_in(folder).apart()  # what cannot be read is named when the others are changed
    return _change(course, folder, of_nbgrader, known.without(stanza), [stanza], groups(results))


def _folders(place: Path) -> tuple[Path, CourseFolder | None]:
    """Where the results are, and the nbgrader course that they belong to, if they do."""
    if not (place / CONFIG).exists():
        return place, None
    of_nbgrader = CourseFolder.at(place)
    graded, root = of_nbgrader.graded, place.resolve()
    return place / graded.relative_to(root) if graded.is_relative_to(root) else graded, of_nbgrader


def _require(assignment: str | None, results: Sequence[Result], folder: Path) -> None:
    known = sorted({result.assignment for result in results})
    if assignment is not None and assignment not in known:
        raise UsageError(f"There are no results of {assignment!r} in {folder}. There are some of: {', '.join(known)}.")


def _change(
    course: Course,
    folder: Path,
    of_nbgrader: CourseFolder | None,
    wanted: Replies,
    concerned: Sequence[Stanza],
    found: Sequence[Group],
) -> Replied:
    """Keep the wanted replies, and bring results, marks and gradebook up to date, in this order.

    Who is interrupted runs the same command again. The gradebook is opened first, and a copy of it is made: if one of
    these cannot be, nothing is done.
    """
    by_key = {(group.assignment, group.exercise, group.name): group for group in found}
    with _book(of_nbgrader) as book:
        copy = backups.keep(of_nbgrader.gradebook) if of_nbgrader is not None else ""
        replies.write(folder, wanted)
        applied = applying.apply(folder, wanted)
        if book is not None and of_nbgrader is not None:
            _into_gradebook(course, of_nbgrader, book, applied.results, concerned)
    remarks = [
        f"{stanza.words}: the checks had given more to {lowered} of them."
        for stanza in concerned
        if stanza in wanted and (lowered := _lowered(stanza, by_key.get(stanza.key)))
    ]
    if applied.table_is_strange:
        remarks.append(f"{folder / 'grades.csv'} is not as `grade` wrote it, and has none of this: grade again.")
    sizes = [(stanza, by_key[stanza.key].size if stanza.key in by_key else 0) for stanza in concerned]
    return Replied(folder, sizes, applied.changed, remarks, applied.unreadable, applied.table_is_strange, copy)


def _lowered(stanza: Stanza, group: Group | None) -> int:
    """How many of a group have less by a reply than the checks gave them."""
    if group is None or stanza.points is None:
        return 0
    return sum(earned > stanza.points for earned in group.earned)


@contextmanager
def _book(of_nbgrader: CourseFolder | None) -> Iterator[Book | None]:
    if of_nbgrader is None:
        yield None
        return
    with lost.opened_existing(of_nbgrader) as book:
        book.require_writable()
        yield book


def _into_gradebook(
    course: Course, place: CourseFolder, book: Book, results: Sequence[Result], concerned: Sequence[Stanza]
) -> None:
    """Give, or take out, what the replies say in the gradebook, for all notebooks that are concerned."""
    rules = policy.load(place.policy, sorted({*book.assignments(), *course.stems()}))
    stems = {stanza.assignment for stanza in concerned} & set(book.assignments()) & set(course.stems())
    exercises = {stem: sources.exercises(sources.read(course.source(stem))) for stem in stems}
    before = {(stem, student) for stem in stems for student in book.given_something(stem)}
    with book.transaction():
        for result in results:
            if result.assignment not in stems or result.ungraded is not None:
                continue
            now = any(exercise.reply is not None for exercise in result.exercises)
            if now or (result.assignment, result.student) in before:
                given = by_hand.given(result, exercises[result.assignment])
                book.give(result.assignment, result.student, given)
    book.apply(rules)
