"""Any file of scores to one shape: tables, Inspect logs, lm-eval sample files."""

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.comparing.harnesses import read_harness, table_of_columns
from concord.comparing.inspect_logs import read_inspect_scores, read_json_log
from concord.comparing.lm_eval import is_lm_eval, json_lines, read_lm_eval_group, read_lm_eval_scores
from concord.comparing.reasoning import scores_of_result
from concord.comparing.records import ScoreFile
from concord.comparing.tables import ScoreColumns, read_score_tables
from concord.errors import FileFormatError, listed
from concord.files.contents import fingerprint_file, is_file, is_folder, read_bytes, unreadable
from concord.files.json_text import parsed
from concord.files.tables import TableOptions

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

    Raises
    ------
    FileFormatError
        The file is missing, of no known form, or holds several models.
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
        return _jsonl(path, metric, wanted)
    if suffix == ".json" and is_file(path):
        found = _json(path, metric, wanted)
        if found is not None:
            return found
    return read_score_tables(path, _with_metric(wanted, metric), options=options)


def _with_metric(columns: ScoreColumns, metric: str | None) -> ScoreColumns:
    """In a table the metric is a column."""
    if columns.score is not None or metric is None:
        return columns
    return ScoreColumns(columns.item, metric, columns.cluster, columns.repeat)


def _jsonl(path: Path, metric: str | None, columns: ScoreColumns) -> list[ScoreFile]:
    """Read lm-eval samples, lines of another harness, or any JSON lines with an item and a score."""
    rows = json_lines(path)
    if is_lm_eval(rows[0]):
        return [read_lm_eval_scores(path, rows, metric=metric, cluster=columns.cluster)]
    found = read_harness(path, rows, metric=metric, cluster=columns.cluster)
    return _rows_of(path, rows, metric, columns) if found is None else found


def _json(path: Path, metric: str | None, columns: ScoreColumns) -> list[ScoreFile] | None:
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
        return _rows_of(path, rows, metric, columns)
    if isinstance(document, dict) and {"results", "configs"} <= document.keys():
        raise FileFormatError(
            f"{path.name}: lm-eval's summary of a run holds no score of a document; give the "
            "samples_*.jsonl files beside it, which lm-eval writes with --log_samples"
        )
    return None


def _rows_of(path: Path, rows: Any, metric: str | None, columns: ScoreColumns) -> list[ScoreFile]:
    """Read rows of a file as a table that is called by the file's name."""
    found = read_score_tables(rows, _with_metric(columns, metric), name=path.stem, label=path.name)
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
