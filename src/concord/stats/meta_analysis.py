r"""Random-effects meta-analysis of differences: REML, Knapp and Hartung, prediction interval, clusters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.number_words import number
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import checked_level


@dataclass(frozen=True, slots=True)
class MetaAnalysis:
    """What many estimates with known standard errors say together."""

    mean: Estimate
    """Mean true effect with its interval (Knapp and Hartung, or clustered)."""
    se: float
    df: float
    p_value: float
    """Of no mean effect."""
    tau2: float
    """Variance of true effects, by restricted maximum likelihood."""
    q: float
    q_df: int
    q_p: float
    """Cochran's Q: whether effects vary more than their errors."""
    i2: float
    """Share of the variance of estimates that is variance of true effects."""
    prediction: Interval | None
    """Where the true effect of another such test lies; None below three estimates."""
    n: int
    n_clusters: int
    """Clusters that the standard error respects; as many as estimates where there are none."""


def meta_analysis(
    effects: ArrayLike,
    standard_errors: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
) -> MetaAnalysis:
    r"""Random-effects meta-analysis of estimates with known standard errors; NaN leaves a test out.

    :math:`\tau^2` by restricted maximum likelihood, weights :math:`1/(v_i + \tau^2)`. Without clusters the
    standard error and its t are Knapp and Hartung's; with clusters (tests that share participants) the
    bias-reduced sandwich CR2 with Satterthwaite's degrees of freedom. The prediction interval is
    :math:`\hat\mu \pm t \sqrt{\hat\tau^2 + SE^2}` with the same degrees of freedom.

    References
    ----------
    Viechtbauer (2005), Journal of Educational and Behavioral Statistics, 30, 261-293.
    Knapp & Hartung (2003), Statistics in Medicine, 22, 2693-2710.
    Pustejovsky & Tipton (2018), Journal of Business & Economic Statistics, 36, 672-683.
    Riley et al. (2011), BMJ, 342, d549.

    Examples
    --------
    >>> found = meta_analysis([0.1, 0.4, 0.3, 0.8], [0.1, 0.15, 0.2, 0.2])
    >>> round(found.mean.value, 4), round(found.tau2, 4), round(found.i2, 2)
    (0.3719, 0.0588, 0.71)
    """
    y, v, labels = _checked(effects, standard_errors, clusters)
    tau2 = _reml(y, v)
    w = 1 / (v + tau2)
    mean = float(w @ y / w.sum())
    if labels is None:
        se = float(np.sqrt(w @ (y - mean) ** 2 / ((y.size - 1) * w.sum())))
        df, n_clusters, method = float(y.size - 1), y.size, "REML, Knapp-Hartung"
    else:
        se, df = _cr2(y - mean, w, labels)
        n_clusters, method = int(np.unique(labels).size), "REML, CR2"
    reach = float(special.stdtrit(df, 0.5 + checked_level(level) / 2)) * se
    p = float(2 * special.stdtr(df, -abs(mean) / se)) if se > 0 else float("nan")
    q = float(np.sum((y - np.sum(y / v) / np.sum(1 / v)) ** 2 / v))
    spread = np.sum(1 / v) ** 2 - np.sum(1 / v**2)
    if not 0 < spread < np.inf:
        raise UndefinedError("one estimate has all the weight")
    typical = (y.size - 1) * np.sum(1 / v) / spread
    return MetaAnalysis(
        mean=Estimate(mean, Interval(mean - reach, mean + reach, level, method), int(y.size), method=method),
        se=se,
        df=df,
        p_value=p,
        tau2=tau2,
        q=q,
        q_df=int(y.size - 1),
        q_p=float(special.chdtrc(y.size - 1, q)),
        i2=float(tau2 / (tau2 + typical)),
        prediction=_prediction(mean, np.sqrt(tau2 + se**2), df, y.size, level),
        n=int(y.size),
        n_clusters=n_clusters,
    )


def _checked(
    effects: ArrayLike, standard_errors: ArrayLike, clusters: ArrayLike | None
) -> tuple[Floats, Floats, Floats | None]:
    y, se = (np.asarray(x, dtype=np.float64) for x in (effects, standard_errors))
    if y.shape != se.shape or y.ndim != 1:
        raise OptionError("a meta-analysis needs one effect and one standard error per test")
    known = ~(np.isnan(y) | np.isnan(se))
    if not (se[known] > 0).all() or not np.isfinite(y[known]).all():
        raise OptionError("a meta-analysis needs finite effects and positive standard errors")
    if known.sum() < 2:
        raise UndefinedError(f"a meta-analysis needs at least 2 estimates, there are {int(known.sum())}")
    if clusters is None:
        return y[known], se[known] ** 2, None
    names = np.asarray(clusters)
    if names.shape != y.shape:
        raise OptionError(f"there are {names.size} cluster labels for {y.size} tests")
    _, codes = np.unique(names[known], return_inverse=True)
    if codes.max() == 0:
        raise UndefinedError("a clustered standard error needs at least 2 clusters, there is 1")
    return y[known], se[known] ** 2, codes.astype(np.float64)


def _reml(y: Floats, v: Floats) -> float:
    """Variance of true effects: where the restricted likelihood is largest, at or above 0."""
    from scipy.optimize import brentq, minimize_scalar  # loaded when needed

    def slope(tau2: float) -> float:
        w = 1 / (v + tau2)
        total = w.sum()
        residual = y - w @ y / total
        return float(-w.sum() + (w @ w) / total + w**2 @ residual**2)

    def minus_height(tau2: float) -> float:
        w = 1 / (v + tau2)
        residual = y - w @ y / w.sum()
        return float(0.5 * (-np.log(w).sum() + np.log(w.sum()) + w @ residual**2))

    far = 10 * float(np.var(y)) + 1e-12
    # a few starting cells: the likelihood may have a second peak where few estimates differ much in precision
    grid = np.concatenate([[0.0], far * np.geomspace(1e-8, 1.0, 60)])
    best = int(np.argmin([minus_height(tau2) for tau2 in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    if best == 0 and slope(0.0) <= 0:
        return 0.0
    if slope(low) > 0 > slope(high):
        return float(brentq(slope, low, high, xtol=1e-15, rtol=1e-14))
    found = minimize_scalar(minus_height, bounds=(low, high), method="bounded", options={"xatol": 1e-12})
    return float(found.x)


def _prediction(mean: float, spread: float, df: float, k: int, level: float) -> Interval | None:
    if k < 3:
        return None
    reach = float(special.stdtrit(df, 0.5 + level / 2)) * spread
    return Interval(float(mean - reach), float(mean + reach), level, f"prediction, t with {number(df, 1)} df")


def _cr2(residual: Floats, w: Floats, codes: Floats) -> tuple[float, float]:
    """Bias-reduced sandwich of a weighted mean and Satterthwaite's degrees of freedom."""
    # Inverse-variance weights are the working model, so with Φ = diag(1/w) the adjustment of cluster c is A_c
    # = D' (D (I - H)_c Φ (I - H)_c' D')^(-1/2) D, D = Φ_c^(1/2).
    total = float(w.sum())
    parts = []
    for code in np.unique(codes):
        held = np.flatnonzero(codes == code)
        hat = np.tile(-w / total, (held.size, 1))
        hat[np.arange(held.size), held] += 1
        d = np.diag(np.sqrt(1 / w[held]))
        middle = d @ ((hat / w) @ hat.T) @ d.T
        values, vectors = np.linalg.eigh(middle)
        kept = values > 1e-12 * values.max()
        root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
        # what the cluster's residuals are multiplied by in the mean, as a row over all observations
        parts.append(w[held] @ (d.T @ root @ d) @ hat / total)
    rows = np.array(parts)
    spread = (rows / w) @ rows.T
    df = float(np.trace(spread) ** 2 / np.sum(spread * spread))
    return float(np.sqrt(np.sum((rows @ residual) ** 2))), df
