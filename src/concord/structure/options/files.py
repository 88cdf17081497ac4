"""What options do, as files, written and read back: one document, one table of numbers, one of replies."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import decode, encode
from concord.files.documents import folder_with, heading, holding_folder, provenance, read_document
from concord.files.output import frame_of, write_csv, write_json
from concord.files.rows import read_rows, write_rows
from concord.records import InputFile, Presented
from concord.structure.options.records import OPTION_COLUMNS, OptionReply, OptionScores

if TYPE_CHECKING:
    import polars as pl

DOCUMENT, TABLE, REPLIES = "options.json", "options.csv", "option_replies.csv"
_KIND = "option result"


@dataclass(frozen=True, slots=True, repr=False)
class OptionResult(Presented):
    """What places, names and dress of options do to one model's choices."""

    model: str
    scores: OptionScores
    items: str = ""
    """What the set of questions is called."""
    arranger: str = ""
    """What was varied."""
    replies: tuple[OptionReply, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    """The table that was scored; empty for a run, whose folder says it."""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `options.json` holds; replies are in a table of their own."""
        return {
            **heading(_KIND),
            "model": self.model,
            "items": self.items,
            "arranger": self.arranger,
            "option_scores": encode(self.scores),
            "inputs": encode(self.inputs),
            "warnings": list(self.warnings),
            "provenance": provenance(self.inputs),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per number, the columns of `options.csv`."""
        return frame_of(OPTION_COLUMNS, [list(row) for row in self.scores.rows()])

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the files of the result and return their paths."""
        return write(self, Path(out))


def write(result: OptionResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result and return their paths."""
    write_json(folder / DOCUMENT, result.to_dict())
    write_csv(folder / TABLE, OPTION_COLUMNS, result.scores.rows())
    write_rows(folder / REPLIES, OptionReply, result.replies)
    return tuple(folder / name for name in (DOCUMENT, TABLE, REPLIES))


def read(folder: Path) -> OptionResult:
    """Read a result back, whole."""
    place = holding_folder(folder, DOCUMENT)
    path = place / DOCUMENT
    document: Mapping[str, Any] = read_document(path, _KIND)
    scores = decode(OptionScores, document.get("option_scores"), where=f"{path}, 'option_scores'")
    named = {
        key: decode(str, document.get(key), where=f"{path}, {key!r}")
        for key in ("model", "items", "arranger")
    }
    replies = read_rows(place / REPLIES, OptionReply) if (place / REPLIES).is_file() else ()
    # results of earlier versions have neither
    inputs = decode(tuple[InputFile, ...], document.get("inputs", []), where=f"{path}, 'inputs'")
    warnings = decode(tuple[str, ...], document.get("warnings", []), where=f"{path}, 'warnings'")
    return OptionResult(named["model"], scores, named["items"], named["arranger"], replies, inputs, warnings)


def is_option_folder(source: object) -> bool:
    """Whether a path is a folder with what options do."""
    return folder_with(source, DOCUMENT) is not None
