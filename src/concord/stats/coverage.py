"""How often intervals like one at hand held the truth in simulations: conditions, and the size of the fault.

`benchmarks/coverage.py` writes `data/coverage.json`: for each kind, number of units and look of the data the
lowest and highest coverage among populations that often look so. Outside 93 to 97 % is a warning here.
"""

import json
import pkgutil
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from concord.number_words import number
from concord.records import Interval
from concord.stats.intervals import ends_weight
from concord.stats.skewed import LEAST_SKEW, tail_shape

INSIDE = (0.93, 0.97)
"""Coverage of a nominal 95 % that counts as held."""
SIMULATED = 0.95
"""The level that was simulated."""
FEW_DEGREES = 5.0
"""Below this many degrees of freedom of the variance a few units decide it."""
FEW_DECIDE = "few decide"
"""The look of differences whose variance rests on a few of them."""
ALIKE = 0.10
"""Numbers between 0 and 1 with a smaller standard deviation are alike."""


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


class Simulated(NamedTuple):
    """What lay outside 93 to 97 % by kind, units and look, and how many units were simulated."""

    rows: tuple[CoverageRow, ...]
    sizes: dict[str, tuple[int, ...]]


@cache
def simulated() -> Simulated:
    """Return what `benchmarks/coverage.py --write` found."""
    found = json.loads(pkgutil.get_data(__name__, "data/coverage.json") or b"{}")
    sizes = {kind: tuple(some) for kind, some in found["sizes"].items()}
    return Simulated(tuple(CoverageRow(*row) for row in found["rows"]), sizes)


def score_look(values: ArrayLike) -> str:
    """Return what numbers between 0 and 1 look like."""
    x = np.asarray(values, dtype=np.float64)
    weight = ends_weight(x)
    if weight == 1:
        return "at an end of the scale"
    if weight > 0:
        return "towards an end of the scale"
    return "in the middle, alike" if float(x.std()) < ALIKE else "in the middle, spread"


def rate_look(hits: ArrayLike, trials: ArrayLike) -> str:
    """Return what rates of several studies or cases look like."""
    s, m = (np.asarray(x, dtype=np.float64) for x in (hits, trials))
    s, m = s[m > 0], m[m > 0]
    if 1 / float(np.sum((m / m.sum()) ** 2)) < m.size / 2:
        return "one holds most"
    return "one each" if m.max() <= 1 else score_look(np.clip(s / m, 0.0, 1.0))


def effects_look(human: ArrayLike, agent: ArrayLike, study: ArrayLike) -> str:
    """Return what effects of people and agent look like over studies."""
    x, y = (np.asarray(values, dtype=np.float64) for values in (human, agent))
    both = ~(np.isnan(x) | np.isnan(y))
    x, y, labels = x[both], y[both], np.asarray(study)[both]
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    out = np.bincount(codes, weights=x**2 + y**2) / sizes
    if out.max() > 0.5 * out.sum():
        return "one study far out"
    return "against people" if float(np.mean((x - x.mean()) * (y - y.mean()))) < 0 else "ordinary"


def difference_look(values: ArrayLike, clusters: ArrayLike | None = None) -> str:
    """Return what differences look like."""
    shape = tail_shape(values, clusters)
    if shape.degrees < min(FEW_DEGREES, shape.n / 2):
        return FEW_DECIDE
    return "skewed" if abs(shape.skewness) > LEAST_SKEW else "plain"


def unseen_gains_matter(interval: Interval, mean: float, scores: Sequence[ArrayLike], units: int) -> bool:
    """Return whether a gain that one unit in so many has, and that was not seen, would exceed an interval."""
    # Intervals of differences that are nearly all small and rarely large miss where no large one was drawn;
    # one unit that gains the whole range moves the mean by range / units. Of populations with rare gains
    # (``benchmarks/populations.py``) 98 % of the misses of 12 items are told, of normal differences 3 %.
    every = np.concatenate([np.asarray(one, dtype=np.float64) for one in scores])
    reach = max(interval.high - mean, mean - interval.low)
    return float(np.ptp(every)) / units > reach


def spread_look(p_value: float | None) -> str:
    """Return what a spread of means looks like: whether its test finds one."""
    return "an effect seen" if p_value is not None and p_value < 0.05 else "no effect seen"


def coverage_row(kind: str, size: float, look: str) -> CoverageRow | None:
    """Return what was simulated for intervals like this one; ``None`` where all lay inside 93 to 97 %."""
    known = simulated()
    sizes = known.sizes.get(kind)
    if sizes is None:
        return None
    band = max((one for one in sizes if one <= size), default=sizes[0])
    return next((row for row in known.rows if (row.kind, row.size, row.look) == (kind, band, look)), None)


def coverage_note(kind: str, size: float, look: str, *, level: float) -> str:
    """Say how often intervals like this one held the truth in simulations; empty where they hold."""
    # What was simulated are 95 % intervals: of another level their direction is said, without their share.
    row = coverage_row(kind, size, look)
    if row is None or (row.lowest >= INSIDE[0] and row.highest <= INSIDE[1]):
        return ""
    if level != SIMULATED:
        often = "less often than their level" if row.lowest < INSIDE[0] else "more often than their level"
        where = f" at worst ({row.lowest_at})" if row.lowest < INSIDE[0] else ""
        return f"intervals of such data held the truth {often} in simulations{where}"
    if row.lowest < INSIDE[0]:
        return (
            f"95 % intervals of such data held the truth in {number(100 * row.lowest, 0)} % of simulations "
            f"at worst ({row.lowest_at})"
        )
    return (
        f"conservative: 95 % intervals of such data held the truth in up to {number(100 * row.highest, 0)} % "
        "of simulations"
    )
