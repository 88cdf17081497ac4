"""What one side of a family of tests says: Bayes factor, direction, p, effect, as arrays ``(..., k)``."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from concord.people.protocol import Protocol
from concord.stats.elementwise import Floats

SIGNED, MAGNITUDE, MAGNITUDE_Z = 1.0, 0.0, -1.0
"""An effect with a sign; a size without one, as d or (regression, df1 = 1) as Fisher's z."""
CAP = np.log(1e6)
"""Log of the Bayes factor that the capped rule gives to t² > 100 or F > 100."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What PAS and ECS ask of a side, as arrays over tests; NaN is undefined."""

    log_bf: Floats
    prob_positive: Floats
    """P(effect > 0 | data, H1); NaN where the side has no direction."""
    direction: Floats
    """Sign of the observed effect; NaN where there is none."""
    effect_d: Floats
    """d-equivalent; NaN where there is none."""


@dataclass(frozen=True, slots=True)
class Evidence(Brief):
    """All that a side says."""

    p_value: Floats
    effect: Floats
    """Effect in its native form."""
    effect_se: Floats
    form: Floats
    """`SIGNED`, or a `MAGNITUDE` without a sign: effects of different forms are not compared."""
    n_eff: Floats

    @classmethod
    def of(cls, brief: Brief, **rest: Floats) -> Self:
        """Add the rest to what PAS and ECS ask for."""
        return cls(**{field.name: getattr(brief, field.name) for field in fields(brief)}, **rest)

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Self:
        """Evidence about nothing: every number undefined."""
        return cls(*(np.full(shape, np.nan) for _ in fields(cls)))

    def place(self, index: NDArray[np.intp], part: "Evidence") -> None:
        """Write a family's evidence at its tests' places (the last axis)."""
        for field in fields(self):
            getattr(self, field.name)[..., index] = getattr(part, field.name)


def broadcast_like(value: Floats | float, like: Floats) -> Floats:
    """Return a value the shape of another array."""
    return np.broadcast_to(np.asarray(value, dtype=np.float64), like.shape).copy()


def capped(log_bf: Floats, statistic: Floats, protocol: Protocol) -> Floats:
    """Apply the cap of the published protocol: F, or t², above 100 gives 10^6."""
    if not protocol.capped:
        return log_bf
    return np.where(statistic > 100, CAP, log_bf)


def toward(direction: Floats, p_value: Floats) -> Floats:
    """P(positive) from a given direction and a known p: 1 - p/2 toward the direction, else undefined."""
    return np.select([direction > 0, direction < 0], [1 - p_value / 2, p_value / 2], np.nan)


def toward_where_known(
    direction: Floats, given: Floats, computed: Callable[..., Floats], *args: NDArray[Any]
) -> Floats:
    """P(positive) as `toward`, with p-values computed only where there is a direction and none was given."""
    p = np.broadcast_to(given, direction.shape).copy()
    wanted = (np.abs(direction) == 1) & np.isnan(p)
    if wanted.any():
        p[wanted] = computed(*(np.broadcast_to(arg, direction.shape)[wanted] for arg in args))
    return toward(direction, p)


def given_first(given: Floats, computed: Floats) -> Floats:
    """Prefer numbers that were given over computed ones."""
    return np.where(np.isnan(given), computed, given)


def no_effects(like: Floats) -> dict[str, Floats]:
    """Return the fields of a family that has no effect size."""
    nothing = np.full(like.shape, np.nan)
    return {"effect": nothing, "effect_se": nothing, "form": np.full(like.shape, MAGNITUDE)}
