import json
import math
from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import FileFormatError
from concord.files.codec import decode, encode
from concord.records import Estimate, Interval

numbers = st.floats(allow_nan=False)
intervals = st.builds(Interval, numbers, numbers, numbers, st.text())
estimates = st.builds(
    Estimate, st.none() | numbers, st.none() | intervals, st.integers(), st.integers(), st.text(), st.text()
)


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Nested:
    parts: tuple[Estimate, ...]
    pair: tuple[str, float | None]
    counts: dict[str, int]
    colour: Colour | None = None
    table: tuple[tuple[float, ...], ...] | None = None


nested = st.builds(
    Nested,
    st.lists(estimates).map(tuple),
    st.tuples(st.text(), st.none() | numbers),
    st.dictionaries(st.text(), st.integers()),
    st.none() | st.just(Colour.RED),
    st.none() | st.lists(st.lists(numbers).map(tuple)).map(tuple),
)


@given(nested)
def test_what_is_written_is_read_back_whole(record: Nested) -> None:
    text = json.dumps(encode(record), allow_nan=False)
    assert decode(Nested, json.loads(text), where="x.json") == record


def test_an_estimate_has_one_shape() -> None:
    assert encode(Estimate(0.5, Interval(0.1, 0.9, 0.95, "Wilson"), 3, 1, "share", "")) == {
        "value": 0.5,
        "interval": {"low": 0.1, "high": 0.9, "level": 0.95, "method": "Wilson"},
        "n": 3,
        "n_left_out": 1,
        "method": "share",
        "note": "",
    }


def test_infinity_is_a_word_and_nan_is_refused() -> None:
    assert encode(math.inf) == "inf"
    assert encode(-math.inf) == "-inf"
    with pytest.raises(ValueError, match="an undefined number is None"):
        encode(Estimate(math.nan))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"note": ""}, r"x\.json: has no key 'value'"),
        ({"value": "much"}, r"x\.json, 'value': got 'much', expected a number"),
        ({"value": True}, r"x\.json, 'value': got True, expected a number"),
        ({"value": 1.0, "n": 1.5}, r"x\.json, 'n': got 1\.5, expected a whole number"),
        ({"value": 1.0, "interval": [0, 1]}, r"x\.json, 'interval': got \[0, 1\], expected an object"),
        ({"value": 10**400}, "expected a number that a float can hold"),
        (["value"], "expected an object"),
    ],
)
def test_a_wrong_field_is_named(document: object, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        decode(Estimate, document, where="x.json")


def test_keys_that_the_record_does_not_know_are_left_alone() -> None:
    assert decode(Estimate, {"value": 1, "colour": "red"}, where="x.json") == Estimate(1.0)
