"""What every log Bayes factor and posterior direction must obey, whatever the numbers."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.stats.undefined import check_undefined

from concord.errors import OptionError, UndefinedError
from concord.stats import bayes, contingency, correlation, two_rates

checked = settings(deadline=None, max_examples=60)
ts = st.floats(-60, 60)
ns = st.integers(2, 5000)
rs = st.floats(-0.999, 0.999)
scales = st.floats(0.1, 2)
fs = st.floats(0, 400)
counts = st.integers(0, 400)
tables = st.tuples(counts, counts, counts, counts)


def close(a: object, b: object, tolerance: float = 1e-10) -> bool:
    x, y = float(np.asarray(a)), float(np.asarray(b))
    return abs(x - y) <= tolerance * max(1.0, abs(x), abs(y))


# ---- identities between rules


@checked
@given(fs, ns, ns)
def test_f_with_one_df_is_t_for_two_known_cells(f: float, n1: int, n2: int) -> None:
    cell = 2 * n1 * n2 / (n1 + n2)
    as_f = bayes.log_bf_anova(f, 1, n1 + n2 - 2, cell_n=cell)
    assert close(as_f, bayes.log_bf_t(math.sqrt(f), n1, n2))


@checked
@given(fs, ns)
def test_f_with_one_df_is_t_for_equal_cells_by_default(f: float, n: int) -> None:
    assert close(bayes.log_bf_anova(f, 1, 2 * n - 2), bayes.log_bf_t(math.sqrt(f), n, n))


@checked
@given(ts, ns, ns)
def test_direction_of_f_with_one_df_is_that_of_t(t: float, n1: int, n2: int) -> None:
    a = 2 * n1 * n2 / (n1 + n2) * 0.25
    assert close(bayes.prob_positive_f(t, n1 + n2 - 2, a=a), bayes.prob_positive_t(t, n1, n2))


@checked
@given(rs, st.integers(4, 5000))
def test_wetzels_is_the_regression_form_with_scale_one(r: float, n: int) -> None:
    f = r * r / ((1 - r) * (1 + r)) * (n - 2)
    assert close(correlation.log_bf_correlation_wetzels(r, n), bayes.log_bf_regression(f, 1, n - 2, n, r=1.0))


@checked
@given(st.integers(0, 500), st.integers(1, 500))
def test_binomial_is_its_closed_form(k: int, n: int) -> None:
    assume(k <= n)
    closed = -math.log((n + 1) * math.comb(n, k)) - n * math.log(0.5)
    assert close(bayes.log_bf_binomial(k, n), closed, 1e-9)


@checked
@given(tables, st.sampled_from(["joint", "poisson", "hypergeom"]))
def test_table_does_not_care_which_way_it_is_turned(cells: tuple[int, ...], sampling: str) -> None:
    assume(sum(cells) > 0)
    table = np.array(cells, dtype=float).reshape(2, 2)
    value = contingency.log_bf_contingency(table, sampling=sampling)
    assert close(value, contingency.log_bf_contingency(table.T, sampling=sampling), 1e-9)
    assert close(value, contingency.log_bf_contingency(table[::-1], sampling=sampling), 1e-9)


@checked
@given(tables)
def test_fixed_rows_of_a_table_are_fixed_columns_of_its_transpose(cells: tuple[int, ...]) -> None:
    assume(sum(cells) > 0)
    table = np.array(cells, dtype=float).reshape(2, 2)
    rows = contingency.log_bf_contingency(table, sampling="indep_rows")
    assert close(rows, contingency.log_bf_contingency(table.T, sampling="indep_cols"), 1e-9)


# ---- symmetry in sign, and the two halves of a direction


@checked
@given(ts, ns, scales)
def test_sign_of_t_changes_only_the_direction(t: float, n: int, r: float) -> None:
    assert bayes.log_bf_t(t, n, r=r) == bayes.log_bf_t(-t, n, r=r)
    total = float(bayes.prob_positive_t(t, n, r=r)) + float(bayes.prob_positive_t(-t, n, r=r))
    assert total == pytest.approx(1, abs=1e-13)


@checked
@given(rs, st.integers(3, 5000), st.sampled_from([1 / 3, 1.0, 2.0]))
def test_sign_of_r_changes_only_the_direction(r: float, n: int, kappa: float) -> None:
    there, back = (correlation.log_bf_correlation(x, n, kappa=kappa) for x in (r, -r))
    assert close(there, back, 1e-13)
    up, down = (float(correlation.prob_positive_correlation(x, n, kappa=kappa)) for x in (r, -r))
    assert up + down == pytest.approx(1, abs=1e-13)


@checked
@given(st.integers(0, 500), st.integers(1, 500), st.floats(0.01, 0.99))
def test_successes_and_failures_may_change_places(k: int, n: int, p0: float) -> None:
    assume(k <= n)
    assert close(bayes.log_bf_binomial(k, n, p0), bayes.log_bf_binomial(n - k, n, 1 - p0), 1e-9)
    up = float(bayes.prob_positive_binomial(k, n, p0))
    assert up + float(bayes.prob_positive_binomial(n - k, n, 1 - p0)) == pytest.approx(1, abs=1e-12)


@checked
@given(st.floats(0.001, 60), ns, scales)
def test_direction_follows_the_statistic_and_never_leaves_the_unit_interval(
    t: float, n: int, r: float
) -> None:
    up = float(bayes.prob_positive_t(t, n, r=r))
    assert 0.5 < up <= 1


@checked
@given(st.floats(-6, 6), st.integers(2, 400), st.sampled_from(["greater", "less"]))
def test_two_one_sided_bayes_factors_average_to_the_two_sided(t: float, n: int, side: str) -> None:
    one, other = (float(bayes.log_bf_t(x, n, alternative=side)) for x in (t, -t))
    assert close(np.logaddexp(one, other) - math.log(2), bayes.log_bf_t(t, n))


@checked
@given(st.floats(-0.99, 0.99), st.integers(3, 400))
def test_two_one_sided_correlations_average_to_the_two_sided(r: float, n: int) -> None:
    one, other = (
        float(correlation.log_bf_correlation(r, n, alternative=side)) for side in ("greater", "less")
    )
    assert close(np.logaddexp(one, other) - math.log(2), correlation.log_bf_correlation(r, n))


# ---- monotone, without a cap


@checked
@given(st.floats(0, 50), st.floats(0.01, 20), st.integers(2, 2000), scales)
def test_evidence_and_direction_grow_with_t(t: float, more: float, n: int, r: float) -> None:
    assert float(bayes.log_bf_t(t + more, n, r=r)) > float(bayes.log_bf_t(t, n, r=r))
    assert float(bayes.prob_positive_t(t + more, n, r=r)) >= float(bayes.prob_positive_t(t, n, r=r)) - 1e-15


@checked
@given(fs, st.floats(0.01, 50), st.integers(1, 40), st.integers(1, 2000))
def test_evidence_grows_with_f(f: float, more: float, df1: int, df2: int) -> None:
    assert float(bayes.log_bf_anova(f + more, df1, df2)) > float(bayes.log_bf_anova(f, df1, df2))
    n = df1 + df2 + 1
    lower, higher = (float(bayes.log_bf_regression(x, df1, df2, n)) for x in (f, f + more))
    assert higher > lower


@checked
@given(st.floats(0, 0.98), st.floats(0.001, 0.019), st.integers(3, 3000))
def test_evidence_grows_with_r(r: float, more: float, n: int) -> None:
    lower, higher = (float(correlation.log_bf_correlation(x, n)) for x in (r, r + more))
    assert higher > lower


def test_nothing_is_capped_beyond_ten() -> None:
    t = np.array([9.9, 10.1, 15.0, 50.0, 1000.0, 10000.0])
    values = np.asarray(bayes.log_bf_t(t, 1000))
    assert np.all(np.diff(values) > 1)
    assert values[-1] > 10 * math.log(1e6)
    small = np.asarray(bayes.log_bf_t(t, 3))
    assert np.all(np.diff(small) > 0)
    assert small[-1] < math.log(1e6)  # three pairs cannot give a million to one at t = 10000


@pytest.mark.parametrize(
    ("value", "expected", "source"),
    [
        (lambda: math.exp(float(bayes.log_bf_t(15, 3))), 9.9, "n = 3, t = 15; a cap would give 10^6"),
        (lambda: bayes.log_bf_t(50, 10**6), 1241.6, "t = 50, n = 10^6; a cap would give 13.8"),
        (
            lambda: bayes.log_bf_regression(0.5, 9, 990, 1000),
            -17.11,
            "F(9, 990) = 0.5; loose quadrature: -17.21",
        ),
        (lambda: bayes.log_bf_anova(4, 1, 38), 0.374, "F(1, 38) = 4 as t = 2"),
        (lambda: bayes.log_bf_regression(4, 1, 38, 40), 0.232, "F(1, 38) = 4 as a regression"),
        (lambda: bayes.log_bf_binomial(5800, 10000), 124.0, "5800 of 10000; an overflow would give BF 0"),
        (lambda: math.exp(float(correlation.log_bf_correlation(0.3, 50))), 1.555, "Ly et al., kappa = 1"),
        (lambda: math.exp(float(correlation.log_bf_correlation_wetzels(0.3, 50))), 1.025, "Wetzels"),
    ],
)
def test_known_trap_gives_the_right_number(value: Callable[[], float], expected: float, source: str) -> None:
    digits = len(str(expected).split(".")[1]) if expected != 124.0 else 0
    assert float(value()) == pytest.approx(expected, abs=0.51 * 10**-digits), source


# ---- the bound on p


@checked
@given(st.floats(1e-300, 0.3678))
def test_bound_is_its_formula_below_one_over_e(p: float) -> None:
    assert close(bayes.log_bf_bound(p), -math.log(-math.e * p * math.log(p)), 1e-12)


@checked
@given(st.floats(0.36788, 1))
def test_bound_is_one_above_one_over_e(p: float) -> None:
    assert bayes.log_bf_bound(p) == 0


def test_p_of_zero_has_no_finite_bound() -> None:
    assert bayes.log_bf_bound(0.0) == math.inf


# ---- undefined is undefined

NAN = float("nan")
UNDEFINED: list[tuple[str, Callable[..., object], tuple[float, ...], tuple[float, ...]]] = [
    ("one observation", bayes.log_bf_t, (2.0, 1), (2.0, 20)),
    ("t is not a number", bayes.log_bf_t, (NAN, 20), (2.0, 20)),
    ("t is infinite", bayes.log_bf_t, (math.inf, 20), (2.0, 20)),
    ("two groups of one", bayes.log_bf_t, (2.0, 1, 1), (2.0, 2, 1)),
    ("an empty group", bayes.log_bf_t, (2.0, 0, 20), (2.0, 1, 20)),
    ("direction from one observation", bayes.prob_positive_t, (2.0, 1), (2.0, 20)),
    ("a negative F", bayes.log_bf_anova, (-1.0, 2, 20), (1.0, 2, 20)),
    ("F without error df", bayes.log_bf_anova, (1.0, 2, 0), (1.0, 2, 20)),
    ("F without effect df", bayes.log_bf_anova, (1.0, 0, 20), (1.0, 2, 20)),
    ("more predictors than observations", bayes.log_bf_regression, (1.0, 5, 1, 6), (1.0, 5, 1, 7)),
    ("r beyond one", correlation.log_bf_correlation, (1.1, 20), (0.9, 20)),
    ("a correlation of two pairs", correlation.log_bf_correlation, (0.5, 2), (0.5, 3)),
    ("direction of two pairs", correlation.prob_positive_correlation, (0.5, 2), (0.5, 3)),
    ("Wetzels of two pairs", correlation.log_bf_correlation_wetzels, (0.5, 2), (0.5, 3)),
    ("more successes than trials", bayes.log_bf_binomial, (5, 4), (4, 4)),
    ("no trials", bayes.log_bf_binomial, (0, 0), (0, 1)),
    ("a null rate of one", bayes.log_bf_binomial, (2, 4, 1.0), (2, 4, 0.5)),
    ("direction beyond the trials", bayes.prob_positive_binomial, (5, 4), (4, 4)),
    ("p above one", bayes.log_bf_bound, (1.1,), (0.9,)),
    ("p not a number", bayes.log_bf_bound, (NAN,), (0.9,)),
    ("a negative chi-square", bayes.log_bf_chi_square_bic, (-1.0, 1, 20), (1.0, 1, 20)),
    ("a negative count", two_rates.prob_first_rate_higher, (-1, 4, 2, 4), (1, 4, 2, 4)),
]


@pytest.mark.parametrize(
    ("function", "bad", "good"), [case[1:] for case in UNDEFINED], ids=[case[0] for case in UNDEFINED]
)
def test_undefined_raises_alone_and_is_nan_among_others(
    function: Callable[..., object], bad: tuple[float, ...], good: tuple[float, ...]
) -> None:
    check_undefined(function, bad, good)


def test_an_empty_table_is_undefined_and_does_not_spoil_its_neighbour() -> None:
    with pytest.raises(UndefinedError, match="positive total"):
        contingency.log_bf_contingency([[0, 0], [0, 0]])
    values = np.asarray(contingency.log_bf_contingency([[[0, 0], [0, 0]], [[3, 4], [6, 9]]]))
    assert np.isnan(values[0])
    assert math.exp(values[1]) == pytest.approx(0.6530989, rel=2e-7)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: contingency.log_bf_contingency([[1, 2], [3, 4]], sampling="fixed"), "one of joint"),
        (lambda: contingency.log_bf_contingency([1, 2, 3]), "at least 2 rows and 2 columns"),
        (lambda: contingency.log_bf_contingency([[1, 2, 3], [4, 5, 6]], sampling="hypergeom"), "2 x 2"),
        (lambda: contingency.log_bf_contingency([[1, 2], [3, 4]], concentration=0), "more than 0.5"),
        (lambda: bayes.log_bf_t(2, 20, alternative="larger"), "two-sided"),
        (lambda: correlation.log_bf_correlation(0.2, 20, alternative="both"), "two-sided"),
    ],
)
def test_an_option_that_does_not_exist_is_refused_with_those_that_do(
    call: Callable[[], object], words: str
) -> None:
    with pytest.raises(OptionError, match=words):
        call()


# ---- shapes

SHAPED: list[Callable[..., object]] = [
    bayes.log_bf_t,
    bayes.prob_positive_t,
    correlation.log_bf_correlation,
    correlation.log_bf_correlation_wetzels,
    correlation.prob_positive_correlation,
    lambda x, n: bayes.log_bf_anova(np.square(x), 2, n),
    lambda x, n: bayes.log_bf_regression(np.square(x), 2, np.asarray(n) - 3, n),
    lambda x, n: bayes.log_bf_binomial(np.floor(np.abs(x) * 5), n),
    lambda x, n: bayes.prob_positive_binomial(np.floor(np.abs(x) * 5), n),
    lambda x, n: bayes.log_bf_chi_square_bic(np.square(x), 1, n),
]


@pytest.mark.parametrize("function", SHAPED)
def test_scalars_give_a_float_and_arrays_broadcast(function: Callable[..., object]) -> None:
    x, n = np.array([[-0.3], [0.1], [0.8]]), np.array([7, 20, 100, 3000])
    grid = function(x, n)
    assert isinstance(grid, np.ndarray)
    assert grid.shape == (3, 4)
    for i in range(3):
        for j in range(4):
            alone = function(float(x[i, 0]), int(n[j]))
            assert isinstance(alone, float)
            assert grid[i, j] == pytest.approx(alone, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("function", SHAPED)
def test_no_tests_give_no_numbers(function: Callable[..., object]) -> None:
    assert np.asarray(function(np.empty(0), np.empty(0))).shape == (0,)


def test_results_do_not_depend_on_the_company_of_a_test() -> None:
    """Blocks and chunks are an implementation matter: 40,000 tests give the numbers of a few."""
    rng = np.random.default_rng(5)
    t, n = rng.normal(size=40_000) * 8, rng.integers(2, 500, size=40_000)
    values, directions = np.asarray(bayes.log_bf_t(t, n)), np.asarray(bayes.prob_positive_t(t, n))
    some = rng.integers(0, 40_000, size=60)
    np.testing.assert_allclose(values[some], bayes.log_bf_t(t[some], n[some]), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(directions[some], bayes.prob_positive_t(t[some], n[some]), rtol=1e-13)


# ---- limits


def test_a_perfect_correlation_is_certain_of_its_direction() -> None:
    assert correlation.log_bf_correlation(1.0, 10) == math.inf
    assert correlation.prob_positive_correlation(1.0, 10) == 1
    assert correlation.prob_positive_correlation(-1.0, 10) == pytest.approx(0, abs=1e-30)


def test_one_sided_t_against_a_strong_effect_is_finite() -> None:
    """Half-Cauchy prior times noncentral t density integrated with mpmath at 60 digits."""
    assert float(bayes.log_bf_t(60, 10_000, alternative="less")) == pytest.approx(
        -8.651120932248859, rel=1e-9
    )


def test_wetzels_of_a_perfect_correlation_is_infinite_from_three_pairs_on() -> None:
    """At q = 0 the integrand falls like g^((n-2)/2 - 3/2), so n = 3 already diverges."""
    assert correlation.log_bf_correlation_wetzels(1.0, 4) == math.inf
    assert correlation.log_bf_correlation_wetzels(1.0, 3) == math.inf


@pytest.mark.parametrize(("table", "a"), [([[1, 2], [3, 4]], 0.3), ([[1, 2, 3], [3, 4, 5]], 0.6)])
def test_a_concentration_without_a_prior_for_the_margins_is_refused(table: list[list[int]], a: float) -> None:
    """The margins' prior C a - (C - 1) has to be positive."""
    with pytest.raises(OptionError, match="concentration"):
        contingency.log_bf_contingency(table, concentration=a)
