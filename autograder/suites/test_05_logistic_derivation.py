"""Hidden suite for 05_logistic_derivation. A failing check shows the student its docstring, no more."""

import math

import numpy as np

from autograder.course.suite import Code, assert_matches, assert_raises, exercise, numbers, parts, unchanged
from checks.derivation import Refused, is_derivative, is_result, middle, read, read_all, shows_both_logarithms, steps

# Seven examples with three features, a first column of ones, and labels that are not balanced.
FEATURES = np.array(
    [
        [0.4, -1.2, 2.0],
        [1.7, 0.3, -0.6],
        [-0.9, 0.8, 0.1],
        [2.2, -0.4, 1.5],
        [0.0, 1.1, -1.3],
        [-1.6, -0.7, 0.9],
        [0.6, 2.4, 0.2],
    ]
)
DESIGN = np.column_stack([np.ones(7), FEATURES])
LABELS = np.array([1, 0, 0, 1, 1, 0, 1])
WEIGHTS = np.array([0.3, -0.8, 1.4, 0.5])


def by_hand(weights, rows):
    """Probabilities of class 1, example by example, in plain Python; moderate z only."""
    return np.array([1 / (1 + math.exp(-sum(w * x for w, x in zip(weights, row)))) for row in rows])


def log_likelihood_by_hand(weights, rows, labels):
    """The logarithm of the probability that each label has, added up."""
    return sum(math.log(p if y else 1 - p) for p, y in zip(by_hand(weights, rows), labels))


def maximum(rows, labels):
    """The weights at which the log-likelihood is largest, by Newton's method with shortened steps."""
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        p = by_hand(weights, rows)
        weights = weights + 0.7 * np.linalg.solve((rows.T * (p * (1 - p))) @ rows, rows.T @ (labels - p))
    return weights


# --- sigmoid ----------------------------------------------------------------------------------------------------------


@exercise("sigmoid", gate=True, weight=4)
def test_log_odds_become_the_probability_that_has_these_odds(student):
    """Odds of 3 to 1 are a probability of 3/4: the sigmoid turns log-odds into the probability that has them."""
    odds = np.array([1 / 9, 3 / 5, 3, 7, 24])
    assert_matches(student.sigmoid(np.log(odds)), odds / (1 + odds))


@exercise("sigmoid", weight=2)
def test_both_classes_play_the_same_part(student):
    """Turn the sign of the log-odds, and the two classes change places: the two probabilities sum to one."""
    z = np.array([0.2, 1.3, 4.0, 9.5])
    right = 1 / (1 + np.exp(-z))
    assert_matches(student.sigmoid(z), right)
    assert_matches(student.sigmoid(-z), 1 - right)


@exercise("sigmoid", weight=3)
def test_far_out_it_is_all_or_nothing_and_never_nan(student):
    """Log-odds in the thousands leave no doubt that a computer could see, on either side; nothing overflows to nan."""
    assert_matches(student.sigmoid(np.array([-1000.0, 1000.0, -5e4, 800.0])), [0, 1, 0, 1])


@exercise("sigmoid", weight=3)
def test_very_small_probabilities_keep_their_digits(student):
    """Far to the left the sigmoid is tiny, with all its digits; farther still it is at least not nothing."""
    z = np.array([-40.0, -120.0, -300.0])
    assert_matches(student.sigmoid(z), [math.exp(value) for value in z], rtol=1e-6, atol=0)
    assert numbers(student.sigmoid(-745.0)) > 0


@exercise("sigmoid")
def test_a_single_number_gives_a_single_number(student):
    """A single number in, a single number out, whole numbers included."""
    assert_matches(student.sigmoid(2.5), 1 / (1 + math.exp(-2.5)))
    assert_matches(student.sigmoid(-3), 1 / (1 + math.exp(3)))


@exercise("sigmoid")
def test_tables_and_whole_numbers_keep_their_shape(student):
    """A table gives a table of the same shape, also if its entries are whole numbers; nothing gives nothing."""
    table = np.array([[-2, 0, 5], [3, -4, 1]])
    assert_matches(student.sigmoid(table), 1 / (1 + np.exp(-table.astype(float))))
    assert_matches(student.sigmoid(np.zeros((2, 1, 3))), np.full((2, 1, 3), 0.5))
    assert_matches(student.sigmoid(np.zeros(0)), np.zeros(0))


@exercise("sigmoid")
def test_log_odds_may_come_in_lists(student):
    """A list of numbers is understood like an array."""
    assert_matches(student.sigmoid([-1.5, 0, 2.5]), [1 / (1 + math.exp(1.5)), 0.5, 1 / (1 + math.exp(-2.5))])


@exercise("sigmoid")
def test_the_log_odds_are_left_as_they_were(student):
    """The caller's array belongs to the caller: after the call it holds what it held before."""
    unchanged(student.sigmoid, np.array([-900.0, -2.0, 0.5, 900.0]))


# --- predict_proba ----------------------------------------------------------------------------------------------------


@exercise("predict_proba", gate=True, weight=4)
def test_every_row_gets_the_sigmoid_of_its_weighted_sum(student):
    """One probability for each row: the sigmoid of the intercept plus the weighted features."""
    assert_matches(student.predict_proba(FEATURES, WEIGHTS), by_hand(WEIGHTS, DESIGN))


@exercise("predict_proba")
def test_one_feature_and_one_row_are_enough(student):
    """A single feature is still a table with one column, and a single row still gives an array with one entry."""
    assert_matches(student.predict_proba(FEATURES[:, :1], [0.7, -2.0]), by_hand([0.7, -2.0], DESIGN[:, :2]))
    assert_matches(student.predict_proba(FEATURES[2:3], WEIGHTS), by_hand(WEIGHTS, DESIGN[2:3]))


@exercise("predict_proba")
def test_weights_that_ignore_the_features_give_everybody_the_same(student):
    """With nothing but an intercept everybody has the same probability, whatever the features are."""
    assert_matches(student.predict_proba(FEATURES, [-1.1, 0, 0, 0]), np.full(7, 1 / (1 + math.exp(1.1))))


@exercise("predict_proba", weight=2)
def test_rows_far_from_the_boundary_are_certain_and_not_nan(student):
    """Far from the boundary the probability is as good as 0 or 1, and never nan."""
    assert_matches(student.predict_proba(np.array([[1e4], [-1e4]]), [0.5, 3.0]), [1, 0])


@exercise("predict_proba", weight=3)
def test_a_wrong_number_of_weights_is_refused(student):
    """There is one weight for each feature and one more; any other number of them is a ValueError."""
    for weights in (WEIGHTS[:-1], np.append(WEIGHTS, 0.1), np.array([0.5])):
        assert_raises(ValueError, student.predict_proba, FEATURES, weights)
    assert_raises(ValueError, student.predict_proba, FEATURES[:, :1], np.array([0.1, 0.2, 0.3]))


@exercise("predict_proba")
def test_whole_numbers_and_lists_are_features_too(student):
    """Features may be whole numbers, and may come in lists."""
    expected = by_hand([-0.5, 0.25, 0.5], [[1, 3, -2], [1, 0, 4], [1, 1, 1]])
    assert_matches(student.predict_proba([[3, -2], [0, 4], [1, 1]], [-0.5, 0.25, 0.5]), expected)
    assert_matches(student.predict_proba(np.array([[3, -2], [0, 4], [1, 1]]), np.array([-0.5, 0.25, 0.5])), expected)


@exercise("predict_proba")
def test_features_and_weights_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.predict_proba, FEATURES, WEIGHTS)


# --- log_likelihood ---------------------------------------------------------------------------------------------------


@exercise("log_likelihood", gate=True, weight=4)
def test_every_label_counts_with_the_logarithm_of_its_probability(student):
    """Every example adds the logarithm of the probability that the weights gave to its label, be it 1 or 0."""
    assert_matches(student.log_likelihood(WEIGHTS, DESIGN, LABELS), log_likelihood_by_hand(WEIGHTS, DESIGN, LABELS))


@exercise("log_likelihood", weight=2)
def test_the_log_likelihoods_of_two_halves_add_up(student):
    """It is a sum over examples: what two halves of the data give adds up to what they give together."""
    both = numbers(student.log_likelihood(WEIGHTS, DESIGN[:3], LABELS[:3])) + numbers(
        student.log_likelihood(WEIGHTS, DESIGN[3:], LABELS[3:])
    )
    assert_matches(both, log_likelihood_by_hand(WEIGHTS, DESIGN, LABELS))


@exercise("log_likelihood")
def test_without_weights_every_label_is_a_fair_coin(student):
    """Where all weights are zero, every label has probability one half, whatever the features are."""
    assert_matches(student.log_likelihood(np.zeros(4), DESIGN, LABELS), 7 * math.log(0.5))


@exercise("log_likelihood")
def test_the_names_of_the_classes_do_not_matter(student):
    """Call class 1 class 0 and the other way round, and turn all weights: nothing has changed."""
    expected = log_likelihood_by_hand(WEIGHTS, DESIGN, LABELS)
    assert_matches(student.log_likelihood(-WEIGHTS, DESIGN, 1 - LABELS), expected)


@exercise("log_likelihood", weight=2)
def test_a_confident_mistake_costs_what_it_should_and_not_infinity(student):
    """An example that is 40 log-odds on the wrong side costs 40, though its probability cannot be told from 1."""
    rows = np.array([[1.0, 40.0], [1.0, -40.0]])
    assert_matches(student.log_likelihood([0.0, 1.0], rows, [0, 1]), -80.0)
    assert_matches(student.log_likelihood([0.0, 1.0], rows, [1, 0]), 0.0)


@exercise("log_likelihood", weight=3)
def test_scores_in_the_thousands_are_exact(student):
    """With scores of a thousand, a right label costs nothing and a wrong one exactly a thousand; nothing overflows."""
    rows = np.array([[1.0, 1000.0], [1.0, -1000.0], [1.0, 3000.0]])
    assert_matches(student.log_likelihood([0.0, 1.0], rows, [1, 0, 1]), 0.0)
    assert_matches(student.log_likelihood([0.0, 1.0], rows, [0, 0, 1]), -1000.0)
    assert_matches(student.log_likelihood([0.0, 1.0], rows, [1, 1, 0]), -4000.0)


@exercise("log_likelihood")
def test_truth_values_are_labels_too(student):
    """Labels may be truth values, in an array or in a list."""
    expected = log_likelihood_by_hand(WEIGHTS, DESIGN, LABELS)
    assert_matches(student.log_likelihood(WEIGHTS, DESIGN, LABELS == 1), expected)
    assert_matches(student.log_likelihood(WEIGHTS.tolist(), DESIGN.tolist(), [bool(y) for y in LABELS]), expected)


@exercise("log_likelihood")
def test_no_examples_have_a_log_likelihood_of_zero(student):
    """Where nothing was seen there is nothing to explain: a sum over no examples is zero."""
    assert_matches(student.log_likelihood(WEIGHTS, np.zeros((0, 4)), np.zeros(0)), 0.0)


@exercise("log_likelihood")
def test_weights_features_and_labels_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.log_likelihood, WEIGHTS, DESIGN, LABELS)


# --- chain_rule_terms -------------------------------------------------------------------------------------------------


@exercise("chain_rule_terms", gate=True, weight=3)
def test_for_a_positive_example_each_factor_is_the_slope_of_its_link(student):
    """For a label 1: how the log-likelihood changes with p, how p changes with z, how z changes with each weight."""
    x = DESIGN[1]
    p = by_hand(WEIGHTS, [x])[0]
    dl_dp, dp_dz, dz_dw = parts(student.chain_rule_terms(WEIGHTS, x, 1), 3)
    assert_matches(dl_dp, 1 / p)
    assert_matches(dp_dz, p * (1 - p))
    assert_matches(dz_dw, x)


@exercise("chain_rule_terms", weight=3)
def test_for_a_negative_example_more_p_means_less_likelihood(student):
    """For a label 0 the log-likelihood falls when p rises, and the steeper the nearer p is to one."""
    x = DESIGN[3]
    p = by_hand(WEIGHTS, [x])[0]
    dl_dp, dp_dz, dz_dw = parts(student.chain_rule_terms(WEIGHTS, x, 0), 3)
    assert_matches(dl_dp, -1 / (1 - p))
    assert_matches(dp_dz, p * (1 - p))
    assert_matches(dz_dw, x)


@exercise("chain_rule_terms", weight=3)
def test_the_product_of_the_factors_is_error_times_input(student):
    """Multiplied together, the three factors leave the error times the input, for both labels."""
    rng = np.random.default_rng(51)
    for label in (0, 1, 0, 1):
        w, x = rng.normal(size=5), np.append(1, rng.normal(size=4))
        dl_dp, dp_dz, dz_dw = map(numbers, parts(student.chain_rule_terms(w, x, label), 3))
        assert_matches(dl_dp * dp_dz * dz_dw, (label - by_hand(w, [x])[0]) * x)


@exercise("chain_rule_terms")
def test_the_factors_agree_with_measured_slopes(student):
    """Wiggle p, and the log-likelihood moves as the first factor says; wiggle z, and p moves as the second says."""
    w, x, h = np.array([0.4, -0.9]), np.array([1.0, 2.1]), 1e-6
    z = float(w @ x)
    p = 1 / (1 + math.exp(-z))
    dl_dp, dp_dz, _ = parts(student.chain_rule_terms(w, x, 0), 3)
    assert_matches(dl_dp, (math.log(1 - p - h) - math.log(1 - p + h)) / (2 * h), rtol=1e-6)
    assert_matches(dp_dz, (1 / (1 + math.exp(-z - h)) - 1 / (1 + math.exp(-z + h))) / (2 * h), rtol=1e-6)


@exercise("chain_rule_terms", weight=2)
def test_the_factors_stay_finite_far_from_the_boundary(student):
    """Thirty log-odds from the boundary all factors are still numbers, and their product is still right."""
    x = np.array([1.0, 10.0])
    for weights, label, error in (([0, 3], 1, 0), ([0, 3], 0, -1), ([0, -3], 1, 1), ([0, -3], 0, 0)):
        dl_dp, dp_dz, dz_dw = map(numbers, parts(student.chain_rule_terms(np.array(weights), x, label), 3))
        assert_matches(dl_dp * dp_dz * dz_dw, error * x, rtol=1e-2, atol=1e-6)


@exercise("chain_rule_terms")
def test_a_truth_value_is_a_label_and_lists_are_vectors(student):
    """The label may be a truth value, and the vectors may come in lists."""
    p = by_hand([0.5, -0.5], [[1, 3]])[0]
    for label in (True, False):
        dl_dp, dp_dz, dz_dw = parts(student.chain_rule_terms([0.5, -0.5], [1, 3], label), 3)
        assert_matches(dl_dp, 1 / p if label else -1 / (1 - p))
        assert_matches(dp_dz, p * (1 - p))
        assert_matches(dz_dw, [1.0, 3.0])


@exercise("chain_rule_terms")
def test_the_weights_and_the_example_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.chain_rule_terms, WEIGHTS, DESIGN[0], 0)


# --- gradient ---------------------------------------------------------------------------------------------------------


@exercise("gradient", gate=True, weight=4)
def test_every_weight_gets_the_sum_of_errors_times_inputs(student):
    """One number for each weight, the intercept's first: the sum over all examples of error times input."""
    expected = sum((y - p) * row for y, p, row in zip(LABELS, by_hand(WEIGHTS, DESIGN), DESIGN))
    assert_matches(student.gradient(WEIGHTS, DESIGN, LABELS), expected)


@exercise("gradient", weight=2)
def test_the_gradient_agrees_with_measured_slopes(student):
    """Wiggle one weight, and the log-likelihood changes as the gradient says."""
    rng = np.random.default_rng(52)
    rows = np.column_stack([np.ones(30), rng.normal(size=(30, 3))])
    labels = (rng.random(30) < 0.25).astype(int)
    w, h = rng.normal(size=4), 1e-5
    slopes = [
        (log_likelihood_by_hand(w + h * e, rows, labels) - log_likelihood_by_hand(w - h * e, rows, labels)) / (2 * h)
        for e in np.eye(4)
    ]
    assert_matches(student.gradient(w, rows, labels), slopes, rtol=1e-6, atol=1e-7)


@exercise("gradient", weight=2)
def test_at_the_maximum_there_is_no_way_up(student):
    """Where the log-likelihood is largest, all slopes are zero, and a step aside they are not, to the last digits."""
    rng = np.random.default_rng(53)
    rows = np.column_stack([np.ones(60), rng.normal(size=(60, 2))])
    labels = (rng.random(60) < by_hand([-0.7, 1.0, -0.5], rows)).astype(int)
    top = maximum(rows, labels)
    assert_matches(student.gradient(top, rows, labels), np.zeros(3), atol=1e-8)
    aside = top + np.array([0.1, 0.0, 0.2])
    exact = rows.T @ (labels - by_hand(aside, rows))
    assert_matches(
        student.gradient(aside, rows, labels), exact, rtol=0, atol=1e-11
    )  # measured slopes are off by more than that


@exercise("gradient")
def test_the_gradients_of_two_halves_add_up(student):
    """The gradient is a sum over examples: two halves of the data add up to the whole."""
    halves = [student.gradient(WEIGHTS, DESIGN[part], LABELS[part]) for part in (slice(0, 2), slice(2, 7))]
    expected = DESIGN.T @ (LABELS - by_hand(WEIGHTS, DESIGN))
    assert_matches(numbers(halves[0]) + numbers(halves[1]), expected)


@exercise("gradient", weight=2)
def test_examples_far_from_the_boundary_pull_with_all_or_nothing(student):
    """A thousand log-odds out, a right example does not pull at all and a wrong one with its whole input."""
    rows = np.array([[1.0, 1000.0], [1.0, -1000.0], [1.0, 2000.0]])
    assert_matches(student.gradient([0.0, 1.0], rows, [1, 0, 1]), [0.0, 0.0])
    assert_matches(student.gradient([0.0, 1.0], rows, [1, 1, 0]), [0.0, -3000.0])


@exercise("gradient", weight=3)
def test_millions_of_examples_are_no_problem(student):
    """Five million examples take a moment, not minutes: NumPy does the looping."""
    few, labels = [[1, 0, 1], [1, 1, 0], [1, 2, 1], [1, 1, 3], [1, 0, 0]], [1, 0, 1, 1, 0]
    w = np.array([-0.4, 0.9, 0.3])
    once = np.transpose(few) @ (np.array(labels) - by_hand(w, few))
    many = Code(f"np.tile(np.array({few}, dtype=np.int8), (1_000_000, 1))")
    assert_matches(student.gradient(w, many, Code(f"np.tile({labels}, 1_000_000)")), 1e6 * once, rtol=1e-6)


@exercise("gradient")
def test_labels_may_be_truth_values_and_tables_lists(student):
    """Labels may be truth values, and everything may come in lists."""
    expected = DESIGN.T @ (LABELS - by_hand(WEIGHTS, DESIGN))
    assert_matches(student.gradient(WEIGHTS, DESIGN, LABELS == 1), expected)
    assert_matches(student.gradient(WEIGHTS.tolist(), DESIGN.tolist(), [bool(y) for y in LABELS]), expected)


@exercise("gradient")
def test_the_gradient_leaves_its_arguments_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.gradient, WEIGHTS, DESIGN, LABELS)


# --- numerical_gradient -----------------------------------------------------------------------------------------------


@exercise("numerical_gradient", gate=True, weight=4)
def test_central_differences_are_exact_for_quadratics(student):
    """Stepping to both sides gives the slope of a quadratic function without any error but rounding."""
    slopes = student.numerical_gradient(
        Code("lambda w: w[0]**2/3 - w[0]*w[1]/7 + 2*w[1]**2 - 5*w[2]"), np.array([1.5, -2.0, 0.0])
    )
    assert_matches(slopes, [1 + 2 / 7, -8 - 1.5 / 7, -5.0], rtol=0, atol=1e-8)


@exercise("numerical_gradient", weight=2)
def test_a_matrix_of_weights_gives_a_matrix_of_slopes(student):
    """For a matrix of weights there is a slope for each entry, at the entry's own place."""
    w = np.array([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]])
    slopes = student.numerical_gradient(Code("lambda w: np.sum(np.array([[1, 2], [3, 4], [5, 6]]) * w**2)"), w)
    assert_matches(slopes, 2 * np.array([[1, 2], [3, 4], [5, 6]]) * w, rtol=0, atol=1e-8)


@exercise("numerical_gradient", weight=2)
def test_the_step_is_the_one_that_was_asked_for(student):
    """The slope of a cube at zero, measured over a step of h to each side, is h squared: the step can be seen."""
    assert_matches(student.numerical_gradient(Code("lambda w: w[0]**3"), np.array([0.0]), 0.1), [0.01], rtol=1e-9)
    assert_matches(student.numerical_gradient(Code("lambda w: w[0]**3"), np.array([0.0]), h=0.5), [0.25], rtol=1e-9)
    assert_matches(student.numerical_gradient(Code("lambda w: 1e10*w[0]**3"), np.array([0.0])), [1.0], rtol=1e-6)


@exercise("numerical_gradient", weight=2)
def test_whole_numbers_can_be_wiggled_too(student):
    """Weights that are whole numbers, in an array or in a list, can be moved by a fraction as well."""
    f = Code("lambda w: w[0]**2 * w[1]")
    assert_matches(student.numerical_gradient(f, np.array([3, 2])), [12.0, 9.0], rtol=0, atol=1e-7)
    assert_matches(student.numerical_gradient(f, [3, 2]), [12.0, 9.0], rtol=0, atol=1e-7)


@exercise("numerical_gradient")
def test_only_one_entry_moves_at_a_time(student):
    """While one entry is measured, all others are where they were: a function that jumps where two of
    them move sees it.
    """
    f = Code(
        "lambda w: 10*w[2] + 9*(abs(w[0] - 1) > 1e-9 and w[1] > 2 + 1e-9) "
        "+ 9*(abs(w[1] - 2) > 1e-9 and w[2] > 3 + 1e-9)"
    )
    assert_matches(student.numerical_gradient(f, np.array([1.0, 2.0, 3.0])), [0.0, 0.0, 10.0], rtol=0, atol=1e-7)


@exercise("numerical_gradient")
def test_smooth_functions_are_measured_to_many_digits(student):
    """For a smooth function the measured slopes are right to nine digits or so."""
    w = np.array([0.3, -1.1, 2.0, 0.9])
    assert_matches(
        student.numerical_gradient(Code("lambda w: float(np.sum(np.sin(w)))"), w), np.cos(w), rtol=0, atol=1e-8
    )


@exercise("numerical_gradient", weight=2)
def test_the_place_of_measurement_is_left_as_it_was(student):
    """The caller's weights belong to the caller: to the last bit they are after the call what they were before."""
    _, after = student.numerical_gradient.with_arguments(Code("lambda w: np.sum(w**2)"), np.array([0.1, 0.7, 1e6]))
    assert np.array_equal(after[1], np.array([0.1, 0.7, 1e6])), "the weights were modified"


# --- signed_distance --------------------------------------------------------------------------------------------------


@exercise("signed_distance", gate=True, weight=4)
def test_the_score_is_measured_in_lengths_of_the_direction(student):
    """The distance from a line in the plane, from a triangle with sides 3, 4 and 5: positive where z is."""
    points = np.array([[0.0, 0.0], [1.0, 3.0], [-2.0, -6.0], [4.0, -0.5]])
    assert_matches(student.signed_distance(np.array([10.0, 3.0, 4.0]), points), [2.0, 5.0, -4.0, 4.0])


@exercise("signed_distance", weight=2)
def test_scaling_all_weights_moves_no_boundary(student):
    """Three times the weights: the same boundary, the same distances. All signs turned: the sides change places."""
    expected = (WEIGHTS[0] + FEATURES @ WEIGHTS[1:]) / math.sqrt(sum(w * w for w in WEIGHTS[1:]))
    assert_matches(student.signed_distance(3 * WEIGHTS, FEATURES), expected)
    assert_matches(student.signed_distance(-WEIGHTS, FEATURES), -expected)


@exercise("signed_distance", weight=2)
def test_one_step_straight_away_adds_one(student):
    """Start on the boundary and walk straight away from it: after a step of length one the distance is one."""
    direction = np.array([2.0, -1.0, 2.0]) / 3
    on_it = np.array([[0.0, 0.0, 1.0], [3.0, 2.0, -1.0], [1.0, 2.0, 1.0]])  # 2 x1 - x2 + 2 x3 = 2
    weights = np.array([-2.0, 2.0, -1.0, 2.0])
    assert_matches(student.signed_distance(weights, on_it), np.zeros(3))
    assert_matches(student.signed_distance(weights, on_it + direction), np.ones(3))
    assert_matches(student.signed_distance(weights, on_it - 2.5 * direction), np.full(3, -2.5))


@exercise("signed_distance")
def test_with_one_feature_the_boundary_is_a_point(student):
    """With one feature the distance is that from a point of the axis, with the sign of the slope."""
    places = np.array([[1.0], [3.5], [-2.0]])
    assert_matches(student.signed_distance(np.array([-6.0, 4.0]), places), [-0.5, 2.0, -3.5])
    assert_matches(student.signed_distance(np.array([6.0, -4.0]), places), [0.5, -2.0, 3.5])


@exercise("signed_distance", weight=2)
def test_without_a_direction_there_is_no_boundary(student):
    """If no feature counts there is no boundary, and no distance from it: that is a ValueError."""
    assert_raises(ValueError, student.signed_distance, np.array([2.0, 0.0, 0.0]), np.array([[1.0, 2.0]]))
    assert_raises(ValueError, student.signed_distance, np.zeros(3), np.array([[1.0, 2.0]]))


@exercise("signed_distance")
def test_small_weights_have_a_boundary_too(student):
    """Weights of a millionth have a direction like any others."""
    points = np.array([[0.0, 0.0], [1.0, 3.0]])
    assert_matches(student.signed_distance(1e-6 * np.array([10.0, 3.0, 4.0]), points), [2.0, 5.0])


@exercise("signed_distance")
def test_points_may_come_in_lists(student):
    """Lists of whole numbers are understood like arrays."""
    assert_matches(student.signed_distance([10, 3, 4], [[0, 0], [1, 3]]), [2.0, 5.0])


@exercise("signed_distance")
def test_weights_and_points_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.signed_distance, WEIGHTS, FEATURES)


# --- derivation -------------------------------------------------------------------------------------------------------
# There are no hidden inputs here. The points at which lines are compared are others than in the notebook.

SEED = 5005


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


@exercise("derivation", gate=True)
def test_a_derivation_starts_somewhere_else_than_it_ends(student):
    """A derivation leads from somewhere to its result: more than one line, and the result is not the first."""
    lines = the_lines(student)
    last, first = tree_of(lines[-1]), tree_of(lines[0])
    assert last is not None and is_result(last) and is_derivative(last, SEED), f"the last line is {lines[-1]!r:.80}"
    assert len(lines) >= 2 and (first is None or not is_result(first)), "the result is all there is"


@exercise("derivation", weight=3)
def test_the_first_line_equals_the_derivative(student):
    """Step 1: the first line is the derivative of the log-likelihood, however it is written."""
    lines = the_lines(student)
    first = tree_of(lines[0])
    assert first is not None and is_derivative(first, SEED), problems(lines)


@exercise("derivation", weight=4)
def test_the_first_line_shows_both_logarithms_differentiated(student):
    """Step 2: the first line still shows a fraction from each logarithm, times the derivative of p."""
    lines = the_lines(student)
    first = tree_of(lines[0])
    assert first is not None and shows_both_logarithms(first, SEED), f"the first line is {lines[0]!r:.120}"


@exercise("derivation", weight=3)
def test_a_line_in_between_shows_the_way(student):
    """Step 3: between the first line and the result there is a line of the way, and it is right."""
    lines = the_lines(student)
    assert any(is_derivative(step.tree, SEED) for step in middle(steps(lines))), problems(lines) or "no line in between"


@exercise("derivation", weight=3)
def test_every_line_follows(student):
    """Step 4: every line equals the one before it, for both labels and everywhere between 0 and 1."""
    lines = the_lines(student)
    trees = [tree_of(line) for line in lines]
    assert all(tree is not None and is_derivative(tree, SEED) for tree in trees), problems(lines)
    assert len(lines) >= 3, "the way is missing"


@exercise("derivation")
def test_every_line_is_algebra_in_three_symbols(student):
    """Every line is one expression in y, p and x: no other names, no functions, no empty lines."""
    lines = the_lines(student)
    assert all(tree_of(line) is not None for line in lines), problems(lines)
    assert len(lines) >= 3, "the way is missing"
