"""Votes to numbers with intervals: seats, length, agreement with people; and what may be said of a judge."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from concord.errors import UndefinedError
from concord.numeric import gated
from concord.records import Estimate, Told
from concord.stats.elementwise import Floats
from concord.stats.intervals import jackknife_t
from concord.stats.multiple import p_by_interval, shown_of_several
from concord.stats.unread import READ, bounded_between, count_unread, filling_at_end, told
from concord.stats.votes import logistic_line, seat_numbers, seat_test, sign_test
from concord.structure.judging.result import Counts, JudgeScores, ModelWins, PairVotes
from concord.structure.unit_means import MIN_PAIRS, SIGNED, UNIT, mean_over_units
from concord.unread import holds, withheld
from concord.words import say

FEW = 6
"""Up to so many replies of a pair and an order, every way to fill them in is looked at."""
MOST_WAYS = 2_000
"""Ways to fill in one pair beyond which all of its replies of an order are filled in alike."""
ORDERS = ("ab", "ba", "unordered")
NO_VERDICT = "no verdict"


def unread_votes(judges: Mapping[str, Sequence[PairVotes]]) -> Told:
    """Count the replies of every judge without a verdict, by order; pairs are compared with themselves."""
    found = []
    for name, pairs in sorted(judges.items()):
        cells = [
            (pair.pair, order, sum(getattr(pair, order)), lost)
            for pair in pairs
            for order, lost in zip(ORDERS, pair.unreadable, strict=True)
        ]
        trials = [
            (pair, order.upper() if order != ORDERS[2] else order, outcome)
            for pair, order, read, lost in cells
            for outcome in [READ] * read + [NO_VERDICT] * lost
        ]
        if any(lost for *_, lost in cells):
            units, orders, outcomes = zip(*trials, strict=True)
            found.append(count_unread(outcomes, orders, by="order", what=name, units=units))
    return told(found)


class Filled:
    """Every pair with its unread replies filled in, in all ways that matter."""

    def __init__(self, pairs: Sequence[PairVotes]) -> None:
        self.lost = np.array([sum(one.unreadable) for one in pairs])
        self.asked = self.lost + [sum(map(sum, (one.ab, one.ba, one.unordered))) for one in pairs]
        every = [_filled(one) for one in pairs]
        self.rows = [one for ways in every for one in ways]
        self.starts = np.cumsum([0, *(len(ways) for ways in every[:-1])])

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the least and the largest number of every pair; NaN where no way gives one."""
        return np.fmin.reduceat(values, self.starts), np.fmax.reduceat(values, self.starts)

    def bounded(
        self, estimate: Estimate, low: Estimate, high: Estimate, *, at: Sequence[int] | slice = slice(None)
    ) -> Estimate:
        """Return a mean over pairs, or those at some places, with its bounds."""
        lost, asked = (int(counts[at].sum()) for counts in (self.lost, self.asked))
        return bounded_between(estimate, low, high, n_unread=lost, asked=asked)


def _filled(pair: PairVotes) -> list[PairVotes]:
    ways = [_ways(lost) for lost in pair.unreadable]
    if np.prod([len(one) for one in ways]) > MOST_WAYS:
        ways = [_one_verdict(lost) for lost in pair.unreadable]
    return [
        replace(
            pair,
            ab=_added(pair.ab, ab),
            ba=_added(pair.ba, ba),
            unordered=_added(pair.unordered, unordered),
            unreadable=(0, 0, 0),
        )
        for ab, ba, unordered in product(*ways)
    ]


def _ways(lost: int) -> list[Counts]:
    """Return every way to divide unread replies over the verdicts."""
    if lost > FEW:
        return _one_verdict(lost)
    return [(a, b, lost - a - b) for a in range(lost + 1) for b in range(lost + 1 - a)]


def _one_verdict(lost: int) -> list[Counts]:
    return [(lost, 0, 0), (0, lost, 0), (0, 0, lost)] if lost else [(0, 0, 0)]


def _added(votes: Counts, more: Counts) -> Counts:
    return (votes[0] + more[0], votes[1] + more[1], votes[2] + more[2])


ALPHA = 0.05
SEATS = (-0.5, 0.5)


@gated()
def score_votes(
    judges: Mapping[str, Sequence[PairVotes]],
    *,
    level: float = 0.95,
    n_permutations: int = 9999,
    seed: int = 0,
) -> tuple[JudgeScores, ...]:
    """Score every judge by name; what is claimed of several holds for all of them at once."""
    return _with_claims(
        [
            _score_judge(name, tuple(judges[name]), level, n_permutations, np.random.default_rng(seed))
            for name in sorted(judges)
        ]
    )


def _with_claims(judges: Sequence[JudgeScores]) -> tuple[JudgeScores, ...]:
    """Return the judges with what may be said of each: of all judges after Holm, seats and length apart.

    At 5 % each, any of 58 judges without a preference would be told one in up to 95 % of tables.
    """
    open_ = [one for one in judges if not one.gate]
    seats = shown_of_several([p for one in open_ for p in (one.preference_p, one.flips_p)], alpha=ALPHA)
    lengths = shown_of_several([one.length_p for one in open_], alpha=ALPHA)
    shown = {
        one.judge: (_position(one, seats[2 * i], seats[2 * i + 1]), lengths[i]) for i, one in enumerate(open_)
    }
    return tuple(judge_sentence(one, *shown.get(one.judge, ("not tested", False))) for one in judges)


def _score_judge(
    name: str, pairs: tuple[PairVotes, ...], level: float, n_permutations: int, rng: np.random.Generator
) -> JudgeScores:
    votes = vote_counts(pairs)
    labels = cluster_labels(pairs)
    seats = seat_numbers(votes)
    filled = Filled(pairs) if any(sum(pair.unreadable) for pair in pairs) else None
    read = any(sum(pair.ab) + sum(pair.ba) + sum(pair.unordered) for pair in pairs)
    orders, repeats = _no_orders(votes), "no pair has two votes in one order"
    if not read:
        orders = repeats = say("judges.gate.unread")

    def mean(values: Floats, reason: str, ends: tuple[float, float] = (0.0, 1.0)) -> Estimate:
        return mean_over_units(values, labels, level=level, reason=reason, ends=ends)

    lengths, length_p = length_numbers(pairs, labels, level)
    numbers = {
        "flip_excess": mean(
            seats.flip_excess, _no_flips(votes) if read else say("judges.gate.unread"), SIGNED
        ),
        "preference": mean(seats.preference, orders, SEATS),
        "inconsistency": mean(seats.inconsistency, orders),
        "repeat": mean(seats.repeat, repeats),
        "reversal": mean(
            reversals(votes), "no pair has a winner in both orders" if read else say("judges.gate.unread")
        ),
        "ties": mean(tie_shares(pairs), say("judges.gate.unread")),
        **lengths,
        **agreement_numbers(pairs, labels, level),
    }
    if filled is not None:
        numbers |= _bounded_numbers(numbers, filled, mean)
        numbers["kappa"] = _bounded_kappa(numbers["kappa"], filled, labels, level)
    return JudgeScores(
        name,
        numbers,
        sign_test(_leaning(pairs)),
        seat_test(votes, n_permutations=n_permutations, rng=rng),
        "not tested",
        model_wins(pairs, labels, level, filled),
        pairs,
        nothing_to_conclude(pairs, numbers["ties"]),
        length_p=length_p,
    )


def _bounded_numbers(
    numbers: Mapping[str, Estimate], filled: Filled, mean: Callable[..., Estimate]
) -> dict[str, Estimate]:
    """Return the shares and means with what replies without a verdict could make of them."""
    rows = filled.rows
    seats = seat_numbers(vote_counts(rows))
    judge, human, counts = vote_shares(rows)
    agreement = agreement_by_pair(judge, human)
    values = {
        "flip_excess": (seats.flip_excess, SIGNED),
        "preference": (seats.preference, SEATS),
        "inconsistency": (seats.inconsistency, UNIT),
        "repeat": (seats.repeat, UNIT),
        "reversal": (reversals(vote_counts(rows)), UNIT),
        "ties": (tie_shares(rows), UNIT),
        "longer": (_longer_shares(rows), UNIT),
        "agreement": (agreement, UNIT),
        "agreement_gap": (agreement - people_by_pair(counts), SIGNED),
    }
    return {
        name: filled.bounded(numbers[name], *(mean(one, "", ends) for one in filled.ends(found)))
        for name, (found, ends) in values.items()
    }


def _bounded_kappa(kappa: Estimate, filled: Filled, labels: Sequence[str], level: float) -> Estimate:
    """Return kappa with the largest and the least that replies without a verdict could make of it."""
    judge, human, _ = vote_shares(filled.rows)
    agreement = agreement_by_pair(judge, human)
    sums = np.column_stack([np.ones(len(agreement)), agreement, judge, human])
    sums[np.isnan(agreement)] = 0.0  # a pair that one side has no verdict on adds nothing
    ways = np.split(sums, filled.starts[1:])

    found = []
    for end in (-1, 1):
        rows = filled.starts + filling_at_end(np.zeros(8), ways, _kappa_of, end=end)
        found.append(_kappa(agreement[rows], judge[rows], human[rows], labels, level, ""))
    return filled.bounded(kappa, *found)


def _leaning(pairs: Sequence[PairVotes]) -> Floats:
    """Return the preference summed over each cluster, whose pairs are no independent witnesses of it."""
    values, labels = seat_numbers(vote_counts(pairs)).preference, cluster_labels(pairs)
    codes = {name: i for i, name in enumerate(dict.fromkeys(labels))}
    at = np.array([codes[name] for name in labels], dtype=np.int64)
    there = ~np.isnan(values)
    sums = np.round(np.bincount(at[there], values[there], len(codes)), 12)  # thirds that cancel are 0
    return np.where(np.bincount(at[there], minlength=len(codes)) > 0, sums, np.nan)


def _position(scores: JudgeScores, preferred: bool, flips: bool) -> str:
    """Say which position bias is shown by the two tests, and withhold what unread replies could overturn."""
    if scores.preference_p is None and scores.flips_p is None:
        return "not tested"
    if not (preferred or flips):
        return "not shown"
    if not holds(scores.numbers["preference" if preferred else "flip_excess"]):
        return WITHHELD
    if not preferred:
        return "varying"
    return "first" if np.nanmean(np.sign(_leaning(scores.pairs))) > 0 else "second"


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


def model_wins(
    pairs: Sequence[PairVotes], labels: Sequence[str], level: float, filled: Filled | None = None
) -> tuple[ModelWins, ...]:
    """Return every model's share of wins over the pairs it is in, each order half of a pair."""
    use_alone = bool(np.isnan(seat_numbers(vote_counts(pairs)).win).all())
    rates = _win_rates(pairs, use_alone)
    least, most = (rates, rates) if filled is None else filled.ends(_win_rates(filled.rows, use_alone))
    note = "the order of the answers is not recorded: a preference for a seat is part of it"
    found = []
    places: dict[str, list[int]] = defaultdict(list)
    for i, pair in enumerate(pairs):
        for name in dict.fromkeys((pair.model_a, pair.model_b)):
            places[name].append(i)

    def mean_of(model: str, wins: Floats, losses: Floats) -> Estimate:
        at = places[model]
        sides = [wins[i] if pairs[i].model_a == model else 1 - losses[i] for i in at]
        reason = "no pair was judged in both orders"
        return mean_over_units(sides, [labels[i] for i in at], level=level, reason=reason)

    for model in sorted(places):
        rate = mean_of(model, rates, rates)
        if use_alone and rate.value is not None:
            rate = replace(rate, note="; ".join(part for part in (rate.note, note) if part))
        if filled is not None:
            ends = mean_of(model, least, most), mean_of(model, most, least)
            rate = filled.bounded(rate, *ends, at=places[model])
        found.append(ModelWins(model, rate))
    return tuple(found)


def _win_rates(pairs: Sequence[PairVotes], use_alone: bool) -> Floats:
    """Return the share of wins of answer A, pair by pair."""
    if use_alone:
        return seat_numbers([[pair.unordered, pair.unordered] for pair in pairs]).win
    return seat_numbers(vote_counts(pairs)).win


WITHHELD = "withheld"
MOST_TIES = 0.95
MOST_UNREADABLE = 0.2
"""Share of replies without a verdict that withholds every conclusion."""


def nothing_to_conclude(pairs: Sequence[PairVotes], ties: Estimate) -> str:
    """Return why nothing may be concluded; empty where it may."""
    if ties.value is None:
        n_replies = sum(sum(pair.unreadable) for pair in pairs)
        return say("judges.gate.no_vote", n=n_replies)
    if ties.value > MOST_TIES:
        return say("judges.gate.ties", share=ties.value)
    lost = sum(sum(pair.unreadable) for pair in pairs)
    share = lost / (lost + sum(sum(map(sum, (pair.ab, pair.ba, pair.unordered))) for pair in pairs))
    return say("judges.gate.unreadable", share=share) if share > MOST_UNREADABLE else ""


def judge_sentence(scores: JudgeScores, position: str, length: bool) -> JudgeScores:
    """Return the judge with its closing sentence; ``length`` says whether an effect of length is shown."""
    if scores.gate:
        return replace(scores, sentence=say("judges.gate.said", judge=scores.judge, why=scores.gate))
    scores = replace(scores, position=position)
    parts = [_seats(scores), _length(scores) if length else "", _people_words(scores)]
    return replace(scores, sentence=" ".join(part for part in parts if part))


def _seats(scores: JudgeScores) -> str:
    excess, preference = scores.numbers["flip_excess"], scores.numbers["preference"]
    noisy, judge = scores.numbers["inconsistency"], scores.judge
    if excess.value is not None:
        size = say("judges.seats.beyond" if excess.value > 0 else "judges.seats.no_more", share=excess)
    elif noisy.value is not None:
        size = say("judges.seats.noisy", share=noisy)
    else:
        size = say("judges.seats.unknown")
    if scores.position == WITHHELD:
        unsaid = withheld(say("judges.seats.claim"), excess if holds(preference) else preference)
        return say("judges.seats.withheld", judge=judge, unsaid=unsaid, size=size)
    first = None if preference.value is None else 0.5 + preference.value
    if scores.position == "first":
        return say("judges.seats.first", judge=judge, share=first, size=size)
    if scores.position == "second":
        return say("judges.seats.second", judge=judge, share=first, size=size)
    if scores.position == "varying":
        return say("judges.seats.varying", judge=judge, size=size)
    if scores.position == "not shown":
        return say("judges.seats.none", judge=judge, size=size)
    return say("judges.seats.untested", judge=judge, why=preference.note)


def _length(scores: JudgeScores) -> str:
    """Say how length matters: by the slope, or by the share of longer winners where length decides all."""
    slope, longer = scores.numbers["length_slope"], scores.numbers["longer"]
    if longer.bounds is not None and not holds(longer, 0.5):
        return withheld(say("judges.length.claim"), longer)
    if slope.value is None:
        wins = longer.value is not None and longer.value > 0.5
        return say("judges.length.share", share=longer) if wins else ""
    size, rises, share = say("judges.length.size", slope=slope.value), slope.value > 0, longer.interval
    if share is not None and (share.high < 0.5 if rises else share.low > 0.5):
        return say("judges.length.both", share=longer, size=size)
    if not rises:
        return say("judges.length.shorter", size=size)
    human = scores.numbers["length_slope_human"].value
    if human is None:
        return say("judges.length.longer_alone", size=size)
    return say("judges.length.longer", size=size, human=human)


def _people_words(scores: JudgeScores) -> str:
    raw, kappa = scores.numbers["agreement"], scores.numbers["kappa"].value
    if raw.value is None:
        return ""
    alone = scores.numbers["agreement_human"]
    people = None if alone.value is None else alone
    whom = "label" if scores.is_labelled else "person"
    return say(f"judges.agreement.{whom}", share=raw, kappa=kappa, people=people)


def length_numbers(
    pairs: Sequence[PairVotes], labels: Sequence[str], level: float
) -> tuple[dict[str, Estimate], float | None]:
    """Return the share of votes for the longer answer, the slopes of judge and people, and p of no effect."""
    # The logistic regression is of votes for the first seat on the doublings of length from the second seat
    # to the first, so that its intercept takes the preference for a seat; pairs (or their clusters) are what
    # is independent. Votes whose order is not recorded are taken as of answer A in the first seat.
    known = [i for i, pair in enumerate(pairs) if _has_lengths(pair)]
    if not known:
        none = Estimate(None, n_left_out=len(pairs), note=say("judges.length.not_given"))
        return {"longer": none, "length_slope": none, "length_slope_human": none}, None
    kept, own = [pairs[i] for i in known], [labels[i] for i in known]
    doublings = np.array([_doublings(pair) for pair in kept])
    votes = np.array([[pair.ab, pair.ba, pair.unordered] for pair in kept], dtype=np.float64)
    first, second = votes[:, 0, :2] + votes[:, 2, :2], votes[:, 1, :2]
    successes = np.concatenate([first[:, 0], second[:, 1]])
    trials = np.concatenate([first.sum(axis=1), second.sum(axis=1)])
    slope, p = _length_slope(successes, trials, np.append(doublings, -doublings), [*own, *own], level)
    human = np.array([pair.human[:2] for pair in kept], dtype=np.float64)
    if slope.value is None:  # length decides all, or nothing is decided: the share says it
        p = p_by_interval(partial(_longer_estimate, kept, own), 0.5)
    return {
        "longer": _longer_estimate(kept, own, level),
        "length_slope": slope,
        "length_slope_human": _length_slope(human[:, 0], human.sum(axis=1), doublings, own, level)[0],
    }, p


def _longer_estimate(kept: Sequence[PairVotes], labels: Sequence[str], level: float) -> Estimate:
    reason = "no pair has a winner and unlike lengths"
    return mean_over_units(_longer_shares(kept), labels, level=level, reason=reason)


def _doublings(pair: PairVotes) -> float:
    assert pair.length_a is not None and pair.length_b is not None  # noqa: S101 - kept for it
    return float(np.log2(pair.length_a / pair.length_b))


def _has_lengths(pair: PairVotes) -> bool:
    return bool(pair.length_a and pair.length_b)


def _longer_shares(pairs: Sequence[PairVotes]) -> Floats:
    """Return the share of votes for the longer answer, pair by pair; NaN where lengths are not unlike."""
    wins = np.array([[pair.ab, pair.ba, pair.unordered] for pair in pairs], dtype=np.float64)[:, :, :2].sum(
        axis=1
    )
    doublings = np.array([_doublings(pair) if _has_lengths(pair) else 0.0 for pair in pairs])
    total = wins.sum(axis=1)
    chosen = np.where(doublings > 0, wins[:, 0], wins[:, 1])
    used = (doublings != 0) & (total > 0)
    return np.asarray(np.divide(chosen, total, out=np.full(len(wins), np.nan), where=used))


def _length_slope(
    successes: Floats, trials: Floats, x: Floats, labels: Sequence[str], level: float
) -> tuple[Estimate, float | None]:
    n = int(trials.sum())
    if n == 0:
        return Estimate(None, note="no verdict with a winner"), None
    try:
        fit = logistic_line(successes, trials, x, np.asarray(labels))
    except UndefinedError as fault:
        return Estimate(None, n=n, note=str(fault)), None
    if fit.n_clusters < MIN_PAIRS:
        return Estimate(fit.slope, None, n, note=f"no interval below {MIN_PAIRS} pairs"), None
    interval = fit.interval(level)
    return Estimate(fit.slope, interval, n, method=f"logistic regression, {interval.method}"), fit.p_value


_NO_PEOPLE = "no pair has a person's verdict"
_NO_SEVERAL = "no pair has the verdicts of two people"


def agreement_numbers(pairs: Sequence[PairVotes], labels: Sequence[str], level: float) -> dict[str, Estimate]:
    """Return raw agreement and kappa, of judge and people and of people alone."""
    # One vote of the judge is compared with one person, and one person with another, so that the two numbers
    # are on one footing; each pair of answers counts alike.
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
    sums = np.column_stack([np.ones(n), observed[there], first[there], second[there]])
    value = float(_kappa_of(sums.sum(axis=0)))
    if np.isnan(value):
        return Estimate(
            None, n=n, n_left_out=lost, note="all verdicts are alike, so that chance explains all"
        )
    _, codes = np.unique(np.asarray(labels)[there], return_inverse=True)
    clusters = np.zeros((codes.max() + 1, sums.shape[1]))
    np.add.at(clusters, codes, sums)
    without = _kappa_of(sums.sum(axis=0) - clusters)
    try:
        interval = jackknife_t(value, without, level=level)
    except UndefinedError as fault:
        return Estimate(value, None, n, lost, note=f"no interval: {fault}")
    method = "agreement beyond chance, pairs alike"
    return Estimate(value, interval, n, lost, method)


def _kappa_of(sums: Floats) -> Floats:
    """Return kappa of sums over pairs: their number, agreement, and each side's shares of three verdicts."""
    n = np.where(sums[..., 0] > 0, sums[..., 0], np.nan)
    chance = (sums[..., 2:5] * sums[..., 5:8]).sum(axis=-1) / (n * n)
    return np.asarray((sums[..., 1] / n - chance) / np.where(chance < 1 - 1e-12, 1 - chance, np.nan))
