"""What scoring predicted effects gives: frozen, full precision, undefined is ``None`` with a reason."""

from dataclasses import dataclass

from concord.people.predictions.table import EffectPair, Prediction
from concord.records import Estimate

METRICS = {
    "pearson": "r",
    "pearson_adjusted": "r, noise of people's effects taken out",
    "pearson_within": "r within outcomes",
    "spearman": "rank correlation",
    "direction": "same direction",
    "rmse": "root mean squared error",
    "rmse_adjusted": "root mean squared error, noise taken out",
    "slope": "slope of people on agent",
    "intercept": "intercept",
    "slope_adjusted": "slope, the agent's noise taken out",
    "size_ratio": "size of effects, agent to people",
    "pas": "PAS",
    "apr": "APR",
}
"""Every number of an agent, with the words that a table heads it with."""


@dataclass(frozen=True, slots=True)
class AgentAgreement:
    """One agent, or a reference row."""

    agent: str
    numbers: dict[str, Estimate]
    """The numbers of `METRICS` by name."""
    n: int
    n_missing: int
    """Effects that the table lists and the agent did not predict."""
    is_reference: bool = False
    effects: tuple["ScoredEffect", ...] = ()
    """Every effect that the agent predicted, so that results can be compared; none of a reference."""


@dataclass(frozen=True, slots=True)
class ScoredEffect:
    """One effect of people with what an agent gave for it."""

    people: EffectPair
    agent: Prediction
    pas: float | None = None
    passes: float | None = None
    """1 where the agent's effect is significant in the human direction, else 0."""


@dataclass(frozen=True, slots=True)
class AgentDifference:
    """Two agents on the effects both predicted: first minus second."""

    first: str
    second: str
    metric: str
    difference: Estimate
    p_value: float | None
    p_holm: float | None
