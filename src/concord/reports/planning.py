"""Plans: how many items, what they could find, what they would cost; before any run or after a pilot."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from concord.errors import OptionError
from concord.readers.score_join import JoinedScores
from concord.readers.score_tables import Columns
from concord.reports.comparison import Reading, joined_scores
from concord.stats.design import Design, Pilot, assumed_design, pilot_design
from concord.stats.power import Split, best_split, fewest, interval_width, power_two_sample
from concord.version import __version__


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a plan is asked for."""

    effect: float | None = None
    """The difference that should be found."""
    power: float = 0.8
    level: float = 0.95
    items: int | None = None
    repeats: int = 1
    calls: int | None = None
    """Budget of calls, both models together."""
    cost: tuple[float, float] | None = None
    """Lowest and highest cost of one call; None: unknown."""


@dataclass(frozen=True, slots=True, repr=False)
class PlanResult:
    """What a comparison of this design could find; None is what was not asked for or is not known."""

    based_on: str
    design: Design
    wanted: Wanted
    items: int | None
    """Items planned: as given, or those of the pilot."""
    power: float | None
    """Power of the planned items for the wanted effect."""
    detectable: float | None
    """Smallest difference that the planned items find with the wanted power."""
    width: float | None
    """Expected width of the interval with the planned items."""
    items_needed: int | None
    """Items that find the wanted effect with the wanted power."""
    split: Split | None
    """Best division of the budget between items and repeats."""
    warnings: tuple[str, ...] = ()

    @property
    def calls(self) -> int | None:
        """Calls of both models for the items needed, or planned."""
        items = self.items_needed if self.items_needed is not None else self.items
        return None if items is None else 2 * items * self.wanted.repeats

    @property
    def cost(self) -> tuple[float, float] | None:
        """Lowest and highest cost of these calls; None where the cost of a call is not known."""
        if self.calls is None or self.wanted.cost is None:
            return None
        return self.calls * self.wanted.cost[0], self.calls * self.wanted.cost[1]

    def to_dict(self) -> dict[str, Any]:
        """Give the document that ``--json`` prints."""
        return {
            "question": "plan",
            "based_on": self.based_on,
            "variance_between_items": self.design.components.between,
            "variance_within_items": self.design.components.within,
            "disagreement": self.design.disagreement,
            "cluster_size": self.design.cluster_size,
            "cluster_correlation": self.design.cluster_correlation,
            "design_effect": self.design.inflation,
            "items": self.items,
            "power": self.power,
            "detectable_effect": self.detectable,
            "interval_width": self.width,
            "items_needed": self.items_needed,
            "best_split": None if self.split is None else asdict(self.split),
            "calls": self.calls,
            "cost": None if self.cost is None else {"low": self.cost[0], "high": self.cost[1]},
            "wanted": asdict(self.wanted),
            "warnings": list(self.warnings),
            "concord_version": __version__,
        }

    def __repr__(self) -> str:
        return "\n".join(plan_lines(self))

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>"


def plan(
    *pilot: Any,
    effect: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    items: int | None = None,
    repeats: int = 1,
    calls: int | None = None,
    cost_per_call: float | tuple[float, float] | None = None,
    item: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    metric: str | None = None,
    **assumptions: Any,
) -> PlanResult:
    """Plan a comparison of two models: power, smallest detectable difference, items needed, cost.

    Parameters
    ----------
    pilot
        Two results of a first run, as for `compare`; none: the plan rests on assumptions.
    effect
        The difference that should be found.
    power, level
        Wanted power, and coverage of intervals (the test's level is 1 less it).
    items, repeats
        Items planned (those of the pilot by default) and repeats an item and model.
    calls
        Budget of calls, both models together, to be divided between items and repeats.
    cost_per_call
        Cost of one call, or its lowest and highest; unknown by default.
    item, score, cluster, metric
        How pilot files are read, as for `compare`.
    assumptions
        Without a pilot: ``means`` (of two 0-1 scores) and their ``correlation``, or ``sd_between`` and
        ``sd_within``; ``cluster_size`` and ``cluster_correlation``.

    Returns
    -------
    PlanResult
        Frozen; prints itself, and gives ``to_dict()``.

    Examples
    --------
    >>> result = plan(means=(0.70, 0.65), effect=0.05, items=500)
    >>> result.items_needed, round(result.power, 2)
    (726, 0.63)
    """
    cost = (cost_per_call, cost_per_call) if isinstance(cost_per_call, int | float) else cost_per_call
    wanted = Wanted(effect, power, level, items, repeats, calls, cost)
    _check(wanted)
    if pilot:
        if assumptions:
            raise OptionError(f"a pilot was given, so {', '.join(assumptions)} cannot be assumed as well")
        joined = joined_scores(pilot, Reading(Columns(item, score, cluster), metric))
        return _from_pilot(joined, wanted)
    design = assumed_design(**assumptions, alpha=1 - level)
    means = assumptions.get("means")
    if effect is None and means is not None and means[0] != means[1]:
        wanted = Wanted(means[0] - means[1], power, level, items, repeats, calls, cost)
    return _planned("assumptions", design, wanted, items, ())


def _check(wanted: Wanted) -> None:
    if wanted.repeats < 1 or (wanted.items is not None and wanted.items < 2):
        raise OptionError("a plan needs at least 2 items and 1 repeat")
    if wanted.cost is not None and not 0 <= wanted.cost[0] <= wanted.cost[1]:
        raise OptionError(
            f"the cost of a call is {wanted.cost!r}; expected a number or the lowest and highest"
        )
    if not 0 < wanted.power < 1 or not 0 < wanted.level < 1:
        raise OptionError("power and level lie between 0 and 1, such as 0.8 and 0.95")


def _from_pilot(joined: JoinedScores, wanted: Wanted) -> PlanResult:
    """Plan from two models' scores on the same items."""
    if len(joined.names) != 2:
        raise OptionError(f"a plan needs the results of two models, got {len(joined.names)}")
    both = ~np.isnan(joined.scores).any(axis=0)
    scores = joined.scores[:, both]
    repeats = joined.scored[:, both]
    within = joined.within[:, both] / repeats
    pilot = Pilot(
        differences=scores[0] - scores[1],
        within=within.sum(axis=0),
        repeats=float(repeats.size / np.sum(1 / repeats)),
        binary=bool(np.isin(scores, (0.0, 1.0)).all()),
        clusters=None if joined.clusters is None else joined.clusters[both],
    )
    design = pilot_design(pilot, alpha=1 - wanted.level)
    items = wanted.items if wanted.items is not None else int(both.sum())
    words = f"a pilot of {int(both.sum())} items: {joined.names[0]} and {joined.names[1]}"
    return _planned(words, design, wanted, items, _pilot_warnings(pilot, wanted, joined))


def _pilot_warnings(pilot: Pilot, wanted: Wanted, joined: JoinedScores) -> tuple[str, ...]:
    notes = list(joined.warnings)
    if wanted.repeats > 1 and np.isnan(pilot.within).all():
        notes.append(
            "the pilot has no repeats, so the noise of repeated answers is not known: more repeats are "
            "planned as if they changed nothing"
        )
    return tuple(notes)


def _planned(
    based_on: str, design: Design, wanted: Wanted, items: int | None, warnings: tuple[str, ...]
) -> PlanResult:
    effect, repeats = wanted.effect, wanted.repeats
    needed = None if effect is None else design.items_needed(effect, wanted.power, repeats)
    split = (
        None if wanted.calls is None else best_split(design.components, wanted.calls, most_items=wanted.items)
    )
    return PlanResult(
        based_on=based_on,
        design=design,
        wanted=wanted,
        items=items,
        power=None if effect is None or items is None else design.power(effect, items, repeats),
        detectable=None if items is None else design.detectable(items, wanted.power, repeats),
        width=None if items is None else interval_width(design.sd(repeats), items, level=wanted.level),
        items_needed=needed,
        split=split,
        warnings=warnings,
    )


def plan_lines(result: PlanResult) -> Iterator[str]:
    """Give everything a reader of the terminal should see."""
    wanted, design = result.wanted, result.design
    yield f"Plan · based on {result.based_on}"
    yield (
        f"  variance of a difference: {design.components.between:.4f} between items, "
        f"{design.components.within:.4f} within"
    )
    if design.inflation != 1:
        yield (
            f"  clusters of {design.cluster_size:.1f} items, correlation {design.cluster_correlation:.2f}: "
            f"the variance is {design.inflation:.2f} times as large"
        )
    if result.items is not None:
        yield f"  with {result.items:,} items of {wanted.repeats} repeat(s)"
        yield f"    smallest difference found with a power of {wanted.power:.0%}: {result.detectable:.4f}"
        yield f"    expected width of the {wanted.level:.0%} interval: {result.width:.4f}"
    if result.power is not None:
        yield f"    power for a difference of {wanted.effect:g}: {result.power:.0%}"
    if result.items_needed is not None:
        yield (
            f"  items needed for a difference of {wanted.effect:g} with a power of {wanted.power:.0%}: "
            f"{result.items_needed:,}"
        )
    if result.split is not None:
        one = result.split
        yield (
            f"  best use of {wanted.calls:,} calls: {one.items:,} items of {one.repeats} repeat(s), standard "
            f"error {one.se:.4f}"
        )
    if result.calls is not None:
        yield f"  calls: {result.calls:,}; cost: {_money(result.cost)}"


def _money(cost: tuple[float, float] | None) -> str:
    if cost is None:
        return "not known (give the cost of a call)"
    return f"{cost[0]:,.2f}" if cost[0] == cost[1] else f"{cost[0]:,.2f} to {cost[1]:,.2f}"


def participants_needed(d: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Participants a group with which a two-sample t test finds a standardised difference."""
    return fewest(lambda n: power_two_sample(d, n, n, alpha=1 - level), power, d)
