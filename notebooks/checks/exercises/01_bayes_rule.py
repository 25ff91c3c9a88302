"""The visible checks of notebook 1, Bayes' rule."""

import numpy as np

from checks import costs
from checks.checking import exercise, expect

# The Adult data: 48,842 people by gender (Female, Male), weekly hours (< 40.5, > 40.5) and wealth (poor, rich).
ADULT = np.array([[[12363, 1201], [2060, 568]], [[16182, 4744], [6550, 5174]]], dtype=float)
GENDER, HOURS, WEALTH = np.indices(ADULT.shape)
MALE, LONG, POOR = GENDER == 1, HOURS == 1, WEALTH == 0

HEALTHY_FLU = np.array([0.95, 0.05])  # prior
COUGH = np.array([0.2, 0.8])  # p(cough | healthy), p(cough | flu)


@exercise("bayes_binary")
def one_cough(student):
    """The flu numbers of the text: a cough leads to 4/23."""
    expect(
        student.bayes_binary(0.05, 0.8, 0.2),
        equals=4 / 23,
        mistakes={
            0.8: "Is this P(B | A) or P(A | B)? Would your answer change if the flu were ten times rarer?",
            0.04: "This equals P(A and B). Among whom do we count: everybody, or everybody who coughs?",
            0.05: "By this answer a cough changes nothing. Of what is 0.8 the probability, and of what is 0.2?",
            0.23: "This is P(B), all the coughing. Which part of it belongs to A?",
            0.2: "This equals P(B | not A). Which event is given, and which one is asked for?",
            1 / 77: "This is the answer for somebody who does not cough. Which likelihood goes with A?",
        },
    )


@exercise("bayes_binary")
def likelihoods_that_do_not_sum_to_one(student):
    """The example of the docstring, in which the two likelihoods do not sum to 1."""
    expect(
        student.bayes_binary(0.5, 0.9, 0.3),
        equals=0.75,
        mistakes={
            0.9: "Where does this answer look at the third argument, P(B | not A)?",
            0.45: "This equals P(A and B). Among whom do we count: everybody, or everybody with B?",
        },
    )


@exercise("bayes_binary", costs.SIZES)
def several_priors_at_once(student):
    """An array of priors gives an array of answers."""
    expect(student.bayes_binary(np.array([0.05, 0.1]), 0.8, 0.2), equals=[4 / 23, 4 / 13])


@exercise("posterior")
def healthy_or_flu(student):
    """The flu again, as a vector: (healthy, flu)."""
    expect(
        student.posterior(HEALTHY_FLU, COUGH),
        equals=[19 / 23, 4 / 23],
        mistakes={
            (0.2, 0.8): "Which of your two arguments does this answer never look at?",
            (0.95, 0.05): "This is the prior. Where does the cough enter?",
            (0.19, 0.04): "These two numbers do not sum to 1. What do they sum to, and what is that number called?",
        },
    )


@exercise("posterior")
def three_hypotheses(student):
    """Flu, a cold, or neither: a cough leads to 4/23, 9/23 and 10/23."""
    prior, cough = np.array([0.05, 0.15, 0.8]), np.array([0.8, 0.6, 0.125])
    expect(
        student.posterior(prior, cough),
        equals=[4 / 23, 9 / 23, 10 / 23],
        mistakes=[
            (cough, "Which of your two arguments does this answer never look at?"),
            (cough / cough.sum(), "Which of your two arguments does this answer never look at?"),
            (prior * cough, "These numbers do not sum to 1. What do they sum to, and what is that number called?"),
            (prior * cough / cough.sum(), "The evidence is a weighted sum of the likelihoods. What are the weights?"),
        ],
    )


@exercise("sequential_posterior")
def three_coughs(student):
    """Three coughs, one after the other: flu has the probabilities 1/20, 4/23, 16/35 and 64/83."""
    flu = np.array([1 / 20, 4 / 23, 16 / 35, 64 / 83])
    rows = np.column_stack([1 - flu, flu])
    forgetful = np.vstack([HEALTHY_FLU, [[19 / 23, 4 / 23]] * 3])
    products = np.cumprod(np.vstack([HEALTHY_FLU, [COUGH] * 3]), axis=0)
    expect(
        student.sequential_posterior(HEALTHY_FLU, np.array([COUGH] * 3)),
        equals=rows,
        mistakes=[
            (forgetful, "After three coughs you believe what you believed after one. What does the second one add?"),
            (rows[1:], "How many states of belief are there before, between and after three coughs?"),
            (products, "Does every row sum to 1?"),
        ],
    )


@exercise("sequential_posterior")
def a_cough_and_then_none(student):
    """A cough, then no cough: back to where we started."""
    expect(
        student.sequential_posterior(HEALTHY_FLU, np.array([COUGH, [0.8, 0.2]])),
        equals=[[19 / 20, 1 / 20], [19 / 23, 4 / 23], [19 / 20, 1 / 20]],
    )


@exercise("sequential_posterior")
def three_hypotheses_and_two_signs(student):
    """Flu, a cold, or neither: a cough, then a fever, which only the flu makes likely."""
    prior, signs = np.array([0.05, 0.15, 0.8]), np.array([[0.8, 0.6, 0.125], [0.9, 0.2, 0.1]])
    expect(
        student.sequential_posterior(prior, signs),
        equals=[[0.05, 0.15, 0.8], [4 / 23, 9 / 23, 10 / 23], [36 / 64, 18 / 64, 10 / 64]],
    )


@exercise("prob")
def male_given_poor(student):
    """P(Male | poor) in the Adult data, from the counts."""
    expect(
        student.prob(ADULT, MALE, given=POOR),
        equals=22732 / 37155,
        mistakes={
            22732 / 48842: "This is P(Male and poor). Among whom should the poor men be counted?",
            22732 / 32650: "This is P(poor | Male). Which of the two is given?",
            32650 / 48842: "This is P(Male). Where does `given` enter?",
            22732: "This is a number of people. Out of how many?",
        },
    )


@exercise("prob")
def male(student):
    """P(Male), from the table of probabilities: nothing is given."""
    expect(
        student.prob(ADULT / ADULT.sum(), MALE),
        equals=32650 / 48842,
        mistakes={
            0.5: "Is every cell of the table equally probable?",
        },
    )


@exercise("conditional", costs.SIZES)
def wealth_given_gender_and_hours(student):
    """P(wealth | gender, hours) in the Adult data: axis 2 is what we ask about."""
    table = ADULT / np.array([[[13564], [2628]], [[20926], [11724]]])
    expect(
        student.conditional(ADULT, axis=2),
        equals=table,
        mistakes=[
            (ADULT / 48842, "This is the joint table. What does each pair of numbers, poor and rich, sum to?"),
            (
                ADULT / np.array([37155, 11687]),
                "Here all the poor sum to 1, and all the rich. Which variable is given, and which one is asked about?",
            ),
            (ADULT, "These are counts. What should each pair sum to?"),
            (
                ADULT.sum(axis=2),
                "These are the sizes of the slices. What becomes of a slice that is divided by its size?",
            ),
            (table[..., 1], "The contract asks for the whole table, in the shape of `joint`. Where is the other half?"),
        ],
    )


@exercise("conditional")
def the_first_axis(student):
    """The example of the docstring: axis 0, so every column sums to 1."""
    expect(
        student.conditional(np.array([[0.1, 0.3], [0.3, 0.3]]), axis=0),
        equals=[[0.25, 0.5], [0.75, 0.5]],
        mistakes=[([[0.25, 0.75], [0.5, 0.5]], "Rows sum to 1 here. Along which axis should the sums be 1?")],
    )


@exercise("conditional")
def the_second_axis(student):
    """A table of two rows and three columns along axis 1, so every row sums to 1."""
    table = np.array([[0.05, 0.1, 0.05], [0.2, 0.5, 0.1]])
    expect(
        student.conditional(table, axis=1),
        equals=[[0.25, 0.5, 0.25], [0.25, 0.625, 0.125]],
        mistakes=[(table / table.sum(axis=0), "Columns sum to 1 here. Along which axis should the sums be 1?")],
    )


@exercise("bayes_classifier")
def the_best_guess_at_wealth(student):
    """Wealth from gender and hours in the Adult data: always "poor", with error P(rich)."""
    poor = np.zeros(4, dtype=int)
    expect(
        student.bayes_classifier(ADULT.reshape(4, 2)),
        equals=(poor, 11687 / 48842),
        mistakes=[
            ((poor, 11687), "This is a number of people. Out of how many?"),
            (
                (poor, ADULT[..., 1].ravel() / 48842),
                "One error for each group here. What is the error of the whole rule?",
            ),
            (
                (poor, np.mean(ADULT[..., 1] / ADULT.sum(axis=2))),
                "Here all four groups count the same. Are they equally large?",
            ),
        ],
    )


@exercise("bayes_classifier")
def a_table_with_both_answers(student):
    """The example of the docstring: class 0 for the first x, class 1 for the second."""
    expect(
        student.bayes_classifier(np.array([[0.3, 0.1], [0.2, 0.4]])),
        equals=(np.array([0, 1]), 0.3),
        mistakes=[
            ((np.array([0, 0]), 0.5), "Does your decision depend on x?"),
            ((np.array([0, 1]), 7 / 24), "Here both rows count the same. Are they equally probable?"),
        ],
    )
