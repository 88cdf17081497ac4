"""Intervals that may be looked at at any time: golden margins, formulas by hand, coverage, buying."""

from typing import Any

import numpy as np
import pytest

from concord.errors import OptionError, UndefinedError
from concord.stats.sequential import (
    PeopleSums,
    betting_ends,
    joined_variance,
    maximum_reach,
    mixture_reach,
    mixture_tuning,
    next_purchase,
    people_sums,
    sequenced_mean,
    too_few_to_look,
)

GOLDEN = {
    60: (0.432103, 0.459243), 100: (0.315916, 0.324787), 300: (0.175233, 0.176447),
    1000: (0.098377, 0.098575), 2000: (0.071397, 0.071472),
}  # fmt: skip
"""Margins at unit variance, alpha .05, tuned to 300 people: without a limit of df, and df = n - 2."""


@pytest.mark.parametrize("n", GOLDEN)
def test_margins_are_the_golden_ones(n: int) -> None:
    q = mixture_tuning(0.95) * n / 300
    found = [float(mixture_reach(q, df)) / n**0.5 for df in (np.inf, n - 2)]
    assert found == pytest.approx(GOLDEN[n], abs=6e-7)


def test_published_sequence_is_met_at_its_own_tuning() -> None:
    # drconfseq's function at rho^2 = .1: n = 10, 100, 1,000, 10,000
    q = 0.1 * np.array([10, 100, 1000, 10_000])
    found = mixture_reach(q, np.inf) / np.sqrt(q / 0.1)
    assert found == pytest.approx([1.156254, 0.303781, 0.103502, 0.035935], abs=6e-7)


def test_an_interval_is_without_end_while_there_is_too_little() -> None:
    assert np.isinf(mixture_reach(mixture_tuning() * 3 / 300, 1))
    assert np.isfinite(mixture_reach(mixture_tuning() * 60 / 300, 58))


def test_the_maximum_is_the_reflection_of_a_path() -> None:
    assert float(maximum_reach(1.0, np.inf)) == pytest.approx(2.2414, abs=5e-5)
    assert float(maximum_reach(4.0, np.inf)) == pytest.approx(4.4828, abs=1e-4)
    assert float(maximum_reach(1.0, 20)) > 2.2414


def test_a_mean_is_that_of_the_formulas() -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=80)
    f, more = 0.5 * y + rng.normal(size=80) + 1, rng.normal(size=500) * 1.2 + 1
    weight = np.cov(y, f)[0, 1] / f.var(ddof=1) / (1 + 80 / 500)
    left = y - weight * f
    s2 = ((left - left.mean()) ** 2).sum() / 78
    variance = s2 / 80 + weight**2 * more.var(ddof=1) / 500
    gap = f.mean() - more.mean()
    units = np.column_stack([np.ones(80), y, f, f * f])
    found = sequenced_mean(people_sums(units), 500, more.mean(), more.var(ddof=1))
    assert float(found.value) == pytest.approx(y.mean() - weight * gap)
    assert float(found.weight) == pytest.approx(weight)
    assert float(found.variance) == pytest.approx(variance)
    assert float(found.plus) == pytest.approx(variance + s2 * gap**2 / ((f - f.mean()) ** 2).sum())
    assert float(found.effective) == pytest.approx(s2 / variance)


def test_a_weight_above_one_is_kept_and_one_of_constant_predictions_is_none() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=200)
    f = y / 3 + rng.normal(size=200) / 20
    units = np.column_stack([np.ones(200), y, f, f * f])
    assert float(sequenced_mean(people_sums(units), 20_000, 0.0, f.var(ddof=1)).weight) > 2.5
    flat = np.column_stack([np.ones(200), y, np.full(200, 3.0), np.full(200, 9.0)])
    alone = sequenced_mean(people_sums(flat), 20_000, 3.0, 0.0)
    assert float(alone.weight) == 0
    assert float(alone.value) == pytest.approx(y.mean())


def test_rows_of_one_person_count_as_that_person() -> None:
    rng = np.random.default_rng(3)
    y, f = rng.normal(size=100), rng.normal(size=100)
    one = np.column_stack([np.ones(100), y, f, f * f])
    again = np.column_stack([np.full(100, 4.0), 4 * y, 4 * f, 4 * f * f])
    first, second = (sequenced_mean(people_sums(units), 5000, 0.0, 1.0) for units in (one, again))
    for name in ("value", "weight", "variance", "plus", "effective"):
        assert float(getattr(first, name)) == pytest.approx(float(getattr(second, name)))


@pytest.mark.parametrize(
    ("people", "skew", "rarer", "has_ends", "looks"),
    [
        (59, 0.0, None, True, False), (60, 0.0, None, True, True), (60, 1.6, None, True, False),
        (200, 1.6, None, True, True), (99, 2.0, None, True, False), (199, 0.0, None, False, False),
        (200, 0.0, None, False, True), (224, 3.0, None, False, False), (225, 3.0, None, False, True),
        (60, 9.0, 10, False, True), (400, 0.0, 9, False, False),
    ],
)  # fmt: skip
def test_the_first_look_waits_for_enough_people(
    people: int, skew: float, rarer: int | None, has_ends: bool, looks: bool
) -> None:
    assert (too_few_to_look(people, skew, rarer=rarer, has_ends=has_ends) == "") is looks


def test_without_ends_a_heavy_tail_is_waited_for_by_its_kurtosis_too() -> None:
    known: dict[str, Any] = {"rarer": None, "kurtosis": 31.0}  # 2n/(31 - 1) = 60 at n = 900
    assert "900 are needed" in too_few_to_look(899, 4.0, has_ends=False, **known)
    assert too_few_to_look(900, 4.0, has_ends=False, **known) == ""
    assert too_few_to_look(400, 4.0, has_ends=True, **known) == ""


def missed(replays: int, rho: float, seed: int) -> tuple[float, float]:
    """Shares of replays missed at any look: at any time, and by the ordinary interval."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(replays, 1000))
    f = rho * y + np.sqrt(1 - rho**2) * rng.normal(size=y.shape)
    ones = np.ones_like(y)
    columns = (ones, ones, y, f, ones, y, f, y * y, y * f, f * f, f * f)
    sums = PeopleSums(*(np.cumsum(x, axis=1)[:, 59::20] for x in columns))
    far = rng.normal(size=(replays, 1)) / np.sqrt(20_000)
    found = sequenced_mean(sums, 20_000, far, 1.0)
    value, _, plus, df, effective = joined_variance([found], [1.0])
    off = np.abs(value) / np.sqrt(plus)
    reach = mixture_reach(mixture_tuning() * effective / 300, df)
    return float((off > reach).any(axis=1).mean()), float((off > 1.96).any(axis=1).mean())


@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_the_truth_is_rarely_missed_at_any_look_and_often_by_the_ordinary_interval(rho: float) -> None:
    at_any_time, ordinary = missed(400, rho, 7)
    assert at_any_time <= 0.05
    assert ordinary > 0.15


def test_looking_ahead_buys_what_is_cheapest() -> None:
    known: dict[str, Any] = {"margin": 0.1, "planned": 300, "person_cost": 2.5}
    cheap = next_purchase(1.0, 0.64, people=60, replies=0, reply_cost=0.0001, **known)
    assert cheap.replies > 0
    dear = next_purchase(1.0, 0.04, people=60, replies=0, reply_cost=1.0, **known)
    assert (dear.people, dear.replies) == (20, 0)
    assert dear.replies_in_all == 0
    nothing = next_purchase(1.0, 0.0, people=60, replies=0, reply_cost=0.0, **known)
    assert nothing.replies_in_all == 0
    assert cheap.people_in_all < nothing.people_in_all
    with pytest.raises(UndefinedError, match="more than 100 people"):
        next_purchase(1.0, 0.0, people=60, replies=0, reply_cost=0.0, most=100, **known)
    with pytest.raises(OptionError):
        next_purchase(0.0, 0.0, people=60, replies=0, reply_cost=0.0, **known)


def test_betting_holds_the_mean_of_rare_answers() -> None:
    rng = np.random.default_rng(4)
    lost = 0
    for _ in range(60):
        x = (rng.random(300) < 0.03).astype(float)
        low, high = betting_ends(x, planned=300, grid=501)
        lost += not low <= 0.03 <= high
    assert lost <= 6
    with pytest.raises(OptionError):
        betting_ends([0.5, 1.2], planned=300)
