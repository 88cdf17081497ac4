"""Whether people and further predictions look like samples of one population."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import special

from concord.files.number_words import p_words
from concord.people.mixed.table import MixedRows
from concord.stats.elementwise import Floats

UNLIKE = 0.1
"""Standardised difference of predictions between the two tables that is warned of, where it is no chance."""
Weighted = tuple[Floats, Floats | None]
"""Values and their sampling weights."""


def unlike_tables(
    outcome: str, own: MixedRows, more: MixedRows, covariates: Sequence[str], predictions: Sequence[str]
) -> Iterator[str]:
    """Warn where the two tables do not look like samples of one population."""
    where = f"{outcome}: " if outcome else ""
    yield from (f"{where}{words}, which biases the estimate" for words in predictions)
    for i, name in enumerate(covariates):
        words = _other_population(
            name, (own.covariates[:, i], own.weight), (more.covariates[:, i], more.weight)
        )
        yield from (f"{where}{found}, which biases the estimate" for found in words)
    if set(own.arm) != set(more.arm):
        yield f"{where}the two tables do not have the same arms"


def other_predictions(own: MixedRows, more: MixedRows) -> Iterator[str]:
    """Say in which arms predictions of the people are unlike the further ones."""
    samples, others = own.by_arm(), more.by_arm()
    arms = sorted(samples.keys() & others.keys())
    for arm in arms:
        first, second = samples[arm], others[arm]
        name = "predictions" if len(arms) == 1 else f"predictions in {arm!r}"
        yield from _other_population(
            name, (first.prediction, first.weight), (second.prediction, second.weight)
        )


def _other_population(name: str, own: Weighted, more: Weighted) -> Iterator[str]:
    """Say that two samples have other means than one population gives, where it is no chance."""
    if min(own[0].size, more[0].size) < 2 or any(w is not None and not w.any() for _, w in (own, more)):
        return
    (mean, variance, noise), (mean_more, variance_more, noise_more) = map(_moments, (own, more))
    sd, se = float(np.sqrt((variance + variance_more) / 2)), float(np.sqrt(noise + noise_more))
    if sd == 0 or se == 0:
        return
    gap = abs(mean - mean_more)
    p = float(2 * special.ndtr(-gap / se))
    if gap / sd > UNLIKE and p < 0.01:
        yield (
            f"{name} of the people and of the further predictions differ by {gap / sd:.2f} SD "
            f"({p_words(p)}): they seem to come from different populations"
        )


def _moments(sample: Weighted) -> tuple[float, float, float]:
    """Return weighted mean and variance, and the variance of that mean, which weights make a ratio."""
    values, weights = sample
    w = np.ones(values.size) if weights is None else weights / weights.mean()
    mean = float((w * values).mean())
    variance = float((w * (values - mean) ** 2).sum() / (values.size - 1))
    return mean, variance, float((w * (values - mean)).var(ddof=1) / values.size)
