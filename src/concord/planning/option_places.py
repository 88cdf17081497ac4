"""Plans for options: questions and repeats that show a preference for a place, or flips, from a pilot."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from concord.comparing.options import KIND as RESULTS
from concord.errors import OptionError
from concord.planning.kinds import PlanKind
from concord.planning.normal import power_of_mean, units_needed
from concord.planning.options import PlanOptions
from concord.planning.pilots import NO_SPREAD, PilotPlan
from concord.stats.elementwise import Floats
from concord.structure.options.result import OptionReply, OptionResult
from concord.structure.options.score import option_items

_USUAL_EFFECT = 0.05
_REPEATS = (1, 2, 3, 5)
_WORDS = {
    "first_option": "choices of the first place beyond an even share",
    "last_option": "choices of the last place beyond an even share",
    "option_flips": "flips between arrangements beyond those between repeats",
}


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class OptionPlan(PilotPlan):
    """What so many questions show about the places of options."""

    model: str
    metric: str
    words: str
    """The metric in words."""
    items: int
    arrangements: int
    repeats: int

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return self.document(
            RESULTS.name,
            {"model": self.model, "metric": self.metric},
            {"items": self.items, "arrangements": self.arrangements, "repeats": self.repeats},
            ("repeats", "items", "calls"),
        )


def plan_options(sources: Sequence[Any], wanted: PlanOptions, metric: str | None) -> OptionPlan:
    """Plan from one result about options."""
    if len(sources) != 1:
        raise OptionError("a plan for options rests on one run: give one folder")
    chosen = "first_option" if metric is None else metric
    if chosen not in _WORDS:
        raise OptionError(f"a plan for options is about {', '.join(_WORDS)}, not {chosen!r}")
    result = OptionResult.read(sources[0])
    pilot = option_items(result.replies)
    there = ~np.isnan(pilot.values[chosen])
    values = pilot.values[chosen][there]
    families = [name for name, known in zip(pilot.families, there.tolist(), strict=True) if known]
    n_families = len(set(families))
    if n_families < 2:
        unit = "item(s)" if n_families == values.size else "family of items"
        raise OptionError(f"the pilot has {n_families} {unit} with {chosen}; a plan needs their spread")
    effect = _USUAL_EFFECT if wanted.effect is None else wanted.effect
    cells, repeats = _arrangements_and_repeats(result)
    between, within = _variances(result, chosen, _spread_over(values, families), repeats)
    tried = _REPEATS if within is not None else (repeats,)
    planned = wanted.repeats if within is not None and not wanted.search_repeats else repeats
    items = values.size if wanted.items is None else wanted.items
    needed = tuple(
        (k, n := units_needed(effect, _spread_of_places(between, within, k), wanted, "items"), n * cells * k)
        for k in tried
    )
    warnings = []
    if n_families < values.size:
        warnings.append(
            f"{values.size} questions are in {n_families} families, which are what is independent: the plan "
            "is for families of the same size"
        )
    if wanted.effect is None:
        warnings.append(f"no effect was named; the plan is for {effect:g}")
    spread = _spread_of_places(between, within, planned)
    if spread == 0:
        warnings.append(NO_SPREAD)
    return OptionPlan(
        based_on=str(sources[0]),
        model=result.model,
        metric=chosen,
        words=_WORDS[chosen],
        wanted=wanted,
        effect=effect,
        items=items,
        arrangements=cells,
        repeats=planned,
        sd_between=float(np.sqrt(between)),
        sd_within=None if within is None else float(np.sqrt(within)),
        power=power_of_mean(effect, spread / items, 1 - wanted.level),
        needed=needed,
        warnings=tuple(warnings),
    )


def _spread_over(values: Floats, families: Sequence[str]) -> float:
    """Return n times the variance of a mean of n items: their variance, or that of sums of their families.

    With families c of m items in all, of sums S_c of deviations from the mean: C/(C - 1) * sum(S_c^2) / m.
    """
    codes = {name: i for i, name in enumerate(dict.fromkeys(families))}
    sums = np.bincount([codes[name] for name in families], values - values.mean())
    return float((sums**2).sum() * len(sums) / (len(sums) - 1) / values.size)


def _spread_of_places(between: float, within: float | None, repeats: int) -> float:
    return between if within is None else between + within / repeats


def _arrangements_and_repeats(result: OptionResult) -> tuple[int, int]:
    """Return the arrangements per item, and the repeats in each: the most that any has."""
    cells: dict[tuple[str, str], int] = {}
    for reply in result.replies:
        key = (reply.item, reply.arrangement)
        cells[key] = cells.get(key, 0) + 1
    items = [item for item, _ in cells]
    return max(items.count(item) for item in set(items)), max(cells.values())


def _variances(result: OptionResult, metric: str, spread: float, repeats: int) -> tuple[float, float | None]:
    """Return the variance over items, and what one round of all arrangements adds to it.

    A choice of the place is 1 or 0. With A arrangements and k repeats an item's share has the variance
    between + within/k, where within is the mean variance of one choice inside a cell, over A.
    """
    if metric == "option_flips" or repeats < 2:
        return spread, None
    single = _variance_in_cells(result.replies, last=metric == "last_option")
    if single is None:
        return spread, None
    return max(0.0, spread - single / repeats), single


def _variance_in_cells(replies: Sequence[OptionReply], *, last: bool) -> float | None:
    """Return the mean over items of the variance of one choice inside a cell, over the item's cells."""
    cells: dict[str, dict[str, list[float]]] = {}
    for reply in replies:
        if reply.place is not None:
            wanted = reply.n_options - 1 if last else 0
            cells.setdefault(reply.item, {}).setdefault(reply.arrangement, []).append(
                float(reply.place == wanted)
            )
    found = []
    for own in cells.values():
        several = [np.var(votes, ddof=1) for votes in own.values() if len(votes) > 1]
        if several:
            found.append(float(np.mean(several)) / len(own))
    return float(np.mean(found)) if found else None


KIND = PlanKind(RESULTS.words, RESULTS.holds, plan_options, metrics=RESULTS.metrics)
