"""What the scores of a table must obey, whatever is in it."""

import json
import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.people.random_tables import random_table
from tests.people.rows import given_d, given_pas, row, scores_of, t_side, t_table

from concord.errors import UndefinedError
from concord.people.files import PeopleResult
from concord.people.protocol import PUBLISHED, REFINED, STANDARD, Protocol
from concord.people.protocol_file import get_protocol
from concord.people.results.one import score_table
from concord.records import Side, SideOutcome, TestRow, TestTable

PROTOCOLS = [STANDARD, REFINED, PUBLISHED]
checked = settings(deadline=None, max_examples=25)


def _numbers(scores: PeopleResult) -> dict[str, float | None]:
    """Every score at every level above the test, by name."""
    groups: list[tuple[str, Any]] = [("whole", scores)]
    groups += [(f"study {group.name}", group) for group in scores.studies]
    groups += [(f"domain {group.name}", group) for group in scores.domains]
    return {
        f"{metric} of {name}": getattr(group, metric).value
        for name, group in groups
        for metric in ("pas", "ecs", "apr")
    }


def _close(one: float | None, other: float | None, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= tolerance


# ---- order


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_rows_does_not_matter(protocol: Protocol, seed: int) -> None:
    rows = random_table(seed)
    there = score_table(TestTable(rows), protocol, n_resamples=0)
    shuffled = tuple(rows[i] for i in np.random.default_rng(seed).permutation(len(rows)))
    back = score_table(TestTable(shuffled), protocol, n_resamples=0)
    assert [test.test for test in there.tests] == [test.test for test in back.tests]
    other = _numbers(back)
    assert [name for name, value in _numbers(there).items() if not _close(value, other[name], 1e-12)] == []


def test_the_order_of_rows_does_not_matter_to_fresh_samples() -> None:
    rows = t_table(4)
    one, other = (scores_of(order, n_resamples=50) for order in (rows, rows[::-1]))
    assert one.pas.new_participants == other.pas.new_participants
    assert one.ecs.new_participants == other.ecs.new_participants


# ---- a perfect replication, and a reversed one


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("seed", range(8))
def test_human_data_on_both_sides_have_ecs_one(protocol: Protocol, seed: int) -> None:
    rows = [
        replace(row, agent=row.human, agent_outcome=row.human_outcome) if row.pas is None else row
        for row in random_table(seed)
    ]
    scores = score_table(TestTable(tuple(rows)), protocol, n_resamples=0)
    groups: list[Any] = [scores, *scores.studies, *scores.domains]
    values = [group.ecs.value for group in groups if group.ecs.value is not None]
    assert values == pytest.approx([1.0] * len(values), abs=1e-12)
    strict = [test.ecs_test for test in scores.tests if test.ecs_test is not None]
    assert strict == [1.0] * len(strict)


def test_human_data_on_both_sides_is_undefined_only_for_want_of_tests() -> None:
    scores = scores_of([row(f"s/f/t{i}", t_side(i), t_side(i)) for i in range(2)])
    assert scores.ecs.value is None
    assert "at least 3" in scores.ecs.estimate.note


def test_a_reversed_strong_effect_scores_near_zero() -> None:
    rows = [row(f"s{i}/f/t", t_side(9.0 + i), t_side(-9.0 - i)) for i in range(4)]
    scores = scores_of(rows)
    assert scores.pas.value == pytest.approx(0, abs=1e-6)
    assert scores.apr.value == 0
    assert scores.ecs.value is not None
    assert scores.ecs.value < 0


@checked
@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=3, max_size=12))
def test_pas_does_not_care_which_side_is_which(pairs: list[tuple[float, float]]) -> None:
    there = scores_of([row(f"s/f{i}/t", t_side(h), t_side(a)) for i, (h, a) in enumerate(pairs)])
    back = scores_of([row(f"s/f{i}/t", t_side(a), t_side(h)) for i, (h, a) in enumerate(pairs)])
    assert there.pas.value == pytest.approx(back.pas.value, abs=1e-14)
    assert _close(there.ecs.value, back.ecs.value, 1e-12)
    assert there.pas.value is not None
    assert 0 <= there.pas.value <= 1


@checked
@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=3, max_size=12))
def test_turning_every_test_over_changes_neither_pas_nor_apr(pairs: list[tuple[float, float]]) -> None:
    there = scores_of([row(f"s/f{i}/t", t_side(h), t_side(a)) for i, (h, a) in enumerate(pairs)])
    back = scores_of([row(f"s/f{i}/t", t_side(-h), t_side(-a)) for i, (h, a) in enumerate(pairs)])
    assert there.pas.value == pytest.approx(back.pas.value, abs=1e-12)
    assert there.apr.value == back.apr.value
    assert _close(there.companions.concordance_about_zero, back.companions.concordance_about_zero, 1e-12)


# ---- weights


def test_a_study_repeated_under_other_names_changes_neither_pas_nor_ecs() -> None:
    """Weights count only against each other: three copies of every study weigh like one."""
    rows = t_table(3)
    copies = [replace(row, study=f"{row.study} copy {i}") for row in rows for i in range(3)]
    once, thrice = scores_of(rows), scores_of(copies)
    assert once.pas.value == pytest.approx(thrice.pas.value, abs=1e-12)
    assert once.ecs.value == pytest.approx(thrice.ecs.value, abs=1e-12)


def test_a_test_repeated_in_its_finding_does_not_weigh_twice() -> None:
    rows = t_table(3, tests=1)
    repeated = [
        *rows,
        *(replace(row, test="again") for row in rows if row.study == "s0" and row.finding == "f0"),
    ]
    assert scores_of(rows).ecs.value == pytest.approx(scores_of(repeated).ecs.value, abs=1e-12)


def test_the_scale_of_n_eff_does_not_matter() -> None:
    def table(scale: float) -> list[TestRow]:
        return [given_pas(f"s/f/t{i}", pas, scale * n) for i, (pas, n) in enumerate([(0.2, 30), (0.9, 80)])]

    assert scores_of(table(1)).pas.value == pytest.approx(scores_of(table(1000)).pas.value, abs=1e-14)
    weighted = (30 * math.atanh(-0.6) + 80 * math.atanh(0.8)) / 110
    assert scores_of(table(1)).pas.value == pytest.approx((math.tanh(weighted) + 1) / 2, abs=1e-14)


# ---- a zero is a value


def test_two_tests_with_pas_zero_pool_to_zero_not_to_a_half() -> None:
    scores = scores_of([given_pas("s/f/t1", 0.0), given_pas("s/f/t2", 0.0)])
    assert scores.pas.value == pytest.approx(0, abs=1e-6)
    assert scores.pas.estimate.n == 2


@pytest.mark.parametrize("pas", [0.0, 1.0])
def test_a_lone_pas_at_its_limit_is_kept_exactly(pas: float) -> None:
    assert scores_of([given_pas("s/f/t", pas)]).pas.value == pas


@pytest.mark.parametrize("value", [5e-7, 0.3, 0.5, 1 - 5e-7])
def test_equal_pas_pool_to_themselves(value: float) -> None:
    assert scores_of([given_pas(f"s/f/t{i}", value, 10 + i) for i in range(4)]).pas.value == pytest.approx(
        value, abs=1e-12
    )


def test_an_effect_of_zero_counts_as_an_effect() -> None:
    rows = [given_d(f"s/f{i}/t", *pair) for i, pair in enumerate([(0.0, 0.0), (0.5, 0.4), (1.0, 0.9)])]
    scores = scores_of(rows)
    assert scores.ecs.estimate.n == 3
    assert scores.tests[0].human_effect_d == 0.0
    without = scores_of([given_d("s/f0/t", None, 0.0), *rows[1:]])
    assert without.ecs.value is None


def test_a_t_of_zero_has_all_its_numbers() -> None:
    test = scores_of([row("s/f/t", t_side(0.0), t_side(0.0))]).tests[0]
    assert test.human_direction == 0
    assert test.human_effect == 0
    assert test.z_diff == 0
    assert test.ecs_test == 1
    assert test.pas is not None
    assert test.passed is False


# ---- a missing side


def test_a_missing_agent_is_counted_and_never_scored_as_no_effect() -> None:
    null = t_side(0.1, 400)
    rows = [row(f"s{i}/f/t", null, t_side(0.2, 400)) for i in range(3)]
    before, after = scores_of(rows), scores_of([*rows, row("s0/g/t", null, None), row("s3/f/t", null, None)])
    assert _numbers(before).items() <= _numbers(after).items()
    assert after.outcomes == {"agent missing": 2, "scored": 3}
    assert after.pas.estimate.n_left_out == 2
    missing = [test for test in after.tests if test.outcome == "agent missing"]
    for test in missing:
        assert (test.pas, test.passed, test.agent_log_bf, test.ecs_test) == (None, None, None, None)
        assert "agent side missing" in test.reasons
    assert {group.name: group.pas.value for group in after.studies}["s3"] is None


def test_an_agent_too_small_for_its_test_is_its_own_outcome() -> None:
    small = replace(row("s/f/t", t_side(3.0), None), agent_outcome=SideOutcome.TOO_SMALL)
    scores = scores_of([small])
    assert scores.outcomes == {"agent too small": 1}
    assert scores.pas.value is None


def test_a_table_without_rows_is_undefined() -> None:
    with pytest.raises(UndefinedError, match="no tests"):
        score_table(TestTable(()))


# ---- undefined stays undefined


def _walk(value: Any, place: str = "") -> list[str]:
    """Places at which a document holds something that is not JSON."""
    if isinstance(value, dict):
        return [bad for key, inner in value.items() for bad in _walk(inner, f"{place}/{key}")]
    if isinstance(value, list | tuple):
        return [bad for i, inner in enumerate(value) for bad in _walk(inner, f"{place}/{i}")]
    if isinstance(value, np.generic):
        return [f"{place}: {value!r}"]
    return [f"{place}: {value!r}"] if isinstance(value, float) and math.isnan(value) else []


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("seed", range(8))
def test_no_result_holds_a_nan(protocol: Protocol, seed: int) -> None:
    scores = score_table(TestTable(random_table(seed)), protocol, n_resamples=2)
    summary = scores.to_dict()
    assert _walk(summary) == []
    assert json.loads(json.dumps(summary, allow_nan=False)) is not None
    assert _walk([asdict(test) for test in scores.tests]) == []


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_a_table_with_no_agent_at_all_has_no_numbers_but_all_its_counts(protocol: Protocol) -> None:
    scores = scores_of([row(f"s{i}/f/t", t_side(3.0), None) for i in range(4)], protocol)
    assert set(_numbers(scores).values()) == {None}
    assert scores.outcomes == {"agent missing": 4}
    assert (scores.pas.estimate.n, scores.pas.estimate.n_left_out) == (0, 4)
    assert scores.pas.interval is None
    assert scores.pas.estimate.note


def test_two_different_constants_have_no_concordance() -> None:
    scores = scores_of([given_d(f"s/f{i}/t", 0.5, 0.8) for i in range(4)])
    assert scores.ecs.value is None
    assert "constant" in scores.ecs.estimate.note


def test_one_constant_profile_has_concordance_zero() -> None:
    scores = scores_of([given_d(f"s/f{i}/t", 0.5, 0.1 * i) for i in range(4)])
    assert scores.ecs.value == pytest.approx(0, abs=1e-15)


def test_a_within_subjects_f_with_several_df_needs_no_p_for_its_pas_and_can_pass() -> None:
    """The bound on p needed one; a factor that can favour the null does not."""
    side = Side(statistic=9.0, df1=2, df2=58, n=30)
    test = scores_of([row("s/f/t", side, side, test_type="anova-within")]).tests[0]
    assert test.pas is not None
    assert not any("p_value" in reason for reason in test.reasons)
    assert test.agent_p == pytest.approx(0.000394, abs=1e-6)
    assert test.passed is True


def test_unsigned_effects_are_left_out_of_ecs_and_counted_until_asked_for() -> None:
    def table() -> list[TestRow]:
        many = [Side(statistic=f, df1=2, df2=87, n=90) for f in (1.0, 4.0, 9.0, 2.0)]
        return [row(f"s/f{i}/t", many[i], many[(i + 1) % 4], test_type="anova") for i in range(4)]

    without, within = scores_of(table()), scores_of(table(), get_protocol("standard", include_unsigned=True))
    assert without.ecs.value is None
    assert without.ecs.estimate.n_left_out == 4
    assert without.companions.share_without_effects == 1
    assert within.ecs.value is not None
    assert all(test.ecs_test is not None for test in without.tests)


# ---- Lin's coefficient


@checked
@given(
    st.lists(
        st.tuples(st.floats(-2, 2), st.floats(-2, 2)).filter(lambda pair: abs(pair[0] - pair[1]) > 1e-3),
        min_size=3,
        max_size=10,
    )
)
def test_ecs_never_exceeds_the_correlation_beside_it(pairs: list[tuple[float, float]]) -> None:
    scores = scores_of([given_d(f"s/f{i}/t", h, a) for i, (h, a) in enumerate(pairs)])
    if scores.ecs.value is not None and scores.companions.pearson is not None:
        assert abs(scores.ecs.value) <= abs(scores.companions.pearson) + 1e-12
        assert scores.ecs.value < 1


def test_ecs_by_hand() -> None:
    """Two studies: one with two findings (one of two tests), one with a single test."""
    rows = [
        given_d("a/f1/t1", 0.0, 0.2),
        given_d("a/f1/t2", 1.0, 0.8),
        given_d("a/f2/t1", 0.4, 0.1),
        given_d("b/f1/t1", 0.6, 1.0),
    ]
    w, x, y = np.array([1, 1, 2, 4]) / 8, np.array([0, 1, 0.4, 0.6]), np.array([0.2, 0.8, 0.1, 1.0])
    mx, my = w @ x, w @ y
    lin = 2 * w @ ((x - mx) * (y - my)) / (w @ (x - mx) ** 2 + w @ (y - my) ** 2 + (mx - my) ** 2)
    assert scores_of(rows).ecs.value == pytest.approx(lin, abs=1e-14)


def test_weights_are_counted_over_the_tests_used() -> None:
    """A finding whose only test has no effect does not thin the weights of its neighbours."""
    rows = [given_d("a/f1/t1", 0.0, 0.2), given_d("a/f2/t1", 1.0, 0.8), given_d("b/f1/t1", 0.6, 1.0)]
    more = [*rows, given_d("a/f3/t1", None, 0.5), given_d("b/f1/t2", 0.5, None)]
    assert scores_of(rows).ecs.value == pytest.approx(scores_of(more).ecs.value, abs=1e-14)
