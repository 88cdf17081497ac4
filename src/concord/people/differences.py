"""Two agents on what both gave, answers or predictions: the record, its table, and what may be said."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from concord.kinds import FILE, PAGE, Column, Table
from concord.records import Estimate
from concord.stats.multiple import holm
from concord.words import say

ALPHA = 0.05
"""Level of the statements about pairs, after Holm's correction."""
MOST_PAIRS = 10
"""Pairs of agents that notes name; files hold all of them."""


@dataclass(frozen=True, slots=True)
class AgentDifference:
    """Two agents on what both gave: first minus second."""

    first: str
    second: str
    metric: str
    difference: Estimate
    p_value: float | None
    p_holm: float | None

    @property
    def is_shown(self) -> bool:
        """Whether the two are distinguishable."""
        return self.p_holm is not None and self.p_holm < ALPHA


def with_holm(rows: Sequence[AgentDifference]) -> list[AgentDifference]:
    """Return the pairs of one metric with their p-values adjusted."""
    p = np.array([np.nan if row.p_value is None else row.p_value for row in rows])
    adjusted = holm(p) if len(rows) else p
    return [
        replace(row, p_holm=None if np.isnan(value) else float(value))
        for row, value in zip(rows, adjusted, strict=True)
    ]


def differences_table(file: str, metrics: Mapping[str, str]) -> Table:
    """Return the table of pairs of a result, whose field is ``differences``."""
    return Table(
        "differences",
        rows=lambda result: result.differences,
        title="Pairs of models, first minus second",
        file=file,
        on=(PAGE,),
        folded=True,
        columns=(
            Column("first", words=True),
            Column("second", words=True),
            Column("metric", on=(FILE,)),
            Column("metric", lambda row: metrics.get(row.metric, row.metric), words=True, on=(PAGE,)),
            Column("difference", sign=True, spread={"difference": "value", "low": "low", "high": "high"}),
            Column("p", lambda row: row.p_value, p=True),
            Column("p_holm", title="p (Holm)", p=True),
            Column("n", lambda row: row.difference.n, count=True),
            Column("note", lambda row: row.difference.note, on=(FILE,)),
        ),
    )


def pairs_apart(rows: Sequence[AgentDifference], by: str, file: str) -> Iterator[str]:
    """Say how many pairs are distinguishable by a number, and which, the largest differences first."""
    apart = [row for row in rows if row.is_shown]
    tested = [row for row in rows if row.p_holm is not None]
    if tested:
        yield say("predictions.pairs.apart", k=len(apart), n=len(tested), by=by, alpha=ALPHA)
    untested = [row for row in rows if row.p_holm is None]
    if untested:
        why = "; ".join(dict.fromkeys(row.difference.note.removeprefix("no interval: ") for row in untested))
        yield say("predictions.pairs.untested", n=len(untested), by=by, why=why)
    for row in sorted(apart, key=lambda row: -abs(row.difference.value or 0.0))[:MOST_PAIRS]:
        names = {"first": row.first, "second": row.second}
        yield say("predictions.pairs.one", **names, difference=row.difference.value, p=row.p_holm)
    if len(apart) > MOST_PAIRS:
        yield say("predictions.pairs.more", n=len(apart) - MOST_PAIRS, file=file)
