"""Claims about several agents: both answers for every pair, who may be best, what choosing is worth."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.people.test_agents import rows_of, scored

import concord
from concord.people.agents import AgentsResult
from concord.people.public import HSB, TWIN


@pytest.fixture(scope="module")
def demo() -> AgentsResult:
    return scored(TWIN.path, n_simulations=0)


def of_pair(result: AgentsResult, metric: str, first: str, second: str) -> Any:
    return next(
        one for one in result.pairs if one.metric == metric and {one.first, one.second} == {first, second}
    )


def test_pairs_that_differ_on_these_studies_are_those_of_the_redraws(demo: AgentsResult) -> None:
    """Design page: 12, 49 and 18 of 105 pairs by PAS, ECS and APR; here with other draws."""
    found = {one.metric: one.n_distinguishable_here for one in demo.standings}
    assert abs(found["pas"] - 12) <= 2 and abs(found["ecs"] - 49) <= 3 and abs(found["apr"] - 18) <= 2
    assert all(one.n_pairs_here == 105 for one in demo.standings)


@pytest.mark.parametrize(("metric", "value", "se"), [("pas", 0.236, 0.049), ("apr", 0.553, 0.056)])
def test_one_pair_has_the_difference_and_the_error_of_the_design_page(
    demo: AgentsResult, metric: str, value: float, se: float
) -> None:
    one = of_pair(demo, metric, "GPT5", "full_persona_without_reasoning")
    answer = one.these_studies
    assert abs(one.difference) == pytest.approx(value, abs=0.002)
    assert (answer.high - answer.low) / 2 / 1.96 == pytest.approx(se, rel=0.15)
    assert answer.p_holm < 0.05 < one.other_studies.p_holm


def test_the_chosen_one_is_worth_less_than_it_scored(demo: AgentsResult) -> None:
    """Design page: .766 becomes .672 where the mean of all 15 is .668."""
    assert demo.chosen is not None and demo.chosen.agent == "GPT5"
    assert (demo.chosen.own, demo.chosen.value, demo.chosen.mean) == pytest.approx(
        (0.766, 0.672, 0.668), abs=0.001
    )
    assert demo.chosen.luck == pytest.approx((0.766 - 0.672) / (0.766 - 0.668), abs=0.02)
    assert not demo.chosen.leads
    first, here, others, together = demo.sentences()[:4]
    assert first.endswith("where the mean of all is 0.67, so its lead may be luck.")
    assert "on studies that did not help to choose it, the best of 15 reaches 0.67" in first
    assert here.startswith("On these studies") and others.startswith(
        "In other studies like these, none of 105"
    )
    assert "a difference below about 0.71 would not be found" in others
    assert "Friedman p = .294, F p = .286" in together and demo.omnibus is not None


def test_the_best_of_humanstudy_bench_stays() -> None:
    """Design page: .571, the same configuration in 12 of 12 folds."""
    found = scored(HSB.path, n_simulations=0, n_resamples=0)
    assert found.chosen is not None and found.omnibus is not None
    assert found.chosen.value == pytest.approx(0.571, abs=0.001)
    assert (found.chosen.n_same, found.chosen.n_studies, found.chosen.luck) == (12, 12, 0.0)
    assert found.omnibus.p_value == pytest.approx(0.030, abs=0.001)
    assert {one.these_studies.note for one in found.pairs if one.metric == "pas"} == {
        "no interval: not asked for (resamples = 0)"
    }


def test_files_hold_the_same_words(tmp_path: Path) -> None:
    found = scored(rows_of(), n_resamples=60, n_simulations=0)
    found.write(tmp_path)
    document = json.loads((tmp_path / "agents.json").read_text("utf-8"))
    assert {"best_set", "omnibus", "chosen"} < document.keys()
    with (tmp_path / "agent_pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, held, pair in zip(rows, document["pairs"], found.pairs, strict=True):
        for name in ("these_studies", "other_studies"):
            for part in ("low", "high", "p_value", "p_holm"):
                value = getattr(getattr(pair, name), part)
                assert held[name][part] == value
                assert row[f"{name}_{part}"] == ("" if value is None else str(value))
        assert held["smallest_found"] == pair.smallest_found


def test_agents_that_lack_different_tests_are_redrawn_on_what_both_have() -> None:
    found = scored(rows_of(), n_resamples=200, n_simulations=0)
    assert all(one.these_studies.p_value is not None for one in found.pairs if one.metric == "pas")
    alone = scored(
        [
            row
            for row in rows_of()
            if row["agent"] in ("model/0", "model/3") and row["test"] not in ("t1", "t2")
        ],
        n_resamples=200,
        n_simulations=0,
    )
    one, other = (of_pair(result, "pas", "model/0", "model/3") for result in (found, alone))
    assert one.difference == pytest.approx(other.difference, abs=1e-12)
    width = [pair.these_studies.high - pair.these_studies.low for pair in (one, other)]
    assert width[0] == pytest.approx(width[1], rel=0.25)


def test_a_copy_of_an_agent_does_not_differ_from_it() -> None:
    rows = [row for row in rows_of(2) if row["agent"] == "model/0"]
    twice = [row | {"agent": name} for name in ("a", "b") for row in rows]
    one = of_pair(scored(twice, n_resamples=100, n_simulations=0), "pas", "a", "b")
    assert one.difference == 0 and one.these_studies.p_value == 1
    assert np.isfinite(one.these_studies.low)


def test_where_no_difference_could_be_found_no_impossible_one_is_named(demo: AgentsResult) -> None:
    rare = replace(demo, standings=tuple(replace(one, smallest_found=1.3) for one in demo.standings))
    assert "not even the largest difference there can be would be found" in rare.others_words()
    assert "1.30" not in rare.others_words()


@pytest.mark.parametrize(("agents", "studies", "guarded"), [(8, 12, True), (5, 12, False), (8, 11, False)])
def test_the_guarded_range_decides_only_where_it_holds(agents: int, studies: int, guarded: bool) -> None:
    rng = np.random.default_rng(3)
    rows = [
        {"study": f"S{s}", "finding": "F", "test": "t", "test_type": "t-independent", "agent": f"a{a}"}
        | {"human_statistic": 2.0, "human_n1": 30, "human_n2": 30}
        | {"agent_statistic": float(rng.normal(2, 1)), "agent_n1": 30, "agent_n2": 30}
        for s in range(studies)
        for a in range(agents)
    ]
    found = concord.score_people(rows, n_simulations=0, n_resamples=0)
    assert isinstance(found, AgentsResult)
    by_pas = [one for one in found.pairs if one.metric == "pas"]
    assert all((one.p_guarded is not None) == guarded for one in by_pas)
    assert found.standing("pas").rule == ("guarded range" if guarded else "Holm")
    assert ("a studentised range" in found.paragraph("Concord")) == guarded
