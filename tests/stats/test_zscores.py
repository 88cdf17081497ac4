"""Differences in standard errors as tail probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from concord.errors import UndefinedError
from concord.stats.pooling import (
    calibrated_agreement,
    calibrated_agreement_groups,
    rms_z,
    rms_z_groups,
    z_agreement,
)

ZS = hnp.arrays(np.float64, st.integers(1, 8), elements=st.floats(-30, 30))


@pytest.mark.parametrize(
    ("z", "expected", "source"),
    [
        (0.0, 1.0, "no difference"),
        (1.0, 0.31731050786291415, "Abramowitz & Stegun, table 26.1: 2 * 0.158655253931457"),
        (1.959963984540054, 0.05, "the usual quantile"),
        (-3.0, 0.002699796063260207, "Abramowitz & Stegun, table 26.1: 2 * 0.001349898031630"),
    ],
)
def test_tails_from_the_tables(z: float, expected: float, source: str) -> None:
    assert z_agreement(z) == pytest.approx(expected, rel=1e-12), source


def test_far_tails_do_not_vanish() -> None:
    assert z_agreement(30.0) == pytest.approx(9.813e-198, rel=1e-3)
    assert np.isnan(np.asarray(z_agreement([np.nan, 1.0]))).tolist() == [True, False]


@pytest.mark.parametrize(
    ("z", "expected", "source"),
    [
        ([1.0, 1.0], np.exp(-1.0), "chi-square with 2 degrees of freedom: exp(-x / 2)"),
        ([2.0, 0.0, 0.0, 0.0], 3 * np.exp(-2.0), "chi-square with 4: exp(-x / 2) (1 + x / 2)"),
        ([0.0, 0.0, 0.0], 1.0, "no difference"),
    ],
)
def test_calibrated_agreement_by_hand(z: list[float], expected: float, source: str) -> None:
    assert calibrated_agreement(z) == pytest.approx(expected, rel=1e-13), source


@given(st.floats(-30, 30))
def test_one_test_agrees_with_itself_in_every_form(z: float) -> None:
    assert rms_z([z]) == pytest.approx(abs(z), rel=1e-15)
    assert calibrated_agreement([z]) == pytest.approx(z_agreement(z), rel=1e-10)


@given(ZS, ZS)
def test_groups_equal_their_members_pooled_alone(a: np.ndarray, b: np.ndarray) -> None:
    both, starts = np.concatenate([a, b]), [0, len(a)]
    alone = np.array([float(rms_z(part)) for part in (a, b)])
    np.testing.assert_allclose(rms_z_groups(both, starts), alone, rtol=1e-14)
    alone = np.array([float(calibrated_agreement(part)) for part in (a, b)])
    np.testing.assert_allclose(calibrated_agreement_groups(both, starts), alone, rtol=1e-12)


def test_calibrated_agreement_is_uniform_where_the_rms_form_is_not() -> None:
    z = np.random.default_rng(8).normal(size=(20_000, 4))
    calibrated = np.asarray(calibrated_agreement(z))
    by_rms = np.asarray(z_agreement(rms_z(z)))
    # 3.5 standard errors of a share of 5 % among 20,000
    assert np.mean(calibrated < 0.05) == pytest.approx(0.05, abs=0.0055)
    assert np.mean(by_rms < 0.05) < 0.01


def test_undefined_values_are_left_out_and_nothing_is_undefined() -> None:
    assert rms_z([3.0, np.nan, 4.0]) == pytest.approx(np.sqrt(12.5))
    assert calibrated_agreement([1.0, np.nan, 1.0]) == pytest.approx(np.exp(-1.0))
    np.testing.assert_array_equal(rms_z_groups([np.nan, 2.0], [0, 1]), [np.nan, 2.0])
    for function in (rms_z, calibrated_agreement):
        for nothing in ([], [np.nan]):
            with pytest.raises(UndefinedError, match="no defined unit"):
                function(nothing)
    np.testing.assert_array_equal(calibrated_agreement([[np.nan, np.nan], [0.0, np.nan]]), [np.nan, 1.0])
