"""Hidden suite for 06_gradient_ascent. A failing check shows the student its docstring, no more."""

import math

import numpy as np

from autograder.course.suite import assert_matches, exercise, numbers, parts, unchanged

# Seven examples with two features, unbalanced labels, and a start at which the model is wrong about several of them.
X = np.array(
    [
        [1.0, 0.5, -1.2],
        [1.0, -0.7, 0.4],
        [1.0, 1.9, 0.3],
        [1.0, -1.1, -0.6],
        [1.0, 0.2, 1.7],
        [1.0, 2.4, -0.9],
        [1.0, -0.3, 0.8],
    ]
)
Y = np.array([1, 0, 1, 0, 0, 1, 1])
START = np.array([-0.4, 0.3, 0.7])


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
        if np.abs(move).max() < 1e-12:
            return w
    raise RuntimeError("the search for the top did not end")


def random_problem(rng, n, d):
    """Examples with ones in front, labels that follow a noisy line (both kinds occur), and a place to stand."""
    X = np.column_stack([np.ones(n), rng.normal(size=(n, d))])
    y = (X @ rng.normal(size=d + 1) + rng.logistic(size=n) > 0).astype(int)
    y[:2] = 0, 1
    return X, y, rng.normal(size=d + 1)


# --- batch_step -------------------------------------------------------------------------------------------------------


@exercise("batch_step", gate=True, weight=4)
def test_every_weight_moves_by_the_summed_errors_times_its_feature(student):
    """Each weight moves by eta times the sum of error times feature, and all errors are those of the old weights."""
    assert_matches(student.batch_step(START, X, Y, 0.3), START + 0.3 * slopes(START, X, Y))


@exercise("batch_step", weight=3)
def test_steps_agree_with_an_example_by_example_sum(student):
    """However many examples and features there are: the step is a sum over examples, one term each."""
    rng = np.random.default_rng(601)
    for n, d in ((5, 1), (9, 4), (30, 2), (4, 6)):
        examples, labels, w = random_problem(rng, n, d)
        eta = float(rng.uniform(0.01, 2))
        assert_matches(student.batch_step(w, examples, labels, eta), w + eta * slopes(w, examples, labels))


@exercise("batch_step")
def test_a_learning_rate_of_zero_moves_nothing(student):
    """With a learning rate of zero nobody moves."""
    assert_matches(student.batch_step(START, X, Y, 0.0), START)


@exercise("batch_step")
def test_doubled_data_double_the_step(student):
    """If every example occurs twice, the step is twice as long: sums grow with the data, means do not."""
    twice = student.batch_step(START, np.vstack([X, X]), np.append(Y, Y), 0.2)
    assert_matches(twice, START + 0.4 * slopes(START, X, Y))


@exercise("batch_step")
def test_the_order_of_the_examples_does_not_matter_to_a_batch(student):
    """A batch is a set: shuffling its examples changes nothing."""
    order = [4, 0, 6, 2, 5, 1, 3]
    assert_matches(student.batch_step(START, X[order], Y[order], 0.3), START + 0.3 * slopes(START, X, Y))


@exercise("batch_step")
def test_at_the_top_a_step_leads_nowhere(student):
    """At the top of the hill all slopes are zero, so even a long step stays there."""
    labels = np.array([1, 0, 1, 0, 0, 0, 1])
    best = top(X, labels)
    assert_matches(student.batch_step(best, X, labels, 1.0), best, rtol=1e-6, atol=1e-8)


@exercise("batch_step")
def test_huge_scores_give_a_finite_step(student):
    """Scores in the hundreds or beyond leave no doubt about a label, and no nan in the weights."""
    rows = np.array([[1.0, 1000.0], [1.0, -1000.0], [1.0, 800.0]])
    moved = numbers(student.batch_step([0.0, 1.0], rows, [0, 1, 1], 0.5))
    assert_matches(moved, [0.0, 1.0 - 0.5 * 2000.0], atol=1e-9)


@exercise("batch_step", weight=2)
def test_the_step_leaves_its_arguments_alone(student):
    """The old weights, the examples and the labels belong to the caller, and are the same after the call."""
    unchanged(student.batch_step, START.copy(), X, Y, 0.3)


@exercise("batch_step")
def test_lists_whole_numbers_and_truth_values_will_do(student):
    """Lists are understood like arrays, whole weights do not stay whole, and labels may be truth values."""
    rows, labels = [[1, 2, 0], [1, -1, 3]], [True, False]
    assert_matches(
        student.batch_step([1, 0, -1], rows, labels, 0.5), [1, 0, -1] + 0.5 * slopes([1, 0, -1], rows, labels)
    )
    assert_matches(student.batch_step(START, X, Y == 1, 0.3), START + 0.3 * slopes(START, X, Y))


# --- gradient_ascent --------------------------------------------------------------------------------------------------


def climb(student, *args, **kwargs):
    """The student's weights and diary, after making sure that there are these two."""
    return parts(student.gradient_ascent(*args, **kwargs), 2)


@exercise("gradient_ascent", gate=True, weight=4)
def test_every_step_starts_where_the_last_one_ended(student):
    """From a given start, each step uses the slopes of the place reached so far; the diary tells every height."""
    w, history = climb(student, X, Y, 0.25, 4, START)
    expected_w, expected_history = walk(X, Y, 0.25, 4, START)
    assert_matches(w, expected_w)
    assert_matches(history, expected_history)


@exercise("gradient_ascent", weight=2)
def test_walks_agree_with_an_example_by_example_sum(student):
    """On other data, from other starts and for more steps, weights and diary agree with a slow computation."""
    rng = np.random.default_rng(602)
    for n, d in ((12, 1), (8, 3), (20, 5)):
        examples, labels, start = random_problem(rng, n, d)
        w, history = climb(student, examples, labels, 0.05, 25, w0=start)
        expected_w, expected_history = walk(examples, labels, 0.05, 25, start)
        assert_matches(w, expected_w, rtol=1e-7)
        assert_matches(history, expected_history, rtol=1e-7)


@exercise("gradient_ascent")
def test_without_a_start_the_walk_begins_at_zero(student):
    """If no start is given all weights are zero, where every example has the probability one half."""
    w, history = climb(student, X, Y, 0.25, 2)
    assert_matches(w, walk(X, Y, 0.25, 2, np.zeros(3))[0])
    assert_matches(numbers(history)[0], -7 * math.log(2))
    assert_matches(climb(student, X, Y, 0.25, 2, w0=None)[0], w)


@exercise("gradient_ascent")
def test_no_steps_are_a_walk_too(student):
    """With no steps the start is the end, and the diary has one entry."""
    w, history = climb(student, X, Y, 0.25, 0, START)
    assert_matches(w, START)
    assert_matches(history, [height(START, X, Y)])


@exercise("gradient_ascent")
def test_two_legs_make_one_walk(student):
    """Ten steps, a rest, and ten more from there end where twenty end, by the same heights."""
    middle, first = climb(student, X, Y, 0.3, 10, START)
    end, second = climb(student, X, Y, 0.3, 10, w0=numbers(middle))
    w, history = climb(student, X, Y, 0.3, 20, START)
    assert_matches(w, walk(X, Y, 0.3, 20, START)[0], rtol=1e-7)
    assert_matches(end, w, rtol=1e-7)
    assert_matches(np.append(numbers(first), numbers(second)[1:]), history, rtol=1e-7)


@exercise("gradient_ascent")
def test_small_steps_never_lead_down(student):
    """With a step below the curvature bound the diary never falls, whatever the data."""
    rng = np.random.default_rng(603)
    for _ in range(8):
        examples, labels, start = random_problem(rng, int(rng.integers(5, 40)), int(rng.integers(1, 5)))
        history = numbers(climb(student, examples, labels, 4 / largest_eigenvalue(examples), 30, w0=start)[1])
        assert history.shape == (31,), "another number of entries"
        assert (np.diff(history) >= -1e-9).all(), "the diary falls"
        assert history[-1] > history[0], "the walk gains nothing"


@exercise("gradient_ascent")
def test_steps_that_are_too_long_are_reported_as_they_are(student):
    """If a long step leads down, it is taken all the same, and the diary says so: no clipping, no turning back."""
    w, history = climb(student, X, Y, 5.0, 6, START)
    expected_w, expected_history = walk(X, Y, 5.0, 6, START)
    assert (np.diff(expected_history) < 0).any()
    assert_matches(w, expected_w, rtol=1e-6)
    assert_matches(history, expected_history, rtol=1e-6)


@exercise("gradient_ascent")
def test_all_steps_are_taken_even_if_little_is_left_to_gain(student):
    """The number of steps is a promise: also close to the top, the walk goes on and the diary has all its entries."""
    labels = np.array([1, 0, 1, 0, 0, 0, 1])
    near = top(X, labels) + 1e-7
    w, history = climb(student, X, labels, 0.2, 40, near)
    assert numbers(history).shape == (41,), "another number of entries"
    assert_matches(w, walk(X, labels, 0.2, 40, near)[0], rtol=1e-11, atol=1e-12)


@exercise("gradient_ascent")
def test_many_steps_reach_the_top(student):
    """With patience the walk ends at the top, whichever way the top is found."""
    rng = np.random.default_rng(604)
    examples, labels, _ = random_problem(rng, 60, 3)
    w, history = climb(student, examples, labels, 4 / largest_eigenvalue(examples), 3000)
    best = top(examples, labels)
    assert_matches(w, best, rtol=1e-6, atol=1e-6)
    assert_matches(numbers(history)[-1], height(best, examples, labels), rtol=1e-9)


@exercise("gradient_ascent", weight=2)
def test_eighty_thousand_examples_are_no_problem(student):
    """A hundred steps over eighty thousand examples end in time: one matrix product asks all examples at once."""
    rng = np.random.default_rng(605)
    few, labels, _ = random_problem(rng, 80, 20)
    w, history = climb(student, np.tile(few, (1000, 1)), np.tile(labels, 1000), 2e-5, 100)
    expected_w, expected_history = walk(few, labels, 2e-5 * 1000, 100, np.zeros(21))
    assert_matches(w, expected_w, rtol=1e-6, atol=1e-9)
    assert_matches(history, 1000 * expected_history, rtol=1e-6)


@exercise("gradient_ascent", weight=2)
def test_the_walk_leaves_its_arguments_alone(student):
    """The start that the caller hands over is still there after the walk; so are the data."""
    unchanged(student.gradient_ascent, X, Y, 0.3, 5, START.copy())


@exercise("gradient_ascent")
def test_a_walk_may_start_from_lists_and_whole_numbers(student):
    """Lists are understood like arrays, and a start in whole numbers does not keep the weights whole."""
    w, history = climb(student, X.tolist(), Y.tolist(), 0.25, 3, [1, 0, -1])
    expected_w, expected_history = walk(X, Y, 0.25, 3, [1, 0, -1])
    assert_matches(w, expected_w)
    assert_matches(history, expected_history)
    assert_matches(climb(student, X.tolist(), Y.tolist(), 0.25, 3)[0], walk(X, Y, 0.25, 3, np.zeros(3))[0])


# --- sgd_epoch --------------------------------------------------------------------------------------------------------


@exercise("sgd_epoch", gate=True, weight=4)
def test_every_example_meets_what_the_one_before_it_left(student):
    """One step for each example in turn, and each of them is judged by the weights of that moment."""
    order = [3, 0, 6, 2, 5, 1, 4]
    assert_matches(student.sgd_epoch(START, X, Y, 0.4, order), one_by_one(START, X, Y, 0.4, order))


@exercise("sgd_epoch", weight=3)
def test_epochs_agree_with_a_slow_computation(student):
    """Other data, other starts, other orders: the weights agree with plain arithmetic."""
    rng = np.random.default_rng(606)
    for n, d in ((5, 1), (11, 4), (30, 2)):
        examples, labels, w = random_problem(rng, n, d)
        order, eta = rng.permutation(n), float(rng.uniform(0.05, 1))
        expected = one_by_one(w, examples, labels, eta, order)
        assert_matches(student.sgd_epoch(w, examples, labels, eta, order), expected, rtol=1e-8)


@exercise("sgd_epoch", weight=2)
def test_only_the_rows_in_the_order_have_a_say(student):
    """Rows that the order leaves out are not looked at, and a row that it names twice counts twice."""
    wild = X.copy()
    wild[[1, 4, 5]] = 1e6
    for order in ([2, 0, 6], [3, 3, 0, 3]):
        assert_matches(student.sgd_epoch(START, wild, Y, 0.4, order), one_by_one(START, X, Y, 0.4, order))


@exercise("sgd_epoch")
def test_another_order_leads_somewhere_else(student):
    """Forwards and backwards are two different walks, and each is followed as it is given."""
    forwards, backwards = np.arange(7), np.arange(7)[::-1]
    there, back = (one_by_one(START, X, Y, 0.4, order) for order in (forwards, backwards))
    assert np.abs(there - back).max() > 0.01
    assert_matches(student.sgd_epoch(START, X, Y, 0.4, forwards), there)
    assert_matches(student.sgd_epoch(START, X, Y, 0.4, backwards), back)


@exercise("sgd_epoch")
def test_one_example_alone_is_a_batch_of_one(student):
    """With a single row in the order the step is the batch step of that row."""
    assert_matches(student.sgd_epoch(START, X, Y, 0.4, [5]), START + 0.4 * slopes(START, X[5:6], Y[5:6]))


@exercise("sgd_epoch")
def test_a_tiny_learning_rate_makes_an_epoch_a_batch_step(student):
    """If the steps are tiny, the weights hardly change during an epoch, which then moves them like one batch step."""
    eta = 1e-7
    moved = numbers(student.sgd_epoch(START, X, Y, eta, list(range(7)))) - START
    assert_matches(moved / eta, slopes(START, X, Y), rtol=1e-4, atol=1e-5)


@exercise("sgd_epoch")
def test_nothing_to_do_leaves_the_weights_as_they_are(student):
    """An empty order is no reason to move."""
    assert_matches(student.sgd_epoch(START, X, Y, 0.4, []), START)
    assert_matches(student.sgd_epoch(START, X, Y, 0.4, np.array([], dtype=int)), START)


@exercise("sgd_epoch")
def test_two_half_epochs_make_a_whole_one(student):
    """An epoch may be interrupted: the second half, begun where the first one ended, leads to the same place."""
    halfway = numbers(student.sgd_epoch(START, X, Y, 0.4, [6, 1, 3]))
    whole = one_by_one(START, X, Y, 0.4, [6, 1, 3, 0, 2, 5, 4])
    assert_matches(student.sgd_epoch(halfway, X, Y, 0.4, [0, 2, 5, 4]), whole)


@exercise("sgd_epoch", weight=2)
def test_the_epoch_leaves_its_arguments_alone(student):
    """The weights of the caller are not moved along, and examples, labels and order stay as they were."""
    unchanged(student.sgd_epoch, START.copy(), X, Y, 0.4, np.array([3, 0, 6]))


@exercise("sgd_epoch")
def test_an_epoch_works_on_lists_and_whole_numbers(student):
    """Lists are understood like arrays, and weights given as whole numbers do not stay whole."""
    expected = one_by_one([1, 0, -1], X, Y, 0.4, [2, 4])
    assert_matches(student.sgd_epoch([1, 0, -1], X.tolist(), Y.tolist(), 0.4, [2, 4]), expected)


# --- standardize ------------------------------------------------------------------------------------------------------

TRAIN = np.array([[2.0, 300.0, -1.0], [4.0, 350.0, 0.5], [9.0, 280.0, 0.0], [5.0, 410.0, 2.5], [7.0, 330.0, -3.0]])
OTHER = np.array([[6.0, 900.0, 1.0], [20.0, 100.0, -8.0]])


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


@exercise("standardize", gate=True, weight=4)
def test_both_tables_get_the_scale_of_the_training_table(student):
    """Mean and standard deviation are learnt from the training table, and are used for both tables."""
    train, other = scaled(student, TRAIN, OTHER)
    assert_matches(train, on_the_scale_of(TRAIN, TRAIN))
    assert_matches(other, on_the_scale_of(TRAIN, OTHER))


@exercise("standardize", weight=2)
def test_training_columns_end_with_mean_zero_and_spread_one(student):
    """Afterwards every training column has the mean 0 and the standard deviation 1, counted with n."""
    table = np.random.default_rng(607).gamma(2.0, 3.0, size=(40, 4)) * [1, 100, 0.01, 5]
    train, _ = scaled(student, table, table[:3])
    train = numbers(train)
    assert train.shape == table.shape, "another shape"
    assert_matches(train.mean(axis=0), np.zeros(4), atol=1e-9)
    assert_matches((train**2).mean(axis=0), np.ones(4))


@exercise("standardize", weight=2)
def test_the_other_table_has_no_influence(student):
    """Whatever is in the other table, the training table comes out the same, and so does each of the other rows."""
    wild = np.vstack([OTHER, [[1e6, -1e6, 1e6]]])
    train, other = scaled(student, TRAIN, wild)
    assert_matches(train, on_the_scale_of(TRAIN, TRAIN))
    assert_matches(numbers(other)[:2], on_the_scale_of(TRAIN, OTHER))


@exercise("standardize")
def test_one_row_or_none_can_be_brought_to_scale(student):
    """A single new example is scaled like any other; a table without rows stays without rows."""
    assert_matches(scaled(student, TRAIN, OTHER[1:])[1], on_the_scale_of(TRAIN, OTHER[1:]))
    assert_matches(scaled(student, TRAIN, np.empty((0, 3)))[1], np.empty((0, 3)))


@exercise("standardize")
def test_units_do_not_matter_any_more(student):
    """Grams or kilograms, Celsius or Fahrenheit: after standardising one cannot tell."""
    units, zeros = np.array([1000.0, 0.01, 1.8]), np.array([0.0, 5.0, 32.0])
    train, other = scaled(student, TRAIN * units + zeros, OTHER * units + zeros)
    assert_matches(train, on_the_scale_of(TRAIN, TRAIN), rtol=1e-8, atol=1e-8)
    assert_matches(other, on_the_scale_of(TRAIN, OTHER), rtol=1e-8, atol=1e-8)


@exercise("standardize", weight=2)
def test_a_column_that_never_changes_becomes_zero_in_both(student):
    """A column without any spread in the training says nothing: it is 0 in both tables, and spoils no other column."""
    train, other = TRAIN.copy(), OTHER.copy()
    train[:, 1], other[:, 1] = 300.0, 300.0
    expected_train, expected_other = on_the_scale_of(TRAIN, TRAIN), on_the_scale_of(TRAIN, OTHER)
    expected_train[:, 1], expected_other[:, 1] = 0, 0
    got_train, got_other = scaled(student, train, other)
    assert_matches(got_train, expected_train)
    assert_matches(got_other, expected_other)


@exercise("standardize")
def test_a_constant_column_stays_finite_where_others_vary(student):
    """If a column is constant in the training and not later, the other columns are right, and no number is lost."""
    train, other = np.column_stack([TRAIN, np.full(5, 8.0)]), np.column_stack([OTHER, [8.0, 9.5]])
    got_train, got_other = scaled(student, train, other)
    assert_matches(numbers(got_train)[:, 3], np.zeros(5))
    assert_matches(numbers(got_other)[:, :3], on_the_scale_of(TRAIN, OTHER))


@exercise("standardize")
def test_a_column_with_little_spread_is_not_constant(student):
    """Little is not nothing: a column measured in large units varies as much as any other."""
    tiny = np.array([1.0, 1e-6, 1.0])
    assert_matches(scaled(student, TRAIN * tiny, OTHER * tiny)[0], on_the_scale_of(TRAIN, TRAIN), rtol=1e-6)


@exercise("standardize")
def test_columns_far_from_zero_keep_their_digits(student):
    """Numbers that are huge compared to their spread are scaled as exactly as small ones."""
    far = np.array([1e9, 0.0, -1e8])
    train, other = scaled(student, TRAIN + far, OTHER + far)
    assert_matches(train, on_the_scale_of(TRAIN, TRAIN), rtol=1e-5, atol=1e-6)
    assert_matches(other, on_the_scale_of(TRAIN, OTHER), rtol=1e-5, atol=1e-6)


@exercise("standardize", weight=2)
def test_neither_table_is_overwritten(student):
    """The caller's tables hold after the call what they held before."""
    unchanged(student.standardize, TRAIN.copy(), OTHER.copy())


@exercise("standardize")
def test_tables_of_whole_numbers_and_lists_are_scaled_too(student):
    """Whole numbers and lists of lists are understood, and do not force whole results."""
    train, other = [[1, 10], [2, 30], [6, 20]], [[4, 50]]
    got_train, got_other = scaled(student, np.array(train), other)
    assert_matches(got_train, on_the_scale_of(train, train))
    assert_matches(got_other, on_the_scale_of(train, other))


# --- stable_step_size -------------------------------------------------------------------------------------------------


@exercise("stable_step_size", gate=True, weight=4)
def test_the_step_is_one_over_the_largest_curvature(student):
    """The step is one over the largest possible curvature: a quarter of the largest eigenvalue of X'X."""
    assert_matches(student.stable_step_size(X), 4 / largest_eigenvalue(X))
    assert_matches(student.stable_step_size(10 * X[:4]), 0.04 / largest_eigenvalue(X[:4]))


@exercise("stable_step_size", weight=3)
def test_a_penalty_adds_to_the_curvature(student):
    """A penalty bends the hill by its whole strength, whatever the data do."""
    for lam in (0.3, 2, 50.0):
        assert_matches(student.stable_step_size(X, lam), 1 / (largest_eigenvalue(X) / 4 + lam))
    assert_matches(student.stable_step_size(X, lam=0.0), 4 / largest_eigenvalue(X))


@exercise("stable_step_size", weight=2)
def test_ascent_with_this_step_never_leads_down(student):
    """On fifty random data sets, ascent with this step climbs at every step."""
    rng = np.random.default_rng(608)
    for _ in range(50):
        examples, labels, w = random_problem(rng, int(rng.integers(3, 30)), int(rng.integers(1, 5)))
        examples[:, 1:] *= rng.uniform(0.1, 10)
        eta = float(numbers(student.stable_step_size(examples)))
        assert_matches(eta, 4 / largest_eigenvalue(examples))
        heights = walk(examples, labels, eta, 5, w)[1]
        assert (np.diff(heights) >= -1e-9).all(), "a step leads down"


@exercise("stable_step_size")
def test_larger_units_ask_for_smaller_steps(student):
    """If all columns are multiplied by c, the step shrinks with the square of c."""
    once = float(numbers(student.stable_step_size(X)))
    assert_matches([student.stable_step_size(5 * X), student.stable_step_size(X / 10)], [once / 25, once * 100])
    assert_matches(once, 4 / largest_eigenvalue(X))


@exercise("stable_step_size")
def test_twice_the_data_halve_the_step(student):
    """If every example occurs twice the hill is bent twice as much, so the step is half as long."""
    assert_matches(student.stable_step_size(np.vstack([X, X])), 2 / largest_eigenvalue(X))


@exercise("stable_step_size")
def test_columns_may_be_in_any_order(student):
    """The largest eigenvalue belongs to the table as a whole, wherever its widest column stands."""
    wide = X * [1, 20, 3]
    assert_matches(student.stable_step_size(wide[:, [2, 0, 1]]), 4 / largest_eigenvalue(wide))
    assert_matches(student.stable_step_size(wide[:, [1, 2, 0]]), 4 / largest_eigenvalue(wide))


@exercise("stable_step_size")
def test_few_rows_are_enough(student):
    """One example, or fewer examples than weights, have a largest eigenvalue, too."""
    assert_matches(student.stable_step_size([[1.0, 3.0, 0.5]]), 4 / 10.25)
    assert_matches(student.stable_step_size(X[:2], lam=0.5), 1 / (largest_eigenvalue(X[:2]) / 4 + 0.5))


@exercise("stable_step_size", weight=2)
def test_many_rows_need_no_matrix_of_all_pairs(student):
    """Two hundred thousand examples are no problem, for the matrix that matters is only as large as the weights."""
    assert_matches(student.stable_step_size(np.tile(X, (30_000, 1))), 4 / (30_000 * largest_eigenvalue(X)), rtol=1e-8)


@exercise("stable_step_size")
def test_the_examples_are_left_as_they_were(student):
    """The caller's table holds after the call what it held before; a list of lists is as good as an array."""
    unchanged(student.stable_step_size, X.copy(), 1.0)
    assert_matches(student.stable_step_size([[1, 2], [1, 0], [1, 5]]), 4 / largest_eigenvalue([[1, 2], [1, 0], [1, 5]]))


# --- penalized_gradient -----------------------------------------------------------------------------------------------


def price(w, lam):
    """What the penalty takes from the height."""
    return lam / 2 * math.fsum(float(a) ** 2 for a in w[1:])


def pull(w, lam):
    """What the penalty takes from the slopes."""
    return lam * np.array([0.0, *w[1:]])


@exercise("penalized_gradient", gate=True, weight=4)
def test_the_penalty_pulls_every_weight_but_the_intercept(student):
    """Every weight is pulled back in proportion to its size, except the intercept, which keeps its slope."""
    assert_matches(student.penalized_gradient(START, X, Y, 1.7), slopes(START, X, Y) - pull(START, 1.7))


@exercise("penalized_gradient", gate=True, weight=3)
def test_the_height_falls_by_half_the_squared_weights(student):
    """The penalised height is the log-likelihood less half of lam times the squares of all weights but
    the intercept.
    """
    assert_matches(student.penalized_log_likelihood(START, X, Y, 1.7), height(START, X, Y) - price(START, 1.7))


@exercise("penalized_gradient", weight=2)
def test_penalised_slopes_and_heights_agree_with_a_slow_computation(student):
    """On other data and for other penalties, both functions agree with plain arithmetic."""
    rng = np.random.default_rng(609)
    for n, d in ((6, 1), (12, 4), (25, 3)):
        examples, labels, w = random_problem(rng, n, d)
        lam = float(rng.uniform(0.1, 8))
        assert_matches(student.penalized_gradient(w, examples, labels, lam), slopes(w, examples, labels) - pull(w, lam))
        expected = height(w, examples, labels) - price(w, lam)
        assert_matches(student.penalized_log_likelihood(w, examples, labels, lam), expected)


@exercise("penalized_gradient")
def test_no_penalty_is_the_plain_log_likelihood(student):
    """With lam = 0 nothing is left of the penalty, in the slopes or in the height."""
    assert_matches(student.penalized_gradient(START, X, Y, 0), slopes(START, X, Y))
    assert_matches(student.penalized_log_likelihood(START, X, Y, 0), height(START, X, Y))


@exercise("penalized_gradient", weight=2)
def test_the_slopes_are_those_of_the_height(student):
    """The two functions belong together: moving a little along any weight changes the height by the slope there."""
    lam, h = 2.3, 1e-5
    ends = [[START + sign * h * axis for sign in (1, -1)] for axis in np.eye(3)]
    rise = [[float(numbers(student.penalized_log_likelihood(w, X, Y, lam))) for w in pair] for pair in ends]
    measured = [(up - down) / (2 * h) for up, down in rise]
    assert_matches(student.penalized_gradient(START, X, Y, lam), measured, rtol=1e-5, atol=1e-7)
    assert_matches(measured, slopes(START, X, Y) - pull(START, lam), rtol=1e-5, atol=1e-7)


@exercise("penalized_gradient")
def test_a_large_intercept_costs_nothing(student):
    """However large the intercept is, the penalty takes nothing for it."""
    w = np.array([9.0, 0.3, 0.7])
    assert_matches(student.penalized_log_likelihood(w, X, Y, 100.0), height(w, X, Y) - price(w, 100.0))
    assert_matches(student.penalized_gradient(w, X, Y, 100.0), slopes(w, X, Y) - pull(w, 100.0))


@exercise("penalized_gradient", weight=2)
def test_the_slopes_vanish_at_the_penalised_top(student):
    """At the penalised top all slopes are zero, and the predicted number of positives is the observed one."""
    for lam in (0.1, 3.0, 100.0):
        best = top(X, Y, lam)
        expected_positives = math.fsum(probability(best, row) for row in X)
        assert abs(expected_positives - Y.sum()) < 1e-6
        assert_matches(student.penalized_gradient(best, X, Y, lam), np.zeros(3), atol=1e-6)


@exercise("penalized_gradient")
def test_following_the_slopes_reaches_a_finite_top_on_separable_data(student):
    """Without a penalty separable data have no top. With one, your slopes lead there, and closer to 0
    if lam is larger.
    """
    examples = np.column_stack([np.ones(6), [-2.0, -1.0, -0.5, 0.5, 1.5, 2.0]])
    labels = np.array([0, 0, 0, 1, 1, 1])
    lengths = []
    for lam in (0.5, 5.0):
        w, step = np.zeros(2), 1 / (largest_eigenvalue(examples) / 4 + lam)
        for _ in range(60):
            w = w + step * numbers(student.penalized_gradient(w, examples, labels, lam))
        assert_matches(w, top(examples, labels, lam), rtol=1e-3, atol=1e-3)
        lengths.append(np.linalg.norm(w[1:]))
    assert lengths[0] > lengths[1]


@exercise("penalized_gradient")
def test_doubled_data_with_a_doubled_penalty_double_everything(student):
    """The data enter as a sum: with every example twice and lam doubled, slopes and height are twice as large."""
    twice, labels = np.vstack([X, X]), np.append(Y, Y)
    doubled = 2 * (slopes(START, X, Y) - pull(START, 1.7))
    assert_matches(student.penalized_gradient(START, twice, labels, 3.4), doubled)
    doubled = 2 * (height(START, X, Y) - price(START, 1.7))
    assert_matches(student.penalized_log_likelihood(START, twice, labels, 3.4), doubled)


@exercise("penalized_gradient")
def test_huge_scores_stay_finite_under_a_penalty(student):
    """Scores in the thousands give finite slopes and exact heights."""
    rows, labels = np.array([[1.0, 1000.0], [1.0, -1000.0], [1.0, 800.0]]), [0, 1, 1]
    assert_matches(student.penalized_gradient([0.0, 1.0], rows, labels, 4.0), [0.0, -2000.0 - 4.0], atol=1e-9)
    assert_matches(student.penalized_log_likelihood([0.0, 1.0], rows, labels, 4.0), -2000.0 - 2.0)


@exercise("penalized_gradient", weight=2)
def test_no_weight_is_set_to_zero_on_the_way(student):
    """The caller's weights, intercept included, are the same after both calls; so are the data."""
    unchanged(student.penalized_gradient, START.copy(), X, Y, 1.7)
    unchanged(student.penalized_log_likelihood, START.copy(), X, Y, 1.7)


@exercise("penalized_gradient")
def test_penalised_functions_accept_lists_and_whole_numbers(student):
    """Lists and whole numbers are understood like arrays of decimals."""
    w, rows, labels = [1, 2, -1], [[1, 2, 0], [1, -1, 3]], [True, False]
    assert_matches(student.penalized_gradient(w, rows, labels, 3), slopes(w, rows, labels) - pull(w, 3))
    assert_matches(student.penalized_log_likelihood(w, rows, labels, 3), height(w, rows, labels) - price(w, 3))
