"""A table as it is on the sheet: records with rows, merged areas; and the one table in it that is meant.

Titles above a table, heads of several lines, notes, totals and further tables below it are found by their
shape, for every command alike; what is not read is told.
"""

import csv
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from concord.errors import FileFormatError
from concord.files import cells as read
from concord.files.contents import fingerprint
from concord.files.grids import (
    Area,
    Grid,
    Numbered,
    RawTable,
    filled,
    from_records,
    is_blank,
    plain_title,
    plain_titles,
    rows_in_words,
)
from concord.files.rows import DELIMITERS, delimiter_note, records_of
from concord.files.sheet_xml import Handler, column_number, local
from concord.files.text import decode, vocabulary
from concord.files.workbooks import choose_sheet, open_workbook, parse_member
from concord.words import say

_AREA = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7}):\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_LOOKED_AT = 40
"""Records in which the delimiter of a text file is looked for: titles above a table have none."""
MOST_MERGED = 2000
"""Merged areas that are looked at; people do not make more by hand."""
TOTALS = frozenset(vocabulary()["sheets"]["totals"].split())
"""Words that begin a row which sums up others."""
NOTE = re.compile(vocabulary()["sheets"]["note"], re.IGNORECASE)
_GROUPS = frozenset(vocabulary()["sheets"]["groups"].split())
"""Heads over several columns that say nothing of each."""
_DEEPEST = 3
"""Lines of a head."""
_MOSTLY = 0.8
"""Share of the cells of a column that must be numbers, for a text to be out of place in it."""
_SEEN = 200
"""Rows of a column that are looked at for that."""


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


def of_grid(grid: Grid) -> RawTable:
    """Return a grid as records, its header the first of them."""
    columns = [grid.cells(j) for j in range(len(grid.header))]
    body = [(row, [column[i] for column in columns]) for i, row in enumerate(grid.rows)]
    return RawTable(grid.name, grid.sheet, ((1, grid.header), *body), (), grid.inputs, grid.warnings)


def raw_workbook(name: str, data: bytes, sheet: str | None) -> RawTable:
    """Return the records of a sheet of a workbook."""
    book = open_workbook(data, name)
    sheet, notes = choose_sheet(book, sheet)
    merged = _Merged()
    xml = book.members[book.sheets[sheet]]
    if b"mergeCell" in xml:
        parse_member(merged, name, xml)
    records, _ = book.records(sheet)
    return RawTable(name, sheet, tuple(records), tuple(merged.areas), (fingerprint(name, data),), notes)


def raw_text(name: str, data: bytes, encoding: str | None) -> RawTable:
    """Return the records of a text file."""
    text = decode(name, data, encoding)
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


def spread_merged(raw: RawTable) -> list[Numbered]:
    """Return the records, blank ones left out, with the value of a merged area in all of its cells."""
    cells = {row: list(record) for row, record in raw.records}
    width = max(map(len, cells.values()), default=0)
    room = width * len(cells)
    for area in raw.merged[:MOST_MERGED]:
        top = cells.get(area.top, [])
        value = top[area.left] if area.left < len(top) else None
        if is_blank(value):
            continue
        right = min(area.right, width - 1)
        # an area may reach to the end of the sheet: only rows that hold something are filled
        there = range(area.top, area.bottom + 1)
        rows = [row for row in (there if len(there) < len(cells) else cells) if row in cells and row in there]
        room -= len(rows) * max(0, right + 1 - area.left)
        if room < 0:  # each would be filled again
            raise FileFormatError(f"{raw.name}: merged areas lie over each other; save the workbook again")
        for row in rows:
            record = cells[row]
            record.extend([None] * (right + 1 - len(record)))
            record[area.left : right + 1] = [value] * (right + 1 - area.left)
    return [(row, record) for row, record in sorted(cells.items()) if filled(record)]


def meant_table(grid: Grid, raw: Callable[[], RawTable] | None) -> Grid:
    """Return the table of a sheet that is meant; ``raw`` reads its records, where it is a sheet."""
    if raw is not None and (grid.problems or "" in grid.header or len(grid.header) == 1):
        grid = _under_its_head(raw(), grid)
    return _without_rest(grid)


def _under_its_head(raw: RawTable, grid: Grid) -> Grid:
    """Lay a table under its head: titles above it are left out, and heads of several lines are joined."""
    records = spread_merged(raw)
    several = [i for i, (_, cells) in enumerate(records[:_LOOKED_AT]) if len(set(_filled_texts(cells))) > 1]
    start = several[0] if several else 0
    end = start + 1
    while end < min(len(records) - 1, start + _DEEPEST) and _is_further_head(
        records[end - 1][1], records[end][1]
    ):
        end += 1
    if (start, end) == (0, 1):
        return grid
    head = _joined_head([list(cells) for _, cells in records[start:end]])
    made = from_records(raw.name, raw.sheet, [(records[end - 1][0], head), *records[end:]], typed=grid.typed)
    told = [note for note in (*raw.warnings, *grid.warnings) if "fewer than" not in note]
    above, lines = ([row for row, _ in some] for some in (records[:start], records[start:end]))
    for key, rows in (("above", above), ("head", lines[: len(lines) * (len(lines) > 1)])):
        told += [say(f"shared.sheet.{key}", place=raw.place, rows=rows_in_words(rows))] if rows else []
    notes = (*dict.fromkeys(told), *made.warnings)
    return replace(made, inputs=grid.inputs, decimal_comma=grid.decimal_comma, warnings=notes)


def _filled_texts(cells: Sequence[object]) -> list[str]:
    return [str(cell).strip() for cell in cells if not is_blank(cell)]


def _is_further_head(above: Sequence[object], cells: Sequence[object]) -> bool:
    """Whether a line goes on with a head: words under a group, and none of its own under the first title."""
    used = filled(cells)
    if not used or not all(_is_text_alone(cells[j]) for j in used):
        return False
    held = [None if j >= len(above) else above[j] for j in range(max(len(above), len(cells)))]
    own = [j for j in used if cells[j] != held[j]]
    grouped = [j for j in own if j > 0 and (is_blank(held[j]) or held[j] == held[j - 1])]
    first = next((j for j, cell in enumerate(held) if not is_blank(cell)), 0)
    return bool(grouped) and first not in own


def _joined_head(lines: Sequence[list[object]]) -> list[object]:
    """Return one title per column: the words above each other, a group's over all of its columns."""
    width = max(map(len, lines))
    for line, below in zip(lines, lines[1:], strict=False):
        line += [None] * (width - len(line))
        for j in range(1, width):
            if is_blank(line[j]) and j < len(below) and not is_blank(below[j]):
                line[j] = line[j - 1]
    titles: list[object] = []
    for j in range(width):
        parts = list(
            dict.fromkeys(str(line[j]).strip() for line in lines if j < len(line) and not is_blank(line[j]))
        )
        while len(parts) > 1 and plain_titles(parts[:1])[0] in _GROUPS:
            parts.pop(0)
        titles.append(" / ".join(parts))
    return titles


def _any_number(cell: object) -> float | None:
    try:
        return read.number(read.with_point(cell))
    except read.BadCellError:
        return None


def _is_text_alone(cell: object) -> bool:
    return isinstance(cell, str) and _any_number(cell) is None


def _without_rest(grid: Grid) -> Grid:
    """Leave out what is below a table: another one, notes and totals."""
    rows = list(grid.rows)
    columns = [grid.cells(j) for j in range(len(grid.header))]
    end, told = len(rows), {}
    for i in (i for i in range(1, len(rows)) if rows[i] > rows[i - 1] + 1):
        if _is_other_head(columns, i) or (i + 1 < len(rows) and _is_other_head(columns, i + 1, of=i)):
            told["below"], end = rows[i:], i
            break
    while end > 1 and (what := _sums_or_notes(columns, rows, end - 1)):
        end -= 1
        told[what] = [rows[end], *told.get(what, [])]
    if end == len(rows):
        return grid
    notes = [
        say(f"shared.sheet.{key}", place=grid.place, rows=rows_in_words(some)) for key, some in told.items()
    ]
    return replace(
        grid,
        rows=tuple(rows[:end]),
        columns=tuple(column[:end] for column in columns),
        warnings=(*grid.warnings, *notes),
    )


def _is_other_head(columns: Sequence[list[object]], i: int, of: int | None = None) -> bool:
    """Whether a row is another table's head, below its title in row ``of``: new words, some among numbers.

    One word among the numbers of a row that is full otherwise is a cell that cannot be read.
    """
    cells = [column[i] for column in columns]
    used, above = filled(cells), i if of is None else of
    if of is not None and (len(filled([column[of] for column in columns])) != 1 or len(used) < 2):
        return False
    if not all(_is_text_alone(cells[j]) and cells[j] not in columns[j][:above] for j in used):
        return False
    odd = [j for j in used if _of_numbers(columns[j][:above]) and not read.is_missing(cells[j])]
    return len(odd) > 1 or (bool(odd) and (of is not None or len(used) < len(columns)))


def _of_numbers(column: Sequence[object]) -> bool:
    """Whether a column holds numbers, but for few cells."""
    held = [cell for cell in column[:_SEEN] if not is_blank(cell)]
    return bool(held) and sum(_any_number(cell) is not None for cell in held) >= _MOSTLY * len(held)


def _sums_or_notes(columns: Sequence[list[object]], rows: Sequence[int], i: int) -> str:
    """Say whether a last row is a note or sums up those above it; empty where it is one of the table."""
    cells = [column[i] for column in columns]
    used = filled(cells)
    first = cells[used[0]] if used else None
    if not isinstance(first, str):
        return ""
    apart = rows[i] > rows[i - 1] + 1
    if len(used) <= 2 and used[0] == 0 and len(columns) > 2 and NOTE.match(first):
        return "notes"
    if len(used) == 1 and used[0] == 0 and apart and len(columns) > 2 and len(first.split()) > 3:
        return "notes"
    words = plain_title(first).split("_")
    if words[0] not in TOTALS or len(words) > 3:
        return ""
    lacks = any(j not in used and not any(map(is_blank, column[:i])) for j, column in enumerate(columns))
    return "totals" if lacks or _sums_up(columns, cells, i) else ""


def _sums_up(columns: Sequence[list[object]], cells: Sequence[object], i: int) -> bool:
    """Whether every number of a row is the sum or the mean of those above it."""
    found = []
    for column, value in zip(columns, map(_any_number, cells), strict=True):
        above = [one for one in map(_any_number, column[:i]) if one is not None]
        if value is not None:
            sums = (math.fsum(above), math.fsum(above) / max(1, len(above)))
            found.append(any(math.isclose(value, one, rel_tol=0.01) for one in sums))
    return bool(found) and all(found)
