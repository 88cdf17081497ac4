"""A comparison of models as a result: numbers, frames, documents."""

from collections.abc import Mapping
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
from concord.records import Estimate, InputFile, Presented
from concord.stats.compare import Choices, PairedComparison

if TYPE_CHECKING:
    import polars as pl


KIND = "comparison of items"


@dataclass(frozen=True, slots=True)
class ModelScores:
    """One model's own score."""

    name: str
    source: str
    mean: Estimate
    """Over the items that every model has a score for, so that means and differences agree."""
    own_mean: float | None
    """Over all items of its own file."""
    n_asked: int
    """Items in its file."""
    outcomes: dict[str, int]
    """How its answers ended: scored, failed, no score."""


@dataclass(frozen=True, slots=True)
class TaskMeans:
    """One task of a group: every model's mean over the items that all have a score for."""

    task: str
    n: int
    means: tuple[float, ...]
    """In the order of the models."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Items that a pair does not share, and what they would change."""

    only_first: int
    only_second: int
    """Items in one file only."""
    failed_first: int
    failed_second: int
    failed_both: int
    """Items in both files without any score on one side, or on both."""
    partly_failed: int
    """Items with a score on both sides of which some repeats have none."""
    failed_as_wrong: float | None
    """The difference with failed answers counted as wrong."""
    absent_as_wrong: float | None
    """The same, and items that one side never had as well."""
    note: str = ""

    @property
    def any(self) -> bool:
        """Whether anything is missing at all."""
        whole = self.only_first + self.only_second + self.failed_first + self.failed_second
        return whole + self.failed_both + self.partly_failed > 0


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two models compared; a positive difference means that the first scores higher."""

    first: str
    second: str
    comparison: PairedComparison | None
    p_holm: float | None
    p_bh: float | None
    missing: Missing

    @property
    def difference(self) -> float | None:
        """The mean difference, first minus second."""
        return None if self.comparison is None else self.comparison.difference.value

    @property
    def p_value(self) -> float | None:
        """The p-value of the test that fits the scores."""
        return None if self.comparison is None else self.comparison.p_value


@dataclass(frozen=True, slots=True, repr=False)
class CompareResult(Presented):
    """Models compared on the same items."""

    metric: str
    kind: str
    models: tuple[ModelScores, ...]
    pairs: tuple[PairResult, ...]
    order: tuple[str, ...]
    """Models from the highest mean to the lowest."""
    groups: tuple[tuple[str, ...], ...]
    """Models that cannot be distinguished at the level, after Holm."""
    n_items: int
    """Items in any file."""
    n_common: int
    """Items that every model has a score for."""
    choices: Choices
    wrong: float | None
    warnings: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    tasks: tuple[TaskMeans, ...] = ()
    """The tasks of a group, where the models were compared on one."""

    @property
    def difference(self) -> Estimate | None:
        """The difference of the first pair, with its interval."""
        first = self.pairs[0].comparison
        return None if first is None else first.difference

    @property
    def p_value(self) -> float | None:
        """The p-value of the first pair."""
        return self.pairs[0].p_value

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {
            "question": "compare",
            "kind": self.kind,
            "metric": self.metric,
            "n_items": self.n_items,
            "n_common": self.n_common,
            "models": [_model_document(model) for model in self.models],
            "pairs": [pair_document(pair) for pair in self.pairs],
            "ranking": list(self.order),
            "groups": [list(group) for group in self.groups],
            **self._tasks(),
            "warnings": list(self.warnings),
            "options": {**asdict(self.choices), "wrong": self.wrong},
            **provenance(self.inputs),
        }

    def _tasks(self) -> dict[str, Any]:
        names = [model.name for model in self.models]
        rows = [
            {"task": one.task, "n_items": one.n, "means": dict(zip(names, one.means, strict=True))}
            for one in self.tasks
        ]
        return {"tasks": rows} if rows else {}

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per pair."""
        import polars as pl

        return pl.DataFrame([_flat_pair(pair) for pair in self.pairs], infer_schema_length=None)

    def write(self, out: str | Path, *, further: Mapping[str, Any] = NOTHING) -> tuple[Path, ...]:
        """Write `comparison.json` and `comparison.csv`.

        Parameters
        ----------
        out
            A folder; it is made.
        further
            Keys that are added to `comparison.json`, such as ``regression``.
        """
        rows = [_flat_pair(pair) for pair in self.pairs]
        return write_comparison(Path(out), KIND, {**self.to_dict(), **further}, rows, self)


def read_item_comparison(folder: Path) -> CompareResult:
    """Read what `CompareResult.write` wrote; the inverse of it."""
    return read_comparison(folder, KIND, CompareResult)


def _model_document(model: ModelScores) -> dict[str, Any]:
    return {
        "name": model.name,
        "source": model.source,
        "mean": model.mean.value,
        "mean_interval": None if model.mean.interval is None else asdict(model.mean.interval),
        "own_mean": model.own_mean,
        "n_items": model.mean.n,
        "n_asked": model.n_asked,
        "outcomes": model.outcomes,
    }


def pair_document(pair: PairResult) -> dict[str, Any]:
    """Return one pair as a document: bare numbers, intervals beside them, reasons for what is null."""
    head: dict[str, Any] = {"first": pair.first, "second": pair.second}
    one = pair.comparison
    if one is None:
        return {**head, "difference": None, "note": "no item has a score on both sides", **_rest(pair)}
    return {
        **head,
        "difference": one.difference.value,
        "difference_interval": None if one.difference.interval is None else asdict(one.difference.interval),
        "p_value": one.p_value,
        "test": one.test,
        "tests": [asdict(verdict) for verdict in one.verdicts],
        "se_paired": one.se_paired,
        "se_unpaired": one.se_unpaired,
        "variance_saved": one.variance_saved,
        "correlation": one.correlation,
        "effect_dz": one.effect_dz,
        "effect_dav": one.effect_dav,
        "wins": one.wins,
        "ties": one.ties,
        "losses": one.losses,
        "n_items": one.difference.n,
        "n_clusters": one.n_clusters,
        "note": one.note,
        **margin_document(one.within),
        **_rest(pair),
    }


def _rest(pair: PairResult) -> dict[str, Any]:
    return {"p_holm": pair.p_holm, "p_bh": pair.p_bh, "missing": asdict(pair.missing)}


def _flat_pair(pair: PairResult) -> dict[str, Any]:
    """Return one row per pair, nothing nested."""
    document = pair_document(pair)
    interval = document.get("difference_interval") or {}
    flat = {key: value for key, value in document.items() if not isinstance(value, dict | list)}
    flat |= {"difference_low": interval.get("low"), "difference_high": interval.get("high")}
    missing = asdict(pair.missing)
    flat["note"] = "; ".join(note for note in (flat["note"], missing.pop("note")) if note)
    margin = margin_columns(None if pair.comparison is None else pair.comparison.within)
    return flat | _tests(pair) | margin | missing


_TESTS: dict[str, tuple[str, ...]] = {
    "p_mcnemar": ("exact McNemar",),
    "p_mcnemar_mid_p": ("mid-p McNemar",),
    "p_t": ("paired t", "clustered t"),
    "p_sign_flip": ("sign flip",),
    "p_sign_flip_mid_p": ("mid-p sign flip",),
}
"""ScoreColumns of every test that fits, and how their names begin."""


def _tests(pair: PairResult) -> dict[str, float | None]:
    """Return the p-values of all tests, None for those that do not fit."""
    verdicts = () if pair.comparison is None else pair.comparison.verdicts
    return {
        column: next((one.p_value for one in verdicts if one.test.startswith(start)), None)
        for column, start in _TESTS.items()
    }
