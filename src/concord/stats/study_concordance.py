"""Concordance over other studies like these: a centre without bias and an interval that holds."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from concord.errors import UndefinedError
from concord.records import Estimate, Interval
from concord.stats.coverage import coverage_note, effects_look
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS, jackknife_t, joined_notes, too_few_studies

FEW_STUDIES = 5
"""Below this many studies a concordance over studies carries a warning."""
MANY_STUDIES = 30
"""From so many studies on, rare large effects have been seen if there are any."""
HEAVY_TAILS = (
    "covers 80 to 91 %, not 95, where rare effects exist that are far larger than those seen; concordances "
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
    note = joined_notes(_warning(part.moments), coverage_note("ECS", k, look))
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


def _warning(found: StudyMoments) -> str:
    """Name the condition under which the interval misses, with the size of the fault."""
    k = found.x.size
    if k < FEW_STUDIES:
        return f"{k} studies: below {FEW_STUDIES} the interval is a rough guide"
    return HEAVY_TAILS if k < MANY_STUDIES else ""


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
