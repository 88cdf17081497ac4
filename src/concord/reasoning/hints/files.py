"""A leaderboard of hints as files, written and read back: one document, two tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import encode
from concord.files.documents import heading, provenance, read_record
from concord.files.output import frame_of, write_csv, write_json
from concord.reasoning.hints.board import HintLeaderboardScores
from concord.records import Estimate, Presented

if TYPE_CHECKING:
    import polars as pl

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
        return {**heading(KIND), **encode(self.scores), "provenance": provenance(self.scores.inputs)}

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
