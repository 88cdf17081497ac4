"""Clustered standard errors against printed examples and other programs."""

import numpy as np
import pytest

from concord.stats.clustered import clustered_mean
from concord.stats.compare import Choices, compare_items
from concord.stats.power import items_needed

GPA = [
    [3.08, 2.60, 3.44, 3.04],
    [2.36, 3.04, 3.28, 2.68],
    [2.00, 2.56, 2.52, 1.88],
    [3.00, 2.88, 3.44, 3.64],
    [2.68, 1.92, 3.28, 3.20],
]
"""Grade points of the four students in each of five suites: Lohr (1999), Sampling: Design and Analysis,
example 5.2."""


def test_the_printed_example_of_a_cluster_sample() -> None:
    """Lohr (1999), example 5.2: the mean is 2.826 and its standard error 0.164, 5 of 100 suites sampled."""
    suites = np.repeat(np.arange(5), 4)
    ours = clustered_mean(np.ravel(GPA), suites)
    assert ours.mean == pytest.approx(2.826, abs=5e-4)
    assert ours.se * np.sqrt(1 - 5 / 100) == pytest.approx(0.164, abs=5e-4)
    # by hand: the variance of suite totals is 2.256 (2.25568), and SE² = 2.25568/(5 · 16)
    assert ours.se == pytest.approx(np.sqrt(2.25568 / 80), rel=1e-9)
    assert ours.df == pytest.approx(4.0, abs=1e-12)


def test_equal_families_have_the_clustered_error_that_inspect_reports() -> None:
    """`stderr(cluster=...)` of inspect_ai is the literature's with G/(G - 1): ours for equal clusters."""
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
    from inspect_ai.scorer import SampleScore, Score, stderr

    rng = np.random.default_rng(9)
    families = np.repeat(np.arange(12), 4)
    x = rng.binomial(1, 0.3 + 0.4 * rng.random(12)[families]).astype(float)
    scores = [
        SampleScore(score=Score(value=float(value)), sample_id=i, sample_metadata={"family": int(family)})
        for i, (value, family) in enumerate(zip(x, families, strict=True))
    ]
    theirs = stderr(cluster="family")(scores)
    assert clustered_mean(x, families).se == pytest.approx(theirs, rel=1e-12)


@pytest.mark.long
def test_a_clustered_comparison_is_the_robust_regression_of_statsmodels() -> None:
    """OLS of the differences on a constant, errors clustered with G/(G - 1), t with G - 1 degrees."""
    pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    import statsmodels.api as sm

    rng = np.random.default_rng(10)
    families = np.repeat(np.arange(15), 6)
    first, second = rng.normal(0.3, 1, (2, 90)) + rng.normal(0, 0.5, 15)[families]
    d = first - second
    theirs = sm.OLS(d, np.ones(90)).fit(
        cov_type="cluster", cov_kwds={"groups": families, "df_correction": True}, use_t=True
    )
    ours = compare_items(first, second, families, choices=Choices(test="t"))
    t = next(verdict for verdict in ours.verdicts if verdict.test == "clustered t")
    assert ours.se_paired == pytest.approx(float(theirs.bse[0]), rel=1e-9)
    assert t.statistic == pytest.approx(float(theirs.tvalues[0]), rel=1e-9)
    assert t.p_value == pytest.approx(float(theirs.pvalues[0]), abs=1e-9)
    assert ours.difference.interval is not None
    expected = theirs.conf_int()[0]
    assert [ours.difference.interval.low, ours.difference.interval.high] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("repeats", "expected"), [(1, 969), (3, 582)])
def test_the_sample_size_formula_of_the_literature_with_repeats(repeats: int, expected: int) -> None:
    """Miller (2024), section 5: n = (z_a/2 + z_b)² (ω² + σ_A²/K + σ_B²/K)/δ², here ω² = 4/90, both σ² = 3/90
    and δ = 0.03, so that one answer each has a variance of 1/9 as in the paper's example."""
    variance = 4 / 90 + 6 / 90 / repeats
    z = 1.959963984540054 + 0.8416212335729143
    assert np.ceil(z**2 * variance / 0.03**2) == expected
    assert items_needed(0.03, np.sqrt(variance)) == pytest.approx(expected, abs=3)
