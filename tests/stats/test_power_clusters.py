"""Power of clustered comparisons: identities, published design effects, numerical integrals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.errors import OptionError
from concord.stats.clustered import clustered_mean
from concord.stats.power import (
    Clusters,
    _beyond,
    _cluster_sizes,
    _mean_root,
    design_effect,
    power_clustered,
    power_paired,
    root_bias,
    spread_of,
)


@pytest.mark.parametrize(
    ("size", "correlation", "cv", "expected", "source"),
    [
        (50, 0.04, 0.0, 2.96, "Kish (1965), section 5.4: 1 + 49 · 0.04"),
        (
            10,
            0.05,
            0.65,
            1.66125,
            "Eldridge et al. (2006), equation 2, by hand: 1 + (10 · 1.4225 - 1) · 0.05",
        ),
    ],
)
def test_the_design_effect_of_a_worked_example(
    size: float, correlation: float, cv: float, expected: float, source: str
) -> None:
    assert design_effect(size, correlation, cv=cv) == pytest.approx(expected, abs=1e-12), source
    with pytest.raises(OptionError, match="clusters of at least 1"):
        design_effect(0.5, 0.1)


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 80), st.integers(1, 30), st.floats(0, 1), st.floats(0, 3))
def test_clusters_of_one_size_have_the_power_of_a_t_test_of_their_means(
    groups: int, size: int, rho: float, effect: float
) -> None:
    expected = power_paired(effect, np.sqrt((1 + (size - 1) * rho) / size), groups)
    assert power_clustered(effect, 1.0, groups * size, Clusters(size, 0.0, rho)) == pytest.approx(
        expected, abs=1e-9
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 60), st.floats(0, 0.9), st.floats(0, 2))
def test_the_integral_for_unequal_clusters_holds_for_equal_ones(
    groups: int, rho: float, effect: float
) -> None:
    """Imhof's integral against the noncentral t distribution."""
    sizes = np.full(groups, 7.0)
    critical = spread_of(7 * groups, Clusters(7.0)).critical(0.05)
    found = _beyond(sizes, sizes * (1 + 6 * rho), effect, critical)
    expected = power_clustered(effect, 1.0, 7 * groups, Clusters(7.0, 0.0, rho))
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("effect", "n"), [(0.0, 60), (0.3, 60), (0.5, 24), (50.0, 15), (190.0, 1000), (300.0, 60)]
)
def test_power_of_unequal_clusters_is_defined_from_no_effect_to_a_huge_one(effect: float, n: int) -> None:
    power = power_clustered(effect, 1.0, n, Clusters(5.0, 1.0, 0.3))
    assert 0.04 <= power <= 1
    assert power > 0.9999 or effect < 10


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 200), st.floats(1.5, 40), st.floats(0.05, 1.2))
def test_sizes_have_the_mean_and_the_variation_that_was_asked_for(
    groups: int, mean: float, cv: float
) -> None:
    sizes = _cluster_sizes(groups, mean, cv)
    assert sizes.min() >= 1
    assert sizes.mean() == pytest.approx(mean, rel=1e-9)
    assert sizes.std() <= cv * mean * (1 + 1e-6)


def squared_errors(sizes: np.ndarray, rho: float, replicates: int) -> np.ndarray:
    """Squared clustered standard errors of simulated means."""
    rng, labels = np.random.default_rng(4), np.repeat(np.arange(sizes.size), sizes)
    found = []
    for _ in range(replicates):
        shared = rng.normal(0, np.sqrt(rho), sizes.size)[labels]
        found.append(clustered_mean(shared + rng.normal(0, np.sqrt(1 - rho), labels.size), labels).se ** 2)
    return np.array(found)


def test_the_spread_of_the_standard_error_is_what_simulation_finds() -> None:
    clusters = Clusters(8.0, 0.7, 0.25)
    sizes = np.round(_cluster_sizes(12, 8.0, 0.7)).astype(int)
    found, spread = squared_errors(sizes, 0.25, 4000), spread_of(96, clusters)
    expected = spread.inflation * spread.ratio / 96
    assert found.mean() == pytest.approx(expected, rel=0.05)
    assert 2 * found.mean() ** 2 / found.var() == pytest.approx(spread.df, rel=0.15)


def test_fewer_than_three_clusters_find_nothing() -> None:
    assert power_clustered(5.0, 1.0, 20, Clusters(10.0)) == 0.0
    assert power_clustered(5.0, 1.0, 30, Clusters(10.0)) > 0.9


def test_the_power_of_many_unequal_clusters_follows_that_of_fewer() -> None:
    """Beyond 200 clusters a noncentral t takes the place of the integral."""
    below, above = (power_clustered(0.08, 1.0, 5 * g, Clusters(5.0, 0.6, 0.2)) for g in (200, 202))
    assert above == pytest.approx(below, abs=0.006)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0.5}, "a cluster has 0.5 items; expected 1 or more"),
        ({"size": 5.0, "correlation": 1.5}, "inside clusters is 1.5; expected a number from 0 to 1"),
        ({"size": 5.0, "correlation": -0.1}, "inside clusters is -0.1"),
        ({"size": 5.0, "cv": -1.0}, "vary by -1.0 times their mean"),
    ],
)
def test_clusters_that_cannot_be_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Clusters(**options)


@pytest.mark.parametrize("df", [2, 7, 40])
def test_the_mean_root_of_equal_terms_is_that_of_the_chi_distribution(df: int) -> None:
    assert _mean_root(np.full(df, 1 / df)) == pytest.approx(root_bias(df), rel=1e-10)


def test_the_mean_root_of_one_and_of_two_unequal_terms() -> None:
    """E |z| = sqrt(2/π); for λ and μ the mean of sqrt(λ z² + μ w²) is an elliptic integral."""
    from scipy import special

    assert _mean_root(np.array([1.0])) == pytest.approx(np.sqrt(2 / np.pi), rel=1e-10)
    expected = np.sqrt(0.9) * special.ellipe(1 - 0.1 / 0.9) * np.sqrt(2 / np.pi)
    assert _mean_root(np.array([0.9, 0.1])) == pytest.approx(expected, rel=1e-10)
