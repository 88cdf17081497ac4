"""Many models on the same items: all pairs, adjusted for their number, and which cannot be distinguished."""

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.engine import SERIAL, Engine
from concord.errors import OptionError, UndefinedError
from concord.stats.compare import Choices, PairedComparison, compare_items
from concord.stats.elementwise import Floats, or_none
from concord.stats.equivalence import adjusted_margins
from concord.stats.multiple import benjamini_hochberg, differs, holm, indistinguishable


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
