"""The delimiter of a table made by hand."""

from pathlib import Path

import pytest

from concord import score_options
from concord.files.grids import plain_titles
from concord.files.tables import TableOptions, grid_of, read_raw

HAND_MADE = {
    "decimal commas": "Study;People;Model\nA;t(58) = 2,91, p = ,005;t(98) = 6,1, p < ,001\nB;r = ,3;r = ,1\n",
    "a title above": "All studies, 2024\n\nStudy;Original;With a model\nA;1,5;2,5\n",
    "commas, and one semicolon": "Study,Original,Note\nA,1.5,see text; and page 3\nB,2.5,\n",
}


@pytest.mark.parametrize("name", list(HAND_MADE))
def test_the_delimiter_is_the_one_on_which_lines_agree(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(HAND_MADE[name], "utf-8")
    rows = [cells for _, cells in read_raw(path, TableOptions(None, None)).records if any(cells)]
    assert {len(cells) for cells in rows[-2:]} == {3}
    assert rows[-2 if name == "a title above" else 0][0] == "Study"


BODY = "".join(f"q{i},abcd,{i / 10}\n" for i in range(1, 8))
SHEETS = {
    "a title": "Table 3. Accuracy\n\nitem,order,score\n" + BODY,
    "a note": "item,order,score\n" + BODY + "\nNote. One sample per cell.,,\n",
    "a total that lacks cells": "item,order,score\n" + BODY + "Mean,,0.4\n",
    "another table": "item,order,score\n" + BODY + "\nModel,,Mean\nm1,,0.4\n",
    "another table with a title": "item,order,score\n" + BODY + "\nTable 4,,\nModel,N,Mean\nm1,7,0.4\n",
    "units": "Item (ID),order,score (0-1)\n" + BODY,
    "other languages": "Aufgabe,ordre,점수\n" + BODY,
    "a head of two lines": "item,Result,\n,order,score\n" + BODY,
}


@pytest.mark.parametrize("name", list(SHEETS))
def test_the_table_of_a_sheet_is_found_and_what_is_not_read_is_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(SHEETS[name], "utf-8")
    grid = grid_of(path, TableOptions())
    assert grid.cells(0) == [f"q{i}" for i in range(1, 8)]
    assert grid.cells(2) == [str(i / 10) for i in range(1, 8)]
    assert plain_titles(grid.header) == ["item", "order", "score"]
    assert not grid.problems
    assert bool(grid.warnings) == (name not in ("units", "other languages"))


@pytest.mark.parametrize(
    "text",
    [
        "item,order,score\n" + BODY + "mean,abcd,0.9\n",
        "item,order,score\n" + BODY + "\nq8,bcda,\n",
        "item,order,score\n" + BODY + "\nq8,bcda,error\nq9,bcda,0.5\n",
        "item,order,score\n" + BODY + "\nq8,abcd,error\nq9,bcda,0.5\n",
        "item,order,score\n" + BODY + "\nnote,bcda,0.3\n",
        "word,order,answer\nsum,a,yes\n\ntotal,b,no\n",
        ",item,answer\n0,q1,A\n1,q2,B\n",
    ],
)
def test_rows_that_belong_to_a_table_stay(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    wanted = sum(bool(line) for line in text.splitlines()) - 1
    assert len(grid_of(path, TableOptions()).rows) == wanted


def test_a_cell_is_named_by_the_title_in_the_file(tmp_path: Path) -> None:
    rows = "".join(f"q{i};abcd;A;A;4\n" for i in range(9))
    text = f"Aufgabe;Reihenfolge;gewählt;Lösung;Anzahl Optionen\n{rows}q9;abcd;A;Zebra;4\n"
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found = score_options(path)
    assert [(one.column, one.value) for one in found.left_out] == [("Lösung", "Zebra")]
