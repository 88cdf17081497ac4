"""What recorded verdicts say about judges, declared once: one document, three files of tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from concord.errors import OptionError
from concord.files.documents import holding_folder, read_record
from concord.kinds import (
    FILE,
    LEFT_OUT_CELLS,
    PAGE,
    Column,
    Kind,
    PictureOf,
    Table,
    unread_table,
    with_provenance,
)
from concord.reading.records import StoredReading
from concord.reading.stored import readings_beside, written_readings
from concord.records import EMPTY, Estimate, InputFile, LeftOutCell, Provenance, Told
from concord.structure import NAME
from concord.unread import unread_notes, unread_sentences
from concord.words import say

Counts = tuple[int, int, int]
"""Votes for answer A, for answer B, ties."""
NONE: Counts = (0, 0, 0)

NUMBERS = {
    "flip_excess": "verdicts that change with the seats, minus those that change anyway",
    "preference": "votes for the first seat minus 1/2",
    "inconsistency": "verdicts that change with the seats",
    "repeat": "verdicts that change between votes of one order",
    "reversal": "winners that change with the seats, ties left out",
    "ties": "ties",
    "longer": "votes for the longer answer, ties left out",
    "length_slope": "log odds of winning per doubling of length",
    "length_slope_human": "the same for people",
    "agreement": "votes that agree with a person",
    "agreement_human": "people who agree with one another",
    "agreement_gap": "the first minus the second, on pairs that several people judged",
    "kappa": "agreement beyond chance",
    "kappa_human": "agreement of people beyond chance",
}
"""Every number of a judge, with the words that a table heads it with."""


@dataclass(frozen=True, slots=True)
class PairVotes:
    """All votes of one judge on one pair of answers."""

    pair: str
    ab: Counts = NONE
    """Votes where answer A was in the first seat."""
    ba: Counts = NONE
    """Votes where answer B was in the first seat."""
    unordered: Counts = NONE
    """Votes whose order was not recorded."""
    unreadable: tuple[int, int, int] = (0, 0, 0)
    """Replies without a verdict: A first, B first, order not recorded."""
    human: Counts = NONE
    """People's verdicts on the pair."""
    length_a: float | None = None
    """Characters of answer A."""
    length_b: float | None = None
    model_a: str = "A"
    model_b: str = "B"
    cluster: str = ""
    """What pairs have in common, such as the question; each its own where it is empty."""
    labelled: bool = field(default=False, metadata=EMPTY)
    """Whether ``human`` is the label of a data set, which no person need have given."""


@dataclass(frozen=True, slots=True)
class ModelWins:
    """How often one model's answers win, both orders alike, ties half."""

    model: str
    rate: Estimate


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """One judge."""

    judge: str
    numbers: dict[str, Estimate]
    """The numbers of `NUMBERS` by name."""
    preference_p: float | None
    """Exact sign test over pairs, or their clusters, that the seats are preferred alike."""
    flips_p: float | None
    """Permutation test that verdicts do not depend on the seats."""
    position: str
    """``first``, ``second`` or ``varying`` where position bias is shown, ``not shown``, ``not tested``;
    ``withheld`` where replies without a verdict could overturn it."""
    wins: tuple[ModelWins, ...]
    pairs: tuple[PairVotes, ...]
    gate: str = ""
    """Why nothing may be concluded; empty where it may."""
    sentence: str = ""
    length_p: float | None = field(default=None, metadata=EMPTY)
    """Of no effect of length: of the slope, or of the share of longer winners where length decides all."""

    @property
    def n_votes(self) -> int:
        """Votes that were read."""
        return sum(sum(pair.ab) + sum(pair.ba) + sum(pair.unordered) for pair in self.pairs)

    @property
    def n_unreadable(self) -> int:
        """Replies without a verdict."""
        return sum(sum(pair.unreadable) for pair in self.pairs)

    @property
    def is_labelled(self) -> bool:
        """Whether what the judge is held against are labels, and no person's verdicts."""
        return any(pair.labelled for pair in self.pairs)

    @property
    def votes_per_order(self) -> tuple[int, int]:
        """Fewest and most votes on a pair in one order."""
        sizes = [sum(votes) for pair in self.pairs for votes in (pair.ab, pair.ba) if sum(votes)]
        return (min(sizes), max(sizes)) if sizes else (0, 0)


def _judge_number(name: str, title: str, *, sign: bool = False) -> Column:
    return Column(name, lambda one: one.numbers[name], title, digits=3, ends=2, sign=sign)


def _each_number(result: "JudgeResult") -> Iterator[tuple[str, str, Estimate, float | None]]:
    """Return every judge, name of a number, number, and p-value where it has a test."""
    for one in result.judges:
        tests = {"preference": one.preference_p, "flip_excess": one.flips_p, "length_slope": one.length_p}
        yield from ((one.judge, name, one.numbers[name], tests.get(name)) for name in NUMBERS)


def _of_pair(name: str, field: str, i: int | None = None) -> Column:
    """Return a column of what a pair holds, or of the i-th of its counts."""

    def get(row: tuple[JudgeScores, PairVotes]) -> object:
        value: object = getattr(row[1], field)
        return value[i] if i is not None and isinstance(value, tuple) else value

    return Column(name, get)


SEATS = Table(
    "seats",
    rows=lambda result: result.ranked(),
    title="Do verdicts depend on the seats?",
    columns=(
        Column("judge", words=True),
        _judge_number("flip_excess", "changed by seats"),
        Column("flips_p", title="p", p=True, optional=True),
        _judge_number("preference", "preference", sign=True),
        Column("preference_p", title="p", p=True),
        _judge_number("inconsistency", "inconsistency"),
        _judge_number("repeat", "repeats"),
    ),
)
LENGTH = Table(
    "length",
    rows=lambda result: result.ranked(),
    title="Ties, and length of answers",
    columns=(
        Column("judge", words=True),
        _judge_number("ties", "ties"),
        _judge_number("reversal", "winner changes"),
        _judge_number("longer", "longer wins"),
        _judge_number("length_slope", "log odds"),
        Column("length_p", title="p", p=True),
        _judge_number("length_slope_human", "people's"),
    ),
)
AGREEMENT = Table(
    "agreement",
    rows=lambda result: result.ranked(),
    title=lambda result: (
        "Agreement with labels" if any(one.is_labelled for one in result.judges) else "Agreement with people"
    ),
    columns=(
        Column("judge", words=True),
        _judge_number("agreement", "agreement"),
        _judge_number("kappa", "kappa"),
        _judge_number("agreement_human", "between people"),
        _judge_number("kappa_human", "their kappa"),
        _judge_number("agreement_gap", "gap", sign=True),
    ),
)
EACH = Table(
    "numbers",
    rows=_each_number,
    title="Every number",
    file="judge.csv",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("judge", lambda row: row[0], words=True),
        Column("number", lambda row: row[1], on=(FILE,)),
        Column("number", lambda row: NUMBERS[row[1]], words=True, on=(PAGE,)),
        Column(
            "value", lambda row: row[2], digits=3, spread={"value": "value", "low": "low", "high": "high"}
        ),
        Column("p", lambda row: row[3], p=True),
        Column("n", lambda row: row[2].n, count=True),
        Column("n_left_out", lambda row: row[2].n_left_out, "left out", count=True),
        Column("note", lambda row: row[2].note, on=(FILE,)),
    ),
)
WINS = Table(
    "wins",
    rows=lambda result: ((one, wins) for one in result.judges for wins in one.wins),
    title=lambda _: say("judges.note.wins"),
    file="judge_wins.csv",
    columns=(
        Column("judge", lambda row: row[0].judge, words=True),
        Column("model", lambda row: row[1].model, words=True),
        Column(
            "win_rate",
            lambda row: row[1].rate,
            digits=3,
            ends=2,
            spread={"win_rate": "value", "low": "low", "high": "high"},
        ),
        Column("n", lambda row: row[1].rate.n, "pairs", count=True),
        Column("note", lambda row: row[1].rate.note, on=(FILE,)),
    ),
)
PAIRS = Table(
    "pairs",
    rows=lambda result: ((one, pair) for one in result.judges for pair in one.pairs),
    file="judge_pairs.csv",
    on=(),
    columns=(
        Column("judge", lambda row: row[0].judge),
        *(_of_pair(name, name) for name in ("pair", "cluster", "model_a", "model_b", "length_a", "length_b")),
        *(
            _of_pair(f"{order}_{verdict}", order, i)
            for order in ("ab", "ba", "unordered", "human")
            for i, verdict in enumerate(("a", "b", "tie"))
        ),
        _of_pair("labelled", "labelled"),
        *(
            _of_pair(f"unreadable_{order}", "unreadable", i)
            for i, order in enumerate(("ab", "ba", "unordered"))
        ),
    ),
)


_MOST_TOLD = 12
"""Judges of whom each has a sentence of its own."""


@dataclass(frozen=True, slots=True, repr=False)
class JudgeResult(Kind):
    """What recorded verdicts say about one or more judges."""

    FORMAT, FILE, KEY = "judge result", "judge.json", "judges"
    QUESTION, SECTION, HEADING = NAME, "judges", "Judges"
    TABLES = (
        SEATS,
        LENGTH,
        AGREEMENT,
        EACH,
        WINS,
        PAIRS,
        unread_table("judge_unread.csv"),
        LEFT_OUT_CELLS,
    )
    PICTURES = (
        PictureOf("seats", "structure_plots.judge_picture"),
        PictureOf("preference", "structure_plots.preference_picture"),
    )
    CITES = ("holm1979",)
    UNSHOWN = frozenset({"pairs", "n_permutations", "readings", "left_out"})  # in files

    judges: tuple[JudgeScores, ...]
    """By name."""
    level: float = 0.95
    n_permutations: int = 9999
    seed: int = 0
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    made: Provenance | None = None
    """How the verdicts were made, where a run says so."""
    unread: Told = field(default=(), metadata=EMPTY)
    """Replies without a verdict, by order."""
    readings: tuple[StoredReading, ...] = ()
    """What was read in verdicts that are replies."""
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)
    """Cells that could not be read."""

    def judge(self, name: str | None = None) -> JudgeScores:
        """Return one judge, the only one by default."""
        names = self.who()
        if name is None and len(names) == 1:
            return self.judges[0]
        if name not in names:
            raise OptionError(f"judge {name!r} is not one of {', '.join(map(repr, names))}")
        return self.judges[names.index(name)]

    def who(self) -> list[str]:
        """Return the judges."""
        return [one.judge for one in self.judges]

    def sentences(self) -> Sequence[str]:
        """Return who depends least on the seats and who most, and what may be said of each judge."""
        lead = self._lead()
        many = len(self.judges) > _MOST_TOLD
        rest = [self._of_many()] if many else [one.sentence for one in self.ranked()]
        return [*unread_sentences(self.unread), *([lead] if lead else []), *rest]

    def _of_many(self) -> str:
        """Count what is shown of many judges, each of whom is in the table."""
        held = Counter(one.position for one in self.judges)
        shown = {name: held.pop(name, 0) for name in ("first", "second", "varying")}
        counts = {name: n if n else None for name, n in (*shown.items(), ("rest", held.total()))}
        return say("judges.seats.many", n=len(self.judges), **counts)

    @property
    def ranks_by(self) -> str:
        """What ranks judges: flip excess, or inconsistency where some were asked once in each order."""
        known = all(one.numbers["flip_excess"].value is not None for one in self.judges if not one.gate)
        return "flip_excess" if known else "inconsistency"

    def ranked(self) -> list[JudgeScores]:
        """Return the judges, first those whose verdicts change least with the seats; unranked ones last."""
        by = self.ranks_by

        def least_first(one: JudgeScores) -> tuple[bool, float]:
            value = None if one.gate else one.numbers[by].value
            return value is None, 0.0 if value is None else value

        return sorted(self.judges, key=least_first)

    def _lead(self) -> str:
        """Name the best and the worst of several judges, in shares of pairs of votes."""
        by = self.ranks_by
        known = [one for one in self.ranked() if not one.gate and one.numbers[by].value is not None]
        if len(known) < 2:
            return ""
        best, worst = known[0], known[-1]
        return say(
            "judges.seats.lead",
            n=len(known),
            best=best.judge,
            best_share=best.numbers[by],
            worst=worst.judge,
            worst_share=worst.numbers[by],
            beyond=by == "flip_excess",
        )

    def notes(self) -> Sequence[str]:
        """Return how many votes each judge gave, and what the numbers are."""
        return [
            *_counted_votes(self.judges),
            *unread_notes(self.unread),
            say("judges.note.measures", level=self.level, judges=len(self.judges)),
        ]

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        held = Kind.document(replace(self, readings=()))
        del held["readings"]
        return with_provenance(held, self.inputs)

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the files of the result; readings only where verdicts were read in replies."""
        return (*Kind.write(self, out), *written_readings(Path(out), self.readings))

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a result back, whole."""
        place = holding_folder(Path(folder), cls.FILE)
        found = read_record(cls, place / cls.FILE, cls.FORMAT)
        return replace(found, readings=readings_beside(place))

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        pairs = max((len(one.pairs) for one in self.judges), default=0)
        counts = {"judges": len(self.judges), "pairs": pairs, "times": self.n_permutations, "seed": self.seed}
        return say("judges.method.pairs", concord=concord, level=self.level, **counts)


def _counted_votes(judges: Sequence[JudgeScores]) -> list[str]:
    """Say how many votes were given; judges with as many are named together."""
    alike: dict[tuple[object, ...], list[str]] = {}
    for one in judges:
        counts = (len(one.pairs), one.n_votes, *one.votes_per_order, one.n_unreadable)
        alike.setdefault(counts, []).append(one.judge)
    return [
        say(
            "judges.note.counted",
            judge=", ".join(names),
            pairs=pairs,
            votes=votes,
            per_order=str(low) if low == high else f"{low} to {high}",
            lost=lost if lost else None,
        )
        for (pairs, votes, low, high, lost), names in alike.items()
    ]
