"""False positives, coverage, family-wise error and power of comparisons, by simulation."""

import numpy as np
import pytest
from tests.stats.simulation import DESIGNS, Rates, simulate_comparisons

from concord.errors import OptionError
from concord.stats.compare import Choices, compare_models


def rates(design: str, n_items: int, n: int, effect: float = 0.0) -> Rates:
    rng = np.random.default_rng([11, n_items, DESIGNS.index(design)])
    return simulate_comparisons(design, n_items, effect=effect, n_replicates=n, rng=rng)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_small_simulation_stays_near_its_level(design: str) -> None:
    result = rates(design, 50, 300)
    assert 0.01 <= result.headline <= 0.10
    assert 0.90 <= result.covered <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("n_items", [50, 200, 1000])
@pytest.mark.parametrize("design", DESIGNS)
def test_false_positives_are_four_to_six_percent_and_intervals_cover(design: str, n_items: int) -> None:
    result = rates(design, n_items, 4000)
    # McNemar's exact form stays below by its nature: the form beside it is the one to be near 5 %
    found = result.found["mid-p McNemar"] if design == "binary" else result.headline
    assert 0.04 <= found <= 0.06
    assert 0.93 <= result.covered <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("n_items", [50, 200, 1000])
def test_the_exact_form_of_mcnemar_never_exceeds_its_level(n_items: int) -> None:
    assert rates("binary", n_items, 4000).found["exact McNemar"] <= 0.05


def family_wise(n_replicates: int) -> float:
    """Share of families of six comparisons without any difference in which Holm finds one."""
    rng = np.random.default_rng(12)
    found = []
    for _ in range(n_replicates):
        shared = rng.normal(0, 1, 60)
        scores = shared + rng.normal(0, 0.7, (4, 60))
        ranking = compare_models(scores, choices=Choices(test="t", n_flips=1))
        found.append(min(pair.p_holm for pair in ranking.pairs if pair.p_holm is not None) < 0.05)
    return float(np.mean(found))


def test_holm_keeps_the_family_wise_error_in_a_small_simulation() -> None:
    assert family_wise(200) <= 0.09


@pytest.mark.slow
def test_holm_keeps_the_family_wise_error() -> None:
    assert family_wise(4000) <= 0.056  # 5 % and two standard errors of the simulation


def test_a_true_difference_is_found_and_covered() -> None:
    result = rates("continuous", 200, 100, effect=0.3)
    assert result.found["paired t"] > 0.9
    assert result.covered > 0.88


def test_an_unknown_design_is_refused() -> None:
    with pytest.raises(OptionError, match="design is 'triangular'; expected one of binary, continuous"):
        simulate_comparisons("triangular", 10, rng=np.random.default_rng(0))
