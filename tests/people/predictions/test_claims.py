"""Claims about predicted effects are rare where they are false: size of effects, agents told apart.

Small simulations always; the full ones, whose rates stand in docs/explanation/words.md, are marked slow.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from concord.people.differences import ALPHA
from concord.people.predictions.result import size_words
from concord.people.predictions.score import score_predictions
from concord.people.predictions.table import read_predictions

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Truth:
    """True effects of variance 1 in studies, and agents whose effects are as large and as wrong as others."""

    studies: int
    effects: int
    between: float
    """Share of the variance that lies between studies."""
    follows: float
    """Correlation of an agent's effects with the true ones."""
    tails: float | None = None
    """Degrees of freedom of Student's t; None: normal."""

    def rows(self, rng: np.random.Generator, agents: int) -> list[dict[str, Any]]:
        """Return people's effects with standard errors of 0.5, and predictions of every agent."""
        true = self._drawn(rng)
        seen = true + rng.normal(0, 0.5, true.shape)
        found = []
        for agent in range(agents):
            own = self.follows * true + np.sqrt(1 - self.follows**2) * self._drawn(rng)
            found += [
                {
                    "study": str(s), "condition": str(c), "agent": f"a{agent}", "human_se": 0.5,
                    "human_estimate": float(seen[s, c]), "agent_estimate": float(own[s, c]),
                }
                for s, c in np.ndindex(true.shape)
            ]  # fmt: skip
        return found

    def _drawn(self, rng: np.random.Generator) -> Any:
        shape = (self.studies, self.effects)
        common, own = (self._units(rng, size) for size in ((self.studies, 1), shape))
        return np.sqrt(self.between) * common + np.sqrt(1 - self.between) * own

    def _units(self, rng: np.random.Generator, size: tuple[int, int]) -> Any:
        if self.tails is None:
            return rng.standard_normal(size)
        return rng.standard_t(self.tails, size) / np.sqrt(self.tails / (self.tails - 2))


TRUTHS = {
    "5 studies": Truth(5, 5, 0.2, 0.75),
    "12 studies": Truth(12, 5, 0.2, 0.75),
    "8 studies, much between them": Truth(8, 3, 0.5, 0.75),
    "12 studies, heavy tails": Truth(12, 4, 0.3, 0.8, 4.0),
    "20 studies of one effect": Truth(20, 1, 0.0, 0.7),
}


def false_claims(truth: Truth, replicates: int) -> tuple[int, int]:
    """Count agents as large as people said to be larger or smaller, and agents alike told apart."""
    rng = np.random.default_rng([truth.studies, truth.effects, replicates])
    size = apart = 0
    for _ in range(replicates):
        found = score_predictions(read_predictions(truth.rows(rng, 2)))
        size += size_words(found.agents[0]).startswith("Its effects are")
        error = next(row for row in found.differences if row.metric == "rmse")
        apart += error.p_holm is not None and error.p_holm < ALPHA
    return size, apart


def most(rate: float, replicates: int) -> float:
    """Return the count that a claim of this rate exceeds in one simulation of a thousand."""
    return float(stats.binom.isf(0.001, replicates, rate))


def test_agents_as_large_and_as_wrong_are_rarely_told_otherwise() -> None:
    assert max(false_claims(TRUTHS["5 studies"], 100)) <= most(0.05, 100)


def sizes_claimed(truth: Truth, agents: int, replicates: int, factor: float = 1.0) -> tuple[int, int]:
    """Count sets in which any of several agents is said to be larger or smaller, and in which the best is."""
    rng = np.random.default_rng([truth.studies, agents, replicates])
    any_, best = 0, 0
    for _ in range(replicates):
        rows = truth.rows(rng, agents)
        for row in rows:
            row["agent_estimate"] *= factor
        found = score_predictions(read_predictions(rows))
        said = [size_words(one, found.agents).startswith("Its effects are") for one in found.agents]
        any_ += any(said)
        best += "Its effects are" in found.sentences()[0]
    return any_, best


@pytest.mark.parametrize("agents", [2, 8])
def test_any_of_several_agents_as_large_as_people_is_rarely_told_otherwise(agents: int) -> None:
    """At 5 % each, any of eight would be told so in a quarter of tables."""
    assert sizes_claimed(TRUTHS["5 studies"], agents, 60)[0] <= most(0.05, 60)


def test_half_the_size_of_several_agents_is_found() -> None:
    """All of six predict half of people's size in twelve studies: it is told of the best in most tables."""
    assert sizes_claimed(TRUTHS["12 studies"], 6, 20, 0.4)[1] >= 15


@pytest.mark.slow
@pytest.mark.parametrize("agents", [2, 5, 12])
@pytest.mark.parametrize("name", TRUTHS)
def test_any_of_several_agents_as_large_as_people_is_rarely_told_otherwise_in_full(
    name: str, agents: int
) -> None:
    assert sizes_claimed(TRUTHS[name], agents, 500)[0] <= most(0.05, 500)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUTHS)
def test_agents_as_large_and_as_wrong_are_rarely_told_otherwise_in_full(name: str) -> None:
    assert max(false_claims(TRUTHS[name], 2000)) <= most(0.05, 2000)


def test_sizes_and_errors_that_differ_are_found() -> None:
    """Twice the size in twelve studies is told in most cases, so that silence is not how the claims hold."""
    rng = np.random.default_rng(3)
    larger = apart = 0
    for _ in range(20):
        rows = TRUTHS["12 studies"].rows(rng, 2)
        for row in rows:
            row["agent_estimate"] *= 2 if row["agent"] == "a0" else 1
        found = score_predictions(read_predictions(rows))
        larger += size_words(found.agents[0]).startswith("Its effects are larger")
        error = next(row for row in found.differences if row.metric == "rmse")
        apart += error.p_holm is not None and error.p_holm < ALPHA
    assert larger >= 15
    assert apart >= 15
