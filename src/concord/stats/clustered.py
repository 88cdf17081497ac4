"""Standard errors of a mean whose units come in clusters: families of items, studies, participants."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True)
class MeanError:
    """A mean, its standard error and the degrees of freedom that go with it."""

    mean: float
    se: float
    df: float
    n: int
    n_clusters: int


def clustered_mean(values: ArrayLike, clusters: ArrayLike | None = None) -> MeanError:
    r"""Mean with a cluster-robust standard error and its degrees of freedom.

    .. math:: SE^2 = \frac{1}{n^2} \sum_c \frac{\left(\sum_{i \in c} e_i\right)^2}{1 - m_c/n}

    with residuals e and clusters of size m: the bias-reduced form (CR2) of the sandwich estimator for a mean.
    The degrees of freedom are those of Bell and McCaffrey, :math:`n^2 / (\sum m_c^2 + (\sum q_c)^2 -
    \sum q_c^2)` with :math:`q_c = m_c^2/(n - m_c)`. Without clusters both are those of the one-sample t test;
    with clusters of one size, those of a t test of the cluster means.

    `UndefinedError`: fewer than two clusters.

    Parameters
    ----------
    values
        One number a unit.
    clusters
        What unit belongs to which cluster, any labels; ``None``: every unit is its own.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with
    multi-stage samples. Survey Methodology, 28, 169-181. Imbens, G. W., & Kolesar, M. (2016). Robust standard
    errors in small samples. Review of Economics and Statistics, 98, 701-712.

    Examples
    --------
    >>> one = clustered_mean([1, 2, 3, 4, 6, 8], ["a", "a", "b", "b", "c", "c"])
    >>> round(one.mean, 6), round(one.se, 6), round(one.df, 6)
    (4.0, 1.607275, 2.0)
    """
    x = finite_vector(values)
    n = x.size
    mean = float(x.mean()) if n else float("nan")
    codes, sizes = cluster_codes(clusters, n)
    if sizes.size < 2:
        raise UndefinedError(f"a standard error needs at least 2 clusters, there are {sizes.size}")
    residual = x - mean if np.ptp(x) > 0 else np.zeros_like(x)  # a mean of equal numbers may be rounded
    sums = residual if codes is None else np.bincount(codes, weights=residual)
    variance = float(np.sum(sums**2 / (1 - sizes / n))) / n**2
    return MeanError(mean, float(np.sqrt(variance)), mean_degrees(sizes), n, int(sizes.size))


def clustered_se(values: ArrayLike, clusters: ArrayLike) -> float:
    r"""Clustered standard error of an evaluation score as in "Adding error bars to evals".

    .. math:: SE^2 = SE_{CLT}^2 + \frac{1}{n^2} \sum_c \sum_i \sum_{j \ne i} e_{ic} e_{jc}

    The uncorrected sandwich (CR0) with an unbiased diagonal. It is too small when clusters are few;
    `clustered_mean` is what comparisons use.

    `values`, `clusters` as in `clustered_mean`. `UndefinedError`: fewer than two units, or covariances
    inside clusters so negative that no variance is left.

    References
    ----------
    Miller, E. (2024). Adding error bars to evals: a statistical approach to language model evaluations.
    arXiv:2411.00640, section 2.2.

    Examples
    --------
    >>> round(clustered_se([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"]), 6)
    0.252763
    """
    x = finite_vector(values)
    n = x.size
    if n < 2:
        raise UndefinedError("a standard error needs at least 2 units")
    codes, _ = cluster_codes(clusters, n)
    residual = x - x.mean()
    squares = float(np.sum(residual**2))
    between = float(np.sum(np.bincount(codes, weights=residual) ** 2)) - squares if codes is not None else 0.0
    variance = squares / (n * (n - 1)) + between / n**2
    if variance < 0:
        raise UndefinedError("the covariances inside clusters leave no variance")
    return float(np.sqrt(variance))


def finite_vector(values: ArrayLike) -> Floats:
    """One finite number a unit."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise OptionError("a mean needs a vector of finite numbers")
    return x


def cluster_codes(clusters: ArrayLike | None, n: int) -> tuple[NDArray[np.intp] | None, Floats]:
    """Clusters as 0 ... G-1 and their sizes; no codes where every unit is its own cluster."""
    if clusters is None:
        return None, np.ones(n)
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise OptionError(f"there are {labels.size} cluster labels for {n} units")
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return codes.astype(np.intp), sizes.astype(np.float64)


def mean_degrees(sizes: Floats) -> float:
    """Bell and McCaffrey's degrees of freedom of a mean."""
    n = sizes.sum()
    q = sizes**2 / (n - sizes)
    return float(n**2 / (np.sum(sizes**2) + q.sum() ** 2 - np.sum(q**2)))
