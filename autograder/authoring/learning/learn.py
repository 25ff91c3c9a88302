"""The verb `learn`: what a class believes that the catalogue does not know, proposed, completed by a person, and added.

Code of students stays in the folder of their class. Only `add` writes to the catalogue, and only what a person has
read, named and put into words.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.learning import cleaning, proposal
from autograder.authoring.learning.cleaning import NotUsable
from autograder.authoring.learning.proposal import GAP, Proposal
from autograder.authoring.learning.trying import Probes, Trial, probes_of, try_out
from autograder.course import Course, files, sources
from autograder.course.errors import AuthorError, SubmissionError, UsageError
from autograder.course.model import Exercise, ExerciseResult, Result, Verdict
from autograder.grading import reading, store
from autograder.grading.groups.applying import results_in
from autograder.grading.groups.grouping import Group, groups
from autograder.grading.reading import Found, Unreadable, counted
from autograder.nbgrader_bridge.folder import CONFIG, CourseFolder
from autograder.validity import samples

_FOLDER = "learned"
_TRIED = 3  # answers of a group, the shortest first, that are tried for each function
_DIGEST = re.compile(r"[0-9a-f]{8,64}(?:-[0-9a-f]{8,64})*")  # what says more than that everybody was stopped
_HEAD = '''"""Known answers to {stem}."""

import numpy as np

from autograder.course.catalogue import misconception
'''


@dataclass(frozen=True)
class Proposed:
    """A proposal that was written, and how it fared."""

    path: Path
    trial: Trial
    unreadable: Sequence[Unreadable]
    """Results that may be of the group as well."""


@dataclass(frozen=True)
class Added:
    """An entry that was added to the catalogue, and what was found out about it."""

    path: Path
    proposal: Proposal
    remarks: Sequence[str]


@dataclass(frozen=True)
class Unknown:
    """The groups of a class whose mistake is in no catalogue, the largest first, and what may be of them as well."""

    groups: Sequence[Group]
    unreadable: Sequence[Unreadable]


def unknown(place: Path) -> Unknown:
    """What a class answers that the catalogue does not know."""
    results, unreadable = results_in(_results(place)).apart()
    found = [group for group in groups(results) if group.misconception is None]
    return Unknown(
        sorted(found, key=lambda group: (-group.size, group.assignment, group.exercise, group.name)), unreadable
    )


def propose(course: Course, place: Path, named: str, out: Path | None = None, *, workers: int = 0) -> Proposed:
    """Write a proposal for the mistake of a group, named by its digest or how that begins.

    It goes to `learned/` in the folder of the class. An answer that cannot be an entry is refused, and nothing is
    written: the error says why.
    """
    found = unknown(place)
    group = _named(found.groups, named)
    exercise = _exercise(course, group.assignment, group.exercise)
    path = out or place / _FOLDER / group.assignment / f"{group.exercise}-{group.name}.py"
    if path.exists():
        raise UsageError(f"{path} is there already. Complete it, or delete it to have it written anew.")
    members, unreadable = _members(_results(place), group).apart()
    unreadable = (*found.unreadable, *unreadable)
    probes = probes_of(course, members[0].secret)
    answers = [next(one for one in member.exercises if one.name == group.exercise) for member in members]
    candidates = _candidates(course, exercise, group, answers)
    best = _best(try_out(course, candidates, probes, hidden=place, workers=workers))
    if best.ended:
        raise SubmissionError(f"Nothing is learnt from group {group.name}: {best.problems[0]}.")
    if max(best.graded.shares) == 1:
        raise SubmissionError(
            f"Group {group.name} cannot be learnt from one function: beside right answers, it gets full marks."
        )
    size = f"{group.size} student{'' if group.size == 1 else 's'}"
    more = f" ({counted(unreadable)}, and may be of them)" if unreadable else ""
    remarks = [f"{size} answered {group.exercise} of {group.assignment} like this{more}", *best.remarks]
    files.replace(path, proposal.written(best.proposal, remarks).encode())
    return Proposed(path, best, unreadable)


def add(course: Course, place: Path, path: Path, *, workers: int = 0) -> Added:
    """Add a proposal that a person has completed to the course's catalogue; an error says why it is not added."""
    one = proposal.read(path)
    proposal.check_complete(path, one)
    exercise = _exercise(course, one.stem, one.exercise)
    if one.function not in exercise.functions:
        raise AuthorError(f"{path}: {one.exercise} asks for no function {one.function!r}. Correct function=....")
    target = course.misconceptions(one.stem)
    catalogue = target.read_text(encoding="utf-8") if target.exists() else _HEAD.format(stem=one.stem)
    _check_place(path, one, target, catalogue)
    (trial,) = try_out(course, [one], _probes_of_group(course, place, one), hidden=place, workers=workers)
    if trial.problems:
        raise AuthorError(f"{path} was not added: " + "; ".join(trial.problems) + ".")
    if trial.comparable and not trial.is_alike:
        raise AuthorError(
            f"{path} was not added: its code does not behave like the group {one.group} that it is from. "
            "Put back what was proposed, or delete the file and propose it anew."
        )
    text = f"{catalogue.rstrip()}\n\n\n{one.text.rstrip()}\n"
    _require_the_same_and_one_more(path, catalogue, text)
    files.replace(target, text.encode())
    return Added(target, one, trial.remarks)


# --- Of which group ---------------------------------------------------------------------------------------------------


def _results(place: Path) -> Path:
    """The folder of results in the folder of a class, which may be an nbgrader course."""
    return CourseFolder.at(place).graded if (place / CONFIG).exists() else place


def _named(found: Sequence[Group], named: str) -> Group:
    exercise, _, digest = named.rpartition(":")
    fitting = [group for group in found if group.name.startswith(digest) and exercise in ("", group.exercise)]
    exact = [group for group in fitting if group.name == digest]
    fitting = exact or fitting
    if not digest or not fitting:
        raise UsageError(
            f"There is no group {named!r} of answers that the catalogue does not know. "
            "`autograder learn DIR` lists those that there are."
        )
    if len(fitting) > 1:
        names = ", ".join(f"{group.exercise}:{group.name}" for group in fitting[:5])
        raise UsageError(f"{named!r} is the name of several groups: {names}. Write more of one.")
    if not _DIGEST.fullmatch(fitting[0].name):
        raise SubmissionError(f"Nothing is learnt from group {fitting[0].name!r}: it did not come to its end.")
    return fitting[0]


def _members(folder: Path, group: Group) -> Found:
    """The results of the students in a group, those with the shortest code first; one of them can be read."""
    read = [reading.read(store.path_of(folder, student, group.assignment)) for student in group.students]
    found = [one for one in read if isinstance(one, Result)]
    damaged = tuple(one for one in read if isinstance(one, Unreadable))
    if not found and damaged:
        raise UsageError(f"{damaged[0].words} Grade again, and it is made anew.")
    if not found:
        raise UsageError(f"The results of group {group.name} in {folder} are gone: grade again.")

    def length(result: Result) -> tuple[int, str]:
        code = next(one.code for one in result.exercises if one.name == group.exercise)
        return (len(code) or 1 << 30, code)

    return Found(tuple(sorted(found, key=length)), damaged)


def _exercise(course: Course, stem: str, name: str) -> Exercise:
    for exercise in sources.exercises(sources.read(course.source(stem))):
        if exercise.name == name:
            return exercise
    raise UsageError(f"{stem} of this course has no exercise {name!r}: these are results of another version of it.")


def _probes_of_group(course: Course, place: Path, one: Proposal) -> Probes:
    """What the group was probed with from which a proposal comes; those of nobody if it is not there any more."""
    for group in unknown(place).groups:
        if (group.assignment, group.exercise, group.name) == (one.stem, one.exercise, one.group):
            members, _ = _members(_results(place), group).apart()
            return probes_of(course, members[0].secret)
    return Probes(same=False)


# --- What is proposed -------------------------------------------------------------------------------------------------


def _candidates(course: Course, exercise: Exercise, group: Group, answers: Sequence[ExerciseResult]) -> list[Proposal]:
    """For each function that the exercise asks for, some ways in which the group answers it, made nobody's."""
    caught_by = _caught_by(answers)
    found: list[Proposal] = []
    reasons: list[str] = []
    source = sources.read(course.source(group.assignment))
    for function in exercise.functions:
        codes, problems = _cleaned(answers, function, samples.reference_code(source, function))
        reasons += problems
        found += [
            Proposal(
                stem=group.assignment,
                exercise=exercise.name,
                function=function,
                group=group.name,
                name=f"{GAP}_what_it_does_wrong",
                belief=f"{GAP}: what somebody believes who answers like this.",
                caught_by=caught_by,
                hint=f"{GAP}: a question that reveals the mistake, and does not give the answer?",
                code=code,
            )
            for code in codes
        ]
    if not found:
        raise NotUsable(f"Nothing can be learnt from the code of group {group.name}: {reasons[0]}.")
    return found


def _cleaned(answers: Sequence[ExerciseResult], function: str, reference: str) -> tuple[list[str], list[str]]:
    """Some answers that differ when they are nobody's, and why others cannot be used."""
    codes: list[str] = []
    problems: list[str] = []
    for answer in answers:
        if not answer.code:
            problems.append("none was kept; grade again")
            continue
        try:
            code = cleaning.cleaned(answer.code, function, reference)
        except NotUsable as error:
            problems.append(str(error))
            continue
        if code not in codes:
            codes.append(code)
        if len(codes) == _TRIED:
            break
    return codes, problems


def _caught_by(answers: Sequence[ExerciseResult]) -> str:
    """The check that rejects most of them: the gate, or else another hidden one, or else a visible one."""
    hidden = Counter(name for answer in answers for name in _failed(answer) if name.isidentifier())
    return hidden.most_common(1)[0][0] if hidden else "visible"


def _failed(answer: ExerciseResult) -> Iterator[str]:
    failed = [check for check in answer.checks if check.verdict is Verdict.FAILED and not check.visible]
    gates = [check.name for check in failed if check.gate]
    yield from gates or [check.name for check in failed]


def _best(trials: Sequence[Trial]) -> Trial:
    """The trial that says most: of an answer that behaves like the group, or at least of one that is rejected."""
    return min(trials, key=lambda trial: (not trial.is_alike, trial.ended, max(trial.graded.shares) == 1))


# --- Where it is added ------------------------------------------------------------------------------------------------


def _check_place(path: Path, one: Proposal, target: Path, catalogue: str) -> None:
    """Raise unless the catalogue has what an entry needs, and nothing of the same name or the same code."""
    module = ast.parse(catalogue)
    names = {name for node in module.body for name in _names(node)}
    if one.name in names:
        raise AuthorError(f"{path}: {target.name} has something called {one.name!r} already. Choose another name.")
    for needed, line in (
        ("np", "import numpy as np"),
        ("misconception", "from autograder.course.catalogue import ..."),
    ):
        if needed not in names:
            raise AuthorError(f"{target} does not import `{needed}`. Add it there ({line}), then add the entry.")


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    else:
        yield from (
            part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        )


def _require_the_same_and_one_more(path: Path, before: str, after: str) -> None:
    """Raise unless the new text is the old one and a function, whatever the lines of the proposal hold."""
    old, new = ast.parse(before).body, ast.parse(after).body
    same = [ast.dump(node) for node in new[:-1]] == [ast.dump(node) for node in old]
    if not same or not isinstance(new[-1], ast.FunctionDef):
        raise AuthorError(f"{path}: where the function begins and ends cannot be told. Put it on lines of its own.")
