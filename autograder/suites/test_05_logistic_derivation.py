"""Hidden suite for 05_logistic_derivation. A failing check shows the student its docstring, no more."""

import math

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import Code, assert_matches, assert_raises, exercise, leaves_alone, numbers, parts
from checks.derivation import Refused, is_derivative, is_result, middle, read, read_all, shows_both_logarithms, steps

# Sums of slopes are differences of numbers near 1: in single precision they are right to six digits of these.
SLOPES = {"rtol": 1e-5, "atol": 1e-5}


def problem(draw, rows=7, features=3):
    """Weights, examples with a first column of ones, and labels that are not balanced; scores within single digits."""
    table = np.column_stack([np.ones(rows), draw.numbers((rows, features), -1.6, 1.8)])
    return draw.coefficients(features + 1, 1.5), table, draw.labels(rows)


def by_hand(weights, rows):
    """Probabilities of class 1, example by example, in plain Python; moderate z only."""
    return np.array([1 / (1 + math.exp(-sum(w * x for w, x in zip(weights, row)))) for row in rows])


def log_likelihood_by_hand(weights, rows, labels):
    """The logarithm of the probability that each label has, added up."""
    return sum(math.log(p if y else 1 - p) for p, y in zip(by_hand(weights, rows), labels))


def gradient_by_hand(weights, rows, labels):
    """Error times input, example by example."""
    return sum((y - p) * row for y, p, row in zip(labels, by_hand(weights, rows), rows))


def maximum(rows, labels):
    """The weights at which the log-likelihood is largest, by Newton's method with shortened steps."""
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-rows @ weights))
        weights = weights + 0.7 * np.linalg.solve((rows.T * (p * (1 - p))) @ rows, rows.T @ (labels - p))
    return weights


# --- sigmoid ----------------------------------------------------------------------------------------------------------


@exercise("sigmoid", gate=True)
def test_log_odds_become_the_probability_that_has_these_odds(student, draw):
    """Odds of 3 to 1 are a probability of 3/4: the sigmoid turns log-odds into the probability that has them."""
    odds = np.exp(draw.numbers(5, -3.0, 3.3))
    assert_matches(student.sigmoid(np.log(odds)), odds / (1 + odds))


@exercise("sigmoid")
def test_both_classes_play_the_same_part(student, draw):
    """Turn the sign of the log-odds, and the two classes change places: the two probabilities sum to one."""
    z = draw.numbers(4, 0.2, 6.0)
    right = 1 / (1 + np.exp(-z))
    assert_matches(student.sigmoid(z), right)
    assert_matches(student.sigmoid(-z), 1 - right, rtol=1e-5)


@exercise("sigmoid", Kind.SIZES)
def test_a_single_number_gives_a_single_number(student, draw):
    """A single number in, a single number out."""
    z = draw.number(0.5, 4)
    assert_matches(student.sigmoid(z), 1 / (1 + math.exp(-z)))
    assert_matches(student.sigmoid(-z), 1 / (1 + math.exp(z)))


@exercise("sigmoid", Kind.SIZES)
def test_tables_keep_their_shape(student, draw):
    """A table gives a table of the same shape, with two axes or with three; nothing gives nothing."""
    for shape in ((2, 3), (2, 1, 3)):
        table = draw.numbers(shape, -4, 4)
        assert_matches(student.sigmoid(table), 1 / (1 + np.exp(-table)))
    assert_matches(student.sigmoid(np.zeros(0)), np.zeros(0))


@exercise("sigmoid", Kind.STABILITY, stressed=True)
def test_far_out_it_is_all_or_nothing_and_never_nan(student, draw):
    """Log-odds in the thousands leave no doubt that a computer could see, on either side; nothing overflows to nan."""
    z = draw.numbers(4, 800.0, 5000.0) * [1, -1, 1, -1]
    assert_matches(student.sigmoid(np.append(z, -5e4)), [1, 0, 1, 0, 0])


@exercise("sigmoid", Kind.STABILITY, stressed=True)
def test_very_small_probabilities_keep_their_digits(student, draw):
    """Far to the left the sigmoid is tiny, with all its digits, down to log-odds of -700."""
    z = np.append(-draw.numbers(3, 40.0, 480.0), -draw.number(560.0, 700.0))
    assert_matches(student.sigmoid(z), [math.exp(value) for value in z], rtol=1e-6, atol=0)


@exercise("sigmoid", Kind.TYPE)
def test_whole_numbers_are_log_odds_too(student, draw):
    """Whole numbers are log-odds like any others, alone or in a table."""
    table = draw.wholes((2, 3), -4, 5)
    assert_matches(student.sigmoid(table), 1 / (1 + np.exp(-table.astype(float))))
    assert_matches(student.sigmoid(-3), 1 / (1 + math.exp(3)))


@exercise("sigmoid", Kind.TYPE)
def test_log_odds_may_come_in_lists(student, draw):
    """A list of numbers is understood like an array."""
    z = draw.numbers(3, -3, 3)
    assert_matches(student.sigmoid(z.tolist()), 1 / (1 + np.exp(-z)))


@exercise("sigmoid", Kind.SIDE_EFFECT)
def test_the_log_odds_are_left_as_they_were(student, draw):
    """The caller's array belongs to the caller: after the call it holds what it held before."""
    leaves_alone(student.sigmoid, draw.numbers(4, -900.0, 900.0))


# --- predict_proba ----------------------------------------------------------------------------------------------------


@exercise("predict_proba", gate=True)
def test_every_row_gets_the_sigmoid_of_its_weighted_sum(student, draw):
    """One probability for each row: the sigmoid of the intercept plus the weighted features."""
    w, rows, _ = problem(draw)
    assert_matches(student.predict_proba(rows[:, 1:], w), by_hand(w, rows), rtol=1e-5)


@exercise("predict_proba", Kind.SIZES)
def test_one_feature_and_one_row_are_enough(student, draw):
    """A single feature is still a table with one column, and a single row still gives an array with one entry."""
    w, rows, _ = problem(draw)
    assert_matches(student.predict_proba(rows[:, 1:2], w[:2]), by_hand(w[:2], rows[:, :2]), rtol=1e-5)
    assert_matches(student.predict_proba(rows[2:3, 1:], w), by_hand(w, rows[2:3]), rtol=1e-5)


@exercise("predict_proba", Kind.SIZES)
def test_many_features_have_many_weights(student, draw):
    """Nine features are no harder than two."""
    w, rows, _ = problem(draw, 4, 9)
    assert_matches(student.predict_proba(rows[:, 1:], w / 2), by_hand(w / 2, rows), rtol=1e-5)


@exercise("predict_proba", Kind.EDGE)
def test_weights_that_ignore_the_features_give_everybody_the_same(student, draw):
    """With nothing but an intercept everybody has the same probability, whatever the features are."""
    w, rows, _ = problem(draw)
    w[1:] = 0
    assert_matches(student.predict_proba(rows[:, 1:], w), np.full(len(rows), 1 / (1 + math.exp(-w[0]))))


@exercise("predict_proba", Kind.STABILITY)
def test_rows_far_from_the_boundary_are_certain_and_not_nan(student, draw):
    """Far from the boundary the probability is as good as 0 or 1, and never nan."""
    far = draw.number(1e4, 3e4)
    assert_matches(student.predict_proba(np.array([[far], [-far]]), np.array([0.5, 3.0])), [1, 0])


@exercise("predict_proba", Kind.REFUSAL)
def test_a_wrong_number_of_weights_is_refused(student, draw):
    """There is one weight for each feature and one more; any other number of them is a ValueError."""
    w, rows, _ = problem(draw)
    for weights in (w[:-1], np.append(w, 0.1), w[:1]):
        assert_raises(ValueError, student.predict_proba, rows[:, 1:], weights)
    assert_raises(ValueError, student.predict_proba, rows[:, 1:2], w[:3])


@exercise("predict_proba", Kind.TYPE)
def test_whole_numbers_and_lists_are_features_too(student, draw):
    """Features may be whole numbers, and may come in lists."""
    table, w = draw.wholes((3, 2), -3, 4), draw.coefficients(3, 1.0)
    expected = by_hand(w, np.column_stack([np.ones(3), table]))
    assert_matches(student.predict_proba(table.tolist(), w.tolist()), expected, rtol=1e-5)
    assert_matches(student.predict_proba(table, w), expected, rtol=1e-5)


@exercise("predict_proba", Kind.SIDE_EFFECT)
def test_features_and_weights_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    w, rows, _ = problem(draw)
    leaves_alone(student.predict_proba, rows[:, 1:], w)


# --- log_likelihood ---------------------------------------------------------------------------------------------------


@exercise("log_likelihood", gate=True)
def test_every_label_counts_with_the_logarithm_of_its_probability(student, draw):
    """Every example adds the logarithm of the probability that the weights gave to its label, be it 1 or 0."""
    w, rows, y = problem(draw)
    assert_matches(student.log_likelihood(w, rows, y), log_likelihood_by_hand(w, rows, y), rtol=1e-5)


@exercise("log_likelihood")
def test_the_log_likelihoods_of_two_halves_add_up(student, draw):
    """It is a sum over examples: what two halves of the data give adds up to what they give together."""
    w, rows, y = problem(draw)
    halves = [numbers(student.log_likelihood(w, rows[part], y[part])) for part in (slice(0, 3), slice(3, None))]
    assert_matches(sum(halves), log_likelihood_by_hand(w, rows, y), rtol=1e-5)


@exercise("log_likelihood")
def test_without_weights_every_label_is_a_fair_coin(student, draw):
    """Where all weights are zero, every label has probability one half, whatever the features are."""
    w, rows, y = problem(draw)
    assert_matches(student.log_likelihood(np.zeros(len(w)), rows, y), 7 * math.log(0.5))


@exercise("log_likelihood")
def test_the_names_of_the_classes_do_not_matter(student, draw):
    """Call class 1 class 0 and the other way round, and turn all weights: nothing has changed."""
    w, rows, y = problem(draw)
    assert_matches(student.log_likelihood(-w, rows, 1 - y), log_likelihood_by_hand(w, rows, y), rtol=1e-5)


@exercise("log_likelihood", Kind.SIZES)
def test_one_feature_or_many_have_a_log_likelihood(student, draw):
    """A single feature, or nine, and a single example: the sum is what it should be."""
    for size, features in ((1, 2), (12, 1), (4, 9)):
        w, rows, y = problem(draw, max(size, 3), features)
        expected = log_likelihood_by_hand(w, rows[:size], y[:size])
        assert_matches(student.log_likelihood(w, rows[:size], y[:size]), expected, rtol=1e-5)


@exercise("log_likelihood", Kind.EDGE)
def test_no_examples_have_a_log_likelihood_of_zero(student, draw):
    """Where nothing was seen there is nothing to explain: a sum over no examples is zero."""
    w = draw.coefficients(4)
    assert_matches(student.log_likelihood(w, np.zeros((0, 4)), np.zeros(0)), 0.0)


@exercise("log_likelihood", Kind.STABILITY, stressed=True)
def test_a_confident_mistake_costs_what_it_should_and_not_infinity(student, draw):
    """An example that is 40 log-odds on the wrong side costs 40, though its probability cannot be told from 1."""
    far = draw.numbers(2, 38.0, 60.0)
    rows, w = np.column_stack([np.ones(2), far * [1, -1]]), np.array([0.0, 1.0])
    assert_matches(student.log_likelihood(w, rows, np.array([0, 1])), -far.sum())
    assert_matches(student.log_likelihood(w, rows, np.array([1, 0])), 0.0)


@exercise("log_likelihood", Kind.STABILITY, stressed=True)
def test_scores_in_the_thousands_are_exact(student, draw):
    """With scores of a thousand, a right label costs nothing and a wrong one exactly a thousand; nothing overflows."""
    far = draw.numbers(3, 900.0, 3000.0)
    rows, w = np.column_stack([np.ones(3), far * [1, -1, 1]]), np.array([0.0, 1.0])
    for y, expected in (([1, 0, 1], 0.0), ([0, 0, 1], -far[0]), ([1, 1, 0], -far[1] - far[2])):
        assert_matches(student.log_likelihood(w, rows, np.array(y)), expected)


@exercise("log_likelihood", Kind.TYPE)
def test_truth_values_are_labels_too(student, draw):
    """Labels may be truth values, in an array or in a list."""
    w, rows, y = problem(draw)
    expected = log_likelihood_by_hand(w, rows, y)
    assert_matches(student.log_likelihood(w, rows, y == 1), expected, rtol=1e-5)
    assert_matches(student.log_likelihood(w.tolist(), rows.tolist(), (y == 1).tolist()), expected, rtol=1e-5)


@exercise("log_likelihood", Kind.SIDE_EFFECT)
def test_weights_features_and_labels_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    leaves_alone(student.log_likelihood, *problem(draw))


# --- chain_rule_terms -------------------------------------------------------------------------------------------------


def factors(w, x, y):
    """The three factors in plain Python."""
    p = by_hand(w, [x])[0]
    return (1 / p if y else -1 / (1 - p)), p * (1 - p), x


def assert_factors(found, expected):
    """Fail unless all three factors are right."""
    for actual, wanted in zip(parts(found, 3), expected):
        assert_matches(actual, wanted, rtol=1e-5)


@exercise("chain_rule_terms", gate=True)
def test_each_factor_is_the_slope_of_its_link(student, draw):
    """How the log-likelihood changes with p, how p changes with z, how z changes with each weight; for both labels.

    With a label 1 the log-likelihood rises with p, with a label 0 it falls.
    """
    for label in (1, 0):
        w, x = draw.coefficients(4, 0.8), np.append(1, draw.numbers(3, -1.5, 1.7))
        assert_factors(student.chain_rule_terms(w, x, label), factors(w, x, label))


@exercise("chain_rule_terms")
def test_the_product_of_the_factors_is_error_times_input(student, draw):
    """Multiplied together, the three factors leave the error times the input, for both labels."""
    for label in (0, 1):
        w, x = draw.coefficients(5, 0.8), np.append(1, draw.numbers(4, -1.5, 1.7))
        dl_dp, dp_dz, dz_dw = map(numbers, parts(student.chain_rule_terms(w, x, label), 3))
        assert_matches(dl_dp * dp_dz * dz_dw, (label - by_hand(w, [x])[0]) * x, rtol=1e-5)


@exercise("chain_rule_terms")
def test_the_factors_agree_with_measured_slopes(student, draw):
    """Wiggle p, and the log-likelihood moves as the first factor says; wiggle z, and p moves as the second says."""
    w, x, h = draw.coefficients(2, 0.9), np.array([1.0, draw.number(1, 2.5)]), 1e-6
    z = float(w @ x)
    p = 1 / (1 + math.exp(-z))
    dl_dp, dp_dz, _ = parts(student.chain_rule_terms(w, x, 0), 3)
    assert_matches(dl_dp, (math.log(1 - p - h) - math.log(1 - p + h)) / (2 * h), rtol=1e-5)
    assert_matches(dp_dz, (1 / (1 + math.exp(-z - h)) - 1 / (1 + math.exp(-z + h))) / (2 * h), rtol=1e-5)


@exercise("chain_rule_terms", Kind.SIZES)
def test_an_example_has_as_many_slopes_as_weights(student, draw):
    """An intercept alone, one feature, or eight: there is a slope of z for each weight."""
    for features in (0, 1, 8):
        w, x = draw.coefficients(features + 1, 0.6), np.append(1.0, draw.numbers(features, -1, 1.2))
        assert_factors(student.chain_rule_terms(w, x, 0), factors(w, x, 0))


@exercise("chain_rule_terms", Kind.STABILITY)
def test_the_factors_stay_finite_far_from_the_boundary(student, draw):
    """Thirty log-odds from the boundary all factors are still numbers, and their product is still right."""
    x, slope = np.array([1.0, 10.0]), draw.number(2.8, 3.0)
    for sign, label, error in ((1, 1, 0), (1, 0, -1), (-1, 1, 1), (-1, 0, 0)):
        w = np.array([0.0, sign * slope])
        dl_dp, dp_dz, dz_dw = map(numbers, parts(student.chain_rule_terms(w, x, label), 3))
        assert_matches(dl_dp * dp_dz * dz_dw, error * x, rtol=1e-2, atol=1e-6)


@exercise("chain_rule_terms", Kind.TYPE)
def test_a_truth_value_is_a_label_and_lists_are_vectors(student, draw):
    """The label may be a truth value, and the vectors may come in lists."""
    w, x = draw.coefficients(2, 0.8), np.array([1, draw.whole(2, 4)])
    for label in (True, False):
        assert_factors(student.chain_rule_terms(w.tolist(), x.tolist(), label), factors(w, x, label))


@exercise("chain_rule_terms", Kind.SIDE_EFFECT)
def test_the_weights_and_the_example_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    w, rows, _ = problem(draw)
    leaves_alone(student.chain_rule_terms, w, rows[0], 0)


# --- gradient ---------------------------------------------------------------------------------------------------------


@exercise("gradient", gate=True)
def test_every_weight_gets_the_sum_of_errors_times_inputs(student, draw):
    """One number for each weight, the intercept's first: the sum over all examples of error times input."""
    w, rows, y = problem(draw)
    assert_matches(student.gradient(w, rows, y), gradient_by_hand(w, rows, y), **SLOPES)


@exercise("gradient")
def test_the_gradient_agrees_with_measured_slopes(student, draw):
    """Wiggle one weight, and the log-likelihood changes as the gradient says."""
    w, rows, y = problem(draw, 12)
    h = 1e-5
    slopes = [
        (log_likelihood_by_hand(w + h * e, rows, y) - log_likelihood_by_hand(w - h * e, rows, y)) / (2 * h)
        for e in np.eye(len(w))
    ]
    assert_matches(student.gradient(w, rows, y), slopes, **SLOPES)


@exercise("gradient")
def test_the_gradients_of_two_halves_add_up(student, draw):
    """The gradient is a sum over examples: two halves of the data add up to the whole."""
    w, rows, y = problem(draw)
    halves = [numbers(student.gradient(w, rows[part], y[part])) for part in (slice(0, 2), slice(2, None))]
    assert_matches(sum(halves), gradient_by_hand(w, rows, y), **SLOPES)


@exercise("gradient", Kind.SIZES)
def test_one_weight_or_many_have_slopes(student, draw):
    """An intercept alone, one feature, or nine, and a single example: there is a slope for each weight."""
    for size, features in ((5, 0), (1, 2), (12, 1), (4, 9)):
        w, rows, y = problem(draw, max(size, 3), features)
        expected = gradient_by_hand(w, rows[:size], y[:size])
        assert_matches(student.gradient(w, rows[:size], y[:size]), expected, **SLOPES)


@exercise("gradient", Kind.STABILITY)
def test_at_the_maximum_there_is_no_way_up(student, draw):
    """Where the log-likelihood is largest, all slopes are zero, and a step aside they are not; here digits count.

    A slope that is derived is right to eleven digits and more. One that is measured is not.
    """
    z = draw.numbers(60, -2.5, 2.5)
    rows = np.column_stack([np.ones(60), z, draw.numbers(60, -1.5, 1.5)])
    y = (draw.rng.random(60) < 1 / (1 + np.exp(-0.7 * z))).astype(int)
    y[np.argsort(z)[[5, -5]]] = 1, 0  # some on the wrong side: the maximum is finite
    top = maximum(rows, y)
    assert_matches(student.gradient(top, rows, y), np.zeros(3), atol=1e-8)
    aside = top + draw.coefficients(3, 0.2)
    exact = rows.T @ (y - 1 / (1 + np.exp(-rows @ aside)))
    assert_matches(student.gradient(aside, rows, y), exact, rtol=0, atol=1e-11)


@exercise("gradient", Kind.STABILITY)
def test_examples_far_from_the_boundary_pull_with_all_or_nothing(student, draw):
    """A thousand log-odds out, a right example does not pull at all and a wrong one with its whole input."""
    far = draw.numbers(3, 900.0, 3000.0)
    rows, w = np.column_stack([np.ones(3), far * [1, -1, 1]]), np.array([0.0, 1.0])
    assert_matches(student.gradient(w, rows, np.array([1, 0, 1])), [0.0, 0.0], atol=1e-3)
    assert_matches(student.gradient(w, rows, np.array([1, 1, 0])), [0.0, -far[1] - far[2]], atol=1e-3)


@exercise("gradient", Kind.SPEED)
def test_millions_of_examples_are_no_problem(student, draw):
    """Five million examples take a moment, not minutes: NumPy does the looping."""
    few = np.column_stack([np.ones(5, dtype=int), draw.wholes((5, 2), 0, 12) // 3])
    y, w = draw.labels(5), draw.coefficients(3, 0.8)
    many = Code(f"np.tile(np.array({few.tolist()}, dtype=np.int8), (1_000_000, 1))")
    found = student.gradient(w, many, Code(f"np.tile({y.tolist()}, 1_000_000)"))
    assert_matches(found, 1e6 * gradient_by_hand(w, few, y), rtol=1e-5, atol=1.0)


@exercise("gradient", Kind.TYPE)
def test_labels_may_be_truth_values_and_tables_lists(student, draw):
    """Labels may be truth values, and everything may come in lists."""
    w, rows, y = problem(draw)
    expected = gradient_by_hand(w, rows, y)
    assert_matches(student.gradient(w, rows, y == 1), expected, **SLOPES)
    assert_matches(student.gradient(w.tolist(), rows.tolist(), (y == 1).tolist()), expected, **SLOPES)


@exercise("gradient", Kind.SIDE_EFFECT)
def test_the_gradient_leaves_its_arguments_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    leaves_alone(student.gradient, *problem(draw))


# --- numerical_gradient -----------------------------------------------------------------------------------------------

MEASURED = {"rtol": 0, "atol": 1e-6}  # a step to one side only is off by more than ten times that


def quadratic(draw):
    """A quadratic function of three weights as text, and its slopes as a function."""
    a, b, c = draw.numbers(3, 2.0, 4.0).round(3)
    e = -round(draw.number(2.0, 5.0), 3)
    text = f"lambda w: {a}*w[0]**2 - {b}*w[0]*w[1] + {c}*w[1]**2 + {e}*w[2]"
    return Code(text), lambda w: [2 * a * w[0] - b * w[1], 2 * c * w[1] - b * w[0], e]


@exercise("numerical_gradient", gate=True)
def test_central_differences_are_exact_for_quadratics(student, draw):
    """Stepping to both sides gives the slope of a quadratic function without any error but rounding."""
    f, slopes = quadratic(draw)
    w = draw.coefficients(3, 2.0)
    assert_matches(student.numerical_gradient(f, w), slopes(w), **MEASURED)


@exercise("numerical_gradient")
def test_smooth_functions_are_measured_to_many_digits(student, draw):
    """For a smooth function the measured slopes are right to many digits."""
    w = draw.numbers(4, -1.4, 2.5)
    found = student.numerical_gradient(Code("lambda w: float(np.sum(np.sin(w)))"), w)
    assert_matches(found, np.cos(w), rtol=0, atol=1e-7)


@exercise("numerical_gradient")
def test_the_step_is_the_one_that_was_asked_for(student, draw):
    """The slope of a cube, measured over a step of h to each side, is too large by h squared: the step can be seen."""
    cube = Code("lambda w: w[0]**3")
    for h, w in zip(draw.numbers(2, 0.1, 0.6), [0.0, draw.number(2.0, 4.0)], strict=True):
        assert_matches(student.numerical_gradient(cube, np.array([w]), h=float(h)), [3 * w**2 + h**2])
    assert_matches(student.numerical_gradient(Code("lambda w: 1e10*w[0]**3"), np.array([0.0])), [1.0])


@exercise("numerical_gradient")
def test_only_one_entry_moves_at_a_time(student, draw):
    """While one entry is measured, all others stay where they were.

    A function that jumps where two of them move sees it.
    """
    a, b, c = draw.numbers(3, 1.0, 4.0).round(3)
    slope = round(draw.number(5, 15), 3)
    f = Code(
        f"lambda w: {slope}*w[2] + 9*(abs(w[0] - {a}) > 1e-9 and w[1] > {b} + 1e-9) "
        f"+ 9*(abs(w[1] - {b}) > 1e-9 and w[2] > {c} + 1e-9)"
    )
    assert_matches(student.numerical_gradient(f, np.array([a, b, c])), [0.0, 0.0, slope], **MEASURED)


@exercise("numerical_gradient", Kind.SIZES)
def test_a_matrix_of_weights_gives_a_matrix_of_slopes(student, draw):
    """For a matrix of weights there is a slope for each entry, at the entry's own place; a box of them, too."""
    for shape in ((3, 2), (2, 1, 3)):
        w, c = draw.numbers(shape, -2, 2), draw.wholes(shape, 1, 9)
        f = Code(f"lambda w: np.sum(np.array({c.tolist()}) * w**2)")
        assert_matches(student.numerical_gradient(f, w), 2 * c * w, **MEASURED)


@exercise("numerical_gradient", Kind.EDGE)
def test_a_slope_can_be_measured_at_zero(student, draw):
    """A weight of 0 can be moved like any other."""
    f, slopes = quadratic(draw)
    w = draw.coefficients(3, 2.0)
    w[draw.whole(0, 1)] = 0
    assert_matches(student.numerical_gradient(f, w), slopes(w), **MEASURED)


@exercise("numerical_gradient", Kind.TYPE)
def test_whole_numbers_can_be_wiggled_too(student, draw):
    """Weights that are whole numbers, in an array or in a list, can be moved by a fraction as well."""
    f, slopes = quadratic(draw)
    w = draw.wholes(3, 1, 6)
    assert_matches(student.numerical_gradient(f, w), slopes(w), **MEASURED)
    assert_matches(student.numerical_gradient(f, w.tolist()), slopes(w), **MEASURED)


@exercise("numerical_gradient", Kind.SIDE_EFFECT)
def test_the_place_of_measurement_is_left_as_it_was(student, draw):
    """The caller's weights belong to the caller: to the last bit they are after the call what they were before."""
    f, _ = quadratic(draw)
    leaves_alone(student.numerical_gradient, f, draw.numbers(3, 0.1, 0.9) * [1, 1, 1e6])


# --- signed_distance --------------------------------------------------------------------------------------------------


def distances(w, points):
    """Point by point: the score, divided by the length of the direction."""
    length = math.sqrt(sum(value * value for value in w[1:]))
    return [(w[0] + sum(a * b for a, b in zip(w[1:], point))) / length for point in points]


def boundary(draw):
    """A boundary in the plane, and points on both sides of it, none of them close to it."""
    w = draw.coefficients(3, 2.5)
    length = math.hypot(*w[1:])
    across, along = w[1:] / length, np.array([-w[2], w[1]]) / length
    return w, -w[0] / length * across + np.outer(draw.coefficients(5, 3.0), across) + np.outer(draw.numbers(5), along)


@exercise("signed_distance", gate=True)
def test_the_score_is_measured_in_lengths_of_the_direction(student, draw):
    """The distance of some points from a boundary, positive on the side where z is."""
    w, points = boundary(draw)
    assert_matches(student.signed_distance(w, points), distances(w, points), **SLOPES)


@exercise("signed_distance")
def test_scaling_all_weights_moves_no_boundary(student, draw):
    """Three times the weights: the same boundary, the same distances. All signs turned: the sides change places."""
    w, points = boundary(draw)
    expected = np.array(distances(w, points))
    assert_matches(student.signed_distance(3 * w, points), expected, **SLOPES)
    assert_matches(student.signed_distance(-w, points), -expected, **SLOPES)


@exercise("signed_distance")
def test_one_step_straight_away_adds_one(student, draw):
    """Start on the boundary and walk straight away from it: after a step of length one the distance is one."""
    w, points = draw.coefficients(3, 2.5), draw.numbers((3, 2))
    direction = w[1:] / math.sqrt(w[1:] @ w[1:])
    on_it = points - np.outer(distances(w, points), direction)
    walk = draw.number(1.5, 4)
    assert_matches(student.signed_distance(w, on_it), np.zeros(3), atol=1e-5)
    assert_matches(student.signed_distance(w, on_it + direction), np.ones(3), rtol=1e-5)
    assert_matches(student.signed_distance(w, on_it - walk * direction), np.full(3, -walk), rtol=1e-5)


@exercise("signed_distance", Kind.SIZES)
def test_with_one_feature_the_boundary_is_a_point(student, draw):
    """With one feature the distance is that from a point of the axis, with the sign of the slope."""
    w, places = draw.coefficients(2, 4.0), draw.numbers((3, 1))
    for weights in (w, -w):
        assert_matches(student.signed_distance(weights, places), distances(weights, places), **SLOPES)


@exercise("signed_distance", Kind.SIZES)
def test_many_features_have_one_boundary(student, draw):
    """With eight features, and for a single point, the distance is measured in the same way."""
    w, points = draw.coefficients(9, 2.0), draw.numbers((4, 8))
    assert_matches(student.signed_distance(w, points), distances(w, points), **SLOPES)
    assert_matches(student.signed_distance(w, points[:1]), distances(w, points[:1]), **SLOPES)


@exercise("signed_distance", Kind.EDGE)
def test_a_weight_of_zero_among_others_is_no_obstacle(student, draw):
    """A feature that does not count has the weight 0; the others have a boundary all the same."""
    w, points = boundary(draw)
    for place in (draw.whole(1, 2), 0):
        weights = w.copy()
        weights[place] = 0
        assert_matches(student.signed_distance(weights, points), distances(weights, points), **SLOPES)


@exercise("signed_distance", Kind.REFUSAL)
def test_without_a_direction_there_is_no_boundary(student, draw):
    """If no feature counts there is no boundary, and no distance from it: that is a ValueError."""
    points = draw.numbers((1, 2))
    assert_raises(ValueError, student.signed_distance, np.array([draw.number(1, 3), 0.0, 0.0]), points)
    assert_raises(ValueError, student.signed_distance, np.zeros(3), points)


@exercise("signed_distance", Kind.STABILITY)
def test_small_weights_have_a_boundary_too(student, draw):
    """Weights of a millionth have a direction like any others."""
    w, points = boundary(draw)
    assert_matches(student.signed_distance(1e-6 * w, points), distances(w, points), **SLOPES)


@exercise("signed_distance", Kind.TYPE)
def test_points_may_come_in_lists(student, draw):
    """Lists of whole numbers are understood like arrays."""
    w, points = draw.wholes(3, 1, 9), draw.wholes((2, 2), -5, 5)
    assert_matches(student.signed_distance(w.tolist(), points.tolist()), distances(w, points), **SLOPES)


@exercise("signed_distance", Kind.SIDE_EFFECT)
def test_weights_and_points_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    leaves_alone(student.signed_distance, draw.coefficients(3), draw.numbers((5, 2)))


# --- derivation -------------------------------------------------------------------------------------------------------
# There are no hidden inputs here. The points at which lines are compared are others than in the notebook.


def the_lines(student):
    """The student's lines, after making sure that there is a list of them."""
    try:
        return read_all(student.derivation())
    except Refused as refused:
        raise AssertionError(str(refused)) from None


def tree_of(line):
    """A line that can be read, or None."""
    try:
        return read(line)
    except Refused:
        return None


def problems(lines):
    """What is wrong with single lines, in words that name them; for the instructor's eyes."""
    return "; ".join(step.problem for step in steps(lines) if step.problem)[:500]


def seed_of(draw):
    """A seed for the random points at which lines are compared."""
    return draw.whole(1, 10**9)


@exercise("derivation", gate=True)
def test_both_ends_of_the_derivation_are_right(student, draw):
    """The first line shows both logarithms differentiated, times the derivative of p, and the last line is the result.

    In the first one nothing has been cancelled yet; in the last one there is no division, and y and p occur once each.
    """
    lines, seed = the_lines(student), seed_of(draw)
    first, last = tree_of(lines[0]), tree_of(lines[-1])
    assert last is not None and is_result(last) and is_derivative(last, seed), f"the last line is {lines[-1]!r:.120}"
    assert first is not None and is_derivative(first, seed), problems(lines) or "the first line is another value"
    assert shows_both_logarithms(first, seed), f"the first line is {lines[0]!r:.120}"


@exercise("derivation", stressed=True)
def test_a_line_in_between_shows_the_way(student, draw):
    """On a line between the first one and the result something happens, and the line is right.

    A fraction goes, a bracket is multiplied out, or terms come together. Another order, other brackets, or a factor
    such as p/p is no step, though such lines may stand there.
    """
    lines, seed = the_lines(student), seed_of(draw)
    assert any(is_derivative(step.tree, seed) for step in middle(steps(lines))), problems(lines) or "no line in between"


@exercise("derivation")
def test_every_line_follows(student, draw):
    """The whole way: a step at least, and every line equals the one before it, for both labels and any p and x."""
    lines, seed = the_lines(student), seed_of(draw)
    trees = [tree_of(line) for line in lines]
    assert all(tree is not None and is_derivative(tree, seed) for tree in trees), problems(lines)
    assert middle(steps(lines)), "the way is missing"


@exercise("derivation", Kind.TYPE)
def test_every_line_is_algebra_in_three_symbols(student):
    """Every line is one expression in y, p and x, as Python reads it: * for a product, ** for a power and not ^.

    No equals signs, no other names, no functions, no empty lines.
    """
    lines = the_lines(student)
    assert all(tree_of(line) is not None for line in lines), problems(lines)


# --- promises ---------------------------------------------------------------------------------------------------------

PROMISES = {
    "sigmoid": {
        "other numbers": "test_log_odds_become_the_probability_that_has_these_odds",
        "the symmetry $\\sigma(-z) = 1 - \\sigma(z)$": "test_both_classes_play_the_same_part",
        "$z = \\pm 1000$": "test_far_out_it_is_all_or_nothing_and_never_nan",
        "the far left, digit by digit down to $z = -700$": "test_very_small_probabilities_keep_their_digits",
        "single numbers, lists, whole numbers, tables": (
            "test_a_single_number_gives_a_single_number",
            "test_log_odds_may_come_in_lists",
            "test_whole_numbers_are_log_odds_too",
            "test_tables_keep_their_shape",
        ),
        "arguments left alone": "test_the_log_odds_are_left_as_they_were",
        "Write $\\sigma(z)$ for a number or an array of any shape.": "test_tables_keep_their_shape",
        "One form alone does not do: $e^z / (1 + e^z)$ is infinity over infinity, `nan`, at $z = 1000$, and "
        "$1 / (1 + e^{-z})$ overflows at $z = -1000$.": "test_far_out_it_is_all_or_nothing_and_never_nan",
        "But an exponential with a *negative* exponent never overflows, and you have two forms.": (
            "test_far_out_it_is_all_or_nothing_and_never_nan"
        ),
        "Log-odds of class 1 over class 0; they may be very large or very small.": (
            "test_far_out_it_is_all_or_nothing_and_never_nan"
        ),
        "Between 0 and 1, never nan.": "test_far_out_it_is_all_or_nothing_and_never_nan",
    },
    "predict_proba": {
        "other numbers and sizes, a single feature and a single row among them": (
            "test_every_row_gets_the_sigmoid_of_its_weighted_sum",
            "test_one_feature_and_one_row_are_enough",
            "test_many_features_have_many_weights",
        ),
        "weights that ignore the features": "test_weights_that_ignore_the_features_give_everybody_the_same",
        "rows far from the boundary": "test_rows_far_from_the_boundary_are_certain_and_not_nan",
        "a `w` that is too short or too long": "test_a_wrong_number_of_weights_is_refused",
        "lists": "test_whole_numbers_and_lists_are_features_too",
        "arguments left alone": "test_features_and_weights_are_left_as_they_were",
        "If the number of weights is not the number of features plus one, raise a `ValueError`.": (
            "test_a_wrong_number_of_weights_is_refused"
        ),
        "sigma(w[0] + w[1] x_1 + ... + w[d] x_d), between 0 and 1, never nan.": (
            "test_rows_far_from_the_boundary_are_certain_and_not_nan"
        ),
        "ValueError If w has not exactly d + 1 entries.": "test_a_wrong_number_of_weights_is_refused",
    },
    "log_likelihood": {
        "other numbers": "test_every_label_counts_with_the_logarithm_of_its_probability",
        "that it is a sum, not a mean, also over no examples at all": (
            "test_the_log_likelihoods_of_two_halves_add_up",
            "test_no_examples_have_a_log_likelihood_of_zero",
        ),
        "$w = 0$": "test_without_weights_every_label_is_a_fair_coin",
        "other sizes": "test_one_feature_or_many_have_a_log_likelihood",
        "examples with $z = \\pm 40$ and $\\pm 1000$, on the right and on the wrong side": (
            "test_a_confident_mistake_costs_what_it_should_and_not_infinity",
            "test_scores_in_the_thousands_are_exact",
        ),
        "truth values as labels": "test_truth_values_are_labels_too",
        "arguments left alone": "test_weights_features_and_labels_are_left_as_they_were",
        "Features with a first column of ones. n may be 0.": "test_no_examples_have_a_log_likelihood_of_zero",
    },
    "chain_rule_terms": {
        "other numbers with both labels": "test_each_factor_is_the_slope_of_its_link",
        "each factor against the slope of what it is the derivative of": (
            "test_the_factors_agree_with_measured_slopes"
        ),
        "the product of the three": "test_the_product_of_the_factors_is_error_times_input",
        "other sizes": "test_an_example_has_as_many_slopes_as_weights",
        "$|z|$ up to 30": "test_the_factors_stay_finite_far_from_the_boundary",
        "truth values as labels": "test_a_truth_value_is_a_label_and_lists_are_vectors",
        "arguments left alone": "test_the_weights_and_the_example_are_left_as_they_were",
    },
    "gradient": {
        "other numbers, with labels that are not balanced": ("test_every_weight_gets_the_sum_of_errors_times_inputs"),
        "other sizes": "test_one_weight_or_many_have_slopes",
        "slopes measured with finite differences": "test_the_gradient_agrees_with_measured_slopes",
        "a maximum, where it must vanish, to ten digits": "test_at_the_maximum_there_is_no_way_up",
        "two halves of the data, whose gradients add up": "test_the_gradients_of_two_halves_add_up",
        "$z = \\pm 1000$": "test_examples_far_from_the_boundary_pull_with_all_or_nothing",
        "five million examples, for which a loop over rows is too slow": "test_millions_of_examples_are_no_problem",
        "truth values as labels": "test_labels_may_be_truth_values_and_tables_lists",
        "arguments left alone": "test_the_gradient_leaves_its_arguments_as_they_were",
        "Features with a first column of ones. n may be in the millions.": "test_millions_of_examples_are_no_problem",
    },
    "numerical_gradient": {
        "quadratic functions, for which central differences are exact but for rounding": (
            "test_central_differences_are_exact_for_quadratics"
        ),
        "another `h`": "test_the_step_is_the_one_that_was_asked_for",
        "matrices": "test_a_matrix_of_weights_gives_a_matrix_of_slopes",
        "weights of 0": "test_a_slope_can_be_measured_at_zero",
        "whole numbers in `w`": "test_whole_numbers_can_be_wiggled_too",
        "one entry moving at a time, and `w` itself not moving at all": (
            "test_only_one_entry_moves_at_a_time",
            "test_the_place_of_measurement_is_left_as_it_was",
        ),
        "In notebook 8 the weights will be a matrix, so let `w` have any shape. (`np.ndindex(w.shape)` runs over all "
        "places of an array.)": "test_a_matrix_of_weights_gives_a_matrix_of_slopes",
    },
    "signed_distance": {
        "other numbers, with one and with more features": (
            "test_the_score_is_measured_in_lengths_of_the_direction",
            "test_with_one_feature_the_boundary_is_a_point",
            "test_many_features_have_one_boundary",
        ),
        "points on the boundary": "test_one_step_straight_away_adds_one",
        "a step of length 1 straight away from it": "test_one_step_straight_away_adds_one",
        "weights multiplied by 3, by $-1$ and by a millionth": (
            "test_scaling_all_weights_moves_no_boundary",
            "test_small_weights_have_a_boundary_too",
        ),
        "a weight of 0 among others": "test_a_weight_of_zero_among_others_is_no_obstacle",
        "no boundary": "test_without_a_direction_there_is_no_boundary",
        "lists": "test_points_may_come_in_lists",
        "arguments left alone": "test_weights_and_points_are_left_as_they_were",
        "If all of $w_1, \\dots, w_d$ are 0, there is no boundary: raise a `ValueError`.": (
            "test_without_a_direction_there_is_no_boundary"
        ),
        "ValueError If w[1], ..., w[d] are all 0.": "test_without_a_direction_there_is_no_boundary",
    },
    "derivation": {
        "Write the derivation as a list of strings, one line of algebra each, as in Python: the symbols `y`, `p` and "
        "`x` (for $x_j$), numbers up to 1000, `+ - * /`, parentheses, and `**` with a whole number up to 4.": (
            "test_every_line_is_algebra_in_three_symbols"
        ),
        "No equals signs, no other names, no empty lines.": "test_every_line_is_algebra_in_three_symbols",
        "these four, at other random points": (
            "test_both_ends_of_the_derivation_are_right",
            "test_a_line_in_between_shows_the_way",
            "test_every_line_follows",
        ),
    },
}
