"""The result of probes, declared once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from concord.files.codec import decode, encode
from concord.files.documents import holding_folder, read_document
from concord.files.output import safe_name, write_json
from concord.files.rows import read_rows, write_rows
from concord.kinds import LEFT_OUT_CELLS, PAGE, Column, Kind, PictureOf, Table, unread_table, with_provenance
from concord.reading.records import StoredReading
from concord.reading.stored import readings_beside, written_readings
from concord.reasoning import NAME
from concord.reasoning.hints.rows import HintRow
from concord.reasoning.probes.records import CELLS, ProbeRow, ProbeScores
from concord.reasoning.result import LINE, without_usual_level
from concord.records import Estimate, LeftOutCell, Provenance, Told
from concord.stats.unread import READ, count_unread, told
from concord.unread import unread_notes, unread_sentences
from concord.words import say

WEAK = 0.5
"""Step-F1 below which content is called weak, where the whole interval lies there."""


def joint_words(gap: Estimate, step_f1: Estimate) -> str:
    """Name the quadrant of gap and content, from their intervals only."""
    if gap.interval is None or step_f1.interval is None:
        return say("hints.probe.content_open")
    large = gap.interval.low > LINE or None if gap.interval.high > LINE else False
    weak = step_f1.interval.high < WEAK or None if step_f1.interval.low < WEAK else False
    if large is None or weak is None:
        return say("hints.probe.content_open")
    return say("hints.probe.content", large=large, weak=weak)


class ProbeNumber(NamedTuple):
    """One number of a probe as a row of the file."""

    probe: str
    group: str
    number: str
    found: Estimate


class NamedNumber(NamedTuple):
    """One number of a probe under the words that head it."""

    name: str
    found: Estimate
    signed: bool = False


def probe_numbers(result: "ProbeResult") -> Iterator[ProbeNumber]:
    """Return every estimate of every probe."""
    for one in fields(result.scores):
        part = getattr(result.scores, one.name)
        if is_dataclass(part) and not isinstance(part, type):
            yield from _numbers_of(one.name, "", "", part)


def _numbers_of(probe: str, group: str, name: str, part: object) -> Iterator[ProbeNumber]:
    if isinstance(part, Estimate):
        yield ProbeNumber(probe, group, name, part)
    elif isinstance(part, Mapping):
        for key, value in part.items():
            yield from _numbers_of(probe, group, f"{name}_{key}" if name else str(key), value)
    elif isinstance(part, tuple):
        for value in part:
            own = next(
                (str(getattr(value, key)) for key in ("kind", "name", "share") if hasattr(value, key)), ""
            )
            yield from _numbers_of(probe, own if own else group, "", value)
    elif is_dataclass(part) and not isinstance(part, type):
        for one in fields(part):
            inner = f"{name}_{one.name}" if name else one.name
            yield from _numbers_of(probe, group, inner, getattr(part, one.name))


def named_numbers(result: "ProbeResult") -> Iterator[NamedNumber]:
    """Return the numbers of every probe with the words that head them; hints have a table of their own."""
    scores = result.scores
    if (early := scores.early) is not None:
        yield NamedNumber("early: area over the curve", early.aoc)
        yield NamedNumber("early: the same, pooled by length", early.aoc_by_length)
        yield NamedNumber("early: share of the chain until the answer stays", early.commit)
        yield NamedNumber("early: floor, two answers to the whole chain differ", early.floor)
        if early.normalised.value is not None:
            yield NamedNumber("early: same answer, over answers that survive reordering", early.normalised)
    if (filler := scores.filler) is not None:
        yield NamedNumber("filler: gap", filler.gap, True)
        yield NamedNumber("filler: what the words did", filler.content, True)
        yield NamedNumber("filler: what the extra computation did", filler.computation, True)
    if (mistake := scores.mistake) is not None:
        yield NamedNumber("mistake: answers that change", mistake.flips)
        yield NamedNumber("mistake: floor, continued without a mistake", mistake.floor)
        yield NamedNumber("mistake: excess", mistake.excess, True)
    if (other := scores.paraphrase) is not None:
        yield NamedNumber("paraphrase: accuracy, own minus other words", other.area, True)
        yield NamedNumber("paraphrase: answers that differ", other.flips)
    if (pairs := scores.pairs) is not None:
        yield NamedNumber("pairs: answers that differ between target and control", pairs.flips)
        yield NamedNumber("pairs: floor, two samples of one prompt", pairs.floor)
        yield NamedNumber("pairs: excess", pairs.excess, True)


def _held_note(row: NamedNumber) -> str:
    """Return how well an interval holds; what lacks one says why below the table."""
    return "" if row.found.interval is None else row.found.note


NAMED = Table(
    "probes",
    rows=named_numbers,
    title=lambda result: f"Interventions on the reasoning of {result.model}",
    columns=(
        Column("name", title="number", words=True),
        Column("found", title="value", digits=3, signed=lambda row: row.signed),
        Column("n", lambda row: row.found.n, count=True),
        Column("left out", lambda row: row.found.n_left_out, count=True),
        Column("note", _held_note, words=True, optional=True),
    ),
)
HINT_KINDS = Table(
    "hints",
    rows=lambda result: () if result.scores.hints is None else result.scores.hints.kinds,
    title="Hints: answers moved, and those that say so",
    columns=(
        Column("hint", lambda row: row.kind.replace("_", " "), words=True),
        Column("moved", lambda row: row.influence),
        Column("floor"),
        Column("excess", sign=True),
        Column("thinking", lambda row: row.verbalised["mention"]["thinking"]),
        Column("answer", lambda row: row.verbalised["mention"]["answer"]),
        Column("relied", lambda row: row.verbalised["reliance"]["either"]),
        Column("v_norm", title="V_norm"),
        Column("verdict", words=True, on=(PAGE,)),
    ),
)
DIMENSIONS = Table(
    "dimensions",
    rows=lambda result: () if result.scores.pairs is None else result.scores.pairs.dimensions,
    title="Pairs by dimension",
    columns=(
        Column("name", title="dimension", words=True),
        Column("n_pairs", title="pairs", count=True),
        Column("excess", sign=True),
        Column("n_biased", title="biased", count=True),
        Column("silent_rate", title="silent"),
    ),
)
NUMBERS = Table(
    "numbers",
    rows=probe_numbers,
    file="probes.csv",
    on=(),
    columns=(
        Column("probe"),
        Column("group"),
        Column("number"),
        Column(
            "found",
            spread={part: part for part in ("value", "low", "high", "n", "n_left_out", "note")},
        ),
    ),
)
UNREAD = unread_table("probes_unread.csv")
ROWS_FILE, HINT_ROWS_FILE = "probe_answers.csv", "hint_answers.csv"


@dataclass(frozen=True, slots=True, repr=False)
class ProbeResult(Kind):
    """What interventions on a model's reasoning found.

    ``plot(kind)`` draws ``early``, ``filler``, ``flips``, ``hints`` or ``joint``.
    """

    FORMAT, FILE, KEY = "probe result", "probes.json", "scores"
    QUESTION, SECTION, HEADING = NAME, "probes", "Interventions on reasoning"
    TABLES = (NAMED, HINT_KINDS, DIMENSIONS, NUMBERS, UNREAD, LEFT_OUT_CELLS)
    PICTURES = (
        PictureOf("early", "reasoning_plots.curve_picture", small=True),
        PictureOf("filler", "reasoning_plots.filler_picture", shared=True),
        PictureOf("flips", "reasoning_plots.flips_picture", shared=True),
        PictureOf("hints", "reasoning_plots.hints_picture"),
        PictureOf("joint", "reasoning_plots.joint_picture", shared=True),
    )
    UNSHOWN = frozenset({"rows", "hint_rows", "made", "readings", "scores.left_out"})  # in files of their own

    scores: ProbeScores
    rows: tuple[ProbeRow, ...] = ()
    hint_rows: tuple[HintRow, ...] = ()
    made: Provenance | None = None
    """How the answers were made; ``None`` where they were recorded elsewhere."""
    readings: tuple[StoredReading, ...] = ()
    """What was read in each reply of a run."""

    @property
    def model(self) -> str:
        """The model's name."""
        return self.scores.model

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before using the numbers."""
        return self.scores.warnings

    @property
    def left_out(self) -> tuple[LeftOutCell, ...]:
        """Cells that could not be read."""
        return self.scores.left_out

    @property
    def level(self) -> float:
        """Of every interval."""
        return self.scores.level

    @property
    def unread(self) -> Told:
        """Answers that could not be read, by hint and by what was done to the chain."""
        probed: dict[str, tuple[list[str], ...]] = {probe: ([], [], []) for probe in CELLS}
        for row in (row for row in self.rows if row.probe in probed):
            why = READ if row.read else row.outcome if row.outcome != READ else "no answer found"
            for column, cell in zip(probed[row.probe], (why, row.cell, row.id), strict=True):
                column.append(cell)
        by_cell = told(
            count_unread(outcomes, cells, by="intervention", what=probe, units=items)
            for probe, (outcomes, cells, items) in probed.items()
            if outcomes
        )
        return by_cell if self.scores.hints is None else (*self.scores.hints.unread, *by_cell)

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The headline number of every probe that was asked, by name."""
        return headline(self.scores)

    def sentences(self) -> Sequence[str]:
        """Return what the probes found, gates first."""
        said = [
            say("hints.probe.of_model", model=self.model, line=line) for line in probe_claims(self.scores)
        ]
        claims = said if said else [say("hints.probe.none", model=self.model)]
        return [*unread_sentences(self.unread), *claims]

    def notes(self) -> Sequence[str]:
        """Return what could be read, how it was asked, and what limits the numbers."""
        told = (say("hints.said.warning", text=text) for text in self.warnings)
        return [*_what_was_read(self.scores), *unread_notes(self.unread), *told]

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        made = Provenance() if self.made is None else self.made
        held = {
            "model": self.model,
            **{name: encode(one) for name, one in headline(self.scores).items()},
            "scores": without_usual_level(encode(self.scores)),
            **dict(encode(made)),
        }
        return with_provenance(held, self.scores.inputs)

    def write(self, out: str | Path = "results") -> Path:  # type: ignore[override]
        """Write all files into ``<out>/<model>`` and return that folder."""
        folder = Path(out) / safe_name(self.model)
        write_json(folder / self.FILE, self.to_dict())
        self.write_tables(folder)
        if self.rows:
            write_rows(folder / ROWS_FILE, ProbeRow, self.rows)
        if self.hint_rows:
            write_rows(folder / HINT_ROWS_FILE, HintRow, self.hint_rows)
        written_readings(folder, self.readings)
        return folder

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a result back from the model's own folder, whole."""
        place = holding_folder(Path(folder), cls.FILE)
        path = place / cls.FILE
        document = read_document(path, cls.FORMAT)
        scores = decode(ProbeScores, document.get("scores"), where=f"{path}, 'scores'")
        made = decode(Provenance, document, where=str(path))
        rows = read_rows(place / ROWS_FILE, ProbeRow) if (place / ROWS_FILE).is_file() else ()
        hints = read_rows(place / HINT_ROWS_FILE, HintRow) if (place / HINT_ROWS_FILE).is_file() else ()
        known = None if made == Provenance() else made
        return cls(scores, rows, hints, known, readings_beside(place))

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        made = [say(f"hints.asked.{name}") for name in _ASKED if getattr(self.scores, name) is not None]
        asked = "; ".join(made) if made else say("hints.probe.nothing_read")
        return say("hints.probe.method", concord=concord, asked=asked, level=self.scores.level)


_ASKED = ("early", "filler", "mistake", "paraphrase", "pairs", "hints")


def headline(scores: ProbeScores) -> dict[str, Estimate]:
    """Return the number that stands for each probe."""
    found: dict[str, Estimate] = {}
    if scores.early is not None:
        found["early_aoc"] = scores.early.aoc
    if scores.filler is not None:
        found["filler_content"] = scores.filler.content
        found["filler_computation"] = scores.filler.computation
    if scores.mistake is not None:
        found["mistake_excess"] = scores.mistake.excess
    if scores.paraphrase is not None:
        found["paraphrase_area"] = scores.paraphrase.area
    if scores.pairs is not None:
        found["pairs_excess"] = scores.pairs.excess
    if scores.hints is not None:
        kind = scores.hints.kinds[0]
        once = kind.excess.value is None and kind.influence.value is not None  # no noise floor: asked once
        found |= {"hints_moved": kind.influence} if once else {"hints_excess": kind.excess}
        found["hints_verbalised"] = scores.hints.kinds[0].verbalised["mention"]["either"]
    return found


def probe_claims(scores: ProbeScores) -> Iterator[str]:
    """Return what the probes found, a sentence each, gates first."""
    # The curve of early answers has no verdict of its own: its area is said.
    early, hints = scores.early, scores.hints
    for asked in (early, scores.filler):
        if asked is not None and asked.gate:
            yield say("hints.probe.gated", why=asked.gate)
    if early is not None and early.aoc.value is not None and not early.gate:
        yield say("hints.probe.early", area=early.aoc)
    if scores.mistake is not None:
        verdict = _claim(scores.mistake.verdict, scores.mistake.excess)
        yield say("hints.probe.mistake", verdict=verdict)
    if scores.pairs is not None:
        yield say("hints.probe.pairs", verdict=_claim(scores.pairs.verdict, scores.pairs.excess))
    if scores.paraphrase is not None:
        verdict = _claim(scores.paraphrase.verdict, scores.paraphrase.area)
        yield say("hints.probe.paraphrase", verdict=verdict)
    if hints is not None:
        found = hints.kinds[0]
        if found.excess.value is None and found.influence.value is not None:
            yield say("hints.probe.hints_once", share=found.influence)
        else:
            yield say("hints.probe.hints", verdict=_claim(found.verdict, found.excess))


def _claim(verdict: str, excess: Estimate) -> str:
    """Return what is said of a probe; where nothing can be, why."""
    if excess.value is not None:
        return verdict
    needs = excess.note.startswith("needs")
    return say("hints.probe.needs" if needs else "hints.probe.unknown", why=excess.note)


def _what_was_read(scores: ProbeScores) -> Iterator[str]:
    """Return what could be read and how it was asked, in words."""
    if (early := scores.early) is not None:
        areas = {"same": early.if_same.value, "different": early.if_different.value}
        if early.n_short or early.n_unread:
            yield say("hints.probe.short", short=early.n_short, unread=early.n_unread, **areas)
        if early.n_no_ends:
            yield say("hints.probe.no_ends", n=early.n_no_ends)
    if scores.hints is not None:
        how = scores.hints.detector
        yield say("hints.probe.detector", detector=how, given=how == "given")
    if scores.outcomes:
        parts = (
            f"{probe} ({', '.join(f'{n:,} {name}' for name, n in outcomes.items())})"
            for probe, outcomes in scores.outcomes.items()
        )
        yield say("hints.probe.outcomes", named="; ".join(parts))
    if scores.asked:
        named = ", ".join(f"{name} {value}" for name, value in scores.asked.items())
        yield say("hints.probe.asked", named=named)
