"""Means and regressions from people and predictions together: people keep it right, predictions narrow it.

Angelopoulos et al. (2023), Science, 382, 669-674, and PPI++, arXiv:2311.01453. Broska et al. (2025), The
mixed subjects design, Sociological Methods & Research.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats

Labels = NDArray[Any]
"""Names of clusters or strata, one per row."""
FEWEST_PEOPLE = 20
"""People below which there is no interval: the weight of the predictions is chosen on them too."""
NORMAL_FROM = 100
"""People from which normal quantiles are used; fewer get Student's t and variances over n - 1."""
SANDWICH_FROM = 200
"""People, or clusters, from which plain sandwich errors of a regression cover what they say."""
_NOTHING = 1e-10
"""Share of a fit that is left without a unit, below which nothing is left."""


@dataclass(frozen=True, slots=True, eq=False)
class SampledRows:
    """Rows of one sample, and what each does to an estimate, times their number."""

    deviations: Floats
    mass: Floats
    """Weights of the rows, which add up to 1."""
    clusters: Labels | None = None
    strata: Labels | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SampleDesign:
    """Clusters and strata of people and of further predictions; none: every row is drawn by itself."""

    clusters: Labels | None = None
    strata: Labels | None = None
    more_clusters: Labels | None = None
    more_strata: Labels | None = None

    @property
    def is_plain(self) -> bool:
        """Whether every row is drawn by itself."""
        return all(one is None for one in (self.clusters, self.strata, self.more_clusters, self.more_strata))

    @property
    def draws_rows(self) -> bool:
        """Whether every row is drawn by itself, whatever it is called: no strata, no cluster of two rows."""
        if self.strata is not None or self.more_strata is not None:
            return False
        named = [one for one in (self.clusters, self.more_clusters) if one is not None]
        rows = sum(one.size for one in named)
        return not named or np.unique(np.concatenate(named)).size == rows

    def people_part(self, deviations: Floats, weights: Floats) -> SampledRows:
        """Return the people as a sample."""
        return SampledRows(deviations, weights / weights.sum(), self.clusters, self.strata)

    def parts(self, own: Floats, further: Floats, w: Floats, v: Floats) -> list[SampledRows]:
        """Return people and further predictions as samples."""
        return [
            self.people_part(own, w), SampledRows(further, v / v.sum(), self.more_clusters, self.more_strata)
        ]  # fmt: skip


PLAIN = SampleDesign()


def sampled_units(parts: Sequence[SampledRows]) -> list[tuple[Floats, float]]:
    """Return independent samples of units (rows, or totals of clusters, by stratum), each with Kish's size.

    The mean of each sample has the variance of its part of the estimate. Samples that share a cluster are one
    sample of clusters. A total is divided by 1 minus its share of the weight, as in the jackknife, so that a
    few large ones are not taken for many; strata of one unit are taken together (Kish 1965; Bell &
    McCaffrey 2002).
    """
    made: list[tuple[Floats, float]] = []
    for linked in _linked_samples(parts):
        if len(linked) == 1 and linked[0].clusters is None and linked[0].strata is None:
            made.append(_kish(linked[0].deviations, linked[0].mass))
            continue
        influence = np.concatenate([part.deviations / part.deviations.size for part in linked])
        mass = np.concatenate([part.mass for part in linked])
        codes = _unit_codes(linked)
        units = codes.max() + 1
        total, weight = np.bincount(codes, influence, units), np.bincount(codes, mass, units)
        stratum = np.zeros(units, dtype=np.intp)
        stratum[codes] = _strata_of(linked)
        counts = np.bincount(stratum)
        stratum = np.where(counts[stratum] == 1, counts.size, stratum)
        for one in np.unique(stratum):
            at = stratum == one
            made.append(_kish(total[at] * at.sum(), weight[at]))
    return made


def _kish(values: Floats, mass: Floats) -> tuple[Floats, float]:
    """Return values with their leverage taken out, and as how many equal ones they count."""
    share, n = mass / mass.sum(), mass.size
    if n < 2 or np.ptp(mass) == 0:
        return values, float(n)
    return values * (1 - 1 / n) / np.maximum(1 - share, 1 / n), float(1 / (share**2).sum())


def _linked_samples(parts: Sequence[SampledRows]) -> list[list[SampledRows]]:
    """Put samples together that have a cluster in common."""
    groups: list[tuple[list[SampledRows], set[object]]] = []
    for part in parts:
        names = set() if part.clusters is None else set(part.clusters.tolist())
        same = [group for group in groups if group[1] & names]
        members = [one for group in same for one in group[0]]
        groups = [group for group in groups if not group[1] & names]
        groups.append(([*members, part], names.union(*(group[1] for group in same))))
    return [members for members, _ in groups]


def _unit_codes(parts: Sequence[SampledRows]) -> NDArray[np.intp]:
    """Return the unit of every row: its cluster, within its stratum, or the row itself."""
    strata = _strata_of(parts)
    if parts[0].clusters is None:
        return np.arange(strata.size)
    clusters = np.concatenate([part.clusters for part in parts if part.clusters is not None])
    _, codes = np.unique(clusters, return_inverse=True)
    _, within = np.unique(codes * (strata.max() + 1) + strata, return_inverse=True)
    return np.asarray(within.ravel(), dtype=np.intp)


def _strata_of(parts: Sequence[SampledRows]) -> NDArray[np.intp]:
    labels = [
        np.full(part.deviations.size, "") if part.strata is None else part.strata.astype(str)
        for part in parts
    ]
    return np.asarray(np.unique(np.concatenate(labels), return_inverse=True)[1].ravel(), dtype=np.intp)


def units_variance(parts: Sequence[SampledRows]) -> float:
    """Return the variance of an estimate from the units that move it."""
    return sum(
        float(values.var()) / (values.size - 1) for values, _ in sampled_units(parts) if values.size > 1
    )


def units_count(parts: Sequence[SampledRows]) -> int:
    """Return how many units move an estimate, minus the strata that hold them beyond the first."""
    found = sampled_units(parts)
    return sum(values.size for values, _ in found) - len(found) + 1


def _tuned_by_units(
    a: Floats, b: Floats, c: Floats, weights: tuple[Floats, Floats], design: SampleDesign
) -> float:
    """Return the weight that makes the variance over units smallest, 0 or more."""
    answers = sampled_units(design.parts(a, np.zeros(c.size), *weights))
    predictions = sampled_units(design.parts(b, -c, *weights))
    above = below = 0.0
    for (x, _), (d, _) in zip(answers, predictions, strict=True):
        if x.size > 1:
            centred = d - d.mean()
            above += float((x * centred).mean()) / (x.size - 1)
            below += float((centred**2).mean()) / (x.size - 1)
    return max(above / below, 0.0) if below > 0 else 0.0


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """A mean from people and predictions."""

    value: float
    se: float
    low: float
    high: float
    weight: float
    """λ: 0 uses people alone; above 1 where predictions vary less than they should."""
    people: float
    """The mean of people alone, and its standard error."""
    people_se: float
    correlation: float
    """Of answers and predictions over people; NaN where predictions are constant."""


def powered_mean(
    y: ArrayLike,
    f: ArrayLike,
    more: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    more_weights: ArrayLike | None = None,
    design: SampleDesign = PLAIN,
    level: float = 0.95,
) -> PoweredMean:
    r"""Compute a mean from n people with predictions and N further predictions.

    .. math:: \hat\theta = \overline{y} + \hat\lambda(\overline{f}_N - \overline{f}_n), \quad
              \hat\lambda = \max\left(0, \frac{\mathrm{cov}(y, f)}{(1 + n/N)\,\mathrm{var} f}\right)

    A biased model costs nothing: its bias cancels. The weight is not cut at 1 (`ppi_py` does), so that
    predictions that vary less than people count for what they are worth. Weighted means are ratios (Hájek
    1971): values count as deviations from their weighted mean; an interval of plain weighted sums far from 0
    would cover 100 %. With a `design`, weight and errors are those of clusters' totals, within strata.
    """
    answers, at, further = (np.asarray(x, dtype=np.float64) for x in (y, f, more))
    w, v = _weights(weights, answers.size), _weights(more_weights, further.size)
    _check_sizes(answers, at, further)
    n, m = answers.size, further.size
    middle = (float((w * at).sum()) + float((v * further).sum())) / (n + m)
    a, b, c = _weighed(answers, w), w * (at - middle), v * (further - middle)
    spread = float(np.concatenate([b, c]).var(ddof=1))
    covariance = float(((a - a.mean()) * (b - b.mean())).mean())
    constant = np.ptp(at) == 0
    tuned = 0.0 if constant or spread <= 0 else covariance / ((1 + n / m) * spread)
    if design.draws_rows or constant:
        weight = max(tuned, 0.0)
    else:
        weight = _tuned_by_units(_weighed(answers, w), _weighed(at, w), _weighed(further, v), (w, v), design)
    value = float((v * weight * further).mean() + (w * (answers - weight * at)).mean())
    few = int(n < NORMAL_FROM)
    own, theirs = _weighed(answers - weight * at, w), _weighed(weight * further, v)
    se = float(np.sqrt(own.var(ddof=few) / n + (theirs.var(ddof=few) / m if m > few else 0.0)))
    alone = float(a.var(ddof=few) / n) ** 0.5
    reach = quantile(n, level) * se
    if not design.is_plain:
        people, both = [design.people_part(a, w)], design.parts(own, theirs, w, v)
        alone, se = float(np.sqrt(units_variance(people))), float(np.sqrt(units_variance(both)))
        reach = float(special.stdtrit(max(units_count(people) - 1, 1), 0.5 + level / 2)) * se
    r = float("nan") if constant or np.ptp(answers) == 0 else _weighted_r(answers, at, w)
    return PoweredMean(value, se, value - reach, value + reach, weight, float((w * answers).mean()), alone, r)


def powered_deviations(
    y: ArrayLike,
    f: ArrayLike,
    more: ArrayLike,
    weight: float,
    *,
    weights: ArrayLike | None = None,
    more_weights: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Compute what each person and each further prediction does to a powered mean, times their number."""
    answers, at, further = (np.asarray(x, dtype=np.float64) for x in (y, f, more))
    w, v = _weights(weights, answers.size), _weights(more_weights, further.size)
    return _weighed(answers - weight * at, w), _weighed(weight * further, v)


def _weighed(values: Floats, w: Floats) -> Floats:
    """Return what each value does to the weighted mean: w (x - mean), weights scaled to a mean of 1."""
    return np.asarray(w * (values - (w * values).mean()))


def quantile(n: int, level: float) -> float:
    """Return the two-sided quantile for n people: normal from `NORMAL_FROM` on, Student's t below."""
    at = 0.5 + level / 2
    return float(special.ndtri(at) if n >= NORMAL_FROM else special.stdtrit(n - 1, at))


def _weighted_r(y: Floats, f: Floats, w: Floats) -> float:
    dy, df = y - np.average(y, weights=w), f - np.average(f, weights=w)
    below = np.sqrt(np.average(dy**2, weights=w) * np.average(df**2, weights=w))
    return float(np.average(dy * df, weights=w) / below) if below > 0 else float("nan")


def _weights(weights: ArrayLike | None, size: int) -> Floats:
    """Return weights with a mean of 1."""
    if weights is None:
        return np.ones(size)
    found = np.asarray(weights, dtype=np.float64)
    if found.size != size:
        raise OptionError(f"{found.size} weights for {size} rows")
    if (found < 0).any() or not found.sum() > 0:
        raise OptionError("weights are negative, or all 0")
    return np.asarray(found / found.sum() * size)


def _check_sizes(y: Floats, f: Floats, more: Floats) -> None:
    if y.size != f.size:
        raise OptionError(f"{y.size} answers of people, {f.size} predictions for them: one each is needed")
    if y.size < 2:
        raise UndefinedError(f"{y.size} people: a mean with a standard error needs two")
    if more.size < 1:
        raise UndefinedError("no further prediction: there is nothing to combine with")


@dataclass(frozen=True, slots=True, eq=False)
class PoweredRegression:
    """Coefficients of a linear regression from people and predictions; arrays over coefficients."""

    value: Floats
    se: Floats
    low: Floats
    high: Floats
    weight: float
    people: Floats
    people_se: Floats
    quantile: float
    """Standard errors from the value to an end of its interval."""


def powered_regression(
    x: ArrayLike,
    y: ArrayLike,
    f: ArrayLike,
    more_x: ArrayLike,
    more: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    more_weights: ArrayLike | None = None,
    design: SampleDesign = PLAIN,
    level: float = 0.95,
) -> PoweredRegression:
    r"""Compute least-squares coefficients from people with predictions and further predictions.

    .. math:: \hat\theta = \hat\beta(X_N, \lambda f_N) + \hat\beta(X_n, y - \lambda f)

    One weight for all coefficients makes the sum of their variances small; sandwich standard errors, over
    clusters and within strata where a `design` names them. Below `SANDWICH_FROM` people or clusters the
    weight is tuned at the coefficients of people alone, each table has its own residuals, each person or
    cluster is left out of its own fit (HC3: MacKinnon & White 1985; CR3), and the quantile is Student's:
    plain sandwiches covered 74 to 94 % with 25 to 80 people, 91 to 95 % with 120.
    """
    xs, ys, fs, xn, fn = (np.asarray(one, dtype=np.float64) for one in (x, y, f, more_x, more))
    w, v = _weights(weights, ys.size), _weights(more_weights, fn.size)
    _check_sizes(ys, fs, fn)
    if np.linalg.matrix_rank(xs) < xs.shape[1] or np.linalg.matrix_rank(xn) < xn.shape[1]:
        raise UndefinedError("covariates are collinear, or fewer rows than coefficients")
    units = ys.size if design.is_plain else units_count([design.people_part(ys, w)])
    few = units < SANDWICH_FROM
    alone = _least_squares(xs, ys, w)
    first = alone if few else _least_squares(xn, fn, v) + _least_squares(xs, ys - fs, w)
    weight = _tuned(xs, ys, fs, xn, fn, w=w, v=v, at=first)
    value = _least_squares(xn, weight * fn, v) + _least_squares(xs, ys - weight * fs, w)
    given: dict[str, Any] = {"w": w, "v": v, "design": design}
    errors = _left_out_errors if few else _sandwich
    se = errors(xs, ys, fs, xn, fn, **given, at=value, weight=weight)
    alone_se = errors(xs, ys, fs, xn, fn, **given, at=alone, weight=0.0)
    reach = quantile(units + 1 - alone.size if few and design.is_plain else units, level)
    return PoweredRegression(
        value, se, value - reach * se, value + reach * se, weight, alone, alone_se, quantile=reach
    )


def _least_squares(x: Floats, y: Floats, w: Floats) -> Floats:
    root = np.sqrt(w)
    return np.asarray(np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0])


def _gradients(x: Floats, y: Floats, w: Floats, at: Floats) -> Floats:
    return np.asarray((w * (x @ at - y))[:, None] * x)


def _tuned(
    x: Floats, y: Floats, f: Floats, xn: Floats, fn: Floats, *, w: Floats, v: Floats, at: Floats
) -> float:
    """Return the weight of predictions that makes the trace of the covariance smallest, 0 or more."""
    n, m = y.size, fn.size
    inverse = np.linalg.inv(((x * w[:, None]).T @ x + (xn * v[:, None]).T @ xn) / (n + m))
    own, theirs, more = _gradients(x, y, w, at), _gradients(x, f, w, at), _gradients(xn, fn, v, at)
    dy, df = own - own.mean(axis=0), theirs - theirs.mean(axis=0)
    covariance = (dy.T @ df + df.T @ dy) / n
    variance = np.atleast_2d(np.cov(np.concatenate([theirs, more]).T))
    below = 2 * (1 + n / m) * float(np.trace(inverse @ variance @ inverse))
    return max(float(np.trace(inverse @ covariance @ inverse)) / below, 0.0) if below > 0 else 0.0


def _sandwich(
    x: Floats,
    y: Floats,
    f: Floats,
    xn: Floats,
    fn: Floats,
    *,
    w: Floats,
    v: Floats,
    at: Floats,
    weight: float,
    design: SampleDesign,
) -> Floats:
    n, m = y.size, fn.size
    if weight == 0:
        inverse = np.linalg.inv((x * w[:, None]).T @ x / n)
    else:
        inverse = np.linalg.inv(((x * w[:, None]).T @ x + (xn * v[:, None]).T @ xn) / (n + m))
    own, theirs, more = _gradients(x, y, w, at), _gradients(x, f, w, at), _gradients(xn, fn, v, at)
    if not design.is_plain:
        moved, further = (own - weight * theirs) @ inverse, weight * more @ inverse
        used = 2 if weight > 0 else 1
        return np.sqrt([
            units_variance(design.parts(moved[:, k], further[:, k], w, v)[:used]) for k in range(at.size)
        ])  # fmt: skip
    middle = np.atleast_2d(np.cov((own - weight * theirs).T))
    if weight > 0:
        middle = middle + n / m * np.atleast_2d(np.cov(weight * more.T))
    return np.asarray(np.sqrt(np.diag(inverse @ middle @ inverse) / n))


def _left_out_errors(
    x: Floats,
    y: Floats,
    f: Floats,
    xn: Floats,
    fn: Floats,
    *,
    w: Floats,
    v: Floats,
    at: Floats,
    weight: float,
    design: SampleDesign,
) -> Floats:
    """Return standard errors from what each unit does to the fit of the others, in its own table."""
    own = _left_out_moves(x, y - weight * f, w, design.people_part(y, w))
    used = 2 if weight > 0 else 1
    further = _left_out_moves(xn, weight * fn, v, design.parts(y, fn, w, v)[1]) if used > 1 else xn * 0.0
    if design.is_plain:
        variance = (own**2).sum(axis=0) / y.size**2 + (further**2).sum(axis=0) / fn.size**2
        return np.asarray(np.sqrt(variance))
    parts = (design.parts(own[:, k], further[:, k], w, v)[:used] for k in range(at.size))
    return np.sqrt([units_variance(part) for part in parts])


def _left_out_moves(x: Floats, y: Floats, w: Floats, sample: SampledRows) -> Floats:
    r"""Return what each row does to the coefficients, times their number: :math:`n (A - A_u)^{-1} x w r`.

    A is X'WX, :math:`A_u` the part of the row's unit u: a unit's sum is the change of the fit without it.
    """
    weighted = x * w[:, None]
    whole = weighted.T @ x
    scores = weighted * (y - x @ _least_squares(x, y, w))[:, None]
    codes = _unit_codes([sample])
    if codes.max() + 1 == y.size:  # rows: the same by their leverage
        inverse = np.linalg.inv(whole)
        rest = 1 - np.einsum("ij,jk,ik->i", weighted, inverse, x)
        moves = scores @ inverse / np.where(rest > _NOTHING, rest, np.nan)[:, None]
    else:
        parts = np.zeros((codes.max() + 1, *whole.shape))
        np.add.at(parts, codes, weighted[:, :, None] * x[:, None, :])
        scaled = np.linalg.eigvalsh(whole - parts)
        others = np.where((scaled[:, 0] > _NOTHING * scaled[:, -1])[:, None, None], whole - parts, np.nan)
        moves = np.asarray(np.linalg.solve(others[codes], scores[:, :, None])[:, :, 0], dtype=np.float64)
    if np.isnan(moves).any():
        raise UndefinedError("without one of its people, or clusters, a coefficient is undefined")
    return np.asarray(moves * y.size)


def effective_people(n: ArrayLike, m: ArrayLike, correlation: ArrayLike) -> Floats:
    """Compute how many people would give the same standard error: n/(1 - ρ² N/(n + N)), ρ at least 0."""
    people, replies = np.asarray(n, dtype=np.float64), np.asarray(m, dtype=np.float64)
    r = np.maximum(np.asarray(correlation, dtype=np.float64), 0.0)
    return np.asarray(people / (1 - r**2 * replies / (people + replies)))


def worth_in_people(n: float, people_se: float, se: float) -> float:
    r"""Compute how many more people would do as much: :math:`n (SE_{people}/SE)^2 - n`."""
    return n * (people_se / se) ** 2 - n if se > 0 else 0.0


def implied_correlation(n: float, m: float, worth: float) -> float:
    """Compute the correlation at which m further predictions are worth so many people."""
    gain = max(worth, 0.0) / (n + max(worth, 0.0))
    return float(min(np.sqrt(gain * (n + m) / m), 1.0))


@dataclass(frozen=True, slots=True)
class MixedDesign:
    """The cheapest numbers of people and of predictions for a standard error."""

    people: int
    replies: int
    cost: float
    se: float
    people_alone: int
    """People that would be needed without predictions, and what they cost."""
    cost_alone: float


def cheapest_mixed(
    correlation: float, *, sd: float, se: float, person_cost: float, reply_cost: float
) -> MixedDesign:
    """Find the cheapest (n, N) with SE² = σ²/n (1 - ρ² N/(n + N)); every person needs a prediction too."""
    if not (0 <= correlation < 1) or sd <= 0 or se <= 0 or person_cost <= 0 or reply_cost < 0:
        raise OptionError(
            "a plan needs a correlation from 0 to below 1, sd, se and the price of a person above 0, and the "
            "price of a reply of 0 or more"
        )
    correlation = correlation if correlation > 1e-6 else 0.0  # less is worth nothing, and overflows
    whole = (sd / se) ** 2
    alone = max(2, int(np.ceil(whole * (1 - 1e-12))))
    least = int(np.floor(whole * (1 - correlation**2))) + 1
    n = np.unique(np.round(np.linspace(min(max(least, 2), alone), alone, 200_001)).astype(np.int64))
    share = np.clip(1 - n / whole, 0.0, None) / correlation**2 if correlation > 0 else np.zeros(n.size)
    possible = share < 1
    with np.errstate(divide="ignore", invalid="ignore"):
        replies = np.where(possible, np.ceil(n * share / (1 - share) * (1 - 1e-12)), np.inf)
    cost = np.where(replies > 0, n * (person_cost + reply_cost) + replies * reply_cost, n * person_cost)
    if correlation == 0:
        cost = np.where(n == alone, n * person_cost, np.inf)
    best = int(np.nanargmin(cost))
    people, more = int(n[best]), int(replies[best])
    reached = sd / float(np.sqrt(effective_people(people, max(more, 1), correlation if more else 0.0)))
    return MixedDesign(people, more, float(cost[best]), reached, alone, alone * person_cost)
