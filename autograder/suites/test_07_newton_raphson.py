"""Hidden suite for 07_newton_raphson. A failing check shows the student its docstring, no more."""

from fractions import Fraction

import numpy as np

from autograder.course.suite import assert_matches, exercise, numbers, parts, unchanged

# Nine examples with two features, unbalanced labels, and weights at which no two examples look alike.
X9 = np.array(
    [
        [1, 0.5, -1.0],
        [1, 1.5, 2.0],
        [1, -0.5, 0.3],
        [1, 2.2, -0.7],
        [1, -1.1, 1.4],
        [1, 0.1, 0.9],
        [1, 3.0, 0.4],
        [1, -2.0, -1.2],
        [1, 0.8, 1.1],
    ]
)
Y9 = np.array([0, 1, 0, 1, 1, 0, 1, 1, 1])
W9 = np.array([0.4, -0.6, 0.3])

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


def height(w, X, y, lam=0.0):
    """The penalised log-likelihood."""
    return -np.logaddexp(0, np.where(np.asarray(y) == 1, -1, 1) * (X @ w)).sum() - lam * sum(v * v for v in w[1:]) / 2


def behind_ones(features):
    """The features with a column of ones in front."""
    features = np.asarray(features, dtype=float)
    return np.column_stack([np.ones(len(features)), features])


def sample(seed, n, d, strength=1.0):
    """Random examples whose labels follow a logistic model, both labels among them, and random weights."""
    rng = np.random.default_rng(seed)
    X = behind_ones(rng.normal(size=(n, d)))
    y = (rng.random(n) < probability(strength * rng.normal(size=d + 1), X)).astype(int)
    y[:2] = 0, 1
    return X, y, rng.normal(size=d + 1)


# --- newton_coin ------------------------------------------------------------------------------------------------------


def coin_step(theta, n1, n0):
    """The step in exact fractions."""
    slope = n1 / theta - n0 / (1 - theta)
    return float(theta + slope / (n1 / theta**2 + n0 / (1 - theta) ** 2))


@exercise("newton_coin", gate=True, weight=4)
def test_slope_over_curvature_leads_to_the_top_of_the_parabola(student):
    """The step ends where the parabola with the slope and the curvature of the log-likelihood is highest."""
    assert_matches(student.newton_coin(0.3, 2, 6), coin_step(Fraction(3, 10), 2, 6))


@exercise("newton_coin", weight=2)
def test_any_coin_from_any_start(student):
    """Whatever the coin and the start, on either side of the top: minus slope over curvature."""
    for numerator, n1, n0 in np.random.default_rng(1).integers(1, 20, size=(20, 3)).tolist():
        theta = Fraction(numerator, 20)
        assert_matches(student.newton_coin(float(theta), n1, n0), coin_step(theta, n1, n0))


@exercise("newton_coin")
def test_from_one_half_a_single_step_suffices(student):
    """From one half every coin is solved in a single step."""
    for n1, n0 in [(1, 4), (13, 2), (50, 50), (311, 89)]:
        assert_matches(student.newton_coin(0.5, n1, n0), n1 / (n1 + n0))


@exercise("newton_coin")
def test_the_share_of_heads_is_where_steps_end(student):
    """At the maximum the slope is zero, and a step leads nowhere."""
    assert_matches(student.newton_coin(0.375, 3, 5), 0.375)


@exercise("newton_coin")
def test_twice_the_flips_make_the_same_step(student):
    """Twice as many heads and tails: twice the slope, twice the curvature, the same step."""
    once = coin_step(Fraction(1, 8), 4, 9)
    assert_matches([student.newton_coin(0.125, 4, 9), student.newton_coin(0.125, 8, 18)], [once, once])


@exercise("newton_coin")
def test_heads_and_tails_may_trade_places(student):
    """Calling heads tails turns the picture around: the mirrored start leads to the mirrored end."""
    there, mirrored = student.newton_coin(0.15, 6, 11), student.newton_coin(0.85, 11, 6)
    assert_matches([there, mirrored], [coin_step(Fraction(3, 20), 6, 11), 1 - coin_step(Fraction(3, 20), 6, 11)])


@exercise("newton_coin", weight=2)
def test_a_parabola_knows_nothing_of_walls(student):
    """If only one side was ever seen, the step doubles the distance from the other wall, even past the end."""
    assert_matches([student.newton_coin(0.35, 6, 0), student.newton_coin(0.7, 6, 0)], [0.7, 1.4])
    assert_matches([student.newton_coin(0.6, 0, 4), student.newton_coin(0.35, 0, 4)], [0.2, -0.3])


# --- hessian ----------------------------------------------------------------------------------------------------------


@exercise("hessian", gate=True, weight=4)
def test_every_example_bends_the_hill_by_its_doubt(student):
    """Minus the sum over all examples of p (1 - p) times the products of their features."""
    assert_matches(student.hessian(W9, X9), bends(W9, X9), rtol=1e-8)


@exercise("hessian", weight=2)
def test_any_number_of_features(student):
    """One weight or eight: the matrix has a row and a column for each of them."""
    for seed, (n, d) in enumerate([(5, 0), (12, 1), (20, 7)], start=2):
        X, _, w = sample(seed, n, d)
        assert_matches(student.hessian(w, X), bends(w, X), rtol=1e-8)


@exercise("hessian")
def test_it_is_how_slopes_change(student):
    """Each column says how the gradient changes along one weight, measured on both sides."""
    h = 1e-5
    columns = [(slopes(W9 + nudge, X9, Y9) - slopes(W9 - nudge, X9, Y9)) / (2 * h) for nudge in h * np.eye(3)]
    assert_matches(student.hessian(W9, X9), np.column_stack(columns), rtol=1e-6, atol=1e-8)


@exercise("hessian")
def test_the_hill_bends_down_in_every_direction(student):
    """The matrix is symmetric, and no eigenvalue is positive; a direction that no example notices has curvature 0."""
    X, _, w = sample(6, 30, 3)
    X = np.column_stack([X, X[:, 1] - 2 * X[:, 3]])  # dependent columns
    H = numbers(student.hessian(np.append(w, 0.7), X))
    assert_matches(H, H.T, atol=1e-9)
    eigenvalues = np.linalg.eigvalsh(H)
    assert (eigenvalues < 1e-9).all() and (eigenvalues[:4] < -1e-3).all()
    assert_matches(eigenvalues[4], 0, atol=1e-9)


@exercise("hessian")
def test_at_zero_all_examples_are_in_doubt(student):
    """At w = 0 every example has the weight one quarter."""
    assert_matches(student.hessian(np.zeros(3), X9), -X9.T @ X9 / 4)


@exercise("hessian")
def test_examples_add_up(student):
    """It is a sum: the matrices of two halves add up to the matrix of the whole, and repeated rows count again."""
    whole = numbers(student.hessian(W9, X9))
    assert_matches(numbers(student.hessian(W9, X9[:4])) + numbers(student.hessian(W9, X9[4:])), whole)
    assert_matches(student.hessian(W9, np.vstack([X9, X9, X9])), 3 * whole)


@exercise("hessian")
def test_turning_the_weights_around_changes_nothing(student):
    """Doubt is the same for both classes: w and -w have the same matrix."""
    assert_matches(student.hessian(-W9, X9), bends(W9, X9), rtol=1e-8)


@exercise("hessian", weight=2)
def test_certain_examples_do_not_matter(student):
    """Examples with scores of several hundred, in both directions, add nothing, and no nan."""
    sure = np.array([[1, 800.0, 0.0], [1, -800.0, 0.0], [1, 0.0, 750.0]])
    assert_matches(
        student.hessian([0.4, -1.0, 1.0], np.vstack([X9, sure])), bends(np.array([0.4, -1.0, 1.0]), X9), rtol=1e-8
    )


@exercise("hessian", weight=3)
def test_millions_of_examples_fit(student):
    """Two million examples need neither a loop over the examples nor a matrix with a row and a column for each."""
    rng = np.random.default_rng(7)
    few = np.column_stack([np.ones(100, dtype=np.int8), rng.integers(-2, 3, size=(100, 3), dtype=np.int8)])
    w = np.array([0.3, -0.5, 0.2, 0.7])
    assert_matches(student.hessian(w, np.tile(few, (20_000, 1))), 20_000 * bends(w, few.astype(float)), rtol=1e-7)


@exercise("hessian")
def test_weights_and_examples_stay_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.hessian, W9.copy(), X9.copy())


@exercise("hessian")
def test_weights_and_examples_may_be_lists(student):
    """Lists of numbers, whole numbers included, are understood like arrays."""
    X = np.array([[1, 2], [1, -1], [1, 0]])
    assert_matches(student.hessian([1, -1], X.tolist()), bends(np.array([1, -1]), X), rtol=1e-8)


# --- newton_step ------------------------------------------------------------------------------------------------------


@exercise("newton_step", gate=True, weight=4)
def test_the_step_ends_on_top_of_the_parabola(student):
    """The old weights minus the inverse Hessian times the gradient, from a start that is not zero."""
    assert_matches(student.newton_step(W9, X9, Y9), jump(W9, X9, Y9), rtol=1e-7)


@exercise("newton_step", weight=3)
def test_a_penalty_enters_slope_and_curvature(student):
    """With a penalty the step ends on top of the parabola of the penalised objective, in which the
    intercept is free.
    """
    for lam in (0.3, 5.0):
        assert_matches(student.newton_step(W9, X9, Y9, lam), jump(W9, X9, Y9, lam), rtol=1e-7)
    assert_matches(student.newton_step(W9, X9, Y9, lam=0.0), jump(W9, X9, Y9), rtol=1e-7)


@exercise("newton_step", weight=2)
def test_other_problems_with_more_features(student):
    """Whatever the data, the start and the penalty: slopes and curvatures of the objective, and one jump."""
    for seed, (n, d, lam) in enumerate([(6, 0, 0.0), (15, 1, 0.0), (25, 4, 0.0), (30, 6, 2.0)], start=10):
        X, y, w = sample(seed, n, d)
        assert_matches(student.newton_step(w, X, y, lam), jump(w, X, y, lam), rtol=1e-6, atol=1e-9)


@exercise("newton_step")
def test_the_intercept_goes_free(student):
    """Under an enormous penalty the other weights have to be zero, and the intercept moves as if it were alone."""
    p = 1 / (1 + np.exp(-0.8))
    alone = 0.8 + (Y9 - p).sum() / (9 * p * (1 - p))
    assert_matches(student.newton_step([0.8, 0.0, 0.0], X9, Y9, 1e9), [alone, 0, 0], rtol=1e-6, atol=1e-6)


@exercise("newton_step")
def test_the_top_is_left_alone(student):
    """At the maximum the gradient is zero, and the step leads nowhere, with and without a penalty."""
    X, y, _ = sample(14, 40, 2)
    for lam in (0.0, 1.5):
        top = np.zeros(3)
        for _ in range(30):
            top = jump(top, X, y, lam)
        assert_matches(student.newton_step(top, X, y, lam), top, rtol=1e-8, atol=1e-9)


@exercise("newton_step", weight=2)
def test_other_units_lead_to_the_same_model(student):
    """Mix and rescale the features, and the step is mixed and rescaled with them: the probabilities are the same."""
    mix = np.array([[1.0, 0.5, -2.0], [0.0, 3.0, 1.0], [0.0, 0.4, 2.0]])
    start = np.linalg.solve(mix, W9)
    assert_matches(student.newton_step(start, X9 @ mix, Y9), np.linalg.solve(mix, jump(W9, X9, Y9)), rtol=1e-6)
    grams = np.array([1.0, 1e4, 1e-3])
    assert_matches(student.newton_step(W9 / grams, X9 * grams, Y9), jump(W9, X9, Y9) / grams, rtol=1e-5)


@exercise("newton_step")
def test_neither_order_nor_repetition_of_all_rows_matters(student):
    """Rows in another order make the same step; all rows twice, with twice the penalty, too."""
    order = [4, 0, 8, 2, 6, 1, 7, 5, 3]
    assert_matches(student.newton_step(W9, X9[order], Y9[order], 0.7), jump(W9, X9, Y9, 0.7), rtol=1e-7)
    assert_matches(student.newton_step(W9, np.tile(X9, (2, 1)), np.tile(Y9, 2), 1.4), jump(W9, X9, Y9, 0.7), rtol=1e-7)


@exercise("newton_step")
def test_certain_rows_make_no_nan(student):
    """Rows with scores of several hundred, on the right side, change nothing; on the wrong side they
    pull, and no nan.
    """
    w = np.array([0.4, -1.0, 1.0])
    X = np.vstack([X9, [[1, 800.0, 0.0], [1, 0.0, 750.0]]])
    assert_matches(student.newton_step(w, X, np.append(Y9, [0, 1])), jump(w, X9, Y9), rtol=1e-6)
    y = np.append(Y9, [0, 0])
    assert_matches(student.newton_step(w, X, y), w - np.linalg.inv(bends(w, X9)) @ slopes(w, X, y), rtol=1e-6)


@exercise("newton_step", weight=2)
def test_hundreds_of_thousands_of_rows_make_one_step(student):
    """300,000 examples need no matrix with a row and a column for each of them."""
    few, labels, w = sample(15, 100, 2)
    step = student.newton_step(w, np.tile(few, (3000, 1)), np.tile(labels, 3000), 3000.0)
    assert_matches(step, jump(w, few, labels, 1.0), rtol=1e-6)


@exercise("newton_step")
def test_start_and_data_stay_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.newton_step, W9.copy(), X9.copy(), Y9.astype(float), 0.5)
    unchanged(student.newton_step, W9.copy(), X9.copy(), Y9.copy())


@exercise("newton_step")
def test_start_and_data_may_be_lists(student):
    """Lists, whole numbers and truth values are understood like arrays of numbers."""
    X, y, w = np.array([[1, 2], [1, -1], [1, 0], [1, 1]]), np.array([True, False, False, True]), np.array([1, -1])
    assert_matches(student.newton_step([1, -1], X.tolist(), [1, 0, 0, 1], 1), jump(w, X, y, 1), rtol=1e-7)
    assert_matches(student.newton_step(w, X, y, 1), jump(w, X, y, 1), rtol=1e-7)


# --- newton_fit -------------------------------------------------------------------------------------------------------


def fit(student, *args, **kwargs):
    """The student's weights and history, as arrays of finite numbers."""
    w, history = parts(student.newton_fit(*args, **kwargs), 2)
    w, history = numbers(w), numbers(history)
    assert w.shape == (np.shape(args[0])[1],) and history.ndim == 1 and len(history) >= 1, f"{w.shape}, {history.shape}"
    return w, history


def assert_at_the_top(w, X, y, lam=0.0):
    """Fail unless all slopes are as good as zero."""
    assert_matches(slopes(w, X, y, lam), np.zeros(len(w)), atol=1e-5)


@exercise("newton_fit", gate=True, weight=4)
def test_all_slopes_are_zero_at_the_top(student):
    """At the weights that come back every slope of the log-likelihood is zero: the score equations hold."""
    X, y, _ = sample(20, 60, 2, strength=0.7)
    w, _ = fit(student, X, y)
    assert_at_the_top(w, X, y)


@exercise("newton_fit", weight=2)
def test_the_history_tells_every_height(student):
    """History holds the objective at w = 0 and after every step, the last one at the weights that come back."""
    for lam in (0.0, 2.0):
        X, y, _ = sample(21, 50, 3, strength=0.6)
        path = [np.zeros(4)]
        while np.abs(slopes(path[-1], X, y, lam)).max() > 1e-8:
            path.append(jump(path[-1], X, y, lam))
        w, history = fit(student, X, y, lam)
        assert_matches(w, path[-1], rtol=1e-6, atol=1e-8)
        heights = [height(v, X, y, lam) for v in path]
        heights += [heights[-1]] * (len(history) - len(heights))  # other rules stop a step sooner or later
        assert abs(len(history) - len(path)) <= 2, f"{len(history)} heights after {len(path) - 1} steps"
        assert_matches(history, heights[: len(history)], rtol=1e-8)


@exercise("newton_fit", weight=2)
def test_a_few_steps_suffice_on_good_natured_data(student):
    """On data that are neither separable nor treacherous the top is reached, to nine digits, in at most ten steps."""
    for seed in range(30, 45):
        X, y, _ = sample(seed, 80, 3, strength=0.8)
        w, history = fit(student, X, y)
        assert_at_the_top(w, X, y)
        needed = int(np.argmax(history > history[-1] - 1e-9 * abs(history[-1])))
        assert needed <= 10, f"{needed} steps"


@exercise("newton_fit", weight=4)
def test_no_step_ever_leads_down(student):
    """On data where whole steps lead down, halved steps lead up, and in the end to the top."""
    for features, y in TREACHEROUS:
        X = behind_ones(features)
        w, history = fit(student, X, np.array(y))
        assert (np.diff(history) > -1e-7).all(), f"down by {-np.diff(history).min():.3g}"
        assert_at_the_top(w, X, np.array(y))
        assert_matches(history[-1], height(w, X, y), rtol=1e-8)


@exercise("newton_fit")
def test_a_step_that_leads_down_is_halved(student):
    """A step that leads down is replaced by its half, its quarter, and so on: by the first of them that does not."""
    for features, labels in TREACHEROUS:
        X, y, w, share, taken = behind_ones(features), np.array(labels), np.zeros(4), 1.0, 0
        while share == 1:  # up to and including the first step that has to be shortened
            step = jump(w, X, y) - w
            while height(w + share * step, X, y) < height(w, X, y):
                share /= 2
            w, taken = w + share * step, taken + 1
        assert_matches(fit(student, X, y, max_iter=taken)[0], w, rtol=1e-6)


@exercise("newton_fit", weight=3)
def test_a_penalty_moves_the_top_and_spares_the_intercept(student):
    """With a penalty the slopes of the penalised objective are zero, and the mean probability is the share of ones."""
    X, y, _ = sample(50, 70, 3)
    for lam in (0.5, 20.0):
        w, history = fit(student, X, y, lam=lam)
        assert_at_the_top(w, X, y, lam)
        assert_matches(probability(w, X).mean(), y.mean(), atol=1e-6)
        assert_matches(history[-1], height(w, X, y, lam), rtol=1e-8)


@exercise("newton_fit")
def test_a_stronger_penalty_means_shorter_weights(student):
    """The stronger the penalty, the shorter the weights other than the intercept, down to zero."""
    X, y, _ = sample(51, 40, 2)
    lengths = [np.linalg.norm(fit(student, X, y, lam)[0][1:]) for lam in (0.0, 0.1, 1.0, 10.0, 1e6)]
    assert (np.diff(lengths) < 0).all()
    assert_matches(lengths[-1], 0, atol=1e-3)


@exercise("newton_fit", weight=2)
def test_a_penalty_gives_separable_data_a_top(student):
    """Separable data have a finite maximum as soon as there is a penalty, and it is found."""
    X, y = behind_ones([[-3.0], [-1.0], [0.5], [2.0], [2.5]]), np.array([0, 0, 0, 1, 1])
    for lam in (0.01, 1.0):
        w, history = fit(student, X, y, lam)
        assert_at_the_top(w, X, y, lam)
        assert (np.diff(history) > -1e-7).all()


@exercise("newton_fit")
def test_dependent_columns_with_a_penalty_share_the_work(student):
    """With a penalty dependent columns are welcome: two equal columns get equal weights."""
    X, y, _ = sample(53, 30, 1)
    twice = np.column_stack([X, X[:, 1]])
    w, _ = fit(student, twice, y, 0.4)
    assert_at_the_top(w, twice, y, 0.4)
    assert_matches(w[1], w[2], rtol=1e-5, atol=1e-7)


@exercise("newton_fit")
def test_max_iter_counts_steps(student):
    """No step means that all weights are zero, one step means Newton's step from zero, and two mean two."""
    path = [np.zeros(3)]
    for steps in range(3):
        w, _ = parts(student.newton_fit(X9, Y9, 0.5, max_iter=steps), 2)
        assert_matches(w, path[-1], rtol=1e-7)
        path.append(jump(path[-1], X9, Y9, 0.5))


@exercise("newton_fit")
def test_a_generous_tolerance_ends_the_climb_earlier(student):
    """A generous tolerance ends the climb earlier, whatever it is compared with; a strict one leads to the top."""
    X, y, _ = sample(54, 50, 2, strength=0.7)
    _, short = fit(student, X, y, tol=0.5)
    w, long = fit(student, X, y, tol=1e-9)
    assert_at_the_top(w, X, y)
    assert len(short) < len(long), f"{len(short)} heights and {len(long)}"


@exercise("newton_fit")
def test_grams_are_as_good_as_kilograms(student):
    """Features of very different sizes, far from zero, lead to the same model as standardised ones."""
    X, y, _ = sample(55, 60, 2, strength=0.7)
    raw = np.column_stack([X[:, 0], 17 + 2 * X[:, 1], 4200 + 800 * X[:, 2]])
    w, _ = fit(student, X, y)
    in_grams, _ = fit(student, raw, y)
    assert_at_the_top(w, X, y)
    assert_matches(raw @ in_grams, X @ w, rtol=1e-5, atol=1e-6)


@exercise("newton_fit")
def test_examples_and_labels_stay_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.newton_fit, X9.copy(), Y9.astype(float), 0.5)
    unchanged(student.newton_fit, X9.copy(), Y9.copy())


@exercise("newton_fit")
def test_examples_and_labels_may_be_lists(student):
    """Lists, whole numbers and truth values are understood like arrays of numbers."""
    X, y = behind_ones([[2], [-1], [0], [1], [3]]), [1, 0, 1, 0, 1]
    w, _ = fit(student, X.astype(int).tolist(), y)
    assert_at_the_top(w, X, y)
    same, _ = fit(student, X, np.array(y) == 1)
    assert_matches(same, w, rtol=1e-6)


# --- quadratic_features -----------------------------------------------------------------------------------------------


@exercise("quadratic_features", gate=True, weight=4)
def test_five_columns_in_the_agreed_order(student):
    """The two features, then their squares, then their product, one column each and nothing else."""
    rows = [[0.5, -3.0], [4.0, 0.25], [-1.5, -2.0]]
    assert_matches(student.quadratic_features(np.array(rows)), [[a, b, a * a, b * b, a * b] for a, b in rows])


@exercise("quadratic_features", weight=3)
def test_without_interaction_the_product_is_missing(student):
    """With interaction=False, by name or by position, there are four columns, without the product; with True, five."""
    rows = [[0.5, -3.0], [4.0, 0.25], [-1.5, -2.0]]
    four = [[a, b, a * a, b * b] for a, b in rows]
    assert_matches(student.quadratic_features(np.array(rows), interaction=False), four)
    assert_matches(student.quadratic_features(np.array(rows), False), four)
    assert numbers(student.quadratic_features(np.array(rows), True)).shape == (3, 5)


@exercise("quadratic_features", weight=2)
def test_a_turned_ellipse_is_a_weighted_sum_of_the_columns(student):
    """Any conic section, turned and moved as you like, is zero of a weighted sum of a constant and the five columns."""
    rng = np.random.default_rng(60)
    points, angle, centre = rng.normal(size=(50, 2)), 0.6, np.array([0.7, -0.4])
    c, s = np.cos(angle), np.sin(angle)
    u, v = ((points - centre) @ np.array([[c, -s], [s, c]])).T
    columns = numbers(student.quadratic_features(points))
    assert columns.shape == (50, 5)
    A, B, C = c * c / 4 + s * s, s * s / 4 + c * c, 2 * c * s * (1 / 4 - 1)
    a, b = centre
    weights = np.array([-2 * A * a - C * b, -2 * B * b - C * a, A, B, C])
    assert_matches(columns @ weights + A * a * a + B * b * b + C * a * b, u**2 / 4 + v**2)


@exercise("quadratic_features", weight=2)
def test_whole_numbers_become_floats(student):
    """Whole numbers come back as floats."""
    table = student.quadratic_features(np.array([[100, -120], [7, 90]]))
    assert_matches(table, [[100, -120, 10000, 14400, -12000], [7, 90, 49, 8100, 630]])
    assert numbers(table).dtype.kind == "f", "not floats"


@exercise("quadratic_features")
def test_one_row_or_none(student):
    """One row gives one row, and no row gives none, each with all columns."""
    assert_matches(student.quadratic_features(np.array([[3.0, 0.5]])), [[3, 0.5, 9, 0.25, 1.5]])
    assert numbers(student.quadratic_features(np.empty((0, 2)))).shape == (0, 5)


@exercise("quadratic_features")
def test_the_measurements_stay_as_they_were(student):
    """The caller's array belongs to the caller: after the call it holds what it held before."""
    unchanged(student.quadratic_features, np.array([[0.5, -3.0], [4.0, 0.25]]))


@exercise("quadratic_features")
def test_the_measurements_may_be_a_list(student):
    """A list of pairs is understood like an array."""
    assert_matches(student.quadratic_features([[2, -1], (0, 3)], False), [[2, -1, 4, 1], [0, 3, 0, 9]])


# --- irls_step --------------------------------------------------------------------------------------------------------


@exercise("irls_step", gate=True, weight=4)
def test_weighted_least_squares_makes_newtons_step(student):
    """Weighted least squares with the right weights and targets ends where Newton's step ends."""
    assert_matches(student.irls_step(W9, X9, Y9), jump(W9, X9, Y9), rtol=1e-7)


@exercise("irls_step", weight=2)
def test_other_data_make_newtons_step_too(student):
    """Whatever the data and the start, however many features: the same weights as after Newton's step."""
    for seed, (n, d) in enumerate([(6, 0), (15, 1), (25, 4), (60, 6)], start=70):
        X, y, w = sample(seed, n, d)
        assert_matches(student.irls_step(w, X, y), jump(w, X, y), rtol=1e-6, atol=1e-9)


@exercise("irls_step")
def test_at_the_top_targets_lead_back_to_it(student):
    """At the maximum the least-squares problem has the same weights as its solution."""
    X, y, _ = sample(74, 40, 2)
    top = np.zeros(3)
    for _ in range(30):
        top = jump(top, X, y)
    assert_matches(student.irls_step(top, X, y), top, rtol=1e-7, atol=1e-8)


@exercise("irls_step", weight=2)
def test_small_weights_are_weights(student):
    """Scores of 10 have weights far below a thousandth, and far above any limit: they are used as they are."""
    X = np.vstack([X9, [[1, -10.0, 0.0], [1, 10.0, 0.0]]])
    w, y = np.array([0.2, 1.0, 0.3]), np.append(Y9, [0, 1])
    assert_matches(student.irls_step(w, X, y), jump(w, X, y), rtol=1e-5)


@exercise("irls_step", weight=3)
def test_vanishing_weights_are_raised_to_a_limit(student):
    """Scores of 50, also on the wrong side: weights that vanish are raised to a small number, and the
    step is finite.
    """
    X, w = np.vstack([X9, [[1, 50.0, 0.0], [1, -50.0, 1.0], [1, 50.0, 2.0]]]), np.array([0.2, 1.0, 0.3])
    for extra in ([1, 0, 1], [0, 0, 1], [1, 1, 0]):
        y = np.append(Y9, extra)
        limits = np.logspace(-15, -6, 10)  # whichever of them was chosen, the step ends between these ends
        ends = np.array([w + np.linalg.solve((X.T * np.maximum(doubt(w, X), c)) @ X, slopes(w, X, y)) for c in limits])
        step = numbers(student.irls_step(w, X, y))
        assert_matches(step, np.clip(step, ends.min(axis=0), ends.max(axis=0)), rtol=1e-3)


@exercise("irls_step")
def test_a_model_that_is_sure_of_everything_moves_finitely(student):
    """If all scores are 50 or more in size and some are wrong, the step is long, but finite."""
    X, w, y = behind_ones([[50.0], [60.0], [-50.0], [-55.0]]), np.array([0.0, 1.0]), np.array([1, 0, 0, 0])
    step = numbers(
        student.irls_step(w, X, y)
    )  # how far it leads, and where to, depends on how weights are kept from vanishing
    assert step.shape == (2,) and np.linalg.norm(step - w) > 10, f"{step.shape}, {step}"


@exercise("irls_step")
def test_the_order_of_the_rows_is_of_no_importance(student):
    """Each row keeps its weight and its target, in whatever order the rows come."""
    order = [4, 0, 8, 2, 6, 1, 7, 5, 3]
    assert_matches(student.irls_step(W9, X9[order], Y9[order]), jump(W9, X9, Y9), rtol=1e-7)


@exercise("irls_step")
def test_hundreds_of_thousands_of_rows_make_one_problem(student):
    """300,000 examples need no matrix with a row and a column for each of them."""
    few, labels, w = sample(75, 100, 2)
    step = student.irls_step(w, np.tile(few, (3000, 1)), np.tile(labels, 3000))
    assert_matches(step, jump(w, few, labels), rtol=1e-6)


@exercise("irls_step")
def test_nothing_that_was_handed_over_is_changed(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.irls_step, W9.copy(), X9.copy(), Y9.astype(float))


@exercise("irls_step")
def test_everything_may_be_handed_over_in_lists(student):
    """Lists, whole numbers and truth values are understood like arrays of numbers."""
    X, y, w = np.array([[1, 2], [1, -1], [1, 0], [1, 1]]), np.array([True, False, False, True]), np.array([1, -1])
    assert_matches(student.irls_step([1, -1], X.tolist(), [1, 0, 0, 1]), jump(w, X, y), rtol=1e-7)
    assert_matches(student.irls_step(w, X, y), jump(w, X, y), rtol=1e-7)
