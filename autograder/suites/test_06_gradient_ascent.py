"""Hidden suite for 06_gradient_ascent. A failing check shows the student its docstring, no more."""

import math

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import Code, assert_matches, assert_type, exercise, leaves_alone, numbers, parts

# Weights after a step are sums of numbers near 1: in single precision they are right to six digits of these.
SLOPES = {"rtol": 1e-5, "atol": 1e-5}


# --- oracles: the formulas example by example, in plain Python, and a search for the top that knows the curvature -----


def probability(w, x):
    """P(y = 1 | x) under the weights w."""
    score = math.fsum(a * b for a, b in zip(w, x))
    return 1 / (1 + math.exp(-score)) if score > -700 else math.exp(score)


def slopes(w, X, y):
    """The gradient of the log-likelihood, as a sum over the examples."""
    errors = [label - probability(w, row) for row, label in zip(X, y)]
    return np.array([math.fsum(e * row[j] for e, row in zip(errors, X)) for j in range(len(w))])


def height(w, X, y):
    """The log-likelihood, as a sum over the examples."""
    signed = [(1 if label else -1) * math.fsum(a * b for a, b in zip(w, row)) for row, label in zip(X, y)]
    return math.fsum(min(s, 0.0) - math.log1p(math.exp(-abs(s))) for s in signed)


def walk(X, y, eta, n_steps, start):
    """The weights and heights of gradient ascent."""
    w, heights = np.array(start, dtype=float), [height(start, X, y)]
    for _ in range(n_steps):
        w = w + eta * slopes(w, X, y)
        heights.append(height(w, X, y))
    return w, np.array(heights)


def one_by_one(w, X, y, eta, order):
    """The weights after a step for each example in turn."""
    w = list(map(float, w))
    for i in order:
        error = y[i] - probability(w, X[i])
        w = [a + eta * error * b for a, b in zip(w, X[i])]
    return np.array(w)


def largest_eigenvalue(X):
    """The largest eigenvalue of X'X, by singular values."""
    return np.linalg.svd(np.asarray(X, dtype=float), compute_uv=False)[0] ** 2


def top(X, y, lam=0.0):
    """The place where the penalised log-likelihood is highest; the intercept has no penalty."""
    penalty = lam * np.diag([0.0, *[1.0] * (X.shape[1] - 1)])
    w = np.zeros(X.shape[1])
    for _ in range(60):
        p = np.array([probability(w, row) for row in X])
        bend = np.einsum("i,ij,ik->jk", p * (1 - p), X, X) + penalty
        move = np.linalg.solve(bend, slopes(w, X, y) - penalty @ w)
        w = w + move / max(1.0, np.linalg.norm(move))
        if np.abs(move).max() < 1e-10:
            return w
    raise RuntimeError("the search for the top did not end")


# --- data -------------------------------------------------------------------------------------------------------------


def problem(draw, n=None, d=None):
    """Examples with ones in front, unbalanced labels, and weights whose intercept leans to the rarer label.

    So the slope along the intercept is never near 0.
    """
    d = d or draw.whole(2, 4)
    n = n or 2 * d + draw.whole(3, 5)
    X, y = np.column_stack([np.ones(n), draw.numbers((n, d), -1.5, 1.8)]), draw.labels(n)
    w = draw.coefficients(d + 1, 1.2)
    w[0] = draw.number(0.3, 0.9) * (-1 if y.mean() > 0.5 else 1)
    return X, y, w


def overlapping(draw):
    """Every example three times, and not always with the same label: the hill has a top, and it is not far away."""
    corners = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [0.5, -0.4]])[draw.order(5)]
    places = np.column_stack([np.ones(5), corners * draw.numbers((5, 2), 0.6, 1.5)])
    labels = [label for bit in draw.bits(len(places)) for label in (1, int(bit), 0)]
    return np.repeat(places, 3, axis=0), np.array(labels)


# --- batch_step -------------------------------------------------------------------------------------------------------


@exercise("batch_step", gate=True)
def test_every_weight_moves_by_the_summed_errors_times_its_feature(student, draw):
    """Each weight moves by eta times the sum of error times feature, and all errors are those of the old weights."""
    X, y, w = problem(draw)
    eta = draw.number(0.2, 0.6)
    assert_matches(student.batch_step(w, X, y, eta), w + eta * slopes(w, X, y), **SLOPES)


@exercise("batch_step")
def test_doubled_data_double_the_step(student, draw):
    """If every example occurs twice, the step is twice as long: sums grow with the data, means do not."""
    X, y, w = problem(draw)
    eta = draw.number(0.1, 0.3)
    twice = student.batch_step(w, np.vstack([X, X]), np.append(y, y), eta)
    assert_matches(twice, w + 2 * eta * slopes(w, X, y), **SLOPES)


@exercise("batch_step")
def test_the_order_of_the_examples_does_not_matter_to_a_batch(student, draw):
    """A batch is a set: shuffling its examples changes nothing."""
    X, y, w = problem(draw)
    eta, order = draw.number(0.2, 0.6), draw.order(len(y))
    assert_matches(student.batch_step(w, X[order], y[order], eta), w + eta * slopes(w, X, y), **SLOPES)


@exercise("batch_step")
def test_at_the_top_a_step_leads_nowhere(student, draw):
    """At the top of the hill all slopes are zero, so even a long step stays there."""
    X, y = overlapping(draw)
    best = top(X, y)
    assert_matches(student.batch_step(best, X, y, 1.0), best, **SLOPES)


@exercise("batch_step", Kind.SIZES)
def test_steps_agree_with_an_example_by_example_sum(student, draw):
    """However many examples and features there are: the step is a sum over examples, one term each."""
    for n, d in ((5, 1), (30, 2), (4, 6)):
        X, y, w = problem(draw, n, d)
        eta = draw.number(0.05, 1.0)
        assert_matches(student.batch_step(w, X, y, eta), w + eta * slopes(w, X, y), **SLOPES)


@exercise("batch_step", Kind.EDGE)
def test_a_learning_rate_of_zero_moves_nothing(student, draw):
    """With a learning rate of zero nobody moves."""
    X, y, w = problem(draw)
    assert_matches(student.batch_step(w, X, y, 0.0), w)


@exercise("batch_step", Kind.STABILITY)
def test_huge_scores_give_a_finite_step(student, draw):
    """Scores in the hundreds or beyond leave no doubt about a label, and no nan in the weights."""
    a, b, c = draw.numbers(3, 800, 1200)
    X, eta = np.array([[1.0, a], [1.0, -b], [1.0, c]]), draw.number(0.3, 0.7)
    moved = numbers(student.batch_step(np.array([0.0, 1.0]), X, np.array([0, 1, 1]), eta))
    assert_matches(moved, [0.0, 1.0 - eta * (a + b)])


@exercise("batch_step", Kind.SIDE_EFFECT)
def test_the_step_leaves_its_arguments_alone(student, draw):
    """The old weights, the examples and the labels belong to the caller, and are the same after the call."""
    X, y, w = problem(draw)
    leaves_alone(student.batch_step, w, X, y.astype(float), 0.3)


@exercise("batch_step", Kind.TYPE)
def test_lists_whole_numbers_and_truth_values_will_do(student, draw):
    """Lists are understood like arrays, whole weights do not stay whole, and labels may be truth values."""
    X, y, w = problem(draw)
    whole = draw.order(len(w)) - 1
    listed = student.batch_step(whole.tolist(), X.tolist(), y.tolist(), 0.3)
    assert_matches(listed, whole + 0.3 * slopes(whole, X, y), **SLOPES)
    assert_matches(student.batch_step(w, X, y == 1, 0.3), w + 0.3 * slopes(w, X, y), **SLOPES)
    assert_matches(student.batch_step(w, X, (y == 1).tolist(), 0.3), w + 0.3 * slopes(w, X, y), **SLOPES)


# --- gradient_ascent --------------------------------------------------------------------------------------------------


def climb(student, *args, **kwargs):
    """The student's weights and diary, after making sure that there are these two."""
    return parts(student.gradient_ascent(*args, **kwargs), 2)


def assert_walks(found, expected, **tolerance):
    """Fail unless weights and diary are the expected ones."""
    for got, want in zip(found, expected, strict=True):
        assert_matches(got, want, **(tolerance or SLOPES))


@exercise("gradient_ascent", gate=True)
def test_every_step_starts_where_the_last_one_ended(student, draw):
    """From a given start, each step uses the slopes of the place reached so far; the diary tells every height."""
    X, y, w = problem(draw)
    eta, steps = draw.number(0.1, 0.25), draw.whole(3, 5)
    assert_walks(climb(student, X, y, eta, steps, w), walk(X, y, eta, steps, w))


@exercise("gradient_ascent")
def test_without_a_start_the_walk_begins_at_zero(student, draw):
    """If no start is given all weights are zero, where every example has the probability one half."""
    X, y, w = problem(draw)
    expected = walk(X, y, 0.2, 3, np.zeros(len(w)))
    assert_walks(climb(student, X, y, 0.2, 3), expected)
    assert_walks(climb(student, X, y, 0.2, 3, w0=None), expected)


@exercise("gradient_ascent")
def test_two_legs_make_one_walk(student, draw):
    """Ten steps, a rest, and ten more from there end where twenty end, by the same heights."""
    X, y, w = problem(draw)
    middle, first = climb(student, X, y, 0.1, 10, w)
    end, second = climb(student, X, y, 0.1, 10, w0=numbers(middle))
    assert_walks((end, np.append(numbers(first), numbers(second)[1:])), walk(X, y, 0.1, 20, w))
    assert_walks(climb(student, X, y, 0.1, 20, w), walk(X, y, 0.1, 20, w))


@exercise("gradient_ascent")
def test_small_steps_never_lead_down(student, draw):
    """With a step below the curvature bound the diary never falls, whatever the data."""
    for n, d in ((6, 1), (12, 3), (25, 4)):
        X, y, w = problem(draw, n, d)
        history = numbers(climb(student, X, y, 4 / largest_eigenvalue(X), 30, w0=w)[1])
        assert (np.diff(history) >= -1e-5).all(), "the diary falls"
        assert history[-1] > history[0], "the walk gains nothing"


@exercise("gradient_ascent")
def test_steps_that_are_too_long_are_reported_as_they_are(student, draw):
    """If a long step leads down, it is taken all the same, and the diary says so: no clipping, no turning back."""
    X, y = overlapping(draw)
    # Of the three labels at a place one is always wrong, and costs more than the score: so the first step leads down.
    eta = draw.number(3.0, 5.0) * len(X) / np.abs(X @ slopes(np.zeros(3), X, y)).sum()
    expected = walk(X, y, eta, 2, np.zeros(3))
    assert expected[1][1] < expected[1][0]
    assert_walks(climb(student, X, y, eta, 2, np.zeros(3)), expected, rtol=1e-4, atol=1e-4)


@exercise("gradient_ascent")
def test_all_steps_are_taken_even_if_little_is_left_to_gain(student, draw):
    """The number of steps is a promise: also close to the top, the walk goes on and the diary has all its entries."""
    X, y = overlapping(draw)
    near = top(X, y) + 2e-3 * draw.coefficients(3, 1.0)
    assert_walks(
        climb(student, X, y, 4 / largest_eigenvalue(X), 30, near), walk(X, y, 4 / largest_eigenvalue(X), 30, near)
    )


@exercise("gradient_ascent")
def test_many_steps_reach_the_top(student, draw):
    """With patience the walk ends at the top, whichever way the top is found."""
    X, y = overlapping(draw)
    w, history = climb(student, X, y, 4 / largest_eigenvalue(X), 300)
    best = top(X, y)
    assert_matches(w, best, rtol=1e-3, atol=1e-3)
    assert_matches(numbers(history)[-1], height(best, X, y), rtol=1e-5)


@exercise("gradient_ascent", Kind.SIZES)
def test_walks_agree_with_an_example_by_example_sum(student, draw):
    """On tables of other sizes and for more steps, weights and diary agree with a slow computation."""
    for n, d in ((12, 1), (5, 6), (20, 5)):
        X, y, w = problem(draw, n, d)
        assert_walks(climb(student, X, y, 0.05, 12, w0=w), walk(X, y, 0.05, 12, w))


@exercise("gradient_ascent", Kind.EDGE)
def test_no_steps_are_a_walk_too(student, draw):
    """With no steps the start is the end, and the diary has one entry."""
    X, y, w = problem(draw)
    assert_walks(climb(student, X, y, 0.25, 0, w), (w, [height(w, X, y)]))
    assert_walks(climb(student, X, y, 0.25, 0), (np.zeros(len(w)), [-len(y) * math.log(2)]))


@exercise("gradient_ascent", Kind.SPEED)
def test_eighty_thousand_examples_are_no_problem(student, draw):
    """A hundred steps over eighty thousand examples end in time: one matrix product asks all examples at once."""
    few, labels, _ = problem(draw, 8, 20)
    X, y = Code(f"np.tile({few.tolist()}, (10_000, 1))"), Code(f"np.tile({labels.tolist()}, 10_000)")
    eta = draw.number(2e-6, 3e-6)
    w, history = climb(student, X, y, eta, 100)
    expected_w, expected_history = walk(few, labels, 10_000 * eta, 100, np.zeros(21))
    assert_walks((w, history), (expected_w, 10_000 * expected_history), rtol=1e-4, atol=1e-4)


@exercise("gradient_ascent", Kind.SIDE_EFFECT)
def test_the_walk_leaves_its_arguments_alone(student, draw):
    """The start that the caller hands over is still there after the walk; so are the data."""
    X, y, w = problem(draw)
    leaves_alone(student.gradient_ascent, X, y.astype(float), 0.2, 3, w)
    leaves_alone(student.gradient_ascent, X, y.astype(float), 0.2, 3, w0=w)


@exercise("gradient_ascent", Kind.TYPE)
def test_a_walk_may_start_from_lists_and_whole_numbers(student, draw):
    """Lists are understood like arrays, and a start in whole numbers does not keep the weights whole."""
    X, y, w = problem(draw)
    start = draw.order(len(w)) - 1
    assert_walks(climb(student, X.tolist(), y.tolist(), 0.1, 3, start.tolist()), walk(X, y, 0.1, 3, start))
    assert_walks(climb(student, X.tolist(), y.tolist(), 0.1, 3), walk(X, y, 0.1, 3, np.zeros(len(w))))


# --- sgd_epoch --------------------------------------------------------------------------------------------------------


@exercise("sgd_epoch", gate=True)
def test_every_example_meets_what_the_one_before_it_left(student, draw):
    """One step for each example in turn, and each of them is judged by the weights of that moment."""
    X, y, w = problem(draw)
    eta, order = draw.number(0.3, 0.6), draw.order(len(y))
    assert_matches(student.sgd_epoch(w, X, y, eta, order), one_by_one(w, X, y, eta, order), **SLOPES)


@exercise("sgd_epoch")
def test_another_order_leads_somewhere_else(student, draw):
    """Forwards and backwards are two different walks, and each is followed as it is given."""
    X, y, w = problem(draw)
    eta, forwards = draw.number(0.3, 0.6), np.arange(len(y))
    for order in (forwards, forwards[::-1].copy()):
        assert_matches(student.sgd_epoch(w, X, y, eta, order), one_by_one(w, X, y, eta, order), **SLOPES)


@exercise("sgd_epoch")
def test_one_example_alone_is_a_batch_of_one(student, draw):
    """With a single row in the order the step is the batch step of that row."""
    X, y, w = problem(draw)
    eta, row = draw.number(0.3, 0.6), draw.whole(1, len(y) - 1)
    expected = w + eta * slopes(w, X[row : row + 1], y[row : row + 1])
    assert_matches(student.sgd_epoch(w, X, y, eta, np.array([row])), expected, **SLOPES)


@exercise("sgd_epoch")
def test_a_tiny_learning_rate_makes_an_epoch_a_batch_step(student, draw):
    """If the steps are tiny, the weights hardly change during an epoch, which then moves them like one batch step."""
    X, y, w = problem(draw)
    eta = 1e-4
    moved = numbers(student.sgd_epoch(w, X, y, eta, np.arange(len(y)))) - w
    assert_matches(moved / eta, slopes(w, X, y), rtol=0.02, atol=0.03)


@exercise("sgd_epoch", Kind.SIZES)
def test_two_half_epochs_make_a_whole_one(student, draw):
    """An epoch may be interrupted: the second half, begun where the first one ended, leads to the same place."""
    X, y, w = problem(draw)
    eta, order = draw.number(0.3, 0.6), draw.order(len(y))
    halfway = numbers(student.sgd_epoch(w, X, y, eta, order[:3]))
    assert_matches(student.sgd_epoch(halfway, X, y, eta, order[3:]), one_by_one(w, X, y, eta, order), **SLOPES)


@exercise("sgd_epoch", Kind.SIZES)
def test_epochs_agree_with_a_slow_computation(student, draw):
    """With other numbers of examples and of features the weights agree with plain arithmetic."""
    for n, d in ((5, 1), (4, 6), (25, 2)):
        X, y, w = problem(draw, n, d)
        eta, order = draw.number(0.1, 0.6), draw.order(n)
        assert_matches(student.sgd_epoch(w, X, y, eta, order), one_by_one(w, X, y, eta, order), **SLOPES)


@exercise("sgd_epoch", Kind.SIZES)
def test_only_the_rows_in_the_order_have_a_say(student, draw):
    """Rows that the order leaves out are not looked at, and a row that it names twice counts twice."""
    X, y, w = problem(draw)
    eta, order = draw.number(0.3, 0.6), draw.order(len(y))
    a, b, c = order[:3]
    wild = X.copy()
    wild[order[3:]] = 1e6
    for rows in ([a, b, c], [b, a, b], [c, c, a, c]):
        expected = one_by_one(w, X, y, eta, rows)
        assert_matches(student.sgd_epoch(w, wild, y, eta, np.array(rows)), expected, **SLOPES)


@exercise("sgd_epoch", Kind.SIZES)
def test_an_order_may_be_longer_than_the_table(student, draw):
    """With repetitions the order may have more entries than there are examples: it is followed to its end."""
    X, y, w = problem(draw, 5, 2)
    order = np.concatenate([draw.order(5), draw.order(5), draw.order(5)[:2]])
    assert_matches(student.sgd_epoch(w, X, y, 0.4, order), one_by_one(w, X, y, 0.4, order), **SLOPES)


@exercise("sgd_epoch", Kind.EDGE)
def test_nothing_to_do_leaves_the_weights_as_they_are(student, draw):
    """An empty order is no reason to move."""
    X, y, w = problem(draw)
    assert_matches(student.sgd_epoch(w, X, y, 0.4, np.array([], dtype=int)), w)


@exercise("sgd_epoch", Kind.STABILITY)
def test_an_epoch_survives_huge_scores(student, draw):
    """Scores in the hundreds or beyond leave no doubt about a label, and no nan in the weights."""
    a, b, c = draw.numbers(3, 800, 1200)
    X, y, w = np.array([[1.0, a], [1.0, -b], [1.0, c]]), np.array([1, 0, 0]), np.array([0.0, 1.0])
    # The first two rows are right and change nothing; the last one is wrong for sure, and moves by its whole length.
    assert_matches(student.sgd_epoch(w, X, y, 0.5, np.array([1, 0, 2])), [-0.5, 1 - 0.5 * c])


@exercise("sgd_epoch", Kind.SIDE_EFFECT)
def test_the_epoch_leaves_its_arguments_alone(student, draw):
    """The weights of the caller are not moved along, and examples, labels and order stay as they were."""
    X, y, w = problem(draw)
    leaves_alone(student.sgd_epoch, w, X, y.astype(float), 0.4, draw.order(len(y)))


@exercise("sgd_epoch", Kind.TYPE)
def test_an_epoch_works_on_lists_and_whole_numbers(student, draw):
    """Lists are understood like arrays, and weights given as whole numbers do not stay whole."""
    X, y, w = problem(draw)
    start, order = draw.order(len(w)) - 1, draw.order(len(y))
    found = student.sgd_epoch(start.tolist(), X.tolist(), y.tolist(), 0.4, order.tolist())
    assert_matches(found, one_by_one(start, X, y, 0.4, order), **SLOPES)


# --- standardize ------------------------------------------------------------------------------------------------------


def scaled(student, train, other):
    """The student's two tables, after making sure that there are two."""
    return parts(student.standardize(train, other), 2)


def on_the_scale_of(train, table):
    """A table on the scale of the training table, number by number."""
    columns = []
    for seen, column in zip(np.transpose(train), np.transpose(table)):
        mean = math.fsum(seen) / len(seen)
        spread = math.sqrt(math.fsum((v - mean) ** 2 for v in seen) / len(seen))
        columns.append([(v - mean) / spread for v in column])
    return np.transpose(columns)


def tables(draw, n=None, m=None, d=3):
    """A table to learn the scale from and another one that lies elsewhere; no two columns have the same scale."""
    n, m = n or draw.whole(5, 7), m or 2 * draw.whole(1, 2)  # neither is three, as the columns are
    widths, middles = draw.numbers(d, 0.6, 1.8), draw.coefficients(d, 3.0) if d > 1 else np.array([2.0])
    # Each column of the training table has numbers of all sizes, so that none of them is nearly constant.
    train = np.column_stack([draw.numbers(n, -2.0, 3.0) for _ in range(d)])
    return train * widths + middles, draw.numbers((m, d), -4.0, 9.0) * widths + middles + 1


def assert_scaled(found, train, other):
    """Fail unless both tables are on the scale of the training table."""
    for got, table in zip(found, (train, other), strict=True):
        assert_matches(got, on_the_scale_of(train, table), **SLOPES)


@exercise("standardize", gate=True)
def test_both_tables_get_the_scale_of_the_training_table(student, draw):
    """Mean and standard deviation are learnt from the training table, and are used for both tables."""
    train, other = tables(draw)
    assert_scaled(scaled(student, train, other), train, other)


@exercise("standardize")
def test_training_columns_end_with_mean_zero_and_spread_one(student, draw):
    """Afterwards every training column has the mean 0 and the standard deviation 1, counted with n."""
    table, other = tables(draw, n=12)
    train = numbers(scaled(student, table, other)[0])
    assert train.shape == table.shape, "another shape"
    assert_matches(train.mean(axis=0), np.zeros(3), **SLOPES)
    assert_matches((train**2).mean(axis=0), np.ones(3), **SLOPES)


@exercise("standardize")
def test_the_other_table_has_no_influence(student, draw):
    """Whatever is in the other table, the training table comes out the same, and so does each of the other rows."""
    train, other = tables(draw, m=4)
    wild = np.vstack([other, 1e6 * draw.coefficients(3)])
    got_train, got_other = scaled(student, train, wild)
    assert_matches(numbers(got_other).shape, wild.shape)
    assert_scaled((got_train, numbers(got_other)[:-1]), train, other)


@exercise("standardize")
def test_units_do_not_matter_any_more(student, draw):
    """Grams or kilograms, Celsius or Fahrenheit: after standardising one cannot tell."""
    train, other = tables(draw)
    order = draw.order(3)
    units, zeros = np.array([1000.0, 0.05, 1.8])[order], np.array([0.0, 0.5, 32.0])[order]
    found = scaled(student, train * units + zeros, other * units + zeros)
    assert_matches(found[0], on_the_scale_of(train, train), **SLOPES)
    assert_matches(found[1], on_the_scale_of(train, other), **SLOPES)


@exercise("standardize", Kind.SIZES)
def test_tables_of_other_sizes_are_scaled(student, draw):
    """A single column, more columns than rows, or two rows: every column has its own mean and its own spread."""
    for n, m, d in ((4, 3, 1), (3, 2, 5), (2, 4, 3), (9, 9, 2)):
        train, other = tables(draw, n, m, d)
        assert_scaled(scaled(student, train, other), train, other)


@exercise("standardize", Kind.EDGE)
def test_one_row_or_none_can_be_brought_to_scale(student, draw):
    """A single new example is scaled like any other; a table without rows stays without rows."""
    train, other = tables(draw)
    assert_scaled(scaled(student, train, other[1:2]), train, other[1:2])
    assert_matches(scaled(student, train, np.empty((0, 3)))[1], np.empty((0, 3)))


@exercise("standardize", Kind.EDGE)
def test_a_column_that_never_changes_becomes_zero_in_both(student, draw):
    """A column without any spread in the training says nothing: it is 0 in both tables, and spoils no other column."""
    train, other = tables(draw)
    expected_train, expected_other = on_the_scale_of(train, train), on_the_scale_of(train, other)
    still = draw.whole(0, 2)
    train[:, still] = other[:, still] = draw.whole(3, 400)  # whole: its mean is exact, rounding is not graded
    expected_train[:, still] = expected_other[:, still] = 0
    got_train, got_other = scaled(student, train, other)
    assert_matches(got_train, expected_train, **SLOPES)
    assert_matches(got_other, expected_other, **SLOPES)


@exercise("standardize", Kind.EDGE)
def test_a_constant_column_is_zero_even_where_it_varies_later(student, draw):
    """If a column is constant in the training and not later, it is 0 in both tables; one training row has only such."""
    train, other = tables(draw, m=2)
    still = draw.whole(3, 400)
    more = np.column_stack([other, still + draw.coefficients(len(other), 3.0)])
    got_train, got_other = scaled(student, np.column_stack([train, np.full(len(train), float(still))]), more)
    assert_matches(got_train, np.column_stack([on_the_scale_of(train, train), np.zeros(len(train))]), **SLOPES)
    assert_matches(got_other, np.column_stack([on_the_scale_of(train, other), np.zeros(len(other))]), **SLOPES)
    got_train, got_other = scaled(student, train[:1], other)
    assert_matches(got_train, np.zeros((1, 3)))
    assert_matches(got_other, np.zeros(other.shape))


@exercise("standardize", Kind.STABILITY)
def test_a_column_with_little_spread_is_not_constant(student, draw):
    """Little is not nothing: a column measured in large units varies as much as any other."""
    assert_scales_down_to(student, draw, 1e-6)


@exercise("standardize", Kind.STABILITY)
def test_a_column_with_hardly_any_spread_is_not_constant(student, draw):
    """However small its numbers are, a column that varies is not constant."""
    assert_scales_down_to(student, draw, 1e-12)


def assert_scales_down_to(student, draw, size):
    """Fail unless a column of numbers of this size is scaled like any other."""
    train, other = tables(draw)
    units = np.ones(3)
    units[draw.whole(0, 2)] = draw.number(0.5, 1.5) * size
    got_train, got_other = scaled(student, train * units, other * units)
    assert_matches(got_train, on_the_scale_of(train, train), **SLOPES)
    assert_matches(got_other, on_the_scale_of(train, other), **SLOPES)


@exercise("standardize", Kind.STABILITY)
def test_columns_far_from_zero_keep_their_digits(student, draw):
    """Numbers that are huge compared to their spread are scaled as exactly as small ones."""
    train, other = tables(draw)
    far = np.round(np.array([1e9, 0.0, -1e9])[draw.order(3)] * draw.number(0.3, 1.0))
    found = scaled(student, train + far, other + far)
    assert_matches(found[0], on_the_scale_of(train, train), rtol=1e-5, atol=1e-6)
    assert_matches(found[1], on_the_scale_of(train, other), rtol=1e-5, atol=1e-6)


@exercise("standardize", Kind.SIDE_EFFECT)
def test_neither_table_is_overwritten(student, draw):
    """The caller's tables hold after the call what they held before."""
    leaves_alone(student.standardize, *tables(draw))


@exercise("standardize", Kind.TYPE)
def test_tables_of_whole_numbers_and_lists_are_scaled_too(student, draw):
    """Whole numbers and lists of lists are understood, and do not force whole results."""
    train, other = draw.wholes((4, 2), 1, 40), draw.wholes((3, 2), 20, 90)
    assert_scaled(scaled(student, train, other), train, other)
    assert_scaled(scaled(student, train.tolist(), other.tolist()), train, other)


# --- stable_step_size -------------------------------------------------------------------------------------------------


def spread_out(draw, n=None, d=3):
    """Examples with ones in front and features of similar spread: no column has the largest eigenvalue to itself."""
    n = n or draw.whole(6, 9)
    return np.column_stack([np.ones(n), *(draw.numbers(n, -1.9, 2.6) for _ in range(d))])


@exercise("stable_step_size", gate=True)
def test_the_step_is_one_over_the_largest_curvature(student, draw):
    """The step is 1/L, where L is a quarter of the largest eigenvalue of X'X, and the penalty in addition."""
    X, lam = spread_out(draw), draw.number(1.5, 9.0)
    for place in (1, 2, 3):  # wherever the widest column stands
        wide = X.copy()
        wide[:, place] *= 1.5
        assert_matches(student.stable_step_size(wide), 4 / largest_eigenvalue(wide), rtol=1e-5)
        assert_matches(student.stable_step_size(wide, lam), 1 / (largest_eigenvalue(wide) / 4 + lam), rtol=1e-5)


@exercise("stable_step_size")
def test_a_penalty_adds_to_the_curvature(student, draw):
    """A penalty bends the hill by its whole strength, whatever the data do; a penalty of 0 not at all."""
    X = spread_out(draw)
    for lam in (0.0, draw.number(0.1, 0.9), draw.number(30.0, 60.0)):
        assert_matches(student.stable_step_size(X, lam=lam), 1 / (largest_eigenvalue(X) / 4 + lam), rtol=1e-5)


@exercise("stable_step_size")
def test_ascent_with_this_step_never_leads_down(student, draw):
    """On random data sets, ascent with this step climbs at every step."""
    for n, d in ((3, 1), (7, 2), (12, 4), (20, 3)):
        X, y, w = problem(draw, n, d)
        X[:, 1:] *= draw.number(0.2, 8.0)
        eta = float(numbers(student.stable_step_size(X)))
        assert_matches(eta, 4 / largest_eigenvalue(X), rtol=1e-5)
        assert (np.diff(walk(X, y, eta, 4, w)[1]) >= -1e-9).all(), "a step leads down"


@exercise("stable_step_size")
def test_larger_units_ask_for_smaller_steps(student, draw):
    """If all columns are multiplied by c, the step shrinks with the square of c."""
    X, c = spread_out(draw), draw.number(3.0, 9.0)
    once = 4 / largest_eigenvalue(X)
    assert_matches(student.stable_step_size(c * X), once / c**2, rtol=1e-5)
    assert_matches(student.stable_step_size(X / c), once * c**2, rtol=1e-5)


@exercise("stable_step_size")
def test_twice_the_data_halve_the_step(student, draw):
    """If every example occurs twice the hill is bent twice as much, so the step is half as long."""
    X = spread_out(draw)
    assert_matches(student.stable_step_size(np.vstack([X, X])), 2 / largest_eigenvalue(X), rtol=1e-5)


@exercise("stable_step_size", Kind.SIZES)
def test_few_rows_are_enough(student, draw):
    """One example, or fewer examples than weights, have a largest eigenvalue, too."""
    one, two = spread_out(draw, 1), spread_out(draw, 2, 4)
    assert_matches(student.stable_step_size(one), 4 / math.fsum(v * v for v in one[0]), rtol=1e-5)
    assert_matches(student.stable_step_size(two, lam=0.5), 1 / (largest_eigenvalue(two) / 4 + 0.5), rtol=1e-5)


@exercise("stable_step_size", Kind.SIZES)
def test_one_feature_or_many_have_a_step(student, draw):
    """With a single feature, or with ten, the largest eigenvalue is that of the whole matrix."""
    for n, d in ((5, 1), (14, 10)):
        X = spread_out(draw, n, d)
        assert_matches(student.stable_step_size(X), 4 / largest_eigenvalue(X), rtol=1e-5)


@exercise("stable_step_size", Kind.SPEED)
def test_many_rows_need_no_matrix_of_all_pairs(student, draw):
    """Two hundred thousand examples are no problem, for the matrix that matters is only as large as the weights."""
    X = spread_out(draw, 8)
    many = Code(f"np.tile({X.tolist()}, (25_000, 1))")
    assert_matches(student.stable_step_size(many), 4 / (25_000 * largest_eigenvalue(X)), rtol=1e-4)


@exercise("stable_step_size", Kind.SIDE_EFFECT)
def test_the_examples_are_left_as_they_were(student, draw):
    """The caller's table holds after the call what it held before."""
    leaves_alone(student.stable_step_size, spread_out(draw), 1.0)


@exercise("stable_step_size", Kind.TYPE)
def test_a_list_of_whole_numbers_has_a_step(student, draw):
    """A list of lists of whole numbers is as good as an array, and one number comes back."""
    X = np.column_stack([np.ones(4, dtype=int), draw.wholes((4, 2), -4, 9)])
    found = student.stable_step_size(X.tolist(), 2)
    assert_matches(found, 1 / (largest_eigenvalue(X) / 4 + 2), rtol=1e-5)
    assert_type(found, "f")


# --- penalized_gradient -----------------------------------------------------------------------------------------------


def price(w, lam):
    """What the penalty takes from the height."""
    return lam / 2 * math.fsum(float(a) ** 2 for a in w[1:])


def pull(w, lam):
    """What the penalty takes from the slopes."""
    return lam * np.array([0.0, *w[1:]])


def without_intercept(w):
    """The same weights with an intercept of 0, about which nobody can disagree."""
    return np.array([0.0, *w[1:]])


def assert_agrees(student, w, X, y, lam):
    """Fail unless both functions say what plain arithmetic says."""
    assert_matches(student.penalized_gradient(w, X, y, lam), slopes(w, X, y) - pull(w, lam), **SLOPES)
    assert_matches(student.penalized_log_likelihood(w, X, y, lam), height(w, X, y) - price(w, lam), **SLOPES)


@exercise("penalized_gradient", gate=True)
def test_the_penalty_pulls_every_weight_of_a_feature(student, draw):
    """Every weight of a feature is pulled back in proportion to its size, from the slope of the log-likelihood."""
    X, y, w = problem(draw)
    lam = draw.number(1.3, 4.0)
    found = numbers(student.penalized_gradient(w, X, y, lam))
    assert found.shape == w.shape, "another number of slopes"
    assert_matches(found[1:], (slopes(w, X, y) - pull(w, lam))[1:], **SLOPES)


@exercise("penalized_gradient")
def test_the_height_falls_by_half_the_squared_weights(student, draw):
    """The penalised height is the log-likelihood less half of lam times the squares of the weights."""
    X, y, w = problem(draw)
    w, lam = without_intercept(w), draw.number(1.3, 4.0)
    assert_matches(student.penalized_log_likelihood(w, X, y, lam), height(w, X, y) - price(w, lam), **SLOPES)


@exercise("penalized_gradient")
def test_penalised_slopes_and_heights_agree_with_a_slow_computation(student, draw):
    """On tables of other sizes and for other penalties, both functions agree with plain arithmetic."""
    for n, d in ((6, 1), (25, 3), (5, 6)):
        X, y, w = problem(draw, n, d)
        assert_agrees(student, without_intercept(w), X, y, draw.number(0.1, 8.0))


@exercise("penalized_gradient")
def test_no_penalty_is_the_plain_log_likelihood(student, draw):
    """With lam = 0 nothing is left of the penalty, in the slopes or in the height."""
    X, y, w = problem(draw)
    assert_agrees(student, w, X, y, 0.0)


@exercise("penalized_gradient")
def test_the_slopes_are_those_of_the_height(student, draw):
    """The two functions belong together: moving a little along any weight changes the height by the slope there."""
    X, y, w = problem(draw, 7, 2)
    w, lam, h = without_intercept(w), draw.number(1.3, 4.0), 3e-3
    ends = [[w + sign * h * axis for sign in (1, -1)] for axis in np.eye(3)]
    rise = [[float(numbers(student.penalized_log_likelihood(v, X, y, lam))) for v in pair] for pair in ends]
    measured = [(up - down) / (2 * h) for up, down in rise]
    assert_matches(student.penalized_gradient(w, X, y, lam), measured, rtol=2e-3, atol=2e-3)
    assert_matches(measured, slopes(w, X, y) - pull(w, lam), rtol=2e-3, atol=2e-3)


@exercise("penalized_gradient")
def test_following_the_slopes_reaches_a_finite_top_on_separable_data(student, draw):
    """Without a penalty separable data have no top. With one, your slopes lead there, and closer to 0
    if lam is larger.
    """
    x = draw.numbers(3, 0.4, 2.0)
    X = np.column_stack([np.ones(6), np.append(x, -x)])  # symmetric: the best intercept is 0
    y = np.array([1, 1, 1, 0, 0, 0])
    lengths = []
    for lam in (2.0, 8.0):
        w, step = np.zeros(2), 1 / (largest_eigenvalue(X) / 4 + lam)
        for _ in range(20):
            w = w + step * numbers(student.penalized_gradient(w, X, y, lam))
        assert_matches(w, top(X, y, lam), rtol=1e-3, atol=1e-3)
        lengths.append(abs(w[1]))
    assert lengths[0] > lengths[1]


@exercise("penalized_gradient")
def test_doubled_data_with_a_doubled_penalty_double_everything(student, draw):
    """The data enter as a sum: with every example twice and lam doubled, slopes and height are twice as large."""
    X, y, w = problem(draw)
    w, lam = without_intercept(w), draw.number(1.3, 4.0)
    data = np.vstack([X, X]), np.append(y, y)
    assert_matches(student.penalized_gradient(w, *data, 2 * lam), 2 * (slopes(w, X, y) - pull(w, lam)), **SLOPES)
    expected = 2 * (height(w, X, y) - price(w, lam))
    assert_matches(student.penalized_log_likelihood(w, *data, 2 * lam), expected, **SLOPES)


@exercise("penalized_gradient", stressed=True)
def test_the_penalty_leaves_the_slope_of_the_intercept_alone(student, draw):
    """The intercept has a slope like any other weight, and the penalty takes nothing from it."""
    X, y, w = problem(draw)
    found = numbers(student.penalized_gradient(w, X, y, draw.number(1.3, 4.0)))
    assert_matches(found[0], slopes(w, X, y)[0], **SLOPES)


@exercise("penalized_gradient", stressed=True)
def test_a_large_intercept_costs_nothing(student, draw):
    """However large the intercept is, the penalised height pays nothing for it."""
    X, y, w = problem(draw)
    larger, lam = np.array([draw.number(2.0, 4.0), *w[1:]]), draw.number(5.0, 20.0)
    found = [float(numbers(student.penalized_log_likelihood(v, X, y, lam))) for v in (larger, w)]
    assert_matches(found[0] - found[1], height(larger, X, y) - height(w, X, y), **SLOPES)


@exercise("penalized_gradient", stressed=True)
def test_the_slopes_vanish_at_the_penalised_top(student, draw):
    """At the penalised top all slopes are zero, and the predicted number of positives is the observed one."""
    X, y, w = problem(draw)
    for lam in (1.0, 30.0):
        best = top(X, y, lam)
        assert abs(math.fsum(probability(best, row) for row in X) - y.sum()) < 1e-6
        assert_matches(student.penalized_gradient(best, X, y, lam), np.zeros(len(w)), **SLOPES)


@exercise("penalized_gradient", Kind.STABILITY)
def test_huge_scores_stay_finite_under_a_penalty(student, draw):
    """Scores in the thousands give finite slopes and exact heights."""
    a, b, c = draw.numbers(3, 800, 1200)
    X, y, w = np.array([[1.0, a], [1.0, -b], [1.0, c]]), np.array([0, 1, 1]), np.array([0.0, 1.0])
    assert_matches(student.penalized_gradient(w, X, y, 4.0), [0.0, -a - b - 4.0])
    assert_matches(student.penalized_log_likelihood(w, X, y, 0.0), -a - b)


@exercise("penalized_gradient", Kind.SIDE_EFFECT)
def test_no_weight_is_set_to_zero_on_the_way(student, draw):
    """The caller's weights, intercept included, are the same after both calls; so are the data."""
    X, y, w = problem(draw)
    leaves_alone(student.penalized_gradient, w, X, y.astype(float), 1.7)
    leaves_alone(student.penalized_log_likelihood, w, X, y.astype(float), 1.7)


@exercise("penalized_gradient", Kind.TYPE)
def test_penalised_functions_accept_lists_and_whole_numbers(student, draw):
    """Lists and whole numbers are understood like arrays of decimals."""
    X, y, w = problem(draw)
    w = np.array([0, *draw.order(len(w) - 1) + 1])
    found = student.penalized_gradient(w.tolist(), X.tolist(), y.tolist(), 3)
    assert_matches(found, slopes(w, X, y) - pull(w, 3), **SLOPES)
    found = student.penalized_log_likelihood(w.tolist(), X.tolist(), y.tolist(), 0)
    assert_matches(found, height(w, X, y), **SLOPES)


# --- what the notebook promises ---------------------------------------------------------------------------------------

PROMISES = {
    "batch_step": {
        "starts other than 0 and unbalanced labels": ("test_every_weight_moves_by_the_summed_errors_times_its_feature"),
        "tables of other sizes": "test_steps_agree_with_an_example_by_example_sum",
        "$\\eta = 0$": "test_a_learning_rate_of_zero_moves_nothing",
        "data in which every row occurs twice": "test_doubled_data_double_the_step",
        "the order of the rows": "test_the_order_of_the_examples_does_not_matter_to_a_batch",
        "the top of a hill": "test_at_the_top_a_step_leads_nowhere",
        "scores as large as $\\pm 1000$": "test_huge_scores_give_a_finite_step",
        "lists, whole numbers and truth values": "test_lists_whole_numbers_and_truth_values_will_do",
        "arguments left alone": "test_the_step_leaves_its_arguments_alone",
        "Return a new array; the caller may still need the old $w$.": "test_the_step_leaves_its_arguments_alone",
        "A new array; `w` is left as it was.": "test_the_step_leaves_its_arguments_alone",
    },
    "gradient_ascent": {
        "other data and other starts": (
            "test_every_step_starts_where_the_last_one_ended",
            "test_walks_agree_with_an_example_by_example_sum",
        ),
        "both ends of the diary": "test_every_step_starts_where_the_last_one_ended",
        "`n_steps=0`": "test_no_steps_are_a_walk_too",
        "that two walks of 10 steps equal one of 20": "test_two_legs_make_one_walk",
        "that the diary never falls when $\\eta$ is small, and is honest when $\\eta$ is too large": (
            "test_small_steps_never_lead_down",
            "test_steps_that_are_too_long_are_reported_as_they_are",
        ),
        "that many steps reach the top": "test_many_steps_reach_the_top",
        "80,000 examples": "test_eighty_thousand_examples_are_no_problem",
        "lists and whole numbers": "test_a_walk_may_start_from_lists_and_whole_numbers",
        "arguments left alone": "test_the_walk_leaves_its_arguments_alone",
        "Take exactly `n_steps` steps, start at `w0` (at 0 if it is `None`), and keep a diary: the log-likelihood at "
        "the start and after each step, so `n_steps + 1` numbers.": (
            "test_without_a_start_the_walk_begins_at_zero",
            "test_all_steps_are_taken_even_if_little_is_left_to_gain",
        ),
        "There may be 80,000 examples with 20 features, and no more than ten seconds for 100 steps.": (
            "test_eighty_thousand_examples_are_no_problem"
        ),
        "It is left as it was.": "test_the_walk_leaves_its_arguments_alone",
    },
    "sgd_epoch": {
        "other data and starts": (
            "test_every_example_meets_what_the_one_before_it_left",
            "test_epochs_agree_with_a_slow_computation",
        ),
        "other orders, subsets and repetitions": (
            "test_another_order_leads_somewhere_else",
            "test_only_the_rows_in_the_order_have_a_say",
            "test_an_order_may_be_longer_than_the_table",
        ),
        "that one row gives the batch step of that row": "test_one_example_alone_is_a_batch_of_one",
        "that a very small $\\eta$ gives nearly the batch step": (
            "test_a_tiny_learning_rate_makes_an_epoch_a_batch_step"
        ),
        "an empty order": "test_nothing_to_do_leaves_the_weights_as_they_are",
        "scores as large as $\\pm 1000$": "test_an_epoch_survives_huge_scores",
        "lists and whole numbers": "test_an_epoch_works_on_lists_and_whole_numbers",
        "arguments left alone": "test_the_epoch_leaves_its_arguments_alone",
        "`order` is a list or an array of row numbers, which may leave rows out or name a row more than once; each "
        "time, use the $w$ of that moment.": (
            "test_every_example_meets_what_the_one_before_it_left",
            "test_only_the_rows_in_the_order_have_a_say",
            "test_an_epoch_works_on_lists_and_whole_numbers",
        ),
        "Rows may be missing or repeated; m may be 0.": (
            "test_only_the_rows_in_the_order_have_a_say",
            "test_nothing_to_do_leaves_the_weights_as_they_are",
        ),
        "A new array; `w` is left as it was.": "test_the_epoch_leaves_its_arguments_alone",
    },
    "standardize": {
        "mean 0 and standard deviation 1 of the training columns, with $n$ and not $n - 1$ in the denominator": (
            "test_training_columns_end_with_mean_zero_and_spread_one"
        ),
        "that the other table neither influences anything nor is looked at as a whole": (
            "test_the_other_table_has_no_influence"
        ),
        "constant columns, in both tables": (
            "test_a_column_that_never_changes_becomes_zero_in_both",
            "test_a_constant_column_is_zero_even_where_it_varies_later",
        ),
        "columns of very small spread": (
            "test_a_column_with_little_spread_is_not_constant",
            "test_a_column_with_hardly_any_spread_is_not_constant",
        ),
        "columns far away from 0": "test_columns_far_from_zero_keep_their_digits",
        "other units": "test_units_do_not_matter_any_more",
        "tables of other sizes": "test_tables_of_other_sizes_are_scaled",
        "a table with one row or none": "test_one_row_or_none_can_be_brought_to_scale",
        "lists and whole numbers": "test_tables_of_whole_numbers_and_lists_are_scaled_too",
        "arguments left alone": "test_neither_table_is_overwritten",
        "Examples to be brought to the same scale; m may be 1 or 0.": "test_one_row_or_none_can_be_brought_to_scale",
    },
    "stable_step_size": {
        "that ascent with this step never goes down, on random data sets": (
            "test_ascent_with_this_step_never_leads_down"
        ),
        "other units (features times $c$)": "test_larger_units_ask_for_smaller_steps",
        "rows that occur twice": "test_twice_the_data_halve_the_step",
        "$\\lambda$": "test_a_penalty_adds_to_the_curvature",
        "tables with few rows": "test_few_rows_are_enough",
        "200,000 rows": "test_many_rows_need_no_matrix_of_all_pairs",
        "lists": "test_a_list_of_whole_numbers_has_a_step",
        "arguments left alone": "test_the_examples_are_left_as_they_were",
        "One example per row, not all zeros; column 0 is 1. n may be 200,000, and it may be smaller than d.": (
            "test_many_rows_need_no_matrix_of_all_pairs",
            "test_few_rows_are_enough",
        ),
    },
    "penalized_gradient": {
        "$\\lambda = 0$": "test_no_penalty_is_the_plain_log_likelihood",
        "agreement of the two functions (finite differences)": "test_the_slopes_are_those_of_the_height",
        "the intercept": (
            "test_the_penalty_leaves_the_slope_of_the_intercept_alone",
            "test_a_large_intercept_costs_nothing",
        ),
        "that your gradient leads to the top, also on separable data, and to smaller weights for a larger $\\lambda$": (
            "test_the_slopes_vanish_at_the_penalised_top",
            "test_following_the_slopes_reaches_a_finite_top_on_separable_data",
        ),
        "rows that occur twice": "test_doubled_data_with_a_doubled_penalty_double_everything",
        "tables of other sizes": "test_penalised_slopes_and_heights_agree_with_a_slow_computation",
        "scores as large as $\\pm 1000$": "test_huge_scores_stay_finite_under_a_penalty",
        "lists and whole numbers": "test_penalised_functions_accept_lists_and_whole_numbers",
        "arguments left alone": "test_no_weight_is_set_to_zero_on_the_way",
        "The slope along each weight; a new array.": "test_no_weight_is_set_to_zero_on_the_way",
    },
}
