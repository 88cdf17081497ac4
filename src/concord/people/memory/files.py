"""What a model remembers of studies as files, written and read back: one document, one table."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import encode
from concord.files.documents import heading, read_record
from concord.files.output import frame_of, write_csv, write_json
from concord.people.memory.result import Recognition, VariantPair
from concord.records import Estimate, Presented

if TYPE_CHECKING:
    import polars as pl

DOCUMENT, PAIRS = "memory.json", "memory_pairs.csv"
PAIR_COLUMNS = (
    "study", "variant", "recognised", "pas", "variant_pas", "pas_difference", "ecs", "variant_ecs",
    "ecs_difference", "n_findings",
)  # fmt: skip
_KIND = "memory result"


@dataclass(frozen=True, slots=True, repr=False)
class MemoryResult(Presented):
    """What a model recognised, and what it lost when the surface changed."""

    recognised: tuple[Recognition, ...]
    pairs: tuple[VariantPair, ...]
    delta_pas: Estimate
    """Original minus variant, mean over the recognised studies that have one."""
    delta_ecs: Estimate
    verdict: str
    sentence: str
    model: str | None = None
    """Who was asked, where the run says it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `memory.json` holds."""
        return {**heading(_KIND), "question": "people", **encode(self)}

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per study and variant, the columns of `memory_pairs.csv`."""
        return frame_of(PAIR_COLUMNS, pair_rows(self))

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `memory.json` and `memory_pairs.csv`."""
        return write(self, Path(out))


def write(result: MemoryResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result and return their paths; the inverse of `read`."""
    write_csv(folder / PAIRS, PAIR_COLUMNS, pair_rows(result))
    write_json(folder / DOCUMENT, result.to_dict())
    return folder / DOCUMENT, folder / PAIRS


def read(folder: Path) -> MemoryResult:
    """Read a result back, whole."""
    path = folder / DOCUMENT
    return read_record(MemoryResult, path, _KIND)


def pair_rows(result: MemoryResult) -> Iterator[list[object]]:
    """Return one row per study and variant."""
    for one in result.pairs:
        pas, ecs = (difference(*pair) for pair in ((one.pas, one.variant_pas), (one.ecs, one.variant_ecs)))
        yield [
            one.study, one.variant, one.recognised, one.pas, one.variant_pas, pas, one.ecs, one.variant_ecs,
            ecs, one.n_findings,
        ]  # fmt: skip


def difference(original: float | None, variant: float | None) -> float | None:
    """Return original minus variant; None where either is undefined."""
    return None if original is None or variant is None else original - variant
