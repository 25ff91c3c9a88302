"""Known answers to 05_logistic_derivation: wrong ones, each with one mistaken belief, and different right ones."""

import numpy as np

from autograder.course.catalogue import equivalent, misconception, right

# --- sigmoid: wrong ---------------------------------------------------------------------------------------------------


@misconception(
    "sigmoid", caught_by="visible", hint="Two to one in favour: what do you return, and what share of three is it?"
)
def stops_at_the_odds(z):
    """Undoing the logarithm of the odds gives the probability."""
    return np.exp(np.asarray(z, dtype=float))


@misconception(
    "sigmoid",
    caught_by="visible",
    hint="Put in log-odds that strongly favour class 1. Is your answer near 1 or near 0?",
)
def turns_the_sign(z):
    """The sigmoid is 1 / (1 + e^z)."""
    return 1 / (1 + np.exp(np.asarray(z, dtype=float)))


@misconception(
    "sigmoid",
    caught_by="visible",
    hint="What is the lowest value that your curve can reach? Is there a negative probability?",
)
def takes_the_hyperbolic_tangent(z):
    """Any S-shaped curve will do."""
    return np.tanh(np.asarray(z, dtype=float) / 2)


@misconception(
    "sigmoid",
    caught_by="visible",
    hint="As the log-odds grow and grow, where should the curve go? Where does yours go?",
)
def returns_the_slope(z):
    """sigma(1 - sigma) is the sigmoid."""
    p = 1 / (1 + np.exp(-np.asarray(z, dtype=float)))
    return p * (1 - p)


@misconception("sigmoid", caught_by="visible", hint="Does your answer still tell log-odds of 1 from log-odds of 5?")
def decides_at_once(z):
    """A probability above one half means 1, below means 0."""
    return (np.asarray(z) > 0) + 0.5 * (np.asarray(z) == 0)


@misconception(
    "sigmoid",
    caught_by="visible",
    hint="How straight is the curve between -2 and 2, really? Where does your line reach 1?",
)
def draws_a_straight_line(z):
    """The slope in the middle is 1/4, so the curve is 1/2 + z/4 until it reaches 0 or 1."""
    return np.clip(0.5 + np.asarray(z, dtype=float) / 4, 0, 1)


@misconception("sigmoid", caught_by="visible", hint="What is left of one chance in a million after your last step?")
def rounds_to_four_digits(z):
    """Four digits are enough for any probability."""
    return np.round(np.exp(-np.logaddexp(0, -np.asarray(z, dtype=float))), 4)


@misconception(
    "sigmoid",
    caught_by="test_far_out_it_is_all_or_nothing_and_never_nan",
    hint="What does Python make of infinity divided by infinity? At which z do you get there?",
)
def divides_infinity_by_infinity(z):
    """e^z / (1 + e^z) is the sigmoid, so it can be typed as it stands."""
    z = np.asarray(z, dtype=float)
    return np.exp(z) / (1 + np.exp(z))


@misconception(
    "sigmoid",
    caught_by="test_very_small_probabilities_keep_their_digits",
    hint="1 plus a very small number: how small may it be before the sum is just 1?",
)
def goes_through_the_tangent(z):
    """(1 + tanh(z / 2)) / 2 equals the sigmoid, so it has the same digits."""
    return (1 + np.tanh(np.asarray(z, dtype=float) / 2)) / 2


@misconception(
    "sigmoid",
    caught_by="test_very_small_probabilities_keep_their_digits",
    hint="Two examples, at -50 and at -500: does your function still tell them apart?",
)
def clips_the_log_odds(z):
    """Beyond 30 nothing happens any more, so cut the argument off there."""
    return 1 / (1 + np.exp(-np.clip(np.asarray(z, dtype=float), -30, 30)))


@misconception("sigmoid", caught_by="visible", hint="What is the shape of what you return for a single number?")
def always_returns_an_array(z):
    """Whatever comes in has at least one dimension."""
    return np.exp(-np.logaddexp(0, -np.atleast_1d(np.asarray(z, dtype=float))))


@misconception(
    "sigmoid",
    caught_by="test_whole_numbers_are_log_odds_too",
    hint="Which type do the entries of your result have if those of z are whole numbers?",
)
def writes_into_an_array_like_z(z):
    """An array made like z can hold the answer."""
    z = np.asarray(z)
    result = np.empty_like(z)
    result[...] = np.exp(-np.logaddexp(0, -z.astype(float)))
    return result


@misconception(
    "sigmoid",
    caught_by="test_the_log_odds_are_left_as_they_were",
    hint="Print your argument before and after the call. Who else may be using it?",
)
def negates_in_place(z):
    """The argument is mine once I have got it."""
    z = np.asarray(z, dtype=float)
    z *= -1
    return np.exp(-np.logaddexp(0, z))


@misconception(
    "sigmoid",
    caught_by="test_very_small_probabilities_keep_their_digits",
    hint="Two examples, at -550 and at -650: does your function still tell them apart?",
)
def clips_far_out(z):
    """Nobody asks for log-odds beyond 500, so cut the argument off there."""
    return 1 / (1 + np.exp(-np.clip(np.asarray(z, dtype=float), -500, 500)))


@misconception(
    "sigmoid",
    caught_by="test_the_log_odds_are_left_as_they_were",
    hint="Hand over a list, and look at it after the call. Whose list is it?",
)
def sorts_out_the_callers_list(z):
    """A list may be worked on in its place."""
    if isinstance(z, list):
        for i in range(len(z)):
            z[i] = float(np.exp(-np.logaddexp(0, -z[i]))) if not isinstance(z[i], list) else z[i]
    return np.asarray(z) if isinstance(z, list) else np.exp(-np.logaddexp(0, -np.asarray(z, dtype=float)))


# --- sigmoid: right ---------------------------------------------------------------------------------------------------


@right("sigmoid")
def lets_the_denominator_overflow(z):
    """1 / (1 + e^-z): one over infinity is zero, and a warning is not graded."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-np.asarray(z, dtype=float)))


@right("sigmoid")
def chooses_the_safe_form_by_sign(z):
    """The exponential of minus the absolute value; one form on the left, the other on the right."""
    z = np.asarray(z, dtype=float)
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, small) / (1 + small)


@right("sigmoid")
def chooses_the_form_in_a_loop(z):
    """The entries one after the other, and the shape at the end."""
    z = np.asarray(z, dtype=float)
    found = [1 / (1 + np.exp(-v)) if v >= 0 else np.exp(v) / (1 + np.exp(v)) for v in z.ravel()]
    return np.array(found).reshape(z.shape)


@right("sigmoid")
def fills_two_masks(z):
    """Two masks, each with the form that cannot overflow there."""
    z = np.asarray(z, dtype=float)
    result = np.empty(z.shape)
    up = z >= 0
    result[up] = 1 / (1 + np.exp(-z[up]))
    down = np.exp(z[~up])
    result[~up] = down / (1 + down)
    return result[()]


@right("sigmoid")
def asks_math_for_each_number(z):
    """Python's math, one number at a time."""
    import math

    def one(value):
        if value >= 0:
            return 1 / (1 + math.exp(-value))
        return math.exp(value) / (1 + math.exp(value))

    return np.vectorize(one, otypes=[float])(z)


@right("sigmoid")
def exponentiates_the_log_probability(z):
    """The logarithm of the sigmoid first: z - log(1 + e^z)."""
    z = np.array(z, dtype=float)
    return np.exp(np.minimum(z, 0) - np.log1p(np.exp(-np.abs(z))))


# --- predict_proba: wrong ---------------------------------------------------------------------------------------------


@misconception("predict_proba", caught_by="visible", hint="Your numbers can be larger than 1. What are they called?")
def returns_the_log_odds(X, w):
    """The weighted sum is the prediction."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    if w.shape != (X.shape[1] + 1,):
        raise ValueError
    return w[0] + X @ w[1:]


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="An example whose features are all 0: on which weight does its probability depend, in your code?",
)
def puts_the_ones_last(X, w):
    """The column of ones can stand anywhere."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    if w.shape != (X.shape[1] + 1,):
        raise ValueError
    return np.exp(-np.logaddexp(0, -(np.column_stack([X, np.ones(len(X))]) @ w)))


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="Give two examples the same features and change w[0] only. Does anything happen?",
)
def leaves_the_intercept_out(X, w):
    """The features have weights, and that is all."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    if w.shape != (X.shape[1] + 1,):
        raise ValueError
    return np.exp(-np.logaddexp(0, -(X @ w[1:])))


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="The name of the function ends in proba. What did you do after computing it?",
)
def predicts_labels(X, w):
    """Prediction means 0 or 1."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    return (w[0] + X @ w[1:] > 0).astype(int)


@misconception(
    "predict_proba", caught_by="visible", hint="What do the features of a chinstrap make more probable in your code?"
)
def returns_the_probability_of_class_0(X, w):
    """P(y = 0) is the first class's probability, so it comes first."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    if w.shape != (X.shape[1] + 1,):
        raise ValueError
    return np.exp(-np.logaddexp(0, w[0] + X @ w[1:]))


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="How many numbers come back for one example? How many classes does the contract ask about?",
)
def returns_both_classes(X, w):
    """As in libraries, there is a column for each class."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    p = np.exp(-np.logaddexp(0, -(w[0] + X @ w[1:])))
    return np.column_stack([1 - p, p])


@misconception(
    "predict_proba",
    caught_by="test_a_wrong_number_of_weights_is_refused",
    hint="With one feature and three weights, which of the weights are used, and who notices?",
)
def lets_broadcasting_decide(X, w):
    """If NumPy can multiply them, the shapes are right."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    return np.exp(-np.logaddexp(0, -(w[0] + (X * w[1:]).sum(axis=1))))


@misconception(
    "predict_proba",
    caught_by="test_a_wrong_number_of_weights_is_refused",
    hint="What becomes of the last weight if there is one too many?",
)
def uses_as_many_weights_as_fit(X, w):
    """Surplus weights do no harm."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    return np.exp(-np.logaddexp(0, -(w[0] + X @ np.resize(w[1:], X.shape[1]))))


@misconception(
    "predict_proba",
    caught_by="test_rows_far_from_the_boundary_are_certain_and_not_nan",
    hint="Put in a row a long way out. What do numerator and denominator become?",
)
def overflows_far_out(X, w):
    """e^z / (1 + e^z) works for all rows that occur in practice."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    if w.shape != (X.shape[1] + 1,):
        raise ValueError
    odds = np.exp(w[0] + X @ w[1:])
    return odds / (1 + odds)


@misconception(
    "predict_proba",
    caught_by="test_every_row_gets_the_sigmoid_of_its_weighted_sum",
    hint="Change the last feature of an example. Does its probability move?",
)
def takes_only_the_first_feature(X, w):
    """There is one feature."""
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    if w.shape != (X.shape[1] + 1,):
        raise ValueError
    return np.exp(-np.logaddexp(0, -(w[0] + w[1] * X[:, 0])))


# --- predict_proba: right ---------------------------------------------------------------------------------------------


@right("predict_proba")
def goes_row_by_row(X, w):
    """A loop in plain Python; the answer is a list."""
    import math

    rows, weights = [[float(x) for x in row] for row in X], [float(value) for value in w]
    answer = []
    for row in rows:
        if len(weights) != len(row) + 1:
            raise ValueError("one weight for each feature, and one more")
        z = weights[0] + sum(a * b for a, b in zip(weights[1:], row))
        answer.append(1 / (1 + math.exp(-z)) if z > -700 else math.exp(z))
    return answer


@right("predict_proba")
def inserts_a_column(X, w):
    """np.insert for the ones, and the form that is safe on each side."""
    X = np.insert(np.asarray(X, dtype=float), 0, 1.0, axis=1)
    if X.shape[1] != len(w):
        raise ValueError("wrong number of weights")
    z = X.dot(w)
    small = np.exp(-np.abs(z))
    return np.where(z < 0, small, 1.0) / (1 + small)


@right("predict_proba")
def contracts_with_einsum(X, w):
    """Einstein's summation, and the hyperbolic tangent."""
    X, w = np.atleast_2d(np.array(X, dtype=float)), np.array(w, dtype=float)
    if w.ndim != 1 or len(w) - 1 != X.shape[-1]:
        raise ValueError("wrong number of weights")
    return 0.5 + 0.5 * np.tanh((np.einsum("ij,j->i", X, w[1:]) + w[0]) / 2)


# --- log_likelihood: wrong --------------------------------------------------------------------------------------------


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="If every example occurred twice, what would happen to the probability of all labels?",
)
def averages_over_examples(w, X, y):
    """A good objective does not depend on the number of examples."""
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    return float(np.mean(np.asarray(y) * z - np.logaddexp(0, z)))


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="Is it a thing to make large or a thing to make small? What is the logarithm of 1/2?",
)
def returns_the_cross_entropy(w, X, y):
    """Log-likelihood and loss are the same thing."""
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    return float(np.sum(np.logaddexp(0, z) - np.asarray(y) * z))


@misconception("log_likelihood", caught_by="visible", hint="What does a student who failed contribute to your sum?")
def counts_the_positives_only(w, X, y):
    """Only labels of 1 have a probability p."""
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    return float(-np.sum(np.asarray(y) * np.logaddexp(0, -z)))


@misconception("log_likelihood", caught_by="visible", hint="Multiply a thousand of your factors. What is left?")
def forgets_the_logarithm(w, X, y):
    """The likelihood is a product, and its logarithm is only for convenience."""
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    return float(np.exp(np.sum(np.asarray(y) * z - np.logaddexp(0, z))))


@misconception("log_likelihood", caught_by="visible", hint="Which of your two terms is switched on when y is 1?")
def swaps_the_two_labels(w, X, y):
    """y goes with log(1 - p)."""
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    return float(np.sum((1 - np.asarray(y, dtype=float)) * z - np.logaddexp(0, z)))


@misconception(
    "log_likelihood", caught_by="visible", hint="In which unit do you measure: bits, or the one that belongs to e?"
)
def takes_logarithms_to_base_two(w, X, y):
    """A logarithm is a logarithm."""
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    return float(np.sum(np.asarray(y) * z - np.logaddexp(0, z)) / np.log(2))


@misconception(
    "log_likelihood",
    caught_by="test_every_label_counts_with_the_logarithm_of_its_probability",
    hint="What does your formula say about an example with label 0 if you write that label as -1?",
)
def believes_in_labels_plus_and_minus_one(w, X, y):
    """Labels are -1 and 1, in this formula as in any other."""
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    return float(np.sum((2 * np.asarray(y, dtype=float) - 1) * z - np.logaddexp(0, z)))


@misconception(
    "log_likelihood",
    caught_by="test_a_confident_mistake_costs_what_it_should_and_not_infinity",
    hint="At z = 40 and y = 0, what number do you take the logarithm of?",
)
def rounds_p_before_the_logarithm(w, X, y):
    """The two forms are equal, so the one with p is as good."""
    p = np.exp(-np.logaddexp(0, -(np.asarray(X, dtype=float) @ np.asarray(w, dtype=float))))
    with np.errstate(divide="ignore"):
        return float(np.sum(np.log(np.where(np.asarray(y) == 1, p, 1 - p))))


@misconception(
    "log_likelihood",
    caught_by="test_a_confident_mistake_costs_what_it_should_and_not_infinity",
    hint="At z = 40 and y = 1 the second term should vanish. What is 0 times the logarithm of 0 in Python?",
)
def multiplies_infinity_by_zero(w, X, y):
    """A term with the factor 0 is 0, whatever stands beside it."""
    p = np.exp(-np.logaddexp(0, -(np.asarray(X, dtype=float) @ np.asarray(w, dtype=float))))
    y = np.asarray(y, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sum(y * np.log(p) + (1 - y) * np.log(1 - p)))


@misconception(
    "log_likelihood",
    caught_by="test_a_confident_mistake_costs_what_it_should_and_not_infinity",
    hint="How large can the cost of one example become in your code? How large should it?",
)
def clips_the_probability(w, X, y):
    """Keeping p a little away from 0 and 1 solves all problems."""
    p = 1 / (1 + np.exp(-np.clip(np.asarray(X, dtype=float) @ np.asarray(w, dtype=float), -500, 500)))
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return float(np.sum(np.log(np.where(np.asarray(y) == 1, p, 1 - p))))


@misconception(
    "log_likelihood",
    caught_by="test_scores_in_the_thousands_are_exact",
    hint="What is e to the power of 1000 in Python? And its logarithm?",
)
def lets_the_exponential_overflow(w, X, y):
    """log(1 + e^z) can be typed as it stands."""
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    with np.errstate(over="ignore"):
        return float(np.sum(np.asarray(y) * z - np.log(1 + np.exp(z))))


@misconception(
    "log_likelihood",
    caught_by="test_scores_in_the_thousands_are_exact",
    hint="At which z does your way out begin, and what does it say about z = 1000?",
)
def cuts_the_scores_off(w, X, y):
    """Scores beyond 500 may be replaced by 500."""
    z = np.clip(np.asarray(X, dtype=float) @ np.asarray(w, dtype=float), -500, 500)
    return float(np.sum(np.asarray(y) * z - np.log1p(np.exp(z))))


@misconception(
    "log_likelihood",
    caught_by="test_no_examples_have_a_log_likelihood_of_zero",
    hint="What is the sum of no numbers? Is it an error to have seen nothing yet?",
)
def refuses_to_say_anything_about_nothing(w, X, y):
    """Without data there is no likelihood."""
    if len(X) == 0:
        raise ValueError("no data")
    z = np.asarray(X, dtype=float) @ np.asarray(w, dtype=float)
    return float(np.sum(np.asarray(y) * z - np.logaddexp(0, z)))


# --- log_likelihood: right --------------------------------------------------------------------------------------------


@right("log_likelihood")
def turns_the_sign_of_the_negatives(w, X, y):
    """Labels as signs, in the formula that belongs to them: minus the sum of log(1 + e^(-sign z))."""
    signs = np.where(np.asarray(y, dtype=bool), 1.0, -1.0)
    return -np.logaddexp(0, -signs * (np.asarray(X, dtype=float) @ np.asarray(w, dtype=float))).sum()


@right("log_likelihood")
def adds_in_plain_python(w, X, y):
    """Example by example: the larger of 0 and z, and the rest by log1p."""
    import math

    total = 0.0
    for row, label in zip(X, y):
        z = sum(float(a) * float(b) for a, b in zip(row, w))
        total += (z if label else 0.0) - max(z, 0.0) - math.log1p(math.exp(-abs(z)))
    return total


@right("log_likelihood")
def separates_the_two_classes(w, X, y):
    """The scores of the positives and those of the negatives, each with its own logarithm."""
    X, y = np.array(X, dtype=float), np.array(y, dtype=bool)
    z = X.dot(np.array(w, dtype=float))
    return np.float64(-np.logaddexp(0.0, -z[y]).sum() - np.logaddexp(0.0, z[~y]).sum())


# --- chain_rule_terms: wrong ------------------------------------------------------------------------------------------


@misconception("chain_rule_terms", caught_by="visible", hint="z is linear in the weights. What multiplies w_j in it?")
def differentiates_by_the_features(w, x, y):
    """The derivative of w x is w."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float(y / p - (1 - y) / (1 - p)), float(p * (1 - p)), w.copy()


@misconception(
    "chain_rule_terms",
    caught_by="visible",
    hint="Where is the sigmoid steepest, and how steep is it there? What does your factor say?",
)
def takes_the_height_for_the_slope(w, x, y):
    """The derivative of the sigmoid is the sigmoid, as with the exponential."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float(y / p - (1 - y) / (1 - p)), float(p), x.copy()


@misconception(
    "chain_rule_terms",
    caught_by="visible",
    hint="Is the product of your three numbers what you wanted, or is it in one of them already?",
)
def gives_the_last_factor_everything(w, x, y):
    """Each factor contains the ones before it."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float(y / p - (1 - y) / (1 - p)), float(p * (1 - p)), p * (1 - p) * x


@misconception(
    "chain_rule_terms", caught_by="visible", hint="Which of the three factors is y - p? Or is it two of them together?"
)
def starts_from_the_residual(w, x, y):
    """The derivative by p is the error."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float(y - p), float(p * (1 - p)), x.copy()


@misconception(
    "chain_rule_terms", caught_by="visible", hint="Are you going uphill on the log-likelihood or downhill on the loss?"
)
def differentiates_the_loss(w, x, y):
    """What is differentiated is the cross-entropy."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float((1 - y) / (1 - p) - y / p), float(p * (1 - p)), x.copy()


@misconception(
    "chain_rule_terms",
    caught_by="visible",
    hint="Your first number says how probable the label is. How fast does that change when p changes?",
)
def returns_the_log_likelihood_itself(w, x, y):
    """The first link is the log-likelihood."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float(y * np.log(p) + (1 - y) * np.log(1 - p)), float(p * (1 - p)), x.copy()


@misconception(
    "chain_rule_terms",
    caught_by="test_each_factor_is_the_slope_of_its_link",
    hint="What is inside the second logarithm, and what is the derivative of that?",
)
def forgets_the_inner_minus(w, x, y):
    """The derivative of log(1 - p) is 1 / (1 - p)."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float(y / p + (1 - y) / (1 - p)), float(p * (1 - p)), x.copy()


@misconception(
    "chain_rule_terms",
    caught_by="test_each_factor_is_the_slope_of_its_link",
    hint="For a label 0, which logarithm is left, and does your first factor know?",
)
def forgets_the_second_logarithm(w, x, y):
    """Only y log p depends on p."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float(y / p), float(p * (1 - p)), x.copy()


@misconception(
    "chain_rule_terms",
    caught_by="test_each_factor_is_the_slope_of_its_link",
    hint="For a label 0, over what does the fraction stand: over p, or over what is left of 1?",
)
def divides_by_p_in_both_terms(w, x, y):
    """Both fractions have the same denominator."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    return float(y / p - (1 - y) / p), float(p * (1 - p)), x.copy()


@misconception(
    "chain_rule_terms",
    caught_by="test_the_factors_stay_finite_far_from_the_boundary",
    hint="How far does your clipped p let the first factor grow, and what becomes of the product?",
)
def clips_p_for_safety(w, x, y):
    """A p between 0.000001 and 0.999999 cannot do any harm."""
    w, x = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    p = 1 / (1 + np.exp(-(w @ x)))
    safe = np.clip(p, 1e-6, 1 - 1e-6)
    return float(y / safe - (1 - y) / (1 - safe)), float(p * (1 - p)), x.copy()


# --- chain_rule_terms: right ------------------------------------------------------------------------------------------


@right("chain_rule_terms")
def asks_which_label(w, x, y):
    """Two cases, one for each label, and the slope from the exponential."""
    x = np.array(x, dtype=float)
    z = float(np.dot(np.array(w, dtype=float), x))
    up, down = 1 + np.exp(-z), 1 + np.exp(z)
    return (up if y else -down), 1 / (up * down), x


@right("chain_rule_terms")
def puts_both_fractions_on_one_denominator(w, x, y):
    """(y - p) over p (1 - p), in plain Python; the vector is a list."""
    import math

    x = [float(value) for value in x]
    z = sum(float(a) * b for a, b in zip(w, x))
    p, q = 1 / (1 + math.exp(-z)), 1 / (1 + math.exp(z))
    error = q if y else -p
    return [error / (p * q), p * q, x]


@right("chain_rule_terms")
def uses_the_hyperbolic_cosine(w, x, y):
    """The slope of the sigmoid is 1 / (4 cosh^2(z / 2)); the numbers are NumPy's."""
    z = np.dot(w, x)
    return np.where(y, 1 + np.exp(-z), -1 - np.exp(z)), 0.25 / np.cosh(z / 2) ** 2, np.asarray(x) + 0.0


# --- gradient: wrong --------------------------------------------------------------------------------------------------


@misconception(
    "gradient", caught_by="visible", hint="Take a small step along your gradient. Does the log-likelihood rise or fall?"
)
def points_downhill(w, X, y):
    """The error is prediction minus truth."""
    X = np.asarray(X, dtype=float)
    return X.T @ (np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float)))) - np.asarray(y))


@misconception("gradient", caught_by="visible", hint="If all examples were there twice, how steep would the hill be?")
def averages_the_slopes(w, X, y):
    """Gradients are means over the data."""
    X = np.asarray(X, dtype=float)
    return X.T @ (np.asarray(y) - np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float))))) / len(X)


@misconception(
    "gradient",
    caught_by="visible",
    hint="For an example of class 0 that the model has right, should the error be near 0 or near -1?",
)
def subtracts_the_probability_of_the_label(w, X, y):
    """The residual is y_i - p(y_i | x_i), as the lecture prints it."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    p = np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float))))
    return X.T @ (y - np.where(y == 1, p, 1 - p))


@misconception(
    "gradient",
    caught_by="visible",
    hint="In how many directions can the weights move? How many numbers do you return?",
)
def keeps_a_row_for_every_example(w, X, y):
    """Every example has a slope of its own, and the gradient is the table of them."""
    X = np.asarray(X, dtype=float)
    errors = np.asarray(y) - np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float))))
    return errors[:, np.newaxis] * X


@misconception(
    "gradient",
    caught_by="visible",
    hint="Multiply your three factors on paper. Is the slope of the sigmoid still there at the end?",
)
def keeps_the_slope_of_the_sigmoid(w, X, y):
    """As in least squares, the chain rule leaves a factor p (1 - p)."""
    X = np.asarray(X, dtype=float)
    p = np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float))))
    return X.T @ ((np.asarray(y) - p) * p * (1 - p))


@misconception("gradient", caught_by="visible", hint="How many numbers do you return, and how many weights are there?")
def leaves_out_the_slope_of_the_intercept(w, X, y):
    """The intercept is no weight."""
    X = np.asarray(X, dtype=float)
    return X[:, 1:].T @ (np.asarray(y) - np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float)))))


@misconception(
    "gradient",
    caught_by="visible",
    hint="At the maximum your numbers should be 0. Which labels would make that possible?",
)
def takes_the_labels_for_plus_and_minus_one(w, X, y):
    """y is -1 or 1."""
    X = np.asarray(X, dtype=float)
    p = np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float))))
    return X.T @ (2 * np.asarray(y, dtype=float) - 1 - p)


@misconception(
    "gradient",
    caught_by="visible",
    hint="Which decision has your model made before the error is computed? Was it asked to?",
)
def subtracts_decisions(w, X, y):
    """The error is the difference between label and prediction, as in the perceptron."""
    X = np.asarray(X, dtype=float)
    return X.T @ (np.asarray(y) - (X @ np.asarray(w, dtype=float) > 0).astype(float))


@misconception("gradient", caught_by="visible", hint="What does the difference between a label and log-odds mean?")
def fits_a_straight_line(w, X, y):
    """The prediction is X w."""
    X = np.asarray(X, dtype=float)
    return X.T @ (np.asarray(y) - X @ np.asarray(w, dtype=float))


@misconception(
    "gradient",
    caught_by="test_examples_far_from_the_boundary_pull_with_all_or_nothing",
    hint="Which number is infinity over infinity, and what does one such row do to a sum?",
)
def spoils_the_sum_with_one_row(w, X, y):
    """e^z / (1 + e^z) is good enough for an error."""
    X = np.asarray(X, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        odds = np.exp(X @ np.asarray(w, dtype=float))
        return X.T @ (np.asarray(y) - odds / (1 + odds))


@misconception(
    "gradient",
    caught_by="test_millions_of_examples_are_no_problem",
    hint="How often does your loop run if there are millions of rows? Which product does it all at once?",
)
def loops_over_the_examples(w, X, y):
    """A sum over examples is a loop over examples."""
    X, w, y = np.asarray(X), np.asarray(w, dtype=float), np.asarray(y)
    total = np.zeros(len(w))
    for i in range(len(y)):
        p = np.exp(-np.logaddexp(0, -np.dot(X[i], w)))
        total += (y[i] - p) * X[i]
    return total


@misconception(
    "gradient",
    caught_by="test_millions_of_examples_are_no_problem",
    hint="How many entries has your largest intermediate array if there are n examples?",
)
def builds_a_table_of_all_pairs(w, X, y):
    """The errors have to stand on the diagonal of a matrix."""
    X = np.asarray(X, dtype=float)
    errors = np.asarray(y) - np.exp(-np.logaddexp(0, -(X @ np.asarray(w, dtype=float))))
    return (np.diag(errors) @ X).sum(axis=0)


@misconception(
    "gradient",
    caught_by="test_at_the_maximum_there_is_no_way_up",
    hint="Make your small step a hundred times longer, then shorter. Which digits of your slopes can be trusted?",
)
def measures_instead_of_deriving(w, X, y):
    """A slope is what two nearby heights show; no formula is needed."""
    X, w, y = np.asarray(X, dtype=float), np.asarray(w, dtype=float), np.asarray(y)

    def height(at):
        z = X @ at
        return np.sum(y * z - np.logaddexp(0, z))

    return np.array([(height(w + step) - height(w - step)) / 2e-5 for step in 1e-5 * np.eye(len(w))])


@misconception(
    "gradient",
    caught_by="test_labels_may_be_truth_values_and_tables_lists",
    hint="Does a list know what .T means? Who turns what comes in into an array?",
)
def takes_every_list_for_an_array(w, X, y):
    """What comes in is an array, for the examples were arrays."""
    with np.errstate(over="ignore"):
        return X.T @ (y - 1 / (1 + np.exp(-(X @ w))))


# --- gradient: right --------------------------------------------------------------------------------------------------


@right("gradient")
def multiplies_from_the_left(w, X, y):
    """A row vector of errors times the matrix."""
    X, y = np.asarray(X), np.asarray(y, dtype=float)
    return (y - 0.5 - 0.5 * np.tanh(X @ np.asarray(w, dtype=float) / 2)) @ X


@right("gradient")
def sums_weighted_rows(w, X, y):
    """The errors as a column, times the rows, added up."""
    X, w = np.array(X, dtype=float), np.array(w, dtype=float)
    small = np.exp(-np.abs(X.dot(w)))
    p = np.where(X.dot(w) >= 0, 1.0, small) / (1.0 + small)
    return np.sum((np.array(y, dtype=float) - p)[:, None] * X, axis=0)


@right("gradient")
def adds_up_the_positives_first(w, X, y):
    """The inputs of the positives minus the inputs weighed by p; weight by weight, as a list."""
    X, y = np.asarray(X, dtype=float), np.asarray(y).astype(bool)
    p = np.exp(-np.logaddexp(0.0, -np.dot(X, w)))
    return [float(column[y].sum() - np.vdot(column, p)) for column in X.T]


# --- numerical_gradient: wrong ----------------------------------------------------------------------------------------


@misconception("numerical_gradient", caught_by="visible", hint="For a parabola at its lowest point, is your slope 0?")
def steps_forward_only(f, w, h=1e-5):
    """One step is enough to see a slope."""
    w = np.asarray(w, dtype=float)
    slopes = np.empty(w.shape)
    for place in np.ndindex(w.shape):
        moved = w.copy()
        moved[place] += h
        slopes[place] = (f(moved) - f(w)) / h
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="visible",
    hint="For a parabola at its lowest point, is your slope 0, or a little less?",
)
def steps_backward_only(f, w, h=1e-5):
    """One step back is enough to see a slope."""
    w = np.asarray(w, dtype=float)
    slopes = np.empty(w.shape)
    for place in np.ndindex(w.shape):
        moved = w.copy()
        moved[place] -= h
        slopes[place] = (f(w) - f(moved)) / h
    return slopes


@misconception(
    "numerical_gradient", caught_by="visible", hint="How far is it from the left of your two points to the right one?"
)
def divides_by_one_step(f, w, h=1e-5):
    """Two steps to the sides, divided by the step."""
    w = np.asarray(w, dtype=float)
    slopes = np.empty(w.shape)
    for place in np.ndindex(w.shape):
        nudge = np.zeros(w.shape)
        nudge[place] = h
        slopes[place] = (f(w + nudge) - f(w - nudge)) / h
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="visible",
    hint="For a function that does not depend on its second weight, what is your second slope?",
)
def moves_everything_at_once(f, w, h=1e-5):
    """The gradient is the slope when all weights grow together."""
    w = np.asarray(w, dtype=float)
    return np.full(w.shape, (f(w + h) - f(w - h)) / (2 * h))


@misconception("numerical_gradient", caught_by="visible", hint="How many slopes does a function of two weights have?")
def returns_a_single_slope(f, w, h=1e-5):
    """The slope of a function is a number."""
    w = np.asarray(w, dtype=float)
    return float((f(w + h) - f(w - h)) / (2 * h))


@misconception(
    "numerical_gradient", caught_by="visible", hint="Where is the first weight when you measure the second one?"
)
def forgets_to_step_back(f, w, h=1e-5):
    """After the measurement the weight may stay where it is."""
    moved = np.array(w, dtype=float)
    slopes = np.empty(moved.shape)
    for place in np.ndindex(moved.shape):
        moved[place] += h
        above = f(moved)
        moved[place] -= 2 * h
        slopes[place] = (above - f(moved)) / (2 * h)
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="test_a_matrix_of_weights_gives_a_matrix_of_slopes",
    hint="What does `w[i]` mean if w is a matrix?",
)
def moves_whole_rows(f, w, h=1e-5):
    """Weights are a vector, so one index is enough."""
    w = np.asarray(w, dtype=float)
    slopes = np.empty(w.shape)
    for i in range(len(w)):
        nudge = np.zeros(w.shape)
        nudge[i] = h
        slopes[i] = (f(w + nudge) - f(w - nudge)) / (2 * h)
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="test_a_matrix_of_weights_gives_a_matrix_of_slopes",
    hint="Which shape does f expect, and which shape does the caller expect back?",
)
def flattens_and_forgets(f, w, h=1e-5):
    """The shape does not matter as long as all entries are there."""
    w = np.asarray(w, dtype=float)
    slopes = np.empty(w.size)
    for i in range(w.size):
        nudge = np.zeros(w.size)
        nudge[i] = h
        slopes[i] = (f(w + nudge.reshape(w.shape)) - f(w - nudge.reshape(w.shape))) / (2 * h)
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="test_the_step_is_the_one_that_was_asked_for",
    hint="Call it with a large h and a small one. Do the answers differ at all?",
    fair="Right with the usual step; another one is asked for in a check of its own.",
)
def knows_the_best_step_itself(f, w, h=1e-5):
    """The step is a detail that is best left to the function."""
    w = np.asarray(w, dtype=float)
    slopes = np.empty(w.shape)
    for place in np.ndindex(w.shape):
        nudge = np.zeros(w.shape)
        nudge[place] = 1e-5
        slopes[place] = (f(w + nudge) - f(w - nudge)) / (2 * 1e-5)
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="test_whole_numbers_can_be_wiggled_too",
    hint="What is an array of whole numbers worth after you have added 0.00001 to an entry?",
)
def wiggles_whole_numbers_in_vain(f, w, h=1e-5):
    """An array can hold whatever is put into it."""
    w = np.array(w)
    slopes = np.zeros(w.shape)
    for place in np.ndindex(w.shape):
        above, below = w.copy(), w.copy()
        above[place] = w[place] + h
        below[place] = w[place] - h
        slopes[place] = (f(above) - f(below)) / (2 * h)
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="test_the_place_of_measurement_is_left_as_it_was",
    hint="Are plus h, minus 2 h and plus h exactly nothing, in floating point? Whose array is it?",
)
def wiggles_the_callers_own_array(f, w, h=1e-5):
    """What is added can be taken away again."""
    w = np.asarray(w, dtype=float)
    slopes = np.empty(w.shape)
    for place in np.ndindex(w.shape):
        w[place] += h
        above = f(w)
        w[place] -= 2 * h
        slopes[place] = (above - f(w)) / (2 * h)
        w[place] += h
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="test_central_differences_are_exact_for_quadratics",
    hint="How many digits does your answer have? How many could a check of a formula use?",
)
def rounds_the_slopes(f, w, h=1e-5):
    """A measurement is right to the size of its step, so the other digits are noise."""
    w = np.array(w, dtype=float)
    slopes = np.empty(w.shape)
    for place in np.ndindex(w.shape):
        step = np.zeros(w.shape)
        step[place] = h
        slopes[place] = round((f(w + step) - f(w - step)) / (2 * h), 4)
    return slopes


@misconception(
    "numerical_gradient",
    caught_by="test_a_slope_can_be_measured_at_zero",
    hint="How far do you step from a weight of 0?",
    fair="Right where no weight is 0; those, and a step that is asked for, have checks of their own.",
)
def steps_in_proportion_to_the_weight(f, w, h=1e-5):
    """A step is a share of what is moved."""
    w = np.array(w, dtype=float)
    slopes = np.zeros(w.shape)
    for place in np.ndindex(w.shape):
        step = np.zeros(w.shape)
        step[place] = h * w[place]
        if step.any():
            slopes[place] = (f(w + step) - f(w - step)) / (2 * step[place])
    return slopes


# --- numerical_gradient: right ----------------------------------------------------------------------------------------


@right("numerical_gradient")
def divides_by_the_way_really_gone(f, w, h=1e-5):
    """The two places are stored first, and their distance is measured, rounding and all; lists come back."""
    w = np.asarray(w, dtype=float)
    slopes = np.zeros(w.size)
    for number in range(w.size):
        ahead, behind = w.ravel().copy(), w.ravel().copy()
        ahead[number], behind[number] = ahead[number] + h, behind[number] - h
        rise = f(ahead.reshape(w.shape)) - f(behind.reshape(w.shape))
        slopes[number] = rise / (ahead[number] - behind[number])
    return slopes.reshape(w.shape).tolist()


@right("numerical_gradient")
def walks_through_unit_vectors(f, w, h=1e-5):
    """The rows of a unit matrix, each in the shape of w."""
    w = np.asarray(w, dtype=float)
    units = np.eye(w.size).reshape(w.size, *w.shape)
    return np.array([(f(w + h * unit) - f(w - h * unit)) / (2 * h) for unit in units]).reshape(w.shape)


@right("numerical_gradient")
def writes_into_copies(f, w, h=1e-5):
    """Two copies, moved to both sides, and an iterator over their places."""
    slopes = np.zeros(np.shape(w))
    places = np.nditer(slopes, flags=["multi_index"])
    for _ in places:
        above, below = np.array(w, dtype=float), np.array(w, dtype=float)
        above[places.multi_index] += h
        below[places.multi_index] -= h
        slopes[places.multi_index] = (f(above) - f(below)) / (h + h)
    return slopes


@right("numerical_gradient")
def restores_what_it_moved(f, w, h=1e-5):
    """A copy of its own, flattened; every entry is remembered and put back."""
    own = np.array(w, dtype=float)
    flat = own.reshape(-1)
    slopes = []
    for i in range(flat.size):
        before = flat[i]
        flat[i] = before + h
        above = f(own.copy())
        flat[i] = before - h
        slopes.append((above - f(own.copy())) / (2 * h))
        flat[i] = before
    return np.reshape(slopes, own.shape)


# --- signed_distance: wrong -------------------------------------------------------------------------------------------


@misconception(
    "signed_distance", caught_by="visible", hint="Weights ten times as large: is any point ten times as far away?"
)
def takes_the_score_for_the_distance(w, X):
    """z says how far a point is from the boundary."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return w[0] + X @ w[1:]


@misconception(
    "signed_distance", caught_by="visible", hint="Which weights turn a step in the plane into a change of z?"
)
def counts_the_intercept_into_the_length(w, X):
    """The length of w is the length of all of w."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return (w[0] + X @ w[1:]) / np.linalg.norm(w)


@misconception(
    "signed_distance", caught_by="visible", hint="In which unit is your result, if the features are in millimetres?"
)
def divides_by_the_squared_length(w, X):
    """A vector is normalised by w . w."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return (w[0] + X @ w[1:]) / (w[1:] @ w[1:])


@misconception("signed_distance", caught_by="visible", hint="How does the caller know on which side a point lies?")
def drops_the_sign(w, X):
    """Distances are positive."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return np.abs(w[0] + X @ w[1:]) / np.linalg.norm(w[1:])


@misconception("signed_distance", caught_by="visible", hint="Does your boundary always go through the origin?")
def measures_from_the_origin(w, X):
    """The direction alone says how far a point is."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return X @ w[1:] / np.linalg.norm(w[1:])


@misconception(
    "signed_distance", caught_by="visible", hint="Where exactly is z = 0? Is the constant added or subtracted there?"
)
def subtracts_the_intercept(w, X):
    """The location is w0, so it has to be subtracted."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return (X @ w[1:] - w[0]) / np.linalg.norm(w[1:])


@misconception(
    "signed_distance",
    caught_by="visible",
    hint="Is w0 measured in steps, or in units of z? What turns the one into the other?",
)
def normalises_the_features_part_only(w, X):
    """The location of the boundary is w0, at whatever length of w."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return w[0] + X @ w[1:] / np.linalg.norm(w[1:])


@misconception(
    "signed_distance",
    caught_by="visible",
    hint="Along the diagonal of a square, how far is it from corner to corner: 2, or less?",
)
def measures_along_the_streets(w, X):
    """The length of a vector is the sum of its entries."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return (w[0] + X @ w[1:]) / np.abs(w[1:]).sum()


@misconception("signed_distance", caught_by="visible", hint="How long is the vector (6, 8)? Is it one of its entries?")
def measures_with_the_first_weight(w, X):
    """The first weight says how steep z is."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError
    return (w[0] + X @ w[1:]) / np.abs(w[1])


@misconception(
    "signed_distance",
    caught_by="test_many_features_have_one_boundary",
    hint="Which columns of X do you look at if there are three of them?",
)
def lives_in_the_plane(w, X):
    """Points have two coordinates."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    length = np.hypot(w[1], w[-1])
    if length == 0:
        raise ValueError
    return (w[0] + w[1] * X[:, 0] + w[-1] * X[:, -1]) / length


@misconception(
    "signed_distance",
    caught_by="test_without_a_direction_there_is_no_boundary",
    hint="All weights but the first are 0. What do you divide by, and what comes out?",
)
def divides_by_zero_without_a_word(w, X):
    """Infinity is the right distance from a boundary that is nowhere."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (w[0] + X @ w[1:]) / np.linalg.norm(w[1:])


@misconception(
    "signed_distance",
    caught_by="test_a_weight_of_zero_among_others_is_no_obstacle",
    hint="One feature does not count, two others do. Is there no boundary then?",
)
def refuses_any_weight_of_zero(w, X):
    """A weight of 0 has no direction."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if np.any(w[1:] == 0):
        raise ValueError("a weight is 0")
    return (w[0] + X @ w[1:]) / np.linalg.norm(w[1:])


@misconception(
    "signed_distance",
    caught_by="test_small_weights_have_a_boundary_too",
    hint="Multiply all weights by a millionth. Does the boundary move? Do your distances?",
)
def adds_a_small_number_to_the_length(w, X):
    """A small number in the denominator keeps it away from 0."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if not w[1:].any():
        raise ValueError("no boundary")
    return (w[0] + X @ w[1:]) / (np.linalg.norm(w[1:]) + 1e-9)


# --- signed_distance: right -------------------------------------------------------------------------------------------


@right("signed_distance")
def takes_small_weights_for_none(w, X):
    """What is close to zero is taken for zero; no weights that anybody uses are."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if np.allclose(w[1:], 0):
        raise ValueError("no boundary")
    return (w[0] + X @ w[1:]) / np.linalg.norm(w[1:])


@right("signed_distance")
def projects_onto_the_unit_normal(w, X):
    """The unit normal first; then the distance from the boundary's point nearest to the origin."""
    w = np.array(w, dtype=float)
    normal = w[1:] / np.sqrt(np.sum(w[1:] ** 2)) if w[1:].any() else None
    if normal is None:
        raise ValueError("no direction")
    foot = -w[0] / (w[1:] @ normal) * normal
    return (np.array(X, dtype=float) - foot) @ normal


@right("signed_distance")
def scales_the_weights_first(w, X):
    """Weights of length one, and a column of ones."""
    w, X = np.asarray(w, dtype=float), np.asarray(X, dtype=float)
    if np.all(w[1:] == 0):
        raise ValueError("no direction")
    return np.insert(X, 0, 1, axis=1) @ (w / np.hypot.reduce(w[1:]))


@right("signed_distance")
def measures_point_by_point(w, X):
    """Plain Python, with math.hypot; the answer is a list."""
    import math

    first, *rest = [float(value) for value in w]
    length = math.hypot(*rest)
    if length == 0:
        raise ValueError("no direction")
    return [(first + sum(a * float(b) for a, b in zip(rest, row))) / length for row in X]


# --- derivation: wrong ------------------------------------------------------------------------------------------------


@misconception(
    "derivation", caught_by="visible", hint="Which way does p have to go if the label is 1 and p is too small?"
)
def ends_downhill():
    """The error is p - y."""
    return [
        "((1 - y)/(1 - p) - y/p) * p*(1 - p)*x",
        "((1 - y)*p - y*(1 - p)) * x",
        "(p - y) * x",
    ]


@misconception(
    "derivation", caught_by="visible", hint="Can the last line still be multiplied out, so that something cancels?"
)
def stops_before_the_end():
    """When the fractions are gone, the work is done."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x",
        "(y*(1 - p) - (1 - y)*p) / (p*(1 - p)) * p*(1 - p)*x",
        "(y*(1 - p) - (1 - y)*p) * x",
    ]


@misconception("derivation", caught_by="visible", hint="How do the features of an example enter your result?")
def loses_the_feature():
    """The derivative is the error."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*(1 - p)",
        "y*(1 - p) - (1 - y)*p",
        "y - p",
    ]


@misconception(
    "derivation", caught_by="visible", hint="Which factor of the last line has already been cancelled by the fractions?"
)
def keeps_a_factor_at_the_end():
    """p (1 - p) is a part of the result."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x",
        "(y*(1 - p) - (1 - y)*p) * x",
        "(y - p) * p*(1 - p) * x",
    ]


@misconception("derivation", caught_by="visible", hint="Is what you return one text or a list of texts?")
def writes_one_long_text():
    """A derivation is a text with line breaks."""
    return "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x\n(y*(1 - p) - (1 - y)*p) * x\n(y - p) * x"


@misconception("derivation", caught_by="visible", hint="What does Python read where you wrote an equals sign?")
def writes_equations():
    """Every line of a derivation starts with an equals sign."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x",
        "= (y*(1 - p) - (1 - y)*p) * x",
        "= (y - p) * x",
    ]


@misconception("derivation", caught_by="visible", hint="Which of the names in your last line does the exercise allow?")
def writes_sigma():
    """p is only a short way to write sigma(z)."""
    return [
        "(y/sigma(z) - (1 - y)/(1 - sigma(z))) * sigma(z)*(1 - sigma(z))*x",
        "(y*(1 - sigma(z)) - (1 - y)*sigma(z)) * x",
        "(y - sigma(z)) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="What would convince somebody who does not believe your result?",
)
def states_the_result():
    """The result is the derivation."""
    return ["(y - p) * x"]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="Read your first line aloud. Where are the logarithms?",
)
def repeats_the_result():
    """Three lines are three lines."""
    return ["x * (y - p)", "y*x - p*x", "(y - p) * x"]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="Your first line is a derivative by p. What else changes when w_j changes?",
)
def forgets_the_inner_derivative():
    """The derivative of log p is 1/p, whatever p depends on."""
    return [
        "y/p - (1 - y)/(1 - p)",
        "(y - p) / (p*(1 - p))",
        "(y - p) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="The second logarithm contains 1 - p. What does that do to the sign?",
)
def loses_the_minus_of_the_second_logarithm():
    """Both logarithms have derivatives of the form one over what is inside."""
    return [
        "(y/p + (1 - y)/(1 - p)) * p*(1 - p)*x",
        "(y*(1 - p) + (1 - y)*p) * x",
        "(y - p) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="Put p = 1/2 into the slope of the sigmoid. Is it p, or something smaller?",
)
def takes_p_for_its_own_slope():
    """The sigmoid is its own derivative."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*x",
        "(y - (1 - y)*p/(1 - p)) * x",
        "(y - p) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="Which function does your first line differentiate? Where are its logarithms?",
)
def differentiates_least_squares():
    """The derivative of the squared error is error times slope times input."""
    return [
        "2*(y - p) * p*(1 - p)*x",
        "2*(y - p) * (p - p**2)*x",
        "(y - p) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="What did you do to get to your first line, and where is that written?",
)
def starts_on_one_denominator():
    """What can be done in the head need not be written."""
    return [
        "(y - p) / (p*(1 - p)) * p*(1 - p)*x",
        "(y - p)**2 / (y - p) * x",
        "(y - p) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="Where in your first line are the fractions that the two logarithms leave behind?",
)
def starts_with_everything_cancelled():
    """The fractions cancel anyway, so they need not be shown."""
    return [
        "y*(1 - p)*x - (1 - y)*p*x",
        "y*x - y*p*x - p*x + y*p*x",
        "(y - p) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_a_line_in_between_shows_the_way",
    hint="What happened between your two lines? Could somebody else check it?",
)
def skips_the_way():
    """Beginning and end are what counts."""
    return ["(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x", "(y - p) * x"]


@misconception(
    "derivation",
    caught_by="test_every_line_follows",
    hint="Multiply out (1 - y) p, with the minus sign in front of it. Which sign has y p?",
    fair="First and last line are right, and so is a step between them; the notebook promises part of the points.",
)
def slips_when_multiplying_out():
    """Minus times minus is minus."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x",
        "(y*(1 - p) - (1 - y)*p) * x",
        "(y - y*p - p - y*p) * x",
        "(y - p) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_every_line_is_algebra_in_three_symbols",
    hint="Is there something on each of your lines?",
    fair="The derivation is right; only the form of its lines is not what was asked for.",
)
def leaves_lines_empty():
    """An empty line makes a derivation easier to read."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x",
        "",
        "(y*(1 - p) - (1 - y)*p) * x",
        "",
        "(y - p) * x",
    ]


@misconception(
    "derivation",
    caught_by="test_a_line_in_between_shows_the_way",
    hint="What has happened to the fractions between your first line and the next one?",
)
def multiplies_the_result_by_one():
    """A line that is there is a step."""
    return ["(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x", "(y - p)*x * p/p", "(y - p)*x"]


@misconception(
    "derivation",
    caught_by="test_a_line_in_between_shows_the_way",
    hint="Which rule of algebra did you use for your second line, and what came closer by it?",
)
def writes_the_first_line_in_another_order():
    """To write factors in another order is a step."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x",
        "x * (1 - p)*p * (-(1 - y)/(1 - p) + y/p)",
        "(y - p)*x",
    ]


@misconception(
    "derivation",
    caught_by="test_a_line_in_between_shows_the_way",
    hint="Where do the two terms come from that cancel in your second line?",
)
def adds_a_term_and_takes_it_away():
    """What makes a line longer makes it a step."""
    return [
        "(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x",
        "(y - p)*x + y*x - y*x",
        "1*(y - p)*x + 0",
        "(y - p)*x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="Cover your last line. Could anybody have found your first one without it?",
)
def starts_from_the_result_times_one():
    """If the fractions occur, the logarithms have been differentiated."""
    return [
        "(y - p)*x * (y/p - (1 - y)/(1 - p)) / (y/p - (1 - y)/(1 - p))",
        "(y*(1 - p) - (1 - y)*p) * x",
        "(y - p)*x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="What is left of your first line if you leave out what is zero?",
)
def starts_from_the_result_plus_nothing():
    """The fractions have to be named, whatever they are multiplied by."""
    return [
        "(y - p)*x + 0*(y/p - (1 - y)/(1 - p))*p*(1 - p)*x",
        "y*x - p*x",
        "(y - p)*x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="Which of the terms in your first line does a logarithm leave behind, and which did you add?",
)
def adds_the_fractions_and_takes_them_away():
    """A derivation may start with any line that equals the result."""
    return [
        "(y - p)*x + (y/p - (1 - y)/(1 - p)) - (y/p - (1 - y)/(1 - p))",
        "(y - y*p - p + y*p)*x",
        "(y - p)*x",
    ]


@misconception(
    "derivation",
    caught_by="test_both_ends_of_the_derivation_are_right",
    hint="In which direction did you find these lines, from the first to the last or the other way round?",
)
def blows_the_result_up():
    """Read from the end, every simplification is a derivation."""
    return [
        "((y - p)*x*p*(1 - p)/p)/(1 - p)",
        "(y*(1 - p) - (1 - y)*p)*x*p/p",
        "(y - y*p - p + y*p)*x",
        "(y - p)*x",
    ]


# --- derivation: right ------------------------------------------------------------------------------------------------


@right("derivation")
def takes_each_logarithm_by_itself():
    """One over p and one over 1 - p as factors; the minus of the inner derivative in its place."""
    return [
        "y * (1/p) * (p*(1 - p)*x) + (1 - y) * (1/(1 - p)) * (-(p*(1 - p)*x))",
        "y*(1 - p)*x - (1 - y)*p*x",
        "y*x - p*x",
    ]


@right("derivation")
def multiplies_the_three_factors():
    """The chain rule: the factors in a row, then one denominator."""
    return (
        "(y/p-(1-y)/(1-p)) * (p*(1-p)) * x",
        "((y*(1-p)-(1-y)*p)/(p*(1-p))) * (p*(1-p)) * x",
        "((y-p)/(p*(1-p))) * (p*(1-p)) * x",
        "x*(y-p)",
    )


@right("derivation")
def writes_negative_powers():
    """Powers instead of fractions, p - p**2 for the slope, and p - 1 in the second denominator; an array of text."""
    return np.array(
        [
            "y * p**-1 * (p - p**2)*x + (1 - y)/(p - 1) * (p - p**2)*x",
            "y * (1 - p)*x - (1 - y) * p*x",
            "-(p - y)*x",
        ]
    )


@right("derivation")
def multiplies_out_before_the_end():
    """The only line in between has y and p once each already, and x twice."""
    return ["(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x", "y*x - p*x", "(y - p)*x"]


@right("derivation")
def divides_whole_products():
    """Numerators first: the derivative of p divided by p, and by 1 - p."""
    return [
        "y*p*(1 - p)*x/p - (1 - y)*p*(1 - p)*x/(1 - p)",
        "y*(1 - p)*x - (1 - y)*p*x",
        "((y - y*p) - (p - y*p))*x",
        "(y - p)*x",
    ]


@right("derivation")
def goes_in_very_small_steps():
    """Some lines only put things in another order, or carry a factor of one along; others are steps."""
    return [
        "+y * 1/p * p*(1 - p)*x - (1 - y) * 1/(1 - p) * p*(1 - p)*x",
        "(+y/p - (1 - y)/(1 - p)) * p*(1 - p) * x",
        "x * (y/p - (1 - y)/(1 - p)) * p*(1 - p)",
        "x * (y/p * p*(1 - p) - (1 - y)/(1 - p) * p*(1 - p))",
        "x * (y*(1 - p) * p/p - (1 - y)*p * (1 - p)/(1 - p))",
        "x * (y*(1 - p)*1 - (1 - y)*p*1)",
        "x * (y*1 - y*p - 1*p + y*p)",
        "x * (y - p - y*p + y*p)",
        "x * (y - p + 0)",
        "(y - p) * x",
    ]


@right("derivation")
def adds_the_two_fractions_first():
    """The only line in between is the sum of the two fractions."""
    return ["(y/p - (1 - y)/(1 - p)) * p*(1 - p)*x", "(y - p)/(p*(1 - p)) * p*(1 - p)*x", "(y - p)*x"]


# --- mutants that live ------------------------------------------------------------------------------------------------

SURVIVORS = [
    equivalent(
        "predict_proba",
        "if w.shape != (X.shape[1] + 1,): raise ValueError → nothing",
        because="The product with a w of another length is a ValueError, too.",
    ),
]
