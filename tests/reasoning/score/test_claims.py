"""Each verdict on the gap is rarely printed where it is false: data simulated at the edge of the claim."""

import numpy as np
import pytest

from concord.reasoning.score.gap import Items, gap_estimate, verdict

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
    both, only_cot, only_early, neither = row
    cot = np.repeat([1.0, 1.0, 0.0, 0.0], [both, only_cot, only_early, neither])
    early = np.repeat([1.0, 0.0, 1.0, 0.0], [both, only_cot, only_early, neither])
    n = len(cot)
    found = Items(np.arange(n), cot, early, n, n, int(cot.sum()), int(early.sum()))
    return verdict(gap_estimate(found, 0), n, 0)[0]


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
