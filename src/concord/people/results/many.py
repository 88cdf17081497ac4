"""Many agents on the same tests: the numbers of each, all pairs, and each as a result of its own.

What people say, their new samples, floor, ceiling and the layout of the jackknife are computed once for all
agents of one design (the same tests with the same sample sizes); arrays have agents before tests, (A, T).
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine
from concord.errors import MismatchError, UndefinedError, listed
from concord.files.left_out import refusal_of
from concord.files.limits import AGENT_FOLDERS
from concord.numeric import SMALLEST_D, gated
from concord.people.agents import AgentsResult
from concord.people.evidence import Evidence
from concord.people.families.registry import KINDS
from concord.people.files import PeopleResult
from concord.people.memory import originals
from concord.people.protocol import STANDARD, Protocol
from concord.people.result import COMPARED, METRICS, AgentScores, Score
from concord.people.results.agent_pairs import COLUMNS, compare_agents
from concord.people.results.one import N_RESAMPLES, people_again, score_agent, score_from
from concord.people.results.same_tests import AgentTests, SameTests
from concord.people.score import levels as aggregate
from concord.people.score.levels import Profiles
from concord.people.score.sides import SideTable
from concord.people.score.test_scores import Context, TestScores, score_tests
from concord.people.table.agents import on_the_same_tests
from concord.people.uncertainty.floor_ceiling import METRICS as BOUNDED
from concord.people.uncertainty.floor_ceiling import N_SIMULATIONS, Simulation
from concord.people.uncertainty.new_participants import NewSamples
from concord.people.uncertainty.other_studies import (
    Bound,
    all_levels,
    ecs_by_data,
    jackknife_bound,
    mean_bounds,
    rate_bounds,
)
from concord.people.words import assumptions_of, flags_of
from concord.records import SideOutcome, TestRow, TestTable
from concord.stats.elementwise import Floats, or_none
from concord.stats.equivalence import SMALLEST_OF_INTEREST


@gated(margin=SMALLEST_D)
def score_agents(
    tables: Mapping[str, TestTable],
    protocol: Protocol = STANDARD,
    *,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    n_simulations: int = N_SIMULATIONS,
    seed: int = 0,
    engine: Engine = SERIAL,
    margin: float = SMALLEST_OF_INTEREST,
) -> AgentsResult:
    """Score many agents on the same tests."""
    if not tables:
        raise UndefinedError("there is no agent to score")
    tables = {name: originals(table) for name, table in tables.items()}
    _check_shared(tables)
    given, tables = tables, on_the_same_tests(tables)
    names, sorted_rows = list(tables), [_sorted(table) for table in tables.values()]
    _check_same(names, sorted_rows)
    same = SameTests.of(
        sorted_rows[0],
        protocol,
        level=level,
        n_resamples=n_resamples,
        n_simulations=n_simulations,
        seed=seed,
        engine=engine,
    )
    layout = same.layout
    rows = layout.rows
    agents = [same.agent(own) for own in sorted_rows]
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for i, own in enumerate(agents):
        groups[own.design].append(i)
    found: dict[int, AgentScores] = {}
    samples: dict[int, NewSamples] = {}
    shape = (len(names), len(layout.rows))
    without = {metric: np.full((len(names), len(layout.studies)), np.nan) for metric in METRICS}
    columns = {name: np.full(shape, np.nan) for name in COLUMNS}
    undirected = np.zeros(shape, dtype=np.bool_)
    for members in groups.values():
        group = _compute(same, [agents[i] for i in members], folders=len(names) <= AGENT_FOLDERS)
        bounds = {
            (metric, domain): _intervals(group, metric, domain)
            for metric in METRICS
            for domain in (None, *range(len(layout.domains)))
        }
        for place, i in enumerate(members):
            n_missing = len(rows) - len(given[names[i]].rows)
            found[i] = replace(_agent(group, bounds, place, names[i]), n_tests=len(rows), n_missing=n_missing)
            samples[i] = group.samples[place]
            for metric in METRICS:
                without[metric][i] = group.without[metric][place]
        for name, column in columns.items():
            column[members] = getattr(group.scores, name)
        undirected[members] = group.scores.two_states
    why_not = next(filter(None, (same.why_not_redrawn(agent) for agent in agents)), "")
    compared = compare_agents(
        names,
        columns,
        layout,
        protocol,
        level=level,
        redraws=why_not if why_not else lambda i, masks, plain: same.redrawn(agents[i], i, masks, plain),
        reach={metric: _reaches(metric, [found[i] for i in range(len(names))]) for metric in COMPARED},
        seed=seed,
    )

    def one(name: str) -> PeopleResult:
        """Return the whole result of one agent: that of its table scored alone, to the last digit."""
        i = names.index(name)
        return score_agent(same, replace(tables[name], model=name), agents[i], samples[i], margin=margin)

    return AgentsResult(
        agents=tuple(found[i] for i in range(len(names))),
        protocol=protocol,
        level=level,
        seed=seed,
        without=without,
        studies=layout.studies,
        **compared,
        n_resamples=n_resamples,
        n_simulations=n_simulations,
        inputs=tuple(dict.fromkeys(one for table in tables.values() for one in table.inputs)),
        warnings=(*dict.fromkeys(text for one in tables.values() for text in one.warnings), *_told(names)),
        **_assumed(agents, undirected, protocol),
        **_left_out(tables),
        people=people_again(rows, protocol, level=level, n_simulations=n_simulations),
        one=one,
    )


def _assumed(
    agents: Sequence[AgentTests], undirected: NDArray[np.bool_], protocol: Protocol
) -> dict[str, Any]:
    """Return what had to be assumed in any agent, as for one, and how many tests have no direction."""
    flags: dict[tuple[str, str, str, str], dict[str, None]] = defaultdict(dict)
    for agent, without in zip(agents, undirected.tolist(), strict=True):
        for row, two_states in zip(agent.rows, without, strict=True):
            is_there = row.pas is None and row.human is not None and row.agent is not None
            found = flags_of(
                row, KINDS[row.test_type], protocol, two_states=two_states and is_there, half_directed=None
            )
            flags[row.key].update(dict.fromkeys(found))
    named = (((study, finding, test), found) for (study, _, finding, test), found in flags.items())
    n = sum(any("a side has no direction" in flag for flag in found) for found in flags.values())
    return {"assumptions": assumptions_of(named), "n_undirected": n}


def _left_out(tables: Mapping[str, TestTable]) -> dict[str, Any]:
    """Return the cells of all agents that could not be read, and how many rows they leave."""
    cells = tuple(dict.fromkeys(one for table in tables.values() for one in table.left_out))
    kept, lost = (sum(counts) for counts in zip(*(table.rows_used for table in tables.values()), strict=True))
    return {"left_out": cells, "rows_of_table": (kept, kept + lost) if cells else (0, 0)}


def refuse_uncertain_lead(tables: Mapping[str, TestTable], result: AgentsResult, protocol: Protocol) -> None:
    """Refuse a leader whom rows that were left out for some agents could bring down."""
    # Bounds: every left-out test of the leader as a PAS of 0, every one of the others as 1.
    ordered = [agent for agent in result.in_order() if agent.pas.value is not None]
    if len(ordered) < 2 or not any(one.part == "agent" for one in result.left_out):
        return
    first = ordered[0].name
    worst = {
        name: replace(table, rows=tuple(_as_given(row, 0.0 if name == first else 1.0) for row in table.rows))
        for name, table in tables.items()
    }
    bounds = score_agents(worst, protocol, n_resamples=0, n_simulations=0)
    values = {agent.name: agent.pas.value for agent in bounds.agents}
    low = values[first]
    above = [name for name, value in values.items() if value is not None and low is not None and value > low]
    if above:
        cells = [one for one in result.left_out if one.part == "agent"]
        said = (
            f"the rows left out could change who is first: {first} leads, and {listed(above)} could be above "
            "it if they were read; repair these cells, or score the agents apart:"
        )
        raise refusal_of(cells, said)


def _as_given(row: TestRow, pas: float) -> TestRow:
    """Return a test whose agent side was left out with a PAS that it may have had."""
    if row.agent_outcome is not SideOutcome.LEFT_OUT or row.human is None:
        return row
    return replace(row, pas=pas, n_eff=1.0)


def _reaches(metric: str, agents: Sequence[AgentScores]) -> Floats:
    """Return half the width of each agent's interval over studies; NaN where there is none."""
    ends = [getattr(agent, metric).interval for agent in agents]
    return np.array([np.nan if one is None else (one.high - one.low) / 2 for one in ends])


def _told(names: Sequence[str]) -> list[str]:
    """Say what so many agents do not get."""
    if len(names) <= AGENT_FOLDERS:
        return []
    return [
        f"{len(names):,} models: agents.json and agents.csv hold them all; a folder for each is written "
        f"for at most {AGENT_FOLDERS}, so score a table of one model for its own files"
    ]


def _check_shared(tables: Mapping[str, TestTable]) -> None:
    """Refuse an agent that has no test of any other."""
    owners = Counter(row.key for table in tables.values() for row in table.rows)
    for name, table in tables.items():
        if len(tables) > 1 and not any(owners[row.key] > 1 for row in table.rows):
            raise MismatchError(f"agent {name!r} has no test that another agent has; score it apart")


def _sorted(table: TestTable) -> tuple[TestRow, ...]:
    if not table.rows:
        raise UndefinedError("the table has no tests")
    return tuple(sorted(table.rows, key=lambda row: row.key))


def _check_same(names: Sequence[str], tables: Sequence[tuple[TestRow, ...]]) -> None:
    """Refuse agents that were put to other tests."""
    first = tables[0]
    keys = [row.key for row in first]
    for name, rows in zip(names[1:], tables[1:], strict=True):
        assert [row.key for row in rows] == keys
        for row, other in zip(rows, first, strict=True):
            same = (row.human, row.alpha, row.test_type, row.sampling, row.domain) == (
                *(other.human, other.alpha, other.test_type, other.sampling, other.domain),
            )
            if not same:
                raise MismatchError(
                    f"agent {name!r}: the human side of {row.key!r} is not that of {names[0]!r}"
                )


@dataclass(frozen=True, slots=True)
class _Group:
    """Agents of one design, computed together."""

    shared: SameTests
    scores: TestScores
    levels: dict[str, Any]
    passes: aggregate.Passes
    profiles: Profiles
    ecs_without: Floats
    """(A, S); NaN where a study has no test that ECS uses."""
    has_effects: NDArray[np.bool_]
    """(A, S): which studies have one."""
    ecs_domain_without: Floats
    """(A, D, S)."""
    without: dict[str, Floats]
    samples: tuple[NewSamples, ...]
    """One per agent."""
    simulation: Simulation


def _compute(same: SameTests, agents: Sequence[AgentTests], *, folders: bool) -> _Group:
    """Compute agents of one design; where each gets a folder, floor and ceiling with all that it holds."""
    layout, protocol = same.layout, same.protocol
    size, n_tests = len(agents), len(layout.rows)
    flat_rows = [row for agent in agents for row in agent.rows]
    flat = SideTable.from_rows(flat_rows, [row.agent for row in flat_rows], protocol.agent_prior_odds, KINDS)
    side = flat.evidence(protocol)
    says = Evidence(**{f.name: getattr(side, f.name).reshape((size, n_tests)) for f in fields(side)})
    scores = score_tests(same.says, says, _context(agents), protocol)
    first = agents[0]
    own = first.side.evidence(protocol)
    one = score_tests(same.says, own, first.context, protocol)
    simulation = same.bounds_of(first, own, one, whole=folders)
    samples = tuple(same.new_samples(agent) for agent in agents)
    return _with_jackknife(same, scores, samples, simulation)


def _context(agents: Sequence[AgentTests]) -> Context:
    """Return the context of all agents: what was given instead of computed may differ between them."""
    contexts = [agent.context for agent in agents]
    given = {
        name: np.stack([getattr(one, name) for one in contexts]) for name in ("given_pas", "given_n_eff")
    }
    return replace(contexts[0], **given)


def _with_jackknife(
    shared: SameTests, scores: TestScores, samples: tuple[NewSamples, ...], simulation: Simulation
) -> _Group:
    layout, protocol = shared.layout, shared.protocol
    levels, profiles, passes = all_levels(scores, layout, protocol)
    study, domain_of = layout.study_of_test, layout.domain_of_study[layout.study_of_test]
    everything = np.ones(len(study), dtype=np.bool_)
    parts = [everything, *(domain_of == i for i in range(len(layout.domains)))]
    left = [
        np.stack([profiles.ecs(part & (study != i)) for i in range(len(layout.studies))], axis=-1)
        for part in parts
    ]
    used = np.broadcast_to(profiles.used, scores.pas.shape)
    starts = np.searchsorted(study, np.arange(len(layout.studies)))
    has = np.logical_or.reduceat(used, starts, axis=-1)
    without = {metric: _without_mean(levels[metric].study) for metric in ("pas", "ecs_strict")}
    passed, tests = passes.passed.study, passes.tests.study
    rest = tests.sum(axis=-1, keepdims=True) - tests
    kept = passed.sum(axis=-1, keepdims=True) - passed
    without["apr"] = np.where(rest > 0, kept / np.maximum(rest, 1), np.nan)
    without["ecs"] = np.where(has, left[0], np.nan)
    domains = np.stack(left[1:], axis=-2) if layout.domains else np.empty((*has.shape[:-1], 0, has.shape[-1]))
    return _Group(
        shared=shared,
        scores=scores,
        levels=levels,
        passes=passes,
        profiles=profiles,
        ecs_without=left[0],
        has_effects=has,
        ecs_domain_without=domains,
        without=without,
        samples=samples,
        simulation=simulation,
    )


def _without_mean(values: Floats) -> Floats:
    """Means over studies without each in turn; NaN for a study that has none."""
    defined = ~np.isnan(values)
    total, count = np.where(defined, values, 0.0).sum(-1, keepdims=True), defined.sum(-1, keepdims=True)
    return np.where(defined & (count > 1), (total - values) / np.maximum(count - 1, 1), np.nan)


_AllBounds = Mapping[tuple[str, int | None], list[Bound]]
"""By metric and domain (None: the benchmark), one per agent."""


def _agent(group: _Group, bounds: _AllBounds, i: int, name: str) -> AgentScores:
    domains = group.shared.layout.domains
    by_domain = {
        domain: {metric: _score(group, bounds, i, metric, d) for metric in METRICS}
        for d, domain in enumerate(domains)
    }
    return AgentScores(
        name=name,
        pas=_score(group, bounds, i, "pas", None),
        ecs=_score(group, bounds, i, "ecs", None),
        apr=_score(group, bounds, i, "apr", None),
        ecs_strict=_score(group, bounds, i, "ecs_strict", None),
        domains=by_domain,
    )


def _score(group: _Group, bounds: _AllBounds, i: int, metric: str, domain: int | None) -> Score:
    levels = group.levels[metric]
    value = float(levels.benchmark[i] if domain is None else levels.domain[i, domain])
    bound = bounds[metric, domain][i]
    level = "benchmark" if domain is None else "domain"
    drawn = group.samples[i].bound(metric, or_none(value), level, domain)
    layout, protocol = group.shared.layout, group.shared.protocol
    used = aggregate.counted_tests(group.scores, metric, protocol.apr_over)[i]
    if domain is not None:
        used = used[layout.domain_of_study[layout.study_of_test] == domain]
    score = score_from(metric, value, bound, drawn, (int(used.sum()), int((~used).sum())), protocol)
    if metric not in BOUNDED:
        return score
    return replace(score, bounds=group.simulation.bounds(metric, score.estimate, domain=domain))


def _intervals(group: _Group, metric: str, domain: int | None) -> list[Bound]:
    """Return the intervals of all agents over studies, as `Jackknife` gives them for one."""
    layout, level = group.shared.layout, group.shared.level
    by_data = group.shared.protocol.intervals == "by-data"
    chosen = np.ones(len(layout.studies), dtype=np.bool_) if domain is None else layout.in_domain(domain)
    if metric == "ecs":
        return _ecs_bounds(group, chosen, domain)
    if metric == "apr":
        passed, tests = (table.study[:, chosen] for table in (group.passes.passed, group.passes.tests))
        return rate_bounds(list(zip(passed, tests, strict=True)), level, by_data=by_data)
    return mean_bounds(metric, list(group.levels[metric].study[:, chosen]), level, by_data=by_data)


def _ecs_bounds(group: _Group, chosen: NDArray[np.bool_], domain: int | None) -> list[Bound]:
    shared, levels = group.shared, group.levels["ecs"]
    study = shared.layout.study_of_test
    whole = levels.benchmark if domain is None else levels.domain[:, domain]
    if shared.protocol.intervals == "by-data":
        inside = chosen[study]
        parts = [(group.profiles.of_one(i), inside, float(value)) for i, value in enumerate(whole)]
        return ecs_by_data(parts, study, shared.human_se, shared.level)
    left = group.ecs_without if domain is None else group.ecs_domain_without[:, domain]
    return [
        jackknife_bound("ecs", float(value), left[i][chosen & group.has_effects[i]], shared.level)
        for i, value in enumerate(whole)
    ]
