"""What a referee asks, as files: ``referee.json`` with everything, tables with one row per test and study."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from concord.files.codec import decode, encode
from concord.files.documents import heading, need_keys, read_document
from concord.files.output import write_csv, write_json
from concord.people.referee.records import Referee, RefereeStudy, RefereeTest

DOCUMENT, TABLE, STUDIES = "referee.json", "referee.csv", "referee_studies.csv"
KEY = "inside_replication_intervals"
_KIND = "people result for the referee"


def referee_document(found: Referee, model: str | None) -> dict[str, Any]:
    """Return what `referee.json` holds."""
    inside = found.inside
    return {
        **heading(_KIND),
        "question": "people",
        "model": model,
        KEY: {"inside": inside.inside, "n": inside.n, "expected": found.level * inside.n},
        "referee": encode(found),
    }


def write_referee(found: Referee, folder: Path, model: str | None) -> tuple[Path, ...]:
    """Write all files; the inverse of `read_referee`."""
    names = [field.name for field in fields(RefereeTest)]
    rows = [[getattr(test, name) for name in names] for test in found.tests]
    write_csv(folder / TABLE, names, rows)
    write_csv(folder / STUDIES, *_study_rows(found.studies))
    write_json(folder / DOCUMENT, referee_document(found, model))
    return folder / DOCUMENT, folder / TABLE, folder / STUDIES


def _study_rows(studies: Sequence[RefereeStudy]) -> tuple[list[str], list[list[object]]]:
    """Return the columns and rows of the table of studies; the difference with its ends."""
    counts = [field.name for field in fields(RefereeStudy) if field.name not in ("study", "difference")]
    rows: list[list[object]] = []
    for one in studies:
        ends = one.difference.interval
        difference = [one.difference.value, *((None, None) if ends is None else (ends.low, ends.high))]
        rows.append([one.study, *difference, *(getattr(one, name) for name in counts)])
    return ["study", "difference_d", "difference_low", "difference_high", *counts], rows


def read_referee(folder: Path) -> Referee | None:
    """Read what a folder holds for the referee; None where it holds nothing."""
    return referee_of(folder / DOCUMENT)[1] if (folder / DOCUMENT).is_file() else None


def referee_of(path: Path) -> tuple[str | None, Referee]:
    """Read one file: the model and its numbers."""
    document = read_document(path, _KIND)
    need_keys(document, ("referee",), path)
    return document.get("model"), decode(Referee, document["referee"], where=f"{path}, 'referee'")
