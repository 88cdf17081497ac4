"""A plan for people and replies together: the cheapest numbers of both for a wanted standard error."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from concord.errors import OptionError
from concord.files.documents import folder_with
from concord.number_words import in_money, number, percent
from concord.people.mixed.result import CombinedEstimate, CombineResult
from concord.planning.options import PlanKind, PlanRecord, PlanRequest
from concord.stats.prediction_powered import MixedDesign, cheapest_mixed


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class MixedPlan(PlanRecord):
    """The cheapest people and replies for a standard error, and what people alone would cost."""

    KIND = "mixed"
    FIRST = ()
    LAST = ("based_on", "warnings")

    correlation: float
    sd: float
    se: float
    person_cost: float
    reply_cost: float
    design: MixedDesign
    range: tuple[MixedDesign, MixedDesign] | None = None
    """The same at both ends of the interval of the correlation, where a pilot gives one."""

    def sentences(self) -> Sequence[str]:
        """Return the plan in words."""
        return tuple(mixed_plan_lines(self))

    def planned(self) -> dict[str, Any]:
        """Return what is planned, by the keys of the document."""
        return {
            "correlation": self.correlation,
            "sd": self.sd,
            "se": self.se,
            "person_cost": self.person_cost,
            "reply_cost": self.reply_cost,
            "design": asdict(self.design),
            "range": None if self.range is None else [asdict(one) for one in self.range],
        }


def mixed_plan_lines(plan: MixedPlan) -> Iterator[str]:
    """Return a plan in words."""
    design = plan.design
    yield f"Plan from {plan.based_on}: correlation {number(plan.correlation, 2)}, SD {number(plan.sd, 2)}"
    yield ""
    if design.replies:
        yield (
            f"{design.people:,} people and {design.people + design.replies:,} replies (one for each person "
            f"and {design.replies:,} more) reach a "
            f"standard error of {number(design.se)} for {in_money(design.cost)}."
        )
        saved = percent(1 - design.cost / design.cost_alone)
        yield f"People alone: {design.people_alone:,}, for {in_money(design.cost_alone)}; saved: {saved}."
    else:
        yield (
            f"People alone are cheapest: {design.people_alone:,}, for {in_money(design.cost_alone)}. Replies "
            "at this price and correlation save nothing."
        )
    if plan.range is not None:
        low, high = plan.range
        yield (
            f"At the ends of the pilot's interval of the correlation: {low.people:,} people "
            f"({in_money(low.cost)}) and {high.people:,} people ({in_money(high.cost)})."
        )


_NAMES = {
    "correlation": "correlation (--correlation)",
    "sd": "standard deviation of answers (--sd)",
    "se": "wanted standard error (--se)",
    "person_cost": "price of a person (--person-cost)",
    "reply_cost": "price of a reply (--reply-cost)",
}


def plan_mixed(asked: PlanRequest) -> MixedPlan:
    """Plan people and replies of a model for a wanted standard error of a mean."""
    if len(asked.sources) > 1:
        raise OptionError(f"a plan of people and replies rests on one pilot, got {len(asked.sources)}")
    found, which = _pilot(asked.sources[0]) if asked.sources else (None, "")
    known: dict[str, Any] = {} if found is None else {"correlation": found.correlation.value, "sd": found.sd}
    known |= asked.assumed
    lacking = [words for name, words in _NAMES.items() if known.get(name) is None]
    if lacking:
        raise OptionError(f"a plan of people and replies needs the {', the '.join(lacking)}")

    def at(correlation: float) -> MixedDesign:
        return cheapest_mixed(**(known | {"correlation": min(max(correlation, 0.0), 0.999)}))

    ends = None if found is None or "correlation" in asked.assumed else found.correlation.interval
    return MixedPlan(
        **known,
        design=at(known["correlation"]),
        range=None if ends is None else (at(ends.low), at(ends.high)),
        based_on="assumptions"
        if found is None
        else f"the pilot {asked.sources[0]} ({found.n_people} people{which})",
    )


def _pilot(source: Any) -> tuple[CombinedEstimate, str]:
    """Return the estimate that a plan is made from, and which of how many it is."""
    result = source if isinstance(source, CombineResult) else _read_pilot(Path(source))
    estimates = result.estimates
    one = next((one for one in estimates if one.kind in ("mean", "share")), estimates[0])
    return one, "" if len(estimates) == 1 else f"; {one.of}, one of {len(estimates)} estimates"


def _read_pilot(source: Path) -> CombineResult:
    folder = folder_with(source, CombineResult.FILE)
    if folder is None:
        raise OptionError(f"{source}: holds no result of `concord combine` ({CombineResult.FILE})")
    return CombineResult.read(folder)


MIXED = PlanKind(
    "mixed",
    "a plan of people and replies",
    plan_mixed,
    words="a result of concord combine",
    holds=lambda source: folder_with(source, CombineResult.FILE) is not None,
    assumed=tuple(_NAMES),
    mixes=True,
)
