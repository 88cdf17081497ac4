"""Numbers at the edge of what a table may hold: finite, or undefined, and without a warning."""

import mpmath
import numpy as np
import pytest

from concord.errors import UndefinedError
from concord.stats import log_bf_t, p_binomial, prob_positive_correlation


def _log_bf_t_mpmath(t: float, n: int) -> float:
    """JZS of a one-sample t by direct integration over log g."""
    with mpmath.workdps(40):
        squared, nu = mpmath.mpf(t) ** 2, n - 1

        def integrand(u: mpmath.mpf) -> mpmath.mpf:
            g = mpmath.exp(u)
            prior = mpmath.exp(-1 / (2 * g)) / mpmath.sqrt(2 * mpmath.pi) * g ** mpmath.mpf("-1.5")
            wide = 1 + n * g / 2
            fit = (1 + squared / (wide * nu)) ** (-mpmath.mpf(n) / 2)
            return wide ** mpmath.mpf("-0.5") * fit * prior * g

        above = mpmath.quad(integrand, mpmath.arange(-20, 2 * mpmath.log(t) + 60, 1))
        below = (1 + squared / nu) ** (-mpmath.mpf(n) / 2)
        return float(mpmath.log(above / below))


@pytest.mark.parametrize(("t", "n"), [(1e20, 5), (1e50, 20)])
def test_a_t_beyond_every_study_keeps_its_bayes_factor(t: float, n: int) -> None:
    assert log_bf_t(t, n) == pytest.approx(_log_bf_t_mpmath(t, n), rel=1e-10)


@pytest.mark.parametrize("n", [4, 50, 1e6, 1e12])
def test_a_perfect_correlation_has_one_direction_at_any_n(n: float) -> None:
    assert prob_positive_correlation(1.0, n) == 1.0
    assert prob_positive_correlation(-1.0, n) == 0.0


def test_of_three_people_even_a_perfect_correlation_leaves_doubt() -> None:
    assert prob_positive_correlation(1.0, 3) == pytest.approx(0.8925, abs=5e-4)


def test_a_count_that_floats_cannot_tell_from_the_next_is_undefined() -> None:
    with pytest.raises(UndefinedError, match=r"n <= 2\^52"):
        p_binomial(0, 2.0**53)
    assert np.isnan(p_binomial([0, 5], [2.0**60, 10])).tolist() == [True, False]
