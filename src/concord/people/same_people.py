"""Tests of the same people are drawn together: what new samples and simulated agents share inside a study.

Every test of one sample of participants has a part of its noise in common with the others: a normal score
√ρ c + √(1 − ρ) e with one c for the sample. Statistics with normal noise take it as it is, counts by the
quantile at its probability. Larger tables and variance ratios are drawn by themselves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, ndtr

from concord.records import TestRow
from concord.stats.elementwise import Floats

NoiseOf = Callable[[NDArray[np.intp]], np.random.Generator]
"""From the places of some tests to the generator they are drawn with."""


@dataclass(frozen=True, slots=True)
class SamePeople:
    """Which tests share participants, and how much."""

    sample_of_test: NDArray[np.intp]
    correlation: float

    @classmethod
    def of(cls, rows: Sequence[TestRow], correlation: float) -> "SamePeople":
        """Take tests of one study (of one sub-study where there are some) as tests of the same people."""
        keys = [(row.study, row.sub_study) for row in rows]
        places = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        return cls(np.array([places[key] for key in keys], dtype=np.intp), correlation)

    def noise(self, rng: np.random.Generator, size: int) -> NoiseOf:
        """Return the generators of one side in `size` new samples; without correlation the plain one."""
        if self.correlation == 0 or not self.sample_of_test.size:
            return lambda index: rng
        common = rng.standard_normal((size, int(self.sample_of_test.max()) + 1))
        return lambda index: SharedPart(rng, common[:, self.sample_of_test[index]], self.correlation)


class SharedPart(np.random.Generator):
    """A generator whose normal noise (B, k) is correlated through a common part, in step with its parent."""

    def __init__(self, rng: np.random.Generator, common: Floats, correlation: float) -> None:
        super().__init__(rng.bit_generator)
        self._common = np.sqrt(correlation) * common
        self._own = np.sqrt(1 - correlation)

    def standard_normal(self, size: Any = None, *_: Any, **__: Any) -> Any:
        """Draw normals with their common part; those of another shape have none."""
        own = super().standard_normal(size)
        return self._common + self._own * own if np.shape(own) == self._common.shape else own

    def plain_normal(self, size: Any) -> Floats:
        """Draw normals without a common part."""
        return np.asarray(super().standard_normal(size))

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Any:
        """Draw (√λ + z)² and the rest of the degrees of freedom."""
        rest = np.asarray(df, dtype=np.float64) - 1
        more = self.chisquare(np.where(rest > 0, rest, 1.0), size)
        return (np.sqrt(nonc) + self.standard_normal(size)) ** 2 + np.where(rest > 0, more, 0.0)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Draw counts as quantiles at a normal score."""
        return binomial_at(self.standard_normal(size), n, p)


def two_counts(
    rng: np.random.Generator, totals: tuple[Any, Any], rates: tuple[Any, Any], shape: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw the counts of two independent groups, whose difference shares the noise of the sample."""
    if not isinstance(rng, SharedPart):
        first, second = (rng.binomial(n, p, shape) for n, p in zip(totals, rates, strict=True))
        return first, second
    apart, along = rng.standard_normal(shape), rng.plain_normal(shape)
    scores = (along + apart) / np.sqrt(2), (along - apart) / np.sqrt(2)
    first, second = (binomial_at(z, n, p) for z, n, p in zip(scores, totals, rates, strict=True))
    return first, second


def binomial_at(z: Floats, n: Any, p: Any) -> NDArray[np.int64]:
    """Return the binomial quantiles at the probabilities of normal scores."""
    trials, rate = (np.broadcast_to(np.asarray(x, dtype=np.float64), z.shape) for x in (n, p))
    if z.ndim == 2 and all(bool((x == x[:1]).all()) for x in (trials, rate)):
        return _by_tables(ndtr(z), trials, rate)
    return _one_by_one(z.ravel(), trials.ravel(), rate.ravel()).reshape(z.shape)


def _by_tables(wanted: Floats, trials: Floats, rate: Floats) -> NDArray[np.int64]:
    """Return the quantiles of columns that have one distribution each: its function is computed once."""
    k = np.zeros(wanted.shape, dtype=np.int64)
    for column in range(wanted.shape[1] if wanted.size else 0):
        n, p = trials[0, column], rate[0, column]
        below = np.arange(n)
        k[:, column] = np.searchsorted(
            _up_to(below, np.full_like(below, n), np.full_like(below, p)), wanted[:, column]
        )
    return k


def _one_by_one(score: Floats, trials: Floats, rate: Floats) -> NDArray[np.int64]:
    """Return quantiles that have a distribution each."""
    wanted = ndtr(score)
    # Cornish and Fisher's start is right or one off nearly everywhere
    start = trials * rate + score * np.sqrt(trials * rate * (1 - rate)) + (1 - 2 * rate) * (score**2 - 1) / 6
    first = np.clip(np.floor(start), 0, trials)
    k = first.copy()
    left = np.arange(k.size)
    while left.size:  # up until the distribution function reaches the probability
        left = left[k[left] < trials[left]]
        left = left[_up_to(k[left], trials[left], rate[left]) < wanted[left]]
        k[left] += 1
    left = np.flatnonzero(k == first)  # of those that went up the count below is known not to reach it
    while left.size:  # down while the count below reaches it too
        left = left[k[left] > 0]
        left = left[_up_to(k[left] - 1, trials[left], rate[left]) >= wanted[left]]
        k[left] -= 1
    return k.astype(np.int64)


def _up_to(k: Floats, n: Floats, p: Floats) -> Floats:
    """P(at most k of n) for k < n; three times as fast as `bdtr`."""
    return np.asarray(betainc(n - k, k + 1, 1 - p))
