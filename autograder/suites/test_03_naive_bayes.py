"""Hidden suite for 03_naive_bayes. A failing check shows the student its docstring, no more."""

import math
import statistics
from fractions import Fraction
from itertools import product

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import (
    Code,
    Ungraded,
    assert_matches,
    assert_raises,
    assert_type,
    exercise,
    leaves_alone,
    numbers,
    parts,
)


def leaves_alone_if_accepted(function, *args):
    """Fail if a call changes its arguments; that it refuses them is another check's question."""
    try:
        leaves_alone(function, *args)
    except AssertionError:
        raise
    except Exception:  # noqa: BLE001, S110 - whatever the student's code raises
        pass


# --- parameter_counts -------------------------------------------------------------------------------------------------

KEYS = ("full", "naive", "full_entries", "naive_entries")


def sizes(student, *args, **kwargs):
    """The four counts in the order of the contract, of whatever type."""
    answer = student.parameter_counts(*args, **kwargs)
    assert isinstance(answer, dict) and set(KEYS) <= set(answer), "something else than a dictionary with the four keys"
    return [answer[key] for key in KEYS]


def counted_tables(d, n_values, n_classes):
    """The four counts, by going through the tables one after the other."""
    combinations = 1
    for _ in range(d):
        combinations *= n_values
    small = [n_values for _feature in range(d) for _class in range(n_classes)]  # the lengths of all distributions
    return [
        n_classes * combinations - n_classes,
        sum(length - 1 for length in small),
        n_classes * combinations,
        sum(small) + n_classes,
    ]


@exercise("parameter_counts", gate=True)
def test_values_features_and_classes_each_play_their_part(student, draw):
    """How many values, how many features and how many classes there are: each enters the counts in its own way."""
    d, n_values, n_classes = draw.sizes(3, 3, 6)
    assert_matches(sizes(student, d, n_values, n_classes), counted_tables(d, n_values, n_classes))


@exercise("parameter_counts")
def test_free_parameters_are_entries_that_no_sum_determines(student, draw):
    """Write all tables down and count. In each distribution the last entry follows from the others."""
    d, n_values, n_classes = draw.sizes(3, 2, 6)
    full, naive, full_entries, naive_entries = map(numbers, sizes(student, d, n_values, n_classes))
    assert_matches([full, naive], [full_entries - n_classes, naive_entries - n_classes - d * n_classes])
    assert_matches(full_entries, counted_tables(d, n_values, n_classes)[2])


@exercise("parameter_counts")
def test_binary_features_and_two_classes_are_the_default(student, draw):
    """Without further arguments, features have two values and there are two classes."""
    d, other = draw.sizes(2, 4, 8)
    assert_matches(sizes(student, d), counted_tables(d, 2, 2))
    assert_matches(sizes(student, d, n_classes=other), counted_tables(d, 2, other))


@exercise("parameter_counts")
def test_small_tables_pay_from_the_third_feature_on(student, draw):
    """For two binary features the small tables have more entries than the big one, from three on fewer."""
    larger = []
    for d in (2, 3, draw.whole(4, 9)):
        _, _, full_entries, naive_entries = map(numbers, sizes(student, d))
        larger.append(bool(naive_entries > full_entries))
    assert larger == [True, False, False]


@exercise("parameter_counts", Kind.EDGE)
def test_with_one_feature_there_is_nothing_to_assume(student, draw):
    """A single feature is independent of all others, for there are none: both ways have the same free parameters."""
    n_values, n_classes = draw.sizes(2, 3, 9)
    free, entries = (n_values - 1) * n_classes, n_values * n_classes
    assert_matches(sizes(student, 1, n_values, n_classes), [free, free, entries, entries + n_classes])


@exercise("parameter_counts", Kind.STABILITY)
def test_hundreds_of_features_are_counted_to_the_last_digit(student, draw):
    """However many features there are, the counts are exact whole numbers: every digit counts."""
    d, n_values, n_classes = draw.whole(200, 300), 2 * draw.whole(2, 4) + 1, draw.whole(3, 7)  # powers of 2 fit floats
    assert sizes(student, d, n_values, n_classes) == counted_tables(d, n_values, n_classes)


@exercise("parameter_counts", Kind.TYPE)
def test_the_counts_are_whole_numbers(student, draw):
    """What is counted is a whole number in Python, too: an int, without a decimal point."""
    d, n_values, n_classes = draw.sizes(3, 2, 6)
    for count in sizes(student, d, n_values, n_classes):
        assert_type(count, "i")


# --- conditional_tables -----------------------------------------------------------------------------------------------


def tally(draw, n_classes, n_values):
    """Counts (K, M) that all differ, in classes that differ in size."""
    width = 3 * n_classes * n_values
    return draw.wholes((n_classes, n_values), 2, width) + width * draw.rng.permutation(n_classes)[:, np.newaxis]


def shares_within(counts):
    """P(value | class), each entry by itself; nan where a class has no members."""
    rows = [[int(count) for count in row] for row in counts]
    return [[float(Fraction(count, sum(row))) if sum(row) else math.nan for count in row] for row in rows]


@exercise("conditional_tables", gate=True)
def test_shares_are_taken_within_each_class(student, draw):
    """A row holds the shares of the values among the members of one class, so every row sums to one."""
    counts = tally(draw, 2, draw.whole(3, 5))
    assert_matches(student.conditional_tables(counts), shares_within(counts))


@exercise("conditional_tables", Kind.SIZES)
def test_the_table_agrees_with_counting_one_by_one(student, draw):
    """Whatever the numbers of classes and values: each entry is a count divided by the size of its class."""
    for shape in [(draw.whole(3, 6), 2), (3, 3), (draw.whole(3, 4), draw.whole(5, 7)), (1, 3), (3, 1)]:
        counts = tally(draw, *shape)
        assert_matches(student.conditional_tables(counts), shares_within(counts))


@exercise("conditional_tables")
def test_a_larger_class_has_the_same_shares(student, draw):
    """Many times as many members with the same habits: the conditional table does not change, and rows sum to one."""
    counts = tally(draw, 2, 4)
    table = student.conditional_tables(counts * draw.wholes((2, 1), 2, 12))
    assert_matches(table, shares_within(counts))
    assert_matches(numbers(table).sum(axis=1), [1, 1])


@exercise("conditional_tables", Kind.EDGE)
def test_a_value_that_never_occurred_has_share_zero(student, draw):
    """A value without a single member has the share zero here, neither more nor nan, however small the class."""
    counts = tally(draw, 2, 3)
    counts[0, draw.whole(0, 2)] = 0
    counts[1] = draw.rng.permutation([0, 1, 0])
    assert_matches(student.conditional_tables(counts), shares_within(counts))


@exercise("conditional_tables", Kind.EDGE)
def test_a_class_without_members_is_nan_and_spoils_no_other(student, draw):
    """A class without members has no shares: nan in its row, and the other rows as usual."""
    counts = tally(draw, 3, 2)
    counts[draw.whole(0, 2)] = 0
    assert_matches(student.conditional_tables(counts), shares_within(counts), nan_ok=True)


@exercise("conditional_tables", Kind.SIDE_EFFECT)
def test_the_counts_are_left_as_they_were(student, draw):
    """The caller's counts belong to the caller: after the call they hold what they held before."""
    counts = tally(draw, 3, 2)
    leaves_alone(student.conditional_tables, counts.astype(float))
    counts[1] = 0
    leaves_alone_if_accepted(student.conditional_tables, counts.astype(float))


@exercise("conditional_tables", Kind.TYPE)
def test_counts_may_come_in_lists_and_in_any_type(student, draw):
    """Lists, bytes, truth values and floats are understood like an array of whole numbers; the shares are floats."""
    counts = tally(draw, 2, 3)
    for given in (counts.tolist(), [tuple(row) for row in counts.tolist()], counts.astype(np.uint8), counts * 1.0):
        table = student.conditional_tables(given)
        assert_matches(table, shares_within(counts))
        assert_type(table, "f")
    seen = np.ones((2, draw.whole(3, 5)), dtype=bool)
    assert_matches(student.conditional_tables(seen), shares_within(seen))


# --- fit_bernoulli_nb -------------------------------------------------------------------------------------------------


def examples(draw, n_classes, d):
    """Features (n, d) and classes (n,) of examples whose shares all differ, none of them 0, 1/2 or 1.

    Any two classes have sizes without a common divisor, and odd ones, so no share in one is one in another.
    """
    members = 7 + 2 * draw.rng.permutation(4)[:n_classes]
    X = []
    for size in members:
        least = max(2, size // 3)  # these shares do not sum to 1
        having = least + draw.rng.permutation(size - least)[:d]
        X.append(draw.rng.random((size, d)).argsort(axis=0) < having)
    order = draw.rng.permutation(sum(members))
    return np.vstack(X).astype(int)[order], np.repeat(np.arange(n_classes), members)[order]


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


def assert_counted(answer, X, y, n_classes):
    """Fail unless both parts of an answer are what counting gives."""
    prior, theta = parts(answer, 2)
    expected_prior, expected_theta = counted(X, y, n_classes)
    assert_matches(prior, expected_prior)
    assert_matches(theta, expected_theta)


@exercise("fit_bernoulli_nb", gate=True)
def test_classes_are_shares_of_all_and_features_shares_of_their_class(student, draw):
    """The prior is counted among all examples, each theta among the members of its class."""
    X, y = examples(draw, 2, draw.whole(3, 4))
    assert_counted(student.fit_bernoulli_nb(X, y, 2), X, y, 2)


@exercise("fit_bernoulli_nb", Kind.SIZES)
def test_training_agrees_with_counting_one_by_one(student, draw):
    """Whatever the numbers of examples, features and classes: training is counting."""
    for n, d, n_classes in [(draw.whole(20, 25), 5, 4), (11, 1, 2), (draw.whole(7, 9), 11, 3)]:
        X, y = draw.bits((n, d)), draw.labels(n, n_classes)
        assert_counted(student.fit_bernoulli_nb(X, y, n_classes), X, y, n_classes)


@exercise("fit_bernoulli_nb")
def test_the_order_of_the_examples_does_not_matter(student, draw):
    """The same examples in another order teach the same; sorted by class, too."""
    X, y = examples(draw, 2, 3)
    for order in (np.argsort(y), np.argsort(-y), draw.order(len(y))):
        prior, theta = parts(student.fit_bernoulli_nb(X[order], y[order], 2), 2)
        assert_matches(prior, counted(X, y, 2)[0])
        assert_matches(theta, counted(X, y, 2)[1])


@exercise("fit_bernoulli_nb")
def test_renumbered_classes_take_their_shares_along(student, draw):
    """Numbers of classes and places of features are arbitrary: renumber them, and the answer follows."""
    X, y = examples(draw, 2, 4)
    places = draw.order(4)
    prior, theta = parts(student.fit_bernoulli_nb(X[:, places], 1 - y, 2), 2)
    expected_prior, expected_theta = counted(X, y, 2)
    assert_matches(prior, expected_prior[::-1])
    assert_matches(theta, expected_theta[::-1, places])


@exercise("fit_bernoulli_nb", Kind.TYPE)
def test_features_may_be_truth_values_bytes_or_floats(student, draw):
    """True means the same as 1, and so does a 1 that is stored in a single byte, or as 1.0; shares are floats."""
    X, y = examples(draw, 2, 3)
    X, y = np.tile(X, (50, 1)), np.tile(y, 50)  # more of them than a byte can count
    for kind in (bool, np.uint8, float):
        prior, theta = parts(student.fit_bernoulli_nb(X.astype(kind), y, 2), 2)
        assert_counted((prior, theta), X, y, 2)
        assert_type(prior, "f")
        assert_type(theta, "f")


@exercise("fit_bernoulli_nb", Kind.EDGE)
def test_a_class_that_never_occurs_has_prior_zero(student, draw):
    """A class without examples has prior zero and keeps its row; the other classes are as usual."""
    X, y = examples(draw, 2, 3)
    prior, theta = parts(student.fit_bernoulli_nb(X, 2 * y, 3), 2)
    expected_prior, expected_theta = counted(X, y, 2)
    assert_matches(prior, [expected_prior[0], 0, expected_prior[1]])
    first, _, last = parts(theta, 3)
    assert_matches([first, last], expected_theta)


@exercise("fit_bernoulli_nb", Kind.EDGE)
def test_the_theta_of_a_class_that_never_occurs_is_nan(student, draw):
    """Nothing is known about the features of a class without examples: its row of theta is nan."""
    X, y = examples(draw, 2, 3)
    _, theta = parts(student.fit_bernoulli_nb(X, 2 - y, 3), 2)
    absent, _, _ = parts(theta, 3)
    assert_matches(absent, np.full(3, np.nan), nan_ok=True)


@exercise("fit_bernoulli_nb", Kind.EDGE)
def test_the_number_of_classes_is_what_the_caller_says(student, draw):
    """If the last classes do not occur in the data, they still have their places."""
    X, y = examples(draw, 2, 4)
    more = draw.whole(3, 4)
    prior, theta = parts(student.fit_bernoulli_nb(X, y, 2 + more), 2)
    expected_prior, expected_theta = counted(X, y, 2)
    assert_matches(prior, [*expected_prior, *[0] * more])
    assert_matches(parts(theta, 2 + more)[:2], expected_theta)


@exercise("fit_bernoulli_nb", Kind.EDGE)
def test_one_example_is_enough(student, draw):
    """A single example makes its class certain, and each of its features in that class."""
    x = draw.bits((1, 5))
    prior, theta = parts(student.fit_bernoulli_nb(x, np.array([1]), 2), 2)
    assert_matches(prior, [0, 1])
    _, present = parts(theta, 2)
    assert_matches(present, x[0])


@exercise("fit_bernoulli_nb", Kind.SPEED)
def test_millions_of_examples_are_counted_at_once(student, draw):
    """Millions of examples are no problem for whole arrays; they are one for a loop that takes them one by one."""
    y = draw.labels(5)
    X = np.where(y == 1, np.arange(5) % 2, draw.bits(5))[:, np.newaxis]
    many_X = Code(f"np.tile(np.array({X.tolist()}, dtype=np.int32), (4_000_000, 1))")
    many_y = Code(f"np.tile(np.array({y.tolist()}, dtype=np.uint8), 4_000_000)")
    assert_counted(student.fit_bernoulli_nb(many_X, many_y, 2), X, y, 2)


@exercise("fit_bernoulli_nb", Kind.SIDE_EFFECT)
def test_the_examples_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    X, y = examples(draw, 2, 3)
    leaves_alone(student.fit_bernoulli_nb, X, y, 2)
    leaves_alone_if_accepted(student.fit_bernoulli_nb, X.astype(float), y, 3)


@exercise("fit_bernoulli_nb", Kind.TYPE)
def test_examples_may_come_in_lists(student, draw):
    """Lists are understood like arrays, in the features and in the classes."""
    X, y = examples(draw, 2, 3)
    assert_counted(student.fit_bernoulli_nb(X.tolist(), y.tolist(), 2), X, y, 2)


# --- joint_log_likelihood ---------------------------------------------------------------------------------------------


def log_or_minus_infinity(p):
    return math.log(p) if p > 0 else -math.inf


def joint_logs(X, prior, theta):
    """log P(x, class), one factor after the other, in plain Python."""
    return [
        [
            log_or_minus_infinity(p) + math.fsum(log_or_minus_infinity(t if x else 1 - t) for x, t in zip(row, ts))
            for p, ts in zip(prior, theta)
        ]
        for row in X
    ]


def mixed_rows(draw, n, d):
    """Examples (n, d) each of which has some features and lacks others."""
    ones = draw.rng.integers(1, d, size=(n, 1))
    return (draw.rng.random((n, d)).argsort(axis=1) < ones).astype(int)


def model(draw, n_classes, d):
    """A prior (K,) without equal classes and a theta (K, d) without equal entries, all of them far from 0 and 1."""
    if n_classes == 2:
        p = draw.probability(0.2, 0.8)
        prior = np.array([p, 1 - p])
    else:
        prior = draw.distribution(n_classes)
    return prior, draw.numbers((n_classes, d), 0.1, 0.9)


@exercise("joint_log_likelihood", gate=True)
def test_every_feature_and_the_prior_have_their_say_once(student, draw):
    """One factor for the class, one for each feature: theta if it is there, one minus theta if it is not."""
    n, d = draw.sizes(2, 3, 5)
    X, (prior, theta) = mixed_rows(draw, n, d), model(draw, 2, d)
    assert_matches(student.joint_log_likelihood(X, prior, theta), joint_logs(X, prior, theta))


@exercise("joint_log_likelihood", Kind.SIZES)
def test_scores_agree_with_adding_one_by_one(student, draw):
    """Whatever the numbers of examples, features and classes: the score is a sum of logarithms."""
    for n, d, n_classes in [(7, 4, 3), (1, draw.whole(8, 12), 2), (6, 1, draw.whole(4, 5))]:
        X, (prior, theta) = draw.bits((n, d)), model(draw, n_classes, d)
        assert_matches(student.joint_log_likelihood(X, prior, theta), joint_logs(X, prior, theta))


@exercise("joint_log_likelihood")
def test_an_email_without_any_word_is_evidence_too(student, draw):
    """If no feature is there at all, their absence still speaks."""
    prior, theta = model(draw, 2, 3)
    X = np.zeros((1, 3), dtype=int)
    assert_matches(student.joint_log_likelihood(X, prior, theta), joint_logs(X, prior, theta))


@exercise("joint_log_likelihood")
def test_all_possible_examples_together_have_probability_one(student, draw):
    """Add the probabilities of every possible example in every class: that is everything, so the sum is one."""
    X = np.array(list(product([0, 1], repeat=5)))
    prior, theta = model(draw, 2, 5)
    scores = numbers(student.joint_log_likelihood(X, prior, theta))
    assert scores.shape == (32, 2)
    assert_matches(np.exp(scores).sum(axis=0), prior, rtol=1e-5)


@exercise("joint_log_likelihood", Kind.EDGE)
def test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out(student, draw):
    """A theta of zero or one adds exactly nothing where it was right, and minus infinity where it was wrong."""
    prior, theta = model(draw, 2, 3)
    theta[:, :2] = [[0, 1], [1, 0]]
    X = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]])
    places = draw.order(3)
    scores = student.joint_log_likelihood(X[:, places], prior, theta[:, places])
    assert_matches(scores, joint_logs(X, prior, theta))


@exercise("joint_log_likelihood", Kind.EDGE)
def test_a_class_with_prior_zero_is_out(student, draw):
    """A class that never occurs has the score minus infinity for every example; a prior of one adds nothing."""
    X, (_, theta) = mixed_rows(draw, 3, 4), model(draw, 2, 4)
    prior = draw.rng.permutation([0.0, 1.0])
    assert_matches(student.joint_log_likelihood(X, prior, theta), joint_logs(X, prior, theta))


@exercise("joint_log_likelihood", Kind.STABILITY)
def test_thousands_of_features_do_not_underflow(student, draw):
    """With thousands of features the probabilities are too small for a floating-point number; the scores are not."""
    X, (prior, theta) = mixed_rows(draw, 3, 20), model(draw, 2, 20)
    scores = student.joint_log_likelihood(np.tile(X, (1, 250)), prior, np.tile(theta, (1, 250)))
    expected = np.log(prior) + 250 * np.array(joint_logs(X, [1, 1], theta))
    assert_matches(scores, expected, rtol=1e-5)


@exercise("joint_log_likelihood")
def test_renumbered_classes_take_their_scores_along(student, draw):
    """Numbers of classes and places of features are arbitrary: renumber them, and the scores follow."""
    X, (prior, theta) = mixed_rows(draw, 3, 4), model(draw, 2, 4)
    places = draw.order(4)
    scores = student.joint_log_likelihood(X[:, places], prior[::-1], theta[::-1, places])
    assert_matches(scores, np.array(joint_logs(X, prior, theta))[:, ::-1])


@exercise("joint_log_likelihood", Kind.TYPE)
def test_examples_may_be_truth_values_bytes_or_floats(student, draw):
    """True means the same as 1, and so does a 1 that is stored in a single byte, or as 1.0."""
    X, (prior, theta) = mixed_rows(draw, 3, 4), model(draw, 2, 4)
    for kind in (bool, np.uint8, float):
        assert_matches(student.joint_log_likelihood(X.astype(kind), prior, theta), joint_logs(X, prior, theta))


@exercise("joint_log_likelihood", Kind.SPEED)
def test_millions_of_examples_are_scored_at_once(student, draw):
    """Millions of examples are no problem for whole arrays; they are one for a loop that takes them one by one."""
    X, (prior, theta) = mixed_rows(draw, 2, 3), model(draw, 2, 3)
    many = Code(f"np.tile(np.array({X.tolist()}, dtype=np.uint8), (1_500_000, 1))")
    expected = np.tile(joint_logs(X, prior, theta), (1_500_000, 1))
    assert_matches(student.joint_log_likelihood(many, prior, theta), expected)


@exercise("joint_log_likelihood", Kind.SIDE_EFFECT)
def test_examples_and_parameters_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    X, (prior, theta) = mixed_rows(draw, 3, 4), model(draw, 2, 4)
    leaves_alone(student.joint_log_likelihood, X, prior, theta)
    theta[:, 0] = [0, 1]
    leaves_alone_if_accepted(student.joint_log_likelihood, X.astype(float), np.array([1.0, 0.0]), theta)


@exercise("joint_log_likelihood", Kind.TYPE)
def test_examples_and_parameters_may_come_in_lists(student, draw):
    """Lists are understood like arrays, in all three arguments."""
    X, (prior, theta) = mixed_rows(draw, 3, 4), model(draw, 2, 4)
    scores = student.joint_log_likelihood(X.tolist(), prior.tolist(), theta.tolist())
    assert_matches(scores, joint_logs(X, prior, theta))


# --- predict_proba ----------------------------------------------------------------------------------------------------


def joints(draw, n, n_classes):
    """Joint probabilities (n, K), no two alike; their logarithms are between -4 and -1."""
    return draw.numbers((n, n_classes), 0.02, 0.4)


def posteriors(joint):
    """Each joint probability as a share of its row's sum."""
    return [[p / math.fsum(row) for p in row] for row in joint]


def far_scores(draw, n, n_classes, low=-64, high=64):
    """Scores in sixteenths, which stay what they are when thousands are added to them."""
    return draw.wholes((n, n_classes), low, high) / 16


@exercise("predict_proba", gate=True)
def test_every_example_shares_out_one_among_the_classes(student, draw):
    """Each row by itself: the joint probabilities of its classes, as shares of their sum."""
    joint = joints(draw, draw.whole(3, 5), 2)
    assert_matches(student.predict_proba(np.log(joint)), posteriors(joint))


@exercise("predict_proba", Kind.SIZES)
def test_posteriors_agree_with_dividing_by_the_evidence(student, draw):
    """Whatever the numbers of examples and classes: joint probability divided by the evidence."""
    for shape in [(draw.whole(5, 7), 4), (1, 2), (draw.whole(2, 4), 5), (5, 1), (3, 3)]:
        joint = joints(draw, *shape)
        assert_matches(student.predict_proba(np.log(joint)), posteriors(joint))


@exercise("predict_proba", Kind.STABILITY)
def test_a_number_added_to_a_row_changes_nothing(student, draw):
    """Very small and very large joint densities, logarithms of minus or plus thousands: only differences count."""
    scores = far_scores(draw, 3, 2)
    for shift in (-5000.0, 5000.0):
        assert_matches(student.predict_proba(scores + shift), posteriors(np.exp(scores)))


@exercise("predict_proba", Kind.STABILITY)
def test_a_row_does_not_care_about_its_neighbours(student, draw):
    """Rows of very different size stand side by side, and each is turned into probabilities by itself."""
    scores = far_scores(draw, 3, 2)
    shifts = draw.rng.permutation([5000.0, 0.0, -5000.0])[:, np.newaxis]
    assert_matches(student.predict_proba(scores + shifts), posteriors(np.exp(scores)))


@exercise("predict_proba", Kind.STABILITY)
def test_a_hopeless_class_beside_a_certain_one(student, draw):
    """One class is so much more probable than another that nothing is left for that one: 1 and 0, and no nan."""
    scores = draw.rng.permuted([[-10.0, -3000.0], [2500.0, -40.0], [-6000.0, -1500.0]], axis=1)
    assert_matches(student.predict_proba(scores), [[float(s == max(row)) for s in row] for row in scores])


@exercise("predict_proba", Kind.EDGE)
def test_a_class_that_is_ruled_out_gets_nothing(student, draw):
    """Minus infinity in one place means probability zero there; the other class gets the rest."""
    joint = joints(draw, 3, 2)
    joint[[0, 2], draw.rng.permutation(2)] = 0
    with np.errstate(divide="ignore"):
        scores = np.log(joint)
    assert_matches(student.predict_proba(scores), posteriors(joint))


@exercise("predict_proba", Kind.EDGE)
def test_if_all_classes_are_ruled_out_none_is_preferred(student, draw):
    """If every class has ruled an example out, each gets the same probability; the other examples are as usual."""
    n_classes = draw.whole(4, 6)
    joint = joints(draw, 3, n_classes)
    scores, expected, row = np.log(joint), posteriors(joint), draw.whole(0, 2)
    scores[row], expected[row] = -np.inf, [1 / n_classes] * n_classes
    assert_matches(student.predict_proba(scores), expected)


@exercise("predict_proba")
def test_the_favourite_and_the_ties_stay(student, draw):
    """The class with the largest score has the largest probability, and equal scores have equal ones."""
    scores = np.log(joints(draw, 2, 2))
    scores[1] = draw.number(-4, -1)
    answer = numbers(student.predict_proba(scores))
    assert answer.shape == (2, 2)
    assert answer[0].argmax() == scores[0].argmax()
    assert_matches(answer[1], [0.5, 0.5])


@exercise("predict_proba")
def test_odds_are_differences_of_scores(student, draw):
    """How much more probable one class is than the other follows from the difference of their scores alone."""
    scores = np.log(joints(draw, 3, 2))
    answer = numbers(student.predict_proba(scores))
    assert answer.shape == (3, 2)
    assert_matches(answer[:, 1], answer[:, 0] * np.exp(scores[:, 1] - scores[:, 0]), rtol=1e-5)
    assert_matches(answer.sum(axis=1), np.ones(3))


@exercise("predict_proba")
def test_the_order_of_the_classes_does_not_matter(student, draw):
    """If the classes trade places, so do their probabilities."""
    joint = joints(draw, 3, 2)
    assert_matches(student.predict_proba(np.log(joint[:, ::-1])), np.array(posteriors(joint))[:, ::-1])


@exercise("predict_proba", Kind.SPEED)
def test_millions_of_rows_are_shared_out_at_once(student, draw):
    """Millions of rows are no problem for whole arrays; they are one for a loop that takes them one by one."""
    joint = joints(draw, 2, 2)
    scores = Code(f"np.tile(np.log({joint.tolist()}), (1_500_000, 1))")
    assert_matches(student.predict_proba(scores), np.tile(posteriors(joint), (1_500_000, 1)))


@exercise("predict_proba", Kind.SIDE_EFFECT)
def test_the_scores_are_left_as_they_were(student, draw):
    """The caller's scores belong to the caller: after the call they hold what they held before."""
    scores = np.log(joints(draw, 3, 2))
    leaves_alone(student.predict_proba, scores)
    scores[1] = -np.inf
    leaves_alone_if_accepted(student.predict_proba, scores)


@exercise("predict_proba", Kind.TYPE)
def test_scores_may_come_in_lists(student, draw):
    """A list of lists is understood like an array, also if it holds whole numbers."""
    joint = joints(draw, 3, 2)
    assert_matches(student.predict_proba(np.log(joint).tolist()), posteriors(joint))
    scores = draw.wholes((2, 2), -5, -1)
    assert_matches(student.predict_proba(scores.tolist()), posteriors(np.exp(scores)))
    assert_matches(student.predict_proba(scores), posteriors(np.exp(scores)))


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


def class_shares(scores):
    """Probabilities of the classes from scores."""
    scores = numbers(scores)
    assert scores.ndim == 2, "scores that are no table"
    return np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


def measurements(draw, members, d):
    """Measurements (n, d) and classes (n,) in any order, of classes with these sizes.

    Within each class, every feature is spread out, and its mean is not near 0. Every other feature is negative.
    """
    sorted_y = np.repeat(np.arange(len(members)), members)
    rank = np.arange(len(sorted_y)) - np.searchsorted(sorted_y, sorted_y)
    low, width = draw.numbers((2, len(members), d), 0, 1) * [[[1.6]], [[2]]] + [[[0.4]], [[2]]]
    size = np.repeat(members, members)[:, np.newaxis]  # of each example's class
    places = (rank[:, np.newaxis] + draw.rng.uniform(0.15, 0.85, size=(len(rank), d))) / size
    order = draw.rng.permutation(len(rank))
    X = low[sorted_y] + width[sorted_y] * places
    return X[order] * np.where(np.arange(d) % 2, -1, 1), sorted_y[order]


def bells(draw, n_classes, d):
    """Parameters of Gaussian naive Bayes, (K,), (K, d), (K, d); no two numbers are alike."""
    return draw.distribution(n_classes), draw.numbers((n_classes, d), -2, 2), draw.numbers((n_classes, d), 0.4, 3)


def assert_estimated(answer, X, y, n_classes, **tolerance):
    """Fail unless all parts of an answer are what the textbook says."""
    groups = [[X[y == k, j].tolist() for j in range(X.shape[1])] for k in range(n_classes)]
    prior, mean, var = parts(answer, 3)
    assert_matches(prior, [len(group[0]) / len(y) for group in groups])
    assert_matches(mean, [[statistics.fmean(values) for values in group] for group in groups])
    assert_matches(var, [[statistics.variance(values) for values in group] for group in groups], **tolerance)


@exercise("fit_gaussian_nb", gate=True)
def test_every_class_has_its_own_means_and_variances(student, draw):
    """Share, means and unbiased variances, each counted within its class."""
    members = draw.sizes(3, 3, 6)
    X, y = measurements(draw, members, 2)
    assert_estimated(student.fit_gaussian_nb(X, y, 3), X, y, 3)


@exercise("fit_gaussian_nb")
def test_scores_add_the_log_prior_and_all_log_densities(student, draw):
    """The score of a class: the logarithm of its share, and for each feature that of the Gaussian density."""
    parameters, X = bells(draw, 3, 2), draw.numbers((4, 2))
    assert_matches(student.gaussian_joint_log_likelihood(X, *parameters), normal_logs(X, *parameters))


@exercise("fit_gaussian_nb", Kind.SIZES)
def test_estimates_and_scores_of_other_sizes(student, draw):
    """Whatever the numbers of examples, features and classes: estimates follow the textbook, and scores are sums."""
    for members, d in [(draw.sizes(5, 3, 8), 4), (draw.sizes(2, 3, 6), 1), ([draw.whole(4, 8)], 3)]:
        X, y = measurements(draw, members, d)
        assert_estimated(student.fit_gaussian_nb(X, y, len(members)), X, y, len(members))
    for n, d, n_classes in [(draw.whole(5, 7), 4, 2), (1, 3, 4), (3, 1, 5)]:
        parameters, X = bells(draw, n_classes, d), draw.numbers((n, d))
        assert_matches(student.gaussian_joint_log_likelihood(X, *parameters), normal_logs(X, *parameters))


@exercise("fit_gaussian_nb", Kind.REFUSAL)
def test_a_class_with_a_single_example_is_refused(student, draw):
    """One example has no spread. A class with a single example is a ValueError, whichever class it is."""
    sizes_of_others = draw.sizes(2, 2, 4)
    for place in range(3):
        members = [*sizes_of_others[:place], 1, *sizes_of_others[place:]]
        X, y = measurements(draw, members, 2)
        assert_raises(ValueError, student.fit_gaussian_nb, X, y, 3)


@exercise("fit_gaussian_nb", Kind.EDGE)
def test_two_examples_are_enough(student, draw):
    """With two examples in a class there is a spread, and an answer."""
    X, y = measurements(draw, draw.rng.permutation([2, 3]), 2)
    assert_estimated(student.fit_gaussian_nb(X, y, 2), X, y, 2)


@exercise("fit_gaussian_nb", Kind.EDGE)
def test_equal_measurements_have_no_spread(student, draw):
    """If all examples of a class agree in a feature, its variance there is zero; other classes are as usual."""
    X, y = measurements(draw, draw.sizes(2, 3, 5), 2)
    X[y == draw.whole(0, 1), draw.whole(0, 1)] = draw.number(1, 2)
    assert_estimated(student.fit_gaussian_nb(X, y, 2), X, y, 2, atol=1e-7)


@exercise("fit_gaussian_nb")
def test_the_density_of_everything_is_one(student, draw):
    """Over all measurements and all classes, the densities add up to one."""
    step = 0.5  # fine enough: sums over a bell are exact when the steps are small beside its width
    grid = np.arange(-18, 18, step)
    X = np.column_stack([np.repeat(grid, len(grid)), np.tile(grid, len(grid))])
    prior, mean, var = bells(draw, 2, 2)
    scores = numbers(student.gaussian_joint_log_likelihood(X, prior, mean, var))
    assert scores.shape == (len(X), 2)
    assert_matches(np.exp(scores).sum(axis=0) * step**2, prior, rtol=1e-5)


@exercise("fit_gaussian_nb")
def test_a_density_may_be_larger_than_one(student, draw):
    """Near the mean of a narrow bell the density is larger than one, and its logarithm positive."""
    prior, mean, var = bells(draw, 2, 2)
    mean, var = mean / 10, var / 400
    X = mean + draw.numbers((2, 2), 0.01, 0.03)
    scores = student.gaussian_joint_log_likelihood(X, prior, mean, var)
    assert_matches(scores, normal_logs(X, prior, mean, var), rtol=1e-4)


@exercise("fit_gaussian_nb")
def test_units_do_not_matter(student, draw):
    """Millimetres or metres, Celsius or Fahrenheit: the probabilities of the classes are the same."""
    X, y = measurements(draw, draw.sizes(3, 4, 7), 2)
    answers = []
    for data in (X * [100, 1], X * [0.1, 1.8] + [0, 32]):
        prior, mean, var = parts(student.fit_gaussian_nb(data, y, 3), 3)
        answers.append(class_shares(student.gaussian_joint_log_likelihood(data, prior, mean, var)))
    assert_matches(answers[1], answers[0], rtol=1e-3, atol=1e-6)


@exercise("fit_gaussian_nb", Kind.STABILITY)
def test_far_away_examples_keep_finite_scores(student, draw):
    """Far from every class the density is too small for a floating-point number; its logarithm is not."""
    parameters = bells(draw, 3, 2)
    X = draw.numbers((3, 2), 90, 150) * np.array([[1, -1], [-1, 1], [1, 1]])
    assert_matches(student.gaussian_joint_log_likelihood(X, *parameters), normal_logs(X, *parameters))


@exercise("fit_gaussian_nb", Kind.STABILITY)
def test_hundreds_of_features_keep_finite_scores(student, draw):
    """Many features with tiny or huge variances: densities under- and overflow, sums of logarithms do not."""
    prior, mean, var = bells(draw, 3, 20)
    X, var = draw.numbers((2, 20)), var * draw.rng.permutation([1e-4, 1e4, 1.0])[:, np.newaxis]
    many_X, many_mean, many_var = (np.tile(values, (1, 30)) for values in (X, mean, var))
    scores = student.gaussian_joint_log_likelihood(many_X, prior, many_mean, many_var)
    assert_matches(scores, np.log(prior) + 30 * np.array(normal_logs(X, [1, 1, 1], mean, var)), rtol=1e-5)


@exercise("fit_gaussian_nb", Kind.SIDE_EFFECT)
def test_measurements_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after either call they hold what they held before."""
    X, y = measurements(draw, draw.sizes(2, 3, 5), 2)
    leaves_alone(student.fit_gaussian_nb, X, y, 2)
    leaves_alone(student.gaussian_joint_log_likelihood, X, *bells(draw, 2, 2))


@exercise("fit_gaussian_nb", Kind.TYPE)
def test_measurements_and_parameters_may_come_in_lists(student, draw):
    """Lists, of whole numbers too, are understood like arrays, in both functions."""
    X, y = measurements(draw, draw.sizes(2, 3, 5), 2)
    whole = draw.wholes(X.shape, -20, 20)
    assert_estimated(student.fit_gaussian_nb(X.tolist(), y.tolist(), 2), X, y, 2)
    assert_estimated(student.fit_gaussian_nb(whole.tolist(), y.tolist(), 2), whole, y, 2)
    assert_estimated(student.fit_gaussian_nb(whole, y, 2), whole, y, 2)
    prior, mean, var = bells(draw, 2, 2)
    scores = student.gaussian_joint_log_likelihood(X.tolist(), prior.tolist(), mean.tolist(), var.tolist())
    assert_matches(scores, normal_logs(X, prior, mean, var))
    X, mean, var = draw.wholes((3, 2), -4, 4), draw.wholes((2, 2), -3, 3), draw.wholes((2, 2), 1, 5)
    scores = student.gaussian_joint_log_likelihood(X.tolist(), prior.tolist(), mean.tolist(), var.tolist())
    assert_matches(scores, normal_logs(X, prior, mean, var))
    assert_matches(student.gaussian_joint_log_likelihood(X, prior, mean, var), normal_logs(X, prior, mean, var))


# --- gnb_linear_weights -----------------------------------------------------------------------------------------------


def two_classes(draw, d):
    """Prior (2,), means (2, d) and shared variances (d,), of which every part of the weights can be told from the rest.

    The squares of the means differ by amounts of which no two are alike and whose sum is not near 0.
    """
    p = draw.probability(0.2, 0.8)
    var, gap = draw.numbers((2, d), 1.2, 2.2)
    difference = draw.coefficients(d, 0.8)  # (m0^2 - m1^2) / (2 var)
    if (p > 0.5) != (difference.sum() > 0):  # the prior's log-odds point the same way: nothing cancels
        p = 1 - p
    gap = gap * (2 * draw.rng.integers(2, size=d) - 1)  # m1 - m0
    centre = -difference * var / gap
    return np.array([1 - p, p]), np.array([centre - gap / 2, centre + gap / 2]), var


def line(prior, mean, var):
    """w0 and w, feature by feature, in plain Python: the squares multiplied out."""
    w = [m1 / v - m0 / v for m0, m1, v in zip(*mean, var)]
    squares = [m0 * m0 / (2 * v) - m1 * m1 / (2 * v) for m0, m1, v in zip(*mean, var)]
    return math.log(prior[1]) - math.log(prior[0]) + math.fsum(squares), np.array(w)


def weights(student, *args):
    """The student's w0, one number, and w, an array, ready for arithmetic."""
    w0, w = parts(student.gnb_linear_weights(*args), 2)
    w0, w = numbers(w0), numbers(w)
    assert w0.size == 1, "w0 is not one number"
    return w0.reshape(()), w


def assert_line(student, *args):
    """Fail unless the weights are those of the formula."""
    w0, w = weights(student, *args)
    expected_w0, expected_w = line(*args)
    assert_matches(w, expected_w)
    assert_matches(w0, expected_w0)


@exercise("gnb_linear_weights", gate=True)
def test_means_variances_and_priors_all_enter(student, draw):
    """What multiplies each feature, and what is left over, for several features and unequal priors."""
    prior, mean, var = two_classes(draw, 3)
    assert_line(student, prior, mean, var)
    assert_line(student, prior[::-1], mean[::-1], var)  # weights of both signs


@exercise("gnb_linear_weights")
def test_the_line_is_the_log_odds_of_the_densities(student, draw):
    """For every x: w0 + w . x is the logarithm of how much more probable class 1 is than class 0, by its densities."""
    prior, mean, var = two_classes(draw, 2)
    X = draw.numbers((5, 2))
    logs = np.array(normal_logs(X, prior, mean, [var, var]))
    w0, w = weights(student, prior, mean, var)
    assert w.shape == (2,), "not one weight for each feature"
    assert_matches(w0 + X @ w, logs[:, 1] - logs[:, 0], atol=1e-5)


@exercise("gnb_linear_weights", Kind.SIZES)
def test_any_number_of_features_has_a_line(student, draw):
    """One feature or many: one weight for each, and one intercept."""
    for d in (1, 2, draw.whole(5, 8)):
        assert_line(student, *two_classes(draw, d))


@exercise("gnb_linear_weights")
def test_swapping_the_classes_turns_all_signs(student, draw):
    """If class 0 and class 1 trade places, the odds are turned over and every weight changes its sign."""
    prior, mean, var = two_classes(draw, 3)
    expected_w0, expected_w = line(prior, mean, var)
    w0, w = weights(student, prior[::-1], mean[::-1], var)
    assert_matches(w, -expected_w)
    assert_matches(w0, -expected_w0)


@exercise("gnb_linear_weights", Kind.EDGE)
def test_equal_means_leave_only_the_prior(student, draw):
    """If both classes have the same means, no measurement tells them apart: what is left is the prior."""
    prior, mean, var = two_classes(draw, 3)
    w0, w = weights(student, prior, np.array([mean[0], mean[0]]), var)
    assert_matches(w, [0.0, 0.0, 0.0])
    assert_matches(w0, math.log(prior[1] / prior[0]), atol=1e-6)


@exercise("gnb_linear_weights")
def test_with_equal_priors_the_boundary_is_halfway(student, draw):
    """With equal priors, the point halfway between the means is exactly on the boundary."""
    _, mean, var = two_classes(draw, 3)
    w0, w = weights(student, np.array([0.5, 0.5]), mean, var)
    assert_matches(w, line([0.5, 0.5], mean, var)[1])
    assert_matches(w0 + w @ mean.mean(axis=0), 0.0, atol=1e-5)


@exercise("gnb_linear_weights")
def test_moving_the_origin_moves_only_the_intercept(student, draw):
    """Measure from another zero: the weights of the features stay, and w0 makes up for the shift."""
    prior, mean, var = two_classes(draw, 3)
    shift = draw.coefficients(3, 3.0)
    expected_w0, expected_w = line(prior, mean, var)
    w0, w = weights(student, prior, mean + shift, var)
    assert_matches(w, expected_w, rtol=1e-5)
    assert_matches(w0, expected_w0 - expected_w @ shift, atol=1e-5)


@exercise("gnb_linear_weights")
def test_a_feature_with_more_noise_counts_less(student, draw):
    """Many times the variance in one feature: less weight for that feature, and no change for the others."""
    prior, mean, var = two_classes(draw, 3)
    noisier, times = draw.whole(0, 2), draw.whole(3, 12)
    more = np.where(np.arange(3) == noisier, times, 1)
    _, w = weights(student, prior, mean, var * more)
    assert_matches(w, line(prior, mean, var)[1] / more)


@exercise("gnb_linear_weights", Kind.SIDE_EFFECT)
def test_the_parameters_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    leaves_alone(student.gnb_linear_weights, *two_classes(draw, 3))


@exercise("gnb_linear_weights", Kind.TYPE)
def test_the_parameters_may_come_in_lists(student, draw):
    """Lists, of whole numbers too, are understood like arrays; w0 is a single number."""
    parameters = two_classes(draw, 3)
    w0, w = parts(student.gnb_linear_weights(*(value.tolist() for value in parameters)), 2)
    expected_w0, expected_w = line(*parameters)
    assert_matches(w, expected_w)
    assert_matches(w0, expected_w0)
    prior, mean, var = parameters[0], draw.wholes((2, 2), -5, 5), draw.wholes(2, 2, 6)
    w0, w = parts(student.gnb_linear_weights(prior.tolist(), mean.tolist(), var.tolist()), 2)
    expected_w0, expected_w = line(prior, mean.tolist(), var.tolist())
    assert_matches(w, expected_w)
    assert_matches(w0, expected_w0, atol=1e-6)


# --- what the notebook promises, and who asks for it ------------------------------------------------------------------

PROMISES = {
    "parameter_counts": {
        "other $d$, $M$ and $K$": "test_values_features_and_classes_each_play_their_part",
        "one feature": "test_with_one_feature_there_is_nothing_to_assume",
        "hundreds of features, to the last digit": "test_hundreds_of_features_are_counted_to_the_last_digit",
        "whole numbers, not floats": "test_the_counts_are_whole_numbers",
        "Python's own whole numbers never overflow.": "test_hundreds_of_features_are_counted_to_the_last_digit",
        "Stay with them, and the answer is exact for any $d$.": (
            "test_hundreds_of_features_are_counted_to_the_last_digit"
        ),
        "All four are Python ints, and exact however large they are.": (
            "test_the_counts_are_whole_numbers",
            "test_hundreds_of_features_are_counted_to_the_last_digit",
        ),
    },
    "conditional_tables": {
        "other sizes, $M \\neq K$ among them": "test_the_table_agrees_with_counting_one_by_one",
        "that rows sum to 1": "test_a_larger_class_has_the_same_shares",
        "that the size of a class does not matter, only its shares": "test_a_larger_class_has_the_same_shares",
        "values that never occurred": "test_a_value_that_never_occurred_has_share_zero",
        "classes without members": "test_a_class_without_members_is_nan_and_spoils_no_other",
        "lists, and counts of any type": "test_counts_may_come_in_lists_and_in_any_type",
        "arguments left alone": "test_the_counts_are_left_as_they_were",
        "A class without members has no shares: its row is `nan`.": (
            "test_a_class_without_members_is_nan_and_spoils_no_other"
        ),
        "The row of a class without examples is nan.": "test_a_class_without_members_is_nan_and_spoils_no_other",
    },
    "fit_bernoulli_nb": {
        "other sizes and more than two classes": "test_training_agrees_with_counting_one_by_one",
        "rows in another order, classes renumbered": (
            "test_the_order_of_the_examples_does_not_matter",
            "test_renumbered_classes_take_their_shares_along",
        ),
        "`X` as bools, bytes and floats, or in lists": (
            "test_features_may_be_truth_values_bytes_or_floats",
            "test_examples_may_come_in_lists",
        ),
        "classes that do not occur, the last one included": (
            "test_a_class_that_never_occurs_has_prior_zero",
            "test_the_number_of_classes_is_what_the_caller_says",
        ),
        "a single example": "test_one_example_is_enough",
        "millions of rows": "test_millions_of_examples_are_counted_at_once",
        "arguments left alone": "test_the_examples_are_left_as_they_were",
        "A loop over the examples is not: there may be millions.": "test_millions_of_examples_are_counted_at_once",
        "If a class has no examples, its prior is 0, and its $\\theta$ cannot be known: its row is `nan`, which says "
        "so honestly.": (
            "test_a_class_that_never_occurs_has_prior_zero",
            "test_the_theta_of_a_class_that_never_occurs_is_nan",
        ),
        "1 (or True) where the example has the feature, 0 (or False) where not; n at least 1, and perhaps millions.": (
            "test_features_may_be_truth_values_bytes_or_floats",
            "test_one_example_is_enough",
            "test_millions_of_examples_are_counted_at_once",
        ),
        "P(feature j | class k), the share of the examples with feature j within class k; nan in the row of a class "
        "that does not occur.": "test_the_theta_of_a_class_that_never_occurs_is_nan",
    },
    "joint_log_likelihood": {
        "other sizes and more than two classes": "test_scores_agree_with_adding_one_by_one",
        "absent features": "test_an_email_without_any_word_is_evidence_too",
        "that over all $2^d$ inputs and all classes the probabilities sum to 1": (
            "test_all_possible_examples_together_have_probability_one"
        ),
        "$\\theta$ and priors of 0 and 1": (
            "test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out",
            "test_a_class_with_prior_zero_is_out",
        ),
        "5,000 features": "test_thousands_of_features_do_not_underflow",
        "`X` as bools, bytes and floats, or all in lists": (
            "test_examples_may_be_truth_values_bytes_or_floats",
            "test_examples_and_parameters_may_come_in_lists",
        ),
        "millions of rows": "test_millions_of_examples_are_scored_at_once",
        "arguments left alone": "test_examples_and_parameters_are_left_as_they_were",
        "A $\\theta$ of exactly 0 or 1 is allowed.": "test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out",
        "No entry may be `nan`: what is `0 * -np.inf` in floating point?": (
            "test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out"
        ),
        'As in notebook 1, `with np.errstate(divide="ignore"):` silences the warning about $\\log 0$ (warnings are not '
        "graded).": Ungraded("Warnings are not graded anywhere, and the sentence says so."),
        "1 (or True) where the example has the feature, 0 (or False) where not. n may be millions.": (
            "test_examples_may_be_truth_values_bytes_or_floats",
            "test_millions_of_examples_are_scored_at_once",
        ),
        "log P(x_i, class k); -inf where the class rules the example out, never nan.": (
            "test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out",
            "test_a_class_with_prior_zero_is_out",
        ),
    },
    "predict_proba": {
        "other sizes and more than two classes": "test_posteriors_agree_with_dividing_by_the_evidence",
        "rows that sum to 1": "test_odds_are_differences_of_scores",
        "that adding a number to a row, 5,000 or -5,000, changes nothing": (
            "test_a_number_added_to_a_row_changes_nothing"
        ),
        "rows of very different size side by side": "test_a_row_does_not_care_about_its_neighbours",
        "the order of the classes": "test_the_order_of_the_classes_does_not_matter",
        "entries of $-\\infty$": (
            "test_a_class_that_is_ruled_out_gets_nothing",
            "test_if_all_classes_are_ruled_out_none_is_preferred",
        ),
        "a hopeless class beside a certain one": "test_a_hopeless_class_beside_a_certain_one",
        "lists": "test_scores_may_come_in_lists",
        "millions of rows": "test_millions_of_rows_are_shared_out_at_once",
        "arguments left alone": "test_the_scores_are_left_as_they_were",
        "log P(x_i, class k), finite or -inf; a constant may have been added to any row. n may be millions.": (
            "test_a_class_that_is_ruled_out_gets_nothing",
            "test_a_row_does_not_care_about_its_neighbours",
            "test_millions_of_rows_are_shared_out_at_once",
        ),
        "A row of which all entries are -inf becomes uniform, 1/K.": (
            "test_if_all_classes_are_ruled_out_none_is_preferred"
        ),
    },
    "fit_gaussian_nb": {
        "other sizes": "test_estimates_and_scores_of_other_sizes",
        "the denominator $n_k - 1$": "test_every_class_has_its_own_means_and_variances",
        "a class with one, with two and with equal examples": (
            "test_a_class_with_a_single_example_is_refused",
            "test_two_examples_are_enough",
            "test_equal_measurements_have_no_spread",
        ),
        "that a density integrates to 1": "test_the_density_of_everything_is_one",
        "that a change of units (millimetres to metres, Celsius to Fahrenheit) leaves the probabilities of the classes "
        "as they were": "test_units_do_not_matter",
        "examples far away from every class, and hundreds of features": (
            "test_far_away_examples_keep_finite_scores",
            "test_hundreds_of_features_keep_finite_scores",
        ),
        "lists": "test_measurements_and_parameters_may_come_in_lists",
        "arguments left alone": "test_measurements_are_left_as_they_were",
        "ValueError If a class has fewer than two examples.": "test_a_class_with_a_single_example_is_refused",
        "A log-density may be positive.": "test_a_density_may_be_larger_than_one",
    },
    "gnb_linear_weights": {
        "one feature, and several with different variances": "test_any_number_of_features_has_a_line",
        "unequal priors": "test_means_variances_and_priors_all_enter",
        "that $w_0 + w \\cdot x$ is the logarithm of the odds computed from the densities": (
            "test_the_line_is_the_log_odds_of_the_densities"
        ),
        "what happens if the classes swap their numbers, or have equal means": (
            "test_swapping_the_classes_turns_all_signs",
            "test_equal_means_leave_only_the_prior",
        ),
        "lists": "test_the_parameters_may_come_in_lists",
        "arguments left alone": "test_the_parameters_are_left_as_they_were",
    },
}
