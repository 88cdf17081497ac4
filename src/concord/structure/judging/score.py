"""Votes of judges to numbers with intervals, and the sentence that may be said about each judge."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from concord.errors import OptionError
from concord.records import Estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import checked_level
from concord.stats.multiple import holm
from concord.stats.votes import seat_numbers, seat_test, sign_test
from concord.structure.judging.agreement import agreement_numbers
from concord.structure.judging.length import length_numbers
from concord.structure.judging.records import JudgeScores, ModelWins, PairVotes
from concord.structure.judging.sentence import NO_VOTE, judge_sentence, withheld
from concord.structure.unit_means import SIGNED, mean_over_units

ALPHA = 0.05
MIN_PERMUTATIONS = 99
SEATS = (-0.5, 0.5)


def score_votes(
    judges: Mapping[str, Sequence[PairVotes]],
    *,
    level: float = 0.95,
    n_permutations: int = 9999,
    seed: int = 0,
) -> tuple[JudgeScores, ...]:
    """Score every judge by name."""
    checked_level(level)
    if n_permutations < MIN_PERMUTATIONS:
        raise OptionError(
            f"{n_permutations} permutations; the test of flips needs at least {MIN_PERMUTATIONS}"
        )
    return tuple(
        _score_judge(name, tuple(judges[name]), level, n_permutations, np.random.default_rng(seed))
        for name in sorted(judges)
    )


def _score_judge(
    name: str, pairs: tuple[PairVotes, ...], level: float, n_permutations: int, rng: np.random.Generator
) -> JudgeScores:
    votes = vote_counts(pairs)
    labels = cluster_labels(pairs)
    seats = seat_numbers(votes)
    read = any(sum(pair.ab) + sum(pair.ba) + sum(pair.unordered) for pair in pairs)
    orders, repeats = _no_orders(votes), "no pair has two votes in one order"
    if not read:
        orders = repeats = NO_VOTE

    def mean(values: Floats, reason: str, ends: tuple[float, float] = (0.0, 1.0)) -> Estimate:
        return mean_over_units(values, labels, level=level, reason=reason, ends=ends)

    numbers = {
        "flip_excess": mean(seats.flip_excess, _no_flips(votes) if read else NO_VOTE, SIGNED),
        "preference": mean(seats.preference, orders, SEATS),
        "inconsistency": mean(seats.inconsistency, orders),
        "repeat": mean(seats.repeat, repeats),
        "reversal": mean(reversals(votes), "no pair has a winner in both orders" if read else NO_VOTE),
        "ties": mean(tie_shares(pairs), NO_VOTE),
        **length_numbers(pairs, labels, level),
        **agreement_numbers(pairs, labels, level),
    }
    leaning = _by_cluster(seats.preference, labels)
    preference_p = sign_test(leaning)
    flips_p = seat_test(votes, n_permutations=n_permutations, rng=rng)
    gate = withheld(pairs, numbers["ties"])
    position = "not tested" if gate else _position(leaning, preference_p, flips_p)
    scores = JudgeScores(
        name, numbers, preference_p, flips_p, position, model_wins(pairs, labels, level), pairs, gate
    )
    return judge_sentence(scores)


def _by_cluster(values: Floats, labels: Sequence[str]) -> Floats:
    """Return the sum over the pairs of each cluster, which are no independent witnesses of a preference."""
    codes = {name: i for i, name in enumerate(dict.fromkeys(labels))}
    at = np.array([codes[name] for name in labels], dtype=np.int64)
    there = ~np.isnan(values)
    sums = np.round(np.bincount(at[there], values[there], len(codes)), 12)  # thirds that cancel are 0
    return np.where(np.bincount(at[there], minlength=len(codes)) > 0, sums, np.nan)


def _position(preference: Floats, preference_p: float | None, flips_p: float | None) -> str:
    """Say which position bias is shown, both tests together at 5 %."""
    p = np.array([np.nan if one is None else one for one in (preference_p, flips_p)])
    if np.isnan(p).all():
        return "not tested"
    adjusted = holm(p)
    if adjusted[0] < ALPHA:
        return "first" if np.nanmean(np.sign(preference)) > 0 else "second"
    return "varying" if adjusted[1] < ALPHA else "not shown"


def vote_counts(pairs: Sequence[PairVotes]) -> Floats:
    """Return counts of shape (pairs, 2, 3) of the votes whose order is known."""
    return np.array([[pair.ab, pair.ba] for pair in pairs], dtype=np.float64).reshape(-1, 2, 3)


def cluster_labels(pairs: Sequence[PairVotes]) -> list[str]:
    """Return what each pair belongs to; a pair without a cluster is its own."""
    return [f"c {pair.cluster}" if pair.cluster else f"p {pair.pair}" for pair in pairs]


def _no_orders(votes: Floats) -> str:
    seen = votes.sum(axis=2) > 0
    if not seen.any():
        return "the order in which answers were shown is not recorded"
    return "no pair was judged in both orders"


def _no_flips(votes: Floats) -> str:
    if not (votes.sum(axis=2) > 0).all(axis=1).any():
        return _no_orders(votes)
    return "needs two votes in one order: without repeats, noise and seats look alike (--votes 2)"


def reversals(votes: Floats) -> Floats:
    """Return for each pair the share of pairs of votes, one of each order, that name other winners."""
    wins = votes[:, :, :2]
    k = wins.sum(axis=2)
    both = (k > 0).all(axis=1)
    shares = np.divide(wins, k[:, :, None], out=np.zeros(wins.shape), where=k[:, :, None] > 0)
    return np.asarray(np.where(both, 1 - (shares[:, 0] * shares[:, 1]).sum(axis=1), np.nan))


def tie_shares(pairs: Sequence[PairVotes]) -> Floats:
    """Return the share of ties of each pair."""
    every = np.array([[pair.ab, pair.ba, pair.unordered] for pair in pairs], dtype=np.float64).sum(axis=1)
    total = every.sum(axis=1)
    return np.asarray(np.divide(every[:, 2], total, out=np.full(len(pairs), np.nan), where=total > 0))


def model_wins(pairs: Sequence[PairVotes], labels: Sequence[str], level: float) -> tuple[ModelWins, ...]:
    """Return every model's share of wins over the pairs it is in, each order half of a pair."""
    ordered = seat_numbers(vote_counts(pairs)).win
    alone = seat_numbers([[pair.unordered, pair.unordered] for pair in pairs]).win
    use_alone = np.isnan(ordered).all()
    rates = alone if use_alone else ordered
    note = "the order of the answers is not recorded: a preference for a seat is part of it"
    found = []
    places: dict[str, list[int]] = defaultdict(list)
    for i, pair in enumerate(pairs):
        for name in dict.fromkeys((pair.model_a, pair.model_b)):
            places[name].append(i)
    for model in sorted(places):
        sides = [rates[i] if pairs[i].model_a == model else 1 - rates[i] for i in places[model]]
        own = [labels[i] for i in places[model]]
        rate = mean_over_units(sides, own, level=level, reason="no pair was judged in both orders")
        if use_alone and rate.value is not None:
            rate = replace(rate, note="; ".join(part for part in (rate.note, note) if part))
        found.append(ModelWins(model, rate))
    return tuple(found)
