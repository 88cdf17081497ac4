"""Plans for judges and options: units of asking that show a mean of a wanted size, from a pilot's spread."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from concord.comparing.kinds import JUDGES as JUDGED
from concord.comparing.kinds import OPTIONS as ASKED
from concord.errors import OptionError
from concord.files.documents import folder_with
from concord.numeric import MOST
from concord.planning.options import PlanKind, PlanOptions, PlanRecord, PlanRequest
from concord.stats.elementwise import Floats
from concord.structure.judging.rated import labels_needed
from concord.structure.judging.rated_result import RatedResult
from concord.structure.judging.result import JudgeScores
from concord.structure.judging.score import vote_counts
from concord.structure.options.result import OptionReply, OptionResult
from concord.structure.options.score import option_items
from concord.words import say

_USUAL_EFFECT = 0.05
_SPREAD = ("sd_between", "sd_within", "power", "needed")
"""Keys with which every plan from a pilot ends."""
_NO_SPREAD = "the pilot does not vary: the plan is the smallest there is, and says little"


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PilotPlan(PlanRecord):
    """Units that show a mean of a wanted size."""

    effect: float
    """The mean that should be found."""
    sd_between: float
    """Standard deviation over units of what is measured."""
    sd_within: float | None
    """Of one round of asking around it; ``None`` where it cannot be distinguished."""
    power: float
    """Of what is planned."""
    needed: tuple[tuple[int, int, int], ...]
    """Rounds, units that reach the power, calls."""


def power_of_mean(effect: float, variance: float, alpha: float) -> float:
    """Return how often a two-sided test finds a mean of this size."""
    if variance == 0:
        return 1.0
    line = float(special.ndtri(1 - alpha / 2))
    shift = effect / float(np.sqrt(variance))
    return float(special.ndtr(shift - line) + special.ndtr(-shift - line))


def units_needed(effect: float, variance: float, wanted: PlanOptions, units: str) -> int:
    """Return how many units find a mean of this size with the wanted power."""
    line = float(special.ndtri(1 - (1 - wanted.level) / 2)) + float(special.ndtri(wanted.power))
    n = max(2, int(np.ceil(variance * (line / effect) ** 2)))
    if n > MOST:
        raise OptionError(f"more than {MOST:,} {units} would be needed to show {effect:g}")
    return n


def _with_power(plan: PilotPlan) -> str:
    return say("plan.with_power", power=plan.power, alpha=1 - plan.wanted.level)


def _rounds(plan: PilotPlan, what: str) -> Iterator[str]:
    """Say how many units every number of rounds needs, and what they cost where that is known."""
    yield say("plan.for_power", power=plan.wanted.power)
    for rounds, units, calls in plan.needed:
        cost = plan.wanted.cost_of(calls)
        low, high = (None, None) if cost is None else cost
        priced = say("plan.calls", calls=calls, low=low, high=high)
        yield say(f"plan.{what}.round", rounds=rounds, units=units, calls=priced)
    yield say("plan.pilot", pilot=plan.based_on)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class JudgePlan(PilotPlan):
    """What so many pairs and votes show about a preference for a seat, beyond one half."""

    KIND = JUDGED.question
    PLANNED, NEEDED = ("judge", "effect", "pairs", "votes", *_SPREAD), ("votes", "pairs", "calls")

    judge: str
    pairs: int
    votes: int
    """In each order."""

    def lines(self) -> Iterator[str]:
        """Return the lines of a plan for judges."""
        whose = {"judge": self.judge, "pairs": self.pairs, "votes": self.votes}
        yield say("plan.judges.shows", **whose, effect=self.effect, power=_with_power(self))
        yield say("plan.judges.spread", between=self.sd_between, within=self.sd_within)
        yield from _rounds(self, "judges")


_VOTES = (1, 2, 3, 4, 5, 8)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class LabelPlan(PlanRecord):
    """How many answers people must score, so that a mean that a judge gave is known to a width."""

    KIND = "labels"
    PLANNED, NEEDED = ("width", "needed"), ("judge", "system", "answers", "labels")

    width: float
    needed: tuple[tuple[str, str, int, int | None], ...]
    """Judge, system, answers, and labels among them; ``None``: all answers are not enough."""

    def lines(self) -> Iterator[str]:
        """Return the plan in words, line by line."""
        yield say("plan.labels.wanted", width=self.width, level=self.wanted.level)
        for judge, system, answers, labels in self.needed:
            who = say("plan.labels.judged", system=system, judge=judge) if system else judge
            said = say("plan.labels.all", n=answers)
            if labels is not None:
                said = say("plan.labels.some", k=labels, n=answers)
            yield f"  {who}: {said}"
        yield say("plan.pilot", pilot=self.based_on)


def plan_labels(asked: PlanRequest) -> LabelPlan:
    """Plan labels from a result of `concord score judge` on scores."""
    source = asked.sources[0]
    result = source if isinstance(source, RatedResult) else RatedResult.read(Path(source))
    width = 2 * result.margin if asked.wanted.width is None else asked.wanted.width
    rows = [
        (
            one.judge,
            one.name,
            one.n_answers,
            labels_needed(sd, r, one.n_answers, width / 2, asked.wanted.level),
        )
        for one in result.groups
        if one.by == "system" and (sd := one.label_sd) is not None and (r := one.correlation) is not None
    ]
    if not rows:
        raise OptionError("people scored fewer than 20 answers of every system of the pilot; score some more")
    return LabelPlan(
        based_on=str(source) if not isinstance(source, RatedResult) else "a result",
        wanted=asked.wanted, width=width, needed=tuple(rows), inputs=result.inputs,
    )  # fmt: skip


def _is_rated(source: Any) -> bool:
    if isinstance(source, RatedResult):
        return True
    return isinstance(source, str | Path) and folder_with(Path(source), RatedResult.FILE) is not None


def plan_judges(asked: PlanRequest) -> JudgePlan | LabelPlan:
    """Plan from one result of `concord score judge`; ``wanted.repeats`` are votes in each order."""
    wanted = asked.wanted
    if len(asked.sources) != 1:
        raise OptionError("a plan for judges rests on one result of concord score judge")
    if _is_rated(asked.sources[0]):
        unused = ("effect", "power", "items", "repeats", "cost_per_call", "metric")
        asked.refuse(*unused, why="the judge gave scores, and labels of people are planned for a width")
        return plan_labels(asked)
    asked.refuse("width", why="the judge chose between two, and a preference is planned by its power")
    if asked.metric not in (None, "preference"):
        raise OptionError(f"a plan for judges is about the preference for a seat, not {asked.metric!r}")
    pilot = JUDGED.stored(asked.sources[0])
    judge, between, within = _noisiest(pilot.result.judges)
    effect = _USUAL_EFFECT if wanted.effect is None else wanted.effect
    if not effect < 0.5:
        raise OptionError(f"the effect is {effect:g}; a preference lies between 0 and 0.5 beyond one half")
    pairs = len(judge.pairs) if wanted.items is None else wanted.items
    alpha = 1 - wanted.level
    votes = _VOTES if judge.votes_per_order[1] > 1 else (1,)  # one vote: what more would do is not known
    needed = tuple(
        (k, n := units_needed(effect, between + within / k, wanted, "pairs"), 2 * k * n) for k in votes
    )
    warnings = []
    if len(pilot.result.judges) > 1:
        warnings.append(say("plan.warned.judge", judge=judge.judge, n=len(pilot.result.judges)))
    if wanted.effect is None:
        warnings.append(f"no effect was named; the plan is for a preference of {effect:g} beyond one half")
    if judge.votes_per_order[1] < 2:
        warnings.append(say("plan.warned.one_vote"))
    if between + within == 0:
        warnings.append(_NO_SPREAD)
    return JudgePlan(
        based_on=pilot.source,
        judge=judge.judge,
        wanted=wanted,
        effect=effect,
        pairs=pairs,
        votes=wanted.repeats,
        sd_between=float(np.sqrt(between)),
        sd_within=float(np.sqrt(within)),
        power=power_of_mean(effect, (between + within / wanted.repeats) / pairs, alpha),
        needed=needed,
        inputs=pilot.result.inputs,
        warnings=tuple(warnings),
    )


def _noisiest(judges: Sequence[JudgeScores]) -> tuple[JudgeScores, float, float]:
    """Return the judge whose votes vary most, with its variance over pairs and of one vote."""
    known = []
    for one in judges:
        votes = vote_counts(one.pairs)
        both = votes[(votes.sum(axis=2) > 0).all(axis=1)]
        if len(both) >= 2:
            known.append((one, *vote_variances(both)))
    if not known:
        raise OptionError("no judge of the pilot has two pairs in both orders; a plan needs its noise")
    return max(known, key=lambda one: one[1] + one[2])


def vote_variances(votes: Floats) -> tuple[float, float]:
    """Return the variance over pairs of the preference for a seat, and that which one vote per order adds."""
    # A vote is 1, 0 or 1/2 for the first seat. With k votes per order the mean of a pair has the variance
    # between + within/k, where within is the mean of the two orders' variances of one vote over 2.
    k = votes.sum(axis=2)
    first = np.stack([votes[:, 0, 0], votes[:, 1, 1]], axis=1)
    mean = (first + votes[:, :, 2] / 2) / k
    square = (first + votes[:, :, 2] / 4) / k
    several = (k > 1).all(axis=1)
    spread = np.var(mean.mean(axis=1), ddof=1)
    if not several.any():
        return float(spread), 0.0
    single = ((square - mean**2) * k / np.where(k > 1, k - 1, 1))[several]
    within = float(single.mean() / 2)
    noise = float((single / k[several]).sum(axis=1).mean() / 4)
    return max(0.0, float(spread) - noise), within


JUDGES = PlanKind(
    "judges",
    "a plan for judges",
    plan_judges,
    words=JUDGED.words,
    holds=lambda source: _is_rated(source) or JUDGED.holds(source),
    wanted=("effect", "width", "power", "level", "items", "repeats", "cost_per_call", "metric"),
)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class OptionPlan(PilotPlan):
    """What so many questions show about the places of options."""

    KIND = ASKED.question
    PLANNED = ("model", "metric", "effect", "items", "arrangements", "repeats", *_SPREAD)
    NEEDED = ("repeats", "items", "calls")

    model: str
    metric: str
    words: str
    """The metric in words."""
    items: int
    arrangements: int
    repeats: int

    def lines(self) -> Iterator[str]:
        """Return the lines of a plan for options."""
        sizes = {"items": self.items, "arrangements": self.arrangements, "repeats": self.repeats}
        shown = {"effect": self.effect, "words": self.words, "power": _with_power(self)}
        yield say("plan.options.shows", model=self.model, **sizes, **shown)
        yield say("plan.options.spread", between=self.sd_between, within=self.sd_within)
        yield from _rounds(self, "options")


_REPEATS = (1, 2, 3, 5)
_WORDS = {
    "first_option": "choices of the first place beyond an even share",
    "last_option": "choices of the last place beyond an even share",
    "option_flips": "flips between arrangements beyond those between repeats",
}


def plan_options(asked: PlanRequest) -> OptionPlan:
    """Plan from one result about options."""
    wanted = asked.wanted
    if len(asked.sources) != 1:
        raise OptionError("a plan for options rests on one run: give one folder")
    chosen = "first_option" if asked.metric is None else asked.metric
    if chosen not in _WORDS:
        raise OptionError(f"a plan for options is about {', '.join(_WORDS)}, not {chosen!r}")
    stored = ASKED.stored(asked.sources[0])
    result: OptionResult = stored.result
    pilot = option_items(result.replies)
    there = ~np.isnan(pilot.values[chosen])
    values = pilot.values[chosen][there]
    families = [name for name, known in zip(pilot.families, there.tolist(), strict=True) if known]
    n_families = len(set(families))
    if n_families < 2:
        unit = "item" if n_families == values.size else "family of items"
        found = f"{n_families} {unit}" if n_families else f"no {unit}"
        raise OptionError(f"the pilot has {found} with {chosen}; a plan needs their spread")
    effect = _USUAL_EFFECT if wanted.effect is None else wanted.effect
    if not effect < 1:
        raise OptionError(f"the effect is {effect:g}; {chosen} is a share, so that it lies below 1")
    cells, repeats = _arrangements_and_repeats(result)
    between, within = _choice_variances(result, chosen, _spread_over(values, families), repeats)
    if within is None:
        asked.refuse("repeats", why=f"what more repeats would do to {chosen} is not known from this pilot")
    tried = _REPEATS if within is not None else (repeats,)
    planned = wanted.repeats if within is not None and not wanted.search_repeats else repeats
    items = values.size if wanted.items is None else wanted.items
    needed = tuple(
        (k, n := units_needed(effect, _spread_of_places(between, within, k), wanted, "items"), n * cells * k)
        for k in tried
    )
    warnings = []
    if n_families < values.size:
        warnings.append(say("plan.warned.families", n=values.size, k=n_families))
    if wanted.effect is None:
        warnings.append(f"no effect was named; the plan is for {effect:g}")
    spread = _spread_of_places(between, within, planned)
    if spread == 0:
        warnings.append(_NO_SPREAD)
    return OptionPlan(
        based_on=stored.source,
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
    """Return n times the variance of a mean of n items: their variance, or that of sums of their families."""
    # With families c of m items in all, of sums S_c of deviations from the mean: C/(C - 1) * sum(S_c^2) / m.
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


def _choice_variances(
    result: OptionResult, metric: str, spread: float, repeats: int
) -> tuple[float, float | None]:
    """Return the variance over items, and what one round of all arrangements adds to it."""
    # A choice of the place is 1 or 0. With A arrangements and k repeats an item's share has the variance
    # between + within/k, where within is the mean variance of one choice inside a cell, over A.
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


OPTIONS = PlanKind(
    "options",
    "a plan for options",
    plan_options,
    words=ASKED.words,
    holds=ASKED.holds,
    metrics=ASKED.metrics,
    wanted=("effect", "power", "level", "items", "repeats", "cost_per_call", "metric"),
)
