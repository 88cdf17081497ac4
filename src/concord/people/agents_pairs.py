"""All pairs of agents on the tests that both have: joint jackknife over studies, Holm, groups.

The numbers are those of `concord.people.compare`, computed for all pairs of agents that share their tests in
one array: agents are gathered by which of the tests count for them, and each two such gatherings are scored
once on what both have, with and without each study in turn.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from concord.files.limits import COMPARED_AGENTS
from concord.people.agents_result import COMPARED, AgentPair, AgentStanding
from concord.people.aggregate import Profiles, apr_passes, pas_levels
from concord.people.compare import lost_df
from concord.people.layout import Layout
from concord.people.protocol import Protocol
from concord.people.scored import known_scores
from concord.stats.elementwise import Bools, Floats
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.multiple import distinguishable, holm, indistinguishable

COLUMNS = ("pas", "n_eff", "human_d", "agent_d", "passes", "human_significant")
"""What the metrics need of every agent and test."""
MOST_LISTED = 20_000
"""Pairs that are listed one by one; of more only the groups are told."""
_CANCELS = 1e-3
"""Below this share of the squares a sum of squared differences loses more than three of its digits."""
_AT_ONCE = 2_000_000
_NO_TEST = "undefined: no test of both agents has it"
_UNDEFINED = "undefined: too few tests that both agents have"


@dataclass(frozen=True, slots=True)
class Compared:
    """All pairs, and the groups of every metric."""

    pairs: tuple[AgentPair, ...]
    standings: tuple[AgentStanding, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Differences:
    """One metric of all pairs, (A, A): first minus second; NaN is undefined."""

    value: Floats
    se: Floats
    """NaN where there is no interval."""
    n_tests: NDArray[np.intp]
    n_studies: NDArray[np.intp]
    own: Floats
    """Each agent's number over its own tests, (A,)."""
    lost_df: int
    """Degrees of freedom that a difference loses."""


def compare_agents(
    names: Sequence[str], columns: Mapping[str, Floats], layout: Layout, protocol: Protocol, *, level: float
) -> Compared:
    """Compare all pairs of agents."""
    # only tests that count are handed on, so there is no empty finding and every listed test is used
    plain = replace(protocol, empty_finding=None, weights_over="used")
    if len(names) > COMPARED_AGENTS:
        alone = tuple(_order(metric, names, columns, layout, plain) for metric in COMPARED)
        return Compared(
            (), alone, f"pairs of {len(names):,} agents are not compared (more than {COMPARED_AGENTS:,})"
        )
    first, second = np.triu_indices(len(names), 1)
    pairs: list[AgentPair] = []
    standings = []
    for metric in COMPARED:
        found = _differences_of(metric, columns, layout, plain)
        p = _p_values(found, (first, second))
        adjusted = holm(p)
        standings.append(_standing(metric, names, found.own, (first, second), adjusted, level))
        if len(first) <= MOST_LISTED:
            pairs.extend(_pairs_of(metric, names, found, (first, second), (p, adjusted), level))
    note = (
        f"{len(first)} pairs are not listed one by one (more than {MOST_LISTED})"
        if len(first) > MOST_LISTED
        else ""
    )
    return Compared(tuple(pairs), tuple(standings), note)


def _order(
    metric: str, names: Sequence[str], columns: Mapping[str, Floats], layout: Layout, protocol: Protocol
) -> AgentStanding:
    """Order agents by their own number, without comparing pairs of them."""
    counted = _counted(metric, columns, protocol)
    own = np.full(len(names), np.nan)
    masks, kind = np.unique(counted, axis=0, return_inverse=True)
    for m, used in enumerate(masks):
        members = np.flatnonzero(kind.reshape(-1) == m)
        if used.any():
            chosen = {name: np.where(used, table[members], np.nan) for name, table in columns.items()}
            own[members] = _with_and_without(metric, chosen, layout, protocol)[0]
    placed = [names[i] for i in np.argsort(-own, kind="stable") if not np.isnan(own[i])]
    return AgentStanding(metric, tuple(placed), (), 0, 0)


def _counted(metric: str, columns: Mapping[str, Floats], protocol: Protocol) -> Bools:
    """Return the tests that count for a metric, agents by tests."""
    if metric == "pas":
        return ~np.isnan(columns["pas"])
    if metric == "ecs":
        return ~(np.isnan(columns["human_d"]) | np.isnan(columns["agent_d"]))
    counted = ~np.isnan(columns["passes"])
    if protocol.apr_over == "human-significant":
        counted &= columns["human_significant"] == 1
    return counted


def _differences_of(
    metric: str, columns: Mapping[str, Floats], layout: Layout, protocol: Protocol
) -> _Differences:
    counted = _counted(metric, columns, protocol)
    size = len(counted)
    masks, kind = np.unique(counted, axis=0, return_inverse=True)
    members = [np.flatnonzero(kind.reshape(-1) == m) for m in range(len(masks))]
    value, se = np.full((size, size), np.nan), np.full((size, size), np.nan)
    n_tests, n_studies = np.zeros((size, size), dtype=np.intp), np.zeros((size, size), dtype=np.intp)
    own = np.full(size, np.nan)
    for m, ours in enumerate(members):
        for n, theirs in enumerate(members[m:], m):
            used = masks[m] & masks[n]
            if not used.any():
                continue
            studies = np.unique(layout.study_of_test[used])
            either = ours if n == m else np.concatenate([ours, theirs])
            chosen = {name: np.where(used, table[either], np.nan) for name, table in columns.items()}
            whole, without = _with_and_without(metric, chosen, layout, protocol)
            left = without[:, studies]
            others = np.arange(len(either)) if n == m else np.arange(len(ours), len(either))
            rows, places = np.ix_(ours, theirs), np.ix_(theirs, ours)
            value[rows] = whole[: len(ours), None] - whole[others]
            se[rows] = _pair_errors(left[: len(ours)], left[others])
            value[places], se[places] = -value[rows].T, se[rows].T
            for at in (rows, places):
                n_tests[at], n_studies[at] = int(used.sum()), len(studies)
            if n == m:
                own[ours] = whole
    return _Differences(value, se, n_tests, n_studies, own, lost_df(metric, protocol))


def _pair_errors(first: Floats, second: Floats) -> Floats:
    """Return the standard errors (A, B) of all differences between leave-one-out values (A, K) and (B, K).

    Σ (aᵢ - bᵢ)² about their means is Σ aᵢ² + Σ bᵢ² - 2 Σ aᵢbᵢ, one matrix product for all pairs. Where that
    cancels (agents almost alike) or a value is undefined, the differences themselves are summed.
    """
    k = first.shape[-1]
    if k < FEWEST_CLUSTERS:
        return np.full((len(first), len(second)), np.nan)
    a, b = (values - values.mean(axis=-1, keepdims=True) for values in (first, second))
    squares = np.sum(a * a, axis=-1)[:, None] + np.sum(b * b, axis=-1)
    total = squares - 2 * (a @ b.T)
    close = ~(total > _CANCELS * squares)
    with np.errstate(invalid="ignore"):
        se: Floats = np.sqrt((k - 1) / k * total)
    i, j = np.nonzero(close)
    for part in np.array_split(np.arange(len(i)), max(1, len(i) * k // _AT_ONCE)):
        se[i[part], j[part]] = _jackknife_se(first[i[part]] - second[j[part]])
    return se


def _jackknife_se(without: Floats) -> Floats:
    """SE² = (K - 1)/K Σ (dᵢ - mean d)² of differences (J, K); NaN with too few studies or no spread."""
    k = without.shape[-1]
    if k < FEWEST_CLUSTERS:
        return np.full(without.shape[0], np.nan)
    centre = without.mean(axis=-1, keepdims=True)
    se = np.sqrt((k - 1) / k * np.sum((without - centre) ** 2, axis=-1))
    # rounding alone makes leave-one-out values of equal studies differ in their last digits
    steady = np.ptp(without, axis=-1) <= 1e-13 * np.maximum(1.0, np.abs(without).max(axis=-1))
    return np.where(steady, np.nan, se)


def _with_and_without(
    metric: str, columns: Mapping[str, Floats], layout: Layout, protocol: Protocol
) -> tuple[Floats, Floats]:
    """Return a metric of agents (A,), and without each study in turn (A, S)."""
    scores = known_scores(columns)
    if metric == "pas":
        studies = pas_levels(scores, layout, protocol).study
        return _leave_out(studies, ~np.isnan(studies))
    if metric == "apr":
        passes = apr_passes(scores, layout, protocol.apr_over)
        return _leave_out(passes.passed.study, passes.tests.study)
    profiles, study = Profiles(scores, layout, protocol), layout.study_of_test
    without = [profiles.ecs(study != i) for i in range(len(layout.studies))]
    return profiles.ecs(slice(None)), np.stack(without, axis=-1)


def _leave_out(values: Floats, counts: Floats | Bools) -> tuple[Floats, Floats]:
    """Sum of values over sum of counts, of all and without each; NaN where nothing is counted."""
    sums, sizes = np.where(counts > 0, values, 0.0), counts.astype(np.float64)
    total, number = sums.sum(axis=-1, keepdims=True), sizes.sum(axis=-1, keepdims=True)
    rest = number - sizes
    without = np.divide(total - sums, rest, out=np.full(rest.shape, np.nan), where=rest > 0)
    whole = np.divide(total, number, out=np.full(number.shape, np.nan), where=number > 0)
    return whole[..., 0], np.where(counts > 0, without, np.nan)


def _p_values(found: _Differences, pairs: tuple[NDArray[np.intp], NDArray[np.intp]]) -> Floats:
    """Two-sided p of no difference, Student's t with K - 1 degrees of freedom (ECS: K - 2)."""
    with np.errstate(invalid="ignore"):
        df = np.maximum(found.n_studies[pairs] - found.lost_df, 1)
        return np.asarray(2 * stdtr(df, -np.abs(found.value[pairs]) / found.se[pairs]))


def _standing(
    metric: str,
    names: Sequence[str],
    own: Floats,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    p_holm: Floats,
    level: float,
) -> AgentStanding:
    """Order agents by their own number, and group those that no test distinguishes."""
    placed = [i for i in np.argsort(-own, kind="stable") if not np.isnan(own[i])]
    different = np.zeros((len(names), len(names)), dtype=np.bool_)
    apart = np.zeros(len(p_holm), dtype=np.bool_)
    for k in np.flatnonzero(p_holm < 1 - level):
        apart[k] = distinguishable(float(p_holm[k]), level=level)
    different[pairs] = apart
    different |= different.T
    groups = indistinguishable([int(i) for i in placed], different)
    return AgentStanding(
        metric,
        tuple(names[i] for i in placed),
        tuple(tuple(names[i] for i in group) for group in groups),
        int((~np.isnan(p_holm)).sum()),
        int(apart.sum()),
    )


def _pairs_of(
    metric: str,
    names: Sequence[str],
    found: _Differences,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    p_values: tuple[Floats, Floats],
    level: float,
) -> Iterator[AgentPair]:
    n_studies = found.n_studies[pairs]
    reach = stdtrit(np.maximum(n_studies - found.lost_df, 1), 0.5 + level / 2) * found.se[pairs]
    value = found.value[pairs]
    columns = (value, value - reach, value + reach, *p_values, found.se[pairs])
    places = zip(pairs[0].tolist(), pairs[1].tolist(), strict=True)
    counts = zip(found.n_tests[pairs].tolist(), n_studies.tolist(), strict=True)
    for (i, j), (tests, studies), row in zip(
        places, counts, np.stack(columns, axis=-1).tolist(), strict=True
    ):
        difference, low, high, p, p_holm, _ = (None if math.isnan(number) else number for number in row)
        yield AgentPair(
            first=names[i],
            second=names[j],
            metric=metric,
            difference=difference,
            low=low,
            high=high,
            p_value=p,
            p_holm=p_holm,
            n_tests=tests,
            n_studies=studies,
            note=_note(row[0], row[-1], studies),
        )


def _note(value: float, se: float, n_studies: int) -> str:
    if not n_studies:
        return _NO_TEST
    if math.isnan(value):
        return _UNDEFINED
    if not math.isnan(se):
        return ""
    if n_studies < FEWEST_CLUSTERS:
        return f"no interval: {n_studies} studies, at least {FEWEST_CLUSTERS} are needed"
    return "no interval: the difference is undefined without a study, or the same without each"
