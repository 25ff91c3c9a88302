"""The visible checks of notebook 8, softmax."""

import numpy as np

import checks
from checks import costs
from checks.checking import exercise, expect, expect_raises, expect_that

HORSE = np.array([1, np.e, np.e**2]) / (1 + np.e + np.e**2)  # what the scores 1, 2, 3 mean
SURE = np.array([1, np.e**2, 1]) / (2 + np.e**2)  # what the scores 0, 2, 0 mean

# Two examples and three classes. The scores are logarithms of small numbers, so the probabilities are fractions:
# 1/8, 2/8, 5/8 for the first example and 3/10, 2/10, 5/10 for the second.
W = np.log([[1, 2, 5], [3, 1, 1]])
X = np.array([[1.0, 0.0], [1.0, 1.0]])
LABELS = np.array([2, 0])

# Three examples with one feature, and the example of the text: one point for each class.
THREE = np.array([[1.0, 0.0], [1.0, 2.0], [1.0, 1.0]])
THREE_POINTS = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])

SLOPES = {"rtol": 1e-5, "atol": 1e-6}  # differences of numbers near 1: right in single precision, too


def penguins():
    """Two standardised measurements of the bill with a column of ones in front, (342, 3), and the species, (342,)."""
    table = np.genfromtxt(checks.data("penguins.csv"), delimiter=",", names=True, dtype=None, encoding="utf-8")
    table = table[~np.isnan(table["bill_length_mm"])]
    bills = np.column_stack([table["bill_length_mm"], table["bill_depth_mm"]])
    bills = (bills - bills.mean(axis=0)) / bills.std(axis=0)
    return np.column_stack([np.ones(len(bills)), bills]), np.unique(table["species"], return_inverse=True)[1]


def two(result, names):
    """The two parts of a result, or a mismatch that says what they should be."""
    pair = isinstance(result, (tuple, list)) and len(result) == 2
    expect_that(pair, f"two things come back, {names}", question="What does the last line of your function return?")
    return result


# --- softmax ----------------------------------------------------------------------------------------------------------


@exercise("softmax")
def two_rows_of_scores(student):
    """The scores 1, 2, 3 of the text and the scores 0, 2, 0 in one table: each row by itself."""
    powers = np.exp(np.array([[1.0, 2.0, 3.0], [0.0, 2.0, 0.0]]))
    table = np.array([HORSE, SURE])
    columns = np.array([np.e + 1, 2 * np.e**2, np.e**3 + 1])
    expect(
        student.softmax(np.array([[1.0, 2.0, 3.0], [0.0, 2.0, 0.0]])),
        equals=table,
        mistakes=[
            (powers / (1 + powers), "Do the classes know of each other in your formula? What do the rows sum to?"),
            (powers, "What do the numbers of a row sum to? What should they?"),
            ([[1 / 6, 2 / 6, 3 / 6], [0, 1, 0]], "These are shares of the scores themselves. What if a score is 0?"),
            (
                [np.exp([-2.0, -1.0, 0.0]), np.exp([-2.0, 0.0, -2.0])],
                "The largest number of a row is 1 here. What do all of them sum to?",
            ),
            ([[0, 0, 1], [0, 1, 0]], "The winner takes all here. How sure should it be with 3 against 2?"),
            (
                powers / float(columns @ [1, 1, 1]),
                "Both rows share one sum here. Which numbers should sum to 1?",
            ),
            (powers / columns, "Here the columns sum to 1. Along which axis do the classes lie?"),
        ],
    )


@exercise("softmax", costs.SIZES)
def cat_dog_and_horse(student):
    """The scores 1, 2 and 3 of the text as a single row: probabilities 0.090031, 0.244728 and 0.665241."""
    expect(
        student.softmax(np.array([1.0, 2.0, 3.0])),
        equals=HORSE,
    )


@exercise("softmax", costs.STABILITY)
def two_programs(student):
    """Both programs of the text in one table: the same probabilities in both rows."""
    expect(
        student.softmax(np.array([[1.0, 2.0, 3.0], [1000.0, 1001.0, 1002.0]])),
        equals=[HORSE, HORSE],
        rtol=1e-7,
        mistakes=[
            (
                [HORSE, [np.nan] * 3],
                "How large is e to the power 1000? What may you subtract from a row without changing it?",
            ),
            ([[0, 0, 0], HORSE], "Here both rows share one sum. Of which numbers should the sum be 1?"),
            ([[np.nan] * 3, HORSE], "The largest score of which row did you subtract from the first one?"),
            ([[0, 0, 0], [1, 1, 1]], "Here the columns sum to 1. Along which axis do the classes lie?"),
        ],
    )


# --- one_hot ----------------------------------------------------------------------------------------------------------


@exercise("one_hot")
def three_labels(student):
    """The labels 2, 0, 1 with three classes."""
    table = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    expect(
        student.one_hot(np.array([2, 0, 1]), 3),
        equals=table,
        mistakes=[
            (
                [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
                "Which is the first class, 0 or 1? And does each row belong to an example?",
            ),
            (np.eye(3), "This does not depend on the labels. Which row should have its 1 in the last column?"),
        ],
    )


@exercise("one_hot", costs.EDGE)
def a_class_without_examples(student):
    """The labels 1, 0, 1 with four classes: two columns of zeros remain."""
    expect(
        student.one_hot(np.array([1, 0, 1]), 4),
        equals=[[0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]],
        mistakes=[
            ([[0, 1], [1, 0], [0, 1]], "Two columns here. How many classes are there, also if nobody belongs to them?"),
            (
                [[0, 1, 0], [1, 0, 1], [0, 0, 0], [0, 0, 0]],
                "A row for each class here. Should rows be examples or classes?",
            ),
            ([[1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]], "Which number does the first class have, 0 or 1?"),
        ],
    )


@exercise("one_hot", costs.REFUSAL)
def a_label_that_is_no_class(student):
    """The label 3 with three classes is an error."""
    expect_raises(
        ValueError,
        student.one_hot,
        np.array([0, 3]),
        3,
        question="Which labels are there when there are three classes?",
    )


# --- log_likelihood ---------------------------------------------------------------------------------------------------


@exercise("log_likelihood")
def six_examples_and_no_weights(student):
    """Six examples, three classes, W = 0: every label has probability 1/3."""
    X6 = np.column_stack([np.ones(6), np.arange(6.0)])
    expect(
        student.log_likelihood(np.zeros((2, 3)), X6, np.array([0, 1, 2, 0, 0, 1])),
        equals=-6 * np.log(3),
        mistakes={
            -12 * np.log(3): "How often do you subtract the normaliser of one example?",
            -18 * np.log(3): "How often do you subtract the normaliser of one example?",
            -np.log(3): "This is a mean. What does the text ask for?",
            0.0: "What is the log-sum-exp of three zeros?",
        },
    )


@exercise("log_likelihood")
def two_examples_in_fractions(student):
    """Two examples whose labels have the probabilities 5/8 and 3/10."""
    expect(
        student.log_likelihood(W, X, LABELS),
        equals=np.log(5 / 8) + np.log(3 / 10),
        mistakes={
            (np.log(5 / 8) + np.log(3 / 10)) / 2: "This is a mean. What does the text ask for?",
            np.log(5) + np.log(3): "These are the scores of the true classes. What is subtracted from each?",
            np.log(1 / 8) + np.log(2 / 10): (
                "Whose probabilities are these? "
                "Does the first class have the number 0 in your code, and does each have its own scores?"
            ),
            np.log(2 / 8) + np.log(5 / 10): "Does the first class have the number 0 or 1 in your code?",
            np.log(5 / 8)
            + np.log(5 / 10): "The likelihood asks for the true class. For which class do you take the probability?",
        },
    )


@exercise("log_likelihood", costs.STABILITY)
def a_label_against_all_odds(student):
    """One example with the scores 0 and 1000, and the label 0: the answer is -1000."""
    expect(
        student.log_likelihood(np.array([[0.0, 1000.0]]), np.array([[1.0]]), np.array([0])),
        equals=-1000,
        mistakes={
            -np.inf: (
                "What became infinite: the logarithm of a probability that was rounded to 0, or e to the power 1000?"
            ),
            np.nan: "How large is e to the power 1000? Which form of the log-sum-exp survives it?",
        },
    )


# --- gradient ---------------------------------------------------------------------------------------------------------


@exercise("gradient")
def three_points_by_hand(student):
    """The three points of the text, at W = 0."""
    table = np.array([[0, 0, 0], [-1, 2, -1], [-1, -1, 2]]) / 3
    expect(
        student.gradient(np.zeros((3, 3)), THREE_POINTS, np.array([0, 1, 2])),
        equals=table,
        **SLOPES,
        mistakes=[
            (table / 3, "Sum or mean: did you divide by the number of examples?"),
            (table * 2 / 3 / 3, "A softmax has its slope built in already. Which factor is one too many?"),
            (THREE_POINTS.T, "This is what was. Where is what was expected?"),
        ],
    )


@exercise("gradient")
def two_examples_and_three_classes(student):
    """Two examples with the probabilities 1/8, 2/8, 5/8 and 3/10, 2/10, 5/10, and the labels 2 and 0."""
    first, second = np.array([-1 / 8, -2 / 8, 3 / 8]), np.array([7 / 10, -2 / 10, -5 / 10])
    table = np.array([first + second, second])
    expect(
        student.gradient(W, X, LABELS),
        equals=table,
        **SLOPES,
        mistakes=[
            (table / 2, "Sum or mean: did you divide by the number of examples?"),
            (table[:, :2], "One column is missing. Does the last class not move in this form of the model?"),
            (table[1:], "One row is missing. Which column of X belongs to it?"),
        ],
    )


# --- fit_softmax ------------------------------------------------------------------------------------------------------


@exercise("fit_softmax")
def two_small_steps(student):
    """Three examples, two classes, lam = 1, two steps of size 0.5."""
    weights, history = two(
        student.fit_softmax(THREE, np.array([0, 1, 1]), 2, lam=1, eta=0.5, n_steps=2), "W and history"
    )
    values = np.array([-2.07944154168, -1.693255413496, -1.389136201663])
    expect(
        history,
        equals=values,
        of="history",
        rtol=1e-6,
        mistakes=[
            (values[1:], "Where was the objective before the first step?"),
            (values[:-1], "Where is the objective after the last step?"),
        ],
    )
    slopes = np.array([[-0.013027910786, 0.013027910786], [-0.463913691762, 0.463913691762]])
    expect(weights, equals=slopes, of="W", rtol=1e-6, mistakes=[(slopes.T, "Which shape should W have?")])


@exercise("fit_softmax")
def bills_of_penguins(student):
    """The bills of the penguins with everything by default: from -375.725403 to -55.697211 in 300 steps."""
    bills, species = penguins()
    weights, history = two(student.fit_softmax(bills, species, 3), "W and history")
    expect(np.shape(history), equals=(301,), of="the shape of history")
    expect(
        [history[0], history[-1]],
        equals=[-375.7254027245, -55.6972114366],
        of="history, first and last",
        rtol=1e-6,
        mistakes=[
            ([-375.725403, -56.113745], "Which row of W should the penalty leave alone?"),
            ([-375.725403, -28.620270], "Where does lam enter?"),
            ([-375.725403, -66.869207], "The objective has a penalty here. Has the step?"),
            (
                [-375.725403, -55.694305],
                "Your default step is a longer one. Which curvature is its bound for: of a sigmoid, or of a softmax, "
                "and of which features?",
            ),
            ([-375.725403, -55.859523], "By what is the largest eigenvalue divided in your default step?"),
            ([-375.725403, -273.320608], "Sum or mean: did you divide the gradient by the number of examples?"),
        ],
    )
    intercepts = [0.09283403339, 0.62605429903, -0.71888833242]
    expect(np.asarray(weights)[0], equals=intercepts, of="row 0 of W", rtol=1e-5)


# --- to_reference and proba_reference ---------------------------------------------------------------------------------


@exercise("to_reference")
def three_classes_become_two(student):
    """The example of the docstring: what each class has more than the last one."""
    expect(
        student.to_reference(np.array([[1.0, 5.0, 2.0], [0.0, 3.0, 4.0]])),
        equals=[[-1, 3], [-4, -1]],
        mistakes=[
            ([[1, -3], [4, 1]], "Whose log-odds should be positive when class k scores more than the reference?"),
            ([[4, 1], [3, 4]], "Which class is the reference, the first or the last?"),
            ([[1, 5], [0, 3]], "Here a column was dropped. Are the probabilities still the same?"),
            ([[-1, 3, 0], [-4, -1, 0]], "How many columns are left when the reference needs none?"),
        ],
    )


@exercise("to_reference")
def from_two_vectors_to_three_classes(student):
    """The example of the docstring: odds 2 : 5 : 1, and then scores that are all 0."""
    table = np.array([[2 / 8, 5 / 8, 1 / 8], [1 / 3, 1 / 3, 1 / 3]])
    expect(
        student.proba_reference(np.log([[2, 5]]), np.array([[1.0], [0.0]])),
        equals=table,
        mistakes=[
            (table[:, [2, 0, 1]], "Which class is the reference, the first or the last?"),
            (table[:, :2], "Two probabilities here. How many classes are there?"),
            ([[2 / 7, 5 / 7], [1 / 2, 1 / 2]], "Where is the reference class?"),
            ([[2 / 7, 5 / 7, 0], [1 / 2, 1 / 2, 0]], "Can the reference never happen? What is e to the power 0?"),
            ([[2 / 3, 5 / 6, 1 / 8], [1 / 2, 1 / 2, 1 / 3]], "Do your rows sum to 1?"),
        ],
    )


@exercise("to_reference")
def the_same_probabilities(student):
    """There, and then the probabilities: 1/8, 2/8, 5/8 and 3/10, 2/10, 5/10, as with W."""
    expect(
        student.proba_reference(student.to_reference(W), X),
        equals=[[1 / 8, 2 / 8, 5 / 8], [3 / 10, 2 / 10, 5 / 10]],
    )
