"""From files to a comparison: read, pair, compare, name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.comparing.doubts import in_one_unit, run_doubts
from concord.comparing.files import by_student, with_margin
from concord.comparing.join import JoinedScores, join_scores
from concord.comparing.metrics import CompareRequest, MetricCompareResult, ResultKind, check_names
from concord.comparing.records import ScoreFile
from concord.comparing.result import CompareResult, make_result
from concord.comparing.scores import read_models
from concord.comparing.tables import ScoreColumns
from concord.engine import SERIAL, Engine
from concord.errors import FileFormatError, MismatchError, OptionError
from concord.files.gate import refuse_models
from concord.files.tables import TableOptions
from concord.reasoning import NAME as REASONING
from concord.records import Estimate
from concord.stats.clustered import cluster_codes, mean_degrees
from concord.stats.compare import Choices, mean_estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.mcnemar import bonett_price_interval
from concord.stats.ranking import compare_models


class _HasMetrics(Protocol):
    @property
    def metrics(self) -> tuple[str, ...]: ...


AnyKind = TypeVar("AnyKind", bound=_HasMetrics)
ENOUGH_CLUSTERS = 20
"""Below this many clusters of one size, skewed differences are found too often; people are told."""


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """How files of scores are read."""

    columns: ScoreColumns = ScoreColumns()
    metric: str | None = None
    names: Sequence[str] | None = None
    """What the report calls the models."""
    wrong: float | None = None
    """Score of a wrong answer; None: 0 where all scores lie from 0 to 1."""
    table: TableOptions = TableOptions()
    """How tables are read: sheet, encoding, decimal comma."""
    unit: str = "auto"
    """Whether scores above 1 are percentages: one of `units.UNITS`."""


def compare_sources(
    sources: Sequence[Any],
    reading: ScoreReading,
    kinds: Sequence[ResultKind],
    *,
    choices: Choices,
    engine: Engine = SERIAL,
) -> CompareResult | MetricCompareResult:
    """Compare whatever was given: scores item by item, results of a question by its own metrics."""
    given = [_kind_of(source, in_order(kinds, reading.metric)) for source in sources]
    first = given[0] if given else None
    if not sources or (len(sources) < 2 and first is not None and not first.alone):
        raise OptionError(f"comparing needs at least two results, got {len(sources)}")
    if len(set(given)) > 1:
        other = next(i for i, kind in enumerate(given) if kind is not first)
        raise MismatchError(
            f"{sources[0]} is {_called(first)} and {sources[other]} is {_called(given[other])}; compare "
            "results of one kind with each other"
        )
    if first is not None:
        _refuse_columns(reading, choices, first)
        found = first.compare(CompareRequest(sources, reading.names, reading.metric, choices, engine))
        told = _with_margin(found, choices)
        return replace(told, warnings=(*told.warnings, *run_doubts(sources)))
    joined = joined_scores(sources, reading)
    joined = replace(joined, warnings=(*joined.warnings, *run_doubts(sources)))
    return compare_joined(joined, wrong=reading.wrong, choices=choices, engine=engine)


def _with_margin(found: MetricCompareResult, choices: Choices) -> MetricCompareResult:
    """Say whether differences lie within the margin, by Student's t where the kind has no way of its own."""
    if choices.margin is None or any(pair.metric(found.metric).within is not None for pair in found.pairs):
        return found
    pairs = with_margin(found.pairs, found.metric, choices, by_student)
    return replace(found, pairs=pairs, options={**found.options, "margin": choices.margin})


def _called(kind: ResultKind | None) -> str:
    return "a file of scores of items" if kind is None else kind.words


def in_order(kinds: Sequence[AnyKind], metric: str | None) -> list[AnyKind]:
    """Return kinds of results in the order in which a folder is tried: the owners of the metric first."""
    owners = [kind for kind in kinds if metric in kind.metrics]
    plain = [kind for kind in kinds if not kind.metrics]
    return [*owners, *plain, *(kind for kind in kinds if kind.metrics and kind not in owners)]


def _kind_of(source: Any, kinds: Sequence[ResultKind]) -> ResultKind | None:
    """Tell what was given by the files in it; a path that leads nowhere is that, whatever else was given."""
    if isinstance(source, str | Path) and not Path(source).exists():
        raise FileFormatError(f"{source}: no such file or folder")
    return next((kind for kind in kinds if kind.holds(source)), None)


def _refuse_columns(reading: ScoreReading, choices: Choices, kind: ResultKind) -> None:
    """Refuse options of score files where they would change nothing."""
    columns = reading.columns
    given = {
        "--item": columns.item,
        "--score": columns.score,
        "--cluster": columns.cluster,
        "--repeat": columns.repeat,
        "--wrong": reading.wrong,
        "--unit": None if reading.unit == "auto" else reading.unit,
        "--test": None if choices.test == "auto" else choices.test,
    }
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise OptionError(f"{', '.join(wrong)}: {kind.words} has no such choice; leave it out")


def joined_scores(sources: Sequence[Any], reading: ScoreReading) -> JoinedScores:
    """Read score files and lay their models side by side."""
    read = [
        (source, file)
        for source in sources
        for file in read_models(source, columns=reading.columns, metric=reading.metric, options=reading.table)
    ]
    files = _told_apart(read)
    if len(files) < 2:
        raise OptionError(
            f"comparing needs at least two models, {files[0].source} holds one; give another file, or a "
            "table with a column 'model' or one column of scores per model"
        )
    refuse_models(len(files), files[0].source)
    check_names(reading.names, len(files), "results" if len(files) == len(sources) else "models")
    if reading.names is not None:
        files = [replace(file, name=name) for file, name in zip(files, reading.names, strict=True)]
    return join_scores(in_one_unit(files, reading.unit))


def _told_apart(read: Sequence[tuple[Any, ScoreFile]]) -> list[ScoreFile]:
    """Return the files, called by their whole paths where two folders hold one of the same name."""
    places: dict[str, set[str]] = {}
    for source, file in read:
        if isinstance(source, str | Path):  # a frame has no place, and may not even print
            places.setdefault(file.source, set()).add(str(source))
    return [
        replace(file, source=str(source))
        if isinstance(source, str | Path) and len(places[file.source]) > 1
        else file
        for source, file in read
    ]


def compare_joined(
    joined: JoinedScores, *, wrong: float | None, choices: Choices, engine: Engine = SERIAL
) -> CompareResult:
    """Compare models whose scores lie side by side."""
    choices = replace(choices, repeated=bool(np.any(joined.scored > 1)))
    ranking = compare_models(joined.scores, joined.clusters, choices=choices, engine=engine)
    common = ~np.isnan(joined.scores).any(axis=0)
    clusters = None if joined.clusters is None else joined.clusters[common]
    means = tuple(_model_mean(joined, row[common], clusters, choices.level) for row in joined.scores)
    noted = replace(joined, warnings=(*joined.warnings, *_repeats(joined), *few_clusters(clusters)))
    return make_result(noted, ranking, means, choices=choices, wrong=_wrong(joined, wrong))


def _model_mean(
    joined: JoinedScores, row: Floats, clusters: NDArray[np.intp] | None, level: float
) -> Estimate:
    """Mean of a model; of gaps, which may be negative even where none of these is, as the gap is given."""
    if _are_gaps(joined) and clusters is None and row.size:
        return Estimate(float(row.mean()), bonett_price_interval(row, level=level), int(row.size))
    return mean_estimate(row, clusters, level=level)


def _are_gaps(joined: JoinedScores) -> bool:
    """Whether scores are faithfulness gaps, which run from -1 to 1."""
    return (joined.kind, joined.metric) == (REASONING, "gap")


def _wrong(joined: JoinedScores, wrong: float | None) -> float | None:
    """Return the score of a wrong answer: as given, or 0 where all scores lie from 0 to 1."""
    if wrong is not None or _are_gaps(joined):
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
    alike = "" if round(count) >= sizes.size else f", as good as {count:.0f} of one size"
    return (
        f"{sizes.size} clusters{alike}: with so few, a nominal 5 % of false positives can be 7 % where sizes "
        "differ, and 13 % where differences are strongly skewed (the sign-flip p beside it flips whole "
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
        f"the number of repeats per item differs ({listed}): an item counts once, as the mean of its repeats",
    )
