"""Floor and ceiling once more, slowly: loops, raw participants, scipy.stats, and the oracle of the scores."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.people.reference import score
from tests.people.reference_tests import Options
from tests.people.uncertainty.test_floor_ceiling import simulated

from concord.people.protocol import STANDARD
from concord.people.score.levels import lay_out
from concord.people.table.read import read_tests
from concord.records import Side, TestRow

ODDS_TO_D = math.sqrt(3) / math.pi


def benchmark() -> list[dict[str, object]]:
    """Three studies, ten tests of five kinds, clear effects and nulls."""
    kinds: list[tuple[str, dict[str, object], dict[str, object]]] = [
        ("t-test", {"statistic": 3.4, "n1": 40, "n2": 45}, {"n1": 60, "n2": 60}),
        ("t-test", {"statistic": -0.4, "n1": 30, "n2": 30}, {"n1": 50, "n2": 40}),
        ("t-one-sample", {"statistic": 2.6, "n": 35}, {"n": 50}),
        ("correlation", {"statistic": 0.42, "n": 60}, {"n": 80}),
        ("correlation", {"statistic": -0.06, "n": 90}, {"n": 70}),
        ("binomial", {"k": 44, "n": 60, "p0": 0.5}, {"n": 70, "p0": 0.5}),
        ("binomial", {"k": 24, "n": 50, "p0": 0.5}, {"n": 60, "p0": 0.5}),
        ("chi-square", {"table": "[[30, 10], [17, 23]]"}, {"table": "[[25, 25], [20, 30]]"}),
        ("chi-square", {"table": "[[18, 22], [19, 21]]"}, {"table": "[[30, 20], [26, 24]]"}),
        ("t-one-sample", {"statistic": -2.9, "n": 28}, {"n": 45}),
    ]
    seen = {
        "t-test": {"statistic": 1.0},
        "t-one-sample": {"statistic": 1.0},
        "correlation": {"statistic": 0.1},
    }
    rows = []
    for i, (kind, human, agent) in enumerate(kinds):
        agent = {**seen.get(kind, {}), **({"k": 30} if kind == "binomial" else {}), **agent}
        row: dict[str, object] = {"study": f"S{i % 3}", "finding": f"F{i // 6}", "test": f"{i}"}
        row |= {"test_type": kind, **{f"human_{k}": v for k, v in human.items()}}
        rows.append(row | {f"agent_{k}": v for k, v in agent.items()})
    return rows


def need(value: float | None) -> float:
    assert value is not None
    return value


def human_effect(row: TestRow) -> tuple[float, float, float]:
    """d, its standard error, and the two-sided p of one human test."""
    side = row.human
    assert side is not None
    if row.test_type.startswith("t-"):
        t, n1 = need(side.statistic), need(side.n1 if side.n1 is not None else side.n)
        if side.n2 is None:
            d = t / math.sqrt(n1)
            return d, math.sqrt(1 / n1 + d * d / (2 * n1)), 2 * stats.t.sf(abs(t), n1 - 1)
        n2 = side.n2
        d = t * math.sqrt(1 / n1 + 1 / n2)
        se = math.sqrt((n1 + n2) / (n1 * n2) + d * d / (2 * (n1 + n2)))
        return d, se, 2 * stats.t.sf(abs(t), n1 + n2 - 2)
    if row.test_type == "correlation":
        r, n = need(side.statistic), need(side.n)
        z = math.atanh(r)
        t = r * math.sqrt((n - 2) / (1 - r * r))
        return 2 * math.sinh(z), 2 * math.cosh(z) / math.sqrt(n - 3), 2 * stats.t.sf(abs(t), n - 2)
    if row.test_type == "binomial":
        k, n, p0 = (need(x) for x in (side.k, side.n, side.p0))
        rate, scale = (k + 0.5) / (n + 1), 2 / math.sqrt(p0 * (1 - p0))
        se = scale * math.sqrt(rate * (1 - rate) / (n + 1))
        return scale * (k / n - p0), se, stats.binomtest(int(k), int(n), p0).pvalue
    (a, b), (c, d_) = side.table  # type: ignore[misc]
    p = stats.chi2_contingency([[a, b], [c, d_]], correction=False).pvalue
    log_odds, se = math.log(a * d_ / (b * c)), math.sqrt(1 / a + 1 / b + 1 / c + 1 / d_)
    return ODDS_TO_D * log_odds, ODDS_TO_D * se, p


def true_effects(rows: tuple[TestRow, ...], rng: np.random.Generator) -> Iterator[float]:
    """One draw from the posterior: null with its posterior probability, else normal, shrunken."""
    found = [human_effect(row) for row in rows]
    share = min(0.99, 2 * sum(p > 0.5 for _, _, p in found) / len(found))
    tau2 = max(0.0, sum(d * d - se * se for d, se, _ in found) / len(found)) / (1 - share)
    for d, se, _ in found:
        as_null = share * stats.norm.pdf(d, 0, se)
        as_effect = (1 - share) * stats.norm.pdf(d, 0, math.sqrt(se * se + tau2))
        if rng.random() < as_null / (as_null + as_effect):
            yield 0.0
        else:
            weight = tau2 / (tau2 + se * se)
            yield rng.normal(weight * d, math.sqrt(weight) * se)


def fresh_side(row: TestRow, d: float, rng: np.random.Generator) -> Side:
    """The agent's side from participants drawn one by one."""
    side = row.agent
    assert side is not None
    if row.test_type.startswith("t-"):
        n1 = int(need(side.n1 if side.n1 is not None else side.n))
        first = rng.normal(d, 1, n1)
        if side.n2 is None:
            return replace(side, statistic=float(stats.ttest_1samp(first, 0).statistic))
        return replace(
            side, statistic=float(stats.ttest_ind(first, rng.normal(0, 1, int(side.n2))).statistic)
        )
    if row.test_type == "correlation":
        r = d / math.sqrt(4 + d * d)
        x, y = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], int(need(side.n))).T
        return replace(side, statistic=float(stats.pearsonr(x, y).statistic))
    if row.test_type == "binomial":
        p0 = need(side.p0)
        rate = min(1.0, max(0.0, p0 + d * math.sqrt(p0 * (1 - p0)) / 2))
        return replace(side, k=int((rng.random(int(need(side.n))) < rate).sum()))
    assert row.human is not None
    assert row.human.table is not None
    assert side.table is not None
    base = math.fsum(math.log((a + 0.5) / (b + 0.5)) for a, b in row.human.table) / 2
    cells = []
    for half, (a, b) in zip((0.5, -0.5), side.table, strict=True):
        rate = 1 / (1 + math.exp(-(base + half * d / ODDS_TO_D)))
        hits = int((rng.random(int(a + b)) < rate).sum())
        cells.append((hits, int(a + b) - hits))
    return replace(side, table=tuple(cells))


def slow_scores(n: int, *, null: bool, seed: int) -> np.ndarray:
    """PAS and ECS of n simulated agents, (n, 2)."""
    rows = lay_out(read_tests(benchmark()).rows).rows
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        effects = [0.0] * len(rows) if null else list(true_effects(rows, rng))
        pairs = zip(rows, effects, strict=True)
        agent = [replace(row, agent=fresh_side(row, d, rng)) for row, d in pairs]
        whole = score(agent, Options("standard")).benchmark
        found.append((need(whole.pas), need(whole.ecs)))
    return np.array(found)


def agrees(n: int, seed: int) -> None:
    """Means within four Monte-Carlo errors, spreads within a third: floor and ceiling, PAS and ECS."""
    protocol = replace(STANDARD, within_study=0.0, true_effects="normal")
    fast = simulated(benchmark(), protocol, n=4000)
    for null, ends in ((True, fast.floors), (False, fast.ceilings)):
        slow = slow_scores(n, null=null, seed=seed)
        for column, metric in enumerate(("pas", "ecs")):
            ours, theirs = ends[metric].benchmark, slow[:, column]
            error = math.sqrt(ours.var() / len(ours) + theirs.var(ddof=1) / n)
            assert abs(ours.mean() - theirs.mean()) < 4 * error, (null, metric)
            assert ours.std() == pytest.approx(theirs.std(ddof=1), rel=4 / math.sqrt(2 * n)), (null, metric)


@pytest.mark.long
def test_an_independent_simulation_of_raw_participants_agrees() -> None:
    agrees(40, seed=1)


@pytest.mark.slow
def test_an_independent_simulation_of_many_raw_participants_agrees() -> None:
    agrees(800, seed=2)
