"""What planning must know of the results of a question; `concord.questions` gathers these."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from concord.planning.options import PlanOptions
from concord.records import Presented


@dataclass(frozen=True, slots=True)
class PlanKind:
    """Results of one question that are not planned as scores of items are."""

    words: str
    """What a message calls one of them."""
    holds: Callable[[object], bool]
    """Whether a source is one."""
    plan: Callable[[Sequence[Any], PlanOptions, str | None], Presented]
    """Plan from such results, or say why there is no plan."""
    name: str = ""
    """What names the question where there is no result to plan from."""
    assumed: tuple[str, ...] = ()
    """What can be assumed instead of such results."""
    plan_assumed: Callable[[Mapping[str, Any], PlanOptions], Presented] | None = None
    """Plan from these assumptions."""
    metrics: tuple[str, ...] = ()
    """Metrics of this kind alone, as `ResultKind` has them."""
