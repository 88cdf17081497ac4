"""Floor, ceiling and place of a score, read off simulated agents."""

from dataclasses import dataclass, field

import numpy as np

from concord.people.aggregate import Ends
from concord.people.result import Bounds
from concord.people.truth import EffectPopulation
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import percentile_interval

SMALLEST_RANGE = 0.05
"""Below this distance between floor and ceiling a place between them says nothing."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """Simulated scores of both kinds of agents, or why there are none."""

    floors: dict[str, Ends]
    ceilings: dict[str, Ends]
    """With replicates on the first axis: benchmark (B,), domain (B, D)."""
    population: EffectPopulation | None
    n_simulations: int
    level: float
    note: str = ""
    known: dict[tuple[str, int | None], tuple[Estimate, Estimate]] = field(default_factory=dict)
    """Floor and ceiling by metric and domain: the same for all agents of a design."""
    adjusted: dict[str, Ends] = field(default_factory=dict)
    """Ceilings whose human effects are adjusted for selection."""
    drawn: bool = False
    """The distribution of true effects was drawn: place carries the range of the ceiling."""

    def bounds(self, metric: str, score: Estimate, *, domain: int | None = None) -> Bounds | None:
        """Return floor, ceiling and place of a score; None where nothing was simulated."""
        if not self.floors or score.value is None:
            return None
        if (metric, domain) not in self.known:
            floor = self._end(self.floors[metric], domain, "agents without effects")
            self.known[metric, domain] = (
                floor,
                self._end(self.ceilings[metric], domain, "perfect replications"),
            )
        floor, ceiling = self.known[metric, domain]
        twins = _of(self.ceilings[metric], domain)
        place = _place_in_range(score, floor, ceiling) if self.drawn else _place(score, floor, ceiling)
        return Bounds(floor, ceiling, place, percentile(score.value, twins))

    def adjusted_ceiling(self, metric: str) -> Estimate | None:
        """Return the ceiling of the benchmark once selection is undone; None where it was not simulated."""
        if not self.adjusted:
            return None
        return self._end(self.adjusted[metric], None, "perfect replications of the adjusted effects")

    def _end(self, levels: Ends, domain: int | None, who: str) -> Estimate:
        draws = _of(levels, domain)
        defined = draws[~np.isnan(draws)]
        undefined = draws.size - defined.size
        note = f"undefined for {undefined} of {draws.size} simulated agents" if undefined else ""
        if undefined > 0.1 * draws.size:
            return Estimate(None, None, int(defined.size), undefined, note=note)
        method = f"mean of {draws.size} simulated {who} at the agent's n"
        if np.ptp(defined) == 0:
            return Estimate(float(defined[0]), None, int(defined.size), undefined, method, note)
        interval = percentile_interval(
            defined, level=self.level, method=f"where {self.level:.0%} of them fall"
        )
        return Estimate(float(defined.mean()), interval, int(defined.size), undefined, method, note)


def _of(levels: Ends, domain: int | None) -> Floats:
    return levels.benchmark if domain is None else levels.domain[:, domain]


def percentile(value: float, twins: Floats) -> float | None:
    """Return the share of perfect replications that score lower, ties by half.

    Examples
    --------
    >>> percentile(0.7, np.array([0.5, 0.6, 0.7, 0.9]))
    0.625
    """
    known = twins[~np.isnan(twins)]
    if not known.size:
        return None
    return float(np.mean(known < value) + 0.5 * np.mean(known == value))


def _place_in_range(score: Estimate, floor: Estimate, ceiling: Estimate) -> Estimate:
    """Place a score, withheld where perfect replications may score as agents without effects do."""
    plain = _place(score, floor, ceiling)
    if plain.value is None or floor.value is None or ceiling.value is None:
        return plain
    reach = ceiling.interval
    if reach is None:
        return plain
    if reach.low <= floor.value:
        note = (
            f"withheld: of perfect replications {reach.level:.0%} score {reach.low:.2f} to {reach.high:.2f}, "
            f"and an agent without effects {floor.value:.2f}: they are not apart"
        )
        return Estimate(None, note=note)
    if plain.interval is None or score.value is None:
        return plain
    # both errors together (Zou and Donner 2008): that of the score, and that of the ceiling
    above, place = score.value - floor.value, plain.value
    ends = sorted(above / (end - floor.value) for end in (reach.low, reach.high))
    low = place - float(np.hypot(place - plain.interval.low, place - ends[0]))
    high = place + float(np.hypot(plain.interval.high - place, ends[1] - place))
    method = f"{plain.interval.method.split(', carried over')[0]}, carried over with the range of the ceiling"
    interval = Interval(low, high, plain.interval.level, method)
    return Estimate(place, interval, plain.n, plain.n_left_out, plain.method)


def _place(score: Estimate, floor: Estimate, ceiling: Estimate) -> Estimate:
    """Place a score between floor and ceiling."""
    if score.value is None or floor.value is None or ceiling.value is None:
        return Estimate(None, note="floor or ceiling is undefined")
    width = ceiling.value - floor.value
    if width < SMALLEST_RANGE:
        note = f"undefined: floor and ceiling are {width:.3f} apart, at least {SMALLEST_RANGE} are needed"
        return Estimate(None, note=note)
    base = floor.value
    interval = None
    if score.interval is not None:
        old = score.interval
        low, high = ((end - base) / width for end in (old.low, old.high))
        method = f"{old.method}, carried over; floor and ceiling held fixed"
        interval = Interval(low, high, old.level, method)
    return Estimate((score.value - base) / width, interval, score.n, score.n_left_out, "place")
