"""Bayes factors of statistics under a fixed design, and Student's t as several families use it."""

from collections.abc import Callable

import numpy as np

from concord.people.protocol import Protocol
from concord.stats import bayes
from concord.stats.chebyshev import on_columns
from concord.stats.elementwise import Floats


def noncentral_t(rng: np.random.Generator, t: Floats, df: Floats, size: int) -> Floats:
    """Draw noncentral t around observed ones, corrected for their small-sample inflation."""
    shape = (size, *t.shape)
    centre = t * (1 - 3 / (4 * df - 1))
    return np.asarray((rng.standard_normal(shape) + centre) / np.sqrt(rng.chisquare(df, shape) / df))


def t_of_d(d: Floats, n1: Floats, n2: Floats, df: Floats, rng: np.random.Generator) -> Floats:
    """Draw noncentral t of a true d; an infinite (or missing) n2 is a single sample."""
    other = np.where(np.isnan(n2), np.inf, n2)
    centre = d / np.sqrt(1 / n1 + 1 / other)
    noise = rng.standard_normal(d.shape)
    return np.asarray((noise + centre) / np.sqrt(rng.chisquare(df, d.shape) / df))


def evaluate(
    log_bf: Callable[..., Floats],
    prob_positive: Callable[..., Floats],
    statistic: Floats,
    *design: Floats,
    protocol: Protocol,
) -> tuple[Floats, Floats]:
    """Log BF and P(positive) of a statistic (..., k) under a fixed design (k,).

    Replicates (B, k) are interpolated a column at a time; P(positive) is left out where the protocol
    splits by sign.
    """
    wanted = [log_bf, prob_positive] if protocol.split == "exact" else [log_bf]
    if statistic.ndim == 2:
        values = on_columns(wanted, statistic, *design)
    else:
        values = [function(statistic, *design) for function in wanted]
    if protocol.split != "exact":
        return values[0], np.full(statistic.shape, np.nan)
    return values[0], np.clip(values[1], 0.0, 1.0)


def jzs(t: Floats, n1: Floats, n2: Floats, protocol: Protocol) -> tuple[Floats, Floats]:
    """Log BF and P(positive) of t tests (..., k) with one (n2 NaN) or two samples (k,)."""
    bf, positive = np.full(t.shape, np.nan), np.full(t.shape, np.nan)
    two = ~np.isnan(n2)
    for chosen, sizes in ((two, (n1[two], n2[two])), (~two, (n1[~two],))):
        if chosen.any():
            bf[..., chosen], positive[..., chosen] = evaluate(
                lambda t, *sizes: np.asarray(bayes.log_bf_t(t, *sizes, r=protocol.r_t)),
                lambda t, *sizes: np.asarray(bayes.prob_positive_t(t, *sizes, r=protocol.r_t)),
                t[..., chosen],
                *sizes,
                protocol=protocol,
            )
    return bf, positive
