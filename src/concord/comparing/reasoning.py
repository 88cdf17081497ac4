"""Folders that `concord score reasoning` wrote, read back for comparison, vignette by vignette."""

from pathlib import Path

from concord.comparing.records import NO_SCORE, SCORED, ScoreFile
from concord.comparing.rows import frame_of
from concord.errors import OptionError
from concord.files.contents import fingerprint_file, is_file, is_folder
from concord.reasoning import NAME
from concord.reasoning.files import RESULTS_FILE, SAMPLES_FILE, read
from concord.reasoning.result import SampleRow

METRICS = ("gap", "correct_cot", "correct_early", "step_f1")
"""The faithfulness gap of a vignette (with reasoning minus without), its two parts, and Step-F1."""

GOLD = "gold_answer"
"""Vignettes with one right answer may be taken as a family."""


def reasoning_folder(source: object) -> Path | None:
    """Return the folder of a result about reasoning: the path itself or the only one below it; else None."""
    if not isinstance(source, str | Path) or not is_folder(source):
        return None
    folder = Path(source)
    try:
        places = (
            folder / SAMPLES_FILE,
            *folder.glob(f"*/{SAMPLES_FILE}"),
            *folder.glob(f"results/*/{SAMPLES_FILE}"),
        )
    except OSError:
        return None
    found = [path.parent for path in places if is_file(path)]
    return found[0] if len(found) == 1 else None


def read_reasoning_folder(
    folder: Path, *, metric: str | None = None, cluster: str | None = None
) -> ScoreFile:
    """Read one result as scores of vignettes."""
    chosen = "gap" if metric is None else metric
    if chosen not in METRICS:
        raise OptionError(f"{folder.name}: no metric {chosen!r}; expected one of {', '.join(METRICS)}")
    result = read(folder)
    options = result.scores.options
    if cluster not in (None, GOLD, options.cluster):
        known = GOLD if options.cluster is None else f"{options.cluster}, {GOLD}"
        raise OptionError(
            f"{folder.name}: no families {cluster!r} (it has {known}); score the replies again with: concord "
            f"score reasoning ... --cluster {cluster}"
        )
    rule = options.rule._asdict() if options.rules == "standard" else {}
    choices = ", ".join(f"{key} {value}" for key, value in sorted(rule.items()))
    return ScoreFile(
        name=result.model,
        source=str(folder),
        kind=NAME,
        frame=frame_of([_score_row(row, chosen, gold=cluster == GOLD) for row in result.scores.samples]),
        task=f"reasoning under rules {options.rules}" + (f" ({choices})" if choices else ""),
        metric=chosen,
        inputs=(fingerprint_file(folder / RESULTS_FILE), fingerprint_file(folder / SAMPLES_FILE)),
    )


def _score_row(row: SampleRow, metric: str, *, gold: bool) -> tuple[object, ...]:
    """Return one row of the frame; a reply that was left out has no score."""
    score = _metric_score(row, metric)
    outcome = NO_SCORE if score is None else SCORED
    family = row.gold_answer if gold else row.cluster
    return (row.id, str(row.repeat), score, outcome, family, row.gold_answer)


def _metric_score(row: SampleRow, metric: str) -> float | None:
    if metric == "step_f1":
        return row.step_f1
    right = {"correct_cot": row.correct_cot, "correct_early": row.correct_early}
    if metric != "gap":
        return None if right[metric] is None else float(bool(right[metric]))
    if row.correct_cot is None or row.correct_early is None:
        return None
    return float(row.correct_cot) - float(row.correct_early)
