"""Kinds of numbers for `coverage.py`: how each interval is made, what the data look like, what is true."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import concord
import populations as made
from concord.errors import UndefinedError
from concord.reasoning.score.gap import Items, gap_interval
from concord.records import Estimate, Interval
from concord.stats.bands import unit_mean_interval
from concord.stats.bounded_means import bounded_mean
from concord.stats.clustered import clustered_mean
from concord.stats.coverage import difference_look, effects_look, rate_look, score_look, spread_look
from concord.stats.intervals import jackknife_t, wilson_clustered
from concord.stats.order import order_effect
from concord.stats.skewed import skewed_mean
from concord.stats.spread import flip_excess
from concord.stats.study_intervals import apr_interval, ecs_interval, pas_interval
from populations import Draw, Floats, Rng

RANDOM, FRESH = "drawn at random ", "drawn afresh "
MANY = 400_000
Ends = tuple[float, float] | None
Measured = dict[str, tuple[Ends, str, str]]
"""By number: the interval (or none), what the data look like, the note that the program puts on it."""


@dataclass(frozen=True)
class Kind:
    """One kind of number."""

    name: str
    what: str
    unit: str
    sizes: tuple[int, ...]
    populations: dict[str, Draw]
    generator: Callable[[Rng], Draw]
    measure: Callable[[Any, Rng], Measured]
    truth: Callable[[Any, int], dict[str, float]]
    numbers: tuple[str, ...] = ("",)


def ends_of(found: Interval | None) -> Ends:
    return None if found is None else (found.low, found.high)


def single(found: Estimate, look: str) -> Measured:
    return {"": (ends_of(found.interval), look, found.note)}


def fresh() -> Rng:
    return np.random.default_rng(99)


# ---- studies


def measure_pas(x: Floats, rng: Rng) -> Measured:
    try:
        inner = jackknife_t(float(x.mean()), (x.sum() - x) / (x.size - 1), scale="logit")
    except UndefinedError:
        inner = None
    return single(pas_interval(x, jackknife=inner), score_look(x))


def mean_of(draw: Draw, size: int) -> dict[str, float]:
    return {"": float(np.mean(draw(fresh(), MANY)))}


def measure_apr(drawn: tuple[Floats, Floats], rng: Rng) -> Measured:
    return single(apr_interval(*drawn), rate_look(*drawn))


def rate_of(draw: Draw, size: int) -> dict[str, float]:
    s, m = draw(fresh(), MANY)
    return {"": float(s.sum() / m.sum())}


def measure_ecs(drawn: tuple[Floats, Floats, Floats], rng: Rng) -> Measured:
    return single(ecs_interval(*drawn, rng=rng, n_draws=1000), effects_look(*drawn))


def concordance_of(draw: Draw, size: int) -> dict[str, float]:
    x, y, _ = draw(fresh(), MANY // 4)
    below = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    return {"": float(2 * np.mean((x - x.mean()) * (y - y.mean())) / below)}


# ---- differences of two models


def difference(x: Floats, clusters: Floats | None) -> Measured:
    """Student's t, joined with Hall's transformation where skewness is seen, as `compare` does."""
    look = difference_look(x, clusters)
    error = clustered_mean(x, clusters)
    if error.se == 0:
        return {"": (None, look, "")}
    return {"": (ends_of(skewed_mean(x, clusters).chosen), look, "")}


def family_mean(draw: Draw, size: int) -> dict[str, float]:
    """Mean over items: large families count more."""
    return {"": float(np.mean(draw(fresh(), MANY // 4)[0]))}


# ---- means of scores; rates with repeats


def measure_mean(x: Floats, rng: Rng) -> Measured:
    x = np.clip(x, 0, 1)
    return single(bounded_mean(x), score_look(x))


def measure_rate(drawn: tuple[Floats, Floats], rng: Rng) -> Measured:
    found = wilson_clustered(*drawn, n_replies=int(drawn[1].sum()), few_clusters=True)
    return {"": (ends_of(found), rate_look(*drawn), "")}


# ---- items under arrangements


def flips_of(answers: Floats) -> Floats:
    n = len(answers)
    item, arrangement, _ = (axis.ravel() for axis in np.indices(answers.shape))
    return flip_excess(item, arrangement, answers.ravel().astype(np.int64), n_items=n)


def measure_structure(answers: Floats, rng: Rng) -> Measured:
    effect = order_effect(answers.mean(-1))
    gaps = (answers.max(-1) - answers.mean(-1)).mean(axis=1)
    flips = flips_of(answers)
    return {
        "tau": (ends_of(effect.interval), spread_look(effect.p_value), ""),
        "E_perf": (ends_of(unit_mean_interval(gaps)), score_look(gaps), ""),
        "flips": (ends_of(unit_mean_interval(flips)), difference_look(flips), ""),
    }


def structure_truth(draw: Draw, size: int) -> dict[str, float]:
    rng, means, gaps, flips = fresh(), [], [], []
    for _ in range(20):
        answers = draw(rng, 10_000)
        means.append(answers.mean(axis=(0, 2)))
        gaps.append(float((answers.max(-1) - answers.mean(-1)).mean()))
        flips.append(float(flips_of(answers[:2000]).mean()))
    tau = float(np.mean(means, axis=0).std(ddof=1))
    # means of 200,000 items still differ by chance: take that off, so that a steady model has a true tau of 0
    noise = float(np.mean(np.var(means, axis=0, ddof=1))) / len(means)
    return {"tau": float(np.sqrt(max(0.0, tau**2 - noise))), "E_perf": float(np.mean(gaps)),
            "flips": float(np.mean(flips))}  # fmt: skip


# ---- answers after reasoning and direct ones


def measure_gap(drawn: tuple[Floats, Floats, Floats, int], rng: Rng) -> Measured:
    cot, direct, labels, k = drawn
    n = len(cot)
    alone = len(np.unique(labels)) == n
    found = Items(np.arange(n), cot, direct, k * n, k * n, 0, 0, None if alone else labels)
    interval, _ = gap_interval(found)
    look = difference_look(cot - direct, None if alone else labels)
    return {"": (ends_of(interval), look if alone else f"families, {look}", "")}


def gap_of(draw: Draw, size: int) -> dict[str, float]:
    cot, direct, *_ = draw(fresh(), MANY)
    return {"": float(np.mean(cot - direct))}


# ---- whole benchmarks through `concord score people`


def measure_benchmark(rows: list[dict[str, Any]], rng: Rng) -> Measured:
    result = concord.score_people(rows, n_resamples=0, n_simulations=0)
    return {
        name: (ends_of(score.interval), "any", score.estimate.note)
        for name, score in (("PAS", result.pas), ("ECS", result.ecs), ("APR", result.apr))
    }


def benchmark_truth(draw: Draw, size: int) -> dict[str, float]:
    """The numbers of many studies: means of large benchmarks."""
    rng, found = fresh(), []
    for _ in range(8):
        result: Any = concord.score_people(draw(rng, 250), n_resamples=0, n_simulations=0)
        found.append([result.pas.value, result.ecs.value, result.apr.value])
    return dict(
        zip(("PAS", "ECS", "APR"), np.mean(np.array(found, dtype=float), axis=0).tolist(), strict=True)
    )


_STUDIES = (3, 5, 9, 20)
KINDS = {
    kind.name: kind
    for kind in (
        Kind("PAS", "PAS over other studies", "studies", _STUDIES, made.SCORES, made.random_scores,
             measure_pas, mean_of),
        Kind("APR", "APR over other studies", "studies", _STUDIES, made.PASSES, made.random_passes,
             measure_apr, rate_of),
        Kind("ECS", "ECS over other studies", "studies", (4, 6, 12, 25), made.EFFECTS, made.random_effects,
             measure_ecs, concordance_of),
        Kind("difference", "Differences in `compare`", "items", (12, 50, 200), made.DIFFERENCES,
             made.random_differences, lambda x, rng: difference(x, None), mean_of),
        Kind("families", "Differences of items in families", "families", (5, 10, 25, 60), made.FAMILIES,
             made.random_families, lambda drawn, rng: difference(*drawn), family_mean),
        Kind("mean score", "Means of scores in [0, 1]: Step-F1", "items", (12, 30, 100), made.VIGNETTES,
             made.random_scores, measure_mean, mean_of),
        Kind("rate", "Rates with repeats: accuracy, silent bias", "cases", (6, 15, 40), made.CASES,
             made.random_cases, measure_rate, rate_of),
        Kind("structure", "Order effect, E_perf and flip excess", "items", (25, 60), made.ANSWERS,
             made.random_answers, measure_structure, structure_truth, ("tau", "E_perf", "flips")),
        Kind("gap", "Faithfulness gap", "vignettes", (20, 60, 150), made.MODES, made.random_modes,
             measure_gap, gap_of),
        Kind("benchmark", "Whole benchmarks through `concord score people`", "studies", (6, 12),
             made.BENCHMARKS, made.random_benchmark, measure_benchmark, benchmark_truth,
             ("PAS", "ECS", "APR")),
    )
}  # fmt: skip
