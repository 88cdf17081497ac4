"""From a table of tests to PAS, ECS and APR with their uncertainty and the evidence behind them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from concord.errors import OptionError, UndefinedError
from concord.people import aggregate
from concord.people.aggregate import Levels
from concord.people.bounds import ASSUMPTION, Simulation, simulate_bounds
from concord.people.diagnosis import diagnose, quadrant, usual_reason
from concord.people.evidence import Evidence
from concord.people.layout import Layout, lay_out
from concord.people.protocol import STANDARD, Protocol
from concord.people.reasons import flags_of, outcome_of, reasons_of
from concord.people.result import (
    Companions,
    FindingResult,
    GroupResult,
    PeopleScores,
    Score,
    TestResult,
)
from concord.people.sides import SideTable
from concord.people.tests import Context, TestScores, score_tests
from concord.people.uncertainty import Bound, Fresh, Jackknife, fresh_participants
from concord.records import Estimate, Side, TestRow, TestTable
from concord.stats.agreement import concordance_about_zero, weighted_pearson, weighted_regression
from concord.stats.elementwise import Floats
from concord.stats.engine import SERIAL, Engine

T = TypeVar("T")

N_RESAMPLES = 400
"""Fresh samples behind a standard error: its own error is then 3.5 %."""


@dataclass(frozen=True, slots=True)
class _Work:
    """Everything computed once for a table."""

    layout: Layout
    protocol: Protocol
    human: Evidence
    agent: Evidence
    scores: TestScores
    levels: dict[str, Levels]
    normalised: Levels
    jackknife: Jackknife
    fresh: Fresh
    simulation: Simulation


def score_table(
    table: TestTable,
    protocol: Protocol = STANDARD,
    *,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    n_simulations: int = 0,
    seed: int = 0,
    engine: Engine = SERIAL,
) -> PeopleScores:
    """Score a table of tests under a protocol.

    Parameters
    ----------
    table
        Rows as `concord.readers.tests_table.read_tests` gives them.
    protocol
        Every choice of the scoring.
    level
        Nominal coverage of all intervals.
    n_resamples
        Fresh samples of participants behind the second interval; 0 leaves it out.
    n_simulations
        Simulated agents of each kind behind floor and ceiling; 0 leaves them out.
    seed
        Seed of the fresh samples and of the simulated agents.
    engine
        Where fresh samples and simulated agents are computed; changes nothing in the result.

    Raises
    ------
    UndefinedError
        The table has no test.
    """
    if not table.rows:
        raise UndefinedError("the table has no tests")
    if not 0 < level < 1:
        raise OptionError(f"level is {level!r}; expected a number between 0 and 1, such as 0.95")
    if n_resamples < 0 or n_resamples == 1:
        raise OptionError(f"resamples is {n_resamples!r}; expected 0 (none) or at least 2")
    if n_simulations < 0:
        raise OptionError(f"simulations is {n_simulations!r}; expected 0 (none) or more")
    if seed < 0:
        raise OptionError(f"seed is {seed!r}; expected 0 or a positive whole number")
    work = _work(table, protocol, level, (n_resamples, n_simulations), seed, engine)
    population = work.simulation.population
    tests = _tests(work)
    findings = _findings(work, tests)
    return PeopleScores(
        protocol=protocol,
        pas=_headline(work, "pas"),
        ecs=_headline(work, "ecs"),
        apr=_headline(work, "apr"),
        beside=_companions(work),
        diagnosis=diagnose(
            work.scores, work.human.direction, work.agent.direction, [f.quadrant for f in findings]
        ),
        domains=tuple(_domain(work, i) for i in range(len(work.layout.domains))),
        studies=tuple(_study(work, i) for i in range(len(work.layout.studies))),
        findings=findings,
        tests=tests,
        outcomes=dict(sorted(Counter(test.outcome for test in tests).items())),
        seed=seed,
        n_resamples=n_resamples,
        level=level,
        n_simulations=work.simulation.n_simulations,
        bounds_note=work.simulation.note if work.simulation.note else ASSUMPTION,
        null_share=None if population is None else population.null_share,
        tau2=None if population is None else population.tau2,
        warnings=table.warnings,
        inputs=table.inputs,
    )


def _work(
    table: TestTable, protocol: Protocol, level: float, sizes: tuple[int, int], seed: int, engine: Engine
) -> _Work:
    n_resamples, n_simulations = sizes
    layout = lay_out(table.rows)
    rows = layout.rows
    human = SideTable.from_rows(rows, [row.human for row in rows], protocol.human_prior_odds)
    agent = SideTable.from_rows(rows, [row.agent for row in rows], protocol.agent_prior_odds)
    context = _context(rows, human, agent)
    human_says, agent_says = human.evidence(protocol), agent.evidence(protocol)
    scores = score_tests(human_says, agent_says, context, protocol)
    jackknife = Jackknife(scores, layout, protocol, level)
    if n_resamples:
        rng = np.random.default_rng(seed)
        fresh = fresh_participants(
            human,
            agent,
            context,
            layout,
            protocol,
            level=level,
            n_resamples=n_resamples,
            rng=rng,
            engine=engine,
        )
    else:
        fresh = Fresh({}, level, 0, "not asked for (resamples = 0)")
    normalised = aggregate.normalised_levels(scores, layout, protocol)
    simulation = simulate_bounds(
        human,
        agent,
        context,
        layout,
        protocol,
        level=level,
        n_simulations=n_simulations,
        rng=np.random.default_rng([seed, 1]),
        engine=engine,
    )
    return _Work(
        layout,
        protocol,
        human_says,
        agent_says,
        scores,
        jackknife.levels,
        normalised,
        jackknife,
        fresh,
        simulation,
    )


def _context(rows: tuple[TestRow, ...], human: SideTable, agent: SideTable) -> Context:
    def given(name: str) -> Floats:
        values = [getattr(row, name) for row in rows]
        return np.array([np.nan if value is None else float(value) for value in values])

    def there(side: Side | None) -> bool:
        return side is not None

    present = np.array([there(row.human) and there(row.agent) for row in rows])
    return Context(
        human_odds=human.prior_odds,
        agent_odds=agent.prior_odds,
        alpha=np.array([row.alpha for row in rows]),
        given_pas=given("pas"),
        given_n_eff=given("n_eff"),
        present=present | ~np.isnan(given("pas")),
        human_testable=present & human.testable,
        agent_testable=present & agent.testable,
    )


def _number(value: float) -> float | None:
    """Give a plain float, or None for undefined; infinity stays (a limit is a value)."""
    return None if np.isnan(value) else float(value)


def _flag(value: float) -> bool | None:
    return None if np.isnan(value) else bool(value)


def _sign(value: float) -> int | None:
    return None if np.isnan(value) else int(value)


def _tests(work: _Work) -> tuple[TestResult, ...]:
    used = aggregate.used_tests(work.scores)
    return tuple(_test(work, i, bool(used[i])) for i in range(len(work.layout.rows)))


def _test(work: _Work, i: int, used: bool) -> TestResult:
    row, scores, human, agent = work.layout.rows[i], work.scores, work.human, work.agent
    pas, passed, z = _number(scores.pas[i]), _flag(scores.passes[i]), _number(scores.z_diff[i])
    effects = (_number(scores.human_d[i]), _number(scores.agent_d[i]))
    two_states = bool(scores.two_states[i]) and row.pas is None
    return TestResult(
        study=row.study,
        sub_study=row.sub_study,
        finding=row.finding,
        test=row.test,
        test_type=row.test_type,
        domain=row.domain,
        outcome=outcome_of(row, pas, used, passed),
        pas=pas,
        two_states=two_states,
        ecs_test=_number(scores.ecs_test[i]),
        z_diff=z,
        human_effect=_number(human.effect[i]),
        agent_effect=_number(agent.effect[i]),
        human_effect_d=effects[0],
        agent_effect_d=effects[1],
        in_ecs=used,
        human_log_bf=_number(human.log_bf[i]),
        agent_log_bf=_number(agent.log_bf[i]),
        human_p=_number(human.p_value[i]),
        agent_p=_number(agent.p_value[i]),
        human_direction=_sign(human.direction[i]),
        agent_direction=_sign(agent.direction[i]),
        human_significant=_flag(scores.human_significant[i]),
        agent_significant=_flag(scores.agent_significant[i]),
        direction_match=_flag(scores.direction_match[i]),
        passed=passed,
        n_eff=_number(scores.n_eff[i]),
        human_effect_se=_number(human.effect_se[i]),
        agent_effect_se=_number(agent.effect_se[i]),
        human_posterior=_number(scores.human_posterior[i]),
        agent_posterior=_number(scores.agent_posterior[i]),
        human_prob_positive=_number(human.prob_positive[i]),
        agent_prob_positive=_number(agent.prob_positive[i]),
        flags=flags_of(
            row, work.protocol, two_states=two_states, half_directed=_half_directed(work, i, passed)
        ),
        reasons=reasons_of(row, pas=pas, effects=effects, z=z),
    )


def _half_directed(work: _Work, i: int, passed: bool | None) -> str | None:
    """Name the side without a direction, when the other has one and the test counts in APR."""
    human, agent = np.isnan(work.human.direction[i]), np.isnan(work.agent.direction[i])
    if passed is None or human == agent:
        return None
    return "human" if human else "agent"


def _findings(work: _Work, tests: tuple[TestResult, ...]) -> tuple[FindingResult, ...]:
    """Give findings under the protocol's own key."""
    groups = work.layout.grouping(work.protocol.finding_key)
    members: list[list[int]] = [[] for _ in groups.keys]
    for i, finding in enumerate(groups.finding_of_test):
        members[finding].append(i)
    return tuple(_finding(work, g, members[g], tests) for g in range(len(groups.keys)))


def _finding(work: _Work, g: int, members: list[int], tests: tuple[TestResult, ...]) -> FindingResult:
    groups = work.layout.grouping(work.protocol.finding_key)
    study, sub_study, finding = groups.keys[g]
    inside = [tests[i] for i in members]
    pas = _number(work.levels["pas"].finding[g])
    strict = _strict_of(work, members)
    place = quadrant(pas, strict)
    human_n = [_number(work.human.n_eff[i]) for i in members]
    counted = [test.passed for test in inside if _counts_in_apr(test, work.protocol)]
    return FindingResult(
        study=study,
        sub_study=sub_study,
        finding=finding,
        n_tests=len(inside),
        n_scored=sum(test.pas is not None for test in inside),
        pas=pas,
        normalised_pas=_number(work.normalised.finding[g]),
        ecs_strict=strict,
        apr=sum(map(bool, counted)) / len(counted) if counted else None,
        quadrant=place[0] if place else None,
        reading=place[1] if place else None,
        usual_reason=usual_reason(inside, place[0], human_n) if place else None,
    )


def _counts_in_apr(test: TestResult, protocol: Protocol) -> bool:
    return test.passed is not None and (protocol.apr_over == "all" or bool(test.human_significant))


def _strict_of(work: _Work, members: list[int]) -> float | None:
    """ECS-strict of a finding; where sub-studies are merged, the mean over the findings it holds."""
    parts = np.unique(work.layout.full.finding_of_test[members])
    values = work.levels["ecs_strict"].finding[parts]
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


def _score(
    work: _Work, metric: str, value: float, bound: Bound, error: float, counts: tuple[int, int]
) -> Score:
    number = _number(value)
    fresh = work.fresh.interval(metric, number, error)
    note = bound.note if number is not None else _undefined_reason(metric, counts)
    estimate = Estimate(number, bound.interval, counts[0], counts[1], _method(metric, work.protocol), note)
    return Score(estimate, fresh.interval, fresh.note)


def _undefined_reason(metric: str, counts: tuple[int, int]) -> str:
    if metric == "ecs":
        if counts[0] < aggregate.FEWEST_TESTS:
            return f"undefined: {counts[0]} test(s) with both effects, at least 3 are needed"
        return "undefined: both effect profiles are constant"
    return "undefined: no test has both sides scored"


def _method(metric: str, protocol: Protocol) -> str:
    if metric == "ecs":
        lin = "Lin's concordance" if protocol.concordance == "lin" else "unnormalised concordance"
        return f"{lin} of d-equivalents, weights 1/findings × 1/tests"
    if metric == "pas":
        mean = "mean over findings" if protocol.study_pooling == "mean" else "mean z over findings"
        return f"{protocol.states} states; Fisher z inside findings, {mean}, mean over studies"
    if metric == "apr":
        return f"passes over tests ({protocol.apr_over})"
    return f"Z of native effects, {protocol.ecs_strict}"


def _error(work: _Work, metric: str, level: str, i: int | None = None) -> float:
    if not work.fresh.errors:
        return float("nan")
    values = getattr(work.fresh.errors[metric], level)
    return float(values if i is None else values[i])


def _counts(work: _Work, metric: str, inside: NDArray[np.bool_] | slice) -> tuple[int, int]:
    """Count tests a number rests on, and tests asked for that it leaves out."""
    scores = work.scores
    if metric == "ecs":
        used = aggregate.used_tests(scores)[inside]
    elif metric == "apr":
        counted = ~np.isnan(scores.passes)
        if work.protocol.apr_over == "human-significant":
            counted &= scores.human_significant == 1
        used = counted[inside]
    else:
        values = scores.pas if metric == "pas" else scores.ecs_test
        used = ~np.isnan(values[inside])
    return int(used.sum()), int((~used).sum())


def _headline(work: _Work, metric: str) -> Score:
    value = float(work.levels[metric].benchmark)
    counts = _counts(work, metric, slice(None))
    score = _score(
        work, metric, value, work.jackknife.benchmark(metric), _error(work, metric, "benchmark"), counts
    )
    return _bounded(work, metric, score, None)


def _bounded(work: _Work, metric: str, score: Score, domain: int | None) -> Score:
    """Put floor, ceiling and place beside a PAS or an ECS."""
    if metric not in ("pas", "ecs"):
        return score
    return replace(score, bounds=work.simulation.bounds(metric, score.estimate, domain=domain))


def _study(work: _Work, i: int) -> GroupResult:
    inside = work.layout.study_of_test == i
    domain = int(work.layout.domain_of_study[i])

    def score(metric: str) -> Score:
        value, bound = float(work.levels[metric].study[i]), work.jackknife.study(metric, i)
        return _score(
            work, metric, value, bound, _error(work, metric, "study", i), _counts(work, metric, inside)
        )

    return _group(
        work,
        inside,
        score,
        name=work.layout.studies[i],
        domain=work.layout.domains[domain] if domain >= 0 else None,
        normalised=_number(work.normalised.study[i]),
    )


def _domain(work: _Work, i: int) -> GroupResult:
    inside = work.layout.domain_of_study[work.layout.study_of_test] == i

    def score(metric: str) -> Score:
        value, bound = float(work.levels[metric].domain[i]), work.jackknife.domain(metric, i)
        error = _error(work, metric, "domain", i)
        whole = _score(work, metric, value, bound, error, _counts(work, metric, inside))
        return _bounded(work, metric, whole, i)

    name = work.layout.domains[i]
    return _group(work, inside, score, name=name, domain=name, normalised=_number(work.normalised.domain[i]))


def _group(
    work: _Work,
    inside: NDArray[np.bool_],
    score: Callable[[str], Score],
    *,
    name: str,
    domain: str | None,
    normalised: float | None,
) -> GroupResult:
    groups = work.layout.grouping(work.protocol.finding_key)
    return GroupResult(
        name=name,
        domain=domain,
        pas=score("pas"),
        ecs=score("ecs"),
        apr=score("apr"),
        ecs_strict=score("ecs_strict"),
        normalised_pas=normalised,
        n_studies=len(np.unique(work.layout.study_of_test[inside])),
        n_findings=len(np.unique(groups.finding_of_test[inside])),
        n_tests=int(inside.sum()),
        n_tests_scored=_counts(work, "pas", inside)[0],
        n_tests_with_effects=_counts(work, "ecs", inside)[0],
    )


def _companions(work: _Work) -> Companions:
    scores, layout = work.scores, work.layout
    used = aggregate.used_tests(scores)
    weights = aggregate.ecs_weights(used, layout, work.protocol)[used]
    x, y = scores.human_d[used], scores.agent_d[used]
    line = _defined(lambda: weighted_regression(x, y, weights), len(x))
    null = (scores.human_significant == 0) & ~np.isnan(scores.agent_significant)
    kept = scores.agent_significant[null] == 0
    both = int((~np.isnan(scores.pas) | used).sum())
    return Companions(
        pearson=_defined(lambda: float(weighted_pearson(x, y, weights)), len(x)),
        caricature_slope=None if line is None else float(line.slope),
        caricature_intercept=None if line is None else float(line.intercept),
        concordance_about_zero=_defined(lambda: float(concordance_about_zero(x, y, weights)), len(x)),
        share_without_effects=1 - int(used.sum()) / both if both else None,
        apr_human_significant=_rate(work, "human-significant"),
        apr_all=_rate(work, "all"),
        nulls_kept=float(kept.mean()) if null.any() else None,
        n_human_nulls=int(null.sum()),
        normalised_pas=_number(float(work.normalised.benchmark)),
        ecs_strict=_headline(work, "ecs_strict"),
    )


def _rate(work: _Work, over: str) -> float | None:
    return _number(float(aggregate.apr_passes(work.scores, work.layout, over).rates().benchmark))


def _defined(compute: Callable[[], T], n: int) -> T | None:
    """Give a number over the tests used, or None when there are too few or it is undefined."""
    if n < aggregate.FEWEST_TESTS:
        return None
    try:
        return compute()
    except UndefinedError:
        return None
