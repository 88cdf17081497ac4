"""Models compared on several metrics at once, documents, frames, files."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.comparing.files import (
    NOTHING,
    margin_columns,
    margin_document,
    read_comparison,
    write_comparison,
)
from concord.files.documents import provenance
from concord.records import Estimate, InputFile, Interval, Presented
from concord.stats.pairs import MetricDifference, ModelPair, Standing

if TYPE_CHECKING:
    import polars as pl


KIND = "comparison of metrics"


@dataclass(frozen=True, slots=True)
class UnitWords:
    """What a kind of comparison calls its parts."""

    unit: str
    """What a score belongs to: a test, a cell."""
    units: str
    cluster: str
    """What is independent: a study, an item."""
    clusters: str
    least: str
    """How many of them a test needs."""
    counts_units: bool = False
    """Whether each metric rests on a number of units of its own."""


_NAMES = {
    "pas": "PAS",
    "ecs": "ECS",
    "apr": "APR",
    "inside": "inside replication interval",
    "tau": "order effect (tau)",
}
_READINGS = ("peak", "across")


def metric_name(metric: str) -> str:
    """Name a metric as a reader knows it."""
    reading, _, rest = metric.partition("_")
    return f"{rest}, {reading}" if reading in _READINGS else _NAMES.get(metric, metric)


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """One model of a comparison and where it came from."""

    name: str
    source: str
    about: Mapping[str, Any]
    """What sets its result apart: the design of its agents, samples per cell."""
    interval: Interval | None = None
    """Of the number that ranks it, where its result has one for what all models share."""


@dataclass(frozen=True, slots=True, repr=False)
class MetricCompareResult(Presented):
    """Models compared on the same studies of people, or on the same items and arrangements."""

    kind: str
    """Name of the question that the results answer."""
    words: UnitWords
    how: str
    """What all results have in common, in words."""
    about: Mapping[str, Any]
    """What all results have in common: protocol or reading, items and arrangements."""
    models: tuple[ComparedModel, ...]
    pairs: tuple[ModelPair, ...]
    standing: Standing
    """Ranking and groups by the headline metric."""
    options: Mapping[str, Any]
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def metric(self) -> str:
        """The headline metric."""
        return self.standing.metric

    @property
    def level(self) -> float:
        """Nominal coverage of intervals."""
        return float(self.options["level"])

    @property
    def difference(self) -> Estimate:
        """The headline difference of the first pair, with its interval."""
        return self.pairs[0].metric(self.metric).difference

    @property
    def p_value(self) -> float | None:
        """The headline p-value of the first pair."""
        return self.pairs[0].metric(self.metric).p_value

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {
            "question": "compare",
            "kind": self.kind,
            **self.about,
            "metric": self.metric,
            "models": [
                {
                    "name": one.name,
                    "source": one.source,
                    "ranking_interval": None if one.interval is None else asdict(one.interval),
                    **one.about,
                }
                for one in self.models
            ],
            "pairs": [self._pair(pair) for pair in self.pairs],
            "ranking": list(self.standing.order),
            "ranking_values": dict(self.standing.values),
            "groups": [list(group) for group in self.standing.groups],
            "warnings": list(self.warnings),
            "options": dict(self.options),
            **provenance(self.inputs),
        }

    def _pair(self, pair: ModelPair) -> dict[str, Any]:
        metrics = {metric.metric: self._metric(metric) for metric in pair.metrics}
        head = metrics[self.metric]
        same = ["difference", "difference_interval", "p_value", "p_holm", "p_bh"]
        same += ["within_margin"] if "within_margin" in head else []
        return {
            "first": pair.first,
            "second": pair.second,
            **{key: head[key] for key in same},
            f"n_common_{self.words.units}": pair.n_common,
            "n_only_first": pair.only_first,
            "n_only_second": pair.only_second,
            "metrics": metrics,
        }

    def _metric(self, metric: MetricDifference) -> dict[str, Any]:
        one = metric.difference
        units = self.words.units
        sizes = (
            {f"n_{units}": one.n, f"n_{units}_left_out": one.n_left_out} if self.words.counts_units else {}
        )
        return {
            "metric": metric.metric,
            "first_value": metric.first,
            "second_value": metric.second,
            "difference": one.value,
            "difference_interval": None if one.interval is None else asdict(one.interval),
            "p_value": metric.p_value,
            "p_holm": metric.p_holm,
            "p_bh": metric.p_bh,
            **sizes,
            f"n_{self.words.clusters}": metric.n_clusters,
            "note": one.note,
            **margin_document(metric.within),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per pair and metric."""
        import polars as pl

        return pl.DataFrame(list(self._rows()), infer_schema_length=None)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for pair in self.pairs:
            for metric in pair.metrics:
                document = self._metric(metric)
                interval = document.pop("difference_interval") or {}
                document.pop("within_margin", None)
                ends = {"difference_low": interval.get("low"), "difference_high": interval.get("high")}
                margin = margin_columns(metric.within)
                yield {"first": pair.first, "second": pair.second, **document, **ends, **margin}

    def write(self, out: str | Path, *, further: Mapping[str, Any] = NOTHING) -> tuple[Path, ...]:
        """Write `comparison.json` and `comparison.csv`.

        Parameters
        ----------
        out
            A folder; it is made.
        further
            Keys that are added to `comparison.json`, such as ``regression``.
        """
        document = {**self.to_dict(), **further}
        return write_comparison(Path(out), KIND, document, list(self._rows()), self)


def read_metric_comparison(folder: Path) -> MetricCompareResult:
    """Read what `MetricCompareResult.write` wrote; the inverse of it."""
    return read_comparison(folder, KIND, MetricCompareResult)
