from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special
from scipy.special import stdtrit

from concord.errors import UndefinedError
from concord.stats.bands import (
    GapBand,
    GapTable,
    ItemWeights,
    band_from_draws,
    cross_fit_worst,
    half_splits,
    mean_gap_interval,
    on_exact_grid,
)
from concord.stats.gaps import expected_maximum, fixed_m_gap

P = 23
Floats = NDArray[np.float64]


def table(gaps: Floats) -> GapTable:
    there = ~np.isnan(gaps)
    return GapTable(((1.0, np.where(there, gaps, 0.0), there.astype(np.float64)),))


def band_of(table: GapTable, weights: ItemWeights) -> GapBand | None:
    size = np.full(weights.n_resamples, float(table.n_units))
    draws = table.from_sums(weights.sums(np.hstack(table.columns())), size)
    return band_from_draws(table, draws)


def test_without_missing_cells_the_interval_is_the_t_interval_over_item_means() -> None:
    gaps = np.random.default_rng(1).random((30, 5))
    ours, means = mean_gap_interval(table(gaps)), gaps.mean(axis=1)
    assert ours is not None
    half = float(stdtrit(29, 0.975) * means.std(ddof=1) / np.sqrt(30))
    assert (ours.low, ours.high) == pytest.approx((means.mean() - half, means.mean() + half), abs=1e-12)


def test_below_twenty_units_there_is_no_interval() -> None:
    gaps = np.random.default_rng(1).random((19, 5))
    assert mean_gap_interval(table(gaps)) is None
    assert band_of(table(gaps), ItemWeights(0)) is None


def test_nothing_observed_has_no_interval() -> None:
    gaps = np.full((30, 2), np.nan)
    assert mean_gap_interval(table(gaps)) is None
    assert band_of(table(gaps), ItemWeights(0)) is None


def test_arrangements_that_never_vary_stay_out_of_the_critical_value() -> None:
    gaps = np.random.default_rng(2).random((40, 3)) / 2
    constant = np.column_stack([gaps, np.full(40, 0.9)])
    with_constant, without = (band_of(table(g), ItemWeights(0)) for g in (constant, gaps))
    assert with_constant is not None
    assert without is not None
    assert with_constant.critical == pytest.approx(without.critical)
    assert with_constant.worst().low == pytest.approx(0.9)


def test_missing_cells_change_the_denominators_only() -> None:
    gaps = np.random.default_rng(3).random((50, 4))
    gaps[3, 1] = gaps[7, 2] = np.nan
    assert table(gaps).gaps() == pytest.approx(np.nanmean(gaps, axis=0))
    assert table(gaps).influence().mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-12)


def test_unpaired_gaps_equal_paired_ones_when_all_items_match() -> None:
    rng = np.random.default_rng(3)
    low, high = rng.random((40, 4)), rng.random((40, 4))
    ones = np.ones_like(low)
    two = GapTable(((1.0, high, ones), (-1.0, low, ones)))
    one = table(high - low)
    assert two.gaps() == pytest.approx(one.gaps())
    assert two.influence() == pytest.approx(one.influence())


@given(st.integers(0, 2**31), st.integers(20, 60))
def test_sums_on_the_grid_do_not_depend_on_the_order_of_addition(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    values = on_exact_grid(rng.random((n, 3)))
    weights = rng.integers(0, 4, n).astype(np.float64)
    order = rng.permutation(n)
    assert np.array_equal(weights @ values, weights[order] @ values[order])
    assert np.array_equal((weights[:, None] * values).sum(axis=0), weights @ values)


def test_weights_do_not_depend_on_what_was_drawn_before() -> None:
    one, other = ItemWeights(5, 600), ItemWeights(5, 600)
    other.sums(np.ones((33, 1)))
    matrix = on_exact_grid(np.random.default_rng(0).random((47, 2)))
    assert np.array_equal(one.sums(matrix), other.sums(matrix))
    assert one.sums(np.ones((47, 1))).ravel().tolist() == [47.0] * 600


def test_the_same_seed_gives_the_same_band_and_another_one_another() -> None:
    gaps = np.random.default_rng(4).random((40, 5))
    bands = [band_of(table(gaps), ItemWeights(seed)) for seed in (1, 1, 2)]
    critical = [band.critical for band in bands if band is not None]
    assert critical[0] == critical[1]
    assert critical[0] != critical[2]


def test_halves_are_halves() -> None:
    splits = half_splits(41, 30, np.random.default_rng(0))
    assert set(splits.sum(axis=1).tolist()) == {20}
    with pytest.raises(UndefinedError, match="1 items cannot be split"):
        half_splits(1, 3, np.random.default_rng(0))


def test_gaps_on_halves_are_those_of_the_halves() -> None:
    gaps = np.random.default_rng(6).random((21, 3))
    gaps[2, 1] = np.nan
    splits = half_splits(21, 4, np.random.default_rng(0))
    first, second = table(gaps).on_halves(splits)
    for k, split in enumerate(splits):
        assert first[k] == pytest.approx(np.nanmean(gaps[split], axis=0))
        assert second[k] == pytest.approx(np.nanmean(gaps[~split], axis=0))


def test_splits_without_a_shared_arrangement_are_counted_or_undefined() -> None:
    nan = np.nan
    value, lost = cross_fit_worst(np.array([[0.1, nan], [nan, 0.2]]), np.array([[0.3, 0.5], [0.4, nan]]))
    assert value == pytest.approx(0.2)
    assert lost == 1
    with pytest.raises(UndefinedError, match="no arrangement is defined on both halves"):
        cross_fit_worst(np.array([[nan, 0.2]]), np.array([[0.4, nan]]))


# --- simulations: cells of four samples, items with their own noise ---


def continuous(rng: np.random.Generator, n: int, spread: float) -> tuple[Floats, Floats]:
    """Continuous samples whose noise depends on item and arrangement, and its true mean per arrangement."""
    scale = np.linspace(1 - spread, 1 + spread, P)
    sd = rng.gamma(4, 0.02, size=(n, 1, 1))
    return 0.5 + sd * scale[None, :, None] * rng.normal(size=(n, P, 4)), 0.08 * scale


def binary(rng: np.random.Generator, n: int, spread: float) -> tuple[Floats, Floats]:
    """0/1 samples whose chances are uniform over items."""
    p = rng.random(size=(n, 1, 1))
    return (rng.random((n, P, 4)) < p).astype(np.float64), np.ones(P)


DRAW = {"continuous": continuous, "binary": binary}
TRUTH = {  # per unit of noise: d(4), d(2); means of 1 - (1-p)^m - p over uniform p
    ("continuous", "paired"): expected_maximum(4),
    ("continuous", "fixed m"): expected_maximum(2),
    ("binary", "paired"): 0.3,
    ("binary", "fixed m"): 1 / 6,
}


@dataclass
class Simulated:
    """What a simulation found."""

    e: float
    r: float
    cross: float
    naive: float


def simulate(kind: str, gap: str, n: int, replicates: int, *, spread: float = 0.0) -> Simulated:
    """Coverage of the E interval and of the R band, bias of cross-fit and of naive R."""
    rng = np.random.default_rng([n, replicates])
    hits, cross, naive = np.zeros(2), [], []
    for r in range(replicates):
        y, noise = DRAW[kind](rng, n, spread)
        truth = noise * TRUTH[kind, gap]
        gaps = y.max(-1) - y.mean(-1) if gap == "paired" else fixed_m_gap(y)
        t = table(gaps)
        e, band = mean_gap_interval(t), band_of(t, ItemWeights(r, 400))
        assert e is not None
        assert band is not None
        worst = band.worst()
        hits += [e.low <= truth.mean() <= e.high, worst.low <= truth.max() <= worst.high]
        cross.append(cross_fit_worst(*t.on_halves(half_splits(n, 20, rng)))[0] - truth.max())
        naive.append(gaps.mean(axis=0).max() - truth.max())
    e_share, r_share = hits / replicates
    return Simulated(float(e_share), float(r_share), float(np.mean(cross)), float(np.mean(naive)))


@pytest.mark.long
@pytest.mark.parametrize("gap", ["paired", "fixed m"])
@pytest.mark.parametrize("kind", ["continuous", "binary"])
def test_intervals_cover_and_cross_fit_is_unbiased_in_a_small_simulation(kind: str, gap: str) -> None:
    found = simulate(kind, gap, 40, 200)
    assert 0.90 <= found.e <= 0.99
    assert found.r >= 0.90
    assert abs(found.cross) < 0.01
    assert found.naive > 0.003


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize("gap", ["paired", "fixed m"])
@pytest.mark.parametrize("kind", ["continuous", "binary"])
def test_intervals_cover_and_cross_fit_is_unbiased(
    kind: str, gap: str, n: int, request: pytest.FixtureRequest
) -> None:
    if (kind, gap, n) == ("binary", "fixed m", 40):
        cautious = pytest.mark.xfail(reason="E holds the truth in 97.6 %: cautious", strict=True)
        request.applymarker(cautious)
    found = simulate(kind, gap, n, 3000)
    print(f"{kind}, {gap}, N = {n}: {found}")  # noqa: T201
    assert 0.92 <= found.e <= 0.97
    assert found.r >= 0.93
    assert abs(found.cross) < 0.005
    assert found.naive > 0


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 200])
def test_unequal_gaps_are_covered_and_cross_fit_is_cautious(n: int) -> None:
    found = simulate("continuous", "paired", n, 3000, spread=0.3)
    print(f"unequal, N = {n}: {found}")  # noqa: T201
    assert 0.92 <= found.e <= 0.97
    assert found.r >= 0.93
    assert -0.03 < found.cross < 0.0005


def test_the_critical_value_is_moved_to_students_scale() -> None:
    band = GapBand(np.array([0.1]), np.array([0.05]), np.full(999, 2.0), 0, 10, 0.95)
    normal = 2.0 * np.sqrt(10 / 9)  # by hand: the resampled deviation, its variance over n - 1
    assert band.critical == pytest.approx(-special.stdtrit(9, special.ndtr(-normal)), abs=1e-12)
