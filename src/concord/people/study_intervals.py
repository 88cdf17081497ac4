"""Intervals over other studies that the data choose: near the ends, with few studies, with heavy tails.

Under a protocol with ``intervals="by-data"`` they replace the plain jackknife-t; inside a study its findings
take the place of studies.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from concord.people.aggregate import FEWEST_TESTS, Profiles
from concord.people.bound import Bound
from concord.records import Estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.study_concordance import StudyEffects, ecs_intervals, unseen_weights
from concord.stats.study_rates import apr_intervals, pas_intervals

_SEED = 1989
"""Of the draws behind one end of the interval of ECS: the same for all agents."""
_DRAWS = 2000


def too_few(clusters: int) -> Bound:
    """Say that there are too few studies or findings."""
    return Bound(None, f"withheld: {clusters} cluster(s), at least {FEWEST_CLUSTERS} are needed")


def means_by_data(samples: Sequence[Floats], jackknives: Sequence[Bound], level: float) -> list[Bound]:
    """Return the interval of each mean of defined numbers in [0, 1] over clusters, given its jackknife."""
    centres = [float(values.mean()) for values in samples]
    inner = [jackknife.interval for jackknife in jackknives]
    return [_bound_of(found) for found in pas_intervals(samples, centres, inner, level=level)]


def rates_by_data(counts: Sequence[tuple[Floats, Floats]], level: float) -> list[Bound]:
    """Return the interval of each pooled rate over clusters; clusters without a test do not count."""
    there = [(passed[tests > 0], tests[tests > 0]) for passed, tests in counts]
    found = iter(apr_intervals([one for one in there if len(one[0]) >= FEWEST_CLUSTERS], level=level))
    return [
        _bound_of(next(found)) if len(passed) >= FEWEST_CLUSTERS else too_few(len(passed))
        for passed, _ in there
    ]


def ecs_by_data(
    parts: Sequence[tuple[Profiles, NDArray[np.bool_], float]],
    clusters: NDArray[np.intp],
    human_se: Floats,
    level: float,
) -> list[Bound]:
    """Return the interval of ECS over clusters of each part: a profile, the tests that count, and the ECS."""
    found = [_effects(profiles, value, inside, clusters, human_se) for profiles, inside, value in parts]
    known = [one for one in found if isinstance(one, StudyEffects)]
    ends = iter(ecs_intervals(known, _weights, level=level))
    return [one if isinstance(one, Bound) else _bound_of(next(ends)) for one in found]


def _effects(
    profiles: Profiles,
    value: float,
    inside: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    human_se: Floats,
) -> StudyEffects | Bound:
    """Return the effects that count, or why there is no interval."""
    used = profiles.used & inside
    if np.isnan(value) or int(used.sum()) < FEWEST_TESTS:
        return Bound(None, "the number itself is undefined")
    labels = clusters[used]
    n = len(np.unique(labels))
    if n < FEWEST_CLUSTERS:
        return too_few(n)
    return StudyEffects(
        profiles.x[used], profiles.y[used], labels, value, human_se[used], profiles.weights[used]
    )


@lru_cache(maxsize=32)
def _weights(n_studies: int) -> Floats:
    """Return the weights of studies: domains and agents of as many studies share them."""
    weights = unseen_weights(n_studies, _DRAWS, np.random.default_rng(_SEED))
    weights.flags.writeable = False
    return weights


def _bound_of(found: Estimate) -> Bound:
    note = found.note.replace("no interval:", "withheld:", 1)
    return Bound(found.interval, note)
