"""Interpolation over replicates is as good as computing directly, or computes directly."""

import numpy as np
from scipy.special import ndtr

from concord.stats import log_bf_t, prob_positive_t
from concord.stats.elementwise import NODES, Floats, on_columns


def test_replicates_of_t_tests_agree_with_direct_values_to_1e_8() -> None:
    rng = np.random.default_rng(3)
    n1 = np.array([3.0, 8.0, 40.0, 1000.0, 50_000.0])
    n2 = np.array([4.0, 30.0, 40.0, 20.0, 50_000.0])
    centre = np.array([0.0, -2.0, 8.0, 3.0, 40.0])
    points = centre + rng.standard_t(5, size=(600, 5))

    def bf(t: Floats, a: Floats, b: Floats) -> Floats:
        return np.asarray(log_bf_t(t, a, b))

    def positive(t: Floats, a: Floats, b: Floats) -> Floats:
        return np.asarray(prob_positive_t(t, a, b))

    fast = on_columns([bf, positive], points, n1, n2)
    for values, function in zip(fast, (bf, positive), strict=True):
        direct = function(points, n1, n2)
        assert np.max(np.abs(values - direct) / np.maximum(1, np.abs(direct))) < 1e-8


def test_a_function_with_a_kink_is_computed_directly() -> None:
    points = np.linspace(-1, 2, 500).reshape(-1, 1)
    (values,) = on_columns([lambda x, a: np.abs(x) * a], points, np.array([3.0]))
    assert np.array_equal(values, 3 * np.abs(points))


def test_few_points_are_computed_directly() -> None:
    points = np.linspace(0, 1, 2 * NODES).reshape(-1, 1)
    (values,) = on_columns([lambda x, a: np.sin(a * x)], points, np.array([2.0]))
    assert np.array_equal(values, np.sin(2 * points))


def test_a_constant_column_has_its_constant_value() -> None:
    points = np.full((500, 1), 1.25)
    (values,) = on_columns([lambda x, a: x * a], points, np.array([2.0]))
    np.testing.assert_allclose(values, 2.5, rtol=1e-14)


def test_one_far_outlier_does_not_hide_where_the_function_bends() -> None:
    """A step at 0 seen from a range up to 1e4: no node falls near it, so its coefficients seem to decay."""
    points = np.concatenate([np.random.default_rng(2).normal(0.5, 1, 300), [1e4]]).reshape(-1, 1)
    (values,) = on_columns([lambda x, a: ndtr(a * x)], points, np.array([1.0]))
    assert np.abs(values - ndtr(points)).max() < 1e-8


def test_a_function_is_never_asked_outside_the_range_of_its_points() -> None:
    """Correlations end at 1: beyond the largest that was drawn there may be no value."""
    points = np.random.default_rng(4).uniform(-0.3, 1.0, (300, 2)) * np.array([1.0, 0.2])
    asked: list[Floats] = []

    def watched(x: Floats, a: Floats) -> Floats:
        asked.append(x)
        return np.asarray(np.exp(a * x))

    on_columns([watched], points, np.array([1.0, 2.0]))
    nodes = asked[0]
    assert nodes.shape == (NODES, 2)
    assert (nodes >= points.min(axis=0)).all()
    assert (nodes <= points.max(axis=0)).all()
    # Chebyshev points: the outermost lie cos(π/2K) of the half range from the centre
    reach = np.cos(np.pi / (2 * NODES)) * np.ptp(points, axis=0)
    np.testing.assert_allclose(np.ptp(nodes, axis=0), reach, rtol=1e-12)
