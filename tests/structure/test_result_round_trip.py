"""What `write` writes, `read` reads: every field of random results, and results of format version 1."""

import json
import tempfile
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.structure.scores import samples, scored

from concord.errors import FileFormatError
from concord.records import Estimate, Provenance
from concord.structure.files import StructureResult, read, write
from concord.structure.records import CellScore, ItemRow, ModelResult, StructureScores

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


RESULTS = record(StructureResult).filter(lambda result: result.made != Provenance())


@settings(max_examples=20, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
# shrinking takes minutes for a record of this size and the failing field is named without it
@given(RESULTS)
def test_every_field_of_a_result_comes_back(result: StructureResult) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(result, Path(folder))
        assert read(Path(folder)) == result


def test_a_scored_result_comes_back_from_every_folder_that_holds_it(tmp_path: Path) -> None:
    from concord import score_structure

    result = score_structure(scores=samples("=m", n=25), resamples=200)
    result.write(tmp_path)
    assert read(tmp_path) == read(tmp_path / "consistency") == result


def old(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document as version 1 had it."""

    def flat(value: Any) -> Any:
        if isinstance(value, list):
            return [flat(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "n_left_out" not in value:
            return {key: flat(one) for key, one in value.items()}
        ends = value.get("interval") or {}
        kept = {key: value[key] for key in ("value", "n", "n_left_out", "method", "note")}
        return {
            **kept,
            **{key: ends.get(key) for key in ("low", "high", "level")},
            "interval_method": ends.get("method"),
        }

    made = {**flat(document), "format": "concord.structure/1", "format_version": 1}
    for model in made["models"]:
        del model["order"]["effect"], model["notes"], model["worst"], model["gate"]
        for one in (*model["readings"], model["fixed_m"]):
            del one["gaps"], one["gap_intervals"]
    for row in made["arrangements"]:
        del row["interval"]
    for entry in made["differences"]:
        del entry["flip_excess"], entry["worst"]
        entry["p_values"] = {key: entry["p_values"][key] for key in ("E_perf", "R_sens", "S_Cons")}
    return made


def test_a_result_of_version_1_is_read_with_what_it_holds(tmp_path: Path) -> None:
    frames = [samples(name, n=25, seed=seed) for seed, name in enumerate(("a", "b"))]
    folder = scored(tmp_path, *frames, reading="paired") / "consistency"
    whole = read(folder)
    path = folder / "result.json"
    path.write_text(json.dumps(old(json.loads(path.read_text("utf-8")))), "utf-8")
    assert read(folder) == replace(whole, scores=_without_gaps(whole.scores))


def _without_gaps(scores: StructureScores) -> StructureScores:
    models = [
        replace(
            model,
            notes=(),
            worst=Estimate(None),
            consistency=replace(model.consistency, gaps=(), gap_intervals=()),
            others=tuple(replace(one, gaps=(), gap_intervals=()) for one in model.others),
            fixed_m=None if model.fixed_m is None else replace(model.fixed_m, gaps=(), gap_intervals=()),
        )
        for model in scores.models
    ]
    differences = [
        replace(
            entry,
            flip_excess=Estimate(None),
            worst=Estimate(None),
            order_p_values=(None, None, None),
        )
        for entry in scores.differences
    ]
    return replace(scores, models=tuple(models), differences=tuple(differences))


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    folder = scored(tmp_path, samples("a", n=25)) / "consistency"
    path = folder / "result.json"
    document = json.loads(path.read_text("utf-8"))
    document["models"][0]["readings"][0]["E_perf"]["value"] = "many"
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FileFormatError, match=r"'E_perf', 'value': got 'many', expected a number"):
        read(folder)
    del document["arrangements"]
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FileFormatError, match="result.json: has no key 'arrangements'"):
        read(folder)
    path.write_text('{"format": "concord.structure/1", "format_version": 1, "models": []}', "utf-8")
    with pytest.raises(FileFormatError, match="is not a whole result of format version 1"):
        read(folder)
