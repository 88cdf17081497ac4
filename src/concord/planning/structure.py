"""Plans for agreement with itself: items, arrangements and repeats that show an order effect."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from concord.errors import OptionError
from concord.files.documents import provenance
from concord.planning.kinds import PlanKind
from concord.planning.options import PlanOptions
from concord.planning.order_search import (
    ARRANGEMENTS,
    REPEATS,
    OrderAssumptions,
    OrderDesign,
    OrderGoal,
    assumed_variances,
    design_of,
    fewest_items,
    search,
)
from concord.records import InputFile, Presented
from concord.structure import NAME
from concord.structure import result as structure_files
from concord.structure.records import ModelResult
from concord.structure.result import is_structure_folder

ASSUMED = ("accuracy", "order_sd", "order_item_sd", "noise_sd")
"""What can be assumed about scores instead of a pilot."""
USUAL_TAU = 0.05
USUAL_INTERACTION = 0.1
"""Taken where nothing else is said; the plan says so."""
SHOWN_DESIGNS = 8
"""Designs that a plan lists."""


@dataclass(frozen=True, slots=True, repr=False)
class StructurePlan(Presented):
    """What so many items, arrangements and repeats show about an order effect."""

    based_on: str
    wanted: PlanOptions
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
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    designs: tuple[OrderDesign, ...] = ()
    """Other numbers of arrangements and repeats with the fewest items that do, the cheapest first."""
    accuracy: float | None = None
    """Mean score that was assumed."""

    @property
    def calls(self) -> int:
        """Calls of one model for the items needed."""
        return self.items_needed * self.arrangements * self.wanted.repeats

    @property
    def cost(self) -> tuple[float, float] | None:
        """Lowest and highest cost of these calls; ``None`` where the cost of a call is not known."""
        return self.wanted.cost_of(self.calls)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {
            "question": "plan",
            "kind": NAME,
            "based_on": self.based_on,
            "accuracy": self.accuracy,
            "tau": self.tau,
            "items": self.items,
            "arrangements": self.arrangements,
            "sd_interaction": self.sd_interaction,
            "sd_noise": self.sd_noise,
            "power": self.power,
            "interval_width": self.width,
            "items_needed": self.items_needed,
            "calls": self.calls,
            "cost": None if self.cost is None else {"low": self.cost[0], "high": self.cost[1]},
            "designs": [{**asdict(one), "calls": one.calls} for one in self.designs],
            "wanted": asdict(self.wanted),
            "warnings": list(self.warnings),
            **provenance(self.inputs),
        }


def plan_assumed(assumed: Mapping[str, Any], wanted: PlanOptions) -> StructurePlan:
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
    planned = design_of(scores, _goal(wanted), items, best.arrangements, best.repeats)
    notes = [] if interaction is not None else [
        f"single items are taken to move by {USUAL_INTERACTION:g} (SD) with the arrangement (--order-item-sd)"
    ]  # fmt: skip
    if assumed.get("order_sd") is None and wanted.effect is None:
        notes.append(f"an order effect of {USUAL_TAU:g} is assumed (--order-sd)")
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
        return f"{wanted.power:.0%} power for an order effect of {tau:g}"
    return f"an interval of tau of width {wanted.width:g}"


def _with_what(wanted: PlanOptions) -> str:
    limits = [f"{wanted.items:,} items"] if wanted.items is not None else []
    limits += [f"{wanted.calls:,} calls"] if wanted.calls is not None else []
    return f" with {' and '.join(limits)}" if limits else " by any design that was tried"


def _goal(wanted: PlanOptions) -> OrderGoal:
    return OrderGoal(wanted.power, wanted.width, wanted.level, wanted.items, wanted.calls, wanted.item_cost)


def _searched(assumed: OrderAssumptions, wanted: PlanOptions, known: int | None) -> tuple[OrderDesign, ...]:
    """Return designs that do; the noise of a single sample must be known for repeats to be a choice."""
    repeats: tuple[int, ...] = REPEATS if wanted.search_repeats else (wanted.repeats,)
    if assumed.noise is None:
        repeats = (wanted.repeats if known is None else known,)
    tried = ARRANGEMENTS if wanted.arrangements is None else (wanted.arrangements,)
    return search(assumed, _goal(wanted), arrangements=tried, repeats=repeats)[:SHOWN_DESIGNS]


def plan_structure(sources: Sequence[Any], wanted: PlanOptions, metric: str | None) -> StructurePlan:
    """Plan from one result about structure: the items that show an order effect."""
    if metric not in (None, "tau"):
        raise OptionError(f"a result about structure is planned by tau, not by {metric!r}")
    if len(sources) != 1:
        raise OptionError(f"a plan about structure needs the result of one pilot, got {len(sources)}")
    result = structure_files.read(Path(sources[0]))
    model, interaction, noise = _noisiest(result.models)
    effect = model.order.effect
    assert effect is not None  # noqa: S101 - chosen by it
    tau = USUAL_TAU if wanted.effect is None else wanted.effect
    items = effect.n_items if wanted.items is None else wanted.items
    arrangements = effect.n_arrangements if wanted.arrangements is None else wanted.arrangements
    repeats = None if model.samples_per_cell is None else model.samples_per_cell[0]
    if wanted.search_repeats and noise is not None and repeats is not None:
        wanted = replace(wanted, repeats=repeats)  # as the pilot asked
    scores, free = OrderAssumptions(tau, interaction, noise), replace(_goal(wanted), most_items=None)
    needed = fewest_items(scores, free, arrangements, wanted.repeats)
    if needed is None:
        raise OptionError(f"{_wish(tau, wanted)} would need more than a million items")
    planned = design_of(scores, free, items, arrangements, wanted.repeats)
    warnings = () if noise is not None else (
        "the pilot has one sample per cell: more repeats are planned as if they changed nothing",
    )  # fmt: skip
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
        inputs=structure_files.fingerprints(sources[0]),
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


KIND = PlanKind("a result about structure", is_structure_folder, plan_structure, NAME, ASSUMED, plan_assumed)
