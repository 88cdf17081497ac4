"""How much answers vary, agent against people: ratios of variances and of entropies, and correlations."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import UndefinedError
from concord.stats.distances import entropy
from concord.stats.elementwise import Floats
from concord.stats.skewed import inverse_transformed

L_SKEWED, L_SKEWED_FEW, FEW, L_HEAVY = 0.25, 0.2, 200, 0.2
"""L-skewness (of fewer than 200 answers: the second) and L-kurtosis above which answers have a tail.

A normal distribution has 0 and 0.12, an exponential one 0.33 and 0.17.
"""
STEEPEST_LOG = 0.2
"""Largest skewness of a log ratio that its interval follows; beyond, it grows and covers no more."""
LEAST_DF = 2.0
"""Degrees of freedom that an interval has at least."""


class RatioEnds(NamedTuple):
    """A ratio and its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of one sample, and how sure it is."""

    variance: float
    n: int
    kurtosis: float = 3.0
    """Bonett's, about the trimmed mean; 3 (normal) where only moments are known."""
    df: float = math.inf
    """Degrees of freedom of that kurtosis: few where a few answers decide it (see `influence_df`)."""
    l_skewness: float = 0.0
    l_kurtosis: float = 0.1226
    """L-moment ratios (Hosking 1990), which a single answer hardly moves."""
    influence_cube: float = 0.0
    """Mean cube of what each answer does to the log of the variance; 0 where only moments are known."""

    @property
    def log_se2(self) -> float:
        """Variance of the log of the sample variance: (kurtosis - (n - 3)/n)/(n - 1)."""
        return max(0.0, self.kurtosis - (self.n - 3) / self.n) / (self.n - 1)

    @property
    def log_third(self) -> float:
        """Third cumulant of the log of the sample variance."""
        return self.influence_cube / ((self.n - 1) * (self.n - 2)) if self.n > 2 else 0.0

    @property
    def has_tail(self) -> bool:
        """Whether answers are skewed or far apart, so that unseen ones may decide the variance."""
        limit = L_SKEWED_FEW if self.n < FEW else L_SKEWED
        return abs(self.l_skewness) > limit or self.l_kurtosis > L_HEAVY


def kish_n(weights: ArrayLike) -> float:
    """Compute how many answers of equal weight say as much: (Σ w)² / Σ w² (Kish 1965)."""
    w = np.asarray(weights, dtype=np.float64)
    return float(w.sum() ** 2 / (w**2).sum())


def _weighted_spread(x: Floats, weights: Floats) -> Spread:
    """Return the spread of weighted answers: moments by weight, n Kish's, kurtosis about the mean."""
    n, share = kish_n(weights), weights / weights.sum()
    if n <= 1:
        raise UndefinedError(f"{n:g} answers have no variance")
    squares = float(share @ (x - share @ x) ** 2)
    if squares == 0:
        return Spread(0.0, round(n))
    influence = (x - share @ x) ** 2 / squares - 1
    kurtosis, cube = float(share @ (influence + 1) ** 2), float(share @ influence**3)
    df = influence_df(influence * share * x.size)
    return Spread(squares * n / (n - 1), round(n), kurtosis, df, *_l_moment_ratios(x), influence_cube=cube)


def answer_spread(values: ArrayLike, weights: ArrayLike | None = None) -> Spread:
    """Compute the variance of answers and its kurtosis about the trimmed mean (Bonett 2006)."""
    x = np.asarray(values, dtype=np.float64)
    n = x.size
    if n < 2:
        raise UndefinedError(f"{n} answers have no variance")
    if weights is not None:
        return _weighted_spread(x, np.asarray(weights, dtype=np.float64))
    squares = float(((x - x.mean()) ** 2).sum())
    cut = int(n / (2 * np.sqrt(n - 4))) if n > 4 else 0
    cut = min(cut, (n - 1) // 2)
    middle = float(np.sort(x)[cut : n - cut].mean())
    if squares == 0:
        return Spread(0.0, n)
    kurtosis = n * float(((x - middle) ** 4).sum()) / squares**2
    influence = (x - x.mean()) ** 2 / (squares / n) - 1
    # two answers have no tail: their kurtosis is a function of one share
    two = bool(((x == x.min()) | (x == x.max())).all())
    df, cube = (math.inf, 0.0) if two else (influence_df(influence), float((influence**3).mean()))
    return Spread(squares / (n - 1), n, kurtosis, df, *_l_moment_ratios(x), influence_cube=cube)


def influence_df(influence: Floats) -> float:
    """Compute the degrees of freedom of a standard error made of influences: 2n mean(u²)² / var(u²)."""
    # Satterthwaite's rule (1946, Biometrics Bulletin, 2, 110-114): where a few of the n influences make most
    # of it, the standard error is itself hardly known.
    squares = np.asarray(influence, dtype=np.float64) ** 2
    spread = float(squares.var())
    mean = float(squares.mean())
    if spread <= 1e-12 * mean**2:
        return math.inf
    return 2 * squares.size * mean**2 / spread


def joined_df(first: float, first_df: float, second: float, second_df: float) -> float:
    """Return the degrees of freedom of a sum of two variances (Welch 1947), `LEAST_DF` at least."""
    doubt = first**2 / first_df + second**2 / second_df
    return math.inf if doubt == 0 else max((first + second) ** 2 / doubt, LEAST_DF)


def _l_moment_ratios(values: Floats) -> tuple[float, float]:
    """Compute L-skewness and L-kurtosis from probability-weighted moments; a normal's for fewer than 4."""
    x = np.sort(values)
    n, i = x.size, np.arange(x.size, dtype=np.float64)
    if n < 4:
        return 0.0, 0.1226
    weights = (np.ones(n), i, i * (i - 1), i * (i - 1) * (i - 2))
    b = [float((x * w).mean()) / float(np.prod(np.arange(n - r, n))) for r, w in enumerate(weights)]
    l2 = 2 * b[1] - b[0]
    l3 = 6 * b[2] - 6 * b[1] + b[0]
    l4 = 20 * b[3] - 30 * b[2] + 12 * b[1] - b[0]
    return (l3 / l2, l4 / l2) if l2 > 0 else (0.0, 0.1226)


def variance_ratio(agent: Spread, human: Spread, *, shared: float = 0.0, level: float = 0.95) -> RatioEnds:
    r"""Compute the ratio of two variances with a kurtosis-corrected interval on the log.

    .. math:: \log\frac{s_a^2}{s_h^2} + v_a - v_h \pm t_\nu \sqrt{v_a + v_h - 2c}, \quad
        v = \frac{\hat\kappa - (n - 3)/n}{n - 1}

    Bonett (2006, Applied Psychological Measurement, 30, 432-439) with a kurtosis for each side, since an
    agent's answers have another shape. Where a few answers decide a kurtosis it has few degrees of freedom
    (`influence_df`, joined as in Welch's test); the centre makes good that a sample which missed the tail has
    too small a variance and v at once. The skewness that is left is taken out by Hall's transformation (1992,
    JRSS B, 54, 221-228), `STEEPEST_LOG` at most and joined with the t, where the sides are independent.
    """
    if human.variance <= 0:
        raise UndefinedError("people all gave one answer: there is no variance to compare with")
    value = agent.variance / human.variance
    if value == 0:
        return RatioEnds(0.0, float("nan"), float("nan"))
    va, vh = agent.log_se2, human.log_se2
    t = float(special.stdtrit(joined_df(va, agent.df, vh, human.df), 0.5 + level / 2))
    se = float(np.sqrt(max(va + vh - 2 * shared, 0.0)))
    third = agent.log_third - human.log_third if shared == 0 else 0.0
    b = np.clip(third / se**3, -STEEPEST_LOG, STEEPEST_LOG) if se > 0 else np.zeros(())
    up, down = (float(inverse_transformed(np.asarray(end), np.asarray(b))) for end in (-t, t))
    centre = np.log(value) + va - vh
    low, high = float(np.exp(centre - max(down, t) * se)), float(np.exp(centre - min(up, -t) * se))
    return RatioEnds(value, min(low, value), max(high, value))


def shared_log_variance(human: ArrayLike, agent: ArrayLike) -> float:
    """Compute the covariance of two log variances over the same persons (Layard 1973, JASA, 68, 195-198)."""
    scaled = []
    for side in (human, agent):
        x = np.asarray(side, dtype=np.float64)
        squares = (x - x.mean()) ** 2
        if squares.sum() == 0:
            return 0.0
        scaled.append(squares / squares.mean() - 1)
    n = len(scaled[0])
    return float(scaled[0] @ scaled[1]) / n / max(n - 1, 1)


def entropy_ratio(agent: ArrayLike, human: ArrayLike, *, level: float = 0.95) -> RatioEnds:
    """Compute the ratio of two plain entropies from counts, with an interval on the log."""
    # The interval is about entropies corrected for the bias of samples, (K - 1)/(2n) nats: Miller (1955), in
    # Information Theory in Psychology; Basharin (1959), Theory of Probability and its Applications, 4,
    # 333-336.
    sides = [np.asarray(side, dtype=np.float64) for side in (agent, human)]
    sizes = [float(side.sum()) for side in sides]
    if min(sizes) < 1:
        raise UndefinedError("a side without answers has no entropy")
    plain = [float(entropy(side / size)) for side, size in zip(sides, sizes, strict=True)]
    if plain[1] <= 0:
        raise UndefinedError("people all chose one option: there is no entropy to compare with")
    value = plain[0] / plain[1]
    if value == 0:
        return RatioEnds(0.0, float("nan"), float("nan"))
    corrected = [
        bits + (np.count_nonzero(side) - 1) / (2 * size * np.log(2))
        for bits, side, size in zip(plain, sides, sizes, strict=True)
    ]
    se2 = sum(
        _entropy_variance(side / size, size) / bits**2
        for side, size, bits in zip(sides, sizes, corrected, strict=True)
    )
    z = float(special.ndtri(0.5 + level / 2))
    centre, reach = float(corrected[0] / corrected[1]), float(np.exp(z * np.sqrt(se2)))
    return RatioEnds(value, min(centre / reach, value), max(centre * reach, value))


def _entropy_variance(shares: Floats, n: float) -> float:
    """var(-log2 p)/(n - K), plus what is left where all options are alike: (K - 1)/(2 n² ln² 2)."""
    # Over n - K, since the K shares were fitted to the same answers: over n, 30 answers cover 91 %.
    used = shares[shares > 0]
    bits = -np.log2(used)
    first = float(used @ bits**2 - (used @ bits) ** 2)
    return max(first, 0.0) / max(n - len(used), 1.0) + (len(used) - 1) / (2 * n**2 * float(np.log(2)) ** 2)


def person_correlation_interval(
    r: float, n: int, *, se: float | None = None, df: float = math.inf, level: float = 0.95
) -> RatioEnds:
    """Compute the interval of a correlation on Fisher's z (Fisher (1921), Metron, 1, 3-32)."""
    if n < 4 or abs(r) >= 1:
        raise UndefinedError(f"a correlation of {r:g} over {n} persons has no interval")
    step = 1 / np.sqrt(n - 3) if se is None else se / (1 - r * r)
    at = 0.5 + level / 2
    reach = step * float(special.ndtri(at) if df == math.inf else special.stdtrit(df, at))
    centre = float(np.arctanh(r))
    return RatioEnds(r, float(np.tanh(centre - reach)), float(np.tanh(centre + reach)))


def person_correlation_error(
    human: ArrayLike, agent: ArrayLike, weights: ArrayLike | None = None
) -> tuple[float, float]:
    """Compute the standard error of a correlation and its degrees of freedom, for answers of any shape."""
    # From the influence of each person, z_h z_a - r/2 (z_h² + z_a²), over √(n - 3); df of `influence_df`, n -
    # 2 at most. Devlin et al. (1975), Biometrika, 62, 531-545.
    h, a = (np.asarray(side, dtype=np.float64) for side in (human, agent))
    w = np.ones(len(h)) if weights is None else np.asarray(weights, dtype=np.float64)
    n, share = kish_n(w), w / w.sum()
    zh, za = ((x - share @ x) / np.sqrt(share @ (x - share @ x) ** 2) for x in (h, a))
    r = float(share @ (zh * za))
    influence = (zh * za - r / 2 * (zh**2 + za**2)) * share * len(h)
    df = max(min(influence_df(influence - influence.mean()), n - 2), LEAST_DF)
    return float(influence.std() / np.sqrt(len(h)) * np.sqrt(n / max(n - 3, 1))), df
