"""Judges as tables and closing sentences, and plans for them."""

from collections.abc import Iterator

from rich.console import Group

from concord.planning.judges import JudgePlan
from concord.records import Estimate
from concord.show.numbers import UNDEFINED, interval, number, p_value
from concord.show.terminal import lines, table
from concord.structure.judging.result import NUMBERS, JudgeResult, JudgeScores


def judge_report(result: JudgeResult) -> Group:
    """Return everything a reader of the terminal should see: sentences first."""
    return Group(
        lines(_sentences(result)),
        table(
            "\nDo verdicts depend on the seats?",
            ("Judge", "flip excess", "p", "preference", "p", "inconsistency", "repeats", "ties"),
            [_seat_cells(one) for one in result.judges],
        ),
        table(
            "\nLength of answers, and agreement with people",
            (
                "Judge",
                "longer wins",
                "log odds",
                "people's",
                "agreement",
                "kappa",
                "between people",
                "their kappa",
            ),
            [_other_cells(one) for one in result.judges],
        ),
        table(
            "\nWins after both orders, ties half",
            ("Judge", "model", "win rate", "interval", "pairs"),
            [_win_cells(one, i) for one in result.judges for i in range(len(one.wins))],
            words=("model",),
        ),
        lines(_judge_notes(result)),
    )


def judge_gist(result: JudgeResult) -> Group:
    """Return the sentence of each judge and the table of seats."""
    return Group(*judge_report(result).renderables[:2])


def _sentences(result: JudgeResult) -> Iterator[str]:
    for one in result.judges:
        yield one.sentence


def _seat_cells(one: JudgeScores) -> tuple[str, ...]:
    found = one.numbers
    return (
        one.judge,
        _with_ends(found["flip_excess"]),
        p_value(one.flips_p),
        _with_ends(found["preference"], sign=True),
        p_value(one.preference_p),
        *(_with_ends(found[name]) for name in ("inconsistency", "repeat", "ties")),
    )


def _other_cells(one: JudgeScores) -> tuple[str, ...]:
    names = (
        "longer",
        "length_slope",
        "length_slope_human",
        "agreement",
        "kappa",
        "agreement_human",
        "kappa_human",
    )
    return (one.judge, *(_with_ends(one.numbers[name]) for name in names))


def _win_cells(one: JudgeScores, i: int) -> tuple[str, ...]:
    wins = one.wins[i]
    ends = interval(wins.rate.interval)
    return (one.judge if i == 0 else "", wins.model, number(wins.rate.value), ends, str(wins.rate.n))


def _with_ends(found: Estimate, *, sign: bool = False) -> str:
    if found.value is None:
        return UNDEFINED
    shown = number(found.value, sign=sign)
    return shown if found.interval is None else f"{shown}\n{interval(found.interval)}"


def _judge_notes(result: JudgeResult) -> Iterator[str]:
    yield ""
    for one in result.judges:
        low, high = one.votes_per_order
        votes = str(low) if low == high else f"{low} to {high}"
        lost = f", {one.n_unreadable} without a verdict" if one.n_unreadable else ""
        yield f"{one.judge}: {len(one.pairs)} pairs, {one.n_votes} votes, {votes} per order{lost}."
        reasons = {found.note: NUMBERS[name] for name, found in one.numbers.items() if found.value is None}
        yield from (f"  no {words!r}: {reason}" for reason, words in reasons.items())
    yield (
        "Flip excess: differing pairs of votes of unlike orders minus those of one order; its test divides "
        "votes at random between the orders. Preference: votes for the first seat minus 1/2; exact sign "
        f"test over pairs. Position bias is said at 5 %, both tests together (Holm). Intervals: "
        f"{result.level:.0%} over pairs."
    )


def judge_plan_lines(plan: JudgePlan) -> Iterator[str]:
    """Return the lines of a plan for judges."""
    yield (
        f"{plan.judge}: {plan.pairs} pairs with {plan.votes} vote(s) in each order show a preference of "
        f"{plan.effect:g} beyond one half with a power of {number(plan.power, 2)} (two-sided, "
        f"{1 - plan.wanted.level:.0%})."
    )
    yield (
        f"Standard deviation over pairs {number(plan.sd_between)}, of one vote per order "
        f"{number(plan.sd_within)}."
    )
    yield f"For a power of {plan.wanted.power:g}:"
    for votes, pairs, calls in plan.needed:
        cost = plan.wanted.cost_of(calls)
        priced = "" if cost is None else f", cost {cost[0]:,.2f} to {cost[1]:,.2f}"
        yield f"  {votes} vote(s) in each order: {pairs:,} pairs, {calls:,} calls{priced}"
    yield f"From the pilot {plan.based_on}."
