"""Means and differences of means with their intervals: with predictions, and of people alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.prediction_powered import FEWEST_PEOPLE, PoweredMean
from concord.stats.skewed import skewed_sum_ends

METHOD = "prediction-powered (PPI++)"
FEW = f"no interval: fewer than {FEWEST_PEOPLE} people"
ONE_ANSWER = "no interval: people all gave one answer"
_SKEW = "skewness taken out (Hall 1992)"


@dataclass(frozen=True, slots=True, eq=False)
class MeanPart:
    """A mean, and what each person and prediction does to it: with predictions, and of people alone."""

    mean: PoweredMean
    deviations: tuple[Floats, ...]
    people: tuple[Floats, ...]
    is_constant: bool
    """Whether people all gave one answer: then they say nothing of the spread, whatever predictions do."""


def with_ends(parts: Sequence[MeanPart], n: int, level: float, note: str) -> tuple[Estimate, Estimate]:
    """Return a mean, or the first minus the second, with predictions and of people alone.

    Skewness is taken out of both intervals.
    """
    signed = list(zip((1.0, -1.0)[: len(parts)], parts, strict=True))
    sides = (
        (METHOD, sum(sign * part.mean.value for sign, part in signed), "deviations"),
        ("people alone", sum(sign * part.mean.people for sign, part in signed), "people"),
    )
    is_silent = any(part.is_constant for part in parts)
    made = []
    for method, value, name in sides:
        samples = [sign * one for sign, part in signed for one in getattr(part, name)]
        ends = None if is_silent else skewed_sum_ends(value, samples, level=level)
        made.append(estimate_with(value, ends, n, level, f"{method}, {_SKEW}", note))
    return made[0], made[1]


def estimate_with(
    value: float, ends: tuple[float, float] | None, n: int, level: float, method: str, note: str = ""
) -> Estimate:
    """Return an estimate with its interval, or with the reason why it has none."""
    if n < FEWEST_PEOPLE:
        return Estimate(value, n=n, method=method, note=FEW)
    if ends is None:
        return Estimate(value, n=n, method=method, note=ONE_ANSWER)
    return Estimate(value, Interval(*ends, level, method), n=n, method=method, note=note)
