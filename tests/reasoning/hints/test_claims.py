"""Models that say a hint alike are rarely distinguished."""

import numpy as np
import pytest

from concord.reasoning.hints.counts import Count, HintCounts, ModelCounts, PlaceCounts
from concord.reasoning.hints.leaderboard import HintLeaderboard, _score_test, leaderboard_of
from concord.reasoning.result import gap_p
from concord.stats.mcnemar import bonett_price_of_counts
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


def thinking_told(
    times: int, models: int, n: int, only_thinking: float, only_answer: float, rest: float | None = None
) -> float:
    """Share of boards on which any model is said to tell a hint more often in its thinking.

    Where a rest is given, the other models have that share each way, and the first alone is counted.
    """
    rng, hits = np.random.default_rng([times, models, n]), 0
    for _ in range(times):
        counts = {}
        for i in range(models):
            more, less = (only_thinking, only_answer) if i == 0 or rest is None else (rest, rest)
            both, thinking, answer, neither = rng.multinomial(
                n, [(1 - more - less) / 2, more, less, (1 - more - less) / 2]
            ).tolist()
            counts[f"m{i:02d}"] = ModelCounts(places=PlaceCounts(both, thinking, answer, neither))
        hidden = HintLeaderboard(leaderboard_of(HintCounts(counts))).hidden()
        hits += any(rest is None or one.model == "m00" for one in hidden)
    return hits / times


def test_of_many_models_any_is_rarely_said_to_hide_what_it_thinks_and_a_real_one_is_found() -> None:
    assert thinking_told(60, 12, 60, 0.2, 0.2) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 60)
    assert thinking_told(4, 12, 100, 0.4, 0.02, rest=0.1) == 1


@pytest.mark.parametrize(
    ("more", "less", "n"), [(20, 5, 60), (5, 20, 60), (59, 0, 60), (3, 3, 40), (40, 0, 40)]
)
def test_the_p_of_a_gap_agrees_with_its_interval(more: int, less: int, n: int) -> None:
    from concord.records import Estimate

    gap = Estimate((more - less) / n, bonett_price_of_counts(more, less, n), n)
    for null in (0.0, 0.1, -0.1):
        p = gap_p(gap, null)
        assert p is not None
        for level in (0.8, 0.9, 0.95, 0.99, 0.9999):
            ends = bonett_price_of_counts(more, less, n, level=level)
            assert (p < 1 - level) is not (ends.low <= null <= ends.high)
