"""Hidden suite for 01_bayes_rule. A failing check shows the student its docstring, no more."""

from itertools import product

import numpy as np

from autograder.course.suite import assert_matches, assert_raises, exercise, unchanged

# Three hypotheses and two observations. No likelihood sums to one, no two hypotheses look alike.
PRIOR = np.array([0.7, 0.2, 0.1])
FIRST = np.array([0.1, 0.4, 0.3])
SECOND = np.array([0.5, 0.2, 0.6])
AFTER_FIRST = np.array([7, 8, 3]) / 18
AFTER_BOTH = np.array([35, 16, 18]) / 69

# A joint table, the same in counts of 300 people, and the cells of one of its rows and of one of its columns.
JOINT = np.array([[0.10, 0.05, 0.20], [0.15, 0.30, 0.20]])
COUNTS = np.array([[30, 15, 60], [45, 90, 60]])
LOWER_ROW = np.array([[False, False, False], [True, True, True]])
LEFT_COLUMN = np.array([[True, False, False], [True, False, False]])

# Four inputs and three labels. Label 0 is so common that it wins where another label would explain the input better.
INPUTS_BY_LABELS = np.array([[0.22, 0.10, 0.03], [0.16, 0.04, 0.12], [0.03, 0.01, 0.09], [0.06, 0.08, 0.06]])


# --- bayes_binary -----------------------------------------------------------------------------------------------------


@exercise("bayes_binary", gate=True, weight=4)
def test_a_rare_cause_stays_unlikely_after_one_sign(student):
    """A rare cause stays unlikely after one sign: the few who have it are outnumbered by false alarms."""
    assert_matches(student.bayes_binary(0.01, 0.9, 0.3), 9 / (9 + 297))


@exercise("bayes_binary", weight=3)
def test_bayes_rule_agrees_with_counting_people(student):
    """Bayes' rule is counting: among the people who show B, it gives the share of those who belong to A."""
    rng = np.random.default_rng(1)
    for a_shows, a_hides, other_shows, other_hides in rng.integers(1, 100, size=(10, 4)):
        a, other = a_shows + a_hides, other_shows + other_hides
        answer = student.bayes_binary(float(a / (a + other)), float(a_shows / a), float(other_shows / other))
        assert_matches(answer, a_shows / (a_shows + other_shows))


@exercise("bayes_binary")
def test_a_and_not_a_share_out_certainty(student):
    """Given B, either A or not-A holds. Swap their roles, and the two answers add up to one."""
    both = [student.bayes_binary(0.2, 0.7, 0.4), student.bayes_binary(0.8, 0.4, 0.7)]
    assert_matches(both, [14 / 46, 32 / 46])


@exercise("bayes_binary")
def test_a_sign_that_both_groups_show_alike_teaches_nothing(student):
    """A sign that is equally common with and without A says nothing: what was believed before is believed after."""
    assert_matches(student.bayes_binary(0.37, 0.6, 0.6), 0.37)


@exercise("bayes_binary", weight=2)
def test_an_array_of_priors_gets_an_array_of_answers(student):
    """Several priors at once: one answer for each of them, in the same order."""
    priors = np.array([0.05, 0.1, 0.2, 0.5, 0.8])
    assert_matches(student.bayes_binary(priors, 0.6, 0.1), [6 / 25, 6 / 15, 6 / 10, 6 / 7, 24 / 25])


@exercise("bayes_binary", weight=2)
def test_a_column_of_priors_meets_a_row_of_tests(student):
    """A column of priors against a row of tests gives a table with every pair, as NumPy's broadcasting does."""
    priors, hits, alarms = [0.1, 0.3, 0.6], [0.9, 0.7, 0.5, 0.2], [0.2, 0.3, 0.1, 0.4]
    expected = [[p * hit / (p * hit + (1 - p) * alarm) for hit, alarm in zip(hits, alarms)] for p in priors]
    answer = student.bayes_binary(np.array(priors)[:, np.newaxis], np.array([hits]), np.array([alarms]))
    assert_matches(answer, expected)


@exercise("bayes_binary")
def test_certainty_is_not_moved_by_evidence(student):
    """A prior of exactly zero or exactly one is a probability too, and no evidence moves it."""
    assert_matches([student.bayes_binary(0, 0.7, 0.4), student.bayes_binary(1, 0.7, 0.4)], [0, 1])


@exercise("bayes_binary")
def test_a_perfect_sign_settles_the_matter(student):
    """A sign that one group always shows and the other never does leaves no doubt."""
    assert_matches([student.bayes_binary(0.3, 1, 0), student.bayes_binary(0.3, 0, 1)], [1, 0])


@exercise("bayes_binary", weight=2)
def test_a_number_that_is_no_probability_is_refused(student):
    """Probabilities lie between zero and one. Any argument outside, alone or within an array, is a ValueError."""
    for wrong in (-0.1, 1.1):
        assert_raises(ValueError, student.bayes_binary, wrong, 0.7, 0.4)
        assert_raises(ValueError, student.bayes_binary, 0.2, wrong, 0.4)
        assert_raises(ValueError, student.bayes_binary, 0.2, 0.7, wrong)
        assert_raises(ValueError, student.bayes_binary, np.array([0.2, wrong, 0.5]), 0.7, 0.4)


@exercise("bayes_binary", weight=2)
def test_an_impossible_sign_is_refused(student):
    """What cannot happen teaches nothing. Evidence of probability zero is a ValueError, also within an array."""
    assert_raises(ValueError, student.bayes_binary, 0.4, 0.0, 0.0)
    assert_raises(ValueError, student.bayes_binary, 1.0, 0.0, 0.3)
    assert_raises(ValueError, student.bayes_binary, np.array([0.4, 0.0]), 0.7, 0.0)


@exercise("bayes_binary")
def test_a_very_rare_sign_is_not_impossible(student):
    """What is very rare can still happen: however small the evidence is, if it is not zero it can be divided by."""
    assert_matches(student.bayes_binary(0.2, 3e-12, 1e-12), 3 / 7)


@exercise("bayes_binary")
def test_the_priors_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.bayes_binary, np.array([0.2, 0.5]), np.array([0.6, 0.7]), np.array([0.1, 0.3]))


@exercise("bayes_binary")
def test_a_list_of_priors_is_as_good_as_an_array(student):
    """Priors in a list or a tuple are understood like an array."""
    assert_matches(student.bayes_binary([0.2, 0.5], 0.6, (0.1, 0.3)), [12 / 20, 6 / 9])


# --- posterior --------------------------------------------------------------------------------------------------------


@exercise("posterior", gate=True, weight=4)
def test_each_likelihood_is_weighed_by_its_prior(student):
    """How well each hypothesis explains the data, weighed by how likely it was before, as shares of one whole."""
    assert_matches(student.posterior(PRIOR, FIRST), AFTER_FIRST)


@exercise("posterior", weight=2)
def test_the_posterior_agrees_with_counting(student):
    """However many hypotheses there are: among all cases that fit the data, each one gets the share that is its own."""
    rng = np.random.default_rng(2)
    cases = rng.integers(10, 100, size=40)
    fitting = rng.integers(1, cases)
    assert_matches(student.posterior(cases / cases.sum(), fitting / cases), fitting / fitting.sum())


@exercise("posterior")
def test_two_updates_in_turn_equal_one_with_both(student):
    """Today's posterior is tomorrow's prior: updating twice equals one update with the product of the likelihoods."""
    once = student.posterior(PRIOR, FIRST)
    assert_matches(student.posterior(once, SECOND), AFTER_BOTH)
    assert_matches(student.posterior(PRIOR, FIRST * SECOND), AFTER_BOTH)


@exercise("posterior")
def test_a_common_factor_of_the_likelihoods_cancels(student):
    """Only the ratios of the likelihoods count: making all of them very small, or very large, changes nothing."""
    assert_matches(student.posterior(PRIOR, FIRST * 1e-12), AFTER_FIRST)
    assert_matches(student.posterior(PRIOR, FIRST * 1e12), AFTER_FIRST)


@exercise("posterior")
def test_equal_likelihoods_leave_the_prior_as_it_was(student):
    """Data that every hypothesis explains equally well leave the prior as it was."""
    assert_matches(student.posterior(PRIOR, np.full(3, 0.45)), PRIOR)


@exercise("posterior")
def test_a_prior_in_counts_is_understood_or_refused(student):
    """A prior in counts, whole numbers included, is turned into shares or refused; it never gives wrong numbers."""
    for prior, likelihood, expected in (([14, 4, 2], FIRST, AFTER_FIRST), ([7, 2, 1], np.array([1, 1, 1]), PRIOR)):
        try:
            answer = student.posterior(np.array(prior), likelihood)
        except (ValueError, AssertionError):
            continue
        assert_matches(answer, expected)


@exercise("posterior")
def test_hypotheses_keep_their_places(student):
    """The order of the hypotheses is arbitrary: shuffle both inputs, and the answer is shuffled the same way."""
    order = [2, 0, 1]
    assert_matches(student.posterior(PRIOR[order], FIRST[order]), AFTER_FIRST[order])


@exercise("posterior")
def test_an_excluded_hypothesis_gets_exactly_nothing(student):
    """A hypothesis with prior zero, or under which the data cannot happen, ends at zero; the others share the rest."""
    assert_matches(student.posterior(np.array([0.0, 0.4, 0.6]), FIRST), [0, 16 / 34, 18 / 34])
    assert_matches(student.posterior(PRIOR, np.array([0.1, 0.4, 0.0])), [7 / 15, 8 / 15, 0])


@exercise("posterior", weight=2)
def test_data_that_no_hypothesis_allows_are_refused(student):
    """If every hypothesis with a chance rules the data out, there is nothing to share. That is a ValueError."""
    assert_raises(ValueError, student.posterior, PRIOR, np.zeros(3))
    assert_raises(ValueError, student.posterior, np.array([0.0, 0.4, 0.6]), np.array([0.5, 0.0, 0.0]))


@exercise("posterior")
def test_prior_and_likelihood_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.posterior, PRIOR, FIRST)


@exercise("posterior")
def test_hypotheses_may_come_in_lists(student):
    """Lists and tuples of numbers are understood like arrays."""
    assert_matches(student.posterior([0.7, 0.2, 0.1], (0.1, 0.4, 0.3)), AFTER_FIRST)


# --- sequential_posterior ---------------------------------------------------------------------------------------------


@exercise("sequential_posterior", gate=True, weight=4)
def test_every_observation_starts_from_what_the_one_before_left(student):
    """The prior first, then one row per observation; each row is an update of the row above it."""
    rows = student.sequential_posterior(PRIOR, np.array([FIRST, SECOND]))
    assert_matches(rows, [PRIOR, AFTER_FIRST, AFTER_BOTH])


@exercise("sequential_posterior", weight=2)
def test_every_row_equals_one_update_with_all_data_so_far(student):
    """A row knows the prior and all observations so far: it equals one update with the product of likelihoods."""
    rng = np.random.default_rng(3)
    prior, likelihoods = rng.dirichlet(np.ones(4)), rng.uniform(0.1, 0.9, size=(6, 4))
    joint = [prior * likelihoods[:t].prod(axis=0) for t in range(7)]
    assert_matches(student.sequential_posterior(prior, likelihoods), [row / row.sum() for row in joint])


@exercise("sequential_posterior")
def test_the_order_of_the_observations_changes_the_way_but_not_the_end(student):
    """The same observations in another order lead through other rows to the same last row."""
    rows = student.sequential_posterior(PRIOR, np.array([SECOND, FIRST]))
    assert_matches(rows, [PRIOR, np.array([35, 4, 6]) / 45, AFTER_BOTH])


@exercise("sequential_posterior", weight=3)
def test_thousands_of_observations_do_not_underflow(student):
    """The product of thousands of probabilities is too small for a floating-point number; their shares are not."""
    rng = np.random.default_rng(4)
    heads = np.array([0.45, 0.50, 0.52])  # three coins so alike that thousands of flips do not settle the matter
    likelihoods = np.where(rng.random((5000, 1)) < 0.51, heads, 1 - heads)
    logs = np.log(PRIOR) + np.vstack([np.zeros(3), np.log(likelihoods).cumsum(axis=0)])
    expected = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
    assert_matches(student.sequential_posterior(PRIOR, likelihoods), expected, rtol=1e-6)


@exercise("sequential_posterior")
def test_without_observations_the_prior_is_all_there_is(student):
    """No observation is a case too: one row, the prior."""
    assert_matches(student.sequential_posterior(PRIOR, np.empty((0, 3))), [PRIOR])


@exercise("sequential_posterior")
def test_a_hypothesis_once_excluded_never_returns(student):
    """A hypothesis that one observation excludes stays at exactly zero, whatever comes later."""
    likelihoods = np.array([[0.5, 0.0, 0.5], [0.2, 0.9, 0.4]])
    assert_matches(student.sequential_posterior(PRIOR, likelihoods), [PRIOR, [7 / 8, 0, 1 / 8], [7 / 9, 0, 2 / 9]])


@exercise("sequential_posterior")
def test_prior_and_observations_are_left_as_they_were(student):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    unchanged(student.sequential_posterior, PRIOR, np.array([FIRST, SECOND]))


@exercise("sequential_posterior")
def test_observations_may_come_in_lists(student):
    """Lists of numbers, and a list of lists, are understood like arrays."""
    rows = student.sequential_posterior([0.7, 0.2, 0.1], [[0.1, 0.4, 0.3], (0.5, 0.2, 0.6)])
    assert_matches(rows, [PRIOR, AFTER_FIRST, AFTER_BOTH])


# --- prob -------------------------------------------------------------------------------------------------------------


@exercise("prob", gate=True, weight=4)
def test_a_condition_narrows_the_table_down_to_its_own_cells(student):
    """To condition is to look at the cells where the condition holds, and at nothing else."""
    assert_matches(student.prob(JOINT, LOWER_ROW, given=LEFT_COLUMN), 15 / (15 + 10))


@exercise("prob", weight=2)
def test_without_a_condition_every_cell_of_the_event_counts(student):
    """Without a condition, the probability of an event is the mass of all its cells."""
    assert_matches(student.prob(JOINT, LEFT_COLUMN), 0.10 + 0.15)
    assert_matches(student.prob(JOINT, ~LEFT_COLUMN, given=None), 0.75)


@exercise("prob", weight=2)
def test_tables_may_have_any_number_of_dimensions(student):
    """One variable or three: events are sets of cells, and the same rule holds for every table."""
    rng = np.random.default_rng(5)
    for shape in ((7,), (2, 3, 4)):
        joint = rng.dirichlet(np.ones(np.prod(shape))).reshape(shape)
        event, given = rng.random((2, *shape)) < 0.5
        cells = list(zip(joint.flat, event.flat, given.flat))
        mass, within = sum(p for p, e, g in cells if e and g), sum(p for p, _, g in cells if g)
        assert_matches(student.prob(joint, event, given), mass / within)


@exercise("prob")
def test_an_event_and_its_complement_share_out_the_condition(student):
    """Under any condition an event either happens or not: its probability and that of its complement add up to one."""
    both = [student.prob(JOINT, LEFT_COLUMN, LOWER_ROW), student.prob(JOINT, ~LEFT_COLUMN, LOWER_ROW)]
    assert_matches(both, [15 / 65, 50 / 65])


@exercise("prob")
def test_a_condition_that_holds_everywhere_tells_nothing(student):
    """Being told what is always true changes no probability."""
    assert_matches(student.prob(JOINT, LOWER_ROW, given=np.ones((2, 3), dtype=bool)), 0.65)


@exercise("prob")
def test_an_event_inside_the_condition_becomes_more_likely(student):
    """A part of the condition has its own mass over that of the condition; what contains the condition is certain."""
    corner = LOWER_ROW & LEFT_COLUMN
    assert_matches([student.prob(JOINT, corner, LOWER_ROW), student.prob(JOINT, LOWER_ROW, corner)], [15 / 65, 1])


@exercise("prob")
def test_an_event_outside_the_condition_has_no_chance(student):
    """An event that shares no cell with the condition has probability zero, not an error."""
    assert_matches(student.prob(JOINT, ~LEFT_COLUMN, LEFT_COLUMN), 0)


@exercise("prob")
def test_counts_give_the_same_conditional_probability(student):
    """A table of counts is as good as a table of probabilities, for only ratios matter."""
    assert_matches(student.prob(COUNTS, LOWER_ROW, given=LEFT_COLUMN), 15 / 25)


@exercise("prob", weight=2)
def test_a_condition_without_mass_is_refused(student):
    """What never happens cannot be a condition. A condition of probability zero is a ValueError."""
    joint = np.array([[0.0, 0.4, 0.1], [0.0, 0.2, 0.3]])
    assert_raises(ValueError, student.prob, joint, LOWER_ROW, LEFT_COLUMN)
    assert_raises(ValueError, student.prob, JOINT, LOWER_ROW, np.zeros((2, 3), dtype=bool))


@exercise("prob")
def test_a_very_rare_condition_is_a_condition(student):
    """What is very rare can still happen: a condition with the smallest mass is a condition like any other."""
    joint = np.array([[1e-12, 0.4, 0.1], [3e-12, 0.2, 0.3]])
    assert_matches(student.prob(joint, LOWER_ROW, LEFT_COLUMN), 3 / 4)


@exercise("prob")
def test_the_table_and_its_masks_are_left_as_they_were(student):
    """The caller's table and masks belong to the caller: after the call they hold what they held before."""
    unchanged(student.prob, 100 * JOINT, LOWER_ROW, LEFT_COLUMN)
    unchanged(student.prob, 100 * JOINT, LOWER_ROW)


@exercise("prob")
def test_the_table_and_its_masks_may_come_in_lists(student):
    """Lists of lists are understood like arrays, in the table and in the masks."""
    assert_matches(student.prob(JOINT.tolist(), LOWER_ROW.tolist(), LEFT_COLUMN.tolist()), 15 / 25)


# --- conditional ------------------------------------------------------------------------------------------------------


@exercise("conditional", gate=True, weight=3)
def test_along_axis_one_every_row_becomes_a_distribution(student):
    """Along axis 1 every row is divided by its own mass, so that every row sums to one."""
    assert_matches(student.conditional(JOINT, 1), [[10 / 35, 5 / 35, 20 / 35], [15 / 65, 30 / 65, 20 / 65]])


@exercise("conditional", gate=True, weight=3)
def test_along_axis_zero_every_column_becomes_a_distribution(student):
    """Along axis 0 every column is divided by its own mass, so that every column sums to one."""
    assert_matches(student.conditional(JOINT, axis=0), [[10 / 25, 5 / 35, 20 / 40], [15 / 25, 30 / 35, 20 / 40]])


@exercise("conditional")
def test_a_negative_axis_counts_from_the_end(student):
    """Axis -1 is the last axis, as everywhere in NumPy."""
    assert_matches(student.conditional(JOINT, -1), [[10 / 35, 5 / 35, 20 / 35], [15 / 65, 30 / 65, 20 / 65]])


@exercise("conditional", weight=2)
def test_more_than_two_variables_follow_the_same_rule(student):
    """With three variables, too, every line along the axis sums to one, whichever axis it is."""
    joint = np.random.default_rng(6).dirichlet(np.ones(24)).reshape(2, 3, 4)
    for axis in (0, 1, 2, -1, -2):
        expected = np.apply_along_axis(lambda line: line / line.sum(), axis, joint)
        assert_matches(student.conditional(joint, axis), expected)


@exercise("conditional")
def test_one_variable_alone_is_only_normalised(student):
    """With a single variable there is nothing to condition on: its numbers become shares of their sum."""
    assert_matches(student.conditional(np.array([1.0, 4.0, 3.0]), 0), [1 / 8, 4 / 8, 3 / 8])


@exercise("conditional")
def test_the_product_rule_is_undone(student):
    """The product rule, backwards: a joint table made of marginals times conditionals gives the conditionals back."""
    rng = np.random.default_rng(7)
    marginal, given = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(3), size=5)
    assert_matches(student.conditional(marginal[:, np.newaxis] * given, 1), given)


@exercise("conditional")
def test_counts_give_the_same_conditional_table(student):
    """A table of whole numbers gives the same shares as the probabilities that it stands for."""
    assert_matches(student.conditional(COUNTS, 0), [[10 / 25, 5 / 35, 20 / 40], [15 / 25, 30 / 35, 20 / 40]])


@exercise("conditional", weight=2)
def test_a_line_without_mass_is_undefined_and_spoils_no_other(student):
    """A line without any mass has no distribution: nan there, and the other lines as usual."""
    joint = np.array([[0.1, 0.0, 0.2], [0.4, 0.0, 0.3]])
    assert_matches(student.conditional(joint, 0), [[0.2, np.nan, 0.4], [0.8, np.nan, 0.6]], nan_ok=True)
    assert_matches(student.conditional(joint.T, 1), [[0.2, 0.8], [np.nan, np.nan], [0.4, 0.6]], nan_ok=True)


@exercise("conditional")
def test_an_empty_cell_is_not_an_empty_line(student):
    """A single empty cell in a line that has mass is simply a probability of zero."""
    joint = np.array([[0.1, 0.0, 0.3], [0.2, 0.4, 0.0]])
    assert_matches(student.conditional(joint, 1), [[1 / 4, 0, 3 / 4], [1 / 3, 2 / 3, 0]])


@exercise("conditional")
def test_a_line_with_very_little_mass_is_a_line_like_any_other(student):
    """Very little is not nothing: the cells of a very rare line have shares of its mass, as in any other line."""
    joint = np.array([[1e-12, 3e-12], [0.3, 0.7]])
    assert_matches(student.conditional(joint, 1), [[1 / 4, 3 / 4], [0.3, 0.7]])


@exercise("conditional")
def test_what_is_conditional_already_stays_as_it_is(student):
    """Lines that sum to one already stay as they are."""
    table = np.array([[0.25, 0.75, 0.0], [0.5, 0.125, 0.375]])
    assert_matches(student.conditional(table, 1), table)


@exercise("conditional")
def test_the_joint_table_is_left_as_it_was(student):
    """The caller's table belongs to the caller: after the call it holds what it held before."""
    unchanged(student.conditional, 100 * JOINT, 1)


@exercise("conditional")
def test_the_joint_table_may_come_in_lists(student):
    """A list of lists is understood like an array."""
    assert_matches(student.conditional([[0.1, 0.3], (0.2, 0.4)], 1), [[1 / 4, 3 / 4], [1 / 3, 2 / 3]])


# --- bayes_classifier -------------------------------------------------------------------------------------------------


def decide(student, joint_xy):
    """The student's decisions and error, after making sure that there are these two."""
    answer = student.bayes_classifier(joint_xy)
    assert isinstance(answer, tuple | list) and len(answer) == 2, "something else than a pair"
    return answer


@exercise("bayes_classifier", gate=True, weight=4)
def test_every_input_gets_its_most_probable_label(student):
    """One label for every input: the most probable one there. The error is the mass of all cells not chosen."""
    decisions, error = decide(student, INPUTS_BY_LABELS)
    assert_matches(decisions, [0, 0, 2, 1])
    assert_matches(error, 1 - (0.22 + 0.16 + 0.09 + 0.08))


@exercise("bayes_classifier", weight=3)
def test_no_rule_has_a_smaller_error(student):
    """Nobody can do better: of all ways to give every input a label, yours has the smallest error."""
    joint = np.random.default_rng(8).dirichlet(np.ones(15)).reshape(5, 3)
    errors = {rule: 1 - sum(joint[x, y] for x, y in enumerate(rule)) for rule in product(range(3), repeat=5)}
    best = min(errors, key=errors.get)
    decisions, error = decide(student, joint)
    assert_matches(decisions, best)
    assert_matches(error, errors[best])


@exercise("bayes_classifier")
def test_the_error_lies_between_none_and_a_blind_guess(student):
    """The error has a floor and a ceiling: none if the input settles the label, a blind guess if it tells nothing."""
    _, settled = decide(student, np.array([[0.0, 0.3, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.2]]))
    assert_matches(settled, 0)
    _, guessed = decide(student, np.full((6, 4), 1 / 24))
    assert_matches(guessed, 1 - 1 / 4)


@exercise("bayes_classifier")
def test_the_smallest_label_wins_a_tie(student):
    """Where several labels are equally probable, the smallest of them is chosen."""
    decisions, error = decide(student, np.array([[0.2, 0.2, 0.0], [0.0, 0.15, 0.15], [0.1, 0.1, 0.1]]))
    assert_matches(decisions, [0, 1, 0])
    assert_matches(error, 1 - (0.2 + 0.15 + 0.1))


@exercise("bayes_classifier", weight=2)
def test_counts_lead_to_the_same_decisions_and_error(student):
    """A table of counts leads to the same decisions, and to the same error: a share, not a number of cases."""
    decisions, error = decide(student, np.array([[66, 30, 9], [48, 12, 36], [9, 3, 27], [18, 24, 18]]))
    assert_matches(decisions, [0, 0, 2, 1])
    assert_matches(error, 0.45)


@exercise("bayes_classifier")
def test_an_input_that_never_occurs_costs_nothing(student):
    """An input without mass gets label 0 and adds nothing to the error, which stays a number."""
    decisions, error = decide(student, np.array([[0.1, 0.1, 0.2], [0.0, 0.0, 0.0], [0.1, 0.3, 0.2]]))
    assert_matches(decisions, [2, 0, 1])
    assert_matches(error, 0.5)


@exercise("bayes_classifier")
def test_the_table_of_inputs_and_labels_is_left_as_it_was(student):
    """The caller's table belongs to the caller: after the call it holds what it held before."""
    unchanged(student.bayes_classifier, 100 * INPUTS_BY_LABELS)


@exercise("bayes_classifier")
def test_the_table_of_inputs_and_labels_may_come_in_lists(student):
    """A list of lists is understood like an array."""
    decisions, error = decide(student, [[0.05, 0.1, 0.25], [0.2, 0.15, 0.0], (0.05, 0.15, 0.05)])
    assert_matches(decisions, [2, 0, 1])
    assert_matches(error, 1 - (0.25 + 0.2 + 0.15))
