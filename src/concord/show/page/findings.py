"""What the first screen says of agreement with people, and of further kinds of results."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from concord.kinds import Kind
from concord.number_words import joined_names, leaders, number
from concord.people import NAME as PEOPLE
from concord.people.result import Score, human_row
from concord.people.words import NEAR_END
from concord.records import Estimate
from concord.show.page.panel import FindingInputs, ShownModel, route
from concord.show.page.screen import Chart, PageFinding, Row
from concord.unread import holds, unread_sentences
from concord.words import say

CLAIMED = 0.05
"""Level of a test whose claim is a title."""
COMPARISON = "comparison"
"""The section of models side by side, which belongs to no question."""
AGENTS = "agents"
"""The section of many agents."""


# --- with people -----------------------------------------------------------------------------------------


def score_row(name: str, score: Score, **more: Any) -> Row:
    """Return a score between its floor and its ceiling."""
    floor, ceiling = (score.end(end) for end in ("floor", "ceiling"))
    return Row(
        name=name,
        found=score.estimate,
        floor=None if floor is None else floor.value,
        ceiling=None if ceiling is None else ceiling.value,
        **more,
    )


def pas_chart(rows: Sequence[Row], **more: Any) -> Chart:
    """Return rows on the axis of PAS."""
    return Chart(
        rows=tuple(rows),
        axis=say("page.pas.axis"),
        ends=(say("page.pas.no_effects"), say("page.pas.rerun")),
        **more,
    )


def _people_rows(views: Sequence[ShownModel]) -> list[Row]:
    """Return the row of people who were asked the same effects, where it is the same for all models."""
    again = [getattr(view.beside, "again", None) for view in views]
    first = again[0] if again else None
    if first is None or any(one is None or one.pas != first.pas for one in again):
        return []
    return [score_row(first.label_here, first.pas)]


def people_finding(told: FindingInputs) -> PageFinding:
    """Say who agrees with people most often, and whether that may be chance."""
    known = [view for view in told.views if view.result.pas.value is not None]
    if not known:
        outcomes: Counter[str] = Counter()
        for view in told.views:
            outcomes.update({out: n for out, n in view.result.outcomes.items() if out != "scored"})
        ended = ", ".join(f"{n} {out}" for out, n in outcomes.items())
        return PageFinding(title=say("page.pas.title_none"), says=say("page.pas.none", ended=ended))
    if len(told.views) == 1:
        return _one_with_people(known[0], told)
    best = known[0]
    pas, name = best.result.pas, told.names[best.label]
    tied = leaders([(told.names[view.label], view.result.pas.value) for view in known])
    agents = _agents_of(told)
    rows = [
        score_row(
            told.names[view.label],
            view.result.pas,
            address=route(view.label, PEOPLE),
            rank=told.rank(view.label),
        )
        for view in told.views
    ]
    return PageFinding(
        title=_most_often(name, tied, len(known), told),
        says=" ".join(
            filter(None, (would_conclude(name, pas, tied), chosen_words(agents), _floor_words(rows)))
        ),
        chart=pas_chart(
            [*rows, *_people_rows(told.views)], bracket=told.bracket, note=_people_note(told) + told.compares
        ),
        read=how_to_read_pas(name, pas),
    )


def _most_often(name: str, tied: Sequence[str], n: int, told: FindingInputs) -> str:
    if len(tied) > 1:
        return say("page.pas.title_tied", names=joined_names(tied), all=len(tied) == n)
    if told.standing is None:
        return say("page.pas.title_most", name=name)
    alike = [label for label in told.standing.alike(told.views[0].label) if label in told.names]
    if not alike:
        return say("page.pas.title_best", name=name)
    if len(alike) == n - 1:
        return say("page.pas.title_chance", name=name)
    return say("page.pas.title_some", name=name, k=len(alike), n=n - 1)


def would_conclude(name: str, pas: Score, tied: Sequence[str]) -> str:
    """Say with which probability one would draw people's conclusion."""
    return say("page.pas.conclude", name=name, tied=len(tied) > 1, share=pas.value, ends=pas.interval)


def _agents_of(told: FindingInputs) -> Any:
    """Return the result that holds all these models together, where there is one."""
    labels = {view.label for view in told.views}
    return next((one for one in told.beside if one.SECTION == AGENTS and set(one.who()) == labels), None)


def chosen_words(agents: Any) -> str:
    """Say what the leader's number becomes where it was not chosen by it, and how many studies it takes."""
    if agents is None:
        return ""
    found, standing = agents.chosen, agents.standing("pas")
    said = []
    if found is not None and found.value is not None and found.mean is not None:
        said.append(say("page.pas.chosen", n=len(agents.agents), value=found.value, mean=found.mean))
    more = standing.studies_needed
    if more is not None and more > len(agents.studies) and not standing.n_distinguishable:
        said.append(say("page.pas.studies", n=more))
    return " ".join(said)


def _floor_words(rows: Sequence[Row]) -> str:
    """Name models that are not shown to do better than one without effects."""
    low = [
        row.name
        for row in rows
        if (end := row.found.ends[0]) is not None and row.floor is not None and end <= row.floor
    ]
    if not low:
        return ""
    if len(low) == len(rows):
        return say("page.pas.floor_none")
    who = low[0] if len(low) == 1 else say("page.pas.floor_some", k=len(low), n=len(rows))
    return say("page.pas.floor", who=who, one=len(low) == 1)


def _people_note(told: FindingInputs) -> str:
    """Say what dots and lines are, over what, and where one gets from here."""
    view = told.views[0]
    found = view.result
    designs = {one.design for one in told.views}
    return say(
        "page.pas.note",
        level=found.pas.interval,
        several=len(found.studies) > 1,
        tests=found.pas.estimate.n,
        studies=len(found.studies),
        design=view.design if len(designs) == 1 else "",
    )


def how_to_read_pas(name: str, pas: Score) -> tuple[str, tuple[str, ...]] | None:
    """Say what a number is between what says nothing and what people themselves reach."""
    floor, ceiling, place = (pas.end(end) for end in ("floor", "ceiling", "place"))
    if pas.value is None or floor is None or ceiling is None or floor.value is None or ceiling.value is None:
        return None
    said = say("page.pas.ends", floor=floor.value, ceiling=ceiling.value)
    if place is not None and place.value is not None:
        said += f" {_covered(name, place)}"
    lines = [said]
    people = human_row()
    away = people.pas.end("place")
    if away is not None and away.value is not None:
        lines.append(say("page.pas.replications", n=people.n, share=_clipped(away.value)))
    return say("page.pas.how", value=pas.value), tuple(lines)


def _clipped(share: float) -> float:
    return min(1.0, max(0.0, share))


def _covered(name: str, place: Estimate) -> str:
    """Say how far a model came; an end of the scale only where the whole interval lies there."""
    low, high = place.ends
    if high is not None and high <= NEAR_END:
        return say("page.pas.covered_none", name=name)
    if low is not None and low >= 1 - NEAR_END:
        return say("page.pas.covered_all", name=name)
    value = 0.0 if place.value is None else place.value
    first, last = (None, None) if low is None or high is None else (_clipped(low), _clipped(high))
    return say("page.pas.covered", name=name, share=_clipped(value), low=first, high=last)


def _one_with_people(view: ShownModel, told: FindingInputs) -> PageFinding:
    """Say how often one model agrees with people, study by study."""
    result, name = view.result, told.names[view.label]
    pas: Score = result.pas
    studies = sorted(result.studies, key=lambda one: math.inf if one.pas.value is None else -one.pas.value)
    rows = [
        score_row(say("page.pas.all_studies") if len(studies) > 1 else studies[0].name, pas, strong=True)
    ] + [
        score_row(one.name, one.pas, address=route(view.label, PEOPLE, one.name))
        for one in (studies if len(studies) > 1 else ())
    ]
    lone = any(row.is_drawn and row.found.interval is None for row in rows)
    note = " ".join([_people_note(told), *([say("page.pas.lone")] if lone else [])])
    return PageFinding(
        title=say("page.pas.title_one", name=name, share=pas.value),
        says=would_conclude(name, pas, ()),
        chart=pas_chart(rows, of="study", note=note),
        takes=("pas",),
        read=how_to_read_pas(name, pas),
        warns=tuple(unread_sentences(result.unread)),
    )


# --- further kinds of results ----------------------------------------------------------------------------


def _agents_finding(result: Any) -> PageFinding:
    ordered = result.in_order()
    standing = result.standing("pas")
    best = ordered[0]
    rows = [score_row(agent.name, agent.pas) for agent in ordered]
    if result.people is not None:
        rows.append(score_row(result.people.label_here, result.people.pas))
    if best.pas.value is None:
        return PageFinding(title=say("page.pas.title_undefined"), says=best.pas.estimate.note)
    alone = bool(standing.best_set == (best.name,))
    title = say("page.pas.title_most" if alone else "page.pas.title_chance", name=best.name)
    bracket = (
        say("page.compared.alike", pairs=standing.n_pairs, rule=standing.rule)
        if standing.n_pairs and not standing.n_distinguishable
        else ""
    )
    return PageFinding(
        title=title,
        says=" ".join(filter(None, (would_conclude(best.name, best.pas, ()), chosen_words(result)))),
        chart=pas_chart(rows, bracket=bracket),
        read=how_to_read_pas(best.name, best.pas),
    )


def _share_of(one: Estimate) -> float:
    return -1.0 if one.value is None else one.value


def _short_judge(name: str) -> str:
    return re.sub(r"-20\d{6}$", "", name)


def _judges_finding(result: Any) -> PageFinding:
    found = [one for one in result.ranked() if not one.gate]
    rows = tuple(
        Row(
            name=_short_judge(one.judge),
            found=one.numbers["inconsistency"],
            before=one.numbers["repeat"].value,
            gate=say("page.judges.gate") if one.gate else "",
        )
        for one in sorted(result.ranked(), key=lambda one: _share_of(one.numbers["inconsistency"]))
    )
    if not found:
        return default_finding(result)
    most = max(found, key=lambda one: _share_of(one.numbers["inconsistency"]))
    changed, again = most.numbers["inconsistency"], most.numbers["repeat"]
    if changed.value is None:
        return default_finding(result)
    name = _short_judge(most.judge)
    return PageFinding(
        asks=say("page.judges.asks"),
        brief=say("page.judges.brief"),
        title=say("page.judges.title", name=name, share=changed.value),
        says=say(
            "page.judges.says", name=name, share=changed.value, ends=changed.interval, again=again.value
        ),
        chart=Chart(rows=rows, axis=say("page.judges.axis"), of="judge"),
        read=(say("page.read"), (say("page.judges.how"),)),
    )


def _hints_finding(result: Any) -> PageFinding:
    ranked = [one for one in result.scores.models if one.verbalised.value is not None]
    if not ranked:
        return default_finding(result)
    low, high = (ranked[k].verbalised.value for k in (-1, 0))
    title = say("page.hints.title_one", name=ranked[0].model, share=high)
    if len(ranked) > 1:
        title = say("page.hints.title_many", n=len(ranked), low=low, high=high)
    apart = sum(pair.p_holm < 1 - result.level for pair in result.scores.pairs)
    said = [say("page.hints.pairs", k=apart, n=len(result.scores.pairs))] if result.scores.pairs else []
    hidden = result.hidden()
    said += [say("page.hints.hidden", k=len(hidden), n=len(ranked))] if hidden else []
    return PageFinding(
        asks=say("page.hints.asks"),
        title=title,
        says=" ".join(said),
        brief=" ".join(said),
        takes=("ranking",),
        chart=Chart(
            rows=tuple(Row(name=one.model, found=one.verbalised) for one in ranked),
            axis=say("page.hints.axis"),
        ),
        read=(say("page.read"), (say("page.hints.how"),)),
    )


def _comparison_finding(result: Any) -> PageFinding:
    ranked = [(name, one) for name, one in result.ranked if one.value is not None]
    says = result.sentences()
    if len(ranked) < 2:
        return default_finding(result)
    ends = [end for _, one in ranked for end in (one.value, *one.ends) if end is not None]
    rows = result.ranking_pairs()
    apart = sum(map(result.differ, rows))
    inside = min(ends) >= 0 and max(ends) <= 1
    first = ranked[0][0]
    if len(rows) == 1:
        second = ranked[1][0]
        title = say(
            "page.compared.title_better" if apart else "page.compared.title_alike", first=first, second=second
        )
    else:
        title = say("page.compared.title_chance", first=first)
        if apart:
            title = say("page.compared.title_some", first=first, k=apart, n=len(rows))
    return PageFinding(
        title=title,
        says=says[0] if says else "",
        chart=Chart(
            rows=tuple(Row(name=name, found=one) for name, one in ranked),
            axis=result.metric_title,
            limits=(0.0, 1.0) if inside else _around(ends),
            zero=min(ends) < 0,
            factor=1.0,
            digits=3 if inside else 2,
            unit="",
            bracket="" if apart else say("page.compared.alike", pairs=len(rows), rule="Holm"),
        ),
    )


def _around(ends: Sequence[float]) -> tuple[float, float]:
    low, high = min(ends), max(ends)
    room = 0.05 * (high - low) if high > low else 0.5
    return low - room, high + room


def _titled(result: Kind, title: str, **more: Any) -> PageFinding:
    """Return a short title above what a result says first."""
    said = next((line for line in result.sentences() if line), "")
    return PageFinding(title=title, says=said, **more)


def _answers_finding(result: Any) -> PageFinding:
    best = result.by_distance()[0]
    known = best.overall.numbers.get("variance_ratio")
    ends = None if known is None else known.estimate.interval
    if ends is None:
        return default_finding(result)
    way = "less" if ends.high < 1 else "more" if ends.low > 1 else "open"
    who = say("shared.the_model").capitalize() if best.agent == "agent" else best.agent
    return _titled(result, say("page.answers.title", who=who, way=say(f"page.answers.vary_{way}")))


def _conditions_finding(result: Any) -> PageFinding:
    first = [one for one in result.shifts if one.metric == result.shifts[0].metric]
    apart = [one for one in first if result.differ(one)]
    sides = {"first": first[0].first, "second": first[0].second}
    title = say("page.conditions.title_none", **sides)
    if apart:
        some = "" if len(first) == 1 else say("page.conditions.some", k=len(apart), n=len(first))
        by = result.by.replace("_", " ")
        title = say("page.conditions.title", by=f"{by[0].upper()}{by[1:]}", some=some, **sides)
    known = sorted(
        (one for one in first if one.difference.value is not None), key=lambda one: -_share_of(one.difference)
    )
    names = _apart([one.of if one.of else one.metric for one in known])
    rows = [Row(name=name, found=one.difference) for name, one in zip(names, known, strict=True)]
    ends = [end for row in rows for end in (row.found.value, *row.found.ends, 0.0) if end is not None]
    chart = Chart(
        rows=tuple(rows), axis=say("page.conditions.axis", metric=first[0].metric, **sides),
        limits=_around(ends), zero=True,
        factor=1.0, digits=2, unit="", of="setup",
    )  # fmt: skip
    return _titled(result, title, chart=chart if rows else None)


def _apart(names: Sequence[str]) -> list[str]:
    """Leave out of names what all of them share."""
    parts = [name.split(" · ") for name in names]
    same = set(parts[0]).intersection(*parts[1:]) if len(parts) > 1 else set()
    return [" · ".join(one for one in own if one not in same).replace("_", " ") for own in parts]


def _described_finding(result: Any) -> PageFinding:
    who = say("shared.the_model") if result.model is None else result.model
    return PageFinding(title=say("page.described.title", who=who), says=" ".join(result.sentences()[1:]))


def _combined_finding(result: Any) -> PageFinding:
    worth = [one.worth.value for one in result.estimates if one.worth.value is not None]
    if result.warnings or not worth:
        return _titled(result, say("page.combined.title_warned"))
    low, high = (number(end, 0) for end in (min(worth), max(worth)))
    return _titled(result, say("page.combined.title", low=low, high=None if low == high else high))


def _sequential_finding(result: Any) -> PageFinding:
    now = result.looks[-1]
    if now.estimate.value is None:
        return default_finding(result)
    said = {"value": now.estimate.value, "n": now.n_people, "enough": bool(now.enough)}
    return _titled(result, say("page.sequential.title", of=result.of, **said))


def _options_finding(result: Any) -> PageFinding:
    excess, scores = result.scores.flip_excess, result.scores
    if excess.interval is not None and excess.interval.low > 0 and holds(excess):
        key = "moves"
    elif scores.places_matter and (scores.rstd_p_unread is None or scores.rstd_p_unread < CLAIMED):
        key = "place"
    else:
        key = "none"
    return _titled(result, say(f"page.options.title_{key}", model=result.model))


def _predictions_finding(result: Any) -> PageFinding:
    best = result.by_error()[0]
    error, nothing = (one.numbers["rmse"].value for one in (best, result.references[0]))
    if error is None or nothing is None:
        return default_finding(result)
    title = say("page.predictions.title", model=best.agent, error=error, nothing=nothing)
    return _titled(result, title)


PROBED = ("early_aoc", "filler_content", "filler_computation", "mistake_excess", "pairs_excess",
          "hints_excess", "hints_moved", "hints_verbalised")  # fmt: skip
"""Headline numbers of interventions that have a name in plain words."""


def _probes_finding(result: Any) -> PageFinding:
    rows = [
        Row(name=say(f"page.probes.of_{name}") if name in PROBED else name.replace("_", " "), found=one)
        for name, one in result.estimates.items()
        if one.value is not None
    ]
    title = say("page.probes.title", model=result.model)
    if not rows:  # no probe has a number: nothing to draw
        return _titled(result, title)
    ends = [end for row in rows for end in (row.found.value, *row.found.ends, 0.0, 0.2) if end is not None]
    chart = Chart(rows=tuple(rows), axis=say("page.probes.axis"), of="intervention",
                  limits=_around(ends), zero=True)  # fmt: skip
    return _titled(result, title, chart=chart)


def _rated_finding(result: Any) -> PageFinding:
    first = result.judges[0]
    if first.noise.value is None:
        return default_finding(result)
    rows = tuple(Row(name=one.judge, found=one.noise) for one in result.judges)
    chart = Chart(rows=rows, axis=say("page.scores.axis"), of="judge")
    whole = first.noise.value >= 1
    title = say("page.scores.title_all", judge=first.judge)
    if not whole:
        title = say("page.scores.title", judge=first.judge, share=max(0.0, first.noise.value))
    return _titled(result, title, chart=chart if len(rows) > 1 else None)


def _audit_finding(result: Any) -> PageFinding:
    rows = tuple(Row(name=one.group, found=one.rate) for one in result.rates if one.rate.value is not None)
    chart = Chart(rows=rows, axis=say("page.audit.axis"), of="group", limits=(0.0, _reach(rows)))
    found = default_finding(result)
    return replace(found, chart=chart) if rows else found


def _reach(rows: Sequence[Row]) -> float:
    """Return where an axis from 0 ends: at the next tenth above all rows."""
    ends = [end for row in rows for end in (row.found.value, *row.found.ends) if end is not None]
    return min(1.0, max(0.1, math.ceil(10 * max(ends)) / 10))


FINDINGS: Mapping[str, Callable[[Any], PageFinding]] = {
    "agents": _agents_finding,
    "judges": _judges_finding,
    "hints": _hints_finding,
    "comparison": _comparison_finding,
    "answers": _answers_finding,
    "conditions": _conditions_finding,
    "described": _described_finding,
    "combined": _combined_finding,
    "sequential": _sequential_finding,
    "options": _options_finding,
    "predictions": _predictions_finding,
    "probes": _probes_finding,
    "judge-scores": _rated_finding,
    **dict.fromkeys(("audit", "people-audit", "structure-audit", "hints-audit"), _audit_finding),
}
"""By the sections of kinds; others say their own first sentence."""


def first_sentence(text: str) -> tuple[str, str]:
    """Divide a text after its first sentence."""
    found = re.search(r"(?<=[.!?])\s+(?=[A-Z0-9])", text)
    return (text, "") if found is None else (text[: found.start()], text[found.end() :])


def default_finding(result: Kind) -> PageFinding:
    """Return what a result says of itself: its first sentence is the title."""
    said = [line for line in result.sentences() if line]
    if not said:
        return PageFinding(title=result.HEADING)
    title, rest = first_sentence(said[0])
    return PageFinding(title=title, says=rest if rest else (said[1] if len(said) > 1 else ""))


def kind_finding(result: Kind) -> PageFinding:
    """Return what a further result found."""
    found = FINDINGS.get(result.SECTION, default_finding)(result)
    asks = result.HEADING if result.SECTION == COMPARISON else result.HEADING.lower()
    return found if found.asks else replace(found, asks=asks)
