"""Comparisons as files, every kind alike: `comparison.json` and `comparison.csv`, and the margin in them.

The document holds bare numbers under the keys of its kind, and the whole record under ``record``, so that
what was read equals what was written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from scipy.special import stdtrit

from concord.files.codec import decode, encode
from concord.files.documents import heading, need_keys, read_document
from concord.files.output import write_csv, write_json
from concord.records import Interval
from concord.stats.compare import Choices
from concord.stats.equivalence import WithinMargin, adjusted_margins, within_margin
from concord.stats.pairs import MetricDifference, ModelPair

IntervalAt = Callable[[float], Interval | None]


def with_margin(
    pairs: Sequence[ModelPair],
    metric: str,
    choices: Choices,
    interval_at: Callable[[ModelPair, MetricDifference], IntervalAt],
) -> tuple[ModelPair, ...]:
    """Return pairs that say of the headline metric whether its difference lies within the margin."""
    if choices.margin is None:
        return tuple(pairs)
    found: list[WithinMargin | None] = []
    for pair in pairs:
        one = pair.metric(metric)
        if one.difference.interval is None:
            found.append(WithinMargin(choices.margin, None, False, None, one.difference.note))
        else:
            at = interval_at(pair, one)
            found.append(within_margin(at, margin=choices.margin, level=choices.level))
    return tuple(
        replace(
            pair,
            metrics=tuple(replace(one, within=held) if one.metric == metric else one for one in pair.metrics),
        )
        for pair, held in zip(pairs, adjusted_margins(found, level=choices.level), strict=True)
    )


def by_student(pair: ModelPair, metric: MetricDifference) -> IntervalAt:
    """Return intervals by Student's t over clusters, with the standard error of the one that is known."""
    known, value = metric.difference.interval, metric.difference.value
    df = metric.n_clusters - 1

    def at(level: float) -> Interval | None:
        if known is None or value is None or df < 1:
            return None
        wide, wanted = (float(stdtrit(df, 0.5 + one / 2)) for one in (known.level, level))
        shrunk = wanted / wide
        low, high = value - (value - known.low) * shrunk, value + (known.high - value) * shrunk
        return Interval(low, high, level, known.method)

    return at


def margin_document(held: WithinMargin | None) -> dict[str, Any]:
    """Return what JSON says of a margin; nothing where none was given."""
    return {} if held is None else {"within_margin": asdict(held)}


def margin_columns(held: WithinMargin | None) -> dict[str, Any]:
    """Return the same as columns of a table."""
    if held is None:
        return {}
    ends = held.interval
    return {
        "margin": held.margin,
        "within_margin": held.shown,
        "p_margin": held.p_value,
        "p_margin_holm": held.p_holm,
        "margin_low": None if ends is None else ends.low,
        "margin_high": None if ends is None else ends.high,
    }


DOCUMENT, TABLE = "comparison.json", "comparison.csv"
T = TypeVar("T")
NOTHING: Mapping[str, Any] = MappingProxyType({})
"""No further keys."""


def write_comparison(
    folder: Path, kind: str, document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], record: object
) -> tuple[Path, Path]:
    """Write both files; the inverse of `read_comparison`."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    write_json(folder / DOCUMENT, {**heading(kind), **document, "record": encode(record)})
    write_csv(folder / TABLE, columns, [[row.get(key) for key in columns] for row in rows])
    return folder / DOCUMENT, folder / TABLE


def read_comparison(folder: Path, kind: str, record: type[T]) -> T:
    """Read a comparison of one kind back, whole."""
    path = folder / DOCUMENT
    document = read_document(path, kind)
    need_keys(document, ("record",), path)
    return decode(record, document["record"], where=f"{path}, 'record'")
