"""Plans for agreement with itself: items, arrangements and repeats that show an order effect."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from concord.comparing.kinds import STRUCTURE_RESULTS as RESULTS
from concord.errors import OptionError
from concord.number_words import number, percent
from concord.planning.options import PlanKind, PlanOptions, PlanRecord, PlanRequest, money, named_value, price
from concord.stats.bands import MIN_UNITS
from concord.structure import NAME
from concord.structure.records import ModelResult
from concord.words import say

MOST_ITEMS = 1_000_000
ARRANGEMENTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24)
"""Numbers of arrangements that are tried; four options or four characters have 24 orders."""
REPEATS = (2, 3, 4, 5, 8)
"""Repeats that are tried: two at least, since flips are counted against those between repeats."""
_QUANTILES = (np.arange(9) + 0.5) / 9
"""Results over which an expected width is averaged."""


@dataclass(frozen=True, slots=True)
class OrderAssumptions:
    """What a plan takes scores to be like."""

    tau: float
    """Order effect: standard deviation of the arrangements' true mean scores."""
    interaction: float
    """Variance of what an arrangement does to single items, beyond what it does to the mean."""
    noise: float | None
    """Variance of one sample around its cell's mean; ``None``: not known, contained in the interaction."""

    def cell_variance(self, repeats: int) -> float:
        """Return the variance of a cell's mean around the means of its item and its arrangement."""
        return self.interaction + (0.0 if self.noise is None else self.noise / repeats)


@dataclass(frozen=True, slots=True)
class OrderDesign:
    """So many items, arrangements and repeats, and what they show."""

    items: int
    arrangements: int
    repeats: int
    power: float
    width: float
    """Expected width of the interval of tau."""
    price: float
    """Calls, and new items at what one costs."""

    @property
    def calls(self) -> int:
        """Calls of one model."""
        return self.items * self.arrangements * self.repeats


def assumed_variances(
    *, tau: float, accuracy: float | None, interaction_sd: float, noise_sd: float | None
) -> OrderAssumptions:
    """Return assumptions; without a noise that of right and wrong answers of this accuracy."""
    # The variance of one answer is accuracy (1 - accuracy). What the arrangement explains of it is taken off,
    # what items explain is not: this is the most noise there could be.
    if not 0 < tau < 1:
        raise OptionError(f"the order effect is {tau!r}; expected a standard deviation between 0 and 1")
    if noise_sd is not None:
        return OrderAssumptions(tau, interaction_sd**2, noise_sd**2)
    if accuracy is None:
        raise OptionError(
            "a plan about structure needs to know how scores vary: give the result of a pilot (concord plan "
            "structure RESULTS); or, for right and wrong answers, the share that is expected to be right "
            "(--accuracy 0.7); or, for other scores, the standard deviation of repeated answers (--noise-sd)"
        )
    noise = round(accuracy * (1 - accuracy) - tau**2 - interaction_sd**2, 15)
    if noise < 0:
        whole = float(np.sqrt(accuracy * (1 - accuracy)))
        raise OptionError(
            f"right and wrong answers of accuracy {accuracy:g} vary by {number(whole, 3)} in all; "
            f"an order effect of {tau:g} with {interaction_sd:g} by item is more than that"
        )
    return OrderAssumptions(tau, interaction_sd**2, noise)


def order_power(tau: float, variance: float, items: int, arrangements: int, *, alpha: float = 0.05) -> float:
    """Return the power of the test of no order effect, noise alike in all arrangements."""
    if variance == 0:
        return 1.0
    df1, df2 = arrangements - 1, (items - 1) * (arrangements - 1)
    line = special.fdtri(df1, df2, 1 - alpha)
    return float(1 - special.ncfdtr(df1, df2, items * df1 * tau**2 / variance, line))


def order_width(tau: float, variance: float, items: int, arrangements: int, *, level: float = 0.95) -> float:
    """Return the expected width of the interval of tau: the mean over results that such data give."""
    if variance == 0:
        return 0.0
    df1, df2 = arrangements - 1, (items - 1) * (arrangements - 1)
    unit = variance / (items * df1)
    f = special.ncfdtri(df1, df2, tau**2 / unit, _QUANTILES)
    tail = (1 - level) / 2
    high, low = (_noncentrality(df1, df2, p, f) for p in (tail, 1 - tail))
    return float(np.mean(np.sqrt(unit * high) - np.sqrt(unit * low)))


def _noncentrality(df1: int, df2: int, probability: float, f: np.ndarray) -> np.ndarray:
    """Return the noncentrality at which a value of F is this quantile; 0 where every one is too large."""
    reached = special.fdtr(df1, df2, f) > probability
    found = np.zeros_like(f)
    found[reached] = special.ncfdtrinc(df1, df2, probability, f[reached])
    return found


def design_of(
    assumed: OrderAssumptions, goal: PlanOptions, items: int, arrangements: int, repeats: int
) -> OrderDesign:
    """Return what a design shows."""
    variance = assumed.cell_variance(repeats)
    power = order_power(assumed.tau, variance, items, arrangements, alpha=1 - goal.level)
    width = order_width(assumed.tau, variance, items, arrangements, level=goal.level)
    price = items * (arrangements * repeats + goal.item_cost)
    return OrderDesign(items, arrangements, repeats, power, width, price)


def fewest_items(
    assumed: OrderAssumptions, goal: PlanOptions, arrangements: int, repeats: int, *, least: int = 2
) -> int | None:
    """Return the fewest items that reach the goal; ``None`` where so many cannot be had."""
    variance, alpha = assumed.cell_variance(repeats), 1 - goal.level

    def enough(n: int) -> bool:
        if goal.width is None:
            return order_power(assumed.tau, variance, n, arrangements, alpha=alpha) >= goal.power
        return order_width(assumed.tau, variance, n, arrangements, level=goal.level) <= goal.width

    return _first(enough, least, MOST_ITEMS)


def _first(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the smallest number from ``least`` on that is enough, by doubling and halving."""
    if enough(least):
        return least
    low, high = least, 2 * least
    while not enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def search(
    assumed: OrderAssumptions,
    goal: PlanOptions,
    *,
    arrangements: Iterable[int] = ARRANGEMENTS,
    repeats: Iterable[int] = REPEATS,
) -> tuple[OrderDesign, ...]:
    """Return, for every number of arrangements and repeats, the fewest items that do; the cheapest first."""
    repeats = tuple(repeats)
    found = []
    for p in arrangements:
        for k in repeats:
            items = fewest_items(assumed, goal, p, k, least=MIN_UNITS)
            if items is None or (goal.items is not None and items > goal.items):
                continue
            one = design_of(assumed, goal, items, p, k)
            if goal.calls is None or one.calls <= goal.calls:
                found.append(one)
    return tuple(sorted(found, key=lambda one: (one.price, one.arrangements, one.repeats)))


USUAL_TAU = 0.05
USUAL_INTERACTION = 0.1
"""Taken where nothing else is said; the plan says so."""
SHOWN_DESIGNS = 8
"""Designs that a plan lists."""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class StructurePlan(PlanRecord):
    """What so many items, arrangements and repeats show about an order effect."""

    KIND = NAME
    PLANNED = (
        *("accuracy", "tau", "items", "arrangements", "sd_interaction", "sd_noise", "power"),
        *("interval_width=width", "items_needed", "calls", "cost", "designs"),
    )

    tau: float
    """Order effect that should be found."""
    items: int
    arrangements: int
    sd_interaction: float
    """Standard deviation of what the arrangement does to single items."""
    sd_noise: float | None
    """Of one sample around its cell; ``None``: the pilot does not tell."""
    power: float
    width: float
    """Expected width of the interval of tau at these items."""
    items_needed: int
    """Items that show the order effect with the wanted power, or give the wanted width."""
    designs: tuple[OrderDesign, ...] = ()
    """Other numbers of arrangements and repeats with the fewest items that do, the cheapest first."""
    accuracy: float | None = None
    """Mean score that was assumed."""

    @property
    def calls(self) -> int:
        """Calls of one model for the items needed."""
        return self.items_needed * self.arrangements * self.wanted.repeats

    def planned(self) -> dict[str, Any]:
        """Return what is planned, by the keys of the document."""
        designs = [{**asdict(one), "calls": one.calls} for one in self.designs]
        return PlanRecord.planned(self) | {"cost": price(self.cost), "designs": designs}

    def _shape(self, items: int) -> str:
        held = {"arrangements": self.arrangements, "repeats": self.wanted.repeats}
        return say("plan.structure.shape", items=items, **held)

    def lines(self) -> Iterator[str]:
        """Return everything a reader of the terminal should see."""
        wanted = self.wanted
        yield say("plan.from", what=self.based_on)
        if self.accuracy is not None:
            yield say("plan.structure.binary", share=self.accuracy)
        yield say("plan.structure.moves", tau=self.tau, interaction=self.sd_interaction, noise=self.sd_noise)
        yield ""
        if wanted.width is None:
            yield say("plan.structure.to_show", power=wanted.power)
        else:
            yield say("plan.structure.to_measure", level=wanted.level, width=wanted.width)
        yield named_value(say("plan.label.needed"), self._shape(self.items_needed))
        yield named_value(say("plan.label.calls_one"), f"{self.calls:,}")
        yield named_value(say("plan.label.cost"), money(self.cost))
        if self.items != self.items_needed:
            yield ""
            yield say("plan.items.with", amount=self._shape(self.items))
            yield named_value(say("plan.label.power"), percent(self.power))
            wide = say("plan.structure.wide", width=self.width)
            yield named_value(say("plan.label.interval_tau", level=wanted.level), wide)
        if len(self.designs) > 1:
            yield ""
            yield say("plan.structure.designs")
            yield f"  {'items':>8} {'arrangements':>13} {'repeats':>8} {'calls':>9} {'power':>9} {'width':>6}"
            for one in self.designs:
                size = f"{one.items:>8,} {one.arrangements:>13} {one.repeats:>8} {one.calls:>9,}"
                yield f"  {size} {percent(one.power):>9} {number(one.width):>6}"


def _assumed_plan(assumed: Mapping[str, Any], wanted: PlanOptions) -> StructurePlan:
    """Plan before any run: the cheapest items, arrangements and repeats that show an order effect."""
    tau = _assumed_tau(assumed.get("order_sd"), wanted)
    interaction = assumed.get("order_item_sd")
    scores = assumed_variances(
        tau=tau,
        accuracy=assumed.get("accuracy"),
        interaction_sd=USUAL_INTERACTION if interaction is None else interaction,
        noise_sd=assumed.get("noise_sd"),
    )
    designs = _searched(scores, wanted, None)
    if not designs and wanted.items is not None:  # what the items there are would show, and how many would do
        designs = _searched(scores, replace(wanted, items=None), None)
    if not designs:
        raise OptionError(
            f"{_wish(tau, wanted)} is not reached{_with_what(wanted)}; allow more, or want less"
        )
    best = designs[0]
    wanted = replace(wanted, repeats=best.repeats)
    items = best.items if wanted.items is None else wanted.items
    planned = design_of(scores, wanted, items, best.arrangements, best.repeats)
    notes = [] if interaction is not None else [
        say("plan.structure.item_sd", sd=USUAL_INTERACTION)
    ]  # fmt: skip
    if assumed.get("order_sd") is None and wanted.effect is None:
        notes.append(say("plan.structure.tau", tau=USUAL_TAU))
    return StructurePlan(
        based_on="assumptions",
        wanted=wanted,
        tau=tau,
        items=items,
        arrangements=best.arrangements,
        sd_interaction=float(np.sqrt(scores.interaction)),
        sd_noise=None if scores.noise is None else float(np.sqrt(scores.noise)),
        power=planned.power,
        width=planned.width,
        items_needed=best.items,
        warnings=tuple(notes),
        designs=designs,
        accuracy=assumed.get("accuracy"),
    )


def _assumed_tau(given: float | None, wanted: PlanOptions) -> float:
    """Return the order effect that is planned for: ``order_sd`` and ``effect`` mean the same."""
    if given is not None and wanted.effect is not None and given != wanted.effect:
        raise OptionError(
            f"--order-sd {given:g} and --effect {wanted.effect:g} both name the order effect; give one"
        )
    known = wanted.effect if given is None else given
    return USUAL_TAU if known is None else known


def _wish(tau: float, wanted: PlanOptions) -> str:
    if wanted.width is None:
        return f"{percent(wanted.power)} power for an order effect of {tau:g}"
    return f"an interval of tau of width {wanted.width:g}"


def _with_what(wanted: PlanOptions) -> str:
    limits = [f"{wanted.items:,} items"] if wanted.items is not None else []
    limits += [f"{wanted.calls:,} calls"] if wanted.calls is not None else []
    return f" with {' and '.join(limits)}" if limits else " by any design that was tried"


def _searched(assumed: OrderAssumptions, wanted: PlanOptions, known: int | None) -> tuple[OrderDesign, ...]:
    """Return designs that do; the noise of a single sample must be known for repeats to be a choice."""
    repeats: tuple[int, ...] = REPEATS if wanted.search_repeats else (wanted.repeats,)
    if assumed.noise is None:
        repeats = (wanted.repeats if known is None else known,)
    tried = ARRANGEMENTS if wanted.arrangements is None else (wanted.arrangements,)
    return search(assumed, wanted, arrangements=tried, repeats=repeats)[:SHOWN_DESIGNS]


def plan_structure(asked: PlanRequest) -> StructurePlan:
    """Plan for an order effect: from assumptions, or from one result about structure."""
    if asked.wanted.width is not None:
        asked.refuse("power", why="the width of the interval decides")
    if not asked.sources:
        asked.refuse("metric", why="no pilot is read")
        if "noise_sd" in asked.assumed:
            asked.refuse("accuracy", why="the noise of answers was given (noise_sd)")
        return _assumed_plan(asked.assumed, asked.wanted)
    if asked.metric not in (None, "tau"):
        raise OptionError(f"a result about structure is planned by tau, not by {asked.metric!r}")
    if len(asked.sources) != 1:
        raise OptionError(f"a plan about structure needs the result of one pilot, got {len(asked.sources)}")
    wanted, pilot = asked.wanted, RESULTS.stored(asked.sources[0])
    model, interaction, noise = _noisiest(pilot.result.models)
    effect = model.order.effect
    assert effect is not None  # noqa: S101 - chosen by it
    tau = USUAL_TAU if wanted.effect is None else wanted.effect
    items = effect.n_items if wanted.items is None else wanted.items
    arrangements = effect.n_arrangements if wanted.arrangements is None else wanted.arrangements
    repeats = None if model.samples_per_cell is None else model.samples_per_cell[0]
    if wanted.search_repeats and noise is not None and repeats is not None:
        wanted = replace(wanted, repeats=repeats)  # as the pilot asked
    scores = OrderAssumptions(tau, interaction, noise)
    needed = fewest_items(scores, wanted, arrangements, wanted.repeats)
    if needed is None:
        raise OptionError(f"{_wish(tau, wanted)} would need more than a million items")
    planned = design_of(scores, wanted, items, arrangements, wanted.repeats)
    warnings = () if noise is not None else (say("plan.warned.one_sample"),)
    return StructurePlan(
        based_on=f"a pilot of {effect.n_items} items: {model.model}",
        wanted=wanted,
        tau=tau,
        items=items,
        arrangements=arrangements,
        sd_interaction=float(np.sqrt(interaction)),
        sd_noise=None if noise is None else float(np.sqrt(noise)),
        power=planned.power,
        width=planned.width,
        items_needed=needed,
        inputs=RESULTS.inputs(pilot),
        warnings=warnings,
        designs=_searched(scores, wanted, repeats),
    )


def _noisiest(models: Sequence[ModelResult]) -> tuple[ModelResult, float, float | None]:
    """Return the model whose cells vary most, and the parts of that: interaction, noise of one sample."""
    known = [model for model in models if model.order.effect is not None and model.order.effect.f is not None]
    if not known:
        raise OptionError("no model of the pilot has an order effect with a test; a plan needs its noise")
    model = max(known, key=lambda one: 0.0 if one.order.effect is None else one.order.effect.ms_residual)
    effect, shares, k = model.order.effect, model.order.shares, model.samples_per_cell
    assert effect is not None  # noqa: S101 - chosen by it
    if shares is None or k is None or shares.interaction + shares.noise == 0:
        return model, effect.ms_residual, None
    # MS_residual = interaction + noise / k
    whole = effect.ms_residual / (shares.interaction + shares.noise / k[0])
    return model, shares.interaction * whole, shares.noise * whole


STRUCTURE = PlanKind(
    NAME,
    "a plan about structure",
    plan_structure,
    words=RESULTS.words,
    holds=RESULTS.holds,
    assumed=("accuracy", "order_sd", "order_item_sd", "noise_sd"),
    wanted=(
        *("effect", "power", "width", "level", "items", "arrangements", "repeats", "calls", "item_cost"),
        *("cost_per_call", "metric"),
    ),
)
