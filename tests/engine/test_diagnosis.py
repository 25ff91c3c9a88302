"""What is found behind wrong answers: a belief of the catalogue, a relation to the right answer, or nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from autograder.course import Course, notebook, policy, sources
from autograder.course.limits import Limits
from autograder.course.model import ExerciseResult
from autograder.engine.jobs import Job, Settings
from autograder.grading.local import grade_locally
from autograder.sandbox import isolation
from autograder.validity import samples

COURSE = Course.default()
SCORES = "w, X, y = (np.asarray(each, dtype=float) for each in (w, X, y)); p = 1 / (1 + np.exp(-X @ w))"
SHARES = "prior, likelihood = np.asarray(prior, dtype=float), np.asarray(likelihood, dtype=float)"


@dataclass(frozen=True)
class Wrong:
    """A wrong answer to an exercise, as code, and what is to be found behind it."""

    exercise: str
    code: str
    relation: str | None = None
    belief: str | None = None
    asks: str = ""

    @property
    def stem(self) -> str:
        """The notebook of the exercise."""
        return STEMS[self.exercise]


STEMS = {
    "posterior": "01_bayes_rule",
    "log_likelihood": "05_logistic_derivation",
    "chain_rule_terms": "05_logistic_derivation",
    "gradient": "05_logistic_derivation",
    "derivation": "05_logistic_derivation",
    "batch_step": "06_gradient_ascent",
    "newton_step": "07_newton_raphson",
    "softmax": "08_softmax",
}

MEAN = "the mean, where a sum is asked for, and the wrong sign"
ANSWERS = {
    "the negative": Wrong(
        "log_likelihood",
        f"def log_likelihood(w, X, y):\n    {SCORES}\n    return float(np.logaddexp(0, X @ w).sum() - y @ (X @ w))",
        relation="negative",
        asks="right but for their sign",
    ),
    "some other factor": Wrong(
        "log_likelihood",
        f"def log_likelihood(w, X, y):\n    {SCORES}\n    z = X @ w\n"
        "    return 1.7 * float(y @ z - np.logaddexp(0, z).sum())",
        relation="factor",
    ),
    MEAN: Wrong(
        "gradient",
        f"def gradient(w, X, y):\n    {SCORES}\n    return (p - y) @ X / len(y)",
        relation="mean for sum, negative",
        asks="Look at the sign first",
    ),
    "another order": Wrong(
        "gradient",
        f"def gradient(w, X, y):\n    {SCORES}\n    return ((y - p) @ X)[::-1]",
        relation="reversed",
    ),
    "the last example alone": Wrong(
        "gradient",
        f"def gradient(w, X, y):\n    {SCORES}\n    for row in range(len(y)):\n"
        "        total = (y[row] - p[row]) * X[row]\n    return total",
        relation="part ignored: first row: X",
        asks="Change only the first row of `X`",
    ),
    "parts in another order": Wrong(
        "chain_rule_terms",
        "def chain_rule_terms(w, x, y):\n    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)\n"
        "    p = 1 / (1 + np.exp(-w @ x))\n    return p * (1 - p), y / p - (1 - y) / (1 - p), x",
        relation="parts exchanged",
    ),
    "a factor in one part": Wrong(
        "chain_rule_terms",
        "def chain_rule_terms(w, x, y):\n    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)\n"
        "    p = 1 / (1 + np.exp(-w @ x))\n    return y / p - (1 - y) / (1 - p), 3 * p * (1 - p), x",
        relation="factor",
        asks="Look at the second value that you give back.",
    ),
    "three steps at once": Wrong(
        "batch_step",
        f"def batch_step(w, X, y, eta):\n    {SCORES}\n    return w + 3 * eta * (y - p) @ X",
        relation="way: factor: w",
        asks="Take `w` away from your answer",
    ),
    "right without a penalty": Wrong(
        "newton_step",
        f"def newton_step(w, X, y, lam=0.0):\n    {SCORES}\n    ridge = 0.3 * lam * (np.arange(len(w)) > 0)\n"
        "    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)",
        relation="simple: zero: lam",
        asks="With `lam` = 0 your answer is right.",
    ),
    "shares that do not add up": Wrong(
        "softmax",
        "def softmax(Z):\n    powers = np.exp(Z - np.max(Z, axis=-1, keepdims=True))\n"
        "    return powers / (powers.sum(axis=-1, keepdims=True) + 1)",
        relation="law: rows sum to one",
    ),
    "nothing given back": Wrong(
        "softmax", "def softmax(Z):\n    np.exp(Z) / np.exp(Z).sum()", relation="nothing returned", asks="`return`"
    ),
    "an error for ordinary numbers": Wrong(
        "softmax", "def softmax(Z):\n    return np.exp(Z) / np.exp(Z).sum(axis=7)", relation="stops"
    ),
    "too much accepted": Wrong(
        "posterior",
        f"def posterior(prior, likelihood):\n    {SHARES}\n    return prior * likelihood / (prior @ likelihood)",
        relation="accepts too much",
    ),
    "a belief, by somebody who refuses more than the catalogue's version": Wrong(
        "posterior",
        f"def posterior(prior, likelihood):\n    {SHARES}\n"
        "    if (likelihood > 1).any() or (likelihood < 0).any() or (prior < 0).any() or not likelihood.sum():\n"
        "        raise ValueError('not a probability')\n    return likelihood / likelihood.sum()",
        belief="forgets_the_prior",
        asks="Double the prior of one hypothesis",
    ),
    "a belief, by somebody who gives back a list": Wrong(
        "batch_step",
        f"def batch_step(w, X, y, eta):\n    {SCORES}\n"
        "    return [w[j] - eta * ((y - p) * X[:, j]).sum() for j in range(len(w))]",
        belief="walks_downhill",
    ),
    "something that is no plain data": Wrong(
        "softmax", "def softmax(Z):\n    return (shares for shares in np.exp(Z))", relation="other form"
    ),
    "far too much of it": Wrong("softmax", "def softmax(Z):\n    return np.zeros(100_000)", relation="other form"),
    "the process ended": Wrong("softmax", "def softmax(Z):\n    import os\n    os._exit(3)"),
}


@pytest.fixture(scope="module")
def found() -> dict[str, ExerciseResult]:
    """What is found behind all of them, and behind the first one again in other words."""
    first = ANSWERS[MEAN]
    again = replace(
        first,
        code="def gradient(w, X, y):\n    w = np.asarray(w, dtype=float)\n    n, total = len(y), 0 * w\n"
        "    for features, label in zip(np.asarray(X, dtype=float), y):\n"
        "        total = total + (1 / (1 + np.exp(-features @ w)) - label) * features / n\n    return total",
    )
    return graded({**ANSWERS, "the mean, example by example": again})


def graded(
    answers: dict[str, Wrong], *, probes: str = "fixed", limits: Limits | None = None
) -> dict[str, ExerciseResult]:
    """The result of the exercise that each answer is to; all others of its notebook are right."""
    mode = isolation.choose(isolation.AUTO, checks=COURSE.checks, data=COURSE.data, suites=COURSE.suites)
    stems = sorted({answer.stem for answer in answers.values()})
    references = {stem: samples.reference(sources.read(COURSE.source(stem))) for stem in stems}
    jobs = [
        Job(
            name,
            answer.stem,
            notebook.dumps(samples.answered(references[answer.stem], {answer.exercise: answer.code})),
            only=answer.exercise,
        )
        for name, answer in answers.items()
    ]
    settings = Settings(COURSE.root, mode, limits or policy.limits(COURSE), probes=probes)
    outcomes = grade_locally(jobs, settings, workers=2, stems=stems)
    return {outcome.result.student: outcome.result.exercises[0] for outcome in outcomes}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_wrong_is_found_and_asked_about(found: dict[str, ExerciseResult], name: str) -> None:
    wanted, result = ANSWERS[name], found[name]
    assert (result.misconception, result.relation) == (wanted.belief, wanted.relation)
    assert wanted.asks in (result.question or "")
    assert (result.question is None) == (wanted.belief is None and wanted.relation is None)
    assert result.question is None or "?" in result.question


def test_answers_that_give_the_same_behave_alike_however_they_are_written(found: dict[str, ExerciseResult]) -> None:
    first, again = found[MEAN], found["the mean, example by example"]
    assert first.behaviour == again.behaviour != ""
    assert again.relation == "mean for sum, negative"


def test_answers_that_give_something_else_behave_differently(found: dict[str, ExerciseResult]) -> None:
    of_gradients = [found[name].behaviour for name, answer in ANSWERS.items() if answer.exercise == "gradient"]
    assert len(set(of_gradients)) == len(of_gradients)


def test_who_ended_the_process_is_asked_nothing_more(found: dict[str, ExerciseResult]) -> None:
    assert found["the process ended"].behaviour == "crashed"


def test_who_never_answers_a_probe_loses_no_more_than_the_question() -> None:
    patient = (
        "calls = []\ndef softmax(Z):\n    calls.append(Z)\n    while len(calls) > 20:\n        pass\n"
        "    return np.exp(Z)"
    )
    quick = replace(policy.limits(COURSE), call_seconds=3.0)
    result = graded({"waits": Wrong("softmax", patient)}, limits=quick)["waits"]
    assert (result.verdict, result.score, result.question, result.behaviour) == ("failed", 0, None, "")


def test_another_class_is_asked_other_probes_and_told_the_same() -> None:
    here, there = (graded({MEAN: ANSWERS[MEAN]}, probes=probes)[MEAN] for probes in ("one class", "another class"))
    assert here.behaviour != there.behaviour
    assert here.relation == there.relation == "mean for sum, negative"


def test_answers_in_words_are_recognised_by_their_words() -> None:
    from autograder.course import catalogue

    known = catalogue.read(COURSE.misconceptions(STEMS["derivation"])).answers
    wrong = [answer for answer in known if answer.exercise == "derivation" and not answer.is_right][:3]
    answers = {answer.name: Wrong("derivation", answer.source()) for answer in wrong}
    assert {name: one.misconception for name, one in graded(answers).items()} == {name: name for name in answers}
