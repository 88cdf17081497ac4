"""Named variants of effects and agreement: Hedges' g, concordance weighted by precision."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from concord.stats.agreement import concordance
from concord.stats.elementwise import Floats, broadcast, where_defined
from concord.stats.shaping import shaped


def hedges_g(d: ArrayLike, df: ArrayLike) -> Floats | float:
    r"""Hedges' g: Cohen's d without its upward bias in small samples.

    .. math:: g = d \, \frac{\Gamma(df/2)}{\sqrt{df/2} \, \Gamma((df - 1)/2)}

    Parameters
    ----------
    d
        Cohen's d, or its standard error, which shrinks by the same factor.
    df
        Degrees of freedom of the standard deviation behind d: n1 + n2 - 2, or n - 1 for one sample.

    References
    ----------
    Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related estimators.
    Journal of Educational Statistics, 6, 107-128.

    Examples
    --------
    >>> round(hedges_g(0.5, 18), 4)
    0.4788
    """
    (d_, df_), shape = broadcast(d, df)
    defined = np.isfinite(d_) & (df_ > 1)

    def compute(d: Floats, df: Floats) -> Floats:
        factor = np.exp(gammaln(df / 2) - gammaln((df - 1) / 2) - 0.5 * np.log(df / 2))
        return np.asarray(d * np.where(np.isfinite(df), factor, 1.0))

    return shaped(where_defined(defined, compute, d_, df_), shape, "Hedges' g needs a finite d and df > 1")


def precision_weighted_concordance(
    human: ArrayLike, agent: ArrayLike, human_se: ArrayLike, agent_se: ArrayLike
) -> float:
    """Concordance of effects whose tests count by their precision, 1/(SE_h² + SE_a²).

    Parameters
    ----------
    human, agent
        Effects of every test; a test lacking an effect or a standard error is left out.
    human_se, agent_se
        Their standard errors.

    References
    ----------
    Lin, L. I. (1989). A concordance correlation coefficient to evaluate reproducibility. Biometrics, 45,
    255-268.

    Examples
    --------
    >>> equal = precision_weighted_concordance([0.1, 0.5, 0.9], [0.2, 0.4, 0.8], [0.1] * 3, [0.1] * 3)
    >>> round(equal, 4), round(concordance([0.1, 0.5, 0.9], [0.2, 0.4, 0.8]), 4)
    (0.9412, 0.9412)
    """
    (h, a, hs, as_), _ = broadcast(human, agent, human_se, agent_se)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = 1 / (hs**2 + as_**2)
    known = np.isfinite(h) & np.isfinite(a) & np.isfinite(weights) & (weights > 0)
    return float(concordance(h[known], a[known], weights[known]))
