"""Folders that `concord score reasoning` wrote, read back for comparison, vignette by vignette."""

import json
from pathlib import Path
from typing import Any

from concord.comparing.logs import frame_of, input_file
from concord.comparing.records import NO_SCORE, SCORED, ScoreFile
from concord.errors import FileFormatError, OptionError

RESULTS, SAMPLES = "study_a_results.json", "study_a_samples.csv"
METRICS = ("gap", "correct_cot", "correct_early", "step_f1")
"""The faithfulness gap of a vignette (with reasoning less without), its two parts, and Step-F1."""
_WORDS = {"true": 1.0, "false": 0.0}


def reasoning_folder(source: object) -> Path | None:
    """Return the folder of a result about reasoning: the path itself or the only one below it; else None."""
    if not isinstance(source, str | Path) or not Path(source).is_dir():
        return None
    folder = Path(source)
    places = (folder / SAMPLES, *folder.glob(f"*/{SAMPLES}"), *folder.glob(f"results/*/{SAMPLES}"))
    found = [path.parent for path in places if path.is_file()]
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
    rows = [_row(line, chosen) for line in _lines(folder / SAMPLES)]
    choices = ", ".join(
        f"{key} {value}" for key, value in sorted(about.get("options", {}).items()) if key in _RULE
    )
    return ScoreFile(
        name=str(about.get("model", folder.name)),
        source=str(folder),
        kind="reasoning",
        frame=frame_of(rows),
        task=f"reasoning under rules {about.get('rules')}" + (f" ({choices})" if choices else ""),
        metric=chosen,
        inputs=(input_file(folder / RESULTS), input_file(folder / SAMPLES)),
    )


_RULE = ("scope", "negation", "multiple")


def _about(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path}: cannot be read as JSON: {error}; score the replies again") from error
    if not isinstance(document, dict):
        raise FileFormatError(f"{path}: not a result of `concord score reasoning`")
    return document


def _lines(path: Path) -> list[dict[str, str]]:
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    if not lines or not {"id", "correct_cot", "correct_early", "step_f1"} <= set(lines[0]):
        raise FileFormatError(f"{path}: not the samples of a result; score the replies again")
    return lines


def _row(line: dict[str, str], metric: str) -> tuple[object, ...]:
    """Return one row of the frame; a reply that was left out has no score."""
    cot, early = _WORDS.get(line["correct_cot"]), _WORDS.get(line["correct_early"])
    if metric == "gap":
        score = None if cot is None or early is None else cot - early
    elif metric == "step_f1":
        score = float(line["step_f1"]) if line["step_f1"] else None
    else:
        score = cot if metric == "correct_cot" else early
    outcome = NO_SCORE if score is None else SCORED
    return (line["id"], line.get("repeat", "1"), score, outcome, None, line.get("gold_answer"))
