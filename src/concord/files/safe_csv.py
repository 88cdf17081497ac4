"""CSV that a spreadsheet shows and does not run, and its inverse: what is written is read back.

A text that starts like a formula gets a quote in front. So that the quote can be taken off again without
doubt, a text that starts with quotes and then like a formula gets one more.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet program may take for the beginning of a formula."""
_SIGNS = "".join(re.escape(start) for start in FORMULA_STARTS)
_UNSEEN = r"\s\x00-\x20\x7f-\xa0\u00ad\u180e\u200b-\u200f\u2028-\u202f\u2060-\u2069\ufeff"
_FORMULA = re.compile(f"'*[{_UNSEEN}]*[{_SIGNS}]")
"""Blanks and characters that are not seen may come before it."""
_QUOTED = re.compile('[",\r\n]|^ ')
"""Blanks before a cell are skipped when it is read, unless it is quoted."""


def safe_cell(value: object) -> object:
    """Make a cell that a spreadsheet shows and does not run: text that starts like a formula gets a quote.

    Numbers pass as they are, undefined is an empty cell, flags are ``true`` and ``false``.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("'=1"), safe_cell(-1.5), safe_cell(None)
    ("'=1+1", "''=1", -1.5, '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and _FORMULA.match(value):
        return "'" + value
    return value


def plain_cell(cell: str) -> str:
    """Take off the quote that keeps a spreadsheet from running a cell: the inverse of `safe_cell`.

    Examples
    --------
    >>> plain_cell("'＝x"), plain_cell("'tis"), plain_cell("''=1")
    ('＝x', "'tis", "'=1")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


def csv_line(cells: Sequence[object]) -> str:
    """Return one row as text; a cell that holds a delimiter, a quote or either line end is quoted.

    The standard library leaves a lone carriage return bare before Python 3.13, which ends the row there.

    Examples
    --------
    >>> csv_line(["a", 'b"c', "d,e", 0.5, None])
    'a,"b""c","d,e",0.5,'
    """
    if len(cells) == 1 and cells[0] in (None, ""):
        return '""'
    return ",".join(map(_quoted, cells))


def _quoted(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if _QUOTED.search(text) else text


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Return the lines of a table, guarded, each with its line feed: the same rows give the same bytes."""
    yield csv_line(columns) + "\n"
    for row in rows:
        yield csv_line([safe_cell(cell) for cell in row]) + "\n"
