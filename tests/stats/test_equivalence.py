"""Two one-sided tests against a margin."""

import numpy as np
import pytest

from concord.errors import OptionError, UndefinedError
from concord.stats.equivalence import equivalence, equivalence_of_means


@pytest.mark.long
def test_one_sample_is_that_of_statsmodels() -> None:
    pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    from statsmodels.stats.weightstats import DescrStatsW

    d = np.random.default_rng(1).normal(0.02, 0.3, 60)
    p, lower, upper = DescrStatsW(d).ttost_mean(-0.1, 0.1)
    found = equivalence_of_means(d, margin=0.1)
    assert found.p_value == pytest.approx(p, abs=1e-12)
    assert found.p_value == pytest.approx(max(lower[1], upper[1]), abs=1e-12)


def test_equivalent_means_that_the_90_percent_interval_lies_inside() -> None:
    rng = np.random.default_rng(2)
    for estimate, se in rng.uniform([-0.3, 0.02], [0.3, 0.2], (200, 2)):
        found = equivalence(float(estimate), float(se), 30, margin=0.25)
        assert found.equivalent == (found.interval.low > -0.25 and found.interval.high < 0.25)
        assert found.interval.level == pytest.approx(0.90)


def test_clusters_are_respected_and_impossible_questions_refused() -> None:
    d = np.tile([0.1, -0.12, 0.02], 8)
    assert equivalence_of_means(d, np.arange(24) // 3, margin=0.1).p_value < 0.05
    with pytest.raises(OptionError, match="error and margin"):
        equivalence(0.1, 0.1, margin=0.0)
    with pytest.raises(UndefinedError, match="differences that vary"):
        equivalence_of_means([0.1] * 9, margin=0.2)
