"""What `write` writes, `read` reads: every field of random results."""

import json
import tempfile
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.errors import FileFormatError
from concord.reasoning.correct import RULES, Rule
from concord.reasoning.files import ReasoningResult, read, write
from concord.reasoning.result import Options, ReasoningScores
from concord.records import Made

NAME = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
"""A CSV cell cannot tell an empty text from an undefined one: names hold at least one character."""


def strategy(hint: Any) -> st.SearchStrategy[Any]:
    """Return random values of a field's type."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of([st.none() if one is type(None) else strategy(one) for one in inside])
    if hint is Options:
        return st.one_of(
            st.just(Options("source")),
            st.builds(
                Options, st.just("standard"), st.sampled_from(RULES), st.integers(0), st.integers(100), st.booleans()
            ),
        )
    if hint is Rule:
        return st.sampled_from(RULES)
    if isinstance(hint, type) and is_dataclass(hint):
        return record(hint)
    if origin is tuple and inside[-1] is Ellipsis:
        return st.lists(strategy(inside[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(strategy, inside))
    if origin is not None and issubclass(origin, Mapping):
        return st.dictionaries(NAME, strategy(inside[1]), max_size=3)
    plain = {
        str: NAME,
        bool: st.booleans(),
        int: st.integers(0, 2**53),
        float: st.floats(allow_nan=False),
        object: st.one_of(st.none(), st.booleans(), st.integers(), NAME),
    }
    return plain[hint]


def record(kind: type[Any]) -> st.SearchStrategy[Any]:
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: strategy(hints[field.name]) for field in fields(kind)})


def known(made: Made) -> bool:
    return made != Made()


RESULTS = st.builds(ReasoningResult, record(ReasoningScores), st.one_of(st.none(), record(Made).filter(known)))


@settings(max_examples=60, deadline=None)
@given(RESULTS)
def test_every_field_of_a_result_comes_back(result: ReasoningResult) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(result, Path(folder))
        assert read(Path(folder)) == _without_bias_mode(result)


def _without_bias_mode(result: ReasoningResult) -> ReasoningResult:
    """A mode called "bias" has its place in the document taken by the outcomes of bias replies."""
    kept = {mode: counts for mode, counts in result.scores.outcomes.items() if mode != "bias"}
    return replace(result, scores=replace(result.scores, outcomes=kept))
