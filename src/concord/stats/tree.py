"""Studies, findings and tests as a tree, and blocks of resamples drawn from it.

A *state* is what a drawn finding holds: a multiset of its tests. A finding of n tests has C(2n - 1, n)
states, 126 for n = 5, so whatever is a function of the state is tabulated once for small findings and looked
up in every replicate. Findings too large for that have their tests drawn one by one.
"""

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.errors import OptionError
from concord.stats.elementwise import Floats
from concord.stats.groups import group_starts

Integers = NDArray[np.intp]

LARGEST_TABULATED = 5
"""Findings with more tests than this are never tabulated."""
MOST_STATES = 250_000
"""Tabulated states in all; above it the largest tabulated findings are drawn test by test instead."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Sorted tests as a tree: finding g holds ``sizes[g]`` tests from ``starts[g]`` on."""

    starts: Integers
    sizes: Integers
    study_first: Integers
    """First finding of every study."""
    study_sizes: Integers
    """Findings in every study."""
    n_tests: int


@dataclass(frozen=True, slots=True)
class Selection:
    """Multisets of tests, one a row: row i holds ``tests[bounds[i]:bounds[i + 1]]``, repeats meant."""

    tests: Integers
    bounds: Integers

    @property
    def n_rows(self) -> int:
        """Multisets."""
        return len(self.bounds) - 1

    def matrix(self, n_tests: int) -> Any:
        """Count the tests of every row, as a sparse matrix."""
        return sparse(np.ones(len(self.tests)), self.tests, self.bounds, (self.n_rows, n_tests))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All states of the small findings of a tree, and how a uniform number picks one."""

    tree: Tree
    states: Selection
    first_state: Integers
    """Of every finding; -1 where the finding is drawn test by test."""
    codes: Floats
    """Ordered draws of every tabulated finding, n ** n."""
    first_code: Integers
    """Where the lookup of a finding of this size begins."""
    lookup: Integers
    """From an ordered draw to its state."""

    @property
    def n_drawn_apart(self) -> int:
        """Findings whose tests are drawn one by one."""
        return int(np.sum(self.first_state < 0))


@dataclass(frozen=True, slots=True)
class Part:
    """Drawn findings of one kind (tabulated, or drawn test by test), replicate by replicate."""

    chosen: slice | Integers
    """Which of the drawn findings they are."""
    states: Integers
    bounds: Integers


@dataclass(frozen=True, slots=True)
class Draw:
    """One block of replicates."""

    n_replicates: int
    study_starts: Integers
    """First drawn finding of every drawn study, replicate after replicate."""
    study_sizes: Integers
    """Drawn findings of every drawn study."""
    tabulated: Part
    apart: Part | None
    """Findings whose tests were drawn one by one; their states are the rows of ``selection``."""
    selection: Selection | None

    @property
    def n_findings(self) -> int:
        """Drawn findings in all."""
        return int(self.study_starts[-1] + self.study_sizes[-1])


def sparse(values: Floats, columns: Integers, bounds: Integers, shape: tuple[int, int]) -> Any:
    """Sparse rows; the import waits until a bootstrap is really run."""
    from scipy.sparse import csr_array

    return csr_array((values, columns, bounds), shape=shape)


def tree_of(study: ArrayLike, finding: ArrayLike) -> Tree:
    """Read the tree off sorted index arrays; findings may be numbered afresh in every study."""
    studies, findings = np.asarray(study), np.asarray(finding)
    if studies.size == 0:
        raise OptionError("there are no tests to resample")
    starts = group_starts(studies, findings)
    first = group_starts(studies[starts])
    keys = list(zip(studies[starts].tolist(), findings[starts].tolist(), strict=True))
    if keys != sorted(set(keys)):
        raise OptionError("tests must be sorted by study, then by finding")
    sizes = np.diff(np.append(starts, studies.size))
    return Tree(starts, sizes, first, np.diff(np.append(first, starts.size)), studies.size)


def catalogue_of(tree: Tree) -> Catalogue:
    """Tabulate the states of the small findings."""
    limit = _largest_tabulated(tree)
    first_state = np.full(tree.sizes.size, -1, dtype=np.intp)
    first_code = np.zeros(limit + 1, dtype=np.intp)
    tests, lengths, lookups = [], [], []
    n_states = n_codes = 0
    for n in range(1, limit + 1):
        states, lookup = _states_of(n)
        members = np.flatnonzero(tree.sizes == n)
        first_state[members] = n_states + len(states) * np.arange(members.size)
        first_code[n] = n_codes
        tests.append((tree.starts[members][:, None, None] + states).reshape(-1))
        lengths.append(np.full(len(states) * members.size, n))
        lookups.append(lookup)
        n_states += len(states) * members.size
        n_codes += lookup.size
    bounds = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    capped = np.where(first_state < 0, 0, tree.sizes)
    codes = np.where(first_state < 0, 0.0, capped.astype(np.float64) ** capped)
    selection = Selection(_small(np.concatenate(tests)), _small(bounds))
    return Catalogue(tree, selection, first_state, codes, first_code[capped], np.concatenate(lookups))


def draw_block(catalogue: Catalogue, n_replicates: int, rng: np.random.Generator) -> Draw:
    """Draw studies with replacement, in each its findings, in each of these its tests."""
    tree = catalogue.tree
    n_studies = tree.study_first.size
    study = _uniform(rng, np.full(n_replicates * n_studies, n_studies))
    sizes = tree.study_sizes[study]
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    finding = np.repeat(tree.study_first[study], sizes) + _uniform(rng, np.repeat(sizes, sizes))
    code = catalogue.first_code[finding] + _uniform(rng, catalogue.codes[finding])
    state = catalogue.first_state[finding] + catalogue.lookup[code]
    ends = bounds[::n_studies]
    if catalogue.n_drawn_apart == 0:
        part = Part(slice(None), _small(state), _small(ends))
        return Draw(n_replicates, bounds[:-1], sizes, part, None, None)
    small = catalogue.first_state[finding] >= 0
    large = np.flatnonzero(~small)
    states, selection = _drawn_apart(tree, finding[large], rng)
    part = _part(np.flatnonzero(small), state[small], small, ends)
    return Draw(n_replicates, bounds[:-1], sizes, part, _part(large, states, ~small, ends), selection)


def _part(chosen: Integers, states: Integers, mask: NDArray[np.bool_], ends: Integers) -> Part:
    """Count the chosen of the drawn findings up to the end of every replicate."""
    counts = np.concatenate([[0], np.cumsum(mask)])
    return Part(chosen, _small(states), _small(counts[ends]))


def _drawn_apart(tree: Tree, finding: Integers, rng: np.random.Generator) -> tuple[Integers, Selection]:
    """Draw the tests of these findings one by one, findings of one size together; say where each went."""
    sizes = tree.sizes[finding]
    by_size = [np.flatnonzero(sizes == n) for n in np.flatnonzero(np.bincount(sizes))]
    drawn, states, row = [np.zeros(0, dtype=np.int32)], np.empty_like(sizes), 0
    for members in by_size:
        shape = (members.size, int(sizes[members[0]]))
        first = tree.starts[finding[members]].astype(np.int32)
        drawn.append((rng.integers(0, shape[1], shape, dtype=np.int32) + first[:, None]).reshape(-1))
        states[members] = np.arange(row, row + members.size)
        row += members.size
    lengths = np.concatenate([[0], *(sizes[members] for members in by_size)])
    return states, Selection(np.concatenate(drawn), _small(np.cumsum(lengths)))


def _uniform(rng: np.random.Generator, below: NDArray[Any]) -> Integers:
    """Whole numbers from 0 up to, not including, each bound (u < 1 keeps u * bound below the bound)."""
    drawn: Integers = (rng.random(below.size) * below).astype(np.intp)
    return drawn


def _small(indices: Integers) -> Any:
    """Turn indices into 32-bit numbers, which sparse products take without a copy."""
    return indices.astype(np.int32)


def _largest_tabulated(tree: Tree) -> int:
    """Return the largest size of finding that is tabulated, so that the states stay within bounds."""
    counts = np.bincount(tree.sizes, minlength=LARGEST_TABULATED + 1)
    states = np.cumsum([counts[n] * comb(2 * n - 1, n) for n in range(1, LARGEST_TABULATED + 1)])
    return max(1, int(np.sum(states <= MOST_STATES)))


def _states_of(n: int) -> tuple[Integers, Integers]:
    """Return the multisets of n out of n, sorted, and for each of the n ** n ordered draws its multiset."""
    ordered = np.sort(np.indices((n,) * n).reshape(n, -1).T, axis=1)
    place = n ** np.arange(n - 1, -1, -1)
    _, first, lookup = np.unique(ordered @ place, return_index=True, return_inverse=True)
    return ordered[first], lookup.reshape(-1)
