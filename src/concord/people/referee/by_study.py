"""What a referee asks, study by study."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from concord.people.referee.records import RefereeStudy, RefereeTest
from concord.records import Estimate, Interval

SUPPORT = float(np.log(3))
"""Log Bayes factor from which on a replication is supported, or opposed below its negative."""


def referee_studies(
    tests: Sequence[RefereeTest], significant: Sequence[bool], *, within: float, level: float
) -> tuple[RefereeStudy, ...]:
    """Count the answers to a referee's questions in every study."""
    places: dict[str, list[int]] = {}
    for i, test in enumerate(tests):
        places.setdefault(test.study, []).append(i)
    return tuple(
        _one_study(name, [tests[i] for i in at], [significant[i] for i in at], within, level)
        for name, at in places.items()
    )


def _one_study(
    name: str, tests: Sequence[RefereeTest], significant: Sequence[bool], within: float, level: float
) -> RefereeStudy:
    known = [test.inside for test in tests if test.inside is not None]
    shown = [
        (test.log_bf_replication, test.p_too_small)
        for test, s in zip(tests, significant, strict=True)
        if s and test.log_bf_replication is not None
    ]
    kept = [test.p_equivalent for test in tests if test.p_equivalent is not None]
    return RefereeStudy(
        study=name,
        n=len(known),
        inside=sum(known),
        difference=_mean_difference(tests, within, level),
        n_replications=len(shown),
        n_supported=sum(bf > SUPPORT for bf, _ in shown),
        n_opposed=sum(bf < -SUPPORT for bf, _ in shown),
        n_too_small=sum(p is not None and p < 1 - level for _, p in shown),
        n_kept=len(kept),
        n_equivalent=sum(p < 1 - level for p in kept),
    )


def _mean_difference(tests: Sequence[RefereeTest], within: float, level: float) -> Estimate:
    """Weight agent minus human d by precision; errors of tests of the same people correlate."""
    pairs = [
        (test.difference_d, test.difference_se)
        for test in tests
        if test.difference_d is not None and test.difference_se is not None
    ]
    if not pairs:
        return Estimate(None, note="no test has an effect with an error on both sides")
    d, se = np.array(pairs, dtype=np.float64).T
    w = se**-2 / np.sum(se**-2)
    parts = w * se
    # Σ_ij w_i w_j ρ_ij s_i s_j, ρ_ij = within for i ≠ j
    variance = float((1 - within) * np.sum(parts**2) + within * np.sum(parts) ** 2)
    mean, reach = float(w @ d), float(ndtri(0.5 + level / 2)) * variance**0.5
    how = f"weighted by precision, errors of a study correlate {within:g}"
    return Estimate(mean, Interval(mean - reach, mean + reach, level, how), d.size, method=how)
