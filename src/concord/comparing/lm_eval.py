"""Scores from lm-eval `--log_samples` files, of every version since 0.4.0."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from concord.comparing.records import (
    ScoreFile,
    choose_score,
    each_once,
    family_of,
    frame_of,
    item_name,
    score_row,
    shown,
    text_of,
)
from concord.errors import FileFormatError, OptionError, listed, quoted
from concord.files.contents import fingerprint_file, read_bytes
from concord.files.gate import check_json_size
from concord.files.inspect_logs import LM_EVAL_OUTPUTS
from concord.files.json_text import line_rows
from concord.files.text import plain_utf8

_SAMPLES_NAME = re.compile(r"samples_(?P<task>.+)_\d{4}-\d{2}-\d{2}T[\d.\-:]+$")
_HASHES = ("doc_hash", "prompt_hash", "target_hash")
_FIELDS = frozenset(
    ("doc_id", "doc", "target", "filter", "metrics", "schema_version", *LM_EVAL_OUTPUTS, *_HASHES)
)
"""What every version writes of a sample; its metrics lie beside them."""


def read_lm_eval_scores(
    path: Path, lines: list[dict[str, Any]] | None = None, *, metric: str | None, cluster: str | None
) -> ScoreFile:
    """Read one metric from an lm-eval `--log_samples` file."""
    rows = _checked_rows(path, json_lines(path) if lines is None else lines)
    chosen = _chosen_metric(path.name, rows, metric)
    wanted, _, filter_name = chosen.rpartition(",")
    kept = [row for row in rows if row["filter"] == filter_name]
    each_once(path.name, "document", [item_name(path.name, row["doc_id"]) for row in kept])
    match = _SAMPLES_NAME.match(path.stem)
    return ScoreFile(
        name=path.parent.name if match and path.parent.name else path.stem,
        source=path.name,
        kind="lm-eval",
        frame=_with_prompts(frame_of(_lm_eval_row(path.name, row, wanted, cluster) for row in kept), kept),
        task=match["task"] if match else None,
        metric=chosen,
        inputs=(fingerprint_file(path),),
    )


def _checked_rows(path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Check that the lines are those of a sample file, and complete those that older versions wrote."""
    # Before 0.4.5 lm-eval named neither metrics nor filters: what is no field of its own is a metric, and a
    # document that is there again was read by the next filter.
    met: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        if "metrics" not in row:
            row["metrics"] = [name for name in row if name not in _FIELDS]
        metrics = row["metrics"]
        if "doc_id" not in row or not isinstance(metrics, list) or not all(type(m) is str for m in metrics):
            raise FileFormatError(
                f"{path.name}: object {number} has no 'doc_id' or no list of 'metrics'; expected a file that "
                "lm-eval writes with --log_samples"
            )
        if "filter" not in row:
            document = shown(row["doc_id"])
            met[document] += 1
            row["filter"] = met[document]
    if met:
        several = max(met.values()) > 1
        for row in rows:
            row["filter"] = f"filter {row['filter']}" if several else "none"
    for row in rows:
        row["filter"] = str(row["filter"])
    return rows


def _chosen_metric(source: str, rows: Sequence[Mapping[str, Any]], wanted: str | None) -> str:
    """Choose among the metrics that have a score per document."""
    first: dict[str, object] = {}
    for row in rows:
        for name in row["metrics"]:
            if row.get(name) is not None:
                first.setdefault(f"{name},{row['filter']}", row[name])
    names = list(dict.fromkeys(f"{name},{row['filter']}" for row in rows for name in row["metrics"]))
    whole = [name for name in names if isinstance(first.get(name), list | dict)]
    single = [name for name in names if name not in whole]
    asked = [name for name in whole if wanted in (name, name.rpartition(",")[0])]
    if whole and (asked or not single):
        found = asked[0] if asked else whole[0]
        others = f"; these have: {listed(single)}" if single else "; no other metric is in the file"
        raise OptionError(
            f"{source}: {found!r} has no score per document ({quoted(first[found])}): lm-eval computes it "
            f"over all documents at once, so it cannot be compared item by item{others}"
        )
    return choose_score(source, "metric", single, wanted)


def _with_prompts(frame: Any, rows: Sequence[Mapping[str, Any]]) -> Any:
    """Add what each document was asked with, where the file says: other examples make another prompt."""
    import polars as pl

    return frame.with_columns(
        pl.Series("prompt", [text_of(row.get("prompt_hash")) for row in rows], dtype=pl.String)
    )


def json_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines, each an object."""
    data = plain_utf8(read_bytes(path))
    check_json_size(path.name, data.decode("utf-8", "replace"))
    rows = line_rows(path.name, data)
    if not rows:
        raise FileFormatError(f"{path.name}: the file is empty; expected one line per sample")
    return rows


def _lm_eval_row(source: str, row: Mapping[str, Any], metric: str, cluster: str | None) -> tuple[object, ...]:
    """Return one row of the frame."""
    item = item_name(source, row["doc_id"])
    family = family_of(row.get("doc"), cluster, f"{source}: document {item} has no", "keys")
    return score_row(source, item, row.get(metric), family=family, mark=text_of(row.get("doc_hash")))


def read_lm_eval_group(
    folder: Path, files: Sequence[Path], *, metric: str | None, cluster: str | None
) -> ScoreFile:
    """Read the tasks of a group, such as the 57 files of MMLU, as items of one file."""
    import polars as pl

    if cluster is not None:
        raise OptionError(f"--cluster {cluster!r}: in a group of tasks the task is the cluster; leave it out")
    read: dict[str, ScoreFile] = {}
    again: list[str] = []
    for path in sorted(files, key=lambda file: file.name):
        found = read_lm_eval_scores(path, metric=metric, cluster=None)
        if found.task is None:
            raise FileFormatError(
                f"{path.name}: its name does not say the task; expected samples_TASK_TIME.jsonl"
            )
        if found.task in read:
            _same_model(folder, read[found.task].name, found.name, found.task)
            again.append(found.task)
        read[found.task] = found
    metrics = list(dict.fromkeys(str(found.metric) for found in read.values()))
    if len(metrics) > 1:
        raise OptionError(f"{folder}: the tasks have the metrics {listed(metrics)}; choose one with --metric")
    frames = [
        found.frame.with_columns(
            (pl.lit(f"{task}/") + pl.col("item")).alias("item"), pl.lit(task).alias("cluster")
        )
        for task, found in read.items()
    ]
    twice = f"{folder.name}: of {listed(sorted(set(again)))} the newest file is read"
    parents = {path.parent.name for path in files}
    return ScoreFile(
        name=parents.pop() if len(parents) == 1 else folder.name,
        source=str(folder),
        kind="lm-eval",
        frame=pl.concat(frames),
        task="a group of lm-eval tasks",
        parts=tuple(read),
        metric=metrics[0],
        inputs=tuple(one for found in read.values() for one in found.inputs),
        warnings=(twice,) if again else (),
    )


def _same_model(folder: Path, first: str, second: str, task: str) -> None:
    """Refuse a folder that holds one task of several models: which of them is meant is not to be guessed."""
    if first != second:
        raise FileFormatError(
            f"{folder}: holds {task!r} of {first!r} and of {second!r}; give the folder of each model: "
            f"concord compare {folder / first} {folder / second}"
        )
