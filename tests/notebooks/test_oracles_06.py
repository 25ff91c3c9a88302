"""Notebook 6 against oracles that know nothing of it: scikit-learn, scipy, exact eigenvalues, finite differences."""

from __future__ import annotations

import doctest
import math
from types import SimpleNamespace

import numpy as np
import pytest
import reference
from scipy import optimize, special
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

DATA = reference.ROOT / "data"
FOUR = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
LABELS = np.array([0, 1, 0, 1])
FUNCTIONS = [
    "batch_step",
    "gradient_ascent",
    "sgd_epoch",
    "standardize",
    "stable_step_size",
    "penalized_gradient",
    "penalized_log_likelihood",
]


@pytest.fixture(scope="module")
def ascent() -> SimpleNamespace:
    """The reference functions, with the helpers that the notebook gives to everybody."""
    return reference.functions("06_gradient_ascent", "helpers")


@pytest.fixture(scope="module")
def birds() -> tuple[np.ndarray, np.ndarray]:
    """Bill depth in millimetres and body mass in grams of the penguins whose sex is known, and 1 for a male."""
    table = np.genfromtxt(DATA / "penguins.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    table = table[table["sex"] != ""]
    return np.column_stack([table["bill_depth_mm"], table["body_mass_g"]]), (table["sex"] == "male").astype(int)


@pytest.fixture(scope="module")
def emails(ascent: SimpleNamespace) -> tuple[np.ndarray, ...]:
    """Spambase, logarithms of the features, standardised on the first 3,680 of a shuffle: training and test."""
    with np.load(DATA / "spambase_full.npz") as file:
        features, spam = np.log1p(file["X"].astype(float)), file["y"].astype(int)
    order = np.random.default_rng(0).permutation(len(spam))
    train, test = order[:3680], order[3680:]
    scaler = StandardScaler().fit(features[train])
    tables = (ascent.with_ones(scaler.transform(features[rows])) for rows in (train, test))
    return *tables, spam[train], spam[test]


def problem(seed: int, n: int = 60, d: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Examples behind a column of ones, labels that no plane separates, and weights."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.normal(size=(n, d))])
    y = (rng.random(n) < special.expit(X @ rng.normal(size=d + 1))).astype(int)
    return X, y, rng.normal(size=d + 1)


def top(X: np.ndarray, y: np.ndarray, lam: float) -> np.ndarray:
    """The penalised optimum by scikit-learn, which leaves its own intercept unpenalised."""
    model = LogisticRegression(C=1 / lam if lam else np.inf, tol=1e-10, max_iter=10_000).fit(X[:, 1:], y)
    return np.append(model.intercept_, model.coef_)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_examples_of_the_docstrings_are_true(ascent: SimpleNamespace, name: str) -> None:
    function = getattr(ascent, name)
    (example,) = doctest.DocTestFinder(recurse=False).find(function, name, globs=dict(vars(ascent)), module=False)
    assert example.examples
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


def test_the_given_helpers_agree_with_scipy(ascent: SimpleNamespace) -> None:
    z = np.array([-1000.0, -30.0, -1.5, 0.0, 2.0, 1000.0])
    assert np.allclose(ascent.sigma(z), special.expit(z), rtol=1e-12, atol=1e-15)
    X, y, w = problem(1)
    expected = np.where(y == 1, special.log_expit(X @ w), special.log_expit(-X @ w)).sum()
    assert math.isclose(ascent.log_likelihood(w, X, y), expected, rel_tol=1e-12)
    assert ascent.log_likelihood([0.0, 1.0], [[1, 1000], [1, -800]], [0, 0]) == -1000.0
    assert ascent.with_ones([[2, 3]]).tolist() == [[1.0, 2.0, 3.0]]


@pytest.mark.parametrize("seed", range(3))
def test_a_batch_step_follows_the_numerical_gradient(ascent: SimpleNamespace, seed: int) -> None:
    X, y, w = problem(seed)
    gradient = optimize.approx_fprime(w, lambda v: ascent.log_likelihood(v, X, y), 1e-7)
    assert np.allclose(ascent.batch_step(w, X, y, 1.0) - w, gradient, atol=1e-4)


def test_the_worked_steps_of_the_four_points(ascent: SimpleNamespace) -> None:
    assert np.allclose(ascent.batch_step([0, 0], FOUR, LABELS, 0.1), [0, 0.1], atol=1e-15)
    assert ascent.batch_step([0.5, -0.5], FOUR, LABELS, 0.1).round(6).tolist() == [0.523106, -0.306191]
    w, history = ascent.gradient_ascent(FOUR, LABELS, 0.1, 50)
    assert w.round(6).tolist() == [-0.940061, 0.700864]
    assert len(history) == 51 and round(history[-1], 6) == -2.372090
    w = np.zeros(2)
    for row, expected in enumerate([(-0.05, 0), (0.00125, 0.05125), (-0.051342, -0.053933), (0.003967, 0.111992)]):
        w = ascent.sgd_epoch(w, FOUR, LABELS, 0.1, [row])
        assert np.allclose(w, expected, atol=1e-6)
    assert ascent.sgd_epoch([0, 0], FOUR, LABELS, 0.1, [3, 2, 1, 0]).round(6).tolist() == [-0.010280, 0.082076]


def test_the_worked_learning_rates_of_the_four_points(ascent: SimpleNamespace) -> None:
    unit = ascent.stable_step_size(FOUR)
    assert math.isclose(unit, 4 / (9 + math.sqrt(61)), rel_tol=1e-12)  # X'X = [[4, 6], [6, 14]]
    reached = {0.01: -2.458622, 0.1: -2.347520, unit: -2.347487, 1.9 * unit: -2.347487, 2.5 * unit: -2.347487}
    reached |= {4 * unit: -3.028553, 10 * unit: -7.444171}
    for eta, height in reached.items():
        history = ascent.gradient_ascent(FOUR, LABELS, eta, 200)[1]
        assert round(history[-1], 6) == height
        assert (np.diff(history) >= -1e-12).all() == (eta < 2 * unit)


def test_separable_labels_let_the_weights_run_away(ascent: SimpleNamespace) -> None:
    w, done = None, 0
    table = {10: (1.078, -1.420), 100: (3.094, -0.4209), 1000: (6.914, -0.0639), 10_000: (11.499, -0.0065)}
    for steps, (slope, height) in table.items():
        w, history = ascent.gradient_ascent(FOUR, [0, 0, 1, 1], 0.2, steps - done, w0=w)
        done = steps
        assert math.isclose(w[1], slope, abs_tol=5e-4) and math.isclose(history[-1], height, abs_tol=5e-4)


@pytest.mark.parametrize("seed", range(3))
def test_ascent_ends_at_the_optimum_of_scikit_learn(ascent: SimpleNamespace, seed: int) -> None:
    X, y, _ = problem(seed)
    w, history = ascent.gradient_ascent(X, y, ascent.stable_step_size(X), 3000)
    assert np.allclose(w, top(X, y, 0), atol=1e-4)
    assert np.all(np.diff(history) >= -1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_an_epoch_of_tiny_steps_is_a_batch_step(ascent: SimpleNamespace, seed: int) -> None:
    X, y, w = problem(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    moved = (ascent.sgd_epoch(w, X, y, 1e-8, order) - w) / 1e-8
    assert np.allclose(moved, ascent.batch_step(w, X, y, 1.0) - w, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_standardising_agrees_with_scikit_learn(ascent: SimpleNamespace, seed: int) -> None:
    rng = np.random.default_rng(seed)
    train, other = rng.gamma(2, 3, (30, 4)) * [1, 1000, 1e-6, 5], rng.normal(size=(7, 4))
    scaler = StandardScaler().fit(train)
    for ours, table in zip(ascent.standardize(train, other), (train, other), strict=True):
        assert np.allclose(ours, scaler.transform(table), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("value", [7.0, 0.1, 1e9 / 3, 0.0])
def test_a_constant_column_becomes_zero_without_a_warning(ascent: SimpleNamespace, value: float) -> None:
    train, other = ascent.standardize(np.column_stack([np.arange(10), np.full(10, value)]), [[3, value + 1]])
    assert not train[:, 1].any() and not other[:, 1].any()


@pytest.mark.parametrize("lam", [0.0, 0.7, 30.0])
def test_the_step_size_bounds_the_curvature_everywhere(ascent: SimpleNamespace, lam: float) -> None:
    X, _, w = problem(5)
    ridge = lam * np.diag([0.0, 1, 1, 1])
    bound = 1 / ascent.stable_step_size(X, lam)
    for scale in (0, 0.1, 1, 10):
        p = special.expit(X @ (scale * w))
        curvature = np.linalg.eigvalsh(X.T @ np.diag(p * (1 - p)) @ X + ridge)[-1]
        assert curvature <= bound * (1 + 1e-12)
    assert math.isclose(bound, np.linalg.norm(X, 2) ** 2 / 4 + lam, rel_tol=1e-12)


def test_the_four_points_have_their_border_beyond_the_bound(ascent: SimpleNamespace) -> None:
    p = special.expit(FOUR @ top(FOUR, LABELS, 0))
    border = 2 / np.linalg.eigvalsh(FOUR.T @ np.diag(p * (1 - p)) @ FOUR)[-1]
    assert round(border / ascent.stable_step_size(FOUR), 3) == 2.595


@pytest.mark.parametrize("lam", [0.0, 0.5, 20.0])
def test_penalised_gradient_and_height_agree_with_finite_differences(ascent: SimpleNamespace, lam: float) -> None:
    X, y, w = problem(6)
    measured = optimize.approx_fprime(w, lambda v: ascent.penalized_log_likelihood(v, X, y, lam), 1e-7)
    assert np.allclose(ascent.penalized_gradient(w, X, y, lam), measured, atol=1e-4)


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_the_penalised_gradient_vanishes_at_the_optimum_of_scikit_learn(ascent: SimpleNamespace, lam: float) -> None:
    X, y, _ = problem(7)
    w = top(X, y, lam)
    assert np.abs(ascent.penalized_gradient(w, X, y, lam)).max() < 1e-3
    assert math.isclose(special.expit(X @ w).sum(), y.sum(), rel_tol=1e-4)
    found = optimize.minimize(lambda v: -ascent.penalized_log_likelihood(v, X, y, lam), w, method="BFGS")
    assert np.allclose(found.x, w, atol=1e-3)


def test_a_penalised_intercept_would_spoil_the_average(ascent: SimpleNamespace) -> None:
    intercept = optimize.brentq(lambda b: 22 - 200 * special.expit(b) - 100 * b, -5, 5)
    assert round(float(special.expit(intercept)), 4) == 0.3719
    free = optimize.brentq(
        lambda b: ascent.penalized_gradient([b], np.ones((200, 1)), np.arange(200) < 22, 100)[0], -5, 5
    )
    assert math.isclose(special.expit(free), 0.11, rel_tol=1e-9)


def test_the_penguins_have_the_worked_numbers(ascent: SimpleNamespace, birds: tuple[np.ndarray, np.ndarray]) -> None:
    features, male = birds
    X = ascent.with_ones(ascent.standardize(features, features)[0])
    assert 2 * ascent.stable_step_size(ascent.with_ones(features)) == pytest.approx(1.3e-9, rel=0.01)
    assert round(2 * ascent.stable_step_size(X), 5) == 0.01632
    w, history = ascent.gradient_ascent(X, male, ascent.stable_step_size(X), 1000)
    assert w.round(6).tolist() == [0.187929, 3.983011, 4.242059]
    assert round(history[-1], 4) == -82.1689
    assert round(float(((X @ w > 0) == male).mean()), 4) == 0.8919
    assert np.allclose(w, top(X, male, 0), atol=1e-3)
    after = [ascent.gradient_ascent(X, male, ascent.stable_step_size(X), steps)[0] for steps in (795, 796)]
    before, there = (np.abs(ascent.penalized_gradient(place, X, male, 0)).max() for place in after)
    assert before > 1e-6 >= there


def test_the_emails_have_the_worked_numbers(ascent: SimpleNamespace, emails: tuple[np.ndarray, ...]) -> None:
    X, X_test, spam, spam_test = emails
    best = top(X, spam, 1.0)
    assert round(ascent.penalized_log_likelihood(best, X, spam, 1.0), 3) == -594.640
    step, w, gaps = ascent.stable_step_size(X, 1.0), np.zeros(58), []
    for t in range(1, 2001):
        w = w + step * ascent.penalized_gradient(w, X, spam, 1.0)
        if t in (10, 100, 2000):
            gaps.append(-594.640 - ascent.penalized_log_likelihood(w, X, spam, 1.0))
    assert np.allclose(gaps, [266.17, 57.87, 2.25], atol=0.01)
    assert ((X_test @ w > 0) == spam_test).sum() == 872 and round(872 / 921, 3) == 0.947
