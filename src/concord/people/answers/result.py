"""What scoring answers gives, declared once: one document, tables of numbers and of pairs of agents."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scipy import special

from concord.kinds import (
    LEFT_OUT_CELLS,
    PAGE,
    PAPER,
    TERMINAL,
    Column,
    Kind,
    PictureOf,
    Table,
    with_provenance,
)
from concord.number_words import how_many
from concord.people.answers.records import (
    METRICS,
    AgentAnswers,
    AnswerNumber,
    AnswerSummary,
    GroupAnswers,
    GroupSummary,
    OutcomeAnswers,
    noted_outcomes,
)
from concord.people.differences import AgentDifference, differences_table, pairs_apart
from concord.records import EMPTY, Estimate, InputFile, Interval, LeftOutCell
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.multiple import p_of_reach, shown_of_several
from concord.words import say

SHORT = {
    "variance_ratio": "variance ratio", "entropy_ratio": "entropy ratio", "tvd": "TVD", "overlap": "overlap",
    "w1": "W1", "ks": "KS", "jsd": "JSD", "simbench": "SimBench S", "mean_gap": "mean gap (SD)",
    "person_r": "r over persons", "r_explained": "of it, groups",
}  # fmt: skip
"""Every number, with the words that the head of a narrow column has."""
MOST_OUTCOMES = 8
"""Outcomes that the terminal names; the page and files hold all of them."""
OVER_PERSONS = "bootstrap over persons"
"""How pairs are compared where studies are too few: for other people and replies on these outcomes."""
CAUTIOUS = 0.99
"""Level at which it is said that answers vary otherwise: an interval of 95 % of the ratio of skewed answers
that vary alike excludes 1 too often."""


class _NumberRow(NamedTuple):
    """A number of an agent: of all outcomes, a study, an outcome or a group."""

    agent: str
    level: str
    metric: str
    found: AnswerNumber
    study: str = ""
    outcome: str = ""
    condition: str = ""
    group: str = ""
    n_outcomes: int = 1

    @property
    def note(self) -> str:
        """What is said of the number, and of its place."""
        place = self.found.place
        notes = [self.found.estimate.note, "" if place is None or not place.note else f"place {place.note}"]
        return "; ".join(note for note in notes if note)


def _number_rows(result: "AnswersResult") -> Iterator[_NumberRow]:
    """Return one row per agent and number: all outcomes, each study, each outcome, each group."""
    for one in result.agents:
        yield from _numbers_of_all(one)
        yield from _numbers_by_study(one)
        for outcome in one.outcomes:
            where = (outcome.study, outcome.outcome, outcome.condition)
            for name, found in outcome.numbers.items():
                yield _NumberRow(one.agent, "outcome", name, found, *where)
        if one.groups is not None:
            yield from _group_rows(one.agent, one.groups)


def _numbers_of_all(one: AgentAnswers) -> Iterator[_NumberRow]:
    n = one.overall.n_outcomes
    for name, found in one.overall.numbers.items():
        yield _NumberRow(one.agent, "all", name, found, n_outcomes=n)


def _numbers_by_study(one: AgentAnswers) -> Iterator[_NumberRow]:
    for study in one.studies:
        for name, found in study.numbers.items():
            yield _NumberRow(one.agent, "study", name, found, study.name, n_outcomes=study.n_outcomes)


def _group_rows(agent: str, groups: GroupSummary) -> Iterator[_NumberRow]:
    for one in groups.groups:
        for name, found in (("group_error", one.error), ("group_absolute_error", one.absolute_error)):
            yield _NumberRow(agent, "group", name, AnswerNumber(found), group=one.group)
    for name, found in (("group_slope", groups.slope), ("parity_gap", groups.parity_gap)):
        yield _NumberRow(agent, "all groups", name, AnswerNumber(found))


def _ends_of(name: str) -> dict[str, str]:
    return {name: "value", f"{name}_low": "low", f"{name}_high": "high"}


NUMBER_ROWS = Table(
    "number_rows",
    rows=_number_rows,
    file="answers.csv",
    on=(),
    columns=(
        *(Column(name) for name in ("agent", "level", "study", "outcome", "condition", "group", "metric")),
        Column(
            "estimate",
            lambda row: row.found.estimate,
            spread={"value": "value", "low": "low", "high": "high"},
        ),
        Column("people", lambda row: row.found.people, spread=_ends_of("people")),
        Column("random", lambda row: row.found.random),
        Column("place", lambda row: row.found.place, spread=_ends_of("place")),
        Column("n", lambda row: row.found.estimate.n),
        Column("n_left_out", lambda row: row.found.estimate.n_left_out),
        Column("note"),
    ),
)
DIFFERENCES = differences_table("answer_differences.csv", METRICS)


def _only(result: "AnswersResult") -> tuple[AgentAnswers, ...]:
    """Return the agent of a result of one."""
    return result.agents if len(result.agents) == 1 else ()


def _of_several(result: "AnswersResult") -> Sequence[AgentAnswers]:
    """Return the agents of a result of several, the nearest first."""
    return result.by_distance() if len(result.agents) > 1 else ()


def _of_metric(name: str) -> Callable[[AgentAnswers], Estimate | None]:
    def get(one: AgentAnswers) -> Estimate | None:
        found = one.overall.numbers.get(name)
        return None if found is None else found.estimate

    return get


def _of_groups(name: str) -> Callable[[AgentAnswers], Estimate | None]:
    return lambda one: None if one.groups is None else getattr(one.groups, name)


def _beside_tvd(one: AnswerSummary | OutcomeAnswers, part: str) -> object:
    """Return what the total variation distance is read against."""
    return getattr(one.numbers["tvd"], part) if "tvd" in one.numbers else None


def _summary_title(result: "AnswersResult") -> str:
    """Say what the numbers of all outcomes are of."""
    first = result.by_distance()[0].overall
    start = "All outcomes" if len(result.agents) == 1 else f"Answers of {len(result.agents)} models"
    outcomes = how_many(first.n_outcomes, "outcome", "outcomes")
    return f"{start} · {outcomes}, {how_many(first.n_studies, 'study', 'studies')}"


AGENTS = Table(
    "agents",
    rows=_of_several,
    title=_summary_title,
    columns=(
        Column("agent", title="model", words=True),
        *(
            Column(name, _of_metric(name), SHORT[name], optional=True)
            for name in ("variance_ratio", "entropy_ratio", "tvd", "w1", "person_r")
        ),
        Column("place", lambda one: _beside_tvd(one.overall, "place"), optional=True),
        Column("group_slope", _of_groups("slope"), optional=True, on=(PAGE,)),
        Column("parity_gap", _of_groups("parity_gap"), optional=True, on=(PAGE,)),
    ),
)
_NUMBERS = (
    Column("metric", lambda row: SHORT.get(row.metric, row.metric), "number", words=True, on=(TERMINAL,)),
    Column("metric", lambda row: METRICS.get(row.metric, row.metric), "number", words=True, on=(PAGE, PAPER)),
    Column("estimate", lambda row: row.found.estimate, "model", digits=3),
    Column("people", lambda row: row.found.people, "noise floor", digits=3, optional=True),
    Column("random", lambda row: row.found.random, digits=3, optional=True),
    Column("place", lambda row: row.found.place, optional=True),
    Column("n", lambda row: row.found.estimate.n, on=(PAGE,), count=True),
    Column("n_left_out", lambda row: row.found.estimate.n_left_out, "left out", on=(PAGE,), count=True),
)
NUMBERS = Table(
    "numbers",
    rows=lambda result: [row for one in _only(result) for row in _numbers_of_all(one)],
    title=_summary_title,
    columns=_NUMBERS,
)
EACH = Table(
    "each",
    rows=lambda result: [
        row
        for one in result.by_distance()
        for row in (*(() if _only(result) else _numbers_of_all(one)), *_numbers_by_study(one))
    ],
    title="Every model and study",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("agent", title="model", words=True),
        Column("study", lambda row: row.study or "all", words=True),
        Column("n_outcomes", title="outcomes", count=True),
        *_NUMBERS,
    ),
)
_OUTCOME = (
    Column("full_name", lambda row: row[1].full_name, "outcome", words=True),
    Column("n_people", lambda row: row[1].n_people, "n people", count=True),
    Column("kish_n", lambda row: _rounded_n(row[1].kish_n), "Kish's n", count=True, optional=True),
    Column("n_agent", lambda row: row[1].n_agent, "n model", count=True),
    Column("spread", lambda row: _estimate_of(row[1].spread), "variance or entropy"),
    Column("tvd", lambda row: _estimate_of(row[1].numbers.get("tvd")), "TVD", optional=True),
    Column("people", lambda row: _beside_tvd(row[1], "people"), "noise floor", optional=True, on=(PAGE,)),
    Column("random", lambda row: _beside_tvd(row[1], "random"), optional=True, on=(PAGE,)),
    Column("place", lambda row: _beside_tvd(row[1], "place"), optional=True),
)
FARTHEST = Table(
    "outcomes",
    rows=lambda result: [
        (one.agent, outcome)
        for one in _only(result)
        for outcome in sorted(one.outcomes, key=farthest_first)[:MOST_OUTCOMES]
    ],
    title=lambda result: _outcomes_title(len(result.agents[0].outcomes)),
    on=(TERMINAL, PAPER),
    columns=_OUTCOME,
)
OUTCOMES = Table(
    "every_outcome",
    rows=lambda result: [
        ("" if _only(result) else one.agent, outcome)
        for one in result.by_distance()
        for outcome in one.outcomes
    ],
    title="Every outcome",
    on=(PAGE,),
    folded=True,
    columns=(
        *_OUTCOME[:1],
        Column("agent", lambda row: row[0], "model", words=True, optional=True),
        *_OUTCOME[1:],
        Column(
            "person_r",
            lambda row: _estimate_of(row[1].numbers.get("person_r")),
            "r over persons",
            optional=True,
        ),
        Column("n_persons", lambda row: row[1].n_persons or None, "persons", count=True, optional=True),
        Column("mean_people", lambda row: row[1].means[0], "mean of people", optional=True),
        Column("mean_agent", lambda row: row[1].means[1], "mean of model", optional=True),
    ),
)
_GROUP = (
    Column("group", lambda row: row[1].group, words=True),
    Column("n_people", lambda row: row[1].n_people, "n", count=True),
    Column("n_outcomes", lambda row: row[1].n_outcomes, "outcomes", count=True, on=(PAGE,)),
    Column("error", lambda row: row[1].error, sign=True),
    Column("absolute_error", lambda row: row[1].absolute_error, on=(PAGE,)),
    Column("human_deviation", lambda row: row[1].human_deviation, "people's own", sign=True),
    Column("agent_deviation", lambda row: row[1].agent_deviation, "model's own", sign=True),
)


def _groups_of(agents: Iterable[AgentAnswers]) -> Iterator[tuple[str, GroupAnswers]]:
    return ((one.agent, group) for one in agents if one.groups is not None for group in one.groups.groups)


GROUPS = Table(
    "groups",
    rows=lambda result: _groups_of(_only(result)),
    title=lambda _: say("answers.groups"),
    columns=_GROUP,
)
EVERY_GROUP = Table(
    "every_group",
    rows=lambda result: _groups_of(_of_several(result)),
    title=lambda _: say("answers.groups"),
    on=(PAGE,),
    folded=True,
    columns=(Column("agent", lambda row: row[0], "model", words=True), *_GROUP),
)


@dataclass(frozen=True, slots=True, repr=False)
class AnswersResult(Kind):
    """Answers of agents against answers of people, as distributions."""

    FORMAT, FILE, KEY = "answers result", "answers.json", "answer_metrics"
    QUESTION, SECTION, HEADING = "people", "answers", "Answers as distributions"
    TABLES = (
        AGENTS, NUMBERS, EACH, FARTHEST, OUTCOMES, GROUPS, EVERY_GROUP, NUMBER_ROWS, DIFFERENCES,
        LEFT_OUT_CELLS,
    )  # fmt: skip
    PICTURES = (
        PictureOf("agents", "answers_plots.leaderboard_picture", small=True),
        PictureOf(
            "histograms",
            "answers_plots.histograms_picture",
            lambda result: say("answers.caption_histograms", level=result.level),
            each=lambda result: [one.agent for one in result.by_distance()],
        ),
        PictureOf(
            "ratios",
            "answers_plots.ratios_picture",
            lambda result: say("answers.caption_ratios", level=result.level),
            each=lambda result: [one.agent for one in result.by_distance()],
        ),
        PictureOf(
            "groups",
            "answers_plots.groups_picture",
            lambda result: say("answers.caption_groups", level=result.level),
            each=lambda result: [one.agent for one in result.by_distance()],
        ),
    )

    UNSHOWN = frozenset(
        # studies of all outcomes are in titles; of each outcome screens show a few numbers, answers.csv all
        {"n_resamples", "n_studies", "agents.outcomes.numbers", "left_out"}
    )

    agents: tuple[AgentAnswers, ...]
    differences: tuple[AgentDifference, ...] = ()
    level: float = 0.95
    n_resamples: int = 0
    seed: int = 0
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)

    def agent(self, name: str) -> AgentAnswers:
        """Return one agent's numbers."""
        return next(one for one in self.agents if one.agent == name)

    def by_distance(self) -> list[AgentAnswers]:
        """Return agents from the nearest to people to the farthest: by distance, else by variance ratio."""

        def nearest_first(one: AgentAnswers) -> tuple[bool, float]:
            tvd, ratio = (_value_of(one.overall.numbers.get(name)) for name in ("tvd", "variance_ratio"))
            if tvd is not None:
                return False, tvd
            return ratio is None, 0.0 if ratio is None else abs(1 - ratio)

        return sorted(self.agents, key=nearest_first)

    def sentences(self) -> Sequence[str]:
        """Return the finding in a sentence or two: only what intervals show."""
        best = self.by_distance()[0]
        who = (
            say("shared.the_model").capitalize()
            if len(self.agents) == 1 and best.agent == "agent"
            else best.agent
        )
        lead = "" if len(self.agents) == 1 else self._lead_words(best)
        return [
            lead
            + " ".join(
                part
                for part in (spread_words(who, best, self.agents), _place_words(best), _person_words(best))
                if part
            )
        ]

    def notes(self) -> Sequence[str]:
        """Return what the numbers are read against, and which pairs of agents are distinguishable."""
        return list(self._notes())

    def who(self) -> Sequence[str]:
        """Return the agents."""
        return [one.agent for one in self.agents]

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        held = with_provenance(Kind.document(self), self.inputs)
        return {"question": self.QUESTION, "answer_metrics": dict(METRICS), **held}

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        outcomes = max((len(one.outcomes) for one in self.agents), default=0)
        elsewhere = max((one.overall.n_studies for one in self.agents), default=0) >= 3
        persons = any(row.difference.method == OVER_PERSONS for row in self.differences)
        return say(
            "answers.method",
            concord=concord,
            n=outcomes,
            level=self.level,
            elsewhere=elsewhere,
            persons=persons,
        )

    def _pairs_of(self, metric: str) -> list[AgentDifference]:
        return [row for row in self.differences if row.metric == metric]

    def _lead_words(self, best: AgentAnswers) -> str:
        """Say who comes first, and of how many others that is shown."""
        metric = "tvd" if "tvd" in best.overall.numbers else "variance_ratio"
        own = [row for row in self._pairs_of(metric) if best.agent in (row.first, row.second)]
        tested, apart = sum(row.p_holm is not None for row in own), sum(row.is_shown for row in own)
        if not tested:
            shown = say("answers.lead_untested", n=len(own))
        elif tested == 1:
            shown = say("answers.lead_one", apart=apart)
        elif apart == tested:
            shown = say("answers.lead_all")
        else:
            shown = say("answers.lead_some", rest=tested - apart, n=tested)
        by = say(f"answers.by_{metric}")
        return say("answers.lead", n=len(self.agents), model=best.agent, by=by, shown=shown)

    def _notes(self) -> Iterator[str]:
        first = self.agents[0]
        if any(name in first.overall.numbers for name in ("tvd", "w1")):
            yield say("answers.floor")
        total = sum(len(one.outcomes) for one in self.agents)
        for note, (count, metrics) in noted_outcomes(self.agents).items():
            names = ", ".join(SHORT[name] for name in metrics)
            yield say(
                "answers.noted", names=names, count=None if total == 1 else count, total=total, note=note
            )
        if first.overall.n_studies >= 3:
            yield say("answers.other_studies", n=first.overall.n_studies)
        if first.groups is not None and len(self.agents) == 1:
            yield from _group_notes(first.groups)
        if any(row.difference.method == OVER_PERSONS for row in self.differences):
            yield say("answers.pairs_persons")
        for metric in ("tvd", "variance_ratio"):
            yield from pairs_apart(self._pairs_of(metric), say(f"answers.pairs_{metric}"), DIFFERENCES.file)


def _rounded_n(value: float | None) -> int | None:
    return None if value is None else round(value)


def _value_of(found: AnswerNumber | None) -> float | None:
    return None if found is None else found.estimate.value


def _estimate_of(found: AnswerNumber | None) -> Estimate | None:
    return None if found is None else found.estimate


def farthest_first(outcome: OutcomeAnswers) -> float:
    """Return how near an outcome is to people: by distance, else by the variance ratio."""
    tvd, ratio = (_value_of(outcome.numbers.get(name)) for name in ("tvd", "variance_ratio"))
    if tvd is not None:
        return -tvd
    return 0.0 if ratio is None else -abs(1 - ratio)


def _outcomes_title(total: int) -> str:
    more = total - MOST_OUTCOMES if total > MOST_OUTCOMES else None
    return say("answers.outcomes", shown=MOST_OUTCOMES, more=more, file=NUMBER_ROWS.file)


def _spread_of(one: AgentAnswers) -> tuple[str, Estimate | None]:
    """Return what says how much answers vary beside people's: variances, of unordered options entropies."""
    name = "variance_ratio" if "variance_ratio" in one.overall.numbers else "entropy_ratio"
    return name, _estimate_of(one.overall.numbers.get(name))


def spread_words(who: str, one: AgentAnswers, models: Sequence[AgentAnswers] = ()) -> str:
    """Say how much answers vary, no more than a cautious interval shows; of one of several, after Holm."""
    name, found = _spread_of(one)
    if found is None or found.value is None:
        return ""
    what = say("answers.variance" if name == "variance_ratio" else "answers.entropy")
    if found.interval is None:
        return say("answers.spread_bare", who=who, what=what, ratio=found.value)
    low, high = cautious_ends(found.value, found.interval)
    claim = "little" if high < 1 else "much" if low > 1 else "open"
    if len(models) > 1 and claim != "open":
        shown = shown_of_several([_spread_p(other) for other in models], alpha=1 - CAUTIOUS)
        if not shown[models.index(one)]:
            return say("answers.chosen", who=who, what=what, ratio=found, n=len(models))
    return say(f"answers.spread_{claim}", who=who, what=what, ratio=found)


def _spread_p(one: AgentAnswers) -> float | None:
    """Return the p of answers that vary as people's do; it agrees with the interval of the ratio's log."""
    _, found = _spread_of(one)
    if found is None or found.value is None or found.interval is None:
        return None
    if min(found.value, found.interval.low) <= 0 or found.value == 1:
        return 0.0 if found.interval.high < 1 else 1.0
    end = found.interval.high if found.value < 1 else found.interval.low
    n = one.overall.n_studies
    df = n - 1 if n >= FEWEST_CLUSTERS else math.inf
    reach = abs(math.log(end / found.value))
    return p_of_reach(math.log(found.value), reach, level=found.interval.level, df=df) if reach else 1.0


def cautious_ends(ratio: float, ends: Interval) -> tuple[float, float]:
    """Return the interval of a ratio, stretched on its log to the cautious level."""
    if ratio <= 0:
        return ends.low, ends.high
    wider = max(1.0, float(special.ndtri(0.5 + CAUTIOUS / 2) / special.ndtri(0.5 + ends.level / 2)))
    return ratio * (ends.low / ratio) ** wider, ratio * (ends.high / ratio) ** wider


def _place_words(one: AgentAnswers) -> str:
    tvd = one.overall.numbers.get("tvd")
    if tvd is None or tvd.estimate.value is None or tvd.people is None:
        return ""
    low, high = (
        (None, None) if tvd.estimate.bounds is None else (tvd.estimate.bounds.low, tvd.estimate.bounds.high)
    )
    share, people = tvd.estimate.value, tvd.people.value
    return say("answers.change", share=share, low=low, high=high, people=people, random=tvd.random)


def _person_words(one: AgentAnswers) -> str:
    found = _estimate_of(one.overall.numbers.get("person_r"))
    if found is None or found.value is None:
        return ""
    return say("answers.persons", r=found)


def _group_notes(groups: GroupSummary) -> Iterator[str]:
    slope, gap = groups.slope, groups.parity_gap
    if slope.value is not None:
        yield say("answers.slope", slope=slope, n=slope.n)
    if gap.value is not None:
        yield say("answers.parity", gap=gap, n=gap.n)
    if groups.too_small:
        yield say("answers.small_groups", names=", ".join(groups.too_small))
