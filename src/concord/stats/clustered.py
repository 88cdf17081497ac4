"""Standard errors of a mean whose units come in clusters: families of items, studies, participants."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

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
    r"""Mean with a cluster-robust standard error and its degrees of freedom; undefined below two clusters.

    .. math:: SE^2 = \frac{1}{n^2} \sum_c \frac{\left(\sum_{i \in c} e_i\right)^2}{1 - m_c/n}

    with residuals e and clusters of size m: the bias-reduced sandwich (CR2). The degrees of freedom are Bell
    and McCaffrey's, :math:`n^2 / (\sum m_c^2 + (\sum q_c)^2 - \sum q_c^2)` with :math:`q_c = m_c^2/(n -
    m_c)`. Without clusters both are those of the one-sample t test.

    References
    ----------
    Bell & McCaffrey (2002), Survey Methodology, 28, 169-181.
    Imbens & Kolesar (2016), Review of Economics and Statistics, 98, 701-712.

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


def clustered_median(
    values: ArrayLike, clusters: ArrayLike, *, level: float = 0.95
) -> tuple[float, float, float]:
    """Median, and the ends at which a sign test over clusters does not reject; infinite where none does.

    |ΣS| - 1 ≤ z √ΣS² with S a cluster's sum of signs (Larocque 2005); no rejection where 2^(1 - G) exceeds 1
    minus the level.
    """
    given = finite_vector(values)
    order = np.argsort(given, kind="stable")
    x, codes = given[order], np.unique(np.asarray(clusters), return_inverse=True)[1][order]
    g, border = int(codes.max()) + 1, float(special.ndtri(0.5 + level / 2))

    def holds(below: int) -> bool:
        """Whether a border above so many values is not rejected."""
        sums = np.bincount(codes, np.where(np.arange(x.size) < below, -1.0, 1.0))
        return 2.0 ** (1 - g) > 1 - level or abs(sums.sum()) - 1 <= border * np.sqrt((sums**2).sum())

    low = high = x.size // 2
    while low > 0 and holds(low - 1):
        low -= 1
    while high < x.size and holds(high + 1):
        high += 1
    ends = x[low - 1] if low > 0 else -np.inf, x[high] if high < x.size else np.inf
    return float(np.median(x)), float(ends[0]), float(ends[1])


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
