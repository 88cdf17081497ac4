"""Plans for agreement with itself: items and repeats that show an order effect, from a pilot."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from concord.comparing.structure import KIND as RESULTS
from concord.errors import OptionError
from concord.files.provenance import provenance
from concord.planning.kinds import PlanKind
from concord.planning.wanted import Wanted
from concord.records import InputFile, Presented
from concord.structure import NAME
from concord.structure import files as structure_files
from concord.structure.records import ModelResult

_MOST = 1_000_000
_USUAL_TAU = 0.05


@dataclass(frozen=True, slots=True, repr=False)
class StructurePlan(Presented):
    """What so many items, arrangements and repeats show about an order effect."""

    based_on: str
    wanted: Wanted
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
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """Calls of one model for the items needed."""
        return self.items_needed * self.arrangements * self.wanted.repeats

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {
            "question": "plan",
            "kind": NAME,
            "based_on": self.based_on,
            "tau": self.tau,
            "items": self.items,
            "arrangements": self.arrangements,
            "sd_interaction": self.sd_interaction,
            "sd_noise": self.sd_noise,
            "power": self.power,
            "interval_width": self.width,
            "items_needed": self.items_needed,
            "calls": self.calls,
            "wanted": asdict(self.wanted),
            "warnings": list(self.warnings),
            **provenance(self.inputs),
        }


def order_power(tau: float, variance: float, items: int, arrangements: int, *, alpha: float = 0.05) -> float:
    """Return the power of the test of no order effect, noise alike in all arrangements.

    Examples
    --------
    >>> round(order_power(0.05, 0.02, 40, 6), 2), round(order_power(1e-9, 0.02, 40, 6), 2)
    (0.98, 0.05)
    """
    df1, df2 = arrangements - 1, (items - 1) * (arrangements - 1)
    line = special.fdtri(df1, df2, 1 - alpha)
    return float(1 - special.ncfdtr(df1, df2, items * df1 * tau**2 / variance, line))


def order_width(tau: float, variance: float, items: int, arrangements: int, *, level: float = 0.95) -> float:
    """Return the expected width of the interval of tau: twice its normal reach, 0 at the lower end kept."""
    z = float(special.ndtri((1 + level) / 2))
    df1 = arrangements - 1
    # Var(tau^2) = (4 tau^2 v / N + 2 v^2 / N^2) / (P - 1)
    spread = np.sqrt((4 * tau**2 * variance / items + 2 * (variance / items) ** 2) / df1)
    low, high = max(0.0, tau**2 - z * spread), tau**2 + z * spread
    return float(np.sqrt(high) - np.sqrt(low))


def plan_structure(sources: Sequence[Any], wanted: Wanted, metric: str | None) -> StructurePlan:
    """Plan from one result about structure: the items that show an order effect.

    Raises
    ------
    OptionError
        Several results, another metric, or a pilot without an order effect to plan from.
    """
    if metric not in (None, "tau"):
        raise OptionError(f"a result about structure is planned by tau, not by {metric!r}")
    if len(sources) != 1:
        raise OptionError(f"a plan about structure needs the result of one pilot, got {len(sources)}")
    result = structure_files.read(Path(sources[0]))
    model, interaction, noise = _noisiest(result.models)
    effect = model.order.effect
    assert effect is not None  # noqa: S101 - chosen by it
    tau = _USUAL_TAU if wanted.effect is None else wanted.effect
    items = effect.n_items if wanted.items is None else wanted.items
    variance = interaction + (0.0 if noise is None else noise / wanted.repeats)
    needed = _fewest(tau, variance, effect.n_arrangements, wanted)
    warnings = () if noise is not None else (
        "the pilot has one sample per cell: more repeats are planned as if they changed nothing",
    )  # fmt: skip
    return StructurePlan(
        based_on=f"a pilot of {effect.n_items} items: {model.model}",
        wanted=wanted,
        tau=tau,
        items=items,
        arrangements=effect.n_arrangements,
        sd_interaction=float(np.sqrt(interaction)),
        sd_noise=None if noise is None else float(np.sqrt(noise)),
        power=order_power(tau, variance, items, effect.n_arrangements, alpha=1 - wanted.level),
        width=order_width(tau, variance, items, effect.n_arrangements, level=wanted.level),
        items_needed=needed,
        inputs=structure_files.fingerprints(sources[0]),
        warnings=warnings,
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


def _fewest(tau: float, variance: float, arrangements: int, wanted: Wanted) -> int:
    low, high = 2, 4
    alpha = 1 - wanted.level
    while order_power(tau, variance, high, arrangements, alpha=alpha) < wanted.power:
        low, high = high, 2 * high
        if high > _MOST:
            raise OptionError(f"more than {_MOST:,} items would be needed to show tau = {tau:g}")
    while high - low > 1:
        middle = (low + high) // 2
        enough = order_power(tau, variance, middle, arrangements, alpha=alpha) >= wanted.power
        low, high = (low, middle) if enough else (middle, high)
    return high


KIND = PlanKind(RESULTS.words, RESULTS.holds, plan_structure)
