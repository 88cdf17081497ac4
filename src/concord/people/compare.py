"""Two models on the same studies: differences of PAS, ECS and APR by a joint jackknife over studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import stdtr, stdtrit

from concord.errors import MismatchError, UndefinedError
from concord.people.aggregate import Profiles, apr_passes, pas_levels
from concord.people.layout import lay_out
from concord.people.protocol import Protocol
from concord.people.tests import TestScores
from concord.records import Estimate, TestRow
from concord.stats.elementwise import Bools, Floats
from concord.stats.intervals import jackknife_t
from concord.stats.multiple import benjamini_hochberg, holm

METRICS = ("pas", "ecs", "apr")
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class PeopleScoresOf:
    """One model's numbers test by test."""

    name: str
    rows: tuple[TestRow, ...]
    values: tuple[Mapping[str, float | None], ...]


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """One metric of two models on the same tests; first minus second."""

    metric: str
    first: float | None
    second: float | None
    """Each model's own number over the tests that both have."""
    difference: Estimate
    p_value: float | None
    n_studies: int
    p_holm: float | None = None
    p_bh: float | None = None


@dataclass(frozen=True, slots=True)
class PeoplePair:
    """Two models compared on the tests that both were scored on."""

    first: str
    second: str
    metrics: tuple[MetricDifference, ...]
    n_common: int
    only_first: int
    only_second: int
    """Tests in one result only."""


def compare_people(
    models: Sequence[PeopleScoresOf], protocol: Protocol, *, level: float = 0.95
) -> tuple[PeoplePair, ...]:
    """Compare every pair of models on the same studies.

    Both models are scored on the tests that both have, with and without each study in turn; the spread of
    the differences over studies gives the interval, jackknife-t with K - 1 degrees of freedom.

    Parameters
    ----------
    models
        At least two, scored under one protocol.
    protocol
        That protocol.
    level
        Nominal coverage of intervals.

    Raises
    ------
    MismatchError
        No test in common, or other human numbers behind the same tests.
    """
    pairs = [_pair(a, b, protocol, level) for a, b in combinations(models, 2)]
    return _adjusted(pairs)


def _pair(a: PeopleScoresOf, b: PeopleScoresOf, protocol: Protocol, level: float) -> PeoplePair:
    first = {row.key: (row, values) for row, values in zip(a.rows, a.values, strict=True)}
    second = {row.key: values for row, values in zip(b.rows, b.values, strict=True)}
    common = sorted(key for key in first if key in second)
    if not common:
        raise MismatchError(
            f"{a.name} and {b.name} have no test in common: score both models on the same table of tests"
        )
    _same_people(a.name, b.name, common, {key: first[key][1] for key in common}, second)
    rows = [first[key][0] for key in common]
    columns = [[first[key][1] for key in common], [second[key] for key in common]]
    metrics = tuple(_metric(metric, rows, columns, protocol, level) for metric in METRICS)
    return PeoplePair(
        a.name, b.name, metrics, len(common), len(first) - len(common), len(second) - len(common)
    )


_Values = Mapping[str, float | None]
_Key = tuple[str, str, str, str]


def _same_people(
    a: str, b: str, common: Sequence[_Key], first: Mapping[_Key, _Values], second: Mapping[_Key, _Values]
) -> None:
    """Refuse other human numbers behind the same tests."""
    for key in common:
        x, y = first[key]["human_d"], second[key]["human_d"]
        if x is not None and y is not None and abs(x - y) > _SAME * max(1.0, abs(x)):
            where = " / ".join(part for part in key if part)
            raise MismatchError(
                f"the human effect of {where} is {x:g} for {a} and {y:g} for {b}: these were scored against "
                "different human data; score both models on the same human side"
            )


def _float(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _scores(columns: Sequence[Sequence[_Values]]) -> TestScores:
    """Test scores of two models, (2, T): what the metrics need, everything else undefined."""

    def array(name: str) -> Floats:
        return np.array([[_float(values[name]) for values in side] for side in columns])

    nothing = np.full((2, len(columns[0])), np.nan)
    return TestScores(
        pas=array("pas"),
        n_eff=array("n_eff"),
        human_d=array("human_d"),
        agent_d=array("agent_d"),
        passes=array("passes"),
        human_significant=array("human_significant"),
        pas_two=nothing,
        human_posterior=nothing,
        agent_posterior=nothing,
        two_states=np.zeros(nothing.shape, dtype=np.bool_),
        z_diff=nothing,
        ecs_test=nothing,
        direction_match=nothing,
        agent_significant=nothing,
    )


def _in_both(scores: TestScores, metric: str, protocol: Protocol) -> Bools:
    """Give the tests that count for both models."""
    if metric == "pas":
        return np.asarray(~np.isnan(scores.pas).any(axis=0))
    if metric == "ecs":
        return np.asarray(~(np.isnan(scores.human_d) | np.isnan(scores.agent_d)).any(axis=0))
    counted = ~np.isnan(scores.passes)
    if protocol.apr_over == "human-significant":
        counted &= scores.human_significant == 1
    return np.asarray(counted.all(axis=0))


def _value(
    metric: str, rows: Sequence[TestRow], columns: Sequence[Sequence[_Values]], protocol: Protocol
) -> Floats:
    """Give one metric of both models over some tests."""
    if not rows:
        return np.full(2, np.nan)
    scores, layout = _scores(columns), lay_out(rows)
    if metric == "pas":
        return pas_levels(scores, layout, protocol).benchmark
    if metric == "ecs":
        return Profiles(scores, layout, protocol).ecs(slice(None))
    return apr_passes(scores, layout, protocol.apr_over).rates().benchmark


def _metric(
    metric: str,
    rows: Sequence[TestRow],
    columns: Sequence[Sequence[_Values]],
    protocol: Protocol,
    level: float,
) -> MetricDifference:
    used = np.flatnonzero(_in_both(_scores(columns), metric, protocol)).tolist()
    kept = [rows[i] for i in used]
    sides = [[side[i] for i in used] for side in columns]
    whole = _value(metric, kept, sides, protocol)
    studies = sorted({row.study for row in kept})
    without = []
    for study in studies:
        rest = [i for i, row in enumerate(kept) if row.study != study]
        values = _value(
            metric, [kept[i] for i in rest], [[side[i] for i in rest] for side in sides], protocol
        )
        without.append(float(values[0] - values[1]))
    estimate, p = _estimate(
        float(whole[0] - whole[1]), np.array(without), level, len(rows) - len(kept), len(kept)
    )
    first, second = (None if np.isnan(value) else float(value) for value in whole)
    return MetricDifference(metric, first, second, estimate, p, len(studies))


def _estimate(
    value: float, without: Floats, level: float, n_left_out: int, n: int
) -> tuple[Estimate, float | None]:
    """Jackknife-t of a difference over studies, and its p-value."""
    if np.isnan(value):
        return Estimate(
            None, None, n, n_left_out, note="undefined: too few tests that both models have"
        ), None
    try:
        interval = jackknife_t(value, without, level=level)
    except UndefinedError as reason:
        return Estimate(value, None, n, n_left_out, note=f"no interval: {reason}"), None
    df = len(without) - 1
    se = (interval.high - interval.low) / 2 / float(stdtrit(df, 0.5 + level / 2))
    p = float(2 * stdtr(df, -abs(value) / se))
    method = "difference on the same tests, joint jackknife over studies"
    return Estimate(value, interval, n, n_left_out, method), p


def _adjusted(pairs: list[PeoplePair]) -> tuple[PeoplePair, ...]:
    """Adjust p-values for the number of pairs, metric by metric."""
    columns = []
    for i in range(len(METRICS)):
        known = np.array([_float(pair.metrics[i].p_value) for pair in pairs])
        columns.append((holm(known), benjamini_hochberg(known)))

    def number(value: float) -> float | None:
        return None if np.isnan(value) else float(value)

    return tuple(
        replace(
            pair,
            metrics=tuple(
                replace(metric, p_holm=number(columns[i][0][k]), p_bh=number(columns[i][1][k]))
                for i, metric in enumerate(pair.metrics)
            ),
        )
        for k, pair in enumerate(pairs)
    )
