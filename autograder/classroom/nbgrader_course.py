"""The verbs `course` and `grade --course`: an nbgrader course made from this one, and its classes graded."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from autograder.authoring import bundle, leaks, release
from autograder.classroom.kept import TIMESTAMP, Kept, Read
from autograder.course import Course, files, notebook, policy, roster, sources
from autograder.course.errors import AuthorError, GradebookError, SubmissionError, UsageError
from autograder.course.limits import Limits
from autograder.course.model import Result
from autograder.engine.jobs import Outcome
from autograder.engine.outputs import harmless
from autograder.grading import submissions
from autograder.grading.grade import Options, Progress, Run, grade_submissions, notebook_of
from autograder.grading.places import Skipped
from autograder.grading.submissions import HandedIn
from autograder.nbgrader_bridge import autograded, backups, by_hand, examiner, gradebook, lost
from autograder.nbgrader_bridge.by_hand import Given
from autograder.nbgrader_bridge.folder import CONFIG, CourseFolder, moment
from autograder.nbgrader_bridge.generate import generate_into
from autograder.nbgrader_bridge.gradebook import Book

_TEMPLATES = Path(__file__).parent / "templates"
_OWN_GRADEBOOK = (
    '# c.CourseDirectory.db_url = "postgresql+psycopg://user@host/name"    # default: gradebook.db in this folder'
)


def build(
    course: Course,
    root: Path,
    stems: list[str] | None = None,
    *,
    address: str | None = None,
    new_gradebook: bool = False,
    tell: Callable[[str], None] = lambda words: None,
) -> list[str]:
    """Make the nbgrader course in a folder, or bring it up to date; in words, what was done.

    Its gradebook is at the address, or in the folder. Submissions, grades and settings that are there stay as they are.
    All that students could see is scanned for leaks, and gradebook, policy and roster are checked, before anything but
    the settings is written. Before the gradebook changes, a copy of it is made; `tell` is called with where it is.
    Where a gradebook is lost, none is made, unless a `new_gradebook` is wanted.
    """
    wanted = course.select(stems)
    _require_course_or_nothing(root)
    if (root / CONFIG).exists() and not new_gradebook:
        lost.refuse_lost(CourseFolder.at(root))
    url = _gradebook(root, address)
    built = release.build(course, wanted)
    leaks.refuse_leaks(course, _for_students(course, built))
    told = _settings(course, root, wanted, url)
    place = CourseFolder.at(root)
    with gradebook.opened(place.gradebook, place.course_id) as book:
        book.require_writable()
        for stem in wanted:
            _refuse_other_cells(book, stem, notebook.parse(built[stem], stem))
        known = {stem for stem in wanted if book.cells(stem)}
        rules, people = _rules(course, place, book)
        is_up_to_date = book.is_up_to_date(people, rules)
    planned = {stem: _planned(course, place, stem, built[stem], rules) for stem in wanted}
    stale = {stem for stem in wanted if any(_differing(*one) for one in planned[stem].items())}
    if not is_up_to_date or stale or known != set(wanted):
        _keep_copy(place, tell, of=backups.PEOPLE)
    for stem in wanted:
        if stem in stale or stem not in known:
            _write({place.source(stem): planned[stem][place.source(stem)]})
            generate_into(place.coursedir, stem)
            _write(planned[stem])  # the release is complete last: who is killed before begins again here
        told.append(
            f"{stem}: {'made' if stem not in known else 'brought up to date' if stem in stale else 'unchanged'}"
        )
    with gradebook.opened(place.gradebook, place.course_id) as book:
        count = book.bring_up_to_date(people, rules)
    place.submitted.mkdir(exist_ok=True)
    if people:
        told.append(f"{len(people)} students on the roster")
    if count:
        told.append(f"due dates, extensions and late penalties recomputed for {count} submissions")
    return told


def grade_class(
    course: Course, root: Path, stem: str, options: Options, progress: Progress = lambda done, total: None
) -> Run:
    """Grade what a class handed in for an assignment; gradebook and autograded notebooks say the same afterwards.

    Each submission is written in one transaction: marks and notebook, or neither. Manual scores, comments and extra
    credit are people's work and stay.
    """
    place = CourseFolder.at(root)
    with lost.opened_existing(place) as book:
        source = sources.read(course.source(stem))
        originals, exercises = book.originals(source, stem), sources.exercises(source)
        rules, people = _rules(course, place, book)
        limits = options.limits or rules.limits or policy.limits(course)
        handed_in = _handed_in(place, stem, course.stems(), limits, {person.id for person in people})
        options = replace(options, limits=limits, allowed=rules.allowed if options.allowed is None else options.allowed)
        if not (options.changes or (options.explain and (options.out / "results").is_dir())):
            book.require_writable()
            _keep_copy(place, options.tell)  # and if that cannot be, before anything is graded
        with Kept(place, stem, options.out) as kept:
            hidden = (place.submitted, place.root / "source")
            run = grade_submissions(course, kept.watched(handed_in), options, progress, hidden=hidden)
            if not run.written:
                return run
            book.apply(rules)

            def record(result: Result) -> None:
                read = kept.of(result.student)  # the file may have changed since
                shown = notebook_of(options.out, result)
                executed = shown.read_bytes() if options.full and shown.exists() else None
                graded = examiner.graded_notebook(Outcome(result, executed), read.content, originals)
                _record(place, book, result, read, graded, rules, by_hand.given(result, exercises))

            problems = _each([result for result in run.results if result.ungraded is None], record)
    return replace(run, problems=(*run.problems, *problems))


def _each(results: Sequence[Result], record: Callable[[Result], None]) -> list[str]:
    """Record results; in words, which ones could not be. An error where none can be: it is not about a submission."""
    failures: list[tuple[Result, Exception]] = []
    for result in results:
        try:
            record(result)
        except (SubmissionError, OSError, ValueError) as error:
            failures.append((result, error))
    if failures and len(failures) == len(results):
        raise failures[0][1]
    return [
        f"{result.student} was graded, and could not be recorded: {error}. Run the same command again."
        for result, error in failures
    ]


def _keep_copy(place: CourseFolder, tell: Callable[[str], None], of: Sequence[str] = backups.MARKS) -> None:
    if words := backups.keep(place.gradebook, of=of):
        tell(words)


def _record(
    place: CourseFolder,
    book: Book,
    result: Result,
    read: Read,
    graded: NotebookNode,
    rules: policy.Policy,
    given: Sequence[Given],
) -> None:
    stem, student = result.assignment, result.student
    folder = place.autograded(stem, student)
    beside = {folder / name: content for name, content in read.beside.items()}
    handed_in = moment(read.beside.get(TIMESTAMP, b""))
    with book.transaction():
        book.record(stem, student, graded, handed_in, rules, given)
        files.replace_all({folder / f"{stem}.ipynb": notebook.dumps(harmless(graded)), **beside})


def _handed_in(place: CourseFolder, stem: str, stems: Sequence[str], limits: Limits, known: set[str]) -> HandedIn:
    """The submissions of one assignment by students whom the roster knows; the others are listed with advice."""
    if not place.submitted.is_dir():
        raise UsageError(
            f"Nobody has handed in anything: there is no folder {place.submitted}. `autograder collect` fills it."
        )
    found = submissions.find(place.submitted, stems, limit=limits.notebook_bytes)
    ours = [submission for submission in found.submissions if submission.assignment == stem]
    strangers = [submission for submission in ours if known and submission.student not in known]
    refused = [Skipped(stranger.where, _stranger(stranger.student, known)) for stranger in strangers]
    missing = [(student, name) for student, name in found.missing if name == stem]
    others = [name for name in stems if name != stem]
    about = [entry for entry in found.skipped if stem in entry.where or not any(name in entry.where for name in others)]
    kept = tuple(submission for submission in ours if submission not in strangers)
    return HandedIn(kept, (*about, *refused), tuple(missing))


def _stranger(student: str, known: set[str]) -> str:
    near = difflib.get_close_matches(student, sorted(known), n=1)
    advice = f"Is it {near[0]!r}? Then rename the folder; otherwise add the student" if near else "Add the student"
    return f"there is no student {student!r} on the roster. {advice} to it, or remove the folder"


def _rules(course: Course, place: CourseFolder, book: Book) -> tuple[policy.Policy, list[roster.Person]]:
    """The policy of the class and the students on its roster, both found to be in order."""
    rules = policy.load(place.policy, sorted({*book.assignments(), *course.stems()}))
    policy.allowed_names(course, rules.allowed)  # raises where one is not known
    people = roster.read(rules)
    known = {person.id for person in people} | set(book.people())
    if not people and place.submitted.is_dir():
        known |= {path.name for path in place.submitted.iterdir() if path.is_dir()}
    if known:
        rules.check_students(known)
    return rules, people


# --- Files of the course ----------------------------------------------------------------------------------------------


def _require_course_or_nothing(root: Path) -> None:
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file. Name a folder for the course.")
    if root.is_dir() and any(root.iterdir()) and not (root / CONFIG).exists():
        raise UsageError(f"{root} is not empty and is not an nbgrader course: it has no {CONFIG}. Name another folder.")


def _gradebook(root: Path, given: str | None) -> str | None:
    """The address that a new course is told, found to be usable; None for a gradebook in its folder."""
    if given is None:
        return None
    url = gradebook.address(given)
    if (root / CONFIG).exists():
        if CourseFolder.at(root).gradebook != url:
            where = root / CONFIG
            raise UsageError(
                f"This course has its gradebook elsewhere: see c.CourseDirectory.db_url in {where}. Change it there."
            )
        return url
    with gradebook.opened(url):
        return url


def _settings(course: Course, root: Path, stems: tuple[str, ...], url: str | None) -> list[str]:
    """Write the two files that are the instructor's to change, where they are missing."""
    due = "\n".join(f"# {stem} = 2026-10-12T23:59:00+02:00" for stem in stems)
    line = _OWN_GRADEBOOK if url is None else f"c.CourseDirectory.db_url = {url!r}"
    config = _template(CONFIG).format(gradebook=line)
    if not _is_installed(course):
        config += f"c.Restore.repository = c.Examine.repository = c.Settle.repository = {str(course.root)!r}\n"
    texts = {CONFIG: config, policy.FILE: _template(policy.FILE).format(due=due)}
    missing = {name: text for name, text in texts.items() if not (root / name).exists()}
    files.replace_all({root / name: text.encode() for name, text in missing.items()})
    return [f"{name}: made" if name in missing else f"{name}: kept as it is" for name in texts]


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.template").read_text(encoding="utf-8")


def _is_installed(course: Course) -> bool:
    """Whether it is the course that preprocessors take when nothing else is set."""
    try:
        return course.root.resolve() == Course.default().root
    except AuthorError:  # the package is installed without a course
        return False


def _refuse_other_cells(book: Book, stem: str, released: NotebookNode) -> None:
    before, now = book.cells(stem), autograded.grade_ids(released)
    if before and before != now and book.has_submissions(stem):
        changed = ", ".join(sorted(before ^ now))
        raise GradebookError(
            f"Submissions of {stem} are in the gradebook, and its graded cells have changed since ({changed}). "
            "nbgrader cannot change them any more: finish this class with the version that it got, "
            "or make a new course in another folder."
        )


def _inside(course: Course, stem: str, content: bytes, rules: policy.Policy | None = None) -> dict[str, bytes]:
    """What lies in an assignment's folder: the notebook, the checks and the data that it uses, and its style."""
    visible = course.checks / "exercises" / f"{stem}.py"
    text = content.decode() + (visible.read_text(encoding="utf-8") if visible.exists() else "")
    found = {f"{stem}.ipynb": content}
    for path, data in release.contents(course, {}).items():
        where, _, name = path.partition("/")
        by_notebook = name.startswith(("checks/exercises/", "checks/practice/"))
        others = by_notebook and Path(name).stem not in (stem, "__init__")
        if where == "notebooks" and (name == "matplotlibrc" or name.startswith("checks/")) and not others:
            found[name] = data
        elif where == "data" and (name == "README.md" or name in text):
            found[path] = data
    if rules is not None:  # even if it allows nothing: it may have allowed something before
        allowed = policy.allowed_names(course, rules.allowed)
        found[bundle.ALLOWED.removeprefix("notebooks/")] = bundle.allowed_file(allowed)
    return found


def _for_students(course: Course, built: dict[str, bytes]) -> dict[str, bytes]:
    """Everything in the folders that nbgrader releases, under the paths that the leak scan knows from the bundle."""
    inside = [item for stem, content in built.items() for item in _inside(course, stem, content).items()]
    return {name if name.startswith("data/") else f"notebooks/{name}": data for name, data in inside}


def _planned(
    course: Course, place: CourseFolder, stem: str, released: bytes, rules: policy.Policy
) -> dict[Path, dict[str, bytes]]:
    """What is to be in the two folders of an assignment."""
    source = course.source(stem).read_bytes()
    return {
        place.source(stem): _inside(course, stem, source, rules),
        place.release(stem): _inside(course, stem, released, rules),
    }


def _differing(folder: Path, inside: dict[str, bytes]) -> dict[Path, bytes]:
    """What is not there or differs. Other files are the instructor's."""
    wanted = {folder / name: data for name, data in inside.items()}
    return {path: data for path, data in wanted.items() if not path.is_file() or path.read_bytes() != data}


def _write(planned: dict[Path, dict[str, bytes]]) -> None:
    for folder, inside in planned.items():
        files.replace_all(_differing(folder, inside))
