"""Where a result lies: in the folder that was given, or where commands put it below that folder."""

import os
from pathlib import Path

from concord.files.contents import is_file
from concord.files.safe_csv import plain_cell as plain

__all__ = ["BELOW", "folder_name", "folder_with", "holding_folder", "plain"]

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
