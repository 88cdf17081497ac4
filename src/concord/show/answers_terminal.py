"""Answers as distributions on the terminal: the answer first, then a row per agent."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType

from concord.people.answers.files import AnswersResult
from concord.people.answers.result import (
    AgentAnswers,
    AnswerDifference,
    AnswerNumber,
    GroupSummary,
    OutcomeAnswers,
    noted_outcomes,
)
from concord.records import Estimate
from concord.show.agents_terminal import short_names
from concord.show.numbers import UNDEFINED, interval, interval_words, number, p_words
from concord.show.terminal import lines, table

_NAMES = {
    "variance_ratio": "variance ratio",
    "entropy_ratio": "entropy ratio",
    "tvd": "TVD",
    "overlap": "overlap",
    "w1": "W1",
    "ks": "KS",
    "jsd": "JSD",
    "simbench": "SimBench S",
    "mean_gap": "mean gap (SD)",
    "person_r": "r over persons",
    "r_explained": "of it, groups",
}
MOST_OUTCOMES = 8
"""Outcomes that the screen names; files hold all of them."""
MOST_PAIRS = 6
ALPHA = 0.05
CAUTION = 1.314
"""How far a 99 % interval of a ratio reaches, on its log, over a 95 % one, which of skewed answers that vary
alike excludes 1 too often."""


def answers_report(result: AnswersResult) -> RenderableType:
    """Return everything a reader of the terminal should see."""
    head = [answers_sentence(result), ""]
    if len(result.agents) > 1:
        parts = [_leaderboard(result)]
    else:
        parts = [_one_agent(result.agents[0]), *_outcome_tables(result.agents[0])]
        groups = result.agents[0].groups
        if groups is not None:
            parts.append(_group_table(groups))
    return Group(lines(head), *parts, lines(_answer_notes(result)))


def answers_sentence(result: AnswersResult) -> str:
    """Return the finding in a sentence or two: only what intervals show."""
    best = in_order_of_distance(result)[0]
    who = "The agent" if len(result.agents) == 1 and best.agent == "agent" else best.agent
    lead = "" if len(result.agents) == 1 else _lead_words(result, best)
    return lead + " ".join(
        part for part in (_spread_words(who, best), _place_words(best), _person_words(best)) if part
    )


def _lead_words(result: AnswersResult, best: AgentAnswers) -> str:
    """Say who comes first, and of how many others that is shown."""
    metric = "tvd" if "tvd" in best.overall.numbers else "variance_ratio"
    words = "total variation distance" if metric == "tvd" else "variance ratio"
    rows = [
        row for row in result.differences if row.metric == metric and best.agent in (row.first, row.second)
    ]
    apart = sum(row.p_holm is not None and row.p_holm < ALPHA for row in rows)
    return (
        f"Of {len(result.agents)} agents {best.agent} comes first by its {words}; it is distinguishable from "
        f"{apart} of the {len(result.agents) - 1} others. "
    )


def in_order_of_distance(result: AnswersResult) -> list[AgentAnswers]:
    """Return agents from the nearest to people to the farthest: by distance, else by the variance ratio."""
    return sorted(result.agents, key=_nearest_first)


def _nearest_first(one: AgentAnswers) -> tuple[bool, float]:
    found = one.overall.numbers
    tvd = found["tvd"].estimate.value if "tvd" in found else None
    if tvd is not None:
        return False, tvd
    ratio = found["variance_ratio"].estimate.value if "variance_ratio" in found else None
    return ratio is None, 0.0 if ratio is None else abs(1 - ratio)


def _spread_words(who: str, one: AgentAnswers) -> str:
    name = "variance_ratio" if "variance_ratio" in one.overall.numbers else "entropy_ratio"
    found = one.overall.numbers.get(name)
    if found is None or found.estimate.value is None:
        return ""
    what = "variance" if name == "variance_ratio" else "entropy"
    share = f"{number(found.estimate.value, 2)} of the {what} of people's ({_ends_words(found.estimate)})"
    ends = found.estimate.interval
    if ends is None:
        return f"{who}'s answers have {share}."
    value = found.estimate.value
    low, high = (value * (end / value) ** CAUTION if value > 0 else end for end in (ends.low, ends.high))
    if high < 1:
        return f"{who}'s answers vary too little: {share}."
    if low > 1:
        return f"{who}'s answers vary too much: {share}."
    return f"No difference in how much answers vary could be shown: {share}."


def _ends_words(found: Estimate) -> str:
    return "no interval" if found.interval is None else interval_words(found.interval)


def _place_words(one: AgentAnswers) -> str:
    tvd = one.overall.numbers.get("tvd")
    if tvd is None or tvd.estimate.value is None or tvd.people is None:
        return ""
    text = (
        f"{_percent(tvd.estimate.value)} of them would have to change to match people's "
        f"distribution; of another sample of people, {_percent(tvd.people.value)}"
    )
    if tvd.random is not None:
        text += f", of random answers {_percent(tvd.random)}"
    return f"{text}."


def _percent(share: float | None) -> str:
    return UNDEFINED if share is None else f"{number(100 * share, 0)} %"


def _person_words(one: AgentAnswers) -> str:
    found = one.overall.numbers.get("person_r")
    if found is None or found.estimate.value is None:
        return ""
    return (
        f"Over persons the correlation is {number(found.estimate.value, 2)} ({_ends_words(found.estimate)})."
    )


def _one_agent(one: AgentAnswers) -> RenderableType:
    rows = [
        (_NAMES[name], number(found.estimate.value), interval(found.estimate.interval), *_references(found))
        for name, found in one.overall.numbers.items()
    ]
    title = f"All outcomes · {one.overall.n_outcomes} outcomes, {one.overall.n_studies} studies"
    return table(title, ("number", "agent", "interval", "noise floor", "random", "place", "interval "), rows)


def _references(found: AnswerNumber) -> tuple[str, str, str, str]:
    people = None if found.people is None else found.people.value
    place = found.place
    return (
        number(people),
        number(found.random),
        UNDEFINED if place is None else number(place.value, 2),
        UNDEFINED if place is None else interval(place.interval),
    )


def _outcome_tables(one: AgentAnswers) -> Iterator[RenderableType]:
    """Show the outcomes, those farthest from people first."""
    ordered = sorted(one.outcomes, key=_farthest_first)
    rows = [_outcome_cells(outcome) for outcome in ordered[:MOST_OUTCOMES]]
    more = len(ordered) - len(rows)
    title = "\nOutcomes" + (
        f", the {len(rows)} farthest from people ({more} more in answers.csv)" if more > 0 else ""
    )
    columns = ("outcome", "n people", "n agent", "variance", "interval", "TVD", "interval ", "place")
    yield table(title, columns, rows)


def _farthest_first(outcome: OutcomeAnswers) -> float:
    tvd = outcome.numbers.get("tvd")
    if tvd is not None and tvd.estimate.value is not None:
        return -tvd.estimate.value
    ratio = outcome.numbers.get("variance_ratio")
    value = None if ratio is None else ratio.estimate.value
    return 0.0 if value is None else -abs(1 - value)


def _outcome_cells(outcome: OutcomeAnswers) -> tuple[str, ...]:
    spread = outcome.numbers.get("variance_ratio", outcome.numbers.get("entropy_ratio"))
    tvd = outcome.numbers.get("tvd")
    where = f"{outcome.outcome} · {outcome.condition}" if outcome.condition else outcome.outcome
    name = where if outcome.study == "all" else f"{outcome.study}: {where}"
    cells = []
    for found in (spread, tvd):
        cells += (
            [UNDEFINED, UNDEFINED]
            if found is None
            else [number(found.estimate.value, 2), interval(found.estimate.interval)]
        )
    place = UNDEFINED if tvd is None or tvd.place is None else number(tvd.place.value, 2)
    return (name, str(outcome.n_people), str(outcome.n_agent), *cells, place)


def _group_table(groups: GroupSummary) -> RenderableType:
    rows = [
        (
            one.group,
            str(one.n_people),
            number(one.error.value, 2, sign=True),
            interval(one.error.interval, sign=True),
            number(one.human_deviation, 2, sign=True),
            number(one.agent_deviation, 2, sign=True),
        )
        for one in groups.groups
    ]
    columns = ("group", "n", "error", "interval", "people's own", "agent's own")
    return table("\nGroups, in SDs of people (own: the group's mean minus that of all)", columns, rows)


def _leaderboard(result: AnswersResult) -> RenderableType:
    ordered = in_order_of_distance(result)
    names = short_names([one.agent for one in ordered])
    metrics = [
        name
        for name in ("variance_ratio", "entropy_ratio", "tvd", "w1", "person_r")
        if any(name in one.overall.numbers for one in ordered)
    ]
    rows = [
        (name, *(_estimate_cell(one.overall.numbers.get(metric)) for metric in metrics), _place_cell(one))
        for name, one in zip(names, ordered, strict=True)
    ]
    columns = ("agent", *(_NAMES[metric] for metric in metrics), "place")
    kept = [j for j in range(len(columns)) if any(row[j] != UNDEFINED for row in rows)]
    shown = [[row[j] for j in kept] for row in rows]
    outcomes = ordered[0].overall
    title = f"Answers of {len(ordered)} agents · {outcomes.n_outcomes} outcomes, {outcomes.n_studies} studies"
    return table(title, [columns[j] for j in kept], shown)


def _estimate_cell(found: AnswerNumber | None) -> str:
    if found is None or found.estimate.value is None:
        return UNDEFINED
    text = number(found.estimate.value, 2)
    return text if found.estimate.interval is None else f"{text}\n{interval(found.estimate.interval)}"


def _place_cell(one: AgentAnswers) -> str:
    tvd = one.overall.numbers.get("tvd")
    return UNDEFINED if tvd is None or tvd.place is None else number(tvd.place.value, 2)


def _answer_notes(result: AnswersResult) -> Iterator[str]:
    first = result.agents[0]
    yield ""
    if any(name in first.overall.numbers for name in ("tvd", "w1")):
        yield (
            "Noise floor: another sample of people of these sizes; random: random answers. Place: 1 is as "
            "near as people, 0 as far as random answers. Intervals of one outcome speak of populations: "
            "the noise of samples, which makes every distance too large, is taken out."
        )
    yield from _covers_less_words(result)
    if first.overall.n_studies >= 3:
        yield f"Intervals: {result.level:.0%}, other studies like these ({first.overall.n_studies} here)."
    if first.groups is not None and len(result.agents) == 1:
        yield from _group_notes(first.groups)
    yield from _pairs_apart_words(result)


def _covers_less_words(result: AnswersResult) -> Iterator[str]:
    """Say of how many outcomes an interval may cover less than it says, and why."""
    total = sum(len(one.outcomes) for one in result.agents)
    for note, (count, metrics) in noted_outcomes(result.agents).items():
        of = "" if total == 1 else f" of {count} of {total} outcomes"
        yield f"{', '.join(_NAMES[name] for name in metrics)}{of}: {note}."


def _group_notes(groups: GroupSummary) -> Iterator[str]:
    slope, gap = groups.slope, groups.parity_gap
    if slope.value is not None:
        yield (
            f"How groups differ, agent to people: slope {number(slope.value, 2)} ({_ends_words(slope)}); "
            "above 1 groups are exaggerated, below 1 flattened."
        )
    if gap.value is not None:
        words = "Parity gap (largest minus smallest mean absolute error)"
        yield f"{words}: {number(gap.value, 2)} ({_ends_words(gap)})."
    if groups.too_small:
        yield f"Groups of fewer than 30 people, not scored: {', '.join(groups.too_small)}."


def _pairs_apart_words(result: AnswersResult) -> Iterator[str]:
    for metric in ("tvd", "variance_ratio"):
        rows = [row for row in result.differences if row.metric == metric]
        apart = [row for row in rows if row.p_holm is not None and row.p_holm < ALPHA]
        if not rows:
            continue
        words = "by their distance" if metric == "tvd" else "by the log of their variance ratio"
        yield f"{len(apart)} of {len(rows)} pairs of agents are distinguishable {words} (Holm, {ALPHA})."
        for row in _largest(apart):
            shown = number(row.difference.value, 2, sign=True)
            yield f"  {row.first} − {row.second}: {shown} ({p_words(row.p_holm)})"
        if len(apart) > MOST_PAIRS:
            yield f"  and {len(apart) - MOST_PAIRS} more, in answer_differences.csv"


def _largest(rows: Sequence[AnswerDifference]) -> list[AnswerDifference]:
    def size(row: AnswerDifference) -> float:
        value = row.difference.value
        return 0.0 if value is None else -abs(value)

    return sorted(rows, key=size)[:MOST_PAIRS]
