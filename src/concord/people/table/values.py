"""The cells of a table of tests to values: the names of test types, and which reader each column has."""

import difflib
import functools
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files import cells as read
from concord.files.cells import BadCellError
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.declared import Parse, TableColumn
from concord.files.documents import check_heading, heading
from concord.files.json_text import parsed
from concord.files.text import normal_form
from concord.people.families.registry import OTHER_NAMES, TEST_TYPES
from concord.people.table.columns import OPTIONAL, REQUIRED, SIDE_FIELDS, SIDES
from concord.records import TestTable

_FLAGS = {
    "welch": "Welch's t is scored as Student's t",
    "spearman": "a rank correlation is scored as a product-moment correlation",
    "rank correlation": "a rank correlation is scored as a product-moment correlation",
}


@functools.lru_cache(maxsize=1024)
def _fold(text: str) -> str:
    """Reduce a name to its letters and digits: case, spaces, hyphens and typography do not matter."""
    plain = normal_form("NFKC", text).casefold()
    return re.sub(r"[^0-9a-zχ]", "", plain)


_TYPES = {_fold(name): name for name in TEST_TYPES} | {
    _fold(alias): name for name, others in OTHER_NAMES.items() for alias in others
}


def canonical_type(cell: object) -> str:
    """Return the canonical test type of a name."""
    text = _fold(cell) if isinstance(cell, str) else ""
    known = _TYPES.get(text)
    if known is not None:
        return known
    close = difflib.get_close_matches(text, _TYPES, n=1, cutoff=0.6)
    hint = f" (the closest is {_TYPES[close[0]]})" if close else ""
    raise BadCellError(f"one of {', '.join(TEST_TYPES)}{hint}")


def names_coefficient(cell: object) -> bool:
    """Whether a test type is called a coefficient, which papers give as F or t or as b with its SE."""
    text = _fold(cell) if isinstance(cell, str) else ""
    return "coefficient" in text or "slope" in text


def type_flags(cell: object) -> tuple[str, ...]:
    """Say what is assumed when a test of this name is scored as its canonical type."""
    text = _fold(cell) if isinstance(cell, str) else ""
    if text in ("rho", "rs"):
        text = "spearman"
    return tuple(dict.fromkeys(flag for word, flag in _FLAGS.items() if _fold(word) in text))


U_OF = ("group1", "group2", "smaller")
"""For which group a Mann-Whitney U was counted."""
SAMPLINGS = ("joint", "indep_rows", "indep_cols", "poisson", "hypergeom")
"""How the cases of a contingency table were sampled."""


def _reported_text(cell: object) -> str | None:
    """Read a reported statistic, as text."""
    if read.is_missing(cell):
        return None
    if not isinstance(cell, str):
        raise BadCellError("a text such as 't(58) = 2.41, p = .019'")
    return cell.strip()


TAILS = {
    **dict.fromkeys(("1", "one", "onetailed", "onesided", "single", "onetail"), 1),
    **dict.fromkeys(("2", "two", "twotailed", "twosided", "both", "twotail"), 2),
}
"""Words for the tails of a p-value."""


def _one_of(choices: Mapping[str, object], expected: str) -> Parse:
    """Make a reader of words, whatever their case and the signs between them."""
    known = {_letters(word): value for word, value in choices.items()}

    def parse(cell: object) -> object:
        if read.is_missing(cell):
            return None
        word = _letters(str(cell).removesuffix(".0"))
        if word not in known:
            raise BadCellError(expected)
        return known[word]

    return parse


def _letters(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.casefold())


LARGEST_COUNT = 10**12
"""More than all people who ever lived; far below where floats skip whole numbers."""
LARGEST_STATISTIC = 1e50
"""Squares of it, and sums of those, are still numbers; no statistic of people comes near it."""


def _sample_size(cell: object) -> float | None:
    """Read a count of people."""
    value = read.whole(cell)
    if value is not None and value > LARGEST_COUNT:
        raise BadCellError(f"a whole number of at most {LARGEST_COUNT:,}")
    return value


def _table(cell: object) -> tuple[tuple[float, ...], ...] | None:
    """Read a contingency table of counts of people."""
    rows = read.table(cell)
    if rows is not None and max(map(max, rows)) > LARGEST_COUNT:
        raise BadCellError(f"a table whose cells are at most {LARGEST_COUNT:,}")
    return rows


_POSITIVE = read.number_that(lambda value: value > 0, "a number above 0")
_NOT_NEGATIVE = read.number_that(lambda value: value >= 0, "a number of 0 or more")
_PROBABILITY = read.number_that(lambda value: 0 <= value <= 1, "a number from 0 to 1")
_INSIDE = read.number_that(lambda value: 0 < value < 1, "a number between 0 and 1, both excluded")
_STATISTIC = read.number_that(
    lambda value: abs(value) <= LARGEST_STATISTIC,
    f"a number from -{LARGEST_STATISTIC:g} to {LARGEST_STATISTIC:g}",
)
_DEGREES = read.number_that(
    lambda value: 0 <= value <= LARGEST_COUNT, f"a number from 0 to {LARGEST_COUNT:,}"
)
_SIDE_PARSERS: dict[str, Parse] = {
    **dict.fromkeys(("statistic", "effect_d", "log_bf", "ci_low", "ci_high"), _STATISTIC),
    **dict.fromkeys(("df1", "df2"), _DEGREES),
    **dict.fromkeys(("n1", "n2", "k", "n"), _sample_size),
    "p0": _INSIDE,
    "p_value": _PROBABILITY,
    "tails": _one_of(TAILS, "1 (one-tailed) or 2 (two-tailed)"),
    "direction": read.direction,
    "se": _POSITIVE,
    "u_of": _one_of(dict(zip(U_OF, U_OF, strict=True)), f"one of {', '.join(U_OF)}"),
    "table": _table,
    "reported": _reported_text,
    "prior_odds": _POSITIVE,
}
_PARSERS: dict[str, Parse] = {
    "test_type": canonical_type,
    "alpha": _INSIDE,
    "sampling": _one_of(dict(zip(SAMPLINGS, SAMPLINGS, strict=True)), f"one of {', '.join(SAMPLINGS)}"),
    "pas": _PROBABILITY,
    "n_eff": _NOT_NEGATIVE,
}
COLUMNS = (
    *(TableColumn(name, parse=_PARSERS.get(name, read.name)) for name in (*REQUIRED, *OPTIONAL)),
    *(
        TableColumn(f"{side}_{name}", parse=_SIDE_PARSERS[name], side=side)
        for side in SIDES
        for name in SIDE_FIELDS
    ),
)
"""The columns of a table of tests."""


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
