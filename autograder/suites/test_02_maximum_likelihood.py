"""Hidden suite for 02_maximum_likelihood. A failing check shows the student its docstring, no more."""

from itertools import product

import numpy as np

from autograder.course.suite import assert_matches, assert_raises, exercise, numbers, parts, unchanged

# Candidates that are not symmetric about one half, and samples in which ones and zeros are not equally frequent.
THETAS = np.array([0.2, 0.6, 0.85])
SAMPLE = np.array([0, 0, 1, 0, 0, 1, 0])  # two ones, five zeros
LIKELIHOODS = np.array([0.2**2 * 0.8**5, 0.6**2 * 0.4**5, 0.85**2 * 0.15**5])

# Five outcomes, of which the second and the last do not occur.
OUTCOMES = np.array([2, 0, 2, 3, 2, 0, 2])
SHARES = np.array([2, 0, 4, 1, 0]) / 7

# Five rows, three columns of different scale, and what they come to: means, and sums of squared deviations.
TABLE = np.array([[1.0, -3.0, 200.0], [2.0, 5.0, 260.0], [4.0, 1.0, 210.0], [6.0, -4.0, 230.0], [12.0, 6.0, 250.0]])
MEANS = np.array([5.0, 1.0, 230.0])
SQUARES = np.array([76.0, 82.0, 2600.0])


def terms(count, probability):
    """`count` times the logarithm of `probability`, where a count of zero makes zero; one number at a time."""
    return np.array(
        [0.0 if count == 0 else count * np.log(p) if p > 0 else -np.inf for p in np.atleast_1d(probability)]
    )


# --- bernoulli_pmf ----------------------------------------------------------------------------------------------------


@exercise("bernoulli_pmf", gate=True, weight=4)
def test_each_outcome_has_its_own_probability(student):
    """Heads have the probability theta, tails what is left of one."""
    assert_matches([student.bernoulli_pmf(1, 0.15), student.bernoulli_pmf(0, 0.15)], [0.15, 0.85])


@exercise("bernoulli_pmf", weight=2)
def test_heads_and_tails_use_up_all_probability(student):
    """A coin shows heads or tails and nothing else: for every theta the two probabilities sum to one."""
    thetas = np.linspace(0, 1, 21)
    both = numbers(student.bernoulli_pmf(0, thetas)) + numbers(student.bernoulli_pmf(1, thetas))
    assert_matches(both, np.ones(21))


@exercise("bernoulli_pmf")
def test_many_flips_keep_their_order(student):
    """An array of outcomes gets an array of probabilities, each in its place."""
    assert_matches(student.bernoulli_pmf(np.array([0, 1, 1, 0, 1]), 0.4), [0.6, 0.4, 0.4, 0.6, 0.4])


@exercise("bernoulli_pmf")
def test_each_flip_may_have_its_own_coin(student):
    """Outcomes and coins in arrays of the same shape are matched entry by entry."""
    outcomes, coins = np.array([[1, 0, 0], [0, 1, 1]]), np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    assert_matches(student.bernoulli_pmf(outcomes, coins), [[0.1, 0.8, 0.7], [0.6, 0.5, 0.6]])


@exercise("bernoulli_pmf", weight=2)
def test_a_column_of_flips_meets_a_row_of_coins(student):
    """A column of outcomes against a row of coins gives a table with every pair, as NumPy's broadcasting does."""
    column = np.array([[1], [0], [0], [1]])
    expected = [[theta if x == 1 else 1 - theta for theta in THETAS] for x in column.ravel()]
    assert_matches(student.bernoulli_pmf(column, THETAS), expected)


@exercise("bernoulli_pmf", weight=2)
def test_a_coin_with_two_equal_sides_holds_no_surprise(student):
    """With theta zero or one the outcome is certain: one probability is exactly one, the other exactly zero."""
    assert_matches(student.bernoulli_pmf(np.array([[0], [1]]), np.array([0.0, 1.0])), [[1, 0], [0, 1]])


@exercise("bernoulli_pmf", weight=2)
def test_what_is_no_outcome_is_refused(student):
    """A coin shows zero or one. Anything else, below, between or above, is a ValueError."""
    for wrong in (2, -1, 0.5, 10):
        assert_raises(ValueError, student.bernoulli_pmf, wrong, 0.4)


@exercise("bernoulli_pmf", weight=2)
def test_one_wrong_outcome_among_many_is_refused(student):
    """One impossible outcome within an array is enough for a ValueError."""
    assert_raises(ValueError, student.bernoulli_pmf, np.array([1, 0, 3, 1]), 0.4)
    assert_raises(ValueError, student.bernoulli_pmf, np.array([[0, 1], [-1, 0]]), np.array([0.2, 0.9]))


@exercise("bernoulli_pmf")
def test_outcomes_and_coins_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.bernoulli_pmf, np.array([0, 1, 1]), np.array([0.2, 0.6, 0.7]))


@exercise("bernoulli_pmf")
def test_flips_and_coins_may_come_in_lists(student):
    """Outcomes and coins in a list or a tuple are understood like arrays."""
    assert_matches(student.bernoulli_pmf([1, 0], (0.2, 0.35)), [0.2, 0.65])


# --- likelihood -------------------------------------------------------------------------------------------------------


@exercise("likelihood", gate=True, weight=4)
def test_every_observation_contributes_a_factor(student):
    """The likelihood is a product with one factor for each observation, for each candidate."""
    assert_matches(student.likelihood(THETAS, SAMPLE), LIKELIHOODS)


@exercise("likelihood", weight=2)
def test_it_is_the_product_of_the_factors_in_random_samples(student):
    """Samples of any length and composition: multiply theta for each one and its complement for each zero."""
    rng = np.random.default_rng(1)
    for size in (1, 4, 9, 17):
        sample, thetas = rng.integers(0, 2, size), rng.uniform(0.05, 0.95, 5)
        expected = np.ones(5)
        for x in sample:
            expected = expected * (thetas if x == 1 else 1 - thetas)
        assert_matches(student.likelihood(thetas, sample), expected)


@exercise("likelihood")
def test_the_order_of_the_sample_does_not_matter(student):
    """Independent observations have no order: shuffled, reversed or sorted, the likelihood is the same."""
    for sample in (SAMPLE[::-1], np.sort(SAMPLE), SAMPLE[[2, 5, 0, 1, 3, 4, 6]]):
        assert_matches(student.likelihood(THETAS, sample), LIKELIHOODS)


@exercise("likelihood", weight=2)
def test_all_samples_together_use_up_all_probability(student):
    """For a fixed theta the likelihoods of all possible samples of one length sum to one."""
    total = sum(numbers(student.likelihood(THETAS, np.array(sample))) for sample in product([0, 1], repeat=5))
    assert_matches(total, np.ones(3))


@exercise("likelihood")
def test_two_samples_joined_multiply(student):
    """The likelihood of two samples put together is the product of their likelihoods."""
    other = np.array([1, 1, 0, 1])
    joined = student.likelihood(THETAS, np.concatenate([SAMPLE, other]))
    assert_matches(joined, LIKELIHOODS * THETAS**3 * (1 - THETAS))


@exercise("likelihood")
def test_a_single_candidate_gets_a_single_number(student):
    """One candidate, given as a number, gets one number and not an array of length one."""
    assert_matches(student.likelihood(0.6, SAMPLE), LIKELIHOODS[1])


@exercise("likelihood", weight=2)
def test_an_empty_sample_is_certain(student):
    """A product without factors is one, whatever the candidate."""
    assert_matches(student.likelihood(THETAS, np.array([], dtype=int)), np.ones(3))
    assert_matches(student.likelihood(0.3, []), 1)


@exercise("likelihood")
def test_a_one_sided_coin_explains_only_its_own_side(student):
    """The candidates zero and one make some samples certain and all others impossible."""
    ends = np.array([0.0, 1.0])
    assert_matches(student.likelihood(ends, np.zeros(4, dtype=int)), [1, 0])
    assert_matches(student.likelihood(ends, np.ones(4, dtype=int)), [0, 1])
    assert_matches(student.likelihood(ends, SAMPLE), [0, 0])


@exercise("likelihood", weight=2)
def test_the_largest_value_lies_at_the_share_of_ones(student):
    """On a fine grid the likelihood is largest at the share of ones, at the ends of the grid, too."""
    grid = np.linspace(0, 1, 21)
    for ones, size in ((3, 10), (9, 20), (0, 6), (8, 8)):
        values = numbers(student.likelihood(grid, np.repeat([1, 0], [ones, size - ones])))
        assert_matches(values.shape, [21])
        assert_matches(grid[values.argmax()], ones / size)


@exercise("likelihood")
def test_candidates_and_sample_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.likelihood, THETAS.copy(), SAMPLE.copy())


@exercise("likelihood")
def test_candidates_and_sample_may_come_in_lists(student):
    """Lists and tuples of numbers are understood like arrays."""
    assert_matches(student.likelihood([0.2, 0.6], (1, 0, 0)), [0.2 * 0.64, 0.6 * 0.16])


# --- log_likelihood ---------------------------------------------------------------------------------------------------


@exercise("log_likelihood", gate=True, weight=4)
def test_it_is_the_logarithm_of_the_product(student):
    """On a small sample the log-likelihood is the natural logarithm of the product of all factors."""
    assert_matches(student.log_likelihood(THETAS, SAMPLE), np.log(LIKELIHOODS))


@exercise("log_likelihood", weight=3)
def test_thousands_of_flips_stay_finite(student):
    """The product of thousands of factors is too small for a floating-point number; its logarithm is not."""
    sample = (np.random.default_rng(2).random(5000) < 0.3).astype(int)
    ones = int(sample.sum())
    grid = np.array([0.01, 0.3, 0.5, 0.99])
    assert_matches(student.log_likelihood(grid, sample), ones * np.log(grid) + (5000 - ones) * np.log1p(-grid))


@exercise("log_likelihood", weight=2)
def test_a_one_sided_coin_is_certain_of_its_own_side(student):
    """A coin without heads makes a sample of tails certain, and the other way round: logarithm zero, not nan."""
    ends = np.array([0.0, 0.4, 1.0])
    for sample in (np.zeros(6, dtype=int), np.ones(3, dtype=int)):
        ones, zeros = int(sample.sum()), int((1 - sample).sum())
        assert_matches(student.log_likelihood(ends, sample), terms(ones, ends) + terms(zeros, 1 - ends))


@exercise("log_likelihood", weight=2)
def test_impossible_data_have_the_logarithm_of_zero(student):
    """A sample that a candidate cannot produce has the log-likelihood minus infinity there, and only there."""
    ends = np.array([0.0, 0.5, 1.0])
    assert_matches(student.log_likelihood(ends, np.array([1, 0, 0])), [-np.inf, 3 * np.log(0.5), -np.inf])


@exercise("log_likelihood")
def test_an_empty_sample_has_logarithm_zero(student):
    """Without data nothing is added up: zero for every candidate, the ends included."""
    assert_matches(student.log_likelihood(np.array([0.0, 0.3, 1.0]), np.array([], dtype=int)), [0, 0, 0])


@exercise("log_likelihood")
def test_one_candidate_gets_one_logarithm(student):
    """One candidate, given as a number, gets one number and not an array of length one."""
    assert_matches(student.log_likelihood(0.6, SAMPLE), np.log(LIKELIHOODS[1]))


@exercise("log_likelihood")
def test_shuffling_the_flips_changes_nothing(student):
    """Only the numbers of ones and of zeros matter, not their order."""
    shuffled = SAMPLE[[5, 0, 2, 1, 6, 4, 3]]
    assert_matches(student.log_likelihood(THETAS, shuffled), np.log(LIKELIHOODS))


@exercise("log_likelihood")
def test_two_samples_joined_add_up(student):
    """Evidence adds up: the log-likelihood of two samples put together is the sum of the two."""
    other = np.array([1, 1, 0, 1])
    joined = student.log_likelihood(THETAS, np.concatenate([SAMPLE, other]))
    assert_matches(joined, np.log(LIKELIHOODS) + 3 * np.log(THETAS) + np.log(1 - THETAS))


@exercise("log_likelihood")
def test_the_caller_keeps_candidates_and_flips(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.log_likelihood, np.array([0.0, 0.3, 1.0]), SAMPLE.copy())


@exercise("log_likelihood")
def test_flips_in_a_list_have_a_log_likelihood(student):
    """Lists and tuples of numbers are understood like arrays."""
    assert_matches(student.log_likelihood((0.2, 0.6), [1, 0, 0]), np.log([0.2 * 0.64, 0.6 * 0.16]))


# --- score ------------------------------------------------------------------------------------------------------------


@exercise("score", gate=True, weight=4)
def test_heads_pull_up_and_tails_pull_down(student):
    """Heads push the slope up by their number over theta, tails push it down by theirs over what is left of one."""
    assert_matches(student.score(0.2, 3, 2), 3 / 0.2 - 2 / 0.8)


@exercise("score", weight=2)
def test_it_is_the_measured_slope_of_the_log_likelihood(student):
    """Go a small step to both sides: the rise of the log-likelihood over the way is the score."""
    rng = np.random.default_rng(3)
    for _ in range(6):
        ones, zeros, theta = int(rng.integers(0, 30)), int(rng.integers(0, 30)), float(rng.uniform(0.1, 0.9))
        left, right = theta - 1e-5, theta + 1e-5
        rise = ones * np.log(right / left) + zeros * np.log((1 - right) / (1 - left))
        assert_matches(student.score(theta, ones, zeros), rise / 2e-5, rtol=1e-6, atol=1e-6)


@exercise("score")
def test_it_vanishes_at_the_share_of_heads(student):
    """At the best theta inside the interval the slope is zero."""
    assert_matches([student.score(0.25, 2, 6), student.score(0.9, 18, 2)], [0, 0], atol=1e-9)


@exercise("score", weight=2)
def test_its_sign_points_to_the_maximum(student):
    """Left of the maximum the slope is positive, right of it negative, and it falls all the way."""
    slopes = numbers(student.score(np.array([0.001, 0.05, 0.2, 0.39, 0.41, 0.7, 0.95, 0.999]), 4, 6))
    assert_matches(np.sign(slopes), [1, 1, 1, 1, -1, -1, -1, -1])
    assert (np.diff(slopes) < 0).all(), "the slope does not fall everywhere"


@exercise("score", weight=2)
def test_the_scores_of_two_samples_add_up(student):
    """Evidence adds up: ten times the flips have ten times the slope, and joined samples the sum of the slopes."""
    first, second = 5 / 0.3 - 2 / 0.7, 1 / 0.3 - 8 / 0.7
    together = [student.score(0.3, 6, 10), student.score(0.3, 50, 20), student.score(0.3, 0, 0)]
    assert_matches(together, [first + second, 10 * first, 0])


@exercise("score")
def test_heads_and_tails_may_swap_roles(student):
    """Read heads as tails and theta as its complement: the slope changes its sign and nothing else."""
    assert_matches(student.score(0.35, 8, 3), 8 / 0.35 - 3 / 0.65)
    assert_matches(student.score(0.65, 3, 8), 3 / 0.65 - 8 / 0.35)


@exercise("score", weight=2)
def test_a_column_of_thetas_meets_rows_of_counts(student):
    """A column of thetas against rows of counts gives a table with every pair, as NumPy's broadcasting does."""
    heads, tails = [4, 0, 9, 2], [1, 5, 3, 2]
    expected = [[a / theta - b / (1 - theta) for a, b in zip(heads, tails)] for theta in THETAS]
    assert_matches(student.score(THETAS[:, np.newaxis], np.array(heads), np.array(tails)), expected)


@exercise("score")
def test_thetas_and_counts_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.score, np.array([0.7, 0.4]), np.array([0.0, 4.0]), np.array([1.0, 2.0]))


@exercise("score")
def test_thetas_and_counts_may_come_in_lists(student):
    """Lists and tuples of numbers are understood like arrays."""
    assert_matches(student.score([0.2, 0.4], (3, 1), [2, 6]), [3 / 0.2 - 2 / 0.8, 1 / 0.4 - 6 / 0.6])


# --- mle_categorical --------------------------------------------------------------------------------------------------


@exercise("mle_categorical", gate=True, weight=4)
def test_every_outcome_gets_its_share_of_the_sample(student):
    """One probability for each possible outcome, in order: how often it occurred, over how often anything did."""
    assert_matches(student.mle_categorical(OUTCOMES, 5), SHARES)


@exercise("mle_categorical", weight=2)
def test_the_shares_agree_with_counting_one_by_one(student):
    """Samples of any size with any number of outcomes: count one by one and divide by the size of the sample."""
    rng = np.random.default_rng(4)
    for outcomes, size in ((2, 31), (6, 50), (11, 8), (1, 5), (4, 1)):
        sample = rng.integers(0, outcomes, size)
        expected = [sum(1 for x in sample if x == m) / size for m in range(outcomes)]
        assert_matches(student.mle_categorical(sample, outcomes), expected)


@exercise("mle_categorical", weight=2)
def test_outcomes_that_never_occur_get_exactly_nothing(student):
    """What was not seen gets probability zero, wherever it stands in the list, and it does not disappear."""
    assert_matches(student.mle_categorical(np.array([3, 3, 4]), 7), [0, 0, 0, 2 / 3, 1 / 3, 0, 0])


@exercise("mle_categorical", weight=2)
def test_no_other_distribution_explains_the_sample_better(student):
    """Of hundreds of other distributions, near and far, none gives the sample a higher likelihood."""
    rng = np.random.default_rng(5)
    sample = rng.choice(4, size=60, p=[0.1, 0.5, 0.15, 0.25])
    answer = numbers(student.mle_categorical(sample, 4))
    assert_matches(answer.shape, [4])
    assert_matches([answer.sum(), (answer >= 0).sum()], [1, 4])
    others = np.vstack(
        [rng.dirichlet(np.ones(4), 100), rng.dirichlet(400 * np.bincount(sample, minlength=4) / 60, 100)]
    )
    with np.errstate(divide="ignore"):
        best, rest = np.log(answer[sample]).sum(), np.log(others[:, sample]).sum(axis=1)
    assert best >= rest.max() - 1e-9, "another distribution explains the sample better"


@exercise("mle_categorical")
def test_renumbering_the_outcomes_renumbers_the_answer(student):
    """The numbers of the outcomes are only names: give them other numbers, and the probabilities move along."""
    new_number = np.array([3, 4, 1, 0, 2])
    moved = np.zeros(5)
    moved[new_number] = SHARES
    assert_matches(student.mle_categorical(new_number[OUTCOMES], 5), moved)


@exercise("mle_categorical")
def test_the_sample_repeated_gives_the_same_shares(student):
    """The same data many times over: more certainty, but the same shares."""
    assert_matches(student.mle_categorical(np.tile(OUTCOMES, 10_000), 5), SHARES)


@exercise("mle_categorical", weight=2)
def test_an_empty_sample_is_refused(student):
    """Without data there is no estimate. An empty sample is a ValueError."""
    assert_raises(ValueError, student.mle_categorical, np.array([], dtype=int), 3)
    assert_raises(ValueError, student.mle_categorical, [], 1)


@exercise("mle_categorical", weight=2)
def test_a_label_above_the_range_is_refused(student):
    """Outcomes are numbered from zero, so the number of outcomes itself is no label. It is a ValueError."""
    assert_raises(ValueError, student.mle_categorical, np.array([9, 0]), 4)
    assert_raises(ValueError, student.mle_categorical, np.array([0, 1, 3]), 3)


@exercise("mle_categorical")
def test_a_negative_label_is_refused(student):
    """Negative labels do not count from the end. They are a ValueError."""
    assert_raises(ValueError, student.mle_categorical, np.array([0, -1, 2, 1]), 3)


@exercise("mle_categorical")
def test_the_sample_is_left_as_it_was(student):
    """The caller's sample belongs to the caller: after the call it holds what it held before."""
    unchanged(student.mle_categorical, OUTCOMES.copy(), 5)


@exercise("mle_categorical")
def test_outcomes_may_come_in_lists(student):
    """A list or a tuple of outcomes is understood like an array."""
    assert_matches(student.mle_categorical([1, 2, 1, 1], 3), [0, 3 / 4, 1 / 4])
    assert_matches(student.mle_categorical((0, 0, 2, 0), 3), [3 / 4, 0, 1 / 4])


# --- gaussian_estimates -----------------------------------------------------------------------------------------------


def estimate(student, X):
    """The student's mean and two variances, after making sure that there are these three."""
    return parts(student.gaussian_estimates(X), 3)


@exercise("gaussian_estimates", gate=True, weight=4)
def test_every_column_has_a_mean_and_two_variances(student):
    """For each column: the mean, the squared deviations over their number, and over one less."""
    mean, mle, unbiased = estimate(student, TABLE)
    assert_matches(mean, MEANS)
    assert_matches(mle, SQUARES / 5)
    assert_matches(unbiased, SQUARES / 4)


@exercise("gaussian_estimates", weight=2)
def test_the_variances_differ_by_the_factor_that_removes_the_bias(student):
    """The two variances of a sample of size n have the ratio n to n minus one, whatever the data."""
    rng = np.random.default_rng(6)
    for n in (2, 3, 10, 40):
        X = rng.gamma(2.0, size=(n, 2))
        deviations = [[x - sum(column) / n for x in column] for column in X.T.tolist()]
        squares = np.array([sum(value**2 for value in column) for column in deviations])
        _, mle, unbiased = estimate(student, X)
        assert_matches(mle, squares / n)
        assert_matches(unbiased, squares / (n - 1))


@exercise("gaussian_estimates", weight=2)
def test_no_other_bell_curve_explains_the_data_better(student):
    """Move the mean or the variance of a column a little either way: the likelihood of the data falls."""
    X = np.random.default_rng(7).normal([3.0, -20.0], [0.5, 4.0], size=(12, 2))
    mean, mle, _ = estimate(student, X)
    mean, mle = numbers(mean), numbers(mle)
    assert_matches([mean.shape, mle.shape], [(2,), (2,)])
    assert (mle > 0).all(), "a variance that is not positive"

    def log_likelihood(mu, variance):
        return -0.5 * (np.log(2 * np.pi * variance) + (X - mu) ** 2 / variance).sum(axis=0)

    best = log_likelihood(mean, mle)
    for shift, factor in product([-0.1, 0.0, 0.1], [0.93, 1.0, 1.07]):
        if (shift, factor) != (0.0, 1.0):
            other = log_likelihood(mean + shift * np.sqrt(mle), factor * mle)
            assert (other < best).all(), "another bell curve explains the data better"


@exercise("gaussian_estimates")
def test_shifting_the_data_shifts_only_the_mean(student):
    """Add a constant to a column: its mean moves along, its variances stay."""
    shift = np.array([100.0, -7.0, 0.25])
    mean, mle, unbiased = estimate(student, TABLE + shift)
    assert_matches(mean, MEANS + shift)
    assert_matches(mle, SQUARES / 5)
    assert_matches(unbiased, SQUARES / 4)


@exercise("gaussian_estimates")
def test_scaling_the_data_scales_the_variance_by_the_square(student):
    """Multiply a column by a constant: its mean is multiplied by it, its variances by the square."""
    scale = np.array([10.0, -3.0, 0.001])
    mean, mle, unbiased = estimate(student, TABLE * scale)
    assert_matches(mean, MEANS * scale)
    assert_matches(mle, SQUARES / 5 * scale**2)
    assert_matches(unbiased, SQUARES / 4 * scale**2)


@exercise("gaussian_estimates", weight=3)
def test_data_far_from_zero_keep_their_digits(student):
    """A small spread around a huge mean is still a spread: no digits are lost on the way."""
    far = np.array([[4.0, 7.0], [7.0, 0.0], [13.0, 2.0], [16.0, 7.0]]) + 1e9
    mean, mle, unbiased = estimate(student, far)
    assert_matches(mean, [1e9 + 10, 1e9 + 4], rtol=1e-14)
    assert_matches(mle, [22.5, 9.5], rtol=1e-6)
    assert_matches(unbiased, [30, 38 / 3], rtol=1e-6)


@exercise("gaussian_estimates", weight=2)
def test_one_observation_says_nothing_about_the_spread(student):
    """One row: the mean is the row, the spread around it is zero, and the unbiased variance is unknown, nan."""
    mean, mle, unbiased = estimate(student, np.array([[2.5, -1.0, 40.0]]))
    assert_matches(mean, [2.5, -1, 40])
    assert_matches(mle, [0, 0, 0])
    assert_matches(unbiased, [np.nan] * 3, nan_ok=True)


@exercise("gaussian_estimates")
def test_a_constant_column_has_no_spread(student):
    """A column that never changes has both variances zero, and the other columns do not suffer."""
    mean, mle, unbiased = estimate(student, np.array([[6.0, 1.0], [6.0, 2.0], [6.0, 6.0], [6.0, 7.0]]))
    assert_matches(mean, [6, 4])
    assert_matches(mle, [0, 26 / 4])
    assert_matches(unbiased, [0, 26 / 3])


@exercise("gaussian_estimates")
def test_a_single_column_gives_arrays_of_length_one(student):
    """With one column, every answer is an array with one entry."""
    mean, mle, unbiased = estimate(student, TABLE[:, :1])
    assert_matches(mean, [5])
    assert_matches(mle, [76 / 5])
    assert_matches(unbiased, [19])


@exercise("gaussian_estimates")
def test_the_order_of_the_rows_does_not_matter(student):
    """Observations have no order: shuffle the rows, and nothing changes."""
    mean, mle, unbiased = estimate(student, TABLE[[3, 0, 4, 2, 1]])
    assert_matches(mean, MEANS)
    assert_matches(mle, SQUARES / 5)
    assert_matches(unbiased, SQUARES / 4)


@exercise("gaussian_estimates")
def test_the_table_is_left_as_it_was(student):
    """The caller's table belongs to the caller: after the call it holds what it held before."""
    unchanged(student.gaussian_estimates, TABLE.copy())


@exercise("gaussian_estimates")
def test_a_table_of_whole_numbers_may_come_in_lists(student):
    """A list of rows is understood like an array, whole numbers included."""
    mean, mle, unbiased = estimate(student, [[1, 8], [2, 2], [7, 2]])
    assert_matches(mean, [10 / 3, 4])
    assert_matches(mle, [62 / 9, 8])
    assert_matches(unbiased, [31 / 3, 12])
