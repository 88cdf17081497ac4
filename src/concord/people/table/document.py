"""A table of tests as one document, written and read back whole: every field of every side, by the codec.

Scoring it gives the very numbers of the table itself; a spreadsheet would lose what has no column.
"""

import os
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.documents import check_heading, heading
from concord.files.json_text import parsed
from concord.records import TestTable

_KIND = "table of tests"


def table_document(table: TestTable) -> dict[str, Any]:
    """Return the document of a table; the inverse of `stored_table`."""
    return {**heading(_KIND), **encode(table)}


def stored_table(source: object) -> TestTable | None:
    """Read a table from a document that `table_document` made; ``None`` where the source is none."""
    if not isinstance(source, str | os.PathLike) or Path(source).suffix.casefold() != ".json":
        return None
    path = Path(source)
    raw = read_bytes(path)
    if not raw.lstrip().startswith(b"{"):
        return None
    try:
        document = parsed(path.name, raw)
    except FileFormatError:
        return None  # the reader of tables says what is wrong with it
    if not isinstance(document, dict) or document.get("format") != f"concord {_KIND}":
        return None
    return decode(TestTable, check_heading(document, _KIND, where=path.name), where=path.name)
