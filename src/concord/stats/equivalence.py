"""Equivalence: whether a difference is too small to matter, by two one-sided tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.records import Interval
from concord.stats.clustered import clustered_mean
from concord.stats.intervals import FEWEST_CLUSTERS, checked_level
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
    """Test whether a true effect lies within a margin around 0 (TOST).

    Result: equivalent where both one-sided tests reject. `OptionError`: a margin or a standard error that
    is not positive.

    Parameters
    ----------
    estimate, se, df
        The effect, its standard error, and the degrees of freedom of its t; infinite for a normal.
    margin
        Smallest effect of interest; d = 0.2 by default.
    level
        One minus the level of each one-sided test.

    References
    ----------
    Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach.
    Journal of Pharmacokinetics and Biopharmaceutics, 15, 657-680. Lakens, D. (2017). Equivalence tests.
    Social Psychological and Personality Science, 8, 355-362.

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


def equivalence_of_means(
    differences: ArrayLike, clusters: ArrayLike | None = None, *, margin: float, level: float = 0.95
) -> Equivalence:
    """Test whether a mean of paired differences lies within a margin around 0.

    `UndefinedError`: too few items or clusters, or differences that do not vary.

    Parameters
    ----------
    differences
        First minus second, one per item.
    margin
        Smallest difference of interest, in the unit of the scores.
    level
        One minus the level of each one-sided test.

    References
    ----------
    Lakens, D. (2017). Equivalence tests. Social Psychological and Personality Science, 8, 355-362.

    Examples
    --------
    >>> found = equivalence_of_means([0.1, -0.1, 0.0, 0.05, -0.05, 0.02], margin=0.2)
    >>> found.equivalent, round(found.p_value, 4)
    (True, 0.0005)
    """
    error = clustered_mean(differences, clusters)
    if error.n_clusters < FEWEST_CLUSTERS or error.se == 0:
        raise UndefinedError(f"equivalence needs {FEWEST_CLUSTERS} clusters and differences that vary")
    return equivalence(error.mean, error.se, error.df, margin=margin, level=level)


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
    """Compute two one-sided tests by intervals of any kind: whether that of level 1 - 2 alpha lies inside.

    The p-value is the smallest alpha at which it does; for Student's t it is the larger of both one-sided
    p-values.

    Result: not shown where there is no interval.

    Parameters
    ----------
    interval
        The interval of the difference at a level; ``None`` where there is none.
    margin, level
        As in `equivalence_of_means`.

    References
    ----------
    Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach.
    Journal of Pharmacokinetics and Biopharmaceutics, 15, 657-680. Berger, R. L., & Hsu, J. C. (1996).
    Bioequivalence trials, intersection-union tests and equivalence confidence sets. Statistical Science, 11,
    283-319.

    Examples
    --------
    >>> def t_interval(level):
    ...     reach = float(special.stdtrit(98, 0.5 + level / 2)) * 0.05
    ...     return Interval(0.02 - reach, 0.02 + reach, level, "t")
    >>> found = within_margin(t_interval, margin=0.2)
    >>> found.shown, round(found.p_value, 5), round(equivalence(0.02, 0.05, 98, margin=0.2).p_value, 5)
    (True, 0.00025, 0.00025)
    """
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
    """Adjust by Holm for the number of pairs; of several pairs those are shown whose adjusted p allows it.

    Result: the same with ``p_holm``; intervals without a p-value stay as they are.

    Parameters
    ----------
    held
        One per pair; ``None`` where there is nothing to compare.
    level
        One minus the level of the claim.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics, 6, 65-70.

    Examples
    --------
    >>> pairs = [WithinMargin(0.1, p, p < 0.05, None) for p in (0.01, 0.04)]
    >>> [(one.p_holm, one.shown) for one in adjusted_margins(pairs)]
    [(0.02, True), (0.04, True)]
    """
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
