"""What options do to a model's choices, declared once: one document, one file of numbers, one of replies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Self

from concord.files import codec
from concord.files.documents import holding_folder, provenance, read_record
from concord.files.rows import read_rows
from concord.kinds import LEFT_OUT_CELLS, Column, Kind, PictureOf, Table, unread_table
from concord.number_words import interval, number
from concord.reading.records import StoredReading
from concord.reading.stored import readings_beside, written_readings
from concord.records import EMPTY, Estimate, InputFile, LeftOutCell, Told
from concord.structure import NAME
from concord.unread import holds, unread_notes, unread_sentences, withheld
from concord.words import say, sentence_of

CLAIM_LEVEL = 0.05
"""Level of the test behind what is said about places."""


@dataclass(frozen=True, slots=True)
class OptionReply:
    """One reply to a question with options."""

    item: str
    arrangement: str
    answer: str | None
    """The option that was chosen, wherever it was; ``None``: none could be read."""
    place: int | None
    """Where the chosen option was, from 0."""
    right_place: int
    n_options: int
    correct: bool | None
    cluster: str = ""
    """Family of the item, which intervals are then over."""


@dataclass(frozen=True, slots=True)
class OptionScores:
    """What options and formats do to one model's choices."""

    n_items: int
    n_arrangements: int
    n_unread: int
    consistency: Estimate
    """Chance that replies under two arrangements of an item choose the same option."""
    repeat_agreement: Estimate
    """The same for two replies under one arrangement: what would change anyway."""
    flip_excess: Estimate
    """The second minus the first."""
    accuracy_by_place: tuple[Estimate, ...]
    """Share of right answers where the right option is in that place."""
    rstd: Estimate
    """Standard deviation of these accuracies over places."""
    rstd_floor: float | None
    """What it would be without an effect of the place: right answers divided at random over arrangements."""
    rstd_p: float | None
    """Share of such divisions with an RStd at least as large."""
    selection: tuple[Estimate, ...]
    """Share of choices of each place minus an even share, where the right option is in each place alike."""
    places_note: str = ""
    """Why an effect of the place cannot be tested; empty where it can, or where there are no places."""
    unread: Told = field(default=(), metadata=EMPTY)
    """Replies without a choice, by arrangement."""
    rstd_p_unread: float | None = field(default=None, metadata=EMPTY)
    """`rstd_p` if the unread replies made the places as alike as they can."""

    @property
    def sentence(self) -> str:
        """What may be said: each claim only where its own interval or test shows it."""
        excess, said = self.flip_excess, []
        if excess.interval is None:
            said.append(say("options.claim.unknown", why=excess.note))
        elif excess.interval.low > 0 and not holds(excess):
            said.append(withheld(say("options.claim.choices"), excess)[:-1])
        elif excess.interval.low > 0:
            said.append(say("options.claim.change"))
        else:
            said.append(say("options.claim.no_change"))
        if self.places_matter and self.rstd_p_unread is not None and self.rstd_p_unread >= CLAIM_LEVEL:
            said.append(withheld(say("options.claim.place"), self.rstd)[:-1])
        elif self.places_matter:
            said.append(say("options.claim.place"))
        elif self.rstd_p is not None:
            said.append(say("options.claim.no_place"))
        elif self.places_note:
            said.append(say("options.claim.untested", why=self.places_note))
        return sentence_of("; ".join(said))

    @property
    def places_matter(self) -> bool:
        """Whether test and interval say so; the interval counts families of items, the test does not."""
        ends = self.rstd.interval
        return self.rstd_p is not None and self.rstd_p < CLAIM_LEVEL and (ends is None or ends.low > 0)

    def lines(self) -> list[str]:
        """Return the numbers in words, for the end of a run."""
        told = [
            self.sentence,
            say(
                "options.line.numbers",
                arrangements=_spelt(self.consistency),
                repeats=_spelt(self.repeat_agreement),
                excess=_spelt(self.flip_excess),
            ),
        ]
        if self.rstd.value is not None:
            rstd = _spelt(self.rstd)
            told.append(say("options.line.rstd", rstd=rstd, floor=self.rstd_floor, p=self.rstd_p))
            told.append(say("options.line.places", places=", ".join(map(_spelt, self.accuracy_by_place))))
        if self.selection and self.selection[0].value is None:
            told.append(say("options.line.selection_none", first=_spelt(self.selection[0])))
        elif self.selection:
            first, last = _spelt(self.selection[0]), _spelt(self.selection[-1])
            told.append(say("options.line.selection", first=first, last=last))
        return told


def _spelt(found: Estimate) -> str:
    if found.value is None:
        return f"– ({found.note})" if found.note else "–"
    ends = "" if found.interval is None else f" {interval(found.interval, 3)}"
    return f"{number(found.value)}{ends}"


def _each_number(result: "OptionResult") -> Iterator[tuple[str, int | None, Estimate, float | None]]:
    """Return every number: its name, its place where it has one, the number, its p-value where it has one."""
    scores = result.scores
    yield "consistency", None, scores.consistency, None
    yield "repeat_agreement", None, scores.repeat_agreement, None
    yield "flip_excess", None, scores.flip_excess, None
    yield "rstd", None, scores.rstd, scores.rstd_p
    yield "rstd_floor", None, Estimate(scores.rstd_floor), None
    yield from (("accuracy_by_place", i, one, None) for i, one in enumerate(scores.accuracy_by_place, 1))
    yield from (("selection", i, one, None) for i, one in enumerate(scores.selection, 1))


def _each_place(result: "OptionResult") -> Iterator[tuple[int, Estimate, Estimate]]:
    """Return every place with its accuracy and its choices."""
    pairs = zip_longest(result.scores.accuracy_by_place, result.scores.selection, fillvalue=Estimate(None))
    return ((i, *pair) for i, pair in enumerate(pairs, 1))


def _of_scores(name: str, title: str, *, digits: int = 3, count: bool = False, p: bool = False) -> Column:
    return Column(name, lambda row: getattr(row.scores, name), title, digits=digits, count=count, p=p)


_WHAT = Column("model", lambda row: f"{row.model}: {row.arranger}", words=True)

AGREEMENT = Table(
    "agreement",
    rows=lambda result: (result,),
    title="Do choices change with the arrangement?",
    columns=(
        _WHAT,
        _of_scores("consistency", "consistency"),
        _of_scores("repeat_agreement", "repeats agree"),
        _of_scores("flip_excess", "changed by order"),
        _of_scores("n_items", "questions", count=True),
        _of_scores("n_arrangements", "arrangements", count=True),
        _of_scores("n_unread", "unread", count=True),
    ),
)
SPREAD = Table(
    "rstd",
    rows=lambda result: (result,) if result.scores.accuracy_by_place else (),
    title="Does the place of the right option matter?",
    columns=(
        _WHAT,
        _of_scores("rstd", "RStd"),
        _of_scores("rstd_floor", "RStd without places"),
        _of_scores("rstd_p", "p", p=True),
        Column(
            "rstd_p_unread",
            lambda row: row.scores.rstd_p_unread,
            "p, unread evened out",
            p=True,
            optional=True,
        ),
    ),
)
PLACES = Table(
    "places",
    rows=_each_place,
    title="Places of the options",
    columns=(
        Column("place", lambda row: f"place {row[0]}", words=True),
        Column("accuracy", lambda row: row[1], "right answers", digits=3),
        Column("selection", lambda row: row[2], "choices beyond even", digits=3, sign=True),
    ),
)
EACH = Table(
    "numbers",
    rows=_each_number,
    file="options.csv",
    on=(),
    columns=(
        Column("number", lambda row: row[0]),
        Column("place", lambda row: row[1]),
        Column("value", lambda row: row[2], spread={"value": "value", "low": "low", "high": "high"}),
        Column("p", lambda row: row[3]),
        Column("n", lambda row: row[2], spread={"n": "n", "note": "note"}),
    ),
)
REPLIES = Table(
    "replies",
    rows=lambda result: result.replies,
    file="option_replies.csv",
    on=(),
    columns=tuple(Column(one.name) for one in fields(OptionReply)),
)


@dataclass(frozen=True, slots=True, repr=False)
class OptionResult(Kind):
    """What places, names and dress of options do to one model's choices."""

    FORMAT, FILE, KEY = "option result", "options.json", "option_scores"
    QUESTION, SECTION, HEADING = NAME, "options", "Options and formats"
    TABLES = (
        AGREEMENT,
        SPREAD,
        PLACES,
        EACH,
        REPLIES,
        unread_table("options_unread.csv"),
        LEFT_OUT_CELLS,
    )
    PICTURES = (
        PictureOf("accuracy", "structure_plots.places_picture"),
        PictureOf("choices", "structure_plots.choices_picture"),
    )
    UNSHOWN = frozenset({"replies", "readings", "left_out"})  # in files

    model: str
    scores: OptionScores = field(metadata={codec.KEY: "option_scores"})
    items: str = ""
    """What the set of questions is called."""
    arranger: str = ""
    """What was varied."""
    replies: tuple[OptionReply, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    """The table that was scored; empty for a run, whose folder says it."""
    warnings: tuple[str, ...] = ()
    readings: tuple[StoredReading, ...] = ()
    """What was read in answers that are replies; of a run they are beside all its answers."""
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)
    """Cells that could not be read."""

    @property
    def unread(self) -> Told:
        """Replies without a choice."""
        return self.scores.unread

    def sentences(self) -> Sequence[str]:
        """Return what may be said."""
        return [
            *unread_sentences(self.unread),
            say("options.of_model", model=self.model, said=self.scores.sentence),
        ]

    def notes(self) -> Sequence[str]:
        """Return what was asked, and what the numbers are."""
        n, lost = self.scores, self.scores.n_unread
        counts = {"items": n.n_items, "arrangements": n.n_arrangements, "lost": lost if lost else None}
        return [
            say("options.note.asked", model=self.model, arranger=self.arranger, **counts),
            *unread_notes(self.unread),
            say("options.note.measures"),
        ]

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading; replies are in a table of their own."""
        return {
            "model": self.model,
            "items": self.items,
            "arranger": self.arranger,
            "option_scores": codec.encode(self.scores),
            "inputs": codec.encode(self.inputs),
            "warnings": list(self.warnings),
            **({"left_out": codec.encode(self.left_out)} if self.left_out else {}),
            "provenance": provenance(self.inputs),
        }

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a result back, whole."""
        place = holding_folder(Path(folder), cls.FILE)
        found = read_record(cls, place / cls.FILE, cls.FORMAT)
        file = place / REPLIES.file
        replies = read_rows(file, OptionReply) if file.is_file() else ()
        return replace(found, replies=replies, readings=readings_beside(place))

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the files of the result; readings only where answers were read in replies."""
        return (*Kind.write(self, out), *written_readings(Path(out), self.readings))

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        n = len({reply.item for reply in self.replies})
        return say("options.note.method", concord=concord, n=n if n else None, arranger=self.arranger)
