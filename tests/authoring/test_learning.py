"""From a mistake of a class to an entry of the catalogue: nobody's code, nothing hostile, never without a person."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sample_class import copy_course, source_of

from autograder.authoring.learning import learn, proposal
from autograder.authoring.learning.cleaning import NotUsable, cleaned
from autograder.course import Course, catalogue, notebook
from autograder.course.errors import AuthorError, AutograderError, SubmissionError, UsageError
from autograder.course.model import NEXT_CELL
from autograder.grading.grade import Options, grade
from autograder.validity import samples

STEM = "01_bayes_rule"
REFERENCE = """
def posterior(prior, likelihood):
    joint = prior * likelihood
    return {"joint": joint / joint.sum()}
"""


def clean(code: str) -> str:
    return cleaned(code, "posterior", REFERENCE)


# --- Nobody's code ----------------------------------------------------------------------------------------------------


def test_nothing_that_says_whose_code_it_was_is_left() -> None:
    code = clean(
        '''
import numpy as np
from math import exp as annas_exp
ANNAS_SCALE: float = 3.0
def helper_of_anna(anna: int, ben=1) -> "Anna":
    """Made by Anna."""
    return anna * ANNAS_SCALE + annas_exp(ben)
'''
        + NEXT_CELL
        + '''
%matplotlib inline
def posterior(annas_prior, l: "Anna") -> "Anna":
    """By Anna."""
    # a comment of Anna's
    print("Anna was here")
    "Anna again"
    annas_joint = annas_prior * l
    if annas_joint.sum() == 0:
        raise ValueError(f"Anna says {annas_prior}")
    assert len(l) > 0, "Anna"
    try:
        anna = {"joint": annas_joint, "anna": f"{l}", "ben": "Anna"}
    except:
        anna = np.array([1], dtype="float")
    except_anna = [helper_of_anna(anna=x, ben=2) for x in np.einsum("i->i", annas_joint)]
    return except_anna
'''
    )
    assert "anna" not in code.lower() and "ben" not in code.lower()
    assert "def posterior(prior, likelihood):" in code, "parameters are called as the task calls them"
    assert "'joint'" in code and "'float'" in code and "'i->i'" in code, "texts that the calculation needs stay"
    assert "except Exception:" in code and "raise ValueError\n" in code
    assert "pass" not in code and "print" not in code


def test_what_is_left_does_what_the_student_wrote() -> None:
    code = clean(
        "scale = 2\ndef helper(anna, ben=1):\n    return anna * scale + ben\n"
        "def posterior(a, prior):\n    likelihood = helper(anna=a, ben=3)\n    return likelihood - prior"
    )
    scope: dict[str, object] = {}
    exec(code, scope)
    assert scope["posterior"](5, 1) == 12  # type: ignore[operator]


def test_a_lambda_becomes_a_function_and_what_calls_itself_still_does() -> None:
    assert clean("posterior = lambda a, b: a - b") == "def posterior(prior, likelihood):\n    return prior - likelihood"
    code = clean("def posterior(n, m):\n    return 1 if n < 1 else n * posterior(n - 1, m)")
    scope: dict[str, object] = {}
    exec(code.replace("def posterior", "def other"), scope)
    assert scope["other"](4, 0) == 24, "under another name, too"  # type: ignore[operator]


def test_what_is_used_but_not_imported_is_imported() -> None:
    assert "import math" in clean("def posterior(a, b):\n    return math.sqrt(np.sum(a))")


HOSTILE = {
    "opens a file": "    return open('/etc/passwd').read()",
    "opens it under another name": "    f = [open]\n    return f[0]('x')",
    "hides a builtin behind a name of its own": "    f = lambda open: open\n    return open('x')",
    "imports": "    import os\n    os.system('true')",
    "imports from": "    from os import system\n    system('true')",
    "imports a part": "    import numpy.ctypeslib\n    return numpy.ctypeslib",
    "imports what loads": "    from numpy import load\n    return load('x')",
    "imports by function": "    return __import__('os')",
    "evaluates": "    return eval('1')",
    "executes": "    exec('x = 1')",
    "gets an attribute": "    return getattr(np, 'lo' + 'ad')",
    "looks at globals": "    return globals()['__builtins__']",
    "climbs": "    return ().__class__.__base__.__subclasses__()",
    "looks into a function": "    return posterior.__globals__",
    "reads a frame": "    return (lambda: 1).gi_frame",
    "formats an attribute": "    return '{0.__class__}'.format(prior)",
    "loads a pickle": "    return np.load('x', allow_pickle=True)",
    "writes an array": "    np.ones(3).tofile('/tmp/x')",
    "reads memory": "    return np.ones(3).ctypes.data",
    "strides over memory": "    return np.lib.stride_tricks.as_strided(prior, (1 << 40,))",
    "asks NumPy for a variable": "    return np.r_['__builtins__']",
    "asks it in pieces": "    columns = np.r_\n    return columns['np']",
    "changes what others compute": "    np.sum = max",
    "changes it in a loop": "    for np.sum in [max]:\n        return 1",
    "changes it by adding": "    np.pi += 1",
    "takes it away": "    del np.sum",
    "changes how errors are told": "    np.seterr(all='ignore')",
    "calls itself something global": "    global np\n    np = 3",
    "makes a class": "    class A:\n        pass\n    return A()",
    "is a generator": "    yield prior",
    "waits": "    return [x async for x in prior]",
    "matches": "    match prior:\n        case _:\n            return 1",
    "has a decorator inside": "    @np.vectorize\n    def f(x):\n        return x\n    return f(prior)",
    "has a huge power": "    return 9 ** 9 ** 9",
    "shifts far": "    return 1 << (1 << 40)",
    "has bytes": "    return b'abc'",
    "uses what is elsewhere": "    return bernoulli_pmf(prior)",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_code_that_does_more_than_calculate_is_refused_with_the_reason(body: str) -> None:
    with pytest.raises(NotUsable) as refused:
        clean(f"def posterior(prior, likelihood):\n{body}")
    assert re.match(
        r"line \d: (it|there)|it uses `\w+`, which is defined elsewhere|there is a decorator", str(refused.value)
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("@print\ndef posterior(prior, likelihood):\n    return 1", "there is a decorator"),
        ("def posterior(prior, likelihood=np.load('x')):\n    return 1", "a default is not plain"),
        ("async def posterior(prior, likelihood):\n    return 1", "does not define `posterior`"),
        ("posterior = np.vectorize(max)", "does not define `posterior`"),
        ("prior = 3", "does not define `posterior`"),
        ("def posterior(:", "not valid Python"),
        ("def posterior(a, b):\n    from numpy import *", "not valid Python"),
        ("def posterior(a, b):\n    return " + "-" * 5000 + "1", "nested too deeply"),
        ("def posterior(a, b):\n    return " + "(" * 3000, "not valid Python"),
        ("def posterior(a, b):\n    return 1\n" + "#" * 8000, "too long"),
        ("def posterior(a, b):\n" + "    a = a\n" * 780, "too long"),
    ],
)
def test_an_answer_that_cannot_be_an_entry_says_why(code: str, reason: str) -> None:
    with pytest.raises(NotUsable, match=reason):
        clean(code)


def test_arrays_may_be_put_side_by_side() -> None:
    assert "np.c_[" in clean("def posterior(a, b):\n    return np.c_[np.ones(3), a]")


def test_most_of_what_the_catalogue_knows_could_have_been_learnt() -> None:
    course = Course.default()
    source = source_of(course)
    known = catalogue.read(course.misconceptions(STEM)).answers
    refused = []
    for answer in known:
        try:
            cleaned(answer.source(), answer.function, samples.reference_code(source, answer.function))
        except NotUsable as error:
            refused.append(str(error))
    assert len(refused) < len(known) / 20, refused


# --- A class, its mistakes, and the catalogue -------------------------------------------------------------------------

MISTAKE = '''
def annas_helper(x):
    # Anna was here
    return x * 1.0

def bayes_binary(prior, hit, miss):
    """Anna's."""
    anna = annas_helper(np.asarray(prior)) * np.asarray(hit)
    return anna / (np.asarray(prior) + np.asarray(miss)) * 0.9
'''
CLASS = {
    "anna": MISTAKE,
    "tom": MISTAKE.replace("anna", "toms_own"),
    "eve": "def bayes_binary(p_a, b, c):\n    import os\n    return os.getpid() * 0 + 17.0 * b - c * p_a",
    "loops": "def bayes_binary(*args):\n    while True:\n        pass",
    "known": "def bayes_binary(p_a, b, c):\n    return b",
}


@dataclass(frozen=True)
class Learning:
    """A class that was graded, and the course that it belongs to."""

    course: Course
    submitted: Path
    graded: Path

    def group(self, student: str) -> str:
        return next(group.name for group in learn.unknown(self.graded).groups if student in group.students)


@pytest.fixture(autouse=True, scope="module")
def secret() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_SECRET", "a secret of this class")
        yield


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Learning:
    root = tmp_path_factory.mktemp("learning")
    course = copy_course(root / "course")
    (root / "course" / "course.toml").write_text("[limits]\ncall_seconds = 1.0\n")
    source = source_of(course)
    for student, code in CLASS.items():
        place = root / "in" / student / STEM / f"{STEM}.ipynb"
        place.parent.mkdir(parents=True)
        notebook.write(samples.answered(source, {"bayes_binary": code}), place)
    grade(course, root / "in", Options(root / "graded"))
    return Learning(course, root / "in", root / "graded")


@pytest.fixture
def copied(taught: Learning, tmp_path: Path) -> Learning:
    """A class of one's own, to write to."""
    shutil.copytree(taught.course.root, tmp_path / "course")
    shutil.copytree(taught.graded, tmp_path / "graded")
    return Learning(Course(tmp_path / "course"), taught.submitted, tmp_path / "graded")


@pytest.fixture
def proposed(copied: Learning) -> Path:
    return learn.propose(copied.course, copied.graded, copied.group("tom")).path


def completed(path: Path, **other: str) -> Path:
    """The proposal as a person leaves it."""
    words = {
        "WRITE_what_it_does_wrong": "adds_the_prior_to_the_false_alarms",
        "WRITE: what somebody believes who answers like this.": "The evidence is the prior and the false alarms.",
        "WRITE: a question that reveals the mistake, and does not give the answer?": "Whom do you count?",
        **other,
    }
    text = path.read_text()
    for gap, filled in words.items():
        text = text.replace(gap, filled)
    path.write_text(text)
    return path


def test_groups_that_no_belief_explains_are_listed_the_largest_first(taught: Learning) -> None:
    found = learn.unknown(taught.graded).groups
    assert found[0].students == ("anna", "tom")
    assert {student for group in found for student in group.students} == {"anna", "tom", "eve", "loops"}


def test_a_proposal_lies_with_the_class_is_nobodys_and_says_what_was_found(copied: Learning, proposed: Path) -> None:
    assert proposed == copied.graded / "learned" / STEM / f"bayes_binary-{copied.group('tom')}.py"
    text = proposed.read_text()
    for words in (
        "2 students answered bayes_binary of 01_bayes_rule like this",
        "test_a_rare_cause_stays_unlikely_after_one_sign rejects it with 5 of 5 seeds",
        "it keeps 0% of the points",
        "it behaves like the group",
        'caught_by="test_a_rare_cause_stays_unlikely_after_one_sign"',
    ):
        assert words in text
    assert "anna" not in text.lower() and "tom" not in text.replace("custom", "")
    assert not any(path.suffix == ".py" and "WRITE" in path.read_text() for path in copied.course.root.rglob("*.py"))


def test_a_proposal_with_gaps_is_not_added(copied: Learning, proposed: Path) -> None:
    before = copied.course.misconceptions(STEM).read_bytes()
    for gap, what in (
        ("WRITE_what_it_does_wrong", "name"),
        ("WRITE: what somebody believes who answers like this.", "docstring"),
        ("WRITE: a question that reveals the mistake, and does not give the answer?", "hint"),
    ):
        path = proposed.with_name("copy.py")
        shutil.copy(proposed, path)
        completed(path, **{gap: gap})
        with pytest.raises(AuthorError, match=f"its {what} is still to be written"):
            learn.add(copied.course, copied.graded, path)
    assert copied.course.misconceptions(STEM).read_bytes() == before


def test_a_completed_proposal_is_added_recognised_and_added_only_once(copied: Learning, proposed: Path) -> None:
    target = copied.course.misconceptions(STEM)
    before = target.read_text()
    done = learn.add(copied.course, copied.graded, completed(proposed))
    assert done.path == target and "it behaves like the group" in done.remarks
    assert target.read_text().startswith(before.rstrip())
    added = catalogue.read(target).answers[-1]
    assert (added.name, added.hint) == ("adds_the_prior_to_the_false_alarms", "Whom do you count?")
    with pytest.raises(AuthorError, match="has something called 'adds_the_prior_to_the_false_alarms' already"):
        learn.add(copied.course, copied.graded, proposed)
    completed(proposed, adds_the_prior_to_the_false_alarms="does_it_again")
    with pytest.raises(AuthorError, match="it is taken for adds_the_prior_to_the_false_alarms, which is in the cat"):
        learn.add(copied.course, copied.graded, proposed)
    again = grade(copied.course, copied.submitted, Options(copied.graded))
    beliefs = {result.student: result.exercises[0].misconception for result in again.results}
    assert beliefs["anna"] == beliefs["tom"] == "adds_the_prior_to_the_false_alarms" != beliefs["eve"]


def test_code_that_was_changed_until_it_behaves_differently_is_not_added(copied: Learning, proposed: Path) -> None:
    path = completed(proposed, **{"return ": "return 1.01 * "})
    before = copied.course.misconceptions(STEM).read_bytes()
    with pytest.raises(AuthorError, match=r"does not behave like the group [0-9a-f]+ that it is from. Put back"):
        learn.add(copied.course, copied.graded, path)
    assert copied.course.misconceptions(STEM).read_bytes() == before


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hint": "It is wrong."}, "its hint asks nothing"),
        ({"caught_by": "test_of_nothing"}, "names the check test_of_nothing, which does not exist"),
        (
            {"code": "return p_a * p_b_given_a / (p_a * p_b_given_a + (1 - p_a) * p_b_given_not_a)"},
            "it was stopped|seeds",
        ),
        ({"code": "return open('x')"}, "this must not get into the catalogue. In line .*`open`"),
        ({"code": "return 1\n\nprint('run')"}, "only the one function may stand here"),
        ({"code": "return 1\n\ndef other():\n    return 1"}, "has 2 functions"),
        ({"decorator": "@misconception(\n    open('x').read(),"}, "exactly one decorator"),
        ({"decorator": "@print\n@misconception(\n    'bayes_binary',"}, "exactly one decorator"),
        ({"decorator": "@misconception(\n    'nothing',"}, "has no exercise 'nothing'"),
        ({"decorator": "@misconception(\n    'bayes_binary',\n    function='open',"}, "asks for no function 'open'"),
        ({"origin": "STEM, GROUP = open('x'), 'y'"}, "does not say where it comes from"),
        ({"origin": "STEM, GROUP = '09_none', 'y'"}, "There is no notebook '09_none'"),
        ({"name": "print"}, "'print' is no name for a mistake"),
        ({"name": "np"}, "'np' is no name for a mistake"),
        ({"import": "import os"}, "only the one function may stand here"),
        ({"code": "return ("}, "is not valid Python"),
    ],
)
def test_a_proposal_that_must_not_be_added_says_why_and_nothing_is_written(
    copied: Learning, tmp_path: Path, change: dict[str, str], reason: str
) -> None:
    path = tmp_path / "proposal.py"
    path.write_text(
        f'''"""A proposal."""
{change.get("import", "import numpy as np")}
from autograder.course.catalogue import misconception
{change.get("origin", f'STEM, GROUP = "{STEM}", "0123456789abcdef"')}

{change.get("decorator", "@misconception(" + chr(10) + "    'bayes_binary',")}
    caught_by="{change.get("caught_by", "test_a_rare_cause_stays_unlikely_after_one_sign")}",
    hint="{change.get("hint", "Whom do you count?")}",
)
def {change.get("name", "counts_nobody")}(p_a, p_b_given_a, p_b_given_not_a):
    """Nobody counts."""
    {change.get("code", "return 0.123 * p_a")}
'''
    )
    before = copied.course.misconceptions(STEM).read_bytes()
    with pytest.raises(AutograderError, match=reason):
        learn.add(copied.course, copied.graded, path)
    assert copied.course.misconceptions(STEM).read_bytes() == before


def test_a_proposal_that_a_person_has_begun_to_complete_is_not_overwritten(copied: Learning, proposed: Path) -> None:
    with pytest.raises(UsageError, match="is there already"):
        learn.propose(copied.course, copied.graded, copied.group("tom"))


def test_code_that_must_not_be_an_entry_is_refused_and_nothing_is_written(copied: Learning) -> None:
    with pytest.raises(NotUsable, match="from the code of group [0-9a-f]+: line 2: it imports `os`"):
        learn.propose(copied.course, copied.graded, copied.group("eve"))
    with pytest.raises(SubmissionError, match="it did not come to its end"):
        learn.propose(copied.course, copied.graded, copied.group("loops"))
    with pytest.raises(UsageError, match="There is no group 'ffffffff'"):
        learn.propose(copied.course, copied.graded, "ffffffff")
    assert not (copied.graded / "learned").exists()


def test_where_the_secret_is_another_one_nobody_says_that_answers_are_alike(
    copied: Learning, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOGRADER_SECRET", "a secret of another class")
    done = learn.propose(copied.course, copied.graded, copied.group("tom"), tmp_path / "elsewhere.py")
    assert done.path == tmp_path / "elsewhere.py" and not (copied.graded / "learned").exists()
    assert "whether it behaves like the group is not known" in done.path.read_text()


def test_a_file_that_is_no_proposal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        proposal.read(tmp_path / "none.py")
    path = tmp_path / "long.py"
    path.write_text("#" * 50_000)
    with pytest.raises(AuthorError, match="at most 40000"):
        proposal.read(path)
    path.write_bytes(b"\xff")
    with pytest.raises(AuthorError, match="is not UTF-8 text"):
        proposal.read(path)
