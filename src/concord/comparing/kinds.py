"""What a comparison must know of the results of a question; `concord.questions` gathers these."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from concord.comparing.metrics import MetricCompareResult
from concord.engine import SERIAL, Engine
from concord.stats.compare import Choices


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What is to be compared, and how; the same for every kind of result."""

    sources: Sequence[Any]
    names: Sequence[str] | None = None
    """What the report calls the models; ``None``: as they or their folders are called."""
    metric: str | None = None
    """The number that ranks; ``None``: the usual one of the kind."""
    choices: Choices = Choices()
    engine: Engine = SERIAL


@dataclass(frozen=True, slots=True)
class ResultKind:
    """Results of one question that are compared by metrics of their own, not item by item."""

    name: str
    words: str
    """What a message calls one of them."""
    holds: Callable[[object], bool]
    """Whether a source is one."""
    compare: Callable[[CompareRequest], MetricCompareResult]
    alone: bool = False
    """Whether one folder may hold several models, so that it can be compared alone."""
    metrics: tuple[str, ...] = ()
    """Metrics of this kind alone: a folder that holds several kinds is this one where one of them is asked
    for, and another kind otherwise."""
