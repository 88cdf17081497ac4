"""Gaps of several arrangements over shared items: intervals, the band of the worst, differences of maxima.

Items are resampled, split and averaged as whole rows across arrangements; samples within a cell never are:
that would leave out the variation between items.
"""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.engine import SERIAL, Engine
from concord.errors import OptionError, UndefinedError
from concord.records import Interval
from concord.stats.bounded_means import bounded_bootstrap, bounded_mean
from concord.stats.elementwise import Floats
from concord.stats.intervals import checked_level
from concord.stats.skewed import skewed_mean


def half_splits(n_units: int, n_splits: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Random halves of the units, one split a row; True marks the first half."""
    if n_units < 2:
        raise UndefinedError(f"{n_units} items cannot be split into halves")
    ranks = np.argsort(rng.random((n_splits, n_units)), axis=1)
    splits = np.zeros((n_splits, n_units), dtype=np.bool_)
    np.put_along_axis(splits, ranks[:, : n_units // 2], True, axis=1)
    return splits


def cross_fit_worst(first: Floats, second: Floats) -> tuple[float, int]:
    """Gap of the worst arrangement, picked on one half of the items and read on the other."""
    # The largest of noisy gaps is too large on average; this one is unbiased when all gaps are equal, below
    # the largest otherwise. Chernozhukov et al. (2018), Econometrics Journal, 21(1), C1-C68.
    both = ~np.isnan(first) & ~np.isnan(second)
    usable = both.any(axis=1)
    if not usable.any():
        raise UndefinedError("no arrangement is defined on both halves of any split")
    reads = []
    for picked_on, read_on in ((first, second), (second, first)):
        worst = np.argmax(np.where(both, picked_on, -np.inf)[usable], axis=1)
        reads.append(np.take_along_axis(read_on[usable], worst[:, None], axis=1)[:, 0])
    return float(np.mean(reads)), int((~usable).sum())


BLOCK = 250
"""Replicates per child seed; fixed, so that results do not depend on how the work is cut."""
MIN_UNITS = 20
"""Below this many items (or clusters) no interval is given."""
STILL = 1e-9
"""Standard errors of scores in [0, 1] below this are rounding: the gap does not vary."""
_KEEP = 256 * 1024**2
"""Weights up to this many bytes are kept for the next model; larger ones are drawn again."""


@dataclass(frozen=True, slots=True, eq=False)
class GapTable:
    r"""Gaps as differences of ratios of sums over units.

    .. math:: g_p = \sum_t s_t \frac{\sum_u N_{t,u,p}}{\sum_u D_{t,u,p}}

    One term (sums and counts of paired differences) for paired gaps, two for unpaired ones. Units are items,
    or clusters of items already summed.
    """

    terms: tuple[tuple[float, Floats, Floats], ...]
    """Sign, numerators and denominators, units by arrangements."""

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.terms[0][1].shape[0])

    def gaps(self) -> Floats:
        """Gap of each arrangement, NaN where nothing was observed."""
        total = np.zeros(self.terms[0][1].shape[1])
        for sign, numerator, denominator in self.terms:
            total += sign * _ratio(numerator.sum(axis=0), denominator.sum(axis=0))
        return total

    def columns(self) -> list[Floats]:
        """Matrices whose weighted sums over units give the gaps under those weights."""
        parts = []
        for _, numerator, denominator in self.terms:
            parts.append(on_exact_grid(numerator))
            if not _is_constant(denominator):
                parts.append(denominator)
        return parts

    def from_sums(self, sums: Floats, size: Floats) -> Floats:
        """Gaps from weighted sums of `columns`; ``size`` is the sum of the weights, one a row."""
        width, at = self.terms[0][1].shape[1], 0
        total = np.zeros((sums.shape[0], width))
        for sign, _, denominator in self.terms:
            top, at = sums[:, at : at + width], at + width
            below = np.broadcast_to(size[:, None] * denominator[0, 0], top.shape)
            if not _is_constant(denominator):
                below, at = sums[:, at : at + width], at + width
            total += sign * _ratio(top, below)
        return total

    def weighted(self, weights: Floats) -> Floats:
        """Gaps under whole-number weights of the units: weight sets by arrangements."""
        return self.from_sums(weights @ np.hstack(self.columns()), weights.sum(axis=1))

    def on_halves(self, splits: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Gaps on the marked and on the other units of each split."""
        columns = np.hstack(self.columns())
        sums, size = splits @ columns, splits.sum(axis=1).astype(np.float64)
        return self.from_sums(sums, size), self.from_sums(columns.sum(axis=0) - sums, self.n_units - size)

    def influence(self) -> Floats:
        """Linearised contribution of each unit to each gap; its mean over units is 0."""
        total = np.zeros(self.terms[0][1].shape)
        for sign, numerator, denominator in self.terms:
            sums = denominator.sum(axis=0)
            residual = numerator - _ratio(numerator.sum(axis=0), sums) * denominator
            total += sign * self.n_units * _ratio(residual, np.broadcast_to(sums, total.shape))
        return total


def on_exact_grid(values: Floats) -> Floats:
    """Round values in [-1, 1] times their counts to a grid so coarse that sums of them are exact."""
    # Exact sums do not depend on the order of addition, so neither the number of threads nor the block size
    # of the matrix product changes a byte of the result; the rounding is below 1e-11.
    reach = float(np.max(np.abs(values), initial=1.0)) * max(len(values), 1)
    step = 2.0 ** (np.ceil(np.log2(reach)) - 52)
    return np.asarray(np.rint(values / step) * step)


def _is_constant(denominator: Floats) -> bool:
    """Tell whether every unit counts alike in every arrangement."""
    return bool(np.all(denominator == denominator[:1, :1]))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide, NaN where nothing was observed."""
    nothing = np.full(numerator.shape, np.nan)
    return np.asarray(np.divide(numerator, denominator, out=nothing, where=denominator > 0))


@dataclass(slots=True, eq=False)
class ItemWeights:
    """Bootstrap weights and random halves of the units, drawn once for every model with as many units."""

    seed: int
    n_resamples: int = 2000
    n_splits: int = 100
    engine: Engine = SERIAL
    """Where blocks of resamples are drawn and summed."""
    _kept: dict[int, Floats] = field(default_factory=dict)
    _splits: dict[int, NDArray[np.bool_]] = field(default_factory=dict)

    def sums(self, matrix: Floats) -> Floats:
        """Sum the rows of a matrix (units by anything) under every resample of its units."""
        n_units = len(matrix)
        if self.engine.name != "serial" or n_units * self.n_resamples * 8 > _KEEP:
            return np.concatenate(self.engine.map(partial(_block_sums, matrix), self._blocks(n_units)))
        if n_units not in self._kept:
            drawn = [_drawn_weights(n_units, *block) for block in self._blocks(n_units)]
            self._kept[n_units] = np.concatenate(drawn)
        return np.asarray(self._kept[n_units] @ matrix)

    def splits(self, n_units: int) -> NDArray[np.bool_]:
        """Random halves of the units."""
        if n_units not in self._splits:
            rng = np.random.default_rng([self.seed, n_units])
            self._splits[n_units] = half_splits(n_units, self.n_splits, rng)
        return self._splits[n_units]

    def _blocks(self, n_units: int) -> list[tuple[np.random.SeedSequence, int]]:
        """Return one child seed and the number of resamples for every block."""
        sizes = [min(BLOCK, self.n_resamples - start) for start in range(0, self.n_resamples, BLOCK)]
        children = np.random.SeedSequence([self.seed, n_units]).spawn(len(sizes))
        return list(zip(children, sizes, strict=True))


def _drawn_weights(n_units: int, seed: np.random.SeedSequence, rows: int) -> Floats:
    """Draw how often each unit is taken in the resamples of one block."""
    picks = np.random.default_rng(seed).integers(0, n_units, size=(rows, n_units))
    picks += np.arange(rows)[:, None] * n_units
    return np.bincount(picks.ravel(), minlength=rows * n_units).reshape(rows, n_units).astype(np.float64)


def _block_sums(matrix: Floats, block: tuple[np.random.SeedSequence, int]) -> Floats:
    """Sum the rows of a matrix under the resamples of one block."""
    return np.asarray(_drawn_weights(len(matrix), *block) @ matrix)


def mean_gap_interval(table: GapTable, level: float = 0.95) -> Interval | None:
    """Interval for the mean gap over arrangements, from units' contributions (Cochran 1977, ch. 6)."""
    if table.n_units < MIN_UNITS:
        return None
    defined = ~np.isnan(table.gaps())
    if not defined.any():
        return None
    centre = float(table.gaps()[defined].mean())
    contributions = table.influence()[:, defined].mean(axis=1)
    return unit_mean_interval(centre + contributions, level)


def unit_mean_interval(values: Floats, level: float = 0.95) -> Interval:
    """Return the interval of a mean of units' numbers from -1 to 1 (Hall (1992), JRSS B, 54, 221-228)."""
    low, high = float(values.min()), float(values.max())
    if low >= -STILL and high <= 1 + STILL:
        found = bounded_mean(np.clip(values, 0.0, 1.0), level=level).interval
    elif high - low <= STILL:  # a unit unlike those seen may exist
        whole = bounded_bootstrap((values + 1) / 2, level=level)
        found = Interval(2 * whole.low - 1, 2 * whole.high - 1, level, whole.method)
    else:
        skewed = skewed_mean(values, level=level)
        found = skewed.interval if skewed.seen else None
    if found is not None:
        return found
    contributions = values - values.mean()
    n = len(contributions)
    half = _t(level, len(values)) * float(np.sqrt(np.sum(contributions**2) / (n * (n - 1))))
    mean = float(values.mean())
    return Interval(mean - half, min(mean + half, 1.0), level, "t over item means")


def _t(level: float, n: int) -> float:
    """Two-sided Student quantile."""
    return float(special.stdtrit(n - 1, (1 + level) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class GapBand:
    """A simultaneous band over the gaps of one model."""

    gaps: Floats
    standard_errors: Floats
    deviations: Floats
    """Largest standardised deviation of each resample over the gaps."""
    n_undefined: int
    """Resamples in which some gap was undefined."""
    n_units: int
    level: float

    @property
    def critical(self) -> float:
        """Quantile of the largest standardised deviation, moved from the normal to the Student scale."""
        # Resamples are standardised by one fixed standard error; with few units it varies itself.
        n = self.n_units
        c = float(np.quantile(self.deviations, self.level)) * float(np.sqrt(n / (n - 1)))
        tail = max(float(special.ndtr(-c)), 1e-15)
        return max(c, -float(special.stdtrit(n - 1, tail))) if c > 0 else 0.0

    def worst(self) -> Interval:
        """Interval for the largest gap."""
        low, high = self.ends(self.critical)
        method = "simultaneous max-t band, conservative"
        return Interval(float(np.max(low)), min(float(np.max(high)), 1.0), self.level, method)

    def ends(self, critical: float) -> tuple[Floats, Floats]:
        """Lower and upper end for every gap."""
        return self.gaps - critical * self.standard_errors, self.gaps + critical * self.standard_errors


def band_from_draws(table: GapTable, draws: Floats, *, level: float = 0.95) -> GapBand | None:
    r"""Simultaneous band over the gaps of all arrangements, from their gaps under resamples of whole items.

    .. math:: c = Q_{0.95}\left(\max_p |\hat{g}^*_p - \hat{g}_p| / se_p\right)

    Arrangements whose standard error is 0 stay out of c, and c is moved to the Student scale for the number
    of units. Romano & Wolf (2005), JASA, 100(469), 94-108.
    """
    all_gaps = table.gaps()
    defined = np.flatnonzero(~np.isnan(all_gaps))
    n = table.n_units
    if n < MIN_UNITS or not defined.size:
        return None
    gaps, draws = all_gaps[defined], draws[:, defined]
    contributions = table.influence()[:, defined]
    errors = np.sqrt(np.sum(contributions**2, axis=0) / (n * (n - 1)))
    errors = np.where(errors > STILL, errors, 0.0)
    holes = np.isnan(draws)
    shift = np.where(holes, 0.0, draws - gaps)
    moving = errors > 0
    largest = np.max(np.abs(shift[:, moving]) / errors[moving], axis=1, initial=0.0)
    n_undefined = int(holes.any(axis=1).sum())
    return GapBand(gaps, errors, largest, n_undefined, n, level)


METHOD = "max-t band over all contrasts of arrangements, items resampled jointly; conservative"

_SMALLEST = 1e-12
"""Tails of an approximation say nothing below this, and a p-value is never 0."""
_NOTHING_MOVES = "no interval: every item gives the same difference"


@dataclass(frozen=True, slots=True, eq=False)
class MaximumSide:
    """Numbers of which a maximum is taken, and how the units move them."""

    values: Floats
    """One number a part, P of them."""
    influence: Floats
    """Linearised contribution of each unit to each number, units by parts; the mean over units is 0."""
    draws: Floats
    """The numbers under each resample of the units, resamples by parts; NaN where one was undefined."""


@dataclass(frozen=True, slots=True)
class MaximaDifference:
    """Largest number of the first side minus largest of the second."""

    value: float
    interval: Interval | None
    p_value: float | None
    note: str = ""


def difference_of_maxima(first: MaximumSide, second: MaximumSide, *, level: float = 0.95) -> MaximaDifference:
    r"""Difference of two maxima with an interval and a p-value from jointly resampled units.

    .. math:: \max_p a_p - \max_q b_q = \min_q \max_p (a_p - b_q) = \max_p \min_q (a_p - b_q)

    Contrasts are smooth and paired. A simultaneous band over them (c the quantile over resamples of
    :math:`\max_{pq} |\hat d^*_{pq} - \hat d_{pq}| / se_{pq}`, Student scale) goes through both monotone
    forms,

    .. math:: [\min_q \max_p (\hat d_{pq} - c\, se_{pq}),\ \max_p \min_q (\hat d_{pq} + c\, se_{pq})]

    and covers at least as often as it says. p is 1 less the level at which the interval just reaches zero, or
    Bonferroni's bound where no resample goes so far and it is smaller. Romano & Wolf (2005), JASA, 100,
    94-108; Chernozhukov et al. (2013), Econometrica, 81(2), 667-737.
    """
    n = len(first.influence)
    if n != len(second.influence) or len(first.draws) != len(second.draws):
        raise OptionError("two maxima compare over the same units and the same resamples")
    checked_level(level)
    value = float(first.values.max() - second.values.max())
    if n < MIN_UNITS:
        return MaximaDifference(value, None, None, f"no interval below {MIN_UNITS} items")
    errors = _standard_errors(first.influence, second.influence)
    if not (errors > 0).any():
        return MaximaDifference(value, None, None, _NOTHING_MOVES)
    largest = _largest_deviation(first, second, errors)
    contrasts = first.values[:, None] - second.values[None, :]
    place = min(int(np.ceil(level * (len(largest) + 1))), len(largest)) - 1
    reach = _student(float(np.partition(largest, place)[place]), n) * errors
    low, high = float((contrasts - reach).max(axis=0).min()), float((contrasts + reach).min(axis=1).max())
    if high - low <= STILL:
        return MaximaDifference(value, None, None, _NOTHING_MOVES)
    interval = Interval(max(low, -1.0), min(high, 1.0), level, METHOD)
    return MaximaDifference(
        value, interval, _p_value(contrasts, errors, largest, n), "interval and p are conservative"
    )


def _standard_errors(first: Floats, second: Floats) -> Floats:
    """Return the standard error of each contrast, P by Q; 0 where no unit moves it."""
    n = len(first)
    squares = [np.sum((first[:, [p]] - second) ** 2, axis=0) for p in range(first.shape[1])]
    errors = np.sqrt(np.array(squares) / (n * (n - 1)))
    return np.where(errors > STILL, errors, 0.0)


def _largest_deviation(first: MaximumSide, second: MaximumSide, errors: Floats) -> Floats:
    """Largest standardised move of any contrast in each resample."""
    a, b = (_moves(side) for side in (first, second))
    weights = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
    largest = np.zeros(len(a))
    room = np.empty_like(b)
    for p in range(a.shape[1]):
        np.subtract(a[:, [p]], b, out=room)
        np.abs(room, out=room)
        room *= weights[p]
        np.maximum(largest, room.max(axis=1), out=largest)
    return largest


def _moves(side: MaximumSide) -> Floats:
    """How far each resample moves each number; not at all where it was undefined."""
    return np.where(np.isnan(side.draws), 0.0, side.draws - side.values)


def _student(deviation: float, n: int) -> float:
    """Move a deviation to the Student scale: resamples are standardised by one fixed standard error."""
    c = deviation * float(np.sqrt(n / (n - 1)))
    tail = float(special.ndtr(-c))
    return c if tail < 1e-15 else max(c, -float(special.stdtrit(n - 1, tail)))


def _normal(t: float, n: int) -> float:
    """Undo `_student`."""
    tail = float(special.stdtr(n - 1, -t))
    c = t if tail < 1e-15 else min(t, -float(special.ndtri(tail)))
    return c * float(np.sqrt((n - 1) / n))


def _p_value(contrasts: Floats, errors: Floats, largest: Floats, n: int) -> float:
    """Share of resamples that move some contrast as far as the data are from no difference."""
    still = np.where(contrasts == 0, 0.0, np.copysign(np.inf, contrasts))
    ratios = np.divide(contrasts, errors, out=still, where=errors > 0)
    t = max(0.0, float(ratios.max(axis=0).min()), -float(ratios.min(axis=1).max()))
    hits = int(np.sum(largest >= _normal(t, n))) if np.isfinite(t) else 0
    share = (hits + 1) / (len(largest) + 1)
    if hits or not np.isfinite(t):
        return share
    bound = 2 * int((errors > 0).sum()) * float(special.stdtr(n - 1, -t))
    return min(share, max(bound, _SMALLEST))
