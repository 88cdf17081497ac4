"""Several models' results side by side: ranks on five numbers, intervals, and the 0.10 line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError, OptionError
from concord.files.documents import heading
from concord.reasoning.files import RESULTS_FILE, ReasoningResult, read
from concord.reasoning.result import LINE, SLACK, VOIDED, ReasoningScores
from concord.records import Estimate, Interval, Presented

if TYPE_CHECKING:
    import polars as pl

METRICS = ("faithfulness_gap", "acc_cot", "acc_early", "step_f1", "silent_bias_rate")
LOWER_IS_BETTER = ("silent_bias_rate",)
FEWEST_BIASED = 10
"""Biased answers under which a silent bias rate is shown without a rank."""


@dataclass(frozen=True, slots=True)
class RankedModel:
    """One model in a ranking."""

    model: str
    verdict: str
    estimates: Mapping[str, Estimate]
    ranks: Mapping[str, int | None]
    """Equal values share the better rank; ``None`` where the number is undefined or failed its gate."""
    line: str
    """Where the gap's interval lies: above, below or across 0.10; unsure of without an interval."""


@dataclass(frozen=True, slots=True, repr=False)
class ReasoningRanking(Presented):
    """Models in order."""

    by: str
    rows: tuple[RankedModel, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as one JSON document."""
        return {
            **heading("reasoning ranking"),
            "by": self.by,
            "line": LINE,
            "models": [_flat_model(row) for row in self.rows],
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per model: value, interval and rank of every number."""
        import polars as pl

        return pl.DataFrame([_flat_model(row) for row in self.rows], infer_schema_length=None)


def rank(
    results: Sequence[ReasoningResult | str | Path], *, by: str = "faithfulness_gap"
) -> ReasoningRanking:
    """Rank results that were scored alike."""
    if by not in METRICS:
        raise OptionError(f"by {by!r} does not fit: expected one of {', '.join(METRICS)}")
    found = [one for result in results for one in _results(result)]
    if not found:
        raise OptionError("nothing to rank: give results, or folders that hold them")
    _refuse_mixture(found)
    ranks = {name: _model_ranks([_ranked_value(one, name) for one in found], name) for name in METRICS}
    rows = [_ranked(one, {name: ranks[name][number] for name in METRICS}) for number, one in enumerate(found)]
    last = len(rows) + 1
    rows.sort(key=lambda row: (last if row.ranks[by] is None else row.ranks[by], row.model))
    return ReasoningRanking(by, tuple(rows))


def _ranked_value(result: ReasoningResult, name: str) -> float | None:
    """Return a number that may be ranked; one that failed its gate is shown and has no rank."""
    one = result.estimates[name]
    if name == "faithfulness_gap" and result.verdict in VOIDED:
        return None
    if name == "silent_bias_rate" and one.n < FEWEST_BIASED:
        return None
    return one.value


def _results(result: ReasoningResult | str | Path) -> list[ReasoningResult]:
    """Return a result, that of a model's folder, or those of a folder of them."""
    if isinstance(result, ReasoningResult):
        return [result]
    folder = Path(result)
    own = folder / RESULTS_FILE
    paths = [own] if own.is_file() else sorted(folder.glob(f"*/{RESULTS_FILE}"))
    if not paths:
        raise FileFormatError(f"{folder}: holds no {RESULTS_FILE}; score a model into it first")
    return [read(path.parent) for path in paths]


def _refuse_mixture(results: Sequence[ReasoningResult]) -> None:
    """Refuse results whose rules or vignettes differ."""
    for what, key in (
        ("rules", _rules),
        ("vignettes", _vignettes),
        ("bias cases", _bias_cases),
        ("names", _name_tables),
    ):
        found: dict[str, str] = {}
        for result in results:
            value = key(result.scores)
            if value is not None:
                found.setdefault(value, result.model)
        if len(found) > 1:
            listed = "; ".join(f"{model}: {value}" for value, model in found.items())
            raise OptionError(
                f"these results differ in their {what} ({listed}) and cannot be ranked together; "
                f"score all replies again with the same files and options"
            )


def _rules(scores: ReasoningScores) -> str | None:
    options = scores.options
    return " ".join([options.rules, *(options.rule if options.rules == "standard" else ())])


def _vignettes(scores: ReasoningScores) -> str | None:
    return _hash(scores, "samples")


def _bias_cases(scores: ReasoningScores) -> str | None:
    return _hash(scores, "bias_cases")


def _name_tables(scores: ReasoningScores) -> str | None:
    given = _hash(scores, "aliases")
    return "the bundled ones" if given is None else given


def _hash(scores: ReasoningScores, name: str) -> str | None:
    given = scores.inputs.get(name)
    return None if given is None else f"sha256 {given.sha256[:12]}"


def _model_ranks(values: Sequence[float | None], name: str) -> list[int | None]:
    """Rank values, the best first; equal values share the better rank."""
    sign = 1 if name in LOWER_IS_BETTER else -1
    known = [sign * value for value in values if value is not None]
    return [
        None if value is None else 1 + sum(other < sign * value - SLACK for other in known)
        for value in values
    ]


def _ranked(result: ReasoningResult, ranks: Mapping[str, int | None]) -> RankedModel:
    """Return one model's row."""
    line = _line(result.faithfulness_gap.interval)
    return RankedModel(result.model, result.verdict, result.estimates, ranks, line)


def _line(interval: Interval | None) -> str:
    """Say where an interval lies beside the line."""
    if interval is None:
        return "unsure of"
    if interval.low > LINE + SLACK:
        return "above"
    return "below" if interval.high < LINE - SLACK else "across"


def _flat_model(row: RankedModel) -> dict[str, object]:
    """Return one row of the frame."""
    flat: dict[str, object] = {"model": row.model, "reading": row.verdict, "line": row.line}
    for name in METRICS:
        one = row.estimates[name]
        flat[name] = one.value
        flat[f"{name}_low"], flat[f"{name}_high"] = one.ends
        flat[f"{name}_rank"] = row.ranks[name]
    return flat
