"""Agreement of predicted effects as files, written and read back: one document, two tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from concord.files.codec import decode, encode
from concord.files.documents import heading, read_document
from concord.files.output import write_csv, write_json
from concord.files.provenance import provenance
from concord.people.predictions.result import METRICS, PredictionResult

DOCUMENT, NUMBERS, DIFFERENCES = "predictions.json", "predictions.csv", "prediction_differences.csv"
NUMBER_COLUMNS = ("agent", "reference", "metric", "value", "low", "high", "n", "n_missing", "note")
DIFFERENCE_COLUMNS = ("first", "second", "metric", "difference", "low", "high", "p", "p_holm", "n", "note")
_KIND = "prediction result"


def document(result: PredictionResult) -> dict[str, Any]:
    """Return what `predictions.json` holds and `--json` prints."""
    return {**heading(_KIND), **encode(result), "provenance": provenance(result.inputs)}


def write(result: PredictionResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result and return their paths."""
    write_json(folder / DOCUMENT, document(result))
    write_csv(folder / NUMBERS, NUMBER_COLUMNS, number_rows(result))
    write_csv(folder / DIFFERENCES, DIFFERENCE_COLUMNS, _difference_rows(result))
    return tuple(folder / name for name in (DOCUMENT, NUMBERS, DIFFERENCES))


def read(folder: Path) -> PredictionResult:
    """Read a result back, whole.

    Raises
    ------
    FileFormatError
        The folder holds no such result, or a field of it cannot be used.
    """
    path = folder / DOCUMENT
    return decode(PredictionResult, read_document(path, _KIND), where=str(path))


def number_rows(result: PredictionResult) -> Iterator[list[object]]:
    """Return one row per agent and number, reference rows last."""
    for one in (*result.agents, *result.references):
        for name in METRICS:
            found = one.numbers[name]
            ends = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
            yield [one.agent, one.is_reference, name, found.value, *ends, found.n, one.n_missing, found.note]


def _difference_rows(result: PredictionResult) -> Iterator[list[object]]:
    for row in result.differences:
        found = row.difference
        ends = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
        names = (row.first, row.second, row.metric)
        yield [*names, found.value, *ends, row.p_value, row.p_holm, found.n, found.note]
