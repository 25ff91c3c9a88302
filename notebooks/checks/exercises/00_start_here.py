"""Visible checks of notebook 00, the tour: there are no others, for nothing in it is graded."""

from checks.checking import exercise, expect


@exercise("percent")
def one_of_four(student):
    """The example of the docstring: 1 of 4 is 25 percent."""
    expect(
        student.percent(1, 4),
        equals=25.0,
        mistakes={
            0.25: "Is a quarter 0.25 percent, or is it more?",
            400: "Which of the two numbers is the whole, and which is the part?",
            4: "Which of the two numbers is the whole, and is the answer in percent?",
        },
    )


@exercise("percent")
def all_of_it(student):
    """The whole is 100 percent of itself."""
    expect(student.percent(30, 30), equals=100.0, mistakes={1: "Is all of it 1 percent, or is it more?"})
