"""The reference solutions of 03_naive_bayes against scikit-learn, SciPy and exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from reference import ROOT, functions
from scipy.special import softmax
from scipy.stats import norm
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB

DATA: Path = ROOT / "data"


@pytest.fixture(scope="module")
def reference() -> SimpleNamespace:
    return functions("03_naive_bayes")


@pytest.fixture(scope="module")
def spambase() -> SimpleNamespace:
    """The 48 binary words, the labels, and the split 60/20/20 of the notebook."""
    with np.load(DATA / "spambase_words_binary.npz") as file:
        X = np.unpackbits(file["X"], axis=1)[:, : file["shape"][1]]
        y = file["y"].astype(int)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[: int(0.6 * len(X))], order[int(0.8 * len(X)) :]
    return SimpleNamespace(X=X, y=y, train=train, test=test)


@pytest.fixture(scope="module")
def penguins() -> tuple[np.ndarray, np.ndarray]:
    table = np.genfromtxt(DATA / "penguins.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    table = table[~np.isnan(table["bill_length_mm"])]
    columns = [table[name] for name in ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")]
    return np.column_stack(columns), np.unique(table["species"], return_inverse=True)[1]


def movie_posterior(x1: int, x2: int) -> Fraction:
    """P(likes The Lord of the Rings | x1, x2), by exact fractions."""
    no = Fraction(13, 30) * Fraction([3, 10][x1], 13) * Fraction([5, 8][x2], 13)
    yes = Fraction(17, 30) * Fraction([4, 13][x1], 17) * Fraction([7, 10][x2], 17)
    return yes / (no + yes)


def test_the_movie_example_is_exact(reference: SimpleNamespace) -> None:
    theta = np.column_stack(
        [reference.conditional_tables([[3, 10], [4, 13]])[:, 1], reference.conditional_tables([[5, 8], [7, 10]])[:, 1]]
    )
    inputs = list(product([0, 1], repeat=2))
    answers = reference.predict_proba(reference.joint_log_likelihood(inputs, [13 / 30, 17 / 30], theta))
    np.testing.assert_allclose(answers[:, 1], [float(movie_posterior(*x)) for x in inputs], rtol=1e-14)
    assert movie_posterior(1, 0) == Fraction(1183, 2033)


def test_parameter_counts_match_the_lectures(reference: SimpleNamespace) -> None:
    count = reference.parameter_counts
    assert [(count(n)["full_entries"], count(n)["naive_entries"]) for n in (1, 2, 3, 10, 30)] == [
        (4, 6),
        (8, 10),
        (16, 14),
        (2048, 42),
        (2_147_483_648, 122),
    ]
    assert (count(10)["full"], count(10)["naive"]) == (2046, 20)
    assert (count(4, 3, 3)["full"], count(4, 3, 3)["naive"]) == (240, 24)
    assert (count(48)["full"], count(48)["naive"]) == (2 * (2**48 - 1), 96)
    assert (count(64, 17, 10)["full"], count(64, 17, 10)["naive"]) == (10 * (17**64 - 1), 10_240)


def test_conditional_tables_match_categorical_nb(reference: SimpleNamespace) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(4, size=(300, 1)), np.arange(300) % 3
    counts = np.array([[np.sum((X[:, 0] == m) & (y == k)) for m in range(4)] for k in range(3)])
    fitted = CategoricalNB(alpha=0, force_alpha=True).fit(X, y)
    np.testing.assert_allclose(reference.conditional_tables(counts), np.exp(fitted.feature_log_prob_[0]), rtol=1e-12)


def test_bernoulli_training_matches_scikit_learn(reference: SimpleNamespace, spambase: SimpleNamespace) -> None:
    X, y = spambase.X[spambase.train], spambase.y[spambase.train]
    fitted = BernoulliNB(alpha=1e-300, force_alpha=True).fit(X, y)
    prior, theta = reference.fit_bernoulli_nb(X, y, 2)
    np.testing.assert_allclose(prior, np.exp(fitted.class_log_prior_), rtol=1e-12)
    np.testing.assert_allclose(theta, np.exp(fitted.feature_log_prob_), rtol=1e-12, atol=1e-12)


def test_bernoulli_scores_and_posteriors_match_scikit_learn(
    reference: SimpleNamespace, spambase: SimpleNamespace
) -> None:
    fitted = BernoulliNB(alpha=1.0).fit(spambase.X[spambase.train], spambase.y[spambase.train])
    tested = spambase.X[spambase.test]
    scores = reference.joint_log_likelihood(tested, np.exp(fitted.class_log_prior_), np.exp(fitted.feature_log_prob_))
    np.testing.assert_allclose(scores, fitted.predict_joint_log_proba(tested), rtol=1e-10)
    np.testing.assert_allclose(reference.predict_proba(scores), fitted.predict_proba(tested), rtol=1e-9)


def test_imaginary_emails_are_laplace_smoothing(reference: SimpleNamespace, spambase: SimpleNamespace) -> None:
    X, y = spambase.X[spambase.train], spambase.y[spambase.train]
    both = np.repeat([[1], [0]], X.shape[1], axis=1)
    _, theta = reference.fit_bernoulli_nb(np.vstack([X, both, both]), np.append(y, [0, 0, 1, 1]), 2)
    np.testing.assert_allclose(theta, np.exp(BernoulliNB(alpha=1.0).fit(X, y).feature_log_prob_), rtol=1e-12)


@pytest.mark.parametrize(
    ("copies", "accuracy", "log_loss"), [(1, 0.8914, 0.430), (2, 0.8882, 0.787), (5, 0.8871, 1.913)]
)
def test_double_counting_hurts_confidence_more_than_accuracy(
    spambase: SimpleNamespace, copies: int, accuracy: float, log_loss: float
) -> None:
    X, y = np.tile(spambase.X, copies), spambase.y
    fitted = BernoulliNB(alpha=1.0).fit(X[spambase.train], y[spambase.train])
    logs = fitted.predict_log_proba(X[spambase.test])
    truth = y[spambase.test]
    assert round(float(np.mean(logs.argmax(axis=1) == truth)), 4) == accuracy
    assert round(float(-logs[np.arange(len(truth)), truth].mean()), 3) == log_loss


def test_posteriors_match_scipy(reference: SimpleNamespace) -> None:
    scores = np.random.default_rng(1).normal(0, 50, size=(200, 5)) - 3000
    np.testing.assert_allclose(reference.predict_proba(scores), softmax(scores, axis=1), rtol=1e-11)


def test_gaussian_training_matches_scikit_learn_up_to_the_denominator(
    reference: SimpleNamespace, penguins: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = penguins
    fitted = GaussianNB(var_smoothing=0).fit(X, y)
    prior, mean, var = reference.fit_gaussian_nb(X, y, 3)
    n = np.bincount(y)[:, np.newaxis]
    np.testing.assert_allclose(prior, fitted.class_prior_, rtol=1e-12)
    np.testing.assert_allclose(mean, fitted.theta_, rtol=1e-12)
    np.testing.assert_allclose(var * (n - 1) / n, fitted.var_, rtol=1e-9)


def test_gaussian_scores_match_scipy(reference: SimpleNamespace, penguins: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = penguins
    prior, mean, var = reference.fit_gaussian_nb(X, y, 3)
    expected = np.log(prior) + norm.logpdf(X[:, np.newaxis, :], mean, np.sqrt(var)).sum(axis=2)
    scores = reference.gaussian_joint_log_likelihood(X, prior, mean, var)
    np.testing.assert_allclose(scores, expected, rtol=1e-11)
    assert np.sum(scores.argmax(axis=1) == y) == 332


def test_shared_variances_give_the_log_odds_of_scikit_learn(
    reference: SimpleNamespace, penguins: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = penguins[0][penguins[1] < 2, :2], penguins[1][penguins[1] < 2]
    fitted = GaussianNB(var_smoothing=0).fit(X, y)
    pooled = np.average([np.var(X[y == k], axis=0, ddof=1) for k in (0, 1)], axis=0, weights=[150, 67])
    fitted.var_ = np.tile(pooled, (2, 1))
    w0, w = reference.gnb_linear_weights(fitted.class_prior_, fitted.theta_, pooled)
    logs = fitted.predict_joint_log_proba(X)
    np.testing.assert_allclose(w0 + X @ w, logs[:, 1] - logs[:, 0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose([w0, *w], [-54.4740, 1.2032, 0.0522], atol=5e-5)
