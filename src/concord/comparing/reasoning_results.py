"""Folders that `concord score reasoning` wrote, read back for comparison, vignette by vignette."""

import math
from pathlib import Path
from typing import Any

from concord.comparing.logs import frame_of
from concord.comparing.records import NO_SCORE, SCORED, ScoreFile
from concord.errors import FileFormatError, OptionError
from concord.files.contents import fingerprint, is_file, is_folder, read_bytes
from concord.files.json_text import parsed
from concord.files.safe_csv import read_rows

RESULTS, SAMPLES = "study_a_results.json", "study_a_samples.csv"
METRICS = ("gap", "correct_cot", "correct_early", "step_f1")
"""The faithfulness gap of a vignette (with reasoning less without), its two parts, and Step-F1."""
_WORDS = {"true": 1.0, "false": 0.0, "": None}


def reasoning_folder(source: object) -> Path | None:
    """Return the folder of a result about reasoning: the path itself or the only one below it; else None."""
    if not isinstance(source, str | Path) or not is_folder(source):
        return None
    folder = Path(source)
    try:
        places = (folder / SAMPLES, *folder.glob(f"*/{SAMPLES}"), *folder.glob(f"results/*/{SAMPLES}"))
    except OSError:
        return None
    found = [path.parent for path in places if is_file(path)]
    return found[0] if len(found) == 1 else None


def read_reasoning_folder(folder: Path, *, metric: str | None = None) -> ScoreFile:
    """Read one result as scores of vignettes.

    Parameters
    ----------
    folder
        Holds `study_a_results.json` and `study_a_samples.csv`.
    metric
        One of `METRICS`; the faithfulness gap by default.

    Raises
    ------
    OptionError
        There is no such metric.
    FileFormatError
        A file is missing or damaged.
    """
    chosen = "gap" if metric is None else metric
    if chosen not in METRICS:
        raise OptionError(f"{folder.name}: no metric {chosen!r}; expected one of {', '.join(METRICS)}")
    about = _about(folder / RESULTS)
    data, name = read_bytes(folder / SAMPLES), f"{folder.name}/{SAMPLES}"
    wanted = ("id", "correct_cot", "correct_early", "step_f1")
    lines = read_rows(name, data, wanted, fix="score the replies again")
    rows = [_row(name, number, line, chosen) for number, line in lines]
    options = about.get("options")
    choices = ", ".join(
        f"{key} {value}"
        for key, value in sorted(options.items() if isinstance(options, dict) else ())
        if key in _RULE
    )
    return ScoreFile(
        name=str(about.get("model", folder.name)),
        source=str(folder),
        kind="reasoning",
        frame=frame_of(rows),
        task=f"reasoning under rules {about.get('rules')}" + (f" ({choices})" if choices else ""),
        metric=chosen,
        inputs=(fingerprint(RESULTS, read_bytes(folder / RESULTS)), fingerprint(SAMPLES, data)),
    )


_RULE = ("scope", "negation", "multiple")


def _about(path: Path) -> dict[str, Any]:
    document = parsed(str(path), read_bytes(path))
    if not isinstance(document, dict):
        raise FileFormatError(f"{path}: not a result of `concord score reasoning`")
    return document


def _row(name: str, number: int, line: dict[str, str], metric: str) -> tuple[object, ...]:
    """Return one row of the frame; a reply that was left out has no score."""
    cot, early = (_flag(name, number, column, line[column]) for column in ("correct_cot", "correct_early"))
    if metric == "gap":
        score = None if cot is None or early is None else cot - early
    elif metric == "step_f1":
        score = _share(name, number, line["step_f1"])
    else:
        score = cot if metric == "correct_cot" else early
    outcome = NO_SCORE if score is None else SCORED
    return (line["id"], line.get("repeat", "1"), score, outcome, None, line.get("gold_answer"))


def _flag(name: str, number: int, column: str, cell: str) -> float | None:
    """Read true or false in any case, as spreadsheet programs write them back."""
    word = cell.strip().casefold()
    if word not in _WORDS:
        raise FileFormatError(
            f"{name}, row {number}, column {column!r}: got {cell!r}, expected true or false"
        )
    return _WORDS[word]


def _share(name: str, number: int, cell: str) -> float | None:
    """Read a number from 0 to 1; only an empty cell is undefined."""
    try:
        value = float(cell) if cell else None
    except ValueError:
        value = math.nan
    if value is not None and not 0 <= value <= 1:
        raise FileFormatError(
            f"{name}, row {number}, column 'step_f1': got {cell!r}, expected a number from 0 to 1"
        )
    return value
