"""Hidden suite for 08_softmax. A failing check shows the student its docstring, no more."""

from math import exp, log
from pathlib import Path

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import (
    Code,
    assert_matches,
    assert_raises,
    assert_type,
    exercise,
    leaves_alone,
    numbers,
    parts,
)

IMAGES = Path(__file__).resolve().parents[2] / "data" / "digits.npz"

# Slopes are differences of numbers near 1: in single precision they are right to six digits of these.
SLOPES = {"rtol": 1e-5, "atol": 1e-5}


def odds_and_shares(draw, rows, classes):
    """Odds of classes in some rows, and the probabilities that they mean; no row or column looks like another."""
    odds = draw.wholes((rows, classes), 1, 3 * rows * classes).astype(float)
    return odds, odds / odds.sum(axis=1, keepdims=True)


def log_probabilities(weights, features):
    """The logarithms of the probabilities of all classes, for scores of any size."""
    scores = np.asarray(features, dtype=float) @ np.asarray(weights, dtype=float)
    return scores - np.logaddexp.reduce(scores, axis=1)[:, None]


def log_likelihood(weights, features, labels):
    """The sum of the logarithms of the probabilities of the labels, example by example."""
    table = log_probabilities(weights, features)
    return sum(table[i, label] for i, label in enumerate(labels))


def gradient(weights, features, labels):
    """Class by class: indicator minus probability, times the features, summed over the examples."""
    table = np.exp(log_probabilities(weights, features))
    columns = [np.sum(((labels == k) - table[:, k])[:, None] * features, axis=0) for k in range(table.shape[1])]
    return np.column_stack(columns)


def problem(draw, n=None, d=None, classes=None):
    """Examples with a column of ones, unbalanced labels of all classes, and weights; all sizes differ."""
    d = d or draw.whole(3, 4)
    classes = classes or 3 + draw.whole(0, d - 3)  # fewer than weights of a class, in the reference form as well
    n = n or classes * (classes + 1) // 2 + draw.whole(1, 3)
    features = np.column_stack([np.ones(n), draw.numbers((n, d), -1.5, 1.7)])
    return features, draw.labels(n, classes), draw.numbers((d + 1, classes), -1.2, 1.4)


# --- softmax ----------------------------------------------------------------------------------------------------------


@exercise("softmax", gate=True)
def test_scores_are_logarithms_of_odds(student, draw):
    """Scores are log-odds: a class whose score is larger by log 2 is twice as probable, in every row by itself."""
    odds, shares = odds_and_shares(draw, 4, 3)
    assert_matches(student.softmax(np.log(odds)), shares)


@exercise("softmax")
def test_a_number_added_to_a_row_changes_nothing(student, draw):
    """Only differences of scores count: add a number to a row, another one to another row, and nothing changes."""
    odds, shares = odds_and_shares(draw, 4, 3)
    assert_matches(student.softmax(np.log(odds) + draw.numbers((4, 1), -4, 4)), shares, rtol=1e-5)


@exercise("softmax", Kind.SIZES)
def test_one_row_of_scores_gives_one_row_of_probabilities(student, draw):
    """A single row of scores, without a second dimension, gives a single row of probabilities."""
    odds, shares = odds_and_shares(draw, 1, 4)
    assert_matches(student.softmax(np.log(odds[0])), shares[0])


@exercise("softmax", Kind.SIZES)
def test_two_classes_make_a_sigmoid(student, draw):
    """With two classes the first one has the sigmoid of the difference of the scores."""
    differences = draw.numbers(4, -3, 3)
    table = student.softmax(np.column_stack([differences + 2, np.full(4, 2.0)]))
    assert_matches(table, [[1 / (1 + exp(-d)), 1 / (1 + exp(d))] for d in differences])


@exercise("softmax", Kind.SIZES)
def test_many_classes_share_one_whole(student, draw):
    """However many rows and classes there are: every row sums to 1, and each class has its share."""
    odds, shares = odds_and_shares(draw, draw.whole(5, 7), draw.whole(8, 11))
    assert_matches(student.softmax(np.log(odds)), shares, rtol=1e-5)


@exercise("softmax", Kind.EDGE)
def test_equal_scores_share_evenly(student, draw):
    """Equal scores give equal probabilities, whatever the scores are; a single class has everything."""
    classes, score = draw.whole(4, 7), draw.number(-6, 6)
    assert_matches(student.softmax(np.full((2, classes), score)), np.full((2, classes), 1 / classes))
    assert_matches(student.softmax(draw.numbers((3, 1))), np.ones((3, 1)))


@exercise("softmax", Kind.STABILITY)
def test_scores_of_ten_thousand_mean_something(student, draw):
    """Scores near 10,000 and -10,000 have differences like any others, and probabilities like any others."""
    odds, shares = odds_and_shares(draw, 4, 3)
    for shift in (1e4, -1e4):
        assert_matches(student.softmax(np.log(odds) + shift), shares)


@exercise("softmax", Kind.STABILITY)
def test_rows_of_very_different_size_do_not_disturb_each_other(student, draw):
    """Huge scores in one row do no harm to small ones in another, nor the other way round."""
    odds, shares = odds_and_shares(draw, 4, 3)
    shifts = np.array([[1000.0], [0.0], [-1000.0], [-1e4]])[draw.order(4)]
    assert_matches(student.softmax(np.log(odds) + shifts), shares)


@exercise("softmax", Kind.STABILITY)
def test_a_hopeless_class_may_have_nothing_left(student, draw):
    """With differences in the tens of thousands the winner has everything, and the result is still a number."""
    gap = draw.number(2, 6)
    table = numbers(student.softmax(np.array([[1e4, -1e4, 0.0], [-3e4, gap, 0.0]])))
    assert_matches(table, [[1, 0, 0], [0, 1 / (1 + exp(-gap)), 1 / (1 + exp(gap))]])


@exercise("softmax", Kind.SPEED)
def test_millions_of_rows_take_no_time(student, draw):
    """Two million rows at once, which a loop over rows cannot do in time."""
    odds = draw.wholes((2, 2), 1, 9)
    scores = Code(f"np.tile(np.log({odds.tolist()}), (1_750_000, 1))")
    shares = odds / odds.sum(axis=1, keepdims=True)
    assert_matches(student.softmax(scores), np.tile(shares, (1_750_000, 1)))


@exercise("softmax", Kind.SIDE_EFFECT)
def test_the_scores_are_left_as_they_were(student, draw):
    """The caller's scores belong to the caller: after the call they are what they were."""
    leaves_alone(student.softmax, draw.numbers((4, 3)) + 5)
    leaves_alone(student.softmax, draw.numbers(3))


@exercise("softmax", Kind.TYPE)
def test_whole_numbers_are_scores_too(student, draw):
    """Scores may be whole numbers, in lists or in arrays."""
    scores = draw.wholes((2, 3), -2, 4)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert_matches(student.softmax(scores.tolist()), shares)
    assert_matches(student.softmax(scores), shares)


# --- one_hot ----------------------------------------------------------------------------------------------------------


def indicators(labels, classes):
    """The table, entry by entry."""
    return [[float(label == k) for k in range(classes)] for label in labels]


@exercise("one_hot", gate=True)
def test_every_example_has_its_one_in_the_column_of_its_label(student, draw):
    """A row for each example, a column for each class, and a single 1 in each row: in the column of the label."""
    labels = np.concatenate([draw.labels(10, 4), [3]])
    assert_matches(student.one_hot(labels, 4), indicators(labels, 4))


@exercise("one_hot", Kind.SIZES)
def test_rows_name_the_label_and_columns_count_the_examples(student, draw):
    """The 1 of a row stands at its label, and the sum of a column is the number of examples of its class."""
    classes = draw.whole(6, 9)
    labels = np.append(draw.rng.integers(classes, size=200), classes - 1)
    table = _numeric(student.one_hot(labels, classes))
    assert table.shape == (201, classes)
    assert_matches(table.argmax(axis=1), labels)
    assert_matches(table.sum(axis=0), np.bincount(labels, minlength=classes))
    assert_matches(table.sum(axis=1), np.ones(201))


@exercise("one_hot", Kind.SIZES)
def test_hundreds_of_classes_are_classes(student, draw):
    """Hundreds of classes, most of them without an example."""
    labels = draw.wholes(3, 3, 290)
    table = _numeric(student.one_hot(labels, 300))
    assert_matches(table.shape, [3, 300])
    assert_matches(np.argwhere(table), [[0, labels[0]], [1, labels[1]], [2, labels[2]]])


@exercise("one_hot", Kind.EDGE)
def test_a_class_without_examples_keeps_its_column(student, draw):
    """The number of columns is the number of classes, whichever labels occur."""
    classes = draw.whole(5, 7)
    labels = draw.wholes(2, 0, classes - 3)
    assert_matches(student.one_hot(labels, classes), indicators(labels, classes))
    assert_matches(student.one_hot(np.zeros(3, dtype=int), 4), [[1, 0, 0, 0]] * 3)


@exercise("one_hot", Kind.REFUSAL)
def test_a_label_beyond_the_last_class_is_refused(student, draw):
    """With K classes the last label is K - 1. A larger one is a ValueError, also if it is only one of many."""
    classes = draw.whole(4, 6)
    labels = draw.order(classes)
    assert_raises(ValueError, student.one_hot, np.append(labels, classes), classes)
    assert_raises(ValueError, student.one_hot, np.insert(labels, 1, classes + draw.whole(2, 9)), classes)


@exercise("one_hot", Kind.REFUSAL)
def test_a_negative_label_is_refused(student, draw):
    """A negative label is a ValueError; it does not count from the end."""
    classes = draw.whole(3, 6)
    labels = draw.order(classes)
    assert_raises(ValueError, student.one_hot, np.insert(labels, 1, -1), classes)
    assert_raises(ValueError, student.one_hot, np.append(labels, -classes), classes)


@exercise("one_hot", Kind.REFUSAL)
def test_labels_of_type_float_are_refused(student, draw):
    """Labels are integers by type. Floats are refused, whole or not, with an error of whatever kind."""
    labels = draw.order(4)
    for wrong in (labels.astype(float), labels + 0.5):
        assert_raises(Exception, student.one_hot, wrong, 6)


@exercise("one_hot", Kind.TYPE)
def test_the_table_holds_numbers_to_calculate_with(student, draw):
    """The table holds numbers of type float, ready for matrix products."""
    table = student.one_hot(draw.order(3), 3)
    assert_type(table, "f")


@exercise("one_hot", Kind.TYPE)
def test_labels_may_come_in_a_list(student, draw):
    """Labels in a list are as good as labels in an array."""
    labels = draw.order(5).tolist()
    assert_matches(student.one_hot(labels, 5), indicators(labels, 5))


@exercise("one_hot", Kind.SIDE_EFFECT)
def test_the_labels_are_left_as_they_were(student, draw):
    """The caller's labels belong to the caller: after the call they are what they were."""
    leaves_alone(student.one_hot, draw.labels(6, 3), 3)


def _numeric(table):
    """The student's table as numbers: truth values count as 0 and 1 here, a check of its own asks for the type."""
    array = np.asarray(table)
    assert array.dtype.kind in "biuf", f"{array.dtype} instead of numbers"
    return array.astype(float)


# --- log_likelihood ---------------------------------------------------------------------------------------------------


@exercise("log_likelihood", gate=True)
def test_the_labels_have_the_probability_that_the_model_gives_them(student, draw):
    """The logarithms of the probabilities of the true classes, one per example, summed."""
    features, labels, weights = problem(draw)
    assert_matches(student.log_likelihood(weights, features, labels), log_likelihood(weights, features, labels))


@exercise("log_likelihood")
def test_without_weights_every_class_is_equally_likely(student, draw):
    """At W = 0 every example has one chance in K, whatever its features and its label are."""
    features, labels, weights = problem(draw)
    n, classes = len(labels), weights.shape[1]
    assert_matches(student.log_likelihood(np.zeros(weights.shape), features, labels), -n * log(classes))
    more = np.zeros((weights.shape[0], classes + 3))
    assert_matches(student.log_likelihood(more, features, labels), -n * log(classes + 3))


@exercise("log_likelihood")
def test_the_examples_add_up(student, draw):
    """It is a sum over the examples: two halves add up to the whole, and the same examples twice count twice."""
    X, y, W = problem(draw, 16)
    whole, cut = log_likelihood(W, X, y), draw.whole(2, 3)
    halves = [student.log_likelihood(W, X[:cut], y[:cut]), student.log_likelihood(W, X[cut:], y[cut:])]
    assert_matches(numbers(halves).sum(), whole)
    assert_matches(student.log_likelihood(W, np.vstack([X, X]), np.append(y, y)), 2 * whole)


@exercise("log_likelihood")
def test_the_same_vector_added_to_every_class_changes_nothing(student, draw):
    """Add the same vector to the weights of every class: no probability changes, nor does their product."""
    X, y, W = problem(draw)
    shift = draw.coefficients(len(W), 4.0)[:, None]
    assert_matches(student.log_likelihood(W + shift, X, y), log_likelihood(W, X, y))


@exercise("log_likelihood")
def test_classes_may_change_places(student, draw):
    """Renumber the classes, in the weights and in the labels: the log-likelihood stays."""
    X, y, W = problem(draw)
    order = draw.order(W.shape[1])  # the new class j is the old class order[j]
    assert_matches(student.log_likelihood(W[:, order], X, np.argsort(order)[y]), log_likelihood(W, X, y))


@exercise("log_likelihood", Kind.SIZES)
def test_other_sizes_agree_with_the_formula(student, draw):
    """Few classes or many, one feature or none besides the intercept: the sum is what the formula says."""
    for n, d, classes in [(9, 1, 3), (24, 4, 6)]:
        X, y, W = problem(draw, n, d, classes)
        assert_matches(student.log_likelihood(W, X, y), log_likelihood(W, X, y))
    _, y, W = problem(draw, 12, 1, 4)
    assert_matches(student.log_likelihood(W[:1], np.ones((12, 1)), y), log_likelihood(W[:1], np.ones((12, 1)), y))


@exercise("log_likelihood", Kind.SIZES)
def test_two_classes_agree_with_logistic_regression(student, draw):
    """With two classes it is the log-likelihood of logistic regression, whose weights are the difference of the two."""
    X, y, W = problem(draw, 15, 3, 2)
    z = X @ (W[:, 1] - W[:, 0])
    assert_matches(student.log_likelihood(W, X, y), np.sum(y * z - np.log1p(np.exp(z))))


@exercise("log_likelihood", Kind.EDGE)
def test_a_class_without_examples_is_a_class(student, draw):
    """A class that no example belongs to takes its share of the probability all the same."""
    X, y, W = problem(draw)
    y = np.where(y == W.shape[1] - 1, 0, y)
    assert_matches(student.log_likelihood(W, X, y), log_likelihood(W, X, y))


@exercise("log_likelihood", Kind.STABILITY)
def test_scores_of_ten_thousand_are_no_obstacle(student, draw):
    """A label that is against all odds costs its distance from the best score, 10,000 or more, and not infinity."""
    X = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 2.0]])
    large = draw.number(1e4, 3e4)
    W = np.array([[0.0, 0.0, 0.0], [large, 0.0, -large]])
    assert_matches(student.log_likelihood(W, X, np.array([1, 1, 2])), -6 * large)
    assert_matches(student.log_likelihood(W, X, np.array([0, 2, 0])), 0)


@exercise("log_likelihood", Kind.STABILITY)
def test_rows_of_very_different_size_are_judged_by_themselves(student, draw):
    """Huge scores in one example leave the digits of another one alone."""
    odds, shift = draw.wholes(3, 2, 9).astype(float), draw.number(800, 900)
    X, W = np.array([[1.0, 0.0], [1.0, shift], [1.0, -shift]]), np.array([np.log(odds), np.ones(3)])
    expected = log(odds.prod() / odds.sum() ** 3)
    assert_matches(student.log_likelihood(W, X, np.array([1, 0, 2])), expected)


@exercise("log_likelihood", Kind.SPEED)
def test_millions_of_examples_can_be_judged_at_once(student, draw):
    """Two million examples, which a loop over them cannot do in time."""
    odds = draw.whole(2, 9)
    X, y = Code("np.ones((2_000_000, 1))"), Code("np.tile([1, 0], 1_000_000)")
    result = student.log_likelihood(np.log([[1.0, odds]]), X, y)
    assert_matches(result, 1_000_000 * (log(odds / (1 + odds)) + log(1 / (1 + odds))))


@exercise("log_likelihood", Kind.SIDE_EFFECT)
def test_weights_and_examples_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they are what they were."""
    X, y, W = problem(draw)
    leaves_alone(student.log_likelihood, W, X, y)


@exercise("log_likelihood", Kind.TYPE)
def test_lists_have_a_log_likelihood_too(student, draw):
    """Weights, features and labels may come in lists."""
    X, y, W = problem(draw)
    assert_matches(student.log_likelihood(W.tolist(), X.tolist(), y.tolist()), log_likelihood(W, X, y))


@exercise("log_likelihood", Kind.TYPE)
def test_a_log_likelihood_is_one_number(student, draw):
    """One number comes back, not an array; and a model that is certain and right has a log-likelihood near 0."""
    result = student.log_likelihood(draw.number(50, 90) * np.eye(4)[:3], np.eye(3), np.array([0, 1, 2]))
    assert np.ndim(result) == 0, "an array instead of one number"
    assert_matches(result, 0)


# --- gradient ---------------------------------------------------------------------------------------------------------


@exercise("gradient", gate=True)
def test_what_was_minus_what_was_expected_times_the_input(student, draw):
    """One slope for each weight: what was minus what was expected, times the input, summed over the examples."""
    X, y, W = problem(draw)
    assert_matches(student.gradient(W, X, y), gradient(W, X, y), **SLOPES)


@exercise("gradient")
def test_the_gradient_agrees_with_finite_differences(student, draw):
    """A small step in one weight changes the log-likelihood by the slope that the gradient names for it."""
    X, y, W = problem(draw)
    expected = np.zeros(W.shape)
    for place in np.ndindex(*W.shape):
        nudge = np.zeros(W.shape)
        nudge[place] = 1e-5
        after, before = (log_probabilities(W + s * nudge, X)[np.arange(len(y)), y].sum() for s in (1, -1))
        expected[place] = (after - before) / 2e-5
    assert_matches(student.gradient(W, X, y), expected, **SLOPES)


@exercise("gradient")
def test_every_row_of_the_gradient_sums_to_zero(student, draw):
    """What one class gains, the others lose: the slopes of each feature sum to zero over the classes."""
    X, y, W = problem(draw, 24, 3, 6)
    slopes = numbers(student.gradient(W, X, y))
    assert_matches(slopes.sum(axis=1), np.zeros(4), atol=1e-5)
    assert_matches(slopes[:, 0], gradient(W, X, y)[:, 0], **SLOPES)


@exercise("gradient")
def test_renumbered_classes_have_renumbered_slopes(student, draw):
    """Renumber the classes, in the weights and in the labels: the columns of the gradient change places, no more."""
    X, y, W = problem(draw)
    order = draw.order(W.shape[1])
    slopes = student.gradient(W[:, order], X, np.argsort(order)[y])
    assert_matches(slopes, gradient(W, X, y)[:, order], **SLOPES)


@exercise("gradient")
def test_slopes_of_the_examples_add_up(student, draw):
    """It is a sum over the examples: the same examples three times have three times the slope."""
    X, y, W = problem(draw)
    assert_matches(student.gradient(W, np.vstack([X, X, X]), np.tile(y, 3)), 3 * gradient(W, X, y), **SLOPES)


@exercise("gradient")
def test_the_same_vector_added_to_every_class_changes_no_slope(student, draw):
    """Add the same vector to the weights of every class: no probability changes, and no slope."""
    X, y, W = problem(draw)
    assert_matches(student.gradient(W + draw.coefficients(len(W), 3.0)[:, None], X, y), gradient(W, X, y), **SLOPES)


@exercise("gradient", Kind.SIZES)
def test_gradients_of_other_sizes_agree_with_a_slow_program(student, draw):
    """Few classes or many, or as many as features; hardly any feature: every slope is the sum over the examples."""
    for n, d, classes in [(9, 1, 3), (24, 4, 6), (12, 2, 3)]:
        X, y, W = problem(draw, n, d, classes)
        assert_matches(student.gradient(W, X, y), gradient(W, X, y), **SLOPES)
    _, y, W = problem(draw, 12, 1, 4)
    assert_matches(student.gradient(W[:1], np.ones((12, 1)), y), gradient(W[:1], np.ones((12, 1)), y), **SLOPES)


@exercise("gradient", Kind.SIZES)
def test_two_classes_have_opposite_slopes(student, draw):
    """With two classes one column is the gradient of logistic regression, and the other one is its negative."""
    X, y, W = problem(draw, 15, 3, 2)
    p = 1 / (1 + np.exp(-X @ (W[:, 1] - W[:, 0])))
    slope = X.T @ (y - p)
    assert_matches(student.gradient(W, X, y), np.column_stack([-slope, slope]), **SLOPES)


@exercise("gradient", Kind.EDGE)
def test_a_class_that_does_not_occur_is_pushed_away(student, draw):
    """A class without examples has a column as well: nothing speaks for it, and what was expected speaks against it."""
    X, y, W = problem(draw)
    y = np.where(y == W.shape[1] - 1, 0, y)
    assert_matches(student.gradient(W, X, y), gradient(W, X, y), **SLOPES)


@exercise("gradient", Kind.STABILITY)
def test_certainty_has_a_slope_too(student, draw):
    """With scores of 10,000 the probabilities are 0 and 1, and the slopes whole examples: numbers, not nan."""
    a, b, c = draw.numbers(3, 1, 3)
    X, large = np.array([[1.0, a], [1.0, -b], [1.0, c]]), draw.number(1e4, 2e4)
    W = np.array([[0.0, 0.0, 0.0], [large, 0.0, -large]])
    slopes = student.gradient(W, X, np.array([1, 2, 0]))
    assert_matches(slopes, [[-1, 1, 0], [-a, a, 0]])


@exercise("gradient", Kind.SPEED)
def test_millions_of_examples_have_a_slope_in_no_time(student, draw):
    """Two million examples, which a loop over them cannot do in time."""
    odds = draw.whole(2, 9)
    X, y = Code("np.ones((2_000_000, 1))"), Code("np.tile([1, 0], 1_000_000)")
    slope = 1e6 * (odds - 1) / (odds + 1)
    assert_matches(student.gradient(np.log([[1.0, odds]]), X, y), [[slope, -slope]])


@exercise("gradient", Kind.SIDE_EFFECT)
def test_what_the_gradient_is_of_is_left_as_it_was(student, draw):
    """The caller's arrays are after the call what they were before."""
    X, y, W = problem(draw)
    leaves_alone(student.gradient, W, X, y)


@exercise("gradient", Kind.TYPE)
def test_lists_have_a_gradient_too(student, draw):
    """Weights, features and labels may come in lists."""
    X, y, W = problem(draw)
    assert_matches(student.gradient(W.tolist(), X.tolist(), y.tolist()), gradient(W, X, y), **SLOPES)


# --- fit_softmax ------------------------------------------------------------------------------------------------------


def climb(X, y, classes, lam, eta, n_steps):
    """Weights and history, step by step, with the gradient above."""
    weights = np.zeros((X.shape[1], classes))
    history = []
    for step in range(n_steps + 1):
        value = log_probabilities(weights, X)[np.arange(len(y)), y].sum()
        history.append(value - lam / 2 * np.sum(weights[1:] ** 2))
        if step < n_steps:
            slopes = gradient(weights, X, y)
            slopes[1:] -= lam * weights[1:]
            weights = weights + eta * slopes
    return weights, np.array(history)


def safe_step(X, lam):
    """1 / L, with the largest eigenvalue from the singular values."""
    return 1 / (np.linalg.norm(X, 2) ** 2 / 2 + lam)


def fitted(student, *args, **kwargs):
    """The student's weights and history, as finite numbers."""
    weights, history = parts(student.fit_softmax(*args, **kwargs), 2)
    return numbers(weights), numbers(history)


def assert_climbs(student, X, y, classes, *, lam, n_steps, eta=None):
    """Fail unless weights and history are those of the slow program."""
    given = {"lam": lam, "n_steps": n_steps} if eta is None else {"lam": lam, "eta": eta, "n_steps": n_steps}
    weights, history = fitted(student, X, y, classes, **given)
    expected = climb(X, y, classes, lam, safe_step(X, lam) if eta is None else eta, n_steps)
    assert_matches(weights, expected[0], **SLOPES)
    assert_matches(history, expected[1], rtol=1e-5)


@exercise("fit_softmax", gate=True)
def test_a_few_steps_agree_with_a_slow_and_simple_program(student, draw):
    """Step by step the weights and the history are those of a slow and simple program."""
    X, y, W = problem(draw)
    lam, eta = draw.number(0.6, 1.6), draw.number(0.06, 0.09)
    assert_climbs(student, X, y, W.shape[1], lam=lam, eta=eta, n_steps=5)


@exercise("fit_softmax")
def test_the_default_step_is_one_over_the_curvature(student, draw):
    """Without a step size, one over L is taken: half the largest eigenvalue of X'X plus lam, for these data."""
    for lam in draw.numbers(2, 1.5, 20):
        X, y, W = problem(draw, 25, 3, 4)
        X[:, 2] *= draw.number(3, 7)
        assert_climbs(student, X, y, W.shape[1], lam=float(lam), n_steps=4)


@exercise("fit_softmax")
def test_by_default_there_are_three_hundred_steps_and_a_penalty_of_one(student, draw):
    """With nothing but data and the number of classes: lam is 1, and 300 steps are made."""
    X, y, _ = problem(draw, 12, 2, 3)
    weights, history = fitted(student, X, y, 3)
    assert history.shape == (301,)
    assert_matches(weights, climb(X, y, 3, 1.0, safe_step(X, 1.0), 300)[0], rtol=1e-4, atol=1e-4)


@exercise("fit_softmax")
def test_the_default_step_never_goes_down(student, draw):
    """At the default step the objective never falls, whatever the scale of the features is."""
    for _ in range(2):
        X, y, _ = problem(draw, 40, 4, 5)
        X[:, 1:] = X[:, 1:] * draw.scales(4, 2) + draw.coefficients(4, 4.0)
        _, history = fitted(student, X, y, 5, lam=0.1, n_steps=100)
        assert history.shape == (101,)
        assert np.diff(history).min() > -1e-5 * abs(history[0]) and history[-1] > history[0] + 0.5


@exercise("fit_softmax")
def test_a_strong_penalty_leaves_the_class_shares_alone(student, draw):
    """Intercepts are free: however strong the penalty, the mean probability of a class is its share of the labels."""
    X, _, _ = problem(draw, 60, 3, 3)
    labels = draw.rng.permutation(np.repeat(draw.order(3), [42, 12, 6]))
    lam = draw.number(40, 60)
    weights, _ = fitted(student, X, labels, 3, lam=lam, eta=safe_step(X, lam), n_steps=300)
    shares = np.exp(log_probabilities(weights, X)).mean(axis=0)
    assert_matches(shares, np.bincount(labels) / 60, atol=1e-4)
    assert np.abs(weights[1:]).max() < 0.5, "the other weights are not held back"


@exercise("fit_softmax")
def test_at_the_summit_the_penalty_holds_the_gradient(student, draw):
    """After many steps nothing is left to gain: the slope of the log-likelihood equals the pull of the penalty."""
    X, y, _ = problem(draw, 50, 2, 3)
    lam = draw.number(2, 4)
    weights, _ = fitted(student, X, y, 3, lam=lam, n_steps=300)
    pull = lam * weights
    pull[0] = 0
    assert_matches(gradient(weights, X, y), pull, rtol=1e-4, atol=1e-3)


@exercise("fit_softmax")
def test_the_same_call_gives_the_same_answer(student, draw):
    """Nothing is left to chance: the same data give the same weights and the same history."""
    X, y, _ = problem(draw, 30, 3, 4)
    first, second = (fitted(student, X, y, 4, n_steps=20) for _ in range(2))
    assert_matches(first[0], second[0], rtol=0, atol=0)
    assert_matches(first[1], second[1], rtol=0, atol=0)


@exercise("fit_softmax")
def test_centred_digits_are_read(student):
    """Trained on 1,347 centred images by default, the weights read at least 96% of 450 others."""
    with np.load(IMAGES) as digits:
        images, labels = digits["X"].astype(float) / 16, digits["y"].astype(int)
    order = np.random.default_rng(0).permutation(len(labels))
    seen, unseen = np.split(order, [1347])
    images = np.column_stack([np.ones(len(images)), images - images[seen].mean(axis=0)])
    weights, history = fitted(student, images[seen], labels[seen], 10)
    assert weights.shape == (65, 10) and history.shape == (301,)
    assert np.mean((images[unseen] @ weights).argmax(axis=1) == labels[unseen]) >= 0.96
    assert_matches(history[0], -1347 * log(10))
    assert -320 < history[-1] < -308


@exercise("fit_softmax", Kind.SIZES)
def test_few_classes_or_many_can_be_fitted(student, draw):
    """Two classes, or six, and a single feature, or five: the steps are the same."""
    for n, d, classes in [(9, 1, 2), (30, 5, 6)]:
        X, y, _ = problem(draw, n, d, classes)
        assert_climbs(student, X, y, classes, lam=0.7, eta=0.04, n_steps=3)


@exercise("fit_softmax", Kind.EDGE)
def test_without_steps_nothing_has_moved(student, draw):
    """No step is a case, too: weights of zero, and a history with one entry, n times log(1/K)."""
    X, y, W = problem(draw)
    weights, history = fitted(student, X, y, W.shape[1], n_steps=0)
    assert_matches(weights, np.zeros(W.shape))
    assert_matches(history, [-len(y) * log(W.shape[1])])


@exercise("fit_softmax", Kind.EDGE)
def test_without_a_penalty_only_the_likelihood_counts(student, draw):
    """A penalty of strength 0 is none: the steps climb the log-likelihood itself."""
    X, y, W = problem(draw)
    assert_climbs(student, X, y, W.shape[1], lam=0.0, n_steps=4)


@exercise("fit_softmax", Kind.EDGE)
def test_a_class_without_examples_has_weights(student, draw):
    """A class that never occurs keeps its column, with finite weights, and is expected less and less."""
    X, y, W = problem(draw)
    y = np.where(y == W.shape[1] - 1, 0, y)
    assert_climbs(student, X, y, W.shape[1], lam=1.0, eta=0.07, n_steps=6)


@exercise("fit_softmax", Kind.STABILITY)
def test_a_step_that_is_far_too_long_still_ends_in_numbers(student, draw):
    """A step that is far too long makes scores of many thousands, and a poor objective; but numbers, not nan."""
    X, y, W = problem(draw)
    assert_climbs(student, X, y, W.shape[1], lam=0.5, eta=draw.number(4e3, 6e3), n_steps=1)


@exercise("fit_softmax", Kind.SPEED)
def test_ten_thousand_rows_in_a_few_seconds(student):
    """Ten thousand rows and 300 steps, which a loop over rows cannot do in time."""
    X = Code("np.column_stack([np.ones(10_000), np.tile([[1.0], [-1.0], [1.0], [-1.0], [1.0]], (2_000, 1))])")
    y = Code("np.tile([1, 0, 1, 1, 0], 2_000)")
    weights, _ = fitted(student, X, y, 2, lam=0.0)
    assert weights.shape == (2, 2)  # an answer in time; whether it is right is asked with fewer rows


@exercise("fit_softmax", Kind.SIDE_EFFECT)
def test_examples_for_fitting_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they are what they were."""
    X, y, W = problem(draw)
    leaves_alone(student.fit_softmax, X, y, W.shape[1], n_steps=3)


@exercise("fit_softmax", Kind.TYPE)
def test_lists_can_be_fitted(student, draw):
    """Features and labels may come in lists."""
    X, y, W = problem(draw)
    weights, _ = fitted(student, X.tolist(), y.tolist(), W.shape[1], lam=0.5, eta=0.1, n_steps=2)
    assert_matches(weights, climb(X, y, W.shape[1], 0.5, 0.1, 2)[0], **SLOPES)


# --- to_reference and proba_reference ---------------------------------------------------------------------------------


def reference_form(weights):
    """Column by column, what each class has more than the last one."""
    return np.column_stack([weights[:, k] - weights[:, -1] for k in range(weights.shape[1] - 1)])


@exercise("to_reference", gate=True)
def test_the_last_class_is_the_reference(student, draw):
    """Each class but the last has a column: its weights minus those of the last class."""
    weights = draw.numbers((3, 4), -1.5, 2.0)
    assert_matches(student.to_reference(weights), reference_form(weights), rtol=1e-5)


@exercise("to_reference")
def test_the_reference_has_score_zero(student, draw):
    """All classes have a probability, the last one with a score of zero."""
    odds = draw.wholes((2, 3), 2, 9).astype(float)
    rows = np.column_stack([odds[0] * np.array([[1.0] * 3]), np.ones(1)])
    both = np.column_stack([odds[:1] * odds[1:], np.ones(1)])
    expected = np.vstack([rows / rows.sum(), both / both.sum()])
    assert_matches(student.proba_reference(np.log(odds), np.array([[1.0, 0.0], [1.0, 1.0]])), expected, rtol=1e-5)


@exercise("to_reference")
def test_both_forms_give_the_same_probabilities(student, draw):
    """The model is the same in both forms: each example has the same probabilities, of all classes."""
    X, _, W = problem(draw)
    there = student.to_reference(W)
    assert_matches(student.proba_reference(there, X), np.exp(log_probabilities(W, X)), rtol=1e-5)


@exercise("to_reference")
def test_log_odds_against_the_reference_are_linear(student, draw):
    """The log-odds of a class against the last one are a weighted sum of the features, with its column as weights."""
    X, _, V = problem(draw)
    p = numbers(student.proba_reference(V, X))
    assert p.shape == (len(X), V.shape[1] + 1) and (p > 0).all()
    assert_matches(np.log(p[:, :-1] / p[:, -1:]), X @ V, **SLOPES)


@exercise("to_reference")
def test_the_useless_direction_is_gone(student, draw):
    """All matrices that describe the same model have the same reference form."""
    W, shift = draw.numbers((3, 5), -1.5, 2.0), draw.coefficients(3, 3.0)[:, None]
    assert_matches(student.to_reference(W + shift), reference_form(W), **SLOPES)
    assert_matches(student.to_reference(np.repeat(shift, 5, axis=1)), np.zeros((3, 4)))
    V = draw.numbers((2, 3))
    assert_matches(student.to_reference(np.column_stack([V, np.zeros(2)])), V)


@exercise("to_reference", Kind.SIZES)
def test_two_classes_leave_one_vector_and_the_sigmoid(student, draw):
    """With two classes one vector is left, and the probability of class 0 is the sigmoid of its score."""
    X, _, W = problem(draw, 7, 2, 2)
    p = 1 / (1 + np.exp(-X @ W[:, :1]))
    assert_matches(student.proba_reference(W[:, :1], X), np.hstack([p, 1 - p]), rtol=1e-5)
    assert_matches(student.to_reference(W), W[:, :1] - W[:, 1:], **SLOPES)


@exercise("to_reference", Kind.SIZES)
def test_many_classes_have_a_reference(student, draw):
    """With seven classes or eleven, one feature or five, the last class is the reference."""
    for d, classes in [(1, 7), (5, 11)]:
        W = draw.numbers((d + 1, classes), -1.5, 2.0)
        X = np.column_stack([np.ones(4), draw.numbers((4, d), -1.0, 1.0)])
        assert_matches(student.to_reference(W), reference_form(W), **SLOPES)
        assert_matches(student.proba_reference(reference_form(W), X), np.exp(log_probabilities(W, X)), rtol=1e-5)


@exercise("to_reference", Kind.EDGE)
def test_without_weights_all_classes_share_evenly(student, draw):
    """With V = 0 every class, the reference included, has the same probability."""
    X, _, V = problem(draw)
    classes = V.shape[1] + 1
    assert_matches(student.proba_reference(np.zeros(V.shape), X), np.full((len(X), classes), 1 / classes))


@exercise("to_reference", Kind.STABILITY)
def test_scores_of_ten_thousand_against_the_reference(student, draw):
    """Scores of ten thousand, for or against the reference, give probabilities and not nan."""
    odds, large = draw.whole(2, 9), draw.number(1e4, 2e4)
    V = np.array([[0.0, log(odds)], [large, large]])
    table = student.proba_reference(V, np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 0.0]]))
    win, tie = np.array([1, odds, 0]) / (1 + odds), np.array([1, odds, 1]) / (2 + odds)
    assert_matches(table, [win, [0, 0, 1], tie])


@exercise("to_reference", Kind.STABILITY)
def test_one_class_against_all_odds(student, draw):
    """A single class that wins by far leaves the reference nothing, and rows do not disturb each other."""
    V = np.array([[0.0, 0.0, 0.0], [1e4, -1e4, 500.0]]) * [[1.0], [draw.number(1, 2)]]
    table = student.proba_reference(V, np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 0.0]]))
    assert_matches(table, [[1, 0, 0, 0], [0, 1, 0, 0], [0.25, 0.25, 0.25, 0.25]])


@exercise("to_reference", Kind.SIDE_EFFECT)
def test_both_forms_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they are what they were."""
    X, _, W = problem(draw)
    leaves_alone(student.to_reference, W)
    leaves_alone(student.proba_reference, W, X)


@exercise("to_reference", Kind.TYPE)
def test_weights_may_be_lists_of_whole_numbers(student, draw):
    """Lists of whole numbers are as good as arrays."""
    W = draw.wholes((2, 4), 1, 15)
    assert_matches(student.to_reference(W.tolist()), reference_form(W))
    odds = np.exp(np.array([[1, 2, 0], [0, 0, 0]]))
    table = student.proba_reference([[1, 2]], [[1], [0]])
    assert_matches(table, odds / odds.sum(axis=1, keepdims=True))


# --- what the notebook promises ---------------------------------------------------------------------------------------

PROMISES = {
    "softmax": {
        "other numbers": "test_scores_are_logarithms_of_odds",
        "sums": "test_many_classes_share_one_whole",
        "a number added to a row": "test_a_number_added_to_a_row_changes_nothing",
        "scores near $\\pm 10^4$": "test_scores_of_ten_thousand_mean_something",
        "rows of very different size in one table": "test_rows_of_very_different_size_do_not_disturb_each_other",
        "a class with almost no chance": "test_a_hopeless_class_may_have_nothing_left",
        "millions of rows (a loop over rows is too slow)": "test_millions_of_rows_take_no_time",
        "lists": "test_whole_numbers_are_scores_too",
        "the argument left alone": "test_the_scores_are_left_as_they_were",
    },
    "one_hot": {
        "other sizes": (
            "test_rows_name_the_label_and_columns_count_the_examples",
            "test_hundreds_of_classes_are_classes",
        ),
        "classes that do not occur": "test_a_class_without_examples_keeps_its_column",
        "labels out of range, at both ends": (
            "test_a_label_beyond_the_last_class_is_refused",
            "test_a_negative_label_is_refused",
        ),
        "labels of type float": "test_labels_of_type_float_are_refused",
        "lists": "test_labels_may_come_in_a_list",
        "floats in the table": "test_the_table_holds_numbers_to_calculate_with",
        "the argument left alone": "test_the_labels_are_left_as_they_were",
        "A label that is no class, negative or too large, is a `ValueError`; so is a label that is not an integer by "
        "type, even `1.0`: who hands over measurements instead of labels should hear of it. (NumPy would take $-1$ for "
        '"the last column" without a murmur.': (
            "test_a_negative_label_is_refused",
            "test_labels_of_type_float_are_refused",
        ),
        "ValueError If a label is negative or not below n_classes, or if the labels are not of an integer type.": (
            "test_a_label_beyond_the_last_class_is_refused",
            "test_a_negative_label_is_refused",
            "test_labels_of_type_float_are_refused",
        ),
    },
    "log_likelihood": {
        "sizes that all differ": "test_other_sizes_agree_with_the_formula",
        "$W = 0$": "test_without_weights_every_class_is_equally_likely",
        "scores of $\\pm 10^4$, where the answer is still exact": "test_scores_of_ten_thousand_are_no_obstacle",
        "the same vector added to all columns of $W$": "test_the_same_vector_added_to_every_class_changes_nothing",
        "additivity over rows": "test_the_examples_add_up",
        "two classes, where it must agree with notebook 5": "test_two_classes_agree_with_logistic_regression",
        "millions of rows": "test_millions_of_examples_can_be_judged_at_once",
        "lists": "test_lists_have_a_log_likelihood_too",
        "arguments left alone": "test_weights_and_examples_are_left_as_they_were",
        "Stay in logarithms: no score may be too large or too small.": (
            "test_scores_of_ten_thousand_are_no_obstacle",
            "test_rows_of_very_different_size_are_judged_by_themselves",
        ),
    },
    "gradient": {
        "sizes that all differ": "test_gradients_of_other_sizes_agree_with_a_slow_program",
        "finite differences": "test_the_gradient_agrees_with_finite_differences",
        "rows that sum to 0": "test_every_row_of_the_gradient_sums_to_zero",
        "classes that change places": "test_renumbered_classes_have_renumbered_slopes",
        "additivity over rows": "test_slopes_of_the_examples_add_up",
        "two classes, where it must agree with notebook 5": "test_two_classes_have_opposite_slopes",
        "scores of $\\pm 10^4$": "test_certainty_has_a_slope_too",
        "millions of rows": "test_millions_of_examples_have_a_slope_in_no_time",
        "lists": "test_lists_have_a_gradient_too",
        "arguments left alone": "test_what_the_gradient_is_of_is_left_as_it_was",
    },
    "fit_softmax": {
        "a few steps against a slow and simple program": "test_a_few_steps_agree_with_a_slow_and_simple_program",
        "the default step, one that is given, and one that is far too long": (
            "test_the_default_step_is_one_over_the_curvature",
            "test_a_few_steps_agree_with_a_slow_and_simple_program",
            "test_a_step_that_is_far_too_long_still_ends_in_numbers",
        ),
        "$\\lambda = 0$": "test_without_a_penalty_only_the_likelihood_counts",
        "`n_steps=0`": "test_without_steps_nothing_has_moved",
        "a class that never occurs": "test_a_class_without_examples_has_weights",
        "that the history never falls at the default step": "test_the_default_step_never_goes_down",
        "that intercepts are not penalised": "test_a_strong_penalty_leaves_the_class_shares_alone",
        "at least 96% of the digits of section 5 right": "test_centred_digits_are_read",
        "two calls, one answer": "test_the_same_call_gives_the_same_answer",
        "ten thousand rows (a loop over rows is too slow)": "test_ten_thousand_rows_in_a_few_seconds",
        "lists": "test_lists_can_be_fitted",
        "arguments left alone": "test_examples_for_fitting_are_left_as_they_were",
        "Labels, integers from 0 to n_classes - 1; a class may have no examples.": (
            "test_a_class_without_examples_has_weights"
        ),
    },
    "to_reference": {
        "more than three classes": "test_many_classes_have_a_reference",
        "the same probabilities before and after": "test_both_forms_give_the_same_probabilities",
        "the same vector added to all columns": "test_the_useless_direction_is_gone",
        "there and back": "test_the_useless_direction_is_gone",
        "$V = 0$": "test_without_weights_all_classes_share_evenly",
        "two classes, where it must be the sigmoid": "test_two_classes_leave_one_vector_and_the_sigmoid",
        "log-odds": "test_log_odds_against_the_reference_are_linear",
        "scores of $\\pm 10^4$": "test_scores_of_ten_thousand_against_the_reference",
        "lists": "test_weights_may_be_lists_of_whole_numbers",
        "arguments left alone": "test_both_forms_are_left_as_they_were",
    },
}
