"""Kept nulls are rarely called equivalent to 0 where the true effect is as large as the margin."""

import numpy as np
import pytest
from tests.people.simulated_agents import rows_of, seen

import concord

pytestmark = pytest.mark.long

MARGIN = 0.2


def called_equivalent(replicates: int, n: int, effect: float = MARGIN) -> float:
    """Share of human nulls whose agent has an effect (the margin) and is said to have none that matters."""
    rng = np.random.default_rng([replicates, n])
    human = np.zeros(replicates)
    agent = seen(rng, np.full(replicates, effect) * rng.choice([-1, 1], replicates), n)
    found = concord.score_people(rows_of(human, agent, n), n_resamples=0, n_simulations=0).referee
    assert found is not None
    assert found.equivalence.margin == MARGIN
    return found.equivalence.n_equivalent / replicates


@pytest.mark.parametrize("n", [600])
def test_effects_as_large_as_the_margin_are_rarely_called_equivalent_to_none(n: int) -> None:
    assert called_equivalent(300, n) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 40, 150, 600])
def test_effects_as_large_as_the_margin_are_rarely_called_equivalent_in_full(n: int) -> None:
    rate = called_equivalent(6000, n)
    print("equivalent to 0", n, rate)  # noqa: T201
    assert rate <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 6000)


def test_true_nulls_of_many_people_are_called_equivalent() -> None:
    rng = np.random.default_rng(1)
    found = concord.score_people(
        rows_of(np.zeros(60), seen(rng, np.zeros(60), 900), 900), n_resamples=0, n_simulations=0
    ).referee
    assert found is not None
    assert found.equivalence.n_equivalent >= 50
