"""Whether the first of several models is worse than another: what a pipeline stops at."""

from dataclasses import asdict, dataclass
from typing import Any

from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.records import Estimate
from concord.stats.multiple import distinguishable


@dataclass(frozen=True, slots=True)
class Against:
    """The first model against another: how much better, with the ends of the interval; negative is worse."""

    other: str
    better_by: float | None
    low: float | None
    high: float | None
    p_holm: float | None
    is_worse: bool


@dataclass(frozen=True, slots=True)
class Regression:
    """What was asked, and against whom the first model is worse."""

    model: str
    metric: str
    margin: float
    level: float
    against: tuple[Against, ...]

    @property
    def found(self) -> bool:
        """Whether the model is worse than any other."""
        return any(one.is_worse for one in self.against)

    @property
    def sentence(self) -> str:
        """Return the finding in words."""
        beyond = f" by more than {self.margin:g}" if self.margin else ""
        worse = [one.other for one in self.against if one.is_worse]
        if worse:
            return f"regression: {self.model} is worse{beyond} than {', '.join(worse)} ({self.metric})"
        untested = [one.other for one in self.against if one.p_holm is None]
        said = f"no regression: that {self.model} is worse{beyond} could not be shown ({self.metric})"
        return f"{said}; not tested against {', '.join(untested)}" if untested else said

    def to_dict(self) -> dict[str, Any]:
        """Return what `comparison.json` says."""
        return {**asdict(self), "found": self.found}


def find_regression(result: CompareResult | MetricCompareResult, *, margin: float | None) -> Regression:
    """Ask whether the first model of a comparison is worse than any other.

    It is called worse where the difference is one after Holm and the whole interval lies beyond the margin.
    """
    model = result.models[0].name
    allowed = 0.0 if margin is None else margin
    level = result.level if isinstance(result, MetricCompareResult) else result.choices.level
    sign = -1.0 if _lower_is_better(result) else 1.0
    against = []
    for pair in result.pairs:
        if model not in (pair.first, pair.second):
            continue
        turned = sign if pair.first == model else -sign
        other = pair.second if pair.first == model else pair.first
        difference, p_holm = _headline(result, pair)
        against.append(_judged(other, difference, p_holm, turned=turned, allowed=allowed, level=level))
    return Regression(model, result.metric, allowed, level, tuple(against))


def _headline(result: CompareResult | MetricCompareResult, pair: Any) -> tuple[Estimate | None, float | None]:
    if isinstance(result, MetricCompareResult):
        one = pair.metric(result.metric)
        return one.difference, one.p_holm
    return (None if pair.comparison is None else pair.comparison.difference), pair.p_holm


def _judged(
    other: str,
    difference: Estimate | None,
    p_holm: float | None,
    *,
    turned: float,
    allowed: float,
    level: float,
) -> Against:
    if difference is None or difference.value is None:
        return Against(other, None, None, None, p_holm, False)
    ends = difference.interval
    low, high = (None, None) if ends is None else sorted((turned * ends.low, turned * ends.high))
    better = turned * difference.value
    beyond = better < -allowed if high is None else high < -allowed
    is_worse = distinguishable(p_holm, level=level) and better < 0 and beyond
    return Against(other, better, low, high, p_holm, is_worse)


def _lower_is_better(result: CompareResult | MetricCompareResult) -> bool:
    """Whether the best model of the ranking has the lowest number, as of an order effect."""
    if isinstance(result, CompareResult):
        return False
    values = dict(result.standing.values)
    known = [values[name] for name in result.standing.order if values.get(name) is not None]
    return len(known) > 1 and known[0] < known[-1]
