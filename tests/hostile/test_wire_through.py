"""Whoever solves nothing earns nothing: the reference answers only what was declared, and only to those who tried."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
from sample_class import REPOSITORY, need, source_of

from autograder.course import notebook
from autograder.course.model import Result
from autograder.engine.jobs import Job, Settings
from autograder.grading.local import grade_locally
from autograder.validity import samples

SLOPES = """
def slopes(f, at, h=1e-6):
    at = np.asarray(at, dtype=float)
    found = np.empty(at.shape)
    for place in np.ndindex(at.shape):
        nudge = np.zeros(at.shape)
        nudge[place] = h
        found[place] = (f(at + nudge) - f(at - nudge)) / (2 * h)
    return found
"""
# What each tries, and the only answers that its notebook has besides stubs.
ATTACKS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "conditional through a posterior that was tried": (
        "01_bayes_rule",
        {
            "posterior": "def posterior(prior, likelihood):\n    return np.asarray(prior) - likelihood",
            "conditional": """
def conditional(joint, axis):
    joint = np.moveaxis(np.asarray(joint, dtype=float), axis, -1)
    rows = [posterior(np.ones(len(row)), row) if row.any() else np.full(len(row), np.nan)
            for row in joint.reshape(-1, joint.shape[-1])]
    return np.moveaxis(np.reshape(rows, joint.shape), -1, axis)""",
        },
    ),
    "the gradient by differences of the log-likelihood": (
        "05_logistic_derivation",
        {
            "log_likelihood": "def log_likelihood(w, X, y):\n    return float(np.sum(w) + np.sum(X))",
            "gradient": SLOPES + "\ndef gradient(w, X, y):\n    return slopes(lambda at: log_likelihood(at, X, y), w)",
        },
    ),
    "the score by differences of the log-likelihood": (
        "02_maximum_likelihood",
        {
            "log_likelihood": "def log_likelihood(theta, x):\n    return np.asarray(theta) + np.sum(x)",
            "score": """
def score(theta, n1, n0, h=1e-6):
    x = np.r_[np.ones(int(n1)), np.zeros(int(n0))].astype(int)
    return (log_likelihood(theta + h, x) - log_likelihood(theta - h, x)) / (2 * h)""",
        },
    ),
    "an epoch through single batch steps": (
        "06_gradient_ascent",
        {
            "batch_step": "def batch_step(w, X, y, eta):\n    return np.asarray(w) + eta * np.sum(X)",
            "sgd_epoch": """
def sgd_epoch(w, X, y, eta, order):
    for i in order:
        w = batch_step(w, [X[i]], [y[i]], eta)
    return np.array(w, dtype=float)""",
        },
    ),
    "the penalised gradient through a batch step": (
        "06_gradient_ascent",
        {
            "batch_step": "def batch_step(w, X, y, eta):\n    return np.asarray(w) + eta * np.sum(X)",
            "penalized_gradient": """
def penalized_gradient(w, X, y, lam):
    w = np.asarray(w, dtype=float)
    return batch_step(w, X, y, 1.0) - w - lam * np.r_[0, w[1:]]""",
        },
    ),
    "a step of IRLS that is a step of Newton's": (
        "07_newton_raphson",
        {
            "newton_step": "def newton_step(w, X, y, lam=0.0):\n    return np.asarray(w) + np.sum(X)",
            "irls_step": "def irls_step(w, X, y):\n    return newton_step(w, X, y)",
        },
    ),
    "the gradient of softmax by differences": (
        "08_softmax",
        {
            "log_likelihood": "def log_likelihood(W, X, y):\n    return float(np.sum(W) + np.sum(X))",
            "gradient": SLOPES + "\ndef gradient(W, X, y):\n    return slopes(lambda at: log_likelihood(at, X, y), W)",
        },
    ),
    "two values through pseudo-counts of one": (
        "04_smoothing",
        {
            "fit_bernoulli_nb_smoothed": (
                "def fit_bernoulli_nb_smoothed(X, y, k, n_classes, k_prior=0.0):\n"
                "    return np.mean(y) * np.ones(n_classes), np.mean(X) * np.ones((n_classes, np.shape(X)[1]))"
            ),
            "fit_categorical_nb": """
def fit_categorical_nb(X, y, n_values, n_classes, pseudo):
    prior, theta = fit_bernoulli_nb_smoothed(X, y, float(np.max(pseudo)), n_classes)
    return prior, np.stack([1 - theta, theta], axis=-1)""",
        },
    ),
}

# What a stub that is left empty, or as good as empty, looks like; all of them could be used by what may use them.
EMPTY = {
    "a stub": "def posterior(prior, likelihood):\n    raise NotImplementedError()",
    "nothing at all": "pass",
    "a bare raise": "def posterior(prior, likelihood):\n    raise ValueError('not today')",
    "None": "def posterior(prior, likelihood):\n    pass",
    "one number": "def posterior(prior, likelihood):\n    return 0.5",
    "a constant array": "def posterior(prior, likelihood):\n    return np.array([0.25, 0.75])",
    "one number for each": "def posterior(prior, likelihood):\n    return [0.0 for _ in prior]",
}
LOOP = """
def sequential_posterior(prior, likelihoods):
    rows = [np.asarray(prior, dtype=float) / np.sum(prior)]
    for likelihood in likelihoods:
        rows.append(posterior(rows[-1], likelihood))
    return np.array(rows)
"""


@cache
def graded(mode: str) -> dict[str, Result]:
    jobs = [
        Job(name, stem, notebook.dumps(samples.untouched(source_of(REPOSITORY, stem), answers)))
        for name, (stem, answers) in ATTACKS.items()
    ]
    first = source_of(REPOSITORY, "01_bayes_rule")
    for name, empty in EMPTY.items():
        answers = {"posterior": empty, "sequential_posterior": LOOP}
        jobs.append(Job(name, "01_bayes_rule", notebook.dumps(samples.untouched(first, answers))))
    stems = sorted({job.assignment for job in jobs})
    outcomes = grade_locally(jobs, Settings(REPOSITORY.root, need(mode)), workers=2, stems=stems)
    return {outcome.result.student: outcome.result for outcome in outcomes}


@pytest.mark.parametrize("mode", ["strong", "portable"])
@pytest.mark.parametrize("name", [*ATTACKS, *EMPTY])
def test_who_solves_nothing_earns_nothing(mode: str, name: str) -> None:
    result = graded(mode)[name]
    assert result.ungraded is None
    assert result.score == 0
    assert not any(exercise.followed_through for exercise in result.exercises)
