"""A leaderboard from counts: rates with Wilson intervals, thinking against answer, all pairs; its files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.errors import FileFormatError
from concord.files.codec import encode
from concord.files.documents import heading, provenance, read_record
from concord.files.output import frame_of, write_csv, write_json
from concord.reasoning.hints.counts import Count, HintCounts, ModelCounts, PlaceCounts
from concord.reasoning.item_numbers import kappa_of
from concord.reasoning.result import LEVEL, without_usual_level
from concord.records import Estimate, InputFile, Interval, Presented
from concord.stats.intervals import wilson_interval
from concord.stats.mcnemar import bonett_price_of_counts
from concord.stats.multiple import holm, indistinguishable

if TYPE_CHECKING:
    import polars as pl


ALPHA = 0.05
"""Level of the statements about pairs, after Holm's correction."""


@dataclass(frozen=True, slots=True)
class HintModel:
    """One model of a leaderboard."""

    model: str
    verbalised: Estimate
    """Share of influenced answers that say so."""
    thinking: Estimate
    answer: Estimate
    either: Estimate
    gap: Estimate
    """Thinking minus answer, paired."""
    kappa: Estimate
    """Agreement of thinking and answer."""
    detectors: Mapping[str, Estimate]
    influence: Mapping[str, Estimate]
    flips: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class HintModelPair:
    """Two models' shares of verbalised answers: first minus second."""

    first: str
    second: str
    difference: Estimate
    p_value: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class HintLeaderboardScores:
    """Everything that counts say about several models."""

    models: tuple[HintModel, ...]
    """By their share of verbalised answers, the largest first; those without one last."""
    kinds: Mapping[str, Estimate]
    """Share of verbalised answers by kind of hint, all models together."""
    pairs: tuple[HintModelPair, ...]
    groups: tuple[tuple[str, ...], ...]
    """Models that cannot be distinguished, in the order of the leaderboard."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    level: float = LEVEL
    """Of every interval."""


def leaderboard_of(counts: HintCounts, *, level: float = LEVEL) -> HintLeaderboardScores:
    """Turn counts into rates with intervals, and compare all models."""
    if not counts.models and not counts.kinds:
        raise FileFormatError("the tables of counts hold no row")
    models = sorted((_hint_model(name, own, level) for name, own in counts.models.items()), key=_board_order)
    named = [one.model for one in models if one.verbalised.value is not None]
    pairs = tuple(_model_pairs(counts, named, level))
    return HintLeaderboardScores(
        tuple(models),
        {kind: rate_of(count, level) for kind, count in counts.kinds.items()},
        pairs,
        tuple(_alike_groups(models, pairs)),
        tuple(counts.inputs),
        (*counts.warnings, *_count_notes(counts)),
        level,
    )


def _board_order(one: HintModel) -> tuple[bool, float, str]:
    value = one.verbalised.value
    return (value is None, 0.0 if value is None else -value, one.model)


def rate_of(count: Count | None, level: float = LEVEL) -> Estimate:
    """Return a rate with its Wilson interval; without counts it has none."""
    if count is None:
        return Estimate(None, note="not given")
    if count.k is None or count.n is None:
        return Estimate(count.rate, None, note="no interval: only the rate is given")
    if count.n == 0:
        return Estimate(None, note="nothing was influenced")
    note = f"counts recovered from the rate: {count.k} of {count.n}" if count.recovered else ""
    return Estimate(count.rate, wilson_interval(count.k, count.n, level=level), count.n, 0, "share", note)


def _hint_model(name: str, own: ModelCounts, level: float) -> HintModel:
    thinking, answer, either, gap, kappa = place_rates(own.places, level)
    verbalised = rate_of(own.verbalised, level)
    return HintModel(
        name,
        either if verbalised.value is None else verbalised,
        thinking,
        answer,
        either,
        gap,
        kappa,
        {detector: rate_of(count, level) for detector, count in own.detectors.items()},
        {kind: rate_of(count, level) for kind, count in own.influence.items()},
        {kind: rate_of(count, level) for kind, count in own.flips.items()},
    )


def place_rates(
    places: PlaceCounts | None, level: float = LEVEL
) -> tuple[Estimate, Estimate, Estimate, Estimate, Estimate]:
    """Return thinking, answer, either, their gap and their kappa."""
    if places is None or places.n == 0:
        why = "thinking and answer are not given apart" if places is None else "nothing was influenced"
        nothing = Estimate(None, note=why)
        return nothing, nothing, nothing, nothing, nothing
    n = places.n
    shares = [
        rate_of(Count(k, n, k / n), level)
        for k in (places.both + places.thinking_only, places.both + places.answer_only, n - places.neither)
    ]
    more, less = places.thinking_only, places.answer_only
    gap = Estimate((more - less) / n, bonett_price_of_counts(more, less, n, level=level), n, 0, "paired")
    kappa = kappa_of(places.both, places.thinking_only, places.answer_only, places.neither, level=level)
    return shares[0], shares[1], shares[2], gap, kappa


def difference_interval(first: Count, second: Count, *, level: float = 0.95) -> Interval:
    r"""Newcombe's interval of a difference of two independent proportions, from their Wilson intervals.

    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions.
    Statistics in Medicine, 17, 873-890 (method 10).

    Examples
    --------
    >>> found = difference_interval(Count(56, 70, 0.8), Count(48, 80, 0.6))
    >>> round(found.low, 4), round(found.high, 4)
    (0.0524, 0.3339)
    """
    k1, n1, k2, n2 = (0 if one is None else one for one in (first.k, first.n, second.k, second.n))
    one, two = wilson_interval(k1, n1, level=level), wilson_interval(k2, n2, level=level)
    p, q = k1 / n1, k2 / n2
    low = p - q - float(np.hypot(p - one.low, two.high - q))
    high = p - q + float(np.hypot(one.high - p, q - two.low))
    return Interval(low, high, level, "Newcombe, from Wilson intervals")


def _model_pairs(counts: HintCounts, names: Sequence[str], level: float) -> Iterable[HintModelPair]:
    """Compare all models on their share of verbalised answers, as independent samples."""
    known = {name: _verbalised_count(counts.models[name]) for name in names}
    both = [
        (one, two, a, b)
        for one, two in combinations(names, 2)
        if (a := known[one]) is not None and (b := known[two]) is not None and a.n and b.n
    ]
    raw = [_score_test(a, b) for _, _, a, b in both]
    adjusted = holm(raw) if raw else np.array([])
    for (one, two, a, b), p, p_holm in zip(both, raw, adjusted, strict=True):
        n = (0 if a.n is None else a.n) + (0 if b.n is None else b.n)
        ends = difference_interval(a, b, level=level)
        difference = Estimate(a.rate - b.rate, ends, n, 0, "independent proportions")
        yield HintModelPair(one, two, difference, p, float(p_holm))


def _verbalised_count(own: ModelCounts) -> Count | None:
    if own.verbalised is not None:
        return own.verbalised if own.verbalised.k is not None else None
    if own.places is None or own.places.n == 0:
        return None
    said = own.places.n - own.places.neither
    return Count(said, own.places.n, said / own.places.n)


def _score_test(a: Count, b: Count) -> float:
    """Return the two-sided p of the score test of equal proportions."""
    k1, n1, k2, n2 = (0 if one is None else one for one in (a.k, a.n, b.k, b.n))
    pooled = (k1 + k2) / (n1 + n2)
    variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    if variance == 0:
        return 1.0
    return float(2 * NormalDist().cdf(-abs(k1 / n1 - k2 / n2) / variance**0.5))


def _alike_groups(models: Sequence[HintModel], pairs: Sequence[HintModelPair]) -> Iterable[tuple[str, ...]]:
    names = [one.model for one in models if one.verbalised.value is not None]
    place = {name: number for number, name in enumerate(names)}
    different = np.zeros((len(names), len(names)), dtype=bool)
    for pair in pairs:
        first, second = place[pair.first], place[pair.second]
        different[first, second] = different[second, first] = pair.p_holm < ALPHA
    for group in indistinguishable(range(len(names)), different):
        yield tuple(names[member] for member in group)


def _count_notes(counts: HintCounts) -> Iterable[str]:
    if any(
        c.recovered for own in counts.models.values() for c in (*own.influence.values(), *own.flips.values())
    ):
        yield (
            "influence and flips are published as rates: their counts are the largest that the rate and the "
            "model's largest sample allow, so an interval may be too wide"
        )
    if any(own.detectors for own in counts.models.values()):
        yield "two detectors are given as totals, not answer by answer: no kappa between them can be computed"
    if len(counts.models) > 1:
        yield "models answered the same questions; pairs are compared as independent samples"


DOCUMENT, NUMBERS, PAIRS_FILE = "hints.json", "hints.csv", "hint_pairs.csv"
NUMBER_COLUMNS = ("model", "number", "kind", "value", "low", "high", "n", "note")
PAIR_COLUMNS = ("first", "second", "difference", "low", "high", "p", "p_holm", "n")
KIND = "hint leaderboard"


@dataclass(frozen=True, slots=True, repr=False)
class HintLeaderboard(Presented):
    """How often hints move answers, and how often models say so, from counts."""

    scores: HintLeaderboardScores

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before using the numbers."""
        return self.scores.warnings

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `hints.json` holds."""
        held = without_usual_level(encode(self.scores))
        return {**heading(KIND), **held, "provenance": provenance(self.scores.inputs)}

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per model and number, the columns of `hints.csv`."""
        return frame_of(NUMBER_COLUMNS, board_rows(self.scores))

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `hints.json`, `hints.csv` and `hint_pairs.csv`, and return their paths."""
        return write(self, Path(out))


def write(result: HintLeaderboard, folder: Path) -> tuple[Path, ...]:
    """Write all files of a leaderboard and return their paths."""
    write_json(folder / DOCUMENT, result.to_dict())
    write_csv(folder / NUMBERS, NUMBER_COLUMNS, board_rows(result.scores))
    write_csv(folder / PAIRS_FILE, PAIR_COLUMNS, _hint_pair_rows(result.scores))
    return tuple(folder / name for name in (DOCUMENT, NUMBERS, PAIRS_FILE))


def read(folder: Path) -> HintLeaderboard:
    """Read a leaderboard back, whole."""
    path = folder / DOCUMENT
    return HintLeaderboard(read_record(HintLeaderboardScores, path, KIND))


def board_rows(scores: HintLeaderboardScores) -> Iterator[list[object]]:
    """Return one row per model and number; rows of all models together come last."""
    for one in scores.models:
        for name in ("verbalised", "thinking", "answer", "either", "gap", "kappa"):
            yield _number_row(one.model, name, "", getattr(one, name))
        for group in ("detectors", "influence", "flips"):
            for kind, found in getattr(one, group).items():
                yield _number_row(one.model, group, kind, found)
    for kind, found in scores.kinds.items():
        yield _number_row("all models", "verbalised", kind, found)


def _number_row(model: str, number: str, kind: str, found: Estimate) -> list[object]:
    return [model, number, kind, found.value, *found.ends, found.n, found.note]


def _hint_pair_rows(scores: HintLeaderboardScores) -> Iterator[list[object]]:
    for row in scores.pairs:
        found = row.difference
        yield [row.first, row.second, found.value, *found.ends, row.p_value, row.p_holm, found.n]
