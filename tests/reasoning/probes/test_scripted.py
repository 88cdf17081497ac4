"""Scripted agents: every estimator against a truth that is known."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from tests.reasoning.probes import scripted
from tests.reasoning.probes.scripted import Filler, FollowsMistakes, Hinted, Pairs, Rewords

from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.probes.chains import chains_of, mean_area, pooled_area, score_filler
from concord.reasoning.probes.flips import score_mistake, score_pairs, score_paraphrase
from concord.records import Estimate

Known = Mapping[str, tuple[Estimate, float]]
"""Name of a number to its estimate and the truth."""
FILLER, MISTAKES, REWORDS, PAIRS, HINTED = Filler(), FollowsMistakes(), Rewords(), Pairs(), Hinted()


def early(rng: np.random.Generator, n: int) -> Known:
    chains = chains_of(scripted.early(rng, n))
    return {"area": (mean_area(chains), 0.5), "area by length": (pooled_area(chains), 0.5)}


def filler(rng: np.random.Generator, n: int) -> Known:
    found = score_filler(FILLER.rows(rng, n))
    return {
        "content": (found.content, FILLER.cot - FILLER.filler),
        "computation": (found.computation, FILLER.filler - FILLER.direct),
        "gap": (found.gap, FILLER.cot - FILLER.direct),
    }


def mistake(rng: np.random.Generator, n: int) -> Known:
    found = score_mistake(MISTAKES.rows(rng, n))
    return {
        "floor": (found.floor, MISTAKES.r),
        "excess": (found.excess, MISTAKES.excess),
        "excess of the area": (found.aoc_excess, MISTAKES.excess),
    }


def paraphrase(rng: np.random.Generator, n: int) -> Known:
    return {"area": (score_paraphrase(REWORDS.rows(rng, n)).area, REWORDS.original - REWORDS.other)}


def pairs(rng: np.random.Generator, n: int) -> Known:
    found = score_pairs(PAIRS.rows(rng, n))
    return {
        "excess": (found.excess, PAIRS.excess),
        "silent": (found.dimensions[0].silent_rate, PAIRS.silent),
    }


def hints(rng: np.random.Generator, n: int) -> Known:
    found = score_hint_rows(HINTED.rows(rng, n)).kinds[0]
    said = found.verbalised["mention"]
    either = 1 - (1 - HINTED.v) * (1 - HINTED.w)
    return {
        "influence": (found.influence, HINTED.influence),
        "other change": (found.other, HINTED.other),
        "floor": (found.floor, HINTED.p0),
        "excess": (found.excess, HINTED.influence - HINTED.p0),
        "thinking": (said["thinking"], HINTED.v),
        "answer": (said["answer"], HINTED.w),
        "either": (said["either"], either),
        "thinking minus answer": (found.gap, HINTED.v - HINTED.w),
        "V_norm": (found.v_norm, either / HINTED.alpha),
    }


AGENTS = (early, filler, mistake, paraphrase, pairs, hints)


def judged(agent: Callable[[np.random.Generator, int], Known], n: int, times: int) -> dict[str, float]:
    """Check that every number of an agent is unbiased within Monte Carlo error; return its coverage."""
    rng = np.random.default_rng(20)
    values: dict[str, list[float]] = {}
    held: dict[str, list[bool]] = {}
    truths: dict[str, float] = {}
    for _ in range(times):
        for name, (found, truth) in agent(rng, n).items():
            assert found.value is not None and found.interval is not None
            values.setdefault(name, []).append(found.value)
            held.setdefault(name, []).append(found.interval.low <= truth <= found.interval.high)
            truths[name] = truth
    for name, drawn in values.items():
        error = float(np.std(drawn, ddof=1)) / np.sqrt(times)
        assert abs(float(np.mean(drawn)) - truths[name]) < 4 * error, name
    return {name: float(np.mean(flags)) for name, flags in held.items()}


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.__name__)
def test_estimators_are_unbiased_on_a_few_sets(agent: Callable[[np.random.Generator, int], Known]) -> None:
    assert min(judged(agent, n=60, times=8).values()) >= 0.5


@pytest.mark.long
@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.__name__)
def test_estimators_are_unbiased_and_cover(agent: Callable[[np.random.Generator, int], Known]) -> None:
    times = 60
    allowed = 0.02 + 3 * np.sqrt(0.95 * 0.05 / times)
    for name, share in judged(agent, n=100, times=times).items():
        assert abs(share - 0.95) < allowed, name


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.__name__)
def test_coverage_is_93_to_97_percent(agent: Callable[[np.random.Generator, int], Known]) -> None:
    for name, share in judged(agent, n=100, times=4000).items():
        assert 0.93 <= share <= 0.97, name
