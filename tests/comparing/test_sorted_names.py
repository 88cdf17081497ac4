"""Names in order: whole numbers and texts say the same."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

pl = pytest.importorskip("polars")

from concord.comparing.records import SortedNames, sorted_names  # noqa: E402

SHORT = st.text(alphabet="ab0\0", max_size=4)
NAMES = st.lists(
    SHORT.map(lambda rest: f"item-{rest}") | st.text("é\0a", max_size=40), min_size=1, max_size=8
)


def ordered(names: list[str]) -> SortedNames:
    return sorted_names(pl.Series("item", names, dtype=pl.String))


@given(NAMES)
def test_names_are_in_the_order_of_their_bytes(names: list[str]) -> None:
    assert ordered(names).sorted().to_list() == sorted(names, key=str.encode)


@given(NAMES)
def test_a_name_that_is_there_twice_is_seen(names: list[str]) -> None:
    assert ordered(names).has_twins() is (max(Counter(names).values()) > 1)


@given(NAMES, st.randoms(use_true_random=False))
def test_the_same_names_in_another_order_are_the_same(names: list[str], random: object) -> None:
    mixed = list(names)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert ordered(names).same_as(ordered(mixed))
    assert not ordered(names).same_as(ordered([*mixed[:-1], mixed[-1] + "x"]))


def test_a_longer_beginning_and_a_nul_at_the_end_make_other_names() -> None:
    assert not ordered(["a1", "a2"]).same_as(ordered(["1", "2"]))
    assert not ordered(["a", "b"]).same_as(ordered(["a\0", "b"]))
    assert not ordered(["a", "a\0"]).has_twins()
    assert ordered([f"item-{i}" for i in range(9)]).keys
