"""A comparison of models, whatever is compared: what it says, its ranking, its pairs, its files.

`comparison.json` holds bare numbers under the keys of its kind, and the whole record under ``record``, so
that what was read equals what was written; `comparison.csv` holds every pair.
"""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from concord.comparing.gates import Gate, gate_of
from concord.files.codec import encode
from concord.files.documents import heading
from concord.files.output import write_csv, write_json
from concord.kinds import FILE, PAGE, PAPER, TERMINAL, Column, Kind, PictureOf, Table
from concord.number_words import joined_names, leaders
from concord.numeric import check_numbers
from concord.records import Estimate
from concord.stats.equivalence import WithinMargin
from concord.stats.multiple import differs
from concord.words import catalogue, say, sentence_of

MOST_PAIRS = 45
"""All pairs of ten models; of more, the terminal shows neighbours in the ranking only."""
FEW_PAIRS = 6
"""Pairs of four models: so many are shown unasked, with every number behind them."""
MOST_LACKING = 10
"""Pairs that do not share everything, of many models; the files name all of them."""
NOTHING: Mapping[str, Any] = MappingProxyType({})
SHOWN_APART = 0.0005
"""Two numbers are shown beside their difference where they give it to the last digit."""
"""No further keys."""


def metric_name(metric: str) -> str:
    """Return a metric as a reader knows it."""
    known = f"compare.metric.of_{metric}" in catalogue("compare")
    return say(f"compare.metric.of_{metric}") if known else metric


def letters_of(groups: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the letters of the groups that each model belongs to; numbers where letters do not suffice."""
    enough = len(groups) <= len(string.ascii_lowercase)
    marks: dict[str, list[str]] = {}
    for i, group in enumerate(groups):
        for name in group:
            marks.setdefault(name, []).append(string.ascii_lowercase[i] if enough else str(i + 1))
    return {name: ("" if enough else " ").join(found) for name, found in marks.items()}


def margin_document(held: WithinMargin | None) -> dict[str, Any]:
    """Return what JSON says of a margin; nothing where none was given."""
    return {} if held is None else {"within_margin": encode(held)}


def margin_columns(rows: Sequence[Any]) -> list[Column]:
    """Return the columns of a margin in files; none where none was given."""
    if all(row.within is None for row in rows):
        return []
    parts: dict[str, Any] = {
        "margin": lambda held: held.margin,
        "within_margin": lambda held: held.shown,
        "p_margin": lambda held: held.p_value,
        "p_margin_holm": lambda held: held.p_holm,
        "margin_low": lambda held: None if held.interval is None else held.interval.low,
        "margin_high": lambda held: None if held.interval is None else held.interval.high,
    }
    return [Column(name, _of_margin(part), on=(FILE,)) for name, part in parts.items()]


def _of_margin(part: Any) -> Any:
    return lambda row: None if row.within is None else part(row.within)


class RankRow(NamedTuple):
    """A model in the ranking."""

    rank: int | None
    model: str
    value: Estimate
    together: str
    """Letters of the groups of models that it cannot be distinguished from."""
    of: Any
    """The model's own record."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two models and the difference of one metric, first minus second."""

    first: str
    second: str
    metric: str
    difference: Estimate
    p_value: float | None
    p_holm: float | None
    p_bh: float | None
    n_clusters: int | None
    counted: tuple[str, str]
    """What the difference is over, and what of it is independent; the first empty where it is not counted."""
    of: Any
    """The pair's own record."""
    within: WithinMargin | None = None
    note: str = ""
    first_value: float | None = None
    second_value: float | None = None
    test: str = ""
    won: int | None = None
    tied: int | None = None
    lost: int | None = None
    pair: str = ""
    """The pair by the places of its models in the ranking, or by their names."""

    @property
    def names(self) -> str:
        """Both models."""
        return f"{self.first} − {self.second}"

    @property
    def n(self) -> int | None:
        """Items, tests or outcomes that the difference is over."""
        return self.difference.n if self.n_clusters is not None else None

    @property
    def said(self) -> str:
        """The test and what is to be known."""
        return "; ".join(filter(None, (self.test, self.note)))


def _count_columns(rows: Sequence[PairRow]) -> list[Column]:
    """Return what differences are over; independent units only where there are others than these."""
    units, clusters = rows[0].counted if rows else ("", "")
    shown = [Column("n", title=units, count=True)] if units else []
    if not units or any(row.n_clusters != row.n for row in rows):
        shown.append(Column("n_clusters", title=clusters, count=True))
    return shown


_DIFFERENCE = (
    Column("first_value", title="of the first", digits=3, optional=True),
    Column("second_value", title="of the second", digits=3, optional=True),
    Column("difference", digits=3, sign=True),
    Column("p_value", title="p", p=True),
    # of two models alone p-values are what they are
    Column("p_holm", lambda row: row.p_holm if row.pair else None, "Holm", p=True, optional=True,
           on=(TERMINAL, PAPER)),
    Column("p_bh", lambda row: row.p_bh if row.pair else None, "BH", p=True, optional=True,
           on=(TERMINAL, PAPER)),
    Column("p_holm", title="Holm", p=True, on=(PAGE,)),
    Column("p_bh", title="BH", p=True, on=(PAGE,)),
    Column("won", count=True, optional=True),
    Column("tied", count=True, optional=True),
    Column("lost", count=True, optional=True),
)  # fmt: skip
_NOTE = Column("said", title="test or note", words=True, optional=True)

SHOWN_PAIRS = Table(
    "pairs",
    rows=lambda result: result.shown_pairs(),
    title=lambda result: result.pairs_title(),
    on=(TERMINAL, PAPER),
    columns=(
        Column("pair", words=True, optional=True),
        Column("metric", words=True, optional=True),
        *_DIFFERENCE,
    ),
    further=_count_columns,
    note=lambda result: result.said_of_pairs(),
)
EVERY_PAIR = Table(
    "every",
    rows=lambda result: result.every_pair(),
    title="Every pair, first minus second",
    on=(PAGE,),
    folded=True,
    scripted=True,
    columns=(
        Column("first", words=True),
        Column("second", words=True),
        Column("metric", words=True),
        *_DIFFERENCE,
    ),
    further=lambda rows: [*_count_columns(rows), _NOTE],
)
MARGINS = Table(
    "margin",
    rows=lambda result: [row for row in result.shown_pairs() if row.within is not None],
    title="Are differences shown to be smaller than the margin?",
    columns=(
        Column("pair", lambda row: row.names, words=True),
        Column("margin", lambda row: row.within.margin, "margin ±"),
        Column("shown", lambda row: row.within.shown, "shown", words=True),
        Column("interval", lambda row: _margin_estimate(row), "difference", digits=3, sign=True),
        Column("p", lambda row: row.within.p_value, p=True),
        Column("p_holm", lambda row: row.within.p_holm, "Holm", p=True, optional=True),
    ),
    note=lambda _: "Not shown is no claim that models differ.",
)


def _margin_estimate(row: PairRow) -> Estimate:
    """Return the difference with the interval that the margin is held against."""
    held = row.within
    assert held is not None  # noqa: S101 - rows of the table have one
    return replace(row.difference, interval=held.interval, note=held.note)


class Comparison(Kind):
    """Models compared with each other, two by two."""

    __slots__ = ()

    FILE, KEY = "comparison.json", "pairs"
    TABLE: ClassVar[str] = "comparison.csv"
    QUESTION, SECTION = "compare", "comparison"
    HEADING, BARE = "Differences between models", True
    ASKS = "Is the difference real?"
    CITES = ("holm1979",)
    PICTURES: ClassVar[tuple[PictureOf, ...]] = (
        PictureOf("ranking", "plot_standing.ranking_picture", small=True),
        PictureOf("pairs", "plot_standing.pairs_picture"),
    )

    # What a kind of comparison says of itself

    @property
    def level(self) -> float:
        """Nominal coverage of intervals; pairs are distinguishable at 1 minus it."""
        raise NotImplementedError

    @property
    def metric_title(self) -> str:
        """The metric that ranks, as a reader knows it."""
        raise NotImplementedError

    @property
    def ranked(self) -> Sequence[tuple[str, Estimate]]:
        """Models and numbers from the best to the worst; those without a rank are left out."""
        raise NotImplementedError

    @property
    def alike(self) -> Sequence[Sequence[str]]:
        """Groups of models that cannot be distinguished, from best to worst; they may overlap."""
        raise NotImplementedError

    @property
    def lowest_first(self) -> bool:
        """Whether the best model has the lowest number."""
        return False

    def every_pair(self) -> list[PairRow]:
        """Return every pair in every metric."""
        raise NotImplementedError

    def ranking_pairs(self) -> list[PairRow]:
        """Return every pair in the metric that ranks."""
        raise NotImplementedError

    def meaning(self) -> str:
        """Say in plain words what the numbers of two models mean; of more, nothing."""
        raise NotImplementedError

    # What follows from that

    def differ(self, row: PairRow) -> bool:
        """Whether two models can be distinguished at the level, after Holm and by the interval."""
        return differs(row.p_holm, row.difference.interval, level=self.level)

    def shown_pairs(self) -> list[PairRow]:
        """Return the pairs that a reader of the terminal can take in.

        All metrics of two models; the ranking metric of more, of many models those next to each other.
        """
        rows, order = self.ranking_pairs(), [name for name, _ in self.ranked]
        if len(rows) == 1:
            return self.every_pair()
        place = {name: i for i, name in enumerate(order, 1)}
        if len(rows) > MOST_PAIRS and order:
            near = [row for row in rows if abs(place.get(row.first, -9) - place.get(row.second, -9)) == 1]
            rows = sorted(near, key=lambda row: min(place[row.first], place[row.second]))
        return [
            replace(
                row,
                metric="",
                pair=f"{place[row.first]} − {place[row.second]}"
                if row.first in place and row.second in place
                else row.names,
            )
            for row in rows
        ]

    def is_short(self) -> bool:
        """Whether everything is shown unasked."""
        return len(self.ranking_pairs()) <= FEW_PAIRS

    def pairs_title(self) -> str:
        """Return the line above the pairs."""
        rows = self.ranking_pairs()
        if len(rows) == 1:
            return rows[0].names
        if len(rows) > MOST_PAIRS and self.ranked:
            return say("compare.pairs.neighbours", n=len(rows))
        return say("compare.pairs.all", placed=say("compare.pairs.by_places") if self.ranked else None)

    def said_of_pairs(self) -> str:
        """Say what is to be known of differences that have an interval; of others it is said below them."""
        noted: dict[str, list[str]] = {}
        for row in self.shown_pairs():
            if row.note and (row.difference.interval is not None or row.note != row.difference.note):
                noted.setdefault(row.note, []).append(row.metric or row.pair)
        return " ".join(
            say("compare.pairs.noted", names=", ".join(dict.fromkeys(of)), note=note)
            for note, of in noted.items()
        )

    def rank_rows(self, models: Sequence[Any], missing: Any) -> list[RankRow]:
        """Return the models in their order, those without a rank last with the reason."""
        letters, ranked, by_name = letters_of(self.alike), self.ranked, {one.name: one for one in models}
        rows = [
            RankRow(place, name, value, letters.get(name, ""), by_name[name])
            for place, (name, value) in enumerate(ranked, 1)
            if name in by_name
        ]
        rest = [one for one in models if one.name not in {name for name, _ in ranked}]
        return [*rows, *(RankRow(None, one.name, missing(one), "", one) for one in rest)]

    def sentences(self) -> Sequence[str]:
        """Return what the metric that ranks shows, and what the numbers mean."""
        rows = self.ranking_pairs()
        held = [row.within for row in rows if row.within is not None]
        said = [self._said_of_two(rows[0]) if len(rows) == 1 else self._said_of_many(rows), self.meaning()]
        if held and len(rows) > 1:
            shown, margin = sum(one.shown for one in held), f"{held[0].margin:g}"
            said.append(say("compare.pairs.margins", k=shown, n=len(held), margin=margin))
        elif held:
            said.append(margin_words(held[0]))
        return [one for one in said if one]

    def _said_of_many(self, rows: Sequence[PairRow]) -> str:
        tied = leaders([(name, one.value) for name, one in self.ranked])
        n = len({name for row in rows for name in (row.first, row.second)})
        apart = say("compare.many.apart", k=sum(map(self.differ, rows)), n=len(rows))
        if not tied:
            return sentence_of(apart)
        names, one = joined_names(tied), len(tied)
        return say("compare.many.first", names=names, one=one, n=n, metric=self.metric_title, apart=apart)

    def _said_of_two(self, row: PairRow) -> str:
        """Say of two models which is ahead, with both numbers, the one that ranks first before the other."""
        turned = bool(self.ranked) and self.ranked[0][0] == row.second
        first, second = (row.second, row.first) if turned else (row.first, row.second)
        names = {"first": first, "second": second, "metric": self.metric_title}
        found = row.difference.turned() if turned else row.difference
        if found.value is None:
            return say("compare.two.none", **names)
        difference = self._difference_words(found, row.p_value)
        own = dict(self.ranked)
        a, b = (own[name].value if name in own else None for name in (first, second))
        if a is None or b is None or abs(a - b - found.value) > SHOWN_APART:
            a = b = None  # numbers of each on all of its own items would not give the difference
        if not self.differ(row):
            return say("compare.two.alike", **names, a=a, b=b, difference=difference)
        if a is None:
            return say("compare.two.differ", **names, difference=difference)
        if self.by_conclusions:
            return say("compare.two.people", first=first, second=second, a=a, b=b, difference=difference)
        return say("compare.two.ahead", **names, a=a, b=b, difference=difference)

    @property
    def by_conclusions(self) -> bool:
        """Whether the metric that ranks is agreement of conclusions with people."""
        return getattr(self, "metric", "") == "pas"

    def _difference_words(self, found: Estimate, p: float | None) -> str:
        if p is None:
            return say("compare.two.difference_untested", value=found.value)
        if found.interval is None:
            return say("compare.two.difference_bare", value=found.value, p=p)
        return say("compare.two.difference", value=found.value, ends=found.interval, p=p)

    def fail_if_worse(self, *, margin: float | None = None) -> Gate:
        """Return the gate that fails where the first model is shown to be worse than another.

        Parameters
        ----------
        margin
            Drop that is allowed, in the unit of the metric.
        """
        return self._gate("fail_if_worse", margin)

    def fail_unless_as_good(self, *, margin: float) -> Gate:
        """Return the gate that fails unless the first model is shown to be as good as every other.

        Parameters
        ----------
        margin
            Drop that does not matter, in the unit of the metric.
        """
        return self._gate("fail_unless_as_good", margin)

    def _gate(self, rule: str, margin: float | None) -> Gate:
        required = ("margin",) if rule == "fail_unless_as_good" else ()
        drop: float = check_numbers({"margin": margin}, required=required).get("margin", 0.0)
        model, sign = self.who()[0], -1.0 if self.lowest_first else 1.0
        pairs, units = [], ""
        for row in self.ranking_pairs():
            if model in (row.first, row.second):
                first = row.first == model
                better = row.difference.turned(sign if first else -sign)
                pairs.append((row.second if first else row.first, better, row.n_clusters))
                single = row.counted[1] == "clusters" and row.n_clusters == row.n
                units = units if units else row.counted[0 if single else 1]
        told = self.metric_title, units if units else "items"
        return gate_of(rule, model, told, pairs, margin=drop, level=self.level)

    def lacking(self) -> list[PairRow]:
        """Return the pairs of the metric that ranks in which a model lacks what the other has."""
        raise NotImplementedError

    def some_lacking(self) -> list[PairRow]:
        """Return all of them of few models, the first of more."""
        return self.lacking()[: None if self.is_short() else MOST_LACKING]

    def said_of_lacking(self) -> str:
        """Say how many pairs lack something that is not shown."""
        more = len(self.lacking()) - len(self.some_lacking())
        return say("compare.pairs.lacking", n=more, file=self.TABLE) if more else ""

    def ranking_note(self) -> str:
        """Say how letters are read, and in how many pairs something was left out."""
        said = []
        if self.ranked:
            said.append(say("compare.pairs.letters", level=self.level))
        if (lost := len(self.lacking())) and not self.is_short():
            said.append(say("compare.pairs.left_out", k=lost, n=len(self.ranking_pairs())))
        return " ".join(said)

    def who(self) -> Sequence[str]:
        """Return the models."""
        return list(dict.fromkeys(name for row in self.ranking_pairs() for name in (row.first, row.second)))

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        n, alpha = len(self.who()), 1 - self.level
        return say("compare.method.made", n=n, concord=concord, level=self.level, alpha=alpha)

    def write(self, out: str | Path = "results", *, further: Mapping[str, Any] = NOTHING) -> tuple[Path, ...]:
        """Write `comparison.json` and `comparison.csv`.

        Parameters
        ----------
        out
            A folder; it is made.
        further
            Keys that are added to `comparison.json`, such as ``regression``.
        """
        document, table = Path(out) / self.FILE, Path(out) / self.TABLE
        held = next(one for one in self.TABLES if one.file == self.TABLE)
        write_json(document, {**heading(self.FORMAT), **self.document(), **further, "record": encode(self)})
        write_csv(table, *held.file_table(self))
        return document, table


def margin_words(held: WithinMargin) -> str:
    """Say whether a difference was shown to be smaller than a margin."""
    margin = f"{held.margin:g}"
    if held.interval is None:
        return say("compare.margin.unknown", margin=margin, why=held.note)
    key = "shown" if held.shown else "open"
    return say(f"compare.within.{key}", margin=margin, p=held.p_value, ends=held.interval)
