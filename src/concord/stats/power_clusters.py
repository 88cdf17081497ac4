"""Power of comparisons whose items come in clusters: few of them, of unequal sizes, with repeats.

Comparisons join Student's t with Hall's transformation (`skewed_mean`) where they see skewness; eight
clusters of normal differences look so in 39 % of all cases and find less. Given the residuals of cluster sums
the total is normal, so its chance to lie beyond either limit needs no draws; only the residuals are drawn
(seeded).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from concord.errors import OptionError
from concord.stats.clustered import mean_degrees
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.power import noncentral_beyond, root_bias
from concord.stats.skewed import FEWEST_DEGREES, FEWEST_UNITS, LEAST_SKEW, followable, inverse_transformed

_GRID = 200
"""Clusters whose sizes are laid out one by one; more of them are like several such sets."""
_FAR = 200.0
"""Standard errors beyond which the power of unequal clusters is not integrated."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Families of items: how large they are and how much their items have in common."""

    size: float = 1.0
    """Items a cluster, on average."""
    cv: float = 0.0
    """Standard deviation of the sizes over their mean; 0: all alike."""
    correlation: float = 0.0
    """Correlation of the true differences of two items of one cluster."""

    def __post_init__(self) -> None:
        if not (self.size >= 1 and np.isfinite(self.size)):
            raise OptionError(f"a cluster has {self.size!r} items; expected 1 or more")
        if not 0 <= self.correlation <= 1:
            raise OptionError(
                f"the correlation inside clusters is {self.correlation!r}; expected a number from 0 to 1"
            )
        if not (self.cv >= 0 and np.isfinite(self.cv)):
            raise OptionError(
                f"cluster sizes vary by {self.cv!r} times their mean; expected a number of 0 or more"
            )

    def number(self, n: float) -> int:
        """Return the clusters that hold so many items."""
        return int(np.ceil(n / self.size - 1e-9))

    def items(self, groups: int) -> int:
        """Return the items of so many clusters."""
        return int(np.ceil(groups * self.size - 1e-9))


def design_effect(cluster_size: float, correlation: float, *, cv: float = 0.0) -> float:
    r"""Factor by which clusters inflate the variance of a mean: :math:`1 + (m (1 + cv^2) - 1) \rho`.

    References
    ----------
    Kish (1965), Survey Sampling, section 5.4. Wiley.
    Eldridge et al. (2006), International Journal of Epidemiology, 35, 1292-1300.

    Examples
    --------
    >>> round(design_effect(50, 0.04), 2), round(design_effect(50, 0.04, cv=0.65), 3)
    (2.96, 3.805)
    """
    if cluster_size < 1 or not -1 <= correlation <= 1 or cv < 0:
        raise OptionError("a design effect needs clusters of at least 1 and a correlation from -1 to 1")
    return 1 + (cluster_size * (1 + cv**2) - 1) * correlation


def power_clustered(effect: float, sd: float, n: float, clusters: Clusters, *, alpha: float = 0.05) -> float:
    """Power of the clustered t test of `clustered_mean`; 0 below three clusters, where it is withheld.

    For clusters of one size it is a t test of cluster means. For others :math:`mean^2 - t^2 SE^2` with Bell
    and McCaffrey's critical value is an indefinite quadratic form in the cluster sums, positive with Imhof's
    integral; beyond 200 clusters a noncentral t says the same.

    References
    ----------
    Donner & Klar (2000), Design and Analysis of Cluster Randomization Trials in Health Research, chapter 5.
    Arnold.
    Bell & McCaffrey (2002), Survey Methodology, 28, 169-181.
    Imhof (1961), Biometrika, 48, 419-426.

    Examples
    --------
    >>> round(power_clustered(0.1, 0.5, 400, Clusters(10, correlation=0.1)), 4)
    0.8078
    """
    if clusters.number(n) < FEWEST_CLUSTERS:
        return 0.0
    spread = spread_of(n, clusters)
    shift = abs(effect) * float(np.sqrt(n / spread.inflation)) / sd
    if spread.sizes is not None and shift < _FAR:
        return _beyond(spread.sizes, spread.variances(clusters), effect / sd, spread.critical(alpha))
    return noncentral_beyond(shift, spread.df, spread.critical(alpha) * float(np.sqrt(spread.ratio)))


def _beyond(sizes: Floats, variances: Floats, effect: float, critical: float) -> float:
    """P(S² > c² Σ w (Y - p S)²) for independent normal cluster sums Y with mean δ m, S their sum."""
    share = sizes / sizes.sum()
    project = np.eye(sizes.size) - np.outer(share, np.ones(sizes.size))
    form = 1 - critical**2 * (project.T / (1 - share)) @ project
    root = np.sqrt(variances)
    values, vectors = np.linalg.eigh(root[:, None] * form * root)
    scale = np.abs(values).max()
    # p(Σ λ (z + δ)² > 0): Imhof's integral, by a trapezium rule in log u that follows its waves
    squares = (vectors.T @ (effect * sizes / root)) ** 2
    step = min(0.05, 0.5 / np.sqrt(max(1.0, squares.sum())))
    log_u = np.arange(-32.0, 24.0, step)
    lu = np.exp(log_u)[:, None] * (values / scale)
    damp = 1 + lu**2
    angle = 0.5 * np.sum(np.arctan(lu) + squares * lu / damp, axis=1)
    decay = np.sum(0.25 * np.log(damp) + 0.5 * squares * lu**2 / damp, axis=1)
    total = step * float(np.sum(np.sin(angle) * np.exp(-decay)))
    return float(np.clip(0.5 + total / np.pi, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class ClusteredError:
    """How a clustered standard error behaves; the variance of one item's difference is 1."""

    inflation: float
    """True variance of the mean, times items."""
    ratio: float
    """Mean of the squared standard error over the true variance."""
    df: float
    """Degrees of freedom of the squared standard error."""
    df_test: float
    """Degrees of freedom that the test uses."""
    root: float
    """Mean of the standard error over its root mean square."""
    sizes: Floats | None = None
    """Unequal sizes, where they are few enough to be laid out."""

    def variances(self, clusters: Clusters) -> Floats:
        """Return the variances of the cluster sums."""
        assert self.sizes is not None
        return self.sizes * (1 + (self.sizes - 1) * clusters.correlation)

    def critical(self, alpha: float) -> float:
        """Return the value beyond which the test finds a difference."""
        return float(special.stdtrit(self.df_test, 1 - alpha / 2))

    def width(self, sd: float, n: float, level: float) -> float:
        """Return the expected width of the interval of n items."""
        error = sd * float(np.sqrt(self.inflation * self.ratio / n)) * self.root
        return 2 * self.critical(1 - level) * error


@lru_cache(maxsize=4096)
def spread_of(n: float, clusters: Clusters) -> ClusteredError:
    """Work out mean and variance of the squared clustered standard error of n items."""
    groups = clusters.number(n)
    rho = clusters.correlation
    if clusters.cv == 0 or clusters.size == 1:
        df = groups - 1.0
        return ClusteredError(1 + (n / groups - 1) * rho, 1.0, df, df, root_bias(df))
    laid = min(groups, _GRID)
    sizes = _cluster_sizes(laid, n / groups, clusters.cv)
    variances = sizes * (1 + (sizes - 1) * rho)
    share, true = sizes / sizes.sum(), variances.sum()
    # residual sums r = (I - p 1') Y of sums Y with variances v: Cov r = v δ - p_d v_c - p_c v_d + p p' Σv
    cross = np.outer(variances, share)
    covariance = np.diag(variances) - cross - cross.T + np.outer(share, share) * true
    weights = 1 / (1 - share)
    mean = float(np.sum(weights * np.diag(covariance)))
    variance = 2 * float(weights @ covariance**2 @ weights)
    more = groups / laid
    inflation = true / sizes.sum()
    df = 2 * mean**2 / variance * more
    root = root_bias(df)
    if laid == groups:
        root = _mean_root(np.linalg.eigvalsh(np.sqrt(np.outer(weights, weights)) * covariance) / mean)
    kept = sizes if laid == groups else None
    return ClusteredError(inflation, mean / true, df, mean_degrees(sizes) * more, root, kept)


def _mean_root(values: Floats) -> float:
    """E sqrt(Σ λ z²) = 1/(2 sqrt(π)) ∫ (1 - Π (1 + 2 λ t)^(-1/2)) t^(-3/2) dt, summed in log t."""
    step = 0.1
    log_t = np.arange(-70.0, 70.0, step)
    logs = np.log1p(2 * np.exp(log_t)[:, None] * np.maximum(values, 0.0))
    inner = -np.expm1(-0.5 * logs.sum(axis=1)) * np.exp(-0.5 * log_t)
    return float(inner.sum() * step / (2 * np.sqrt(np.pi)))


def _cluster_sizes(groups: int, mean: float, cv: float) -> Floats:
    """Lay out cluster sizes of a given mean and variation: 1 and a lognormal rest, evenly spaced."""
    z = special.ndtri((np.arange(groups) + 0.5) / groups)
    low, high = 0.0, 12.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        spread = _lognormal(z, mean, middle)
        low, high = (middle, high) if spread.std() < cv * mean else (low, middle)
    return _lognormal(z, mean, high)


def _lognormal(z: Floats, mean: float, sigma: float) -> Floats:
    """One item, and the rest of the mean spread over clusters as exp(σ z)."""
    rest = np.exp(sigma * (z - z[-1]))
    return np.asarray(1 + (mean - 1) * rest / rest.mean())


MOST_UNITS = 150
"""Of more units hardly any sample looks skewed by chance: 1 % at 150."""
_NUMBERS, _FEWEST_DRAWS, _MOST_DRAWS = 60_000, 600, 4_000


@dataclass(frozen=True)
class SkewCost:
    """Limits of Student's t and of the joined test over draws that look skewed; S has a variance of 1."""

    seen: float
    """Share of draws that look skewed."""

    plain: Floats
    """S beyond which Student's t finds a difference, on either side."""
    above: Floats
    below: Floats
    """S above and below which the joined test does."""
    centre: Floats
    """Mean of S given the residuals, where there is no difference."""
    spread: float
    """Standard deviation of S given the residuals."""
    wider: float
    """Mean width of the interval that comparisons show over that of Student's t."""

    def loss(self, shift: float) -> float:
        """Return the power that is lost where the true S is this one."""
        where = self.centre + abs(shift)

        def beyond(low: Floats, high: Floats) -> Floats:
            ends = (where - high) / self.spread, (low - where) / self.spread
            return np.asarray(special.ndtr(ends[0]) + special.ndtr(ends[1]))

        if self.seen == 0:
            return 0.0
        lost = beyond(-self.plain, self.plain) - beyond(self.below, self.above)
        return self.seen * float(np.mean(lost))


def skew_cost(sizes: Floats, correlation: float, *, alpha: float, clustered: bool) -> SkewCost | None:
    """Return what the allowance for skewness costs normal differences in clusters of these sizes."""
    if not FEWEST_UNITS <= sizes.size <= MOST_UNITS:
        return None
    if np.ptp(sizes) == 0:  # the shape of residuals does not depend on what all clusters share
        return _cost((1.0,) * sizes.size, 0.0, alpha, clustered)
    # two digits are enough: between correlations of 0 and 1 the cost differs by a few points
    return _cost(tuple(sizes.tolist()), round(correlation, 2), alpha, clustered)


@lru_cache(maxsize=256)
def _cost(sizes: tuple[float, ...], correlation: float, alpha: float, clustered: bool) -> SkewCost:
    m = np.array(sizes)
    n, share = m.size, m / m.sum()
    variances = m * (1 + (m - 1) * correlation)
    variances /= variances.sum()
    draws = int(np.clip(_NUMBERS // n, _FEWEST_DRAWS, _MOST_DRAWS))
    sums = np.random.default_rng([8, n]).standard_normal((draws, n)) * np.sqrt(variances)
    residual = sums - share * sums.sum(axis=1, keepdims=True)
    error = np.sqrt(np.sum(residual**2 / (1 - share), axis=1))
    # Y = residual + share S: with normal Y, S given the residuals has precision Σ share²/v
    precision = float(np.sum(share**2 / variances))
    centre = -(residual @ (share / variances)) / precision
    df, tail = mean_degrees(m), 1 - alpha / 2
    plain = float(special.stdtrit(df, tail))
    square = np.mean(residual**2, axis=1)
    skewness = np.mean(residual**3, axis=1) / square**1.5
    seen = np.abs(skewness) > LEAST_SKEW
    residual, square, skewness, widths = residual[seen], square[seen], skewness[seen], 2 * plain * error
    kurtosis = np.mean(residual**4, axis=1) / square**2
    degrees = np.minimum(df, np.maximum(FEWEST_DEGREES, 2 * n / (kurtosis - 1)))
    border, b = special.stdtrit(degrees, tail), skewness * np.sqrt(n - 1) / (n - 2)
    b = followable(b, border) if clustered else b
    above = np.maximum(plain, inverse_transformed(border, b)) * error[seen]
    below = np.minimum(-plain, inverse_transformed(-border, b)) * error[seen]
    wider = 1 + float(np.sum(above - below - widths[seen]) / np.sum(widths))
    limits = plain * error[seen], above, below, centre[seen]
    return SkewCost(float(np.mean(seen)), *limits, 1 / float(np.sqrt(precision)), wider)
