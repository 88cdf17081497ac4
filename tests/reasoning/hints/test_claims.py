"""Models that say a hint alike are rarely distinguished."""

import numpy as np
import pytest

from concord.reasoning.hints.counts import Count
from concord.reasoning.hints.leaderboard import _score_test
from concord.stats.multiple import holm

pytestmark = pytest.mark.long


def distinguished(replicates: int, models: int, n: int, share: float, last: float | None = None) -> float:
    """Share of sets of models, alike unless the share of the last is given, with a pair told apart (Holm)."""
    rng = np.random.default_rng([replicates, models, n, int(100 * share)])
    pairs = [(a, b) for a in range(models) for b in range(a)]
    found = 0
    for _ in range(replicates):
        shares = [share] * (models - 1) + [share if last is None else last]
        said = [Count(int(k), n, k / n) for k in rng.binomial(n, shares)]
        found += min(holm([_score_test(said[a], said[b]) for a, b in pairs])) < 0.05
    return found / replicates


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_models_alike_are_rarely_distinguished_by_what_they_say(share: float) -> None:
    assert distinguished(400, 4, 60, share) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("n", [20, 60, 200])
@pytest.mark.parametrize("models", [2, 4, 12])
def test_models_alike_are_rarely_distinguished_in_full(models: int, n: int, share: float) -> None:
    rate = distinguished(4000, models, n, share)
    print("hints, models apart", models, n, share, rate)  # noqa: T201
    assert rate <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 4000)
