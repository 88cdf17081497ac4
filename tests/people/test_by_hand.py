"""Small rules about agreement with people, worked out by hand or in another way."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.people.studies.test_unread import _observed

import concord
from concord.people.answers.result import AnswersResult
from concord.people.differences import AgentDifference
from concord.people.mixed.combine import _person_correlation
from concord.people.protocol import STANDARD, Protocol
from concord.people.results import agent_pairs
from concord.people.studies import unread
from concord.people.studies.draft import _row_of
from concord.people.studies.format import Test
from concord.people.studies.observe import Observations
from concord.people.studies.tests import group_choices, published_rows
from concord.records import Estimate
from concord.words import say


def test_a_protocol_of_ones_own_is_the_standard_one_where_it_says_nothing_else() -> None:
    assert replace(Protocol(name="mine"), name=STANDARD.name) == STANDARD
    assert STANDARD.within_study == 0.5


def test_twenty_people_are_enough_for_the_interval_of_a_correlation() -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=20)
    f = y + rng.normal(size=20)
    assert _person_correlation(y, f, 0.95).interval is not None
    assert _person_correlation(y[:19], f[:19], 0.95).interval is None


@pytest.mark.parametrize(("n", "left_out"), [(1, 0), (0.5, 1)])
def test_an_effect_of_one_person_is_an_effect(n: float, left_out: int) -> None:
    rows: list[dict[str, Any]] = [
        {"study": "S", "condition": str(i), "human_estimate": i, "human_se": 0.5, "agent_estimate": i + 0.5}
        for i in range(5)
    ]
    found = concord.score_predictions([rows[0] | {"human_n": n}, *rows[1:]])
    assert (len(found.left_out), found.n_effects) == (left_out, 5 - left_out)


def test_agents_too_many_for_pairs_are_ordered_by_their_own_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    rows = [
        {"agent": agent, "study": f"S{i // 2}", "finding": f"F{i}", "test": "t", "test_type": "t-test",
         "human_statistic": float(i - 2), "human_n1": 40, "human_n2": 40,
         "agent_statistic": float(i - 2 + rng.normal(0, spread)), "agent_n1": 40, "agent_n2": 40}
        for spread, agent in ((3.0, "far"), (0.1, "near"), (1.2, "between")) for i in range(8)
    ]  # fmt: skip
    options: dict[str, Any] = {"n_resamples": 0, "n_simulations": 0}
    compared: Any = concord.score_people(rows, **options)
    monkeypatch.setattr(agent_pairs, "COMPARED_AGENTS", 2)
    alone: Any = concord.score_people(rows, **options)
    assert not alone.pairs and "pairs of 3 models are not compared" in alone.pairs_note
    for one, other in zip(alone.standings, compared.standings, strict=True):
        own = {agent.name: getattr(agent, one.metric).value for agent in alone.agents}
        assert list(one.order) == sorted(own, key=lambda name: -own[name]) == list(other.order)


def test_an_error_row_of_a_table_needs_two_numbers_and_other_rows_all() -> None:
    assert _row_of("Error   38   2.41", 4) == {0: "38", 1: "2.41"}
    assert _row_of("Frame   38   2.41", 4) == {}
    assert _row_of("Error   38", 4) == {}


CHOSEN = ("sure option, gain against loss frame", "buys a ticket, lost cash against lost ticket")


@pytest.fixture(scope="module")
def framed() -> tuple[Observations, dict[str, Test]]:
    observed = _observed("framing", 14, 0.15)
    return observed, {test.name: test for test, _ in published_rows(observed.plan.study)}


@pytest.mark.parametrize("name", CHOSEN)
def test_unread_choices_turned_one_by_one_reach_the_ends_that_are_aimed_at(
    framed: tuple[Observations, dict[str, Test]], name: str
) -> None:
    observed, tests = framed
    aims = unread._aims(observed, tests[name])
    assert aims is not None
    unsaid = tests[name].model_copy(update={"success": None})
    assert unread._aims(observed, unsaid) == aims  # of two options the first is the one that is counted
    for end in (-1, 1):
        aimed, turned = (
            unread._number_of(unread._taken_to_end(observed, tests[name], one, end), tests[name])
            for one in (aims, None)
        )
        assert turned == pytest.approx(aimed)


def test_choices_are_those_of_the_group_they_were_made_in(
    framed: tuple[Observations, dict[str, Test]],
) -> None:
    observed, tests = framed
    found = group_choices(observed, tests[CHOSEN[0]])
    assert found is not None
    rows = observed.participants[tests[CHOSEN[0]].experiment]
    for frame in ("gain", "loss"):
        given = [row["programme"] for row in rows if row["frame"] == frame and row["programme"] is not None]
        assert sorted(found[1][frame]) == sorted(map(str, given))
    assert len(found[1]["gain"]) != len(found[1]["loss"])


@pytest.mark.parametrize(
    ("p_values", "said"),
    [((0.001, 0.002), say("answers.lead_all")), ((0.001, 0.6), say("answers.lead_some", rest=1, n=2))],
)
def test_of_how_many_others_a_lead_is_shown(p_values: tuple[float, float], said: str) -> None:
    rows = [
        {"outcome": "trust", "model": name, "human": 1 + i % 5, "agent_answer": 1 + i % k}
        for k, name in ((5, "a"), (4, "b"), (3, "c"))
        for i in range(60)
    ]
    found: AnswersResult = concord.score_answers(rows, n_resamples=20)
    pairs = [("a", "b", p_values[0]), ("a", "c", p_values[1])]
    made = tuple(AgentDifference(one, two, "tvd", Estimate(0.1), p, p) for one, two, p in pairs)
    best = next(one for one in found.agents if one.agent == "a")
    assert said in replace(found, differences=made)._lead_words(best)
