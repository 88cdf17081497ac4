"""One cell to one value: numbers, whole numbers, names, directions, contingency tables.

Every function returns ``None`` for a missing cell and raises `BadCellError` with what was expected for an
unusable one. A cell is missing when it is empty, white space, NaN, or one of `MISSING_WORDS`; 0 never is.
"""

import json
import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from numbers import Real

import numpy as np

from concord.files.limits import CELL_CHARACTERS, LARGEST_NUMBER
from concord.files.text import SURROGATE, ErrorCell, normal_form, vocabulary

_HELD = vocabulary()["cells"]
MISSING_WORDS = frozenset({"", *_HELD["missing"].split()})
"""What people write into a cell that has no value; upper and lower case alike."""

_MINUS = str.maketrans({"−": "-", "–": "-", "—": "-", "﹣": "-", "－": "-", "‐": "-", "‑": "-"})
_PERCENT = re.compile(r"-?[\d.,]{1,40}\s?%")
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class BadCellError(Exception):
    """A cell that cannot be used; its text is what was expected."""


def is_missing(cell: object) -> bool:
    """Whether a cell holds no value."""
    if cell is None:
        return True
    if isinstance(cell, str):
        return len(cell) < 100 and cell.strip().casefold() in MISSING_WORDS
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return isinstance(cell, float | np.floating) and math.isnan(cell)


def is_decimal_comma(cell: object) -> bool:
    """Whether a cell is the text of a number with a decimal comma."""
    return isinstance(cell, str) and _COMMA.fullmatch(cell.strip().translate(_MINUS)) is not None


def with_point(cell: object) -> object:
    """Return a cell with its decimal comma as a point; anything else as it is."""
    return cell.replace(",", ".") if isinstance(cell, str) and is_decimal_comma(cell) else cell


def number(cell: object) -> float | None:
    """Read a finite number, written as a number or as text, with any kind of minus sign."""
    if cell is None:
        return None
    if isinstance(cell, str):
        value = _text_number(cell) if cell else None
    elif isinstance(cell, (float, int, Decimal, Real)) and not isinstance(cell, bool):
        value = None if is_missing(cell) else _as_float(cell)
    else:
        raise BadCellError("a number")
    if value is not None and abs(value) > LARGEST_NUMBER:
        finite = math.isfinite(value)
        raise BadCellError(f"a number of at most {LARGEST_NUMBER:g}" if finite else "a finite number")
    return value


def number_or_none(cell: object) -> float | None:
    """Read a number; ``None`` also where a cell holds something else."""
    try:
        return number(cell)
    except BadCellError:
        return None


def are_numbers(cells: Iterable[object]) -> bool:
    """Whether cells hold numbers, one at least, and nothing else but missing ones."""
    try:
        return any([number(cell) is not None for cell in cells])
    except BadCellError:
        return False


def number_that(fits: Callable[[float], bool], expected: str) -> Callable[[object], float | None]:
    """Make a reader of numbers that must lie in a range."""

    def parse(cell: object) -> float | None:
        value = number(cell)
        if value is not None and not fits(value):
            raise BadCellError(expected)
        return value

    return parse


YES_NO = {word: meant for meant, name in ((True, "yes"), (False, "no")) for word in _HELD[name].split()}
"""Words for yes and no, in the languages of titles."""
FLAGS = {**YES_NO, "1": True, "1.0": True, "0": False, "0.0": False}
"""What may say true or false."""
GRADES = {
    **{word: float(meant) for word, meant in YES_NO.items()},
    **{word: float(score) for score, words in _HELD["grades"].items() for word in words.split()},
}
"""Text grades (correct, partly correct, incorrect, no answer) and words for right and wrong, in any case."""


def grade(cell: object) -> float | None:
    """Read a score: a number, true or false, or a text grade."""
    word = cell.strip().casefold() if isinstance(cell, str) else None
    if word in GRADES:
        return GRADES[word]
    try:
        return float(cell) if isinstance(cell, bool) else number(cell)
    except BadCellError as error:
        usual = "a finite number, or a grade C, P, I or N"
        if is_decimal_comma(cell):
            usual += "; use --decimal-comma if this is a decimal comma"
        elif word is not None and _PERCENT.fullmatch(word):
            usual += "; write a percentage as its share, 85% as 0.85"
        raise BadCellError(usual) from error


def _as_float(cell: float | Decimal | Real) -> float:
    """Turn any kind of number into a float; one beyond the largest float is infinite."""
    try:
        value = float(cell)
    except (OverflowError, ValueError):  # beyond the largest float, or a signalling NaN
        return math.inf
    return math.inf if math.isnan(value) else value


def _text_number(cell: str) -> float | None:
    """Read the text of a number; say what is wrong with the usual near misses."""
    text = cell.strip().translate(_MINUS)
    if _NUMBER.fullmatch(text):
        return float(text)
    if is_missing(cell) and not isinstance(cell, ErrorCell):
        return None
    if text.lower().lstrip("+-") in ("inf", "infinity", "∞"):
        raise BadCellError("a finite number")
    if _COMMA.fullmatch(text):
        raise BadCellError(
            "a number with a decimal point and no thousands separator; use --decimal-comma if this is a "
            "decimal comma"
        )
    if text.startswith(("<", ">", "=", "p")) and not isinstance(cell, ErrorCell):
        raise BadCellError(
            "a bare number; put a text such as 'p < .001' into the column 'reported' of the side"
        )
    raise BadCellError("a number")


def whole(cell: object) -> float | None:
    """Read a count: a whole number of 0 or more; 61.0 is whole."""
    value = number(cell)
    if value is None:
        return None
    nearest = float(round(value))
    if value < 0 or not math.isclose(value, nearest, rel_tol=1e-12, abs_tol=1e-9):
        raise BadCellError("a whole number, 0 or more")
    return nearest


def as_text(cell: object) -> str:
    """Return what a cell holds as the same text in every format: 1.0 as '1', true as 'true'."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def name(cell: object) -> str | None:
    """Read a name: trimmed, NFC-normalised; a number becomes its shortest text, so 1.0 is '1'."""
    if isinstance(cell, (ErrorCell, list, tuple, dict, set, bytes)):
        raise BadCellError("a name")
    if is_missing(cell):
        return None
    try:
        text = as_text(cell)
    except ValueError as error:  # a whole number of thousands of digits
        raise BadCellError("a name") from error
    if SURROGATE.search(text):
        raise BadCellError("a name of whole characters: half of a surrogate pair cannot be written")
    if len(text) > CELL_CHARACTERS:
        raise BadCellError(f"a name of at most {CELL_CHARACTERS:,} characters")
    return normal_form("NFC", text).strip()


def direction(cell: object) -> int | None:
    """Read a direction: -1, 0 or 1, or the words 'positive' and 'negative'."""
    # A lone ``-``, a dash or ``none`` is refused: it could mean a negative direction, no direction (0) or a
    # missing cell.
    expected = "-1, 0 or 1 (or 'positive', 'negative'); an empty cell when it is not known"
    if isinstance(cell, str):
        word = cell.strip().casefold()
        if word in ("positive", "negative"):
            return 1 if word == "positive" else -1
        if word in ("-", "–", "—", ".", "none"):
            raise BadCellError(expected)
    try:
        value = number(cell)
    except BadCellError as error:
        raise BadCellError(expected) from error
    if value is not None and value not in (-1, 0, 1):
        raise BadCellError(expected)
    return None if value is None else int(value)


def table(cell: object) -> tuple[tuple[float, ...], ...] | None:
    """Read a contingency table: rows of counts, as JSON text or as nested lists."""
    if is_missing(cell):
        return None
    rows = _nested(cell)
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in rows):
        raise BadCellError("a table of counts such as [[12, 8], [5, 15]]")
    widths = [len(row) for row in rows]
    if len(set(widths)) > 1:
        raise BadCellError(f"a rectangular table; its rows have {', '.join(map(str, widths))} cells")
    if len(rows) < 2 or widths[0] < 2:
        raise BadCellError("a table of at least 2 rows and 2 columns")
    return tuple(tuple(_count(count) for count in row) for row in rows)


def _nested(cell: object) -> object:
    """Turn JSON text or arrays into nested lists."""
    if isinstance(cell, str):
        try:
            return json.loads(cell.strip())  # also no-break spaces, which JSON does not know
        except (ValueError, RecursionError):
            return None
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if isinstance(cell, (list, tuple)):
        return [row.tolist() if hasattr(row, "tolist") else row for row in cell]
    return cell


def _count(cell: object) -> float:
    """Read one cell of a contingency table, where an empty one is a fault."""
    expected = "a table whose cells are all whole numbers, 0 or more"
    try:
        value = None if isinstance(cell, str) else whole(cell)
    except BadCellError as error:
        raise BadCellError(expected) from error
    if value is None:
        raise BadCellError(expected)
    return value
