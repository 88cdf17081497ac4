"""Whether longer answers win: their share, and log odds of winning per doubling of length."""

from collections.abc import Sequence

import numpy as np

from concord.errors import UndefinedError
from concord.records import Estimate
from concord.stats.elementwise import Floats
from concord.stats.logistic import logistic_line
from concord.structure.judging.records import PairVotes
from concord.structure.unit_means import MIN_PAIRS, mean_over_units

_NOT_GIVEN = "lengths of the answers are not given (columns answer_a, answer_b or length_a, length_b)"


def length_numbers(pairs: Sequence[PairVotes], labels: Sequence[str], level: float) -> dict[str, Estimate]:
    """Return the share of votes for the longer answer, and the slopes of judge and people.

    The logistic regression is of votes for the first seat on the doublings of length from the second seat
    to the first, so that its intercept takes the preference for a seat; pairs (or their clusters) are what
    is independent. Votes whose order is not recorded are taken as of answer A in the first seat.
    """
    known = [i for i, pair in enumerate(pairs) if pair.length_a and pair.length_b]
    if not known:
        none = Estimate(None, n_left_out=len(pairs), note=_NOT_GIVEN)
        return {"longer": none, "length_slope": none, "length_slope_human": none}
    kept = [pairs[i] for i in known]
    own = [labels[i] for i in known]
    doublings = np.array([_doublings(pair) for pair in kept])
    votes = np.array([[pair.ab, pair.ba, pair.unordered] for pair in kept], dtype=np.float64)
    first = votes[:, 0, :2] + votes[:, 2, :2]
    second = votes[:, 1, :2]
    successes = np.concatenate([first[:, 0], second[:, 1]])
    trials = np.concatenate([first.sum(axis=1), second.sum(axis=1)])
    human = np.array([pair.human[:2] for pair in kept], dtype=np.float64)
    return {
        "longer": _longer(votes[:, :, :2].sum(axis=1), doublings, own, level),
        "length_slope": _length_slope(
            successes, trials, np.append(doublings, -doublings), [*own, *own], level
        ),
        "length_slope_human": _length_slope(human[:, 0], human.sum(axis=1), doublings, own, level),
    }


def _doublings(pair: PairVotes) -> float:
    assert pair.length_a is not None and pair.length_b is not None  # noqa: S101 - kept for it
    return float(np.log2(pair.length_a / pair.length_b))


def _longer(wins: Floats, doublings: Floats, labels: Sequence[str], level: float) -> Estimate:
    total = wins.sum(axis=1)
    chosen = np.where(doublings > 0, wins[:, 0], wins[:, 1])
    used = (doublings != 0) & (total > 0)
    shares = np.divide(chosen, total, out=np.full(len(wins), np.nan), where=used)
    return mean_over_units(shares, labels, level=level, reason="no pair has a winner and unlike lengths")


def _length_slope(
    successes: Floats, trials: Floats, x: Floats, labels: Sequence[str], level: float
) -> Estimate:
    n = int(trials.sum())
    if n == 0:
        return Estimate(None, note="no verdict with a winner")
    try:
        fit = logistic_line(successes, trials, x, np.asarray(labels))
    except UndefinedError as fault:
        return Estimate(None, n=n, note=str(fault))
    if fit.n_clusters < MIN_PAIRS:
        return Estimate(fit.slope, None, n, note=f"no interval below {MIN_PAIRS} pairs")
    interval = fit.interval(level)
    return Estimate(fit.slope, interval, n, method=f"logistic regression, {interval.method}")
