"""Many agents on the same studies (A by K values or pseudo-values): do any differ, which may be best."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc, gammaln, nctdtrinc, ndtr, stdtr, stdtrit

from concord.records import Estimate, Interval
from concord.stats.elementwise import Bools, Floats
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.pvalues import mean_ranks

POWER = 0.8
"""With which a difference would have been found that is called large enough to be found."""
GUARDED_FROM = 12
"""Studies from which on the guarded range keeps its error rate; below it Holm's adjustment is used."""
GUARDED_BELOW = 20
"""Studies from which on Holm's adjustment finds nearly as much (15 agents: 15.8 pairs, it finds 18.1)."""
GUARDED_AGENTS = range(8, 81)
"""Numbers of agents with which it keeps its error rate: equal ones were told apart in 6.4 % of sets of 3,
5.6 % of 6 and (12 studies) 6.0 % of 120 agents, but in 3.6 to 5.2 % (± 0.3) of sets of 8 to 80."""
N_BOOT = 1000
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Omnibus:
    """Whether agents differ at all, before any pair of them is looked at."""

    p_value: float | None
    """Friedman's."""
    p_f: float | None
    """F of agents by studies, its degrees of freedom times Greenhouse and Geisser's epsilon."""
    epsilon: float | None
    n_agents: int
    n_studies: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What choosing the best agent is worth: chosen on all studies but one, scored on that one, for each."""

    agent: str | None
    """The best on all studies."""
    value: float | None
    """Mean over studies of the agent that the other studies would have chosen."""
    low: float | None
    high: float | None
    own: float | None
    """The number of the best on the studies it was chosen on."""
    mean: float | None
    """Of all agents."""
    luck: float | None
    """Share of its lead over the mean that choosing made: (own − value)/(own − mean), within 0 and 1."""
    n_same: int
    """Studies without which the same agent is chosen."""
    n_studies: int
    note: str = ""
    lead_low: float | None = None
    """Of value minus mean, both on studies that did not choose it."""
    lead_high: float | None = None

    @property
    def leads(self) -> bool:
        """Whether not all of its lead is luck: it lies above the mean of all where it was not chosen."""
        return self.lead_low is not None and self.lead_low > 0

    def estimates(self, level: float) -> tuple[Estimate, Estimate]:
        """Return the number of one chosen so, and its lead over the mean of all, with their intervals."""
        method = "nested: chosen without each part in turn, scored on it; ± over resampled parts"
        lead = None if self.value is None or self.mean is None else self.value - self.mean
        found = ((self.value, self.low, self.high), (lead, self.lead_low, self.lead_high))
        first, second = (
            Estimate(
                value,
                None if low is None or high is None else Interval(low, high, level, method),
                self.n_studies,
                note=self.note,
            )
            for value, low, high in found
        )
        return first, second


def omnibus(values: Floats) -> Omnibus:
    """Friedman's χ², and F of agents with residuals over studies: F = K Σ(x̄ₐ − x̄)²(K − 1)/Σr²."""
    a, k = values.shape
    if a < 2 or k < FEWEST_CLUSTERS:
        return Omnibus(None, None, None, a, k, _too_few(a, k))
    centred = values - values.mean(axis=0)
    effect = centred.mean(axis=1)
    residual = centred - effect[:, None]
    total = float((residual**2).sum())
    ranks = mean_ranks(values.T).T
    spread = float(((ranks - (a + 1) / 2) ** 2).sum())
    if total <= 1e-24 * max(1.0, float((values**2).sum())) or spread == 0:
        return Omnibus(None, None, None, a, k, "undefined: agents do not vary between studies")
    friedman = k**2 * (a - 1) * float(((ranks.mean(axis=1) - (a + 1) / 2) ** 2).sum()) / spread
    gram = residual @ residual.T if a <= k else residual.T @ residual
    epsilon = total**2 / ((a - 1) * float((gram**2).sum()))
    f = k * float((effect**2).sum()) * (k - 1) / total
    p_f = float(fdtrc(epsilon * (a - 1), epsilon * (a - 1) * (k - 1), f))
    p_friedman = float(chdtrc(a - 1, friedman))
    return Omnibus(p_friedman, p_f, min(1.0, epsilon), a, k)


def _too_few(agents: int, studies: int) -> str:
    if agents < 2:
        return "undefined: fewer than two agents have it"
    return f"undefined: {studies} studies that all agents have, at least {FEWEST_CLUSTERS} are needed"


def may_be_best(difference: Floats, se: Floats, df: Floats, *, level: float) -> Bools:
    """Return the agents that may be best, given all differences (A, A), row minus column."""
    # An agent is left out where another is higher, one-sided t with Bonferroni over the A − 1 others: the
    # best one is in with at least the level.
    with np.errstate(invalid="ignore", divide="ignore"):
        p = stdtr(np.maximum(df, 1), difference / se)
    return np.asarray(~(p * max(1, len(p) - 1) < 1 - level).any(axis=1))


def smallest_found(se: Floats, df: Floats, alpha: float) -> Floats:
    """Return the differences that a two-sided t test at alpha finds with a power of 80 %."""
    df = np.maximum(df, 1)
    return np.asarray(nctdtrinc(df, 1 - POWER, stdtrit(df, 1 - alpha / 2)) * se)


def studies_needed(
    se: float, k: int, difference: float, n_pairs: int, *, level: float, lost_df: int, most: int = 9_999
) -> int | None:
    """Return how many such studies find a difference with 80 %, by Holm's first step; None above `most`."""
    sizes = np.unique(np.round(np.geomspace(lost_df + 2, most, 400))).astype(np.intp)
    found = smallest_found(
        se * np.sqrt(k / sizes), (sizes - lost_df).astype(np.float64), (1 - level) / n_pairs
    )
    enough = np.flatnonzero(found <= abs(difference))
    return int(sizes[enough[0]]) if enough.size else None


class _Range(NamedTuple):
    """P(range of A standard normals > r) on a grid, which a studentised range is made of."""

    r: Floats
    beyond: Floats


def _normal_range(a: int) -> _Range:
    """P(range > r) = 1 − A ∫ φ(z)(Φ(z) − Φ(z − r))^(A − 1) dz."""
    z, r = np.linspace(-8, 8, 321), np.linspace(0, 16, 400)
    weight = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    inside = np.clip(ndtr(z) - ndtr(z - r[:, None]), 0.0, 1.0) ** (a - 1) @ weight
    return _Range(r, np.clip(1 - a * inside, 0.0, 1.0))


def studentised_range(q: Floats, a: int, df: Floats) -> Floats:
    """P(Q > q) of the studentised range of A means, elementwise in q and df."""
    table = _normal_range(a)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    half = df / 2
    # s = √(χ²/df) within eight of its standard deviations
    low, high = np.maximum(1e-6, 1 - 8 / np.sqrt(2 * df)), 1 + 8 / np.sqrt(2 * df)
    s = low[..., None] + (high - low)[..., None] * (nodes + 1) / 2
    d = df[..., None]
    log_density = (
        d / 2 * np.log(d)
        - gammaln(half)[..., None]
        - (d / 2 - 1) * np.log(2.0)
        + (d - 1) * np.log(s)
        - d * s**2 / 2
    )
    part = np.exp(log_density) * weights * ((high - low) / 2)[..., None]
    return np.asarray((part * np.interp(q[..., None] * s, table.r, table.beyond)).sum(axis=-1))


def is_guarded(agents: int, studies: int) -> bool:
    """Whether the guarded range keeps its error rate with so many agents and studies, and finds more."""
    return agents in GUARDED_AGENTS and GUARDED_FROM <= studies < GUARDED_BELOW


def guarded_p(values: Floats) -> Floats:
    """Return p-values (A, A) of all differences of means by the guarded studentised range."""
    # SE² = max(variance of the pair's differences, vₐ + v_b)/K, where vₐ is an agent's variance about the
    # means of studies; Satterthwaite's degrees of freedom.
    a, k = values.shape
    residual = values - values.mean(axis=0)
    residual = residual - residual.mean(axis=1, keepdims=True)
    gram = residual @ residual.T / (k - 1)
    own = np.diag(gram)
    both = own[:, None] + own
    se2 = np.maximum(both - 2 * gram, both) / k
    difference = values.mean(axis=1)[:, None] - values.mean(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        df = (k - 1) * both**2 / (own[:, None] ** 2 + own**2)
        q = np.abs(difference) / np.sqrt(se2 / 2)
    known = np.isfinite(q) & np.isfinite(df)
    p = np.full(q.shape, np.nan)
    p[known] = studentised_range(q[known], a, df[known])
    return p


def choosing(values: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return the nested estimate of each row of counts (B, K) of studies, and whom other studies choose."""
    size = counts.sum(axis=1, keepdims=True)
    rest = size - counts
    total = counts @ values.T
    with np.errstate(invalid="ignore", divide="ignore"):
        left = (total[:, :, None] - counts[:, None, :] * values) / rest[:, None, :]
    picked = np.argmax(np.where(np.isnan(left), -np.inf, left), axis=1)
    scored = np.take_along_axis(values[None], picked[:, None, :], axis=1)[:, 0]
    usable = (counts > 0) & (rest > 0)
    n = np.where(usable, counts, 0.0).sum(axis=1)
    nested = np.where(usable, counts * scored, 0.0).sum(axis=1)
    return np.divide(nested, n, out=np.full(len(n), np.nan), where=n > 0), picked


def value_of_choosing(
    names: tuple[str, ...], values: Floats, own_reach: Floats, *, level: float, rng: np.random.Generator
) -> Chosen:
    """Return the nested leave-one-study-out estimate, ± t·SD over resampled studies."""
    # `own_reach` is half the width of each agent's own interval; the chosen one's is the least that is shown.
    a, k = values.shape
    if a < 2 or k < FEWEST_CLUSTERS:
        return Chosen(None, None, None, None, None, None, None, 0, k, _too_few(a, k))
    nested, picked = choosing(values, np.ones((1, k)))
    means = values.mean(axis=1)
    best = int(means.argmax())
    value, own, mean = float(nested[0]), float(means[best]), float(means.mean())
    parts, means_drawn = [], []
    for part in np.array_split(np.arange(N_BOOT), max(1, a * k * N_BOOT // _AT_ONCE)):
        counts = rng.multinomial(k, np.full(k, 1 / k), size=len(part)).astype(float)
        parts.append(choosing(values, counts)[0])
        means_drawn.append(counts @ values.mean(axis=0) / k)
    drawn, factor = np.concatenate(parts), float(stdtrit(k - 1, 0.5 + level / 2))
    reach = float(np.nanmax([factor * float(np.nanstd(drawn, ddof=1)), own_reach[best]]))
    # the lead is paired by studies: what makes one study easy for all is not part of its error
    gaps = values[best] - values.mean(axis=0)
    ahead = float(np.nanstd(drawn - np.concatenate(means_drawn), ddof=1))
    lead_reach = factor * max(ahead, float(gaps.std(ddof=1)) / float(np.sqrt(k)))
    lead = own - mean
    luck = None if lead <= 0 else float(np.clip((own - value) / lead, 0.0, 1.0))
    return Chosen(
        agent=names[best],
        value=value,
        low=value - reach,
        high=value + reach,
        own=own,
        mean=mean,
        luck=luck,
        n_same=int((picked[0] == best).sum()),
        n_studies=k,
        lead_low=value - mean - lead_reach,
        lead_high=value - mean + lead_reach,
    )
