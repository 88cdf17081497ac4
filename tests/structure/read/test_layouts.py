"""Every layout of the same scores gives the same numbers, to 1e-9, under every reading."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter

import concord
from concord.structure.records import DEFINITIONS

DATA = Path(__file__).parents[2] / "data" / "structure"
EXPECTED: dict[str, dict[str, dict[str, Any]]] = json.loads((DATA / "expected.json").read_text("utf-8"))
SCORES = pl.read_csv(DATA / "scores.csv")
MODELS = sorted(EXPECTED)
SIDES = {"mean": "S_mean", "max": "S_max"}


def _each(folder: Path) -> Any:
    """Every model, side and arrangement with its items and scores."""
    for side, column in SIDES.items():
        (folder / side).mkdir()
        for (model,), rows in SCORES.group_by("model", maintain_order=True):
            groups = rows.group_by("arrangement", maintain_order=True)
            yield (
                side,
                str(model),
                {str(a): (r["idiom"].to_list(), r[column].to_list()) for (a,), r in groups},
            )


def _write_book(path: Path, grids: dict[str, list[list[object]]]) -> None:
    book = xlsxwriter.Workbook(path)
    for name, rows in grids.items():
        page = book.add_worksheet(name)
        for i, row in enumerate(rows):
            page.write_row(i, 0, row)
    book.close()


def workbooks(folder: Path) -> dict[str, Any]:
    for side, model, sheets in _each(folder):
        grids: dict[str, list[list[object]]] = {
            name: [["Idiom", "Reference", f"{name}_F1", f"{name}_S_Acc"],
                   *([item, "made-up", 0.3, y] for item, y in zip(*cells, strict=True))]
            for name, cells in sheets.items()
        }  # fmt: skip
        grids["summary"] = [["Arrangement", "Avg_S_Acc"], ["ABDC", 0.9]]
        _write_book(folder / side / f"{model}.xlsx", grids)
        (folder / side / f"~${model}.xlsx").write_bytes(b"\x05lock")
    return {"mean": folder / "mean", "max": folder / "max"}


def csv_per_sheet(folder: Path) -> dict[str, Any]:
    for side, model, sheets in _each(folder):
        for name, (items, values) in sheets.items():
            lines = [f"Idiom,{name}_S_Acc", *(f"{i},{y!r}" for i, y in zip(items, values, strict=True))]
            bom = "\ufeff" if side == "mean" else ""
            (folder / side / f"{model}_{name}.csv").write_text(bom + "\r\n".join(lines), "utf-8")
        (folder / side / f"{model}_汇总.csv").write_text("a,b\n1,2\n", "utf-8")
    return {"mean": folder / "mean", "max": folder / "max"}


def one_row(folder: Path) -> dict[str, Any]:
    for side, model, sheets in _each(folder):
        grids = {
            name: [[f"{i}_S_Acc" for i in items], list(values)] for name, (items, values) in sheets.items()
        }
        _write_book(folder / side / f"{model}.xlsx", grids)
    return {"mean": folder / "mean", "max": folder / "max"}


def key_value_rows(folder: Path) -> dict[str, Any]:
    for side, model, sheets in _each(folder):
        grids = {
            name: [["metric", "value"], *([f"{i}_S_Acc", y] for i, y in zip(items, values, strict=True))]
            for name, (items, values) in sheets.items()
        }
        _write_book(folder / side / f"{model}.xlsx", grids)
    return {"mean": folder / "mean", "max": folder / "max"}


def long_csv(folder: Path) -> dict[str, Any]:
    SCORES.write_csv(folder / "long.csv")
    return {"scores": folder / "long.csv"}


def long_semicolons(folder: Path) -> dict[str, Any]:
    SCORES.rename({"idiom": "Item"}).write_csv(folder / "long.csv", separator=";")
    return {"scores": folder / "long.csv"}


def long_parquet(folder: Path) -> dict[str, Any]:
    SCORES.sample(fraction=1.0, shuffle=True, seed=3).write_parquet(folder / "long.parquet")
    return {"scores": folder / "long.parquet"}


def polars_frame(folder: Path) -> dict[str, Any]:
    return {"scores": SCORES}


def pandas_frame(folder: Path) -> dict[str, Any]:
    return {"scores": SCORES.to_pandas()}


def _raw() -> pl.DataFrame:
    """Eight samples whose mean and maximum are those of the cell."""
    top = SCORES.with_columns(sample=pl.lit(1), S_Acc=pl.col("S_max"))
    rest = (8 * pl.col("S_mean") - pl.col("S_max")) / 7
    return pl.concat([top, *(SCORES.with_columns(sample=pl.lit(s), S_Acc=rest) for s in range(2, 9))]).drop(
        "S_mean", "S_max"
    )


def raw_parquet(folder: Path) -> dict[str, Any]:
    _raw().write_parquet(folder / "raw.parquet")
    return {"scores": folder / "raw.parquet"}


def raw_csv(folder: Path) -> dict[str, Any]:
    _raw().rename({"S_Acc": "score"}).write_csv(folder / "raw.tsv", separator="\t")
    return {"scores": folder / "raw.tsv"}


LAYOUTS: list[Callable[[Path], dict[str, Any]]] = [
    workbooks, csv_per_sheet, one_row, key_value_rows, long_csv, long_semicolons, long_parquet, polars_frame,
    pandas_frame, raw_parquet, raw_csv,
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda f: f.__name__)
def test_every_layout_gives_the_expected_numbers_under_every_reading(
    layout: Callable[[Path], dict[str, Any]], tmp_path: Path
) -> None:
    sources, seen = layout(tmp_path), set()
    # once read, the scores are the same: the reading that others do not show is tried on one layout
    for reading in DEFINITIONS if layout is polars_frame else ("peak",):
        result = concord.score_structure(**sources, reading=reading, resamples=200)
        assert [model.model for model in result.models] == MODELS
        for model in result.models:
            assert model.consistency.definition == reading
            for found in (model.consistency, *model.others):
                seen.add(found.definition)
                expected = EXPECTED[model.model][found.definition]
                assert found.e_perf.value == pytest.approx(expected["E_perf"], abs=1e-9)
                assert found.r_sens.value == pytest.approx(expected["R_sens"], abs=1e-9)
                assert found.s_cons.value == pytest.approx(expected["S_Cons"], abs=1e-9)
                at = expected.get("R_at", expected.get("R_item"))
                assert found.r_at is not None
                assert found.r_at.removesuffix("_S_Acc") == at
    assert seen == {*DEFINITIONS} - ({"unpaired"} if layout is not polars_frame else set())


def test_a_model_name_may_be_the_beginning_of_another(tmp_path: Path) -> None:
    for side, y in (("mean", 0.5), ("max", 0.7)):
        (tmp_path / side).mkdir()
        for model, shift in (("gpt-4", 0.0), ("gpt-4_turbo", 0.1), ("gpt-4_turbo_x", 0.2)):
            for order in ("AB", "BA"):
                (tmp_path / side / f"{model}_{order}.csv").write_text(f"id,S_Acc\n1,{y + shift}\n", "utf-8")
    result = concord.score_structure(tmp_path / "mean", tmp_path / "max")
    assert [m.model for m in result.models] == ["gpt-4", "gpt-4_turbo", "gpt-4_turbo_x"]
    assert [m.order.highest for m in result.models] == pytest.approx([0.5, 0.6, 0.7])


@pytest.mark.parametrize("name", ["模型一", "モデル", "모델", "نموذج", "modèle"])
def test_names_in_any_script(name: str, tmp_path: Path) -> None:
    rows = {
        "model": [name] * 4,
        "arrangement": ["甲乙", "甲乙", "乙甲", "乙甲"],
        "item": ["成語", "慣用句"] * 2,
    }
    frame = pl.DataFrame({**rows, "S_mean": [0.1, 0.2, 0.3, 0.4], "S_max": [0.2, 0.3, 0.4, 0.5]})
    result = concord.score_structure(scores=frame)
    result.write(tmp_path)
    assert result.models[0].model == name
    assert name in (tmp_path / "consistency" / "s_cons_results.csv").read_text("utf-8")


def test_items_match_whatever_their_unicode_form_and_spaces(tmp_path: Path) -> None:
    for side, item, y in (("mean", "caf\u00e9", 0.5), ("max", " cafe\u0301 ", 0.7)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "m_AB.csv").write_text(f"item,S_Acc\n{item},{y}\nother,0.1\n", "utf-8")
    result = concord.score_structure(tmp_path / "mean", tmp_path / "max", reading="paired")
    assert result.models[0].n_items == 2
    assert result.models[0].consistency.e_perf.value == pytest.approx(0.1)
