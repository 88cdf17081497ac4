"""What a comparison says beside its numbers, and what its table holds."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concord
from concord.comparing.comparison import letters_of
from concord.comparing.join import join_scores
from concord.comparing.records import ScoreFile, frame_of
from concord.comparing.run import compare_joined, few_clusters
from concord.stats.compare import Choices


def test_few_clusters_are_warned_of_and_enough_are_not() -> None:
    assert few_clusters(None) == ()
    assert few_clusters(np.repeat(np.arange(20), 4)) == ()
    assert few_clusters([0, 0, 1, 1]) == ()  # no p-value at all, which has a note of its own
    assert few_clusters(np.repeat(np.arange(8), 4))[0].startswith("8 clusters: with so few")
    large = np.repeat(np.arange(30), [200] + [2] * 29)
    assert few_clusters(large)[0].startswith("30 clusters, as good as 3 of one size")


def test_a_comparison_with_few_clusters_carries_the_warning() -> None:
    rng = np.random.default_rng(1)
    rows = [[{"item": i, "family": i % 6, "score": rng.normal()} for i in range(60)] for _ in range(2)]
    result = concord.compare(*rows, cluster="family")
    assert any(warning.startswith("6 clusters: with so few") for warning in result.warnings)


def scores(values: Sequence[float], start: int = 0) -> list[dict[str, float]]:
    return [{"item": i, "score": value} for i, value in enumerate(values, start)]


def table(folder: Path, *sources: list[dict[str, float]]) -> list[dict[str, str]]:
    concord.compare(*sources).write(folder)
    with (folder / "comparison.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_holds_every_p_value_that_fits(tmp_path: Path) -> None:
    """Fagerland, Lydersen & Laake (2013), table 1: exact 0.070 and mid-p 0.039 of 1 and 7 disagreements."""
    first = [1] + [0] * 7 + [1, 0] * 6
    second = [0] + [1] * 7 + [1, 0] * 6
    row = table(tmp_path, scores(first), scores(second))[0]
    assert float(row["p_value"]) == float(row["p_mcnemar"]) == 0.0703125
    assert abs(float(row["p_mcnemar_mid_p"]) - 0.0390625) < 1e-12
    assert 0 < float(row["p_t"]) < 0.1
    assert 0 < float(row["p_sign_flip"]) < 0.1
    measured = table(tmp_path, scores([0.5, 1.5, 2.0, 0.1]), scores([0.1, 0.2, 0.3, 0.4]))[0]
    assert (measured["p_mcnemar"], measured["p_mcnemar_mid_p"]) == ("", "")


def test_a_pair_without_a_common_item_keeps_the_columns_of_the_others(tmp_path: Path) -> None:
    rows = table(tmp_path, scores([1, 0, 1, 1]), scores([0, 0, 1, 1], 4), scores([1, 0, 0, 1, 1, 1, 0, 0]))
    assert list(rows[0])[:4] == ["first", "second", "difference", "p_value"]  # whichever pair comes first
    assert rows[0]["difference"] == ""
    assert rows[0]["note"] == "no item has a score on both sides"
    assert [row["n_items"] for row in rows] == ["", "4", "4"]


def test_models_that_differ_share_no_letter_though_both_share_one_with_others() -> None:
    assert letters_of([["a", "c"], ["b"]]) == {"a": "a", "c": "a", "b": "b"}
    groups = [(f"m{i}", f"m{i + 1}") for i in range(30)]
    assert (letters_of(groups)["m0"], letters_of(groups)["m29"]) == ("1", "29 30")
    assert letters_of(groups[:3])["m1"] == "ab"


def test_items_that_failed_in_part_are_said_to_be_kept() -> None:
    first = [{"item": i, "repeat": r, "score": float((i + r) % 3 > 0)} for i in range(9) for r in (1, 2)]
    second = [{**row, "score": None if row["item"] == 4 and row["repeat"] == 1 else 0.0} for row in first]

    def lost(other: list[dict[str, float | None]]) -> list[str]:
        found = concord.compare(first, other, names=["a", "b"]).table("missing")
        return [column for column, cell in zip(found.columns, found.rows[0], strict=True) if cell == "1"]

    assert lost(second) == ["in part"]
    failed = [{**row, "score": None if row["item"] == 4 else 0.0} for row in first]
    assert lost(failed) == ["failed second"]


def test_what_is_not_shared_is_counted_item_by_item() -> None:
    first: list[Any] = [1, 0, 1, 1, None, None, None, 1]
    second: list[Any] = [0, 0, 1, None, 1, None]
    found: Any = concord.compare(scores(first), scores(second) + scores([0, 0], 8))
    missing = found.pairs[0].missing
    assert (missing.only_first, missing.only_second) == (2, 2)
    assert (missing.failed_first, missing.failed_second, missing.failed_both) == (1, 1, 1)
    # both have 1-0, 0-0, 1-1; failed as wrong adds 1-0, 0-1, 0-0; absent as wrong 0-0, 1-0, 0-0, 0-0
    assert found.difference is not None and found.difference.value == pytest.approx(1 / 3)
    assert missing.failed_as_wrong == pytest.approx(1 / 6)
    assert missing.absent_as_wrong == pytest.approx(2 / 10)
    assert [(model.n_asked, model.own_mean) for model in found.models] == [(8, 0.8), (8, 1 / 3)]


def test_repeats_of_an_item_count_once_as_their_mean() -> None:
    first = [{"item": i, "repeat": r, "score": s} for i, own in enumerate([[1, 0], [1, 1], [0, 0]])
             for r, s in enumerate(own)]  # fmt: skip
    found = concord.compare(first, scores([0, 1, 1]), names=["twice", "once"])
    assert found.difference is not None
    assert found.difference.value == pytest.approx((0.5 + 0 - 1) / 3)
    assert any("repeats per item differs (twice: 2; once: 1)" in text for text in found.warnings)


def test_a_wide_table_with_repeats_has_one_model_per_column_of_scores() -> None:
    rows = [
        {"item": i, "repeat": r, "a": a, "b": b}
        for i, own in enumerate([[(1, 0), (1, 1)], [(0, 0), (1, 0)], [(1, 1), (0, 1)]])
        for r, (a, b) in enumerate(own)
    ]
    found = concord.compare(rows)
    assert [model.name for model in found.models] == ["a", "b"]
    assert found.difference is not None
    assert found.difference.value == pytest.approx((0.5 + 0.5 - 0.5) / 3)


def test_a_regression_is_asked_of_every_pair_of_the_first_model() -> None:
    rng = np.random.default_rng(3)
    base = rng.normal(size=60)
    worse, alike = base - 0.5 + rng.normal(0, 0.1, 60), base + rng.normal(0, 0.4, 60)
    elsewhere = scores(list(rng.normal(size=5)), 100)
    found = concord.compare(
        scores(list(worse)), scores(list(base)), scores(list(alike)), elsewhere, names=["w", "b", "a", "e"]
    )
    asked = found.fail_if_worse(margin=None)
    assert [one.other for one in asked.against] == ["b", "a", "e"]
    assert [one.is_worse for one in asked.against] == [True, True, False]
    first, _, absent = asked.against
    assert first.better_by == pytest.approx((worse - base).mean())
    assert first.low is not None and first.high is not None and first.better_by is not None
    assert first.low < first.better_by < first.high < 0
    assert (absent.better_by, absent.low, absent.high, absent.noticed) == (None, None, None, None)
    assert asked.sentence.startswith("regression: w is worse than b, a (score: -0.")
    assert not found.fail_if_worse(margin=0.6).found
    assert found.fail_if_worse(margin=0.3).sentence.startswith(
        "regression: w is worse by more than 0.3 than b"
    )
    other = concord.compare(scores(list(base)), scores(list(worse)), elsewhere, names=["b", "w", "e"])
    better = other.fail_if_worse(margin=None)
    assert better.against[0].better_by == pytest.approx((base - worse).mean())
    assert better.sentence.startswith(
        "no regression was shown: that b is worse could not be shown (score: +0."
    )
    assert "; not tested against e. With 60 items a drop of 0.0" in better.sentence


def test_a_wide_table_with_families_is_clustered_by_them() -> None:
    rng = np.random.default_rng(4)
    rows = [
        {"item": i, "family": i // 5, "a": float(a), "b": float(b)}
        for i, (a, b) in enumerate(rng.normal(size=(40, 2)))
    ]
    found: Any = concord.compare(rows)
    assert [model.name for model in found.models] == ["a", "b"]
    assert found.pairs[0].comparison.n_clusters == 8


def test_a_column_that_names_models_says_whose_scores_are_whose() -> None:
    rows = [{"item": i, "model": name, "score": s} for name, own in (("x", [1, 1, 0]), ("y", [0, 1, 0]))
            for i, s in enumerate(own)]  # fmt: skip
    found: Any = concord.compare(rows)
    assert [(model.name, model.own_mean) for model in found.models] == [
        ("x", pytest.approx(2 / 3)),
        ("y", pytest.approx(1 / 3)),
    ]
    assert found.difference.value == pytest.approx(1 / 3)


def test_the_sentence_about_two_turns_the_interval_with_the_difference() -> None:
    """The model that ranks first is named first: its difference and both ends change their signs."""
    found: Any = concord.compare(scores([1, 0] * 20), scores([1] * 30 + [0] * 10), names=["low", "high"])
    pair = found.pairs[0].comparison.difference
    low, high = -pair.interval.high, -pair.interval.low
    assert pair.value == -0.25 and low < 0.25 < high
    assert (
        f"high is ahead of low in score: 0.750 against 0.500, +0.250 ({low:.3f} to {high:.3f};"
        in found.sentences()[0]
    )


def test_the_best_of_twenty_prompts_is_worth_what_it_has_on_items_it_was_not_chosen_on() -> None:
    rng = np.random.default_rng(7)
    hard = rng.normal(size=90)
    tables = [scores(list(hard + rng.normal(size=90))) for _ in range(20)]
    names = [f"p{i}/{'few' if i % 2 else 'zero'}-shot" for i in range(20)]
    found: Any = concord.compare(*tables, names=names)
    own, value = found.chosen.own, found.chosen.value
    assert own == pytest.approx(max(model.mean.value for model in found.models))
    assert value < own and found.chosen.low < found.chosen.mean < found.chosen.high  # all are alike
    assert found.chosen.luck > 0.3
    assert found.chosen.n_studies == 30
    assert "the best of 20, has" in found.sentences()[0] and found.sentences()[0].endswith(
        "its lead may be luck."
    )
    assert found.to_dict()["chosen"]["agent"] == found.chosen.agent
    assert "few-shot" in found.plot("specifications")._repr_svg_()
    assert concord.compare(tables[0], tables[1]).to_dict().get("chosen") is None


def test_nothing_is_claimed_of_a_model_whose_own_result_claims_nothing() -> None:
    rng = np.random.default_rng(2)
    base, noise = rng.uniform(-0.9, -0.5, 30), rng.normal(0, 0.02, 30)
    files = [
        ScoreFile(
            name, f"{name}.json", "reasoning",
            frame_of((f"i{i:02}", "0", float(x), "scored", None, None) for i, x in enumerate(base + shift)),
            metric="gap", withheld=why,
        )
        for name, shift, why in (("a", 0.0, ""), ("b", 1 + noise, "not read alike"), ("c", 0.6 - noise, ""))
    ]  # fmt: skip
    found = compare_joined(join_scores(files), wrong=None, choices=Choices())
    p = {(pair.first, pair.second): pair.p_holm for pair in found.pairs}
    assert p["a", "b"] is None and p["b", "c"] is None
    assert p["a", "c"] is not None and p["a", "c"] < 0.05
    assert {frozenset(group) for group in found.groups} == {frozenset("ab"), frozenset("bc")}
    assert any("its own result claims nothing (not read alike)" in one for one in found.warnings)
    assert found.pairs[0].comparison is not None and found.pairs[0].comparison.difference.value is not None
