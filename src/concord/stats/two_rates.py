"""Which of two rates is higher: P(Beta(a, b) > Beta(c, d)) of two independent posteriors.

Three ways, each where it is best: a sum over the smaller tail, from its largest term down (whole counts, some
cell small); the Edgeworth series of the difference of logits (every cell large); quadrature over one of the
posteriors (counts that are not whole, some cell small).
"""

from functools import cache
from math import factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaln, gammaln, ndtr

from concord.stats.elementwise import Floats, broadcast, shaped, where_defined

LARGE = 150.0
"""From this cell on (in all four) the Edgeworth series is right to 1e-11."""
ORDER = 7
"""Order of the Edgeworth series in 1/sqrt(cell)."""
CHUNK = 2048
"""Tables worked on at once, so that the arrays of one step fit a core's cache."""
_CHECK = 8
"""Terms summed between two looks at how many tables still need more."""
_NEGLIGIBLE = 1e-17


def prob_first_rate_higher(k1: ArrayLike, n1: ArrayLike, k2: ArrayLike, n2: ArrayLike) -> Floats | float:
    r"""Probability that rate 1 exceeds rate 2, both with uniform priors: two independent Beta posteriors.

    :math:`P(\mathrm{Beta}(k_1+1, n_1-k_1+1) > \mathrm{Beta}(k_2+1, n_2-k_2+1))`, to 1e-10.

    References
    ----------
    Altham (1969), Journal of the Royal Statistical Society B, 31, 261-269.
    Petrov (1975), Sums of Independent Random Variables, chapter VI. Springer.

    Examples
    --------
    >>> round(prob_first_rate_higher(5, 10, 5, 10), 12)
    0.5
    """
    columns, shape = broadcast(k1, n1, k2, n2)
    defined = (columns[0] >= 0) & (columns[0] <= columns[1]) & (columns[2] >= 0) & (columns[2] <= columns[3])
    defined &= np.isfinite(columns[1]) & np.isfinite(columns[3])
    return shaped(
        where_defined(defined, _prob_higher, *columns), shape, "rates need 0 <= k <= n in both groups"
    )


def _prob_higher(k1: Floats, n1: Floats, k2: Floats, n2: Floats) -> Floats:
    values = np.empty_like(k1)
    for begin in range(0, len(k1), CHUNK):
        part = slice(begin, begin + CHUNK)
        values[part] = _chunk(k1[part], n1[part], k2[part], n2[part])
    return values


def _chunk(k1: Floats, n1: Floats, k2: Floats, n2: Floats) -> Floats:
    cells = np.stack([k1, n1 - k1, k2, n2 - k2])
    cells += 1
    large = cells.min(axis=0) >= LARGE
    if large.all():
        return _edgeworth(cells)
    whole = (k1 == np.round(k1)) & (k2 == np.round(k2)) & (n1 == np.round(n1)) & (n2 == np.round(n2))
    values = np.empty_like(k1)
    ways = ((large, _edgeworth), (whole & ~large, _smaller_tail), (~whole & ~large, _quadrature))
    for chosen, way in ways:
        if chosen.any():
            values[chosen] = way(cells[:, chosen])
    return values


def _smaller_tail(cells: Floats) -> Floats:
    """P(Beta(a, b) > Beta(c, d)) or its complement, whichever is smaller, by a finite sum."""
    # P = S(a,b,c,d) = S(d,c,b,a) = 1 - S(c,d,a,b), S = Σ_(i<a) T_i with T_i = B(c+i, b+d) / ((b+i) B(1+i, b)
    # B(c, d)). Where the first rate is the lower one the terms fall from i = a - 1 down; of the two equal
    # sums the shorter one is taken.
    a, b, c, d = cells
    flip = a * d > b * c
    a, b, c, d = (np.where(flip, other, own) for other, own in ((c, a), (d, b), (a, c), (b, d)))
    turn = d < a
    a, b, c, d = (np.where(turn, other, own) for other, own in ((d, a), (c, b), (b, c), (a, d)))
    top = _log_beta(c + a - 1, b + d) - _log_beta(a, b) - _log_beta(c, d) - np.log(b + a - 1)
    total = _sum_down(np.exp(top), a - 1, b, c, b + d)
    return np.where(flip, 1 - total, total)


def _log_beta(a: Floats, b: Floats) -> Floats:
    return np.asarray(gammaln(a) + gammaln(b) - gammaln(a + b))


def _sum_down(term: Floats, i: Floats, b: Floats, c: Floats, rest: Floats) -> Floats:
    """Sum T_i, T_(i-1), ..., T_0, given T_i: T_(i-1)/T_i = i (c + rest + i - 1)/((c + i - 1)(b + i - 1))."""
    # Tables whose terms no longer count drop out as soon as they are half of those left.
    total = np.zeros_like(term)
    place, own = np.arange(len(term)), term.copy()
    above, first, second = c + rest + i - 1, c + i - 1, b + i - 1
    step, below = np.empty_like(term), np.empty_like(term)
    while True:
        for _ in range(_CHECK):
            np.multiply(i, above, out=step)  # 0 once i has reached 0: everything after it is 0 too
            np.multiply(first, second, out=below)
            np.maximum(below, 1.0, out=below)
            step /= below
            term *= step
            own += term
            for array in (i, above, first, second):
                array -= 1.0
        more = term > _NEGLIGIBLE * own
        if not more.any():
            total[place] = own
            return total
        if 2 * more.sum() < len(more):
            total[place[~more]] = own[~more]
            place = place[more]
            own, term, i, above, first, second = (
                array[more] for array in (own, term, i, above, first, second)
            )
            step, below = np.empty_like(term), np.empty_like(term)


@cache
def _products() -> dict[int, tuple[tuple[float, int, int], ...]]:
    """For every degree j and order o: which earlier coefficients make c_(j,o) of exp(Σ λ_k u^k)."""
    # j c_j = Σ_k k λ_k c_(j-k), graded by order (λ_k has order k - 2); keys are j (ORDER + 1) + o.
    width = ORDER + 1
    known, made = {0}, {}
    for j in range(3, 3 * ORDER + 1):
        for order in range(1, width):
            parts = tuple(
                (k / j, k, (j - k) * width + order - k + 2)
                for k in range(3, min(j, ORDER + 2) + 1)
                if order >= k - 2 and (j - k) * width + order - k + 2 in known
            )
            if parts:
                made[j * width + order] = parts
        known |= {key for key in made if key // width == j}
    return made


def _edgeworth(cells: Floats) -> Floats:
    """P(X > 0) of the difference X of the two logits: sums of log Gamma variables, of known cumulants."""
    cumulants = _cumulants(cells)
    scale = 1 / np.sqrt(cumulants[2])
    z = cumulants[1] * scale
    power = scale * scale
    standard: dict[int, Floats] = {}
    for k in range(3, ORDER + 3):
        power = power * scale
        standard[k] = cumulants[k] * power / factorial(k)
    # P = Φ(z) + φ(z) Σ_j c_j He_(j-1)(-z)
    before, hermite, degree = np.ones_like(z), -z, 1
    correction = np.zeros_like(z)
    for j, coefficient in _coefficients(standard).items():
        while degree < j - 1:
            before, hermite, degree = hermite, -z * hermite - degree * before, degree + 1
        correction += coefficient * hermite
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    return np.asarray(np.clip(ndtr(z) + density * correction, 0.0, 1.0))


def _coefficients(standard: dict[int, Floats]) -> dict[int, Floats]:
    """Coefficients of u^j in exp(Σ λ_k u^k), products up to `ORDER`."""
    graded: dict[int, Floats] = {0: np.ones_like(standard[3])}
    summed: dict[int, Floats] = {}
    for key, parts in _products().items():
        value = sum(share * standard[k] * graded[earlier] for share, k, earlier in parts)
        graded[key] = np.asarray(value)
        j = key // (ORDER + 1)
        summed[j] = graded[key] if j not in summed else summed[j] + graded[key]
    return summed


def _cumulants(cells: Floats) -> dict[int, Floats]:
    """Cumulants of log G(a) - log G(b) - log G(c) + log G(d), by the series of ψ about x - 1/2."""
    # ψ(x) = log y + y^-2/24 - 7 y^-4/960 + ..., y = x - 1/2, and its derivatives.
    y = cells - 0.5
    inverse = 1 / y
    square = inverse * inverse
    psi = np.log(y) + square * (1 / 24 - square * (7 / 960))
    found = {1: (psi[0] - psi[1]) - (psi[2] - psi[3])}
    power, sums = inverse, {}
    for m in range(1, ORDER + 4):
        if m > 1:
            power = power * inverse
        # b and c enter with the sign (-1)^k, k = m + 1
        outer, inner = power[0] + power[3], power[1] + power[2]
        sums[m] = outer + inner if m % 2 else outer - inner
    for k in range(2, ORDER + 3):
        value = factorial(k - 2) * sums[k - 1] - factorial(k) / 24 * sums[k + 1]
        if k <= 4:  # in the others this term is below 1e-12
            value += 7 * factorial(k + 2) / 5760 * sums[k + 3]
        found[k] = value if k % 2 == 0 else -value
    return found


@cache
def _legendre() -> tuple[Floats, Floats]:
    """Points and weights of the rule, as columns; finding them takes longer than using them."""
    nodes, weights = np.polynomial.legendre.leggauss(96)
    return nodes.reshape(-1, 1), weights.reshape(-1, 1)


def _quadrature(cells: Floats) -> Floats:
    """P(Beta(a, b) > Beta(c, d)): the sharper posterior is integrated, since its cdf would be a step."""
    a, b, c, d = cells
    swap = 1 / c + 1 / d < 1 / a + 1 / b
    sharp = _density_over_cdf(*(np.where(swap, x, y) for x, y in ((c, a), (d, b), (a, c), (b, d))))
    return np.where(swap, 1 - sharp, sharp)


def _density_over_cdf(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Integrate the density of the first logit against the cdf of the second, peak ± 10 deviations."""
    nodes, weights = _legendre()
    centre, reach = np.log(a) - np.log(b), 10 * np.sqrt(1 / a + 1 / b) + 30 / a + 30 / b
    logit = centre + reach * nodes
    density = -a * np.log1p(np.exp(-logit)) - b * np.log1p(np.exp(logit)) - betaln(a, b)
    mass = weights * np.exp(density - density.max(axis=0))
    below = betainc(c, d, 1 / (1 + np.exp(-logit)))
    return np.asarray((mass * below).sum(axis=0) / mass.sum(axis=0))
