"""Coverage of the hierarchical bootstrap in an infinite population of studies."""

import numpy as np
import pytest

from concord.stats.agreement import concordance
from concord.stats.hierarchical import ScoredTests, hierarchical_bootstrap


def population(
    runs: int, spread: tuple[float, float, float], rng: np.random.Generator, studies: int = 12
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """PAS, human and agent effects of runs x studies x 5 findings x 2 tests; SDs by study, finding, test."""
    sides = []
    for _ in range(3):
        levels = [
            rng.normal(0, spread[0], (runs, studies, 1, 1)),
            rng.normal(0, spread[1], (runs, studies, 5, 1)),
        ]
        sides.append(sum(levels) + rng.normal(0, spread[2], (runs, studies, 5, 2)))
    pas = 1 / (1 + np.exp(-(0.8 + 1.5 * sides[0])))
    return pas, 0.4 + 0.5 * sides[1], 0.3 + 0.5 * sides[1] + 0.3 * sides[2]


def coverage(runs: int, n_resamples: int, spread: tuple[float, float, float]) -> tuple[float, float]:
    """Coverage of PAS and ECS in an infinite population of such studies, all runs on shared draws."""
    rng = np.random.default_rng(6)
    many = population(1, spread, rng, studies=200_000)
    z = 0.5 * np.log(many[0] / (1 - many[0])).mean(axis=-1)
    targets = np.mean(0.5 * (np.tanh(z) + 1)), concordance(many[1].ravel(), many[2].ravel())
    pas, human, agent = (side.reshape(runs, -1) for side in population(runs, spread, rng))
    study, finding = np.repeat(np.arange(12), 10), np.repeat(np.arange(60), 2)
    tests = ScoredTests(study, finding, pas, np.ones(120), human, agent)
    result = hierarchical_bootstrap(tests, n_resamples=n_resamples, rng=rng)
    covered = []
    for replicates, target in zip((result.pas, result.ecs), targets, strict=True):
        low, high = np.quantile(replicates, [0.025, 0.975], axis=1)
        covered.append(float(np.mean((low <= target) & (target <= high))))
    return covered[0], covered[1]


def test_hierarchical_bootstrap_covers_roughly() -> None:
    for covered in coverage(200, 500, spread=(0.5, 0.4, 0.4)):
        assert 0.87 < covered <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("spread", [(0.8, 0.3, 0.3), (0.5, 0.5, 0.5), (0.2, 0.4, 0.8)])
def test_hierarchical_bootstrap_covers_as_its_documentation_says(spread: tuple[float, float, float]) -> None:
    for covered in coverage(3000, 2000, spread):
        assert 0.90 < covered < 0.999
