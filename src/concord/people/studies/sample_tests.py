"""Statistics of samples: arrays in, the numbers that a table of tests needs out.

Orientation is that of the whole project: the first group or variable minus the second.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.stats.elementwise import Floats
from concord.stats.pvalues import LARGEST_EXACT, p_mann_whitney_exact, p_mann_whitney_permutation
from concord.words import say


@dataclass(frozen=True, slots=True)
class Statistic:
    """The numbers of one test."""

    values: dict[str, object]
    """Columns of a table of tests, without the side."""
    z: float | None = None
    """Mann-Whitney: z with ties, group 1 higher positive."""
    p_value: float | None = None
    direction: int | None = None
    flags: tuple[str, ...] = ()


class TooSmallError(UndefinedError):
    """A sample too small for the test to exist."""


def need(n: int, least: int, what: str) -> None:
    """Refuse a sample that is too small."""
    if n < least:
        raise TooSmallError(say("people.untested.few", n=n, what=what, least=least))


def _varies(*samples: Floats) -> None:
    """Refuse samples without any spread: every statistic of spread divides by it."""
    scale = max(float(np.max(np.abs(s))) for s in samples)
    if all(float(np.ptp(s)) <= 1e-12 * max(scale, 1e-300) for s in samples):
        raise UndefinedError("nobody differs from anybody in the same group, so the test is undefined")


def sign_of(value: float, f: float | None = None) -> int:
    """Return the sign of an effect; 0 where its statistic is nothing but rounding."""
    nothing = abs(value) < 1e-9 if f is None else f < 1e-12
    return 0 if nothing else int(np.sign(value))


def t_two(first: Floats, second: Floats, *, welch: bool = False) -> Statistic:
    """Two-sample t, pooled or Welch's."""
    from scipy import stats

    need(min(len(first), len(second)), 2, "participants in a group")
    _varies(first, second)
    with warnings.catch_warnings():
        # One group of equal answers has no variance, which is exact; the other group's carries the test.
        warnings.filterwarnings("ignore", "Precision loss occurred", RuntimeWarning)
        result = stats.ttest_ind(first, second, equal_var=not welch)
    values: dict[str, object] = {
        "statistic": float(result.statistic),
        "df2": float(result.df),
        "n1": len(first),
        "n2": len(second),
    }
    return Statistic(values, p_value=float(result.pvalue), direction=sign_of(result.statistic))


def t_paired(first: Floats, second: Floats) -> Statistic:
    """Paired t."""
    return t_one(first - second, 0.0)


def t_one(sample: Floats, against: float) -> Statistic:
    """One-sample t."""
    from scipy import stats

    need(len(sample), 2, "participants")
    _varies(sample)
    result = stats.ttest_1samp(sample, against)
    values: dict[str, object] = {"statistic": float(result.statistic), "n": len(sample)}
    return Statistic(values, p_value=float(result.pvalue), direction=sign_of(float(result.statistic)))


def one_way(samples: Sequence[Floats]) -> Statistic:
    """One-way F; with two groups it has a direction."""
    from scipy import stats

    need(min(map(len, samples)), 1, "participants in a group")
    df1, df2 = len(samples) - 1, sum(map(len, samples)) - len(samples)
    need(df2, 1, "degrees of freedom within groups")
    _varies(*samples)
    result = stats.f_oneway(*samples)
    values: dict[str, object] = {"statistic": float(result.statistic), "df1": df1, "df2": df2}
    values["n"] = df1 + df2 + 1
    direction = None
    if df1 == 1:
        direction = sign_of(samples[0].mean() - samples[1].mean(), float(result.statistic))
        values |= {"n1": len(samples[0]), "n2": len(samples[1]), "direction": direction}
    return Statistic(values, p_value=float(result.pvalue), direction=direction)


def mann_whitney(first: Floats, second: Floats) -> Statistic:
    """Mann-Whitney U counted for group 2, with z corrected for ties and without continuity correction."""
    from scipy import stats

    need(min(len(first), len(second)), 1, "participants in a group")
    both = np.concatenate([first, second])
    _varies(both)
    result = stats.mannwhitneyu(second, first, method="asymptotic", use_continuity=False)
    n1, n2, u = len(first), len(second), float(result.statistic)
    ties = np.unique(both, return_counts=True)[1].astype(np.float64)
    n = n1 + n2
    sigma = np.sqrt(n1 * n2 / 12 * (n + 1 - float(np.sum(ties**3 - ties)) / (n * (n - 1))))
    z = float((n1 * n2 / 2 - u) / sigma)
    values: dict[str, object] = {"statistic": u, "n1": n1, "n2": n2, "u_of": "group2"}
    p = float(result.pvalue)
    if max(n1, n2) < LARGEST_EXACT:
        tied = ties.max() > 1
        p = p_mann_whitney_permutation(first, second) if tied else p_mann_whitney_exact(u, n1, n2)
    return Statistic(values, z=z, p_value=p, direction=sign_of(z))


def wilcoxon(first: Floats, second: Floats) -> Statistic:
    """Wilcoxon's signed ranks: p and direction; pairs without a difference are left out."""
    from scipy import stats

    gaps = first - second
    kept = gaps[gaps != 0]
    need(len(kept), 1, "pairs that differ")
    is_exact = len(kept) <= 50 and len(np.unique(np.abs(kept))) == len(kept)
    result = stats.wilcoxon(kept, method="exact" if is_exact else "approx")
    ranks = stats.rankdata(np.abs(kept))
    direction = sign_of(float(np.sum(ranks * np.sign(kept))))
    flags = ("Wilcoxon's signed ranks are scored by their p",)
    return Statistic({}, p_value=float(result.pvalue), direction=direction, flags=flags)


def signs(first: Floats, second: Floats) -> Statistic:
    """Sign test: how often the first is higher, of the pairs that differ."""
    higher, lower = int(np.sum(first > second)), int(np.sum(first < second))
    need(higher + lower, 1, "pairs that differ")
    ties = len(first) - higher - lower
    flags = (f"{ties} pairs without a difference left out",) if ties else ()
    return binomial(higher, higher + lower, 0.5, flags=flags)


def binomial(k: int, n: int, p0: float, *, flags: tuple[str, ...] = ()) -> Statistic:
    """Successes in trials."""
    from concord.stats.pvalues import p_binomial

    need(n, 1, "answers")
    values: dict[str, object] = {"k": k, "n": n, "p0": p0}
    direction = 0 if np.isclose(k, n * p0, rtol=1e-9) else sign_of(k - n * p0)
    return Statistic(values, p_value=float(p_binomial(k, n, p0)), direction=direction, flags=flags)


def correlate(pairs: Sequence[tuple[Floats, Floats]], *, ranks: bool) -> Statistic:
    """Pearson or Spearman correlation; of several pairs of variables their mean."""
    from scipy import stats

    from concord.stats.pvalues import p_correlation

    found, sizes = [], []
    for x, y in pairs:
        need(len(x), 3, "participants")
        for sample in (x, y):
            if np.ptp(sample) == 0:
                raise UndefinedError("one of the variables is the same for everybody")
        found.append(float(stats.spearmanr(x, y).statistic if ranks else stats.pearsonr(x, y).statistic))
        sizes.append(len(x))
    r = float(np.clip(np.mean(found), -1, 1))
    several = (f"mean of {len(found)} correlations",) if len(found) > 1 else ()
    n = min(sizes)
    p = float(p_correlation(r, n))
    return Statistic({"statistic": r, "n": n}, p_value=p, direction=sign_of(r), flags=several)


def variance_ratio(first: Floats, second: Floats) -> Statistic:
    """Variance of the first over that of the second."""
    from concord.stats.pvalues import p_variance_ratio

    need(min(len(first), len(second)), 2, "participants")
    if min(np.ptp(first), np.ptp(second)) == 0:
        raise UndefinedError("one of the variances is 0")
    f = float(np.var(first, ddof=1) / np.var(second, ddof=1))
    direction = sign_of(np.log(f))
    df1, df2 = len(first) - 1, len(second) - 1
    values: dict[str, object] = {"statistic": f, "df1": df1, "df2": df2, "direction": direction}
    return Statistic(values, p_value=float(p_variance_ratio(f, df1, df2)), direction=direction)


def contingency(counts: NDArray[np.int64]) -> Statistic:
    """Contingency table, rows are groups; its p is Pearson's without Yates' correction."""
    from concord.stats.contingency import chi_square
    from concord.stats.pvalues import p_chi_square

    need(int(counts.sum(axis=1).min()), 1, "answers in a group")
    direction = None
    if counts.shape == (2, 2):
        (a, b), (c, d) = counts.tolist()
        direction = sign_of(a * d - b * c)
    p = None
    if counts.sum(axis=0).min() > 0:
        found = chi_square(counts, yates=False)
        p = float(p_chi_square(found.statistic, found.df))
    return Statistic({"table": counts.tolist()}, p_value=p, direction=direction)


def _fit(y: Floats, x: Floats) -> tuple[Floats, float]:
    """Least squares: coefficients and the sum of squared residuals."""
    beta, _, rank, _ = np.linalg.lstsq(x, y, rcond=None)
    if rank < x.shape[1]:
        raise UndefinedError(
            "a cell is empty or variables depend on each other, so effects cannot be distinguished"
        )
    return np.asarray(beta, dtype=np.float64), float(np.sum((y - x @ beta) ** 2))


def linear_effect(y: Floats, effect: Floats, others: Floats) -> tuple[float, int, int, Floats]:
    """F of some columns of a linear model given the others (which hold the intercept): type III."""
    full = np.column_stack([effect, others])
    df1, df2 = effect.shape[1], len(y) - full.shape[1]
    need(df2, 1, "degrees of freedom for error")
    beta, residual = _fit(y, full)
    _sample_spread(residual, y)
    f = max(0.0, (_residual(y, others) - residual) / df1) / (residual / df2)
    return f, df1, df2, beta[:df1]


def _residual(y: Floats, x: Floats) -> float:
    """Sum of squared residuals; a model without columns leaves all of y."""
    return _fit(y, x)[1] if x.shape[1] else float(np.sum(y**2))


def _sample_spread(residual: float, y: Floats) -> None:
    """Refuse a model that leaves nothing but rounding of its outcome."""
    if residual <= 1e-20 * max(float(np.sum(y**2)), 1e-300):
        raise UndefinedError("nobody differs from anybody in the same group, so the test is undefined")


def p_of_f(f: float, df1: int, df2: int) -> float:
    """Return the p of an F."""
    from concord.stats.pvalues import p_f

    return float(p_f(f, df1, df2))


def sum_codes(labels: Sequence[str], levels: Sequence[str]) -> Floats:
    """Code a factor so that effects are differences from the mean of cells; the last level is -1."""
    codes = np.zeros((len(labels), len(levels) - 1))
    place = {level: i for i, level in enumerate(levels)}
    for row, label in enumerate(labels):
        if place[label] == len(levels) - 1:
            codes[row] = -1.0
        else:
            codes[row, place[label]] = 1.0
    return codes


def within(measures: Floats, others: Floats) -> Statistic:
    """Repeated-measures F of k measures (n, k), between factors coded in ``others`` (without intercept)."""
    # The sums of squares of k - 1 orthonormal contrasts are added up; sphericity is assumed.
    n, k = measures.shape
    contrasts = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, : k - 1]]))[0][:, 1:]
    if k == 2:
        contrasts = np.array([[1.0], [-1.0]]) / np.sqrt(2)
    gaps = measures @ contrasts
    full = np.column_stack([np.ones((n, 1)), others])
    need(n - full.shape[1], 1, "degrees of freedom for error")
    fits = [_fit(column, full) for column in gaps.T]
    error = sum(residual for _, residual in fits)
    _sample_spread(error, measures)
    effect = sum(_residual(column, others) for column in gaps.T) - error
    df1, df2 = k - 1, (n - full.shape[1]) * (k - 1)
    f = max(0.0, effect / df1) / (error / df2)
    values: dict[str, object] = {"statistic": f, "df1": df1, "df2": df2, "n": n}
    p = p_of_f(f, df1, df2)
    if k == 2:
        direction = sign_of(float(fits[0][0][0]), f)
        return Statistic({**values, "direction": direction}, p_value=p, direction=direction)
    return Statistic({**values, "p_value": p}, p_value=p, flags=("sphericity assumed",))
