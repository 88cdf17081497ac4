"""A comparison on several metrics as terminal tables; two models in full, many as a ranking and a table."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from concord.comparing.metrics import MetricCompareResult, metric_name
from concord.comparing.people import KEY, RANKS
from concord.files.number_words import joined_names, leaders
from concord.show.compare_terminal import (
    FEW_LINES,
    FEW_PAIRS,
    MOST_LINES,
    first_lines,
    margin_words,
    margins_words,
    pair_label,
    pairs_shown,
    ranking_lines,
)
from concord.show.numbers import interval, number, p_value
from concord.show.terminal import lines, table
from concord.stats.multiple import distinguishable, holm
from concord.stats.pairs import ModelPair
from concord.structure.score.compare import LOWER_IS_STEADIER

_MOST_MODELS = 8
"""Of more models, what a referee asks of each is in `comparison.json`."""


def metrics_report(result: MetricCompareResult, *, pairs: bool = True) -> RenderableType:
    """Return everything a reader of the terminal should see: the answer, the ranking, all pairs."""
    parts: list[RenderableType] = [Text(closing(result) + "\n", style="bold"), lines(_sources(result))]
    if len(result.pairs) == 1:
        pair = result.pairs[0]
        parts += [Text(f"{pair.first} − {pair.second} · {result.how}", style="bold")]
        parts += [_one_pair(result, pair), lines(_left_out_words(result, [pair]))]
        held = pair.metric(result.metric).within
        parts += [] if held is None else [lines([f"  {metric_name(result.metric)} {margin_words(held)}"])]
    else:
        parts += [lines(_ranking(result)), *([_all_pairs(result)] if pairs else [])]
        most = MOST_LINES if pairs else FEW_LINES
        parts.append(lines(_left_out_words(result, result.pairs, most)))
    parts += [lines(_for_referee(result))] if pairs else []
    return Group(*parts)


def metrics_headline(result: MetricCompareResult) -> RenderableType | None:
    """Return the report without its pairs where these are many; None where they are few."""
    return None if len(result.pairs) <= FEW_PAIRS else metrics_report(result, pairs=False)


def _for_referee(result: MetricCompareResult) -> Iterator[str]:
    """Say what a referee asks of each model, and whether other priors change their order."""
    shown = [(one.name, one.about[KEY]) for one in result.models if one.about.get(KEY)]
    if not shown:
        return
    yield "\nFor the referee"
    for name, told in shown if len(shown) <= _MOST_MODELS else ():
        ends = told["difference_d_interval"]
        reach = "" if ends is None else f" [{number(ends[0], 2)}, {number(ends[1], 2)}]"
        yield (
            f"  {name}: inside the replication interval {told['inside']} of {told['n_inside']}; "
            f"agent - human d {number(told['difference_d'], 2)}{reach}; replication Bayes factor above 3 for "
            f"{told['n_supported']} of {told['n_replications']}; equivalent {told['n_equivalent']} of "
            f"{told['n_kept']} kept nulls"
        )
    ranks = result.about.get(RANKS) or []
    if ranks:
        first = Counter(_leader(row) for row in ranks if row["order"])
        said = ", ".join(f"{name} first in {n}" for name, n in first.most_common())
        yield f"  PAS under {len(ranks)} priors (scales × ½ to 2, odds 1/3 to 3): {said}"


def _leader(row: Mapping[str, Any]) -> str:
    """Return the model with the highest PAS under a prior, or that several share it."""
    values = row["pas"]
    tied = leaders([(name, values[name]) for name in row["order"]])
    return tied[0] if len(tied) == 1 else f"{joined_names(tied)} (equal)"


def _sources(result: MetricCompareResult) -> Iterator[str]:
    """Say which model is which, where the names alone do not."""
    shown = [one for one in result.models if one.about.get("design") or one.name.endswith("]")]
    for one in shown:
        said = [f"{what} {one.about[what]}" for what in ("model", "design") if one.about.get(what)]
        yield " · ".join([f"{one.name}: {one.source}", *said])
    if shown:
        yield ""


def _one_pair(result: MetricCompareResult, pair: ModelPair) -> Table:
    words = result.words
    columns = ["metric", "first", "second", "difference", f"{result.level:.0%} interval", "p"]
    columns += [words.units, words.clusters] if words.counts_units else [words.clusters]
    rows = []
    for metric in pair.metrics:
        one = metric.difference
        sizes = [str(one.n), str(metric.n_clusters)] if words.counts_units else [str(metric.n_clusters)]
        cells = (
            metric_name(metric.metric),
            number(metric.first),
            number(metric.second),
            number(one.value, sign=True),
            interval(one.interval, 3, sign=True),
            p_value(metric.p_value),
            *sizes,
        )
        rows.append(cells)
    return table(None, columns, rows)


def _ranking(result: MetricCompareResult) -> Iterator[str]:
    metric = metric_name(result.metric)
    lower = ", the lowest first" if result.metric in LOWER_IS_STEADIER else ""
    yield f"{metric} of {len(result.models)} models{lower} · {result.how}"
    if not result.standing.values:
        yield f"  no ranking: there is no {result.words.unit} that every model has"
        return
    ends = {one.name: one.interval for one in result.models}
    yield from ranking_lines(result.standing.values, result.standing.groups, ends)


def _all_pairs(result: MetricCompareResult) -> Table:
    """Lay out the headline metric of every pair; models go by their place in the ranking."""
    columns = ("pair", "diff.", f"{result.level:.0%} interval", "p", "Holm", "BH", result.words.clusters)
    title, shown = pairs_shown(result.pairs, result.standing.order)
    rows = []
    for pair in shown:
        metric = pair.metric(result.metric)
        cells = (
            pair_label(pair.first, pair.second, result.standing.order),
            number(metric.difference.value, sign=True),
            interval(metric.difference.interval, 3, sign=True),
            *(p_value(p) for p in (metric.p_value, metric.p_holm, metric.p_bh)),
            str(metric.n_clusters),
        )
        rows.append(cells)
    return table(title, columns, rows)


def _left_out_words(
    result: MetricCompareResult, pairs: Sequence[ModelPair], most: int = MOST_LINES
) -> Iterator[str]:
    """Say what was left out and what has no interval; the same words once."""
    many = len(pairs) > 1
    told = []
    for pair in pairs:
        if pair.only_first or pair.only_second:
            where = f"{pair.first} − {pair.second}: " if many else ""
            told.append(
                f"  {where}left out: {pair.only_first} "
                f"{result.words.unit if pair.only_first == 1 else result.words.units} only {pair.first} has, "
                f"{pair.only_second} only {pair.second} has"
            )
    if not many:
        told += _without_score(result, pairs[0])
    noted: dict[str, list[str]] = {}
    for pair in pairs:
        for metric in pair.metrics if not many else [pair.metric(result.metric)]:
            if metric.difference.note:
                noted.setdefault(metric.difference.note, []).append(metric_name(metric.metric))
    told += [f"  {'; '.join(dict.fromkeys(names))}: {note}" for note, names in noted.items()]
    yield from first_lines(told, most)


def _without_score(result: MetricCompareResult, pair: ModelPair) -> list[str]:
    """Count what both models were given and one of them has no number for."""
    lost = {metric_name(m.metric): m.difference.n_left_out for m in pair.metrics if m.difference.n_left_out}
    if not lost:
        return []
    counts = ", ".join(f"{n} for {name}" for name, n in lost.items())
    return [f"  of {pair.n_common} {result.words.units} that both have, without a number on a side: {counts}"]


def closing(result: MetricCompareResult) -> str:
    """Say in plain words what the numbers mean."""
    if len(result.pairs) > 1:
        return _closing_many(result) + margins_words([p.metric(result.metric).within for p in result.pairs])
    pair = result.pairs[0]
    # several numbers are tried, so that one of three would be named by chance in one comparison of eight
    tried = [math.nan if metric.p_value is None else metric.p_value for metric in pair.metrics]
    told = [
        metric_name(metric.metric)
        for metric, p in zip(pair.metrics, holm(tried).tolist(), strict=True)
        if distinguishable(p, level=result.level)
    ]
    unlike = f"{result.words.clusters} like these"
    if told:
        return f"More than chance over {unlike}: {', '.join(told)} of {pair.first} and {pair.second}."
    if all(metric.p_value is None for metric in pair.metrics):
        return (
            f"These data cannot tell whether {pair.first} and {pair.second} differ: a test needs at least "
            f"{result.words.least} that both have, and a difference that varies between them."
        )
    return f"With these {result.words.clusters} no difference can be told from chance."


def _closing_many(result: MetricCompareResult) -> str:
    told = sum(
        distinguishable(pair.metric(result.metric).p_holm, level=result.level) for pair in result.pairs
    )
    names = [metric.metric for metric in result.pairs[0].metrics if metric.metric != result.metric]
    beside = [name for name in names if metric_name(name) in (name, name.upper())]
    further = f" Further numbers: --metric {', '.join(beside)}." if beside else ""
    return (
        f"{metric_name(result.metric)}: {told} of {len(result.pairs)} pairs can be distinguished after "
        f"Holm's adjustment.{further}"
    )
