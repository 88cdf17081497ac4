"""Coverage outside 93 to 97 % by kind, units and look; made by benchmarks/coverage.py --write."""

from typing import NamedTuple


class CoverageRow(NamedTuple):
    """What was simulated for intervals of one kind, number of units and look."""

    kind: str
    size: int
    """Studies, items, families or cases: so many, up to the next number."""
    look: str
    lowest: float
    lowest_at: str
    """The population with the lowest coverage."""
    highest: float
    highest_at: str


SIZES: dict[str, tuple[int, ...]] = {}
"""Numbers of units that were simulated."""
ROWS: tuple[CoverageRow, ...] = ()
