"""Results of single tests and findings, with the evidence and the reasons behind them."""

from collections.abc import Mapping

import numpy as np

from concord.people import aggregate
from concord.people.diagnosis import quadrant, usual_reason
from concord.people.families.base import TestKind
from concord.people.protocol import Protocol
from concord.people.reasons import flags_of, outcome_of, reasons_of
from concord.people.result import FindingResult, TestResult
from concord.people.work import ScoredTests
from concord.stats.elementwise import or_none


def results_of_tests(work: ScoredTests, kinds: Mapping[str, TestKind]) -> tuple[TestResult, ...]:
    """Return the scores of every test with the evidence behind them."""
    used = aggregate.used_tests(work.scores)
    return tuple(
        _test(work, kinds[row.test_type], i, bool(used[i])) for i, row in enumerate(work.layout.rows)
    )


def _test(work: ScoredTests, kind: TestKind, i: int, used: bool) -> TestResult:
    row, scores, human, agent = work.layout.rows[i], work.scores, work.human, work.agent
    pas, passed, z = or_none(scores.pas[i]), _flag(scores.passes[i]), or_none(scores.z_diff[i])
    effects = (or_none(scores.human_d[i]), or_none(scores.agent_d[i]))
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
        ecs_test=or_none(scores.ecs_test[i]),
        z_diff=z,
        human_effect=or_none(human.effect[i]),
        agent_effect=or_none(agent.effect[i]),
        human_effect_d=effects[0],
        agent_effect_d=effects[1],
        in_ecs=used,
        human_log_bf=or_none(human.log_bf[i]),
        agent_log_bf=or_none(agent.log_bf[i]),
        human_p=or_none(human.p_value[i]),
        agent_p=or_none(agent.p_value[i]),
        human_direction=_sign(human.direction[i]),
        agent_direction=_sign(agent.direction[i]),
        human_significant=_flag(scores.human_significant[i]),
        agent_significant=_flag(scores.agent_significant[i]),
        direction_match=_flag(scores.direction_match[i]),
        passed=passed,
        n_eff=or_none(scores.n_eff[i]),
        human_effect_se=or_none(human.effect_se[i]),
        agent_effect_se=or_none(agent.effect_se[i]),
        human_posterior=or_none(scores.human_posterior[i]),
        agent_posterior=or_none(scores.agent_posterior[i]),
        human_prob_positive=or_none(human.prob_positive[i]),
        agent_prob_positive=or_none(agent.prob_positive[i]),
        flags=flags_of(
            row, kind, work.protocol, two_states=two_states, half_directed=_half_directed(work, i, passed)
        ),
        reasons=reasons_of(row, kind, pas=pas, effects=effects, z=z),
    )


def _half_directed(work: ScoredTests, i: int, passed: bool | None) -> str | None:
    """Name the side without a direction, when the other has one and the test counts in APR."""
    human, agent = np.isnan(work.human.direction[i]), np.isnan(work.agent.direction[i])
    if passed is None or human == agent:
        return None
    return "human" if human else "agent"


def results_of_findings(work: ScoredTests, tests: tuple[TestResult, ...]) -> tuple[FindingResult, ...]:
    """Return findings under the protocol's own key."""
    groups = work.layout.grouping(work.protocol.finding_key)
    members: list[list[int]] = [[] for _ in groups.keys]
    for i, finding in enumerate(groups.finding_of_test):
        members[finding].append(i)
    return tuple(_finding(work, g, members[g], tests) for g in range(len(groups.keys)))


def _finding(work: ScoredTests, g: int, members: list[int], tests: tuple[TestResult, ...]) -> FindingResult:
    groups = work.layout.grouping(work.protocol.finding_key)
    study, sub_study, finding = groups.keys[g]
    inside = [tests[i] for i in members]
    pas = or_none(work.levels["pas"].finding[g])
    strict = _strict_of(work, members)
    place = quadrant(pas, strict)
    human_n = [or_none(work.human.n_eff[i]) for i in members]
    counted = [test.passed for test in inside if _counts_in_apr(test, work.protocol)]
    return FindingResult(
        study=study,
        sub_study=sub_study,
        finding=finding,
        n_tests=len(inside),
        n_scored=sum(test.pas is not None for test in inside),
        pas=pas,
        normalised_pas=or_none(work.normalised.finding[g]),
        ecs_strict=strict,
        apr=sum(map(bool, counted)) / len(counted) if counted else None,
        quadrant=place[0] if place else None,
        reading=place[1] if place else None,
        usual_reason=usual_reason(inside, place[0], human_n) if place else None,
    )


def _counts_in_apr(test: TestResult, protocol: Protocol) -> bool:
    return test.passed is not None and (protocol.apr_over == "all" or bool(test.human_significant))


def _strict_of(work: ScoredTests, members: list[int]) -> float | None:
    """ECS-strict of a finding; where sub-studies are merged, the mean over the findings it holds."""
    parts = np.unique(work.layout.full.finding_of_test[members])
    values = work.levels["ecs_strict"].finding[parts]
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


def _flag(value: float) -> bool | None:
    return None if np.isnan(value) else bool(value)


def _sign(value: float) -> int | None:
    return None if np.isnan(value) else int(value)
