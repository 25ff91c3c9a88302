"""The reference solutions of notebook 08 agree with SciPy, scikit-learn and finite differences."""

from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np
import pytest
from reference import ROOT, functions
from scipy import optimize, special
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.preprocessing import OneHotEncoder

STEM = "08_softmax"
reference = functions(STEM)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator whose seed is the name of the test."""
    return np.random.default_rng(list(request.node.name.encode()))


def problem(rng: np.random.Generator, n: int, d: int, n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Examples with a column of ones, labels of all classes, and weights."""
    X = np.column_stack([np.ones(n), rng.normal(size=(n, d))])
    y = rng.permutation(np.append(np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)))
    return X, y, rng.normal(size=(d + 1, n_classes))


def penguins(columns: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    table = np.genfromtxt(ROOT / "data" / "penguins.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    table = table[~np.isnan(table["bill_length_mm"])]
    names = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    birds = np.column_stack([table[names[column]] for column in columns])
    birds = (birds - birds.mean(axis=0)) / birds.std(axis=0)
    return np.column_stack([np.ones(len(birds)), birds]), np.unique(table["species"], return_inverse=True)[1]


def digits() -> tuple[np.ndarray, ...]:
    """Images with the training mean subtracted or not, labels, and the two parts of the split."""
    with np.load(ROOT / "data" / "digits.npz") as file:
        images, y = file["X"].astype(float) / 16, file["y"].astype(int)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:1347], order[1347:]
    ones = np.ones((len(y), 1))
    return np.hstack([ones, images]), np.hstack([ones, images - images[train].mean(axis=0)]), y, train, test


# --- softmax and one-hot ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(3,), (4, 5), (1, 1), (6, 2)])
@pytest.mark.parametrize("scale", [1, 30, 1e4])
def test_softmax_agrees_with_scipy(rng: np.random.Generator, size: tuple[Any, ...], scale: float) -> None:
    Z = rng.normal(scale=scale, size=size)
    np.testing.assert_allclose(reference.softmax(Z), special.softmax(Z, axis=-1), rtol=1e-12, atol=1e-300)


def test_one_two_three_and_a_thousand_more_mean_the_same() -> None:
    expected = [0.090031, 0.244728, 0.665241]
    np.testing.assert_allclose(reference.softmax([[1, 2, 3], [1000, 1001, 1002]]), [expected, expected], atol=5e-7)
    assert special.logsumexp([1000, 1001, 1002]) == pytest.approx(1002.407606, abs=5e-7)


def test_two_scores_make_a_sigmoid() -> None:
    assert reference.softmax([1.5, 0.3])[0] == pytest.approx(special.expit(1.2), rel=1e-14)
    assert special.expit(1.2) == pytest.approx(0.768525, abs=5e-7)


def test_one_hot_agrees_with_scikit_learn(rng: np.random.Generator) -> None:
    y = rng.integers(5, size=40)
    encoder = OneHotEncoder(categories=[np.arange(7)], sparse_output=False)
    np.testing.assert_array_equal(reference.one_hot(y, 7), encoder.fit_transform(y.reshape(-1, 1)))


# --- log-likelihood and gradient --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1, 100, 1e4])
def test_the_log_likelihood_agrees_with_scipy(rng: np.random.Generator, scale: float) -> None:
    X, y, W = problem(rng, 30, 4, 5)
    log_p = special.log_softmax(scale * X @ W, axis=1)
    assert reference.log_likelihood(scale * W, X, y) == pytest.approx(log_p[np.arange(30), y].sum(), rel=1e-12)


def test_without_weights_n_examples_cost_n_log_k() -> None:
    X, _, y, train, _ = digits()
    assert reference.log_likelihood(np.zeros((65, 10)), X[train], y[train]) == pytest.approx(-3101.582, abs=5e-4)
    assert reference.log_likelihood(np.zeros((3, 3)), np.eye(3), [0, 1, 2]) == pytest.approx(-3.295837, abs=5e-7)
    assert -6 * log(3) == pytest.approx(-6.59, abs=5e-3)
    assert -6 * 2 * log(3) == pytest.approx(-13.18, abs=5e-3)


def test_two_classes_agree_with_logistic_regression(rng: np.random.Generator) -> None:
    X, y, W = problem(rng, 25, 3, 2)
    w = W[:, 1] - W[:, 0]
    log_p = special.log_expit(np.where(y == 1, 1, -1) * (X @ w))
    assert reference.log_likelihood(W, X, y) == pytest.approx(log_p.sum(), rel=1e-12)
    slope = X.T @ (y - special.expit(X @ w))
    np.testing.assert_allclose(reference.gradient(W, X, y), np.column_stack([-slope, slope]), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("n", "d", "n_classes"), [(7, 4, 3), (12, 1, 5), (9, 0, 4)])
def test_the_gradient_agrees_with_finite_differences(rng: np.random.Generator, n: int, d: int, n_classes: int) -> None:
    X, y, W = problem(rng, n, d, n_classes)

    def value(flat: np.ndarray) -> float:
        return float(special.log_softmax(X @ flat.reshape(W.shape), axis=1)[np.arange(n), y].sum())

    numerical = optimize.approx_fprime(W.ravel(), value, 1e-7).reshape(W.shape)
    np.testing.assert_allclose(reference.gradient(W, X, y), numerical, atol=1e-5)
    np.testing.assert_allclose(reference.gradient(W, X, y).sum(axis=1), 0, atol=1e-12)


def test_three_points_have_the_gradient_of_the_text() -> None:
    X = [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    thirds = reference.gradient(np.zeros((3, 3)), X, [0, 1, 2]) * 3
    np.testing.assert_allclose(thirds, [[0, 0, 0], [-1, 2, -1], [-1, -1, 2]], atol=1e-14)


def test_no_softmax_bends_by_more_than_one_half(rng: np.random.Generator) -> None:
    for p in rng.dirichlet(np.full(5, 0.3), size=500):
        assert np.linalg.eigvalsh(np.diag(p) - np.outer(p, p))[-1] <= 0.5 + 1e-12
    assert np.linalg.eigvalsh(np.diag([0.5, 0.5, 0]) - np.outer([0.5, 0.5, 0], [0.5, 0.5, 0]))[-1] == pytest.approx(0.5)


# --- fitting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lam", [0.3, 1.0, 20.0])
def test_the_summit_agrees_with_scikit_learn(rng: np.random.Generator, lam: float) -> None:
    X, y, W_true = problem(rng, 200, 3, 4)
    y = (X @ W_true + rng.gumbel(size=(200, 4))).argmax(axis=1)
    W, history = reference.fit_softmax(X, y, 4, lam=lam, n_steps=2500)
    model = LogisticRegression(C=1 / lam, tol=1e-10, max_iter=10_000).fit(X[:, 1:], y)
    np.testing.assert_allclose(special.softmax(X @ W, axis=1), model.predict_proba(X[:, 1:]), atol=1e-6)
    np.testing.assert_allclose(W[1:], model.coef_.T, atol=1e-5)
    assert (np.diff(history) >= -1e-9).all()


def test_two_classes_reach_the_summit_of_binary_logistic_regression(rng: np.random.Generator) -> None:
    X, _, w = problem(rng, 150, 2, 2)
    y = (rng.random(150) < special.expit(X @ w[:, 0])).astype(int)
    W, _ = reference.fit_softmax(X, y, 2, lam=2.0, n_steps=2000)
    # Two columns v / 2 and -v / 2 have half of the squares of v: lam for the pair is lam / 2 for the difference.
    model = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(X[:, 1:], y)
    np.testing.assert_allclose((W[:, 1] - W[:, 0])[1:], model.coef_[0], atol=1e-5)
    assert special.expit(X @ (W[:, 1] - W[:, 0])).sum() == pytest.approx(y.sum(), abs=1e-4)


def test_intercepts_are_free() -> None:
    X, y = penguins([0, 1])
    W, _ = reference.fit_softmax(X, y, 3, lam=500.0, n_steps=2000)
    np.testing.assert_allclose(special.softmax(X @ W, axis=1).mean(axis=0), np.bincount(y) / len(y), atol=1e-6)


@pytest.mark.parametrize(("columns", "accuracy"), [([0, 1], 0.9591), ([1, 2], 0.8333), ([0, 1, 2, 3], 0.9912)])
def test_penguins_are_told_apart_this_often(columns: list[int], accuracy: float) -> None:
    X, y = penguins(columns)
    W, history = reference.fit_softmax(X, y, 3)
    assert np.mean((X @ W).argmax(axis=1) == y) == pytest.approx(accuracy, abs=5e-5)
    assert history[0] == pytest.approx(-342 * log(3))


def test_four_measurements_separate_the_species() -> None:
    X, y = penguins([0, 1, 2, 3])
    W, _ = reference.fit_softmax(X, y, 3, lam=0, eta=0.02, n_steps=1000)
    margins = (X @ W)[np.arange(len(y)), y][:, None] - X @ W
    assert (np.delete(np.sort(margins, axis=1), 0, axis=1) > 0).all()


def test_centring_the_digits_raises_the_accuracy_from_0_9311_to_0_9778() -> None:
    raw, centred, y, train, test = digits()
    for X, bound, accuracy in [(raw, 7706.9, 0.9311), (centred, 674.5, 0.9778)]:
        assert np.linalg.norm(X[train], 2) ** 2 / 2 + 1 == pytest.approx(bound, abs=0.05)
        W, history = reference.fit_softmax(X[train], y[train], 10)
        assert np.mean((X[test] @ W).argmax(axis=1) == y[test]) == pytest.approx(accuracy, abs=5e-5)
        assert (np.diff(history) > 0).all()


def test_the_digits_have_their_summit_at_minus_308_004() -> None:
    _, X, y, train, _ = digits()
    model = LogisticRegression(C=1.0, tol=1e-8, max_iter=5000).fit(X[train, 1:], y[train])
    W = np.vstack([model.intercept_, model.coef_.T])
    summit = reference.log_likelihood(W, X[train], y[train]) - np.sum(W[1:] ** 2) / 2
    assert summit == pytest.approx(-308.004, abs=5e-4)
    _, history = reference.fit_softmax(X[train], y[train], 10, eta=8 / 674.5, n_steps=300)
    assert history[-1] == pytest.approx(summit, abs=5e-3)
    assert history[-1] < summit


# --- the reference form -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("scale", [1, 1e4])
def test_both_forms_give_the_probabilities_of_scipy(rng: np.random.Generator, n_classes: int, scale: float) -> None:
    X, _, W = problem(rng, 12, 3, n_classes)
    expected = special.softmax(scale * X @ W, axis=1)
    V = reference.to_reference(scale * W)
    assert V.shape == (4, n_classes - 1)
    np.testing.assert_allclose(reference.proba_reference(V, X), expected, rtol=1e-7, atol=1e-12)


def test_one_vector_is_the_sigmoid(rng: np.random.Generator) -> None:
    X, _, V = problem(rng, 10, 2, 2)
    p = special.expit(X @ V[:, 0])
    np.testing.assert_allclose(reference.proba_reference(V[:, :1], X), np.column_stack([p, 1 - p]), rtol=1e-12)


# --- looking back -----------------------------------------------------------------------------------------------------


def test_naive_bayes_is_a_softmax_of_counted_weights() -> None:
    with np.load(ROOT / "data" / "spambase_words_binary.npz") as file:
        X, y = np.unpackbits(file["X"], axis=1)[:, : file["shape"][1]].astype(float), file["y"].astype(int)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:2760], order[3680:]
    model = BernoulliNB(alpha=1.0).fit(X[train], y[train])
    theta = np.exp(model.feature_log_prob_)
    W = np.vstack([model.class_log_prior_ + np.log(1 - theta).sum(axis=1), np.log(theta / (1 - theta)).T])
    p = reference.softmax(np.column_stack([np.ones(len(test)), X[test]]) @ W)
    np.testing.assert_allclose(p, model.predict_proba(X[test]), rtol=1e-8, atol=1e-12)
    assert np.mean(p.argmax(axis=1) == y[test]) == pytest.approx(0.8914, abs=5e-5)
