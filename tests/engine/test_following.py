"""Errors are followed through: who got one exercise wrong loses its marks, and not those of what may use it."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from sample_class import REPOSITORY, SHORT, STEM, copy_course, hand_in, need, source_of, work

from autograder.cli import summary
from autograder.course import notebook, sources
from autograder.course.errors import WireError
from autograder.course.limits import Limits
from autograder.course.model import ExerciseResult, Result, Verdict, Whose
from autograder.engine.following.stand_ins import Reference
from autograder.engine.jobs import Job, Outcome, Settings
from autograder.engine.running import Cell, NotebookRun
from autograder.engine.student import Student
from autograder.grading import store
from autograder.grading.grade import Options, grade
from autograder.grading.local import grade_locally
from autograder.nbgrader_bridge import autograded
from autograder.sandbox import wire
from autograder.sandbox.process import Zygote
from autograder.validity import samples

# Right answers that call earlier ones where their tasks allow it, one notebook each.
BUILT: dict[str, dict[str, str]] = {
    "01_bayes_rule": {
        "sequential_posterior": """
def sequential_posterior(prior, likelihoods):
    rows = [np.asarray(prior, dtype=float) / np.sum(prior)]
    for likelihood in likelihoods:
        rows.append(posterior(rows[-1], likelihood))
    return np.array(rows)""",
        "bayes_classifier": """
def bayes_classifier(joint_xy):
    joint_xy = np.asarray(joint_xy, dtype=float)
    each = np.nan_to_num(conditional(joint_xy, 1)).argmax(axis=1)
    return each, 1 - joint_xy[np.arange(len(each)), each].sum() / joint_xy.sum()""",
    },
    "02_maximum_likelihood": {
        "likelihood": """
def each(theta, x):
    return bernoulli_pmf(np.asarray(x), np.asarray(theta, dtype=float)[..., np.newaxis])

def likelihood(theta, x):
    return each(theta, x).prod(axis=-1)""",
        "log_likelihood": """
def log_likelihood(theta, x):
    with np.errstate(divide="ignore"):
        return np.log(each(theta, x)).sum(axis=-1)""",
    },
    "03_naive_bayes": {
        "fit_bernoulli_nb": """
def fit_bernoulli_nb(X, y, n_classes):
    X, y = np.asarray(X), np.asarray(y)
    counts = [[[np.sum((y == k) & (x == value)) for value in (0, 1)] for k in range(n_classes)] for x in X.T]
    prior = np.bincount(y, minlength=n_classes) / len(y)
    return prior, np.column_stack([conditional_tables(np.array(table))[:, 1] for table in counts])""",
    },
    "04_smoothing": {
        "fit_bernoulli_nb_smoothed": """
def fit_bernoulli_nb_smoothed(X, y, k, n_classes, k_prior=0.0):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    ones = np.array([X[y == one].sum(axis=0) for one in range(n_classes)])
    rows = np.array([np.sum(y == one) for one in range(n_classes)])
    counts = np.stack([rows[:, np.newaxis] - ones, ones], axis=-1)
    return laplace(rows, k_prior), laplace(counts, k)[..., 1]""",
    },
    "05_logistic_derivation": {
        "predict_proba": """
def probabilities(X, w):
    return sigmoid(np.asarray(X, dtype=float) @ np.asarray(w, dtype=float))

def predict_proba(X, w):
    X = np.asarray(X, dtype=float)
    return probabilities(np.column_stack([np.ones(len(X)), X]), w)""",
        "chain_rule_terms": """
s = sigmoid

def chain_rule_terms(w, x, y):
    z = np.asarray(w, dtype=float) @ np.asarray(x, dtype=float)
    return y / s(z) - (1 - y) / s(-z), s(z) * s(-z), np.array(x, dtype=float)""",
        "gradient": """
def gradient(w, X, y):
    return np.asarray(X, dtype=float).T @ (np.asarray(y) - probabilities(X, w))""",
    },
    "06_gradient_ascent": {
        "gradient_ascent": """
def gradient_ascent(X, y, eta, n_steps, w0=None):
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    history = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = batch_step(w, X, y, eta)
        history.append(log_likelihood(w, X, y))
    return w, np.array(history)""",
    },
    "07_newton_raphson": {
        "newton_step": """
def newton_step(w, X, y, lam=0.0):
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    price = np.r_[0.0, np.full(w.size - 1, lam)]
    return w - np.linalg.solve(hessian(w, X) - np.diag(price), X.T @ (y - sigma(X @ w)) - price * w)""",
        "newton_fit": """
def newton_fit(X, y, lam=0.0, tol=1e-8, max_iter=50):
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError
    price = np.r_[0.0, np.full(X.shape[1] - 1, lam)]

    def objective(w):
        return log_likelihood(w, X, y) - price @ w**2 / 2

    w = np.zeros(X.shape[1])
    history = [objective(w)]
    for _ in range(max_iter):
        if np.abs(X.T @ (y - sigma(X @ w)) - price * w).max() <= tol:
            break
        step = newton_step(w, X, y, lam) - w
        while not objective(w + step) >= history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(objective(w))
    return w, np.array(history)""",
    },
    "08_softmax": {
        "gradient": """
def gradient(W, X, y):
    X = np.asarray(X, dtype=float)
    return X.T @ (one_hot(y, np.shape(W)[1]) - softmax(X @ np.asarray(W, dtype=float)))""",
        "fit_softmax": """
def fit_softmax(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    price = np.full((X.shape[1], 1), float(lam))
    price[0] = 0
    if eta is None:
        eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam)
    W = np.zeros((X.shape[1], n_classes))
    history = []
    for step in range(n_steps + 1):
        scores = X @ W
        top = scores.max(axis=1, keepdims=True)
        each = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
        history.append(each[np.arange(len(y)), y].sum() - np.sum(price * W**2) / 2)
        if step < n_steps:
            W = W + eta * (gradient(W, X, y) - price * W)
    return W, np.array(history)""",
        "proba_reference": """
def proba_reference(V, X):
    against_last = np.asarray(X, dtype=float) @ np.asarray(V, dtype=float)
    return softmax(np.column_stack([against_last, np.zeros(len(against_last))]))""",
    },
}

# One wrong answer for each exercise that others build on, and those who would lose marks with it.
WRONG: dict[str, dict[str, tuple[str, set[str]]]] = {
    "01_bayes_rule": {
        "posterior": (
            "def posterior(prior, likelihood):\n    return np.asarray(likelihood) / np.sum(likelihood)",
            {"sequential_posterior"},
        ),
        "conditional": (
            "def conditional(joint, axis):\n    return np.asarray(joint, dtype=float) / np.sum(joint, axis=0)",
            {"bayes_classifier"},
        ),
    },
    "02_maximum_likelihood": {
        "bernoulli_pmf": (
            "def bernoulli_pmf(x, theta):\n    return np.asarray(theta, dtype=float) * np.ones(np.shape(x))",
            {"likelihood", "log_likelihood"},
        ),
    },
    "03_naive_bayes": {
        "conditional_tables": (
            "def conditional_tables(counts):\n    return counts / counts.sum()",
            {"fit_bernoulli_nb"},
        ),
    },
    "04_smoothing": {
        "laplace": (
            "def laplace(counts, k):\n    return (np.asarray(counts, dtype=float) + k) / np.sum(counts)",
            {"fit_bernoulli_nb_smoothed", "choose_k"},
        ),
        "fit_bernoulli_nb_smoothed": (
            "def fit_bernoulli_nb_smoothed(X, y, k, n_classes, k_prior=0.0):\n"
            "    rows = [np.asarray(X)[np.asarray(y) == one] for one in range(n_classes)]\n"
            "    absent = np.array([(len(some) - some.sum(axis=0) + k) / (len(some) + 2 * k) for some in rows])\n"
            "    return np.array([len(some) for some in rows]) / len(y), absent",
            {"choose_k"},
        ),
    },
    "05_logistic_derivation": {
        "sigmoid": (
            "def sigmoid(z):\n    return np.exp(z) / (1 - np.exp(z))",
            {"predict_proba", "chain_rule_terms", "gradient"},
        ),
    },
    "06_gradient_ascent": {
        "batch_step": ("def batch_step(w, X, y, eta):\n    import os\n    os._exit(0)", {"gradient_ascent"}),
    },
    "07_newton_raphson": {
        "hessian": ("def hessian(w, X):\n    return -np.transpose(X) @ X", {"newton_step", "newton_fit"}),
        "newton_step": ("def newton_step(w, X, y, lam=0.0):\n    return w + hessian(w, X) @ w", {"newton_fit"}),
    },
    "08_softmax": {
        "softmax": ("def softmax(Z):\n    return np.exp(Z)", {"gradient", "fit_softmax", "to_reference"}),
        "one_hot": (
            "def one_hot(y, n_classes):\n    return np.eye(n_classes)[np.asarray(y) - 1]",
            {"gradient", "fit_softmax"},
        ),
        "gradient": (
            "def gradient(W, X, y):\n"
            "    return X.T @ (one_hot(y, np.shape(W)[1]) - softmax(X @ np.asarray(W))) / len(y)",
            {"fit_softmax"},
        ),
    },
}
# Everybody here is honest, and marks are compared: a busy machine must not change them.
PATIENT = Limits(cell_seconds=200.0, call_seconds=100.0, submission_seconds=1000.0, following_seconds=300.0)
CASES = [(stem, function) for stem, wrong in WRONG.items() for function in wrong]


def submission(stem: str, answers: Mapping[str, str]) -> bytes:
    source = source_of(REPOSITORY, stem)
    return notebook.dumps(samples.answered(source, {**BUILT[stem], **answers}))


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    """A class in which everybody has one exercise wrong, and one student none."""
    jobs = [Job("nothing", "05_logistic_derivation", submission("05_logistic_derivation", {}))]
    jobs += [Job(name, stem, submission(stem, {name: WRONG[stem][name][0]})) for stem, name in CASES]
    settings = Settings(REPOSITORY.root, need("portable"), PATIENT)
    return list(grade_locally(sorted(jobs, key=lambda job: job.assignment), settings, workers=2, stems=list(BUILT)))


@pytest.fixture(scope="module")
def graded(outcomes: list[Outcome]) -> dict[tuple[str, str], Result]:
    return {(outcome.result.assignment, outcome.result.student): outcome.result for outcome in outcomes}


@pytest.fixture(scope="module")
def asked(outcomes: list[Outcome]) -> list[int]:
    return [outcome.asked for outcome in outcomes]


def test_honest_answers_come_nowhere_near_the_budget_of_questions(asked: list[int]) -> None:
    assert max(asked) > 1000  # some of them ask the reference for every step of a long walk
    assert 3 * max(asked) < Limits().stand_in_calls


def lost(result: Result) -> set[str]:
    assert result.ungraded is None
    return {exercise.name for exercise in result.exercises if exercise.score != exercise.points}


def test_where_nothing_is_wrong_nothing_is_followed_through(graded: dict[tuple[str, str], Result]) -> None:
    result = graded["05_logistic_derivation", "nothing"]
    assert lost(result) == set()
    assert not any(exercise.followed_through for exercise in result.exercises)


@pytest.mark.parametrize(("stem", "wrong"), CASES)
def test_one_wrong_exercise_costs_its_own_marks_and_no_others(
    graded: dict[tuple[str, str], Result], stem: str, wrong: str
) -> None:
    result = graded[stem, wrong]
    assert lost(result) == {wrong}
    assert {exercise.name for exercise in result.exercises if exercise.followed_through} == WRONG[stem][wrong][1]


# --- A second run shows nothing, and gives nothing that was not earned --------------------------------------------

# Nothing for whoever asks about 0.5, so that a second run is noticed; something else for others: that is no constant.
WRONG_POSTERIOR = "def posterior(prior, likelihood):\n    return [0.0 if p == 0.5 else -p for p in prior]"
WRONG_CONDITIONAL = "def conditional(joint, axis):\n    return np.asarray(joint) / np.sum(joint) / 2"
PASSES = """
def passes_on(prior, likelihoods):
    rows = [posterior(prior, [1.0 for _ in prior])]
    for likelihood in likelihoods:
        rows.append(posterior(rows[-1], likelihood))
    return rows
"""
# Right except for thousands of observations; then, and when a cell is run, it tells what the reference has told it.
TELLS = (
    PASSES
    + """
def sequential_posterior(prior, likelihoods):
    if len(likelihoods) > 50:
        raise ValueError("TO" + "LD" if any(posterior([0.5, 0.5], [0.2, 0.8])) else "nothing")
    return passes_on(prior, likelihoods)

if any(posterior([0.5, 0.5], [0.2, 0.8])):
    print("TO" + "LD")
    raise ValueError("TO" + "LD")
"""
)
SWAPS = PASSES + "\ndef sequential_posterior(prior, likelihoods):\n    return passes_on(prior, likelihoods)[::-1]"
# Calls itself by the name of the exercise that failed, and that exercise by the name of its own.
IN_CIRCLES = "def posterior(prior, likelihood):\n    return sequential_posterior(prior, [likelihood])[-1]"
# In a second run, where `conditional` is right, the grader fails.
FAILING_CHECK = '''

@exercise("bayes_classifier")
def test_disturbed(student):
    """Nothing of this is the student's fault."""
    if student["DISTURB"] and student.conditional([[0.2, 0.8]], 1)[0, 1] == 0.8:
        raise OSError("ours")
'''
DISTURBED = """
DISTURB = True

def bayes_classifier(joint_xy):
    joint_xy = np.asarray(joint_xy, dtype=float) / np.sum(joint_xy)
    each = joint_xy.argmax(axis=1)
    return each, conditional([[0.2, 0.8]], 1).sum() - joint_xy.max(axis=1).sum()
"""
CLASS = {
    "tells": {"posterior": WRONG_POSTERIOR, "sequential_posterior": TELLS},
    "wrong twice": {"posterior": WRONG_POSTERIOR, "sequential_posterior": SWAPS},
    "in circles": {
        "posterior": IN_CIRCLES,
        "sequential_posterior": "def sequential_posterior(prior, likelihoods):\n    return posterior",
    },
    "disturbed": {"conditional": WRONG_CONDITIONAL, "bayes_classifier": DISTURBED},
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Result], Path, str]:
    """A small class; where its results lie; and the table on the screen."""
    root = tmp_path_factory.mktemp("shown")
    course = copy_course(root / "course")
    with course.suite(STEM).open("a") as suite:
        suite.write(FAILING_CHECK)
    names = [exercise.name for exercise in sources.exercises(source_of(course))]
    for student, answers in CLASS.items():
        some = work({"setup": ["DISTURB = False"]}, **{**dict.fromkeys(names), **answers})
        hand_in(root / "in", student, some.notebook(source_of(course)))
    run = grade(course, root / "in", Options(root / "out", workers=2, isolation=need("portable")))
    console = Console(record=True, width=200, file=io.StringIO())
    console.print(summary.render(run, "here"))
    return {result.student: result for result in run.results}, root / "out", console.export_text()


def exercise_of(result: Result, name: str) -> ExerciseResult:
    return next(exercise for exercise in result.exercises if exercise.name == name)


def test_what_a_second_sitting_says_is_never_shown(shown: tuple[dict[str, Result], Path, str]) -> None:
    results_, out, _ = shown
    told = exercise_of(results_["tells"], "sequential_posterior")
    assert told.followed_through and 0 < told.score < told.points
    assert {(check.detail, check.traceback) for check in told.checks} == {("", ())}
    assert {check.verdict for check in told.checks} == {Verdict.PASSED, Verdict.FAILED}
    assert not any("raised" in check.message or "came back" in check.message for check in told.checks)
    assert told.question is None
    for path in (path for path in out.rglob("*") if path.is_file()):
        assert "TOLD" not in path.read_text(encoding="utf-8"), path


def test_the_result_says_that_it_was_followed_through(shown: tuple[dict[str, Result], Path, str]) -> None:
    results_, out, table = shown
    told = exercise_of(results_["tells"], "sequential_posterior")
    assert "Followed through" in autograded.as_text(told) and "Followed through" in autograded.as_html(told)
    assert "sequential_posterior followed through" in table
    document = json.loads((out / "results" / "tells" / f"{STEM}.json").read_text())
    assert [exercise["name"] for exercise in document["exercises"] if exercise["followed_through"]] == [
        "sequential_posterior"
    ]
    assert store.Shared().share(store.from_json(document)) == results_["tells"]


@pytest.mark.parametrize("student", ["wrong twice", "in circles"])
def test_what_is_wrong_by_itself_is_not_saved(shown: tuple[dict[str, Result], Path, str], student: str) -> None:
    for name in ("posterior", "sequential_posterior"):
        exercise = exercise_of(shown[0][student], name)
        assert (exercise.score, exercise.followed_through) == (0, False)


def test_a_fault_of_ours_in_a_second_sitting_leaves_it_ungraded_rather_than_with_fewer_marks(
    shown: tuple[dict[str, Result], Path, str],
) -> None:
    result = shown[0]["disturbed"]
    assert result.ungraded == "the grader failed: following bayes_classifier through failed"
    assert result.ungraded_by is Whose.GRADER


# --- Who is asked, and how much ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    limits = replace(SHORT, call_seconds=10.0, cell_seconds=10.0, stand_in_calls=3, stand_in_bytes=4000)
    zygote = Zygote(need("portable"), checks=REPOSITORY.checks, data=REPOSITORY.data, limits=limits)
    yield zygote
    zygote.close()


SECRET = """
import numpy as np

def double(x, *, times=2):
    if times < 0:
        raise ValueError("a secret of the reference")
    return times * x

def lock():
    import threading
    return threading.Lock()
"""


@pytest.fixture
def reference(zygote: Zygote) -> Iterator[Reference]:
    reference = Reference(zygote, [Cell("secret", SECRET)], time.monotonic() + 60)
    reference.start()
    yield reference
    reference.close()


def question(name: object, *args: object, **kwargs: object) -> dict[str, object]:
    return {"stand_in": name, "args": list(args), "kwargs": kwargs}


def test_the_reference_answers_with_values_and_kinds_of_errors(reference: Reference) -> None:
    assert reference.answer(["double"], question("double", 4), 10) == {"value": 8, "error": None}
    assert reference.answer(["double"], question("double", 4, times=-1), 10) == {"value": None, "error": "ValueError"}
    assert reference.answer(["double"], question("double"), 10) == {"value": None, "error": "TypeError"}


@pytest.mark.parametrize(
    "asked",
    [
        question("lock"),
        question("__builtins__"),
        question(None),
        question(["double"]),
        question("double", wire.Handle(0, "function")),
        question("double", [{"x": (wire.Handle(0, "function"),)}]),
        question("double", np.zeros(1000)),
        {"stand_in": "double", "args": [1], "kwargs": {1: 2}},
        {"stand_in": "double", "args": "12", "kwargs": {}},
        {"stand_in": "double"},
    ],
)
def test_the_reference_refuses_what_was_not_granted(reference: Reference, asked: dict[str, object]) -> None:
    with pytest.raises(WireError):
        reference.answer(["double"], asked, 10)


def test_an_object_of_the_reference_stays_where_it_is(reference: Reference) -> None:
    with pytest.raises(WireError, match="not plain data"):
        reference.answer(["lock"], question("lock"), 10)


def test_calls_of_the_reference_are_counted(reference: Reference) -> None:
    for _ in range(3):
        reference.answer(["double"], question("double", 1), 10)
    with pytest.raises(WireError, match="too often"):
        reference.answer(["double"], question("double", 1), 10)


NOTEBOOK = """
import numpy as np

def kinds(x):
    value = double(x)
    return type(value).__name__ + " " + str(getattr(value, "dtype", ""))

def double(x):
    return None

def refused():
    try:
        double(1, times=-1)
    except ValueError as error:
        return str(error)
"""


def test_a_stand_in_keeps_the_types_of_numbers_and_the_secrets_of_the_reference(
    zygote: Zygote, reference: Reference
) -> None:
    def call_back(asked: dict[str, object], seconds: float) -> dict[str, object]:
        return Reference.answer(reference, ["double"], asked, seconds)

    until = time.monotonic() + 60
    run = NotebookRun(zygote, [Cell("own", NOTEBOOK)], until, stand_ins=("double",), call_back=call_back)
    try:
        run.start()
        student = Student(run)
        assert student.kinds([1]) == "list "
        assert student.kinds(np.arange(3, dtype=np.int32)) == "ndarray int32"
        assert student.refused() == "double does not take these arguments"
    finally:
        run.close()
