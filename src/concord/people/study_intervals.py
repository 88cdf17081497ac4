"""Intervals over other studies that the data choose: near the ends, with few studies, with heavy tails.

Under a protocol with ``intervals="by-data"`` they replace the plain jackknife-t; inside a study its findings
take the place of studies.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from concord.people.aggregate import FEWEST_TESTS, Profiles
from concord.people.bound import Bound
from concord.records import Estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.study_concordance import ecs_interval, unseen_weights
from concord.stats.study_rates import apr_interval, pas_interval

_SEED = 1989
"""Of the draws behind one end of the interval of ECS: the same for all agents."""
_DRAWS = 2000


def too_few(clusters: int) -> Bound:
    """Say that there are too few studies or findings."""
    return Bound(None, f"withheld: {clusters} cluster(s), at least {FEWEST_CLUSTERS} are needed")


def mean_by_data(values: Floats, jackknife: Bound, level: float) -> Bound:
    """Return the interval of a mean of numbers in [0, 1] over clusters, given its jackknife."""
    defined = values[~np.isnan(values)]
    if len(defined) < FEWEST_CLUSTERS:
        return too_few(len(defined))
    return _bound_of(pas_interval(defined, jackknife=jackknife.interval, level=level))


def rate_by_data(passed: Floats, tests: Floats, level: float) -> Bound:
    """Return the interval of a pooled rate over clusters; clusters without a test do not count."""
    there = tests > 0
    if there.sum() < FEWEST_CLUSTERS:
        return too_few(int(there.sum()))
    return _bound_of(apr_interval(passed[there], tests[there], level=level))


def ecs_by_data(
    profiles: Profiles,
    inside: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    human_se: Floats,
    value: float,
    level: float,
) -> Bound:
    """Return the interval of ECS over clusters of one profile, of which only the tests inside count."""
    used = profiles.used & inside
    if np.isnan(value) or int(used.sum()) < FEWEST_TESTS:
        return Bound(None, "the number itself is undefined")
    n = len(np.unique(clusters[used]))
    if n < FEWEST_CLUSTERS:
        return too_few(n)
    return _bound_of(
        ecs_interval(
            profiles.x[used],
            profiles.y[used],
            clusters[used],
            value=value,
            human_se=human_se[used],
            weights=profiles.weights[used],
            level=level,
            n_draws=_DRAWS,
            rng=np.random.default_rng(_SEED),
            drawn=_weights(n),
        )
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
