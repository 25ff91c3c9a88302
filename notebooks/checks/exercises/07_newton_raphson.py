"""The visible checks of notebook 7, Newton-Raphson."""

import numpy as np

from checks import costs
from checks.checking import exercise, expect, expect_that

# Four students: hours of preparation behind a column of ones, and who passed.
X4 = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
Y4 = np.array([0, 1, 0, 1])

# Six points on which Newton's method without brakes falls off the hill.
X6 = np.array([[1, -2, -1], [1, 0, -2], [1, 40, -20], [1, -10, 5], [1, 1, -5], [1, -3, -40]], dtype=float)
Y6 = np.array([0, 1, 0, 1, 0, 0])


def settled(result, heights):
    """The result without the height after one step more: a fit may notice the top one step late, and still be there."""
    pair = isinstance(result, tuple | list) and len(result) == 2
    expect_that(
        pair,
        "two things come back, the weights and the history",
        question="What does the last line of your function return?",
    )
    w, history = result
    listed = isinstance(history, list) or (isinstance(history, np.ndarray) and history.ndim == 1)
    return (w, history[:-1]) if listed and len(history) == heights + 1 else (w, history)


@exercise("newton_coin")
def seven_heads_from_one_half(student):
    """Seven heads in ten flips, from 0.5: the step ends at 0.7."""
    expect(
        student.newton_coin(0.5, 7, 3),
        equals=0.7,
        mistakes={
            0.3: "There are more heads than tails, so the slope at 0.5 is positive. Did you go uphill?",
            0.2: "This is the length of the step. Where does it start?",
            8.5: "You went as far as the slope is large. Where does the curvature enter?",
            -7.5: "You went as far as the slope is large, and downhill. Where does the curvature enter?",
        },
    )


@exercise("newton_coin")
def seven_heads_from_one_fifth(student):
    """Seven heads in ten flips, from 0.2: the step ends at 0.373913."""
    expect(
        student.newton_coin(0.2, 7, 3),
        equals=0.2 + 0.8 / 4.6,
        mistakes={
            0.2 - 0.8 / 4.6: "The slope at 0.2 is positive. Did you go uphill?",
            0.8 / 4.6: "This is the length of the step. Where does it start?",
            0.7: "This is the maximum itself. What does the parabola at 0.2 say?",
            0.2 + 31.25 / 170.3125: "Do both parts of the curvature have the same sign?",
            1.0: "Both fractions of the curvature have a square below. Do yours?",
        },
    )


@exercise("hessian")
def four_students(student):
    """The Hessian for the four students at w = (-1, 1)."""
    bend = np.array([[-0.7482174518864703, -0.9582046226934833], [-0.9582046226934833, -1.981390001597486]])
    expect(
        student.hessian(np.array([-1.0, 1.0]), X4),
        equals=bend,
        mistakes=[
            (bend / 4, "This is a mean over the examples. Is the log-likelihood a mean?"),
            ([[-4, -6], [-6, -14]], "Here every example counts the same. Should it?"),
            ([[4, 6], [6, 14]], "Here every example counts the same, and upwards. Should it?"),
            (
                [[-2.380797077977882, -4.604508391193657], [-4.604508391193657, -11.351408016320962]],
                "Here an example counts the more, the higher its p is. Which examples bend the hill?",
            ),
            (
                [[-0.15083615756178925, -0.1728834635135561], [-0.1728834635135561, -0.3163378859547624]],
                "How often does the weight of an example enter? Once, or once on each side?",
            ),
            ([[-1, -1.5], [-1.5, -3.5]], "This is the Hessian at w = 0. Where does w enter?"),
        ],
    )


@exercise("hessian", costs.TYPE)
def two_examples_at_zero(student):
    """The example of the docstring: two examples, w = 0, all in lists."""
    expect(student.hessian([0, 0], [[1, 0], [1, 4]]), equals=[[-0.5, -1.0], [-1.0, -4.0]])


@exercise("newton_step")
def the_first_step(student):
    """The step of the text: from (0, 0) to (-1.2, 0.8)."""
    expect(
        student.newton_step(np.zeros(2), X4, Y4),
        equals=[-1.2, 0.8],
        mistakes={
            (
                1.2,
                -0.8,
            ): "The log-likelihood is lower there than at (0, 0). Which sign stands before the inverse Hessian?",
            (0.0, 1.0): "This is a step along the gradient. Where does the curvature enter?",
            (
                -0.6,
                0.4,
            ): "Half of the step. Do you go all the way, and which weights do the examples have when p is 1/2?",
            (
                -0.3,
                0.2,
            ): "A quarter. Are gradient and Hessian both sums, and which weights do the examples have when p is 1/2?",
            (0.0, 2 / 7): "Each weight was moved as if it were alone. What became of the mixed derivatives?",
            (-4.8, 3.2): "Four times the step. Are gradient and Hessian both sums?",
        },
    )


@exercise("newton_step")
def a_step_from_elsewhere(student):
    """From (-1, 1) to (-1.310558, 0.845093)."""
    step = np.array([-0.31055798171562476, -0.15490655411197496])
    start = np.array([-1.0, 1.0])
    expect(
        student.newton_step(start, X4, Y4),
        equals=start + step,
        rtol=1e-5,
        atol=1e-5,
        mistakes=[
            (step, "This is the step. Where does it lead to?"),
            (start - step, "The log-likelihood is lower there than at the start. Which sign is it?"),
            (
                start + np.array([-0.380797, -0.604508]),
                "This is a step along the gradient. Where does the curvature enter?",
            ),
            (start + np.array([-0.508939, -0.305093]), "What became of the mixed derivatives?"),
            ([-1.2, 0.8], "This is the step from (0, 0). Does your answer depend on w?"),
        ],
    )


@exercise("newton_step")
def a_step_with_a_penalty(student):
    """From (-1, 1) with lam = 2 to (-0.524672, 0.231432)."""
    expect(
        student.newton_step(np.array([-1.0, 1.0]), X4, Y4, lam=2.0),
        equals=[-0.5246722884625243, 0.23143183650549082],
        rtol=1e-5,
        atol=1e-5,
        mistakes={
            (-1.310558, 0.845093): "This is the step without a penalty. Is `lam` used?",
            (-0.107870, 0.131120): "Is the intercept penalised, too?",
            (2.085196, -1.806493): "The penalty changes the slope. Does it change the curvature?",
            (-1.454612, 0.957578): "The penalty changes the curvature. Does it change the slope?",
            (-2.384551, 1.683725): "Does the penalty pull the weights towards 0, or away from it?",
            (-3.685110, 2.699271): "Does the penalty make the hill more curved, or less?",
            (-0.399991, 0.134074): "What is the derivative of lam / 2 times the square of a weight?",
        },
    )


@exercise("newton_fit")
def to_the_top(student):
    """The four students: the best weights after four steps, with the objective at the start and after each step."""
    weights = [-1.36227639381, 0.90818426254]
    objective = [-2.772588722, -2.352595439, -2.347494016, -2.347486535, -2.347486535]
    expect(
        settled(student.newton_fit(X4, Y4), len(objective)),
        equals=(weights, objective),
        rtol=1e-5,
        atol=1e-5,
        mistakes=[
            (([-1.2, 0.8], objective[:2]), "This is one step. When may you stop?"),
        ],
    )


@exercise("newton_fit", costs.STABILITY)
def with_brakes(student):
    """Six points on which the fifth undamped step leads down: never down, and to the top."""
    expect(
        student.newton_fit(X6, Y6)[0],
        equals=[3.0091752, 0.6396523, 1.6153380],
        of="the weights",
        rtol=1e-5,
        mistakes={
            (0.303493777, -0.0237976828, 0.3381075468): "You stopped where the full step leads down. And half of it?"
        },
    )
    history = np.asarray(student.newton_fit(X6, Y6)[1], dtype=float)
    expect_that((np.diff(history) > -1e-8).all(), "the objective never decreases", question="When is a step halved?")


@exercise("newton_fit")
def on_a_rein(student):
    """The four students with lam = 1: smaller weights, and the objective with its penalty."""
    weights = [-0.6793128958, 0.4528752639]
    objective = [-2.772588722, -2.548342549, -2.548266872, -2.548266872]
    expect(
        settled(student.newton_fit(X4, Y4, lam=1.0), len(objective)),
        equals=(weights, objective),
        rtol=1e-5,
        atol=1e-5,
        mistakes=[
            (
                (
                    [-1.36227639381, 0.90818426254],
                    [-2.772588722, -2.352595439, -2.347494016, -2.347486535, -2.347486535],
                ),
                "This is the fit without a penalty. Is `lam` used?",
            ),
            (
                (weights, [-2.772588722, -2.449577117, -2.445722610, -2.445718869]),
                "Which function do you climb here? Is the penalty part of what you note?",
            ),
            (
                ([-0.2221191467, 0.3009515637], [-2.772588722, -2.623331325, -2.623284846, -2.623284846]),
                "Which weight is never penalised?",
            ),
        ],
    )


@exercise("quadratic_features")
def one_row(student):
    """(2, 3) becomes 2, 3, 4, 9, 6."""
    expect(
        student.quadratic_features(np.array([[2.0, 3.0]])),
        equals=[[2, 3, 4, 9, 6]],
        mistakes=[
            ([[1, 2, 3, 4, 9, 6]], "Who adds the column of ones?"),
            ([[2, 3, 4, 6, 9]], "In which order does the contract want the last three columns?"),
            ([[4, 9, 6]], "Are the features themselves among the columns?"),
            ([[2, 3, 4, 9, 12]], "How often does the product occur?"),
            ([[2, 3, 4, 9]], "Which columns does the contract want by default?"),
            ([[2, 3, 4, 9, 6, 6]], "How often does the product occur?"),
            ([[2, 3, 4, 6, 6, 9]], "How often does the product occur, and in which order are the columns?"),
        ],
    )


@exercise("quadratic_features")
def without_the_product(student):
    """With interaction=False the product is left out."""
    expect(
        student.quadratic_features(np.array([[2.0, 3.0], [-1.0, 5.0], [0.0, 4.0]]), interaction=False),
        equals=[[2, 3, 4, 9], [-1, 5, 1, 25], [0, 4, 0, 16]],
        mistakes=[([[2, 3, 4, 9, 6], [-1, 5, 1, 25, -5], [0, 4, 0, 16, 0]], "What does `interaction` do?")],
    )


@exercise("irls_step")
def the_same_as_newton(student):
    """From (-1, 1) to (-1.310558, 0.845093), as Newton's step."""
    expect(
        student.irls_step(np.array([-1.0, 1.0]), X4, Y4),
        equals=[-1.3105579817156248, 0.845093445888025],
        rtol=1e-5,
        atol=1e-5,
        mistakes={
            (-1.756411, 1.179136): "Here every example counts the same. Where do the weights enter?",
            (
                -0.837169,
                0.516107,
            ): "A row is multiplied by a number, and the error is squared. Which number gives the weight?",
            (-0.310558, -0.154907): "This is the step. Is the old score part of the target?",
            (-0.689442, 1.154907): "An example with label 1 has a target above its score. Do yours?",
            (-0.995377, 0.934716): "In which unit is y - p, and in which one is a score?",
            (-0.985177, 0.982068): "An exchange rate: does one multiply by it here, or divide?",
            (-3.619948, 2.576892): "Rows and targets belong together. Were both multiplied?",
            (0.287078, 0.146312): "Is the label itself the target?",
        },
    )


@exercise("irls_step")
def from_zero(student):
    """From (0, 0) to (-1.2, 0.8)."""
    expect(student.irls_step(np.zeros(2), X4, Y4), equals=[-1.2, 0.8], rtol=1e-5, atol=1e-5)
