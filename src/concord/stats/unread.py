"""Answers that could not be read, as numbers: whether their share differs, and what they could have been.

Bounds (Manski 1989, Journal of Human Resources, 24, 343-360) are the two ends between which a number lies
whatever the unread answers were, with an interval that covers all of it.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from concord.errors import OptionError
from concord.records import Estimate, Interval, Told, Unread, UnreadBounds, UnreadGroup
from concord.stats.bounded_means import bounded_mean
from concord.stats.elementwise import Floats
from concord.stats.intervals import checked_level, wilson_interval
from concord.stats.multiple import holm
from concord.stats.resample import sign_flip

UNCONDITIONAL_MOST = 1000
"""Answers of a group beyond which the unconditional test takes long and Fisher's is as good."""
_SHARES = np.sin(np.linspace(0.0, math.pi / 2, 1001)[1:-1]) ** 2
"""Common shares of unread answers at which the unconditional test is asked how often it errs."""
EXACT_MOST = 20_000
"""Tables or arrangements that are all counted; beyond, they are drawn."""
_TIE = 1e-7
"""Probabilities and sums that differ by less, relatively, are the same."""
_MOST_TURNS, _MOST_STARTS = 50, 12
"""Times that all unread answers are turned in search of an end, and drawn fillings to start from."""
_BLOCK = 2_000_000
"""Numbers that are drawn at once."""
_METHOD = "covers all that the unread answers could make of it"

Codes = NDArray[np.int64]
ALPHA = 0.05
MOST_LOST = 0.02
"""Share of unread answers beyond which bounds are shown and claims depend on them."""
READ = "ok"


class GroupTest(NamedTuple):
    """Whether a share differs over groups."""

    p: float | None
    """None where nothing can differ."""
    method: str


def unread_test(
    lost: ArrayLike,
    groups: Sequence[Hashable],
    *,
    units: Sequence[Hashable] | None = None,
    n_permutations: int = 1999,
    seed: int = 0,
) -> GroupTest:
    """Test whether the share of unread answers is the same in all groups."""
    # Single answers: the exact unconditional test of the pooled z of two groups (Suissa & Shuster 1985;
    # Fisher's beyond 1,000 answers each), Freeman and Halton's (1951) of more, drawn tables where there are
    # too many. Answers of units: what a unit lost in a group is one number; a unit in several groups is
    # permuted within itself, in one group whole (Good 2005). Undefined where every or no answer was read.
    x = np.asarray(lost, dtype=bool)
    if x.ndim != 1 or len(groups) != x.size or (units is not None and len(units) != x.size):
        raise OptionError("answers, their groups and their units must be as many")
    group = _group_codes(groups)
    if group.size == 0 or group.max() == 0:
        return GroupTest(None, "one group")
    if not x.any() or x.all():
        return GroupTest(None, "every answer was read" if not x.any() else "no answer was read")
    rng = np.random.default_rng(seed)
    cells = _Cells.of(x, group, _group_codes(range(x.size) if units is None else units))
    if cells.size.max() == 1 and not cells.crossed.any():
        return _table_test(np.bincount(group[x], minlength=group.max() + 1), np.bincount(group), rng)
    return _cells_test(cells, n_permutations, rng)


def _group_codes(names: Sequence[Hashable]) -> Codes:
    known = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([known[name] for name in names], dtype=np.int64)


def _table_test(lost: Codes, asked: Codes, rng: np.random.Generator) -> GroupTest:
    """Test the unread of independent answers by group."""
    if lost.size == 2:
        if asked.max() <= UNCONDITIONAL_MOST:
            return GroupTest(_unconditional_p(lost, asked), "exact unconditional test")
        from scipy.stats import fisher_exact

        return GroupTest(float(fisher_exact([lost, asked - lost])[1]), "Fisher's exact test")
    total = int(lost.sum())
    seen = _log_weight(lost, asked)
    if math.prod(min(int(n), total) + 1 for n in asked[:-1]) <= EXACT_MOST:
        weights = np.array([_log_weight(one, asked) for one in _every_table(total, asked.tolist())])
        scaled = np.exp(weights - weights.max())
        p = scaled[weights <= seen + _TIE].sum() / scaled.sum()
        return GroupTest(float(min(1.0, p)), "Freeman and Halton's exact test")
    n_draws = 9999
    drawn = rng.multivariate_hypergeometric(asked, total, size=n_draws)
    hits = int((_log_weight(drawn, asked) <= seen + _TIE).sum())
    return GroupTest((hits + 1) / (n_draws + 1), f"permutation test ({n_draws:,} draws)")


def _unconditional_p(lost: Codes, asked: Codes) -> float:
    r"""Return the most that tables with as large a pooled z weigh, over all common shares (two-sided)."""
    # z squared is (i/n - j/m)^2 / p(1 - p) up to a factor; where p is 0 or 1, it is 0.
    n, m = asked.tolist()
    i, j = np.ogrid[: n + 1, : m + 1]
    pooled = (i + j) / (n + m)
    spread, apart = pooled * (1 - pooled), (i / n - j / m) ** 2
    seen = (lost[0], lost[1])
    far = (apart * spread[seen] >= apart[seen] * spread * (1 - _TIE)) & ((spread > 0) | (apart[seen] == 0))
    first, second = (_binomial_weights(one) for one in (n, m))
    return min(1.0, float((first * (far @ second)).sum(axis=0).max()))


def _binomial_weights(n: int) -> Floats:
    """Return the probability of 0 to n at each common share, a column each."""
    k = np.arange(n + 1)[:, None]
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.asarray(np.exp(ways + k * np.log(_SHARES) + (n - k) * np.log1p(-_SHARES)))


def _log_weight(lost: Codes, asked: Codes) -> Floats:
    """Return the log probability of tables up to a constant."""
    return np.asarray(-(gammaln(lost + 1.0) + gammaln(asked - lost + 1.0)).sum(axis=-1))


def _every_table(total: int, asked: Sequence[int]) -> Codes:
    """Return every way to divide the unread over the groups."""
    axes = np.meshgrid(*(np.arange(min(n, total) + 1) for n in asked[:-1]), indexing="ij")
    first = np.stack([axis.ravel() for axis in axes], axis=-1)
    last = total - first.sum(axis=1)
    possible = (last >= 0) & (last <= asked[-1])
    return np.asarray(np.column_stack([first, last])[possible], dtype=np.int64)


class _Cells(NamedTuple):
    """What each unit lost in each group it occurs in."""

    unit: Codes
    group: Codes
    size: Codes
    beyond: Floats
    """Unread answers beyond those that the unit's own share (of a unit in one group: everyone's) makes."""
    crossed: NDArray[np.bool_]
    """Whether its unit occurs in several groups."""

    @classmethod
    def of(cls, lost: NDArray[np.bool_], group: Codes, unit: Codes) -> "_Cells":
        n_groups = int(group.max()) + 1
        keys, at = np.unique(unit * n_groups + group, return_inverse=True)
        size, gone = np.bincount(at), np.bincount(at, weights=lost.astype(np.float64))
        units, groups = keys // n_groups, keys % n_groups
        crossed = np.bincount(units)[units] > 1
        asked, unread = np.bincount(units, weights=size), np.bincount(units, weights=gone)
        own = unread[units] / asked[units]
        alone = ~crossed
        common = gone[alone].sum() / size[alone].sum() if alone.any() else 0.0
        beyond = np.asarray(gone - size * np.where(crossed, own, common), dtype=np.float64)
        return cls(units, groups, size, beyond, crossed)


def _cells_test(cells: _Cells, n_permutations: int, rng: np.random.Generator) -> GroupTest:
    """Permute cells within units that occur in several groups, and whole units that occur in one."""
    n_groups = int(cells.group.max()) + 1
    if n_groups == 2 and cells.crossed.all():
        first = cells.beyond[cells.group == 0]  # the other group lost as much less
        found = sign_flip(np.round(first, 12), rng=rng)
        return GroupTest(found.p_value, "sign flips within units")
    weight = np.bincount(cells.group, minlength=n_groups).astype(np.float64)
    sums: Floats = np.bincount(cells.group, cells.beyond, n_groups).astype(np.float64)
    seen = _distance_of_groups(sums[None], weight)[0]
    if n_groups == 2 and not cells.crossed.any():
        first_size = int((cells.group == 0).sum())
        if math.comb(cells.group.size, first_size) <= EXACT_MOST:
            first = np.array(list(combinations(cells.beyond.tolist(), first_size))).sum(axis=1)
            every = _distance_of_groups(np.stack([first, cells.beyond.sum() - first], axis=1), weight)
            return GroupTest(float((every >= seen * (1 - _TIE)).mean()), "exact permutation of units")
    hits = done = 0
    block = max(1, _BLOCK // cells.group.size)
    while done < n_permutations:
        size = min(block, n_permutations - done)
        hits += int(
            (_distance_of_groups(_drawn_sums(cells, n_groups, size, rng), weight) >= seen * (1 - _TIE)).sum()
        )
        done += size
    within = "within units" if cells.crossed.all() else "of units"
    return GroupTest((hits + 1) / (n_permutations + 1), f"permutation {within} ({n_permutations:,} draws)")


def _distance_of_groups(sums: Floats, weight: Floats) -> Floats:
    """Return how far the groups of each row lie apart."""
    return np.asarray((sums * sums / weight).sum(axis=1))


def _drawn_sums(cells: _Cells, n_groups: int, size: int, rng: np.random.Generator) -> Floats:
    """Return the sums by group of drawn arrangements."""
    strata = np.where(cells.crossed, cells.unit + 1, 0)
    order = np.argsort(strata, kind="stable")
    strata, beyond, group = strata[order], cells.beyond[order], cells.group[order]
    keys = rng.random((size, order.size)) + strata  # sorting shuffles within each stratum
    shuffled = beyond[np.argsort(keys, axis=1)]
    return np.stack([shuffled[:, group == one].sum(axis=1) for one in range(n_groups)], axis=1)


def count_unread(
    outcomes: Sequence[str],
    groups: Sequence[Hashable],
    *,
    by: str,
    what: str = "",
    units: Sequence[Hashable] | None = None,
) -> Unread:
    """Count unread answers by group and test whether their share differs (`unread_test`)."""
    asked = Counter(groups)
    lost = [
        (group, str(outcome)) for group, outcome in zip(groups, outcomes, strict=True) if str(outcome) != READ
    ]
    counts = Counter(lost)
    each = tuple(
        UnreadGroup(
            str(group),
            n,
            sum(k for (where, _), k in counts.items() if where == group),
            {name: k for (where, name), k in sorted(counts.items(), key=str) if where == group},
        )
        for group, n in asked.items()
    )
    test = unread_test([str(outcome) != READ for outcome in outcomes], groups, units=units)
    return Unread(what, by, each, test.p, test.method)


def told(found: Iterable[Unread]) -> Told:
    """Return what has unread answers, its tests taken together: a difference is shown at 5 % for all."""
    kept = [one for one in found if one.unread]
    p = np.array([np.nan if one.p is None else one.p for one in kept])
    if not kept or np.isnan(p).all():
        return tuple(kept)
    adjusted = holm(p)
    return tuple(replace(one, differs=bool(q <= ALPHA)) for one, q in zip(kept, adjusted, strict=True))


def share_bounds(k: float, n_read: int, n_unread: int, *, level: float = 0.95) -> UnreadBounds:
    """Bounds of a share: no unread answer counts, and every one does.

    The interval covers both ends at the level (Horowitz & Manski 2000, JASA, 95, 77-84): Wilson's lower end
    where none counts, its upper end where all do; that of Imbens & Manski (2004), of the share alone, is
    narrower.

    >>> found = share_bounds(30, 80, 20)
    >>> found.low, found.high, round(found.interval.low, 3), round(found.interval.high, 3)
    (0.3, 0.5, 0.219, 0.596)
    """
    n = n_read + n_unread
    if not 0 <= k <= n_read or n_unread < 0 or n == 0:
        raise OptionError(
            f"{k:g} of {n_read} read and {n_unread} unread answers; expected counts, one at least"
        )
    low, high = wilson_interval(k, n, level=level).low, wilson_interval(k + n_unread, n, level=level).high
    return UnreadBounds(k / n, (k + n_unread) / n, Interval(low, high, level, f"Wilson, {_METHOD}"), n_unread)


def mean_bounds(
    values: ArrayLike, n_unread: int, ends: tuple[float, float], *, level: float = 0.95
) -> UnreadBounds:
    """Bounds of a mean of answers on a scale; no interval where there is a single answer."""
    low, high = ends
    if not low < high:
        raise OptionError(f"a scale from {low:g} to {high:g}; expected the lower end first")
    x = np.asarray(values, dtype=np.float64)
    filled = [
        bounded_mean((np.append(x, np.full(n_unread, end)) - low) / (high - low), level=level) for end in ends
    ]
    return bounds_between(*(_on_scale(one, low, high - low) for one in filled), n_unread=n_unread)


def _on_scale(found: Estimate, start: float, width: float) -> Estimate:
    assert found.value is not None  # noqa: S101 - a mean of numbers
    ends = found.interval
    held = (
        None
        if ends is None
        else Interval(start + width * ends.low, start + width * ends.high, ends.level, ends.method)
    )
    return Estimate(start + width * found.value, held, found.n)


def bounds_between(first: Estimate, second: Estimate, *, n_unread: int) -> UnreadBounds:
    """Return the bounds of any number from what it is with all unread answers one way, and all the other."""
    if first.value is None or second.value is None:
        raise OptionError("a number that is undefined has no bounds")
    if second.value < first.value:
        return bounds_between(second, first, n_unread=n_unread)
    one, other, held = first.interval, second.interval, None
    if one is not None and other is not None:
        ends = (min(one.low, other.low), max(one.high, other.high))
        held = Interval(*ends, one.level, f"{one.method}, {_METHOD}")
    return UnreadBounds(first.value, second.value, held, n_unread)


def bounded(estimate: Estimate, bounds: UnreadBounds, *, asked: int) -> Estimate:
    """Return a number with its bounds where more than 2 % of the answers behind it were not read."""
    lost = bounds.n_unread > MOST_LOST * asked
    return replace(estimate, bounds=bounds) if lost and estimate.value is not None else estimate


def bounded_between(
    estimate: Estimate, low: Estimate, high: Estimate, *, n_unread: int, asked: int
) -> Estimate:
    """Return a number with what it is at both ends of the unread answers, where it is defined there."""
    if low.value is None or high.value is None:
        return estimate
    return bounded(estimate, bounds_between(low, high, n_unread=n_unread), asked=asked)


def distance_bounds(people: ArrayLike, read: ArrayLike, n_unread: int) -> UnreadBounds:
    """Bounds of the total variation distance of counts: unread answers where they lack, or all at one option.

    >>> found = distance_bounds([50, 50], [30, 50], 20)
    >>> round(found.low, 3), round(found.high, 3)
    (0.0, 0.2)
    """
    human, agent = (np.asarray(side, dtype=np.float64) for side in (people, read))
    shares, n = human / human.sum(), agent.sum() + n_unread
    filled = (agent + n_unread * np.eye(agent.size)) / n
    low = np.maximum(agent / n - shares, 0.0).sum()
    return UnreadBounds(float(low), float(np.abs(filled - shares).sum(axis=1).max() / 2), None, n_unread)


def filling_at_end(
    known: ArrayLike, options: Sequence[Floats], number: Callable[[Floats], Floats], *, end: int
) -> list[int]:
    """Return the option that each unread answer takes where a number of sums is most (1) or least (-1)."""
    # ``known`` are the sums over what was read, a row of ``options[i]`` is what an unread answer could add;
    # ``number`` takes sums along the last axis. Answers are turned one at a time while that helps, from all
    # at their first option, all at their last and a few others; tests compare it with every filling.
    moved = [i for i, one in enumerate(options) if len(one) > 1]
    ways = [options[i] for i in moved]
    still = [one[0] for one in options if len(one) == 1]
    fixed = np.asarray(known, dtype=np.float64) + np.sum(still, axis=0, initial=0.0)
    best: tuple[float, list[int]] = (-math.inf, [0] * len(ways))
    drawn = np.random.default_rng(0).random((_MOST_STARTS, len(ways)))
    for start in (np.zeros(len(ways)), np.ones(len(ways)), *drawn):
        chosen = [int(at * (len(one) - 1) + 0.5) for at, one in zip(start, ways, strict=True)]
        total = fixed + sum((one[k] for one, k in zip(ways, chosen, strict=True)), np.zeros_like(fixed))
        value = -math.inf
        for _ in range(_MOST_TURNS):
            before = value
            for i, one in enumerate(ways):
                rest = total - one[chosen[i]]
                values = np.nan_to_num(end * number(rest + one), nan=-math.inf)
                k = int(values.argmax())
                if math.isfinite(values[k]) and values[k] > values[chosen[i]] + _TIE * abs(values[k]):
                    chosen[i] = k
                total, value = rest + one[chosen[i]], float(values[chosen[i]])
            if value <= before:
                break
        if value > best[0]:
            best = (value, chosen)
    found = [0] * len(options)
    for i, k in zip(moved, best[1], strict=True):
        found[i] = k
    return found


def gap_bounds(first: UnreadBounds, second: UnreadBounds) -> UnreadBounds:
    r"""Bounds of the first minus the second number, of other answers each: the widest and the narrowest gap.

    The interval is Newcombe's (MOVER, 1998, Statistics in Medicine, 17, 873-890):
    :math:`d - \sqrt{(a - l_a)^2 + (u_b - b)^2}` at the lower bound, and so at the upper.

    >>> found = gap_bounds(share_bounds(40, 50, 0), share_bounds(20, 45, 5))
    >>> round(found.low, 2), round(found.high, 2)
    (0.3, 0.4)
    """
    low, high = first.low - second.high, first.high - second.low
    n_unread = first.n_unread + second.n_unread
    a, b = first.interval, second.interval
    if a is None or b is None:
        return UnreadBounds(low, high, None, n_unread)
    if a.level != b.level:
        raise OptionError(f"intervals of {a.level} and {b.level}; expected one level")
    checked_level(a.level)
    bottom = low - math.hypot(first.low - a.low, b.high - second.high)
    top = high + math.hypot(a.high - first.high, second.low - b.low)
    return UnreadBounds(low, high, Interval(bottom, top, a.level, f"MOVER, {_METHOD}"), n_unread)
