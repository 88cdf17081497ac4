"""Inspect logs, `.eval` and `.json`: header and samples, without loading Inspect itself.

An `.eval` log is a ZIP archive whose members are deflated or, in current versions, compressed with Zstandard.
A finished log has `header.json` and `summaries.json`; one of a crashed run has only its journal. A `.json`
log is one document, transcripts and all.
"""

import json
import struct
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError

MAX_MEMBER_BYTES = 500 * 2**20
"""A larger member is refused unread."""
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

    @property
    def finished(self) -> bool:
        """The run reached its end."""
        return self.status == "success"


def read_inspect_log(path: Path) -> InspectLog:
    """Read the header and the sample summaries of a log.

    Parameters
    ----------
    path
        An `.eval` file.

    Raises
    ------
    FileFormatError
        The file is missing, cut off, damaged, or not a log.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(path, archive)
    except FileNotFoundError as error:
        raise FileFormatError(f"{path}: no such file") from error
    except zipfile.BadZipFile as error:
        raise FileFormatError(
            f"{path.name}: the log is cut off or damaged ({error}); recover what was kept with: "
            f"inspect log recover, or run the evaluation again with: inspect eval-retry {path.name}"
        ) from error
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read: {error.strerror}") from error


def read_json_log(path: Path) -> InspectLog | None:
    """Read a `.json` log; None where the file is something else, such as a table."""
    document = _document(path)
    return None if document is None else _log(path, document, document.get("samples") or [])


def _document(path: Path) -> dict[str, Any] | None:
    """Return the document of a `.json` log; None where the file is something else."""
    try:
        with path.open("rb") as file:
            if not file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                return None
            file.seek(0)
            document = json.load(file)
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        return None
    return document if {"eval", "status"} <= document.keys() else None


def _read(path: Path, archive: zipfile.ZipFile) -> InspectLog:
    names = set(archive.namelist())
    start = "header.json" if "header.json" in names else "_journal/start.json"
    if start not in names:
        raise FileFormatError(f"{path.name}: a ZIP archive without an Inspect header; expected an .eval log")
    header = _json(path, archive, start)
    return _log(path, header, _summaries(path, archive, names))


def _log(path: Path, header: dict[str, Any], samples: Iterable[dict[str, Any]]) -> InspectLog:
    """Put together what the header and the samples say."""
    spec, found = _mapping(header.get("eval")), list(samples)
    if not all(isinstance(sample, dict) for sample in found):
        raise FileFormatError(f"{path.name}: damaged: its samples are not all objects with their fields")
    return InspectLog(
        name=path.name,
        status=str(header.get("status", "started")),
        task=str(spec.get("task", "")),
        model=str(spec.get("model", "")),
        n_planned=_planned(spec),
        reducers=tuple(map(str, _mapping(spec.get("config")).get("epochs_reducer") or ())),
        summaries=tuple(found),
    )


def _mapping(value: object) -> dict[str, Any]:
    """Return an object's fields; none where there is no object."""
    return value if isinstance(value, dict) else {}


def _planned(spec: dict[str, Any]) -> int | None:
    """Count the samples a run set out to take."""
    ids = _mapping(spec.get("dataset")).get("sample_ids")
    epochs = _mapping(spec.get("config")).get("epochs")
    if not isinstance(ids, list):
        return None
    return len(ids) * (epochs if isinstance(epochs, int) else 1)


def _summaries(path: Path, archive: zipfile.ZipFile, names: set[str]) -> Iterator[dict[str, Any]]:
    """Return the summaries of all samples; those of a crashed run stand in its journal, in parts."""
    if "summaries.json" in names:
        yield from _json(path, archive, "summaries.json")
        return
    parts = [name for name in names if name.startswith("_journal/summaries/")]
    for name in sorted(parts, key=lambda name: (len(name), name)):
        yield from _json(path, archive, name)


def _json(path: Path, archive: zipfile.ZipFile, member: str) -> Any:
    """Read one member as JSON."""
    info = archive.getinfo(member)
    if info.file_size > MAX_MEMBER_BYTES:
        raise FileFormatError(f"{path.name}: {member} holds {info.file_size:,} bytes, too many to read")
    data = _zstandard(path, info) if info.compress_type == _ZSTANDARD else archive.read(info)
    try:
        return json.loads(data)
    except ValueError as error:
        raise FileFormatError(f"{path.name}: {member} is not valid JSON: {error}") from error


def _zstandard(path: Path, info: zipfile.ZipInfo) -> bytes:
    """Unpack a member that Python's own ZIP reader cannot."""
    import zstandard

    with path.open("rb") as file:
        file.seek(info.header_offset)
        fields = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        file.seek(fields[-2] + fields[-1], 1)  # name and extra field
        packed = file.read(info.compress_size)
    try:
        data = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    except zstandard.ZstdError as error:
        raise FileFormatError(f"{path.name}: {info.filename} is damaged: {error}") from error
    if len(data) != info.file_size:
        raise FileFormatError(f"{path.name}: {info.filename} is cut off")
    return data
