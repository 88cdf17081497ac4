"""People until enough: an interval that may be looked at after every batch, and what to buy next."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from scipy import special

from concord.errors import InputError, OptionError, UndefinedError
from concord.files.tables import TableChoices, table_options
from concord.number_words import interval, number
from concord.numeric import NumberRule, above_zero, from_zero, gated, whole
from concord.people.mixed.result import BatchLook, SequencedPart, SequenceRules, SequentialResult
from concord.people.mixed.table import MixedRows, read_mixed
from concord.people.table.columns import CONTROLS
from concord.records import Estimate, InputFile, Interval
from concord.stats.sequential import (
    SKEWED,
    NextPurchase,
    SequencedMean,
    betting_ends,
    joined_variance,
    maximum_reach,
    mixture_reach,
    mixture_tuning,
    next_purchase,
    people_sums,
    sequenced_mean,
    too_few_to_look,
)
from concord.stats.skewed import tail_shape


@gated(
    planned_people=whole(2),
    max_people=whole(2),
    width=above_zero("the wished width of the interval, a number above 0"),
    decide=NumberRule(-1e12, 1e12, "the value that the interval should leave out, a number"),
    scale_min=NumberRule(-1e12, 1e12, "the lower end of the scale, a number"),
    scale_max=NumberRule(-1e12, 1e12, "the upper end of the scale, a number"),
    cost_person=above_zero("the price of a person, a number above 0"),
    cost_reply=from_zero("the price of a reply, a number of 0 or more"),
)
def combine_sequential(
    people: Any,
    predictions: Any = None,
    *,
    state: SequentialResult | str | Path | None = None,
    planned_people: int | None = None,
    max_people: int | None = None,
    stop: str | None = None,
    exact: bool | None = None,
    scale_min: float | None = None,
    scale_max: float | None = None,
    width: float | None = None,
    decide: float | None = None,
    cost_person: float | None = None,
    cost_reply: float | None = None,
    cluster: str | None = None,
    stratum: str | None = None,
    level: float | None = None,
    **how: Unpack[TableChoices],
) -> SequentialResult:
    """Add a batch of people, and of further predictions, to an estimate that may be looked at at any time.

    Parameters
    ----------
    people
        A table of new people as in `combine`: ``answer``, ``prediction``; ``person`` and ``arm`` too.
    predictions
        A table of further predictions; a table that is counted already is not counted again.
    state
        What earlier batches gave: the result or its folder; none: this is the first batch.
    planned_people, max_people, stop, exact, scale_min, scale_max, level
        Fixed by the first batch: people at whom the interval should be narrowest; the most people there will
        be (no look after them); ``any`` or ``width`` (stops by the width, never by the value); betting, exact
        and without predictions; the ends of the scale; nominal coverage.
    width, decide
        When it is enough: a width of the interval, or a value that it leaves out.
    cost_person, cost_reply
        Prices, for what to buy next.
    cluster, stratum
        Columns: what was drawn together (persons count by themselves), and what people were drawn within;
        estimates of strata are joined with their shares of the further predictions.
    how
        How tables are read, as `TableChoices` says.
    """
    asked = {
        "planned_people": planned_people, "max_people": max_people, "stop": stop, "exact": exact,
        "scale_min": scale_min, "scale_max": scale_max, "level": level,
    }  # fmt: skip
    before = state if state is None or isinstance(state, SequentialResult) else SequentialResult.read(state)
    rules = _fixed_rules(None if before is None else before.rules, asked)
    options = table_options(**how)
    ends = rules.scale_min, rules.scale_max
    scale = None if ends[0] is None or ends[1] is None else (ends[0], ends[1])
    tables = read_mixed(people, predictions, cluster=cluster, stratum=stratum, options=options, scale=scale)
    made = _added(before, tables.people, tables.predictions, rules, tables.inputs)
    made = replace(made, warnings=tuple(tables.warnings))
    now = _look(made, width=width, decide=decide, prices=(cost_person, cost_reply))
    return replace(made, looks=(*made.looks, now))


def _fixed_rules(before: SequenceRules | None, asked: dict[str, Any]) -> SequenceRules:
    """Return the rules of the first batch; refuse others afterwards."""
    given = {name: value for name, value in asked.items() if value is not None}
    if before is not None:
        changed = [name for name, value in given.items() if getattr(before, name) != value]
        if changed:
            raise OptionError(
                f"{changed[0]} was {getattr(before, changed[0])} at the first look and cannot become "
                f"{given[changed[0]]}: what an interval promises rests on it; leave it out"
            )
        return before
    made = SequenceRules(**given)
    if made.stop not in ("any", "width"):
        raise OptionError(f"stop is {made.stop!r}; expected any or width")
    if made.stop == "width" and (made.max_people is not None or made.exact):
        raise OptionError("stop width has the ordinary interval: leave out max_people and exact")
    if (made.scale_min is None) != (made.scale_max is None):
        raise OptionError("a scale has two ends: give scale_min and scale_max, or neither")
    return made


def _digest(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16]


def _added(
    before: SequentialResult | None,
    own: MixedRows,
    more: MixedRows,
    rules: SequenceRules,
    inputs: tuple[InputFile, ...],
) -> SequentialResult:
    """Count a batch, once."""
    y = own.answer
    if y is None or not y.size:
        raise InputError("no row of the people has both an answer and a prediction; fill these columns")
    outcomes = sorted({*own.outcome})
    if len(outcomes) > 1 or (before is not None and outcomes != [before.outcome]):
        raise InputError(
            f"looks are at one outcome at a time, and the tables hold {', '.join(map(repr, outcomes[:4]))}"
        )
    if own.weight is not None or more.weight is not None:
        raise InputError("rows with weights cannot be looked at at any time; leave the column of weights out")
    arms = tuple(sorted({*own.arm}, key=lambda arm: (arm.casefold() in CONTROLS, arm)))
    if len(arms) > 2 or (before is not None and not set(arms) <= set(before.arms)):
        raise InputError(f"one arm, or two to be compared, the same in every batch; got {', '.join(arms)}")
    _refuse_off_scale(y, rules)
    rows = _digest(y.tolist(), own.prediction.tolist(), own.arm)
    earlier = () if before is None else before.batches
    if rows in earlier:
        raise InputError("this batch of people is counted already: the same people cannot count twice")
    further = _digest(more.prediction.tolist(), more.arm)
    persons, keys = _persons(own, y)
    again = sorted({*keys} & ({*before.known} if before is not None else set()))
    if again:
        raise InputError(
            f"{len(again)} persons of this batch are counted already: the same people cannot count twice; "
            "give the new people alone"
        )
    parts = {} if before is None else {(one.arm, one.stratum): one for one in before.parts}
    for place, units in persons.items():
        held = parts.get(place, SequencedPart(*place))
        if held.persons and tuple(units[: len(held.persons)]) == held.persons and len(held.persons) > 9:
            raise InputError(
                "this batch begins with the people of an earlier one; give the new people alone, since the "
                "same people cannot count twice"
            )
        parts[place] = replace(held, persons=(*held.persons, *units))
    if further not in earlier:
        _add_predictions(parts, more)
    whole = arms if before is None else before.arms
    answers = {*np.unique(y).tolist()}
    share = answers <= {0.0, 1.0} and (before is None or before.kind != "mean")
    kind = "difference" if len(whole) == 2 else "share" if share else "mean"
    if before is not None and before.kind == "share" and kind == "mean":
        raise InputError("earlier batches hold 0 and 1 alone, and this one other answers")
    return SequentialResult(
        outcomes[0],
        kind,
        whole,
        rules,
        () if before is None else before.looks,
        tuple(parts[place] for place in sorted(parts)),
        (*(() if before is None else before.known), *keys),
        (*earlier, *dict.fromkeys((rows, further) if further not in earlier else (rows,))),
        (*(() if before is None else before.inputs), *inputs),
    )


def _refuse_off_scale(y: np.ndarray, rules: SequenceRules) -> None:
    low, high = rules.scale_min, rules.scale_max
    if low is not None and high is not None and (y.min() < low or y.max() > high):
        raise InputError(
            f"answers lie from {y.min():g} to {y.max():g}, outside the scale {low:g} to {high:g}"
        )


def _persons(
    own: MixedRows, y: np.ndarray
) -> tuple[dict[tuple[str, str], list[tuple[int, float, float, float]]], list[str]]:
    """Add up the rows of each person, in the order in which persons came; return digests of their names."""
    labels = own.cluster if own.cluster is not None else own.person
    sums: dict[str, tuple[tuple[str, str], list[float]]] = {}
    named: dict[str, str] = {}
    for i in range(y.size):
        place = (own.arm[i], "" if own.stratum is None else own.stratum[i])
        name = f"\0{i}" if labels is None else labels[i]
        held, total = sums.setdefault(name, (place, [0, 0.0, 0.0, 0.0]))
        if held != place:
            raise InputError(f"{name!r} is in two arms or strata: looks at any time need each person in one")
        f = float(own.prediction[i])
        for k, value in enumerate((1, float(y[i]), f, f * f)):
            total[k] += value
        if not name.startswith("\0"):
            named[name] = _digest(own.outcome[i], name)
    made: dict[tuple[str, str], list[tuple[int, float, float, float]]] = {}
    for place, (rows, a, b, c) in sums.values():
        made.setdefault(place, []).append((int(rows), a, b, c))
    return made, list(named.values())


def _add_predictions(parts: dict[tuple[str, str], SequencedPart], more: MixedRows) -> None:
    """Join further predictions with those counted before: number, mean and squared deviations."""
    places = [(arm, "" if more.stratum is None else more.stratum[i]) for i, arm in enumerate(more.arm)]
    for place in sorted(set(places)):
        at = np.array([one == place for one in places])
        f = more.prediction[at]
        held = parts.get(place, SequencedPart(*place))
        n, gap = held.more + f.size, float(f.mean()) - held.more_mean
        parts[place] = replace(
            held,
            more=n,
            more_mean=held.more_mean + gap * f.size / n,
            more_squares=held.more_squares
            + float(((f - f.mean()) ** 2).sum())
            + gap**2 * held.more * f.size / n,
        )


def _look(
    made: SequentialResult,
    *,
    width: float | None,
    decide: float | None,
    prices: tuple[float | None, float | None],
) -> BatchLook:
    """BatchLook at what is there: the estimate, both intervals, prices, and what to buy next."""
    rules = made.rules
    n, more = sum(len(one.persons) for one in made.parts), sum(one.more for one in made.parts)
    if rules.max_people is not None and n > rules.max_people:
        raise InputError(
            f"{n:,} people are more than the maximum of {rules.max_people:,} that was stated before the "
            "first look: the interval does not hold after it"
        )
    means, shares = _means(made)
    cost = None if None in prices else n * (prices[0] + prices[1]) + more * prices[1]  # type: ignore[operator]
    early = _too_early(made, means)
    value, variance, plus, df, effective = (float(x) for x in joined_variance(means, shares))
    if rules.exact:
        return _exact_look(made, n, more, cost)
    if early or not variance > 0:
        note = early if early else "people and predictions do not vary"
        nothing = Estimate(value if np.isfinite(value) else None, n=n, note=note)
        return BatchLook(n, more, nothing, nothing, None, None, None, None, cost)
    se, t = plus**0.5, float(special.stdtrit(df, 0.5 + rules.level / 2))
    alone = sum(c * c * float(one.people_variance) for c, one in zip(shares, means, strict=True))
    r2 = float(np.mean([one.correlation for one in means]))
    if rules.stop == "width":
        reach, method = t * se, "ordinary; stops by width alone"
    elif rules.max_people is not None and _skew(made, means) <= SKEWED:
        reach = float(maximum_reach(_ahead(n, more, r2, rules.max_people), df, rules.level)) * se
        method = f"at every look up to {rules.max_people:,} people"
    else:
        q = mixture_tuning(rules.level) * effective / rules.planned_people
        reach, method = float(mixture_reach(q, df, rules.level)) * se, "t mixture, at any look"
    if not np.isfinite(reach):
        nothing = Estimate(value, n=n, note="too few to look: the interval is without end")
        return BatchLook(n, more, nothing, nothing, None, None, None, None, cost)
    ends = Interval(value - reach, value + reach, rules.level, method)
    enough = _enough(ends, width, decide)
    return BatchLook(
        n,
        more,
        Estimate(value, ends, n=n),
        Estimate(value, Interval(value - t * se, value + t * se, rules.level, "ordinary"), n=n),
        float(np.mean([one.weight for one in means])),
        float(np.mean([np.sign(one.weight) * one.correlation**0.5 for one in means])),
        max(1 - variance / alone, 0.0) if alone > 0 else None,
        (reach / (t * se)) ** 2,
        cost,
        None if enough else _purchase(made, (n, more), (alone * n) ** 0.5, r2, width, decide, value, prices),
        enough,
    )


def _means(made: SequentialResult) -> tuple[list[SequencedMean], list[float]]:
    """Return the mean of every arm and stratum, and the share it has in the estimate."""
    means, shares = [], []
    for k, arm in enumerate(made.arms):
        parts = [one for one in made.parts if one.arm == arm]
        whole = sum(one.more for one in parts)
        for one in parts:
            if len(parts) > 1 and (len(one.persons) < 3 or not one.more):
                raise InputError(
                    f"the stratum {one.stratum!r} has {len(one.persons)} people and {one.more} further "
                    "predictions; 3 people and further predictions are needed in each"
                )
            if not one.persons:
                raise InputError(f"no person is in the arm {arm!r}")
            units = np.asarray(one.persons)
            spread = one.more_squares / (one.more - 1) if one.more > 1 else 0.0
            means.append(sequenced_mean(people_sums(units), one.more, one.more_mean, spread))
            shares.append((1.0, -1.0)[k] * (one.more / whole if len(parts) > 1 else 1.0))
    return means, shares


def _too_early(made: SequentialResult, means: Sequence[SequencedMean]) -> str:
    """Say in which arm there are too few people to look at, or that a skewed answer forbids the width."""
    rules = made.rules
    for arm in made.arms:
        held = [
            (one, float(mean.weight)) for one, mean in zip(made.parts, means, strict=True) if one.arm == arm
        ]
        n = sum(len(one.persons) for one, _ in held)
        if n < 3:
            return f"too few to look: {n} people"
        rows, y, _, _ = np.concatenate([np.asarray(one.persons) for one, _ in held]).T
        skew, kurtosis = _shape_of_arm(held)
        yes_no = made.kind == "share" or (
            made.kind == "difference" and bool(np.isin(y / rows, (0.0, 1.0)).all())
        )
        rarer = int(min((y > 0).sum(), (y < rows).sum())) if yes_no else None
        ends = rules.scale_min is not None
        reason = too_few_to_look(n, skew, rarer=rarer, has_ends=ends, kurtosis=kurtosis)
        if reason:
            return reason if len(made.arms) == 1 else f"{arm}: {reason}"
        if rules.stop == "width" and skew > SKEWED:
            return f"answers are too skewed ({number(skew, 1)}) to stop by the width alone"
    return ""


def _shape_of_arm(held: Sequence[tuple[SequencedPart, float]]) -> tuple[float, float]:
    """Return the larger skewness and kurtosis of answers and of what predictions leave, over persons."""
    rows, y, f, _ = np.concatenate([np.asarray(one.persons) for one, _ in held]).T
    weight = np.repeat([w for _, w in held], [len(one.persons) for one, _ in held])
    away = [values - rows * values.sum() / rows.sum() for values in (y, y - weight * f)]
    shapes = [tail_shape(values) for values in away]
    return max(abs(one.skewness) for one in shapes), max(one.kurtosis for one in shapes)


def _skew(made: SequentialResult, means: Sequence[SequencedMean]) -> float:
    """Return the largest skewness of an arm: with it the interval up to a maximum would miss too often."""
    parts = [(one, float(mean.weight)) for one, mean in zip(made.parts, means, strict=True)]
    return max(_shape_of_arm([held for held in parts if held[0].arm == arm])[0] for arm in made.arms)


def _ahead(n: int, more: int, r2: float, most: int) -> float:
    """V now over V at the most people, by today's correlation."""

    def variance(people: int) -> float:
        return (1 - r2 * more / (people + more)) / people

    return variance(n) / variance(most)


def _exact_look(made: SequentialResult, n: int, more: int, cost: float | None) -> BatchLook:
    rules, (part, *others) = made.rules, made.parts
    rows, y, _, _ = np.asarray(part.persons).T
    if others or np.ptp(rows) > 0:
        raise InputError("the exact interval needs one arm, no strata, and as many rows of every person")
    share = made.kind == "share"
    low, high = (0.0, 1.0) if share else (rules.scale_min, rules.scale_max)
    if low is None or high is None:
        raise OptionError("the exact interval needs the ends of the scale: give scale_min and scale_max")
    values = y / rows
    try:
        ends = betting_ends((values - low) / (high - low), planned=rules.planned_people, level=rules.level)
    except UndefinedError as fault:
        raise InputError(str(fault)) from fault
    at = Interval(low + ends[0] * (high - low), low + ends[1] * (high - low), rules.level, "betting, exact")
    found = Estimate(float(values.mean()), at, n=n)
    return BatchLook(n, more, found, Estimate(found.value, n=n, note="exact"), 0.0, None, 0.0, None, cost)


def _enough(ends: Interval, width: float | None, decide: float | None) -> str:
    if width is not None and ends.high - ends.low <= width:
        return f"the interval is no wider than {width:g}"
    if decide is not None and not ends.low <= decide <= ends.high:
        return f"the interval {interval(ends, 3)} leaves out {decide:g}"
    return ""


def _purchase(
    made: SequentialResult,
    counted: tuple[int, int],
    sd: float,
    r2: float,
    width: float | None,
    decide: float | None,
    value: float,
    prices: tuple[float | None, float | None],
) -> NextPurchase | None:
    """Look ahead to what reaches the wished width, or decides at today's estimate."""
    person, reply = prices
    margin = width / 2 if width is not None else None if decide is None else abs(value - decide)
    if person is None or reply is None or margin is None or margin == 0 or made.rules.stop == "width":
        return None
    most = 1_000_000 if made.rules.max_people is None else made.rules.max_people
    try:
        return next_purchase(
            sd, r2, people=counted[0], replies=counted[1], margin=margin, planned=made.rules.planned_people,
            person_cost=person, reply_cost=reply, level=made.rules.level, most=most,
        )  # fmt: skip
    except UndefinedError:
        return None
