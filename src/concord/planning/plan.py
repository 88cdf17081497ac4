"""Plans: how many items, what they could find, what they would cost; before any run or after a pilot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from concord.comparing.join import JoinedScores
from concord.comparing.run import in_order, joined_scores
from concord.comparing.tables import ScoreReading
from concord.errors import MismatchError, OptionError, UndefinedError
from concord.number_words import number, percent
from concord.planning.options import (
    PlanKind,
    PlanOptions,
    PlanRecord,
    PlanRequest,
    money,
    named_value,
    price,
    wanted_of,
)
from concord.planning.people import MIXED, PARTICIPANTS
from concord.planning.pilots import JUDGES, OPTIONS
from concord.planning.structure import STRUCTURE
from concord.planning.study import STUDY
from concord.stats.design import (
    BudgetSplit,
    PairedDesign,
    Pilot,
    assumed_design,
    pilot_design,
    variance_interval,
)
from concord.stats.elementwise import Bools
from concord.stats.power import Clusters
from concord.words import say

READING = ("item", "score", "cluster", "repeat")
"""Columns of a pilot's table."""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PlanResult(PlanRecord):
    """What a comparison of this design could find; None is what was not asked for or is not known."""

    design: PairedDesign
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
    items_range: tuple[int, int] | None
    """Fewest and most of them within the pilot's own uncertainty about the variance; None: not known."""
    split: BudgetSplit | None
    """Best division of the budget between items and repeats."""
    split_detectable: float | None = None
    """Smallest difference that this division finds with the wanted power."""

    @property
    def calls(self) -> int | None:
        """Calls of both models for the items needed, or planned."""
        items = self.items_needed if self.items_needed is not None else self.items
        return None if items is None else 2 * items * self.wanted.repeats

    def lines(self) -> Iterator[str]:
        """Return everything a reader of the terminal should see."""
        wanted, design = self.wanted, self.design
        yield say("plan.from", what=self.based_on)
        yield from _rests_on(design, wanted)
        if self.items is not None:
            yield ""
            yield from _planned(self, self.items)
        if self.items_needed is not None:
            yield ""
            yield from _needed(self, self.items_needed)
        if self.split is not None:
            yield ""
            yield from _budget(self)
        yield ""
        test = say(f"plan.items.test_{_TESTS[design.test(wanted.repeats)]}")
        yield say("plan.power_is", alpha=1 - wanted.level, test=test)

    def planned(self) -> dict[str, Any]:
        """Return what is planned, by the keys of the document."""
        design, repeats = self.design, self.wanted.repeats
        effect = 0.0 if self.wanted.effect is None else self.wanted.effect
        parts, families = design.parts(effect), design.clusters
        return {
            "test": design.test(repeats),
            "variance_between_items": parts.between,
            "variance_within_items": parts.within,
            "disagreement": design.disagreement,
            "cluster_size": families.size,
            "cluster_size_cv": families.cv,
            "cluster_correlation": families.correlation,
            "design_effect": design.inflation(repeats, effect),
            "items": self.items,
            "power": self.power,
            "detectable_effect": self.detectable,
            "interval_width": self.width,
            "items_needed": self.items_needed,
            "items_needed_range": None if self.items_range is None else list(self.items_range),
            "clusters_needed": None if self.items_needed is None else families.number(self.items_needed),
            "best_split": self._split(),
            "calls": self.calls,
            "cost": price(self.cost),
        }

    def _split(self) -> dict[str, Any] | None:
        """Return the division of the budget, what it finds and what it costs."""
        if self.split is None:
            return None
        cost = self.wanted.cost_of(self.split.calls)
        return {**asdict(self.split), "detectable_effect": self.split_detectable, "cost": price(cost)}


_TESTS = {"exact McNemar": "mcnemar", "sign flip": "flips", "clustered t": "clustered"}


def _rests_on(design: PairedDesign, wanted: PlanOptions) -> Iterator[str]:
    """Say what the plan rests on."""
    effect = 0.0 if wanted.effect is None else wanted.effect
    parts = design.parts(effect)
    if design.disagreement is not None:
        yield say("plan.items.binary", share=design.disagreement)
    if parts.within > 0 or design.disagreement is None:
        within = parts.within**0.5 if parts.within > 0 else None
        yield say("plan.items.varies", between=parts.between**0.5, within=within)
    if design.clustered:
        held = design.clusters
        cv = held.cv if held.cv > 0 else None
        yield say("plan.items.clusters", size=held.size, cv=cv, correlation=held.correlation)
        yield say("plan.items.inflation", more=design.inflation(wanted.repeats, effect))


def _planned(result: PlanResult, items: int) -> Iterator[str]:
    wanted = result.wanted
    yield say("plan.items.with", amount=_amount(result.design, items, wanted.repeats))
    if result.power is not None:
        yield named_value(say("plan.label.power_of", effect=wanted.effect), percent(result.power))
    if result.detectable is not None:
        yield named_value(say("plan.label.smallest", power=wanted.power), number(result.detectable, 4))
    if result.width is not None:
        half = say("plan.items.about", half=result.width / 2)
        yield named_value(say("plan.label.interval", level=wanted.level), half)
    if result.items_needed is None:
        yield from _price(result, items, wanted.repeats)


def _needed(result: PlanResult, needed: int) -> Iterator[str]:
    wanted, design = result.wanted, result.design
    yield say("plan.to_find", effect=wanted.effect, power=wanted.power)
    yield named_value(say("plan.label.needed"), _amount(design, needed, wanted.repeats))
    if result.items_range is not None:
        low, high = result.items_range
        yield named_value(say("plan.label.range"), say("plan.items.range", low=low, high=high))
    yield from _price(result, needed, wanted.repeats)


def _price(result: PlanResult, items: int, repeats: int) -> Iterator[str]:
    calls = 2 * items * repeats
    yield named_value(
        say("plan.label.calls"), say("plan.items.priced", calls=calls, items=items, repeats=repeats)
    )
    yield named_value(say("plan.label.cost"), money(result.wanted.cost_of(calls)))


def _budget(result: PlanResult) -> Iterator[str]:
    one, wanted = result.split, result.wanted
    assert one is not None
    extra = wanted.item_cost if wanted.item_cost > 0 else None
    yield say("plan.items.budget", calls=wanted.calls, extra=extra)
    yield named_value(say("plan.label.division"), _amount(result.design, one.items, one.repeats))
    yield named_value(say("plan.label.se"), number(one.se, 4))
    if result.split_detectable is not None:
        found = number(result.split_detectable, 4)
        yield named_value(say("plan.label.smallest", power=wanted.power), found)
    yield from _price(result, one.items, one.repeats)


def _amount(design: PairedDesign, items: int, repeats: int) -> str:
    """Items, their clusters, and answers."""
    clusters = design.clusters.number(items) if design.clustered else None
    return say("plan.items.amount", items=items, clusters=clusters, repeats=repeats)


def plan_items(asked: PlanRequest) -> PlanResult:
    """Plan a comparison of two models on the same items."""
    if asked.wanted.calls is None:
        asked.refuse("item_cost", why="the price of an item matters where a budget of calls is divided")
    if not asked.sources:
        _refuse_unused(asked)
        return _from_assumptions(dict(asked.assumed), asked.wanted)
    joined = joined_scores(asked.sources, asked.reading)
    if len(joined.names) != 2:
        raise OptionError(
            f"a plan needs the results of two models on the same items, got {len(joined.names)}"
        )
    return _from_pilot(joined, asked.wanted)


def _refuse_unused(asked: PlanRequest) -> None:
    """Refuse assumptions that others replace, or that need others."""
    wanted = asked.wanted
    asked.refuse(*READING, "metric", why="no pilot is read")
    if asked.assumed.get("means") is None:
        asked.refuse("correlation", why="the standard deviation of differences was given (sd_between)")
        if wanted.effect is None and wanted.items is None:
            asked.refuse("repeats", why="the budget of calls is divided into items and repeats")
    if asked.assumed.get("cluster_size", 1) == 1:
        asked.refuse("cluster_cv", "cluster_correlation", why="clusters have one item (cluster_size)")


def _from_assumptions(assumptions: dict[str, Any], wanted: PlanOptions) -> PlanResult:
    """Plan before any run."""
    if assumptions.get("means") is None and assumptions.get("sd_between") is None:
        raise OptionError(
            "a plan needs to know how scores vary: give two results of a pilot; or, for right and wrong "
            "answers, the share that each model is expected to get right (--mean-first 0.8 "
            "--mean-second 0.75); or, for other scores, the standard deviation of their difference over "
            "items (--sd-between)"
        )
    sizes = {key: assumptions.pop(f"cluster_{key}", None) for key in ("size", "cv", "correlation")}
    clusters = Clusters(**{key: value for key, value in sizes.items() if value is not None})
    design = assumed_design(**assumptions, clusters=clusters, alpha=1 - wanted.level)
    means = assumptions.get("means")
    if wanted.effect is None and means is not None and means[0] != means[1]:
        wanted = replace(wanted, effect=abs(means[0] - means[1]))
    if wanted.effect is None and wanted.items is None and wanted.calls is None:
        raise OptionError(
            "there is nothing to plan yet: give the difference that should be found (--effect), the items "
            "there are (--items), or a budget of calls (--calls)"
        )
    noiseless = wanted.repeats > 1 and assumptions.get("sd_within", 0.0) == 0
    return _plan_for("assumptions", design, wanted, (say("plan.warned.no_noise"),) if noiseless else ())


def _from_pilot(joined: JoinedScores, wanted: PlanOptions) -> PlanResult:
    """Plan from two models' scores on the same items."""
    both = ~np.isnan(joined.scores).any(axis=0)
    scores = joined.scores[:, both]
    pilot = Pilot(
        differences=scores[0] - scores[1],
        within=joined.within[:, both],
        repeats=joined.scored[:, both],
        binary=bool(_right_or_wrong(joined)[:, both].all()),
        clusters=None if joined.clusters is None else joined.clusters[both],
    )
    design = pilot_design(pilot, alpha=1 - wanted.level)
    n = int(both.sum())
    planned = replace(wanted, items=n) if wanted.items is None else wanted
    words = f"a pilot of {n} items: {joined.names[0]} and {joined.names[1]}"
    notes = (*joined.warnings, *_pilot_warnings(pilot, planned, joined))
    # a budget may buy other items than those of the pilot
    made = _plan_for(words, design, planned, notes, most_items=wanted.items)
    return replace(made, items_range=_range(pilot, design, planned), inputs=joined.inputs)


def _range(pilot: Pilot, design: PairedDesign, wanted: PlanOptions) -> tuple[int, int] | None:
    """Return the items needed at both ends of the interval of the variance."""
    d = pilot.differences
    if wanted.effect is None or design.clustered:
        return None
    try:
        interval = variance_interval(d, level=wanted.level)
    except UndefinedError:  # too few items to know; the plan has a warning of its own
        return None
    low, high = (
        design.scaled(end / float(d.var(ddof=1))).items_needed(wanted.effect, wanted.power, wanted.repeats)
        for end in (interval.low, interval.high)
    )
    return low, high


def _right_or_wrong(joined: JoinedScores) -> Bools:
    """Whether all answers of an item score 0 or 1: only then is the variance over K repeats m(1-m)K/(K-1)."""
    m, k = joined.scores, joined.scored
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = m * (1 - m) * k / (k - 1)
    once = (m == 0) | (m == 1)
    return np.where(k > 1, np.isclose(joined.within, expected, rtol=1e-9, atol=1e-12), once)


def _pilot_warnings(pilot: Pilot, wanted: PlanOptions, joined: JoinedScores) -> tuple[str, ...]:
    notes = []
    once = [bool(np.isnan(row).all()) for row in pilot.within]
    if wanted.repeats > 1 and all(once):
        notes.append(say("plan.warned.no_repeats"))
    elif any(once) and not all(once):
        notes.append(say("plan.warned.once", model=joined.names[once.index(True)]))
    n = pilot.differences.size
    if n < 30:
        notes.append(say("plan.warned.small", n=n))
    return tuple(notes)


def _plan_for(
    based_on: str,
    design: PairedDesign,
    wanted: PlanOptions,
    notes: tuple[str, ...],
    most_items: int | None = None,
) -> PlanResult:
    """Work out everything that was asked for; what does not exist is None and noted."""
    _fits(design, wanted)
    effect, repeats, items = wanted.effect, wanted.repeats, wanted.items
    said: list[str] = list(notes)
    limit = wanted.items if based_on == "assumptions" else most_items
    split = (
        None
        if wanted.calls is None
        else design.split(wanted.calls, most_items=limit, item_cost=wanted.item_cost)
    )
    return PlanResult(
        based_on=based_on,
        design=design,
        wanted=wanted,
        items=items,
        power=None if effect is None or items is None else design.power(effect, items, repeats),
        detectable=_unless_undefined(said, items, lambda n: design.detectable(n, wanted.power, repeats)),
        width=_unless_undefined(
            said, items, lambda n: design.width(n, repeats, 0.0 if effect is None else effect)
        ),
        items_needed=None if effect is None else design.items_needed(effect, wanted.power, repeats),
        items_range=None,
        split=split,
        split_detectable=None
        if split is None
        else _unless_undefined(
            said, split.items, lambda n: design.detectable(n, wanted.power, split.repeats)
        ),
        warnings=tuple(said),
    )


def _unless_undefined(said: list[str], items: int | None, number: Callable[[int], float]) -> float | None:
    """Return a number, or None where nothing was asked or it does not exist; the reason is noted once."""
    if items is None:
        return None
    try:
        return number(items)
    except UndefinedError as reason:
        if str(reason) not in said:
            said.append(str(reason))
        return None


def _fits(design: PairedDesign, wanted: PlanOptions) -> None:
    """Refuse what this design cannot have."""
    if wanted.items is not None and design.clusters.size > wanted.items:
        raise OptionError(
            f"a cluster of {design.clusters.size:g} items is larger than the {wanted.items} items planned"
        )
    if design.disagreement is not None and wanted.effect is not None and wanted.effect > 1:
        raise OptionError(f"the effect is {wanted.effect:g}; means of 0-1 scores differ by 1 at most")


ITEMS = PlanKind(
    "items",
    "a plan to compare two models",
    plan_items,
    assumed=(
        "means",
        "correlation",
        "sd_between",
        "sd_within",
        "cluster_size",
        "cluster_cv",
        "cluster_correlation",
    ),
    wanted=(
        *("effect", "power", "level", "items", "repeats", "calls", "item_cost", "cost_per_call"),
        *READING,
        "metric",
    ),
)
KINDS = (ITEMS, PARTICIPANTS, STRUCTURE, JUDGES, OPTIONS, MIXED, STUDY)


def plan_from(sources: Sequence[Any], reading: ScoreReading, options: Mapping[str, Any]) -> PlanRecord:
    """Plan from a pilot, or from assumptions where there is none; the first source may name the kind."""
    # a folder with the name of a kind is given as a path
    said = sources[0] if sources and isinstance(sources[0], str) else None
    named = next((kind for kind in KINDS if kind.name == said), None)
    pilot = sources if named is None else sources[1:]
    given = {key: value for key, value in options.items() if value is not None}
    wanted, assumed = wanted_of(dict(given), list(dict.fromkeys(key for one in KINDS for key in one.assumed)))
    kind = _kind_by_results(pilot, reading.metric) if named is None else named
    _refuse_other_results(kind, pilot)
    if pilot and assumed and not kind.mixes:
        raise OptionError(f"a pilot was given, so {', '.join(assumed)} cannot be assumed as well")
    astray = [key for key in assumed if key not in kind.assumed]
    if astray:
        raise OptionError(f"{kind.about} does not assume {', '.join(astray)}; leave it out")
    read = {name for name in READING if getattr(reading.columns, name) is not None}
    names = frozenset({*given, *read, *(("metric",) if reading.metric is not None else ())})
    for name in sorted(names - set(kind.assumed) - set(kind.wanted)):
        others = ", ".join(f"concord plan {other.name}" for other in KINDS if name in other.wanted)
        raise OptionError(f"{kind.about} does not use {name}; leave it out ({others} uses it)")
    return kind.plan(PlanRequest(pilot, wanted, assumed, reading, names))


def _refuse_other_results(kind: PlanKind, pilot: Sequence[Any]) -> None:
    """Refuse results of several kinds, or of another kind than the one that was named."""
    held = [kind.holds(source) for source in pilot]
    if any(held) and not all(held):
        one, other = pilot[held.index(True)], pilot[held.index(False)]
        raise MismatchError(f"{one} is {kind.words} and {other} is not; plan from results of one kind")
    for source in pilot if not any(held) else ():
        found = _kind_by_results([source], None)
        if found is not ITEMS and found is not kind:
            raise MismatchError(f"{source} is {found.words}: concord plan {found.name} {source}")


def _kind_by_results(pilot: Sequence[Any], metric: str | None) -> PlanKind:
    """Tell by the results what is planned; files of scores of items are a comparison."""
    fitting = (kind for kind in in_order(KINDS, metric) if any(kind.holds(source) for source in pilot))
    return next(fitting, ITEMS)
