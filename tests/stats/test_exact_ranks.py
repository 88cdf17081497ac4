"""Exact p-values of rank tests against scipy's exact ones and published tables."""

import numpy as np
import pytest
from scipy import stats

from concord.errors import OptionError, UndefinedError
from concord.stats.pvalues import (
    p_mann_whitney_exact,
    p_mann_whitney_permutation,
    p_spearman_exact,
    p_spearman_exact_rho,
    p_wilcoxon_exact,
    small_rank_p,
)


def test_three_against_three_cannot_be_significant() -> None:
    assert p_mann_whitney_exact(0, 3, 3) == pytest.approx(0.1)
    assert p_mann_whitney_exact(9, 3, 3) == pytest.approx(0.1)


@pytest.mark.parametrize(("n1", "n2"), [(3, 3), (4, 7), (9, 9), (1, 5)])
def test_mann_whitney_is_scipys_exact_one(n1: int, n2: int) -> None:
    rng = np.random.default_rng(n1 + n2)
    a, b = rng.normal(0, 1, n1), rng.normal(0.7, 1, n2)
    expected = stats.mannwhitneyu(a, b, method="exact")
    assert p_mann_whitney_exact(float(expected.statistic), n1, n2) == pytest.approx(
        expected.pvalue, abs=1e-12
    )
    assert p_mann_whitney_permutation(a, b) == pytest.approx(expected.pvalue, abs=1e-12)


def test_ties_are_counted_by_permutation() -> None:
    a, b = [1, 1, 2, 2], [2, 3, 3, 3, 4]
    drawn = stats.permutation_test(
        (a, b),
        lambda x, y: abs(stats.mannwhitneyu(x, y, method="asymptotic").statistic - 10),
        alternative="greater",
        n_resamples=20_000,
    )
    assert p_mann_whitney_permutation(a, b) == pytest.approx(drawn.pvalue, abs=1e-9)
    assert p_mann_whitney_exact(2.5, 4, 5) == p_mann_whitney_exact(3, 4, 5)


@pytest.mark.parametrize("n", [4, 6, 9, 15])
def test_signed_ranks_are_scipys_exact_ones(n: int) -> None:
    d = np.random.default_rng(n).normal(0.5, 1, n)
    expected = stats.wilcoxon(d, mode="exact")
    assert p_wilcoxon_exact(float(expected.statistic), n) == pytest.approx(expected.pvalue, abs=1e-12)


def test_signed_ranks_with_ties_are_counted_over_all_signs() -> None:
    ranks = np.array([1.5, 1.5, 3.0, 4.5, 4.5])
    signs = np.array(np.meshgrid(*[[0, 1]] * 5)).reshape(5, -1)
    sums = ranks @ signs
    expected = np.mean(np.abs(sums - 7.5) >= abs(3.0 - 7.5) - 1e-12)
    assert p_wilcoxon_exact(3.0, 5, ranks) == pytest.approx(expected)
    with pytest.raises(UndefinedError, match="exact Wilcoxon"):
        p_wilcoxon_exact(99, 5)


def test_spearman_of_few_pairs_is_exact() -> None:
    # tables of Best and Roberts (1975): rho = 1 with 4, 5 pairs
    assert p_spearman_exact([1, 2, 3, 4], [2, 4, 6, 8]) == pytest.approx(2 / 24)
    assert p_spearman_exact_rho(-1.0, 5) == pytest.approx(2 / 120)
    x, y = np.array([3, 1, 4, 1.5, 5, 9]), np.array([2, 7, 1, 8, 2.8, 1.1])
    rho = stats.spearmanr(x, y).statistic
    drawn = stats.permutation_test(
        (x,), lambda z: stats.spearmanr(z, y).statistic, permutation_type="pairings", n_resamples=2000
    )
    assert p_spearman_exact(x, y) == pytest.approx(drawn.pvalue, abs=1e-9)
    assert p_spearman_exact_rho(round(rho, 2), 6) == pytest.approx(drawn.pvalue, abs=1e-9)


def test_many_observations_are_left_to_the_other_tests() -> None:
    with pytest.raises(OptionError, match="1 to 9 observations"):
        p_mann_whitney_permutation(range(10), range(5))
    with pytest.raises(OptionError, match="3 to 9 pairs"):
        p_spearman_exact(range(12), range(12))
    with pytest.raises(UndefinedError, match="0 <= U"):
        p_mann_whitney_exact(100, 3, 3)


def test_p_of_many_small_rank_tests_are_those_of_one() -> None:
    for n1, n2 in ((3, 3), (2, 9), (9, 7), (1, 4)):
        u = np.arange(0, n1 * n2 + 0.5, 0.5)
        sizes = (np.full(u.size, float(n)) for n in (n1, n2))
        one = [p_mann_whitney_exact(value, n1, n2) for value in u]
        assert small_rank_p(u, *sizes).tolist() == pytest.approx(one, abs=1e-12)
    for n in (1, 5, 9):
        w = np.arange(0, n * (n + 1) / 2 + 1)
        expected = [p_wilcoxon_exact(value, n) for value in w]
        assert small_rank_p(w, np.full(w.size, float(n))).tolist() == pytest.approx(expected, abs=1e-12)
    drawn = small_rank_p(np.array([[0.0, np.nan], [4.4, 3.0]]), np.array([3.0, 3.0]), np.array([3.0, 10.0]))
    assert drawn[:, 0].tolist() == pytest.approx([0.1, 1.0])
    assert np.isnan(drawn[:, 1]).all()
