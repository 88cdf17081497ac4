"""What scoring many agents on the same tests gives: each agent's numbers, all pairs, and who stands apart."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.engine import SERIAL, Engine
from concord.people.protocol import Protocol
from concord.people.result import PeopleResult, Score
from concord.people.uncertainty import METRICS
from concord.records import InputFile, Presented, TestTable
from concord.stats.elementwise import Floats

if TYPE_CHECKING:
    import polars as pl


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
    tables: Mapping[str, TestTable] = field(default_factory=dict, compare=False)
    """The agents' tests, where they were scored here: what results of single agents are made from."""

    def __getitem__(self, name: str) -> AgentScores:
        """Return one agent by its name."""
        return next(agent for agent in self.agents if agent.name == name)

    def standing(self, metric: str = "pas") -> AgentStanding:
        """Return the order and the groups of a metric."""
        return next(one for one in self.standings if one.metric == metric)

    def each(self, *, engine: Engine = SERIAL) -> Iterator[PeopleResult]:
        """Score every agent alone and return its whole result, one after another."""
        from dataclasses import replace

        from concord.people.score import score_table

        for name, table in self.tables.items():
            found = score_table(
                table,
                self.protocol,
                level=self.level,
                n_resamples=self.n_resamples,
                n_simulations=self.n_simulations,
                seed=self.seed,
                engine=engine,
            )
            yield replace(found, model=name)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `agents.json` holds."""
        from concord.people.agents_files import document

        return document(self)

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per agent: every headline number with its intervals, floor, ceiling and place."""
        import polars as pl

        return pl.DataFrame([row_of(agent) for agent in self.agents], infer_schema_length=None)

    def write(self, out: str | Path, *, engine: Engine = SERIAL) -> tuple[Path, ...]:
        """Write `agents.json`, `agents.csv`, and a folder per agent with the files of its own result."""
        from concord.people.agents_files import write

        return write(self, Path(out), engine=engine)


def row_of(agent: AgentScores) -> dict[str, object]:
    """Return the row of an agent in a table: numbers, ends of intervals, floor, ceiling and place."""
    row: dict[str, object] = {"agent": agent.name, "n_tests": agent.n_tests, "n_missing": agent.n_missing}
    for metric in METRICS:
        score: Score = getattr(agent, metric)
        row[metric] = score.value
        for name, ends in (("", score.interval), ("_new_participants", score.fresh)):
            row[f"{metric}{name}_low"] = None if ends is None else ends.low
            row[f"{metric}{name}_high"] = None if ends is None else ends.high
        if metric in ("pas", "ecs"):
            bounds = score.bounds
            for end in ("floor", "ceiling", "place"):
                row[f"{metric}_{end}"] = None if bounds is None else getattr(bounds, end).value
    return row
