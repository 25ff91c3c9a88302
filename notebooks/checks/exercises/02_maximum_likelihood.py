"""The visible checks of notebook 2, maximum likelihood."""

import numpy as np

from checks import costs
from checks.checking import exercise, expect, expect_raises

RED_RED_BLUE = np.array([1, 1, 0])
FLIPS = np.array([1, 1, 0, 1, 1, 1, 0, 1, 0, 1])  # seven heads in ten
NUMBERS = np.array([[2.0], [4.0], [4.0], [4.0], [5.0], [5.0], [7.0], [9.0]])


def alone(value):
    """A number, if that is all that an array or a list holds: another check looks at the shape."""
    if isinstance(value, np.ndarray) and value.size == 1:
        return value.reshape(())
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def each(function, *columns):
    """What comes back for each case, one number at a time, or all at once if a function takes only arrays."""
    try:
        return [alone(function(*case)) for case in zip(*columns)]
    except (AttributeError, IndexError, TypeError, ValueError):
        return function(*map(np.array, columns))


def of_one_column(found):
    """Estimates for one column as arrays, be they arrays of length one or numbers: another check looks at the shape."""
    if isinstance(found, (tuple, list)):
        return tuple(
            np.atleast_1d(part) if isinstance(part, (float, np.number, np.ndarray)) else part for part in found
        )
    return found


@exercise("bernoulli_pmf")
def both_sides_of_a_coin(student):
    """A coin with theta = 0.3 shows 0 with probability 0.7 and 1 with probability 0.3."""
    expect(
        each(student.bernoulli_pmf, [0, 1], [0.3, 0.3]),
        equals=[0.7, 0.3],
        of="came back for 0 and 1",
        mistakes={
            (1.0, 0.21): "Look at the exponent of the second factor: what do your two probabilities sum to?",
            (0.3, 0.7): "Heads and tails are swapped: which factor should be left when x is 1?",
            (1.0, 0.3): "What do your two probabilities sum to? Which factor is missing when x is 0?",
            (0.7, 0.0): "Is this P(X = x) for both outcomes? What became of the first factor when x is 1?",
            (0.3, 0.3): "Does your answer depend on x?",
            (1.7, 1.3): "Are the two factors added or multiplied?",
        },
    )


@exercise("bernoulli_pmf", costs.SIZES)
def three_flips_of_another_coin(student):
    """The example of the docstring: one probability for each flip."""
    expect(
        student.bernoulli_pmf(np.array([1, 0, 1]), 0.75),
        equals=[0.75, 0.25, 0.75],
        mistakes={
            0.75 * 0.25 * 0.75: "This is the product of the three. Which shape was asked for?",
            (0.1875, 1.0, 0.1875): "What do P(X = 0) and P(X = 1) sum to here?",
        },
    )


@exercise("bernoulli_pmf", costs.REFUSAL)
def a_coin_shows_no_two(student):
    """An outcome that is neither 0 nor 1 is refused with a ValueError."""
    expect_raises(ValueError, student.bernoulli_pmf, 2, 0.3, question="Which values can x have?")


@exercise("likelihood")
def red_red_blue(student):
    """Red, red, blue: the likelihood is 4/27 at 2/3, 1/8 at 1/2, and 2/27 at 1/3."""
    thetas = np.array([2 / 3, 1 / 2, 1 / 3])
    expect(
        each(lambda theta: student.likelihood(theta, RED_RED_BLUE), thetas.tolist()),
        equals=[4 / 27, 1 / 8, 2 / 27],
        of="came back for 2/3, 1/2 and 1/3",
        mistakes=[
            ((2 / 27, 1 / 8, 4 / 27), "Which colour does theta belong to, red (1) or blue (0)?"),
            ((4 / 9, 3 / 8, 2 / 9), "Three times too much: is the order of the three balls known or not?"),
            ((thetas * (1 - thetas)) ** 2, "Try a sample of one blue ball: does it count in this product?"),
            (2 * thetas + (1 - thetas), "Are the probabilities of independent draws added or multiplied?"),
            (np.cbrt([4 / 27, 1 / 8, 2 / 27]), "This is an average factor. What is the product of all of them?"),
            (thetas**2, "Which ball is missing from this product?"),
            (
                np.full(3, 2 / 3),
                "This is the best theta. How probable is the sample, for each of the three candidates?",
            ),
        ],
    )


@exercise("likelihood")
def seven_heads_in_ten(student):
    """Seven heads in ten flips, for one candidate: 0.7."""
    expect(
        each(lambda theta: student.likelihood(theta, FLIPS), [0.7]),
        equals=[0.7**7 * 0.3**3],
        mistakes=[
            (
                [120 * 0.7**7 * 0.3**3],
                "This counts every order of seven heads and three tails. How many orders did we see?",
            ),
            ([0.3**7 * 0.7**3], "Which outcome does theta belong to, 1 or 0?"),
            ([0.21**7], "Do the tails count in this product?"),
        ],
    )


@exercise("likelihood", costs.SIZES)
def two_candidates_at_once(student):
    """The example of the docstring: an array of two candidates gets an array of two likelihoods."""
    expect(
        student.likelihood(np.array([0.25, 0.5]), np.array([1, 0, 0])),
        equals=[0.140625, 0.125],
        mistakes=[((0.140625 / 0.265625, 0.125 / 0.265625), "Is a likelihood a distribution over the candidates?")],
    )


@exercise("log_likelihood")
def logarithm_of_the_likelihood(student):
    """Red, red, blue at 2/3 and at 1/2: log(4/27) and log(1/8)."""
    expect(
        each(lambda theta: student.log_likelihood(theta, RED_RED_BLUE), [2 / 3, 1 / 2]),
        equals=np.log([4 / 27, 1 / 8]),
        of="came back for 2/3 and 1/2",
        mistakes=[
            (np.log([4 / 27, 1 / 8]) / 3, "This is the mean of three logarithms. What was asked for?"),
            (-np.log([4 / 27, 1 / 8]), "A logarithm of a probability: which sign should it have?"),
            (np.log([4 / 9, 3 / 8]), "Is the order of the three balls known or not?"),
            (np.log([2 / 27, 1 / 8]), "Which outcome does theta belong to, 1 or 0?"),
            (2 * np.log([2 / 3, 1 / 2]), "Which ball is missing from this sum?"),
        ],
    )


@exercise("log_likelihood")
def ten_flips(student):
    """Seven heads in ten flips, for one candidate: 0.7."""
    expect(
        each(lambda theta: student.log_likelihood(theta, FLIPS), [0.7]),
        equals=[7 * np.log(0.7) + 3 * np.log(0.3)],
        mistakes=[([3 * np.log(0.7) + 7 * np.log(0.3)], "Which outcome does theta belong to, 1 or 0?")],
    )


@exercise("log_likelihood", costs.STABILITY)
def two_thousand_flips(student):
    """1,400 heads in 2,000 flips, at 0.7: the product is too small for the computer, its logarithm is not."""
    flips = np.repeat([1, 0], [1400, 600])
    expect(
        each(lambda theta: student.log_likelihood(theta, flips), [0.7]),
        equals=[1400 * np.log(0.7) + 600 * np.log(0.3)],
        mistakes={(-np.inf,): "Did you multiply first and take the logarithm afterwards?"},
    )


@exercise("log_likelihood", costs.SIZES)
def two_candidates_have_two_logarithms(student):
    """The example of the docstring: an array of two candidates gets an array of two logarithms."""
    expect(
        student.log_likelihood(np.array([0.25, 0.5]), np.array([1, 0, 0])),
        equals=np.log([0.140625, 0.125]),
        mistakes={np.log(0.140625 * 0.125): "Is something added up over the candidates, too?"},
    )


@exercise("log_likelihood", costs.EDGE)
def a_coin_that_never_shows_heads(student):
    """At theta = 0 a sample of zeros is certain, and a sample with a one is impossible."""
    expect(
        each(lambda theta: student.log_likelihood(theta, np.array([0, 0])), [0.0]),
        equals=[0.0],
        mistakes={
            (
                np.nan,
            ): "What is 0 * log(0) to the computer? What should a factor contribute that is not in the product?",
            (-np.inf,): "What is the probability that a coin without heads shows two tails?",
        },
    )
    expect(
        each(lambda theta: student.log_likelihood(theta, np.array([0, 1])), [0.0]),
        equals=[-np.inf],
        mistakes={(0.0,): "How probable is a head if theta is 0?"},
    )


@exercise("score")
def slopes_for_seven_in_ten(student):
    """Seven heads, three tails: the slope is 8 at 0.5 and 0 at 0.7."""
    expect(
        each(student.score, [0.5, 0.7], [7, 7], [3, 3]),
        equals=[8.0, 0.0],
        of="came back for 0.5 and 0.7",
        atol=1e-5,  # at 0.7, ten minus ten: each of them is right to six digits
        mistakes=[
            ((-8.0, 0.0), "To the left of the maximum the curve climbs. Which sign does its slope have there?"),
            ((20.0, 20.0), "Mind the inner derivative: what is the derivative of log(1 - theta)?"),
            ((14.0, 10.0), "Where do the tails enter?"),
            ((0.8, 0.0), "This is the slope per flip. Is the log-likelihood a sum or a mean?"),
            (
                (2.0, 0.0),
                "This is n1 minus n times theta. Which denominators does the derivative of the logarithm bring?",
            ),
            ((-8.0, -7 / 0.3 + 3 / 0.7), "Which count belongs to theta, and which to 1 - theta?"),
            ((-40.0, -7 / 0.49 - 3 / 0.09), "This is the second derivative. What is the first?"),
        ],
    )


@exercise("score", costs.SIZES)
def two_thetas_at_once(student):
    """The example of the docstring: one head and two tails, the slopes at 0.25 and at 0.5."""
    expect(student.score(np.array([0.25, 0.5]), 1, 2), equals=[4 / 3, -2.0])


@exercise("mle_categorical")
def two_red_one_blue(student):
    """Red (0), red, blue (1): the probabilities 2/3 and 1/3."""
    expect(
        student.mle_categorical(np.array([0, 0, 1]), 2),
        equals=[2 / 3, 1 / 3],
        mistakes=[
            ((1 / 3, 2 / 3), "Which entry belongs to outcome 0?"),
            ((2, 1), "These are counts. What should the probabilities sum to?"),
            ((1.0, 0.5), "These numbers do not sum to 1. What should the counts be divided by?"),
            ((0.6, 0.4), "Did you add something to the counts? What does the sample alone say?"),
            ((0.5, 0.5), "Is every outcome as frequent as the others?"),
            (2 / 3, "This is one probability. How many outcomes are there?"),
        ],
    )


@exercise("mle_categorical")
def tails_and_heads(student):
    """Seven heads in ten flips: 0.3 for tails (0) and 0.7 for heads (1)."""
    expect(
        student.mle_categorical(FLIPS, 2), equals=[0.3, 0.7], mistakes={(0.7, 0.3): "Which entry belongs to outcome 0?"}
    )


@exercise("mle_categorical", costs.EDGE)
def an_outcome_that_was_not_seen(student):
    """The example of the docstring: outcome 2 of 4 does not occur."""
    expect(
        student.mle_categorical(np.array([1, 3, 1, 0]), 4),
        equals=[0.25, 0.5, 0.0, 0.25],
        mistakes=[
            ((0.25, 0.5, 0.25), "How many outcomes are there, and how many probabilities do you return?"),
            ((0.25, 0.375, 0.125, 0.25), "Did you add something to the counts? What does the sample alone say?"),
        ],
    )


@exercise("gaussian_estimates")
def eight_numbers(student):
    """2, 4, 4, 4, 5, 5, 7, 9: mean 5, variance 4 (dividing by 8) and 4.571429 (dividing by 7)."""
    mean, mle, unbiased = np.array([5.0]), np.array([4.0]), np.array([32 / 7])
    expect(
        of_one_column(student.gaussian_estimates(NUMBERS)),
        equals=(mean, mle, unbiased),
        mistakes=[
            (
                (mean, unbiased, mle),
                "Which of the two maximises the likelihood, and in which order are they asked for?",
            ),
            ((mean, unbiased, unbiased), "Are the two variances the same? By what does each divide?"),
            ((mean, mle, mle), "Are the two variances the same? By what does each divide?"),
            ((mean, 8 * mle, 7 * unbiased), "These are sums of squares. What are they divided by?"),
            (
                (mean, mle, np.array([3.5])),
                "Is n - 1 a factor or a divisor? Which of the two variances should be larger?",
            ),
        ],
    )


@exercise("gaussian_estimates")
def two_columns(student):
    """The example of the docstring: two columns, each with its own mean and variances."""
    expect(
        student.gaussian_estimates(np.array([[1.0, 10.0], [3.0, 10.0], [8.0, 40.0]])),
        equals=(np.array([4.0, 20.0]), np.array([26 / 3, 200.0]), np.array([13.0, 300.0])),
    )


@exercise("gaussian_estimates", costs.SIZES)
def one_column(student):
    """A table with one column, 1, 2 and 6: each of the three answers is an array with one entry."""
    expect(
        student.gaussian_estimates(np.array([[1.0], [2.0], [6.0]])),
        equals=(np.array([3.0]), np.array([14 / 3]), np.array([7.0])),
    )


@exercise("gaussian_estimates", costs.STABILITY, stressed=True)
def eight_numbers_around_a_billion(student):
    """The eight numbers with 1,000,000,000 added to each: the mean moves along, and the variances stay."""
    expect(
        of_one_column(student.gaussian_estimates(NUMBERS + 1e9)),
        equals=(np.array([5.0 + 1e9]), np.array([4.0]), np.array([32 / 7])),
    )


@exercise("gaussian_estimates", costs.EDGE)
def a_single_row(student):
    """One observation: its variance by maximum likelihood is 0, and the unbiased one is nan."""
    mean, none, unknown = np.array([3.0, 5.0]), np.zeros(2), np.full(2, np.nan)
    expect(
        student.gaussian_estimates(np.array([[3.0, 5.0]])),
        equals=(mean, none, unknown),
        mistakes=[
            (
                (mean, none, none),
                "The unbiased variance is 0/0 here. Does one observation tell anything about the spread?",
            ),
            ((mean, unknown, unknown), "By what does the first variance divide? Is that 0 for one observation?"),
            ((mean, none, np.full(2, np.inf)), "0 divided by 0: is that infinite?"),
        ],
    )
