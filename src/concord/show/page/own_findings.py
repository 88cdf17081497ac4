"""What the first screen says of agreement with itself and with its own reasoning."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from concord.reasoning import NAME as REASONING
from concord.reasoning.result import short_verdict, verdict_key, verdicts_of_several
from concord.records import Estimate
from concord.show.page.panel import FindingInputs, ShownModel, route
from concord.show.page.screen import Chart, PageFinding, Row
from concord.structure import NAME as STRUCTURE
from concord.structure.records import ModelResult
from concord.structure.result import OrderClaims, order_claims
from concord.unread import holds, unread_sentences
from concord.words import say

LEAST = 0.1
"""An axis from 0 reaches to this at least."""


def entry_of(view: ShownModel) -> ModelResult:
    """Return what a result about structure holds of one model."""
    found: ModelResult = view.beside.models[0]
    return found


def gate_words(gate: str) -> str:
    """Return why a score says nothing about consistency, in a few words."""
    why = "floor" if "below" in gate else "chance" if "chance" in gate else "ceiling"
    return say(f"page.order.at_{why}")


class _Passed(NamedTuple):
    """A model that is judged, what it is called, and what is shown of it among all."""

    model: ModelResult
    name: str
    shown: OrderClaims

    @property
    def flips(self) -> bool:
        """Whether its answers are shown to change with the order, whatever was unread."""
        return self.shown.answers and holds(self.model.flips)


def structure_finding(told: FindingInputs) -> PageFinding:
    """Say whether order moves scores or answers."""
    entries = [(entry_of(view), view) for view in told.views]
    claims = order_claims([one for one, _ in entries])
    passed = [
        _Passed(one, told.names[view.label], shown)
        for (one, view), shown in zip(entries, claims, strict=True)
        if not one.gate
    ]
    by_flips = not any(one.shown.means for one in passed) and any(one.flips for one in passed)
    rows = [
        Row(
            name=told.names[view.label],
            found=one.flips if by_flips else _effect(one),
            address=route(view.label, STRUCTURE),
            gate=gate_words(one.gate) if one.gate else "",
            says="" if by_flips or one.gate else _seen(one, shown),
            rank="" if by_flips else told.rank(view.label),
        )
        for (one, view), shown in zip(entries, claims, strict=True)
    ]
    if by_flips:
        rows.sort(key=lambda row: math.inf if row.found.value is None else -row.found.value)
    ends = [end for row in rows for end in (row.found.value, *row.found.ends) if end is not None]
    two, first = any(one.order.difference is not None for one, _ in entries), entries[0][0]
    chart = Chart(
        rows=tuple(rows),
        axis=say("page.order.axis_flips") if by_flips else say("page.order.axis", two=two),
        limits=(min([0.0, *(math.floor(20 * end) / 20 for end in ends)]), max([LEAST, *ends])),
        zero=min([0.0, *ends]) < 0,
        unit="%" if by_flips else "points",
        digits=int(max(map(abs, ends), default=1.0) < LEAST / 2),
        bracket="" if by_flips else told.bracket,
        note=say("page.order.note", items=first.n_items, orders=first.n_arrangements) + told.compares,
    )
    title, says = _order_words(passed, first, told)
    warned = [
        said.replace("Warning:", f"Warning: {told.names[view.label]},", 1)
        for view in told.views
        for said in unread_sentences(view.result.unread)
    ]
    return PageFinding(
        title=title,
        says=says,
        chart=chart if len(told.views) > 1 else None,
        read=(say("page.read"), (say("page.order.how_flips" if by_flips else "page.order.how_points"),)),
        brief=say("page.order.brief_flips") if by_flips else say("page.order.brief"),
        warns=tuple(warned),
    )


def _seen(one: ModelResult, shown: OrderClaims) -> str:
    """Say where an order effect is not shown."""
    if one.order.tau.value is None or shown.means:
        return ""
    return say("page.order.withheld" if shown.withheld else "page.order.unseen")


def _order_words(passed: Sequence[_Passed], first: ModelResult, told: FindingInputs) -> tuple[str, str]:
    """Return a title and a sentence about the effect of order."""
    if not passed:
        if len(told.views) == 1:
            name = told.names[told.views[0].label]
            why = say("page.order.gated", why=gate_words(first.gate))
            return say("page.order.title_gated", name=name), why
        return say("page.order.title_all_gated"), say("page.order.all_gated")
    n = len(passed)
    moved = sorted((one for one in passed if one.shown.means), key=_largest_first)
    if moved:
        most, name = moved[0].model, moved[0].name
        size = _effect(most).value
        if n == 1:
            return say("page.order.title_one", name=name, size=size), most.sentence
        return (say("page.order.title_some", k=len(moved), n=n), say("page.order.most", name=name, size=size))
    whose = passed[0].name if n == 1 else say("page.order.models", n=n)
    if any(one.shown.withheld for one in passed):
        return say("page.order.title_unsaid", whose=whose), say("page.order.unsaid")
    flipping = [one for one in passed if one.flips]
    if not flipping:
        return say("page.order.title_none", whose=whose), passed[0].model.sentence if n == 1 else ""
    most, name, _ = max(flipping, key=lambda one: _share(one.model.flips))
    title = say("page.order.title_flips", k=len(flipping), n=n)
    if n == 1:
        title = say("page.order.title_flips_one", name=name)
    flips = most.flips
    return title, say("page.order.flips", name=name, share=flips.value, ends=flips.interval)


def _effect(one: ModelResult) -> Estimate:
    """Return the order effect of a model; of two arrangements their difference."""
    return one.order.tau if one.order.difference is None else one.order.difference


def _share(one: Estimate) -> float:
    return -math.inf if one.value is None else one.value


def _largest_first(one: _Passed) -> tuple[bool, float]:
    """Order effects from the largest on; one without a size comes last."""
    tau = _effect(one.model).value
    return (True, 0.0) if tau is None else (False, -tau)


# --- with its own reasoning ------------------------------------------------------------------------------


def reasoning_finding(told: FindingInputs) -> PageFinding:
    """Say whether reasoning improves answers."""
    passed = [view for view in told.views if not view.gate]
    several = verdicts_of_several([(one.result.verdict, one.result.faithfulness_gap) for one in passed])
    verdicts = {view.label: word for view, word in zip(passed, several, strict=True)}
    rows = [
        Row(
            name=told.names[view.label],
            found=view.result.faithfulness_gap,
            address=route(view.label, REASONING),
            gate=say("page.gap.gate") if view.gate else "",
            says="" if view.gate else short_verdict(verdicts[view.label], view.result.faithfulness_gap),
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
    title, says = _reasoning_words(passed, several, told)
    return PageFinding(
        title=title,
        says=says,
        chart=chart if len(told.views) > 1 else None,
        read=(say("page.read"), (say("page.gap.how"),)),
    )


def _reasoning_words(
    passed: Sequence[ShownModel], verdicts: Sequence[str], told: FindingInputs
) -> tuple[str, str]:
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
    counted = Counter(verdicts)
    parts = [
        say(f"page.gap.count_{verdict}", k=counted[verdict])
        for verdict in ("functional", "harmful")
        if counted[verdict]
    ]
    if not parts:
        return say("page.gap.title_none", n=len(passed)), ""
    return say("page.gap.title_many", what=" and ".join(parts), n=len(passed)), ""
