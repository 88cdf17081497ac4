"""Two one-sided tests against a margin."""

import numpy as np
import pytest

from concord.errors import OptionError
from concord.stats.equivalence import equivalence


@pytest.mark.long
def test_one_sample_is_that_of_statsmodels() -> None:
    pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    from statsmodels.stats.weightstats import DescrStatsW

    d = np.random.default_rng(1).normal(0.02, 0.3, 60)
    p, lower, upper = DescrStatsW(d).ttost_mean(-0.1, 0.1)
    found = equivalence(float(d.mean()), float(d.std(ddof=1) / np.sqrt(60)), 59, margin=0.1)
    assert found.p_value == pytest.approx(p, abs=1e-12)
    assert found.p_value == pytest.approx(max(lower[1], upper[1]), abs=1e-12)


def test_equivalent_means_that_the_90_percent_interval_lies_inside() -> None:
    rng = np.random.default_rng(2)
    for estimate, se in rng.uniform([-0.3, 0.02], [0.3, 0.2], (200, 2)):
        found = equivalence(float(estimate), float(se), 30, margin=0.25)
        assert found.equivalent == (found.interval.low > -0.25 and found.interval.high < 0.25)
        assert found.interval.level == pytest.approx(0.90)


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(OptionError, match="error and margin"):
        equivalence(0.1, 0.1, margin=0.0)
