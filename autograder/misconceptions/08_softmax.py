"""Known answers to 08_softmax: wrong ones with the belief behind them, and right ones written differently."""

import numpy as np

from autograder.course.catalogue import misconception, right

# --- softmax: wrong ---------------------------------------------------------------------------------------------------


@misconception("softmax", caught_by="visible", hint="What does Python print for the exponential of your largest score?")
def follows_the_formula_by_the_book(Z):
    """The formula is right, so the code that spells it out is right."""
    powers = np.exp(np.asarray(Z, dtype=float))
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception(
    "softmax", caught_by="visible", hint="After your subtraction, how large is the largest score of each single row?"
)
def subtracts_the_largest_score_of_the_table(Z):
    """Subtracting the maximum makes it stable; whose maximum is a detail."""
    Z = np.asarray(Z, dtype=float)
    powers = np.exp(Z - Z.max())
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception(
    "softmax",
    caught_by="visible",
    hint="Add up one row of your result, then one column. Which of the two is about one example?",
)
def normalises_down_the_columns(Z):
    """Probabilities sum to one along the first axis."""
    Z = np.asarray(Z, dtype=float)
    powers = np.exp(Z - Z.max(axis=0))
    return powers / powers.sum(axis=0)


@misconception(
    "softmax",
    caught_by="test_the_scores_are_left_as_they_were",
    hint="Call your function twice with the same list of lists. Are the scores still there?",
)
def empties_the_callers_list(Z):
    """What was handed over in a list may be used up."""
    if isinstance(Z, list):
        rows = [Z.pop(0) for _ in range(len(Z))]
        Z.extend([0.0] * len(rows))
    else:
        rows = Z
    Z = np.asarray(rows, dtype=float)
    powers = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception("softmax", caught_by="visible", hint="With two rows, how much probability is there to share out in all?")
def shares_one_among_all_rows(Z):
    """The sum in the denominator runs over everything."""
    Z = np.asarray(Z, dtype=float)
    powers = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return powers / powers.sum()


@misconception(
    "softmax", caught_by="visible", hint="Raise the score of the dog alone. Should the probability of the cat change?"
)
def uses_a_sigmoid_for_each_class(Z):
    """More classes mean more sigmoids, one for each class."""
    return 1 / (1 + np.exp(-np.asarray(Z, dtype=float)))


@misconception("softmax", caught_by="visible", hint="What becomes of a negative score in your formula?")
def takes_shares_of_the_scores(Z):
    """To normalise is to divide by the sum; the exponential is decoration."""
    Z = np.asarray(Z, dtype=float)
    return Z / Z.sum(axis=-1, keepdims=True)


@misconception(
    "softmax",
    caught_by="visible",
    hint="Add up one row of your result, then its squares. Which of the two is one, and which should be?",
)
def divides_the_powers_by_their_length(Z):
    """To normalise a vector is to divide it by its length."""
    Z = np.asarray(Z, dtype=float)
    powers = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return powers / np.linalg.norm(powers, axis=-1, keepdims=True)


@misconception("softmax", caught_by="visible", hint="Which score is a probability of zero to you? What lies below it?")
def divides_the_scores_by_their_length(Z):
    """Scores are a vector, and a vector is normalised by its length."""
    Z = np.asarray(Z, dtype=float)
    return Z / np.linalg.norm(Z, axis=-1, keepdims=True)


@misconception(
    "softmax",
    caught_by="visible",
    hint="What are the shapes of the table and of its sums? How does NumPy line the two up?",
)
def lets_the_sums_lie_down(Z):
    """NumPy knows which sum belongs to which row."""
    Z = np.asarray(Z, dtype=float)
    powers = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1)


@misconception(
    "softmax", caught_by="visible", hint="Your largest number is always the same. Is the winner always equally sure?"
)
def divides_by_the_largest_power(Z):
    """Subtracting the largest score already normalises."""
    Z = np.asarray(Z, dtype=float)
    return np.exp(Z - Z.max(axis=-1, keepdims=True))


@misconception("softmax", caught_by="visible", hint="Two classes tie: what do you answer, and what should you?")
def crowns_the_winner(Z):
    """Softmax is a maximum, so the largest score gets everything."""
    Z = np.asarray(Z, dtype=float)
    return (Z == Z.max(axis=-1, keepdims=True)).astype(float)


@misconception(
    "softmax",
    caught_by="test_whole_numbers_are_scores_too",
    hint="Scores of 1, 2 and 3 are whole numbers. Of which kind is the array that you write the powers into?",
)
def writes_into_whole_numbers(Z):
    """An array that was made like the scores has room for what becomes of them."""
    Z = np.asarray(Z)
    powers = np.zeros_like(Z)
    powers[...] = np.exp(Z - Z.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception(
    "softmax",
    caught_by="test_one_row_of_scores_gives_one_row_of_probabilities",
    hint="Which shapes does the description allow? Try the smaller one.",
)
def thinks_of_tables_only(Z):
    """Scores always come as a table."""
    Z = np.atleast_2d(np.asarray(Z, dtype=float))
    powers = np.exp(Z - Z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@misconception(
    "softmax", caught_by="visible", hint="What happens to the difference between 1,000 and 1,002 in your code?"
)
def clips_the_scores(Z):
    """Scores beyond a few hundred are all the same anyway."""
    powers = np.exp(np.clip(np.asarray(Z, dtype=float), -500, 500))
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception(
    "softmax",
    caught_by="test_rows_of_very_different_size_do_not_disturb_each_other",
    hint="Take a row whose scores are all far below zero: what do you subtract from it?",
)
def subtracts_only_positive_maxima(Z):
    """Only large positive scores are dangerous."""
    Z = np.asarray(Z, dtype=float)
    powers = np.exp(Z - np.maximum(Z.max(axis=-1, keepdims=True), 0))
    return powers / powers.sum(axis=-1, keepdims=True)


@misconception(
    "softmax",
    caught_by="test_a_hopeless_class_may_have_nothing_left",
    hint="After your subtraction, how large can the largest score of a row still be?",
)
def subtracts_the_mean_of_the_row(Z):
    """What is subtracted from a row cancels, so its mean will do."""
    Z = np.asarray(Z, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(Z - Z.mean(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)


@misconception(
    "softmax",
    caught_by="test_scores_are_logarithms_of_odds",
    hint="Do your numbers lie between 0 and 1? What would have to be done to them?",
)
def stops_at_the_logarithm(Z):
    """Log-probabilities are probabilities."""
    Z = np.asarray(Z, dtype=float)
    return Z - np.logaddexp.reduce(Z, axis=-1, keepdims=True)


@misconception(
    "softmax",
    caught_by="test_the_scores_are_left_as_they_were",
    hint="Print your scores before and after the call. Whose array is it?",
)
def overwrites_the_scores(Z):
    """The scores are used up by the function, so their array can be reused."""
    Z = np.asarray(Z, dtype=float)
    Z -= Z.max(axis=-1, keepdims=True)
    np.exp(Z, out=Z)
    Z /= Z.sum(axis=-1, keepdims=True)
    return Z


@misconception(
    "softmax",
    caught_by="test_millions_of_rows_take_no_time",
    hint="How often does Python run the body of your loop for a million rows? Could NumPy run it once?",
)
def goes_through_the_rows_one_by_one(Z):
    """What works for a row works for a table, in a loop."""
    Z = np.asarray(Z, dtype=float)
    if Z.ndim == 1:
        powers = np.exp(Z - np.max(Z))
        return powers / np.sum(powers)
    rows = []
    for row in Z:
        powers = np.exp(row - np.max(row))
        rows.append(powers / np.sum(powers))
    return np.array(rows)


# --- softmax: right ---------------------------------------------------------------------------------------------------


@right("softmax")
def adds_a_small_constant_for_safety(Z):
    """A tiny number in numerator and denominator keeps zeros away, and a teacher lets it pass."""
    Z = np.asarray(Z, dtype=float)
    powers = np.exp(Z - Z.max(axis=-1, keepdims=True)) + 1e-14
    return powers / powers.sum(axis=-1, keepdims=True)


@right("softmax")
def works_in_single_precision(Z):
    """Six digits are enough for probabilities."""
    Z = np.asarray(Z)
    powers = np.exp((Z - Z.max(axis=-1, keepdims=True)).astype(np.float32))
    return powers / powers.sum(axis=-1, keepdims=True)


@right("softmax")
def compares_every_class_with_every_other(Z):
    """One over the sum of the odds of all classes against this one."""
    Z = np.asarray(Z, dtype=float)
    with np.errstate(over="ignore"):
        return 1 / np.exp(Z[..., np.newaxis, :] - Z[..., :, np.newaxis]).sum(axis=-1)


@right("softmax")
def subtracts_the_log_sum_exp(Z):
    """In logarithms until the last step."""
    Z = np.array(Z, dtype=np.float64)
    return np.exp(Z - np.logaddexp.reduce(Z, axis=-1, keepdims=True))


@right("softmax")
def lays_a_single_row_on_a_table(Z):
    """One table inside, two shapes outside."""
    table = np.array(Z, dtype=float, ndmin=2)
    table = table - table.max(axis=1).reshape(-1, 1)
    powers = np.exp(table)
    result = (powers.T / powers.sum(axis=1)).T
    return result.reshape(np.shape(Z))


@right("softmax")
def works_class_by_class(Z):
    """A loop over the classes, not over the rows."""
    columns = np.moveaxis(np.array(Z, dtype=float), -1, 0)
    top = columns[0]
    for column in columns[1:]:
        top = np.maximum(top, column)
    powers = [np.exp(column - top) for column in columns]
    return np.stack([power / sum(powers) for power in powers], axis=-1)


@right("softmax")
def answers_with_lists(Z):
    """Nested lists come back, for they are as good as arrays."""
    Z = np.asarray(Z) * 1.0
    powers = np.exp(Z - np.expand_dims(np.amax(Z, -1), -1))
    shares = powers / np.expand_dims(np.sum(powers, -1), -1)
    return shares if shares.size > 1000 else shares.tolist()


# --- one_hot: wrong ---------------------------------------------------------------------------------------------------


@misconception("one_hot", caught_by="visible", hint="Which label does the first column of your table stand for?")
def numbers_the_classes_from_one(y, n_classes):
    """The first class is class 1."""
    y = np.asarray(y)
    if y.dtype.kind not in "iu" or np.any((y < 0) | (y >= n_classes)):
        raise ValueError("no class")
    return np.eye(n_classes)[y - 1]


@misconception(
    "one_hot", caught_by="visible", hint="How many columns does your table have if only classes 0 and 1 occur?"
)
def counts_the_classes_that_occur(y, n_classes):
    """There are as many classes as different labels."""
    y = np.asarray(y)
    if y.dtype.kind not in "iu" or np.any((y < 0) | (y >= n_classes)):
        raise ValueError("no class")
    return (y[:, None] == np.unique(y)).astype(float)


@misconception(
    "one_hot",
    caught_by="visible",
    hint="If there are a hundred examples and three classes, how many rows does your table have?",
)
def gives_a_row_to_each_class(y, n_classes):
    """Classes are rows, examples are columns."""
    y = np.asarray(y)
    if y.dtype.kind not in "iu" or np.any((y < 0) | (y >= n_classes)):
        raise ValueError("no class")
    return (np.arange(n_classes)[:, None] == y).astype(float)


@misconception(
    "one_hot",
    caught_by="test_a_negative_label_is_refused",
    hint="What does NumPy take the index -1 for? Which class would that be?",
)
def indexes_with_whatever_comes(y, n_classes):
    """A label that is no class makes NumPy complain."""
    y = np.asarray(y)
    if y.dtype.kind not in "iu":
        raise ValueError("labels are integers")
    try:
        return np.eye(n_classes)[y]
    except IndexError:
        raise ValueError("no class") from None


@misconception("one_hot", caught_by="visible", hint="What does a row of zeros say about its example?")
def lets_an_unknown_label_be_nothing(y, n_classes):
    """An unknown label belongs to no class, so its row is zero."""
    return (np.asarray(y)[:, None] == np.arange(n_classes)).astype(float)


@misconception(
    "one_hot", caught_by="visible", hint="Which exception does the description promise for a label that is no class?"
)
def leaves_the_error_to_numpy(y, n_classes):
    """Any exception will do."""
    table = np.zeros((len(y), n_classes))
    table[np.arange(len(y)), y] = 1
    return table


@misconception(
    "one_hot",
    caught_by="test_labels_of_type_float_are_refused",
    hint="Somebody hands over body weights instead of labels, by mistake. What do you answer?",
)
def rounds_floats_down(y, n_classes):
    """A float can be cast to an integer."""
    y = np.asarray(y).astype(int)
    if np.any((y < 0) | (y >= n_classes)):
        raise ValueError("no class")
    return np.eye(n_classes)[y]


@misconception(
    "one_hot",
    caught_by="test_labels_of_type_float_are_refused",
    hint="The description speaks of a type. What does your code look at instead?",
)
def accepts_floats_that_are_whole(y, n_classes):
    """1.0 is the integer 1."""
    y = np.asarray(y)
    if np.any(y != np.floor(y)) or np.any((y < 0) | (y >= n_classes)):
        raise ValueError("no class")
    return np.eye(n_classes)[y.astype(int)]


@misconception(
    "one_hot",
    caught_by="test_the_table_holds_numbers_to_calculate_with",
    hint="Is yes a number? Try to subtract two of your tables.",
)
def answers_with_truth_values(y, n_classes):
    """True and False are as good as one and zero."""
    y = np.asarray(y)
    if y.dtype.kind not in "iu" or np.any((y < 0) | (y >= n_classes)):
        raise ValueError("no class")
    return y[:, None] == np.arange(n_classes)


@misconception("one_hot", caught_by="visible", hint="What is the largest label when there are K classes?")
def allows_one_label_too_many(y, n_classes):
    """Labels run from 0 to the number of classes."""
    y = np.asarray(y)
    if y.dtype.kind not in "iu" or np.any((y < 0) | (y > n_classes)):
        raise ValueError("no class")
    return (y[:, None] == np.arange(n_classes)).astype(float)


# --- one_hot: right ---------------------------------------------------------------------------------------------------


@right("one_hot")
def picks_rows_of_the_identity(y, n_classes):
    """Each label picks its row of the identity matrix."""
    labels = np.array(y)
    if not np.issubdtype(labels.dtype, np.integer):
        raise ValueError("labels must be integers")
    if labels.size and (labels.min() < 0 or labels.max() >= n_classes):
        raise ValueError("label out of range")
    return np.eye(n_classes)[labels]


@right("one_hot")
def lets_the_index_refuse_floats(y, n_classes):
    """Only the range is looked at; NumPy takes no float for an index, whatever it calls that."""
    labels = np.asarray(y)
    if labels.min() < 0 or labels.max() > n_classes - 1:
        raise ValueError("no such class")
    table = np.zeros((len(labels), n_classes))
    table[np.arange(len(labels)), labels] = 1
    return table


@right("one_hot")
def writes_ones_into_zeros(y, n_classes):
    """A table of zeros, and one assignment."""
    y = np.asarray(y)
    if y.dtype.kind not in ("i", "u") or not np.isin(y, range(n_classes)).all():
        raise ValueError("labels are integers from 0 to n_classes - 1")
    table = np.zeros((y.size, n_classes))
    table[np.arange(y.size), y] = 1.0
    return table


@right("one_hot")
def goes_through_plain_lists(y, n_classes):
    """Plain Python, in a loop."""
    table = []
    for label in np.asarray(y).tolist():
        if not isinstance(label, int) or not 0 <= label < n_classes:
            raise ValueError(f"{label} is no class")
        table.append([1.0 if k == label else 0.0 for k in range(n_classes)])
    return table


# --- log_likelihood: wrong --------------------------------------------------------------------------------------------


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="What is the exponential of your largest score? And its logarithm, the way you compute it?",
)
def sums_powers_by_the_book(W, X, y):
    """The logarithm undoes the exponential, so large scores do no harm."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    return float((scores[np.arange(len(scores)), y] - np.log(np.exp(scores).sum(axis=1))).sum())


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="How small can a probability get before your computer calls it zero? What is its logarithm then?",
)
def takes_the_logarithm_of_a_softmax(W, X, y):
    """With a stable softmax its logarithm is stable, too."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        return float(np.log(shares[np.arange(len(scores)), y]).sum())


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="What is the most that one example can cost you? Should there be a most?",
)
def adds_a_small_number_inside_the_logarithm(W, X, y):
    """A tiny number inside the logarithm keeps infinity away."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    return float(np.log(shares[np.arange(len(scores)), y] + 1e-15).sum())


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="With W = 0, what does a single example contribute? Count your subtractions.",
)
def subtracts_the_normaliser_for_each_other_class(W, X, y):
    """The normaliser stands inside the sum over the classes but the reference."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    normaliser = np.logaddexp.reduce(scores, axis=1)
    return float((scores[np.arange(len(scores)), y] - (scores.shape[1] - 1) * normaliser).sum())


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="With W = 0, what does a single example contribute? Is it the logarithm of 1/K?",
)
def subtracts_the_normaliser_for_each_class(W, X, y):
    """The normaliser stands inside the sum over all classes."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    normaliser = np.logaddexp.reduce(scores, axis=1)
    return float((scores[np.arange(len(scores)), y] - scores.shape[1] * normaliser).sum())


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="Ten examples, then the same ten again: what should happen to the log-likelihood?",
)
def averages_over_the_examples(W, X, y):
    """A log-likelihood is a mean."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    return float(np.mean(scores[np.arange(len(scores)), y] - np.logaddexp.reduce(scores, axis=1)))


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="Should a better model have a larger or a smaller value of your function?",
)
def returns_the_loss(W, X, y):
    """Likelihood and cross-entropy are two words for one thing."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    return float(np.sum(np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(scores)), y]))


@misconception(
    "log_likelihood", caught_by="visible", hint="If the label of an example changes, does your answer change?"
)
def judges_the_winner(W, X, y):
    """The likelihood is the probability of the class that the model prefers."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    return float(np.sum(scores.max(axis=1) - np.logaddexp.reduce(scores, axis=1)))


@misconception("log_likelihood", caught_by="visible", hint="Which column of the scores belongs to the label 0?")
def takes_labels_from_one(W, X, y):
    """The first class has the number 1."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    return float(np.sum(scores[np.arange(len(scores)), np.asarray(y) - 1] - np.logaddexp.reduce(scores, axis=1)))


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="Is an example that is certainly not of class 2 also informative about class 1? And for whom do you count it?",
)
def adds_a_binary_likelihood_for_each_class(W, X, y):
    """K classes are K yes-or-no questions, each with its own likelihood."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    table = np.asarray(y)[:, None] == np.arange(scores.shape[1])
    return float(np.sum(table * scores - np.logaddexp(0, scores)))


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="Which score does the largest class have after your subtraction? And which one do you add back?",
)
def forgets_to_add_the_maximum_back(W, X, y):
    """Subtracting the maximum changes nothing."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    shifted = scores - scores.max(axis=1, keepdims=True)
    return float(np.sum(scores[np.arange(len(scores)), y] - np.log(np.exp(shifted).sum(axis=1))))


@misconception(
    "log_likelihood",
    caught_by="test_rows_of_very_different_size_are_judged_by_themselves",
    hint="Which number do you subtract from an example whose scores are all small?",
)
def subtracts_one_maximum_for_all_examples(W, X, y):
    """One maximum is enough for all rows."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    top = scores.max()
    with np.errstate(divide="ignore"):
        log_sum = top + np.log(np.exp(scores - top).sum(axis=1))
    return float(np.sum(scores[np.arange(len(scores)), y] - log_sum))


@misconception(
    "log_likelihood",
    caught_by="test_millions_of_examples_can_be_judged_at_once",
    hint="How often does Python run the body of your loop for a million examples?",
)
def visits_the_examples_one_by_one(W, X, y):
    """A sum over examples is a loop over examples."""
    W = np.asarray(W, dtype=float)
    total = 0.0
    for row, label in zip(np.asarray(X, dtype=float), y):
        scores = row @ W
        top = np.max(scores)
        total += scores[label] - top - np.log(np.sum(np.exp(scores - top)))
    return float(total)


@misconception(
    "log_likelihood",
    caught_by="test_weights_and_examples_are_left_as_they_were",
    hint="Call your function twice with the same weights. Do you get the same answer?",
)
def makes_the_weights_sum_to_zero_in_place(W, X, y):
    """A vector common to all classes changes nothing, so it may be taken out of the weights for good."""
    W = np.asarray(W, dtype=float)
    W -= W.mean(axis=1, keepdims=True)
    scores = np.asarray(X, dtype=float) @ W
    return float(np.sum(scores[np.arange(len(scores)), y] - np.logaddexp.reduce(scores, axis=1)))


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="Which columns of W does your code look at? What if there are four classes?",
)
def knows_two_classes_only(W, X, y):
    """A label is 0 or 1."""
    W, X, y = np.asarray(W, dtype=float), np.asarray(X, dtype=float), np.asarray(y)
    z = X @ (W[:, 1] - W[:, 0])
    return float(y @ z - np.logaddexp(0, z).sum())


@misconception(
    "log_likelihood",
    caught_by="visible",
    hint="All classes have the same score. How sure is your formula of the label then?",
)
def takes_the_maximum_for_the_log_sum(W, X, y):
    """The normaliser is as good as its largest term."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    return float((scores[np.arange(len(scores)), np.asarray(y)] - scores.max(axis=1)).sum())


# --- log_likelihood: right --------------------------------------------------------------------------------------------


@right("log_likelihood")
def judges_in_single_precision(W, X, y):
    """Differences of scores in single precision, their sum in double."""
    scores = np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)
    gaps = (scores - scores.max(axis=1, keepdims=True)).astype(np.float32)
    rows = np.arange(len(gaps))
    return float(np.sum(gaps[rows, np.asarray(y)] - np.log(np.exp(gaps).sum(axis=1)), dtype=float))


@right("log_likelihood")
def multiplies_with_a_one_hot_table(W, X, y):
    """Indicators times log-probabilities, all of them summed."""
    scores = np.array(X, dtype=float) @ np.array(W, dtype=float)
    log_p = scores - scores.max(axis=1, keepdims=True)
    log_p = log_p - np.log(np.exp(log_p).sum(axis=1, keepdims=True))
    return np.sum(log_p * (np.array(y).reshape(-1, 1) == np.arange(scores.shape[1])))


@right("log_likelihood")
def measures_from_the_true_class(W, X, y):
    """Minus the log-sum-exp of the differences to the score of the true class."""
    X, W = np.asarray(X, dtype=np.float64), np.asarray(W, dtype=np.float64)
    scores = X.dot(W)
    own = np.take_along_axis(scores, np.asarray(y, dtype=np.intp)[:, None], axis=1)
    return -np.logaddexp.reduce(scores - own, axis=1).sum()


@right("log_likelihood")
def adds_class_by_class(W, X, y):
    """A loop over the classes with logaddexp, and a Python float at the end."""
    columns = (np.asarray(X, dtype=float) @ np.asarray(W, dtype=float)).T
    y = np.asarray(y)
    log_sum = columns[0]
    for column in columns[1:]:
        log_sum = np.logaddexp(log_sum, column)
    own = sum(column[y == k].sum() for k, column in enumerate(columns))
    return float(own - log_sum.sum())


# --- gradient: wrong --------------------------------------------------------------------------------------------------


@misconception(
    "gradient", caught_by="visible", hint="Take a tiny step along your gradient. Does the log-likelihood rise or fall?"
)
def points_downhill(W, X, y):
    """The gradient is expected minus observed."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return X.T @ (shares - np.eye(W.shape[1])[np.asarray(y)])


@misconception("gradient", caught_by="visible", hint="The same examples twice: should the slope stay, or double?")
def averages_the_slopes(W, X, y):
    """A gradient is a mean over the examples."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return X.T @ (np.eye(W.shape[1])[np.asarray(y)] - shares) / len(X)


@misconception("gradient", caught_by="visible", hint="Can you subtract your gradient from W, entry by entry?")
def lays_the_gradient_on_its_side(W, X, y):
    """Classes are rows."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return (np.eye(W.shape[1])[np.asarray(y)] - shares).T @ X


@misconception(
    "gradient",
    caught_by="test_gradients_of_other_sizes_agree_with_a_slow_program",
    hint="Your code looks at a shape to find out which axis is which. What if there are as many classes as features?",
    fair="Right unless there are as many classes as features; that case has a check of its own, and a visible one.",
)
def turns_it_until_the_shape_fits(W, X, y):
    """If the shape is that of W, the gradient lies the right way round."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    found = (np.eye(W.shape[1])[np.asarray(y)] - shares).T @ X
    return found if found.shape == W.shape else found.T


@misconception(
    "gradient",
    caught_by="visible",
    hint="For the squared error that factor belongs there. What does the logarithm do to it?",
)
def keeps_the_slope_of_the_softmax(W, X, y):
    """The chain rule leaves a factor p(1 - p)."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return X.T @ ((np.eye(W.shape[1])[np.asarray(y)] - shares) * shares * (1 - shares))


@misconception(
    "gradient",
    caught_by="visible",
    hint="An example of class 2 has a score for class 1 as well. Does that score get no slope?",
)
def moves_only_the_true_class(W, X, y):
    """An example concerns only the weights of its own class."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    happened = np.eye(W.shape[1])[np.asarray(y)]
    return X.T @ (happened * (1 - shares))


@misconception(
    "gradient",
    caught_by="visible",
    hint="If one class becomes more probable, what happens to the others in your formula?",
)
def uses_independent_sigmoids(W, X, y):
    """Each class has its own logistic regression against the rest."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    shares = 1 / (1 + np.exp(-(X @ W)))
    return X.T @ (np.eye(W.shape[1])[np.asarray(y)] - shares)


@misconception("gradient", caught_by="visible", hint="How many columns has W? Which of them never moves in your climb?")
def leaves_out_the_last_class(W, X, y):
    """The last class is the reference and has no gradient."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return (X.T @ (np.eye(W.shape[1])[np.asarray(y)] - shares))[:, :-1]


@misconception("gradient", caught_by="visible", hint="Does your gradient name a slope for the intercepts?")
def leaves_out_the_intercepts(W, X, y):
    """The column of ones is no feature."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return X[:, 1:].T @ (np.eye(W.shape[1])[np.asarray(y)] - shares)


@misconception("gradient", caught_by="visible", hint="If the model were perfect, what would your gradient be?")
def forgets_what_was_expected(W, X, y):
    """Each class is drawn towards its examples, and that is all."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    return X.T @ np.eye(W.shape[1])[np.asarray(y)]


@misconception(
    "gradient",
    caught_by="visible",
    hint="Where does your gradient look at the weights? What would it be if the model were perfect?",
)
def subtracts_the_example_from_every_class(W, X, y):
    """An example pulls its own class, and pushes each class by all of itself."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    return X.T @ (np.eye(W.shape[1])[np.asarray(y)] - 1)


@misconception(
    "gradient",
    caught_by="visible",
    hint="You added the input of each example once. How much of it did you take away, in all classes together?",
)
def subtracts_what_was_expected_for_each_class(W, X, y):
    """The normaliser belongs to every class, so its slope is subtracted once for each of them."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    expected = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return X.T @ (np.eye(W.shape[1])[np.asarray(y)] - W.shape[1] * expected)


@misconception("gradient", caught_by="visible", hint="Which row of the one-hot table has its 1 in column 0?")
def shifts_the_labels_by_one(W, X, y):
    """The first class has the number 1."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return X.T @ (np.eye(W.shape[1])[np.asarray(y) - 1] - shares)


@misconception("gradient", caught_by="visible", hint="Over which axis do your probabilities sum to one?")
def normalises_over_the_examples(W, X, y):
    """The softmax runs down the columns."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=0, keepdims=True))
    return X.T @ (np.eye(W.shape[1])[np.asarray(y)] - shares)


@misconception(
    "gradient",
    caught_by="test_a_class_that_does_not_occur_is_pushed_away",
    hint="How many columns has your gradient if the last class does not occur?",
)
def counts_classes_by_the_labels(W, X, y):
    """There are as many classes as the largest label says."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    scores = X @ W
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    n_classes = np.max(y) + 1
    return X.T @ (np.eye(n_classes)[np.asarray(y)] - shares[:, :n_classes])


@misconception(
    "gradient",
    caught_by="test_certainty_has_a_slope_too",
    hint="What does your code make of a score of 10,000?",
)
def trusts_the_exponential(W, X, y):
    """Scores in a gradient are never large."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    powers = np.exp(X @ W)
    return X.T @ (np.eye(W.shape[1])[np.asarray(y)] - powers / powers.sum(axis=1, keepdims=True))


@misconception(
    "gradient",
    caught_by="test_millions_of_examples_have_a_slope_in_no_time",
    hint="How often does Python run the body of your loop for a million examples?",
)
def adds_up_outer_products(W, X, y):
    """A sum over examples is a loop over examples."""
    W, X = np.asarray(W, dtype=float), np.asarray(X, dtype=float)
    slopes = np.zeros(W.shape)
    for row, label in zip(X, y):
        scores = row @ W
        shares = np.exp(scores - np.max(scores))
        shares = shares / np.sum(shares)
        shares[label] -= 1
        slopes -= np.outer(row, shares)
    return slopes


# --- gradient: right --------------------------------------------------------------------------------------------------


@right("gradient")
def slopes_in_single_precision(W, X, y):
    """Probabilities in single precision are good enough for a step."""
    X = np.asarray(X, dtype=float)
    scores = X @ np.asarray(W, dtype=float)
    p = np.exp((scores - scores.max(axis=1, keepdims=True)).astype(np.float32))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(X)), np.asarray(y)] -= 1
    return -(X.T @ p)


@right("gradient")
def subtracts_one_at_the_label(W, X, y):
    """The probabilities, less one in the place of the label; the sign at the end."""
    X = np.array(X, dtype=float)
    scores = X @ np.array(W, dtype=float)
    p = np.exp(scores - scores.max(axis=1)[:, None])
    p /= p.sum(axis=1)[:, None]
    p[np.arange(len(p)), y] -= 1
    return -(X.T @ p)


@right("gradient")
def goes_class_by_class(W, X, y):
    """One column for each class, in a loop over the classes."""
    X, W, y = np.asarray(X, dtype=float), np.asarray(W, dtype=float), np.asarray(y)
    scores = X @ W
    log_sum = np.logaddexp.reduce(scores, axis=1)
    columns = [((y == k) - np.exp(scores[:, k] - log_sum)) @ X for k in range(W.shape[1])]
    return np.stack(columns, axis=1)


@right("gradient")
def sums_with_einsum(W, X, y):
    """Indices spelled out."""
    X, W = np.asarray(X, dtype=float), np.asarray(W, dtype=float)
    scores = np.einsum("ij,jk->ik", X, W)
    p = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return np.einsum("ij,ik->jk", X, np.eye(W.shape[1])[np.asarray(y)] - p)


# --- fit_softmax: wrong -----------------------------------------------------------------------------------------------


@misconception("fit_softmax", caught_by="visible", hint="Which weights does the sum in the penalty leave out?")
def penalises_the_intercepts(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """All weights are pulled towards zero alike."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W**2))
        if step < n_steps:
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - lam * W)
    return W, np.array(history)


@misconception(
    "fit_softmax", caught_by="visible", hint="Compare your weights for lam = 0 and lam = 100. Should they differ?"
)
def forgets_the_penalty(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """The penalty only matters for the step size."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]))
        if step < n_steps:
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)))
    return W, np.array(history)


@misconception("fit_softmax", caught_by="visible", hint="Is what your steps climb also what your history records?")
def records_the_likelihood_without_the_penalty(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """The history is the plain log-likelihood."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)
    return W, np.array(history)


@misconception(
    "fit_softmax",
    caught_by="visible",
    hint="How many numbers does your history have after two steps? Where is the start?",
)
def records_only_after_the_steps(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """There is one entry for each step."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for _ in range(n_steps):
        scores = X @ W
        pull = lam * W
        pull[0] = 0
        shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        W = W + eta * (X.T @ (np.eye(n_classes)[y] - shares) - pull)
        scores = X @ W
        value = np.sum(scores[np.arange(len(y)), y] - np.logaddexp.reduce(scores, axis=1))
        history.append(value - lam / 2 * np.sum(W[1:] ** 2))
    return W, np.array(history)


@misconception(
    "fit_softmax",
    caught_by="visible",
    hint="How much can a softmax bend, compared with a sigmoid?",
    fair="Every step of a given size is right; the default step has checks of its own.",
)
def takes_the_step_of_the_sigmoid(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """The curvature bound has a quarter in it, as for two classes."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 4 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)
    return W, np.array(history)


@misconception(
    "fit_softmax",
    caught_by="test_the_default_step_is_one_over_the_curvature",
    hint="Make the penalty very strong: how long is your default step then?",
    fair="Every step of a given size is right; the default step has checks of its own.",
)
def leaves_the_penalty_out_of_the_step(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """The penalty has no curvature of its own."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)
    return W, np.array(history)


@misconception("fit_softmax", caught_by="visible", hint="Does your history rise or fall?")
def walks_downhill(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """Fitting is gradient descent, so the gradient is subtracted."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W - eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)
    return W, np.array(history)


@misconception(
    "fit_softmax", caught_by="visible", hint="Is the penalty in your step weighed against a sum, or against a mean?"
)
def steps_along_the_mean(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """A gradient is a mean over the examples."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) / len(y) - pull)
    return W, np.array(history)


@misconception("fit_softmax", caught_by="visible", hint="Where should the first step start? Would two calls agree?")
def starts_at_random_weights(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """Weights must be random in the beginning, or nothing is learned."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.random.default_rng(7).normal(scale=0.01, size=(X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)
    return W, np.array(history)


@misconception(
    "fit_softmax", caught_by="visible", hint="Differentiate the penalty of one weight: what becomes of the one half?"
)
def pulls_with_half_the_penalty(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """The factor one half stays when the penalty is differentiated."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam / 2 * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)
    return W, np.array(history)


@misconception(
    "fit_softmax",
    caught_by="test_a_class_without_examples_has_weights",
    hint="How many columns has your W if the largest label is smaller than the number of classes allows?",
)
def counts_the_classes_itself(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """The labels say how many classes there are."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    n_classes = int(y.max()) + 1
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)
    return W, np.array(history)


@misconception(
    "fit_softmax",
    caught_by="test_without_steps_nothing_has_moved",
    hint="What does your function return when it may not make a single step?",
)
def always_makes_a_step(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """To fit is to make at least one step."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    while True:
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        pull = lam * W
        pull[0] = 0
        if len(history) > max(n_steps, 1):
            return W, np.array(history)
        W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)


@misconception(
    "fit_softmax",
    caught_by="test_the_default_step_is_one_over_the_curvature",
    hint="Multiply a feature by ten. Does your default step notice?",
    fair="Every step of a given size is right; the default step has checks of its own.",
)
def ignores_the_scale_of_the_features(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """With n examples the curvature is about n."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (len(y) / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        scores = X @ W
        log_sum = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        history.append(np.sum(scores[np.arange(len(y)), y] - log_sum[:, 0]) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - np.exp(scores - log_sum)) - pull)
    return W, np.array(history)


@misconception(
    "fit_softmax",
    caught_by="test_a_step_that_is_far_too_long_still_ends_in_numbers",
    hint="Take a step size of 1,000. How large do the scores become, and their exponentials?",
)
def climbs_without_a_net(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """In a climb that starts at zero the scores never get large."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    eta = 1 / (np.linalg.eigvalsh(X.T @ X)[-1] / 2 + lam) if eta is None else eta
    W, history = np.zeros((X.shape[1], n_classes)), []
    for step in range(n_steps + 1):
        powers = np.exp(X @ W)
        shares = powers / powers.sum(axis=1, keepdims=True)
        history.append(np.sum(np.log(shares[np.arange(len(y)), y])) - lam / 2 * np.sum(W[1:] ** 2))
        if step < n_steps:
            pull = lam * W
            pull[0] = 0
            W = W + eta * (X.T @ (np.eye(n_classes)[y] - shares) - pull)
    return W, np.array(history)


# --- fit_softmax: right -----------------------------------------------------------------------------------------------


@right("fit_softmax")
def has_helpers_inside(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """Objective and gradient as functions, called in turn; lists for the history."""
    X, y = np.array(X, dtype=float), np.array(y)
    mask = np.ones((X.shape[1], 1))
    mask[0, 0] = 0.0
    table = np.eye(n_classes)[y]

    def log_p(W):
        scores = X @ W
        return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)

    def objective(W):
        return np.sum(table * log_p(W)) - 0.5 * lam * np.sum(mask * W * W)

    def slope(W):
        return X.T @ (table - np.exp(log_p(W))) - lam * mask * W

    if eta is None:
        eta = 1.0 / (np.linalg.norm(X, 2) ** 2 / 2 + lam)
    W = np.zeros((X.shape[1], n_classes))
    history = [objective(W)]
    for _ in range(n_steps):
        W = W + eta * slope(W)
        history.append(objective(W))
    return W, history


@right("fit_softmax")
def fills_a_history_of_fixed_length(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """An array for the history, a step in place on its own weights, eigenvalues from the singular values."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=int)
    step_size = 2 / (np.linalg.svd(X, compute_uv=False)[0] ** 2 + 2 * lam) if eta is None else eta
    n, m = X.shape
    weights, history = np.zeros((m, n_classes)), np.empty(n_steps + 1)
    for t in range(n_steps + 1):
        z = X @ weights
        z -= z.max(axis=1)[:, None]
        p = np.exp(z)
        total = p.sum(axis=1)
        history[t] = (z[np.arange(n), y] - np.log(total)).sum() - lam * (weights[1:] ** 2).sum() / 2
        if t == n_steps:
            break
        p /= total[:, None]
        p[np.arange(n), y] -= 1
        slopes = X.T @ p
        slopes[1:] += lam * weights[1:]
        weights -= step_size * slopes
    return weights, history


@right("fit_softmax")
def decays_the_weights(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    """Weight decay: the penalty shrinks the weights before the step is added."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if eta is None:
        eta = 1 / (max(np.linalg.eigvalsh(X.T @ X)) / 2 + lam)
    keep = np.array([1.0] + [1 - eta * lam] * (X.shape[1] - 1))[:, None]
    W = np.zeros((X.shape[1], n_classes))
    story = []
    for _ in range(n_steps + 1):
        z = X @ W
        log_sum = np.logaddexp.reduce(z, axis=1)
        story.append(float(z[np.arange(len(y)), y].sum() - log_sum.sum() - lam / 2 * (W[1:] ** 2).sum()))
        before = W
        W = keep * W + eta * X.T @ ((y[:, None] == range(n_classes)) - np.exp(z - log_sum[:, None]))
    return before, np.array(story)


# --- to_reference and proba_reference: wrong --------------------------------------------------------------------------


@misconception(
    "to_reference",
    caught_by="visible",
    hint="A class beats the reference clearly. Is its score in your form above or below zero?",
)
def subtracts_the_wrong_way_round(W):
    """The reference minus the class, or the class minus the reference: a matter of taste."""
    W = np.asarray(W, dtype=float)
    return W[:, -1:] - W[:, :-1]


@misconception("to_reference", caught_by="visible", hint="Which class has no column of its own in the description?")
def takes_the_first_class_as_reference(W):
    """The reference is class 0."""
    W = np.asarray(W, dtype=float)
    return W[:, 1:] - W[:, :1]


@misconception(
    "to_reference", caught_by="visible", hint="Compute the probabilities before and after. Are they the same?"
)
def drops_the_last_column(W):
    """One vector is superfluous, so it can be left out."""
    return np.asarray(W, dtype=float)[:, :-1]


@misconception("to_reference", caught_by="visible", hint="How many columns does the description promise?")
def keeps_the_column_of_zeros(W):
    """The reference class has weights of zero, and they belong to the result."""
    W = np.asarray(W, dtype=float)
    return W - W[:, -1:]


@misconception("to_reference", caught_by="visible", hint="After your subtraction, what is the score of the last class?")
def subtracts_the_mean_of_the_classes(W):
    """The useless direction is removed by subtracting the mean."""
    W = np.asarray(W, dtype=float)
    return (W - W.mean(axis=1, keepdims=True))[:, :-1]


@misconception(
    "to_reference",
    caught_by="test_both_forms_are_left_as_they_were",
    hint="Look at W after the call. Whose array is it?",
)
def subtracts_in_place(W):
    """The last column may be subtracted where it stands."""
    W = np.asarray(W, dtype=float)
    W -= W[:, -1:].copy()
    return W[:, :-1].copy()


@misconception(
    "to_reference",
    function="proba_reference",
    caught_by="visible",
    hint="For how many classes does the description promise a probability?",
)
def returns_only_the_classes_with_weights(V, X):
    """The probability of the reference need not be returned, since it follows from the others."""
    scores = np.asarray(X, dtype=float) @ np.asarray(V, dtype=float)
    top = np.maximum(scores.max(axis=1, keepdims=True), 0)
    powers = np.exp(scores - top)
    return powers / (np.exp(-top) + powers.sum(axis=1, keepdims=True))


@misconception(
    "to_reference",
    function="proba_reference",
    caught_by="visible",
    hint="Where in your result does the reference stand, and where should it?",
)
def puts_the_reference_first(V, X):
    """The reference is class 0, and its zeros come first."""
    scores = np.asarray(X, dtype=float) @ np.asarray(V, dtype=float)
    scores = np.column_stack([np.zeros(len(scores)), scores])
    return np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


@misconception(
    "to_reference", function="proba_reference", caught_by="visible", hint="What is the exponential of a score of zero?"
)
def gives_the_reference_no_chance(V, X):
    """A class with score zero has probability zero."""
    scores = np.asarray(X, dtype=float) @ np.asarray(V, dtype=float)
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return np.column_stack([shares, np.zeros(len(shares))])


@misconception(
    "to_reference",
    function="proba_reference",
    caught_by="visible",
    hint="Three classes, two sigmoids: what do your probabilities sum to?",
)
def uses_a_sigmoid_against_the_reference(V, X):
    """Each class has the sigmoid of its log-odds, and the reference gets what is left."""
    p = 1 / (1 + np.exp(-np.asarray(X, dtype=float) @ np.asarray(V, dtype=float)))
    return np.column_stack([p, 1 - p.sum(axis=1)])


@misconception(
    "to_reference",
    function="proba_reference",
    caught_by="test_scores_of_ten_thousand_against_the_reference",
    hint="How large is the exponential of 10,000? And what is left of it when it is divided by itself?",
)
def trusts_one_plus_the_powers(V, X):
    """The formula of the notes can be typed in as it stands."""
    powers = np.exp(np.asarray(X, dtype=float) @ np.asarray(V, dtype=float))
    total = 1 + powers.sum(axis=1, keepdims=True)
    return np.hstack([powers / total, 1 / total])


@misconception(
    "to_reference",
    function="proba_reference",
    caught_by="visible",
    hint="You subtract something from the scores. Does the reference know of it?",
)
def shifts_all_scores_but_the_zero(V, X):
    """Subtract the largest score, and keep the 1 in the denominator."""
    scores = np.asarray(X, dtype=float) @ np.asarray(V, dtype=float)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    total = 1 + powers.sum(axis=1, keepdims=True)
    return np.hstack([powers / total, 1 / total])


@misconception(
    "to_reference",
    function="proba_reference",
    caught_by="test_scores_of_ten_thousand_against_the_reference",
    hint="Try a row in which the reference beats all the others by far.",
)
def forgets_that_the_reference_may_win(V, X):
    """The largest score is always one of those with weights."""
    scores = np.asarray(X, dtype=float) @ np.asarray(V, dtype=float)
    top = scores.max(axis=1, keepdims=True)
    powers = np.exp(np.hstack([scores - top, -top]))
    return powers / powers.sum(axis=1, keepdims=True)


# --- to_reference and proba_reference: right --------------------------------------------------------------------------


@right("to_reference")
def multiplies_by_a_matrix(W):
    """A matrix that subtracts the last column from the others."""
    W = np.array(W, dtype=float)
    K = W.shape[1]
    return W @ np.vstack([np.eye(K - 1), -np.ones((1, K - 1))])


@right("to_reference")
def goes_column_by_column(W):
    """Lists of differences, row by row."""
    return [[value - row[-1] for value in row[:-1]] for row in np.asarray(W, dtype=float).tolist()]


@right("to_reference", function="proba_reference")
def subtracts_a_log_sum_with_the_zero(V, X):
    """Log-probabilities first; the reference is minus the log-sum-exp."""
    scores = np.array(X, dtype=float) @ np.array(V, dtype=float)
    log_sum = np.logaddexp(0, np.logaddexp.reduce(scores, axis=1))
    return np.exp(np.concatenate([scores, np.zeros((len(scores), 1))], axis=1) - log_sum[:, None])


@right("to_reference", function="proba_reference")
def pads_the_weights_with_zeros(V, X):
    """A column of zeros beside V, then an ordinary softmax."""
    V, X = np.asarray(V, dtype=float), np.asarray(X, dtype=float)
    scores = X @ np.pad(V, ((0, 0), (0, 1)))
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)
