"""The result of probing a model's reasoning, and its folder: `write` and `read`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import decode, encode
from concord.files.documents import heading, provenance, read_document
from concord.files.output import frame_of, safe_name, write_csv, write_json
from concord.files.rows import read_rows, write_rows
from concord.reasoning.hints.rows import HintRow
from concord.reasoning.probes.result import ProbeScores
from concord.reasoning.probes.rows import ProbeRow
from concord.records import Estimate, Presented, Provenance

if TYPE_CHECKING:
    import polars as pl

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
            "scores": encode(self.scores),
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
