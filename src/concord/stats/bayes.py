"""Log Bayes factors of t, F and regression tests, binomial tests, and the two approximations.

Natural logs of BF10 (effect over none), in log space; nothing is capped, and undefined is never BF = 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincc, betaln, expit, xlog1py, xlogy

from concord.errors import OptionError
from concord.stats import jzs
from concord.stats.elementwise import Bools, Floats, broadcast, shaped, where_defined

DEFAULT_R = float(np.sqrt(0.5))
"""Prior scale of t tests."""
LARGEST = 1e100
"""Statistics beyond this size are not numbers that any test gives; their squares would overflow."""
ALTERNATIVES = ("two-sided", "greater", "less")
_SMALL_T = "a t test needs n >= 2 (one sample) or n1, n2 >= 1 with n1 + n2 >= 3, and a finite t"


def check_alternative(alternative: str) -> None:
    """Refuse an alternative hypothesis that does not exist."""
    if alternative not in ALTERNATIVES:
        raise OptionError(f"alternative is {alternative!r}; expected one of {', '.join(ALTERNATIVES)}")


def _t_columns(t: Floats, n1: Floats, n2: Floats | None, r: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return a, M, t, D of the kernel for one (n2 None) or two samples."""
    if n2 is None:
        return n1 * r * r, n1, t, n1 - 1
    return n1 * n2 / (n1 + n2) * r * r, n1 + n2 - 1, t, n1 + n2 - 2


def _t_arguments(
    t: ArrayLike, n1: ArrayLike, n2: ArrayLike | None, r: ArrayLike
) -> tuple[tuple[Floats, ...], Bools, tuple[int, ...]]:
    """Return the kernel columns, where they are defined, and the shape of the answer."""
    if n2 is None:
        (t_, n1_, r_), shape = broadcast(t, n1, r)
        n2_, defined = None, n1_ >= 2
    else:
        (t_, n1_, n2_, r_), shape = broadcast(t, n1, n2, r)
        defined = (n1_ >= 1) & (n2_ >= 1) & (n1_ + n2_ >= 3)
    defined &= (np.abs(t_) < LARGEST) & (r_ > 0) & np.isfinite(r_) & np.isfinite(n1_)
    if n2_ is not None:
        defined &= np.isfinite(n2_)
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = _t_columns(t_, n1_, n2_, r_)
    return columns, defined, shape


def log_bf_t(
    t: ArrayLike,
    n1: ArrayLike,
    n2: ArrayLike | None = None,
    *,
    r: ArrayLike = DEFAULT_R,
    alternative: str = "two-sided",
) -> Floats | float:
    r"""JZS log Bayes factor of a one-sample, paired (`n1` alone) or two-sample t test.

    A Cauchy prior of scale `r` on the standardised effect (Rouder et al. use 1, later software and this
    function √2/2), Jeffreys' prior on the variance; :math:`N = n_1 n_2 / (n_1 + n_2), \nu = n_1 + n_2 - 2`.
    `alternative` ``greater`` or ``less`` cuts the prior at 0: :math:`BF_{+0} = 2 P_+ BF_{10}`.

    References
    ----------
    Rouder et al. (2009), Psychonomic Bulletin & Review, 16, 225-237.

    Examples
    --------
    >>> round(log_bf_t(3.5, 20, 20), 4)
    3.2863
    """
    check_alternative(alternative)
    columns, defined, shape = _t_arguments(t, n1, n2, r)

    def compute(a: Floats, m: Floats, t: Floats, d: Floats) -> Floats:
        values = jzs.log_bf(a, m, np.ones_like(a), t * t, d)
        if alternative == "two-sided":
            return values
        sign = 1.0 if alternative == "greater" else -1.0
        return np.asarray(values + np.log(2) + jzs.log_prob_positive(a, m, sign * t, d))

    return shaped(where_defined(defined, compute, *columns), shape, _SMALL_T)


def prob_positive_t(
    t: ArrayLike, n1: ArrayLike, n2: ArrayLike | None = None, *, r: ArrayLike = DEFAULT_R
) -> Floats | float:
    """Exact posterior probability that the effect is positive, given the data and H1 (as `log_bf_t`).

    Given the mixing variance the effect has a Student posterior; its tail is averaged over the quadrature.

    References
    ----------
    Rouder (2009), Psychonomic Bulletin & Review, 16, 225-237: given the mixing variance the effect has a
    Student posterior; its tail is averaged with the weights of the Bayes factor's own quadrature.

    Examples
    --------
    >>> round(prob_positive_t(2.0, 20, 20), 4)
    0.9591
    """
    columns, defined, shape = _t_arguments(t, n1, n2, r)
    return shaped(where_defined(defined, jzs.prob_positive, *columns), shape, _SMALL_T)


def _f_defined(f: Floats, df1: Floats, df2: Floats, size: Floats, r: Floats) -> Bools:
    finite = (f < LARGEST**2) & np.isfinite(df1) & np.isfinite(df2) & np.isfinite(size) & np.isfinite(r)
    return finite & (f >= 0) & (df1 >= 1) & (df2 > 0) & (size > 0) & (r > 0)


def log_bf_anova(
    f: ArrayLike, df1: ArrayLike, df2: ArrayLike, *, cell_n: ArrayLike | None = None, r: ArrayLike = 0.5
) -> Floats | float:
    """JZS log Bayes factor of a between-groups one-way F test; `r` is the prior scale of fixed effects.

    Kernel with :math:`a = n r^2, M = df_1 + df_2, p = df_1, S = df_1 F, D = df_2`. `cell_n` is the cell size,
    :math:`(df_1 + df_2 + 1)/(df_1 + 1)` by default; the harmonic mean of unequal cells is exact for two.

    References
    ----------
    Rouder et al. (2012), Journal of Mathematical Psychology, 56, 356-374.

    Examples
    --------
    >>> round(log_bf_anova(4.0, 1, 38), 3), round(log_bf_t(2.0, 20, 20), 3)
    (0.374, 0.374)
    """
    cells = (np.asarray(df1) + np.asarray(df2) + 1) / (np.asarray(df1) + 1) if cell_n is None else cell_n
    (f_, df1_, df2_, cell_, r_), shape = broadcast(f, df1, df2, cells, r)
    defined = _f_defined(f_, df1_, df2_, cell_, r_)

    def compute(f: Floats, df1: Floats, df2: Floats, cell: Floats, r: Floats) -> Floats:
        return jzs.log_bf(cell * r * r, df1 + df2, df1, df1 * f, df2)

    values = where_defined(defined, compute, f_, df1_, df2_, cell_, r_)
    return shaped(values, shape, "an F test needs F >= 0, df1 >= 1, df2 > 0 and a positive cell size")


def log_bf_regression(
    f: ArrayLike, df1: ArrayLike, df2: ArrayLike, n: ArrayLike, *, r: ArrayLike = 0.5
) -> Floats | float:
    """JZS log Bayes factor of a regression F test; JASP's default `r` is √2/4, ours 1/2.

    Kernel with :math:`a = N r^2, M = N - 1, p = df_1, S = df_1 F, D = df_2`; the prior is on standardised
    slopes, so an F of two groups read as a regression differs from that of cells (0.232 against 0.374 for
    F(1, 38) = 4).

    References
    ----------
    Liang et al. (2008), JASA, 103, 410-423.

    Examples
    --------
    >>> round(log_bf_regression(4.0, 1, 38, 40), 3)
    0.232
    """
    (f_, df1_, df2_, n_, r_), shape = broadcast(f, df1, df2, n, r)
    defined = _f_defined(f_, df1_, df2_, n_, r_) & (n_ - 1 > df1_)

    def compute(f: Floats, df1: Floats, df2: Floats, n: Floats, r: Floats) -> Floats:
        return jzs.log_bf(n * r * r, n - 1, df1, df1 * f, df2)

    values = where_defined(defined, compute, f_, df1_, df2_, n_, r_)
    return shaped(values, shape, "a regression F needs F >= 0, df1 >= 1, df2 > 0 and n > df1 + 1")


def prob_positive_f(
    t: ArrayLike, df2: ArrayLike, *, a: ArrayLike, m: ArrayLike | None = None
) -> Floats | float:
    """Posterior probability of a positive effect for an F with df1 = 1, from its signed root `t`.

    `a` is the kernel's prior precision: cell size times r² (between groups), N r² (regression); `m` its M,
    ``df2 + 1`` by default, N - 1 for a regression.

    References
    ----------
    Rouder (2012), Journal of Mathematical Psychology, 56, 356-374.

    Examples
    --------
    >>> round(prob_positive_f(2.0, 38, a=20 * 0.25), 4)
    0.9591
    """
    (t_, df2_, a_, m_), shape = broadcast(t, df2, a, np.asarray(df2) + 1.0 if m is None else m)
    defined = (np.abs(t_) < LARGEST) & (df2_ > 0) & (a_ > 0) & (m_ > 1) & np.isfinite(m_)
    values = where_defined(defined, lambda t, d, a, m: jzs.prob_positive(a, m, t, d), t_, df2_, a_, m_)
    return shaped(values, shape, "direction of an F needs a finite root, df2 > 0 and a positive size")


_SMALL_K = "a binomial test needs 0 <= k <= n, n >= 1 and 0 < p0 < 1"


def log_bf_binomial(
    k: ArrayLike, n: ArrayLike, p0: ArrayLike = 0.5, *, a: ArrayLike = 1.0, b: ArrayLike = 1.0
) -> Floats | float:
    r"""Log Bayes factor of a binomial or sign test against `p0`, with a Beta(a, b) prior under H1.

    .. math:: \log BF_{10} = \log\frac{B(k + a, n - k + b)}{B(a, b)} - k \log p_0 - (n - k) \log(1 - p_0)

    References
    ----------
    Jeffreys (1961), Theory of Probability (3rd ed.), section 5.1. Oxford University Press.

    Examples
    --------
    >>> round(log_bf_binomial(16, 20), 4)
    2.3327
    """
    (k_, n_, p0_, a_, b_), shape = broadcast(k, n, p0, a, b)
    defined = _binomial_defined(k_, n_, p0_) & (a_ > 0) & (b_ > 0)

    def compute(k: Floats, n: Floats, p0: Floats, a: Floats, b: Floats) -> Floats:
        evidence = betaln(k + a, n - k + b) - betaln(a, b)
        return np.asarray(evidence - xlogy(k, p0) - xlog1py(n - k, -p0))

    return shaped(where_defined(defined, compute, k_, n_, p0_, a_, b_), shape, _SMALL_K)


def _binomial_defined(k: Floats, n: Floats, p0: Floats) -> Bools:
    return np.asarray((k >= 0) & (k <= n) & (n >= 1) & (p0 > 0) & (p0 < 1) & np.isfinite(n))


def prob_positive_binomial(
    k: ArrayLike, n: ArrayLike, p0: ArrayLike = 0.5, *, a: ArrayLike = 1.0, b: ArrayLike = 1.0
) -> Floats | float:
    """Posterior probability that the rate exceeds `p0`, from its Beta posterior under H1.

    References
    ----------
    Jeffreys (1961), Theory of Probability (3rd ed.), section 5.1. Oxford University Press.

    Examples
    --------
    >>> prob_positive_binomial(10, 20)
    0.5
    """
    (k_, n_, p0_, a_, b_), shape = broadcast(k, n, p0, a, b)
    defined = _binomial_defined(k_, n_, p0_) & (a_ > 0) & (b_ > 0)

    def compute(k: Floats, n: Floats, p0: Floats, a: Floats, b: Floats) -> Floats:
        shape1, shape2 = k + a, n - k + b
        return np.asarray(betaincc(shape1, shape2, p0))

    return shaped(where_defined(defined, compute, k_, n_, p0_, a_, b_), shape, _SMALL_K)


def log_bf_bound(p: ArrayLike) -> Floats | float:
    r"""Vovk-Sellke bound: the largest Bayes factor any decreasing density of a two-sided p can give.

    :math:`1 / (-e\, p \ln p)` for :math:`p < 1/e`, else 1. A bound, not a Bayes factor: results carry a flag.

    References
    ----------
    Sellke et al. (2001), The American Statistician, 55, 62-71.

    Examples
    --------
    >>> round(float(np.exp(log_bf_bound(0.05))), 2)
    2.46
    """
    (p_,), shape = broadcast(p)
    defined = (p_ >= 0) & (p_ <= 1)

    def compute(p: Floats) -> Floats:
        bound = np.zeros_like(p)
        small = p < np.exp(-1)
        with np.errstate(divide="ignore"):
            log_p = np.log(p[small])
        infinite = np.isinf(log_p)
        log_p[infinite] = -1.0
        bound[small] = np.where(infinite, np.inf, -1.0 - log_p - np.log(-log_p))
        return bound

    return shaped(where_defined(defined, compute, p_), shape, "a p-value lies in [0, 1]")


def log_bf_chi_square_bic(chi2: ArrayLike, df: ArrayLike, n: ArrayLike) -> Floats | float:
    r"""BIC approximation when only :math:`\chi^2`, df and n are published: :math:`(\chi^2 - df \ln n)/2`.

    References
    ----------
    Wagenmakers (2007), Psychonomic Bulletin & Review, 14, 779-804.

    Examples
    --------
    >>> round(log_bf_chi_square_bic(5000, 6, 10_000), 2)
    2472.37
    """
    (chi2_, df_, n_), shape = broadcast(chi2, df, n)
    defined = (chi2_ >= 0) & (df_ >= 1) & (n_ >= 1) & np.isfinite(chi2_)
    values = where_defined(defined, lambda c, d, n: 0.5 * (c - d * np.log(n)), chi2_, df_, n_)
    return shaped(values, shape, "the BIC approximation needs chi2 >= 0, df >= 1 and n >= 1")


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_FALL = 40.0
"""Log height below the peak at which what is left (1e-17) is left out."""
_PANEL_PEAKS, _PANEL_MOST = 2.5, 1.5
"""Widest panel: in widths of the peak, and in logits (tails are smooth on the scale of 1)."""


@dataclass(frozen=True, slots=True)
class Share:
    """Posterior of the logit of the share, against equal variances, for some tests."""

    p: Floats
    q: Floats
    log_ratio: Floats
    """log(df1 F / df2), so that s is its logistic."""
    a: Floats

    @classmethod
    def of(cls, f: Floats, df1: Floats, df2: Floats, a: Floats) -> "Share":
        """Return the posterior for variance ratios and a Beta(a, a) prior."""
        return cls(df1 / 2, df2 / 2, np.log(df1) + np.log(f) - np.log(df2), a)

    def pick(self, chosen: Any) -> "Share":
        """Return some of the tests."""
        return Share(self.p[chosen], self.q[chosen], self.log_ratio[chosen], self.a[chosen])

    def mirrored(self) -> "Share":
        """Return the posterior with the groups exchanged: x becomes -x."""
        return Share(self.q, self.p, -self.log_ratio, self.a)

    def width(self) -> Floats:
        """Return the width of the peak, were it normal: 1 / √(pq/(p+q) + a/2)."""
        return np.asarray(1 / np.sqrt(self.p * self.q / (self.p + self.q) + self.a / 2))

    def height(self, x: Floats) -> Floats:
        """Return the log likelihood against x = 0 with the log prior."""
        below = self._below(np.minimum(x, 0.0))
        return np.where(x <= 0, below, self.mirrored()._below(np.minimum(-x, 0.0)))

    def log_halves(self) -> tuple[Floats, Floats]:
        """Return the log integrals below and above equal variances."""
        peak, step = self._peak(), self.width()
        top = self.height(peak)
        low, high = (self._end(peak, top, sign * step) for sign in (-1.0, 1.0))
        zero, widest = np.clip(0.0, low, high), np.minimum(_PANEL_PEAKS * step, _PANEL_MOST)
        below = self._integrated(low, zero, widest, top)
        return below, self.mirrored()._integrated(-high, -zero, widest, top)

    def _below(self, x: Floats) -> Floats:
        """Return the height at x <= 0, where exp(x) cannot overflow."""
        grown, share = np.exp(x), expit(self.log_ratio)
        base = share * np.expm1(x)  # less 1: exact near equal variances
        log_base = np.log1p(np.maximum(base, -0.5))
        if (far := base < -0.5).any():  # as the sum of its two parts: exact far from them
            log_base[far] = np.log((expit(-self.log_ratio) + share * grown)[far])
        prior = self.a * (x - 2 * np.log1p(grown)) - betaln(self.a, self.a)
        return np.asarray(self.p * x - (self.p + self.q) * log_base + prior)

    def _peak(self) -> Floats:
        """Return the place of the peak to a quarter of its width: between those of likelihood and prior."""
        at, near = np.log(self.p) - np.log(self.q) - self.log_ratio, 0.25 * self.width()
        low, high = np.minimum(at, 0.0), np.maximum(at, 0.0)
        while ((high - low) > near).any():
            middle = 0.5 * (low + high)
            slope = self.p - (self.p + self.q) * expit(middle + self.log_ratio)
            rises = slope + self.a * (1 - 2 * expit(middle)) > 0
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        return np.asarray(0.5 * (low + high))

    def _end(self, peak: Floats, top: Floats, step: Floats) -> Floats:
        """Return a place on one side of the peak from which on nothing is left."""
        step = 8 * step
        while (above := self.height(peak + step) > top - _FALL).any():
            step = np.where(above, 1.4 * step, step)
        return np.asarray(peak + step)

    def _integrated(self, low: Floats, high: Floats, widest: Floats, top: Floats) -> Floats:
        """Return the log integral from low to high <= 0; tests that need about as many panels go together."""
        found, panels = np.empty(low.size), np.ceil((high - low) / widest)
        classes = np.ceil(2 * np.log2(np.maximum(panels, 1.0)))
        for one in np.unique(classes):
            chosen = classes == one
            some = self.pick(chosen)
            found[chosen] = some._over(low[chosen], high[chosen], int(np.ceil(2 ** (one / 2))), top[chosen])
        return found

    def _over(self, low: Floats, high: Floats, panels: int, top: Floats) -> Floats:
        """Return the log integral over equal panels."""
        panel = (high - low) / panels
        places = np.arange(panels)[:, None] + 0.5 * (1 + _NODES)
        heights = self._below(low + panel * places.reshape(-1, 1))
        mass = np.tile(_WEIGHTS, panels) @ np.exp(heights - top)
        with np.errstate(divide="ignore"):  # a side on which nothing is left
            return np.asarray(top + np.log(0.5 * panel * mass))


def log_bf_within(
    f: ArrayLike, df1: ArrayLike, df2: ArrayLike, *, n: ArrayLike | None = None
) -> Floats | float:
    r"""BIC approximation of the log Bayes factor of a within-subject F, before any correction for sphericity.

    .. math:: \log BF_{10} = \tfrac{n}{2} \log\left(1 + \tfrac{df_1}{df_2} F\right) - \tfrac{df_1}{2} \log n

    with :math:`n = s(c - 1)` = df1 + df2 independent observations of s participants in c conditions. It
    stands for a unit-information prior, and unlike a bound from p it can favour no effect.

    References
    ----------
    Masson (2011), Behavior Research Methods, 43, 679-690.
    Faulkenberry (2018), Biometrical Letters, 55, 31-43.

    Examples
    --------
    >>> round(log_bf_within(0.01, 2, 6000), 2), round(log_bf_within(12.0, 2, 58), 2)
    (-8.69, 6.29)
    """
    (f_, a_, b_, n_), shape = broadcast(f, df1, df2, np.asarray(df1) + np.asarray(df2) if n is None else n)
    defined = (f_ >= 0) & np.isfinite(f_) & (a_ > 0) & (b_ > 0) & (n_ > 1) & np.isfinite(n_)

    def compute(f: Floats, df1: Floats, df2: Floats, n: Floats) -> Floats:
        return np.asarray(0.5 * (n * np.log1p(df1 * f / df2) - df1 * np.log(n)))

    values = where_defined(defined, compute, f_, a_, b_, n_)
    return shaped(values, shape, "a within-subject F needs F >= 0, df1, df2 > 0 and n > 1")


def log_bf_variance_ratio(
    f: ArrayLike, df1: ArrayLike, df2: ArrayLike, *, a: ArrayLike = 0.5
) -> Floats | float:
    r"""Log Bayes factor of a ratio of two sample variances: unequal against equal population variances.

    Under H1 the first group's share of precision, :math:`\sigma_1^{-2}/(\sigma_1^{-2} + \sigma_2^{-2})`, is
    Beta(a, a); means are flat and the total precision has Jeffreys' prior.

    References
    ----------
    Dablander et al. (2024), Bayesian Analysis, 19, 699-723.

    Examples
    --------
    >>> round(log_bf_variance_ratio(1.0, 50, 50), 3), round(log_bf_variance_ratio(4.0, 50, 50), 2)
    (-2.187, 8.75)
    """
    (f_, df1_, df2_, a_), shape = broadcast(f, df1, df2, a)
    defined = (f_ > 0) & np.isfinite(f_) & (df1_ > 0) & (df2_ > 0) & (a_ > 0)
    defined &= np.isfinite(df1_) & np.isfinite(df2_)

    def compute(f: Floats, df1: Floats, df2: Floats, a: Floats) -> Floats:
        return np.asarray(np.logaddexp(*Share.of(f, df1, df2, a).log_halves()))

    values = where_defined(defined, compute, f_, df1_, df2_, a_)
    return shaped(values, shape, "a variance ratio needs F > 0 and positive degrees of freedom")
