"""People and predictions to estimates: means, shares, differences between arms, coefficients."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from concord.errors import InputError, OptionError, UndefinedError
from concord.files import limits
from concord.files.gate import refuse_more
from concord.files.tables import TableChoices, table_options
from concord.numeric import gated
from concord.people.mixed.result import CombinedEstimate, CombineResult, in_question
from concord.people.mixed.table import (
    MixedRows,
    MixedTables,
    other_predictions,
    read_mixed,
    unlike_tables,
)
from concord.people.table.columns import CONTROLS
from concord.records import Estimate, Interval
from concord.stats.answer_spread import answer_spread, person_correlation_error, person_correlation_interval
from concord.stats.elementwise import Floats
from concord.stats.prediction_powered import (
    FEWEST_PEOPLE,
    Labels,
    PoweredMean,
    SampleDesign,
    SampledRows,
    powered_deviations,
    powered_mean,
    powered_regression,
    sampled_units,
    units_variance,
    worth_in_people,
)
from concord.stats.skewed import skewed_sum_ends
from concord.words import say

METHOD = "prediction-powered (PPI++)"
_SKEW = "skewness taken out (Hall 1992)"


@dataclass(frozen=True, slots=True, eq=False)
class MeanPart:
    """A mean, and what each person and prediction does to it: with predictions, and of people alone."""

    mean: PoweredMean
    deviations: list[SampledRows]
    people: list[SampledRows]
    is_constant: bool
    """Whether people all gave one answer: then they say nothing of the spread, whatever predictions do."""


def with_ends(
    parts: Sequence[MeanPart], n: int, level: float, note: str, few: str
) -> tuple[Estimate, Estimate]:
    """Return a mean, or the first minus the second, with predictions and of people alone."""
    # Skewness is taken out of both intervals; t has as many units as weights, clusters and strata leave.
    signed = list(zip((1.0, -1.0)[: len(parts)], parts, strict=True))
    sides = (
        (METHOD, sum(sign * part.mean.value for sign, part in signed), "deviations"),
        ("people alone", sum(sign * part.mean.people for sign, part in signed), "people"),
    )
    is_silent = any(part.is_constant for part in parts)
    made = []
    for method, value, name in sides:
        rows = [
            replace(one, deviations=sign * one.deviations)
            for sign, part in signed
            for one in getattr(part, name)
        ]
        units = sampled_units(rows)
        ends = None if is_silent else skewed_sum_ends(
            value, [values for values, _ in units], sizes=[size for _, size in units], level=level
        )  # fmt: skip
        made.append(estimate_with(value, ends, n, level, f"{method}, {_SKEW}", note, few))
    return made[0], made[1]


def estimate_with(
    value: float,
    ends: tuple[float, float] | None,
    n: int,
    level: float,
    method: str,
    note: str = "",
    few: str = "",
) -> Estimate:
    """Return an estimate with its interval, or with the reason why it has none."""
    if few:
        return Estimate(value, n=n, method=method, note=few)
    if ends is None:
        return Estimate(value, n=n, method=method, note=say("combine.note.no_spread"))
    return Estimate(value, Interval(*ends, level, method), n=n, method=method, note=note)


TAIL_SHOWS = 500
"""People from which on an interval of skewed answers covers what it says."""
_EACH = 4
"""Estimates that a sentence tells one by one."""


def drawn_together(
    own: MixedRows, more: MixedRows, repeated: Sequence[bool] = (False, False)
) -> SampleDesign:
    """Return what was drawn together: clusters asked for, else persons, where one is there more than once."""
    made: list[Labels | None] = []
    for rows, elsewhere in zip((own, more), repeated, strict=True):
        labels = rows.cluster
        persons = rows.person
        if labels is None and persons is not None and (elsewhere or len(set(persons)) < len(persons)):
            labels = persons
        made += [None if one is None else np.asarray(one) for one in (labels, rows.stratum)]
    return SampleDesign(*made)


def _few_words(rows: SampledRows) -> str:
    """Say that there are too few people, or clusters of them, for an interval; nothing otherwise."""
    n = rows.deviations.size if rows.clusters is None else len(set(rows.clusters.tolist()))
    if n >= FEWEST_PEOPLE:
        return ""
    return say("combine.note.few" if rows.clusters is None else "combine.note.few_clusters", n=FEWEST_PEOPLE)


def _n_people(*samples: MixedRows) -> int:
    """Count persons where they have names, else rows."""
    if any(rows.person is None for rows in samples):
        return sum(rows.prediction.size for rows in samples)
    return len({one for rows in samples for one in rows.person or ()})


@gated()
def combine(
    people: Any,
    predictions: Any,
    *,
    regress: Sequence[str] = (),
    cluster: str | None = None,
    stratum: str | None = None,
    level: float = 0.95,
    **how: Unpack[TableChoices],
) -> CombineResult:
    """Combine people's answers with a model's predictions: what the model is worth in participants.

    Parameters
    ----------
    people
        A table (path, frame or rows), one row per person: ``answer`` (also ``human``, ``y``) and
        ``prediction`` (also ``agent``, ``f``), the model's reply for this person; ``arm``, ``outcome``,
        ``weight`` and ``person`` where there are. A person with several rows is one person.
    predictions
        A table of further predictions of the same model for the same population, without answers.
    regress
        Columns of both tables that the answers are regressed on; otherwise means, shares and, with two arms,
        their difference are estimated.
    cluster
        A column that names what was drawn together (a school, a household); persons with several rows are
        clusters by themselves.
    stratum
        A column that names what people were drawn within.
    how
        How tables are read, as `TableChoices` says.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> def rows(n):
    ...     y = rng.normal(size=n)
    ...     return [{"answer": a, "prediction": a + rng.normal() + 2} for a in y]
    >>> further = [{"prediction": row["prediction"]} for row in rows(5000)]
    >>> found = combine(rows(500), further).estimates[0]
    >>> found.estimate.interval.low < 0 < found.estimate.interval.high, found.worth.value > 200
    (True, True)
    """
    options = table_options(**how)
    tables = read_mixed(
        people, predictions, covariates=regress, cluster=cluster, stratum=stratum, options=options
    )
    outcomes = list(dict.fromkeys(tables.people.outcome))
    if not outcomes:
        raise InputError("no row of the people has both an answer and a prediction; fill these columns")
    lacking = [name for name in outcomes if name not in set(tables.predictions.outcome)]
    if lacking:
        raise InputError(f"the further predictions have no row of {', '.join(map(repr, lacking[:5]))}")
    made: list[CombinedEstimate] = []
    warnings = list(tables.warnings)
    told: list[list[str]] = []  # by outcome: how predictions are those of another population
    for outcome in outcomes:
        own, more = tables.people.chosen(outcome), tables.predictions.chosen(outcome)
        if not regress:
            _refuse_arms(own)
        unlike = list(other_predictions(own, more))
        warnings += unlike_tables(outcome, own, more, tables.covariates, unlike)
        told.append(unlike)
        work = (
            _combined_regression(outcome, own, more, tables, level)
            if regress
            else _combined_means(outcome, own, more, level)
        )
        made.extend(work)
    said = sentence(made)
    if told[0] and not regress:
        said = _not_together(made[0], told[0][0], len(outcomes))
    return CombineResult(tuple(made), said, level, tables.inputs, tuple(warnings), tables.left_out)


def sentence(estimates: Sequence[CombinedEstimate]) -> str:
    """Say what the predictions are worth: for the contrast, or for all estimates, each with its people."""
    told = in_question(estimates)
    if len(told) == 1:
        return _worth_words(told[0])
    if len(told) <= _EACH:
        return say("combine.worth.several", n=len(told), said="; ".join(_worth_of_one(one) for one in told))
    known = sorted((one.worth.value, i) for i, one in enumerate(told) if one.worth.value is not None)
    said = say("combine.worth.never")
    if known:
        low, high = (_worth_of_one(told[i]) for _, i in (known[0], known[-1]))
        said = say("combine.worth.from_to", low=low, high=high)
    return say("combine.worth.several", n=len(told), said=said)


def _worth_of_one(one: CombinedEstimate) -> str:
    """Say what the predictions are worth for one estimate of several."""
    worth = one.worth.value
    unknown = say("combine.worth.one_unknown")
    words = unknown if worth is None else say("combine.worth.one_more", worth=max(worth, 0))
    counts = {"n": one.n_people, "m": one.n_predictions}
    return say("combine.worth.one", of=repr(one.of), words=words, **counts, ends=one.worth.interval)


def _worth_words(one: CombinedEstimate) -> str:
    """Say what the predictions are worth, and no more than the interval shows."""
    worth, ends = one.worth.value, one.worth.interval
    start = say("combine.worth.start", n=one.n_people, m=one.n_predictions)
    if worth is None:
        return say("combine.worth.unknown", start=start, why=one.worth.note)
    if worth < 0.5 and (ends is None or ends.high < 0.5):
        why = one.worth.note if one.worth.note else say("combine.worth.unrelated")
        return say("combine.worth.none", start=start, why=why)
    return say("combine.worth.some", start=start, worth=max(worth, 0), ends=one.worth.interval)


def _not_together(one: CombinedEstimate, unlike: str, n_outcomes: int) -> str:
    """Say that predictions of another population cannot stand for more people."""
    start = say("combine.worth.start", n=one.n_people, m=one.n_predictions)
    outcome = None if n_outcomes == 1 else repr(one.outcome)
    return say("combine.worth.unlike", start=start, why=unlike, outcome=outcome, n=n_outcomes)


def _combined_means(
    outcome: str, own: MixedRows, more: MixedRows, level: float
) -> Iterator[CombinedEstimate]:
    """Estimate the mean, or the mean of each arm and their difference."""
    samples, others = own.by_arm(), more.by_arm()
    arms = sorted(samples, key=_control_last)
    design = drawn_together(own, more)
    assert own.answer is not None  # noqa: S101 - the table of people
    kind = "share" if set(np.unique(own.answer)) <= {0.0, 1.0} else "mean"
    repeated = [design.clusters is not None, design.more_clusters is not None]
    if len(arms) == 1:
        yield _combined_mean(outcome, kind, kind, own, more, level, design).made
        return
    parts = []
    for arm in arms:
        if arm not in others:
            raise InputError(f"the further predictions have no row of the arm {arm!r}")
        within = drawn_together(samples[arm], others[arm], repeated)
        parts.append(_combined_mean(outcome, arm, kind, samples[arm], others[arm], level, within))
        yield parts[-1].made
    if len(arms) == 2 or _control_last(arms[-1])[0]:
        for part in parts[:-1]:  # against the other, or each against the control
            yield _difference_of_arms(part, parts[-1], level)


def _refuse_arms(own: MixedRows) -> None:
    """Refuse more arms than can be estimated, before any is looked at."""
    n_arms = len(set(own.arm))
    refuse_more(n_arms, limits.ARMS, "arms", "the table of people", "combine some of them at a time")


def _control_last(arm: str) -> tuple[bool, str]:
    """Order arms by name, what is called a control last: a difference is an effect of the other."""
    return arm.casefold() in CONTROLS, arm


@dataclass(frozen=True, slots=True, eq=False)
class _Arm:
    """An arm: its rows, its estimate, and what moves it."""

    own: MixedRows
    made: CombinedEstimate
    part: MeanPart
    notes: list[str]
    few: str
    """Why there is no interval; nothing where there are people enough."""


def _combined_mean(
    outcome: str, name: str, kind: str, own: MixedRows, more: MixedRows, level: float, design: SampleDesign
) -> _Arm:
    y = own.answer
    assert y is not None  # noqa: S101 - the table of people
    given = (y, own.prediction, more.prediction)
    weights: dict[str, Any] = {"weights": own.weight, "more_weights": more.weight}
    try:
        found = powered_mean(*given, **weights, design=design, level=level)
    except (UndefinedError, OptionError) as fault:
        raise InputError(f"{outcome or name}: {fault}") from fault
    n, m = _n_people(own), more.prediction.size
    w, v = (np.ones(rows.prediction.size) if rows.weight is None else rows.weight for rows in (own, more))
    deviations = powered_deviations(*given, found.weight, **weights)
    alone = design.people_part(powered_deviations(*given, 0.0, **weights)[0], w)
    part = MeanPart(found, design.parts(*deviations, w, v), [alone], bool(np.ptp(y) == 0))
    correlation = _unit_correlation(y, own, alone, level)
    worth = _worth_of(n, found, correlation, _share_of_noise(given, weights, design, (w, v)), level)
    few = _few_words(alone)
    notes = (
        [say("combine.note.tail")] if kind == "mean" and n < TAIL_SHOWS and answer_spread(y).has_tail else []
    )
    notes += _design_notes(alone, n)
    estimates = with_ends([part], n, level, "; ".join(notes), few)
    return _Arm(
        own,
        CombinedEstimate(
            outcome,
            name,
            kind,
            estimates[0],
            found.se,
            estimates[1],
            found.people_se,
            found.weight,
            correlation,
            n,
            m,
            None if worth.value is None else n + worth.value,
            worth,
            float(y.std(ddof=1)),
        ),
        part,
        notes,
        few,
    )


def _design_notes(rows: SampledRows, n: int) -> Iterator[str]:
    """Say as how many people the weights leave them, and over what errors are."""
    size, kish = rows.mass.size, float(1 / (rows.mass**2).sum())
    if kish < 0.995 * size:
        yield say("combine.note.kish", size=size, kish=kish)
    count = size if rows.clusters is None else len(set(rows.clusters.tolist()))
    if count < size:
        yield say("combine.note.errors_over", count=count, persons=count == n, size=size)
    if rows.strata is not None:
        yield say("combine.note.strata", n=len(set(rows.strata.tolist())))


def _unit_correlation(y: Floats, own: MixedRows, alone: SampledRows, level: float) -> Estimate:
    """Correlation of answers and predictions: over people, or over what was drawn with its weight."""
    if alone.clusters is None and alone.strata is None and own.weight is None:
        return _person_correlation(y, own.prediction, level)
    deviation = own.prediction - np.average(own.prediction, weights=alone.mass)
    predicted = replace(alone, deviations=deviation * alone.mass * y.size)
    pairs = [
        np.concatenate([values - values.mean() for values, _ in sampled_units([rows])])
        for rows in (alone, predicted)
    ]
    return _person_correlation(pairs[0], pairs[1], level)


def _share_of_noise(
    given: tuple[Floats, Floats, Floats],
    weights: dict[str, Any],
    design: SampleDesign,
    masses: tuple[Floats, Floats],
) -> float:
    """Return people's share in the variance of the means of predictions: N/(n + N) in plain samples."""
    n, m = given[0].size, given[2].size
    if design.is_plain and all(one is None for one in weights.values()):
        return m / (n + m)
    _, f, more = given
    at, further = (
        powered_deviations(f, f, more, 0.0, **weights)[0],
        powered_deviations(f, f, more, 1.0, **weights)[1],
    )
    own, others = (units_variance([rows]) for rows in design.parts(at, further, *masses))
    return own / (own + others) if own + others > 0 else 0.0


def _person_correlation(y: Floats, f: Floats, level: float) -> Estimate:
    if np.ptp(f) == 0 or np.ptp(y) == 0:
        return Estimate(
            None, n=y.size, note=say("combine.note.constant" if np.ptp(f) == 0 else "combine.note.one_answer")
        )
    r = float(np.corrcoef(y, f)[0, 1])
    if y.size < FEWEST_PEOPLE or abs(r) >= 1:
        return Estimate(
            r, n=y.size, note=say("combine.note.few", n=FEWEST_PEOPLE) if y.size < FEWEST_PEOPLE else ""
        )
    se, df = person_correlation_error(y, f)
    found = person_correlation_interval(r, y.size, se=se, df=df, level=level)
    return Estimate(r, Interval(found.low, found.high, level, "Fisher's z, influence of persons"), n=y.size)


def _worth_of(n: int, found: PoweredMean, correlation: Estimate, share: float, level: float) -> Estimate:
    """Return n (SE of people / SE)² - n, its interval from that of the correlation."""
    if correlation.value is None:  # predictions of one number are worth nothing; answers of one say nothing
        constant = correlation.note == say("combine.note.constant")
        return Estimate(0.0 if constant else None, n=n, note=correlation.note)
    value = worth_in_people(n, found.people_se, found.se)
    ends = correlation.interval
    if ends is None:
        return Estimate(value, n=n, note=correlation.note)
    low, high = (n / (1 - max(min(end, 1 - 1e-9), 0.0) ** 2 * share) - n for end in (ends.low, ends.high))
    note = "" if correlation.value > 0 else say("combine.note.unrelated")
    interval = Interval(min(low, value), max(high, value), level, "from the interval of the correlation")
    return Estimate(value, interval, n=n, note=note)


def _difference_of_arms(one: _Arm, two: _Arm, level: float) -> CombinedEstimate:
    """Return the first arm minus the second; persons who are in both are counted once, and as pairs."""
    first, second = one.made, two.made
    n, m = _n_people(one.own, two.own), first.n_predictions + second.n_predictions
    se, alone_se = float(np.hypot(first.se, second.se)), float(np.hypot(first.people_se, second.people_se))
    paired = n < first.n_people + second.n_people
    if one.part.people[0].clusters is not None or one.part.people[0].strata is not None:
        se, alone_se = (
            float(np.sqrt(units_variance(_signed(one.part, two.part, name))))
            for name in ("deviations", "people")
        )
    few = one.few if one.few else two.few
    notes = "; ".join(dict.fromkeys([*one.notes, *two.notes]))
    estimates = with_ends([one.part, two.part], n, level, notes, few)
    known = [part.correlation.value for part in (first, second)]
    r = None if any(v is None for v in known) else float(np.mean([v for v in known if v is not None]))
    unknown = first.worth.value is None or second.worth.value is None
    value = None if unknown else worth_in_people(n, alone_se, se)
    ends = None if paired or value is None else _ends_of_arms(first, second, value, level)
    told = dict.fromkeys(part.worth.note for part in (first, second) if part.worth.note)
    note = few if few else "; ".join(told)
    return CombinedEstimate(
        first.outcome,
        f"{first.name} − {second.name}",
        "difference",
        estimates[0],
        se,
        estimates[1],
        alone_se,
        float(np.mean([first.weight, second.weight])),
        Estimate(r, n=n, note=say("combine.note.two_arms" if r is not None else "combine.note.constant")),
        n,
        m,
        None if value is None else n + value,
        Estimate(
            value, None if few else ends, n=n, note=note if note or not paired else say("combine.note.paired")
        ),
        float(np.sqrt((first.sd**2 + second.sd**2) / 2)),
    )


def _signed(one: MeanPart, two: MeanPart, name: str) -> list[SampledRows]:
    """Return the samples of a difference."""
    return [
        replace(rows, deviations=sign * rows.deviations)
        for sign, part in ((1.0, one), (-1.0, two))
        for rows in getattr(part, name)
    ]


def _ends_of_arms(
    one: CombinedEstimate, two: CombinedEstimate, value: float, level: float
) -> Interval | None:
    """Return the interval of the worth for a difference: each arm's uncertainty, added in squares."""
    # n₀ with Σ SE²ᵢ(people) nᵢ/n₀ᵢ = n/n₀ Σ SE²ᵢ(people): people in both arms, in proportion.
    n, arms = one.n_people + two.n_people, (one, two)

    def scaled(effective: Sequence[float]) -> float:
        plain = sum(part.people_se**2 for part in arms)
        narrow = sum(
            part.people_se**2 * part.n_people / size for part, size in zip(arms, effective, strict=True)
        )
        return n * plain / narrow if narrow > 0 else float(n)

    ends = [part.worth.interval for part in arms]
    middle = [part.effective_people for part in arms if part.effective_people is not None]
    if ends[0] is None or ends[1] is None or len(middle) < 2:
        return None
    reach = []
    for side in ("low", "high"):
        steps = []
        for i, part in enumerate(arms):
            sizes = list(middle)
            sizes[i] = part.n_people + getattr(ends[i], side)
            steps.append(scaled(sizes) - scaled(middle))
        reach.append(float(np.hypot(steps[0], steps[1])))
    low, high = min(max(value - reach[0], 0.0), value), value + reach[1]
    return Interval(low, high, level, "from the intervals of the correlations")


def _combined_regression(
    outcome: str, own: MixedRows, more: MixedRows, tables: MixedTables, level: float
) -> Iterator[CombinedEstimate]:
    """Estimate the coefficients of a regression on the covariates, with an intercept."""
    y = own.answer
    assert y is not None  # noqa: S101 - the table of people
    n, m = _n_people(own), more.prediction.size
    design = drawn_together(own, more)
    w = np.ones(y.size) if own.weight is None else own.weight
    people = design.people_part(y, w)
    few = _few_words(people)
    x, xn = (np.column_stack([np.ones(len(rows.covariates)), rows.covariates]) for rows in (own, more))
    try:
        found = powered_regression(
            x,
            y,
            own.prediction,
            xn,
            more.prediction,
            weights=own.weight,
            more_weights=more.weight,
            design=design,
            level=level,
        )
    except (UndefinedError, OptionError) as fault:
        raise InputError(f"{outcome or 'the regression'}: {fault}") from fault
    correlation = _person_correlation(y, own.prediction, level)
    for i, name in enumerate(("intercept", *tables.covariates)):
        still = found.se[i] == 0  # people all gave one answer
        worth = None if still else worth_in_people(n, float(found.people_se[i]), float(found.se[i]))
        reach = found.quantile * float(found.people_se[i])
        alone = float(found.people[i])
        note = (
            correlation.note if correlation.value is None else "of this coefficient; from its standard errors"
        )
        yield CombinedEstimate(
            outcome,
            name,
            "coefficient",
            estimate_with(
                float(found.value[i]),
                (float(found.low[i]), float(found.high[i])),
                n,
                level,
                METHOD,
                "; ".join(_design_notes(people, n)),
                few,
            ),
            float(found.se[i]),
            estimate_with(alone, (alone - reach, alone + reach), n, level, "people alone", few=few),
            float(found.people_se[i]),
            found.weight,
            correlation,
            n,
            m,
            None if worth is None else n + worth,
            Estimate(worth, n=n, note=note),
            float(y.std(ddof=1)),
        )
