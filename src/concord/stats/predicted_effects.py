r"""Agreement of predicted effects with measured ones, where people's effects come with standard errors.

Measured effects :math:`h_i \pm s_i` and predictions :math:`a_i \pm e_i` (:math:`e_i` may be unknown), all on
one scale. Noise in :math:`h` makes the plain correlation too small and the plain error too large; the
adjusted forms take the known noise out and are undefined where it is as large as what was measured
(Ashokkumar et al. 2026; Fuller 1987, Measurement Error Models).

The Bayes factor of an estimate :math:`b \pm s` without a sample size has a prior worth one observation, true
value :math:`N(0, \sigma^2)`, :math:`n = \sigma^2 / s^2`, :math:`z = b / s` (Kass & Wasserman 1995, JASA, 90,
928-934):

.. math:: \log BF_{10} = \tfrac12 \left( z^2 \frac{n}{n + 1} - \log(1 + n) \right).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError
from concord.stats.elementwise import Floats
from concord.stats.pvalues import mean_ranks

MIN_PAIRS = 3


@dataclass(frozen=True, slots=True)
class EffectAgreement:
    """Numbers of one or more agents; NaN where undefined."""

    direction: Floats
    """Share of pairs with the same sign; a prediction of 0 counts one half."""
    all_positive: Floats
    """Share of measured effects above 0: what predicting "positive" every time would reach."""
    pearson: Floats
    spearman: Floats
    pearson_adjusted: Floats
    """Correlation with the true effects: cov(a, h) / (sd(a) √(var(h) − mean s²)), clipped to ±1."""
    rmse: Floats
    rmse_adjusted: Floats
    """√max(0, mean (h − a)² − mean s²): the error about the true effects."""
    intercept: Floats
    slope: Floats
    """Of h on a: multiply predictions by it."""
    slope_adjusted: Floats
    """Slope / λ with λ = 1 − mean(e²) / var(a); equal to the slope where e is unknown."""
    size_ratio: Floats
    """√(mean(a² − e²) / mean(h² − s²)): above 1, predicted effects are larger than people's."""


def predicted_effects(
    human: ArrayLike,
    agent: ArrayLike,
    *,
    human_se: ArrayLike,
    agent_se: ArrayLike | None = None,
    shared: tuple[float, float] = (0.0, 0.0),
    ranks: tuple[Floats, Floats] | None = None,
) -> EffectAgreement:
    r"""Compute how well predicted effects agree with measured ones; variances divide by m - 1.

    .. math:: r_{adj} = \frac{\mathrm{cov}(a, h)}{\mathrm{sd}(a) \sqrt{\mathrm{var}(h) - \overline{s^2}}}
    """
    exact = agent_se is None
    arrays = (human, agent, human_se, 0.0 if agent_se is None else agent_se)
    try:
        h, a, s, e = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in arrays))
    except ValueError:
        raise OptionError("effects and their standard errors need one length") from None
    if (s < 0).any() or (e < 0).any():
        raise OptionError("a standard error is negative")
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = (mean_ranks(h), mean_ranks(a)) if ranks is None else ranks
        return _agreement(h, a, s, e, exact=exact, shared=shared, spearman=_spearman(x, y))


def effects_pearson(human: Floats, agent: Floats) -> float:
    """Compute the correlation of measured and predicted effects alone; NaN where it is undefined."""
    if human.size < MIN_PAIRS:
        return float("nan")
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(_correlated(*_spread(human, agent)))


def _spread(h: Floats, a: Floats) -> tuple[Floats, Floats, Floats]:
    """Return both variances and the covariance."""
    m = h.shape[-1]
    dh, da = h - _pair_mean(h), a - _pair_mean(a)
    var_h, var_a = _pair_total(dh**2) / (m - 1), _pair_total(da**2) / (m - 1)
    # rounding of the mean must not give a constant a variance
    var_h, var_a = (np.where(np.ptp(x, axis=-1) == 0, 0.0, var) for x, var in ((h, var_h), (a, var_a)))
    return var_h, var_a, _pair_total(dh * da) / (m - 1)


def _correlated(var_h: Floats, var_a: Floats, cov: Floats) -> Floats:
    return _defined(cov / np.sqrt(var_h * var_a), (var_h > 0) & (var_a > 0))


def _agreement(
    h: Floats, a: Floats, s: Floats, e: Floats, *, exact: bool, shared: tuple[float, float], spearman: Floats
) -> EffectAgreement:
    m = h.shape[-1]
    few = m < MIN_PAIRS
    var_h, var_a, cov = _spread(h, a)
    noise_h, noise_a = _squares(s), _squares(e)
    slope = _defined(cov / var_a, var_a > 0)
    apart_h, apart_a = noise_h - shared[0], noise_a - shared[1]
    reliability = 1 - apart_a / var_a
    squares = _squares(h - a)
    signal_h, signal_a = _squares(h) - noise_h, _squares(a) - noise_a
    numbers = {
        "direction": _pair_total(np.where(a == 0, 0.5, np.sign(h) == np.sign(a))) / m,
        "all_positive": _pair_total(np.where(h > 0, 1.0, 0.0)) / m,
        "pearson": _correlated(var_h, var_a, cov),
        "spearman": spearman,
        "pearson_adjusted": _defined(
            np.clip(cov / np.sqrt(var_a * (var_h - apart_h)), -1, 1), (var_h > apart_h) & (var_a > 0)
        ),
        "rmse": np.sqrt(squares),
        "rmse_adjusted": np.sqrt(np.maximum(0.0, squares - noise_h)),
        "intercept": h.mean(axis=-1) - slope * a.mean(axis=-1),
        "slope": slope,
        "slope_adjusted": slope if exact else _defined(slope / reliability, reliability > 0),
        "size_ratio": _defined(np.sqrt(signal_a / signal_h), (signal_h > 0) & (signal_a >= 0)),
    }
    return EffectAgreement(**{name: _defined(value, not few) for name, value in numbers.items()})


def _pair_mean(values: Floats) -> Floats:
    return np.asarray(values.mean(axis=-1, keepdims=True))


def _pair_total(values: Floats) -> Floats:
    return np.asarray(values.sum(axis=-1))


def _squares(values: Floats) -> Floats:
    return np.asarray((values**2).mean(axis=-1))


def _defined(values: Floats, where: object) -> Floats:
    return np.where(np.asarray(where), values, np.nan)


def _spearman(x: Floats, y: Floats) -> Floats:
    x, y = x - _pair_mean(x), y - _pair_mean(y)
    norm = np.sqrt(_pair_total(x**2) * _pair_total(y**2))
    return _defined(_pair_total(x * y) / norm, norm > 0)


def control_error(
    se: float, given: float | None, control_n: float | None, n: float | None
) -> tuple[float, bool]:
    """Return the SE of a control group's mean (1 - n_c/n of SE²), and whether equal groups were supposed."""
    if given is not None:
        return given, False
    if control_n is not None and n is not None and control_n < n:
        return se * math.sqrt(1 - control_n / n), False
    return se / math.sqrt(2), True


def log_bf_unit_information(estimate: ArrayLike, se: ArrayLike, unit_sd: ArrayLike) -> Floats:
    """Compute the log Bayes factor of an effect, from an estimate and its standard error."""
    z, n = _z_and_size(estimate, se, unit_sd)
    return np.asarray((z * z * n / (n + 1) - np.log1p(n)) / 2)


def prob_positive_unit_information(estimate: ArrayLike, se: ArrayLike, unit_sd: ArrayLike) -> Floats:
    """Compute how probable a positive effect is where there is one: Φ(z √(n/(n + 1)))."""
    z, n = _z_and_size(estimate, se, unit_sd)
    return np.asarray(special.ndtr(z * np.sqrt(n / (n + 1))))


def _z_and_size(estimate: ArrayLike, se: ArrayLike, unit_sd: ArrayLike) -> tuple[Floats, Floats]:
    b, s, sd = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in (estimate, se, unit_sd)))
    usable = (s > 0) & (sd > 0)
    s, sd = np.where(usable, s, np.nan), np.where(usable, sd, np.nan)
    return np.asarray(b / s), np.asarray((sd / s) ** 2)
