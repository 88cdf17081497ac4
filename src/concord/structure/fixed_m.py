"""The fixed-m gap: expected maximum of m samples minus the mean, the same for any number of samples."""

import numpy as np

from concord.stats.bands import GapTable
from concord.stats.gaps import expected_maximum, fixed_m_gap_binary, fixed_m_gap_cells
from concord.structure.definitions import Counted
from concord.structure.read.records import Floats, ScoreGrid
from concord.structure.records import ScoreOptions

UNKNOWN = "not available: the number of samples behind mean and max is not known (--samples K)"
_BINARY = 1e-6


def fixed_m_cells(scores: ScoreGrid, options: ScoreOptions) -> tuple[Floats | None, str]:
    """Fixed-m gap of every cell (items by arrangements, NaN where undefined) and how it was found."""
    if scores.samples is not None:
        return _from_samples(scores, options.m)
    if options.samples is None:
        return None, UNKNOWN
    if options.samples < options.m:
        return None, f"not available: {options.samples} samples per cell, below m = {options.m}"
    return _from_files(scores, options.samples, options.m)


def _from_samples(scores: ScoreGrid, m: int) -> tuple[Floats | None, str]:
    """Exactly unbiased gap from raw samples."""
    raw = scores.samples
    assert raw is not None  # noqa: S101 - the caller looked
    n_cells = scores.mean.size
    cell = raw.item * scores.mean.shape[1] + raw.arrangement
    gaps, counts = fixed_m_gap_cells(cell, raw.score, n_cells, m=m)
    short = int(((counts > 0) & (counts < m)).sum())
    if not (counts >= m).any():
        return None, f"not available: no cell has {m} samples"
    note = f"{short} cells with fewer than {m} samples left out" if short else ""
    return gaps.reshape(scores.mean.shape), note


def _from_files(scores: ScoreGrid, k: int, m: int) -> tuple[Floats, str]:
    """Gap from mean and max files: exact for 0/1 scores, by the normal ratio otherwise."""
    if is_binary(scores, k):
        return fixed_m_gap_binary(
            np.where(np.isnan(scores.maximum), np.nan, scores.mean), k, m
        ), "exact for 0/1 scores"
    ratio = expected_maximum(m) / expected_maximum(k)
    note = f"approximate: gap x d({m})/d({k}) = {ratio:.4f}, as for normal scores"
    return (scores.maximum - scores.mean) * ratio, note


def is_binary(scores: ScoreGrid, k: int) -> bool:
    """Tell whether mean and max of k samples can only come from 0/1 scores."""
    paired = ~np.isnan(scores.mean) & ~np.isnan(scores.maximum)
    ones = scores.mean[paired] * k
    whole = np.abs(ones - np.rint(ones)) <= _BINARY * k
    return bool(
        np.all(whole) and np.array_equal(scores.maximum[paired], (np.rint(ones) > 0).astype(np.float64))
    )


def fixed_m_table(cells: Floats, data: Counted) -> GapTable:
    """Fixed-m gaps of the arrangements that count."""
    return GapTable(((1.0, *data.sums(cells)),))
