"""A comparison of models on the same studies of people: documents and terminal tables."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.people.compare import MetricDifference, PeoplePair
from concord.records import InputFile
from concord.reports.files import write_csv, write_json
from concord.reports.provenance import provenance

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

_NAMES = {"pas": "PAS", "ecs": "ECS", "apr": "APR"}


@dataclass(frozen=True, slots=True, repr=False)
class PeopleCompareResult:
    """Models compared on the same studies."""

    protocol: str
    pairs: tuple[PeoplePair, ...]
    level: float
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the document that ``--json`` prints."""
        return {
            "question": "compare",
            "kind": "people",
            "protocol": self.protocol,
            "pairs": [_pair(pair) for pair in self.pairs],
            "warnings": list(self.warnings),
            "options": {"level": self.level},
            **provenance(self.inputs),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Give one row a pair and metric."""
        import polars as pl

        return pl.DataFrame(list(self._rows()), infer_schema_length=None)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for pair in self.pairs:
            for metric in pair.metrics:
                document = _metric(metric)
                interval = document.pop("difference_interval") or {}
                ends = {"difference_low": interval.get("low"), "difference_high": interval.get("high")}
                yield {"first": pair.first, "second": pair.second, **document, **ends}

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `comparison.json` and `comparison.csv`."""
        folder = Path(out)
        rows = list(self._rows())
        write_json(folder / "comparison.json", self.to_dict())
        write_csv(folder / "comparison.csv", list(rows[0]), [list(row.values()) for row in rows])
        return folder / "comparison.json", folder / "comparison.csv"

    def __repr__(self) -> str:
        from concord.reports.terminal import drawn

        return drawn(people_compare_report(self))

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>"


def _pair(pair: PeoplePair) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "n_common_tests": pair.n_common,
        "n_only_first": pair.only_first,
        "n_only_second": pair.only_second,
        "metrics": {metric.metric: _metric(metric) for metric in pair.metrics},
    }


def _metric(metric: MetricDifference) -> dict[str, Any]:
    one = metric.difference
    return {
        "metric": metric.metric,
        "first_value": metric.first,
        "second_value": metric.second,
        "difference": one.value,
        "difference_interval": None if one.interval is None else asdict(one.interval),
        "p_value": metric.p_value,
        "p_holm": metric.p_holm,
        "p_bh": metric.p_bh,
        "n_tests": one.n,
        "n_tests_left_out": one.n_left_out,
        "n_studies": metric.n_studies,
        "note": one.note,
    }


def people_compare_report(result: PeopleCompareResult) -> "RenderableType":
    """Give everything a reader of the terminal should see."""
    from rich.console import Group
    from rich.text import Text

    parts: list[Any] = []
    for pair in result.pairs:
        parts += [_table(result, pair), *(Text(line) for line in _notes(pair))]
    parts.append(Text("\n" + _closing(result), style="bold"))
    return Group(*parts)


def _table(result: PeopleCompareResult, pair: PeoplePair) -> Any:
    from concord.reports.compare_terminal import ends, number, p_text, plain_table

    title = f"{pair.first} − {pair.second} · protocol {result.protocol} · the same tests and studies"
    columns = (
        "metric",
        "first",
        "second",
        "difference",
        f"{result.level:.0%} interval",
        "p",
        "tests",
        "studies",
    )
    table = plain_table(title, columns)
    for metric in pair.metrics:
        one = metric.difference
        table.add_row(
            _NAMES[metric.metric],
            number(metric.first),
            number(metric.second),
            number(one.value, sign=True),
            ends(one.interval, sign=True),
            p_text(metric.p_value if len(result.pairs) == 1 else metric.p_holm),
            str(one.n),
            str(metric.n_studies),
        )
    return table


def _notes(pair: PeoplePair) -> Iterator[str]:
    if pair.only_first or pair.only_second:
        yield (
            f"  left out: {pair.only_first} test(s) only {pair.first} has, {pair.only_second} only "
            f"{pair.second} has"
        )
    for metric in pair.metrics:
        if metric.difference.note:
            yield f"  {_NAMES[metric.metric]}: {metric.difference.note}"


def _closing(result: PeopleCompareResult) -> str:
    alpha = 1 - result.level
    told = [
        f"{_NAMES[metric.metric]} of {pair.first} and {pair.second}"
        for pair in result.pairs
        for metric in pair.metrics
        if metric.p_holm is not None and metric.p_holm < alpha
    ]
    if not told:
        return "With these studies no difference can be told from chance."
    return "More than chance over studies like these: " + "; ".join(told) + "."
