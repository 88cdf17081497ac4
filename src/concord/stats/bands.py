"""Gaps of several arrangements over shared items: their intervals, their worst, its cautious twin.

Items are the units. They are resampled, split and averaged as whole rows across arrangements; samples within
a cell never are: that would leave out the variation between items.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.errors import UndefinedError
from concord.records import Interval

Floats: TypeAlias = NDArray[np.float64]

BLOCK = 250
"""Replicates per child seed; fixed, so that results do not depend on how the work is cut."""
MIN_UNITS = 20
"""Below this many items (or clusters) no interval is given."""
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
        return np.asarray(self.weighted(np.ones((1, self.n_units)))[0])

    def weighted(self, weights: Floats) -> Floats:
        """Gaps under weights of the units: weight sets by arrangements."""
        total = np.zeros((weights.shape[0], self.terms[0][1].shape[1]))
        for sign, numerator, denominator in self.terms:
            total += sign * _ratio(weights @ numerator, _weighted_counts(weights, denominator))
        return total

    def influence(self) -> Floats:
        """Linearised contribution of each unit to each gap; its mean over units is 0."""
        total = np.zeros(self.terms[0][1].shape)
        for sign, numerator, denominator in self.terms:
            sums = denominator.sum(axis=0)
            ratio = _ratio(numerator.sum(axis=0), sums)
            total += (
                sign
                * self.n_units
                * _ratio(numerator - ratio * denominator, np.broadcast_to(sums, total.shape))
            )
        return total


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide, NaN where nothing was observed."""
    nothing = np.full(numerator.shape, np.nan)
    return np.asarray(np.divide(numerator, denominator, out=nothing, where=denominator > 0))


def _weighted_counts(weights: Floats, denominator: Floats) -> Floats:
    """Weighted counts, without a matrix product when every unit counts alike in every arrangement."""
    if np.all(denominator == denominator[:1, :1]):
        return np.broadcast_to(
            weights.sum(axis=1, keepdims=True) * denominator[0, 0], (weights.shape[0], denominator.shape[1])
        )
    return weights @ denominator


@dataclass(slots=True, eq=False)
class ItemWeights:
    """Bootstrap weights of the units, drawn once and used for every model with as many units."""

    seed: int
    n_resamples: int = 2000
    _kept: dict[int, tuple[Floats, ...]] = field(default_factory=dict)

    def blocks(self, n_units: int) -> Iterator[Floats]:
        """Weights, block by block: how often each unit was drawn."""
        if n_units not in self._kept:
            if n_units * self.n_resamples * 8 > _KEEP:
                yield from self._draw(n_units)
                return
            self._kept[n_units] = tuple(self._draw(n_units))
        yield from self._kept[n_units]

    def _draw(self, n_units: int) -> Iterator[Floats]:
        """Draw with one child seed per block."""
        starts = range(0, self.n_resamples, BLOCK)
        children = np.random.SeedSequence([self.seed, n_units]).spawn(len(starts))
        for start, child in zip(starts, children, strict=True):
            rows = min(BLOCK, self.n_resamples - start)
            picks = np.random.default_rng(child).integers(0, n_units, size=(rows, n_units))
            picks += np.arange(rows)[:, None] * n_units
            yield (
                np.bincount(picks.ravel(), minlength=rows * n_units).reshape(rows, n_units).astype(np.float64)
            )


def mean_t_interval(values: Floats, level: float = 0.95) -> Interval | None:
    """Student interval for a mean of independent units.

    Parameters
    ----------
    values
        One value per unit.
    level
        Confidence level.

    Returns
    -------
    Interval or None
        ``None`` below ``MIN_UNITS`` units.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika, 6(1), 1-25.

    Examples
    --------
    >>> interval = mean_t_interval(np.arange(20.0))
    >>> round(interval.low, 4), round(interval.high, 4)
    (6.7312, 12.2688)
    """
    n = len(values)
    if n < MIN_UNITS:
        return None
    half = _t(level, n) * float(np.sqrt(np.sum((values - values.mean()) ** 2) / (n * (n - 1))))
    centre = float(values.mean())
    return Interval(centre - half, centre + half, level, "t over item means")


def mean_gap_interval(table: GapTable, level: float = 0.95) -> Interval | None:
    """Interval for the mean gap over arrangements: Student t over the contributions of units.

    Parameters
    ----------
    table
        Gaps of the arrangements.
    level
        Confidence level.

    Returns
    -------
    Interval or None
        ``None`` below ``MIN_UNITS`` units. With no missing cell it is the t interval over item means.

    References
    ----------
    Cochran, W. G. (1977). Sampling techniques, 3rd ed. Wiley, ch. 6 (ratio estimators).

    Examples
    --------
    >>> gaps = np.linspace(0.0, 0.2, 40).reshape(20, 2)
    >>> interval = mean_gap_interval(GapTable(((1.0, gaps, np.ones_like(gaps)),)))
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0716, 0.1284)
    """
    if table.n_units < MIN_UNITS:
        return None
    defined = ~np.isnan(table.gaps())
    if not defined.any():
        return None
    centre = float(table.gaps()[defined].mean())
    contributions = table.influence()[:, defined].mean(axis=1)
    half = _t(level, table.n_units) * _standard_error(contributions)
    return Interval(centre - half, min(centre + half, 1.0), level, "t over item means")


def _t(level: float, n: int) -> float:
    """Two-sided Student quantile."""
    return float(special.stdtrit(n - 1, (1 + level) / 2))


def _standard_error(contributions: Floats) -> float:
    """Give the standard error of a mean from contributions of units that sum to 0."""
    n = len(contributions)
    return float(np.sqrt(np.sum(contributions**2) / (n * (n - 1))))


@dataclass(frozen=True, slots=True, eq=False)
class GapBand:
    """A simultaneous band over gaps: everything needed to read one model or to compare two."""

    gaps: Floats
    standard_errors: Floats
    deviations: Floats
    """Largest standardised deviation of each resample."""
    n_undefined: int
    """Resamples in which some gap was undefined."""
    level: float

    @property
    def critical(self) -> float:
        """Quantile of the largest standardised deviation."""
        return float(np.quantile(self.deviations, self.level))

    def worst(self, critical: float | None = None) -> Interval:
        """Interval for the largest gap."""
        c = self.critical if critical is None else critical
        low, high = self.ends(c)
        return Interval(
            float(np.max(low)),
            min(float(np.max(high)), 1.0),
            self.level,
            "simultaneous max-t band, conservative",
        )

    def ends(self, critical: float) -> tuple[Floats, Floats]:
        """Lower and upper end for every gap."""
        return self.gaps - critical * self.standard_errors, self.gaps + critical * self.standard_errors


def max_t_band(
    table: GapTable, weights: ItemWeights, *, level: float = 0.95, with_mean: bool = False
) -> GapBand | None:
    r"""Simultaneous band over the gaps of all arrangements.

    .. math:: c = Q_{0.95}\left(\max_p |\hat{g}^*_p - \hat{g}_p| / se_p\right)

    over resamples of whole items; arrangements whose standard error is 0 stay out of c.

    Parameters
    ----------
    table
        Gaps of the arrangements.
    weights
        Bootstrap weights of the units.
    level
        Simultaneous confidence level.
    with_mean
        Also keep the mean gap within the band, as one more contrast.

    Returns
    -------
    GapBand or None
        ``None`` below ``MIN_UNITS`` units or when no gap is defined.

    References
    ----------
    Romano, J. P., & Wolf, M. (2005). Exact and approximate stepdown methods for multiple hypothesis
    testing. Journal of the American Statistical Association, 100(469), 94-108.

    Examples
    --------
    >>> gaps = np.random.default_rng(1).random((40, 3)) / 10
    >>> band = max_t_band(GapTable(((1.0, gaps, np.ones_like(gaps)),)), ItemWeights(seed=0))
    >>> interval = band.worst()
    >>> bool(interval.low < gaps.mean(axis=0).max() < interval.high)
    True
    """
    all_gaps = table.gaps()
    defined = np.flatnonzero(~np.isnan(all_gaps))
    if table.n_units < MIN_UNITS or not defined.size:
        return None
    gaps = all_gaps[defined]
    contributions = table.influence()[:, defined]
    errors = np.sqrt(np.sum(contributions**2, axis=0) / (table.n_units * (table.n_units - 1)))
    mean_error = _standard_error(contributions.mean(axis=1)) if with_mean else 0.0
    moving = errors > 0
    parts, n_undefined = [], 0
    for block in weights.blocks(table.n_units):
        draws = table.weighted(block)[:, defined]
        holes = np.isnan(draws)
        n_undefined += int(holes.any(axis=1).sum())
        shift = np.where(holes, 0.0, draws - gaps)
        largest = np.max(np.abs(shift[:, moving]) / errors[moving], axis=1, initial=0.0)
        if mean_error > 0:
            largest = np.maximum(largest, np.abs(shift.mean(axis=1)) / mean_error)
        parts.append(largest)
    return GapBand(gaps, errors, np.concatenate(parts), n_undefined, level)


def half_splits(n_units: int, n_splits: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Random halves of the units, one split a row; True marks the first half.

    Parameters
    ----------
    n_units
        Number of units, at least 2.
    n_splits
        Number of splits.
    rng
        Source of randomness.

    Returns
    -------
    ndarray of bool
        Splits by units.

    Raises
    ------
    UndefinedError
        Fewer than two units.

    References
    ----------
    Chernozhukov, V. et al. (2018). Double/debiased machine learning. Econometrics Journal, 21(1), C1-C68.

    Examples
    --------
    >>> half_splits(5, 3, np.random.default_rng(0)).sum(axis=1).tolist()
    [2, 2, 2]
    """
    if n_units < 2:
        raise UndefinedError(f"{n_units} items cannot be split into halves")
    ranks = np.argsort(rng.random((n_splits, n_units)), axis=1)
    splits = np.zeros((n_splits, n_units), dtype=np.bool_)
    np.put_along_axis(splits, ranks[:, : n_units // 2], True, axis=1)
    return splits


def cross_fit_worst(first: Floats, second: Floats) -> tuple[float, int]:
    """Gap of the worst arrangement, picked on one half of the items and read on the other.

    The largest of noisy gaps is too large on average; a gap that was not used for the choice is not.
    Unbiased when all gaps are equal, below the largest otherwise.

    Parameters
    ----------
    first, second
        Gaps on the two halves, splits by arrangements; NaN where a half has nothing.

    Returns
    -------
    tuple
        Mean over splits and both directions; number of splits in which no arrangement was defined.

    Raises
    ------
    UndefinedError
        No split has an arrangement that is defined on both halves.

    References
    ----------
    Chernozhukov, V. et al. (2018). Double/debiased machine learning. Econometrics Journal, 21(1), C1-C68.

    Examples
    --------
    >>> cross_fit_worst(np.array([[0.1, 0.3]]), np.array([[0.2, 0.1]]))
    (0.1, 0)
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    usable = both.any(axis=1)
    if not usable.any():
        raise UndefinedError("no arrangement is defined on both halves of any split")
    reads = []
    for picked_on, read_on in ((first, second), (second, first)):
        worst = np.argmax(np.where(both, picked_on, -np.inf)[usable], axis=1)
        reads.append(np.take_along_axis(read_on[usable], worst[:, None], axis=1)[:, 0])
    return float(np.mean(reads)), int((~usable).sum())
