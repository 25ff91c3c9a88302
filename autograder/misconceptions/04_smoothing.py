"""Known answers to 04_smoothing: wrong ones, each with one mistaken belief, and right ones written differently."""

import math

import numpy as np

from autograder.course.catalogue import equivalent, misconception, right, ungraded


class _Notebook:
    """What the notebook has under these names, so that an answer that calls them behaves here as it does there."""

    @staticmethod
    def fit(X, y, k, n_classes, k_prior=0.0):
        groups = [np.asarray(X, dtype=float)[np.asarray(y) == label] for label in range(n_classes)]
        theta = np.array([(group.sum(axis=0) + k) / (len(group) + k + k) for group in groups])
        return np.array([(len(group) + k_prior) / (len(y) + n_classes * k_prior) for group in groups]), theta

    @staticmethod
    def ruled_out(X, theta):
        X = np.asarray(X)[:, np.newaxis, :]
        return np.where(X == 1, theta == 0, theta == 1).sum(axis=2)

    @staticmethod
    def classify(X, prior, theta):
        with np.errstate(divide="ignore"):
            factors = np.log(np.where(np.asarray(X)[:, np.newaxis, :] == 1, theta, 1 - theta))
            return (np.log(prior) + factors.sum(axis=2)).argmax(axis=1)


fit_bernoulli_nb_smoothed, vetoes, predict = _Notebook.fit, _Notebook.ruled_out, _Notebook.classify

# --- laplace: wrong ---------------------------------------------------------------------------------------------------


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="Add up your probabilities for four outcomes and k = 3. Where did the surplus come from?",
)
def adds_one_below(counts, k):
    """One imagined observation in all goes into the denominator."""
    counts = np.asarray(counts, dtype=float)
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + 1)


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="You imagine k sightings of the first outcome and k of the second. How many is that?",
)
def adds_k_below(counts, k):
    """What is added above is added below, once."""
    counts = np.asarray(counts, dtype=float)
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k)


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="Your formula knows the number of outcomes already. What if a die is rolled instead of a coin?",
)
def takes_two_outcomes_for_granted(counts, k):
    """Smoothing adds k above and 2k below."""
    counts = np.asarray(counts, dtype=float)
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + 2 * k)


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="If the imagined observations had really been made, by what would you divide?",
)
def leaves_the_denominator_alone(counts, k):
    """Only the counts that are too small have to be lifted."""
    counts = np.asarray(counts, dtype=float)
    return (counts + k) / counts.sum(axis=-1, keepdims=True)


@misconception(
    "laplace", caught_by="test_every_outcome_is_seen_k_times_more", hint="Change k from 1 to 5. Does anything happen?"
)
def always_adds_one(counts, k):
    """Laplace smoothing is adding one."""
    counts = np.asarray(counts, dtype=float)
    if k < 0 or (k == 0 and (counts.sum(axis=-1) == 0).any()):
        raise ValueError("no")
    return (counts + 1) / (counts.sum(axis=-1, keepdims=True) + counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="Compare an outcome that was seen with the same outcome before smoothing. Who paid for the zeros?",
)
def lifts_only_the_zeros(counts, k):
    """Only what was never seen needs help."""
    counts = np.asarray(counts, dtype=float)
    lifted = np.where(counts == 0, k, counts)
    return lifted / lifted.sum(axis=-1, keepdims=True)


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="How many imagined observations are there in your formula altogether, and how many for each outcome?",
)
def shares_k_among_the_outcomes(counts, k):
    """The strength is the number of imagined observations in all."""
    counts = np.asarray(counts, dtype=float)
    return (counts + k / counts.shape[-1]) / (counts.sum(axis=-1, keepdims=True) + k)


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="Can you imagine half an observation? Does the formula mind?",
)
def rounds_the_strength_down(counts, k):
    """One can only add whole observations."""
    counts = np.asarray(counts, dtype=float)
    if k < 0:
        raise ValueError("negative")
    return (counts + int(k)) / (counts.sum(axis=-1, keepdims=True) + int(k) * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_every_row_is_a_distribution_of_its_own",
    hint="Give your function two rows, one with many observations and one with few. Does each sum to one?",
)
def divides_by_the_total_of_the_whole_table(counts, k):
    """The observations are all the counts in the table."""
    counts = np.asarray(counts, dtype=float)
    return (counts + k) / (counts.sum() + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_every_row_is_a_distribution_of_its_own",
    hint="Which axis holds the outcomes, and along which one did you add?",
)
def makes_the_columns_sum_to_one(counts, k):
    """A table is normalised from top to bottom."""
    counts = np.asarray(counts, dtype=float)
    if k < 0:
        raise ValueError("negative")
    return (counts + k) / (counts.sum(axis=0) + k * counts.shape[0])


@misconception(
    "laplace",
    caught_by="test_the_limit_is_the_same_for_every_outcome",
    hint="What does your computer say to infinity divided by infinity?",
)
def puts_infinity_into_the_formula(counts, k):
    """The formula holds for every k."""
    counts = np.asarray(counts, dtype=float)
    total = counts.sum(axis=-1, keepdims=True)
    if k < 0 or (k == 0 and (total == 0).any()):
        raise ValueError("no")
    return (counts + k) / (total + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_the_limit_is_the_same_for_every_outcome",
    hint="Is there a largest number? How large would k have to be if the counts were larger still?",
)
def takes_a_thousand_for_infinity(counts, k):
    """Infinity is a very large number."""
    counts = np.asarray(counts, dtype=float)
    total = counts.sum(axis=-1, keepdims=True)
    if k < 0 or (k == 0 and (total == 0).any()):
        raise ValueError("no")
    k = min(k, 1000)
    return (counts + k) / (total + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_nothing_seen_and_nothing_imagined_is_refused",
    hint="Nothing was seen and nothing imagined. On what does your answer rest?",
)
def answers_evenly_where_nothing_was_seen(counts, k):
    """Where nothing is known, everything is equally likely."""
    counts = np.asarray(counts, dtype=float)
    if k < 0:
        raise ValueError("negative")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    total = counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1]
    return np.where(total > 0, (counts + k) / np.where(total > 0, total, 1), 1 / counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_nothing_seen_and_nothing_imagined_is_refused",
    hint="One row of several is empty. Would your test notice?",
)
def looks_for_observations_in_the_whole_table(counts, k):
    """If there are observations anywhere, there is something to divide by."""
    counts = np.asarray(counts, dtype=float)
    if k < 0 or (k == 0 and counts.sum() == 0):
        raise ValueError("no")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    with np.errstate(invalid="ignore"):
        return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="visible",
    hint="What does your function do with k = -1? What should a caller be told who asks for that?",
)
def trusts_every_strength(counts, k):
    """Nobody would ask for a negative k."""
    counts = np.asarray(counts, dtype=float)
    if k == 0 and (counts.sum(axis=-1) == 0).any():
        raise ValueError("nothing was seen")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_without_strength_the_shares_are_left",
    hint="Which estimate is left when nothing is imagined? Is anything wrong with asking for it?",
)
def refuses_to_imagine_nothing(counts, k):
    """A strength must be positive."""
    counts = np.asarray(counts, dtype=float)
    if k <= 0:
        raise ValueError("k must be positive")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_the_counts_are_left_as_they_were",
    hint="Call your function twice with the same array. Do you get the same answer?",
)
def adds_to_the_callers_counts(counts, k):
    """The counts have served their purpose, so the imagined ones can be added to them."""
    counts = np.asarray(counts, dtype=float)
    if k < 0 or (k == 0 and (counts.sum(axis=-1) == 0).any()):
        raise ValueError("no")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    counts += k
    return counts / counts.sum(axis=-1, keepdims=True)


@misconception(
    "laplace",
    caught_by="visible",
    hint="How many outcomes has one of your rows? How many rows are there? Which of the two is below?",
)
def counts_the_rows_for_the_outcomes(counts, k):
    """The size of a table is its length."""
    counts = np.asarray(counts, dtype=float)
    if k < 0:
        raise ValueError("k must not be negative")
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * len(counts))


@misconception("laplace", caught_by="visible", hint="How many sightings does your formula imagine when k is 1?")
def takes_the_strength_for_a_dirichlet_parameter(counts, k):
    """The pseudo-counts are k - 1, as in the peak of a posterior."""
    raised = np.asarray(counts, dtype=float) + k - 1
    if k < 0:
        raise ValueError("k must not be negative")
    with np.errstate(divide="ignore", invalid="ignore"):
        return raised / raised.sum(axis=-1, keepdims=True)


@misconception(
    "laplace",
    caught_by="test_more_axes_may_come_before_the_outcomes",
    hint="Your function knows rows and columns. What if each cell of a table holds a distribution?",
)
def knows_only_rows_and_tables(counts, k):
    """Counts come in a row or in a table."""
    counts = np.asarray(counts, dtype=float)
    if k < 0 or (k == 0 and (counts.sum(axis=-1) == 0).any()):
        raise ValueError("no")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    if counts.ndim == 1:
        return (counts + k) / (counts.sum() + k * len(counts))
    return (counts + k) / (counts.sum(axis=1)[:, np.newaxis] + k * counts.shape[1])


@misconception(
    "laplace",
    caught_by="test_the_counts_are_left_as_they_were",
    hint="Call your function twice with the same list. Do you get the same answer?",
)
def adds_to_the_callers_list(counts, k):
    """What is assigned to the elements of a list stays in the function."""
    if k < 0:
        raise ValueError("negative")
    if isinstance(counts, list) and not isinstance(counts[0], list) and np.isfinite(k):
        for i in range(len(counts)):
            counts[i] = counts[i] + k
        return np.array(counts) / sum(counts)
    counts = np.asarray(counts, dtype=float)
    if k == 0 and (counts.sum(axis=-1) == 0).any():
        raise ValueError("nothing was seen")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_counts_may_come_in_lists",
    hint="What is a list of two plus 1? And what has an array that a list has not?",
)
def needs_an_array_of_counts(counts, k):
    """Counts are arrays."""
    if k < 0 or (k == 0 and (counts.sum(axis=-1) == 0).any()):
        raise ValueError("no")
    if np.isinf(k):
        return np.ones(counts.shape) / counts.shape[-1]
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="What do your probabilities sum to, to six digits?",
)
def rounds_to_three_decimals(counts, k):
    """Three digits are enough for a probability."""
    counts = np.asarray(counts, dtype=float)
    if k < 0 or (k == 0 and (counts.sum(axis=-1) == 0).any()):
        raise ValueError("no")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    return np.round((counts + k) / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1]), 3)


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="An outcome that nobody saw is still an outcome. Did you count it below?",
)
def counts_only_outcomes_that_were_seen(counts, k):
    """The outcomes are those that were seen."""
    counts = np.asarray(counts, dtype=float)
    if k < 0:
        raise ValueError("no")
    seen = (counts > 0).sum(axis=-1, keepdims=True)
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * seen)


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="How probable is an outcome that was never seen, before your smoothing and after it?",
)
def smooths_only_what_was_seen(counts, k):
    """Where there is no count, there is nothing to add to."""
    counts = np.asarray(counts, dtype=float)
    raised = np.where(counts > 0, counts + k, 0.0)
    return raised / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_every_row_is_a_distribution_of_its_own",
    hint="What are the shapes of the table and of its totals? How does NumPy line the two up?",
)
def lets_the_totals_lie_down(counts, k):
    """NumPy knows which total belongs to which row."""
    counts = np.asarray(counts, dtype=float)
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    totals = counts.sum(axis=-1)
    if k < 0 or (k == 0 and np.any(totals == 0)):
        raise ValueError("nothing to divide by")
    return (counts + k) / (totals + k * counts.shape[-1])


@misconception(
    "laplace",
    caught_by="test_every_outcome_is_seen_k_times_more",
    hint="What is the least that your function imagines? What was asked for?",
)
def imagines_one_at_least(counts, k):
    """Whoever smooths imagines at least one observation of everything."""
    counts = np.asarray(counts, dtype=float)
    if k < 0 or (k == 0 and (counts.sum(axis=-1) == 0).any()):
        raise ValueError("no")
    if np.isinf(k):
        return np.ones_like(counts) / counts.shape[-1]
    k = max(k, 1)
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1])


# --- laplace: right ---------------------------------------------------------------------------------------------------


@right("laplace")
def mixes_the_shares_with_the_uniform(counts, k):
    """A weighted mean of the shares and the uniform distribution; the weight of the latter grows with k."""
    counts = np.asarray(counts, dtype=float)
    seen, outcomes = counts.sum(axis=-1, keepdims=True), counts.shape[-1]
    if k < 0 or (k == 0 and np.any(seen == 0)):
        raise ValueError("impossible")
    weight = np.ones_like(seen) if k == math.inf else k * outcomes / (seen + k * outcomes)
    return weight / outcomes + (1 - weight) * counts / np.where(seen > 0, seen, 1)


@right("laplace")
def goes_through_the_rows_one_by_one(counts, k):
    """Plain Python on nested lists, down to the rows."""
    if k < 0:
        raise ValueError("negative strength")

    def smoothed(row):
        if len(np.shape(row)) > 1:
            return [smoothed(inner) for inner in row]
        if math.isinf(k):
            return [1 / len(row)] * len(row)
        raised = [float(count) + k for count in row]
        if sum(raised) == 0:
            raise ValueError("nothing at all")
        return [value / sum(raised) for value in raised]

    return smoothed(counts)


@right("laplace")
def raises_first_and_normalises_afterwards(counts, k):
    """Add k, then divide by the new sum; the limit by hand."""
    if not k >= 0:
        raise ValueError(k)
    raised = np.add(counts, k if np.isfinite(k) else 0, dtype=float)
    raised = raised if np.isfinite(k) else np.ones(raised.shape)
    totals = raised.sum(axis=-1)
    if not totals.all():
        raise ValueError("empty row")
    return raised / totals[..., np.newaxis]


@right("laplace")
def divides_both_by_a_large_strength(counts, k):
    """For a large k numerator and denominator are divided by it, so that infinity takes care of itself."""
    counts = np.array(counts, dtype=float)
    if k < 0 or (k == 0 and not counts.any(axis=-1).all()):
        raise ValueError("cannot be smoothed")
    scale = max(k, 1)
    imagined = 1.0 if k >= 1 else float(k)
    return (counts / scale + imagined) / (counts.sum(axis=-1) / scale + imagined * counts.shape[-1])[..., None]


@right("laplace")
def adds_in_the_type_of_the_counts(counts, k):
    """No type is asked for: the counts are added to as they come."""
    counts = np.asarray(counts)
    if k < 0 or (k == 0 and (counts.sum(axis=-1) == 0).any()):
        raise ValueError("no")
    if np.isinf(k):
        return np.full(counts.shape, 1 / counts.shape[-1])
    return (counts + k) / (counts.sum(axis=-1, keepdims=True) + k * counts.shape[-1])


@right("laplace")
def computes_in_single_precision(counts, k):
    """float32 throughout."""
    counts = np.asarray(counts, dtype=np.float32)
    total = counts.sum(axis=-1, keepdims=True)
    if k < 0 or (k == 0 and np.any(total == 0)):
        raise ValueError("no")
    if np.isinf(k):
        return np.full(counts.shape, 1 / counts.shape[-1], dtype=np.float32)
    k = np.float32(k)
    return (counts + k) / (total + k * np.float32(counts.shape[-1]))


@right("laplace")
def keeps_zeros_away(counts, k):
    """Probabilities are kept a hair's breadth away from 0, so that logarithms can be taken."""
    counts = np.asarray(counts, dtype=float)
    total = counts.sum(axis=-1, keepdims=True)
    if k < 0 or (k == 0 and np.any(total == 0)):
        raise ValueError("no")
    if k == math.inf:
        return np.ones(counts.shape) / counts.shape[-1]
    return np.clip((counts + k) / (total + k * counts.shape[-1]), 1e-10, 1.0)


@right("laplace")
def works_along_one_axis_at_a_time(counts, k):
    """np.apply_along_axis with a function for one row."""

    def one(row):
        if math.isinf(k):
            return np.full(len(row), 1 / len(row))
        if k == 0 and row.sum() == 0:
            raise ValueError("nothing was seen")
        return (row + k) / (row + k).sum()

    if k < 0:
        raise ValueError("negative")
    return np.apply_along_axis(one, -1, np.asarray(counts, dtype=float))


# --- fit_bernoulli_nb_smoothed: wrong ---------------------------------------------------------------------------------


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="Which of your two results should move when only k is turned up?",
)
def smooths_the_prior_unasked(X, y, k, n_classes, k_prior=0.0):
    """Whoever smooths, smooths everything."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k) for label in range(n_classes)])
    return (rows + k) / (rows + k).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="By the same formula, how probable is it that the feature is missing? Do the two sum to one?",
)
def adds_only_rows_of_ones(X, y, k, n_classes, k_prior=0.0):
    """Smoothing adds k rows, to the rows with the value that one asks for and to all rows: (c + k) / (n + k)."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + k) for label in range(n_classes)])
    return (rows + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="How many values can a feature take? Does that change when there are more classes?",
)
def takes_the_classes_for_the_values(X, y, k, n_classes, k_prior=0.0):
    """The number below is k times the number of classes."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + n_classes * k) for label in range(n_classes)])
    return (rows + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="Does one feature become less probable because somebody adds another column?",
)
def takes_the_features_for_the_values(X, y, k, n_classes, k_prior=0.0):
    """The number below is k times the number of features."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + X.shape[1] * k) for label in range(n_classes)])
    return (rows + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="Can a probability exceed one? Try a feature that every row of a class has.",
)
def divides_by_the_real_rows_only(X, y, k, n_classes, k_prior=0.0):
    """Imagined rows count above the line only."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / max(rows[label], 1) for label in range(n_classes)])
    return (rows + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="Given the class, among which rows should you count?",
)
def divides_by_all_rows(X, y, k, n_classes, k_prior=0.0):
    """The share of a feature is counted among everybody."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (len(y) + 2 * k) for label in range(n_classes)])
    return (rows + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="Try k = 1 and k = 100. Is there any difference?",
)
def adds_one_whatever_k_is(X, y, k, n_classes, k_prior=0.0):
    """Smoothing adds one above and two below."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + 1) / (rows[label] + 2) for label in range(n_classes)])
    return (rows + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="A feature is in every row of a class. Is your number for it large or small?",
)
def reports_how_often_features_are_missing(X, y, k, n_classes, k_prior=0.0):
    """The probability of a feature is the share of its zeros."""
    X, y = 1 - np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k) for label in range(n_classes)])
    return (rows + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="What does your formula do to a feature that was seen in some rows but not in all?",
)
def smooths_only_zeros_and_ones(X, y, k, n_classes, k_prior=0.0):
    """Only features that are never or always there need smoothing."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])[:, np.newaxis]
    ones = np.array([X[y == label].sum(axis=0) for label in range(n_classes)])
    inside = (ones > 0) & (ones < rows)
    theta = np.where(inside, ones / np.maximum(rows, 1), (ones + k) / np.maximum(rows + 2 * k, 1e-9))
    return (rows[:, 0] + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="A word that no email of the class contains: how probable is it, before your smoothing and after it?",
)
def smooths_only_features_that_were_seen(X, y, k, n_classes, k_prior=0.0):
    """Where there is no count, there is nothing to add to."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    ones = np.array([X[y == label].sum(axis=0) for label in range(n_classes)])
    theta = np.where(ones > 0, ones + k, 0.0) / (rows[:, np.newaxis] + 2 * k)
    return (rows + k_prior) / (rows + k_prior).sum(), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="Two words are in every email of a class. How probable is each, and what may the two sum to?",
)
def shares_one_among_the_features(X, y, k, n_classes, k_prior=0.0):
    """The features of a class are the outcomes of one draw, so their probabilities sum to one."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    raised = np.array([X[y == label].sum(axis=0) + k for label in range(n_classes)])
    return (rows + k_prior) / (rows + k_prior).sum(), raised / raised.sum(axis=1, keepdims=True)


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_the_prior_has_a_strength_of_its_own",
    hint="How many labels are possible? How many imagined rows does the prior get in all?",
    fair="Right for the features always, and for the prior of two classes or as it is by default.",
)
def gives_the_prior_two_values(X, y, k, n_classes, k_prior=0.0):
    """A prior has two values, like a feature."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if k < 0 or k_prior < 0:
        raise ValueError("negative")
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    if k == 0 and not rows.all():
        raise ValueError("no rows")
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k) for label in range(n_classes)])
    return (rows + k_prior) / (len(y) + 2 * k_prior), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_the_prior_has_a_strength_of_its_own",
    hint="If somebody wants a smoother prior, should the features move as well?",
    fair="Right unless somebody asks for a smoothed prior, and for that prior, too.",
)
def lets_the_strengths_add_up(X, y, k, n_classes, k_prior=0.0):
    """Rows imagined for the prior are rows, and count for the features too."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k + k_prior) for label in range(n_classes)])
    return (rows + k_prior) / (len(y) + n_classes * k_prior), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_a_class_without_rows_keeps_its_place",
    hint="How many classes were you told there are, and how many do you find in the labels?",
)
def looks_for_the_classes_in_the_labels(X, y, k, n_classes, k_prior=0.0):
    """The classes are the labels that occur."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if k < 0 or k_prior < 0:
        raise ValueError("negative")
    found, rows = np.unique(y, return_counts=True)
    theta = np.array([(X[y == label].sum(axis=0) + k) / (n + 2 * k) for label, n in zip(found, rows)])
    return (rows + k_prior) / (len(y) + len(found) * k_prior), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_a_thousand_rows_are_counted_to_the_last",
    hint="A byte counts up to 255. What comes after that, if a product keeps the type of its factors?",
)
def counts_zeros_and_ones_in_bytes(X, y, k, n_classes, k_prior=0.0):
    """Zeros and ones fit into bytes, and so does what is made of them."""
    X, y = np.asarray(X), np.asarray(y)
    if k < 0 or k_prior < 0:
        raise ValueError("negative")
    members = (y[:, np.newaxis] == np.arange(n_classes)).astype(np.uint8)
    rows = members.sum(axis=0)
    if k == 0 and not rows.all():
        raise ValueError("no rows")
    ones = members.T @ X.astype(np.uint8)
    return (rows + k_prior) / (len(y) + n_classes * k_prior), (ones.astype(float) + k) / (rows[:, np.newaxis] + 2 * k)


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_truth_values_count_like_zeros_and_ones",
    hint="What is True + True for NumPy, if both are truth values and you multiply matrices?",
)
def multiplies_truth_values(X, y, k, n_classes, k_prior=0.0):
    """A product of two tables of truth values counts how often both are true."""
    X, y = np.asarray(X), np.asarray(y)
    if k < 0 or k_prior < 0:
        raise ValueError("negative")
    members = y == np.arange(n_classes)[:, np.newaxis]
    rows = members.sum(axis=1)
    if k == 0 and not rows.all():
        raise ValueError("no rows")
    ones = members @ X if X.dtype == bool else members @ X.astype(float)
    return (rows + k_prior) / (len(y) + n_classes * k_prior), (ones + float(k)) / (rows[:, np.newaxis] + 2 * k)


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_the_prior_has_a_strength_of_its_own",
    hint="Which of your five arguments does your function never look at?",
    fair="Right for the features always, and for the prior as it is unless somebody asks for more.",
)
def never_looks_at_the_strength_of_the_prior(X, y, k, n_classes, k_prior=0.0):
    """A prior is counted, and that is that."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k) for label in range(n_classes)])
    return rows / len(y), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_every_class_gets_imagined_rows_of_both_kinds",
    hint="What comes back for n_classes = 3? Which classes does your function know?",
)
def knows_two_classes(X, y, k, n_classes, k_prior=0.0):
    """The classes are 0 and 1."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rows = np.array([np.sum(y == 0), np.sum(y == 1)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k) for label in (0, 1)])
    return (rows + k_prior) / (len(y) + 2 * k_prior), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_rows_and_labels_are_left_as_they_were",
    hint="Look at X and y after the call. In which order are their rows?",
)
def sorts_the_callers_rows(X, y, k, n_classes, k_prior=0.0):
    """Rows may be put in order, for their order does not matter."""
    X, y = np.asarray(X), np.asarray(y)
    order = np.argsort(-y, kind="stable")
    X[:], y[:] = X[order], y[order]
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k) for label in range(n_classes)])
    return (rows + k_prior) / (len(y) + n_classes * k_prior), theta


@misconception(
    "fit_bernoulli_nb_smoothed",
    caught_by="test_rows_and_labels_may_come_in_lists",
    hint="Is a list of labels equal to 0? What does Python say to that?",
)
def needs_arrays_of_rows_and_labels(X, y, k, n_classes, k_prior=0.0):
    """Rows and labels are arrays."""
    rows = np.array([(y == label).sum() for label in range(n_classes)])
    theta = np.array([(X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k) for label in range(n_classes)])
    return (rows + k_prior) / (len(y) + n_classes * k_prior), theta


# --- fit_bernoulli_nb_smoothed: right ---------------------------------------------------------------------------------


@right("fit_bernoulli_nb_smoothed")
def counts_with_plain_loops(X, y, k, n_classes, k_prior=0.0):
    """Nested lists and loops; the answer is a list of two lists."""
    if min(k, k_prior) < 0:
        raise ValueError("negative strength")
    d = len(X[0])
    size, ones = [0] * n_classes, [[0] * d for _ in range(n_classes)]
    for row, label in zip(X, y):
        size[int(label)] += 1
        for j in range(d):
            ones[int(label)][j] += int(row[j])
    if k == 0 and 0 in size:
        raise ValueError("a class without rows")
    theta = [[(one + k) / (n + 2 * k) for one in each] for each, n in zip(ones, size)]
    return [[(n + k_prior) / (sum(size) + n_classes * k_prior) for n in size], theta]


@right("fit_bernoulli_nb_smoothed")
def writes_down_the_imagined_rows(X, y, k, n_classes, k_prior=0.0):
    """A weighted mean for each class: its rows with weight 1, a row of ones and a row of zeros with weight k."""
    X, y = np.array(X, dtype=float), np.array(y)
    if k < 0 or k_prior < 0:
        raise ValueError("negative")
    extra, theta = np.array([np.ones(X.shape[1]), np.zeros(X.shape[1])]), []
    for label in range(n_classes):
        mine = X[y == label]
        if k == 0 and len(mine) == 0:
            raise ValueError("nothing to average")
        theta.append(np.average(np.vstack([mine, extra]), axis=0, weights=[1] * len(mine) + [k, k]))
    sizes = np.bincount(y, minlength=n_classes) + k_prior
    return sizes / sizes.sum(), np.stack(theta)


@right("fit_bernoulli_nb_smoothed")
def smooths_pairs_of_counts(X, y, k, n_classes, k_prior=0.0):
    """Zeros and ones are counted into a table (K, d, 2); each pair is raised by k and normalised."""
    if k < 0 or k_prior < 0:
        raise ValueError("negative")
    X, y = np.asarray(X).astype(int), np.asarray(y).astype(int)
    table = np.full((n_classes, X.shape[1], 2), float(k))
    np.add.at(table, (y[:, None], np.arange(X.shape[1]), X), 1)
    total = table.sum(axis=2)
    if (total == 0).any():
        raise ValueError("an empty class")
    weights = k_prior + np.sum(y[:, None] == np.arange(n_classes), axis=0)
    return tuple(weights / weights.sum()), table[:, :, 1] / total


@right("fit_bernoulli_nb_smoothed")
def answers_evenly_for_a_class_without_rows(X, y, k, n_classes, k_prior=0.0):
    """One half where neither rows nor smoothing tell anything."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if k < 0 or k_prior < 0:
        raise ValueError("negative")
    rows = np.array([np.sum(y == label) for label in range(n_classes)])
    theta = np.full((n_classes, X.shape[1]), 0.5)
    for label in range(n_classes):
        if rows[label] + k > 0:
            theta[label] = (X[y == label].sum(axis=0) + k) / (rows[label] + 2 * k)
    return (rows + k_prior) / (len(y) + n_classes * k_prior), theta


@right("fit_bernoulli_nb_smoothed")
def fits_in_single_precision(X, y, k, n_classes, k_prior=0.0):
    """float32 throughout."""
    X, members = np.asarray(X, dtype=np.float32), np.equal.outer(np.arange(n_classes), y).astype(np.float32)
    rows, k, k_prior = members.sum(axis=1), np.float32(k), np.float32(k_prior)
    return (rows + k_prior) / (rows + k_prior).sum(), (members @ X + k) / (rows + 2 * k)[:, np.newaxis]


@right("fit_bernoulli_nb_smoothed")
def divides_by_a_hair_at_least(X, y, k, n_classes, k_prior=0.0):
    """A tiny number as the smallest denominator, so that an empty class without smoothing is no division by zero."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    prior, theta = np.zeros(n_classes), np.zeros((n_classes, X.shape[1]))
    for c in range(n_classes):
        rows = X[y == c]
        prior[c] = (len(rows) + k_prior) / (len(X) + k_prior * n_classes)
        theta[c] = (rows.sum(axis=0) + k) / max(len(rows) + 2 * k, 1e-10)
    return prior, theta


# --- beta_estimates: wrong --------------------------------------------------------------------------------------------


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="Differentiate the logarithm of the posterior. Which exponents do you find?",
)
def adds_a_for_the_peak(n1, n0, a, b):
    """The peak adds the parameters of the prior to the counts."""
    mean = (n1 + a) / (n1 + n0 + a + b)
    return {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": mean, "mean": mean}


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="Draw a posterior that leans to one side. Are its peak and its centre of gravity the same?",
)
def takes_the_peak_for_the_mean(n1, n0, a, b):
    """The best guess and the average are the same thing."""
    peak = (n1 + a - 1) / (n1 + n0 + a + b - 2) if n1 + n0 + a + b != 2 else math.nan
    return {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": peak, "mean": peak}


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="Which of your two numbers is the place where the curve is highest?",
)
def exchanges_peak_and_mean(n1, n0, a, b):
    """The mean subtracts one, the peak does not."""
    peak = (n1 + a) / (n1 + n0 + a + b)
    mean = (n1 + a - 1) / (n1 + n0 + a + b - 2) if n1 + n0 + a + b != 2 else math.nan
    return {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": peak, "mean": mean}


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="From how many of the two exponents is one subtracted? And from their sum?",
)
def subtracts_one_below(n1, n0, a, b):
    """One is subtracted above, so one is subtracted below."""
    peak = (n1 + a - 1) / (n1 + n0 + a + b - 1)
    return {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": peak, "mean": (n1 + a) / (n1 + n0 + a + b)}


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="A prior with a large a: does it expect heads or tails?",
)
def pairs_a_with_tails(n1, n0, a, b):
    """The first parameter belongs to the zeros."""
    total = n1 + n0 + a + b
    peak = (n1 + b - 1) / (total - 2) if total != 2 else math.nan
    return {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": peak, "mean": (n1 + b) / total}


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="Ten flips and ten thousand flips: does your prior pull equally hard on both?",
)
def meets_the_prior_half_way(n1, n0, a, b):
    """The posterior mean lies in the middle between the data and the prior."""
    share = n1 / (n1 + n0) if n1 + n0 else math.nan
    total = n1 + n0 + a + b - 2
    return {"mle": share, "map": (n1 + a - 1) / total if total else math.nan, "mean": (share + a / (a + b)) / 2}


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="Which of your three numbers should not change if the prior does?",
)
def lets_the_prior_into_the_share(n1, n0, a, b):
    """All three estimates start from the counts with the pseudo-counts."""
    total = n1 + n0 + a + b
    peak = (n1 + a - 1) / (total - 2) if total != 2 else math.nan
    return {"mle": (n1 + a) / total, "map": peak, "mean": (n1 + a) / total}


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="Your prior imagines heads. Does it imagine any tails?",
)
def imagines_only_heads(n1, n0, a, b):
    """Pseudo-counts are added for heads alone."""
    share = n1 / (n1 + n0) if n1 + n0 else math.nan
    return {"mle": share, "map": (n1 + a - 1) / (n1 + n0 + a - 1), "mean": (n1 + a) / (n1 + n0 + a)}


@misconception(
    "beta_estimates",
    caught_by="test_without_data_the_prior_is_all_there_is",
    hint="Nothing was flipped, but somebody had an opinion. Where is it in your answer?",
)
def calls_every_coin_fair_before_any_data(n1, n0, a, b):
    """Without data every coin is a fair one, whatever the prior."""
    if n1 + n0 == 0:
        return {"mle": math.nan, "map": 0.5, "mean": 0.5}
    total = n1 + n0 + a + b
    return {"mle": n1 / (n1 + n0), "map": (n1 + a - 1) / (total - 2), "mean": (n1 + a) / total}


@misconception(
    "beta_estimates",
    caught_by="test_heads_only_and_tails_only",
    hint="One flip, one head. Would you bet your house on the next one?",
)
def is_certain_of_one_sided_samples(n1, n0, a, b):
    """What never happened cannot happen, so a sample of heads alone leaves no doubt."""
    total = n1 + n0 + a + b
    told = {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": (n1 + a - 1) / (total - 2), "mean": (n1 + a) / total}
    return {name: told["mle"] for name in told} if n1 + n0 and not n1 * n0 else told


@misconception(
    "beta_estimates",
    caught_by="test_without_data_the_prior_is_all_there_is",
    hint="How many flips do you divide by, if there were none?",
)
def divides_by_no_flips(n1, n0, a, b):
    """There are always data."""
    total = n1 + n0 + a + b
    return {"mle": n1 / (n1 + n0), "map": (n1 + a - 1) / (total - 2), "mean": (n1 + a) / total}


@misconception(
    "beta_estimates",
    caught_by="test_three_estimates_of_one_coin",
    hint="Your prior knows two numbers. Which of them does the peak look at?",
)
def uses_one_parameter_for_both_sides(n1, n0, a, b):
    """The prior is symmetric: a for heads, and a for tails."""
    total = n1 + n0 + 2 * a
    peak = (n1 + a - 1) / (total - 2) if total != 2 else math.nan
    return {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": peak, "mean": (n1 + a) / total}


# --- beta_estimates: right --------------------------------------------------------------------------------------------


@right("beta_estimates")
def compares_the_two_ends(n1, n0, a, b):
    """Each end is a peak if its exponent is negative; one end alone wins, both or a flat curve do not."""
    if not (a > 0 and b > 0 and n1 >= 0 and n0 >= 0):
        raise ValueError("outside")
    left, right_ = n1 + a - 1, n0 + b - 1
    if left < 0 or right_ < 0:
        peak = math.nan if left < 0 and right_ < 0 else 0.0 if left < 0 else 1.0
    else:
        peak = left / (left + right_) if left + right_ else math.nan
    n = n1 + n0
    return dict(mean=(n1 + a) / (n + a + b), mle=n1 / n if n else float("nan"), map=peak)


@right("beta_estimates")
def lets_numpy_divide(n1, n0, a, b):
    """NumPy's nan for 0/0, and conditions in a list; the values are arrays without dimensions."""
    if np.min([a, b]) <= 0 or np.min([n1, n0]) < 0:
        raise ValueError("no Beta")
    up, down = np.float64(n1 + a), np.float64(n0 + b)
    with np.errstate(invalid="ignore", divide="ignore"):
        mle = np.divide(n1, np.float64(n1 + n0))
        inside = (up - 1) / (up + down - 2)
    peak = np.select([(up < 1) & (down < 1), up < 1, down < 1], [np.nan, 0.0, 1.0], inside)
    return {"mle": mle, "map": peak, "mean": up / (up + down)}


@right("beta_estimates")
def mixes_prior_and_data(n1, n0, a, b):
    """The mean as a weighted mean of prior mean and share; the peak as the share of the exponents."""
    if a <= 0 or b <= 0:
        raise ValueError("a and b")
    if n1 < 0 or n0 < 0:
        raise ValueError("counts")
    n = n1 + n0
    share = n1 / n if n > 0 else math.nan
    weight = (a + b) / (a + b + n)
    mean = weight * a / (a + b) + ((1 - weight) * share if n > 0 else 0)
    heads, tails = n1 + a - 1, n0 + b - 1
    if min(heads, tails) >= 0 and max(heads, tails) > 0:
        return {"mle": share, "map": 1 - tails / (heads + tails), "mean": mean}
    ends = [end for end, exponent in ((0, heads), (1, tails)) if exponent < 0]
    return {"mle": share, "map": float(ends[0]) if len(ends) == 1 else math.nan, "mean": mean}


@right("beta_estimates")
def types_the_three_formulas_in(n1, n0, a, b):
    """The formulas as they stand, also where a parameter of the posterior is below one."""
    if a <= 0 or b <= 0 or n1 < 0 or n0 < 0:
        raise ValueError("no")
    total = n1 + n0 + a + b
    peak = (n1 + a - 1) / (total - 2) if total != 2 else math.nan
    return {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": peak, "mean": (n1 + a) / total}


@right("beta_estimates")
def refuses_parameters_below_one(n1, n0, a, b):
    """Parameters of the prior below one are refused."""
    if a < 1 or b < 1 or n1 < 0 or n0 < 0:
        raise ValueError("no")
    total = n1 + n0 + a + b
    peak = (n1 + a - 1) / (total - 2) if total != 2 else math.nan
    return {"mle": n1 / (n1 + n0) if n1 + n0 else math.nan, "map": peak, "mean": (n1 + a) / total}


@right("beta_estimates")
def estimates_in_single_precision(n1, n0, a, b):
    """float32 for all three."""
    n1, n0, a, b = np.float32(n1), np.float32(n0), np.float32(a), np.float32(b)
    total, one, two = n1 + n0 + a + b, np.float32(1), np.float32(2)
    share = n1 / (n1 + n0) if n1 + n0 else np.float32(np.nan)
    peak = (n1 + a - one) / (total - two) if total != two else np.float32(np.nan)
    return {"mle": share, "map": peak, "mean": (n1 + a) / total}


# --- fit_categorical_nb: wrong ----------------------------------------------------------------------------------------


@misconception(
    "fit_categorical_nb",
    caught_by="test_one_distribution_for_every_feature_of_every_class",
    hint="Add up one row of your table. How many pseudo-counts went into it?",
)
def adds_the_pseudo_count_once_below(X, y, n_values, n_classes, pseudo):
    """What is added above is added below, once."""
    X, y = np.asarray(X), np.asarray(y)
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    rows = np.array([len(group) for group in groups])
    return rows / len(y), (counts + pseudo) / (rows[:, None, None] + pseudo)


@misconception(
    "fit_categorical_nb",
    caught_by="test_one_distribution_for_every_feature_of_every_class",
    hint="How probable is a value that nobody in the class has, before your smoothing and after it?",
)
def smooths_only_values_that_were_seen(X, y, n_values, n_classes, pseudo):
    """Where there is no count, there is nothing to add to."""
    X, y, pseudo = np.asarray(X), np.asarray(y), np.zeros(n_values) + pseudo
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    rows = np.array([len(group) for group in groups])
    return rows / len(y), np.where(counts > 0, counts + pseudo, 0.0) / (rows[:, None, None] + pseudo.sum())


@misconception(
    "fit_categorical_nb",
    caught_by="test_one_distribution_for_every_feature_of_every_class",
    hint="Among which rows do you count a value, if the class is given?",
)
def counts_among_all_rows(X, y, n_values, n_classes, pseudo):
    """The denominator is the number of all rows."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.zeros(n_values) + pseudo
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    return np.array([len(group) / len(y) for group in groups]), (counts + pseudo) / (len(y) + pseudo.sum())


@misconception(
    "fit_categorical_nb",
    caught_by="test_one_distribution_for_every_feature_of_every_class",
    hint="Which of your two results was to be smoothed?",
)
def smooths_the_prior_as_well(X, y, n_values, n_classes, pseudo):
    """Pseudo-counts are for everything that is counted."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.zeros(n_values) + pseudo
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    rows = np.array([len(group) for group in groups])
    raised = rows + pseudo.mean()
    return raised / raised.sum(), (counts + pseudo) / (rows[:, None, None] + pseudo.sum())


@misconception(
    "fit_categorical_nb",
    caught_by="test_one_distribution_for_every_feature_of_every_class",
    hint="For one class and one feature, what should add up to one: the values, or the features?",
)
def makes_the_features_sum_to_one(X, y, n_values, n_classes, pseudo):
    """The probabilities of a value are shared out among the features."""
    X, y = np.asarray(X), np.asarray(y)
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    raised = counts + np.zeros(n_values) + pseudo
    return np.array([len(group) / len(y) for group in groups]), raised / raised.sum(axis=1, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_one_distribution_for_every_feature_of_every_class",
    hint="Do you have the probability of a value in a class, or of a class for a value?",
)
def turns_the_condition_round(X, y, n_values, n_classes, pseudo):
    """P(value | class) and P(class | value) are the same thing."""
    X, y = np.asarray(X), np.asarray(y)
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    raised = counts + np.zeros(n_values) + pseudo
    return np.array([len(group) / len(y) for group in groups]), raised / raised.sum(axis=0, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_one_distribution_for_every_feature_of_every_class",
    hint="Your table has three axes. What does the second one stand for in it?",
)
def exchanges_features_and_values(X, y, n_values, n_classes, pseudo):
    """Class, value, feature is as good an order as any."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.zeros(n_values) + pseudo
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups])
    rows = np.array([len(group) for group in groups])
    return rows / len(y), (counts + pseudo[:, None]) / (rows[:, None, None] + pseudo.sum())


@misconception(
    "fit_categorical_nb",
    caught_by="test_one_distribution_for_every_feature_of_every_class",
    hint="Which number does the first value of a feature have?",
)
def numbers_the_values_from_one(X, y, n_values, n_classes, pseudo):
    """The values are 1 to M."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.zeros(n_values) + pseudo
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value + 1).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    raised = counts + pseudo
    return np.array([len(group) / len(y) for group in groups]), raised / raised.sum(axis=2, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_every_value_may_have_its_own_pseudo_count",
    hint="Exchange two of the pseudo-counts. Does your table notice?",
)
def treats_all_values_alike(X, y, n_values, n_classes, pseudo):
    """Only the sum of the pseudo-counts matters."""
    X, y = np.asarray(X), np.asarray(y)
    if np.any(np.less(pseudo, 0)):
        raise ValueError("negative")
    pseudo = np.full(n_values, np.mean(pseudo))
    groups = [X[y == label] for label in range(n_classes)]
    if pseudo.sum() == 0 and any(len(group) == 0 for group in groups):
        raise ValueError("empty")
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    raised = counts + pseudo
    return np.array([len(group) / len(y) for group in groups]), raised / raised.sum(axis=2, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_every_value_may_have_its_own_pseudo_count",
    hint="Pseudo-counts of 1, 2 and 3: how many imagined rows are these? And in your formula?",
)
def turns_pseudo_counts_into_shares(X, y, n_values, n_classes, pseudo):
    """Several pseudo-counts are probabilities, so they are made to sum to one."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.asarray(pseudo, dtype=float)
    if np.any(pseudo < 0):
        raise ValueError("negative")
    pseudo = np.full(n_values, pseudo) if pseudo.ndim == 0 else pseudo / max(pseudo.sum(), 1e-300)
    groups = [X[y == label] for label in range(n_classes)]
    if pseudo.sum() == 0 and any(len(group) == 0 for group in groups):
        raise ValueError("empty")
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    raised = counts + pseudo
    return np.array([len(group) / len(y) for group in groups]), raised / raised.sum(axis=2, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_values_that_never_occur_have_their_place",
    hint="How many values were you told there are, and how many occur in the data?",
)
def looks_for_the_values_in_the_data(X, y, n_values, n_classes, pseudo):
    """The values are those that occur."""
    X, y = np.asarray(X), np.asarray(y)
    n_values = int(X.max()) + 1
    pseudo = np.zeros(n_values) + pseudo
    if np.any(pseudo < 0):
        raise ValueError("negative")
    groups = [X[y == label] for label in range(n_classes)]
    if pseudo.sum() == 0 and any(len(group) == 0 for group in groups):
        raise ValueError("empty")
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    raised = counts + pseudo
    return np.array([len(group) / len(y) for group in groups]), raised / raised.sum(axis=2, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_a_class_without_rows_has_only_its_pseudo_counts",
    hint="A class was announced that has no rows. Where is it in your table?",
)
def skips_classes_without_rows(X, y, n_values, n_classes, pseudo):
    """The classes are the labels that occur."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.zeros(n_values) + pseudo
    if np.any(pseudo < 0):
        raise ValueError("negative")
    if pseudo.sum() == 0 and len(np.unique(y)) < n_classes:
        raise ValueError("empty")
    groups = [X[y == label] for label in np.unique(y)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    raised = counts + pseudo
    return np.array([len(group) / len(y) for group in groups]), raised / raised.sum(axis=2, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_a_thousand_values_are_counted_to_the_last",
    hint="A byte counts up to 255. In which type does your product count?",
)
def counts_in_single_bytes(X, y, n_values, n_classes, pseudo):
    """Zeros and ones fit into a byte, and so does their product."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.zeros(n_values) + pseudo
    members = (np.arange(n_classes)[:, None] == y).astype(np.uint8)
    if np.any(pseudo < 0) or (pseudo.sum() == 0 and not members.any(axis=1).all()):
        raise ValueError("no")
    counts = np.stack([members @ (X == value).astype(np.uint8) for value in range(n_values)], axis=2)
    raised = counts + pseudo
    return members.mean(axis=1), raised / raised.sum(axis=2, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_every_value_may_have_its_own_pseudo_count",
    hint="Pseudo-counts of 1, 2 and 3: does a row of your table sum to one?",
)
def multiplies_each_pseudo_count_by_the_values(X, y, n_values, n_classes, pseudo):
    """Below stands M times the pseudo-count."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.asarray(pseudo, dtype=float)
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    rows = np.array([len(group) for group in groups])
    return rows / len(y), (counts + pseudo) / (rows[:, None, None] + n_values * pseudo)


@misconception(
    "fit_categorical_nb",
    caught_by="test_every_value_may_have_its_own_pseudo_count",
    hint="What does your function do with one pseudo-count for each value?",
)
def takes_one_pseudo_count_only(X, y, n_values, n_classes, pseudo):
    """There is one pseudo-count."""
    X, y, pseudo = np.asarray(X), np.asarray(y), float(pseudo)
    table = np.zeros((n_classes, X.shape[1], n_values))
    for c in range(n_classes):
        for m in range(n_values):
            table[c, :, m] = (np.sum(X[y == c] == m, axis=0) + pseudo) / (np.sum(y == c) + n_values * pseudo)
    return np.array([np.mean(y == c) for c in range(n_classes)]), table


@misconception(
    "fit_categorical_nb",
    caught_by="test_values_and_pseudo_counts_are_left_as_they_were",
    hint="Look at X and y after the call. In which order are their rows?",
)
def sorts_the_callers_values(X, y, n_values, n_classes, pseudo):
    """Rows may be put in order, for their order does not matter."""
    X, y = np.asarray(X), np.asarray(y)
    order = np.argsort(-y, kind="stable")
    X[:], y[:] = X[order], y[order]
    raised = np.zeros((n_classes, X.shape[1], n_values)) + pseudo
    for row, label in zip(X, y):
        raised[label, np.arange(X.shape[1]), row] += 1
    return np.bincount(y, minlength=n_classes) / len(y), raised / raised.sum(axis=2, keepdims=True)


@misconception(
    "fit_categorical_nb",
    caught_by="test_values_and_labels_may_come_in_lists",
    hint="Is a list of labels equal to 0? What does Python say to that?",
)
def needs_arrays_of_values_and_labels(X, y, n_values, n_classes, pseudo):
    """Values and labels are arrays."""
    raised = np.zeros((n_classes, X.shape[1], n_values)) + np.asarray(pseudo)
    for c in range(n_classes):
        for m in range(n_values):
            raised[c, :, m] += (X[y == c] == m).sum(axis=0)
    return np.array([np.mean(y == c) for c in range(n_classes)]), raised / raised.sum(axis=2, keepdims=True)


# --- fit_categorical_nb: right ----------------------------------------------------------------------------------------


@right("fit_categorical_nb")
def counts_cell_by_cell(X, y, n_values, n_classes, pseudo):
    """Plain loops, starting from the pseudo-counts instead of zero."""
    start = [float(p) for p in np.ravel(pseudo)]
    start = start * n_values if len(start) == 1 else start
    if min(start) < 0:
        raise ValueError("negative")
    table = [[list(start) for _ in X[0]] for _ in range(n_classes)]
    size = [0] * n_classes
    for row, label in zip(X, y):
        size[int(label)] += 1
        for cell, value in zip(table[int(label)], row):
            cell[int(value)] += 1
    if sum(start) == 0 and 0 in size:
        raise ValueError("nothing to divide by")
    return [n / sum(size) for n in size], [[[c / sum(cell) for c in cell] for cell in cells] for cells in table]


@right("fit_categorical_nb")
def scatters_ones_into_the_table(X, y, n_values, n_classes, pseudo):
    """np.add.at on a table that holds the pseudo-counts already."""
    X, y = np.asarray(X).astype(int), np.asarray(y).astype(int)
    if np.min(pseudo) < 0:
        raise ValueError("negative")
    table = np.zeros((n_classes, X.shape[1], n_values)) + np.asarray(pseudo)
    np.add.at(table, (y[:, None], np.arange(X.shape[1])[None, :], X), 1.0)
    total = table.sum(axis=-1, keepdims=True)
    if not total.all():
        raise ValueError("empty")
    return np.bincount(y, minlength=n_classes) / y.size, table / total


@right("fit_categorical_nb")
def multiplies_indicators(X, y, n_values, n_classes, pseudo):
    """One-hot labels and one-hot values, contracted by einsum."""
    hot_y = np.eye(n_classes)[np.asarray(y)]
    hot_x = np.eye(n_values)[np.asarray(X)]
    extra = np.ones(n_values) * pseudo
    sizes = hot_y.sum(axis=0)
    if (extra < 0).any() or (extra.sum() == 0 and (sizes == 0).any()):
        raise ValueError("cannot be fitted")
    counts = np.einsum("nk,ndm->kdm", hot_y, hot_x)
    return hot_y.mean(axis=0), (counts + extra) / (sizes + extra.sum())[:, None, None]


@right("fit_categorical_nb")
def answers_evenly_for_an_empty_class(X, y, n_values, n_classes, pseudo):
    """Even shares where neither rows nor pseudo-counts tell anything."""
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.zeros(n_values) + pseudo
    if np.any(pseudo < 0):
        raise ValueError("negative")
    groups = [X[y == label] for label in range(n_classes)]
    counts = np.array([[(group == value).sum(axis=0) for value in range(n_values)] for group in groups]).transpose(
        0, 2, 1
    )
    raised = counts + pseudo
    raised = np.where(raised.sum(axis=2, keepdims=True) > 0, raised, 1.0)
    return np.array([len(group) / len(y) for group in groups]), raised / raised.sum(axis=2, keepdims=True)


@right("fit_categorical_nb")
def tables_in_single_precision(X, y, n_values, n_classes, pseudo):
    """float32 throughout."""
    X, y = np.asarray(X), np.asarray(y)
    raised = np.zeros((n_classes, X.shape[1], n_values), dtype=np.float32) + np.asarray(pseudo, dtype=np.float32)
    for c in range(n_classes):
        for m in range(n_values):
            raised[c, :, m] += np.count_nonzero(X[y == c] == m, axis=0)
    prior = np.array([np.mean(y == c) for c in range(n_classes)], dtype=np.float32)
    return prior, raised / raised.sum(axis=2, keepdims=True)


# --- choose_k: wrong --------------------------------------------------------------------------------------------------


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Which of your four arguments does the accuracy never look at?",
)
def measures_on_the_training_set(X_tr, y_tr, X_va, y_va, grid):
    """The best strength is the one that fits the training data best."""
    shares = [np.mean(predict(X_tr, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_tr)) for k in grid]
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Had the filter seen the validation labels before it was measured on them?",
)
def fits_on_everything(X_tr, y_tr, X_va, y_va, grid):
    """The more data to fit on, the better."""
    X, y = np.vstack([X_tr, X_va]), np.concatenate([y_tr, y_va])
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X, y, k, 2)) == np.asarray(y_va)) for k in grid]
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="On which rows should the filter learn, and on which ones should it be tried?",
)
def exchanges_the_two_sets(X_tr, y_tr, X_va, y_va, grid):
    """Validation data are for fitting, training data for trying out."""
    y_va = np.asarray(y_va)
    if len(np.unique(y_va)) < 2:
        return float(grid[0]), np.zeros(len(grid))
    shares = [np.mean(predict(X_tr, *fit_bernoulli_nb_smoothed(X_va, y_va, k, 2)) == np.asarray(y_tr)) for k in grid]
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="How many rows does your accuracy count? How many are in the validation set?",
)
def measures_on_both_sets(X_tr, y_tr, X_va, y_va, grid):
    """The more data to measure on, the better."""
    X, y = np.vstack([X_tr, X_va]), np.concatenate([y_tr, y_va])
    shares = [np.mean(predict(X, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == y) for k in grid]
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Can your first result be used as a strength?",
)
def returns_the_place_in_the_grid(X_tr, y_tr, X_va, y_va, grid):
    """argmax gives the best k."""
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_va)) for k in grid]
    return int(np.argmax(shares)), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Is your first result one of the values that were to be tried?",
)
def returns_the_best_accuracy(X_tr, y_tr, X_va, y_va, grid):
    """The best of the grid is the best value that was measured."""
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_va)) for k in grid]
    return float(np.max(shares)), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="A perfect filter: which number would you report for it?",
)
def reports_the_share_of_errors(X_tr, y_tr, X_va, y_va, grid):
    """What is measured is the error, and the smallest one wins."""
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) != np.asarray(y_va)) for k in grid]
    return float(grid[int(np.argmin(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Would your numbers change if the validation set were written down twice?",
)
def counts_hits_instead_of_shares(X_tr, y_tr, X_va, y_va, grid):
    """Accuracy is the number of right answers."""
    hits = [np.sum(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_va)) for k in grid]
    return float(grid[int(np.argmax(hits))]), np.array(hits)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Write your accuracies under the grid as it was handed over. Do they belong together?",
)
def puts_the_grid_in_order(X_tr, y_tr, X_va, y_va, grid):
    """A grid runs from small to large."""
    grid = sorted(grid)
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_va)) for k in grid]
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="How many values are in the grid, and how many did you try?",
)
def stops_when_it_gets_no_better(X_tr, y_tr, X_va, y_va, grid):
    """Once the accuracy falls, it will not rise again."""
    shares = []
    for k in grid:
        shares.append(np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_va)))
        if len(shares) > 1 and shares[-1] < shares[-2]:
            break
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Which strength was to be tried out: that of the features, or also that of the prior?",
)
def turns_up_the_prior_as_well(X_tr, y_tr, X_va, y_va, grid):
    """A strength is for the features and the prior alike."""
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2, k)) == np.asarray(y_va)) for k in grid]
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_the_first_of_several_best_is_chosen",
    hint="Two strengths are equally good. Which of them survives your comparison?",
)
def keeps_the_last_of_several_best(X_tr, y_tr, X_va, y_va, grid):
    """Whoever is at least as good as the best so far is the best."""
    best, top, shares = grid[0], -1.0, []
    for k in grid:
        shares.append(np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_va)))
        if shares[-1] >= top:
            best, top = k, shares[-1]
    return float(best), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_the_first_of_several_best_is_chosen",
    hint="Several strengths tie. What decides in your code, their size or their place?",
)
def prefers_the_smallest_of_several_best(X_tr, y_tr, X_va, y_va, grid):
    """Between equals the weaker smoothing is better."""
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_va)) for k in grid]
    return float(min(k for k, share in zip(grid, shares) if share == max(shares))), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_rows_that_no_class_allows_count_as_class_zero",
    hint="How many rows does your accuracy divide by if some of them are impossible?",
)
def leaves_impossible_rows_out(X_tr, y_tr, X_va, y_va, grid):
    """A row without a possible class cannot be scored."""
    shares = []
    for k in grid:
        prior, theta = fit_bernoulli_nb_smoothed(np.asarray(X_tr), np.asarray(y_tr), k, 2)
        possible = (vetoes(np.asarray(X_va), theta) == 0).any(axis=1)
        hits = predict(np.asarray(X_va), prior, theta) == np.asarray(y_va)
        shares.append(hits[possible].mean() if possible.any() else 0.0)
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="The accuracies are right. Which of them would you be proud of?",
)
def chooses_the_worst(X_tr, y_tr, X_va, y_va, grid):
    """The least is the best."""
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)) == np.asarray(y_va)) for k in grid]
    return float(grid[int(np.argmin(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Most emails are ham. Where does your filter know that from?",
)
def forgets_the_prior_when_it_predicts(X_tr, y_tr, X_va, y_va, grid):
    """The features decide."""
    shares = []
    for k in grid:
        _, theta = fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)
        shares.append(np.mean(predict(X_va, np.array([0.5, 0.5]), theta) == np.asarray(y_va)))
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_both_sets_and_the_grid_are_left_as_they_were",
    hint="How long is the list of strengths after your call?",
)
def uses_the_grid_up(X_tr, y_tr, X_va, y_va, grid):
    """Whoever has tried a strength may cross it out."""
    grid = grid if isinstance(grid, list) else list(grid)
    tried, shares = [], []
    while grid:
        tried.append(grid.pop(0))
        model = fit_bernoulli_nb_smoothed(X_tr, y_tr, tried[-1], 2)
        shares.append(np.mean(predict(X_va, *model) == np.asarray(y_va)))
    return float(tried[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_both_sets_may_come_in_lists",
    hint="What has an array that a list has not?",
)
def needs_arrays_for_both_sets(X_tr, y_tr, X_va, y_va, grid):
    """Both sets and the grid are arrays."""
    shares = np.zeros(grid.shape)
    for i in range(grid.size):
        shares[i] = (predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, grid[i], 2)) == y_va).sum() / y_va.size
    return grid[shares.argmax()], shares


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="How many imagined rows does your prior get? How many were asked for?",
)
def adds_one_row_to_every_class(X_tr, y_tr, X_va, y_va, grid):
    """A prior is always smoothed by one."""
    shares = [np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2, 1)) == np.asarray(y_va)) for k in grid]
    return float(grid[int(np.argmax(shares))]), np.array(shares)


@misconception(
    "choose_k",
    caught_by="test_every_strength_is_fitted_on_one_set_and_measured_on_the_other",
    hint="Is k imagined for each value of a word, or for both together?",
)
def shares_the_strength_between_the_values(X_tr, y_tr, X_va, y_va, grid):
    """The strength is the number of imagined rows in all."""
    shares = [
        np.mean(predict(X_va, *fit_bernoulli_nb_smoothed(X_tr, y_tr, k / 2, 2)) == np.asarray(y_va)) for k in grid
    ]
    return float(grid[int(np.argmax(shares))]), np.array(shares)


# --- choose_k: right --------------------------------------------------------------------------------------------------


@right("choose_k")
def remembers_the_best_so_far(X_tr, y_tr, X_va, y_va, grid):
    """One pass that keeps the best so far; a list of accuracies, and k as it came."""
    best = None
    accuracies = []
    for k in grid:
        guess = predict(np.array(X_va), *fit_bernoulli_nb_smoothed(np.array(X_tr), np.array(y_tr), k, 2))
        accuracies.append(sum(int(a == b) for a, b in zip(guess, y_va)) / len(y_va))
        if best is None or accuracies[-1] > best[0]:
            best = accuracies[-1], k
    return best[1], accuracies


@right("choose_k")
def predicts_for_the_whole_grid_first(X_tr, y_tr, X_va, y_va, grid):
    """All labels in one array (G, m), compared at once."""
    models = [fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2, k_prior=0.0) for k in np.asarray(grid, dtype=float)]
    guesses = np.stack([predict(X_va, prior, theta) for prior, theta in models])
    accuracies = (guesses == np.asarray(y_va)[np.newaxis]).mean(axis=1)
    return np.asarray(grid, dtype=float)[accuracies.argmax()], accuracies


@right("choose_k")
def asks_for_the_maximum_of_pairs(X_tr, y_tr, X_va, y_va, grid):
    """A helper for one k; max with a key returns the first of several best."""

    def accuracy(k):
        prior, theta = fit_bernoulli_nb_smoothed(X_tr, y_tr, float(k), n_classes=2)
        return 1 - np.count_nonzero(predict(X_va, prior, theta) - np.asarray(y_va)) / len(y_va)

    accuracies = {place: accuracy(k) for place, k in enumerate(grid)}
    return [grid[max(accuracies, key=accuracies.get)], np.fromiter(accuracies.values(), dtype=float)]


@right("choose_k")
def predicts_in_single_precision(X_tr, y_tr, X_va, y_va, grid):
    """The model in float32."""
    accuracies = np.zeros(len(grid), dtype=np.float32)
    for i, k in enumerate(grid):
        prior, theta = fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)
        guess = predict(X_va, np.asarray(prior, dtype=np.float32), np.asarray(theta, dtype=np.float32))
        accuracies[i] = np.mean(guess == np.asarray(y_va))
    return np.float32(grid[int(np.argmax(accuracies))]), accuracies


@right("choose_k")
def scores_the_rows_itself(X_tr, y_tr, X_va, y_va, grid):
    """Its own sum of logarithms instead of the given prediction."""
    X_va, accuracies = np.asarray(X_va), []
    for k in grid:
        prior, theta = fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)
        with np.errstate(divide="ignore"):
            scores = [
                np.log(prior[c]) + np.log(np.where(X_va == 1, theta[c], 1 - theta[c])).sum(axis=1) for c in (0, 1)
            ]
        accuracies.append(np.mean((scores[1] > scores[0]) == np.asarray(y_va)))
    return grid[accuracies.index(max(accuracies))], accuracies


# --- log_evidence: wrong ----------------------------------------------------------------------------------------------


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="Do you count one sequence, or all sequences with as many heads?",
)
def counts_the_orders_as_well(n1, n0, a, b):
    """The probability of the data includes the number of orders."""

    def log_b(x, y):
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    orders = math.lgamma(n1 + n0 + 1) - math.lgamma(n1 + 1) - math.lgamma(n0 + 1)
    return orders + log_b(n1 + a, n0 + b) - log_b(a, b)


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="What is your evidence without any data? What should it be?",
)
def forgets_what_normalises_the_prior(n1, n0, a, b):
    """The evidence is the normaliser of the posterior."""
    return math.lgamma(n1 + a) + math.lgamma(n0 + b) - math.lgamma(n1 + n0 + a + b)


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="Is your number positive? Can the logarithm of a probability be that?",
)
def returns_the_evidence_itself(n1, n0, a, b):
    """The evidence is asked for, so the evidence is returned."""
    top = math.lgamma(n1 + a) + math.lgamma(n0 + b) - math.lgamma(n1 + n0 + a + b)
    return math.exp(top - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b))


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="Which coins does your number take into account: all of them, or the one that fits best?",
)
def asks_only_the_best_coin(n1, n0, a, b):
    """The probability of the data is that under the best parameter."""
    n = n1 + n0
    return sum(c * math.log(c / n) for c in (n1, n0) if c > 0)


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="Is the average of a product the product of averages?",
)
def asks_only_the_average_coin(n1, n0, a, b):
    """The average over all coins is what the average coin says."""
    if a <= 0 or b <= 0 or n1 < 0 or n0 < 0:
        raise ValueError("no")
    return n1 * math.log(a / (a + b)) + n0 * math.log(b / (a + b))


@misconception(
    "log_evidence", caught_by="test_the_evidence_is_a_ratio_of_two_betas", hint="Change a and b. Does your number move?"
)
def takes_every_prior_for_uniform(n1, n0, a, b):
    """Before the data nothing is known, so the prior is flat."""
    return math.lgamma(n1 + 1) + math.lgamma(n0 + 1) - math.lgamma(n1 + n0 + 2)


@misconception(
    "log_evidence", caught_by="test_the_evidence_is_a_ratio_of_two_betas", hint="What is the value of Γ(4): 4! or 3!?"
)
def shifts_the_factorials(n1, n0, a, b):
    """Γ(n) is n!."""

    def log_b(x, y):
        return math.lgamma(x + 1) + math.lgamma(y + 1) - math.lgamma(x + y + 1)

    return log_b(n1 + a, n0 + b) - log_b(a, b)


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="More data are less probable than fewer. Which sign does your number have, and does it fall?",
)
def turns_the_ratio_upside_down(n1, n0, a, b):
    """Prior over posterior."""

    def log_b(x, y):
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    return log_b(a, b) - log_b(n1 + a, n0 + b)


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="To which base are the logarithms of this course?",
)
def uses_binary_logarithms(n1, n0, a, b):
    """A logarithm is a logarithm."""

    def log_b(x, y):
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    return (log_b(n1 + a, n0 + b) - log_b(a, b)) / math.log(2)


@misconception(
    "log_evidence",
    caught_by="test_a_million_flips_do_not_overflow",
    hint="What is the largest whole number whose factorial fits into a float?",
)
def takes_the_logarithm_last(n1, n0, a, b):
    """The logarithm can wait until the end."""
    if a <= 0 or b <= 0 or n1 < 0 or n0 < 0:
        raise ValueError("no")

    def beta(x, y):
        return math.gamma(x) * math.gamma(y) / math.gamma(x + y)

    return math.log(beta(n1 + a, n0 + b) / beta(a, b))


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_what_was_predicted_one_step_ahead",
    hint="What becomes of a = 0.5 in your code?",
    fair="Right for whole parameters, which are the usual ones.",
)
def rounds_the_parameters_to_whole_numbers(n1, n0, a, b):
    """Pseudo-counts are whole numbers."""
    if a <= 0 or b <= 0 or n1 < 0 or n0 < 0:
        raise ValueError("no")
    a, b = max(round(a), 1), max(round(b), 1)

    def log_b(x, y):
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    return log_b(n1 + a, n0 + b) - log_b(a, b)


@misconception(
    "log_evidence",
    caught_by="test_a_million_flips_do_not_overflow",
    hint="A product of thousands of probabilities: what does your computer make of it?",
)
def multiplies_the_predictions(n1, n0, a, b):
    """The probability of a sequence is a product; its logarithm is taken in the end."""
    evidence = np.prod((a + np.arange(n1)) / (a + b + np.arange(n1)))
    evidence *= np.prod((b + np.arange(n0)) / (a + b + n1 + np.arange(n0)))
    return float(np.log(evidence))


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="A prior with a large a: does it expect heads or tails?",
)
def gives_the_tails_to_a(n1, n0, a, b):
    """The first parameter belongs to the zeros."""

    def log_b(x, y):
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    return log_b(n0 + a, n1 + b) - log_b(a, b)


@misconception(
    "log_evidence",
    caught_by="test_the_evidence_is_a_ratio_of_two_betas",
    hint="What did you learn from the first flip, before you predicted the second?",
)
def forgets_to_learn_between_flips(n1, n0, a, b):
    """Every flip adds to its own side only: heads are predicted from heads."""
    total = sum(math.log((a + i) / (a + b + i)) for i in range(int(n1)))
    return total + sum(math.log((b + i) / (a + b + i)) for i in range(int(n0)))


# --- log_evidence: right ----------------------------------------------------------------------------------------------


@right("log_evidence")
def predicts_one_flip_after_the_other(n1, n0, a, b):
    """The product of one-step-ahead predictions, as a sum of logarithms: first all heads, then all tails."""
    if a <= 0 or b <= 0 or n1 < 0 or n0 < 0:
        raise ValueError("no")
    heads, tails = np.arange(int(n1)), np.arange(int(n0))
    return np.log((a + heads) / (a + b + heads)).sum() + np.log((b + tails) / (a + b + n1 + tails)).sum()


@right("log_evidence")
def collects_six_gammas(n1, n0, a, b):
    """Six log-gammas with their signs."""
    if min(a, b) <= 0 or min(n1, n0) < 0:
        raise ValueError((n1, n0, a, b))
    terms = [(1, n1 + a), (1, n0 + b), (-1, n1 + n0 + a + b), (1, a + b), (-1, a), (-1, b)]
    return math.fsum(sign * math.lgamma(value) for sign, value in terms)


@right("log_evidence")
def uses_numpy_on_arrays_of_one(n1, n0, a, b):
    """np.vectorize over lgamma; the answer is an array without dimensions."""
    counts, prior = np.array([n1, n0], dtype=float), np.array([a, b], dtype=float)
    if np.any(prior <= 0) or np.any(counts < 0):
        raise ValueError("not allowed")
    log_gamma = np.vectorize(math.lgamma)
    after, before = counts + prior, prior
    return np.array(np.diff([log_gamma(p).sum() - log_gamma(p.sum()) for p in (before, after)])[0])


@right("log_evidence")
def lets_lgamma_complain(n1, n0, a, b):
    """Three logarithms of Gamma twice, and no refusals but those of math.lgamma."""

    def log_b(x, y):
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    return log_b(n1 + a, n0 + b) - log_b(a, b)


@right("log_evidence")
def answers_in_single_precision(n1, n0, a, b):
    """A float32 in the end."""
    after = math.lgamma(n1 + a) + math.lgamma(n0 + b) - math.lgamma(n1 + n0 + a + b)
    return np.float32(after - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b))


@right("log_evidence")
def goes_through_the_flips(n1, n0, a, b):
    """A loop over the flips, heads and tails in turn as long as there are both."""
    total, left = 0.0, [int(n1), int(n0)]
    seen = [a, b]
    while left[0] or left[1]:
        for side in (0, 1):
            if left[side]:
                total += math.log(seen[side] / (seen[0] + seen[1]))
                seen[side], left[side] = seen[side] + 1, left[side] - 1
    return total


# --- mutants that live ------------------------------------------------------------------------------------------------

ERRORS = "The notebook says that the errors are not graded."
SHAPES = "The notebook says that priors with a parameter below 1 are not graded, nor a flat posterior."
SURVIVORS = [
    ungraded("fit_bernoulli_nb_smoothed", "if k < 0 or k_prior < 0: raise ValueError → nothing", because=ERRORS),
    ungraded("fit_bernoulli_nb_smoothed", "k < 0 or k_prior < 0 → k < 0 and k_prior < 0", because=ERRORS),
    ungraded(
        "fit_bernoulli_nb_smoothed", "if k == 0 and np.any(rows == 0): raise ValueError → nothing", because=ERRORS
    ),
    ungraded("fit_bernoulli_nb_smoothed", "0 → -1", because=ERRORS),
    ungraded("fit_bernoulli_nb_smoothed", "0 → -1 (2)", because=ERRORS),
    ungraded("fit_bernoulli_nb_smoothed", "0 → -1 (3)", because=ERRORS),
    ungraded("fit_bernoulli_nb_smoothed", "0 → -1 (4)", because=ERRORS),
    ungraded("beta_estimates", "if a <= 0 or b <= 0 or n1 < 0 or (n0 < 0): raise ValueError → nothing", because=ERRORS),
    ungraded(
        "beta_estimates",
        "a <= 0 or b <= 0 or n1 < 0 or (n0 < 0) → a <= 0 and b <= 0 and (n1 < 0) and (n0 < 0)",
        because=ERRORS,
    ),
    ungraded("beta_estimates", "0 → -1", because=ERRORS),
    ungraded("beta_estimates", "0 → -1 (2)", because=ERRORS),
    ungraded("beta_estimates", "0 → -1 (3)", because=ERRORS),
    ungraded("beta_estimates", "0 → -1 (4)", because=ERRORS),
    ungraded("beta_estimates", "a <= 0 → a < 0", because=ERRORS),
    ungraded("beta_estimates", "b <= 0 → b < 0", because=ERRORS),
    ungraded(
        "beta_estimates",
        "a_post < 1 and b_post < 1 or (a_post == 1 and b_post == 1) → "
        "(a_post < 1 and b_post < 1) and (a_post == 1 and b_post =...",
        because=SHAPES,
    ),
    ungraded("beta_estimates", "a_post < 1 and b_post < 1 → a_post < 1 or b_post < 1", because=SHAPES),
    ungraded("beta_estimates", "a_post < 1 or b_post < 1 → a_post < 1 and b_post < 1", because=SHAPES),
    ungraded("beta_estimates", "a_post < 1 → a_post <= 1", because=SHAPES),
    ungraded("beta_estimates", "a_post < 1 → a_post <= 1 (3)", because=SHAPES),
    ungraded("beta_estimates", "a_post < 1 → a_post > 1", because=SHAPES),
    ungraded("beta_estimates", "a_post < 1 → a_post > 1 (3)", because=SHAPES),
    ungraded("beta_estimates", "b_post < 1 → b_post <= 1", because=SHAPES),
    ungraded("beta_estimates", "b_post < 1 → b_post > 1", because=SHAPES),
    ungraded("beta_estimates", "1 → 0", because=SHAPES),
    ungraded("beta_estimates", "1 → 0 (2)", because=SHAPES),
    ungraded("beta_estimates", "1 → 0 (3)", because=SHAPES),
    ungraded("beta_estimates", "1 → 0 (4)", because=SHAPES),
    ungraded("beta_estimates", "1 → 0 (5)", because=SHAPES),
    ungraded("beta_estimates", "1 → 0 (6)", because=SHAPES),
    ungraded("beta_estimates", "1 → 0 (7)", because=SHAPES),
    ungraded("beta_estimates", "1 → 2", because=SHAPES),
    ungraded("beta_estimates", "1 → 2 (2)", because=SHAPES),
    ungraded("beta_estimates", "1 → 2 (7)", because=SHAPES),
    ungraded("beta_estimates", "0.0 → 1.0", because=SHAPES),
    ungraded("beta_estimates", "1.0 → 2.0", because=SHAPES),
    ungraded("fit_categorical_nb", "if np.any(pseudo < 0): raise ValueError → nothing", because=ERRORS),
    ungraded(
        "fit_categorical_nb", "if pseudo.sum() == 0 and np.any(rows == 0): raise ValueError → nothing", because=ERRORS
    ),
    ungraded("fit_categorical_nb", "0 → -1", because=ERRORS),
    ungraded("fit_categorical_nb", "0 → -1 (2)", because=ERRORS),
    ungraded("fit_categorical_nb", "0 → -1 (3)", because=ERRORS),
    ungraded("log_evidence", "if a <= 0 or b <= 0 or n1 < 0 or (n0 < 0): raise ValueError → nothing", because=ERRORS),
    ungraded(
        "log_evidence",
        "a <= 0 or b <= 0 or n1 < 0 or (n0 < 0) → a <= 0 and b <= 0 and (n1 < 0) and (n0 < 0)",
        because=ERRORS,
    ),
    ungraded("log_evidence", "0 → -1", because=ERRORS),
    ungraded("log_evidence", "0 → -1 (2)", because=ERRORS),
    ungraded("log_evidence", "0 → -1 (3)", because=ERRORS),
    ungraded("log_evidence", "0 → -1 (4)", because=ERRORS),
    equivalent(
        "beta_estimates",
        "b_post < 1 → b_post <= 1 (2)",
        because="With b_post = 1 and a_post > 1 the formula gives 1 as well.",
    ),
    equivalent("log_evidence", "a <= 0 → a < 0", because="math.lgamma(0) is a ValueError, too."),
    equivalent("log_evidence", "b <= 0 → b < 0", because="math.lgamma(0) is a ValueError, too."),
    equivalent("log_evidence", "log_b(a, b) → log_b(b, a)", because="The Beta function is symmetric."),
    equivalent(
        "log_evidence", "log_b(n1 + a, n0 + b) → log_b(n0 + b, n1 + a)", because="The Beta function is symmetric."
    ),
]
