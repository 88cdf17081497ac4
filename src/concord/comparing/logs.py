"""Scores from logs of other harnesses: Inspect `.eval` files and lm-eval `--log_samples` files."""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from concord.comparing.inspect_logs import InspectLog, read_inspect_log
from concord.comparing.records import FAILED, NO_SCORE, SCORED, ScoreFile, grade
from concord.errors import BadScoreError, FileFormatError, OptionError
from concord.files.contents import fingerprint_file, read_bytes
from concord.files.json_size import check_json_size
from concord.files.json_text import UnusableError, fixed_text, parsed_line
from concord.files.limits import listed, quoted

_SAMPLES_NAME = re.compile(r"samples_(?P<task>.+)_\d{4}-\d{2}-\d{2}T[\d.\-:]+$")
_THIN = 5120
"""Characters that Inspect keeps of a text in the summary of a sample."""


def read_inspect_scores(
    path: Path, *, metric: str | None, cluster: str | None, log: InspectLog | None = None
) -> ScoreFile:
    """Read one scorer's values from an Inspect log.

    Parameters
    ----------
    path
        The `.eval` file.
    log
        What it holds, where it was read already.
    metric
        Name of the scorer, or ``scorer/key`` where its value is a mapping; the only one by default.
    cluster
        Key of the sample metadata that names families of items.

    Raises
    ------
    FileFormatError
        No sample has a score.
    OptionError
        Several scorers and none chosen, or no such scorer or metadata key.
    BadScoreError
        A score that is neither a number nor a grade.
    """
    log = read_inspect_log(path) if log is None else log
    values = [_named_scores(summary.get("scores")) for summary in log.summaries]
    if values and all(summary.get("error") is not None for summary in log.summaries):
        raise FileFormatError(f"{log.name}: all {len(values)} samples ended in an error, none has a score")
    chosen = _choose(log.name, "scorer", list(dict.fromkeys(name for row in values for name in row)), metric)
    rows = [
        _inspect_row(log, summary, row, chosen, cluster)
        for summary, row in zip(log.summaries, values, strict=True)
    ]
    _once(log.name, "sample", [(f"{row[0]!r} of epoch {row[1]}") for row in rows])
    return ScoreFile(
        name=log.model,
        source=log.name,
        kind="inspect",
        frame=frame_of(rows),
        task=log.task,
        metric=chosen,
        inputs=(fingerprint_file(path),),
        warnings=(*_unfinished(log), *_reduced(log)),
    )


def _named_scores(scores: object) -> dict[str, object]:
    """Lay out scores by name; a mapping inside a scorer becomes ``scorer/key``."""
    named: dict[str, object] = {}
    if not isinstance(scores, Mapping):
        return named
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        if isinstance(value, Mapping):
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
    item = _name(log.name, summary.get("id"))
    family = None
    if cluster is not None:
        metadata = summary.get("metadata")
        known = metadata if isinstance(metadata, Mapping) else {}
        family = known.get(cluster)
        if family is None:
            raise OptionError(
                f"{log.name}: sample {item!r} has no metadata {cluster!r} to cluster by; its metadata: "
                f"{listed(list(known)) if known else 'none'}"
            )
    failed = summary.get("error") is not None
    score = None if failed else _graded(log.name, item, scores.get(metric))
    outcome = FAILED if failed else NO_SCORE if score is None else SCORED
    return (
        item,
        _shown(summary.get("epoch", 1)),
        score,
        outcome,
        _text_of(family),
        _asked_fingerprint(summary),
    )


def _asked_fingerprint(summary: Mapping[str, Any]) -> str:
    """Fingerprint what a sample asks; ids of messages are new in every run, and summaries cut long texts."""
    asked = summary.get("input")
    messages = asked if isinstance(asked, list) else [{"role": "user", "content": asked}]
    target = summary.get("target")
    targets = target if isinstance(target, list) else [target]
    said = [[_field(message, "role"), _content_texts(_field(message, "content"))] for message in messages]
    text = json.dumps([said, [_shown(one)[:_THIN] for one in targets]])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _field(value: object, name: str) -> object:
    """Return a field; None where there is no object to have it."""
    return value.get(name) if isinstance(value, Mapping) else None


def _content_texts(content: object) -> list[str]:
    """Return the texts of a message; other parts by their kind, as summaries do."""
    if not isinstance(content, list):
        return [_shown(content)[:_THIN]]
    kinds = [_shown(_field(part, "type")) for part in content]
    return [
        _shown(_field(part, "text"))[:_THIN] if kind == "text" else f"({kind.capitalize()})"
        for kind, part in zip(kinds, content, strict=True)
    ]


def _graded(source: str, item: str, value: object) -> float | None:
    """Read a score, naming the sample where it cannot be one."""
    try:
        return grade(value)
    except BadScoreError as error:
        raise BadScoreError(value, f"{source}, sample {item!r}: ") from error


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
    if not set(log.reducers) - {"mean"} or len({_shown(row.get("epoch")) for row in log.summaries}) < 2:
        return ()
    return (
        f"{log.name}: Inspect reduces its epochs by {', '.join(map(repr, log.reducers))}, so its own score "
        "may differ: here an item counts as the mean of its epochs",
    )


def _once(source: str, what: str, names: Sequence[str]) -> None:
    """Refuse an answer that is in a log twice: no harness writes one so, but joined files hold it."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileFormatError(
            f"{source}: {len(twice)} {what}(s) are there more than once, the first {twice[0]}; a log holds "
            "each once: give the files that were joined one by one"
        )


def read_lm_eval_scores(
    path: Path, lines: list[dict[str, Any]] | None = None, *, metric: str | None, cluster: str | None
) -> ScoreFile:
    """Read one metric from an lm-eval `--log_samples` file.

    Parameters
    ----------
    path
        A `samples_TASK_TIME.jsonl` file.
    lines
        What it holds, where it was read already.
    metric
        ``metric`` or ``metric,filter`` as lm-eval prints it; the only one by default.
    cluster
        Key of the document that names families of items.

    Raises
    ------
    FileFormatError
        The file is not such a log.
    OptionError
        Several metrics and none chosen, or no such metric or key.
    """
    rows = _checked_rows(path, json_lines(path) if lines is None else lines)
    names = [f"{name},{row['filter']}" for row in rows for name in row["metrics"]]
    chosen = _choose(path.name, "metric", list(dict.fromkeys(names)), metric)
    wanted, _, filter_name = chosen.rpartition(",")
    kept = [row for row in rows if row["filter"] == filter_name]
    _once(path.name, "document", [_name(path.name, row["doc_id"]) for row in kept])
    match = _SAMPLES_NAME.match(path.stem)
    return ScoreFile(
        name=path.parent.name if match and path.parent.name else path.stem,
        source=path.name,
        kind="lm-eval",
        frame=frame_of(_lm_eval_row(path.name, row, wanted, cluster) for row in kept),
        task=match["task"] if match else None,
        metric=chosen,
        inputs=(fingerprint_file(path),),
    )


def _checked_rows(path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Check that the lines are those of a sample file."""
    for number, row in enumerate(rows, 1):
        metrics = row.get("metrics")
        if "doc_id" not in row or not isinstance(metrics, list) or not all(type(m) is str for m in metrics):
            raise FileFormatError(
                f"{path.name}: object {number} has no 'doc_id' or no list of 'metrics'; expected a file that "
                "lm-eval writes with --log_samples (version 0.4.5 or later)"
            )
        row["filter"] = str(row.get("filter", "none"))
    return rows


def json_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines, each an object; a torn last line is what a killed run leaves, and is named.

    Raises
    ------
    FileFormatError
        The file cannot be read, or a line is no object.
    """
    data = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
    check_json_size(path.name, data.decode("utf-8", "replace"))
    rows = []
    pieces = data.split(b"\n")
    for number, raw in enumerate(pieces, 1):
        if not raw.strip():
            continue
        try:
            row = parsed_line(raw)
        except UnusableError as error:
            # only a last line without its line feed can be what a killed run left
            what_to_do = (
                "a run that was killed leaves a torn last line: delete it to compare what is left"
                if number == len(pieces)
                else "correct the line, or write the file anew"
            )
            raise FileFormatError(
                f"{path.name}: line {number} cannot be read: {error.args[1]}; {what_to_do}"
            ) from error
        if not isinstance(row, dict):
            raise FileFormatError(f"{path.name}: line {number} is not an object")
        rows.append(row)
    if not rows:
        raise FileFormatError(f"{path.name}: the file is empty; expected one line per sample")
    return rows


def _lm_eval_row(source: str, row: Mapping[str, Any], metric: str, cluster: str | None) -> tuple[object, ...]:
    """Return one row of the frame."""
    item = _name(source, row["doc_id"])
    family = None
    if cluster is not None:
        document = row.get("doc")
        known = document if isinstance(document, Mapping) else {}
        family = known.get(cluster)
        if family is None:
            keys = listed(list(known)) if known else "none"
            raise OptionError(f"{source}: document {item} has no {cluster!r} to cluster by; its keys: {keys}")
    score = _graded(source, item, row.get(metric))
    outcome = NO_SCORE if score is None else SCORED
    return (item, "1", score, outcome, _text_of(family), _text_of(row.get("doc_hash")))


def _choose(source: str, what: str, names: Sequence[str], wanted: str | None) -> str:
    """Choose a score by its name, by the part before its filter, or because there is no other."""
    if not names:
        raise FileFormatError(f"{source}: no sample has a score; score the log first")
    present = listed(names)
    if wanted is None:
        if len(names) == 1:
            return names[0]
        raise OptionError(f"{source}: found the {what}s {present}; choose one with --metric")
    fitting = [name for name in names if wanted in (name, name.rpartition(",")[0])]
    if not fitting:
        raise OptionError(f"{source}: no {what} {wanted!r}; found {present}")
    if len(fitting) > 1:
        raise OptionError(f"{source}: {wanted!r} may be {', '.join(map(repr, fitting))}; choose one of them")
    return fitting[0]


def frame_of(rows: Iterable[tuple[object, ...]]) -> Any:
    """Build the frame of a score file."""
    import polars as pl

    text = pl.String
    schema = {
        "item": text,
        "repeat": text,
        "score": pl.Float64,
        "outcome": text,
        "cluster": text,
        "fingerprint": text,
    }
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def _text_of(value: object) -> str | None:
    """Return a value as text; halves of characters, which no file can hold, are replaced."""
    return None if value is None else fixed_text(_shown(value))


def _shown(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # a whole number of thousands of digits
        return "a number of thousands of digits"


def _name(source: str, value: object) -> str:
    """Name an item: a text or a number, NFC-normalised, so that two spellings of a letter are one."""
    if value is None or isinstance(value, bool | list | dict):
        raise FileFormatError(f"{source}: a sample is named {quoted(value)}, expected a text or a number")
    return unicodedata.normalize("NFC", fixed_text(_shown(value)))
