"""Bayes factors that can favour the null where only a bound was used: within-subject F, variance ratio.

The variance ratio is integrated over x, the logit of the first group's share of precision: with p and q half
the degrees of freedom and s = df1 F / (df1 F + df2), the likelihood against that of equal variances (x = 0)
is exp(p x) / (1 - s + s exp(x))^(p+q), the prior exp(a x) / (1 + exp(x))^(2a). The product is log-concave:
one peak, as narrow as df are many; panels are as wide as it, below and above equal variances.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit

from concord.stats.elementwise import Floats, broadcast, shaped, where_defined

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
