"""Scores of single tests: PAS, ECS_Test and pass, from the evidence of two sides."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import Brief, Evidence
from concord.people.protocol import Protocol
from concord.stats.effects import z_difference
from concord.stats.elementwise import Floats
from concord.stats.pooling import pas_two_states, posterior, z_agreement


@dataclass(frozen=True, slots=True)
class Context:
    """What belongs to the tests and not to a side: shape (T,)."""

    human_odds: Floats
    agent_odds: Floats
    alpha: Floats
    given_pas: Floats
    given_n_eff: Floats
    present: NDArray[np.bool_]
    """Both sides are there, as raw or as computed numbers."""
    human_testable: NDArray[np.bool_]
    """The human side is there and can be significant or not."""
    agent_testable: NDArray[np.bool_]
    agent_absent: NDArray[np.bool_]
    """The human side is there and the agent's is not."""


@dataclass(frozen=True, slots=True)
class TestScores:
    """Scores over tests, shape (..., T); NaN is undefined."""

    __test__ = False

    pas: Floats
    pas_two: Floats
    """Two-state PAS, from which the normalised PAS is made."""
    human_posterior: Floats
    agent_posterior: Floats
    two_states: NDArray[np.bool_]
    """Scored in two states because a side has no direction (or the protocol has two)."""
    n_eff: Floats
    human_d: Floats
    agent_d: Floats
    z_diff: Floats
    ecs_test: Floats
    direction_match: Floats
    human_significant: Floats
    agent_significant: Floats
    passes: Floats


def score_tests(human: Evidence, agent: Evidence, context: Context, protocol: Protocol) -> TestScores:
    """Compare two sides test by test."""
    pas, two_states, human_pi, agent_pi = _pas(human, agent, context, protocol)
    z = _z_diff(human, agent)
    match = direction_match(human.direction, agent.direction)
    human_significant = _human_significant(human, context, protocol)
    agent_significant = _significant(agent.p_value, context, context.agent_testable)
    directed = context.present & (context.human_testable | ~np.isnan(human.direction))
    passes = np.where(directed, agent_significant * match, np.nan)
    if protocol.missing == "fail":
        passes = np.where(context.agent_absent, 0.0, passes)
    given = np.broadcast_to(context.given_pas, pas.shape)
    return TestScores(
        pas=np.where(np.isnan(given), pas, given),
        pas_two=np.asarray(pas_two_states(human_pi, agent_pi)),
        human_posterior=human_pi,
        agent_posterior=agent_pi,
        two_states=two_states,
        n_eff=_n_eff(agent.n_eff, context),
        human_d=human.effect_d,
        agent_d=agent.effect_d,
        z_diff=z,
        ecs_test=np.asarray(z_agreement(z)),
        direction_match=np.where(directed & ~np.isnan(agent_significant), match, np.nan),
        human_significant=human_significant,
        agent_significant=agent_significant,
        passes=passes,
    )


def known_scores(columns: Mapping[str, Floats]) -> TestScores:
    """Return test scores of which only some columns are known, `pas` among them; the rest is undefined."""
    nothing = np.broadcast_to(np.nan, columns["pas"].shape)
    unknown = {field.name: nothing for field in fields(TestScores)}
    states = np.broadcast_to(np.False_, nothing.shape)
    values: dict[str, Any] = {**unknown, "two_states": states, **columns}
    return TestScores(**values)


def redrawn_scores(human: Evidence, agent: Evidence, context: Context, protocol: Protocol) -> TestScores:
    """Compare two sides of redrawn tests, for the headline metrics only; the rest stays undefined."""
    pas = pas_of(human, agent, context, protocol)
    directed = context.present & (context.human_testable | ~np.isnan(human.direction))
    significant = _significant(agent.p_value, context, context.agent_testable)
    passes = np.where(directed, significant * direction_match(human.direction, agent.direction), np.nan)
    if protocol.missing == "fail":
        passes = np.where(context.agent_absent, 0.0, passes)
    return known_scores(
        {
            "pas": pas,
            "n_eff": np.broadcast_to(_n_eff(agent.n_eff[(0,) * (agent.n_eff.ndim - 1)], context), pas.shape),
            "human_d": human.effect_d,
            "agent_d": agent.effect_d,
            "z_diff": _z_diff(human, agent),
            "passes": passes,
            "human_significant": _human_significant(human, context, protocol),
        }
    )


def pas_of(human: Brief, agent: Brief, context: Context, protocol: Protocol) -> Floats:
    """Return the PAS of every test, from the evidence of both sides."""
    return _pas(human, agent, context, protocol)[0]


def _pas(
    human: Brief, agent: Brief, context: Context, protocol: Protocol
) -> tuple[Floats, NDArray[np.bool_], Floats, Floats]:
    """PAS, where it has two states, and the posteriors of an effect on both sides."""
    # Three states where both sides have a direction, two (or halves) where not: πʰπᵃ P(same direction) + (1 -
    # πʰ)(1 - πᵃ), in two states without the middle factor.
    none = np.isnan(human.prob_positive) | np.isnan(agent.prob_positive)
    up, agent_up = human.prob_positive, agent.prob_positive
    if protocol.no_direction == "halves":
        up, agent_up = (np.where(np.isnan(share), 0.5, share) for share in (up, agent_up))
        none = np.zeros_like(none)
    if protocol.states == 2:
        none = np.ones_like(none)
    human_pi = np.asarray(posterior(human.log_bf, context.human_odds))
    agent_pi = np.asarray(posterior(agent.log_bf, context.agent_odds))
    same = np.where(none, 1.0, up * agent_up + (1 - up) * (1 - agent_up))
    pas = human_pi * agent_pi * same + (1 - human_pi) * (1 - agent_pi)
    return pas, none & ~np.isnan(pas), human_pi, agent_pi


def _z_diff(human: Evidence, agent: Evidence) -> Floats:
    """Z of native effects; a signed effect and a magnitude, or magnitudes on two scales, do not compare."""
    z = np.asarray(z_difference(agent.effect, human.effect, agent.effect_se, human.effect_se))
    alike = human.form == agent.form
    return z if alike.all() else np.where(alike, z, np.nan)


def direction_match(human: Floats, agent: Floats) -> Floats:
    """1 where both observed effects have one sign, or neither side can have one."""
    same = (human == agent) | (np.isnan(human) & np.isnan(agent))
    return np.asarray(same, dtype=np.float64)


def _significant(p_value: Floats, context: Context, testable: NDArray[np.bool_]) -> Floats:
    """1 significant, 0 not; a degenerate test (nobody varied) has no p and is not significant."""
    return np.where(testable, (p_value < context.alpha).astype(np.float64), np.nan)


def _human_significant(human: Evidence, context: Context, protocol: Protocol) -> Floats:
    """Return where people are significant; a test that the agent lacks counts where it is a failure."""
    absent = protocol.missing == "fail"
    counted = context.human_testable | context.agent_absent if absent else context.human_testable
    return _significant(human.p_value, context, counted)


def pass_rules(human: Evidence, context: Context, protocol: Protocol) -> tuple[Floats, Floats]:
    """Return where people are significant, and which tests can pass: 1, always fail: 0, do not count: NaN."""
    directed = context.present & (context.human_testable | ~np.isnan(human.direction))
    counted = np.where(directed & context.agent_testable, 1.0, np.nan)
    if protocol.missing == "fail":
        counted = np.where(context.agent_absent, 0.0, counted)
    return _human_significant(human, context, protocol), counted


def _n_eff(n_eff: Floats, context: Context) -> Floats:
    """Return the agent's n_eff, or the given one; a given PAS without either weighs 1."""
    given = np.broadcast_to(context.given_n_eff, n_eff.shape)
    chosen = np.where(np.isnan(given), n_eff, given)
    return np.where(np.isnan(chosen) & ~np.isnan(context.given_pas), 1.0, chosen)
