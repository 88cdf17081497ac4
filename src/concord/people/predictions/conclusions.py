"""What each effect lets one conclude, on both sides: PAS and pass of every effect from estimate and SE."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.people.families.coefficient import Coefficients
from concord.people.predictions.table import EffectPair, Prediction
from concord.people.protocol import STANDARD
from concord.stats import pvalues
from concord.stats.elementwise import Floats
from concord.stats.posteriors import pas_states, posterior_states
from concord.stats.unit_information import log_bf_unit_information, prob_positive_unit_information

ALPHA = 0.05
FEWEST = 4
"""Participants below which a coefficient has no t."""
BY_T = "t = estimate / SE with n − 2 degrees of freedom"
BY_UNIT = "n not given: z = estimate / SE, unit-information prior (Jeffreys approximate Bayes factor)"
SUPPOSED_SD = "the SD of an answer is supposed to be that of uniform answers on the scale"
PEOPLES_SE = "agent_se not given: predictions are read at people's standard error"
NO_PRIOR = "undefined: without n, an effect needs its scale (scale_min and scale_max) or human_sd"


@dataclass(frozen=True, slots=True)
class Conclusions:
    """Scores of effects, NaN where undefined, and how they were made."""

    pas: Floats
    passes: Floats
    """1 where the agent's effect is significant in the human direction, else 0."""
    note: str


def conclude(pairs: Sequence[EffectPair], predictions: Sequence[Prediction]) -> Conclusions:
    """Compute PAS and pass of every effect under the standard protocol.

    Both sides have the prior of people's answers: an agent that varies too little must not get a narrower
    one. A prediction without a standard error is read as if it had been seen in people's own sample.
    """
    h, s = (
        np.array([getattr(pair, name) for pair in pairs], dtype=np.float64) for name in ("estimate", "se")
    )
    n, sd = (_or_nans([getattr(pair, name) for pair in pairs]) for name in ("n", "sd"))
    a = np.array([one.estimate for one in predictions], dtype=np.float64)
    e, m = (_or_nans([getattr(one, name) for one in predictions]) for name in ("se", "n"))
    bare = ~(e > 0)
    e, m = np.where(bare, s, e), np.where(bare, n, m)
    people, p_people = _states_and_p(h, s, n, sd)
    agent, p_agent = _states_and_p(a, e, m, sd)
    pas = np.asarray(pas_states(people, agent))
    same = (p_agent < ALPHA) & (np.sign(h) == np.sign(a))
    passes = np.where(np.isnan(p_people) | np.isnan(p_agent), np.nan, same)
    return Conclusions(pas, passes, _how_words(pairs, n, m, bare))


def _or_nans(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _states_and_p(b: Floats, se: Floats, n: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Return the three states of every effect (up, down, none), and p; by t where n is known."""
    counted = n >= FEWEST
    log_bf = log_bf_unit_information(b, se, sd)
    positive = prob_positive_unit_information(b, se, sd)
    p = np.where(np.isnan(b / se), np.nan, np.asarray(pvalues.p_z(b / se)))
    if counted.any():
        size = n[counted]
        nothing = np.full(size.shape, np.nan)
        tests = Coefficients(
            logistic=False, b=b[counted], se=se[counted], df=size - 2, n=size, p_value=nothing
        )
        found = tests.evidence(STANDARD)
        log_bf[counted], positive[counted], p[counted] = found.log_bf, found.prob_positive, found.p_value
    return posterior_states(log_bf, positive), p


def _how_words(pairs: Sequence[EffectPair], n: Floats, m: Floats, bare: NDArray[np.bool_]) -> str:
    """Say how conclusions were drawn: by t or by z, and what had to be supposed."""
    by_t = (n >= FEWEST) & (m >= FEWEST)
    parts = [BY_T] if by_t.any() else []
    if not by_t.all():
        parts.append(BY_UNIT)
        if any(pair.sd_is_supposed for pair, known in zip(pairs, by_t, strict=True) if not known):
            parts.append(SUPPOSED_SD)
    if bare.any():
        parts.append(PEOPLES_SE)
    return "; ".join(parts)
