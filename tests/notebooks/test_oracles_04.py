"""Notebook 04's reference solutions agree with scikit-learn, with scipy and with exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from reference import functions
from scipy import integrate, optimize, special, stats
from sklearn.naive_bayes import BernoulliNB, CategoricalNB

SOLUTION = functions("04_smoothing", "tools-given")
DATA = Path(__file__).resolve().parents[2] / "data" / "spamassassin_df500.npz"

# Thirty people and three films, from Stanford's CS109: only the counts of each film by class matter.
FILMS = np.column_stack([np.repeat([0, 1, 0, 1], [3, 10, 4, 13]), np.repeat([0, 1, 0, 1], [5, 8, 7, 10])])
LOTR = np.repeat([0, 1], [13, 17])


@pytest.fixture(scope="module")
def emails() -> tuple[np.ndarray, ...]:
    """The SpamAssassin bits, the labels, and the order in which the notebook draws emails."""
    with np.load(DATA) as corpus:
        bits = np.unpackbits(corpus["X"], axis=1)[:, : corpus["shape"][1]]
        return bits, corpus["y"].astype(int), np.random.default_rng(0).permutation(len(corpus["y"]))


def answer(prior: np.ndarray, theta: np.ndarray, likes: tuple[int, int]) -> float:
    """P(yes | likes) by Bayes' rule."""
    joint = prior * np.prod(np.where(np.array(likes) == 1, theta, 1 - theta), axis=1)
    return float(joint[1] / joint.sum())


# --- Exact fractions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "k", "expected"),
    [
        ([2, 1], 0, ["2/3", "1/3"]),
        ([2, 1], 1, ["3/5", "2/5"]),
        ([2, 1], 100, ["102/203", "101/203"]),
        ([7, 3], 1, ["2/3", "1/3"]),
        ([7, 3], 10, ["17/30", "13/30"]),
        ([2, 1, 0], 1, ["1/2", "1/3", "1/6"]),
        ([2, 1, 0], 2, ["4/9", "3/9", "2/9"]),
    ],
)
def test_laplace_gives_the_fractions_of_the_text(counts: list[int], k: int, expected: list[str]) -> None:
    assert np.allclose(SOLUTION.laplace(counts, k), [float(Fraction(p)) for p in expected], rtol=1e-15, atol=0)


@pytest.mark.parametrize(
    ("k", "k_prior", "likes", "expected"),
    [
        (0, 0, (1, 0), Fraction(1183, 2033)),
        (1, 0, (1, 0), Fraction(71400, 123023)),
        (1, 1, (1, 0), Fraction(5400, 9371)),
    ],
)
def test_the_movie_example_gives_the_fractions_of_the_text(
    k: int, k_prior: int, likes: tuple[int, int], expected: Fraction
) -> None:
    prior, theta = SOLUTION.fit_bernoulli_nb_smoothed(FILMS, LOTR, k, 2, k_prior)
    assert answer(prior, theta, likes) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize(("likes", "expected"), [((0, 0), 0.5760), ((0, 1), 0.5546), ((1, 1), 0.5591)])
def test_the_other_answers_of_the_movie_example_are_those_of_the_text(likes: tuple[int, int], expected: float) -> None:
    prior, theta = SOLUTION.fit_bernoulli_nb_smoothed(FILMS, LOTR, 1, 2)
    assert answer(prior, theta, likes) == pytest.approx(expected, abs=5e-5)


def test_smoothing_turns_the_direction_of_one_film_round_at_one_half() -> None:
    theta = [SOLUTION.fit_bernoulli_nb_smoothed(FILMS, LOTR, k, 2)[1][:, 0] for k in (0, 0.5, 1)]
    assert theta[0][0] > theta[0][1]
    assert theta[1] == pytest.approx([0.75, 0.75], rel=1e-15)
    assert theta[2][0] < theta[2][1]


@pytest.mark.parametrize(
    ("n1", "n0", "a", "b", "expected"),
    [
        (7, 3, 1, 1, Fraction(1, 1320)),
        (2, 1, 1, 1, Fraction(1, 12)),
        (2, 1, 2, 2, Fraction(1, 10)),
        (7, 3, 2, 2, Fraction(2, 2145)),
    ],
)
def test_the_evidence_gives_the_fractions_of_the_text(n1: int, n0: int, a: int, b: int, expected: Fraction) -> None:
    assert math.exp(SOLUTION.log_evidence(n1, n0, a, b)) == pytest.approx(float(expected), rel=1e-13)


def test_seven_of_ten_has_the_three_estimates_of_the_text() -> None:
    assert SOLUTION.beta_estimates(7, 3, 2, 2) == pytest.approx(
        {"mle": 7 / 10, "map": 2 / 3, "mean": 9 / 14}, rel=1e-15
    )
    assert SOLUTION.beta_estimates(7, 3, 1, 1)["mean"] == pytest.approx(2 / 3, rel=1e-15)


# --- scikit-learn -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0.001, 0.5, 1, 7])
def test_the_bernoulli_fit_agrees_with_scikit_learn(k: float) -> None:
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, size=(80, 6)), rng.integers(0, 3, size=80)
    theirs = BernoulliNB(alpha=k, force_alpha=True).fit(X, y)
    prior, theta = SOLUTION.fit_bernoulli_nb_smoothed(X, y, k, 3)
    assert np.allclose(np.log(prior), theirs.class_log_prior_, rtol=1e-12)
    assert np.allclose(np.log(theta), theirs.feature_log_prob_, rtol=1e-12)


@pytest.mark.parametrize("pseudo", [0.01, 1, 2.5])
def test_the_categorical_fit_agrees_with_scikit_learn(pseudo: float) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 4, size=(70, 5)), rng.integers(0, 3, size=70)
    theirs = CategoricalNB(alpha=pseudo, min_categories=6).fit(X, y)
    prior, table = SOLUTION.fit_categorical_nb(X, y, 6, 3, pseudo)
    assert np.allclose(np.log(prior), theirs.class_log_prior_, rtol=1e-12)
    assert np.allclose(np.log(table), np.stack(theirs.feature_log_prob_, axis=1), rtol=1e-12)


def test_the_given_prediction_agrees_with_scikit_learn_on_the_emails(emails: tuple[np.ndarray, ...]) -> None:
    X, y, order = emails
    train, rest = order[:160], order[3000:]
    for k in (0.001, 1):
        theirs = BernoulliNB(alpha=k, force_alpha=True).fit(X[train], y[train])
        ours = SOLUTION.predict(X[rest], *SOLUTION.fit_bernoulli_nb_smoothed(X[train], y[train], k, 2))
        assert np.array_equal(ours, theirs.predict(X[rest]))


def test_the_choice_of_k_agrees_with_scikit_learn_on_the_emails(emails: tuple[np.ndarray, ...]) -> None:
    X, y, order = emails
    train, validation, grid = order[:160], order[160:3000], [10, 0.001, 0.1, 1]
    scores = [
        BernoulliNB(alpha=k, force_alpha=True).fit(X[train], y[train]).score(X[validation], y[validation]) for k in grid
    ]
    k, accuracies = SOLUTION.choose_k(X[train], y[train], X[validation], y[validation], grid)
    assert np.allclose(accuracies, scores, rtol=1e-15)
    assert k == grid[int(np.argmax(scores))] == 0.001


# --- scipy, and brute force -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n1", "n0", "a", "b"), [(7, 3, 2, 2), (4, 9, 3, 1.5), (0, 5, 2.5, 2), (40, 2, 1, 1), (3, 3, 0.5, 0.7)]
)
def test_peak_and_mean_are_those_of_scipys_beta(n1: int, n0: int, a: float, b: float) -> None:
    posterior = stats.beta(n1 + a, n0 + b)
    highest = optimize.minimize_scalar(
        lambda t: -posterior.logpdf(t), bounds=(1e-9, 1 - 1e-9), method="bounded", options={"xatol": 1e-10}
    )
    found = SOLUTION.beta_estimates(n1, n0, a, b)
    assert found["mean"] == pytest.approx(posterior.mean(), rel=1e-12)
    assert found["map"] == pytest.approx(highest.x, abs=1e-5)


@pytest.mark.parametrize(
    ("a", "b"),
    [(0.5, 2.5), (0.3, 1), (2.5, 0.5), (1, 0.3), (1, 4), (4, 1), (0.5, 0.5), (0.2, 0.9), (1, 1)],
)
def test_the_table_of_peaks_agrees_with_the_density_near_both_ends(a: float, b: float) -> None:
    left, middle, right = stats.beta(a, b).pdf([1e-9, 0.4, 1 - 1e-9])
    found = SOLUTION.beta_estimates(0, 0, a, b)["map"]
    if math.isnan(found):
        assert min(left, right) > middle or left == pytest.approx(right) == pytest.approx(middle)
    else:
        assert found == float(right > left)


@pytest.mark.parametrize(("n1", "n0", "a", "b"), [(7, 3, 1, 1), (2, 1, 2, 2), (12, 30, 0.5, 3.5), (640, 360, 2, 5)])
def test_the_evidence_is_scipys_ratio_of_betas_and_its_integral(n1: int, n0: int, a: float, b: float) -> None:
    found = SOLUTION.log_evidence(n1, n0, a, b)
    assert found == pytest.approx(special.betaln(n1 + a, n0 + b) - special.betaln(a, b), rel=1e-10)
    if n1 + n0 < 100:
        integral, _ = integrate.quad(
            lambda t: t**n1 * (1 - t) ** n0 * stats.beta.pdf(t, a, b), 0, 1, epsabs=0, epsrel=1e-9
        )
        assert math.exp(found) == pytest.approx(integral, rel=1e-7)


def test_smoothing_is_the_mean_of_scipys_dirichlet() -> None:
    counts, k = np.array([5, 0, 2, 1]), 1.5
    assert np.allclose(SOLUTION.laplace(counts, k), stats.dirichlet(counts + k).mean(), rtol=1e-12)


# --- The story of "minute" --------------------------------------------------------------------------------------------


def test_all_but_one_of_the_ham_emails_with_minute_are_impossible_in_both_classes(
    emails: tuple[np.ndarray, ...],
) -> None:
    X, y, order = emails
    with np.load(DATA) as corpus:
        minute = corpus["vocab"].tolist().index("minute")
    train, rest = order[:160], order[3000:]
    rest = rest[(y[rest] == 0) & (X[rest, minute] == 1)]
    called_ham = []
    for k in (0, 0.001, 1):
        prior, theta = SOLUTION.fit_bernoulli_nb_smoothed(X[train], y[train], k, 2)
        if k == 0:
            assert theta[0, minute] == 0
            factors = np.where(X[rest][:, np.newaxis, :] == 1, theta, 1 - theta)
            assert ((factors == 0).any(axis=2).sum(axis=0) == [35, 34]).all()
            assert ((SOLUTION.vetoes(X[rest], theta) > 0) == (factors == 0).any(axis=2)).all()
        called_ham.append(int((SOLUTION.predict(X[rest], prior, theta) == 0).sum()))
    assert called_ham == [34, 18, 16]
