"""Tables of answers to hints as others keep them: several models, conditions, answers side by side."""

from pathlib import Path
from typing import Any

import pytest

from concord import api
from concord.errors import FileFormatError, OptionError, TableError
from concord.reasoning.hints.leaderboard import HintLeaderboard
from concord.reasoning.probes.result import ProbeResult

Rows = list[dict[str, Any]]


def _rows(model: str, moved: int, n: int = 20, **more: object) -> Rows:
    """Return answers of a model that follows the hint in so many of n items."""
    made: Rows = []
    for i in range(n):
        common = {"id": f"q{i}", "model": model, "target": "B", **more}
        made.append(common | {"kind": "none", "answer": "A"})
        made.append(common | {"kind": "sycophancy", "answer": "B" if i < moved else "A"})
    return made


def _influence(found: object) -> float | None:
    assert isinstance(found, ProbeResult)
    assert found.scores.hints is not None
    return found.scores.hints.kinds[0].influence.value


def test_a_model_filters_and_several_are_scored_each() -> None:
    rows = [*_rows("one", 13), *_rows("two", 1)]
    assert _influence(api.score_hints(rows, model="one")) == 13 / 20
    assert _influence(api.score_hints(rows, model="two")) == 1 / 20
    board = api.score_hints(rows)
    assert isinstance(board, HintLeaderboard)
    found = {one.model: one.influence["sycophancy"].value for one in board.scores.models}
    assert found == {"one": 13 / 20, "two": 1 / 20}
    with pytest.raises(OptionError, match="no row is of the model 'three'; the table has 'one', 'two'"):
        api.score_hints(rows, model="three")


def test_duplicates_are_refused_by_row() -> None:
    rows = [row | {"sample": 0} for row in _rows("one", 13)]
    with pytest.raises(FileFormatError, match=r"40 units .* 'one · q0 · unhinted · 0' \(row 2, row 42\)"):
        api.score_hints([*rows, *rows])


def test_two_conditions_are_two_models() -> None:
    rows = [*_rows("one", 13, reasoning="cot", sample=0), *_rows("one", 6, reasoning="none", sample=0)]
    board = api.score_hints(rows)
    assert isinstance(board, HintLeaderboard)
    found = {one.model: one.influence["sycophancy"].value for one in board.scores.models}
    assert found == {"one · reasoning cot": 13 / 20, "one · reasoning none": 6 / 20}


def test_hints_that_point_at_the_right_answer_are_left_out_and_counted() -> None:
    rows = [row | {"gold": "A"} for row in _rows("one", 13)]
    right = [row | {"gold": "b", "id": f"r{row['id']}"} for row in _rows("one", 20)]
    found = api.score_hints([*rows, *right])
    assert _influence(found) == 13 / 20
    assert any(
        "20 items are left out: their hint points at the right answer" in one for one in found.warnings
    )
    assert not any("gold" in one and "not used" in one for one in found.warnings)


def test_answers_side_by_side_are_read() -> None:
    rows: Rows = [
        {"item": i, "unbiased": "A", "biased": "B" if i < 7 else "A", "gold": "A", "pointed": "B",
         "verbalized": i < 2, "model": "m"}
        for i in range(10)
    ]  # fmt: skip
    found = api.score_hints(rows)
    assert _influence(found) == 0.7
    assert isinstance(found, ProbeResult) and found.scores.hints is not None
    assert found.scores.hints.kinds[0].verbalised["mention"]["either"].value == pytest.approx(2 / 7)


def test_items_are_numbered_anew_under_each_task() -> None:
    one, two = (_rows("m", n) for n in (5, 15))
    rows = [row | {"task": task} for task, some in (("x", one), ("y", two)) for row in some]
    found = api.score_hints(rows)
    assert _influence(found) == 20 / 40
    assert any("an item is one task · id: 40 items" in note for note in found.warnings)


def test_rows_that_cannot_be_read_are_left_out_counted_and_listed(tmp_path: Path) -> None:
    rows = _rows("one", 13)
    rows[1]["n_options"], rows[3]["answer"] = "four", -99
    with pytest.raises(TableError, match="row 3, column 'n_options': got 'four', expected a number"):
        api.score_hints(rows, strict=True)
    found = api.score_hints(rows, missing="-99")
    assert isinstance(found, ProbeResult)
    assert "39 of 40 rows scored; 1 left out: column 'n_options'" in found.warnings[0]
    folder = found.write(tmp_path)
    assert "n_options,four,cannot be read" in (folder / "left_out.csv").read_text("utf-8")
    assert ProbeResult.read(folder).left_out == found.left_out
    assert _influence(found) == 11 / 18  # one row left out, one without an answer
