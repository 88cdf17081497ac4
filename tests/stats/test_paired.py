"""Paired proportions: published anchors, properties, undefined cases, coverage and false positives."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import OptionError, UndefinedError
from concord.stats.intervals import wilson_clustered, wilson_interval
from concord.stats.mcnemar import bonett_price_interval, mcnemar
from concord.stats.resample import bootstrap_mean_interval, sign_flip


def differences(n11: int, n10: int, n01: int, n00: int) -> list[int]:
    return [0] * n11 + [1] * n10 + [-1] * n01 + [0] * n00


@pytest.mark.parametrize(
    ("cells", "low", "high", "source"),
    [
        (
            (1, 1, 7, 12),
            -0.5084,
            -0.0134,
            "airway data of Bentur 2009 in Fagerland et al. 2014: by hand -6/23",
        ),
        ((59, 6, 16, 80), -0.1195, -0.0032, "Cavo 2012 in Fagerland et al. 2014: by hand -10/163"),
    ],
)
def test_bonett_price_gives_its_formula(cells: tuple[int, ...], low: float, high: float, source: str) -> None:
    n11, n10, n01, n00 = cells
    n = sum(cells)
    p12, p21 = (n10 + 1) / (n + 2), (n01 + 1) / (n + 2)
    half = 1.959963984540054 * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    interval = bonett_price_interval(differences(*cells))
    assert interval.low == pytest.approx(p12 - p21 - half, abs=1e-14)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high), source


@pytest.mark.parametrize(
    ("n10", "n01", "p", "source"),
    [
        (1, 7, 0.0703125, "by hand 18/256; airway data of Bentur 2009, as in Fagerland et al. 2014"),
        (
            6,
            16,
            0.052478790283203125,
            "by hand, 2 * P(X <= 6), X ~ B(22, 1/2); Cavo 2012, as in Fagerland et al. 2014",
        ),
        (5, 5, 1.0, "equal halves"),
        (0, 0, 1.0, "no discordant pair"),
    ],
)
def test_mcnemar_gives_published_p(n10: int, n01: int, p: float, source: str) -> None:
    assert mcnemar(n10, n01).exact == pytest.approx(p, rel=1e-12), source


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_symmetric_and_a_probability(n10: int, n01: int) -> None:
    assert mcnemar(n10, n01).exact == mcnemar(n01, n10).exact
    assert 0 < mcnemar(n10, n01).exact <= 1


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=12))
def test_sign_flips_of_single_replies_are_mcnemar(d: list[float]) -> None:
    test = sign_flip(d, rng=np.random.default_rng(0))
    assert test.p_value == pytest.approx(mcnemar(d.count(1.0), d.count(-1.0)).exact, abs=1e-12)


def test_drawn_sign_flips_come_near_the_exact_p() -> None:
    d = [1.0] * 20 + [-1.0] * 8
    drawn = sign_flip(d, rng=np.random.default_rng(3), n_flips=50_000)
    assert (drawn.exact, drawn.n_flips) == (False, 50_000)
    assert drawn.p_value == pytest.approx(mcnemar(20, 8).exact, abs=0.004)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_bonett_price_mirrors_and_stays_in_bounds(d: list[float]) -> None:
    there, back = bonett_price_interval(d), bonett_price_interval([-x for x in d])
    assert there.low == pytest.approx(-back.high, abs=1e-12)
    assert -1 <= there.low < there.high <= 1


def test_equal_answers_still_have_an_uncertain_gap() -> None:
    interval = bonett_price_interval([0.0] * 300)
    assert interval.low < 0 < interval.high


def test_clusters_of_one_reply_give_the_plain_wilson_interval() -> None:
    hits = [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1]
    clustered = wilson_clustered(hits, [1] * 11, n_replies=11)
    plain = wilson_interval(8, 11)
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_repeats_that_never_vary_within_items_add_no_certainty() -> None:
    hits = np.array([1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1])
    clustered = wilson_clustered(5 * hits, [5] * 11, n_replies=55)
    plain = wilson_interval(8, 11)
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_bootstrap_of_a_mean_is_near_the_normal_interval() -> None:
    x = np.random.default_rng(5).normal(size=400)
    interval = bootstrap_mean_interval(x, rng=np.random.default_rng(1))
    half = 1.96 * x.std() / 20
    assert interval.low == pytest.approx(x.mean() - half, abs=0.01)
    assert interval.high == pytest.approx(x.mean() + half, abs=0.01)


def test_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    x = np.random.default_rng(5).normal(size=40)
    one, two, other = (
        bootstrap_mean_interval(x, rng=np.random.default_rng(s), n_resamples=2500) for s in (1, 1, 2)
    )
    assert one == two
    assert one != other


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson_clustered([], [], n_replies=0), "no trials"),
        (lambda: bonett_price_interval([]), "no pair"),
        (lambda: sign_flip([], rng=np.random.default_rng(0)), "nothing to flip"),
        (lambda: bootstrap_mean_interval([1.0], rng=np.random.default_rng(0)), "at least two"),
    ],
)
def test_nothing_is_undefined(call: object, message: str) -> None:
    with pytest.raises(UndefinedError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bonett_price_interval([0.5], level=1.5), "between 0 and 1"),
        (lambda: bonett_price_interval([2.0]), "from -1 to 1"),
        (lambda: mcnemar(-1, 2), "disagreements are counts"),
        (lambda: mcnemar(1, 2.5), "disagreements are counts"),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_refused(call: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()  # type: ignore[operator]


# ---- simulations --------------------------------------------------------------------------------

CELLS = [
    # P(both right), P(only after reasoning), P(only early): accuracies 0.6 to 0.9, gaps -0.1 to 0.3.
    (0.50, 0.15, 0.15),
    (0.55, 0.20, 0.10),
    (0.50, 0.30, 0.05),
    (0.60, 0.10, 0.20),
    (0.70, 0.10, 0.10),
    (0.40, 0.35, 0.05),
]


def gap_coverage(n: int, cell: tuple[float, float, float], replicates: int) -> float:
    both, after, early = cell
    rng = np.random.default_rng([n, int(1000 * after), int(1000 * early)])
    counts = rng.multinomial(n, [both, after, early, 1 - both - after - early], size=replicates)
    hits = 0
    for row in counts:
        interval = bonett_price_interval(differences(*row))
        hits += interval.low <= after - early <= interval.high
    return hits / replicates


@pytest.mark.parametrize("n", [20, 60, 300])
def test_gap_interval_covers_small_run(n: int) -> None:
    assert 0.91 <= gap_coverage(n, CELLS[1], 400) <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 60, 300])
@pytest.mark.parametrize("cell", CELLS)
def test_gap_interval_covers_93_to_99_percent(n: int, cell: tuple[float, float, float]) -> None:
    assert 0.93 <= gap_coverage(n, cell, 4000) <= 0.99


def false_positives(n: int, discordant: float, replicates: int) -> float:
    rng = np.random.default_rng([n, int(1000 * discordant)])
    counts = rng.multinomial(n, [discordant / 2, discordant / 2, 1 - discordant], size=replicates)
    return float(np.mean([mcnemar(int(a), int(b)).exact <= 0.05 for a, b, _ in counts]))


def test_mcnemar_false_positives_small_run() -> None:
    assert false_positives(60, 0.3, 1000) <= 0.065


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 60, 300])
@pytest.mark.parametrize("discordant", [0.1, 0.3, 0.6])
def test_mcnemar_raises_at_most_five_percent_false_alarms(n: int, discordant: float) -> None:
    # An exact test of a discrete outcome is conservative: no lower limit.
    assert false_positives(n, discordant, 10_000) <= 0.055


def repeated_data(
    n: int, repeats: int, gap: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Items of different difficulty, asked several times in both modes."""
    ease = rng.beta(2, 1.2, size=n) * (1 - gap)
    return rng.binomial(repeats, ease + gap, size=n) / repeats, rng.binomial(repeats, ease, size=n) / repeats


def flip_false_positives(n: int, replicates: int) -> float:
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(replicates):
        cot, direct = repeated_data(n, 3, 0.0, rng)
        hits += sign_flip(cot - direct, rng=rng, n_flips=499).p_value <= 0.05
    return hits / replicates


def test_sign_flip_false_positives_small_run() -> None:
    assert 0.01 <= flip_false_positives(20, 300) <= 0.09


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 60, 300])
def test_sign_flips_raise_at_most_five_percent_false_alarms(n: int) -> None:
    # Means of three replies lie on a lattice, so that ties make the test conservative for few items.
    assert 0.02 <= flip_false_positives(n, 3000) <= 0.058


def repeated_coverage(n: int, gap: float, replicates: int) -> tuple[float, float]:
    """Coverage of the gap of item means, and of an accuracy over items with repeats."""
    rng = np.random.default_rng([n, int(100 * gap)])
    accuracy = gap + (1 - gap) * 2 / 3.2
    hits = [0, 0]
    for _ in range(replicates):
        cot, direct = repeated_data(n, 3, gap, rng)
        interval = bonett_price_interval(cot - direct)
        hits[0] += interval.low <= gap <= interval.high
        single = wilson_clustered(cot, np.ones(n), n_replies=3 * n)
        hits[1] += single.low <= accuracy <= single.high
    return hits[0] / replicates, hits[1] / replicates


def test_intervals_with_repeats_cover_small_run() -> None:
    gap, accuracy = repeated_coverage(60, 0.1, 300)
    assert gap >= 0.92
    assert accuracy >= 0.91


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 60, 300])
@pytest.mark.parametrize("gap", [0.0, 0.1, 0.3])
def test_intervals_with_repeats_cover(n: int, gap: float) -> None:
    of_gap, of_accuracy = repeated_coverage(n, gap, 3000)
    # The two imagined pairs make the interval of small differences wide: no upper limit, conservative.
    assert of_gap >= 0.93
    assert 0.93 <= of_accuracy <= 0.98


def f1_coverage(n: int, zeros: float, replicates: int) -> float:
    """Coverage of the mean of F1 values, some of them 0, where ten or more are not."""
    rng = np.random.default_rng([n, int(10 * zeros)])

    def draw(size: int, items: int) -> np.ndarray:
        m, g = rng.integers(5, 30, size=(size, items)), rng.integers(4, 9, size=(size, items))
        values = 2 * (1 + rng.binomial(np.minimum(m, g) - 1, 0.3)) / (m + g)
        return np.where(rng.random((size, items)) < zeros, 0.0, values)

    truth = draw(2000, 1000).mean()
    given = [x for x in draw(replicates, n) if np.count_nonzero(x) >= 10]
    hits = 0
    for x in given:
        interval = bootstrap_mean_interval(x, rng=rng, n_resamples=1000, expanded=True)
        hits += interval.low <= truth <= interval.high
    return hits / len(given)


def test_the_expanded_bootstrap_is_wider_for_few_items() -> None:
    x = np.random.default_rng(1).random(12)
    plain, wide = (
        bootstrap_mean_interval(x, rng=np.random.default_rng(2), expanded=expanded)
        for expanded in (False, True)
    )
    assert wide.low < plain.low < plain.high < wide.high


def test_step_f1_interval_covers_small_run() -> None:
    assert f1_coverage(60, 0.3, 200) >= 0.89


@pytest.mark.slow
@pytest.mark.parametrize(("n", "zeros"), [(20, 0.0), (20, 0.3), (60, 0.0), (60, 0.6), (300, 0.0), (300, 0.8)])
def test_step_f1_interval_covers(n: int, zeros: float) -> None:
    assert 0.93 <= f1_coverage(n, zeros, 3000) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(20, 0.6), (60, 0.3), (60, 0.85), (300, 0.7)])
def test_wilson_covers(n: int, p: float) -> None:
    rng = np.random.default_rng(n)
    drawn = [wilson_interval(int(k), n) for k in rng.binomial(n, p, size=4000)]
    assert 0.93 <= float(np.mean([one.low <= p <= one.high for one in drawn])) <= 0.975


def test_repeats_add_imagined_pairs_of_the_size_that_chance_gives_means() -> None:
    d = np.array([1 / 3, 0.0, -1 / 3, 2 / 3, 1 / 3, 0.0] * 4)
    single, thrice = bonett_price_interval(d), bonett_price_interval(d, repeats=3)
    m, centre = 26, d.sum() / 26
    half = 1.959963984540054 * np.sqrt(((d @ d + 2 / 3) / m - centre**2) / m)
    assert (thrice.low, thrice.high) == pytest.approx((centre - half, centre + half), abs=1e-12)
    assert thrice.high - thrice.low < single.high - single.low
    with pytest.raises(OptionError, match="at least one reply"):
        bonett_price_interval(d, repeats=0.5)
