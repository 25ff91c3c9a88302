"""Known answers to 03_naive_bayes: wrong ones, each with one mistaken belief, and right ones written differently."""

import numpy as np

from autograder.course.catalogue import equivalent, misconception, right

# --- parameter_counts: wrong ------------------------------------------------------------------------------------------


@misconception(
    "parameter_counts",
    caught_by="visible",
    hint="A die has six faces. How many of their probabilities may you invent before the others are settled?",
)
def takes_every_entry_for_free(d, n_values=2, n_classes=2):
    """A table has as many parameters as it has entries."""
    full, naive = n_values**d * n_classes, n_values * d * n_classes
    return {"full": full, "naive": naive, "full_entries": full, "naive_entries": naive + n_classes}


@misconception(
    "parameter_counts",
    caught_by="visible",
    hint="Two groups, each with its own distribution: over which numbers does each of them sum to one?",
)
def takes_the_whole_table_for_one_distribution(d, n_values=2, n_classes=2):
    """All entries of the big table sum to one, so only one of them is not free."""
    full = n_values**d * n_classes
    naive = n_values * d * n_classes
    return {
        "full": full - 1,
        "naive": (n_values - 1) * d * n_classes,
        "full_entries": full,
        "naive_entries": naive + n_classes,
    }


@misconception("parameter_counts", caught_by="visible", hint="Of which table is the share of each class a parameter?")
def counts_the_prior_among_the_features(d, n_values=2, n_classes=2):
    """The parameters of the classes belong to those of the features."""
    full = n_values**d * n_classes
    return {
        "full": full - n_classes + n_classes - 1,
        "naive": (n_values - 1) * d * n_classes + n_classes - 1,
        "full_entries": full,
        "naive_entries": (n_values * d + 1) * n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="visible",
    hint="Do spam and ham use words equally often? How many descriptions does that take?",
)
def describes_only_one_class(d, n_values=2, n_classes=2):
    """One description of the features serves all classes."""
    full = n_values**d
    return {
        "full": full - 1,
        "naive": (n_values - 1) * d,
        "full_entries": full * n_classes,
        "naive_entries": n_values * d + n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="visible",
    hint="Someone hands you all small tables. Can you already tell which class is the more common one?",
)
def forgets_the_table_of_the_classes(d, n_values=2, n_classes=2):
    """The tables of the features are all there is."""
    full = n_values**d * n_classes
    return {
        "full": full - n_classes,
        "naive": (n_values - 1) * d * n_classes,
        "full_entries": full,
        "naive_entries": n_values * d * n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="visible",
    hint="What changes if a feature can be red, green or blue, and not only yes or no?",
)
def thinks_that_all_features_are_binary(d, n_values=2, n_classes=2):
    """A feature is there or it is not."""
    return {
        "full": (2**d - 1) * n_classes,
        "naive": d * n_classes,
        "full_entries": 2**d * n_classes,
        "naive_entries": 2 * d * n_classes + n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="visible",
    hint="Two features with three values each: write the combinations down. Are there eight or nine?",
)
def swaps_base_and_exponent(d, n_values=2, n_classes=2):
    """Features to the power of values."""
    full = d**n_values * n_classes
    return {
        "full": full - n_classes,
        "naive": (n_values - 1) * d * n_classes,
        "full_entries": full,
        "naive_entries": (n_values * d + 1) * n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="test_hundreds_of_features_are_counted_to_the_last_digit",
    hint="Add one to your largest count and subtract it again. Can your kind of number tell the difference?",
)
def counts_in_floating_point(d, n_values=2, n_classes=2):
    """A float is as good as a whole number."""
    full = int(float(n_values) ** d) * n_classes
    return {
        "full": full - n_classes,
        "naive": (n_values - 1) * d * n_classes,
        "full_entries": full,
        "naive_entries": (n_values * d + 1) * n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="test_hundreds_of_features_are_counted_to_the_last_digit",
    hint="Print the count for 70 features. Is it positive? How many bits does your kind of number have?",
)
def counts_in_64_bits(d, n_values=2, n_classes=2):
    """NumPy's whole numbers are as large as one likes."""
    with np.errstate(all="ignore"):
        full = int(np.int64(n_values) ** np.int64(d) * np.int64(n_classes))
    return {
        "full": full - n_classes,
        "naive": (n_values - 1) * d * n_classes,
        "full_entries": full,
        "naive_entries": (n_values * d + 1) * n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="test_the_counts_are_whole_numbers",
    hint="What does 6 / 2 give in Python, and what does 6 // 2 give?",
)
def divides_to_get_free_parameters(d, n_values=2, n_classes=2):
    """A quotient that comes out even is a whole number."""
    entries = n_values * d * n_classes
    return {
        "full": (n_values**d - 1) * n_classes,
        "naive": entries - entries / n_values,
        "full_entries": n_values**d * n_classes,
        "naive_entries": entries + n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="test_the_counts_are_whole_numbers",
    hint="Print one of your counts. Is there a decimal point, and what is it good for?",
)
def counts_in_floats_throughout(d, n_values=2, n_classes=2):
    """A number is a float."""
    combinations, each = float(n_values) ** d, float(d) * n_classes
    return {
        "full": (combinations - 1) * n_classes,
        "naive": (n_values - 1) * each,
        "full_entries": combinations * n_classes,
        "naive_entries": n_values * each + n_classes,
    }


@misconception(
    "parameter_counts",
    caught_by="test_with_one_feature_there_is_nothing_to_assume",
    hint="With a single feature, which tables are left to write down?",
)
def needs_two_features(d, n_values=2, n_classes=2):
    """With one feature there is no table to speak of."""
    if d < 2:
        raise ValueError("at least two features")
    return {
        "full": (n_values**d - 1) * n_classes,
        "naive": (n_values - 1) * d * n_classes,
        "full_entries": n_values**d * n_classes,
        "naive_entries": (n_values * d + 1) * n_classes,
    }


# --- parameter_counts: right ------------------------------------------------------------------------------------------


@right("parameter_counts")
def subtracts_one_for_each_distribution(d, n_values=2, n_classes=2):
    """Entries first; free parameters are entries minus the number of distributions."""
    full_entries, naive_entries = pow(n_values, d) * n_classes, n_classes * (1 + d * n_values)
    return dict(
        full=full_entries - n_classes,
        naive=naive_entries - n_classes - d * n_classes,
        full_entries=full_entries,
        naive_entries=naive_entries,
    )


@right("parameter_counts")
def multiplies_in_a_loop(d, n_values=2, n_classes=2):
    """One factor for each feature, one summand for each table."""
    combinations, naive, entries = 1, 0, n_classes
    for _ in range(d):
        combinations *= n_values
        naive += n_classes * (n_values - 1)
        entries += n_classes * n_values
    return {
        "naive_entries": entries,
        "full_entries": combinations * n_classes,
        "naive": naive,
        "full": combinations * n_classes - n_classes,
    }


@right("parameter_counts")
def uses_the_product_of_a_list(d, n_values=2, n_classes=2):
    """The size of an array with one axis for each variable, by math.prod."""
    import math

    full = math.prod([n_values] * d + [n_classes])
    return {
        "full": full - n_classes,
        "naive": sum([n_values - 1] * (d * n_classes)),
        "full_entries": full,
        "naive_entries": sum([n_values] * (d * n_classes)) + n_classes,
    }


# --- conditional_tables: wrong ----------------------------------------------------------------------------------------


@misconception(
    "conditional_tables",
    caught_by="visible",
    hint="Out of all people, or out of the people of one class: among whom do you count?",
)
def divides_by_everybody(counts):
    """A probability is a count divided by the number of all examples."""
    return np.asarray(counts) / np.sum(counts)


@misconception(
    "conditional_tables",
    caught_by="visible",
    hint="Which of the two is known beforehand, the class or the value? Whose shares do you form?",
)
def gives_the_class_given_the_value(counts):
    """P(class | value) and P(value | class) are the same."""
    counts = np.asarray(counts, dtype=float)
    return counts / counts.sum(axis=0)


@misconception(
    "conditional_tables", caught_by="visible", hint="What do the numbers of one class add up to in your table?"
)
def scales_the_most_common_value_to_one(counts):
    """To normalise is to divide by the largest number."""
    counts = np.asarray(counts, dtype=float)
    return counts / counts.max(axis=1, keepdims=True)


@misconception(
    "conditional_tables",
    caught_by="visible",
    hint="What does your table say about a value that nobody had? Who told it so?",
)
def smooths_without_being_asked(counts):
    """One is always added to a count."""
    counts = np.asarray(counts, dtype=float) + 1
    return counts / counts.sum(axis=1, keepdims=True)


@misconception(
    "conditional_tables",
    caught_by="visible",
    hint="Print the answer for a table of whole numbers. Where have the decimals gone?",
)
def keeps_the_type_of_the_counts(counts):
    """What goes in as whole numbers comes out as whole numbers."""
    counts = np.asarray(counts)
    return (counts / counts.sum(axis=1, keepdims=True)).astype(counts.dtype)


@misconception(
    "conditional_tables",
    caught_by="visible",
    hint="Someone reads your table to get a probability of 77 percent. Will they find it?",
)
def rounds_to_two_digits(counts):
    """Two digits are enough for a probability."""
    counts = np.asarray(counts, dtype=float)
    return np.round(counts / counts.sum(axis=1, keepdims=True), 2)


@misconception(
    "conditional_tables",
    caught_by="visible",
    hint="How does NumPy line up a row of sums with a table? Try a table that is not square.",
)
def lines_the_sums_up_with_the_columns(counts):
    """Dividing by the sums of the rows divides every row by its own sum."""
    counts = np.asarray(counts, dtype=float)
    sums = counts.sum(axis=1)
    return counts / sums[:, np.newaxis] if counts.shape == (2, 2) else counts / np.resize(sums, counts.shape[1])


@misconception(
    "conditional_tables",
    caught_by="test_a_class_without_members_is_nan_and_spoils_no_other",
    hint="Of a club without members, what share has red hair? Is zero an answer?",
)
def gives_an_empty_class_zeros(counts):
    """Nobody has the value, so its share is zero."""
    counts = np.asarray(counts, dtype=float)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


@misconception(
    "conditional_tables",
    caught_by="test_a_class_without_members_is_nan_and_spoils_no_other",
    hint="The contract says what to give back for a class without members. What do you give?",
)
def gives_an_empty_class_equal_shares(counts):
    """Where nothing is known, all values are equally probable."""
    counts = np.asarray(counts, dtype=float)
    counts = np.where(counts.sum(axis=1, keepdims=True) == 0, 1.0, counts)
    return counts / counts.sum(axis=1, keepdims=True)


@misconception(
    "conditional_tables",
    caught_by="test_the_counts_are_left_as_they_were",
    hint="Call your function twice with the same array of floats. What does the array hold in between?",
)
def divides_the_counts_in_place(counts):
    """The counts have served their purpose."""
    counts = np.asarray(counts) if np.asarray(counts).dtype == float else np.array(counts, dtype=float)
    with np.errstate(invalid="ignore"):
        counts /= counts.sum(axis=1, keepdims=True)
    return counts


@misconception(
    "conditional_tables",
    caught_by="test_the_counts_are_left_as_they_were",
    hint="Print the list that you were given, after the call. Whose numbers are in it?",
)
def writes_the_shares_into_the_lists(counts):
    """A list is there to be filled."""
    if isinstance(counts, np.ndarray):
        with np.errstate(invalid="ignore"):
            return counts / counts.sum(axis=1, keepdims=True)
    counts = list(counts)
    for k, row in enumerate(counts):
        size = sum(row)
        counts[k] = row if isinstance(row, list) else list(row)
        counts[k][:] = [count / size if size else float("nan") for count in row]
    return np.array(counts)


@misconception(
    "conditional_tables",
    caught_by="test_counts_may_come_in_lists_and_in_any_type",
    hint="Which of your operations does a list of lists not know?",
)
def knows_arrays_only(counts):
    """Whoever calls a function has an array at hand."""
    with np.errstate(invalid="ignore"):
        return counts / counts.sum(axis=1, keepdims=True)


@misconception(
    "conditional_tables",
    caught_by="test_a_class_without_members_is_nan_and_spoils_no_other",
    hint="Does a class without members make it impossible to say anything about the others?",
)
def stumbles_over_an_empty_class(counts):
    """Every class has members."""
    return [[int(count) / int(sum(row)) for count in row] for row in counts]


@misconception(
    "conditional_tables",
    caught_by="test_a_value_that_never_occurred_has_share_zero",
    hint="Nobody in the class has the value. Which share of the class is that?",
)
def knows_nothing_of_values_that_never_occurred(counts):
    """What never occurred cannot be known."""
    counts = np.asarray(counts, dtype=float)
    with np.errstate(invalid="ignore"):
        return np.where(counts == 0, np.nan, counts / counts.sum(axis=1, keepdims=True))


@misconception(
    "conditional_tables",
    caught_by="test_the_table_agrees_with_counting_one_by_one",
    hint="How many rows does your code look at, and how many may there be?",
)
def has_room_for_two_classes(counts):
    """There are two classes."""
    counts = np.asarray(counts, dtype=float)
    with np.errstate(invalid="ignore"):
        return np.array([counts[0] / counts[0].sum(), counts[1] / counts[1].sum()])


# --- conditional_tables: right ----------------------------------------------------------------------------------------


@right("conditional_tables")
def divides_row_by_row_in_lists(counts):
    """Plain Python; the answer is a list of lists."""
    table = []
    for row in counts:
        size = float(sum(row))
        table.append([float(count) / size if size else float("nan") for count in row])
    return table


@right("conditional_tables")
def turns_the_table_on_its_side(counts):
    """Transposed, the sums line up with the columns by themselves."""
    with np.errstate(invalid="ignore"):
        return (np.transpose(counts) / np.sum(counts, axis=1)).T


@right("conditional_tables")
def multiplies_by_a_diagonal_matrix(counts):
    """A diagonal matrix of one over the sizes, with nan for empty classes."""
    counts = np.array(counts, dtype=float)
    size = counts @ np.ones(counts.shape[1])
    size[size == 0] = np.nan
    return np.einsum("k,km->km", 1 / size, counts)


@right("conditional_tables")
def divides_in_single_precision(counts):
    """32 bits from the first count to the last share."""
    counts = np.asarray(counts, dtype=np.float32)
    with np.errstate(invalid="ignore"):
        return counts / np.sum(counts, axis=1, keepdims=True)


# --- fit_bernoulli_nb: wrong ------------------------------------------------------------------------------------------


@misconception(
    "fit_bernoulli_nb",
    caught_by="visible",
    hint="Add up P(feature, class) over the classes: what do you get? And P(feature | class)?",
)
def estimates_joint_probabilities(X, y, n_classes):
    """The share of the examples that have the feature and the class is the conditional probability."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    prior = np.array([np.mean(y == k) for k in range(n_classes)])
    return prior, np.array([(X * (y == k)[:, np.newaxis]).mean(axis=0) for k in range(n_classes)])


@misconception(
    "fit_bernoulli_nb",
    caught_by="visible",
    hint="You know that the word occurs, and you ask for the class. Is that what theta stands for?",
)
def conditions_on_the_feature(X, y, n_classes):
    """P(class | feature) and P(feature | class) are the same."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    prior = np.array([np.mean(y == k) for k in range(n_classes)])
    with np.errstate(invalid="ignore"):
        return prior, np.array([X[y == k].sum(axis=0) for k in range(n_classes)]) / X.sum(axis=0)


@misconception(
    "fit_bernoulli_nb",
    caught_by="visible",
    hint="If every feature is more common in class 1, does it show in what you return?",
)
def ignores_the_class_of_the_examples(X, y, n_classes):
    """A feature has one probability."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    return np.bincount(y, minlength=n_classes) / len(y), np.tile(X.mean(axis=0), (n_classes, 1))


@misconception(
    "fit_bernoulli_nb",
    caught_by="visible",
    hint="Nine of ten emails are ham. Where could anybody read that in what you return?",
)
def takes_all_classes_for_equally_common(X, y, n_classes):
    """Without further knowledge all classes are equally probable."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    theta = np.full((n_classes, X.shape[1]), np.nan)
    for k in set(y.tolist()):
        theta[k] = X[y == k].mean(axis=0)
    return np.full(n_classes, 1 / n_classes), theta


@misconception(
    "fit_bernoulli_nb",
    caught_by="visible",
    hint="A feature that all members have: is your theta for it the largest or the smallest possible one?",
)
def gives_the_probability_of_absence(X, y, n_classes):
    """Theta is the probability that the feature is missing."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    theta = np.full((n_classes, X.shape[1]), np.nan)
    for k in set(y.tolist()):
        theta[k] = 1 - X[y == k].mean(axis=0)
    return np.bincount(y, minlength=n_classes) / len(y), theta


@misconception(
    "fit_bernoulli_nb",
    caught_by="visible",
    hint="All members of a class have the feature, and your theta is not one. Whom else did you count?",
)
def smooths_the_shares(X, y, n_classes):
    """Counts are to be smoothed, always."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    theta = np.array([(X[y == k].sum(axis=0) + 1) / ((y == k).sum() + 2) for k in range(n_classes)])
    return np.bincount(y, minlength=n_classes) / len(y), theta


@misconception(
    "fit_bernoulli_nb",
    caught_by="visible",
    hint="What do the shares of one class add up to in your answer, and why should they?",
)
def makes_the_features_of_a_class_sum_to_one(X, y, n_classes):
    """Within a class the probabilities of all features sum to one."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    counts = np.array([X[y == k].sum(axis=0) for k in range(n_classes)])
    with np.errstate(invalid="ignore"):
        return np.bincount(y, minlength=n_classes) / len(y), counts / counts.sum(axis=1, keepdims=True)


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_the_number_of_classes_is_what_the_caller_says",
    hint="Which of your three arguments does your code never look at?",
)
def finds_the_classes_in_the_data(X, y, n_classes):
    """The classes are those that occur."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    found = np.unique(y)
    return np.array([np.mean(y == k) for k in found]), np.array([X[y == k].mean(axis=0) for k in found])


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_a_class_that_never_occurs_has_prior_zero",
    hint="Does one class without examples make it impossible to learn about the others?",
)
def refuses_a_class_without_examples(X, y, n_classes):
    """Data without examples of every class are an error."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if len(set(y.tolist())) < n_classes:
        raise ValueError("a class has no examples")
    return np.bincount(y) / len(y), np.array([X[y == k].mean(axis=0) for k in range(n_classes)])


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_features_may_be_truth_values_bytes_or_floats",
    hint="Put `True + True` into an array of truth values. What does it hold then? "
    "Which of your arrays is of that type?",
)
def adds_bits_of_the_given_type(X, y, n_classes):
    """Sums have the type of their summands, and that is fine."""
    X, y = np.asarray(X), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes)
    counts = np.zeros((n_classes, X.shape[1]), dtype=X.dtype)
    for k in range(n_classes):
        counts[k] = X[y == k].sum(axis=0)
    with np.errstate(invalid="ignore"):
        return sizes / len(y), counts / sizes[:, np.newaxis]


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_the_theta_of_a_class_that_never_occurs_is_nan",
    hint="Nobody of this class was ever seen. How do you know that its members lack every feature?",
)
def says_zero_where_nothing_is_known(X, y, n_classes):
    """Nobody has the feature, so its share is zero."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes)
    having = np.array([X[y == k].sum(axis=0) for k in range(n_classes)])
    return sizes / len(y), having / np.maximum(sizes, 1)[:, np.newaxis]


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_the_theta_of_a_class_that_never_occurs_is_nan",
    hint="Which examples tell that a feature is as often there as not in a class that nobody has seen?",
)
def says_one_half_where_nothing_is_known(X, y, n_classes):
    """What is not known has probability one half."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    theta = np.full((n_classes, X.shape[1]), 0.5)
    for k in set(y.tolist()):
        theta[k] = X[y == k].mean(axis=0)
    return np.bincount(y, minlength=n_classes) / len(y), theta


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_training_agrees_with_counting_one_by_one",
    hint="What does your code do with an example of class 2?",
)
def knows_ham_and_spam_only(X, y, n_classes):
    """There are two classes, 0 and 1."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    spam = np.mean(y)
    with np.errstate(invalid="ignore"):
        theta = np.array([(X * (y == k)[:, np.newaxis]).sum(axis=0) / (y == k).sum() for k in (0, 1)])
    return np.array([1 - spam, spam]), theta


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_features_may_be_truth_values_bytes_or_floats",
    hint="Which kinds of numbers can be combined with `&`? What if the table holds 1.0 and 0.0?",
)
def combines_bits(X, y, n_classes):
    """Features are bits, and bits are combined with and."""
    X, y = np.asarray(X), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes)
    having = np.array([(X & (y == k)[:, np.newaxis]).sum(axis=0) for k in range(n_classes)])
    with np.errstate(invalid="ignore"):
        return sizes / len(y), having / sizes[:, np.newaxis]


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_examples_may_come_in_lists",
    hint="What is `y == 1` if y is a list?",
)
def compares_a_list_with_a_number(X, y, n_classes):
    """A comparison looks at every element, of a list as of an array."""
    prior, theta = np.zeros(n_classes), np.full((n_classes, len(X[0])), np.nan)
    for k in range(n_classes):
        own = np.asarray(X)[y == k]
        prior[k] = len(own) / len(X)
        if len(own):
            theta[k] = own.mean(axis=0)
    return prior, theta


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_the_examples_are_left_as_they_were",
    hint="In which order are the labels after the call, and in which were they before?",
)
def sorts_the_examples_of_the_caller(X, y, n_classes):
    """The examples may be sorted by class: their order does not matter."""
    members = np.array(y)
    order = np.argsort(members)
    features = np.array(X, dtype=float)[order]
    y.sort()
    sizes = np.bincount(members, minlength=n_classes)
    groups = np.split(features, np.cumsum(sizes)[:-1])
    theta = [rows.mean(axis=0) if len(rows) else np.full(features.shape[1], np.nan) for rows in groups]
    return sizes / len(members), np.array(theta)


@misconception(
    "fit_bernoulli_nb",
    caught_by="test_millions_of_examples_are_counted_at_once",
    hint="How long does your loop take for a thousand examples? And for ten million?",
)
def counts_example_after_example(X, y, n_classes):
    """A computer is fast enough for any loop."""
    members, having = [0] * n_classes, [[0] * len(X[0]) for _ in range(n_classes)]
    for row, label in zip(X, y):
        members[label] += 1
        having[label] = [count + int(value) for count, value in zip(having[label], row)]
    theta = [[count / size if size else float("nan") for count in row] for row, size in zip(having, members)]
    return np.array(members) / len(y), np.array(theta)


# --- fit_bernoulli_nb: right ------------------------------------------------------------------------------------------


@right("fit_bernoulli_nb")
def multiplies_by_membership(X, y, n_classes):
    """A matrix of memberships times the features counts everything at once."""
    X, y = np.asarray(X, dtype=np.float32), np.asarray(y)
    belongs = (np.arange(n_classes)[:, None] == y).astype(np.float32)
    sizes = np.count_nonzero(belongs, axis=1)
    counts = (belongs @ X).astype(float)
    with np.errstate(invalid="ignore"):
        return sizes / y.size, counts / sizes[:, None]


@right("fit_bernoulli_nb")
def counts_with_weights_column_by_column(X, y, n_classes):
    """np.bincount with a column of the features as weights; the answer is a list of two arrays."""
    X, y = np.asarray(X), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes).astype(float)
    having = np.stack([np.bincount(y, weights=column, minlength=n_classes) for column in X.T], axis=1)
    sizes_or_nan = np.where(sizes > 0, sizes, np.nan)
    return [sizes / sizes.sum(), having / sizes_or_nan[:, np.newaxis]]


@right("fit_bernoulli_nb")
def counts_nonzero_entries_of_masked_rows(X, y, n_classes):
    """np.count_nonzero for each class; lists of floats."""
    X, y = np.asarray(X), np.asarray(y)
    prior, theta = [], []
    for k in range(n_classes):
        rows = X[np.nonzero(y == k)[0]]
        prior.append(len(rows) / len(X))
        theta.append(
            (np.count_nonzero(rows, axis=0) / len(rows)).tolist() if len(rows) else [float("nan")] * X.shape[1]
        )
    return prior, theta


@right("fit_bernoulli_nb")
def counts_in_single_precision(X, y, n_classes):
    """Means of 32 bits, class by class."""
    X, y = np.asarray(X).astype(np.float32), np.asarray(y)
    prior = np.array([np.count_nonzero(y == k) / y.size for k in range(n_classes)], dtype=np.float32)
    rows = [X[y == k].mean(axis=0) if prior[k] else np.full(X.shape[1], np.nan) for k in range(n_classes)]
    return prior, np.array(rows, dtype=np.float32)


# --- joint_log_likelihood: wrong --------------------------------------------------------------------------------------


@misconception(
    "joint_log_likelihood",
    caught_by="visible",
    hint='An email does not say "free". Does your score move if "free" becomes more typical of spam?',
)
def listens_only_to_what_is_there(X, prior, theta):
    """A feature that is absent says nothing."""
    with np.errstate(divide="ignore"):
        return np.log(prior) + np.asarray(X, dtype=float) @ np.log(theta).T


@misconception(
    "joint_log_likelihood", caught_by="visible", hint="Make one class ten times as common. Does any score change?"
)
def leaves_the_prior_out(X, prior, theta):
    """The likelihood is all that the data say."""
    present, theta = np.asarray(X)[:, np.newaxis, :] == 1, np.asarray(theta)
    with np.errstate(divide="ignore"):
        return np.where(present, np.log(theta), np.log(1 - theta)).sum(axis=2)


@misconception(
    "joint_log_likelihood",
    caught_by="visible",
    hint="Add a feature that is the same in all classes. Should the score of a rare class suffer from it?",
)
def counts_the_prior_for_every_feature(X, prior, theta):
    """The prior stands inside the product over the features."""
    present, theta = np.asarray(X)[:, np.newaxis, :] == 1, np.asarray(theta)
    with np.errstate(divide="ignore"):
        logs = np.where(present, np.log(theta), np.log(1 - theta)) + np.log(prior)[:, np.newaxis]
    return logs.sum(axis=2)


@misconception(
    "joint_log_likelihood",
    caught_by="visible",
    hint="Take the exponential of your sum. Which of its terms become factors that are probabilities?",
)
def adds_the_prior_without_its_logarithm(X, prior, theta):
    """In a sum of logarithms the prior is one more term, as it is."""
    present, theta = np.asarray(X) == 1, np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore"):
        yes, no = np.log(theta), np.log(1 - theta)
    return np.asarray(prior) + np.column_stack([np.where(present, *terms).sum(axis=1) for terms in zip(yes, no)])


@misconception(
    "joint_log_likelihood",
    caught_by="visible",
    hint="Theta is a share of whom? Is it a share of the class already, or still one of everybody?",
)
def turns_theta_into_joint_numbers(X, prior, theta):
    """The tables hold P(feature, class), as they are printed."""
    present, prior = np.asarray(X)[:, np.newaxis, :] == 1, np.asarray(prior)
    joint, absent = np.asarray(theta) * prior[:, np.newaxis], (1 - np.asarray(theta)) * prior[:, np.newaxis]
    with np.errstate(divide="ignore"):
        return np.log(prior) + np.where(present, np.log(joint), np.log(absent)).sum(axis=2)


@misconception("joint_log_likelihood", caught_by="visible", hint="Is your answer a logarithm? What would its sign be?")
def multiplies_the_probabilities(X, prior, theta):
    """The score is the probability itself."""
    present, theta = np.asarray(X)[:, np.newaxis, :] == 1, np.asarray(theta)
    return np.asarray(prior) * np.where(present, theta, 1 - theta).prod(axis=2)


@misconception(
    "joint_log_likelihood",
    caught_by="visible",
    hint="Do the probabilities of your classes sum to one for each example? Was that asked for here?",
)
def normalises_over_the_classes(X, prior, theta):
    """A score is a posterior, in logarithms."""
    present, theta = np.asarray(X)[:, np.newaxis, :] == 1, np.asarray(theta)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(prior) + np.where(present, np.log(theta), np.log(1 - theta)).sum(axis=2)
        return logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)


@misconception(
    "joint_log_likelihood",
    caught_by="visible",
    hint="For a feature that almost every member has: which score is higher, that of having it or of lacking it?",
)
def takes_theta_for_absence(X, prior, theta):
    """Theta is the probability that a feature is missing."""
    absent, theta = np.asarray(X)[:, np.newaxis, :] == 0, np.asarray(theta)
    with np.errstate(divide="ignore"):
        return np.log(prior) + np.where(absent, np.log(theta), np.log(1 - theta)).sum(axis=2)


@misconception(
    "joint_log_likelihood",
    caught_by="test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out",
    hint="A matrix product multiplies every pair, also where a feature is not there. What is zero times infinity?",
)
def lets_a_matrix_product_meet_infinity(X, prior, theta):
    """A factor of zero switches a term off, whatever the term is."""
    X, theta = np.asarray(X, dtype=float), np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(prior) + X @ np.log(theta).T + (1 - X) @ np.log(1 - theta).T


@misconception(
    "joint_log_likelihood",
    caught_by="test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out",
    hint="What does your code make of an event that the model calls impossible? Is it still impossible?",
)
def keeps_a_little_chance_for_everything(X, prior, theta):
    """Zero is not a probability, so it is replaced by something tiny."""
    X, theta = np.asarray(X, dtype=float), np.clip(theta, 1e-12, 1 - 1e-12)
    return np.log(np.clip(prior, 1e-12, None)) + X @ np.log(theta).T + (1 - X) @ np.log(1 - theta).T


@misconception(
    "joint_log_likelihood",
    caught_by="test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out",
    hint="One class calls the example impossible, and your score for it is finite. Which term disappeared?",
)
def replaces_nan_by_nothing(X, prior, theta):
    """What cannot be computed contributes nothing."""
    X, theta = np.asarray(X, dtype=float)[:, np.newaxis, :], np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = X * np.log(theta) + (1 - X) * np.log(1 - theta)
        return np.log(prior) + np.nan_to_num(terms, nan=0.0, neginf=0.0).sum(axis=2)


@misconception(
    "joint_log_likelihood",
    caught_by="test_thousands_of_features_do_not_underflow",
    hint="In which order do you multiply and take the logarithm? What is left of the product of 5,000 factors?",
)
def takes_the_logarithm_at_the_end(X, prior, theta):
    """The logarithm of the product is the same as the sum of the logarithms, on a computer too."""
    present, theta = np.asarray(X)[:, np.newaxis, :] == 1, np.asarray(theta)
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(prior) * np.where(present, theta, 1 - theta).prod(axis=2))


@misconception(
    "joint_log_likelihood",
    caught_by="visible",
    hint="For one feature your factors add up to one over the classes. Is that what theta does?",
)
def multiplies_posteriors(X, prior, theta):
    """Every feature has a say of its own, P(class | feature), and the sayings are multiplied."""
    X, prior, theta = (np.asarray(value, dtype=float) for value in (X, prior, theta))
    there, missing = theta * prior[:, np.newaxis], (1 - theta) * prior[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        return X @ np.log(there / there.sum(axis=0)).T + (1 - X) @ np.log(missing / missing.sum(axis=0)).T


@misconception(
    "joint_log_likelihood",
    caught_by="test_scores_agree_with_adding_one_by_one",
    hint="How many columns has your answer, and how many classes may there be?",
)
def scores_two_classes(X, prior, theta):
    """There are two classes, 0 and 1."""
    X, theta = np.asarray(X) == 1, np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore"):
        ham = np.log(prior[0]) + np.log(np.where(X, theta[0], 1 - theta[0])).sum(axis=1)
        spam = np.log(prior[1]) + np.log(np.where(X, theta[1], 1 - theta[1])).sum(axis=1)
    return np.column_stack([ham, spam])


@misconception(
    "joint_log_likelihood",
    caught_by="test_examples_and_parameters_are_left_as_they_were",
    hint="Print theta after the call. Are its zeros still zeros?",
)
def tidies_theta_up(X, prior, theta):
    """Awkward numbers are replaced where they stand, and remembered."""
    theta = theta if isinstance(theta, np.ndarray) and theta.dtype == float else np.array(theta, dtype=float)
    never, always = theta == 0, theta == 1
    theta[never | always] = 0.5
    X = np.asarray(X) == 1
    with np.errstate(divide="ignore"):
        yes = np.where(never, -np.inf, np.where(always, 0.0, np.log(theta)))
        no = np.where(always, -np.inf, np.where(never, 0.0, np.log(1 - theta)))
        start = np.log(prior)
    return np.column_stack([s + np.where(X, y, n).sum(axis=1) for s, y, n in zip(start, yes, no)])


@misconception(
    "joint_log_likelihood",
    caught_by="test_examples_and_parameters_may_come_in_lists",
    hint="What is one minus a list?",
)
def subtracts_a_list_from_one(X, prior, theta):
    """Arithmetic works on lists as on arrays."""
    with np.errstate(divide="ignore"):
        return np.log(prior) + np.log(np.where(X[:, np.newaxis, :] == 1, theta, 1 - theta)).sum(axis=2)


@misconception(
    "joint_log_likelihood",
    caught_by="test_examples_may_be_truth_values_bytes_or_floats",
    hint="What does ~ make of 1, and what of 1.0?",
)
def turns_bits_over(X, prior, theta):
    """The opposite of a feature is written with a tilde."""
    X, theta = np.asarray(X), np.asarray(theta, dtype=float)
    absent = ~X & 1
    with np.errstate(divide="ignore"):
        return np.log(prior) + np.log(np.where(absent[:, np.newaxis, :] == 1, 1 - theta, theta)).sum(axis=2)


@misconception(
    "joint_log_likelihood",
    caught_by="test_a_class_with_prior_zero_is_out",
    hint="A class that never occurs: which score does it get from you, and could it still win?",
)
def overlooks_a_prior_of_zero(X, prior, theta):
    """Only theta can rule a class out."""
    present, theta = np.asarray(X)[:, np.newaxis, :] == 1, np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore"):
        terms = np.log(np.where(present, theta, 1 - theta)).sum(axis=2)
        return np.nan_to_num(np.log(prior), neginf=0.0) + terms


@misconception(
    "joint_log_likelihood",
    caught_by="test_a_theta_of_zero_or_one_is_right_or_rules_the_class_out",
    hint="Which values of theta does the description allow? Ask your logarithm for each end of that range.",
)
def asks_math_for_the_logarithms(X, prior, theta):
    """A logarithm is a logarithm, whichever library it comes from."""
    import math

    log, present, theta = np.vectorize(math.log, otypes=[float]), np.asarray(X) == 1, np.asarray(theta, dtype=float)
    scores = [np.where(present, *terms).sum(axis=1) for terms in zip(log(theta), log(1 - theta))]
    return log(prior) + np.column_stack(scores)


@misconception(
    "joint_log_likelihood",
    caught_by="test_millions_of_examples_are_scored_at_once",
    hint="How long does your loop take for a thousand examples? And for three million?",
)
def scores_example_after_example(X, prior, theta):
    """A computer is fast enough for any loop."""
    theta = np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore"):
        start, yes, no = np.log(prior), np.log(theta), np.log(1 - theta)
    return np.array([start + np.where(np.asarray(row) == 1, yes, no).sum(axis=1) for row in X])


# --- joint_log_likelihood: right --------------------------------------------------------------------------------------


@right("joint_log_likelihood")
def looks_terms_up_in_three_dimensions(X, prior, theta):
    """All examples, classes and features in one array."""
    here, theta = np.asarray(X, dtype=bool)[:, None, :], np.asarray(theta)[None]
    with np.errstate(divide="ignore"):
        return np.log(np.where(here, theta, 1 - theta)).sum(axis=-1) + np.log(prior)


@right("joint_log_likelihood")
def counts_impossibilities_separately(X, prior, theta):
    """Matrix products with finite logarithms, and one that counts how often a class is contradicted."""
    X = np.asarray(X, dtype=float)
    theta, prior = np.asarray(theta, dtype=float), np.asarray(prior, dtype=float)
    never, always = theta == 0, theta == 1
    present = np.log(np.where(never, 1, theta))
    absent = np.log(np.where(always, 1, 1 - theta))
    contradictions = X @ never.T.astype(float) + (1 - X) @ always.T.astype(float)
    finite = X @ present.T + (1 - X) @ absent.T + np.log(np.where(prior > 0, prior, 1))
    return np.where((contradictions > 0) | (prior == 0), -np.inf, finite)


@right("joint_log_likelihood")
def adds_feature_after_feature(X, prior, theta):
    """A loop over the features, each of which adds a column of terms to every class."""
    X, theta = np.asarray(X), np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore"):
        scores = np.tile(np.log(np.asarray(prior, dtype=float)), (len(X), 1))
        terms = np.stack([np.log1p(-theta), np.log(theta)])  # (2, K, d)
    for j, column in enumerate(X.T.astype(int)):
        scores += terms[column, :, j]
    return scores


@right("joint_log_likelihood")
def scores_in_single_precision(X, prior, theta):
    """32 bits, from the parameters to the scores."""
    X, theta = np.asarray(X) == 1, np.asarray(theta, dtype=np.float32)
    with np.errstate(divide="ignore"):
        start = np.log(np.asarray(prior, dtype=np.float32))
        return np.stack(
            [s + np.log(np.where(X, t, 1 - t)).sum(axis=1, dtype=np.float32) for s, t in zip(start, theta)], axis=1
        )


# --- predict_proba: wrong ---------------------------------------------------------------------------------------------


@misconception(
    "predict_proba",
    caught_by="test_a_number_added_to_a_row_changes_nothing",
    hint="What is the exponential of minus 800? And a quotient of two of them?",
)
def takes_exponentials_at_once(jll):
    """The exponential undoes the logarithm, so nothing can go wrong."""
    with np.errstate(all="ignore"):
        joint = np.exp(jll)
        total = joint.sum(axis=1, keepdims=True)
        shares = joint / total
    return np.where(np.isneginf(np.max(jll, axis=1, keepdims=True)), 1 / joint.shape[1], shares)


@misconception(
    "predict_proba",
    caught_by="test_a_row_does_not_care_about_its_neighbours",
    hint="Two rows, one at plus 1,000 and one at minus 1,000. What does the second look like after your subtraction?",
)
def subtracts_the_largest_of_all(jll):
    """One number subtracted from the whole table keeps everything in range."""
    jll = np.asarray(jll, dtype=float)
    with np.errstate(invalid="ignore"):
        joint = np.exp(jll - jll.max())
        shares = joint / joint.sum(axis=1, keepdims=True)
    return np.where(np.isneginf(jll.max(axis=1, keepdims=True)), 1 / jll.shape[1], shares)


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="For which one thing do your numbers sum to one: for an example, or for a class?",
)
def shares_out_over_the_examples(jll):
    """Any axis that makes sums equal to one will do."""
    joint = np.exp(np.asarray(jll) - np.max(jll))
    return joint / joint.sum(axis=0)


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="What are the shapes of the table and of its sums? How does NumPy line the two up?",
)
def lets_the_sums_lie_down(jll):
    """NumPy knows which sum belongs to which example."""
    jll = np.asarray(jll, dtype=float)
    joint = np.exp(jll - jll.max(axis=1, keepdims=True))
    return joint / joint.sum(axis=1)


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="What do you say about the first class, whatever its score? What had been added up when it was divided?",
)
def divides_before_the_sum_is_complete(jll):
    """One loop over the classes can add them up and divide them."""
    jll = np.asarray(jll, dtype=float)
    joint = np.exp(jll - jll.max(axis=1, keepdims=True))
    shares, evidence = np.empty_like(joint), np.zeros(len(joint))
    for k in range(joint.shape[1]):
        evidence += joint[:, k]
        shares[:, k] = joint[:, k] / evidence
    return shares


@misconception("predict_proba", caught_by="visible", hint="Do your rows sum to one?")
def only_undoes_the_logarithm(jll):
    """The joint probability is the posterior."""
    return np.exp(jll)


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="The smaller a probability, the larger its logarithm in size. Who gets the larger share in your answer?",
)
def shares_out_the_logarithms(jll):
    """Shares can be formed of the scores as they are."""
    jll = np.asarray(jll, dtype=float)
    return jll / jll.sum(axis=1, keepdims=True)


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="Does the most probable class get one, whatever the others are? Do your rows sum to one?",
)
def scales_the_favourite_to_one(jll):
    """After subtracting the largest entry, the exponentials are probabilities."""
    jll = np.asarray(jll, dtype=float)
    return np.exp(jll - jll.max(axis=1, keepdims=True))


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="Is a class with 51 percent the same as one with 99 percent? Is it in your answer?",
)
def names_the_favourite_with_certainty(jll):
    """The most probable class is the class."""
    jll = np.asarray(jll, dtype=float)
    return np.eye(jll.shape[1])[jll.argmax(axis=1)]


@misconception(
    "predict_proba", caught_by="visible", hint="How many classes are there, and how many columns has your answer?"
)
def answers_for_class_one_only(jll):
    """The probability of class 1 says it all."""
    jll = np.asarray(jll, dtype=float)
    return 1 / (1 + np.exp(jll[:, 0] - jll[:, 1]))


@misconception(
    "predict_proba",
    caught_by="test_posteriors_agree_with_dividing_by_the_evidence",
    hint="Which columns of the table does your code look at? What if there are three classes?",
)
def believes_in_two_classes(jll):
    """There are two classes, and the second gets the rest."""
    jll = np.asarray(jll, dtype=float)
    odds = np.exp(jll[:, 1:] - jll[:, :1])
    first = 1 / (1 + odds[:, :1])
    return np.hstack([first, np.repeat((1 - first) / odds.shape[1], odds.shape[1], axis=1)])


@misconception(
    "predict_proba",
    caught_by="test_if_all_classes_are_ruled_out_none_is_preferred",
    hint="What is minus infinity minus minus infinity? Whom will your answer meet next?",
)
def lets_nan_through(jll):
    """A row that no class can explain takes care of itself."""
    jll = np.asarray(jll, dtype=float)
    with np.errstate(invalid="ignore"):
        joint = np.exp(jll - jll.max(axis=1, keepdims=True))
        return joint / joint.sum(axis=1, keepdims=True)


@misconception(
    "predict_proba",
    caught_by="test_if_all_classes_are_ruled_out_none_is_preferred",
    hint="What do the probabilities of an example sum to if every class is ruled out, and what should they?",
)
def gives_impossible_examples_nothing(jll):
    """If all classes are ruled out, all of them have probability zero."""
    jll = np.asarray(jll, dtype=float)
    with np.errstate(invalid="ignore"):
        joint = np.nan_to_num(np.exp(jll - jll.max(axis=1, keepdims=True)))
    return joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)


@misconception(
    "predict_proba",
    caught_by="test_the_scores_are_left_as_they_were",
    hint="Call your function twice with the same array. What does the array hold in between?",
)
def shifts_the_scores_in_place(jll):
    """The scores have served their purpose."""
    jll = np.asarray(jll) if np.asarray(jll).dtype == float else np.array(jll, dtype=float)
    jll[np.isneginf(jll.max(axis=1))] = 0.0
    jll -= jll.max(axis=1, keepdims=True)
    weights = np.exp(jll)
    return weights / weights.sum(axis=1, keepdims=True)


@misconception(
    "predict_proba",
    caught_by="test_a_class_that_is_ruled_out_gets_nothing",
    hint="What is the mean of a row in which one entry is minus infinity?",
)
def subtracts_the_mean_of_the_row(jll):
    """What is subtracted from a row cancels, so its mean will do."""
    jll = np.asarray(jll, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(jll - jll.mean(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


@misconception(
    "predict_proba",
    caught_by="visible",
    hint="Are your numbers between 0 and 1? What is the logarithm of a probability?",
)
def stays_in_logarithms(jll):
    """A posterior in logarithms is a posterior."""
    jll = np.asarray(jll, dtype=float)
    return jll - np.logaddexp.reduce(jll, axis=1)[:, np.newaxis]


@misconception(
    "predict_proba",
    caught_by="test_the_scores_are_left_as_they_were",
    hint="Print the list that you were given, after the call. What has become of its rows?",
)
def shifts_the_rows_of_a_list(jll):
    """A row is there to be worked on."""
    rows = []
    for row in jll if isinstance(jll, list) else np.array(jll, dtype=float):
        top = max(row)
        for k in range(len(row)):
            row[k] = 0.0 if top == -np.inf else row[k] - top
        rows.append(row)
    joint = np.exp(rows)
    return joint / joint.sum(axis=1, keepdims=True)


@misconception(
    "predict_proba", caught_by="test_scores_may_come_in_lists", hint="Which of your operations does a list not know?"
)
def asks_a_list_for_its_largest(jll):
    """Whoever calls a function has an array at hand."""
    top = jll.max(axis=1, keepdims=True)
    joint = np.exp(jll - np.where(np.isneginf(top), 0, top)) + np.isneginf(top)
    return joint / joint.sum(axis=1, keepdims=True)


@misconception(
    "predict_proba",
    caught_by="test_if_all_classes_are_ruled_out_none_is_preferred",
    hint="All classes are ruled out: why should the first one win?",
)
def gives_impossible_examples_to_the_first_class(jll):
    """If all classes are equally bad, one takes the first."""
    jll = np.array(jll, dtype=float)
    jll[np.isneginf(jll).all(axis=1), 0] = 0.0
    joint = np.exp(jll - jll.max(axis=1, keepdims=True))
    return joint / joint.sum(axis=1, keepdims=True)


@misconception(
    "predict_proba",
    caught_by="test_a_class_that_is_ruled_out_gets_nothing",
    hint="What is left for a class that has been ruled out? Is it something?",
)
def leaves_a_chance_to_every_class(jll):
    """No probability is ever zero."""
    jll = np.asarray(jll, dtype=float)
    with np.errstate(invalid="ignore"):
        joint = np.clip(np.nan_to_num(np.exp(jll - jll.max(axis=1, keepdims=True))), 1e-5, None)
    return joint / joint.sum(axis=1, keepdims=True)


@misconception(
    "predict_proba",
    caught_by="test_millions_of_rows_are_shared_out_at_once",
    hint="How long does your loop take for a thousand rows? And for three million?",
)
def shares_out_row_after_row(jll):
    """A computer is fast enough for any loop."""
    rows = []
    for row in np.asarray(jll, dtype=float):
        joint = np.exp(row - row.max()) if row.max() > -np.inf else np.ones(len(row))
        rows.append(joint / joint.sum())
    return np.array(rows)


@misconception(
    "predict_proba",
    caught_by="test_if_all_classes_are_ruled_out_none_is_preferred",
    hint="Three classes without an opinion on any: what do your probabilities sum to?",
)
def tosses_a_coin_for_impossible_examples(jll):
    """Without an opinion, the chances are one half."""
    jll = np.asarray(jll, dtype=float)
    top = jll.max(axis=1, keepdims=True)
    joint = np.exp(jll - np.where(np.isneginf(top), 0.0, top))
    total = joint.sum(axis=1, keepdims=True)
    return np.where(total == 0, 0.5, joint / np.where(total == 0, 1.0, total))


# --- predict_proba: right ---------------------------------------------------------------------------------------------


@right("predict_proba")
def subtracts_the_log_of_the_evidence(jll):
    """The evidence by logaddexp, subtracted; rows without any chance are made uniform afterwards."""
    jll = np.asarray(jll, dtype=float)
    evidence = np.logaddexp.reduce(jll, axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(evidence), 1 / jll.shape[1], np.exp(jll - evidence))


@right("predict_proba")
def replaces_hopeless_rows_first(jll):
    """A copy in which hopeless rows are zeros, shifted column by column."""
    scores = np.array(jll, dtype=float)
    scores[np.all(scores == -np.inf, axis=1)] = 0
    top = np.max(scores, axis=1)
    joint = np.exp(scores.T - top)
    return (joint / joint.sum(axis=0)).T


@right("predict_proba")
def compares_every_class_with_every_other(jll):
    """One over the sum of the odds of all classes against this one."""
    scores = np.array(jll, dtype=float)
    scores[np.isneginf(scores).all(axis=1)] = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        odds_against = np.exp(scores[:, np.newaxis, :] - scores[:, :, np.newaxis])  # (n, K, K)
    odds_against = np.where(np.isnan(odds_against), np.inf, odds_against)
    return 1 / odds_against.sum(axis=2)


@right("predict_proba")
def adds_a_tiny_number_for_safety(jll):
    """A number far below what anybody compares, so that no sum is zero."""
    jll = np.asarray(jll, dtype=float)
    with np.errstate(invalid="ignore"):
        joint = np.nan_to_num(np.exp(jll - jll.max(axis=1, keepdims=True))) + 1e-10
    return joint / joint.sum(axis=1, keepdims=True)


@right("predict_proba")
def shares_out_in_single_precision(jll):
    """32 bits, from the scores to the shares."""
    jll = np.asarray(jll, dtype=np.float32)
    top = jll.max(axis=1, keepdims=True)
    joint = np.where(np.isneginf(top), np.float32(1), np.exp(jll - np.where(np.isneginf(top), np.float32(0), top)))
    return joint / joint.sum(axis=1, keepdims=True)


# --- fit_gaussian_nb: wrong -------------------------------------------------------------------------------------------


@misconception(
    "fit_gaussian_nb",
    caught_by="visible",
    hint="By what did the description ask you to divide the squares, and what does NumPy divide by?",
)
def divides_by_the_number_of_examples(X, y, n_classes):
    """The variance is the mean of the squares."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes)
    if (sizes < 2).any():
        raise ValueError("too few examples")
    groups = [X[y == k] for k in range(n_classes)]
    return sizes / len(y), np.array([g.mean(axis=0) for g in groups]), np.array([g.var(axis=0) for g in groups])


@misconception(
    "fit_gaussian_nb", caught_by="visible", hint="In which unit is your spread, millimetres or square millimetres?"
)
def gives_standard_deviations(X, y, n_classes):
    """The spread of a Gaussian is its standard deviation."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes)
    if (sizes < 2).any():
        raise ValueError("too few examples")
    groups = [X[y == k] for k in range(n_classes)]
    return sizes / len(y), np.array([g.mean(axis=0) for g in groups]), np.array([g.std(axis=0, ddof=1) for g in groups])


@misconception(
    "fit_gaussian_nb",
    caught_by="visible",
    hint="Are small birds as different from each other as large ones? Does your answer leave room for that?",
)
def gives_all_classes_the_same_variance(X, y, n_classes):
    """A feature has one variance."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes)
    if (sizes < 2).any():
        raise ValueError("too few examples")
    mean = np.array([X[y == k].mean(axis=0) for k in range(n_classes)])
    return sizes / len(y), mean, np.tile(X.var(axis=0, ddof=1), (n_classes, 1))


@misconception(
    "fit_gaussian_nb",
    caught_by="visible",
    hint="If one species makes up half of all birds, where does it show in your answer?",
)
def takes_all_species_for_equally_common(X, y, n_classes):
    """Without further knowledge all classes are equally probable."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if (np.bincount(y, minlength=n_classes) < 2).any():
        raise ValueError("too few examples")
    groups = [X[y == k] for k in range(n_classes)]
    return (
        np.full(n_classes, 1 / n_classes),
        np.array([g.mean(axis=0) for g in groups]),
        np.array([g.var(axis=0, ddof=1) for g in groups]),
    )


@misconception(
    "fit_gaussian_nb",
    caught_by="visible",
    hint="How many numbers describe the spread of four features in three classes? How many have you got?",
)
def mixes_all_features_into_one_spread(X, y, n_classes):
    """A class has one mean and one variance."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    groups = [X[y == k] for k in range(n_classes)]
    return np.bincount(y) / len(y), np.array([g.mean() for g in groups]), np.array([g.var(ddof=1) for g in groups])


@misconception(
    "fit_gaussian_nb",
    caught_by="test_a_class_with_a_single_example_is_refused",
    hint="One bird is one metre tall. By how much do birds of its kind differ from each other?",
)
def lets_a_single_example_have_no_spread(X, y, n_classes):
    """A single example has variance zero."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    mean, var = np.zeros((n_classes, X.shape[1])), np.zeros((n_classes, X.shape[1]))
    for k in range(n_classes):
        rows = X[y == k]
        if len(rows):
            mean[k] = rows.mean(axis=0)
            var[k] = ((rows - mean[k]) ** 2).sum(axis=0) / max(len(rows) - 1, 1)
    return np.bincount(y, minlength=n_classes) / len(y), mean, var


@misconception(
    "fit_gaussian_nb",
    caught_by="test_two_examples_are_enough",
    hint="How many examples does it take to see that they differ? How many do you ask for?",
)
def wants_three_examples(X, y, n_classes):
    """Two examples are too few for a variance."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes)
    if (sizes <= 2).any():
        raise ValueError("too few examples")
    groups = [X[y == k] for k in range(n_classes)]
    return sizes / len(y), np.array([g.mean(axis=0) for g in groups]), np.array([g.var(axis=0, ddof=1) for g in groups])


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="visible",
    hint="A narrow bell is a high bell. Where in your formula does the width make it higher?",
)
def drops_what_stands_before_the_exponential(X, prior, mean, var):
    """The factor before the exponential is a constant and cancels."""
    squares = (np.asarray(X, dtype=float)[:, np.newaxis, :] - np.asarray(mean)) ** 2
    return np.log(prior) - (squares / (2 * np.asarray(var))).sum(axis=2)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="visible",
    hint="If variances are handed to you, do they have to be squared once more?",
)
def takes_variances_for_standard_deviations(X, prior, mean, var):
    """The last argument is sigma, as in N(mu, sigma)."""
    z = (np.asarray(X, dtype=float)[:, np.newaxis, :] - np.asarray(mean)) / np.asarray(var)
    return np.log(prior) - (np.log(np.sqrt(2 * np.pi) * np.asarray(var)) + z**2 / 2).sum(axis=2)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="visible",
    hint="A class that is ten times as common as another: does it start with an advantage?",
)
def scores_densities_without_the_prior(X, prior, mean, var):
    """The density is all that the data say."""
    var = np.asarray(var)
    squares = (np.asarray(X, dtype=float)[:, np.newaxis, :] - np.asarray(mean)) ** 2
    return -0.5 * (np.log(2 * np.pi * var) + squares / var).sum(axis=2)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="visible",
    hint="What does the contract want: the density or its logarithm?",
)
def gives_densities(X, prior, mean, var):
    """The score is the density."""
    var = np.asarray(var)
    squares = (np.asarray(X, dtype=float)[:, np.newaxis, :] - np.asarray(mean)) ** 2
    return np.asarray(prior) * np.prod(np.exp(-squares / (2 * var)) / np.sqrt(2 * np.pi * var), axis=2)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="visible",
    hint="With one feature and with two: how many factors of the square root of two pi are there?",
)
def writes_the_constant_once(X, prior, mean, var):
    """The constant of the Gaussian belongs to the class, not to each feature."""
    var = np.asarray(var, dtype=float)
    squares = (np.asarray(X, dtype=float)[:, np.newaxis, :] - np.asarray(mean)) ** 2
    return np.log(prior) - 0.5 * np.log(2 * np.pi) - 0.5 * (np.log(var) + squares / var).sum(axis=2)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="test_far_away_examples_keep_finite_scores",
    hint="At which point do you take the logarithm, and what is left to take it of?",
)
def takes_the_logarithm_of_the_density(X, prior, mean, var):
    """First the density, then its logarithm: the order does not matter."""
    var = np.asarray(var)
    squares = (np.asarray(X, dtype=float)[:, np.newaxis, :] - np.asarray(mean)) ** 2
    with np.errstate(divide="ignore", under="ignore"):
        return np.log(prior) + np.log(np.exp(-squares / (2 * var)) / np.sqrt(2 * np.pi * var)).sum(axis=2)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="test_hundreds_of_features_keep_finite_scores",
    hint="The product of 600 small numbers, and of 600 large ones: can a computer write them down?",
)
def multiplies_variances_before_the_logarithm(X, prior, mean, var):
    """The logarithm of the product of the variances is as good as the sum of logarithms."""
    var = np.asarray(var, dtype=float)
    squares = (np.asarray(X, dtype=float)[:, np.newaxis, :] - np.asarray(mean)) ** 2
    with np.errstate(all="ignore"):
        return np.log(prior) - 0.5 * (np.log(np.prod(2 * np.pi * var, axis=1)) + (squares / var).sum(axis=2))


@misconception(
    "fit_gaussian_nb",
    caught_by="visible",
    hint="From which point do you measure how far the birds of one species are spread?",
)
def spreads_around_the_mean_of_all(X, y, n_classes):
    """A feature has one mean, and the spread of a class is measured from there."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    groups = [X[y == k] for k in range(n_classes)]
    if min(len(rows) for rows in groups) < 2:
        raise ValueError("a class has fewer than two examples")
    var = [((rows - X.mean(axis=0)) ** 2).sum(axis=0) / (len(rows) - 1) for rows in groups]
    return (
        np.array([len(rows) / len(X) for rows in groups]),
        np.array([rows.mean(axis=0) for rows in groups]),
        np.array(var),
    )


@misconception(
    "fit_gaussian_nb",
    caught_by="test_measurements_are_left_as_they_were",
    hint="What does the mean of your argument become while you compute its variance?",
)
def centres_the_measurements_in_place(X, y, n_classes):
    """The measurements have served their purpose."""
    X, y = np.asarray(X) if np.asarray(X).dtype == float else np.array(X, dtype=float), np.asarray(y)
    sizes = np.bincount(y, minlength=n_classes)
    if (sizes < 2).any():
        raise ValueError("too few examples")
    mean = np.array([X[y == k].mean(axis=0) for k in range(n_classes)])
    X -= mean[y]
    return sizes / len(y), mean, np.array([(X[y == k] ** 2).sum(axis=0) / (sizes[k] - 1) for k in range(n_classes)])


@misconception(
    "fit_gaussian_nb",
    caught_by="test_measurements_and_parameters_may_come_in_lists",
    hint="The measurements are whole numbers. Are their means?",
)
def keeps_the_means_whole(X, y, n_classes):
    """Means are of the type of what is measured."""
    X, y = np.asarray(X), np.asarray(y)
    mean, var = np.zeros((n_classes, X.shape[1]), dtype=X.dtype), np.zeros((n_classes, X.shape[1]))
    for k in range(n_classes):
        rows = X[y == k]
        if len(rows) < 2:
            raise ValueError("too few examples")
        mean[k], var[k] = rows.mean(axis=0), rows.var(axis=0, ddof=1)
    return np.bincount(y, minlength=n_classes) / len(y), mean, var


@misconception(
    "fit_gaussian_nb",
    caught_by="test_equal_measurements_have_no_spread",
    hint="By how much do equal measurements differ from each other?",
)
def refuses_equal_measurements(X, y, n_classes):
    """A variance of zero is an error."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    groups = [X[y == k] for k in range(n_classes)]
    if any(len(rows) < 2 or (rows == rows[0]).all(axis=0).any() for rows in groups):
        raise ValueError("no spread")
    mean, var = [rows.mean(axis=0) for rows in groups], [rows.var(axis=0, ddof=1) for rows in groups]
    return np.bincount(y) / len(y), np.array(mean), np.array(var)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="test_measurements_and_parameters_may_come_in_lists",
    hint="What is a list times a number?",
)
def computes_with_lists_as_with_arrays(X, prior, mean, var):
    """Arithmetic works on lists as on arrays."""
    squares = (X[:, np.newaxis, :] - mean) ** 2
    return np.log(prior) - 0.5 * (np.log(2 * np.pi * var) + squares / var).sum(axis=2)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="test_estimates_and_scores_of_other_sizes",
    hint="How many species does your code know by number?",
)
def scores_three_classes_whatever_is_asked(X, prior, mean, var):
    """There are three species."""
    X, mean, var = np.asarray(X, dtype=float), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    columns = [
        np.log(prior[k]) - 0.5 * (np.log(2 * np.pi * var[k]) + (X - mean[k]) ** 2 / var[k]).sum(axis=1)
        for k in range(min(len(prior), 3))
    ]
    return np.column_stack(columns)


@misconception(
    "fit_gaussian_nb",
    function="gaussian_joint_log_likelihood",
    caught_by="test_a_density_may_be_larger_than_one",
    hint="How high is a bell whose width is one hundredth? Is its height a probability?",
    fair="Right wherever densities are below one; where they are not, a check asks for it.",
)
def keeps_logarithms_below_zero(X, prior, mean, var):
    """A density is a probability, so its logarithm is not positive."""
    X, mean, var = np.asarray(X, dtype=float), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    terms = np.log(2 * np.pi * var) + (X[:, np.newaxis, :] - mean) ** 2 / var
    return np.minimum(np.log(prior) - terms.sum(axis=2) / 2, 0.0)


# --- fit_gaussian_nb: right -------------------------------------------------------------------------------------------


@right("fit_gaussian_nb")
def sums_squares_by_membership(X, y, n_classes):
    """Memberships as a matrix: sums, then sums of squared deviations from each example's own mean."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    belongs = np.equal.outer(np.arange(n_classes), y).astype(float)
    sizes = belongs.sum(axis=1)
    if np.any(sizes <= 1):
        raise ValueError("at least two examples in each class")
    mean = belongs @ X / sizes[:, None]
    return sizes / sizes.sum(), mean, belongs @ (X - mean[y]) ** 2 / (sizes - 1)[:, None]


@right("fit_gaussian_nb")
def uses_the_statistics_module(X, y, n_classes):
    """The standard library's mean and variance; lists, and its own error, which is a ValueError."""
    from statistics import fmean, variance

    rows = [[float(value) for value in row] for row in X]
    groups = [[row for row, label in zip(rows, y) if label == k] for k in range(n_classes)]
    columns = [list(zip(*group)) for group in groups]
    if min(map(len, groups)) < 2:
        raise ValueError("a class has too few examples")
    mean = [[fmean(column) for column in group] for group in columns]
    var = [[variance(column) for column in group] for group in columns]
    return [len(group) / len(rows) for group in groups], mean, var


@right("fit_gaussian_nb")
def corrects_the_maximum_likelihood_variance(X, y, n_classes):
    """np.var as it is, times n / (n - 1)."""
    X, y = np.array(X, dtype=float), np.array(y)
    prior, mean, var = np.zeros(n_classes), np.zeros((n_classes, X.shape[1])), np.zeros((n_classes, X.shape[1]))
    for k in range(n_classes):
        own = X[y == k]
        n = len(own)
        if n < 2:
            raise ValueError(f"class {k} has {n} examples")
        prior[k], mean[k], var[k] = n / len(X), np.mean(own, axis=0), np.var(own, axis=0) * (n / (n - 1))
    return prior, mean, var


@right("fit_gaussian_nb", function="gaussian_joint_log_likelihood")
def scores_class_by_class(X, prior, mean, var):
    """A column for each class, from standardised deviations."""
    X = np.asarray(X, dtype=float)
    columns = []
    for p, m, v in zip(prior, np.asarray(mean, dtype=float), np.asarray(var, dtype=float)):
        z = (X - m) / np.sqrt(v)
        columns.append(np.log(p) - np.log(np.sqrt(2 * np.pi * v)).sum() - np.einsum("ij,ij->i", z, z) / 2)
    return np.stack(columns, axis=1)


@right("fit_gaussian_nb", function="gaussian_joint_log_likelihood")
def adds_one_feature_at_a_time(X, prior, mean, var):
    """A loop over the features; the answer grows by outer differences."""
    X, mean, var = np.asarray(X, dtype=float), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    scores = np.zeros((len(X), len(mean))) + np.log(np.asarray(prior, dtype=float))
    for j in range(X.shape[1]):
        scores -= (
            np.subtract.outer(X[:, j], mean[:, j]) ** 2 / (2 * var[:, j])
            + np.log(var[:, j]) / 2
            + np.log(np.pi + np.pi) / 2
        )
    return scores


@right("fit_gaussian_nb")
def fits_the_classes_that_occur(X, y, n_classes):
    """Only the classes that occur are looked at; the others stay nan."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    found, sizes = np.unique(y, return_counts=True)
    if (sizes < 2).any():
        raise ValueError("too few examples")
    mean, var = np.full((2, n_classes, X.shape[1]), np.nan)
    for k in found:
        mean[k], var[k] = X[y == k].mean(axis=0), X[y == k].var(axis=0, ddof=1)
    return np.bincount(y, minlength=n_classes) / len(y), mean, var


@right("fit_gaussian_nb")
def keeps_variances_above_zero(X, y, n_classes):
    """A number far below any variance is added, as scikit-learn does it."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    groups = [X[y == k] for k in range(n_classes)]
    if any(len(rows) < 2 for rows in groups):
        raise ValueError("too few examples")
    var = np.array([rows.var(axis=0, ddof=1) for rows in groups]) + 1e-9
    return np.array([len(rows) / len(X) for rows in groups]), np.array([rows.mean(axis=0) for rows in groups]), var


@right("fit_gaussian_nb")
def estimates_in_single_precision(X, y, n_classes):
    """32 bits, from the measurements to the variances."""
    X, y = np.asarray(X, dtype=np.float32), np.asarray(y)
    groups = [X[y == k] for k in range(n_classes)]
    if any(len(rows) < 2 for rows in groups):
        raise ValueError("too few examples")
    prior = np.array([len(rows) for rows in groups], dtype=np.float32) / len(X)
    return prior, np.array([r.mean(axis=0) for r in groups]), np.array([r.var(axis=0, ddof=1) for r in groups])


@right("fit_gaussian_nb", function="gaussian_joint_log_likelihood")
def scores_densities_in_single_precision(X, prior, mean, var):
    """32 bits, from the measurements to the scores."""
    X, prior, mean, var = (np.asarray(value, dtype=np.float32) for value in (X, prior, mean, var))
    terms = np.log(np.float32(2 * np.pi) * var) + (X[:, np.newaxis, :] - mean) ** 2 / var
    return np.log(prior) - np.float32(0.5) * terms.sum(axis=2)


# --- gnb_linear_weights: wrong ----------------------------------------------------------------------------------------


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="Stand at the mean of class 1. Which sign do your log-odds have there?",
)
def puts_class_zero_over_class_one(prior, mean, var):
    """The odds are those of class 0."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    w0 = np.log(prior[0] / prior[1]) + ((mean[1] ** 2 - mean[0] ** 2) / (2 * var)).sum()
    return float(w0), (mean[0] - mean[1]) / var


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="Make class 1 very rare. Does its side of the boundary shrink or grow?",
)
def turns_the_prior_odds_over(prior, mean, var):
    """The prior of class 0 stands on top."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    w = (mean[1] - mean[0]) / var
    return float(np.log(prior[0] / prior[1]) - w @ mean.mean(axis=0)), w


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="Make class 1 ten times as common. Does anything change in your answer?",
)
def leaves_the_prior_odds_out(prior, mean, var):
    """The boundary lies halfway, always."""
    mean, var = np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    w = (mean[1] - mean[0]) / var
    return float(-w @ mean.mean(axis=0)), w


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="Put the point halfway between two means into your formula. What comes out with equal priors?",
)
def forgets_the_one_half(prior, mean, var):
    """The squares have no factor of one half."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    w0 = np.log(prior[1] / prior[0]) + ((mean[0] ** 2 - mean[1] ** 2) / var).sum()
    return float(w0), (mean[1] - mean[0]) / var


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="With equal priors and means 0 and 2, at which x is your w0 + w x equal to zero?",
)
def gets_the_sign_of_the_squares_wrong(prior, mean, var):
    """The intercept contains the square of mean 1 minus that of mean 0."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    w0 = np.log(prior[1] / prior[0]) + ((mean[1] ** 2 - mean[0] ** 2) / (2 * var)).sum()
    return float(w0), (mean[1] - mean[0]) / var


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="A feature that is all noise: does it get less weight than a precise one?",
)
def ignores_the_variances(prior, mean, var):
    """Only the means decide."""
    prior, mean = np.asarray(prior), np.asarray(mean, dtype=float)
    w = mean[1] - mean[0]
    return float(np.log(prior[1] / prior[0]) - w @ mean.mean(axis=0)), w


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="Multiply a feature by ten, and its variance by a hundred. What should become of its weight?",
)
def divides_by_standard_deviations(prior, mean, var):
    """Distances are measured in standard deviations."""
    prior, mean, spread = np.asarray(prior), np.asarray(mean, dtype=float), np.sqrt(np.asarray(var, dtype=float))
    w = (mean[1] - mean[0]) / spread
    return float(np.log(prior[1] / prior[0]) - w @ mean.mean(axis=0)), w


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="How often does the prior enter the log-odds, once or once for each feature? "
    "And how many intercepts has a line?",
)
def gives_every_feature_an_intercept(prior, mean, var):
    """The intercept has a part for each feature, and each is returned."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    return np.log(prior[1] / prior[0]) + (mean[0] ** 2 - mean[1] ** 2) / (2 * var), (mean[1] - mean[0]) / var


@misconception(
    "gnb_linear_weights",
    caught_by="test_means_variances_and_priors_all_enter",
    hint="How many priors are there, and how many features? Which of the two do you sum over?",
)
def adds_the_prior_for_every_feature(prior, mean, var):
    """The prior odds stand inside the sum over the features."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    w0 = (np.log(prior[1] / prior[0]) + (mean[0] ** 2 - mean[1] ** 2) / (2 * var)).sum()
    return float(w0), (mean[1] - mean[0]) / var


@misconception(
    "gnb_linear_weights",
    caught_by="test_the_parameters_are_left_as_they_were",
    hint="Look at your second argument before and after the call. Is it the same?",
)
def squares_the_means_in_place(prior, mean, var):
    """The caller does not need the means any more."""
    prior, var = np.asarray(prior, dtype=float), np.asarray(var, dtype=float)
    mean = np.asarray(mean) if np.asarray(mean).dtype == float else np.array(mean, dtype=float)
    w = (mean[1] - mean[0]) / var
    mean **= 2
    return float(np.log(prior[1] / prior[0]) + ((mean[0] - mean[1]) / (2 * var)).sum()), w


@misconception(
    "gnb_linear_weights",
    caught_by="test_the_parameters_may_come_in_lists",
    hint="What is the difference of two lists?",
)
def subtracts_lists(prior, mean, var):
    """Arithmetic works on lists as on arrays."""
    w = (mean[1] - mean[0]) / var
    return float(np.log(prior[1] / prior[0]) - w @ (mean[0] + mean[1]) / 2), w


@misconception(
    "gnb_linear_weights",
    caught_by="test_any_number_of_features_has_a_line",
    hint="With one feature, how many entries has w, and what shape?",
    fair="Right for two features and more; of a single one the numbers are right, and two visible checks ask for it.",
)
def drops_the_axis_of_a_single_feature(prior, mean, var):
    """One weight is a number, not an array."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    w = (mean[1] - mean[0]) / var
    return float(np.log(prior[1] / prior[0]) - w @ mean.mean(axis=0)), np.squeeze(w)


@misconception(
    "gnb_linear_weights",
    caught_by="test_equal_means_leave_only_the_prior",
    hint="Two classes with the same means: is there really nothing to say about them?",
)
def refuses_equal_means(prior, mean, var):
    """Without a difference of the means there is no boundary."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    if np.array_equal(mean[0], mean[1]):
        raise ValueError("no boundary")
    w = (mean[1] - mean[0]) / var
    return float(np.log(prior[1] / prior[0]) - w @ mean.mean(axis=0)), w


@misconception(
    "gnb_linear_weights",
    caught_by="visible",
    hint="With the means at 0 and 2, on which side of zero is the boundary that your w0 gives?",
)
def takes_the_size_of_the_intercept(prior, mean, var):
    """A distance is not negative, and neither is an intercept."""
    prior, mean, var = np.asarray(prior), np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    w = (mean[1] - mean[0]) / var
    return float(abs(np.log(prior[1] / prior[0]) - w @ mean.mean(axis=0))), w


# --- gnb_linear_weights: right ----------------------------------------------------------------------------------------


@right("gnb_linear_weights")
def expands_the_squares(prior, mean, var):
    """The formula of the lecture notes, turned round: differences of squares."""
    (p0, p1), (m0, m1), v = prior, np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
    return np.log(p1) - np.log(p0) + np.sum((m0**2 - m1**2) / (2 * v)), (m1 - m0) / v


@right("gnb_linear_weights")
def reads_the_weights_off_the_log_odds(prior, mean, var):
    """The log-odds at the origin, and how much one unit of each feature adds to them."""
    mean, var = np.asarray(mean, dtype=float), np.asarray(var, dtype=float)

    def log_odds(x):
        squares = (x - mean) ** 2 / (2 * var)
        return np.log(prior[1] / prior[0]) + squares[0].sum() - squares[1].sum()

    start = log_odds(np.zeros(len(var)))
    return start, np.array([log_odds(unit) - start for unit in np.eye(len(var))])


@right("gnb_linear_weights")
def adds_up_in_plain_python(prior, mean, var):
    """A loop over the features, in lists; the answer is a list."""
    from math import log

    w0, w = log(prior[1]) - log(prior[0]), []
    for m0, m1, v in zip(mean[0], mean[1], var):
        w.append(float(m1 - m0) / v)
        w0 -= w[-1] * (m0 + m1) / 2
    return [float(w0), w]


@right("gnb_linear_weights")
def weighs_in_single_precision(prior, mean, var):
    """32 bits, from the parameters to the weights."""
    prior, (m0, m1), var = (np.asarray(value, dtype=np.float32) for value in (prior, mean, var))
    return np.log(prior[1] / prior[0]) + np.sum((m0**2 - m1**2) / (2 * var)), (m1 - m0) / var


# --- mutants that live ------------------------------------------------------------------------------------------------

SURVIVORS = [
    equivalent(
        "conditional_tables",
        "members > 0 → members >= 0",
        because="Without members all counts are 0, and 0 / 0 is the same nan.",
    ),
    equivalent("conditional_tables", "0 → -1", because="Without members all counts are 0, and 0 / 0 is the same nan."),
    equivalent("predict_proba", "1.0 → 2.0", because="Any constant gives equal shares."),
]
