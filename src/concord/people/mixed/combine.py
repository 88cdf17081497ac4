"""People and predictions to estimates: means, shares, differences between arms, coefficients."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from concord.errors import InputError, UndefinedError
from concord.files import limits
from concord.files.gate import refuse_more
from concord.files.tables import table_options
from concord.number_words import grouped, level_words, number, p_words
from concord.numeric import gated
from concord.people.mixed.result import CombinedEstimate, CombineResult
from concord.people.mixed.table import CONTROLS, MixedRows, MixedTables, read_mixed
from concord.records import Estimate, Interval
from concord.stats.answer_spread import answer_spread, person_correlation_error, person_correlation_interval
from concord.stats.elementwise import Floats
from concord.stats.prediction_powered import (
    FEWEST_PEOPLE,
    PoweredMean,
    effective_people,
    powered_deviations,
    powered_mean,
    powered_regression,
    quantile,
)
from concord.stats.skewed import skewed_sum_ends

UNLIKE = 0.1
"""Standardised difference of predictions between the two tables that is warned of, where it is no chance."""
Weighted = tuple[Floats, Floats | None]
"""Values and their sampling weights."""


def unlike_tables(
    outcome: str, own: MixedRows, more: MixedRows, covariates: Sequence[str], predictions: Sequence[str]
) -> Iterator[str]:
    """Warn where the two tables do not look like samples of one population."""
    where = f"{outcome}: " if outcome else ""
    yield from (f"{where}{words}, which biases the estimate" for words in predictions)
    for i, name in enumerate(covariates):
        words = _other_population(
            name, (own.covariates[:, i], own.weight), (more.covariates[:, i], more.weight)
        )
        yield from (f"{where}{found}, which biases the estimate" for found in words)
    if set(own.arm) != set(more.arm):
        yield f"{where}the two tables do not have the same arms"


def other_predictions(own: MixedRows, more: MixedRows) -> Iterator[str]:
    """Say in which arms predictions of the people are unlike the further ones."""
    samples, others = own.by_arm(), more.by_arm()
    arms = sorted(samples.keys() & others.keys())
    for arm in arms:
        first, second = samples[arm], others[arm]
        name = "predictions" if len(arms) == 1 else f"predictions in {arm!r}"
        yield from _other_population(
            name, (first.prediction, first.weight), (second.prediction, second.weight)
        )


def _other_population(name: str, own: Weighted, more: Weighted) -> Iterator[str]:
    """Say that two samples have other means than one population gives, where it is no chance."""
    if min(own[0].size, more[0].size) < 2 or any(w is not None and not w.any() for _, w in (own, more)):
        return
    (mean, variance, noise), (mean_more, variance_more, noise_more) = map(_moments, (own, more))
    sd, se = float(np.sqrt((variance + variance_more) / 2)), float(np.sqrt(noise + noise_more))
    if sd == 0 or se == 0:
        return
    gap = abs(mean - mean_more)
    p = float(2 * special.ndtr(-gap / se))
    if gap / sd > UNLIKE and p < 0.01:
        yield (
            f"{name} of the people and of the further predictions differ by {number(gap / sd, 2)} SD "
            f"({p_words(p)}): they seem to come from different populations"
        )


def _moments(sample: Weighted) -> tuple[float, float, float]:
    """Return weighted mean and variance, and the variance of that mean, which weights make a ratio."""
    values, weights = sample
    w = np.ones(values.size) if weights is None else weights / weights.mean()
    mean = float((w * values).mean())
    variance = float((w * (values - mean) ** 2).sum() / (values.size - 1))
    return mean, variance, float((w * (values - mean)).var(ddof=1) / values.size)


METHOD = "prediction-powered (PPI++)"
FEW = f"no interval: fewer than {FEWEST_PEOPLE} people"
ONE_ANSWER = "no interval: people all gave one answer"
_SKEW = "skewness taken out (Hall 1992)"


@dataclass(frozen=True, slots=True, eq=False)
class MeanPart:
    """A mean, and what each person and prediction does to it: with predictions, and of people alone."""

    mean: PoweredMean
    deviations: tuple[Floats, ...]
    people: tuple[Floats, ...]
    is_constant: bool
    """Whether people all gave one answer: then they say nothing of the spread, whatever predictions do."""


def with_ends(parts: Sequence[MeanPart], n: int, level: float, note: str) -> tuple[Estimate, Estimate]:
    """Return a mean, or the first minus the second, with predictions and of people alone.

    Skewness is taken out of both intervals.
    """
    signed = list(zip((1.0, -1.0)[: len(parts)], parts, strict=True))
    sides = (
        (METHOD, sum(sign * part.mean.value for sign, part in signed), "deviations"),
        ("people alone", sum(sign * part.mean.people for sign, part in signed), "people"),
    )
    is_silent = any(part.is_constant for part in parts)
    made = []
    for method, value, name in sides:
        samples = [sign * one for sign, part in signed for one in getattr(part, name)]
        ends = None if is_silent else skewed_sum_ends(value, samples, level=level)
        made.append(estimate_with(value, ends, n, level, f"{method}, {_SKEW}", note))
    return made[0], made[1]


def estimate_with(
    value: float, ends: tuple[float, float] | None, n: int, level: float, method: str, note: str = ""
) -> Estimate:
    """Return an estimate with its interval, or with the reason why it has none."""
    if n < FEWEST_PEOPLE:
        return Estimate(value, n=n, method=method, note=FEW)
    if ends is None:
        return Estimate(value, n=n, method=method, note=ONE_ANSWER)
    return Estimate(value, Interval(*ends, level, method), n=n, method=method, note=note)


_TAIL = "answers have a tail, and unseen ones may decide the mean: the interval may cover less than it says"
TAIL_SHOWS = 500
"""People from which on an interval of skewed answers covers what it says."""
_WEIGHTED = "worth without an interval: with weights it is the ratio of the two standard errors"
_CONSTANT = "the predictions are all one number: they are worth nothing"


@gated()
def combine(
    people: Any,
    predictions: Any,
    *,
    regress: Sequence[str] = (),
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    missing: str | Sequence[object] | None = None,
    strict: bool = False,
    level: float = 0.95,
) -> CombineResult:
    """Combine people's answers with a model's predictions: what the model is worth in participants.

    Parameters
    ----------
    people
        A table (path, frame or rows), one row per person: ``answer`` (also ``human``, ``y``) and
        ``prediction`` (also ``agent``, ``f``), the model's reply for this person; ``arm``, ``outcome`` and
        ``weight`` where there are.
    predictions
        A table of further predictions of the same model for the same population, without answers.
    regress
        Columns of both tables that the answers are regressed on; otherwise means, shares and, with two arms,
        their difference are estimated.
    sheet, encoding, decimal_comma
        How tables are read.
    missing
        Codes for no answer, as a text (``"99,-1,refused"``) or a list.
    strict
        Refuse tables with a cell that cannot be read, instead of leaving its row out and listing it.
    level
        Nominal coverage.

    Returns
    -------
    CombineResult
        Estimate, interval, and what the predictions are worth in participants; prints itself.

    Raises
    ------
    InputError
        The tables cannot be combined; the message says why.

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
    options = table_options(
        sheet=sheet, encoding=encoding, decimal_comma=decimal_comma, missing=missing, strict=strict
    )
    tables = read_mixed(people, predictions, covariates=regress, options=options)
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
    said = sentence(made, made[-1] if len(outcomes) == 1 else made[0])
    if told[0] and not regress:
        said = _not_together(made[0], told[0][0], len(outcomes))
    return CombineResult(tuple(made), said, level, tables.inputs, tuple(warnings), tables.left_out)


def sentence(estimates: Sequence[CombinedEstimate], one: CombinedEstimate) -> str:
    """Say what the predictions are worth for an estimate, which of how many it is, and for the others."""
    told = _worth_words(one)
    others = [other.worth.value for other in estimates if other is not one]
    if not others:
        return f"{told}."
    known = [value for value in others if value is not None]
    rest = f"{grouped(min(known))} to {grouped(max(known))}" if len(known) > 1 else ""
    rest = "not known" if not known else rest or grouped(known[0])
    return f"{told}; this is the estimate {one.of!r}, for the other {len(others)} it is {rest}."


def _worth_words(one: CombinedEstimate) -> str:
    """Say what the predictions are worth, and no more than the interval shows."""
    n, m = one.n_people, one.n_predictions
    worth, ends = one.worth.value, one.worth.interval
    start = f"With {n:,} people, {m:,} replies of this model"
    if worth is None:
        return f"{start} are worth an unknown number of people: {one.worth.note}"
    if worth < 0.5 and (ends is None or ends.high < 0.5):
        return (
            f"{start} are worth no more people: {one.worth.note or 'they do not go along with the answers'}"
        )
    between = (
        "" if ends is None else f" ({level_words(ends.level)} {grouped(ends.low)} to {grouped(ends.high)})"
    )
    return f"{start} are worth {grouped(worth)} more people{between}"


def _not_together(one: CombinedEstimate, unlike: str, n_outcomes: int) -> str:
    """Say that predictions of another population cannot stand for more people."""
    start = f"With {one.n_people:,} people, {one.n_predictions:,} replies of this model"
    which = "" if n_outcomes == 1 else f"; this is the outcome {one.outcome!r}, 1 of {n_outcomes}"
    return f"{start} give no unbiased estimate: {unlike}{which}."


def _combined_means(
    outcome: str, own: MixedRows, more: MixedRows, level: float
) -> Iterator[CombinedEstimate]:
    """Estimate the mean, or the mean of each arm and their difference."""
    samples, others = own.by_arm(), more.by_arm()
    arms = sorted(samples, key=_control_last)
    assert own.answer is not None  # noqa: S101 - the table of people
    kind = "share" if set(np.unique(own.answer)) <= {0.0, 1.0} else "mean"
    if len(arms) == 1:
        yield _combined_mean(outcome, kind, kind, own, more, level)[0]
        return
    parts = []
    for arm in arms:
        if arm not in others:
            raise InputError(f"the further predictions have no row of the arm {arm!r}")
        parts.append(_combined_mean(outcome, arm, kind, samples[arm], others[arm], level))
        yield parts[-1][0]
    if len(arms) == 2:
        yield _difference_of_arms(outcome, arms, parts, level)


def _refuse_arms(own: MixedRows) -> None:
    """Refuse more arms than can be estimated, before any is looked at."""
    n_arms = len(set(own.arm))
    refuse_more(n_arms, limits.ARMS, "arms", "the table of people", "combine some of them at a time")


def _control_last(arm: str) -> tuple[bool, str]:
    """Order arms by name, what is called a control last: a difference is an effect of the other."""
    return arm.casefold() in CONTROLS, arm


def _combined_mean(
    outcome: str, name: str, kind: str, own: MixedRows, more: MixedRows, level: float
) -> tuple[CombinedEstimate, MeanPart]:
    y = own.answer
    assert y is not None  # noqa: S101 - the table of people
    given = (y, own.prediction, more.prediction)
    weights: dict[str, Any] = {"weights": own.weight, "more_weights": more.weight}
    try:
        found = powered_mean(*given, **weights, level=level)
    except UndefinedError as fault:
        raise InputError(f"{outcome or name}: {fault}") from fault
    n, m = y.size, more.prediction.size
    part = MeanPart(
        found,
        powered_deviations(*given, found.weight, **weights),
        powered_deviations(*given, 0.0, **weights)[:1],
        bool(np.ptp(y) == 0),
    )
    correlation = _person_correlation(y, own.prediction, level)
    effective, worth = _effective_of(n, m, correlation.value), _worth_of(n, m, correlation, level)
    if own.weight is not None or more.weight is not None:
        effective = n * (found.people_se / found.se) ** 2 if found.se > 0 else float(n)
        worth = Estimate(effective - n, n=n, note=correlation.note if correlation.note else _WEIGHTED)
    note = _TAIL if kind == "mean" and n < TAIL_SHOWS and answer_spread(y).has_tail else ""
    estimates = with_ends([part], n, level, note)
    made = CombinedEstimate(
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
        effective,
        worth,
        float(y.std(ddof=1)),
    )
    return made, part


def _person_correlation(y: Floats, f: Floats, level: float) -> Estimate:
    if np.ptp(f) == 0 or np.ptp(y) == 0:
        return Estimate(None, n=y.size, note=_CONSTANT if np.ptp(f) == 0 else "people all gave one answer")
    r = float(np.corrcoef(y, f)[0, 1])
    if y.size < FEWEST_PEOPLE or abs(r) >= 1:
        return Estimate(r, n=y.size, note=FEW if y.size < FEWEST_PEOPLE else "")
    se, df = person_correlation_error(y, f)
    found = person_correlation_interval(r, y.size, se=se, df=df, level=level)
    return Estimate(r, Interval(found.low, found.high, level, "Fisher's z, influence of persons"), n=y.size)


def _effective_of(n: int, m: int, r: float | None) -> float:
    return float(n) if r is None else float(effective_people(n, m, min(r, 1 - 1e-9)))


def _worth_of(n: int, m: int, correlation: Estimate, level: float) -> Estimate:
    """Return effective people minus people, its interval from that of the correlation."""
    if correlation.value is None:
        return Estimate(0.0, n=n, note=correlation.note)
    value = _effective_of(n, m, correlation.value) - n
    ends = correlation.interval
    if ends is None:
        return Estimate(value, n=n, note=correlation.note)
    low, high = (_effective_of(n, m, end) - n for end in (ends.low, ends.high))
    note = "" if correlation.value > 0 else "the predictions do not go along with the answers"
    return Estimate(value, Interval(low, high, level, "from the interval of the correlation"), n=n, note=note)


def _difference_of_arms(
    outcome: str,
    arms: Sequence[str],
    parts: Sequence[tuple[CombinedEstimate, MeanPart]],
    level: float,
) -> CombinedEstimate:
    """Return the first arm minus the second; people of both arms are counted together."""
    one, two = (part[0] for part in parts)
    a, b = (part[1].mean for part in parts)
    n, m = one.n_people + two.n_people, one.n_predictions + two.n_predictions
    se, alone_se = float(np.hypot(a.se, b.se)), float(np.hypot(a.people_se, b.people_se))
    tail = _TAIL if _TAIL in (one.estimate.note, two.estimate.note) else ""
    few = min(one.n_people, two.n_people)
    estimates = with_ends([part[1] for part in parts], few, level, tail)
    known = [part.correlation.value for part in (one, two)]
    r = None if any(v is None for v in known) else float(np.mean([v for v in known if v is not None]))
    # both arms' variances with and without predictions: how many people would do the same
    effective, ends = _effective_of_arms(one, two)
    if _WEIGHTED in (one.worth.note, two.worth.note) and se > 0:
        effective, ends = n * (alone_se / se) ** 2, None
    worth = (
        Estimate(effective - n, ends, n=n) if few >= FEWEST_PEOPLE else Estimate(effective - n, n=n, note=FEW)
    )
    notes = dict.fromkeys(part.worth.note for part in (one, two) if part.worth.note)
    return CombinedEstimate(
        outcome,
        f"{arms[0]} − {arms[1]}",
        "difference",
        estimates[0],
        se,
        estimates[1],
        alone_se,
        float(np.mean([a.weight, b.weight])),
        Estimate(r, n=n, note="mean of the two arms" if r is not None else _CONSTANT),
        n,
        m,
        effective,
        worth if worth.note or not notes else Estimate(worth.value, worth.interval, n, note="; ".join(notes)),
        float(np.sqrt((one.sd**2 + two.sd**2) / 2)),
    )


def _effective_of_arms(one: CombinedEstimate, two: CombinedEstimate) -> tuple[float, Interval | None]:
    """n₀ with Σ s²/n₀ᵢ = Σ s²/nᵢ (1 - ρ² Nᵢ/(nᵢ + Nᵢ)): people in both arms, in proportion."""
    n = one.n_people + two.n_people

    def scaled(effective: Sequence[float]) -> float:
        plain = sum(part.sd**2 / part.n_people for part in (one, two))
        narrow = sum(part.sd**2 / size for part, size in zip((one, two), effective, strict=True))
        return n * plain / narrow if narrow > 0 else float(n)

    value = scaled([one.effective_people, two.effective_people])
    ends = [part.worth.interval for part in (one, two)]
    if any(end is None for end in ends):
        return value, None
    known = [end for end in ends if end is not None]
    # each arm's uncertainty on its own, added in squares
    reach = []
    for side in ("low", "high"):
        steps = []
        for i in (0, 1):
            sizes = [one.effective_people, two.effective_people]
            sizes[i] = (one, two)[i].n_people + getattr(known[i], side)
            steps.append(scaled(sizes) - value)
        reach.append(float(np.hypot(steps[0], steps[1])))
    low = max(value - n - reach[0], 0.0)
    return value, Interval(
        low, value - n + reach[1], known[0].level, "from the intervals of the correlations"
    )


def _combined_regression(
    outcome: str, own: MixedRows, more: MixedRows, tables: MixedTables, level: float
) -> Iterator[CombinedEstimate]:
    """Estimate the coefficients of a regression on the covariates, with an intercept."""
    y = own.answer
    assert y is not None  # noqa: S101 - the table of people
    n, m = y.size, more.prediction.size
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
            level=level,
        )
    except UndefinedError as fault:
        raise InputError(f"{outcome or 'the regression'}: {fault}") from fault
    correlation = _person_correlation(y, own.prediction, level)
    for i, name in enumerate(("intercept", *tables.covariates)):
        ratio = float(found.people_se[i] / found.se[i]) ** 2 if found.se[i] > 0 else 1.0
        reach = quantile(n, level) * float(found.people_se[i])
        alone = float(found.people[i])
        note = (
            correlation.note if correlation.value is None else "of this coefficient; from its standard errors"
        )
        yield CombinedEstimate(
            outcome,
            name,
            "coefficient",
            estimate_with(
                float(found.value[i]), (float(found.low[i]), float(found.high[i])), n, level, METHOD
            ),
            float(found.se[i]),
            estimate_with(alone, (alone - reach, alone + reach), n, level, "people alone"),
            float(found.people_se[i]),
            found.weight,
            correlation,
            n,
            m,
            n * ratio,
            Estimate(n * ratio - n, n=n, note=note),
            float(y.std(ddof=1)),
        )
