"""Hidden suite for 02_maximum_likelihood. A failing check shows the student its docstring, no more."""

from itertools import permutations, product
from math import fsum, log, prod

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import (
    Ungraded,
    assert_matches,
    assert_raises,
    exercise,
    leaves_alone,
    numbers,
    parts,
)


def alone(value):
    """The number in a result that is one number, in an array of its own or not: its shape has a check of its own."""
    if isinstance(value, np.ndarray) and value.size == 1:
        return value.reshape(())
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def each(function, *columns):
    """What a function says about each case, asked one number at a time; about all at once if it takes only arrays.

    Who computes with numbers only, or with arrays only, has the right numbers: the sizes have checks of their own.
    """
    try:
        return [alone(function(*case)) for case in zip(*(np.asarray(column).tolist() for column in columns))]
    except (AttributeError, IndexError, TypeError, ValueError):
        return function(*map(np.asarray, columns))


def at_each(function, thetas, sample):
    """What a function says about a sample at each theta."""
    return each(lambda theta: function(theta, sample), thetas)


def probability(x, theta):
    return theta if x == 1 else 1 - theta


def likelihood(theta, sample):
    """A factor for each observation."""
    return prod(probability(x, float(theta)) for x in sample)


def log_likelihood(theta, sample):
    """A logarithm for each observation."""
    return fsum(log(probability(x, float(theta))) for x in sample)


# --- bernoulli_pmf ----------------------------------------------------------------------------------------------------


@exercise("bernoulli_pmf", gate=True)
def test_each_outcome_has_its_own_probability(student, draw):
    """Heads have the probability theta, tails what is left of one."""
    thetas = draw.numbers(2, 0.1, 0.9)  # one on either side of one half
    assert_matches(each(student.bernoulli_pmf, [1, 1], thetas), thetas)
    assert_matches(each(student.bernoulli_pmf, [0, 0], thetas), 1 - thetas)


@exercise("bernoulli_pmf")
def test_heads_and_tails_use_up_all_probability(student, draw):
    """A coin shows heads or tails and nothing else: for every theta the two probabilities sum to one."""
    thetas = draw.numbers(4, 0.05, 0.95)
    heads, tails = (each(student.bernoulli_pmf, [x] * 4, thetas) for x in (1, 0))
    assert_matches(numbers(heads) + numbers(tails), np.ones(4))


@exercise("bernoulli_pmf", Kind.SIZES)
def test_a_single_flip_has_a_single_probability(student, draw):
    """Two numbers go in, one number comes out, and not an array of length one."""
    theta = draw.probability()
    for x in (0, 1):
        assert_matches(student.bernoulli_pmf(x, theta), probability(x, theta))


@exercise("bernoulli_pmf", Kind.SIZES)
def test_many_flips_keep_their_order(student, draw):
    """An array of outcomes gets an array of probabilities, each in its place."""
    flips, theta = draw.bits(7), draw.probability()
    assert_matches(student.bernoulli_pmf(flips, theta), [probability(x, theta) for x in flips])


@exercise("bernoulli_pmf", Kind.SIZES)
def test_many_coins_may_show_the_same(student, draw):
    """One outcome and an array of coins: an array of probabilities, one for each coin."""
    coins = draw.numbers(5, 0.05, 0.95)
    assert_matches(student.bernoulli_pmf(1, coins), coins)
    assert_matches(student.bernoulli_pmf(0, coins), 1 - coins)


@exercise("bernoulli_pmf", Kind.SIZES)
def test_each_flip_may_have_its_own_coin(student, draw):
    """Outcomes and coins in arrays of the same shape are matched entry by entry."""
    outcomes, coins = draw.bits((2, 3)), draw.numbers((2, 3), 0.05, 0.95)
    assert_matches(student.bernoulli_pmf(outcomes, coins), np.where(outcomes == 1, coins, 1 - coins))


@exercise("bernoulli_pmf", Kind.SIZES)
def test_a_column_of_flips_meets_a_row_of_coins(student, draw):
    """A column of outcomes against a row of coins gives a table with every pair, as NumPy's broadcasting does."""
    column, coins = draw.bits((4, 1)), draw.numbers(3, 0.05, 0.95)
    expected = np.array([[probability(x, theta) for theta in coins] for x in column.ravel()])
    assert_matches(student.bernoulli_pmf(column, coins), expected)
    assert_matches(student.bernoulli_pmf(column, coins[:1]), expected[:, :1])  # still a column
    assert_matches(student.bernoulli_pmf(column[:1], coins), expected[:1])  # still a table, of one row


@exercise("bernoulli_pmf", Kind.EDGE)
def test_a_coin_with_two_equal_sides_holds_no_surprise(student):
    """With theta zero or one the outcome is certain: one probability is one, the other zero."""
    assert_matches(each(student.bernoulli_pmf, [0, 0, 1, 1], [0.0, 1.0, 0.0, 1.0]), [1, 0, 0, 1])


@exercise("bernoulli_pmf", Kind.REFUSAL)
def test_what_is_no_outcome_is_refused(student, draw):
    """A coin shows zero or one. Anything else, below, between or above, is a ValueError."""
    theta = draw.probability()
    for wrong in (draw.whole(3, 12), -1, 0.5, -draw.number(0.1, 0.9), draw.number(1.1, 1.9)):
        assert_raises(ValueError, student.bernoulli_pmf, wrong, theta)


@exercise("bernoulli_pmf", Kind.REFUSAL)
def test_one_wrong_outcome_among_many_is_refused(student, draw):
    """One impossible outcome within an array is enough for a ValueError."""
    flips, theta, place = draw.bits(6), draw.probability(), draw.whole(0, 5)
    for wrong in (draw.whole(2, 9), -1):
        flips[place] = wrong
        assert_raises(ValueError, student.bernoulli_pmf, flips, theta)
        assert_raises(ValueError, student.bernoulli_pmf, flips.reshape(2, 3), np.array([theta, 0.5, 1 - theta]))


@exercise("bernoulli_pmf", Kind.SIDE_EFFECT)
def test_outcomes_and_coins_are_left_as_they_were(student, draw):
    """The caller's arrays and lists belong to the caller: after the call they hold what they held before."""
    leaves_alone(student.bernoulli_pmf, draw.bits(5).astype(float), draw.numbers(5, 0.05, 0.95))


@exercise("bernoulli_pmf", Kind.TYPE)
def test_flips_and_coins_may_come_in_lists(student, draw):
    """Outcomes and coins in lists are understood like arrays."""
    flips, coins = draw.bits(3).tolist(), draw.numbers(3, 0.05, 0.95).tolist()
    expected = [probability(x, theta) for x, theta in zip(flips, coins)]
    assert_matches(student.bernoulli_pmf(flips, coins), expected)


# --- likelihood -------------------------------------------------------------------------------------------------------


@exercise("likelihood", gate=True)
def test_every_observation_contributes_a_factor(student, draw):
    """The likelihood is a product with one factor for each observation, whichever the candidate."""
    sample, thetas = draw.bits(7), draw.numbers(3, 0.15, 0.85)
    assert_matches(at_each(student.likelihood, thetas, sample), [likelihood(theta, sample) for theta in thetas])


@exercise("likelihood")
def test_samples_of_any_length_are_products_of_factors(student, draw):
    """Samples of other lengths: multiply theta for each one and its complement for each zero."""
    thetas = draw.numbers(3, 0.15, 0.85)
    for theta, size in zip(thetas, (1, 4, 11)):
        sample = draw.bits(size) if size > 1 else np.array([draw.whole(0, 1)])
        assert_matches(at_each(student.likelihood, [theta], sample), [likelihood(theta, sample)])


@exercise("likelihood")
def test_the_order_of_the_sample_does_not_matter(student, draw):
    """Independent observations have no order: reversed or sorted, the likelihood is the same."""
    sample, theta = draw.bits(6), draw.probability(0.2, 0.8)
    expected = likelihood(theta, sample)
    for other in (sample, sample[::-1].copy(), np.sort(sample)):
        assert_matches(at_each(student.likelihood, [theta], other), [expected])


@exercise("likelihood")
def test_all_samples_together_use_up_all_probability(student, draw):
    """For a fixed theta the likelihoods of all possible samples of one length sum to one."""
    theta = draw.probability(0.15, 0.85)
    every = [at_each(student.likelihood, [theta], np.array(sample)) for sample in product([0, 1], repeat=3)]
    assert_matches(numbers(every).sum(), 1)


@exercise("likelihood")
def test_two_samples_joined_multiply(student, draw):
    """The likelihood of two samples put together is the product of their likelihoods."""
    first, second, theta = draw.bits(5), draw.bits(3), draw.probability(0.2, 0.8)
    joined = at_each(student.likelihood, [theta], np.concatenate([first, second]))
    assert_matches(joined, [likelihood(theta, first) * likelihood(theta, second)])


@exercise("likelihood")
def test_the_largest_value_lies_at_the_share_of_ones(student, draw):
    """On a grid of candidates the likelihood is largest at the share of ones."""
    ones, grid = draw.whole(1, 4), np.linspace(0.1, 0.9, 9)
    for heads in (ones, 10 - ones):  # on both sides of one half
        values = numbers(at_each(student.likelihood, grid, np.repeat([0, 1], [10 - heads, heads])))
        assert_matches(grid[values.argmax()], heads / 10)


@exercise("likelihood", Kind.SIZES)
def test_every_candidate_gets_its_own_likelihood(student, draw):
    """An array of candidates gets an array of likelihoods, each in its place, however many there are."""
    sample, thetas = draw.bits(6), draw.numbers(9, 0.1, 0.9)
    for some in (thetas[:4], thetas, thetas[:1], thetas[:6]):  # fewer and more than flips, one, and as many
        assert_matches(student.likelihood(some, sample), [likelihood(theta, sample) for theta in some])


@exercise("likelihood", Kind.SIZES)
def test_a_single_candidate_gets_a_single_number(student, draw):
    """One candidate, given as a number, gets one number and not an array of length one."""
    sample, theta = draw.bits(6), draw.probability(0.2, 0.8)
    assert_matches(student.likelihood(theta, sample), likelihood(theta, sample))


@exercise("likelihood", Kind.EDGE)
def test_an_empty_sample_is_certain(student, draw):
    """A product without factors is one, whatever the candidate."""
    assert_matches(at_each(student.likelihood, draw.numbers(2, 0.05, 0.95), np.array([], dtype=int)), [1, 1])


@exercise("likelihood", Kind.EDGE)
def test_a_one_sided_coin_explains_only_its_own_side(student, draw):
    """The candidates zero and one make some samples certain and all others impossible."""
    size = draw.whole(3, 6)
    for sample, expected in (
        (np.zeros(size, dtype=int), [1, 0]),
        (np.ones(size, dtype=int), [0, 1]),
        (draw.bits(size), [0, 0]),
    ):
        assert_matches(at_each(student.likelihood, (0.0, 1.0), sample), expected)


@exercise("likelihood", Kind.EDGE)
def test_a_one_sided_sample_is_likeliest_at_an_end(student, draw):
    """All zeros, or all ones: the largest value lies at the end of the grid."""
    grid, size = np.linspace(0, 1, 5), draw.whole(3, 6)
    for side in (0, 1):
        values = numbers(at_each(student.likelihood, grid, np.full(size, side)))
        assert_matches(grid[values.argmax()], side)


@exercise("likelihood", Kind.SIDE_EFFECT)
def test_candidates_and_sample_are_left_as_they_were(student, draw):
    """The caller's arrays and lists belong to the caller: after the call they hold what they held before."""
    flips = np.array([1.0, 0.0, *draw.bits(4), 1.0, 0.0])  # in no order
    leaves_alone(student.likelihood, draw.numbers(3, 0.1, 0.9), flips)


@exercise("likelihood", Kind.TYPE)
def test_candidates_and_sample_may_come_in_lists(student, draw):
    """Lists of numbers are understood like arrays."""
    sample, thetas = draw.bits(5).tolist(), draw.numbers(3, 0.15, 0.85).tolist()
    expected = [likelihood(theta, sample) for theta in thetas]
    assert_matches(student.likelihood(thetas, sample), expected)


# --- log_likelihood ---------------------------------------------------------------------------------------------------


@exercise("log_likelihood", gate=True)
def test_it_is_the_logarithm_of_the_product(student, draw):
    """On a small sample the log-likelihood is the natural logarithm of the product of all factors."""
    sample, thetas = draw.bits(7), draw.numbers(3, 0.15, 0.85)
    expected = [log_likelihood(theta, sample) for theta in thetas]
    assert_matches(at_each(student.log_likelihood, thetas, sample), expected)


@exercise("log_likelihood")
def test_shuffling_the_flips_changes_nothing(student, draw):
    """Only the numbers of ones and of zeros matter, not their order."""
    sample, theta = draw.bits(8), draw.probability(0.15, 0.85)
    expected = log_likelihood(theta, sample)
    for other in (sample, sample[::-1].copy(), np.sort(sample)):
        assert_matches(at_each(student.log_likelihood, [theta], other), [expected])


@exercise("log_likelihood")
def test_two_samples_joined_add_up(student, draw):
    """Evidence adds up: the log-likelihood of two samples put together is the sum of the two."""
    first, second, theta = draw.bits(6), draw.bits(11), draw.probability(0.15, 0.85)
    joined = at_each(student.log_likelihood, [theta], np.concatenate([first, second]))
    assert_matches(joined, [log_likelihood(theta, first) + log_likelihood(theta, second)])


@exercise("log_likelihood", Kind.SIZES)
def test_every_candidate_gets_its_own_logarithm(student, draw):
    """An array of candidates gets an array of logarithms, each in its place, however many there are."""
    sample, thetas = draw.bits(6), draw.numbers(9, 0.1, 0.9)
    for some in (thetas[:4], thetas, thetas[:1], thetas[:6]):  # fewer and more than flips, one, and as many
        assert_matches(student.log_likelihood(some, sample), [log_likelihood(theta, sample) for theta in some])


@exercise("log_likelihood", Kind.SIZES)
def test_one_candidate_gets_one_logarithm(student, draw):
    """One candidate, given as a number, gets one number and not an array of length one."""
    sample, theta = draw.bits(6), draw.probability(0.15, 0.85)
    assert_matches(student.log_likelihood(theta, sample), log_likelihood(theta, sample))


@exercise("log_likelihood", Kind.STABILITY)
def test_thousands_of_flips_stay_finite(student, draw):
    """The product of thousands of factors is too small for a floating-point number; its logarithm is not."""
    flips, thetas = draw.bits(10, ones=0.7), np.append(draw.numbers(2, 0.1, 0.9), draw.number(0.001, 0.01))
    expected = [500 * log_likelihood(theta, flips) for theta in thetas]
    assert_matches(at_each(student.log_likelihood, thetas, np.tile(flips, 500)), expected)


@exercise("log_likelihood", Kind.EDGE)
def test_a_one_sided_coin_is_certain_of_its_own_side(student, draw):
    """A coin without heads makes a sample of tails certain, and the other way round: logarithm zero, not nan."""
    for side in (0, 1):
        sample = np.full(draw.whole(2, 7), side)
        assert_matches(at_each(student.log_likelihood, [float(side)], sample), [0])


@exercise("log_likelihood", Kind.EDGE)
def test_impossible_data_have_the_logarithm_of_zero(student, draw):
    """A sample that a candidate cannot produce has the log-likelihood minus infinity there."""
    for sample in (draw.bits(4), np.zeros(3, dtype=int), np.ones(5, dtype=int)):
        impossible = [end for end in (0.0, 1.0) if (sample != end).any()]
        assert_matches(at_each(student.log_likelihood, impossible, sample), [-np.inf] * len(impossible))


@exercise("log_likelihood", Kind.EDGE)
def test_the_ends_do_not_disturb_other_candidates(student, draw):
    """With zero and one among the candidates, each gets its own value: no other one changes, and none is nan."""
    theta, size = draw.probability(0.15, 0.85), draw.whole(2, 6)
    candidates, flips = np.array([0.0, theta, 1.0]), draw.bits(5)
    assert_matches(student.log_likelihood(candidates, flips), [-np.inf, log_likelihood(theta, flips), -np.inf])
    zeros, ones = np.zeros(size, dtype=int), np.ones(size, dtype=int)
    assert_matches(student.log_likelihood(candidates, zeros), [0, size * log(1 - theta), -np.inf])
    assert_matches(student.log_likelihood(candidates, ones), [-np.inf, size * log(theta), 0])


@exercise("log_likelihood", Kind.EDGE)
def test_an_empty_sample_has_logarithm_zero(student, draw):
    """Without data nothing is added up: zero for every candidate, the ends included."""
    candidates, nothing = np.array([0.0, draw.probability(), 1.0]), np.array([], dtype=int)
    assert_matches(at_each(student.log_likelihood, candidates, nothing), [0, 0, 0])
    assert_matches(student.log_likelihood(candidates, nothing), [0, 0, 0])


@exercise("log_likelihood", Kind.SIDE_EFFECT)
def test_the_caller_keeps_candidates_and_flips(student, draw):
    """The caller's arrays and lists belong to the caller: after the call they hold what they held before."""
    flips = np.array([1.0, 0.0, *draw.bits(4), 1.0, 0.0])  # in no order
    leaves_alone(student.log_likelihood, np.array([0.0, draw.probability(), 1.0]), flips)


@exercise("log_likelihood", Kind.TYPE)
def test_flips_in_a_list_have_a_log_likelihood(student, draw):
    """Lists of numbers are understood like arrays."""
    sample, thetas = draw.bits(5).tolist(), draw.numbers(3, 0.15, 0.85).tolist()
    expected = [log_likelihood(theta, sample) for theta in thetas]
    assert_matches(student.log_likelihood(thetas, sample), expected)


# --- score ------------------------------------------------------------------------------------------------------------


def slope(theta, heads, tails):
    return heads / theta - tails / (1 - theta)


def far_from_the_top(draw):
    """Many and few heads, each with a theta on the other side of one half: neither slope is near zero."""
    (low, high), many, few = sorted(draw.numbers(2, 0.15, 0.85)), draw.whole(7, 12), draw.whole(2, 4)
    return [(float(low), many, few), (float(high), few, many)]


@exercise("score", gate=True)
def test_heads_pull_up_and_tails_pull_down(student, draw):
    """Heads push the slope up by their number over theta, tails push it down by theirs over what is left of one."""
    cases = far_from_the_top(draw)
    assert_matches(each(student.score, *zip(*cases)), [slope(*case) for case in cases])


@exercise("score")
def test_it_is_the_measured_slope_of_the_log_likelihood(student, draw):
    """Go a small step to both sides: the rise of the log-likelihood over the way is the score."""
    cases, measured = far_from_the_top(draw), []
    for theta, ones, zeros in cases:
        left, right = theta - 1e-5, theta + 1e-5
        measured.append((ones * log(right / left) + zeros * log((1 - right) / (1 - left))) / 2e-5)
    assert_matches(each(student.score, *zip(*cases)), measured, rtol=2e-6)


@exercise("score")
def test_it_vanishes_at_the_share_of_heads(student, draw):
    """At the best theta inside the interval the slope is zero."""
    heads, tails = draw.whole(2, 6), draw.whole(7, 15)
    share = heads / (heads + tails)
    both = each(student.score, [share, 1 - share], [heads, tails], [tails, heads])
    assert_matches(both, [0, 0], atol=1e-4)  # a difference of two numbers that may be as large as 20


@exercise("score")
def test_its_sign_points_to_the_maximum(student, draw):
    """Left of the maximum the slope is positive, right of it negative, and it falls all the way."""
    heads, tails = draw.whole(2, 6), draw.whole(7, 15)
    share = heads / (heads + tails)
    thetas = [share * 0.05, share * 0.5, share * 0.95, 1 - (1 - share) * 0.95, 1 - (1 - share) * 0.4]
    slopes = numbers(each(student.score, thetas, [heads] * 5, [tails] * 5))
    assert_matches(np.sign(slopes), [1, 1, 1, -1, -1])
    assert (np.diff(slopes) < 0).all(), "the slope does not fall everywhere"


@exercise("score")
def test_the_scores_of_two_samples_add_up(student, draw):
    """Evidence adds up: ten times the flips have ten times the slope, and joined samples the sum of the slopes."""
    (theta, many, few), (_, other, _) = far_from_the_top(draw)
    found = each(student.score, [theta, theta], [many + other, 10 * many], [2 * few, 10 * few])
    assert_matches(found, [slope(theta, many, few) + slope(theta, other, few), 10 * slope(theta, many, few)])


@exercise("score", Kind.SIZES)
def test_a_column_of_thetas_meets_rows_of_counts(student, draw):
    """A column of thetas against rows of counts gives a table with every pair, as NumPy's broadcasting does."""
    thetas, heads, tails = draw.numbers(3, 0.2, 0.5), draw.wholes(4, 12, 20), draw.wholes(4, 1, 5)
    expected = np.array([[slope(theta, a, b) for a, b in zip(heads, tails)] for theta in thetas])
    column = thetas[:, np.newaxis]
    assert_matches(student.score(column, heads, tails), expected)
    assert_matches(student.score(column[:1], heads, tails), expected[:1])  # still a table, of one row


@exercise("score", Kind.SIZES)
def test_many_thetas_or_many_samples_get_a_slope_each(student, draw):
    """An array of thetas with one sample, and one theta with arrays of counts: a slope for each, in its place."""
    thetas, heads, tails = draw.numbers(5, 0.2, 0.5), draw.wholes(5, 12, 20), draw.wholes(5, 1, 5)
    theta, many, few = float(thetas[0]), int(heads[0]), int(tails[0])
    assert_matches(student.score(thetas, many, few), [slope(t, many, few) for t in thetas])
    assert_matches(student.score(theta, heads, few), [slope(theta, a, few) for a in heads])
    assert_matches(student.score(theta, many, tails), [slope(theta, many, b) for b in tails])


@exercise("score", Kind.SIZES)
def test_a_single_place_has_a_single_slope(student, draw):
    """Three numbers go in, one number comes out, and not an array of length one."""
    case = far_from_the_top(draw)[0]
    assert_matches(student.score(*case), slope(*case))


@exercise("score", Kind.EDGE)
def test_a_side_that_never_fell_does_not_pull(student, draw):
    """Without heads only the tails pull, without tails only the heads, and without flips nothing does."""
    theta, flips = draw.probability(0.15, 0.85), draw.whole(3, 20)
    slopes = each(student.score, [theta] * 3, [0, flips, 0], [flips, 0, 0])
    assert_matches(slopes, [-flips / (1 - theta), flips / theta, 0])


@exercise("score", Kind.EDGE)
def test_it_is_steep_near_the_ends(student, draw):
    """Close to zero or to one, but not there, the slope is as steep as the formula says."""
    near, many, few = draw.number(0.0002, 0.001), draw.whole(7, 12), draw.whole(2, 4)
    slopes = each(student.score, [near, 1 - near], [many, few], [few, many])
    assert_matches(slopes, [slope(near, many, few), -slope(near, many, few)], rtol=1e-3)


@exercise("score", Kind.SIDE_EFFECT)
def test_thetas_and_counts_are_left_as_they_were(student, draw):
    """The caller's arrays and lists belong to the caller: after the call they hold what they held before."""
    heads, tails = draw.wholes((2, 3), 1, 20).astype(float)
    leaves_alone(student.score, draw.numbers(3, 0.1, 0.9), np.append(heads[:2], 0.0), np.append(tails[:2], 5.0))


@exercise("score", Kind.TYPE)
def test_thetas_and_counts_may_come_in_lists(student, draw):
    """Lists of numbers are understood like arrays."""
    thetas = draw.numbers(3, 0.2, 0.5).tolist()
    heads, tails = draw.wholes(3, 12, 20).tolist(), draw.wholes(3, 1, 5).tolist()
    expected = [slope(*case) for case in zip(thetas, heads, tails)]
    assert_matches(student.score(thetas, heads, tails), expected)


# --- mle_categorical --------------------------------------------------------------------------------------------------


def shares(sample, outcomes):
    """How often each outcome occurs, counted one by one, over how often anything does."""
    listed = sample.tolist()
    return np.array([listed.count(outcome) / len(listed) for outcome in range(outcomes)])


@exercise("mle_categorical", gate=True)
def test_every_outcome_gets_its_share_of_the_sample(student, draw):
    """One probability for each possible outcome, in order: how often it occurred, over how often anything did."""
    sample = draw.labels(13, 4)
    for labels in (sample, (sample + 1) % 4):  # the shares of one of them, at least, do not descend
        assert_matches(student.mle_categorical(labels, 4), shares(labels, 4))


@exercise("mle_categorical")
def test_no_other_distribution_explains_the_sample_better(student, draw):
    """Move a little probability from any outcome to any other: the likelihood of the sample falls."""
    sample = draw.labels(23, 4)
    counts = 23 * shares(sample, 4)
    answer = numbers(student.mle_categorical(sample, 4))
    assert_matches(answer.shape, [4])
    assert_matches(answer.sum(), 1)
    assert (answer > 0.02).all(), "an outcome that occurs is called all but impossible"
    best = counts @ np.log(answer)
    for giver, taker in permutations(range(4), 2):
        other = answer.copy()
        other[[giver, taker]] += [-0.01, 0.01]
        assert counts @ np.log(other) < best, "another distribution explains the sample better"


@exercise("mle_categorical")
def test_renumbering_the_outcomes_renumbers_the_answer(student, draw):
    """The numbers of the outcomes are only names: give them other numbers, and the probabilities move along."""
    sample, new_number = draw.labels(17, 5), draw.order(5)
    moved = np.zeros(5)
    moved[new_number] = shares(sample, 5)
    assert_matches(student.mle_categorical(new_number[sample], 5), moved)


@exercise("mle_categorical")
def test_the_sample_repeated_gives_the_same_shares(student, draw):
    """The same data many times over: more certainty, but the same shares."""
    sample = draw.labels(9, 3)
    assert_matches(student.mle_categorical(np.tile(sample, 40), 3), shares(sample, 3))


@exercise("mle_categorical", Kind.SIZES)
def test_there_may_be_few_outcomes_or_many(student, draw):
    """Two outcomes or a dozen, in a short sample or in a long one: count one by one and divide by the size."""
    for outcomes, size in ((2, 31), (3, 7), (12, 90)):
        sample = draw.labels(size, outcomes)
        assert_matches(student.mle_categorical(sample, outcomes), shares(sample, outcomes))


@exercise("mle_categorical", Kind.EDGE)
def test_outcomes_that_never_occur_get_nothing(student, draw):
    """What was not seen gets probability zero, wherever it stands in the list, and it does not disappear."""
    seen = draw.labels(9, 3)
    for places in ([1, 2, 3], [0, 3, 5], [0, 1, 2]):  # nothing seen of the first, some in between, the last
        sample = np.array(places)[seen]
        assert_matches(student.mle_categorical(sample, 6), shares(sample, 6))


@exercise("mle_categorical", Kind.EDGE)
def test_one_observation_makes_its_outcome_certain(student, draw):
    """A sample of one, or of one outcome again and again: that outcome is certain, and if it is the only one, too."""
    outcomes, size = draw.whole(3, 6), draw.whole(2, 5)
    label = draw.whole(1, outcomes - 2)  # neither the first nor the last: both ends of the answer are zero
    for count in (1, size):
        assert_matches(student.mle_categorical(np.full(count, label), outcomes), np.eye(outcomes)[label])
    assert_matches(student.mle_categorical(np.zeros(size, dtype=int), 1), [1])


@exercise("mle_categorical", Kind.REFUSAL)
def test_an_empty_sample_is_refused(student, draw):
    """Without data there is no estimate. An empty sample is a ValueError."""
    for outcomes in (draw.whole(2, 6), 1):
        assert_raises(ValueError, student.mle_categorical, np.array([], dtype=int), outcomes)


@exercise("mle_categorical", Kind.REFUSAL)
def test_a_label_above_the_range_is_refused(student, draw):
    """Outcomes are numbered from zero, so the number of outcomes itself is no label. It is a ValueError."""
    sample, place = draw.labels(8, 3), draw.whole(0, 7)
    for wrong in (3, draw.whole(4, 12)):
        sample[place] = wrong
        assert_raises(ValueError, student.mle_categorical, sample, 3)


@exercise("mle_categorical", Kind.REFUSAL)
def test_a_negative_label_is_refused(student, draw):
    """Negative labels do not count from the end. They are a ValueError."""
    sample, place = draw.labels(8, 3), draw.whole(0, 7)
    for wrong in (-1, -2):
        sample[place] = wrong
        assert_raises(ValueError, student.mle_categorical, sample, 3)


@exercise("mle_categorical", Kind.SIDE_EFFECT)
def test_the_sample_is_left_as_it_was(student, draw):
    """The caller's sample belongs to the caller, an array or a list: after the call it holds what it held before."""
    leaves_alone(student.mle_categorical, np.append(draw.labels(8, 3), [2, 0, 1]), 3)  # in no order


@exercise("mle_categorical", Kind.TYPE)
def test_outcomes_may_come_in_lists(student, draw):
    """A list of outcomes is understood like an array."""
    sample = draw.labels(9, 3)
    assert_matches(student.mle_categorical(sample.tolist(), 3), shares(sample, 3))


# --- gaussian_estimates -----------------------------------------------------------------------------------------------


def skewed(draw, rows, columns):
    """A table whose columns differ in mean, sign and spread; the values farthest from zero are the rarest.

    So no mean is a median, and none is the small difference of large numbers.
    """
    steps = (np.arange(rows) + draw.rng.uniform(-0.2, 0.2, (columns, rows))) / (rows - 1)
    widths, centres = 3.2 * 1.6 ** draw.rng.permutation(columns), draw.numbers(columns, 0.3, 1.0)
    signs = np.where(np.arange(columns) % 3 == 1, -1.0, 1.0)
    return signs * (centres + widths * draw.rng.permuted(np.abs(steps) ** 3, axis=1).T)


def exactly(X):
    """The mean and both variances of each column, a number at a time."""
    means, variances, unbiased = [], [], []
    for column in X.T.tolist():
        mean = fsum(column) / len(column)
        squares = fsum((value - mean) ** 2 for value in column)
        means.append(mean)
        variances.append(squares / len(column))
        unbiased.append(squares / (len(column) - 1) if len(column) > 1 else np.nan)
    return means, variances, unbiased


def assert_estimates(student, X, expected=None, **tolerance):
    """Fail unless the student's mean and two variances of each column of a table are the expected ones."""
    found = parts(student.gaussian_estimates(X), 3)
    for actual, wanted in zip(found, expected or exactly(np.asarray(X, dtype=float))):
        assert_matches(actual, wanted, nan_ok=len(X) == 1, **tolerance)


@exercise("gaussian_estimates", gate=True)
def test_every_column_has_a_mean_and_two_variances(student, draw):
    """For each column: the mean, the squared deviations over their number, and over one less."""
    assert_estimates(student, skewed(draw, 6, 3))


@exercise("gaussian_estimates")
def test_the_variances_differ_by_the_factor_that_removes_the_bias(student, draw):
    """The two variances of a sample of size n have the ratio n to n minus one, whatever the data."""
    for n in (2, 3, 17):
        X = skewed(draw, n, 2)
        assert_estimates(student, X)
        _, mle, unbiased = parts(student.gaussian_estimates(X), 3)
        assert_matches(numbers(unbiased) / numbers(mle), [n / (n - 1)] * 2)


@exercise("gaussian_estimates")
def test_no_other_bell_curve_explains_the_data_better(student, draw):
    """Move the mean or the variance of a column a little either way: the likelihood of the data falls."""
    X = skewed(draw, 8, 2)
    mean, mle, _ = parts(student.gaussian_estimates(X), 3)
    mean, mle = numbers(mean), numbers(mle)
    assert_matches([mean.shape, mle.shape], [(2,), (2,)])
    assert (mle > 0).all(), "a variance that is not positive"

    def fit(mu, variance):
        return -0.5 * (np.log(2 * np.pi * variance) + (X - mu) ** 2 / variance).sum(axis=0)

    best = fit(mean, mle)
    for shift, factor in ((-0.1, 1.0), (0.1, 1.0), (0.0, 0.95), (0.0, 1.05)):
        other = fit(mean + shift * np.sqrt(mle), factor * mle)
        assert (other < best).all(), "another bell curve explains the data better"


@exercise("gaussian_estimates")
def test_shifting_the_data_shifts_only_the_mean(student, draw):
    """Add a constant to a column: its mean moves along, its variances stay."""
    X, shift = skewed(draw, 5, 3), np.array([-6.0, -2.0, 1.5]) + draw.numbers(3, 0.0, 0.5)
    means, variances, unbiased = exactly(X)
    assert_estimates(student, X + shift, (np.array(means) + shift, variances, unbiased))


@exercise("gaussian_estimates")
def test_scaling_the_data_scales_the_variance_by_the_square(student, draw):
    """Multiply a column by a constant: its mean is multiplied by it, its variances by the square."""
    X, scale = skewed(draw, 5, 3), np.array([30.0, -3.0, 0.2]) * draw.number(1.0, 2.0)
    means, variances, unbiased = (np.array(values) for values in exactly(X))
    assert_estimates(student, X * scale, (means * scale, variances * scale**2, unbiased * scale**2))


@exercise("gaussian_estimates", Kind.SIZES)
def test_a_single_column_gives_arrays_of_length_one(student, draw):
    """With one column, every answer is an array with one entry."""
    assert_estimates(student, skewed(draw, 6, 1))


@exercise("gaussian_estimates", Kind.SIZES)
def test_tables_may_be_wide_long_or_square(student, draw):
    """More columns than rows, many more rows than columns, or as many: one answer for each column."""
    for rows, columns in ((3, 5), (40, 2), (4, 4)):
        assert_estimates(student, skewed(draw, rows, columns))


@exercise("gaussian_estimates", Kind.STABILITY, stressed=True)
def test_data_far_from_zero_keep_their_digits(student, draw):
    """A small spread around a huge mean is still a spread: no digits are lost on the way."""
    away, offset = draw.wholes((5, 2), 0, 20), draw.whole(10**9, 3 * 10**9)
    sums, squares = away.sum(axis=0), (away**2).sum(axis=0)
    deviations = squares - sums**2 / 5
    expected = (offset + sums / 5, deviations / 5, deviations / 4)
    found = parts(student.gaussian_estimates(away + float(offset)), 3)
    for actual, wanted, rtol in zip(found, expected, (1e-14, 1e-6, 1e-6)):
        assert_matches(actual, wanted, rtol=rtol, atol=0)


@exercise("gaussian_estimates", Kind.EDGE)
def test_one_observation_says_nothing_about_the_spread(student, draw):
    """One row: the mean is the row, the spread around it is zero, and the unbiased variance is unknown, nan."""
    row = draw.coefficients(3, 5.0)
    assert_estimates(student, row[np.newaxis], (row, np.zeros(3), np.full(3, np.nan)))


@exercise("gaussian_estimates", Kind.EDGE)
def test_a_constant_column_has_no_spread(student, draw):
    """A column that never changes has both variances zero, and the other columns do not suffer."""
    X, constant = skewed(draw, 5, 3), draw.whole(2, 9)
    X[:, draw.whole(0, 2)] = constant
    assert_estimates(student, X)


@exercise("gaussian_estimates", Kind.SIDE_EFFECT)
def test_the_table_is_left_as_it_was(student, draw):
    """The caller's table belongs to the caller, an array or lists: after the call it holds what it held before."""
    leaves_alone(student.gaussian_estimates, skewed(draw, 5, 3))


@exercise("gaussian_estimates", Kind.TYPE)
def test_a_table_of_whole_numbers_may_come_in_lists(student, draw):
    """A list of rows is understood like an array, and whole numbers like others."""
    table = draw.wholes((4, 3), -20, 20)
    table[0] += 4 * np.arange(10, 13) - table.sum(axis=0) + 1  # no mean is a whole number
    assert_estimates(student, table)
    assert_estimates(student, table.tolist())


# --- what the notebook promises ---------------------------------------------------------------------------------------

PROMISES = {
    "bernoulli_pmf": {
        "other numbers": "test_each_outcome_has_its_own_probability",
        "sums over $x$": "test_heads_and_tails_use_up_all_probability",
        "coins with $\\theta = 0$ and $\\theta = 1$ (in NumPy, `0.0 ** 0` is 1, as it should be)": (
            "test_a_coin_with_two_equal_sides_holds_no_surprise"
        ),
        "broadcasting": ("test_each_flip_may_have_its_own_coin", "test_a_column_of_flips_meets_a_row_of_coins"),
        "the `ValueError`, also for one wrong entry in an array": (
            "test_what_is_no_outcome_is_refused",
            "test_one_wrong_outcome_among_many_is_refused",
        ),
        "arguments left alone": "test_outcomes_and_coins_are_left_as_they_were",
        "Let NumPy broadcast: for a column `x` of shape `(n, 1)` and a row `theta` of shape `(g,)` the answer is a "
        "table of shape `(n, g)`.": "test_a_column_of_flips_meets_a_row_of_coins",
        "A coin shows 0 or 1, so refuse everything else with a `ValueError`. (`np.isin` tells which entries of an "
        "array are among given values.)": "test_what_is_no_outcome_is_refused",
        "P(X = x), in the shape to which the two arguments broadcast.": (
            "test_a_single_flip_has_a_single_probability",
            "test_many_flips_keep_their_order",
            "test_many_coins_may_show_the_same",
            "test_each_flip_may_have_its_own_coin",
            "test_a_column_of_flips_meets_a_row_of_coins",
        ),
        "ValueError If any x is neither 0 nor 1.": (
            "visible: a_coin_shows_no_two",
            "test_what_is_no_outcome_is_refused",
            "test_one_wrong_outcome_among_many_is_refused",
        ),
    },
    "likelihood": {
        "other samples": (
            "test_every_observation_contributes_a_factor",
            "test_samples_of_any_length_are_products_of_factors",
        ),
        "the order of the sample": "test_the_order_of_the_sample_does_not_matter",
        "a single `theta`": "test_a_single_candidate_gets_a_single_number",
        "the empty sample": "test_an_empty_sample_is_certain",
        "$\\theta = 0$ and $\\theta = 1$": "test_a_one_sided_coin_explains_only_its_own_side",
        "where the largest value lies": (
            "test_the_largest_value_lies_at_the_share_of_ones",
            "test_a_one_sided_sample_is_likeliest_at_an_end",
        ),
        "sums over all samples": "test_all_samples_together_use_up_all_probability",
        "two samples joined together": "test_two_samples_joined_multiply",
        "arguments left alone": "test_candidates_and_sample_are_left_as_they_were",
        "`theta` may be one number or an array of $g$ candidates, and each candidate gets its own likelihood.": (
            "test_every_candidate_gets_its_own_likelihood",
            "test_a_single_candidate_gets_a_single_number",
        ),
        "A sample may be empty: a product without factors is 1.": "test_an_empty_sample_is_certain",
        "The sample, zeros and ones; n may be 0.": "test_an_empty_sample_is_certain",
    },
    "log_likelihood": {
        "agreement with $\\log L$ on small samples": "test_it_is_the_logarithm_of_the_product",
        "5,000 flips": "test_thousands_of_flips_stay_finite",
        "both ends": (
            "test_a_one_sided_coin_is_certain_of_its_own_side",
            "test_impossible_data_have_the_logarithm_of_zero",
            "test_the_ends_do_not_disturb_other_candidates",
        ),
        "the empty sample": "test_an_empty_sample_has_logarithm_zero",
        "a single `theta`": "test_one_candidate_gets_one_logarithm",
        "order": "test_shuffling_the_flips_changes_nothing",
        "two samples joined together": "test_two_samples_joined_add_up",
        "arguments left alone": "test_the_caller_keeps_candidates_and_flips",
        "If the sample contains what that coin never shows, the answer *is* $-\\infty$: the data are impossible.": (
            "test_impossible_data_have_the_logarithm_of_zero"
        ),
        "The computer says `0 * -inf = nan`.": "test_a_one_sided_coin_is_certain_of_its_own_side",
        "So a coin with $\\theta = 0$ has log-likelihood 0 on a sample of zeros, and no answer is ever `nan`. "
        "(`np.where(n1 > 0, a, b)` computes both `a` and `b` and then chooses; "
        '`with np.errstate(divide="ignore", invalid="ignore"):` keeps NumPy quiet about the one that it throws '
        "away.)": (
            "test_a_one_sided_coin_is_certain_of_its_own_side",
            "test_the_ends_do_not_disturb_other_candidates",
        ),
        "The sample, zeros and ones; n may be 0, and n and g may be large.": (
            "test_an_empty_sample_has_logarithm_zero",
            "test_thousands_of_flips_stay_finite",
        ),
        "It is -inf where the sample is impossible, it is right where the product would underflow, and it is never "
        "nan.": (
            "test_impossible_data_have_the_logarithm_of_zero",
            "test_thousands_of_flips_stay_finite",
            "test_the_ends_do_not_disturb_other_candidates",
        ),
    },
    "score": {
        "other counts": "test_heads_pull_up_and_tails_pull_down",
        "the slope of $\\ell$ measured numerically": "test_it_is_the_measured_slope_of_the_log_likelihood",
        "the sign on both sides of the maximum": "test_its_sign_points_to_the_maximum",
        "that the scores of two samples add up": "test_the_scores_of_two_samples_add_up",
        "broadcasting": (
            "test_a_column_of_thetas_meets_rows_of_counts",
            "test_many_thetas_or_many_samples_get_a_slope_each",
        ),
        "arguments left alone": "test_thetas_and_counts_are_left_as_they_were",
        "for numbers and for arrays that broadcast.": (
            "test_a_single_place_has_a_single_slope",
            "test_many_thetas_or_many_samples_get_a_slope_each",
        ),
        "It is never `nan`.": Ungraded("The task says that the ends, where it could be nan, are not graded."),
        "The derivative of log L, in the shape to which the three arguments broadcast.": (
            "test_a_column_of_thetas_meets_rows_of_counts"
        ),
        "A term whose count is 0 is 0; otherwise the score is inf at theta = 0 and -inf at theta = 1.": (
            "test_a_side_that_never_fell_does_not_pull"
        ),
        "It is never nan.": Ungraded("The task says that the ends, where it could be nan, are not graded."),
    },
    "mle_categorical": {
        "other samples": (
            "test_every_outcome_gets_its_share_of_the_sample",
            "test_there_may_be_few_outcomes_or_many",
        ),
        "outcomes that do not occur": "test_outcomes_that_never_occur_get_nothing",
        "sums": "test_no_other_distribution_explains_the_sample_better",
        "renumbering": "test_renumbering_the_outcomes_renumbers_the_answer",
        "that no other distribution has a higher likelihood": "test_no_other_distribution_explains_the_sample_better",
        "both kinds of `ValueError`": (
            "test_an_empty_sample_is_refused",
            "test_a_label_above_the_range_is_refused",
            "test_a_negative_label_is_refused",
        ),
        "arguments left alone": "test_the_sample_is_left_as_it_was",
        "An empty sample supports no estimate, and a label outside of the range is a mistake: a `ValueError` for each. "
        "(`np.bincount` may help; look up `minlength`.)": (
            "test_an_empty_sample_is_refused",
            "test_a_label_above_the_range_is_refused",
            "test_a_negative_label_is_refused",
        ),
        "ValueError If x is empty, or if an entry is negative or not below n_outcomes.": (
            "test_an_empty_sample_is_refused",
            "test_a_label_above_the_range_is_refused",
            "test_a_negative_label_is_refused",
        ),
    },
    "gaussian_estimates": {
        "other tables": (
            "test_every_column_has_a_mean_and_two_variances",
            "test_tables_may_be_wide_long_or_square",
        ),
        "the ratio of the two variances": "test_the_variances_differ_by_the_factor_that_removes_the_bias",
        "what happens if the data are shifted or scaled": (
            "test_shifting_the_data_shifts_only_the_mean",
            "test_scaling_the_data_scales_the_variance_by_the_square",
        ),
        "one row": "test_one_observation_says_nothing_about_the_spread",
        "one column": "test_a_single_column_gives_arrays_of_length_one",
        "constant columns": "test_a_constant_column_has_no_spread",
        "data around $10^9$": "test_data_far_from_zero_keep_their_digits",
        "that no other mean or variance has a higher likelihood": "test_no_other_bell_curve_explains_the_data_better",
        "arguments left alone": "test_the_table_is_left_as_it_was",
        "Return `nan` there (NumPy may warn; warnings are not graded).": (
            "test_one_observation_says_nothing_about_the_spread"
        ),
        "The unbiased estimate; divides by n - 1, and is nan if n is 1.": (
            "test_one_observation_says_nothing_about_the_spread"
        ),
    },
}
