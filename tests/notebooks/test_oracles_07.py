"""Notebook 07 against oracles that know nothing of it: scikit-learn, scipy, exact fractions, and finite differences."""

from __future__ import annotations

import warnings
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import reference
from scipy import optimize, special, stats
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import PolynomialFeatures

DATA = reference.ROOT / "data"


@pytest.fixture(scope="module")
def notebook07() -> SimpleNamespace:
    """The reference functions, with the helpers that the notebook gives to everybody."""
    return reference.functions("07_newton_raphson", "helpers")


@pytest.fixture(scope="module")
def birds() -> np.ndarray:
    """Penguins with measurements."""
    table = np.genfromtxt(DATA / "penguins.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    return np.asarray(table[~np.isnan(table["bill_length_mm"])])


def problem(seed: int, n: int = 60, d: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Examples behind a column of ones, labels that no line separates, and weights."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.normal(size=(n, d))])
    y = (rng.random(n) < special.expit(X @ rng.normal(size=d + 1))).astype(int)
    return X, y, rng.normal(size=d + 1)


def standardised(*columns: np.ndarray) -> np.ndarray:
    """The columns in standard deviations from their means, behind a column of ones."""
    return np.column_stack([np.ones(len(columns[0])), *(stats.zscore(column) for column in columns)])


def sklearn_weights(X: np.ndarray, y: np.ndarray, lam: float) -> np.ndarray:
    """The maximum as scikit-learn finds it; its intercept is not penalised, and lam is one over its C."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how "no penalty" is spelt changed between versions
        model = LogisticRegression(C=1 / lam if lam else np.inf, tol=1e-10, max_iter=10_000, solver="newton-cholesky")
        model.fit(X[:, 1:], y)
    return np.append(model.intercept_, model.coef_)


def test_the_given_helpers_agree_with_scipy(notebook07: SimpleNamespace) -> None:
    X, y, w = problem(0)
    scores = np.array([-800.0, -30.0, -1.0, 0.0, 2.0, 40.0, 800.0])
    np.testing.assert_allclose(notebook07.sigma(scores), special.expit(scores), rtol=1e-9, atol=1e-16)
    expected = stats.bernoulli.logpmf(y, special.expit(X @ w)).sum()
    assert notebook07.log_likelihood(w, X, y) == pytest.approx(expected)
    np.testing.assert_array_equal(notebook07.with_ones(X[:, 1:]), X)


def test_a_coin_step_is_exact_in_fractions_and_finds_the_share_of_heads(notebook07: SimpleNamespace) -> None:
    for numerator in range(1, 20):
        theta = Fraction(numerator, 20)
        exact = theta + (7 / theta - 3 / (1 - theta)) / (7 / theta**2 + 3 / (1 - theta) ** 2)
        assert notebook07.newton_coin(float(theta), 7, 3) == pytest.approx(float(exact), rel=1e-12)
    root = optimize.newton(lambda t: 7 / t - 3 / (1 - t), 0.2, fprime=lambda t: -7 / t**2 - 3 / (1 - t) ** 2)
    climbed = 0.2
    for _ in range(7):
        climbed = notebook07.newton_coin(climbed, 7, 3)
    assert climbed == pytest.approx(root) == pytest.approx(0.7)


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_hessian_is_what_scipy_measures(notebook07: SimpleNamespace, seed: int) -> None:
    X, y, w = problem(seed)
    measured = optimize.approx_fprime(w, lambda v: X.T @ (y - special.expit(X @ v)), 1e-7)
    np.testing.assert_allclose(notebook07.hessian(w, X), measured, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seed", range(6, 11))
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_a_step_ends_on_the_top_of_the_quadratic_model(notebook07: SimpleNamespace, seed: int, lam: float) -> None:
    X, y, w = problem(seed)
    mask = np.append(0, np.ones(3))
    p = special.expit(X @ w)
    slope = X.T @ (y - p) - lam * mask * w
    bend = -X.T @ np.diag(p * (1 - p)) @ X - lam * np.diag(mask)
    top = optimize.minimize(
        lambda s: -(slope @ s + s @ bend @ s / 2), np.zeros(4), jac=lambda s: -(slope + bend @ s), tol=1e-12
    )
    np.testing.assert_allclose(notebook07.newton_step(w, X, y, lam), w + top.x, rtol=1e-5, atol=1e-7)
    if lam == 0:
        np.testing.assert_allclose(notebook07.irls_step(w, X, y), w + top.x, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("lam", [0.0, 0.1, 3.0])
def test_the_fit_agrees_with_scikit_learn(notebook07: SimpleNamespace, lam: float) -> None:
    for seed in range(11, 16):
        X, y, _ = problem(seed)
        w, history = notebook07.newton_fit(X, y, lam)
        np.testing.assert_allclose(w, sklearn_weights(X, y, lam), rtol=1e-5, atol=1e-6)
        assert len(history) <= 11


def test_the_fit_agrees_with_scipys_own_search(notebook07: SimpleNamespace) -> None:
    X, y, _ = problem(16, n=40, d=2)
    lam = 0.5

    def loss(w: np.ndarray) -> float:
        return float(-stats.bernoulli.logpmf(y, special.expit(X @ w)).sum() + lam / 2 * w[1:] @ w[1:])

    best = optimize.minimize(loss, np.zeros(3), tol=1e-10)
    w, history = notebook07.newton_fit(X, y, lam)
    np.testing.assert_allclose(w, best.x, atol=1e-4)
    assert history[-1] == pytest.approx(-best.fun)


def test_penguin_sex_has_the_standard_errors_of_the_text(notebook07: SimpleNamespace, birds: np.ndarray) -> None:
    sexed = birds[birds["sex"] != ""]
    X, male = standardised(sexed["bill_depth_mm"], sexed["body_mass_g"]), (sexed["sex"] == "male").astype(int)
    w, history = notebook07.newton_fit(X, male)
    np.testing.assert_allclose(w, sklearn_weights(X, male, 0.0), rtol=1e-5)
    np.testing.assert_allclose(w, [0.187929, 3.983011, 4.242059], atol=1e-6)
    assert history[-1] == pytest.approx(-82.1689, abs=1e-4)
    p = special.expit(X @ w)
    covariance = np.linalg.inv(np.einsum("i,ij,ik->jk", p * (1 - p), X, X))  # the inverse of the observed information
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), [0.2024, 0.4670, 0.4978], atol=5e-5)
    np.testing.assert_allclose(np.linalg.inv(-notebook07.hessian(w, X)), covariance, rtol=1e-8)


@pytest.mark.parametrize(
    ("curved", "likelihood", "errors"), [(None, -97.001, 40), (False, -56.391, 21), (True, -23.301, 12)]
)
def test_chinstraps_have_the_three_boundaries_of_the_text(
    notebook07: SimpleNamespace, birds: np.ndarray, curved: bool | None, likelihood: float, errors: int
) -> None:
    bills = standardised(birds["bill_length_mm"], birds["bill_depth_mm"])[:, 1:]
    chinstrap = (birds["species"] == "Chinstrap").astype(int)
    features = bills if curved is None else notebook07.quadratic_features(bills, interaction=curved)
    X = notebook07.with_ones(features)
    w, history = notebook07.newton_fit(X, chinstrap)
    assert history[-1] == pytest.approx(likelihood, abs=5e-4)
    assert ((X @ w > 0) != chinstrap).sum() == errors
    np.testing.assert_allclose(w, sklearn_weights(X, chinstrap, 0.0), rtol=1e-4, atol=1e-5)


def test_gentoo_penguins_are_separable_and_a_ridge_holds_the_weights(
    notebook07: SimpleNamespace, birds: np.ndarray
) -> None:
    X = standardised(birds["bill_depth_mm"], birds["flipper_length_mm"])
    gentoo = (birds["species"] == "Gentoo").astype(int)
    signs = np.where(gentoo == 1, 1, -1)
    line = optimize.linprog(np.zeros(3), A_ub=-signs[:, None] * X, b_ub=-np.ones(len(X)), bounds=(None, None))
    assert line.status == 0  # a line with all birds on the right side exists
    w, _ = notebook07.newton_fit(X, gentoo, lam=0.01)
    np.testing.assert_allclose(w, [-5.107, -6.441, 7.182], atol=5e-4)
    np.testing.assert_allclose(w, sklearn_weights(X, gentoo, 0.01), rtol=1e-4)
    assert notebook07.log_likelihood(w, X, gentoo) == pytest.approx(-0.2132, abs=5e-5)


def test_spambase_takes_eleven_steps(notebook07: SimpleNamespace) -> None:
    with np.load(DATA / "spambase_full.npz") as spambase:
        emails, spam = np.log1p(spambase["X"].astype(float)), spambase["y"].astype(int)
    order = np.random.default_rng(0).permutation(len(spam))
    train, test = order[:3680], order[3680:]
    scaled = np.column_stack([np.ones(len(spam)), (emails - emails[train].mean(axis=0)) / emails[train].std(axis=0)])
    w, history = notebook07.newton_fit(scaled[train], spam[train], lam=1.0, tol=1e-10)
    assert len(history) - 1 == 11
    assert history[-1] == pytest.approx(-594.640, abs=5e-4)
    assert np.mean((scaled[test] @ w > 0) == spam[test]) == pytest.approx(0.9457, abs=5e-5)
    np.testing.assert_allclose(w, sklearn_weights(scaled[train], spam[train], 1.0), atol=1e-4)


def test_quadratic_features_are_those_of_scikit_learn_in_another_order(notebook07: SimpleNamespace) -> None:
    X = np.random.default_rng(17).normal(size=(20, 2))
    theirs = PolynomialFeatures(degree=2, include_bias=False).fit_transform(X)  # x1, x2, x1^2, x1 x2, x2^2
    np.testing.assert_allclose(notebook07.quadratic_features(X), theirs[:, [0, 1, 2, 4, 3]])


@pytest.mark.filterwarnings("error")
def test_nothing_warns_far_away(notebook07: SimpleNamespace) -> None:
    X, y = np.array([[1.0, 900.0], [1.0, -900.0], [1.0, 0.3], [1.0, 0.1]]), np.array([0, 1, 1, 0])
    assert np.isfinite(notebook07.hessian([0.0, 1.0], X)).all()
    assert np.isfinite(notebook07.newton_step([0.0, 1.0], X, y)).all()
    assert np.isfinite(notebook07.irls_step([0.0, 1.0], X, y)).all()


def test_the_examples_in_the_docstrings_are_right(notebook07: SimpleNamespace) -> None:
    import doctest

    names = ["newton_coin", "hessian", "newton_step", "newton_fit", "quadratic_features", "irls_step"]
    globs = {name: getattr(notebook07, name) for name in names} | {"np": np}
    tests = [doctest.DocTestParser().get_doctest(globs[name].__doc__, globs, name, None, None) for name in names]
    assert [doctest.DocTestRunner(verbose=False).run(test).failed for test in tests] == [0] * 6
    assert all(test.examples for test in tests)
