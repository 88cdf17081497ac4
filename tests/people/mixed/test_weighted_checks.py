"""What weighted samples are held against: by hand."""

import numpy as np
import pytest

from concord.people.mixed.table import _moments


def test_moments_of_weighted_answers_are_those_of_survey_statistics() -> None:
    rng = np.random.default_rng(2)
    values, weights = rng.normal(5, 2, 60), rng.uniform(0.5, 2, 60)
    mean, variance, of_mean = _moments((values, weights))
    assert mean == pytest.approx(np.average(values, weights=weights))
    w = weights / weights.mean()
    assert variance == pytest.approx(np.sum(w * (values - mean) ** 2) / 59)
    # a ratio's linearised variance: of the residuals times their weights, over n
    assert of_mean == pytest.approx(np.var(w * (values - mean), ddof=1) / 60)
