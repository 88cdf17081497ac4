"""Bayes factors of within-subject F and of variance ratios."""

import numpy as np
import pytest
from scipy import integrate, special
from scipy.special import expit

from concord.errors import UndefinedError
from concord.stats.bayes import Share, log_bf_variance_ratio, log_bf_within


def test_a_tiny_f_of_many_observations_favours_no_effect() -> None:
    assert float(log_bf_within(0.01, 2, 6000)) < -8


def test_the_bic_form_is_that_of_sums_of_squares() -> None:
    rng = np.random.default_rng(1)
    people, conditions = 12, 4
    y = rng.normal(0, 1, (people, 1)) + np.array([0, 0.2, 0.5, 0.9]) + rng.normal(0, 1, (people, conditions))
    effect = people * np.sum((y.mean(axis=0) - y.mean()) ** 2)
    residual = np.sum((y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()) ** 2)
    df1, df2 = conditions - 1, (people - 1) * (conditions - 1)
    f = (effect / df1) / (residual / df2)
    n = people * (conditions - 1)
    # Masson (2011): delta BIC = n log(SSE1/SSE0) + k log n
    expected = -0.5 * (n * np.log(residual / (residual + effect)) + df1 * np.log(n))
    assert log_bf_within(f, df1, df2) == pytest.approx(expected, abs=1e-10)


def by_quad(f: float, df1: float, df2: float, a: float) -> float:
    def log_likelihood(rho: float) -> float:
        total = rho * df1 * f + (1 - rho) * df2
        return 0.5 * float(df1 * np.log(rho) + df2 * np.log(1 - rho) - (df1 + df2) * np.log(total))

    half = log_likelihood(0.5)

    def integrand(rho: float) -> float:
        prior = (rho * (1 - rho)) ** (a - 1) / special.beta(a, a)
        return float(prior * np.exp(log_likelihood(rho) - half))

    low, _ = integrate.quad(integrand, 0, 0.5, epsabs=0, epsrel=1e-11, limit=500)
    high, _ = integrate.quad(integrand, 0.5, 1, epsabs=0, epsrel=1e-11, limit=500)
    return float(np.log(low + high))


@pytest.mark.parametrize(("f", "df1", "df2"), [(1.0, 20, 20), (2.5, 12, 40), (0.3, 30, 9), (1.0, 400, 300)])
def test_the_bayes_factor_of_a_variance_ratio_is_its_integral(f: float, df1: int, df2: int) -> None:
    for a in (0.5, 2.0):
        assert log_bf_variance_ratio(f, df1, df2, a=a) == pytest.approx(by_quad(f, df1, df2, a), abs=1e-8)


# mpmath, 40 digits: F, df1, df2, a, log Bayes factor, probability that the first variance is larger
EXACT = [
    (1.5, 50, 50, 0.5, -1.185893007159878, 0.9203888833688022),
    (0.7, 9, 400, 0.5, -1.4276561216599, 0.2936750122087409),
    (3.0, 1, 5, 0.5, -0.4652557969087374, 0.7913400714740018),
    (1.02, 2e4, 2e4, 0.5, -4.197252539652346, 0.9192722730204111),
    (1.01, 2e6, 2e6, 0.5, 17.2720361870855, 0.9999999999990103),
    (0.2, 1e6, 1, 2.0, 0.2683408126788387, 0.09360206763963499),
    (1e200, 3, 5e4, 0.5, 11269649.51915828, 1.0),
]


@pytest.mark.parametrize(("f", "df1", "df2", "a", "log_bf", "larger"), EXACT)
def test_variance_ratios_of_few_and_of_millions_are_exact(
    f: float, df1: float, df2: float, a: float, log_bf: float, larger: float
) -> None:
    assert log_bf_variance_ratio(f, df1, df2, a=a) == pytest.approx(log_bf, rel=1e-10)
    below, above = Share.of(*(np.array([x], dtype=float) for x in (f, df1, df2, a))).log_halves()
    assert expit(below - above)[0] == pytest.approx(larger, abs=1e-12)


def test_variance_ratios_of_unequal_designs_do_not_depend_on_each_other() -> None:
    f, df1, df2, a, *_ = (np.array(column) for column in zip(*EXACT, strict=True))
    together = np.asarray(log_bf_variance_ratio(f, df1, df2, a=a))
    alone = [float(log_bf_variance_ratio(*row[:3], a=row[3])) for row in EXACT]
    np.testing.assert_allclose(together, alone, rtol=1e-11)  # sums of terms of 1e4 and more lose digits


def test_groups_can_be_exchanged() -> None:
    assert log_bf_variance_ratio(2.0, 15, 30) == pytest.approx(float(log_bf_variance_ratio(0.5, 30, 15)))
    assert float(log_bf_variance_ratio(1.0, 200, 200)) < -2 < 5 < float(log_bf_variance_ratio(3.0, 60, 60))


def test_what_is_no_ratio_is_undefined() -> None:
    with pytest.raises(UndefinedError, match="variance ratio"):
        log_bf_variance_ratio(0.0, 10, 10)
    with pytest.raises(UndefinedError, match="within-subject F"):
        log_bf_within(-1.0, 2, 10)
    assert np.isnan(np.asarray(log_bf_variance_ratio([1.0, -1.0], 10, 10))).tolist() == [False, True]
