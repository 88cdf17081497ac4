"""Means of skewed numbers by Hall's transformation."""

import numpy as np
import pytest
from scipy import special

from concord.errors import UndefinedError
from concord.stats.clustered import clustered_mean
from concord.stats.skewed import STEEPEST, _inverse, _transformed, skewed_mean, skewed_sum_ends


@pytest.mark.parametrize("b", [-0.8, -0.1, 0.0, 1e-12, 0.3, 1.2])
def test_the_transformation_rises_and_can_be_undone(b: float) -> None:
    t = np.linspace(-6, 6, 61)
    y = np.array([_transformed(float(x), b) for x in t])
    assert (np.diff(y) >= 0).all()
    assert [_inverse(float(one), b) for one in y] == pytest.approx(t, abs=1e-6)


def test_symmetric_numbers_keep_student_t() -> None:
    x = np.concatenate([np.arange(1.0, 9), -np.arange(1.0, 9)]) + 0.5
    found, error = skewed_mean(x), clustered_mean(x)
    reach = float(special.stdtrit(error.df, 0.975)) * error.se
    assert (found.interval.low, found.interval.high) == pytest.approx((0.5 - reach, 0.5 + reach))
    assert not found.seen


def test_test_and_interval_agree() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        found = skewed_mean(rng.exponential(1, 25) - 0.7)
        assert (found.p_value < 0.05) == (not found.interval.low <= 0 <= found.interval.high)


def covered(clusters: int | None, n: int, replicates: int) -> tuple[float, float]:
    rng, plain, adjusted = np.random.default_rng(2), [], []
    for _ in range(replicates):
        x = rng.lognormal(0, 1, n) - np.exp(0.5)
        labels = None if clusters is None else np.repeat(np.arange(clusters), n // clusters)
        if labels is not None:
            x = x + (rng.lognormal(0, 1, clusters) - np.exp(0.5))[labels]
        error, found = clustered_mean(x, labels), skewed_mean(x, labels)
        plain.append(2 * special.stdtr(error.df, -abs(error.mean / error.se)) < 0.05)
        adjusted.append(found.p_value < 0.05)
    return float(np.mean(plain)), float(np.mean(adjusted))


def test_false_positives_of_lognormal_numbers_are_fewer_than_by_t() -> None:
    plain, adjusted = covered(None, 50, 1500)
    assert plain > 0.09
    assert adjusted < 0.08
    plain, adjusted = covered(30, 120, 1500)
    assert adjusted < plain - 0.01


def test_skewness_is_seen_where_it_is_and_needs_units() -> None:
    rng = np.random.default_rng(3)
    assert np.mean([skewed_mean(rng.normal(0, 1, 100)).seen for _ in range(200)]) < 0.1
    assert np.mean([skewed_mean(rng.exponential(1, 100)).seen for _ in range(50)]) == 1.0
    assert not skewed_mean([0.0, 0.0, 0.0, 9.0]).seen
    with pytest.raises(UndefinedError, match="vary"):
        skewed_mean([1.0] * 9)


def test_the_ends_of_one_mean_are_those_of_the_transformed_t() -> None:
    x = np.random.default_rng(1).gamma(4, 1, 40)
    n, se = x.size, x.std(ddof=1) / np.sqrt(x.size)
    # Fisher's unbiased skewness by the formula of textbooks, over the root of n
    g = n / ((n - 1) * (n - 2)) * float((((x - x.mean()) / x.std(ddof=1)) ** 3).sum())
    b, t = g / np.sqrt(n), float(special.stdtrit(n - 1, 0.975))
    assert 0.05 < b < STEEPEST
    low, high = x.mean() - t * se, x.mean() - _inverse(-t, b) * se
    assert skewed_sum_ends(float(x.mean()), [x]) == pytest.approx((low, high), rel=1e-12)


def test_an_end_does_not_run_away_where_one_amount_decides() -> None:
    x = np.r_[np.ones(29), 1000.0]
    ends = skewed_sum_ends(float(x.mean()), [x])
    assert ends is not None
    se = x.std(ddof=1) / np.sqrt(30)
    assert ends[1] == pytest.approx(x.mean() - _inverse(-special.stdtrit(29, 0.975), STEEPEST) * se)
    assert (ends[1] - x.mean()) / se < 5


def test_a_difference_turned_round_has_its_ends_turned_round() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.exponential(1, 25), rng.normal(0, 2, 40)
    ends = skewed_sum_ends(a.mean() - b.mean(), [a, -b])
    turned = skewed_sum_ends(b.mean() - a.mean(), [-a, b])
    assert ends is not None and turned is not None
    assert (-turned[1], -turned[0]) == pytest.approx(ends, rel=1e-12)
    # by hand: Welch's t where nothing is skewed
    c, d = np.array([-3.0, -1, 1, 3]), np.array([-2.0, -1, 0, 1, 2])
    v, w = c.var(ddof=1) / 4, d.var(ddof=1) / 5
    reach = special.stdtrit((v + w) ** 2 / (v**2 / 3 + w**2 / 4), 0.975) * np.sqrt(v + w)
    assert skewed_sum_ends(0.0, [c, -d]) == pytest.approx((-reach, reach))


def test_samples_that_do_not_vary_have_no_ends() -> None:
    assert skewed_sum_ends(1.0, [np.ones(20)]) is None
    x = np.arange(9.0)
    assert skewed_sum_ends(5.0, [x, np.ones(20)]) == pytest.approx(skewed_sum_ends(5.0, [x]))


@pytest.mark.long
def test_means_of_few_skewed_amounts_cover_more_than_by_t() -> None:
    rng, truth = np.random.default_rng(4), float(np.exp(0.5))
    plain = found = 0
    for _ in range(2000):
        x = rng.lognormal(0, 1, 30)
        reach = special.stdtrit(29, 0.975) * x.std(ddof=1) / np.sqrt(30)
        plain += abs(x.mean() - truth) <= reach
        ends = skewed_sum_ends(float(x.mean()), [x])
        assert ends is not None
        found += ends[0] <= truth <= ends[1]
    assert plain / 2000 < 0.90
    assert found / 2000 > 0.915


def test_an_end_over_few_clusters_does_not_run_away_from_noise() -> None:
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(6), [20, 40, 60, 100, 150, 300])
    widths, sides, held = [], [], 0
    for _ in range(300):
        shared = rng.normal(0.05, 0.1, 6)[labels]
        found = skewed_mean(shared + rng.normal(0, 0.5, labels.size), labels)
        ends = found.chosen
        held += ends.low <= 0.05 <= ends.high
        up, down = ends.high - found.mean, found.mean - ends.low
        sides.append(max(up / down, down / up))
        widths.append((ends.high - ends.low) / (found.student.high - found.student.low))
    assert held >= 0.93 * 300
    assert max(sides) < 2  # uncapped, one side was four times the other in every tenth sample
    assert np.median(widths) < 1.4
