"""Each verdict on the gap is rarely printed where it is false: data simulated at the edge of the claim."""

import numpy as np
import pytest

from concord.reasoning.result import verdicts_of_several
from concord.reasoning.score.gap import Items, gap_estimate, verdict
from concord.records import Estimate, Interval

# Shares of pairs right in both modes, only after reasoning, only early; the rest are wrong in both.
EDGE = {
    "functional": [(0.4, 0.10, 0.00), (0.4, 0.20, 0.10), (0.2, 0.30, 0.20), (0.75, 0.15, 0.05)],
    "decorative": [(0.4, 0.10, 0.00), (0.4, 0.20, 0.10), (0.4, 0.00, 0.10), (0.2, 0.20, 0.30)],
    "harmful": [(0.4, 0.05, 0.05), (0.4, 0.20, 0.20), (0.8, 0.02, 0.02), (0.1, 0.30, 0.30)],
}
"""Where each claim is just false: a true gap of 0.10, of 0.10 either way, of 0."""


def share_claimed(word: str, n: int, cells: tuple[float, float, float], n_sets: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n, [*cells, 1 - sum(cells)], size=n_sets)
    return float(np.mean([_verdict(row) == word for row in counts]))


def _verdict(row: np.ndarray) -> str:
    return _judged(row)[0]


def _judged(row: np.ndarray) -> tuple[str, Estimate]:
    both, only_cot, only_early, neither = row
    cot = np.repeat([1.0, 1.0, 0.0, 0.0], [both, only_cot, only_early, neither])
    early = np.repeat([1.0, 0.0, 1.0, 0.0], [both, only_cot, only_early, neither])
    n = len(cot)
    found = Items(np.arange(n), cot, early, n, n, int(cot.sum()), int(early.sum()))
    gap = gap_estimate(found, 0)
    return verdict(gap, n, 0)[0], gap


def any_claimed(word: str, models: int, n: int, cells: tuple[float, float, float], times: int) -> float:
    """Share of sets of models alike of which any gets the verdict, all of them together."""
    rng, hits = np.random.default_rng([models, n, times]), 0
    for _ in range(times):
        counts = rng.multinomial(n, [*cells, 1 - sum(cells)], size=models)
        hits += word in verdicts_of_several([_judged(row) for row in counts])
    return hits / times


def test_of_several_models_a_false_verdict_is_rare_and_a_true_one_is_found() -> None:
    for word, edges in EDGE.items():
        assert any_claimed(word, 10, 100, edges[1], 60) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 60)
    assert any_claimed("functional", 10, 100, (0.4, 0.45, 0.05), 5) == 1
    held = [("functional", Estimate(0.3, Interval(0.12, 0.48, 0.95, "Bonett-Price"), 100))]
    assert verdicts_of_several(held) == ["functional"]
    assert verdicts_of_several(held * 5) == ["undecided"] * 5


@pytest.mark.slow
@pytest.mark.parametrize("word", list(EDGE))
@pytest.mark.parametrize("models", [2, 5, 20])
def test_of_several_models_any_false_verdict_is_rare_in_full(word: str, models: int) -> None:
    rates = [any_claimed(word, models, n, cells, 1000) for n in (20, 100, 300) for cells in EDGE[word]]
    print(word, models, rates)  # noqa: T201
    assert max(rates) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)


@pytest.mark.parametrize("word", list(EDGE))
@pytest.mark.parametrize("n", [20, 100])
def test_a_false_verdict_is_printed_in_five_of_a_hundred_sets_at_most(word: str, n: int) -> None:
    for number, cells in enumerate(EDGE[word]):
        rate = share_claimed(word, n, cells, 400, seed=number)
        assert rate <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400), (word, n, cells, rate)


@pytest.mark.slow
@pytest.mark.parametrize("word", list(EDGE))
@pytest.mark.parametrize("n", [20, 60, 100, 300])
def test_the_rates_that_the_page_of_words_states(word: str, n: int) -> None:
    rates = [share_claimed(word, n, cells, 10_000, seed=number) for number, cells in enumerate(EDGE[word])]
    assert max(rates) <= 0.05


def test_a_true_claim_is_printed() -> None:
    assert share_claimed("functional", 100, (0.4, 0.4, 0.05), 200, seed=1) > 0.9
    assert share_claimed("harmful", 100, (0.4, 0.05, 0.3), 200, seed=1) > 0.9
    assert share_claimed("decorative", 300, (0.6, 0.05, 0.05), 200, seed=1) > 0.9
