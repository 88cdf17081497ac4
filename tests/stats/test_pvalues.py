"""P-values against scipy.stats, textbooks and mpmath."""

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from concord.errors import UndefinedError
from concord.stats.pvalues import (
    chi_square,
    p_binomial,
    p_chi_square,
    p_correlation,
    p_f,
    p_mann_whitney,
    p_t,
    p_variance_ratio,
    p_z,
)

finite = st.floats(-1e6, 1e6)
dfs = st.floats(0.5, 1e6)


@pytest.mark.parametrize(
    ("found", "expected", "source"),
    [
        (p_t(2.776, 4), 0.05, "Student's t table, two-sided .05 at 4 df: 2.776"),
        (p_t(-12.706, 1), 0.05, "Student's t table, two-sided .05 at 1 df: 12.706"),
        (p_t(1.96, math.inf), 0.05, "Student's t table, last row"),
        (p_f(4.00, 1, 60), 0.05, "F table, .05 at 1 and 60 df: 4.00"),
        (p_f(4.26, 2, 9), 0.05, "F table, .05 at 2 and 9 df: 4.26"),
        (p_chi_square(3.841, 1), 0.05, "chi-square table, .05 at 1 df: 3.841"),
        (p_chi_square(18.307, 10), 0.05, "chi-square table, .05 at 10 df: 18.307"),
        (p_correlation(0.576, 12), 0.05, "table of critical r, .05 at 10 df: .576"),
        (p_z(2.576), 0.01, "normal table, two-sided .01: 2.576"),
        (p_variance_ratio(4.03, 9, 9), 0.05, "F table, .025 at 9 and 9 df: 4.03"),
        (p_binomial(682, 925, 0.75), 0.3825, "R: binom.test(682, 682 + 243, p = 3/4), Mendel's peas"),
        (p_mann_whitney(23, 10, 10), 0.0413, "by hand: z = (23 - 50) / sqrt(175) = -2.041"),
    ],
)
def test_textbook_values(found: float, expected: float, source: str) -> None:
    assert found == pytest.approx(expected, rel=1e-2), source


def test_small_counts_by_hand() -> None:
    assert p_binomial(0, 5) == pytest.approx(2 / 32, rel=1e-15)
    assert p_binomial(3, 5) == 1.0
    assert p_binomial(7, 7) == pytest.approx(2 / 128, rel=1e-15)
    assert p_binomial(2, 2, 1 / 3) == pytest.approx(1 / 9, rel=1e-14)


# scipy's stdtr loses digits at exactly 1 df near t = 0; that case has a closed form and a test of its own.
@given(finite, dfs.filter(lambda df: df != 1))
def test_t_equals_scipy(t: float, df: float) -> None:
    assert p_t(t, df) == pytest.approx(2 * scipy.stats.t.sf(abs(t), df), rel=1e-12, abs=1e-300)


@given(finite)
def test_one_degree_of_freedom_is_the_cauchy_distribution(t: float) -> None:
    assert p_t(t, 1) == pytest.approx(1 - 2 / math.pi * math.atan(abs(t)), rel=1e-9, abs=1e-15)


@given(st.floats(0, 1e5), dfs, dfs)
def test_f_equals_scipy(f: float, df1: float, df2: float) -> None:
    assert p_f(f, df1, df2) == pytest.approx(scipy.stats.f.sf(f, df1, df2), rel=1e-12, abs=1e-300)


@given(st.floats(0, 1e4), st.floats(0.5, 1e4))
def test_chi_square_equals_scipy(chi2: float, df: float) -> None:
    assert p_chi_square(chi2, df) == pytest.approx(scipy.stats.chi2.sf(chi2, df), rel=1e-12, abs=1e-300)


@given(st.floats(-40, 40))
def test_z_equals_scipy(z: float) -> None:
    assert p_z(z) == pytest.approx(2 * scipy.stats.norm.sf(abs(z)), rel=1e-12, abs=1e-300)


counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, st.sampled_from([0.5, 0.25, 0.75, 1 / 3, 0.1]) | st.floats(0.001, 0.999))
def test_binomial_equals_scipy(k_of_n: tuple[int, int], p0: float) -> None:
    k, n = k_of_n
    expected = scipy.stats.binomtest(k, n, p0).pvalue
    assert p_binomial(k, n, p0) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    ("k", "p0"), [(500_000, 0.5), (498_000, 0.5), (0, 1e-6), (3, 1e-6), (999_999, 0.999)]
)
def test_a_million_trials_equal_scipy(k: int, p0: float) -> None:
    expected = scipy.stats.binomtest(k, 1_000_000, p0).pvalue
    assert p_binomial(k, 1_000_000, p0) == pytest.approx(expected, rel=1e-10, abs=1e-300)


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=20),
    st.lists(st.integers(0, 12), min_size=2, max_size=20),
)
def test_mann_whitney_with_ties_equals_scipy(x: list[int], y: list[int]) -> None:
    sizes = np.unique([*x, *y], return_counts=True)[1]
    if len(sizes) == 1:
        return
    expected = scipy.stats.mannwhitneyu(x, y, use_continuity=False, method="asymptotic")
    found = p_mann_whitney(expected.statistic, len(x), len(y), tie_sum=float((sizes**3 - sizes).sum()))
    assert found == pytest.approx(expected.pvalue, rel=1e-12)


@given(
    st.integers(2, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(1, 60), min_size=width, max_size=width), min_size=2, max_size=4
        )
    ),
    st.booleans(),
)
def test_chi_square_statistic_equals_scipy(table: list[list[int]], yates: bool) -> None:
    expected = scipy.stats.chi2_contingency(table, correction=yates)
    found = chi_square(table, yates=yates)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12, abs=1e-12)
    assert found.df == expected.dof


@pytest.mark.parametrize(("t", "df"), [(1e-8, 1), (1e-8, 7.5), (30, 5), (1e6, 3), (40, 1000), (1e100, 2)])
def test_extreme_t_keep_their_digits(t: float, df: float) -> None:
    with mpmath.workdps(60):
        x = mpmath.mpf(df) / (df + mpmath.mpf(t) ** 2)
        near = mpmath.betainc(0.5, mpmath.mpf(df) / 2, 0, 1 - x, regularized=True)
        far = mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, x, regularized=True) if x < 0.9 else 1 - near
    assert p_t(t, df) == pytest.approx(float(far), rel=1e-12)


@given(st.floats(-50, 50), dfs)
def test_f_with_one_numerator_df_is_the_square_of_t(t: float, df: float) -> None:
    assert p_f(t * t, 1, df) == pytest.approx(p_t(t, df), rel=1e-10, abs=1e-300)


@given(st.floats(0.01, 100), st.integers(1, 200), st.integers(1, 200))
def test_variance_ratio_does_not_depend_on_which_variance_is_on_top(f: float, df1: int, df2: int) -> None:
    assert p_variance_ratio(f, df1, df2) == pytest.approx(p_variance_ratio(1 / f, df2, df1), rel=1e-9)


@given(st.floats(-0.999, 0.999), st.integers(4, 10_000))
def test_correlation_is_its_t(r: float, n: int) -> None:
    t = r * math.sqrt((n - 2) / ((1 - r) * (1 + r)))
    assert p_correlation(r, n) == pytest.approx(2 * scipy.stats.t.sf(abs(t), n - 2), rel=1e-11, abs=1e-300)


@given(counts, st.floats(0.001, 0.999))
def test_counting_failures_instead_of_successes_gives_the_same_p(k_of_n: tuple[int, int], p0: float) -> None:
    k, n = k_of_n
    assert p_binomial(k, n, p0) == pytest.approx(p_binomial(n - k, n, 1 - p0), rel=1e-9)


@given(st.integers(1, 50), st.integers(1, 50), st.data())
def test_either_groups_u_gives_the_same_p(n1: int, n2: int, data: st.DataObject) -> None:
    u = data.draw(st.integers(0, n1 * n2))
    assert p_mann_whitney(u, n1, n2) == pytest.approx(p_mann_whitney(n1 * n2 - u, n2, n1), rel=1e-12)


@given(st.floats(0, 1e3), st.floats(0, 1e3), st.integers(1, 50))
def test_a_larger_statistic_never_has_a_larger_p(a: float, b: float, df: int) -> None:
    low, high = sorted((a, b))
    for p in (p_t, p_chi_square):
        assert p(high, df) <= p(low, df)


def test_a_perfect_correlation_has_p_zero() -> None:
    assert p_correlation([1.0, -1.0], 10) == pytest.approx([0.0, 0.0], abs=0)


def test_arguments_broadcast_and_keep_their_shape() -> None:
    found = np.asarray(p_t(np.array([[1.0], [2.0]]), [10, 20, 30]))
    assert found.shape == (2, 3)
    assert found[1, 2] == p_t(2.0, 30)
    assert isinstance(p_t(2, 30), float)
    assert np.asarray(p_t([], [])).shape == (0,)


def test_tables_come_in_batches() -> None:
    tables = np.array([[[10, 2], [3, 15]], [[5, 5], [0, 0]], [[1, 1], [1, 1]]])
    found = np.asarray(chi_square(tables).statistic)
    assert found[0] == chi_square(tables[0]).statistic
    assert np.isnan(found[1])
    assert found[2] == 0.0


UNDEFINED: list[tuple[Callable[..., Any], tuple[object, ...], str]] = [
    (p_t, (math.nan, 10), "df > 0"),
    (p_t, (2.0, 0), "df > 0"),
    (p_f, (-1.0, 1, 10), "F >= 0"),
    (p_f, (1.0, 0, 10), "F >= 0"),
    (p_variance_ratio, (1.0, 3, math.nan), "F >= 0"),
    (p_correlation, (1.2, 10), r"\|r\| <= 1"),
    (p_correlation, (0.2, 2), "n >= 3"),
    (p_chi_square, (-0.1, 1), "chi2 >= 0"),
    (p_z, (math.nan,), "needs a z"),
    (p_binomial, (3.5, 10), "whole"),
    (p_binomial, (11, 10), "k <= n"),
    (p_binomial, (0, 0), "n >= 1"),
    (p_binomial, (1, 2, 1.5), "p0 in"),
    (p_mann_whitney, (101, 10, 10), "U <= n1 n2"),
    (p_mann_whitney, (0, 0, 10), "n >= 1"),
]


@pytest.mark.parametrize(("function", "arguments", "message"), UNDEFINED)
def test_undefined_raises_alone_and_is_nan_among_many(
    function: Callable[..., Any], arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(UndefinedError, match=message):
        function(*arguments)
    among = np.asarray(function(*([argument, argument] for argument in arguments)))
    assert np.isnan(among).all()


def test_all_values_tied_is_undefined_not_one() -> None:
    with pytest.raises(UndefinedError, match="tied"):
        p_mann_whitney(50, 10, 10, tie_sum=20**3 - 20)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[5, 5], [0, 0]], "empty row or column"),
        ([[5, -1], [2, 3]], "counts >= 0"),
        ([[1, 2]], r"two rows and two columns; got shape \(1, 2\)"),
        ([1, 2], "two rows and two columns"),
    ],
)
def test_a_table_without_a_statistic_is_undefined(table: ArrayLike, message: str) -> None:
    with pytest.raises(UndefinedError, match=message):
        chi_square(table)
