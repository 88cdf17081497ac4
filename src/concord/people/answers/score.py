"""Sets of answers to a result: outcomes, studies, all together, groups, and agents against each other."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np
from scipy import special

from concord.engine import SERIAL, Engine
from concord.errors import InputError
from concord.files.limits import AGENTS, COMPARED_IN_PAIRS, OPTION_DRAWS
from concord.files.too_many import refuse_more
from concord.people.answers.cells import FINE, GRID, Cells, lay_out
from concord.people.answers.files import AnswersResult
from concord.people.answers.groups import score_groups
from concord.people.answers.outcome import score_outcome
from concord.people.answers.records import AnswerSet, AnswerSets, Moments, OutcomeKey
from concord.people.answers.result import AgentAnswers, AnswerDifference, OutcomeAnswers
from concord.people.answers.sides import refuse_many
from concord.people.answers.summary import summarised, with_simbench
from concord.records import Estimate, Interval
from concord.stats.clustered import clustered_mean
from concord.stats.distance_noise import N_RESAMPLES
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.multiple import holm

COMPARED = ("variance_ratio", "tvd", "w1", "person_r")
"""What agents are compared on."""
Values = dict[OutcomeKey, float]
BLOCK = 16
"""Outcomes per piece of work."""


def score_answer_table(
    table: AnswerSets,
    *,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    engine: Engine = SERIAL,
) -> AnswersResult:
    """Score every agent of a table of answers."""
    if not any(table.sets.values()):
        raise InputError("the table holds no answers")
    place = ", ".join(one.name for one in table.inputs[:3]) or "the table"
    refuse_more(len(table.sets), AGENTS, "agents", place, "score them in several files")
    refuse_many(sum(map(len, table.sets.values())), place)
    cells = lay_out(table.sets.values())
    keys = (one.key for own in table.sets.values() for one in own)
    drawn = n_resamples * sum(_n_options(cells[key]) for key in keys if key in cells)
    advice = "take fewer resamples, or score them in several files"
    refuse_more(drawn, OPTION_DRAWS, "options by resamples", place, advice)
    agents = tuple(
        _scored_agent(
            name, sets, cells, table.groups, level=level, n_resamples=n_resamples, seed=seed, engine=engine
        )
        for name, sets in table.sets.items()
    )
    warnings = table.warnings
    differences: tuple[AnswerDifference, ...] = ()
    if len(agents) <= COMPARED_IN_PAIRS:
        differences = tuple(_agents_differences(agents, level=level))
    else:
        warnings = (*warnings, _not_compared(len(agents)))
    return AnswersResult(agents, differences, level, n_resamples, seed, table.inputs, warnings)


def _n_options(cells: Cells) -> int:
    """Count what distances of an outcome are computed over: its options, or two grids of values."""
    return GRID + FINE if cells.kind == "values" else len(cells.edges)


def _not_compared(n: int) -> str:
    return (
        f"{n:,} agents are not compared with each other: pairs are compared for at most "
        f"{COMPARED_IN_PAIRS:,} agents; score those that matter in a table of their own"
    )


def _scored_agent(
    name: str,
    sets: Sequence[AnswerSet | Moments],
    cells: Mapping[OutcomeKey, Cells],
    groups: Sequence[str],
    *,
    level: float,
    n_resamples: int,
    seed: int,
    engine: Engine,
) -> AgentAnswers:
    ordered = sorted(sets, key=lambda one: one.key)
    blocks = [
        tuple(
            (i, ordered[i], cells.get(ordered[i].key)) for i in range(start, min(start + BLOCK, len(ordered)))
        )
        for start in range(0, len(ordered), BLOCK)
    ]
    work = partial(_scored_block, level, n_resamples, seed)
    outcomes = with_simbench([one for block in engine.map(work, blocks) for one in block], level=level)
    names = dict.fromkeys(one.study for one in outcomes)
    studies = tuple(
        summarised(study, [one for one in outcomes if one.study == study], level=level) for study in names
    )
    found = score_groups(ordered, groups, level=level)
    return AgentAnswers(name, summarised("all", outcomes, level=level), studies, tuple(outcomes), found)


def _scored_block(
    level: float,
    n_resamples: int,
    seed: int,
    block: tuple[tuple[int, AnswerSet | Moments, Cells | None], ...],
) -> list[OutcomeAnswers]:
    """Score some outcomes, each with a generator of its own."""
    return [
        score_outcome(
            one,
            cells,
            level=level,
            n_resamples=n_resamples,
            rng=np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i,))),
        )
        for i, one, cells in block
    ]


def _agents_differences(agents: Sequence[AgentAnswers], *, level: float) -> Iterator[AnswerDifference]:
    """Compare all pairs of agents, outcome by outcome, studies the clusters; Holm's correction per metric."""
    for metric in COMPARED:
        values = {one.agent: metric_values(one, metric) for one in agents}
        rows = [
            _agents_difference((one.agent, two.agent), (values[one.agent], values[two.agent]), metric, level)
            for one, two in combinations(agents, 2)
        ]
        there = [row for row in rows if row.difference.value is not None]
        p = np.array([np.nan if row.p_value is None else row.p_value for row in there])
        adjusted = holm(p) if len(there) else p
        for row, value in zip(there, adjusted, strict=True):
            yield AnswerDifference(
                row.first, row.second, metric, row.difference, row.p_value,
                None if np.isnan(value) else float(value),
            )  # fmt: skip


def _agents_difference(
    names: tuple[str, str], values: tuple[Values, Values], metric: str, level: float
) -> AnswerDifference:
    first, second = values
    both = [key for key in first if key in second]
    estimate, p = paired_difference(
        np.array([first[key] - second[key] for key in both]), [key.study for key in both], level=level
    )
    return AnswerDifference(*names, metric, estimate, p, None)


def metric_values(one: AgentAnswers, metric: str) -> Values:
    """Return one metric of every outcome where it is defined; ratios as logarithms, 0 has none."""
    found = {}
    for outcome in one.outcomes:
        number = outcome.numbers.get(metric)
        value = None if number is None else number.estimate.value
        if value is None or (metric.endswith("ratio") and value <= 0):
            continue
        key = OutcomeKey(outcome.study, outcome.outcome, outcome.condition)
        found[key] = float(np.log(value)) if metric.endswith("ratio") else value
    return found


def paired_difference(
    differences: object, studies: Sequence[str], *, level: float
) -> tuple[Estimate, float | None]:
    """Return the mean of paired differences, studies the clusters, and its p-value.

    The mean over outcomes; t with the bias-reduced standard error (CR2) and Bell and McCaffrey's degrees of
    freedom: studies have different numbers of outcomes, and K - 1 would promise too much.
    """
    d = np.asarray(differences, dtype=np.float64)
    if not d.size:
        return Estimate(None, note="undefined: no outcome that both agents have"), None
    k = len(set(studies))
    if k < FEWEST_CLUSTERS:
        return Estimate(float(d.mean()), n=d.size, note=f"no interval: {k} studies"), None
    found = clustered_mean(d, np.asarray(studies))
    value, se = found.mean, found.se
    if se == 0:
        return Estimate(value, n=d.size, note="no interval: the difference is the same everywhere"), None
    reach = float(special.stdtrit(found.df, 0.5 + level / 2)) * se
    p = float(2 * special.stdtr(found.df, -abs(value) / se))
    interval = Interval(value - reach, value + reach, level, f"t, {k} studies the clusters")
    return Estimate(value, interval, n=d.size), p
