"""Any file of scores to one shape: tables, Inspect logs, lm-eval sample files."""

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.comparing.harnesses import harness_table, read_harness, table_of_columns
from concord.comparing.inspect_logs import read_inspect_scores
from concord.comparing.lm_eval import json_lines, read_lm_eval_group, read_lm_eval_scores
from concord.comparing.records import NO_SCORE, SCORED, ScoreFile, frame_of
from concord.comparing.tables import ScoreColumns, read_score_tables
from concord.errors import FileFormatError, OptionError, listed
from concord.files.contents import fingerprint_file, is_file, is_folder, read_bytes, unreadable
from concord.files.inspect_logs import is_lm_eval, read_json_log
from concord.files.json_text import parsed
from concord.files.tables import TableOptions
from concord.reasoning import NAME
from concord.reasoning.compare import ALL_METRICS, item_values, usual_metric
from concord.reasoning.files import SAMPLES_FILE, ReasoningResult
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.result import VOIDED, SampleRow

HELM = "per_instance_stats.json"
"""What HELM calls the scores of a run, in its folder."""
_SHOWN = 5


def read_scores(
    source: Any,
    *,
    columns: ScoreColumns | None = None,
    metric: str | None = None,
    name: str | None = None,
    options: TableOptions | None = None,
) -> ScoreFile:
    """Read one model's scores on items.

    Parameters
    ----------
    source, columns, metric, options
        As in `read_models`.
    name
        What the report calls the model.
    """
    found = read_models(source, columns=columns, metric=metric, options=options)
    if len(found) > 1:
        names = listed([one.name for one in found])
        raise FileFormatError(f"{found[0].source}: holds {len(found)} models ({names}), expected one")
    return found[0] if name is None else replace(found[0], name=name)


def read_models(
    source: Any,
    *,
    columns: ScoreColumns | None = None,
    metric: str | None = None,
    options: TableOptions | None = None,
) -> list[ScoreFile]:
    """Read scores on items of every model that a file holds; of one, as a rule."""
    wanted = columns if columns is not None else ScoreColumns()
    if not isinstance(source, str | os.PathLike):
        return read_score_tables(source, _with_metric(wanted, metric), options=options)
    path = Path(source)
    scored = scores_of_result(path, metric=metric, cluster=wanted.cluster)
    if scored is not None:
        return [scored]
    if is_folder(path):
        group = _group_in(path)
        if group:
            return [read_lm_eval_group(path, group, metric=metric, cluster=wanted.cluster)]
        path = _samples_in(path)
    suffix = path.suffix.lower()
    if suffix == ".eval":
        return [read_inspect_scores(path, metric=metric, cluster=wanted.cluster)]
    if suffix == ".jsonl":
        return _jsonl(path, metric, wanted, options)
    if suffix == ".json" and is_file(path):
        found = _json(path, metric, wanted, options)
        if found is not None:
            return found
    table = read_harness(path, harness_table(path), metric=metric, cluster=wanted.cluster)
    return read_score_tables(path, _with_metric(wanted, metric), options=options) if table is None else table


def _with_metric(columns: ScoreColumns, metric: str | None) -> ScoreColumns:
    """In a table the metric is a column."""
    if columns.score is not None or metric is None:
        return columns
    return ScoreColumns(columns.item, metric, columns.cluster, columns.repeat)


def _jsonl(
    path: Path, metric: str | None, columns: ScoreColumns, options: TableOptions | None
) -> list[ScoreFile]:
    """Read lm-eval samples, lines of another harness, or any JSON lines with an item and a score."""
    rows = json_lines(path)
    if is_lm_eval(rows[0]):
        return [read_lm_eval_scores(path, rows, metric=metric, cluster=columns.cluster)]
    found = read_harness(path, rows, metric=metric, cluster=columns.cluster)
    return _rows_of(path, rows, _with_metric(columns, metric), options) if found is None else found


def _json(
    path: Path, metric: str | None, columns: ScoreColumns, options: TableOptions | None
) -> list[ScoreFile] | None:
    """Read a document of a harness; None where it is a table, or what the reader of tables shall refuse."""
    log = read_json_log(path)
    if log is not None:
        return [read_inspect_scores(path, metric=metric, cluster=columns.cluster, log=log)]
    try:
        document = parsed(path.name, read_bytes(path))
    except FileFormatError:
        return None
    found = read_harness(path, document, metric=metric, cluster=columns.cluster)
    if found is not None:
        return found
    rows = table_of_columns(document)
    if rows is not None:
        return _rows_of(path, rows, _with_metric(columns, metric), options)
    if isinstance(document, dict) and {"results", "configs"} <= document.keys():
        raise FileFormatError(
            f"{path.name}: lm-eval's summary of a run holds no score of a document; give the "
            "samples_*.jsonl files beside it, which lm-eval writes with --log_samples"
        )
    return None


def _rows_of(path: Path, rows: Any, columns: ScoreColumns, options: TableOptions | None) -> list[ScoreFile]:
    """Read rows of a file as a table that is called by the file's name."""
    found = read_score_tables(rows, columns, name=path.stem, options=options, label=path.name)
    return [replace(one, source=path.name, inputs=(fingerprint_file(path),)) for one in found]


def _group_in(folder: Path) -> list[Path]:
    """Return the files of several lm-eval tasks in a folder; none where it holds one, or something else."""
    try:
        found = sorted(folder.rglob("samples_*.jsonl"))
        others = any(folder.rglob("*.eval"))
    except OSError as fault:
        raise FileFormatError(unreadable(str(folder), fault)) from fault
    return found if len(found) > 1 and not others else []


def _samples_in(folder: Path) -> Path:
    """Find the one log in a folder."""
    try:
        found = sorted([*folder.rglob("samples_*.jsonl"), *folder.rglob("*.eval")])
        found = found if found else sorted(folder.rglob(HELM))
        found = found if found else [path for path in sorted(folder.rglob("*.json")) if _is_log(path)]
    except OSError as fault:
        raise FileFormatError(unreadable(str(folder), fault)) from fault
    if len(found) == 1:
        return found[0]
    if not found:
        _refuse_several(folder)
        raise FileFormatError(
            f"{folder}: a folder without results of Concord, an Inspect log (*.eval, *.json), lm-eval "
            f"samples (samples_*.jsonl) or a run of HELM ({HELM}); give one of these"
        )
    names = ", ".join(str(path.relative_to(folder)) for path in found[:_SHOWN])
    more = ", ..." if len(found) > _SHOWN else ""
    raise FileFormatError(
        f"{folder}: holds {len(found)} logs ({names}{more}); scores compare within one task: give its log"
    )


def _refuse_several(folder: Path) -> None:
    """Refuse a folder of several models' results with what to give instead."""
    if not (folder / "agents.json").is_file():
        return
    inside = sorted(str(one) for one in folder.iterdir() if one.is_dir())
    if len(inside) > 1:
        raise FileFormatError(
            f"{folder}: holds results of {len(inside)} agents; give two of their folders: "
            + " ".join(shlex.quote(one) for one in inside[:_SHOWN])
        )


def _is_log(path: Path) -> bool:
    """Whether a JSON file of a folder is an Inspect log; its other JSON files are of no concern."""
    return path.name != "logs.json" and read_json_log(path) is not None


METRICS = ("gap", "correct_cot", "correct_early", "step_f1")
"""The faithfulness gap of a vignette (with reasoning minus without), its two parts, and Step-F1."""

GOLD = "gold_answer"
"""Vignettes with one right answer may be taken as a family."""


def scores_of_result(path: Path, *, metric: str | None, cluster: str | None) -> ScoreFile | None:
    """Read a result about reasoning, or of probes, as scores of items; None where a path holds neither."""
    if (folder := _only_folder(path, SAMPLES_FILE)) is not None:
        return _reasoning_scores(folder, metric=metric, cluster=cluster)
    folder = _only_folder(path, ProbeResult.FILE)
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
    result = ReasoningResult.read(folder)
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
        inputs=(fingerprint_file(folder / ReasoningResult.FILE), fingerprint_file(folder / SAMPLES_FILE)),
        withheld=result.scores.gap.verdict if chosen == "gap" and result.scores.gap.verdict in VOIDED else "",
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
    result = ProbeResult.read(folder)
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
        inputs=(fingerprint_file(folder / ProbeResult.FILE),),
    )
