"""The oracle's scores of one test: posteriors, PAS, Z, pass, from the readings of its two sides."""

import math
from dataclasses import dataclass

from scipy import stats
from tests.people.reference_evidence import Reading, read

from concord.records import Side, SideOutcome, TestRow


@dataclass(frozen=True)
class Options:
    """A protocol by name and the choices the tests vary."""

    name: str = "standard"
    states: int = 3
    sign_split: bool = False
    include_unsigned: bool = False

    @property
    def published(self) -> bool:
        return self.name == "published"


@dataclass(frozen=True)
class Scored:
    """One scored test."""

    row: TestRow
    human: Reading | None
    agent: Reading | None
    pas: float | None
    pas_two: float | None
    human_posterior: float | None
    z: float | None
    passed: bool | None
    human_significant: bool | None
    agent_significant: bool | None
    n_eff: float

    @property
    def finding(self) -> tuple[str, str, str]:
        return self.row.study, self.row.sub_study, self.row.finding

    @property
    def ecs_test(self) -> float | None:
        return None if self.z is None else float(2 * stats.norm.sf(abs(self.z)))


def score_test(row: TestRow, options: Options) -> Scored:
    human, agent = _reading(row, "human", options), _reading(row, "agent", options)
    posteriors = [_posterior(row, "human", human, options), _posterior(row, "agent", agent, options)]
    pas, pas_two = _pas(human, agent, posteriors, options)
    human_significant, agent_significant = _significant(human, row.alpha), _significant(agent, row.alpha)
    passed = None
    if human is not None and (human.p is not None or human.direction is not None):  # else nothing to match
        known = agent is not None and agent_significant is not None
        passed = agent_significant and human.direction == agent.direction if known and agent else None
    n_eff = agent.n_eff if agent is not None else 1.0
    return Scored(
        row,
        human,
        agent,
        row.pas if row.pas is not None else pas,
        pas_two,
        posteriors[0],
        _z(human, agent),
        passed,
        human_significant,
        agent_significant,
        row.n_eff if row.n_eff is not None else n_eff,
    )


def _side(row: TestRow, which: str) -> Side | None:
    side = row.human if which == "human" else row.agent
    outcome = row.human_outcome if which == "human" else row.agent_outcome
    return side if outcome is SideOutcome.OK else None


def _reading(row: TestRow, which: str, options: Options) -> Reading | None:
    side = _side(row, which)
    return None if side is None else read(side, row.test_type, row.sampling, options.name)


def _posterior(row: TestRow, which: str, reading: Reading | None, options: Options) -> float | None:
    """BF o / (1 + BF o)."""
    side = _side(row, which)
    if side is None or reading is None or reading.log_bf is None:
        return None
    odds = side.prior_odds
    if odds is None:
        odds = 10.0 if options.published and which == "human" else 1.0
    log_odds = reading.log_bf + math.log(odds)
    return 1 / (1 + math.exp(-log_odds)) if log_odds > -700 else math.exp(log_odds)


def _pas(
    human: Reading | None, agent: Reading | None, posteriors: list[float | None], options: Options
) -> tuple[float | None, float | None]:
    """PAS under the options, and in two states."""
    h, a = posteriors
    if human is None or agent is None or h is None or a is None:
        return None, None
    two = h * a + (1 - h) * (1 - a)
    if options.states == 2:
        return two, two
    up = [_split(reading, options) for reading in (human, agent)]
    if up[0] is None or up[1] is None:
        return two, two
    three = h * up[0] * a * up[1] + h * (1 - up[0]) * a * (1 - up[1]) + (1 - h) * (1 - a)
    return three, two


def _split(reading: Reading, options: Options) -> float | None:
    """P(positive | effect): exact, or by the sign; under the published protocol halves without direction."""
    if not (options.sign_split or options.published):
        return reading.positive
    if reading.direction is None:
        return 0.5 if options.published else None
    return {1: 1 - 1e-4, -1: 1e-4, 0: 0.5}[reading.direction]


def _z(human: Reading | None, agent: Reading | None) -> float | None:
    if human is None or agent is None:
        return None
    if human.effect is None or agent.effect is None or human.se is None or agent.se is None:
        return None
    if human.unsigned != agent.unsigned:
        return None
    spread = math.sqrt(human.se**2 + agent.se**2)
    return None if spread == 0 else (agent.effect - human.effect) / spread


def _significant(reading: Reading | None, alpha: float) -> bool | None:
    return None if reading is None or reading.p is None else reading.p < alpha
