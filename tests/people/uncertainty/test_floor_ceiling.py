"""Floor and ceiling: right by independent means, exact to 1e-8, the same for every engine and chunk."""

import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.people.random_tables import random_table

from concord.api import demo_table, score_people
from concord.engine import SERIAL, Engine
from concord.errors import OptionError, UndefinedError
from concord.people.families.base import HumanEffects, Truth
from concord.people.families.mann_whitney import MannWhitney
from concord.people.families.registry import KINDS
from concord.people.families.wilcoxon import SignedRanks
from concord.people.protocol import PROTOCOLS, STANDARD, Protocol
from concord.people.results.same_tests import context_of
from concord.people.score.levels import Ends, lay_out
from concord.people.score.sides import SideTable
from concord.people.table.read import read_tests
from concord.people.uncertainty.floor_ceiling import Simulation, percentile, simulate_bounds, simulated_block
from concord.people.uncertainty.true_effects import EffectPopulation, fit_population, human_effects
from concord.records import Estimate, Interval, Side

APART = replace(STANDARD, within_study=0.0)
"""Every test of people of its own."""


def simulated(
    table: object, protocol: Protocol = STANDARD, n: int = 300, engine: Engine = SERIAL
) -> Simulation:
    """Simulate a path, row mappings or rows already read."""
    rows = table if isinstance(table, tuple) else read_tests(table).rows  # type: ignore[arg-type]
    layout = lay_out(rows)
    human = SideTable.from_rows(layout.rows, [r.human for r in layout.rows], protocol.human_prior_odds, KINDS)
    agent = SideTable.from_rows(layout.rows, [r.agent for r in layout.rows], protocol.agent_prior_odds, KINDS)
    context = context_of(layout.rows, human, agent)
    rng = np.random.default_rng(3)
    return simulate_bounds(
        human, agent, context, layout, protocol, level=0.95, n_simulations=n, rng=rng, engine=engine
    )


def t_rows(human: list[float], n: int = 40, agent_n: int = 60) -> list[dict[str, object]]:
    return [
        {
            "study": f"S{i // 3}", "finding": f"F{i}", "test": "t", "test_type": "t-test",
            "human_statistic": t, "human_n1": n, "human_n2": n,
            "agent_statistic": 1.0, "agent_n1": agent_n, "agent_n2": agent_n,
        }
        for i, t in enumerate(human)
    ]  # fmt: skip


def test_the_floor_is_what_null_agents_score_one_by_one() -> None:
    """Agents without effects drawn as raw data, scored through the public function."""
    human = [4.0, 0.3, -3.5, 2.2, 5.0, -0.8]
    floor = simulated(t_rows(human), APART, n=2000).floors["pas"].benchmark
    rng = np.random.default_rng(1)
    scores = []
    for _ in range(60):
        rows = t_rows(human)
        for row in rows:
            x, y = rng.normal(0, 1, (2, 60))
            row["agent_statistic"] = (x.mean() - y.mean()) / np.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 60)
        scores.append(score_people(rows, n_resamples=0, n_simulations=0).pas.value)
    values = np.array(scores, dtype=np.float64)
    assert floor.mean() == pytest.approx(values.mean(), abs=4 * values.std() / np.sqrt(len(values)))
    assert floor.std() == pytest.approx(values.std(), rel=0.25)


def test_floor_and_ceiling_of_apr_are_what_such_agents_pass() -> None:
    """Without effects 2.5 % pass in the direction of people; perfect replications by their power."""
    human = [8.0, -9.0, 10.0, 8.5, -7.5, 9.5]
    found = simulated(t_rows(human), APART, n=4000)
    assert found.floors["apr"].benchmark.mean() == pytest.approx(0.025, abs=0.003)
    assert found.ceilings["apr"].benchmark.mean() > 0.99


def test_every_family_passes_as_its_p_values_say() -> None:
    """APR of simulated agents read by critical values is that of their p-values."""
    rows = tuple(
        replace(row, study=f"{seed}", pas=None, n_eff=None)
        for seed in range(7)
        for row in random_table(seed)
        if is_raw(row.human) and is_raw(row.agent)
    )
    layout = lay_out(rows)
    agent = SideTable.from_rows(layout.rows, [r.agent for r in layout.rows], 1.0, KINDS)
    checked = 0
    for index, family in agent.families:
        drawn = family.draw(np.random.default_rng(1), 200)
        for protocol in (STANDARD, PROTOCOLS["published"]):
            called = drawn.is_significant(np.full(len(index), 0.05), protocol)
            if called is not None:
                p = drawn.evidence(protocol).p_value
                assert np.array_equal(called, p < 0.05)
                checked += 1
    assert checked >= 8


def test_few_ranks_pass_by_their_exact_p_in_simulated_agents_too() -> None:
    sides = [Side(statistic=4.0, n1=n, n2=n) for n in (3.0, 4.0, 5.0, 9.0, 10.0)]
    family = MannWhitney.from_sides(sides)
    drawn = family.draw(np.random.default_rng(1), 400)
    called = drawn.is_significant(np.full(5, 0.05), STANDARD)
    assert np.array_equal(called, drawn.evidence(STANDARD).p_value < 0.05)
    # with three against three the smallest exact p is .10; by z some would pass
    assert not called[:, 0].any() and called[:, 4].any()
    by_z = drawn.is_significant(np.full(5, 0.05), PROTOCOLS["published"])
    assert by_z[:, 0].any()
    assert np.array_equal(by_z[:, 4], called[:, 4])
    pairs = SignedRanks.from_sides([Side(statistic=15.0, n=5.0), Side(statistic=21.0, n=6.0)])
    few = pairs.draw(np.random.default_rng(1), 400).is_significant(np.full(2, 0.05), STANDARD)
    # all five pairs on one side: p = .0625; six: .03125
    assert not few[:, 0].any() and few[:, 1].any()


def test_the_percentile_among_twins_counts_those_below() -> None:
    assert percentile(0.5, np.array([0.1, 0.5, 0.5, 0.9])) == 0.5
    assert percentile(0.5, np.array([np.nan])) is None
    result = score_people(demo_table(), n_resamples=0, n_simulations=200)
    assert result.pas.bounds is not None
    assert 0 <= result.pas.bounds.percentile <= 1  # type: ignore[operator]


def test_a_place_is_withheld_where_twins_may_score_as_agents_without_effects() -> None:
    rows = t_rows([1.2, -0.9, 1.5, 0.4, -1.1, 0.8], n=15, agent_n=15)
    score = score_people(rows, n_resamples=0, n_simulations=300).ecs
    assert score.bounds is not None
    assert score.bounds.ceiling.interval is not None
    assert score.bounds.ceiling.interval.low <= score.bounds.floor.value  # type: ignore[operator]
    assert score.bounds.place.value is None
    assert "not apart" in score.bounds.place.note
    assert score.bounds.percentile is not None


def test_the_interval_of_a_place_carries_the_range_of_the_ceiling() -> None:
    fixed, carried = (
        score_people(demo_table(), n_resamples=0, n_simulations=300, **choice).pas.bounds
        for choice in ({"true_effects": "normal"}, {})
    )
    assert fixed is not None
    assert carried is not None
    assert "range of the ceiling" in carried.place.interval.method  # type: ignore[union-attr]
    assert "held fixed" in fixed.place.interval.method  # type: ignore[union-attr]


def test_with_very_many_people_and_agents_the_ceiling_is_near_one() -> None:
    human = [40.0, 30.0, -35.0, 22.0, 50.0, -28.0]
    high = simulated(t_rows(human, n=20_000, agent_n=20_000))
    assert high.ceilings["pas"].benchmark.mean() > 0.99
    assert high.ceilings["ecs"].benchmark.mean() > 0.99
    assert high.floors["ecs"].benchmark.mean() == pytest.approx(0, abs=0.05)


def test_drawing_around_the_estimates_themselves_would_overshoot() -> None:
    rng = np.random.default_rng(4)
    true, se, none = rng.normal(0, 0.2, 3000), np.full(3000, 0.2), np.full(3000, np.nan)
    found = HumanEffects(true + se * rng.standard_normal(3000), se, none, none, none, none, {})
    shrunken = fit_population(found, none).draw(found, rng, 20)
    around = EffectPopulation(0.0, 1e9, 3000).draw(found, rng, 20)
    assert np.mean(shrunken**2) == pytest.approx(np.mean(true**2), rel=0.1)
    assert np.mean(around**2) == pytest.approx(3 * np.mean(true**2), rel=0.1)


def is_raw(side: Side | None) -> bool:
    return side is not None and side.log_bf is None and side.effect_d is None


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_every_kind_of_test_can_be_simulated(name: str) -> None:
    rows = tuple(
        replace(row, study=f"{seed}", pas=None, n_eff=None)
        for seed in range(7)
        for row in random_table(seed)
        if is_raw(row.human) and is_raw(row.agent) and row.test_type != "chi-square"
    )
    assert len({row.test_type for row in rows}) >= 6
    found = simulated(rows, PROTOCOLS[name], n=70)
    assert found.note == ""
    for levels in (found.floors, found.ceilings):
        values = levels["pas"].benchmark
        assert np.all((values >= 0) & (values <= 1))
    assert found.floors["pas"].benchmark.mean() < found.ceilings["pas"].benchmark.mean()


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    first, again = (score_people(demo_table(), n_resamples=0, n_simulations=150) for _ in range(2))
    other = score_people(demo_table(), n_resamples=0, n_simulations=150, seed=1)
    assert first.to_dict() == again.to_dict()
    assert first.pas.bounds is not None
    assert other.pas.bounds is not None
    assert first.pas.bounds.floor.value != other.pas.bounds.floor.value


def test_more_agents_do_not_change_the_first_ones() -> None:
    few, many = (simulated(t_rows([3.0, 0.2, -2.0]), n=n).floors["pas"].benchmark for n in (900, 1500))
    assert np.array_equal(few, many[:900])


def test_processes_give_the_same_bytes() -> None:
    serial = simulated(demo_table(), n=1500)
    spread = simulated(demo_table(), n=1500, engine=Engine("processes", n_jobs=2))
    for metric in ("pas", "ecs"):
        for ours, theirs in ((serial.floors, spread.floors), (serial.ceilings, spread.ceilings)):
            assert ours[metric].benchmark.tobytes() == theirs[metric].benchmark.tobytes()
            assert ours[metric].domain.tobytes() == theirs[metric].domain.tobytes()


def test_chains_in_groups_give_the_same_bytes_in_any_number_of_processes() -> None:
    """Beyond 4,000 agents the chains behind the ceiling run in groups, wherever those are computed."""
    rows = t_rows([3.0, 0.2, -2.0, 4.0])
    serial, two, three = (
        simulated(rows, n=4500, engine=engine).ceilings["pas"].benchmark.tobytes()
        for engine in (SERIAL, Engine("processes", n_jobs=2), Engine("processes", n_jobs=3))
    )
    assert serial == two == three


class Weighing(Engine):
    """Notes how many bytes the largest block has, and how many blocks there are."""

    def start(self, function: Any, blocks: Any) -> Callable[[], list[Any]]:
        work = list(blocks)
        done = [function(block) for block in work]
        if getattr(function, "func", None) is simulated_block:
            SENT.append((len(work), max(len(pickle.dumps(block)) for block in work)))
        return lambda: done


SENT: list[tuple[int, int]] = []


def test_blocks_of_simulated_agents_carry_no_arrays() -> None:
    SENT.clear()
    simulated(t_rows([3.0, 0.2, -2.0, 4.0]), n=3000, engine=Weighing("weighing"))
    assert [blocks for blocks, _ in SENT] == [3, 3]  # without effects, and perfect replications
    assert max(largest for _, largest in SENT) < 1000


def test_a_score_stands_between_floor_and_ceiling() -> None:
    result = score_people(demo_table(), n_resamples=0, n_simulations=200)
    for score in (result.pas, result.ecs, *(domain.pas for domain in result.domains)):
        assert score.bounds is not None
        floor, ceiling, place = score.bounds.floor.value, score.bounds.ceiling.value, score.bounds.place.value
        assert floor is not None
        assert ceiling is not None
        assert score.value is not None
        if place is None:
            assert re.search("its interval, .* says nothing", score.bounds.place.note)
            continue
        assert place == pytest.approx((score.value - floor) / (ceiling - floor), abs=1e-12)
    assert result.apr.bounds is not None
    assert all(study.pas.bounds is None for study in result.studies)
    document = result.to_dict()
    assert document["average_pas_raw_place"] == result.pas.bounds.place.value  # type: ignore[union-attr]
    assert document["floor_and_ceiling"]["n_simulations"] == 200


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_the_value_of_floor_and_ceiling_lies_in_its_own_range(level: float) -> None:
    """Also in studies of few tests, where almost every simulated agent scores the same and a few do not."""
    seen = 0
    for seed in range(12):
        raw = [row for row in random_table(seed) if is_raw(row.human) and is_raw(row.agent)]
        some = [replace(row, pas=None, n_eff=None) for row in raw if row.test_type != "chi-square"]
        found = replace(simulated(tuple(some[: 1 + seed % 5]), n=150), level=level)
        for metric in ("pas", "ecs", "apr"):
            for domain in (None, *range(found.floors[metric].domain.shape[1])):
                score = found.bounds(metric, Estimate(0.5), domain=domain)
                assert score is not None
                for end in (score.floor, score.ceiling):
                    if end.value is not None and end.interval is not None:
                        seen += 1
                        assert end.interval.low <= end.value <= end.interval.high, (seed, metric, end)
    assert seen > 60


def test_the_range_of_a_rare_score_reaches_to_it() -> None:
    """97 agents of 100 pass nothing, 3 one test of four: the range is [0, 0.25]."""
    passed = np.repeat([0.0, 0.25], [97, 3])[None].T
    ends = {"apr": Ends(passed, passed[:, 0])}
    found = Simulation(ends, {"apr": Ends(1 - passed, 1 - passed[:, 0])}, None, 100, 0.8).bounds(
        "apr", Estimate(0.5)
    )
    assert found is not None
    assert found.floor.value == pytest.approx(0.0075)
    assert found.floor.interval == Interval(0.0, 0.25, 0.8, "where at least 80 % of them fall")
    assert found.ceiling.interval == Interval(0.75, 1.0, 0.8, "where at least 80 % of them fall")


def test_a_range_that_is_too_narrow_has_no_place() -> None:
    rows = t_rows([0.1, -0.2, 0.05], n=3, agent_n=3)
    score = score_people(rows, n_resamples=0, n_simulations=200).pas
    assert score.bounds is not None
    assert score.bounds.place.value is None
    assert "at least 0.05 are needed" in score.bounds.place.note


def test_precomputed_numbers_cannot_be_simulated_and_nobody_has_to_ask() -> None:
    rows = [*t_rows([2.0, 1.0, -1.0])]
    rows[0] = {k: v for k, v in rows[0].items() if not k.startswith("agent")} | {"agent_log_bf": 2.0}
    result = score_people(rows, n_resamples=0)
    assert result.pas.bounds is None
    assert "1 test holds precomputed numbers" in result.to_dict()["floor_and_ceiling"]["note"]
    assert score_people(t_rows([2.0]), n_resamples=0, n_simulations=0).pas.bounds is None
    with pytest.raises(OptionError, match="simulations is -1"):
        score_people(t_rows([2.0]), n_simulations=-1)


def test_the_null_share_and_tau_are_found_again_from_many_effects() -> None:
    rng = np.random.default_rng(8)
    true = np.where(rng.random(20_000) < 0.4, 0.0, rng.normal(0, 0.5, 20_000))
    se = np.full(20_000, 0.2)
    d = true + se * rng.standard_normal(20_000)
    from scipy import stats

    nothing = np.full(20_000, np.nan)
    found = HumanEffects(d, se, nothing, nothing, nothing, nothing, {})
    population = fit_population(found, 2 * stats.norm.sf(np.abs(d / se)))
    # Storey's estimate counts effects too small to see as null, and never falls short
    assert 0.4 <= population.null_share <= 0.7
    assert population.tau2 * (1 - population.null_share) == pytest.approx(0.6 * 0.25, rel=0.05)


def test_the_posterior_shrinks_and_keeps_its_spread() -> None:
    none = np.array([np.nan])
    found = HumanEffects(np.array([0.6]), np.array([0.2]), none, none, none, none, {})
    draws = EffectPopulation(0.0, 0.09, 1).draw(found, np.random.default_rng(9), 200_000)
    weight = 0.09 / (0.09 + 0.04)
    assert draws.mean() == pytest.approx(0.6 * weight, abs=0.002)
    assert draws.std() == pytest.approx(np.sqrt(0.09 * 0.04 / 0.13), abs=0.002)


def test_human_effects_stand_on_the_scale_of_the_scores() -> None:
    rows = lay_out(read_tests(demo_table()).rows).rows
    for protocol in PROTOCOLS.values():
        human = SideTable.from_rows(rows, [r.human for r in rows], 1.0, KINDS)
        scored, ours = human.evidence(protocol).effect_d, human_effects(human, protocol).d
        both = ~np.isnan(scored) & ~np.isnan(ours)
        assert both.sum() > 40
        assert ours[both] == pytest.approx(scored[both], abs=0.02, rel=0.02)


def chi_row(number: int, **sides: object) -> dict[str, object]:
    return {"study": f"S{number}", "finding": "F", "test": "c", "test_type": "chi-square", **sides}


def test_a_human_number_that_the_agents_design_needs_is_named_where_it_is_missing() -> None:
    """A larger table cannot be drawn from a chi-square alone, nor a signed effect from one with df = 2."""
    alone = {"human_statistic": 9.0, "human_df1": 2, "human_n": 90}
    rows = [*t_rows([2.0, 1.0, -1.0]), chi_row(7, agent_table="[[9,2],[3,4],[5,5]]", **alone)]
    found = simulated(rows)
    assert found.floors == {}
    assert "1 test has no human number of the kind that the model's design asks for" in found.note
    assert "(S7/F/c)" in found.note
    rows[-1] = chi_row(8, agent_table="[[9,2],[3,4]]", **alone)
    assert "(S8/F/c)" in simulated(rows).note


def test_a_missing_number_is_an_error_and_not_an_effect_of_zero() -> None:
    rows = lay_out(read_tests(t_rows([2.0, 1.0])).rows).rows
    family = SideTable.from_rows(rows, [r.agent for r in rows], 1.0, KINDS).families[0][1]
    none = np.full(2, np.nan)
    people = HumanEffects(none, none, none, none, none, none, {})
    with pytest.raises(UndefinedError, match="people have no d for a test whose simulation needs it"):
        Truth(np.full((3, 2), np.nan), people, null=False).needed_by(family.needed())


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_test_that_lacks_a_side_is_left_out_and_does_not_matter(name: str) -> None:
    rows = t_rows([2.0, 1.0, -1.0, 3.0])
    lone = [
        {"study": "S9", "finding": "F", "test": "b", "test_type": "binomial", "agent_k": 7, "agent_n": 9},
        chi_row(9, agent_table="[[9,2],[3,4],[5,5]]"),
    ]
    assert simulated([*rows, *lone], PROTOCOLS[name]).note == ""


def test_empty_columns_of_a_human_table_say_nothing() -> None:
    """Shares follow the columns that hold people; an empty one keeps the half count of its cells."""

    def shares(table: str) -> np.ndarray:
        rows = lay_out(read_tests([chi_row(1, human_table=table, agent_table=table)]).rows).rows
        human = SideTable.from_rows(rows, [r.human for r in rows], 1.0, KINDS)
        return human_effects(human, STANDARD).shares[0][1]

    empty, full = shares("[[30,10,0],[10,30,0],[20,20,0]]"), shares("[[30,10],[10,30],[20,20]]")
    assert empty[:, :2] / empty[:, :2].sum(axis=1, keepdims=True) == pytest.approx(full, abs=0.01)


def _published(rng: np.random.Generator, n: int, *, selected: bool) -> list[dict[str, Any]]:
    """Twins of people on 24 tests of 8 studies; where selected, people's p are all below .05."""
    rows: list[dict[str, Any]] = []
    while len(rows) < 24:
        d = 0.5 * rng.standard_normal() * np.sqrt(n / 2)
        human, agent = (float(d + rng.standard_normal()) for _ in range(2))
        if selected and abs(human) < 2.0:
            continue
        i = len(rows)
        rows.append(
            {"study": f"S{i // 3}", "finding": f"F{i}", "test": "t", "test_type": "t-independent",
             "human_statistic": human, "human_n1": n, "human_n2": n,
             "agent_statistic": agent, "agent_n1": n, "agent_n2": n}
        )  # fmt: skip
    return rows


def test_the_ceiling_of_selected_studies_is_that_of_effects_with_their_selection_undone() -> None:
    """Published effects of n = 30 are too large: a perfect replication of them was told to reach more."""
    rng = np.random.default_rng(3)
    found = score_people(_published(rng, 30, selected=True), n_resamples=0, n_simulations=100)
    assert found.pas.bounds is not None
    assert found.referee is not None and found.referee.selection.ceiling_pas is not None
    assert found.pas.bounds.ceiling.value == found.referee.selection.ceiling_pas.value
    assert "corrected for publication bias (24 of 24 human tests are significant" in found.bounds_note
    assert "corrected for publication bias" in found.sentences()[0]
    plain = score_people(_published(rng, 30, selected=False), n_resamples=0, n_simulations=100)
    assert "undone" not in plain.bounds_note
    assert plain.pas.bounds is not None and "adjusted" not in plain.pas.bounds.ceiling.method
