"""PAS and APR over other studies like these, for few studies and near the ends of the scale.

A jackknife sees only the studies at hand; five that all agree say little about a sixth. Near the ends the
interval is therefore blended with a Bayesian bootstrap that holds half a study at each end.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.number_words import number, percent
from concord.records import Estimate, Interval
from concord.stats.bounded_means import MANY_UNITS, GammaRatio, bounded_bootstraps, gamma_ratio_quantiles
from concord.stats.coverage import SIMULATED, coverage_note, effects_look, rate_look, score_look
from concord.stats.elementwise import Floats
from concord.stats.intervals import (
    FEWEST_CLUSTERS,
    bounded_vector,
    checked_level,
    ends_lean,
    ends_weight,
    jackknife_t,
    joined_notes,
    too_few_studies,
)

UNSEEN = "allows for studies unlike those seen"
HIDDEN = "covers {share} where a study in eight fails and none was seen"
"""Studies in the middle of the scale say nothing of failures (docs/explanation/coverage.md)."""
MANY_STUDIES = 25
"""From so many studies on, a failure of one in eight has been seen in 96 of 100 benchmarks."""


def _covers(where: str, simulated: str, level: float) -> str:
    """Say what an interval covers there: the share was simulated at 95 % alone."""
    return where.format(share=simulated if level == SIMULATED else "less than its level")


def pas_interval(
    studies: ArrayLike, *, value: float | None = None, jackknife: Interval | None = None, level: float = 0.95
) -> Estimate:
    """Interval of PAS over other studies like these: jackknife-t, near the ends a Bayesian bootstrap.

    It always holds `value`, PAS of the benchmark; none below three studies.

    References
    ----------
    Rubin (1981), Annals of Statistics, 9, 130-134.

    Examples
    --------
    >>> estimate = pas_interval([0.98, 0.99, 0.97, 1.0, 0.96])
    >>> round(estimate.interval.low, 3), round(estimate.interval.high, 3)
    (0.609, 0.987)
    """
    x = bounded_vector(studies)
    centre = float(x.mean()) if value is None else value
    return pas_intervals([x], [centre], [jackknife], level=level)[0]


def pas_intervals(
    samples: Sequence[Floats],
    values: Sequence[float],
    jackknives: Sequence[Interval | None],
    *,
    level: float,
) -> list[Estimate]:
    """Return `pas_interval` of each of many agents, what takes time computed together."""
    weights = [
        1.0 if jackknife is None else _weight(x, np.unique(x).size)
        for x, jackknife in zip(samples, jackknives, strict=True)
    ]
    asked = [
        x for x, weight in zip(samples, weights, strict=True) if weight > 0 and x.size >= FEWEST_CLUSTERS
    ]
    outer = iter(bounded_bootstraps(asked, level=level))
    found = []
    for x, centre, jackknife, weight in zip(samples, values, jackknives, weights, strict=True):
        if x.size < FEWEST_CLUSTERS:
            found.append(Estimate(centre, None, int(x.size), note=too_few_studies(x.size)))
            continue
        seen = coverage_note("PAS", x.size, score_look(x), level=level)
        if weight == 0 and jackknife is not None:
            note = joined_notes(
                _covers(HIDDEN, "about 70 %, not 95,", level) if x.size < MANY_STUDIES else "", seen
            )
            found.append(Estimate(centre, jackknife, int(x.size), method=jackknife.method, note=note))
            continue
        blended = _blended(centre, jackknife, next(outer), weight, int(x.size))
        found.append(replace(blended, note=joined_notes(blended.note, seen)))
    return found


def _weight(x: Floats, distinct: int) -> float:
    """Return how much of the outer interval counts; beyond `MANY_UNITS` studies unlike each other none."""
    return ends_weight(x) if distinct <= MANY_UNITS else 0.0


def _blended(centre: float, inner: Interval | None, outer: Interval, weight: float, n: int) -> Estimate:
    """Mix two intervals by their ends, and let the result hold the centre."""
    if inner is None:
        low, high, method = outer.low, outer.high, outer.method
    else:
        low, high = (
            (1 - weight) * a + weight * b for a, b in ((inner.low, outer.low), (inner.high, outer.high))
        )
        method = f"{inner.method}; {percent(weight)} {outer.method}" if weight > 0 else inner.method
    interval = Interval(min(low, centre), max(high, centre), outer.level, method)
    return Estimate(centre, interval, n, method=method, note=UNSEEN if weight > 0 else "")


def apr_interval(passes: ArrayLike, tests: ArrayLike, *, level: float = 0.95) -> Estimate:
    r"""Interval of a rate of passed tests over other studies like these.

    The cluster-robust (CR2) variance on the logit, :math:`w_k = m_k/N`, :math:`p = (S + ½)/(N + 1)`, :math:`V
    = \sum w_k^2 e_k^2/(1 - w_k)`, with Satterthwaite's degrees of freedom. Near the ends it is blended with a
    Bayesian bootstrap that holds half a study of tests that all fail (below) or pass (above); where studies
    lie near one end only, the near limit has up to both tails. ``note`` says when one study holds most tests.

    References
    ----------
    Bell & McCaffrey (2002), Survey Methodology, 28, 169-181. Rubin (1981), Annals of Statistics, 9, 130-134.

    Examples
    --------
    >>> estimate = apr_interval([6, 5, 8, 4, 7], [6, 5, 8, 4, 7])
    >>> estimate.value, round(estimate.interval.low, 3), estimate.interval.high
    (1.0, 0.587, 1.0)
    """
    return apr_intervals([(passes, tests)], level=level)[0]


def apr_intervals(counts: Sequence[tuple[ArrayLike, ArrayLike]], *, level: float) -> list[Estimate]:
    """Return `apr_interval` of each of many agents, what takes time computed together."""
    tail = 0.5 * (1 - checked_level(level))
    rates = [_Rates.of(passes, tests, tail) for passes, tests in counts]
    outer = iter(_apr_outer([one for one in rates if one.needs_outer], level))
    return [_apr_estimate(one, next(outer) if one.needs_outer else None, level) for one in rates]


@dataclass(frozen=True, slots=True, eq=False)
class _Rates:
    """Tests passed and tests of every study, with how far they lie at an end."""

    s: Floats
    m: Floats
    weight: float
    tails: tuple[float, float]

    @classmethod
    def of(cls, passes: ArrayLike, tests: ArrayLike, tail: float) -> "_Rates":
        s, m = (np.asarray(x, dtype=np.float64) for x in (passes, tests))
        if s.shape != m.shape or s.ndim != 1 or (m <= 0).any() or (s < 0).any() or (s > m).any():
            raise OptionError(
                "a rate over studies needs 0 <= passes <= tests and tests > 0, one of each per study"
            )
        if s.size < FEWEST_CLUSTERS:
            return cls(s, m, 0.0, (tail, tail))
        lean = ends_lean(s / m)
        return cls(
            s,
            m,
            _weight(s / m, len(np.unique(np.stack([s, m]), axis=1).T)),
            (tail * (1 + max(0.0, -lean)), tail * (1 + max(0.0, lean))),
        )

    @property
    def needs_outer(self) -> bool:
        """The outer interval takes a hundred times as long, and counts only near the ends."""
        return self.weight > 0


def _apr_estimate(rates: _Rates, outer: Interval | None, level: float) -> Estimate:
    s, m, k = rates.s, rates.m, int(rates.s.size)
    total = float(m.sum())
    rate = float(s.sum()) / total if k else float("nan")
    if k < FEWEST_CLUSTERS:
        return Estimate(rate if k else None, None, k, note=too_few_studies(k))
    inner = _apr_inner(s, m, rates.tails, level)
    found = _blended(rate, inner, inner if outer is None else outer, rates.weight, k)
    worth = 1 / float(np.sum((m / total) ** 2))
    warning = (
        f"one study holds most tests: worth {number(worth, 1)} studies of one size" if worth < k / 2 else ""
    )
    note = joined_notes(found.note, warning, coverage_note("APR", k, rate_look(s, m), level=level))
    return Estimate(rate, found.interval, k, method=found.method, note=note)


def _apr_inner(s: Floats, m: Floats, tails: tuple[float, float], level: float) -> Interval:
    total = m.sum()
    w, p = m / total, (s.sum() + 0.5) / (total + 1)
    e = (s + 0.5 * w) / (m + w) - p
    variance = float(np.sum(w**2 * e**2 / (1 - w)))
    # G = S (diag(1/m) - 1/N) S with S = diag(w/√(1 - w)): df = tr(G)² / tr(G²), without the K x K matrix
    c = w * w / (1 - w)
    trace = np.sum(c * (1 / m - 1 / total))
    squares = np.sum(c * c * (1 / m - 2 / total) / m) + (c.sum() / total) ** 2
    df = max(1.0, float(trace**2 / squares))
    reach = special.stdtrit(df, [tails[0], 1 - tails[1]]) * np.sqrt(variance) / (p * (1 - p))
    low, high = special.expit(special.logit(p) + reach)
    return Interval(float(low), float(high), level, f"CR2 on the logit, {number(df, 1)} degrees of freedom")


def _apr_outer(rates: Sequence[_Rates], level: float) -> list[Interval]:
    wanted = []
    for one in rates:
        mean = float(one.m.mean())
        # studies alike: their Gamma weights add up
        (passed, tests), alike = np.unique(np.stack([one.s, one.m]), axis=1, return_counts=True)
        sizes, shapes = np.append(tests, mean), np.append(alike, 0.5)
        low, high = one.tails[0], 1 - one.tails[1]
        wanted += [
            GammaRatio.of(low, np.append(passed, 0.0), sizes, shapes),
            GammaRatio.of(high, np.append(passed, mean), sizes, shapes),
        ]
    found = iter(gamma_ratio_quantiles(wanted))
    method = "Bayesian bootstrap of studies with half a study beyond"
    return [Interval(next(found), next(found), level, method) for _ in rates]


FEW_STUDIES = 5
"""Below this many studies a concordance over studies carries a warning."""
_STUDIES_OF_TAILS = 30
"""From so many studies on, rare large effects have been seen if there are any."""
HEAVY_TAILS = (
    "covers {share} where rare effects exist that are far larger than those seen; concordances "
    "of other numbers of studies do not compare"
)
"""What the interval cannot see (docs/explanation/coverage.md): t with 2.5 df, nulls with huge effects."""
_AT_ONCE = 50
"""Agents whose bootstrap is computed at once."""


@dataclass(frozen=True, slots=True)
class StudyMoments:
    """Means of every study: human d, agent d, their squares together, their product."""

    x: Floats
    y: Floats
    squares: Floats
    product: Floats

    @classmethod
    def of(
        cls, human: ArrayLike, agent: ArrayLike, study: ArrayLike, weights: ArrayLike | None = None
    ) -> "StudyMoments":
        """Take means over the tests of each study; tests without both effects are left out."""
        x, y = (np.asarray(values, dtype=np.float64) for values in (human, agent))
        both = ~(np.isnan(x) | np.isnan(y))
        w = np.ones(x.shape) if weights is None else np.asarray(weights, dtype=np.float64)
        x, y, w = x[both], y[both], w[both]
        codes = np.unique(np.asarray(study)[both], return_inverse=True)[1]
        total = np.bincount(codes, weights=w)

        def means(values: Floats) -> Floats:
            return np.asarray(np.bincount(codes, weights=w * values, minlength=total.size) / total)

        return cls(means(x), means(y), means(x * x + y * y), means(x * y))

    def corrected(self) -> float:
        """Concordance without the bias of its centring: products of means of different studies only."""
        sums = (self.x.sum(), self.y.sum(), self.x @ self.y, self.product.sum(), self.squares.sum())
        return float(_corrected(np.float64(self.x.size), *(np.asarray(one) for one in sums)))

    def without_each(self) -> Floats:
        """Return the corrected concordance without each study in turn."""
        parts = (self.x, self.y, self.x * self.y, self.product, self.squares)
        return _corrected(np.float64(self.x.size - 1), *(part.sum() - part for part in parts))

    def weighted(self, weights: Floats) -> Floats:
        """Plug-in concordance under weights (B, K) that sum to one."""
        return _plug_in(*(weights @ part for part in (self.x, self.y, self.squares, self.product)))


def _corrected(k: np.float64, x: Floats, y: Floats, xy: Floats, product: Floats, squares: Floats) -> Floats:
    """Return the corrected concordance from sums over k studies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (x * y - xy) / (k * (k - 1))
        above, below = product / k - between, squares / k - 2 * between
        return np.where(below > 0, np.clip(2 * above / below, -1.0, 1.0), np.nan)


def ecs_interval(
    human: ArrayLike,
    agent: ArrayLike,
    study: ArrayLike,
    *,
    value: float | None = None,
    human_se: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    n_draws: int = 4000,
    rng: np.random.Generator,
    drawn: Floats | None = None,
) -> Estimate:
    """Concordance over other studies like these: a centre without bias, and an interval that holds.

    An atanh jackknife-t of the corrected concordance, widened to hold the headline `value`. The end that
    looks at perfect agreement is carried on to the quantile of a Bayesian bootstrap with half a study on the
    diagonal as far out as the farthest: an agreement that was not seen may exist. With `human_se` it is
    withheld if human effects vary no more than twice what their errors explain; below five studies ``note``
    warns. `weights` are those of tests inside their study; `drawn` are bootstrap weights drawn before
    (`unseen_weights`).

    References
    ----------
    Lin (1989), Biometrics, 45, 255-268. Rubin (1981), Annals of Statistics, 9, 130-134.

    Examples
    --------
    >>> g = np.random.default_rng(1)
    >>> people = g.normal(0.3, 0.6, 24)
    >>> agent, study = people + g.normal(0, 0.2, 24), np.repeat(np.arange(8), 3)
    >>> estimate = ecs_interval(people, agent, study, rng=np.random.default_rng(2))
    >>> bool(0.4 < estimate.interval.low < estimate.value < estimate.interval.high < 1)
    True
    """
    effects = StudyEffects(human, agent, study, value, human_se, weights)

    def draw(n_studies: int) -> Floats:
        return unseen_weights(n_studies, n_draws, rng) if drawn is None else drawn

    return ecs_intervals([effects], draw, level=level)[0]


class StudyEffects(NamedTuple):
    """Effects of one agent's tests, as `ecs_interval` takes them."""

    human: ArrayLike
    agent: ArrayLike
    study: ArrayLike
    value: float | None = None
    human_se: ArrayLike | None = None
    weights: ArrayLike | None = None


def ecs_intervals(
    agents: Sequence[StudyEffects], draw: Callable[[int], Floats], *, level: float
) -> list[Estimate]:
    """Return `ecs_interval` of each of many agents; `draw` gives the weights for a number of studies."""
    parts = [_inner_interval(one, level) for one in agents]
    ends = iter(_far_ends([part for part in parts if isinstance(part, _Inner)], draw, level))
    return [part if isinstance(part, Estimate) else _joined(part, next(ends), level) for part in parts]


@dataclass(frozen=True, slots=True, eq=False)
class _Inner:
    """A concordance with its jackknife, before the end towards agreement is known."""

    effects: StudyEffects
    moments: StudyMoments
    centre: float
    interval: Interval


def _inner_interval(effects: StudyEffects, level: float) -> _Inner | Estimate:
    """Return the jackknife, or the estimate without an interval."""
    found = StudyMoments.of(effects.human, effects.agent, effects.study, effects.weights)
    k = found.x.size
    if k == 0:
        raise UndefinedError("no study has effects on both sides")
    centre = found.corrected() if k > 1 else float("nan")
    known = None if np.isnan(centre) else centre
    note = _no_concordance(found, effects.human, effects.human_se, effects.weights, known)
    if note:
        return Estimate(known, None, int(k), note=note)
    try:
        inner = jackknife_t(centre, found.without_each(), level=level, scale="atanh")
    except UndefinedError as reason:
        return Estimate(known, None, int(k), note=f"no interval: {reason}")
    return _Inner(effects, found, centre, inner)


def _joined(part: _Inner, end: float, level: float) -> Estimate:
    """Carry the end that looks at agreement on."""
    effects, k = part.effects, int(part.moments.x.size)
    held = part.centre if effects.value is None else effects.value
    low, high = min(part.interval.low, held), max(part.interval.high, held)
    low, high = (low, max(high, end)) if part.centre >= 0 else (min(low, end), high)
    method = (
        f"{part.interval.method}, corrected for centring; the end towards agreement by Bayesian bootstrap"
    )
    look = effects_look(effects.human, effects.agent, effects.study)
    note = joined_notes(_warning(part.moments, level), coverage_note("ECS", k, look, level=level))
    return Estimate(part.centre, Interval(low, high, level, method), k, method=method, note=note)


def _far_ends(parts: Sequence[_Inner], draw: Callable[[int], Floats], level: float) -> list[float]:
    """Return the bootstrap's end of each, those of as many studies together."""
    tail, ends = 0.5 * (1 - level), np.empty(len(parts))
    groups: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for i, part in enumerate(parts):
        groups[part.moments.x.size, part.centre >= 0].append(i)
    weights: dict[int, Floats] = {}
    for (k, agrees), members in groups.items():
        if k not in weights:
            weights[k] = draw(k)
        for begin in range(0, len(members), _AT_ONCE):
            some = members[begin : begin + _AT_ONCE]
            draws = _with_unseen([parts[i].moments for i in some], weights[k])
            # a draw may be undefined, where its weight fell on studies alike: it is left out
            quantile = np.nanquantile if np.isnan(draws).any() else np.quantile
            ends[some] = quantile(draws, 1 - tail if agrees else tail, axis=1)
    return [float(end) for end in ends]


def _warning(found: StudyMoments, level: float) -> str:
    """Name the condition under which the interval misses, with the size of the fault."""
    k = found.x.size
    if k < FEW_STUDIES:
        return f"{k} studies: below {FEW_STUDIES} the interval is a rough guide"
    return _covers(HEAVY_TAILS, "80 to 91 %, not 95,", level) if k < _STUDIES_OF_TAILS else ""


def _no_concordance(
    found: StudyMoments,
    human: ArrayLike,
    human_se: ArrayLike | None,
    weights: ArrayLike | None,
    centre: float | None,
) -> str:
    """Say why there is no interval; empty where there is one."""
    if found.x.size < FEWEST_CLUSTERS:
        return too_few_studies(found.x.size)
    if centre is None:
        return "no interval: effects do not vary between studies"
    if human_se is None:
        return ""
    x, se = (np.asarray(values, dtype=np.float64) for values in (human, human_se))
    w = np.ones(x.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    both = ~(np.isnan(x) | np.isnan(se)) & (w > 0)
    x, se, w = x[both], se[both], w[both] / w[both].sum()
    if x.size > 1 and float(w @ (x - w @ x) ** 2) <= 2 * float(w @ se**2):
        return "no interval: human effects vary hardly more than their sampling errors"
    return ""


def unseen_weights(n_studies: int, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw weights (B, K + 1) of studies and half a study that was not seen."""
    gammas = np.column_stack(
        [rng.standard_exponential((n_draws, n_studies)), rng.standard_gamma(0.5, n_draws)]
    )
    return np.asarray(gammas / gammas.sum(axis=1, keepdims=True))


def _with_unseen(found: Sequence[StudyMoments], weights: Floats) -> Floats:
    """Concordances (A, B) under weights (B, K + 1): half a study lies on the diagonal (or against it)."""
    columns = []
    for one in found:
        agree = one.corrected() >= 0
        centre = 0.5 * float(one.x.mean() + one.y.mean())
        far = float(one.squares.max()) / 2
        product = far if agree else 2 * centre**2 - far
        ends = ((one.x, centre), (one.y, centre), (one.squares, 2 * far), (one.product, product))
        columns += [np.append(part, end) for part, end in ends]
    sums = (np.stack(columns) @ weights.T).reshape(len(found), 4, -1)
    return np.clip(_plug_in(*np.moveaxis(sums, 1, 0)), -1.0, 1.0)


def _plug_in(x: Floats, y: Floats, squares: Floats, product: Floats) -> Floats:
    """Plug-in concordance from weighted means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * (product - x * y) / (squares - 2 * x * y))
