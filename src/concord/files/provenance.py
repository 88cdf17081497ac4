"""What every result carries about how it was made."""

import platform
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from concord.records import InputFile, ScoredBy
from concord.version import RESULT_FORMAT, __version__

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
