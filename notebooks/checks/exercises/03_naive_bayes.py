"""The visible checks of notebook 3, naive Bayes."""

from functools import cache

import numpy as np

import checks
from checks import costs
from checks.checking import exercise, expect

# Thirty users: who likes Star Wars (X1) and Harry Potter (X2), by whether they like The Lord of the Rings (Y).
STAR_WARS = np.array([[3, 10], [4, 13]])  # a row for each y, a column for each value of x
POTTER = np.array([[5, 8], [7, 10]])
PRIOR = np.array([13, 17]) / 30
THETA = np.array([[10 / 13, 8 / 13], [13 / 17, 10 / 17]])  # P(x = 1 | y)
Y = np.repeat([0, 1], [13, 17])
X = np.column_stack([np.repeat([0, 1, 0, 1], [3, 10, 4, 13]), np.repeat([0, 1, 0, 1], [5, 8, 7, 10])])


@cache
def penguins():
    """The four measurements of 342 birds, and their species: 0 Adelie, 1 Chinstrap, 2 Gentoo."""
    table = np.genfromtxt(checks.data("penguins.csv"), delimiter=",", names=True, dtype=None, encoding="utf-8")
    table = table[~np.isnan(table["bill_length_mm"])]
    columns = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    return np.column_stack([table[name] for name in columns]), np.unique(table["species"], return_inverse=True)[1]


def sizes(full, naive, full_entries, naive_entries):
    return {"full": full, "naive": naive, "full_entries": full_entries, "naive_entries": naive_entries}


@exercise("parameter_counts")
def ten_words(student):
    """Ten binary features and two classes: 2,046 and 20 free parameters; 2,048 and 42 entries."""
    within = "`full` and `naive` describe the features given the class. Which parameter does not belong to that?"
    expect(
        student.parameter_counts(10),
        equals=sizes(2046, 20, 2048, 42),
        mistakes=[
            (sizes(2047, 21, 2048, 42), within),
            (sizes(2047, 20, 2048, 42), within),
            (sizes(2046, 21, 2048, 42), within),
            (
                sizes(2048, 40, 2048, 42),
                "If you know all probabilities of a table but one, do you have to be told the last?",
            ),
            (
                sizes(2048, 20, 2048, 42),
                "If you know all probabilities of a table but one, do you have to be told the last?",
            ),
            (sizes(1023, 10, 1024, 22), "Is there one such table, or one for each class?"),
            (sizes(1023, 20, 2048, 42), "Is there one such table, or one for each class?"),
            (sizes(2046, 20, 1024, 42), "Does the big table have the label as one of its variables?"),
            (sizes(2046, 20, 2048, 40), "Which table is there besides those of the features?"),
            (
                sizes(2046, 20, 2048, 22),
                "How many entries has the table of one feature: one for each value, or one for each value and class?",
            ),
        ],
    )


@exercise("parameter_counts")
def four_features_with_three_values(student):
    """Four features with three values each, and three classes: 240 and 24 free parameters; 243 and 39 entries."""
    expect(
        student.parameter_counts(4, n_values=3, n_classes=3),
        equals=sizes(240, 24, 243, 39),
        mistakes=[
            (sizes(45, 12, 48, 27), "How many values does a feature have here?"),
            (sizes(30, 8, 32, 18), "Do the second and the third argument enter your answer?"),
        ],
    )


@exercise("conditional_tables")
def star_wars_given_rings(student):
    """Star Wars among those who do not, and those who do like The Lord of the Rings: 10/13 and 13/17."""
    expect(
        student.conditional_tables(STAR_WARS.copy()),
        equals=[[3 / 13, 10 / 13], [4 / 17, 13 / 17]],
        mistakes=[
            (STAR_WARS / [7, 23], "Columns sum to 1 here: who is counted among whom?"),
            (
                (STAR_WARS + 1) / [[15], [19]],
                "Only those who were there count here (notebook 4 will invent some). Are all your users real?",
            ),
            ([[3 / 10, 10 / 3], [4 / 13, 13 / 4]], "These are odds, one value against the other. What is the share?"),
        ],
    )


@exercise("conditional_tables")
def potter_given_rings(student):
    """Harry Potter in the same two groups: 5/13 and 7/17 do not like it."""
    expect(student.conditional_tables(POTTER.copy()), equals=[[5 / 13, 8 / 13], [7 / 17, 10 / 17]])


@exercise("conditional_tables")
def two_classes_and_three_values(student):
    """Two classes, and a feature with three values: ten examples of one class, eight of the other."""
    counts = np.array([[2, 3, 5], [4, 1, 3]])
    expect(
        student.conditional_tables(counts),
        equals=[[0.2, 0.3, 0.5], [0.5, 0.125, 0.375]],
        mistakes=[
            (counts / [6, 4, 8], "Columns sum to 1 here: who is counted among whom?"),
        ],
    )


@exercise("fit_bernoulli_nb")
def thirty_users(student):
    """The thirty users, one row each: priors 13/30 and 17/30, and the shares 10/13, 8/13, 13/17, 10/17."""
    expect(
        student.fit_bernoulli_nb(X.copy(), Y.copy(), 2),
        equals=(PRIOR, THETA),
        mistakes=[
            (
                (PRIOR, THETA * PRIOR[:, np.newaxis]),
                "These are shares of all thirty users. Of whom should they be shares?",
            ),
            ((PRIOR, 1 - THETA), "Is theta the probability that a feature is there, or that it is not?"),
            ((PRIOR, np.tile(X.mean(axis=0), (2, 1))), "Both rows of theta are the same. Where does the class enter?"),
            ((np.array([0.5, 0.5]), THETA), "Are both classes equally common among the users?"),
            ((np.array([13, 17]), THETA), "The prior is a share. What do your two numbers sum to?"),
            ((PRIOR, THETA.T), "Which index of theta is the class, the first or the second?"),
            ((THETA, PRIOR), "Which of the two comes first?"),
            (
                (PRIOR, np.array([[11 / 15, 9 / 15], [14 / 19, 11 / 19]])),
                "Only those who were there count here (notebook 4 will invent some). Are all your users real?",
            ),
        ],
    )


@exercise("fit_bernoulli_nb")
def a_class_that_is_small(student):
    """The example of the docstring: four examples of class 0, one of class 1."""
    rows = np.array([[1, 0], [1, 1], [0, 1], [1, 0], [0, 1]])
    expect(
        student.fit_bernoulli_nb(rows, np.array([0, 0, 0, 0, 1]), 2),
        equals=(np.array([0.8, 0.2]), np.array([[0.75, 0.5], [0, 1]])),
    )


@exercise("joint_log_likelihood")
def star_wars_but_not_potter(student):
    """Likes Star Wars and not Harry Potter: the logarithms of 5/39 (no) and 91/510 (yes)."""
    present_only = PRIOR * THETA[:, 0]
    right = present_only * (1 - THETA[:, 1])
    expect(
        student.joint_log_likelihood(np.array([[1, 0]]), PRIOR.copy(), THETA.copy()),
        equals=[np.log([5 / 39, 91 / 510])],
        mistakes=[
            ([np.log(present_only)], "This person does not like Harry Potter. Where does that enter?"),
            ([np.log(right / PRIOR)], "This is log P(x | y). Where is the class's own probability?"),
            ([np.log(right * PRIOR)], "How often does the prior enter, and how often should it?"),
            ([np.log(PRIOR * THETA[:, 0] * THETA[:, 1])], "Which factor does a feature contribute that is not there?"),
            (
                [np.log(right / right.sum())],
                "These are logarithms of posteriors. Who asked for the sum over the classes?",
            ),
        ],
    )


@exercise("joint_log_likelihood")
def all_four_tastes(student):
    """The four possible users and both classes: eight probabilities that sum to 1."""
    tastes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    factors = np.where(tastes[:, np.newaxis, :] == 1, THETA, 1 - THETA)
    expect(
        student.joint_log_likelihood(tastes, PRIOR.copy(), THETA.copy()),
        equals=np.log(PRIOR * factors[..., 0] * factors[..., 1]),
    )


@exercise("predict_proba")
def rings_given_star_wars_but_not_potter(student):
    """The same user: P(likes The Lord of the Rings) = 1183/2033."""
    right = np.array([[5 / 39, 91 / 510]])
    expect(
        student.predict_proba(np.log(right)),
        equals=[[850 / 2033, 1183 / 2033]],
        mistakes=[
            (np.log(right) / np.log(right).sum(), "These are shares of logarithms. Of what should they be shares?"),
            ([[0, 1]], "This names the winner. How sure may one be?"),
            ([1183 / 2033], "Where is the other class?"),
        ],
    )


@exercise("predict_proba")
def two_rows(student):
    """The example of the docstring: every row by itself."""
    expect(
        student.predict_proba(np.log([[0.1, 0.3], [0.2, 0.2]])),
        equals=[[0.25, 0.75], [0.5, 0.5]],
        mistakes=[
            (
                [[1 / 3, 3 / 5], [2 / 3, 2 / 5]],
                "Columns sum to 1 here. Over what should you sum: over examples, or over classes?",
            ),
        ],
    )


@exercise("predict_proba", costs.SIZES)
def three_classes(student):
    """Three classes instead of two: their probabilities sum to 1, too."""
    expect(
        student.predict_proba(np.log([[0.1, 0.3, 0.1], [0.02, 0.03, 0.15]])),
        equals=[[0.2, 0.6, 0.2], [0.1, 0.15, 0.75]],
    )


@exercise("fit_gaussian_nb")
def three_species_of_penguins(student):
    """The penguins: shares 0.44152, 0.19883, 0.35965; the bill length of Adelie has variance 7.0937."""
    birds, species = (values.copy() for values in penguins())  # an answer may write into what it is given
    groups = [birds[species == k] for k in range(3)]
    prior = np.array([151, 68, 123]) / 342
    mean = np.array([np.mean(group, axis=0) for group in groups])
    squares = np.array([np.sum((group - centre) ** 2, axis=0) for group, centre in zip(groups, mean)])
    n = np.array([[151], [68], [123]])
    var = squares / (n - 1)
    expect(
        student.fit_gaussian_nb(birds, species, 3),
        equals=(prior, mean, var),
        mistakes=[
            (
                (prior, mean, squares / n),
                "By what do you divide the squares: by the number of birds? What was asked for?",
            ),
            ((prior, mean, np.sqrt(squares / n)), "Is this a variance, in square millimetres, or its root?"),
            (
                (prior, mean, np.tile(birds.var(axis=0, ddof=1), (3, 1))),
                "All species have the same variances here. Where does the class enter?",
            ),
            ((np.full(3, 1 / 3), mean, var), "Are the three species equally common?"),
            ((np.array([151, 68, 123]), mean, var), "The prior is a share. What do your numbers sum to?"),
        ],
    )


@exercise("fit_gaussian_nb")
def scores_of_one_measurement(student):
    """The second function, on the example of its docstring: half of two densities at 0."""
    here, there = 1 / np.sqrt(2 * np.pi), np.exp(-1 / 8) / np.sqrt(8 * np.pi)
    right = np.array([[here, there]]) / 2
    expect(
        student.gaussian_joint_log_likelihood(
            np.array([[0.0]]), np.array([0.5, 0.5]), np.array([[0.0], [1.0]]), np.array([[1.0], [4.0]])
        ),
        equals=np.log(right),
        mistakes=[
            (np.log(2 * right), "Where is the class's own probability?"),
            (
                np.log([[0.5, 0.5 * np.exp(-1 / 8)]]),
                "What stands in front of the exponential, and is it the same for both classes?",
            ),
            (
                np.log([[0.5 * here, 0.5 * np.exp(-1 / 32) / np.sqrt(32 * np.pi)]]),
                "Does `var` hold variances or standard deviations?",
            ),
            (
                np.log([[0.5, 0.5]]) - [[0.5, 0.125]],
                "What stands in front of the exponential, and is it the same for both classes?",
            ),
        ],
    )


@exercise("fit_gaussian_nb")
def scores_of_two_measurements(student):
    """The second function with two features, and a class that is three times as common as the other."""
    mean, var = np.array([[0.0, 2.0], [1.0, -1.0]]), np.array([[1.0, 4.0], [2.0, 0.5]])
    densities = np.exp([-1 / 2 - 1 / 8, -4]) / (2 * np.pi * np.sqrt([4, 1]))  # at (1, 1), feature times feature
    expect(
        student.gaussian_joint_log_likelihood(np.array([[1.0, 1.0]]), np.array([0.75, 0.25]), mean, var),
        equals=[np.log(densities * [0.75, 0.25])],
        mistakes=[
            ([np.log(densities)], "Where is the class's own probability?"),
            ([np.log(densities * [0.75, 0.25]) + np.log(2 * np.pi) / 2], "How many densities are multiplied here?"),
            ([np.log(densities * [0.75**2, 0.25**2])], "How often does the prior enter, and how often should it?"),
        ],
    )


@exercise("gnb_linear_weights")
def halfway_between_two_means(student):
    """Means 0 and 2, variance 1, equal priors: w0 = -2 and w = 2, so the boundary is at 1."""
    expect(
        student.gnb_linear_weights(np.array([0.5, 0.5]), np.array([[0.0], [2.0]]), np.array([1.0])),
        equals=(-2.0, np.array([2.0])),
        mistakes=[
            ((2.0, np.array([-2.0])), "At x = 2, which class do your log-odds prefer?"),
            ((2.0, np.array([2.0])), "Where is the boundary, w0 + w x = 0? Is it halfway between the means?"),
            ((-4.0, np.array([2.0])), "Where is the boundary, w0 + w x = 0? Is it halfway between the means?"),
            ((0.0, np.array([2.0])), "Where is the boundary, w0 + w x = 0? Is it halfway between the means?"),
            ((np.array([2.0]), -2.0), "Which of the two comes first?"),
        ],
    )


@exercise("gnb_linear_weights")
def a_rarer_class_one(student):
    """The same with P(Y = 1) = 0.2: the boundary moves to 1.693147."""
    expect(
        student.gnb_linear_weights(np.array([0.8, 0.2]), np.array([[0.0], [2.0]]), np.array([1.0])),
        equals=(-2 - np.log(4), np.array([2.0])),
        mistakes=[
            ((-2.0, np.array([2.0])), "Where does the prior enter?"),
            ((-2 + np.log(4), np.array([2.0])), "Class 1 is the rare one: should its side of the boundary grow?"),
            ((-2 + np.log(0.2), np.array([2.0])), "These odds know only one of the two priors. Whose is missing?"),
            ((-1.75, np.array([2.0])), "The prior enters as it is. What about its logarithm?"),
        ],
    )


@exercise("gnb_linear_weights")
def two_features(student):
    """The example of the docstring: two features, one of them with variance 2."""
    expect(
        student.gnb_linear_weights(np.array([0.5, 0.5]), np.array([[1.0, 0.0], [3.0, 1.0]]), np.array([2.0, 1.0])),
        equals=(-2.5, np.array([1.0, 1.0])),
        mistakes=[
            ((-4.5, np.array([2.0, 1.0])), "Where does the variance enter?"),
            ((np.array([-2.0, -0.5]), np.array([1.0, 1.0])), "How many numbers should w0 be?"),
        ],
    )


@exercise("gnb_linear_weights")
def two_features_and_a_rarer_class_one(student):
    """The same two features with P(Y = 1) = 0.2: only the intercept moves, by log(1/4)."""
    expect(
        student.gnb_linear_weights(np.array([0.8, 0.2]), np.array([[1.0, 0.0], [3.0, 1.0]]), np.array([2.0, 1.0])),
        equals=(-2.5 - np.log(4), np.array([1.0, 1.0])),
        mistakes=[
            ((-2.5 - 2 * np.log(4), np.array([1.0, 1.0])), "How often does the prior enter, and how often should it?"),
            ((-2.5, np.array([1.0, 1.0])), "Where does the prior enter?"),
        ],
    )
