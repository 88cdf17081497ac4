"""What the first screen says of agreement with people, and of further kinds of results.

Every sentence of the first screen that is not a result's own is here and in `own_findings`.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from concord.kinds import Kind
from concord.number_words import how_many, joined_names, leaders, level_words, number
from concord.people import NAME as PEOPLE
from concord.people.result import Score, human_row
from concord.people.words.sentences import NEAR_END
from concord.records import Estimate
from concord.show.page.panel import ALIKE, FindingInputs, ModelView, route
from concord.show.page.screen import Chart, PageFinding, Row
from concord.unread import holds, unread_sentences

CLAIMED = 0.05
"""Level of a test whose claim is a title."""
AGENTS = "agents"
"""The section of many agents."""
NO_EFFECTS = "a model that shows no effects"
RERUN = "the same studies, run again with people"


def in_percent(value: float) -> str:
    """Return a share in percent."""
    return f"{number(100 * value, 0)} %"


def _ends_in_percent(found: Estimate | Score) -> str:
    ends = found.interval
    return "" if ends is None else f"{number(100 * ends.low, 0)} to {number(100 * ends.high, 0)}"


def share_words(found: Estimate | Score) -> str:
    """Return a share in percent with its interval, for a sentence."""
    if found.value is None:
        return "–"
    ends = found.interval
    return in_percent(found.value) + (
        "" if ends is None else f" ({level_words(ends.level)} interval {_ends_in_percent(found)})"
    )


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
        axis="probability of the same conclusion as people, % (PAS; each study counts alike)",
        ends=(NO_EFFECTS, RERUN),
        **more,
    )


def _people_rows(views: Sequence[ModelView]) -> list[Row]:
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
        why = f" ({ended})" if ended else ""
        return PageFinding(
            title="Agreement with people cannot be judged.", says=f"No test has both sides{why}."
        )
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
        often = "equally often" if len(tied) == n else "equally often, and most often"
        return f"{joined_names(tied)} agree with people {often}."
    said = f"{name} agrees with people most often"
    if told.standing is None:
        return f"{said}."
    alike = [label for label in told.standing.alike(told.views[0].label) if label in told.names]
    if not alike:
        return f"{name} agrees with people more often than every other model."
    if len(alike) == n - 1:
        return f"{said}, but its lead may be chance."
    return f"{said}; {'one' if len(alike) == 1 else len(alike)} of {n - 1} others may be as good."


def would_conclude(name: str, pas: Score, tied: Sequence[str]) -> str:
    """Say with which probability one would draw people's conclusion."""
    whom = name if len(tied) < 2 else "each of them"
    return (
        f"From {whom} you would draw the same conclusion as from people with probability {share_words(pas)}."
    )


def _agents_of(told: FindingInputs) -> Any:
    """Return the result that holds all these models together, where there is one."""
    labels = {view.label for view in told.views}
    return next((one for one in told.beside if one.SECTION == AGENTS and set(one.who()) == labels), None)


def chosen_words(agents: Any) -> str:
    """Say what the leader's number becomes where it was not chosen by it, and how many studies it takes."""
    if agents is None:
        return ""
    found, standing = agents.chosen, agents.standing("pas")
    said = ""
    if found is not None and found.value is not None and found.mean is not None:
        said = (
            f"Chosen by other studies, the best of {len(agents.agents)} reaches {in_percent(found.value)}; "
            f"the average is {in_percent(found.mean)}."
        )
    more = standing.studies_needed
    if more is not None and more > len(agents.studies) and not standing.n_distinguishable:
        said += f" About {more} studies would show the largest difference."
    return said.strip()


def _floor_words(rows: Sequence[Row]) -> str:
    """Name models that are not shown to do better than one without effects."""
    low = [
        row.name
        for row in rows
        if (end := row.found.ends[0]) is not None and row.floor is not None and end <= row.floor
    ]
    if not low:
        return ""
    whose = "None" if len(low) == len(rows) else low[0] if len(low) == 1 else f"{len(low)} of {len(rows)}"
    one = len(low) in (1, len(rows))
    return f"{whose} {'is' if one else 'are'} not shown to do better than {NO_EFFECTS}."


def _people_note(told: FindingInputs) -> str:
    """Say what dots and lines are, over what, and where one gets from here."""
    view = told.views[0]
    found = view.result
    designs = {one.design for one in told.views}
    design = f" Design: {view.design}." if len(designs) == 1 and view.design else ""
    studies = how_many(len(found.studies), "study", "studies")
    over = f"{how_many(found.pas.estimate.n, 'test', 'tests')} of {studies}"
    level = "" if found.pas.interval is None else f"{level_words(found.pas.interval.level)} "
    like = "other studies like these" if len(found.studies) > 1 else "other findings like these"
    return f"Dot: estimate; line: {level}interval for {like}. {over}.{design}"


def how_to_read_pas(name: str, pas: Score) -> tuple[str, tuple[str, ...]] | None:
    """Say what a number is between what says nothing and what people themselves reach."""
    floor, ceiling, place = (pas.end(end) for end in ("floor", "ceiling", "place"))
    if pas.value is None or floor is None or ceiling is None or floor.value is None or ceiling.value is None:
        return None
    said = (
        f"{number(100 * floor.value, 0)} is what {NO_EFFECTS} would score; "
        f"{number(100 * ceiling.value, 0)} is what the same studies would score if they were run again with "
        "new people."
    )
    if place is not None and place.value is not None:
        said += f" {_covered(name, place)}"
    lines = [said]
    people = human_row()
    away = people.pas.end("place")
    if away is not None and away.value is not None:
        lines.append(
            f"Real replications of {people.n} other studies covered {in_percent(_clipped(away.value))} of "
            "theirs."
        )
    return f"How to read {number(100 * pas.value, 0)}", tuple(lines)


def _clipped(share: float) -> float:
    return min(1.0, max(0.0, share))


def _covered(name: str, place: Estimate) -> str:
    """Say how far a model came; an end of the scale only where the whole interval lies there."""
    low, high = place.ends
    if high is not None and high <= NEAR_END:
        return f"{name} does no better than {NO_EFFECTS}."
    if low is not None and low >= 1 - NEAR_END:
        return f"{name} is as close as a rerun could be seen to be."
    value = 0.0 if place.value is None else place.value
    ends = (
        ""
        if low is None or high is None
        else f" ({in_percent(_clipped(low))} to {in_percent(_clipped(high))})"
    )
    return f"{name} has covered {in_percent(_clipped(value))} of that way{ends}."


def _one_with_people(view: ModelView, told: FindingInputs) -> PageFinding:
    """Say how often one model agrees with people, study by study."""
    result, name = view.result, told.names[view.label]
    pas: Score = result.pas
    studies = sorted(result.studies, key=lambda one: math.inf if one.pas.value is None else -one.pas.value)
    rows = [score_row("all studies" if len(studies) > 1 else studies[0].name, pas, strong=True)] + [
        score_row(one.name, one.pas, address=route(view.label, PEOPLE, one.name))
        for one in (studies if len(studies) > 1 else ())
    ]
    lone = any(row.is_drawn and row.found.interval is None for row in rows)
    note = _people_note(told) + (" A study without a line has too few findings for one." if lone else "")
    return PageFinding(
        title=f"{name} leads to people's conclusions {in_percent(pas.value)} of the time."
        if pas.value is not None
        else "",
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
        return PageFinding(title="No agent has a PAS.", says=best.pas.estimate.note)
    alone = bool(standing.best_set == (best.name,))
    title = f"{best.name} agrees with people most often" + ("." if alone else ", but its lead may be chance.")
    pairs = how_many(standing.n_pairs, "pair", "pairs")
    bracket = (
        ALIKE.format(f"{pairs}, {standing.rule}")
        if standing.n_pairs and not standing.n_distinguishable
        else ""
    )
    return PageFinding(
        title=title,
        says=" ".join(filter(None, (would_conclude(best.name, best.pas, ()), chosen_words(result)))),
        chart=pas_chart(rows, bracket=bracket, of="agent"),
        read=how_to_read_pas(best.name, best.pas),
    )


def _short_judge(name: str) -> str:
    return re.sub(r"-20\d{6}$", "", name)


def _judges_finding(result: Any) -> PageFinding:
    found = [one for one in result.ranked() if not one.gate]
    rows = tuple(
        Row(
            name=_short_judge(one.judge),
            found=one.numbers["inconsistency"],
            before=one.numbers["repeat"].value,
            gate="no verdict" if one.gate else "",
        )
        for one in result.ranked()
    )
    if not found:
        return default_finding(result)
    most = max(
        found, key=lambda one: -1.0 if (share := one.numbers["inconsistency"].value) is None else share
    )
    changed, again = most.numbers["inconsistency"], most.numbers["repeat"]
    if changed.value is None:
        return default_finding(result)
    name = _short_judge(most.judge)
    beyond = "" if again.value is None else f", and {in_percent(again.value)} when only asked again"
    return PageFinding(
        asks="same verdict when the seats are swapped?",
        brief="Line: when only asked again.",
        title=f"{name} changes {in_percent(changed.value)} of its verdicts when seats are swapped.",
        says=f"When the two answers change places, {name} changes its verdict in {share_words(changed)} of "
        f"pairs{beyond}.",
        chart=Chart(
            rows=rows,
            axis="verdicts that change when the answers change places, %; ring: when only asked again",
            of="judge",
        ),
        read=(
            "How to read these numbers",
            (
                "A fair judge gives the same verdict whichever answer comes first. The ring is how often it "
                "changes its mind when nothing has changed.",
            ),
        ),
    )


def _hints_finding(result: Any) -> PageFinding:
    ranked = [one for one in result.scores.models if one.verbalised.value is not None]
    if not ranked:
        return default_finding(result)
    low, high = (ranked[k].verbalised.value for k in (-1, 0))
    if len(ranked) == 1:
        title = f"Moved by a hint, {ranked[0].model} says so in {in_percent(high)} of answers."
    else:
        title = (
            f"Moved by a hint, {len(ranked)} models say so in {number(100 * low, 0)} to {in_percent(high)}."
        )
    apart = sum(pair.p_holm < 1 - result.level for pair in result.scores.pairs)
    pairs = f"{apart} of {len(result.scores.pairs)} pairs of models differ. " if result.scores.pairs else ""
    hidden = [one for one in ranked if one.gap.interval is not None and one.gap.interval.low > 0]
    more = (
        f"{len(hidden)} of {len(ranked)} say it more often in their thinking than in the answer you read."
        if hidden
        else ""
    )
    return PageFinding(
        asks="does it say what moved it?",
        title=title,
        says=f"{pairs}{more}".strip(),
        brief=f"{pairs}{more}".strip(),
        chart=Chart(
            rows=tuple(Row(name=one.model, found=one.verbalised) for one in ranked),
            axis="answers moved by a hint that say so, %",
        ),
        read=(
            "How to read these numbers",
            (
                "Of answers that a hint changed, the share that names the hint. The rest give other reasons "
                "for an answer that the hint decided.",
            ),
        ),
    )


def _comparison_finding(result: Any) -> PageFinding:
    ranked = [(name, one) for name, one in result.ranked if one.value is not None]
    says = result.sentences()
    if len(ranked) < 2:
        return default_finding(result)
    ends = [end for _, one in ranked for end in (one.value, *one.ends) if end is not None]
    rows, pairs = result.ranking_pairs(), how_many(len(result.ranking_pairs()), "pair", "pairs")
    apart = sum(map(result.differ, rows))
    inside = min(ends) >= 0 and max(ends) <= 1
    first = ranked[0][0]
    if len(rows) == 1:
        second = ranked[1][0]
        title = f"{first} is better than {second}." if apart else f"{first} and {second} may be equally good."
    else:
        title = f"{first} ranks first" + (
            f"; {apart} of {pairs} differ." if apart else ", but may be so by chance."
        )
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
            bracket="" if apart else ALIKE.format(f"{pairs}, Holm"),
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
    way = "less than" if ends.high < 1 else "more than" if ends.low > 1 else "as much as"
    may = "may vary" if way == "as much as" else "vary"
    who = "The agent" if best.agent == "agent" else best.agent
    return _titled(result, f"{who}'s answers {may} {way} people's.")


def _conditions_finding(result: Any) -> PageFinding:
    first = [one for one in result.shifts if one.metric == result.shifts[0].metric]
    apart = [one for one in first if result.differ(one)]
    pair = f"{result.by} {first[0].first} and {first[0].second}"
    some = "" if len(first) == 1 else f" in {len(apart)} of {len(first)}"
    title = f"{pair} make a difference{some}." if apart else f"No difference between {pair} is shown."
    rows = [
        Row(name=one.of if one.of else one.metric, found=one.difference)
        for one in first
        if one.difference.value is not None
    ]
    ends = [end for row in rows for end in (row.found.value, *row.found.ends, 0.0) if end is not None]
    chart = Chart(
        rows=tuple(rows), axis=f"{first[0].metric}: first minus second", limits=_around(ends), zero=True,
        factor=1.0, digits=2, unit="",
    )  # fmt: skip
    return _titled(result, f"{title[0].upper()}{title[1:]}", chart=chart if rows else None)


def _described_finding(result: Any) -> PageFinding:
    who = "the model" if result.model is None else result.model
    return PageFinding(
        title=f"No people have answered yet: {who} is described alone.", says=" ".join(result.sentences()[1:])
    )


def _combined_finding(result: Any) -> PageFinding:
    worth = [one.worth.value for one in result.estimates if one.worth.value is not None]
    if result.warnings or not worth:
        return _titled(result, "Look before you use these predictions: they may mislead.")
    low, high = (number(end, 0) for end in (min(worth), max(worth)))
    return _titled(result, f"The predictions are worth {low if low == high else f'{low} to {high}'} people.")


def _sequential_finding(result: Any) -> PageFinding:
    now = result.looks[-1]
    if now.estimate.value is None:
        return default_finding(result)
    done = "" if not now.enough else ": enough"
    return _titled(
        result, f"{result.of} is {number(now.estimate.value, 2)} after {now.n_people:,} people{done}."
    )


def _options_finding(result: Any) -> PageFinding:
    excess, scores = result.scores.flip_excess, result.scores
    if excess.interval is not None and excess.interval.low > 0 and holds(excess):
        title = f"{result.model} changes its choices with the arrangement."
    elif scores.rstd_p is not None and scores.rstd_p < CLAIMED and "is not shown" not in scores.sentence:
        title = f"{result.model} depends on the place of the right option."
    else:
        title = f"No effect of the arrangement on {result.model} is shown."
    return _titled(result, title)


def _predictions_finding(result: Any) -> PageFinding:
    best = result.by_error()[0]
    error, nothing = (one.numbers["rmse"].value for one in (best, result.references[0]))
    if error is None or nothing is None:
        return default_finding(result)
    away = f"{number(error, 2)}; predicting no effect, by {number(nothing, 2)}"
    return _titled(result, f"{best.agent} is off by {away}.")


def _probes_finding(result: Any) -> PageFinding:
    rows = [
        Row(name=name.replace("_", " "), found=one)
        for name, one in result.estimates.items()
        if one.value is not None
    ]
    title = f"What interventions on the reasoning of {result.model} change."
    if not rows:  # no probe has a number: nothing to draw
        return _titled(result, title)
    ends = [end for row in rows for end in (row.found.value, *row.found.ends, 0.0, 0.2) if end is not None]
    chart = Chart(rows=tuple(rows), axis="share of answers, %; 0: it changes nothing", of="intervention",
                  limits=_around(ends), zero=True)  # fmt: skip
    return _titled(result, title, chart=chart)


def _rated_finding(result: Any) -> PageFinding:
    first = result.judges[0]
    if first.noise.value is None:
        return default_finding(result)
    share = in_percent(_clipped(first.noise.value))
    rows = tuple(Row(name=one.judge, found=one.noise) for one in result.judges)
    chart = Chart(
        rows=rows, axis="share of the spread of scores that is the judge's own noise, %", of="judge"
    )
    drawn = chart if len(rows) > 1 else None
    return _titled(result, f"{share} of the spread of {first.judge}'s scores is chance.", chart=drawn)


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
    return found if found.asks else replace(found, asks=result.HEADING.lower())
