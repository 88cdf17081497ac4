"""Golden messages for bad text files and long tables: file, sheet, row, column, value, and what to do."""

import json
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
import pytest

import concord
from concord.errors import InputError

Build: TypeAlias = Any


def test_a_file_that_is_not_utf8_names_the_option(build: Build) -> None:
    for side in ("mean", "max"):
        build.text(side, "m_ABDC.csv", "成语,S_Acc\n画蛇添足,0.5\n", encoding="gb18030")
    message = build.refused()
    assert (
        "baseline_mean/m_ABDC.csv: line 1 holds the byte 0xb3, which is not UTF-8; name the encoding with"
        in message
    )
    result = build.run(encoding="gb18030")
    assert result.models[0].items[0].name == "画蛇添足"


def test_utf16_says_its_encoding_by_its_mark(build: Build) -> None:
    for side in ("mean", "max"):
        build.text(side, "m_ABDC.csv", "item,S_Acc\na,0.5\n", encoding="utf-16")
    assert build.names(build.run()) == ["m"]
    assert build.names(build.run(encoding="utf-16")) == ["m"]


def test_an_unknown_encoding(build: Build) -> None:
    for side in ("mean", "max"):
        build.text(side, "m_ABDC.csv", "item,S_Acc\na,0.5\n")
    assert "--encoding 'klingon' is not an encoding Python knows" in build.refused(encoding="klingon")


@pytest.mark.parametrize(("separator", "name"), [(";", "semicolon"), ("\t", "tab")])
def test_other_separators_are_recognised_and_said(build: Build, separator: str, name: str) -> None:
    for side, y in (("mean", 0.5), ("max", 0.6)):
        build.text(side, "m_ABDC.csv", f"item{separator}S_Acc\na{separator}{y}\n")
    build.says(build.run(), f"baseline_mean/m_ABDC.csv: read with {name} as the delimiter")


def test_decimal_commas_are_read_when_asked_for(build: Build) -> None:
    for side, y in (("mean", "0,5"), ("max", "0,75")):
        build.text(side, "m_ABDC.csv", f"item;S_Acc\na;{y}\n")
    assert (
        "row 2, column 'S_Acc': got '0,5', expected a number from 0 to 1; use --decimal-comma"
        in build.refused()
    )
    assert "use --decimal-comma" in build.refused()
    assert build.run(decimal_comma=True).models[0].consistency.e_perf.value == pytest.approx(0.25)


def test_a_row_with_too_many_cells(build: Build) -> None:
    for side in ("mean", "max"):
        build.text(side, "m_ABDC.csv", "item,S_Acc\na,0,5\n")
    message = build.refused()
    assert "baseline_mean/m_ABDC.csv, row 2, column 'after S_Acc': got '5', expected no cell here" in message
    assert "decimal commas: separate columns by semicolons and use --decimal-comma" in message


def test_an_unclosed_quote(build: Build) -> None:
    for side in ("mean", "max"):
        build.text(side, "m_ABDC.csv", 'item,S_Acc\n"a,0.5\n')
    assert (
        "baseline_mean/m_ABDC.csv: row 2 cannot be split into cells (unexpected end of data); check its"
        in build.refused()
    )


def table(**columns: list[object]) -> pl.DataFrame:
    base: dict[str, list[Any]] = {
        "model": ["m"] * 4, "arrangement": ["AB", "AB", "BA", "BA"], "item": ["x", "y"] * 2,
        "S_mean": [0.1, 0.2, 0.3, 0.4], "S_max": [0.2, 0.3, 0.4, 0.5],
    }  # fmt: skip
    return pl.DataFrame({name: cells for name, cells in (base | columns).items() if cells}, strict=False)


def long_message(frame: pl.DataFrame, **options: Any) -> str:
    with pytest.raises(InputError, match=".") as caught:
        concord.score_structure(scores=frame, **options)
    return str(caught.value)


def test_a_long_table_without_a_needed_column() -> None:
    message = long_message(table(arrangement=[]))
    assert (
        "scores (frame): no column 'arrangement'; columns found: 'model', 'item', 'S_mean', 'S_max'"
        in message
    )
    assert (
        "expected model, arrangement, item, S_mean, S_max; or model, arrangement, item, sample, S_Acc"
        in message
    )


def test_a_long_table_without_scores() -> None:
    assert "no score column; columns found: 'model', 'arrangement', 'item'" in long_message(
        table(S_mean=[], S_max=[])
    )
    assert "'S_mean' without its counterpart" in long_message(table(S_max=[]))


def test_a_long_table_with_both_kinds_of_score() -> None:
    message = long_message(table(S_Acc=[0.1] * 4))
    assert (
        "several kinds of score: 'S_mean', 'S_max', 'S_Acc'; keep S_mean and S_max or the raw score"
        in message
    )


def test_bad_cells_of_a_long_table_refuse_their_model_only(build: Build, tmp_path: Path) -> None:
    lines = ["model,arrangement,item,S_mean,S_max", "a,AB,x,0.1,0.2", "b,AB,x,oops,0.2", "b,BA,x,0.5,1.5"]
    (tmp_path / "long.csv").write_text("\n".join(lines), "utf-8")
    result = concord.score_structure(scores=tmp_path / "long.csv")
    assert build.names(result) == ["a"]
    build.says(result, "long.csv, row 3, column 'S_mean': got 'oops', expected a number from 0 to 1")
    build.says(result, "long.csv, row 4, column 'S_max': got 1.5, expected a number from 0 to 1")


def test_a_row_without_a_model_item_or_arrangement(tmp_path: Path) -> None:
    assert "row 3, column 'model': got None, expected the name of a model" in long_message(
        table(model=["m", None, "m", "m"])
    )
    assert "row 4, column 'item': got None, expected a name or a number" in long_message(
        table(item=["x", "y", " ", "y"])
    )


def test_a_cell_that_is_in_a_long_table_twice_refuses_the_model() -> None:
    message = long_message(table(item=["x", "x", "x", "y"]), reading="paired")
    assert "scores (frame), rows 2 and 3: model 'm', arrangement 'AB', item 'x' is there twice" in message
    assert "number repeated answers in a column 'sample'" in message
    assert "'AB', item 'x' is there twice" in long_message(
        table(arrangement=["AB", "ab", "BA", "BA"], item=["x", "x", "x", "y"])
    )


def test_percent_on_a_long_table_of_shares_is_warned(build: Build) -> None:
    result = concord.score_structure(scores=table(), percent=True)
    build.says(result, "m: --percent, but the largest score is 0.5; are the scores 0 to 1 already?")


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(
        "model,arrangement,item,S_mean,S_max,S_mean\nm,a,x,0.1,0.2,0.9\n", "utf-8"
    )
    with pytest.raises(InputError, match="two columns are called 's_mean'"):
        concord.score_structure(scores=tmp_path / "x.csv")


def test_a_long_table_is_read_from_every_format(build: Build, tmp_path: Path) -> None:
    frame = table()
    rows = [frame.columns, *map(list, frame.rows())]
    book = build.book("mean", "long.xlsx", {"notes": [["x"], ["y"]], "scores": rows})
    frame.write_csv(tmp_path / "long.csv")
    frame.write_parquet(tmp_path / "long.parquet")
    (tmp_path / "long.json").write_text(json.dumps(frame.to_dicts()), "utf-8")
    (tmp_path / "comma.csv").write_text(frame.write_csv(separator=";").replace("0.", "0,"), "utf-16")
    found = [
        concord.score_structure(scores=source, reading="paired", **options).models[0].consistency
        for source, options in (
            (frame, {}),
            (frame.to_pandas(), {}),
            (frame.to_dicts(), {}),
            (book, {"sheet": "scores"}),
            (tmp_path / "long.csv", {}),
            (tmp_path / "long.parquet", {}),
            (tmp_path / "long.json", {}),
            (tmp_path / "comma.csv", {"encoding": "utf-16", "decimal_comma": True}),
        )
    ]
    assert all(one == found[0] for one in found[1:])


def test_a_workbook_without_the_columns_of_a_long_table_says_so(build: Build) -> None:
    path = build.book("mean", "m.xlsx", build.pair(0.5))
    with pytest.raises(InputError, match="baseline_mean/m.xlsx: no score column; columns found: 'Idiom'"):
        concord.score_structure(scores=path)


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1" + b"junk" * 20)
    with pytest.raises(InputError, match="damaged or not Parquet"):
        concord.score_structure(scores=tmp_path / "x.parquet")


def test_a_missing_or_empty_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        concord.score_structure(scores=tmp_path / "nowhere.csv")
    (tmp_path / "x.csv").write_text("model,arrangement,item,S_mean,S_max\n", "utf-8")
    with pytest.raises(InputError, match="x.csv: found a header but no rows"):
        concord.score_structure(scores=tmp_path / "x.csv")


def test_one_item_in_two_clusters_is_refused() -> None:
    message = long_message(table(cluster=["p", "q", "q", "q"]))
    assert "item 'x' is in two clusters, 'p' and 'q' (1 such items); give every item one cluster" in message


def test_something_that_is_no_table() -> None:
    with pytest.raises(
        InputError, match="scores: got int, expected a path, a polars or pandas frame or a list"
    ):
        concord.score_structure(scores=3)


def test_an_unknown_reading_and_numbers_out_of_range() -> None:
    assert "reading 'best' is not known; choose one of peak, paired" in long_message(table(), reading="best")
    assert "samples is 0; expected a whole number from 1" in long_message(table(), samples=0)
    assert "fixed_m is 1; expected a whole number from 2" in long_message(table(), fixed_m=1)
