"""Outcomes to studies, studies to one number: medians of ratios, means of the rest, places from sums.

Inside a study the outcomes share their people, so the ends of their intervals are averaged, which is the
widest that any correlation between outcomes can ask for. Over studies the interval speaks of other studies
like these: jackknife-t of means, and for medians the share of outcomes below, clustered by study (Woodruff),
or Student's t of logarithms where studies are too few for that.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy import special

from concord.errors import UndefinedError
from concord.people.answers.result import (
    DISTANCES,
    METRICS,
    RATIOS,
    AnswerNumber,
    AnswerSummary,
    OutcomeAnswers,
)
from concord.records import Estimate, Interval
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
    """Return an interval of a median ratio where studies are too few for their values to be its ends.

    Three values hold their population's median between them in three samples of four. So the studies' mean
    logarithms are taken as Student's t takes means; the interval holds all that the values say too.
    """
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
    """Return the place of sums: (Σ random - Σ value)/(Σ random - Σ people).

    Withheld where random answers are not farther from people than another sample of them: ``sign`` is 1 for
    distances and -1 for overlap.
    """
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
    if mean <= 0:
        return list(outcomes)
    relative = float(np.sqrt(variance.sum())) / len(fit) / mean * float(special.ndtri(0.5 + level / 2))
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
    variance = float(p @ signs**2 - (p @ signs) ** 2) / 4 / one.n_people
    return float(np.abs(p - 1 / len(p)).sum() / 2), variance


def _simbench(tvd: AnswerNumber, mean: float, relative: float, level: float) -> AnswerNumber:
    value = tvd.estimate.value
    assert value is not None  # noqa: S101 - looked at before
    ends = tvd.estimate.interval
    if ends is None:
        return AnswerNumber(Estimate(100 * (1 - value / mean), n=tvd.estimate.n, note=tvd.estimate.note))
    # errors of the distance and of the mean of uniform answers, added in squares on either side
    up, down = max(ends.high - value, 0.0), max(value - ends.low, 0.0)
    both = [float(np.hypot(side, value * relative)) for side in (up, down)]
    centre = np.clip(value, ends.low, ends.high)
    high, low = (centre + both[0]) / mean, max(centre - both[1], 0.0) / mean
    interval = Interval(100 * (1 - high), 100 * (1 - low), level, "from the total variation distance")
    return AnswerNumber(Estimate(100 * (1 - value / mean), interval, n=tvd.estimate.n))
