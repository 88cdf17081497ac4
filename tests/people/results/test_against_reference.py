"""The scores of random tables against a slow oracle written from the definitions alone."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from tests.people import reference
from tests.people import reference_beside as beside
from tests.people.random_tables import TYPES, random_table
from tests.people.reference_tests import Options
from tests.people.rows import row

from concord.people.files import PeopleResult
from concord.people.protocol import Protocol
from concord.people.protocol_file import get_protocol
from concord.people.result import FindingResult
from concord.people.results.one import score_table
from concord.records import Side, TestRow, TestTable

SEEDS = range(10)
MORE_SEEDS = range(10, 30)
VARIANTS: dict[str, tuple[Options, Protocol]] = {
    "standard": (Options("standard"), get_protocol("standard")),
    "refined": (Options("refined"), get_protocol("refined")),
    "published": (Options("published"), get_protocol("published")),
    "two states": (Options("standard", states=2), get_protocol("standard", states=2)),
    "sign split": (Options("standard", sign_split=True), get_protocol("standard", split="sign")),
    "unsigned": (
        Options("standard", include_unsigned=True),
        get_protocol("standard", include_unsigned=True),
    ),
}
Difference = tuple[str, Any, Any]


@cache
def _both(seed: int, variant: str) -> tuple[PeopleResult, reference.Scores]:
    rows, (options, protocol) = random_table(seed), VARIANTS[variant]
    scored = score_table(TestTable(rows), protocol, n_resamples=0, for_referee=False)
    return scored, reference.score(rows, options)


def _same(got: float | None, wanted: float | None) -> bool:
    """Equal to 1e-9, undefined only with undefined, infinite only with infinite."""
    if got is None or wanted is None:
        return got is wanted
    return got == wanted or abs(got - wanted) <= 1e-9 * max(1.0, abs(wanted))


def _differences(pairs: Iterator[Difference]) -> list[Difference]:
    return [(what, got, wanted) for what, got, wanted in pairs if not _same(got, wanted)]


def _test_pairs(got: PeopleResult, wanted: reference.Scores, options: Options) -> Iterator[Difference]:
    for test in got.tests:
        truth = wanted.tests[test.study, test.sub_study, test.finding, test.test]
        what = f"{test.study} {test.sub_study} {test.finding} {test.test} ({test.test_type})"
        for side, reading in (("human", truth.human), ("agent", truth.agent)):
            for name, field in (
                ("log_bf", "log_bf"),
                ("p", "p"),
                ("direction", "direction"),
                ("effect", "effect"),
            ):
                value = None if reading is None else getattr(reading, field)
                yield f"{side} {name} of {what}", getattr(test, f"{side}_{name}"), value
            hidden = reading is None or (reading.unsigned and not options.include_unsigned)
            d = None if hidden or reading is None else reading.d
            yield f"{side} d of {what}", getattr(test, f"{side}_effect_d"), d
        yield f"PAS of {what}", test.pas, truth.pas
        yield f"Z of {what}", test.z_diff, truth.z
        yield f"ECS_Test of {what}", test.ecs_test, truth.ecs_test
        yield f"pass of {what}", test.passed, truth.passed
        if truth.pas is not None:
            yield f"n_eff of {what}", test.n_eff, truth.n_eff


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seeds", [SEEDS, pytest.param(MORE_SEEDS, marks=pytest.mark.long)])
def test_every_number_of_every_test_is_the_oracles(variant: str, seeds: range) -> None:
    for seed in seeds:
        assert not _differences(_test_pairs(*_both(seed, variant), VARIANTS[variant][0])), seed


def _key(finding: FindingResult, variant: str) -> tuple[str, ...]:
    if variant == "published":
        return finding.study, finding.finding
    return finding.study, finding.sub_study, finding.finding


def _finding_pairs(got: PeopleResult, wanted: reference.Scores, variant: str) -> Iterator[Difference]:
    for finding in got.findings:
        key = _key(finding, variant)
        truth = wanted.findings[key]
        yield f"PAS of {key}", finding.pas, truth.pas
        yield f"APR of {key}", finding.apr, truth.apr
        yield f"normalised PAS of {key}", finding.normalised_pas, truth.normalised
        if variant != "published":  # there findings merge for PAS and not for ECS-strict
            yield f"ECS-strict of {key}", finding.ecs_strict, truth.strict


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_finding_is_the_oracles(variant: str) -> None:
    for seed in SEEDS:
        got, wanted = _both(seed, variant)
        assert {_key(finding, variant) for finding in got.findings} == set(wanted.findings)
        assert not _differences(_finding_pairs(got, wanted, variant)), seed


def _level_pairs(got: PeopleResult, wanted: reference.Scores) -> Iterator[Difference]:
    levels = [
        ("whole", got, got.companions.normalised_pas, got.companions.ecs_strict.value, wanted.benchmark)
    ]
    groups: list[tuple[str, Any, float | None, float | None, reference.Level]] = [
        (group.name, group, group.normalised_pas, group.ecs_strict.value, truths[group.name])
        for given, truths in ((got.studies, wanted.studies), (got.domains, wanted.domains))
        for group in given
    ]
    for name, scores, normalised, strict, truth in [*levels, *groups]:
        yield f"PAS of {name}", scores.pas.value, truth.pas
        yield f"ECS of {name}", scores.ecs.value, truth.ecs
        yield f"APR of {name}", scores.apr.value, truth.apr
        yield f"normalised PAS of {name}", normalised, truth.normalised
        yield f"ECS-strict of {name}", strict, truth.strict


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_study_domain_and_benchmark_is_the_oracles(variant: str) -> None:
    for seed in SEEDS:
        got, wanted = _both(seed, variant)
        assert {group.name for group in got.studies} == set(wanted.studies)
        assert {group.name for group in got.domains} == set(wanted.domains)
        assert not _differences(_level_pairs(got, wanted)), seed


def _beside_pairs(got: PeopleResult, wanted: reference.Scores, options: Options) -> Iterator[Difference]:
    tests = list(wanted.tests.values())
    weights = reference.ecs_weights(tests, options)
    line = beside.line(beside.pairs_of(tests, weights, options))
    yield "Pearson", got.companions.pearson, line["pearson"]
    yield "slope", got.companions.caricature_slope, line["slope"]
    yield "intercept", got.companions.caricature_intercept, line["intercept"]
    yield "concordance about zero", got.companions.concordance_about_zero, line["about_zero"]
    yield "APR over all", got.companions.apr_all, reference.apr(tests, Options("standard"))
    yield (
        "APR over the significant",
        got.companions.apr_human_significant,
        reference.apr(tests, Options("refined")),
    )
    for name, value in beside.metric_correlations(tests).items():
        yield f"correlation {name}", got.diagnosis.correlations[name], value
    for name, value in beside.ecs_test_by_direction(tests).items():
        yield f"ECS_Test where directions {name}", got.diagnosis.ecs_test_by_direction[name], value


@pytest.mark.parametrize("variant", VARIANTS)
def test_everything_beside_the_headline_is_the_oracles(variant: str) -> None:
    for seed in SEEDS:
        assert not _differences(_beside_pairs(*_both(seed, variant), VARIANTS[variant][0])), seed


def test_the_share_of_nulls_kept_is_the_oracles() -> None:
    for seed in SEEDS:
        got, wanted = _both(seed, "standard")
        assert _same(got.companions.nulls_kept, beside.nulls_kept(list(wanted.tests.values()))), seed


# ---- the tables are no easier than they claim


def _all_rows() -> list[TestRow]:
    return [row for seed in (*SEEDS, *MORE_SEEDS) for row in random_table(seed)]


def test_the_random_tables_visit_every_corner() -> None:
    rows = _all_rows()
    sides = [side for row in rows for side in (row.human, row.agent) if side is not None]
    assert {row.test_type for row in rows} == set(TYPES)
    assert {row.domain for row in rows} == {None, "Cognition", "Social"}
    assert {row.alpha for row in rows} == {0.05, 0.005}
    assert {side.prior_odds for side in sides} == {None, 0.2, 3.0}
    corners = {
        "a missing agent": any(row.agent is None and row.human is not None for row in rows),
        "a given PAS of 0": any(row.pas == 0 for row in rows),
        "a given d": any(side.effect_d is not None for side in sides),
        "a given log BF": any(side.log_bf is not None for side in sides),
        "an empty cell": any(side.table and 0 in [x for row in side.table for x in row] for side in sides),
        "nobody": any(side.k == 0 for side in sides),
        "everybody": any(side.k is not None and side.k == side.n for side in sides),
        "U at its limits": any(side.statistic == 0 and side.n1 == 9 for side in sides),
        "r near 1": any(side.statistic is not None and 0.9999 < side.statistic <= 1 for side in sides),
    }
    assert [name for name, there in corners.items() if not there] == []


@pytest.mark.parametrize("direction", [None, 1])
def test_within_f_with_and_without_p_and_directions_on_one_or_both_sides_occur(direction: int | None) -> None:
    rows = [row for row in _all_rows() if row.test_type == "anova-within" and row.human and row.agent]
    many = [row for row in rows if row.human is not None and row.human.df1 is not None and row.human.df1 > 1]
    assert {row.human.p_value is None for row in many if row.human is not None} == {True, False}
    known = {
        (row.human.direction is None, row.agent.direction is None) for row in rows if row.human and row.agent
    }
    assert (direction is None, False) in known
    assert (direction is None, True) in known


# ---- sides of different kinds


def test_magnitudes_on_different_scales_are_not_compared() -> None:
    """An F with df1 > 1 is a magnitude in d, a regression F with df1 = 1 one in Fisher's z."""
    human = Side(statistic=1.26, df1=5, df2=162, n=168)
    agent = Side(statistic=15.0, df1=1, df2=23, n=25)
    test = row("s/f/t", human, agent, test_type="regression")
    assert score_table(TestTable((test,)), n_resamples=0).tests[0].z_diff is None
