"""The visible checks of notebook 4, smoothing."""

import math

import numpy as np

import checks
from checks import costs
from checks.checking import exercise, expect, expect_raises, expect_that

# Thirty people: do they like Star Wars and Harry Potter (columns), and do they like The Lord of the Rings?
LIKES = np.column_stack([np.repeat([0, 1, 0, 1], [3, 10, 4, 13]), np.repeat([0, 1, 0, 1], [5, 8, 7, 10])])
LOTR = np.repeat([0, 1], [13, 17])
STRENGTHS = np.array([0.1, 0.001, 1, 10])

# Three rows with two features of three values, and their classes.
THREE_ROWS, THREE_LABELS = np.array([[0, 2], [0, 1], [1, 2]]), np.array([0, 0, 1])


@exercise("laplace")
def three_balls(student):
    """Red, red, blue with k = 1: red has 3/5."""
    expect(
        student.laplace(np.array([2, 1]), 1),
        equals=[3 / 5, 2 / 5],
        mistakes={
            (2 / 3, 1 / 3): "These are the shares of the balls. Where does k enter?",
            (3 / 4, 2 / 4): "What do these two sum to? How many balls were imagined in all?",
            (3 / 3, 2 / 3): "What do these two sum to? Imagined balls were added above; and below?",
            (1 / 2, 1 / 2): "Here the three balls do not count at all. How strong is k = 1?",
        },
    )


@exercise("laplace")
def three_outcomes(student):
    """The counts (2, 1, 0) with k = 1: 1/2, 1/3 and 1/6."""
    expect(
        student.laplace(np.array([2, 1, 0]), 1),
        equals=[1 / 2, 1 / 3, 1 / 6],
        mistakes={
            (
                3 / 5,
                2 / 5,
                1 / 5,
            ): "What do these sum to? How many possible outcomes are there, and how many did you count?",
            (3 / 4, 2 / 4, 1 / 4): "What do these sum to? How many observations were imagined in all?",
            (1, 2 / 3, 1 / 3): "What do these sum to? Imagined observations were added above; and below?",
            (2 / 3, 1 / 3, 0): "These are the shares. Where does k enter?",
        },
    )


@exercise("laplace")
def half_an_imagined_observation(student):
    """The example of the docstring: four outcomes, k = 1/2."""
    expect(
        student.laplace(np.array([3, 0, 1, 0]), 0.5),
        equals=[7 / 12, 1 / 12, 3 / 12, 1 / 12],
        mistakes={
            (3 / 4, 0, 1 / 4, 0): "Here k is not a whole number. What becomes of it in your code?",
            (4 / 8, 1 / 8, 2 / 8, 1 / 8): "Is this k = 1/2, or k = 1?",
            (3.5 / 5, 0.5 / 5, 1.5 / 5, 0.5 / 5): "What do these sum to? How many outcomes are there?",
            (
                3.125 / 4.5,
                0.125 / 4.5,
                1.125 / 4.5,
                0.125 / 4.5,
            ): "Is k imagined for every outcome, or for all together?",
        },
    )


@exercise("laplace", costs.SIZES)
def one_distribution_in_each_row(student):
    """Two rows of counts are two distributions: the outcomes run along the last axis."""
    expect(
        student.laplace(np.array([[3, 0, 1, 0], [0, 0, 0, 2]]), 0.5),
        equals=[[7 / 12, 1 / 12, 3 / 12, 1 / 12], [1 / 8, 1 / 8, 1 / 8, 5 / 8]],
        mistakes=[
            (
                [[0.4375, 0.0625, 0.1875, 0.0625], [0.0625, 0.0625, 0.0625, 0.3125]],
                "Each row has its own number of observations. Which number did you divide by?",
            ),
        ],
    )


@exercise("laplace", costs.REFUSAL)
def less_than_nothing(student):
    """A negative strength is refused."""
    counts = np.array([2, 1])
    expect_raises(ValueError, student.laplace, counts, -1, question="Can an observation be taken away that was made?")


def answer_of(model, likes):
    """P(likes The Lord of the Rings | likes), from the priors and probabilities that were fitted."""
    prior, theta = model
    joint = np.asarray(prior) * np.where(np.array(likes) == 1, theta, 1 - np.asarray(theta)).prod(axis=1)
    return joint[1] / joint.sum()


def expect_shapes(model, n_classes, *shape):
    """The priors and what was fitted for each class must have these shapes before anything is computed with them."""
    pair = isinstance(model, tuple | list) and len(model) == 2
    expect_that(
        pair, "two arrays come back, the priors and the probabilities", question="What does the last line return?"
    )
    shapes = tuple(np.shape(part) for part in model)
    expect_that(
        shapes == ((n_classes,), (n_classes, *shape)),
        f"the shapes are {(n_classes,)} and {(n_classes, *shape)}; they are {shapes[0]} and {shapes[1]}",
    )


@exercise("fit_bernoulli_nb_smoothed")
def thirty_people(student):
    """Thirty people and three films with k = 1, the prior not smoothed."""
    model = student.fit_bernoulli_nb_smoothed(LIKES, LOTR, 1, 2)
    expect_shapes(model, 2, 2)
    expect(
        answer_of(model, [1, 0]),
        equals=71400 / 123023,
        of="P(yes | Star Wars, not Harry Potter) by your numbers",
        mistakes={
            1183 / 2033: "This is the answer of maximum likelihood. Where does k enter?",
            5400 / 9371: "Is the prior smoothed, too? Which argument is responsible for that?",
            0.573092: "How many values does a feature have, and how many imagined people did you add below?",
            0.564779: "Imagined people were added above; and below?",
            0.586817: "How many values does a feature have? How many imagined people did you add below?",
        },
    )
    expect(model[1], equals=[[11 / 15, 9 / 15], [14 / 19, 11 / 19]], of="theta")
    expect(model[0], equals=[13 / 30, 17 / 30], of="the prior")


@exercise("fit_bernoulli_nb_smoothed")
def thirty_people_and_a_smoothed_prior(student):
    """The same with `k_prior=1`: the prior becomes 14/32 and 18/32."""
    model = student.fit_bernoulli_nb_smoothed(LIKES, LOTR, 1, 2, k_prior=1)
    expect_shapes(model, 2, 2)
    expect(
        answer_of(model, [1, 0]),
        equals=5400 / 9371,
        of="P(yes | Star Wars, not Harry Potter) by your numbers",
        mistakes={71400 / 123023: "Here k_prior is 1. Where does it enter?"},
    )
    expect(model[0], equals=[14 / 32, 18 / 32], of="the prior")


@exercise("fit_bernoulli_nb_smoothed")
def half_an_imagined_row(student):
    """The example of the docstring: three rows, k = 1/2."""
    expect(
        student.fit_bernoulli_nb_smoothed(np.array([[1, 0], [1, 1], [0, 0]]), np.array([0, 0, 1]), 0.5, 2),
        equals=(np.array([2 / 3, 1 / 3]), np.array([[5 / 6, 3 / 6], [1 / 4, 1 / 4]])),
    )


@exercise("fit_bernoulli_nb_smoothed")
def three_classes(student):
    """Six rows with four features, three classes, k = 2: neither classes nor features are as many as values."""
    X = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1], [1, 1, 0, 0], [1, 0, 0, 1]])
    model = student.fit_bernoulli_nb_smoothed(X, np.array([0, 0, 1, 2, 2, 2]), 2, 3)
    expect_shapes(model, 3, 4)
    raised, rows = np.array([[4, 3, 2, 3], [2, 3, 2, 3], [4, 3, 2, 4]]), np.array([[2], [1], [3]])
    expect(
        model[1],
        equals=raised / (rows + 4),
        of="theta",
        mistakes=[
            (raised / (rows + 6), "Below you added k for every class. How many values has a feature?"),
            (raised / (rows + 8), "Below you added k for every feature. How many values has each of them?"),
            (raised / (rows + 2), "Below you added k once. How many values has a feature?"),
        ],
    )
    expect(model[0], equals=[2 / 6, 1 / 6, 3 / 6], of="the prior")


@exercise("beta_estimates")
def seven_of_ten(student):
    """Seven heads of ten under Beta(2, 2): 0.7, 2/3 and 9/14."""
    expect(
        student.beta_estimates(7, 3, 2, 2),
        equals={"mle": 0.7, "map": 2 / 3, "mean": 9 / 14},
        mistakes=[
            ({"mle": 0.7, "map": 9 / 14, "mean": 2 / 3}, "Which of the two adds a, and which one adds a - 1?"),
            ({"mle": 0.7, "map": 9 / 14, "mean": 9 / 14}, "Which exponent has θ in the posterior: 7 + 2?"),
            ({"mle": 0.7, "map": 2 / 3, "mean": 2 / 3}, "Is the mean of a curve the place of its peak?"),
            ({"mle": 0.7, "map": 0.7, "mean": 9 / 14}, "Where does the prior enter in the peak?"),
        ],
    )


@exercise("beta_estimates")
def a_lopsided_prior(student):
    """The example of the docstring: three heads, one tail, Beta(2, 3)."""
    expect(
        student.beta_estimates(3, 1, 2, 3),
        equals={"mle": 3 / 4, "map": 4 / 7, "mean": 5 / 9},
        mistakes=[({"mle": 3 / 4, "map": 5 / 7, "mean": 6 / 9}, "Which of a and b goes with heads?")],
    )


@exercise("beta_estimates", costs.EDGE)
def before_any_data(student):
    """No flips at all under Beta(2, 2): a peak and a mean of 1/2."""
    told = student.beta_estimates(0, 0, 2, 2)
    expect_that(
        isinstance(told, dict) and {"map", "mean"} <= set(told), "a dictionary with the three estimates comes back"
    )
    expect({name: told[name] for name in ("map", "mean")}, equals={"map": 1 / 2, "mean": 1 / 2}, of="peak and mean")


@exercise("fit_categorical_nb")
def films_as_whole_numbers(student):
    """The thirty people again, each film as a feature with the values 0 and 1, pseudo-count 1."""
    model = student.fit_categorical_nb(LIKES, LOTR, 2, 2, 1)
    expect_shapes(model, 2, 2, 2)
    expect(
        model[0],
        equals=[13 / 30, 17 / 30],
        of="the prior",
        mistakes={(14 / 32, 18 / 32): "Was the prior to be smoothed?"},
    )
    table = np.array([[[4 / 15, 11 / 15], [6 / 15, 9 / 15]], [[5 / 19, 14 / 19], [8 / 19, 11 / 19]]])
    expect(
        model[1],
        equals=table,
        of="the table",
        mistakes=[
            (table * np.array([15, 19])[:, None, None] / 34, "Among whom did you count: everybody, or this class?"),
            (table.transpose(0, 2, 1), "In which order do the axes come: class, feature, value?"),
            (
                table * np.array([15 / 14, 19 / 18])[:, None, None],
                "What does a row sum to? How many pseudo-counts were added?",
            ),
        ],
    )


@exercise("fit_categorical_nb")
def three_values(student):
    """The example of the docstring: two features with three values, pseudo-count 1."""
    model = student.fit_categorical_nb(THREE_ROWS, THREE_LABELS, 3, 2, 1)
    expect_shapes(model, 2, 2, 3)
    table = [[[3 / 5, 1 / 5, 1 / 5], [1 / 5, 2 / 5, 2 / 5]], [[1 / 4, 2 / 4, 1 / 4], [1 / 4, 1 / 4, 2 / 4]]]
    expect(
        model[1],
        equals=table,
        of="the table",
        mistakes=[
            (
                np.array(table) * np.array([5 / 4, 4 / 3])[:, None, None],
                "What does a row sum to? How many values are there?",
            ),
            (
                np.array(table) * np.array([5 / 3, 4 / 2])[:, None, None],
                "What does a row sum to? What else is imagined?",
            ),
        ],
    )


@exercise("fit_categorical_nb", costs.SIZES)
def unequal_pseudo_counts(student):
    """The same rows with the pseudo-counts 1, 2 and 0.5."""
    _, table = student.fit_categorical_nb(THREE_ROWS, THREE_LABELS, 3, 2, np.array([1, 2, 0.5]))
    first = np.array([[3, 2, 0.5], [1, 3, 1.5]]) / 5.5
    second = np.array([[1, 3, 0.5], [1, 2, 1.5]]) / 4.5
    expect(table, equals=[first, second], of="the table")


def small_split():
    """40 emails to train on, 300 to validate."""
    with np.load(checks.data("spamassassin_df500.npz")) as corpus:
        order = np.random.default_rng(0).permutation(len(corpus["y"]))
        rows, more = order[:40], order[160:460]
        bits = np.unpackbits(corpus["X"], axis=1)[:, :501]
        y = corpus["y"].astype(int)
        return bits[rows], y[rows], bits[more], y[more]


@exercise("choose_k")
def forty_emails(student):
    """Forty emails to train on, 300 to validate, four values of k: which one is best, and all accuracies."""
    X_tr, y_tr, X_va, y_va = small_split()
    expected, on_itself = np.array([245, 201, 252, 246]) / 300, np.array([39, 40, 37, 36]) / 40
    expect(
        student.choose_k(X_tr, y_tr, X_va, y_va, STRENGTHS),
        equals=(1, expected),
        mistakes=[
            ((0.001, on_itself), "Which emails did you measure on? Which ones had the filter seen before?"),
            ((2, expected), "Is this the place of the best k in the grid, or k itself?"),
            ((expected.max(), expected), "Is this a strength, or an accuracy?"),
            ((0.001, 1 - expected), "Are these shares of right or of wrong labels?"),
            ((1, expected * len(y_va)), "These are numbers of emails. Out of how many?"),
            ((1, np.sort(expected)), "In which order should the accuracies be?"),
        ],
    )


@exercise("choose_k")
def six_emails(student):
    """Six emails to train on, five of them ham, and four to validate: every email counts."""
    X_tr, y_tr = np.array([[0, 1], [0, 1], [0, 0], [0, 0], [0, 0], [1, 1]]), np.array([0, 0, 0, 0, 0, 1])
    X_va, y_va = np.array([[1, 1], [0, 0], [1, 1], [1, 1]]), np.array([0, 0, 0, 1])
    expect(
        student.choose_k(X_tr, y_tr, X_va, y_va, np.array([1.2, 2])),
        equals=(2, [0.5, 0.75]),
        mistakes=[
            (
                (1.2, [0.5, 0.5]),
                "Work out the first email by hand: which prior does your filter use, and how much of k for each value?",
            )
        ],
    )


@exercise("choose_k", costs.EDGE)
def three_emails(student):
    """Three emails to train on and two to validate, the example of the docstring; one k is 0."""
    X_tr, y_tr = np.array([[1, 0], [1, 1], [0, 1]]), np.array([0, 0, 1])
    X_va, y_va = np.array([[1, 0], [0, 0]]), np.array([0, 1])
    expect(student.choose_k(X_tr, y_tr, X_va, y_va, np.array([10, 0, 0.5])), equals=(0.5, [0.5, 0.5, 1]))


@exercise("log_evidence")
def seven_of_ten_before_the_coin_is_known(student):
    """Seven heads and three tails under a uniform prior: 1/1320."""
    expect(
        student.log_evidence(7, 3, 1, 1),
        equals=math.log(1 / 1320),
        mistakes={
            math.log(
                120 / 1320
            ): "In how many orders can seven heads and three tails fall? Which of them are asked for?",
            7 * math.log(0.7)
            + 3 * math.log(0.3): "This is the likelihood at its highest. Over what should it be averaged?",
        },
    )


@exercise("log_evidence")
def red_red_blue_before_the_urn_is_known(student):
    """Red, red, blue under a uniform prior: 1/12. Under Beta(2, 2): 1/10."""
    expect(student.log_evidence(2, 1, 1, 1), equals=math.log(1 / 12))
    expect(
        student.log_evidence(2, 1, 2, 2),
        equals=math.log(1 / 10),
        mistakes={
            math.log(1 / 60): "What does a Beta(2, 2) density have below the line, before any data?",
            math.log(1 / 12): "Where do a and b enter?",
        },
    )


@exercise("log_evidence")
def a_sequence_and_a_lopsided_prior(student):
    """Three heads and one tail under Beta(2, 5): 1/42."""
    expect(
        student.log_evidence(3, 1, 2, 5),
        equals=math.log(1 / 42),
        mistakes={
            math.log(5 * 6 * 7 * 2 / (7 * 8 * 9 * 10)): "Which of a and b goes with heads?",
            math.log(4 / 42): "In how many orders can these flips fall? Which of them are asked for?",
            math.log(1 / 20): "Where do a and b enter?",
        },
    )
