"""What every JSON document that Concord writes says first: which kind it is, and in which format version.

``{"format": "concord people result", "format_version": 2, …}``. The key is ``format``, since ``kind`` is
a key of its own in comparisons and plans. Below it are the provenance that every result carries and the
places where results lie.
"""

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from concord.errors import FileFormatError
from concord.files.codec import decode
from concord.files.contents import is_file, read_bytes
from concord.files.json_text import parsed
from concord.records import InputFile, ScoredBy
from concord.version import RESULT_FORMAT, __version__

T = TypeVar("T")


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
    if version != RESULT_FORMAT or isinstance(version, bool):
        raise FileFormatError(
            f"{where}: format version {version!r}, expected {RESULT_FORMAT}; "
            "score again, or use the version that wrote it"
        )
    if document.get("format") != f"concord {kind}":
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


_PACKAGES = ("numpy", "scipy", "polars", "fastexcel")


def provenance(inputs: Iterable[InputFile], by: ScoredBy | None = None) -> dict[str, Any]:
    """Return format and package versions, inputs with their hashes, and the commit where it is known."""
    return {
        "format_version": RESULT_FORMAT,
        "concord_version": __version__,
        "commit": commit_of(Path(__file__).parents[3]),
        "python_version": platform.python_version(),
        "packages": _versions(),
        "inputs": [asdict(file) for file in inputs],
        **recorded(by),
    }


def recorded(by: ScoredBy | None) -> dict[str, Any]:
    """Return what files say of who computed a result, as keys of its document; none where they do not."""
    return {} if by is None or by.concord_version is None else asdict(by)


def _versions() -> dict[str, str]:
    """Return the versions of the packages that numbers come from."""
    return {name: _version(name) for name in _PACKAGES}


@cache
def _version(package: str) -> str:
    """Return an installed version; reading it takes milliseconds, and every document names it."""
    return metadata.version(package)


def commit_of(checkout: Path) -> str | None:
    """Return the commit of a checkout or worktree; None for anything else, such as an installed wheel."""
    git = checkout / ".git"
    if git.is_file():
        git = checkout / git.read_text("utf-8").strip().removeprefix("gitdir: ")
    head = git / "HEAD"
    if not head.is_file():
        return None
    text = head.read_text("utf-8").strip()
    if not text.startswith("ref: "):
        return text
    common = git / "commondir"
    shared = git / common.read_text("utf-8").strip() if common.is_file() else git
    name = text.removeprefix("ref: ")
    ref = shared / name
    return ref.read_text("utf-8").strip() if ref.is_file() else _packed(shared / "packed-refs", name)


def _packed(path: Path, ref: str) -> str | None:
    if not path.is_file():
        return None
    lines = [line.split() for line in path.read_text("utf-8").splitlines()]
    return next((parts[0] for parts in lines if len(parts) == 2 and parts[1] == ref), None)


BELOW = (".", "results", "consistency", "results/consistency")
"""A scored table, a scored run, a scored structure table, a scored structure run."""


def folder_with(source: object, *files: str) -> Path | None:
    """Return the folder that holds all these files: the path itself, or where a run or a scoring put them."""
    if not isinstance(source, str | os.PathLike):
        return None
    for place in BELOW:
        folder = Path(source) / place
        if all(is_file(folder / name) for name in files):
            return folder
    return None


def holding_folder(source: Path, *files: str) -> Path:
    """Return the folder that holds all these files; the path itself where none does, for a message of it."""
    found = folder_with(source, *files)
    return source if found is None else found


def folder_name(source: str | os.PathLike[str]) -> str:
    """Name a result by the folder that was given, not by where in it the files lie."""
    folder = Path(source).absolute()
    if folder.name in ("..", "."):
        folder = folder.resolve()
    while folder.name in ("results", "consistency") and folder.parent.name:
        folder = folder.parent
    return folder.name
