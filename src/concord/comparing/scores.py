"""Any file of scores to one shape: tables, Inspect logs, lm-eval sample files."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.comparing.inspect_logs import read_json_log
from concord.comparing.lm_eval_groups import read_lm_eval_group
from concord.comparing.logs import json_lines, read_inspect_scores, read_lm_eval_scores
from concord.comparing.probes import probe_folder, read_probe_folder
from concord.comparing.reasoning import read_reasoning_folder, reasoning_folder
from concord.comparing.records import ScoreFile
from concord.comparing.tables import ScoreColumns, read_score_table
from concord.errors import FileFormatError
from concord.files.contents import fingerprint_file, is_file, is_folder, unreadable
from concord.files.tables import TableOptions

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
    source
        Path to an Inspect log (`.eval` or `.json`), an lm-eval `samples_*.jsonl` file (or a folder that holds
        one, or one per task of a group), a folder of `concord score reasoning`, or a CSV, XLSX, Parquet or
        JSON table; or a frame; or a list of row mappings.
    columns
        Names of the columns of a table; ``cluster`` also names metadata of an Inspect sample or a field of an
        lm-eval document.
    metric
        Which scorer of an Inspect log, which metric of an lm-eval file, which column of a table.
    name
        What the report calls the model.
    options
        How tables are read: sheet, encoding, decimal comma.

    Raises
    ------
    FileFormatError
        The file is missing or none of these.
    """
    wanted = columns if columns is not None else ScoreColumns()
    if not isinstance(source, str | os.PathLike):
        return read_score_table(source, _with_metric(wanted, metric), name=name, options=options)
    path = Path(source)
    probed = probe_folder(path)
    if probed is not None and reasoning_folder(path) is None:
        found = read_probe_folder(probed, metric=metric)
        return found if name is None else replace(found, name=name)
    reasoned = reasoning_folder(path)
    if reasoned is not None:
        found = read_reasoning_folder(reasoned, metric=metric, cluster=wanted.cluster)
        return found if name is None else replace(found, name=name)
    if is_folder(path):
        group = _group_in(path)
        if group:
            found = read_lm_eval_group(path, group, metric=metric, cluster=wanted.cluster)
            return found if name is None else replace(found, name=name)
        path = _samples_in(path)
    suffix = path.suffix.lower()
    if suffix == ".eval":
        found = read_inspect_scores(path, metric=metric, cluster=wanted.cluster)
    elif suffix == ".jsonl":
        found = _jsonl(path, metric, wanted)
    elif suffix == ".json" and is_file(path) and (log := read_json_log(path)) is not None:
        found = read_inspect_scores(path, metric=metric, cluster=wanted.cluster, log=log)
    else:
        return read_score_table(path, _with_metric(wanted, metric), name=name, options=options)
    return found if name is None else replace(found, name=name)


def _with_metric(columns: ScoreColumns, metric: str | None) -> ScoreColumns:
    """In a table the metric is a column."""
    if columns.score is not None or metric is None:
        return columns
    return ScoreColumns(columns.item, metric, columns.cluster, columns.repeat)


def _jsonl(path: Path, metric: str | None, columns: ScoreColumns) -> ScoreFile:
    """Read lm-eval samples, or any JSON lines with an item and a score."""
    rows = json_lines(path)
    if "doc_id" in rows[0]:
        return read_lm_eval_scores(path, rows, metric=metric, cluster=columns.cluster)
    found = read_score_table(rows, _with_metric(columns, metric), name=path.stem, label=path.name)
    return replace(found, source=path.name, inputs=(fingerprint_file(path),))


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
    except OSError as fault:
        raise FileFormatError(unreadable(str(folder), fault)) from fault
    if len(found) == 1:
        return found[0]
    if not found:
        raise FileFormatError(
            f"{folder}: a folder without results of Concord, an Inspect log (*.eval) or lm-eval samples "
            "(samples_*.jsonl); give one of these"
        )
    names = ", ".join(str(path.relative_to(folder)) for path in found[:_SHOWN])
    more = ", ..." if len(found) > _SHOWN else ""
    raise FileFormatError(
        f"{folder}: holds {len(found)} logs ({names}{more}); scores compare within one task: give its log"
    )
