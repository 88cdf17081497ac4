"""Agreement of a judge with people, and of people with one another, by votes on the same pairs."""

from collections.abc import Sequence

import numpy as np

from concord.errors import UndefinedError
from concord.records import Estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import jackknife_t
from concord.structure.judging.records import PairVotes
from concord.structure.unit_means import mean_over_units

_NO_PEOPLE = "no pair has a person's verdict"
_NO_SEVERAL = "no pair has the verdicts of two people"


def agreement_numbers(pairs: Sequence[PairVotes], labels: Sequence[str], level: float) -> dict[str, Estimate]:
    """Return raw agreement and kappa, of judge and people and of people alone.

    One vote of the judge is compared with one person, and one person with another, so that the two numbers
    are on one footing; each pair of answers counts alike.
    """
    judge, human, counts = vote_shares(pairs)
    unread = not np.isnan(human).all() and np.isnan(judge).all()
    people = "no vote of the judge could be read" if unread else _NO_PEOPLE
    raw = agreement_by_pair(judge, human)
    alone = people_by_pair(counts)
    gap = mean_over_units(raw - alone, labels, level=level, reason=_NO_SEVERAL, ends=(-1.0, 1.0))
    return {
        "agreement": mean_over_units(raw, labels, level=level, reason=people),
        "agreement_human": mean_over_units(alone, labels, level=level, reason=_NO_SEVERAL),
        "agreement_gap": gap,
        "kappa": _kappa(raw, judge, human, labels, level, people),
        "kappa_human": _kappa(alone, human, human, labels, level, _NO_SEVERAL),
    }


def vote_shares(pairs: Sequence[PairVotes]) -> tuple[Floats, Floats, Floats]:
    """Return shares of verdicts by pair: the judge's (each order half), people's; and people's counts."""
    votes = np.array([[pair.ab, pair.ba, pair.unordered] for pair in pairs], dtype=np.float64)
    sums = votes.sum(axis=2, keepdims=True)
    shares = np.divide(votes, sums, out=np.full(votes.shape, np.nan), where=sums > 0)
    judge = np.where(
        (sums[:, :2, 0] > 0).all(axis=1)[:, None],
        (shares[:, 0] + shares[:, 1]) / 2,
        _pooled(votes),
    )
    counts = np.array([pair.human for pair in pairs], dtype=np.float64)
    return judge, _as_shares(counts), counts


def _pooled(votes: Floats) -> Floats:
    return _as_shares(votes.sum(axis=1))


def _as_shares(counts: Floats) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0))


def agreement_by_pair(judge: Floats, human: Floats) -> Floats:
    """Return the chance that a vote and a person's verdict on the same pair are the same."""
    return np.asarray((judge * human).sum(axis=1))


def people_by_pair(counts: Floats) -> Floats:
    """Return the chance that two people's verdicts on the same pair are the same."""
    m = counts.sum(axis=1)
    alike = (counts * counts).sum(axis=1) - m
    return np.asarray(np.divide(alike, m * (m - 1), out=np.full(len(counts), np.nan), where=m > 1))


def _kappa(
    observed: Floats, first: Floats, second: Floats, labels: Sequence[str], level: float, reason: str
) -> Estimate:
    """Return (p_o - p_e)/(1 - p_e) with p_e from the mean shares of both sides, jackknife-t over clusters."""
    there = ~np.isnan(observed)
    n, lost = int(there.sum()), int((~there).sum())
    if not n:
        return Estimate(None, n_left_out=lost, note=reason)
    data = (observed[there], first[there], second[there])
    value = _kappa_of(*data)
    if np.isnan(value):
        return Estimate(
            None, n=n, n_left_out=lost, note="all verdicts are alike, so that chance explains all"
        )
    kept = np.asarray(labels)[there]
    without = [_kappa_of(*(part[kept != one] for part in data)) for one in dict.fromkeys(kept.tolist())]
    try:
        interval = jackknife_t(value, np.array(without), level=level)
    except UndefinedError as fault:
        return Estimate(value, None, n, lost, note=f"no interval: {fault}")
    method = "agreement beyond chance, pairs alike"
    return Estimate(value, interval, n, lost, method)


def _kappa_of(observed: Floats, first: Floats, second: Floats) -> float:
    if not len(observed):
        return float("nan")
    chance = float((first.mean(axis=0) * second.mean(axis=0)).sum())
    return float("nan") if chance >= 1 - 1e-12 else (float(observed.mean()) - chance) / (1 - chance)
