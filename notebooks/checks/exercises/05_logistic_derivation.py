"""The visible checks of notebook 5, the derivation of logistic regression."""

import numpy as np

from checks import costs
from checks.checking import Code, Mismatch, describe, exercise, expect
from checks.derivation import Refused, findings, is_result, read, read_all

# The running example: four students, hours of study and whether they passed.
HOURS = np.array([[0.0], [1.0], [2.0], [3.0]])
WITH_ONES = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
PASSED = np.array([0, 1, 0, 1])
W = np.array([-1.0, 1.0])
P = np.array(
    [0.2689414213699951, 0.5, 0.7310585786300049, 0.8807970779778823]
)  # sigma(-1), sigma(0), sigma(1), sigma(2)

# The log-likelihood of the running example at w = (0.5, 0.25), and what labels of -1 and 1 would make of it.
OTHER, PLUS_MINUS = -2.9261387591586026, -4.426138759158602


@exercise("sigmoid", costs.SIZES)
def half_way(student):
    """Log-odds of 0 are even odds: one half."""
    expect(
        student.sigmoid(0.0),
        equals=0.5,
        mistakes={
            0.25: "This is the slope of the curve at 0. What is its height?",
            0.0: "Is this a probability or a number between -1 and 1?",
        },
    )


@exercise("sigmoid")
def one_and_minus_one(student):
    """Log-odds of 1 and of -1 give two probabilities that sum to 1."""
    expect(
        student.sigmoid(np.array([-1.0, 1.0])),
        equals=[P[0], P[2]],
        mistakes={
            (P[2], P[0]): "Which class do positive log-odds favour? Which sign has your exponent?",
            (
                -np.tanh(0.5),
                np.tanh(0.5),
            ): "This curve runs from -1 to 1. Between which numbers does a probability lie?",
            (P[0] * P[2], P[0] * P[2]): "This is the slope of the curve. What is its height?",
        },
    )


@exercise("predict_proba")
def four_students(student):
    """The running example at w = (-1, 1): z is -1, 0, 1 and 2."""
    expect(
        student.predict_proba(HOURS, W),
        equals=P,
        mistakes=[
            (np.array([-1.0, 0.0, 1.0, 2.0]), "These are log-odds. What turns them into probabilities?"),
            (
                1 - P,
                "Do more hours make passing less probable? "
                "Which weight goes with the ones, and which class is asked for?",
            ),
            ((P > 0.5).astype(int), "These are decisions. Which probabilities led to them?"),
            ((P >= 0.5).astype(int), "These are decisions. Which probabilities led to them?"),
            (1 / (1 + np.exp(-HOURS[:, 0])), "Where does w[0] enter?"),
        ],
    )


@exercise("predict_proba")
def two_features(student):
    """Two features at w = (0.5, -1, 1): z is 2.5, 0 and -1."""
    expect(
        student.predict_proba(np.array([[-1.0, 1.0], [1.0, 0.5], [1.5, 0.0]]), np.array([0.5, -1.0, 1.0])),
        equals=[0.9241418199787566, 0.5, P[0]],
        mistakes=[
            ([0.8175744761936437, 0.3775406687981454, P[0]], "Which features does your sum look at?"),
            ([P[3], 0.3775406687981454, 0.18242552380635635], "Where does w[0] enter?"),
        ],
    )


@exercise("log_likelihood")
def nothing_known(student):
    """At w = (0, 0) every probability is one half: -4 log 2."""
    expect(
        student.log_likelihood(np.zeros(2), WITH_ONES, PASSED),
        equals=-4 * np.log(2),
        mistakes={
            -np.log(2): "This is the mean over the four examples. What does the contract ask for?",
            -2 * np.log(2): "Does every example count, also those with y = 0?",
        },
    )


@exercise("log_likelihood")
def at_minus_one_and_one(student):
    """At w = (-1, 1) the running example has the log-likelihood -2.446599."""
    picked = np.where(PASSED == 1, P, 1 - P)
    expect(
        student.log_likelihood(W, WITH_ONES, PASSED),
        equals=np.log(picked).sum(),
        mistakes={
            np.log(picked).mean(): "This is the mean over the four examples. What does the contract ask for?",
            np.log(
                1 - picked
            ).sum(): "Here the probability of the other label is used. What should happen where y = 1?",
            np.log(P[PASSED == 1]).sum(): "Only the examples with y = 1 count here. What do the others say?",
        },
    )


@exercise("log_likelihood")
def at_other_weights(student):
    """At w = (0.5, 0.25) the running example has the log-likelihood -2.926139."""
    expect(
        student.log_likelihood(np.array([0.5, 0.25]), WITH_ONES, PASSED),
        equals=OTHER,
        mistakes={
            OTHER / 4: "This is the mean over the four examples. What does the contract ask for?",
            PLUS_MINUS: "Are your labels 0 and 1, or -1 and 1?",
        },
    )


@exercise("chain_rule_terms")
def three_factors(student):
    """At w = (-1, 1), x = (1, 2) and y = 1: 1.367879, 0.196612 and (1, 2)."""
    p = P[2]
    x = np.array([1.0, 2.0])
    expect(
        student.chain_rule_terms(W, x, 1),
        equals=(1 / p, p * (1 - p), x),
        mistakes=[
            (
                (1 / p, p * (1 - p), W),
                "z is a sum of products w_j x_j. What is left of one of them when you differentiate by w_j?",
            ),
            ((1 / p, p, x), "This is the height of the sigmoid. What is its slope?"),
            (
                (1 / p, p * (1 - p), p * (1 - p) * x),
                "The chain rule multiplies the factors at the end. Is one of yours counted twice?",
            ),
            ((np.log(p), p * (1 - p), x), "This is the log-likelihood itself. What is its derivative by p?"),
            ((-1 / p, p * (1 - p), x), "If p grows, does the logarithm of p grow or shrink?"),
            (
                (1 - p, p * (1 - p), x),
                "This is what remains when the factors have been multiplied. What is the first factor alone?",
            ),
        ],
    )


@exercise("chain_rule_terms")
def a_negative_example(student):
    """At w = (-1, 1), x = (1, 3) and y = 0: p is 0.880797, and more of it makes the label less likely."""
    p = P[3]
    x = np.array([1.0, 3.0])
    expect(
        student.chain_rule_terms(W, x, 0),
        equals=(-1 / (1 - p), p * (1 - p), x),
        mistakes=[
            (
                (1 / (1 - p), p * (1 - p), x),
                "If p grows, does log(1 - p) grow or shrink? Do you differentiate the log-likelihood, or its negative?",
            ),
            ((0.0, p * (1 - p), x), "For a label 0, which of the two logarithms is left?"),
            ((-1 / p, p * (1 - p), x), "For a label 0, over what does the fraction stand?"),
            ((1 / p, p * (1 - p), x), "Does your first factor look at the label?"),
        ],
    )


@exercise("gradient")
def uphill(student):
    """The gradient of the running example at w = (-1, 1)."""
    residual = PASSED - P
    p_of_label = np.where(PASSED == 1, P, 1 - P)
    right = WITH_ONES.T @ residual
    expect(
        student.gradient(W, WITH_ONES, PASSED),
        equals=right,
        mistakes=[
            (-right, "This points downhill. Is it y minus p, or p minus y?"),
            (right / 4, "This is the mean over the examples. The log-likelihood is a sum; what is its gradient?"),
            (
                WITH_ONES.T @ (PASSED - p_of_label),
                "For the students who failed you subtract the probability of failing. Which class is p about?",
            ),
            (WITH_ONES.T @ (residual * P * (1 - P)), "Which factor has already been cancelled by the first one?"),
            (right[1:], "How many weights are there? Which one belongs to the column of ones?"),
            (WITH_ONES.T @ PASSED, "Do your residuals depend on w?"),
            (residual, "These are the residuals, one for each example. How do they become one number for each weight?"),
            (WITH_ONES.T @ (2 * PASSED - 1 - P), "Are your labels 0 and 1, or -1 and 1?"),
        ],
    )


@exercise("numerical_gradient")
def a_quadratic(student):
    """The slopes of w0**2 + 3*w0*w1 at (2, 1) are 2*2 + 3*1 = 7 and 3*2 = 6."""
    expect(
        student.numerical_gradient(Code("lambda w: w[0]**2 + 3*w[0]*w[1]"), np.array([2.0, 1.0])),
        equals=[7.0, 6.0],
        rtol=0,
        atol=1e-8,
        mistakes=[
            (
                [7.00001, 6.0],  # or 6.99999: five digits are enough to be recognised
                "Almost. Do you step to both sides, and is an entry back in its place before the next one moves?",
            ),
            ([14.0, 12.0], "Twice too much. How far apart are the two points?"),
            ([13.0, 13.0], "Do you move one entry at a time?"),
            ([0.00014, 0.00012], "These are differences. Over which distance?"),
        ],
    )


@exercise("numerical_gradient")
def slopes_that_are_not_round(student):
    """The slopes of w0**2/3 + w0*w1/7 at (1, 2) are 2/3 + 2/7 and 1/7."""
    expect(
        student.numerical_gradient(Code("lambda w: w[0]**2/3 + w[0]*w[1]/7"), np.array([1.0, 2.0])),
        equals=[2 / 3 + 2 / 7, 1 / 7],
        rtol=0,
        atol=1e-7,
        mistakes=[([0.9524, 0.1429], "Did you round? How many digits does a check of a formula need?")],
    )


@exercise("signed_distance")
def above_the_line(student):
    """w = (-1, 1, 1): the point (1, 1) lies 0.707107 from the line x1 + x2 = 1, on the side of class 1."""
    expect(
        student.signed_distance(np.array([-1.0, 1.0, 1.0]), np.array([[1.0, 1.0]])),
        equals=[1 / np.sqrt(2)],
        mistakes={
            (1.0,): "This is z, or z over a single weight. How long is the vector (1, 1)?",
            (1 / np.sqrt(3),): "Which weights say how steep z is? Is w[0] one of them?",
            (0.5,): "How long is the vector (1, 1)?",
            (np.sqrt(2),): "Is w[0] used? And what do you divide by?",
        },
    )


@exercise("signed_distance")
def a_steeper_line(student):
    """w = (1, 6, 8): the point (1, 1) lies 1.5 from the line 6 x1 + 8 x2 = -1, for the vector (6, 8) is 10 long."""
    expect(
        student.signed_distance(np.array([1.0, 6.0, 8.0]), np.array([[1.0, 1.0]])),
        equals=[1.5],
        mistakes={
            (15.0,): "This is z. If all weights were tripled, would z change? Would the distance?",
            (2.5,): "You divide by w[1]. Does the other weight not count?",
            (1.875,): "You divide by a single weight. How long is the vector (6, 8)?",
            (15 / 14,): "Along the streets it is 14 from (0, 0) to (6, 8). And straight across?",
            (15 / np.sqrt(101),): "Which weights say how steep z is? Is w[0] one of them?",
            (0.15,): "You divide by a square. How long is the vector (6, 8)?",
            (1.4,): "Where does w[0] enter?",
            (2.4,): "In which unit is w[0], and in which one is the distance?",
        },
    )


@exercise("signed_distance")
def both_sides_of_the_line(student):
    """The same line: the origin lies on the other side, and (1, 0) lies on the line itself."""
    expect(
        student.signed_distance(np.array([-1.0, 1.0, 1.0]), np.array([[0.0, 0.0], [1.0, 0.0]])),
        equals=[-1 / np.sqrt(2), 0.0],
        mistakes=[([1 / np.sqrt(2), 0.0], "A distance with a sign: on which side of the line is the origin?")],
    )


@exercise("derivation")
def line_by_line(student):
    """Every line follows, from the two logarithms differentiated to the result."""
    lines = student.derivation()
    try:
        wrong, lacking = findings(lines)
    except Refused as refused:
        raise Mismatch(str(refused), parts=[("came back", describe(lines))]) from None
    if not wrong and not lacking:
        return
    parts = [(name, f"'{text if len(text) <= 60 else text[:57] + '...'}'  {said}") for name, text, said in wrong[:2]]
    if len(wrong) > 2:
        parts.append(("besides", f"{len(wrong) - 2} more that cannot be read or do not follow"))
    reason = " ".join(lacking[:1] if wrong else lacking)  # a feedback page has room for so much
    question = None if _ends_well(lines) else "What is left of the fractions when everything has cancelled?"
    raise Mismatch(reason, parts=parts, question=question)


def _ends_well(lines):
    """Whether the last line is the result, or cannot be read: then its verdict says what to do."""
    try:
        return is_result(read(read_all(lines)[-1]))
    except Refused:
        return True
