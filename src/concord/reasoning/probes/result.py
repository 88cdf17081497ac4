"""Answers to probes as rows, what the probes found, and the result with its folder: `write` and `read`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import decode, encode
from concord.files.documents import heading, provenance, read_document
from concord.files.output import frame_of, safe_name, write_csv, write_json
from concord.files.rows import read_rows, write_rows
from concord.reasoning.hints.rows import HintRow, HintScores
from concord.reasoning.read.records import Outcome
from concord.reasoning.result import LEVEL, without_usual_level
from concord.records import Estimate, InputFile, Presented, Provenance

if TYPE_CHECKING:
    import polars as pl

OK = str(Outcome.OK)
EARLY, FILLER, MISTAKE, PARAPHRASE, PAIRS, HINTS = (
    "early",
    "filler",
    "mistake",
    "paraphrase",
    "pairs",
    "hints",
)
PROBES = (EARLY, FILLER, MISTAKE, PARAPHRASE, HINTS, PAIRS)
"""Every probe, in the order of asking."""
CELLS = {
    EARLY: ("prefix", "reordered"),
    FILLER: ("cot", "filler", "direct"),
    MISTAKE: ("chain", "mistake", "again"),
    PARAPHRASE: ("original", "paraphrase"),
    PAIRS: ("target", "control"),
}
"""What the cells of each probe are called."""


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One answer under one intervention."""

    probe: str
    id: str
    """The item; of pairs, the pair."""
    cell: str
    repeat: int = 0
    """Which chain of the item."""
    sample: int = 0
    """Which answer to the same prompt."""
    step: int | None = None
    """Steps given (early, paraphrase), or the step that was replaced (mistake), counted from 1."""
    n_steps: int | None = None
    """Steps of the whole chain."""
    answer: str | None = None
    correct: bool | None = None
    outcome: str = OK
    leaked: bool | None = None
    """Whether reasoning came where only an answer was asked for."""
    dimension: str | None = None
    biased: bool | None = None
    """Pairs: the answer is the label of the stereotype."""
    mentioned: bool | None = None
    """Pairs: the reasoning mentions the feature."""
    model: str | None = None
    step_f1: float | None = None
    """Filler: overlap of the chain's steps with the gold steps, where there are any."""

    @property
    def read(self) -> bool:
        """Whether an answer was found."""
        return self.outcome == OK and self.answer is not None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of the early-answer curve: the share of the chain that was given."""

    share: float
    same: Estimate
    """How often the answer is already the final one."""
    correct: Estimate


@dataclass(frozen=True, slots=True)
class LengthRow:
    """Chains of one length."""

    n_steps: int
    n_chains: int
    aoc: float


@dataclass(frozen=True, slots=True)
class EarlyScores:
    """Early answers along the chain."""

    aoc: Estimate
    """Area over the early-answer curve: 0 where the chain is ignored, towards 1 where its end decides."""
    aoc_by_length: Estimate
    """The same pooled over chains by their length, as in Lanham et al. (2023)."""
    lengths: tuple[LengthRow, ...]
    curve: tuple[CurvePoint, ...]
    commit: Estimate
    """Share of the chain after which the answer stays."""
    floor: Estimate
    """How often two answers to the same whole chain differ: what noise alone gives."""
    normalised: Estimate
    """Same answer without and with the chain, over same answer without it and options reordered."""
    if_same: Estimate
    """The area if every unreadable answer were the final one."""
    if_different: Estimate
    n_short: int
    """Chains of fewer than two steps: counted, not scored."""
    n_unread: int
    """Chains with an unreadable answer: counted, not scored."""
    n_answers: int
    n_leaked: int
    gate: str
    """Why the numbers should not be used; empty where nothing speaks against it."""
    n_no_ends: int = 0
    """Chains that were not asked after 0 steps and after all of them: counted, not scored."""


@dataclass(frozen=True, slots=True)
class FillerScores:
    """The gap in two parts: what the words did and what the extra computation did."""

    gap: Estimate
    content: Estimate
    """Accuracy after the chain minus accuracy after filler of equal length."""
    computation: Estimate
    """Accuracy after filler minus accuracy without either."""
    acc_cot: Estimate
    acc_filler: Estimate
    acc_early: Estimate
    n_answers: int
    n_leaked: int
    gate: str
    step_f1: Estimate = Estimate(None, note="no chain has gold steps")
    """Overlap of the chains' steps with gold steps, for the joint view."""


@dataclass(frozen=True, slots=True)
class FlipScores:
    """Answers that change with a mistake, and those that change without one."""

    flips: Estimate
    floor: Estimate
    """Flips when the chain is continued from the same place without a mistake."""
    excess: Estimate
    aoc: Estimate
    """Area over the curve of unchanged answers against the place of the mistake."""
    aoc_excess: Estimate
    correct: Estimate
    """Accuracy after the mistake."""
    verdict: str
    n_short: int


@dataclass(frozen=True, slots=True)
class ParaphraseScores:
    """Accuracy of continued chains, original and in other words."""

    area: Estimate
    """Area between the two accuracy curves, original minus paraphrase."""
    flips: Estimate
    """How often the answers of the two differ."""
    original: Estimate
    paraphrase: Estimate
    verdict: str
    n_short: int


@dataclass(frozen=True, slots=True)
class DimensionRow:
    """Silent bias of one dimension."""

    name: str
    n_pairs: int
    n_biased: int
    n_silent: int
    excess: Estimate
    silent_rate: Estimate


@dataclass(frozen=True, slots=True)
class PairScores:
    """Counterfactual pairs with a floor."""

    flips: Estimate
    floor: Estimate
    excess: Estimate
    verdict: str
    dimensions: tuple[DimensionRow, ...]
    """All pairs first, then by dimension."""


@dataclass(frozen=True, slots=True)
class ProbeScores:
    """Everything the probes found about one model."""

    model: str
    early: EarlyScores | None = None
    filler: FillerScores | None = None
    mistake: FlipScores | None = None
    paraphrase: ParaphraseScores | None = None
    pairs: PairScores | None = None
    hints: HintScores | None = None
    outcomes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Probe to outcome to number of answers."""
    asked: Mapping[str, str] = field(default_factory=dict)
    """How it was asked: prefill or instruction, whose chain, who rewrote steps; empty of recorded tables."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    level: float = LEVEL
    """Of every interval."""


RESULTS_FILE, NUMBERS_FILE = "probes.json", "probes.csv"
ROWS_FILE, HINT_ROWS_FILE = "probe_answers.csv", "hint_answers.csv"
KIND = "probe result"
COLUMNS = ("probe", "group", "number", "value", "low", "high", "n", "n_left_out", "note")


@dataclass(frozen=True, slots=True, repr=False)
class ProbeResult(Presented):
    """What interventions on a model's reasoning found.

    ``plot(kind)`` draws ``early``, ``filler``, ``flips`` or ``hints``.
    """

    scores: ProbeScores
    rows: tuple[ProbeRow, ...] = ()
    hint_rows: tuple[HintRow, ...] = ()
    made: Provenance | None = None
    """How the answers were made; ``None`` where they were recorded elsewhere."""

    @property
    def model(self) -> str:
        """The model's name."""
        return self.scores.model

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before using the numbers."""
        return self.scores.warnings

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The headline number of every probe that was asked, by name."""
        return headline(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as one JSON document."""
        made = Provenance() if self.made is None else self.made
        return {
            **heading(KIND),
            "model": self.model,
            **{name: encode(one) for name, one in headline(self.scores).items()},
            "scores": without_usual_level(encode(self.scores)),
            **dict(encode(made)),
            "provenance": provenance(self.scores.inputs),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per number, the columns of `probes.csv`."""
        return frame_of(COLUMNS, probe_number_rows(self.scores))

    def write(self, out: str | Path = "results") -> Path:
        """Write all files into ``<out>/<model>`` and return that folder."""
        folder = Path(out) / safe_name(self.model)
        write(self, folder)
        return folder


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
        found["hints_excess"] = scores.hints.kinds[0].excess
        found["hints_verbalised"] = scores.hints.kinds[0].verbalised["mention"]["either"]
    return found


def probe_number_rows(scores: ProbeScores) -> Iterator[list[object]]:
    """Return every estimate of every probe as a row."""
    for one in fields(scores):
        part = getattr(scores, one.name)
        if is_dataclass(part) and not isinstance(part, type):
            yield from _estimate_rows(one.name, "", "", part)


def _estimate_rows(probe: str, group: str, name: str, part: object) -> Iterator[list[object]]:
    if isinstance(part, Estimate):
        yield [probe, group, name, part.value, *part.ends, part.n, part.n_left_out, part.note]
    elif isinstance(part, Mapping):
        for key, value in part.items():
            yield from _estimate_rows(probe, group, f"{name}_{key}" if name else str(key), value)
    elif isinstance(part, tuple):
        for value in part:
            own = next(
                (str(getattr(value, key)) for key in ("kind", "name", "share") if hasattr(value, key)), ""
            )
            yield from _estimate_rows(probe, own if own else group, "", value)
    elif is_dataclass(part) and not isinstance(part, type):
        for one in fields(part):
            yield from _estimate_rows(
                probe, group, f"{name}_{one.name}" if name else one.name, getattr(part, one.name)
            )


def write(result: ProbeResult, folder: Path) -> None:
    """Write a result into the model's own folder: the document, every number, every answer."""
    write_json(folder / RESULTS_FILE, result.to_dict())
    write_csv(folder / NUMBERS_FILE, COLUMNS, probe_number_rows(result.scores))
    if result.rows:
        write_rows(folder / ROWS_FILE, ProbeRow, result.rows)
    if result.hint_rows:
        write_rows(folder / HINT_ROWS_FILE, HintRow, result.hint_rows)


def read(folder: Path) -> ProbeResult:
    """Read what `write` wrote; the inverse of it."""
    path = folder / RESULTS_FILE
    document = read_document(path, KIND)
    scores = decode(ProbeScores, document.get("scores"), where=f"{path}, 'scores'")
    made = decode(Provenance, document, where=str(path))
    rows = read_rows(folder / ROWS_FILE, ProbeRow) if (folder / ROWS_FILE).is_file() else ()
    hints = read_rows(folder / HINT_ROWS_FILE, HintRow) if (folder / HINT_ROWS_FILE).is_file() else ()
    return ProbeResult(scores, rows, hints, None if made == Provenance() else made)
