"""One outcome of one agent: its cells, every number with its interval, its noise floor and its place."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from concord.errors import UndefinedError
from concord.number_words import significant
from concord.people.answers.records import (
    COVERS_LESS,
    DISTANCES,
    MOST_OPTIONS,
    AnswerNumber,
    AnswerSet,
    Moments,
    OutcomeAnswers,
    OutcomeKey,
)
from concord.records import Estimate, Interval, UnreadBounds
from concord.stats.answer_spread import (
    LEAST_DF,
    RatioEnds,
    Spread,
    answer_spread,
    entropy_ratio,
    influence_df,
    joined_df,
    kish_n,
    person_correlation_error,
    person_correlation_interval,
    shared_log_variance,
    variance_ratio,
)
from concord.stats.distances import AnswerCounts, DistanceReading, read_distances
from concord.stats.elementwise import Floats
from concord.stats.unread import bounded, distance_bounds

GRID = 20
"""Cells of the grid on which distributions of values are compared."""
FINE = 64
"""Cells of the grid on which cumulative distributions of values are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of an outcome, the same for all agents."""

    kind: str
    edges: Floats
    """Options, or the left ends of the cells of a grid, ascending."""
    range: float
    """Of the scale where it is given, else of people's answers."""
    pooled: Floats | None = None
    """People's shares over all conditions, where the outcome has several."""
    is_bounded: bool = False
    """Whether the ends of the scale are known, so that random answers are."""

    def counts(self, values: Floats, weights: Floats | None = None) -> Floats:
        """Count answers per cell; weighted ones by weight, as many in all as Kish's n."""
        if self.kind != "values":
            place = np.searchsorted(self.edges, values)
        else:
            place = np.clip(np.searchsorted(self.edges, values, side="right") - 1, 0, len(self.edges) - 1)
        if weights is None or not values.size:
            return np.bincount(place, minlength=len(self.edges)).astype(np.float64)
        size = max(1, round(kish_n(weights)))
        return np.asarray(np.bincount(place, weights, len(self.edges)) * (size / weights.sum()))

    @property
    def labels(self) -> tuple[str, ...]:
        """Cells in words."""
        return tuple(significant(edge, 3) if self.kind == "values" else f"{edge:g}" for edge in self.edges)


def lay_out(sets: Iterable[Sequence[AnswerSet | Moments]]) -> dict[OutcomeKey, Cells]:
    """Lay out the cells of every outcome from the answers of people and of all agents."""
    values: dict[tuple[str, str], list[Floats]] = {}
    people: dict[tuple[str, str], dict[str, AnswerSet]] = {}
    example: dict[tuple[str, str], AnswerSet] = {}
    keys: list[OutcomeKey] = []
    for own in sets:
        for one in own:
            if isinstance(one, Moments):
                continue
            name = (one.key.study, one.key.outcome)
            values.setdefault(name, []).extend((one.people, one.replies))
            people.setdefault(name, {}).setdefault(one.key.condition, one)
            example.setdefault(name, one)
            keys.append(one.key)
    made = {
        name: _outcome_cells_of(example[name], np.unique(np.concatenate(found)), people[name])
        for name, found in values.items()
    }
    return {key: made[key.study, key.outcome] for key in keys}


def _outcome_cells_of(one: AnswerSet, values: Floats, people: Mapping[str, AnswerSet]) -> Cells:
    everybody = np.concatenate([own.people for own in people.values()])
    span = float(np.ptp(everybody)) if everybody.size else 0.0
    if one.options:
        return _with_pooled(Cells("choice", np.arange(len(one.options), dtype=np.float64), 1.0), people)
    low, high = one.scale if one.scale is not None else (np.nan, np.nan)
    bounded = one.scale is not None
    whole = bool(np.all(values == np.round(values)))
    if (
        bounded
        and whole
        and high - low < MOST_OPTIONS
        and values.size
        and low <= values[0]
        and values[-1] <= high
    ):
        return _with_pooled(
            Cells("scale", np.arange(low, high + 1, dtype=np.float64), high - low, is_bounded=True), people
        )
    if values.size <= MOST_OPTIONS:
        return _with_pooled(Cells("scale", values, high - low if bounded else span, is_bounded=True), people)
    begin, width = (low, high - low) if bounded else (float(everybody.min()), span)
    edges = begin + width * np.arange(GRID) / GRID
    return _with_pooled(Cells("values", edges, width, is_bounded=bounded), people)


def _with_pooled(cells: Cells, people: Mapping[str, AnswerSet]) -> Cells:
    """Keep people's shares over all conditions, where there are several."""
    if len(people) < 2:
        return cells
    counts = np.sum([cells.counts(*_side(own, own.human)) for own in people.values()], axis=0)
    return Cells(cells.kind, cells.edges, cells.range, counts / counts.sum(), cells.is_bounded)


def _side(one: AnswerSet, side: Floats) -> tuple[Floats, Floats | None]:
    """Return the answers of a side, and their weights."""
    return side[~np.isnan(side)], one.weights_of(side)


def _pair_weights(one: AnswerSet) -> Floats | None:
    """Return the weights of persons who are on both sides."""
    return None if one.weight is None else one.weight[~np.isnan(one.human) & ~np.isnan(one.agent)]


def dependence(one: AnswerSet, cells: Cells) -> float:
    """Correlate the two sides' shares over persons: what persons in both samples have in common."""
    # With indicator variables of cells, 2 Σ cov(1[h = k], 1[a = k]) / Σ (var + var); 0 without pairs.
    h, a = one.pairs
    if h.size < 2 or h.size < 0.5 * min(one.people.size, one.replies.size):
        return 0.0
    w = _pair_weights(one)
    p, q = (count / count.sum() for count in (cells.counts(h, w), cells.counts(a, w)))
    same = _same_cell(h, a, cells, w)
    variances = float((p * (1 - p)).sum() + (q * (1 - q)).sum())
    if variances <= 0:
        return 0.0
    share = min(1.0, h.size / max(one.people.size, one.replies.size))
    return float(np.clip(2 * (same - float(p @ q)) / variances * share, 0.0, 0.95))


def _same_cell(h: Floats, a: Floats, cells: Cells, weights: Floats | None) -> float:
    """Return the share of persons whose two answers fall into one cell."""
    if cells.kind == "values":
        places = [np.searchsorted(cells.edges, side, side="right") for side in (h, a)]
    else:
        places = [np.searchsorted(cells.edges, side) for side in (h, a)]
    return float(np.average(places[0] == places[1], weights=weights))


def as_counts(one: AnswerSet, cells: Cells) -> AnswerCounts:
    """Return both sides as counts over the cells."""
    ordered = cells.kind != "choice" and cells.range > 0
    return AnswerCounts(
        cells.counts(*_side(one, one.human)),
        cells.counts(*_side(one, one.agent)),
        cells.edges if ordered else None,
        cells.range if ordered else 1.0,
        dependence(one, cells),
    )


def as_fine_counts(one: AnswerSet, cells: Cells, counts: AnswerCounts) -> AnswerCounts:
    """Return values as counts over fine cells, for cumulative distributions."""
    both = np.concatenate([one.people, one.replies])
    edges = np.unique(both)
    if edges.size > FINE:
        edges = np.union1d(np.quantile(both, np.arange(FINE) / FINE, method="lower"), _after_atoms(both))
    fine = Cells("values", edges, cells.range)
    middle = np.bincount(
        np.searchsorted(edges, both, side="right") - 1, weights=both, minlength=edges.size
    ) / np.maximum(np.bincount(np.searchsorted(edges, both, side="right") - 1, minlength=edges.size), 1)
    sides = [fine.counts(*_side(one, side)) for side in (one.human, one.agent)]
    return AnswerCounts(sides[0], sides[1], middle, cells.range, counts.dependence)


def _after_atoms(values: Floats) -> Floats:
    """Return what follows each value that many gave, so that it has a cell of its own."""
    # Where 0 shares its cell with small amounts, the largest gap of two distributions is not seen.
    distinct, counts = np.unique(values, return_counts=True)
    many = np.flatnonzero(counts[:-1] * FINE > values.size)
    return np.asarray(distinct[many + 1])


def exact_distances(one: AnswerSet, cells: Cells) -> dict[str, float]:
    """Compute W1 and KS from the answers themselves."""
    at = np.unique(np.concatenate([one.people, one.replies]))
    below = []
    for values, weights in (_side(one, one.human), _side(one, one.agent)):
        order = np.argsort(values)
        mass = np.append(0.0, np.cumsum(np.ones(values.size) if weights is None else weights[order]))
        below.append(mass[np.searchsorted(values[order], at, side="right")] / mass[-1])
    apart = np.abs(below[0] - below[1])
    return {"w1": float((apart[:-1] * np.diff(at)).sum() / cells.range), "ks": float(apart.max())}


SCALE_POINTS = 11
"""Distinct answers up to which answers are those of a scale with ends, though none was given."""
SHOWS_TAIL = 50
"""Answers a side from which on a tail shows itself."""
NEAR_ENDS = 0.65
"""What one more answer at the far end may add to the variance, as a share of it, where ends are near."""
FEWEST = 5
"""Answers per side below which there is no interval."""
INVERTED = "test inversion, the noise of the samples taken out"
_NOT_APART = "withheld: people and random answers are not apart at these numbers of answers"
_NO_REFERENCE = "withheld: there is no random answer; give scale_min and scale_max, or conditions"
FEW = f"fewer than {SHOWS_TAIL} answers on a scale without ends cannot show a tail: {COVERS_LESS}"
TAIL = f"answers have a tail, and unseen ones may decide the spread: {COVERS_LESS}"
FEWEST_RARE = 10
"""Answers beside the most frequent one below which a few persons decide a correlation."""
RARE = (
    f"fewer than {FEWEST_RARE} persons gave another answer than the most frequent one: "
    "the interval allows for more error than they show"
)
_CONSTANT = "no interval: the model gave one answer only"


def score_outcome(
    one: AnswerSet | Moments, cells: Cells | None, *, level: float, n_resamples: int, rng: np.random.Generator
) -> OutcomeAnswers:
    """Compute every number of one outcome."""
    if isinstance(one, Moments) or cells is None:
        assert isinstance(one, Moments)  # noqa: S101 - only moments have no cells
        return _from_moments(one, level)
    n, m = one.people.size, one.replies.size
    if min(n, m) == 0:
        note = "people did not answer" if n == 0 else "the model did not answer"
        return _outcome_of(one, cells, {"tvd": AnswerNumber(Estimate(None, n=0, note=f"undefined: {note}"))})
    counts = as_counts(one, cells)
    numbers: dict[str, AnswerNumber] = {}
    if cells.kind != "choice":
        note = tail_note(one, cells)
        numbers["variance_ratio"] = _variance(one, level, note)
        numbers["mean_gap"] = AnswerNumber(_mean_gap(one, level, note))
    if cells.kind != "values":
        numbers["entropy_ratio"] = AnswerNumber(_entropy(counts, level))
    numbers |= _distances(one, cells, counts, level=level, n_resamples=n_resamples, rng=rng)
    if "w1" in numbers and cells.kind == "values":
        numbers["w1"] = _noted(numbers["w1"], tail_note(one, cells))
    if one.has_pairs and cells.kind != "choice":
        numbers["person_r"] = AnswerNumber(_person_r(*one.pairs, _pair_weights(one), level=level))
        if one.group is not None:
            numbers["r_explained"] = AnswerNumber(_explained(one, level))
    return _outcome_of(one, cells, numbers)


def _outcome_of(one: AnswerSet, cells: Cells, numbers: dict[str, AnswerNumber]) -> OutcomeAnswers:
    sides = one.people, one.replies
    weights = [one.weights_of(side) for side in (one.human, one.agent)]
    counts = [cells.counts(*both) for both in zip(sides, weights, strict=True)]
    shares = [tuple(map(float, count / max(count.sum(), 1))) for count in counts]
    means = [
        float(np.average(side, weights=w)) if side.size and cells.kind != "choice" else None
        for side, w in zip(sides, weights, strict=True)
    ]
    kish = None if weights[0] is None or not sides[0].size else kish_n(weights[0])
    labels = one.options if one.options else cells.labels
    return OutcomeAnswers(
        one.key.study, one.key.outcome, one.key.condition, cells.kind, sides[0].size, sides[1].size,
        one.pairs[0].size, numbers, labels, shares[0], shares[1], (means[0], means[1]), kish,
    )  # fmt: skip


def _interval_or_none(low: float, high: float, level: float, method: str) -> Interval | None:
    return None if np.isnan(low) or np.isnan(high) else Interval(low, high, level, method)


def tail_note(one: AnswerSet, cells: Cells) -> str:
    """Say where an interval of spread may cover less than it says: answers without ends, skewed or few."""
    # A scale whose ends are near has no unseen answers far away; ends that nobody comes near are none.
    sides = one.people, one.replies
    if cells.kind == "scale" and len(cells.edges) <= SCALE_POINTS:
        return ""
    if min(side.size for side in sides) < FEWEST:
        return ""
    if one.scale is not None:
        far = any(answer_spread(side).has_tail and _far_ends(side, one.scale) for side in sides)
        return TAIL if far else ""
    if min(side.size for side in sides) < SHOWS_TAIL:
        return FEW
    return TAIL if any(answer_spread(side).has_tail for side in sides) else ""


def _far_ends(answers: Floats, scale: tuple[float, float]) -> bool:
    """Whether one more answer at an end would change the variance of these much."""
    furthest = float(np.max(np.abs(np.array(scale) - answers.mean())))
    return furthest**2 > NEAR_ENDS * answers.size * float(answers.var())


def _variance(one: AnswerSet, level: float, note: str) -> AnswerNumber:
    people, replies = one.people, one.replies
    n = min(people.size, replies.size)
    try:
        human, agent = (answer_spread(*_side(one, side)) for side in (one.human, one.agent))
        h, a = one.pairs
        joint = h.size == people.size == replies.size and one.weight is None
        shared = shared_log_variance(h, a) if joint else 0.0
        found = variance_ratio(agent, human, shared=shared, level=level)
    except UndefinedError as fault:
        return AnswerNumber(Estimate(None, n=n, note=f"undefined: {fault}"))
    return AnswerNumber(
        _ratio_estimate(found, human, agent, level, note), _variance_of_people(human, replies.size, level)
    )


def _ratio_estimate(found: RatioEnds, human: Spread, agent: Spread, level: float, note: str) -> Estimate:
    n = min(human.n, agent.n)
    if found.value == 0:
        return Estimate(0.0, n=n, note=_CONSTANT)
    if n < FEWEST:
        return Estimate(found.value, n=n, note=f"no interval: fewer than {FEWEST} answers")
    method = "Bonett 2006, kurtosis of each side, t by its degrees of freedom"
    return Estimate(found.value, _interval_or_none(found.low, found.high, level, method), n=n, note=note)


def _variance_of_people(human: Spread, m: int, level: float) -> Estimate | None:
    """Return what two samples of people show: a ratio of 1 with its range."""
    again = replace(human, n=m)
    try:
        band = variance_ratio(again, human, level=level)
    except UndefinedError:
        return None
    return Estimate(1.0, _interval_or_none(band.low, band.high, level, "two samples of people"), n=human.n)


def _entropy(counts: AnswerCounts, level: float) -> Estimate:
    n = min(counts.sizes)
    try:
        found = entropy_ratio(counts.agent, counts.human, level=level)
    except UndefinedError as fault:
        return Estimate(None, n=n, note=f"undefined: {fault}")
    if found.value == 0:
        return Estimate(0.0, n=n, note=_CONSTANT)
    return Estimate(
        found.value, _interval_or_none(found.low, found.high, level, "Miller 1955, on the log"), n=n
    )


def _mean_gap(one: AnswerSet, level: float, note: str) -> Estimate:
    if one.weight is not None:
        return _weighted_gap(one, level, note)
    h, a = one.people, one.replies
    n = min(h.size, a.size)
    sd = float(h.std(ddof=1)) if h.size > 1 else 0.0
    if sd == 0:
        return Estimate(None, n=n, note="undefined: people's answers do not vary")
    value = float(a.mean() - h.mean()) / sd
    if n < FEWEST:
        return Estimate(value, n=n, note=f"no interval: fewer than {FEWEST} answers")
    # what each person does to the mean and, since skewed answers move both, to the SD it is divided by
    dh = (h - h.mean()) / sd
    person = -dh - value / 2 * (dh**2 - 1)
    ph, pa = one.pairs
    if ph.size == h.size == a.size:
        scaled = (ph - h.mean()) / sd
        joint = (pa - a.mean()) / sd - scaled - value / 2 * (scaled**2 - 1)
        se, df = float(np.sqrt(joint.var(ddof=1) / n)), max(influence_df(joint - joint.mean()), LEAST_DF)
    else:
        vh, va = float(person.var(ddof=1)) / h.size, float(a.var(ddof=1)) / a.size / sd**2
        se = float(np.sqrt(vh + va))
        df = joined_df(vh, influence_df(person - person.mean()), va, influence_df(a - a.mean()))
    reach = float(special.stdtrit(min(df, n - 1), 0.5 + level / 2)) * se
    ends = _interval_or_none(value - reach, value + reach, level, "t by degrees of freedom, delta method")
    return Estimate(value, ends, n=n, note=note)


def _weighted_gap(one: AnswerSet, level: float, note: str) -> Estimate:
    """Return the gap of weighted means; its error is that of the two means by Kish's n."""
    n = min(one.people.size, one.replies.size)
    try:
        spread, other = (answer_spread(*_side(one, side)) for side in (one.human, one.agent))
    except UndefinedError as fault:
        return Estimate(None, n=n, note=f"undefined: {fault}")
    if spread.variance == 0:
        return Estimate(None, n=n, note="undefined: people's answers do not vary")
    h, a = (float(np.average(v, weights=w)) for v, w in (_side(one, one.human), _side(one, one.agent)))
    sd = float(np.sqrt(spread.variance))
    value = (a - h) / sd
    if n < FEWEST:
        return Estimate(value, n=n, note=f"no interval: fewer than {FEWEST} answers")
    shift = 1 / spread.n + value**2 / 4 * spread.log_se2 + other.variance / spread.variance / other.n
    reach = float(special.stdtrit(min(spread.n, other.n) - 1, 0.5 + level / 2) * np.sqrt(shift))
    ends = _interval_or_none(value - reach, value + reach, level, "t by Kish's n, delta method")
    return Estimate(value, ends, n=n, note=note)


def _distances(
    one: AnswerSet,
    cells: Cells,
    counts: AnswerCounts,
    *,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> dict[str, AnswerNumber]:
    """Compute every distance; those of cumulative distributions of values on a fine grid."""
    chance, reason = _chance(cells)
    n = min(counts.sizes)
    found = read_distances(counts, level=level, n_resamples=n_resamples, rng=rng, chance=chance)
    if cells.kind == "values" and cells.range > 0:
        fine = as_fine_counts(one, cells, counts)
        more = read_distances(fine, level=level, n_resamples=n_resamples, rng=rng)
        exact = exact_distances(one, cells)
        for name in ("w1", "ks"):
            rough, close = found[name], more[name]
            found[name] = replace(
                rough, value=exact[name], low=close.low, high=close.high, people=close.people,
                people_low=close.people_low, people_high=close.people_high,
            )  # fmt: skip
    made = {
        name: _distance(found[name], n=n, level=level, reason=reason) for name in DISTANCES if name in found
    }
    if one.n_unread and cells.kind != "values" and one.weight is None:
        tvd, asked = made["tvd"], one.n_unread + one.replies.size
        ends = distance_bounds(counts.human, counts.agent, one.n_unread)
        made["tvd"] = replace(tvd, estimate=bounded(tvd.estimate, ends, asked=asked))
    made["overlap"] = _overlap(made["tvd"], level)
    return made


def _chance(cells: Cells) -> tuple[Floats | None, str]:
    """Return what knowing nothing would answer: the marginal over conditions of values, else uniform."""
    if cells.kind == "values" and cells.pooled is not None:
        return cells.pooled, ""
    if cells.kind == "values" and not cells.is_bounded:
        return None, _NO_REFERENCE
    return None, ""


def _distance(found: DistanceReading, *, n: int, level: float, reason: str) -> AnswerNumber:
    few = n < FEWEST or found.high - found.low < 1e-9
    note = ""
    if few:
        fewer = f"fewer than {FEWEST} answers"
        note = f"no interval: {fewer if n < FEWEST else 'one answer only is known, and all gave it'}"
    interval = None if few else _interval_or_none(found.low, found.high, level, INVERTED)
    band = _interval_or_none(found.people_low, found.people_high, level, "two samples of people")
    people = Estimate(found.people, band, n=n)
    if reason or np.isnan(found.place):
        place = Estimate(None, n=n, note=reason if reason else _NOT_APART)
    else:
        z = float(special.ndtri(0.5 + level / 2))
        ends = _interval_or_none(found.place - z * found.place_se, found.place + z * found.place_se, level,
                         "resampled answers, delta method")  # fmt: skip
        place = Estimate(found.place, None if few else ends, n=n, note=note)
    random = None if reason else found.random
    return AnswerNumber(Estimate(found.value, interval, n=n, note=note), people, random, place)


def _noted(number: AnswerNumber, note: str) -> AnswerNumber:
    """Return a number whose interval has a note."""
    if not note or number.estimate.interval is None:
        return number
    return replace(number, estimate=replace(number.estimate, note=note))


def _overlap(tvd: AnswerNumber, level: float) -> AnswerNumber:
    """Overlap is 1 minus the total variation distance."""

    def turned(estimate: Estimate) -> Estimate:
        ends = estimate.interval
        value = None if estimate.value is None else 1 - estimate.value
        flipped = None if ends is None else Interval(1 - ends.high, 1 - ends.low, level, ends.method)
        held = estimate.bounds
        held = held and UnreadBounds(1 - held.high, 1 - held.low, None, held.n_unread)
        return replace(estimate, value=value, interval=flipped, bounds=held)

    people = None if tvd.people is None else turned(tvd.people)
    random = None if tvd.random is None else 1 - tvd.random
    return AnswerNumber(turned(tvd.estimate), people, random, tvd.place)


def _person_r(h: Floats, a: Floats, weights: Floats | None = None, *, level: float) -> Estimate:
    if h.size < FEWEST or np.ptp(h) == 0 or np.ptp(a) == 0:
        side = "people's" if h.size and np.ptp(h) == 0 else "the model's"
        few = h.size < FEWEST
        note = (
            f"undefined: {h.size} persons on both sides" if few else f"undefined: {side} answers are all one"
        )
        return Estimate(None, n=h.size, note=note)
    both = np.cov(h, a, aweights=weights)
    r = float(both[0, 1] / np.sqrt(both[0, 0] * both[1, 1]))
    n = h.size if weights is None else round(kish_n(weights))
    is_rare = min(map(_beside_usual, (h, a))) < FEWEST_RARE
    try:
        se, df = person_correlation_error(h, a, weights)
        if is_rare:  # one cell of a small table may be empty by chance: no influence, and no error
            se = max(se, (1 - r * r) / np.sqrt(max(n - 3, 1)))
        found = person_correlation_interval(r, n, se=se, df=df, level=level)
    except UndefinedError as fault:
        return Estimate(r, n=h.size, note=f"no interval: {fault}")
    ends = _interval_or_none(found.low, found.high, level, "Fisher's z, influence of persons")
    return Estimate(r, ends, n=h.size, note=RARE if is_rare else "")


def _beside_usual(answers: Floats) -> int:
    """Count the answers that are not the most frequent one."""
    return int(answers.size - np.unique(answers, return_counts=True)[1].max())


def _explained(one: AnswerSet, level: float) -> Estimate:
    """Return the share of the covariance over persons that lies between groups, noise of group means out."""
    # With W the covariance within groups over n - G and T the total over n - 1: share = 1 - W/T.
    both = ~np.isnan(one.human) & ~np.isnan(one.agent)
    assert one.group is not None  # noqa: S101 - asked for with groups only
    kept = both & (one.group >= 0)
    h, a, g = one.human[kept], one.agent[kept], one.group[kept]
    n, n_groups = h.size, np.unique(g).size
    if n_groups < 2 or n <= n_groups + 2:
        return Estimate(None, n=n, note="undefined: fewer than two groups")
    w_ = np.ones(n) if one.weight is None else one.weight[kept]
    share = w_ / w_.mean()
    sizes = np.maximum(np.bincount(g, share), 1e-12)
    dh, da = (x - (np.bincount(g, weights=x * share) / sizes)[g] for x in (h, a))
    total = (h - np.average(h, weights=share)) * (a - np.average(a, weights=share)) * share
    within = dh * da * share
    t, w = float(total.sum()) / (n - 1), float(within.sum()) / (n - n_groups)
    influence = (within - w) - (w / t) * (total - t) if t != 0 else within
    if t <= 0 or abs(t) < 2 * float(total.std()) / np.sqrt(n):
        return Estimate(
            None, n=n, note="undefined: no covariance over persons is shown that could be divided"
        )
    se = float(influence.std()) / (abs(t) * np.sqrt(n - n_groups))
    z = float(special.ndtri(0.5 + level / 2))
    share = 1 - w / t
    return Estimate(share, _interval_or_none(share - z * se, share + z * se, level, "delta method"), n=n)


def _from_moments(one: Moments, level: float) -> OutcomeAnswers:
    """Compute what moments allow: a ratio with the kurtosis of a normal distribution, the mean, r."""
    human, agent = Spread(one.human_sd**2, one.human_n), Spread(one.agent_sd**2, one.agent_n)
    n = min(one.human_n, one.agent_n)
    try:
        found = variance_ratio(agent, human, level=level)
        if found.value == 0:
            ratio = AnswerNumber(Estimate(0.0, n=n, note=_CONSTANT))
        else:
            ends = _interval_or_none(found.low, found.high, level, "normal theory")
            note = "the kurtosis of answers is not known; that of a normal distribution is supposed"
            people = _variance_of_people(human, agent.n, level)
            ratio = AnswerNumber(Estimate(found.value, ends, n=n, note=note), people)
        gap = (one.agent_mean - one.human_mean) / one.human_sd
        se = float(np.sqrt(1 / one.human_n + found.value / one.agent_n + gap**2 / (2 * one.human_n)))
        z = float(special.ndtri(0.5 + level / 2))
        mean = Estimate(gap, _interval_or_none(gap - z * se, gap + z * se, level, "normal theory"), n=n)
    except UndefinedError as fault:
        ratio = AnswerNumber(Estimate(None, n=n, note=f"undefined: {fault}"))
        mean = Estimate(None, n=n, note=f"undefined: {fault}")
    numbers = {"variance_ratio": ratio, "mean_gap": AnswerNumber(mean)}
    if one.r is not None:
        numbers["person_r"] = AnswerNumber(_given_r(one.r, n, level))
    return OutcomeAnswers(
        one.key.study, one.key.outcome, one.key.condition, "moments", one.human_n, one.agent_n,
        n if one.r is not None else 0, numbers, means=(one.human_mean, one.agent_mean),
    )  # fmt: skip


def _given_r(r: float, n: int, level: float) -> Estimate:
    try:
        found = person_correlation_interval(r, n, level=level)
    except UndefinedError as fault:
        return Estimate(r, n=n, note=f"no interval: {fault}")
    return Estimate(r, _interval_or_none(found.low, found.high, level, "Fisher's z, normal theory"), n=n)
