"""Hidden suite for 04_smoothing. A failing check shows the student its docstring, no more.

Strengths are never 1, and no two sizes are equal: with k = 1, or with as many classes as values, wrong formulas pass.
"""

from fractions import Fraction
from math import comb, exp, factorial, log

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import (
    DIGITS,
    Ungraded,
    assert_matches,
    assert_raises,
    assert_type,
    exercise,
    leaves_alone,
    numbers,
    parts,
)


def strength(draw):
    """A strength between 1 and 4 that is neither whole nor close to it."""
    return draw.whole(1, 3) + draw.number(0.25, 0.75)


# --- laplace ----------------------------------------------------------------------------------------------------------


def tallies(draw, shape, least=1):
    """Different counts, not many times larger than `least`; one of them is 0."""
    size = int(np.prod(shape))
    counts = least + draw.rng.permutation(2 * size + 20)[:size]
    counts[draw.whole(0, size - 1)] = 0
    return counts.reshape(shape)


def smoothed(counts, k):
    """The smoothed shares of nested lists of counts, row by row."""
    if isinstance(counts[0], list):
        return [smoothed(inner, k) for inner in counts]
    total = sum(counts) + k * len(counts)
    return [(count + k) / total for count in counts]


@exercise("laplace", gate=True)
def test_every_outcome_is_seen_k_times_more(student, draw):
    """Every outcome counts as if it had been seen k times more, and all of that together is what one divides by."""
    for k in (strength(draw), draw.number(0.2, 0.8)):
        counts = tallies(draw, draw.whole(4, 7))
        assert_matches(student.laplace(counts, k), smoothed(counts.tolist(), k))


@exercise("laplace")
def test_smoothed_shares_agree_with_exact_fractions(student, draw):
    """For any number of outcomes and any strength, whole or not: what the formula says, and so a sum of one."""
    strengths = Fraction(draw.whole(1, 7), 8), Fraction(draw.whole(2, 9)), Fraction(2 * draw.whole(2, 9) + 1, 2)
    for outcomes, k in zip((2, 3, draw.whole(5, 9)), strengths, strict=True):
        counts = tallies(draw, outcomes)
        total = int(counts.sum()) + k * outcomes
        assert_matches(student.laplace(counts, float(k)), [float((int(c) + k) / total) for c in counts])


@exercise("laplace")
def test_more_strength_brings_everything_closer_to_the_uniform(student, draw):
    """Turning up k moves every outcome towards one share of M, never past it, and keeps their order."""
    counts, k = np.sort(tallies(draw, 5)), np.sort(draw.numbers(4, 0.1, 30))
    steps = [numbers(student.laplace(counts, float(each))) for each in k]
    assert all(step.shape == (5,) for step in steps)
    away = np.abs(np.array(steps) - 1 / 5)[:, [0, -1]]  # the others may lie on the uniform distribution
    assert (np.diff(away, axis=0) < 0).all(), "not closer to the uniform distribution"
    assert (np.diff(np.array(steps), axis=1) > 0).all(), "the order of the outcomes has changed"
    assert_matches(np.sum(steps, axis=1), np.ones(4))


@exercise("laplace", Kind.SIZES)
def test_every_row_is_a_distribution_of_its_own(student, draw):
    """A table has a distribution in every row: outcomes run along the last axis, and every row has its own total."""
    rows, outcomes = draw.sizes(2, 3, 6)
    counts, k = tallies(draw, (rows, outcomes)), strength(draw)
    assert_matches(student.laplace(counts, k), smoothed(counts.tolist(), k))


@exercise("laplace", Kind.SIZES)
def test_more_axes_may_come_before_the_outcomes(student, draw):
    """Outcomes run along the last axis, however many axes come before it; every row has its own total."""
    shape, k = tuple(draw.sizes(4, 2, 5)), strength(draw)
    counts = tallies(draw, shape)
    assert_matches(student.laplace(counts[0], k), smoothed(counts[0].tolist(), k))
    assert_matches(student.laplace(counts, k), smoothed(counts.tolist(), k))


@exercise("laplace", Kind.EDGE)
def test_without_strength_the_shares_are_left(student, draw):
    """With k = 0 nothing is imagined: what remains are the shares, zeros included."""
    counts = tallies(draw, draw.whole(3, 6))
    assert_matches(student.laplace(counts, 0), [count / sum(counts.tolist()) for count in counts.tolist()])


@exercise("laplace", Kind.EDGE)
def test_the_limit_is_the_same_for_every_outcome(student, draw):
    """With infinite strength every outcome gets exactly one share of M, whatever was counted."""
    outcomes = 2 ** draw.whole(2, 3)  # powers of two: no kind of floating-point number rounds the share
    for counts in (tallies(draw, outcomes, least=40), np.zeros(outcomes)):
        assert_matches(student.laplace(counts, np.inf), np.full(outcomes, 1 / outcomes), **DIGITS)


@exercise("laplace", Kind.EDGE)
def test_a_very_large_strength_is_close_to_the_limit(student, draw):
    """Long before infinity the data are drowned: a huge k gives nearly the same to every outcome."""
    counts, k = tallies(draw, draw.whole(3, 6), least=40), 10.0 ** draw.number(9, 14)
    assert_matches(student.laplace(counts, k), np.full(counts.shape, 1 / counts.size))


@exercise("laplace", Kind.EDGE)
def test_a_row_without_observations_is_uniform(student, draw):
    """Where nothing was seen, only the imagination is left, and it treats all outcomes alike."""
    outcomes, k = draw.whole(3, 7), strength(draw)
    assert_matches(student.laplace(np.zeros(outcomes), k), np.full(outcomes, 1 / outcomes))


@exercise("laplace", Kind.REFUSAL)
def test_nothing_seen_and_nothing_imagined_is_refused(student, draw):
    """No observations and k = 0 leave nothing to divide by. That is a ValueError, also in one row among others."""
    assert_raises(ValueError, student.laplace, np.zeros(draw.whole(2, 5)), 0)
    counts = tallies(draw, (4, 3))
    counts[draw.whole(0, 3)] = 0
    assert_raises(ValueError, student.laplace, counts, 0)


@exercise("laplace", Kind.REFUSAL)
def test_a_negative_strength_is_refused(student, draw):
    """What was seen cannot be unseen: a negative k is a ValueError, even where the shares would stay positive."""
    assert_raises(ValueError, student.laplace, tallies(draw, 3) + 5, -draw.number(0.1, 0.9))
    assert_raises(ValueError, student.laplace, tallies(draw, 3), -draw.whole(40, 90))


@exercise("laplace", Kind.SIDE_EFFECT)
def test_the_counts_are_left_as_they_were(student, draw):
    """The caller's counts belong to the caller: after the call they hold what they held before."""
    counts = tallies(draw, (2, 3)).astype(float)
    leaves_alone(student.laplace, counts[0], strength(draw))
    leaves_alone(student.laplace, counts, strength(draw))


@exercise("laplace", Kind.TYPE)
def test_counts_may_come_in_lists(student, draw):
    """Lists and tuples are understood like arrays; what comes back are floating-point numbers."""
    counts, k = tallies(draw, draw.whole(3, 6)).tolist(), draw.whole(2, 5)
    for given in (counts, tuple(counts)):
        found = student.laplace(given, k)
        assert_matches(found, smoothed(counts, k))
        assert_type(found, "f")


# --- fit_bernoulli_nb_smoothed ----------------------------------------------------------------------------------------


def emails(draw, rows, features, classes):
    """Features and labels: one word is never there, and in the largest class one always and one only once."""
    y = draw.labels(rows, classes)
    X = draw.rng.integers(2, size=(rows, features))
    never, once, always = draw.rng.permutation(features)[:3]
    largest = np.flatnonzero(y == np.bincount(y).argmax())
    X[:, [never, once]] = 0
    X[largest[0], once] = 1
    X[largest, always] = 1
    return X, y


def counted(X, y, classes, values=2):
    """The number of rows in each class, and how often each value of each feature occurs in it: row by row."""
    size, counts = [0] * classes, [[[0] * values for _ in X[0]] for _ in range(classes)]
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        size[label] += 1
        for cell, value in zip(counts[label], row, strict=True):
            cell[value] += 1
    return np.array(size), np.array(counts)


def fitted(X, y, k, classes, k_prior=0.0):
    """What is expected: the priors and the probabilities, from counts made row by row."""
    size, counts = counted(X, y, classes)
    return (size + k_prior) / (len(y) + classes * k_prior), (counts[:, :, 1] + k) / (size + k + k)[:, np.newaxis]


def bernoulli(student, *args, **kwargs):
    """The student's priors and probabilities, after making sure that there are these two."""
    return parts(student.fit_bernoulli_nb_smoothed(*args, **kwargs), 2)


def assert_fits(found, expected):
    """Fail unless the priors and what was fitted for each class are as expected."""
    assert_matches(found[1], expected[1])
    assert_matches(found[0], expected[0])


@exercise("fit_bernoulli_nb_smoothed", gate=True)
def test_every_class_gets_imagined_rows_of_both_kinds(student, draw):
    """In every class each feature counts as if it had been there k times more, and missing k times more."""
    X, y = emails(draw, draw.whole(10, 13), draw.whole(5, 7), 3)
    for k in (strength(draw), draw.number(0.2, 0.8)):
        assert_fits(bernoulli(student, X, y, k, 3), fitted(X, y, k, 3))


@exercise("fit_bernoulli_nb_smoothed")
def test_the_prior_has_a_strength_of_its_own(student, draw):
    """The strength for the prior changes the prior, class by class, and leaves the features alone."""
    (X, y), k = emails(draw, draw.whole(10, 13), 5, 3), strength(draw)
    k_prior = k + draw.number(0.4, 3)
    assert_fits(bernoulli(student, X, y, k, 3, k_prior=k_prior), fitted(X, y, k, 3, k_prior))


@exercise("fit_bernoulli_nb_smoothed")
def test_smoothing_equals_adding_imagined_rows(student, draw):
    """More strength is the same as writing rows of ones, and as many of zeros, under every class."""
    (X, y), k, more = emails(draw, 9, 4, 3), strength(draw), draw.whole(2, 4)
    imagined = np.vstack([X] + [np.full((more, 4), value) for _ in range(3) for value in (0, 1)])
    labels = np.concatenate([y, np.repeat([0, 1, 2], 2 * more)])
    _, theta = bernoulli(student, X, y, k + more, 3)
    _, with_rows = bernoulli(student, imagined, labels, k, 3)
    assert_matches(theta, fitted(X, y, k + more, 3)[1])
    assert_matches(with_rows, theta)


@exercise("fit_bernoulli_nb_smoothed")
def test_the_order_of_rows_and_the_names_of_classes_do_not_matter(student, draw):
    """Shuffle the rows, and nothing changes; renumber the classes, and the answer is renumbered in the same way."""
    (X, y), k = emails(draw, 11, 5, 3), strength(draw)
    shuffle, renumber = draw.order(11), draw.order(3)
    prior, theta = bernoulli(student, X[shuffle], renumber[y[shuffle]], k, 3)
    assert_fits((numbers(prior)[renumber], numbers(theta)[renumber]), fitted(X, y, k, 3))


@exercise("fit_bernoulli_nb_smoothed", Kind.SIZES)
def test_the_fit_agrees_with_counting_row_by_row(student, draw):
    """Whatever the sizes are: count row by row, add what is imagined, divide."""
    for features, classes in ((draw.whole(6, 9), 4), (4, 2), (1, 3)):
        y, k = draw.labels(draw.whole(14, 19), classes), draw.number(0.3, 0.8)
        X = draw.bits((len(y), features))
        assert_fits(bernoulli(student, X, y, k, classes), fitted(X, y, k, classes))


@exercise("fit_bernoulli_nb_smoothed", Kind.SIZES)
def test_a_thousand_rows_are_counted_to_the_last(student, draw):
    """A thousand rows: zeros and ones fit into a single byte, their counts do not."""
    (X, y), k, times = emails(draw, 9, 4, 3), strength(draw), draw.whole(130, 160)
    expected = fitted(X, y, k / times, 3)
    assert_fits(bernoulli(student, np.tile(X, (times, 1)), np.tile(y, times), k, 3), expected)


@exercise("fit_bernoulli_nb_smoothed", Kind.EDGE)
def test_without_strength_the_fit_is_maximum_likelihood(student, draw):
    """With k = 0 what remains are shares of each class, zeros and ones included."""
    X, y = emails(draw, 11, 5, 3)
    assert_fits(bernoulli(student, X, y, 0, 3), fitted(X, y, 0, 3))


@exercise("fit_bernoulli_nb_smoothed", Kind.EDGE)
def test_a_class_without_rows_keeps_its_place(student, draw):
    """A class that has no rows keeps its place: prior zero, and one half for every feature."""
    (X, y), k = emails(draw, 11, 4, 3), strength(draw)
    y = y + (y >= draw.whole(0, 2))  # a label that nobody has, and one more behind the last
    assert_fits(bernoulli(student, X, y, k, 5), fitted(X, y, k, 5))


@exercise("fit_bernoulli_nb_smoothed", Kind.EDGE)
def test_a_smoothed_prior_gives_every_class_a_chance(student, draw):
    """With a smoothed prior even a class without rows has a chance, and the priors still sum to one."""
    (X, y), k_prior = emails(draw, 11, 5, 3), strength(draw)
    prior, _ = bernoulli(student, X, y, 1, 4, k_prior=k_prior)
    assert_matches(prior, fitted(X, y, 1, 4, k_prior)[0])


@exercise("fit_bernoulli_nb_smoothed", Kind.EDGE)
def test_no_feature_is_certain_once_there_is_smoothing(student, draw):
    """The least smoothing is enough: nothing is impossible any more, and nothing is certain."""
    (X, y), k = emails(draw, 9, 5, 3), draw.number(1e-4, 9e-4)
    theta = numbers(bernoulli(student, X, y, k, 3)[1])
    assert_matches(theta, fitted(X, y, k, 3)[1], atol=0)
    assert ((theta > 0) & (theta < 1)).all(), "a probability of 0 or 1"


@exercise("fit_bernoulli_nb_smoothed", Kind.SIDE_EFFECT)
def test_rows_and_labels_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    X, y = emails(draw, 9, 4, 3)
    leaves_alone(student.fit_bernoulli_nb_smoothed, X.astype(float), y, strength(draw), 3, k_prior=strength(draw))


@exercise("fit_bernoulli_nb_smoothed", Kind.TYPE)
def test_truth_values_count_like_zeros_and_ones(student, draw):
    """Features that are stored as truth values, as floats or in single bytes count like other whole numbers."""
    (X, y), k = emails(draw, 10, 5, 3), strength(draw)
    for kind in (bool, float, np.uint8):
        assert_fits(bernoulli(student, X.astype(kind), y, k, 3), fitted(X, y, k, 3))


@exercise("fit_bernoulli_nb_smoothed", Kind.TYPE)
def test_rows_and_labels_may_come_in_lists(student, draw):
    """Lists of lists and lists of labels are understood like arrays."""
    (X, y), k = emails(draw, 10, 5, 3), draw.whole(2, 5)
    assert_fits(bernoulli(student, X.tolist(), y.tolist(), k, 3), fitted(X, y, k, 3))


# --- beta_estimates ---------------------------------------------------------------------------------------------------


def estimates(student, *args):
    """The student's mle, map and mean in this order, after making sure that these are the keys."""
    told = student.beta_estimates(*args)
    assert isinstance(told, dict) and set(told) == {"mle", "map", "mean"}, "something else than the three estimates"
    return [told["mle"], told["map"], told["mean"]]


def flips(draw):
    """Heads, tails, a and b. The data lean to the other side than the prior and outweigh it; a and b are above 1."""
    few, large, small = draw.whole(3, 6), draw.number(2.2, 3.6), draw.number(1.2, 1.9)
    many = few + draw.whole(4, 9)
    return (few, many, large, small) if draw.rng.random() < 0.5 else (many, few, small, large)


@exercise("beta_estimates", gate=True)
def test_three_estimates_of_one_coin(student, draw):
    """The share of heads, the peak of the posterior and its mean are three numbers, each with its own formula."""
    n1, n0, a, b = flips(draw)
    n = n1 + n0
    assert_matches(estimates(student, n1, n0, a, b), [n1 / n, (n1 + a - 1) / (n + a + b - 2), (n1 + a) / (n + a + b)])


@exercise("beta_estimates")
def test_under_a_flat_prior_the_peak_is_the_share(student, draw):
    """Under Beta(1, 1) the peak of the posterior is the maximum likelihood estimate, and the mean is not."""
    n1, n0, _, _ = flips(draw)
    share = n1 / (n1 + n0)
    assert_matches(estimates(student, n1, n0, 1, 1), [share, share, (n1 + 1) / (n1 + n0 + 2)])


@exercise("beta_estimates")
def test_pseudo_counts_can_be_read_in_two_ways(student, draw):
    """Smoothing with k is the peak under Beta(k + 1, k + 1), and the mean under Beta(k, k)."""
    n1, n0, _, _ = flips(draw)
    for k in (draw.number(1.2, 1.9), draw.whole(3, 11)):
        expected = (n1 + k) / (n1 + n0 + 2 * k)
        assert_matches(estimates(student, n1, n0, k + 1, k + 1)[1], expected)
        assert_matches(estimates(student, n1, n0, k, k)[2], expected)


@exercise("beta_estimates")
def test_heads_and_tails_change_places(student, draw):
    """Call heads tails and tails heads, in the data and in the prior: every estimate becomes its complement."""
    n1, n0, a, b = flips(draw)
    one, other = numbers(estimates(student, n1, n0, a, b)), numbers(estimates(student, n0, n1, b, a))
    assert_matches(one + other, np.ones(3))


@exercise("beta_estimates", Kind.EDGE)
def test_without_data_the_prior_is_all_there_is(student, draw):
    """No flips: peak and mean are those of the prior."""
    _, _, a, b = flips(draw)
    assert_matches(estimates(student, 0, 0, a, b)[1:], [(a - 1) / (a + b - 2), a / (a + b)])


@exercise("beta_estimates", Kind.EDGE)
def test_heads_only_and_tails_only(student, draw):
    """All heads or all tails make the share one or zero; the mean knows better, and the peak asks the prior."""
    flat, one_flip = (draw.whole(2, 9), 1, 1), (1, 1, 1)
    leaning = draw.whole(1, 5), draw.number(2.2, 3.6), draw.number(1.2, 1.8)
    for n, a, b in (flat, one_flip, leaning):
        peak, mean = (n + a - 1) / (n + a + b - 2), (n + a) / (n + a + b)
        assert_matches(estimates(student, n, 0, a, b), [1, peak, mean])
        assert_matches(estimates(student, 0, n, b, a), [0, 1 - peak, 1 - mean])


# --- fit_categorical_nb -----------------------------------------------------------------------------------------------


def categorical(student, *args):
    """The student's priors and table, after making sure that there are these two."""
    return parts(student.fit_categorical_nb(*args), 2)


def observations(draw, rows, features, values, classes):
    """Features and labels; every value occurs in every feature, though not in every class."""
    above = draw.rng.integers(values, size=(rows - values, features))
    every = np.repeat(np.arange(values)[:, np.newaxis], features, axis=1)
    return draw.rng.permuted(np.vstack([above, every]), axis=0), draw.labels(rows, classes)


def unequal(draw, values):
    """Different pseudo-counts, neither ascending nor descending."""
    return np.sort(draw.numbers(values, 0.3, 4))[draw.order(values)]


def tabled(X, y, values, classes, pseudo):
    """What is expected: the priors, and the table from counts made cell by cell."""
    size, counts = counted(X, y, classes, values)
    raised = counts + np.asarray(pseudo, dtype=float)
    return size / len(y), raised / raised.sum(axis=2, keepdims=True)


@exercise("fit_categorical_nb", gate=True)
def test_one_distribution_for_every_feature_of_every_class(student, draw):
    """Class, feature, value: for each class and feature the counts of all values, smoothed, as shares of one."""
    d, M = draw.wholes(2, 4, 6).tolist()
    X, y = observations(draw, draw.whole(11, 13), d, M, 3)
    for k in (strength(draw), draw.number(0.2, 0.8)):
        assert_fits(categorical(student, X, y, M, 3, k), tabled(X, y, M, 3, k))


@exercise("fit_categorical_nb")
def test_the_table_agrees_with_counting_cell_by_cell(student, draw):
    """Count cell by cell, add the pseudo-count, divide: every row of the table sums to one, and so does the prior."""
    (X, y), k = observations(draw, draw.whole(19, 23), 3, 5, 4), draw.number(0.2, 0.9)
    prior, table = categorical(student, X, y, 5, 4, k)
    assert_fits((prior, table), tabled(X, y, 5, 4, k))
    assert_matches(numbers(table).sum(axis=2), np.ones((4, 3)))


@exercise("fit_categorical_nb")
def test_the_order_of_values_does_not_matter(student, draw):
    """Renumber the values of all features, or put the features in another order: the table follows."""
    (X, y), k = observations(draw, 12, 4, 5, 3), strength(draw)
    values, features = draw.order(5), draw.order(4)
    _, table = categorical(student, values[X][:, features], y, 5, 3, k)
    assert_matches(numbers(table)[:, :, values], tabled(X, y, 5, 3, k)[1][:, features])


@exercise("fit_categorical_nb", Kind.SIZES)
def test_every_value_may_have_its_own_pseudo_count(student, draw):
    """Pseudo-counts may differ from value to value, and one of them may be zero; every row still sums to one."""
    d, M = draw.wholes(2, 4, 6).tolist()
    (X, y), pseudo = observations(draw, 11, d, M, 3), unequal(draw, M)
    assert_fits(categorical(student, X, y, M, 3, pseudo), tabled(X, y, M, 3, pseudo))
    pseudo[draw.whole(0, M - 1)] = 0
    assert_fits(categorical(student, X, y, M, 3, pseudo), tabled(X, y, M, 3, pseudo))


@exercise("fit_categorical_nb", Kind.SIZES)
def test_two_values_are_the_case_of_zeros_and_ones(student, draw):
    """With two values the second half of the table is what smoothing gives for features that are zero or one."""
    (X, y), k = emails(draw, 11, 4, 3), strength(draw)
    _, ones = fitted(X, y, k, 3)
    _, table = categorical(student, X, y, 2, 3, k)
    assert_matches(table, np.stack([1 - ones, ones], axis=-1))


@exercise("fit_categorical_nb", Kind.SIZES)
def test_a_thousand_values_are_counted_to_the_last(student, draw):
    """A thousand rows: the values fit into a single byte, their counts do not."""
    (X, y), k, times = observations(draw, 9, 2, 4, 3), strength(draw), draw.whole(130, 160)
    X[y == np.bincount(y).argmax(), 0] = draw.whole(0, 3)  # a value that is counted beyond 255
    expected = tabled(X, y, 4, 3, k / times)
    assert_fits(categorical(student, np.tile(X, (times, 1)), np.tile(y, times), 4, 3, k), expected)


@exercise("fit_categorical_nb", Kind.EDGE)
def test_values_that_never_occur_have_their_place(student, draw):
    """A value that occurs nowhere has its place in the table and, with pseudo-counts, a chance."""
    (X, y), k = observations(draw, 11, 2, 4, 3), strength(draw)
    X = X + (draw.whole(1, 3) <= X)  # a value that nobody has, and one more behind the last
    assert_fits(categorical(student, X, y, 6, 3, k), tabled(X, y, 6, 3, k))


@exercise("fit_categorical_nb", Kind.EDGE)
def test_without_pseudo_counts_the_shares_are_left(student, draw):
    """Without pseudo-counts the table holds the shares, zeros included."""
    X, y = observations(draw, 11, 2, 4, 3)
    assert_fits(categorical(student, X, y, 4, 3, 0), tabled(X, y, 4, 3, 0))


@exercise("fit_categorical_nb", Kind.EDGE)
def test_a_class_without_rows_has_its_place_in_the_table(student, draw):
    """A class without rows keeps its place: prior zero, and the same probability for all values."""
    (X, y), k = observations(draw, 11, 2, 4, 3), strength(draw)
    y = y + (y >= draw.whole(0, 2))  # a label that nobody has, and one more behind the last
    for each in (k, 0.25):  # the second one adds up to 1
        assert_fits(categorical(student, X, y, 4, 5, each), tabled(X, y, 4, 5, each))


@exercise("fit_categorical_nb", Kind.EDGE)
def test_a_class_without_rows_has_only_its_pseudo_counts(student, draw):
    """Where a class has no rows and pseudo-counts differ, their shares are what its table holds."""
    (X, y), pseudo = observations(draw, 11, 2, 4, 3), unequal(draw, 4)
    y = y + (y >= draw.whole(0, 2))
    assert_fits(categorical(student, X, y, 4, 4, pseudo), tabled(X, y, 4, 4, pseudo))


@exercise("fit_categorical_nb", Kind.SIDE_EFFECT)
def test_values_and_pseudo_counts_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    (X, y), pseudo = observations(draw, 9, 2, 4, 3), unequal(draw, 4)
    leaves_alone(student.fit_categorical_nb, X, y, 4, 3, pseudo)


@exercise("fit_categorical_nb", Kind.TYPE)
def test_values_and_labels_may_come_in_lists(student, draw):
    """Lists of lists and lists of labels are understood like arrays."""
    (X, y), k = observations(draw, 10, 2, 4, 3), draw.whole(2, 5)
    assert_fits(categorical(student, X.tolist(), y.tolist(), 4, 3, k), tabled(X, y, 4, 3, k))


@exercise("fit_categorical_nb", Kind.TYPE)
def test_pseudo_counts_may_come_in_a_list(student, draw):
    """A list of pseudo-counts is understood like an array."""
    (X, y), pseudo = observations(draw, 10, 2, 4, 3), unequal(draw, 4).tolist()
    assert_fits(categorical(student, X, y, 4, 3, pseudo), tabled(X, y, 4, 3, pseudo))


# --- choose_k ---------------------------------------------------------------------------------------------------------
# What is expected is counted here, and asks nothing of the student's own fit: whoever left that out and fits in another
# way loses nothing here. The number of training rows with each word is the same in all draws, and so is what becomes
# of each possible row with a strength from each of four ranges: no class is ahead by less than 0.05, so rounding in a
# fit turns no label round. What differs are the rows, the words, the labels, the strengths, and how often each row is
# in the validation set.

WITH_WORD = ((0, 3, 1, 7, 12, 10), (2, 1, 6, 1, 5, 6))  # of 13 training rows with label 0, and of 7 with label 1
RANGES = np.array([[0.004, 0.02], [1.2, 2.4], [8.0, 14.0], [120.0, 400.0]])
# Validation rows, by the labels that they get with strengths from the four ranges: 1000, 1100, 1110 and 0000.
RARE = "100010 100100 100101 100110 110010 110011 110100 110101 110111"
WEAK = "001010 001011 001100 001101 011010 100000 100001 110001"
CLEAR = "101000 101001 101010 101100 111000 111001 111010 111100"
COMMON = "000000 000011 000101 000110 001110 010001 010010 010100 010111 011110"
POOLS = [np.array([list(map(int, row)) for row in rows.split()]) for rows in (RARE, COMMON, WEAK, CLEAR)]


def split(draw, rare=None):
    """A training set of 20, a validation set of a prime number of rows, and strengths, one from each range.

    The rows with a rare word (label 0) are wrong with the first strength only, the weak ones (label 1) with the last
    two, the clear ones (label 1) with the last; of the common ones (label 0) some are labelled wrongly. So the second
    strength is the best, then come the third, the first and the last, each several rows apart; without rare words the
    first is as good as the second. No accuracy is 0 or 1, so none can be a share of 20 rows.
    """
    rng, size = draw.rng, (47, 53, 59)[draw.whole(0, 2)]
    X_tr = np.vstack(
        [rng.permuted(np.arange(n)[:, np.newaxis] < of, axis=0) for n, of in zip((13, 7), WITH_WORD, strict=True)]
    )
    rare = draw.whole(7, 9) if rare is None else rare
    weak, clear, noise = draw.whole(3, 5), draw.whole(11, 13), draw.whole(6, 8)
    common = size - rare - weak - clear - noise
    drawn = [pool[rng.integers(len(pool), size=n)] for pool, n in zip(POOLS, (rare, common, weak, clear), strict=True)]
    X_va = np.vstack([*drawn, np.tile(POOLS[1][draw.whole(0, 9)], (noise, 1))])
    y_tr, y_va = (np.repeat([0, 1], counts) for counts in ((13, 7), (rare + common, weak + clear + noise)))
    words, missing, swapped = rng.permutation(6), rng.integers(2, size=6), draw.whole(0, 1)
    X_tr, X_va = ((X[:, words] != missing).astype(int) for X in (X_tr, X_va))
    at, other = rng.permutation(20), rng.permutation(size)
    strengths = RANGES[:, 0] + np.diff(RANGES)[:, 0] * rng.random(4)
    return (X_tr[at], y_tr[at] ^ swapped, X_va[other], y_va[other] ^ swapped), strengths.tolist()


def small_split(draw):
    """Six training rows, five of them with one label, a few validation rows, and two strengths.

    A row with both words gets the rare label with the first strength and the common one with the second. A smoothed
    prior, twice the strength or half of it would turn that round.
    """
    X_tr, y_tr = np.array([[0, 1], [0, 1], [0, 0], [0, 0], [0, 0], [1, 1]]), np.array([0, 0, 0, 0, 0, 1])
    both, neither, others = draw.whole(3, 4), draw.whole(1, 2), draw.whole(1, 2)
    X_va = np.repeat([[1, 1], [0, 0], [1, 1]], [both, neither, others], axis=0)
    y_va = np.repeat([0, 1], [both + neither, others])
    words, missing, swapped = draw.rng.permutation(2), draw.rng.integers(2, size=2), draw.whole(0, 1)
    X_tr, X_va = ((X[:, words] != missing).astype(int) for X in (X_tr, X_va))
    grid = np.array([draw.number(1.15, 1.25), draw.number(1.9, 2.2)])
    return (X_tr, y_tr ^ swapped, X_va, y_va ^ swapped), grid


def in_no_order(draw, strengths):
    """The four strengths as a grid: after the first it gets worse before it gets best."""
    low, best, high, worst = strengths
    first, other = (low, high) if draw.rng.random() < 0.5 else (high, low)
    return np.array([first, worst, best, other] if draw.rng.random() < 0.5 else [first, worst, other, best])


def shares(X_tr, y_tr, X_va, y_va, grid):
    """The accuracy on the validation set after a fit with each strength of the grid, as `predict` labels the rows."""
    size, counts = counted(X_tr, y_tr, 2)
    told = []
    for k in grid:
        values = (counts + k) / (size + k + k)[:, np.newaxis, np.newaxis]
        likelihood = values[:, np.arange(X_tr.shape[1]), X_va]  # (2, m, d); the product of a few is no problem
        told.append(np.mean((size[:, np.newaxis] * likelihood.prod(axis=2)).argmax(axis=0) == y_va))
    return np.array(told)


def choice(student, *args):
    """The student's k and accuracies, after making sure that there are these two."""
    return parts(student.choose_k(*args), 2)


def assert_chosen(found, expected, grid):
    """Fail unless these are the accuracies, and k is the first of the best."""
    k, accuracies = found
    assert_matches(accuracies, expected)
    assert_matches(k, grid[int(np.argmax(expected))])


@exercise("choose_k", gate=True)
def test_every_strength_is_fitted_on_one_set_and_measured_on_the_other(student, draw):
    """Each k is fitted on the training rows and measured on the validation rows; the best of them wins."""
    sets, strengths = split(draw)
    grid = in_no_order(draw, strengths)
    assert_chosen(choice(student, *sets, grid), shares(*sets, grid), grid)
    sets, grid = small_split(draw)
    assert_chosen(choice(student, *sets, grid), shares(*sets, grid), grid)


@exercise("choose_k")
def test_the_validation_labels_have_the_last_word(student, draw):
    """Turn all validation labels round: what was right is wrong, and the worst strength becomes the best."""
    (X_tr, y_tr, X_va, y_va), strengths = split(draw)
    grid = in_no_order(draw, strengths)
    expected = 1 - shares(X_tr, y_tr, X_va, y_va, grid)
    assert_chosen(choice(student, X_tr, y_tr, X_va, 1 - y_va, grid), expected, grid)


@exercise("choose_k")
def test_validation_rows_are_scored_one_by_one(student, draw):
    """No validation row has a say in the label of another: right answers in two parts of the set add up."""
    (X_tr, y_tr, X_va, y_va), strengths = split(draw)
    grid, m = in_no_order(draw, strengths), len(y_va)
    few = draw.whole(15, 20)
    hits = [
        len(y_va[part]) * numbers(choice(student, X_tr, y_tr, X_va[part], y_va[part], grid)[1])
        for part in (slice(few), slice(few, m))
    ]
    assert_matches(hits[0] + hits[1], m * shares(X_tr, y_tr, X_va, y_va, grid))


@exercise("choose_k")
def test_only_the_weight_of_the_imagined_rows_counts(student, draw):
    """Write down every training row several times and imagine as many times more: nothing changes."""
    (X_tr, y_tr, X_va, y_va), strengths = split(draw)
    grid, times = in_no_order(draw, strengths), draw.whole(2, 4)
    found = choice(student, np.tile(X_tr, (times, 1)), np.tile(y_tr, times), X_va, y_va, times * grid)
    assert_chosen(found, shares(X_tr, y_tr, X_va, y_va, grid), times * grid)


@exercise("choose_k", Kind.EDGE)
def test_the_first_of_several_best_is_chosen(student, draw):
    """Where several strengths are equally good, the one that comes first in the grid is chosen."""
    sets, (low, best, high, worst) = split(draw, rare=0)
    for grid in (np.array([worst, best, low, high]), np.array([high, low, worst, best])):
        assert_chosen(choice(student, *sets, grid), shares(*sets, grid), grid)


@exercise("choose_k", Kind.EDGE)
def test_one_validation_row_is_right_or_wrong(student, draw):
    """With a single validation row every accuracy is zero or one, and a grid may have a single entry."""
    (X_tr, y_tr, X_va, y_va), strengths = split(draw)
    grid, row = np.array(strengths[1:2]), draw.whole(0, len(y_va) - 1)
    for label in (0, 1):  # one of these is right, the other one is wrong
        one = X_tr, y_tr, X_va[[row]], np.array([label])
        assert_chosen(choice(student, *one, grid), shares(*one, grid), grid)


@exercise("choose_k", Kind.EDGE)
def test_rows_that_no_class_allows_count_as_class_zero(student, draw):
    """Without smoothing a row may be impossible in both classes. `predict` gives it class 0, and so it is scored."""
    X_tr, y_tr = np.array([[1, 0, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]]), np.array([0, 0, 1])
    X_va, y_va = np.array([[1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]]), np.array([0, 1, 0])
    words, missing, at = draw.rng.permutation(4), draw.rng.integers(2, size=4), draw.order(3)
    X_tr, X_va = ((X[:, words] != missing).astype(int) for X in (X_tr, X_va))
    sets, grid = (X_tr, y_tr, X_va[at], y_va[at]), np.array([0.0, draw.number(0.35, 0.45)])
    assert_chosen(choice(student, *sets, grid), shares(*sets, grid), grid)


@exercise("choose_k", Kind.SIDE_EFFECT)
def test_both_sets_and_the_grid_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    (X_tr, y_tr, X_va, y_va), strengths = split(draw)
    grid = in_no_order(draw, strengths)
    leaves_alone(student.choose_k, X_tr.astype(float), y_tr, X_va.astype(float), y_va, grid)


@exercise("choose_k", Kind.TYPE)
def test_both_sets_may_come_in_lists(student, draw):
    """Lists are understood like arrays, the labels of the validation set included."""
    sets, strengths = split(draw)
    grid = in_no_order(draw, strengths).tolist()
    assert_chosen(choice(student, *(part.tolist() for part in sets), grid), shares(*sets, grid), grid)


# --- log_evidence -----------------------------------------------------------------------------------------------------


def one_step_ahead(flips, a, b):
    """The log-probability of the flips, each predicted from those before it."""
    total = 0.0
    for flip in flips:
        total += log((a if flip else b) / (a + b))
        a, b = a + flip, b + 1 - flip
    return total


@exercise("log_evidence", gate=True)
def test_the_evidence_is_a_ratio_of_two_betas(student, draw):
    """The evidence compares the posterior's normaliser with that of the prior, for one order of the flips."""
    n1, n0, a, b = draw.whole(2, 3), draw.whole(5, 8), draw.whole(4, 6), draw.whole(2, 3)  # they lean to other sides
    if draw.rng.random() < 0.5:
        n1, n0, a, b = n0, n1, b, a
    after = Fraction(factorial(n1 + a - 1) * factorial(n0 + b - 1), factorial(n1 + n0 + a + b - 1))
    before = Fraction(factorial(a - 1) * factorial(b - 1), factorial(a + b - 1))
    assert_matches(student.log_evidence(n1, n0, a, b), log(after / before))


@exercise("log_evidence")
def test_the_evidence_is_what_was_predicted_one_step_ahead(student, draw):
    """Predict each flip from those before it, and multiply: the same number, also for parameters that are not whole."""
    for a, b in (draw.numbers(2, 0.2, 0.8), draw.numbers(2, 1.1, 9.9)):
        order = draw.bits(draw.whole(11, 17)).tolist()
        heads = sum(order)
        expected = one_step_ahead(order, float(a), float(b))
        assert_matches(student.log_evidence(heads, len(order) - heads, float(a), float(b)), expected)


@exercise("log_evidence")
def test_all_sequences_of_one_length_share_out_certainty(student, draw):
    """One of the sequences must come: their probabilities add up to one, under any prior."""
    a, b, n = draw.number(0.3, 0.8), draw.number(2.2, 2.8), draw.whole(4, 7)
    told = [exp(numbers(student.log_evidence(heads, n - heads, a, b))) for heads in range(n + 1)]
    assert_matches(sum(comb(n, heads) * each for heads, each in enumerate(told)), 1)


@exercise("log_evidence")
def test_heads_and_tails_are_only_names(student, draw):
    """Exchange heads and tails, in the data and in the prior: the evidence stays the same."""
    n1, n0, a, b = flips(draw)
    expected = one_step_ahead([1] * n1 + [0] * n0, a, b)
    assert_matches([student.log_evidence(n1, n0, a, b), student.log_evidence(n0, n1, b, a)], [expected, expected])


@exercise("log_evidence", Kind.EDGE)
def test_no_flips_are_no_surprise(student, draw):
    """What has not been flipped is certain: the probability is one, and its logarithm zero."""
    a, b = draw.wholes(2, 2, 9).tolist()
    assert_matches([student.log_evidence(0, 0, 1, 1), student.log_evidence(0, 0, a, b)], [0, 0])


@exercise("log_evidence", Kind.EDGE)
def test_heads_alone_and_tails_alone_have_a_probability(student, draw):
    """All heads or all tails: a sequence like any other."""
    n, (a, b) = draw.whole(3, 9), draw.wholes(2, 2, 7).tolist()
    assert_matches(student.log_evidence(n, 0, a, b), one_step_ahead([1] * n, a, b))
    assert_matches(student.log_evidence(0, n, a, b), one_step_ahead([0] * n, a, b))


@exercise("log_evidence", Kind.STABILITY)
def test_a_million_flips_do_not_overflow(student, draw):
    """A million flips are improbable beyond every floating-point number. The logarithm is not."""
    n0, (a, b) = draw.whole(300, 400), draw.wholes(2, 2, 6).tolist()
    n1 = 1_000_000 - n0
    # With whole parameters nearly all factors cancel: what is left are (n0 + b - 1)! above and n0 + b factors below.
    before = log(Fraction(factorial(a + b - 1), factorial(a - 1) * factorial(b - 1)))
    expected = before + np.log(np.arange(1, n0 + b)).sum() - np.log(n1 + a + np.arange(n0 + b)).sum()
    assert_matches(student.log_evidence(n1, n0, a, b), expected)


# --- What the notebook promises, and who asks for it ------------------------------------------------------------------

PROMISES = {
    "laplace": {
        "other counts, other $k$ (not only whole numbers) and other $M$": (
            "test_every_outcome_is_seen_k_times_more",
            "test_smoothed_shares_agree_with_exact_fractions",
        ),
        "more axes": ("test_every_row_is_a_distribution_of_its_own", "test_more_axes_may_come_before_the_outcomes"),
        "sums": "test_more_strength_brings_everything_closer_to_the_uniform",
        "$k = 0$, very large $k$, $k = \\infty$": (
            "test_without_strength_the_shares_are_left",
            "test_a_very_large_strength_is_close_to_the_limit",
            "test_the_limit_is_the_same_for_every_outcome",
        ),
        "rows without observations": "test_a_row_without_observations_is_uniform",
        "both errors": (
            "test_nothing_seen_and_nothing_imagined_is_refused",
            "test_a_negative_strength_is_refused",
        ),
        "arguments left alone": "test_the_counts_are_left_as_they_were",
        "Without any observation it has nothing to divide by: raise a `ValueError`. - `k=np.inf` gives exactly $1/M$ "
        "everywhere. - A negative $k$ would take away observations that were made: raise a `ValueError`.": (
            "test_nothing_seen_and_nothing_imagined_is_refused",
            "test_the_limit_is_the_same_for_every_outcome",
            "test_a_negative_strength_is_refused",
        ),
        "How many imagined observations of every outcome are added; 0 or more, whole or not, "
        "or np.inf for the limit.": (
            "test_smoothed_shares_agree_with_exact_fractions",
            "test_without_strength_the_shares_are_left",
            "test_the_limit_is_the_same_for_every_outcome",
        ),
        "ValueError If k is negative, or if k is 0 and some row has no observations.": (
            "test_a_negative_strength_is_refused",
            "test_nothing_seen_and_nothing_imagined_is_refused",
        ),
    },
    "fit_bernoulli_nb_smoothed": {
        "more than two classes, other $k$": (
            "test_every_class_gets_imagined_rows_of_both_kinds",
            "test_the_fit_agrees_with_counting_row_by_row",
        ),
        "that `k` does not touch the prior and `k_prior` does not touch `theta`": (
            "test_every_class_gets_imagined_rows_of_both_kinds",
            "test_the_prior_has_a_strength_of_its_own",
        ),
        "$k = 0$": "test_without_strength_the_fit_is_maximum_likelihood",
        "a class without rows": "test_a_class_without_rows_keeps_its_place",
        "that smoothing equals adding imagined rows": "test_smoothing_equals_adding_imagined_rows",
        "ints, bools and floats": "test_truth_values_count_like_zeros_and_ones",
        "a thousand rows": "test_a_thousand_rows_are_counted_to_the_last",
        "arguments left alone": "test_rows_and_labels_are_left_as_they_were",
        "Labels, whole numbers from 0 to n_classes - 1; a class may have no rows.": (
            "test_a_class_without_rows_keeps_its_place",
            "test_a_smoothed_prior_gives_every_class_a_chance",
        ),
        "ValueError If k or k_prior is negative, or if k is 0 and some class has no rows.": Ungraded(
            "The task says that the errors are not graded: they are good manners."
        ),
    },
    "beta_estimates": {
        "other counts, $a \\neq b$": ("test_three_estimates_of_one_coin", "test_heads_and_tails_change_places"),
        "Beta(1, 1), Beta$(k, k)$ and Beta$(k+1, k+1)$": (
            "test_under_a_flat_prior_the_peak_is_the_share",
            "test_pseudo_counts_can_be_read_in_two_ways",
        ),
        "no data": "test_without_data_the_prior_is_all_there_is",
        "only heads or only tails": "test_heads_only_and_tails_only",
        "| posterior | peak | |---|---| | $a' \\ge 1$ and $b' \\ge 1$, not both equal to 1 | the formula | "
        "| only $a' < 1$ | 0 | | only $b' < 1$ | 1 | "
        "| both below 1 (two peaks), or both equal to 1 (flat) | `nan`: there is no single peak |": Ungraded(
            "The task says that priors with a parameter below 1 are not graded, nor a flat posterior; the formula is."
        ),
        'Without data there is no `"mle"` either: `nan`.': Ungraded(
            'The task says that the "mle" without data is not graded.'
        ),
        "The number of heads and of tails, not negative; both may be 0.": (
            "test_without_data_the_prior_is_all_there_is",
            "test_heads_only_and_tails_only",
        ),
        '"mle", the share of heads, nan if there are no data; "map", the peak of the posterior Beta(n1 + a, n0 + b), '
        'nan if there is no single one (see the table above); "mean", the mean of that posterior.': (
            "test_three_estimates_of_one_coin"  # the task says that the two cases of nan are not graded
        ),
        "ValueError If a or b is not positive, or n1 or n0 is negative.": Ungraded(
            "The task says that the errors are not graded: they are good manners."
        ),
    },
    "fit_categorical_nb": {
        "sizes that all differ ($n$, $d$, $M$, $K$)": (
            "test_one_distribution_for_every_feature_of_every_class",
            "test_the_table_agrees_with_counting_cell_by_cell",
        ),
        "sums": "test_the_table_agrees_with_counting_cell_by_cell",
        "values that never occur": "test_values_that_never_occur_have_their_place",
        "unequal pseudo-counts": "test_every_value_may_have_its_own_pseudo_count",
        "agreement with `fit_bernoulli_nb_smoothed` for $M = 2$": "test_two_values_are_the_case_of_zeros_and_ones",
        "no pseudo-counts": "test_without_pseudo_counts_the_shares_are_left",
        "classes without rows": (
            "test_a_class_without_rows_has_its_place_in_the_table",
            "test_a_class_without_rows_has_only_its_pseudo_counts",
        ),
        "a thousand rows": "test_a_thousand_values_are_counted_to_the_last",
        "arguments left alone": "test_values_and_pseudo_counts_are_left_as_they_were",
        "Labels, whole numbers from 0 to n_classes - 1; a class may have no rows.": (
            "test_a_class_without_rows_has_its_place_in_the_table"
        ),
        "ValueError If a pseudo-count is negative, or if all of them are 0 and some class has no rows.": Ungraded(
            "The task says that the errors are not graded: they are good manners."
        ),
    },
    "choose_k": {
        "grids in any order, with ties, of length 1": (
            "test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
            "test_the_first_of_several_best_is_chosen",
            "test_one_validation_row_is_right_or_wrong",
        ),
        "that only the training rows are fitted and only the validation rows are scored": (
            "test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
            "test_validation_rows_are_scored_one_by_one",
        ),
        "rows that $k = 0$ makes impossible in both classes": "test_rows_that_no_class_allows_count_as_class_zero",
        "arguments left alone": "test_both_sets_and_the_grid_are_left_as_they_were",
    },
    "log_evidence": {
        "other counts, $a \\neq b$, parameters that are not whole": (
            "test_the_evidence_is_a_ratio_of_two_betas",
            "test_heads_and_tails_are_only_names",
        ),
        "no data, only heads or only tails": (
            "test_no_flips_are_no_surprise",
            "test_heads_alone_and_tails_alone_have_a_probability",
        ),
        "that the probabilities of all sequences of one length sum to 1": (
            "test_all_sequences_of_one_length_share_out_certainty"
        ),
        "the one-step-ahead product": "test_the_evidence_is_what_was_predicted_one_step_ahead",
        "a million flips": "test_a_million_flips_do_not_overflow",
        "ValueError If a or b is not positive, or n1 or n0 is negative.": Ungraded(
            "The task says that the errors are not graded: they are good manners."
        ),
    },
}
