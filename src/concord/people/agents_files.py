"""Many agents as files, written and read back: one document, one table, and a folder per agent."""

from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from concord.engine import SERIAL, Engine
from concord.files.codec import decode, encode
from concord.files.documents import heading, read_document
from concord.files.output import distinct_names, write_csv, write_json
from concord.files.provenance import provenance
from concord.people.agents_result import AgentsResult, row_of
from concord.people.files import write as write_single

DOCUMENT, NUMBERS = "agents.json", "agents.csv"
_KIND = "people result of many agents"
_OWN = ("without", "tables")
"""Fields that the codec does not write: arrays are lists here, and tables of tests are not kept."""


def document(result: AgentsResult) -> dict[str, Any]:
    """Return the document of a result."""
    kept = {f.name: getattr(result, f.name) for f in fields(result) if f.name not in _OWN}
    return {
        **heading(_KIND),
        "question": "people",
        **{name: encode(value) for name, value in kept.items()},
        "without": {name: _listed(values) for name, values in result.without.items()},
        "folders": dict(_folders(result)),
        "provenance": provenance(result.inputs),
    }


def _listed(values: Any) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in values]


def _folders(result: AgentsResult) -> list[tuple[str, str]]:
    """Name the folder of each agent."""
    names = [agent.name for agent in result.agents]
    return list(zip(names, distinct_names(names), strict=True))


def write(result: AgentsResult, folder: Path, *, engine: Engine = SERIAL) -> tuple[Path, ...]:
    """Write all files of a result; the inverse of `read`.

    Parameters
    ----------
    result
        The result; one that was read back holds no tests, and no folders per agent are written then.
    folder
        Where `agents.json`, `agents.csv` and one folder per agent go.
    engine
        Where the results of single agents are computed; changes nothing in them.

    Returns
    -------
    tuple of Path
        The files, the document first.
    """
    rows = [row_of(agent) for agent in result.agents]
    write_csv(folder / NUMBERS, list(rows[0]), [list(row.values()) for row in rows])
    written = [folder / DOCUMENT, folder / NUMBERS]
    places = dict(_folders(result))
    for one in result.each(engine=engine):
        written.extend(write_single(one, folder / places[str(one.model)]))
    write_json(folder / DOCUMENT, document(result))
    return tuple(written)


def read(folder: Path) -> AgentsResult:
    """Read a result; the inverse of `write`, without the tests themselves.

    Raises
    ------
    FileFormatError
        The folder holds no such result, or a field of it cannot be used.
    """
    path = folder / DOCUMENT
    found = read_document(path, _KIND)
    lists = decode(dict[str, list[list[float | None]]], found.get("without"), where=f"{path}, 'without'")
    arrays = {
        name: np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=float)
        for name, rows in lists.items()
    }
    hints = get_type_hints(AgentsResult)
    plain: dict[str, Any] = {
        f.name: decode(hints[f.name], found.get(f.name), where=f"{path}, {f.name!r}")
        for f in fields(AgentsResult)
        if f.name not in _OWN
    }
    return AgentsResult(without=arrays, **plain)
