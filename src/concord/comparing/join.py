"""Score files of several models, laid side by side by item."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from concord.comparing.doubts import doubts
from concord.comparing.records import FAILED, NO_SCORE, SCORED, ScoreFile, SortedNames, distinct, sorted_names
from concord.errors import MismatchError
from concord.number_words import how_many
from concord.records import InputFile
from concord.stats.elementwise import Floats

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 3
MOST_NAMES = 100_000
"""Names of more items than this are not carried along."""


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
    withheld: tuple[str, ...] = ()
    """Why nothing is claimed about a model, empty where something may be; none: of all."""

    def as_wrong(self, wrong: float, *, absent: bool) -> Floats:
        """Count failed repeats as wrong; with ``absent``, items never asked as well."""
        scored_sum = np.where(self.scored > 0, self.scores, 0.0) * self.scored
        failed = self.asked - self.scored
        with np.errstate(invalid="ignore", divide="ignore"):
            counted = (scored_sum + failed * wrong) / self.asked
        return np.where(self.asked > 0, counted, wrong if absent else np.nan)


def join_scores(files: Sequence[ScoreFile]) -> JoinedScores:
    """Pair files by item, after a look at whether they may be compared."""
    _same_kind(files)
    aligned = _aligned(files)
    long = None
    if aligned is not None:
        ordered, arrays, clusters = *aligned, None
        # sorting a million texts takes as long as all the rest, and nobody asks for so many names
        items = ordered.sorted() if len(ordered.names) <= MOST_NAMES else ordered.names
    else:
        long, items = _long(files)
        _same_items(files, long, items)
        clusters = _cluster_codes(long, items)
        arrays = _matrices(_by_item(long), (len(files), len(items)))
    joined = JoinedScores(
        names=tuple(distinct([file.name for file in files], [file.source for file in files])),
        sources=tuple(file.source for file in files),
        kind=files[0].kind,
        metric=files[0].metric or "score",
        items=tuple(items.to_list()) if len(items) <= MOST_NAMES else None,
        n_items=len(items),
        scores=arrays["mean"],
        asked=arrays["asked"],
        scored=arrays["scored"],
        within=arrays["within"],
        clusters=clusters,
        outcomes=tuple(_outcome_counts(file) for file in files),
        inputs=tuple(item for file in files for item in file.inputs),
        warnings=tuple(warning for file in files for warning in file.warnings),
        withheld=tuple(file.withheld for file in files) if any(file.withheld for file in files) else (),
    )
    _something_in_common(files, joined)
    return replace(joined, warnings=(*joined.warnings, *doubts(files, long)))


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
            f"these are different metrics ({found}); choose one that all have with --metric, score a log "
            "again with the other's scorer, or in tables name the column with --score (Python: metric=, "
            "score=; it must have one name)"
        )


def _aligned(files: Sequence[ScoreFile]) -> tuple[SortedNames, dict[str, Floats]] | None:
    """Lay files side by side by sorting alone: where all have the same items, each once, and nothing else."""
    # This is the usual case, and several times faster than pairing by name.
    if any(file.frame[column].null_count() < file.frame.height
           for file in files for column in ("cluster", "fingerprint")):  # fmt: skip
        return None
    if len({file.frame.height for file in files}) > 1:
        return None
    items: SortedNames | None = None
    scores = np.empty((len(files), files[0].frame.height))
    for i, file in enumerate(files):
        own = sorted_names(file.frame["item"]) if file.ordered is None else file.ordered
        if items is None:
            if own.names.null_count() or own.has_twins():
                return None
            items = own
        elif not own.same_as(items):
            return None
        scores[i] = file.frame["score"].fill_null(float("nan")).to_numpy()[own.order]
    assert items is not None
    there = (~np.isnan(scores)).astype(np.float64)
    within = np.full(scores.shape, np.nan)
    return items, {"mean": scores, "asked": np.ones(scores.shape), "scored": there, "within": within}


def _long(files: Sequence[ScoreFile]) -> tuple["pl.DataFrame", "pl.Series"]:
    """Put all answers under each other, each with its model and the place of its item in the sorted names."""
    import polars as pl

    whole = pl.concat(
        [file.frame.with_columns(model=pl.lit(i, dtype=pl.Int32)) for i, file in enumerate(files)],
        how="diagonal",
    )
    names = whole.select("item").unique().sort("item").with_row_index("place")
    return whole.join(names, on="item").drop("item"), names["item"]


def _by_item(long: "pl.DataFrame") -> "pl.DataFrame":
    """Average repeats within items."""
    import polars as pl

    return long.group_by("model", "place").agg(
        mean=pl.col("score").mean(),
        asked=pl.len(),
        scored=pl.col("score").count(),
        within=pl.col("score").var(),
    )


def _same_items(files: Sequence[ScoreFile], long: "pl.DataFrame", items: "pl.Series") -> None:
    """Refuse items that have the same name and are not the same."""
    import polars as pl

    known = long.filter(pl.col("fingerprint").is_not_null())
    kinds = known.group_by("place").agg(n=pl.col("fingerprint").n_unique())
    other = kinds.filter(pl.col("n") > 1)["place"].sort().to_list()
    if other:
        shown = ", ".join(repr(items[place]) for place in other[:_SHOWN])
        names = " and ".join(file.source for file in files)
        raise MismatchError(
            f"{how_many(len(other), 'item has', 'items have')} the same name in {names} but other contents "
            f"({shown}): these are different versions of the task or other documents; run both models on "
            "the same version"
        )


def _cluster_codes(long: "pl.DataFrame", items: "pl.Series") -> NDArray[np.intp] | None:
    """Code the clusters of the items; the files must agree on them."""
    import polars as pl

    if long["cluster"].null_count() == long.height:
        return None
    named = pl.col("cluster").drop_nulls()
    per_item = long.group_by("place").agg(n=named.n_unique(), one=named.first()).sort("place")
    _refuse_clusters(per_item.filter(pl.col("n") > 1), items, "belongs to different clusters in these files")
    _refuse_clusters(per_item.filter(pl.col("n") == 0), items, "has no cluster, others have")
    return per_item["one"].rank("dense").to_numpy().astype(np.intp) - 1


def _refuse_clusters(wrong: "pl.DataFrame", items: "pl.Series", words: str) -> None:
    """Name the first item whose cluster cannot be used."""
    if wrong.height:
        raise MismatchError(
            f"item {items[wrong['place'][0]]!r} (and {wrong.height - 1} more) {words}; give each item one "
            "cluster, or leave --cluster (Python: cluster=) out"
        )


def _matrices(wide: "pl.DataFrame", shape: tuple[int, int]) -> dict[str, Floats]:
    """Lay the averages out as models x items; an item that a file lacks was asked 0 times."""
    import polars as pl

    places, models = wide["place"].to_numpy(), wide["model"].to_numpy()
    arrays = {}
    for column, absent in (("mean", np.nan), ("asked", 0.0), ("scored", 0.0), ("within", np.nan)):
        matrix = np.full(shape, absent)
        matrix[models, places] = wide[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        arrays[column] = matrix
    return arrays


def _outcome_counts(file: ScoreFile) -> dict[str, int]:
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
    examples = "; ".join(f"{file.source}: {_item_examples(file)}" for file in files[:2])
    raise MismatchError(
        f"these files have no item in common ({examples}); items are paired by their names: give files about "
        "the same items, or name the column that holds them with --item (Python: item=)"
    )


def _item_examples(file: ScoreFile) -> str:
    names = file.frame["item"].unique(maintain_order=True).head(_SHOWN).to_list()
    return ", ".join(map(repr, names)) + ", ..."
