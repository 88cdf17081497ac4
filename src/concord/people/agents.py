"""Many agents as a result that is written and read back: one document, one table, and a folder per agent.

A folder that holds results already makes way for those of the same table and model, and is refused to others.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, get_type_hints

import numpy as np

from concord.errors import FileFormatError, OptionError, listed
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.documents import holding_folder, provenance, read_document
from concord.files.json_text import parsed
from concord.files.limits import AGENT_FOLDERS
from concord.files.number_words import (
    how_many,
    interval_words,
    joined_names,
    leaders,
    level_words,
    number,
    p_words,
)
from concord.files.output import distinct_names, write_csv, write_json
from concord.kinds import PAGE, PAPER, TERMINAL, Column, Kind, PictureOf, Table
from concord.people.files import DETAILED, STUDY, SUMMARY, PeopleResult
from concord.people.protocol import STANDARD, Protocol
from concord.people.referee import STUDIES as REFEREE_STUDIES
from concord.people.referee import TESTS as REFEREE_TESTS
from concord.people.referee import RefereeResult
from concord.people.result import COMPARED, METRICS, AgentPair, AgentScores, AgentStanding, Score, human_row
from concord.people.tables import LEFT_OUT, SCORE_COLUMNS, left_out_words
from concord.records import CellLeftOut, Estimate, InputFile, Interval
from concord.stats.elementwise import Floats, each_or_none, or_nan
from concord.stats.multiple import distinguishable

MOST_PAIRS = 6
"""Pairs that screens name in words; files hold all of them."""
MOST_SHOWN = 20
"""Agents of which the page shows every number and every pair; of more, files hold them."""
MOST_LETTERS = 8
"""Groups up to which a column of letters is easier to read than their number."""
_OWN = ("without", "one")
"""Fields that the codec does not write: arrays are lists here, and results of single agents are files."""


def _file_columns(metric: str) -> Iterator[Column]:
    """Return the columns of a metric in `agents.csv`."""
    yield Column(
        metric,
        lambda agent: getattr(agent, metric).estimate,
        spread={metric: "value", f"{metric}_low": "low", f"{metric}_high": "high"},
    )
    new = f"{metric}_new_participants"
    yield Column(
        new, lambda agent: getattr(agent, metric).fresh, spread={f"{new}_low": "low", f"{new}_high": "high"}
    )
    for end in ("floor", "ceiling", "place") if metric in ("pas", "ecs") else ():
        yield Column(f"{metric}_{end}", partial(_end_of, metric, end))


def _end_of(metric: str, end: str, agent: AgentScores) -> Estimate | None:
    score: Score = getattr(agent, metric)
    return score.end(end)


FILE_ROWS = Table(
    "agents",
    rows=lambda result: result.agents,
    file="agents.csv",
    on=(),
    columns=(
        Column("agent", lambda agent: agent.name),
        Column("n_tests"),
        Column("n_missing"),
        *(column for metric in METRICS for column in _file_columns(metric)),
    ),
)


class _BoardRow(NamedTuple):
    """A row of the leaderboard: an agent, or what the others are read by."""

    agent: str
    short: str
    pas: Estimate | None
    place: float | None
    ecs: Estimate | None
    apr: Estimate | None
    tests: str
    group: str


LONGEST_NAME = 36
"""Characters of a name on the terminal; files and pages hold it whole."""


def short_names(names: Sequence[str]) -> list[str]:
    """Cut long names in their middle, where they stay distinct."""
    half = LONGEST_NAME // 2
    short = [name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}" for name in names]
    return short if len(set(short)) == len(short) else list(names)


def _board(result: "AgentsResult") -> list[_BoardRow]:
    """Return a row per agent, the highest PAS first, then floor, ceiling and people against people.

    A number that no agent has is left out of every row: given PAS have neither effects nor places.
    """
    ordered = result.in_order()
    has = {name: any(getattr(one, name).value is not None for one in ordered) for name in COMPARED}
    rows = [
        _BoardRow(
            agent.name,
            short,
            agent.pas.estimate,
            None if (place := agent.pas.end("place")) is None else place.value,
            agent.ecs.estimate if has["ecs"] else None,
            agent.apr.estimate if has["apr"] else None,
            f"{max(agent.pas.estimate.n, agent.ecs.estimate.n)}/{agent.n_tests}",
            _group_letters(result, agent.name),
        )
        for agent, short in zip(ordered, short_names([agent.name for agent in ordered]), strict=True)
    ]
    has["place"] = any(row.place is not None for row in rows)
    return [*rows, *_references(result, has)]


def _group_letters(result: "AgentsResult", name: str) -> str:
    """Return a letter for each group that an agent belongs to, as in a compact letter display."""
    groups = result.standing("pas").groups
    places = [i for i, group in enumerate(groups) if name in group]
    if len(groups) < 2 or not places:
        return ""
    many = len(groups) > MOST_LETTERS
    words = [str(i + 1) if many else chr(ord("a") + i) for i in places]
    return f"{words[0]}–{words[-1]}" if many and len(words) > 2 else (" " if many else "").join(words)


def _references(result: "AgentsResult", has: Mapping[str, bool]) -> Iterator[_BoardRow]:
    """Return the rows to read the others by: simulated agents, and people who repeated studies of people."""
    for end, who, place in (
        ("floor", "agents without effects", 0.0),
        ("ceiling", "perfect replications", 1.0),
    ):
        pas, ecs = (_mean_end(result, metric, end) for metric in ("pas", "ecs"))
        if pas is not None or ecs is not None:
            spans = [words for words in (_span(result, metric, end) for metric in ("pas", "ecs")) if words]
            name = f"({end}: {', '.join([who, *spans])})"
            yield _BoardRow(name, name, pas, place, ecs, None, "", "")
    if result.protocol == STANDARD:
        row = human_row()
        place_of = row.pas.end("place")
        name = f"(people: {row.n} other studies, run again)"
        yield _BoardRow(
            name,
            name,
            row.pas.estimate,
            None if place_of is None or not has["place"] else place_of.value,
            row.ecs.estimate if has["ecs"] else None,
            row.apr.estimate if has["apr"] else None,
            str(row.n),
            "",
        )


def _ends(result: "AgentsResult", metric: str, end: str) -> list[float]:
    found = (_end_of(metric, end, agent) for agent in result.agents)
    return [one.value for one in found if one is not None and one.value is not None]


def _mean_end(result: "AgentsResult", metric: str, end: str) -> Estimate | None:
    known = _ends(result, metric, end)
    return Estimate(sum(known) / len(known)) if known else None


def _span(result: "AgentsResult", metric: str, end: str) -> str:
    """Return the range of a floor or a ceiling where agents were asked with other sample sizes."""
    known = _ends(result, metric, end)
    low, high = (number(least(known, default=None), 2) for least in (min, max))
    return "" if low == high else f"{metric.upper()} {low} to {high}"


BOARD = Table(
    "board",
    rows=_board,
    title=lambda result: (
        f"Agreement of {len(result.agents)} agents with people · protocol {result.protocol.name}"
    ),
    columns=(
        Column("agent", lambda row: row.short, words=True, on=(TERMINAL,)),
        Column("agent", words=True, on=(PAGE, PAPER)),
        Column("pas", title="PAS", digits=3, ends=2),
        Column("place", optional=True),
        Column("ecs", title="ECS", digits=3, ends=2, optional=True),
        Column("apr", title="APR", optional=True),
        Column("tests", words=True),
        Column("group", words=True, optional=True),
    ),
)


class _NumberRow(NamedTuple):
    agent: str
    of: str
    metric: str
    score: Score


def _every_number(result: "AgentsResult") -> Iterator[_NumberRow]:
    """Yield every score of every agent; of many agents files alone hold them."""
    for agent in result.in_order() if len(result.agents) <= MOST_SHOWN else ():
        own: dict[str, Mapping[str, Score]] = {"all": {name: getattr(agent, name) for name in METRICS}}
        for domain, scores in {**own, **agent.domains}.items():
            yield from (_NumberRow(agent.name, domain, name, score) for name, score in scores.items())


EVERY_NUMBER = Table(
    "numbers",
    rows=_every_number,
    title="Every number of every agent, by domain",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("agent", words=True),
        Column("of", title="tests of", words=True),
        Column("metric", words=True),
        *SCORE_COLUMNS,
    ),
)
LACKING = Table(
    "lacking",
    rows=lambda result: [agent for agent in result.agents if agent.n_missing],
    title="Tests that an agent lacks and others have",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("name", title="agent", words=True),
        Column("n_missing", title="lacks", count=True),
        Column("n_tests", title="tests", count=True),
    ),
)


STANDINGS = Table(
    "standings",
    rows=lambda result: result.standings,
    title="Orders of the agents, and how many pairs are distinguishable",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("metric", lambda one: one.metric.upper(), words=True),
        Column("n_pairs", title="pairs", count=True),
        Column("n_distinguishable", title="distinguishable", count=True),
        Column("order", lambda one: ", ".join(one.order[:MOST_PAIRS]), "highest first", words=True),
    ),
)


class _PairRow(NamedTuple):
    pair: AgentPair
    difference: Estimate


def _pair_rows(result: "AgentsResult") -> Iterator[_PairRow]:
    for one in result.pairs if len(result.agents) <= MOST_SHOWN else ():
        ends = None if one.low is None or one.high is None else Interval(one.low, one.high, result.level, "")
        yield _PairRow(one, Estimate(one.difference, ends, one.n_tests, note=one.note))


PAIRS = Table(
    "pairs",
    rows=_pair_rows,
    title="Pairs of agents, first minus second",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("first", lambda row: row.pair.first, words=True),
        Column("second", lambda row: row.pair.second, words=True),
        Column("metric", lambda row: row.pair.metric, words=True),
        Column("difference", sign=True),
        Column("p", lambda row: row.pair.p_value, p=True),
        Column("p_holm", lambda row: row.pair.p_holm, "p (Holm)", p=True),
        Column("n_tests", lambda row: row.pair.n_tests, "tests", count=True),
        Column("n_studies", lambda row: row.pair.n_studies, "studies", count=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class AgentsResult(Kind):
    """Many agents on the same tests; ``result["NAME"]`` is that of one, as a single scoring gives it."""

    FORMAT: ClassVar[str] = "people result of many agents"
    FILE: ClassVar[str] = "agents.json"
    QUESTION: ClassVar[str] = "people"
    SECTION: ClassVar[str] = "agents"
    HEADING: ClassVar[str] = "Many agents"
    KEY: ClassVar[str] = "standings"
    TABLES: ClassVar[tuple[Table, ...]] = (
        *(FILE_ROWS, BOARD, EVERY_NUMBER, LACKING, STANDINGS, PAIRS, LEFT_OUT),
    )
    PICTURES: ClassVar[tuple[PictureOf, ...]] = (PictureOf("pas", "people_plots.agents_picture", small=True),)
    CITES: ClassVar[tuple[str, ...]] = ("holm1979",)
    UNSHOWN: ClassVar[frozenset[str]] = frozenset(
        {
            "without",
            "n_resamples",
            "n_simulations",
            "protocol",
            "n_undirected",
            "rows_of_table",
        }  # the title names the protocol
    )

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
    assumptions: tuple[str, ...] = ()
    """What had to be assumed, with the tests it concerns and the column that would remove it."""
    n_undirected: int = 0
    """Tests that have no direction on a side of some agent."""
    left_out: tuple[CellLeftOut, ...] = ()
    """Cells of the table that could not be read; their sides, or rows, are not scored."""
    rows_of_table: tuple[int, int] = (0, 0)
    """Rows of all agents that are scored, and all of them, where some are left out."""
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

    def in_order(self) -> list[AgentScores]:
        """Return agents from the highest PAS to the lowest; those without one last."""
        return sorted(self.agents, key=lambda one: math.inf if one.pas.value is None else -one.pas.value)

    def sentences(self) -> Sequence[str]:
        """Return what was left out, who leads, from how many it cannot be distinguished, what was assumed."""
        left = left_out_words(self.left_out, *self.rows_of_table)
        return [*left, *self._lead(), *(f"Assumed: {line}." for line in self.assumptions)]

    def _depends(self) -> str:
        """Say that the order may rest on tests without a direction, where they could turn it."""
        values = [agent.pas.value for agent in self.in_order() if agent.pas.value is not None]
        n_tests = max((agent.n_tests for agent in self.agents), default=0)
        if not self.n_undirected or len(values) < 2 or values[0] - values[1] > self.n_undirected / n_tests:
            return ""
        return (
            f" {self.n_undirected} of {n_tests} tests have no direction on a side, and who is first may "
            "depend on it: give directions."
        )

    def _lead(self) -> Sequence[str]:
        ordered = self.in_order()
        best, tied = ordered[0], leaders([(agent.name, agent.pas.value) for agent in ordered])
        if best.pas.value is None:
            return [f"None of the {len(self.agents)} agents has a PAS: {best.pas.estimate.note}."]
        ends = "no interval" if best.pas.interval is None else interval_words(best.pas.interval)
        has = "has the highest PAS" if len(tied) == 1 else "have the same PAS, the highest"
        lead = f"{joined_names(tied, whose='agents')} {has}, {number(best.pas.value, 2)} ({ends})"
        if len(self.agents) == 1:
            return [lead + "."]
        standing = self.standing("pas")
        if not standing.n_pairs:
            why = "no pair of agents can be tested: too few studies, or no spread between them"
            return [f"{lead}; {why}.{self._depends()}"]
        alike = {name for group in standing.groups if best.name in group for name in group} - {best.name}
        others = (
            "every other agent is distinguishable from it"
            if not alike
            else "no other agent can be distinguished from it"
            if len(alike) == len(self.agents) - 1
            else f"{len(alike)} of the {len(self.agents) - 1} others cannot be distinguished from it"
        )
        return [
            f"{lead}; {others}. {standing.n_distinguishable} of {standing.n_pairs} pairs of agents are "
            f"distinguishable (paired by study, Holm, {1 - self.level:.2g}).{self._depends()}"
        ]

    def notes(self) -> Sequence[str]:
        """Return what the numbers rest on, which pairs are distinguishable, and what agents lack."""
        grouped = (
            "Agents that share a letter or number of a group cannot be distinguished."
            if len(self.standing("pas").groups) > 1
            else "No two agents can be distinguished."
        )
        lacking = [agent for agent in self.agents if agent.n_missing]
        named = ", ".join(f"{agent.n_missing} {agent.name}" for agent in lacking[:5])
        more = f" and {len(lacking) - 5} more agents" if len(lacking) > 5 else ""
        reasons = dict.fromkeys(agent.ecs.estimate.note for agent in self.agents if agent.ecs.value is None)
        return [
            f"Intervals: {level_words(self.level)}, other studies like these ({len(self.studies)} here). "
            f"{grouped}",
            *self._pairs_apart(),
            *([f"Tests that an agent lacks and others have: {named}{more}."] if lacking else []),
            *(f"ECS: {reason}" for reason in reasons),
        ]

    def _pairs_apart(self) -> Iterator[str]:
        if self.pairs_note:
            yield self.pairs_note
        by_pas = [row for row in self.pairs if row.metric == "pas"]
        apart = [row for row in by_pas if distinguishable(row.p_holm, level=self.level)]
        apart.sort(key=lambda row: -abs(0.0 if row.difference is None else row.difference))
        for row in apart[:MOST_PAIRS]:
            difference, names = row.difference, (row.first, row.second)
            if difference is not None and difference < 0:
                difference, names = -difference, (row.second, row.first)
            yield f"  {names[0]} − {names[1]}: {number(difference, 2, sign=True)} ({p_words(row.p_holm)})"
        if len(apart) > MOST_PAIRS:
            yield f"  and {len(apart) - MOST_PAIRS} more pairs, in agents.json"

    def who(self) -> Sequence[str]:
        """Return the agents."""
        return [agent.name for agent in self.agents]

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        return (
            f"{how_many(len(self.agents), 'agent was', 'agents were')} scored with {concord} on the same "
            f"tests of {how_many(len(self.studies), 'study', 'studies')}, protocol {self.protocol.name}; "
            "pairs were compared study by study, their p-values adjusted by Holm's (1979) method. Intervals "
            f"are {level_words(self.level)}, for other studies like these."
        )

    def document(self) -> dict[str, Any]:
        """Return what `agents.json` holds below its heading."""
        kept = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _OWN}
        return {
            "question": self.QUESTION,
            **{name: encode(value) for name, value in kept.items()},
            "without": {name: [each_or_none(row) for row in rows] for name, rows in self.without.items()},
            "folders": self._folders(),
            "provenance": provenance(self.inputs),
        }

    def _folders(self) -> dict[str, str]:
        """Name the folder of each agent; none where there are too many of them."""
        names = [agent.name for agent in self.agents] if len(self.agents) <= AGENT_FOLDERS else []
        return dict(zip(names, distinct_names(names), strict=True))

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write `agents.json`, `agents.csv`, and a folder per agent with the files of its own result."""
        folder, places = Path(out), self._folders()
        write_csv(folder / FILE_ROWS.file, FILE_ROWS.file_columns(), FILE_ROWS.file_rows(self))
        written = [folder / self.FILE, folder / FILE_ROWS.file]
        if self.left_out:
            write_csv(folder / LEFT_OUT.file, *LEFT_OUT.file_table(self))
            written.append(folder / LEFT_OUT.file)
        for one in self.each() if places else ():
            written.extend(one.write(folder / places[str(one.model)]))
        write_json(folder / self.FILE, self.to_dict())
        return tuple(written)

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a result back; results of single agents are read from their folders when asked for."""
        path = holding_folder(Path(folder), cls.FILE) / cls.FILE
        found = read_document(path, cls.FORMAT)
        hints = get_type_hints(cls)
        plain: dict[str, Any] = {
            one.name: decode(hints[one.name], found.get(one.name), where=f"{path}, {one.name!r}")
            for one in fields(cls)
            if one.name not in _OWN
        }
        places = decode(dict[str, str], found.get("folders", {}), where=f"{path}, 'folders'")
        one = partial(_read_one, path.parent, places)
        result = cls(without=_arrays(found.get("without"), f"{path}, 'without'"), one=one, **plain)
        if not result.agents:
            raise FileFormatError(f"{path}, 'agents': holds no agent")
        missing = [metric for metric in COMPARED if metric not in {one.metric for one in result.standings}]
        if missing and len(result.agents) > 1:
            raise FileFormatError(f"{path}, 'standings': holds none of {', '.join(missing)}")
        return result


def _arrays(document: object, where: str) -> dict[str, Floats]:
    """Read arrays from lists in which what is undefined is null."""
    lists = decode(dict[str, list[list[float | None]]], document, where=where)
    for name, rows in lists.items():
        if len({len(row) for row in rows}) > 1:
            raise FileFormatError(f"{where}, {name!r}: rows differ in length")
    return {name: np.array([list(map(or_nan, row)) for row in rows], float) for name, rows in lists.items()}


def _read_one(folder: Path, places: Mapping[str, str], name: str) -> PeopleResult:
    """Read the result of one agent from its own folder."""
    if name not in places:
        raise FileFormatError(f"{folder / AgentsResult.FILE}, 'folders': {name!r} has no folder of its own")
    return PeopleResult.read(folder / places[name])


def make_way(folder: Path, inputs: Sequence[InputFile], model: str | None) -> tuple[Path, ...]:
    """Make way for a result about people: remove the files of an earlier one of the same input."""
    earlier = [path for path in (folder / SUMMARY, folder / AgentsResult.FILE) if path.is_file()]
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
    for path in (folder / SUMMARY, folder / AgentsResult.FILE):
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
    if summary.name == AgentsResult.FILE:
        places = [folder / str(name) for name in dict(_read_earlier(summary).get("folders", {})).values()]
        inner = [
            file for place in places if (place / SUMMARY).is_file() for file in _own_files(place / SUMMARY)
        ]
        own = (folder / FILE_ROWS.file, folder / LEFT_OUT.file, summary)
        return [*inner, *(path for path in own if path.is_file())]
    studies = [path for path in folder.glob(f"*/{STUDY}") if path.is_file()]
    tables = (DETAILED, RefereeResult.FILE, REFEREE_TESTS.file, REFEREE_STUDIES.file, LEFT_OUT.file)
    others = (*(folder / name for name in tables), summary)
    return [*studies, *(path for path in others if path.is_file())]
