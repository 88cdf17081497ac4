"""Models on the same studies: differences of PAS, ECS and APR by a joint jackknife over studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy.special import stdtr, stdtrit

from concord.engine import SERIAL, Engine
from concord.errors import MismatchError, UndefinedError
from concord.people.protocol import Protocol
from concord.people.results.agent_pairs import COLUMNS, counted_by, each_left_out, lost_df, with_and_without
from concord.people.score.levels import Layout, lay_out
from concord.records import Estimate, Interval, TestRow
from concord.stats.elementwise import Bools, Floats, or_nan, or_none
from concord.stats.intervals import jackknife_t
from concord.stats.pairs import MetricDifference, ModelPair, RankedPairs, adjusted, rows_of_pairs, standing

METRICS = ("pas", "ecs", "apr")
FURTHER = ("inside",)
"""Metrics that are compared where one asks for them: the share of tests inside the replication interval."""
_OUTSIDE = 0.05
"""Below this ECS_Test, which is the p of the difference, a test lies outside its replication interval."""
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class PeopleScoresOf:
    """One model's numbers test by test."""

    name: str
    rows: tuple[TestRow, ...]
    values: tuple[Mapping[str, float | None], ...]


_Without = tuple[float, Floats]
"""One metric of one model over some tests, and without each study in turn."""


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
        if metric == "inside":
            return self.present & ~np.isnan(self.agreement)
        return self.present & counted_by(metric, self.columns, self.protocol)

    def get(self, metric: str, model: int, used: Bools) -> _Without:
        """Compute a model's values over some tests, or take those of an earlier pair."""
        key = (metric, model, np.packbits(used).tobytes())
        if key not in self.known:
            compute = self._inside if metric == "inside" else self._compute
            whole, without = compute(metric, model, used)
            self.known[key] = float(whole), without
        return self.known[key]

    def _compute(self, metric: str, model: int, used: Bools) -> tuple[Floats, Floats]:
        chosen = {name: np.where(used, table[[model]], np.nan) for name, table in self.columns.items()}
        whole, without, _ = with_and_without(metric, chosen, self.layout, self.protocol)
        return whole[0], without[0]

    def _inside(self, _: str, model: int, used: Bools) -> tuple[Floats, Floats]:
        """Return the share of tests inside the replication interval, and without each study."""
        study, size = self.layout.study_of_test, len(self.layout.studies)
        inside = used & (np.where(used, self.agreement[model], 0.0) >= _OUTSIDE)
        passed, tests = (
            np.bincount(study, weights=part, minlength=size).astype(np.float64) for part in (inside, used)
        )
        return each_left_out(passed, tests)


def compare_people(
    models: Sequence[PeopleScoresOf],
    protocol: Protocol,
    *,
    level: float = 0.95,
    metric: str = "pas",
    engine: Engine = SERIAL,
) -> RankedPairs:
    """Compare every pair of models on the same studies."""
    # Both models are scored on the tests that both have, with and without each study in turn; the spread of
    # the differences over studies gives the interval, jackknife-t with K - 1 degrees of freedom.
    tables = _tables(models, protocol, METRICS if metric in METRICS else (*METRICS, metric))
    found = engine.map(partial(_row, tables, level), rows_of_pairs(len(models)))
    pairs = adjusted([pair for row in found for pair in row])
    used = np.asarray(tables.counted(metric).all(axis=0))
    values = {
        name: or_none(tables.get(metric, i, used)[0]) if used.any() else None
        for i, name in enumerate(tables.names)
    }
    return RankedPairs(pairs, standing(metric, values, pairs, level=level))


def _tables(models: Sequence[PeopleScoresOf], protocol: Protocol, asked: tuple[str, ...]) -> _Tables:
    """Lay all models out on the union of their tests."""
    rows = {row.key: row for model in models for row in model.rows}
    layout = lay_out(list(rows.values()))
    place = {row.key: i for i, row in enumerate(layout.rows)}
    shape = (len(models), len(place))
    columns = {name: np.full(shape, np.nan) for name in COLUMNS}
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
    (a, a_without), (b, b_without) = (tables.get(metric, side, used) for side in sides)
    studies = np.unique(tables.layout.study_of_test[used])
    without = (a_without - b_without)[studies]
    df = len(without) - lost_df(metric, tables.protocol)
    estimate, p = _jackknife_estimate(a - b, without, level, (lost, n), df)
    return MetricDifference(metric, or_none(a), or_none(b), estimate, p, len(studies))


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
