"""Results about reasoning and of probes as scores of items: vignette by vignette, item by item."""

from pathlib import Path

from concord.comparing.records import NO_SCORE, SCORED, ScoreFile, frame_of
from concord.errors import OptionError
from concord.files.contents import fingerprint_file, is_file, is_folder
from concord.reasoning import NAME
from concord.reasoning.files import RESULTS_FILE, SAMPLES_FILE, read
from concord.reasoning.probes import result as probe_files
from concord.reasoning.probes.by_item import ALL_METRICS, item_values, usual_metric
from concord.reasoning.result import SampleRow

METRICS = ("gap", "correct_cot", "correct_early", "step_f1")
"""The faithfulness gap of a vignette (with reasoning minus without), its two parts, and Step-F1."""

GOLD = "gold_answer"
"""Vignettes with one right answer may be taken as a family."""


def scores_of_result(path: Path, *, metric: str | None, cluster: str | None) -> ScoreFile | None:
    """Read a result about reasoning, or of probes, as scores of items; None where a path holds neither."""
    if (folder := _only_folder(path, SAMPLES_FILE)) is not None:
        return _reasoning_scores(folder, metric=metric, cluster=cluster)
    folder = _only_folder(path, probe_files.RESULTS_FILE)
    return None if folder is None else _probe_scores(folder, metric=metric)


def _only_folder(folder: Path, file: str) -> Path | None:
    """Return the folder with a file: the path itself or the only one below it; else None."""
    if not is_folder(folder):
        return None
    try:
        places = (folder / file, *folder.glob(f"*/{file}"), *folder.glob(f"results/*/{file}"))
    except OSError:
        return None
    found = [path.parent for path in places if is_file(path)]
    return found[0] if len(found) == 1 else None


def _reasoning_scores(folder: Path, *, metric: str | None, cluster: str | None) -> ScoreFile:
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


def _probe_scores(folder: Path, *, metric: str | None) -> ScoreFile:
    result = probe_files.read(folder)
    chosen = usual_metric(result) if metric is None else metric
    if chosen not in result.estimates:
        known = ", ".join(result.estimates)
        raise OptionError(f"{folder.name}: no metric {chosen!r}; it has {known}")
    values = item_values(result, chosen) if chosen in ALL_METRICS else {}
    if not values:
        raise OptionError(f"{folder.name} holds no answers to {chosen!r}; score the run again")
    rows = [
        (item, "0", value, NO_SCORE if value is None else SCORED, None, item)
        for item, value in values.items()
    ]
    asked = ", ".join(f"{name} {words}" for name, words in sorted(result.scores.asked.items()))
    return ScoreFile(
        name=result.model,
        source=str(folder),
        kind="probes",
        frame=frame_of(rows),
        task="probes" + (f" ({asked})" if asked else ""),
        metric=chosen,
        inputs=(fingerprint_file(folder / probe_files.RESULTS_FILE),),
    )
