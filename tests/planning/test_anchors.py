"""Planners against other programs: statsmodels 0.14 gave each number, by the command beside it."""

from typing import Any

import numpy as np
import pytest

import concord
from concord.planning.options import PlanOptions
from concord.planning.pilots import power_of_mean, units_needed
from concord.planning.structure import order_power
from concord.stats.prediction_powered import cheapest_mixed


@pytest.mark.parametrize(
    ("d", "power", "level", "a_group", "paired"),
    [
        # TTestIndPower().solve_power(effect_size=d, power=power, alpha=1 - level), TTestPower() the same way
        (0.5, 0.8, 0.95, 63.7656, 33.3671),
        (0.3, 0.9, 0.99, 332.3160, 168.6574),
    ],
)
def test_participants_are_those_of_statsmodels(
    d: float, power: float, level: float, a_group: float, paired: float
) -> None:
    found: Any = concord.plan("participants", d=d, power=power, level=level)
    assert (found.a_group, found.paired) == (np.ceil(a_group), np.ceil(paired))


def test_items_and_their_power_are_those_of_statsmodels() -> None:
    # TTestPower().power(0.25, 200, 0.05); TTestPower().solve_power(effect_size=0.25, power=0.8, alpha=0.05)
    found: Any = concord.plan("items", sd_between=0.4, effect=0.1, items=200)
    assert found.power == pytest.approx(0.9404374720, abs=1e-8)
    assert found.items_needed == np.ceil(127.5158)


def test_the_correlation_inside_clusters_of_a_pilot_is_that_of_a_mixed_model() -> None:
    # fit = smf.mixedlm("d ~ 1", frame, groups="family").fit(reml=True)
    # fit.cov_re.iloc[0, 0] / (fit.cov_re.iloc[0, 0] + fit.scale); balanced, so REML is ANOVA
    rng = np.random.default_rng(11)
    family = np.repeat(np.arange(12), 5)
    d = rng.normal(0, 0.3, 12)[family] + rng.normal(0, 0.5, 60)
    first, second = (
        [{"item": f"{i:02}", "score": score, "cluster": str(family[i])} for i, score in enumerate(scores)]
        for scores in (0.5 + d, np.full(60, 0.5))
    )
    document = concord.plan("items", first, second, effect=0.2).to_dict()
    assert document["cluster_correlation"] == pytest.approx(0.23838, abs=5e-5)
    assert document["cluster_size"] == 5


def test_power_for_an_order_effect_is_that_of_statsmodels() -> None:
    # nc = 40 * 5 * 0.05**2 / 0.02; ftest_power((nc / (5 + 195 + 1)) ** 0.5, 195, 5, 0.05)
    assert order_power(0.05, 0.02, 40, 6) == pytest.approx(0.9820816285, abs=1e-8)


def test_power_of_judges_and_options_is_that_of_a_z_test_of_statsmodels() -> None:
    # z = NormalIndPower(ddof=0); z.power(0.05 / 0.3, 200, 0.05, ratio=0)
    # z.solve_power(0.05 / 0.3, power=0.8, alpha=0.05, ratio=0)
    assert power_of_mean(0.05, 0.3**2 / 200, 0.05) == pytest.approx(0.6543457917, abs=1e-8)
    assert units_needed(0.05, 0.3**2, PlanOptions(), "pairs") == np.ceil(282.5590)


def test_no_other_people_and_replies_are_cheaper() -> None:
    found = cheapest_mixed(0.6, sd=1.0, se=0.1, person_cost=5.0, reply_cost=0.1)
    people, replies = np.meshgrid(np.arange(2, 101), np.arange(3001))
    error = np.sqrt((1 - 0.36 * replies / (people + replies)) / people)
    cost = np.where(error <= 0.1, people * 5.1 + replies * 0.1, np.inf)
    assert found.se <= 0.1 + 1e-9
    assert min(found.cost, found.cost_alone) == pytest.approx(
        min(float(cost.min()), found.cost_alone), rel=5e-3
    )
