"""Metrics of redrawn tables at the benchmark and its domains, where every table defines the same tests.

Then findings, studies and domains are fixed weighted sums, and one matrix product each takes thousands of
tables from tests upwards. What is not of this form goes the way of `concord.people.aggregate`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.people.aggregate import (
    FEWEST_TESTS,
    Ends,
    Profiles,
    ecs_ends,
    ecs_weights,
    pas_levels,
    strict_levels,
)
from concord.people.layout import Grouping, Layout
from concord.people.protocol import Protocol
from concord.people.scored import TestScores
from concord.stats.elementwise import Bools, Floats
from concord.stats.pooling import LARGEST_R
from concord.stats.zscores import z_agreement


def redrawn_ends(scores: TestScores, layout: Layout, protocol: Protocol) -> dict[str, Ends]:
    """Return every metric of the benchmark and of domains for tables (..., T)."""
    return {
        "pas": _pas(scores, layout, protocol),
        "ecs": _ecs(scores, layout, protocol),
        "apr": _pass_rates(scores, layout, protocol),
        "ecs_strict": _strict(scores, layout, protocol),
    }


def _always(values: Floats) -> Bools | None:
    """Return which tests every table defines; None where tables differ in it."""
    defined = ~np.isnan(values).reshape(-1, values.shape[-1])
    first: Bools = defined[0]
    return first if np.array_equal(defined, np.broadcast_to(first, defined.shape)) else None


def _pas(scores: TestScores, layout: Layout, protocol: Protocol) -> Ends:
    used = _always(scores.pas)
    plain = protocol.study_pooling == "mean" and protocol.empty_finding is None
    # weights belong to the design: n_eff is that of the agent's sample, or given
    weights: Floats = scores.n_eff[(0,) * (scores.n_eff.ndim - 1)]
    positive = used is not None and bool(np.all(weights[used] > 0))
    if used is None or not plain or not positive:
        found = pas_levels(scores, layout, protocol)
        return Ends(found.domain, found.benchmark)
    groups = layout.grouping(protocol.finding_key)
    weights = weights if protocol.pas_pooling == "n_eff" else np.ones(len(weights))
    means = _means(groups.finding_of_test, len(groups.keys), np.where(used, weights, 0.0))
    flat = scores.pas.reshape(-1, len(used))
    share = np.where(used, flat, 0.5)
    edge = 0.5 * (1 - LARGEST_R)
    np.clip(share, edge, 1 - edge, out=share)
    z = 0.5 * np.log(share / (1 - share))  # Fisher's z of 2p - 1
    finding = 0.5 * (np.tanh(z @ means) + 1)
    for f in np.flatnonzero(np.count_nonzero(means, axis=0) == 1):  # one test is its own, beyond the clamp
        finding[:, f] = flat[:, int(np.flatnonzero(means[:, f])[0])]
    return _upwards(finding, np.asarray(means.any(axis=0)), groups, layout, scores.pas.shape[:-1])


def _strict(scores: TestScores, layout: Layout, protocol: Protocol) -> Ends:
    used = _always(scores.z_diff)
    if used is None or protocol.ecs_strict != "rms":
        found = strict_levels(scores, layout, protocol)
        return Ends(found.domain, found.benchmark)
    groups = layout.full
    means = _means(groups.finding_of_test, len(groups.keys), used.astype(np.float64))
    z = np.where(used, scores.z_diff.reshape(-1, len(used)), 0.0)
    finding = np.asarray(z_agreement(np.sqrt((z * z) @ means)))
    return _upwards(finding, np.asarray(means.any(axis=0)), groups, layout, scores.z_diff.shape[:-1])


def _means(group: NDArray[np.intp], size: int, weights: Floats) -> Floats:
    """Return the matrix (T, size) from tests to weighted means of groups; zeros for a group without any."""
    matrix = np.zeros((len(group), size))
    matrix[np.arange(len(group)), group] = weights
    total = matrix.sum(axis=0)
    return np.asarray(matrix / np.where(total > 0, total, 1.0))


def _upwards(
    finding: Floats, defined: Bools, groups: Grouping, layout: Layout, shape: tuple[int, ...]
) -> Ends:
    """Return means over findings of a study, then over studies, of findings (N, F)."""
    study = _means(groups.study_of_finding, len(layout.studies), defined.astype(np.float64))
    there = study.any(axis=0)
    columns = []
    for inside in (*(layout.in_domain(i) for i in range(len(layout.domains))), np.ones_like(there)):
        chosen = there & inside
        columns.append(study[:, chosen].mean(axis=1) if chosen.any() else np.full(len(study), np.nan))
    return _ends(np.where(defined, finding, 0.0) @ np.stack(columns, axis=-1), shape)


def _ends(values: Floats, shape: tuple[int, ...]) -> Ends:
    """Return values of domains and, last, the benchmark (N, D + 1) as levels of tables of a shape."""
    whole = values.reshape(*shape, values.shape[-1])
    return Ends(whole[..., :-1], whole[..., -1])


def _parts(layout: Layout) -> list[Bools]:
    """Return the tests of each domain, and all of them."""
    domain_of = layout.domain_of_study[layout.study_of_test]
    return [
        *(domain_of == i for i in range(len(layout.domains))),
        np.ones(len(layout.study_of_test), dtype=np.bool_),
    ]


def _ecs(scores: TestScores, layout: Layout, protocol: Protocol) -> Ends:
    """Lin's concordance, 2 s_xy / (s_x² + s_y² + (mean x - mean y)²), from weighted sums."""
    ours, theirs = _always(scores.agent_d), _always(scores.human_d)
    if ours is None or theirs is None or protocol.concordance != "lin":
        return ecs_ends(Profiles(scores, layout, protocol), layout)
    used = ours & theirs
    weights = ecs_weights(used, layout, protocol)
    columns = []
    for part in _parts(layout):
        inside = np.where(part, weights, 0.0)
        enough = int((used & part).sum()) >= FEWEST_TESTS
        columns.append(inside / inside.sum() if enough else np.full(len(inside), np.nan))
    matrix = np.where(used[:, None], np.stack(columns, axis=-1), 0.0)
    undefined = np.array([bool(np.isnan(column).any()) for column in columns])
    x, y = np.where(used, scores.human_d, 0.0), np.where(used, scores.agent_d, 0.0)
    # taken from a point between the profiles: sums of squares then lose no digits
    centre = np.where(used, x.reshape(-1, len(used)).mean(axis=0) @ matrix[:, -1:], 0.0)
    x, y = np.where(used, x - centre, 0.0), np.where(used, y - centre, 0.0)
    mean_x, mean_y, xx, yy, xy = (part @ matrix for part in (x, y, x * x, y * y, x * y))
    below = (xx - mean_x**2) + (yy - mean_y**2) + (mean_x - mean_y) ** 2
    found = np.where(below > 0, 2 * (xy - mean_x * mean_y) / np.where(below > 0, below, 1.0), np.nan)
    found = np.where(undefined, np.nan, np.clip(found, -1.0, 1.0))
    return Ends(found[..., :-1], found[..., -1])


def _pass_rates(scores: TestScores, layout: Layout, protocol: Protocol) -> Ends:
    counted = ~np.isnan(scores.passes)
    if protocol.apr_over == "human-significant":
        counted = counted & (scores.human_significant == 1)
    passed = counted & (scores.passes == 1)
    matrix: Any = np.stack(_parts(layout), axis=-1).astype(np.float64)
    tests, kept = counted.astype(np.float64) @ matrix, passed.astype(np.float64) @ matrix
    rates = np.where(tests > 0, kept / np.maximum(tests, 1), np.nan)
    return Ends(rates[..., :-1], rates[..., -1])
