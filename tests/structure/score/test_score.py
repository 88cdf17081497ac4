"""Numbers by hand, missing cells, the baseline, undefined cases, samples and what stands beside."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import concord
from concord.structure.result import StructureResult


def frame(mean: Any, largest: Any = None, **columns: Any) -> pl.DataFrame:
    """A table from a matrix of items by arrangements; None where there is no row."""
    rows = [
        ("m", f"P{p}", f"i{i:03d}", mean[i][p], (mean if largest is None else largest)[i][p])
        for i in range(len(mean)) for p in range(len(mean[0]))
        if mean[i][p] is not None or (largest is not None and largest[i][p] is not None)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=["model", "arrangement", "item", "S_mean", "S_max"], orient="row")


def raw(samples: Any, **columns: Any) -> pl.DataFrame:
    """A table of raw samples from an array of items by arrangements by samples."""
    y = np.asarray(samples, dtype=float)
    i, p, s = (axis.ravel() for axis in np.indices(y.shape))
    names = {"arrangement": [f"P{k}" for k in p], "item": [f"i{k:03d}" for k in i], "sample": s}
    return pl.DataFrame({"model": ["m"] * y.size, **names, "S_Acc": y.ravel(), **columns})


def values(result: StructureResult) -> tuple[float | None, float | None, float | None]:
    main = result.models[0].consistency
    return main.e_perf.value, main.r_sens.value, main.s_cons.value


BY_HAND = ([[0.5, 0.6], [0.6, 0.4], [0.7, 0.5]], [[0.6, 0.7], [0.8, 0.6], [0.7, 0.8]])


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("peak", ((0.2 + 0.3) / 2, 0.3)),  # 0.8 - 0.6 and 0.8 - 0.5
        ("paired", ((0.1 + 0.2) / 2, 0.2)),
        ("unpaired", ((0.1 + 0.2) / 2, 0.2)),
        ("across", ((0.05 + 0.1 + 0.1) / 3, 0.1)),
    ],
)
def test_numbers_by_hand(reading: str, expected: tuple[float, float]) -> None:
    e, r = expected
    result = concord.score_structure(scores=frame(*BY_HAND), reading=reading)
    assert values(result) == pytest.approx((e, r, (1 - e) * (1 - r)), abs=1e-12)


def test_unmatched_items_count_in_unpaired_and_not_in_paired() -> None:
    mean = [[0.2, 0.2], [0.4, None], [None, 0.6]]
    largest = [[0.5, 0.4], [None, 0.6], [0.9, 0.8]]
    paired = concord.score_structure(scores=frame(mean, largest), reading="paired")
    assert values(paired)[:2] == pytest.approx((((0.3) + (0.2 + 0.2) / 2) / 2, 0.3))
    unpaired = concord.score_structure(scores=frame(mean, largest), reading="unpaired")
    assert values(unpaired)[:2] == pytest.approx((((0.7 - 0.3) + (0.6 - 0.4)) / 2, 0.4))


def test_across_skips_missing_cells_per_item() -> None:
    result = concord.score_structure(scores=frame([[0.2, 0.6], [0.5, None]]), reading="across")
    assert values(result)[:2] == pytest.approx((0.1, 0.2))
    assert "1 items have one arrangement only" in result.models[0].consistency.r_sens.note


def test_one_arrangement_leaves_across_and_the_order_effect_undefined() -> None:
    result = concord.score_structure(scores=frame([[0.2], [0.4]], [[0.3], [0.6]]), reading="across")
    assert values(result) == (None, None, None)
    assert result.models[0].order.effect is None
    assert "cannot be said" in result.models[0].sentence
    assert result.to_frame()["S_Cons"].to_list() == [None]


def test_a_baseline_is_shown_and_not_counted() -> None:
    mean, largest = [[0.5, 0.1, 0.4]] * 2, [[0.6, 0.9, 0.6]] * 2
    result = concord.score_structure(scores=frame(mean, largest), reading="paired", baseline=" p1 ")
    assert values(result)[:2] == pytest.approx((0.15, 0.2))
    rows = result.models[0].arrangements
    assert [(row.name, row.is_baseline) for row in rows] == [("P0", False), ("P1", True), ("P2", False)]
    assert rows[1].gap == pytest.approx(0.8)
    assert result.models[0].n_arrangements == 2


def test_a_baseline_nobody_has_is_warned() -> None:
    result = concord.score_structure(scores=frame(*BY_HAND), baseline="ABCD")
    assert "m: no arrangement 'ABCD' (--baseline); it has 'P0', 'P1', ..." in result.warnings


def test_peak_has_no_interval_and_says_so() -> None:
    y = np.random.default_rng(0).random((30, 3)) / 2
    result = concord.score_structure(scores=frame(y.tolist(), (y + 0.1).tolist()))
    main = result.models[0].consistency
    assert (main.e_perf.interval, main.r_sens.interval, main.s_cons.interval) == (None, None, None)
    assert "does not show how much larger it could be" in main.e_perf.note
    paired = result.models[0].definition("paired")
    assert paired is not None
    assert paired.e_perf.interval is not None
    assert paired.r_sens.interval is not None


def test_across_has_an_interval_for_e_only() -> None:
    y = np.random.default_rng(0).random((30, 3))
    main = concord.score_structure(scores=frame(y.tolist()), reading="across").models[0].consistency
    assert main.e_perf.interval is not None
    assert main.r_sens.interval is None
    assert main.s_cons.interval is None


def test_no_interval_below_twenty_items() -> None:
    y = np.random.default_rng(0).random((19, 3)) / 2
    result = concord.score_structure(scores=frame(y.tolist(), (y + 0.1).tolist()), reading="paired")
    assert result.models[0].consistency.e_perf.interval is None
    assert result.models[0].consistency.e_perf.note == "no interval below 20 items"


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_an_arrangement_that_all_items_end_alike_leaves_the_worst_score_in_doubt(end: float) -> None:
    rng = np.random.default_rng(3)
    scores = (rng.random((40, 3, 2)) < 0.5 + 0.2 * (end == 0)).astype(float)
    scores[:, 1] = end
    if end == 1:
        scores[:, :] = 1.0
    worst = concord.score_structure(scores=raw(scores)).models[0].worst
    assert worst.value == end
    assert worst.interval is not None
    # 40 of 40 alike: the shares that exact limits of 95 % hold, and more for three arrangements
    reach = worst.interval.high if end == 0 else 1 - worst.interval.low
    assert 0.05 < reach < 0.15


def test_the_fixed_m_gap_from_samples_and_its_left_out_cells() -> None:
    table = raw([[[0.0, 1.0, 1.0, 0.0], [0.5, 0.5, 0.5, 0.5]]] * 2)
    short = table.filter(
        ~((pl.col("item") == "i001") & (pl.col("arrangement") == "P0") & (pl.col("sample") > 0))
    )
    result = concord.score_structure(scores=short, reading="paired").models[0]
    assert result.fixed_m is not None
    assert result.fixed_m.e_perf.value == pytest.approx((1 / 3 + 0) / 2)
    assert result.fixed_m_note == "1 cells with fewer than 2 samples left out"
    assert result.samples_per_cell == (1, 4)


def test_the_fixed_m_gap_of_files_needs_the_number_of_samples() -> None:
    unknown = concord.score_structure(scores=frame(*BY_HAND)).models[0]
    assert unknown.fixed_m is None
    assert "not available: the number of samples behind mean and max is not known" in unknown.fixed_m_note
    known = concord.score_structure(scores=frame(*BY_HAND), samples=5).models[0]
    assert known.fixed_m is not None
    assert known.fixed_m.e_perf.value == pytest.approx(0.15 * 0.5641895835 / 1.1629644736)
    assert known.fixed_m_note.startswith("approximate: gap x d(2)/d(5)")


def test_binary_files_give_the_same_fixed_m_gap_as_their_samples() -> None:
    y = (np.random.default_rng(3).random((30, 4, 6)) < 0.4).astype(float)
    files = concord.score_structure(scores=frame(y.mean(-1).tolist(), y.max(-1).tolist()), samples=6).models[
        0
    ]
    samples = concord.score_structure(scores=raw(y)).models[0]
    assert files.fixed_m is not None
    assert samples.fixed_m is not None
    assert files.fixed_m_note == "exact for 0/1 scores"
    assert files.fixed_m.s_cons.value == pytest.approx(samples.fixed_m.s_cons.value, abs=1e-12)


def test_fewer_samples_than_m() -> None:
    assert (
        "1 samples per cell, below m = 2"
        in concord.score_structure(scores=frame(*BY_HAND), samples=1).models[0].fixed_m_note
    )
    assert concord.score_structure(scores=raw(np.full((2, 2, 1), 0.5))).models[0].fixed_m is None


def test_equal_samples_give_a_gap_of_exactly_zero_and_no_consistency() -> None:
    result = concord.score_structure(scores=raw(np.full((4, 3, 7), 0.1)), reading="paired")
    assert values(result) == (0.0, 0.0, None)
    assert "mean and max hold the same scores" in result.models[0].consistency.s_cons.note


def test_an_order_blind_noisy_model_and_a_deterministic_order_sensitive_one() -> None:
    rng = np.random.default_rng(7)
    blind = (rng.random((200, 10, 5)) < 0.5).astype(float)
    chance = np.linspace(0.2, 0.8, 10)
    sensitive = np.repeat((rng.random((200, 10, 1)) < chance[None, :, None]).astype(float), 5, axis=2)
    noisy = concord.score_structure(scores=raw(blind), reading="paired").models[0]
    swinging = concord.score_structure(scores=raw(sensitive), reading="paired").models[0]
    assert values(concord.score_structure(scores=raw(sensitive), reading="paired")) == (0.0, 0.0, None)
    assert noisy.consistency.s_cons.value is not None
    assert noisy.consistency.s_cons.value < 0.4
    assert noisy.order.effect is not None
    assert swinging.order.effect is not None
    assert noisy.order.effect.p_value is not None
    assert noisy.order.effect.p_value > 0.05
    assert swinging.order.effect.tau == pytest.approx(chance.std(ddof=1), abs=0.03)
    assert "no order effect could be shown" in noisy.sentence
    assert "beyond sampling noise, the arrangement moves the mean score" in swinging.sentence


def test_shares_of_variance_sum_to_one_and_find_the_noise() -> None:
    rng = np.random.default_rng(1)
    y = np.clip(0.5 + 0.05 * rng.normal(size=(100, 6, 4)), 0, 1)
    shares = concord.score_structure(scores=raw(y)).models[0].order.shares
    assert shares is not None
    assert shares.item + shares.arrangement + shares.interaction + shares.noise == pytest.approx(1)
    assert shares.noise > 0.9


def test_flip_excess_is_1_when_every_arrangement_has_its_own_answer() -> None:
    table = raw(np.zeros((25, 3, 4)))
    result = concord.score_structure(scores=table.with_columns(answer=pl.col("arrangement"))).models[0]
    assert result.flip_excess is not None
    assert result.flip_excess.value == 1.0
    assert result.items[0].flip_excess == 1.0
    same = concord.score_structure(scores=table.with_columns(answer=pl.lit("A"))).models[0]
    assert same.flip_excess is not None
    assert same.flip_excess.value == 0.0


def test_clusters_widen_the_interval_and_are_the_units() -> None:
    rng = np.random.default_rng(2)
    shared = np.repeat(rng.random((30, 1)) * 0.3, 5, axis=0)
    mean = np.full((150, 2), 0.2)
    largest = 0.2 + np.clip(shared + 0.01 * rng.random((150, 2)), 0, 0.7)
    table = frame(mean.tolist(), largest.tolist())
    clusters = (pl.col("item").str.slice(1).cast(pl.Int64) // 5).cast(pl.String)
    plain = concord.score_structure(scores=table, reading="paired").models[0].consistency
    grouped = (
        concord.score_structure(scores=table.with_columns(cluster=clusters), reading="paired")
        .models[0]
        .consistency
    )
    assert grouped.e_perf.value == pytest.approx(plain.e_perf.value)
    assert plain.e_perf.interval is not None
    assert grouped.e_perf.interval is not None
    width = grouped.e_perf.interval.high - grouped.e_perf.interval.low
    assert width > 1.8 * (plain.e_perf.interval.high - plain.e_perf.interval.low)
    assert grouped.e_perf.n == 30


def two_models(seed: int, shift: float = 0.0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    base = 0.4 + 0.1 * rng.normal(size=(40, 1, 1))
    tables = []
    for name, width in (("a", 0.05), ("b", 0.05 + shift)):
        y = np.clip(base + width * rng.normal(size=(40, 5, 4)), 0, 1)
        tables.append(raw(y).with_columns(model=pl.lit(name)))
    return pl.concat(tables)


def test_the_difference_of_two_models_has_intervals_that_see_a_real_difference() -> None:
    same = concord.score_structure(scores=two_models(1), reading="paired").difference("a", "b")
    other = concord.score_structure(scores=two_models(1, shift=0.1), reading="paired").difference("a", "b")
    for estimate in (same.e_perf, same.r_sens, same.s_cons, same.tau):
        assert estimate.interval is not None
        assert estimate.value is not None
        assert estimate.interval.low <= estimate.value <= estimate.interval.high
        assert estimate.interval.low < 0 < estimate.interval.high
    assert other.e_perf.interval is not None
    assert other.e_perf.interval.high < 0
    assert other.s_cons.interval is not None
    assert other.s_cons.interval.low > 0


def test_models_are_compared_on_what_they_share() -> None:
    table = two_models(2).filter(~((pl.col("model") == "b") & (pl.col("item") < "i005")))
    entry = concord.score_structure(scores=table, reading="paired").difference("a", "b")
    assert entry.n_items == 35
    assert entry.note == "on shared items and arrangements only"


def test_models_that_share_nothing_have_no_difference() -> None:
    first, second = (
        frame(*BY_HAND),
        frame(*BY_HAND).with_columns(model=pl.lit("n"), item=pl.col("item") + "x"),
    )
    entry = concord.score_structure(scores=pl.concat([first, second])).difference("m", "n")
    assert entry.e_perf.value is None
    assert "share no items or no arrangements" in entry.note


def test_models_with_different_clusters_are_compared_on_the_clusters_of_the_first() -> None:
    number = pl.col("item").str.slice(1).cast(pl.Int64)
    clusters = pl.when(pl.col("model") == "a").then(number // 2).otherwise(number // 4).cast(pl.String)
    result = concord.score_structure(scores=two_models(3).with_columns(cluster=clusters), reading="paired")
    entry = result.difference("a", "b")
    assert entry.e_perf.n == 20
    assert entry.e_perf.interval is not None


def answers(right: np.ndarray, answer: np.ndarray | None = None) -> pl.DataFrame:
    """Lay out answers, items by arrangements by repeats."""
    table = raw(right)
    return table if answer is None else table.with_columns(answer=pl.Series(answer.ravel().astype(str)))


def test_one_verdict_names_the_stronger_evidence_first() -> None:
    rng = np.random.default_rng(5)
    # every answer hangs on the arrangement, the mean score does not: two wrong options change places
    given = np.repeat(rng.integers(0, 4, (60, 4, 1)), 3, axis=2)
    sentence = concord.score_structure(scores=answers((given == 0).astype(float), given)).models[0].sentence
    assert "no order effect" not in sentence
    first, second = sentence.split("; ", 1)
    assert "order changes answers more often than chance does" in first
    assert "it could not be shown to move the mean score" in second


def test_of_two_arrangements_the_difference_is_the_number() -> None:
    rng = np.random.default_rng(6)
    right = (rng.random((80, 2, 3)) < np.array([0.8, 0.5])[None, :, None]).astype(float)
    result = concord.score_structure(scores=raw(right))
    found = result.models[0].order.difference
    moved = right.mean(-1)[:, 0] - right.mean(-1)[:, 1]
    assert found is not None
    assert found.value == pytest.approx(moved.mean())
    assert found.interval is not None
    t = stats.ttest_1samp(moved, 0.0)
    assert result.models[0].order.p_value == pytest.approx(t.pvalue)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(t.confidence_interval(0.95)))
    assert "minus" in result.models[0].sentence
    assert "tau" not in result.models[0].sentence
    three = (rng.random((80, 3, 3)) < 0.5).astype(float)
    assert concord.score_structure(scores=raw(three)).models[0].order.difference is None


def test_a_model_above_the_ceiling_is_read_where_others_are_not_at_theirs() -> None:
    rng = np.random.default_rng(8)
    high = (rng.random((80, 4, 2)) < 0.985).astype(float)
    plain = (rng.random((80, 4, 2)) < 0.6).astype(float)
    alone = concord.score_structure(scores=raw(high)).models[0]
    assert "above 0.95" in alone.gate
    both = pl.concat([raw(high).with_columns(model=pl.lit("a")), raw(plain).with_columns(model=pl.lit("b"))])
    found = concord.score_structure(scores=both).models[0]
    assert not found.gate
    assert "cannot be judged" not in found.sentence
    low = (rng.random((80, 4, 2)) < 0.01).astype(float)
    floored = pl.concat(
        [raw(low).with_columns(model=pl.lit("a")), raw(plain).with_columns(model=pl.lit("b"))]
    )
    assert "below 0.05" in concord.score_structure(scores=floored).models[0].gate


def test_a_model_that_never_varies_is_told_from_one_that_does() -> None:
    n, steps = 40, np.linspace(0.16, 0.96, 5)
    rng = np.random.default_rng(9)
    moved = (rng.random((n, 5, 1)) < steps[None, :, None]).astype(float)
    still = np.ones((n, 5, 1)) * (np.arange(n) % 2)[:, None, None]
    table = pl.concat(
        [raw(still).with_columns(model=pl.lit("a")), raw(moved).with_columns(model=pl.lit("b"))]
    )
    entry = concord.score_structure(scores=table, reading="paired").difference("a", "b")
    assert entry.tau.value == pytest.approx(-0.3, abs=0.1)
    assert entry.order_p_values[0] is not None
    assert entry.order_p_values[0] < 0.001
    assert entry.tau.interval is not None
    assert entry.tau.interval.high < 0
    assert entry.s_cons.value is None
