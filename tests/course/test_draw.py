"""What a hidden check draws is telling, whatever the seed is: no draw hides a mistake that another one would show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from autograder.course.draw import FIXED, Draw

SEEDS = [FIXED, *map(str, range(500))]


def draws(check: Callable[[Draw], None]) -> None:
    """Make sure of something for every seed; what fails names its seed."""
    for seed in SEEDS:
        try:
            check(Draw(seed, "test_a_check"))
        except AssertionError as error:
            raise AssertionError(f"with the seed {seed}: {error}") from error


def gaps(values: np.ndarray) -> np.ndarray:
    """The distances between neighbours, in order of size of the values."""
    return np.diff(np.sort(values, axis=None))


def test_the_same_seed_and_check_give_the_same_numbers_and_others_give_others() -> None:
    first = Draw("a", "test_one").numbers(8)
    assert np.array_equal(first, Draw("a", "test_one").numbers(8))
    assert not np.array_equal(first, Draw("b", "test_one").numbers(8))
    assert not np.array_equal(first, Draw("a", "test_two").numbers(8))


def test_what_a_failed_check_says_of_it_is_the_same_everywhere() -> None:
    assert repr(Draw("a", "test_one")) == repr(Draw("b", "test_two")) == "draw"


def test_a_number_is_inside_its_range_and_at_neither_end() -> None:
    def check(draw: Draw) -> None:
        assert 2.0 < draw.number(2.0, 5.0) < 5.0

    draws(check)


@pytest.mark.parametrize("shape", [2, 5, (3, 4), (2, 3, 4)])
def test_numbers_fill_their_range_and_none_are_close(shape: int | tuple[int, ...]) -> None:
    def check(draw: Draw) -> None:
        found = draw.numbers(shape, -1.0, 4.0)
        assert found.shape == (shape if isinstance(shape, tuple) else (shape,))
        assert found.min() > -1.0 and found.max() < 4.0
        assert gaps(found).min() > 0.25 * 5.0 / found.size
        assert np.ptp(found) > 5.0 * (1 - 2 / found.size) - 1e-12

    draws(check)


def test_whole_numbers_are_in_their_range_and_reach_both_ends() -> None:
    found = {Draw(seed, "c").whole(3, 6) for seed in SEEDS}
    assert found == {3, 4, 5, 6}


def test_whole_numbers_differ() -> None:
    def check(draw: Draw) -> None:
        found = draw.wholes((2, 4), -3, 5)
        assert found.shape == (2, 4) and found.min() >= -3 and found.max() <= 5
        assert len(set(found.flat)) == 8

    draws(check)


def test_sizes_differ_and_none_is_one() -> None:
    def check(draw: Draw) -> None:
        found = draw.sizes(3, 1, 6)
        assert len(set(found)) == 3 and min(found) >= 2 and max(found) <= 6

    draws(check)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 11])
def test_coefficients_have_both_signs_and_do_not_cancel(size: int) -> None:
    def check(draw: Draw) -> None:
        found = draw.coefficients(size, 2.0)
        assert found.shape == (size,)
        assert (found > 0).any() and (found < 0).any()
        assert np.abs(found).min() > 0.5 and np.abs(found).max() < 2.0
        assert gaps(np.abs(found)).min() > 0.25 * 1.5 / size
        assert abs(found.sum()) > 0.1

    draws(check)


def test_one_coefficient_is_positive() -> None:
    def check(draw: Draw) -> None:
        assert 0.25 < draw.coefficients(1, 1.0)[0] < 1.0

    draws(check)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_scales_lie_far_apart(size: int) -> None:
    def check(draw: Draw) -> None:
        found = np.log10(draw.scales(size, 6.0))
        assert found.min() > -3 and found.max() < 3
        assert gaps(found).min() > 0.29 * 6 / size
        assert np.ptp(found) > 6 * (1 - 2 / size) + 0.29 * 6 / size

    draws(check)


@pytest.mark.parametrize(("low", "high"), [(0.05, 0.95), (0.2, 0.8), (0.05, 0.4), (0.7, 0.9), (0.3, 0.52)])
def test_a_probability_is_not_one_half_nor_at_an_end(low: float, high: float) -> None:
    def check(draw: Draw) -> None:
        found = draw.probability(low, high)
        assert low < found < high
        assert abs(found - 0.5) >= 0.06 - 1e-12

    draws(check)


def test_where_there_is_nothing_but_one_half_a_probability_is_in_its_range() -> None:
    def check(draw: Draw) -> None:
        assert 0.47 < draw.probability(0.47, 0.53) < 0.53

    draws(check)


@pytest.mark.parametrize("shape", [2, 3, 4, (3, 2), (4, 3), (2, 3, 2)])
def test_probabilities_are_spread_and_their_rows_do_not_sum_to_one(shape: int | tuple[int, ...]) -> None:
    def check(draw: Draw) -> None:
        found = draw.probabilities(shape)
        assert found.min() > 0 and found.max() < 1
        assert gaps(found).min() > 0.29 * 0.9 / found.size
        assert np.abs(found.sum(axis=-1) - 1).min() > 0.0199

    draws(check)


@pytest.mark.parametrize("least", [0.0, 0.3])
@pytest.mark.parametrize("size", [2, 3, 6])
def test_a_distribution_sums_to_one_and_no_two_shares_are_close(size: int, least: float) -> None:
    def check(draw: Draw) -> None:
        found = draw.distribution(size, least=least)
        assert abs(found.sum() - 1) < 1e-12
        assert found.min() > least / size
        assert gaps(found).min() > 0.1 * (1 - least) / size**2

    draws(check)


@pytest.mark.parametrize(("rows", "size"), [(2, 2), (3, 2), (4, 3), (6, 3), (8, 3), (5, 9), (3, 20)])
def test_distributions_have_rows_of_which_no_two_are_alike(rows: int, size: int) -> None:
    def check(draw: Draw) -> None:
        found = draw.distributions(rows, size)
        assert found.shape == (rows, size) and np.abs(found.sum(axis=1) - 1).max() < 1e-12
        assert min(gaps(row).min() for row in found) > 0.1 / size**2
        apart = [np.abs(found[one] - found[other]).max() for one in range(rows) for other in range(one)]
        assert min(apart) > 0.02 / size

    draws(check)


@pytest.mark.parametrize(("rows", "columns"), [(5, 2), (8, 3), (40, 5), (6, 1)])
def test_a_table_is_well_conditioned_and_its_columns_differ(rows: int, columns: int) -> None:
    def check(draw: Draw) -> None:
        found = draw.table(rows, columns, spread=2.0, centre=0.7)
        assert found.shape == (rows, columns)
        means, spreads = found.mean(axis=0), found.std(axis=0)
        assert np.abs(means).min() > 0.1
        if columns > 1:
            assert gaps(means).min() > 0.01 and gaps(spreads).min() > 0.01
        assert spreads.min() > 0.5 and spreads.max() < 5.0
        assert np.linalg.cond(found) < 20
        assert np.linalg.cond(found - means) < 10
        if columns > 1:
            correlations = np.array(np.corrcoef(found, rowvar=False))
            assert np.abs(correlations - np.eye(columns)).max() > 0.1

    draws(check)


def test_a_square_table_is_independent_too_and_a_wider_one_is_refused() -> None:
    def check(draw: Draw) -> None:
        assert np.linalg.matrix_rank(draw.table(4, 4)) == 4

    draws(check)
    with pytest.raises(ValueError, match="4 columns of 3 rows depend on each other: ask for more rows"):
        Draw(FIXED, "c").table(3, 4)


def test_a_table_with_ones_begins_with_them_and_is_well_conditioned() -> None:
    def check(draw: Draw) -> None:
        found = draw.with_ones(9, 3)
        assert found.shape == (9, 4) and (found[:, 0] == 1).all()
        assert np.linalg.cond(found) < 20

    draws(check)


@pytest.mark.parametrize(("size", "classes"), [(3, 2), (4, 2), (5, 2), (9, 2), (40, 2), (6, 3), (10, 3), (30, 4)])
def test_every_label_is_there_and_no_two_are_equally_frequent(size: int, classes: int) -> None:
    def check(draw: Draw) -> None:
        found = draw.labels(size, classes)
        counts = np.bincount(found, minlength=classes)
        assert len(found) == size and len(counts) == classes
        assert counts.min() >= 1 and len(set(counts.tolist())) == classes

    draws(check)


def test_too_few_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="5 labels are too few for 3 classes"):
        Draw(FIXED, "c").labels(5, 3)


@pytest.mark.parametrize(("shape", "empty"), [((3, 4), 0), ((3, 4), 2), ((5, 3), 3), (6, 1), ((2, 3, 4), 2)])
def test_counts_differ_and_empty_ones_share_no_row_or_column(shape: int | tuple[int, ...], empty: int) -> None:
    def check(draw: Draw) -> None:
        found = draw.counts(shape, low=2, high=60, empty=empty)
        flat = found.reshape(-1, found.shape[-1])
        rows, columns = np.nonzero(flat == 0)
        assert len(rows) == empty and len(set(rows)) == len(set(columns)) == empty
        kept = found[found > 0]
        assert kept.min() >= 2 and len(set(kept.tolist())) == kept.size == found.size - empty

    draws(check)


def test_too_few_bits_are_refused() -> None:
    with pytest.raises(ValueError, match="2 bits are all the same or balanced"):
        Draw(FIXED, "c").bits(2)


def test_more_empty_counts_than_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="3 empty cells of 2 rows are not all in different ones"):
        Draw(FIXED, "c").counts((2, 5), empty=3)


@pytest.mark.parametrize(("shape", "ones"), [(3, None), (6, None), ((4, 5), None), (10, 0.5), (8, 0.3), ((3, 2), 0.9)])
def test_bits_are_never_balanced_and_never_all_the_same(shape: int | tuple[int, ...], ones: float | None) -> None:
    def check(draw: Draw) -> None:
        found = draw.bits(shape, ones)
        assert set(np.unique(found)) == {0, 1}
        assert 2 * found.sum() != found.size

    draws(check)


@pytest.mark.parametrize("size", [2, 3, 4, 7, 12])
def test_an_order_leaves_nothing_in_its_place_and_is_not_its_own_inverse(size: int) -> None:
    def check(draw: Draw) -> None:
        found = draw.order(size)
        assert sorted(found) == list(range(size))
        assert (found != np.arange(size)).all()
        assert size == 2 or (found[found] != np.arange(size)).any()

    draws(check)
