"""The visible checks of notebook 6, gradient ascent."""

import numpy as np

from checks import costs
from checks.checking import exercise, expect, expect_that

# The four points of the text: x = 0, 1, 2, 3 with a one in front, and two ways to label them.
X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
Y = np.array([0, 1, 0, 1])

CLOSE = {"rtol": 1e-5, "atol": 1e-6}  # single precision will do

# Six real penguins: bill depth in millimetres and body mass in grams.
FOUR_BIRDS = np.array([[18.7, 3750], [17.4, 3800], [18.0, 3250], [14.3, 5700]])
TWO_BIRDS = np.array([[16.3, 5000], [19.5, 3600]])
FOUR_ON_SCALE = np.array(
    [
        [0.951942587694, -0.401322081411],
        [0.178489235193, -0.347812470556],
        [0.535467705578, -0.936418189959],
        [-1.665899528464, 1.685552741925],
    ]
)
TWO_ON_SCALE = np.array([[-0.475971293847, 0.936418189959], [1.427913881541, -0.561850913975]])

LARGEST_EIGENVALUE = 9 + np.sqrt(61)  # of X'X = [[4, 6], [6, 14]]


@exercise("batch_step")
def the_first_step(student):
    """The first step of the text, by hand: from (0, 0) to (0, 0.1)."""
    expect(
        student.batch_step(np.array([0.0, 0.0]), X, Y, 0.1),
        equals=[0.0, 0.1],
        mistakes={
            (0.0, -0.1): "Compute the log-likelihood before and after this step. Which one is higher?",
            (0.0, 0.025): (
                "Is this the sum over the four examples, or their mean? "
                "And is each term an error times an input, and no more?"
            ),
            (0.0, 1.0): "How long is this step? Where does the learning rate enter?",
            (0.2, 0.8): "Which probability does the model give to each example when w is 0?",
            (0.05, 0.3): "Does one example alone decide here?",
        },
        **CLOSE,
    )


@exercise("batch_step")
def a_step_from_elsewhere(student):
    """A step from (0.5, -0.5), where the model is not undecided about everything."""
    expect(
        student.batch_step(np.array([0.5, -0.5]), X, Y, 0.1),
        equals=[0.523105857863, -0.306190560171],
        mistakes={
            (
                0.523105857863,
                -0.309227326436,
            ): "Which w did the second slope see: the one before the step, or one that has moved already?",
            (
                0.476894142137,
                -0.693809439829,
            ): "Compute the log-likelihood before and after this step. Which one is higher?",
            (0.505776464466, -0.451547640043): "Is this the sum over the four examples, or their mean?",
            (0.023105857863, 0.193809439829): "This is the step. Where did you stand before it?",
            (0.5, -0.306190560171): "The intercept is a weight like any other. Does it move?",
            (0.731058578630, 1.438094398289): "How long is this step? Where does the learning rate enter?",
        },
        **CLOSE,
    )


def _w_and_history(answer):
    """The two parts of an answer of gradient_ascent, after making sure that there are two."""
    expect_that(
        isinstance(answer, (tuple, list)) and len(answer) == 2,
        "two things come back, the weights and the history",
        question="Does your function end in `return w, history`?",
    )
    return answer


@exercise("gradient_ascent")
def three_steps(student):
    """Three steps from 0 with eta = 0.1, and the four heights of the diary."""
    w, history = _w_and_history(student.gradient_ascent(X, Y, 0.1, 3))
    heights = np.array([-2.77258872224, -2.690037954484, -2.651231999711, -2.627652760619])
    expect(
        w,
        equals=[-0.037915415696, 0.21043554974],
        of="w",
        mistakes={
            (-0.0506367, -0.4165083): "Does the diary rise or fall?",
            (-0.0027048, 0.0686702): "Is your step the sum over the four examples, or their mean?",
            (0.0, 0.2082823): "The intercept is a weight like any other. Does it move?",
            (-0.0382342, 0.2152751): "Do some weights move before the others have been asked for their slope?",
            (0.0, 0.3): "Is the gradient computed anew at every place, or only at the start?",
            (0.0, 0.1): "How many steps were asked for, and how many did you take?",
            (0.0, 0.0): "Does w move at all?",
        },
        **CLOSE,
    )
    expect(
        history,
        equals=heights,
        of="the history",
        mistakes=[
            (heights[:-1], "Is the height after the last step in your diary?"),
            (heights[1:], "Is the height of the start in your diary?"),
            (heights / 4, "Is this the log-likelihood, or its mean over the examples?"),
            (heights[-1], "This is the end of the walk. Where is the rest of the diary?"),
            (np.r_[heights[0], heights[:-1]], "Do you write the diary before the step or after it?"),
        ],
        **CLOSE,
    )


@exercise("gradient_ascent")
def from_another_start(student):
    """Two steps from w0 = (0.5, -0.5) with eta = 0.1: the diary begins with the height of this start."""
    w, history = _w_and_history(student.gradient_ascent(X, Y, 0.1, 2, np.array([0.5, -0.5])))
    expect(
        w,
        equals=[0.516906945165, -0.177852141339],
        of="w",
        mistakes={
            (-0.0149255701603, 0.165202526746): "Where does this walk begin? What became of `w0`?",
            (
                0.517352389151,
                -0.179010869098,
            ): "Do some weights move before the others have been asked for their slope?",
        },
        **CLOSE,
    )
    expect(
        history,
        equals=[-3.45456283644, -3.13889026581, -3.00105551035],
        of="the history",
        mistakes=[
            (
                [-2.77258872224, -2.69003795448, -2.65123199971],
                "At which place is the first height of your diary taken?",
            )
        ],
        **CLOSE,
    )


@exercise("gradient_ascent")
def fifty_steps(student):
    """Fifty steps with eta = 0.1: w = (-0.940061, 0.700864), and a diary of 51 entries."""
    w, history = _w_and_history(student.gradient_ascent(X, Y, 0.1, 50))
    expect(w, equals=[-0.940061081078, 0.700864483478], of="w", **CLOSE)
    expect(np.shape(history), equals=(51,), of="the shape of the history")
    expect(
        np.asarray(history)[[0, -1]],
        equals=[-2.77258872224, -2.372089521822],
        of="the first and the last entry",
        **CLOSE,
    )


@exercise("sgd_epoch")
def one_epoch(student):
    """One epoch over the four points in their order, with eta = 0.1."""
    expect(
        student.sgd_epoch(np.array([0.0, 0.0]), X, Y, 0.1, np.array([0, 1, 2, 3])),
        equals=[0.00396677414, 0.111992249542],
        mistakes={
            (0.0, 0.1): "Which w does the second example meet: the start, or what the first example left?",
            (-0.065142849, 0.243973194): "How many examples have a say in one of your steps?",
            (-0.010280403943, 0.08207614491): "These are the right steps in another order. Which example comes first?",
            (0.0035357, -0.089488): "Does w move towards a positive example, or away from it?",
            (-0.05, 0.0): "Where are the other three examples?",
            (0.0039668, 0.0): "Which weights does an example move, and by what is the error multiplied?",
        },
        **CLOSE,
    )


@exercise("sgd_epoch")
def backwards(student):
    """The same four points backwards end somewhere else."""
    expect(
        student.sgd_epoch(np.array([0.0, 0.0]), X, Y, 0.1, np.array([3, 2, 1, 0])),
        equals=[-0.010280403943, 0.08207614491],
        mistakes={
            (
                0.00396677414,
                0.111992249542,
            ): "The same as from top to bottom. Does it matter to your answer which row of `order` comes first?",
            (0.0, 0.1): (
                "Which w does the second example meet: the start, or what the first one left? "
                "And is its label compared with its probability?"
            ),
        },
        **CLOSE,
    )


@exercise("sgd_epoch", costs.SIZES)
def a_row_left_out_and_a_row_twice(student):
    """The rows 2, 0 and 2 again, from (0.5, -0.5); rows 1 and 3 have no say."""
    expect(
        student.sgd_epoch(np.array([0.5, -0.5]), X, Y, 0.1, np.array([2, 0, 2])),
        equals=[0.368811843214, -0.639666945877],
        **CLOSE,
    )


@exercise("standardize")
def six_penguins(student):
    """Four penguins to learn the scale from, and two others that are brought to it."""
    own = np.array([[-1.0, 1.0], [1.0, -1.0]])
    expect(
        student.standardize(FOUR_BIRDS, TWO_BIRDS),
        equals=(FOUR_ON_SCALE, TWO_ON_SCALE),
        mistakes=[
            ((FOUR_ON_SCALE, own), "Whose mean and whose scale did the two other birds get?"),
            (
                (FOUR_ON_SCALE * np.sqrt(3 / 4), TWO_ON_SCALE * np.sqrt(3 / 4)),
                "Divide by n or by n - 1: which one does the contract ask for?",
            ),
            ((TWO_ON_SCALE, FOUR_ON_SCALE), "Which table comes first?"),
            (
                (
                    [
                        [0.7858258, -0.4996306],
                        [0.0196456, -0.4419809],
                        [0.3732673, -1.0761274],
                        [-1.8073993, 1.7487071],
                    ],
                    [[-0.6286606, 0.9416115], [1.2573213, -0.6725796]],
                ),
                "If one of the two other birds were twice as heavy, would the four training birds notice?",
            ),
            (
                ([[1.6, -375], [0.3, -325], [0.9, -875], [-2.8, 1575]], [[-0.8, 875], [2.4, -525]]),
                "Every column has the mean 0 now. How large is its spread?",
            ),
        ],
        **CLOSE,
    )


@exercise("standardize", costs.EDGE)
def a_constant_column(student):
    """A column that never changes becomes 0 in both tables."""
    expect(
        student.standardize(np.array([[1.0, 7.0], [3.0, 7.0]]), np.array([[4.0, 7.0]])),
        equals=(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([[2.0, 0.0]])),
        mistakes=[
            (
                ([[-1, np.nan], [1, np.nan]], [[2, np.nan]]),
                "What is divided by what in the second column?",
            ),
        ],
        **CLOSE,
    )


@exercise("stable_step_size")
def four_points(student):
    """For the four points 1/L is 0.237950."""
    largest = LARGEST_EIGENVALUE
    expect(
        student.stable_step_size(X),
        equals=0.23795006481866912,
        mistakes={
            8 / largest: "Is this the step with the largest sure gain, or the end of all guarantees?",
            1 / largest: "How much does one example bend the hill at most?",
            largest: "This is an eigenvalue. Which step goes with it?",
            4
            / (
                18 - largest
            ): "Is this the direction in which the hill is bent most, or the one in which it is bent least?",
            4 / 18: "A sum of all eigenvalues is a bound, too. Is it the one that is asked for?",
            4 / np.sqrt(largest): "Is this the largest eigenvalue of X'X, or its square root?",
        },
        **CLOSE,
    )


@exercise("stable_step_size")
def two_features(student):
    """Two features: the largest eigenvalue is 22, the others are 1.16 and 13.84, so 1/L is 2/11."""
    examples = np.array([[1.0, 3.0, 2.0], [1.0, -1.0, 2.0], [1.0, 1.0, 1.0], [1.0, 3.0, -2.0]])
    expect(
        student.stable_step_size(examples),
        equals=2 / 11,
        mistakes=[
            (8 / (15 + np.sqrt(161)), "Which of the three eigenvalues is this? In which order do they come?"),
            (8 / (15 - np.sqrt(161)), "Which of the three eigenvalues is this? In which order do they come?"),
        ],
        **CLOSE,
    )


@exercise("stable_step_size")
def with_a_penalty(student):
    """With lam = 1 the hill is bent a little more, and the step is 0.192213."""
    largest = LARGEST_EIGENVALUE
    expect(
        student.stable_step_size(X, lam=1.0),
        equals=0.1922129749664202,
        mistakes={
            0.23795006481866912: "Where does `lam` enter?",
            4 / (largest + 1): "Is lam divided by four, too?",
            4 / largest + 1: "Should a hill that is bent more allow larger steps or smaller ones?",
        },
        **CLOSE,
    )


@exercise("penalized_gradient")
def without_a_penalty(student):
    """With lam = 0 both are as in notebook 5: at (-1, 1) the gradient is (-0.380797, -0.604508)."""
    slopes = np.array([-0.380797077978, -0.604508391194])
    expect(
        student.penalized_gradient(np.array([-1.0, 1.0]), X, Y, 0.0),
        equals=slopes,
        mistakes=[
            (slopes / 4, "Is this the sum over the four examples, or their mean?"),
            ([0.0, slopes[1]], "The intercept has no penalty. Has it no slope either?"),
        ],
        **CLOSE,
    )
    expect(
        student.penalized_log_likelihood(np.array([-1.0, 1.0]), X, Y, 0.0),
        equals=-2.4465985666393637,
        mistakes={
            -2.4465985666393637 / 4: "Is this the sum over the four examples, or their mean?",
        },
        **CLOSE,
    )


@exercise("penalized_gradient")
def a_weight_of_minus_one_half(student):
    """At (0, -0.5) with lam = 3 the slope along w1 rises by 1.5, and the height falls by 0.375."""
    expect(
        student.penalized_gradient(np.array([0.0, -0.5]), X, Y, 3.0),
        equals=[0.671092386026, 4.03729991704],
        mistakes={
            (0.671092386026, 5.53729991704): "What is the derivative of half a square, and how large is it at -0.5?",
            (0.671092386026, 1.03729991704): "Does this penalty pull w towards 0 or away from it?",
            (0.671092386026, 2.53729991704): "Where does `lam` enter, and for which of the two weights?",
        },
        **CLOSE,
    )
    expect(
        student.penalized_log_likelihood(np.array([0.0, -0.5]), X, Y, 3.0),
        equals=-4.05689913024,
        mistakes={
            -4.43189913024: "Is the half there, and is it the square of the weight or its size?",
            -3.68189913024: "Where does `lam` enter?",
        },
        **CLOSE,
    )


@exercise("penalized_gradient", stressed=True)
def with_a_rein(student):
    """With lam = 2 the slope along w1 falls by 2, and the height by 1; the intercept is left alone."""
    expect(
        student.penalized_gradient(np.array([-1.0, 1.0]), X, Y, 2.0),
        equals=[-0.380797077978, -2.604508391194],
        mistakes={
            (1.619202922022, -2.604508391194): "What does the penalty do to the intercept here?",
            (-0.380797077978, 1.395491608806): "Does this penalty pull w towards 0 or away from it?",
            (-0.380797077978, -4.604508391194): "What is the derivative of half a square?",
            (-0.380797077978, -1.604508391194): "What is the derivative of half a square?",
            (-0.380797077978, -0.604508391194): "Where does `lam` enter?",
            (-2.380797077978, -2.604508391194): "What does the penalty do to the intercept here?",
        },
        **CLOSE,
    )
    expect(
        student.penalized_log_likelihood(np.array([-1.0, 1.0]), X, Y, 2.0),
        equals=-3.4465985666393637,
        mistakes={
            -4.4465985666393637: "Which weights are squared, and is the half there?",
            -1.4465985666393637: "Is the penalty a price or a present?",
            -2.4465985666393637: "Where does `lam` enter?",
        },
        **CLOSE,
    )
