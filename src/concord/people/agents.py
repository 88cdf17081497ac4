"""Many agents as a result that is written and read back: one document, one table, and a folder per agent.

A folder that holds results already makes way for those of the same table and model, and is refused to others.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Self, get_type_hints

import numpy as np

from concord.errors import FileFormatError, OptionError, listed
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.documents import holding_folder, provenance, read_document
from concord.files.json_text import parsed
from concord.files.left_out import left_out_sentences
from concord.files.limits import AGENT_FOLDERS
from concord.files.output import distinct_names, write_json
from concord.kinds import Kind, PictureOf
from concord.number_words import joined_names, leaders
from concord.people.agent_tables import (
    BOARD,
    CHOOSING,
    EVERY_NUMBER,
    FILE_PAIRS,
    FILE_ROWS,
    LACKING,
    MOST_PAIRS,
    SHOWN_PAIRS,
    STANDINGS,
)
from concord.people.files import DETAILED, STUDY, SUMMARY, PeopleResult
from concord.people.protocol import Protocol
from concord.people.referee import STUDIES as REFEREE_STUDIES
from concord.people.referee import TESTS as REFEREE_TESTS
from concord.people.referee import RefereeResult
from concord.people.result import COMPARED, AgentPair, AgentScores, AgentStanding, HumanRow
from concord.people.tables import LEFT_OUT
from concord.records import InputFile, LeftOutCell
from concord.stats.elementwise import Floats, each_or_none, or_nan
from concord.stats.leaderboard import Chosen, Omnibus
from concord.stats.multiple import distinguishable
from concord.words import bare_reason, say

_OF_PAS = ("best_set", "omnibus", "chosen")
"""What the document holds of PAS beside the standings of all metrics."""
_OWN = ("without", "one")
"""Fields that the codec does not write: arrays are lists here, and results of single agents are files."""


@dataclass(frozen=True, slots=True, repr=False)
class AgentsResult(Kind):
    """Many agents on the same tests; ``result["NAME"]`` is that of one, as a single scoring gives it."""

    FORMAT, FILE, KEY = "people result of many agents", "agents.json", "standings"
    QUESTION, SECTION, HEADING = "people", "agents", "Many models"
    TABLES = (
        *(FILE_ROWS, FILE_PAIRS, BOARD, STANDINGS, CHOOSING, EVERY_NUMBER, LACKING, SHOWN_PAIRS, LEFT_OUT),
    )
    PICTURES = (
        PictureOf("pas", "people_plots.agents_picture", small=True),
        PictureOf("specifications", "people_plots.specifications_picture"),
    )
    CITES = ("rouder2009", "lin1989", "holm1979")
    UNSHOWN = frozenset(
        {"without", "n_resamples", "n_simulations", "protocol", "n_undirected", "rows_of_table"}
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
    left_out: tuple[LeftOutCell, ...] = ()
    """Cells of the table that could not be read; their sides, or rows, are not scored."""
    rows_of_table: tuple[int, int] = (0, 0)
    """Rows of all agents that are scored, and all of them, where some are left out."""
    people: HumanRow | None = None
    """Original studies scored against the people of the same effects, where all were measured twice."""
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

    @property
    def best_set(self) -> tuple[str, ...]:
        """The agents that may be best by PAS in other studies like these."""
        return self.standing("pas").best_set

    @property
    def omnibus(self) -> Omnibus | None:
        """Whether agents differ in PAS at all."""
        return self.standing("pas").omnibus

    @property
    def chosen(self) -> Chosen | None:
        """What choosing the agent with the highest PAS is worth."""
        return self.standing("pas").chosen

    def sentences(self) -> Sequence[str]:
        """Return what was left out, who leads, what choosing it is worth, who differs, what was assumed."""
        left = left_out_sentences(self.left_out, *self.rows_of_table)
        return [*left, *self._lead(), *(say("people.one.assumed", line=line) for line in self.assumptions)]

    def _depends(self) -> str:
        """Say that the order may rest on tests without a direction, where they could turn it."""
        values = [agent.pas.value for agent in self.in_order() if agent.pas.value is not None]
        n_tests = max((agent.n_tests for agent in self.agents), default=0)
        if not self.n_undirected or len(values) < 2 or values[0] - values[1] > self.n_undirected / n_tests:
            return ""
        return " " + say("people.many.undirected", k=self.n_undirected, n=n_tests)

    def _lead(self) -> Sequence[str]:
        ordered = self.in_order()
        best, tied = ordered[0], leaders([(agent.name, agent.pas.value) for agent in ordered])
        if best.pas.value is None:
            return [say("people.many.none", n=len(self.agents), why=best.pas.estimate.note)]
        lead = say(
            "people.many.lead",
            names=joined_names(tied),
            one=len(tied),
            value=best.pas.value,
            ends=best.pas.interval,
        )
        if len(self.agents) == 1:
            return [lead + "."]
        return [
            lead + self.choosing_words() + "." + self._depends(),
            self.here_words(),
            *self._others_words(),
        ]

    def choosing_words(self) -> str:
        """Say what the best agent's number becomes where it was not chosen by it."""
        found = self.chosen
        if found is None or found.value is None:
            return ""
        chosen = {"n": len(self.agents), "value": found.value, "low": found.low, "high": found.high}
        return say("people.many.chosen", **chosen, mean=found.mean) + say(
            "people.many.luck", leads=found.leads
        )

    def here_words(self) -> str:
        """Say how many pairs differ on these studies."""
        standing = self.standing("pas")
        if not standing.n_pairs_here:
            reasons = dict.fromkeys(one.these_studies.note for one in self.pairs if one.metric == "pas")
            why = next(filter(None, reasons), self.pairs_note).removeprefix("no interval: ")
            return say("people.many.here_none", why=why)
        differ, n = standing.n_distinguishable_here, standing.n_pairs_here
        return say("people.many.here", k=differ, n=n, alpha=1 - self.level)

    def _others_words(self) -> Iterator[str]:
        """Say how many pairs differ in other studies, and what could have been found."""
        standing = self.standing("pas")
        if not standing.n_pairs:
            if not self.pairs_note:
                yield say("people.many.elsewhere_none")
            return
        yield say("people.many.elsewhere", said=self.others_words())
        found = standing.omnibus
        if found is not None and found.p_value is not None and found.p_f is not None:
            differ = distinguishable(max(found.p_value, found.p_f), level=self.level)
            tests = {"friedman": found.p_value, "f": found.p_f}
            yield say("people.many.omnibus", differ=differ, best=self.best_words(), **tests)

    def others_words(self) -> str:
        """Say how many pairs differ in other studies, and which difference would have been found."""
        standing, studies = self.standing("pas"), len(self.studies)
        least, more = standing.smallest_found, standing.studies_needed
        said = say("people.many.pairs", k=standing.n_distinguishable, n=standing.n_pairs, rule=standing.rule)
        if least is not None and least < 1:
            said += say("people.many.findable", studies=studies, models=len(self.agents), least=least)
        elif least is not None:  # no two shares are farther apart than 1
            said += say("people.many.findable_none", studies=studies, models=len(self.agents))
        if more is not None and more > studies:
            said += say("people.many.needed", n=more, largest=standing.largest)
        return said

    def best_words(self) -> str:
        """Say which agents may be best."""
        names, n = self.best_set, len(self.agents)
        if len(names) == n:
            return say("people.many.best_any", n=n)
        if len(names) == 1:
            return say("people.many.best_one", name=names[0])
        return say("people.many.best_some", k=len(names), n=n)

    def notes(self) -> Sequence[str]:
        """Return what the numbers rest on, which pairs differ, and what agents lack."""
        lacking = [agent for agent in self.agents if agent.n_missing]
        named = ", ".join(f"{agent.n_missing} {agent.name}" for agent in lacking[:5])
        more = len(lacking) - 5 if len(lacking) > 5 else None
        reasons = dict.fromkeys(agent.ecs.estimate.note for agent in self.agents if agent.ecs.value is None)
        grouped = len(self.standing("pas").groups) > 1
        return [
            say("people.many.level", level=self.level, n=len(self.studies), grouped=grouped),
            *self._pairs_apart(),
            *([say("people.many.lacking", named=named, more=more)] if lacking else []),
            *(say("people.lacking.undefined", name="ECS", note=bare_reason(reason)) for reason in reasons),
        ]

    def _pairs_apart(self) -> Iterator[str]:
        """Name the pairs that differ on these studies, the largest differences first."""
        if self.pairs_note:
            yield self.pairs_note
        apart = [
            row
            for row in self.pairs
            if row.metric == "pas" and distinguishable(row.these_studies.p_holm, level=self.level)
        ]
        apart.sort(key=lambda row: -abs(0.0 if row.difference is None else row.difference))
        for row in apart[:MOST_PAIRS]:
            difference, names = row.difference, (row.first, row.second)
            if difference is not None and difference < 0:
                difference, names = -difference, (row.second, row.first)
            yield say(
                "people.many.pair",
                first=names[0],
                second=names[1],
                difference=difference,
                here=row.these_studies.p_holm,
                others=row.p_other_studies,
            )
        if len(apart) > MOST_PAIRS:
            yield say("people.many.more_pairs", n=len(apart) - MOST_PAIRS, file=FILE_PAIRS.file)

    def who(self) -> Sequence[str]:
        """Return the agents."""
        return [agent.name for agent in self.agents]

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        redrawn = any(standing.n_pairs_here for standing in self.standings)
        return say(
            "people.method.many",
            concord=concord,
            models=len(self.agents),
            studies=len(self.studies),
            protocol=self.protocol.name,
            redrawn=say("people.method.redrawn", n=self.n_resamples) if redrawn else "",
            guarded="guarded range" in {standing.rule for standing in self.standings},
            level=self.level,
            measures=self.protocol.measures(),
        )

    def document(self) -> dict[str, Any]:
        """Return what `agents.json` holds below its heading."""
        kept = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _OWN}
        return {
            "question": self.QUESTION,
            **{name: encode(value) for name, value in kept.items()},
            "without": {name: [each_or_none(row) for row in rows] for name, rows in self.without.items()},
            **({name: encode(getattr(self, name)) for name in _OF_PAS} if self.standings else {}),
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
        written = [folder / self.FILE, *self.write_tables(folder)]
        for each in self.each() if places else ():
            written.extend(each.write(folder / places[str(each.model)]))
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
        own = (*(folder / one.file for one in (FILE_ROWS, FILE_PAIRS, LEFT_OUT)), summary)
        return [*inner, *(path for path in own if path.is_file())]
    studies = [path for path in folder.glob(f"*/{STUDY}") if path.is_file()]
    tables = (DETAILED, RefereeResult.FILE, REFEREE_TESTS.file, REFEREE_STUDIES.file, LEFT_OUT.file)
    others = (*(folder / name for name in tables), summary)
    return [*studies, *(path for path in others if path.is_file())]
