"""What the two intervals cover in four populations of studies, at 12 studies x 5 findings x 2 tests.

*Studies like these* is held against the score of endlessly many such studies at the same n; *these
studies, new participants* against the mean score of fresh human and agent samples with the true effects
of these studies fixed. Nominal 95 % must cover 92 to 98 %.
"""

from collections.abc import Iterator

import pytest
from scipy.stats import binom
from tests.people.populations import (
    METRICS,
    POPULATIONS,
    Tally,
    fresh_coverage,
    headline_coverage,
    quickly,
)

LOWEST, HIGHEST = 0.92, 0.98
RUNS = 4000
SEED = 5


@pytest.fixture(autouse=True)
def _evidence_from_a_grid() -> Iterator[None]:
    with quickly():
        yield


def _outside(tallies: dict[str, Tally]) -> dict[str, float]:
    """Metrics whose coverage leaves the range that is asked for."""
    shares = {metric: tally.coverage for metric, tally in tallies.items()}
    return {metric: share for metric, share in shares.items() if not LOWEST <= share <= HIGHEST}


def _impossible(tallies: dict[str, Tally], runs: int) -> dict[str, float]:
    """Metrics that cover so rarely that a true coverage of 92 % would show it once in 10,000 times."""
    least = binom.ppf(1e-4, runs, LOWEST) / runs
    return {metric: tally.coverage for metric, tally in tallies.items() if tally.coverage < least}


@pytest.mark.long
@pytest.mark.parametrize("name", POPULATIONS)
def test_headline_interval_covers_in_a_small_run(name: str) -> None:
    tallies = headline_coverage(name, 100, SEED, n_infinite=2000)
    assert set(tallies) == set(METRICS)
    assert _impossible(tallies, 100) == {}
    assert all(tally.withheld == 0 for tally in tallies.values())


@pytest.mark.long
@pytest.mark.parametrize("name", POPULATIONS)
def test_fresh_interval_covers_in_a_small_run(name: str) -> None:
    tallies = fresh_coverage(name, 25, SEED, n_target=100)
    assert _impossible(tallies, 25) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_headline_interval_covers_the_infinite_population(name: str) -> None:
    assert _outside(headline_coverage(name, RUNS, SEED)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_fresh_interval_covers_the_mean_over_fresh_samples(name: str) -> None:
    assert _outside(fresh_coverage(name, RUNS, SEED)) == {}
