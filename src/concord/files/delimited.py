"""CSV and its relatives: comma, semicolon or tab, quoted newlines."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

from concord.errors import FileFormatError
from concord.files.grids import Grid, from_records, is_blank

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
"""The delimiters that are recognised, with their names."""


def read_delimited(name: str, text: str) -> Grid:
    """Read delimited text; a record that spans lines is one row, as a spreadsheet shows it.

    Parameters
    ----------
    name
        What messages call the file.
    text
        Its decoded content.

    Returns
    -------
    Grid
        Cells as text. A delimiter other than the one the extension promises is told in the warnings.

    Raises
    ------
    FileFormatError
        A quote is not closed, or closed in the middle of a cell.
    """
    delimiter = recognise_delimiter(text)
    grid = from_records(name, None, list(_records(name, text, delimiter)))
    if delimiter == "," or (delimiter == "\t" and name.lower().endswith((".tsv", ".tab"))):
        return grid
    note = f"{name}: read with {DELIMITERS[delimiter]} as the delimiter"
    return replace(grid, warnings=(note, *grid.warnings))


def recognise_delimiter(text: str) -> str:
    r"""Choose the delimiter that splits the first filled line into most cells; a comma when none does.

    Examples
    --------
    >>> recognise_delimiter("study;finding;test\n1;2;3"), recognise_delimiter("study\n1;2")
    (';', ',')
    """
    return max(DELIMITERS, key=lambda delimiter: _width(text, delimiter))


def _width(text: str, delimiter: str) -> int:
    """Count the cells of the first filled record; 1 when nothing is split this way."""
    try:
        for record in csv.reader(StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True):
            if not all(map(is_blank, record)):
                return len(record)
    except csv.Error:
        return 1
    return 1


def _records(name: str, text: str, delimiter: str) -> Iterator[list[str]]:
    """Split text into records, blank ones included; a broken quote is an error that names the row."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    row = 0
    try:
        for record in reader:
            row += 1
            yield record
    except csv.Error as error:
        raise FileFormatError(
            f"{name}: row {row + 1} cannot be split into cells ({error}); "
            'check its quotes: a quote inside a quoted cell is doubled, ""'
        ) from error
