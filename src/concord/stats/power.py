"""Planning a comparison: power, items needed, smallest difference that can be found, interval width."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.stats.clustered import mean_degrees
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.skewed import FEWEST_DEGREES, FEWEST_UNITS, LEAST_SKEW, followable, inverse_transformed

LARGEST_N = 100_000_000
"""No plan asks for more items than this."""
_MANY_SIGNS = 40
"""Beyond this many differences the steps of a permutation p-value are of no account."""
_SAW_TEETH = 400
"""Sizes looked at below the one that bisection finds: exact tests gain power in saw teeth."""


def power_paired(effect: float, sd: float, n: float, *, alpha: float = 0.05) -> float:
    """Power of the two-sided paired t test, from the noncentral t distribution.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences (2nd ed.), section 2.

    Examples
    --------
    >>> round(power_paired(0.5, 1.0, 34), 4)
    0.8078
    """
    _positive(sd=sd, alpha=alpha)
    if n <= 1:
        return 0.0
    return _power_t(abs(effect) * np.sqrt(n) / sd, n - 1, alpha)


def power_two_sample(d: float, n1: float, n2: float, *, alpha: float = 0.05) -> float:
    """Power of the two-sided two-sample t test: participants per group, not items.

    References
    ----------
    Cohen (1988), as for `power_paired`.

    Examples
    --------
    >>> round(power_two_sample(0.5, 64, 64), 4)
    0.8015
    """
    if n1 + n2 <= 2 or min(n1, n2) <= 0:
        return 0.0
    return _power_t(abs(d) * np.sqrt(n1 * n2 / (n1 + n2)), n1 + n2 - 2, alpha)


def power_signs(effect: float, sd: float, n: int, *, alpha: float = 0.05) -> float:
    """Power of the sign-flip test (`sign_flip`) of normal differences."""
    # The smallest p is 2^(1-n): five differences find nothing at the 5 % level. The true level is the largest
    # multiple of it below ``alpha``; power is about that of the t test at this level (Lehmann & Romano 2005,
    # 15.2), and Φ(δ/σ)^n + Φ(-δ/σ)^n where only equal signs are significant. The mid-p form, which
    # comparisons use, loses nothing by ties.
    _positive(sd=sd, alpha=alpha)
    if n > _MANY_SIGNS:
        return power_paired(effect, sd, n, alpha=alpha)
    significant = np.ceil(alpha * 2.0 ** (n - 1)) - 1
    if significant < 1:
        return 0.0
    if significant < 2:
        d = effect / sd
        return float(special.ndtr(d) ** n + special.ndtr(-d) ** n)
    return power_paired(effect, sd, n, alpha=float(significant * 2.0 ** (1 - n)))


def _power_t(shift: float, df: float, alpha: float) -> float:
    """Probability that a noncentral t leaves the interval of Student's t."""
    return noncentral_beyond(shift, df, float(special.stdtrit(df, 1 - alpha / 2)))


def noncentral_beyond(shift: float, df: float, critical: float) -> float:
    """Probability that a noncentral t is further from zero than a critical value."""
    inside = special.nctdtr(df, shift, critical) - special.nctdtr(df, shift, -critical)
    if np.isnan(inside):  # scipy gives up on large shifts
        # p(|T| < c) as a mean of normal probabilities over w = sqrt(chi2/df): T < c where Z < c w - shift
        nodes, weights = np.polynomial.legendre.leggauss(200)
        reach = 10 / np.sqrt(2 * df)
        low, high = max(0.0, 1 - reach), 1 + reach
        w = 0.5 * (low + high) + 0.5 * (high - low) * nodes
        log_density = (df - 1) * np.log(w) - df * w * w / 2
        mass = weights * np.exp(log_density - log_density.max())
        inside = float(np.sum(mass * special.ndtr(critical * w - shift)) / mass.sum())
    return float(np.clip(1 - inside, 0.0, 1.0))


def detectable_effect(sd: float, n: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Smallest true difference that a paired t test finds with the wanted power; undefined below two items.

    References
    ----------
    Miller (2024), Adding error bars to evals. arXiv:2411.00640, section 5.

    Examples
    --------
    >>> round(detectable_effect(1/3, 971), 6)
    0.029999
    """
    _positive(sd=sd, alpha=alpha)
    _probability(power)
    if n < 2:
        raise UndefinedError("a smallest detectable effect needs at least 2 items")
    high = sd * (10 + 40 / (n - 1)) / float(np.sqrt(n))
    while power_paired(high, sd, n, alpha=alpha) < power:
        high *= 2
    return _root(lambda effect: power_paired(effect, sd, n, alpha=alpha) - power, 0.0, high)


def items_needed(effect: float, sd: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the fewest items with which a paired t test finds a difference with the wanted power.

    References
    ----------
    Miller (2024), Adding error bars to evals. arXiv:2411.00640, section 5: about 1,000 questions for a
    difference of 3 points with a power of 80 %.

    Examples
    --------
    >>> items_needed(0.03, 1/3)
    971
    """
    _positive(sd=sd, alpha=alpha)
    return fewest(lambda n: power_paired(effect, sd, n, alpha=alpha), power, effect)


def fewest(power_at: Callable[[int], float], power: float, effect: float) -> int:
    """Return the smallest n with the wanted power, by doubling and halving."""
    # The power of an exact test grows in saw teeth: n within a few teeth below are looked at one by one
    # (Chernick & Liu 2002, The American Statistician, 56, 149-155).
    _probability(power)
    if effect == 0 or not np.isfinite(effect):
        raise OptionError(
            f"the effect is {effect!r}; no number of items finds a difference that is not there"
        )
    high = 4
    while power_at(high) < power:
        high *= 2
        if high > LARGEST_N:
            raise UndefinedError(
                f"more than {LARGEST_N:,} items would be needed; look for a larger difference"
            )
    low = 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    teeth = min(_SAW_TEETH, 10 + int(4 * np.sqrt(high)))
    return next((n for n in range(max(2, high - teeth), high) if power_at(n) >= power), high)


def interval_width(sd: float, n: float, *, level: float = 0.95) -> float:
    """Return the expected width of the t interval of a mean difference, SE taken at its mean (`root_bias`).

    References
    ----------
    Kupper & Hafner (1989), The American Statistician, 43, 101-105.

    Examples
    --------
    >>> round(interval_width(0.5, 400), 4), round(interval_width(0.5, 10), 4)
    (0.0982, 0.6958)
    """
    _positive(sd=sd)
    if n < 2:
        raise UndefinedError("an interval needs at least 2 items")
    error = sd / float(np.sqrt(n)) * root_bias(n - 1)
    return float(2 * special.stdtrit(n - 1, 0.5 + level / 2) * error)


def root_bias(df: float) -> float:
    """Return the mean of √(χ²_ν/ν): standard deviations over their root mean square (Holtzman 1950)."""
    if df > 1e5:  # gammaln would cancel; the series is exact to 1e-16
        return 1 - 1 / (4 * df) + 1 / (32 * df**2)
    log = special.gammaln((df + 1) / 2) - special.gammaln(df / 2) + 0.5 * np.log(2 / df)
    return float(np.exp(log))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where a growing function crosses zero, to full precision."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (low, middle) if function(middle) >= 0 else (middle, high)
    return high


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and np.isfinite(value)):
            raise OptionError(f"{name} is {value!r}; expected a positive number")


def _probability(power: float) -> None:
    if not 0 < power < 1:
        raise OptionError(f"power is {power!r}; expected a number between 0 and 1, such as 0.8")


_REACH = 9.0
"""Standard deviations of the number of disagreements beyond which nothing is counted."""


def power_mcnemar(
    only_first: float, only_second: float, n: int, *, alpha: float = 0.05, mid_p: bool = False
) -> float:
    r"""Power of McNemar's exact test (or its mid-p form), unconditional over the number of disagreements.

    .. math:: \sum_m \mathrm{Bin}(m; n, \psi) \, P(\text{reject} \mid m), \quad \psi = p_{10} + p_{01}

    References
    ----------
    Duffy (1984), Biometrics, 40, 1005-1015.

    Examples
    --------
    >>> round(power_mcnemar(0.25, 0.10, 100), 3)
    0.674
    """
    psi = only_first + only_second
    if not (0 <= only_first <= 1 and 0 <= only_second <= 1 and psi <= 1):
        raise OptionError("probabilities of disagreement must lie from 0 to 1, and so must their sum")
    if psi == 0 or n < 1:
        return 0.0
    spread = np.sqrt(n * psi * (1 - psi))
    low, high = int(max(0, n * psi - _REACH * spread - 10)), int(min(n, n * psi + _REACH * spread + 10))
    m = np.arange(low, high + 1, dtype=np.float64)
    mass = np.exp(_log_binomial(m, float(n), psi))
    edge = _critical(m, alpha, mid_p=mid_p)
    share = only_first / psi
    below, above = _at_most(edge, m, share), _at_most(edge, m, 1 - share)
    return float(np.clip(np.sum(mass * (below + above)), 0.0, 1.0))


def _log_binomial(k: Floats, n: float, p: float) -> Floats:
    """Log probability of k of n."""
    choose = -np.log1p(n) - special.betaln(n - k + 1, k + 1)
    return np.asarray(choose + special.xlogy(k, p) + special.xlog1py(n - k, -p))


def _at_most(k: Floats, n: Floats, p: float) -> Floats:
    """Probability of at most k of n; 0 for a negative k."""
    return np.where(k >= 0, special.betainc(np.maximum(n - k, 1e-300), np.maximum(k, 0) + 1, 1 - p), 0.0)


def _critical(m: Floats, alpha: float, *, mid_p: bool) -> Floats:
    """Largest smaller count that is significant among m disagreements; -1 where none is."""
    edge = np.floor(m / 2 + special.ndtri(alpha / 2) * np.sqrt(m) / 2) + 3
    edge = np.minimum(edge, np.ceil(m / 2) - 1)
    for _ in range(12):
        p = 2 * _at_most(edge, m, 0.5)
        if mid_p:
            p = p - np.exp(_log_half(np.maximum(edge, 0), m))
        wrong = (edge >= 0) & (p >= alpha)
        if not wrong.any():
            break
        edge = np.where(wrong, edge - 1, edge)
    return np.asarray(edge)


def _log_half(k: Floats, m: Floats) -> Floats:
    """Log probability of k of m tosses of a fair coin."""
    return np.asarray(-np.log1p(m) - special.betaln(m - k + 1, k + 1) - m * np.log(2.0))


def paired_sd(first: float, second: float, correlation: float) -> float:
    """Return the SD of the difference of two correlated 0-1 scores: √(p1 q1 + p2 q2 - 2ρ √(p1 q1 p2 q2))."""
    for value in (first, second):
        if not 0 <= value <= 1:
            raise OptionError(f"the mean of 0-1 scores is {value!r}; expected a number from 0 to 1")
    if not -1 <= correlation <= 1:
        raise OptionError(f"the correlation is {correlation!r}; expected a number from -1 to 1")
    one, two = first * (1 - first), second * (1 - second)
    return float(np.sqrt(max(0.0, one + two - 2 * correlation * np.sqrt(one * two))))


def disagreements(first: float, second: float, correlation: float) -> tuple[float, float]:
    """Probabilities that only the first, only the second of two models is right, if possible."""
    paired_sd(first, second, correlation)
    both = first * second + correlation * float(np.sqrt(first * (1 - first) * second * (1 - second)))
    only_first, only_second = first - both, second - both
    if min(both, only_first, only_second, 1 - first - second + both) < -1e-12:
        raise OptionError(f"means of {first:g} and {second:g} cannot have a correlation of {correlation:g}")
    return max(0.0, only_first), max(0.0, only_second)


def counted_interval_width(disagreement: float, effect: float, n: int, *, level: float = 0.95) -> float:
    r"""Return the expected width of Bonett and Price's interval of a difference of paired proportions.

    .. math:: 2 z \sqrt{\frac{1}{n+2} \left(\frac{n \psi + 2}{n + 2} -
        \left(\frac{n \delta}{n + 2}\right)^2 - \frac{n (\psi - \delta^2)}{(n+2)^2}\right)}
    """
    z = float(special.ndtri(0.5 + level / 2))
    # the squared centre has its own variance on top of the square of its mean
    centre = (n * effect**2 * n + n * (disagreement - effect**2)) / (n + 2) ** 2
    return float(2 * z * np.sqrt(((n * disagreement + 2) / (n + 2) - centre) / (n + 2)))


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
