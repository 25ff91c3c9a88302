"""Hidden suite for 03_naive_bayes. A failing check shows the student its docstring, no more."""

import math
import statistics
from fractions import Fraction
from itertools import product

import numpy as np

from autograder.course.suite import Code, assert_matches, assert_raises, exercise, numbers, parts, unchanged

# Twenty, ten and twenty-five examples of three classes, by the four values of a feature.
COUNTS = np.array([[2, 6, 8, 4], [1, 0, 3, 6], [5, 5, 5, 10]])
SHARES = np.array([[0.1, 0.3, 0.4, 0.2], [0.1, 0.0, 0.3, 0.6], [0.2, 0.2, 0.2, 0.4]])

# Eight examples with three binary features, of three classes that have two, one and five members.
FEATURES = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0], [0, 1, 1]])
CLASSES = np.array([0, 2, 1, 2, 2, 0, 2, 2])
CLASS_SHARES = np.array([2, 1, 5]) / 8
FEATURE_SHARES = np.array([[0.5, 0.0, 1.0], [1.0, 1.0, 0.0], [0.4, 0.4, 0.6]])

# A model with four classes and three features, and two examples. No class is as common as another, no theta is 1/2.
PRIOR = np.array([0.1, 0.4, 0.2, 0.3])
THETA = np.array([[0.2, 0.9, 0.4], [0.7, 0.1, 0.8], [0.6, 0.3, 0.3], [0.1, 0.2, 0.9]])
EXAMPLES = np.array([[1, 0, 0], [0, 1, 1]])
JOINT = PRIOR * np.array(
    [
        [0.2 * 0.1 * 0.6, 0.7 * 0.9 * 0.2, 0.6 * 0.7 * 0.7, 0.1 * 0.8 * 0.1],
        [0.8 * 0.9 * 0.4, 0.3 * 0.1 * 0.8, 0.4 * 0.3 * 0.3, 0.9 * 0.2 * 0.9],
    ]
)

# Ten measurements of two features; three classes with three, three and four members.
MEASURED = np.array(
    [
        [1.0, 10.0],
        [4.0, 20.0],
        [2.0, 13.0],
        [6.0, 31.0],
        [3.0, 12.0],
        [7.0, 14.0],
        [5.0, 11.0],
        [9.0, 35.0],
        [3.0, 18.0],
        [8.0, 14.0],
    ]
)
MEMBERS = np.array([0, 1, 2, 1, 0, 2, 2, 1, 2, 0])


# --- parameter_counts -------------------------------------------------------------------------------------------------


def sizes(student, *args, **kwargs):
    """The four counts in the order of the contract, after making sure that they are whole numbers."""
    answer = student.parameter_counts(*args, **kwargs)
    keys = ("full", "naive", "full_entries", "naive_entries")
    assert isinstance(answer, dict) and set(answer) == set(keys), "something else than a dictionary with the four keys"
    assert all(type(value) is int for value in answer.values()), "counts that are not whole numbers"
    return tuple(answer[key] for key in keys)


@exercise("parameter_counts", gate=True, weight=3)
def test_values_features_and_classes_each_play_their_part(student):
    """How many values, how many features and how many classes there are: each enters the counts in its own way."""
    assert sizes(student, 3, 4, 5) == (315, 45, 320, 65)


@exercise("parameter_counts", weight=2)
def test_free_parameters_are_entries_that_no_sum_determines(student):
    """Write all tables down and count. In each distribution the last entry follows from the others."""
    for d, values, classes in [(2, 3, 2), (3, 2, 4), (5, 3, 3), (4, 5, 2)]:
        combinations = len(list(product(range(values), repeat=d)))
        naive_tables = [[values] * classes for _ in range(d)]
        expected = (
            classes * (combinations - 1),
            sum(length - 1 for table in naive_tables for length in table),
            classes * combinations,
            classes + sum(length for table in naive_tables for length in table),
        )
        assert sizes(student, d, values, classes) == expected


@exercise("parameter_counts")
def test_binary_features_and_two_classes_are_the_default(student):
    """Without further arguments, features have two values and there are two classes."""
    assert sizes(student, 7) == (254, 14, 256, 30)


@exercise("parameter_counts")
def test_with_one_feature_there_is_nothing_to_assume(student):
    """A single feature is independent of all others, for there are none: both ways have the same free parameters."""
    for values, classes in [(2, 2), (6, 3), (3, 5)]:
        full, naive, _, _ = sizes(student, 1, n_values=values, n_classes=classes)
        assert full == naive == (values - 1) * classes


@exercise("parameter_counts")
def test_small_tables_pay_from_the_third_feature_on(student):
    """For one or two binary features the small tables have more entries than the big one, from three on fewer."""
    larger = []
    for d in range(1, 9):
        _, _, full_entries, naive_entries = sizes(student, d)
        larger.append(naive_entries > full_entries)
    assert larger == [True, True] + [False] * 6


@exercise("parameter_counts", weight=3)
def test_hundreds_of_features_are_counted_to_the_last_digit(student):
    """However many features there are, the counts are exact whole numbers."""
    combinations = 7
    for _ in range(299):
        combinations *= 7
    assert sizes(student, 300, 7, 3) == (3 * combinations - 3, 300 * 6 * 3, 3 * combinations, 300 * 7 * 3 + 3)


# --- conditional_tables -----------------------------------------------------------------------------------------------


@exercise("conditional_tables", gate=True, weight=3)
def test_shares_are_taken_within_each_class(student):
    """A row holds the shares of the values among the members of one class, so every row sums to one."""
    assert_matches(student.conditional_tables(COUNTS), SHARES)


@exercise("conditional_tables", weight=2)
def test_the_table_agrees_with_counting_one_by_one(student):
    """Whatever the numbers of classes and values: each entry is a count divided by the size of its class."""
    rng = np.random.default_rng(1)
    for shape in [(5, 2), (2, 7), (1, 3)]:
        counts = rng.integers(1, 50, size=shape)
        expected = [[Fraction(int(count), int(sum(row))) for count in row] for row in counts]
        assert_matches(student.conditional_tables(counts), [[float(share) for share in row] for row in expected])


@exercise("conditional_tables")
def test_a_larger_class_has_the_same_shares(student):
    """Ten times as many members with the same habits: the conditional table does not change."""
    assert_matches(student.conditional_tables(COUNTS * np.array([[10], [1], [3]])), SHARES)


@exercise("conditional_tables")
def test_a_value_that_never_occurred_has_share_zero(student):
    """A value without a single member has the share zero here, neither more nor nan, however small the class."""
    counts = np.array([[0, 4, 12], [9, 0, 0], [0, 1, 0]])
    assert_matches(student.conditional_tables(counts), [[0, 1 / 4, 3 / 4], [1, 0, 0], [0, 1, 0]])


@exercise("conditional_tables", weight=4)
def test_a_class_without_members_is_nan_and_spoils_no_other(student):
    """A class without members has no shares: nan in its row, and the other rows as usual."""
    counts = np.array([[3, 1], [0, 0], [2, 6]])
    expected = [[3 / 4, 1 / 4], [np.nan, np.nan], [1 / 4, 3 / 4]]
    assert_matches(student.conditional_tables(counts), expected, nan_ok=True)


@exercise("conditional_tables")
def test_the_counts_are_left_as_they_were(student):
    """The caller's counts belong to the caller: after the call they hold what they held before."""
    unchanged(student.conditional_tables, COUNTS.astype(float))
    unchanged(student.conditional_tables, COUNTS)


@exercise("conditional_tables")
def test_counts_may_come_in_lists(student):
    """A list of lists is understood like an array."""
    assert_matches(student.conditional_tables([[3, 5], (9, 1)]), [[3 / 8, 5 / 8], [9 / 10, 1 / 10]])


# --- fit_bernoulli_nb -------------------------------------------------------------------------------------------------


def counted(X, y, n_classes):
    """Class shares and feature shares, by counting one example after the other."""
    n, d = len(X), len(X[0])
    members, having = [0] * n_classes, [[0] * d for _ in range(n_classes)]
    for row, label in zip(X, y):
        members[label] += 1
        for j, value in enumerate(row):
            having[label][j] += int(value)
    theta = [[h / m if m else math.nan for h in row] for row, m in zip(having, members)]
    return np.array(members) / n, np.array(theta)


@exercise("fit_bernoulli_nb", gate=True, weight=4)
def test_classes_are_shares_of_all_and_features_shares_of_their_class(student):
    """The prior is counted among all examples, each theta among the members of its class."""
    prior, theta = parts(student.fit_bernoulli_nb(FEATURES, CLASSES, 3), 2)
    assert_matches(prior, CLASS_SHARES)
    assert_matches(theta, FEATURE_SHARES)


@exercise("fit_bernoulli_nb", weight=2)
def test_training_agrees_with_counting_one_by_one(student):
    """Whatever the numbers of examples, features and classes: training is counting."""
    rng = np.random.default_rng(2)
    for n, d, n_classes in [(60, 5, 4), (40, 1, 2), (33, 9, 3)]:
        X, y = rng.integers(2, size=(n, d)), rng.permutation(np.arange(n) % (n_classes + 1) % n_classes)
        expected_prior, expected_theta = counted(X, y, n_classes)
        prior, theta = parts(student.fit_bernoulli_nb(X, y, n_classes), 2)
        assert_matches(prior, expected_prior)
        assert_matches(theta, expected_theta)


@exercise("fit_bernoulli_nb")
def test_the_order_of_the_examples_does_not_matter(student):
    """The same examples in another order teach the same."""
    order = [5, 2, 7, 0, 3, 6, 1, 4]
    prior, theta = parts(student.fit_bernoulli_nb(FEATURES[order], CLASSES[order], 3), 2)
    assert_matches(prior, CLASS_SHARES)
    assert_matches(theta, FEATURE_SHARES)


@exercise("fit_bernoulli_nb")
def test_renumbered_classes_take_their_shares_along(student):
    """Numbers of classes and places of features are arbitrary: renumber them, and the answer follows."""
    new_number = np.array([1, 2, 0])
    prior, theta = parts(student.fit_bernoulli_nb(FEATURES[:, ::-1], new_number[CLASSES], 3), 2)
    assert_matches(prior, CLASS_SHARES[[2, 0, 1]])
    assert_matches(theta, FEATURE_SHARES[[2, 0, 1]][:, ::-1])


@exercise("fit_bernoulli_nb")
def test_features_may_be_truth_values_or_bytes(student):
    """True means the same as 1, and so does a 1 that is stored in a single byte."""
    for kind in (bool, np.uint8):
        prior, theta = parts(student.fit_bernoulli_nb(FEATURES.astype(kind), CLASSES, 3), 2)
        assert_matches(prior, CLASS_SHARES)
        assert_matches(theta, FEATURE_SHARES)


@exercise("fit_bernoulli_nb", weight=4)
def test_a_class_that_never_occurs_has_prior_zero(student):
    """A class without examples has prior zero and keeps its row; the other classes are as usual."""
    prior, theta = parts(student.fit_bernoulli_nb(np.array([[1, 0], [0, 0], [1, 1]]), np.array([2, 0, 2]), 3), 2)
    assert_matches(prior, [1 / 3, 0, 2 / 3])
    first, _, last = parts(theta, 3)
    assert_matches([first, last], [[0, 0], [1, 1 / 2]])


@exercise("fit_bernoulli_nb", weight=3)
def test_the_number_of_classes_is_what_the_caller_says(student):
    """If the last classes do not occur in the data, they still have their places."""
    prior, theta = parts(student.fit_bernoulli_nb(np.array([[1, 0], [0, 0], [1, 1]]), np.array([1, 0, 1]), 4), 2)
    assert_matches(prior, [1 / 3, 2 / 3, 0, 0])
    first, second, _, _ = parts(theta, 4)
    assert_matches([first, second], [[0, 0], [1, 1 / 2]])


@exercise("fit_bernoulli_nb", weight=2)
def test_millions_of_examples_are_counted_at_once(student):
    """Millions of examples are no problem for whole arrays; they are one for a loop that takes them one by one."""
    X = Code("np.tile(np.array([[1], [0], [1], [1], [0]], dtype=np.int32), (2_000_000, 1))")
    y = Code("np.tile(np.array([1, 0, 0, 0, 1], dtype=np.uint8), 2_000_000)")
    prior, theta = parts(student.fit_bernoulli_nb(X, y, 2), 2)
    assert_matches(prior, [3 / 5, 2 / 5])
    assert_matches(theta, [[2 / 3], [1 / 2]])


@exercise("fit_bernoulli_nb")
def test_the_examples_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.fit_bernoulli_nb, FEATURES, CLASSES, 3)


@exercise("fit_bernoulli_nb")
def test_examples_may_come_in_lists(student):
    """Lists are understood like arrays, in the features and in the classes."""
    prior, theta = parts(student.fit_bernoulli_nb(FEATURES.tolist(), CLASSES.tolist(), 3), 2)
    assert_matches(prior, CLASS_SHARES)
    assert_matches(theta, FEATURE_SHARES)


# --- joint_log_likelihood ---------------------------------------------------------------------------------------------


def log_or_minus_infinity(p):
    return math.log(p) if p > 0 else -math.inf


def joint_logs(X, prior, theta):
    """log P(x, class), one factor after the other, in plain Python."""
    return [
        [
            log_or_minus_infinity(p) + math.fsum(math.log(t if x else 1 - t) for x, t in zip(row, ts))
            for p, ts in zip(prior, theta)
        ]
        for row in X
    ]


@exercise("joint_log_likelihood", gate=True, weight=4)
def test_every_feature_and_the_prior_have_their_say_once(student):
    """One factor for the class, one for each feature: theta if it is there, one minus theta if it is not."""
    assert_matches(student.joint_log_likelihood(EXAMPLES, PRIOR, THETA), np.log(JOINT))


@exercise("joint_log_likelihood", weight=2)
def test_scores_agree_with_adding_one_by_one(student):
    """Whatever the numbers of examples, features and classes: the score is a sum of logarithms."""
    rng = np.random.default_rng(3)
    for n, d, n_classes in [(7, 4, 3), (5, 11, 2), (6, 1, 5)]:
        X, theta = rng.integers(2, size=(n, d)), rng.uniform(0.05, 0.95, size=(n_classes, d))
        prior = rng.dirichlet(np.ones(n_classes))
        assert_matches(student.joint_log_likelihood(X, prior, theta), joint_logs(X, prior, theta))


@exercise("joint_log_likelihood")
def test_an_email_without_any_word_is_evidence_too(student):
    """If no feature is there at all, their absence still speaks."""
    expected = np.log(PRIOR * (1 - THETA).prod(axis=1))
    assert_matches(student.joint_log_likelihood(np.zeros((1, 3), dtype=int), PRIOR, THETA), [expected])


@exercise("joint_log_likelihood", weight=2)
def test_all_possible_examples_together_have_probability_one(student):
    """Add the probabilities of every possible example in every class: that is everything, so the sum is one."""
    rng = np.random.default_rng(4)
    X = np.array(list(product([0, 1], repeat=6)))
    scores = numbers(student.joint_log_likelihood(X, PRIOR, rng.uniform(0.05, 0.95, size=(4, 6))))
    assert scores.shape == (64, 4)
    assert_matches(np.exp(scores).sum(axis=0), PRIOR)


@exercise("joint_log_likelihood", weight=6)
def test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out(student):
    """A theta of zero or one adds exactly nothing where it was right, and minus infinity where it was wrong."""
    theta = np.array([[0.0, 1.0, 0.25], [1.0, 0.0, 0.5]])
    X = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]])
    out = -np.inf
    expected = [[np.log(0.6 * 0.25), out], [out, np.log(0.4 * 0.5)], [out, out], [out, out]]
    assert_matches(student.joint_log_likelihood(X, np.array([0.6, 0.4]), theta), expected)


@exercise("joint_log_likelihood")
def test_a_class_with_prior_zero_is_out(student):
    """A class that never occurs has the score minus infinity for every example."""
    scores = student.joint_log_likelihood(EXAMPLES, np.array([0.0, 1.0]), THETA[:2])
    assert_matches(scores, [[-np.inf, np.log(0.7 * 0.9 * 0.2)], [-np.inf, np.log(0.3 * 0.1 * 0.8)]])


@exercise("joint_log_likelihood", weight=5)
def test_thousands_of_features_do_not_underflow(student):
    """With thousands of features the probabilities are too small for a floating-point number; the scores are not."""
    rng = np.random.default_rng(5)
    X, theta = rng.integers(2, size=(3, 5000)), rng.uniform(0.05, 0.95, size=(2, 5000))
    prior = [0.3, 0.7]
    assert_matches(student.joint_log_likelihood(X, np.array(prior), theta), joint_logs(X, prior, theta))


@exercise("joint_log_likelihood")
def test_renumbered_classes_take_their_scores_along(student):
    """Numbers of classes and places of features are arbitrary: renumber them, and the scores follow."""
    order = [2, 0, 3, 1]
    scores = student.joint_log_likelihood(EXAMPLES[:, ::-1], PRIOR[order], THETA[order][:, ::-1])
    assert_matches(scores, np.log(JOINT)[:, order])


@exercise("joint_log_likelihood")
def test_examples_may_be_truth_values_or_bytes(student):
    """True means the same as 1, and so does a 1 that is stored in a single byte."""
    for kind in (bool, np.uint8):
        assert_matches(student.joint_log_likelihood(EXAMPLES.astype(kind), PRIOR, THETA), np.log(JOINT))


@exercise("joint_log_likelihood", weight=2)
def test_millions_of_examples_are_scored_at_once(student):
    """Millions of examples are no problem for whole arrays; they are one for a loop that takes them one by one."""
    X = Code("np.tile(np.array([[1, 0, 0], [0, 1, 1]], dtype=np.uint8), (1_500_000, 1))")
    scores = student.joint_log_likelihood(X, PRIOR[1:3] * 2, THETA[1:3])
    assert_matches(scores, np.tile(np.log(JOINT[:, 1:3] * 2), (1_500_000, 1)))


@exercise("joint_log_likelihood")
def test_examples_and_parameters_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.joint_log_likelihood, EXAMPLES, PRIOR, THETA)


@exercise("joint_log_likelihood")
def test_examples_and_parameters_may_come_in_lists(student):
    """Lists are understood like arrays, in all three arguments."""
    scores = student.joint_log_likelihood(EXAMPLES.tolist(), PRIOR.tolist(), THETA.tolist())
    assert_matches(scores, np.log(JOINT))


# --- predict_proba ----------------------------------------------------------------------------------------------------

SCORES = np.log(np.array([[0.02, 0.05, 0.03], [0.24, 0.06, 0.10]]))
POSTERIORS = np.array([[0.2, 0.5, 0.3], [0.6, 0.15, 0.25]])


@exercise("predict_proba", gate=True, weight=4)
def test_every_example_shares_out_one_among_the_classes(student):
    """Each row by itself: the joint probabilities of its classes, as shares of their sum."""
    assert_matches(student.predict_proba(SCORES), POSTERIORS)


@exercise("predict_proba", weight=2)
def test_posteriors_agree_with_dividing_by_the_evidence(student):
    """Whatever the numbers of examples and classes: joint probability divided by the evidence."""
    rng = np.random.default_rng(6)
    for shape in [(7, 4), (3, 2), (5, 1)]:
        joint = rng.uniform(0.001, 0.2, size=shape)
        expected = [[p / math.fsum(row) for p in row] for row in joint]
        assert_matches(student.predict_proba(np.log(joint)), expected)


@exercise("predict_proba", weight=5)
def test_a_number_added_to_a_row_changes_nothing(student):
    """Very small and very large joint densities, logarithms of minus or plus thousands: only differences count."""
    for shift in (-5000.0, 5000.0):
        assert_matches(student.predict_proba(SCORES + shift), POSTERIORS)


@exercise("predict_proba", weight=4)
def test_a_row_does_not_care_about_its_neighbours(student):
    """Rows of very different size stand side by side, and each is turned into probabilities by itself."""
    assert_matches(student.predict_proba(SCORES + np.array([[5000.0], [-5000.0]])), POSTERIORS)


@exercise("predict_proba")
def test_a_class_that_is_ruled_out_gets_exactly_nothing(student):
    """Minus infinity in one place means probability zero there; the other classes share the rest."""
    scores = np.array([[np.log(0.3), -np.inf, np.log(0.1)], [-np.inf, -np.inf, -2000.0]])
    assert_matches(student.predict_proba(scores), [[0.75, 0, 0.25], [0, 0, 1]])


@exercise("predict_proba", weight=4)
def test_if_all_classes_are_ruled_out_none_is_preferred(student):
    """If every class has ruled an example out, each gets the same probability; the other examples are as usual."""
    scores = np.vstack([SCORES[0], np.full(3, -np.inf), SCORES[1]])
    assert_matches(student.predict_proba(scores), np.vstack([POSTERIORS[0], np.full(3, 1 / 3), POSTERIORS[1]]))


@exercise("predict_proba")
def test_the_favourite_and_the_ties_stay(student):
    """The class with the largest score has the largest probability, and equal scores have equal ones."""
    scores = np.array([[-900.0, -903.0, -900.5, -901.0], [-4000.0, -3999.5, -3999.5, -4010.0]])
    answer = numbers(student.predict_proba(scores))
    assert answer.shape == (2, 4)
    assert answer.argmax(axis=1).tolist() == [0, 1]
    assert_matches(answer[1, 1], answer[1, 2])
    assert_matches(np.log(answer[0, 1] / answer[0, 0]), -3.0)


@exercise("predict_proba")
def test_a_very_improbable_class_is_not_an_impossible_one(student):
    """However improbable a class is, its probability is a number and not zero, as long as it can be written down."""
    answer = numbers(student.predict_proba(np.array([[-10.0, -210.0], [-710.0, -10.0], [-10.0, -5000.0]])))
    assert answer.shape == (3, 2)
    assert_matches(answer[2], [1, 0])
    assert_matches(
        answer[[0, 1], [1, 0]] * np.array([1e80, 1e300]), np.exp([-200, -700]) * np.array([1e80, 1e300]), rtol=1e-6
    )


@exercise("predict_proba", weight=2)
def test_millions_of_rows_are_shared_out_at_once(student):
    """Millions of rows are no problem for whole arrays; they are one for a loop that takes them one by one."""
    scores = Code("np.tile(np.log([[0.02, 0.06], [0.5, 0.125]]), (1_500_000, 1))")
    assert_matches(student.predict_proba(scores), np.tile([[0.25, 0.75], [0.8, 0.2]], (1_500_000, 1)))


@exercise("predict_proba")
def test_the_scores_are_left_as_they_were(student):
    """The caller's scores belong to the caller: after the call they hold what they held before."""
    unchanged(student.predict_proba, SCORES - 3.0)


@exercise("predict_proba")
def test_scores_may_come_in_lists(student):
    """A list of lists is understood like an array, also if it holds whole numbers."""
    assert_matches(student.predict_proba(SCORES.tolist()), POSTERIORS)
    assert_matches(student.predict_proba([[-800, -800], [-3, -3]]), np.full((2, 2), 0.5))


# --- fit_gaussian_nb --------------------------------------------------------------------------------------------------


def normal_logs(X, prior, mean, var):
    """log P(class) + log-density, one factor after the other, in plain Python."""
    return [
        [
            math.log(p)
            + math.fsum(
                -((x - m) ** 2) / (2 * v) - math.log(v) / 2 - math.log(math.tau) / 2 for x, m, v in zip(row, ms, vs)
            )
            for p, ms, vs in zip(prior, mean, var)
        ]
        for row in X
    ]


def shares(scores):
    """Probabilities of the classes from scores."""
    scores = numbers(scores)
    assert scores.ndim == 2, "scores that are no table"
    return np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


GAUSSIAN_PRIOR = np.array([0.5, 0.2, 0.3])
GAUSSIAN_MEAN = np.array([[1.0, 10.0], [4.0, -5.0], [0.0, 2.0]])
GAUSSIAN_VAR = np.array([[4.0, 9.0], [0.25, 16.0], [1.0, 2.5]])


@exercise("fit_gaussian_nb", gate=True, weight=3)
def test_every_class_has_its_own_means_and_variances(student):
    """Share, means and unbiased variances, each counted within its class."""
    prior, mean, var = parts(student.fit_gaussian_nb(MEASURED, MEMBERS, 3), 3)
    assert_matches(prior, [0.3, 0.3, 0.4])
    assert_matches(mean, [[4, 12], [19 / 3, 86 / 3], [17 / 4, 14]])
    assert_matches(var, [[13, 4], [19 / 3, 181 / 3], [59 / 12, 26 / 3]])


@exercise("fit_gaussian_nb", gate=True, weight=3)
def test_scores_add_the_log_prior_and_all_log_densities(student):
    """The score of a class: the logarithm of its share, and for each feature that of the Gaussian density."""
    X = np.array([[1.0, 1.0], [4.2, 3.0], [-2.0, 20.0], [0.0, 0.0]])
    scores = student.gaussian_joint_log_likelihood(X, GAUSSIAN_PRIOR, GAUSSIAN_MEAN, GAUSSIAN_VAR)
    assert_matches(scores, normal_logs(X, GAUSSIAN_PRIOR, GAUSSIAN_MEAN, GAUSSIAN_VAR))


@exercise("fit_gaussian_nb", weight=2)
def test_estimates_agree_with_the_textbook(student):
    """Whatever the numbers of examples, features and classes: mean, and squares divided by one less than the number."""
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(50, 4)) * [1, 10, 0.1, 3] + [0, 5, 100, -3], rng.permutation(np.arange(50) % 6 % 5)
    groups = [[column[y == k].tolist() for column in X.T] for k in range(5)]
    prior, mean, var = parts(student.fit_gaussian_nb(X, y, 5), 3)
    assert_matches(prior, [np.mean(y == k) for k in range(5)])
    assert_matches(mean, [[statistics.fmean(values) for values in group] for group in groups])
    assert_matches(var, [[statistics.variance(values) for values in group] for group in groups], rtol=1e-8)


@exercise("fit_gaussian_nb", weight=4)
def test_a_class_with_a_single_example_is_refused(student):
    """One example has no spread. A class with a single example is a ValueError, whichever class it is."""
    assert_raises(ValueError, student.fit_gaussian_nb, MEASURED[:5], np.array([0, 1, 0, 2, 1]), 3)
    assert_raises(ValueError, student.fit_gaussian_nb, MEASURED[:5], np.array([1, 0, 1, 2, 2]), 3)


@exercise("fit_gaussian_nb")
def test_two_examples_are_enough(student):
    """With two examples in a class there is a spread, and an answer."""
    prior, mean, var = parts(
        student.fit_gaussian_nb(np.array([[1.0], [5.0], [2.0], [2.5]]), np.array([1, 1, 0, 0]), 2), 3
    )
    assert_matches(prior, [0.5, 0.5])
    assert_matches(mean, [[2.25], [3.0]])
    assert_matches(var, [[0.125], [8.0]])


@exercise("fit_gaussian_nb")
def test_the_density_of_everything_is_one(student):
    """Over all measurements and all classes, the densities add up to one."""
    step = 0.01
    X = np.arange(-40, 40, step)[:, np.newaxis]
    prior, mean, var = np.array([0.3, 0.7]), np.array([[-2.0], [5.0]]), np.array([[6.25], [0.5]])
    scores = numbers(student.gaussian_joint_log_likelihood(X, prior, mean, var))
    assert scores.shape == (8000, 2)
    assert_matches(np.exp(scores).sum(axis=0) * step, prior, rtol=1e-6)


@exercise("fit_gaussian_nb", weight=2)
def test_units_do_not_matter(student):
    """Millimetres or metres, Celsius or Fahrenheit: the probabilities of the classes are the same."""
    rng = np.random.default_rng(8)
    y = np.arange(40) % 3
    X = rng.normal(size=(40, 2)) + y[:, np.newaxis] * [1.0, -0.7]
    answers = []
    for data in (X, X * [0.001, 1.8] + [0, 32]):
        prior, mean, var = parts(student.fit_gaussian_nb(data, y, 3), 3)
        answers.append(shares(student.gaussian_joint_log_likelihood(data, prior, mean, var)))
    assert_matches(answers[1], answers[0], rtol=1e-6)


@exercise("fit_gaussian_nb", weight=4)
def test_far_away_examples_keep_finite_scores(student):
    """Far from every class the density is too small for a floating-point number; its logarithm is not."""
    X = np.array([[500.0, -300.0], [1e4, 1e4]])
    scores = student.gaussian_joint_log_likelihood(X, GAUSSIAN_PRIOR, GAUSSIAN_MEAN, GAUSSIAN_VAR)
    assert_matches(scores, normal_logs(X, GAUSSIAN_PRIOR, GAUSSIAN_MEAN, GAUSSIAN_VAR))


@exercise("fit_gaussian_nb", weight=2)
def test_hundreds_of_features_keep_finite_scores(student):
    """Many features with tiny or huge variances: densities under- and overflow, sums of logarithms do not."""
    rng = np.random.default_rng(9)
    X, mean = rng.normal(size=(2, 600)), rng.normal(size=(3, 600))
    var = np.tile([[1e-4], [1e4], [1.0]], (1, 600))
    scores = student.gaussian_joint_log_likelihood(X, GAUSSIAN_PRIOR, mean, var)
    assert_matches(scores, normal_logs(X, GAUSSIAN_PRIOR, mean, var))


@exercise("fit_gaussian_nb")
def test_measurements_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after either call they hold what they held before."""
    unchanged(student.fit_gaussian_nb, MEASURED, MEMBERS, 3)
    unchanged(student.gaussian_joint_log_likelihood, MEASURED, GAUSSIAN_PRIOR, GAUSSIAN_MEAN, GAUSSIAN_VAR)


@exercise("fit_gaussian_nb")
def test_measurements_may_come_in_lists(student):
    """Lists, of whole numbers too, are understood like arrays, in both functions."""
    prior, mean, var = parts(student.fit_gaussian_nb([[1, 7], [2, 7], [4, 1], [8, 4]], [0, 0, 1, 1], 2), 3)
    assert_matches(prior, [0.5, 0.5])
    assert_matches(mean, [[1.5, 7.0], [6.0, 2.5]])
    assert_matches(var, [[0.5, 0.0], [8.0, 4.5]])
    scores = student.gaussian_joint_log_likelihood([[3, 1]], [0.25, 0.75], [[1, 0], [2, 3]], [[4, 1], [1, 9]])
    assert_matches(scores, normal_logs([[3, 1]], [0.25, 0.75], [[1, 0], [2, 3]], [[4, 1], [1, 9]]))


# --- gnb_linear_weights -----------------------------------------------------------------------------------------------

LINE_PRIOR = np.array([0.7, 0.3])
LINE_MEAN = np.array([[1.0, 4.0, -2.0], [3.0, 1.0, -2.5]])
LINE_VAR = np.array([4.0, 1.5, 0.5])
LINE_W = np.array([0.5, -2.0, -1.0])
LINE_W0 = np.log(3 / 7) - 1.0 + 5.0 - 2.25


def weights(student, *args):
    """The student's w0, a number, and w, an array, ready for arithmetic."""
    w0, w = parts(student.gnb_linear_weights(*args), 2)
    w0, w = numbers(w0), numbers(w)
    assert w0.shape == (), "w0 is not one number"
    return w0, w


@exercise("gnb_linear_weights", gate=True, weight=4)
def test_means_variances_and_priors_all_enter(student):
    """What multiplies each feature, and what is left over, for several features and unequal priors."""
    w0, w = weights(student, LINE_PRIOR, LINE_MEAN, LINE_VAR)
    assert_matches(w, LINE_W)
    assert_matches(w0, LINE_W0)


@exercise("gnb_linear_weights", weight=3)
def test_the_line_is_the_log_odds_of_the_densities(student):
    """For every x: w0 + w . x is the logarithm of how much more probable class 1 is than class 0, by its densities."""
    rng = np.random.default_rng(10)
    for d in (1, 2, 5):
        p = rng.uniform(0.1, 0.9)
        prior, mean, var = np.array([1 - p, p]), rng.normal(size=(2, d)), rng.uniform(0.5, 2.0, size=d)
        X = rng.normal(size=(6, d))
        logs = np.array(normal_logs(X, prior, mean, [var, var]))
        w0, w = weights(student, prior, mean, var)
        assert w.shape == (d,), "not one weight for each feature"
        assert_matches(w0 + X @ w, logs[:, 1] - logs[:, 0], atol=1e-9)


@exercise("gnb_linear_weights")
def test_swapping_the_classes_turns_all_signs(student):
    """If class 0 and class 1 trade places, the odds are turned over and every weight changes its sign."""
    w0, w = weights(student, LINE_PRIOR[::-1], LINE_MEAN[::-1], LINE_VAR)
    assert_matches(w, -LINE_W)
    assert_matches(w0, -LINE_W0)


@exercise("gnb_linear_weights")
def test_equal_means_leave_only_the_prior(student):
    """If both classes have the same means, no measurement tells them apart: what is left is the prior."""
    w0, w = weights(student, np.array([0.2, 0.8]), np.array([[3.0, -1.0], [3.0, -1.0]]), np.array([2.0, 5.0]))
    assert_matches(w, [0.0, 0.0])
    assert_matches(w0, np.log(4))


@exercise("gnb_linear_weights")
def test_with_equal_priors_the_boundary_is_halfway(student):
    """With equal priors, the point halfway between the means is exactly on the boundary."""
    w0, w = weights(student, np.array([0.5, 0.5]), LINE_MEAN, LINE_VAR)
    assert_matches(w, LINE_W)
    assert_matches(w0 + w @ LINE_MEAN.mean(axis=0), 0.0)


@exercise("gnb_linear_weights")
def test_moving_the_origin_moves_only_the_intercept(student):
    """Measure from another zero: the weights of the features stay, and w0 makes up for the shift."""
    shift = np.array([10.0, -3.0, 0.5])
    w0, w = weights(student, LINE_PRIOR, LINE_MEAN + shift, LINE_VAR)
    assert_matches(w, LINE_W)
    assert_matches(w0, LINE_W0 - LINE_W @ shift)


@exercise("gnb_linear_weights")
def test_a_feature_with_more_noise_counts_less(student):
    """Ten times the variance in one feature: a tenth of the weight for that feature, and no change for the others."""
    w0, w = weights(student, LINE_PRIOR, LINE_MEAN, LINE_VAR * np.array([1, 10, 1]))
    assert_matches(w, LINE_W / np.array([1, 10, 1]))
    assert_matches(w0, np.log(3 / 7) - 1.0 + 0.5 - 2.25)


@exercise("gnb_linear_weights")
def test_the_parameters_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.gnb_linear_weights, LINE_PRIOR, LINE_MEAN, LINE_VAR)


@exercise("gnb_linear_weights")
def test_the_parameters_may_come_in_lists(student):
    """Lists, of whole numbers too, are understood like arrays."""
    w0, w = weights(student, [0.5, 0.5], [[1, 5], [3, 2]], [4, 2])
    assert_matches(w, [0.5, -1.5])
    assert_matches(w0, -1.0 + 21 / 4)
