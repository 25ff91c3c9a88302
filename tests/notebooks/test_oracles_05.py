"""Notebook 5 against independent oracles: scipy, scikit-learn, exact fractions, finite differences."""

from __future__ import annotations

import doctest
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import reference
import scipy.optimize
import scipy.special
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

ROOT = Path(__file__).resolve().parents[2]
logistic = reference.functions("05_logistic_derivation")


def data(seed: int, n: int = 80, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Features with a first column of ones, and labels that a logistic model drew; not separable."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.normal(size=(n, d))])
    return X, (rng.random(n) < scipy.special.expit(X @ rng.normal(size=d + 1))).astype(int)


def penguins() -> tuple[np.ndarray, np.ndarray]:
    """Standardised bill length and depth of Adelie (0) and Chinstrap (1) penguins."""
    birds = np.genfromtxt(ROOT / "data" / "penguins.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    birds = birds[np.isin(birds["species"], ["Adelie", "Chinstrap"]) & ~np.isnan(birds["bill_length_mm"])]
    bills = np.column_stack([birds["bill_length_mm"], birds["bill_depth_mm"]])
    bills = (bills - bills.mean(axis=0)) / bills.std(axis=0)
    return np.column_stack([np.ones(len(bills)), bills]), (birds["species"] == "Chinstrap").astype(int)


def tumours() -> tuple[np.ndarray, np.ndarray]:
    """Mean radius, and 1 for malignant, from the file of the course."""
    with np.load(ROOT / "data" / "breast_cancer.npz") as file:
        radius, y = file["X"][:, 0].astype(float), 1 - file["y"].astype(int)
    return np.column_stack([np.ones(radius.size), radius]), y


HOURS = np.column_stack([np.ones(4), np.arange(4)])
PASSED = np.array([0, 1, 0, 1])
ON_CREDIT = {  # the weights that the notebook hands out, its log-likelihoods and its shares of right decisions
    "exam": ((HOURS, PASSED), [-1.3622763938, 0.9081842626], -2.347487, 0.5),
    "penguins": (penguins(), [-4.9405016856, 12.0271935529, -4.7235285998], -9.345747, 0.9726),
    "tumours": (tumours(), [-15.2458708008, 1.0335888240], -165.005423, 0.8787),
}


def test_sigmoid_is_scipys_expit_everywhere() -> None:
    z = np.concatenate([np.linspace(-700, 800, 1501), np.linspace(-5, 5, 101), [-40.5, 1e308, -1e308]])
    assert np.allclose(logistic.sigmoid(z), scipy.special.expit(z), rtol=1e-9, atol=0)


def test_sigmoid_is_the_exponential_where_scipy_has_given_up() -> None:
    z = np.array([-710.0, -730.0, -745.0])
    assert np.allclose(logistic.sigmoid(z), np.exp(z), rtol=1e-3, atol=0)
    assert logistic.sigmoid(-745.0) > 0


def test_log_likelihood_is_minus_scikit_learns_log_loss() -> None:
    X, y = data(1)
    w = np.array([0.4, -1.0, 0.7, 2.0])
    loss = log_loss(y, scipy.special.expit(X @ w), normalize=False)
    assert np.isclose(logistic.log_likelihood(w, X, y), -loss, rtol=1e-12)
    assert np.isclose(
        logistic.log_likelihood(w, X, y), np.sum(scipy.special.log_expit(np.where(y == 1, 1, -1) * (X @ w)))
    )


def test_gradient_and_numerical_gradient_agree_with_scipys_finite_differences() -> None:
    X, y = data(2)
    rng = np.random.default_rng(3)
    for _ in range(5):
        w = rng.normal(size=4)
        measured = scipy.optimize.approx_fprime(w, lambda v: logistic.log_likelihood(v, X, y), 1e-7)
        assert np.allclose(logistic.gradient(w, X, y), measured, atol=1e-4)
        own = logistic.numerical_gradient(lambda v: logistic.log_likelihood(v, X, y), w)
        assert np.allclose(logistic.gradient(w, X, y), own, rtol=0, atol=1e-7)


def test_gradient_is_the_sum_of_the_products_of_the_chain_rule() -> None:
    X, y = data(4, n=20)
    w = np.array([-0.5, 1.0, 0.2, -1.3])
    terms = [logistic.chain_rule_terms(w, row, label) for row, label in zip(X, y)]
    total = sum(dl_dp * dp_dz * dz_dw for dl_dp, dp_dz, dz_dw in terms)
    assert np.allclose(total, logistic.gradient(w, X, y), rtol=1e-12)


def test_gradient_vanishes_where_scikit_learn_stops() -> None:
    X, y = data(5, n=300)
    fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(X[:, 1:], y)
    w = np.append(fit.intercept_, fit.coef_[0])
    assert np.abs(logistic.gradient(w, X, y)).max() < 1e-3
    assert np.allclose(logistic.predict_proba(X[:, 1:], w), fit.predict_proba(X[:, 1:])[:, 1], rtol=1e-9)
    distance = fit.decision_function(X[:, 1:]) / np.linalg.norm(fit.coef_)
    assert np.allclose(logistic.signed_distance(w, X[:, 1:]), distance, rtol=1e-9)


@pytest.mark.parametrize("name", ON_CREDIT)
def test_weights_on_credit_are_the_maximum(name: str) -> None:
    (X, y), weights, height, share = ON_CREDIT[name]
    best = scipy.optimize.minimize(
        lambda w: -logistic.log_likelihood(w, X, y), weights, jac=lambda w: -logistic.gradient(w, X, y), method="BFGS"
    )
    assert np.abs(logistic.gradient(weights, X, y)).max() < 1e-5
    assert np.isclose(logistic.log_likelihood(weights, X, y), height, rtol=0, atol=5e-7)
    assert np.isclose(-best.fun, height, rtol=0, atol=1e-6)
    assert round(float(np.mean((X @ weights > 0) == y)), 4) == share


def test_score_equations_hold_at_the_maximum() -> None:
    for (X, y), weights, _, _ in ON_CREDIT.values():
        p = scipy.special.expit(X @ weights)
        assert np.allclose(X.T @ p, X.T @ y, rtol=1e-8)


def test_tumours_of_the_course_are_those_of_scikit_learn() -> None:
    X, y = tumours()
    original = load_breast_cancer()
    assert np.allclose(X[:, 1], original.data[:, 0], rtol=1e-6)
    assert np.array_equal(y, 1 - original.target)
    fit = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X[:, 1:], y)
    assert np.allclose([fit.intercept_[0], fit.coef_[0, 0]], [-15.2459, 1.0336], atol=2e-3)


def test_easy_examples_move_the_boundary_of_least_squares_and_not_that_of_logistic_regression() -> None:
    near = [Fraction(i, 9) for i in range(10)] + [2 + Fraction(i, 9) for i in range(10)]
    far = [15 + Fraction(5 * i, 9) for i in range(10)]
    boundaries = []
    for x in (near, near + far):
        y = [Fraction(int(i >= 10)) for i in range(len(x))]
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
        boundaries.append(mean_x + (Fraction(1, 2) - mean_y) / slope)
        fit = LogisticRegression(C=10.0, tol=1e-12, max_iter=10_000).fit(
            np.array(x, dtype=float)[:, None], np.array(y, dtype=int)
        )
        assert np.allclose([fit.intercept_[0], fit.coef_[0, 0]], [-6.2777, 4.1851], atol=1e-3)
    assert boundaries[0] == Fraction(3, 2) and round(float(boundaries[1]), 4) == 2.2171


def test_derivation_of_the_reference_is_complete() -> None:
    from checks.derivation import first_problem

    assert first_problem(logistic.derivation()) == ""


@pytest.mark.parametrize(
    "name",
    [
        "sigmoid",
        "predict_proba",
        "log_likelihood",
        "chain_rule_terms",
        "gradient",
        "numerical_gradient",
        "signed_distance",
    ],
)
def test_examples_in_the_docstrings_are_right(name: str) -> None:
    found = doctest.DocTestFinder(recurse=False).find(getattr(logistic, name), name, globs=dict(vars(logistic)))
    results = [doctest.DocTestRunner().run(test) for test in found]
    assert [(result.failed, result.attempted > 0) for result in results] == [(0, True)]
