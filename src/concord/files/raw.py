"""A table as it is on the sheet: every record with its row, merged areas, and no header chosen yet."""

import csv
import os
import re
from collections import Counter
from pathlib import Path

from concord.files.contents import fingerprint, read_bytes
from concord.files.grids import Area, Grid, RawTable
from concord.files.rows import DELIMITERS, delimiter_note, records_of
from concord.files.sheet_xml import Handler, column_number, local
from concord.files.tables import TableOptions, TableSource, check_content, kind_of, read_grid
from concord.files.text import decode
from concord.files.workbooks import choose_sheet, open_workbook, parse_member

_AREA = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7}):\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_LOOKED_AT = 40
"""Records in which the delimiter of a text file is looked for: titles above a table have none."""


class _Merged(Handler):
    """The merged areas of a sheet."""

    def __init__(self) -> None:
        self.areas: list[Area] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Note an area."""
        if local(name) != "mergeCell":
            return
        found = _AREA.fullmatch(attributes.get("ref", ""))
        if found is not None:
            left, right = (column_number(found[i].upper()) - 1 for i in (1, 3))
            self.areas.append(Area(int(found[2]), left, int(found[4]), right))


def read_raw(source: TableSource | Grid, options: TableOptions) -> RawTable:
    """Read the records of a table."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        kind = kind_of(path, options)
        if kind in ("xlsx", "text"):
            data = read_bytes(path)
            check_content(path.name, kind, data, options.encoding)
            read = _of_workbook if kind == "xlsx" else _of_text
            return read(path.name, data, options)
    grid = (
        source
        if isinstance(source, Grid)
        else read_grid(
            source, sheet=options.sheet, encoding=options.encoding, decimal_comma=options.decimal_comma
        )
    )
    return of_grid(grid)


def of_grid(grid: Grid) -> RawTable:
    """Return a grid as records, its header the first of them."""
    columns = [grid.cells(j) for j in range(len(grid.header))]
    body = [(row, [column[i] for column in columns]) for i, row in enumerate(grid.rows)]
    return RawTable(grid.name, grid.sheet, ((1, grid.header), *body), (), grid.inputs, grid.warnings)


def other_sheets(source: object, options: TableOptions) -> tuple[str, ...]:
    """Return the sheets of a workbook that are shown, after the first; none where one was chosen."""
    if not isinstance(source, str | os.PathLike) or options.sheet is not None:
        return ()
    path = Path(source)
    if kind_of(path, options) != "xlsx":
        return ()
    book = open_workbook(read_bytes(path), path.name)
    return tuple(title for title in book.sheets if title not in book.hidden)[1:]


def _of_workbook(name: str, data: bytes, options: TableOptions) -> RawTable:
    book = open_workbook(data, name)
    sheet, notes = choose_sheet(book, options.sheet)
    merged = _Merged()
    xml = book.members[book.sheets[sheet]]
    if b"mergeCell" in xml:
        parse_member(merged, name, xml)
    records, _ = book.records(sheet)
    return RawTable(name, sheet, tuple(records), tuple(merged.areas), (fingerprint(name, data),), notes)


def _of_text(name: str, data: bytes, options: TableOptions) -> RawTable:
    text = decode(name, data, options.encoding)
    head = "\n".join(text.splitlines()[:_LOOKED_AT])
    delimiter = max(DELIMITERS, key=lambda one: _split_lines(head, one))
    records = tuple(records_of(name, text, delimiter))
    return RawTable(name, None, records, (), (fingerprint(name, data),), delimiter_note(name, delimiter))


def _split_lines(head: str, delimiter: str) -> tuple[int, int]:
    """Return how many records agree on a number of cells, and on which; commas inside cells agree less."""
    records = csv.reader(head.splitlines(keepends=True), delimiter=delimiter, skipinitialspace=True)
    try:
        counts = Counter(n for record in records if (n := len(record) - 1) > 0)
    except csv.Error:  # a cell beyond the limit, or a quote that never ends
        return (0, 0)
    return max(((lines, n) for n, lines in counts.items()), default=(0, 0))
