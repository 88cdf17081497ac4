"""What may be said about a judge: only what a test shows, and nothing where replies cannot carry it."""

from collections.abc import Sequence
from dataclasses import replace

from concord.records import Estimate, Interval
from concord.structure.judging.records import JudgeScores, PairVotes

NOTHING = "nothing to be consistent about"
NO_VOTE = "no vote could be read"
MOST_TIES = 0.95
MOST_UNREADABLE, MOST_UNEVEN = 0.2, 0.05
"""Share of replies without a verdict, and its difference between the orders, that withhold conclusions."""


def withheld(pairs: Sequence[PairVotes], ties: Estimate) -> str:
    """Return why nothing may be concluded; empty where it may."""
    if ties.value is None:
        n_replies = sum(sum(pair.unreadable) for pair in pairs)
        return (
            f"{NO_VOTE}: none of {n_replies} replies names an answer or a tie; look at them, allow "
            "longer replies (--max-tokens), or let a stronger model judge"
        )
    if ties.value > MOST_TIES:
        return f"{NOTHING}: {ties.value:.0%} of the votes are ties"
    lost = [sum(pair.unreadable[i] for pair in pairs) for i in range(3)]
    read = [
        sum(sum(votes) for votes in group)
        for group in zip(*((pair.ab, pair.ba, pair.unordered) for pair in pairs), strict=True)
    ]
    share = sum(lost) / (sum(lost) + sum(read))
    if share > MOST_UNREADABLE:
        return f"{share:.0%} of the replies hold no verdict"
    first, second = (lost[i] / max(1, lost[i] + read[i]) for i in (0, 1))
    if abs(first - second) > MOST_UNEVEN:
        return (
            f"replies without a verdict are not alike in both orders ({first:.0%} and {second:.0%}), so that "
            "a difference may come from them"
        )
    return ""


def judge_sentence(scores: JudgeScores) -> JudgeScores:
    """Return the judge with its closing sentence."""
    if scores.gate:
        return replace(scores, sentence=f"{scores.judge}: {scores.gate}.")
    parts = [_seats(scores), _length(scores), _people_words(scores)]
    return replace(scores, sentence=" ".join([f"{scores.judge}:", *(part for part in parts if part)]))


def _seats(scores: JudgeScores) -> str:
    excess, preference = scores.numbers["flip_excess"], scores.numbers["preference"]
    changes, beyond = excess, "of pairs of votes beyond what repeats change"
    if excess.value is None:
        changes, beyond = scores.numbers["inconsistency"], "of pairs of votes, noise included"
    size = f"verdicts change with the seats in {_share(changes)} {beyond}"
    if excess.value is not None and excess.value <= 0:
        size = f"verdicts changed with the seats no more often than between repeats (excess {_share(excess)})"
    if scores.position in ("first", "second"):
        lean = "" if preference.value is None else f" ({preference.value:+.2f} beyond one half)"
        return f"position bias, the {scores.position} seat is preferred{lean}; {size}."
    if scores.position == "varying":
        return f"position bias, neither seat shown to be preferred throughout; {size}."
    if scores.position == "not shown":
        return f"no position bias could be shown; {size}."
    return f"position bias cannot be tested: {preference.note}."


def _share(number: Estimate) -> str:
    if number.value is None:
        return "an unknown share"
    return f"{number.value:.0%}{_end_words(number.interval)}"


def _end_words(interval: Interval | None) -> str:
    return "" if interval is None else f" ({interval.low:.0%} to {interval.high:.0%})"


def _length(scores: JudgeScores) -> str:
    """Say that length matters only where the interval of the slope excludes 0, or length decides all."""
    slope, longer = scores.numbers["length_slope"], scores.numbers["longer"]
    if slope.interval is not None and slope.value is not None:
        if slope.interval.low > 0:
            return (
                f"Longer answers win more often ({slope.value:.2f} log odds per doubling){_beyond(scores)}."
            )
        if slope.interval.high < 0:
            return f"Shorter answers win more often ({slope.value:.2f} log odds per doubling)."
        return ""
    if longer.interval is not None and longer.interval.low > 0.5 and slope.value is None:
        return f"The longer answer wins in {_share(longer)} of votes."
    return ""


def _beyond(scores: JudgeScores) -> str:
    human = scores.numbers["length_slope_human"]
    if human.value is None:
        return "; whether people's do too is not known"
    return f"; for people it is {human.value:.2f}"


def _people_words(scores: JudgeScores) -> str:
    raw, kappa = scores.numbers["agreement"], scores.numbers["kappa"]
    if raw.value is None:
        return ""
    beyond = "" if kappa.value is None else f", kappa {kappa.value:.2f}"
    alone = scores.numbers["agreement_human"]
    people = "" if alone.value is None else f", where people agree with one another in {_share(alone)}"
    return f"It agrees with a person in {_share(raw)} of votes{beyond}{people}."
