"""Plans for judges: pairs of answers and votes in each order that show a position bias, from a pilot."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from concord.comparing.judges import KIND as RESULTS
from concord.errors import OptionError
from concord.planning.kinds import PlanKind
from concord.planning.normal import power_of_mean, units_needed
from concord.planning.options import PlanOptions
from concord.planning.pilots import NO_SPREAD, PilotPlan
from concord.stats.elementwise import Floats
from concord.structure.judging.result import JudgeResult, JudgeScores
from concord.structure.judging.score import vote_counts

_USUAL_EFFECT = 0.05
_VOTES = (1, 2, 3, 4, 5, 8)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class JudgePlan(PilotPlan):
    """What so many pairs and votes show about a preference for a seat, beyond one half."""

    judge: str
    pairs: int
    votes: int
    """In each order."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return self.document(
            RESULTS.name,
            {"judge": self.judge},
            {"pairs": self.pairs, "votes": self.votes},
            ("votes", "pairs", "calls"),
        )


def plan_judges(sources: Sequence[Any], wanted: PlanOptions, metric: str | None) -> JudgePlan:
    """Plan from one result of `concord score judge`; ``wanted.repeats`` are votes in each order."""
    if len(sources) != 1:
        raise OptionError("a plan for judges rests on one result of concord score judge")
    if metric not in (None, "preference"):
        raise OptionError(f"a plan for judges is about the preference for a seat, not {metric!r}")
    result = JudgeResult.read(sources[0])
    judge, between, within = _noisiest(result.judges)
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
    if wanted.effect is None:
        warnings.append(f"no effect was named; the plan is for a preference of {effect:g} beyond one half")
    if judge.votes_per_order[1] < 2:
        warnings.append("the pilot has one vote in each order: noise and pairs cannot be separated")
    if between + within == 0:
        warnings.append(NO_SPREAD)
    return JudgePlan(
        based_on=str(sources[0]),
        judge=judge.judge,
        wanted=wanted,
        effect=effect,
        pairs=pairs,
        votes=wanted.repeats,
        sd_between=float(np.sqrt(between)),
        sd_within=float(np.sqrt(within)),
        power=power_of_mean(effect, (between + within / wanted.repeats) / pairs, alpha),
        needed=needed,
        inputs=result.inputs,
        warnings=tuple(warnings),
    )


def _noisiest(judges: Sequence[JudgeScores]) -> tuple[JudgeScores, float, float]:
    """Return the judge whose votes vary most, with its variance over pairs and of one vote."""
    known = []
    for one in judges:
        votes = vote_counts(one.pairs)
        both = votes[(votes.sum(axis=2) > 0).all(axis=1)]
        if len(both) >= 2:
            known.append((one, *variances(both)))
    if not known:
        raise OptionError("no judge of the pilot has two pairs in both orders; a plan needs its noise")
    return max(known, key=lambda one: one[1] + one[2])


def variances(votes: Floats) -> tuple[float, float]:
    """Return the variance over pairs of the preference for a seat, and that which one vote per order adds.

    A vote is 1, 0 or 1/2 for the first seat. With k votes per order the mean of a pair has the variance
    between + within/k, where within is the mean of the two orders' variances of one vote over 2.
    """
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


KIND = PlanKind(RESULTS.words, RESULTS.holds, plan_judges)
