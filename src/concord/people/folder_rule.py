"""Where a folder holds results already: those of the same table and model are replaced, others refused."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, OptionError
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.people.agents_files import DOCUMENT, NUMBERS
from concord.people.files import DETAILED, STUDY, SUMMARY
from concord.people.referee.files import DOCUMENT as REFEREE
from concord.people.referee.files import STUDIES as REFEREE_STUDIES
from concord.people.referee.files import TABLE as REFEREE_TABLE
from concord.records import InputFile


def make_way(folder: Path, inputs: Sequence[InputFile], model: str | None) -> tuple[Path, ...]:
    """Make way for a result about people: remove the files of an earlier one of the same input."""
    earlier = [path for path in (folder / SUMMARY, folder / DOCUMENT) if path.is_file()]
    for path in earlier:
        before = _read_earlier(path)
        called = before.get("model")
        if _input_names(before) != {one.name for one in inputs} or (called and model and called != model):
            raise _refusal(folder, before, model)
    removed = []
    for path in earlier:
        removed.extend(_own_files(path))
    for path in removed:
        path.unlink()
        place = path.parent
        while place != folder and not any(place.iterdir()):
            place.rmdir()
            place = place.parent
    return tuple(removed)


def refuse_other_table(folder: Path, table: str, model: str | None) -> None:
    """Refuse a folder that holds the result of another table, before minutes were spent on this one."""
    for path in (folder / SUMMARY, folder / DOCUMENT):
        before = _read_earlier(path) if path.is_file() else {}
        if _inputs(before) and table not in _input_names(before):
            raise _refusal(folder, before, model)


def _refusal(folder: Path, before: dict[str, Any], model: str | None) -> OptionError:
    of, called = ", ".join(sorted(_input_names(before))) or "something else", before.get("model")
    return OptionError(
        f"{folder} holds the result of {of}{f' ({called})' if called else ''}; choose another --out, "
        f"such as --out {folder}/{model if model else 'second'}, or remove the folder first"
    )


def _read_earlier(path: Path) -> dict[str, Any]:
    try:
        found = parsed(path.name, read_bytes(path))
    except FileFormatError:
        return {}
    return found if isinstance(found, dict) else {}


def _inputs(document: dict[str, Any]) -> list[dict[str, Any]]:
    given = document.get("inputs", document.get("provenance", {}).get("inputs", []))
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _input_names(document: dict[str, Any]) -> set[str]:
    return {str(one.get("name")) for one in _inputs(document)}


def _own_files(summary: Path) -> list[Path]:
    """Return the files that a result wrote: documents, tables, one document per study, folders of agents."""
    folder = summary.parent
    if summary.name == DOCUMENT:
        places = [folder / str(name) for name in dict(_read_earlier(summary).get("folders", {})).values()]
        inner = [
            file for place in places if (place / SUMMARY).is_file() for file in _own_files(place / SUMMARY)
        ]
        return [*inner, *(path for path in (folder / NUMBERS, summary) if path.is_file())]
    studies = [path for path in folder.glob(f"*/{STUDY}") if path.is_file()]
    tables = (DETAILED, REFEREE, REFEREE_TABLE, REFEREE_STUDIES)
    others = (*(folder / name for name in tables), summary)
    return [*studies, *(path for path in others if path.is_file())]
