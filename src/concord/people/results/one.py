"""From a table of tests to PAS, ECS and APR with their uncertainty and the evidence behind them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine, get_engine
from concord.errors import UndefinedError
from concord.number_words import significant
from concord.numeric import SMALLEST_D, gated
from concord.people.families.base import TestKind
from concord.people.families.registry import KINDS
from concord.people.files import PeopleResult
from concord.people.memory import originals
from concord.people.protocol import STANDARD, Protocol
from concord.people.protocol_file import get_protocol
from concord.people.result import (
    METRICS,
    CompanionNumbers,
    Diagnosis,
    FindingResult,
    GroupResult,
    HumanRow,
    Score,
    TestResult,
)
from concord.people.results.ask_referee import referee
from concord.people.results.same_tests import AgentTests, Computed, SameTests, compute
from concord.people.score import levels
from concord.people.score.sizes import coding_warning, effect_sizes
from concord.people.score.test_scores import TestScores
from concord.people.table.read import read_tests
from concord.people.uncertainty.floor_ceiling import METRICS as BOUNDED
from concord.people.uncertainty.floor_ceiling import N_SIMULATIONS, assumption
from concord.people.uncertainty.new_participants import NewSamples
from concord.people.uncertainty.other_studies import Bound
from concord.people.words import assumptions_of, flags_of, outcome_of, reasons_of
from concord.records import Estimate, Interval, Provenance, Side, TestRow, TestTable
from concord.stats.agreement import concordance_about_zero, weighted_pearson, weighted_regression
from concord.stats.elementwise import Floats, each_or_none, or_none
from concord.stats.equivalence import SMALLEST_OF_INTEREST

_OF_SIDE = {
    "effect": "{}.effect",
    "effect_d": "scores.{}_d",
    "effect_se": "{}.effect_se",
    "log_bf": "{}.log_bf",
    "p": "{}.p_value",
    "posterior": "scores.{}_posterior",
    "prob_positive": "{}.prob_positive",
}
_NUMBERS = {
    **{name: f"scores.{name}" for name in ("pas", "ecs_test", "z_diff", "n_eff")},
    **{f"{who}_{name}": at.format(who) for who in ("human", "agent") for name, at in _OF_SIDE.items()},
}
_SIGNS = {f"{who}_direction": f"{who}.direction" for who in ("human", "agent")}
_FLAGS = {
    **{name: f"scores.{name}" for name in ("human_significant", "agent_significant", "direction_match")},
    "passed": "scores.passes",
}
"""Fields of a result, and where they are among what was computed."""


def results_of_tests(work: Computed, kinds: Mapping[str, TestKind]) -> tuple[TestResult, ...]:
    """Return the scores of every test with the evidence behind them."""
    columns: dict[str, list[Any]] = {"in_ecs": levels.used_tests(work.scores).tolist()}
    for names, kind in ((_NUMBERS, float), (_SIGNS, int), (_FLAGS, bool)):
        for name, place in names.items():
            found = each_or_none(attrgetter(place)(work))
            columns[name] = found if kind is float else [None if x is None else kind(x) for x in found]
    rows = zip(*columns.values(), strict=True)
    two_states = work.scores.two_states.tolist()
    return tuple(
        _test(work, row, kinds[row.test_type], two, dict(zip(columns, values, strict=True)))
        for row, two, values in zip(work.layout.rows, two_states, rows, strict=True)
    )


def _test(
    work: Computed, row: TestRow, kind: TestKind, two_states: bool, numbers: dict[str, Any]
) -> TestResult:
    pas, passed = numbers["pas"], numbers["passed"]
    two_states = two_states and row.pas is None
    return TestResult(
        study=row.study,
        sub_study=row.sub_study,
        finding=row.finding,
        test=row.test,
        test_type=row.test_type,
        domain=row.domain,
        outcome=outcome_of(row, pas, numbers["in_ecs"], passed),
        two_states=two_states,
        flags=flags_of(
            row, kind, work.protocol, two_states=two_states, half_directed=_half_directed(numbers)
        ),
        reasons=reasons_of(
            row,
            kind,
            pas=pas,
            effects=(numbers["human_effect_d"], numbers["agent_effect_d"]),
            z=numbers["z_diff"],
        ),
        **numbers,
    )


def _half_directed(numbers: Mapping[str, Any]) -> str | None:
    """Name the side without a direction, when the other has one and the test counts in APR."""
    human, agent = numbers["human_direction"] is None, numbers["agent_direction"] is None
    if numbers["passed"] is None or human == agent:
        return None
    return "human" if human else "agent"


def results_of_findings(work: Computed, tests: tuple[TestResult, ...]) -> tuple[FindingResult, ...]:
    """Return findings under the protocol's own key."""
    groups = work.layout.grouping(work.protocol.finding_key)
    members: list[list[int]] = [[] for _ in groups.keys]
    for i, finding in enumerate(groups.finding_of_test):
        members[finding].append(i)
    n_of_people = each_or_none(work.human.n_eff)
    strict = each_or_none(work.levels["ecs_strict"].finding)
    columns = zip(
        groups.keys,
        [[tests[i] for i in own] for own in members],
        each_or_none(work.levels["pas"].finding),
        each_or_none(work.normalised.finding),
        strict if groups is work.layout.full else [_merged_strict(work, own) for own in members],
        [[n_of_people[i] for i in own] for own in members],
        strict=True,
    )
    return tuple(_finding(work.protocol, *column) for column in columns)


def _finding(
    protocol: Protocol,
    key: tuple[str, str, str],
    inside: list[TestResult],
    pas: float | None,
    normalised: float | None,
    strict: float | None,
    human_n: list[float | None],
) -> FindingResult:
    study, sub_study, finding = key
    place = quadrant(pas, strict)
    counts = [test for test in inside if protocol.apr_over == "all" or test.human_significant]
    counted = [test.passed for test in counts if test.passed is not None]
    return FindingResult(
        study=study,
        sub_study=sub_study,
        finding=finding,
        n_tests=len(inside),
        n_scored=sum(test.pas is not None for test in inside),
        pas=pas,
        normalised_pas=normalised,
        ecs_strict=strict,
        apr=sum(map(bool, counted)) / len(counted) if counted else None,
        quadrant=place[0] if place else None,
        reading=place[1] if place else None,
        usual_reason=usual_reason(inside, place[0], human_n) if place else None,
    )


def _merged_strict(work: Computed, members: list[int]) -> float | None:
    """ECS-strict of a finding whose sub-studies are merged: the mean over the findings it holds."""
    parts = np.unique(work.layout.full.finding_of_test[members])
    values = work.levels["ecs_strict"].finding[parts]
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


EVIDENCE_AGREES = 0.5
MAGNITUDE_AGREES = 0.04
"""Z is only nearly normal: of equal effects at 10 a group 5.8 % lie below 0.05, and 4.6 % below 0.04."""

QUADRANTS = {
    (True, True): ("replicates", "same conclusion, and effects of compatible size"),
    (True, False): ("same conclusion, other size", "same conclusion, but the effect differs in size"),
    (False, True): (
        "compatible size, other conclusion",
        "effects of compatible size, but the evidence leads to another conclusion",
    ),
    (False, False): ("differs", "another conclusion, and an effect of another size"),
}


def quadrant(pas: float | None, ecs_strict: float | None) -> tuple[str, str] | None:
    """Place a finding by evidence (PAS) and magnitude (ECS-strict); None when either is undefined."""
    if pas is None or ecs_strict is None:
        return None
    return QUADRANTS[pas >= EVIDENCE_AGREES, ecs_strict >= MAGNITUDE_AGREES]


def usual_reason(tests: Sequence[TestResult], name: str, human_n: Sequence[float | None]) -> str | None:
    """Return the reason behind a quadrant, as far as the finding's own numbers show one."""
    if name == "replicates":
        return None
    pairs = [t for t in tests if t.human_direction is not None and t.agent_direction is not None]
    if any(t.human_direction == -t.agent_direction != 0 for t in pairs if t.agent_direction is not None):
        return "direction: the model's effect runs the other way"
    ratio = _ratio_of_means([t.n_eff for t in tests], human_n)
    if ratio is not None and (ratio >= 2 or ratio <= 0.5):
        return f"sample size: the model has {significant(ratio, 2)} times the participants"
    if name == "compatible size, other conclusion":
        return "power: with this many participants one side's evidence is not decisive"
    larger = _ratio_of_means(
        [_absolute(t.agent_effect_d) for t in tests], [_absolute(t.human_effect_d) for t in tests]
    )
    if larger is None:
        return "size: magnitudes differ, but no common d says by how much"
    return f"size: the model's effect is {significant(larger, 2)} times the human one"


def _absolute(value: float | None) -> float | None:
    return None if value is None else abs(value)


def _ratio_of_means(above: Sequence[float | None], below: Sequence[float | None]) -> float | None:
    """Ratio of means over the pairs where both are known."""
    pairs = [(a, b) for a, b in zip(above, below, strict=True) if a is not None and b is not None]
    total = sum(b for _, b in pairs)
    return sum(a for a, _ in pairs) / total if pairs and total > 0 else None


def diagnose(scores: TestScores, human: Floats, agent: Floats, quadrants: Sequence[str | None]) -> Diagnosis:
    """Relate the metrics over tests; `human` and `agent` are observed directions."""
    columns = {"pas": scores.pas, "ecs_test": scores.ecs_test, "apr": scores.passes}
    pairs = (("pas", "ecs_test"), ("pas", "apr"), ("ecs_test", "apr"))
    related = {f"{a}_{b}": _pearson(columns[a], columns[b]) for a, b in pairs}
    known = ~(np.isnan(human) | np.isnan(agent))
    chosen = {
        "match": known & (human == agent),
        "mismatch": known & (human != agent),
        "opposite": known & (human * agent == -1),
    }
    means = {name: _mean_and_count(scores.ecs_test[which]) for name, which in chosen.items()}
    return Diagnosis(
        correlations={name: value for name, (value, _) in related.items()},
        n_correlated={name: n for name, (_, n) in related.items()},
        ecs_test_by_direction={name: value for name, (value, _) in means.items()},
        n_by_direction={name: n for name, (_, n) in means.items()},
        quadrants=dict(Counter("undefined" if name is None else name for name in quadrants)),
    )


def _pearson(x: Floats, y: Floats) -> tuple[float | None, int]:
    both = ~(np.isnan(x) | np.isnan(y))
    n = int(both.sum())
    if n < 3:
        return None, n
    try:
        return float(weighted_pearson(x[both], y[both])), n
    except UndefinedError:
        return None, n


def _mean_and_count(values: Floats) -> tuple[float | None, int]:
    defined = values[~np.isnan(values)]
    return (float(defined.mean()) if len(defined) else None), len(defined)


T = TypeVar("T")

N_RESAMPLES = 400
"""New samples behind a standard error: its own error is then 3.5 %."""


@gated(margin=SMALLEST_D)
def score_table(
    table: TestTable,
    protocol: Protocol = STANDARD,
    *,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    n_simulations: int = 0,
    seed: int = 0,
    engine: Engine = SERIAL,
    margin: float = SMALLEST_OF_INTEREST,
    for_referee: bool = True,
) -> PeopleResult:
    """Score a table of tests under a protocol."""
    if not table.rows:
        raise UndefinedError("the table has no tests")
    same = SameTests.of(
        table.rows,
        protocol,
        level=level,
        n_resamples=n_resamples,
        n_simulations=n_simulations,
        seed=seed,
        engine=engine,
    )
    return score_agent(same, table, same.agent(same.layout.rows), margin=margin if for_referee else None)


def score_agent(
    same: SameTests,
    table: TestTable,
    agent: AgentTests,
    new_samples: NewSamples | None = None,
    *,
    margin: float | None = SMALLEST_OF_INTEREST,
) -> PeopleResult:
    """Score one agent on tests that others may share; without a margin there is nothing for the referee."""
    work = compute(same, agent, new_samples)
    population, protocol, level = work.simulation.population, same.protocol, same.level
    tests = results_of_tests(work, KINDS)
    findings = results_of_findings(work, tests)
    sizes = effect_sizes(
        work.scores, work.errors, work.layout, protocol, level, (work.adjusted.d, work.adjusted.se)
    )
    coded = coding_warning(sizes.ecs_codings)
    return PeopleResult(
        protocol=protocol,
        pas=_headline(work, "pas"),
        ecs=_headline(work, "ecs"),
        apr=_headline(work, "apr"),
        companions=_companions(work),
        diagnosis=diagnose(
            work.scores, work.human.direction, work.agent.direction, [f.quadrant for f in findings]
        ),
        domains=tuple(_domain(work, i) for i in range(len(work.layout.domains))),
        studies=_studies(work),
        findings=findings,
        tests=tests,
        outcomes=dict(sorted(Counter(test.outcome for test in tests).items())),
        seed=same.seed,
        n_resamples=same.n_resamples,
        level=level,
        n_simulations=work.simulation.n_simulations,
        bounds_note=work.simulation.note
        if work.simulation.note
        else assumption(protocol, work.simulation.selected),
        null_share=None if population is None else population.null_share,
        tau2=None if population is None else population.tau2,
        warnings=table.warnings if coded is None else (*table.warnings, coded),
        model=table.model,
        inputs=table.inputs,
        left_out=table.left_out,
        rows_of_table=(table.rows_used[0], sum(table.rows_used)) if table.left_out else (0, 0),
        sizes=sizes,
        assumptions=assumptions_of(((one.study, one.finding, one.test), one.flags) for one in tests),
        made=Provenance() if table.made is None else table.made,
        referee=None if margin is None else referee(work, level=level, margin=margin),
    )


_HOW = ("level", "n_resamples", "seed", "margin")
"""Options that are no choice of a protocol."""


def score_chosen(
    table: TestTable,
    *,
    protocol: str | Protocol = "standard",
    model: str | None = None,
    n_simulations: int = N_SIMULATIONS,
    engine: str | Engine = "serial",
    **options: Any,
) -> PeopleResult:
    """Score a table of tests under the options of `concord.score_people`, which reads the table first."""
    how = {name: options.pop(name) for name in _HOW if name in options}
    chosen = get_protocol(protocol, **options)
    where = get_engine(engine) if isinstance(engine, str) else engine
    result = score_table(originals(table), chosen, n_simulations=n_simulations, engine=where, **how)
    return result if model is None else replace(result, model=model)


def score_from(
    metric: str, value: float, bound: Bound, drawn: Bound, counts: tuple[int, int], protocol: Protocol
) -> Score:
    """Return a number with both intervals; `counts` are the tests it rests on and those it leaves out."""
    defined = or_none(value)
    note = bound.note if defined is not None else _undefined_reason(metric, counts)
    estimate = Estimate(defined, bound.interval, counts[0], counts[1], _method(metric, protocol), note)
    return Score(estimate, drawn.interval, drawn.note)


def _undefined_reason(metric: str, counts: tuple[int, int]) -> str:
    if metric == "ecs":
        if counts[0] < levels.FEWEST_TESTS:
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


def _counts(work: Computed, metric: str, inside: NDArray[np.bool_] | slice) -> tuple[int, int]:
    """Count tests a number rests on, and tests asked for that it leaves out."""
    used = levels.counted_tests(work.scores, metric, work.protocol.apr_over)[inside]
    return int(used.sum()), int((~used).sum())


def _score(
    work: Computed, metric: str, level: str, i: int | None, bound: Bound, inside: NDArray[np.bool_] | slice
) -> Score:
    """Return a metric of the i-th unit of a level, given its interval and its tests."""
    values = getattr(work.levels[metric], level)
    value = float(values if i is None else values[i])
    drawn = work.new_samples.bound(metric, or_none(value), level, i)
    return score_from(metric, value, bound, drawn, _counts(work, metric, inside), work.protocol)


def _headline(work: Computed, metric: str) -> Score:
    score = _score(work, metric, "benchmark", None, work.jackknife.benchmark(metric), slice(None))
    return _bounded(
        work, metric, replace(score, new_participants_otherwise=_otherwise(work, metric, score)), None
    )


def _otherwise(work: Computed, metric: str, score: Score) -> tuple[Interval, ...]:
    """Return the intervals of new participants under other correlations of the tests of a study."""
    found = (
        samples.bound(metric, score.value, "benchmark").interval for samples in work.new_samples_otherwise
    )
    return tuple(one for one in found if one is not None)


def _bounded(work: Computed, metric: str, score: Score, domain: int | None) -> Score:
    """Add floor, ceiling and place to a PAS, an ECS or an APR."""
    if metric not in BOUNDED:
        return score
    return replace(score, bounds=work.simulation.bounds(metric, score.estimate, domain=domain))


def _studies(work: Computed) -> tuple[GroupResult, ...]:
    bounds = {metric: work.jackknife.studies(metric) for metric in METRICS}
    return tuple(_study(work, i, {m: bounds[m][i] for m in METRICS}) for i in range(len(work.layout.studies)))


def _study(work: Computed, i: int, bounds: Mapping[str, Bound]) -> GroupResult:
    inside = work.layout.study_of_test == i
    domain = int(work.layout.domain_of_study[i])

    def score(metric: str) -> Score:
        return _score(work, metric, "study", i, bounds[metric], inside)

    return _group(
        work,
        inside,
        score,
        name=work.layout.studies[i],
        domain=work.layout.domains[domain] if domain >= 0 else None,
        normalised=or_none(work.normalised.study[i]),
    )


def _domain(work: Computed, i: int) -> GroupResult:
    inside = work.layout.domain_of_study[work.layout.study_of_test] == i

    def score(metric: str) -> Score:
        whole = _score(work, metric, "domain", i, work.jackknife.domain(metric, i), inside)
        return _bounded(work, metric, whole, i)

    name = work.layout.domains[i]
    return _group(work, inside, score, name=name, domain=name, normalised=or_none(work.normalised.domain[i]))


def _group(
    work: Computed,
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


def _companions(work: Computed) -> CompanionNumbers:
    scores, layout = work.scores, work.layout
    used = levels.used_tests(scores)
    weights = levels.ecs_weights(used, layout, work.protocol)[used]
    x, y = scores.human_d[used], scores.agent_d[used]
    line = _if_defined(lambda: weighted_regression(x, y, weights), len(x))
    null = (scores.human_significant == 0) & ~np.isnan(scores.agent_significant)
    kept = scores.agent_significant[null] == 0
    both = int((~np.isnan(scores.pas) | used).sum())
    return CompanionNumbers(
        pearson=_if_defined(lambda: float(weighted_pearson(x, y, weights)), len(x)),
        caricature_slope=None if line is None else float(line.slope),
        caricature_intercept=None if line is None else float(line.intercept),
        concordance_about_zero=_if_defined(lambda: float(concordance_about_zero(x, y, weights)), len(x)),
        share_without_effects=1 - int(used.sum()) / both if both else None,
        apr_human_significant=_rate_over(work, "human-significant"),
        apr_all=_rate_over(work, "all"),
        nulls_kept=float(kept.mean()) if null.any() else None,
        n_human_nulls=int(null.sum()),
        normalised_pas=or_none(float(work.normalised.benchmark)),
        ecs_strict=_headline(work, "ecs_strict"),
    )


def _rate_over(work: Computed, over: str) -> float | None:
    return or_none(float(levels.apr_passes(work.scores, work.layout, over).rates().benchmark))


def _if_defined(compute: Callable[[], T], n: int) -> T | None:
    """Return a number over the tests used, or None when there are too few or it is undefined."""
    if n < levels.FEWEST_TESTS:
        return None
    try:
        return compute()
    except UndefinedError:
        return None


MEASURED_TWICE = ("many_labs_2_studies.csv", "many_labs_2.csv")
"""Effects that people showed twice: an original study, and about 7,000 people; the bundled studies first."""


@cache
def _measured_twice() -> dict[tuple[object, ...], Side]:
    """Return the original's side by the numbers of the large replication."""
    folder = resources.files("concord.people") / "data"
    tables = [read_tests(Path(str(folder / name))) for name in reversed(MEASURED_TWICE)]
    return {
        _numbers_of(row.agent): row.human
        for table in tables
        for row in table.rows
        if row.human is not None and row.agent is not None
    }


def _numbers_of(side: Side) -> tuple[object, ...]:
    return side.statistic, side.n1, side.n2, side.k, side.n, side.table


def people_again(
    rows: Sequence[TestRow], protocol: Protocol = STANDARD, *, level: float = 0.95, n_simulations: int = 0
) -> HumanRow | None:
    """Score people on the same effects: the original studies against the people of these tests.

    None unless every effect was measured twice: a row of other effects says nothing here.
    """
    twice = _measured_twice()
    first = [None if row.human is None else twice.get(_numbers_of(row.human)) for row in rows]
    if len(rows) < 2 or None in first:
        return None
    again = tuple(replace(row, agent=side, pas=None) for row, side in zip(rows, first, strict=True))
    found = score_table(
        TestTable(again), protocol, level=level, n_resamples=0, n_simulations=n_simulations, for_referee=False
    )
    return HumanRow(len(again), found.pas, found.ecs, found.apr)
