"""Hidden suite for 07_newton_raphson. A failing check shows the student its docstring, no more."""

from fractions import Fraction

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import (
    Code,
    Ungraded,
    assert_matches,
    assert_type,
    exercise,
    leaves_alone,
    numbers,
    parts,
)

# Steps are solutions of equations whose sides are sums: in single precision they are right to five or six digits.
STEPS = {"rtol": 1e-5, "atol": 1e-5}

# After many steps, with more features or in other units, some more digits are lost.
CLIMBS = {"rtol": 1e-4, "atol": 1e-4}

# Sums of very many numbers lose more in single precision: with so many rows, two or three digits are asked for.
MANY = {"rtol": 2e-3, "atol": 2e-3}

# Data on which Newton's steps from 0, undamped, lead down and away after a few steps. None of them is separable.
TREACHEROUS = [
    (
        [[-20, -1, -20], [20, -20, 0], [10, 1, 10], [-5, -5, 5], [3, 1, -1], [2, 2, -3], [-3, 5, -10], [-40, 2, 40]],
        [0, 0, 0, 0, 1, 0, 1, 0],
    ),
    (
        [[3, 0, 1], [0, -3, 0], [3, -2, -10], [2, -40, 2], [-20, 2, -3], [3, 3, 0], [5, -1, 2], [40, -10, -5]],
        [1, 1, 1, 0, 1, 0, 0, 0],
    ),
    (
        [[-2, 0, 0], [-5, -3, 2], [-5, 2, 40], [0, -1, 1], [10, -20, -5], [-3, 0, 1], [-40, -1, -3], [1, 20, -3]],
        [1, 0, 0, 1, 0, 0, 1, 1],
    ),
]


def probability(w, X):
    """P(y = 1) for every row, exact for scores of any size."""
    return np.exp(-np.logaddexp(0, -(X @ w)))


def doubt(w, X):
    """p (1 - p) for every row, as a product of two small numbers where it is small."""
    return probability(w, X) * probability(-np.asarray(w), X)


def slopes(w, X, y, lam=0.0):
    """The gradient of the penalised log-likelihood, example by example."""
    total = sum((label - p) * row for label, p, row in zip(y, probability(w, X), X))
    return total - lam * np.append(0, w[1:])


def bends(w, X):
    """The Hessian, example by example."""
    return -sum(weight * np.outer(row, row) for weight, row in zip(doubt(w, X), X))


def jump(w, X, y, lam=0.0):
    """One Newton step, with an inverse."""
    curvature = bends(w, X) - lam * np.diag(np.append(0, np.ones(len(w) - 1)))
    return w - np.linalg.inv(curvature) @ slopes(w, X, y, lam)


def climb(X, y, lam=0.0, steps=6):
    """The weights at 0 and after each of so many Newton steps; on data of `crowd` six lead to the top."""
    path = [np.zeros(X.shape[1])]
    for _ in range(steps):
        path.append(jump(path[-1], X, y, lam))
    return path


def height(w, X, y, lam=0.0):
    """The penalised log-likelihood."""
    return -np.logaddexp(0, np.where(np.asarray(y) == 1, -1, 1) * (X @ w)).sum() - lam * sum(v * v for v in w[1:]) / 2


def behind_ones(features):
    """The features with a column of ones in front."""
    features = np.asarray(features, dtype=float)
    return np.column_stack([np.ones(len(features)), features])


def examples(draw, n, d):
    """Examples with d features, fewer than n / 2: waves of different frequencies, so none depends on the others."""
    waves = np.cos(2 * np.pi * np.outer(np.arange(n), 1 + np.arange(d)) / n + draw.numbers(d, 0, 6))
    features = 1.4 * waves * draw.numbers(d, 0.7, 1.4) + draw.coefficients(d, 0.8)
    return behind_ones(features[draw.rng.permutation(n)])


def problem(draw, n=None, d=2):
    """Examples, unbalanced labels, and weights that are not zero."""
    n = n or draw.whole(9, 12)
    return examples(draw, n, d), draw.labels(n), draw.coefficients(d + 1, 1.1)


def crowd(draw, n=9, d=2):
    """Five examples in each of n places, an odd number, with both labels in each place: a hill with a gentle top."""
    X = examples(draw, n, d)
    ones = np.clip(np.rint(5 * probability(draw.coefficients(d + 1, 1.2), X)), 1, 4)
    order = draw.rng.permutation(5 * n)
    return np.repeat(X, 5, axis=0)[order], (np.arange(5) < ones[:, None]).astype(int).ravel()[order]


def sure_rows(draw, w, score):
    """Two examples of which weights w are very sure: one with a score of about `score`, one with minus that."""
    score *= draw.number(1.0, 1.1)
    return np.array([[1.0, score / w[1], 0.0], [1.0, 0.0, -score / w[2]]])


def treacherous(draw):
    """The treacherous data in other units, with rows and columns in another order, and perhaps with labels swapped."""
    for features, labels in TREACHEROUS:
        units = draw.numbers(3, 0.7, 1.4) * draw.rng.choice([-1, 1], size=3)
        rows, columns = draw.order(len(features)), draw.order(3)
        swapped = draw.whole(0, 1)
        yield behind_ones((np.array(features)[rows] * units)[:, columns]), np.array(labels)[rows] ^ swapped


def repeated(values, times):
    """An array that repeats a small one, made where the student's code runs."""
    return Code(f"np.tile(np.array({values.tolist()}), {(times, 1) if values.ndim == 2 else times})")


# --- newton_coin ------------------------------------------------------------------------------------------------------


def coin(draw):
    """Heads and tails in different numbers."""
    n1, n0 = draw.wholes(2, 6, 30)  # no step leads beyond the walls
    return int(n1), int(n0)


def coin_step(theta, n1, n0):
    """The step in exact fractions."""
    theta = Fraction(theta)
    slope = n1 / theta - n0 / (1 - theta)
    return float(theta + slope / (n1 / theta**2 + n0 / (1 - theta) ** 2))


@exercise("newton_coin", gate=True)
def test_slope_over_curvature_leads_to_the_top_of_the_parabola(student, draw):
    """The step ends where the parabola with the slope and the curvature of the log-likelihood is highest."""
    n1, few = draw.whole(6, 12), draw.whole(2, 4)
    theta = draw.number(0.2, 0.35)
    assert_matches(student.newton_coin(theta, n1, few), coin_step(theta, n1, few), **STEPS)
    theta = draw.number(0.4, 0.48)
    assert_matches(student.newton_coin(theta, few, n1), coin_step(theta, few, n1), **STEPS)


@exercise("newton_coin")
def test_any_coin_from_any_start(student, draw):
    """Whatever the coin and the start, on either side of the top: minus slope over curvature."""
    for theta in draw.numbers(8, 0.05, 0.95).tolist():
        n1, n0 = coin(draw)
        assert_matches(student.newton_coin(theta, n1, n0), coin_step(theta, n1, n0), **STEPS)


@exercise("newton_coin")
def test_from_one_half_a_single_step_suffices(student, draw):
    """From one half every coin is solved in a single step."""
    for _ in range(4):
        n1, n0 = coin(draw)
        assert_matches(student.newton_coin(0.5, n1, n0), n1 / (n1 + n0))


@exercise("newton_coin")
def test_the_share_of_heads_is_where_steps_end(student, draw):
    """At the maximum the slope is zero, and a step leads nowhere."""
    n1, n0 = coin(draw)
    assert_matches(student.newton_coin(n1 / (n1 + n0), n1, n0), n1 / (n1 + n0))


@exercise("newton_coin")
def test_twice_the_flips_make_the_same_step(student, draw):
    """Twice as many heads and tails: twice the slope, twice the curvature, the same step."""
    (n1, n0), theta = coin(draw), draw.probability(0.1, 0.9)
    once = coin_step(theta, n1, n0)
    both = [student.newton_coin(theta, n1, n0), student.newton_coin(theta, 2 * n1, 2 * n0)]
    assert_matches(both, [once, once], **STEPS)


@exercise("newton_coin")
def test_heads_and_tails_may_trade_places(student, draw):
    """Calling heads tails turns the picture around: the mirrored start leads to the mirrored end."""
    (n1, n0), theta = coin(draw), draw.probability(0.1, 0.9)
    there, mirrored = student.newton_coin(theta, n1, n0), student.newton_coin(1 - theta, n0, n1)
    assert_matches([there, mirrored], [coin_step(theta, n1, n0), 1 - coin_step(theta, n1, n0)], **STEPS)


@exercise("newton_coin", Kind.EDGE)
def test_a_parabola_knows_nothing_of_walls(student, draw):
    """If only one side was ever seen, the step doubles the distance from the other wall, even past the end."""
    flips, near, far = draw.whole(3, 9), draw.number(0.2, 0.45), draw.number(0.55, 0.9)
    ends = [student.newton_coin(near, flips, 0), student.newton_coin(far, flips, 0)]
    assert_matches(ends, [2 * near, 2 * far])
    ends = [student.newton_coin(far, 0, flips), student.newton_coin(near, 0, flips)]
    assert_matches(ends, [2 * far - 1, 2 * near - 1])


# --- hessian ----------------------------------------------------------------------------------------------------------


@exercise("hessian", gate=True)
def test_every_example_bends_the_hill_by_its_doubt(student, draw):
    """Minus the sum over all examples of p (1 - p) times the products of their features."""
    X, _, w = problem(draw)
    assert_matches(student.hessian(w, X), bends(w, X), **STEPS)


@exercise("hessian")
def test_it_is_how_slopes_change(student, draw):
    """Each column says how the gradient changes along one weight, measured on both sides."""
    X, y, w = problem(draw)
    h = 1e-5
    columns = [(slopes(w + nudge, X, y) - slopes(w - nudge, X, y)) / (2 * h) for nudge in h * np.eye(3)]
    assert_matches(student.hessian(w, X), np.column_stack(columns), **STEPS)


@exercise("hessian")
def test_the_hill_bends_down_in_every_direction(student, draw):
    """The matrix is symmetric, and no eigenvalue is positive; a direction that no example notices has curvature 0."""
    X, _, w = problem(draw, 20, 3)
    X = np.column_stack([X, X[:, 1] - 2 * X[:, 3]])  # dependent columns
    H = numbers(student.hessian(np.append(w, 0.7), X))
    assert H.shape == (5, 5), f"{H.shape}"
    assert_matches(H, H.T, **STEPS)
    eigenvalues = np.linalg.eigvalsh(H)
    assert (eigenvalues < 1e-4).all() and (eigenvalues[:4] < -1e-2).all()
    assert_matches(eigenvalues[4], 0, atol=1e-4)


@exercise("hessian")
def test_at_zero_all_examples_are_in_doubt(student, draw):
    """At w = 0 every example has the weight one quarter."""
    X, _, _ = problem(draw)
    assert_matches(student.hessian(np.zeros(3), X), -X.T @ X / 4, **STEPS)


@exercise("hessian")
def test_examples_add_up(student, draw):
    """It is a sum: the matrices of two halves add up to the matrix of the whole, and repeated rows count again."""
    X, _, w = problem(draw)
    whole, cut = bends(w, X), draw.whole(4, 5)
    assert_matches(numbers(student.hessian(w, X[:cut])) + numbers(student.hessian(w, X[cut:])), whole, **STEPS)
    assert_matches(student.hessian(w, np.vstack([X, X, X])), 3 * whole, **STEPS)


@exercise("hessian")
def test_turning_the_weights_around_changes_nothing(student, draw):
    """Doubt is the same for both classes: w and -w have the same matrix."""
    X, _, w = problem(draw)
    assert_matches(student.hessian(-w, X), bends(w, X), **STEPS)


@exercise("hessian", Kind.SIZES)
def test_any_number_of_features(student, draw):
    """One weight or eight: the matrix has a row and a column for each of them."""
    for n, d in [(5, 0), (12, 1), (20, 7)]:
        X, _, w = problem(draw, n, d)
        assert_matches(student.hessian(w, X), bends(w, X), **STEPS)


@exercise("hessian", Kind.STABILITY)
def test_certain_examples_do_not_matter(student, draw):
    """Examples with scores of several hundred, in both directions, add nothing, and no nan."""
    X, _, w = problem(draw)
    assert_matches(student.hessian(w, np.vstack([X, sure_rows(draw, w, 760)])), bends(w, X), **STEPS)


@exercise("hessian", Kind.SPEED)
def test_millions_of_examples_fit(student, draw):
    """Two million examples need neither a loop over the examples nor a matrix with a row and a column for each."""
    X, _, w = problem(draw, 10, 3)
    assert_matches(student.hessian(w, repeated(X, 200_000)), 200_000 * bends(w, X), **MANY)


@exercise("hessian", Kind.SIDE_EFFECT)
def test_weights_and_examples_stay_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    X, _, w = problem(draw)
    leaves_alone(student.hessian, w, X)


@exercise("hessian", Kind.TYPE)
def test_weights_and_examples_may_be_lists(student, draw):
    """Lists of numbers, whole numbers included, are understood like arrays."""
    X, w = np.column_stack([np.ones(4, dtype=int), draw.wholes(4, -2, 2)]), draw.wholes(2, 1, 2)
    assert_matches(student.hessian(w.tolist(), X.tolist()), bends(w, X), **STEPS)
    assert_matches(student.hessian(w, X), bends(w, X), **STEPS)


# --- newton_step ------------------------------------------------------------------------------------------------------


@exercise("newton_step", gate=True)
def test_the_step_ends_on_top_of_the_parabola(student, draw):
    """The old weights minus the inverse Hessian times the gradient, from a start that is not zero, without and with a
    penalty, from which the intercept is free.
    """
    for lam in (0.0, draw.number(1, 4)):
        X, y, w = problem(draw)
        assert_matches(student.newton_step(w, X, y, lam), jump(w, X, y, lam), **STEPS)


@exercise("newton_step")
def test_a_penalty_enters_slope_and_curvature(student, draw):
    """With a penalty the step ends on top of the parabola of the penalised objective, in which the
    intercept is free; without one, `lam` is 0.
    """
    X, y, w = problem(draw)
    for lam in draw.numbers(2, 0.3, 6).tolist():
        assert_matches(student.newton_step(w, X, y, lam=lam), jump(w, X, y, lam), **STEPS)
    assert_matches(student.newton_step(w, X, y), jump(w, X, y), **STEPS)


@exercise("newton_step")
def test_the_intercept_goes_free(student, draw):
    """Under an enormous penalty the other weights have to be zero, and the intercept moves as if it were alone."""
    X, y, _ = problem(draw)
    start = draw.number(0.4, 1.0)
    p = 1 / (1 + np.exp(-start))
    alone = start + (y - p).sum() / (len(y) * p * (1 - p))
    step = student.newton_step(np.array([start, 0.0, 0.0]), X, y, 1e9)
    assert_matches(step, [alone, 0, 0], **STEPS)


@exercise("newton_step")
def test_the_top_is_left_alone(student, draw):
    """At the maximum the gradient is zero, and the step leads nowhere, with and without a penalty."""
    X, y = crowd(draw)
    for lam in (0.0, draw.number(1, 4)):
        top = climb(X, y, lam)[-1]
        assert_matches(student.newton_step(top, X, y, lam), top, **STEPS)


@exercise("newton_step")
def test_other_units_lead_to_the_same_model(student, draw):
    """Mix and rescale the features, and the step is mixed and rescaled with them: the probabilities are the same."""
    X, y, w = problem(draw)
    mix = np.array([[1.0, 0.5, -0.8], [0.0, 2.0, 0.5], [0.0, 0.4, 1.5]]) * [1.0, *draw.numbers(2, 0.6, 1.4)]
    step = numbers(student.newton_step(np.linalg.solve(mix, w), X @ mix, y))
    assert step.shape == (3,), f"{step.shape}"
    assert_matches(mix @ step, jump(w, X, y), **CLIMBS)


@exercise("newton_step")
def test_neither_order_nor_repetition_of_all_rows_matters(student, draw):
    """Rows in another order make the same step; all rows twice, with twice the penalty, too."""
    X, y, w = problem(draw)
    lam, order = draw.number(0.5, 2), draw.order(len(y))
    step = jump(w, X, y, lam)
    assert_matches(student.newton_step(w, X[order], y[order], lam), step, **STEPS)
    assert_matches(student.newton_step(w, np.tile(X, (2, 1)), np.tile(y, 2), 2 * lam), step, **STEPS)


@exercise("newton_step", Kind.SIZES)
def test_other_problems_with_more_features(student, draw):
    """Whatever the data, the start and the penalty, one weight or seven: one jump to the top of the parabola."""
    for n, d, lam in [(7, 0, 0.0), (15, 1, 0.0), (25, 4, 0.0), (30, 6, draw.number(1, 4))]:
        X, y, w = problem(draw, n, d)
        assert_matches(student.newton_step(w, X, y, lam), jump(w, X, y, lam), **CLIMBS)


@exercise("newton_step", Kind.STABILITY)
def test_certain_rows_make_no_nan(student, draw):
    """Rows with scores of several hundred, on the right side, change nothing; on the wrong side they
    pull, and no nan.
    """
    X, y, w = problem(draw)
    more = np.vstack([X, sure_rows(draw, w, 760)])
    assert_matches(student.newton_step(w, more, np.append(y, [1, 0])), jump(w, X, y), **STEPS)
    labels = np.append(y, [1, 1])
    pulled = w - np.linalg.inv(bends(w, X)) @ slopes(w, more, labels)
    assert_matches(student.newton_step(w, more, labels), pulled, **CLIMBS)


@exercise("newton_step", Kind.STABILITY)
def test_grams_and_tons_lead_to_the_same_model(student, draw):
    """Features in units that lie far apart: the weights change with the units, and the model does not."""
    X, y, w = problem(draw)
    units = np.array([1.0, 1e3, 1e-2]) * [1.0, *draw.numbers(2, 0.6, 1.4)]
    step = numbers(student.newton_step(w / units, X * units, y))
    assert step.shape == (3,), f"{step.shape}"
    assert_matches(step * units, jump(w, X, y), **CLIMBS)


@exercise("newton_step", Kind.SPEED)
def test_hundreds_of_thousands_of_rows_make_one_step(student, draw):
    """300,000 examples need no matrix with a row and a column for each of them."""
    X, y, w = problem(draw, 10)
    step = student.newton_step(w, repeated(X, 30_000), repeated(y, 30_000), 30_000.0)
    assert_matches(step, jump(w, X, y, 1.0), **MANY)


@exercise("newton_step", Kind.SIDE_EFFECT)
def test_start_and_data_stay_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    X, y, w = problem(draw)
    leaves_alone(student.newton_step, w, X, y, 0.5)
    leaves_alone(student.newton_step, w, X, y)


@exercise("newton_step", Kind.TYPE)
def test_start_and_data_may_be_lists(student, draw):
    """Lists, whole numbers and truth values are understood like arrays of numbers."""
    X, w = np.column_stack([np.ones(5, dtype=int), draw.wholes(5, -2, 2)]), draw.wholes(2, 1, 2)
    y = draw.labels(5)
    assert_matches(student.newton_step(w.tolist(), X.tolist(), y.tolist(), 1), jump(w, X, y, 1), **STEPS)
    assert_matches(student.newton_step(w, X, y == 1, 1), jump(w, X, y, 1), **STEPS)


# --- newton_fit -------------------------------------------------------------------------------------------------------


def fit(student, *args, **kwargs):
    """The student's weights and history, as arrays of finite numbers."""
    w, history = parts(student.newton_fit(*args, **kwargs), 2)
    w, history = numbers(w), numbers(history)
    assert w.shape == (np.shape(args[0])[1],) and history.ndim == 1 and len(history) >= 1, f"{w.shape}, {history.shape}"
    return w, history


def assert_climbs(student, X, y, lam):
    """Fail unless the top is reached, and the history tells the heights of Newton's steps, however many follow."""
    path = climb(X, y, lam)
    w, history = fit(student, X, y, lam)
    assert_matches(w, path[-1], **CLIMBS)
    heights = [height(v, X, y, lam) for v in path]
    assert len(history) >= 4, f"{len(history)} heights"  # that many steps are needed for the digits that are asked for
    heights += [heights[-1]] * (len(history) - len(heights))  # other rules stop a step sooner or later
    assert_matches(history, heights[: len(history)], rtol=1e-5)


def assert_at_the_top(w, X, y, lam=0.0):
    """Fail unless all slopes are as good as zero."""
    assert_matches(slopes(w, X, y, lam), np.zeros(len(w)), atol=1e-4)


@exercise("newton_fit", gate=True)
def test_steps_lead_to_the_top_and_the_history_tells_their_heights(student, draw):
    """At the weights that come back every slope is zero, without and with a penalty; history holds the objective at
    w = 0 and after every step, the last one at the weights that come back.
    """
    for lam in (0.0, draw.number(2, 5)):
        X, y = crowd(draw)
        X[:, 2] *= 3  # a long ridge, on which steps along the gradient are slow
        assert_climbs(student, X, y, lam)


@exercise("newton_fit")
def test_a_few_steps_suffice_on_good_natured_data(student, draw):
    """On data that are neither separable nor treacherous the top is reached, to nine digits, in at most ten steps."""
    for d in (1, 2, 3):
        X, y = crowd(draw, 11, d)
        w, history = fit(student, X, y)
        assert_at_the_top(w, X, y)
        needed = int(np.argmax(history > history[-1] - 1e-9 * abs(history[-1])))
        assert needed <= 10, f"{needed} steps"


@exercise("newton_fit")
def test_a_penalty_moves_the_top_and_spares_the_intercept(student, draw):
    """With a penalty the slopes of the penalised objective are zero, and the mean probability is the share of ones."""
    X, y = crowd(draw, 9, 3)
    for lam in (draw.number(0.4, 0.9), draw.number(15, 25)):
        w, history = fit(student, X, y, lam=lam)
        assert_at_the_top(w, X, y, lam)
        assert_matches(probability(w, X).mean(), y.mean(), **STEPS)
        assert_matches(history[-1], height(w, X, y, lam), rtol=1e-5)


@exercise("newton_fit")
def test_a_stronger_penalty_means_shorter_weights(student, draw):
    """The stronger the penalty, the shorter the weights other than the intercept, down to zero."""
    X, y = crowd(draw)
    lengths = [np.linalg.norm(fit(student, X, y, lam)[0][1:]) for lam in (0.0, 0.3, 3.0, 30.0, 1e6)]
    assert (np.diff(lengths) < 0).all()
    assert_matches(lengths[-1], 0, atol=1e-3)


@exercise("newton_fit", Kind.SIZES)
def test_an_intercept_alone_or_many_features(student, draw):
    """With no feature the best probability is the share of ones; with five features steps are made as with two."""
    _, y = crowd(draw)
    w, _ = fit(student, np.ones((len(y), 1)), y)
    assert_matches(w, [np.log(y.mean() / (1 - y.mean()))], **STEPS)
    X, y = crowd(draw, 13, 5)
    assert_climbs(student, X, y, draw.number(0.5, 2))


@exercise("newton_fit", Kind.EDGE)
def test_a_penalty_gives_separable_data_a_top(student, draw):
    """Separable data have a finite maximum as soon as there is a penalty, and it is found."""
    X, y = behind_ones(draw.numbers((7, 1), -3, 3)), draw.labels(7)
    y = (X[:, 1] > np.sort(X[:, 1])[y.sum()]).astype(int)
    for lam in (0.01, draw.number(0.5, 2)):
        w, history = fit(student, X, y, lam)
        assert_at_the_top(w, X, y, lam)
        assert (np.diff(history) > -1e-5).all()


@exercise("newton_fit", Kind.EDGE)
def test_dependent_columns_with_a_penalty_share_the_work(student, draw):
    """With a penalty dependent columns are welcome: two equal columns get equal weights."""
    X, y = crowd(draw, 9, 1)
    twice, lam = np.column_stack([X, X[:, 1]]), draw.number(0.3, 0.8)
    w, _ = fit(student, twice, y, lam)
    assert_at_the_top(w, twice, y, lam)
    assert_matches(w[1], w[2], **STEPS)


@exercise("newton_fit", Kind.EDGE)
def test_max_iter_counts_steps(student, draw):
    """No step means that all weights are zero, one step means Newton's step from zero, and two mean two."""
    X, y = crowd(draw)
    lam = draw.number(0.5, 2)
    for steps, weights in enumerate(climb(X, y, lam, 2)):
        w, _ = parts(student.newton_fit(X, y, lam, max_iter=steps), 2)
        assert_matches(w, weights, **STEPS)


@exercise("newton_fit", Kind.EDGE)
def test_a_generous_tolerance_ends_the_climb_earlier(student, draw):
    """A generous tolerance ends the climb earlier; a strict one leads to the top."""
    X, y = crowd(draw)
    _, short = fit(student, X, y, tol=0.5)
    w, long = fit(student, X, y, tol=1e-9)
    assert_at_the_top(w, X, y)
    assert len(short) < len(long), f"{len(short)} heights and {len(long)}"


@exercise("newton_fit", Kind.EDGE)
def test_the_tolerance_is_a_limit_for_slopes(student, draw):
    """The climb ends when no entry of the gradient exceeds `tol`, and not before: also where features are so large
    that a tiny step, or a tiny gain, leaves large slopes.
    """
    X, y = crowd(draw)
    X[:, 1] *= draw.number(8e3, 1.2e4)
    tol = float(np.abs(slopes(climb(X, y, steps=2)[-1], X, y)).max() / 3)  # two steps are too few, three are enough
    w, _ = fit(student, X, y, tol=tol)
    steepest = np.abs(slopes(w, X, y)).max()
    assert steepest <= tol, f"a slope of {steepest:.3g} with tol = {tol:.3g}"


@exercise("newton_fit", Kind.STABILITY)
def test_no_step_ever_leads_down(student, draw):
    """On data where whole steps lead down, halved steps lead up, and in the end to the top."""
    for X, y in treacherous(draw):
        w, history = fit(student, X, y)
        assert (np.diff(history) > -1e-5).all(), f"down by {-np.diff(history).min():.3g}"
        assert_at_the_top(w, X, y)
        assert_matches(history[-1], height(w, X, y))


@exercise("newton_fit", Kind.STABILITY)
def test_a_step_that_leads_down_is_halved(student, draw):
    """A step that leads down is replaced by its half, its quarter, and so on: by the first of them that does not."""
    for X, y in treacherous(draw):
        w, share, heights = np.zeros(4), 1.0, [height(np.zeros(4), X, y)]
        while share == 1:  # up to and including the first step that has to be shortened
            step = jump(w, X, y) - w
            while height(w + share * step, X, y) < heights[-1]:
                share /= 2
            w = w + share * step
            heights.append(height(w, X, y))
        _, history = fit(student, X, y)
        assert_matches(history[: len(heights)], heights, rtol=1e-5)


@exercise("newton_fit", Kind.STABILITY)
def test_grams_are_as_good_as_kilograms(student, draw):
    """Features of very different sizes, far from zero, lead to the same model as standardised ones."""
    X, y = crowd(draw)
    far, near = draw.number(4000, 5000), draw.number(15, 20)
    raw = np.column_stack([X[:, 0], near + 2 * X[:, 1], far + 800 * X[:, 2]])
    in_grams, _ = fit(student, raw, y)
    assert_matches(raw @ in_grams, X @ climb(X, y)[-1], **CLIMBS)


@exercise("newton_fit", Kind.SIDE_EFFECT)
def test_examples_and_labels_stay_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    X, y = crowd(draw)
    leaves_alone(student.newton_fit, X, y, 0.5)
    leaves_alone(student.newton_fit, X, y)


@exercise("newton_fit", Kind.TYPE)
def test_examples_and_labels_may_be_lists(student, draw):
    """Lists, whole numbers and truth values are understood like arrays of numbers."""
    X = np.repeat(np.column_stack([np.ones(3, dtype=int), draw.wholes(3, -2, 3)]), 3, axis=0)
    y = np.array([[0, 0, 1], [0, 1, 1], [0, 0, 1]])[draw.rng.permutation(3)].ravel()
    w, _ = fit(student, X.tolist(), y.tolist())
    assert_at_the_top(w, X, y)
    same, _ = fit(student, X, y == 1)
    assert_matches(same, w, **STEPS)


# --- quadratic_features -----------------------------------------------------------------------------------------------


@exercise("quadratic_features", gate=True)
def test_five_columns_in_the_agreed_order(student, draw):
    """The two features, then their squares, then their product, one column each and nothing else; with
    interaction=False, all but the product.
    """
    rows = draw.numbers((4, 2), 0.3, 3) * [[1], [-1], [1], [1]]
    assert_matches(student.quadratic_features(rows), [[a, b, a * a, b * b, a * b] for a, b in rows])
    assert_matches(student.quadratic_features(rows, interaction=False), [[a, b, a * a, b * b] for a, b in rows])


@exercise("quadratic_features")
def test_without_interaction_the_product_is_missing(student, draw):
    """With interaction=False, by name or by position, there are four columns, without the product; with True, five."""
    rows = draw.numbers((3, 2), -2, 4)
    four = [[a, b, a * a, b * b] for a, b in rows]
    assert_matches(student.quadratic_features(rows, interaction=False), four)
    assert_matches(student.quadratic_features(rows, False), four)
    assert numbers(student.quadratic_features(rows, True)).shape == (3, 5)


@exercise("quadratic_features")
def test_a_turned_ellipse_is_a_weighted_sum_of_the_columns(student, draw):
    """Any conic section, turned and moved as you like, is zero of a weighted sum of a constant and the five columns."""
    points, angle, (a, b) = draw.numbers((20, 2), -2, 2), draw.number(0.3, 1.2), draw.coefficients(2, 0.8)
    c, s = np.cos(angle), np.sin(angle)
    u, v = ((points - [a, b]) @ np.array([[c, -s], [s, c]])).T
    columns = numbers(student.quadratic_features(points))
    assert columns.shape == (20, 5)
    A, B, C = c * c / 4 + s * s, s * s / 4 + c * c, 2 * c * s * (1 / 4 - 1)
    weights = np.array([-2 * A * a - C * b, -2 * B * b - C * a, A, B, C])
    assert_matches(columns @ weights + A * a * a + B * b * b + C * a * b, u**2 / 4 + v**2, **STEPS)


@exercise("quadratic_features", Kind.SIZES)
def test_one_row_or_hundreds(student, draw):
    """One row gives one row, and hundreds of rows give hundreds, each from its own two numbers."""
    for n in (1, 300):
        rows = draw.numbers((n, 2), -3, 3)
        assert_matches(student.quadratic_features(rows), [[a, b, a * a, b * b, a * b] for a, b in rows])


@exercise("quadratic_features", Kind.EDGE)
def test_no_row_gives_no_row(student):
    """A table without rows gives a table without rows, with all columns."""
    assert numbers(student.quadratic_features(np.empty((0, 2)))).shape == (0, 5)
    assert numbers(student.quadratic_features(np.empty((0, 2)), False)).shape == (0, 4)


@exercise("quadratic_features", Kind.TYPE)
def test_whole_numbers_become_floats(student, draw):
    """Whole numbers come back as floats."""
    rows = draw.wholes((3, 2), -120, 120)
    table = student.quadratic_features(rows)
    assert_matches(table, [[a, b, a * a, b * b, a * b] for a, b in rows.tolist()])
    assert_type(table, "f")


@exercise("quadratic_features", Kind.TYPE)
def test_the_measurements_may_be_a_list(student, draw):
    """A list of pairs is understood like an array."""
    first, second = draw.wholes((2, 2), -4, 5).tolist()
    expected = [[a, b, a * a, b * b] for a, b in (first, second)]
    assert_matches(student.quadratic_features([first, tuple(second)], False), expected)


@exercise("quadratic_features", Kind.SIDE_EFFECT)
def test_the_measurements_stay_as_they_were(student, draw):
    """The caller's array belongs to the caller: after the call it holds what it held before."""
    leaves_alone(student.quadratic_features, draw.numbers((4, 2), 1.5, 4))
    leaves_alone(student.quadratic_features, draw.numbers((3, 2), 1.5, 4), False)


# --- irls_step --------------------------------------------------------------------------------------------------------


@exercise("irls_step", gate=True)
def test_weighted_least_squares_makes_newtons_step(student, draw):
    """Weighted least squares with the right weights and targets ends where Newton's step ends."""
    X, y, w = problem(draw)
    assert_matches(student.irls_step(w, X, y), jump(w, X, y), **STEPS)


@exercise("irls_step")
def test_from_any_start_it_is_newtons_step(student, draw):
    """Whatever the data and the start: the same weights as after Newton's step."""
    for _ in range(3):
        X, y, w = problem(draw)
        assert_matches(student.irls_step(w, X, y), jump(w, X, y), **STEPS)


@exercise("irls_step")
def test_at_the_top_targets_lead_back_to_it(student, draw):
    """At the maximum the least-squares problem has the same weights as its solution."""
    X, y = crowd(draw)
    top = climb(X, y)[-1]
    assert_matches(student.irls_step(top, X, y), top, **STEPS)


@exercise("irls_step")
def test_the_order_of_the_rows_is_of_no_importance(student, draw):
    """Each row keeps its weight and its target, in whatever order the rows come."""
    X, y, w = problem(draw)
    order = draw.order(len(y))
    assert_matches(student.irls_step(w, X[order], y[order]), jump(w, X, y), **STEPS)


@exercise("irls_step", Kind.SIZES)
def test_other_data_make_newtons_step_too(student, draw):
    """However many features there are, none or six: the same weights as after Newton's step."""
    for n, d in [(7, 0), (15, 1), (25, 4), (40, 6)]:
        X, y, w = problem(draw, n, d)
        assert_matches(student.irls_step(w, X, y), jump(w, X, y), **CLIMBS)


@exercise("irls_step", Kind.STABILITY)
def test_small_weights_are_weights(student, draw):
    """Scores of 10 have weights far below a thousandth, and far above any limit: they are used as they are."""
    X, y, w = problem(draw)
    X, y = np.vstack([X, sure_rows(draw, w, 10)]), np.append(y, [1, 0])
    assert_matches(student.irls_step(w, X, y), jump(w, X, y), **CLIMBS)


@exercise("irls_step", Kind.STABILITY)
def test_vanishing_weights_are_raised_to_a_limit(student, draw):
    """Scores of 50, also on the wrong side: weights that vanish are raised to a small number, and the
    step is finite.
    """
    few, labels, w = problem(draw)
    X = np.vstack([few, sure_rows(draw, w, 50)])
    for extra in ([1, 0], [0, 0], [1, 1]):
        y = np.append(labels, extra)
        limits = np.logspace(-15, -6, 10)  # whichever of them was chosen, the step ends between these ends
        ends = np.array([w + np.linalg.solve((X.T * np.maximum(doubt(w, X), c)) @ X, slopes(w, X, y)) for c in limits])
        step = numbers(student.irls_step(w, X, y))
        assert_matches(step, np.clip(step, ends.min(axis=0), ends.max(axis=0)), rtol=1e-3, atol=1e-3)


@exercise("irls_step", Kind.STABILITY)
def test_a_model_that_is_sure_of_everything_moves_finitely(student, draw):
    """If all scores are 50 or more in size and some are wrong, the step is long, but finite."""
    X, w = behind_ones((draw.numbers(4, 50, 60) * [1, 1, -1, -1])[:, None]), np.array([0.0, 1.0])
    step = numbers(student.irls_step(w, X, np.array([1, 0, 0, 0])))
    # how far it leads, and where to, depends on how weights are kept from vanishing
    assert step.shape == (2,) and np.linalg.norm(step - w) > 10, f"{step.shape}, {step}"


@exercise("irls_step", Kind.SPEED)
def test_hundreds_of_thousands_of_rows_make_one_problem(student, draw):
    """300,000 examples need no matrix with a row and a column for each of them."""
    X, y, w = problem(draw, 10)
    assert_matches(student.irls_step(w, repeated(X, 30_000), repeated(y, 30_000)), jump(w, X, y), **MANY)


@exercise("irls_step", Kind.SIDE_EFFECT)
def test_nothing_that_was_handed_over_is_changed(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    X, y, w = problem(draw)
    leaves_alone(student.irls_step, w, X, y)


@exercise("irls_step", Kind.TYPE)
def test_everything_may_be_handed_over_in_lists(student, draw):
    """Lists, whole numbers and truth values are understood like arrays of numbers."""
    X, w = np.column_stack([np.ones(5, dtype=int), draw.wholes(5, -2, 2)]), draw.wholes(2, 1, 2)
    y = draw.labels(5)
    assert_matches(student.irls_step(w.tolist(), X.tolist(), y.tolist()), jump(w, X, y), **CLIMBS)
    assert_matches(student.irls_step(w, X, y == 1), jump(w, X, y), **CLIMBS)


# --- what the notebook promises ---------------------------------------------------------------------------------------

PROMISES = {
    "newton_coin": {
        "other starts and samples": "test_any_coin_from_any_start",
        "steps from one half": "test_from_one_half_a_single_step_suffices",
        "the start $n_1 / n$": "test_the_share_of_heads_is_where_steps_end",
        "samples without tails or without heads": "test_a_parabola_knows_nothing_of_walls",
        "twice as many flips of each kind": "test_twice_the_flips_make_the_same_step",
        "Raise a `ValueError` for it.": Ungraded("The task says that starts outside of (0, 1) are not graded."),
        "ValueError If theta is not strictly between 0 and 1.": Ungraded(
            "The task says that starts outside of (0, 1) are not graded."
        ),
    },
    "hessian": {
        "other data with unequal numbers of rows and columns": "test_any_number_of_features",
        "symmetry, and the sign of the curvature in every direction": "test_the_hill_bends_down_in_every_direction",
        "slopes measured on both sides": "test_it_is_how_slopes_change",
        "$w = 0$": "test_at_zero_all_examples_are_in_doubt",
        "rows added or repeated": "test_examples_add_up",
        "scores as large as $\\pm 800$": "test_certain_examples_do_not_matter",
        "two million examples": "test_millions_of_examples_fit",
        "arguments left alone": "test_weights_and_examples_stay_as_they_were",
        "Keep the weights $p_i (1 - p_i)$ in a vector, and let broadcasting multiply the rows of $X$, or the columns "
        "of $X^\\top$, by them.": "test_millions_of_examples_fit",
        "One example per row, with ones in column 0. n may be large: no n times n matrix is formed.": (
            "test_millions_of_examples_fit"
        ),
    },
    "newton_step": {
        "starts other than 0, unbalanced labels, several features": (
            "test_the_step_ends_on_top_of_the_parabola",
            "test_other_problems_with_more_features",
        ),
        "the penalty in both places, and not on the intercept": (
            "test_a_penalty_enters_slope_and_curvature",
            "test_the_intercept_goes_free",
        ),
        "that the top is left alone": "test_the_top_is_left_alone",
        "other units of the features": (
            "test_other_units_lead_to_the_same_model",
            "test_grams_and_tons_lead_to_the_same_model",
        ),
        "rows repeated or reordered": "test_neither_order_nor_repetition_of_all_rows_matters",
        "scores as large as $\\pm 800$ in some rows": "test_certain_rows_make_no_nan",
        "300,000 examples": "test_hundreds_of_thousands_of_rows_make_one_step",
        "arguments left alone": "test_start_and_data_stay_as_they_were",
        "One example per row, with ones in column 0. n may be large: no n times n matrix is formed.": (
            "test_hundreds_of_thousands_of_rows_make_one_step"
        ),
    },
    "newton_fit": {
        "the score equations at the top": "test_steps_lead_to_the_top_and_the_history_tells_their_heights",
        "the values of the objective": "test_steps_lead_to_the_top_and_the_history_tells_their_heights",
        "at most 10 steps on good-natured data": "test_a_few_steps_suffice_on_good_natured_data",
        "data on which undamped steps lead down": (
            "test_no_step_ever_leads_down",
            "test_a_step_that_leads_down_is_halved",
        ),
        "penalties, and the free intercept": (
            "test_a_penalty_moves_the_top_and_spares_the_intercept",
            "test_a_stronger_penalty_means_shorter_weights",
        ),
        "separable data and dependent columns, both with a penalty": (
            "test_a_penalty_gives_separable_data_a_top",
            "test_dependent_columns_with_a_penalty_share_the_work",
        ),
        "`max_iter`": "test_max_iter_counts_steps",
        "`tol` on badly scaled features": (
            "test_a_generous_tolerance_ends_the_climb_earlier",
            "test_the_tolerance_is_a_limit_for_slopes",
        ),
        "other units of the features": "test_grams_are_as_good_as_kilograms",
        "arguments left alone": "test_examples_and_labels_stay_as_they_were",
        "If the columns of $X$ are linearly dependent and there is no penalty, there is no single best $w$: raise a "
        "`ValueError`. (Rounding often hides a singular matrix from `np.linalg.solve`; `np.linalg.matrix_rank(X)` "
        "counts the independent columns.) On separable data there is no best $w$ either (section 6): the slopes fade "
        "away while $w$ grows, and step 1 ends the climb.": Ungraded(
            "The task says that without a penalty neither dependent columns nor separable data are graded."
        ),
        "The objective, log-likelihood minus penalty, at the start w = 0 and after each step; it never decreases (by "
        "more than rounding), because steps are halved.": (
            "test_steps_lead_to_the_top_and_the_history_tells_their_heights",
            "test_no_step_ever_leads_down",
        ),
        "ValueError If lam is 0 and the columns of X are linearly dependent.": Ungraded(
            "The task says that dependent columns without a penalty are not graded."
        ),
    },
    "quadratic_features": {
        "other numbers": "test_five_columns_in_the_agreed_order",
        "the order of the columns": "test_five_columns_in_the_agreed_order",
        "both settings of `interaction`": "test_without_interaction_the_product_is_missing",
        "whole numbers": "test_whole_numbers_become_floats",
        "a rotated ellipse": "test_a_turned_ellipse_is_a_weighted_sum_of_the_columns",
        "a single row and no row": ("test_one_row_or_hundreds", "test_no_row_gives_no_row"),
        "arguments left alone": "test_the_measurements_stay_as_they_were",
        "Anything but two columns is a `ValueError`.": Ungraded(
            "The task says that tables with more or fewer columns are not graded."
        ),
        "The features x1 and x2, without a column of ones. n may be 0.": "test_no_row_gives_no_row",
        "ValueError If X does not have exactly two columns.": Ungraded(
            "The task says that tables with more or fewer columns are not graded."
        ),
    },
    "irls_step": {
        "other data and starts": ("test_from_any_start_it_is_newtons_step", "test_other_data_make_newtons_step_too"),
        "agreement with Newton's step": "test_weighted_least_squares_makes_newtons_step",
        "that the top is left alone": "test_at_the_top_targets_lead_back_to_it",
        "scores of $\\pm 10$, which need no repair, and of $\\pm 50$, which do": (
            "test_small_weights_are_weights",
            "test_vanishing_weights_are_raised_to_a_limit",
        ),
        "rows reordered": "test_the_order_of_the_rows_is_of_no_importance",
        "300,000 examples": "test_hundreds_of_thousands_of_rows_make_one_problem",
        "arguments left alone": "test_nothing_that_was_handed_over_is_changed",
        "The step is then no longer exactly Newton's, but it is finite.": (
            "test_vanishing_weights_are_raised_to_a_limit",
            "test_a_model_that_is_sure_of_everything_moves_finitely",
        ),
        "One example per row, with ones in column 0; the columns are linearly independent. n may be large: no n times "
        "n matrix is formed.": "test_hundreds_of_thousands_of_rows_make_one_problem",
    },
}
