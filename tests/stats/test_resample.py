"""Bootstrap of paired rows."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from concord.errors import OptionError, UndefinedError
from concord.stats import intervals, resample
from concord.stats.agreement import concordance, weighted_pearson
from concord.stats.resample import bootstrap, bootstrap_mean_interval

# Efron & Tibshirani (1993), An Introduction to the Bootstrap, table 3.1: 15 law schools
LSAT = np.array([576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594.0])
GPA = np.array([339, 330, 281, 303, 344, 307, 300, 343, 336, 313, 312, 274, 276, 288, 296.0])


def mean(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows.mean(axis=-1))


def seeded(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def keep_replicates(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """Replicates of every interval made from here on (BCa makes a percentile interval on its way)."""
    kept: list[np.ndarray] = []
    real = intervals.percentile_interval

    def keep(draws: np.ndarray, **options: Any) -> Any:
        kept.append(draws)
        return real(draws, **options)

    monkeypatch.setattr(resample, "percentile_interval", keep)
    return kept


# --- against an oracle ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_equal_scipys_on_the_same_replicates(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = keep_replicates(monkeypatch)
    ours = bootstrap((LSAT, GPA), weighted_pearson, n_resamples=999, method=method, rng=seeded(3))
    earlier = type("Earlier", (), {"bootstrap_distribution": kept[0]})()
    theirs = stats.bootstrap(
        (LSAT, GPA),
        lambda x, y, axis=-1: np.asarray(weighted_pearson(x, y)),
        paired=True,
        vectorized=True,
        n_resamples=0,
        bootstrap_result=earlier,
        method={"bca": "BCa"}.get(method, method),
    ).confidence_interval
    assert ours.value == pytest.approx(0.7764, abs=5e-5)  # Efron & Tibshirani print .776
    assert ours.interval is not None
    assert ours.interval.low == pytest.approx(theirs.low, abs=1e-12)
    assert ours.interval.high == pytest.approx(theirs.high, abs=1e-12)


def test_the_law_school_correlation_has_the_published_bootstrap_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Efron & Tibshirani (1993), table 6.1: .132 with 3,200 replicates
    kept = keep_replicates(monkeypatch)
    bootstrap((LSAT, GPA), weighted_pearson, n_resamples=20_000, method="percentile", rng=seeded(1))
    assert kept[0].std(ddof=1) == pytest.approx(0.132, abs=0.003)


def test_bca_of_a_symmetric_statistic_is_near_the_percentile_interval() -> None:
    x = seeded(6).normal(size=80)
    plain = bootstrap(x, mean, n_resamples=4000, method="percentile", rng=seeded(1)).interval
    bca = bootstrap(x, mean, n_resamples=4000, method="bca", rng=seeded(1)).interval
    assert plain is not None
    assert bca is not None
    assert [bca.low, bca.high] == pytest.approx([plain.low, plain.high], abs=0.02)


def test_two_rows_have_a_distribution_known_by_hand() -> None:
    # means of two draws from {0, 1}: 0, 1/2, 1 with chances 1/4, 1/2, 1/4
    result = bootstrap([0.0, 1.0], mean, n_resamples=4000, level=0.4, method="percentile", rng=seeded(5))
    assert (result.value, result.n) == (0.5, 2)
    assert result.interval is not None
    assert (result.interval.low, result.interval.high) == (0.5, 0.5)


# --- shape and repeatability ------------------------------------------------------------------------


def test_rows_stay_paired_and_may_be_of_any_shape() -> None:
    x = seeded(1).normal(size=30)
    result = bootstrap((x, x), concordance, n_resamples=300, method="percentile", rng=seeded(2))
    assert result.value == 1.0
    assert (result.interval, result.note) == (
        None,
        "no interval: every replicate gave the same value, which says nothing about its spread",
    )
    table = np.column_stack([x, 2 * x])
    wide = bootstrap(table, lambda rows: rows[..., 1].mean(axis=-1), n_resamples=100, rng=seeded(3))
    assert wide.value == pytest.approx(2 * x.mean())


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_same_seed_same_answer_whatever_the_chunk(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(seed: int) -> Any:
        return bootstrap((LSAT, GPA), concordance, n_resamples=700, method=method, rng=seeded(seed))

    first = run(9)
    monkeypatch.setattr(resample, "CHUNK_VALUES", 100)
    assert run(9) == first
    assert run(10) != first


def test_fewer_replicates_are_the_beginning_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = keep_replicates(monkeypatch)
    for n in (260, 600):
        bootstrap(LSAT, mean, n_resamples=n, method="percentile", rng=seeded(4))
    np.testing.assert_array_equal(kept[0][:250], kept[1][:250])


# --- undefined --------------------------------------------------------------------------------------


def test_undefined_resamples_are_counted_in_the_note() -> None:
    # three rows: one resample in nine is constant and has no concordance
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.1, 1.4, 1.9])
    result = bootstrap((x, y), concordance, n_resamples=2000, method="percentile", rng=seeded(1))
    assert result.interval is not None
    count = int(result.note.split(" of 2000")[0])
    assert result.note == f"{count} of 2000 resamples were undefined"
    assert count == pytest.approx(2000 / 9, abs=4 * np.sqrt(2000 * 8 / 81))


def test_an_undefined_statistic_has_neither_value_nor_interval() -> None:
    result = bootstrap((np.ones(5), np.ones(5)), concordance, n_resamples=50, rng=seeded())
    assert (result.value, result.interval) == (None, None)
    assert result.note == "the statistic is undefined for the data"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([1.0, 1.0, 1.0], "every replicate gave the same value"),
        ([1.0], "every replicate gave the same value"),
    ],
)
def test_bca_of_a_constant_is_withheld_with_a_reason(rows: list[float], reason: str) -> None:
    result = bootstrap(rows, mean, n_resamples=200, rng=seeded())
    assert (result.value, result.interval) == (1.0, None)
    assert reason in result.note


def test_bca_is_withheld_where_the_statistic_needs_every_row() -> None:
    x, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 2.0])
    result = bootstrap((x, y), concordance, n_resamples=500, rng=seeded())
    assert result.interval is None
    assert "without one of the rows the statistic is undefined" in result.note
    assert "resamples were undefined" in result.note


def test_bca_is_withheld_where_the_value_lies_outside_all_resamples() -> None:
    # the number of distinct rows: a resample of twenty never has all of them
    distinct = bootstrap(
        np.arange(20.0),
        lambda rows: [float(len(set(row))) for row in rows.tolist()],
        n_resamples=200,
        rng=seeded(),
    )
    assert distinct.interval is None
    assert "outside all its resamples" in distinct.note


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (([1.0, 2.0], [1.0]), {}, "same number of rows"),
        ([], {}, "one row per unit"),
        (3.0, {}, "one row per unit"),
        ([1.0, 2.0], {"method": "basic"}, "percentile or bca"),
        ([1.0, 2.0], {"n_resamples": 0}, "at least one resample"),
        ([1.0, 2.0], {"level": 95}, "between 0 and 1"),
    ],
)
def test_unusable_input_is_refused(data: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        bootstrap(data, mean, rng=seeded(), **options)


def test_a_statistic_that_does_not_batch_is_refused() -> None:
    with pytest.raises(OptionError, match=r"gave shape \(\) for 1 resamples"):
        bootstrap([1.0, 2.0, 3.0], lambda rows: rows.mean(), rng=seeded())


# --- coverage ---------------------------------------------------------------------------------------


def coverage(method: Any, runs: int, n_resamples: int) -> tuple[float, float]:
    """Coverage of a mean of 60 and of a concordance of 100 normal pairs."""
    rng = seeded(11)
    hits = np.zeros(2)
    target = 2 * 0.8 / (1 + 1 + 0.3**2)
    for _ in range(runs):
        x = rng.normal(size=100)
        y = 0.3 + 0.8 * x + 0.6 * rng.normal(size=100)
        one = bootstrap(x[:60], mean, n_resamples=n_resamples, method=method, rng=rng).interval
        two = bootstrap((x, y), concordance, n_resamples=n_resamples, method=method, rng=rng).interval
        assert one is not None
        assert two is not None
        hits += [one.low <= 0 <= one.high, two.low <= target <= two.high]
    return float(hits[0] / runs), float(hits[1] / runs)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_covers_roughly(method: Any) -> None:
    for covered in coverage(method, runs=120, n_resamples=400):
        assert 0.88 < covered < 0.995


@pytest.mark.slow
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_covers_between_93_and_97_percent(method: Any) -> None:
    for covered in coverage(method, runs=3000, n_resamples=1000):
        assert 0.93 < covered < 0.97


def test_an_expanded_bootstrap_has_the_width_of_students_t() -> None:
    """Hesterberg (2015): of few values the bootstrap is too narrow by sqrt((n - 1)/n), and by z for t."""
    x = stats.norm.ppf((np.arange(12) + 0.5) / 12)
    wide = bootstrap_mean_interval(x, rng=np.random.default_rng(1), n_resamples=200_000, expanded=True)
    reach = stats.t.ppf(0.975, 11) * x.std(ddof=1) / np.sqrt(12)
    assert (wide.high - wide.low) / 2 == pytest.approx(reach, rel=0.02)
    plain = bootstrap_mean_interval(x, rng=np.random.default_rng(1), n_resamples=200_000)
    assert (plain.high - plain.low) / 2 == pytest.approx(1.96 * x.std() / np.sqrt(12), rel=0.02)
    ninety = bootstrap_mean_interval(x, rng=np.random.default_rng(1), n_resamples=200_000, level=0.9)
    assert (ninety.high - ninety.low) / 2 == pytest.approx(1.645 * x.std() / np.sqrt(12), rel=0.02)


def test_two_values_are_the_fewest_to_resample() -> None:
    found = bootstrap_mean_interval([0.0, 1.0], rng=np.random.default_rng(1), n_resamples=2000)
    assert (found.low, found.high) == (0.0, 1.0)
    with pytest.raises(UndefinedError, match="1 value"):
        bootstrap_mean_interval([0.0], rng=np.random.default_rng(1))
