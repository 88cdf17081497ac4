"""Scores of Inspect logs: one scorer's value of every sample."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
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
)
from concord.errors import FileFormatError
from concord.files.contents import fingerprint_file
from concord.files.inspect_logs import InspectLog, read_inspect_log

_ERROR = 200
"""Characters of an error that are shown."""
_THIN = 5120
"""Characters that Inspect keeps of a text in the summary of a sample."""


def read_inspect_scores(
    path: Path, *, metric: str | None, cluster: str | None, log: InspectLog | None = None
) -> ScoreFile:
    """Read one scorer's values from an Inspect log."""
    log = read_inspect_log(path) if log is None else log
    values = [named_scores(summary.get("scores")) for summary in log.summaries]
    if values and all(summary.get("error") is not None for summary in log.summaries):
        first = shown(log.summaries[0]["error"])[:_ERROR]
        raise FileFormatError(
            f"{log.name}: all {len(values)} samples ended in an error, none has a score; the first: {first}"
        )
    chosen = choose_score(
        log.name, "scorer", list(dict.fromkeys(name for row in values for name in row)), metric
    )
    rows = [
        _inspect_row(log, summary, row, chosen, cluster)
        for summary, row in zip(log.summaries, values, strict=True)
    ]
    each_once(log.name, "sample", [row[:2] for row in rows], lambda row: f"{row[0]!r} of epoch {row[1]}")
    return ScoreFile(
        name=log.model,
        source=log.name,
        kind="inspect",
        frame=frame_of(rows),
        task=log.task,
        metric=chosen,
        inputs=(fingerprint_file(path),),
        warnings=(*_unfinished(log), *_reduced(log)),
        settings=log.settings,
    )


def named_scores(scores: object) -> dict[str, object]:
    """Lay out scores by name; a mapping inside a scorer becomes ``scorer/key``."""
    named: dict[str, object] = {}
    if not isinstance(scores, dict):
        return named
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            named.update({f"{scorer}/{key}": inner for key, inner in value.items()})
        else:
            named[str(scorer)] = value
    return named


def _inspect_row(
    log: InspectLog,
    summary: Mapping[str, Any],
    scores: Mapping[str, object],
    metric: str,
    cluster: str | None,
) -> tuple[object, ...]:
    """Return one row of the frame."""
    item = item_name(log.name, summary.get("id"))
    lacking = f"{log.name}: sample {item!r} has no metadata"
    return score_row(
        log.name,
        item,
        scores.get(metric),
        repeat=summary.get("epoch", 1),
        failed=summary.get("error") is not None,
        family=family_of(summary.get("metadata"), cluster, lacking, "metadata"),
        mark=_asked_fingerprint(summary),
    )


def _asked_fingerprint(summary: Mapping[str, Any]) -> str:
    """Fingerprint what a sample asks; ids of messages are new in every run, and summaries cut long texts."""
    asked, target = summary.get("input"), summary.get("target")
    if not isinstance(asked, list | dict) and not isinstance(target, list | dict):
        return _plain_fingerprint(shown(asked)[:_THIN], shown(target)[:_THIN])
    messages = asked if isinstance(asked, list) else [{"role": "user", "content": asked}]
    targets = target if isinstance(target, list) else [target]
    said = [[_field(message, "role"), _content_texts(_field(message, "content"))] for message in messages]
    return _hashed([said, [shown(one)[:_THIN] for one in targets]])


@lru_cache(maxsize=1024)
def _plain_fingerprint(asked: str, target: str) -> str:
    """Fingerprint one message and one target; samples of several epochs ask the same."""
    return _hashed([[["user", [asked]]], [target]])


def _hashed(asked: list[Any]) -> str:
    return hashlib.sha256(json.dumps(asked).encode("utf-8", "replace")).hexdigest()


def _field(value: object, name: str) -> object:
    """Return a field; None where there is no object to have it."""
    return value.get(name) if isinstance(value, dict) else None


def _content_texts(content: object) -> list[str]:
    """Return the texts of a message; other parts by their kind, as summaries do."""
    if not isinstance(content, list):
        return [shown(content)[:_THIN]]
    kinds = [shown(_field(part, "type")) for part in content]
    return [
        shown(_field(part, "text"))[:_THIN] if kind == "text" else f"({kind.capitalize()})"
        for kind, part in zip(kinds, content, strict=True)
    ]


def _unfinished(log: InspectLog) -> tuple[str, ...]:
    """Word the warning about a run that did not reach its end."""
    if log.finished:
        return ()
    planned = "" if log.n_planned is None else f" of {log.n_planned}"
    return (
        f"{log.name}: the run did not finish (status {log.status!r}): {len(log.summaries)}{planned} samples "
        f"are in the log, the others count as not asked; finish it with: inspect eval-retry {log.name}",
    )


def _reduced(log: InspectLog) -> tuple[str, ...]:
    """Word the warning about epochs that Inspect makes one score of in another way than their mean."""
    if not set(log.reducers) - {"mean"} or len({shown(row.get("epoch")) for row in log.summaries}) < 2:
        return ()
    return (
        f"{log.name}: Inspect reduces its epochs by {', '.join(map(repr, log.reducers))}, so its own score "
        "may differ: here an item counts as the mean of its epochs",
    )
