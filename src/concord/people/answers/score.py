"""Sets of answers to a result: outcomes, studies, all together, groups, and agents against each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from scipy import special

from concord.engine import SERIAL, Engine
from concord.errors import InputError, UndefinedError
from concord.files.gate import refuse_more
from concord.files.limits import AGENTS, COMPARED_IN_PAIRS, OPTION_DRAWS
from concord.number_words import how_many
from concord.people.answers.outcome import FINE, GRID, Cells, lay_out, score_outcome
from concord.people.answers.records import (
    DISTANCES,
    METRICS,
    RATIOS,
    AgentAnswers,
    AnswerNumber,
    AnswerSet,
    AnswerSets,
    AnswerSummary,
    GroupAnswers,
    GroupSummary,
    Moments,
    OutcomeAnswers,
    OutcomeKey,
)
from concord.people.answers.result import OVER_PERSONS, AnswersResult
from concord.people.answers.sides import refuse_many
from concord.people.differences import AgentDifference, with_holm
from concord.records import Estimate, Interval, UnreadBounds
from concord.stats.answer_spread import answer_spread, kish_n
from concord.stats.clustered import clustered_mean
from concord.stats.distances import N_RESAMPLES, distances_apart_sd
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS, jackknife_t

SHARED = "ends of the outcomes' intervals averaged (outcomes share people)"


def summarised(name: str, outcomes: Sequence[OutcomeAnswers], *, level: float) -> AnswerSummary:
    """Summarise outcomes: over studies where there are enough, else over what shares its people."""
    studies = [one.study for one in outcomes]
    numbers = {}
    for metric in METRICS:
        there = [(one.numbers[metric], one.study) for one in outcomes if metric in one.numbers]
        if there:
            found, where = [number for number, _ in there], [study for _, study in there]
            numbers[metric] = _summary_number(metric, found, where, level)
    return AnswerSummary(name, len(outcomes), len(set(studies)), numbers)


def _average(metric: str) -> Callable[[Floats], float]:
    return (lambda x: float(np.median(x))) if metric in RATIOS else (lambda x: float(np.mean(x)))


def _summary_number(
    metric: str, found: Sequence[AnswerNumber], where: Sequence[str], level: float
) -> AnswerNumber:
    kept = [(one, study) for one, study in zip(found, where, strict=True) if one.estimate.value is not None]
    left = len(found) - len(kept)
    if not kept:
        reasons = dict.fromkeys(one.estimate.note for one in found)
        return AnswerNumber(Estimate(None, n=0, n_left_out=left, note="; ".join(reasons)))
    numbers, studies = [one for one, _ in kept], np.array([study for _, study in kept])
    values = np.array([one.estimate.value for one in numbers], dtype=np.float64)
    average = _average(metric)
    interval, note = _summary_interval(metric, numbers, values, studies, level)
    said = f"median of {len(values)}" if metric in RATIOS else f"mean of {len(values)}"
    estimate = Estimate(average(values), interval, len(values), left, f"{said} outcomes", note)
    ends = [one.estimate.bounds for one in numbers]
    lost = [end for end in ends if end is not None]
    if lost and metric not in RATIOS:  # a mean of what each could be
        pairs = zip(values, ends, strict=True)
        sides = np.array([(x, x) if end is None else (end.low, end.high) for x, end in pairs]).mean(axis=0)
        n_unread = sum(end.n_unread for end in lost)
        estimate = replace(estimate, bounds=UnreadBounds(float(sides[0]), float(sides[1]), None, n_unread))
    if metric not in (*DISTANCES, "overlap"):
        return AnswerNumber(estimate)
    people = [one.people.value for one in numbers if one.people is not None and one.people.value is not None]
    random = [one.random for one in numbers if one.random is not None]
    return AnswerNumber(
        estimate,
        Estimate(float(np.mean(people)), n=len(people)) if people else None,
        float(np.mean(random)) if random else None,
        _summary_place(numbers, studies, level, sign=-1 if metric == "overlap" else 1),
    )


def _summary_interval(
    metric: str, numbers: Sequence[AnswerNumber], values: Floats, studies: object, level: float
) -> tuple[Interval | None, str]:
    """Return the interval of an average, over studies or inside one."""
    labels = np.asarray(studies)
    names = np.unique(labels)
    if len(names) >= FEWEST_CLUSTERS:
        try:
            if metric in RATIOS:
                return woodruff(values, labels, level=level), ""
            without = np.array([values[labels != name].mean() for name in names])
            return jackknife_t(float(values.mean()), without, level=level), ""
        except UndefinedError as fault:
            return None, f"no interval: {fault}"
    ends = [one.estimate.interval for one in numbers]
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return None, f"no interval: {len(ends) - len(known)} of {len(ends)} outcomes have none"
    average = _average(metric)
    low, high = (average(np.array([getattr(end, side) for end in known])) for side in ("low", "high"))
    return Interval(low, high, level, SHARED if len(known) > 1 else known[0].method), ""


def woodruff(values: Floats, clusters: Floats, *, level: float) -> Interval:
    """Return an interval of a median from the share of values below it, clustered."""
    below = (values < np.median(values)) + 0.5 * (values == np.median(values))
    names = np.unique(clusters)
    k, n = len(names), len(values)
    sums = np.array([(below[clusters == name] - 0.5).sum() for name in names])
    se = float(np.sqrt(k / (k - 1) * (sums**2).sum())) / n
    if se == 0:
        raise UndefinedError("the outcomes of every study lie evenly about the median")
    reach = float(special.stdtrit(k - 1, 0.5 + level / 2)) * se
    if reach >= 0.5:
        return _by_logs(values, clusters, level=level)
    low, high = np.quantile(values, [0.5 - reach, 0.5 + reach])
    return Interval(float(low), float(high), level, f"Woodruff, {k} studies the clusters")


def _by_logs(values: Floats, clusters: Floats, *, level: float) -> Interval:
    """Return an interval of a median ratio where studies are too few for their values to be its ends."""
    # Three values hold their population's median between them in three samples of four. So the studies' mean
    # logarithms are taken as Student's t takes means; the interval holds all that the values say too.
    if np.any(values <= 0):
        raise UndefinedError("a ratio of 0 among so few studies")
    names = np.unique(clusters)
    means = np.array([np.log(values[clusters == name]).mean() for name in names])
    spread = float(means.std(ddof=1))
    if spread == 0:
        raise UndefinedError("the studies do not vary")
    reach = float(special.stdtrit(len(names) - 1, 0.5 + level / 2)) * spread / np.sqrt(len(names))
    middle = float(np.median(values))
    low, high = np.exp(means.mean() - reach), np.exp(means.mean() + reach)
    method = f"t of mean logarithms, {len(names)} studies"
    return Interval(min(float(low), middle), max(float(high), middle), level, method)


def _summary_place(numbers: Sequence[AnswerNumber], studies: object, level: float, *, sign: int) -> Estimate:
    """Return the place of sums: (Σ random - Σ value)/(Σ random - Σ people)."""
    # Withheld where random answers are not farther from people than another sample of them: ``sign`` is 1 for
    # distances and -1 for overlap.
    labels = np.asarray(studies)
    rows, kept, reach = [], [], []
    for one, study in zip(numbers, labels, strict=True):
        if one.people is None or one.random is None or one.people.value is None:
            continue
        rows.append([one.random, one.estimate.value, one.people.value])
        kept.append(study)
        ends = one.place.interval if one.place is not None else None
        room = one.random - one.people.value
        reach.append(np.nan if ends is None else (ends.high - ends.low) / 2 * abs(room))
    if not rows:
        notes = dict.fromkeys(one.place.note for one in numbers if one.place is not None)
        return Estimate(None, note="; ".join(note for note in notes if note))
    table, where = np.array(rows, dtype=np.float64), np.array(kept)
    if sign * _ratio_room(table) < 0.02:
        return Estimate(None, n=len(table), note="withheld: people and random answers are not apart")
    value = _place_of_sums(table)
    names = np.unique(where)
    if len(names) >= FEWEST_CLUSTERS:
        without = np.array([_place_of_sums(table[where != name]) for name in names])
        try:
            return Estimate(value, jackknife_t(value, without, level=level), len(table))
        except UndefinedError as fault:
            return Estimate(value, n=len(table), note=f"no interval: {fault}")
    half = float(np.mean(reach)) / abs(_ratio_room(table))
    if np.isnan(half):
        return Estimate(value, n=len(table), note="no interval: some outcomes have none")
    return Estimate(value, Interval(value - half, value + half, level, SHARED), len(table))


def _place_of_sums(table: Floats) -> float:
    random, value, _ = table.mean(axis=0)
    return float((random - value) / _ratio_room(table))


def _ratio_room(table: Floats) -> float:
    random, _, people = table.mean(axis=0)
    return float(random - people)


def with_simbench(outcomes: Sequence[OutcomeAnswers], *, level: float) -> list[OutcomeAnswers]:
    """Add SimBench's S = 100 (1 - TVD / mean TVD of uniform answers), the mean over all these outcomes."""
    fit = [i for i, one in enumerate(outcomes) if _has_uniform(one)]
    if not fit:
        return list(outcomes)
    uniform, variance = np.array([_uniform(outcomes[i]) for i in fit]).T
    mean = float(uniform.mean())
    error = float(np.sqrt(variance.sum())) / len(fit) * float(special.ndtri(0.5 + level / 2))
    relative = error / mean if mean > 0 else np.inf
    made = list(outcomes)
    for i in fit:
        one = outcomes[i]
        made[i] = replace(
            one, numbers=one.numbers | {"simbench": _simbench(one.numbers["tvd"], mean, relative, level)}
        )
    return made


def _has_uniform(one: OutcomeAnswers) -> bool:
    """Whether uniform answers exist: a scale or options, and a distance."""
    tvd = one.numbers.get("tvd")
    return tvd is not None and tvd.estimate.value is not None and tvd.random is not None


def _uniform(one: OutcomeAnswers) -> tuple[float, float]:
    """Return the distance of uniform answers from people's, and its sampling variance."""
    p = np.array(one.human_shares)
    signs = np.sign(p - 1 / len(p))
    variance = float(p @ signs**2 - (p @ signs) ** 2) / 4 / one.effective_n
    return float(np.abs(p - 1 / len(p)).sum() / 2), variance


MOST_OF_EVEN = 1.0
"""Error of people's distance from uniform answers, over that distance, from which on S says nothing."""


def _simbench(tvd: AnswerNumber, mean: float, relative: float, level: float) -> AnswerNumber:
    value = tvd.estimate.value
    assert value is not None  # noqa: S101 - looked at before
    ends = tvd.estimate.interval
    if relative >= MOST_OF_EVEN:
        note = "withheld: people answer as evenly as chance may make uniform answers"
        return AnswerNumber(Estimate(None, n=tvd.estimate.n, note=note))
    if ends is None:
        return AnswerNumber(Estimate(100 * (1 - value / mean), n=tvd.estimate.n, note=tvd.estimate.note))
    # errors of the distance and of the mean of uniform answers, added in squares on either side
    up, down = max(ends.high - value, 0.0), max(value - ends.low, 0.0)
    both = [float(np.hypot(side, value * relative)) for side in (up, down)]
    centre = np.clip(value, ends.low, ends.high)
    high, low = (centre + both[0]) / mean, max(centre - both[1], 0.0) / mean
    interval = Interval(100 * (1 - high), 100 * (1 - low), level, "from the total variation distance")
    return AnswerNumber(Estimate(100 * (1 - value / mean), interval, n=tvd.estimate.n))


SMALLEST_GROUP = 30


@dataclass(frozen=True, slots=True)
class _Row:
    """One group's answers to one outcome, in SDs of all people."""

    group: int
    study: str
    outcome: str
    n: int
    human: float
    """Mean of the group minus that of all people."""
    agent: float
    error: float
    noise: float
    """Sampling variance of ``human``."""


def score_groups(
    sets: Sequence[AnswerSet | Moments], names: Sequence[str], *, level: float
) -> GroupSummary | None:
    """Compare groups' means; None where the table names no groups or no outcome is numeric."""
    rows: list[_Row] = []
    small: dict[str, int] = {}
    for one in sets:
        if isinstance(one, Moments) or one.group is None or one.options:
            continue
        for row in _group_means(one):
            if row.n >= SMALLEST_GROUP:
                rows.append(row)
            else:
                small[names[row.group]] = max(small.get(names[row.group], 0), row.n)
    scored = {names[row.group] for row in rows}
    too_small = tuple(f"{name} ({n})" for name, n in sorted(small.items()) if name not in scored)
    if not rows:
        return None if not small else GroupSummary((), _none(), _none(), too_small)
    labels, kind = _left_out_units(rows)
    groups = tuple(_one_group(names[i], own, level) for i, own in sorted(_by_group(rows).items()))
    slope = _jackknifed(lambda kept: _slope(kept), rows, labels, kind, level)
    gap = _jackknifed(lambda kept: _parity_gap(kept), rows, labels, kind, level)
    return GroupSummary(groups, slope, gap, too_small)


def _by_group(rows: Sequence[_Row]) -> dict[int, list[_Row]]:
    """Return the rows of each group."""
    found: dict[int, list[_Row]] = {}
    for row in rows:
        found.setdefault(row.group, []).append(row)
    return found


def _none() -> Estimate:
    return Estimate(None, note=f"undefined: no group has {SMALLEST_GROUP} people")


def _group_means(one: AnswerSet) -> list[_Row]:
    """Return the groups of one outcome; both sides need answers."""
    people, replies = one.people, one.replies
    all_people, sd = _mean_and_sd(people, one.weights_of(one.human))
    if sd == 0 or not replies.size:
        return []
    assert one.group is not None  # noqa: S101 - asked for with groups only
    rows = []
    # sorted once: a look through all answers for every group would take the square of their number
    order = np.argsort(one.group, kind="stable")
    order = order[one.group[order] >= 0]
    codes, starts = np.unique(one.group[order], return_index=True)
    all_replies, _ = _mean_and_sd(replies, one.weights_of(one.agent))
    for i, own in zip(codes, np.split(order, starts[1:]), strict=True):
        sides = [side[own] for side in (one.human, one.agent)]
        h, a = (side[~np.isnan(side)] for side in sides)
        if h.size < 2 or not a.size:
            continue
        weights = [None if one.weight is None else one.weight[own][~np.isnan(side)] for side in sides]
        (h_mean, h_sd), (a_mean, _) = _mean_and_sd(h, weights[0]), _mean_and_sd(a, weights[1])
        human, agent = (h_mean - all_people) / sd, (a_mean - all_replies) / sd
        n = h.size if weights[0] is None else kish_n(weights[0])
        noise = h_sd**2 / n / sd**2 * (1 - h.size / people.size)
        error = (a_mean - h_mean) / sd
        rows.append(
            _Row(int(i), one.key.study, one.key.words, min(h.size, a.size), human, agent, error, noise)
        )
    return rows


def _mean_and_sd(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """Return the mean and the standard deviation, by weight where there are weights; 0 of one answer."""
    if values.size < 2:
        return (float(values.mean()) if values.size else float("nan")), 0.0
    if weights is None:
        return float(values.mean()), float(values.std(ddof=1))
    return float(np.average(values, weights=weights)), float(np.sqrt(answer_spread(values, weights).variance))


def _left_out_units(rows: Sequence[_Row]) -> tuple[Floats, str]:
    """Choose what is left out one at a time: studies, else outcomes."""
    studies = np.array([row.study for row in rows])
    if len(np.unique(studies)) >= FEWEST_CLUSTERS:
        return studies, "studies"
    return np.array([f"{row.study}\n{row.outcome}" for row in rows]), "outcomes"


def _jackknifed(compute: object, rows: Sequence[_Row], labels: Floats, kind: str, level: float) -> Estimate:
    assert callable(compute)  # noqa: S101 - a function of rows
    value = float(compute(rows))
    if np.isnan(value):
        return Estimate(None, n=len(rows), note="undefined: groups of people do not differ beyond noise")
    names = np.unique(labels)
    note = "" if kind == "studies" else "outcomes, which share people, were left out one at a time"
    without = np.array(
        [compute([row for row, label in zip(rows, labels, strict=True) if label != name]) for name in names]
    )
    if len(names) < FEWEST_CLUSTERS or np.isnan(without).any():
        return Estimate(value, n=len(rows), note=f"no interval: {len(names)} {kind}")
    try:
        return Estimate(value, jackknife_t(value, without, level=level), n=len(rows), note=note)
    except UndefinedError as fault:
        return Estimate(value, n=len(rows), note=f"no interval: {fault}")


def _slope(rows: Sequence[_Row]) -> float:
    """Σ h a / Σ (h² - noise): the agent's deviations on people's true ones."""
    top = sum(row.human * row.agent for row in rows)
    below = sum(row.human**2 - row.noise for row in rows)
    return top / below if below > 0 else float("nan")


def _parity_gap(rows: Sequence[_Row]) -> float:
    means = [np.mean([abs(row.error) for row in own]) for own in _by_group(rows).values()]
    return float(max(means) - min(means)) if len(means) > 1 else float("nan")


def _one_group(name: str, rows: Sequence[_Row], level: float) -> GroupAnswers:
    labels, kind = _left_out_units(rows)

    def mean(field: str, kept: Sequence[_Row], *, absolute: bool = False) -> float:
        values = [getattr(row, field) for row in kept]
        return float(np.mean(np.abs(values) if absolute else values)) if values else float("nan")

    return GroupAnswers(
        name,
        max(row.n for row in rows),
        len(rows),
        _jackknifed(lambda kept: mean("error", kept), rows, labels, kind, level),
        _jackknifed(lambda kept: mean("error", kept, absolute=True), rows, labels, kind, level),
        mean("human", rows),
        mean("agent", rows),
    )


COMPARED = ("variance_ratio", "tvd", "w1", "person_r")
"""What agents are compared on."""
Values = dict[OutcomeKey, float]
BLOCK = 16
"""Outcomes per piece of work."""
FEWEST_PERSONS, MOST_UNEVEN, PERSONS_SEED = 30, 1.25, 7
"""Answers per side, and of one model for each of the other (a distance of fewer answers is larger by chance),
with which two models are compared over persons."""


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
    differences: tuple[AgentDifference, ...] = ()
    if len(agents) <= COMPARED_IN_PAIRS:
        differences = tuple(_agents_differences(agents, level=level, seed=seed))
    else:
        told = (
            f"{len(agents):,} models are not compared with each other: pairs are compared for at most "
            f"{COMPARED_IN_PAIRS:,} models; score those that matter in a table of their own"
        )
        warnings = (*warnings, told)
    return AnswersResult(
        agents, differences, level, n_resamples, seed, table.inputs, warnings, table.left_out
    )


def _n_options(cells: Cells) -> int:
    """Count what distances of an outcome are computed over: its options, or two grids of values."""
    return GRID + FINE if cells.kind == "values" else len(cells.edges)


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


def _agents_differences(
    agents: Sequence[AgentAnswers], *, level: float, seed: int
) -> Iterator[AgentDifference]:
    """Compare all pairs of agents, outcome by outcome, studies the clusters; Holm's correction per metric."""
    for metric in COMPARED:
        values = {one.agent: metric_values(one, metric) for one in agents}
        rows = []
        for one, two in combinations(agents, 2):
            row = _agents_difference(
                (one.agent, two.agent), (values[one.agent], values[two.agent]), metric, level
            )
            few = max(one.overall.n_studies, two.overall.n_studies) < FEWEST_CLUSTERS
            if few and metric == "tvd" and row.difference.value is not None:
                estimate, p = over_persons(one, two, row.difference, level=level, seed=seed)
                row = replace(row, difference=estimate, p_value=p)
            rows.append(row)
        yield from with_holm([row for row in rows if row.difference.value is not None])


def over_persons(
    one: AgentAnswers, two: AgentAnswers, found: Estimate, *, level: float, seed: int
) -> tuple[Estimate, float | None]:
    """Return a difference of mean distances with its test over persons, where studies are too few."""
    # Outcomes share people: their errors are taken to go together.
    second = {OutcomeKey(row.study, row.outcome, row.condition): row for row in two.outcomes}
    rng, reach, least = np.random.default_rng([seed, PERSONS_SEED]), [], np.inf
    for a in one.outcomes:
        b = second.get(OutcomeKey(a.study, a.outcome, a.condition))
        if b is None or not a.agent_shares or not b.agent_shares:
            continue
        sizes = sorted((a.n_agent, b.n_agent))
        if min(a.effective_n, *sizes) < FEWEST_PERSONS or sizes[1] > MOST_UNEVEN * sizes[0]:
            why = f"over persons it needs {FEWEST_PERSONS} answers per side, and about as many of each model"
            return replace(found, note=f"{found.note}; {why}"), None
        least = min(least, a.effective_n, *sizes)
        same = a.human_shares == b.human_shares
        shares = (a.human_shares, None if same else b.human_shares, a.agent_shares, b.agent_shares)
        reach.append(distances_apart_sd(shares, (round(a.effective_n), a.n_agent, b.n_agent), rng))
    if found.value is None or not reach or max(reach) == 0:
        return found, None
    se = float(np.mean(reach))
    half = float(special.stdtrit(least - 1, 0.5 + level / 2)) * se
    interval = Interval(found.value - half, found.value + half, level, OVER_PERSONS)
    p = float(2 * special.stdtr(least - 1, -abs(found.value) / se))
    return Estimate(found.value, interval, n=found.n, method=OVER_PERSONS), p


def _agents_difference(
    names: tuple[str, str], values: tuple[Values, Values], metric: str, level: float
) -> AgentDifference:
    first, second = values
    both = [key for key in first if key in second]
    estimate, p = paired_difference(
        np.array([first[key] - second[key] for key in both]), [key.study for key in both], level=level
    )
    return AgentDifference(*names, metric, estimate, p, None)


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
    """Return the mean of paired differences, studies the clusters, and its p-value."""
    # The mean over outcomes; t with the bias-reduced standard error (CR2) and Bell and McCaffrey's degrees of
    # freedom: studies have different numbers of outcomes, and K - 1 would promise too much.
    d = np.asarray(differences, dtype=np.float64)
    if not d.size:
        return Estimate(None, note="undefined: no outcome that both models have"), None
    k = len(set(studies))
    if k < FEWEST_CLUSTERS:
        studies_said = f"{how_many(k, 'study', 'studies')}, and a test of models needs {FEWEST_CLUSTERS}"
        return Estimate(float(d.mean()), n=d.size, note=f"no interval: {studies_said}"), None
    found = clustered_mean(d, np.asarray(studies))
    value, se = found.mean, found.se
    if se == 0:
        return Estimate(value, n=d.size, note="no interval: the difference is the same everywhere"), None
    reach = float(special.stdtrit(found.df, 0.5 + level / 2)) * se
    p = float(2 * special.stdtr(found.df, -abs(value) / se))
    interval = Interval(value - reach, value + reach, level, f"t, {k} studies the clusters")
    return Estimate(value, interval, n=d.size), p
