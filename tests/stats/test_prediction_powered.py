"""Prediction-powered estimates: equal to ppi_py, right with a biased model, never much wider than people."""

import numpy as np
import pytest
from scipy import optimize, stats

from concord.errors import OptionError, UndefinedError
from concord.stats.prediction_powered import (
    SampleDesign,
    SampledRows,
    _left_out_moves,
    cheapest_mixed,
    effective_people,
    powered_mean,
    powered_regression,
)


def _sample(seed: int, n: int, more: int, rho: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.exponential(size=n) + 1
    noise = np.sqrt(1 / rho**2 - 1) if rho > 0 else 1.0
    f = (y if rho > 0 else 0) + noise * rng.normal(size=n) + 5
    base = rng.exponential(size=more) + 1
    return y, f, (base if rho > 0 else 0) + noise * rng.normal(size=more) + 5


@pytest.mark.parametrize("rho", [0.9, 0.4, 0.0])
def test_a_mean_is_that_of_ppi_py(rho: float) -> None:
    ppi = pytest.importorskip("ppi_py", reason="the extra `oracles` is not installed")
    y, f, more = _sample(1, 150, 900, rho)
    found = powered_mean(y, f, more)
    low, high = ppi.ppi_mean_ci(y, f, more, alpha=0.05)
    assert found.value == pytest.approx(float(np.squeeze(ppi.ppi_mean_pointestimate(y, f, more))), abs=1e-9)
    assert (found.low, found.high) == pytest.approx((float(low[0]), float(high[0])), abs=1e-9)


def _weights_of(n: int, more: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.gamma(2, 0.5, n), rng.gamma(2, 0.5, more)


@pytest.mark.long
@pytest.mark.parametrize("rho", [0.9, 0.4, 0.0])
def test_a_weighted_mean_is_that_of_ppi_py_at_the_same_weight_of_predictions(rho: float) -> None:
    ppi = pytest.importorskip("ppi_py", reason="the extra `oracles` is not installed")
    y, f, more = _sample(1, 150, 900, rho)
    w, v = _weights_of(150, 900)
    found = powered_mean(y, f, more, weights=w, more_weights=v)
    point = ppi.ppi_mean_pointestimate(y, f, more, w=w, w_unlabeled=v, lam=found.weight)
    assert found.value == pytest.approx(float(np.squeeze(point)), abs=1e-9)


def test_a_weighted_interval_is_the_same_wherever_zero_lies() -> None:
    y, f, more = _sample(1, 150, 900, 0.7)
    w, v = _weights_of(150, 900)
    here = powered_mean(y, f, more, weights=w, more_weights=v)
    there = powered_mean(y + 500, f - 90, more - 90, weights=w, more_weights=v)
    assert there.value - 500 == pytest.approx(here.value)
    assert (there.se, there.people_se, there.weight) == pytest.approx((here.se, here.people_se, here.weight))
    # the standard error of a weighted mean by the textbook: sqrt(sum w^2 (y - mean)^2) / sum w
    mean = np.average(y, weights=w)
    assert here.people_se == pytest.approx(np.sqrt(np.sum((w * (y - mean)) ** 2)) / w.sum())


def test_equal_weights_change_nothing() -> None:
    y, f, more = _sample(3, 60, 300, 0.6)
    plain = powered_mean(y, f, more)
    weighted = powered_mean(y, f, more, weights=np.full(60, 7.0), more_weights=np.full(300, 0.1))
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
def test_a_regression_is_that_of_ppi_py(weighted: bool) -> None:
    ppi = pytest.importorskip("ppi_py", reason="the extra `oracles` is not installed")
    rng = np.random.default_rng(2)
    x, xn = (np.column_stack([np.ones(k), rng.normal(size=(k, 2))]) for k in (200, 1500))
    y = x @ [1, 2, -1] + rng.normal(size=200)
    f, fn = (a @ [0, 1, -1] + rng.normal(size=len(a)) for a in (x, xn))
    w, v = (rng.uniform(0.5, 2, 200), rng.uniform(0.5, 2, 1500)) if weighted else (None, None)
    found = powered_regression(x, y, f, xn, fn, weights=w, more_weights=v)
    low, high = ppi.ppi_ols_ci(x, y, f, xn, fn, alpha=0.05, w=w, w_unlabeled=v)
    assert found.value == pytest.approx(
        ppi.ppi_ols_pointestimate(x, y, f, xn, fn, w=w, w_unlabeled=v), abs=1e-9
    )
    assert found.low == pytest.approx(low, abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)


@pytest.mark.parametrize(
    ("rho", "published"), [(0.353, 11_275), (0.263, 10_670), (0.049, 10_022)], ids=lambda one: str(one)
)
def test_effective_people_are_those_of_broska_to_the_rounding_of_rho(rho: float, published: int) -> None:
    low, high = (float(effective_people(10_000, 100_000, rho + step)) for step in (-0.0005, 0.0005))
    assert low - 0.5 <= published <= high + 0.5


def test_constant_predictions_are_worth_nothing() -> None:
    y = np.random.default_rng(1).normal(size=60)
    found = powered_mean(y, np.ones(60), np.ones(500))
    assert (found.weight, found.se) == (0, found.people_se)
    assert found.value == pytest.approx(y.mean())
    assert np.isnan(found.correlation)


def test_what_cannot_be_combined_is_refused() -> None:
    with pytest.raises(OptionError, match="one each"):
        powered_mean([1, 2, 3], [1, 2], [1])
    with pytest.raises(UndefinedError, match="no further"):
        powered_mean([1, 2, 3], [1, 2, 3], [])
    with pytest.raises(UndefinedError, match="collinear"):
        powered_regression([[1, 1]] * 9, range(9), range(9), [[1, 1]] * 9, range(9))
    with pytest.raises(OptionError, match="negative"):
        powered_mean([1, 2], [1, 2], [1, 2], weights=[-1, 2])


def test_the_cheapest_design_reaches_the_standard_error_and_no_cheaper_one_does() -> None:
    rho, sd, se, person, reply = 0.6, 2.0, 0.1, 3.0, 0.02
    found = cheapest_mixed(rho, sd=sd, se=se, person_cost=person, reply_cost=reply)
    assert found.se <= se * (1 + 1e-9)
    assert found.people_alone == 400
    for n in range(250, 401):
        for replies in range(0, 20_001, 50):
            size = float(effective_people(n, max(replies, 1), rho if replies else 0))
            cost = n * (person + (reply if replies else 0)) + replies * reply
            assert not (sd / np.sqrt(size) <= se and cost < found.cost - 3)


def test_without_correlation_people_alone_are_cheapest() -> None:
    found = cheapest_mixed(0.0, sd=1, se=0.1, person_cost=5, reply_cost=0.1)
    assert (found.people, found.replies, found.cost) == (100, 0, 500)
    with pytest.raises(OptionError, match="a plan needs"):
        cheapest_mixed(1.2, sd=1, se=0.1, person_cost=5, reply_cost=0.1)


def _covered(n: int, rho: float, times: int, *, weighted: bool) -> tuple[float, float]:
    hits, widths = 0, []
    for seed in range(times):
        y, f, more = _sample(seed, n, 5 * n, rho)
        w, v = _weights_of(n, 5 * n, seed) if weighted else (None, None)
        found = powered_mean(y, f, more, weights=w, more_weights=v)
        hits += found.low <= 2 <= found.high
        widths.append(found.se / found.people_se)
    return hits / times, float(np.mean(widths))


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rho", [0.7, 0.0])
def test_a_biased_model_keeps_the_coverage_and_no_model_widens_the_interval(
    rho: float, weighted: bool
) -> None:
    covered, width = _covered(200, rho, 4000, weighted=weighted)
    assert covered == pytest.approx(0.95, abs=0.015)
    assert width <= 1.02


def test_the_correlation_is_weighted_as_the_mean_is() -> None:
    rng = np.random.default_rng(8)
    y, w = rng.normal(3, 1, 80), rng.uniform(0.2, 3, 80)
    f = y + rng.normal(5, 1, 80)
    found = powered_mean(y, f, rng.normal(8, 1.4, 400), weights=w)
    covariance = np.cov(y, f, aweights=w, ddof=0)
    expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert found.correlation == pytest.approx(expected, abs=1e-12)


def test_the_weight_of_predictions_in_a_weighted_regression_makes_the_variance_smallest() -> None:
    rng = np.random.default_rng(8)
    n, m = 80, 240
    x, xn = (np.column_stack([np.ones(k), rng.normal(2, 1, k)]) for k in (n, m))
    y = x @ [1.0, 0.5] + rng.normal(0, 1 + np.abs(x[:, 1]), n)
    f, fn = 0.6 * y + rng.normal(0, 0.5, n), xn @ [0.7, 0.4] + rng.normal(0, 1, m)
    w, v = rng.uniform(0.2, 4, n), rng.uniform(0.2, 4, m)
    found = powered_regression(x, y, f, xn, fn, weights=w, more_weights=v)

    # by sums over rows: bread of both samples, gradients at the estimate of people alone
    w, v = w / w.mean(), v / v.mean()
    bread = sum(a * np.outer(row, row) for a, row in [*zip(w, x, strict=True), *zip(v, xn, strict=True)])
    inverse = np.linalg.inv(bread)

    def fit(rows: np.ndarray, target: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.linalg.solve(rows.T @ (weights[:, None] * rows), rows.T @ (weights * target))

    at = fit(x, y, w)
    own, theirs = (
        np.array([a * (r @ at - t) * r for a, r, t in zip(w, x, one, strict=True)]) for one in (y, f)
    )
    more = np.array([a * (r @ at - t) * r for a, r, t in zip(v, xn, fn, strict=True)])
    spread = np.cov(np.concatenate([theirs, more]).T)

    def trace(weight: float) -> float:
        moved = (own - own.mean(axis=0)).T @ (theirs - theirs.mean(axis=0)) / n
        middle = weight**2 * spread * (1 / n + 1 / m) - weight * (moved + moved.T) / n
        return float(np.trace(inverse @ middle @ inverse))

    best = optimize.minimize_scalar(trace, bounds=(0, 3), method="bounded", options={"xatol": 1e-9})
    assert found.weight == pytest.approx(best.x, rel=1e-5)


def _few(n: int, m: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Skewed covariate; predictions with another slope and the people's own errors."""
    x, xn = (np.column_stack([np.ones(k), rng.exponential(size=k)]) for k in (n, m))
    e, en = rng.normal(size=n), rng.normal(size=m)
    f, fn = (3 - 2 * a[:, 1] + 0.8 * b + 0.6 * rng.normal(size=len(a)) for a, b in ((x, e), (xn, en)))
    return x, x @ [1.0, 0.5] + e, f, xn, fn


def test_few_people_alone_have_the_errors_of_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api")
    x, y, f, xn, fn = _few(30, 90, np.random.default_rng(0))
    found = powered_regression(x, y, f, xn, fn)
    theirs = sm.OLS(y, x).fit(cov_type="HC3", use_t=True)
    assert found.people == pytest.approx(theirs.params) and found.people_se == pytest.approx(theirs.bse)
    assert found.quantile == pytest.approx(stats.t.isf(0.025, 28))
    further = sm.OLS(found.weight * fn, xn).fit(cov_type="HC3").cov_params()
    own = sm.OLS(y - found.weight * f, x).fit(cov_type="HC3").cov_params()
    assert found.se == pytest.approx(np.sqrt(np.diag(own + further)))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_cluster_moves_a_regression_as_its_absence_does(weighted: bool) -> None:
    rng = np.random.default_rng(1)
    x, y, *_ = _few(24, 9, rng)
    w = rng.uniform(0.3, 2, 24) if weighted else np.ones(24)
    clusters = np.repeat(np.arange(8), 3)

    def fit(at: np.ndarray) -> np.ndarray:
        root = np.sqrt(w[at])[:, None]
        return np.asarray(np.linalg.lstsq(x[at] * root, y[at] * root[:, 0], rcond=None)[0])

    for labels in (clusters, np.arange(24)):
        moves = _left_out_moves(x, y, w, SampledRows(y, w / w.sum(), labels)) / 24
        for one in np.unique(labels):
            change = fit(np.full(24, True)) - fit(labels != one)
            assert moves[labels == one].sum(axis=0) == pytest.approx(change)


def test_a_coefficient_that_rests_on_one_person_has_no_error() -> None:
    x = np.column_stack([np.ones(9), np.arange(9) == 0])
    with pytest.raises(UndefinedError, match="without one of its people"):
        powered_regression(x, np.arange(9.0), np.ones(9), x, np.arange(9.0))


def regression_coverage(n: int, m: int, runs: int, seed: int) -> tuple[float, float]:
    """Share of intervals that hold the slope, of few people with skewed covariates and with clusters."""
    rng = np.random.default_rng(seed)
    plain = clustered = 0
    for _ in range(runs):
        x, y, f, xn, fn = _few(n, m, rng)
        found = powered_regression(x, y, f, xn, fn)
        plain += found.low[1] < 0.5 < found.high[1]
        labels, others = np.arange(n) // 3, 1000 + np.arange(m) // 3
        shared = (rng.normal(size=n)[labels], rng.normal(size=1000 + m)[others])
        design = SampleDesign(clusters=labels, more_clusters=others)
        found = powered_regression(x, y + shared[0], f + shared[0], xn, fn + shared[1], design=design)
        clustered += found.low[1] < 0.5 < found.high[1]
    return plain / runs, clustered / runs


def test_intervals_of_few_people_cover_what_they_say() -> None:
    """Plain sandwiches hold the slope in 84 % of such sets, and 81 % with clusters."""
    assert min(regression_coverage(25, 60, 250, 0)) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(20, 60), (30, 60), (48, 200), (90, 400)])
def test_intervals_of_few_people_cover_what_they_say_at_length(n: int, m: int) -> None:
    assert min(regression_coverage(n, m, 2000, n)) >= 0.925
