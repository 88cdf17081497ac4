"""Judges compared on the same pairs of answers: each number's difference, paired by pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from concord.comparing.metrics import (
    ComparedModel,
    CompareRequest,
    MetricCompareResult,
    ResultKind,
    UnitWords,
    check_names,
    distinct,
    known_metric,
    ranked_interval,
)
from concord.comparing.shares import difference_of_shares
from concord.engine import Engine
from concord.errors import MismatchError, OptionError
from concord.files.contents import fingerprint_file
from concord.files.documents import folder_name, holding_folder
from concord.stats.compare import Choices
from concord.stats.elementwise import Floats
from concord.stats.pairs import MetricDifference, ModelPair, adjusted, standing
from concord.stats.votes import seat_numbers
from concord.structure.judging.result import JudgeResult, JudgeScores, PairVotes, is_judge_folder
from concord.structure.judging.score import (
    agreement_by_pair,
    cluster_labels,
    tie_shares,
    vote_counts,
    vote_shares,
)

METRICS = ("flip_excess", "inconsistency", "preference", "ties", "agreement")
LOWEST_FIRST = ("flip_excess", "inconsistency", "preference", "ties")
WORDS = UnitWords("pair", "pairs", "question", "questions", least="5 pairs", counts_units=True)
_KIND = "judge"


def numbers_by_pair(pairs: Sequence[PairVotes], metric: str) -> Floats:
    """Return one number per pair; NaN where a pair has none."""
    if metric == "agreement":
        judge, human, _ = vote_shares(pairs)
        return agreement_by_pair(judge, human)
    if metric == "ties":
        return tie_shares(pairs)
    seats = seat_numbers(vote_counts(pairs))
    found: Floats = getattr(seats, metric)
    return found


@dataclass(frozen=True, slots=True)
class _Judged:
    name: str
    folder: str
    scores: JudgeScores

    def pairs(self) -> dict[str, PairVotes]:
        return {pair.pair: pair for pair in self.scores.pairs}


def compare_judge_folders(asked: CompareRequest) -> MetricCompareResult:
    """Compare every judge of results of `concord score judge` on the pairs that both judged."""
    names, metric, choices = asked.names, asked.metric, asked.choices
    results = [(Path(source), JudgeResult.read(source)) for source in asked.sources]
    found = [(folder_name(path), one) for path, result in results for one in result.judges]
    if len(found) < 2:
        raise OptionError(
            f"comparing needs at least two judges, {found[0][0]} holds one: {found[0][1].judge}"
        )
    check_names(names, len(found), f"judges ({', '.join(one.judge for _, one in found[:6])}, ...)")
    called = _judge_names(found) if names is None else list(names)
    judged = [_Judged(name, folder, one) for name, (folder, one) in zip(called, found, strict=True)]
    head = known_metric(_usual_metric(judged) if metric is None else metric, METRICS)
    pairs = adjusted([_compared_judges(a, b, choices, asked.engine) for a, b in combinations(judged, 2)])
    gates = [f"{one.name} has no rank: {one.scores.gate}" for one in judged if one.scores.gate]
    values = {one.name: _ranking_value(one, head) for one in judged}
    place = standing(head, values, pairs, level=choices.level, lowest_first=head in LOWEST_FIRST)
    return MetricCompareResult(
        _KIND,
        WORDS,
        "the same pairs of answers",
        {"n_judges": len(judged)},
        tuple(
            ComparedModel(
                one.name,
                one.folder,
                {"judge": one.scores.judge},
                ranked_interval(one.scores.numbers[head], values[one.name]),
            )
            for one in judged
        ),
        pairs,
        place,
        {"level": choices.level, "seed": choices.seed},
        tuple(
            fingerprint_file(holding_folder(path, JudgeResult.FILE) / JudgeResult.FILE) for path, _ in results
        ),
        tuple(gates),
    )


def _usual_metric(judged: Sequence[_Judged]) -> str:
    """Return flip excess where every judge has one, else inconsistency."""
    every = all(one.scores.numbers["flip_excess"].value is not None for one in judged)
    return "flip_excess" if every else "inconsistency"


def _judge_names(found: Sequence[tuple[str, JudgeScores]]) -> list[str]:
    names = [one.judge for _, one in found]
    return distinct(
        [f"{one.judge} ({folder})" if names.count(one.judge) > 1 else one.judge for folder, one in found]
    )


def _ranking_value(one: _Judged, metric: str) -> float | None:
    """Return what ranks a judge: no preference of either seat is the best."""
    if one.scores.gate:
        return None
    value = one.scores.numbers[metric].value
    return abs(value) if metric == "preference" and value is not None else value


def _compared_judges(first: _Judged, second: _Judged, choices: Choices, engine: Engine) -> ModelPair:
    a, b = first.pairs(), second.pairs()
    common = sorted(a.keys() & b.keys())
    if not common:
        raise MismatchError(
            f"{first.name} and {second.name} have no pair in common ({min(a)!r}; {min(b)!r}): let both judge "
            "the same pairs"
        )
    sides = ([a[name] for name in common], [b[name] for name in common])
    metrics = tuple(_metric_difference(metric, *sides, choices, engine) for metric in METRICS)
    return ModelPair(
        first.name, second.name, metrics, len(common), len(a) - len(common), len(b) - len(common)
    )


def _metric_difference(
    metric: str, first: Sequence[PairVotes], second: Sequence[PairVotes], choices: Choices, engine: Engine
) -> MetricDifference:
    return difference_of_shares(
        metric, numbers_by_pair(first, metric), numbers_by_pair(second, metric), choices, engine,
        clusters=cluster_labels(first), nobody="no pair of both judges has it",
    )  # fmt: skip


KIND = ResultKind(_KIND, "a result about judges", is_judge_folder, compare_judge_folders, alone=True)
