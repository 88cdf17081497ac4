"""Statistics of samples against published output and hand-computed values."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from concord.errors import UndefinedError
from concord.people.studies import sample_tests as of
from concord.stats.elementwise import Floats

# Cushny & Peebles (1905) as printed in Student (1908); R: data(sleep)
FIRST = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SECOND = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
# R: data(warpbreaks), breaks by wool (A, B) and tension (L, M, H)
WARP = {
    ("A", "L"): [26, 30, 54, 25, 70, 52, 51, 26, 67],
    ("A", "M"): [18, 21, 29, 17, 12, 18, 35, 30, 36],
    ("A", "H"): [36, 21, 24, 18, 10, 43, 28, 15, 26],
    ("B", "L"): [27, 14, 29, 19, 29, 31, 41, 20, 44],
    ("B", "M"): [42, 26, 19, 16, 39, 28, 21, 39, 29],
    ("B", "H"): [20, 21, 24, 17, 13, 15, 15, 16, 28],
}
samples = arrays(np.float64, st.integers(3, 20), elements=st.integers(-50, 50).map(float))


def test_t_of_the_sleep_data_as_r_prints_it() -> None:
    pooled = of.t_two(FIRST, SECOND)
    assert pooled.values["statistic"] == pytest.approx(-1.8608, abs=5e-5)  # t.test(var.equal = TRUE)
    assert pooled.p_value == pytest.approx(0.07919, abs=5e-6)
    welch = of.t_two(FIRST, SECOND, welch=True)
    assert welch.values["df2"] == pytest.approx(17.776, abs=5e-4)  # t.test(extra ~ group)
    assert welch.p_value == pytest.approx(0.07939, abs=5e-6)
    paired = of.t_paired(FIRST, SECOND)
    assert paired.values == {"statistic": pytest.approx(-4.0621, abs=5e-5), "n": 10}
    assert paired.p_value == pytest.approx(0.002833, abs=5e-7)
    assert paired.direction == -1


def test_wilcoxon_of_the_sleep_data_by_hand() -> None:
    # nine differences, all negative, one pair tied: z = -22.5 / sqrt(9 * 10 * 19 / 24 - 6 / 48)
    z = -22.5 / math.sqrt(71.25 - 0.125)
    found = of.wilcoxon(FIRST, SECOND)
    assert found.p_value == pytest.approx(math.erfc(-z / math.sqrt(2)), rel=1e-9)
    assert found.direction == -1


def test_sign_test_of_the_sleep_data_leaves_the_tie_out() -> None:
    found = of.signs(FIRST, SECOND)
    assert found.values == {"k": 0, "n": 9, "p0": 0.5}
    assert found.p_value == pytest.approx(2 * 0.5**9)
    assert found.flags == ("1 pairs without a difference left out",)


def test_mann_whitney_counts_for_group_2_and_corrects_for_ties() -> None:
    first, second = np.array([1.0, 2, 2, 5]), np.array([2.0, 3, 4])
    found = of.mann_whitney(first, second)
    # by hand, second above first: 2 beats 1 and ties two, 3 and 4 beat three each: 1 + 1 + 3 + 3
    assert found.values == {"statistic": 8.0, "n1": 4, "n2": 3, "u_of": "group2"}
    sigma = math.sqrt(4 * 3 / 12 * (8 - (27 - 3) / (7 * 6)))
    assert found.z == pytest.approx((6 - 8) / sigma)
    # fewer than ten a group: every way to share the seven values out, ties as they are
    values, rank = [*first, *second], {1.0: 1.0, 2.0: 3.0, 3.0: 5.0, 4.0: 6.0, 5.0: 7.0}
    sums = [sum(rank[values[i]] for i in own) - 12 for own in combinations(range(7), 3)]
    assert found.p_value == pytest.approx(sum(abs(x) >= 2 for x in sums) / len(sums))
    assert found.direction == -1


def test_mann_whitney_from_ten_in_a_group_on_is_normal() -> None:
    first, second = np.arange(12.0), np.arange(4.0) + 0.5
    found = of.mann_whitney(first, second)
    assert found.z is not None
    assert found.p_value == pytest.approx(math.erfc(abs(found.z) / math.sqrt(2)))


def _warp() -> tuple[Floats, Floats, Floats, Floats]:
    labels = [(wool, tension) for (wool, tension), breaks in WARP.items() for _ in breaks]
    y = np.array([value for breaks in WARP.values() for value in breaks], dtype=np.float64)
    wool = of.sum_codes([w for w, _ in labels], ["A", "B"])
    tension = of.sum_codes([t for _, t in labels], ["L", "M", "H"])
    return y, wool, tension, np.einsum("ni,nj->nij", wool, tension).reshape(len(y), -1)


def test_factorial_f_of_the_warpbreaks_data_as_r_prints_it() -> None:
    y, wool, tension, both = _warp()
    one = np.ones((len(y), 1))
    expected = {
        "wool": (3.765, 1),
        "tension": (8.498, 2),
        "both": (4.189, 2),
    }  # summary(aov(breaks ~ wool * tension))
    for name, tested, others in (
        ("wool", wool, (tension, both)),
        ("tension", tension, (wool, both)),
        ("both", both, (wool, tension)),
    ):
        f, df1, df2, beta = of.linear_effect(y, tested, np.column_stack([one, *others]))
        assert (df1, df2) == (expected[name][1], 48)
        assert f == pytest.approx(expected[name][0], abs=5e-4)
        if name == "wool":
            assert beta[0] > 0  # wool A breaks more: 31.04 against 25.26


def test_one_way_f_of_two_groups_is_the_square_of_t() -> None:
    f, t = of.one_way([FIRST, SECOND]), of.t_two(FIRST, SECOND)
    assert f.values["statistic"] == pytest.approx(float(str(t.values["statistic"])) ** 2)
    assert (f.values["n1"], f.values["n2"], f.direction) == (10, 10, -1)


def test_repeated_measures_by_hand() -> None:
    measures = np.array([[1.0, 2, 6], [2, 4, 5], [3, 3, 9], [2, 3, 8]])
    # by hand: people 16/3 over cells, conditions 2, 3, 7 about 4 give 4 * (4 + 1 + 9) = 56
    people = 3 * float(np.sum((measures.mean(axis=1) - 4) ** 2))
    error = float(np.sum((measures - 4) ** 2)) - people - 56
    found = of.within(measures, np.empty((4, 0)))
    assert found.values["statistic"] == pytest.approx((56 / 2) / (error / 6))
    assert (found.values["df1"], found.values["df2"], found.values["n"]) == (2, 6, 4)
    assert found.flags == ("sphericity assumed",)
    assert found.p_value is not None


def test_two_measures_give_the_square_of_the_paired_t() -> None:
    found = of.within(np.column_stack([FIRST, SECOND]), np.empty((10, 0)))
    assert found.values["statistic"] == pytest.approx(4.0621**2, abs=5e-4)
    assert found.values["direction"] == -1


def test_a_between_factor_takes_its_part_from_the_error_of_a_mixed_design() -> None:
    groups = of.sum_codes(["a"] * 5 + ["b"] * 5, ["a", "b"])
    found = of.within(np.column_stack([FIRST, SECOND]), groups)
    gap = FIRST - SECOND
    error = float(np.sum((gap[:5] - gap[:5].mean()) ** 2) + np.sum((gap[5:] - gap[5:].mean()) ** 2))
    mean = (gap[:5].mean() + gap[5:].mean()) / 2
    assert found.values["statistic"] == pytest.approx(mean**2 * 10 / (error / 8))
    assert found.values["df2"] == 8


def test_measures_that_agree_everywhere_are_compared_whatever_their_order() -> None:
    a, b = np.array([1.0, 4, 2, 5, 3]), np.array([2.0, 4, 5, 6, 4])
    expected = of.within(np.column_stack([b, a, b]), np.empty((5, 0)))
    for order in ([a, b, b], [b, b, a]):
        found = of.within(np.column_stack(order), np.empty((5, 0)))
        assert found.values["statistic"] == pytest.approx(float(str(expected.values["statistic"])))
    gap = a - b  # two columns agree: SS of conditions 2/3 n mean(gap)^2, error 2/3 of that of the gaps
    f = len(gap) * gap.mean() ** 2 / (np.sum((gap - gap.mean()) ** 2) / 4)
    assert expected.values["statistic"] == pytest.approx(f)


def test_measures_that_differ_in_the_same_way_for_everybody_are_undefined() -> None:
    a = np.array([1.0, 4, 2, 5, 3])
    with pytest.raises(UndefinedError, match="nobody differs from anybody"):
        of.within(np.column_stack([a, a + 1, a + 3]), np.empty((5, 0)))


def test_every_kind_gives_the_p_of_scipy() -> None:
    from scipy import stats

    r = of.correlate([(FIRST, SECOND)], ranks=False)
    assert r.p_value == pytest.approx(stats.pearsonr(FIRST, SECOND).pvalue)
    ranks = of.correlate([(FIRST, SECOND)], ranks=True)
    assert ranks.p_value == pytest.approx(stats.spearmanr(FIRST, SECOND).pvalue)
    counts = np.array([[30, 10], [18, 22]])
    assert of.contingency(counts).p_value == pytest.approx(
        stats.chi2_contingency(counts, correction=False).pvalue
    )
    f = float(np.var(FIRST, ddof=1) / np.var(SECOND, ddof=1))
    expected = 2 * min(stats.f.sf(f, 9, 9), stats.f.cdf(f, 9, 9))
    assert of.variance_ratio(FIRST, SECOND).p_value == pytest.approx(expected)
    two = of.within(np.column_stack([FIRST, SECOND]), np.empty((10, 0)))
    assert two.p_value == pytest.approx(stats.ttest_rel(FIRST, SECOND).pvalue)


def test_a_table_in_which_nobody_gave_an_answer_has_no_p() -> None:
    assert of.contingency(np.array([[3, 0], [4, 0]])).p_value is None


def test_wilcoxon_without_ties_is_exact_up_to_fifty_pairs() -> None:
    from scipy import stats

    gaps = np.arange(1.0, 31.0) * np.where(np.arange(30) % 3 == 0, -1, 1)
    found = of.wilcoxon(gaps, np.zeros(30))
    assert found.p_value == pytest.approx(stats.wilcoxon(gaps, method="exact").pvalue, rel=1e-12)


def test_correlations_of_anscombe_and_of_ranks() -> None:
    x = np.array([10.0, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5])
    y = np.array([8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68])
    pearson = of.correlate([(x, y)], ranks=False)
    assert pearson.values == {
        "statistic": pytest.approx(0.8164, abs=5e-5),
        "n": 11,
    }  # Anscombe (1973), first set
    assert of.correlate([(x, y**3)], ranks=True).values["statistic"] == pytest.approx(0.8182, abs=5e-5)
    mean = of.correlate([(x, y), (x, -y)], ranks=False)
    assert mean.values["statistic"] == pytest.approx(0.0, abs=1e-12)
    assert mean.flags == ("mean of 2 correlations",)


def test_variances_and_tables() -> None:
    found = of.variance_ratio(np.array([0.0, 2, 4]), np.array([0.0, 1, 2]))
    assert found.values == {"statistic": pytest.approx(4.0), "df1": 2, "df2": 2, "direction": 1}
    table = of.contingency(np.array([[3, 1], [1, 3]]))
    assert (table.values, table.direction) == ({"table": [[3, 1], [1, 3]]}, 1)


def test_one_group_of_equal_answers_is_compared_without_a_complaint() -> None:
    found = of.t_two(np.array([3.0, 3.0, 3.0]), np.array([3.0, 4.0, 5.0]))
    # by hand: difference -1, pooled variance (0 + 2) / 4, so t = -1 / sqrt(0.5 * 2 / 3)
    assert found.values["statistic"] == pytest.approx(-np.sqrt(3))


@settings(deadline=None)
@given(samples, samples)
def test_swapping_the_groups_turns_every_sign(first: Floats, second: Floats) -> None:
    if min(np.ptp(first), np.ptp(second)) == 0:
        return
    one, other = of.t_two(first, second), of.t_two(second, first)
    assert one.values["statistic"] == pytest.approx(-float(str(other.values["statistic"])), abs=1e-9)
    u, v = of.mann_whitney(first, second), of.mann_whitney(second, first)
    assert float(str(u.values["statistic"])) + float(str(v.values["statistic"])) == len(first) * len(second)
    assert u.z == pytest.approx(-(v.z or 0.0), abs=1e-9)
    f, g = of.variance_ratio(first, second), of.variance_ratio(second, first)
    assert f.direction == -(g.direction or 0)


SAME = np.array([2.0, 2.0, 2.0])


def test_what_does_not_exist_is_undefined_and_says_why() -> None:
    with pytest.raises(
        of.TooSmallError, match="participants in a group: only 1, where at least 2 are needed"
    ):
        of.t_two(np.array([1.0]), SECOND)
    with pytest.raises(UndefinedError, match="nobody differs from anybody"):
        of.t_two(SAME, SAME + 1)
    with pytest.raises(UndefinedError, match="nobody differs"):
        of.one_way([SAME, SAME + 1])
    with pytest.raises(UndefinedError, match="the same for everybody"):
        of.correlate([(SAME, np.array([1.0, 2, 3]))], ranks=False)
    with pytest.raises(UndefinedError, match="one of the variances is 0"):
        of.variance_ratio(SAME, SECOND)
    with pytest.raises(of.TooSmallError, match="pairs that differ: none, where at least 1 is needed"):
        of.signs(SAME, SAME)
    with pytest.raises(of.TooSmallError, match="answers in a group: none"):
        of.contingency(np.array([[0, 0], [1, 3]]))
    with pytest.raises(UndefinedError, match="a cell is empty or variables depend"):
        of.linear_effect(SECOND, np.ones((10, 1)), np.ones((10, 1)))


def test_an_effect_of_nothing_but_rounding_has_no_sign() -> None:
    signs = [
        of.sign_of(3e-17),
        of.sign_of(0.1 + 0.2 - 0.3),
        of.sign_of(-2.1e-4, 3e-7),
        of.sign_of(1e-15, 2e-29),
    ]
    assert signs == [0, 0, -1, 0]
