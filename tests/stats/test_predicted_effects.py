"""Predicted effects against measured ones: published figures, scipy, invariances, undefined cases."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from concord.errors import OptionError
from concord.stats.predicted_effects import EffectAgreement, predicted_effects

DATA = Path(__file__).parents[1] / "data" / "sdc_effects.csv"


def _sdc(outcome: str | None) -> EffectAgreement:
    """GPT-4's predictions for the Strengthening Democracy Challenge, in percentage points of the scale."""
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if outcome in (None, row["finding"])]
    h, s, a = (
        100 * np.array([float(row[name]) for row in rows])
        for name in ("human_effect_d", "human_se", "agent_effect_d")
    )
    return predicted_effects(h, a, human_se=s)


@pytest.mark.parametrize(
    ("outcome", "name", "published"),
    [
        ("PA", "pearson", 0.424),
        ("PA", "pearson_adjusted", 0.435),
        ("ADA", "pearson", 0.252),
        ("ADA", "pearson_adjusted", 0.279),
        (None, "pearson", 0.275),
        (None, "slope", 0.273),
    ],
)
def test_figures_of_the_strengthening_democracy_challenge(
    outcome: str | None, name: str, published: float
) -> None:
    """Ashokkumar et al. 2026, capsule data (CC0); table derived by Livedenkule 2026 (CC BY 4.0)."""
    assert float(getattr(_sdc(outcome), name)) == pytest.approx(published, abs=0.0005)


def test_two_digit_figures_of_the_same_table() -> None:
    found = _sdc(None)
    assert float(found.rmse) == pytest.approx(5.30, abs=0.005)
    assert float(found.direction) == pytest.approx(0.66, abs=0.005)
    assert float(found.all_positive) == pytest.approx(0.68, abs=0.005)
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    h, a = (np.array([float(row[name]) for row in rows]) for name in ("human_effect_d", "agent_effect_d"))
    plain = predicted_effects(h, a, human_se=np.zeros(h.size))
    assert float(plain.size_ratio) == pytest.approx(1.60, abs=0.005)
    assert float(found.size_ratio) > 1.60  # people's noise taken out, their effects are smaller still


effects = st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=4, max_size=12)


@given(effects, st.randoms(use_true_random=False))
def test_correlations_and_line_are_scipys(human: list[float], random: object) -> None:
    rng = np.random.default_rng(len(human))
    h = np.array(human)
    a = h + rng.normal(size=h.size)
    if np.ptp(h) < 1e-6:
        return
    found = predicted_effects(h, a, human_se=np.zeros(h.size))
    assert float(found.pearson) == pytest.approx(stats.pearsonr(a, h)[0], abs=1e-9)
    assert float(found.spearman) == pytest.approx(stats.spearmanr(a, h)[0], abs=1e-9)
    line = stats.linregress(a, h)
    assert float(found.slope) == pytest.approx(line.slope, abs=1e-9)
    assert float(found.intercept) == pytest.approx(line.intercept, abs=1e-9)


def test_agents_are_rows_and_each_has_its_own_numbers() -> None:
    rng = np.random.default_rng(1)
    h, s = rng.normal(size=9), np.full(9, 0.3)
    agents = rng.normal(size=(4, 9))
    together = predicted_effects(h, agents, human_se=s)
    for i, one in enumerate(agents):
        alone = predicted_effects(h, one, human_se=s)
        assert float(together.pearson_adjusted[i]) == float(alone.pearson_adjusted)
        assert float(together.size_ratio[i]) == float(alone.size_ratio)


@pytest.mark.long
def test_adjusted_numbers_recover_the_truth_that_noise_hides() -> None:
    """The agent is twice as large with noise of its own; people's noise hides none of it."""
    rng = np.random.default_rng(2)
    truth = rng.normal(size=20_000)
    h, a = truth + rng.normal(0, 0.8, truth.size), 2 * truth + rng.normal(0, 0.5, truth.size)
    found = predicted_effects(h, a, human_se=np.full(truth.size, 0.8), agent_se=np.full(truth.size, 0.5))
    assert float(found.pearson) < 0.8
    assert float(found.pearson_adjusted) == pytest.approx(2 / np.sqrt(4.25), abs=0.02)
    assert float(found.slope_adjusted) == pytest.approx(0.5, abs=0.02)
    assert float(found.size_ratio) == pytest.approx(2.0, abs=0.03)


def test_what_does_not_exist_is_nan() -> None:
    two = predicted_effects([1.0, 2.0], [1.0, 2.0], human_se=[0.1, 0.1])
    assert np.isnan(two.pearson)
    constant = predicted_effects([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], human_se=[0.1] * 3)
    assert np.isnan(constant.pearson)
    assert np.isnan(constant.slope)
    assert not np.isnan(constant.direction)
    noisy = predicted_effects([1.0, 1.1, 0.9], [1.0, 2.0, 3.0], human_se=[5.0] * 3)
    assert np.isnan(noisy.pearson_adjusted)
    assert np.isnan(noisy.size_ratio)
    unreliable = predicted_effects([1.0, 2.0, 3.0], [1.0, 1.1, 1.2], human_se=[0.1] * 3, agent_se=[9.0] * 3)
    assert np.isnan(unreliable.slope_adjusted)
    assert np.isnan(unreliable.size_ratio)


def test_a_prediction_of_nothing_is_half_right() -> None:
    found = predicted_effects([1.0, -2.0, 3.0], [0.0, 0.0, 0.0], human_se=[0.1] * 3)
    assert float(found.direction) == 0.5


def test_negative_errors_and_other_lengths_are_refused() -> None:
    with pytest.raises(OptionError, match="a standard error is negative"):
        predicted_effects([1.0], [1.0], human_se=[-1.0])
    with pytest.raises(OptionError, match="need one length"):
        predicted_effects([1.0, 2.0], [1.0, 2.0, 3.0], human_se=[1.0])


def test_one_number_predicted_again_and_again_has_no_correlation_whatever_the_rounding() -> None:
    h = np.random.default_rng(1).normal(size=12)
    found = predicted_effects(h, np.full(12, 0.1 + 0.2), human_se=np.full(12, 0.1))
    assert np.isnan([found.pearson, found.pearson_adjusted, found.slope, found.spearman]).all()
