"""A table of tests from any source: as the file format asks, or as people make tables by hand."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from concord.errors import FileFormatError
from concord.files.cells import is_missing
from concord.files.grids import Grid, RawTable
from concord.files.raw import of_grid, other_sheets, read_raw
from concord.files.tables import TableOptions, read_grid
from concord.people.table.columns import KNOWN, REQUIRED, SIDE_FIELDS, SIDES, fold, near_misses
from concord.people.table.handmade.read import handmade_grid
from concord.people.table.handmade.words import meaning_of

_OWN_FORMS = ("human_estimate",)
"""Columns of other tables about people, which are never made by hand into tests."""
MOST_TITLES = 60
"""Rows of a table that may be turned round."""
HANDMADE_CELLS = 150_000
"""Cells above which nobody made a table by hand: it is not read again for titles above it."""
HANDMADE_COLUMNS = 1_000
"""Columns above which nobody made a table by hand."""
MOST_SHEETS = 20
"""Further sheets that are looked at where the first holds no table."""


def open_table(source: Any, options: TableOptions, *, mapping: Mapping[str, str] | None = None) -> Grid:
    """Return the cells of a table of tests.

    A table with the columns of the file format is taken as it is. Any other is looked at as one that was
    made by hand: a header below titles, means, counts and printed statistics. Where that finds no result of
    people the table is returned as it is, for the reader of the format to say what is missing.
    """
    if isinstance(source, Grid):
        grid = source
    else:
        grid = read_grid(
            source, sheet=options.sheet, encoding=options.encoding, decimal_comma=options.decimal_comma
        )
    if not mapping and (_is_of_the_format(grid) or _is_made_by_machine(grid)):
        return grid
    found = handmade_grid(_raw(source, grid, options), mapping)
    if found is None:
        found = _on_another_sheet(source, grid, options, mapping)
    if found is None and mapping:
        raise FileFormatError(
            f"{grid.place}: no line holds the titles that --map names and a result of people below them; "
            f"see the titles with: concord check {grid.name} --suggest-map my.map"
        )
    if found is None and _lies_on_its_side(grid):
        raise FileFormatError(
            f"{grid.place}: the titles ({grid.columns[0][0]!r}, {grid.columns[0][1]!r}, …) are in the first "
            "column and the tests side by side; turn the table round (in a spreadsheet: paste, transpose)"
        )
    return grid if found is None else found


def _is_made_by_machine(grid: Grid) -> bool:
    """Whether a table is too large to be looked at title by title."""
    return len(grid.header) > HANDMADE_COLUMNS or len(grid.rows) * len(grid.header) > HANDMADE_CELLS


def _lies_on_its_side(grid: Grid) -> bool:
    """Whether the cells of the first column are titles of sides, as in a table turned round."""
    if len(grid.columns) < 2 or not 2 <= len(grid.rows) <= MOST_TITLES:
        return False
    found = [meaning_of([cell]) for cell in grid.columns[0] if isinstance(cell, str)]
    return len({meaning.side for meaning in found if meaning is not None} - {None}) > 1


def _on_another_sheet(
    source: Any, first: Grid, options: TableOptions, mapping: Mapping[str, str] | None
) -> Grid | None:
    """Return the only other sheet that holds a table of tests, and say so; none where several do."""
    found = []
    for sheet in other_sheets(source, options)[:MOST_SHEETS]:
        chosen = replace(options, sheet=sheet)
        grid = read_grid(source, sheet=sheet, encoding=options.encoding, decimal_comma=options.decimal_comma)
        if mapping or not _is_of_the_format(grid):
            made = handmade_grid(read_raw(source, chosen), mapping)
        else:
            made = grid
        if made is not None:
            found.append(made)
    if len(found) != 1:
        return None
    (one,) = found
    note = f"{one.place}: this sheet was read; the first, {first.sheet!r}, holds no table of tests"
    return replace(one, warnings=(note, *one.warnings))


def _raw(source: Any, grid: Grid, options: TableOptions) -> RawTable:
    return of_grid(grid) if isinstance(source, Grid) else read_raw(source, options)


def _is_of_the_format(grid: Grid) -> bool:
    """Whether the columns are those of the file format, or slips of the hand away from them."""
    names = [fold(title) for title in grid.header]
    if any(name in names for name in _OWN_FORMS):
        return True
    is_begun = sum(name in KNOWN for name in names) > 1
    if is_begun and any(_is_a_slip(title, names) for title in grid.header):
        return True
    return all(name in names for name in REQUIRED) and not _hides_a_side(grid, names)


def _hides_a_side(grid: Grid, names: list[str]) -> bool:
    """Whether a side has no column of the format and its results are under a title of somebody's own."""
    filled = {
        name for name, cells in zip(names, grid.columns, strict=True) if not all(map(is_missing, cells))
    }
    if "pas" in filled:
        return False
    empty = [side for side in SIDES if not any(f"{side}_{field}" in filled for field in SIDE_FIELDS)]
    others = [title for title, name in zip(grid.header, names, strict=True) if title and name not in KNOWN]
    found = [meaning_of([title]) for title in others]
    return any(meaning is not None and meaning.is_number and meaning.side in empty for meaning in found)


def _is_a_slip(title: str, names: list[str]) -> bool:
    """Whether a title is a misspelt column: reading on as if made by hand would drop what it holds."""
    meant = near_misses(fold(title))
    is_misspelt = bool(meant) and not set(meant) & set(names)
    return is_misspelt and (not title or meaning_of([title]) is None)
