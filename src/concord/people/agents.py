"""Many agents as a result that is written and read back: one document, one table, and a folder per agent.

A folder that holds results already makes way for those of the same table and model, and is refused to others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np

from concord.errors import FileFormatError, OptionError, listed
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.documents import heading, provenance, read_document
from concord.files.json_text import parsed
from concord.files.limits import AGENT_FOLDERS
from concord.files.output import distinct_names, write_csv, write_json
from concord.people.files import DETAILED, STUDY, SUMMARY, PeopleResult
from concord.people.files import read as read_single
from concord.people.files import write as write_single
from concord.people.protocol import Protocol
from concord.people.referee import DOCUMENT as REFEREE
from concord.people.referee import STUDIES as REFEREE_STUDIES
from concord.people.referee import TABLE as REFEREE_TABLE
from concord.people.result import METRICS, Score
from concord.records import InputFile, Presented
from concord.stats.elementwise import Floats

if TYPE_CHECKING:
    import polars as pl


COMPARED = ("pas", "ecs", "apr")
"""The metrics in which agents are compared pair by pair; each has a standing."""


@dataclass(frozen=True, slots=True)
class AgentScores:
    """One agent among many: the headline numbers, and PAS and ECS by domain."""

    name: str
    pas: Score
    ecs: Score
    apr: Score
    ecs_strict: Score
    domains: Mapping[str, Mapping[str, Score]]
    """By domain, then by metric."""
    n_tests: int = 0
    """Tests that any agent has."""
    n_missing: int = 0
    """Those of them that this agent lacks."""


@dataclass(frozen=True, slots=True)
class AgentPair:
    """One metric of two agents over the tests that both have; first minus second."""

    first: str
    second: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    """Adjusted for the number of pairs, each metric a family of its own."""
    n_tests: int
    n_studies: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class AgentStanding:
    """Agents in the order of one metric, and which cannot be distinguished."""

    metric: str
    order: tuple[str, ...]
    """From the highest number to the lowest; an agent without one has no place."""
    groups: tuple[tuple[str, ...], ...]
    """Agents none of whose pairs differ at the level, after Holm; groups may overlap."""
    n_pairs: int
    n_distinguishable: int


def row_of(agent: AgentScores) -> dict[str, object]:
    """Return the row of an agent in a table: numbers, ends of intervals, floor, ceiling and place."""
    row: dict[str, object] = {"agent": agent.name, "n_tests": agent.n_tests, "n_missing": agent.n_missing}
    for metric in METRICS:
        score: Score = getattr(agent, metric)
        row[metric] = score.value
        for name, ends in (("", score.interval), ("_new_participants", score.new_participants)):
            row[f"{metric}{name}_low"] = None if ends is None else ends.low
            row[f"{metric}{name}_high"] = None if ends is None else ends.high
        if metric in ("pas", "ecs"):
            bounds = score.bounds
            for end in ("floor", "ceiling", "place"):
                row[f"{metric}_{end}"] = None if bounds is None else getattr(bounds, end).value
    return row


DOCUMENT, NUMBERS = "agents.json", "agents.csv"
_KIND = "people result of many agents"
_OWN = ("without", "one")
"""Fields that the codec does not write: arrays are lists here, and results of single agents are files."""


@dataclass(frozen=True, slots=True, repr=False)
class AgentsResult(Presented):
    """Many agents on the same tests."""

    agents: tuple[AgentScores, ...]
    protocol: Protocol
    level: float
    seed: int
    without: Mapping[str, Floats] = field(compare=False)
    """Each metric of each agent without each study in turn, (A, S): what paired comparisons rest on."""
    studies: tuple[str, ...] = ()
    pairs: tuple[AgentPair, ...] = ()
    """All pairs of agents and metrics; none are listed for more agents than `pairs_note` says."""
    standings: tuple[AgentStanding, ...] = ()
    """For PAS, ECS and APR."""
    pairs_note: str = ""
    n_resamples: int = 0
    n_simulations: int = 0
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    one: Callable[[str], PeopleResult] | None = field(default=None, compare=False)
    """Gives the result of one agent by its name."""

    def __getitem__(self, name: str) -> PeopleResult:
        """Return the result of one agent by its name: that of a single scoring, to the last digit."""
        names = [agent.name for agent in self.agents]
        if name not in names:
            raise OptionError(f"there is no agent {name!r}; expected {listed(names)}")
        if self.one is None:
            raise OptionError(f"the result of {name!r} alone is not here: score its table")
        return self.one(name)

    def standing(self, metric: str = "pas") -> AgentStanding:
        """Return the order and the groups of a metric."""
        return next(one for one in self.standings if one.metric == metric)

    def each(self) -> Iterator[PeopleResult]:
        """Return the result of every agent, one after another; none where they are not to be had."""
        yield from () if self.one is None else (self.one(agent.name) for agent in self.agents)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `agents.json` holds."""
        return document(self)

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per agent: every headline number with its intervals, floor, ceiling and place."""
        import polars as pl

        return pl.DataFrame([row_of(agent) for agent in self.agents], infer_schema_length=None)

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `agents.json`, `agents.csv`, and a folder per agent with the files of its own result."""
        return write(self, Path(out))


def document(result: AgentsResult) -> dict[str, Any]:
    """Return the document of a result."""
    kept = {f.name: getattr(result, f.name) for f in fields(result) if f.name not in _OWN}
    return {
        **heading(_KIND),
        "question": "people",
        **{name: encode(value) for name, value in kept.items()},
        "without": {name: _rows_or_none(values) for name, values in result.without.items()},
        "folders": dict(_folders(result)),
        "provenance": provenance(result.inputs),
    }


def _rows_or_none(values: Any) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in values]


def _folders(result: AgentsResult) -> list[tuple[str, str]]:
    """Name the folder of each agent; none where there are too many of them."""
    if len(result.agents) > AGENT_FOLDERS:
        return []
    names = [agent.name for agent in result.agents]
    return list(zip(names, distinct_names(names), strict=True))


def write(result: AgentsResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result; the inverse of `read`."""
    rows = [row_of(agent) for agent in result.agents]
    write_csv(folder / NUMBERS, list(rows[0]), [list(row.values()) for row in rows])
    written = [folder / DOCUMENT, folder / NUMBERS]
    places = dict(_folders(result))
    for one in result.each() if places else ():
        written.extend(write_single(one, folder / places[str(one.model)]))
    write_json(folder / DOCUMENT, document(result))
    return tuple(written)


class _FromFolders:
    """Reads the result of one agent from its own folder."""

    def __init__(self, folder: Path, places: Mapping[str, str]) -> None:
        self._folder, self._places = folder, places

    def read(self, name: str) -> PeopleResult:
        """Return the result of an agent by its name."""
        if name not in self._places:
            raise FileFormatError(f"{self._folder / DOCUMENT}, 'folders': {name!r} has no folder of its own")
        return read_single(self._folder / self._places[name])


def read(folder: Path) -> AgentsResult:
    """Read a result; the inverse of `write`, without the tests themselves."""
    path = folder / DOCUMENT
    found = read_document(path, _KIND)
    lists = decode(dict[str, list[list[float | None]]], found.get("without"), where=f"{path}, 'without'")
    for name, rows in lists.items():
        if len({len(row) for row in rows}) > 1:
            raise FileFormatError(f"{path}, 'without', {name!r}: rows differ in length")
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
    places = decode(dict[str, str], found.get("folders", {}), where=f"{path}, 'folders'")
    result = AgentsResult(without=arrays, one=_FromFolders(folder, places).read, **plain)
    if not result.agents:
        raise FileFormatError(f"{path}, 'agents': holds no agent")
    missing = [metric for metric in COMPARED if metric not in {one.metric for one in result.standings}]
    if missing and len(result.agents) > 1:
        raise FileFormatError(f"{path}, 'standings': holds none of {', '.join(missing)}")
    return result


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
