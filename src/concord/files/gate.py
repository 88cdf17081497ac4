"""The gate: what is too large or too much is refused here, where it comes in, each with what to do.

The numbers are those of `concord.files.limits`.
"""

from concord.errors import FileFormatError, OptionError
from concord.files import limits


def refuse_more(count: int, most: int, what: str, place: str, advice: str) -> None:
    """Refuse a table that holds more of something than can be scored in reasonable time and memory."""
    if count > most:
        raise FileFormatError(
            f"{place}: {count:,} {what}, more than the {most:,} that are scored at once; {advice}"
        )


def refuse_models(count: int, place: str) -> None:
    """Refuse more models than can be compared in pairs."""
    refuse_more(count, limits.COMPARED_MODELS, "models", place, "leave out some of them")


def check_sessions(n: int, option: str) -> None:
    """Refuse a run of more sessions than can be planned: each is opened once for its first prompt."""
    _refuse_larger(n, limits.SESSIONS, "sessions", option, "; ask for fewer, or run study by study")


def check_trials(n: int, option: str) -> None:
    """Refuse a run of more trials than can be planned, before they are laid out."""
    _refuse_larger(n, limits.TRIALS, "trials", option)


def _refuse_larger(n: int, most: int, what: str, option: str, advice: str = "") -> None:
    if n > most:
        raise OptionError(f"{option}: {n:,} {what} in one run, expected at most {most:,}{advice}")


def check_json_size(name: str, text: str) -> None:
    """Refuse a document whose values would fill the memory, before it is parsed."""
    containers = text.count("{") + text.count("[")
    check_count(name, containers, limits.JSON_CONTAINERS, "objects and lists", "split the document")
    check_count(name, text.count(","), limits.JSON_VALUES, "values", "split the document")


def kept_of(response: str, thinking: str | None) -> tuple[int, str, str | None] | None:
    """Return the length of a reply that is too long and the beginnings that are kept; None otherwise."""
    longest = max(len(response), 0 if thinking is None else len(thinking))
    if longest <= limits.REPLY_CHARACTERS:
        return None
    most = limits.REPLY_KEPT
    return longest, response[:most], None if thinking is None else thinking[:most]


def check_size(name: str, rows: int, columns: int) -> None:
    """Refuse a table with more rows, columns or cells than are read cell by cell."""
    check_count(name, columns, limits.COLUMNS, "columns", "split the table")
    check_count(name, rows, limits.ROWS, "rows", "split the table")
    check_count(name, rows * columns, limits.CELLS, "cells", "split the table")


def check_count(name: str, count: int, most: int, what: str, fix: str) -> None:
    """Refuse a file that holds more of something than is read."""
    if count > most:
        raise FileFormatError(f"{name}: {count:,} {what}, expected at most {most:,}; {fix}")


def check_bytes(name: str, size: int, most: int) -> None:
    """Refuse a file of more bytes than are read."""
    check_count(name, size, most, "bytes", "split the file")


def check_record(name: str, row: int, width: int, cells: int) -> None:
    """Refuse a table while it is read, at the record with which it becomes too large."""
    if cells > limits.CELLS or row > limits.ROWS or width > limits.COLUMNS:
        raise FileFormatError(
            f"{name}, row {row:,}: too large a table: expected at most {limits.ROWS:,} rows, "
            f"{limits.COLUMNS:,} columns and {limits.CELLS:,} cells; split the table"
        )


def check_large_text(name: str, rows: int, columns: int) -> None:
    """Refuse a text file of more than is read column by column."""
    if columns > limits.COLUMNS:
        raise FileFormatError(f"{name}: {columns:,} columns, expected at most {limits.COLUMNS:,}")
    if rows > limits.COLUMN_ROWS:
        raise FileFormatError(f"{name}: more than {limits.COLUMN_ROWS:,} rows; split the file")


def check_names(where: str, *, longest: int, whole: int) -> None:
    """Refuse names that are longer than a cell may be, or long in sum; both are in bytes."""
    if longest > 4 * limits.CELL_CHARACTERS:  # UTF-8 takes four bytes for a character at most
        most = f"{limits.CELL_CHARACTERS:,} characters"
        raise FileFormatError(f"{where}: a name of {longest:,} bytes, expected at most {most}")
    if whole > limits.NAME_BYTES:
        raise FileFormatError(
            f"{where}: names of {whole:,} bytes in all, expected at most {limits.NAME_BYTES:,}; give the "
            "items shorter names, such as numbers"
        )


def check_archive(name: str, members: int, packed: int, unpacked: int) -> None:
    """Refuse an archive of more members or bytes than any honest workbook declares."""
    if members > limits.MEMBERS:
        raise FileFormatError(bomb(name, f"{members:,} members, expected at most {limits.MEMBERS:,}"))
    if is_bomb(packed, unpacked):
        raise FileFormatError(bomb(name, f"{packed:,} bytes unpack to {unpacked:,} or more"))


def is_bomb(packed: int, unpacked: int) -> bool:
    """Tell whether an archive unpacks to more than any honest one."""
    if unpacked > limits.UNPACKED:
        return True
    return unpacked > limits.BOMB_SIZE and unpacked > limits.BOMB_RATIO * packed


def bomb(name: str, found: str) -> str:
    """Say that an archive holds more than a workbook does, and what to do."""
    return (
        f"{name}: {found} (a zip bomb?); refused without unpacking. "
        "Save only the cells with values into a new workbook"
    )


def check_area(name: str, sheet: str, rows: int, columns: int) -> None:
    """Refuse a sheet whose few cells lie so far apart that its area would fill the memory."""
    if rows > limits.ROWS or columns > limits.COLUMNS or rows * columns > limits.CELLS:
        raise FileFormatError(
            f"{name}, sheet {sheet!r}: cells as far out as row {rows:,} and column {columns:,}; "
            "delete stray cells outside the table"
        )
