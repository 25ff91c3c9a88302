"""Known answers to 06_gradient_ascent: wrong ones, each with one mistaken belief, and different right ones."""

import numpy as np

from autograder.course.catalogue import misconception, right

# The notebook gives these two; here they serve the diagnosis, which replays answers outside of the notebook.
sigma = lambda z: 1 / (1 + np.exp(-np.asarray(z, dtype=float)))  # noqa: E731
log_likelihood = lambda w, X, y: -np.logaddexp(0, np.where(y, -1, 1) * (np.asarray(X) @ w)).sum()  # noqa: E731

# --- batch_step: wrong ------------------------------------------------------------------------------------------------


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="How high did you stand before this step, and how high do you stand after it?",
)
def walks_downhill(w, X, y, eta):
    """Gradient methods subtract the gradient."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return w - eta * X.T @ (y - sigma(X @ w))


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="If every example came twice, would your step change?",
)
def averages_the_errors(w, X, y, eta):
    """The gradient is a mean over the examples."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return w + eta * X.T @ (y - sigma(X @ w)) / len(y)


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="What does your function return when eta is twice as large?",
)
def steps_by_the_whole_gradient(w, X, y, eta):
    """A step is as long as the gradient."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return w + X.T @ (y - sigma(X @ w))


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="Where would you be after a step of length zero?",
)
def returns_the_way_instead_of_the_place(w, X, y, eta):
    """The result of a step is the change."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return eta * X.T @ (y - sigma(X @ w))


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="When the last weight asks for its slope, have the first ones moved already?",
)
def moves_one_weight_after_the_other(w, X, y, eta):
    """Each weight may use what the weights before it have become."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for j in range(len(w)):
        w[j] += eta * X[:, j] @ (y - sigma(X @ w))
    return w


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="How can your model learn that positives are rare?",
)
def holds_the_intercept_still(w, X, y, eta):
    """Only the weights of features are learnt."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    move = eta * X.T @ (y - sigma(X @ w))
    return np.append(w[0], w[1:] + move[1:])


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="What is your error for a negative example that the model is sure to be negative?",
)
def labels_negatives_with_minus_one(w, X, y, eta):
    """The two classes are -1 and +1."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return w + eta * X.T @ (2 * y - 1 - sigma(X @ w))


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="Can a negative example ever pull a weight down in your code?",
)
def compares_with_the_probability_of_the_own_label(w, X, y, eta):
    """The error is the label less the probability of that label."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    p = sigma(X @ w)
    return w + eta * X.T @ (y - np.where(y == 1, p, 1 - p))


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="How strongly does an example pull about which the model is sure, and wrong?",
)
def multiplies_by_the_slope_of_the_sigmoid(w, X, y, eta):
    """The chain rule leaves a factor p(1 - p), as it does for squared errors."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    p = sigma(X @ w)
    return w + eta * X.T @ ((y - p) * p * (1 - p))


@misconception(
    "batch_step",
    caught_by="test_every_weight_moves_by_the_summed_errors_times_its_feature",
    hint="What does an example do that the model gets right, but only just?",
)
def learns_from_wrong_decisions_only(w, X, y, eta):
    """The error is the label less the decision, as for a perceptron."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return w + eta * X.T @ (y - (X @ w > 0))


@misconception(
    "batch_step",
    caught_by="test_huge_scores_give_a_finite_step",
    hint="Divide infinity by infinity. Where could that happen here?",
)
def overflows_for_a_sure_positive(w, X, y, eta):
    """The sigmoid is e^z / (1 + e^z), for every z."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    grown = np.exp(X @ w)
    return w + eta * X.T @ (y - grown / (1 + grown))


@misconception(
    "batch_step",
    caught_by="test_the_step_leaves_its_arguments_alone",
    hint="Print the weights that you handed over, after the call. Are they what they were?",
)
def moves_the_callers_weights_along(w, X, y, eta):
    """w += ... makes a new array."""
    w = np.asarray(w)
    w = w if w.dtype == float else w.astype(float)
    w += eta * np.transpose(X) @ (np.asarray(y, dtype=float) - sigma(np.dot(X, w)))
    return w


@misconception(
    "batch_step",
    caught_by="test_the_step_leaves_its_arguments_alone",
    hint="Hand over the weights in a list, and print the list after the call. Has it moved?",
)
def moves_the_callers_list_along(w, X, y, eta):
    """Only arrays need to be copied."""
    old = np.array(w, dtype=float)
    moved = old + eta * np.transpose(X) @ (np.asarray(y, dtype=float) - sigma(np.dot(X, old)))
    if isinstance(w, list):
        w[:] = moved.tolist()
    return moved


@misconception(
    "batch_step",
    caught_by="test_lists_whole_numbers_and_truth_values_will_do",
    hint="What does a list give for `.T`?",
)
def transposes_what_comes_in(w, X, y, eta):
    """What comes in is an array."""
    return w + eta * X.T @ (np.asarray(y, dtype=float) - sigma(X @ w))


# --- batch_step: right ------------------------------------------------------------------------------------------------


@right("batch_step")
def sums_example_by_example(w, X, y, eta):
    """Plain Python, one example after the other; the answer is a list."""
    import math

    old = [float(a) for a in w]
    new = list(old)
    for row, label in zip(X, y):
        z = sum(float(a) * b for a, b in zip(row, old))
        p = 1 / (1 + math.exp(-z)) if z > -700 else 0.0
        for j, value in enumerate(row):
            new[j] += eta * (float(label) - p) * float(value)
    return new


@right("batch_step")
def adds_up_a_table_of_pulls(w, X, y, eta):
    """A table with one pull per example and weight, summed over its rows by einsum."""
    X, y = np.array(X, dtype=float), np.array(y, dtype=float)
    pulls = (y - sigma(np.einsum("ij,j->i", X, w)))[:, None] * X
    return np.add(w, eta * pulls.sum(axis=0))


@right("batch_step")
def descends_on_the_loss(w, X, y, eta):
    """Two minus signs: against the gradient of the cross-entropy."""
    X = np.asarray(X, dtype=float)
    gradient_of_loss = (sigma(X @ np.asarray(w)) - np.asarray(y)) @ X
    return np.asarray(w) - eta * gradient_of_loss


@right("batch_step")
def steps_in_single_precision(w, X, y, eta):
    """Seven digits are enough for a step."""
    w, X, y = (np.asarray(a, dtype=np.float32) for a in (w, X, y))
    p = (0.5 + 0.5 * np.tanh(0.5 * (X @ w))).astype(np.float32)
    return w + np.float32(eta) * (X.T @ (y - p))


# --- gradient_ascent: wrong -------------------------------------------------------------------------------------------


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="Plot your diary. Is that a way up?",
)
def descends_on_the_hill(X, y, eta, n_steps, w0=None):
    """Gradient methods subtract the gradient."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w - eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="Does your walk get slower when there are more examples that all say the same?",
)
def averages_over_the_examples(X, y, eta, n_steps, w0=None):
    """A step uses the mean of the errors."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w + eta * np.mean((y - sigma(X @ w))[:, None] * X, axis=0)
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="At which place was each of your slopes taken? Did anybody ever stand there?",
)
def updates_coordinate_by_coordinate(X, y, eta, n_steps, w0=None):
    """Within a step, later weights may use the new values of earlier ones."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        for j in range(len(w)):
            w[j] += eta * X[:, j] @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="If most labels were 1 whatever the features say, which weight would have to learn that?",
)
def trains_the_features_only(X, y, eta, n_steps, w0=None):
    """The intercept is not learnt."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        slope = X.T @ (y - sigma(X @ w))
        slope[0] = 0
        w = w + eta * slope
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent", caught_by="test_every_step_starts_where_the_last_one_ended", hint="Does your path ever bend?"
)
def keeps_the_first_direction(X, y, eta, n_steps, w0=None):
    """The gradient is computed once, and then followed."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    slope = X.T @ (y - sigma(X @ w))
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w + eta * slope
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="A walk of three steps visits how many places?",
)
def starts_the_diary_after_the_first_step(X, y, eta, n_steps, w0=None):
    """There is one height for each step."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = []
    for _ in range(n_steps):
        w = w + eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="Compute the height of the weights that you return. Does the diary end with it?",
)
def closes_the_diary_before_the_last_step(X, y, eta, n_steps, w0=None):
    """The height is noted before each step, and that is all."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = []
    for _ in range(n_steps):
        diary.append(log_likelihood(w, X, y))
        w = w + eta * X.T @ (y - sigma(X @ w))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="Count the steps that are taken when three are asked for.",
)
def counts_the_start_as_a_step(X, y, eta, n_steps, w0=None):
    """n_steps is the length of the diary."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps - 1):
        w = w + eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="What do four undecided examples contribute to the log-likelihood, one by one and together?",
)
def notes_the_mean_height(X, y, eta, n_steps, w0=None):
    """The log-likelihood is reported per example."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y) / len(y)]
    for _ in range(n_steps):
        w = w + eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y) / len(y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="Your numbers are positive. Of which probability could they be the logarithm?",
)
def notes_the_loss(X, y, eta, n_steps, w0=None):
    """Training curves show the loss."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [-log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w + eta * X.T @ (y - sigma(X @ w))
        diary.append(-log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="Hand over two different starts and take no step. What comes back?",
)
def always_starts_at_zero(X, y, eta, n_steps, w0=None):
    """The start does not matter, for the hill is concave."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1])
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w + eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_steps_that_are_too_long_are_reported_as_they_are",
    hint="How would anyone notice, from your diary, that the learning rate is too large?",
    fair="Every walk with steps that are short enough is right; the others have checks of their own.",
)
def refuses_to_go_down(X, y, eta, n_steps, w0=None):
    """An ascent that goes down is a mistake, so such steps are not taken."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        after = w + eta * X.T @ (y - sigma(X @ w))
        if log_likelihood(after, X, y) >= diary[-1]:
            w = after
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_all_steps_are_taken_even_if_little_is_left_to_gain",
    hint="How many steps were promised, and how long is your diary?",
    fair="Every step that is taken is right; what is lost are the steps that are left out.",
)
def stops_when_little_is_gained(X, y, eta, n_steps, w0=None):
    """When the height hardly changes the walk is over."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w + eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
        if abs(diary[-1] - diary[-2]) < 1e-6:
            break
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_the_walk_leaves_its_arguments_alone",
    hint="Start two walks from the same variable. Do they start at the same place?",
)
def drags_the_start_along(X, y, eta, n_steps, w0=None):
    """Assigning an array to another name copies it."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.asarray(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w += eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_a_walk_may_start_from_lists_and_whole_numbers",
    hint="What is the type of np.array([1, 0])? Can it hold one half?",
)
def keeps_whole_numbers_whole(X, y, eta, n_steps, w0=None):
    """The start decides of which type the weights are."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w += eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_steps_that_are_too_long_are_reported_as_they_are",
    hint="How high do the weights lie that you return? Is that the last entry of your diary?",
    fair="Every walk that climbs is right; one that falls has a check of its own.",
)
def returns_the_highest_place_of_the_walk(X, y, eta, n_steps, w0=None):
    """The result of a climb is the best place that was visited."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    places, history = [w], [float(y @ (X @ w) - np.logaddexp(0, X @ w).sum())]
    for _ in range(n_steps):
        w = w + eta * (X.T @ (y - np.exp(-np.logaddexp(0, -(X @ w)))))
        places.append(w)
        history.append(float(y @ (X @ w) - np.logaddexp(0, X @ w).sum()))
    return places[int(np.argmax(history))], np.array(history)


@misconception(
    "gradient_ascent",
    caught_by="visible",
    hint="How long is your last step, compared with the first one, where the slope is the same?",
)
def shortens_the_steps(X, y, eta, n_steps, w0=None):
    """A learning rate has to shrink, or the walk never ends."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    history = [float(y @ (X @ w) - np.logaddexp(0, X @ w).sum())]
    for step in range(1, n_steps + 1):
        w = w + eta / step * (X.T @ (y - np.exp(-np.logaddexp(0, -(X @ w)))))
        history.append(float(y @ (X @ w) - np.logaddexp(0, X @ w).sum()))
    return w, np.array(history)


@misconception(
    "gradient_ascent",
    caught_by="test_without_a_start_the_walk_begins_at_zero",
    hint="Where does your walk begin if nobody says where?",
    fair="From every start that is given the walk is right.",
)
def starts_at_one_when_not_told(X, y, eta, n_steps, w0=None):
    """Any start will do."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.ones(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w + eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_every_step_starts_where_the_last_one_ended",
    hint="Hand over a start and take no step. Do the weights that come back lie where you began?",
)
def adds_the_start_at_the_end(X, y, eta, n_steps, w0=None):
    """A start is an offset: the walk from zero, moved there."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1])
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w + eta * X.T @ (y - sigma(X @ w))
        diary.append(log_likelihood(w, X, y))
    return (w if w0 is None else w + np.asarray(w0)), np.array(diary)


@misconception(
    "gradient_ascent",
    caught_by="test_eighty_thousand_examples_are_no_problem",
    hint="How often does your program touch a single example, if there are 80,000 of them and 100 steps?",
)
def asks_the_examples_one_by_one(X, y, eta, n_steps, w0=None):
    """A sum over the examples is a loop over the examples."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        slope = np.zeros(len(w))
        for row, label in zip(X, y):
            slope = slope + (label - sigma(row @ w)) * row
        w = w + eta * slope
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary)


# --- gradient_ascent: right -------------------------------------------------------------------------------------------


@right("gradient_ascent")
def fills_a_diary_of_known_length(X, y, eta, n_steps, w0=None):
    """The diary is an array from the beginning; scores are shared by slope and height."""
    X, y = np.array(X, dtype=float), np.array(y, dtype=bool)
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)
    diary = np.empty(n_steps + 1)
    for t in range(n_steps + 1):
        z = X @ w
        diary[t] = np.where(y, z, 0).sum() - np.logaddexp(0, z).sum()
        if t < n_steps:
            w = w + eta * (np.where(y, 1.0, 0.0) - np.exp(-np.logaddexp(0, -z))) @ X
    return w, diary


@right("gradient_ascent")
def returns_lists(X, y, eta, n_steps, w0=None):
    """A while loop, and plain lists as the answer."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    start = [0.0] * X.shape[1] if w0 is None else [float(a) for a in w0]
    places = [np.array(start)]
    while len(places) <= n_steps:
        errors = y - sigma(X @ places[-1])
        places.append(places[-1] + eta * (X.T @ errors))
    return places[-1].tolist(), [float(log_likelihood(place, X, y)) for place in places]


@right("gradient_ascent")
def goes_down_on_the_loss(X, y, eta, n_steps, w0=None):
    """Descent on the cross-entropy with a helper function inside; the diary is turned over at the end."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)

    def loss(w):
        return -log_likelihood(w, X, y)

    w = np.zeros(X.shape[1]) if w0 is None else np.asarray(w0, dtype=float).copy()
    losses = [loss(w)]
    for _ in range(n_steps):
        w -= eta * (X.T @ (sigma(X @ w) - y))
        losses.append(loss(w))
    return w, -np.array(losses)


@right("gradient_ascent")
def walks_in_single_precision(X, y, eta, n_steps, w0=None):
    """Weights and slopes in single precision, heights by the given function."""
    X, y = np.asarray(X, dtype=np.float32), np.asarray(y, dtype=np.float32)
    w = np.zeros(X.shape[1], dtype=np.float32) if w0 is None else np.array(w0, dtype=np.float32)
    diary = [log_likelihood(w, X, y)]
    for _ in range(n_steps):
        w = w + np.float32(eta) * (X.T @ (y - sigma(X @ w).astype(np.float32)))
        diary.append(log_likelihood(w, X, y))
    return w, np.array(diary, dtype=np.float32)


# --- sgd_epoch: wrong -------------------------------------------------------------------------------------------------


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="What has the second example learnt from the first one?",
)
def judges_all_examples_by_the_first_weights(w, X, y, eta, order):
    """An epoch is a batch step, taken in pieces."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    order = np.asarray(order, dtype=int)
    return np.asarray(w, dtype=float) + eta * X[order].T @ (y[order] - sigma(X[order] @ np.asarray(w, dtype=float)))


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="Change an example that comes late. Does your first step notice?",
)
def asks_the_whole_batch_every_time(w, X, y, eta, order):
    """Each of the steps uses the gradient of all examples."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for _ in order:
        w = w + eta * X.T @ (y - sigma(X @ w))
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="Turn the order round. What changes?",
)
def goes_through_the_table_from_top_to_bottom(w, X, y, eta, order):
    """The order is the order of the rows."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in range(len(order)):
        w = w + eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="After a step for a positive example, is its probability higher or lower?",
)
def moves_away_from_positives(w, X, y, eta, order):
    """SGD has a D for descent, so the update has a minus."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in order:
        w = w - eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="Which label goes with the first example of your walk?",
)
def pairs_shuffled_examples_with_unshuffled_labels(w, X, y, eta, order):
    """Putting the examples in order is enough."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for row, label in zip(X[np.asarray(order, dtype=int)], y):
        w = w + eta * (label - sigma(row @ w)) * row
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="Which row comes first in your walk: the one that the order names first, "
    "or the one that stands higher in the table?",
)
def sorts_the_rows_first(w, X, y, eta, order):
    """The order says which rows take part, and they take part from top to bottom."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in np.sort(np.asarray(order, dtype=int)):
        w = w + eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="How long is the step of one example, if there are a million others?",
)
def shares_the_learning_rate_among_the_examples(w, X, y, eta, order):
    """An epoch as a whole has the learning rate eta, so each example gets its share."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in order:
        w = w + eta / len(y) * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="Can your model become more willing to say yes, whatever the features are?",
)
def moves_the_feature_weights_only(w, X, y, eta, order):
    """An example moves the weights of its features, and the intercept is none of them."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in order:
        w[1:] += eta * (y[i] - sigma(X[i] @ w)) * X[i, 1:]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_every_example_meets_what_the_one_before_it_left",
    hint="Is an example that was classified correctly of no use at all?",
)
def moves_only_after_a_wrong_decision(w, X, y, eta, order):
    """The error is label minus decision, as in the perceptron."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in order:
        w = w + eta * (y[i] - float(X[i] @ w > 0)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_only_the_rows_in_the_order_have_a_say",
    hint="One row is named three times. How many steps do you take for it?",
)
def takes_every_row_at_most_once(w, X, y, eta, order):
    """In an epoch every example is seen once."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in dict.fromkeys(int(i) for i in order):
        w = w + eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_only_the_rows_in_the_order_have_a_say",
    hint="How many steps does your loop take if the order names two rows of seven?",
)
def insists_on_as_many_steps_as_examples(w, X, y, eta, order):
    """An epoch has n steps; if the order is too short, it starts again."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for t in range(len(y) if len(order) > 1 else len(order)):
        i = order[t % len(order)]
        w = w + eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_nothing_to_do_leaves_the_weights_as_they_are",
    hint="What should happen when there is nothing to learn from?",
)
def refuses_an_empty_order(w, X, y, eta, order):
    """No examples, no answer."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    if len(order) == 0:
        raise ValueError("the order is empty")
    for i in order:
        w = w + eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_the_epoch_leaves_its_arguments_alone",
    hint="Run the same epoch twice with the same variable. Why do the answers differ?",
)
def carries_the_callers_weights_away(w, X, y, eta, order):
    """np.asarray makes a copy."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    for i in order:
        w += eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_an_epoch_survives_huge_scores",
    hint="Divide infinity by infinity. Where could that happen here?",
)
def overflows_on_the_way(w, X, y, eta, order):
    """The sigmoid is e^z / (1 + e^z), for every z."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in order:
        grown = np.exp(X[i] @ w)
        w = w + eta * (y[i] - grown / (1 + grown)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_the_epoch_leaves_its_arguments_alone",
    hint="Print the order after the epoch, once for an array and once for a list. What is left of it?",
)
def uses_the_order_up(w, X, y, eta, order):
    """An order that has been carried out is not needed any more."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    rows = order if isinstance(order, list) else [int(i) for i in order]
    while rows:
        i = rows.pop(0)
        w = w + eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


@misconception(
    "sgd_epoch",
    caught_by="test_an_order_may_be_longer_than_the_table",
    hint="The order has twelve entries, the table five rows. How many steps do you take?",
)
def stops_after_as_many_steps_as_rows(w, X, y, eta, order):
    """An epoch has at most n steps."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    for i in order[: len(y)]:
        w = w + eta * (y[i] - sigma(X[i] @ w)) * X[i]
    return w


# --- sgd_epoch: right -------------------------------------------------------------------------------------------------


@right("sgd_epoch")
def walks_through_zipped_rows(w, X, y, eta, order):
    """Rows and labels are picked out first, then visited together; the answer is a list."""
    picked = np.asarray(order, dtype=int)
    w = np.array(w, dtype=float)
    for row, label in zip(np.asarray(X, dtype=float)[picked], np.asarray(y, dtype=float)[picked]):
        w = w - eta * (sigma(row @ w) - label) * row
    return w.tolist()


@right("sgd_epoch")
def computes_with_plain_numbers(w, X, y, eta, order):
    """No arrays at all until the end."""
    import math

    weights = [float(a) for a in w]
    for i in order:
        row = [float(value) for value in X[i]]
        z = math.fsum(a * b for a, b in zip(weights, row))
        p = 1 / (1 + math.exp(-z)) if z > -700 else 0.0
        weights = [a + eta * (float(y[i]) - p) * b for a, b in zip(weights, row)]
    return np.array(weights)


@right("sgd_epoch")
def folds_with_a_helper(w, X, y, eta, order):
    """functools.reduce with one step as a function of weights and row number."""
    from functools import reduce

    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)

    def after(weights, i):
        return weights + eta * (y[i] - sigma(np.dot(X[i], weights))) * X[i]

    return reduce(after, order, np.array(w, dtype=float))


@right("sgd_epoch")
def meets_examples_in_single_precision(w, X, y, eta, order):
    """Seven digits are enough for every single step."""
    w, X, y = (np.array(a, dtype=np.float32) for a in (w, X, y))
    for i in order:
        w = w + np.float32(eta) * np.float32(y[i] - sigma(X[i] @ w)) * X[i]
    return w


# --- standardize: wrong -----------------------------------------------------------------------------------------------


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="A single new example arrives. What becomes of it in your code, however unusual it is?",
)
def gives_every_table_its_own_scale(X_train, X_other):
    """Each table is standardised by itself."""

    def one(table):
        table = np.asarray(table, dtype=float)
        spread = np.where(np.ptp(table, axis=0) == 0, 1, table.std(axis=0)) if len(table) else 1
        return (table - table.mean(axis=0)) / spread

    return one(X_train), one(X_other)


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="Could you have computed your means on the day of the training?",
)
def learns_the_scale_from_all_rows(X_train, X_other):
    """More data give better means."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    rows = np.vstack([train, other])
    spread = np.where(np.ptp(rows, axis=0) == 0, 1, rows.std(axis=0))
    return (train - rows.mean(axis=0)) / spread, (other - rows.mean(axis=0)) / spread


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="Compute np.std of one of your training columns. Is it exactly 1?",
)
def divides_by_the_unbiased_spread(X_train, X_other):
    """A standard deviation has n - 1 in its denominator."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    spread = np.where(np.ptp(train, axis=0) == 0, np.inf, train.std(axis=0, ddof=1))
    return (train - train.mean(axis=0)) / spread, (other - train.mean(axis=0)) / spread


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="In which unit are your results, and would they change if grams became kilograms?",
)
def subtracts_the_mean_only(X_train, X_other):
    """Centred data are standardised data."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    return train - train.mean(axis=0), other - train.mean(axis=0)


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="What is the mean of one of your columns?",
)
def divides_by_the_spread_only(X_train, X_other):
    """What matters is the scale, not the origin."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    spread = np.where(np.ptp(train, axis=0) == 0, np.inf, train.std(axis=0))
    return train / spread, other / spread


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="What are the mean and the standard deviation of numbers that fill the range from 0 to 1?",
)
def squeezes_into_zero_to_one(X_train, X_other):
    """To bring to scale is to map the smallest value to 0 and the largest to 1."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    width = np.where(np.ptp(train, axis=0) == 0, np.inf, np.ptp(train, axis=0))
    return (train - train.min(axis=0)) / width, (other - train.min(axis=0)) / width


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="How many means does a table with two columns have in your code?",
)
def uses_one_mean_for_all_columns(X_train, X_other):
    """A table has a mean and a standard deviation."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    return (train - train.mean()) / train.std(), (other - train.mean()) / train.std()


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="In which unit is a variance, if the column is in grams?",
)
def divides_by_the_variance(X_train, X_other):
    """The spread of a column is its variance."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    spread = np.where(np.ptp(train, axis=0) == 0, np.inf, train.var(axis=0))
    return (train - train.mean(axis=0)) / spread, (other - train.mean(axis=0)) / spread


@misconception(
    "standardize",
    caught_by="test_both_tables_get_the_scale_of_the_training_table",
    hint="Your function was asked for two tables. Which ones come back?",
)
def returns_the_other_table_only(X_train, X_other):
    """The training table is at hand already."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    spread = np.where(np.ptp(train, axis=0) == 0, np.inf, train.std(axis=0))
    return (other - train.mean(axis=0)) / spread


@misconception(
    "standardize",
    caught_by="test_a_column_that_never_changes_becomes_zero_in_both",
    hint="What do you divide by, in a column in which all numbers are the same?",
)
def divides_zero_by_zero(X_train, X_other):
    """Every column has a spread."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    with np.errstate(all="ignore"):
        return (train - train.mean(axis=0)) / train.std(axis=0), (other - train.mean(axis=0)) / train.std(axis=0)


@misconception(
    "standardize",
    caught_by="test_a_column_with_little_spread_is_not_constant",
    hint="Measure a penguin in tons. Does its mass stop varying?",
)
def calls_a_hundredth_no_spread(X_train, X_other):
    """What rounds to 0 is 0."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    spread = np.where(train.std(axis=0) < 0.01, np.inf, train.std(axis=0))
    return (train - train.mean(axis=0)) / spread, (other - train.mean(axis=0)) / spread


@misconception(
    "standardize",
    caught_by="test_columns_far_from_zero_keep_their_digits",
    hint="Subtract two numbers that agree in their first sixteen digits. What is left?",
)
def subtracts_squares(X_train, X_other):
    """The variance is the mean of the squares less the square of the mean, on a computer, too."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    variance = np.maximum((train**2).mean(axis=0) - train.mean(axis=0) ** 2, 1e-300)
    spread = np.where(np.ptp(train, axis=0) == 0, np.inf, np.sqrt(variance))
    return (train - train.mean(axis=0)) / spread, (other - train.mean(axis=0)) / spread


@misconception(
    "standardize",
    caught_by="test_neither_table_is_overwritten",
    hint="Look at the tables that you handed over. In which unit are they now?",
)
def writes_into_the_callers_tables(X_train, X_other):
    """The old numbers are not needed any more."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    mean, spread = train.mean(axis=0), np.where(np.ptp(train, axis=0) == 0, np.inf, train.std(axis=0))
    for table in (train, other):
        table -= mean
        table /= spread
    return train, other


@misconception(
    "standardize",
    caught_by="test_a_column_with_hardly_any_spread_is_not_constant",
    hint="Which number is so close to 0 for you that a column counts as constant? In which unit is a column measured?",
)
def takes_a_small_spread_for_none(X_train, X_other):
    """A column is constant if its standard deviation is close to 0."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    still = np.isclose(train.std(axis=0), 0) | (np.ptp(train, axis=0) == 0)
    spread = np.where(still, np.inf, train.std(axis=0))
    return (train - train.mean(axis=0)) / spread, (other - train.mean(axis=0)) / spread


@misconception(
    "standardize",
    caught_by="test_a_constant_column_is_zero_even_where_it_varies_later",
    hint="In which unit is a column whose spread nobody knows?",
)
def lets_a_constant_column_speak_later(X_train, X_other):
    """A column without any spread has the spread 1: it is 0 in the training, and whatever it is later."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    spread = np.where(np.ptp(train, axis=0) == 0, 1, train.std(axis=0))
    return (train - train.mean(axis=0)) / spread, (other - train.mean(axis=0)) / spread


@misconception(
    "standardize",
    caught_by="test_a_column_with_little_spread_is_not_constant",
    hint="Measure a penguin in millions of tons. How large is what you add, compared with the spread?",
)
def adds_a_little_to_every_spread(X_train, X_other):
    """A small number in the denominator does no harm."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    mean, spread = train.mean(axis=0), train.std(axis=0) + 1e-8
    return (train - mean) / spread, (other - mean) / spread


@misconception(
    "standardize",
    caught_by="test_tables_of_whole_numbers_and_lists_are_scaled_too",
    hint="Hand over a list of lists. Does a list have a mean?",
)
def asks_the_table_for_its_mean(X_train, X_other):
    """What comes in is an array."""
    mean = X_train.mean(axis=0)
    spread = np.where(X_train.max(axis=0) == X_train.min(axis=0), np.inf, X_train.std(axis=0))
    return (X_train - mean) / spread, (X_other - mean) / spread


# --- standardize: right -----------------------------------------------------------------------------------------------


@right("standardize")
def trusts_the_spread_to_be_exactly_zero(X_train, X_other):
    """A column is constant if its computed standard deviation is 0."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    spread = np.where(train.std(axis=0) == 0, np.inf, train.std(axis=0))
    return (train - train.mean(axis=0)) / spread, (other - train.mean(axis=0)) / spread


@right("standardize")
def goes_column_by_column(X_train, X_other):
    """A loop over the columns, with results written into new tables."""
    train, other = np.array(X_train, dtype=float), np.array(X_other, dtype=float)
    new_train, new_other = np.zeros_like(train), np.zeros_like(other)
    for j in range(train.shape[1]):
        column = train[:, j]
        if len(set(column.tolist())) > 1:
            middle, spread = column.mean(), column.std()
            new_train[:, j], new_other[:, j] = (column - middle) / spread, (other[:, j] - middle) / spread
    return new_train, new_other


@right("standardize")
def defines_the_scale_as_a_function(X_train, X_other):
    """A helper that knows the scale, used for both tables; the answer is a list of two."""
    train = np.asarray(X_train, dtype=float)
    center = np.average(train, axis=0)
    squares = np.square(train - center).mean(axis=0)
    varies = np.any(train != train[0], axis=0)

    def rescale(table):
        difference = np.asarray(table, dtype=float) - center
        return np.divide(difference, np.sqrt(squares), out=np.zeros_like(difference), where=varies)

    return [rescale(train), rescale(X_other)]


@right("standardize")
def multiplies_by_the_inverse_spread(X_train, X_other):
    """Inverse spreads, 0 for columns whose range is 0, as a factor."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    still = np.ptp(train, axis=0) == 0
    factor = np.where(still, 0.0, 1 / np.where(still, 1.0, np.std(train, axis=0)))
    mean = train.mean(axis=0)
    return (train - mean) * factor, (other - mean) * factor


@right("standardize")
def divides_in_single_precision(X_train, X_other):
    """Differences from the mean in double precision, everything else in single precision."""
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    mean = train.mean(axis=0)
    spread = np.where(np.all(train == train[:1], axis=0), np.inf, train.std(axis=0)).astype(np.float32)
    return (train - mean).astype(np.float32) / spread, (other - mean).astype(np.float32) / spread


# --- stable_step_size: wrong ------------------------------------------------------------------------------------------


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="How much does a step of your length gain for sure?",
)
def returns_the_end_of_the_guarantee(X, lam=0.0):
    """The best step is the longest one that is allowed."""
    X = np.asarray(X, dtype=float)
    return 2 / (np.linalg.eigvalsh(X.T @ X)[-1] / 4 + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="What is the largest value of p(1 - p)?",
)
def forgets_the_quarter(X, lam=0.0):
    """The curvature is the largest eigenvalue itself."""
    X = np.asarray(X, dtype=float)
    return 1 / (np.linalg.eigvalsh(X.T @ X)[-1] + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="In how many directions at once can a step go?",
)
def adds_up_all_eigenvalues(X, lam=0.0):
    """The curvature is the sum of the squares of all entries."""
    return 1 / (np.sum(np.square(X)) / 4 + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="Try your step on the hill. Which direction makes it overshoot?",
)
def takes_the_flattest_direction(X, lam=0.0):
    """The eigenvalue that limits the step is the smallest one."""
    X = np.asarray(X, dtype=float)
    return 1 / (np.linalg.eigvalsh(X.T @ X)[0] / 4 + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="If all features are ten times as large, how much smaller does your step become?",
)
def forgets_to_square_the_singular_value(X, lam=0.0):
    """The largest singular value of X is the largest eigenvalue of X'X."""
    return 1 / (np.linalg.norm(X, 2) / 4 + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="If every example came twice, would the hill be as steep as before?",
)
def averages_the_curvature(X, lam=0.0):
    """The curvature is a mean over the examples."""
    X = np.asarray(X, dtype=float)
    return 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 4 / len(X) + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="On a hill that is bent more strongly, does your step become longer or shorter?",
)
def returns_the_curvature_itself(X, lam=0.0):
    """L is what is asked for."""
    X = np.asarray(X, dtype=float)
    return np.linalg.eigvalsh(X.T @ X)[-1] / 4 + lam


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="Is the steepest direction always one of the axes?",
)
def looks_along_the_axes_only(X, lam=0.0):
    """The largest curvature is the largest number on the diagonal of X'X."""
    return 1 / (np.square(X).sum(axis=0).max() / 4 + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="Which columns of X have a weight that moves?",
)
def leaves_the_ones_out(X, lam=0.0):
    """The column of ones has no curvature."""
    features = np.asarray(X, dtype=float)[:, 1:]
    return 1 / (np.linalg.norm(features, 2) ** 2 / 4 + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="The second derivative of (lam / 2) w^2: is there a quarter in it?",
)
def divides_the_penalty_by_four(X, lam=0.0):
    """The quarter belongs to everything."""
    X = np.asarray(X, dtype=float)
    return 4 / (np.linalg.eigvalsh(X.T @ X)[-1] + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="Ask for a penalty of a million. What does your function say?",
)
def ignores_the_penalty_in_the_step(X, lam=0.0):
    """The step depends on the data only."""
    X = np.asarray(X, dtype=float)
    return 4 / np.linalg.eigvalsh(X.T @ X)[-1]


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="In which order does np.linalg.eigvals return its values? What does its documentation promise?",
)
def trusts_eigvals_to_sort(X, lam=0.0):
    """Eigenvalues come in increasing order, from any function."""
    X = np.asarray(X, dtype=float)
    return 1 / (np.linalg.eigvals(X.T @ X)[-1].real / 4 + lam)


@misconception(
    "stable_step_size",
    caught_by="test_the_step_is_one_over_the_largest_curvature",
    hint="How many rounds does your iteration take? Does the answer still move after one more?",
)
def stops_the_iteration_early(X, lam=0.0):
    """Five rounds of power iteration find the largest eigenvalue."""
    X = np.asarray(X, dtype=float)
    direction = np.ones(X.shape[1])
    for _ in range(5):
        direction = X.T @ (X @ direction)
        direction = direction / np.linalg.norm(direction)
    return float(1 / (np.sum((X @ direction) ** 2) / 4 + lam))


@misconception(
    "stable_step_size", caught_by="visible", hint="Is your bound reached? Which direction would have that curvature?"
)
def bounds_the_eigenvalue_by_row_sums(X, lam=0.0):
    """No eigenvalue exceeds the largest sum of a row, so that sum is as good."""
    X = np.asarray(X, dtype=float)
    return float(1 / (np.abs(X.T @ X).sum(axis=1).max() / 4 + lam))


@misconception(
    "stable_step_size",
    caught_by="visible",
    hint="How many columns has the X that comes in, and what stands in the first one already?",
)
def adds_the_ones_once_more(X, lam=0.0):
    """X has no column of ones until somebody adds it."""
    X = np.column_stack([np.ones(len(X)), np.asarray(X, dtype=float)])
    return float(1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 4 + lam))


@misconception(
    "stable_step_size",
    caught_by="test_many_rows_need_no_matrix_of_all_pairs",
    hint="How many numbers has the matrix of all pairs of 200,000 examples?",
)
def pairs_all_examples(X, lam=0.0):
    """X X' has the same largest eigenvalue as X'X, so either will do."""
    X = np.asarray(X, dtype=float)
    return float(1 / (np.linalg.eigvalsh(X @ X.T)[-1] / 4 + lam))


@misconception(
    "stable_step_size",
    caught_by="test_few_rows_are_enough",
    hint="What is the rank of X'X if there are fewer examples than weights? Which of your numbers would be 0?",
)
def wants_more_rows_than_columns(X, lam=0.0):
    """The curvature can be had from its inverse, which exists."""
    X = np.asarray(X, dtype=float)
    smallest = np.linalg.eigvalsh(np.linalg.inv(X.T @ X))[0]
    return float(1 / (1 / smallest / 4 + lam))


# --- stable_step_size: right ------------------------------------------------------------------------------------------


@right("stable_step_size")
def squares_the_spectral_norm(X, lam=0.0):
    """The spectral norm of X, squared."""
    return 4 / (np.linalg.norm(np.asarray(X, dtype=float), ord=2) ** 2 + 4 * lam)


@right("stable_step_size")
def takes_the_largest_of_all_eigenvalues(X, lam=0.0):
    """np.linalg.eigvals in any order; the answer is an array without dimensions."""
    X = np.array(X, dtype=float)
    values = np.linalg.eigvals(np.einsum("ij,ik->jk", X, X)).real
    return np.asarray(1 / (0.25 * values.max() + lam))


@right("stable_step_size")
def uses_the_singular_values(X, lam=0.0):
    """Singular values without vectors; a Python float."""
    largest = np.linalg.svd(np.asarray(X, dtype=float), compute_uv=False).max()
    return (float(largest) ** 2 / 4 + float(lam)) ** -1


@right("stable_step_size")
def bends_in_single_precision(X, lam=0.0):
    """Seven digits are enough for a step size."""
    X = np.asarray(X, dtype=np.float32)
    return np.float32(1) / (np.linalg.eigvalsh(X.T @ X)[-1] / np.float32(4) + np.float32(lam))


# --- penalized_gradient: wrong ----------------------------------------------------------------------------------------


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_leaves_the_slope_of_the_intercept_alone",
    hint="With a very large lam, which probability does your model give to everybody?",
    fair="Right for the weights of the features; the intercept has a price of its own, for the task stresses it.",
)
def pulls_the_intercept_too(w, X, y, lam):
    """A penalty is for all weights."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (y - sigma(X @ w)) - lam * w


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="Follow your slopes for a while. Do the weights stay small?",
)
def pushes_the_weights_outwards(w, X, y, lam):
    """Regularisation adds lam times the weights."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (y - sigma(X @ w)) + lam * np.append(0, w[1:])


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="Differentiate the penalty once more, with its factor in front.",
)
def forgets_what_the_half_is_for(w, X, y, lam):
    """The derivative of a square has a 2."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (y - sigma(X @ w)) - 2 * lam * np.append(0, w[1:])


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="Compare your slope with the change of the height over a tiny step. Which factor is missing?",
)
def keeps_the_half_in_the_slope(w, X, y, lam):
    """The factor in front of the penalty stays when it is differentiated."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (y - sigma(X @ w)) - lam / 2 * np.append(0, w[1:])


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="Which of the four arguments does your function never look at?",
)
def forgets_the_penalty(w, X, y, lam):
    """The penalty concerns the height, not the slope."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (y - sigma(X @ w))


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_leaves_the_slope_of_the_intercept_alone",
    hint="Nothing pulls the intercept back. Does nothing push it forward either?",
    fair="Right for the weights of the features; the intercept has a price of its own, for the task stresses it.",
)
def freezes_the_intercept(w, X, y, lam):
    """Leaving the intercept alone means that it does not move."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    slope = X.T @ (y - sigma(X @ w)) - lam * w
    return np.append(0.0, slope[1:])


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="With which weights do you compute the probabilities?",
)
def predicts_without_the_intercept(w, X, y, lam):
    """Setting the intercept to 0 keeps it out of the penalty."""
    w, X, y = (np.array(a, dtype=float) for a in (w, X, y))
    w[0] = 0
    return X.T @ (y - sigma(X @ w)) - lam * w


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="At which end of w does the intercept stand?",
)
def spares_the_last_weight(w, X, y, lam):
    """The intercept is the last weight."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (y - sigma(X @ w)) - lam * np.append(w[:-1], 0)


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="With more examples, does your penalty become stronger, weaker, or neither?",
)
def shares_the_penalty_among_the_examples(w, X, y, lam):
    """The penalty is divided by the number of examples."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (y - sigma(X @ w)) - lam / len(y) * np.append(0, w[1:])


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="Is a weight of 10 pulled more strongly than a weight of 0.1?",
)
def pulls_all_weights_with_equal_force(w, X, y, lam):
    """Each weight is pulled towards 0 by lam."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (y - sigma(X @ w)) - lam * np.append(0, np.sign(w[1:]))


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="Is this where it goes up, or where it goes down?",
)
def gives_the_slope_of_the_loss(w, X, y, lam):
    """One minimises, so the gradient is that of the negative."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return X.T @ (sigma(X @ w) - y) + lam * np.append(0, w[1:])


@misconception(
    "penalized_gradient",
    caught_by="test_the_penalty_pulls_every_weight_of_a_feature",
    hint="How many slopes do you return, and how many weights can be moved?",
)
def returns_the_slopes_of_the_features(w, X, y, lam):
    """The intercept has no entry in a penalised gradient."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    return (X.T @ (y - sigma(X @ w)) - lam * w)[1:]


@misconception(
    "penalized_gradient",
    caught_by="test_no_weight_is_set_to_zero_on_the_way",
    hint="After the call, what is the intercept of the weights that you handed over?",
)
def sets_the_callers_intercept_to_zero(w, X, y, lam):
    """A new name for an array is a new array."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    slope = X.T @ (y - sigma(X @ w))
    penalty = w
    penalty[0] = 0
    return slope - lam * penalty


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_a_large_intercept_costs_nothing",
    hint="Raise the intercept alone. Does your price rise?",
    fair="Right for the weights of the features; the intercept has a price of its own, for the task stresses it.",
)
def charges_for_the_intercept(w, X, y, lam):
    """The price is for all weights."""
    w = np.asarray(w, dtype=float)
    return log_likelihood(w, X, y) - lam / 2 * w @ w


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_the_height_falls_by_half_the_squared_weights",
    hint="Differentiate your price. Is it what the gradient subtracts?",
    fair="The slopes are right, and so is the height without a price; what the price is has a check of its own.",
)
def charges_twice_the_price(w, X, y, lam):
    """The price is lam times the sum of squares."""
    w = np.asarray(w, dtype=float)
    return log_likelihood(w, X, y) - lam * w[1:] @ w[1:]


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_the_height_falls_by_half_the_squared_weights",
    hint="Which w is highest according to you: a small one, or a very large one?",
    fair="The slopes are right, and so is the height without a price; what the price is has a check of its own.",
)
def pays_for_large_weights(w, X, y, lam):
    """A penalty is added."""
    w = np.asarray(w, dtype=float)
    return log_likelihood(w, X, y) + lam / 2 * w[1:] @ w[1:]


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_the_height_falls_by_half_the_squared_weights",
    hint="If all weights double, what happens to your price?",
    fair="The gradient, which is half of the exercise, is right.",
)
def charges_for_the_length(w, X, y, lam):
    """The price is proportional to the length of w, not to its square."""
    w = np.asarray(w, dtype=float)
    return log_likelihood(w, X, y) - lam / 2 * np.linalg.norm(w[1:])


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_the_height_falls_by_half_the_squared_weights",
    hint="With ten times as many examples, would your height be ten times as low?",
)
def averages_the_log_likelihood(w, X, y, lam):
    """The log-likelihood is per example."""
    w = np.asarray(w, dtype=float)
    return log_likelihood(w, X, y) / len(y) - lam / 2 * w[1:] @ w[1:]


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_huge_scores_stay_finite_under_a_penalty",
    hint="What is the logarithm of the probability that is left when the model is sure, and wrong?",
)
def takes_the_logarithm_of_zero(w, X, y, lam):
    """log(1 - p) can be computed from p."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    p = np.clip(1 / (1 + np.exp(-np.clip(X @ w, -700, 700))), 1e-15, 1 - 1e-15)
    return np.sum(y * np.log(p) + (1 - y) * np.log(1 - p)) - lam / 2 * w[1:] @ w[1:]


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_huge_scores_stay_finite_under_a_penalty",
    hint="The model is certain of an example, and right. Print the two terms of that example: what are they?",
)
def multiplies_zero_by_infinity(w, X, y, lam):
    """A term with the factor 0 is 0, whatever stands beside it."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    p = sigma(X @ w)
    return np.sum(y * np.log(p) + (1 - y) * np.log(1 - p)) - lam / 2 * w[1:] @ w[1:]


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_no_weight_is_set_to_zero_on_the_way",
    hint="After the call, what is the intercept of the weights that you handed over, as an array and as a list?",
)
def clears_the_intercept_of_the_caller(w, X, y, lam):
    """The intercept is not needed any more, once the height is known."""
    value = log_likelihood(np.array(w, dtype=float), X, y)
    w[0] = 0
    return value - lam / 2 * float(np.sum(np.square(w)))


@misconception(
    "penalized_gradient",
    function="penalized_log_likelihood",
    caught_by="test_no_penalty_is_the_plain_log_likelihood",
    hint="With which weights do you compute the scores?",
    fair="The gradient, which is half of the exercise, is right.",
)
def measures_without_the_intercept(w, X, y, lam):
    """Setting the intercept to 0 keeps it out of the penalty."""
    w = np.array(w, dtype=float)
    w[0] = 0
    return log_likelihood(w, X, y) - lam / 2 * w @ w


# --- penalized_gradient: right ----------------------------------------------------------------------------------------


@right("penalized_gradient")
def pulls_with_a_mask(w, X, y, lam):
    """A vector of strengths, 0 for the intercept and lam for the others."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    strength = np.full(w.shape, float(lam))
    strength[0] = 0
    return (y - sigma(X @ w)) @ X - strength * w


@right("penalized_gradient")
def adds_slope_by_slope(w, X, y, lam):
    """One slope after the other, returned as a list."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    errors = y - sigma(X @ np.asarray(w))
    slopes = [float(errors @ X[:, j]) for j in range(X.shape[1])]
    return [slope - (lam * float(w[j]) if j > 0 else 0.0) for j, slope in enumerate(slopes)]


@right("penalized_gradient")
def multiplies_by_a_diagonal_matrix(w, X, y, lam):
    """The penalty as a matrix, an identity whose first entry is missing."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    ridge = np.diag(np.where(np.arange(w.size) == 0, 0.0, lam))
    return -(X.T @ (sigma(X @ w) - y) + ridge @ w)


@right("penalized_gradient", function="penalized_log_likelihood")
def writes_the_log_likelihood_out(w, X, y, lam):
    """The log-likelihood as y z - log(1 + e^z); an array without dimensions."""
    w, X, y = (np.asarray(a, dtype=float) for a in (w, X, y))
    z = X @ w
    return np.asarray(y @ z - np.logaddexp(0, z).sum() - 0.5 * lam * np.square(w[1:]).sum())


@right("penalized_gradient", function="penalized_log_likelihood")
def adds_example_by_example(w, X, y, lam):
    """Plain Python sums."""
    import math

    total = -lam / 2 * sum(float(a) ** 2 for a in list(w)[1:])
    for row, label in zip(X, y):
        z = math.fsum(float(a) * float(b) for a, b in zip(row, w))
        z = z if label else -z
        total += min(z, 0.0) - math.log1p(math.exp(-abs(z)))
    return total


@right("penalized_gradient")
def pulls_in_single_precision(w, X, y, lam):
    """Seven digits are enough for a slope."""
    w, X, y = (np.asarray(a, dtype=np.float32) for a in (w, X, y))
    slope = X.T @ (y - sigma(X @ w).astype(np.float32))
    return slope - np.float32(lam) * np.append(np.float32(0), w[1:])


@right("penalized_gradient", function="penalized_log_likelihood")
def charges_in_single_precision(w, X, y, lam):
    """Seven digits are enough for a height."""
    w, X, y = (np.asarray(a, dtype=np.float32) for a in (w, X, y))
    z = X @ w
    return np.float32(np.sum(y * z - np.logaddexp(np.float32(0), z)) - np.float32(lam) / 2 * np.sum(w[1:] ** 2))
