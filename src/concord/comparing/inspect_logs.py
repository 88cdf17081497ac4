"""Inspect logs, `.eval` and `.json`: header, samples and their scores, without loading Inspect itself.

An `.eval` log is a ZIP archive whose members are deflated or, in current versions, compressed with Zstandard.
A finished log has `header.json` and `summaries.json`; one of a crashed run has only its journal. A `.json`
log is one document, transcripts and all.
"""

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from concord.comparing.records import (
    FAILED,
    NO_SCORE,
    SCORED,
    ScoreFile,
    choose_score,
    each_once,
    family_of,
    frame_of,
    graded,
    item_name,
    shown,
    text_of,
)
from concord.errors import FileFormatError
from concord.files import limits
from concord.files.contents import fingerprint_file, read_bytes
from concord.files.gate import check_json_size, is_bomb
from concord.files.json_text import decoded, parsed
from concord.files.sheet_xml import BROKEN

_ANSWERING = (
    *("temperature", "top_p", "top_k", "max_tokens", "seed", "system_message", "reasoning_effort"),
    *("reasoning_tokens", "frequency_penalty", "presence_penalty", "num_choices"),
)
"""Settings of a model that change what it answers."""
_SECRET = ("key", "secret", "password", "credential", "auth")
"""Arguments of such names are never repeated."""
_SETTING = 60
"""Characters of a setting that are shown."""
_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")


@dataclass(frozen=True, slots=True)
class InspectLog:
    """What a log says about its run and each of its samples."""

    name: str
    status: str
    """``success``, ``error``, ``cancelled``, or ``started`` where the run never ended."""
    task: str
    model: str
    n_planned: int | None
    """Samples that the run set out to take, epochs included; None where the log does not say."""
    reducers: tuple[str, ...]
    """How Inspect itself makes one score of several epochs, where the task says."""
    summaries: tuple[dict[str, Any], ...]
    """One a sample: ``id``, ``epoch``, ``scores``, ``error``, ``metadata``."""
    settings: tuple[tuple[str, str], ...] = ()
    """What the task and the model were given: arguments of the task, temperature and the like."""

    @property
    def finished(self) -> bool:
        """The run reached its end."""
        return self.status == "success"


def read_inspect_log(path: Path) -> InspectLog:
    """Read the header and the sample summaries of a log."""
    data = read_bytes(path, limit=limits.COLUMN_BYTES)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _read_archive(
                _Archive(path, data, {entry.filename: entry for entry in archive.infolist()})
            )
    except BROKEN as error:
        raise FileFormatError(
            f"{path.name}: the log is cut off or damaged ({error}); recover what was kept with: "
            f"inspect log recover, or run the evaluation again with: inspect eval-retry {path.name}"
        ) from error


def check_log(path: Path) -> None:
    """Refuse a log that would fill the memory, before Inspect's own reader unpacks all of it."""
    if path.suffix != ".eval":
        check_json_size(path.name, decoded(path.name, read_bytes(path, name=path.name)))
        return
    data = read_bytes(path, name=path.name, limit=limits.COLUMN_BYTES)
    try:
        with zipfile.ZipFile(BytesIO(data)) as opened:
            entries = opened.infolist()
            archive = _Archive(path, data, {}, most=max(limits.UNPACKED, limits.LOG_RATIO * len(data)))
            for entry in entries:
                archive.unpack(entry)
    except BROKEN as error:
        raise FileFormatError(
            f"{path.name} cannot be read as an Inspect log: it is cut off or damaged ({error})"
        ) from error


def read_json_log(path: Path) -> InspectLog | None:
    """Read a `.json` log; None where the file is something else, such as a table."""
    document = _json_log(path)
    return None if document is None else _log(path, document, _objects(path, document.get("samples")))


def _json_log(path: Path) -> dict[str, Any] | None:
    """Return the document of a `.json` log; None where the file is something else."""
    data = read_bytes(path)
    if not data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    if b'"eval"' not in data or b'"status"' not in data:
        return None
    try:
        document = parsed(path.name, data)
    except FileFormatError:
        return None
    return document if isinstance(document, dict) and {"eval", "status"} <= document.keys() else None


@dataclass(slots=True)
class _Archive:
    """An open log, and what has been unpacked of it so far."""

    path: Path
    data: bytes
    members: dict[str, zipfile.ZipInfo]
    most: int = limits.UNPACKED
    """Bytes that all members together may unpack to."""
    unpacked: int = field(default=0)

    def json(self, member: str) -> Any:
        """Read one member as JSON, under the limits on all members together."""
        return parsed(f"{self.path.name}: {member}", self.unpack(self.members[member]))

    def unpack(self, info: zipfile.ZipInfo) -> bytes:
        """Unpack a member, to one byte above its declared size at most: one that holds more is a lie."""
        name = f"{self.path.name}: {info.filename[:100]}"
        self.unpacked += info.file_size
        if self.unpacked > self.most or is_bomb(len(self.data), min(self.unpacked, limits.UNPACKED)):
            raise FileFormatError(
                f"{name}: {len(self.data):,} bytes give {self.unpacked:,} or more (a zip bomb?), expected "
                f"at most {self.most:,}; split the log"
            )
        if info.flag_bits & 1:
            raise FileFormatError(f"{name}: needs a password; a log of Inspect needs none")
        packed = self._packed(info)
        if info.compress_type == zipfile.ZIP_STORED:
            content = packed
        elif info.compress_type == zipfile.ZIP_DEFLATED:
            content = zlib.decompressobj(-15).decompress(packed, info.file_size + 1)
        elif info.compress_type == _ZSTANDARD:
            content = _zstandard(name, packed, info.file_size + 1)
        else:
            raise FileFormatError(f"{name}: packed in an unknown way ({info.compress_type})")
        if len(content) != info.file_size:
            what = (
                "is cut off" if len(content) < info.file_size else "holds more than it declares (a zip bomb?)"
            )
            raise FileFormatError(f"{name}: {what}")
        return content

    def _packed(self, info: zipfile.ZipInfo) -> bytes:
        start = info.header_offset
        fields = _LOCAL_HEADER.unpack(self.data[start : start + _LOCAL_HEADER.size])
        begin = start + _LOCAL_HEADER.size + fields[-2] + fields[-1]  # behind name and extra field
        return self.data[begin : begin + info.compress_size]


def _zstandard(name: str, packed: bytes, limit: int) -> bytes:
    """Unpack Zstandard data, which Python's own ZIP reader cannot, to so many bytes at most."""
    import zstandard

    try:
        reader = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(BytesIO(packed))
        return bytes(reader.read(limit))
    except (zstandard.ZstdError, MemoryError) as error:
        raise FileFormatError(f"{name}: damaged: {error}") from error


def _read_archive(archive: _Archive) -> InspectLog:
    names = archive.members
    start = "header.json" if "header.json" in names else "_journal/start.json"
    if start not in names:
        raise FileFormatError(
            f"{archive.path.name}: a ZIP archive without an Inspect header; expected an .eval log"
        )
    header = archive.json(start)
    if not isinstance(header, dict):
        raise FileFormatError(f"{archive.path.name}: {start} is no object; expected an .eval log")
    return _log(archive.path, header, _summaries(archive))


def _objects(path: Path, samples: object) -> list[dict[str, Any]]:
    """Return samples that must be a list of objects; none where the log holds none."""
    if samples is None:
        return []
    if not isinstance(samples, list) or not all(isinstance(sample, dict) for sample in samples):
        raise FileFormatError(f"{path.name}: damaged: its samples are not all objects with their fields")
    return samples


def _log(path: Path, header: dict[str, Any], samples: Iterable[dict[str, Any]]) -> InspectLog:
    """Put together what the header and the samples say."""
    spec, found = _mapping(header.get("eval")), list(islice(samples, limits.LOG_SAMPLES + 1))
    if len(found) > limits.LOG_SAMPLES:
        raise FileFormatError(
            f"{path.name}: more than {limits.LOG_SAMPLES:,} samples; split the log, or give its scores as a "
            f"table (Parquet or CSV), of which {limits.COLUMN_ROWS:,} rows are read"
        )
    reducers = _mapping(spec.get("config")).get("epochs_reducer")
    return InspectLog(
        name=path.name,
        status=str(header.get("status", "started")),
        task=str(spec.get("task", "")),
        model=str(spec.get("model", "")),
        n_planned=_planned_samples(spec),
        reducers=tuple(map(str, reducers)) if isinstance(reducers, list) else (),
        summaries=tuple(found),
        settings=_asked_with(spec, _mapping(header.get("plan"))),
    )


def _asked_with(spec: dict[str, Any], plan: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Collect what may differ between two runs of one task and changes answers."""
    steps = plan.get("steps")
    solvers = [str(_mapping(step).get("solver")) for step in steps] if isinstance(steps, list) else []
    config = {**_mapping(spec.get("model_generate_config")), **_mapping(plan.get("config"))}
    named = {
        "task version": spec.get("task_version"),
        "solver": " + ".join(solvers) if solvers else None,
        **{f"task argument {name}": value for name, value in _mapping(spec.get("task_args")).items()},
        **{name: config.get(name) for name in _ANSWERING},
    }
    return tuple(
        (name[:_SETTING], str(value)[:_SETTING])
        for name, value in named.items()
        if isinstance(value, str | int | float) and not any(word in name.casefold() for word in _SECRET)
    )


def _mapping(value: object) -> dict[str, Any]:
    """Return an object's fields; none where there is no object."""
    return value if isinstance(value, dict) else {}


def _planned_samples(spec: dict[str, Any]) -> int | None:
    """Count the samples a run set out to take."""
    ids = _mapping(spec.get("dataset")).get("sample_ids")
    epochs = _mapping(spec.get("config")).get("epochs")
    if not isinstance(ids, list):
        return None
    return len(ids) * (epochs if isinstance(epochs, int) and 0 < epochs < 10**6 else 1)


def _summaries(archive: _Archive) -> Iterator[dict[str, Any]]:
    """Return the summaries of all samples; those of a crashed run are in its journal, in parts."""
    if "summaries.json" in archive.members:
        yield from _objects(archive.path, archive.json("summaries.json"))
        return
    parts = [name for name in archive.members if name.startswith("_journal/summaries/")]
    for name in sorted(parts, key=lambda name: (len(name), name)):
        yield from _objects(archive.path, archive.json(name))


_ERROR = 200
"""Characters of an error that are shown."""
_THIN = 5120
"""Characters that Inspect keeps of a text in the summary of a sample."""


def read_inspect_scores(
    path: Path, *, metric: str | None, cluster: str | None, log: InspectLog | None = None
) -> ScoreFile:
    """Read one scorer's values from an Inspect log."""
    log = read_inspect_log(path) if log is None else log
    values = [_named_scores(summary.get("scores")) for summary in log.summaries]
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


def _named_scores(scores: object) -> dict[str, object]:
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
    family = None
    if cluster is not None:
        lacking = f"{log.name}: sample {item!r} has no metadata"
        family = family_of(summary.get("metadata"), cluster, lacking, "metadata")
    failed = summary.get("error") is not None
    score = None if failed else graded(log.name, item, scores.get(metric))
    outcome = FAILED if failed else NO_SCORE if score is None else SCORED
    return (
        item,
        shown(summary.get("epoch", 1)),
        score,
        outcome,
        text_of(family),
        _asked_fingerprint(summary),
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
