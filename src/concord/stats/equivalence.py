"""Equivalence: whether a difference is too small to matter, by two one-sided tests."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.records import Interval
from concord.stats.clustered import clustered_mean
from concord.stats.intervals import FEWEST_CLUSTERS, checked_level

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

    Parameters
    ----------
    estimate, se, df
        The effect, its standard error, and the degrees of freedom of its t; infinite for a normal.
    margin
        Smallest effect of interest; d = 0.2 by default.
    level
        One minus the level of each one-sided test.

    Returns
    -------
    Equivalence
        Equivalent where both one-sided tests reject.

    Raises
    ------
    OptionError
        A margin or a standard error that is not positive.

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

    Parameters
    ----------
    differences
        First minus second, one per item.
    clusters
        Labels of families of items.
    margin
        Smallest difference of interest, in the unit of the scores.
    level
        One minus the level of each one-sided test.

    Returns
    -------
    Equivalence
        With Student's t, clustered where clusters are given.

    Raises
    ------
    UndefinedError
        Too few items or clusters, or differences that do not vary.

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
