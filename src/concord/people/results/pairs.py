"""Agents and models on the same studies: differences of PAS, ECS and APR by a joint jackknife over studies.

A few models are compared pair by pair, many agents in arrays: they are gathered by which tests count,
and each two such gatherings are scored once on what both have, with and without each study in turn.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from concord.engine import SERIAL, Engine
from concord.errors import MismatchError, UndefinedError
from concord.files.limits import COMPARED_AGENTS
from concord.people.protocol import Protocol
from concord.people.result import COMPARED, AgentPair, AgentStanding
from concord.people.score.levels import Layout, Profiles, apr_passes, lay_out, pas_levels
from concord.people.score.test_scores import TestScores, known_scores
from concord.records import Estimate, Interval, TestRow
from concord.stats.elementwise import Bools, Floats, or_nan, or_none
from concord.stats.intervals import FEWEST_CLUSTERS, jackknife_t
from concord.stats.multiple import distinguishable, holm, indistinguishable
from concord.stats.pairs import MetricDifference, ModelPair, Standing, adjusted, rows_of_pairs, standing

METRICS = ("pas", "ecs", "apr")
FURTHER = ("inside",)
"""Metrics that are compared where one asks for them: the share of tests inside the replication interval."""
_COLUMNS = ("pas", "n_eff", "human_d", "agent_d", "passes", "human_significant")
_OUTSIDE = 0.05
"""Below this ECS_Test, which is the p of the difference, a test lies outside its replication interval."""
_SAME = 1e-9


def lost_df(metric: str, protocol: Protocol) -> int:
    """Return the degrees of freedom that a difference over studies loses: 1, for ECS 2.

    ECS is centred at the means of both profiles. With K - 1 equal models were distinguished by it in 5.7 % at
    15 participants per group (8 studies, 20,000 runs), with K - 2 in 5.2 %, and 4.5 % at 40 (12,000 runs).
    """
    return 2 if metric == "ecs" and protocol.intervals == "by-data" else 1


@dataclass(frozen=True, slots=True)
class PeopleScoresOf:
    """One model's numbers test by test."""

    name: str
    rows: tuple[TestRow, ...]
    values: tuple[Mapping[str, float | None], ...]


@dataclass(frozen=True, slots=True)
class PeopleComparison:
    """All pairs of models and their ranking."""

    pairs: tuple[ModelPair, ...]
    standing: Standing


@dataclass(frozen=True, slots=True, eq=False)
class _Without:
    """One metric of one model over some tests, and without each study in turn."""

    whole: float
    studies: Floats
    """One value per study; NaN for studies without such a test, and where it is undefined."""


@dataclass(slots=True, eq=False)
class _Tables:
    """All models on the union of their tests, each value computed once for the same tests."""

    names: tuple[str, ...]
    layout: Layout
    columns: dict[str, Floats]
    """Models by tests; NaN is undefined or absent."""
    present: Bools
    protocol: Protocol
    agreement: Floats
    """ECS_Test, models by tests; NaN is undefined."""
    asked: tuple[str, ...] = METRICS
    known: dict[tuple[str, int, bytes], _Without] = field(default_factory=dict)

    def counted(self, metric: str) -> Bools:
        """Return the tests that count for a metric, models by tests."""
        if metric == "pas":
            return self.present & ~np.isnan(self.columns["pas"])
        if metric == "inside":
            return self.present & ~np.isnan(self.agreement)
        if metric == "ecs":
            return self.present & ~(np.isnan(self.columns["human_d"]) | np.isnan(self.columns["agent_d"]))
        counted = self.present & ~np.isnan(self.columns["passes"])
        if self.protocol.apr_over == "human-significant":
            counted &= self.columns["human_significant"] == 1
        return counted

    def get(self, metric: str, model: int, used: Bools) -> _Without:
        """Compute a model's values over some tests, or take those of an earlier pair."""
        key = (metric, model, np.packbits(used).tobytes())
        if key not in self.known:
            self.known[key] = self._compute(metric, model, used)
        return self.known[key]

    def _compute(self, metric: str, model: int, used: Bools) -> _Without:
        if metric == "inside":
            return self._inside(model, used)
        scores = known_scores(
            {name: np.where(used, table[model], np.nan) for name, table in self.columns.items()}
        )
        if metric == "pas":
            studies = pas_levels(scores, self.layout, self.protocol).study
            return _Without(*_leave_out(studies, ~np.isnan(studies)))
        if metric == "ecs":
            return self._ecs(scores, used)
        passes = apr_passes(scores, self.layout, self.protocol.apr_over)
        return _Without(*_leave_out(passes.passed.study, passes.tests.study))

    def _inside(self, model: int, used: Bools) -> _Without:
        """Return the share of tests inside the replication interval, and without each study."""
        study, size = self.layout.study_of_test, len(self.layout.studies)
        inside = used & (np.where(used, self.agreement[model], 0.0) >= _OUTSIDE)
        passed, tests = (
            np.bincount(study, weights=part, minlength=size).astype(np.float64) for part in (inside, used)
        )
        return _Without(*_leave_out(passed, tests))

    def _ecs(self, scores: TestScores, used: Bools) -> _Without:
        profiles = Profiles(scores, self.layout, self.protocol)
        study = self.layout.study_of_test
        there = np.unique(study[used])
        without = np.full(len(self.layout.studies), np.nan)
        without[there] = profiles.ecs_without(study != there[:, None])
        return _Without(float(profiles.ecs(slice(None))), without)


def _leave_out(values: Floats, counts: Floats | Bools) -> tuple[float, Floats]:
    """Sum of values over sum of counts, of all and without each; NaN where nothing is counted."""
    sums, sizes = np.where(counts > 0, values, 0.0), counts.astype(np.float64)
    rest = sizes.sum() - sizes
    without = np.divide(sums.sum() - sums, rest, out=np.full(rest.shape, np.nan), where=rest > 0)
    whole = float(sums.sum() / sizes.sum()) if sizes.sum() > 0 else float("nan")
    return whole, np.where(counts > 0, without, np.nan)


def compare_people(
    models: Sequence[PeopleScoresOf],
    protocol: Protocol,
    *,
    level: float = 0.95,
    metric: str = "pas",
    engine: Engine = SERIAL,
) -> PeopleComparison:
    """Compare every pair of models on the same studies.

    Both models are scored on the tests that both have, with and without each study in turn; the spread of
    the differences over studies gives the interval, jackknife-t with K - 1 degrees of freedom.
    """
    tables = _tables(models, protocol, METRICS if metric in METRICS else (*METRICS, metric))
    found = engine.map(partial(_row, tables, level), rows_of_pairs(len(models)))
    pairs = adjusted([pair for row in found for pair in row])
    used = np.asarray(tables.counted(metric).all(axis=0))
    values = {
        name: or_none(tables.get(metric, i, used).whole) if used.any() else None
        for i, name in enumerate(tables.names)
    }
    return PeopleComparison(pairs, standing(metric, values, pairs, level=level))


def _tables(models: Sequence[PeopleScoresOf], protocol: Protocol, asked: tuple[str, ...]) -> _Tables:
    """Lay all models out on the union of their tests."""
    rows = {row.key: row for model in models for row in model.rows}
    layout = lay_out(list(rows.values()))
    place = {row.key: i for i, row in enumerate(layout.rows)}
    shape = (len(models), len(place))
    columns = {name: np.full(shape, np.nan) for name in _COLUMNS}
    present, agreement = np.zeros(shape, dtype=np.bool_), np.full(shape, np.nan)
    for i, model in enumerate(models):
        at = [place[row.key] for row in model.rows]
        present[i, at] = True
        for name, column in columns.items():
            column[i, at] = [or_nan(values[name]) for values in model.values]
        agreement[i, at] = [or_nan(values.get("ecs_test")) for values in model.values]
    # only tests that count are handed on, so there is no empty finding and every listed test is used
    plain = replace(protocol, empty_finding=None, weights_over="used")
    names = tuple(model.name for model in models)
    return _Tables(names, layout, columns, present, plain, agreement, asked)


def _row(tables: _Tables, level: float, row: tuple[int, ...]) -> list[ModelPair]:
    """Compare one model with all that come after it."""
    return [_pair(tables, row[0], j, level) for j in row[1:]]


def _pair(tables: _Tables, i: int, j: int, level: float) -> ModelPair:
    first, second = tables.names[i], tables.names[j]
    common = tables.present[i] & tables.present[j]
    if not common.any():
        raise MismatchError(_no_test(tables, i, j))
    _same_people(tables, i, j)
    metrics = tuple(_metric(tables, metric, (i, j), common, level) for metric in tables.asked)
    only_first, only_second = (int((tables.present[k] & ~common).sum()) for k in (i, j))
    return ModelPair(first, second, metrics, int(common.sum()), only_first, only_second)


def _no_test(tables: _Tables, i: int, j: int) -> str:
    """Say what two models do not share."""
    sides = "; ".join(
        f"{tables.names[k]}: {_where(tables, int(np.flatnonzero(tables.present[k])[0]))}, ..." for k in (i, j)
    )
    return (
        f"{tables.names[i]} and {tables.names[j]} have no test in common ({sides}): score both models on the "
        "same table of tests"
    )


def _where(tables: _Tables, test: int) -> str:
    return " / ".join(part for part in tables.layout.rows[test].key if part)


def _same_people(tables: _Tables, i: int, j: int) -> None:
    """Refuse other human numbers behind the same tests."""
    x, y = tables.columns["human_d"][i], tables.columns["human_d"][j]
    other = np.flatnonzero(np.abs(x - y) > _SAME * np.maximum(1.0, np.abs(x)))
    if other.size:
        k = int(other[0])
        raise MismatchError(
            f"the human effect of {_where(tables, k)} is {x[k]:g} for {tables.names[i]} and {y[k]:g} for "
            f"{tables.names[j]}: these were scored against different human data; score both models on the "
            "same human side"
        )


def _metric(
    tables: _Tables, metric: str, sides: tuple[int, int], common: Bools, level: float
) -> MetricDifference:
    used = np.asarray(tables.counted(metric)[list(sides)].all(axis=0))
    n, lost = int(used.sum()), int((common & ~used).sum())
    if not n:
        none = Estimate(None, None, 0, lost, note="undefined: no test of both models has it")
        return MetricDifference(metric, None, None, none, None, 0)
    a, b = (tables.get(metric, side, used) for side in sides)
    studies = np.unique(tables.layout.study_of_test[used])
    without = (a.studies - b.studies)[studies]
    df = len(without) - lost_df(metric, tables.protocol)
    estimate, p = _jackknife_estimate(a.whole - b.whole, without, level, (lost, n), df)
    return MetricDifference(metric, or_none(a.whole), or_none(b.whole), estimate, p, len(studies))


def _jackknife_estimate(
    value: float, without: Floats, level: float, counts: tuple[int, int], df: int
) -> tuple[Estimate, float | None]:
    """Jackknife-t of a difference over studies, and its p-value; counts are tests left out and used."""
    n_left_out, n = counts
    if np.isnan(value):
        note = "undefined: too few tests that both models have"
        return Estimate(None, None, n, n_left_out, note=note), None
    try:
        interval = jackknife_t(value, without, level=level)
    except UndefinedError as reason:
        return Estimate(value, None, n, n_left_out, note=f"no interval: {reason}"), None
    se = (interval.high - interval.low) / 2 / float(stdtrit(len(without) - 1, 0.5 + level / 2))
    p = float(2 * stdtr(df, -abs(value) / se))
    if df != len(without) - 1:
        reach = float(stdtrit(df, 0.5 + level / 2)) * se
        words = f"{interval.method}, {df} degrees of freedom"
        interval = Interval(value - reach, value + reach, level, words)
    method = "difference on the same tests, joint jackknife over studies"
    return Estimate(value, interval, n, n_left_out, method), p


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
        return _each_left_out(studies, ~np.isnan(studies))
    if metric == "apr":
        passes = apr_passes(scores, layout, protocol.apr_over)
        return _each_left_out(passes.passed.study, passes.tests.study)
    profiles, study = Profiles(scores, layout, protocol), layout.study_of_test
    without = [profiles.ecs(study != i) for i in range(len(layout.studies))]
    return profiles.ecs(slice(None)), np.stack(without, axis=-1)


def _each_left_out(values: Floats, counts: Floats | Bools) -> tuple[Floats, Floats]:
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
