"""A leaderboard from counts: rates with Wilson intervals, thinking against answer, all pairs; its files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np

from concord.errors import FileFormatError
from concord.files.codec import encode
from concord.files.documents import holding_folder, read_record
from concord.kinds import (
    LEFT_OUT_CELLS,
    PAGE,
    PAPER,
    SCREENS,
    Column,
    Kind,
    PictureOf,
    Table,
    with_provenance,
)
from concord.reasoning import NAME
from concord.reasoning.hints.counts import Count, HintCounts, ModelCounts, PlaceCounts
from concord.reasoning.item_numbers import kappa_of
from concord.reasoning.result import LEVEL, gap_p, without_usual_level
from concord.records import EMPTY, Estimate, InputFile, Interval, LeftOutCell
from concord.stats.intervals import wilson_interval
from concord.stats.mcnemar import bonett_price_of_counts
from concord.stats.multiple import holm, indistinguishable, shown_of_several
from concord.words import say

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

    @property
    def mean_influence(self) -> Estimate:
        """Mean influence over kinds of hint, without an interval."""
        known = [found.value for found in self.influence.values() if found.value is not None]
        if not known:
            return Estimate(None, note="influence is not given")
        return Estimate(sum(known) / len(known), None, len(known), note="mean over kinds of hint")


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
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)
    """Cells of a table that could not be read."""


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
        counts.left_out,
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
    """Newcombe's interval of a difference of two independent proportions, from their Wilson intervals."""
    # Newcombe (1998), Statistics in Medicine, 17, 873-890 (method 10).
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


class BoardNumber(NamedTuple):
    """One number of a model, or of all models together, as a row of the file."""

    model: str
    number: str
    kind: str
    found: Estimate


def board_numbers(result: "HintLeaderboard") -> Iterator[BoardNumber]:
    """Return one row per model and number; rows of all models together come last."""
    for one in result.scores.models:
        for name in ("verbalised", "thinking", "answer", "either", "gap", "kappa"):
            yield BoardNumber(one.model, name, "", getattr(one, name))
        for group in ("detectors", "influence", "flips"):
            for kind, found in getattr(one, group).items():
                yield BoardNumber(one.model, group, kind, found)
    for kind, found in result.scores.kinds.items():
        yield BoardNumber("all models", "verbalised", kind, found)


def _each_of(group: str) -> Callable[[Sequence[HintModel]], list[Column]]:
    """Return a column for each kind of hint, or each detector, that a model of the table has."""

    def columns(models: Sequence[HintModel]) -> list[Column]:
        names = dict.fromkeys(name for one in models for name in getattr(one, group))
        return [Column(name, partial(_found_of, group, name), on=SCREENS) for name in names]

    return columns


def _found_of(group: str, name: str, one: HintModel) -> Estimate | None:
    found: Estimate | None = getattr(one, group).get(name)
    return found


_MODEL = Column("model", words=True)
SAID = Table(
    "models",
    rows=lambda result: result.scores.models,
    title="Influenced answers that say so",
    columns=(
        _MODEL,
        Column("verbalised", title="says so"),
        Column("thinking"),
        Column("answer"),
        Column("either", title="either of them", on=(PAGE, PAPER)),
        Column("gap", sign=True),
        Column("kappa"),
    ),
)
DETECTED = Table(
    "detectors",
    rows=lambda result: [one for one in result.scores.models if one.detectors],
    title="The same answers, two detectors",
    columns=(_MODEL,),
    further=_each_of("detectors"),
)
MOVED = Table(
    "moved",
    rows=lambda result: [one for one in result.scores.models if one.influence],
    title="Answers moved to the hint, by kind",
    columns=(_MODEL,),
    further=_each_of("influence"),
)
CHANGED = Table(
    "changed",
    rows=lambda result: [one for one in result.scores.models if one.flips],
    title="Answers that change under the hint, by kind",
    on=(PAGE, PAPER),
    columns=(_MODEL,),
    further=_each_of("flips"),
)
BY_KIND = Table(
    "kinds",
    rows=lambda result: result.scores.kinds.items(),
    title="Says so, by kind of hint, all models",
    columns=(
        Column("kind", lambda row: row[0].replace("_", " "), words=True),
        Column("says so", lambda row: row[1]),
        Column("n", lambda row: row[1].n, count=True),
    ),
)
NUMBERS = Table(
    "numbers",
    rows=board_numbers,
    file="hints.csv",
    on=(),
    columns=(
        Column("model"),
        Column("number"),
        Column("kind"),
        Column("found", spread={"value": "value", "low": "low", "high": "high", "n": "n", "note": "note"}),
    ),
)
PAIRS = Table(
    "pairs",
    rows=lambda result: result.scores.pairs,
    title="Models against each other",
    file="hint_pairs.csv",
    on=(PAGE, PAPER),
    columns=(
        Column("first", words=True),
        Column("second", words=True),
        Column("difference", sign=True, spread={"difference": "value", "low": "low", "high": "high"}),
        Column("p", lambda row: row.p_value, p=True),
        Column("p_holm", title="p (Holm)", p=True),
        Column("n", lambda row: row.difference.n, count=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class HintLeaderboard(Kind):
    """How often hints move answers, and how often models say so, from counts.

    ``plot(kind)`` draws ``models`` or ``ranking``.
    """

    FORMAT, FILE, KEY = "hint leaderboard", "hints.json", "groups"
    QUESTION, SECTION, HEADING = NAME, "hints", "Hints: who says what moved the answer"
    TABLES = (SAID, DETECTED, MOVED, CHANGED, BY_KIND, NUMBERS, PAIRS, LEFT_OUT_CELLS)
    PICTURES = (
        PictureOf("models", "reasoning_plots.board_picture", small=True),
        PictureOf("ranking", "reasoning_plots.said_picture"),
    )

    UNSHOWN = frozenset({"scores.left_out"})  # in a file

    scores: HintLeaderboardScores

    @property
    def left_out(self) -> tuple[LeftOutCell, ...]:
        """Cells that could not be read."""
        return self.scores.left_out

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before using the numbers."""
        return self.scores.warnings

    @property
    def level(self) -> float:
        """Of every interval."""
        return self.scores.level

    def who(self) -> Sequence[str]:
        """Return the models."""
        return [one.model for one in self.scores.models]

    def sentences(self) -> Sequence[str]:
        """Return who says most and least often what moved the answer."""
        ranked = [one for one in self.scores.models if one.verbalised.value is not None]
        if not ranked:
            return [say("hints.said.none")]
        first, last = ranked[0], ranked[-1]
        told = say("hints.said.first", first=first.model, share=first.verbalised)
        if len(ranked) > 1:
            told += say("hints.said.last", last=last.model, share=last.verbalised)
        hidden = self.hidden()
        if hidden:
            told += say("hints.said.thinking", k=len(hidden), n=len(ranked))
        return [f"{told}."]

    def hidden(self) -> list[HintModel]:
        """Return the models shown to say it more often in their thinking, after Holm over models."""
        tried = [one for one in self.scores.models if one.gap.interval is not None]
        shown = shown_of_several([gap_p(one.gap) for one in tried], alpha=ALPHA)
        return [
            one
            for one, is_shown in zip(tried, shown, strict=True)
            if is_shown and one.gap.value is not None and one.gap.value > 0
        ]

    def notes(self) -> Sequence[str]:
        """Return which models are distinguishable, how intervals were made, and what limits the numbers."""
        apart = sum(pair.p_holm < ALPHA for pair in self.scores.pairs)
        pairs, groups = len(self.scores.pairs), (one for one in self.scores.groups if len(one) > 1)
        return [
            *([say("hints.said.pairs", k=apart, n=pairs, alpha=ALPHA)] if pairs else []),
            *(say("hints.said.alike", names=", ".join(one)) for one in groups),
            say("hints.said.intervals"),
            *(say("hints.said.warning", text=text) for text in self.warnings),
        ]

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        return with_provenance(without_usual_level(encode(self.scores)), self.scores.inputs)

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a leaderboard back, whole."""
        path = holding_folder(Path(folder), cls.FILE) / cls.FILE
        return cls(read_record(HintLeaderboardScores, path, cls.FORMAT))

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        return say("hints.said.method", concord=concord, n=len(self.scores.models), level=self.scores.level)
