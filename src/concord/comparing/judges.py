"""Judges compared on the same pairs of answers: each number's difference, paired by pair."""

from collections.abc import Sequence

from concord.comparing.kinds import (
    ComparedSide,
    CompareRequest,
    Lineup,
    PairByPair,
    Stored,
    Ways,
    difference_of_shares,
    named_by_folder,
    ranked_interval,
)
from concord.errors import MismatchError
from concord.stats.elementwise import Floats
from concord.stats.pairs import MetricDifference, ModelPair
from concord.stats.votes import seat_numbers
from concord.structure.judging.result import JudgeResult, PairVotes
from concord.structure.judging.score import (
    agreement_by_pair,
    cluster_labels,
    tie_shares,
    vote_counts,
    vote_shares,
)

METRICS = ("flip_excess", "inconsistency", "preference", "ties", "agreement")


def _judges(results: Sequence[Stored[JudgeResult]], metric: str | None) -> Lineup:
    found = [(one.name, judge) for one in results for judge in one.result.judges]
    every = all(judge.numbers["flip_excess"].value is not None for _, judge in found)
    sides = [
        ComparedSide(judge.judge, folder, {"judge": judge.judge}, judge, judge.gate)
        for folder, judge in found
    ]
    return Lineup(
        sides=named_by_folder(sides),
        how="the same pairs of answers",
        metrics=METRICS,
        usual="flip_excess" if every else "inconsistency",
        about={"n_judges": len(found)},
    )


def numbers_by_pair(pairs: Sequence[PairVotes], metric: str) -> Floats:
    """Return one number per pair; NaN where a pair has none."""
    if metric == "agreement":
        judge, human, _ = vote_shares(pairs)
        return agreement_by_pair(judge, human)
    if metric == "ties":
        return tie_shares(pairs)
    found: Floats = getattr(seat_numbers(vote_counts(pairs)), metric)
    return found


def _judged_alike(
    first: ComparedSide, second: ComparedSide, metrics: Sequence[str], asked: CompareRequest
) -> ModelPair:
    a, b = ({pair.pair: pair for pair in side.scores.pairs} for side in (first, second))
    common = sorted(a.keys() & b.keys())
    if not common:
        raise MismatchError(
            f"{first.name} and {second.name} have no pair in common ({min(a)!r}; {min(b)!r}): let both judge "
            "the same pairs"
        )
    one, two = [a[name] for name in common], [b[name] for name in common]
    found = tuple(difference_of_judges(name, one, two, asked) for name in metrics)
    return ModelPair(first.name, second.name, found, len(common), len(a) - len(common), len(b) - len(common))


def difference_of_judges(
    metric: str, first: Sequence[PairVotes], second: Sequence[PairVotes], asked: CompareRequest
) -> MetricDifference:
    """Compare two judges of the same pairs by one number; questions are the clusters."""
    return difference_of_shares(
        metric,
        numbers_by_pair(first, metric),
        numbers_by_pair(second, metric),
        asked,
        clusters=cluster_labels(first),
        nobody="no pair of both judges has it",
    )


def _judge_rank(side: ComparedSide, metric: str, sides: Sequence[ComparedSide]) -> float | None:
    """Return what ranks a judge: no preference of either seat is the best."""
    value: float | None = side.scores.numbers[metric].value
    return abs(value) if metric == "preference" and value is not None else value


WAYS = Ways(
    JudgeResult.read,
    _judges,
    PairByPair(
        pair=_judged_alike,
        value=_judge_rank,
        interval=lambda side, metric, value, level: ranked_interval(side.scores.numbers[metric], value),
        lowest_first=("flip_excess", "inconsistency", "preference", "ties"),
        options=("level", "seed"),
    ),
)
