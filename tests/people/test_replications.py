"""Published replications: a pass is significance in the same direction, and the published verdict.

The 21 pairs of Camerer et al. 2018 (Nature Human Behaviour, 2, 637-644), with the verdict that it gives.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import concord
from concord.people.public import replication_table
from concord.people.results.one import score_table

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
