"""Wilson, jackknife-t and percentile intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from concord.errors import OptionError, UndefinedError
from concord.stats.agreement import concordance, weighted_pearson
from concord.stats.intervals import (
    _cluster_degrees,
    jackknife_t,
    percentile_interval,
    wilson,
    wilson_interval,
)

# Efron & Tibshirani (1993), An Introduction to the Bootstrap, table 3.1: 15 law schools
LSAT = np.array([576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594.0])
GPA = np.array([339, 330, 281, 303, 344, 307, 300, 343, 336, 313, 312, 274, 276, 288, 296.0])


def left_out(n: int) -> np.ndarray:
    """Row i: every place but i."""
    return np.array([np.delete(np.arange(n), i) for i in range(n)])


# --- Wilson -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_newcombes_table(k: int, n: int, low: float, high: float) -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3
    interval = wilson_interval(k, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert (interval.level, interval.method) == (0.95, "Wilson")


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0.5, 0.999))
def test_wilson_solves_the_score_equation(n: int, share: float, level: float) -> None:
    k = round(share * n)
    low, high = wilson(k, n, level=level)
    assert 0 <= low <= k / n <= high <= 1
    z = special.ndtri(0.5 + level / 2)
    for end in (float(low), float(high)):
        assert (k / n - end) ** 2 == pytest.approx(z * z * end * (1 - end) / n, abs=1e-12)


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_mirrors_and_touches_the_ends_only_there(k: int, more: int) -> None:
    n = k + more
    low, high = wilson(k, n)
    mirrored_low, mirrored_high = wilson(n - k, n)
    assert low == pytest.approx(1 - mirrored_high, abs=1e-12)
    assert high == pytest.approx(1 - mirrored_low, abs=1e-12)
    assert (low == 0.0) == (k == 0)
    assert mirrored_high == 1.0 if k == 0 else mirrored_high < 1.0


def test_wilson_broadcasts_and_leaves_empty_samples_undefined() -> None:
    low, high = (np.asarray(end) for end in wilson([0, 0, 1, np.nan], [[0, 4, 4, 4], [4, 4, 4, 4]]))
    assert (
        np.isnan(low).tolist()
        == np.isnan(high).tolist()
        == [[True, False, False, True], [False] * 3 + [True]]
    )
    assert low[0, 1] == 0.0
    with pytest.raises(UndefinedError, match="no trials"):
        wilson(0, 0)
    with pytest.raises(UndefinedError, match="no trials"):
        wilson_interval(0, 0)


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (1, np.inf)])
def test_wilson_refuses_impossible_counts(k: float, n: float) -> None:
    with pytest.raises(OptionError, match="between 0 and the number of trials"):
        wilson(k, n)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, float("nan")])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(OptionError, match="between 0 and 1"):
        wilson(1, 2, level=level)
    with pytest.raises(OptionError, match="between 0 and 1"):
        percentile_interval([1.0, 2.0], level=level)


@pytest.mark.parametrize("n", [50, 100, 200])
def test_wilson_covers_by_exact_enumeration(n: int) -> None:
    # the binomial is discrete, so coverage swings with p; exact sums, no simulation error
    k, p = np.arange(n + 1), np.linspace(0.1, 0.9, 161)[:, None]
    low, high = (np.asarray(end) for end in wilson(k, n))
    coverage = np.sum(stats.binom.pmf(k, n, p) * ((low <= p) & (p <= high)), axis=1)
    assert coverage.mean() == pytest.approx(0.95, abs=0.003)
    assert coverage.min() > 0.93
    assert coverage.max() < 0.975


# --- jackknife-t ------------------------------------------------------------------------------------


def test_jackknife_error_of_the_law_school_correlation_is_the_published_one() -> None:
    # Efron & Tibshirani (1993), chapter 11: the jackknife standard error is .1425
    without = np.asarray(weighted_pearson(LSAT[left_out(15)], GPA[left_out(15)]))
    interval = jackknife_t(float(weighted_pearson(LSAT, GPA)), without)
    se = (interval.high - interval.low) / 2 / special.stdtrit(14, 0.975)
    assert se == pytest.approx(0.1425, abs=5e-5)


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=30, unique=True), st.floats(0.5, 0.99))
def test_jackknife_of_a_mean_is_students_interval(values: list[float], level: float) -> None:
    x = np.array(values)
    n = len(x)
    if np.ptp(x) < 1e-6:
        return
    interval = jackknife_t(x.mean(), (x.sum() - x) / (n - 1), level=level)
    half = special.stdtrit(n - 1, 0.5 + level / 2) * x.std(ddof=1) / np.sqrt(n)
    assert interval.low == pytest.approx(x.mean() - half, abs=1e-9)
    assert interval.high == pytest.approx(x.mean() + half, abs=1e-9)


def test_ends_are_carried_back_from_the_scale_and_stay_on_it() -> None:
    without = np.array([0.90, 0.97, 0.99, 0.985])
    plain, logit, atanh = (
        jackknife_t(0.97, without, scale=scale) for scale in ("identity", "logit", "atanh")
    )
    assert plain.high > 1
    assert 0 < logit.low < 0.97 < logit.high < 1
    assert -1 < atanh.low < 0.97 < atanh.high < 1
    g = special.logit(without)
    reach = special.stdtrit(3, 0.975) * np.sqrt(3 / 4 * np.sum((g - g.mean()) ** 2))
    assert logit.low == pytest.approx(special.expit(special.logit(0.97) - reach), abs=1e-14)
    assert logit.method == "jackknife-t over 4 clusters, logit scale"


@pytest.mark.parametrize(
    ("value", "without", "scale", "reason"),
    [
        (0.5, [0.4, 0.6], "logit", "at least 3 clusters, there are 2"),
        (0.5, [], "logit", "there are 0"),
        (np.nan, [0.4, 0.5, 0.6], "logit", "the value itself is undefined"),
        (0.5, [0.4, np.nan, np.nan], "logit", "without 2 of the clusters"),
        (1.0, [0.9, 1.0, 1.0], "logit", "1 lies at the edge"),
        (0.0, [0.1, 0.1, 0.0], "logit", "0 lies at the edge"),
        (-1.0, [-0.9, -0.8, -1.0], "atanh", "-1 lies at the edge"),
        (0.9, [0.8, 1.0, 0.9], "atanh", "without one of the clusters the value lies at the edge"),
        (0.3, [0.3, 0.3, 0.3], "identity", "same without any"),
        (0.3, [0.3, 0.1 + 0.2, 0.3], "logit", "same without any"),
    ],
)
def test_jackknife_says_why_there_is_no_interval(
    value: float, without: list[float], scale: str, reason: str
) -> None:
    with pytest.raises(UndefinedError, match=reason):
        jackknife_t(value, without, scale=scale)  # type: ignore[arg-type]


def test_jackknife_refuses_an_unknown_scale() -> None:
    with pytest.raises(OptionError, match="a scale of logit, atanh, identity"):
        jackknife_t(0.5, [0.4, 0.5, 0.6], scale="log")  # type: ignore[arg-type]


# --- percentiles ------------------------------------------------------------------------------------


def test_percentiles_leave_out_undefined_replicates() -> None:
    draws = np.append(np.arange(1001.0), [np.nan] * 50)
    interval = percentile_interval(draws, level=0.9)
    assert [interval.low, interval.high] == pytest.approx([50, 950])


def test_replicates_that_say_nothing_give_no_interval() -> None:
    with pytest.raises(UndefinedError, match="no replicate is defined"):
        percentile_interval([np.nan, np.nan])
    with pytest.raises(UndefinedError, match="the same value"):
        percentile_interval([1.0, 1.0, np.nan, 1.0])


# --- coverage ---------------------------------------------------------------------------------------


def jackknife_coverage(runs: int, seed: int) -> tuple[float, float]:
    """Coverage of the mean PAS of 12 studies (logit), and of ECS over 12 studies of 10 tests (atanh)."""
    rng = np.random.default_rng(seed)
    studies = rng.beta(4, 2, size=(runs, 12))  # mean 2/3
    leave = left_out(12)
    pas = np.mean(
        [
            _covers(mean, without, 2 / 3, "logit")
            for mean, without in zip(studies.mean(axis=1), studies[:, leave].mean(axis=-1), strict=True)
        ]
    )
    x, y, target = effects(rng, runs)
    all_tests = np.asarray(concordance(x.reshape(runs, -1), y.reshape(runs, -1)))
    fewer = np.asarray(concordance(x[:, leave].reshape(runs, 12, -1), y[:, leave].reshape(runs, 12, -1)))
    ecs = np.mean([_covers(*pair, target, "atanh") for pair in zip(all_tests, fewer, strict=True)])
    return float(pas), float(ecs)


def effects(rng: np.random.Generator, runs: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Human and agent effects, runs x 12 studies x 10 tests, and the concordance of the population."""
    study_x, study_y = rng.normal(0, 0.2, size=(2, runs, 12, 1))
    x = 0.4 + study_x + rng.normal(0, 0.3, size=(runs, 12, 10))
    y = 0.1 + x + study_y + rng.normal(0, 0.2, size=(runs, 12, 10))
    variance_x = 0.2**2 + 0.3**2
    variance_y = variance_x + 0.2**2 + 0.2**2
    return x, y, 2 * variance_x / (variance_x + variance_y + 0.1**2)


def _covers(value: float, without: np.ndarray, target: float, scale: str) -> bool:
    """Whether the interval holds the target."""
    interval = jackknife_t(float(value), without, scale=scale)  # type: ignore[arg-type]
    return interval.low <= target <= interval.high


def test_jackknife_covers_roughly() -> None:
    pas, ecs = jackknife_coverage(400, seed=1)
    assert 0.91 < pas < 0.985
    assert 0.91 < ecs < 0.985


@pytest.mark.slow
def test_jackknife_covers_between_93_and_97_percent() -> None:
    pas, ecs = jackknife_coverage(6000, seed=2)
    assert 0.93 < pas < 0.97
    assert 0.93 < ecs < 0.97


def test_degrees_of_freedom_of_clusters_fall_where_few_decide() -> None:
    assert _cluster_degrees(np.array([1.0, -1.0] * 5)) == 18  # all decide alike: 2 (G - 1)
    few = np.array([3.0, -3.0, *[0.1, -0.1] * 9])
    kurtosis = np.mean(few**4) / np.mean(few**2) ** 2
    assert _cluster_degrees(few) == pytest.approx(max(2.0, 2 * 20 / (kurtosis - 1)))
    assert _cluster_degrees(few) < 6
