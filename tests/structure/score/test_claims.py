"""Every claim about structure is rare where it is false: data simulated without what the claim says."""

from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from concord.stats.bands import ItemWeights
from concord.stats.order import order_effect
from concord.stats.spread import flip_excess
from concord.structure.records import ScoreOptions
from concord.structure.result import order_claims as guarded
from concord.structure.score.definitions import Counted, counted_cells
from concord.structure.score.difference import ResampledModels, compare_structure, compared_models
from concord.structure.score.order import flip_estimate, flips_p, gate_of

pytestmark = pytest.mark.long

Floats = NDArray[np.float64]
P, K = 5, 2


class Answers(NamedTuple):
    """Right and wrong answers, items by arrangements by repeats."""

    right: NDArray[np.bool_]

    def counted(self, name: str) -> Counted:
        n = len(self.right)
        items = tuple(f"i{i:04d}" for i in range(n))
        names = tuple(f"P{p}" for p in range(self.right.shape[1]))
        score = self.right.astype(np.float64)
        item, arrangement, _ = (axis.ravel() for axis in np.indices(self.right.shape))
        flips = flip_excess(item, arrangement, self.right.ravel().astype(np.int64), n_items=n)
        laid_out = counted_cells(name, (names, items), score.mean(-1), score.max(-1), clusters=None)
        return replace(laid_out, flips=flips)


def answered(rng: np.random.Generator, n: int, accuracy: Floats, slope: float = 0.0) -> Answers:
    """Items differ in difficulty and, with a slope, in how the arrangement moves them."""
    ability = rng.normal(0, 0.8, size=(n, 1))
    moves = slope * rng.normal(size=(n, 1)) * np.linspace(-1, 1, len(accuracy))
    logit = np.log(accuracy / (1 - accuracy)) + ability + moves
    chance = 1 / (1 + np.exp(-logit))
    return Answers(rng.random((n, len(accuracy), K)) < chance[..., None])


STEADY = np.full(P, 0.6)


def order_claims(replicates: int, n: int, slope: float) -> float:
    """Share of models without an order effect that are said to have one."""
    rng = np.random.default_rng([n, replicates])
    found = [
        order_effect(answered(rng, n, STEADY, slope).counted("m").mean).p_value for _ in range(replicates)
    ]
    return float(np.mean([p is not None and p < 0.05 for p in found]))


def flip_claims(replicates: int, n: int) -> float:
    """Share of models whose answers do not hang on the arrangement that are said to change them."""
    rng = np.random.default_rng([n, replicates])
    lows = []
    for _ in range(replicates):
        data = answered(rng, n, STEADY).counted("m")
        assert data.flips is not None
        interval = flip_estimate(data.flips, data, 0.95).interval
        lows.append(interval is not None and interval.low > 0)
    return float(np.mean(lows))


def difference_claims(replicates: int, n: int, accuracy: Floats) -> list[float]:
    """Share of pairs of models alike that are said to differ in tau, flip excess, worst arrangement."""
    rng = np.random.default_rng([n, replicates])
    hits = np.zeros(3)
    for r in range(replicates):
        models = {name: answered(rng, n, accuracy).counted(name) for name in "ab"}
        parts = ResampledModels(ScoreOptions("paired"), ItemWeights(r, 200))
        entry = compared_models("a", "b", models, parts)
        hits += [p is not None and p < 0.05 for p in entry.order_p_values]
    return [float(share) for share in hits / replicates]


def gate_misses(replicates: int, n: int) -> float:
    """Share of guessing models that are said to have something to be consistent about."""
    rng = np.random.default_rng([n, replicates])
    guessed = (Answers(rng.random((n, P, K)) < 0.25).counted("m") for _ in range(replicates))
    return float(np.mean([not gate_of(data, 0.25) for data in guessed]))


MOVED = 0.5 + 0.36 * np.linspace(-1, 1, P)


def exactly_its_pairs(seed: int, n: int) -> bool:
    """Whether of three models exactly the pairs of the one with an order effect are distinguished."""
    rng = np.random.default_rng(seed)
    models = [answered(rng, n, accuracy).counted(name) for name, accuracy in
              (("a", STEADY), ("b", MOVED), ("c", STEADY))]  # fmt: skip
    found = compare_structure(models, ScoreOptions("paired", seed=seed, resamples=200), metric="tau")
    p = {(pair.first, pair.second): pair.metric("tau").p_holm for pair in found.pairs}
    told = {names for names, value in p.items() if value is not None and value < 0.05}
    return told == {("a", "b"), ("b", "c")}


def test_false_claims_are_rare_in_a_small_simulation() -> None:
    assert order_claims(100, 40, 0.0) <= 0.12
    assert flip_claims(100, 40) <= 0.10
    assert max(difference_claims(20, 40, STEADY)) <= 0.2
    assert gate_misses(100, 40) <= 0.12


def several_told(times: int, models: int, n: int, points: float = 0.0, slope: float = 0.0) -> list[float]:
    """Share of sets of models in which the order is said to move the mean of any, and answers of any.

    With points or a slope only the first model has an effect, and only it is counted.
    """
    rng, hits = np.random.default_rng([times, models, n]), np.zeros(2)
    for _ in range(times):
        seen = []
        for i in range(models):
            own = (points, slope) if i == 0 else (0.0, 0.0)
            data = answered(rng, n, STEADY + own[0] * np.linspace(-1, 1, P), own[1]).counted("m")
            assert data.flips is not None
            p = order_effect(data.mean).p_value
            held = {"flips": flip_estimate(data.flips, data, 0.95), "flips_p": flips_p(data.flips, data)}
            seen.append(SimpleNamespace(gate="", order=SimpleNamespace(p_value=p, claim_p=p), **held))
        claims = guarded(seen)[: 1 if points or slope else None]  # type: ignore[arg-type]
        hits += any(one.means for one in claims), any(one.answers for one in claims)
    return [float(share) for share in hits / times]


def test_of_several_steady_models_none_is_said_to_be_moved_and_a_moved_one_is() -> None:
    assert max(several_told(12, 6, 40)) <= 0.25
    assert several_told(1, 6, 80, points=0.25)[0] == 1
    assert several_told(1, 6, 80, slope=4.0)[1] == 1


@pytest.mark.slow
@pytest.mark.parametrize(("models", "n"), [(1, 25), (5, 25), (12, 60)])
def test_of_several_steady_models_any_is_rarely_said_to_be_moved(models: int, n: int) -> None:
    rates = several_told(600, models, n)
    print(models, n, rates)  # noqa: T201
    assert max(rates) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)


def test_the_p_of_flips_agrees_with_their_interval() -> None:
    rng = np.random.default_rng(5)
    for slope in (0.0, 2.0, 4.0):
        data = answered(rng, 30, STEADY, slope).counted("m")
        assert data.flips is not None
        p = flips_p(data.flips, data)
        assert p is not None
        for level in (0.5, 0.8, 0.95, 0.999):
            ends = flip_estimate(data.flips, data, level).interval
            assert ends is not None
            assert (p < 1 - level) is not (ends.low <= 0 <= ends.high) or abs(p - 1 + level) < 2e-3 * p


def test_a_model_that_the_order_moves_is_distinguished_from_an_invariant_one() -> None:
    rng = np.random.default_rng(1)
    wide = np.linspace(0.14, 0.96, P)
    models = {
        "moved": answered(rng, 60, wide).counted("moved"),
        "still": answered(rng, 60, STEADY).counted("still"),
    }
    entry = compared_models(
        "moved", "still", models, ResampledModels(ScoreOptions("paired"), ItemWeights(0, 200))
    )
    assert entry.tau.value is not None
    assert entry.tau.value > 0.1
    assert entry.order_p_values[0] is not None
    assert entry.order_p_values[0] < 0.001


def test_of_three_models_exactly_the_pairs_of_the_moved_one_are_distinguished() -> None:
    assert exactly_its_pairs(1, 60)


@pytest.mark.parametrize(
    ("mean", "chance", "gated"),
    [(0.02, None, "below 0.05"), (0.98, None, "above 0.95"), (0.5, 0.5, "at chance level"), (0.5, None, "")],
)
def test_at_floor_ceiling_and_chance_there_is_nothing_to_be_consistent_about(
    mean: float, chance: float | None, gated: str
) -> None:
    rng = np.random.default_rng(3)
    data = Answers(rng.random((80, P, K)) < mean).counted("m")
    assert gated in gate_of(data, chance)
    assert bool(gate_of(data, chance)) is bool(gated)


@pytest.mark.slow
@pytest.mark.parametrize("n", [25, 60])
def test_false_claims_are_at_most_five_percent(n: int) -> None:
    shares = {
        "order": order_claims(2000, n, 0.0),
        "order, slopes": order_claims(2000, n, 1.5),
        "flips": flip_claims(2000, n),
        "gate": gate_misses(2000, n),
        **dict(zip(("tau", "flip", "worst"), difference_claims(400, n, STEADY), strict=True)),
        "tau, both moved": difference_claims(400, n, MOVED)[0],
    }
    print(n, shares)  # noqa: T201
    assert max(shares[name] for name in ("order", "order, slopes", "flips", "gate")) <= 0.05 + 3 * 0.005
    assert max(shares[name] for name in ("tau", "flip", "worst", "tau, both moved")) <= 0.05 + 3 * 0.011
