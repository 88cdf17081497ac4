"""Several models' results side by side: ranks on five numbers, intervals, and the 0.10 line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError, OptionError
from concord.files.documents import FORMAT_VERSION, READ_VERSIONS
from concord.reasoning.files import RESULTS_FILE, ReasoningResult
from concord.reasoning.gap import LINE, SLACK
from concord.records import Estimate, Interval, Presented

if TYPE_CHECKING:
    import polars as pl

METRICS = ("faithfulness_gap", "acc_cot", "acc_early", "step_f1", "silent_bias_rate")
LOWER_IS_BETTER = ("silent_bias_rate",)


@dataclass(frozen=True, slots=True)
class RankedModel:
    """One model in a ranking."""

    model: str
    reading: str
    estimates: Mapping[str, Estimate]
    ranks: Mapping[str, int | None]
    """Equal values share the better rank; ``None`` where the number is undefined."""
    line: str
    """Where the gap's interval lies: above, below or across 0.10; unsure of without an interval."""


@dataclass(frozen=True, slots=True, repr=False)
class Ranking(Presented):
    """Models in order."""

    by: str
    rows: tuple[RankedModel, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as one JSON document."""
        return {
            "format": "concord reasoning ranking",
            "format_version": FORMAT_VERSION,
            "by": self.by,
            "line": LINE,
            "models": [_as_dict(row) for row in self.rows],
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per model: value, interval and rank of every number."""
        import polars as pl

        return pl.DataFrame([_flat(row) for row in self.rows], infer_schema_length=None)


def rank(results: Sequence[ReasoningResult | str | Path], *, by: str = "faithfulness_gap") -> Ranking:
    """Rank results that were scored alike.

    Parameters
    ----------
    results
        Results, or folders that hold them.
    by
        The number that orders the table.

    Raises
    ------
    OptionError
        Nothing to rank, an unknown number, or results that were scored differently.
    """
    if by not in METRICS:
        raise OptionError(f"by {by!r} does not fit: expected one of {', '.join(METRICS)}")
    documents = [document for result in results for document in _documents(result)]
    if not documents:
        raise OptionError("nothing to rank: give results, or folders that hold them")
    _refuse_mixture(documents)
    ranks = {name: _ranks([document[name] for document in documents], name) for name in METRICS}
    rows = [
        _ranked(document, {name: ranks[name][number] for name in METRICS})
        for number, document in enumerate(documents)
    ]
    last = len(rows) + 1
    rows.sort(key=lambda row: (last if row.ranks[by] is None else row.ranks[by], row.model))
    return Ranking(by, tuple(rows))


def _documents(result: ReasoningResult | str | Path) -> list[Mapping[str, Any]]:
    """Return the documents of a result, of a model's folder, or of a folder of them."""
    if isinstance(result, ReasoningResult):
        return [result.to_dict()]
    folder = Path(result)
    own = folder / RESULTS_FILE
    paths = [own] if own.is_file() else sorted(folder.glob(f"*/{RESULTS_FILE}"))
    if not paths:
        raise FileFormatError(f"{folder}: holds no {RESULTS_FILE}; score a model into it first")
    return [_read(path) for path in paths]


def _read(path: Path) -> Mapping[str, Any]:
    """Read one result and check what a ranking needs of it."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FileFormatError(f"{path}: not JSON ({error})") from None
    if not isinstance(document, dict) or "format_version" not in document or "estimates" not in document:
        raise FileFormatError(f"{path}: not a reasoning result of Concord; score the replies again")
    if document["format_version"] not in READ_VERSIONS:
        found = document["format_version"]
        raise FileFormatError(f"{path}: format version {found!r}, expected {FORMAT_VERSION}; score again")
    return document


def _refuse_mixture(documents: Sequence[Mapping[str, Any]]) -> None:
    """Refuse results whose rules or vignettes differ."""
    for what, key in (
        ("rules", _rules),
        ("vignettes", _vignettes),
        ("bias cases", _bias_cases),
        ("names", _names),
    ):
        found: dict[str, str] = {}
        for document in documents:
            value = key(document)
            if value is not None:
                found.setdefault(value, str(document["model"]))
        if len(found) > 1:
            listed = "; ".join(f"{model}: {value}" for value, model in found.items())
            raise OptionError(
                f"these results differ in their {what} ({listed}) and cannot be ranked together; "
                f"score all replies again with the same files and options"
            )


def _rules(document: Mapping[str, Any]) -> str | None:
    names = ("scope", "negation", "multiple")
    chosen = [str(document["options"][name]) for name in names if name in document["options"]]
    return " ".join([str(document["rules"]), *chosen])


def _vignettes(document: Mapping[str, Any]) -> str | None:
    return f"sha256 {document['inputs']['samples']['sha256'][:12]}"


def _bias_cases(document: Mapping[str, Any]) -> str | None:
    given = document["inputs"].get("bias_cases")
    return None if given is None else f"sha256 {given['sha256'][:12]}"


def _names(document: Mapping[str, Any]) -> str | None:
    given = document["inputs"].get("aliases")
    return "the bundled ones" if given is None else f"sha256 {given['sha256'][:12]}"


def _ranks(values: Sequence[float | None], name: str) -> list[int | None]:
    """Rank values, the best first; equal values share the better rank."""
    sign = 1 if name in LOWER_IS_BETTER else -1
    known = [sign * value for value in values if value is not None]
    return [
        None if value is None else 1 + sum(other < sign * value - SLACK for other in known)
        for value in values
    ]


def _ranked(document: Mapping[str, Any], ranks: Mapping[str, int | None]) -> RankedModel:
    """Return one model's row."""
    estimates = {name: _estimate(document["estimates"][name]) for name in METRICS}
    line = _line(estimates["faithfulness_gap"].interval)
    return RankedModel(str(document["model"]), str(document["reading"]), estimates, ranks, line)


def _estimate(fields: Mapping[str, Any]) -> Estimate:
    interval = None if fields["interval"] is None else Interval(**fields["interval"])
    return Estimate(**{**fields, "interval": interval})


def _line(interval: Interval | None) -> str:
    """Say where an interval lies beside the line."""
    if interval is None:
        return "unsure of"
    if interval.low > LINE + SLACK:
        return "above"
    return "below" if interval.high < LINE - SLACK else "across"


def _flat(row: RankedModel) -> dict[str, object]:
    """Return one row of the frame."""
    flat: dict[str, object] = {"model": row.model, "reading": row.reading, "line": row.line}
    for name in METRICS:
        one = row.estimates[name]
        flat[name] = one.value
        flat[f"{name}_low"] = None if one.interval is None else one.interval.low
        flat[f"{name}_high"] = None if one.interval is None else one.interval.high
        flat[f"{name}_rank"] = row.ranks[name]
    return flat


def _as_dict(row: RankedModel) -> dict[str, Any]:
    """Return one model of the document."""
    return _flat(row)
