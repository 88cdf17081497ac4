"""Simulated comparisons: how often a test finds a difference, and how often an interval covers it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from concord.errors import OptionError
from concord.stats.compare import Choices, compare_items
from concord.stats.elementwise import Floats

DESIGNS = ("binary", "continuous", "clustered", "repeated", "uneven")


@dataclass(frozen=True, slots=True)
class Rates:
    """What became of simulated comparisons."""

    found: dict[str, float]
    """Share with p < alpha, by test."""
    headline: float
    """Share whose headline p is below alpha."""
    covered: float
    """Share of intervals that hold the true difference."""
    n: int


def simulate_comparisons(
    design: str,
    n_items: int,
    *,
    effect: float = 0.0,
    n_replicates: int = 1000,
    alpha: float = 0.05,
    rng: np.random.Generator,
) -> Rates:
    """Simulate comparisons of two models whose true difference is known.

    Items differ in difficulty, which both models share. ``binary``: 0-1 scores, one answer per item.
    ``continuous``: skewed scores whose differences are symmetric. ``clustered``: items in families of
    unequal size whose differences are correlated.
    ``repeated``: 0-1 scores averaged over 3 answers of each model. ``uneven``: over 3 answers of
    one model and 5 of the other.

    Parameters
    ----------
    design
        One of these.
    n_items
        Items per comparison.
    effect
        True mean difference.
    n_replicates
        Comparisons.
    alpha
        Level of the tests; intervals have a level of 1 minus alpha.
    rng
        Source of randomness. No default: a run must be repeatable.

    Returns
    -------
    Rates
        Share of comparisons in which each test finds a difference, and share of intervals that cover it.

    References
    ----------
    Morris, T. P., White, I. R., & Crowther, M. J. (2019). Using simulation studies to evaluate statistical
    methods. Statistics in Medicine, 38, 2074-2102.

    Examples
    --------
    >>> rates = simulate_comparisons("binary", 50, n_replicates=20, rng=np.random.default_rng(0))
    >>> rates.n, sorted(rates.found)
    (20, ['exact McNemar', 'mid-p McNemar', 'paired t', 'sign flip'])
    """
    if design not in _DRAWS:
        raise OptionError(f"design is {design!r}; expected one of {', '.join(DESIGNS)}")
    found: dict[str, list[bool]] = {}
    covered, headline = [], []
    for _ in range(n_replicates):
        first, second, clusters = _DRAWS[design](n_items, effect, rng)
        seed, repeated = int(rng.integers(2**31)), design in ("repeated", "uneven")
        choices = Choices(level=1 - alpha, n_flips=999, seed=seed, repeated=repeated)
        result = compare_items(first, second, clusters, choices=choices)
        for verdict in result.verdicts:
            if verdict.test.startswith("mid-p sign"):  # there only where sums tie; part of the headline
                continue
            found.setdefault(verdict.test.partition(" (")[0], []).append(verdict.p_value < alpha)
        headline.append(result.p_value is not None and result.p_value < alpha)
        interval = result.difference.interval
        covered.append(interval is not None and interval.low <= effect <= interval.high)
    shares = {name: float(np.mean(hits)) for name, hits in found.items()}
    return Rates(shares, float(np.mean(headline)), float(np.mean(covered)), n_replicates)


_Drawn = tuple[Floats, Floats, Floats | None]


def _difficulty(n: int, effect: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Probabilities of a right answer that both models share, but for the effect on average."""
    # between 0.2 and 0.8, so that a true difference of up to 0.2 fits
    base = 0.2 + 0.6 * rng.beta(2, 2, n)
    own = rng.uniform(-0.1, 0.1, n)
    return np.clip(base + effect / 2 + own, 0, 1), np.clip(base - effect / 2 - own, 0, 1)


def _binary(n: int, effect: float, rng: np.random.Generator) -> _Drawn:
    first, second = _difficulty(n, effect, rng)
    return (rng.random(n) < first).astype(np.float64), (rng.random(n) < second).astype(np.float64), None


def _continuous(n: int, effect: float, rng: np.random.Generator) -> _Drawn:
    shared = rng.gamma(2, 0.5, n)
    noise = rng.gamma(2, 0.5, (2, n))
    return shared + noise[0] + effect, shared + noise[1], None


def _clustered(n: int, effect: float, rng: np.random.Generator) -> _Drawn:
    sizes = rng.integers(1, 5, n)
    families = np.repeat(np.arange(n), sizes)[:n]
    together = rng.normal(0, 0.4, n)[families]
    shared = rng.normal(0, 1, n)
    first = shared + effect + together + rng.normal(0, 0.6, n)
    return first, shared + rng.normal(0, 0.6, n), families.astype(np.float64)


def _repeated(n: int, effect: float, rng: np.random.Generator) -> _Drawn:
    first, second = _difficulty(n, effect, rng)
    return rng.binomial(3, first) / 3, rng.binomial(3, second) / 3, None


def _uneven(n: int, effect: float, rng: np.random.Generator) -> _Drawn:
    first, second = _difficulty(n, effect, rng)
    return rng.binomial(3, first) / 3, rng.binomial(5, second) / 5, None


_DRAWS: dict[str, Callable[[int, float, np.random.Generator], _Drawn]] = {
    "binary": _binary,
    "continuous": _continuous,
    "clustered": _clustered,
    "repeated": _repeated,
    "uneven": _uneven,
}
