"""What a comparison says beside its numbers, and what its table holds."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import concord
from concord.comparing.run import few_clusters
from concord.records import Interval
from concord.show.compare_terminal import ranking_lines


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
    assert rows[0]["difference"] == ""
    assert rows[0]["note"] == "no item has a score on both sides"
    assert [row["n_items"] for row in rows] == ["", "4", "4"]


def test_a_line_beside_the_ranking_passes_by_a_model_that_differs() -> None:
    ranked = [("a", 0.9), ("b", 0.7), ("c", 0.5)]
    ends = {"a": Interval(0.8, 1.0, 0.95, "made"), "b": None}
    assert list(ranking_lines(ranked, [["a", "c"], ["b"]], ends)) == [
        "Ranking; models on one line │ cannot be distinguished (Holm); a line ┊ passes a model by",
        "    1   0.900  [0.800, 1.000]  │    a",
        "    2   0.700                  ┊ │  b",
        "    3   0.500                  │    c",
    ]


def test_items_that_failed_in_part_are_said_to_be_kept() -> None:
    first = [{"item": i, "repeat": r, "score": float((i + r) % 3 > 0)} for i in range(9) for r in (1, 2)]
    second = [{**row, "score": None if row["item"] == 4 and row["repeat"] == 1 else 0.0} for row in first]
    said = repr(concord.compare(first, second, names=["a", "b"]))
    assert "items kept whose repeats failed in part: 1" in said
    assert "left out" not in said
    assert "never had" not in said
    failed = [{**row, "score": None if row["item"] == 4 else 0.0} for row in first]
    assert "items left out: 1 failed for b" in repr(concord.compare(first, failed, names=["a", "b"]))
