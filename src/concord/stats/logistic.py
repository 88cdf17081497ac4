"""Logistic regression of counts on one predictor, with errors that allow for clusters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.records import Interval
from concord.stats.clustered import cluster_codes, finite_vector
from concord.stats.elementwise import Floats

_MOST_STEPS, _SMALL, _SEPARATED = 60, 1e-12, 30.0
"""Newton steps at most, when they end, and the log odds beyond which a fit has no finite maximum."""


@dataclass(frozen=True, slots=True)
class LogisticLine:
    """Log odds as a line: intercept and slope with their standard errors."""

    intercept: float
    slope: float
    intercept_se: float
    slope_se: float
    df: float
    n_clusters: int

    def interval(self, level: float = 0.95) -> Interval:
        """Return the interval of the slope."""
        reach = float(special.stdtrit(self.df, 0.5 + level / 2)) * self.slope_se
        method = f"cluster-robust (CR1), t with {self.df:.0f} degrees of freedom"
        return Interval(self.slope - reach, self.slope + reach, level, method)


def logistic_line(
    successes: ArrayLike, trials: ArrayLike, x: ArrayLike, clusters: ArrayLike | None = None
) -> LogisticLine:
    r"""Fit log odds of success as a line in x, by maximum likelihood with a cluster-robust sandwich.

    .. math:: V = A^{-1} \Big(\sum_c s_c s_c^T\Big) A^{-1} \cdot
        \frac{G}{G-1} \cdot \frac{N-1}{N-2}

    with A the information, :math:`s_c` the score of cluster c, G clusters and N trials.

    References
    ----------
    Liang, K.-Y., & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models.
    Biometrika, 73, 13-22. Cameron, A. C., & Miller, D. L. (2015). A practitioner's guide to cluster-robust
    inference. Journal of Human Resources, 50, 317-372.

    Examples
    --------
    >>> fit = logistic_line([1, 2, 3, 4], [5, 5, 5, 5], [0.0, 1.0, 2.0, 3.0])
    >>> round(fit.slope, 4)
    0.9082
    """
    k, n, z = (finite_vector(values) for values in (successes, trials, x))
    if not (k.size == n.size == z.size) or (k < 0).any() or (k > n).any():
        raise OptionError("a logistic line needs as many successes, trials and predictors")
    used = n > 0
    k, n, z = k[used], n[used], z[used]
    labels = None if clusters is None else np.asarray(clusters)[used]
    codes, sizes = cluster_codes(labels, k.size)
    _refuse_undefined(k, n, z, sizes.size)
    design = np.column_stack([np.ones_like(z), z])
    beta = _fitted(k, n, design)
    p = special.expit(design @ beta)
    bread = np.linalg.inv((design.T * (n * p * (1 - p))) @ design)
    scores = design * (k - n * p)[:, None]
    if codes is not None:
        scores = np.stack([np.bincount(codes, weights=column) for column in scores.T], axis=1)
    g, total = sizes.size, float(n.sum())
    meat = scores.T @ scores * (g / (g - 1)) * ((total - 1) / (total - 2))
    variance = np.diag(bread @ meat @ bread)
    errors = np.sqrt(variance)
    return LogisticLine(float(beta[0]), float(beta[1]), float(errors[0]), float(errors[1]), g - 1.0, g)


def _refuse_undefined(k: Floats, n: Floats, z: Floats, n_clusters: int) -> None:
    if n_clusters < 3:
        raise UndefinedError(f"{n_clusters} clusters; at least 3 are needed")
    if np.ptp(z) == 0:
        raise UndefinedError("the predictor does not vary")
    if k.sum() in (0, n.sum()):
        raise UndefinedError("every trial ended alike")


def _fitted(k: Floats, n: Floats, design: Floats) -> Floats:
    """Climb to the maximum by Newton's steps, halved where they overshoot."""
    beta = np.zeros(2)
    reached = _likelihood(beta, k, n, design)
    for _ in range(_MOST_STEPS):
        p = special.expit(design @ beta)
        information = (design.T * (n * p * (1 - p))) @ design
        if np.linalg.cond(information) > 1e14:
            break
        step = np.linalg.solve(information, design.T @ (k - n * p))
        while _likelihood(beta + step, k, n, design) < reached - _SMALL * abs(reached):
            step = step / 2
        beta = beta + step
        reached = _likelihood(beta, k, n, design)
        if np.abs(design @ beta).max() > _SEPARATED:
            break
        if np.abs(step).max() < _SMALL * max(1.0, float(np.abs(beta).max())):
            return np.asarray(beta)
    raise UndefinedError("the predictor tells all outcomes apart, so that the slope has no finite value")


def _likelihood(beta: Floats, k: Floats, n: Floats, design: Floats) -> float:
    eta = design @ beta
    return float(np.sum(k * eta - n * np.logaddexp(0.0, eta)))
