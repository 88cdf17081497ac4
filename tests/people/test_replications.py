"""Published replications: a pass is significance in the same direction, and the published verdict.

The 21 pairs of Camerer et al. 2018 (Nature Human Behaviour, 2, 637-644), with the verdict that it gives.
"""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import concord
from concord.people.public import replication_table
from concord.people.results.many import score_agents
from concord.people.results.one import MEASURED_TWICE, people_again, score_table
from concord.people.studies.load import find_studies
from concord.people.studies.tests import published_rows
from concord.records import TestRow, TestTable

SSRP = Path(__file__).parents[1] / "data" / "ssrp_replications.csv"


def test_143_passes_are_those_of_significance_and_sign() -> None:
    table = replication_table()
    found = {
        (one.study, one.test): one.passed for one in score_table(table, n_resamples=0, n_simulations=0).tests
    }
    assert len(table.rows) == len(found) == 143
    for row in table.rows:
        assert row.human is not None and row.agent is not None
        r, n = row.agent.statistic, row.agent.n
        assert r is not None and n is not None and row.human.statistic is not None
        p = 2 * stats.t.sf(abs(r) * np.sqrt((n - 2) / (1 - r * r)), n - 2)
        by_hand = bool(p < 0.05 and r * row.human.statistic > 0)
        assert found[row.study, row.test] == by_hand, row.study


def test_21_passes_are_the_published_verdicts() -> None:
    with SSRP.open(encoding="utf-8", newline="") as file:
        published = {row["study"]: row["published_replicated"] == "yes" for row in csv.DictReader(file)}
    result = concord.score_people(SSRP, n_resamples=0, n_simulations=0)
    assert {one.study: one.passed for one in result.tests} == published
    assert (len(published), sum(published.values())) == (21, 13)


def test_many_labs_2_is_scored_both_ways() -> None:
    table, turned = (replication_table("many_labs_2.csv", reverse=reverse) for reverse in (False, True))
    assert len(table.rows) == len(turned.rows) == 24
    first, second = (score_table(one, n_resamples=0) for one in (table, turned))
    assert first.pas.value == pytest.approx(second.pas.value)
    effects = {one.finding: (one.human_effect_d, one.agent_effect_d) for one in first.tests}
    assert effects["Tempting Fate"] == pytest.approx((0.39, 0.1806), abs=1e-4)
    assert effects["Priming Warmth"] == pytest.approx((0.31, -0.0337), abs=1e-4)


def _bundled_effects(*, original: bool) -> list[TestRow]:
    files = find_studies(["many-labs-2"])
    return [row for file in files for _, row in published_rows(file.study, original=original)]


def test_the_kept_effects_that_people_showed_twice_are_those_of_the_bundled_studies() -> None:
    kept = replication_table(MEASURED_TWICE[0]).rows
    for row, first, second in zip(
        kept, _bundled_effects(original=True), _bundled_effects(original=False), strict=True
    ):
        assert (row.study, row.finding, row.test) == (first.study, first.finding, first.test)
        assert row.human is not None and row.agent is not None and first.human is not None
        assert (row.human.statistic, row.human.table) == (first.human.statistic, first.human.table)
        assert second.human is not None
        assert (row.agent.statistic, row.agent.n) == (second.human.statistic, second.human.n)


def test_people_have_a_row_among_agents_on_the_same_effects_and_only_there() -> None:
    people, first = _bundled_effects(original=False), _bundled_effects(original=True)
    follows = [replace(row, agent=one.human) for row, one in zip(people, first, strict=True)]
    honest = [replace(row, agent=row.human) for row in people]
    tables = {"follows": TestTable(tuple(follows)), "honest": TestTable(tuple(honest))}
    found = score_agents(tables, n_resamples=0)
    assert found.people is not None
    assert found.people.n == 18
    # one who answers as the original studies did is, number for number, the row of the original studies
    assert found.people.pas.value == pytest.approx(found.agents[0].pas.value)
    assert found.people.ecs.value == pytest.approx(found.agents[0].ecs.value)
    assert "people: the original studies of these 18" in str(found).replace("\n", " ")
    other = replace(follows[0], human=follows[0].agent)
    mixed = {name: TestTable((other, *table.rows[1:])) for name, table in tables.items()}
    assert score_agents(mixed, n_resamples=0).people is None


def test_the_table_of_24_effects_has_the_row_too() -> None:
    turned = replication_table("many_labs_2.csv", reverse=True).rows
    again = people_again(turned)
    assert again is not None
    assert again.pas.value == pytest.approx(score_table(TestTable(turned), n_resamples=0).pas.value)
