r"""Distances between two distributions of answers: of shares, and of samples with noise floor and interval.

Two samples of one population never agree exactly. Each distance is therefore read against two others at the
same numbers of answers, another sample of people (the noise floor) and random answers; its interval speaks of
the populations. It inverts a test: pairs of populations are laid from no difference to far beyond the one
seen, :math:`p_s = \bar p + \tfrac{s}{2}\delta`, :math:`q_s = \bar p - \tfrac{s}{2}\delta`; it holds the
distances under which the one seen lies between the 2.5 and 97.5 % quantiles of samples of these sizes. The
direction :math:`\delta` is drawn again from the samples, and for the lower end differences within one
standard error are 0, since many options that do not differ add more to a distance than few that do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError
from concord.stats.elementwise import Floats


def total_variation(p: ArrayLike, q: ArrayLike) -> Floats:
    """Compute ½ Σ |p_k - q_k| over the last axis: the share of answers that would have to change."""
    return np.asarray(0.5 * np.abs(np.asarray(p) - np.asarray(q)).sum(axis=-1))


def kolmogorov_smirnov(p: ArrayLike, q: ArrayLike) -> Floats:
    """Compute the largest difference of two cumulative distributions over ordered options."""
    return np.asarray(np.abs(np.cumsum(np.asarray(p) - np.asarray(q), axis=-1)).max(axis=-1))


def wasserstein(p: ArrayLike, q: ArrayLike, positions: ArrayLike, *, scale: float = 1.0) -> Floats:
    """Compute the Wasserstein-1 distance ∫ |F_p - F_q| over a scale."""
    gaps = np.diff(np.asarray(positions, dtype=np.float64))
    apart = np.abs(np.cumsum(np.asarray(p) - np.asarray(q), axis=-1))[..., :-1]
    return np.asarray((apart * gaps).sum(axis=-1) / scale)


def jensen_shannon(p: ArrayLike, q: ArrayLike) -> Floats:
    """Compute the Jensen-Shannon divergence H((p + q)/2) - ½ H(p) - ½ H(q) in bits, not its square root."""
    one, two = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    found = entropy((one + two) / 2) - (entropy(one) + entropy(two)) / 2
    return np.asarray(np.maximum(found, 0.0))


def entropy(p: ArrayLike) -> Floats:
    """Compute Shannon's entropy in bits, -Σ p_k log2 p_k, over the last axis."""
    shares = np.asarray(p, dtype=np.float64)
    logs = np.log2(shares, out=np.zeros(shares.shape), where=shares > 0)
    return np.asarray(-(shares * logs).sum(axis=-1))


SIZES = (0.0, 0.3, 0.6, 0.8, 1.0, 1.3, 1.7, 2.3, 3.2, 4.5, 6.5, 9.0)
"""Differences of populations at which samples are drawn, in units of the one seen."""
N_DIRECTIONS = 20
N_RESAMPLES = 400
_TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class AnswerCounts:
    """Two samples of answers over the same options."""

    human: Floats
    """Answers of people per option."""
    agent: Floats
    positions: Floats | None = None
    """Where ordered options lie, ascending; ``None`` for options without an order."""
    scale: float = 1.0
    """Range of the scale."""
    dependence: float = 0.0
    """Correlation of the two sides' shares where the same persons are in both: it cancels noise."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Answers of people and of the agent."""
        return round(float(self.human.sum())), round(float(self.agent.sum()))

    @property
    def noise_sizes(self) -> tuple[int, int]:
        """Independent answers that would be as far apart by chance."""
        n, m = self.sizes
        return round(n / (1 - self.dependence)), round(m / (1 - self.dependence))

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """Shares of options, people first."""
        n, m = self.sizes
        return self.human / n, self.agent / m

    def functions(self) -> Mapping[str, Callable[[Floats, Floats], Floats]]:
        """Return the distances by name: those of an order only where there is one."""
        found: dict[str, Callable[[Floats, Floats], Floats]] = {"tvd": total_variation, "jsd": jensen_shannon}
        if self.positions is not None:
            positions, scale = self.positions, self.scale
            found["w1"] = lambda p, q: wasserstein(p, q, positions, scale=scale)
            found["ks"] = kolmogorov_smirnov
        return found

    def distances(self, p: Floats, q: Floats) -> dict[str, Floats]:
        """Compute every distance that these options have, over leading axes."""
        return {name: function(p, q) for name, function in self.functions().items()}


@dataclass(frozen=True, slots=True)
class DistanceReading:
    """One distance with what it must be read against."""

    value: float
    """Of the two samples."""
    low: float
    high: float
    """Of the two populations: the noise of the samples is taken out."""
    people: float
    """Expected between two samples of people, at these sizes: the noise floor."""
    people_low: float
    people_high: float
    """The middle 95 % of two samples of people."""
    random: float
    """Expected between random answers and people, at these sizes."""
    place: float
    """(random - value)/(random - people); NaN where the references are not apart."""
    place_se: float


def read_distances(
    counts: AnswerCounts,
    *,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    rng: np.random.Generator,
    chance: ArrayLike | None = None,
) -> dict[str, DistanceReading]:
    """Compute every distance of two samples with interval (Carpenter 1999, JRSS B, 61), floor and place."""
    if counts.human.shape != counts.agent.shape:
        raise OptionError("counts of people and of the agent need one length")
    if (counts.human < 0).any() or (counts.agent < 0).any():
        raise OptionError("a count of answers is negative")
    if min(counts.sizes) < 1:
        raise OptionError("each side needs at least one answer")
    p, q = counts.shares
    n, m = counts.noise_sizes
    k = len(p)
    chances = np.full(k, 1 / k) if chance is None else np.asarray(chance, dtype=np.float64)
    seen = {name: float(value) for name, value in counts.distances(p, q).items()}
    ends = _population_ends(counts, seen, level, n_resamples, rng)
    people = counts.distances(
        _sampled_shares(rng, n, p, n_resamples), _sampled_shares(rng, m, p, n_resamples)
    )
    factor = _noise_factor(counts, n_resamples, rng)
    random = counts.distances(p, _sampled_shares(rng, counts.sizes[1], chances, n_resamples))
    again, agent = _sampled_shares(rng, n, p, n_resamples), _sampled_shares(rng, m, q, n_resamples)
    apart, unlike = counts.distances(again, agent), counts.distances(again, chances)
    tails = [(1 - level) / 2, (1 + level) / 2]
    found = {}
    for name, value in seen.items():
        floor, top = float(people[name].mean() * factor[name]), float(random[name].mean())
        place, se = _place_and_se(value, floor, top, apart[name], unlike[name])
        band = np.quantile(people[name] * factor[name], tails)
        found[name] = DistanceReading(
            value, *ends[name], floor, float(band[0]), float(band[1]), top, place, se
        )
    return found


def _sampled_shares(rng: np.random.Generator, n: int, shares: Floats, times: int) -> Floats:
    """Draw shares of samples."""
    return np.asarray(rng.multinomial(n, shares / shares.sum(), size=times) / n)


def _place_and_se(
    value: float, floor: float, top: float, apart: Floats, unlike: Floats
) -> tuple[float, float]:
    """Return the place P = (T - D)/(T - F) and its SE, dP = ((1 - P) dT - dD)/(T - F); T, D share people."""
    room = top - floor
    spread = float(unlike.std(ddof=1))
    if room <= max(0.02, 2 * spread):
        return float("nan"), float("nan")
    place = (top - value) / room
    return place, float(np.std((1 - place) * unlike - apart, ddof=1)) / room


def _noise_factor(counts: AnswerCounts, times: int, rng: np.random.Generator) -> dict[str, float]:
    """Compare real split halves of people's answers with what resampling their shares says of halves."""
    # Resampling draws from n answers, which vary less than their population; split halves do not, and are
    # right in expectation: the factor is E D(halves) / E D*(halves).
    whole = np.round(counts.human).astype(np.int64)
    n = int(whole.sum())  # of weighted answers the counts are no whole numbers
    names = counts.functions()
    half = n // 2
    if half < 2:
        return dict.fromkeys(names, 1.0)
    first = rng.multivariate_hypergeometric(whole, half, size=times, method="marginals")
    split = counts.distances(first / half, (whole - first) / (n - half))
    p, _ = counts.shares
    again = counts.distances(_sampled_shares(rng, half, p, times), _sampled_shares(rng, n - half, p, times))
    means = {name: (split[name].mean(), again[name].mean()) for name in names}
    return {name: float(real / drawn) if drawn > 0 else 1.0 for name, (real, drawn) in means.items()}


def _population_ends(
    counts: AnswerCounts, seen: Mapping[str, float], level: float, times: int, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Return the interval of every distance."""
    centre, directions = _directions(counts, rng)
    n, m = counts.noise_sizes
    shape = (max(1, times // N_DIRECTIONS), N_DIRECTIONS)
    p, q = (
        np.stack([_population(centre + way * size / 2 * directions) for size in SIZES]) for way in (1, -1)
    )
    samples = [
        (rng.multinomial(n, one, size=shape) / n, rng.multinomial(m, two, size=shape) / m)
        for one, two in zip(p, q, strict=True)
    ]
    # all sizes at once: a distance of many small samples costs little more than that of a few
    drawn = counts.distances(*(np.stack(side) for side in zip(*samples, strict=True)))
    true = counts.distances(p, q)
    steepest = _steepest(counts, level)
    return {
        name: _inverted(seen[name], drawn[name], true[name], level, steepest.get(name, 0.0)) for name in seen
    }


def _directions(counts: AnswerCounts, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the middle of the two populations, and directions of a difference as large as the one seen."""
    k = len(counts.human)
    n, m = counts.noise_sizes
    # one more answer, spread over all options: an option that nobody chose is not impossible
    p, q = ((n * share + 1 / k) / (n + 1) for share in counts.shares)
    centre = (p + q) / 2
    unlike = rng.multinomial(n, p, size=N_DIRECTIONS) / n - rng.multinomial(m, q, size=N_DIRECTIONS) / m
    null = rng.multinomial(n, centre, size=200) / n - rng.multinomial(m, centre, size=200) / m
    sparse = unlike[: N_DIRECTIONS // 2]
    kept = np.abs(sparse) >= np.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    mean = np.where(kept, sparse, 0.0).sum(axis=1, keepdims=True) / np.maximum(
        kept.sum(axis=1, keepdims=True), 1
    )
    unlike[: N_DIRECTIONS // 2] = np.where(kept, sparse - mean, 0.0)
    ends = np.zeros(k)
    ends[0], ends[-1] = 1.0, -1.0
    for other in (null[:N_DIRECTIONS], ends):
        unlike = np.where(_tv_length(unlike) > _TINY, unlike, other)
    unit = max(float(total_variation(p, q)), float(_tv_length(null).mean()))
    with np.errstate(divide="ignore", invalid="ignore"):
        return centre, np.where(_tv_length(unlike) > _TINY, unlike / _tv_length(unlike) * unit, 0.0)


def _tv_length(difference: Floats) -> Floats:
    return np.asarray(0.5 * np.abs(difference).sum(axis=1, keepdims=True))


def _population(shares: Floats) -> Floats:
    """Return shares that are shares: none negative, their sum 1."""
    kept = np.maximum(shares, 0.0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def _inverted(seen: float, drawn: Floats, true: Floats, level: float, upper: float) -> tuple[float, float]:
    """Find the distances of populations under which the one seen is usual."""
    # Samples can be nearer to each other than samples of one population usually are, down to equal shares,
    # where the test refuses every distance. The upper end is therefore never below the one that the median of
    # such samples has (power-constrained limits; Cowan et al., 2011, arXiv:1105.3166).
    half = N_DIRECTIONS // 2
    rows = len(drawn)
    tail = (1 - level) / 2
    above = np.quantile(drawn[:, :, :half].reshape(rows, -1), 1 - tail, axis=1)
    below = np.quantile(drawn[:, :, half:].reshape(rows, -1), tail, axis=1)
    low = _crossing(seen - _TINY, above, true[:, :half].mean(axis=1), "left")
    usual = float(np.median(drawn[0, :, half:]))  # of populations that do not differ
    high = _crossing(max(seen, usual) + _TINY, below, true[:, half:].mean(axis=1), "right")
    high = min(1.0, max(high, upper))
    return min(max(0.0, low), high), high


def _crossing(seen: float, curve: Floats, true: Floats, side: Literal["left", "right"]) -> float:
    """Return where a curve of quantiles over true distances reaches the distance seen."""
    levels, at = np.maximum.accumulate(curve), np.maximum.accumulate(true)
    i = int(np.searchsorted(levels, seen, side=side))
    if i == 0:
        return 0.0
    if i == len(levels):
        return float(at[-1] + seen - levels[-1])
    step = max(levels[i] - levels[i - 1], 1e-15)
    return float(at[i - 1] + (seen - levels[i - 1]) / step * (at[i] - at[i - 1]))


def _steepest(counts: AnswerCounts, level: float) -> dict[str, float]:
    """Return upper ends where the whole difference lies in one direction: the signs, a split, a shift."""
    z = float(special.ndtri(0.5 + level / 2))
    p, q = counts.shares
    n, m = counts.noise_sizes
    signs = np.sign(p - q)
    found = {"tvd": float(total_variation(p, q)) + z / 2 * _se(p, q, signs, n, m)}
    if counts.positions is None:
        return found
    below = np.cumsum(p - q)
    split = (np.arange(len(p)) <= int(np.argmax(np.abs(below)))).astype(np.float64)
    found["ks"] = float(np.abs(below).max()) + z * _se(p, q, split, n, m)
    shift = abs(float((p - q) @ counts.positions))
    found["w1"] = (shift + z * _se(p, q, counts.positions, n, m)) / counts.scale
    return found


def _se(p: Floats, q: Floats, values: Floats, n: int, m: int) -> float:
    """Return the standard error of a difference of means of values."""
    variances = [max(0.0, float(share @ values**2 - (share @ values) ** 2)) for share in (p, q)]
    return float(np.sqrt(variances[0] / n + variances[1] / m))


def distances_apart_sd(
    shares: tuple[Sequence[float], Sequence[float] | None, Sequence[float], Sequence[float]],
    sizes: tuple[int, int, int],
    rng: np.random.Generator,
) -> float:
    """SD of the difference of two agents' total variation distances from people, all answers drawn anew."""
    # Shares of people's answers, of the second agent's people (None: the same) and of both agents', these
    # with half an answer more per option: what an agent never said it may say.
    people, others, first, second = shares
    seen = _samples(rng, people, sizes[0], 0.0)
    also = seen if others is None else _samples(rng, others, sizes[0], 0.0)
    one, two = (_samples(rng, p, n, 0.5) for p, n in zip((first, second), sizes[1:], strict=True))
    return float(np.std((np.abs(one - seen) - np.abs(two - also)).sum(axis=1) / 2, ddof=1))


def _samples(rng: np.random.Generator, shares: Sequence[float], n: int, more: float) -> Floats:
    p = np.asarray(shares) * n + more
    return np.asarray(rng.multinomial(n, p / p.sum(), N_RESAMPLES) / n)
