"""What a comparison must know of the results of a question; `concord.questions` gathers these."""

from collections.abc import Callable
from dataclasses import dataclass

from concord.comparing.metrics import MetricCompareResult


@dataclass(frozen=True, slots=True)
class ResultKind:
    """Results of one question that are compared by metrics of their own, not item by item."""

    name: str
    words: str
    """What a message calls one of them."""
    holds: Callable[[object], bool]
    """Whether a source is one."""
    compare: Callable[..., MetricCompareResult]
    alone: bool = False
    """Whether one folder may hold several models, so that it can be compared alone."""
    metrics: tuple[str, ...] = ()
    """Metrics of this kind alone: a folder that holds several kinds is this one where one of them is asked
    for, and another kind otherwise."""
