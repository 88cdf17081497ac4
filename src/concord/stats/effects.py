"""Effect sizes in their native form, their standard errors, and their d-equivalents."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit, ndtri

from concord.errors import OptionError
from concord.stats.elementwise import Bools, Floats, broadcast, shaped, where_defined

LARGEST_R = 1 - 1e-6
"""Correlations from this size on have no finite d-equivalent."""
LOGISTIC_SD = np.pi / np.sqrt(3)
"""Standard deviation of the logistic distribution: log odds to d."""


def cohens_d(t: ArrayLike, n1: ArrayLike, n2: ArrayLike | None = None) -> Floats | float:
    r"""Cohen's d from t: :math:`t\sqrt{1/n_1 + 1/n_2}`; one sample or pairs :math:`d_z = t/\sqrt n`.

    References
    ----------
    Lakens (2013), Frontiers in Psychology, 4, 863.

    Examples
    --------
    >>> round(cohens_d(8.4, 61, 61), 4), cohens_d(3.0, 9)
    (1.521, 1.0)
    """
    # what belongs to the design is computed once for all samples of it
    (n1_, n2_), design = broadcast(n1, np.inf if n2 is None else n2)
    scale = where_defined((n1_ > 0) & (n2_ > 0), lambda a, b: np.sqrt(1 / a + 1 / b), n1_, n2_)
    values = np.asarray(t, dtype=np.float64) * scale.reshape(design)
    return shaped(values.reshape(-1), values.shape, "d needs t and positive sample sizes")


def cohens_d_se(d: ArrayLike, n1: ArrayLike, n2: ArrayLike | None = None) -> Floats | float:
    r"""Large-sample standard error of d, two samples or one.

    Two samples :math:`\sqrt{(n_1+n_2)/(n_1 n_2) + d^2/(2(n_1+n_2))}`, one :math:`\sqrt{1/n + d^2/(2n)}`.

    References
    ----------
    Hedges & Olkin (1985), Statistical Methods for Meta-Analysis. Academic Press.

    Examples
    --------
    >>> round(cohens_d_se(0.5, 50, 50), 4), round(cohens_d_se(0.5, 50), 4)
    (0.2031, 0.15)
    """
    (n1_, n2_), design = broadcast(n1, 0.0 if n2 is None else n2)

    def spread(n1: Floats, n2: Floats) -> Floats:
        return 1 / n1 + np.where(n2 > 0, 1 / np.where(n2 > 0, n2, 1.0), 0.0)

    fixed = where_defined((n1_ > 0) & (n2_ >= 0), spread, n1_, n2_).reshape(design)
    squares = np.square(np.asarray(d, dtype=np.float64)) / (2 * (n1_ + n2_)).reshape(design)
    values = np.sqrt(fixed + squares)
    return shaped(values.reshape(-1), values.shape, "d needs positive sample sizes")


def d_from_f(f: ArrayLike, df1: ArrayLike, df2: ArrayLike) -> Floats | float:
    r"""Unsigned d of an F: :math:`2\sqrt{R^2/(1-R^2)} = 2\sqrt{df_1 F / df_2}`.

    Its mean is positive even without an effect, so it is left out of concordances by default.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences (2nd ed.), chapter 8.

    Examples
    --------
    >>> round(d_from_f(54.52, 2, 476), 4)
    0.9572
    """
    (f_, df1_, df2_), shape = broadcast(f, df1, df2)
    defined = (f_ >= 0) & (df1_ >= 1) & (df2_ > 0)
    values = where_defined(defined, lambda f, a, b: 2 * np.sqrt(a * f / b), f_, df1_, df2_)
    return shaped(values, shape, "d of an F needs F >= 0, df1 >= 1 and df2 > 0")


def d_from_f_se(d: ArrayLike, n: ArrayLike) -> Floats | float:
    r"""Return standard error that goes with `d_from_f`: :math:`\sqrt{4/N + d^2/(2N)}`.

    References
    ----------
    Hedges & Olkin (1985), Statistical Methods for Meta-Analysis. Academic Press: the two-sample form with two
    equal cells.

    Examples
    --------
    >>> round(d_from_f_se(0.5, 100), 4)
    0.2031
    """
    (d_, n_), shape = broadcast(d, n)
    values = where_defined(n_ > 0, lambda d, n: np.sqrt(4 / n + d * d / (2 * n)), d_, n_)
    return shaped(values, shape, "d of an F needs a positive N")


def _r_defined(r: Floats) -> Bools:
    return np.asarray(np.abs(r) < LARGEST_R)


def correlation_z(r: ArrayLike) -> Floats | float:
    """Fisher's z of a correlation as an effect size: undefined, not clamped, from |r| = 1 - 1e-6 on.

    References
    ----------
    Fisher (1921), Metron, 1, 3-32.

    Examples
    --------
    >>> round(correlation_z(0.42), 4)
    0.4477
    """
    (r_,), shape = broadcast(r)
    return shaped(where_defined(_r_defined(r_), np.arctanh, r_), shape, "|r| near 1 has no finite z")


def correlation_se(n: ArrayLike) -> Floats | float:
    r"""Return standard error of Fisher's z, :math:`1/\sqrt{n - 3}`.

    References
    ----------
    Fisher (1921), Metron, 1, 3-32.

    Examples
    --------
    >>> correlation_se(103)
    0.1
    """
    (n_,), shape = broadcast(n)
    values = where_defined(n_ > 3, lambda n: 1 / np.sqrt(n - 3), n_)
    return shaped(values, shape, "the standard error of Fisher's z needs n > 3")


def d_from_r(r: ArrayLike) -> Floats | float:
    r"""d-equivalent of a correlation, :math:`2r/\sqrt{1 - r^2}`; undefined from :math:`|r| = 1 - 10^{-6}` on.

    References
    ----------
    Rosenthal (1994), Parametric measures of effect size. In The Handbook of Research Synthesis.

    Examples
    --------
    >>> round(d_from_r(0.42), 4)
    0.9256
    """
    (r_,), shape = broadcast(r)
    values = where_defined(_r_defined(r_), lambda r: 2 * r / np.sqrt((1 - r) * (1 + r)), r_)
    return shaped(values, shape, "|r| near 1 has no finite d")


def _corrected(table: ArrayLike) -> tuple[Floats, tuple[int, ...]]:
    """2 x 2 tables flattened, half a count added to every cell of a table that has an empty one."""
    tables = np.asarray(table, dtype=np.float64)
    if tables.shape[-2:] != (2, 2):
        raise OptionError(f"an odds ratio needs 2 x 2 tables, got shape {tables.shape}")
    flat = tables.reshape(-1, 4)
    return flat + 0.5 * (flat == 0).any(axis=1, keepdims=True), tables.shape[:-2]


def log_odds_ratio(table: ArrayLike) -> Floats | float:
    r"""Log odds ratio :math:`\ln(ad/bc)` of ``[[a, b], [c, d]]``, with 1/2 added to all cells if any is 0.

    References
    ----------
    Haldane (1956), Annals of Human Genetics, 20, 309-311.

    Examples
    --------
    >>> round(log_odds_ratio([[32, 7], [9, 30]]), 4)
    2.7238
    """
    cells, shape = _corrected(table)
    log_cells = np.log(cells)
    values = log_cells[:, 0] + log_cells[:, 3] - log_cells[:, 1] - log_cells[:, 2]
    return shaped(values, shape, "an odds ratio needs counts")


def log_odds_ratio_se(table: ArrayLike) -> Floats | float:
    r"""Return standard error of the log odds ratio, :math:`\sqrt{\sum 1/cell}` (same correction).

    References
    ----------
    Woolf (1955), Annals of Human Genetics, 19, 251-253.

    Examples
    --------
    >>> round(log_odds_ratio_se([[32, 7], [9, 30]]), 4)
    0.5644
    """
    cells, shape = _corrected(table)
    return shaped(np.sqrt((1 / cells).sum(axis=1)), shape, "an odds ratio needs counts")


def d_from_log_odds(log_odds: ArrayLike) -> Floats | float:
    r"""d-equivalent of a log odds ratio, :math:`\ln OR \cdot \sqrt3/\pi`.

    References
    ----------
    Hasselblad & Hedges (1995), Psychological Bulletin, 117, 167-178.

    Examples
    --------
    >>> round(d_from_log_odds(2.7238), 4)
    1.5017
    """
    (value,), shape = broadcast(log_odds)
    return shaped(value / LOGISTIC_SD, shape, "d needs a log odds ratio")


def rank_biserial(u: ArrayLike, n1: ArrayLike, n2: ArrayLike) -> Floats | float:
    """Rank-biserial correlation :math:`1 - 2U/(n_1 n_2)`, U counted for group 2: positive, group 1 is higher.

    References
    ----------
    Kerby (2014), Comprehensive Psychology, 3, 11.IT.3.1.

    Examples
    --------
    >>> rank_biserial(25, 10, 10), rank_biserial(0, 10, 10)
    (0.5, 1.0)
    """
    (u_, n1_, n2_), shape = broadcast(u, n1, n2)
    defined = (n1_ >= 1) & (n2_ >= 1) & (u_ >= 0) & (u_ <= n1_ * n2_)
    values = where_defined(defined, lambda u, a, b: 1 - 2 * u / (a * b), u_, n1_, n2_)
    return shaped(values, shape, "U needs 0 <= U <= n1 n2")


def rank_biserial_se(r: ArrayLike, n1: ArrayLike, n2: ArrayLike, *, method: str = "simple") -> Floats | float:
    r"""Return standard error of the rank-biserial correlation.

    ``simple``: :math:`\sqrt{1/n_1 + 1/n_2 + r^2/(2(n_1+n_2))}`, the form of the first benchmark;
    ``hanley-mcneil``: twice the standard error of the area :math:`A = (1+r)/2` (0.16 below).

    References
    ----------
    Hanley & McNeil (1982), Radiology, 143, 29-36.

    Examples
    --------
    >>> round(rank_biserial_se(0.5, 20, 20), 4)
    0.3211
    """
    if method not in ("simple", "hanley-mcneil"):
        raise OptionError(f"method is {method!r}; expected 'simple' or 'hanley-mcneil'")
    (r_, n1_, n2_), shape = broadcast(r, n1, n2)
    defined = (np.abs(r_) <= 1) & (n1_ >= 1) & (n2_ >= 1)
    rule = _simple_se if method == "simple" else _hanley_mcneil_se
    return shaped(where_defined(defined, rule, r_, n1_, n2_), shape, "a rank-biserial needs |r| <= 1")


def _simple_se(r: Floats, n1: Floats, n2: Floats) -> Floats:
    return np.asarray(np.sqrt(1 / n1 + 1 / n2 + r * r / (2 * (n1 + n2))))


def _hanley_mcneil_se(r: Floats, n1: Floats, n2: Floats) -> Floats:
    area = 0.5 * (1 + r)
    q1 = area / (2 - area)  # two of group 1 above one of group 2
    q2 = 2 * area * area / (1 + area)  # one of group 1 above two of group 2
    variance = area * (1 - area) + (n1 - 1) * (q1 - area**2) + (n2 - 1) * (q2 - area**2)
    return np.asarray(2 * np.sqrt(variance / (n1 * n2)))


def d_from_rank_biserial(r: ArrayLike) -> Floats | float:
    r"""Return d of two normal populations with this rank-biserial: :math:`\sqrt2\,\Phi^{-1}((1+r)/2)`.

    `d_from_r` gives 1.155 instead of 0.954 for 0.5.

    References
    ----------
    Ruscio (2008), Psychological Methods, 13, 19-30.

    Examples
    --------
    >>> round(d_from_rank_biserial(0.5), 4)
    0.9539
    """
    (r_,), shape = broadcast(r)
    values = where_defined(_r_defined(r_), lambda r: np.sqrt(2) * ndtri(0.5 * (1 + r)), r_)
    return shaped(values, shape, "|r| near 1 has no finite d")


def d_from_proportion(k: ArrayLike, n: ArrayLike, p0: ArrayLike = 0.5) -> Floats | float:
    r"""d-equivalent of a proportion against `p0`: :math:`2(p - p_0)/\sqrt{p_0(1-p_0)}`.

    References
    ----------
    The standardised difference of a rate in units of half its standard deviation under H0; the log odds form
    is `proportion_log_odds` through `d_from_log_odds`.

    Examples
    --------
    >>> d_from_proportion(75, 100)
    1.0
    """
    (k_, n_, p0_), shape = broadcast(k, n, p0)
    defined = (n_ >= 1) & (k_ >= 0) & (k_ <= n_) & (p0_ > 0) & (p0_ < 1)
    values = where_defined(defined, lambda k, n, p: 2 * (k / n - p) / np.sqrt(p * (1 - p)), k_, n_, p0_)
    return shaped(values, shape, "a proportion needs 0 <= k <= n and 0 < p0 < 1")


def proportion_se(k: ArrayLike, n: ArrayLike) -> Floats | float:
    r"""Return standard error of a proportion, :math:`\sqrt{p(1-p)/n}`; 0 when all or none succeed.

    References
    ----------
    Wald (1943), Transactions of the American Mathematical Society, 54, 426-482.

    Examples
    --------
    >>> proportion_se(50, 100)
    0.05
    """
    (k_, n_), shape = broadcast(k, n)
    defined = (n_ >= 1) & (k_ >= 0) & (k_ <= n_)
    values = where_defined(defined, lambda k, n: np.sqrt(k / n * (1 - k / n) / n), k_, n_)
    return shaped(values, shape, "a proportion needs 0 <= k <= n")


def proportion_log_odds(k: ArrayLike, n: ArrayLike, p0: ArrayLike = 0.5) -> Floats | float:
    r"""Log odds of a proportion over those of `p0`, with :math:`\tilde p = (k + 1/2)/(n + 1)`: always finite.

    References
    ----------
    Haldane (1956), Annals of Human Genetics, 20, 309-311.

    Examples
    --------
    >>> round(proportion_log_odds(75, 92), 4)
    1.4619
    """
    (k_, n_, p0_), shape = broadcast(k, n, p0)
    defined = (n_ >= 1) & (k_ >= 0) & (k_ <= n_) & (p0_ > 0) & (p0_ < 1)
    values = where_defined(
        defined, lambda k, n, p: np.log(k + 0.5) - np.log(n - k + 0.5) - logit(p), k_, n_, p0_
    )
    return shaped(values, shape, "a proportion needs 0 <= k <= n and 0 < p0 < 1")


def proportion_log_odds_se(k: ArrayLike, n: ArrayLike) -> Floats | float:
    r"""Return standard error of `proportion_log_odds`, :math:`1/\sqrt{(n+1)\tilde p(1-\tilde p)}`.

    References
    ----------
    Haldane (1956), Annals of Human Genetics, 20, 309-311.

    Examples
    --------
    >>> round(proportion_log_odds_se(75, 92), 4)
    0.2653
    """
    (k_, n_), shape = broadcast(k, n)
    defined = (n_ >= 1) & (k_ >= 0) & (k_ <= n_)
    values = where_defined(defined, lambda k, n: np.sqrt((n + 1) / ((k + 0.5) * (n - k + 0.5))), k_, n_)
    return shaped(values, shape, "a proportion needs 0 <= k <= n")


def z_difference(
    agent: ArrayLike, human: ArrayLike, agent_se: ArrayLike, human_se: ArrayLike
) -> Floats | float:
    r"""Difference of two effects in its standard error, :math:`(\delta_a-\delta_h)/\sqrt{SE_a^2+SE_h^2}`.

    References
    ----------
    Hedges & Olkin (1985), Statistical Methods for Meta-Analysis. Academic Press.

    Examples
    --------
    >>> z_difference(0.9, 0.4, 0.3, 0.4)
    1.0
    """
    a, h, sa, sh = [np.asarray(x, dtype=np.float64) for x in (agent, human, agent_se, human_se)]
    with np.errstate(over="ignore", under="ignore"):
        spread = np.asarray(np.sqrt(sa * sa + sh * sh))
    extreme = ~((spread > 1e-150) & (spread < 1e150))  # squares may be 0 or infinite where a sum is not
    if extreme.any():
        spread = np.where(extreme, np.hypot(sa, sh), spread)
        spread = np.where(np.isfinite(spread) & (spread > 0), spread, np.nan)
    values = np.asarray((a - h) / spread)
    message = "a difference needs two effects and a standard error above 0"
    return shaped(values.reshape(-1), values.shape, message)
