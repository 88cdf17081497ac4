"""Every claim about interventions is rare where it is false: agents that the intervention does not move."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.reasoning.probes.scripted import Filler, FollowsMistakes, Hinted, Pairs, Rewords

from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.item_numbers import FOLLOWS
from concord.reasoning.probes.chains import score_filler
from concord.reasoning.probes.flips import score_mistake, score_pairs, score_paraphrase

pytestmark = pytest.mark.long

Claim = Callable[[np.random.Generator, int], bool]


def mistake(rng: np.random.Generator, n: int) -> bool:
    """A chain ends elsewhere as often without a mistake as with one."""
    return score_mistake(FollowsMistakes(q=0.0, r=0.2).rows(rng, n)).verdict == FOLLOWS


def mistake_seldom(rng: np.random.Generator, n: int) -> bool:
    """Nearly no chain ends elsewhere."""
    return score_mistake(FollowsMistakes(q=0.0, r=0.03).rows(rng, n)).verdict == FOLLOWS


def wording(rng: np.random.Generator, n: int) -> bool:
    """Other words are as good."""
    return score_paraphrase(Rewords(0.7, 0.7).rows(rng, n)).verdict == "the wording matters"


def wording_at_the_end(rng: np.random.Generator, n: int) -> bool:
    """Other words are as good, and nearly every answer is right."""
    return score_paraphrase(Rewords(0.97, 0.97).rows(rng, n)).verdict == "the wording matters"


def attribute(rng: np.random.Generator, n: int) -> bool:
    """The attribute of a pair does not matter."""
    return score_pairs(Pairs(0.4, 0.4).rows(rng, n)).verdict == FOLLOWS


def attribute_seldom(rng: np.random.Generator, n: int) -> bool:
    """The attribute does not matter, and the stereotype's label is rare."""
    return score_pairs(Pairs(0.05, 0.05).rows(rng, n)).verdict == FOLLOWS


def hint(rng: np.random.Generator, n: int) -> bool:
    """A hint is not taken; its option is given as often without it."""
    return score_hint_rows(Hinted(p=0.0, p0=0.15).rows(rng, n)).kinds[0].verdict == FOLLOWS


def words_did_it(rng: np.random.Generator, n: int) -> bool:
    """Dots do as much as the chain: what the words did is 0."""
    found = score_filler(Filler(0.7, 0.7, 0.5).rows(rng, n)).content.interval
    return found is not None and not found.low <= 0 <= found.high


def computation_did_it(rng: np.random.Generator, n: int) -> bool:
    """Dots do nothing: what the extra computation did is 0."""
    found = score_filler(Filler(0.8, 0.5, 0.5).rows(rng, n)).computation.interval
    return found is not None and not found.low <= 0 <= found.high


CLAIMS: tuple[Claim, ...] = (
    mistake, mistake_seldom, wording, wording_at_the_end, attribute, attribute_seldom, hint,
    words_did_it, computation_did_it,
)  # fmt: skip


def share_claimed(claim: Claim, n: int, times: int) -> float:
    rng = np.random.default_rng([n, times])
    return float(np.mean([claim(rng, n) for _ in range(times)]))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda one: one.__name__)
def test_a_false_claim_about_an_intervention_is_rare_on_a_few_sets(claim: Claim) -> None:
    assert share_claimed(claim, 30, 60) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 30, 100])
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda one: one.__name__)
def test_a_false_claim_about_an_intervention_is_rare(claim: Claim, n: int) -> None:
    rate = share_claimed(claim, n, 2000)
    print(claim.__name__, n, rate)  # noqa: T201
    assert rate <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 2000)
