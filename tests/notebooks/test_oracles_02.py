"""The reference solutions of notebook 02 agree with SciPy, scikit-learn and exact fractions."""

from fractions import Fraction
from itertools import product
from math import comb, log
from typing import Any

import numpy as np
import pytest
from reference import ROOT, functions
from scipy import optimize, stats
from sklearn.naive_bayes import BernoulliNB, GaussianNB

STEM = "02_maximum_likelihood"
reference = functions(STEM)
SEVEN_OF_TEN = np.repeat([1, 0], [7, 3])
GRID = np.linspace(0, 1, 101)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator whose seed is the name of the test."""
    return np.random.default_rng(list(request.node.name.encode()))


# --- against exact fractions ------------------------------------------------------------------------------------------


def exact_likelihood(theta: Fraction, ones: int, zeros: int) -> Fraction:
    return theta**ones * (1 - theta) ** zeros


@pytest.mark.parametrize(
    ("theta", "value"),
    [("0", "0"), ("1/3", "2/27"), ("1/2", "1/8"), ("2/3", "4/27"), ("1", "0")],
)
def test_red_red_blue_has_these_likelihoods(theta: str, value: str) -> None:
    assert exact_likelihood(Fraction(theta), 2, 1) == Fraction(value)
    assert reference.likelihood(float(Fraction(theta)), [1, 1, 0]) == pytest.approx(float(Fraction(value)), abs=1e-15)


def test_seven_heads_in_ten_are_explained_2_276932_times_better_by_seven_tenths_than_by_a_fair_coin() -> None:
    exact = exact_likelihood(Fraction(7, 10), 7, 3)
    assert float(exact) == 0.0022235661
    assert float(exact * 1024) == pytest.approx(2.276932, abs=1e-6)
    fair, best = reference.likelihood([0.5, 0.7], SEVEN_OF_TEN)
    assert best / fair == pytest.approx(float(exact * 1024), rel=1e-12)
    assert comb(10, 7) * best == pytest.approx(0.266828, abs=1e-6)


def test_the_likelihood_of_red_red_blue_integrates_to_one_twelfth() -> None:
    assert Fraction(1, 3) - Fraction(1, 4) == Fraction(1, 12)
    area = np.polynomial.Polynomial([0, 0, 1, -1]).integ()
    assert area(1) - area(0) == pytest.approx(1 / 12)
    fine = (np.arange(2000) + 0.5) / 2000
    assert reference.likelihood(fine, [1, 1, 0]).mean() == pytest.approx(1 / 12, rel=1e-6)


def test_the_score_agrees_with_exact_fractions(rng: np.random.Generator) -> None:
    for ones, zeros, part in rng.integers(1, 40, size=(20, 3)):
        theta = Fraction(int(part), 41)
        exact = Fraction(int(ones)) / theta - Fraction(int(zeros)) / (1 - theta)
        assert reference.score(float(theta), ones, zeros) == pytest.approx(float(exact), rel=1e-12, abs=1e-9)


def test_categorical_estimates_are_fractions_of_the_sample(rng: np.random.Generator) -> None:
    sample = rng.integers(0, 5, 33)
    exact = [Fraction(int((sample == m).sum()), 33) for m in range(7)]
    assert sum(exact) == 1
    assert reference.mle_categorical(sample, 7) == pytest.approx([float(p) for p in exact], rel=1e-15)


def test_the_eight_numbers_have_the_variances_4_and_32_sevenths() -> None:
    data = [2, 4, 4, 4, 5, 5, 7, 9]
    mean = Fraction(sum(data), 8)
    squares = sum((value - mean) ** 2 for value in data)
    assert [mean, squares / 8, squares / 7] == [5, 4, Fraction(32, 7)]
    estimates = reference.gaussian_estimates(np.array(data)[:, np.newaxis])
    assert np.concatenate(estimates).tolist() == pytest.approx([5, 4, 32 / 7], rel=1e-15)


# --- against SciPy ----------------------------------------------------------------------------------------------------


def test_the_pmf_is_that_of_scipy() -> None:
    outcomes = np.array([[0], [1]])
    np.testing.assert_allclose(
        reference.bernoulli_pmf(outcomes, GRID), stats.bernoulli.pmf(outcomes, GRID), rtol=1e-12, atol=1e-15
    )


def test_the_log_likelihood_is_the_sum_of_scipys_log_probabilities(rng: np.random.Generator) -> None:
    sample = (rng.random(300) < 0.4).astype(int)
    expected = stats.bernoulli.logpmf(sample[:, np.newaxis], GRID).sum(axis=0)
    np.testing.assert_allclose(reference.log_likelihood(GRID, sample), expected, rtol=1e-12)


@pytest.mark.parametrize("sample", [[0, 0, 0], [1, 1], [0, 1], []])
def test_the_log_likelihood_at_the_ends_is_that_of_scipy(sample: list[Any]) -> None:
    expected = [stats.bernoulli.logpmf(sample, end).sum() for end in (0, 1)]
    assert reference.log_likelihood([0.0, 1.0], sample).tolist() == expected


def test_the_likelihood_of_all_samples_with_seven_ones_is_binomial() -> None:
    every = [sample for sample in product([0, 1], repeat=10) if sum(sample) == 7]
    total = sum(reference.likelihood(GRID, sample) for sample in every)
    np.testing.assert_allclose(total, stats.binom.pmf(7, 10, GRID), rtol=1e-12, atol=1e-15)


def test_an_optimiser_finds_the_share_of_ones_and_the_score_vanishes_there() -> None:
    found = optimize.minimize_scalar(
        lambda theta: -reference.log_likelihood(theta, SEVEN_OF_TEN),
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert found.x == pytest.approx(0.7, abs=1e-6)
    assert optimize.brentq(reference.score, 0.01, 0.99, args=(7, 3)) == pytest.approx(0.7, abs=1e-9)


def test_the_score_is_the_derivative_that_scipy_measures(rng: np.random.Generator) -> None:
    for theta in rng.uniform(0.1, 0.9, 10):
        measured = optimize.approx_fprime([theta], lambda t: reference.log_likelihood(t[0], SEVEN_OF_TEN), 1e-8)[0]
        assert reference.score(theta, 7, 3) == pytest.approx(measured, rel=1e-4, abs=1e-4)


def test_the_categorical_estimate_maximises_scipys_multinomial(rng: np.random.Generator) -> None:
    counts = np.array([5, 1, 9, 5])
    best = reference.mle_categorical(np.repeat(np.arange(4), counts), 4)
    others = rng.dirichlet(np.ones(4), 200)
    assert stats.multinomial.logpmf(counts, 20, best) > stats.multinomial.logpmf(counts, 20, others).max()


def test_mean_and_variance_are_those_that_scipy_fits(rng: np.random.Generator) -> None:
    X = rng.normal([3, -50, 1000], [1, 10, 0.1], size=(40, 3))
    mean, var_mle, var_unbiased = reference.gaussian_estimates(X)
    for column in range(3):
        centre, spread = stats.norm.fit(X[:, column])
        assert (mean[column], var_mle[column]) == pytest.approx((centre, spread**2), rel=1e-10)
    np.testing.assert_allclose(var_unbiased, stats.tvar(X, axis=0), rtol=1e-10)


# --- against scikit-learn, on the data of the notebook ----------------------------------------------------------------


def test_scikit_learn_counts_the_word_free_alike() -> None:
    with np.load(ROOT / "data" / "spambase_words_binary.npz") as spambase:
        X, y = np.unpackbits(spambase["X"], axis=1)[:, : spambase["shape"][1]], spambase["y"]
        free = X[:, spambase["names"] == "free"]
    model = BernoulliNB(alpha=1e-10).fit(free, y)
    for label, exact in ((0, Fraction(252, 2788)), (1, Fraction(989, 1813))):
        share = reference.mle_categorical(free[y == label].ravel(), 2)[1]
        assert share == pytest.approx(float(exact), rel=1e-15)
        assert log(share) == pytest.approx(model.feature_log_prob_[label, 0], rel=1e-9)


def test_scikit_learn_finds_the_same_penguins() -> None:
    birds = np.genfromtxt(ROOT / "data" / "penguins.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    birds = birds[~np.isnan(birds["bill_length_mm"])]
    features = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    X, y = np.column_stack([birds[name] for name in features]), np.unique(birds["species"], return_inverse=True)[1]
    model = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(reference.mle_categorical(y, 3), model.class_prior_, rtol=1e-12)
    np.testing.assert_allclose(model.class_prior_, [0.44152, 0.19883, 0.35965], atol=5e-6)
    for label in range(3):
        mean, var_mle, var_unbiased = reference.gaussian_estimates(X[y == label])
        np.testing.assert_allclose(mean, model.theta_[label], rtol=1e-12)
        np.testing.assert_allclose(var_mle, model.var_[label], rtol=1e-10)  # scikit-learn divides by n
        np.testing.assert_allclose(var_unbiased, X[y == label].var(axis=0, ddof=1), rtol=1e-12)
    adelie = reference.gaussian_estimates(X[y == 0])
    assert (round(adelie[1][0], 4), round(adelie[2][0], 4)) == (7.0467, 7.0937)


# --- floating point ---------------------------------------------------------------------------------------------------


def test_a_fair_coin_underflows_at_1075_flips_and_its_logarithm_does_not() -> None:
    assert reference.likelihood(0.5, np.ones(1074, dtype=int)) > 0
    assert reference.likelihood(0.5, np.ones(1075, dtype=int)) == 0
    assert reference.log_likelihood(0.5, np.ones(1075, dtype=int)) == pytest.approx(1075 * log(0.5))
    assert reference.log_likelihood(0.7, np.repeat([1, 0], [1400, 600])) == pytest.approx(-1221.728604, abs=1e-6)


def test_a_variance_around_a_billion_keeps_its_digits() -> None:
    exact = [Fraction(10**9) + step for step in (Fraction(1, 8), Fraction(1, 2), Fraction(3, 4), Fraction(5, 4))]
    mean = sum(exact) / 4
    squares = sum((value - mean) ** 2 for value in exact)
    _, var_mle, var_unbiased = reference.gaussian_estimates([[float(value)] for value in exact])
    assert (var_mle[0], var_unbiased[0]) == pytest.approx((float(squares / 4), float(squares / 3)), rel=1e-9)
