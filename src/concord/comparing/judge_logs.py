"""Verdicts of judges from Inspect logs: what a sample's metadata and score say."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from concord.comparing.inspect_logs import InspectLog, read_inspect_log, read_json_log
from concord.errors import FileFormatError, OptionError
from concord.files.contents import fingerprint_file, is_file
from concord.files.limits import listed
from concord.files.tables import TableOptions
from concord.structure.judging.read import NamedRows, rows_of


def verdict_rows(source: Any, options: TableOptions, *, metric: str | None = None) -> NamedRows:
    """Read recorded verdicts from whatever holds them: an Inspect log, JSON, a table, a frame, rows.

    Parameters
    ----------
    source
        The file, frame or rows. In an Inspect log a sample's metadata has ``pair`` and ``order``, and its
        score is ``first``, ``second`` or ``tie`` (or the letter of the seat).
    options
        How tables are read.
    metric
        Which scorer of an Inspect log, where it has several.

    Raises
    ------
    FileFormatError
        The file cannot be read, or holds no verdict.
    """
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.suffix.lower() == ".eval":
            return _logged(path, read_inspect_log(path), metric)
        if path.suffix.lower() == ".json" and is_file(path) and (log := read_json_log(path)) is not None:
            return _logged(path, log, metric)
    return rows_of(source, options)


def _logged(path: Path, log: InspectLog, metric: str | None) -> NamedRows:
    names = list(dict.fromkeys(name for sample in log.summaries for name in _sample_scores(sample)))
    if not names:
        raise FileFormatError(f"{log.name}: no sample has a score; score the log first")
    if metric is None and len(names) > 1:
        raise OptionError(f"{log.name}: found the scorers {listed(names)}; choose one with --metric")
    chosen = names[0] if metric is None else metric
    if chosen not in names:
        raise OptionError(f"{log.name}: no scorer {chosen!r}; found {listed(names)}")
    rows, places = [], []
    for sample in log.summaries:
        metadata = sample.get("metadata")
        row = dict(metadata) if isinstance(metadata, Mapping) else {}
        row.setdefault("pair", sample.get("id"))
        row["verdict"] = None if sample.get("error") is not None else _sample_scores(sample).get(chosen)
        row.setdefault("judge", log.model)
        rows.append(row)
        places.append(f"{log.name}, sample {sample.get('id')!r}")
    unfinished = () if log.finished else (f"{log.name}: the run did not finish (status {log.status!r})",)
    return NamedRows(log.model, rows, places, (fingerprint_file(path),), unfinished)


def _sample_scores(sample: Mapping[str, Any]) -> dict[str, object]:
    scores = sample.get("scores")
    if not isinstance(scores, Mapping):
        return {}
    return {
        str(name): score.get("value") if isinstance(score, Mapping) else score
        for name, score in scores.items()
    }
