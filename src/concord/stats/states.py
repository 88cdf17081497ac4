"""What a replicate of the hierarchical bootstrap adds up: values of drawn findings, mean by study.

PAS and the moments of ECS are both sums over drawn studies of means over drawn findings of something that
depends on the finding's state alone, so both are a sparse matrix of shares times a table of states.
Columns are models that share one pattern of undefined tests.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.stats.agreement import concordance
from concord.stats.elementwise import Floats
from concord.stats.groups import sums
from concord.stats.tree import Draw, Part, Selection, sparse

Bools = NDArray[np.bool_]
Integers = NDArray[np.intp]

DOUBTFUL = 1e-4
"""Where the variances of a replicate are below this share of the second moments, they are computed again from
deviations: nothing cancels then, and a constant profile is seen to be constant."""


@dataclass(frozen=True, slots=True)
class Table:
    """Values of states, one a row; a state with nothing defined in it has zeros."""

    selection: Selection
    values: Floats
    counts: Floats
    """Defined tests in every state."""


@dataclass(frozen=True, slots=True)
class View:
    """A draw seen through one pattern of undefined tests."""

    n_replicates: int
    parts: Sequence[tuple[Part, Table]]
    shares: Floats
    """Weight of every drawn finding: one over the findings of its study with something defined (of a finding
    with nothing defined the values are 0, so its weight does not count)."""
    n_studies: Floats
    """Drawn studies with something defined, per replicate; NaN for none."""

    def means(self, columns: Floats | None = None) -> Floats:
        """Mean over drawn studies of the mean over drawn findings, per replicate.

        Where values of states are plain means of ``columns`` over tests, those of states drawn test by test
        are not tabulated: the weights of their tests times ``columns`` is one dense product.
        """
        total: Floats | float = 0.0
        for number, (part, table) in enumerate(self.parts):
            if number == 0 or columns is None:
                total = total + self._by_state(part, table) @ table.values
            else:
                total = total + self._by_test(part, table, len(columns)) @ columns
        return np.asarray(total / self.n_studies[:, None])

    def test_weights(self, rows: Integers, n_tests: int) -> Floats:
        """Weights of the tests in these replicates, before undefined tests are struck out."""
        weights = np.zeros((rows.size, n_tests))
        for part, table in self.parts:
            states = self._by_state(part, table, 1 / np.maximum(table.counts, 1.0)[part.states])[rows]
            weights += (states @ table.selection.matrix(n_tests)).toarray()
        return weights

    def _by_state(self, part: Part, table: Table, factor: Floats | float = 1.0) -> Any:
        """Weights of the states in every replicate, as sparse rows."""
        shape = (self.n_replicates, len(table.counts))
        return sparse(self.shares[part.chosen] * factor, part.states, part.bounds, shape)

    def _by_test(self, part: Part, table: Table, n_tests: int) -> Floats:
        """Weights of the tests in every replicate, for states of which each was drawn once."""
        share, corner = np.zeros(len(table.counts)), np.zeros(len(table.counts), dtype=np.intp)
        share[part.states] = self.shares[part.chosen]
        corner[part.states] = np.repeat(np.arange(self.n_replicates) * n_tests, np.diff(part.bounds))
        sizes = np.diff(table.selection.bounds)
        cells = np.repeat(corner, sizes) + table.selection.tests
        per_test = np.repeat(share / np.maximum(table.counts, 1.0), sizes)
        weights = np.asarray(np.bincount(cells, per_test, self.n_replicates * n_tests), dtype=np.float64)
        return weights.reshape(self.n_replicates, n_tests)


def view_of(draw: Draw, table: Table, tabulate: Callable[[Selection], Table]) -> View:
    """Combine a draw with the table of its states, tabulating what was drawn test by test."""
    parts = [(draw.tabulated, table)]
    if draw.apart is not None and draw.selection is not None:
        parts.append((draw.apart, tabulate(draw.selection)))
    present = np.ones(draw.n_findings, dtype=bool)
    if not all(np.all(one.counts > 0) for _, one in parts):
        for part, one in parts:
            present[part.chosen] = one.counts[part.states] > 0
    per_study = sums(present.astype(np.float64), draw.study_starts)
    share = np.repeat(1 / np.maximum(per_study, 1.0), draw.study_sizes)
    n_studies = np.sum((per_study > 0).reshape(draw.n_replicates, -1), axis=1).astype(np.float64)
    return View(draw.n_replicates, parts, share, np.where(n_studies > 0, n_studies, np.nan))


@dataclass(frozen=True, slots=True)
class PasColumns:
    """PAS of models with the same tests defined; arrays are tests x models."""

    models: Integers
    defined: Bools
    pas: Floats
    z: Floats
    weights: Floats
    """Tests x models, or tests x 1 where all models share them; 0 for undefined tests."""

    def table(self, selection: Selection) -> Table:
        """Pooled PAS of every state, by the rules of `pool_pas`."""
        matrix = selection.matrix(len(self.defined))
        counts = matrix @ self.defined.astype(np.float64)
        total, weighted = matrix @ self.weights, matrix @ (self.weights * self.z)
        if np.any(total <= 0):
            unweighted = (matrix @ self.z) / np.maximum(counts, 1.0)[:, None]
            weighted = np.where(total > 0, weighted, unweighted)
            total = np.where(total > 0, total, 1.0)
        weighted /= total
        pooled = np.tanh(weighted, out=weighted)
        pooled += 1
        pooled *= 0.5
        lone, empty = counts == 1, counts == 0
        if np.any(lone):
            pooled[lone] = matrix[lone] @ self.pas
        pooled[empty] = 0.0
        return Table(selection, pooled, counts)

    def replicates(self, draw: Draw, table: Table) -> Floats:
        """PAS of every replicate, replicates x models."""
        return view_of(draw, table, self.table).means()


@dataclass(frozen=True, slots=True)
class EcsColumns:
    """Effects of models with the same tests defined; arrays are tests x models, undefined tests 0.

    Human effects are tests x 1 where all models share them. Both are centred about the mean of the
    defined tests, so that the moments of a replicate do not cancel.
    """

    models: Integers
    defined: Bools
    human: Floats
    agent: Floats
    offset: Floats
    """Mean of the human effects less that of the agent's, which centring took away."""

    @property
    def moments(self) -> Floats:
        """The columns x, x^2, y, y^2 and xy."""
        x, y = self.human, self.agent
        return np.hstack([x, x * x, y, y * y, x * y])

    def table(self, selection: Selection) -> Table:
        """Means over the defined tests of the moments, for every state."""
        counted = self.counted(selection)
        means = selection.matrix(len(self.defined)) @ self.moments
        return Table(selection, means / np.maximum(counted.counts, 1.0)[:, None], counted.counts)

    def counted(self, selection: Selection) -> Table:
        """Count the defined tests of every state; no values."""
        counts = selection.matrix(len(self.defined)) @ self.defined.astype(np.float64)
        return Table(selection, np.zeros((len(counts), 0)), counts)

    def replicates(self, draw: Draw, table: Table) -> Floats:
        """Concordance in every replicate, replicates x models."""
        view = view_of(draw, table, self.counted)
        widths = np.cumsum([self.human.shape[1]] * 2 + [self.agent.shape[1]] * 2)
        mx, mxx, my, myy, mxy = np.split(view.means(self.moments), widths, axis=1)
        variances = (mxx - mx * mx) + (myy - my * my)
        below = variances + (mx - my + self.offset) ** 2
        doubtful = ~(variances > DOUBTFUL * (mxx + myy)) & ~np.isnan(view.n_studies)[:, None]
        value = 2 * (mxy - mx * my) / np.where(doubtful, 1.0, below)
        if np.any(doubtful):
            value[doubtful] = self._from_deviations(view, doubtful)
        return np.clip(value, -1.0, 1.0)

    def _from_deviations(self, view: View, doubtful: Bools) -> Floats:
        """Concordance of single replicates and models from the weights of their tests."""
        value = np.full(doubtful.shape, np.nan)
        rows = np.flatnonzero(doubtful.any(axis=1))
        weights = view.test_weights(rows, len(self.defined))[:, self.defined]
        for model in np.flatnonzero(doubtful.any(axis=0)):
            x = self.human[self.defined, min(model, self.human.shape[1] - 1)] + self.offset[model]
            picked = doubtful[rows, model]
            value[rows[picked], model] = concordance(x, self.agent[self.defined, model], weights[picked])
        return value[doubtful]
