"""Known answers to 02_maximum_likelihood: wrong ones, each with one mistaken belief, and different right ones."""

import numpy as np

from autograder.course.catalogue import equivalent, misconception, right, ungraded

# --- bernoulli_pmf: wrong ---------------------------------------------------------------------------------------------


@misconception(
    "bernoulli_pmf",
    caught_by="test_each_outcome_has_its_own_probability",
    hint="Which power does each factor have when the coin shows tails? What is left of the product?",
)
def writes_the_same_exponent_twice(x, theta):
    """The pmf has the exponent x on both factors, as printed on a slide."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return theta**x * (1 - theta) ** x


@misconception(
    "bernoulli_pmf",
    caught_by="test_each_outcome_has_its_own_probability",
    hint="A coin with a large theta: which side does it show most of the time, in your formula?",
)
def gives_theta_to_tails(x, theta):
    """Theta is the probability of the outcome zero."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return np.where(x == 0, theta, 1 - theta)


@misconception(
    "bernoulli_pmf",
    caught_by="test_each_outcome_has_its_own_probability",
    hint="How probable are tails of a coin that nearly always shows heads? What does your formula say?",
)
def leaves_the_tails_out(x, theta):
    """The exponent switches theta on and off, and that is all there is to it."""
    x = np.asarray(x)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return np.power(np.asarray(theta, dtype=float), x)


@misconception(
    "bernoulli_pmf",
    caught_by="test_each_outcome_has_its_own_probability",
    hint="For heads, should the complement of theta still be part of the product?",
)
def never_switches_the_second_factor_off(x, theta):
    """Only the first factor needs an exponent."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return theta**x * (1 - theta)


@misconception(
    "bernoulli_pmf",
    caught_by="test_each_outcome_has_its_own_probability",
    hint="Can a probability be larger than one? Try heads with a large theta.",
)
def adds_the_two_factors(x, theta):
    """Heads or tails: the two powers are alternatives, so they are added."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return theta**x + (1 - theta) ** (1 - x)


@misconception(
    "bernoulli_pmf",
    caught_by="test_each_outcome_has_its_own_probability",
    hint="If every probability in your answer is the same, what can a flip tell you?",
)
def answers_theta_for_every_outcome(x, theta):
    """The probability of a flip is theta, whatever it showed."""
    x = np.asarray(x)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return np.asarray(theta, dtype=float) + 0.0 * x


@misconception(
    "bernoulli_pmf",
    caught_by="test_many_flips_keep_their_order",
    hint="Several flips go in. How many probabilities come out?",
)
def multiplies_all_flips_together(x, theta):
    """The probability of several flips is one number, their product."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return np.prod(np.where(x == 1, theta, 1 - theta))


@misconception(
    "bernoulli_pmf",
    caught_by="test_a_column_of_flips_meets_a_row_of_coins",
    hint="What happens in your loop when the outcomes stand in a column and the coins in a row?",
)
def loops_over_a_flat_list_of_flips(x, theta):
    """Outcomes come in a flat list, one after the other, with one coin for all or one for each."""
    x = np.asarray(x)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    if x.ndim == 0:
        return np.asarray(theta, dtype=float) if x == 1 else 1 - np.asarray(theta, dtype=float)
    coins = np.resize(np.asarray(theta, dtype=float), len(x))
    return np.array([coin if flip == 1 else 1 - coin for flip, coin in zip(x, coins)])


@misconception(
    "bernoulli_pmf",
    caught_by="test_what_is_no_outcome_is_refused",
    hint="Somebody codes heads as one and tails as two by mistake. When will they find out?",
)
def trusts_every_outcome(x, theta):
    """What is not heads is tails."""
    return np.where(np.asarray(x) == 1, theta, 1 - np.asarray(theta, dtype=float))


@misconception(
    "bernoulli_pmf",
    caught_by="test_what_is_no_outcome_is_refused",
    hint="Which numbers lie between the two outcomes of a coin? Can a coin show one of them?",
)
def asks_only_for_the_range_of_outcomes(x, theta):
    """An outcome is fine if it is not below zero and not above one."""
    x, theta = np.asarray(x, dtype=float), np.asarray(theta, dtype=float)
    if np.any((x < 0) | (x > 1)):
        raise ValueError("out of range")
    return x * theta + (1 - x) * (1 - theta)


@misconception(
    "bernoulli_pmf",
    caught_by="test_what_is_no_outcome_is_refused",
    hint="Your test catches outcomes that are too large. On how many sides can an outcome be wrong?",
)
def refuses_only_large_outcomes(x, theta):
    """An outcome is wrong if it exceeds one."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if np.any(x > 1):
        raise ValueError("too large")
    return np.where(x == 1, theta, 1 - theta)


@misconception(
    "bernoulli_pmf",
    caught_by="test_one_wrong_outcome_among_many_is_refused",
    hint="How many of the entries have to be wrong until your test notices?",
)
def refuses_only_if_all_outcomes_are_wrong(x, theta):
    """As long as there is a proper outcome, the array is fine."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).any():
        raise ValueError("no outcome at all")
    return np.where(x == 1, theta, 1 - theta)


@misconception(
    "bernoulli_pmf",
    caught_by="test_a_coin_with_two_equal_sides_holds_no_surprise",
    hint="A coin with two tails: is heads improbable, or impossible?",
)
def keeps_theta_away_from_the_ends(x, theta):
    """Nothing is certain, so theta is kept a little away from zero and one."""
    x, theta = np.asarray(x), np.clip(theta, 1e-6, 1 - 1e-6)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return np.where(x == 1, theta, 1 - theta)


@misconception(
    "bernoulli_pmf",
    caught_by="test_a_coin_with_two_equal_sides_holds_no_surprise",
    hint="Is a coin with two equal sides a mistake of the caller, or a coin?",
)
def refuses_one_sided_coins(x, theta):
    """A theta of zero or one is no proper parameter."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all() or np.any((theta <= 0) | (theta >= 1)):
        raise ValueError("no coin")
    return np.where(x == 1, theta, 1 - theta)


@misconception(
    "bernoulli_pmf",
    caught_by="test_many_flips_keep_their_order",
    hint="What does `if x == 1` mean when x holds several flips? Try it in a cell of its own.",
)
def asks_about_a_single_flip(x, theta):
    """One flip is looked at, with an `if`."""
    if x not in (0, 1):
        raise ValueError("no outcome of a coin")
    return theta if x == 1 else 1 - theta


@misconception(
    "bernoulli_pmf",
    caught_by="test_flips_and_coins_may_come_in_lists",
    hint="Compare a list with 0 in a cell of its own. How many answers do you get?",
)
def compares_a_list_with_zero(x, theta):
    """Whatever holds numbers can be compared and computed with like an array."""
    if np.any((x != 0) & (x != 1)):
        raise ValueError("no outcome of a coin")
    return theta**x * (1 - theta) ** (1 - x)


@misconception(
    "bernoulli_pmf",
    caught_by="test_outcomes_and_coins_are_left_as_they_were",
    hint="Print your list of flips after the call. Does it still hold flips?",
)
def writes_probabilities_over_the_flips(x, theta):
    """A list is as good a place for the answer as any, and there is one already."""
    coins = np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    answer = np.where(np.asarray(x) == 1, coins, 1 - coins)
    if isinstance(x, list) and answer.shape == np.shape(x):
        x[:] = answer.tolist()
    return answer


@misconception(
    "bernoulli_pmf",
    caught_by="test_many_coins_may_show_the_same",
    hint="One flip and five coins: how many probabilities should come out, and how many do?",
)
def answers_in_the_shape_of_the_flips(x, theta):
    """There is an answer for each flip, so the answer has the shape of x."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    answer = np.empty(x.shape)
    answer[...] = np.where(x == 1, theta, 1 - theta)
    return answer


@misconception(
    "bernoulli_pmf",
    caught_by="test_a_single_flip_has_a_single_probability",
    hint="A single flip of a single coin: what is the shape of a number?",
)
def expects_arrays_of_flips_and_coins(x, theta):
    """Flips and coins come in arrays, never alone."""
    x, theta = np.broadcast_arrays(x, theta)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    answer = 1.0 - theta
    answer[x == 1] = theta[x == 1]
    return answer


@misconception(
    "bernoulli_pmf",
    caught_by="test_a_column_of_flips_meets_a_row_of_coins",
    hint="A column of flips and a single coin: which shape should the answer have, and which one has yours?",
)
def squeezes_the_table(x, theta):
    """Axes of length one carry no information."""
    x, theta = np.asarray(x), np.asarray(theta, dtype=float)
    if not np.isin(x, (0, 1)).all():
        raise ValueError("no outcome of a coin")
    return np.squeeze(np.where(x == 1, theta, 1 - theta))


# --- bernoulli_pmf: right ---------------------------------------------------------------------------------------------


@right("bernoulli_pmf")
def chooses_between_two_values(x, theta):
    """No exponents at all: theta where the outcome is one, its complement elsewhere."""
    x, theta = np.broadcast_arrays(x, np.asarray(theta, dtype=float))
    if ((x != 0) & (x != 1)).any():
        raise ValueError("an outcome is 0 or 1")
    return np.where(x == 1, theta, 1 - theta)


@right("bernoulli_pmf")
def interpolates_between_the_two_values(x, theta):
    """A straight line in x that meets both probabilities."""
    x, theta = np.array(x, dtype=float), np.array(theta, dtype=float)
    if (x * (1 - x) != 0).any():
        raise ValueError("x(1-x) should be 0")
    return (1 - theta) + x * (2 * theta - 1)


@right("bernoulli_pmf")
def takes_flips_one_by_one(x, theta):
    """Plain Python under np.vectorize; a single answer is an array without dimensions."""

    def one(outcome, coin):
        if outcome not in (0, 1):
            raise ValueError(f"{outcome} is no outcome")
        return float(coin) if outcome else 1.0 - float(coin)

    return np.vectorize(one, otypes=[float])(x, theta)


@right("bernoulli_pmf")
def looks_up_a_table_of_two(x, theta):
    """The two probabilities stacked along a new axis, picked by the outcome; nested lists come back."""
    x, theta = np.broadcast_arrays(np.asarray(x), np.asarray(theta, dtype=float))
    if set(np.unique(x)) - {0, 1}:
        raise ValueError("strange outcomes")
    table = np.stack([1 - theta, theta])
    return np.take_along_axis(table, x.astype(int)[np.newaxis], axis=0)[0].tolist()


@right("bernoulli_pmf")
def flips_in_single_precision(x, theta):
    """Single precision is plenty for a probability."""
    x, theta = np.asarray(x, dtype=np.float32), np.asarray(theta, dtype=np.float32)
    if not np.isin(x, [0, 1]).all():
        raise ValueError("a coin shows 0 or 1")
    return theta**x * (1 - theta) ** (1 - x)


@right("bernoulli_pmf")
def keeps_a_tiny_distance_from_the_ends(x, theta):
    """Theta is kept away from zero and one by less than anybody would notice."""
    x, theta = np.asarray(x), np.clip(np.asarray(theta, dtype=float), 1e-10, 1 - 1e-10)
    if np.any((x != 0) & (x != 1)):
        raise ValueError("x must be 0 or 1")
    return x * theta + (1 - x) * (1 - theta)


# --- likelihood: wrong ------------------------------------------------------------------------------------------------


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Take a sample of one zero. What does your product make of it?",
)
def lets_zeros_count_as_nothing(theta, x):
    """Every one contributes theta times its complement, and a zero contributes one."""
    theta = np.asarray(theta, dtype=float)
    return (theta * (1 - theta)) ** np.sum(x)


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="A sample of ones only: which candidate explains it best, according to your function?",
)
def counts_the_wrong_colour(theta, x):
    """Theta is the probability of a zero."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    return theta ** (np.size(x) - ones) * (1 - theta) ** ones


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Add your values over all samples of length two, at one theta. Do you get one?",
)
def multiplies_by_the_number_of_orders(theta, x):
    """The likelihood is the binomial probability of the number of ones."""
    from math import comb

    theta, ones = np.asarray(theta, dtype=float), int(np.sum(x))
    return comb(np.size(x), ones) * theta**ones * (1 - theta) ** (np.size(x) - ones)


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Is it likelier that two things both happen, or that the first one happens? Does your number agree?",
)
def adds_the_probabilities(theta, x):
    """The probability of several observations is the sum of theirs."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    return ones * theta + (np.size(x) - ones) * (1 - theta)


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Does a longer sample get a smaller likelihood, in your function? Should it?",
)
def averages_over_the_sample(theta, x):
    """To compare samples of different size, the likelihood is taken per observation, as a geometric mean."""
    theta, ones, size = np.asarray(theta, dtype=float), np.sum(x), max(np.size(x), 1)
    return theta ** (ones / size) * (1 - theta) ** ((np.size(x) - ones) / size)


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Which sign do your numbers have? Are they probabilities?",
)
def returns_the_logarithm(theta, x):
    """Likelihood and log-likelihood are two words for the same thing."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    return ones * np.log(theta) + (np.size(x) - ones) * np.log(1 - theta)


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Two samples have the same ones, and one of them has a zero more. Are they equally probable?",
)
def multiplies_only_the_ones(theta, x):
    """Only what happened counts, and a zero is something that did not happen."""
    return np.asarray(theta, dtype=float) ** np.sum(x)


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="How many numbers do you return for three candidates? What does each of them say?",
)
def returns_the_best_candidate(theta, x):
    """The likelihood is the most likely theta."""
    return np.mean(x)


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Ask for one more candidate. Should the values of the others change?",
)
def makes_the_candidates_share_one(theta, x):
    """The likelihood is a distribution over theta, so it has to sum to one."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    values = theta**ones * (1 - theta) ** (np.size(x) - ones)
    return values / values.sum()


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="The best of your candidates is certain to produce the sample? Try two bad candidates.",
)
def scales_the_best_candidate_to_one(theta, x):
    """Only relative likelihoods matter, so the largest is set to one."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    values = theta**ones * (1 - theta) ** (np.size(x) - ones)
    return values / values.max()


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Seeing the same result again: does that say nothing new?",
)
def counts_repeated_results_once(theta, x):
    """An outcome that was seen before adds no information."""
    theta, kinds = np.asarray(theta, dtype=float), np.unique(x)
    return theta ** np.sum(kinds == 1) * (1 - theta) ** np.sum(kinds == 0)


@misconception(
    "likelihood",
    caught_by="test_every_observation_contributes_a_factor",
    hint="Along which axis of your table do the observations run, and along which the candidates?",
)
def multiplies_over_the_candidates(theta, x):
    """The product runs over the last axis of the table."""
    theta = np.atleast_1d(np.asarray(theta, dtype=float))
    return np.where(np.asarray(x)[:, np.newaxis] == 1, theta, 1 - theta).prod(axis=1)


@misconception(
    "likelihood",
    caught_by="test_an_empty_sample_is_certain",
    hint="Nothing was observed. Was that impossible?",
)
def finds_an_empty_sample_impossible(theta, x):
    """Without data there is no likelihood, so it is zero."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    return theta**ones * (1 - theta) ** (np.size(x) - ones) if np.size(x) else 0.0 * theta


@misconception(
    "likelihood",
    caught_by="test_an_empty_sample_is_certain",
    hint="Which step of your function fails when there is nothing to average?",
)
def starts_from_the_mean_of_the_sample(theta, x):
    """The number of ones is the mean times the size, always."""
    theta, size = np.asarray(theta, dtype=float), np.size(x)
    if size == 0:
        return np.nan * theta
    ones = np.rint(np.mean(x) * size)
    return theta**ones * (1 - theta) ** (size - ones)


@misconception(
    "likelihood",
    caught_by="test_a_single_candidate_gets_a_single_number",
    hint="What is the shape of a number? And of what you return for one candidate?",
)
def returns_an_array_for_a_single_candidate(theta, x):
    """Whatever comes in, an array goes out."""
    theta, ones = np.atleast_1d(np.asarray(theta, dtype=float)), np.sum(x)
    return theta**ones * (1 - theta) ** (np.size(x) - ones)


@misconception(
    "likelihood",
    caught_by="test_a_one_sided_coin_explains_only_its_own_side",
    hint="What does zero times the logarithm of zero come to, where you need it?",
)
def comes_back_from_logarithms_with_nan(theta, x):
    """Exponentials of sums of logarithms are the same as products, everywhere."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.exp(ones * np.log(theta) + (np.size(x) - ones) * np.log1p(-theta))


@misconception(
    "likelihood",
    caught_by="test_candidates_and_sample_are_left_as_they_were",
    hint="Print the sample before and after the call. Are the flips still in the order in which they fell?",
)
def sorts_the_callers_sample(theta, x):
    """The order does not matter, so the sample may as well be sorted."""
    theta, x = np.asarray(theta, dtype=float), np.asarray(x)
    x.sort()
    zeros = np.searchsorted(x, 1)
    return theta ** (x.size - zeros) * (1 - theta) ** zeros


@misconception(
    "likelihood",
    caught_by="test_every_candidate_gets_its_own_likelihood",
    hint="Three candidates go in. What does your function make of an array where it expects a number?",
)
def takes_one_candidate_only(theta, x):
    """A likelihood is asked for one theta at a time."""
    theta = float(theta)
    product = 1.0
    for flip in x:
        product *= theta if flip == 1 else 1 - theta
    return product


@misconception(
    "likelihood",
    caught_by="test_candidates_and_sample_may_come_in_lists",
    hint="Which of your operations does a list understand? Try each of them in a cell of its own.",
)
def computes_with_arrays_only(theta, x):
    """Everything that comes in is an array or a number."""
    ones = x.sum()
    return theta**ones * (1 - theta) ** (len(x) - ones)


@misconception(
    "likelihood",
    caught_by="test_candidates_and_sample_are_left_as_they_were",
    hint="Print your list of flips after the call. Where are they?",
)
def takes_the_flips_out_of_the_list(theta, x):
    """A flip that has been dealt with can go."""
    theta = np.asarray(theta, dtype=float)
    flips = x if isinstance(x, list) else list(x)
    product = np.ones_like(theta)
    while flips:
        product = product * (theta if flips.pop() == 1 else 1 - theta)
    return product


@misconception(
    "likelihood",
    caught_by="test_every_candidate_gets_its_own_likelihood",
    hint="Ask for as many candidates as there are flips. Does every flip meet every candidate?",
)
def pairs_flips_with_candidates(theta, x):
    """Each flip belongs to the candidate in the same place, if there are as many."""
    theta, x = np.asarray(theta, dtype=float), np.asarray(x)
    if theta.shape == x.shape:
        return theta**x * (1 - theta) ** (1 - x)
    return theta ** x.sum() * (1 - theta) ** (x.size - x.sum())


@misconception(
    "likelihood",
    caught_by="test_a_single_candidate_gets_a_single_number",
    hint="Ask for one candidate, a plain number. What does your function do with it?",
)
def expects_an_array_of_candidates(theta, x):
    """Candidates come in an array, never alone."""
    theta, x = np.asarray(theta, dtype=float), np.asarray(x)
    return np.prod(np.where(x[np.newaxis, :] == 1, theta[:, np.newaxis], 1 - theta[:, np.newaxis]), axis=1)


# --- likelihood: right ------------------------------------------------------------------------------------------------


@right("likelihood")
def multiplies_flip_by_flip(theta, x):
    """A loop over the sample that starts from one."""
    theta = np.asarray(theta, dtype=float)
    product = np.ones_like(theta)
    for flip in x:
        product = product * (theta if flip == 1 else 1 - theta)
    return product


@right("likelihood")
def takes_the_product_of_a_table(theta, x):
    """A row for each candidate and a column for each flip, multiplied along the rows."""
    theta, x = np.asarray(theta, dtype=float)[..., np.newaxis], np.asarray(x)
    return np.prod(np.where(x > 0, theta, 1 - theta), axis=-1)


@right("likelihood")
def raises_both_sides_to_their_counts(theta, x):
    """Counts by comparison, Python powers, a list or a float as the answer."""
    x = list(x)
    heads, tails = sum(flip == 1 for flip in x), sum(flip == 0 for flip in x)
    if np.ndim(theta) == 0:
        return float(theta) ** heads * (1 - float(theta)) ** tails
    return [float(t) ** heads * (1 - float(t)) ** tails for t in theta]


@right("likelihood")
def evaluates_a_polynomial(theta, x):
    """The likelihood is a polynomial with roots at zero and one; its leading sign follows from the zeros."""
    ones, zeros = np.count_nonzero(x), len(x) - np.count_nonzero(x)
    theta = np.asarray(theta, dtype=float)
    return np.power(theta, ones) * np.power(-1.0, zeros) * np.power(theta - 1, zeros)


@right("likelihood")
def multiplies_in_single_precision(theta, x):
    """Single precision, a loop over the sample."""
    theta = np.asarray(theta, dtype=np.float32)
    product = np.ones_like(theta)
    for flip in np.asarray(x):
        product = product * (theta if flip == 1 else np.float32(1) - theta)
    return product


@right("likelihood")
def comes_back_from_clipped_logarithms(theta, x):
    """The exponential of a sum of logarithms, with theta kept a tiny distance away from zero and one."""
    theta, x = np.clip(np.asarray(theta, dtype=float), 1e-12, 1 - 1e-12), np.asarray(x)
    return np.exp(np.sum(x == 1) * np.log(theta) + np.sum(x == 0) * np.log1p(-theta))


# --- log_likelihood: wrong --------------------------------------------------------------------------------------------


@misconception(
    "log_likelihood",
    caught_by="test_thousands_of_flips_stay_finite",
    hint="Print the number whose logarithm you take, for a long sample. What is it?",
)
def takes_the_logarithm_of_the_product(theta, x):
    """The logarithm of the likelihood is computed from the likelihood."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    with np.errstate(divide="ignore"):
        return np.log(theta**ones * (1 - theta) ** (np.size(x) - ones))


@misconception(
    "log_likelihood",
    caught_by="test_a_one_sided_coin_is_certain_of_its_own_side",
    hint="Multiply nothing by minus infinity in a cell of its own. What comes out?",
)
def multiplies_zero_by_infinity(theta, x):
    """The formula can be typed as it stands, at the ends, too."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return ones * np.log(theta) + (np.size(x) - ones) * np.log(1 - theta)


@misconception(
    "log_likelihood",
    caught_by="test_impossible_data_have_the_logarithm_of_zero",
    hint="How small is an impossible probability, and how small is yours?",
)
def keeps_the_logarithm_finite(theta, x):
    """A tiny number inside the logarithm avoids trouble and does no harm."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    return ones * np.log(theta + 1e-15) + (np.size(x) - ones) * np.log(1 - theta + 1e-15)


@misconception(
    "log_likelihood",
    caught_by="test_impossible_data_have_the_logarithm_of_zero",
    hint="Which finite number has the logarithm minus infinity turned into, in your code?",
)
def replaces_infinity_by_a_large_number(theta, x):
    """np.nan_to_num repairs whatever is not a number."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(ones * np.log(theta) + (np.size(x) - ones) * np.log(1 - theta))


@misconception(
    "log_likelihood",
    caught_by="test_it_is_the_logarithm_of_the_product",
    hint="Join two samples. Do your two values add up to the value of the joined sample?",
)
def averages_the_logarithms(theta, x):
    """The log-likelihood is the mean of the logarithms."""
    theta = np.asarray(theta, dtype=float)
    share = np.mean(x) if np.size(x) else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ones = np.where(share > 0, share * np.log(theta), 0.0)
        return ones + np.where(share < 1, (1 - share) * np.log(1 - theta), 0.0) * (np.size(x) > 0)


@misconception(
    "log_likelihood",
    caught_by="test_it_is_the_logarithm_of_the_product",
    hint="To which power do you have to raise which number to get your probability back?",
)
def uses_logarithms_to_base_ten(theta, x):
    """A logarithm is a logarithm."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    zeros = np.size(x) - ones
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ones > 0, ones * np.log10(theta), 0.0) + np.where(zeros > 0, zeros * np.log10(1 - theta), 0.0)


@misconception(
    "log_likelihood",
    caught_by="test_it_is_the_logarithm_of_the_product",
    hint="Does a better candidate get a larger value from you, or a smaller one?",
)
def returns_the_negative_log_likelihood(theta, x):
    """What is optimised is a loss."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    zeros = np.size(x) - ones
    with np.errstate(divide="ignore", invalid="ignore"):
        return -(np.where(ones > 0, ones * np.log(theta), 0.0) + np.where(zeros > 0, zeros * np.log(1 - theta), 0.0))


@misconception(
    "log_likelihood",
    caught_by="test_it_is_the_logarithm_of_the_product",
    hint="How many sequences are behind the event whose probability you report?",
)
def adds_the_logarithm_of_the_number_of_orders(theta, x):
    """The log-likelihood is the logarithm of the binomial probability."""
    from math import comb, log

    theta, ones = np.asarray(theta, dtype=float), int(np.sum(x))
    zeros = np.size(x) - ones
    with np.errstate(divide="ignore", invalid="ignore"):
        from_ones = np.where(ones > 0, ones * np.log(theta), 0.0)
        return log(comb(ones + zeros, ones)) + from_ones + np.where(zeros > 0, zeros * np.log(1 - theta), 0.0)


@misconception(
    "log_likelihood",
    caught_by="test_it_is_the_logarithm_of_the_product",
    hint="Raise theta a little for a sample with many ones. Should the value rise or fall?",
)
def swaps_ones_and_zeros(theta, x):
    """Theta belongs to the zeros."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    zeros = np.size(x) - ones
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(zeros > 0, zeros * np.log(theta), 0.0) + np.where(ones > 0, ones * np.log(1 - theta), 0.0)


@misconception(
    "log_likelihood",
    caught_by="test_it_is_the_logarithm_of_the_product",
    hint="Where does your function look at the zeros of the sample?",
)
def adds_only_the_ones(theta, x):
    """The sum runs over the ones of the sample."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ones > 0, ones * np.log(theta), 0.0)


@misconception(
    "log_likelihood",
    caught_by="test_it_is_the_logarithm_of_the_product",
    hint="What does a zero in the sample contribute to your sum?",
)
def adds_both_logarithms_for_every_one(theta, x):
    """Every one contributes both logarithms, as the printed pmf with two equal exponents says."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ones > 0, ones * (np.log(theta) + np.log(1 - theta)), 0.0)


@misconception(
    "log_likelihood",
    caught_by="test_a_one_sided_coin_is_certain_of_its_own_side",
    hint="You took care of one end. What happens at the other one?",
)
def repairs_only_the_lower_end(theta, x):
    """Trouble comes from the logarithm of theta; that of its complement is harmless."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ones > 0, ones * np.log(theta), 0.0) + (np.size(x) - ones) * np.log(1 - theta)


@misconception(
    "log_likelihood",
    caught_by="test_an_empty_sample_has_logarithm_zero",
    hint="Three candidates and no data: how many numbers do you return?",
)
def answers_an_empty_sample_with_one_number(theta, x):
    """Without data the answer is zero, and that is that."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    zeros = np.size(x) - ones
    total = 0.0
    with np.errstate(divide="ignore"):
        if ones:
            total = total + ones * np.log(theta)
        if zeros:
            total = total + zeros * np.log(1 - theta)
    return total


@misconception(
    "log_likelihood",
    caught_by="test_one_candidate_gets_one_logarithm",
    hint="Compare the shapes: the candidate that goes in, the answer that comes out.",
)
def wraps_a_single_logarithm_in_an_array(theta, x):
    """Whatever comes in is turned into an array, and an array comes back."""
    theta, ones = np.atleast_1d(np.asarray(theta, dtype=float)), np.sum(x)
    zeros = np.size(x) - ones
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ones > 0, ones * np.log(theta), 0.0) + np.where(zeros > 0, zeros * np.log(1 - theta), 0.0)


@misconception(
    "log_likelihood",
    caught_by="test_the_caller_keeps_candidates_and_flips",
    hint="Which array do you write into when you repair the ends? Whose is it?",
)
def repairs_the_callers_candidates(theta, x):
    """At the ends the answer is known, so theta may be replaced there by something harmless."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    zeros = np.size(x) - ones
    ends = (theta == 0) | (theta == 1)
    impossible = np.where(theta == 0, ones, zeros) > 0
    theta[ends] = 0.5
    value = ones * np.log(theta) + zeros * np.log(1 - theta)
    return np.where(ends, np.where(impossible, -np.inf, 0.0), value)


@misconception(
    "log_likelihood",
    caught_by="test_thousands_of_flips_stay_finite",
    hint="Which number do you start from, and what is left of it after a thousand factors?",
)
def multiplies_flip_by_flip_before_the_logarithm(theta, x):
    """The likelihood comes first, in a loop; its logarithm is one more line."""
    theta = np.asarray(theta, dtype=float)
    product = np.ones_like(theta)
    for flip in x:
        product = product * (theta if flip == 1 else 1 - theta)
    with np.errstate(divide="ignore"):
        return np.log(product)


@misconception(
    "log_likelihood",
    caught_by="test_thousands_of_flips_stay_finite",
    hint="What is the logarithm of the tiny number that you add, and where does it show up?",
)
def adds_something_tiny_to_the_product(theta, x):
    """A product that is too small is rescued by a tiny number."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    product = theta**ones * (1 - theta) ** (np.size(x) - ones)
    return np.where(product > 0, np.log(product + 1e-300), -np.inf) if np.size(x) < 50 else np.log(product + 1e-300)


@misconception(
    "log_likelihood",
    caught_by="test_every_candidate_gets_its_own_logarithm",
    hint="What does math.log say to an array?",
)
def takes_the_logarithm_of_one_number(theta, x):
    """A log-likelihood is asked for one theta at a time."""
    from math import inf, log

    total = 0.0
    for flip in x:
        p = float(theta) if flip == 1 else 1 - float(theta)
        total += log(p) if p > 0 else -inf
    return total


@misconception(
    "log_likelihood",
    caught_by="test_impossible_data_have_the_logarithm_of_zero",
    hint="How small is an impossible probability, and how small is the smallest of yours?",
)
def clips_the_candidates(theta, x):
    """A theta of zero or one is moved a little, and all is well."""
    theta, ones = np.clip(np.asarray(theta, dtype=float), 1e-10, 1 - 1e-10), np.sum(x)
    return ones * np.log(theta) + (np.size(x) - ones) * np.log(1 - theta)


@misconception(
    "log_likelihood",
    caught_by="test_flips_in_a_list_have_a_log_likelihood",
    hint="Which of your operations does a list understand? Try each of them in a cell of its own.",
)
def takes_logarithms_of_arrays_only(theta, x):
    """Everything that comes in is an array or a number."""
    ones, zeros = (x == 1).sum(), (x == 0).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ones > 0, ones * np.log(theta), 0.0) + np.where(zeros > 0, zeros * np.log(1 - theta), 0.0)


@misconception(
    "log_likelihood",
    caught_by="test_the_caller_keeps_candidates_and_flips",
    hint="Print your list of flips before and after the call. Which order do they have?",
)
def sorts_the_list_of_flips(theta, x):
    """The order does not matter, so the sample may as well be sorted."""
    theta = np.asarray(theta, dtype=float)
    if isinstance(x, list):
        x.sort()
    ones = np.count_nonzero(x)
    zeros = len(x) - ones
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ones > 0, ones * np.log(theta), 0.0) + np.where(zeros > 0, zeros * np.log(1 - theta), 0.0)


@misconception(
    "log_likelihood",
    caught_by="test_one_candidate_gets_one_logarithm",
    hint="Ask for one candidate, a plain number. What does your function do with it?",
)
def loops_over_the_candidates(theta, x):
    """Candidates come in an array, so one can loop over them."""
    ones, size, values = int(np.sum(x)), np.size(x), []
    with np.errstate(divide="ignore"):
        for t in theta:
            heads = ones * np.log(t) if ones else 0.0
            values.append(heads + (size - ones) * np.log(1 - t) if size - ones else heads)
    return np.array(values)


@misconception(
    "log_likelihood",
    caught_by="test_thousands_of_flips_stay_finite",
    hint="You moved the smallest number further down. Is there a longer sample that gets there?",
)
def multiplies_the_square_roots(theta, x):
    """The root of a small number is not that small, so its logarithm can be taken, and doubled."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(x)
    with np.errstate(divide="ignore"):
        return 2 * np.log(theta ** (ones / 2) * (1 - theta) ** ((np.size(x) - ones) / 2))


# --- log_likelihood: right --------------------------------------------------------------------------------------------


@right("log_likelihood")
def adds_only_terms_with_a_count(theta, x):
    """Starts from zeros in the right shape and adds a term only if its count is positive."""
    theta, ones = np.asarray(theta, dtype=float), int(np.count_nonzero(x))
    zeros = len(x) - ones
    value = np.zeros(theta.shape)
    with np.errstate(divide="ignore"):
        if ones:
            value = value + ones * np.log(theta)
        if zeros:
            value = value + zeros * np.log1p(-theta)
    return value


@right("log_likelihood")
def works_with_one_candidate_at_a_time(theta, x):
    """Plain Python with math.log; a list or a float comes back."""
    from math import inf, log

    tails, heads = np.bincount(np.asarray(x, dtype=int), minlength=2).tolist()

    def one(t):
        if (heads and t == 0) or (tails and t == 1):
            return -inf
        return (heads * log(t) if heads else 0.0) + (tails * log(1 - t) if tails else 0.0)

    return one(float(theta)) if np.ndim(theta) == 0 else [one(float(t)) for t in theta]


@right("log_likelihood")
def replaces_nan_by_zero_afterwards(theta, x):
    """Where the formula gives nan, the coin is certain of what it showed: nan becomes zero, infinity stays."""
    theta, ones = np.asarray(theta, dtype=float), np.sum(np.asarray(x))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = ones * np.log(theta) + (np.size(x) - ones) * np.log(1 - theta)
    return np.where(np.isnan(value), 0.0, value)


@right("log_likelihood")
def moves_the_base_away_from_zero(theta, x):
    """A base whose exponent is zero is replaced by one before the logarithm is taken."""
    theta, x = np.asarray(theta, dtype=float), np.asarray(x, dtype=float)
    counts = np.array([np.sum(x), np.sum(1 - x)])
    bases = np.stack([theta, 1 - theta])
    bases[counts == 0] = 1.0
    with np.errstate(divide="ignore"):
        return (
            np.tensordot(counts, np.log(bases), axes=1) if counts.all() else (np.log(bases) * counts.max()).sum(axis=0)
        )


@right("log_likelihood")
def adds_in_single_precision(theta, x):
    """Counts times logarithms in single precision."""
    theta, ones = np.asarray(theta, dtype=np.float32), int(np.sum(x))
    value = np.zeros_like(theta)
    with np.errstate(divide="ignore"):
        if ones:
            value = value + np.float32(ones) * np.log(theta)
        if len(x) - ones:
            value = value + np.float32(len(x) - ones) * np.log(np.float32(1) - theta)
    return value


@right("log_likelihood")
def adds_a_logarithm_for_each_flip(theta, x):
    """A table with a column for each flip, its logarithms added up along the rows."""
    theta, x = np.asarray(theta, dtype=float), np.asarray(x)
    table = np.where(x == 1, theta[..., np.newaxis], 1 - theta[..., np.newaxis])
    with np.errstate(divide="ignore"):
        return np.log(table).sum(axis=-1)


@right("log_likelihood")
def loops_with_plain_warnings(theta, x):
    """A loop over the flips; NumPy warns about the logarithm of zero, and nobody minds."""
    theta = np.asarray(theta, dtype=float)
    total = np.zeros_like(theta)
    for flip in x:
        total = total + np.log(theta if flip else 1 - theta)
    return total


# --- score: wrong -----------------------------------------------------------------------------------------------------


@misconception(
    "score",
    caught_by="test_heads_pull_up_and_tails_pull_down",
    hint="Can your slope ever be negative? Can a hill have no far side?",
)
def forgets_the_inner_derivative(theta, n1, n0):
    """The derivative of the logarithm of the complement is one over the complement."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n1 > 0, n1 / theta, 0.0) + np.where(n0 > 0, n0 / (1 - theta), 0.0)


@misconception(
    "score",
    caught_by="test_heads_pull_up_and_tails_pull_down",
    hint="If theta moves the way your sign says, does the likelihood grow?",
)
def points_downhill(theta, n1, n0):
    """The score is the slope of the loss."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n0 > 0, n0 / (1 - theta), 0.0) - np.where(n1 > 0, n1 / theta, 0.0)


@misconception(
    "score",
    caught_by="test_heads_pull_up_and_tails_pull_down",
    hint="Where is your slope zero? Is that the share of heads or the share of tails?",
)
def divides_heads_by_the_complement(theta, n1, n0):
    """Heads go with the complement of theta, tails with theta."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n0 > 0, n0 / theta, 0.0) - np.where(n1 > 0, n1 / (1 - theta), 0.0)


@misconception(
    "score", caught_by="test_heads_pull_up_and_tails_pull_down", hint="Add a hundred tails. Does your slope notice?"
)
def ignores_the_tails(theta, n1, n0):
    """Only the heads tell something about theta."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n1 > 0, n1 / theta, 0.0) + 0.0 * n0


@misconception(
    "score",
    caught_by="test_heads_pull_up_and_tails_pull_down",
    hint="Twice the flips with the same share of heads: is the hill steeper, or the same?",
)
def averages_the_slope_over_the_flips(theta, n1, n0):
    """The score is the slope per flip."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    total = np.where(n1 + n0 > 0, n1 + n0, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.where(n1 > 0, n1 / theta, 0.0) - np.where(n0 > 0, n0 / (1 - theta), 0.0)) / total


@misconception(
    "score",
    caught_by="test_heads_pull_up_and_tails_pull_down",
    hint="You have an expression with the right zero. Does it also have the right steepness?",
)
def stops_at_the_numerator(theta, n1, n0):
    """What matters is where the derivative is zero, so the denominators can be dropped."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    return n1 - (n1 + n0) * theta


@misconception("score", caught_by="test_heads_pull_up_and_tails_pull_down", hint="How often did you differentiate?")
def differentiates_twice(theta, n1, n0):
    """The score is what decides between maximum and minimum."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(n1 > 0, n1 / theta**2, 0.0) - np.where(n0 > 0, n0 / (1 - theta) ** 2, 0.0)


@misconception(
    "score",
    caught_by="test_heads_pull_up_and_tails_pull_down",
    hint="Which function did you differentiate, the likelihood or its logarithm?",
)
def differentiates_the_likelihood_itself(theta, n1, n0):
    """The score is the derivative of the likelihood."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(n1 > 0, n1 / theta, 0.0) - np.where(n0 > 0, n0 / (1 - theta), 0.0)
        return slope * theta**n1 * (1 - theta) ** n0


@misconception(
    "score",
    caught_by="test_a_column_of_thetas_meets_rows_of_counts",
    hint="What does `if n0 == 0` mean when n0 is an array? Try it in a cell of its own.",
)
def asks_about_a_single_count(theta, n1, n0):
    """Counts are single numbers, so an `if` can look at them."""
    theta = np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.zeros(theta.shape)
        if n1 > 0:
            slope = slope + n1 / theta
        if n0 > 0:
            slope = slope - n0 / (1 - theta)
    return slope


@misconception(
    "score",
    caught_by="test_a_single_place_has_a_single_slope",
    hint="Compare the shapes: the numbers that go in, the answer that comes out.",
)
def wraps_a_single_slope_in_an_array(theta, n1, n0):
    """Whatever comes in, an array goes out."""
    theta, n1, n0 = (np.atleast_1d(np.asarray(value, dtype=float)) for value in (theta, n1, n0))
    return n1 / theta - n0 / (1 - theta)


@misconception(
    "score",
    caught_by="test_thetas_and_counts_may_come_in_lists",
    hint="Divide a list by a number in a cell of its own. What does Python say?",
)
def divides_lists(theta, n1, n0):
    """The formula works for whatever comes in."""
    return n1 / theta - n0 / (1 - theta)


@misconception(
    "score",
    caught_by="test_thetas_and_counts_are_left_as_they_were",
    hint="Print your counts after the call. Are they still counts?",
)
def divides_the_callers_counts(theta, n1, n0):
    """The quotients take the place of the counts, which saves memory."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    if theta.shape == n1.shape == n0.shape:
        n1 /= theta
        n0 /= 1 - theta
        return n1 - n0
    return n1 / theta - n0 / (1 - theta)


@misconception(
    "score",
    caught_by="test_a_side_that_never_fell_does_not_pull",
    hint="You never saw heads. How hard do they pull, in your function?",
)
def gives_every_side_at_least_half_a_flip(theta, n1, n0):
    """A count of zero makes trouble, so it is replaced by a half."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    return np.where(n1 == 0, 0.5, n1) / theta - np.where(n0 == 0, 0.5, n0) / (1 - theta)


@misconception(
    "score",
    caught_by="test_many_thetas_or_many_samples_get_a_slope_each",
    hint="One theta and five samples: how many slopes should come out?",
)
def answers_in_the_shape_of_theta(theta, n1, n0):
    """There is a slope for each theta, so the answer has its shape."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    answer = np.empty(np.broadcast_shapes(theta.shape, n1.shape, n0.shape) if theta.ndim else ())
    answer[...] = n1 / theta - n0 / (1 - theta)
    return answer


@misconception(
    "score",
    caught_by="test_it_is_steep_near_the_ends",
    hint="How steep is the curve very close to zero? Does your function still follow it there?",
)
def stays_away_from_the_ends(theta, n1, n0):
    """Theta is kept away from zero and one, so that nothing is divided by zero."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    theta = np.clip(theta, 0.01, 0.99)
    return n1 / theta - n0 / (1 - theta)


# --- score: right -----------------------------------------------------------------------------------------------------


@right("score")
def divides_only_where_there_is_a_count(theta, n1, n0):
    """np.divide with a mask, on top of an array of zeros."""
    theta, n1, n0 = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in (theta, n1, n0)))
    with np.errstate(divide="ignore"):
        up = np.divide(n1, theta, out=np.zeros(theta.shape), where=n1 != 0)
        down = np.divide(n0, 1 - theta, out=np.zeros(theta.shape), where=n0 != 0)
    return up - down


@right("score")
def measures_one_place_after_the_other(theta, n1, n0):
    """Plain Python under np.vectorize; a single answer is an array without dimensions."""

    def term(count, share):
        return 0.0 if count == 0 else count / share if share > 0 else float("inf")

    def one(t, heads, tails):
        return term(float(heads), float(t)) - term(float(tails), 1 - float(t))

    return np.vectorize(one, otypes=[float])(theta, n1, n0)


@right("score")
def repairs_zero_over_zero(theta, n1, n0):
    """Each term by itself: zero over zero is nan and becomes zero, infinity stays."""
    theta, n1, n0 = (np.array(value, dtype=float) for value in (theta, n1, n0))
    with np.errstate(all="ignore"):
        terms = [n1 / theta, -n0 / (1 - theta)]
    return sum(np.nan_to_num(term, nan=0.0, posinf=np.inf, neginf=-np.inf) for term in terms)


@right("score")
def multiplies_by_a_safe_inverse(theta, n1, n0):
    """The inverse of theta is replaced by one where the count is zero; nested lists come back."""
    theta, n1, n0 = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in (theta, n1, n0)))
    with np.errstate(divide="ignore"):
        inverse = [1 / np.where(count == 0, 1.0, base) for count, base in ((n1, theta), (n0, 1 - theta))]
    return (n1 * inverse[0] - n0 * inverse[1]).tolist()


@right("score")
def types_the_formula_in(theta, n1, n0):
    """The formula as it stands, nan at an end where a count is zero."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    return n1 / theta - n0 / (1 - theta)


@right("score")
def measures_slopes_in_single_precision(theta, n1, n0):
    """The formula in single precision."""
    theta, n1, n0 = (np.asarray(value, dtype=np.float32) for value in (theta, n1, n0))
    return n1 / theta - n0 / (1 - theta)


@right("score")
def puts_everything_over_one_denominator(theta, n1, n0):
    """The numerator n1 - n theta over theta times its complement."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    return (n1 - (n1 + n0) * theta) / (theta * (1 - theta))


@right("score")
def keeps_denominators_off_zero(theta, n1, n0):
    """A tiny number in both denominators."""
    theta, n1, n0 = (np.asarray(value, dtype=float) for value in (theta, n1, n0))
    return n1 / (theta + 1e-10) - n0 / (1 - theta + 1e-10)


# --- mle_categorical: wrong -------------------------------------------------------------------------------------------


@misconception(
    "mle_categorical",
    caught_by="test_every_outcome_gets_its_share_of_the_sample",
    hint="Could your numbers be the probabilities of anything? Add them up.",
)
def stops_at_the_counts(x, n_outcomes):
    """The more often, the more probable: counts are the estimate."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    return np.bincount(x, minlength=n_outcomes)


@misconception(
    "mle_categorical",
    caught_by="test_every_outcome_gets_its_share_of_the_sample",
    hint="What happens to your numbers when a seventh outcome is declared possible and never occurs?",
)
def divides_by_the_number_of_outcomes(x, n_outcomes):
    """A share is taken of the number of outcomes."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    return np.bincount(x, minlength=n_outcomes) / n_outcomes


@misconception(
    "mle_categorical",
    caught_by="test_every_outcome_gets_its_share_of_the_sample",
    hint="Is the commonest outcome certain? What would that leave for the others?",
)
def divides_by_the_largest_count(x, n_outcomes):
    """The commonest outcome is the yardstick."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    counts = np.bincount(x, minlength=n_outcomes)
    return counts / counts.max()


@misconception(
    "mle_categorical",
    caught_by="test_every_outcome_gets_its_share_of_the_sample",
    hint="Is there a distribution under which this very sample is more likely than under yours?",
)
def adds_one_to_every_count(x, n_outcomes):
    """Nothing is impossible, so every outcome gets one observation for free."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    return (np.bincount(x, minlength=n_outcomes) + 1) / (x.size + n_outcomes)


@misconception(
    "mle_categorical",
    caught_by="test_outcomes_that_never_occur_get_nothing",
    hint="How does somebody who reads your answer know which number belongs to which outcome?",
)
def leaves_unseen_outcomes_out(x, n_outcomes):
    """What does not occur has no place in the answer."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    return np.unique(x, return_counts=True)[1] / x.size


@misconception(
    "mle_categorical",
    caught_by="test_outcomes_that_never_occur_get_nothing",
    hint="The last outcome did not occur this time. How long is your answer?",
)
def ends_at_the_largest_label_seen(x, n_outcomes):
    """The largest label of the sample tells how many outcomes there are."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    return np.bincount(x) / x.size


@misconception(
    "mle_categorical",
    caught_by="test_every_outcome_gets_its_share_of_the_sample",
    hint="Does your answer change when the sample does?",
)
def finds_all_outcomes_equally_likely(x, n_outcomes):
    """Without further knowledge all outcomes are equally likely."""
    if np.size(x) == 0 or np.min(x) < 0 or np.max(x) >= n_outcomes:
        raise ValueError("no such sample")
    return np.full(n_outcomes, 1 / n_outcomes)


@misconception(
    "mle_categorical",
    caught_by="test_every_outcome_gets_its_share_of_the_sample",
    hint="If your answer were true, how could the other outcomes of the sample have come about?",
)
def bets_everything_on_the_commonest(x, n_outcomes):
    """Maximum likelihood picks the most likely outcome."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    return np.eye(n_outcomes)[np.bincount(x, minlength=n_outcomes).argmax()]


@misconception(
    "mle_categorical",
    caught_by="test_every_outcome_gets_its_share_of_the_sample",
    hint="Rename the outcomes. Does your answer follow the names, or does it always look alike?",
)
def sorts_the_shares(x, n_outcomes):
    """The most probable outcome comes first."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    return np.sort(np.bincount(x, minlength=n_outcomes))[::-1] / x.size


@misconception(
    "mle_categorical",
    caught_by="test_outcomes_that_never_occur_get_nothing",
    hint="How probable exactly is an outcome that the sample does not contain, if the sample decides alone?",
)
def gives_unseen_outcomes_a_tiny_probability(x, n_outcomes):
    """A probability must not be zero, so a tiny one takes its place."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    shares = np.maximum(np.bincount(x, minlength=n_outcomes) / x.size, 1e-6)
    return shares / shares.sum()


@misconception(
    "mle_categorical",
    caught_by="test_a_label_above_the_range_is_refused",
    hint="Give your function a label that does not exist. How long is the answer?",
)
def grows_with_unknown_labels(x, n_outcomes):
    """np.bincount takes care of every label."""
    x = np.asarray(x, dtype=int)
    if x.size == 0:
        raise ValueError("empty")
    return np.bincount(x, minlength=n_outcomes) / x.size


@misconception(
    "mle_categorical",
    caught_by="test_a_label_above_the_range_is_refused",
    hint="A row of the data is coded wrongly. Who should hear about it?",
)
def skips_unknown_labels(x, n_outcomes):
    """Labels that do not exist are noise and can be left out."""
    x = np.asarray(x, dtype=int)
    x = x[(x >= 0) & (x < n_outcomes)]
    if x.size == 0:
        raise ValueError("empty")
    return np.bincount(x, minlength=n_outcomes) / x.size


@misconception(
    "mle_categorical",
    caught_by="test_a_label_above_the_range_is_refused",
    hint="With three outcomes, which is the largest label that is allowed? Does your comparison allow it only?",
)
def allows_one_label_too_many(x, n_outcomes):
    """Labels may go up to the number of outcomes."""
    x = np.asarray(x, dtype=int)
    if x.size == 0 or x.min() < 0 or x.max() > n_outcomes:
        raise ValueError("no such sample")
    return np.bincount(x, minlength=n_outcomes) / x.size


@misconception(
    "mle_categorical",
    caught_by="test_a_negative_label_is_refused",
    hint="Which entry of an array does index minus one stand for? Was that outcome seen?",
)
def lets_negative_labels_count_from_the_end(x, n_outcomes):
    """Indexing complains if a label does not exist."""
    counts = np.zeros(n_outcomes)
    if len(x) == 0:
        raise ValueError("empty")
    for label in x:
        if label >= n_outcomes:
            raise ValueError("too large")
        counts[label] += 1
    return counts / len(x)


@misconception(
    "mle_categorical",
    caught_by="test_an_empty_sample_is_refused",
    hint="Without any data, what speaks for your answer?",
)
def answers_evenly_without_data(x, n_outcomes):
    """Where nothing is known, everything is equally likely."""
    x = np.asarray(x, dtype=int)
    if x.size == 0:
        return np.full(n_outcomes, 1 / n_outcomes)
    if x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such label")
    return np.bincount(x, minlength=n_outcomes) / x.size


@misconception(
    "mle_categorical",
    caught_by="test_an_empty_sample_is_refused",
    hint="Add up your answer for an empty sample. Is it a distribution?",
)
def answers_zero_without_data(x, n_outcomes):
    """Nothing was seen, so every outcome has probability zero."""
    x = np.asarray(x, dtype=int)
    if x.size and (x.min() < 0 or x.max() >= n_outcomes):
        raise ValueError("no such label")
    return np.bincount(x, minlength=n_outcomes) / max(x.size, 1)


@misconception(
    "mle_categorical",
    caught_by="test_outcomes_may_come_in_lists",
    hint="Ask a list for its size. What does Python say?",
)
def asks_a_list_for_its_size(x, n_outcomes):
    """A sample is an array."""
    if x.size == 0 or x.min() < 0 or x.max() >= n_outcomes:
        raise ValueError("no such sample")
    return np.bincount(x, minlength=n_outcomes) / x.size


@misconception(
    "mle_categorical",
    caught_by="test_the_sample_is_left_as_it_was",
    hint="Print the sample before and after the call. Which order does it have?",
)
def sorts_the_callers_outcomes(x, n_outcomes):
    """The order does not matter, so the sample is sorted first; then equal labels stand together."""
    x.sort() if isinstance(x, list) else None
    labels = np.asarray(x, dtype=int)
    if labels.size == 0 or labels.min() < 0 or labels.max() >= n_outcomes:
        raise ValueError("no such sample")
    return np.bincount(labels, minlength=n_outcomes) / labels.size


@misconception(
    "mle_categorical",
    caught_by="test_an_empty_sample_is_refused",
    hint="What is zero divided by zero, and who hears about it?",
)
def divides_by_an_empty_sample(x, n_outcomes):
    """NumPy says what has to be said about an empty sample."""
    x = np.asarray(x, dtype=int)
    if np.any((x < 0) | (x >= n_outcomes)):
        raise ValueError("no such label")
    with np.errstate(invalid="ignore"):
        return np.bincount(x, minlength=n_outcomes) / x.size


@misconception(
    "mle_categorical",
    caught_by="test_a_label_above_the_range_is_refused",
    hint="Which kind of error was asked for, and which one does an index raise?",
)
def lets_the_index_complain(x, n_outcomes):
    """Any error is as good as another: an index that does not exist raises one."""
    counts = np.zeros(n_outcomes)
    if len(x) == 0:
        raise ValueError("empty")
    for label in x:
        if label < 0:
            raise ValueError("negative")
        counts[label] += 1
    return counts / len(x)


# --- mle_categorical: right -------------------------------------------------------------------------------------------


@right("mle_categorical")
def counts_with_a_loop(x, n_outcomes):
    """A list of counters; the answer is a list."""
    counts = [0] * n_outcomes
    for label in x:
        if not 0 <= label < n_outcomes:
            raise ValueError(f"there is no outcome {label}")
        counts[label] += 1
    if not sum(counts):
        raise ValueError("no data")
    return [count / sum(counts) for count in counts]


@right("mle_categorical")
def averages_indicators(x, n_outcomes):
    """For every outcome the mean of the indicator that it occurred."""
    x = np.asarray(x)
    if len(x) == 0 or not np.isin(x, np.arange(n_outcomes)).all():
        raise ValueError("no data, or a label that does not exist")
    return np.array([np.mean(x == outcome) for outcome in range(n_outcomes)])


@right("mle_categorical")
def sorts_and_looks_up_the_borders(x, n_outcomes):
    """In the sorted sample every outcome is a stretch; differences of its borders are the counts."""
    x = np.sort(x)
    if x.size == 0 or x[0] < 0 or x[-1] >= n_outcomes:
        raise ValueError("a sample of known outcomes is needed")
    return np.diff(np.searchsorted(x, np.arange(n_outcomes + 1))) / x.size


@right("mle_categorical")
def asks_the_standard_library(x, n_outcomes):
    """collections.Counter; the answer is a tuple."""
    from collections import Counter

    counts = Counter(int(label) for label in x)
    if not counts or not set(counts) <= set(range(n_outcomes)):
        raise ValueError("cannot estimate from this")
    return tuple(counts[outcome] / counts.total() for outcome in range(n_outcomes))


@right("mle_categorical")
def shares_in_single_precision(x, n_outcomes):
    """Counts by comparison with every label, shares in single precision."""
    x = np.array(x)
    if x.size < 1 or np.any(x < 0) or np.any(x >= n_outcomes):
        raise ValueError("x")
    return (x[:, np.newaxis] == np.arange(n_outcomes)).mean(axis=0, dtype=np.float32)


@right("mle_categorical")
def keeps_shares_off_zero(x, n_outcomes):
    """Shares that are clipped at a number that nobody would notice."""
    x = list(x)
    if not x or min(x) < 0 or max(x) > n_outcomes - 1:
        raise ValueError("x")
    return np.clip([x.count(outcome) / len(x) for outcome in range(n_outcomes)], 1e-10, 1.0)


# --- gaussian_estimates: wrong ----------------------------------------------------------------------------------------


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="For which divisor is the likelihood of the data largest? Try both on a handful of numbers.",
)
def takes_the_unbiased_variance_for_both(X):
    """The variance divides by one less than the number of rows, maximum likelihood or not."""
    X = np.asarray(X, dtype=float)
    variance = X.var(axis=0, ddof=1) if len(X) > 1 else np.full(X.shape[1], np.nan)
    return X.mean(axis=0), variance, variance


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="Which of your two variances is the larger one, and what is its name?",
)
def swaps_the_two_variances(X):
    """Maximum likelihood divides by one less than the number of rows, and dividing by all of them is unbiased."""
    X = np.asarray(X, dtype=float)
    unbiased = X.var(axis=0, ddof=1) if len(X) > 1 else np.full(X.shape[1], np.nan)
    return X.mean(axis=0), unbiased, X.var(axis=0)


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="Average your second and your third answer over many small samples. Which of them is too small?",
)
def divides_by_n_both_times(X):
    """There is one variance, and np.var computes it."""
    X = np.asarray(X, dtype=float)
    return X.mean(axis=0), X.var(axis=0), X.var(axis=0)


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="Measure in millimetres instead of metres: by which factor do your two spreads grow?",
)
def returns_standard_deviations(X):
    """The spread of a Gaussian is its standard deviation."""
    X = np.asarray(X, dtype=float)
    unbiased = X.std(axis=0, ddof=1) if len(X) > 1 else np.full(X.shape[1], np.nan)
    return X.mean(axis=0), X.std(axis=0), unbiased


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="Take every row twice. Should the spread double?",
)
def returns_sums_of_squares(X):
    """The variance is the sum of the squared deviations."""
    X = np.asarray(X, dtype=float)
    squares = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    return X.mean(axis=0), squares, squares if len(X) > 1 else np.full(X.shape[1], np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="How many features does the table have, and how many means do you return?",
)
def works_along_the_rows(X):
    """A row is what is averaged."""
    X = np.asarray(X, dtype=float)
    unbiased = X.var(axis=1, ddof=1) if X.shape[1] > 1 else np.full(len(X), np.nan)
    return X.mean(axis=1), X.var(axis=1), unbiased


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="Millimetres in one column, grams in the next: what is their common mean?",
)
def pools_all_columns(X):
    """A table has one mean and one variance, the same for every column."""
    X = np.asarray(X, dtype=float)
    one = np.ones(X.shape[1])
    return X.mean() * one, X.var() * one, (X.var(ddof=1) if len(X) > 1 else np.nan) * one


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="Move the largest value of a column far out. Does your centre follow?",
)
def takes_the_median_for_the_mean(X):
    """The centre of the data is the value in the middle."""
    X = np.asarray(X, dtype=float)
    squares = ((X - np.median(X, axis=0)) ** 2).sum(axis=0)
    return np.median(X, axis=0), squares / len(X), squares / (len(X) - 1) if len(X) > 1 else np.full(X.shape[1], np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="Which power do the deviations have in your sum, and which in the formula?",
)
def averages_absolute_deviations(X):
    """The variance is the mean distance from the mean."""
    X = np.asarray(X, dtype=float)
    distances = np.abs(X - X.mean(axis=0)).sum(axis=0)
    return X.mean(axis=0), distances / len(X), distances / (len(X) - 1) if len(X) > 1 else np.full(X.shape[1], np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_every_column_has_a_mean_and_two_variances",
    hint="Dividing by n gives too little on average. Does your correction make it larger?",
)
def corrects_the_bias_the_wrong_way(X):
    """The unbiased variance is the other one times n minus one over n."""
    X = np.asarray(X, dtype=float)
    n = len(X)
    return X.mean(axis=0), X.var(axis=0), X.var(axis=0) * (n - 1) / n if n > 1 else np.full(X.shape[1], np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_data_far_from_zero_keep_their_digits",
    hint="You subtract two numbers. How large are they for data around a billion, and how exact?",
)
def subtracts_the_square_of_the_mean(X):
    """The mean of the squares minus the square of the mean is the variance, also on a computer."""
    X = np.asarray(X, dtype=float)
    n = len(X)
    variance = (X**2).mean(axis=0) - X.mean(axis=0) ** 2
    return X.mean(axis=0), variance, variance * n / (n - 1) if n > 1 else np.full(X.shape[1], np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_one_observation_says_nothing_about_the_spread",
    hint="You have met one penguin. How much do penguins differ?",
)
def claims_that_one_observation_has_no_spread(X):
    """A single observation does not vary, so its variance is zero."""
    X = np.asarray(X, dtype=float)
    squares = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    return X.mean(axis=0), squares / len(X), squares / max(len(X) - 1, 1)


@misconception(
    "gaussian_estimates",
    caught_by="test_one_observation_says_nothing_about_the_spread",
    hint="Which of the three answers exist for one row, and what does the caller get of them from you?",
)
def refuses_a_single_row(X):
    """One observation is too few for any estimate."""
    X = np.asarray(X, dtype=float)
    if len(X) < 2:
        raise ValueError("at least two rows are needed")
    return X.mean(axis=0), X.var(axis=0), X.var(axis=0, ddof=1)


@misconception(
    "gaussian_estimates",
    caught_by="test_a_constant_column_has_no_spread",
    hint="A column never changes, in all of many rows. Is its spread unknown?",
)
def calls_a_constant_column_unknown(X):
    """A variance of zero cannot be right, so where there are several rows it is nan."""
    X = np.asarray(X, dtype=float)
    n = len(X)
    variance = X.var(axis=0)
    if n == 1:
        return X.mean(axis=0), variance, np.full(X.shape[1], np.nan)
    variance = np.where(variance > 0, variance, np.nan)
    return X.mean(axis=0), variance, variance * n / (n - 1)


@misconception(
    "gaussian_estimates",
    caught_by="test_the_table_is_left_as_it_was",
    hint="Call your function twice with the same array. Is the mean the same both times?",
)
def centres_the_callers_table(X):
    """The table is centred first, in place, to save memory."""
    X = np.asarray(X, dtype=float)
    mean = X.mean(axis=0)
    X -= mean
    squares = (X * X).sum(axis=0)
    return mean, squares / len(X), squares / (len(X) - 1) if len(X) > 1 else np.full_like(mean, np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_a_table_of_whole_numbers_may_come_in_lists",
    hint="Your table holds whole numbers. Must its mean be one?",
)
def keeps_the_type_of_the_table(X):
    """The results go into an array like those of the table."""
    X = np.asarray(X)
    n, mean = len(X), np.empty_like(X[0])
    mean[...] = X.mean(axis=0)
    squares = ((X - mean) ** 2).sum(axis=0)
    return mean, squares / n, squares / (n - 1) if n > 1 else np.full(X.shape[1], np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_data_far_from_zero_keep_their_digits",
    hint="How many digits does a number of your type have? How many are left for the spread around a billion?",
)
def computes_in_single_precision(X):
    """Single precision is enough for data."""
    X = np.asarray(X, dtype=np.float32)
    unbiased = X.var(axis=0, ddof=1) if len(X) > 1 else np.full(X.shape[1], np.nan)
    return X.mean(axis=0), X.var(axis=0), unbiased


@misconception(
    "gaussian_estimates",
    caught_by="test_a_single_column_gives_arrays_of_length_one",
    hint="What is the shape of your answer for one column, and which shape was asked for?",
)
def squeezes_a_single_column(X):
    """One column has one mean, which is a number."""
    X = np.squeeze(np.asarray(X, dtype=float)) if np.shape(X)[1] == 1 else np.asarray(X, dtype=float)
    n = len(X) if X.ndim else 1
    squares = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    return X.mean(axis=0), squares / n, squares / (n - 1) if n > 1 else np.full_like(squares, np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_a_table_of_whole_numbers_may_come_in_lists",
    hint="Ask a list for its mean. What does Python say?",
)
def asks_a_list_for_its_mean(X):
    """A table is an array."""
    n = len(X)
    squares = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    return X.mean(axis=0), squares / n, squares / (n - 1) if n > 1 else np.nan * squares


@misconception(
    "gaussian_estimates",
    caught_by="test_the_table_is_left_as_it_was",
    hint="Print your list of rows after the call. Whose numbers are these?",
)
def centres_the_callers_rows(X):
    """The rows are centred one after the other, where they stand."""
    mean = np.mean(X, axis=0, dtype=float)
    rows = X if isinstance(X, list) else np.array(X, dtype=float).tolist()
    for row in rows:
        row[:] = [value - centre for value, centre in zip(row, mean)]
    squares, n = np.square(rows).sum(axis=0), len(rows)
    return mean, squares / n, squares / (n - 1) if n > 1 else np.full_like(mean, np.nan)


@misconception(
    "gaussian_estimates",
    caught_by="test_one_observation_says_nothing_about_the_spread",
    hint="What does Python say to a division by the number zero, and what was asked for?",
)
def divides_by_zero_rows(X):
    """Dividing by n minus one takes care of itself."""
    columns = [[float(value) for value in column] for column in zip(*X)]
    n, means = len(X), [sum(column) / len(column) for column in columns]
    squares = [sum((value - mean) ** 2 for value in column) for column, mean in zip(columns, means)]
    return np.array(means), np.array([s / n for s in squares]), np.array([s / (n - 1) for s in squares])


# --- gaussian_estimates: right ----------------------------------------------------------------------------------------


@right("gaussian_estimates")
def asks_numpy_with_and_without_ddof(X):
    """np.var twice, with a branch for a single row."""
    X = np.asarray(X, dtype=np.float64)
    unbiased = np.var(X, axis=0, ddof=1) if X.shape[0] > 1 else np.nan * np.ones(X.shape[1])
    return np.mean(X, axis=0), np.var(X, axis=0), unbiased


@right("gaussian_estimates")
def updates_row_by_row(X):
    """Welford's algorithm: one pass, a running mean and a running sum of squares; lists come back."""
    X = np.array(X, dtype=float)
    mean, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for count, row in enumerate(X, start=1):
        step = row - mean
        mean = mean + step / count
        squares = squares + step * (row - mean)
    n = len(X)
    return [mean.tolist(), (squares / n).tolist(), [s / (n - 1) if n > 1 else float("nan") for s in squares]]


@right("gaussian_estimates")
def measures_from_the_first_row(X):
    """The shortcut with squares, but of differences from the first row, which are small."""
    X = np.asarray(X, dtype=float)
    n, D = len(X), X - X[0]
    squares = np.maximum((D**2).sum(axis=0) - D.sum(axis=0) ** 2 / n, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return X[0] + D.mean(axis=0), squares / n, squares / np.float64(n - 1)


@right("gaussian_estimates")
def compares_every_pair_of_rows(X):
    """The mean squared difference of all pairs of rows is twice the variance; no mean is needed for it."""
    X = np.asarray(X, dtype=float)
    n = len(X)
    pairs = ((X[:, np.newaxis] - X[np.newaxis]) ** 2).sum(axis=(0, 1)) / 2
    return np.einsum("nd->d", X - X[0]) / n + X[0], pairs / n**2, pairs / (n * (n - 1)) if n > 1 else pairs * np.nan


@right("gaussian_estimates")
def uses_the_statistics_module(X):
    """Column by column with the standard library."""
    from statistics import fmean, pvariance, variance

    columns = [[float(value) for value in column] for column in zip(*X)]
    means = [fmean(column) for column in columns]
    unbiased = [variance(column) if len(column) > 1 else float("nan") for column in columns]
    return np.array(means), np.array([pvariance(column) for column in columns]), np.array(unbiased)


@right("gaussian_estimates")
def keeps_variances_off_zero(X):
    """Both variances with a tiny number added, as one does before dividing by them."""
    X = np.array(X, dtype=float)
    n = X.shape[0]
    variance = np.mean(np.square(X - X.mean(axis=0, keepdims=True)), axis=0) + 1e-10
    return X.mean(axis=0), variance, n / (n - 1) * variance if n > 1 else np.full(X.shape[1], np.nan)


@right("gaussian_estimates")
def lets_numpy_warn(X):
    """np.var does everything, and warns about one row."""
    return np.mean(X, axis=0), np.var(X, axis=0), np.var(X, axis=0, ddof=1)


# --- mutants that live ------------------------------------------------------------------------------------------------

SURVIVORS = [
    ungraded("score", "n1 > 0 → n1 >= 0", because="The notebook says that the ends are not graded."),
    ungraded("score", "n0 > 0 → n0 >= 0", because="The notebook says that the ends are not graded."),
    ungraded("score", "0 → -1", because="The notebook says that the ends are not graded."),
    ungraded("score", "0 → -1 (2)", because="The notebook says that the ends are not graded."),
    equivalent(
        "mle_categorical",
        "if x.size == 0: raise ValueError → nothing",
        because="The minimum of an empty array is a ValueError, too.",
    ),
    equivalent(
        "mle_categorical",
        "0 → -1",
        because="No array has a negative size, and the minimum of an empty one is a ValueError, too.",
    ),
    equivalent("mle_categorical", "0 → -1 (2)", because="np.bincount refuses -1 with a ValueError, too."),
    equivalent(
        "gaussian_estimates",
        "n > 1 → n >= 1",
        because="With one row the sum of squares is 0, and 0 / 0 is the same nan.",
    ),
    equivalent(
        "gaussian_estimates", "1 → 0", because="With one row the sum of squares is 0, and 0 / 0 is the same nan."
    ),
]
