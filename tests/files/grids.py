"""Workbooks that tests write, and grids as rows."""

from pathlib import Path

import xlsxwriter

from concord.files.grids import Grid


def rows_of(grid: Grid) -> list[tuple[object, ...]]:
    return list(zip(*grid.columns, strict=True))


def workbook(tmp_path: Path, sheets: dict[str, list[list[object]]], name: str = "t.xlsx") -> Path:
    path = tmp_path / name
    with xlsxwriter.Workbook(str(path)) as book:
        for title, rows in sheets.items():
            sheet = book.add_worksheet(title)
            for i, row in enumerate(rows):
                sheet.write_row(i, 0, row)
    return path
