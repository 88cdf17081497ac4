"""Titles of the page and words in pictures are rare where they are false."""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.structure.score.test_claims import STEADY, answered

from concord.reasoning.probes.result import joint_words
from concord.reasoning.score.gap import Items, gap_estimate
from concord.records import Estimate
from concord.stats.bounded_means import bounded_mean
from concord.stats.order import order_effect
from concord.structure.result import order_claims

pytestmark = pytest.mark.long


# order alone moves the score of some of several models


def titles(replicates: int, models: int, n: int, points: float = 0.0) -> float:
    """Share of sets of models, which the order moves by so much, of which the title names one."""
    rng = np.random.default_rng([replicates, models, n])
    named, accuracy = 0, STEADY + points * np.linspace(-1, 1, len(STEADY))
    for _ in range(replicates):
        p = [order_effect(answered(rng, n, accuracy).counted("m").mean).p_value for _ in range(models)]
        seen = [
            SimpleNamespace(
                gate="", flips=Estimate(None), flips_p=None, order=SimpleNamespace(p_value=one, claim_p=one)
            )
            for one in p
        ]
        named += any(one.means for one in order_claims(seen))  # type: ignore[arg-type]
    return named / replicates


def test_of_several_models_without_an_order_effect_the_title_rarely_names_one() -> None:
    assert titles(80, 5, 40) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 80)


@pytest.mark.slow
@pytest.mark.parametrize("models", [2, 5, 12])
@pytest.mark.parametrize("n", [25, 60])
def test_of_several_models_the_title_rarely_names_one_in_full(models: int, n: int) -> None:
    rate = titles(2000, models, n)
    print("order alone, title", models, n, rate)  # noqa: T201
    assert rate <= 0.05 + 3 * 0.005


# gap beside content

EDGES = {
    "large gap, weak content": [(0.10, 0.2), (0.4, 0.5)],
    "large gap, good content": [(0.10, 0.8), (0.4, 0.5)],
    "no large gap, weak content": [(0.10, 0.2), (0.0, 0.5)],
    "no large gap, good content": [(0.10, 0.8), (0.0, 0.5)],
}
"""True gap and Step-F1 where the words are just false in one of the two."""


def quadrants(words: str, gap: float, content: float, replicates: int, n: int) -> float:
    """Share of models of which the words are said."""
    rng = np.random.default_rng([replicates, n, int(100 * gap), int(100 * content)])
    said = 0
    for _ in range(replicates):
        cells = rng.multinomial(n, [0.3, 0.1 + gap, 0.1, 0.5 - gap])
        cot, early = (np.repeat(part, cells) for part in ([1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]))
        items = Items(np.arange(n), cot, early, n, n, int(cot.sum()), int(early.sum()))
        steps = rng.beta(4 * content, 4 * (1 - content), n)
        found = Estimate(float(steps.mean()), bounded_mean(steps).interval)
        said += joint_words(gap_estimate(items, 0), found) == words
    return said / replicates


@pytest.mark.parametrize("words", EDGES)
def test_words_for_gap_and_content_are_rare_where_one_is_at_its_line(words: str) -> None:
    gap, content = EDGES[words][0]
    assert quadrants(words, gap, content, 60, 100) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.slow
@pytest.mark.parametrize("words", EDGES)
@pytest.mark.parametrize("n", [20, 100, 300])
def test_words_for_gap_and_content_are_rare_in_full(words: str, n: int) -> None:
    for gap, content in EDGES[words]:
        rate = quadrants(words, gap, content, 3000, n)
        print("quadrant", words, gap, content, n, rate)  # noqa: T201
        assert rate <= 0.05
