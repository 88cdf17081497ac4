r"""The distribution of true effects behind published ones, drawn rather than estimated.

A true effect is positive or negative around a common size, an outlier, or nothing:

.. math:: w_+ N(\mu, \tau^2) + w_- N(-\mu, \tau^2) + w_W N(0, \omega^2) + w_0 \delta_0

The mirror takes effects whose orientation is arbitrary, the wide part takes outliers. Weights, μ, τ and ω are
drawn by Gibbs sampling with the true effects integrated out, so that the uncertainty of the whole
distribution reaches every drawn effect. Many short chains run side by side in one array.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.errors import OptionError
from concord.stats.elementwise import Floats

CHAINS, FEWEST_CHAINS, CELLS = 64, 8, 6000
"""Chains side by side, fewer where chains x tests would exceed CELLS; draws come from all of them in turn."""
STATES = 4000
"""States of the chains that are kept at most; beyond as many draws each state gives several rows."""
BURN_IN = 150
WEIGHTS_PRIOR = np.array([0.5, 0.5, 0.2, 0.1])
"""Dirichlet prior of the weights: positive, negative, wide, null."""
CENTRE_SD = 0.5
"""Prior standard deviation of μ."""
TAUS = np.concatenate([[0.0], np.geomspace(0.03, 3.0, 23)])
OMEGAS = np.geomspace(0.7, 5.0, 8)
POSITIVE, NEGATIVE, WIDE, NULL = range(4)
_MIXED = 0.6
"""Where the mean effect is smaller than this share of the mean size, orientation is taken as arbitrary."""


@dataclass(frozen=True, slots=True)
class _Data:
    """Effects with their sampling variances, and what does not change from one iteration to the next."""

    d: Floats
    v: Floats
    a: Floats
    """1/(v + τ²), tests x grid."""
    log_prior: Floats
    """Log prior of the grid of τ: half-Cauchy-like around the typical error, times the width of its cells."""
    log_wide: Floats
    """Log density of every effect under the wide part, tests x grid of ω."""

    @classmethod
    def of(cls, d: Floats, v: Floats) -> "_Data":
        a = 1 / (v[:, None] + TAUS**2)
        typical = 1 / float(np.mean(1 / v))
        log_prior = np.log(np.gradient(TAUS)) - np.log(typical + TAUS**2)
        return cls(d, v, a, log_prior, _log_normal(d[:, None], 0.0, v[:, None] + OMEGAS**2))


def _log_normal(x: Floats, mean: Floats | float, variance: Floats) -> Floats:
    return np.asarray(-0.5 * ((x - mean) ** 2 / variance + np.log(2 * np.pi * variance)))


def draw_true_effects(
    effects: ArrayLike,
    standard_errors: ArrayLike,
    *,
    n_draws: int,
    rng: np.random.Generator,
    n_chains: int | None = None,
    burn_in: int = BURN_IN,
) -> Floats:
    """Draw true effects given published ones, with the distribution they come from unknown.

    Parameters
    ----------
    effects, standard_errors
        One of each per test, on one scale (d). NaN: the test has no effect and gets NaN.
    n_draws
        Rows of the answer.
    rng
        Source of randomness. No default: a run must be repeatable. The chains run once, before the draws are
        handed out, so that no engine changes a digit.
    n_chains, burn_in
        Chains side by side (64, fewer for many tests), and iterations of each that are thrown away.

    Returns
    -------
    array
        Draws by tests.

    Raises
    ------
    OptionError
        A standard error that is not positive, or arrays of different length.

    References
    ----------
    Stephens, M. (2017). False discovery rates: a new deal. Biostatistics, 18, 275-294 (mixtures of true
    effects with known errors). Gelman, A. (2006). Prior distributions for variance parameters in hierarchical
    models. Bayesian Analysis, 1, 515-533.

    Examples
    --------
    >>> g = np.random.default_rng(1)
    >>> seen = np.full(24, 0.45) + g.normal(0, 0.2, 24)
    >>> draws = draw_true_effects(seen, np.full(24, 0.2), n_draws=400, rng=np.random.default_rng(2))
    >>> draws.shape, bool(draws.std() < seen.std())
    ((400, 24), True)
    """
    d, se = np.asarray(effects, dtype=np.float64), np.asarray(standard_errors, dtype=np.float64)
    if d.shape != se.shape or d.ndim != 1 or n_draws < 1 or burn_in < 0:
        raise OptionError(
            "true effects need one effect and one standard error per test, and at least one draw"
        )
    known = ~(np.isnan(d) | np.isnan(se))
    if (se[known] <= 0).any() or not np.isfinite(d[known]).all():
        raise OptionError("true effects need finite effects and positive standard errors")
    drawn = np.full((n_draws, d.size), np.nan)
    if known.any():
        data = _Data.of(d[known], se[known] ** 2)
        chains = int(np.clip(CELLS // data.d.size, FEWEST_CHAINS, CHAINS)) if n_chains is None else n_chains
        drawn[:, known] = _chains(data, n_draws, rng, chains, burn_in)
    return drawn


def _chains(data: _Data, n_draws: int, rng: np.random.Generator, n_chains: int, burn_in: int) -> Floats:
    """Run chains side by side, and take a row of true effects from each in turn."""
    z = np.broadcast_to(_start(data.d), (n_chains, data.d.size)).copy()
    kept: list[Floats] = []
    each = -(-n_draws // STATES)
    steps = -(-n_draws // (n_chains * each))
    for step in range(burn_in + steps):
        mu, tau2, omega2 = _sizes(data, z, rng)
        counts = np.stack([(z == part).sum(axis=1) for part in range(4)], axis=1)
        gammas = rng.standard_gamma(WEIGHTS_PRIOR + counts)
        with np.errstate(divide="ignore"):  # a weight that underflows is a part that is not drawn
            log_w = np.log(gammas / gammas.sum(axis=1, keepdims=True))
        z = _drawn_parts(data, log_w, mu, tau2, omega2, rng)
        if step >= burn_in:
            kept += [_effects(data, z, mu, tau2, omega2, rng) for _ in range(each)]
    return np.concatenate(kept)[:n_draws]


def _start(d: Floats) -> NDArray[np.intp]:
    """All positive, or by sign where signs are mixed."""
    mixed = abs(float(d.mean())) < _MIXED * float(np.abs(d).mean())
    return np.where(mixed & (d < 0), NEGATIVE, POSITIVE).astype(np.intp)


def _sizes(data: _Data, z: NDArray[np.intp], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Draw μ, τ² and ω² of every chain, the true effects integrated out."""
    held = (z <= NEGATIVE).astype(np.float64)
    flipped = np.where(z == NEGATIVE, -data.d, data.d) * held
    total = held @ data.a + 1 / CENTRE_SD**2
    b = flipped @ data.a
    squares = held @ (data.a * data.d[:, None] ** 2)
    heights = 0.5 * (held @ np.log(data.a)) - 0.5 * (squares - b * b / total) - 0.5 * np.log(total)
    j = _pick(heights + data.log_prior, rng)
    chain = np.arange(len(z))
    mean, precision = b[chain, j] / total[chain, j], total[chain, j]
    mu = mean + rng.standard_normal(len(z)) / np.sqrt(precision)
    k = _pick((z == WIDE).astype(np.float64) @ data.log_wide, rng)
    return mu[:, None], TAUS[j][:, None] ** 2, OMEGAS[k][:, None] ** 2


def _pick(heights: Floats, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw one column of every row with probabilities proportional to e^height."""
    up_to = np.cumsum(np.exp(heights - heights.max(axis=-1, keepdims=True)), axis=-1)
    below = up_to < (rng.random(heights.shape[:-1]) * up_to[..., -1])[..., None]
    return np.asarray(np.minimum(below.sum(axis=-1), heights.shape[-1] - 1), dtype=np.intp)


def _drawn_parts(
    data: _Data, log_w: Floats, mu: Floats, tau2: Floats, omega2: Floats, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw which part every effect belongs to."""
    near, wide = data.v + tau2, data.v + omega2
    level = -0.5 * np.log(near)
    heights = np.empty((*near.shape, 4))
    heights[..., POSITIVE] = level - 0.5 * (data.d - mu) ** 2 / near
    heights[..., NEGATIVE] = level - 0.5 * (data.d + mu) ** 2 / near
    heights[..., WIDE] = -0.5 * (data.d**2 / wide + np.log(wide))
    heights[..., NULL] = -0.5 * (data.d**2 / data.v + np.log(data.v))
    heights += log_w[:, None, :]
    return _pick(heights, rng)


def _effects(
    data: _Data, z: NDArray[np.intp], mu: Floats, tau2: Floats, omega2: Floats, rng: np.random.Generator
) -> Floats:
    """Draw the true effect of every test given its part."""
    centre = np.where(z == POSITIVE, mu, np.where(z == NEGATIVE, -mu, 0.0))
    spread = np.where(z <= NEGATIVE, tau2, np.where(z == WIDE, omega2, 0.0))
    total = data.v + spread
    mean = (data.d * spread + centre * data.v) / total
    noise = rng.standard_normal(z.shape) * np.sqrt(spread * data.v / total)
    return np.where(z == NULL, 0.0, mean + noise)
