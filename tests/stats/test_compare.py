"""Two models on the same items, against scipy, statsmodels and worked examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from concord.errors import OptionError, UndefinedError
from concord.stats.clustered import clustered_mean
from concord.stats.compare import Choices, PairedComparison, compare_items, compare_models, mean_estimate
from concord.stats.multiple import differs

RNG = np.random.default_rng(20)
A, B = RNG.normal(0.6, 0.3, 40), RNG.normal(0.5, 0.3, 40)
FAMILIES = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 4])


def p_of(result: PairedComparison, start: str) -> float:
    return next(verdict.p_value for verdict in result.verdicts if verdict.test.startswith(start))


def test_the_paired_t_is_that_of_scipy() -> None:
    from scipy import stats

    theirs = stats.ttest_rel(A, B)
    ours = compare_items(A, B, choices=Choices(test="t"))
    interval = theirs.confidence_interval(0.95)
    assert p_of(ours, "paired t") == pytest.approx(theirs.pvalue, abs=1e-12)
    assert ours.difference.interval is not None
    assert ours.difference.interval.low == pytest.approx(interval.low, abs=1e-12)
    assert ours.difference.interval.high == pytest.approx(interval.high, abs=1e-12)
    assert ours.correlation == pytest.approx(stats.pearsonr(A, B).statistic, abs=1e-12)


def test_clustered_errors_are_those_of_a_sandwich_computed_with_matrices() -> None:
    """CR2 and its degrees of freedom, written out as in Imbens & Kolesar (2016), equations 8 and 10."""
    x = np.concatenate([A, B])[: FAMILIES.size]
    n = x.size
    design = np.ones((n, 1))
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    rest = np.eye(n) - hat
    residual = rest @ x
    total, columns = 0.0, []
    for family in np.unique(FAMILIES):
        inside = family == FAMILIES
        values, vectors = np.linalg.eigh(np.eye(inside.sum()) - hat[np.ix_(inside, inside)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        total += float((design[inside].T @ root @ residual[inside])[0]) ** 2
        columns.append(rest[:, inside] @ root @ design[inside] / n)
    g = np.hstack(columns)
    eigen = np.linalg.eigvalsh(g.T @ g)
    ours = clustered_mean(x, FAMILIES)
    assert ours.se == pytest.approx(np.sqrt(total) / n, rel=1e-12)
    assert ours.df == pytest.approx(eigen.sum() ** 2 / (eigen**2).sum(), rel=1e-10)


def test_clusters_of_one_size_give_the_t_test_of_their_means() -> None:
    from scipy import stats

    families = np.repeat(np.arange(8), 5)
    theirs = stats.ttest_1samp((A - B).reshape(8, 5).mean(axis=1), 0)
    ours = compare_items(A, B, families, choices=Choices(test="t"))
    assert (ours.test, ours.n_clusters) == ("clustered t", 8)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-12)


SHAPES = {"normal": np.random.Generator.standard_normal, "skewed": np.random.Generator.standard_exponential}


def _families(
    seed: int, shape: str, n: int, size: int
) -> tuple[NDArray[np.float64], NDArray[np.intp] | None]:
    """Differences about 0, alone or in families."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n), size)
    x = SHAPES[shape](rng, n)[labels] + (0.3 * rng.standard_normal(labels.size) if size > 1 else 0.0)
    return x - x.mean(), labels if size > 1 else None


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(list(SHAPES)),
    st.sampled_from([5, 8, 13, 18, 24, 60]),
    st.sampled_from([1, 3]),
    st.sampled_from([-1.0, 1.0]),
)
def test_p_falls_as_a_constant_is_added_to_the_differences(
    seed: int, shape: str, n: int, size: int, sign: float
) -> None:
    x, labels = _families(seed, shape, n, size)
    zero = np.zeros(x.size)
    shifts = sign * x.std() * np.array([0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0])
    found = [compare_items(x + c, zero, labels, choices=Choices(n_flips=499)).p_value for c in shifts]
    p = [one for one in found if one is not None]
    assert len(p) == len(shifts)
    assert (np.diff(p) <= 1e-12).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("n", "size"), [(9, 1), (11, 3)])
def test_p_is_that_of_all_sign_flips_where_they_can_be_counted(shape: str, n: int, size: int) -> None:
    from itertools import product

    signs = np.array(list(product((-1, 1), repeat=n)))
    for seed in range(6):
        x, labels = _families(seed, shape, n, size)
        x = x + 0.1 * seed * x.std()
        sums = x if labels is None else np.bincount(labels, weights=x)
        exact = np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9)
        assert compare_items(x, np.zeros(x.size), labels).p_value == pytest.approx(exact)


def test_skewed_differences_that_few_signs_find_are_claimed_only_with_the_interval() -> None:
    """Of exponential differences 9 to 10 % were found by their signs; with the interval it is 5 %."""
    rng, found, claimed = np.random.default_rng(3), 0, 0
    for _ in range(400):
        x = 1 - rng.exponential(size=10)
        one = compare_items(x, np.zeros(10))
        found += one.p_value is not None and one.p_value < 0.05
        claimed += differs(one.p_value, one.difference.interval, level=0.95)
    assert claimed / 400 < 0.075 < found / 400 + 0.01


@pytest.mark.parametrize(
    ("n", "rates"), [(5000, (0.655, 0.630)), (164, (0.836, 0.867)), (2500, (0.753, 0.780))]
)
def test_paired_errors_follow_the_formula_of_the_literature_on_error_bars(
    n: int, rates: tuple[float, float]
) -> None:
    """Miller (2024): n and accuracies of MATH, HumanEval and MGSM in its first table, and its section 4:
    SE² = SE_A² + SE_B² - 2 SE_A SE_B r, each SE² = p (1 - p)/(n - 1)."""
    first, second = rates
    both = first * second + 0.5 * np.sqrt(first * (1 - first) * second * (1 - second))
    cells = np.round(n * np.array([both, first - both, second - both])).astype(int)
    a = np.repeat([1, 1, 0, 0], [*cells, n - cells.sum()])
    b = np.repeat([1, 0, 1, 0], [*cells, n - cells.sum()])
    errors = [np.sqrt(x.mean() * (1 - x.mean()) / (n - 1)) for x in (a, b)]
    ours = compare_items(a, b)
    assert ours.correlation is not None
    expected = errors[0] ** 2 + errors[1] ** 2 - 2 * errors[0] * errors[1] * ours.correlation
    assert ours.se_paired == pytest.approx(np.sqrt(expected), rel=1e-12)
    assert ours.se_unpaired == pytest.approx(np.hypot(*errors), rel=1e-12)
    assert ours.correlation == pytest.approx(0.5, abs=0.02)


@pytest.mark.long
def test_scores_of_zero_and_one_are_tested_by_mcnemar() -> None:
    pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    from statsmodels.stats.contingency_tables import mcnemar

    a = np.array([1] * 30 + [0] * 20)
    b = np.array([1] * 18 + [0] * 12 + [1] * 5 + [0] * 15)
    ours = compare_items(a, b)
    theirs = mcnemar([[18, 12], [5, 15]], exact=True)
    assert ours.test == "exact McNemar"
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-12)
    assert (ours.wins, ours.ties, ours.losses) == (12, 33, 5)
    chosen = compare_items(a, b, choices=Choices(test="mcnemar-mid-p"))
    assert chosen.p_value == pytest.approx(p_of(ours, "mid-p"), abs=1e-15)


def test_the_paired_example_of_lakens() -> None:
    """Lakens (2013), table 1 and its text: M = 1.00, t(9) = 4.74, p = .001, 95 % CI [0.52, 1.48], d_z = 1.50,
    d_av = 1.13, r = .73."""
    first, second = [9, 7, 8, 9, 8, 9, 9, 10, 9, 9], [9, 6, 7, 8, 7, 9, 8, 8, 8, 7]
    ours = compare_items(first, second)
    t = next(verdict for verdict in ours.verdicts if verdict.test == "paired t")
    assert t.statistic is not None
    assert t.df is not None
    assert (round(t.statistic, 2), round(t.df), round(t.p_value, 3)) == (4.74, 9, 0.001)
    assert ours.difference.value == pytest.approx(1.0, abs=1e-12)
    assert ours.difference.interval is not None
    assert round(ours.difference.interval.low, 2) == 0.52
    assert round(ours.difference.interval.high, 2) == 1.48
    assert ours.effect_dz == pytest.approx(1.5, abs=1e-12)
    assert ours.effect_dav is not None
    assert ours.correlation is not None
    assert (round(ours.effect_dav, 2), round(ours.correlation, 2)) == (1.13, 0.73)


def test_the_unpaired_error_is_that_of_welchs_test_and_the_saving_follows() -> None:
    from scipy import stats

    welch, paired = stats.ttest_ind(A, B, equal_var=False), stats.ttest_rel(A, B)
    ours, shift = compare_items(A, B), A.mean() - B.mean()
    assert ours.se_unpaired == pytest.approx(shift / welch.statistic, rel=1e-9)
    assert ours.se_paired == pytest.approx(shift / paired.statistic, rel=1e-9)
    assert ours.variance_saved == pytest.approx(1 - (welch.statistic / paired.statistic) ** 2, rel=1e-9)


def test_standardised_effects_are_the_textbook_ones() -> None:
    """Lakens (2013), equations 7 and 10."""
    ours, d = compare_items(A, B), A - B
    assert ours.effect_dz == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-12)
    assert ours.effect_dav == pytest.approx(
        d.mean() / np.sqrt((A.std(ddof=1) ** 2 + B.std(ddof=1) ** 2) / 2), rel=1e-12
    )


scores = arrays(np.float64, 15, elements=st.floats(-5, 5, allow_subnormal=False).map(lambda x: round(x, 3)))


@settings(max_examples=30, deadline=None)
@given(scores, scores)
def test_swapping_the_models_turns_every_sign(a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
    one, other = compare_items(a, b), compare_items(b, a)
    assert one.difference.value is not None
    assert other.difference.value is not None
    assert one.difference.value == pytest.approx(-other.difference.value, abs=1e-12)
    assert (one.wins, one.losses) == (other.losses, other.wins)
    assert one.p_value == pytest.approx(other.p_value, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(scores, scores, st.floats(0.1, 10))
def test_p_does_not_depend_on_the_unit_of_the_scores(
    a: NDArray[np.float64], b: NDArray[np.float64], unit: float
) -> None:
    one, other = compare_items(a, b, np.arange(15)), compare_items(unit * a, unit * b, np.arange(15))
    if one.p_value is None or one.se_paired is None or one.se_paired < 1e-9:
        return
    assert one.p_value == pytest.approx(other.p_value, abs=1e-9)


def test_without_items_there_is_no_comparison() -> None:
    with pytest.raises(UndefinedError, match="no item that both models have"):
        compare_items([], [])


def test_equal_differences_have_no_t_and_no_interval_and_say_so() -> None:
    result = compare_items([0.5, 1.5, 2.5], [0.25, 1.25, 2.25], ["a", "b", "c"])
    assert (result.p_value, result.difference.interval) == (None, None)
    assert result.note == "no interval: every item gives the same number"


def test_two_clusters_are_too_few_for_an_interval() -> None:
    result = compare_items(A, B, [0] * 20 + [1] * 20)
    assert result.difference.interval is None
    assert result.note == "no interval: at least 3 clusters are needed, 2 found"
    assert result.p_value is None


def test_intervals_of_shares_end_where_differences_of_shares_end() -> None:
    shares = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0])
    others = np.array([0.0, 0.0, 0.1, 0.0, 0.0, 1.0, 0.0])
    free, ended = (compare_items(shares, others, choices=Choices(widest=w)).difference for w in (None, 1.0))
    assert free.interval is not None and ended.interval is not None
    assert free.interval.low < -1 and free.interval.high > 1
    assert (ended.interval.low, ended.interval.high) == (-1.0, 1.0)
    assert ended.value == free.value


def test_scores_that_are_not_paired_or_not_finite_are_refused() -> None:
    with pytest.raises(OptionError, match="3 scores of the first model, 2 of the second"):
        compare_items([1, 2, 3], [1, 2])
    with pytest.raises(OptionError, match="finite numbers"):
        compare_items([1, np.nan], [1, 2])
    with pytest.raises(OptionError, match="McNemar's test needs scores of 0 and 1"):
        compare_items(A, B, choices=Choices(test="mcnemar"))
    with pytest.raises(OptionError, match="test is 'z'; expected one of auto, mcnemar"):
        Choices(test="z")


def test_the_mean_of_right_and_wrong_has_wilsons_interval_and_others_students() -> None:
    counted, measured = mean_estimate([1, 1, 0, 1]), mean_estimate([0.5, 1, 0, 1])
    assert counted.interval is not None
    assert counted.interval.method == "Wilson"
    assert measured.interval is not None
    assert measured.interval.method.startswith("Student's t")
    assert mean_estimate([]).value is None


@pytest.mark.long
def test_many_models_are_adjusted_as_statsmodels_does() -> None:
    pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    from statsmodels.stats.multitest import multipletests

    matrix = np.random.default_rng(3).normal(0, 1, (4, 30)) + np.array([[0.9], [0.5], [0.2], [0.0]])
    ranking = compare_models(matrix)
    p = [pair.comparison.p_value for pair in ranking.pairs if pair.comparison is not None]
    assert [pair.p_holm for pair in ranking.pairs] == pytest.approx(
        multipletests(p, method="holm")[1], abs=1e-12
    )
    assert [pair.p_bh for pair in ranking.pairs] == pytest.approx(
        multipletests(p, method="fdr_bh")[1], abs=1e-12
    )
    assert ranking.n_common == 30


def test_a_pair_without_common_items_has_no_p_and_stays_outside_the_family() -> None:
    matrix = np.full((3, 20), np.nan)
    matrix[0, :10], matrix[1, :10], matrix[2, 10:] = A[:10], B[:10], A[10:20]
    ranking = compare_models(matrix)
    assert [pair.comparison is None for pair in ranking.pairs] == [False, True, True]
    assert ranking.pairs[0].p_holm == ranking.pairs[0].comparison.p_value  # type: ignore[union-attr]
    assert ranking.pairs[1].p_holm is None
    assert ranking.groups == ()


def test_ties_count_half_in_the_headline_only_for_means_of_repeats() -> None:
    """By hand, d = 1, 2, 3, 4, -1: of 32 patterns 2 reach 11, 4 tie with 9 and 2 of those are observed."""
    first, second = [1.0, 2.0, 3.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]
    once = compare_items(first, second)
    assert (once.test, once.p_value) == ("sign flip (exact)", 6 / 32)
    means = compare_items(first, second, choices=Choices(repeated=True))
    assert (means.test, means.p_value) == ("mid-p sign flip (exact)", 5 / 32)


def test_scores_that_differ_by_a_constant_have_no_interval_and_no_effect_of_rounding() -> None:
    first = np.random.default_rng(1).random(40)
    found = compare_items(first + 0.01, first)
    assert found.difference.value == pytest.approx(0.01)
    assert found.difference.interval is None
    assert (found.se_paired, found.effect_dz) == (0.0, None)
    assert "every item gives the same number" in found.note


def test_the_interval_of_a_share_in_families_stays_within_its_range() -> None:
    """Plain t of these family means goes beyond 1: 0.95 ± 4.30 · 0.05."""
    right = np.array([1.0] * 19 + [0.0])
    families = np.repeat(np.arange(4), 5)
    high, low = mean_estimate(right, families), mean_estimate(1 - right, families)
    assert high.interval is not None and low.interval is not None
    assert (high.value, high.interval.high) == (0.95, 1.0)
    assert low.interval.low == 0.0
    assert low.interval.high == pytest.approx(1 - high.interval.low)
    measured = mean_estimate(right - 0.01, families)
    assert measured.interval is not None
    assert measured.interval.high > 1
