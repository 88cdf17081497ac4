"""Pairs of models on several metrics: families of p-values, ranking, groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.records import Estimate
from concord.stats.multiple import benjamini_hochberg, distinguishable, holm, indistinguishable
from concord.stats.pairs import MetricDifference, ModelPair, adjusted, rows_of_pairs, standing


def pair(first: str, second: str, *p: float | None) -> ModelPair:
    metrics = tuple(
        MetricDifference(f"m{i}", 0.5, 0.4, Estimate(0.1, None), value, 9) for i, value in enumerate(p)
    )
    return ModelPair(first, second, metrics, 9, 0, 0)


def test_each_metric_is_a_family_of_its_own() -> None:
    found = adjusted([pair("a", "b", 0.01, 0.5), pair("a", "c", 0.02, 0.001), pair("b", "c", None, 0.04)])
    assert [entry.metrics[0].p_holm for entry in found] == [0.02, 0.02, None]
    assert [entry.metrics[1].p_holm for entry in found] == pytest.approx(holm([0.5, 0.001, 0.04]).tolist())
    wanted = benjamini_hochberg([0.5, 0.001, 0.04]).tolist()
    assert [entry.metrics[1].p_bh for entry in found] == pytest.approx(wanted)


def test_neighbours_that_no_test_tells_apart_share_a_group() -> None:
    pairs = adjusted([pair("a", "b", 0.3), pair("a", "c", 0.001), pair("b", "c", 0.2)])
    found = standing("m0", {"c": 0.5, "a": 0.9, "b": 0.7}, pairs, level=0.95)
    assert found.order == ("a", "b", "c")
    assert found.groups == (("a", "b"), ("b", "c"))
    assert standing("m0", {"c": 0.5, "a": 0.9}, pairs, level=0.95, lowest_first=True).order == ("c", "a")


def test_models_on_either_side_of_another_that_differs_from_both_share_a_group() -> None:
    pairs = adjusted([pair("a", "b", 0.001), pair("a", "c", 0.4), pair("b", "c", 0.001)])
    found = standing("m0", {"a": 0.9, "b": 0.7, "c": 0.5}, pairs, level=0.95)
    assert found.groups == (("a", "c"), ("b",))


@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_two_models_share_a_group_just_when_they_were_not_told_apart(n: int, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) < share, 1)
    different = upper | upper.T
    order = rng.permutation(n).tolist()
    groups = indistinguishable(order, different)
    for i in range(n):
        for j in range(n):
            assert any(i in group and j in group for group in groups) == (not different[i, j])
    for group in groups:
        assert [i for i in order if i in group] == list(group)
        assert all(any(different[i, j] for j in group) for i in range(n) if i not in group)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_a_p_of_exactly_the_level_tells_nothing_apart(level: float) -> None:
    edge = round(100 * (1 - level)) / 100
    assert not distinguishable(edge, level=level)
    assert not distinguishable(5 * (edge / 5), level=level)
    assert distinguishable(edge - 1e-4, level=level)


def test_a_pair_without_a_test_is_not_called_different() -> None:
    pairs = adjusted([pair("a", "b", None), pair("a", "c", None), pair("b", "c", None)])
    assert standing("m0", {"a": 0.9, "b": 0.7, "c": 0.5}, pairs, level=0.95).groups == (("a", "b", "c"),)


def test_a_model_without_a_number_has_no_place() -> None:
    found = standing("m0", {"a": 0.9, "b": None}, adjusted([pair("a", "b", 0.2)]), level=0.95)
    assert (found.order, found.groups) == (("a",), (("a",),))


def test_blocks_hold_every_pair_once() -> None:
    rows = rows_of_pairs(5)
    assert [(row[0], j) for row in rows for j in row[1:]] == [
        (i, j) for i in range(5) for j in range(i + 1, 5)
    ]
