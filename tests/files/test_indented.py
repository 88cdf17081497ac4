"""Indented JSON is that of the standard library, byte for byte."""

import json
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.files.output import indented_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    max_leaves=25,
)


class Colour(IntEnum):
    RED = 3


def by_the_library(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)


@given(VALUES)
def test_every_document_has_the_bytes_of_the_standard_library(document: Any) -> None:
    assert indented_json(document) == by_the_library(document)


@pytest.mark.parametrize(
    "document",
    [
        {1: "a"},
        {None: 2.5, True: []},
        [np.float64(0.1)],
        {"c": Colour.RED},
        {"a": {"b": [{}, (), "é\u2028\x00"]}},
    ],
)
def test_what_only_the_library_can_write_is_left_to_it(document: Any) -> None:
    assert indented_json(document) == by_the_library(document)


@pytest.mark.parametrize(
    ("document", "fault"),
    [([float("nan")], ValueError), ({"a": -float("inf")}, ValueError), ({1, 2}, TypeError)],
)
def test_what_is_no_json_is_refused_in_the_words_of_the_library(document: Any, fault: type) -> None:
    with pytest.raises(fault, match="JSON") as ours:
        indented_json(document)
    with pytest.raises(fault, match="JSON") as theirs:
        by_the_library(document)
    assert str(ours.value) == str(theirs.value)
