"""What combining people and predictions gives, as a record and as files, written and read back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import encode
from concord.files.documents import heading, provenance, read_record
from concord.files.output import frame_of, write_csv, write_json
from concord.records import Estimate, InputFile, Presented

if TYPE_CHECKING:
    import polars as pl

DOCUMENT, NUMBERS = "combine.json", "combine.csv"
COLUMNS = (
    "outcome", "name", "kind", "value", "low", "high", "se", "people_only", "people_only_low",
    "people_only_high", "people_only_se", "weight", "correlation", "correlation_low", "correlation_high",
    "n_people", "n_predictions", "effective_people", "worth", "worth_low", "worth_high", "sd", "note",
)  # fmt: skip
_KIND = "combined estimates"


@dataclass(frozen=True, slots=True)
class CombinedEstimate:
    """One number from people and predictions."""

    outcome: str
    name: str
    """``mean``, an arm, ``A − B``, or a coefficient."""
    kind: str
    """``mean``, ``share``, ``difference`` or ``coefficient``."""
    estimate: Estimate
    se: float
    people_only: Estimate
    people_se: float
    weight: float
    """λ, the weight of predictions: 0 uses people alone."""
    correlation: Estimate
    """Of answers and predictions over people."""
    n_people: int
    n_predictions: int
    effective_people: float
    """People alone who would give the same standard error."""
    worth: Estimate
    """Effective people minus people: what the predictions are worth in participants."""
    sd: float
    """Standard deviation of people's answers."""


@dataclass(frozen=True, slots=True, repr=False)
class CombineResult(Presented):
    """Estimates from people and predictions together."""

    estimates: tuple[CombinedEstimate, ...]
    sentence: str
    level: float = 0.95
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `combine.json` holds."""
        return {**heading(_KIND), **encode(self), "provenance": provenance(self.inputs)}

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per estimate, the columns of `combine.csv`."""
        return frame_of(COLUMNS, estimate_rows(self))

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `combine.json` and `combine.csv`."""
        folder = Path(out)
        write_json(folder / DOCUMENT, self.to_dict())
        write_csv(folder / NUMBERS, COLUMNS, estimate_rows(self))
        return folder / DOCUMENT, folder / NUMBERS


def read_combined(folder: Path) -> CombineResult:
    """Read a result back, whole."""
    path = folder / DOCUMENT
    return read_record(CombineResult, path, _KIND)


def estimate_rows(result: CombineResult) -> Iterator[list[object]]:
    """Return one row per estimate."""
    for one in result.estimates:
        notes = dict.fromkeys(part.note for part in (one.estimate, one.worth) if part.note)
        yield [
            one.outcome, one.name, one.kind, *_with_interval(one.estimate), one.se,
            *_with_interval(one.people_only), one.people_se, one.weight, *_with_interval(one.correlation),
            one.n_people, one.n_predictions, one.effective_people, *_with_interval(one.worth), one.sd,
            "; ".join(notes),
        ]  # fmt: skip


def _with_interval(found: Estimate) -> list[float | None]:
    return [found.value, *found.ends]
