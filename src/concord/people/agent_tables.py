"""The tables of many agents: leaderboard, every number, pairs with both answers, the value of choosing."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from concord.kinds import FILE, PAGE, PAPER, TERMINAL, Column, Table
from concord.number_words import number
from concord.people.protocol import STANDARD
from concord.people.result import COMPARED, METRICS, AgentPair, AgentScores, PairAnswer, Score, human_row
from concord.people.tables import SCORE_COLUMNS, ScoreRow
from concord.records import Estimate, Interval
from concord.words import say

MOST_PAIRS = 6
"""Pairs that screens name in words; files hold all of them."""
MOST_SHOWN = 20
"""Agents of which the page shows every number and every pair; of more, files hold them."""
MOST_LETTERS = 8
"""Groups up to which a column of letters is easier to read than their number."""


def _file_columns(metric: str) -> Iterator[Column]:
    """Return the columns of a metric in `agents.csv`."""
    yield Column(
        metric,
        lambda agent: getattr(agent, metric).estimate,
        spread={metric: "value", f"{metric}_low": "low", f"{metric}_high": "high"},
    )
    new = f"{metric}_new_participants"
    yield Column(
        new, lambda agent: getattr(agent, metric).fresh, spread={f"{new}_low": "low", f"{new}_high": "high"}
    )
    for end in ("floor", "ceiling", "place") if metric in ("pas", "ecs") else ():
        yield Column(f"{metric}_{end}", partial(_end_of, metric, end))


def _end_of(metric: str, end: str, agent: AgentScores) -> Estimate | None:
    score: Score = getattr(agent, metric)
    return score.end(end)


FILE_ROWS = Table(
    "agents",
    rows=lambda result: result.agents,
    file="agents.csv",
    on=(),
    columns=(
        Column("agent", lambda agent: agent.name),
        Column("n_tests"),
        Column("n_missing"),
        *(column for metric in METRICS for column in _file_columns(metric)),
    ),
)


class _BoardRow(NamedTuple):
    """A row of the leaderboard: an agent, or what the others are read by."""

    agent: str
    short: str
    pas: Estimate | None
    place: float | None
    ecs: Estimate | None
    apr: Estimate | None
    tests: str
    group: str


LONGEST_NAME = 36
"""Characters of a name on the terminal; files and pages hold it whole."""


def short_names(names: Sequence[str]) -> list[str]:
    """Cut long names in their middle, where they stay distinct."""
    half = LONGEST_NAME // 2
    short = [name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}" for name in names]
    return short if len(set(short)) == len(short) else list(names)


_PARTS = re.compile(r"[/|,;+·]|_(?=v?\d)|\s-\s")
MOST_CHOICES = 12
"""Choices that a picture shows below the agents."""


def choices_of(names: Sequence[str]) -> dict[str, tuple[bool, ...]]:
    """Return which agents have each choice, from names made of parts such as ``gpt-5/few-shot/t=0``."""
    # A choice is a part of a name that several agents have and others have not.
    parts = [dict.fromkeys(filter(None, map(str.strip, _PARTS.split(name)))) for name in names]
    if all(len(one) < 2 for one in parts):
        parts = [dict.fromkeys(filter(None, re.split(r"[_\s]+", name))) for name in names]
    counts = Counter(part for one in parts for part in one)
    common = [part for part, n in counts.most_common() if 1 < n < len(names)][:MOST_CHOICES]
    return {part: tuple(part in one for one in parts) for part in common}


def _board(result: Any) -> list[_BoardRow]:
    """Return a row per agent, the highest PAS first, then floor, ceiling and people against people."""
    # A number that no agent has is left out of every row: given PAS have neither effects nor places.
    ordered = result.in_order()
    has = {name: any(getattr(one, name).value is not None for one in ordered) for name in COMPARED}
    rows = [
        _BoardRow(
            agent.name,
            short,
            agent.pas.estimate,
            None if (place := agent.pas.end("place")) is None else place.value,
            agent.ecs.estimate if has["ecs"] else None,
            agent.apr.estimate if has["apr"] else None,
            f"{max(agent.pas.estimate.n, agent.ecs.estimate.n)}/{agent.n_tests}",
            _group_letters(result, agent.name),
        )
        for agent, short in zip(ordered, short_names([agent.name for agent in ordered]), strict=True)
    ]
    has["place"] = any(row.place is not None for row in rows)
    return [*rows, *_references(result, has)]


def _group_letters(result: Any, name: str) -> str:
    """Return a letter for each group that an agent belongs to, as in a compact letter display."""
    groups = result.standing("pas").groups
    places = [i for i, group in enumerate(groups) if name in group]
    if len(groups) < 2 or not places:
        return ""
    many = len(groups) > MOST_LETTERS
    words = [str(i + 1) if many else chr(ord("a") + i) for i in places]
    return f"{words[0]}–{words[-1]}" if many and len(words) > 2 else (" " if many else "").join(words)


def _references(result: Any, has: Mapping[str, bool]) -> Iterator[_BoardRow]:
    """Return the rows to read the others by: simulated agents, and people who repeated studies of people."""
    for end, who, place in (
        ("floor", say("people.bounds.floor"), 0.0),
        ("ceiling", say("people.bounds.ceiling"), 1.0),
    ):
        pas, ecs = (_mean_end(result, metric, end) for metric in ("pas", "ecs"))
        if pas is not None or ecs is not None:
            spans = [words for words in (_span(result, metric, end) for metric in ("pas", "ecs")) if words]
            name = say("people.bounds.row", end=end, said=", ".join([who, *spans]))
            yield _BoardRow(name, name, pas, place, ecs, None, "", "")
    if result.people is not None:
        row, name = result.people, f"({result.people.label_here})"
        place_of = row.pas.end("place")
        of = None if place_of is None or not has["place"] else place_of.value
        ecs, apr = (getattr(row, key).estimate if has[key] else None for key in ("ecs", "apr"))
        yield _BoardRow(name, name, row.pas.estimate, of, ecs, apr, f"{row.n}/{row.n}", "")
    elif result.protocol == STANDARD and has["place"]:
        row = human_row()
        place_of = row.pas.end("place")
        name = say("people.bounds.people", n=row.n)
        # their scores are of other studies: on the scale of these only the place can be read
        yield _BoardRow(name, name, None, None if place_of is None else place_of.value, None, None, "", "")


def _ends(result: Any, metric: str, end: str) -> list[float]:
    found = (_end_of(metric, end, agent) for agent in result.agents)
    return [one.value for one in found if one is not None and one.value is not None]


def _mean_end(result: Any, metric: str, end: str) -> Estimate | None:
    known = _ends(result, metric, end)
    return Estimate(sum(known) / len(known)) if known else None


def _span(result: Any, metric: str, end: str) -> str:
    """Return the range of a floor or a ceiling where agents were asked with other sample sizes."""
    known = _ends(result, metric, end)
    low, high = (number(least(known, default=None), 2) for least in (min, max))
    return "" if low == high else say("people.bounds.span", metric=metric.upper(), low=low, high=high)


BOARD = Table(
    "board",
    rows=_board,
    title=lambda result: say("people.many.title", n=len(result.agents), protocol=result.protocol.name),
    columns=(
        Column("agent", lambda row: row.short, "model", words=True, on=(TERMINAL,)),
        Column("agent", title="model", words=True, on=(PAGE, PAPER)),
        Column("pas", title="PAS", digits=3, ends=2),
        Column("place", optional=True),
        Column("ecs", title="ECS", digits=3, ends=2, optional=True),
        Column("apr", title="APR", optional=True),
        Column("tests", words=True),
        Column("group", words=True, optional=True),
    ),
)


def _every_number(result: Any) -> Iterator[ScoreRow]:
    """Yield every score of every agent; of many agents files alone hold them."""
    for agent in result.in_order() if len(result.agents) <= MOST_SHOWN else ():
        own: dict[str, Mapping[str, Score]] = {"all": {name: getattr(agent, name) for name in METRICS}}
        for domain, scores in {**own, **agent.domains}.items():
            yield from (ScoreRow(name, one, of=domain, agent=agent.name) for name, one in scores.items())
    if (row := result.people) is not None:
        scores = {name: getattr(row, name) for name in COMPARED}
        yield from (ScoreRow(name, one, of="all", agent=row.label_here) for name, one in scores.items())


EVERY_NUMBER = Table(
    "numbers",
    rows=_every_number,
    title="Every number of every model, by domain",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("agent", title="model", words=True),
        Column("of", title="tests of", words=True),
        Column("name", title="metric", words=True),
        *SCORE_COLUMNS,
    ),
)
LACKING = Table(
    "lacking",
    rows=lambda result: [agent for agent in result.agents if agent.n_missing],
    title="Tests that a model lacks and others have",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("name", title="model", words=True),
        Column("n_missing", title="lacks", count=True),
        Column("n_tests", title="tests", count=True),
    ),
)


STANDINGS = Table(
    "standings",
    rows=lambda result: result.standings,
    title="Which models differ, which may be best, what choosing the best is worth",
    on=(PAGE, PAPER),
    columns=(
        Column("metric", lambda one: one.metric.upper(), words=True),
        Column("n_distinguishable_here", title="differ on these studies", count=True),
        Column("n_pairs_here", title="of pairs", count=True),
        Column("n_distinguishable", title="differ in other studies", count=True),
        Column("n_pairs", title="of pairs tested", count=True),
        Column("rule", words=True),
        Column("smallest_found", title="would be found"),
        Column("largest", title="largest here"),
        Column("studies_needed", title="studies needed for it", count=True),
        Column("p_omnibus", lambda one: _part(one.omnibus, "p_value"), "p, any differ (Friedman)", p=True),
        Column("p_f", lambda one: _part(one.omnibus, "p_f"), "p (F)", p=True),
        Column("epsilon", lambda one: _part(one.omnibus, "epsilon")),
        Column("compared", lambda one: _part(one.omnibus, "n_agents"), "models compared", count=True),
        Column("shared", lambda one: _part(one.omnibus, "n_studies"), "studies of all", count=True),
        Column("n_best", lambda one: len(one.best_set), "may be best", count=True),
        Column("best_set", lambda one: ", ".join(one.best_set[:MOST_PAIRS]), "of them", words=True),
        Column("order", lambda one: ", ".join(one.order[:MOST_PAIRS]), "highest first", words=True),
    ),
)


def _part(record: object | None, name: str) -> object:
    """Return a field of a record that may not be there."""
    return None if record is None else getattr(record, name)


CHOOSING = Table(
    "choosing",
    rows=lambda result: [
        (standing.metric, standing.chosen, *standing.chosen.estimates(result.level))
        for standing in result.standings
        if standing.chosen is not None
    ],
    title="The value of choosing: chosen on other studies, scored on each in turn",
    on=(PAGE, PAPER),
    columns=(
        Column("metric", lambda row: row[0].upper(), words=True),
        Column("agent", lambda row: row[1].agent, "chosen on all", words=True),
        Column("own", lambda row: row[1].own, "its own number"),
        Column("value", lambda row: row[2], "of one chosen so"),
        Column("mean", lambda row: row[1].mean, "mean of all"),
        Column("lead", lambda row: row[3], "lead over it", sign=True),
        Column("luck", lambda row: row[1].luck, "share of the lead lost"),
        Column("n_same", lambda row: row[1].n_same, "chosen without a study", count=True),
        Column("n_studies", lambda row: row[1].n_studies, "studies", count=True),
    ),
)


class _PairRow(NamedTuple):
    pair: AgentPair
    these_studies: Estimate
    other_studies: Estimate


def _pair_rows(result: Any) -> Iterator[_PairRow]:
    """Yield every pair with both answers; the page shows those of few agents."""

    def estimate(one: AgentPair, answer: PairAnswer) -> Estimate:
        low, high = answer.low, answer.high
        ends = None if low is None or high is None else Interval(low, high, result.level, "")
        return Estimate(one.difference, ends, one.n_tests, note=answer.note)

    for one in result.pairs:
        yield _PairRow(one, estimate(one, one.these_studies), estimate(one, one.other_studies))


def _answer_columns(name: str, title: str, which: Callable[[_PairRow], PairAnswer]) -> Iterator[Column]:
    """Return the columns of one of the two answers."""
    ends = {f"{name}_{end}": end for end in ("low", "high")}
    yield Column(name, title=title, sign=True, spread=ends)
    yield Column(f"{name}_p_value", lambda row: which(row).p_value, "p", p=True)
    yield Column(f"{name}_p_holm", lambda row: which(row).p_holm, "p (Holm)", p=True)
    yield Column(f"{name}_note", lambda row: which(row).note, on=(FILE,))


_PAIR_COLUMNS = (
    Column("first", lambda row: row.pair.first, words=True),
    Column("second", lambda row: row.pair.second, words=True),
    Column("metric", lambda row: row.pair.metric, words=True),
    Column("difference", lambda row: row.pair.difference, sign=True, on=(FILE,)),
    *_answer_columns("these_studies", "on these studies", lambda row: row.pair.these_studies),
    *_answer_columns("other_studies", "in other studies", lambda row: row.pair.other_studies),
    Column("p_guarded", lambda row: row.pair.p_guarded, "p (guarded)", p=True, optional=True),
    Column("smallest_found", lambda row: row.pair.smallest_found, "would be found"),
    Column("n_tests", lambda row: row.pair.n_tests, "tests", count=True),
    Column("n_studies", lambda row: row.pair.n_studies, "studies", count=True),
)
FILE_PAIRS = Table("pairs", rows=_pair_rows, file="agent_pairs.csv", on=(), columns=_PAIR_COLUMNS)
SHOWN_PAIRS = Table(
    "pairs shown",
    rows=lambda result: _pair_rows(result) if len(result.agents) <= MOST_SHOWN else (),
    title="Pairs of models, first minus second",
    on=(PAGE,),
    folded=True,
    columns=_PAIR_COLUMNS,
)
