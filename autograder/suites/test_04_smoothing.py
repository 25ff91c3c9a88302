"""Hidden suite for 04_smoothing. A failing check shows the student its docstring, no more."""

from fractions import Fraction
from math import comb, exp, log

import numpy as np

from autograder.course.suite import assert_matches, assert_raises, exercise, numbers, parts, unchanged

# Seven rows, four features, three classes with 3, 1 and 3 rows: no two of these sizes can be mistaken for each other.
ROWS = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 0, 1], [1, 1, 0, 1]])
CLASSES = np.array([0, 0, 2, 2, 1, 0, 2])
ROWS_IN_CLASS = np.array([3, 1, 3])
ONES_IN_CLASS = np.array([[3, 2, 0, 2], [0, 1, 0, 0], [2, 2, 0, 3]])

# The same classes, with two features of four values; value 3 never occurs in the first feature.
VALUES = np.array([[0, 3], [2, 3], [1, 0], [1, 1], [0, 2], [0, 3], [2, 0]])
COUNTS = np.array([[[2, 0, 1, 0], [0, 0, 0, 3]], [[1, 0, 0, 0], [0, 0, 1, 0]], [[0, 2, 1, 0], [2, 1, 0, 0]]])


# --- laplace ----------------------------------------------------------------------------------------------------------


@exercise("laplace", gate=True, weight=4)
def test_every_outcome_is_seen_k_times_more(student):
    """Every outcome counts as if it had been seen k times more, and all of that together is what one divides by."""
    assert_matches(student.laplace(np.array([5, 1, 0, 2]), 2.5), np.array([7.5, 3.5, 2.5, 4.5]) / 18)


@exercise("laplace", weight=3)
def test_smoothed_shares_agree_with_exact_fractions(student):
    """For any number of outcomes and any strength: what the formula says, exactly, and so a sum of one."""
    rng = np.random.default_rng(1)
    for outcomes, k in zip((2, 3, 5, 9), (Fraction(1, 4), Fraction(3), Fraction(7, 2), Fraction(1, 8))):
        counts = rng.integers(0, 30, size=outcomes)
        total = int(counts.sum()) + k * outcomes
        assert_matches(student.laplace(counts, float(k)), [float((int(c) + k) / total) for c in counts])


@exercise("laplace", weight=2)
def test_every_row_is_a_distribution_of_its_own(student):
    """Outcomes run along the last axis, however many axes come before it; every row has its own total."""
    counts = np.random.default_rng(2).integers(0, 9, size=(2, 3, 4))
    expected = [[[(c + 0.5) / (sum(row) + 2) for c in row] for row in table] for table in counts.tolist()]
    assert_matches(student.laplace(counts, 0.5), expected)
    assert_matches(student.laplace(counts[1], 0.5), expected[1])


@exercise("laplace", weight=2)
def test_without_strength_the_shares_are_left(student):
    """With k = 0 nothing is imagined: what remains are the shares, zeros included."""
    assert_matches(student.laplace(np.array([6, 0, 3]), 0), [6 / 9, 0, 3 / 9])


@exercise("laplace", weight=2)
def test_the_limit_is_the_same_for_every_outcome(student):
    """With infinite strength every outcome gets exactly one share of M, whatever was counted."""
    for counts in (np.array([6, 0, 3]), np.array([[1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, 0]])):
        assert_matches(student.laplace(counts, np.inf), np.full(counts.shape, 1 / counts.shape[-1]), rtol=1e-15, atol=0)


@exercise("laplace")
def test_a_very_large_strength_is_close_to_the_limit(student):
    """Long before infinity the data are drowned: a huge k gives nearly the same to every outcome."""
    assert_matches(student.laplace(np.array([60, 0, 3]), 1e12), np.full(3, 1 / 3), rtol=1e-9)


@exercise("laplace")
def test_more_strength_brings_everything_closer_to_the_uniform(student):
    """Turning up k moves every outcome towards one share of M, never past it, and keeps their order."""
    steps = [numbers(student.laplace(np.array([9, 4, 1, 0]), k)) for k in (0, 0.3, 1, 4, 50)]
    assert all(step.shape == (4,) for step in steps)
    away = np.abs(np.array(steps) - 1 / 4)
    assert (np.diff(away, axis=0) < 0)[:, [0, 2, 3]].all(), "not closer to the uniform distribution"
    assert (np.diff(np.array(steps), axis=1) < 0).all(), "the order of the outcomes has changed"


@exercise("laplace")
def test_a_row_without_observations_is_uniform(student):
    """Where nothing was seen, only the imagination is left, and it treats all outcomes alike."""
    assert_matches(
        student.laplace(np.array([[0, 0, 0], [4, 0, 0]]), 2), [[1 / 3, 1 / 3, 1 / 3], [6 / 10, 2 / 10, 2 / 10]]
    )


@exercise("laplace", weight=2)
def test_nothing_seen_and_nothing_imagined_is_refused(student):
    """No observations and k = 0 leave nothing to divide by. That is a ValueError, also in one row among others."""
    assert_raises(ValueError, student.laplace, np.zeros(3), 0)
    assert_raises(ValueError, student.laplace, np.array([[1, 2], [0, 0], [3, 0]]), 0)


@exercise("laplace")
def test_a_negative_strength_is_refused(student):
    """What was seen cannot be unseen: a negative k is a ValueError, even where the shares would stay positive."""
    assert_raises(ValueError, student.laplace, np.array([8, 9]), -0.5)
    assert_raises(ValueError, student.laplace, np.array([8, 9]), -np.inf)


@exercise("laplace")
def test_the_counts_are_left_as_they_were(student):
    """The caller's counts belong to the caller: after the call they hold what they held before."""
    unchanged(student.laplace, np.array([[4.0, 1.0], [2.0, 2.0]]), 1.5)


@exercise("laplace")
def test_counts_may_come_in_lists(student):
    """Lists, and lists of tuples, are understood like arrays."""
    assert_matches(student.laplace([(4, 1), (0, 2)], 1.5), [[5.5 / 8, 2.5 / 8], [1.5 / 5, 3.5 / 5]])


# --- fit_bernoulli_nb_smoothed ----------------------------------------------------------------------------------------


def bernoulli(student, *args, **kwargs):
    """The student's priors and probabilities, after making sure that there are these two."""
    return parts(student.fit_bernoulli_nb_smoothed(*args, **kwargs), 2)


@exercise("fit_bernoulli_nb_smoothed", gate=True, weight=4)
def test_every_class_gets_imagined_rows_of_both_kinds(student):
    """In every class each feature counts as if it had been there k times more, and missing k times more."""
    prior, theta = bernoulli(student, ROWS, CLASSES, 2, 3)
    assert_matches(theta, (ONES_IN_CLASS + 2) / (ROWS_IN_CLASS + 4)[:, np.newaxis])
    assert_matches(prior, ROWS_IN_CLASS / 7)


@exercise("fit_bernoulli_nb_smoothed", weight=3)
def test_the_prior_has_a_strength_of_its_own(student):
    """The strength for the prior changes the prior, class by class, and leaves the features alone."""
    prior, theta = bernoulli(student, ROWS, CLASSES, 0.5, 3, k_prior=1.5)
    assert_matches(prior, (ROWS_IN_CLASS + 1.5) / (7 + 3 * 1.5))
    assert_matches(theta, (ONES_IN_CLASS + 0.5) / (ROWS_IN_CLASS + 1)[:, np.newaxis])


@exercise("fit_bernoulli_nb_smoothed", weight=2)
def test_the_fit_agrees_with_counting_row_by_row(student):
    """Whatever the sizes are: count row by row, add what is imagined, divide."""
    rng = np.random.default_rng(3)
    X, y, k = (rng.random((60, 11)) < 0.3).astype(int), rng.integers(0, 4, size=60), 0.7
    size, ones = [0] * 4, [[0] * 11 for _ in range(4)]
    for row, label in zip(X.tolist(), y.tolist()):
        size[label] += 1
        ones[label] = [count + value for count, value in zip(ones[label], row)]
    prior, theta = bernoulli(student, X, y, k, 4)
    assert_matches(prior, [s / 60 for s in size])
    assert_matches(theta, [[(count + k) / (s + k + k) for count in counts] for counts, s in zip(ones, size)])


@exercise("fit_bernoulli_nb_smoothed", weight=2)
def test_without_strength_the_fit_is_maximum_likelihood(student):
    """With k = 0 what remains are shares of each class, zeros and ones included."""
    prior, theta = bernoulli(student, ROWS, CLASSES, 0, 3)
    assert_matches(theta, ONES_IN_CLASS / ROWS_IN_CLASS[:, np.newaxis])
    assert_matches(prior, ROWS_IN_CLASS / 7)


@exercise("fit_bernoulli_nb_smoothed")
def test_smoothing_equals_adding_imagined_rows(student):
    """Strength 3 is the same as writing three rows of ones and three rows of zeros under every class."""
    imagined = np.vstack([ROWS] + [np.full((3, 4), value) for _ in range(3) for value in (0, 1)])
    labels = np.concatenate([CLASSES, np.repeat([0, 1, 2], 6)])
    _, smoothed = bernoulli(student, ROWS, CLASSES, 3, 3)
    _, counted = bernoulli(student, imagined, labels, 0, 3)
    assert_matches(smoothed, (ONES_IN_CLASS + 3) / (ROWS_IN_CLASS + 6)[:, np.newaxis])
    assert_matches(counted, smoothed)


@exercise("fit_bernoulli_nb_smoothed", weight=2)
def test_a_class_without_rows_keeps_its_place(student):
    """A class that has no rows keeps its place: prior zero, and one half for every feature."""
    prior, theta = bernoulli(student, ROWS, np.array([0, 0, 3, 3, 1, 0, 3]), 1, 5)
    assert_matches(prior, np.array([3, 1, 0, 3, 0]) / 7)
    assert_matches(numbers(theta)[[2, 4]], np.full((2, 4), 0.5))
    assert_matches(numbers(theta)[[0, 1, 3]], (ONES_IN_CLASS + 1) / (ROWS_IN_CLASS + 2)[:, np.newaxis])


@exercise("fit_bernoulli_nb_smoothed")
def test_a_smoothed_prior_gives_every_class_a_chance(student):
    """With a smoothed prior even a class without rows has a chance, and the priors still sum to one."""
    prior, _ = bernoulli(student, ROWS, CLASSES, 1, 4, k_prior=2)
    assert_matches(prior, np.array([5, 3, 5, 2]) / 15)


@exercise("fit_bernoulli_nb_smoothed")
def test_no_feature_is_certain_once_there_is_smoothing(student):
    """The least smoothing is enough: nothing is impossible any more, and nothing is certain."""
    _, theta = bernoulli(student, ROWS, CLASSES, 1e-6, 3)
    assert_matches(theta, (ONES_IN_CLASS + 1e-6) / (ROWS_IN_CLASS + 2e-6)[:, np.newaxis], rtol=1e-6, atol=0)


@exercise("fit_bernoulli_nb_smoothed")
def test_the_order_of_rows_and_the_names_of_classes_do_not_matter(student):
    """Shuffle the rows, and nothing changes; renumber the classes, and the answer is renumbered in the same way."""
    shuffle, renumber = [4, 2, 6, 0, 5, 3, 1], np.array([2, 0, 1])
    prior, theta = bernoulli(student, ROWS[shuffle], renumber[CLASSES[shuffle]], 2, 3)
    assert_matches(numbers(prior)[renumber], ROWS_IN_CLASS / 7)
    assert_matches(numbers(theta)[renumber], (ONES_IN_CLASS + 2) / (ROWS_IN_CLASS + 4)[:, np.newaxis])


@exercise("fit_bernoulli_nb_smoothed")
def test_truth_values_count_like_zeros_and_ones(student):
    """Features that are stored as truth values, or in single bytes, count like other whole numbers."""
    for kind in (bool, np.uint8):
        _, theta = bernoulli(student, ROWS.astype(kind), CLASSES, 2, 3)
        assert_matches(theta, (ONES_IN_CLASS + 2) / (ROWS_IN_CLASS + 4)[:, np.newaxis])


@exercise("fit_bernoulli_nb_smoothed")
def test_a_thousand_rows_are_counted_to_the_last(student):
    """A thousand rows: zeros and ones fit into a single byte, their counts do not."""
    X, y = np.tile(ROWS, (150, 1)), np.tile(CLASSES, 150)
    prior, theta = bernoulli(student, X, y, 3, 3)
    assert_matches(prior, ROWS_IN_CLASS / 7)
    assert_matches(theta, (150 * ONES_IN_CLASS + 3) / (150 * ROWS_IN_CLASS + 6)[:, np.newaxis])


@exercise("fit_bernoulli_nb_smoothed")
def test_rows_and_labels_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.fit_bernoulli_nb_smoothed, ROWS, CLASSES, 2, 3)


@exercise("fit_bernoulli_nb_smoothed")
def test_rows_and_labels_may_come_in_lists(student):
    """Lists of lists and lists of labels are understood like arrays."""
    prior, theta = bernoulli(student, ROWS.tolist(), CLASSES.tolist(), 2, 3)
    assert_matches(prior, ROWS_IN_CLASS / 7)
    assert_matches(theta, (ONES_IN_CLASS + 2) / (ROWS_IN_CLASS + 4)[:, np.newaxis])


# --- beta_estimates ---------------------------------------------------------------------------------------------------


def estimates(student, *args):
    """The student's mle, map and mean in this order, after making sure that these are the keys."""
    told = student.beta_estimates(*args)
    assert isinstance(told, dict) and set(told) == {"mle", "map", "mean"}, "something else than the three estimates"
    return [told["mle"], told["map"], told["mean"]]


@exercise("beta_estimates", gate=True, weight=4)
def test_three_estimates_of_one_coin(student):
    """The share of heads, the peak of the posterior and its mean are three numbers, each with its own formula."""
    assert_matches(estimates(student, 4, 9, 3, 1.5), [4 / 13, 6 / 15.5, 7 / 17.5])


@exercise("beta_estimates", weight=2)
def test_under_a_flat_prior_the_peak_is_the_share(student):
    """Under Beta(1, 1) the peak of the posterior is the maximum likelihood estimate, and the mean is not."""
    for n1, n0 in ((4, 9), (12, 5), (1, 30), (1, 0), (0, 1)):
        share = n1 / (n1 + n0)
        assert_matches(estimates(student, n1, n0, 1, 1), [share, share, (n1 + 1) / (n1 + n0 + 2)])


@exercise("beta_estimates", weight=2)
def test_pseudo_counts_can_be_read_in_two_ways(student):
    """Smoothing with k is the peak under Beta(k + 1, k + 1), and the mean under Beta(k, k)."""
    for k in (0.5, 3, 11):
        assert_matches(estimates(student, 4, 9, k + 1, k + 1)[1], (4 + k) / (13 + 2 * k))
    for k in (1.5, 3, 11):
        assert_matches(estimates(student, 4, 9, k, k)[2], (4 + k) / (13 + 2 * k))


@exercise("beta_estimates", weight=2)
def test_without_data_the_prior_is_all_there_is(student):
    """No flips: peak and mean are those of the prior."""
    assert_matches(estimates(student, 0, 0, 4, 2)[1:], [3 / 4, 4 / 6])


@exercise("beta_estimates")
def test_heads_only_and_tails_only(student):
    """All heads or all tails make the share one or zero; the mean knows better, and the peak asks the prior."""
    assert_matches(estimates(student, 5, 0, 1, 1), [1, 1, 6 / 7])
    assert_matches(estimates(student, 0, 5, 3, 2), [0, 2 / 8, 3 / 10])
    assert_matches(estimates(student, 0, 5, 1, 2), [0, 0, 1 / 8])
    assert_matches(estimates(student, 1, 0, 2.5, 1.5), [1, 2.5 / 3, 3.5 / 5])
    assert_matches(estimates(student, 0, 1, 1.5, 2.5), [0, 0.5 / 3, 1.5 / 5])


@exercise("beta_estimates")
def test_heads_and_tails_change_places(student):
    """Call heads tails and tails heads, in the data and in the prior: every estimate becomes its complement."""
    one, other = estimates(student, 4, 9, 3, 1.5), estimates(student, 9, 4, 1.5, 3)
    assert_matches(one, [4 / 13, 6 / 15.5, 7 / 17.5])
    assert_matches(other, [9 / 13, 9.5 / 15.5, 10.5 / 17.5])


# --- fit_categorical_nb -----------------------------------------------------------------------------------------------


def categorical(student, *args):
    """The student's priors and table, after making sure that there are these two."""
    return parts(student.fit_categorical_nb(*args), 2)


@exercise("fit_categorical_nb", gate=True, weight=4)
def test_one_distribution_for_every_feature_of_every_class(student):
    """Class, feature, value: for each class and feature the counts of all values, smoothed, as shares of one."""
    prior, table = categorical(student, VALUES, CLASSES, 4, 3, 0.5)
    assert_matches(table, (COUNTS + 0.5) / (ROWS_IN_CLASS + 2)[:, np.newaxis, np.newaxis])
    assert_matches(prior, ROWS_IN_CLASS / 7)


@exercise("fit_categorical_nb", weight=3)
def test_every_value_may_have_its_own_pseudo_count(student):
    """Pseudo-counts may differ from value to value, and one of them may be zero; every row still sums to one."""
    pseudo = np.array([0.5, 2.0, 0.0, 1.5])
    prior, table = categorical(student, VALUES, CLASSES, 4, 3, pseudo)
    assert_matches(table, (COUNTS + pseudo) / (ROWS_IN_CLASS + 4)[:, np.newaxis, np.newaxis])
    assert_matches(prior, ROWS_IN_CLASS / 7)


@exercise("fit_categorical_nb", weight=2)
def test_the_table_agrees_with_counting_cell_by_cell(student):
    """Whatever the sizes are: count cell by cell, add the pseudo-counts, divide."""
    rng = np.random.default_rng(4)
    X, y, pseudo = rng.integers(0, 5, size=(50, 3)), rng.integers(0, 4, size=50), [1.25, 0.5, 3.0, 0.25, 2.0]
    expected = np.zeros((4, 3, 5)) + pseudo
    for row, label in zip(X, y):
        for feature, value in enumerate(row):
            expected[label, feature, value] += 1
    prior, table = categorical(student, X, y, 5, 4, np.array(pseudo))
    assert_matches(table, expected / expected.sum(axis=2, keepdims=True))
    assert_matches(prior, [np.count_nonzero(y == label) / 50 for label in range(4)])


@exercise("fit_categorical_nb", weight=2)
def test_values_that_never_occur_have_their_place(student):
    """A value that occurs nowhere has its place in the table and, with pseudo-counts, a chance."""
    _, table = categorical(student, VALUES, CLASSES, 6, 3, 2)
    wider = np.concatenate([COUNTS, np.zeros((3, 2, 2))], axis=2)
    assert_matches(table, (wider + 2) / (ROWS_IN_CLASS + 12)[:, np.newaxis, np.newaxis])


@exercise("fit_categorical_nb")
def test_two_values_are_the_case_of_zeros_and_ones(student):
    """With two values the second half of the table is what smoothing gives for features that are zero or one."""
    _, table = categorical(student, ROWS, CLASSES, 2, 3, 1.5)
    ones = (ONES_IN_CLASS + 1.5) / (ROWS_IN_CLASS + 3)[:, np.newaxis]
    assert_matches(table, np.stack([1 - ones, ones], axis=-1))


@exercise("fit_categorical_nb")
def test_without_pseudo_counts_the_shares_are_left(student):
    """Without pseudo-counts the table holds the shares, zeros included."""
    for pseudo in (0, np.zeros(4)):
        _, table = categorical(student, VALUES, CLASSES, 4, 3, pseudo)
        assert_matches(table, COUNTS / ROWS_IN_CLASS[:, np.newaxis, np.newaxis])


@exercise("fit_categorical_nb", weight=2)
def test_a_class_without_rows_has_only_its_pseudo_counts(student):
    """A class without rows keeps its place: prior zero, and the shares of the pseudo-counts in its table."""
    pseudo = np.array([1.0, 2.0, 4.0, 1.0])
    prior, table = categorical(student, VALUES, np.array([0, 0, 3, 3, 1, 0, 3]), 4, 4, pseudo)
    assert_matches(prior, np.array([3, 1, 0, 3]) / 7)
    assert_matches(numbers(table)[2], np.tile(pseudo / 8, (2, 1)))
    assert_matches(numbers(table)[[0, 1, 3]], (COUNTS + pseudo) / (ROWS_IN_CLASS + 8)[:, np.newaxis, np.newaxis])
    _, table = categorical(student, VALUES, CLASSES, 4, 4, 0.25)
    assert_matches(numbers(table)[3], np.full((2, 4), 1 / 4))


@exercise("fit_categorical_nb")
def test_a_thousand_values_are_counted_to_the_last(student):
    """A thousand rows: the values fit into a single byte, their counts do not."""
    X, y = np.tile(VALUES, (150, 1)), np.tile(CLASSES, 150)
    prior, table = categorical(student, X, y, 4, 3, 3)
    assert_matches(prior, ROWS_IN_CLASS / 7)
    assert_matches(table, (150 * COUNTS + 3) / (150 * ROWS_IN_CLASS + 12)[:, np.newaxis, np.newaxis])


@exercise("fit_categorical_nb")
def test_values_and_pseudo_counts_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.fit_categorical_nb, VALUES, CLASSES, 4, 3, np.array([0.5, 2.0, 1.0, 1.5]))


@exercise("fit_categorical_nb")
def test_values_and_pseudo_counts_may_come_in_lists(student):
    """Lists are understood like arrays, also for the pseudo-counts."""
    _, table = categorical(student, VALUES.tolist(), CLASSES.tolist(), 4, 3, [0.5, 2.0, 1.0, 1.5])
    assert_matches(table, (COUNTS + np.array([0.5, 2.0, 1.0, 1.5])) / (ROWS_IN_CLASS + 5)[:, np.newaxis, np.newaxis])


# --- choose_k ---------------------------------------------------------------------------------------------------------
# What is expected is counted here, and asks nothing of the student's own fit: whoever left that out and fits in another
# way loses nothing here. No class is ahead by less than 0.01 in any row, so rounding in a fit turns no label round.


def emails(seed, n, m, d=14):
    """A training set of n and a validation set of m rows: features that tell a little about the label."""
    rng = np.random.default_rng(seed)
    often = rng.beta(0.6, 2.0, size=(2, d))
    y = np.concatenate([[0, 1], rng.integers(0, 2, size=n + m - 2)])
    X = (rng.random((n + m, d)) < often[y]).astype(int)
    return X[:n], y[:n], X[n:], y[n:]


def labels(X_tr, y_tr, X, k):
    """The labels that the notebook's prediction gives to the rows of X after a fit with strength k."""
    classes = [[row for row, label in zip(X_tr, y_tr) if label == c] for c in range(2)]
    prior = np.array([len(rows) for rows in classes]) / len(X_tr)
    theta = np.array([[(sum(values) + k) / (len(rows) + 2 * k) for values in zip(*rows)] for rows in classes])
    X = np.asarray(X)[:, np.newaxis, :]
    impossible = np.where(X == 1, theta == 0, theta == 1).any(axis=2)
    theta = np.where(X == 1, theta, np.where(theta < 1, 1 - theta, 1))
    score = np.log(prior) + np.log(np.where(theta > 0, theta, 1)).sum(axis=2)
    return np.where(impossible, -np.inf, score).argmax(axis=1)


def shares(X_tr, y_tr, X_va, y_va, grid):
    """The accuracy on the validation set after a fit with each strength of the grid."""
    return np.array([np.mean(labels(X_tr, y_tr, X_va, k) == y_va) for k in grid])


def choice(student, *args):
    """The student's k and accuracies, after making sure that there are these two."""
    return parts(student.choose_k(*args), 2)


@exercise("choose_k", gate=True, weight=4)
def test_every_strength_is_fitted_on_one_set_and_measured_on_the_other(student):
    """Each k is fitted on the training rows and measured on the validation rows; the best of them wins."""
    split, grid = emails(11, 20, 47), [30.0, 0.02, 0.5, 4.0]
    expected = shares(*split, grid)
    k, accuracies = choice(student, *split, grid)
    assert_matches(accuracies, expected)
    assert_matches(k, grid[int(expected.argmax())])


@exercise("choose_k", weight=3)
def test_choices_agree_with_trying_every_strength(student):
    """On any data and any grid, in whatever order it comes: the accuracies in that order, and the best k."""
    for seed, grid in ((3, [0.0, 1.0, 12.0, 0.05, 3.0]), (5, [2.0, 0.3, 0.01]), (8, [0.1, 40.0, 8.0, 1.5])):
        split = emails(seed, 16, 61)
        expected = shares(*split, grid)
        k, accuracies = choice(student, *split, np.array(grid))
        assert_matches(accuracies, expected)
        assert_matches(k, grid[int(expected.argmax())])


@exercise("choose_k", weight=2)
def test_the_first_of_several_best_is_chosen(student):
    """Where several strengths are equally good, the one that comes first in the grid is chosen."""
    for seed, grid in ((1, [0.02, 4.0, 0.5]), (1, [30.0, 0.5, 4.0, 0.02]), (11, [30.0, 0.5, 0.5001, 0.4999])):
        split = emails(seed, 20, 47)
        expected = shares(*split, grid)
        k, accuracies = choice(student, *split, grid)
        assert_matches(accuracies, expected)
        assert_matches(k, grid[int(expected.argmax())])


@exercise("choose_k", weight=2)
def test_the_validation_labels_have_the_last_word(student):
    """Turn all validation labels round: what was right is wrong, and the worst strength becomes the best."""
    X_tr, y_tr, X_va, y_va = emails(11, 20, 47)
    grid = [30.0, 0.02, 0.5, 4.0]
    expected = 1 - shares(X_tr, y_tr, X_va, y_va, grid)
    k, accuracies = choice(student, X_tr, y_tr, X_va, 1 - y_va, grid)
    assert_matches(accuracies, expected)
    assert_matches(k, grid[int(expected.argmax())])


@exercise("choose_k")
def test_one_validation_row_is_right_or_wrong(student):
    """With a single validation row every accuracy is zero or one, and a grid may have a single entry."""
    X_tr, y_tr, X_va, y_va = emails(11, 20, 47)
    for row in range(4):
        one = X_tr, y_tr, X_va[[row]], y_va[[row]]
        k, accuracies = choice(student, *one, [0.7])
        assert_matches(k, 0.7)
        assert_matches(accuracies, shares(*one, [0.7]))


@exercise("choose_k")
def test_rows_that_no_class_allows_count_as_class_zero(student):
    """Without smoothing a row may be impossible in both classes. `predict` gives it class 0, and so it is scored."""
    X_tr, y_tr = np.array([[1, 0, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]]), np.array([0, 0, 1])
    X_va, y_va = np.array([[1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]]), np.array([0, 1, 0])
    expected = shares(X_tr, y_tr, X_va, y_va, [0.0, 0.4])
    k, accuracies = choice(student, X_tr, y_tr, X_va, y_va, [0.0, 0.4])
    assert_matches(accuracies, expected)
    assert_matches(k, [0.0, 0.4][int(expected.argmax())])


@exercise("choose_k")
def test_both_sets_and_the_grid_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.choose_k, *emails(11, 20, 47), np.array([4.0, 0.5, 30.0]))


@exercise("choose_k")
def test_both_sets_may_come_in_lists(student):
    """Lists are understood like arrays, the labels of the validation set included."""
    split, grid = emails(5, 16, 21), [6, 0.2]
    expected = shares(*split, grid)
    k, accuracies = choice(student, *(part.tolist() for part in split), grid)
    assert_matches(accuracies, expected)
    assert_matches(k, grid[int(expected.argmax())])


# --- log_evidence -----------------------------------------------------------------------------------------------------


def one_step_ahead(flips, a, b):
    """The log-probability of the flips, each predicted from those before it."""
    total = 0.0
    for flip in flips:
        total += log((a if flip else b) / (a + b))
        a, b = a + flip, b + 1 - flip
    return total


@exercise("log_evidence", gate=True, weight=3)
def test_the_evidence_is_a_ratio_of_two_betas(student):
    """The evidence compares the posterior's normaliser with that of the prior, for one order of the flips."""
    assert_matches(student.log_evidence(4, 2, 3, 5), log(Fraction(3 * 4 * 5 * 6 * 5 * 6, 8 * 9 * 10 * 11 * 12 * 13)))


@exercise("log_evidence", weight=2)
def test_the_evidence_is_what_was_predicted_one_step_ahead(student):
    """Predict each flip from those before it, and multiply: the same number, also for parameters that are not whole."""
    rng = np.random.default_rng(5)
    for a, b in ((1, 1), (0.5, 0.5), (7, 2), (0.3, 12.5)):
        flips = [int(flip) for flip in rng.random(25) < 0.6]
        assert_matches(student.log_evidence(sum(flips), 25 - sum(flips), a, b), one_step_ahead(flips, a, b))


@exercise("log_evidence", weight=2)
def test_all_sequences_of_one_length_share_out_certainty(student):
    """One of the sequences must come: their probabilities add up to one, under any prior."""
    for a, b in ((1, 1), (0.7, 2.3)):
        total = sum(comb(6, heads) * exp(numbers(student.log_evidence(heads, 6 - heads, a, b))) for heads in range(7))
        assert_matches(total, 1)


@exercise("log_evidence")
def test_no_flips_are_no_surprise(student):
    """What has not been flipped is certain: the probability is one, and its logarithm zero."""
    assert_matches([student.log_evidence(0, 0, 1, 1), student.log_evidence(0, 0, 2.5, 9)], [0, 0])


@exercise("log_evidence")
def test_heads_and_tails_are_only_names(student):
    """Exchange heads and tails, in the data and in the prior: the evidence stays the same."""
    expected = one_step_ahead([1, 1, 1, 1, 1, 0, 0], 1.5, 4)
    assert_matches([student.log_evidence(5, 2, 1.5, 4), student.log_evidence(2, 5, 4, 1.5)], [expected, expected])


@exercise("log_evidence", weight=2)
def test_a_million_flips_do_not_overflow(student):
    """A million flips are improbable beyond every floating-point number. The logarithm is not."""
    n1, n0, a, b = 640_000, 360_000, 2, 3
    steps = np.log(a + np.arange(n1)).sum() + np.log(b + np.arange(n0)).sum() - np.log(a + b + np.arange(n1 + n0)).sum()
    assert_matches(student.log_evidence(n1, n0, a, b), steps, rtol=1e-9)
