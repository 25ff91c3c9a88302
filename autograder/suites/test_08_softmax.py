"""Hidden suite for 08_softmax. A failing check shows the student its docstring, no more."""

from math import exp, fsum, log
from pathlib import Path

import numpy as np

from autograder.course.suite import Code, assert_matches, assert_raises, exercise, numbers, parts, unchanged

DIGITS = Path(__file__).resolve().parents[2] / "data" / "digits.npz"

# Odds of three classes in four rows, and the probabilities that they mean. No row and no column looks like another.
ODDS = np.array([[1, 2, 5], [4, 3, 1], [1, 1, 8], [6, 2, 12]])
SHARES = np.array([[1 / 8, 2 / 8, 5 / 8], [4 / 8, 3 / 8, 1 / 8], [1 / 10, 1 / 10, 8 / 10], [6 / 20, 2 / 20, 12 / 20]])

# Five examples with two features, four classes; class 2 occurs twice. All sizes differ, so no transpose passes.
X = np.array([[1.0, 0.5, -1.0], [1.0, -2.0, 0.3], [1.0, 1.5, 2.0], [1.0, 0.0, 0.7], [1.0, -0.4, -1.6]])
Y = np.array([2, 0, 1, 2, 3])
W = np.array([[0.5, -1.0, 0.25, 0.0], [1.0, 0.5, -0.75, 0.2], [-0.3, 0.8, 0.6, -1.2]])


def slow_probabilities(weights, features):
    """One row and one class at a time, by the book; only for scores of moderate size."""
    table = []
    for row in features:
        scores = [fsum(x * w for x, w in zip(row, column)) for column in np.transpose(weights)]
        total = fsum(exp(z) for z in scores)
        table.append([exp(z) / total for z in scores])
    return np.array(table)


def slow_log_likelihood(weights, features, labels):
    """The sum of the logarithms of the probabilities of the labels."""
    return fsum(log(p[label]) for p, label in zip(slow_probabilities(weights, features), labels))


def slow_gradient(weights, features, labels):
    """Example by example and class by class: indicator minus probability, times the features."""
    slopes = np.zeros(np.shape(weights))
    for p, row, label in zip(slow_probabilities(weights, features), features, labels):
        for k in range(len(p)):
            slopes[:, k] += ((label == k) - p[k]) * np.asarray(row)
    return slopes


def problem(seed, n, d, n_classes):
    """Random examples with a column of ones, labels of all classes, and weights."""
    rng = np.random.default_rng(seed)
    features = np.column_stack([np.ones(n), rng.normal(size=(n, d))])
    labels = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    return features, labels, rng.normal(size=(d + 1, n_classes))


# --- softmax ----------------------------------------------------------------------------------------------------------


@exercise("softmax", gate=True, weight=4)
def test_scores_are_logarithms_of_odds(student):
    """Scores are log-odds: a class whose score is larger by log 2 is twice as probable, in every row by itself."""
    assert_matches(student.softmax(np.log(ODDS)), SHARES)


@exercise("softmax", weight=2)
def test_one_row_of_scores_gives_one_row_of_probabilities(student):
    """A single row of scores, without a second dimension, gives a single row of probabilities."""
    assert_matches(student.softmax(np.log([3.0, 9.0, 6.0, 2.0])), [3 / 20, 9 / 20, 6 / 20, 2 / 20])


@exercise("softmax", weight=2)
def test_random_scores_agree_with_the_formula(student):
    """For scores of moderate size the formula can be followed by the book."""
    scores = np.random.default_rng(1).normal(scale=3, size=(7, 5))
    assert_matches(student.softmax(scores), slow_probabilities(np.eye(5), scores))


@exercise("softmax")
def test_a_number_added_to_a_row_changes_nothing(student):
    """Only differences of scores count: add a number to a row, another one to another row, and nothing changes."""
    shifts = np.array([[3.0], [-2.5], [40.0], [0.0]])
    assert_matches(student.softmax(np.log(ODDS) + shifts), SHARES)


@exercise("softmax", weight=2)
def test_scores_of_ten_thousand_mean_something(student):
    """Scores near 10,000 and -10,000 have differences like any others, and probabilities like any others."""
    for shift in (1e4, -1e4):
        assert_matches(student.softmax(np.log(ODDS) + shift), SHARES, rtol=1e-9)


@exercise("softmax", weight=2)
def test_rows_of_very_different_size_do_not_disturb_each_other(student):
    """Huge scores in one row do no harm to small ones in another, nor the other way round."""
    shifts = np.array([[1000.0], [0.0], [-1000.0], [-1e4]])
    assert_matches(student.softmax(np.log(ODDS) + shifts), SHARES, rtol=1e-9)


@exercise("softmax")
def test_a_hopeless_class_keeps_its_tiny_share(student):
    """A class far behind has a tiny probability, and that number is right, too: nothing is added, nothing cut off."""
    assert_matches(
        student.softmax([[0.0, -50.0], [-300.0, 0.0]]), [[1.0, exp(-50)], [exp(-300), 1.0]], rtol=1e-9, atol=0
    )


@exercise("softmax", weight=2)
def test_a_hopeless_class_may_have_nothing_left(student):
    """With differences in the tens of thousands the winner has everything, and the result is still a number."""
    table = numbers(student.softmax([[1e4, -1e4, 0.0], [-3e4, 5.0, 0.0]]))
    assert_matches(table, [[1, 0, 0], [0, 1 / (1 + exp(-5)), 1 / (1 + exp(5))]])


@exercise("softmax")
def test_equal_scores_share_evenly(student):
    """Equal scores give equal probabilities, whatever the scores are; a single class has everything."""
    assert_matches(student.softmax([[7.0] * 5, [-2.0] * 5]), np.full((2, 5), 0.2))
    assert_matches(student.softmax([[3.0], [-800.0]]), [[1.0], [1.0]])


@exercise("softmax")
def test_two_classes_make_a_sigmoid(student):
    """With two classes the first one has the sigmoid of the difference of the scores."""
    differences = np.array([-3.0, -0.4, 0.0, 1.7])
    table = student.softmax(np.column_stack([differences + 2, np.full(4, 2.0)]))
    assert_matches(table, [[1 / (1 + exp(-d)), 1 / (1 + exp(d))] for d in differences])


@exercise("softmax")
def test_whole_numbers_are_scores_too(student):
    """Scores may be whole numbers, in lists or in arrays."""
    e = np.e
    assert_matches(student.softmax([[0, 1], [2, 0]]), [[1 / (1 + e), e / (1 + e)], [e**2 / (1 + e**2), 1 / (1 + e**2)]])
    assert_matches(student.softmax(np.array([-100, 100, 100])), [exp(-200) / 2, 0.5, 0.5])


@exercise("softmax")
def test_millions_of_rows_take_no_time(student):
    """Two million rows at once, which a loop over rows cannot do in time."""
    scores = Code("np.tile(np.log([[1.0, 3.0], [4.0, 1.0]]), (1_750_000, 1))")
    assert_matches(student.softmax(scores), np.tile([[0.25, 0.75], [0.8, 0.2]], (1_750_000, 1)))


@exercise("softmax")
def test_the_scores_are_left_as_they_were(student):
    """The caller's scores belong to the caller: after the call they are what they were."""
    unchanged(student.softmax, np.log(ODDS) + 5)
    unchanged(student.softmax, np.array([1.0, 2.0, 4.0]))


# --- one_hot ----------------------------------------------------------------------------------------------------------


@exercise("one_hot", gate=True, weight=3)
def test_every_example_has_its_one_in_the_column_of_its_label(student):
    """A row for each example, a column for each class, and a single 1 in each row: in the column of the label."""
    expected = [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]]
    assert_matches(student.one_hot(np.array([3, 0, 1, 3, 1]), 4), expected)


@exercise("one_hot", weight=2)
def test_a_class_without_examples_keeps_its_column(student):
    """The number of columns is the number of classes, whichever labels occur."""
    assert_matches(student.one_hot(np.array([1, 0]), 5), [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0]])
    assert_matches(student.one_hot([0, 0, 0], 3), [[1, 0, 0]] * 3)


@exercise("one_hot")
def test_rows_name_the_label_and_columns_count_the_examples(student):
    """The 1 of a row stands at its label, and the sum of a column is the number of examples of its class."""
    labels = np.random.default_rng(2).integers(7, size=200)
    table = numbers(student.one_hot(labels, 7))
    assert table.shape == (200, 7)
    assert_matches(table.argmax(axis=1), labels)
    assert_matches(table.sum(axis=0), np.bincount(labels, minlength=7))
    assert_matches(table.sum(axis=1), np.ones(200))


@exercise("one_hot", weight=2)
def test_a_label_beyond_the_last_class_is_refused(student):
    """With K classes the last label is K - 1. A larger one is a ValueError, also if it is only one of many."""
    assert_raises(ValueError, student.one_hot, np.array([0, 1, 4, 2]), 4)
    assert_raises(ValueError, student.one_hot, [9, 1], 2)


@exercise("one_hot", weight=2)
def test_a_negative_label_is_refused(student):
    """A negative label is a ValueError; it does not count from the end."""
    assert_raises(ValueError, student.one_hot, np.array([0, -1, 2]), 3)
    assert_raises(ValueError, student.one_hot, [-3, 1], 3)


@exercise("one_hot", weight=2)
def test_labels_of_type_float_are_refused(student):
    """Labels are integers by type. Floats are refused, whole or not, with an error of whatever kind."""
    for labels, n_classes in [(np.array([0.0, 1.0]), 2), ([0.5, 1.2], 3)]:
        assert_raises(Exception, student.one_hot, labels, n_classes)


@exercise("one_hot")
def test_hundreds_of_classes_are_classes(student):
    """Hundreds of classes, most of them without an example."""
    table = numbers(student.one_hot(np.array([200, 3, 0]), 300))
    assert_matches(table.shape, [3, 300])
    assert_matches(np.argwhere(table), [[0, 200], [1, 3], [2, 0]])


@exercise("one_hot")
def test_the_table_holds_numbers_to_calculate_with(student):
    """The table holds numbers of type float, ready for matrix products."""
    table = student.one_hot([1, 2], 3)
    assert_matches(table, [[0, 1, 0], [0, 0, 1]])
    assert np.asarray(table).dtype.kind == "f", "not of type float"


@exercise("one_hot")
def test_the_labels_are_left_as_they_were(student):
    """The caller's labels belong to the caller: after the call they are what they were."""
    unchanged(student.one_hot, np.array([1, 0, 2, 1]), 3)


# --- log_likelihood ---------------------------------------------------------------------------------------------------


@exercise("log_likelihood", gate=True, weight=4)
def test_the_labels_have_the_probability_that_the_model_gives_them(student):
    """The logarithms of the probabilities of the true classes, one per example, summed."""
    assert_matches(student.log_likelihood(W, X, Y), slow_log_likelihood(W, X, Y))


@exercise("log_likelihood", weight=2)
def test_random_problems_agree_with_the_formula(student):
    """Other sizes, other numbers: the sum is what the formula says."""
    for seed, (n, d, n_classes) in enumerate([(9, 1, 3), (12, 6, 5), (8, 3, 2), (6, 0, 4)]):
        features, labels, weights = problem(seed, n, d, n_classes)
        assert_matches(
            student.log_likelihood(weights, features, labels), slow_log_likelihood(weights, features, labels)
        )


@exercise("log_likelihood")
def test_without_weights_every_class_is_equally_likely(student):
    """At W = 0 every example has one chance in K, whatever its features and its label are."""
    assert_matches(student.log_likelihood(np.zeros((3, 4)), X, Y), -5 * log(4))
    assert_matches(student.log_likelihood(np.zeros((3, 7)), X, [6, 0, 0, 5, 6]), -5 * log(7))


@exercise("log_likelihood", weight=2)
def test_the_examples_add_up(student):
    """It is a sum over the examples: two halves add up to the whole, and the same examples twice count twice."""
    whole = slow_log_likelihood(W, X, Y)
    halves = [student.log_likelihood(W, X[:2], Y[:2]), student.log_likelihood(W, X[2:], Y[2:])]
    assert_matches(numbers(halves).sum(), whole)
    assert_matches(student.log_likelihood(W, np.vstack([X, X]), np.append(Y, Y)), 2 * whole)


@exercise("log_likelihood", weight=3)
def test_scores_of_ten_thousand_are_no_obstacle(student):
    """A label that is against all odds costs its distance from the best score, 10,000 or more, and not infinity."""
    features = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 2.0]])
    weights = np.array([[0.0, 0.0, 0.0], [1e4, 0.0, -1e4]])
    assert_matches(student.log_likelihood(weights, features, [1, 1, 2]), -1e4 - 1e4 - 4e4)
    assert_matches(student.log_likelihood(weights, features, [0, 2, 0]), 0, atol=1e-9)


@exercise("log_likelihood")
def test_rows_of_very_different_size_are_judged_by_themselves(student):
    """Huge scores in one example leave the digits of another one alone."""
    features = np.array([[1.0, 0.0], [1.0, 800.0], [1.0, -800.0]])
    weights = np.array([[0.0, log(3), 0.0], [1.0, 1.0, 1.0]])
    assert_matches(student.log_likelihood(weights, features, [1, 0, 2]), log(3 / 5) + 2 * log(1 / 5), rtol=1e-9)


@exercise("log_likelihood")
def test_the_same_vector_added_to_every_class_changes_nothing(student):
    """Add the same vector to the weights of every class: no probability changes, nor does their product."""
    shift = np.array([[0.7], [-2.0], [5.0]])
    assert_matches(student.log_likelihood(W + shift, X, Y), slow_log_likelihood(W, X, Y))


@exercise("log_likelihood")
def test_classes_may_change_places(student):
    """Renumber the classes, in the weights and in the labels: the log-likelihood stays."""
    order = np.array([2, 0, 3, 1])  # the new class j is the old class order[j]
    renumbered = np.argsort(order)[Y]
    assert_matches(student.log_likelihood(W[:, order], X, renumbered), slow_log_likelihood(W, X, Y))


@exercise("log_likelihood")
def test_two_classes_agree_with_logistic_regression(student):
    """With two classes it is the log-likelihood of logistic regression, whose weights are the difference of the two."""
    features, labels, weights = problem(5, 15, 3, 2)
    z = features @ (weights[:, 1] - weights[:, 0])
    assert_matches(student.log_likelihood(weights, features, labels), np.sum(labels * z - np.log1p(np.exp(z))))


@exercise("log_likelihood")
def test_lists_have_a_log_likelihood_too(student):
    """Weights, features and labels may come in lists."""
    assert_matches(student.log_likelihood(W.tolist(), X.tolist(), Y.tolist()), slow_log_likelihood(W, X, Y))


@exercise("log_likelihood")
def test_a_log_likelihood_is_one_number(student):
    """One number comes back, not an array; and a model that is certain and right has a log-likelihood near 0."""
    result = student.log_likelihood(50 * np.eye(4)[:3], np.eye(3), [0, 1, 2])
    assert np.ndim(result) == 0, "an array instead of one number"
    assert_matches(result, 0, atol=1e-9)


@exercise("log_likelihood", weight=2)
def test_millions_of_examples_can_be_judged_at_once(student):
    """Two million examples, which a loop over them cannot do in time."""
    features, labels = Code("np.ones((2_000_000, 1))"), Code("np.tile([1, 0], 1_000_000)")
    result = student.log_likelihood(np.log([[1.0, 3.0]]), features, labels)
    assert_matches(result, 1_000_000 * (log(3 / 4) + log(1 / 4)), rtol=1e-9)


@exercise("log_likelihood")
def test_weights_and_examples_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they are what they were."""
    unchanged(student.log_likelihood, W, X, Y)


# --- gradient ---------------------------------------------------------------------------------------------------------


@exercise("gradient", gate=True, weight=4)
def test_what_was_minus_what_was_expected_times_the_input(student):
    """One slope for each weight: what was minus what was expected, times the input, summed over the examples."""
    assert_matches(student.gradient(W, X, Y), slow_gradient(W, X, Y))


@exercise("gradient", weight=2)
def test_the_gradient_agrees_with_finite_differences(student):
    """A small step in one weight changes the log-likelihood by the slope that the gradient names for it."""
    features, labels, weights = problem(11, 9, 2, 4)
    expected = np.zeros(weights.shape)
    for place in np.ndindex(*weights.shape):
        nudge = np.zeros(weights.shape)
        nudge[place] = 1e-5
        after, before = (slow_log_likelihood(weights + s * nudge, features, labels) for s in (1, -1))
        expected[place] = (after - before) / 2e-5
    assert_matches(student.gradient(weights, features, labels), expected, rtol=1e-6, atol=1e-7)


@exercise("gradient")
def test_random_gradients_agree_with_a_slow_program(student):
    """Other sizes, other numbers: every slope is the sum over the examples."""
    for seed, (n, d, n_classes) in enumerate([(9, 1, 3), (12, 6, 5), (8, 3, 2), (6, 0, 4)], start=20):
        features, labels, weights = problem(seed, n, d, n_classes)
        assert_matches(
            student.gradient(weights, features, labels), slow_gradient(weights, features, labels), atol=1e-10
        )


@exercise("gradient")
def test_every_row_of_the_gradient_sums_to_zero(student):
    """What one class gains, the others lose: the slopes of each feature sum to zero over the classes."""
    features, labels, weights = problem(12, 30, 5, 6)
    slopes = numbers(student.gradient(weights, features, labels))
    assert_matches(slopes.sum(axis=1), np.zeros(6), atol=1e-9)
    assert_matches(slopes[:, 0], slow_gradient(weights, features, labels)[:, 0], atol=1e-10)


@exercise("gradient")
def test_renumbered_classes_have_renumbered_slopes(student):
    """Renumber the classes, in the weights and in the labels: the columns of the gradient change places, no more."""
    order = np.array([3, 1, 0, 2])
    slopes = student.gradient(W[:, order], X, np.argsort(order)[Y])
    assert_matches(slopes, slow_gradient(W, X, Y)[:, order])


@exercise("gradient")
def test_slopes_of_the_examples_add_up(student):
    """It is a sum over the examples: the same examples twice have twice the slope."""
    assert_matches(student.gradient(W, np.vstack([X, X, X]), np.tile(Y, 3)), 3 * slow_gradient(W, X, Y))


@exercise("gradient")
def test_a_class_that_does_not_occur_is_pushed_away(student):
    """A class without examples has a column as well: nothing speaks for it, and what was expected speaks against it."""
    labels = np.array([0, 0, 1, 1, 0])
    assert_matches(student.gradient(W, X, labels), slow_gradient(W, X, labels))


@exercise("gradient")
def test_two_classes_have_opposite_slopes(student):
    """With two classes one column is the gradient of logistic regression, and the other one is its negative."""
    features, labels, weights = problem(13, 15, 3, 2)
    p = 1 / (1 + np.exp(-features @ (weights[:, 1] - weights[:, 0])))
    slope = features.T @ (labels - p)
    assert_matches(student.gradient(weights, features, labels), np.column_stack([-slope, slope]))


@exercise("gradient")
def test_the_same_vector_added_to_every_class_changes_no_slope(student):
    """Add the same vector to the weights of every class: no probability changes, and no slope."""
    assert_matches(student.gradient(W + np.array([[3.0], [-1.0], [0.5]]), X, Y), slow_gradient(W, X, Y))


@exercise("gradient", weight=2)
def test_certainty_has_a_slope_too(student):
    """With scores of 10,000 the probabilities are 0 and 1, and the slopes whole examples: numbers, not nan."""
    features = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 2.0]])
    weights = np.array([[0.0, 0.0, 0.0], [1e4, 0.0, -1e4]])
    assert_matches(student.gradient(weights, features, [1, 2, 0]), [[-1, 1, 0], [-1, 1, 0]])


@exercise("gradient", weight=2)
def test_millions_of_examples_have_a_slope_in_no_time(student):
    """Two million examples, which a loop over them cannot do in time."""
    features, labels = Code("np.ones((2_000_000, 1))"), Code("np.tile([1, 0], 1_000_000)")
    result = student.gradient(np.log([[1.0, 3.0]]), features, labels)
    assert_matches(result, [[500_000.0, -500_000.0]], rtol=1e-9)


@exercise("gradient")
def test_lists_have_a_gradient_and_nothing_is_changed(student):
    """Lists are as good as arrays, and the caller's arrays are after the call what they were before."""
    assert_matches(student.gradient(W.tolist(), X.tolist(), Y.tolist()), slow_gradient(W, X, Y))
    unchanged(student.gradient, W, X, Y)


# --- fit_softmax ------------------------------------------------------------------------------------------------------


def climb(features, labels, n_classes, lam, eta, n_steps):
    """The slow and simple program: weights and history, step by step, with the slow gradient."""
    weights = np.zeros((np.shape(features)[1], n_classes))
    history = []
    for step in range(n_steps + 1):
        history.append(slow_log_likelihood(weights, features, labels) - lam / 2 * np.sum(weights[1:] ** 2))
        if step < n_steps:
            slopes = slow_gradient(weights, features, labels)
            slopes[1:] -= lam * weights[1:]
            weights = weights + eta * slopes
    return weights, np.array(history)


def safe_step(features, lam):
    """1 / L, with the largest eigenvalue from the singular values."""
    return 1 / (np.linalg.norm(features, 2) ** 2 / 2 + lam)


def fitted(student, *args, **kwargs):
    """The student's weights and history, as finite numbers."""
    weights, history = parts(student.fit_softmax(*args, **kwargs), 2)
    return numbers(weights), numbers(history)


@exercise("fit_softmax", gate=True, weight=4)
def test_a_few_steps_agree_with_a_slow_and_simple_program(student):
    """Step by step the weights and the history are those of a slow and simple program."""
    weights, history = fitted(student, X, Y, 4, lam=0.5, eta=0.1, n_steps=5)
    expected = climb(X, Y, 4, 0.5, 0.1, 5)
    assert_matches(weights, expected[0], rtol=1e-7)
    assert_matches(history, expected[1], rtol=1e-7)


@exercise("fit_softmax", weight=3)
def test_the_default_step_is_one_over_the_curvature(student):
    """Without a step size, one over L is taken: half the largest eigenvalue of X'X plus lam, for these data."""
    for seed, lam in [(30, 1.0), (31, 20.0), (32, 0.0)]:
        features, labels, _ = problem(seed, 25, 3, 3)
        features[:, 2] *= 7
        weights, history = fitted(student, features, labels, 3, lam=lam, n_steps=4)
        expected = climb(features, labels, 3, lam, safe_step(features, lam), 4)
        assert_matches(weights, expected[0], rtol=1e-6, atol=1e-9)
        assert_matches(history, expected[1], rtol=1e-7)


@exercise("fit_softmax", weight=2)
def test_by_default_there_are_three_hundred_steps_and_a_penalty_of_one(student):
    """With nothing but data and the number of classes: lam is 1, and 300 steps are made."""
    features, labels, _ = problem(33, 12, 2, 3)
    weights, history = fitted(student, features, labels, 3)
    expected = climb(features, labels, 3, 1.0, safe_step(features, 1.0), 300)
    assert history.shape == (301,)
    assert_matches(weights, expected[0], rtol=1e-6, atol=1e-8)


@exercise("fit_softmax", weight=2)
def test_the_default_step_never_goes_down(student):
    """At the default step the objective never falls, whatever the scale of the features is."""
    for seed in range(40, 46):
        features, labels, _ = problem(seed, 40, 4, 4)
        features[:, 1:] = features[:, 1:] * [1, 10, 0.1, 3] + [0, 5, 0, -3]
        _, history = fitted(student, features, labels, 4, lam=0.1, n_steps=200)
        assert history.shape == (201,)
        assert np.diff(history).min() > -1e-9 and history[-1] > history[0] + 1


@exercise("fit_softmax", weight=3)
def test_a_strong_penalty_leaves_the_class_shares_alone(student):
    """Intercepts are free: however strong the penalty is, the mean probability of a class is its share
    of the labels.
    """
    features, _, _ = problem(50, 60, 3, 3)
    labels = np.repeat([0, 1, 2], [42, 12, 6])
    weights, _ = fitted(student, features, labels, 3, lam=50.0, n_steps=1000)
    assert_matches(slow_probabilities(weights, features).mean(axis=0), [0.7, 0.2, 0.1], atol=1e-5)
    assert np.abs(weights[1:]).max() < 0.5, "the other weights are not held back"


@exercise("fit_softmax")
def test_at_the_summit_the_penalty_holds_the_gradient(student):
    """After many steps nothing is left to gain: the slope of the log-likelihood equals the pull of the penalty."""
    features, labels, _ = problem(51, 50, 2, 3)
    weights, _ = fitted(student, features, labels, 3, lam=2.0, n_steps=1000)
    pull = 2.0 * weights
    pull[0] = 0
    assert_matches(slow_gradient(weights, features, labels), pull, atol=1e-5)


@exercise("fit_softmax")
def test_without_steps_nothing_has_moved(student):
    """No step is a case, too: weights of zero, and a history with one entry, n times log(1/K)."""
    weights, history = fitted(student, X, Y, 4, n_steps=0)
    assert_matches(weights, np.zeros((3, 4)))
    assert_matches(history, [-5 * log(4)])


@exercise("fit_softmax")
def test_a_step_that_is_far_too_long_still_ends_in_numbers(student):
    """A step that is far too long makes scores of many thousands, and a poor objective; but numbers, not nan."""
    weights, history = fitted(student, X, Y, 4, lam=0.5, eta=5e3, n_steps=1)
    far = 5e3 * slow_gradient(np.zeros((3, 4)), X, Y)
    scores = X @ far
    value = np.sum(scores[np.arange(5), Y] - np.logaddexp.reduce(scores, axis=1)) - 0.25 * np.sum(far[1:] ** 2)
    assert_matches(weights, far)
    assert_matches(history, [-5 * log(4), value])


@exercise("fit_softmax")
def test_a_class_without_examples_has_weights(student):
    """A class that never occurs keeps its column, with finite weights, and is expected less and less."""
    labels = np.array([2, 0, 0, 2, 2])
    weights, history = fitted(student, X, labels, 4, lam=1.0, eta=0.2, n_steps=6)
    expected = climb(X, labels, 4, 1.0, 0.2, 6)
    assert_matches(weights, expected[0], rtol=1e-7)
    assert_matches(history, expected[1], rtol=1e-7)


@exercise("fit_softmax")
def test_the_same_call_gives_the_same_answer(student):
    """Nothing is left to chance: the same data give the same weights and the same history."""
    features, labels, _ = problem(52, 30, 3, 3)
    first, second = (fitted(student, features, labels, 3, n_steps=20) for _ in range(2))
    assert_matches(first[0], second[0], rtol=0, atol=0)
    assert_matches(first[1], second[1], rtol=0, atol=0)
    assert_matches(first[0], climb(features, labels, 3, 1.0, safe_step(features, 1.0), 20)[0], rtol=1e-6)


@exercise("fit_softmax", weight=2)
def test_centred_digits_are_read(student):
    """Trained on 1,347 centred images by default, the weights read at least 96% of 450 others."""
    with np.load(DIGITS) as digits:
        images, labels = digits["X"].astype(float) / 16, digits["y"].astype(int)
    order = np.random.default_rng(0).permutation(len(labels))
    seen, unseen = np.split(order, [1347])
    images = np.column_stack([np.ones(len(images)), images - images[seen].mean(axis=0)])
    weights, history = fitted(student, images[seen], labels[seen], 10)
    assert weights.shape == (65, 10) and history.shape == (301,)
    assert np.mean((images[unseen] @ weights).argmax(axis=1) == labels[unseen]) >= 0.96
    assert_matches(history[0], -1347 * log(10))
    assert -320 < history[-1] < -308


@exercise("fit_softmax")
def test_ten_thousand_rows_in_a_few_seconds(student):
    """Ten thousand rows and 300 steps, which a loop over rows cannot do in time."""
    features = Code("np.column_stack([np.ones(10_000), np.tile([[1.0], [-1.0], [1.0], [-1.0], [1.0]], (2_000, 1))])")
    labels = Code("np.tile([1, 0, 1, 1, 0], 2_000)")
    weights, history = fitted(student, features, labels, 2, lam=0.0)
    assert history.shape == (301,)
    assert_matches(weights.sum(axis=1), [0, 0], atol=1e-6)
    assert_matches(slow_probabilities(weights, [[1.0, 1.0], [1.0, -1.0]]), [[1 / 3, 2 / 3], [1 / 2, 1 / 2]], atol=1e-6)


@exercise("fit_softmax")
def test_examples_for_fitting_are_left_as_they_were(student):
    """The caller's arrays belong to the caller, and lists are as good as arrays."""
    unchanged(student.fit_softmax, X, Y, 4, n_steps=3)
    weights, _ = fitted(student, X.tolist(), Y.tolist(), 4, lam=0.5, eta=0.1, n_steps=2)
    assert_matches(weights, climb(X, Y, 4, 0.5, 0.1, 2)[0], rtol=1e-7)


# --- to_reference and proba_reference ---------------------------------------------------------------------------------


@exercise("to_reference", gate=True, weight=3)
def test_the_last_class_is_the_reference(student):
    """Each class but the last has a column: its weights minus those of the last class."""
    assert_matches(student.to_reference(W), [[0.5, -1.0, 0.25], [0.8, 0.3, -0.95], [0.9, 2.0, 1.8]])


@exercise("to_reference", gate=True, weight=3)
def test_the_reference_has_score_zero(student):
    """All classes have a probability, the last one with a score of zero."""
    V = np.log([[2.0, 5.0, 1.0], [3.0, 0.5, 4.0]])
    expected = [[2 / 9, 5 / 9, 1 / 9, 1 / 9], [6 / 13.5, 2.5 / 13.5, 4 / 13.5, 1 / 13.5]]
    assert_matches(student.proba_reference(V, [[1.0, 0.0], [1.0, 1.0]]), expected)


@exercise("to_reference", weight=3)
def test_both_forms_give_the_same_probabilities(student):
    """The model is the same in both forms: each example has the same probabilities, of all classes."""
    for seed, (n, d, n_classes) in enumerate([(9, 3, 4), (6, 1, 3), (5, 2, 6), (4, 3, 2)], start=60):
        features, _, weights = problem(seed, n + n_classes, d, n_classes)
        there = student.to_reference(weights)
        assert_matches(student.proba_reference(there, features), slow_probabilities(weights, features))


@exercise("to_reference")
def test_the_useless_direction_is_gone(student):
    """All matrices that describe the same model have the same reference form."""
    shift = np.array([[4.0], [-1.5], [0.25]])
    assert_matches(student.to_reference(W + shift), student.to_reference(W), atol=1e-9)
    assert_matches(student.to_reference(np.repeat(shift, 5, axis=1)), np.zeros((3, 4)))


@exercise("to_reference")
def test_there_and_back_is_where_we_started(student):
    """Put a column of zeros beside the reference form: that is a full form again, and its reference form the same."""
    V = np.array([[0.3, -2.0, 1.1], [4.0, 0.0, -0.7]])
    assert_matches(student.to_reference(np.column_stack([V, np.zeros(2)])), V)


@exercise("to_reference")
def test_log_odds_against_the_reference_are_linear(student):
    """The log-odds of a class against the last one are a weighted sum of the features, with its column as weights."""
    features, _, weights = problem(64, 8, 2, 4)
    p = numbers(student.proba_reference(weights, features))
    assert p.shape == (8, 5) and (p > 0).all()
    assert_matches(np.log(p[:, :-1] / p[:, -1:]), features @ weights)


@exercise("to_reference")
def test_without_weights_all_classes_share_evenly(student):
    """With V = 0 every class, the reference included, has the same probability."""
    assert_matches(student.proba_reference(np.zeros((3, 4)), X), np.full((5, 5), 0.2))


@exercise("to_reference")
def test_two_classes_leave_one_vector_and_the_sigmoid(student):
    """With two classes one vector is left, and the probability of class 0 is the sigmoid of its score."""
    w = np.array([[0.3], [-1.2], [0.5]])
    p = 1 / (1 + np.exp(-X @ w))
    assert_matches(student.proba_reference(w, X), np.hstack([p, 1 - p]))
    assert_matches(student.to_reference(W[:, :2]), W[:, :1] - W[:, 1:2])


@exercise("to_reference", weight=2)
def test_scores_of_ten_thousand_against_the_reference(student):
    """Scores of ten thousand, for or against the reference, give probabilities and not nan."""
    V = np.array([[0.0, log(3)], [1e4, 1e4]])
    table = student.proba_reference(V, [[1.0, 1.0], [1.0, -1.0], [1.0, 0.0]])
    assert_matches(table, [[1 / 4, 3 / 4, 0], [0, 0, 1], [1 / 5, 3 / 5, 1 / 5]], rtol=1e-9)


@exercise("to_reference")
def test_one_class_against_all_odds(student):
    """A single class that wins by far leaves the reference nothing, and rows do not disturb each other."""
    V = np.array([[0.0, 0.0, 0.0], [1e4, -1e4, 500.0]])
    table = student.proba_reference(V, [[1.0, 1.0], [1.0, -1.0], [1.0, 0.0]])
    assert_matches(table, [[1, 0, 0, 0], [0, 1, 0, 0], [0.25, 0.25, 0.25, 0.25]])


@exercise("to_reference")
def test_both_forms_are_left_as_they_were(student):
    """The caller's arrays belong to the caller, and lists of whole numbers are as good as arrays."""
    unchanged(student.to_reference, W)
    unchanged(student.proba_reference, W[:, :3], X)
    assert_matches(student.to_reference([[3, 1, 2, 7]]), [[-4, -6, -5]])
