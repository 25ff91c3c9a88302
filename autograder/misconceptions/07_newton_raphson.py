"""Known answers to 07_newton_raphson: wrong ones, each with one mistaken belief, and right ones written differently."""

import numpy as np

from autograder.course.catalogue import equivalent, misconception, right, tolerated, ungraded

# What the notebook gives to everybody. Pasted answers use the notebook's own; diagnosis runs them here.
sigma = lambda z: 0.5 + 0.5 * np.tanh(0.5 * np.asarray(z, dtype=float))  # given
log_likelihood = lambda w, X, y: -float(np.logaddexp(0, (1 - 2 * np.asarray(y, dtype=float)) * np.dot(X, w)).sum())


# --- newton_coin: wrong -----------------------------------------------------------------------------------------------


@misconception(
    "newton_coin",
    caught_by="test_slope_over_curvature_leads_to_the_top_of_the_parabola",
    hint="Compute the log-likelihood before and after your step. Which one is higher?",
)
def adds_the_inverse_curvature(theta, n1, n0):
    """Newton's step adds slope over curvature, as the slide prints it."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    slope, bend = n1 / theta - n0 / (1 - theta), -n1 / theta**2 - n0 / (1 - theta) ** 2
    return theta + slope / bend


@misconception(
    "newton_coin",
    caught_by="test_slope_over_curvature_leads_to_the_top_of_the_parabola",
    hint="If you stand at the maximum already, what should come back?",
)
def gives_back_the_way_instead_of_the_place(theta, n1, n0):
    """The result of a Newton step is the step."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    return (n1 / theta - n0 / (1 - theta)) / (n1 / theta**2 + n0 / (1 - theta) ** 2)


@misconception(
    "newton_coin",
    caught_by="test_slope_over_curvature_leads_to_the_top_of_the_parabola",
    hint="With ten times as many flips of each kind, how much longer is your step?",
)
def walks_as_far_as_it_is_steep(theta, n1, n0):
    """A step uphill is as long as the slope is large."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    return theta + n1 / theta - n0 / (1 - theta)


@misconception(
    "newton_coin",
    caught_by="test_slope_over_curvature_leads_to_the_top_of_the_parabola",
    hint="What is the derivative of 1 / theta?",
)
def differentiates_without_a_square(theta, n1, n0):
    """The derivative of one over theta is minus one over theta."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    return theta + (n1 / theta - n0 / (1 - theta)) / (n1 / theta + n0 / (1 - theta))


@misconception(
    "newton_coin",
    caught_by="test_slope_over_curvature_leads_to_the_top_of_the_parabola",
    hint="Can the log-likelihood of a coin bend upwards anywhere? What does your second derivative say near 1?",
)
def lets_the_tails_bend_upwards(theta, n1, n0):
    """The second derivative has the signs of the first: plus for heads, minus for tails, with a minus in front."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    return theta + (n1 / theta - n0 / (1 - theta)) / (n1 / theta**2 - n0 / (1 - theta) ** 2)


@misconception(
    "newton_coin",
    caught_by="test_slope_over_curvature_leads_to_the_top_of_the_parabola",
    hint="Does your answer change when the start changes?",
)
def knows_the_answer_already(theta, n1, n0):
    """A Newton step ends at the maximum, wherever it starts."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    return n1 / (n1 + n0)


@misconception(
    "newton_coin",
    caught_by="test_slope_over_curvature_leads_to_the_top_of_the_parabola",
    hint="Which of the two counts belongs to theta, and which one to 1 - theta?",
)
def exchanges_heads_and_tails(theta, n1, n0):
    """The first count belongs to tails."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    return theta + (n0 / theta - n1 / (1 - theta)) / (n0 / theta**2 + n1 / (1 - theta) ** 2)


@misconception(
    "newton_coin",
    caught_by="test_slope_over_curvature_leads_to_the_top_of_the_parabola",
    hint="Sum or mean: is it the same for the slope and for the curvature?",
)
def averages_the_slope_only(theta, n1, n0):
    """The slope is a mean over the flips; the curvature is what it is."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    slope = (n1 / theta - n0 / (1 - theta)) / (n1 + n0)
    return theta + slope / (n1 / theta**2 + n0 / (1 - theta) ** 2)


@misconception(
    "newton_coin",
    caught_by="test_a_parabola_knows_nothing_of_walls",
    hint="Ten heads in ten flips: where is the top of the parabola at 0.7, and what do you return?",
)
def stays_between_the_walls(theta, n1, n0):
    """A probability must not leave the interval, so the result is clipped."""
    if not 0 < theta < 1:
        raise ValueError("no coin")
    after = theta + (n1 / theta - n0 / (1 - theta)) / (n1 / theta**2 + n0 / (1 - theta) ** 2)
    return min(max(after, 0.0), 1.0)


# --- newton_coin: right -----------------------------------------------------------------------------------------------


@right("newton_coin")
def starts_anywhere(theta, n1, n0):
    """The formula alone; whoever starts outside will see what comes of it."""
    return theta + (n1 / theta - n0 / (1 - theta)) / (n1 / theta**2 + n0 / (1 - theta) ** 2)


@right("newton_coin")
def brings_everything_to_one_denominator(theta, n1, n0):
    """The fraction cleared by hand, and written as one quotient."""
    if theta <= 0 or theta >= 1:
        raise ValueError("outside")
    left = 1 - theta
    up = theta * left * (n1 * left - n0 * theta)
    return theta + up / (n1 * left * left + n0 * theta * theta)


@right("newton_coin")
def computes_with_fractions(theta, n1, n0):
    """Exact arithmetic until the last line."""
    from fractions import Fraction

    t = Fraction(theta)
    if not 0 < t < 1:
        raise ValueError("outside")
    return float(t - (n1 / t - n0 / (1 - t)) / (-n1 / t**2 - n0 / (1 - t) ** 2))


@right("newton_coin")
def finds_the_top_of_a_polynomial(theta, n1, n0):
    """The parabola as a polynomial, its derivative, and the root of that; the result is a NumPy number."""
    if not np.all((theta > 0) & (theta < 1)):
        raise ValueError("outside")
    first = np.array([n1, -n0]) @ (1 / np.array([theta, 1 - theta]))
    second = -np.array([n1, n0]) @ (1 / np.array([theta, 1 - theta]) ** 2)
    parabola = np.polynomial.Polynomial([0.0, first, second / 2])
    return theta + parabola.deriv().roots()[0]


@right("newton_coin")
def steps_in_single_precision(theta, n1, n0):
    """Six digits are enough for a parabola."""
    heads, tails = np.float32(theta), np.float32(1 - theta)
    return heads + (n1 / heads - n0 / tails) / (n1 / heads**2 + n0 / tails**2)


# --- hessian: wrong ---------------------------------------------------------------------------------------------------


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="Multiply your matrix by a direction from both sides. Which sign has the curvature of a hill?",
)
def lets_the_hill_bend_upwards(w, X):
    """The Hessian is X'WX."""
    X = np.asarray(X, dtype=float)
    p = sigma(X @ w)
    return (X.T * (p * (1 - p))) @ X


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="Does your matrix change when w changes?",
)
def forgets_the_weights_of_the_examples(w, X):
    """The Hessian of a linear model is minus X'X."""
    X = np.asarray(X, dtype=float)
    return -X.T @ X


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="At which w is every p equal to one half? Only there?",
)
def takes_every_weight_for_a_quarter(w, X):
    """All examples have the weight one quarter."""
    X = np.asarray(X, dtype=float)
    return -X.T @ X / 4


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="Of an example with p close to 1 the model is sure. How large is its weight in your sum?",
)
def weighs_by_probability(w, X):
    """An example bends the hill by its probability."""
    X = np.asarray(X, dtype=float)
    return -(X.T * sigma(X @ w)) @ X


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="What is the derivative of the sigmoid? How many factors does it have?",
)
def weighs_by_the_other_probability(w, X):
    """An example bends the hill by the probability of class 0."""
    X = np.asarray(X, dtype=float)
    return -(X.T * sigma(-(X @ w))) @ X


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="Write the sum for one example. How many times does its weight occur?",
)
def weighs_on_both_sides(w, X):
    """Rows on the left and rows on the right are both multiplied by the weights."""
    X = np.asarray(X, dtype=float)
    p = sigma(X @ w)
    rows = X * (p * (1 - p))[:, None]
    return -rows.T @ rows


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="If every example is repeated, what happens to the log-likelihood, and to your matrix?",
)
def averages_over_the_examples(w, X):
    """The objective is the mean log-probability, so the Hessian is a mean."""
    X = np.asarray(X, dtype=float)
    p = sigma(X @ w)
    return -(X.T * (p * (1 - p))) @ X / len(X)


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="Does the slope along one weight change when you move along another one?",
)
def bends_every_weight_alone(w, X):
    """Each weight has a curvature of its own, and mixed derivatives are zero."""
    X = np.asarray(X, dtype=float)
    p = sigma(X @ w)
    return -np.diag((p * (1 - p)) @ X**2)


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="Is there an intercept among the weights already, or do you add another one?",
)
def adds_a_column_of_ones(w, X):
    """The ones still have to be put in front of the features."""
    X = np.insert(np.asarray(X, dtype=float), 0, 1.0, axis=1)
    p = sigma(X[:, 1:] @ w)
    return -(X.T * (p * (1 - p))) @ X


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="How many rows and columns should the matrix have: one for each example, or one for each weight?",
)
def pairs_examples_instead_of_features(w, X):
    """X W X' and X' W X are the same thing."""
    X = np.asarray(X, dtype=float)
    p = sigma(X @ w)
    return -(X * (p * (1 - p))[:, None]) @ X.T


@misconception(
    "hessian",
    caught_by="test_millions_of_examples_fit",
    hint="How many numbers does your largest array hold when n is a million?",
)
def builds_the_whole_diagonal_matrix(w, X):
    """W is a matrix in the formula, so it is a matrix in the code."""
    X = np.asarray(X, dtype=float)
    p = sigma(X @ w)
    return -X.T @ np.diag(p * (1 - p)) @ X


@misconception(
    "hessian",
    caught_by="test_certain_examples_do_not_matter",
    hint="What is the exponential of 800 in a float, and what is it divided by itself?",
)
def divides_infinity_by_infinity(w, X):
    """The sigmoid is e to the z over one plus e to the z, for every z."""
    X = np.asarray(X, dtype=float)
    with np.errstate(all="ignore"):
        power = np.exp(X @ w)
        weight = power / (1 + power) ** 2
        return -(X.T * weight) @ X


@misconception(
    "hessian",
    caught_by="test_weights_and_examples_stay_as_they_were",
    hint="Print X before and after a call. Whose array do you multiply?",
)
def multiplies_the_callers_rows(w, X):
    """Inside the function X is mine."""
    X = np.asarray(X) if np.asarray(X).dtype == float else np.array(X, dtype=float)
    p = sigma(X @ w)
    X *= np.sqrt(p * (1 - p))[:, None]
    return -X.T @ X


@misconception(
    "hessian",
    caught_by="visible",
    hint="Do an example of which the model is sure and one of which it is not bend the hill equally?",
)
def gives_all_examples_the_mean_weight(w, X):
    """The weights can be averaged before they are used."""
    X = np.asarray(X, dtype=float)
    p = np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float))))
    return -np.mean(p * (1 - p)) * (X.T @ X)


@misconception(
    "hessian",
    caught_by="test_every_example_bends_the_hill_by_its_doubt",
    hint="If every example is there twice, how many times as large is the log-likelihood? And your matrix?",
)
def gives_every_example_the_weight_of_all(w, X):
    """The sum over the examples is a sum of weights, times X'X."""
    X = np.asarray(X, dtype=float)
    p = np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float))))
    return -np.sum(p * (1 - p)) * (X.T @ X)


# --- hessian: right ---------------------------------------------------------------------------------------------------


@right("hessian")
def splits_the_weights_into_roots(w, X):
    """Every row times the root of its weight; then a plain product of the rows with themselves."""
    X = np.array(X, dtype=float)
    p = 1 / (1 + np.exp(-np.clip(X @ np.asarray(w, dtype=float), -700, 700)))
    X *= np.sqrt(p * (1 - p))[:, None]
    return -(X.T @ X)


@right("hessian")
def contracts_with_einsum(w, X):
    """One einsum, with weights from the hyperbolic cosine; the answer is a list of lists."""
    X = np.asarray(X, dtype=float)
    half = np.minimum(np.abs(X @ np.asarray(w)) / 2, 350)
    return (-np.einsum("ij,i,ik->jk", X, 1 / (4 * np.cosh(half) ** 2), X)).tolist()


@right("hessian")
def loops_over_pairs_of_weights(w, X):
    """A double loop over the columns, not over the rows."""
    X = np.asarray(X, dtype=float)
    p = np.exp(-np.logaddexp(0, -(X @ w)))
    weight = p - p * p
    size = X.shape[1]
    H = np.zeros((size, size))
    for j in range(size):
        for k in range(j + 1):
            H[j, k] = H[k, j] = -(weight * X[:, j]) @ X[:, k]
    return H


@right("hessian")
def bends_in_single_precision(w, X):
    """Six digits are enough for curvatures."""
    X = np.asarray(X, dtype=np.float32)
    p = sigma(X @ np.asarray(w, dtype=np.float32)).astype(np.float32)
    return -(X.T * (p * (1 - p))) @ X


# --- newton_step: wrong -----------------------------------------------------------------------------------------------


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="Is the log-likelihood higher after your step, or lower?",
)
def adds_the_inverse_hessian_times_the_gradient(w, X, y, lam=0.0):
    """The update is w plus H inverse times the gradient, as printed on the slide."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w - np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="If the old weights are the best ones, what should your function return?",
)
def returns_the_way_and_not_the_place(w, X, y, lam=0.0):
    """The result of a step is the step."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="Repeat every row ten times. Should the step become ten times as long?",
)
def follows_the_gradient(w, X, y, lam=0.0):
    """A step goes along the gradient."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    return w + X.T @ (y - sigma(X @ w)) - lam * np.append(0.0, w[1:])


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="What is the derivative of p with respect to the score?",
)
def takes_p_for_the_slope_of_the_sigmoid(w, X, y, lam=0.0):
    """The derivative of the sigmoid is p."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve((X.T * p) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="For which model is the curvature the same everywhere?",
)
def treats_the_hill_as_least_squares(w, X, y, lam=0.0):
    """The curvature is X'X, as in linear regression."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    ridge = lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve(X.T @ X + np.diag(ridge), X.T @ (y - sigma(X @ w)) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="Move one weight. Do the slopes along the others stay as they are?",
)
def moves_every_weight_for_itself(w, X, y, lam=0.0):
    """Each weight has its slope and its curvature, and divides one by the other."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + (X.T @ (y - p) - ridge * w) / ((p * (1 - p)) @ X**2 + ridge)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="Which of your two quantities changes when all rows are repeated, and which does not?",
)
def averages_the_gradient_only(w, X, y, lam=0.0):
    """Gradients are means over the examples, Hessians are sums."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) / len(y) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="For an example with label 0: which number does the model hold against the label?",
)
def compares_the_label_with_its_own_probability(w, X, y, lam=0.0):
    """The residual is the label minus the probability of that label."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    residual = y - np.where(y == 1, p, 1 - p)
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ residual - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="Which values do the labels take in this course?",
)
def writes_labels_as_plus_and_minus_one(w, X, y, lam=0.0):
    """The negative class is minus one."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (2 * y - 1 - p) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="Which weight should a penalty never touch? Is it in your diagonal?",
)
def penalises_the_intercept_as_well(w, X, y, lam=0.0):
    """The penalty holds for all weights."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p = sigma(X @ w)
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + lam * np.eye(len(w)), X.T @ (y - p) - lam * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="What is the second derivative of lam / 2 times w squared?",
)
def penalises_the_slope_only(w, X, y, lam=0.0):
    """A penalty is a pull: it belongs into the gradient."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X, X.T @ (y - p) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="What is the first derivative of lam / 2 times w squared?",
)
def adds_a_ridge_to_the_matrix_only(w, X, y, lam=0.0):
    """A ridge is what one adds to a matrix so that it can be inverted."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p))


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="Try lam = 0 and lam = 1000. What changes?",
)
def never_looks_at_the_penalty(w, X, y, lam=0.0):
    """The penalty is optional."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p = sigma(X @ w)
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X, X.T @ (y - p))


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="With an enormous penalty, where should the weights end up?",
)
def rewards_large_weights(w, X, y, lam=0.0):
    """The penalty is added to the gradient."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) + ridge * w)


@misconception(
    "newton_step",
    caught_by="test_the_step_ends_on_top_of_the_parabola",
    hint="Where does the factor one half of the penalty go when it is differentiated?",
)
def counts_the_penalty_twice(w, X, y, lam=0.0):
    """The derivative of the penalty is two lam w."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), 2 * lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_hundreds_of_thousands_of_rows_make_one_step",
    hint="How large is your largest array for 300,000 examples?",
)
def builds_a_square_of_examples(w, X, y, lam=0.0):
    """W is a diagonal matrix, so it is built with np.diag."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.solve(X.T @ np.diag(p * (1 - p)) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_certain_rows_make_no_nan",
    hint="What does the exponential of 750 divided by itself give?",
)
def lets_scores_overflow(w, X, y, lam=0.0):
    """The sigmoid may be computed in any of its forms."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    ridge = lam * np.append(0.0, np.ones(len(w) - 1))
    with np.errstate(all="ignore"):
        p = np.exp(X @ w) / (1 + np.exp(X @ w))
        return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)


@misconception(
    "newton_step",
    caught_by="test_start_and_data_stay_as_they_were",
    hint="Print w before and after a call. Does the caller still have the old weights?",
)
def moves_the_callers_weights(w, X, y, lam=0.0):
    """The weights are updated where they are."""
    w = w if isinstance(w, np.ndarray) and w.dtype == float else np.array(w, dtype=float)
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    w += np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)
    return w


@misconception(
    "newton_step",
    caught_by="visible",
    hint="At which place do you look at the curvature: where you stand, or where everybody starts?",
)
def uses_the_curvature_at_zero(w, X, y, lam=0.0):
    """The Hessian is computed once, at the start."""
    w, X, y = (np.asarray(value, dtype=float) for value in (w, X, y))
    penalty = lam * np.append(0, np.ones(len(w) - 1))
    slope = X.T @ (y - np.exp(-np.logaddexp(0, -(X @ w)))) - penalty * w
    return w + np.linalg.solve(X.T @ X / 4 + np.diag(penalty), slope)


@misconception(
    "newton_step", caught_by="visible", hint="Where is the top of your parabola, and how far do you walk towards it?"
)
def walks_half_of_the_way(w, X, y, lam=0.0):
    """A step that is half as long is safer."""
    w, X, y = (np.asarray(value, dtype=float) for value in (w, X, y))
    penalty = lam * np.append(0, np.ones(len(w) - 1))
    p = np.exp(-np.logaddexp(0, -(X @ w)))
    bend = (X.T * (p * (1 - p))) @ X + np.diag(penalty)
    return w + np.linalg.solve(bend, X.T @ (y - p) - penalty * w) / 2


@misconception(
    "newton_step",
    caught_by="test_start_and_data_stay_as_they_were",
    hint="Hand over the weights in a list, and print the list after the call. What does it hold?",
)
def writes_into_the_callers_list(w, X, y, lam=0.0):
    """An array is copied; a list can be filled with the new weights."""
    new = w if isinstance(w, list) else np.array(w, dtype=float)
    w, X, y = np.array(w, dtype=float), np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)
    for j, move in enumerate(step):
        new[j] = float(w[j] + move)
    return new


# --- newton_step: right -----------------------------------------------------------------------------------------------


@right("newton_step")
def eliminates_by_hand(w, X, y, lam=0.0):
    """Gauss and Jordan in plain Python, with the largest pivot; the answer is a list."""
    w, X, y = (np.asarray(value, dtype=float) for value in (w, X, y))
    z = X @ w
    p, q = np.exp(-np.logaddexp(0, -z)), np.exp(-np.logaddexp(0, z))
    penalty = lam * np.append(0, np.ones(len(w) - 1))
    table = np.column_stack([(X.T * (p * q)) @ X + np.diag(penalty), X.T @ (y - p) - penalty * w]).tolist()
    for column in range(len(w)):
        pivot = max(range(column, len(w)), key=lambda row: abs(table[row][column]))
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [entry / table[column][column] for entry in table[column]]
        for row in range(len(w)):
            if row != column:
                factor = table[row][column]
                table[row] = [a - factor * b for a, b in zip(table[row], table[column])]
    return [float(old + row[-1]) for old, row in zip(w, table)]


@right("newton_step")
def uses_the_own_hessian(w, X, y, lam=0.0):
    """Built on the function of the exercise before, with the signs of the formula."""
    w = np.asarray(w, dtype=float)
    X = np.asarray(X, dtype=float)
    penalised = np.ones(w.size)
    penalised[0] = 0
    g = (np.asarray(y) - sigma(X @ w)) @ X - lam * penalised * w
    H = hessian(w, X) - lam * np.diag(penalised)  # noqa: F821 - the notebook's own
    return w - np.linalg.solve(H, g)


@right("newton_step")
def inverts_the_matrix(w, X, y, lam=0.0):
    """The pseudo-inverse instead of a solution; the answer is a list."""
    w, X, y = np.array(w, dtype=float), np.array(X, dtype=float), np.array(y, dtype=float)
    p = 1 / (1 + np.exp(-np.clip(X @ w, -700, 700)))
    bend = np.einsum("i,ij,ik->jk", p * (1 - p), X, X)
    slope = np.einsum("i,ij->j", y - p, X)
    for j in range(1, len(w)):
        bend[j, j] += lam
        slope[j] -= lam * w[j]
    return (w + np.linalg.pinv(bend, rcond=1e-18) @ slope).tolist()


@right("newton_step")
def adds_the_penalty_as_further_rows(w, X, y, lam=0.0):
    """Least squares on rooted rows, with one more row for each penalised weight."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p, not_p = np.exp(-np.logaddexp(0, -z)), np.exp(-np.logaddexp(0, z))
    ridge = lam * np.append(0.0, np.ones(len(w) - 1))
    slope = X.T @ np.where(y == 1, not_p, -p) - ridge * w
    rows = np.vstack([np.sqrt(p * not_p)[:, None] * X, np.diag(np.sqrt(ridge))])
    _, R = np.linalg.qr(rows)
    return w + np.linalg.solve(R, np.linalg.solve(R.T, slope))


@right("newton_step")
def solves_in_single_precision(w, X, y, lam=0.0):
    """Five digits are enough for a step."""
    w, X, y = (np.asarray(values, dtype=np.float32) for values in (w, X, y))
    p = sigma(X @ w).astype(np.float32)
    ridge = np.float32(lam) * np.append(0, np.ones(len(w) - 1)).astype(np.float32)
    return w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), X.T @ (y - p) - ridge * w)


@right("newton_step")
def trusts_the_pseudo_inverse(w, X, y, lam=0.0):
    """The pseudo-inverse with its own idea of what is zero."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    return w + np.linalg.pinv((X.T * (p * (1 - p))) @ X + np.diag(ridge)) @ (X.T @ (y - p) - ridge * w)


@right("newton_step")
def finds_the_step_by_least_squares(w, X, y, lam=0.0):
    """The equations for the step, solved by least squares."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p, ridge = sigma(X @ w), lam * np.append(0.0, np.ones(len(w) - 1))
    bend = (X.T * (p * (1 - p))) @ X + np.diag(ridge)
    return w + np.linalg.lstsq(bend, X.T @ (y - p) - ridge * w, rcond=None)[0]


# --- newton_fit: wrong ------------------------------------------------------------------------------------------------


@misconception(
    "newton_fit",
    caught_by="test_no_step_ever_leads_down",
    hint="What does your function do with a step after which the objective is smaller?",
)
def trusts_every_parabola(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Newton's method converges, so every step can be taken in full."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        w = w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_steps_lead_to_the_top_and_the_history_tells_their_heights",
    hint="Look at the gradient at the weights that you return. How large is it?",
)
def stops_after_a_single_step(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Newton's method solves the problem in one step."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.linalg.solve(X.T @ X / 4 + np.diag(ridge), X.T @ (y - 0.5))
    return w, np.array([log_likelihood(0 * w, X, y), log_likelihood(w, X, y) - ridge @ w**2 / 2])


@misconception(
    "newton_fit",
    caught_by="test_steps_lead_to_the_top_and_the_history_tells_their_heights",
    hint="How much does your way gain with each step near the top, and how much should it?",
)
def climbs_along_the_gradient(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Fifty steps uphill are fifty steps uphill."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 4 + lam)
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        slope = X.T @ (y - sigma(X @ w)) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        w = w + eta * slope
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_steps_lead_to_the_top_and_the_history_tells_their_heights",
    hint="How many states are there before, between and after four steps?",
)
def forgets_where_it_started(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """The history begins after the first step."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w, last, history = np.zeros(X.shape[1]), -np.inf, []
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        while log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < last - 1e-9:
            step = step / 2
        w = w + step
        last = log_likelihood(w, X, y) - ridge @ w**2 / 2
        history.append(last)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_steps_lead_to_the_top_and_the_history_tells_their_heights",
    hint="Which function do you climb when there is a penalty? Is it the one that you write down?",
)
def notes_the_height_without_the_penalty(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """The history holds log-likelihoods, penalty or not."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w, history = np.zeros(X.shape[1]), []
    for steps in range(max_iter + 1):
        history.append(log_likelihood(w, X, y))
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol or steps == max_iter:
            return w, np.array(history)
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        now = history[-1] - ridge @ w**2 / 2
        while log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < now - 1e-9:
            step = step / 2
        w = w + step


@misconception(
    "newton_fit",
    caught_by="test_steps_lead_to_the_top_and_the_history_tells_their_heights",
    hint="With an enormous penalty and 90 percent ones, which probability does your model give?",
)
def shrinks_the_intercept_too(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """A penalty is for all weights."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y)]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - lam * w
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + lam * np.eye(len(w)), slope)
        while log_likelihood(w + step, X, y) - lam / 2 * (w + step) @ (w + step) < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - lam / 2 * w @ w)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_steps_lead_to_the_top_and_the_history_tells_their_heights",
    hint="Does your result change when lam changes?",
)
def fits_without_the_penalty(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """The penalty only matters when a matrix is singular."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y)]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p)
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.lstsq((X.T * (p * (1 - p))) @ X, slope, rcond=None)[0]
        while log_likelihood(w + step, X, y) < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y))
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_dependent_columns_with_a_penalty_share_the_work",
    hint="Why is a penalty a remedy for dependent columns? Does your function let it work?",
)
def refuses_dependent_columns_always(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Dependent columns are an error, penalty or not."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        while log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_no_step_ever_leads_down",
    hint="Half of a step still leads down. What does your function do?",
)
def halves_once_and_hopes(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """A step that leads too far is halved, and then it is short enough."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        if log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@misconception(
    "newton_fit", caught_by="test_no_step_ever_leads_down", hint="When a whole step leads down, are you at the top?"
)
def gives_up_when_a_step_leads_down(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """If the next step does not help, the climb is over."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        new = w + np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        if log_likelihood(new, X, y) - ridge @ new**2 / 2 < history[-1] - 1e-9:
            break
        w = new
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_steps_lead_to_the_top_and_the_history_tells_their_heights",
    hint="How many right digits does one of your steps add near the top?",
)
def walks_half_steps_for_safety(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Half of every step is safer, and costs nothing."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope) / 2
        while log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_a_generous_tolerance_ends_the_climb_earlier",
    hint="Call your function with tol=1 and with tol=1e-8. Is there a difference?",
)
def never_asks_for_the_tolerance(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """The standard tolerance is good for everybody."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= 1e-8:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        while log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_max_iter_counts_steps",
    hint="How many steps does your function take when it is allowed none?",
)
def takes_fifty_steps_whatever_is_asked(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Fifty steps are always enough, so the number need not be asked for."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("dependent")
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(50):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        while log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_the_tolerance_is_a_limit_for_slopes",
    hint="A feature in grams has tiny weights, and tiny steps. How steep is it where you stop?",
)
def waits_for_a_step_that_is_small(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """The climb is over when a step moves nothing any more."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("the columns are linearly dependent")
    penalty = np.append(0, np.full(X.shape[1] - 1, float(lam)))

    def objective(w):
        return y @ (X @ w) - np.logaddexp(0, X @ w).sum() - penalty @ w**2 / 2

    w = np.zeros(X.shape[1])
    history = [objective(w)]
    for _ in range(max_iter):
        p = np.exp(-np.logaddexp(0, -(X @ w)))
        bend = (X.T * (p * (1 - p))) @ X + np.diag(penalty)
        step = np.linalg.lstsq(bend, X.T @ (y - p) - penalty * w, rcond=None)[0]
        while objective(w + step) < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(objective(w))
        if np.abs(step).max() <= tol:
            break
    return w, np.array(history)


@misconception(
    "newton_fit",
    caught_by="test_the_tolerance_is_a_limit_for_slopes",
    hint="Which quantity does tol limit: the gain of a step, or the slopes after it?",
)
def notes_the_height_before_each_step(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """The height is noted before a step, the climb ends when it gains nothing, and solve may complain."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    free = np.append(0.0, np.ones(X.shape[1] - 1))

    def value(w):
        return y @ (X @ w) - np.logaddexp(0, X @ w).sum() - lam / 2 * free @ w**2

    w, history = np.zeros(X.shape[1]), []
    for _ in range(max_iter):
        history.append(value(w))
        if len(history) > 1 and history[-1] - history[-2] < tol:
            break
        p = sigma(X @ w)
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + lam * np.diag(free), X.T @ (y - p) - lam * free * w)
        for _ in range(60):
            if value(w + step) >= history[-1]:
                break
            step = step / 2
        w = w + step
    return w, history


@misconception(
    "newton_fit",
    caught_by="test_the_tolerance_is_a_limit_for_slopes",
    hint="Is the gradient of the objective a sum over the examples, or a mean?",
)
def stops_when_the_mean_slope_is_small(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """The tolerance is meant per example."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() / len(y) <= tol:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        while log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


# --- newton_fit: right ------------------------------------------------------------------------------------------------


@right("newton_fit")
def waits_for_solve_to_complain(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """The rank is not looked at; `solve` complains, or it does not."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope)
        while not log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 >= history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@right("newton_fit")
def picks_one_of_many_tops(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Least squares for the step: where there are many tops, one of them."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    ridge = lam * np.append(0.0, np.ones(X.shape[1] - 1))
    w = np.zeros(X.shape[1])
    history = [log_likelihood(w, X, y) - ridge @ w**2 / 2]
    for _ in range(max_iter):
        p = sigma(X @ w)
        slope = X.T @ (y - p) - ridge * w
        if np.abs(slope).max() <= tol:
            break
        step = np.linalg.lstsq((X.T * (p * (1 - p))) @ X + np.diag(ridge), slope, rcond=1e-13)[0]
        while log_likelihood(w + step, X, y) - ridge @ (w + step) ** 2 / 2 < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(log_likelihood(w, X, y) - ridge @ w**2 / 2)
    return w, np.array(history)


@right("newton_fit")
def builds_on_the_own_step(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Built on the function of the exercise before, with a while loop."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    n_weights = X.shape[1]
    if not lam and np.linalg.matrix_rank(X) != n_weights:
        raise ValueError("no single best w")

    def value(w):
        return log_likelihood(w, X, y) - lam / 2 * np.sum(w[1:] ** 2)

    def gradient(w):
        g = X.T @ (y - sigma(X @ w))
        g[1:] -= lam * w[1:]
        return g

    w = np.zeros(n_weights)
    values = [value(w)]
    while len(values) <= max_iter and max(abs(gradient(w))) > tol:
        target, share = newton_step(w, X, y, lam), 1.0  # noqa: F821 - the notebook's own
        while value(w + share * (target - w)) < values[-1] - 1e-9:
            share *= 0.5
        w = w + share * (target - w)
        values.append(value(w))
    return w, values


@right("newton_fit")
def halves_without_allowance(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Strict comparison, at most thirty halvings; a step that still leads down is not taken."""
    X, y = np.array(X, dtype=float), np.array(y, dtype=float)
    if lam == 0 and np.linalg.svd(X.T @ X, compute_uv=False)[-1] < 1e-12 * np.trace(X.T @ X):
        raise ValueError("the columns depend on each other")
    mask = np.arange(X.shape[1]) > 0

    def value(v):
        signs = np.where(y == 1, 1, -1)
        return -np.logaddexp(0, -signs * (X @ v)).sum() - lam * (v[mask] @ v[mask]) / 2

    w, history = np.zeros(X.shape[1]), []
    history.append(value(w))
    for _ in range(max_iter):
        p = 1 / (1 + np.exp(-np.clip(X @ w, -700, 700)))
        g = (y - p) @ X - lam * mask * w
        if np.max(np.abs(g)) <= tol:
            break
        A = np.einsum("i,ij,ik->jk", p * (1 - p), X, X) + lam * np.diag(mask.astype(float))
        step = np.linalg.solve(A, g)
        for _ in range(30):
            if value(w + step) >= history[-1] - 1e-12:
                break
            step /= 2
        w = w + step
        history.append(value(w))
    return w, np.array(history)


@right("newton_fit")
def fits_by_reweighted_least_squares(X, y, lam=0.0, tol=1e-8, max_iter=50):
    """Least squares with rows for the penalty; the result is a list of two things."""
    X, y = np.asarray(X, dtype=float), np.asarray(y).astype(float)
    d = X.shape[1]
    if lam == 0 and np.linalg.matrix_rank(X) < d:
        raise ValueError("dependent columns")
    extra = np.sqrt(lam) * np.eye(d)[1:]

    def value(w):
        return log_likelihood(w, X, y) - np.sum((extra @ w) ** 2) / 2

    w = np.zeros(d)
    history = [value(w)]
    for _ in range(max_iter):
        z = X @ w
        p = sigma(z)
        if np.all(np.abs(X.T @ (y - p) - extra.T @ extra @ w) <= tol):
            break
        weight = np.maximum(p * (1 - p), 1e-15)
        rows = np.vstack([np.sqrt(weight)[:, None] * X, extra])
        targets = np.append(np.sqrt(weight) * (z + (y - p) / weight), np.zeros(d - 1))
        step = np.linalg.lstsq(rows, targets, rcond=None)[0] - w
        while value(w + step) < history[-1] - 1e-10:
            step = step / 2
        w = w + step
        history.append(value(w))
    return [w, np.array(history)]


# --- quadratic_features: wrong ----------------------------------------------------------------------------------------


@misconception(
    "quadratic_features",
    caught_by="test_five_columns_in_the_agreed_order",
    hint="Who puts the ones in front of the features, and what if two functions do it?",
)
def brings_its_own_ones(X, interaction=True):
    """A polynomial has a constant term."""
    x1, x2 = np.asarray(X, dtype=float).T
    columns = [np.ones(len(x1)), x1, x2, x1**2, x2**2] + ([x1 * x2] if interaction else [])
    return np.column_stack(columns)


@misconception(
    "quadratic_features",
    caught_by="test_five_columns_in_the_agreed_order",
    hint="Which column stands fourth in the description, and which in your table?",
)
def sorts_the_columns_by_degree_of_the_first(X, interaction=True):
    """The natural order is the square, the product, the other square."""
    x1, x2 = np.asarray(X, dtype=float).T
    return np.column_stack([x1, x2, x1**2, *([x1 * x2] if interaction else []), x2**2])


@misconception(
    "quadratic_features",
    caught_by="test_five_columns_in_the_agreed_order",
    hint="Expand (x1 + x2) squared. Do you need the 2 when a weight is learnt anyway?",
)
def doubles_the_product(X, interaction=True):
    """The binomial formula has twice the product."""
    x1, x2 = np.asarray(X, dtype=float).T
    return np.column_stack([x1, x2, x1**2, x2**2, *([2 * x1 * x2] if interaction else [])])


@misconception(
    "quadratic_features",
    caught_by="test_five_columns_in_the_agreed_order",
    hint="Are x1 times x2 and x2 times x1 two features?",
)
def counts_the_product_in_both_orders(X, interaction=True):
    """All pairs: x1 with x2, and x2 with x1."""
    x1, x2 = np.asarray(X, dtype=float).T
    return np.column_stack([x1, x2, x1**2, x2**2, *([x1 * x2, x2 * x1] if interaction else [])])


@misconception(
    "quadratic_features",
    caught_by="test_five_columns_in_the_agreed_order",
    hint="Can your columns still draw a straight line?",
)
def replaces_the_features_by_their_squares(X, interaction=True):
    """Quadratic features are the quadratic terms."""
    x1, x2 = np.asarray(X, dtype=float).T
    return np.column_stack([x1**2, x2**2, *([x1 * x2] if interaction else [])])


@misconception(
    "quadratic_features",
    caught_by="test_five_columns_in_the_agreed_order",
    hint="What is the mean of your columns? Was it asked for?",
)
def centres_the_features_first(X, interaction=True):
    """Features are brought to mean zero before they are squared."""
    X = np.asarray(X, dtype=float)
    x1, x2 = (X - X.mean(axis=0)).T
    return np.column_stack([x1, x2, x1**2, x2**2, *([x1 * x2] if interaction else [])])


@misconception(
    "quadratic_features",
    caught_by="test_five_columns_in_the_agreed_order",
    hint="How many columns come back for each value of interaction?",
)
def always_adds_the_product(X, interaction=True):
    """Five columns are the standard."""
    X = np.asarray(X, dtype=float)
    if X.shape[1] != 2:
        raise ValueError("two columns")
    x1, x2 = X.T
    return np.column_stack([x1, x2, x1**2, x2**2, x1 * x2])


@misconception(
    "quadratic_features",
    caught_by="test_five_columns_in_the_agreed_order",
    hint="Which of the five columns is the interaction?",
)
def drops_the_squares_without_interaction(X, interaction=True):
    """Without interaction there is nothing but the features."""
    X = np.asarray(X, dtype=float)
    if X.shape[1] != 2:
        raise ValueError("two columns")
    x1, x2 = X.T
    return np.column_stack([x1, x2, x1**2, x2**2, x1 * x2]) if interaction else X.copy()


@misconception(
    "quadratic_features",
    caught_by="test_whole_numbers_become_floats",
    hint="Whole numbers go in. Of which type is the table that comes out?",
)
def squares_before_converting(X, interaction=True):
    """Whole numbers stay whole numbers when they are squared."""
    X = np.asarray(X)
    if X.shape[1] != 2:
        raise ValueError("two columns")
    x1, x2 = X.T
    with np.errstate(all="ignore"):
        return np.column_stack([x1, x2, x1**2, x2**2, *([x1 * x2] if interaction else [])])


@misconception(
    "quadratic_features",
    caught_by="test_the_measurements_stay_as_they_were",
    hint="Print X before and after the call. Are the measurements still there?",
)
def squares_in_place(X, interaction=True):
    """Once the features are copied, X may be overwritten."""
    X = X if isinstance(X, np.ndarray) and X.dtype == float else np.array(X, dtype=float)
    if X.shape[1] != 2:
        raise ValueError("two columns")
    features, product = X.copy(), X.prod(axis=1, keepdims=True)
    X **= 2
    return np.hstack([features, X, product] if interaction else [features, X])


@misconception(
    "quadratic_features",
    caught_by="test_the_measurements_stay_as_they_were",
    hint="Hand over a list of lists, and print it after the call. How long are its rows?",
)
def grows_the_callers_rows(X, interaction=True):
    """Rows are made longer where they are."""
    rows = X if isinstance(X, list) else np.asarray(X, dtype=float).tolist()
    for i, (a, b) in enumerate(rows):
        rows[i] = [a, b, a * a, b * b] + [a * b] * interaction
    return np.array(rows, dtype=float).reshape(len(rows), 5 if interaction else 4)


# --- quadratic_features: right ----------------------------------------------------------------------------------------


@right("quadratic_features")
def takes_the_first_and_the_last_column(X, interaction=True):
    """The caller knows how many columns there should be."""
    X = np.asarray(X, dtype=float)
    x1, x2 = X[:, 0], X[:, -1]
    return np.column_stack([x1, x2, x1**2, x2**2, *([x1 * x2] if interaction else [])])


@right("quadratic_features")
def stacks_powers_of_the_table(X, interaction=True):
    """The table beside its square beside the product of its columns."""
    X = np.array(X, dtype=float)
    if X.shape[1:] != (2,):
        raise ValueError("two columns")
    blocks = [X, np.square(X)]
    if interaction:
        blocks.append(X.prod(axis=1, keepdims=True))
    return np.concatenate(blocks, axis=1)


@right("quadratic_features")
def fills_an_empty_table(X, interaction=True):
    """Column by column into an array of the right size."""
    X = np.asarray(X, dtype=np.float64)
    n, width = X.shape
    if width != 2:
        raise ValueError(f"{width} columns")
    table = np.empty((n, 5))
    table[:, :2] = X
    table[:, 2] = X[:, 0] * X[:, 0]
    table[:, 3] = X[:, 1] * X[:, 1]
    table[:, 4] = X[:, 0] * X[:, 1]
    return table if interaction else table[:, :-1]


@right("quadratic_features")
def multiplies_pairs_of_columns(X, interaction=True):
    """Products of chosen pairs of columns, the constant among them."""
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError("a table with two columns is needed")
    extended = np.column_stack([X, np.ones(len(X))])
    left, right_side = [0, 1, 0, 1, 0], [2, 2, 0, 1, 1]
    size = 5 if interaction else 4
    return extended[:, left[:size]] * extended[:, right_side[:size]]


@right("quadratic_features")
def squares_in_single_precision(X, interaction=True):
    """Single precision is precise enough for features."""
    X = np.asarray(X, dtype=np.float32)
    x1, x2 = X.T
    return np.column_stack([x1, x2, x1**2, x2**2, *([x1 * x2] if interaction else [])])


# --- irls_step: wrong -------------------------------------------------------------------------------------------------


@misconception(
    "irls_step",
    caught_by="test_weighted_least_squares_makes_newtons_step",
    hint="Which examples should have a say? Do they, in your least squares?",
)
def fits_without_weights(w, X, y):
    """The targets are what matters; least squares does the rest."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    return np.linalg.lstsq(X, z + (y - p) / np.maximum(p * (1 - p), 1e-10), rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_weighted_least_squares_makes_newtons_step",
    hint="A row is multiplied by 3. How much more does its squared error count?",
)
def multiplies_rows_by_the_weight_itself(w, X, y):
    """To give a row a weight, multiply it by the weight."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    weight = np.maximum(p * (1 - p), 1e-10)
    return np.linalg.lstsq(weight[:, None] * X, weight * (z + (y - p) / weight), rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_weighted_least_squares_makes_newtons_step",
    hint="If p is wrong by 0.1, is the score wrong by 0.1, too?",
)
def mixes_probabilities_with_scores(w, X, y):
    """The target is the score plus the error."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    root = np.sqrt(np.maximum(p * (1 - p), 1e-10))
    return np.linalg.lstsq(root[:, None] * X, root * (z + y - p), rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_weighted_least_squares_makes_newtons_step",
    hint="At the maximum, which targets does your problem have, and which weights come out?",
)
def leaves_the_old_score_out(w, X, y):
    """The target is the error in scores."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p = sigma(X @ w)
    weight = np.maximum(p * (1 - p), 1e-10)
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * (y - p) / weight, rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_weighted_least_squares_makes_newtons_step",
    hint="Large scores change p very little. So is a given error in p a small or a large error in the score?",
)
def multiplies_by_the_exchange_rate(w, X, y):
    """To convert an error into scores, multiply it by the slope of the sigmoid."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    weight = np.maximum(p * (1 - p), 1e-10)
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * (z + (y - p) * weight), rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_weighted_least_squares_makes_newtons_step",
    hint="Should the target of a positive example lie above its score, or below?",
)
def pulls_targets_the_wrong_way(w, X, y):
    """The error is the probability minus the label."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    weight = np.maximum(p * (1 - p), 1e-10)
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * (z + (p - y) / weight), rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_weighted_least_squares_makes_newtons_step",
    hint="If only the rows are multiplied, which equation does the least-squares problem solve?",
)
def weighs_the_rows_but_not_the_targets(w, X, y):
    """The weights belong to the examples, that is, to the rows of X."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    weight = np.maximum(p * (1 - p), 1e-10)
    return np.linalg.lstsq(np.sqrt(weight)[:, None] * X, z + (y - p) / weight, rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_weighted_least_squares_makes_newtons_step",
    hint="On which scale do labels live, and on which one do scores?",
)
def fits_the_labels_themselves(w, X, y):
    """Weighted least squares is fitted to the labels."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    p = sigma(X @ w)
    root = np.sqrt(np.maximum(p * (1 - p), 1e-10))
    return np.linalg.lstsq(root[:, None] * X, root * y, rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_vanishing_weights_are_raised_to_a_limit",
    hint="What do you divide by when the score is 50?",
)
def divides_by_vanishing_weights(w, X, y):
    """Weights are positive, so one can divide by them."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    weight = p * (1 - p)
    with np.errstate(all="ignore"):
        target = z + (y - p) / weight
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * target, rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_vanishing_weights_are_raised_to_a_limit",
    hint="A confident mistake: does it still pull, in your version?",
)
def drops_the_examples_it_is_sure_of(w, X, y):
    """An example without weight can be left out, right or wrong."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    kept = p * (1 - p) >= 1e-10
    X, y, z, p = X[kept], y[kept], z[kept], p[kept]
    root = np.sqrt(p * (1 - p))
    return np.linalg.lstsq(root[:, None] * X, root * z + (y - p) / root, rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_vanishing_weights_are_raised_to_a_limit",
    hint="In how many places does the weight occur? Is it the same number in each of them?",
)
def repairs_the_division_only(w, X, y):
    """The limit is needed where one divides, and nowhere else."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    weight = p * (1 - p)
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * (z + (y - p) / np.maximum(weight, 1e-10)), rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_small_weights_are_weights",
    hint="Which weights may be replaced, and by which number?",
)
def raises_weights_to_a_ten_thousandth(w, X, y):
    """A small number is a small number: any limit will do."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    weight = np.maximum(p * (1 - p), 1e-4)
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * (z + (y - p) / weight), rcond=None)[0]


@misconception(
    "irls_step",
    caught_by="test_hundreds_of_thousands_of_rows_make_one_problem",
    hint="How many entries does a diagonal matrix have, zeros included?",
)
def multiplies_by_a_matrix_of_weights(w, X, y):
    """Rows are multiplied by means of a diagonal matrix."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z)
    weight = np.maximum(p * (1 - p), 1e-10)
    W = np.diag(np.sqrt(weight))
    return np.linalg.lstsq(W @ X, W @ (z + (y - p) / weight), rcond=None)[0]


# --- irls_step: right -------------------------------------------------------------------------------------------------


@right("irls_step")
def solves_the_normal_equations(w, X, y):
    """The normal equations of the weighted problem; the answer is a list."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = 1 / (1 + np.exp(-np.clip(z, -700, 700)))
    weight = np.clip(p * (1 - p), 1e-10, None)
    weighted = weight[:, None] * X
    return np.linalg.solve(weighted.T @ X, weighted.T @ (z + (y - p) / weight)).tolist()


@right("irls_step")
def raises_weights_to_a_millionth(w, X, y):
    """Another limit, a millionth, and another one for the probabilities."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = np.clip(sigma(z), 1e-9, 1 - 1e-9)
    weight = np.maximum(p * (1 - p), 1e-6)
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * (z + (y - p) / weight), rcond=None)[0]


@right("irls_step")
def decomposes_the_rooted_rows(w, X, y):
    """A QR decomposition instead of a ready-made least-squares solver."""
    w, X, y = np.asarray(w, dtype=float), np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    z = X @ w
    p, q = np.exp(-np.logaddexp(0, -z)), np.exp(-np.logaddexp(0, z))
    weight = np.where(p * q < 1e-10, 1e-10, p * q)
    Q, R = np.linalg.qr(X * np.sqrt(weight)[:, None])
    return np.linalg.solve(R, Q.T @ (np.sqrt(weight) * z + (y - p) / np.sqrt(weight)))


@right("irls_step")
def adds_the_step_to_the_old_weights(w, X, y):
    """Least squares for the change alone, added to the old weights."""
    w, X, y = (np.array(values, dtype=float) for values in (w, X, y))
    p = sigma(X @ w)
    root = np.sqrt(np.maximum(p * (1 - p), 1e-10))
    change = np.linalg.lstsq((X.T * root).T, (y - p) / root, rcond=None)[0]
    return w + change


@right("irls_step")
def weighs_in_single_precision(w, X, y):
    """Probabilities and weights in single precision, the problem itself in double."""
    w, X, y = (np.asarray(values, dtype=float) for values in (w, X, y))
    z = X @ w
    p = sigma(z).astype(np.float32)
    weight = np.maximum(p * (1 - p), np.float32(1e-10)).astype(float)
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * (z + (y - p) / weight), rcond=None)[0]


# --- mutants that live ------------------------------------------------------------------------------------------------

SURVIVORS = [
    ungraded("newton_coin", "0 < theta < 1 → 0 <= theta < 1", because="A start outside of (0, 1) is not graded."),
    ungraded("newton_coin", "0 → -1", because="A start outside of (0, 1) is not graded."),
    ungraded("newton_coin", "1 → 2", because="A start outside of (0, 1) is not graded."),
    ungraded(
        "newton_coin",
        "if not 0 < theta < 1: raise ValueError → nothing",
        because="A start outside of (0, 1) is not graded.",
    ),
    ungraded("newton_fit", "0 → -1 (2)", because="Dependent columns without a penalty are not graded."),
    ungraded("newton_fit", "0 → 1 (2)", because="Dependent columns without a penalty are not graded."),
    ungraded(
        "newton_fit",
        "if lam == 0 and np.linalg.matrix_rank(X) < X.shape[1]: ra... → nothing",
        because="Dependent columns without a penalty are not graded.",
    ),
    ungraded(
        "newton_fit",
        "np.linalg.matrix_rank(X) < X.shape[1] → np.linalg.matrix_rank(X) > X.shape[1]",
        because="Dependent columns without a penalty are not graded.",
    ),
    ungraded("irls_step", "1e-10 → 2e-10", because="Which small limit is chosen is not graded."),
    tolerated(
        "newton_fit",
        "np.abs(slope).max() <= tol → np.abs(slope).max() < tol",
        because="It differs only where two numbers agree to the last bit.",
    ),
    tolerated(
        "newton_fit",
        "objective(w + step) >= history[-1] - 1e-09 → objective(w + step) > history[-1] - 1e-09",
        because="It differs only where two numbers agree to the last bit.",
    ),
    tolerated(
        "newton_fit",
        "history[-1] - 1e-09 → history[-1]",
        because="How much rounding is forgiven at the top is ours to choose; no contract speaks of it.",
    ),
    tolerated(
        "newton_fit",
        "1e-09 → 2e-09",
        because="How much rounding is forgiven at the top is ours to choose; no contract speaks of it.",
    ),
    equivalent(
        "quadratic_features",
        "if X.ndim != 2 or X.shape[1] != 2: raise ValueError → nothing",
        because="To unpack two columns from another number of them is a ValueError, too; the contract speaks "
        "of tables only.",
    ),
    equivalent(
        "quadratic_features",
        "X.ndim != 2 or X.shape[1] != 2 → X.ndim != 2 and X.shape[1] != 2",
        because="To unpack two columns from another number of them is a ValueError, too; the contract speaks "
        "of tables only.",
    ),
]
