"""Plans for agreement with people: participants that find human effects, studies that distinguish models."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special
from scipy.special import stdtrit

from concord.comparing.kinds import PEOPLE_RESULTS as RESULTS
from concord.comparing.kinds import CompareRequest, compare_results
from concord.errors import OptionError, UndefinedError
from concord.files.documents import folder_with
from concord.number_words import number, significant
from concord.people import NAME
from concord.people.mixed.result import CombinedEstimate, CombineResult, SequentialResult, in_question
from concord.planning.options import PlanKind, PlanOptions, PlanRecord, PlanRequest
from concord.stats.compare import Choices
from concord.stats.power import detectable_effect, fewest, items_needed, power_paired, power_two_sample
from concord.stats.prediction_powered import MixedDesign, cheapest_mixed, implied_correlation
from concord.stats.sequential import NextPurchase, next_purchase
from concord.words import say

METRICS = ("pas", "ecs", "apr")
"""Numbers that two models are compared by, study by study."""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ParticipantsPlan(PlanRecord):
    """How many participants find a standardised difference."""

    KIND = "participants"
    FIRST = ()
    LAST = ()
    PLANNED = (
        *("d", "power=wanted.power", "level=wanted.level"),
        *("participants_a_group=a_group", "participants_paired=paired"),
    )

    d: float
    a_group: int
    """In each of two groups that meet one condition each."""
    paired: int
    """In all, where each participant meets both conditions and d is that of the differences (d_z)."""

    def lines(self) -> Iterator[str]:
        """Return how many participants find a standardised difference."""
        wanted = self.wanted
        alpha = significant(1 - wanted.level, 2)
        yield say("plan.participants.find", d=significant(self.d, 6), power=wanted.power, alpha=alpha)
        groups = say("plan.participants.in_groups", each=self.a_group, all=2 * self.a_group)
        yield f"  {say('plan.participants.groups') + ':':<43}{groups}"
        both = say("plan.participants.of_pairs", n=self.paired)
        yield f"  {say('plan.participants.paired') + ':':<43}{both}"


def participants_needed(d: float, wanted: PlanOptions) -> ParticipantsPlan:
    """Work out how many participants find a standardised difference with t tests."""
    paired = items_needed(d, 1.0, power=wanted.power, alpha=1 - wanted.level)
    return ParticipantsPlan(d=d, a_group=_per_group(d, wanted), paired=paired, wanted=wanted)


def _per_group(d: float, wanted: PlanOptions) -> int:
    alpha = 1 - wanted.level
    return fewest(lambda n: power_two_sample(d, n, n, alpha=alpha), wanted.power, d)


@dataclass(frozen=True, slots=True)
class EffectParticipants:
    """One human effect and the participants that find it."""

    study: str
    finding: str
    test: str
    human_d: float
    a_group: int


@dataclass(frozen=True, slots=True)
class StudiesPlan:
    """What so many studies tell about the difference of two models."""

    metric: str
    n_studies: int
    se: float
    """Standard error of the difference over studies like these."""
    power: float | None
    """Power of these studies for the wanted effect."""
    detectable: float
    studies_needed: int | None


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PeoplePlan(PlanRecord):
    """A plan from results about people."""

    KIND = NAME
    PLANNED = (
        *("participants", "participants_for_half=for_half", "participants_for_nine_in_ten=for_nine"),
        *("n_tests_left_out=n_left_out", "studies"),
    )

    participants: tuple[EffectParticipants, ...]
    """Human effects that were significant, the largest number of participants first."""
    n_left_out: int
    """Tests without a significant human effect: there is no size to look for."""
    studies: StudiesPlan | None = None
    """With two results."""

    def finding(self, share: float) -> int | None:
        """Return the participants per group that find that share of the effects with the wanted power."""
        if not self.participants:
            return None
        needed = sorted(one.a_group for one in self.participants)
        return needed[int(np.ceil(share * len(needed))) - 1]

    @property
    def for_half(self) -> int | None:
        """Participants per group that find half of the effects."""
        return self.finding(0.5)

    @property
    def for_nine(self) -> int | None:
        """Participants per group that find nine effects in ten."""
        return self.finding(0.9)

    def lines(self) -> Iterator[str]:
        """Return everything a reader of the terminal should see."""
        wanted, one = self.wanted, self.studies
        yield say("plan.from", what=self.based_on)
        if self.participants:
            yield ""
            yield from _participant_lines(self)
        else:
            yield say("plan.people.none")
        if one is None:
            return
        yield ""
        yield say("plan.people.studies", metric=one.metric.upper(), n=one.n_studies, se=one.se)
        if one.power is not None:
            yield say("plan.people.power", effect=wanted.effect, power=one.power)
        yield say("plan.people.smallest", power=wanted.power, least=one.detectable)
        if one.studies_needed is not None:
            yield say("plan.people.needed", effect=wanted.effect, power=wanted.power, n=one.studies_needed)


_MOST_EFFECTS = 10
"""Human effects that are listed one by one."""


def _participant_lines(plan: PeoplePlan) -> Iterator[str]:
    yield say("plan.people.participants", power=plan.wanted.power)
    yield say("plan.people.half", n=len(plan.participants), each=plan.for_half)
    yield say("plan.people.most", each=plan.for_nine)
    yield say("plan.people.listed")
    for one in plan.participants[:_MOST_EFFECTS]:
        d = number(one.human_d, 2, sign=True)
        yield f"    {one.a_group:>8,}  d = {d}  {one.study} / {one.finding} / {one.test}"
    if len(plan.participants) > _MOST_EFFECTS:
        yield say("plan.people.more", n=len(plan.participants) - _MOST_EFFECTS)
    if plan.n_left_out:
        yield say("plan.people.left_out", n=plan.n_left_out)


def plan_participants(asked: PlanRequest) -> ParticipantsPlan | PeoplePlan:
    """Plan for a standardised difference, or from one or two results of `concord score people`."""
    sources, wanted, metric = asked.sources, asked.wanted, asked.metric
    if len(sources) < 2:
        asked.refuse("effect", "metric", why="two models are compared by the results of two")
    if not sources:
        if "d" not in asked.assumed:
            raise OptionError(
                "a plan about people needs a result: plan with a folder that concord score people wrote, or "
                "--d D for the standardised difference that should be found"
            )
        return participants_needed(asked.assumed["d"], wanted)
    if len(sources) > 2:
        raise OptionError(f"a plan needs the results of one or two models, got {len(sources)}")
    chosen = "pas" if metric is None else metric.lower()
    if chosen not in METRICS:
        raise OptionError(f"the metric is {metric!r}; results about people have {', '.join(METRICS)}")
    results = [RESULTS.stored(source) for source in sources]
    tests = results[0].result.tests
    rows = [
        EffectParticipants(test.study, test.finding, test.test, d, _per_group(abs(d), wanted))
        for test in tests
        if (d := test.human_effect_d) is not None and d != 0 and test.human_significant
    ]
    rows.sort(key=lambda one: -one.a_group)
    studies, notes = None, []
    if len(sources) == 2:
        try:
            studies = _studies(sources, wanted, chosen)
        except UndefinedError as reason:
            notes.append(str(reason))
    names = " and ".join(Path(one.source).resolve().name for one in results)
    return PeoplePlan(
        based_on=f"results about people: {names}",
        wanted=wanted,
        participants=tuple(rows),
        n_left_out=len(tests) - len(rows),
        studies=studies,
        warnings=tuple(notes),
        inputs=tuple(file for one in results for file in RESULTS.inputs(one)),
    )


def _studies(sources: Sequence[Any], wanted: PlanOptions, metric: str) -> StudiesPlan:
    """Take the spread of a difference over studies from a comparison, and plan with it."""
    request = CompareRequest(sources, metric=metric, choices=Choices(level=wanted.level))
    compared = compare_results(RESULTS, request)
    found = next(one for one in compared.pairs[0].metrics if one.metric == metric)
    interval, n = found.difference.interval, found.n_clusters
    if interval is None:
        raise UndefinedError(f"the difference of {metric.upper()} cannot be planned: {found.difference.note}")
    alpha = 1 - wanted.level
    se = (interval.high - interval.low) / 2 / float(stdtrit(n - 1, 0.5 + wanted.level / 2))
    sd, effect = se * float(np.sqrt(n)), wanted.effect
    return StudiesPlan(
        metric=metric,
        n_studies=n,
        se=se,
        power=None if effect is None else power_paired(effect, sd, n, alpha=alpha),
        detectable=detectable_effect(sd, n, power=wanted.power, alpha=alpha),
        studies_needed=None
        if effect is None
        else max(3, items_needed(effect, sd, power=wanted.power, alpha=alpha)),
    )


PARTICIPANTS = PlanKind(
    "participants",
    "a plan about people",
    plan_participants,
    words=RESULTS.words,
    holds=RESULTS.holds,
    assumed=("d",),
    wanted=("effect", "metric", "power", "level"),
)


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
            level = self.wanted.level
            yield say(
                "plan.mixed.looked",
                people=looked.people_in_all,
                replies=looked.replies_in_all,
                times=looked.people_in_all / design.people,
                level=level,
                usual=level == 0.95,
            )
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
    if not looked:
        asked.refuse("level", why="the plan is for a standard error, and no interval is looked at")
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
        ahead = _at_any_time(known, asked.wanted.level) if looked else None
        on = "assumptions" if batches is None else f"the batches ({batches.looks[-1].n_people} people)"
        return MixedPlan(**known, design=_cheapest(known), sequential=ahead, based_on=on, wanted=asked.wanted)
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
        sequential=_at_any_time(known, asked.wanted.level) if looked else None,
        each=tuple(each) if len(each) > 1 else (),
        based_on=f"the pilot {asked.sources[0]} ({one.n_people} people{which})",
        wanted=asked.wanted,
    )


def _cheapest(known: dict[str, Any]) -> MixedDesign:
    return cheapest_mixed(**(known | {"correlation": min(max(known["correlation"], 0.0), 0.999)}))


def _at_any_time(known: dict[str, Any], level: float) -> NextPurchase:
    """Look ahead to people and replies whose interval, looked at at any time, reaches as far as z SE."""
    design = _cheapest(known)
    margin, r = (
        float(special.ndtri(0.5 + level / 2)) * known["se"],
        min(max(known["correlation"], 0.0), 0.999),
    )
    try:
        return next_purchase(
            known["sd"], r**2, people=20, replies=0, margin=margin, planned=max(design.people, 20),
            person_cost=known["person_cost"], reply_cost=known["reply_cost"], level=level,
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
    wanted=("level",),
    mixes=True,
)
