"""Differences of two maxima: identities, undefined cases, and how often the interval covers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from concord.errors import OptionError
from concord.stats.bands import GapTable, ItemWeights, MaximumSide, difference_of_maxima

Floats = NDArray[np.float64]


def side(values: Floats, *, seed: int = 0, resamples: int = 1999) -> MaximumSide:
    """Means of columns over units, resampled as everywhere."""
    table = GapTable(((1.0, values, np.ones_like(values)),))
    draws = ItemWeights(seed, resamples).sums(np.hstack(table.columns())) / len(values)
    return MaximumSide(table.gaps(), table.influence(), draws)


def test_one_part_a_side_is_a_paired_t_test() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.3, 0.2, (200, 1)), rng.normal(0.27, 0.2, (200, 1))
    found = difference_of_maxima(side(a, resamples=20_000), side(b, resamples=20_000))
    wanted = stats.ttest_rel(a[:, 0], b[:, 0])
    ends = wanted.confidence_interval()
    assert found.value == pytest.approx(float(wanted.statistic) * float((a - b).std(ddof=1)) / 200**0.5)
    assert found.p_value == pytest.approx(float(wanted.pvalue), abs=0.01)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high), abs=0.002)


def test_two_clear_maxima_are_compared_by_their_own_contrast() -> None:
    """With parts far below, only the two largest matter: the band is that of their difference, but wider."""
    rng = np.random.default_rng(4)
    a, b = 0.1 * rng.random((100, 3)) + [0, 0, 0.6], 0.1 * rng.random((100, 3)) + [0.5, 0, 0]
    found = difference_of_maxima(side(a), side(b))
    moves = a[:, 2] - b[:, 0]
    assert found.value == pytest.approx(moves.mean())
    assert found.interval is not None
    width = 2 * stats.t.ppf(0.975, 99) * moves.std(ddof=1) / 10
    assert width < found.interval.high - found.interval.low < 2 * width


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 4))
def test_swapping_the_sides_mirrors_the_interval(seed: int, p: int, q: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = side(rng.random((25, p)), resamples=199), side(rng.random((25, q)), resamples=199)
    one, two = difference_of_maxima(a, b), difference_of_maxima(b, a)
    assert one.value == -two.value
    assert one.p_value == pytest.approx(two.p_value, rel=1e-12)  # sums in another order round otherwise
    assert one.interval is not None
    assert two.interval is not None
    mirrored = (-two.interval.high, -two.interval.low)
    assert (one.interval.low, one.interval.high) == pytest.approx(mirrored, abs=1e-12)
    assert one.interval.low <= one.value <= one.interval.high


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.1, 0.2])
def test_interval_and_p_agree_about_zero(shift: float) -> None:
    rng = np.random.default_rng(8)
    a = rng.random((40, 3)) / 3
    b = a + 0.1 * rng.random((40, 3)) + [shift, 0, 0]
    found = difference_of_maxima(side(a), side(b), level=0.95)
    assert found.interval is not None
    assert found.p_value is not None
    assert (not found.interval.low <= 0 <= found.interval.high) == (found.p_value <= 0.05)


def test_parts_that_cannot_be_the_largest_still_count_in_the_band() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.random((60, 1)) / 4, rng.random((60, 1)) / 4
    low = rng.random((60, 6)) / 4 - 0.5
    alone = difference_of_maxima(side(a), side(b))
    among = difference_of_maxima(side(np.hstack([a, low])), side(np.hstack([b, low])))
    assert among.value == pytest.approx(alone.value, abs=1e-12)
    assert alone.interval is not None
    assert among.interval is not None
    assert among.interval.low < alone.interval.low


def test_where_no_unit_moves_anything_there_is_no_interval_instead_of_certainty() -> None:
    rng = np.random.default_rng(6)
    same = rng.random((30, 2))
    for a, b in ((same, same), (np.full((30, 2), 0.4), np.full((30, 2), 0.1))):
        found = difference_of_maxima(side(a), side(b))
        assert found.interval is None
        assert found.p_value is None
        assert found.note == "no interval: every item gives the same difference"


def test_below_twenty_units_there_is_a_value_and_no_interval() -> None:
    found = difference_of_maxima(side(np.linspace(0, 1, 19)[:, None]), side(np.zeros((19, 1))))
    assert found.value == pytest.approx(0.5)
    assert (found.interval, found.p_value) == (None, None)
    assert found.note == "no interval below 20 items"


def test_sides_over_other_units_or_resamples_are_refused() -> None:
    values = np.random.default_rng(0).random((30, 2))
    with pytest.raises(OptionError, match="over the same units and the same resamples"):
        difference_of_maxima(side(values), side(values[:25]))
    with pytest.raises(OptionError, match="the same resamples"):
        difference_of_maxima(side(values), side(values, resamples=99))


def test_a_difference_that_no_resample_reaches_has_a_p_below_their_resolution_but_not_zero() -> None:
    rng = np.random.default_rng(9)
    a = rng.random((400, 3))
    b = a + 0.1 * rng.random((400, 3))
    found = difference_of_maxima(side(a + 0.5, resamples=99), side(b, resamples=99))
    assert found.p_value is not None
    assert 0 < found.p_value < 1e-6


def covered(n: int, parts: int, replicates: int, *, lift: float) -> tuple[float, float]:
    """Share of intervals that hold the truth, and of those that leave out zero.

    Units share a difficulty; scores are means of a few 0-1 answers, so rough and skewed.
    """
    rng = np.random.default_rng([n, parts, replicates, round(1000 * lift)])
    rising = np.linspace(0.2, 0.3, parts)
    levels = (rising, rising[::-1])
    truth = lift
    hits = away = 0
    for r in range(replicates):
        hard = rng.normal(0, 0.15, (n, 1))
        sides = []
        for level, more in zip(levels, (lift, 0.0), strict=True):
            chance = np.clip(level + more + hard, 0.0, 1.0) if not lift else level + more + 0 * hard
            sides.append(side(rng.binomial(4, chance) / 4, seed=r, resamples=299))
        found = difference_of_maxima(*sides)
        assert found.interval is not None
        hits += found.interval.low <= truth <= found.interval.high
        away += not found.interval.low <= 0 <= found.interval.high
    return hits / replicates, away / replicates


def test_coverage_and_false_positives_in_a_small_simulation() -> None:
    hits, away = covered(40, 6, 150, lift=0.0)
    assert hits >= 0.93
    assert away <= 0.06
    hits, away = covered(200, 6, 100, lift=0.2)
    assert hits >= 0.93
    assert away >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50, 200])
@pytest.mark.parametrize("parts", [1, 6, 23])
def test_coverage_and_false_positives(n: int, parts: int) -> None:
    hits, away = covered(n, parts, 2000, lift=0.0)
    print(f"N = {n}, P = {parts}: covers {hits:.4f}, false positives {away:.4f}")  # noqa: T201
    assert hits >= 0.93
    assert away <= 0.06
