"""Long tables as others keep them: one column per model, items numbered anew under each task."""

from hashlib import sha256
from io import BytesIO
from typing import Any

import polars as pl

import concord
from concord.structure.read.long import read_long
from concord.structure.records import ReadOptions


def _rows() -> list[dict[str, Any]]:
    return [
        {"task": task, "pair": i, "order": order, "p_correct:one": (i + (order == "xy")) % 5 / 5,
         "p_correct:two": i % 3 / 4, "p_yes:one": 0.5}
        for task in ("a", "b") for i in range(12) for order in ("xy", "yx")
    ]  # fmt: skip


def test_a_column_per_model_and_items_of_several_tasks_are_read() -> None:
    result = concord.score_structure(scores=_rows(), resamples=200)
    assert [one.model for one in result.models] == ["one", "two"]
    assert [one.n_items for one in result.models] == [24, 24]
    said = " ".join(result.warnings)
    assert "one column 'p_correct' per model: 'one', 'two'" in said
    assert "an item is one task · pair" in said


def test_replies_of_several_samples_are_not_what_names_an_item() -> None:
    rows = [
        {"model": "m", "item": i, "order": order, "score": (i + k) % 2, "response": f"{i} {order} {k}"}
        for i in range(12) for order in ("xy", "yx") for k in range(3)
    ]  # fmt: skip
    result = concord.score_structure(scores=rows, resamples=200)
    assert result.models[0].n_items == 12


def test_data_in_memory_are_recorded_the_same_in_any_order_of_columns() -> None:
    rows = [
        {"item": f"q{i}", "answer": "ab"[i % 2], "arrangement": order, "sample": k, "score": i % 5 / 5,
         "model": "m"}
        for i in range(6) for order in ("xy", "yx") for k in (0, 1)
    ]  # fmt: skip
    in_order = pl.DataFrame(rows).select("model", "arrangement", "item", "score", "sample", "answer")
    written = BytesIO()
    in_order.write_ipc(written)
    for given in (rows, in_order, in_order.select(sorted(in_order.columns)).to_pandas()):
        (recorded,) = read_long(given, ReadOptions()).inputs
        assert recorded.sha256 == sha256(written.getvalue()).hexdigest()
