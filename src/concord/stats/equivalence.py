"""Equivalence: whether a difference is too small to matter, by two one-sided tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import special

from concord.errors import OptionError
from concord.records import Interval
from concord.stats.intervals import checked_level
from concord.stats.multiple import holm

SMALLEST_OF_INTEREST = 0.2
"""The smallest d of interest where none is given."""


class Equivalence(NamedTuple):
    """Two one-sided tests against a margin."""

    estimate: float
    margin: float
    p_value: float
    """The larger of both one-sided p-values."""
    equivalent: bool
    """Whether the interval of level 1 - 2 alpha lies inside the margin."""
    interval: Interval
    """That interval: 90 % for tests at 5 %."""


def equivalence(
    estimate: float,
    se: float,
    df: float = np.inf,
    *,
    margin: float = SMALLEST_OF_INTEREST,
    level: float = 0.95,
) -> Equivalence:
    """Test whether a true effect lies within a margin around 0 (TOST): both one-sided tests reject.

    `level` is one minus the level of each one-sided test; an infinite `df` is a normal.

    References
    ----------
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics, 15, 657-680.
    Lakens (2017), Social Psychological and Personality Science, 8, 355-362.

    Examples
    --------
    >>> found = equivalence(0.02, 0.05, 98, margin=0.2)
    >>> round(found.p_value, 5), found.equivalent
    (0.00025, True)
    """
    if not (margin > 0 and se > 0 and np.isfinite(estimate)):
        raise OptionError("equivalence needs a finite estimate, a positive standard error and margin")
    alpha = 1 - checked_level(level)

    def below(t: float) -> float:
        return float(special.ndtr(t)) if np.isinf(df) else float(special.stdtr(df, t))

    p = max(below(-(estimate + margin) / se), below((estimate - margin) / se))
    border = float(special.ndtri(1 - alpha)) if np.isinf(df) else float(special.stdtrit(df, 1 - alpha))
    reach = border * se
    interval = Interval(estimate - reach, estimate + reach, 1 - 2 * alpha, "two one-sided tests")
    return Equivalence(estimate, margin, p, p < alpha, interval)


@dataclass(frozen=True, slots=True)
class WithinMargin:
    """Whether a difference is shown to be smaller than a margin."""

    margin: float
    p_value: float | None
    """Of a difference as large as the margin; ``None`` where only the interval is known."""
    shown: bool
    """Whether the interval of level 1 - 2 alpha lies inside the margin."""
    interval: Interval | None
    """That interval: 90 % for a claim at 5 %."""
    note: str = ""
    """Why there is no interval."""
    p_holm: float | None = None
    """Adjusted for the number of pairs."""


def within_margin(
    interval: Callable[[float], Interval | None], *, margin: float, level: float = 0.95
) -> WithinMargin:
    """Compute two one-sided tests by intervals of any kind: whether that of level 1 - 2 alpha lies inside."""
    # p is the smallest alpha at which it does. Schuirmann (1987), Journal of Pharmacokinetics and
    # Biopharmaceutics, 15, 657-680; Berger & Hsu (1996), Statistical Science, 11, 283-319.
    alpha = 1 - checked_level(level)
    shown = interval(1 - 2 * alpha)
    if shown is None:
        return WithinMargin(margin, None, False, None, "no interval")

    def inside(tail: float) -> bool:
        found = interval(1 - 2 * tail)
        return found is not None and -margin < found.low and found.high < margin

    p = _smallest(inside)
    return WithinMargin(margin, p, p < alpha and inside(alpha), shown)


def adjusted_margins(
    held: Sequence[WithinMargin | None], *, level: float = 0.95
) -> tuple[WithinMargin | None, ...]:
    """Adjust by Holm for the number of pairs; intervals without a p-value stay as they are."""
    known = [one.p_value for one in held if one is not None and one.p_value is not None]
    family = iter(holm(known).tolist())
    out: list[WithinMargin | None] = []
    for one in held:
        if one is None or one.p_value is None:
            out.append(one)
            continue
        p = float(next(family))
        out.append(replace(one, p_holm=p, shown=one.shown and p < 1 - level))
    return tuple(out)


def _smallest(inside: Callable[[float], bool]) -> float:
    """Return the smallest tail at which an interval is inside; 1 where even the shortest is not."""
    low, high = 1e-12, 0.5 - 1e-9
    if not inside(high):
        return 1.0
    if inside(low):
        return low
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if inside(middle) else (middle, high)
        if high - low <= 1e-9 * high:
            break
    return high
