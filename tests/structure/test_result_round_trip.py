"""What `write` writes, `read` reads: every field of random results."""

import json
import tempfile
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from tests.structure.scores import samples, scored

from concord.errors import FileFormatError
from concord.records import Provenance
from concord.structure.records import CellScore, ItemRow, ModelResult
from concord.structure.result import StructureResult

NAME = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
"""A CSV cell cannot tell an empty text from an undefined one, and a table with NUL is no text file."""
SCORE = st.one_of(st.none(), st.floats(-1, 1))


def strategy(hint: Any) -> st.SearchStrategy[Any]:
    """Return random values of a field's type."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of([st.none() if one is type(None) else strategy(one) for one in inside])
    if isinstance(hint, type) and is_dataclass(hint):
        return record(hint)
    if hint == tuple[ItemRow, ...]:
        return st.lists(record(ItemRow), min_size=1, max_size=3, unique_by=lambda item: item.name).map(tuple)
    if hint == tuple[CellScore, ...]:
        cell = st.tuples(NAME, SCORE, SCORE, SCORE)
        return st.lists(cell, min_size=1, max_size=3, unique_by=lambda one: one[0]).map(tuple)
    if hint == tuple[ModelResult, ...]:
        kind = record(ModelResult)
        return st.lists(kind, min_size=1, max_size=2, unique_by=lambda model: model.model).map(tuple)
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
    return st.deferred(
        lambda: st.builds(kind, **{field.name: strategy(hints[field.name]) for field in fields(kind)})
    )


@settings(max_examples=20, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
# shrinking takes minutes for a record of this size and the failing field is named without it
@given(record(StructureResult))
def test_every_field_of_a_result_comes_back(result: StructureResult) -> None:
    assume(
        result.made != Provenance()
    )  # a filter would write out a strategy of this size when it tries again
    with tempfile.TemporaryDirectory() as folder:
        result.write(folder)
        assert StructureResult.read(folder) == result


def test_a_scored_result_comes_back_from_every_folder_that_holds_it(tmp_path: Path) -> None:
    from concord import score_structure

    result = score_structure(scores=samples("=m", n=25), resamples=200)
    result.write(tmp_path)
    found = StructureResult.read(tmp_path)
    assert found == StructureResult.read(tmp_path / "consistency") == result


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    folder = scored(tmp_path, samples("a", n=25)) / "consistency"
    path = folder / "result.json"
    document = json.loads(path.read_text("utf-8"))
    document["models"][0]["readings"][0]["E_perf"]["value"] = "many"
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FileFormatError, match=r"'E_perf', 'value': got 'many', expected a number"):
        StructureResult.read(folder)
    del document["arrangements"]
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FileFormatError, match="result.json: has no key 'arrangements'"):
        StructureResult.read(folder)
