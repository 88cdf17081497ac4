"""APR and what decides a pass, by hand."""

from dataclasses import replace

import pytest
from tests.people.rows import row, scores_of, t_side

import concord
from concord.people.protocol import REFINED
from concord.people.protocol_file import get_protocol
from concord.records import Side


def test_apr_by_hand_under_standard_and_refined() -> None:
    """Significant and same way; reversed; not significant; human null replicated as a null."""
    pairs = [(4.0, 5.0), (4.0, -5.0), (4.0, 1.0), (0.5, 0.4), (0.5, 3.0)]
    rows = [row(f"s/f{i}/t", t_side(h), t_side(a)) for i, (h, a) in enumerate(pairs)]
    standard, refined = scores_of(rows), scores_of(rows, REFINED)
    assert standard.apr.value == pytest.approx(2 / 5)
    assert refined.apr.value == pytest.approx(1 / 3)
    assert standard.companions.apr_human_significant == pytest.approx(1 / 3)
    assert refined.companions.apr_all == pytest.approx(2 / 5)
    assert standard.companions.nulls_kept == pytest.approx(1 / 2)
    assert [finding.apr for finding in refined.findings] == [1, 0, 0, None, None]


def test_each_row_is_judged_by_its_own_alpha() -> None:
    rows = [row(f"s/f{i}/t", t_side(3), t_side(2.2), alpha=alpha) for i, alpha in enumerate((0.05, 0.01))]
    assert [test.passed for test in scores_of(rows).tests] == [True, False]


def test_a_given_p_wins_over_the_computed_one() -> None:
    agent = Side(statistic=3.0, n1=40, n2=40, p_value=0.2)
    test = scores_of([row("s/f/t", t_side(3), agent)]).tests[0]
    assert (test.agent_p, test.passed) == (0.2, False)


def test_prior_odds_of_a_row_win_over_the_protocols() -> None:
    plain, sure = t_side(1.0), replace(t_side(1.0), prior_odds=10.0)
    even, given = (scores_of([row("s/f/t", human, t_side(4.0))]).tests[0] for human in (plain, sure))
    changed = scores_of(
        [row("s/f/t", plain, t_side(4.0))], get_protocol("standard", human_prior_odds=10.0)
    ).tests[0]
    assert even.pas is not None
    assert given.pas is not None
    assert given.pas > even.pas
    assert given.pas == changed.pas


OMNIBUS = Side(statistic=12.0, df1=2, df2=87, n=90)


@pytest.mark.parametrize(
    ("human", "agent", "passes"),
    [
        (OMNIBUS, OMNIBUS, True),
        (OMNIBUS, replace(OMNIBUS, direction=1), False),
        (replace(OMNIBUS, direction=1), OMNIBUS, False),
        (replace(OMNIBUS, direction=1), replace(OMNIBUS, direction=1), True),
        (replace(OMNIBUS, direction=1), replace(OMNIBUS, direction=-1), False),
    ],
)
def test_without_a_direction_on_both_sides_there_is_none_to_differ(
    human: Side, agent: Side, passes: bool
) -> None:
    test = scores_of([row("s/f/t", human, agent, test_type="anova")]).tests[0]
    assert test.passed is passes


def test_a_human_side_known_by_its_direction_alone_can_be_replicated() -> None:
    """A pass needs the agent's p and two directions; whether the human side was significant it does not."""
    human = Side(log_bf=3.0, direction=1)
    rows = [row(f"s/f{i}/t", human, t_side(t)) for i, t in enumerate((4.0, -4.0, 0.5))]
    scores = scores_of(rows)
    assert [test.passed for test in scores.tests] == [True, False, False]
    assert [test.human_significant for test in scores.tests] == [None, None, None]
    assert scores_of(rows, REFINED).apr.value is None


def test_an_agent_without_p_neither_passes_nor_fails_nor_keeps_a_null() -> None:
    rows = [row("s/f1/t", t_side(0.5), Side(log_bf=-1.0)), row("s/f2/t", t_side(0.5), t_side(0.2))]
    scores = scores_of(rows)
    assert [test.passed for test in scores.tests] == [None, False]
    assert scores.apr.value == 0
    assert scores.apr.estimate.n == 1
    assert scores.companions.nulls_kept == 1


def test_a_rate_that_is_exactly_chance_has_no_sign_whatever_floats_make_of_it() -> None:
    cells: dict[str, object] = {"study": "S", "finding": "F", "test": "t", "test_type": "binomial"}
    cells |= {"human_p0": 0.29, "human_k": 29, "human_n": 100, "agent_k": 29, "agent_n": 100}
    test = concord.score_people([cells], n_resamples=0, n_simulations=0).tests[0]
    assert (test.human_direction, test.agent_direction) == (0, 0)
