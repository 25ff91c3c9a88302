"""The feedback page of one submission: from a result to HTML that needs no network and no script.

Students read it. So it shows what a result marks as fit for students, and nothing else: no name of a hidden check, no detail that is
meant for instructors. Whatever a student wrote, names included, is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.course.model import VISIBLE, CheckResult, ExerciseResult, FaultKind, Result, Verdict
from autograder.course.text import printable

_COURSE = "From Bayes to Softmax"
_LONGEST, _MOST = 700, 8  # characters of one message, and faults or repairs that are listed
_CELL_FILE = re.compile(r" \(<ipython-input[^>]*>, line \d+\)")
_NOT_ASKED = (Verdict.BLOCKED, Verdict.NOT_ATTEMPTED)
_NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


@dataclass(frozen=True)
class Task:
    """What an exercise asked, as HTML: its heading, and the text below it."""

    heading: str
    text: str


@dataclass(frozen=True)
class Ending:
    """What became of the score: the final mark, and in words why it differs."""

    mark: str
    notes: tuple[str, ...] = ()


def page(result: Result, title: str, tasks: Mapping[str, Task], ending: Ending | None = None) -> str:
    """The page about a result. `tasks` says what the exercises asked; without an `ending`, the score is the mark."""
    body = _ungraded(result) if result.ungraded is not None else _graded(result, tasks, ending)
    isolation = (
        "<p>This was graded without a sandbox, so the marks are provisional.</p>" if result.isolation == "none" else ""
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Feedback: {_text(title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        f"<header>\n<p>{_COURSE}</p>\n<h1>{_text(title)}</h1>\n<p>Feedback for <bdi>{_text(result.student)}</bdi></p>\n</header>\n"
        f"<main>\n{body}</main>\n"
        f"<footer>\n{isolation}<p>{_FOOTER}</p>\n</footer>\n</body>\n</html>\n"
    )


_FOOTER = (
    "Visible checks are those that <code>check()</code> runs in the notebook. Hidden checks ask the same with numbers of their own, "
    "which stay hidden: what matters is the rule, and the rule is in the exercise."
)


# --- The marks --------------------------------------------------------------------------------------------------------


def _graded(result: Result, tasks: Mapping[str, Task], ending: Ending | None) -> str:
    mark = f"{result.score:g}" if ending is None else ending.mark
    notes = "".join(f"<p>{_text(note)}</p>\n" for note in (ending.notes if ending else ()))
    rows = "".join(_row(exercise) for exercise in result.exercises)
    return (
        '<section aria-labelledby="marks">\n<h2 id="marks">Your marks</h2>\n'
        f'<p class="total">{_text(mark)} <small>of {result.max_score} points</small></p>\n'
        f'<p class="words">{_overall(result.exercises)}</p>\n{notes}'
        "<table>\n<caption>Marks by exercise</caption>\n"
        '<thead><tr><th scope="col">exercise</th><th scope="col">verdict</th><th scope="col" class="number">points</th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table>\n{_running(result)}</section>\n"
        + "".join(_exercise(exercise, tasks.get(exercise.name), _faults(result)) for exercise in result.exercises)
    )


def _row(exercise: ExerciseResult) -> str:
    name = _text(exercise.name).replace("_", "_<wbr>")  # a long name breaks between its words
    return (
        f'<tr><th scope="row"><a href="#{_anchor(exercise)}"><code>{name}</code></a></th><td>{_badge(exercise)}</td>'
        f'<td class="number">{exercise.score:g} of {exercise.points}</td></tr>\n'
    )


def _overall(exercises: Sequence[ExerciseResult]) -> str:
    """How the exercises went, in a sentence."""
    counts = Counter(sorted((_word(exercise) for exercise in exercises), key=_ORDER.index))
    if counts[_RIGHT] == len(exercises):
        return (
            f"All {_number(len(exercises))} exercises are right. Well done!"
            if len(exercises) > 1
            else "The exercise is right. Well done!"
        )
    parts = [f"{_number(count)} {'is' if count == 1 else 'are'} {word}" for word, count in counts.items()]
    sentence = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"Of the {_number(len(exercises))} exercises, {sentence}."


def _word(exercise: ExerciseResult) -> str:
    """An exercise's verdict, as a student wants to hear it."""
    if exercise.verdict is Verdict.PASSED:
        return _RIGHT
    if exercise.score > 0:
        return _PARTLY
    return _WORDS.get(exercise.verdict, _NOT_YET)


_RIGHT, _PARTLY, _NOT_YET = "right", "partly right", "not right yet"
_WORDS = {
    Verdict.NOT_ATTEMPTED: "not attempted",
    Verdict.TIMED_OUT: "stopped because it took too long",
    Verdict.OUT_OF_MEMORY: "stopped because it used too much memory",
    Verdict.CRASHED: "ended by a crash of its own",
    Verdict.GRADER_ERROR: "not graded through a fault of ours",
}
_ORDER = [_RIGHT, _PARTLY, _NOT_YET, *_WORDS.values()]


def _badge(exercise: ExerciseResult, *, capital: bool = False) -> str:
    """The verdict in words, with a sign and a colour that say no more than the words."""
    word = _word(exercise)
    kind, sign = {_RIGHT: ("good", "✓"), _PARTLY: ("part", "◐")}.get(word, ("bad", "✗"))
    word = word.capitalize() if capital else word
    return f'<span class="{kind}"><span aria-hidden="true">{sign} </span>{word}</span>'


def _running(result: Result) -> str:
    """What happened when the notebook was run, if anything did."""
    faults = [_CELL_FILE.sub("", fault) for fault in _faults(result)]
    return (
        _list("Cells that failed", "When your notebook was run from a fresh start, this happened:", faults)
        + _list("What was repaired", "Before grading, this was put right for you; it costs no marks:", result.repairs)
    )  # fmt: skip


def _faults(result: Result) -> list[str]:
    """The faults that a student should know of; that a check cell says what the checks say is none."""
    return [fault.text for fault in result.faults if fault.kind is not FaultKind.CHECK_CELL]


def _list(heading: str, words: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    more = [f"and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    listed = "".join(f"<li>{_text(line)}</li>\n" for line in [*lines[:_MOST], *more])
    return f"<h3>{heading}</h3>\n<p>{words}</p>\n<ul>\n{listed}</ul>\n"


def _ungraded(result: Result) -> str:
    """What is said of a notebook that could not be graded; a reason that is ours stays ours."""
    reason = result.ungraded or ""
    own = reason.startswith(
        (f"{result.student}/{result.assignment} ", f"{result.student}/{result.assignment}: ", *_REASONS)
    )
    why = f"<p>{_text(reason)}</p>\n<p>Hand in the file again, or ask your instructor.</p>\n" if own else _OURS
    return f'<section aria-labelledby="marks">\n<h2 id="marks">Your marks</h2>\n<p class="total">Not graded yet</p>\n{why}</section>\n'


_REASONS = ("The notebook ", "the notebook ", "A cell of the notebook ")
_OURS = "<p>Grading this notebook failed, and not through a fault of yours: it costs no marks. Your instructor will grade it again.</p>\n"


# --- One exercise -----------------------------------------------------------------------------------------------------


def _exercise(exercise: ExerciseResult, task: Task | None, faults: Sequence[str]) -> str:
    heading = task.heading if task and task.heading else f"<code>{_text(exercise.name)}</code>"
    anchor = _anchor(exercise)
    parts = [
        _verdict(exercise),
        _followed(exercise),
        _asked(exercise, task),
        _wrong(exercise, faults),
        _question(exercise),
        _right(exercise),
    ]
    return f'<section aria-labelledby="{anchor}">\n<h2 id="{anchor}">{heading}</h2>\n{"".join(parts)}</section>\n'


def _verdict(exercise: ExerciseResult) -> str:
    asked = [check for check in exercise.checks if check.verdict not in _NOT_ASKED]
    passed = sum(check.verdict is Verdict.PASSED for check in asked)
    words = [f"{passed} of {len(exercise.checks)} checks pass."] if asked else []
    empty = [check.message for check in exercise.checks if check.verdict is Verdict.NOT_ATTEMPTED]
    words += dict.fromkeys(found for message in empty for found in _MISSING.findall(message))
    told = _words(" ".join(words) or "There was nothing to check.")
    return f'<p class="verdict">{_badge(exercise, capital=True)}: {exercise.score:g} of {exercise.points} points. {told}</p>\n'


_MISSING = re.compile(r"The stub has not been filled in\.|The notebook defines no `\w+`\.")


def _followed(exercise: ExerciseResult) -> str:
    if not exercise.followed_through:
        return ""
    return (
        '<p class="note"><strong>Followed through.</strong> This exercise builds on an earlier one that is not right yet. It was graded '
        "once more with a right answer in that place, and the better result counts: you lose no marks twice for the same mistake.</p>\n"
    )


def _asked(exercise: ExerciseResult, task: Task | None) -> str:
    if task is None or not task.text:
        return ""
    # Who has solved it knows what was asked.
    opened = "" if exercise.verdict is Verdict.PASSED else " open"
    return f"<details{opened}>\n<summary>What was asked</summary>\n{task.text}\n</details>\n"


def _wrong(exercise: ExerciseResult, faults: Sequence[str]) -> str:
    failed = [check for check in exercise.checks if check.verdict not in (Verdict.PASSED, *_NOT_ASKED)]
    if not failed:
        return ""
    items = [
        _failed(check, faults, told=[other.traceback[:-1] for other in failed[:place]])
        for place, check in enumerate(failed)
    ]
    blocked = sum(check.verdict is Verdict.BLOCKED for check in exercise.checks)
    if blocked:
        words = "One more check was" if blocked == 1 else f"{_number(blocked).capitalize()} more checks were"
        items.append(f"<li>{words} not asked, because this comes first.</li>\n")
    return f"<h3>What is not right yet</h3>\n<ul>\n{''.join(items)}</ul>\n"


def _failed(check: CheckResult, faults: Sequence[str], told: Sequence[tuple[str, ...]]) -> str:
    """A check that did not pass: what it asks, what came back, and where the student's own code failed unless that was `told` before."""
    message = check.message
    for fault in faults:  # it is told in full above, once
        message = message.replace(fault, "one of your cells failed, see “Cells that failed” above.")
    first, *rows = message.splitlines() or [""]
    question = rows.pop() if rows and rows[-1].endswith("?") and ": " not in rows[-1] else ""
    shown = f"<pre>{_text(chr(10).join(rows))}</pre>\n" if rows else ""
    if check.traceback:
        *lines, error = check.traceback
        again = tuple(lines) in told
        where = f"In the same lines as above: {_text(error)}" if again else "In these lines of yours:"
        shown += f"<p>{where}</p>\n" + ("" if again else f"<pre>{_text(chr(10).join(check.traceback))}</pre>\n")
    asked = f'<p class="question">{_words(question)}</p>\n' if question else ""
    return f"<li>{_kind(check)}{_words(first)}\n{shown}{asked}</li>\n"


def _kind(check: CheckResult) -> str:
    return '<span class="soft">Visible check:</span> ' if check.name.startswith(VISIBLE) else ""


def _question(exercise: ExerciseResult) -> str:
    if not exercise.question:
        return ""
    return f'<h3>A question to think about</h3>\n<p class="question">{_words(exercise.question)}</p>\n'


def _right(exercise: ExerciseResult) -> str:
    passed = [check for check in exercise.checks if check.verdict is Verdict.PASSED]
    if not passed:
        return ""
    listed = "".join(f"<li>{_kind(check)}{_words(check.message)}</li>\n" for check in passed)
    # Where all is right, or little, the list says little; where something is missing, it says what need not be touched.
    summary = "What is right" if len(passed) < len(exercise.checks) else "What the checks looked at"
    return f"<details>\n<summary>{summary} ({len(passed)} {'check' if len(passed) == 1 else 'checks'})</summary>\n<ul>\n{listed}</ul>\n</details>\n"


# --- Words and style --------------------------------------------------------------------------------------------------


def _anchor(exercise: ExerciseResult) -> str:
    return f"exercise-{_text(re.sub(r'[^A-Za-z0-9_-]', '-', exercise.name))}"


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _text(value: str) -> str:
    """A text of any origin, fit to stand between tags or in an attribute: bounded, escaped, without what could steer a reader's screen."""
    shown = value if len(value) <= _LONGEST else f"{value[:_LONGEST]} ..."
    return html.escape(printable(shown), quote=True)


def _words(value: str) -> str:
    """A sentence in which code stands between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _text(value))


@cache
def _style() -> str:
    text = (Path(__file__).parent / "templates" / "feedback.css").read_text(encoding="utf-8")
    return text.replace("\n", "")


def _policy() -> str:
    """The page may use its own style, and nothing else: no script, no picture, no network."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def duration(seconds: float) -> str:
    """A length of time as people say it: in days and hours begun, or in minutes below one hour."""
    minutes = -int(-seconds // 60)
    if minutes < 60:
        return _units([(minutes, "minute")])
    days, hours = divmod(-(-minutes // 60), 24)
    return _units([(days, "day"), (hours, "hour")])


def _units(parts: Iterable[tuple[int, str]]) -> str:
    return " and ".join(f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in parts if count)
