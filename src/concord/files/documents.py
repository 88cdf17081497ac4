"""What every JSON document that Concord writes says first: which kind it is, and in which format version.

``{"format": "concord people result", "format_version": 2, …}``. The key is ``format``, since ``kind`` is
a key of its own in comparisons and plans. Documents of version 1 named their kind in several ways, or not at
all; they are still read, and told by their other keys.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from concord.errors import FileFormatError
from concord.files.codec import decode
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.version import RESULT_FORMAT

T = TypeVar("T")

READ_VERSIONS = (1, 2)


def heading(kind: str) -> dict[str, Any]:
    """Return the keys that open a document.

    Examples
    --------
    >>> heading("people result")
    {'format': 'concord people result', 'format_version': 2}
    """
    return {"format": f"concord {kind}", "format_version": RESULT_FORMAT}


def check_heading(document: object, kind: str, *, where: str) -> dict[str, Any]:
    """Return a document that says what it should; refuse any other."""
    if not isinstance(document, dict):
        raise FileFormatError(f"{where}: holds a {type(document).__name__}, expected a {kind} of Concord")
    version = document.get("format_version")
    if version not in READ_VERSIONS or isinstance(version, bool):
        raise FileFormatError(
            f"{where}: format version {version!r}, expected one of {', '.join(map(str, READ_VERSIONS))}; "
            "score again, or use the version that wrote it"
        )
    if version != 1 and document.get("format") != f"concord {kind}":
        found = document.get("format")
        raise FileFormatError(f"{where}: format is {found!r}, expected {f'concord {kind}'!r}")
    return document


def read_document(path: Path, kind: str) -> dict[str, Any]:
    """Read a document and check its heading."""
    document = parsed(str(path), read_bytes(path))
    return check_heading(document, kind, where=str(path))


def read_record(record: type[T], path: Path, kind: str) -> T:
    """Read a document back as the record that `encode` wrote."""
    return decode(record, read_document(path, kind), where=str(path))


def need_keys(document: Mapping[str, Any], keys: Sequence[str], where: object) -> None:
    """Refuse a document that lacks a key."""
    lacking = [key for key in keys if key not in document]
    if lacking:
        raise FileFormatError(f"{where}: has no key {lacking[0]!r}; is this a result that Concord wrote?")
