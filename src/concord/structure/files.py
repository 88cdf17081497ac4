"""Structural consistency as a document and as files."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import OptionError
from concord.files.output import write_csv, write_json
from concord.files.provenance import provenance
from concord.records import Made, Presented
from concord.structure import tables
from concord.structure.read.records import ReadOptions
from concord.structure.read.results import FORMAT
from concord.structure.records import Difference, ModelResult, StructureScores

if TYPE_CHECKING:
    import polars as pl

FOLDER = "consistency"


@dataclass(frozen=True, slots=True, repr=False)
class StructureResult(Presented):
    """Structural consistency of one or more models, ready to be shown, compared and kept.

    ``plot(kind, model=)`` draws ``gaps``, ``means`` or ``heat`` of a model, the first by default.
    """

    scores: StructureScores
    read_options: ReadOptions
    made: Made | None = None
    """How the replies behind the scores were made; ``None`` where only scores were given."""

    @property
    def models(self) -> tuple[ModelResult, ...]:
        """Every model that was scored, sorted by name."""
        return self.scores.models

    @property
    def warnings(self) -> tuple[str, ...]:
        """Everything worth knowing that is not an error."""
        return self.scores.warnings

    @property
    def left_out(self) -> tuple[str, ...]:
        """Everything that was given and could not be scored, and why."""
        return tuple(str(entry) for entry in self.scores.left_out)

    def difference(self, first: str, second: str) -> Difference:
        """Difference of two models, first less second.

        Parameters
        ----------
        first, second
            Names of two scored models, in the order of their names.

        Returns
        -------
        Difference
            E, R, S and tau with their intervals.

        Raises
        ------
        OptionError
            No such pair was scored.
        """
        for entry in self.scores.differences:
            if (entry.first, entry.second) == (first, second):
                return entry
        names = ", ".join(repr(model.model) for model in self.models)
        raise OptionError(f"no difference {first!r} less {second!r}; scored, in this order: {names}")

    def to_frame(self) -> "pl.DataFrame":
        """One row per model, the columns of `s_cons_results.csv`."""
        import polars as pl

        rows = [tables.model_row(model) for model in self.models]
        return pl.DataFrame(rows, schema=list(tables.S_COLUMNS), orient="row", infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as one JSON-ready document."""
        return self._document() | ({} if self.made is None else asdict(self.made))

    def _document(self) -> dict[str, Any]:
        left = self.scores.left_out
        return {
            "format": FORMAT,
            **provenance(self.scores.inputs),
            "reading": self.scores.options.reading,
            "seed": self.scores.options.seed,
            "options": {**asdict(self.scores.options), **asdict(self.read_options)},
            **asdict(Made()),
            "counts": {
                "models_scored": len(self.models),
                "models_left_out": sum(entry.arrangement is None for entry in left),
                "arrangements_left_out": sum(entry.arrangement is not None for entry in left),
                "scores_missing": sum(model.n_missing for model in self.models),
                "warnings": len(self.warnings),
            },
            "models": [tables.model_dict(model) for model in self.models],
            "arrangements": [
                dict(zip(tables.ARRANGEMENT_COLUMNS, row, strict=True))
                for row in tables.arrangement_rows(self.scores)
            ],
            "differences": [tables.difference_dict(entry) for entry in self.scores.differences],
            "left_out": [asdict(entry) for entry in left],
            "warnings": list(self.warnings),
        }

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the result files into `<out>/consistency/` and return their paths."""
        folder = Path(out) / FOLDER
        rows = [tables.model_row(model) for model in self.models]
        files: dict[str, tuple[tuple[str, ...], Any]] = {
            "e_perf_results.csv": (("Model Name", "E_perf"), [row[:2] for row in rows]),
            "r_sens_results.csv": (("Model Name", "R_sens"), [[row[0], row[2]] for row in rows]),
            "s_cons_results.csv": (tables.S_COLUMNS, rows),
            "arrangements.csv": (tables.ARRANGEMENT_COLUMNS, tables.arrangement_rows(self.scores)),
            "items.csv": (tables.ITEM_COLUMNS, tables.item_rows(self.scores)),
            "cells.csv": (tables.CELL_COLUMNS, tables.cell_rows(self.scores)),
            "differences.csv": (
                tables.DIFFERENCE_COLUMNS,
                [tables.difference_row(entry) for entry in self.scores.differences],
            ),
            "left_out.csv": (
                tables.LEFT_OUT_COLUMNS,
                [[e.model, e.arrangement, e.file, e.reason] for e in self.scores.left_out],
            ),
        }
        for name, (columns, lines) in files.items():
            write_csv(folder / name, columns, lines)
        write_json(folder / "result.json", self.to_dict())
        return tuple(folder / name for name in (*files, "result.json"))
