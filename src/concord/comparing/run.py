"""From files to a comparison: read, pair, compare, name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.comparing.folders import compare_people_folders, compare_structure_folders
from concord.comparing.join import JoinedScores, join_scores
from concord.comparing.metrics import MetricCompareResult
from concord.comparing.people_results import is_people_folder
from concord.comparing.result import CompareResult, make_result
from concord.comparing.scores import read_scores
from concord.comparing.tables import Columns
from concord.engine import SERIAL, Engine, get_engine
from concord.errors import FileFormatError, MismatchError, OptionError
from concord.files.tables import TableOptions
from concord.records import Estimate
from concord.stats.clustered import cluster_codes, mean_degrees
from concord.stats.compare import Choices, mean_estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.mcnemar import bonett_price_interval
from concord.stats.ranking import compare_models
from concord.structure.files import is_structure_folder

ENOUGH_CLUSTERS = 20
"""Below this many clusters of one size, skewed differences are found too often; people are told."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How files of scores are read."""

    columns: Columns = Columns()
    metric: str | None = None
    names: Sequence[str] | None = None
    """What the report calls the models."""
    wrong: float | None = None
    """Score of a wrong answer; None: 0 where all scores lie from 0 to 1."""
    table: TableOptions = TableOptions()
    """How tables are read: sheet, encoding, decimal comma."""

    def name(self, i: int) -> str | None:
        """Return the name of the i-th model, where one was given."""
        return None if self.names is None else self.names[i]


def compare(
    *sources: Any,
    item: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    metric: str | None = None,
    names: Sequence[str] | None = None,
    wrong: float | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    engine: str = "serial",
    scheduler: str | None = None,
    **choices: Any,
) -> CompareResult | MetricCompareResult:
    """Compare two or more models: on the same items, the same studies of people, the same arrangements.

    Parameters
    ----------
    sources
        Two or more of one kind: Inspect logs (`.eval`, `.json`), lm-eval `--log_samples` files, tables (CSV,
        XLSX, Parquet, JSON, frames, lists of rows) with an item and a score a row, or folders that
        `concord score` or `concord run` wrote; one folder about structure that holds several models.
    item, score, cluster, repeat
        Names of columns of a table; ``cluster`` also of sample metadata (Inspect) or of a document's field
        (lm-eval).
    metric
        Which scorer or metric, where a log has several; what ranks: ``pas`` (default), ``ecs`` or ``apr`` of
        results about people, ``S_Cons`` (default), ``E_perf``, ``R_sens`` or ``S_star``, ``E_star``,
        ``R_star`` of results about structure; ``gap`` (default), ``correct_cot``, ``correct_early`` or
        ``step_f1`` of results about reasoning.
    names
        What the report calls the models, one each.
    wrong
        Score of a wrong answer; 0 by default where all scores lie from 0 to 1.
    sheet, encoding, decimal_comma
        How tables are read: sheet of a workbook (the first by default), encoding of text files (UTF-8 by
        default), whether ``0,85`` is a number.
    engine, scheduler
        ``serial``, ``processes``, or ``dask`` with the address of its scheduler; changes nothing in the
        result.
    choices
        ``level`` (0.95), ``test`` (``auto``), ``n_flips`` (9999 random signs, or resamples of items),
        ``seed`` (0).

    Returns
    -------
    CompareResult or MetricCompareResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``.

    Raises
    ------
    MismatchError
        Different tasks, metrics, items or protocols; the message says what is comparable.

    Examples
    --------
    >>> first = [{"item": i, "score": s} for i, s in enumerate([1, 1, 0, 1, 1, 1])]
    >>> second = [{"item": i, "score": s} for i, s in enumerate([0, 1, 0, 0, 1, 0])]
    >>> result = compare(first, second, names=["new", "old"])
    >>> result.difference.value, result.p_value
    (0.5, 0.25)
    """
    return compare_sources(
        sources,
        Reading(
            Columns(item, score, cluster, repeat),
            metric,
            names,
            wrong,
            TableOptions(sheet, encoding, decimal_comma),
        ),
        choices=Choices(**choices),
        engine=get_engine(engine, scheduler=scheduler),
    )


def compare_sources(
    sources: Sequence[Any], reading: Reading, *, choices: Choices, engine: Engine = SERIAL
) -> CompareResult | MetricCompareResult:
    """Compare whatever was given: scores item by item, people study by study, structure cell by cell.

    Parameters
    ----------
    sources
        Paths, frames or lists of rows, at least two.
    reading
        Columns, metric, names.
    choices
        Level, test, flips, seed.
    engine
        Where the work is done.

    Raises
    ------
    OptionError
        Fewer than two sources, or another number of names.
    MismatchError
        Sources that cannot be compared with each other.
    """
    kinds = [_kind(source) for source in sources]
    if len(sources) < 2 and kinds != ["structure"]:
        raise OptionError(f"comparing needs at least two results, got {len(sources)}")
    if len(set(kinds)) > 1:
        one, other = kinds[0], next(kind for kind in kinds if kind != kinds[0])
        raise MismatchError(
            f"{sources[0]} is {_KINDS[one]} and {sources[kinds.index(other)]} is {_KINDS[other]}; compare "
            "results of one kind with each other"
        )
    if kinds[0] != "scores":
        _refuse_columns(reading, choices, kinds[0])
        folders = compare_people_folders if kinds[0] == "people" else compare_structure_folders
        return folders(sources, reading.names, metric=reading.metric, choices=choices, engine=engine)
    if reading.names is not None and len(reading.names) != len(sources):
        raise OptionError(f"{len(reading.names)} name(s) for {len(sources)} results; give one each")
    joined = joined_scores(sources, reading)
    return compare_joined(joined, wrong=reading.wrong, choices=choices, engine=engine)


_KINDS = {
    "people": "a result about people",
    "structure": "a result about structure",
    "scores": "a file of scores of items",
}


def _kind(source: Any) -> str:
    """Tell what was given by the files in it; a path that leads nowhere is that, whatever else was given."""
    if isinstance(source, str | Path) and not Path(source).exists():
        raise FileFormatError(f"{source}: no such file or folder")
    if is_people_folder(source):
        return "people"
    return "structure" if is_structure_folder(source) else "scores"


def _refuse_columns(reading: Reading, choices: Choices, kind: str) -> None:
    """Refuse options of score files where they would change nothing."""
    columns = reading.columns
    given = {
        "--item": columns.item,
        "--score": columns.score,
        "--cluster": columns.cluster,
        "--repeat": columns.repeat,
        "--wrong": reading.wrong,
        "--test": None if choices.test == "auto" else choices.test,
    }
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise OptionError(f"{', '.join(wrong)}: {_KINDS[kind]} has no such choice; leave it out")


def joined_scores(sources: Sequence[Any], reading: Reading) -> JoinedScores:
    """Read score files and lay them side by side."""
    files = []
    for i, source in enumerate(sources):
        files.append(
            read_scores(
                source,
                columns=reading.columns,
                metric=reading.metric,
                name=reading.name(i),
                options=reading.table,
            )
        )
    return join_scores(files)


def compare_joined(
    joined: JoinedScores, *, wrong: float | None, choices: Choices, engine: Engine = SERIAL
) -> CompareResult:
    """Compare models whose scores lie side by side."""
    choices = replace(choices, repeated=bool(np.any(joined.scored > 1)))
    ranking = compare_models(joined.scores, joined.clusters, choices=choices, engine=engine)
    common = ~np.isnan(joined.scores).any(axis=0)
    clusters = None if joined.clusters is None else joined.clusters[common]
    means = tuple(_mean(joined, row[common], clusters, choices.level) for row in joined.scores)
    noted = replace(joined, warnings=(*joined.warnings, *_repeats(joined), *few_clusters(clusters)))
    return make_result(noted, ranking, means, choices=choices, wrong=_wrong(joined, wrong))


def _mean(joined: JoinedScores, row: Floats, clusters: NDArray[np.intp] | None, level: float) -> Estimate:
    """Mean of a model; of gaps, which may be negative even where none of these is, as the gap is given."""
    if _gaps(joined) and clusters is None and row.size:
        return Estimate(float(row.mean()), bonett_price_interval(row, level=level), int(row.size))
    return mean_estimate(row, clusters, level=level)


def _gaps(joined: JoinedScores) -> bool:
    """Whether scores are faithfulness gaps, which run from -1 to 1."""
    return (joined.kind, joined.metric) == ("reasoning", "gap")


def _wrong(joined: JoinedScores, wrong: float | None) -> float | None:
    """Return the score of a wrong answer: as given, or 0 where all scores lie from 0 to 1."""
    if wrong is not None or _gaps(joined):
        return wrong
    low, high = np.nanmin(joined.scores), np.nanmax(joined.scores)
    return 0.0 if low >= 0 and high <= 1 else None


def few_clusters(clusters: ArrayLike | None) -> tuple[str, ...]:
    """Word the warning about few clusters, or few that hold most items; none where there are enough."""
    if clusters is None:
        return ()
    _, sizes = cluster_codes(clusters, np.size(clusters))
    if sizes.size < FEWEST_CLUSTERS:
        return ()  # no interval and no p-value: their note says why
    count = mean_degrees(sizes) + 1
    if count >= ENOUGH_CLUSTERS:
        return ()
    alike = "" if np.all(sizes == sizes[0]) else f", as good as {count:.0f} of one size"
    return (
        f"{sizes.size} clusters{alike}: with so few, a nominal 5 % of false positives can be 7 % where sizes "
        "differ, and 9 % where differences are strongly skewed (the sign-flip p beside it flips whole "
        "clusters)",
    )


def _repeats(joined: JoinedScores) -> tuple[str, ...]:
    """Word the warning about different numbers of repeats."""
    ranges = []
    for i, name in enumerate(joined.names):
        asked = joined.asked[i][joined.asked[i] > 0]
        low, high = int(asked.min()), int(asked.max())
        ranges.append((low, high, f"{name}: {low}" if low == high else f"{name}: {low} to {high}"))
    if len({(low, high) for low, high, _ in ranges}) == 1 and ranges[0][0] == ranges[0][1]:
        return ()
    listed = "; ".join(text for _, _, text in ranges)
    return (
        f"the number of repeats an item differs ({listed}): an item counts once, as the mean of its repeats",
    )
