"""Integrals behind the Bayes factor of a variance ratio: over the share of precision of the first group.

With x the logit of the share, p and q half the degrees of freedom and s = df1 F / (df1 F + df2), the
likelihood against that of equal variances (x = 0) is exp(p x) / (1 - s + s exp(x))^(p+q), and the prior is
exp(a x) / (1 + exp(x))^(2a): the product is log-concave, so that it has one peak, as narrow as the degrees of
freedom are many. It is integrated over panels as wide as that peak, below and above equal variances.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaln, expit

from concord.stats.elementwise import Floats

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
