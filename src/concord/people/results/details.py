"""Results of single tests and findings, their evidence and reasons, and how the metrics relate over tests."""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from concord.errors import UndefinedError
from concord.number_words import significant
from concord.people.families.base import TestKind
from concord.people.protocol import Protocol
from concord.people.result import Diagnosis, FindingResult, TestResult
from concord.people.results.same_tests import Computed
from concord.people.score import levels
from concord.people.score.test_scores import TestScores
from concord.people.words.reasons import flags_of, outcome_of, reasons_of
from concord.records import TestRow
from concord.stats.agreement import weighted_pearson
from concord.stats.elementwise import Floats, each_or_none

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
