"""Inspect logs, `.eval` and `.json`: header and samples, also as a table; samples of lm-eval as a table.

An `.eval` log is a ZIP archive whose members are deflated or, in current versions, compressed with Zstandard.
A finished log has `header.json` and `summaries.json`; one of a crashed run has only its journal. A `.json`
log is one document, transcripts and all.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from concord.errors import FileFormatError
from concord.files import limits
from concord.files.contents import fingerprint, read_bytes
from concord.files.frames import from_mappings
from concord.files.gate import check_json_size, is_bomb
from concord.files.grids import Grid
from concord.files.json_text import decoded, parsed
from concord.files.raw_replies import raw_reply
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


def log_grid(path: Path, data: bytes) -> Grid | None:
    """Return the samples of a log as a table; None where a file is none."""
    # A row has the metadata of its sample, ``id``, ``epoch``, ``input``, ``target``, ``choices``, ``model``,
    # the reply in ``response``, what a scorer read in it in ``model_answer``, and the value of a scorer in
    # ``score`` (of several in ``score_NAME``).
    if path.suffix.lower() == ".eval":
        log, whole = read_inspect_log(path), _whole_samples(path, data)
    elif (document := _json_log(path)) is not None:
        whole = {_key_of(one): one for one in _objects(path, document.get("samples"))}
        log = _log(path, document, whole.values())
    else:
        return None
    rows = [_sample_row(log, {**summary, **whole.get(_key_of(summary), {})}) for summary in log.summaries]
    if not rows:
        raise FileFormatError(f"{path.name}: the log holds no sample (status {log.status!r})")
    told = () if log.finished else (f"{log.name}: the run did not finish (status {log.status!r})",)
    return replace(from_mappings(rows, path.name), inputs=(fingerprint(path.name, data),), warnings=told)


def _key_of(sample: Mapping[str, Any]) -> tuple[str, str]:
    return str(sample.get("id")), str(sample.get("epoch", 1))


def _whole_samples(path: Path, data: bytes) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the samples of an `.eval` log that were kept whole, with what the model said."""
    with zipfile.ZipFile(BytesIO(data)) as opened:
        members = {one.filename: one for one in opened.infolist() if one.filename.startswith("samples/")}
    archive = _Archive(path, data, members)
    found = [archive.json(name) for name in members if name.endswith(".json")]
    return {_key_of(one): one for one in found if isinstance(one, dict)}


def _sample_row(log: InspectLog, sample: Mapping[str, Any]) -> dict[str, object]:
    """Return one sample as a row; a name of its metadata counts before a name of the log."""
    scores = sample.get("scores")
    held = {str(name): _mapping(one) if isinstance(one, dict) else {"value": one}
            for name, one in (scores if isinstance(scores, dict) else {}).items()}  # fmt: skip
    said = raw_reply(sample["output"]) if isinstance(sample.get("output"), dict) else None
    read = next((one["answer"] for one in held.values() if isinstance(one.get("answer"), str)), None)
    asked = sample.get("input")
    target = sample.get("target")
    own = {
        "id": sample.get("id"),
        "epoch": sample.get("epoch", 1),
        "input": asked if isinstance(asked, str) else None,
        "target": target[0] if isinstance(target, list) and len(target) == 1 else target,
        "choices": sample.get("choices"),
        "model": log.model,
        "response": None if said is None else said.text,
        "model_answer": read if read is not None else None if said is None else said.text,
        "error": None if sample.get("error") is None else "error",
    }
    values = {"score" if len(held) == 1 else f"score_{name}": one.get("value") for name, one in held.items()}
    made = {**values, **own, **_mapping(sample.get("metadata"))}
    return {name: value for name, value in made.items() if value is not None}


LM_EVAL_OUTPUTS = ("resps", "filtered_resps", "arguments")
"""What lm-eval writes of a sample beside its document."""


def is_lm_eval(row: Mapping[str, Any]) -> bool:
    """Whether a line is one of lm-eval's, and not of a table of one's own that calls its items so."""
    return "doc_id" in row and ("metrics" in row or any(name in row for name in LM_EVAL_OUTPUTS))


def lm_eval_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Return samples of lm-eval as rows: fields of the document, and what the model said or chose."""
    # A document that several filters read is there once: what the model said is the same.
    found: dict[str, dict[str, object]] = {}
    for row in rows:
        said = row.get("resps")
        first = said[0] if isinstance(said, list) and said else None
        own: dict[str, object] = {"id": row.get("doc_id"), "model": path.parent.name or path.stem}
        places = _likelihoods(said)
        if places:
            target = str(row.get("target"))
            best = max(range(len(places)), key=places.__getitem__)
            own |= {"chosen": ascii_uppercase[best], "n_options": len(places)}
            if target.isdecimal() and int(target) < len(places):
                own["right"] = ascii_uppercase[int(target)]
        else:
            own |= {"response": first[0] if isinstance(first, list) and first else first}
            own["target"] = row.get("target")
        found.setdefault(str(row.get("doc_id")), {**own, **_mapping(row.get("doc"))})
    return list(found.values())


def _likelihoods(said: object) -> list[float]:
    """Return the log likelihood of every option; none where a sample was written, not chosen."""
    found = []
    for one in said if isinstance(said, list) else []:
        part = one[0] if isinstance(one, list) and one else None
        if not isinstance(part, list) or len(part) != 2:
            return []
        try:
            found.append(float(part[0]))
        except (TypeError, ValueError):
            return []
    return found if 1 < len(found) <= len(ascii_uppercase) else []
