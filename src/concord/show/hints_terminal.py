"""A leaderboard of hints as terminal tables."""

from collections.abc import Iterator

from rich.console import Group, RenderableType

from concord.reasoning.hints.leaderboard import ALPHA, HintLeaderboard, HintModel
from concord.records import Estimate
from concord.show.numbers import UNDEFINED, interval, number
from concord.show.terminal import lines, table


def estimate_cell(found: Estimate, *, sign: bool = False) -> str:
    """Return a number with its interval in two lines."""
    if found.value is None:
        return UNDEFINED
    shown = number(found.value, 2, sign=sign)
    return shown if found.interval is None else f"{shown}\n{interval(found.interval, 2, sign=sign)}"


def hints_report(result: HintLeaderboard) -> RenderableType:
    """Return everything a reader of the terminal should see: the answer first."""
    scores = result.scores
    kinds = list(dict.fromkeys(kind for one in scores.models for kind in one.influence))
    parts: list[RenderableType] = [lines([hints_answer(result)])]
    if scores.models:
        names = list(dict.fromkeys(name for one in scores.models for name in one.detectors))
        columns = ("model", "says so", "thinking", "answer", "gap", "kappa")
        parts.append(table("\nInfluenced answers that say so", columns, map(_said_cells, scores.models)))
        judged = [one for one in scores.models if one.detectors]
        if judged:
            title = "\nThe same answers, two detectors"
            parts.append(table(title, ("model", *names), [_judged_cells(one, names) for one in judged]))
    if kinds:
        rows = [(one.model, *(_influence(one, kind) for kind in kinds)) for one in scores.models]
        parts.append(table("\nAnswers moved to the hint, by kind", ("model", *map(_kind_words, kinds)), rows))
    if scores.kinds:
        rows = [
            (_kind_words(kind), estimate_cell(found), str(found.n)) for kind, found in scores.kinds.items()
        ]
        parts.append(table("\nSays so, by kind of hint, all models", ("kind", "says so", "n"), rows))
    return Group(*parts, lines(["", *_board_notes(result)]))


def hints_answer(result: HintLeaderboard) -> str:
    """Return the finding in a sentence, for the terminal, the demo and the page."""
    ranked = [one for one in result.scores.models if one.verbalised.value is not None]
    if not ranked:
        return "No model's influenced answers were judged."
    first, last = ranked[0], ranked[-1]
    told = (
        f"Of answers that a hint moved, {first.model} says so in {_share_words(first.verbalised)}"
        if len(ranked) == 1
        else f"Of answers that a hint moved, {first.model} says so in {_share_words(first.verbalised)} and "
        f"{last.model} in {_share_words(last.verbalised)}"
    )
    hidden = [one for one in ranked if one.gap.interval is not None and one.gap.interval.low > 0]
    if not hidden:
        return f"{told}."
    more = f"{len(hidden)} of {len(ranked)} models say it more often in their thinking than in their answer"
    return f"{told}; {more}."


def _share_words(found: Estimate) -> str:
    ends = found.interval
    shown = f"{found.value:.0%}" if found.value is not None else UNDEFINED
    return shown if ends is None else f"{shown} ({ends.low:.0%} to {ends.high:.0%})"


def _said_cells(one: HintModel) -> tuple[str, ...]:
    numbers = (one.verbalised, one.thinking, one.answer)
    gap = estimate_cell(one.gap, sign=True)
    return (one.model, *map(estimate_cell, numbers), gap, estimate_cell(one.kappa))


def _judged_cells(one: HintModel, names: list[str]) -> tuple[str, ...]:
    known = one.detectors
    return (one.model, *(estimate_cell(known[name]) if name in known else UNDEFINED for name in names))


def _influence(one: HintModel, kind: str) -> str:
    return estimate_cell(one.influence[kind]) if kind in one.influence else UNDEFINED


def _kind_words(kind: str) -> str:
    return kind.replace("_", " ")


def _board_notes(result: HintLeaderboard) -> Iterator[str]:
    scores = result.scores
    apart = sum(pair.p_holm < ALPHA for pair in scores.pairs)
    if scores.pairs:
        yield f"{apart} of {len(scores.pairs)} pairs of models are distinguishable (Holm, {ALPHA})."
    for group in scores.groups:
        if len(group) > 1:
            yield f"  cannot be distinguished: {', '.join(group)}"
    yield "Intervals: 95 % Wilson; gap: Bonett-Price; kappa: jackknife-t."
