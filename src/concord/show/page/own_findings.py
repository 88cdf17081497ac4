"""What the first screen says of agreement with itself and with its own reasoning."""

import math
from collections import Counter
from collections.abc import Sequence

from concord.reasoning import NAME as REASONING
from concord.reasoning.result import short_verdict, verdict_key
from concord.records import Estimate
from concord.show.page.panel import FindingInputs, ModelView, route
from concord.show.page.screen import Chart, PageFinding, Row
from concord.structure import NAME as STRUCTURE
from concord.structure.records import ModelResult
from concord.structure.score.order import moved_models
from concord.unread import unread_sentences
from concord.words import say

LEAST = 0.1
"""An axis from 0 reaches to this at least."""


def _entry(view: ModelView) -> ModelResult:
    found: ModelResult = view.beside.models[0]
    return found


def gate_words(gate: str) -> str:
    """Return why a score says nothing about consistency, in a few words."""
    why = "floor" if "below" in gate else "chance" if "chance" in gate else "ceiling"
    return say(f"page.order.at_{why}")


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
        axis=say("page.order.axis_flips") if by_flips else say("page.order.axis", two=two),
        limits=(min([0.0, *(math.floor(20 * end) / 20 for end in ends)]), max([LEAST, *ends])),
        zero=min([0.0, *ends]) < 0,
        unit="%" if by_flips else "points",
        digits=int(max(map(abs, ends), default=1.0) < LEAST / 2),
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
            say("page.read"),
            (say("page.order.how_flips" if by_flips else "page.order.how_points"),),
        ),
        brief=say("page.order.brief_flips") if by_flips else say("page.order.brief"),
        warns=tuple(warned),
    )


def _shows_flips(models: Sequence[ModelResult]) -> bool:
    """Whether answers change with the order where mean scores do not."""
    return not moved_models(list(models)) and any(one.flips_shown for one in models)


def _seen(one: ModelResult) -> str:
    """Say where an order effect is not shown."""
    if one.order.tau.value is None or one.order.is_shown:
        return ""
    return say("page.order.withheld") if one.order.is_withheld else say("page.order.unseen")


def _structure_note(one: ModelResult) -> str:
    return say("page.order.note", items=one.n_items, orders=one.n_arrangements)


def _order_words(
    passed: Sequence[tuple[ModelResult, str]], first: ModelResult | None, told: FindingInputs
) -> tuple[str, str]:
    """Return a title and a sentence about the effect of order."""
    if not passed:
        if len(told.views) == 1 and first is not None:
            name = told.names[told.views[0].label]
            why = say("page.order.gated", why=gate_words(first.gate))
            return say("page.order.title_gated", name=name), why
        return say("page.order.title_all_gated"), say("page.order.all_gated")
    n = len(passed)
    effects = {id(one) for one in moved_models([one for one, _ in passed])}
    moved = sorted((pair for pair in passed if id(pair[0]) in effects), key=_largest_first)
    if moved:
        most, name = moved[0]
        size = _effect(most).value
        if n == 1:
            return say("page.order.title_one", name=name, size=size), most.sentence
        return (
            say("page.order.title_some", k=len(moved), n=n),
            say("page.order.most", name=name, size=size),
        )
    whose = passed[0][1] if n == 1 else say("page.order.models", n=n)
    if any(one.order.is_withheld for one, _ in passed):
        return say("page.order.title_unsaid", whose=whose), say("page.order.unsaid")
    flipping = [pair for pair in passed if pair[0].flips_shown]
    if not flipping:
        return say("page.order.title_none", whose=whose), passed[0][0].sentence if n == 1 else ""
    most, name = max(flipping, key=lambda pair: pair[0].flips.value or -math.inf)
    title = say("page.order.title_flips", k=len(flipping), n=n)
    if n == 1:
        title = say("page.order.title_flips_one", name=name)
    flips = most.flips
    return title, say("page.order.flips", name=name, share=flips.value, ends=flips.interval)


def _effect(one: ModelResult) -> Estimate:
    """Return the order effect of a model; of two arrangements their difference."""
    return one.order.tau if one.order.difference is None else one.order.difference


def _largest_first(pair: tuple[ModelResult, str]) -> tuple[bool, float]:
    """Order effects from the largest on; one without a size comes last."""
    tau = _effect(pair[0]).value
    return (True, 0.0) if tau is None else (False, -tau)


# --- with its own reasoning ------------------------------------------------------------------------------


def reasoning_finding(told: FindingInputs) -> PageFinding:
    """Say whether reasoning improves answers."""
    passed = [view for view in told.views if not view.gate]
    rows = [
        Row(
            name=told.names[view.label],
            found=view.result.faithfulness_gap,
            address=route(view.label, REASONING),
            gate=say("page.gap.gate") if view.gate else "",
            says="" if view.gate else short_verdict(view.result.verdict, view.result.faithfulness_gap),
            rank=told.rank(view.label),
        )
        for view in told.views
    ]
    ends = [end for row in rows for end in (row.found.value, *row.found.ends) if end is not None]
    reach = max([0.2, *(abs(end) for end in ends)])
    chart = Chart(
        rows=tuple(rows),
        axis=say("page.gap.axis"),
        limits=(-reach, reach),
        zero=True,
        unit="points",
        bracket=told.bracket,
        note=say("page.gap.note") + told.compares,
    )
    title, says = _reasoning_words(passed, told)
    return PageFinding(
        title=title,
        says=says,
        chart=chart if len(told.views) > 1 else None,
        read=(say("page.read"), (say("page.gap.how"),)),
    )


def _reasoning_words(passed: Sequence[ModelView], told: FindingInputs) -> tuple[str, str]:
    if not passed:
        title = say("page.gap.title_voided_all")
        if len(told.views) == 1:
            title = say("page.gap.title_of_voided", name=told.names[told.views[0].label])
        return title, say("page.gap.voided")
    if len(passed) == 1:
        result, name = passed[0].result, told.names[passed[0].label]
        gap = result.faithfulness_gap
        title = say(f"page.gap.title_of_{verdict_key(result.verdict, gap)}", name=name)
        return title, gap.note if gap.value is None else say("page.gap.says", gap=gap)
    counted = Counter(view.result.verdict for view in passed)
    parts = [
        say(f"page.gap.count_{verdict}", k=counted[verdict])
        for verdict in ("functional", "harmful")
        if counted[verdict]
    ]
    if not parts:
        return say("page.gap.title_none", n=len(passed)), ""
    return say("page.gap.title_many", what=" and ".join(parts), n=len(passed)), ""
