r"""The distribution of true effects behind published ones, drawn rather than estimated.

.. math:: w_+ N(\mu, \tau^2) + w_- N(-\mu, \tau^2) + w_W N(0, \omega^2) + w_0 \delta_0

The mirror takes effects whose orientation is arbitrary, the wide part outliers. Weights, μ, τ and ω are drawn
by Gibbs sampling with the true effects integrated out, so that their uncertainty reaches every drawn effect.
Many short chains run side by side; visited states are kept, a byte per effect.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.errors import OptionError
from concord.stats.elementwise import Floats
from concord.stats.resample import seeds

CHAINS, FEWEST_CHAINS, CELLS = 64, 8, 6000
"""Chains in all, fewer where chains x tests would exceed CELLS; draws come from all of them in turn."""
GROUPS = 4
"""Groups of chains, each with its own seed and burn-in, where more than STATES rows are wanted: they may run
in processes of their own, and their number does not depend on how many those are."""
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
    sums: Floats
    """a, a d² and log a side by side, tests x 3 grids: their sums over effects are one product."""
    log_prior: Floats
    """Log prior of the grid of τ: half-Cauchy-like around the typical error, times the width of its cells."""
    log_wide: Floats
    """Log density of every effect under the wide part, tests x grid of ω."""

    @classmethod
    def of(cls, d: Floats, v: Floats) -> "_Data":
        a = 1 / (v[:, None] + TAUS**2)
        typical = 1 / float(np.mean(1 / v))
        log_prior = np.log(np.gradient(TAUS)) - np.log(typical + TAUS**2)
        variance = v[:, None] + OMEGAS**2
        log_wide = np.asarray(-0.5 * (d[:, None] ** 2 / variance + np.log(2 * np.pi * variance)))
        sums = np.concatenate([a, a * d[:, None] ** 2, np.log(a)], axis=1)
        return cls(d, v, a, sums, log_prior, log_wide)


@dataclass(frozen=True, slots=True, eq=False)
class EffectStates:
    """States that chains visited: from each of them any number of rows of true effects can be drawn."""

    d: Floats
    v: Floats
    parts: NDArray[np.int8]
    """Which part every effect belongs to, steps x chains x tests."""
    mu: Floats
    tau2: Floats
    omega2: Floats
    """Steps x chains x 1."""

    @classmethod
    def beside(cls, groups: "Sequence[EffectStates]") -> "EffectStates":
        """Join groups of chains of the same length."""
        joined = (
            np.concatenate([getattr(group, name) for group in groups], axis=1)
            for name in ("parts", "mu", "tau2", "omega2")
        )
        return cls(groups[0].d, groups[0].v, *joined)

    def draw(self, rows: NDArray[np.intp], rng: np.random.Generator) -> Floats:
        """Draw true effects, one row for each number: from all chains in turn, and anew after the last."""
        steps, chains = self.parts.shape[:2]
        at = np.divmod(rows % (steps * chains), chains)
        z, mu, tau2, omega2 = (values[at] for values in (self.parts, self.mu, self.tau2, self.omega2))
        centre = np.where(z == POSITIVE, mu, np.where(z == NEGATIVE, -mu, 0.0))
        spread = np.where(z <= NEGATIVE, tau2, np.where(z == WIDE, omega2, 0.0))
        total = self.v + spread
        mean = (self.d * spread + centre * self.v) / total
        noise = rng.standard_normal(z.shape) * np.sqrt(spread * self.v / total)
        return np.where(z == NULL, 0.0, mean + noise)


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """A group of chains that runs by itself, with its own seed and its own burn-in."""

    d: Floats
    v: Floats
    n_chains: int
    n_steps: int
    """States of each chain that are kept."""
    burn_in: int
    seed: np.random.SeedSequence
    borders: Floats | None = None
    """Sizes beyond which effects are published for sure; None where all are published alike."""

    def run(self) -> EffectStates:
        """Run the chains side by side, and return what they visited after the burn-in."""
        rng, data = np.random.default_rng(self.seed), _Data.of(self.d, self.v)
        if self.borders is not None:
            return _selected_states(self, data, rng)
        z = np.broadcast_to(_start(data.d), (self.n_chains, data.d.size))
        kept: list[tuple[NDArray[np.int8] | Floats, ...]] = []
        for step in range(self.burn_in + self.n_steps):
            mu, tau2, omega2 = _sizes(data, z, rng)
            codes = z + 4 * np.arange(len(z))[:, None]
            gammas = rng.standard_gamma(
                WEIGHTS_PRIOR + np.bincount(codes.reshape(-1), minlength=4 * len(z)).reshape(-1, 4)
            )
            with np.errstate(divide="ignore"):  # a weight that underflows is a part that is not drawn
                log_w = np.log(gammas / gammas.sum(axis=1, keepdims=True))
            z = _drawn_parts(data, log_w, mu, tau2, omega2, rng)
            if step >= self.burn_in:
                kept.append((z, mu, tau2, omega2))
        return EffectStates(self.d, self.v, *(np.stack(column) for column in zip(*kept, strict=True)))


def groups_of_chains(
    d: Floats,
    se: Floats,
    *,
    n_draws: int,
    seed: np.random.SeedSequence,
    n_chains: int | None = None,
    burn_in: int = BURN_IN,
    borders: Floats | None = None,
) -> list[Chains]:
    """Return the groups of chains behind draws of true effects; chains of a given number are one group."""
    groups = GROUPS if n_chains is None and n_draws > STATES else 1
    wanted = int(np.clip(CELLS // d.size, FEWEST_CHAINS, CHAINS)) if n_chains is None else n_chains
    each = wanted // groups
    steps = -(-min(n_draws, STATES) // (each * groups))
    return [Chains(d, se**2, each, steps, burn_in, own, borders) for own in seed.spawn(groups)]


def draw_true_effects(
    effects: ArrayLike,
    standard_errors: ArrayLike,
    *,
    n_draws: int,
    rng: np.random.Generator,
    n_chains: int | None = None,
    burn_in: int = BURN_IN,
) -> Floats:
    """Draw true effects given published ones (on the scale of d), with their distribution unknown.

    A test without an effect (NaN) gets NaN. `burn_in` iterations of each of `n_chains` are thrown away.

    References
    ----------
    Stephens (2017), Biostatistics, 18, 275-294 (mixtures of true effects with known errors).
    Gelman (2006), Bayesian Analysis, 1, 515-533.

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
        options: dict[str, Any] = {"n_chains": n_chains, "burn_in": burn_in, "seed": seeds(rng, 1)[0]}
        groups = groups_of_chains(d[known], se[known], n_draws=n_draws, **options)
        states = EffectStates.beside([group.run() for group in groups])
        drawn[:, known] = states.draw(np.arange(n_draws), rng)
    return drawn


def _start(d: Floats) -> NDArray[np.int8]:
    """All positive, or by sign where signs are mixed."""
    mixed = abs(float(d.mean())) < _MIXED * float(np.abs(d).mean())
    return np.where(mixed & (d < 0), NEGATIVE, POSITIVE).astype(np.int8)


def _sizes(data: _Data, z: NDArray[np.int8], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Draw μ, τ² and ω² of every chain, the true effects integrated out."""
    held = (z <= NEGATIVE).astype(np.float64)
    flipped = np.where(z == NEGATIVE, -data.d, data.d) * held
    precisions, squares, logs = np.split(held @ data.sums, 3, axis=1)
    total, b = precisions + 1 / CENTRE_SD**2, flipped @ data.a
    heights = 0.5 * (logs - (squares - b * b / total) - np.log(total))
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
) -> NDArray[np.int8]:
    """Draw which part every effect belongs to."""
    near, wide = data.v + tau2, data.v + omega2
    level = -0.5 * np.log(near)
    first = level - 0.5 * (data.d - mu) ** 2 / near + log_w[:, POSITIVE, None]
    second = level - 0.5 * (data.d + mu) ** 2 / near + log_w[:, NEGATIVE, None]
    third = -0.5 * (data.d**2 / wide + np.log(wide)) + log_w[:, WIDE, None]
    fourth = -0.5 * (data.d**2 / data.v + np.log(data.v)) + log_w[:, NULL, None]
    top = np.maximum(np.maximum(first, second), np.maximum(third, fourth))
    for part in (first, second, third, fourth):
        part -= top
        np.exp(part, out=part)
    # the sums up to each part, in order: an effect is of the first part whose sum reaches its share of all
    second += first
    third += second
    fourth += third
    fourth *= rng.random(fourth.shape)
    return (first < fourth).view(np.int8) + (second < fourth).view(np.int8) + (third < fourth).view(np.int8)


SELECTED_CHAINS, PARAMETERS, _MOVED, _NEAR, _STAGE = 64, 8, 0.6, 0.02, 5
"""Of selected effects: chains, parameters, moves by differences and by chance, steps of a stage."""
_LOWEST_TAU = 0.003
_LIMITS = np.log([[_LOWEST_TAU, TAUS[-1]], [OMEGAS[0], OMEGAS[-1]]])


@dataclass(frozen=True, slots=True, eq=False)
class _Selected:
    """The population of effects of which the significant ones are published, others with a chance of η.

    Given the population, what an effect is published for says nothing more about it: the selection is in the
    observed effect alone. So it is the distribution that has to be freed of it, by its truncated likelihood
    (Andrews & Kasy 2019, American Economic Review, 109, 2766-2794), and not each effect a second time.
    """

    data: _Data
    borders: Floats

    def log_parts(self, x: Floats) -> tuple[Floats, Floats]:
        """Return log prior and log likelihood of every chain's parameters (C, 8), up to constants.

        Logs of four gammas (the weights), μ, log τ, log ω, logit η.
        """
        d, v = self.data.d, self.data.v
        gammas, mu, tau2, omega2, eta = _parameters(x)
        w = gammas / gammas.sum(axis=1, keepdims=True)
        sd = np.sqrt(np.stack([v + tau2, v + omega2, np.broadcast_to(v, (len(x), v.size))]))  # (3, C, T)
        away = np.stack([(d - mu) / sd[0], (d + mu) / sd[0], d / sd[1], d / sd[2]])
        heights = np.exp(-0.5 * away * away) / sd[[0, 0, 1, 2]] * w.T[..., None]
        up = special.ndtr(np.stack([(mu - self.borders) / sd[0], (-mu - self.borders) / sd[0]])).sum(axis=0)
        outer = 2 * special.ndtr(-self.borders / sd[1:])
        chance = (w[:, 0] + w[:, 1])[:, None] * up + w[:, 2, None] * outer[0] + w[:, 3, None] * outer[1]
        hidden = int((np.abs(d) <= self.borders).sum())
        with np.errstate(divide="ignore"):
            found = np.log(heights.sum(axis=0)) - np.log(chance + eta * (1 - chance))
            likely = found.sum(axis=1) + hidden * np.log(eta[:, 0])
        prior = (
            (WEIGHTS_PRIOR * x[:, :4] - gammas).sum(axis=1)
            - 0.5 * (mu[:, 0] / CENTRE_SD) ** 2
            + x[:, 5]
            - np.log(1 / float(np.mean(1 / v)) + tau2[:, 0])
            + np.log(eta[:, 0] * (1 - eta[:, 0]))
        )
        inside = ((x[:, 5:7] >= _LIMITS[:, 0]) & (x[:, 5:7] <= _LIMITS[:, 1])).all(axis=1)
        return np.where(inside, prior, -np.inf), np.where(np.isfinite(likely), likely, -1e6)

    def start(self, n: int, rng: np.random.Generator) -> Floats:
        """Return where chains begin: draws from the prior, τ from where most of it is."""
        x = np.empty((n, PARAMETERS))
        x[:, :4] = np.log(np.maximum(rng.standard_gamma(WEIGHTS_PRIOR + 0.5, (n, 4)), 1e-12))
        x[:, 4] = CENTRE_SD * rng.standard_normal(n)
        x[:, 5] = rng.uniform(np.log(0.05), 0.0, n)
        x[:, 6] = rng.uniform(_LIMITS[1, 0], _LIMITS[1, 1], n)
        x[:, 7] = rng.logistic(size=n)
        return x


def _parameters(x: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return gammas (C, 4) and μ, τ², ω², η (C, 1) of chains."""
    tau2, omega2 = np.exp(2 * x[:, 5:6]), np.exp(2 * x[:, 6:7])
    return np.exp(np.minimum(x[:, :4], 50.0)), x[:, 4:5], tau2, omega2, special.expit(x[:, 7:8])


def _selected_states(chains: Chains, data: _Data, rng: np.random.Generator) -> EffectStates:
    """Run chains by differences of one another (ter Braak 2006, Statistics and Computing, 16, 239-249)."""
    # The likelihood is let in step by step, and chains are drawn anew by how well they fit each time, so that
    # none stays behind (Del Moral et al. 2006, JRSS B, 68, 411-436).
    assert chains.borders is not None  # noqa: S101 - asked for
    density, n = _Selected(data, chains.borders), chains.n_chains
    x = density.start(n, rng)
    prior, likely = density.log_parts(x)
    halves = (np.arange(n // 2), np.arange(n // 2, n))
    kept: list[tuple[NDArray[np.int8] | Floats, ...]] = []
    weight = 0.0
    for step in range(chains.burn_in + chains.n_steps):
        if weight < 1 and step % _STAGE == 0:
            weight, before = min(1.0, 2 * step / chains.burn_in) ** 3, weight
            up_to = np.cumsum(np.exp((weight - before) * (likely - likely.max())))
            again = np.searchsorted(up_to, (np.arange(n) + rng.random()) / n * up_to[-1])
            again = rng.permutation(np.minimum(again, n - 1))
            x, prior, likely = x[again], prior[again], likely[again]
        for own, others in (halves, halves[::-1]):
            pair = x[others[rng.integers(0, len(others), (2, len(own)))]]
            far = 1.0 if step % 10 == 9 else _MOVED
            tried = x[own] + far * (pair[0] - pair[1]) + _NEAR * rng.standard_normal((len(own), PARAMETERS))
            found = density.log_parts(tried)
            rise = found[0] - prior[own] + weight * (found[1] - likely[own])
            moves = np.log(rng.random(len(own))) < rise
            at = own[moves]
            x[at], prior[at], likely[at] = tried[moves], found[0][moves], found[1][moves]
        if step >= chains.burn_in:
            gammas, mu, tau2, omega2, _ = _parameters(x)
            log_w = np.log(gammas / gammas.sum(axis=1, keepdims=True))
            kept.append((_drawn_parts(data, log_w, mu, tau2, omega2, rng), mu, tau2, omega2))
    return EffectStates(chains.d, chains.v, *(np.stack(column) for column in zip(*kept, strict=True)))
