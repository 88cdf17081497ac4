"""False positives and coverage of the headline p and interval where claims are easily broken: few clusters,
clusters of unequal sizes, unequal numbers of repeats, 0-1 scores in families."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from concord.stats.clustered import mean_degrees
from concord.stats.compare import Choices, compare_items
from concord.stats.power import _cluster_sizes, power_mcnemar

Drawn = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp] | None]
Draw = Callable[[np.random.Generator], Drawn]


def families(groups: int, cv: float) -> NDArray[np.intp]:
    sizes = np.round(_cluster_sizes(groups, 10.0, cv)).astype(int) if cv else np.full(groups, 10)
    return np.repeat(np.arange(groups), sizes)


def normal(groups: int, cv: float) -> Draw:
    """Differences that correlate by 0.3 inside families."""
    labels = families(groups, cv)

    def draw(rng: np.random.Generator) -> Drawn:
        shared = rng.normal(0, np.sqrt(0.3), groups)[labels]
        return shared + rng.normal(0, np.sqrt(0.7), labels.size), np.zeros(labels.size), labels

    return draw


def counted(groups: int, cv: float) -> Draw:
    """0-1 scores whose difficulty and difference families share."""
    labels = families(groups, cv)

    def draw(rng: np.random.Generator) -> Drawn:
        base, own = rng.uniform(0.2, 0.8, groups)[labels], rng.uniform(-0.2, 0.2, groups)[labels]
        first, second = (rng.random(labels.size) < base + sign * own for sign in (1, -1))
        return first.astype(np.float64), second.astype(np.float64), labels

    return draw


def unequal_repeats(n: int, most: int) -> Draw:
    """Each model answers each item 1 to so many times."""

    def draw(rng: np.random.Generator) -> Drawn:
        repeats, p = rng.integers(1, most + 1, (2, n)), rng.beta(2, 2, n)
        means = rng.binomial(repeats, p) / repeats
        return means[0], means[1], None

    return draw


def rates(draw: Draw, replicates: int, seed: int) -> tuple[float, float]:
    """Share of headline p-values below 5 % and of intervals that cover no difference."""
    rng = np.random.default_rng(seed)
    found = covered = 0
    for k in range(replicates):
        first, second, labels = draw(rng)
        # fewer random signs where they are not the headline
        choices = Choices(n_flips=999 if labels is None else 1, seed=k)
        result = compare_items(first, second, labels, choices=choices)
        assert result.p_value is not None
        assert result.difference.interval is not None
        found += result.p_value < 0.05
        covered += result.difference.interval.low <= 0 <= result.difference.interval.high
    return found / replicates, covered / replicates


@pytest.mark.slow
@pytest.mark.parametrize("make", [normal, counted])
@pytest.mark.parametrize(("groups", "cv"), [(8, 0.0), (12, 0.0), (15, 0.0), (30, 0.6)])
def test_few_equal_and_more_unequal_clusters_keep_their_level(
    make: Callable[[int, float], Draw], groups: int, cv: float
) -> None:
    found, covered = rates(make(groups, cv), 4000, 41)
    assert 0.04 <= found <= 0.0675  # up to 6 %, and two standard errors of the simulation
    assert 0.93 <= covered <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("make", [normal, counted])
@pytest.mark.parametrize(("groups", "cv"), [(8, 0.6), (15, 0.6), (12, 1.0)])
def test_few_unequal_clusters_stay_below_what_their_warning_says(
    make: Callable[[int, float], Draw], groups: int, cv: float
) -> None:
    """A comparison with fewer than the worth of 20 equal clusters warns of up to 9 % (`few_clusters`)."""
    assert mean_degrees(np.bincount(families(groups, cv)).astype(np.float64)) + 1 < 20
    found, covered = rates(make(groups, cv), 4000, 41)
    assert 0.04 <= found <= 0.09
    assert 0.91 <= covered <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200, 1000])
def test_unequal_numbers_of_repeats_keep_the_level(n: int) -> None:
    found, covered = rates(unequal_repeats(n, 5), 4000, 42)
    assert 0.04 <= found <= 0.06
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize("draw", [normal(25, 0.6), unequal_repeats(60, 4)])
def test_a_small_simulation_stays_near_its_level(draw: Draw) -> None:
    found, covered = rates(draw, 400, 43)
    assert 0.02 <= found <= 0.09
    assert 0.91 <= covered <= 0.98


@pytest.mark.parametrize(
    ("n", "exact", "mid_p"), [(50, 0.0296, 0.0457), (200, 0.0379, 0.0483), (1000, 0.0445, 0.0498)]
)
def test_the_sizes_of_both_forms_of_mcnemar_are_those_in_the_documentation(
    n: int, exact: float, mid_p: float
) -> None:
    """Exact enumeration where the models disagree on 40 % of the items; no simulation."""
    assert power_mcnemar(0.2, 0.2, n) == pytest.approx(exact, abs=5e-5)
    assert power_mcnemar(0.2, 0.2, n, mid_p=True) == pytest.approx(mid_p, abs=5e-5)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("n", [30, 50, 200, 1000])
def test_the_exact_form_never_exceeds_its_level_and_mid_p_hardly(share: float, n: int) -> None:
    assert power_mcnemar(share / 2, share / 2, n) <= 0.05
    assert power_mcnemar(share / 2, share / 2, n, mid_p=True) <= 0.055


def test_few_strongly_skewed_clusters_are_told_their_rate_and_others_are_not() -> None:
    """The rates are those of `benchmarks/skewed_clusters.py`; without skewness nothing is told."""
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(10), 6)

    def note(own: NDArray[np.float64]) -> str:
        d = own[labels] + 0.1 * rng.standard_normal(60)
        return compare_items(d, np.zeros(60), labels, choices=Choices(n_flips=1)).note

    assert "10 clusters with skewness" in note(np.array([0.0, 0.1, 0.0, 0.2, 0.1, 0.0, 0.1, 0.2, 0.1, 3.0]))
    assert "9 % are claimed" in note(np.array([0.0, 0.1, 0.0, 0.2, 0.1, 0.0, 0.1, 0.2, 0.1, 3.0]))
    assert "skewness" not in note(np.linspace(-1, 1, 10))
