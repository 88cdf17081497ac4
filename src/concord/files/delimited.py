"""CSV and its relatives: comma, semicolon or tab, quoted newlines, any line end."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO, TextIOWrapper

from concord.errors import FileFormatError
from concord.files.gate import check_record
from concord.files.grids import Grid, Numbered, from_records, is_blank

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
"""The delimiters that are recognised, with their names."""
_LOOKED_AT = 2**20
"""Bytes of the beginning in which the header is looked for."""


def read_delimited(name: str, text: str) -> Grid:
    """Read delimited text; a record that spans lines is one row, as a spreadsheet shows it."""
    delimiter = recognise_delimiter(text)
    grid = from_records(name, None, records_of(name, text, delimiter))
    return replace(grid, warnings=(*delimiter_note(name, delimiter), *grid.warnings))


def delimiter_note(name: str, delimiter: str) -> tuple[str, ...]:
    """Say so when a file is not delimited as its extension promises."""
    if delimiter == "," or (delimiter == "\t" and name.lower().endswith((".tsv", ".tab"))):
        return ()
    return (f"{name}: read with {DELIMITERS[delimiter]} as the delimiter",)


def recognise_delimiter(text: str) -> str:
    """Choose the delimiter that splits the first filled line into most cells; a comma when none does."""
    return max(DELIMITERS, key=lambda delimiter: len(header_of(text, delimiter)))


def header_of(text: str, delimiter: str) -> list[str]:
    """Return the first filled record; one empty cell when nothing is split this way."""
    try:
        for record in _reader(text[:_LOOKED_AT], delimiter, strict=False):
            if not all(map(is_blank, record)):
                return record
    except csv.Error:
        return [""]
    return [""]


def _reader(text: str, delimiter: str, *, strict: bool) -> Iterator[list[str]]:
    # a StringIO would hold four bytes per character, and splitlines would part lines at form feeds
    lines: Iterable[str] = TextIOWrapper(BytesIO(text.encode("utf-8", "surrogatepass")),
                                         encoding="utf-8", errors="surrogatepass", newline="")  # fmt: skip
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def records_of(name: str, text: str, delimiter: str) -> Iterator[Numbered]:
    """Split text into numbered records, blank ones included; a broken quote is an error with its row."""
    yield from enumerate(text_records(name, text, delimiter), 1)


def text_records(name: str, text: str, delimiter: str = ",") -> Iterator[list[str]]:
    """Split text into records under the limits on tables; a broken quote is an error with its row."""
    row, cells = 0, 0
    try:
        for record in _reader(text, delimiter, strict=True):
            row, cells = row + 1, cells + len(record)
            check_record(name, row, len(record), cells)
            yield record
    except csv.Error as error:
        raise FileFormatError(
            f"{name}: row {row + 1} cannot be split into cells ({error}); "
            'check its quotes: a quote inside a quoted cell is doubled, ""'
        ) from error
