"""Results about structure are not planned: their numbers rest on extremes."""

from collections.abc import Sequence
from typing import Any, NoReturn

from concord.comparing.structure import KIND as RESULTS
from concord.errors import MismatchError
from concord.planning.kinds import PlanKind
from concord.planning.wanted import Wanted


def refuse_structure(sources: Sequence[Any], wanted: Wanted, metric: str | None) -> NoReturn:
    """Say why there is no plan from such results."""
    raise MismatchError(
        "a result about structure rests on its extreme arrangements, for which there is no plan; "
        "give tables of item scores, or see the intervals of concord compare"
    )


KIND = PlanKind(RESULTS.words, RESULTS.holds, refuse_structure)
