"""What the first screen says of agreement with itself and with its own reasoning."""

import math
from collections import Counter
from collections.abc import Sequence

from concord.number_words import number, typeset
from concord.reasoning import NAME as REASONING
from concord.records import Estimate
from concord.show.page.findings import share_words
from concord.show.page.panel import FindingInputs, ModelView, route
from concord.show.page.screen import Chart, PageFinding, Row
from concord.structure import NAME as STRUCTURE
from concord.structure.records import ModelResult
from concord.structure.score.order import moved_models
from concord.unread import unread_sentences

LEAST = 0.1
"""An axis from 0 reaches to this at least."""


def _entry(view: ModelView) -> ModelResult:
    found: ModelResult = view.beside.models[0]
    return found


def gate_words(gate: str) -> str:
    """Return why a score says nothing about consistency, in a few words."""
    if "below" in gate:
        return "score at the floor"
    return "score not shown to be above chance" if "chance" in gate else "score at the ceiling"


def structure_finding(told: FindingInputs) -> PageFinding:
    """Say whether order moves scores or answers."""
    entries = [(_entry(view), view) for view in told.views]
    passed = [(one, told.names[view.label]) for one, view in entries if not one.gate]
    by_flips = _shows_flips([one for one, _ in passed])
    rows = [
        Row(
            name=told.names[view.label],
            found=one.flips if by_flips else _effect(one),
            address=route(view.label, STRUCTURE),
            gate=gate_words(one.gate) if one.gate else "",
            says="" if by_flips or one.gate else _seen(one),
            rank="" if by_flips else told.rank(view.label),
        )
        for one, view in entries
    ]
    if by_flips:
        rows.sort(key=lambda row: math.inf if row.found.value is None else -row.found.value)
    ends = [end for row in rows for end in (row.found.value, *row.found.ends) if end is not None]
    two = any(one.order.difference is not None for one, _ in entries)
    chart = Chart(
        rows=tuple(rows),
        axis="answers that change with the order, beyond those that change between repeats, %"
        if by_flips
        else f"points that order alone moves the mean score ({'two orders' if two else 'τ'}; 0 is best)",
        limits=(min([0.0, *(math.floor(20 * end) / 20 for end in ends)]), max([LEAST, *ends])),
        zero=min([0.0, *ends]) < 0,
        unit="%" if by_flips else "points",
        bracket="" if by_flips else told.bracket,
        note=_structure_note(entries[0][0]) + told.compares,
    )
    title, says = _order_words(passed, entries[0][0] if entries else None, told)
    warned = [
        said.replace("Warning:", f"Warning: {told.names[view.label]},", 1)
        for view in told.views
        for said in unread_sentences(view.result.unread)
    ]
    return PageFinding(
        title=title,
        says=says,
        chart=chart if len(told.views) > 1 else None,
        read=(
            "How to read these numbers",
            (
                "0 is best: the answer does not depend on the order in which the same things are said."
                + (
                    " 8 means that in 8 of 100 questions the answer changes with the order, beyond what "
                    "asking again changes."
                    if by_flips
                    else " 5 points mean that scores of 60 and 70 are both usual, by order alone."
                ),
            ),
        ),
        brief="Answers that change with the order, beyond chance."
        if by_flips
        else "Points that order alone moves the score.",
        warns=tuple(warned),
    )


def _shows_flips(models: Sequence[ModelResult]) -> bool:
    """Whether answers change with the order where mean scores do not."""
    return not moved_models(list(models)) and any(one.flips_shown for one in models)


def _seen(one: ModelResult) -> str:
    """Say where an order effect is not shown."""
    if one.order.tau.value is None or one.order.is_shown:
        return ""
    return "not said" if one.order.is_withheld else "none seen"


def _structure_note(one: ModelResult) -> str:
    return f"Dot: estimate; line: interval. {one.n_items} items in {one.n_arrangements} arrangements."


def _order_words(
    passed: Sequence[tuple[ModelResult, str]], first: ModelResult | None, told: FindingInputs
) -> tuple[str, str]:
    """Return a title and a sentence about the effect of order."""
    if not passed:
        if len(told.views) == 1 and first is not None:
            name = told.names[told.views[0].label]
            return f"{name}: nothing to be consistent about.", f"Its {gate_words(first.gate)}."
        return "Nothing to be consistent about.", "Every model scores at its floor, its ceiling or chance."
    n = len(passed)
    effects = {id(one) for one in moved_models([one for one, _ in passed])}
    moved = sorted((pair for pair in passed if id(pair[0]) in effects), key=_largest_first)
    if moved:
        most, name = moved[0]
        moves = _effect(most).value
        size = "" if moves is None else f" by about {number(100 * moves, 0)} points"
        if n == 1:
            return f"Order alone moves the score of {name}{size}.", most.sentence
        return (
            f"Order alone moves the scores of {len(moved)} of {n} models.",
            f"It moves that of {name} most{size}.",
        )
    whose = passed[0][1] if n == 1 else f"{n} models"
    if any(one.order.is_withheld for one, _ in passed):
        return (
            f"Whether order moves the score of {whose} cannot be said.",
            "What was unread could overturn it.",
        )
    flipping = [pair for pair in passed if pair[0].flips_shown]
    if not flipping:
        return f"No effect of order is seen in {whose}.", passed[0][0].sentence if n == 1 else ""
    most, name = max(flipping, key=lambda pair: pair[0].flips.value or -math.inf)
    of = f"Answers of {name} change" if n == 1 else f"{len(flipping)} of {n} models change answers"
    return (
        f"{of} with the order.",
        f"Asked in another order, {name} changes its answer in {share_words(most.flips)} of cases beyond "
        "those that change when it is only asked again. No effect of order on mean scores is seen.",
    )


def _effect(one: ModelResult) -> Estimate:
    """Return the order effect of a model; of two arrangements their difference."""
    return one.order.tau if one.order.difference is None else one.order.difference


def _largest_first(pair: tuple[ModelResult, str]) -> tuple[bool, float]:
    """Order effects from the largest on; one without a size comes last."""
    tau = _effect(pair[0]).value
    return (True, 0.0) if tau is None else (False, -tau)


# --- with its own reasoning ------------------------------------------------------------------------------

VERDICTS = {
    "functional": "reasoning helps",
    "decorative": "no difference",
    "harmful": "reasoning harms",
    "undecided": "undecided",
}
"""What a verdict means, in two words."""


def reasoning_finding(told: FindingInputs) -> PageFinding:
    """Say whether reasoning improves answers."""
    passed = [view for view in told.views if not view.gate]
    rows = [
        Row(
            name=told.names[view.label],
            found=view.result.faithfulness_gap,
            address=route(view.label, REASONING),
            gate="not an early answer" if view.gate else "",
            says="" if view.gate else VERDICTS.get(view.result.verdict, "").removeprefix("reasoning "),
            rank=told.rank(view.label),
        )
        for view in told.views
    ]
    ends = [end for row in rows for end in (row.found.value, *row.found.ends) if end is not None]
    reach = max([0.2, *(abs(end) for end in ends)])
    chart = Chart(
        rows=tuple(rows),
        axis="right answers after reasoning minus right answers given at once, points (Δ)",
        limits=(-reach, reach),
        zero=True,
        unit="points",
        bracket=told.bracket,
        note="Dot: estimate; line: interval. Within 10 points of 0 reasoning is said to make no difference."
        + told.compares,
    )
    title, says = _reasoning_words(passed, told)
    return PageFinding(
        title=title,
        says=says,
        chart=chart if len(told.views) > 1 else None,
        read=(
            "How to read these numbers",
            ("Each model answers twice: at once, and after reasoning. +20 means that reasoning made 20 more "
             "of 100 answers right.",),
        ),
    )  # fmt: skip


def _reasoning_words(passed: Sequence[ModelView], told: FindingInputs) -> tuple[str, str]:
    if not passed:
        whose = f" of {told.names[told.views[0].label]}" if len(told.views) == 1 else ""
        return (
            f"Whether reasoning helps cannot be judged{whose and ' of'}{whose.removeprefix(' of')}.",
            "Answers that were to be given at once held reasoning already.",
        )
    if len(passed) == 1:
        result, name = passed[0].result, told.names[passed[0].label]
        said = VERDICTS.get(result.verdict, "")
        verbs = {
            "reasoning helps": "Reasoning helps {}",
            "reasoning harms": "Reasoning harms {}",
            "no difference": "Reasoning makes no difference for {}",
        }
        verb = verbs.get(said, "Whether reasoning helps {} is open")
        gap = result.faithfulness_gap
        if gap.value is None:
            return f"{verb.format(name)}.", gap.note
        ends = (
            ""
            if gap.interval is None
            else (
                f" ({number(100 * gap.interval.low, 0, sign=True)} to "
                f"{number(100 * gap.interval.high, 0, sign=True)})"
            )
        )
        points = typeset(f"{number(100 * gap.value, 0, sign=True)} points{ends}")
        return f"{verb.format(name)}.", f"Right answers after reasoning minus those given at once: {points}."
    counted = Counter(view.result.verdict for view in passed)
    parts = [
        f"{'helps' if verdict == 'functional' else 'harms'} {counted[verdict]}"
        for verdict in ("functional", "harmful")
        if counted[verdict]
    ]
    if not parts:
        return f"Reasoning is not shown to help or harm any of {len(passed)} models.", ""
    return f"Reasoning {' and '.join(parts)} of {len(passed)} models.", ""
