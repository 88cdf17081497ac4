"""Score files of several models, laid side by side by item."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from concord.errors import MismatchError
from concord.readers.score_records import FAILED, NO_SCORE, SCORED, ScoreFile
from concord.records import InputFile
from concord.stats.elementwise import Floats

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class JoinedScores:
    """Scores of M models on the union of their items, items sorted by name."""

    names: tuple[str, ...]
    sources: tuple[str, ...]
    """The files they come from."""
    kind: str
    metric: str
    items: tuple[str, ...] | None
    """Names of the items; None where there are too many to carry along."""
    n_items: int
    scores: Floats
    """M x I: mean over the scored repeats; NaN where there is none."""
    asked: Floats
    """M x I: repeats in the file, scored or not."""
    scored: Floats
    """M x I: repeats with a score."""
    within: Floats
    """M x I: variance over repeats; NaN below two."""
    clusters: NDArray[np.intp] | None
    """One code an item."""
    outcomes: tuple[dict[str, int], ...]
    """How the answers of each model ended, counted."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()

    def as_wrong(self, wrong: float, *, absent: bool) -> Floats:
        """Count failed repeats as wrong; with ``absent``, items never asked as well."""
        scored_sum = np.where(self.scored > 0, self.scores, 0.0) * self.scored
        failed = self.asked - self.scored
        with np.errstate(invalid="ignore", divide="ignore"):
            counted = (scored_sum + failed * wrong) / self.asked
        return np.where(self.asked > 0, counted, wrong if absent else np.nan)


def join_scores(files: Sequence[ScoreFile]) -> JoinedScores:
    """Pair files by item, after a look at whether they may be compared.

    Parameters
    ----------
    files
        At least two.

    Raises
    ------
    MismatchError
        Different tasks, metrics or items behind the same names, different clusters, or nothing in common.
    """
    _same_kind(files)
    long = _long(files)
    wide = _by_item(long)
    _same_items(files, long)
    clusters = _clusters(files, long, wide)
    items, arrays = _matrices(wide, len(files))
    joined = JoinedScores(
        names=_distinct([file.name for file in files]),
        sources=tuple(file.source for file in files),
        kind=files[0].kind,
        metric=files[0].metric or "score",
        items=tuple(items) if len(items) <= 100_000 else None,
        n_items=len(items),
        scores=arrays["mean"],
        asked=np.nan_to_num(arrays["asked"]),
        scored=np.nan_to_num(arrays["scored"]),
        within=arrays["within"],
        clusters=clusters,
        outcomes=tuple(_outcomes(file) for file in files),
        inputs=tuple(item for file in files for item in file.inputs),
        warnings=tuple(warning for file in files for warning in file.warnings),
    )
    _something_in_common(files, joined)
    return joined


def _same_kind(files: Sequence[ScoreFile]) -> None:
    """Refuse different tasks and different metrics."""
    tasks = {file.task for file in files if file.task is not None}
    if len(tasks) > 1:
        found = "; ".join(f"{file.source}: {file.task}" for file in files)
        raise MismatchError(
            f"these are results of different tasks ({found}); scores compare item by item within one task: "
            "give files of the same task"
        )
    metrics = {file.metric for file in files if file.kind == files[0].kind}
    if len(metrics) > 1:
        found = "; ".join(f"{file.source}: {file.metric}" for file in files)
        raise MismatchError(
            f"these are different metrics ({found}); choose one that all have with --metric "
            "(in tables: name the column with --score)"
        )


def _long(files: Sequence[ScoreFile]) -> "pl.DataFrame":
    import polars as pl

    return pl.concat(
        [file.frame.with_columns(model=pl.lit(i, dtype=pl.Int32)) for i, file in enumerate(files)],
        how="diagonal",
    )


def _by_item(long: "pl.DataFrame") -> "pl.DataFrame":
    """Average repeats within items."""
    import polars as pl

    return long.group_by("model", "item").agg(
        mean=pl.col("score").mean(),
        asked=pl.len(),
        scored=pl.col("score").count(),
        within=pl.col("score").var(),
        cluster=pl.col("cluster").first(),
    )


def _same_items(files: Sequence[ScoreFile], long: "pl.DataFrame") -> None:
    """Refuse items that have the same name and are not the same."""
    import polars as pl

    kinds = long.group_by("item").agg(
        pl.col("fingerprint").n_unique().alias("n"), pl.col("fingerprint").null_count().alias("none")
    )
    other = kinds.filter((pl.col("n") > 1) & (pl.col("none") == 0))["item"].sort().to_list()
    if other:
        shown = ", ".join(map(repr, other[:_SHOWN]))
        names = " and ".join(file.source for file in files)
        raise MismatchError(
            f"{len(other)} item(s) have the same name in {names} but other contents ({shown}): these are "
            "different versions of the task or other documents; run both models on the same version"
        )


def _clusters(
    files: Sequence[ScoreFile], long: "pl.DataFrame", wide: "pl.DataFrame"
) -> NDArray[np.intp] | None:
    """Code the clusters of the items; the files must agree on them."""
    import polars as pl

    if long["cluster"].null_count() == long.height:
        return None
    per_item = (
        long.group_by("item")
        .agg(
            pl.col("cluster").drop_nulls().n_unique().alias("n"),
            pl.col("cluster").drop_nulls().first().alias("one"),
        )
        .sort("item")
    )
    torn = per_item.filter(pl.col("n") > 1)["item"].to_list()
    if torn:
        raise MismatchError(
            f"item {torn[0]!r} (and {len(torn) - 1} more) belongs to different clusters in these files; give "
            "each item one cluster, or leave --cluster out"
        )
    loose = per_item.filter(pl.col("n") == 0)["item"].to_list()
    if loose:
        raise MismatchError(
            f"item {loose[0]!r} (and {len(loose) - 1} more) has no cluster while others have; fill the "
            "column, or leave --cluster out"
        )
    return per_item["one"].rank("dense").to_numpy().astype(np.intp) - 1


def _matrices(wide: "pl.DataFrame", n_models: int) -> tuple[list[str], dict[str, Floats]]:
    """Lay the averages out as models x items."""
    import polars as pl

    ranked = wide.with_columns(place=pl.col("item").rank("dense") - 1)
    items = ranked.select("item", "place").unique().sort("place")["item"].to_list()
    places, models = ranked["place"].to_numpy(), ranked["model"].to_numpy()
    arrays = {}
    for column in ("mean", "asked", "scored", "within"):
        matrix = np.full((n_models, len(items)), np.nan)
        matrix[models, places] = ranked[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        arrays[column] = matrix
    return items, arrays


def _outcomes(file: ScoreFile) -> dict[str, int]:
    counts = Counter(dict(file.frame["outcome"].value_counts().iter_rows()))
    return {name: counts[name] for name in (SCORED, FAILED, NO_SCORE)}


def _something_in_common(files: Sequence[ScoreFile], joined: JoinedScores) -> None:
    """Refuse files none of whose items pair."""
    for i, file in enumerate(files):
        if not joined.scored[i].any():
            raise MismatchError(f"{file.source}: no item has a score; there is nothing to compare")
    have = joined.asked > 0
    if (have.sum(axis=0) > 1).any():
        return
    examples = "; ".join(f"{file.source}: {_examples(file)}" for file in files[:2])
    raise MismatchError(
        f"these files have no item in common ({examples}); items are paired by their names: give files about "
        "the same items, or name the column that holds them with --item"
    )


def _examples(file: ScoreFile) -> str:
    names = file.frame["item"].unique(maintain_order=True).head(_SHOWN).to_list()
    return ", ".join(map(repr, names)) + ", ..."


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Give numbers to names that several models share."""
    return tuple(f"{name} [{i}]" if names.count(name) > 1 else name for i, name in enumerate(names, 1))
