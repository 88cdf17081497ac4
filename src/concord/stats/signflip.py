"""Sign-flip permutation test of a mean of paired differences: exact for few pairs, seeded beyond."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from concord.errors import OptionError, UndefinedError
from concord.stats.clustered import cluster_codes, finite_vector
from concord.stats.elementwise import Floats
from concord.stats.engine import SERIAL, Engine
from concord.stats.resample import seeds

EXACT_PAIRS = 20
"""Up to this many non-zero differences all signs are counted: 2^20 of them."""
BLOCK = 1000
"""Flips that share one stream of random numbers."""
_CHUNK_BITS = 8_000_000
# sums of the same numbers in another order differ in their last digits: that is a tie, not a win
_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p-value and how it came about."""

    p_value: float
    exact: bool
    n_flips: int
    """Sign patterns counted: all of them, or as many as were drawn."""


def sign_flip(
    differences: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    n_flips: int = 9999,
    rng: np.random.Generator,
    engine: Engine = SERIAL,
) -> SignFlip:
    """Test a mean of paired differences against random signs.

    Under no difference the sign of each pair's difference is a coin toss. p is the share of sign patterns
    whose sum is at least as far from zero; drawn patterns count the observed one as well, (b + 1)/(B + 1).

    Parameters
    ----------
    differences
        One difference a pair.
    clusters
        Pairs that flip together; ``None``: each pair by itself.
    n_flips
        Patterns drawn where there are too many to count.
    rng
        Source of randomness. No default: a run must be repeatable.
    engine
        Where blocks of patterns are computed; changes nothing in the result.

    Returns
    -------
    SignFlip
        ``p_value``, whether it is ``exact``, and ``n_flips``.

    Raises
    ------
    UndefinedError
        There is no pair.

    References
    ----------
    Fisher, R. A. (1935). The Design of Experiments, section 21. Oliver & Boyd. Phipson, B., & Smyth, G. K.
    (2010). Permutation p-values should never be zero. Statistical Applications in Genetics and Molecular
    Biology, 9, 39.

    Examples
    --------
    >>> sign_flip([1, 2, 3, 4, 5], rng=np.random.default_rng(0)).p_value
    0.0625
    """
    if n_flips < 1:
        raise OptionError(f"flips is {n_flips!r}; expected at least 1")
    if np.size(differences) == 0:
        raise UndefinedError("no pair: there is nothing to flip")
    units = _units(differences, clusters)
    if units.size <= EXACT_PAIRS:
        return SignFlip(_exact(units), exact=True, n_flips=2**units.size)
    sizes = [min(BLOCK, n_flips - begin) for begin in range(0, n_flips, BLOCK)]
    blocks = list(zip(seeds(rng, len(sizes)), sizes, strict=True))
    hits = engine.map(partial(_hits, units, type(rng.bit_generator)), blocks)
    return SignFlip((sum(hits) + 1) / (n_flips + 1), exact=False, n_flips=n_flips)


def _units(differences: ArrayLike, clusters: ArrayLike | None) -> Floats:
    """Sum what flips together; zeros say nothing and are left out."""
    x = finite_vector(differences)
    codes, _ = cluster_codes(clusters, x.size)
    sums = x if codes is None else np.bincount(codes, weights=x)
    smallest = _TIE * np.abs(x).max(initial=0.0)
    return np.asarray(sums[np.abs(sums) > smallest])


def _threshold(units: Floats) -> float:
    """Give the observed distance from zero, less what rounding can make of a tie."""
    return float(abs(units.sum()) - _TIE * np.abs(units).sum())


def _exact(units: Floats) -> float:
    """Count all patterns; the first sign is fixed, since a pattern and its mirror are equally far."""
    if units.size == 0:
        return 1.0
    sums = np.array([units[0]])
    for unit in units[1:]:
        sums = np.concatenate([sums + unit, sums - unit])
    return float(np.mean(np.abs(sums) >= _threshold(units)))


def _hits(units: Floats, bits: type, block: tuple[np.random.SeedSequence, int]) -> int:
    """Count drawn patterns of one block that are at least as far from zero."""
    seed, size = block
    stream = np.random.Generator(bits(seed))
    width = -(-units.size // 8)
    rows = max(1, _CHUNK_BITS // (8 * width))
    hits = 0
    for begin in range(0, size, rows):
        count = min(rows, size - begin)
        packed = np.frombuffer(stream.bytes(count * width), dtype=np.uint8).reshape(count, width)
        signs = np.unpackbits(packed, axis=1, count=units.size)
        # Σ s d = 2 Σ_{heads} d - Σ d
        sums = 2 * (signs.astype(np.float64) @ units) - units.sum()
        hits += int(np.sum(np.abs(sums) >= _threshold(units)))
    return hits
