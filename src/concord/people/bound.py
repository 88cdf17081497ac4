"""An interval, or why there is none."""

from dataclasses import dataclass

from concord.records import Interval


@dataclass(frozen=True, slots=True)
class Bound:
    """An interval, or why there is none; beside an interval the note says when it misses."""

    interval: Interval | None
    note: str = ""
