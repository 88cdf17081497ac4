"""From files to a comparison: read, pair, compare, name."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from concord.comparing.doubts import in_one_unit, run_doubts
from concord.comparing.join import JoinedScores, join_scores
from concord.comparing.kinds import KINDS, CompareRequest, MetricKind, compare_results, within
from concord.comparing.metrics import MetricCompareResult
from concord.comparing.records import ScoreFile, check_names
from concord.comparing.result import CompareResult, Missing, ModelScores, PairResult, TaskMeans
from concord.comparing.scores import read_models
from concord.comparing.tables import ScoreReading
from concord.engine import SERIAL, Engine
from concord.errors import FileFormatError, MismatchError, OptionError
from concord.files.gate import refuse_models
from concord.reasoning import NAME as REASONING
from concord.records import Estimate, Interval
from concord.stats.clustered import cluster_codes, mean_degrees
from concord.stats.compare import Choices, ComparedPair, ModelRanking, compare_models, mean_estimate
from concord.stats.elementwise import Floats
from concord.stats.equivalence import WithinMargin, adjusted_margins, within_margin
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.leaderboard import Chosen, value_of_choosing
from concord.stats.mcnemar import bonett_price_interval
from concord.stats.multiple import indistinguishable
from concord.stats.pairs import MetricDifference
from concord.words import say


class _HasMetrics(Protocol):
    @property
    def metrics(self) -> tuple[str, ...]: ...


AnyKind = TypeVar("AnyKind", bound=_HasMetrics)
ENOUGH_CLUSTERS = 20
"""Below this many clusters of one size, skewed differences are found too often; people are told."""


def compare_sources(
    sources: Sequence[Any], reading: ScoreReading, *, choices: Choices, engine: Engine = SERIAL
) -> CompareResult | MetricCompareResult:
    """Compare whatever was given: scores item by item, results of a question by its own metrics."""
    given = [_metric_kind(source, in_order(KINDS, reading.metric)) for source in sources]
    first = given[0] if given else None
    if not sources or (len(sources) < 2 and first is not None and not first.alone):
        raise OptionError(f"comparing needs at least two results, got {len(sources)}")
    if len(set(given)) > 1:
        other = next(i for i, kind in enumerate(given) if kind is not first)
        raise MismatchError(
            f"{_place(sources[0])} is {_called(first)} and {_place(sources[other])} is "
            f"{_called(given[other])}; compare "
            "results of one kind with each other"
        )
    if first is not None:
        _refuse_columns(reading, choices, first)
        asked = CompareRequest(sources, reading.names, reading.metric, choices, engine)
        told = _with_margin(compare_results(first, asked), choices)
        return replace(told, warnings=(*told.warnings, *run_doubts(sources)))
    joined = joined_scores(sources, reading)
    joined = replace(joined, warnings=(*joined.warnings, *run_doubts(sources)))
    return compare_joined(joined, wrong=reading.wrong, choices=choices, engine=engine)


def _with_margin(found: MetricCompareResult, choices: Choices) -> MetricCompareResult:
    """Say whether differences lie within the margin, by Student's t where the kind has no way of its own."""
    margin, level = choices.margin, choices.level
    if margin is None or any(pair.metric(found.metric).within is not None for pair in found.pairs):
        return found
    held: list[WithinMargin | None] = []
    for pair in found.pairs:
        one = pair.metric(found.metric)
        if one.difference.interval is None:
            held.append(WithinMargin(margin, None, False, None, one.difference.note))
        else:
            held.append(within_margin(_by_student(one), margin=margin, level=level))
    both = zip(found.pairs, adjusted_margins(held, level=level), strict=True)
    pairs = tuple(within(pair, found.metric, kept) for pair, kept in both)
    return replace(found, pairs=pairs, options={**found.options, "margin": margin})


def _by_student(metric: MetricDifference) -> Callable[[float], Interval | None]:
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


def _called(kind: MetricKind | None) -> str:
    return "a file of scores of items" if kind is None else kind.words


def _place(source: Any) -> str:
    return str(source) if isinstance(source, str | Path) else f"what was given as {type(source).__name__}"


def in_order(kinds: Sequence[AnyKind], metric: str | None) -> list[AnyKind]:
    """Return kinds of results in the order in which a folder is tried: the owners of the metric first."""
    owners = [kind for kind in kinds if metric in kind.metrics]
    plain = [kind for kind in kinds if not kind.metrics]
    return [*owners, *plain, *(kind for kind in kinds if kind.metrics and kind not in owners)]


def _metric_kind(source: Any, kinds: Sequence[MetricKind]) -> MetricKind | None:
    """Tell what was given by the files in it; a path that leads nowhere is that, whatever else was given."""
    if isinstance(source, str | Path) and not Path(source).exists():
        raise FileFormatError(f"{source}: no such file or folder")
    return next((kind for kind in kinds if kind.holds(source)), None)


def _refuse_columns(reading: ScoreReading, choices: Choices, kind: MetricKind) -> None:
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
    if joined.withheld:
        ranking, joined = _without_claims(ranking, joined)
    common = ~np.isnan(joined.scores).any(axis=0)
    clusters = None if joined.clusters is None else joined.clusters[common]
    means = tuple(_model_mean(joined, row[common], clusters, choices.level) for row in joined.scores)
    noted = replace(joined, warnings=(*joined.warnings, *_repeats(joined), *few_clusters(clusters)))
    found = _named_result(noted, ranking, means, choices=choices, wrong=_wrong(joined, wrong))
    return replace(found, chosen=_value_of_choosing(joined, np.asarray(common), means, choices))


def _without_claims(ranking: ModelRanking, joined: JoinedScores) -> tuple[ModelRanking, JoinedScores]:
    """Take tests of models away whose own results claim nothing: differences are shown, and mean nothing."""
    lost = [bool(why) for why in joined.withheld]
    told = [
        f"{name}: its own result claims nothing ({why}), so no difference of it is claimed"
        for name, why in zip(joined.names, joined.withheld, strict=True)
        if why
    ]
    pairs = tuple(
        replace(
            pair,
            comparison=None
            if pair.comparison is None
            else replace(pair.comparison, p_value=None, test="none", note="; ".join(told), within=None),
            p_holm=None,
            p_bh=None,
        )
        if lost[pair.first] or lost[pair.second]
        else pair
        for pair in ranking.pairs
    )
    different = np.zeros((len(lost), len(lost)), dtype=np.bool_)
    for group in ranking.groups:
        different[np.ix_(group, group)] = True
    different = ~different
    different[lost, :] = different[:, lost] = False
    np.fill_diagonal(different, False)
    groups = indistinguishable(ranking.order, different) if ranking.groups else ()
    noted = replace(joined, warnings=(*joined.warnings, *told))
    return replace(ranking, pairs=pairs, groups=groups), noted


MOST_PARTS = 30
"""Parts of the items on each of which a model is scored that the others chose."""


def _value_of_choosing(
    joined: JoinedScores, common: NDArray[np.bool_], means: Sequence[Estimate], choices: Choices
) -> Chosen | None:
    """Return what choosing the best of several models is worth, on parts of the items, clusters whole."""
    if len(joined.names) < 3 or not common.any():
        return None
    rng = np.random.default_rng(choices.seed)
    n = int(common.sum())
    units = (
        np.arange(n)
        if joined.clusters is None
        else np.unique(joined.clusters[common], return_inverse=True)[1]
    )
    size = int(units.max()) + 1
    parts = rng.permutation(np.arange(size) % min(MOST_PARTS, size))[units]
    counts = np.bincount(parts)
    values = np.stack([np.bincount(parts, weights=row[common]) / counts for row in joined.scores])
    reach = np.array([
        np.nan if one.interval is None else (one.interval.high - one.interval.low) / 2 for one in means
    ])  # fmt: skip
    return value_of_choosing(joined.names, values, reach, level=choices.level, rng=rng)


def _named_result(
    joined: JoinedScores,
    ranking: ModelRanking,
    means: tuple[Estimate, ...],
    *,
    choices: Choices,
    wrong: float | None,
) -> CompareResult:
    """Put what was computed under the models' names."""
    names = joined.names
    return CompareResult(
        metric=joined.metric,
        kind=joined.kind,
        models=tuple(_scores_of(joined, i, means[i]) for i in range(len(names))),
        pairs=tuple(_pair_result(joined, pair, wrong) for pair in ranking.pairs),
        order=tuple(names[i] for i in ranking.order),
        groups=tuple(tuple(names[i] for i in group) for group in ranking.groups),
        n_items=joined.n_items,
        n_common=ranking.n_common,
        choices=choices,
        wrong=wrong,
        warnings=joined.warnings,
        inputs=joined.inputs,
        tasks=_task_means(joined),
    )


def _task_means(joined: JoinedScores) -> tuple[TaskMeans, ...]:
    """Return the means of every task of a group; items of a group are called ``task/document``."""
    if joined.kind != "lm-eval" or joined.items is None or joined.clusters is None:
        return ()
    tasks = [item.rpartition("/")[0] for item in joined.items]
    if not all(tasks):
        return ()
    common = ~np.isnan(joined.scores).any(axis=0)
    of_task = np.array(tasks)
    rows = []
    for task in dict.fromkeys(tasks):
        chosen = common & (of_task == task)
        if chosen.any():
            means = tuple(float(mean) for mean in joined.scores[:, chosen].mean(axis=1))
            rows.append(TaskMeans(task, int(chosen.sum()), means))
    return tuple(rows)


def _scores_of(joined: JoinedScores, i: int, mean: Estimate) -> ModelScores:
    own = joined.scores[i][~np.isnan(joined.scores[i])]
    return ModelScores(
        name=joined.names[i],
        source=joined.sources[i],
        mean=mean,
        own_mean=float(own.mean()) if own.size else None,
        n_asked=int((joined.asked[i] > 0).sum()),
        outcomes=dict(joined.outcomes[i]),
    )


def _pair_result(joined: JoinedScores, pair: ComparedPair, wrong: float | None) -> PairResult:
    i, j = pair.first, pair.second
    return PairResult(
        joined.names[i],
        joined.names[j],
        pair.comparison,
        pair.p_holm,
        pair.p_bh,
        _not_shared(joined, i, j, wrong),
    )


def _not_shared(joined: JoinedScores, i: int, j: int, wrong: float | None) -> Missing:
    """Count what a pair does not share, and what it would change."""
    first, second = joined.asked[i] > 0, joined.asked[j] > 0
    has_first, has_second = joined.scored[i] > 0, joined.scored[j] > 0
    both = first & second
    partly = has_first & has_second & ((joined.scored < joined.asked)[[i, j]].any(axis=0))
    note = (
        ""
        if wrong is not None
        else "scores may lie outside 0 to 1, so a wrong answer has no score of its own"
    )
    return Missing(
        only_first=int((first & ~second).sum()),
        only_second=int((second & ~first).sum()),
        failed_first=int((both & ~has_first & has_second).sum()),
        failed_second=int((both & has_first & ~has_second).sum()),
        failed_both=int((both & ~has_first & ~has_second).sum()),
        partly_failed=int(partly.sum()),
        failed_as_wrong=None
        if wrong is None
        else _mean_difference(joined.as_wrong(wrong, absent=False), i, j, both),
        absent_as_wrong=None
        if wrong is None
        else _mean_difference(joined.as_wrong(wrong, absent=True), i, j, first | second),
        note=note,
    )


def _mean_difference(matrix: Any, i: int, j: int, chosen: Any) -> float | None:
    return float((matrix[i] - matrix[j])[chosen].mean()) if chosen.any() else None


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
    alike = None if round(count) >= sizes.size else count
    return (say("compare.warned.few_clusters", n=sizes.size, alike=alike),)


def _repeats(joined: JoinedScores) -> tuple[str, ...]:
    """Word the warning about different numbers of repeats."""
    ranges = []
    for i, name in enumerate(joined.names):
        asked = joined.asked[i][joined.asked[i] > 0]
        low, high = int(asked.min()), int(asked.max())
        ranges.append((low, high, f"{name}: {low}" if low == high else f"{name}: {low} to {high}"))
    if len({(low, high) for low, high, _ in ranges}) == 1 and ranges[0][0] == ranges[0][1]:
        return ()
    return (say("compare.warned.repeats", listed="; ".join(text for _, _, text in ranges)),)
