"""Hidden suite for 01_bayes_rule. A failing check shows the student its docstring, no more."""

from itertools import product

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.suite import Ungraded, assert_matches, assert_raises, exercise, leaves_alone, parts

# --- bayes_binary -----------------------------------------------------------------------------------------------------


def by_odds(p, hit, alarm):
    """P(A | B) by odds: what speaks against A, in units of what speaks for it."""
    return 1 / (1 + (1 - p) / p * (alarm / hit))


@exercise("bayes_binary", gate=True)
def test_a_rare_cause_stays_unlikely_after_one_sign(student, draw):
    """What a sign is worth depends on how common A is: of a rare cause there are fewer cases than false alarms."""
    rare = draw.number(0.02, 0.10), draw.number(0.80, 0.95), draw.number(0.25, 0.40)  # ends below 0.3
    telling = draw.number(0.30, 0.40), draw.number(0.80, 0.95), draw.number(0.05, 0.15)  # ends above 0.69
    against = draw.number(0.60, 0.75), draw.number(0.10, 0.20), draw.number(0.70, 0.90)
    for numbers in (rare, telling, against):
        assert_matches(student.bayes_binary(*numbers), by_odds(*numbers))


@exercise("bayes_binary")
def test_bayes_rule_agrees_with_counting_people(student, draw):
    """Bayes' rule is counting: among the people who show B, it gives the share of those who belong to A."""
    for a_shows, a_hides, other_shows, other_hides in draw.wholes((5, 4), 5, 95):
        a, other = a_shows + a_hides, other_shows + other_hides
        answer = student.bayes_binary(float(a / (a + other)), float(a_shows / a), float(other_shows / other))
        assert_matches(answer, a_shows / (a_shows + other_shows))


@exercise("bayes_binary")
def test_a_and_not_a_share_out_certainty(student, draw):
    """Given B, either A or not-A holds. Swap their roles, and the two answers add up to one."""
    p, hit, alarm = draw.number(0.2, 0.4), draw.number(0.6, 0.9), draw.number(0.2, 0.5)
    expected = by_odds(p, hit, alarm)
    both = [student.bayes_binary(p, hit, alarm), student.bayes_binary(1 - p, alarm, hit)]
    assert_matches(both, [expected, 1 - expected])


@exercise("bayes_binary")
def test_a_sign_that_both_groups_show_alike_teaches_nothing(student, draw):
    """A sign that is equally common with and without A says nothing: what was believed before is believed after."""
    p, alike = draw.probability(0.1, 0.8), draw.probability(0.1, 0.9)
    assert_matches(student.bayes_binary(p, alike, alike), p)


@exercise("bayes_binary", Kind.SIZES)
def test_an_array_of_priors_gets_an_array_of_answers(student, draw):
    """Several priors at once, several tests, or as many of both: one answer for each of them, in the same order."""
    priors, hits, alarms = draw.numbers(5, 0.05, 0.8), draw.probabilities(5), draw.probabilities(5)
    p, hit, alarm = draw.number(0.2, 0.4), draw.number(0.6, 0.9), draw.number(0.2, 0.5)
    assert_matches(student.bayes_binary(priors, hit, alarm), [by_odds(prior, hit, alarm) for prior in priors])
    assert_matches(student.bayes_binary(p, hits, alarm), [by_odds(p, other, alarm) for other in hits])
    assert_matches(student.bayes_binary(p, hit, alarms), [by_odds(p, hit, other) for other in alarms])
    assert_matches(student.bayes_binary(priors, hits, alarms), [by_odds(*one) for one in zip(priors, hits, alarms)])


@exercise("bayes_binary", Kind.SIZES)
def test_a_column_of_priors_meets_a_row_of_tests(student, draw):
    """A column of priors against a row of tests gives a table with every pair, as NumPy's broadcasting does."""
    rows, columns = draw.sizes(2, 3, 6)
    priors, hits, alarms = draw.numbers(rows, 0.05, 0.8), draw.probabilities(columns), draw.probabilities(columns)
    expected = [[by_odds(p, hit, alarm) for hit, alarm in zip(hits, alarms)] for p in priors]
    assert_matches(student.bayes_binary(priors[:, np.newaxis], hits[np.newaxis], alarms[np.newaxis]), expected)


@exercise("bayes_binary", Kind.EDGE)
def test_certainty_is_not_moved_by_evidence(student, draw):
    """A prior of exactly zero or exactly one is a probability too, and no evidence moves it."""
    hit, alarm = draw.number(0.6, 0.9), draw.number(0.2, 0.5)
    assert_matches([student.bayes_binary(0.0, hit, alarm), student.bayes_binary(1.0, hit, alarm)], [0, 1])


@exercise("bayes_binary", Kind.EDGE)
def test_a_perfect_sign_settles_the_matter(student, draw):
    """A sign that one group always shows and the other never does leaves no doubt."""
    p = draw.probability(0.1, 0.9)
    assert_matches([student.bayes_binary(p, 1.0, 0.0), student.bayes_binary(p, 0.0, 1.0)], [1, 0])


@exercise("bayes_binary", Kind.REFUSAL)
def test_a_number_that_is_no_probability_is_refused(student, draw):
    """Probabilities lie between zero and one. Any argument outside, alone or within an array, is a ValueError."""
    p, hit, alarm = draw.number(0.2, 0.4), draw.number(0.6, 0.9), draw.number(0.2, 0.5)
    for wrong in (-draw.number(0.02, 0.2), 1 + draw.number(0.02, 0.2)):
        assert_raises(ValueError, student.bayes_binary, wrong, hit, alarm)
        assert_raises(ValueError, student.bayes_binary, p, wrong, alarm)
        assert_raises(ValueError, student.bayes_binary, p, hit, wrong)
        assert_raises(ValueError, student.bayes_binary, np.array([p, wrong, hit]), hit, alarm)


@exercise("bayes_binary", Kind.REFUSAL)
def test_an_impossible_sign_is_refused(student, draw):
    """What cannot happen teaches nothing. Evidence of probability zero is a ValueError, also within an array."""
    p, hit, alarm = draw.number(0.2, 0.4), draw.number(0.6, 0.9), draw.number(0.2, 0.5)
    assert_raises(ValueError, student.bayes_binary, p, 0.0, 0.0)
    assert_raises(ValueError, student.bayes_binary, 1.0, 0.0, alarm)
    assert_raises(ValueError, student.bayes_binary, np.array([p, 0.0]), hit, 0.0)


@exercise("bayes_binary", Kind.STABILITY)
def test_a_very_rare_sign_is_not_impossible(student, draw):
    """What is very rare can still happen: however small the evidence is, if it is not zero it can be divided by."""
    p, hit, alarm = draw.number(0.2, 0.4), draw.number(0.6, 0.9), draw.number(0.2, 0.5)
    assert_matches(student.bayes_binary(p, hit * 1e-12, alarm * 1e-12), by_odds(p, hit, alarm), rtol=1e-5)


@exercise("bayes_binary", Kind.SIDE_EFFECT)
def test_the_priors_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    leaves_alone(student.bayes_binary, draw.numbers(3, 0.1, 0.8), draw.probabilities(3), draw.probabilities(3))


@exercise("bayes_binary", Kind.TYPE)
def test_a_list_of_priors_is_as_good_as_an_array(student, draw):
    """Priors in a list or a tuple are understood like an array."""
    priors, alarms, hit = draw.numbers(3, 0.1, 0.8), draw.probabilities(3), draw.number(0.6, 0.9)
    expected = [by_odds(p, hit, alarm) for p, alarm in zip(priors, alarms)]
    assert_matches(student.bayes_binary(priors.tolist(), hit, tuple(alarms.tolist())), expected)


# --- posterior --------------------------------------------------------------------------------------------------------


def shares(weights):
    """Numbers as shares of their sum, in plain Python."""
    weights = [float(weight) for weight in weights]
    return np.array([weight / sum(weights) for weight in weights])


def updated(prior, *likelihoods):
    """The posterior after all these observations, each weight multiplied by hand."""
    weights = [float(p) for p in prior]
    for likelihood in likelihoods:
        weights = [weight * float(factor) for weight, factor in zip(weights, likelihood)]
    return shares(weights)


@exercise("posterior", gate=True)
def test_each_likelihood_is_weighed_by_its_prior(student, draw):
    """How well each hypothesis explains the data, weighed by how likely it was before, as shares of one whole."""
    prior, likelihood, order = draw.distribution(3), draw.probabilities(3), draw.order(3)
    expected = updated(prior, likelihood)
    assert_matches(student.posterior(prior, likelihood), expected)
    assert_matches(student.posterior(prior[order], likelihood[order]), expected[order])  # suits none that sorts


@exercise("posterior", Kind.SIZES)
def test_the_posterior_agrees_with_counting(student, draw):
    """However many hypotheses there are: among all cases that fit the data, each one gets the share that is its own."""
    for size in (2, 5, 40):
        fitting, missing = draw.counts((2, size))
        cases = fitting + missing
        assert_matches(student.posterior(cases / cases.sum(), fitting / cases), shares(fitting), rtol=1e-5)


@exercise("posterior")
def test_two_updates_in_turn_equal_one_with_both(student, draw):
    """Today's posterior is tomorrow's prior: updating twice equals one update with the product of the likelihoods."""
    prior, first, second = draw.distribution(3), draw.probabilities(3), draw.probabilities(3)
    expected = updated(prior, first, second)
    assert_matches(student.posterior(updated(prior, first), second), expected)
    assert_matches(student.posterior(prior, first * second), expected)


@exercise("posterior")
def test_a_common_factor_of_the_likelihoods_cancels(student, draw):
    """Only the ratios of the likelihoods count: making all of them smaller by one factor changes nothing."""
    prior, likelihood = draw.distribution(3), draw.probabilities(3)
    expected = updated(prior, likelihood)
    for factor in (draw.number(0.5, 0.8), draw.number(0.02, 0.2)):
        assert_matches(student.posterior(prior, likelihood * factor), expected)


@exercise("posterior", Kind.STABILITY)
def test_very_small_likelihoods_are_as_good_as_others(student, draw):
    """Only the ratios of the likelihoods count, also where all of them are very small."""
    prior, likelihood = draw.distribution(3), draw.probabilities(3)
    assert_matches(student.posterior(prior, likelihood * 1e-12), updated(prior, likelihood), rtol=1e-5)


@exercise("posterior")
def test_equal_likelihoods_leave_the_prior_as_it_was(student, draw):
    """Data that every hypothesis explains equally well leave the prior as it was."""
    prior = draw.distribution(3)
    assert_matches(student.posterior(prior, np.full(3, draw.probability(0.1, 0.9))), prior)


@exercise("posterior")
def test_a_prior_in_counts_is_understood_or_refused(student, draw):
    """A prior that does not sum to one is turned into shares or refused; it never gives wrong numbers."""
    prior, likelihood = draw.distribution(3), draw.probabilities(3)
    if takes(student.posterior, 20 * prior, likelihood):
        assert_matches(student.posterior(20 * prior, likelihood), updated(prior, likelihood))


def takes(function, *args):
    """Whether a function takes arguments that it may refuse."""
    try:
        function(*args)
    except (ValueError, AssertionError):
        return False
    return True


@exercise("posterior")
def test_hypotheses_keep_their_places(student, draw):
    """The order of the hypotheses is arbitrary: shuffle both inputs, and the answer is shuffled the same way."""
    prior, likelihood, order = draw.distribution(3), draw.probabilities(3), draw.order(3)
    expected = updated(prior, likelihood)
    assert_matches(student.posterior(prior, likelihood), expected)
    assert_matches(student.posterior(prior[order], likelihood[order]), expected[order])


@exercise("posterior", Kind.EDGE)
def test_an_excluded_hypothesis_gets_exactly_nothing(student, draw):
    """A hypothesis with prior zero, or under which the data cannot happen, ends at zero; the others share the rest."""
    first, second = draw.distribution(2)
    low, middle, high = draw.probabilities(3)
    rest = shares([first * middle, second * high])
    assert_matches(student.posterior(np.array([0, first, second]), np.array([low, middle, high])), [0, *rest])
    assert_matches(
        student.posterior(np.array([0.8 * first, 0.2, 0.8 * second]), np.array([middle, 0, high])),
        [rest[0], 0, rest[1]],
    )


@exercise("posterior", Kind.REFUSAL)
def test_data_that_no_hypothesis_allows_are_refused(student, draw):
    """If every hypothesis with a chance rules the data out, there is nothing to share. That is a ValueError."""
    first, second = draw.distribution(2)
    assert_raises(ValueError, student.posterior, draw.distribution(3), np.zeros(3))
    assert_raises(ValueError, student.posterior, np.array([0, first, second]), np.array([draw.probability(), 0.0, 0.0]))


@exercise("posterior", Kind.SIDE_EFFECT)
def test_prior_and_likelihood_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    prior, likelihood = draw.distribution(3), draw.probabilities(3)
    leaves_alone(student.posterior, prior, likelihood)
    if takes(student.posterior, 20 * prior, likelihood):
        leaves_alone(student.posterior, 20 * prior, likelihood)


@exercise("posterior", Kind.TYPE)
def test_hypotheses_may_come_in_lists(student, draw):
    """Lists and tuples of numbers are understood like arrays, and whole numbers like others."""
    prior, likelihood, counts = draw.distribution(3), draw.probabilities(3), draw.counts(3)
    assert_matches(student.posterior(prior.tolist(), tuple(likelihood.tolist())), updated(prior, likelihood))
    assert_matches(student.posterior(prior, np.array([1, 1, 1])), prior)
    if takes(student.posterior, counts, np.array([1, 1, 1])):
        assert_matches(student.posterior(counts, np.array([1, 1, 1])), shares(counts))


# --- sequential_posterior ---------------------------------------------------------------------------------------------


def story(prior, likelihoods):
    """The prior and the posteriors after each observation, each computed from the start."""
    return np.array([updated(prior, *likelihoods[:t]) for t in range(len(likelihoods) + 1)])


@exercise("sequential_posterior", gate=True)
def test_every_observation_starts_from_what_the_one_before_left(student, draw):
    """The prior first, then one row per observation; each row is an update of the row above it."""
    for rows in (2, 3):
        prior, likelihoods = draw.distribution(3), draw.probabilities((rows, 3), 0.15, 0.9)
        assert_matches(student.sequential_posterior(prior, likelihoods), story(prior, likelihoods))


@exercise("sequential_posterior", Kind.SIZES)
def test_every_row_equals_one_update_with_all_data_so_far(student, draw):
    """Any number of hypotheses and observations: a row equals one update with the product of the likelihoods so far."""
    for rows, columns in ((6, 4), (1, 5), (4, 2)):
        prior, likelihoods = draw.distribution(columns), draw.probabilities((rows, columns), 0.15, 0.9)
        assert_matches(student.sequential_posterior(prior, likelihoods), story(prior, likelihoods), rtol=1e-5)


@exercise("sequential_posterior")
def test_the_order_of_the_observations_changes_the_way_but_not_the_end(student, draw):
    """The same observations in another order lead through other rows to the same last row."""
    prior, likelihoods = draw.distribution(3), draw.probabilities((3, 3), 0.15, 0.9)
    expected = story(prior, likelihoods)
    order = draw.order(3)
    assert_matches(student.sequential_posterior(prior, likelihoods), expected)
    assert_matches(student.sequential_posterior(prior, likelihoods[order]), story(prior, likelihoods[order]))


@exercise("sequential_posterior", Kind.STABILITY)
def test_thousands_of_observations_do_not_underflow(student, draw):
    """The product of thousands of probabilities is too small for a floating-point number; their shares are not."""
    prior, block = draw.distribution(3), draw.probabilities((5, 3), 0.15, 0.9)
    cycle = np.vstack([np.roll(block, shift, axis=1) for shift in range(3)])  # favours nobody: back to the prior
    rows = story(prior, cycle)[:-1]
    answer = student.sequential_posterior(prior, np.tile(cycle, (334, 1))[:5000])
    assert_matches(answer, np.tile(rows, (334, 1))[:5001], rtol=0.02, atol=1e-3)


@exercise("sequential_posterior", Kind.EDGE)
def test_without_observations_the_prior_is_all_there_is(student, draw):
    """No observation is a case too: one row, the prior."""
    prior = draw.distribution(3)
    assert_matches(student.sequential_posterior(prior, np.empty((0, 3))), [prior])


@exercise("sequential_posterior", Kind.EDGE)
def test_a_hypothesis_once_excluded_never_returns(student, draw):
    """A hypothesis that one observation excludes stays at zero, however much speaks for it later."""
    prior, likelihoods = draw.distribution(3), draw.probabilities((14, 3), 0.3, 0.6)
    likelihoods[2:, 1] = 0.95
    likelihoods[2:, [0, 2]] /= 10
    likelihoods[1, 1] = 0
    assert_matches(student.sequential_posterior(prior, likelihoods), story(prior, likelihoods), rtol=1e-5)


@exercise("sequential_posterior", Kind.SIDE_EFFECT)
def test_prior_and_observations_are_left_as_they_were(student, draw):
    """The caller's arrays belong to the caller: after the call they hold what they held before."""
    prior, likelihoods = draw.distribution(3), draw.probabilities((2, 3))
    leaves_alone(student.sequential_posterior, prior, likelihoods)
    if takes(student.sequential_posterior, 20 * prior, likelihoods):
        leaves_alone(student.sequential_posterior, 20 * prior, likelihoods)


@exercise("sequential_posterior", Kind.TYPE)
def test_observations_may_come_in_lists(student, draw):
    """Lists of numbers, and a list of lists, are understood like arrays."""
    prior, likelihoods = draw.distribution(3), draw.probabilities((2, 3), 0.15, 0.9)
    first, second = likelihoods.tolist()
    rows = student.sequential_posterior(prior.tolist(), [first, tuple(second)])
    assert_matches(rows, story(prior, likelihoods))


# --- prob -------------------------------------------------------------------------------------------------------------


def cut(draw, shape):
    """A joint table, the masks of an event and a condition, and the masses of both, only one, only the other, neither.

    No two of the numbers that a mistake could lead to are close: P(E | F) is at least 0.56, P(E) at most 0.54,
    P(F | E) at most 0.38, and of the cells of the condition at most one half belong to the event.
    """
    size = int(np.prod(shape))
    masses = [draw.number(0.14, 0.18), draw.number(0.30, 0.36), draw.number(0.08, 0.11)]
    masses.append(1 - sum(masses))
    sizes = [max(1, size // 6), size // 4, size // 4]
    sizes.append(size - sum(sizes))
    group = draw.rng.permutation(np.repeat(np.arange(4), sizes)).reshape(shape)
    joint = draw.numbers(shape, 1.0, 3.0)
    joint *= (masses / np.bincount(group.ravel(), joint.ravel()))[group]
    return joint, group < 2, group % 2 == 0, masses


@exercise("prob", gate=True)
def test_a_condition_narrows_the_table_down_to_its_own_cells(student, draw):
    """To condition is to look at the cells where the condition holds; without a condition, all cells count."""
    joint, event, given, (both, alone, rest, _) = cut(draw, (3, 4))
    assert_matches(student.prob(joint, event, given=given), both / (both + rest))
    assert_matches(student.prob(joint, event), both + alone)


@exercise("prob")
def test_without_a_condition_every_cell_of_the_event_counts(student, draw):
    """Without a condition, an event has the mass of all its cells, and its complement the mass of all others."""
    joint, event, _, (both, alone, _, _) = cut(draw, (3, 4))
    expected = both + alone
    assert_matches([student.prob(joint, event), student.prob(joint, ~event, given=None)], [expected, 1 - expected])


@exercise("prob", Kind.SIZES)
def test_tables_may_have_any_number_of_dimensions(student, draw):
    """One variable, three or four: events are sets of cells, and the same rule holds for every table."""
    for shape in ((7,), (2, 3, 4), (2, 3, 2, 2)):
        joint, event, given, (both, alone, rest, _) = cut(draw, shape)
        assert_matches(student.prob(joint, event, given), both / (both + rest))
        assert_matches(student.prob(joint, event), both + alone)


@exercise("prob")
def test_an_event_and_its_complement_share_out_the_condition(student, draw):
    """Under any condition an event either happens or not: its probability and that of its complement add up to one."""
    joint, event, given, (both, _, rest, _) = cut(draw, (3, 4))
    expected = both / (both + rest)
    assert_matches([student.prob(joint, event, given), student.prob(joint, ~event, given)], [expected, 1 - expected])


@exercise("prob", Kind.EDGE)
def test_a_condition_that_holds_everywhere_tells_nothing(student, draw):
    """Being told what is always true changes no probability."""
    joint, event, _, (both, alone, _, _) = cut(draw, (3, 4))
    assert_matches(student.prob(joint, event, given=np.ones((3, 4), dtype=bool)), both + alone)


@exercise("prob")
def test_an_event_inside_the_condition_becomes_more_likely(student, draw):
    """A part of the condition has its own mass over that of the condition; what contains the condition is certain."""
    joint, event, given, (both, alone, _, _) = cut(draw, (3, 4))
    part = event & given
    assert_matches([student.prob(joint, part, event), student.prob(joint, event, part)], [both / (both + alone), 1])


@exercise("prob", Kind.EDGE)
def test_an_event_outside_the_condition_has_no_chance(student, draw):
    """An event that shares no cell with the condition has probability zero, not an error."""
    joint, _, given, _ = cut(draw, (3, 4))
    assert_matches(student.prob(joint, ~given, given), 0)
    assert_matches(student.prob(joint, np.zeros((3, 4), dtype=bool), given), 0)


@exercise("prob")
def test_counts_give_the_same_conditional_probability(student, draw):
    """A table of counts is as good as a table of probabilities, for only ratios matter."""
    joint, event, given, _ = cut(draw, (3, 4))
    counts = np.rint(10_000 * joint).astype(int)
    inside = [(int(count), bool(e)) for count, e, g in zip(counts.flat, event.flat, given.flat) if g]
    expected = sum(count for count, e in inside if e) / sum(count for count, _ in inside)
    assert_matches(student.prob(counts, event, given=given), expected)


@exercise("prob", Kind.REFUSAL)
def test_a_condition_without_mass_is_refused(student, draw):
    """What never happens cannot be a condition. A condition of probability zero is a ValueError."""
    joint, event, given, _ = cut(draw, (3, 4))
    assert_raises(ValueError, student.prob, np.where(given, 0, joint), event, given)
    assert_raises(ValueError, student.prob, joint, event, np.zeros((3, 4), dtype=bool))


@exercise("prob", Kind.STABILITY)
def test_a_very_rare_condition_is_a_condition(student, draw):
    """What is very rare can still happen: a condition with the smallest mass is a condition like any other."""
    joint, event, given, (both, _, rest, _) = cut(draw, (3, 4))
    assert_matches(student.prob(np.where(given, joint * 1e-12, joint), event, given), both / (both + rest))


@exercise("prob", Kind.SIDE_EFFECT)
def test_the_table_and_its_masks_are_left_as_they_were(student, draw):
    """The caller's table and masks belong to the caller: after the call they hold what they held before."""
    joint, event, given, _ = cut(draw, (3, 4))
    leaves_alone(student.prob, 100 * joint, event, given)
    leaves_alone(student.prob, 100 * joint, event, given=given)
    leaves_alone(student.prob, 100 * joint, event)


@exercise("prob", Kind.TYPE)
def test_the_table_and_its_masks_may_come_in_lists(student, draw):
    """Lists of lists are understood like arrays, in the table and in the masks."""
    joint, event, given, (both, alone, rest, _) = cut(draw, (3, 4))
    assert_matches(student.prob(joint.tolist(), event.tolist(), given.tolist()), both / (both + rest))
    assert_matches(student.prob(joint.tolist(), event.tolist()), both + alone)


# --- conditional ------------------------------------------------------------------------------------------------------


def lines(table, axis):
    """Every line of a table along an axis as shares of its sum, one line after the other; nan where there is none."""
    answer = np.moveaxis(np.array(table, dtype=float), axis, -1)
    for place in np.ndindex(answer.shape[:-1]):
        total = sum(answer[place].tolist())
        answer[place] = [value / total if total else np.nan for value in answer[place].tolist()]
    return np.moveaxis(answer, -1, axis)


def joint_table(draw, *shape):
    """A joint table that sums to 1, in which no two cells are alike."""
    return draw.distribution(int(np.prod(shape))).reshape(shape)


@exercise("conditional", gate=True)
def test_along_the_axis_every_line_becomes_a_distribution(student, draw):
    """Along axis 1 every row is divided by its own mass and sums to one; along axis 0 every column."""
    joint = joint_table(draw, 3, 4)
    assert_matches(student.conditional(joint, 1), lines(joint, 1))
    assert_matches(student.conditional(joint, axis=0), lines(joint, 0))


@exercise("conditional", Kind.SIZES)
def test_a_negative_axis_counts_from_the_end(student, draw):
    """Axis -1 is the last axis, and axis -2 the one before it, as everywhere in NumPy."""
    joint = joint_table(draw, 3, 4)
    assert_matches(student.conditional(joint, -1), lines(joint, 1))
    assert_matches(student.conditional(joint, -2), lines(joint, 0))


@exercise("conditional", Kind.SIZES)
def test_more_than_two_variables_follow_the_same_rule(student, draw):
    """With three or four variables, too, every line along the axis sums to one, whichever axis it is."""
    for shape, axes in (((2, 3, 4), (0, 1, 2, -1, -2)), ((2, 3, 2, 4), (0, 1, 2, 3, -3))):
        joint = joint_table(draw, *shape)
        for axis in axes:
            assert_matches(student.conditional(joint, axis), lines(joint, axis))


@exercise("conditional", Kind.SIZES)
def test_one_variable_alone_is_only_normalised(student, draw):
    """With a single variable there is nothing to condition on: its numbers become shares of their sum."""
    numbers = draw.numbers(5, 1.0, 9.0)
    assert_matches(student.conditional(numbers, 0), shares(numbers))


@exercise("conditional")
def test_the_product_rule_is_undone(student, draw):
    """The product rule, backwards: a joint table made of marginals times conditionals gives the conditionals back."""
    marginal, given = draw.distribution(5), draw.distributions(5, 3)
    assert_matches(student.conditional(marginal[:, np.newaxis] * given, 1), given)
    assert_matches(student.conditional((marginal[:, np.newaxis] * given).T, 0), given.T)


@exercise("conditional", Kind.TYPE)
def test_counts_give_the_same_conditional_table(student, draw):
    """A table of whole numbers gives the same shares as the probabilities that it stands for."""
    counts = draw.counts((3, 4))
    assert_matches(student.conditional(counts, 0), lines(counts, 0))
    assert_matches(student.conditional(counts, 1), lines(counts, 1))


@exercise("conditional", Kind.EDGE)
def test_a_line_without_mass_is_undefined_and_spoils_no_other(student, draw):
    """A line without any mass has no distribution: nan there, and the other lines as usual."""
    joint = joint_table(draw, 3, 4)
    joint[:, draw.whole(0, 3)] = 0
    assert_matches(student.conditional(joint, 0), lines(joint, 0), nan_ok=True)
    assert_matches(student.conditional(joint.T, 1), lines(joint.T, 1), nan_ok=True)


@exercise("conditional", Kind.EDGE)
def test_an_empty_cell_is_not_an_empty_line(student, draw):
    """A single empty cell in a line that has mass is simply a probability of zero."""
    joint = joint_table(draw, 3, 4)
    joint[draw.whole(0, 2), draw.whole(0, 3)] = 0
    assert_matches(student.conditional(joint, 1), lines(joint, 1))


@exercise("conditional", Kind.STABILITY)
def test_a_line_with_very_little_mass_is_a_line_like_any_other(student, draw):
    """Very little is not nothing: the cells of a very rare line have shares of its mass, as in any other line."""
    joint = joint_table(draw, 3, 4)
    expected = lines(joint, 1)
    joint[draw.whole(0, 2)] *= 1e-12
    assert_matches(student.conditional(joint, 1), expected)


@exercise("conditional")
def test_what_is_conditional_already_stays_as_it_is(student, draw):
    """Lines that sum to one already stay as they are."""
    table = draw.distributions(3, 4)
    assert_matches(student.conditional(table, 1), table)


@exercise("conditional", Kind.SIDE_EFFECT)
def test_the_joint_table_is_left_as_it_was(student, draw):
    """The caller's table belongs to the caller: after the call it holds what it held before."""
    leaves_alone(student.conditional, 100 * joint_table(draw, 3, 4), 1)
    leaves_alone(student.conditional, 100 * joint_table(draw, 3, 4), axis=0)


@exercise("conditional", Kind.TYPE)
def test_the_joint_table_may_come_in_lists(student, draw):
    """A list of lists is understood like an array."""
    joint = joint_table(draw, 3, 4)
    first, second, third = joint.tolist()
    assert_matches(student.conditional([first, second, tuple(third)], 1), lines(joint, 1))


# --- bayes_classifier -------------------------------------------------------------------------------------------------


def decide(student, joint_xy):
    """The student's decisions and error, after making sure that there are these two."""
    return parts(student.bayes_classifier(joint_xy), 2)


def best_rule(joint):
    """The best of all ways to give every input a label, found by trying them all, and the mass that it gets wrong."""
    rows, columns = joint.shape
    rules = product(range(columns), repeat=rows)
    lost = {rule: sum(joint[x, y] for x in range(rows) for y in range(columns) if y != rule[x]) for rule in rules}
    best = min(lost, key=lost.get)
    return best, lost[best]


def two_labels(draw):
    """Five inputs and two labels, of which one is common: it wins where the other one would explain the input better.

    The rarer label wins the first input narrowly and loses the second one more narrowly; these two inputs are the
    rarest, so that an average in which all inputs count the same is larger than the error.
    """
    masses = np.array([draw.number(0.10, 0.14), draw.number(0.12, 0.16), 0.31, 0.33, 0.36])
    masses[2:] *= 1 - masses[:2].sum()
    common = np.array([draw.number(0.36, 0.42), draw.number(0.52, 0.54), *draw.numbers(3, 0.67, 0.72)])
    joint = masses[:, np.newaxis] * np.column_stack([common, 1 - common])
    return draw.rng.permutation(joint)[:, :: draw.rng.choice([-1, 1])]


@exercise("bayes_classifier", gate=True)
def test_every_input_gets_its_most_probable_label(student, draw):
    """One label for every input: the most probable one there. The error is the mass of all cells not chosen."""
    joint = two_labels(draw)
    decisions, error = decide(student, joint)
    best, lost = best_rule(joint)
    assert_matches(decisions, best)
    assert_matches(error, lost)


@exercise("bayes_classifier", Kind.SIZES)
def test_no_rule_has_a_smaller_error(student, draw):
    """Nobody can do better, however many labels there are: of all ways to label the inputs, yours errs least."""
    for shape in ((5, 3), (3, 4), (1, 5)):
        joint = joint_table(draw, *shape)
        decisions, error = decide(student, joint)
        best, lost = best_rule(joint)
        assert_matches(decisions, best)
        assert_matches(error, lost)


@exercise("bayes_classifier")
def test_the_labels_may_trade_places(student, draw):
    """How labels are numbered is arbitrary: exchange the columns, and every decision changes, but not the error."""
    joint = two_labels(draw)
    best, lost = best_rule(joint)
    for table, expected in ((joint, best), (joint[:, ::-1], 1 - np.array(best))):
        decisions, error = decide(student, table)
        assert_matches(decisions, expected)
        assert_matches(error, lost)


@exercise("bayes_classifier", Kind.EDGE)
def test_the_error_lies_between_none_and_a_blind_guess(student, draw):
    """The error has a floor and a ceiling: none if the input settles the label, a blind guess if it tells nothing."""
    masses, labels = draw.distribution(6), draw.labels(6)
    decisions, settled = decide(student, np.where(labels[:, np.newaxis] == [0, 1], masses[:, np.newaxis], 0))
    assert_matches(decisions, labels)
    assert_matches(settled, 0, atol=1e-6)
    _, guessed = decide(student, np.column_stack([masses, masses]) / 2)
    assert_matches(guessed, 1 / 2)


@exercise("bayes_classifier", Kind.EDGE)
def test_the_smallest_label_wins_a_tie(student, draw):
    """Where several labels are equally probable, the smallest of them is chosen."""
    low, high = draw.number(0.05, 0.10), draw.number(0.15, 0.20)
    table = np.array([[high, high], [low, high], [low, low], [high, low]])
    decisions, error = decide(student, table / table.sum())
    assert_matches(decisions, [0, 1, 0, 0])
    assert_matches(error, (high + 3 * low) / (4 * high + 4 * low))


@exercise("bayes_classifier", Kind.SIZES)
def test_the_smallest_of_three_labels_wins_a_tie(student, draw):
    """Of three labels, any two or all may tie: the smallest of those that tie is chosen."""
    low, high = draw.number(0.05, 0.10), draw.number(0.15, 0.20)
    table = np.array([[low, high, high], [high, low, high], [low, low, low], [low, low, high]])
    decisions, error = decide(student, table / table.sum())
    assert_matches(decisions, [1, 0, 0, 2])
    assert_matches(error, (2 * high + 6 * low) / (5 * high + 7 * low))


@exercise("bayes_classifier")
def test_counts_lead_to_the_same_decisions_and_error(student, draw):
    """A table of counts leads to the same decisions, and to the same error: a share, not a number of cases."""
    joint = two_labels(draw)
    best, lost = best_rule(joint)
    decisions, error = decide(student, joint * draw.whole(200, 900))
    assert_matches(decisions, best)
    assert_matches(error, lost)


@exercise("bayes_classifier", Kind.EDGE)
def test_an_input_that_never_occurs_costs_nothing(student, draw):
    """An input without mass gets label 0 and adds nothing to the error, which stays a number."""
    joint = two_labels(draw)
    best, lost = best_rule(joint)
    place = draw.whole(0, 5)
    decisions, error = decide(student, np.insert(joint, place, 0, axis=0))
    assert_matches(decisions, np.insert(best, place, 0))
    assert_matches(error, lost)


@exercise("bayes_classifier", Kind.SIDE_EFFECT)
def test_the_table_of_inputs_and_labels_is_left_as_it_was(student, draw):
    """The caller's table belongs to the caller: after the call it holds what it held before."""
    leaves_alone(student.bayes_classifier, 100 * two_labels(draw))


@exercise("bayes_classifier", Kind.TYPE)
def test_the_table_of_inputs_and_labels_may_come_in_lists(student, draw):
    """A list of lists is understood like an array, and whole numbers like others."""
    joint = two_labels(draw)
    best, lost = best_rule(joint)
    decisions, error = decide(student, [*joint[:-1].tolist(), tuple(joint[-1].tolist())])
    assert_matches(decisions, best)
    assert_matches(error, lost)
    counts = np.rint(1000 * joint).astype(int)
    best, lost = best_rule(counts)
    decisions, error = decide(student, counts)
    assert_matches(decisions, best)
    assert_matches(error, lost / counts.sum())


PROMISES = {
    "bayes_binary": {
        "other numbers, whose two likelihoods do not sum to 1": (
            "test_a_rare_cause_stays_unlikely_after_one_sign",
            "test_bayes_rule_agrees_with_counting_people",
        ),
        "arrays that broadcast": "test_a_column_of_priors_meets_a_row_of_tests",
        "priors 0 and 1": "test_certainty_is_not_moved_by_evidence",
        "a $B$ that says nothing about $A$": "test_a_sign_that_both_groups_show_alike_teaches_nothing",
        "a $B$ that is very rare, but possible": "test_a_very_rare_sign_is_not_impossible",
        "both kinds of `ValueError`": (
            "test_a_number_that_is_no_probability_is_refused",
            "test_an_impossible_sign_is_refused",
        ),
        "lists": "test_a_list_of_priors_is_as_good_as_an_array",
        "arguments left alone": "test_the_priors_are_left_as_they_were",
        "Raise a `ValueError` for both.": (
            "test_a_number_that_is_no_probability_is_refused",
            "test_an_impossible_sign_is_refused",
        ),
        "The likelihoods P(B | A) and P(B | not A); they need not sum to 1.": (
            "test_a_rare_cause_stays_unlikely_after_one_sign"
        ),
        "P(A | B), in the shape to which the three arguments broadcast.": (
            "test_an_array_of_priors_gets_an_array_of_answers",
            "test_a_column_of_priors_meets_a_row_of_tests",
        ),
        "ValueError If any argument is outside [0, 1], or if P(B) is 0 anywhere.": (
            "test_a_number_that_is_no_probability_is_refused",
            "test_an_impossible_sign_is_refused",
        ),
    },
    "posterior": {
        "other numbers and other $K$": (
            "test_each_likelihood_is_weighed_by_its_prior",
            "test_the_posterior_agrees_with_counting",
        ),
        "sums": "test_each_likelihood_is_weighed_by_its_prior",
        "what happens if the likelihood or the prior is scaled or if hypotheses are renumbered": (
            "test_a_common_factor_of_the_likelihoods_cancels",
            "test_a_prior_in_counts_is_understood_or_refused",
            "test_hypotheses_keep_their_places",
        ),
        "likelihoods that are all very small": "test_very_small_likelihoods_are_as_good_as_others",
        "hypotheses that are ruled out": "test_an_excluded_hypothesis_gets_exactly_nothing",
        "impossible data": "test_data_that_no_hypothesis_allows_are_refused",
        "lists": "test_hypotheses_may_come_in_lists",
        "arguments left alone": "test_prior_and_likelihood_are_left_as_they_were",
        "Only the proportions of the prior matter, so we accept priors such as `[1, 3, 16]` that do not sum to 1.": (
            "test_a_prior_in_counts_is_understood_or_refused"
        ),
        "If no hypothesis can explain the data, that is, if prior times likelihood is 0 for all of them, raise a "
        "`ValueError`.": "test_data_that_no_hypothesis_allows_are_refused",
        "P(data | h_k), not negative; these need not sum to 1.": "test_each_likelihood_is_weighed_by_its_prior",
        "ValueError If the evidence is 0: no hypothesis can explain the data.": (
            "test_data_that_no_hypothesis_allows_are_refused"
        ),
    },
    "sequential_posterior": {
        "row 0": (
            "test_every_observation_starts_from_what_the_one_before_left",
            "test_without_observations_the_prior_is_all_there_is",
        ),
        "sums": "test_every_observation_starts_from_what_the_one_before_left",
        "the order of the observations": "test_the_order_of_the_observations_changes_the_way_but_not_the_end",
        "agreement with one update on the product": "test_every_row_equals_one_update_with_all_data_so_far",
        "$T = 0$": "test_without_observations_the_prior_is_all_there_is",
        "$T = 5{,}000$": "test_thousands_of_observations_do_not_underflow",
        "likelihoods of 0": "test_a_hypothesis_once_excluded_never_returns",
        "lists": "test_observations_may_come_in_lists",
        "arguments left alone": "test_prior_and_observations_are_left_as_they_were",
        "T may be 0, and it may be large.": (
            "test_without_observations_the_prior_is_all_there_is",
            "test_thousands_of_observations_do_not_underflow",
        ),
        "ValueError If after some observation no hypothesis is left.": Ungraded(
            "The task says that data which leave no hypothesis are not graded."
        ),
    },
    "prob": {
        "tables of other shapes": "test_tables_may_have_any_number_of_dimensions",
        "no condition": "test_without_a_condition_every_cell_of_the_event_counts",
        "events inside and outside of the condition": (
            "test_an_event_inside_the_condition_becomes_more_likely",
            "test_an_event_outside_the_condition_has_no_chance",
        ),
        r"the complement, $P(\text{not } E \mid F) = 1 - P(E \mid F)$": (
            "test_an_event_and_its_complement_share_out_the_condition"
        ),
        "counts with a condition": "test_counts_give_the_same_conditional_probability",
        "a very rare condition": "test_a_very_rare_condition_is_a_condition",
        "an impossible one": "test_a_condition_without_mass_is_refused",
        "lists": "test_the_table_and_its_masks_may_come_in_lists",
        "arguments left alone": "test_the_table_and_its_masks_are_left_as_they_were",
        "If the condition has no mass, raise a `ValueError`.": "test_a_condition_without_mass_is_refused",
        "ValueError If the condition has no mass.": "test_a_condition_without_mass_is_refused",
    },
    "conditional": {
        "other shapes and axes, negative ones included": (
            "test_a_negative_axis_counts_from_the_end",
            "test_more_than_two_variables_follow_the_same_rule",
            "test_one_variable_alone_is_only_normalised",
        ),
        "sums": "test_along_the_axis_every_line_becomes_a_distribution",
        "that multiplying back gives the joint": "test_the_product_rule_is_undone",
        "slices without mass, or with very little": (
            "test_a_line_without_mass_is_undefined_and_spoils_no_other",
            "test_a_line_with_very_little_mass_is_a_line_like_any_other",
        ),
        "empty cells": "test_an_empty_cell_is_not_an_empty_line",
        "counts": "test_counts_give_the_same_conditional_table",
        "lists": "test_the_joint_table_may_come_in_lists",
        "arguments left alone": "test_the_joint_table_is_left_as_it_was",
        "Write this for a table of any shape and for any axis.": (
            "test_more_than_two_variables_follow_the_same_rule",
            "test_one_variable_alone_is_only_normalised",
        ),
        "A slice without mass has no conditional distribution: fill it with `nan`.": (
            "test_a_line_without_mass_is_undefined_and_spoils_no_other"
        ),
        "The axis of the variable that is asked about; may be negative, as usual in NumPy.": (
            "test_a_negative_axis_counts_from_the_end"
        ),
        "Sums to 1 along `axis`, or is nan there if the slice has no mass.": (
            "test_along_the_axis_every_line_becomes_a_distribution",
            "test_a_line_without_mass_is_undefined_and_spoils_no_other",
        ),
    },
    "bayes_classifier": {
        "other sizes and more than two labels": "test_no_rule_has_a_smaller_error",
        "ties": ("test_the_smallest_label_wins_a_tie", "test_the_smallest_of_three_labels_wins_a_tie"),
        "an $x$ without mass": "test_an_input_that_never_occurs_costs_nothing",
        "counts": "test_counts_lead_to_the_same_decisions_and_error",
        "that no other rule has a smaller error": "test_no_rule_has_a_smaller_error",
        "lists": "test_the_table_of_inputs_and_labels_may_come_in_lists",
        "arguments left alone": "test_the_table_of_inputs_and_labels_is_left_as_it_was",
    },
}
