"""A plan for people and replies together: the cheapest numbers of both for a wanted standard error."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.files.documents import folder_with
from concord.people.mixed.result import CombinedEstimate, CombineResult, SequentialResult, in_question
from concord.planning.options import PlanKind, PlanRecord, PlanRequest
from concord.stats.prediction_powered import MixedDesign, cheapest_mixed, implied_correlation
from concord.stats.sequential import NextPurchase, next_purchase
from concord.words import say


@dataclass(frozen=True, slots=True)
class PlannedEstimate:
    """One estimate of a pilot, and what it needs for the wanted standard error."""

    of: str
    correlation: float
    """At which predictions are worth what they were in the pilot."""
    sd: float
    """Standard error of people alone times the root of their number."""
    design: MixedDesign


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class MixedPlan(PlanRecord):
    """The cheapest people and replies for a standard error, and what people alone would cost."""

    KIND = "mixed"
    FIRST = ()
    LAST = ("based_on", "warnings")
    PLANNED = (
        *("correlation", "sd", "se", "person_cost", "reply_cost", "design", "range", "sequential", "each"),
    )

    correlation: float
    sd: float
    se: float
    person_cost: float
    reply_cost: float
    design: MixedDesign
    range: tuple[MixedDesign, MixedDesign] | None = None
    """The same at both ends of the interval of the correlation, where a pilot gives one."""
    sequential: NextPurchase | None = None
    """People and replies for an interval of the same reach that may be looked at at any time."""
    each: tuple[PlannedEstimate, ...] = ()
    """Every estimate of a pilot that has several; the plan is that of the one that needs most."""

    def planned(self) -> dict[str, Any]:
        """Return what is planned; what may be looked at at any time only where it was asked for."""
        made = PlanRecord.planned(self)
        return {key: value for key, value in made.items() if key != "sequential" or value is not None}

    def lines(self) -> Iterator[str]:
        """Return the plan in words, line by line."""
        design = self.design
        yield say("plan.mixed.from", what=self.based_on, r=self.correlation, sd=self.sd)
        yield ""
        if design.replies:
            yield say(
                "plan.mixed.reach",
                people=design.people,
                all=design.people + design.replies,
                more=design.replies,
                se=design.se,
                cost=design.cost,
            )
            saved = 1 - design.cost / design.cost_alone
            yield say("plan.mixed.saved", people=design.people_alone, cost=design.cost_alone, saved=saved)
        else:
            yield say("plan.mixed.alone", people=design.people_alone, cost=design.cost_alone)
        if self.range is not None:
            low, high = self.range
            ends = {"low": low.people, "low_cost": low.cost, "high": high.people, "high_cost": high.cost}
            yield say("plan.mixed.range", **ends)
        if (looked := self.sequential) is not None:
            people, times = looked.people_in_all, looked.people_in_all / design.people
            yield say("plan.mixed.looked", people=people, replies=looked.replies_in_all, times=times)
        if self.each:
            yield say("plan.mixed.demanding", n=len(self.each))
        for one in self.each:
            yield say("plan.mixed.one", of=one.of, people=one.design.people, replies=one.design.replies)


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
    batches = _batches(asked.sources[0]) if asked.sources else None
    result = _pilot(asked.sources[0]) if asked.sources and batches is None else None
    pilots = [] if result is None else in_question(result.estimates)
    looked = asked.assumed.get("sequential", False) is True
    assumed = {name: value for name, value in asked.assumed.items() if name != "sequential"}
    assumed = assumed if batches is None else {**_values_of_batches(batches), **assumed}
    lacking = [
        words
        for name, words in _NAMES.items()
        if assumed.get(name) is None and not (pilots and name in ("correlation", "sd"))
    ]
    if lacking:
        raise OptionError(f"a plan of people and replies needs the {', the '.join(lacking)}")
    if result is None:
        known = dict(assumed)
        ahead = _at_any_time(known) if looked else None
        on = "assumptions" if batches is None else f"the batches ({batches.looks[-1].n_people} people)"
        return MixedPlan(**known, design=_cheapest(known), sequential=ahead, based_on=on)
    made = [(one, _values_of(one) | dict(assumed)) for one in pilots]
    each = [
        PlannedEstimate(one.of, known["correlation"], known["sd"], _cheapest(known)) for one, known in made
    ]
    most = max(range(len(each)), key=lambda i: each[i].design.cost)
    one, known = made[most]
    ends = None if "correlation" in assumed else one.worth.interval
    which = "" if len(result.estimates) == 1 else f"; {one.of}, one of {len(result.estimates)} estimates"
    return MixedPlan(
        **known,
        design=each[most].design,
        range=None
        if ends is None
        else (
            _cheapest(known | _correlation_at(one, ends.low)),
            _cheapest(known | _correlation_at(one, ends.high)),
        ),
        sequential=_at_any_time(known) if looked else None,
        each=tuple(each) if len(each) > 1 else (),
        based_on=f"the pilot {asked.sources[0]} ({one.n_people} people{which})",
    )


def _cheapest(known: dict[str, Any]) -> MixedDesign:
    return cheapest_mixed(**(known | {"correlation": min(max(known["correlation"], 0.0), 0.999)}))


def _at_any_time(known: dict[str, Any]) -> NextPurchase:
    """Look ahead to people and replies whose interval, looked at at any time, reaches as far as 1.96 SE."""
    design = _cheapest(known)
    margin, r = float(special.ndtri(0.975)) * known["se"], min(max(known["correlation"], 0.0), 0.999)
    try:
        return next_purchase(
            known["sd"], r**2, people=20, replies=0, margin=margin, planned=max(design.people, 20),
            person_cost=known["person_cost"], reply_cost=known["reply_cost"],
        )  # fmt: skip
    except UndefinedError as fault:
        raise OptionError(str(fault)) from fault


def _values_of(one: CombinedEstimate) -> dict[str, float]:
    """Return correlation and spread at which a plan with the pilot's numbers has the pilot's errors."""
    if one.worth.value is None:
        raise OptionError(
            f"the pilot does not say what predictions are worth for {one.of!r}: {one.worth.note}"
        )
    return {"sd": one.people_se * one.n_people**0.5} | _correlation_at(one, one.worth.value)


def _correlation_at(one: CombinedEstimate, worth: float) -> dict[str, float]:
    return {"correlation": implied_correlation(one.n_people, one.n_predictions, worth)}


def _batches(source: Any) -> SequentialResult | None:
    """Return the state of `combine --sequential`, where the source is one."""
    if isinstance(source, SequentialResult):
        return source
    folder = None if isinstance(source, CombineResult) else folder_with(Path(source), SequentialResult.FILE)
    return None if folder is None else SequentialResult.read(folder)


def _values_of_batches(batches: SequentialResult) -> dict[str, float]:
    """Return correlation and spread of the people of all batches; of a mean or a share."""
    last = batches.looks[-1]
    if len(batches.arms) > 1 or last.correlation is None:
        raise OptionError(
            "batches of one arm, with an interval, are a pilot; else give --correlation and --sd"
        )
    rows, y = np.concatenate([np.asarray(one.persons)[:, :2] for one in batches.parts]).T
    return {"correlation": last.correlation, "sd": float(np.std(y / rows, ddof=1))}


def _pilot(source: Any) -> CombineResult:
    if isinstance(source, CombineResult):
        return source
    folder = folder_with(Path(source), CombineResult.FILE)
    if folder is None:
        raise OptionError(f"{source}: holds no result of `concord combine` ({CombineResult.FILE})")
    return CombineResult.read(folder)


MIXED = PlanKind(
    "mixed",
    "a plan of people and replies",
    plan_mixed,
    words="a result of concord combine",
    holds=lambda source: any(folder_with(source, one.FILE) for one in (CombineResult, SequentialResult)),
    assumed=(*_NAMES, "sequential"),
    mixes=True,
)
