"""Replies of a structure run without a score: by arrangement, and what they could make of its numbers.

The run is scored again with the unread replies filled in: at the lowest and the highest score, so that the
arrangements are as alike and as unlike as they can be, and so that gaps within cells are as small and as
large as they can be.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from concord.files.rows import StoredRecords
from concord.records import AskOutcome, Estimate, Unread
from concord.stats.unread import MOST_LOST, READ, bounded_between, count_unread, told
from concord.structure.options.result import OptionReply
from concord.structure.options.score import agreement_ends, least_even, mean_excess, most_even, pairwise
from concord.structure.records import Consistency, ModelResult
from concord.structure.result import StructureResult, with_sentences
from concord.structure.words.answers import AnswerRow, Answers

Rescore = Callable[[Answers], StructureResult]
Fill = Callable[[AnswerRow], float]


def with_unread(result: StructureResult, answers: Answers, rescore: Rescore) -> StructureResult:
    """Return the result of a run with its unread replies counted, and beyond 2 % of them with bounds."""
    asked = (row for row in answers.rows if row.outcome != AskOutcome.NOT_ASKED)
    rows = StoredRecords(AnswerRow, asked).as_tuple()
    outcomes = [READ if row.score is not None else row.outcome for row in rows]
    if set(outcomes) == {READ} or len(result.models) != 1:
        return result
    arrangements, items = [row.arrangement for row in rows], [row.item for row in rows]
    unread = told([count_unread(outcomes, arrangements, by="arrangement", units=items)])
    models: tuple[ModelResult, ...] = result.models
    if unread and unread[0].share > MOST_LOST:
        refill = replace_rows(answers, rows, rescore)
        models = with_sentences([_bounded_model(models[0], rows, unread[0], refill, result.level)])
    return replace(result, scores=replace(result.scores, models=models, unread=unread))


def replace_rows(
    answers: Answers, rows: Sequence[AnswerRow], rescore: Rescore
) -> Callable[[Fill], ModelResult]:
    """Return what scores the rows again with the unread ones filled in."""

    def filled(fill: Fill) -> ModelResult:
        made = (row if row.score is not None else replace(row, score=fill(row)) for row in rows)
        return rescore(replace(answers, rows=StoredRecords(AnswerRow, made).as_tuple())).models[0]

    return filled


def _bounded_model(
    model: ModelResult,
    rows: Sequence[AnswerRow],
    unread: Unread,
    filled: Callable[[Fill], ModelResult],
    level: float,
) -> ModelResult:
    between = partial(bounded_between, n_unread=unread.unread, asked=unread.asked)
    least, most = filled(lambda row: 0.0), filled(lambda row: 1.0)
    even, uneven = (filled(fill) for fill in _level_fills(least, most))
    tight, wide = (filled(fill) for fill in _gap_fills(rows))
    tau = between(model.order.tau, even.order.tau, uneven.order.tau)
    order = replace(model.order, bounds=tau.bounds, p_unread=even.order.p_value)
    flips = None if model.flip_excess is None else between(model.flip_excess, *_flip_ends(rows, level))

    def gaps(found: Consistency) -> Consistency:
        low, high = tight.definition(found.definition), wide.definition(found.definition)
        if found.definition != "paired" or low is None or high is None:
            return found
        return replace(
            found,
            e_perf=between(found.e_perf, low.e_perf, high.e_perf),
            r_sens=between(found.r_sens, low.r_sens, high.r_sens),
            s_cons=between(found.s_cons, high.s_cons, low.s_cons),
        )

    return replace(
        model,
        order=order,
        flip_excess=flips,
        worst=between(model.worst, least.worst, most.worst),
        consistency=gaps(model.consistency),
        others=tuple(map(gaps, model.others)),
    )


def _level_fills(least: ModelResult, most: ModelResult) -> tuple[Fill, Fill]:
    """Return the scores of unread replies that even the means of arrangements out, and the reverse."""
    names = [row.name for row in least.arrangements]
    low, high = (
        np.array([row.mean_score for row in one.arrangements], dtype=np.float64) for one in (least, most)
    )

    def fill_to(wanted: np.ndarray) -> Fill:
        share = np.divide(wanted - low, high - low, out=np.full(len(low), 0.5), where=high > low)
        values: Mapping[str, float] = dict(zip(names, share.tolist(), strict=True))
        return lambda row: values[row.arrangement]

    return fill_to(most_even(low, high)), fill_to(least_even(low, high))


def _gap_fills(rows: Sequence[AnswerRow]) -> tuple[Fill, Fill]:
    """Return the scores of unread replies that make the gap of every cell smallest, and largest."""
    seen: dict[tuple[str, str], list[float]] = {}
    lost: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        cell = (row.item, row.arrangement)
        if row.score is None:
            lost.setdefault(cell, []).append(row.sample)
        else:
            seen.setdefault(cell, []).append(row.score)

    def tight(row: AnswerRow) -> float:
        return max(seen.get((row.item, row.arrangement), [0.5]))

    def wide(row: AnswerRow) -> float:
        cell = (row.item, row.arrangement)
        known, n_lost = seen.get(cell, []), len(lost[cell])
        n, total = len(known) + n_lost, sum(known)
        one_right = 1 - (total + 1) / n > max(known, default=0.0) - total / n
        return 1.0 if one_right and row.sample == lost[cell][0] else 0.0

    return tight, wide


def _flip_ends(rows: Sequence[AnswerRow], level: float) -> tuple[Estimate, Estimate]:
    """Return flip excess at its least and its most; an unread reply may be any answer to its item, or new."""
    answers: dict[str, set[str]] = {}
    for row in rows:
        answers.setdefault(row.item, set()).update([] if row.answer is None else [row.answer])
    replies = [
        OptionReply(
            row.item, row.arrangement, row.answer, None, 0, len(answers[row.item]) + 1, None, row.cluster
        )
        for row in rows
    ]
    items = list(answers)
    family = {row.item: row.cluster if row.cluster else row.item for row in rows}
    excess = agreement_ends(replies, items, pairwise)[2]
    low, high = (mean_excess(one, [family[item] for item in items], level, "") for one in excess)
    return low, high
