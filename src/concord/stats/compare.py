"""Two models on the same items: the difference, its uncertainty, and whether it is more than chance."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.engine import SERIAL, Engine
from concord.errors import OptionError, UndefinedError
from concord.number_words import number
from concord.numeric import check_numbers
from concord.records import Estimate, Interval
from concord.stats.clustered import MeanError, clustered_mean, finite_vector
from concord.stats.coverage import FEW_DECIDE, coverage_note, difference_look, unseen_gains_matter
from concord.stats.elementwise import Bools, Floats, or_none
from concord.stats.equivalence import WithinMargin, adjusted_margins, within_margin
from concord.stats.intervals import FEWEST_CLUSTERS, wilson_interval
from concord.stats.mcnemar import bonett_price_interval, mcnemar
from concord.stats.multiple import benjamini_hochberg, differs, holm, indistinguishable
from concord.stats.resample import EXACT_PAIRS, sign_flip
from concord.stats.skewed import SkewedMean, skewed_mean

TESTS = ("auto", "mcnemar", "mcnemar-mid-p", "sign-flip", "sign-flip-mid-p", "t")
"""Ways to a p-value; ``auto`` takes the one that fits the scores."""
MANY_ITEMS = 5000
"""Beyond this many items random signs and Student's t give the same p, and t is used by default."""
SKEWED = "t for skewed differences"
"""The headline test where skewness is seen and sign flips cannot be counted."""
FEWEST_FLIPPED = 8
"""Clusters whose sign flips give p: of fewer it could hardly fall below .02, and t is used."""
STRONG_SKEW = 1.0
"""Skewness of clusters beyond which a comparison says how often such data are claimed to differ falsely."""
FALSE_OF_SKEWED = {8: 0.10, 10: 0.09, 15: 0.08}
"""False claims of lognormal differences by the least number of clusters (`benchmarks/skewed_clusters.py`)."""
# means of repeats differ in their last digits where the repeats agree
_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Choices:
    """How a comparison is made."""

    level: float = 0.95
    test: str = "auto"
    n_flips: int = 9999
    seed: int = 0
    repeated: bool = False
    """Whether scores are means of repeats: in few steps, so that sums of random signs tie."""
    margin: float | None = None
    """Smallest difference of interest: whether the difference is shown to be smaller; ``None``: not asked."""
    widest: float | None = None
    """Largest difference that scores of this kind can have (1 for shares): intervals end there."""

    def __post_init__(self) -> None:
        check_numbers(asdict(self), required=("level", "n_flips", "seed"))
        if self.margin is not None and self.level <= 0.5:
            raise OptionError(f"a margin needs a level above 0.5, got {self.level!r}")
        if self.test not in TESTS:
            raise OptionError(f"test is {self.test!r}; expected one of {', '.join(TESTS)}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One test of no difference."""

    test: str
    p_value: float
    statistic: float | None = None
    df: float | None = None


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """First minus second over the items that both have; ``None`` is undefined and ``note`` says why."""

    difference: Estimate
    """Mean difference with its interval; ``n`` counts items."""
    p_value: float | None
    test: str
    """The test behind ``p_value``."""
    verdicts: tuple[Verdict, ...]
    """Every test that fits these scores."""
    se_paired: float | None
    """Standard error of the mean of differences, clusters respected."""
    se_unpaired: float | None
    """What it would be had the models answered different items of the same kind."""
    variance_saved: float | None
    """Share of the variance that pairing takes away; negative where it adds some."""
    correlation: float | None
    effect_dz: float | None
    """Mean difference over the standard deviation of differences."""
    effect_dav: float | None
    """Mean difference over the root mean square of the two standard deviations of scores."""
    wins: int
    ties: int
    losses: int
    n_clusters: int
    note: str = ""
    within: WithinMargin | None = None
    """Whether the difference is smaller than the margin, where one was given."""


def compare_items(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    choices: Choices | None = None,
    engine: Engine = SERIAL,
) -> PairedComparison:
    """Compare two models' scores on the same items (in one order, repeats averaged).

    The standard error is that of paired differences, cluster-robust with clusters (`clustered_mean`). p comes
    from McNemar's exact test for 0-1 scores, from random signs for others (`sign_flip`, mid-p for means of
    repeats; Student's t beyond 5,000 items), from the clustered t with clusters, of 8 to 20 from all their
    signs. The interval is Bonett and Price's for 0-1 scores without clusters, otherwise Student's t. Where
    skewness is seen (beyond 0.5, five units and more; not for 0-1 scores) the interval is that of
    `skewed_mean`, beyond 20 units p as well, and t is a companion.

    References
    ----------
    Miller (2024), Adding error bars to evals: a statistical approach to language model evaluations.
    arXiv:2411.00640.
    Lakens (2013), Frontiers in Psychology, 4, 863.

    Examples
    --------
    >>> result = compare_items([1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0, 1, 0])
    >>> result.difference.value, result.p_value, result.test
    (0.375, 0.25, 'exact McNemar')
    """
    a, b, choices = finite_vector(first), finite_vector(second), choices or Choices()
    if a.shape != b.shape:
        raise OptionError(f"{a.size} scores of the first model, {b.size} of the second; they must be paired")
    if a.size == 0:
        raise UndefinedError("there is no item that both models have a score for")
    d = _item_differences(a, b)
    error = _mean_error(d, clusters)
    counted = _binary(a, b) and clusters is None
    skewed = None if counted else _skewed(d, clusters, choices)
    verdicts = _verdicts(a, b, clusters, error, choices, engine)
    by_t = a.size > MANY_ITEMS if clusters is None else not _enumerated(clusters, error, a.size)
    used = _used(verdicts, choices, counted=counted, by_t=by_t)
    if skewed is not None:
        verdicts = (*verdicts, Verdict(SKEWED, skewed.p_value, skewed.statistic, skewed.df))
        used = used if _enumerated(clusters, error, a.size) else verdicts[-1]

    widest = 1.0 if _binary(a, b) else choices.widest

    def at(level: float) -> tuple[Interval | None, str]:
        if skewed is not None:
            return _ended(skewed_mean(d, clusters, level=level).interval, widest), ""
        found, why = (bonett_price_interval(a - b, level=level), "") if counted else _t_interval(error, level)
        return _ended(found, widest), why

    interval, note = at(choices.level)
    if interval is not None and not counted:
        kind, units = ("difference", a.size) if clusters is None else ("families", _units(error))
        look = difference_look(d, clusters)
        if look == FEW_DECIDE or unseen_gains_matter(interval, float(d.mean()), (a, b), units):
            note = coverage_note(kind, units, look, level=choices.level)
    if skewed is not None and clusters is not None and _enumerated(clusters, error, a.size):
        note = "; ".join(filter(None, (note, _skew_note(_units(error), skewed.skewness))))
    method = "mean of paired differences" + (", clustered" if clusters is not None else "")
    return PairedComparison(
        difference=Estimate(float(d.mean()), interval, int(a.size), method=method, note=note),
        p_value=None if used is None else used.p_value,
        test="none" if used is None else used.test,
        verdicts=verdicts,
        n_clusters=int(a.size) if clusters is None else int(np.unique(np.asarray(clusters)).size),
        note=note,
        within=_within(at, choices),
        **_spread(a, b, clusters, error),
        **_effects(d, a, b),
        **_wins(d, a, b),
    )


def _item_differences(a: Floats, b: Floats) -> Floats:
    """Return the differences; where all differ by less than rounding does, they are one number."""
    d = a - b
    noise = _TIE * max(float(np.abs(a).max()), float(np.abs(b).max()))
    return np.full_like(d, d[0]) if float(np.ptp(d)) <= noise else d


def _ended(interval: Interval | None, widest: float | None) -> Interval | None:
    """Return an interval that ends where no difference can be; it covers as often."""
    if interval is None or widest is None:
        return interval
    low, high = (min(max(end, -widest), widest) for end in (interval.low, interval.high))
    return replace(interval, low=low, high=high)


def _enumerated(clusters: ArrayLike | None, error: MeanError | None, n: int) -> bool:
    """Whether all sign flips are counted, and p is theirs; it does not hang on where differences lie."""
    units, least = (n, 1) if clusters is None else (_units(error), FEWEST_FLIPPED)
    return least <= units <= EXACT_PAIRS


def _skew_note(clusters: int, skewness: float) -> str:
    """Say how often a difference of few, strongly skewed clusters is claimed where there is none."""
    # sign flips take differences to be symmetric, and the interval does not quite make up for it
    if abs(skewness) <= STRONG_SKEW:
        return ""
    rate = FALSE_OF_SKEWED[max(one for one in FALSE_OF_SKEWED if one <= clusters)]
    return (
        f"{clusters} clusters with skewness {number(skewness, 1)}: of differences as skewed as lognormal "
        f"ones {number(100 * rate, 0)} % are claimed without there being any, not 5 %"
    )


def _units(error: MeanError | None) -> int:
    return 1 if error is None else error.n_clusters


def _skewed(d: Floats, clusters: ArrayLike | None, choices: Choices) -> SkewedMean | None:
    """Return the mean by Hall's transformation where skewness is seen and no other test was asked for."""
    if choices.test != "auto":
        return None
    try:
        found = skewed_mean(d, clusters, level=choices.level)
    except UndefinedError:
        return None
    return found if found.seen else None


def _within(at: Callable[[float], tuple[Interval | None, str]], choices: Choices) -> WithinMargin | None:
    """Return whether the difference lies within the margin, where one was given."""
    if choices.margin is None:
        return None
    _, note = at(choices.level)
    if note:
        return WithinMargin(choices.margin, None, False, None, note)
    return within_margin(lambda level: at(level)[0], margin=choices.margin, level=choices.level)


def mean_estimate(values: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95) -> Estimate:
    """Mean of one model's item scores: Wilson's interval for independent 0-1 scores, else Student's t."""
    x = finite_vector(values)
    if x.size == 0:
        return Estimate(None, n=0, note="no item has a score")
    if clusters is None and _binary(x):
        return Estimate(float(x.mean()), wilson_interval(float(x.sum()), x.size, level=level), int(x.size))
    interval, note = _t_interval(_mean_error(x, clusters), level)
    if interval is not None and _binary(x):
        interval = replace(interval, low=max(0.0, interval.low), high=min(1.0, interval.high))
    return Estimate(float(x.mean()), interval, int(x.size), note=note)


def _binary(*scores: Floats) -> bool:
    """Whether all scores are 0 or 1."""
    return all(bool(np.all((x == 0) | (x == 1))) for x in scores)


def _mean_error(values: Floats, clusters: ArrayLike | None) -> MeanError | None:
    """Return the standard error of a mean, or None where a single cluster has none."""
    try:
        return clustered_mean(values, clusters)
    except UndefinedError:
        return None


def _verdicts(
    a: Floats,
    b: Floats,
    clusters: ArrayLike | None,
    error: MeanError | None,
    choices: Choices,
    engine: Engine,
) -> tuple[Verdict, ...]:
    """Return every test that fits the scores."""
    d = a - b
    verdicts = []
    if clusters is None and _binary(a, b):
        counts = mcnemar(int(np.sum(d > 0)), int(np.sum(d < 0)))
        verdicts += [Verdict("exact McNemar", counts.exact), Verdict("mid-p McNemar", counts.mid_p)]
    if error is not None and error.se > 0 and error.n_clusters >= FEWEST_CLUSTERS:
        t = error.mean / error.se
        p = float(2 * special.stdtr(error.df, -abs(t)))
        name = "paired t" if clusters is None else "clustered t"
        verdicts.append(Verdict(name, p, t, error.df))
    if choices.test.startswith("sign-flip") or d.size <= MANY_ITEMS or _enumerated(clusters, error, d.size):
        rng = np.random.default_rng(choices.seed)
        flips = sign_flip(d, clusters, n_flips=choices.n_flips, rng=rng, engine=engine)
        how = "exact" if flips.exact else f"{flips.n_flips:,} random"
        verdicts.append(Verdict(f"sign flip ({how})", flips.p_value, float(d.mean())))
        if flips.mid_p < flips.p_value and clusters is None and not _binary(a, b):
            verdicts.append(Verdict(f"mid-p sign flip ({how})", flips.mid_p, float(d.mean())))
    return tuple(verdicts)


def _used(verdicts: tuple[Verdict, ...], choices: Choices, *, counted: bool, by_t: bool) -> Verdict | None:
    """Choose the test that was asked for, or the one that fits."""
    names = {"mcnemar": "exact McNemar", "mcnemar-mid-p": "mid-p McNemar", "sign-flip": "sign flip"}
    wanted = choices.test
    if wanted == "auto":
        signs = "sign-flip-mid-p" if choices.repeated else "sign-flip"
        wanted = "t" if by_t else signs
        wanted = "mcnemar" if counted else wanted
    if wanted.startswith("mcnemar") and not counted:
        raise OptionError(
            "McNemar's test needs scores of 0 and 1, one an item, and no clusters; "
            "use the test 'sign-flip' or 't', or leave the choice to 'auto'"
        )
    if wanted == "t":
        return next((v for v in verdicts if v.df is not None), None)
    if wanted == "sign-flip-mid-p":  # without ties there is no other than the plain one
        return next(v for v in reversed(verdicts) if "sign flip" in v.test)
    return next(v for v in verdicts if v.test.startswith(names[wanted]))


def _t_interval(error: MeanError | None, level: float) -> tuple[Interval | None, str]:
    """Mean ± t · SE."""
    if error is None or error.n_clusters < FEWEST_CLUSTERS:
        found = 1 if error is None else error.n_clusters
        return None, f"no interval: at least {FEWEST_CLUSTERS} clusters are needed, {found} found"
    if error.se == 0:
        return None, "no interval: every item gives the same number"
    reach = float(special.stdtrit(error.df, 0.5 + level / 2)) * error.se
    method = f"Student's t, {number(error.df, 1)} degrees of freedom"
    return Interval(error.mean - reach, error.mean + reach, level, method), ""


def _spread(a: Floats, b: Floats, clusters: ArrayLike | None, error: MeanError | None) -> dict[str, Any]:
    """Return standard errors with and without pairing, the saving, the correlation."""
    alone = [_mean_error(x, clusters) for x in (a, b)]
    unpaired = None
    if alone[0] is not None and alone[1] is not None:
        unpaired = float(np.hypot(alone[0].se, alone[1].se))
    paired = None if error is None else error.se
    saved = None
    if paired is not None and unpaired is not None and unpaired > 0:
        saved = 1 - (paired / unpaired) ** 2
    return {
        "se_paired": paired,
        "se_unpaired": unpaired,
        "variance_saved": saved,
        "correlation": _pearson(a, b),
    }


def _pearson(a: Floats, b: Floats) -> float | None:
    """Pearson's r; None where a model's scores do not vary."""
    x, y = a - a.mean(), b - b.mean()
    size = float(np.sqrt(np.sum(x * x) * np.sum(y * y)))
    return float(np.clip(np.sum(x * y) / size, -1, 1)) if size > 0 else None


def _effects(d: Floats, a: Floats, b: Floats) -> dict[str, Any]:
    """Return the standardised effects; None where nothing varies."""
    if d.size < 2:
        return {"effect_dz": None, "effect_dav": None}
    mean, spread = float(d.mean()), float(d.std(ddof=1)) if float(np.ptp(d)) > 0 else 0.0
    pooled = float(np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2))
    return {
        "effect_dz": mean / spread if spread > 0 else None,
        "effect_dav": mean / pooled if pooled > 0 else None,
    }


def _wins(d: Floats, a: Floats, b: Floats) -> dict[str, Any]:
    """Count the items where the first is ahead, level, behind."""
    tie: Bools = np.abs(d) <= _TIE * np.maximum(np.abs(a), np.abs(b))
    wins, losses = int(np.sum((d > 0) & ~tie)), int(np.sum((d < 0) & ~tie))
    return {"wins": wins, "ties": int(d.size) - wins - losses, "losses": losses}


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """One pair of models."""

    first: int
    second: int
    comparison: PairedComparison | None
    """``None`` where the two share no item with a score."""
    p_holm: float | None
    p_bh: float | None


@dataclass(frozen=True, slots=True)
class ModelRanking:
    """All pairs of models, the order of their means, and groups that cannot be distinguished."""

    pairs: tuple[ComparedPair, ...]
    order: tuple[int, ...]
    """Models from the highest mean to the lowest, over the items that all of them have."""
    groups: tuple[tuple[int, ...], ...]
    """Models none of whose pairs differ at the level, after Holm; every such pair shares a group."""
    n_common: int
    """Items that every model has a score for."""


def compare_models(
    scores: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    choices: Choices | None = None,
    engine: Engine = SERIAL,
) -> ModelRanking:
    """Compare every pair of models on the items that both have; scores are models x items, NaN where missing.

    p-values are adjusted by Holm and by Benjamini and Hochberg.

    References
    ----------
    Demsar (2006), Journal of Machine Learning Research, 7, 1-30.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> ability = np.array([[1.0], [0.0], [0.05]])
    >>> ranking = compare_models(ability + rng.normal(0, 0.5, (3, 60)))
    >>> ranking.order, ranking.groups
    ((0, 2, 1), ((0,), (2, 1)))
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) < 2:
        raise OptionError("comparing needs a row of scores for each of at least two models")
    chosen = choices or Choices()
    labels = None if clusters is None else np.asarray(clusters)
    sides = list(combinations(range(len(matrix)), 2))
    if len(sides) == 1:  # the random signs of one pair are worth spreading
        results = [_compared_pair(matrix, labels, chosen, sides[0], engine=engine)]
    else:
        results = engine.map(partial(_compared_pair, matrix, labels, chosen), sides)
    return _ranked(matrix, sides, results, chosen.level)


def _compared_pair(
    matrix: Floats,
    clusters: NDArray[np.generic] | None,
    choices: Choices,
    sides: tuple[int, int],
    *,
    engine: Engine = SERIAL,
) -> PairedComparison | None:
    """Compare two rows where both have a score."""
    a, b = matrix[sides[0]], matrix[sides[1]]
    both = ~(np.isnan(a) | np.isnan(b))
    labels = None if clusters is None else clusters[both]
    try:
        return compare_items(a[both], b[both], labels, choices=choices, engine=engine)
    except UndefinedError:
        return None


def _ranked(
    matrix: Floats, sides: list[tuple[int, int]], results: list[PairedComparison | None], level: float
) -> ModelRanking:
    """Adjust the p-values, order the models, group them."""
    p = np.array([_p_value(result) for result in results])
    family, discovery = holm(p), benjamini_hochberg(p)
    held = adjusted_margins([None if one is None else one.within for one in results], level=level)
    results = [
        None if one is None else replace(one, within=within)
        for one, within in zip(results, held, strict=True)
    ]
    common = ~np.isnan(matrix).any(axis=0)
    means = matrix[:, common].mean(axis=1) if common.any() else np.full(len(matrix), np.nan)
    order = tuple(int(i) for i in np.argsort(-means, kind="stable"))
    different = np.zeros((len(matrix), len(matrix)), dtype=np.bool_)
    for (i, j), adjusted, one in zip(sides, family, results, strict=True):
        ends = None if one is None else one.difference.interval
        different[i, j] = different[j, i] = differs(adjusted, ends, level=level)
    pairs = tuple(
        ComparedPair(i, j, result, or_none(family[k]), or_none(discovery[k]))
        for k, ((i, j), result) in enumerate(zip(sides, results, strict=True))
    )
    groups = indistinguishable(order, different) if common.any() else ()
    return ModelRanking(pairs, order, groups, int(common.sum()))


def _p_value(result: PairedComparison | None) -> float:
    return float("nan") if result is None or result.p_value is None else result.p_value
